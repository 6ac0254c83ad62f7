"""Gemini Live: the messages of BidiGenerateContent, as WebSocket JSON or as an SDK dump.

No message carries a type; the member that is present is the type. Proto JSON
takes camelCase and snake_case at each level, and the Python SDK mixes them.

Source: https://ai.google.dev/api/live
"""

from __future__ import annotations

from collections.abc import Sequence

from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.gemini_schema import camel, definitions, members
from app.events import Args, Cancellation, Frame, Scheduling, ToolCall, ToolDefinition, ToolResponse
from app.json_text import JsonError, JsonText, write

ID = "gemini-live"

SERVER_MEMBERS = {
    "setupComplete": "setup-complete",
    "serverContent": "server-content",
    "toolCall": "call",
    "toolCallCancellation": "cancellation",
    "goAway": "go-away",
    "sessionResumptionUpdate": "session-resumption-update",
    "voiceActivity": "voice-activity",
    "voiceActivityDetectionSignal": "voice-activity-detection-signal",
}
CLIENT_MEMBERS = {
    "setup": "setup",
    "clientContent": "client-content",
    "realtimeInput": "realtime-input",
    "toolResponse": "response",
    "contextUpdate": "context-update",
}
BESIDE = {"usageMetadata": "usage-metadata"}
"""What may accompany any server message."""

PRIORITY = ("toolCall", "toolResponse", "toolCallCancellation")
"""Which member names the kind where several stand side by side."""

SCHEDULING = ("INTERRUPT", "WHEN_IDLE", "SILENT")


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a frame by its members, or a bare call, call list, answer or answer list."""
    if not root.is_object:
        return ()
    fields = members(root)
    known = [
        member.pointer
        for key, member in fields.items()
        if key in SERVER_MEMBERS or key in CLIENT_MEMBERS or key in BESIDE
    ]
    if "candidates" in fields or "contents" in fields:
        return ()  # generateContent carries usageMetadata too
    if known:
        return tuple(known)
    bare = _bare_kind(fields)
    return () if bare is None else tuple(fields[key].pointer for key in bare[1])


def _bare_kind(fields: dict[str, Cursor]) -> tuple[str, tuple[str, ...]] | None:
    for key, kind in (
        ("functionCalls", "call"),
        ("functionResponses", "response"),
        ("functionResponse", "response"),
    ):
        if key in fields:
            return kind, (key,)
    if "name" in fields and "response" in fields and "parameters" not in fields:
        return "response", ("name", "response")
    if "name" in fields and "args" in fields:
        return "call", ("name", "args")
    return None


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one message."""
    fields = members(root)
    present = {key: member for key, member in fields.items() if not member.is_null}
    server = [key for key in present if key in SERVER_MEMBERS]
    client = [key for key in present if key in CLIENT_MEMBERS]
    padded = _is_padded(root, fields)
    kind = _kind(present, server, client)
    direction = "server" if server and not client else "client" if client and not server else None
    calls: list[ToolCall] = []
    responses: list[ToolResponse] = []
    bare = None if server or client or any(key in BESIDE for key in present) else _bare_kind(present)
    if bare is not None:
        kind, keys = bare
        direction = "server" if kind == "call" else "client"
        where = present.get(keys[0]) if len(keys) == 1 else root
        if kind == "call":
            calls.extend(_calls(where, padded))
        else:
            responses.extend(_responses(where))
    if "toolCall" in present:
        padded = padded or any(
            _is_padded(item, members(item)) for item in _items(present["toolCall"], "functionCalls")
        )
        calls.extend(_calls(members(present["toolCall"]).get("functionCalls"), padded))
    if "serverContent" in present:
        calls.extend(_content_calls(present["serverContent"], padded))
    if "toolResponse" in present:
        responses.extend(_responses(members(present["toolResponse"]).get("functionResponses")))
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=kind,
        direction=direction,
        evidence=evidence,
        casing=_casing(root),
        members=present,
        calls=tuple(calls),
        responses=tuple(responses),
        cancellations=_cancellations(present.get("toolCallCancellation")),
        declarations=_declarations(present),
        replaces_tools="setup" in present or "contextUpdate" in present,
        null_padded=padded,
    )


def _kind(present: dict[str, Cursor], server: list[str], client: list[str]) -> str:
    if server and client:
        return "unknown"  # two halves of a conversation in one object
    both = {**SERVER_MEMBERS, **CLIENT_MEMBERS}
    for key in (*PRIORITY, *server, *client):
        if key in present and (key in server or key in client):
            return both[key]
    return next((BESIDE[key] for key in present if key in BESIDE), "unknown")


def _is_padded(at: Cursor, fields: dict[str, Cursor]) -> bool:
    """Tell a model_dump with its None fields from a wire message: optional fields stand there as null."""
    if not at.is_object:
        return False
    optional = {*SERVER_MEMBERS, *CLIENT_MEMBERS, *BESIDE, "partialArgs", "willContinue"}
    return any(member.is_null for key, member in fields.items() if key in optional)


def _casing(root: Cursor) -> str | None:
    """Say which spelling the protocol's own keys have; payloads and schemas are user data."""
    found: set[str] = set()
    stack = [(root, 0)]
    while stack:
        at, depth = stack.pop()
        for member in at:
            key = member.key
            if key is not None:
                if "_" in key.strip("_"):
                    found.add("snake")
                elif any(char.isupper() for char in key):
                    found.add("camel")
                if key in ("args", "response", "parameters", "output", "result"):
                    continue
            if depth < 5 and (member.is_object or member.is_array):
                stack.append((member, depth + 1))
        if len(found) == 2:
            return "mixed"
    return found.pop() if found else None


def _items(at: Cursor, key: str) -> list[Cursor]:
    inner = members(at).get(key)
    return [item for item in inner if item.is_object] if inner is not None and inner.is_array else []


def _calls(at: Cursor | None, padded: bool) -> list[ToolCall]:
    if at is None:
        return []
    entries = at if at.is_array else [at]
    return [_call(entry, padded) for entry in entries if entry.is_object]


def _call(entry: Cursor, padded: bool, in_content: bool = False) -> ToolCall:
    fields = members(entry)
    id_at, name_at = fields.get("id"), fields.get("name")
    partial = fields.get("partialArgs")
    more = fields.get("willContinue")
    if partial is None or partial.is_null:
        partial = more if more is not None and more.text == "true" else None
    return ToolCall(
        at=entry,
        frame=entry.frame,
        id=(id_at.string or None) if id_at is not None else None,
        name=(name_at.string or None) if name_at is not None else None,
        id_at=id_at,
        name_at=name_at,
        args=read_args(fields.get("args"), padded),
        partial=partial,
        in_content=in_content,
    )


def read_args(at: Cursor | None, padded: bool) -> Args:
    """Read the args of one call; a string is read once, never twice."""
    if at is None:
        return Args(None, "absent")
    if at.is_object:
        return Args(at, "object")
    if at.is_null:
        return Args(at, "absent" if padded else "null")
    text = at.string
    if text is None:
        return Args(at, "other")
    inner = JsonText(text)
    try:
        node, end = inner.scan()
        if end < len(text):
            raise JsonError("Text goes on behind the JSON value.", end)
    except JsonError as error:
        return Args(at, "free-text", error=error)
    return Args(at, "json-string", derived=Cursor(inner, node, input=at.input, frame=at.frame, base=at))


def _content_calls(content: Cursor, padded: bool) -> list[ToolCall]:
    turn = members(content).get("modelTurn")
    if turn is None:
        return []
    return [
        _call(call, padded, in_content=True)
        for part in _items(turn, "parts")
        if (call := members(part).get("functionCall")) is not None and call.is_object
    ]


def _responses(at: Cursor | None) -> list[ToolResponse]:
    if at is None:
        return []
    entries = at if at.is_array else [at]
    return [_response(entry) for entry in entries if entry.is_object]


def _response(entry: Cursor) -> ToolResponse:
    fields = members(entry)
    id_at, name_at, body = fields.get("id"), fields.get("name"), fields.get("response")
    hints: list[Scheduling] = []
    typed = fields.get("scheduling")
    if typed is not None and not typed.is_null:
        hints.append(Scheduling(typed, "response", typed.string))
    error = output = None
    if body is not None and body.is_object:
        error = body.get("error")
        if error is not None and not (error.is_object or error.is_string):
            error = None
        hint = body.get("scheduling")
        if hint is not None:
            hints.append(Scheduling(hint, "body", hint.string))
        output = body.get("result") or body.get("output") or body
    more = fields.get("willContinue")
    return ToolResponse(
        at=entry,
        frame=entry.frame,
        id=(id_at.string or None) if id_at is not None else None,
        name=(name_at.string or None) if name_at is not None else None,
        id_at=id_at,
        name_at=name_at,
        body_at=body,
        is_error=error is not None,
        output=None if error is not None else output,
        error=error,
        scheduling=tuple(hints),
        will_continue=None if more is None or more.is_null else more.text == "true",
    )


def _cancellations(at: Cursor | None) -> tuple[Cancellation, ...]:
    if at is None:
        return ()
    ids_at = members(at).get("ids")
    ids = (
        tuple(item.string for item in ids_at if item.string) if ids_at is not None and ids_at.is_array else ()
    )
    return (Cancellation(at=at, frame=at.frame, ids_at=ids_at, ids=ids),)


def _declarations(present: dict[str, Cursor]) -> tuple[ToolDefinition, ...]:
    if "setup" in present:
        return definitions(members(present["setup"]).get("tools"), ID)
    if "contextUpdate" in present:
        tools = members(present["contextUpdate"]).get("tools")
        inner = members(tools).get("tools") if tools is not None and tools.is_object else tools
        return definitions(inner, ID)
    return ()


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools that a setup or contextUpdate message declares."""
    return _declarations(members(root))


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out a toolResponse in the spelling of the call's own envelope."""
    entries = []
    for answer in answers:
        body: list[str] = []
        if answer.error is not None:
            body.append(f'"error": {answer.error.text}')
        else:
            body.append(f'"result": {answer.result.text if answer.result is not None else "{}"}')
        entry = [f'"id": {write(answer.id)}', f'"name": {write(answer.name)}']
        if answer.scheduling is not None and scheduling_in_body:
            body.append(f'"scheduling": "{answer.scheduling}"')
        entry.append('"response": {' + ", ".join(body) + "}")
        if answer.scheduling is not None and not scheduling_in_body:
            entry.append(f'"scheduling": "{answer.scheduling}"')
        entries.append("{" + ", ".join(entry) + "}")
    envelope, items = "toolResponse", "functionResponses"
    call = frame.members.get("toolCall")
    if call is not None:
        if call.key == "tool_call":
            envelope = "tool_response"
        inner = members(call).get("functionCalls")
        if inner is not None and inner.key == "function_calls":
            items = "function_responses"
    elif frame.casing == "snake":
        envelope, items = "tool_response", "function_responses"
    return f'{{"{envelope}": {{"{items}": [{", ".join(entries)}]}}}}'


DIALECT = Dialect(
    id=ID,
    title="Gemini Live",
    words=Words("toolCall", "args", "toolResponse"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
)

__all__ = ["DIALECT", "camel", "read_args"]
