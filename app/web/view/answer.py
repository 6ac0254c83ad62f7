"""The toolResponse panel: the drafted answer, or the pasted one, and how it pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from json import loads

from app.dialects import by_id
from app.json_text import JsonText, reformat
from app.model import Finding, Status, Verdict
from app.reports import LedgerRow, PanelsReport
from app.turns import INCOMPLETE
from app.web.view.findings import NOT_READ, ROWS, FindingList, Links, Row, fid, in_order
from app.web.view.listing import Listing, Spot, listing
from app.web.view.words import Pill, dialect_text, green, id_text, idle, not_judged, panel_words, red


@dataclass(frozen=True, slots=True)
class PairRow:
    """One call and its answer. `icon` is good or idle."""

    id: str
    icon: str
    text: str
    place: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class AnswerPanel:
    """What the toolResponse panel shows."""

    status: str
    pill: Pill
    chip: str
    evidence: str
    pasted: bool
    draft: Listing | None
    draft_text: str
    turns: Listing | None
    """The contents to append to the history: the model's own and the answer."""
    turns_text: str
    scheduled: bool
    """Whether answers of this dialect may carry a scheduling hint."""
    pairs: tuple[PairRow, ...]
    more: int
    pairs_text: str
    findings: FindingList
    empty: tuple[str, str]
    """Heading and sentence of a panel without a draft."""


def answer_panel(report: PanelsReport, links: Links) -> AnswerPanel:
    """Show the answer and its pairs; what does not pair becomes a finding in the same list."""
    ledger = report.pair.ledger
    draft_text = (report.draft.text if report.draft else None) or ""
    turns = report.draft.turns if report.draft else None
    turns_text = reformat(turns.text) if turns is not None else ""
    own = answer_findings(report)
    # A draft says of every call without a result that it is empty: once is enough.
    notes = _Notes(own, once=report.answer is None)
    pairs = tuple(_pair_row(row, report, links, notes) for row in ledger[:ROWS] if is_pair(row))
    calls = [row for row in ledger if row.call_frame is not None and row.state != "cancelled"]
    good = sum(is_pair(row) for row in calls)
    chip, evidence = "Draft", "follows the calls" if draft_text else ""
    if report.answer is not None:
        chip, evidence = dialect_text(report.answer.dialect, report.answer.evidence)
    return AnswerPanel(
        status=report.statuses["toolResponse"].value,
        pill=_pill(report, good, len(calls)),
        chip=chip,
        evidence=evidence,
        pasted=report.answer is not None,
        draft=_draft(draft_text, report, own) if draft_text else None,
        draft_text=draft_text,
        turns=listing(turns_text) if turns_text else None,
        turns_text=turns_text,
        scheduled=_scheduled(report),
        pairs=pairs,
        more=max(0, len(ledger) - ROWS),
        pairs_text=f"{good:,} of {len(calls):,}" if calls else "",
        findings=_named(links.list(f for f in own if not notes.tell(f)), report),
        empty=_empty(report),
    )


def awaiting(report: PanelsReport) -> AnswerPanel:
    """Show the place of an answer that is still to be pasted: no verdict, not even on the draft."""
    return AnswerPanel(
        status=Status.IDLE.value,
        pill=idle("nothing pasted"),
        chip="Yours",
        evidence="",
        pasted=True,
        draft=None,
        draft_text="",
        turns=None,
        turns_text="",
        scheduled=_scheduled(report),
        pairs=(),
        more=0,
        pairs_text="",
        findings=FindingList((), "", 0),
        empty=("", ""),
    )


def _named(list: FindingList, report: PanelsReport) -> FindingList:
    """Say of a place among the calls that it is one: the list stands under the answer."""
    calls = panel_words(report.extract.dialect, empty=False).call
    rows = (
        replace(row, pointer=f"{calls}, {row.pointer}") if row.input == "calls_text" and row.pointer else row
        for row in list.rows
    )
    return replace(list, rows=tuple(rows))


def answer_findings(report: PanelsReport) -> list[Finding]:
    """Return what is to be said of the answer, in order; what is said of the calls stands in their panel."""
    of_calls = set(report.extract.findings)
    found = [*report.pair.findings, *(report.answer.findings if report.answer else ())]
    found += [f for f in (report.draft.findings if report.draft else ()) if f.at.input != "calls_text"]
    return in_order(f for f in found if f not in of_calls and f.at.input != "contracts_text")


def is_pair(row: LedgerRow) -> bool:
    """Whether a call stands as a pair: answered as it should be, or cancelled and not answered."""
    if row.call_frame is None or row.state == "pending":
        return False
    return not any(f.is_error and f.at.input != "calls_text" for f in row.findings)


class _Notes:
    """What is no error among the findings of the answer, found by the pair it belongs to."""

    def __init__(self, findings: list[Finding], *, once: bool) -> None:
        self._order = {finding: number for number, finding in enumerate(findings) if not finding.is_error}
        self._by_id: dict[str | int | None, list[Finding]] = {}
        self._in_pairs: set[Finding] = set()
        self._told: set[str] | None = set() if once else None
        for finding in self._order:
            self._by_id.setdefault(finding.call_id, []).append(finding)

    def of(self, row: LedgerRow) -> list[Finding]:
        """Return the notes on one pair, in their order."""
        found = {finding for finding in row.findings if finding in self._order}
        if row.id is not None:
            found.update(self._by_id.get(row.id, ()))
        self._in_pairs |= found
        return sorted(found, key=self._order.__getitem__)

    def untold(self, notes: list[Finding]) -> list[Finding]:
        """Return those to be shown with their pair: where each is told once, what none before has told."""
        if self._told is None:
            return notes
        fresh = [finding for finding in notes if finding.message not in self._told]
        self._told.update(finding.message for finding in fresh)
        return fresh

    def tell(self, finding: Finding) -> bool:
        """Whether the pairs say it, so that the list below them need not."""
        return finding in self._in_pairs or (self._told is not None and finding.message in self._told)


def _pair_row(row: LedgerRow, report: PanelsReport, links: Links, every: _Notes) -> PairRow:
    notes = every.of(row)
    text = {"answered": "result", "errored": "error", "cancelled": "cancelled, gets no answer"}[row.state]
    if report.draft is not None and row.state == "errored":
        entry = next(each for each in report.draft.responses if each.id == row.id)
        text = f"error, {loads(entry.output.text)['code'] if entry.output else ''}"
    elif report.draft is not None and any(f.code == "response-empty" for f in notes):
        text = "result, {}"
    hint = _scheduling(row, report)
    if hint is not None:
        text += f", {hint}"
    return PairRow(
        id=id_text(row.id),
        icon="idle" if row.state == "cancelled" else "good",
        text=text,
        place=f"line {row.response_line}" if row.response_line else "",
        rows=links.rows(every.untold(notes)),
    )


def _scheduled(report: PanelsReport) -> bool:
    """Whether the answer may carry a scheduling hint; before anything is pasted, it may."""
    dialect = by_id(report.extract.dialect)
    return dialect is None or dialect.schedules


def _scheduling(row: LedgerRow, report: PanelsReport) -> str | None:
    """Name the scheduling hint of a pasted answer, and where it stands."""
    for each in report.answer.responses if report.answer is not None else ():
        if each.scheduling is not None and (each.frame, each.pointer) == (
            row.response_frame,
            row.response_pointer,
        ):
            return f"{each.scheduling} {'beside' if each.scheduling_at == 'response' else 'in'} response"
    return None


def _pill(report: PanelsReport, good: int, total: int) -> Pill:
    status = report.statuses["toolResponse"]
    verdicts = {call.verdict for call in report.extract.calls}
    if Verdict.NOT_JUDGED in verdicts or any(f.code == "not-judged" for f in report.findings):
        return not_judged("not judged")
    if status is Status.IDLE:
        return idle("no calls")
    held = status is Status.RED and report.answer is None and not good
    if total and not held:
        return Pill(status.value, status.value.upper(), f"pairs {good:,} of {total:,}")
    if status is Status.GREEN:
        return green("nothing to answer")
    unread = report.answer is not None and any(f.code in NOT_READ for f in report.answer.findings)
    return red("cannot be read" if unread else "nothing to answer")


def _draft(text: str, report: PanelsReport, own: list[Finding]) -> Listing:
    checks = [row.response_line for row in report.pair.ledger if row.response_line and is_pair(row)]
    json = JsonText(text)
    spots = []
    for finding in own:
        at = finding.at
        if at.input == "draft" and at.line is not None and at.column is not None:
            start = json.offset(at.line, at.column)
            spots.append(Spot(start, start + 1, finding.severity.value, fid(finding)))
    return listing(text, spots, checks)


def _empty(report: PanelsReport) -> tuple[str, str]:
    extract = report.extract
    if any(f.code == "not-judged" for f in report.findings):
        return "Not finished is not green", "No answer is drafted for a call that was not judged."
    if extract.status is Status.IDLE:
        return "The answer drafts itself", "One entry per call, same id and name, an error for each refusal."
    if any(frame.bad for frame in extract.frames):
        return "No draft", "A bad frame is not answered: nothing in it may be acted on, not even its ids."
    if extract.calls and all(call.cancelled for call in extract.calls):
        return "No draft", "Every call is cancelled, and a cancelled call gets no answer."
    kinds = {turn.kind for turn in extract.turns}
    if kinds == {"answer-candidate"}:
        return "Nothing to answer", "The turn holds no call. Its text is an answer candidate."
    if kinds == {"api-error"}:
        return "No draft", "The API answered with an error. Handle its status; there is no call to answer."
    if kinds and kinds <= INCOMPLETE:
        return "No draft", "No call of this turn may run, so none is answered."
    return "No draft", "There is no id to answer yet."
