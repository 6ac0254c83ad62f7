"""Rules over one message of OpenAI's interfaces: its shape, and what the service says of another."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.openai_parts import CHAT, REALTIME, string
from app.dialects.openai_realtime import ACTIVE
from app.dialects.wire import objects
from app.events import Frame, ServerError, ToolCall
from app.model import Options
from app.rules import ERROR, INFO, WARNING, Hit, rule
from app.rules.openai_calls import OPENAI

CLIENT = "https://platform.openai.com/docs/api-reference/realtime-client-events"
SERVER = "https://platform.openai.com/docs/api-reference/realtime-server-events/error"
STREAM = "https://platform.openai.com/docs/api-reference/chat-streaming"
CHOICE = "https://platform.openai.com/docs/guides/function-calling#tool-choice"
WORDS = "https://ai.google.dev/gemini-api/docs/audio"
LIVE_SETUP = "https://ai.google.dev/api/live#BidiGenerateContentSetup"
GUIDE = "https://platform.openai.com/docs/guides/realtime"

BETA = (
    "modalities",
    "voice",
    "input_audio_format",
    "output_audio_format",
    "input_audio_transcription",
    "turn_detection",
    "temperature",
    "max_response_output_tokens",
)
"""Fields of a session that only the retired beta has at the top."""
ORPHANED = "invalid_tool_call_id"
NOT_ACTIVE = "response_cancel_not_active"
NAMED_ELSEWHERE = frozenset({ACTIVE, ORPHANED, NOT_ACTIVE})
FOREIGN_MODES = {
    "toolConfig": "Gemini's generateContent",
    "tool_config": "Gemini's generateContent",
    "functionCallingConfig": "Gemini's generateContent",
    "function_calling_config": "Gemini's generateContent",
    "behavior": "Gemini Live",
    "scheduling": "Gemini Live",
    "proactivity": "Gemini Live",
    "responseModalities": "Gemini",
    "response_modalities": "Gemini",
}
"""Fields by which another interface says how tools are called or when the model speaks."""
OPENAI_MODES = {
    "tool_choice": "OpenAI and Anthropic",
    "toolChoice": "OpenAI and Anthropic",
    "parallel_tool_calls": "OpenAI",
    "parallelToolCalls": "OpenAI",
    "modalities": "OpenAI Realtime",
    "output_modalities": "OpenAI Realtime",
    "turn_detection": "OpenAI Realtime",
}


@rule("dialect-ambiguous", INFO, on="frame", needs=("ambiguous",))
def dialect_ambiguous(frame: Frame) -> Iterator[Hit]:
    """The frame could be of several wire formats, and nothing around it says which.

    A bare output looks the same in Responses and in Realtime, where a list is refused. The
    format named here is a default. Paste the frames around it, or choose the dialect.

    Bad:
        {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    """
    if frame.at is not None:
        others = f", as it might be {' or '.join(frame.rivals)}" if frame.rivals else ""
        yield Hit(frame.at, f"Read as {frame.dialect}{others}. Paste what stands around it, or choose.")


@rule(
    "session-type-missing", ERROR, on="frame", dialects=(REALTIME,), needs=("session.update",), source=CLIENT
)
def session_type_missing(frame: Frame) -> Iterator[Hit]:
    """A session.update does not say what kind of session it is.

    The service leaves the socket open and applies nothing, so no tool is known to the
    model. Add "type": "realtime".

    Bad:
        {"type": "session.update", "session": {"tools": []}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "tools": []}}
    """
    session = frame.members.get("session")
    if session is not None and session.is_object and session.get("type") is None:
        yield Hit(session, 'No type, so nothing of it is applied. Add "type": "realtime".', key="type")


@rule(
    "beta-shape",
    ERROR,
    on="frame",
    dialects=(REALTIME,),
    needs=("session.update", "response.create"),
    source=GUIDE,
)
def beta_shape(frame: Frame) -> Iterator[Hit]:
    """A field has the place that it had in the retired beta.

    modalities is output_modalities now, voice and the audio formats stand under audio,
    max_response_output_tokens is max_output_tokens. The service refuses the old shape.

    Bad:
        {"type": "session.update", "session": {"type": "realtime", "modalities": ["text"]}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "output_modalities": ["text"]}}
    """
    at = frame.members.get("session") or frame.members.get("response")
    for key in BETA if at is not None else ():
        member = at.get(key) if at is not None else None
        if member is not None:
            yield Hit(member, f"{key} is of the retired beta. {_now(key)}", key=key, at_key=True)


def _now(key: str) -> str:
    if key == "modalities":
        return "It is called output_modalities."
    if key == "max_response_output_tokens":
        return "It is called max_output_tokens."
    return "Remove it." if key == "temperature" else "It stands under audio now."


@rule("followup-shape", ERROR, on="frame", dialects=(REALTIME,), needs=("response.create",), source=CLIENT)
def followup_shape(frame: Frame) -> Iterator[Hit]:
    """The response of a response.create is no object.

    R and PHP write an empty list where an empty object is meant, and the service refuses
    the event. Leave response out, or send an object.

    Bad:
        {"type": "response.create", "response": []}
    Good:
        {"type": "response.create"}
    """
    at = frame.members.get("response")
    if at is not None and not at.is_object:
        yield Hit(at, "response must be an object. Leave it out where nothing is set.")


def _errors(frame: Frame) -> Iterator[ServerError]:
    return (signal for signal in frame.signals if isinstance(signal, ServerError))


@rule("followup-while-active", ERROR, on="frame", dialects=(REALTIME,), needs=("error",), source=SERVER)
def error_active(frame: Frame) -> Iterator[Hit]:
    """The service refused a response.create, because a response was active.

    One response at a time may be active in the conversation. Wait for response.done, send
    all outputs of the turn, and then one response.create.

    Bad:
        {"type": "error", "event_id": "event_5", "error": {"type": "invalid_request_error",
         "code": "conversation_already_has_active_response", "message": "A response is active."}}
    Good:
        {"type": "response.done", "event_id": "event_5",
         "response": {"id": "resp_1", "object": "realtime.response", "status": "completed", "output": []}}
    """
    for error in _errors(frame):
        if error.code == ACTIVE:
            yield Hit(
                error.at, "A response was active. Wait for response.done, then send one response.create."
            )


@rule("response-orphan", ERROR, on="frame", dialects=(REALTIME,), needs=("error",), source=SERVER)
def error_orphan(frame: Frame) -> Iterator[Hit]:
    """The service knows no call with the id of an output.

    The id was changed or minted, or the item was deleted. Copy call_id from the call.

    Bad:
        {"type": "error", "event_id": "event_5", "error": {"type": "invalid_request_error",
         "code": "invalid_tool_call_id", "message": "No such call."}}
    Good:
        {"type": "conversation.item.added", "event_id": "event_5", "item": {"id": "item_2",
         "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    """
    for error in _errors(frame):
        if error.code == ORPHANED:
            yield Hit(error.at, "The conversation holds no call with this id. Copy call_id from the call.")


@rule("cancel-not-active", WARNING, on="frame", dialects=(REALTIME,), needs=("error",), source=SERVER)
def cancel_not_active(frame: Frame) -> Iterator[Hit]:
    """A response.cancel came when no response was active.

    It does no harm: the response had ended in the meantime. Ignore this error.

    Bad:
        {"type": "error", "event_id": "event_5", "error": {"type": "invalid_request_error",
         "code": "response_cancel_not_active", "message": "Nothing to cancel."}}
    Good:
        {"type": "response.done", "event_id": "event_5",
         "response": {"id": "resp_1", "object": "realtime.response", "status": "cancelled", "output": []}}
    """
    for error in _errors(frame):
        if error.code == NOT_ACTIVE:
            yield Hit(error.at, "No response was active any more. This error does no harm.")


@rule("server-error", ERROR, on="frame", dialects=OPENAI, needs=("error",), source=SERVER)
def server_error(frame: Frame) -> Iterator[Hit]:
    """The service refuses what was sent.

    Its message says what. An event that is refused has no effect at all: a refused
    session.update registers no tool.

    Bad:
        {"type": "error", "event_id": "event_5", "error": {"type": "invalid_request_error",
         "code": "unknown_parameter", "message": "Unknown parameter: 'session.tools[0].meta'."}}
    Good:
        {"type": "session.updated", "event_id": "event_5", "session": {"type": "realtime", "tools": []}}
    """
    for error in _errors(frame):
        if error.code not in NAMED_ELSEWHERE:
            inner = error.at.get("error")
            said = string((inner if inner is not None and inner.is_object else error.at).get("message")) or ""
            yield Hit(
                error.at, f"The service refuses this: {said[:200] or error.code or 'it does not say why'}"
            )


@rule("delta-index-missing", ERROR, on="frame", dialects=(CHAT,), needs=("call-delta",), source=STREAM)
def delta_index_missing(frame: Frame) -> Iterator[Hit]:
    """A fragment of a call has no index, so it cannot be told whose it is.

    Parallel calls are streamed side by side, each under its own index. Without it, the
    fragments of two calls are glued together. Fix the gateway.

    Bad:
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"id": "call_1", "function": {"name": "list_rooms", "arguments": "{}"}}]}}]}
    Good:
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 0, "id": "call_1", "function": {"name": "list_rooms", "arguments": "{}"}}]}}]}
    """
    for at in _fragments(frame):
        if at.get("index") is None:
            yield Hit(at, "No index, so nobody knows to which call this belongs.", key="index")


@rule("delta-index-shared", WARNING, on="call", dialects=(CHAT,), source=STREAM)
def delta_index_shared(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A second call is streamed under the index of a call that is still open.

    Here the ids tell the two apart. Clients that join fragments by their index alone, as
    the format means it, glue the args of both together, and lose a call. Fix the gateway.

    Bad:
        {"id": "x1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 0, "id": "call_1", "function": {"name": "list_rooms", "arguments": "{}"}}]}}]}
        {"id": "x1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 0, "id": "call_2", "function": {"name": "list_rooms", "arguments": "{}"}}]},
          "finish_reason": "tool_calls"}]}
    Good:
        {"id": "x1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 0, "id": "call_1", "function": {"name": "list_rooms", "arguments": "{}"}}]}}]}
        {"id": "x1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 1, "id": "call_2", "function": {"name": "list_rooms", "arguments": "{}"}}]},
          "finish_reason": "tool_calls"}]}
    """
    if call.crowded is not None:
        yield Hit(call.crowded, "Another call is open under this index. Give each its own.", call_id=call.id)


@rule("delta-empty-identity", WARNING, on="frame", dialects=(CHAT,), needs=("call-delta",), source=STREAM)
def delta_empty_identity(frame: Frame) -> Iterator[Hit]:
    r"""A later fragment of a call has an empty id or name.

    Only the first one names the call; gateways fill the others with empty texts. Take them
    for absent, or the identity is overwritten.

    Bad:
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 0, "id": "", "function": {"name": "", "arguments": "{\"room\":"}}]}}]}
    Good:
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
          {"index": 0, "function": {"arguments": "{\"room\":"}}]}}]}
    """
    for at in _fragments(frame):
        inner = at.get("function")
        names = (at.get("id"), inner.get("name") if inner is not None else None)
        empty = next((each for each in names if each is not None and each.string == ""), None)
        if empty is not None:
            yield Hit(empty, f"An empty {empty.key} means absent: keep that of the first fragment.")


def _fragments(frame: Frame) -> Iterator[Cursor]:
    for choice in objects(frame.members.get("choices")):
        delta = choice.get("delta")
        yield from objects(delta.get("tool_calls")) if delta is not None else ()


@rule("tool-choice-forces-call", INFO, on="frame", dialects=OPENAI, source=CHOICE)
def tool_choice_forces_call(frame: Frame) -> Iterator[Hit]:
    """The tool choice lets no text answer through.

    With required, or with one tool named, the model must call a tool in every turn, also
    when it has nothing left to do. Set it for one turn, then auto again.

    Bad:
        {"type": "session.update", "session": {"type": "realtime", "tool_choice": "required"}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "tool_choice": "auto"}}
    """
    for at in _settings(frame):
        choice = at.get("tool_choice")
        if choice is not None and (
            choice.string == "required" or string(choice.get("type")) in ("function", "custom", "any", "tool")
        ):
            yield Hit(choice, "With this tool choice the model cannot answer in words.")


@rule("mode-foreign", WARNING, on="frame", dialects=OPENAI, source=CHOICE)
def mode_foreign(frame: Frame) -> Iterator[Hit]:
    """A field says how tools are called in the words of another interface.

    This one ignores or refuses it. Here tool_choice is auto, none, required, or an object
    that names a function.

    Bad:
        {"type": "session.update", "session": {"type": "realtime", "tool_choice": {"type": "any"}}}
    Good:
        {"type": "session.update", "session": {"type": "realtime", "tool_choice": "required"}}
    """
    for at in _settings(frame):
        for member in at:
            owner = FOREIGN_MODES.get(member.key or "")
            if owner is not None:
                yield Hit(member, f"{member.key} is of {owner}. Here it is tool_choice.", at_key=True)
        choice = at.get("tool_choice")
        kind = string(choice.get("type")) if choice is not None else None
        if choice is not None and kind in ("any", "auto", "tool"):
            here = "required" if kind == "any" else "auto" if kind == "auto" else '{"type": "function", ...}'
            yield Hit(choice, f"A tool choice of type {kind} is of Anthropic Messages. Here it is {here}.")
        elif choice is not None and kind == "function" and frame.dialect != CHAT and choice.get("function"):
            yield Hit(choice, "A name under function is of Chat Completions. Here it stands beside type.")


@rule("mode-foreign", WARNING, on="frame", dialects=("gemini-live",), needs=("setup",), source=LIVE_SETUP)
def mode_foreign_to_live(frame: Frame) -> Iterator[Hit]:
    """A Gemini Live setup says how tools are called in the words of OpenAI's interfaces.

    Live ignores or refuses it. Whether the model waits for a tool is said by `behavior` of
    its declaration, what it answers in by `responseModalities`.

    Bad:
        {"setup": {"model": "models/gemini-3.8-live", "tool_choice": "required"}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live"}}
    """
    setup = frame.members["setup"]
    for member in setup:
        owner = OPENAI_MODES.get(member.key or "")
        if owner is not None:
            yield Hit(member, f"{member.key} is of {owner}. Gemini Live does not know it.", at_key=True)


def _settings(frame: Frame) -> Iterator[Cursor]:
    """Yield the objects of a message in which a client says how the model shall work."""
    if frame.direction != "client" or frame.at is None:
        return
    if frame.dialect == REALTIME:
        for key in ("session", "response"):
            at = frame.members.get(key)
            if at is not None and at.is_object:
                yield at
    elif "request" in frame.traits:
        yield frame.at


@rule("transcript", INFO, on="frame", dialects=("transcript",), source=WORDS)
def transcript(frame: Frame) -> Iterator[Hit]:
    """A transcript was pasted, not a tool call.

    It tells words and when they were said. A word that reads like the name of a tool calls
    nothing: a call comes as an object with id, name and args.

    Bad:
        {"text": "turn on the light", "words": [{"word": "turn", "startOffset": "0.2s"}]}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    if frame.at is not None:
        yield Hit(frame.at, "A transcript, not a tool call. Its words call nothing.")
