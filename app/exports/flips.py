"""Which payloads an exported declaration judges in another way, and whether a change says so.

The declaration is read back as it is told to the model: open objects stay open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from app import engine
from app.cursor import Cursor, split
from app.explain import Violation
from app.exports.exporter import Exported
from app.exports.reading import OPEN, read_schema
from app.exports.target import Target
from app.json_text import write
from app.model import Verdict
from app.reports import Flip, SchemaChange

WIDER = frozenset({"loss", "narrow", "unverified"})
"""Weights of changes by which a verdict may flip; others are exact."""

TYPED = frozenset({"root-type-added", "type-inferred"})
"""Changes that refuse what is of another type, which nobody meant to accept."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A flip, the change that tells of it, or None, and whether it is a finding."""

    flip: Flip
    by: SchemaChange | None
    told: bool


@dataclass(frozen=True, slots=True)
class _Judged:
    """A payload with its value as engines see it, and the verdict of the core."""

    name: str
    payload: Cursor
    value: Any
    verdict: Verdict
    told: bool
    reasons: dict[int, list[Violation]] = field(default_factory=dict)
    """What a core finds wrong with it, by the identity of that core; found when it is first asked for."""

    def violations(self, core: engine.Prepared) -> list[Violation]:
        """Return what a core finds wrong with it, causes included."""
        if id(core) not in self.reasons:
            self.reasons[id(core)] = list(_all(engine.judge(core, self.payload).violations))
        return self.reasons[id(core)]


class Payloads:
    """Named payloads that an export should judge as its contract does, judged once for many targets.

    A flip of one of the first `told` is a finding.
    """

    def __init__(self, named: Sequence[tuple[str, Cursor]], told: int) -> None:
        self.named = named
        self._told = told
        self._judged: list[_Judged] | None = None

    def judged(self, core: engine.Prepared) -> list[_Judged]:
        """Return them with the verdict of the core; what cannot be judged is left out."""
        if self._judged is None:
            decoded = [(name, payload, *engine.decode(payload, core.source)) for name, payload in self.named]
            self._judged = [
                _Judged(name, payload, value, engine.verdict_of(core, value, payload), index < self._told)
                for index, (name, payload, value, obstacle) in enumerate(decoded)
                if obstacle is None
            ]
        return self._judged


def flips(exported: Exported, target: Target, payloads: Payloads) -> Iterator[Explained]:
    """Yield the payloads whose verdict by what was exported is not that of the core."""
    before = exported.core.prepared
    if not payloads.named or before.problems:
        return
    after = read_back(exported, target)
    for each in payloads.judged(before):
        verdict = engine.verdict_of(after, each.value, each.payload)
        if verdict is not each.verdict:
            by = _explanation(exported, each, admitted=verdict is Verdict.ACCEPT)
            yield Explained(Flip(each.name, each.verdict, verdict), by, each.told)


def read_back(exported: Exported, target: Target) -> engine.Prepared:
    """Return what the model is told, as a schema to judge by, through the import code path."""
    if exported.told is None:
        return engine.prepare(Cursor.of(OPEN))
    declared = Cursor.of(write(exported.told, None))
    origin = "gemini" if target.reads == "gemini" else "json"
    tree, _ = read_schema(declared, gemini=target.reads == "gemini", origin=origin)
    return engine.prepare(Cursor.of(write(tree, None)))


def _explanation(exported: Exported, payload: _Judged, *, admitted: bool) -> SchemaChange | None:
    lost = [change for change in exported.changes if change.severity in WIDER]
    if not admitted:
        narrower = [change for change in lost if change.severity == "narrow"]
        typed = [change for change in exported.changes if change.code in TYPED]
        return next(iter([*narrower, *typed, *lost]), None)
    violations = payload.violations(exported.core.prepared)
    for near in (_at, _below, _same_keyword, _same_place):
        for change in lost:
            if any(near(change, each) for each in violations):
                return change
    return None


def _all(violations: Sequence[Violation]) -> Iterator[Violation]:
    for each in violations:
        yield each
        yield from _all(each.causes)


def _at(change: SchemaChange, violation: Violation) -> bool:
    """Whether the violated keyword is the one that was changed, or stands inside of it."""
    where = violation.schema_pointer or ""
    return where == change.pointer or (where.startswith(f"{change.pointer}/") and change.pointer != "")


def _below(change: SchemaChange, violation: Violation) -> bool:
    """Whether what was changed stands inside of the violated keyword, or beside it in one schema."""
    where = violation.schema_pointer or ""
    beside = where.rpartition("/")[0] == change.pointer.rpartition("/")[0]
    return change.pointer.startswith(f"{where}/") or beside


def _same_keyword(change: SchemaChange, violation: Violation) -> bool:
    """Whether a schema was merged or written out, so that only the keyword tells what was changed."""
    keyword = change.pointer.rpartition("/")[2]
    return violation.keyword in (keyword, change.code.partition(":")[2])


def _same_place(change: SchemaChange, violation: Violation) -> bool:
    """Whether a schema that a reference leads to refuses something inside of what was changed."""
    way = list(_way(split(change.pointer)))
    found = split(violation.instance_pointer)
    return (
        bool(way) and len(way) <= len(found) and all(a in ("*", b) for a, b in zip(way, found, strict=False))
    )


def _way(tokens: list[str]) -> Iterator[str]:
    """Yield the steps into a payload that a pointer into a schema stands for; `*` is any item or key."""
    rest = iter(tokens)
    for step in rest:
        if step == "properties":
            yield next(rest, "*")
        elif step in ("items", "prefixItems", "additionalProperties"):
            yield "*"
