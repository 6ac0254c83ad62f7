"""The args panel: one row per call, with what would reach the executor."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from app.cursor import Cursor
from app.json_text import JsonText, reformat
from app.model import Finding, Status, Verdict
from app.reports import CallReport, PanelsReport
from app.turns import INCOMPLETE
from app.web.view.filters import at_most
from app.web.view.findings import NOT_READ, Links, Row, call_key, in_order, payload_spots
from app.web.view.listing import Listing, Spot, inline, listing
from app.web.view.words import Part, Pill, clip, count, id_text, idle, not_judged, red, sentence

OPEN_ROWS: Final = 20
"""Rows whose args are laid out, so that opening one needs no request."""

LAID_OUT: Final = 65_536
"""Characters of args that a row lays out; longer ones are shown as they were pasted, cut."""

COPIED: Final = 1_048_576
"""Most characters of all args that travel with the page to be copied from it."""


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call. `look` is accept, refuse, unchecked, not-judged, contract-error, cancelled or held."""

    key: str
    frame: int
    index: int
    """Place among the calls of its frame."""
    id: str
    name: str
    look: str
    outcome: str
    """The look in words."""
    sentence: tuple[Part, ...]
    inline: Markup
    args: Listing | None
    args_text: str
    """What Copy takes; empty where it is longer than what is shown."""
    derived: bool
    absent: bool
    """Whether the frame names no args at all, which reach the executor as an empty object."""
    open: bool
    rows: tuple[Row, ...]
    """Findings that have no line in the args."""
    can_pin: bool


@dataclass(frozen=True, slots=True)
class ArgsPanel:
    """What the args panel shows."""

    status: str
    pill: Pill
    chip: str
    evidence: str
    disagree: bool
    rows: tuple[CallRow, ...]
    more: int
    unchecked: bool
    """Whether no contract is known at all."""
    can_infer: bool
    empty: tuple[str, str]
    """Heading and sentence of a panel without rows."""
    copy_text: str


def args_panel(report: PanelsReport, links: Links) -> ArgsPanel:
    """Show each call with its verdict; the first that was refused stands open."""
    calls = report.extract.calls
    looks = [look(call) for call in calls]
    shown = at_most(calls, [each not in ("accept", "unchecked", "cancelled") for each in looks])
    first = next((i for i in shown if looks[i] in ("refuse", "held", "not-judged")), None)
    open_row = first if first is not None else 0 if len(calls) == 1 else None
    frames: Counter[int] = Counter()
    places = []
    for call in calls:
        places.append(frames[call.frame])
        frames[call.frame] += 1
    rows = [
        _row(calls[i], i, places[i], i == open_row, i == open_row or number < OPEN_ROWS, report, links)
        for number, i in enumerate(shown)
    ]
    chip, evidence, disagree = _chip(report)
    return ArgsPanel(
        status=report.statuses["args"].value,
        pill=_pill(report),
        chip=chip,
        evidence=evidence,
        disagree=disagree,
        rows=tuple(rows),
        more=len(calls) - len(rows),
        unchecked=any(call.verdict is Verdict.UNCHECKED for call in calls) and not report.contracts,
        can_infer=any(call.args is not None for call in calls),
        empty=_empty(report),
        copy_text=_copied(rows) if len(rows) == len(calls) else "",
    )


def _copied(rows: list[CallRow]) -> str:
    """Return the args of all rows for Copy, or nothing where that would not be all of them."""
    text = "\n".join(row.args_text for row in rows)
    return text if all(row.args_text for row in rows) and len(text) <= COPIED else ""


def look(call: CallReport) -> str:
    """Name what is to be seen of a call: its verdict, that it was cancelled, or that it must not run."""
    if call.cancelled:
        return "cancelled"
    if call.verdict in (Verdict.ACCEPT, Verdict.UNCHECKED) and not call.executable:
        return "held"
    return call.verdict.value


_PARSED_ONCE: Final = "args-string-parsed-once"
_OUTCOMES: Final = {"held": "must not run", "not-judged": "not judged", "contract-error": "contract error"}


def draft_of(schema: str) -> str:
    """Name the draft of a schema text as people call it."""
    match = re.search(r'"\$schema"\s*:\s*"[^"]*?(draft-0?\d|\d{4}-\d{2})/schema', schema)
    return match[1] if match else "2020-12"


def _pill(report: PanelsReport) -> Pill:
    status = report.statuses["args"]
    counts = Counter(look(call) for call in report.extract.calls)
    if counts["not-judged"] or any(f.code == "not-judged" for f in report.extract.findings):
        return not_judged("not judged, over its time")
    if not counts:
        return red("no calls read") if status is Status.RED else idle("no calls")
    order = ("accept", "refuse", "held", "contract-error", "unchecked", "cancelled")
    text = ", ".join(f"{counts[word]:,} {_OUTCOMES.get(word, word)}" for word in order if counts[word])
    return Pill(status.value, status.value.upper(), text)


def _chip(report: PanelsReport) -> tuple[str, str, bool]:
    """Name the contract that judged and its draft, and say whether the engines disagree."""
    called = list(dict.fromkeys(call.name for call in report.extract.calls if call.name))
    known = {contract.name: contract for contract in report.contracts}
    used = [name for name in called if name in known]
    if not known and any(call.verdict is not Verdict.UNCHECKED for call in report.extract.calls):
        return (
            (called[0] if len(called) == 1 else f"{len(called):,} contracts"),
            "declared in the paste",
            False,
        )
    if not known:
        return "no contract", "calls are unchecked" if called else "", False
    if not called:
        return report.chosen or next(iter(known)), "ready", False
    if not used:
        return "no contract fits", "", False
    schema = known[used[0]].schema
    evidence = f"{draft_of(schema.text if schema else '')} contract"
    opinion = report.second_opinion
    if opinion is not None:
        evidence += ", 2 engines agree" if opinion.agrees else ", engines disagree"
    name = used[0] if len(used) == 1 else f"{len(used):,} contracts"
    return name, evidence, opinion is not None and not opinion.agrees


def _empty(report: PanelsReport) -> tuple[str, str]:
    extract = report.extract
    if extract.status is Status.IDLE:
        return "Each call becomes a row", "What would reach the executor, or why it must not."
    if any(f.code == "not-judged" for f in extract.findings):
        return "Not finished is not green", "The work ran out of its budget, so no call was read."
    if any(f.code in NOT_READ for f in extract.findings):
        return (
            "Nothing is read from broken text",
            "Guessing here could run the wrong call. "
            "Repair the paste first; the repaired text is judged as new.",
        )
    if any(frame.bad for frame in extract.frames):
        return "Nothing is read from a bad frame", "No call in it may be acted on."
    kinds = {turn.kind for turn in extract.turns}
    if kinds == {"answer-candidate"}:
        return "No call in this turn", "Its text is an answer candidate. Nothing would reach the executor."
    if kinds == {"api-error"}:
        return "No call in an API error", "Nothing was generated, so nothing would reach the executor."
    if kinds and kinds <= INCOMPLETE:
        return "No call in this turn", "And none of it may be acted on."
    return "No call in this paste", "Nothing would reach the executor."


def _row(
    call: CallReport,
    index: int,
    place: int,
    is_open: bool,
    laid_out: bool,
    report: PanelsReport,
    links: Links,
) -> CallRow:
    seen = look(call)
    text = call.args.text if call.args is not None else call.args_text or ""
    return CallRow(
        key=call_key(call, index),
        frame=call.frame,
        index=place,
        id=id_text(call.id),
        name=clip(call.name or "no name", 120),
        look=seen,
        outcome=_OUTCOMES.get(seen, seen),
        sentence=_sentence(call, seen, report),
        inline=inline(text) if seen in ("accept", "unchecked") and text else Markup(),
        args=_listing(call, text, in_tab=bool(report.inputs.contracts_text)) if laid_out and text else None,
        args_text=(call.args_text or text) if len(text) <= LAID_OUT else "",
        derived=call.parsed_once and not any(f.is_error and f.code == _PARSED_ONCE for f in call.findings),
        absent=call.args_encoding == "absent",
        open=is_open,
        rows=links.rows(f for f in in_order(call.findings) if not _is_inside(f, call)),
        can_pin=call.args_text is not None,
    )


def _sentence(call: CallReport, seen: str, report: PanelsReport) -> tuple[Part, ...]:
    errors = [finding for finding in call.findings if finding.is_error]
    if seen == "cancelled":
        return sentence("Do not run it. If it already ran, try to undo it.")
    if seen == "refuse":
        return sentence(f"{count(len(errors), 'reason')}. Answer with an error, do not run it.")
    if seen == "held":
        return sentence(f"{call.verdict.value}, and must not run: {_held_for(call, report)}")
    if seen == "not-judged":
        return sentence(errors[0].message if errors else "Not finished is not green. Do not run it.")
    if seen == "contract-error":
        return sentence("The contract itself is bad, so nothing is known of this call.")
    return ()


_HELD_FOR: Final = {
    "not-complete": "the turn is not complete",
    "needs-review": "the turn needs review",
    "api-error": "the API answered with an error",
}


def _held_for(call: CallReport, report: PanelsReport) -> str:
    """Say why a call that its contract accepts must not run."""
    turn = next((turn for turn in report.extract.turns if call.frame in turn.frames), None)
    if turn is not None and turn.kind in INCOMPLETE:
        return _HELD_FOR[turn.kind]
    return "another call has the same id"


def _is_inside(finding: Finding, call: CallReport) -> bool:
    """Whether the finding has a line in the args that the row lays out."""
    if (
        call.args is None
        or not call.args_pointer
        or finding.keyword is None
        or len(call.args.text) > LAID_OUT
    ):
        return False
    return finding.at.inner is not None or finding.at.pointer.startswith(call.args_pointer)


def _listing(call: CallReport, text: str, *, in_tab: bool) -> Listing:
    if call.args is None or len(text) > LAID_OUT:
        return listing(text[:LAID_OUT])
    laid_out = reformat(text)
    inside = [finding for finding in call.findings if _is_inside(finding, call)]
    if not inside:
        return listing(laid_out)
    json = JsonText(laid_out)
    node, _ = json.scan()
    root = Cursor(json, node)
    start = len(call.args_pointer or "")
    spots: list[Spot] = []
    for finding in inside:
        pointer = finding.at.inner if finding.at.inner is not None else finding.at.pointer[start:]
        spots.extend(payload_spots(root, pointer, finding, in_tab=in_tab))
    return listing(laid_out, spots)
