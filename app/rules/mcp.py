"""Rules over MCP results: content, structuredContent, isError, result and error."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.mcp import ENVELOPE
from app.dialects.wire import objects, text
from app.events import Frame, ToolResponse
from app.ledger import Ledger, Step
from app.rules import ERROR, WARNING, Hit, rule
from app.rules.exchange import Pairing

MCP = ("mcp",)
TOOLS = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
BASE = "https://modelcontextprotocol.io/specification/2025-11-25/basic"
FALLBACK = "https://github.com/ggml-org/llama.cpp/issues/26410"
CANCELLATION = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation"
ERROR_SHAPE = "https://github.com/HexSleeves/tailscale-mcp/issues/101"

CONTENT_TYPES = frozenset({"text", "image", "audio", "resource_link", "resource"})


def _result(response: ToolResponse, frame: Frame) -> Cursor | None:
    """Return the finished result that a frame carries."""
    return None if frame.kind == "response-partial" else frame.members.get("result")


@rule("mcp-result-and-error", ERROR, on="frame", dialects=MCP, needs=("response",), source=BASE)
def result_and_error(frame: Frame) -> Iterator[Hit]:
    """A response carries both a result and an error.

    JSON-RPC allows one of them, so two readers may take two different answers. A failed
    tool is a result with isError; error is for protocol faults.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "result": {"content": []},
         "error": {"code": -32603, "message": "timeout"}}
    Good:
        {"jsonrpc": "2.0", "id": 7, "error": {"code": -32603, "message": "timeout"}}
    """
    if "result" in frame.members and "error" in frame.members:
        yield Hit(
            frame.members["error"], "A response has a result or an error, never both. Send one.", at_key=True
        )


@rule("mcp-content-missing", ERROR, on="response", dialects=MCP, source=TOOLS)
def content_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A tool result has no content list.

    content is required, beside structuredContent too; clients refuse the result without
    it. Put the same data there as text.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "result": {"structuredContent": {"on": true}}}
    Good:
        {"jsonrpc": "2.0", "id": 7, "result": {
          "content": [{"type": "text", "text": "the light is on"}], "structuredContent": {"on": true}
        }}
    """
    result = _result(response, frame)
    content = result.get("content") if result is not None else None
    if result is not None and (content is None or not content.is_array):
        yield Hit(
            content or result,
            "A tool result needs a content list, beside structuredContent too.",
            key="content",
            call_id=response.id,
        )


@rule("mcp-content-type-unknown", ERROR, on="response", dialects=MCP, source=TOOLS)
def content_type_unknown(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A content block has a type that MCP does not have.

    The types are text, image, audio, resource_link and resource; clients refuse the whole
    result. Data goes into structuredContent, and as text into content.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "json", "json": {"on": true}}]}}
    Good:
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "the light is on"}]}}
    """
    result = _result(response, frame)
    for block in objects(result.get("content") if result is not None else None):
        kind = block.get("type")
        if text(kind) not in CONTENT_TYPES:
            yield Hit(
                kind or block,
                "A content block is text, image, audio, resource_link or resource. Send data as text.",
                call_id=response.id,
            )


@rule("mcp-structured-not-object", ERROR, on="response", dialects=MCP, source=TOOLS)
def structured_not_object(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """The structuredContent of a result is no object.

    Through protocol version 2025-11-25 it must be one, and clients refuse the result.
    From 2026-07-28, where a result says its resultType, any JSON value may stand there.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "result": {
          "content": [{"type": "text", "text": "[1]"}], "structuredContent": [1]
        }}
    Good:
        {"jsonrpc": "2.0", "id": 7, "result": {
          "content": [{"type": "text", "text": "[1]"}], "structuredContent": {"levels": [1]}
        }}
    """
    result = _result(response, frame)
    structured = result.get("structuredContent") if result is not None else None
    if structured is not None and not structured.is_object and ENVELOPE not in frame.traits:
        yield Hit(
            structured,
            "structuredContent must be an object through 2025-11-25. Wrap the value.",
            call_id=response.id,
        )


@rule("mcp-text-fallback-missing", WARNING, on="response", dialects=MCP, source=FALLBACK)
def text_fallback_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A result has structuredContent and an empty content list.

    Many clients hand only content to the model, so it sees nothing. Put the same data
    there as text.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [], "structuredContent": {"on": true}}}
    Good:
        {"jsonrpc": "2.0", "id": 7, "result": {
          "content": [{"type": "text", "text": "the light is on"}], "structuredContent": {"on": true}
        }}
    """
    result = _result(response, frame)
    if result is None or result.get("structuredContent") is None:
        return
    content = result.get("content")
    if content is not None and content.is_array and not len(content):
        yield Hit(
            content,
            "content is empty, and clients that show only content show nothing. Add the data as text.",
            call_id=response.id,
        )


@rule("mcp-error-structured", WARNING, on="response", dialects=MCP, source=ERROR_SHAPE)
def error_structured(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An error result carries structuredContent.

    Some clients check it against the outputSchema all the same, and then their own
    complaint hides the error. Leave structuredContent out of errors.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "result": {
          "isError": true, "content": [{"type": "text", "text": "no such room"}],
          "structuredContent": {"error": "no such room"}
        }}
    Good:
        {"jsonrpc": "2.0", "id": 7, "result": {
          "isError": true, "content": [{"type": "text", "text": "no such room"}]
        }}
    """
    result = _result(response, frame)
    structured = result.get("structuredContent") if result is not None else None
    failed = result.get("isError") if result is not None else None
    if structured is not None and failed is not None and failed.text == "true":
        yield Hit(
            structured,
            "Leave structuredContent out of an error: clients may check it and hide the error.",
            at_key=True,
            call_id=response.id,
        )


@rule("mcp-structured-missing", ERROR, on="pairing", dialects=MCP, source=TOOLS)
def structured_missing(pairing: Pairing) -> Iterator[Hit]:
    """A tool with an outputSchema answers without structuredContent.

    Whoever declares an outputSchema must send structuredContent that meets it; strict
    clients refuse the result. Only an error may come without.

    Bad:
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "list_rooms",
          "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["rooms"]}}]}}
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_rooms"}}
        {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "kitchen"}]}}
    Good:
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "list_rooms",
          "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["rooms"]}}]}}
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_rooms"}}
        {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "kitchen"}],
          "structuredContent": {"rooms": ["kitchen"]}}}
    """
    if pairing.unstructured:
        yield Hit(
            pairing.response.body_at or pairing.response.at,
            "The tool declares an outputSchema, so its result needs structuredContent that meets it.",
            key="structuredContent",
            call_id=pairing.response.id,
        )


@rule("response-late", WARNING, on="step", dialects=MCP, source=CANCELLATION)
def response_late(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """An answer comes after the request was cancelled.

    The two may cross on their way, so it is no fault: the sender of the cancellation
    ignores it. Whoever receives a cancellation should not answer any more. Do not close
    the connection for it.

    Bad:
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list_rooms"}}
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "kitchen"}]}}
    Good:
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list_rooms"}}
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "kitchen"}]}}
    """
    if step.code == "response-to-cancelled":
        yield Hit(
            step.at,
            "This request was cancelled before. Ignore the answer and keep the connection.",
            call_id=step.entry.id,
        )
