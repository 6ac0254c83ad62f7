"""The Contract tab: the contract beside the table that tightens it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.cursor import Cursor
from app.json_text import JsonText
from app.reports import ContractView, Evidence, PanelsReport, Property
from app.web.view.args import draft_of
from app.web.view.findings import ROWS, FindingList, Links
from app.web.view.words import clip, count

_NO_LIST: Final = {"boolean", "null", "object", "array"}
"""Types whose values nobody lists in an enum."""

CHIPS: Final = 12
"""Most values shown of one property."""


@dataclass(frozen=True, slots=True)
class ValueChip:
    """One value and how often it was seen."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """One row of the tighten table."""

    pointer: str
    name: str
    depth: int
    types: str
    required: bool | None
    closed: bool | None
    enum: bool | None
    """Whether an enum is in force; None where none can be set."""
    values: tuple[ValueChip, ...]
    more_values: int
    range: tuple[str, str] | None
    """Minimum and maximum of a number as they stand in the contract, empty where they do not."""
    bounds: tuple[tuple[str, str], ...]
    evidence: tuple[tuple[str, str], ...]
    """Pairs of a strong and a plain piece."""
    suggestions: tuple[tuple[str, str, str], ...]
    """Triples of suggestion id, what it adds, and why."""
    schema_line: int | None


@dataclass(frozen=True, slots=True)
class ContractTab:
    """What the Contract tab shows."""

    name: str
    names: tuple[str, ...]
    bare: bool
    """Whether the editor holds a schema, which has no name of its own."""
    known: bool
    description: str
    has_behavior: bool
    """Whether the contract stands in an object that may say its behavior."""
    behavior: str
    part: str
    has_result: bool
    rows: tuple[PropertyRow, ...]
    more: int
    samples: int
    evidence: int
    """Samples that the table's evidence comes from."""
    cases: int
    findings: FindingList
    sound: str
    empty: tuple[str, str]
    """Heading and sentence of a table without rows."""


_RANGE: Final = ("minimum", "maximum")


def contract_tab(report: PanelsReport, links: Links) -> ContractTab:
    """Show the chosen contract, property by property, with what the samples say of each."""
    chosen = next((c for c in report.contracts if c.name == report.chosen), None)
    text = report.inputs.contracts_text.strip()
    schema = chosen.schema.text if chosen and chosen.schema else ""
    own = [f for f in report.findings if f.at.input == "contracts_text"]
    own += [f for contract in report.contracts for f in contract.findings if f.at.input == "contracts_text"]
    properties = chosen.properties if chosen else ()
    of_args = report.inferred.evidence if report.inferred and report.part == "parameters" else ()
    seen = {evidence.pointer: evidence for evidence in of_args}
    return ContractTab(
        name=chosen.name if chosen else report.inputs.contract_name or report.chosen or "",
        names=tuple(contract.name for contract in report.contracts),
        bare=not report.contracts or (len(report.contracts) == 1 and schema == text),
        known=chosen is not None,
        description=(chosen.description if chosen else None) or "",
        has_behavior=chosen is not None and chosen.is_object,
        behavior=(chosen.behavior if chosen else None) or "",
        part=report.part,
        has_result=chosen is not None and chosen.has_result,
        rows=tuple(_row(row, seen.get(row.pointer)) for row in properties[:ROWS]),
        more=max(0, len(properties) - ROWS),
        samples=len(report.samples),
        evidence=report.evidence,
        cases=len(report.cases.results) if report.cases else 0,
        findings=links.list(own),
        sound=f"Sound draft {draft_of(schema)} schema" if chosen and chosen.sound else "",
        empty=_empty(chosen, report),
    )


def _empty(chosen: ContractView | None, report: PanelsReport) -> tuple[str, str]:
    if chosen is None:
        name = report.inputs.contract_name or report.chosen
        called = f"No contract for {name}" if name else "No contract"
        return called, "Calls without a contract are unchecked. Paste a declaration or a schema on the left."
    if not chosen.sound:
        return "This contract is not sound", "Mend what its findings say, and its properties appear here."
    if chosen.schema is None:
        return "Takes no args", "In production add description and parameters."
    return "No properties", "The schema names no property to tighten."


def _row(row: Property, seen: Evidence | None) -> PropertyRow:
    is_range = bool({"integer", "number"} & set(row.types)) and row.enum is None
    values = row.enum if row.enum is not None else () if is_range else row.seen or ()
    can_list = bool(row.seen) and not is_range and not (row.types and set(row.types) <= _NO_LIST)
    return PropertyRow(
        pointer=row.pointer,
        name=row.name if row.pointer else "the object",
        depth=row.depth,
        types=", ".join(row.types) or "any",
        required=row.required,
        closed=row.closed,
        enum=True if row.enum is not None else False if can_list else None,
        values=tuple(ValueChip(_value(v.value.text), v.count) for v in values[:CHIPS]),
        more_values=max(0, len(values) - CHIPS),
        range=_range(row) if is_range else None,
        bounds=tuple(
            (keyword, value.text)
            for keyword, value in row.bounds.items()
            if not (is_range and keyword in _RANGE)
        ),
        evidence=_evidence(row, seen if is_range else None),
        suggestions=tuple((s.id, adds(s.keyword, s.value.text), s.reason) for s in row.suggestions),
        schema_line=row.schema_line,
    )


def _range(row: Property) -> tuple[str, str]:
    minimum, maximum = (row.bounds.get(keyword) for keyword in _RANGE)
    return minimum.text if minimum else "", maximum.text if maximum else ""


def _value(lexeme: str) -> str:
    """Show a string without its quotes; the type column tells a text from a number."""
    bare = lexeme[1:-1] if lexeme.startswith('"') and lexeme not in ('""', '" "') else lexeme
    return clip(bare)


def _evidence(row: Property, numbers: Evidence | None) -> tuple[tuple[str, str], ...]:
    pieces: list[tuple[str, str]] = []
    if row.pointer and row.of:
        pieces.append((f"{row.present:,} of {row.of:,}", ""))
    if row.other_keys is not None and row.of:
        pieces.append((count(row.other_keys, "other key"), f"in {row.present:,}"))
    if numbers is not None and numbers.minimum and numbers.maximum:
        pieces.append(("", f"{numbers.minimum.text} to {numbers.maximum.text} seen"))
    elif row.seen and "boolean" not in row.types:
        pieces.append((count(len(row.seen), "value"), f"in {row.present:,}"))
    return tuple(pieces)


def adds(keyword: str, value: str) -> str:
    """Say what a suggestion adds: `enum: 2 values`, `required`, `maximum: 4000`."""
    if keyword == "required":
        return "required"
    if keyword == "enum":
        json = JsonText(value)
        node, _ = json.scan()
        return f"enum: {count(len(Cursor(json, node)), 'value')}"
    return f"{keyword}: {clip(value)}"
