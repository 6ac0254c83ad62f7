"""How `check` tells what it found: one file per format, each from results to text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.model import Finding, Status
from app.reports import FileReport


@dataclass(frozen=True, slots=True)
class Checked:
    """One file, named as it was found, its report, and what only shows beside the other files."""

    path: str
    report: FileReport
    beside: tuple[Finding, ...] = ()

    @property
    def status(self) -> Status:
        """Red where the file is, or where it does not go with the others."""
        return Status.RED if self.beside else self.report.status

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything there is to tell of the file."""
        return (*self.beside, *self.report.findings)


def overall(results: Sequence[Checked]) -> Status:
    """Red as soon as one file is, idle where none had anything to judge."""
    statuses = {each.status for each in results}
    return next((status for status in (Status.RED, Status.GREEN) if status in statuses), Status.IDLE)


def all_judged(results: Sequence[Checked]) -> bool:
    """Whether everything in every file came to a verdict, and there was a file at all."""
    return bool(results) and all(each.report.judged for each in results)


def summary(report: FileReport) -> str:
    """Say in a few words what was judged in a file."""
    parts: list[str] = []
    for check in report.contracts:
        cases, mutants = check.cases, check.mutants
        if cases.results:
            parts.append(f"{cases.passed} of {len(cases.results)} cases as expected")
        if mutants.total:
            parts.append(f"{mutants.killed} of {mutants.total} mutants refused")
    if report.extract is not None:
        calls = report.extract.calls
        accepted = sum(call.verdict.value == "accept" for call in calls)
        parts.append(f"{accepted} of {_counted(len(calls), 'call')} accepted" if calls else "no call")
    if report.session is not None:
        parts.append(_counted(report.session.summary.calls, "call"))
    return ", ".join(parts) or "nothing judged"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
