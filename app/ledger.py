"""The ledger: one entry per call, from request to answer. It does no I/O and judges no args.

Everything that can happen to an entry stands in TRANSITIONS; what is not there
cannot happen. A step that should not have happened carries the code of what is
wrong with it and reading goes on: this is a debugger, not a gate.

Ids compare with their JSON type, so 1 and "1" are two ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from app.cursor import Cursor
from app.events import Cancellation, ToolCall, ToolResponse


class State(StrEnum):
    """Where an entry is in its life."""

    PENDING = "pending"
    ANSWERED = "answered"
    ERRORED = "errored"
    CANCELLED = "cancelled"
    ORPHAN = "orphan"


class Event(StrEnum):
    """What can happen to an entry. PROGRESS is an answer that more will follow."""

    CALL = "call"
    RESULT = "result"
    ERROR = "error"
    PROGRESS = "progress"
    CANCEL = "cancel"


class Transition(NamedTuple):
    """The next state, and the code of what was wrong with the step, if anything."""

    state: State
    code: str | None = None


_ANSWERS = (Event.RESULT, Event.ERROR, Event.PROGRESS)

TRANSITIONS: dict[tuple[State | None, Event], Transition] = {
    (None, Event.CALL): Transition(State.PENDING),
    (None, Event.CANCEL): Transition(State.CANCELLED, "cancel-unknown-id"),
    **{(None, answer): Transition(State.ORPHAN, "response-orphan") for answer in _ANSWERS},
    (State.PENDING, Event.CALL): Transition(State.PENDING, "call-id-duplicate"),
    (State.PENDING, Event.RESULT): Transition(State.ANSWERED),
    (State.PENDING, Event.ERROR): Transition(State.ERRORED),
    (State.PENDING, Event.PROGRESS): Transition(State.PENDING),
    (State.PENDING, Event.CANCEL): Transition(State.CANCELLED),
    **{
        (state, event): Transition(state, code)
        for state in (State.ANSWERED, State.ERRORED)
        for event, code in (
            (Event.CALL, "call-id-duplicate"),
            (Event.RESULT, "response-duplicate"),
            (Event.ERROR, "response-duplicate"),
            (Event.PROGRESS, "response-duplicate"),
            (Event.CANCEL, "cancel-after-answer"),
        )
    },
    (State.CANCELLED, Event.CALL): Transition(State.CANCELLED, "call-id-duplicate"),
    (State.CANCELLED, Event.CANCEL): Transition(State.CANCELLED),
    **{
        (State.CANCELLED, answer): Transition(State.CANCELLED, "response-to-cancelled") for answer in _ANSWERS
    },
    (State.ORPHAN, Event.CALL): Transition(State.PENDING),
    (State.ORPHAN, Event.CANCEL): Transition(State.ORPHAN, "cancel-unknown-id"),
    **{(State.ORPHAN, answer): Transition(State.ORPHAN, "response-duplicate") for answer in _ANSWERS},
}


@dataclass(slots=True)
class Entry:
    """One call, or an answer or cancellation that no call stands for.

    Only the ledger changes an entry.
    """

    id: str | int | None
    state: State
    call: ToolCall | None = None
    response: ToolResponse | None = None
    cancellation: Cancellation | None = None
    late: bool = False
    streamed: bool = False
    """Whether an answer said that more would follow."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened: to which entry, where, and the code if it should not have."""

    entry: Entry
    event: Event
    at: Cursor
    code: str | None
    response: ToolResponse | None = None


class Ledger:
    """Receives calls, answers and cancellations in order and keeps their entries."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._open: dict[tuple[type, str | int], Entry] = {}
        self._pending: dict[int, Entry] = {}

    def call(self, call: ToolCall) -> Step:
        """Receive a call. One without an id is known by its name and position."""
        if call.id is None:
            return Step(self._add(Entry(None, State.PENDING, call=call)), Event.CALL, call.at, None)
        entry = self._find(call.id)
        if entry is not None and entry.call is None and entry.cancellation is not None:
            entry.call = call  # its cancellation came first
            return Step(entry, Event.CALL, call.id_at or call.at, None)
        transition = TRANSITIONS[entry.state if entry else None, Event.CALL]
        # A reused id gets a row of its own; so does the call behind an answer that came too early.
        entry = self._add(Entry(call.id, transition.state, call=call))
        return Step(entry, Event.CALL, call.id_at or call.at, transition.code)

    def response(self, response: ToolResponse, *, by_position: bool = False) -> Step | None:
        """Receive an answer. One without a usable id has no entry, unless position pairs it."""
        if response.id is None and not by_position:
            return None
        event = Event.ERROR if response.is_error else Event.RESULT
        if response.will_continue:
            event = Event.PROGRESS
        entry = self._find(response.id) if response.id is not None else self._next(response.name)
        transition = TRANSITIONS[entry.state if entry else None, event]
        code = transition.code
        if entry is None:
            entry = self._add(Entry(response.id, transition.state))
        elif code == "response-duplicate" and entry.streamed:
            code = "response-after-final"
        entry.late = entry.late or entry.state is State.CANCELLED
        self._move(entry, transition.state)
        entry.streamed = entry.streamed or bool(response.will_continue)
        if entry.response is None or code is None:
            entry.response = response
        return Step(entry, event, response.id_at or response.at, code, response)

    def cancel(self, cancellation: Cancellation) -> list[Step]:
        """Receive a cancellation: one step for each id it names."""
        steps = []
        for call_id in cancellation.ids:
            entry = self._find(call_id)
            transition = TRANSITIONS[entry.state if entry else None, Event.CANCEL]
            if entry is None:
                entry = self._add(Entry(call_id, transition.state))
            self._move(entry, transition.state)
            entry.cancellation = cancellation
            steps.append(Step(entry, Event.CANCEL, cancellation.ids_at or cancellation.at, transition.code))
        return steps

    def pending(self) -> Iterator[Entry]:
        """Yield the calls that nobody has answered or cancelled."""
        return iter(self._pending.values())

    def _move(self, entry: Entry, state: State) -> None:
        entry.state = state
        if state is State.PENDING:
            self._pending[id(entry)] = entry
        else:
            self._pending.pop(id(entry), None)

    def _next(self, name: str | None) -> Entry | None:
        """Return the first open call of that name: what an answer without an id belongs to."""
        return next((entry for entry in self.pending() if entry.call and entry.call.name == name), None)

    def _find(self, call_id: str | int) -> Entry | None:
        return self._open.get((type(call_id), call_id))

    def _add(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        if entry.id is not None:
            self._open[type(entry.id), entry.id] = entry
        self._move(entry, entry.state)
        return entry
