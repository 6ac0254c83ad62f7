"""What the page shows of a report: words, counts, rows, marks. No markup and no judging.

Templates stay free of decisions: which pill, which sentence and which rows is
said here once, for the whole page and for the fragment alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

from app.cursor import Cursor
from app.json_text import JsonText, reformat
from app.model import Finding, Severity, Status, Verdict
from app.reports import (
    CallReport,
    CaseResult,
    ContractView,
    Edit,
    Inputs,
    LedgerRow,
    PanelsReport,
    Property,
    SampleReport,
)
from app.web.listing import Hook, Line, Listing, Spot, Token, inline, listing

ROWS: Final = 200
"""Most rows of one list; beyond it the page says how many more there are."""

OPEN_ROWS: Final = 50
"""Rows whose args are laid out, so that opening them needs no request."""

ARGS_SIZE: Final = 65_536
"""Characters of args laid out in a row; longer ones are only told with their size."""

DIALECTS: Final = {"gemini-live": "Gemini Live", "unknown": "unknown", "mixed": "mixed dialects"}
"""Dialect id -> its name on the page; another id is shown as it is."""

TITLES: Final = {"unknown": ("call", "args", "response")}
"""Dialect id -> the words of its wire for the three panels."""

LIVE_TITLES: Final = ("toolCall", "args", "toolResponse")

_NOT_READ: Final = {"json-invalid", "too-large", "too-deep"}
_STATES_OF_CALL: Final = {"answered", "errored", "cancelled", "pending"}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: `kind` is strong, code or empty."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Pill:
    """The verdict of a panel. `look` is green, red, idle or not-judged."""

    look: str
    word: str
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in an editor. `severity` is error, warning, info or ok."""

    fid: str
    severity: str
    code: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Row:
    """One finding as a row: place, word, pointer, sentence, and what it links to."""

    fid: str
    code: str
    severity: str
    place: str
    word: str
    keyword: str | None
    pointer: str
    message: str
    input: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    schema_line: int | None
    property: str | None
    """Payload pointer of the tighten row it belongs to."""
    call: str | None
    """Key of the call row it belongs to."""


@dataclass(frozen=True, slots=True)
class FindingList:
    """The findings of one panel, in order, with a heading that counts them."""

    rows: tuple[Row, ...]
    heading: str
    more: int


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call. `look` is accept, refuse, unchecked, not-judged or cancelled."""

    key: str
    frame: int
    index: int
    id: str
    name: str
    look: str
    verdict: str
    sentence: str
    inline: tuple[Token, ...]
    args: Listing | None
    args_text: str
    derived: bool
    open: bool
    rows: tuple[Row, ...]
    can_pin: bool


@dataclass(frozen=True, slots=True)
class PairRow:
    """One call and its answer. `icon` is good, bad or idle."""

    id: str
    icon: str
    text: str
    place: str
    line: int | None
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """What the three panels have in common."""

    title: str
    status: str
    pill: Pill
    chip: str
    evidence: str


@dataclass(frozen=True, slots=True)
class CallsPanel(Panel):
    """The pasted toolCall."""

    reasons: tuple[str, ...]
    """Pointers to the keys that told the dialect."""
    findings: FindingList


@dataclass(frozen=True, slots=True)
class ArgsPanel(Panel):
    """What would reach the executor."""

    disagree: bool
    rows: tuple[CallRow, ...]
    more: int
    empty: tuple[str, str]
    """A heading and a sentence for a panel without rows."""
    copy_text: str


@dataclass(frozen=True, slots=True)
class AnswerPanel(Panel):
    """The drafted or the pasted answer."""

    draft: Listing | None
    draft_text: str
    pasted: bool
    pairs: tuple[PairRow, ...]
    more: int
    pairs_text: str
    findings: FindingList
    empty: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ValueChip:
    """One value with its count, as a chip."""

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
    """The Contract tab."""

    name: str
    names: tuple[str, ...]
    bare: bool
    """Whether the editor holds a schema without a name of its own."""
    view: ContractView | None
    behavior: str
    rows: tuple[PropertyRow, ...]
    samples: int
    cases: int
    findings: FindingList
    sound: str


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One pinned payload."""

    name: str
    expect: str
    verdict: str
    because: str
    pointer: str
    wanted: bool
    """Whether `because` is a keyword that did not refuse."""
    as_expected: bool
    judged: bool
    inline: tuple[Token, ...]
    payload: Listing | None
    cause: tuple[Part, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class CasesTab:
    """The Cases tab."""

    status: str
    pill: Pill
    by: str
    rows: tuple[CaseRow, ...]
    more: int
    fact: str
    findings: FindingList


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One sample and what the contract says of it."""

    index: int
    icon: str
    inline: tuple[Token, ...]
    source: str
    because: str
    pointer: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class SamplesTab:
    """The Samples tab."""

    status: str
    pill: Pill
    by: str
    rows: tuple[SampleRow, ...]
    total: int
    more: int
    inferred: Listing | None
    inferred_text: str
    tools: int
    findings: FindingList


@dataclass(frozen=True, slots=True)
class Strip:
    """What a structured edit did. `look` is green, ochre or red; `tab` is where it shows, or empty."""

    look: str
    strong: str
    text: str
    tab: str


@dataclass(frozen=True, slots=True)
class View:
    """The whole page."""

    readout: tuple[Part, ...]
    calls: CallsPanel
    args: ArgsPanel
    answer: AnswerPanel
    contract: ContractTab
    cases: CasesTab
    samples: SamplesTab
    marks: dict[str, tuple[Mark, ...]]
    strip: Strip | None
    edited: dict[str, str] = field(default_factory=dict)


def view(report: PanelsReport) -> View:
    """Turn a report into what the page shows."""
    links = _Links(report)
    calls = _calls_panel(report, links)
    args = _args_panel(report, links)
    answer = _answer_panel(report, links)
    return View(
        readout=_readout(report, answer),
        calls=calls,
        args=args,
        answer=answer,
        contract=_contract_tab(report, links),
        cases=_cases_tab(report, links),
        samples=_samples_tab(report, links),
        marks=_marks(report, answer),
        strip=_strip(report.edit),
        edited=dict(report.edit.after) if report.edit else {},
    )


def fid(finding: Finding) -> str:
    """Name a finding by code and place, so that a choice outlives the next verdict."""
    at = finding.at
    place = (
        at.input,
        at.frame,
        at.pointer,
        at.inner,
        finding.code,
        finding.keyword,
        finding.key,
        finding.call_id,
    )
    return f"f{crc32(repr(place).encode('utf-8', 'backslashreplace')):08x}"


# Findings -----------------------------------------------------------------


class _Links:
    """Which call and which property a finding belongs to."""

    def __init__(self, report: PanelsReport) -> None:
        self.calls: dict[Finding, tuple[str, CallReport]] = {}
        for index, call in enumerate(report.extract.calls):
            for finding in call.findings:
                self.calls.setdefault(finding, (call_key(call, index), call))
        self.properties = {row.pointer for view in report.contracts for row in view.properties}

    def row(self, finding: Finding) -> Row:
        """Turn a finding into a row."""
        at = finding.at
        key, call = self.calls.get(finding, (None, None))
        relative = _relative(finding, call)
        own = finding.keyword is not None
        return Row(
            fid=fid(finding),
            code=finding.code,
            severity=finding.severity.value,
            place=f"{at.line}:{at.column}" if at.line is not None else "",
            word=finding.keyword or finding.code,
            keyword=finding.keyword,
            pointer=relative if own else ("" if finding.call_id is None else str(finding.call_id)),
            message=finding.message,
            input=at.input,
            line=at.line,
            column=at.column,
            end_line=at.end_line,
            end_column=at.end_column,
            schema_line=finding.schema_line,
            property=self._property(relative, finding) if own else None,
            call=key,
        )

    def rows(self, findings: Iterable[Finding]) -> tuple[Row, ...]:
        """Turn findings into rows, in their order."""
        return tuple(self.row(finding) for finding in findings)

    def list(self, findings: Iterable[Finding], more: int = 0) -> FindingList:
        """Turn findings into a list with its heading."""
        found = tuple(findings)
        shown = found[:ROWS]
        return FindingList(self.rows(shown), _heading(found), len(found) - len(shown) + more)

    def _property(self, pointer: str, finding: Finding) -> str:
        """Return the payload pointer of the row that this violation is about."""
        if finding.keyword in ("additionalProperties", "unevaluatedProperties") and finding.key is not None:
            pointer = pointer.rpartition("/")[0]
        if pointer in self.properties:
            return pointer
        return re.sub(r"/\d+(?=/|$)", "/*", pointer)


def call_key(call: CallReport, index: int) -> str:
    """Name a call row: frame and place among all calls."""
    return f"{call.frame}-{index}"


def _relative(finding: Finding, call: CallReport | None) -> str:
    """The pointer inside the payload, with the key appended."""
    pointer = finding.at.pointer
    if finding.at.inner is not None:
        pointer = finding.at.inner
    elif call is not None and call.args_pointer and pointer.startswith(call.args_pointer):
        pointer = pointer[len(call.args_pointer) :]
    if finding.key is not None:
        pointer += "/" + finding.key.replace("~", "~0").replace("/", "~1")
    return pointer or "/"


def _heading(findings: tuple[Finding, ...]) -> str:
    counts = {s: sum(1 for f in findings if f.severity is s) for s in Severity}
    if len([n for n in counts.values() if n]) <= 1:
        return _count(len(findings), "finding")
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    return ", ".join(_count(n, words[s]) for s, n in counts.items() if n)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _in_order(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(dict.fromkeys(findings), key=lambda f: (f.at.frame, f.at.line or 0, f.at.column or 0))


# toolCall -----------------------------------------------------------------


def _calls_panel(report: PanelsReport, links: _Links) -> CallsPanel:
    extract = report.extract
    own = [f for f in extract.findings if f.at.input == "calls_text"]
    chip, evidence = _dialect(extract.dialect, extract.evidence)
    unread = next((f for f in own if f.code in _NOT_READ), None)
    if extract.status is Status.IDLE:
        chip, evidence = "no dialect yet", ""
    elif unread is not None and not extract.calls:
        chip, evidence = "not JSON", f"stops at {unread.at.line}:{unread.at.column}" if unread.at.line else ""
    return CallsPanel(
        title=_titles(extract.dialect)[0],
        status=report.statuses["toolCall"].value,
        pill=_calls_pill(report, unread),
        chip=chip,
        evidence=evidence,
        reasons=extract.evidence,
        findings=links.list(_in_order(own), max(0, extract.findings_total - len(extract.findings))),
    )


def _titles(dialect: str) -> tuple[str, str, str]:
    return TITLES.get(dialect, LIVE_TITLES) if dialect != "unknown" else LIVE_TITLES


def _dialect(dialect: str, evidence: tuple[str, ...]) -> tuple[str, str]:
    first = evidence[0].strip("/") if evidence else ""
    where = "" if not first else f"{first} at top level" if "/" not in first else f"by {evidence[0]}"
    return DIALECTS.get(dialect, dialect), where


def _calls_pill(report: PanelsReport, unread: Finding | None) -> Pill:
    extract = report.extract
    status = report.statuses["toolCall"]
    calls = extract.calls
    if status is Status.IDLE:
        return Pill("idle", "IDLE", "nothing pasted")
    unjudged = sum(call.verdict is Verdict.NOT_JUDGED for call in calls)
    if unjudged:
        return Pill("not-judged", "RED", f"{unjudged:,} of {len(calls):,} not judged")
    if any(f.code == "not-judged" for f in extract.findings):
        return Pill("not-judged", "RED", "not judged")
    if status is Status.RED:
        return Pill("red", "RED", _calls_red(report, unread))
    cancelled = sum(len(c.ids) for c in extract.cancellations)
    if calls:
        text = _count(len(calls), "call") + (f", {cancelled:,} cancelled" if cancelled else "")
    elif cancelled:
        text = _count(cancelled, "id") + " cancelled"
    else:
        text = _count(len(extract.frames), "frame") + ", no call"
    return Pill("green", "GREEN", text)


def _calls_red(report: PanelsReport, unread: Finding | None) -> str:
    extract = report.extract
    calls = extract.calls
    if unread is not None and not calls:
        return "cannot be read"
    bad = sum(frame.bad for frame in extract.frames)
    if bad:
        return "bad frame" if len(extract.frames) == 1 else f"{bad:,} of {len(extract.frames):,} frames bad"
    refused = sum(call.verdict is Verdict.REFUSE for call in calls)
    if (
        calls
        and refused == len(calls)
        and all(any(f.code == "call-name-unknown" for f in call.findings) for call in calls)
    ):
        return "no contract fits"
    if refused:
        return f"{refused:,} of {len(calls):,} refused"
    if any(call.verdict is Verdict.CONTRACT_ERROR for call in calls):
        return "contract error"
    if not calls and extract.kind == "unknown":
        return "no frame known"
    errors = sum(f.is_error for f in extract.findings)
    return _count(errors, "error")


# args ---------------------------------------------------------------------


def _args_panel(report: PanelsReport, links: _Links) -> ArgsPanel:
    extract = report.extract
    status = report.statuses["args"]
    refused = [i for i, call in enumerate(extract.calls[:ROWS]) if _look(call) in ("refuse", "not-judged")]
    open_row = refused[0] if refused else 0 if len(extract.calls) == 1 else -1
    rows = tuple(
        _call_row(call, index, index == open_row, index < OPEN_ROWS or index == open_row, links)
        for index, call in enumerate(extract.calls[:ROWS])
    )
    chip, evidence, disagree = _contract_chip(report)
    return ArgsPanel(
        title=_titles(extract.dialect)[1],
        status=status.value,
        pill=_args_pill(report),
        chip=chip,
        evidence=evidence,
        disagree=disagree,
        rows=rows,
        more=len(extract.calls) - len(rows),
        empty=_args_empty(report),
        copy_text="\n".join(row.args_text for row in rows),
    )


def _args_empty(report: PanelsReport) -> tuple[str, str]:
    if report.extract.status is Status.IDLE:
        return "Each call becomes a row", "What would reach the executor, or why it must not."
    if any(f.code in _NOT_READ for f in report.extract.findings):
        return (
            "Nothing is read from broken text",
            "Guessing here could run the wrong call. Repair the paste first; the repaired text is judged as new.",
        )
    if any(frame.bad for frame in report.extract.frames):
        return (
            "Nothing is read from a bad frame",
            "No call of it may be acted on. The reason stands beside its line.",
        )
    return "No call in this paste", "Nothing would reach the executor."


def _look(call: CallReport) -> str:
    return "cancelled" if call.cancelled else call.verdict.value


def _call_row(call: CallReport, index: int, is_open: bool, laid_out: bool, links: _Links) -> CallRow:
    look = _look(call)
    errors = [f for f in call.findings if f.is_error]
    text = call.args.text if call.args is not None else (call.args_text or "")
    small = len(text) <= ARGS_SIZE
    return CallRow(
        key=call_key(call, index),
        frame=call.frame,
        index=index,
        id="no id" if call.id is None else str(call.id),
        name=call.name or "no name",
        look=look,
        verdict=look.replace("-", " "),
        sentence=_call_sentence(call, look, errors),
        inline=inline(text) if look in ("accept", "unchecked") and text else (),
        args=_args_listing(call, text, links) if laid_out and small and text else None,
        args_text=text,
        derived=call.parsed_once,
        open=is_open,
        rows=links.rows(f for f in call.findings if not _has_place_in(f, call)),
        can_pin=call.args is not None or call.args_text is not None,
    )


def _call_sentence(call: CallReport, look: str, errors: list[Finding]) -> str:
    if look == "cancelled":
        return "Do not run it. If it already ran, try to undo it."
    if look == "refuse":
        return f"{_count(len(errors), 'reason')}. Answer with an error, do not run it."
    if look == "not-judged":
        return errors[0].message if errors else "Not finished is not green. Do not run it."
    if look == "contract-error":
        return "The contract itself is bad, so nothing is known of this call."
    if look == "unchecked" and not call.args_text:
        return "No contract, no args."
    return ""


def _has_place_in(finding: Finding, call: CallReport) -> bool:
    """Whether the finding shows in the laid-out args, so that it needs no row of its own."""
    if call.args is None or not call.args_pointer or finding.keyword is None:
        return False
    return finding.at.inner is not None or finding.at.pointer.startswith(call.args_pointer)


def _args_listing(call: CallReport, text: str, links: _Links) -> Listing:
    if call.args is None:
        return listing(text)
    laid_out = reformat(text)
    json = JsonText(laid_out)
    node, _ = json.scan()
    root = Cursor(json, node)
    spots = [
        spot
        for finding in call.findings
        if _has_place_in(finding, call)
        for spot in _spots(root, finding, call, links)
    ]
    return listing(laid_out, spots)


def _spots(root: Cursor, finding: Finding, call: CallReport, links: _Links) -> Iterable[Spot]:
    pointer = finding.at.inner
    if pointer is None:
        pointer = finding.at.pointer[len(call.args_pointer or "") :]
    yield from payload_spots(root, pointer, finding)


def payload_spots(root: Cursor, pointer: str, finding: Finding) -> Iterable[Spot]:
    """Find the value, or the key where the key is what is wrong, in a laid-out payload."""
    value = root.at(pointer)
    if value is None:
        return
    member = value.get(finding.key) if finding.key is not None else None
    json = root.json
    if member is not None:
        start, end = json.key_start[member.node], json.key_end[member.node]
    else:
        start, end = json.start[value.node], json.end[value.node]
        if value.is_object or value.is_array:
            end = start + 1
    hook = Hook(finding.keyword or finding.code, _short(finding.message), finding.schema_line)
    yield Spot(start, end, finding.severity.value, fid(finding), hook)


_SUBJECT: Final = re.compile(r'^(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[\w.+-]+) is (?=not )')


def _short(message: str) -> str:
    """The first sentence without its subject: the line above says what it is about."""
    first = re.split(r"\.(?: |$)", message, maxsplit=1)[0]
    return _SUBJECT.sub("", first)


def _args_pill(report: PanelsReport) -> Pill:
    calls = report.extract.calls
    status = report.statuses["args"]
    counts: dict[str, int] = {}
    for call in calls:
        counts[_look(call)] = counts.get(_look(call), 0) + 1
    if counts.get("not-judged") or any(f.code == "not-judged" for f in report.extract.findings):
        return Pill("not-judged", "RED", "not judged, over its time")
    if not calls:
        return (
            Pill("red", "RED", "no calls read") if status is Status.RED else Pill("idle", "IDLE", "no calls")
        )
    order = ("accept", "refuse", "contract-error", "unchecked", "cancelled")
    text = ", ".join(f"{counts[look]:,} {look.replace('-', ' ')}" for look in order if counts.get(look))
    return Pill(status.value, status.value.upper(), text)


def _contract_chip(report: PanelsReport) -> tuple[str, str, bool]:
    """Name the contract that judged, its draft, and whether the engines disagree."""
    names = list(dict.fromkeys(call.name for call in report.extract.calls if call.name))
    known = {view.name: view for view in report.contracts}
    used = [name for name in names if name in known]
    if not known:
        return "no contract", "calls are unchecked" if names else "", False
    if not names:
        return (report.chosen or next(iter(known))), "ready", False
    if not used:
        return "no contract fits", "", False
    name = used[0] if len(used) == 1 else f"{len(used):,} contracts"
    schema = known[used[0]].schema
    parts = [f"{_draft(schema.text if schema else '')} contract"]
    opinion = report.second_opinion
    disagree = opinion is not None and not opinion.agrees
    if opinion is not None:
        parts.append("engines disagree" if disagree else "2 engines agree")
    return name, ", ".join(parts), disagree


def _draft(schema: str) -> str:
    """Name the draft of a schema text, as people call it."""
    match = re.search(r'"\$schema"\s*:\s*"[^"]*?(draft-0?\d|\d{4}-\d{2})/schema', schema)
    return match[1] if match else "2020-12"


# toolResponse -------------------------------------------------------------


def _answer_panel(report: PanelsReport, links: _Links) -> AnswerPanel:
    pasted = report.answer is not None
    draft_text = (report.draft.text if report.draft else None) or ""
    of_calls = set(report.extract.findings)
    known = [*report.pair.findings, *(report.answer.findings if report.answer else ())]
    if report.draft is not None:
        known += report.draft.findings
    own = _in_order(f for f in known if f not in of_calls)
    ledger = report.pair.ledger
    pairs = tuple(
        _pair_row(row, report, links, own)
        for row in ledger[:ROWS]
        if row.call_frame is not None and _is_pair(row)
    )
    in_rows = {row.fid for pair in pairs for row in pair.rows}
    listed = [f for f in own if fid(f) not in in_rows]
    dialect = report.answer.dialect if report.answer else report.extract.dialect
    chip, evidence = (
        _dialect(dialect, report.answer.evidence) if report.answer else ("Draft", "follows the calls")
    )
    if not pasted and not draft_text:
        evidence = ""
    good, total = _pair_counts(ledger)
    return AnswerPanel(
        title=_titles(report.extract.dialect)[2],
        status=report.statuses["toolResponse"].value,
        pill=_answer_pill(report, good, total),
        chip=chip,
        evidence=evidence,
        draft=_draft_listing(draft_text, report, own) if draft_text else None,
        draft_text=draft_text,
        pasted=pasted,
        pairs=pairs,
        more=max(0, len(ledger) - ROWS),
        pairs_text=f"{good:,} of {total:,}" if total else "",
        findings=links.list(listed),
        empty=_answer_empty(report),
    )


def _is_pair(row: LedgerRow) -> bool:
    """Whether the row stands in the list of pairs: answered as it should be, or cancelled."""
    if row.state == "cancelled":
        return not any(f.is_error for f in row.findings if f.code.startswith("response"))
    return row.state in ("answered", "errored") and not _answer_errors(row)


def _answer_errors(row: LedgerRow) -> list[Finding]:
    """Errors of the answer; those of the call stand in the toolCall panel."""
    return [f for f in row.findings if f.is_error and f.at.input != "calls_text"]


def _pair_counts(ledger: tuple[LedgerRow, ...]) -> tuple[int, int]:
    calls = [row for row in ledger if row.call_frame is not None and row.state != "cancelled"]
    good = sum(row.state in ("answered", "errored") and not _answer_errors(row) for row in calls)
    return good, len(calls)


def _pair_row(row: LedgerRow, report: PanelsReport, links: _Links, own: list[Finding]) -> PairRow:
    mine = [
        f for f in own if f in row.findings or (f.call_id == row.id and row.id is not None and not f.is_error)
    ]
    text = {"answered": "result", "errored": "error", "cancelled": "cancelled, gets no answer"}[row.state]
    if row.state == "errored" and report.draft is not None:
        text = f"error, {'invalid_args' if row.verdict is Verdict.REFUSE else 'tool_failed'}"
        if any(f.code == "call-name-unknown" for f in row.findings):
            text = "error, unknown_function"
    if any(f.code == "response-empty" for f in mine) and report.draft is not None:
        text = "result, {} for now"
    return PairRow(
        id="no id" if row.id is None else str(row.id),
        icon="idle" if row.state == "cancelled" else "good",
        text=text,
        place=f"line {row.response_line}" if row.response_line else "",
        line=row.response_line,
        rows=links.rows(f for f in mine if not f.is_error),
    )


def _answer_pill(report: PanelsReport, good: int, total: int) -> Pill:
    status = report.statuses["toolResponse"]
    verdicts = {call.verdict for call in report.extract.calls}
    if Verdict.NOT_JUDGED in verdicts or any(f.code == "not-judged" for f in report.findings):
        return Pill("not-judged", "RED", "not judged")
    if status is Status.IDLE:
        return Pill("idle", "IDLE", "no calls")
    if not total:
        if status is Status.GREEN:
            return Pill("green", "GREEN", "nothing to answer")
        unread = report.answer is not None and any(f.code in _NOT_READ for f in report.answer.findings)
        return Pill("red", "RED", "cannot be read" if unread else "nothing to answer")
    return Pill(status.value, status.value.upper(), f"pairs {good:,} of {total:,}")


def _draft_listing(text: str, report: PanelsReport, own: list[Finding]) -> Listing:
    checks = [row.response_line for row in report.pair.ledger if row.response_line and _is_pair(row)]
    json = JsonText(text)
    lines = text.count("\n") + 1
    spots = []
    for finding in own:
        at = finding.at
        if at.input in ("calls_text", "contracts_text") or at.line is None or at.line > lines:
            continue
        start = json.offset(at.line, at.column or 1)
        spots.append(Spot(start, start + 1, finding.severity.value, fid(finding)))
    return listing(text, spots, checks)


def _answer_empty(report: PanelsReport) -> tuple[str, str]:
    extract = report.extract
    if any(call.verdict is Verdict.NOT_JUDGED for call in extract.calls):
        return "Not finished is not green", "No answer is drafted for a call that was not judged."
    if extract.status is Status.IDLE:
        return "The answer drafts itself", "One entry per call, same id and name, an error for each refusal."
    if any(frame.bad for frame in extract.frames):
        return "No draft", "A bad frame is not answered: nothing in it may be acted on, not even its ids."
    if extract.calls and all(call.cancelled for call in extract.calls):
        return "No draft", "Every call is cancelled, and a cancelled call gets no answer."
    return "No draft", "There is no id to answer yet."


# Readout ------------------------------------------------------------------


def _readout(report: PanelsReport, answer: AnswerPanel) -> tuple[Part, ...]:
    parts = _outcome(report, answer)
    cases = report.cases
    failing = [r for r in cases.results if not r.as_expected] if cases else []
    if failing:
        wanted = "which must be refused" if failing[0].expect == "refuse" else "which must be accepted"
        parts += [
            Part("strong", f" {_count(len(failing), 'case')} {_is(len(failing))} not as expected:"),
            Part("", " the contract says otherwise of "),
            Part("code", failing[0].name),
            Part("", f", {wanted}."),
        ]
    return tuple(parts)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _outcome(report: PanelsReport, answer: AnswerPanel) -> list[Part]:
    extract = report.extract
    calls = extract.calls
    if any(f.code == "not-judged" for f in report.findings) or any(
        c.verdict is Verdict.NOT_JUDGED for c in calls
    ):
        return [Part("strong", "Not judged."), Part("", " Not finished is not green: run nothing of it.")]
    if extract.status is Status.IDLE:
        return [Part("strong", "Nothing pasted."), Part("", " Paste a frame and each call is judged here.")]
    if answer.pasted and report.statuses["toolResponse"] is Status.RED:
        return [Part("strong", "Do not send this answer."), *_why_not_send(report)]
    first = next((f for f in extract.findings if f.is_error), None)
    if not calls and first is not None:
        unread = first.code in _NOT_READ
        head = "The paste cannot be read." if unread else "Nothing here may be acted on."
        return [Part("strong", head), Part("", f" {first.message}")]
    if not calls:
        ids = [str(i) for c in extract.cancellations for i in c.ids]
        if ids:
            return [Part("strong", f"{_count(len(ids), 'id')} cancelled."), *_names(" Do not run ", ids, ".")]
        return [Part("strong", "No call in this paste."), Part("", " Nothing would reach the executor.")]
    return _may_run(report, answer)


def _may_run(report: PanelsReport, answer: AnswerPanel) -> list[Part]:
    calls = report.extract.calls
    live = [call for call in calls if not call.cancelled]
    if live and all(call.verdict is Verdict.UNCHECKED for call in live):
        return [
            Part("strong", f"{_count(len(live), 'call')}, unchecked."),
            Part(
                "", " No contract has looked at it." if len(live) == 1 else " No contract has looked at them."
            ),
        ]
    run = sum(call.executable for call in calls)
    parts = [Part("strong", _how_many(run, len(calls)))]
    cancelled = [str(call.id) for call in calls if call.cancelled]
    if cancelled:
        parts += _names(" ", cancelled, f" {_is(len(cancelled))} cancelled: do not run.")
    refused = [call for call in calls if call.verdict is Verdict.REFUSE and not call.cancelled]
    if len(refused) == 1:
        call = refused[0]
        keys = list(dict.fromkeys(_subject(f, call) for f in call.findings if f.is_error))
        names = [key for key in keys if key]
        parts += [Part("", " "), Part("code", _id(call)), Part("", " is refused")]
        parts += _names(" for ", names, ".") if names else [Part("", ".")]
    elif refused:
        parts += _names(" ", [_id(call) for call in refused], " are refused.")
    if not answer.pasted and answer.draft_text:
        whom = "it" if len(live) == 1 else "both" if len(live) == 2 else "each"
        parts.append(Part("", f" The draft answers {whom}."))
    elif answer.pasted:
        parts.append(Part("", " The answer pairs with the calls."))
    return parts


def _how_many(run: int, total: int) -> str:
    if run == total:
        return (
            "The call may run."
            if total == 1
            else "Both calls may run."
            if total == 2
            else f"All {total:,} calls may run."
        )
    if not run:
        return "The call may not run." if total == 1 else f"None of {total:,} calls may run."
    return f"{run:,} of {total:,} calls may run."


def _id(call: CallReport) -> str:
    return str(call.id) if call.id is not None else call.name or "a call without id"


def _subject(finding: Finding, call: CallReport) -> str:
    """The key a violation is about, or the code where it is about the call."""
    if finding.keyword is None:
        return finding.code
    pointer = _relative(finding, call)
    return pointer.rpartition("/")[2] or "args"


def _names(before: str, names: list[str], after: str) -> list[Part]:
    """Write names as `a`, `b` and `c`; at most three."""
    shown = names[:3] if len(names) <= 3 else names[:2]
    parts = [Part("", before)]
    for index, name in enumerate(shown):
        last = index == len(shown) - 1 and len(names) <= 3
        if index:
            parts.append(Part("", " and " if last else ", "))
        parts.append(Part("code", name if len(name) <= 60 else name[:59] + "…"))
    if len(names) > 3:
        parts.append(Part("", f" and {len(names) - 2:,} more"))
    parts.append(Part("", after))
    return parts


def _why_not_send(report: PanelsReport) -> list[Part]:
    orphans = [str(row.id) for row in report.pair.ledger if row.state == "orphan" and row.id is not None]
    open_ids = [str(row.id) for row in report.pair.ledger if row.state == "pending" and row.id is not None]
    parts: list[Part] = []
    if orphans:
        parts += _names(" The model never used ", orphans, "")
    if open_ids:
        parts += _names(
            "; " if orphans else " ", open_ids, " stays open" if len(open_ids) == 1 else " stay open"
        )
    if parts:
        return [*parts, Part("", ".")]
    known = [*report.pair.findings, *(report.answer.findings if report.answer else ())]
    of_calls = set(report.extract.findings)
    first = next((f for f in known if f.is_error and f not in of_calls), None)
    return [Part("", f" {first.message}")] if first else []


# Contract -----------------------------------------------------------------


def _contract_tab(report: PanelsReport, links: _Links) -> ContractTab:
    chosen = next((c for c in report.contracts if c.name == report.chosen), None)
    text = report.inputs.contracts_text.strip()
    bare = not text or (
        len(report.contracts) == 1
        and chosen is not None
        and chosen.schema is not None
        and chosen.schema.text == text
    )
    own = [f for f in report.findings if f.at.input in ("contracts_text", "contracts", "schema")]
    own += [f for c in report.contracts for f in c.findings]
    behavior = {"BLOCKING": "BLOCKING, the next sentence waits", "NON_BLOCKING": "NON_BLOCKING"}
    return ContractTab(
        name=(chosen.name if chosen else report.inputs.contract_name) or "",
        names=tuple(c.name for c in report.contracts),
        bare=bare,
        view=chosen,
        behavior=behavior.get(chosen.behavior or "", chosen.behavior or "") if chosen else "",
        rows=tuple(_property_row(p) for p in chosen.properties[:ROWS]) if chosen else (),
        samples=len(report.samples),
        cases=len(report.cases.results) if report.cases else 0,
        findings=links.list(_in_order(own)),
        sound=f"Sound draft {_draft(chosen.schema.text if chosen.schema else '')} schema"
        if chosen and chosen.sound
        else "",
    )


def _property_row(row: Property) -> PropertyRow:
    values = row.enum if row.enum is not None else (row.seen or ())
    scalar = not {"object", "array", "boolean", "null"} & set(row.types) and bool(row.types)
    enum = True if row.enum is not None else False if scalar and row.seen else None
    return PropertyRow(
        pointer=row.pointer,
        name=row.name if row.pointer else "the object",
        depth=row.depth,
        types=", ".join(row.types) or "any",
        required=row.required,
        closed=row.closed,
        enum=enum,
        values=tuple(ValueChip(_clip(v.value.text), v.count) for v in values[:12]),
        more_values=max(0, len(values) - 12),
        bounds=tuple((keyword, value.text) for keyword, value in row.bounds.items()),
        evidence=_evidence(row),
        suggestions=tuple((s.id, _adds(s.keyword, s.value.text), s.reason) for s in row.suggestions),
        schema_line=row.schema_line,
    )


def _evidence(row: Property) -> tuple[tuple[str, str], ...]:
    pieces: list[tuple[str, str]] = []
    if row.pointer and row.of:
        pieces.append((f"{row.present:,} of {row.of:,}", ""))
    if row.other_keys is not None and row.of:
        pieces.append((_count(row.other_keys, "other key"), f"in {row.present or row.of:,}"))
    if row.seen and row.present and "boolean" not in row.types:
        pieces.append((_count(len(row.seen), "value"), f"in {row.present:,}"))
    return tuple(pieces)


def _adds(keyword: str, value: str) -> str:
    """Say what a suggestion adds: `enum: 2 values`, `required`, `maximum: 4000`."""
    if keyword == "required":
        return "required"
    if keyword == "enum":
        json = JsonText(value)
        node, _ = json.scan()
        return f"enum: {_count(len(Cursor(json, node)), 'value')}"
    return f"{keyword}: {_clip(value)}"


def _clip(text: str, size: int = 40) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


# Cases and samples --------------------------------------------------------


def _cases_tab(report: PanelsReport, links: _Links) -> CasesTab:
    results = report.cases.results if report.cases else ()
    good = sum(r.as_expected for r in results)
    unjudged = sum(r.verdict is Verdict.NOT_JUDGED for r in results)
    status = report.statuses["cases"]
    if unjudged:
        pill = Pill("not-judged", "RED", f"{unjudged:,} of {len(results):,} not judged")
    elif not results:
        red = status is Status.RED
        pill = Pill("red", "RED", "cannot be read") if red else Pill("idle", "IDLE", "no cases")
    else:
        pill = Pill(status.value, status.value.upper(), f"{good:,} of {len(results):,} as expected")
    own = [f for f in report.findings if f.at.input == "cases_text"]
    if report.cases is not None:
        own += report.cases.findings
    return CasesTab(
        status=status.value,
        pill=pill,
        by=report.chosen or "",
        rows=tuple(_case_row(r, links) for r in results[:ROWS]),
        more=max(0, len(results) - ROWS),
        fact=f"{good:,} of {len(results):,}" if results else "",
        findings=links.list(_in_order(own)),
    )


def _case_row(result: CaseResult, links: _Links) -> CaseRow:
    refusing = next((f for f in result.findings if f.keyword is not None), None)
    wanted = result.because is not None and not any(f.keyword == result.because for f in result.findings)
    text = result.payload.text if result.payload else ""
    listed: Listing | None = None
    if not result.as_expected and text and len(text) <= ARGS_SIZE:
        laid_out = reformat(text)
        json = JsonText(laid_out)
        node, _ = json.scan()
        root = Cursor(json, node)
        spots = [s for f in result.findings for s in payload_spots(root, f.at.pointer, f)]
        listed = listing(laid_out, spots)
    return CaseRow(
        name=result.name,
        expect=result.expect,
        verdict=result.verdict.value.replace("-", " "),
        because=(result.because or "") if wanted else refusing.keyword or "" if refusing else "",
        pointer="" if wanted or refusing is None else _relative(refusing, None),
        wanted=wanted,
        as_expected=result.as_expected,
        judged=result.verdict is not Verdict.NOT_JUDGED,
        inline=inline(text) if text else (),
        payload=listed,
        cause=_case_cause(result, wanted),
        rows=links.rows(result.findings),
    )


def _case_cause(result: CaseResult, wanted: bool) -> tuple[Part, ...]:
    if result.as_expected:
        return ()
    if result.verdict is Verdict.ACCEPT:
        parts = [Part("strong", "Nothing in the contract refuses it.")]
        if result.because:
            parts += [Part("", " The case waits for "), Part("code", result.because), Part("", ".")]
        return tuple(parts)
    if result.verdict is Verdict.REFUSE and wanted:
        return (
            Part("strong", "Refused, but not for "),
            Part("code", result.because or ""),
            Part("strong", "."),
            Part("", " Another keyword speaks first or alone."),
        )
    if result.verdict is Verdict.REFUSE:
        first = next((f for f in result.findings if f.is_error), None)
        return (Part("strong", "The contract refuses it."), Part("", f" {first.message}" if first else ""))
    if result.verdict is Verdict.UNCHECKED:
        return (Part("strong", "No contract has looked at it."),)
    first = next((f for f in result.findings if f.is_error), None)
    return (Part("strong", "Not judged."), Part("", f" {first.message}" if first else ""))


def _samples_tab(report: PanelsReport, links: _Links) -> SamplesTab:
    samples = report.samples
    status = report.statuses["samples"]
    rejected = sum(s.verdict is Verdict.REFUSE for s in samples)
    unjudged = sum(s.verdict is Verdict.NOT_JUDGED for s in samples)
    if unjudged:
        pill = Pill("not-judged", "RED", f"{unjudged:,} of {len(samples):,} not judged")
    elif not samples:
        red = status is Status.RED
        pill = Pill("red", "RED", "cannot be read") if red else Pill("idle", "IDLE", "no samples")
    elif status is Status.GREEN:
        pill = Pill("green", "GREEN", f"{len(samples):,} accepted")
    elif status is Status.RED:
        text = f"{rejected:,} of {len(samples):,} rejected" if rejected else "contract error"
        pill = Pill("red", "RED", text)
    else:
        pill = Pill("idle", "IDLE", f"{len(samples):,} unchecked")
    inferred = report.inferred
    schema = inferred.schema.text if inferred and inferred.schema else ""
    own = [f for f in report.findings if f.at.input == "samples_text"]
    return SamplesTab(
        status=status.value,
        pill=pill,
        by=report.chosen or "",
        rows=tuple(_sample_row(i, s, links) for i, s in enumerate(samples[:ROWS])),
        total=len(samples),
        more=max(0, len(samples) - ROWS),
        inferred=listing(schema) if schema else None,
        inferred_text=schema,
        tools=len(inferred.contracts) if inferred else 0,
        findings=links.list(_in_order(own)),
    )


def _sample_row(index: int, sample: SampleReport, links: _Links) -> SampleRow:
    icons = {Verdict.ACCEPT: "good", Verdict.REFUSE: "bad", Verdict.NOT_JUDGED: "hourglass"}
    first = next((f for f in sample.findings if f.is_error), None)
    return SampleRow(
        index=index,
        icon=icons.get(sample.verdict, "idle"),
        inline=inline(sample.payload.text),
        source=sample.source,
        because=(first.keyword or first.code) if first else "",
        pointer=_relative(first, None) if first and first.keyword else "",
        rows=links.rows(sample.findings),
    )


# Marks and the strip ------------------------------------------------------


def _marks(report: PanelsReport, answer: AnswerPanel) -> dict[str, tuple[Mark, ...]]:
    """Return the marks of each editor: findings where they stand, and checks on what is good."""
    marks: dict[str, list[Mark]] = {"calls_text": [], "responses_text": [], "contracts_text": []}
    known = [*report.findings, *report.extract.findings, *report.pair.findings]
    if report.answer is not None:
        known += report.answer.findings
    for finding in _in_order(known)[: 2 * ROWS]:
        at = finding.at
        if at.input in marks and at.line is not None:
            marks[at.input].append(_mark(finding, at.line, at.column, at.end_line, at.end_column))
        if finding.schema_line is not None and report.inputs.contracts_text:
            marks["contracts_text"].append(_mark(finding, finding.schema_line, 1, finding.schema_line, 1))
    for call in report.extract.calls[:ROWS]:
        if call.executable and call.verdict is Verdict.ACCEPT:
            marks["calls_text"].append(_check(call.line))
    if answer.pasted:
        for row in report.pair.ledger[:ROWS]:
            if row.response_line and _is_pair(row):
                marks["responses_text"].append(_check(row.response_line))
    return {name: tuple(found) for name, found in marks.items()}


def _mark(
    finding: Finding, line: int, column: int | None, end_line: int | None, end_column: int | None
) -> Mark:
    return Mark(
        fid=fid(finding),
        severity=finding.severity.value,
        code=finding.code,
        line=line,
        column=column or 1,
        end_line=end_line or line,
        end_column=end_column or column or 1,
    )


def _check(line: int) -> Mark:
    return Mark("", "ok", "", line, 1, line, 1)


def _strip(edit: Edit | None) -> Strip | None:
    if edit is None or not (edit.message or edit.proof):
        return None
    if edit.proof is None:
        red = any(f.is_error for f in edit.findings)
        return Strip("red" if red else "plain", "", edit.message, "")
    looks = {
        "yes": ("green", "Proven narrower."),
        "no": ("red", "Wider."),
        "not-proven": ("ochre", "Not proven narrower."),
    }
    look, strong = looks[edit.proof.narrower]
    return Strip(look, strong, edit.message, "contract")
