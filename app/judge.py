"""Session and contracts to verdicts: every frame and call of one paste, judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app import contract, dialects, rules
from app.contract import Contract, Contracts
from app.events import Frame, ToolCall, ToolResponse
from app.ledger import Entry, Ledger, State, Step
from app.model import Finding, Options, Verdict
from app.rules.exchange import Pairing, is_answer, result_findings
from app.session import Session
from app.turns import INCOMPLETE, Turn

SPOILING = frozenset({"json-duplicate-key", "json-nan", "sdk-repr-lossy"})
"""What reading finds that leaves no frame to act on."""


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """One call with everything that speaks for or against it."""

    call: ToolCall
    verdict: Verdict
    findings: tuple[Finding, ...]
    contract: Contract | None
    unique: bool = True
    held: bool = False
    """Whether it stands in a turn of which nothing may be run."""

    @property
    def executable(self) -> bool:
        """Whether it may be run: accepted or unchecked, its id its own, its turn complete."""
        return self.verdict in (Verdict.ACCEPT, Verdict.UNCHECKED) and self.unique and not self.held


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """One answer entry with what is wrong with it alone."""

    response: ToolResponse
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class JudgedFrame:
    """One frame. `bad`: nothing in it may be acted on, and `calls` holds none of it."""

    frame: Frame
    bad: bool
    findings: tuple[Finding, ...]
    calls: tuple[JudgedCall, ...]
    responses: tuple[JudgedResponse, ...]

    @property
    def all_findings(self) -> list[Finding]:
        """The findings of the frame, its calls and its answers."""
        of_calls = [finding for call in self.calls for finding in call.findings]
        of_responses = [finding for response in self.responses for finding in response.findings]
        return [*self.findings, *of_calls, *of_responses]


@dataclass(frozen=True, slots=True)
class Judged:
    """A session with the verdict on each of its frames."""

    session: Session
    frames: tuple[JudgedFrame, ...]

    @property
    def cancelled(self) -> frozenset[str | int]:
        """The ids that its cancellations name."""
        return frozenset(
            call_id
            for item in self.frames
            for cancellation in item.frame.cancellations
            for call_id in cancellation.ids
        )


def judge(session: Session, contracts: Contracts, options: Options) -> Judged:
    """Judge every frame of a session.

    Without contracts, what the paste itself declares is the contract from there on.
    """
    current = contracts
    judged: list[JudgedFrame] = []
    for frame in session.frames:
        if frame.replaces_tools and not contracts.known:
            current = contract.declared(frame.declarations, options)
        item = _frame(frame, current, options)
        if frame.replaces_tools and not any(finding.is_error for finding in item.findings):
            # The rules over declarations say it best; what they miss, the schema check finds.
            broken = contract.declared(frame.declarations, options) if contracts.known else current
            errors = [finding for finding in broken.all_findings() if finding.is_error]
            item = replace(item, findings=(*item.findings, *errors))
        judged.append(item)
    for turn in session.turns:
        _judge_turn(turn, judged)
    return Judged(session, tuple(_unique_ids(judged)))


def _judge_turn(turn: Turn, judged: list[JudgedFrame]) -> None:
    """Add what a turn as a whole shows to the frames that carry it."""
    found = rules.run("turn", turn.frames[0].dialect, turn)
    held = turn.kind in INCOMPLETE
    for frame in turn.frames:
        item = judged[frame.index]
        mine = tuple(finding for finding in found if finding.at.frame == frame.index)
        calls = tuple(replace(each, held=held) for each in item.calls)
        judged[frame.index] = replace(item, findings=(*item.findings, *mine), calls=calls)


def _frame(frame: Frame, contracts: Contracts, options: Options) -> JudgedFrame:
    dialect = frame.dialect
    findings = [*frame.findings, *rules.run("frame", dialect, frame, traits=frame.traits)]
    for tool in frame.declarations:
        findings.extend(rules.run("declaration", dialect, tool))
    own = [
        (call, rules.run("call", dialect, call, frame, options, traits=call.traits)) for call in frame.calls
    ]
    responses = tuple(
        JudgedResponse(response, tuple(rules.run("response", dialect, response, frame)))
        for response in frame.responses
    )
    by_rule = rules.spoiling_codes(dialect)
    # A call among content parts is not this frame's envelope: its faults are its own.
    bad = any(
        finding.is_error and (finding.code in SPOILING or finding.code in by_rule) for finding in findings
    ) or any(finding.code in by_rule for call, found in own if not call.in_content for finding in found)
    if bad:
        findings.extend(finding for _, found in own for finding in found)
        return JudgedFrame(frame, True, tuple(findings), (), responses)
    calls = tuple(_call(call, found, contracts) for call, found in own)
    return JudgedFrame(frame, False, tuple(findings), calls, responses)


def _call(call: ToolCall, own: list[Finding], contracts: Contracts) -> JudgedCall:
    checked = contract.check_call(call, own, contracts)
    return JudgedCall(call, checked.verdict, (*own, *checked.findings), contracts.get(call.name))


def _unique_ids(judged: list[JudgedFrame]) -> list[JudgedFrame]:
    """Refuse calls that share an id: no answer could tell them apart."""
    seen: dict[str | int, int] = {}
    for item in judged:
        for each in item.calls:
            if each.call.id is not None:
                seen[each.call.id] = seen.get(each.call.id, 0) + 1
    if all(count == 1 for count in seen.values()):
        return judged
    return [
        replace(
            item,
            calls=tuple(
                replace(each, unique=False, verdict=Verdict.REFUSE)
                if seen.get(each.call.id or "", 0) > 1
                else each
                for each in item.calls
            ),
        )
        for item in judged
    ]


def declaration_findings(contracts: Contracts) -> list[Finding]:
    """Judge the declarations that contracts were read from."""
    return [
        finding
        for item in contracts.items
        if item.definition is not None
        for finding in rules.run("declaration", item.definition.dialect, item.definition)
    ]


# The exchange ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exchange:
    """The ledger of an exchange, with what each entry's steps found."""

    ledger: Ledger
    findings: tuple[Finding, ...]
    by_entry: dict[int, tuple[Finding, ...]]
    """Findings by `id(entry)`: entries change while they live, so they are no keys."""


def exchange(frames: Iterable[JudgedFrame], *, complete: bool) -> Exchange:
    """Follow calls, cancellations and answers through frames in order.

    `complete`: the exchange is over, so an unanswered call is an error.
    """
    ledger = Ledger()
    found: list[Finding] = []
    by_entry: dict[int, list[Finding]] = {}

    def note(entry: Entry, findings: list[Finding]) -> None:
        found.extend(findings)
        by_entry.setdefault(id(entry), []).extend(findings)

    verdicts: dict[int, JudgedCall] = {}
    dialect = ""
    for item in frames:
        dialect = item.frame.dialect
        for step in _steps(ledger, item, verdicts):
            if step.code is not None:
                note(step.entry, rules.run("step", dialect, step, ledger))
            judged = verdicts.get(id(step.entry))
            if is_answer(step) and judged is not None and step.response is not None:
                pairing = Pairing(
                    judged.call,
                    judged.verdict,
                    judged.contract,
                    step.response,
                    step.entry.state is State.CANCELLED,
                )
                note(step.entry, rules.run("pairing", dialect, pairing))
                note(step.entry, list(result_findings(pairing)))
    if complete:
        for entry in ledger.pending():
            if verdicts[id(entry)].held:
                continue  # nothing of its turn may be run, so nothing of it is answered
            note(entry, rules.run("open", dialect, entry))
    return Exchange(ledger, tuple(found), {key: tuple(value) for key, value in by_entry.items()})


def _steps(ledger: Ledger, item: JudgedFrame, verdicts: dict[int, JudgedCall]) -> Iterable[Step]:
    for each in item.calls:
        step = ledger.call(each.call)
        verdicts[id(step.entry)] = each
        yield step
    for cancellation in item.frame.cancellations:
        yield from ledger.cancel(cancellation)
    dialect = dialects.by_id(item.frame.dialect)
    by_position = dialect is not None and not dialect.pairs_by_id
    for answer in item.responses:
        answered = ledger.response(answer.response, by_position=by_position)
        if answered is not None:
            yield answered
