"""What the client draws in the editors: findings where they stand, checks on what is good."""

from __future__ import annotations

from dataclasses import dataclass

from app.model import Finding, Verdict
from app.reports import PanelsReport
from app.web.view.answer import is_pair
from app.web.view.findings import ROWS, fid, in_order


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in an editor. `severity` is error, warning, info or ok; a check has no `fid`."""

    fid: str
    severity: str
    code: str
    line: int
    column: int
    end_line: int
    end_column: int


def marks(report: PanelsReport) -> dict[str, tuple[Mark, ...]]:
    """Return the marks of each editor."""
    found: dict[str, list[Mark]] = {"calls_text": [], "responses_text": [], "contracts_text": []}
    of_calls = set(report.extract.findings)
    answer = report.answer.findings if report.answer else ()
    for finding in in_order([*report.findings, *report.extract.findings, *answer])[: 2 * ROWS]:
        at = finding.at
        of_answer = at.input == "calls_text" and finding not in of_calls  # said where the answer stands
        if at.input in found and at.line is not None and not of_answer:
            found[at.input].append(_mark(finding, at.line, at.column, at.end_line, at.end_column))
        if finding.schema_line is not None and report.inputs.contracts_text:
            found["contracts_text"].append(_mark(finding, finding.schema_line, 1, None, None))
    for call in report.extract.calls[:ROWS]:
        if call.executable and call.verdict is Verdict.ACCEPT:
            found["calls_text"].append(_check(call.line))
    if report.answer is not None:
        found["responses_text"] += [
            _check(row.response_line)
            for row in report.pair.ledger[:ROWS]
            if row.response_line and is_pair(row)
        ]
    return {field: tuple(marks) for field, marks in found.items()}


def _mark(
    finding: Finding, line: int, column: int | None, end_line: int | None, end_column: int | None
) -> Mark:
    column = column or 1
    return Mark(
        fid(finding),
        finding.severity.value,
        finding.code,
        line,
        column,
        end_line or line,
        end_column or column,
    )


def _check(line: int) -> Mark:
    return Mark("", "ok", "", line, 1, line, 1)
