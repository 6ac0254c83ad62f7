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

    No key at its top names a message. Often an inner part was copied, or another
    program's log record stands around the frame. Paste the message itself.

    Bad:
        {"level": "info", "message": "tool call received"}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    if frame.at is None or frame.kind != "unknown":
        return  # unreadable, or a closed socket of which no dialect is known
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

    They are two message types, and no socket carries both in one message. Nothing in
    it can be trusted. Split the paste into two frames.

    Bad:
        {
          "toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]},
          "toolResponse": {"functionResponses": [
            {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
          ]}
        }
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
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

    The members of a message are a oneof; only usageMetadata may stand beside one. From
    a server it is a logger that merged frames. A client that sends two is refused by
    the parser, so there it is an error.

    Bad:
        {
          "toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]},
          "goAway": {"timeLeft": "9s"}
        }
    Good:
        {
          "toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]},
          "usageMetadata": {"totalTokenCount": 110}
        }
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

    toolCall and tool_call are one field. Two parsers may read two different calls, so
    nothing of the frame is safe. Keep one spelling.

    Bad:
        {
          "toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]},
          "tool_call": {"function_calls": [{"id": "c2", "name": "open_door", "args": {}}]}
        }
    Good:
        {"tool_call": {"function_calls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
    """
    for member in frame.twice:
        key = member.key or ""
        yield Hit(
            member, f"{key} stands here in two spellings, and is one field. Keep one.", key=key, at_key=True
        )


@rule("casing-mixed", INFO, on="frame", dialects=LIVE, needs=("mixed",), source=WIRE)
def casing_mixed(frame: Frame) -> Iterator[Hit]:
    """Both spellings occur in one frame, on different fields.

    The Python SDK writes such frames and the server takes them. There is nothing to
    do.

    Bad:
        {"tool_call": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
    """
    if frame.casing == "mixed" and frame.at is not None:
        yield Hit(frame.at, "Some keys are camelCase and some snake_case. The server takes both.")


@rule("null-padded", INFO, on="frame", dialects=LIVE, needs=("padded",))
def null_padded(frame: Frame) -> Iterator[Hit]:
    """Unset fields were dumped as null.

    model_dump_json() does so by default. In such a dump a null means absent; on the
    wire it does not. Send with exclude_none=True.

    Bad:
        {"setup_complete": null, "server_content": null, "tool_call": {
          "function_calls": [{"id": "c1", "name": "list_rooms", "args": {}}]
        }}
    Good:
        {"tool_call": {"function_calls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
    """
    if frame.null_padded and frame.at is not None:
        yield Hit(frame.at, "An SDK dump with its empty fields as null: each null is read as absent.")


@rule("frame-unknown-field", WARNING, on="frame", dialects=LIVE, needs=("strange",), source=WIRE)
def frame_unknown_field(frame: Frame) -> Iterator[Hit]:
    """A protocol object holds a field that this protocol does not have.

    It may be newer than the workbench, then it does no harm. It may also be guessed
    from another API, then what it was meant for is missing.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "arguments": {"room": "kitchen"}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
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

    There is nothing to run and nothing to answer. The whole frame is bad; do not guess
    what was meant.

    Bad:
        {"toolCall": {}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
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

    One prompt may ask for several calls, so the field is a list even for one. The
    whole frame is bad.

    Bad:
        {"toolCall": {"functionCalls":
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        }}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    calls = frame.calls_at
    if calls is not None and not calls.is_array and not calls.is_null:
        yield Hit(calls, "functionCalls must be an array, also for one call. Treat the whole frame as bad.")


@rule("calls-empty", ERROR, on="frame", dialects=LIVE, needs=("call",), source=WIRE, spoils_frame=True)
def calls_empty(frame: Frame) -> Iterator[Hit]:
    """The array functionCalls is empty.

    There is nothing to run and nothing to answer, and a client that waits for a call
    waits for ever. The whole frame is bad.

    Bad:
        {"toolCall": {"functionCalls": []}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    calls = frame.calls_at
    if calls is not None and calls.is_array and not len(calls):
        yield Hit(calls, "functionCalls is empty. There is nothing to run and nothing to answer.")


@rule("call-not-object", ERROR, on="frame", dialects=LIVE, needs=("call",), source=WIRE, spoils_frame=True)
def call_not_object(frame: Frame) -> Iterator[Hit]:
    """A call is no object.

    It has no id to answer, no name and no args. The whole frame is bad.

    Bad:
        {"toolCall": {"functionCalls": ["set_light"]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    calls = frame.calls_at
    if calls is not None and calls.is_array:
        for item in calls:
            if not item.is_object:
                yield Hit(item, "A call is an object with id, name and args. Treat the whole frame as bad.")


@rule("call-envelope", WARNING, on="frame", dialects=LIVE, needs=("call",), source=WIRE)
def call_envelope(frame: Frame) -> Iterator[Hit]:
    """A call, or a list of calls, has no toolCall around it.

    It is read, because people copy the inner part. On the wire it stands in
    toolCall.functionCalls.

    Bad:
        {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    if frame.kind == "call" and "toolCall" not in frame.members and frame.at is not None:
        yield Hit(
            frame.at,
            "A call outside of toolCall. It is read; on the wire it stands in toolCall.functionCalls.",
        )


@rule("call-in-content", WARNING, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def call_in_content(frame: Frame) -> Iterator[Hit]:
    """A call stands among the content parts of serverContent.

    Some deployments deliver a call there and again in toolCall, with one id. Run it
    once.

    Bad:
        {"serverContent": {"modelTurn": {"parts": [
          {"functionCall": {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}}
        ]}}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
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

    Such code has no id, so it cannot be answered, and without the code-execution tool
    nothing runs it. Do not run it yourself.

    Bad:
        {"serverContent": {"modelTurn": {"parts": [
          {"executableCode": {"language": "PYTHON", "code": "default_api.set_light(room='kitchen')"}}
        ]}}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    for part in _parts(frame, "serverContent", "modelTurn"):
        code = members(part).get("executableCode")
        inner = members(code).get("code") if code is not None else None
        if inner is not None and "default_api" in (inner.string or ""):
            yield Hit(inner, "The model wrote the call as code. It has no id, so it cannot be answered.")


@rule("response-envelope", ERROR, on="frame", dialects=LIVE, needs=("response", "clientContent"), source=WIRE)
def response_envelope(frame: Frame) -> Iterator[Hit]:
    """An answer stands outside of toolResponse.functionResponses.

    Live reads answers there and nowhere else: not bare, not under another API's name,
    not as a content part. The call stays open.

    Bad:
        {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
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

    They belong to the past: nobody runs them, and they answer no live call.

    Bad:
        {"clientContent": {"turns": [
          {"role": "model", "parts": [{"functionCall": {"name": "list_rooms", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"name": "list_rooms", "response": {"result": ["kitchen"]}}}
          ]}
        ]}}
    Good:
        {"clientContent": {"turns": [
          {"role": "user", "parts": [{"text": "Which rooms are there?"}]}
        ]}}
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
    """There is no answer where answers are expected.

    A toolResponse without functionResponses answers nothing. Put one entry per call
    there, also for a refused one.

    Bad:
        {"toolResponse": {}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
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
    """The field functionResponses is no array.

    The field is a list even for a single answer. Put brackets around it.

    Bad:
        {"toolResponse": {"functionResponses":
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        }}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    answers = frame.responses_at
    if answers is not None and not answers.is_array and not answers.is_null:
        yield Hit(answers, "functionResponses must be an array, also for one answer. Put brackets around it.")


@rule(
    "responses-empty", ERROR, on="frame", dialects=LIVE, needs=("response",), source=WIRE, spoils_frame=True
)
def responses_empty(frame: Frame) -> Iterator[Hit]:
    """The array functionResponses is empty.

    No call gets an answer. Put one entry per call there.

    Bad:
        {"toolResponse": {"functionResponses": []}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    answers = frame.responses_at
    if answers is not None and answers.is_array and not len(answers):
        yield Hit(answers, "functionResponses is empty. Put one entry per call there.")


@rule("response-entry-not-object", ERROR, on="frame", dialects=LIVE, needs=("response",), source=WIRE)
def response_entry_not_object(frame: Frame) -> Iterator[Hit]:
    """An entry of functionResponses is no object.

    It says neither which call it answers nor what came of it. An answer is an object
    with id, name and response.

    Bad:
        {"toolResponse": {"functionResponses": ["ok"]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    answers = frame.responses_at
    if answers is not None and answers.is_array:
        for item in answers:
            if not item.is_object:
                yield Hit(item, "An answer is an object with id, name and response.")


@rule("scheduling-wrong-level", ERROR, on="frame", dialects=LIVE, needs=("toolResponse",), source=WIRE)
def scheduling_wrong_level(frame: Frame) -> Iterator[Hit]:
    """Scheduling stands on toolResponse itself.

    The parser refuses the message. Scheduling belongs on each FunctionResponse, beside
    response.

    Bad:
        {"toolResponse": {
          "functionResponses": [
            {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
          ],
          "scheduling": "SILENT"
        }}
    Good:
        {"toolResponse": {
          "functionResponses": [
            {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}, "scheduling": "SILENT"}
          ]
        }}
    """
    at = frame.members.get("toolResponse")
    hint = at.get("scheduling") if at is not None else None
    if hint is not None:
        yield Hit(
            hint, "scheduling belongs on each FunctionResponse, beside response. Move it there.", at_key=True
        )


@rule("turn-malformed-call", ERROR, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def turn_malformed_call(frame: Frame) -> Iterator[Hit]:
    """The turn ended because the model's call was invalid.

    The call was never sent, so there is nothing to run and nothing to answer. Ask
    again.

    Bad:
        {"serverContent": {"turnComplete": true, "turnCompleteReason": "MALFORMED_FUNCTION_CALL"}}
    Good:
        {"serverContent": {"turnComplete": true, "turnCompleteReason": "NEED_MORE_INPUT"}}
    """
    reason = _content_field(frame, "turnCompleteReason")
    if reason is not None and reason.string == "MALFORMED_FUNCTION_CALL":
        yield Hit(
            reason, "The model's call was malformed and never sent. There is nothing to answer; ask again."
        )


@rule("turn-not-done", INFO, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def turn_not_done(frame: Frame) -> Iterator[Hit]:
    """A turnComplete says IN_PROGRESS.

    An utterance ended and the interaction goes on: with extended thinking turnComplete
    comes several times. Only IDLE ends it.

    Bad:
        {"serverContent": {"turnComplete": true, "interactionStatus": "IN_PROGRESS"}}
    Good:
        {"serverContent": {"turnComplete": true, "interactionStatus": "IDLE"}}
    """
    status = _content_field(frame, "interactionStatus")
    if status is not None and status.string == "IN_PROGRESS":
        yield Hit(status, "The utterance ended, the interaction did not. Wait for IDLE.")


@rule("status-deprecated", INFO, on="frame", dialects=LIVE, needs=("serverContent",), source=WIRE)
def status_deprecated(frame: Frame) -> Iterator[Hit]:
    """The status REQUIRES_ACTION is deprecated.

    IDLE says the same. Read it as the end of the interaction, and do not wait for
    REQUIRES_ACTION.

    Bad:
        {"serverContent": {"turnComplete": true, "interactionStatus": "REQUIRES_ACTION"}}
    Good:
        {"serverContent": {"turnComplete": true, "interactionStatus": "IDLE"}}
    """
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
    """A toolCallCancellation holds no list of id strings.

    It cancels nothing, and calls that should stop run on. ids is an array of the ids
    as they stood in the calls.

    Bad:
        {"toolCallCancellation": {"ids": "c1"}}
    Good:
        {"toolCallCancellation": {"ids": ["c1"]}}
    """
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
