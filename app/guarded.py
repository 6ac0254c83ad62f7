"""What guards what: the mutants of a contract judged, and the keywords that some case needs.

A keyword is guarded where a case would turn without it. Each keyword that can
refuse is taken away in turn, and the cases are judged again. One that no case
needs may be lost in the next edit, and nobody would notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app import engine, tighten
from app.cases import Case, part_of, read_cases
from app.contract import Contract, Schema, nearest
from app.cursor import Cursor
from app.engine import Prepared
from app.explain import Violation
from app.model import Finding, Raw, Severity, Status, Verdict, status_of
from app.mutants import Mutant, Mutants, neighbours
from app.reporting import cut
from app.reports import GuardColumn, GuardRow, MutantReport, MutantsReport, Unguarded
from app.schema import Subschema, targets
from app.schema_edit import Setting, edited
from app.schema_map import SchemaMap, is_false

_ASSERTIONS: Final = (
    frozenset({"type", "enum", "const", "multipleOf", "pattern", "required", "dependentRequired"})
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
    | {"contains", "minContains", "maxContains", "not", "oneOf"}
)
"""Keywords that refuse by themselves. What stands in `properties`, `items`, `anyOf` refuses through these."""

_CLOSERS: Final = frozenset(
    {"additionalProperties", "unevaluatedProperties", "propertyNames"}
    | {"items", "additionalItems", "unevaluatedItems"}
)
"""Keywords that refuse by themselves where they are `false`."""

_WHOLE: Final = frozenset({"not", "if", "contains"})
"""Below these a keyword less may mean more refusals, so only the whole is taken away."""

WORK: Final = 1_000_000
"""Values of the contract compiled anew, over all keywords taken away: about a second."""

WALKED: Final = 5_000
"""Most subschemas of which it is said at which place of the payload each looks."""

TRIED: Final = 50
"""Most mutants of which it is tried whether they would guard a keyword, the likeliest first."""

CASES: Final = 200
"""Most cases that each keyword is tried on."""

PROOFS: Final = 20
"""Most keywords of which it is tried to prove that they say nothing new."""

PROOF_NODES: Final = 500
"""Largest contract for which that is tried."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A payload as the engine sees it, and its verdict."""

    value: Any
    payload: Cursor
    verdict: Verdict


@dataclass(slots=True)
class _Column:
    """One keyword of the contract, and what taking it away changes; `place` is what it looks at."""

    at: Subschema
    keyword: str
    place: str | None
    line: int | None
    lacking: Prepared | None
    needed_by: set[str] = field(default_factory=set)

    @property
    def pointer(self) -> str:
        return f"{self.at.pointer}/{self.keyword}"


def report(contract: Contract) -> MutantsReport:
    """Judge the mutants of a contract, and say which of its keywords no case guards."""
    findings = list(contract.findings)
    schema = part_of(contract, "parameters")
    pinned = [] if contract.cases is None else read_cases(contract.cases, findings)
    if schema is None:
        return _report([], True, [], [], [], findings)
    return report_of(schema, pinned, findings)


def report_of(schema: Schema, pinned: Sequence[Case], findings: Iterable[Finding] = ()) -> MutantsReport:
    """Do the same for a schema and cases that stand beside it; `findings` are those of reading the two."""
    findings = list(findings)
    made = neighbours(schema, pinned)
    judged = [_judged(schema, each) for each in made.made]
    findings += _survivors(schema, made.made, judged)
    cases = list(_readable(schema, pinned))[:CASES]
    columns, all_tried = _columns(schema)
    for column in columns:
        column.needed_by = {case.name for case, given in cases if _turns(column, given)}
    rows, wanted = _rows(schema, columns, cases)
    unguarded = list(_unguarded(schema, columns, made))
    findings += [_unguarded_finding(schema, each) for each in unguarded if not each.redundant]
    shown = [*(_shown(column) for column in columns), *wanted]
    complete = made.complete and all_tried
    return _report(judged, complete, unguarded, shown, rows, findings)


def _report(
    judged: Sequence[MutantReport],
    complete: bool,
    unguarded: Sequence[Unguarded],
    keywords: Sequence[GuardColumn],
    rows: Sequence[GuardRow],
    findings: Sequence[Finding],
) -> MutantsReport:
    killed = sum(each.killed for each in judged)
    red = status_of(list(findings)) is Status.RED
    shown, total = cut(findings)
    return MutantsReport(
        status=Status.RED if red else Status.GREEN if judged else Status.IDLE,
        killed=killed,
        total=len(judged),
        score=round(killed / len(judged), 4) if judged else None,
        complete=complete,
        mutants=tuple(judged),
        unguarded=tuple(unguarded),
        keywords=tuple(keywords),
        guards=tuple(rows),
        findings=shown,
        findings_total=total,
    )


# Mutants -------------------------------------------------------------------------


def _judged(schema: Schema, mutant: Mutant) -> MutantReport:
    verdict = engine.verdict(schema.prepared, mutant.payload)
    return MutantReport(
        name=mutant.name,
        operator=mutant.operator,
        pointer=mutant.pointer,
        keyword=mutant.keyword,
        payload=Raw(mutant.payload.text),
        case=mutant.case,
        verdict=verdict,
        killed=verdict is Verdict.REFUSE,
    )


def _survivors(schema: Schema, made: Sequence[Mutant], judged: Sequence[MutantReport]) -> Iterator[Finding]:
    """Tell of each mutant that was not refused; of several cases broken alike, the first is enough."""
    told: set[tuple[str, str, str]] = set()
    for mutant, each in zip(made, judged, strict=True):
        kind = (mutant.operator, mutant.pointer, mutant.keyword)
        if each.killed or kind in told:
            continue
        told.add(kind)
        place = nearest(schema.source, mutant.schema_pointer)
        if each.verdict is Verdict.ACCEPT:
            yield Finding(
                "mutant-accepted",
                Severity.WARNING,
                f"{mutant.name}, a neighbour of the case {mutant.case}, gets in. "
                f"Add {mutant.keyword}, or pin it as a case that must be accepted.",
                place,
                keyword=mutant.keyword,
                schema_pointer=mutant.schema_pointer,
            )
        else:
            message = f"{mutant.name}, a neighbour of the case {mutant.case}, was not judged."
            yield Finding("not-judged", Severity.ERROR, message, place)


# Keywords ------------------------------------------------------------------------


def _columns(schema: Schema) -> tuple[list[_Column], bool]:
    """Return the keywords that can refuse, each taken away, and whether these are all."""
    prepared = schema.prepared
    plan = SchemaMap(prepared.outline, prepared.draft)
    places: dict[str, str] = {}
    for pointer, subschemas in plan.walk() if len(prepared.outline.subschemas) <= WALKED else ():
        for part in (part for each in subschemas for part in plan.parts(each)):
            places.setdefault(part.pointer, pointer)
    most = max(1, WORK // (prepared.source.json.skip[prepared.source.node] - prepared.source.node))
    found = list(_refusing(prepared))
    columns = [
        _Column(
            at,
            keyword,
            places.get(at.pointer),
            nearest(schema.source, f"{at.pointer}/{keyword}").line
            if schema.source is prepared.source
            else schema.place(f"{at.pointer}/{keyword}"),
            engine.lacking(prepared, at.pointer, keyword),
        )
        for at, keyword in found[:most]
    ]
    return columns, len(found) <= most


def _refusing(prepared: Prepared) -> Iterator[tuple[Subschema, str]]:
    """Yield every keyword in force that refuses by itself, in document order."""
    reached = _reached(prepared)
    for at in prepared.outline.subschemas.values():
        if at.pointer not in reached:
            continue
        for keyword in dict.fromkeys(at.cursor.keys):
            refuses = keyword in _ASSERTIONS or (keyword in _CLOSERS and is_false(at, keyword))
            if refuses or (keyword == "format" and prepared.assert_formats):
                yield at, keyword


def _reached(prepared: Prepared) -> set[str]:
    """Return the subschemas that judge, without what only states a condition."""
    outline = prepared.outline
    below: dict[str, list[Subschema]] = {}
    for each in outline.subschemas.values():
        if each.parent is not None and each.keyword not in ("$defs", "definitions"):
            below.setdefault(each.parent, []).append(each)
    reached = {""}
    queue = [outline.subschemas[""]]
    for here in queue:
        led = [outline.subschemas[to] for _, _, to in targets(outline, here) if to in outline.subschemas]
        for each in [*below.get(here.pointer, ()), *led]:
            if each.pointer not in reached and each.keyword not in _WHOLE:
                reached.add(each.pointer)
                queue.append(each)
    return reached


def _readable(schema: Schema, cases: Iterable[Case]) -> Iterator[tuple[Case, _Given]]:
    for case in cases:
        if case.payload is None or case.payload.raw is None or any(each.is_error for each in case.findings):
            continue
        given = _given(schema, case.payload)
        if given is not None:
            yield case, given


def _given(schema: Schema, payload: Cursor) -> _Given | None:
    value, obstacle = engine.decode(payload, schema.prepared.source)
    if obstacle is not None:
        return None
    return _Given(value, payload, engine.verdict_of(schema.prepared, value, payload))


def _turns(column: _Column, given: _Given) -> bool:
    """Whether a payload gets another verdict without the keyword."""
    return (
        column.lacking is not None
        and engine.verdict_of(column.lacking, given.value, given.payload) is not given.verdict
    )


def _shown(column: _Column) -> GuardColumn:
    state = "yes" if column.needed_by else "no"
    return GuardColumn(column.pointer, column.keyword, column.place, column.line, state)


def _unguarded(schema: Schema, columns: Sequence[_Column], made: Mutants) -> Iterator[Unguarded]:
    proofs = iter(range(PROOFS))
    nodes = schema.prepared.source.json.skip[schema.prepared.source.node]
    mutants = [(each, given) for each in made.made if (given := _given(schema, each.payload)) is not None]
    for column in columns:
        if column.needed_by or column.lacking is None:
            continue
        pinned = next(
            (each.name for each, given in _likeliest(column, mutants) if _turns(column, given)), None
        )
        redundant = (
            pinned is None
            and nodes <= PROOF_NODES
            and next(proofs, None) is not None
            and _says_nothing_new(schema, column)
        )
        yield Unguarded(column.pointer, column.keyword, column.place, column.line, redundant, pinned)


def _likeliest(column: _Column, mutants: Sequence[tuple[Mutant, _Given]]) -> list[tuple[Mutant, _Given]]:
    """Return the mutants that a keyword is likeliest to refuse: made for it, at its place."""

    def misses(one: tuple[Mutant, _Given]) -> tuple[bool, bool]:
        return one[0].schema_pointer != column.at.pointer, one[0].keyword != column.keyword

    return sorted(mutants, key=misses)[:TRIED]


def _says_nothing_new(schema: Schema, column: _Column) -> bool:
    """Whether it is proven that the contract refuses the same without the keyword."""
    source = schema.prepared.source
    lacking = edited(source, [Setting("", column.at, column.keyword, None, "")])
    return engine.covers(source.text, lacking) == "yes"


def _unguarded_finding(schema: Schema, each: Unguarded) -> Finding:
    advice = f"Pin {each.mutant} as a case." if each.mutant else "Pin a case that only it refuses."
    return Finding(
        "keyword-unguarded",
        Severity.INFO,
        f"No case would turn if {each.keyword} were gone here. {advice}",
        nearest(schema.source, each.schema_pointer),
        keyword=each.keyword,
        schema_pointer=each.schema_pointer,
        schema_line=each.schema_line,
    )


# The guard table -----------------------------------------------------------------


def _rows(
    schema: Schema, columns: Sequence[_Column], cases: Sequence[tuple[Case, _Given]]
) -> tuple[list[GuardRow], list[GuardColumn]]:
    """Return a row for each case that must be refused, and the keywords that cases wait for."""
    known = {column.pointer for column in columns}
    wants = _wants(schema, cases)
    rows: list[GuardRow] = []
    absent: dict[str, GuardColumn] = {}
    for case, given in cases:
        if case.expect == "accept":
            continue
        judged = engine.judge_value(schema.prepared, given.value, given.payload)
        refused_by = [place for place in dict.fromkeys(_pointers(judged.violations)) if place in known]
        wanted = wants.get(case.name, [])
        absent |= {each.schema_pointer: each for each in wanted if each.schema_pointer not in known}
        rows.append(
            GuardRow(
                case=case.name,
                refused_by=tuple(refused_by),
                needs=tuple(column.pointer for column in columns if case.name in column.needed_by),
                wants=tuple(each.schema_pointer for each in wanted),
            )
        )
    return rows, list(absent.values())


def _wants(schema: Schema, cases: Sequence[tuple[Case, _Given]]) -> dict[str, list[GuardColumn]]:
    """Return the keywords that each case waits for which must be refused and gets in."""
    if all(case.expect == "accept" or given.verdict is not Verdict.ACCEPT for case, given in cases):
        return {}
    pinned = [
        tighten.Case(case.name, given.payload, case.expect == "accept", case.because) for case, given in cases
    ]
    wants: dict[str, list[GuardColumn]] = {}
    for change in tighten.tighten(schema.prepared.source, [], cases=pinned, until_refused=True).changes:
        for name in change.refuses:
            column = GuardColumn(change.schema_pointer, change.keyword, change.pointer, None, "absent")
            wants.setdefault(name, []).append(column)
    return wants


def _pointers(violations: Iterable[Violation]) -> Iterator[str]:
    for violation in violations:
        if violation.schema_pointer is not None:
            yield violation.schema_pointer
        yield from _pointers(violation.causes)
