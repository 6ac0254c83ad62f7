"""Reading protocol objects whose keys have one spelling: fields, ids, payloads, messages.

What several wire formats share and none of them owns.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.cursor import Cursor
from app.dialects import Answer
from app.events import Args, Frame, Message, Part, Signal, ToolCall, ToolDefinition, ToolResponse
from app.json_text import JsonError, quote, write
from app.model import Raw

CHAT, ANTHROPIC, BEDROCK = "openai-chat", "anthropic", "bedrock-converse"

REQUEST = "request"
"""The trait of a frame that tells a conversation again, with what is new at its end."""

HOSTED_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", *HOSTED_CALLS})
"""Content blocks that no other message format has."""
CONVERSE_BLOCKS = frozenset(
    {"text", "toolUse", "toolResult", "image", "document", "video", "reasoningContent", "cachePoint"}
)
"""The one key of a content block that has no type."""


def fields(at: Cursor | None) -> dict[str, Cursor]:
    """Return the members of an object by key, the first one where a key stands twice."""
    found: dict[str, Cursor] = {}
    if at is not None and at.is_object:
        for member in at:
            found.setdefault(member.key or "", member)
    return found


def objects(at: Cursor | None) -> list[Cursor]:
    """Return the objects of a list; what is no list has none."""
    return [item for item in at if item.is_object] if at is not None and at.is_array else []


def text(at: Cursor | None) -> str | None:
    """Return a string that is not empty, or None."""
    return (at.string or None) if at is not None else None


def integer(at: Cursor | None) -> int | None:
    """Return a whole number of at most 32 digits, or None."""
    lexeme = at.text if at is not None else ""
    return int(lexeme) if len(lexeme) <= 32 and lexeme.lstrip("-").isdigit() else None


def is_true(at: Cursor | None) -> bool:
    """Whether a flag is set."""
    return at is not None and at.text == "true"


def tool_call(at: Cursor, id_at: Cursor | None, name_at: Cursor | None, args: Args) -> ToolCall:
    """Put one call together; its id is a text."""
    return ToolCall(
        at=at,
        frame=at.frame,
        id=text(id_at),
        name=text(name_at),
        id_at=id_at,
        name_at=name_at,
        args=args,
    )


def tool_response(
    at: Cursor,
    id_at: Cursor | None,
    body_at: Cursor | None,
    output: Cursor | None,
    *,
    is_error: bool,
    name_at: Cursor | None = None,
) -> ToolResponse:
    """Put one answer together. It tells an error by its flag, or by an `error` in what it says."""
    told = None if is_error else _error(output)
    error = output if is_error else told
    failed = is_error or told is not None
    return ToolResponse(
        at=at,
        frame=at.frame,
        id=text(id_at),
        name=text(name_at),
        id_at=id_at,
        name_at=name_at,
        body_at=body_at,
        is_error=failed,
        output=None if failed else output,
        error=error,
    )


def _error(output: Cursor | None) -> Cursor | None:
    found = output.get("error") if output is not None else None
    return found if found is not None and (found.is_object or found.is_string) else None


def payload(at: Cursor | None) -> Cursor | None:
    """Return the business value of a content: what its only text holds as JSON, else the content itself."""
    if at is None:
        return None
    only = at
    if at.is_array:
        items = list(at)
        if len(items) != 1 or not items[0].is_object:
            return at
        only = items[0].get("json") or items[0].get("text") or at
    held = only.string
    if held is None or not held.lstrip().startswith(("{", "[")):
        return only
    try:
        return Cursor.of(held, input=at.input, frame=at.frame, base=only)
    except JsonError:
        return only


def spoken(answer: Answer) -> str:
    """Return what an answer says as one JSON string: a text as it is, any other value as its JSON text."""
    raw = answer.error or answer.result
    said = raw.text if raw is not None else "{}"
    return said if said.startswith('"') else quote(said)


def compact(value: Raw) -> str:
    """Return a value on one line, for a line of JSON Lines; numbers keep their lexeme."""
    return write(Cursor.of(value.text).tree, None)


# Messages of a role with content ------------------------------------------------


def family(message: Cursor) -> str | None:
    """Return the format that one message gives away, or None where it could be of several."""
    keys = message.keys
    if "tool_calls" in keys or "function_call" in keys or "tool_call_id" in keys:
        return CHAT
    for block in objects(message.get("content")):
        inside = block.keys
        if "type" not in inside:
            if not CONVERSE_BLOCKS.isdisjoint(inside):
                return BEDROCK
            continue
        kind = text(block.get("type")) or ""
        if kind in ANTHROPIC_BLOCKS or kind.endswith("_tool_result"):
            return ANTHROPIC
    return CHAT if text(message.get("role")) == "tool" else None


def deciding(messages: Cursor | None) -> tuple[str, Cursor] | None:
    """Return the format of a list of messages, and the first message that gives it away."""
    for message in objects(messages):
        found = family(message)
        if found is not None:
            return found, message
    return None


def told(
    root: Cursor,
    members: dict[str, Cursor],
    parts: Sequence[Part],
    *,
    dialect: str,
    evidence: tuple[str, ...],
    casing: str,
    messages: tuple[Message, ...] = (),
    tools: tuple[ToolDefinition, ...] = (),
    signals: tuple[Signal, ...] = (),
) -> Frame:
    """Make the frame of a request, a message, a block or a declaration, by the parts that it holds."""
    is_history = "messages" in members
    calls = tuple(part.call for part in parts if part.call is not None)
    responses = tuple(part.response for part in parts if part.response is not None)
    any_tools = calls or responses or any(part.kind == "server-tool" for part in parts)
    if any_tools and is_history:
        kind = "session"
    elif any_tools:
        kind = "response" if responses else "call" if calls else "call-hosted"
    else:
        kind = "declaration" if tools else "turn"
    by_client = is_history or bool(tools or responses) or any(each.role == "user" for each in messages)
    traits = {kind}
    if is_history:
        traits.add(REQUEST)
    if messages:
        traits.add("messages")
    if tools:
        traits.add("declares")
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=dialect,
        kind=kind,
        direction="client" if by_client else "server",
        evidence=evidence,
        casing=casing,
        members=members,
        traits=frozenset(traits),
        calls=calls,
        responses=responses,
        declarations=tools,
        signals=signals,
        messages=messages,
        replaces_tools=bool(tools),
    )
