"""Rules: functions that yield hits, one subject a file, found by discovery.

A rule has a code, a severity, a subject and a public source; its docstring is its
help page: what it finds, why it matters, and a bad and a good example, which are
its tests. It looks at one subject and yields a `Hit` for each thing wrong. To add
one, decorate a function in a file here. What `on` may be, and what the function
is then called with:

    frame        (frame)                  one message; `needs` are its traits
    declaration  (tool)                   one declared tool
    call         (call, frame, options)   one call alone
    response     (response, frame)        one answer alone
    turn         (turn)                   one finished model turn (`app/turns.py`)
    step         (step, ledger)           a step of the ledger that carries a code
    pairing      (pairing)                an answer beside its call (`rules/exchange.py`)
    open         (entry)                  a call that nothing answered
    session      (course)                 a whole session (`app/course.py`)

Rules over a session run in /api/session alone, once for each dialect of the paste,
with the frames of that dialect only. A course has its frames in order, the ledger
at the end, all steps, and the contract and verdict of each call; it can be walked
by happening (calls, answers, cancellations, signals), by message, by connection,
and by frame with the calls that are open before it. `needs` are the traits of any
of its frames. A hit with a `call_id` is shown in the ledger row of that call. Walk
once: a session may have 100,000 frames, so nothing may be looked up by scanning.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from app.cursor import Cursor
from app.model import Finding, Location, Severity

ERROR: Final = Severity.ERROR
WARNING: Final = Severity.WARNING
INFO: Final = Severity.INFO


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found. `key` names a member that is missing or unexpected.

    `at_key` puts the place on the key of the value instead of the value.
    `severity` is given only where it differs from the rule's own.
    """

    at: Cursor
    message: str
    key: str | None = None
    at_key: bool = False
    severity: Severity | None = None
    call_id: str | int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `spoils_frame`: a hit means that nothing in the frame may be acted on.

    `dialects` are those that it speaks of, None for all but those in `unless`.
    `needs` names traits of the subject of which one must be there; empty means always.
    `also` are the severities that a hit may have instead. `help` is the docstring
    of `check`, in the form that `app/help.py` reads.
    """

    code: str
    severity: Severity
    also: tuple[Severity, ...]
    subject: str
    dialects: frozenset[str] | None
    unless: frozenset[str]
    needs: frozenset[str]
    source: str | None
    spoils_frame: bool
    check: Callable[..., Iterator[Hit]]
    help: str

    def speaks(self, dialect: str) -> bool:
        """Whether it applies to a dialect."""
        return dialect not in self.unless and (self.dialects is None or dialect in self.dialects)


_REGISTRY: list[Rule] = []


def rule(
    code: str,
    severity: Severity,
    *,
    also: tuple[Severity, ...] = (),
    on: str,
    dialects: tuple[str, ...] | None = None,
    unless: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
    source: str | None = None,
    spoils_frame: bool = False,
) -> Callable[[Callable[..., Iterator[Hit]]], Callable[..., Iterator[Hit]]]:
    """Register a function as the rule `code` over the subject `on`."""

    def register(check: Callable[..., Iterator[Hit]]) -> Callable[..., Iterator[Hit]]:
        _REGISTRY.append(
            Rule(
                code=code,
                severity=severity,
                also=also,
                subject=on,
                dialects=None if dialects is None else frozenset(dialects),
                unless=frozenset(unless),
                needs=frozenset(needs),
                source=source,
                spoils_frame=spoils_frame,
                check=check,
                help=check.__doc__ or "",
            )
        )
        return check

    return register


@cache
def all_rules() -> tuple[Rule, ...]:
    """Import every file of this package and return the rules they registered."""
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        importlib.import_module(f"{__name__}.{info.name}")
    return tuple(_REGISTRY)


@cache
def rules_for(subject: str, dialect: str, traits: frozenset[str]) -> tuple[Rule, ...]:
    """Return the rules over a subject that apply to a dialect and to what is there."""
    return tuple(
        each
        for each in all_rules()
        if each.subject == subject and each.speaks(dialect) and (not each.needs or each.needs & traits)
    )


@cache
def spoiling_codes(dialect: str) -> frozenset[str]:
    """Return the codes after which nothing in a frame of this dialect may be acted on."""
    return frozenset(each.code for each in all_rules() if each.spoils_frame and each.speaks(dialect))


def run(
    subject: str, dialect: str, value: Any, *context: Any, traits: frozenset[str] = frozenset()
) -> list[Finding]:
    """Run the rules over one value and return what they find."""
    return [
        _finding(each, hit)
        for each in rules_for(subject, dialect, traits)
        for hit in each.check(value, *context)
    ]


def _finding(each: Rule, hit: Hit) -> Finding:
    place: Location = hit.at.key_location if hit.at_key else hit.at.location
    return Finding(
        code=each.code,
        severity=hit.severity or each.severity,
        message=hit.message,
        at=place,
        key=hit.key,
        call_id=hit.call_id,
        source=each.source,
    )
