"""Pipecat RTVI: the messages by which a bot tells its client that a function runs, and when it stopped.

The bot runs the functions itself; the client only watches, so there is no answer to write.

Source: https://docs.pipecat.ai/client/rtvi-standard
"""

from __future__ import annotations

from dataclasses import replace

from app.arguments import from_object
from app.cursor import Cursor
from app.dialects import Dialect, Words
from app.dialects.wire import fields, is_true, text, tool_call, tool_response
from app.events import CallStart, Cancellation, Frame

ID = "pipecat-rtvi"

LABEL = "rtvi-ai"
STARTED = "llm-function-call-started"
RUNNING = "llm-function-call-in-progress"
STOPPED = "llm-function-call-stopped"


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise the label that every RTVI message bears."""
    label = root.get("label")
    if label is None or label.string != LABEL:
        return ()
    kind = root.get("type")
    return (label.pointer, kind.pointer) if kind is not None else (label.pointer,)


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one message. How much of a call it tells depends on the bot's report level."""
    members = fields(root)
    kind, at = text(members.get("type")), members.get("data") or root
    data = fields(members.get("data"))
    id_at, name_at = data.get("tool_call_id"), data.get("function_name")
    frame = Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="event",
        direction="server",
        evidence=evidence,
        casing="snake",
        members=members,
    )
    if kind == STARTED:
        known = text(id_at)
        start = CallStart(at, known, known, text(name_at), id_at, name_at)
        return replace(frame, kind="call-start", signals=(start,) if known is not None else ())
    if kind == RUNNING:
        called = tool_call(at, id_at, name_at, from_object(data.get("arguments")))
        return replace(frame, kind="call", calls=(replace(called, key=called.id),))
    if kind == STOPPED and is_true(data.get("cancelled")):
        known = text(id_at)
        cancelled = Cancellation(at, root.frame, id_at, () if known is None else (known,))
        return replace(frame, kind="cancellation", cancellations=(cancelled,))
    if kind == STOPPED:
        result = data.get("result")
        answer = tool_response(at, id_at, result, result, is_error=False, name_at=name_at)
        return replace(frame, kind="response", responses=(answer,))
    return frame


DIALECT = Dialect(
    id=ID,
    title="Pipecat RTVI",
    words=Words("function-call-in-progress", "arguments", "function-call-stopped"),
    recognise=recognise,
    decode=decode,
    flags_errors=False,
    keys=frozenset({"label"}),
)
