"""Rules over one tool that is declared to OpenAI's interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.openai_parts import CHAT, REALTIME, RESPONSES, string
from app.events import ToolDefinition
from app.rules import ERROR, Hit, rule
from app.rules.openai_calls import NAME, OPENAI
from app.schema import outline

SESSION = "https://platform.openai.com/docs/api-reference/realtime-client-events/session/update"
STRICT = "https://platform.openai.com/docs/guides/function-calling#strict-mode"
TOOLS = "https://platform.openai.com/docs/guides/function-calling"

REALTIME_FIELDS = frozenset({"type", "name", "description", "parameters", "strict"})
"""Nobody has been seen to be refused for `strict`, which the types do not have."""


@rule("declaration-wrong-dialect", ERROR, on="declaration", dialects=OPENAI, source=TOOLS)
def declaration_wrong_dialect(tool: ToolDefinition) -> Iterator[Hit]:
    """A tool is declared in the shape of another interface.

    Chat Completions nests name and parameters under function; Realtime and Responses have
    them beside type; input_schema is Anthropic's. The service refuses the wrong one.

    Bad:
        {"type": "session.update", "session": {"type": "realtime", "tools": [
          {"type": "function", "function": {"name": "list_rooms", "parameters": {"type": "object"}}}]}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "tools": [
          {"type": "function", "name": "list_rooms", "parameters": {"type": "object"}}]}}
    """
    at = tool.at
    nested = at.get("function") or at.get("custom")
    for key in ("input_schema", "inputSchema"):
        member = at.get(key)
        if member is not None:
            yield Hit(member, f"{key} is of another interface. Here it is parameters.", at_key=True)
    if tool.dialect != CHAT and nested is not None:
        yield Hit(
            nested,
            "Chat Completions nests tools so. Here name and parameters stand beside type.",
            at_key=True,
        )
    elif tool.dialect == CHAT and nested is None and string(at.get("type")) == "function":
        yield Hit(at, "Chat Completions wants name and parameters under function.", key="function")


@rule("declaration-unknown-field", ERROR, on="declaration", dialects=(REALTIME,), source=SESSION)
def declaration_unknown_field(tool: ToolDefinition) -> Iterator[Hit]:
    """A Realtime tool has a field that the service does not know.

    It answers unknown_parameter and refuses the whole session.update, so no tool is
    registered. Send type, name, description and parameters only.

    Bad:
        {"type": "session.update", "session": {"type": "realtime", "tools": [
          {"type": "function", "name": "list_rooms", "meta": {}, "parameters": {"type": "object"}}]}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "tools": [
          {"type": "function", "name": "list_rooms", "parameters": {"type": "object"}}]}}
    """
    if tool.at.get("function") is not None:
        return  # another interface's shape, which has its own rule
    for member in tool.at:
        if member.key not in REALTIME_FIELDS and member.key not in ("input_schema", "inputSchema"):
            yield Hit(
                member,
                f"{member.key} is unknown, and the whole update is refused for it. Remove it.",
                key=member.key,
                at_key=True,
            )


@rule("declaration-name-charset", ERROR, on="declaration", dialects=OPENAI, source=TOOLS)
def declaration_name_charset(tool: ToolDefinition) -> Iterator[Hit]:
    """The name of a tool has other characters than letters, digits, _ and -, or more than 64.

    The service refuses the whole request. Rename the tool.

    Bad:
        {"type": "session.update", "session": {"type": "realtime", "tools": [
          {"type": "function", "name": "rooms.list", "parameters": {"type": "object"}}]}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "tools": [
          {"type": "function", "name": "list_rooms", "parameters": {"type": "object"}}]}}
    """
    if tool.name and NAME.fullmatch(tool.name) is None:
        inner = tool.at.get("function") or tool.at.get("custom") or tool.at
        yield Hit(inner.get("name") or tool.at, "A name has letters, digits, _ and -, at most 64. Rename it.")


def _is_strict(tool: ToolDefinition) -> bool:
    flag = (tool.at.get("function") or tool.at).get("strict")
    return flag is not None and flag.text == "true"


def _objects(tool: ToolDefinition) -> Iterator[Cursor]:
    """Yield the object schemas of a strict tool."""
    if tool.parameters is None or not tool.parameters.is_object or not _is_strict(tool):
        return
    for each in outline(tool.parameters.rooted()).subschemas.values():
        at = tool.parameters.at(each.pointer)
        kind = at.get("type") if at is not None and at.is_object else None
        if at is not None and kind is not None:
            types = {item.string for item in kind} if kind.is_array else {kind.string}
            if "object" in types:
                yield at


@rule(
    "declaration-schema-strict-additional-properties",
    ERROR,
    on="declaration",
    dialects=(CHAT, RESPONSES),
    source=STRICT,
)
def strict_additional_properties(tool: ToolDefinition) -> Iterator[Hit]:
    """A strict tool has an object that does not forbid other keys.

    strict wants additionalProperties false at every object, and the service refuses the
    request without it.

    Bad:
        {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function",
         "function": {"name": "set_light", "strict": true, "parameters": {
           "type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}}}]}
    Good:
        {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function",
         "function": {"name": "set_light", "strict": true, "parameters": {
           "type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"],
           "additionalProperties": false}}}]}
    """
    for at in _objects(tool):
        closed = at.get("additionalProperties")
        if closed is None or closed.text != "false":
            yield Hit(
                closed or at,
                "strict wants additionalProperties: false at every object.",
                key="additionalProperties",
            )


@rule(
    "declaration-schema-strict-required", ERROR, on="declaration", dialects=(CHAT, RESPONSES), source=STRICT
)
def strict_required(tool: ToolDefinition) -> Iterator[Hit]:
    """A strict tool has a property that is not required.

    strict wants every property in required. What may be left out gets null among its
    types.

    Bad:
        {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function",
         "function": {"name": "set_light", "strict": true, "parameters": {
           "type": "object", "properties": {"room": {"type": "string"}}, "required": [],
           "additionalProperties": false}}}]}
    Good:
        {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function",
         "function": {"name": "set_light", "strict": true, "parameters": {
           "type": "object", "properties": {"room": {"type": ["string", "null"]}}, "required": ["room"],
           "additionalProperties": false}}}]}
    """
    for at in _objects(tool):
        properties, required = at.get("properties"), at.get("required")
        named = {item.string for item in required} if required is not None and required.is_array else set()
        for member in properties if properties is not None and properties.is_object else ():
            if member.key not in named:
                yield Hit(
                    member,
                    f"strict wants {member.key} in required. Give it null as a type where it may be absent.",
                    key=member.key,
                    at_key=True,
                )
