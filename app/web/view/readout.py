"""The readout: the outcome in one sentence, and what to do."""

from __future__ import annotations

from app.model import Finding, Status, Verdict
from app.reports import CallReport, PanelsReport, TurnReport
from app.turns import INCOMPLETE
from app.web.view.answer import answer_findings
from app.web.view.findings import NOT_READ, in_order, relative
from app.web.view.turns import turn_words
from app.web.view.words import Part, count, names, sentence


def readout(report: PanelsReport) -> tuple[Part, ...]:
    """Say what may run, what may not and what to do; then what the cases and samples say against it."""
    return (*_outcome(report), *_cases(report), *_samples(report))


def _outcome(report: PanelsReport) -> list[Part]:
    extract = report.extract
    if any(f.code == "not-judged" for f in report.findings):
        return [Part("strong", "Not judged."), Part("", " Not finished is not green: run nothing of it.")]
    if extract.status is Status.IDLE:
        return [Part("strong", "Nothing pasted."), Part("", " Paste a frame and each call is judged here.")]
    unread = [f for f in in_order(extract.findings) if f.at.input == "calls_text" and f.code in NOT_READ]
    if unread and not extract.calls:
        return [Part("strong", "The paste cannot be read."), Part("", " "), *sentence(unread[0].message)]
    lost = [Part("strong", f"{count(len(unread), 'part')} of the paste cannot be read. ")] if unread else []
    return lost + _read(report)


def _read(report: PanelsReport) -> list[Part]:
    """Say what follows from what could be read."""
    extract = report.extract
    if report.answer is not None and report.statuses["toolResponse"] is Status.RED:
        return [Part("strong", "Do not send this answer."), *_why_not_send(report)]
    held = [turn for turn in extract.turns if turn.kind in INCOMPLETE]
    if held:
        return _held(held[0], len(extract.turns), report)
    if extract.calls:
        return _may_run(report)
    own = (f for f in in_order(extract.findings) if f.at.input == "calls_text")
    first = next((f for f in own if f.is_error), None)
    if first is not None:
        head = Part("strong", "Nothing in this paste may be acted on.")
        return [head, Part("", " "), *sentence(first.message)]
    if extract.turns:
        return [
            Part("strong", "An answer candidate, no call."),
            Part("", " Whether the task is done is for your application to decide."),
        ]
    ids = [str(id) for cancellation in extract.cancellations for id in cancellation.ids]
    if ids:
        return [Part("strong", f"{count(len(ids), 'id')} cancelled."), *names(" Do not run ", ids, ".")]
    return [Part("strong", "No call in this paste."), Part("", " Nothing would reach the executor.")]


def _held(turn: TurnReport, total: int, report: PanelsReport) -> list[Part]:
    """Say why nothing of a turn may be run: it is not complete, needs a look, or is an error."""
    _, _, why = turn_words(turn, report).partition(", ")
    lead = "The turn" if total == 1 else f"1 of {total:,} turns"
    match turn.kind:
        case "api-error":
            return [
                Part("strong", "The API answered with an error: "),
                Part("code", why),
                Part("strong", "."),
                Part("", " That is no empty answer: nothing was generated."),
            ]
        case "not-complete":
            return [
                Part("strong", f"{lead} is not complete: "),
                Part("code" if turn.finish_reason and turn.reason is None else "strong", why),
                Part("strong", "."),
                Part("", " Run no call of it and show no text as an answer."),
            ]
    return [
        Part("strong", f"{lead} needs review: {why}."),
        Part("", " Look at it before anything runs or is shown."),
    ]


def _may_run(report: PanelsReport) -> list[Part]:
    calls = report.extract.calls
    live = [call for call in calls if not call.cancelled]
    if live and all(call.verdict is Verdict.UNCHECKED for call in live):
        them = "it" if len(live) == 1 else "them"
        return [
            Part("strong", f"{count(len(live), 'call')} unchecked."),
            Part("", f" No contract has looked at {them}."),
        ]
    if any(call.verdict is Verdict.CONTRACT_ERROR for call in live):
        return [
            Part("strong", "The contract is not sound."),
            Part("", " No call may run until it is mended."),
        ]
    parts = [Part("strong", _how_many(sum(call.executable for call in calls), len(calls)))]
    cancelled = [_name(call) for call in calls if call.cancelled]
    if cancelled:
        parts += names(" ", cancelled, " is cancelled." if len(cancelled) == 1 else " are cancelled.")
    refused = [call for call in live if call.verdict is Verdict.REFUSE]
    if len(refused) == 1:
        parts += names(" ", [_name(refused[0])], " is refused")
        parts += names(" for ", _reasons(refused[0]), ".")
    elif refused:
        parts += names(" ", [_name(call) for call in refused], " are refused.")
    if report.answer is not None:
        parts.append(Part("", " The answer pairs with the calls."))
    elif report.draft is not None and report.draft.text is not None:
        whom = "the rest" if cancelled else {1: "it", 2: "both"}.get(len(live), "each")
        parts.append(Part("", f" The draft answers {whom}."))
    return parts


def _how_many(run: int, total: int) -> str:
    match run, total:
        case 1, 1:
            return "The call may run."
        case 0, 1:
            return "The call may not run."
        case 2, 2:
            return "Both calls may run."
        case 0, _:
            return f"None of {total:,} calls may run."
        case _ if run == total:
            return f"All {total:,} calls may run."
    return f"{run:,} of {total:,} calls may run."


def _name(call: CallReport) -> str:
    return str(call.id) if call.id is not None else call.name or "a call without id"


def _reasons(call: CallReport) -> list[str]:
    """Name the keys that are wrong, or the codes where it is not a key."""
    return list(dict.fromkeys(_subject(f, call) for f in in_order(call.findings) if f.is_error))


def _subject(finding: Finding, call: CallReport) -> str:
    if finding.keyword is None:
        return finding.code
    return relative(finding, call).rpartition("/")[2] or "args"


def _why_not_send(report: PanelsReport) -> list[Part]:
    ledger = report.pair.ledger
    orphans = [str(row.id) for row in ledger if row.state == "orphan" and row.id is not None]
    open_ids = [str(row.id) for row in ledger if row.state == "pending" and row.id is not None]
    parts: list[Part] = []
    if orphans:
        parts += names(" The model never used ", orphans, ";" if open_ids else ".")
    if open_ids:
        parts += names(" ", open_ids, " stays open." if len(open_ids) == 1 else " stay open.")
    if not parts:
        first = next((f for f in answer_findings(report) if f.is_error), None)
        parts = [Part("", " "), *sentence(first.message)] if first else []
    return parts


def _cases(report: PanelsReport) -> list[Part]:
    failing = [r for r in report.cases.results if not r.as_expected] if report.cases else []
    if not failing or not report.contracts:
        return []
    verb = "is" if len(failing) == 1 else "are"
    wanted = "refused" if failing[0].expect == "refuse" else "accepted"
    return [
        Part("strong", f" {count(len(failing), 'case')} {verb} not as expected:"),
        *names(" ", [failing[0].name], f" must be {wanted}."),
    ]


def _samples(report: PanelsReport) -> list[Part]:
    rejected = sum(sample.verdict is Verdict.REFUSE for sample in report.samples)
    if not rejected:
        return []
    return [Part("", f" The contract rejects {rejected:,} of {count(len(report.samples), 'sample')}.")]
