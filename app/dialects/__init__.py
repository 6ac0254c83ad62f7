"""Wire formats: one file each, found by discovery.

A dialect is a record of functions. `recognise` answers with the pointers of the
keys that decided, never with a guess; the dialect with the most evidence reads
the frame. To add one, put a file with a `DIALECT` constant beside these.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from app.cursor import Cursor
from app.events import Frame, Moment, Speech, ToolDefinition
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
    """

    id: str
    title: str
    words: Words
    recognise: Callable[[Cursor], tuple[str, ...]]
    decode: Callable[[Cursor, tuple[str, ...]], Frame]
    declarations: Callable[[Cursor], tuple[ToolDefinition, ...]] | None = None
    write: Callable[[Sequence[Answer], Frame, bool], str] | None = None
    heard: Callable[[Frame], Sequence[Speech | Moment]] | None = None
    """What a frame tells of the talk: words said, the end of a turn, an interruption."""
    pairs_by_id: bool = True
    """Whether only the id pairs an answer with its call; else name and position do where there is none."""
    schedules: bool = False
    """Whether an answer may carry a scheduling hint."""
    flags_errors: bool = True
    """Whether the wire itself tells an error from a result; else an answered call stays answered."""
    counts_answers: bool = False
    """Whether a rule over its messages counts the answers, so that no call alone is told to be unanswered."""
    asks_and_ends: bool = False
    """Whether a paste may end with the turn that asks: the answer belongs to the next request."""


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
    found = [(dialect, evidence) for dialect in all_dialects() if (evidence := dialect.recognise(root))]
    return max(found, key=lambda pair: len(pair[1]), default=None)


def decode(root: Cursor, forced: str | None = None) -> Frame:
    """Read one frame; of no dialect, it is of kind `unknown`."""
    known = recognise(root, forced)
    if known is None:
        return Frame(index=root.frame, at=root, line=root.line, dialect=UNKNOWN, kind=UNKNOWN)
    dialect, evidence = known
    return dialect.decode(root, evidence)
