"""What was said in a session, joined out of its pieces, and which tools were at work meanwhile.

A transcript comes in fragments, a few words in each frame. Here they are put
together per turn, and what belongs together stands together: the words that
asked, the calls they led to, and the follow-up that tells how it went.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from app import dialects
from app.events import Frame, Moment, Speech, TurnEnd

NEAR = 4
"""Lines among which one is looked for that goes on: the two sides, and a tool or two between."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one side said in one go. `cut`: it was interrupted before its end."""

    who: str
    text: str
    first: int
    last: int
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """A tool at work, by its place among the spans that were given."""

    span: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """What belongs together, in order: who asked, which tools worked, who answered."""

    first: int
    lines: tuple[Said | Work, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """One call from the frame that asks to the frame that settles it, None while nothing does."""

    first: int
    last: int | None


@dataclass(slots=True)
class _Line:
    who: str
    turn: str | None
    first: int
    last: int
    pieces: list[str]
    cut: bool = False
    whole: bool = False


@dataclass(slots=True)
class _Group:
    first: int
    lines: list[_Line | Work] = field(default_factory=list)
    at_work: int = 0
    """Calls that nothing has settled yet."""
    waits: bool = False
    """Whether an answer has come of which the model has not spoken."""
    spoken: bool = False
    closed: int = 0
    """How many of its lines belong to turns that have ended, though an answer is still to come."""
    over: bool = False


Told = Sequence[Speech | Moment]
"""What one frame tells of the talk."""


def heard(frame: Frame) -> Told:
    """Return what a frame tells of the talk, as its dialect reads it, and the ends of turns."""
    dialect = dialects.by_id(frame.dialect)
    found = dialect.heard(frame) if dialect is not None and dialect.heard is not None else ()
    if not frame.signals:
        return found
    ends = (signal.status for signal in frame.signals if isinstance(signal, TurnEnd))
    return [*found, *(Moment("turn end" if status == "completed" else status) for status in ends)]


def exchanges(told: Iterable[Told], spans: Sequence[Span]) -> tuple[Exchange, ...]:
    """Join what was said, frame by frame, with the calls at work between.

    An exchange goes on until its turn is over, none of its calls is open, and
    the model has spoken since the last answer. What is said after that is a new one.
    """
    joiner = _Joiner(spans)
    for frame, each in enumerate(told):
        joiner.take(frame, each)
    return joiner.exchanges()


class _Joiner:
    def __init__(self, spans: Sequence[Span]) -> None:
        self._groups: list[_Group] = []
        self._starts: dict[int, list[int]] = {}
        self._ends: dict[int, list[int]] = {}
        self._of_span: dict[int, _Group] = {}
        for number, span in enumerate(spans):
            self._starts.setdefault(span.first, []).append(number)
            if span.last is not None:
                self._ends.setdefault(span.last, []).append(number)

    def take(self, frame: int, told: Told) -> None:
        for each in told:
            if isinstance(each, Speech):
                self._speech(each, frame)
        for number in self._starts.get(frame, ()):
            group = self._current(frame)
            group.lines.append(Work(number))
            group.at_work += 1
            self._of_span[number] = group
        for number in self._ends.get(frame, ()):
            if number in self._of_span:
                self._settle(self._of_span[number])
        for each in told:
            if isinstance(each, Moment):
                self._end(each)

    def _current(self, frame: int) -> _Group:
        if not self._groups or self._groups[-1].over:
            self._groups.append(_Group(frame))
        return self._groups[-1]

    def _speech(self, speech: Speech, frame: int) -> None:
        if self._groups and speech.who == "user" and self._groups[-1].spoken and self._groups[-1].closed:
            self._groups[-1].over = True  # whoever asks anew begins a new exchange
        group = self._current(frame)
        if speech.who == "model":
            group.spoken, group.waits = True, False
        line = next(
            (
                each
                for each in reversed(group.lines[max(group.closed, len(group.lines) - NEAR) :])
                if isinstance(each, _Line) and each.who == speech.who and each.turn == speech.turn
            ),
            None,
        )
        is_next = line is not None and (
            speech.turn is not None or line is group.lines[-1] or speech.who == "user"
        )
        if line is None or not is_next or (line.whole and speech.turn is None):
            group.lines.append(
                _Line(speech.who, speech.turn, frame, frame, [speech.text], whole=speech.whole)
            )
        elif speech.whole:
            line.pieces, line.last, line.whole = [speech.text], frame, True
        elif not line.whole:
            line.pieces.append(speech.text)
            line.last = frame

    def _settle(self, group: _Group) -> None:
        group.at_work -= 1
        group.waits = True
        if self._groups[-1] is not group and self._groups[-1].over:
            # The follow-up to an answer that came late belongs to those who asked.
            self._groups.remove(group)
            self._groups.append(group)
        if self._groups[-1] is group:
            group.over = False

    def _end(self, moment: Moment) -> None:
        if not self._groups:
            return
        group = self._groups[-1]
        group.closed = len(group.lines)
        if moment.what == "turn end":
            group.over = not group.at_work and not group.waits
            return
        spoken = [each for each in group.lines if isinstance(each, _Line) and each.who == "model"]
        if spoken:
            spoken[-1].cut = True
        group.over = True

    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(
            Exchange(
                group.first, tuple(_said(line) if isinstance(line, _Line) else line for line in group.lines)
            )
            for group in sorted(self._groups, key=lambda group: group.first)
        )


def _said(line: _Line) -> Said:
    return Said(line.who, "".join(line.pieces).strip(), line.first, line.last, line.cut)
