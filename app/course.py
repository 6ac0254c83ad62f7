"""The course of a session in one dialect: what rules over a whole session look at.

It is made when everything has been read and followed, and changes no more.
Rules walk it in order; nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.contract import Contract
from app.events import Close, Frame, Happening, Message, happenings
from app.ledger import Entry, Ledger, Step
from app.model import Options, Verdict


@dataclass(frozen=True, slots=True)
class Course:
    """Frames of one dialect in order, with the ledger at the end and every step that led there.

    `contracts` and `verdicts` are those of each call at its moment, by `id(entry)`.
    `frames` without the ability to act (JudgedFrame.bad) are among them; their
    calls are in no entry.
    """

    dialect: str
    frames: tuple[Frame, ...]
    ledger: Ledger
    steps: tuple[Step, ...]
    contracts: dict[int, Contract | None]
    verdicts: dict[int, Verdict]
    options: Options

    def happenings(self) -> Iterator[tuple[Frame, Happening]]:
        """Yield calls, answers, cancellations and signals in order, each with its frame."""
        for frame in self.frames:
            for each in happenings(frame):
                yield frame, each

    def messages(self) -> Iterator[Message]:
        """Yield each message of a conversation once: those of requests, and those that are frames."""
        for frame in self.frames:
            yield from frame.messages[frame.replayed :]

    def conversations(self) -> Iterator[tuple[Frame | None, tuple[Message, ...]]]:
        """Yield each request with all its messages, then those that stand in no request, together.

        A request sends the whole conversation along, so it is judged by itself.
        """
        alone: list[Message] = []
        for frame in self.frames:
            if "request" in frame.traits:
                yield frame, frame.messages
            else:
                alone.extend(frame.messages)
        yield None, tuple(alone)

    def neighbours(self) -> Iterator[tuple[Message | None, Message]]:
        """Yield each message with the one before it in the same conversation.

        A request that replays what was told goes on with it; any other begins anew.
        """
        before = None
        for frame in self.frames:
            if frame.kind == "history":
                before = frame.messages[frame.replayed - 1] if frame.replayed else None
            for message in frame.messages[frame.replayed :]:
                yield before, message
                before = message

    def connections(self) -> Iterator[list[Frame]]:
        """Yield the frames of each connection: a closed socket ends one."""
        part: list[Frame] = []
        for frame in self.frames:
            part.append(frame)
            if any(isinstance(signal, Close) for signal in frame.signals):
                yield part
                part = []
        if part:
            yield part

    def walk(self) -> Iterator[tuple[Frame, dict[int, Entry]]]:
        """Yield each frame with the calls that are open just before it, by `id(entry)`.

        The calls stand in the order in which they came. The dict is the same one
        each time, so what is to be kept of it must be copied.
        """
        asked: dict[int, list[Entry]] = {}
        settled: dict[int, list[Entry]] = {}
        for entry in self.ledger.entries:
            if entry.call is not None:
                asked.setdefault(entry.call.frame, []).append(entry)
                if entry.settled is not None:
                    settled.setdefault(entry.settled, []).append(entry)
        open_calls: dict[int, Entry] = {}
        for frame in self.frames:
            yield frame, open_calls
            for entry in asked.get(frame.index, ()):
                open_calls[id(entry)] = entry
            for entry in settled.get(frame.index, ()):
                open_calls.pop(id(entry), None)
