"""OpenAI Realtime: the events of a session, as GA and as the retired beta send them.

Args and outputs are strings. A call is told several times: announced, streamed,
finished, and once more in the response; the client answers it with an item and
asks for the next response itself.

Sources: https://platform.openai.com/docs/api-reference/realtime-client-events and
https://platform.openai.com/docs/api-reference/realtime-server-events
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.gemini_schema import is_gemini
from app.dialects.openai_parts import (
    EVENTS,
    REALTIME,
    Read,
    bare_item,
    call,
    definition,
    definitions,
    event,
    interface,
    item,
    spoken,
    string,
    turn_of,
)
from app.dialects.wire import fields
from app.events import (
    FollowUp,
    FollowUpCancel,
    Frame,
    Open,
    ServerError,
    Speech,
    ToolCall,
    ToolDefinition,
    ToolResponse,
)
from app.json_text import quote

ID = REALTIME

SESSION_EVENTS = frozenset({"session.update", "session.created", "session.updated"})
SPEECH = {
    **{
        f"response.{name}.{step}": ("model", field if step == "done" else "delta", step == "done")
        for name, field in (
            ("output_audio_transcript", "transcript"),
            ("audio_transcript", "transcript"),
            ("output_text", "text"),
            ("text", "text"),
        )
        for step in ("delta", "done")
    },
    "conversation.item.input_audio_transcription.delta": ("user", "delta", False),
    "conversation.item.input_audio_transcription.completed": ("user", "transcript", True),
}
"""Events that hold words: who says them, the field, and whether it stands for all pieces before."""
CLIENT_EVENTS = frozenset(
    {
        "session.update",
        "transcription_session.update",
        "conversation.item.create",
        "conversation.item.retrieve",
        "conversation.item.truncate",
        "conversation.item.delete",
        "response.create",
        "response.cancel",
        "input_audio_buffer.append",
        "input_audio_buffer.commit",
        "input_audio_buffer.clear",
        "output_audio_buffer.clear",
    }
)
ITEM_EVENTS = frozenset(
    {
        "conversation.item.create",
        "conversation.item.created",
        "conversation.item.added",
        "conversation.item.done",
        "conversation.item.retrieved",
    }
)
BARE_CALL = ("name", "arguments", "call_id")
DECLARED = frozenset({"name", "description", "parameters", "strict"})
ACTIVE = "conversation_already_has_active_response"


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise an event by its type, an item or a declaration by its fields."""
    if not root.is_object:
        return ()
    found = interface(root)
    if found is not None:
        return found[1] if found[0] == ID else ()
    item_keys = bare_item(root)
    if item_keys:
        told = root.get("object")
        marks = [told] if told is not None and told.string == "realtime.item" else []
        return tuple(at.pointer for at in (*item_keys, *marks))
    if root.get("type") is not None:
        return ()
    keys = root.keys
    if all(key in keys for key in BARE_CALL):
        return tuple(f"/{key}" for key in BARE_CALL)
    parameters = root.get("parameters") if "name" in keys and DECLARED.issuperset(keys) else None
    if parameters is not None and parameters.is_object and not is_gemini(parameters):
        return "/name", "/parameters"
    return ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one event, item or declaration."""
    members = fields(root)
    kind = string(members.get("type"))
    if kind is None or not (kind.startswith(EVENTS) or kind == "error"):
        return _bare(root, members, evidence)
    said, calls, responses, signals = _event(kind, root, members)
    session = members.get("session")
    declared = () if session is None else definitions(session.get("tools"), ID)
    replaces = kind in SESSION_EVENTS and session is not None and session.get("tools") is not None
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="declaration" if replaces else said,
        direction="client" if kind in CLIENT_EVENTS else "server",
        evidence=evidence,
        casing="snake",
        members=members,
        # The service tells every item anew, those that the client made too.
        traits=frozenset(
            {
                said,
                kind,
                *(("declares",) if replaces else ()),
                *(("echo",) if kind in ITEM_EVENTS and kind not in CLIENT_EVENTS else ()),
            }
        ),
        calls=calls,
        responses=responses,
        signals=signals,
        declarations=declared,
        replaces_tools=replaces,
    )


def _event(kind: str, root: Cursor, members: dict[str, Cursor]) -> Read:
    if kind == "response.create":
        asked = members.get("response")
        aside = asked.get("conversation") if asked is not None else None
        event_id = string(members.get("event_id"))
        asks = FollowUp(root, aside is not None and aside.string == "none", event_id)
        return "followup", (), (), (asks,)
    if kind == "response.cancel":
        return "cancellation", (), (), (FollowUpCancel(root, string(members.get("response_id"))),)
    if kind == "error":
        return "error", (), (), (_error(root),)
    if kind in ITEM_EVENTS:
        at = members.get("item")
        return item(at, None) if at is not None else ("event", (), (), ())
    if kind == "session.created":
        return "event", (), (), (Open(root, fresh=True),)  # the first thing the service says on a connection
    found = event(kind, root)
    if found is None:
        return "event", (), (), ()
    said, calls, responses, signals = found
    if kind == "response.function_call_arguments.done":
        calls = tuple(replace(each, deferred=frozenset({"name"})) for each in calls)
    return said, calls, responses, signals


def _error(root: Cursor) -> ServerError:
    """Read an error. Older captures carry no code, and only the message names the active response."""
    error = fields(root.get("error"))
    code, message = string(error.get("code")), string(error.get("message")) or ""
    if code is None and "active response" in message:
        code = ACTIVE
    return ServerError(root, code, string(error.get("event_id")))


def _bare(root: Cursor, members: dict[str, Cursor], evidence: tuple[str, ...]) -> Frame:
    calls: tuple[ToolCall, ...] = ()
    responses: tuple[ToolResponse, ...] = ()
    declared = declarations(root)
    said = "declaration"
    if not declared:
        said, calls, responses, _ = item(root, None) if "type" in members else ("call", (call(root),), (), ())
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=said,
        direction="server" if calls else "client",
        evidence=evidence,
        casing="snake",
        members=members,
        # Without a type, Responses or a client's own object might look the same.
        traits=frozenset({said, *(() if "type" in members else ("ambiguous",))}),
        calls=calls,
        responses=responses,
        declarations=declared,
        replaces_tools=bool(declared),
    )


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools that a session event, or a bare declaration, declares."""
    session = root.get("session")
    if session is not None:
        return definitions(session.get("tools"), ID)
    kind = string(root.get("type"))
    if kind == "function" or (kind is None and root.get("parameters") is not None):
        return (definition(root, ID),)
    return ()


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out one output per call and then the one request to go on, a JSON text a line."""
    outputs = [
        '{"type": "conversation.item.create", "item": {"type": "function_call_output", '
        f'"call_id": {quote(str(answer.id))}, "output": {spoken(answer)}}}}}'
        for answer in answers
    ]
    return "\n".join([*outputs, '{"type": "response.create"}'])


def heard(frame: Frame) -> list[Speech]:
    """Return what was said: the words of the model, and those of the user as they were understood."""
    found = SPEECH.get(string(frame.members.get("type")) or "")
    if found is None:
        return []
    who, field, whole = found
    text = string(frame.members.get(field))
    return [Speech(who, text, string(frame.members.get("item_id")), whole)] if text else []


DIALECT = Dialect(
    id=ID,
    title="OpenAI Realtime",
    words=Words("function_call", "arguments", "function_call_output"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    heard=heard,
    finished=turn_of,
    keys=frozenset({"type", "call_id", "parameters"}),
    events=EVENTS,
    flags_errors=False,
    rank=42,
)
