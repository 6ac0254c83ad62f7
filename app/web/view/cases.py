"""The Cases tab: pinned payloads, what each expects, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from app.cursor import Cursor
from app.json_text import JsonText, reformat
from app.model import Status, Verdict
from app.reports import CaseResult, PanelsReport
from app.web.view.args import LAID_OUT
from app.web.view.contract import adds
from app.web.view.filters import Filter, Filtered, at_most, chips
from app.web.view.findings import FindingList, Links, Row, payload_spots, relative
from app.web.view.listing import Listing, inline, listing
from app.web.view.words import Part, Pill, idle, not_judged, red, sentence

OFFERS: Final = 4
"""Most suggestions beside a case that nothing refuses."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One pinned payload. `payload`, `cause` and `rows` are there where it did not go as expected."""

    name: str
    tags: str
    expect: str
    verdict: str
    because: str
    pointer: str
    wanted: bool
    """Whether `because` is a keyword that did not refuse."""
    failed: bool
    outcome: str
    """In words: as expected, not as expected, not judged, unchecked."""
    inline: Markup
    payload: Listing | None
    cause: tuple[Part, ...]
    rows: tuple[Row, ...]
    suggestions: tuple[tuple[str, str, str], ...]
    """What the samples would allow, for a case that nothing refuses: id, what it adds, what they say."""


@dataclass(frozen=True, slots=True)
class CasesTab:
    """What the Cases tab shows."""

    status: str
    pill: Pill
    by: str
    rows: tuple[CaseRow, ...]
    filtered: Filtered
    fact: str
    findings: FindingList


_CHIPS: Final = {
    "all": "All",
    "accept": "Must accept",
    "refuse": "Must refuse",
    "failing": "Failing",
}


_BY_CONTRACT: Final = (Verdict.ACCEPT, Verdict.REFUSE)


def cases_tab(report: PanelsReport, links: Links, wanted: Filter) -> CasesTab:
    """Show each case that is wanted; one that did not go as expected stands open."""
    results = report.cases.results if report.cases else ()
    good = sum(result.as_expected for result in results)
    chosen = next((contract for contract in report.contracts if contract.name == report.chosen), None)
    offers = tuple(
        (offer.id, adds(offer.keyword, offer.value.text), f"{offer.seen:,} of {offer.of:,} samples say so")
        for place in (chosen.properties if chosen else ())
        for offer in place.suggestions
    )
    own = [f for f in report.findings if f.at.input == "cases_text"]
    if report.cases is not None:
        of_results = {f for result in results for f in result.findings}
        own += [f for f in report.cases.findings if f not in of_results]
    tags = [_tags(result) for result in results]
    let_through = [
        result
        for result, tag in zip(results, tags, strict=True)
        if wanted.lets(tag, f"{result.name} {result.payload.text if result.payload else ''} {result.because}")
    ]
    shown = [let_through[i] for i in at_most(let_through, [_is_failing(each) for each in let_through])]
    return CasesTab(
        status=report.statuses["cases"].value,
        pill=_pill(results, good, report.statuses["cases"]),
        by=(report.chosen or "") if any(result.verdict in _BY_CONTRACT for result in results) else "",
        rows=tuple(_row(result, links, offers) for result in shown),
        filtered=Filtered(chips(_CHIPS, tags, wanted), wanted.text, len(shown), len(results)),
        fact=f"{good:,} of {len(results):,}" if results else "",
        findings=links.list(own),
    )


def _pill(results: tuple[CaseResult, ...], good: int, status: Status) -> Pill:
    unjudged = sum(result.verdict is Verdict.NOT_JUDGED for result in results)
    if unjudged:
        return not_judged(f"{unjudged:,} of {len(results):,} not judged")
    if all(result.verdict is Verdict.UNCHECKED for result in results) and results:
        return idle(f"{len(results):,} unchecked")
    if not results:
        return red("cannot be read") if status is Status.RED else idle("no cases")
    return Pill(status.value, status.value.upper(), f"{good:,} of {len(results):,} as expected")


def _is_failing(result: CaseResult) -> bool:
    return not result.as_expected and result.verdict is not Verdict.UNCHECKED


def _tags(result: CaseResult) -> str:
    return f"{result.expect} failing" if _is_failing(result) else result.expect


def _row(result: CaseResult, links: Links, offers: tuple[tuple[str, str, str], ...]) -> CaseRow:
    refusing = next((f for f in result.findings if f.keyword is not None), None)
    wanted = result.because is not None and not any(f.keyword == result.because for f in result.findings)
    text = result.payload.text if result.payload else ""
    failed = _is_failing(result)
    return CaseRow(
        name=result.name,
        tags=_tags(result),
        expect=result.expect,
        verdict=result.verdict.value.replace("-", " "),
        because=(result.because if wanted else refusing.keyword if refusing else "") or "",
        pointer="" if wanted or refusing is None else relative(refusing),
        wanted=wanted,
        failed=failed,
        outcome=_outcome(result),
        inline=inline(text) if text else Markup(),
        payload=_payload(text, result) if failed and text else None,
        cause=tuple(_cause(result, wanted)) if failed else (),
        rows=links.rows(result.findings) if failed else (),
        suggestions=tuple(offer for offer in offers if offer[0] in result.suggestions)[:OFFERS],
    )


def _outcome(result: CaseResult) -> str:
    if result.verdict is Verdict.UNCHECKED:
        return "unchecked"
    if result.verdict is Verdict.NOT_JUDGED:
        return "not judged"
    return "as expected" if result.as_expected else "not as expected"


def _payload(text: str, result: CaseResult) -> Listing:
    if len(text) > LAID_OUT:
        return listing(text[:LAID_OUT])
    laid_out = reformat(text)
    json = JsonText(laid_out)
    node, _ = json.scan()
    root = Cursor(json, node)
    return listing(
        laid_out,
        [s for f in result.findings for s in payload_spots(root, f.at.pointer, f)],
    )


def _cause(result: CaseResult, wanted: bool) -> list[Part]:
    first = next((f for f in result.findings if f.is_error), None)
    said = [Part("", " "), *sentence(first.message)] if first else []
    match result.verdict:
        case Verdict.ACCEPT:
            parts = [Part("strong", "Nothing in the contract refuses it.")]
            if result.because:
                parts += [Part("", " The case waits for "), Part("code", result.because), Part("", ".")]
            return parts
        case Verdict.REFUSE if wanted:
            return [
                Part("strong", "Refused, but not for "),
                Part("code", result.because or ""),
                Part("strong", "."),
                Part("", " Another keyword speaks first or alone."),
            ]
        case Verdict.REFUSE:
            return [Part("strong", "The contract refuses it."), *said]
        case Verdict.CONTRACT_ERROR:
            return [
                Part("strong", "No sound contract judges it."),
                Part("", " Write one in the Contract tab."),
            ]
        case _:
            return [Part("strong", "Not judged."), *said]
