"""Rules over a whole session of OpenAI's interfaces: who asks the model to go on, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.course import Course
from app.cursor import Cursor
from app.dialects.openai_parts import CHAT, REALTIME, RESPONSES
from app.dialects.openai_realtime import ACTIVE
from app.events import (
    Close,
    FollowUp,
    Frame,
    Happening,
    Message,
    Open,
    ServerError,
    ToolResponse,
    TurnEnd,
    TurnStart,
    happenings,
)
from app.ledger import Event, Step
from app.rules import ERROR, INFO, WARNING, Hit, rule

CREATE = "https://platform.openai.com/docs/api-reference/realtime-client-events/response/create"
CALLS = "https://platform.openai.com/docs/guides/realtime-conversations#function-calling"
CHAT_CALLS = "https://platform.openai.com/docs/guides/function-calling"
CHAIN = "https://platform.openai.com/docs/guides/conversation-state"

NEWS = frozenset({"turn", "response", "input_audio_buffer.commit", "input_audio_buffer.speech_stopped"})
"""Traits of frames that give the model something new to speak of."""
CHANGES = frozenset({"call-hosted", "session.update"})
"""Traits of frames after which it may be asked once more, though nobody said anything."""


@dataclass(slots=True)
class _Faults:
    """What is wrong with the follow-ups of one session, by code."""

    active: list[Cursor] = field(default_factory=list)
    early: list[tuple[Cursor, int]] = field(default_factory=list)
    duplicate: list[Cursor] = field(default_factory=list)
    missing: list[Cursor] = field(default_factory=list)


class _Loop:
    """Follows one session: which response is active, which follow-up is asked for, which is owed."""

    def __init__(self, course: Course) -> None:
        self.faults = _Faults()
        self._answered = {
            id(step.response): step
            for step in course.steps
            if step.response is not None and step.code is None and step.entry.call is not None
        }
        self._ended: set[str | None] = set()
        self._active: str | None = None
        self._is_active = False
        self._asked = self._ever = self._news = self._changed = False
        self._owed: dict[int, Step] = {}
        self._asked_for: dict[int, Step] = {}
        """What the follow-up that was asked for is to speak of; owed again where it is refused."""
        for frame, open_calls in course.walk():
            if not NEWS.isdisjoint(frame.traits):
                self._news = True
            if not CHANGES.isdisjoint(frame.traits):
                self._changed = True
            for each in happenings(frame):
                self._receive(frame, each, len(open_calls))
        self._settle(len(list(course.ledger.pending())))

    def _receive(self, frame: Frame, each: Happening, open_calls: int) -> None:
        match each:
            case TurnStart(out_of_band=False):
                self._active, self._is_active = each.turn, True
                self._news = self._news and self._asked  # a response that nobody asked for speaks of the news
                self._asked = False
                self._owed.clear()  # whoever asked for it, it speaks of what was answered
            case TurnEnd():
                self._ended.add(each.turn)
                if each.status != "completed":
                    self._changed = True  # it was cut short
                if self._is_active and each.turn == self._active:
                    self._is_active = False
                self._asked = False
            case ToolResponse() if (step := self._answered.get(id(each))) is not None:
                self._owed[id(each)] = step
            case FollowUp(out_of_band=False):
                self._follow_up(each, frame, open_calls)
            case ServerError() if each.code == ACTIVE and self._asked:
                self._asked = False
                self._owed.update(self._asked_for)
            case Close() | Open():
                self._is_active = self._asked = self._ever = False
                self._owed.clear()

    def _follow_up(self, signal: FollowUp, frame: Frame, open_calls: int) -> None:
        if self._is_active or self._asked:
            self.faults.active.append(signal.at)
            if self._asked:
                self.faults.duplicate.append(signal.at)
            return
        if open_calls and (self._owed or not self._news):
            self.faults.early.append((signal.at, open_calls))
        elif self._ever and not self._news and not self._changed and "response" not in frame.members:
            self.faults.duplicate.append(signal.at)
        self._asked = self._ever = True
        self._news = self._changed = False
        self._asked_for, self._owed = self._owed, {}

    def _settle(self, open_calls: int) -> None:
        """Say what is owed at the end: a follow-up to outputs, once their turn is over and all are sent."""
        done = [
            step
            for step in self._owed.values()
            if step.entry.call is not None and step.entry.call.turn in self._ended
        ]
        if done and not open_calls and not self._is_active and not self._asked:
            self.faults.missing.append(done[-1].at)


@rule("followup-while-active", ERROR, on="session", dialects=(REALTIME,), needs=("followup",), source=CREATE)
def followup_while_active(course: Course) -> Iterator[Hit]:
    """A response.create is sent while a response is active.

    The conversation has one active response at a time, and the service refuses a second.
    This happens where each tool asks by itself, and where response.cancel and
    response.create are sent at once. Wait for response.done. A response with conversation
    "none" may run beside it.

    Bad:
        {"type": "response.created", "event_id": "e1",
         "response": {"id": "resp_1", "object": "realtime.response", "status": "in_progress"}}
        {"type": "response.cancel"}
        {"type": "response.create"}
    Good:
        {"type": "response.created", "event_id": "e1",
         "response": {"id": "resp_1", "object": "realtime.response", "status": "in_progress"}}
        {"type": "response.cancel"}
        {"type": "response.done", "event_id": "e2",
         "response": {"id": "resp_1", "object": "realtime.response", "status": "cancelled", "output": []}}
        {"type": "response.create"}
    """
    for at in _Loop(course).faults.active:
        yield Hit(at, "A response is active, so this is refused. Send it once, after response.done.")


@rule("followup-early", ERROR, on="session", dialects=(REALTIME,), needs=("followup",), source=CALLS)
def followup_early(course: Course) -> Iterator[Hit]:
    """The model is asked to go on while a call of the turn has no output yet.

    It then speaks without that result, or calls again. Send the outputs of all calls of
    the turn first, then one response.create.

    Bad:
        {"type": "response.done", "event_id": "e1", "response": {"id": "resp_1",
         "object": "realtime.response", "status": "completed", "output": [
          {"id": "item_1", "type": "function_call", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"}]}}
        {"type": "response.create"}
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    Good:
        {"type": "response.done", "event_id": "e1", "response": {"id": "resp_1",
         "object": "realtime.response", "status": "completed", "output": [
          {"id": "item_1", "type": "function_call", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"}]}}
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
        {"type": "response.create"}
    """
    for at, count in _Loop(course).faults.early:
        calls = "one call has" if count == 1 else f"{count} calls have"
        yield Hit(
            at, f"{calls.capitalize()} no output yet. Send all outputs first, then one response.create."
        )


@rule("followup-duplicate", ERROR, on="session", dialects=(REALTIME,), needs=("followup",), source=CALLS)
def followup_duplicate(course: Course) -> Iterator[Hit]:
    """The model is asked to go on twice for one turn.

    One response.create follows the outputs of a turn, whatever the number of calls. A
    second one is refused, or makes the model say everything twice.

    Bad:
        {"type": "conversation.item.create", "item": {"type": "message", "role": "user",
         "content": [{"type": "input_text", "text": "hi"}]}}
        {"type": "response.create"}
        {"type": "response.create"}
    Good:
        {"type": "conversation.item.create", "item": {"type": "message", "role": "user",
         "content": [{"type": "input_text", "text": "hi"}]}}
        {"type": "response.create"}
    """
    for at in _Loop(course).faults.duplicate:
        yield Hit(at, "The model has been asked already. One response.create for all outputs of a turn.")


@rule("followup-missing", ERROR, on="session", dialects=(REALTIME,), needs=("response",), source=CALLS)
def followup_missing(course: Course) -> Iterator[Hit]:
    """All outputs are sent, and nobody asks the model to go on.

    Realtime answers speech by itself, outputs it does not: the user hears nothing. Send
    one response.create behind the last output.

    Bad:
        {"type": "response.done", "event_id": "e1", "response": {"id": "resp_1",
         "object": "realtime.response", "status": "completed", "output": [
          {"id": "item_1", "type": "function_call", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"}]}}
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    Good:
        {"type": "response.done", "event_id": "e1", "response": {"id": "resp_1",
         "object": "realtime.response", "status": "completed", "output": [
          {"id": "item_1", "type": "function_call", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"}]}}
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
        {"type": "response.create"}
    """
    for at in _Loop(course).faults.missing:
        yield Hit(at, "The outputs are sent and nobody asks the model to speak. Send one response.create.")


@rule("response-not-adjacent", ERROR, on="session", dialects=(CHAT,), source=CHAT_CALLS)
def chat_not_adjacent(course: Course) -> Iterator[Hit]:
    """A message stands between the calls of Chat Completions and their tool messages.

    Every tool_calls message is followed by one tool message per call, directly, in any
    order. The service refuses the request. Move the other message behind them.

    Bad:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}
        {"role": "user", "content": "hurry"}
        {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}
    Good:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}
        {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}
        {"role": "user", "content": "hurry"}
    """
    for _, messages in course.conversations():
        yield from _not_adjacent(messages)


def _not_adjacent(messages: tuple[Message, ...]) -> Iterator[Hit]:
    waiting: set[str | int | None] = set()
    parted: dict[str | int | None, Message] = {}
    for message in messages:
        for response in message.responses:
            between = parted.pop(response.id, None)
            if between is not None:
                yield Hit(
                    response.id_at or response.at,
                    f"A message of the role {between.role} stands between the call and this. Move it behind.",
                    call_id=response.id,
                )
            waiting.discard(response.id)
        if not message.responses:
            parted.update(dict.fromkeys(waiting, message))
            waiting = {call.id for call in message.calls}


@rule("call-id-duplicate", WARNING, on="frame", dialects=(RESPONSES,), needs=("chained",), source=CHAIN)
def call_replayed(frame: Frame) -> Iterator[Hit]:
    """A request names the response before it and sends its calls again.

    With previous_response_id the service has them already, and a second one of the same
    id is a duplicate. Send the outputs alone.

    Bad:
        {"model": "m", "previous_response_id": "resp_1", "input": [
          {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"},
          {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}]}
    Good:
        {"model": "m", "previous_response_id": "resp_1", "input": [
          {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}]}
    """
    for call in frame.calls:
        yield Hit(
            call.at, "previous_response_id holds this call already. Send its output alone.", call_id=call.id
        )


@rule(
    "history-not-shown",
    INFO,
    on="session",
    dialects=(RESPONSES, "gemini-interactions"),
    needs=("chained",),
    source=CHAIN,
)
def history_not_shown(course: Course) -> Iterator[Hit]:
    """An output answers a call of an earlier response that is not in this text.

    The request names it by previous_response_id or previous_interaction_id. Whether it
    asked for this call cannot be seen here: paste the earlier response too.

    Bad:
        {"model": "m", "previous_response_id": "resp_1", "input": [
          {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}]}
        {"object": "response", "id": "resp_2", "status": "completed", "output": []}
    Good:
        {"object": "response", "id": "resp_1", "status": "completed", "output": [
          {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"}]}
        {"model": "m", "previous_response_id": "resp_1", "input": [
          {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}]}
    """
    for step in course.steps:
        if step.event is Event.UNSEEN:
            yield Hit(
                step.at, "The call stands in an earlier response that is not here.", call_id=step.entry.id
            )
