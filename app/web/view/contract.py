"""The Contract tab: the contract beside the table that tightens it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.cursor import Cursor
from app.json_text import JsonText
from app.reports import PanelsReport, Property
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
    behavior: str
    rows: tuple[PropertyRow, ...]
    more: int
    samples: int
    cases: int
    findings: FindingList
    sound: str


_BEHAVIOR: Final = {"BLOCKING": "BLOCKING, the next sentence waits"}


def contract_tab(report: PanelsReport, links: Links) -> ContractTab:
    """Show the chosen contract, property by property, with what the samples say of each."""
    chosen = next((c for c in report.contracts if c.name == report.chosen), None)
    text = report.inputs.contracts_text.strip()
    schema = chosen.schema.text if chosen and chosen.schema else ""
    own = [f for f in report.findings if f.at.input == "contracts_text"]
    own += [f for contract in report.contracts for f in contract.findings if f.at.input == "contracts_text"]
    properties = chosen.properties if chosen else ()
    behavior = (chosen.behavior if chosen else None) or ""
    return ContractTab(
        name=chosen.name if chosen else report.inputs.contract_name or report.chosen or "",
        names=tuple(contract.name for contract in report.contracts),
        bare=not report.contracts or (len(report.contracts) == 1 and schema == text),
        known=chosen is not None,
        description=(chosen.description if chosen else None) or "",
        behavior=_BEHAVIOR.get(behavior, behavior),
        rows=tuple(_row(row) for row in properties[:ROWS]),
        more=max(0, len(properties) - ROWS),
        samples=len(report.samples),
        cases=len(report.cases.results) if report.cases else 0,
        findings=links.list(own),
        sound=f"Sound draft {draft_of(schema)} schema" if chosen and chosen.sound else "",
    )


def _row(row: Property) -> PropertyRow:
    values = row.enum if row.enum is not None else row.seen or ()
    can_list = bool(row.seen) and not (row.types and set(row.types) <= _NO_LIST)
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
        bounds=tuple((keyword, value.text) for keyword, value in row.bounds.items()),
        evidence=_evidence(row),
        suggestions=tuple((s.id, adds(s.keyword, s.value.text), s.reason) for s in row.suggestions),
        schema_line=row.schema_line,
    )


def _value(lexeme: str) -> str:
    """Show a string without its quotes; the type column tells a text from a number."""
    bare = lexeme[1:-1] if lexeme.startswith('"') and lexeme not in ('""', '" "') else lexeme
    return clip(bare)


def _evidence(row: Property) -> tuple[tuple[str, str], ...]:
    pieces: list[tuple[str, str]] = []
    if row.pointer and row.of:
        pieces.append((f"{row.present:,} of {row.of:,}", ""))
    if row.other_keys is not None and row.of:
        pieces.append((count(row.other_keys, "other key"), f"in {row.present:,}"))
    if row.seen and "boolean" not in row.types:
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
