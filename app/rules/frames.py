"""Rules over a frame as a whole: whether it is one, and keeps its envelope."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.gemini_live import CLIENT_MEMBERS, SERVER_MEMBERS
from app.dialects.gemini_schema import camel, members
from app.events import Frame
from app.rules import ERROR, INFO, WARNING, Hit, rule

LIVE = ("gemini-live",)
WIRE = "https://ai.google.dev/api/live"
TOOLS = "https://ai.google.dev/gemini-api/docs/live-tools"

NEAR_MISSES = {
    "functionCallId": "id",
    "functionName": "name",
    "callId": "id",
    "toolCallId": "id",
    "arguments": "args",
    "input": "args",
    "parameters": "args",
    "output": "response",
    "result": "response",
    "content": "response",
}


@rule("unknown-frame", ERROR, on="frame", dialects=("unknown",), spoils_frame=True)
def unknown_frame(frame: Frame) -> Iterator[Hit]:
    """The JSON is no frame of a known dialect.

    No key of it names a message. Often an inner part was copied, or another
    program's log record around the frame.
    """
    if frame.at is None:
        return
    if not frame.at.is_object:
        yield Hit(frame.at, "A frame is a JSON object. Paste the whole message, not a part of it.")
    elif not frame.at.keys:
        yield Hit(
            frame.at, "An empty object is no frame. Paste a message with toolCall or toolResponse at its top."
        )
    else:
        shown = ", ".join(frame.at.keys[:4])
        yield Hit(
            frame.at,
            f"No known frame has these keys at its top: {shown}. "
            "Paste the message itself, with toolCall or toolResponse at its top.",
        )


@rule(
    "frame-direction-mixed",
    ERROR,
    on="frame",
    dialects=LIVE,
    needs=("several",),
    source=WIRE,
    spoils_frame=True,
)
def frame_direction_mixed(frame: Frame) -> Iterator[Hit]:
    """A server half and a client half stand in one object.

    They are two message types; no socket carries both in one message. Split
    the paste into two frames.
    """
    server = [key for key in frame.members if key in SERVER_MEMBERS]
    client = [key for key in frame.members if key in CLIENT_MEMBERS]
    if server and client:
        yield Hit(
            frame.members[client[0]],
            f"{server[0]} comes from the server and {client[0]} from the client. Paste them as two frames.",
            at_key=True,
        )


@rule("frame-multi-kind", WARNING, also=(ERROR,), on="frame", dialects=LIVE, needs=("several",), source=WIRE)
def frame_multi_kind(frame: Frame) -> Iterator[Hit]:
    """More than one message stands in a frame that may hold one.

    The members are a oneof. From a server it is a logger that merged frames; a
    client that sends two is refused by the parser.
    """
    for side, severity in ((SERVER_MEMBERS, WARNING), (CLIENT_MEMBERS, ERROR)):
        present = [key for key in frame.members if key in side]
        if len(present) > 1 and frame.direction is not None:
            yield Hit(
                frame.members[present[1]],
                f"{' and '.join(present)} in one frame: a message holds exactly one. Split it.",
                at_key=True,
                severity=severity,
            )


@rule("casing-both", ERROR, on="frame", dialects=LIVE, needs=("twice",), source=WIRE, spoils_frame=True)
def casing_both(frame: Frame) -> Iterator[Hit]:
    """One field stands twice, once in each spelling.

    Two parsers may read two different calls, so nothing of the frame is safe.
    """
    for member in frame.twice:
        key = member.key or ""
        yield Hit(
            member, f"{key} stands here in two spellings, and is one field. Keep one.", key=key, at_key=True
        )


@rule("casing-mixed", INFO, on="frame", dialects=LIVE, needs=("mixed",), source=WIRE)
def casing_mixed(frame: Frame) -> Iterator[Hit]:
    """Both spellings occur in one frame, on different fields.

    The Python SDK writes such frames and the server takes them; nothing to do.
    """
    if frame.casing == "mixed" and frame.at is not None:
        yield Hit(frame.at, "Some keys are camelCase and some snake_case. The server takes both.")


@rule("null-padded", INFO, on="frame", dialects=LIVE, needs=("padded",))
def null_padded(frame: Frame) -> Iterator[Hit]:
    """Unset fields were dumped as null, as model_dump_json() does by default.

    In such a dump a null means absent. On the wire it does not; send with
    exclude_none=True.
    """
    if frame.null_padded and frame.at is not None:
        yield Hit(frame.at, "An SDK dump with its empty fields as null: each null is read as absent.")


@rule("frame-unknown-field", WARNING, on="frame", dialects=LIVE, needs=("strange",), source=WIRE)
def frame_unknown_field(frame: Frame) -> Iterator[Hit]:
    """A protocol object holds a field that this protocol does not have.

    It may be newer than the workbench, then it does no harm. It may also be
    guessed from another API, then what it was meant for is missing.
    """
    for member in frame.strange:
        key = member.key or ""
        near = NEAR_MISSES.get(camel(key))
        advice = (
            f"Here it is called {near}." if near is not None else "If it is newer than this list, leave it."
        )
        yield Hit(member, f"{key} is no field of this message. {advice}", key=key, at_key=True)


@rule("calls-missing", ERROR, on="frame", dialects=LIVE, needs=("toolCall",), source=WIRE, spoils_frame=True)
def calls_missing(frame: Frame) -> Iterator[Hit]:
    """A toolCall holds no functionCalls.

    There is nothing to run and nothing to answer. The whole frame is bad; do
    not guess what was meant.
    """
    at = frame.members.get("toolCall")
    if at is None:
        return
    calls = frame.calls_at
    if calls is None or calls.is_null:
        yield Hit(
            calls or at,
            "toolCall has no functionCalls. Treat the whole frame as bad and do not guess.",
            key="functionCalls",
        )


@rule("calls-not-array", ERROR, on="frame", dialects=LIVE, needs=("call",), source=WIRE, spoils_frame=True)
def calls_not_array(frame: Frame) -> Iterator[Hit]:
    """The field functionCalls is no array.

    One prompt may ask for several calls, so the field is a list even for one.
    """
    calls = frame.calls_at
    if calls is not None and not calls.is_array and not calls.is_null:
        yield Hit(calls, "functionCalls must be an array, also for one call. Treat the whole frame as bad.")


@rule("calls-empty", ERROR, on="frame", dialects=LIVE, needs=("call",), source=WIRE, spoils_frame=True)
def calls_empty(frame: Frame) -> Iterator[Hit]:
    """The array functionCalls is empty: nothing to run, nothing to answer."""
    calls = frame.calls_at
    if calls is not None and calls.is_array and not len(calls):
        yield Hit(calls, "functionCalls is empty. There is nothing to run and nothing to answer.")


@rule("call-not-object", ERROR, on="frame", dialects=LIVE, needs=("call",), source=WIRE, spoils_frame=True)
def call_not_object(frame: Frame) -> Iterator[Hit]:
    """An entry of functionCalls is no object, so it has no id, name and args."""
    calls = frame.calls_at
    if calls is not None and calls.is_array:
        for item in calls:
            if not item.is_object:
                yield Hit(item, "A call is an object with id, name and args. Treat the whole frame as bad.")


@rule("call-envelope", WARNING, on="frame", dialects=LIVE, needs=("call",), source=WIRE)
def call_envelope(frame: Frame) -> Iterator[Hit]:
    """A call, or a list of calls, without the toolCall around it.

    It is read, because people copy the inner part. On the wire it stands in
    toolCall.
    """
    if frame.kind == "call" and "toolCall" not in frame.members and frame.at is not None:
        yield Hit(
            frame.at,
            "A call outside of toolCall. It is read; on the wire it stands in toolCall.functionCalls.",
        )


@rule("call-in-content", WARNING, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def call_in_content(frame: Frame) -> Iterator[Hit]:
    """A call stands among the content parts of serverContent.

    Some deployments deliver a call there and in toolCall, with one id. Run it
    once.
    """
    for call in frame.calls:
        if call.in_content:
            yield Hit(
                call.at,
                "This call came as a content part. It may come again in toolCall; run it once.",
                call_id=call.id,
            )


@rule("call-as-code", WARNING, on="frame", dialects=LIVE, needs=("serverContent",), source=TOOLS)
def call_as_code(frame: Frame) -> Iterator[Hit]:
    """The model wrote a call as executable code.

    Such code has no id, so it cannot be answered. Without the code-execution
    tool nothing runs it.
    """
    for part in _parts(frame, "serverContent", "modelTurn"):
        code = members(part).get("executableCode")
        inner = members(code).get("code") if code is not None else None
        if inner is not None and "default_api" in (inner.string or ""):
            yield Hit(inner, "The model wrote the call as code. It has no id, so it cannot be answered.")


@rule("response-envelope", ERROR, on="frame", dialects=LIVE, needs=("response", "clientContent"), source=WIRE)
def response_envelope(frame: Frame) -> Iterator[Hit]:
    """An answer stands outside of toolResponse.functionResponses.

    Live reads answers there and nowhere else: not bare, not under another
    API's name, not as a content part.
    """
    if frame.kind == "response" and "toolResponse" not in frame.members and frame.at is not None:
        yield Hit(
            frame.at,
            'An answer must stand in {"toolResponse": {"functionResponses": [...]}}. Put it there.',
        )
    if _content_has(frame, "functionResponse") and not _content_has(frame, "functionCall"):
        for part in _turn_parts(frame):
            answer = members(part).get("functionResponse")
            if answer is not None:
                yield Hit(
                    answer,
                    "clientContent is no place for an answer. Send it in toolResponse.functionResponses.",
                )


@rule("history-tool-parts", INFO, on="frame", dialects=LIVE, needs=("clientContent",), source=WIRE)
def history_tool_parts(frame: Frame) -> Iterator[Hit]:
    """A clientContent seeds history that holds calls and their answers.

    They belong to the past: nobody runs them and they answer no live call.
    """
    if _content_has(frame, "functionCall"):
        yield Hit(
            frame.members["clientContent"],
            "Seeded history with tool parts. They answer no live call.",
            at_key=True,
        )


@rule(
    "responses-missing",
    ERROR,
    on="frame",
    dialects=LIVE,
    needs=("toolResponse",),
    source=WIRE,
    spoils_frame=True,
)
def responses_missing(frame: Frame) -> Iterator[Hit]:
    """A toolResponse without functionResponses answers nothing.

    Put one entry per call there, also for a refused one.
    """
    at = frame.members.get("toolResponse")
    if at is None:
        return
    answers = frame.responses_at
    if answers is None or answers.is_null:
        yield Hit(
            at,
            "toolResponse has no functionResponses. Put one entry per call there.",
            key="functionResponses",
        )


@rule(
    "responses-not-array",
    ERROR,
    on="frame",
    dialects=LIVE,
    needs=("response",),
    source=WIRE,
    spoils_frame=True,
)
def responses_not_array(frame: Frame) -> Iterator[Hit]:
    """The field functionResponses is no array; it is one even for a single answer."""
    answers = frame.responses_at
    if answers is not None and not answers.is_array and not answers.is_null:
        yield Hit(answers, "functionResponses must be an array, also for one answer. Put brackets around it.")


@rule(
    "responses-empty", ERROR, on="frame", dialects=LIVE, needs=("response",), source=WIRE, spoils_frame=True
)
def responses_empty(frame: Frame) -> Iterator[Hit]:
    """The array functionResponses is empty: no call gets an answer."""
    answers = frame.responses_at
    if answers is not None and answers.is_array and not len(answers):
        yield Hit(answers, "functionResponses is empty. Put one entry per call there.")


@rule("response-entry-not-object", ERROR, on="frame", dialects=LIVE, needs=("response",), source=WIRE)
def response_entry_not_object(frame: Frame) -> Iterator[Hit]:
    """An entry of functionResponses is no object."""
    answers = frame.responses_at
    if answers is not None and answers.is_array:
        for item in answers:
            if not item.is_object:
                yield Hit(item, "An answer is an object with id, name and response.")


@rule("scheduling-wrong-level", ERROR, on="frame", dialects=LIVE, needs=("toolResponse",), source=WIRE)
def scheduling_wrong_level(frame: Frame) -> Iterator[Hit]:
    """Scheduling stands on toolResponse itself, where the parser refuses it."""
    at = frame.members.get("toolResponse")
    hint = at.get("scheduling") if at is not None else None
    if hint is not None:
        yield Hit(
            hint, "scheduling belongs on each FunctionResponse, beside response. Move it there.", at_key=True
        )


@rule("turn-malformed-call", ERROR, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def turn_malformed_call(frame: Frame) -> Iterator[Hit]:
    """The turn ended because the generated call was invalid. There is no call to answer."""
    reason = _content_field(frame, "turnCompleteReason")
    if reason is not None and reason.string == "MALFORMED_FUNCTION_CALL":
        yield Hit(
            reason, "The model's call was malformed and never sent. There is nothing to answer; ask again."
        )


@rule("turn-not-done", INFO, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def turn_not_done(frame: Frame) -> Iterator[Hit]:
    """A turnComplete with IN_PROGRESS: an utterance ended, the interaction goes on until IDLE."""
    status = _content_field(frame, "interactionStatus")
    if status is not None and status.string == "IN_PROGRESS":
        yield Hit(status, "The utterance ended, the interaction did not. Wait for IDLE.")


@rule("status-deprecated", INFO, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def status_deprecated(frame: Frame) -> Iterator[Hit]:
    """The status REQUIRES_ACTION is deprecated; IDLE says the same."""
    status = _content_field(frame, "interactionStatus")
    if status is not None and status.string == "REQUIRES_ACTION":
        yield Hit(status, "REQUIRES_ACTION is deprecated. Read IDLE as the end of the interaction.")


def _content_field(frame: Frame, key: str) -> Cursor | None:
    content = frame.members.get("serverContent")
    return members(content).get(key) if content is not None else None


def _parts(frame: Frame, member: str, turn: str) -> Iterator[Cursor]:
    content = frame.members.get(member)
    inner = members(content).get(turn) if content is not None else None
    parts = members(inner).get("parts") if inner is not None else None
    if parts is not None and parts.is_array:
        yield from (part for part in parts if part.is_object)


def _turn_parts(frame: Frame) -> Iterator[Cursor]:
    content = frame.members.get("clientContent")
    turns = members(content).get("turns") if content is not None else None
    if turns is None:
        return
    for turn in turns if turns.is_array else [turns]:
        parts = members(turn).get("parts")
        if parts is not None and parts.is_array:
            yield from (part for part in parts if part.is_object)


def _content_has(frame: Frame, key: str) -> bool:
    return any(key in members(part) for part in _turn_parts(frame))


@rule("cancel-ids-invalid", ERROR, on="frame", dialects=LIVE, needs=("toolCallCancellation",), source=WIRE)
def cancel_ids_invalid(frame: Frame) -> Iterator[Hit]:
    """A toolCallCancellation without a list of id strings cancels nothing."""
    for cancellation in frame.cancellations:
        ids = cancellation.ids_at
        if ids is None or ids.is_null:
            yield Hit(cancellation.at, "toolCallCancellation has no ids. It cancels nothing.", key="ids")
        elif not ids.is_array:
            yield Hit(ids, "ids must be an array of id strings.")
        elif not len(ids):
            yield Hit(ids, "ids is empty. It cancels nothing.")
        else:
            for item in ids:
                if not item.string:
                    yield Hit(item, "An id is a non-empty string, as it stood in the call.")
