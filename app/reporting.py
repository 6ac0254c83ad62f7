"""Judged values to reports: what an answer shows of a paste, an exchange and a draft."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from app import contract as contracts_of
from app import dialects, judge, limits, session
from app import respond as answers
from app.contract import Contracts
from app.events import FollowUp, Frame
from app.judge import Judged, JudgedCall, JudgedFrame
from app.ledger import Entry
from app.model import Finding, Location, Options, Raw, Severity, Status, status_of
from app.reports import (
    CallReport,
    CancellationReport,
    ClassifyReport,
    DeclarationReport,
    DraftedResponse,
    ExtractReport,
    FrameReport,
    LedgerRow,
    LedgerSummary,
    PairReport,
    RespondReport,
    ResponseReport,
    TurnReport,
)
from app.turns import INCOMPLETE, Turn, of_message

EXTRACT_CODES = frozenset({"call-id-duplicate", "response-duplicate"})
"""What the ledger may say of a paste that is no whole exchange."""

Outcomes = tuple[dict[str, answers.Outcome], tuple[Raw, ...], tuple[Finding, ...]]
"""Results and errors by call id, results in call order, and what is wrong with them."""


def cut(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], int]:
    """Return the findings in order of place, at most limits.FINDINGS, and how many there were."""
    ordered = sorted(findings, key=lambda f: (f.at.frame, f.at.line or 0, f.at.column or 0))
    return tuple(ordered[: limits.FINDINGS]), len(ordered)


def extract_report(paste: Judged, known: Contracts, options: Options) -> ExtractReport:
    """Report everything that was read of a paste, judged."""
    read, judged, cancelled = paste.session, paste.frames, paste.cancelled
    followed = judge.so_far(paste)
    extra = [finding for finding in followed.findings if finding.code in EXTRACT_CODES]
    findings = [*read.findings, *known.all_findings(), *judge.declaration_findings(known), *extra]
    for item in judged:
        findings.extend(item.all_findings)
    shown, total = cut(findings)
    by_frame: dict[int, list[Finding]] = {}
    for finding in extra:
        by_frame.setdefault(finding.at.frame, []).append(finding)
    calls = tuple(_call_report(each, cancelled, extra) for item in judged for each in item.calls)
    return ExtractReport(
        status=Status.IDLE if read.blank else status_of(findings),
        dialect=read.dialect,
        kind=read.kind,
        evidence=read.evidence,
        rivals=read.frames[0].rivals if read.frames else (),
        casing=read.casing,
        frames=tuple(_frame_report(item, by_frame.get(item.frame.index, ())) for item in judged),
        turns=tuple(_turn_report(turn) for turn in read.turns),
        calls=calls,
        responses=tuple(_response_report(each, extra) for item in judged for each in item.responses),
        cancellations=tuple(report for item in judged for report in _cancellation_reports(item)),
        declarations=tuple(report for item in judged for report in _declaration_reports(item.frame, options)),
        notes=read.notes,
        findings=shown,
        findings_total=total + read.dropped,
    )


def _turn_report(turn: Turn) -> TurnReport:
    return TurnReport(
        tuple(frame.index for frame in turn.frames),
        turn.kind,
        turn.reason,
        turn.finish_reason,
        turn.text,
        turn.thoughts,
    )


def classify_report(paste: Judged) -> ClassifyReport:
    """Report what one finished model turn is; what is no turn is `unknown` and red."""
    read = paste.session
    findings = [*read.findings, *(finding for item in paste.frames for finding in item.all_findings)]
    turn = read.turns[0] if len(read.turns) == 1 and len(read.turns[0].frames) == len(read.frames) else None
    if turn is None and len(read.frames) == 1:
        turn = of_message(read.frames[0])
    if turn is None and status_of(findings) is not Status.RED:
        at = read.frames[0].at if read.frames else None
        findings.append(
            Finding(
                "unknown-frame",
                Severity.ERROR,
                "This is no finished model turn. Paste one response body, or all chunks of one stream.",
                at.location if at is not None else Location(read.input),
            )
        )
    shown, total = cut(findings)
    held = turn is None or turn.kind in INCOMPLETE
    return ClassifyReport(
        status=Status.RED if held else status_of(findings),
        kind=turn.kind if turn is not None else dialects.UNKNOWN,
        reason=turn.reason if turn is not None else None,
        finish_reason=turn.finish_reason if turn is not None else None,
        calls=tuple(_call_report(each, ()) for item in paste.frames for each in item.calls),
        text=turn.text if turn is not None else "",
        model_content=turn.model_content if turn is not None else None,
        findings=shown,
        findings_total=total,
    )


def _frame_report(item: JudgedFrame, extra: Sequence[Finding]) -> FrameReport:
    frame = item.frame
    return FrameReport(
        frame.index,
        frame.line,
        frame.dialect,
        frame.kind,
        frame.direction,
        status_of([*item.all_findings, *extra] if extra else item.all_findings),
        item.bad,
    )


def _call_report(
    each: JudgedCall, cancelled: Collection[str | int | None], extra: Sequence[Finding] = ()
) -> CallReport:
    call = each.call
    args = call.args.object
    is_cancelled = call.id in cancelled
    mine = tuple(f for f in extra if f.call_id == call.id and f.code == "call-id-duplicate")
    return CallReport(
        frame=call.frame,
        id=call.id,
        name=call.name,
        args=args.raw if args is not None else Raw("{}") if call.args.empty else None,
        args_text=call.args.at.text if call.args.at is not None else None,
        args_encoding=call.args.encoding,
        parsed_once=call.args.encoding == "json-string" and call.args.object is not None,
        pointer=call.at.pointer,
        args_pointer=call.args.at.pointer if call.args.at is not None else None,
        line=call.at.line,
        verdict=each.verdict,
        executable=each.executable and not is_cancelled,
        cancelled=is_cancelled,
        findings=(*each.findings, *mine),
    )


def _response_report(each: judge.JudgedResponse, extra: Sequence[Finding] = ()) -> ResponseReport:
    response = each.response
    hint = response.scheduling[0] if response.scheduling else None
    mine = tuple(f for f in extra if f.call_id == response.id and f.code == "response-duplicate")
    return ResponseReport(
        frame=response.frame,
        id=response.id,
        name=response.name,
        pointer=response.at.pointer,
        line=response.at.line,
        is_error=response.is_error,
        output=response.output.raw if response.output is not None else None,
        error=response.error.raw if response.error is not None else None,
        scheduling=hint.value if hint is not None else None,
        scheduling_at=hint.place if hint is not None else None,
        findings=(*each.findings, *mine),
    )


def _cancellation_reports(item: JudgedFrame) -> list[CancellationReport]:
    return [
        CancellationReport(
            each.frame,
            each.ids,
            each.at.pointer,
            each.at.line,
            tuple(finding for finding in item.findings if finding.code.startswith("cancel-")),
        )
        for each in item.frame.cancellations
    ]


def _declaration_reports(frame: Frame, options: Options) -> list[DeclarationReport]:
    return [
        DeclarationReport(
            frame.index,
            each.name,
            each.description,
            each.behavior,
            each.parameters.source.raw if each.parameters is not None else None,
            each.result.source.raw if each.result is not None else None,
            each.at.pointer,
            each.at.line,
            each.findings,
        )
        for each in contracts_of.declared(frame.declarations, options).items
    ]


def pair_report(asked: Judged, cancelled: Judged, given: Judged, known: Contracts) -> PairReport:
    """Report how calls and answers pair; the exchange is complete."""
    # A call among the answers is no call of this exchange; that it is no answer is said below.
    answering = tuple(replace(item, calls=()) for item in given.frames)
    judged = (*asked.frames, *cancelled.frames, *answering)
    followed = judge.exchange(judged)
    main = (given if asked.session.blank else asked).session
    report = _exchange_report(judged, (asked, cancelled, given), main, followed, known)
    report = _with(report, _of_other_dialects(asked, given))
    is_red = any(finding.is_error and finding.at.input == given.session.input for finding in report.findings)
    if given.session.blank or is_red or any(item.responses for item in answering):
        return replace(report, kind=asked.session.kind)
    return replace(_with(report, [_no_answers(given.session)]), kind=asked.session.kind)


def _with(report: PairReport, more: Sequence[Finding]) -> PairReport:
    """Add findings to a report."""
    if not more:
        return report
    findings, total = cut((*report.findings, *more))
    total += report.findings_total - len(report.findings)
    return replace(report, status=status_of(findings), findings=findings, findings_total=total)


def _of_other_dialects(asked: Judged, given: Judged) -> list[Finding]:
    """Return a finding for each frame that answers calls of a format in which it cannot answer them."""
    spoken = {
        dialect for item in asked.frames if item.calls for dialect in (item.frame.dialect, *item.frame.rivals)
    }
    titles = " or ".join(sorted(each.title for name in spoken if (each := dialects.by_id(name)) is not None))
    return [
        Finding(
            "response-dialect",
            Severity.ERROR,
            f"The calls are {titles}'s, and this is no answer of that format. Write it as the calls are.",
            item.frame.at.location,
        )
        for item in given.frames
        if item.responses
        and item.frame.at is not None
        and spoken
        and spoken.isdisjoint((item.frame.dialect, *item.frame.rivals))
    ]


def session_report(paste: Judged, known: Contracts, options: Options) -> PairReport:
    """Report a whole session: its ledger, and what goes wrong over its length."""
    followed = judge.follow(paste, options)
    return _exchange_report(paste.frames, (paste,), paste.session, followed, known)


def _exchange_report(
    judged: Sequence[JudgedFrame],
    pastes: Sequence[Judged],
    main: session.Session,
    followed: judge.Exchange,
    known: Contracts,
) -> PairReport:
    findings = [*known.all_findings(), *judge.declaration_findings(known)]
    for paste in pastes:
        findings.extend(paste.session.findings)
    for item in judged:
        findings.extend(item.all_findings)
    findings.extend(followed.findings)
    shown, total = cut(findings)
    verdicts = {id(each.call): each for item in judged for each in item.calls}
    answers_read = [each for item in judged for each in item.responses]
    of_responses = {id(each.response): each.findings for each in answers_read}
    rows = tuple(
        _ledger_row(
            entry,
            verdicts.get(id(entry.call)),
            (*of_responses.get(id(entry.response), ()), *followed.by_entry.get(id(entry), ())),
        )
        for entry in followed.entries
        if entry.call or entry.response
    )
    states = [row.state for row in rows]
    by_frame: dict[int, list[Finding]] = {}
    for finding in followed.findings:
        by_frame.setdefault(finding.at.frame, []).append(finding)
    return PairReport(
        status=Status.IDLE if all(paste.session.blank for paste in pastes) else status_of(findings),
        dialect=main.dialect,
        kind=main.kind,
        frames=tuple(_frame_report(item, by_frame.get(item.frame.index, ())) for item in judged),
        ledger=rows,
        findings=shown,
        findings_total=total + sum(paste.session.dropped for paste in pastes),
        summary=LedgerSummary(
            calls=sum(1 for row in rows if row.call_frame is not None),
            responses=len(answers_read),
            followups=sum(isinstance(signal, FollowUp) for item in judged for signal in item.frame.signals),
            pending=states.count("pending"),
            answered=states.count("answered"),
            errored=states.count("errored"),
            cancelled=states.count("cancelled"),
            orphan=states.count("orphan"),
        ),
    )


def _no_answers(given: session.Session) -> Finding:
    frame = given.frames[0] if given.frames else None
    place = frame.at.location if frame is not None and frame.at is not None else Location(given.input)
    return Finding(
        "responses-missing",
        Severity.ERROR,
        "There is no answer in this text. Paste a toolResponse with one entry per call.",
        place,
    )


def _ledger_row(entry: Entry, judged: JudgedCall | None, of_answer: tuple[Finding, ...]) -> LedgerRow:
    call, response = entry.call, entry.response
    args = call.args.object if call is not None else None
    return LedgerRow(
        id=entry.id,
        name=call.name if call is not None else response.name if response is not None else None,
        state=entry.state.value,
        verdict=judged.verdict if judged is not None else None,
        args=args.raw if args is not None else None,
        args_text=call.args.at.text if call is not None and call.args.at is not None else None,
        executable=judged is not None and judged.executable and entry.cancelled_at is None,
        late=entry.late,
        call_frame=call.frame if call is not None else None,
        call_pointer=call.at.pointer if call is not None else None,
        response_frame=response.frame if response is not None else None,
        response_pointer=response.at.pointer if response is not None else None,
        response_line=response.at.line if response is not None else None,
        cancel_frame=entry.cancelled_at.frame if entry.cancelled_at is not None else None,
        findings=(*(judged.findings if judged is not None else ()), *of_answer),
    )


def respond_report(
    paste: Judged,
    cancelled: Judged,
    known: Contracts,
    outcomes: Outcomes,
    scheduling: str | None,
    scheduling_at: str,
    form: str,
) -> RespondReport:
    """Report the drafted answer to the calls of a paste."""
    by_id, ordered, findings_read = outcomes
    judged, read = paste.frames, paste.session
    ids = paste.cancelled | cancelled.cancelled
    findings = [
        *read.findings,
        *cancelled.session.findings,
        *findings_read,
        *known.all_findings(),
        *judge.declaration_findings(known),
    ]
    valid = scheduling is None or scheduling in answers.SCHEDULING
    if not valid:
        findings.append(
            Finding(
                "scheduling-invalid",
                Severity.ERROR,
                "scheduling is one of INTERRUPT, WHEN_IDLE, SILENT.",
                Location("scheduling"),
                source=answers.BODY,
            )
        )
    for item in judged:
        if item.bad:
            findings.extend(item.findings)
    drafted = answers.draft(judged, ids, by_id, ordered, scheduling if valid else None)
    findings.extend(drafted.findings)
    in_body = scheduling_at == "body"
    text: str | None = None
    if drafted.frame is not None and valid:
        speaks = dialects.by_id(drafted.frame.dialect)
        if speaks is None or not speaks.genai:
            form = "frame"  # the two SDKs send no other format
        if form == "python":
            text = answers.as_python(drafted.answers, in_body)
        elif form == "js":
            text = answers.as_js(drafted.answers, in_body)
        else:
            text = answers.text_of(drafted.answers, drafted.frame, in_body)
    shown, total = cut(findings)
    answered = [turn for turn in read.turns if turn.kind == "tool-request"]
    turns = (
        Raw(f"[{answered[-1].model_content.text}, {text}]")
        if text and answered and answered[-1].model_content and form == "frame"
        else None
    )
    return RespondReport(
        status=Status.IDLE if read.blank else status_of(findings),
        text=text,
        responses=tuple(
            DraftedResponse(
                each.id,
                each.name,
                each.error if each.error is not None else each.result or Raw("{}"),
                each.error is not None,
                each.scheduling,
            )
            for each in drafted.answers
        ),
        turns=turns,
        findings=shown,
        findings_total=total,
    )
