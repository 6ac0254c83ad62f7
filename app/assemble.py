"""One call out of everything that tells of it: announced, streamed in fragments, told again.

A call is known by its key within a turn, by its id where an event echoes what
was sent. What tells it first in full is the call; id and name come from
wherever they stand, and later tellings leave their frames. Fragments keep their
places. Nothing is judged here: a call that its stream leaves unfinished says so
in `incomplete`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from app import arguments
from app.cursor import Cursor, Pieces
from app.events import (
    Args,
    CallEnd,
    CallStart,
    Fragment,
    Frame,
    HostedCall,
    Open,
    ToolCall,
    ToolResponse,
    TurnEnd,
    TurnStart,
)

ENCODINGS: dict[str, Callable[[Cursor], Args]] = {
    "json-string": arguments.from_text,
    "object": arguments.from_pieces,
    "free-text": arguments.from_plain_text,
}
UNTOLD = frozenset({"id", "name"})
RETELLING = frozenset({"request", "echo"})
"""Traits of frames that tell again what was told: a request with its history, an echo of an item."""

Key = str | int | None


@dataclass(slots=True)
class _Call:
    """What is known of one call so far."""

    dialect: str
    key: Key
    turn: str | None
    start: CallStart | None = None
    pieces: list[Cursor] = field(default_factory=list)
    tellings: list[ToolCall] = field(default_factory=list)
    ended: bool = False
    cut: Cursor | None = None
    """Where its turn ends for want of room."""
    dropped: bool = False
    """Whether its turn was cancelled before it was told in full."""
    crowded: bool = False
    """Whether it was announced under the key of a call that was still open."""
    hosted: bool = False
    """Whether the service runs it itself, so that it is no call of the client's."""


class _Calls:
    """The calls that frames tell of, each one once."""

    def __init__(self) -> None:
        self.all: list[_Call] = []
        self._by_turn: dict[tuple[str, str | None, Key], _Call] = {}
        self._by_key: dict[tuple[str, Key], _Call] = {}
        self._by_id: dict[tuple[str, type, str | int], _Call] = {}
        self._open: dict[tuple[str, str | None], list[_Call]] = {}

    def forget(self) -> None:
        """Receive the beginning of another connection: its ids and keys are its own."""
        for known in (self._by_turn, self._by_key, self._by_id, self._open):
            known.clear()

    def start(self, dialect: str, signal: CallStart) -> None:
        """Receive an announcement. A key that was used up begins another call."""
        known = self._find(dialect, signal.key, signal.turn)
        if known is None or known.ended or known.start is not None:
            again = known is not None and known.start is not None and known.start.id == signal.id
            if not (again and signal.id is not None):
                is_open = known is not None and known.start is not None and not known.ended
                known = self._add(dialect, signal.key, signal.turn)
                known.crowded = is_open
        if known is not None and known.start is None:
            known.start = signal
            self._name(known, signal.id)

    def host(self, dialect: str, signal: HostedCall) -> None:
        """Receive a call that the service runs: fragments with its key are none of the client's."""
        if signal.key is not None:
            self._add(dialect, signal.key, None).hosted = True

    def fragment(self, dialect: str, signal: Fragment) -> None:
        """Receive a piece of the args."""
        known = self._find(dialect, signal.key, signal.turn)
        if known is None or known.ended:
            known = self._add(dialect, signal.key, signal.turn)
        known.pieces.append(signal.text)

    def end(self, dialect: str, signal: CallEnd) -> None:
        """Receive the end of the args."""
        known = self._find(dialect, signal.key, signal.turn)
        if known is not None:
            known.ended = True

    def turn_start(self, dialect: str, signal: TurnStart) -> None:
        """Receive the beginning of a turn: what came before it is no part of it."""
        self._open.pop((dialect, signal.turn), None)

    def turn_end(self, dialect: str, signal: TurnEnd) -> None:
        """Receive the end of a turn, which ends the calls it has left open."""
        calls = self._open.pop((dialect, signal.turn), [])
        for each in calls:
            each.dropped = signal.status == "cancelled" and not each.tellings and not each.ended
            each.ended = True
        if calls and signal.status == "incomplete":
            calls[-1].cut = signal.at

    def tell(self, dialect: str, call: ToolCall, *, again: bool, anew: bool) -> None:
        """Receive a call in full.

        `again` says that its frame tells what may have been told, `anew` that it tells only news.
        """
        known = self._find(dialect, call.key, call.turn) if call.key is not None and not anew else None
        if known is not None and not _agree(known, call):
            known = None
        if known is None and again and call.id is not None:
            known = self._by_id.get((dialect, type(call.id), call.id))
            if known is not None and not _tells(known, call):
                known = None
            elif known is not None and not known.tellings:
                return  # it was streamed in full, and this tells nothing new
        if known is None:
            known = self._add(dialect, call.key, call.turn)
        known.tellings.append(call)
        known.ended = True
        self._name(known, call.id)

    def _name(self, known: _Call, call_id: str | int | None) -> None:
        """Let later tellings find a call by its id."""
        if call_id is not None:
            self._by_id.setdefault((known.dialect, type(call_id), call_id), known)

    def _find(self, dialect: str, key: Key, turn: str | None) -> _Call | None:
        if key is None:
            return None
        if turn is not None and (known := self._by_turn.get((dialect, turn, key))) is not None:
            return known
        known = self._by_key.get((dialect, key))
        return known if known is not None and (turn is None or known.turn is None) else None

    def _add(self, dialect: str, key: Key, turn: str | None) -> _Call:
        call = _Call(dialect, key, turn)
        self.all.append(call)
        self._open.setdefault((dialect, turn), []).append(call)
        if key is not None:
            self._by_turn[dialect, turn, key] = call
            self._by_key[dialect, key] = call
        return call


def assemble(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return the frames with each of their calls, and each echoed answer, once."""
    by_dialect: dict[str, _Calls] = {}
    for frame in frames:
        calls = by_dialect.get(frame.dialect) or by_dialect.setdefault(frame.dialect, _Calls())
        again = _tells_again(frame)
        for signal in frame.signals:
            if isinstance(signal, Open) and signal.fresh:
                calls.forget()
            elif isinstance(signal, TurnStart):
                calls.turn_start(frame.dialect, signal)
        for call in frame.calls:
            calls.tell(frame.dialect, call, again=again, anew=frame.continues)
        for signal in frame.signals:
            if isinstance(signal, CallStart):
                calls.start(frame.dialect, signal)
            elif isinstance(signal, Fragment):
                calls.fragment(frame.dialect, signal)
            elif isinstance(signal, CallEnd):
                calls.end(frame.dialect, signal)
            elif isinstance(signal, HostedCall):
                calls.host(frame.dialect, signal)
            elif isinstance(signal, TurnEnd):
                calls.turn_end(frame.dialect, signal)
    kept: dict[int, list[ToolCall]] = {}
    for known in (each for calls in by_dialect.values() for each in calls.all):
        whole = _whole(known, several=len(frames) > 1)
        if whole is not None:
            kept.setdefault(whole.frame, []).append(whole)
    parted = _parted(frames, kept)
    answered = _answered(frames, parted)
    return tuple(
        frame
        if not frame.calls and frame.index not in kept and frame.index not in answered
        else replace(
            frame,
            calls=_in_order(kept.get(frame.index, ())),
            responses=answered.get(frame.index, frame.responses),
            signals=(*parted.get(frame.index, ()), *frame.signals),
        )
        for frame in frames
    )


def _parted(frames: Sequence[Frame], kept: dict[int, list[ToolCall]]) -> dict[int, tuple[Open]]:
    """Find each request of another conversation: it begins otherwise, and tells no call again."""
    begun: dict[str, str] = {}
    parted: dict[int, tuple[Open]] = {}
    for frame in frames:
        begins = _beginning(frame) if "request" in frame.traits and not frame.continues else None
        if begins is None or frame.at is None:
            continue
        before = begun.get(frame.dialect)
        if before not in (None, begins) and len(kept.get(frame.index, ())) == len(frame.calls):
            parted[frame.index] = (Open(frame.at),)
        begun[frame.dialect] = begins
    return parted


def _beginning(frame: Frame) -> str | None:
    """Return the first thing that somebody says in a request, the instructions apart."""
    first = next((each for each in frame.messages if each.role not in ("system", "developer")), None)
    return first.at.text if first is not None else None


def _in_order(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(sorted(calls, key=lambda call: call.at.node))


def _agree(known: _Call, call: ToolCall) -> bool:
    """Whether a telling may be of a call already known: not from the same frame, and no two ids."""
    if known.tellings and known.tellings[-1].frame == call.frame:
        return False
    ids = {each.id for each in (known.start, *known.tellings) if each is not None and each.id is not None}
    return call.id is None or not ids or call.id in ids


def _tells_again(frame: Frame) -> bool:
    """Whether a frame tells what was told; a request that goes on from a kept conversation does not."""
    return not frame.continues and not RETELLING.isdisjoint(frame.traits)


def _tells(known: _Call, call: ToolCall) -> bool:
    """Whether a call of the same id in a later frame is this very call."""
    told = known.tellings[0] if known.tellings else _joined(known, several=True)
    if told is None or (known.tellings and known.tellings[-1].frame == call.frame):
        return False
    return told.frame != call.frame and told.name == call.name and _alike(told.args, call.args)


def _alike(told: Args, again: Args) -> bool:
    """Whether two tellings have the same args: the same text, or the same value in another layout."""
    if _text(told.at) == _text(again.at):
        return True
    one, other = told.object, again.object
    return one is not None and other is not None and bool(one.tree == other.tree)


def _otherwise(call: ToolCall, tellings: Sequence[ToolCall]) -> Cursor | None:
    """Return where a call is told with another name or other args than before."""
    for each in tellings:
        if each.name is not None and call.name is not None and each.name != call.name:
            return each.name_at
        if each.incomplete is None and each.args.at is not None and not _alike(call.args, each.args):
            return each.args.at
    return None


def _text(at: Cursor | None) -> str | None:
    return None if at is None else at.string if at.is_string else at.text


def _whole(known: _Call, *, several: bool) -> ToolCall | None:
    """Return the one call that all of it tells of, or None where only a part was pasted."""
    if known.hosted:
        return None
    call = known.tellings[0] if known.tellings else _joined(known, several)
    if call is None:
        return None
    told = [each for each in (known.start, *known.tellings) if each is not None]
    for each in told:
        if call.id is None and each.id is not None:
            call = replace(call, id=each.id, id_at=each.id_at)
        if call.name is None and each.name is not None:
            call = replace(call, name=each.name, name_at=each.name_at)
    otherwise = _otherwise(call, known.tellings[1:])
    if otherwise is not None:
        call = replace(call, retold=otherwise)
    cut = next((each.incomplete for each in known.tellings if each.incomplete is not None), known.cut)
    return call if cut is None or call.incomplete is not None else replace(call, incomplete=cut)


def _joined(known: _Call, several: bool) -> ToolCall | None:
    """Put a call together that was only announced and streamed."""
    start = known.start
    if known.dropped or not (known.ended or (several and start is not None and known.pieces)):
        return None
    if start is None and not known.pieces:
        return None
    at = start.at if start is not None else known.pieces[0]
    encoding = start.encoding if start is not None else "json-string"
    last = known.pieces[-1] if known.pieces else at
    return ToolCall(
        at=at,
        frame=at.frame,
        id=start.id if start is not None else None,
        name=start.name if start is not None else None,
        id_at=start.id_at if start is not None else None,
        name_at=start.name_at if start is not None else None,
        args=ENCODINGS[encoding](Pieces.join(known.pieces)) if known.pieces else Args(None, "absent"),
        key=known.key,
        turn=known.turn,
        incomplete=None if known.ended else last,
        crowded=at if known.crowded else None,
        deferred=UNTOLD if start is None else frozenset(),
    )


def _answered(frames: Sequence[Frame], parted: Collection[int]) -> dict[int, tuple[ToolResponse, ...]]:
    """Return the answers of frames that tell one again, without those that were told before.

    A request is the history as its sender keeps it: it may shorten an answer that
    it sends again, so there the id counts, and how often it was answered. An echo
    is word for word.
    """
    told: set[tuple[object, ...]] = set()
    often: dict[tuple[object, ...], int] = {}
    changed: dict[int, tuple[ToolResponse, ...]] = {}
    for frame in frames:
        if not frame.responses:
            continue
        again, echo = _tells_again(frame) and frame.index not in parted, "echo" in frame.traits
        here: dict[tuple[object, ...], int] = {}
        new: list[ToolResponse] = []
        for each in frame.responses:
            name: tuple[object, ...] = (frame.dialect, type(each.id), each.id)
            words = (*name, _text(each.body_at))
            by_words = echo or each.id is None
            count = here[name] = here.get(name, 0) + 1
            known = words in told if by_words else count <= often.get(name, 0)
            if not (again and known):
                new.append(each)
        told.update((frame.dialect, type(each.id), each.id, _text(each.body_at)) for each in frame.responses)
        for name, count in here.items():
            often[name] = max(often.get(name, 0), count) if again else often.get(name, 0) + count
        if len(new) < len(frame.responses):
            changed[frame.index] = tuple(new)
    return changed
