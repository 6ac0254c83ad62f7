"""The Samples tab: what was seen, and the contract that it states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from app.cursor import Cursor
from app.edits import inferred_text
from app.json_text import JsonText
from app.model import Status, Verdict
from app.reports import PanelsReport, SampleReport
from app.web.view.filters import Filter, Filtered, at_most, chips
from app.web.view.findings import FindingList, Links, relative
from app.web.view.listing import Listing, inline, listing
from app.web.view.words import Pill, green, idle, not_judged, red


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One sample and what the contract says of it. `icon` is good, bad, hourglass or idle."""

    index: int
    tags: str
    icon: str
    inline: Markup
    source: str
    because: str
    pointer: str


@dataclass(frozen=True, slots=True)
class SamplesTab:
    """What the Samples tab shows."""

    status: str
    pill: Pill
    by: str
    rows: tuple[SampleRow, ...]
    total: int
    filtered: Filtered
    inferred: Listing | None
    inferred_text: str
    narrower: int
    """In how many places the contract on the page says more than the samples do."""
    tools: tuple[str, ...]
    findings: FindingList


_ICONS: Final = {Verdict.ACCEPT: "good", Verdict.REFUSE: "bad", Verdict.NOT_JUDGED: "hourglass"}


_CHIPS: Final = {"all": "All", "rejected": "Rejected"}


def samples_tab(report: PanelsReport, links: Links, wanted: Filter) -> SamplesTab:
    """Show the samples that are wanted beside the schema inferred from all of them."""
    inferred = report.inferred
    schema = inferred_text(inferred.schema) if inferred and inferred.schema else ""
    tags = [_tags(sample) for sample in report.samples]
    let_through = [
        (index, sample)
        for index, sample in enumerate(report.samples)
        if wanted.lets(tags[index], f"{sample.payload.text} {sample.source}")
    ]
    shown = [let_through[i] for i in at_most(let_through, [bool(tags[index]) for index, _ in let_through])]
    notes = _differences(report, schema) if schema else {}
    return SamplesTab(
        status=report.statuses["samples"].value,
        pill=_pill(report.samples, report.statuses["samples"]),
        by=report.chosen if report.chosen and report.contracts else "",
        rows=tuple(_row(index, sample) for index, sample in shown),
        total=len(report.samples),
        filtered=Filtered(chips(_CHIPS, tags, wanted), wanted.text, len(shown), len(report.samples)),
        inferred=listing(schema, notes=notes) if schema else None,
        inferred_text=schema,
        narrower=len(notes),
        tools=tuple(contract.name or "unnamed" for contract in inferred.contracts) if inferred else (),
        findings=links.list(f for f in report.findings if f.at.input == "samples_text"),
    )


def _pill(samples: tuple[SampleReport, ...], status: Status) -> Pill:
    rejected = sum(sample.verdict is Verdict.REFUSE for sample in samples)
    unjudged = sum(sample.verdict is Verdict.NOT_JUDGED for sample in samples)
    total = len(samples)
    if unjudged:
        return not_judged(f"{unjudged:,} of {total:,} not judged")
    if not samples:
        return red("cannot be read") if status is Status.RED else idle("no samples")
    if status is Status.GREEN:
        return green(f"{total:,} accepted")
    if status is Status.RED:
        return red(f"{rejected:,} of {total:,} rejected" if rejected else "cannot all be read")
    return idle(f"{total:,} unchecked")


def _differences(report: PanelsReport, schema: str) -> dict[int, str]:
    """Name, by line of the inferred schema, what the contract on the page adds to it."""
    yours = next((contract for contract in report.contracts if contract.name == report.chosen), None)
    json = JsonText(schema)
    node, _ = json.scan()
    root = Cursor(json, node)
    notes: dict[int, str] = {}
    for row in yours.properties if yours else ():
        at = root.at(row.schema_pointer)
        if at is None:
            continue
        more = []
        if row.closed and at.get("additionalProperties") is None:
            more.append("closes the object")
        if row.enum is not None and at.get("enum") is None:
            more.append("has enum")
        if any(at.get(keyword) is None for keyword in row.bounds):
            more.append("has bounds")
        if more:
            notes[(at.key_location if row.pointer else at.location).line or 1] = "yours " + ", ".join(more)
    return notes


def _tags(sample: SampleReport) -> str:
    return "rejected" if sample.verdict in (Verdict.REFUSE, Verdict.NOT_JUDGED) else ""


def _row(index: int, sample: SampleReport) -> SampleRow:
    first = next((f for f in sample.findings if f.is_error), None)
    return SampleRow(
        index=index,
        tags=_tags(sample),
        icon=_ICONS.get(sample.verdict, "idle"),
        inline=inline(sample.payload.text),
        source=sample.source,
        because=(first.keyword or first.code) if first else "",
        pointer=relative(first) if first and first.keyword else "",
    )
