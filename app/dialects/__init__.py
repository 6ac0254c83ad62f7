"""Wire formats: one file each, found by discovery.

A dialect is a record of functions. `recognise` answers with the pointers of the
keys that decided, never with a guess; the dialect with the most evidence reads
the frame. Where several have equally much, the frame is ambiguous: the one with
the lowest rank reads it, the others stand in `Frame.rivals`, and the frames
around it may settle it. To add one, put a file with a `DIALECT` constant beside
these.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from app.cursor import Cursor
from app.events import Finished, Frame, Moment, Speech, ToolDefinition
from app.model import Raw

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Words:
    """What the dialect itself calls the three objects."""

    call: str
    args: str
    response: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One entry of an answer to be written. `error` stands instead of `result`."""

    id: str | int | None
    name: str | None
    result: Raw | None
    error: Raw | None
    scheduling: str | None


@dataclass(frozen=True, slots=True)
class Dialect:
    """One wire format.

    `recognise(root)` returns the pointers of the deciding keys, or nothing.
    `decode(root, evidence)` reads the frame; it never judges.
    `declarations(root)` returns the tools that a paste in this format declares.
    `write(answers, frame, scheduling_in_body)` lays out the answer in the
    casing of `frame`; None where the dialect has no answer to write.
    `keys` are keys of which a frame has at least one at its top, in any casing;
    None for a dialect that must be asked of every frame. `events` are beginnings
    of a `type` that are its family's alone.
    """

    id: str
    title: str
    words: Words
    recognise: Callable[[Cursor], tuple[str, ...]]
    decode: Callable[[Cursor, tuple[str, ...]], Frame]
    declarations: Callable[[Cursor], tuple[ToolDefinition, ...]] | None = None
    write: Callable[[Sequence[Answer], Frame, bool], str] | None = None
    genai: bool = False
    """Whether Google's gen AI SDKs send its answers, so that one can be written as their call."""
    heard: Callable[[Frame], Sequence[Speech | Moment]] | None = None
    """What a frame tells of the talk: words said, the end of a turn, an interruption."""
    pairs_by_id: bool = True
    """Whether only the id pairs an answer with its call; else name and position do where there is none."""
    schedules: bool = False
    """Whether an answer may carry a scheduling hint."""
    relate: Callable[[Sequence[Frame]], Sequence[Frame]] | None = None
    """Reads the frames of one session again, each in the light of those around it."""
    flags_errors: bool = True
    """Whether the wire itself tells an error from a result; else an answered call stays answered."""
    counts_answers: bool = False
    """Whether a rule over its messages counts the answers, so that no call alone is told to be unanswered."""
    asks_and_ends: bool = False
    """Whether a paste may end with the turn that asks: the answer belongs to the next request."""
    finished: Callable[[Frame], Finished | None] | None = None
    """Reads the finished turn of the model that a frame is, where none of its `messages` is that."""
    keys: frozenset[str] | None = None
    events: tuple[str, ...] = ()
    rank: int = 100
    """Which dialect reads a frame for which several have equal evidence: that with the lowest."""


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect of this package, by file name."""
    modules = sorted(info.name for info in pkgutil.iter_modules(__path__))
    return tuple(
        module.DIALECT
        for module in (importlib.import_module(f"{__name__}.{name}") for name in modules)
        if hasattr(module, "DIALECT")
    )


@cache
def by_id(dialect_id: str) -> Dialect | None:
    """Return the dialect with this id, or None."""
    return next((dialect for dialect in all_dialects() if dialect.id == dialect_id), None)


def recognise(root: Cursor, forced: str | None = None) -> tuple[Dialect, tuple[str, ...]] | None:
    """Return the dialect of a frame with its evidence, or None if there is none.

    `forced` names the dialect to read it as; it needs evidence all the same.
    """
    if forced is not None:
        dialect = by_id(forced)
        evidence = dialect.recognise(root) if dialect is not None else ()
        return (dialect, evidence) if dialect is not None and evidence else None
    found = _recognised(root)
    return found[0] if found else None


def _recognised(root: Cursor) -> list[tuple[Dialect, tuple[str, ...]]]:
    """Return the dialects with the most evidence, by rank."""
    asked = _candidates(frozenset(root.keys), _event(root)) if root.is_object else all_dialects()
    found = [(dialect, evidence) for dialect in asked if (evidence := dialect.recognise(root))]
    if len(found) > 1:
        most = max(len(evidence) for _, evidence in found)
        found = [pair for pair in found if len(pair[1]) == most]
        found.sort(key=lambda pair: (pair[0].rank, pair[0].id))
    return found


def _event(root: Cursor) -> str:
    """Return the type of a message, as far as it is a name."""
    kind = root.get("type")
    return ((kind.string if kind is not None else None) or "")[:64]


@lru_cache(maxsize=4096)
def _candidates(keys: frozenset[str], event: str) -> tuple[Dialect, ...]:
    """Return the dialects that may read a frame with these keys at its top, and this type."""
    folded = set(map(_folded, keys))
    found = tuple(
        each for each in all_dialects() if each.keys is None or not folded.isdisjoint(map(_folded, each.keys))
    )
    owners = tuple(each for each in found if each.events and event.startswith(each.events))
    return owners or found


def _folded(key: str) -> str:
    """Return a key without what casing may change."""
    return key.replace("_", "").lower()


def decode(root: Cursor, forced: str | None = None) -> Frame:
    """Read one frame; of no dialect, it is of kind `unknown`."""
    if forced is not None:
        known = recognise(root, forced)
        found = [known] if known is not None else []
    else:
        found = _recognised(root)
    if not found:
        return Frame(index=root.frame, at=root, line=root.line, dialect=UNKNOWN, kind=UNKNOWN)
    dialect, evidence = found[0]
    frame = dialect.decode(root, evidence)
    if len(found) > 1:
        rivals = (*frame.rivals, *(each.id for each, _ in found[1:]))
        return replace(frame, rivals=rivals, traits=frame.traits | {"ambiguous"})
    return frame
