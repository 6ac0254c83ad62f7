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
from app.events import Cancellation, ToolCall, ToolResponse, TurnEnd


class State(StrEnum):
    """Where an entry is in its life."""

    PENDING = "pending"
    ANSWERED = "answered"
    ERRORED = "errored"
    CANCELLED = "cancelled"
    ORPHAN = "orphan"


class Event(StrEnum):
    """What can happen to an entry.

    CALL is a call with an id, AGAIN the very same call through another channel,
    LATER the call behind its own cancellation. PROGRESS is an answer that more
    will follow, UNSEEN one to a call that is not in the text. CUT is the end of
    a turn that did not complete.
    """

    CALL = "call"
    AGAIN = "again"
    LATER = "later"
    RESULT = "result"
    ERROR = "error"
    PROGRESS = "progress"
    UNSEEN = "unseen"
    CANCEL = "cancel"
    CUT = "cut"


class Transition(NamedTuple):
    """The next state, and the code of what was wrong with the step, if anything."""

    state: State
    code: str | None = None


_ANSWERS = (Event.RESULT, Event.ERROR, Event.PROGRESS)

TRANSITIONS: dict[tuple[State | None, Event], Transition] = {
    # Of an id that is new:
    (None, Event.CALL): Transition(State.PENDING),
    (None, Event.CANCEL): Transition(State.CANCELLED, "cancel-unknown-id"),
    (None, Event.UNSEEN): Transition(State.ANSWERED),
    **{(None, answer): Transition(State.ORPHAN, "response-orphan") for answer in _ANSWERS},
    # A second call changes nothing of the entry that has its id: it gets an entry of its own.
    **{(state, Event.CALL): Transition(state, "call-id-duplicate") for state in State},
    **{(state, Event.AGAIN): Transition(state, "call-duplicate-delivery") for state in State},
    **{(state, Event.LATER): Transition(state) for state in State},
    **{(state, Event.CUT): Transition(state) for state in State},
    (State.PENDING, Event.RESULT): Transition(State.ANSWERED),
    (State.PENDING, Event.ERROR): Transition(State.ERRORED),
    (State.PENDING, Event.PROGRESS): Transition(State.PENDING),
    (State.PENDING, Event.CANCEL): Transition(State.CANCELLED),
    (State.PENDING, Event.CUT): Transition(State.CANCELLED),
    **{
        (state, event): Transition(state, code)
        for state in (State.ANSWERED, State.ERRORED)
        for event, code in (
            (Event.RESULT, "response-duplicate"),
            (Event.ERROR, "response-duplicate"),
            (Event.PROGRESS, "response-duplicate"),
            (Event.CANCEL, "cancel-after-answer"),
        )
    },
    (State.CANCELLED, Event.CANCEL): Transition(State.CANCELLED),
    **{
        (State.CANCELLED, answer): Transition(State.CANCELLED, "response-to-cancelled") for answer in _ANSWERS
    },
    (State.ORPHAN, Event.CALL): Transition(State.ORPHAN),
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
    connection: int = 0
    call: ToolCall | None = None
    response: ToolResponse | None = None
    cancelled_at: Cursor | None = None
    """What cancelled it: a cancellation, or the end of its turn."""
    late: bool = False
    """Whether it was answered after it had been cancelled."""
    streamed: bool = False
    """Whether an answer said that more would follow."""
    one_answer: bool = False
    """Whether its first answer is the last, whatever that says of more to come."""
    shared: bool = False
    """Whether another call had its id while it was open: no answer can tell them apart."""
    settled: int | None = None
    """The frame in which it stopped being pending."""
    older: Entry | None = None
    """The open call whose id it took."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened: to which entry, where, and the code if it should not have."""

    entry: Entry
    event: Event
    at: Cursor
    code: str | None
    response: ToolResponse | None = None


_Key = tuple[type, str | int]
"""An id with its JSON type."""


def is_same_call(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls are one that came through two channels: its envelope, and the model's content."""
    return one.in_content != other.in_content and one.name == other.name


class Ledger:
    """Receives calls, answers, cancellations and ends of turns in order, and keeps their entries."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._connection = 0
        self._known: dict[_Key, Entry] = {}
        self._past: set[_Key] = set()
        self._pending: dict[int, Entry] = {}
        self._named: dict[tuple[str | None, bool], dict[int, Entry]] = {}
        self._turns: dict[str | None, list[Entry]] = {}

    def call(self, call: ToolCall, *, one_answer: bool = False) -> Step:
        """Receive a call. One without an id is known by its name and position.

        `one_answer`: the tool is one whose first answer is always its last.
        """
        place = call.id_at or call.at
        found = self._known.get((type(call.id), call.id)) if call.id is not None else None
        if found is not None and found.connection != self._connection:
            found = None  # the id is free again
        event = _event_of(call, found)
        transition = TRANSITIONS[found.state if found is not None else None, event]
        if found is not None and event is not Event.CALL:
            found.call = found.call or call
            return Step(found, event, place, transition.code)
        entry = Entry(call.id, TRANSITIONS[None, Event.CALL].state, self._connection, call)
        entry.one_answer = one_answer
        if found is not None and found.state is State.PENDING:
            entry.older, entry.shared, found.shared = found, True, True
        self._add(entry)
        self._turns.setdefault(call.turn, []).append(entry)
        return Step(entry, event, place, transition.code)

    def response(
        self,
        response: ToolResponse,
        *,
        by_position: bool = False,
        flags_errors: bool = True,
        may_be_unseen: bool = False,
    ) -> Step | None:
        """Receive an answer. One without a usable id has no entry, unless position pairs it.

        `flags_errors`: whether the wire itself tells an error from a result.
        `may_be_unseen`: whether its call may stand before the text.
        """
        if response.id is None and not by_position:
            return None
        key = (type(response.id), response.id) if response.id is not None else None
        entry = self._known.get(key) if key is not None else None
        if entry is None and by_position:
            entry = self._first(response.name, without_id=key is not None)
        event = Event.ERROR if response.is_error and flags_errors else Event.RESULT
        if response.will_continue and not (entry is not None and entry.one_answer):
            event = Event.PROGRESS
        if entry is None and may_be_unseen:
            event = Event.UNSEEN
        transition = TRANSITIONS[entry.state if entry is not None else None, event]
        code = transition.code
        if entry is None:
            code = "response-wrong-connection" if key in self._past else code
            entry = self._add(Entry(response.id, transition.state, self._connection))
        elif code == "response-duplicate" and entry.streamed:
            code = "response-after-final"
        entry.late = entry.late or entry.state is State.CANCELLED
        self._move(entry, transition.state, response.frame)
        entry.streamed = entry.streamed or event is Event.PROGRESS
        if entry.response is None or code is None:
            entry.response = response
        if key is not None and entry.older is not None and entry.state is not State.PENDING:
            self._known[key] = entry.older  # the next answer with this id is for the other call
        return Step(entry, event, response.id_at or response.at, code, response)

    def cancel(self, cancellation: Cancellation) -> list[Step]:
        """Receive a cancellation: one step for each id it names."""
        place = cancellation.ids_at or cancellation.at
        steps = []
        for call_id in cancellation.ids:
            entry = self._known.get((type(call_id), call_id))
            transition = TRANSITIONS[entry.state if entry is not None else None, Event.CANCEL]
            if entry is None:
                entry = self._add(Entry(call_id, transition.state, self._connection))
            self._move(entry, transition.state, cancellation.frame)
            entry.cancelled_at = cancellation.at
            steps.append(Step(entry, Event.CANCEL, place, transition.code))
        return steps

    def start(self, turn: str | None) -> None:
        """Receive the beginning of a turn: what an earlier one of that name asked for is no part of it."""
        self._turns.pop(turn, None)

    def end(self, turn: TurnEnd) -> list[Step]:
        """Receive the end of a turn: the calls that are still open in one that did not complete are cut."""
        steps = []
        for entry in self._turns.pop(turn.turn, ()):
            if turn.status == "completed" or entry.state is not State.PENDING:
                continue
            transition = TRANSITIONS[entry.state, Event.CUT]
            self._move(entry, transition.state, turn.at.frame)
            entry.cancelled_at = turn.at
            steps.append(Step(entry, Event.CUT, turn.at, transition.code))
        return steps

    def open(self, *, fresh: bool = False) -> None:
        """Begin a connection: it may use any id anew, a fresh one knows no earlier call."""
        if fresh:
            self.close()
        else:
            self._connection += 1

    def close(self) -> None:
        """Receive the end of a connection: its ids mean nothing to the next one."""
        self._connection += 1
        self._past |= self._known.keys()
        self._known.clear()

    def pending(self) -> Iterator[Entry]:
        """Yield the calls that nobody has answered or cancelled."""
        return iter(self._pending.values())

    def _move(self, entry: Entry, state: State, frame: int) -> None:
        if state is entry.state:
            return
        entry.state = state
        entry.settled = frame
        self._pending.pop(id(entry), None)
        for waiting in self._waiting(entry):
            waiting.pop(id(entry), None)

    def _waiting(self, entry: Entry) -> list[dict[int, Entry]]:
        """Return where an open call waits for an answer without its id: by name, alone and among all."""
        if entry.call is None:
            return []
        kinds = (False, True) if entry.id is None else (False,)
        return [self._named.setdefault((entry.call.name, without_id), {}) for without_id in kinds]

    def _first(self, name: str | None, *, without_id: bool) -> Entry | None:
        """Return the first open call of that name, or the first of those without an id."""
        return next(iter(self._named.get((name, without_id), {}).values()), None)

    def _add(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        if entry.id is not None:
            self._known[type(entry.id), entry.id] = entry
        if entry.state is State.PENDING:
            self._pending[id(entry)] = entry
            for waiting in self._waiting(entry):
                waiting[id(entry)] = entry
        return entry


def _event_of(call: ToolCall, found: Entry | None) -> Event:
    """Say what a call is to the entry that bears its id."""
    if found is None or found.state is State.ORPHAN:
        return Event.CALL
    if found.call is None:
        return Event.LATER
    return Event.AGAIN if is_same_call(found.call, call) else Event.CALL
