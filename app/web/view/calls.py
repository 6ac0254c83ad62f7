"""The toolCall panel: what was pasted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.model import Status, Verdict
from app.repair import Repair, repair
from app.reports import PanelsReport
from app.web.view.findings import NOT_READ, FindingList, Links
from app.web.view.turns import TurnBox, turn_boxes, turns_text
from app.web.view.words import DIALECTS, Pill, count, dialect_text, green, idle, not_judged, red

TURNS: Final = 20
"""Most turns whose text is shown below the editor."""


@dataclass(frozen=True, slots=True)
class CallsPanel:
    """What the toolCall panel shows."""

    status: str
    pill: Pill
    chip: str
    evidence: str
    reasons: tuple[str, ...]
    """Pointers to the keys that told the dialect."""
    findings: FindingList
    repair: Repair | None
    """The one change that would make the text readable as strict JSON, where there is one."""
    broken: bool
    """Whether it cannot be read as it stands."""
    turns: tuple[TurnBox, ...]
    more_turns: int
    rivals: str
    """The formats that the first frame may as well be of."""
    is_session: bool
    """Whether the frames are those of both sides, which the Session tab can follow."""
    told_apart: str
    """The wire formats that are told apart by their keys."""


def calls_panel(report: PanelsReport, links: Links) -> CallsPanel:
    """Say what was pasted and what is wrong with it."""
    extract = report.extract
    own = [f for f in extract.findings if f.at.input == "calls_text"]
    stop = next((f for f in own if f.code in NOT_READ), None) if not extract.calls else None
    chip, evidence = dialect_text(extract.dialect, extract.evidence)
    if extract.status is Status.IDLE:
        chip, evidence = "no dialect yet", ""
    elif stop is not None:
        chip, evidence = "not JSON", f"stops at {stop.at.line}:{stop.at.column}" if stop.at.line else ""
    broken = stop is not None and stop.code == "json-invalid"
    printed = any(f.code in ("json-literal", "sdk-repr") for f in own)
    return CallsPanel(
        status=report.statuses["toolCall"].value,
        pill=_pill(report, readable=stop is None),
        chip=chip,
        evidence=evidence,
        reasons=extract.evidence,
        findings=links.list(own, extract.findings_total - len(extract.findings)),
        repair=repair(report.inputs.calls_text, "calls_text") if broken or printed else None,
        broken=broken,
        turns=turn_boxes(report)[:TURNS],
        more_turns=max(0, len(extract.turns) - TURNS),
        rivals=_listed([DIALECTS[each] for each in extract.rivals]),
        is_session=extract.kind == "session"
        and {"server", "client"} <= {frame.direction for frame in extract.frames},
        told_apart=_listed([*DIALECTS.values()]),
    )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _pill(report: PanelsReport, *, readable: bool) -> Pill:
    extract = report.extract
    calls = extract.calls
    unjudged = sum(call.verdict is Verdict.NOT_JUDGED for call in calls)
    if unjudged:
        return not_judged(f"{unjudged:,} of {len(calls):,} not judged")
    if any(f.code == "not-judged" for f in extract.findings):
        return not_judged("not judged")
    status = report.statuses["toolCall"]
    if status is Status.IDLE:
        return idle("nothing pasted")
    if status is Status.RED and not readable:
        return red("cannot be read")
    if extract.turns:
        refused = "" if status is Status.GREEN else _what_is_red(report)
        return Pill(status.value, status.value.upper(), turns_text(report, refused))
    if status is Status.RED:
        return red(_what_is_red(report))
    cancelled = sum(len(c.ids) for c in extract.cancellations)
    if calls:
        return green(count(len(calls), "call") + (f", {cancelled:,} cancelled" if cancelled else ""))
    if cancelled:
        return green(count(cancelled, "id") + " cancelled")
    return green(count(len(extract.frames), "frame") + ", no call")


def _what_is_red(report: PanelsReport) -> str:
    extract = report.extract
    calls = extract.calls
    bad = sum(frame.bad for frame in extract.frames)
    if bad:
        return "bad frame" if len(extract.frames) == 1 else f"{bad:,} of {len(extract.frames):,} frames bad"
    refused = [call for call in calls if call.verdict is Verdict.REFUSE]
    unknown = [call for call in refused if any(f.code == "call-name-unknown" for f in call.findings)]
    if calls and len(unknown) == len(calls):
        return "no contract fits"
    if refused:
        return f"{len(refused):,} of {len(calls):,} refused"
    if any(call.verdict is Verdict.CONTRACT_ERROR for call in calls):
        return "contract error"
    return count(sum(f.is_error for f in extract.findings), "error")
