"""Session and contracts to verdicts: every frame and call of one paste, judged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app import contract, dialects, rules
from app.contract import Contract, Contracts
from app.course import Course
from app.events import (
    Cancellation,
    Close,
    Frame,
    Open,
    ToolCall,
    ToolResponse,
    TurnEnd,
    TurnStart,
    happenings,
)
from app.ledger import Entry, Ledger, State, Step, is_same_call
from app.model import Finding, Location, Options, Verdict
from app.rules.exchange import Pairing, is_answer, result_findings
from app.session import Session
from app.turns import INCOMPLETE, Turn

SPOILING = frozenset({"json-duplicate-key", "json-nan", "sdk-repr-lossy"})
"""What reading finds that leaves no frame to act on."""


ORPHAN_CODES = frozenset({"response-orphan", "response-duplicate"})
"""What the ledger says of an answer that stands in no turn for answers."""


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """One call with everything that speaks for or against it."""

    call: ToolCall
    by_contract: Verdict
    """What its contract and its own faults say."""
    findings: tuple[Finding, ...]
    contract: Contract | None
    unique: bool = True
    held: bool = False
    """Whether it stands in a turn of which nothing may be run."""

    @property
    def verdict(self) -> Verdict:
        """The verdict; a call that shares its id with another is refused."""
        return self.by_contract if self.unique else Verdict.REFUSE

    @property
    def executable(self) -> bool:
        """Whether it may be run: named, accepted or unchecked, its id its own, its turn complete."""
        passed = self.verdict in (Verdict.ACCEPT, Verdict.UNCHECKED)
        return passed and not self.held and self.call.name is not None


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
        if not self.calls and not self.responses:
            return list(self.findings)
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
        """The ids that its cancellations name, and those of the calls whose turn did not complete."""
        named = {
            call_id
            for item in self.frames
            for cancellation in item.frame.cancellations
            for call_id in cancellation.ids
        }
        cut = {
            signal.turn
            for item in self.frames
            for signal in item.frame.signals
            if isinstance(signal, TurnEnd) and signal.turn is not None and signal.status != "completed"
        }
        asked = (
            {each.call.id for item in self.frames for each in item.calls if each.call.turn in cut}
            if cut
            else ()
        )
        return frozenset(call_id for call_id in (*named, *asked) if call_id is not None)


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
    """Refuse calls that share an id on one connection: no answer could tell them apart."""
    seen: dict[tuple[int, str, type, str | int], ToolCall] = {}
    shared: set[tuple[int, str, type, str | int]] = set()
    keys: dict[int, tuple[int, str, type, str | int]] = {}
    connection = 0
    for item in judged:
        connection += any(isinstance(signal, Open) for signal in item.frame.signals)
        for each in item.calls:
            call_id = each.call.id
            if call_id is not None:
                key = connection, item.frame.dialect, type(call_id), call_id
                keys[id(each)] = key
                first = seen.setdefault(key, each.call)
                if first is not each.call and not is_same_call(first, each.call):
                    shared.add(key)
        connection += any(isinstance(signal, Close) for signal in item.frame.signals)
    if not shared:
        return judged
    return [
        replace(
            item,
            calls=tuple(
                replace(each, unique=False) if keys.get(id(each)) in shared else each for each in item.calls
            ),
        )
        if item.calls
        else item
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
    """The entries of a ledger in the order in which they came, with what their steps found."""

    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    by_entry: dict[int, tuple[Finding, ...]]
    """Findings by `id(entry)`: entries change while they live, so they are no keys."""


def exchange(frames: Iterable[JudgedFrame]) -> Exchange:
    """Follow a complete exchange through frames of any dialect: a call that is still open is an error."""
    trail = _Trail(frames)
    trail.end(trail.ledger.pending())
    return trail.exchange()


def so_far(paste: Judged) -> Exchange:
    """Follow each dialect of a paste by itself; it need not be whole."""
    return _joined([_Trail(group).exchange() for group in _by_dialect(paste).values()])


def follow(paste: Judged, options: Options) -> Exchange:
    """Follow a whole session: each dialect by itself, to its end, with the rules over its course."""
    turn_starts = {turn.frames[0].index for turn in paste.session.turns}
    groups = _by_dialect(paste)
    return _joined([_session(dialect, group, turn_starts, options) for dialect, group in groups.items()])


def _by_dialect(paste: Judged) -> dict[str, list[JudgedFrame]]:
    groups: dict[str, list[JudgedFrame]] = {}
    for item in paste.frames:
        groups.setdefault(item.frame.dialect, []).append(item)
    return groups


def _joined(followed: Sequence[Exchange]) -> Exchange:
    if len(followed) == 1:
        return followed[0]
    return Exchange(
        tuple(sorted((entry for each in followed for entry in each.entries), key=_first_frame)),
        tuple(finding for each in followed for finding in each.findings),
        {key: found for each in followed for key, found in each.by_entry.items()},
    )


def _session(
    dialect_id: str, group: Sequence[JudgedFrame], turn_starts: Collection[int], options: Options
) -> Exchange:
    dialect = dialects.by_id(dialect_id)
    trail = _Trail(group)
    if dialect is None or not dialect.counts_answers:
        waiting = trail.ledger.pending()
        if dialect is not None and dialect.asks_and_ends:
            last = _last_turn([item.frame for item in group], turn_starts)
            waiting = (entry for entry in waiting if _place(entry) < last)
        trail.end(waiting)
    course = Course(
        dialect=dialect_id,
        frames=tuple(item.frame for item in group),
        ledger=trail.ledger,
        steps=tuple(trail.steps),
        contracts={key: each.contract for key, each in trail.judged.items()},
        verdicts={key: each.verdict for key, each in trail.judged.items()},
        options=options,
    )
    traits = frozenset().union(*{item.frame.traits for item in group})
    found = rules.run("session", dialect_id, course, traits=traits)
    trail.drop([finding.at for finding in found if finding.code == "history-orphan"])
    trail.note(found)
    return trail.exchange()


def _last_turn(frames: Sequence[Frame], turn_starts: Collection[int]) -> tuple[int, int]:
    """Return where the last turn of a conversation begins: its frame, and its node in there."""
    for frame in reversed(frames):
        if frame.messages:
            return frame.index, frame.messages[-1].at.node
        starts = any(isinstance(signal, TurnStart) for signal in frame.signals)
        if starts or frame.direction == "client" or frame.index in turn_starts:
            return frame.index, -1
    return -1, -1


def _place(entry: Entry) -> tuple[int, int]:
    return (-1, -1) if entry.call is None else (entry.call.frame, entry.call.at.node)


def _first_frame(entry: Entry) -> int:
    at = entry.call or entry.response or entry.cancelled_at
    return at.frame if at is not None else 0


class _Trail:
    """Takes frames through a ledger and gathers what the steps find."""

    def __init__(self, frames: Iterable[JudgedFrame]) -> None:
        self.ledger = Ledger()
        self.steps: list[Step] = []
        self.judged: dict[int, JudgedCall] = {}
        self._dialects: dict[int, str] = {}
        self._found: list[Finding] = []
        self._by_entry: dict[int, list[Finding]] = {}
        for item in frames:
            dialect = item.frame.dialect
            for step in self._steps(item):
                self.steps.append(step)
                if step.code is not None:
                    self._note(step.entry, rules.run("step", dialect, step, self.ledger))
                if is_answer(step):
                    self._pair(step, dialect)

    def end(self, waiting: Iterable[Entry]) -> None:
        """Say of each call that nothing answers it."""
        for entry in waiting:
            # Nothing may be run of a turn that is held; an id that two calls share is said elsewhere.
            if not self.judged[id(entry)].held and not entry.shared:
                self._note(entry, rules.run("open", self._dialects[id(entry)], entry))

    def drop(self, places: Collection[Location]) -> None:
        """Drop what the ledger says of answers in turns that are out of place as a whole."""
        turns = {(place.frame, place.pointer) for place in places}
        if not turns:
            return

        def is_said(finding: Finding) -> bool:
            pointer = finding.at.pointer
            while pointer and (finding.at.frame, pointer) not in turns:
                pointer = pointer.rpartition("/")[0]
            return finding.code in ORPHAN_CODES and (finding.at.frame, pointer) in turns

        self._found = [finding for finding in self._found if not is_said(finding)]
        for key, found in self._by_entry.items():
            self._by_entry[key] = [finding for finding in found if not is_said(finding)]

    def note(self, findings: list[Finding]) -> None:
        """Keep findings that no step made, each with the call it names."""
        self._found.extend(findings)
        named = [finding for finding in findings if finding.call_id is not None]
        entries: dict[tuple[type, str | int | None], list[Entry]] = {}
        for entry in self.ledger.entries if named else ():
            entries.setdefault((type(entry.id), entry.id), []).append(entry)
        for finding in named:
            mine = entries.get((type(finding.call_id), finding.call_id))
            if mine:
                # An id may be reused: meant is the last call that bears it up to this place.
                place = bisect_right(mine, finding.at.frame, key=_first_frame)
                self._by_entry.setdefault(id(mine[max(place - 1, 0)]), []).append(finding)

    def exchange(self) -> Exchange:
        """Return what was gathered."""
        by_entry = {key: tuple(found) for key, found in self._by_entry.items()}
        return Exchange(tuple(self.ledger.entries), tuple(self._found), by_entry)

    def _steps(self, item: JudgedFrame) -> Iterator[Step]:
        frame, ledger = item.frame, self.ledger
        dialect = dialects.by_id(frame.dialect)
        by_position = dialect is not None and not dialect.pairs_by_id
        flags_errors = dialect is None or dialect.flags_errors
        calls = {id(each.call): each for each in item.calls}
        answers = {id(each.response) for each in item.responses}
        for each in happenings(frame):
            match each:
                case ToolCall() if (judged := calls.get(id(each))) is not None:
                    behavior = judged.contract.behavior if judged.contract is not None else None
                    step = ledger.call(each, one_answer=behavior == "BLOCKING")
                    self.judged.setdefault(id(step.entry), judged)
                    self._dialects.setdefault(id(step.entry), frame.dialect)
                    yield step
                case ToolResponse() if id(each) in answers:
                    answered = ledger.response(
                        each,
                        by_position=by_position or each.by_name,
                        flags_errors=flags_errors,
                        may_be_unseen=frame.continues or frame.points_back,
                    )
                    if answered is not None:
                        yield answered
                case Cancellation():
                    yield from ledger.cancel(each)
                case TurnStart():
                    ledger.start(each.turn)
                case TurnEnd():
                    yield from ledger.end(each)
                case Open():
                    ledger.open(fresh=each.fresh)
                case Close():
                    ledger.close()

    def _pair(self, step: Step, dialect: str) -> None:
        judged, response, entry = self.judged.get(id(step.entry)), step.response, step.entry
        if judged is None or response is None or entry.shared:
            return
        pairing = Pairing(
            judged.call, judged.by_contract, judged.contract, response, entry.state is State.CANCELLED
        )
        self._note(entry, rules.run("pairing", dialect, pairing))
        self._note(entry, list(result_findings(pairing)))

    def _note(self, entry: Entry, findings: list[Finding]) -> None:
        if findings:
            self._found.extend(findings)
            self._by_entry.setdefault(id(entry), []).extend(findings)
