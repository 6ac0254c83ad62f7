"""Model Context Protocol: JSON-RPC requests, results, errors and notifications of both protocol families.

Through 2025-11-25 a session begins with a handshake; from 2026-07-28 each
request carries its own envelope in `_meta` and each result says its
`resultType`. The shapes of a call and its result are the same.

Source: https://modelcontextprotocol.io/specification/
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.arguments import from_object
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.wire import fields, integer, is_true, objects, payload, spoken, text
from app.events import Cancellation, Frame, ToolCall, ToolDefinition, ToolResponse
from app.json_text import write

ID = "mcp"

CALL = "tools/call"
CANCELLED = "notifications/cancelled"
VERSION = "io.modelcontextprotocol/protocolVersion"
ENVELOPE = "envelope"
"""The trait of a frame that belongs to the family with an envelope in each request."""
RETRY = frozenset({"inputResponses", "requestState"})
"""What a client adds when it asks again with the input that the server wanted."""
OTHER_RESULTS = frozenset(
    {
        "action",
        "capabilities",
        "completion",
        "contents",
        "messages",
        "model",
        "nextCursor",
        "prompts",
        "protocolVersion",
        "resourceTemplates",
        "resources",
        "roots",
        "serverInfo",
        "supportedVersions",
        "tasks",
        "ttlMs",
    }
)
"""Members of results that answer other requests than a tool call."""
UNKNOWN_TOOL = -32602
"""Invalid params: what the specification answers to a call of a tool that does not exist."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a JSON-RPC 2.0 message, or a tool by its inputSchema."""
    if not root.is_object:
        return ()
    keys = set(root.keys)
    if "jsonrpc" in keys:
        version = root.get("jsonrpc")
        if version is None or version.string != "2.0":
            return ()
        found = [root.get(key) for key in ("method", "result", "error", "id") if key in keys]
        return tuple(at.pointer for at in (version, *found) if at is not None)
    if "inputSchema" in keys and "name" in keys:
        schema, name = root.get("inputSchema"), root.get("name")
        return (schema.pointer, name.pointer) if schema is not None and name is not None else ()
    if "tools" in keys:
        first = next(iter(objects(root.get("tools"))), None)
        schema = first.get("inputSchema") if first is not None else None
        return (schema.pointer,) if schema is not None else ()
    return ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one message."""
    members = fields(root)
    frame = Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="event",
        evidence=evidence,
        casing="camel",
        members=members,
    )
    if "jsonrpc" not in members:
        return _declaring(frame, declarations(root))
    method = text(members.get("method"))
    if method is not None:
        return _request(frame, root, method, fields(members.get("params")))
    return _result(frame, root, members)


def _request(frame: Frame, root: Cursor, method: str, params: dict[str, Cursor]) -> Frame:
    enveloped = method == "server/discover" or VERSION in fields(params.get("_meta"))
    traits = frozenset({ENVELOPE} if enveloped else ())
    if method == CALL:
        return replace(
            frame,
            kind="call",
            direction="client",
            traits=traits | {"call"},
            calls=(_call(root, params),),
        )
    if method == CANCELLED:
        at = params.get("requestId")
        known = rpc_id(at)
        cancelled = Cancellation(root, root.frame, at, () if known is None else (known,))
        return replace(frame, kind="cancellation", traits=traits, cancellations=(cancelled,))
    return replace(frame, traits=traits)


def rpc_id(at: Cursor | None) -> str | int | None:
    """Return a request id with its JSON type, or None where it is neither a text nor a whole number."""
    return text(at) if at is None or at.is_string else integer(at)


def _call(root: Cursor, params: dict[str, Cursor]) -> ToolCall:
    id_at, name_at = root.get("id"), params.get("name")
    at = params.get("arguments")
    return ToolCall(
        at=root,
        frame=root.frame,
        id=rpc_id(id_at),
        name=text(name_at),
        id_at=id_at,
        name_at=name_at,
        args=from_object(at),
    )


def _result(frame: Frame, root: Cursor, members: dict[str, Cursor]) -> Frame:
    result, error = members.get("result"), members.get("error")
    inside = fields(result)
    kind = text(inside.get("resultType"))
    frame = replace(frame, direction="server", traits=frozenset({ENVELOPE} if "resultType" in inside else ()))
    if "tools" in inside:
        return _declaring(frame, _tools(inside["tools"]))
    if kind == "input_required" or "task" in inside:
        return replace(frame, kind="response-partial", responses=(_answer(root, goes_on=True),))
    # An empty result answers a ping or the like, unless the session shows that a tool was called.
    empty = result is not None and result.is_object and not inside
    if error is None and (empty or not OTHER_RESULTS.isdisjoint(inside)):
        return frame
    return _answering(frame, root)


def _answering(frame: Frame, root: Cursor) -> Frame:
    return replace(
        frame, kind="response", traits=frame.traits | {"response"}, responses=(_answer(root, goes_on=False),)
    )


def _answer(root: Cursor, *, goes_on: bool) -> ToolResponse:
    result, error, id_at = root.get("result"), root.get("error"), root.get("id")
    inside = fields(result)
    structured = inside.get("structuredContent")
    said = structured if structured is not None else payload(inside.get("content"))
    failed = error is not None or is_true(inside.get("isError"))
    return ToolResponse(
        at=root,
        frame=root.frame,
        id=rpc_id(id_at),
        name=None,
        id_at=id_at,
        name_at=None,
        body_at=error or result,
        is_error=failed,
        output=None if failed else said,
        error=(error or inside.get("content")) if failed else None,
        will_continue=True if goes_on else None,
    )


def _declaring(frame: Frame, tools: tuple[ToolDefinition, ...]) -> Frame:
    return replace(
        frame,
        kind="declaration",
        direction="server",
        declarations=tools,
        replaces_tools=True,
        traits=frame.traits | {"declares"},
    )


def _tools(at: Cursor | None) -> tuple[ToolDefinition, ...]:
    return tuple(_definition(tool) for tool in objects(at))


def _definition(at: Cursor) -> ToolDefinition:
    return ToolDefinition(
        at=at,
        name=text(at.get("name")) or "",
        description=text(at.get("description")),
        behavior=None,
        parameters=at.get("inputSchema"),
        result=at.get("outputSchema"),
        gemini=False,
        dialect=ID,
    )


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools of a tools/list result, of a list of them, or the one that the frame is."""
    if root.get("inputSchema") is not None:
        return (_definition(root),)
    listed = root.get("tools") or root.at("/result/tools")
    return _tools(listed)


# A session ---------------------------------------------------------------------


def settle(frames: Sequence[Frame]) -> list[Frame]:
    """Tell the answers to tool calls from those to other requests, and the family of the session.

    A result does not say what it answers: only the request with its id does.
    """
    enveloped = any(ENVELOPE in frame.traits for frame in frames)
    asked: dict[tuple[type, str | int], str] = {}
    listed: tuple[ToolDefinition, ...] = ()
    out = []
    for frame in frames:
        if enveloped:
            frame = replace(frame, traits=frame.traits | {ENVELOPE})
        known = rpc_id(frame.members.get("id"))
        method = text(frame.members.get("method"))
        if method is not None:
            if known is not None:
                asked[type(known), known] = method
            elif method == CANCELLED:
                frame = _cancelling_calls(frame, asked)
        elif known is not None:
            method = asked.get((type(known), known))
            if method not in (None, CALL) and frame.responses:
                frame = replace(frame, kind="event", responses=())
            elif method == CALL and frame.kind == "event" and frame.at is not None:
                frame = _answering(frame, frame.at)
        if frame.replaces_tools:
            frame = replace(frame, declarations=(*listed, *frame.declarations))
            # A page that names the next one is not the whole list yet.
            more = frame.at is not None and frame.at.at("/result/nextCursor")
            listed = frame.declarations if more else ()
        out.append(frame)
    return out


def _cancelling_calls(frame: Frame, asked: dict[tuple[type, str | int], str]) -> Frame:
    kept = tuple(
        each
        for each in frame.cancellations
        if all(asked.get((type(known), known), CALL) == CALL for known in each.ids)
    )
    return replace(frame, kind="cancellation" if kept else "event", cancellations=kept)


# The answer --------------------------------------------------------------------


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Write one JSON-RPC response per call: a refusal is a result with isError, an unknown tool an error."""
    return "\n".join(_response(answer, ENVELOPE in frame.traits) for answer in answers)


def _response(answer: Answer, enveloped: bool) -> str:
    head = f'"jsonrpc": "2.0", "id": {write(answer.id)}'
    if answer.error is not None:
        error = fields(Cursor.of(answer.error.text))
        if text(error.get("code")) == "unknown_function":
            message = write(text(error.get("message")) or "")
            return f'{{{head}, "error": {{"code": {UNKNOWN_TOOL}, "message": {message}}}}}'
    content = f'"content": [{{"type": "text", "text": {spoken(answer)}}}]'
    kind = '"resultType": "complete", ' if enveloped else ""
    structured = ""
    if answer.error is None and answer.result is not None and answer.result.text.startswith("{"):
        structured = f', "structuredContent": {answer.result.text}'
    failed = "false" if answer.error is None else "true"
    return f'{{{head}, "result": {{{kind}{content}{structured}, "isError": {failed}}}}}'


DIALECT = Dialect(
    id=ID,
    title="MCP",
    words=Words("tools/call", "arguments", "result"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    settle=settle,
)
