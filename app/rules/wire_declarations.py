"""Rules over one declared tool whose parameters are JSON Schema: its name and the root of its schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.dialects.wire import objects
from app.events import Frame, ToolDefinition
from app.rules import ERROR, WARNING, Hit, rule

ANTHROPIC = ("anthropic",)
ROOTED = ("anthropic", "mcp", "bedrock-converse")
MESSAGES = "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use"
MCP_TOOLS = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
SONIC = "https://docs.aws.amazon.com/nova/latest/userguide/speech-tools.html"
CONVERSE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"

MCP_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
PORTABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
NAMES = {"anthropic": re.compile(r"[A-Za-z0-9_-]{1,128}"), "bedrock-converse": PORTABLE}
UNIONS = ("oneOf", "anyOf", "allOf")


@rule("declaration-name-charset", WARNING, on="declaration", dialects=("mcp",), source=MCP_TOOLS)
def mcp_name_charset(tool: ToolDefinition) -> Iterator[Hit]:
    """An MCP tool should have a name of letters, digits, underscore, hyphen and dot.

    The specification says should, so a server may offer another name. Clients that hand
    the tools to a model refuse it or rename it.

    Bad:
        {"name": "Set Light", "inputSchema": {"type": "object"}}
    Good:
        {"name": "set_light", "inputSchema": {"type": "object"}}
    """
    if MCP_NAME.fullmatch(tool.name) is None:
        yield Hit(
            tool.at.get("name") or tool.at,
            "A tool name has letters, digits, _ - and . and 1 to 128 characters. Rename the tool.",
            key="name",
        )


@rule("declaration-name-not-portable", WARNING, on="declaration", dialects=("mcp",), source=MCP_TOOLS)
def name_not_portable(tool: ToolDefinition) -> Iterator[Hit]:
    """The name is right in MCP and refused by the services that models run on.

    OpenAI, Anthropic and Bedrock take no dot, and most of them 64 characters at most. A
    client has to rename the tool, and then the call bears the other name.

    Bad:
        {"name": "lights.set", "inputSchema": {"type": "object"}}
    Good:
        {"name": "lights_set", "inputSchema": {"type": "object"}}
    """
    if MCP_NAME.fullmatch(tool.name) is not None and PORTABLE.fullmatch(tool.name) is None:
        yield Hit(
            tool.at.get("name") or tool.at,
            "Models take no dot and at most 64 characters in a tool name. Use _ instead and keep it short.",
            key="name",
        )


@rule("declaration-name-charset", ERROR, on="declaration", dialects=tuple(NAMES), source=MESSAGES)
def name_charset(tool: ToolDefinition) -> Iterator[Hit]:
    """For Anthropic and Bedrock a name has letters, digits, underscore and hyphen.

    Anthropic takes 128 characters, Bedrock 64. Otherwise the whole request is refused.

    Bad:
        {"name": "lights.set", "input_schema": {"type": "object"}}
    Good:
        {"name": "lights_set", "input_schema": {"type": "object"}}
    """
    if NAMES[tool.dialect].fullmatch(tool.name) is None:
        most = 64 if tool.dialect == "bedrock-converse" else 128
        yield Hit(
            tool.at.get("name") or tool.at,
            f"A tool name has letters, digits, _ and - and 1 to {most} characters. Rename the tool.",
            key="name",
        )


@rule("declaration-schema-root-not-object", ERROR, on="declaration", dialects=ROOTED, source=MESSAGES)
def schema_root_not_object(tool: ToolDefinition) -> Iterator[Hit]:
    """The schema of the arguments is not that of one object.

    Arguments are an object, so the root says `"type": "object"`. Anthropic also refuses
    oneOf, anyOf and allOf at the root: move the alternatives into a property.

    Bad:
        {"name": "set_light", "input_schema": {"oneOf": [{"type": "object"}, {"type": "object"}]}}
    Good:
        {"name": "set_light", "input_schema": {"type": "object", "properties": {
          "target": {"oneOf": [{"type": "string"}, {"type": "integer"}]}
        }}}
    """
    root = tool.parameters
    if root is None:
        return
    kind = root.get("type")
    union = next((at for key in UNIONS if (at := root.get(key)) is not None), None)
    if union is not None and tool.dialect in ANTHROPIC:
        yield Hit(
            union,
            f"{union.key} at the root of input_schema is refused. Move it into a property.",
            at_key=True,
        )
    elif kind is None or kind.string != "object":
        yield Hit(kind or root, 'The root of the schema must say "type": "object".', key="type")


@rule("declaration-schema-wrong-encoding", ERROR, on="declaration", dialects=("nova-sonic",), source=SONIC)
def schema_wrong_encoding(tool: ToolDefinition) -> Iterator[Hit]:
    r"""The schema of a Nova Sonic tool is not a string of JSON.

    Nova Sonic wants inputSchema.json as text, where Converse wants an object. The
    service refuses the prompt. Encode the schema as JSON once.

    Bad:
        {"event": {"promptStart": {"promptName": "p1", "toolConfiguration": {"tools": [
          {"toolSpec": {"name": "set_light", "inputSchema": {"json": {"type": "object"}}}}
        ]}}}}
    Good:
        {"event": {"promptStart": {"promptName": "p1", "toolConfiguration": {"tools": [
          {"toolSpec": {"name": "set_light", "inputSchema": {"json": "{\"type\": \"object\"}"}}}
        ]}}}}
    """
    at = tool.parameters
    if at is not None and at.base is not None and at.is_object:
        return  # read out of its string
    yield Hit(
        tool.at.at("/inputSchema/json") or tool.at,
        "inputSchema.json must be a string that holds the schema as JSON. Encode it.",
        key="json",
    )


@rule(
    "declaration-missing",
    ERROR,
    on="frame",
    dialects=("bedrock-converse",),
    needs=("messages",),
    source=CONVERSE,
)
def declaration_missing(frame: Frame) -> Iterator[Hit]:
    """A Converse request has tool blocks in its messages and declares no tools.

    The service refuses it, even where the model shall not call anything any more. Keep
    toolConfig in every request whose history holds toolUse or toolResult.

    Bad:
        {"modelId": "m", "messages": [
          {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "tooluse_1", "name": "list_rooms", "input": {}}}]},
          {"role": "user", "content": [
            {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "kitchen"}]}}]}
        ]}
    Good:
        {"modelId": "m", "toolConfig": {"tools": [
          {"toolSpec": {"name": "list_rooms", "inputSchema": {"json": {"type": "object"}}}}
        ]}, "messages": [
          {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "tooluse_1", "name": "list_rooms", "input": {}}}]},
          {"role": "user", "content": [
            {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "kitchen"}]}}]}
        ]}
    """
    messages = frame.members.get("messages")
    config = frame.members.get("toolConfig")
    used = any(
        "toolUse" in block.keys or "toolResult" in block.keys
        for message in objects(messages)
        for block in objects(message.get("content"))
    )
    if messages is not None and used and (config is None or not config.is_object):
        yield Hit(
            config or messages,
            "The history holds tool blocks and toolConfig is missing. Declare the tools in this request too.",
            key="toolConfig",
        )
