"""The report of a judgement that did not come to an end: everything is red, nothing is read."""

from __future__ import annotations

from app.model import Finding, Location, Severity, Status
from app.reports import ExtractReport, Inputs, LedgerSummary, PairReport, PanelsReport

_PLACES = ("toolCall", "args", "toolResponse")


def unjudged(inputs: Inputs, reason: str) -> PanelsReport:
    """Say why nothing was judged. Tabs are idle: nothing is known of their cases and samples either."""
    finding = Finding("not-judged", Severity.ERROR, reason, Location("calls_text"))
    return PanelsReport(
        inputs=inputs,
        extract=ExtractReport(
            status=Status.RED,
            dialect="unknown",
            kind="unknown",
            evidence=(),
            rivals=(),
            casing=None,
            frames=(),
            turns=(),
            calls=(),
            responses=(),
            cancellations=(),
            declarations=(),
            notes=(),
            findings=(finding,),
            findings_total=1,
        ),
        pair=PairReport(
            status=Status.RED,
            dialect="unknown",
            kind="unknown",
            frames=(),
            ledger=(),
            findings=(),
            findings_total=0,
            summary=LedgerSummary(0, 0, 0, 0, 0, 0, 0, 0),
        ),
        draft=None,
        answer=None,
        statuses={**dict.fromkeys(_PLACES, Status.RED), "cases": Status.IDLE, "samples": Status.IDLE},
        contracts=(),
        chosen=inputs.contract_name or None,
        part="parameters",
        evidence=0,
        cases=None,
        samples=(),
        inferred=None,
        second_opinion=None,
        edit=None,
        findings=(finding,),
        findings_total=1,
    )
