"""Rules over one call of the formats that pair by id: an id and a name must be there."""

from __future__ import annotations

from collections.abc import Iterator

from app.events import Frame, ToolCall
from app.model import Options
from app.rules import ERROR, Hit, rule

DIALECTS = ("anthropic", "mcp", "bedrock-converse", "nova-sonic", "livekit", "gemini-interactions")
MESSAGES = "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use"


@rule("call-id-missing", ERROR, on="call", dialects=DIALECTS, source=MESSAGES)
def call_id_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The answer names its call by the id alone, here too.

    MCP forbids a null id, for a request without an id is a notification that nobody
    answers. Send the call with an id of its own.

    Bad:
        {"jsonrpc": "2.0", "id": null, "method": "tools/call",
         "params": {"name": "set_light", "arguments": {"room": "kitchen"}}}
    Good:
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
         "params": {"name": "set_light", "arguments": {"room": "kitchen"}}}
    """
    if call.id is None:
        found = "The id is missing" if call.id_at is None else f"The id is {call.id_at.text[:40]}"
        yield Hit(call.id_at or call.at, f"{found}, so the call cannot be answered. Do not run it.", key="id")


@rule("call-name-missing", ERROR, on="call", dialects=DIALECTS, source=MESSAGES)
def call_name_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call must name its tool, whatever the wire calls the field.

    Nobody should guess a tool by its arguments. Answer with an error.

    Bad:
        {"type": "tool_use", "id": "toolu_1", "name": "", "input": {"room": "kitchen"}}
    Good:
        {"type": "tool_use", "id": "toolu_1", "name": "set_light", "input": {"room": "kitchen"}}
    """
    if call.name is None:
        yield Hit(
            call.name_at or call.at,
            "This call names no tool. Answer with an error; do not guess.",
            key="name",
            call_id=call.id,
        )
