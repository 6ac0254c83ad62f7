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
from app.dialects.wire import compact, fields, integer, is_true, objects, payload, spoken, text
from app.events import Cancellation, Frame, Open, ToolCall, ToolDefinition, ToolResponse
from app.json_text import write

ID = "mcp"

CALL = "tools/call"
CANCELLED = "notifications/cancelled"
TASK_RESULT = "tasks/result"
HANDSHAKE = "initialize"
VERSION = "io.modelcontextprotocol/protocolVersion"
ENVELOPE = "envelope"
"""The trait of a frame that belongs to the family with an envelope in each request."""
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
        return _declaring(frame, declarations(root), frozenset())
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
    return replace(frame, traits=traits, signals=(Open(root),) if method == HANDSHAKE else ())


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
    traits = frozenset({ENVELOPE} if "resultType" in inside else ())
    if "tools" in inside:
        return _declaring(frame, _tools(inside["tools"]), traits)
    if text(inside.get("resultType")) == "input_required" or "task" in inside:
        return _answering(frame, root, traits, goes_on=True)
    # An empty result answers a ping or the like, unless the session shows that a tool was called.
    empty = result is not None and result.is_object and not inside
    if error is None and (empty or not OTHER_RESULTS.isdisjoint(inside)):
        return replace(frame, direction="server", traits=traits)
    return _answering(frame, root, traits)


def _answering(frame: Frame, root: Cursor, traits: frozenset[str], *, goes_on: bool = False) -> Frame:
    return replace(
        frame,
        kind="response-partial" if goes_on else "response",
        direction="server",
        traits=traits | {"response"},
        responses=(_answer(root, goes_on=goes_on),),
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


def _declaring(frame: Frame, tools: tuple[ToolDefinition, ...], traits: frozenset[str]) -> Frame:
    return replace(
        frame,
        kind="declaration",
        direction="server",
        declarations=tools,
        replaces_tools=True,
        traits=traits | {"declares"},
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


def relate(frames: Sequence[Frame]) -> list[Frame]:
    """Tell the answers to tool calls from those to other requests, and the family of the session.

    A result does not say what it answers: only the request with its id does.
    """
    enveloped = any(ENVELOPE in frame.traits for frame in frames)
    requests = _Requests()
    listed: tuple[ToolDefinition, ...] = ()
    out: list[Frame] = []
    for frame in frames:
        if enveloped:
            frame = replace(frame, traits=frame.traits | {ENVELOPE})
        if frame.signals:  # another connection: its ids are its own
            requests, listed = _Requests(), ()
        if "method" in frame.members:
            before = requests.retried(frame)
            if before is not None:
                # The client has asked again, so that first request is over and done with.
                out[before] = replace(out[before], responses=tuple(map(_final, out[before].responses)))
            frame = requests.asked(frame)
        else:
            frame = requests.answered(frame, len(out))
        if frame.replaces_tools:
            frame = replace(frame, declarations=(*listed, *frame.declarations))
            # A page that names the next one is not the whole list yet.
            more = frame.at is not None and frame.at.at("/result/nextCursor")
            listed = frame.declarations if more else ()
        out.append(frame)
    return out


def _final(response: ToolResponse) -> ToolResponse:
    return replace(response, will_continue=None)


_Id = tuple[type, str | int]


class _Requests:
    """What the requests of a session asked for, by id with its JSON type.

    Both sides count for themselves, so a request of the server may bear the id of an open call.
    """

    def __init__(self) -> None:
        self._methods: dict[_Id, list[str]] = {}
        self._states: dict[str, int] = {}
        """Where the server wanted input, by the requestState that the client sends back."""
        self._calls: dict[str, Cursor] = {}
        """The id of the call that a task runs, by the id of the task."""
        self._tasks: dict[_Id, str] = {}
        """The task whose result a request asks for."""

    def retried(self, frame: Frame) -> int | None:
        """Return where the request was answered that a client asks again with the input wanted."""
        state = frame.at.at("/params/requestState") if frame.at is not None and frame.calls else None
        return self._states.pop(text(state) or "", None)

    def asked(self, frame: Frame) -> Frame:
        """Take a request or notification; a cancellation of another request than a call is an event."""
        known, method = _key(frame.members.get("id")), text(frame.members.get("method")) or ""
        if known is not None:
            self._methods.setdefault(known, []).append(method)
            task = frame.at.at("/params/taskId") if frame.at is not None else None
            if method == TASK_RESULT and (name := text(task)) is not None:
                self._tasks[known] = name
        elif method == CANCELLED:
            return self._cancelling(frame)
        return frame

    def _cancelling(self, frame: Frame) -> Frame:
        ids = [known for each in frame.cancellations for known in each.ids]
        if all(CALL in self._methods.get((type(known), known), (CALL,)) for known in ids):
            return frame
        return replace(frame, kind="event", cancellations=())

    def answered(self, frame: Frame, place: int) -> Frame:
        """Take a result or error: only that to a tool call, or to the task that runs one, is an answer."""
        known, at = _key(frame.members.get("id")), frame.at
        if known is None or at is None:
            return frame
        method = self._answers(known, frame)
        call_id = self._calls.get(self._tasks.get(known, ""))
        if call_id is not None:
            frame = _answering(frame, at, frame.traits)
            return replace(
                frame,
                responses=tuple(replace(each, id=rpc_id(call_id), id_at=call_id) for each in frame.responses),
            )
        if method not in (None, CALL):
            return replace(frame, kind="event", responses=()) if frame.responses else frame
        if method == CALL and frame.kind == "event":
            return _answering(frame, at, frame.traits)
        if frame.kind == "response-partial":
            state, task = text(at.at("/result/requestState")), text(at.at("/result/task/taskId"))
            if state is not None:
                self._states[state] = place
            if task is not None:
                self._calls[task] = frame.members["id"]
        return frame

    def _answers(self, known: _Id, frame: Frame) -> str | None:
        """Return the method of the request that a result or error answers: of several, the one it fits."""
        methods = self._methods.get(known, [])
        if len(methods) < 2:
            return methods[0] if methods else None
        failed = "error" in frame.members
        fits = [
            place for place, each in enumerate(methods) if failed or (each == CALL) == bool(frame.responses)
        ]
        return methods.pop(fits[-1] if fits else -1)


def _key(at: Cursor | None) -> _Id | None:
    known = rpc_id(at)
    return (type(known), known) if known is not None else None


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
        structured = f', "structuredContent": {compact(answer.result)}'
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
    relate=relate,
    keys=frozenset({"jsonrpc", "inputSchema", "tools"}),
)
