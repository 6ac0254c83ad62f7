"""Everything the page shows, judged once from everything a person has on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from json import loads

from app import cases, engine, infer, paste, samples, session, tighten
from app import contract as contracts_of
from app.contract import Contract, Contracts, Schema
from app.cursor import Cursor
from app.judge import Judged, judge
from app.model import Finding, Location, Options, Raw, Severity, Status, Verdict, status_of
from app.reporting import cut, extract_report, pair_report, respond_report
from app.reports import (
    CaseResult,
    CasesReport,
    ContractView,
    Edit,
    ExtractReport,
    InferredContract,
    Inputs,
    PairReport,
    PanelsReport,
    Property,
    RespondReport,
    SampleReport,
    SecondOpinion,
    Suggestion,
)

OPINIONS = 20
"""Calls that get a second opinion; it is slow beside the first, and one disagreement is enough to see."""

STOPPERS = 12
STOPPER_SAMPLES = 1_000
"""Suggestions tried on a case that gets in, and most samples with which that is tried."""

JUDGED_SAMPLES = 10_000
"""Samples that the chosen contract judges one by one on the page."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the selects of the page say."""

    options: Options
    scheduling: str | None
    scheduling_at: str
    findings: tuple[Finding, ...] = ()


CHOICES = {
    "string_args": ("parse-once", "refuse"),
    "fold": ("closed", "open"),
    "backend": ("gemini-api", "vertex"),
    "scheduling_at": ("response", "body"),
}
"""What an option may be; the first is the default where there is one."""


def settings(text: str) -> Settings:
    """Read the `options` field: JSON with the fields of Options, and scheduling, scheduling_at.

    An option that is none keeps its default, and a finding says so.
    """
    try:
        given = loads(text or "{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return Settings(Options(), None, "response", (_bad_option("options must be a JSON object."),))
    wrong: list[Finding] = []

    def word(key: str, default: str | None = None) -> str | None:
        value = given.get(key)
        if value is None or value == "":
            return default
        if not isinstance(value, str) or value not in CHOICES.get(key, (value,)):
            wrong.append(_bad_option(f"{key} cannot be {str(value)[:40]}."))
            return default
        return value

    formats = given.get("assert_formats", False)
    if not isinstance(formats, bool):
        wrong.append(_bad_option("assert_formats is true or false."))
    options = Options(
        string_args=word("string_args") or "parse-once",
        fold=word("fold") or "closed",
        assert_formats=formats is True,
        backend=word("backend"),
        model=word("model"),
        dialect=word("dialect"),
    )
    return Settings(options, word("scheduling"), word("scheduling_at") or "response", tuple(wrong))


def _bad_option(message: str) -> Finding:
    return Finding("options-invalid", Severity.ERROR, f"{message} The default is used.", Location("options"))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The contract that the tabs show, by name, with the samples of its tool."""

    name: str | None
    contract: Contract | None
    payloads: tuple[Cursor, ...]
    inferred: InferredContract | None
    part: str = "parameters"

    @property
    def schema(self) -> Schema | None:
        """The schema of the contract that the table shows and the edits change."""
        return self.contract.schema(self.part) if self.contract is not None else None


def read_contracts(inputs: Inputs, options: Options, asked: session.Session) -> Contracts:
    """Read the contracts of the page; a bare schema is that of the named or the only called tool."""
    name = inputs.contract_name.strip() or _only_tool(asked)
    return contracts_of.read(inputs.contracts_text, options, name=name, input="contracts_text")


def _only_tool(asked: session.Session) -> str | None:
    names = {call.name for frame in asked.frames for call in frame.calls if call.name}
    return names.pop() if len(names) == 1 else None


def choose(
    inputs: Inputs, known: Contracts, asked: session.Session, groups: dict[str | None, list[Cursor]]
) -> Chosen:
    """Choose the contract to show: the named one, else that of the first call, else the first."""
    wanted = inputs.contract_name.strip()
    called = [call.name for frame in asked.frames for call in frame.calls]
    order = [wanted, *called, *known.names]
    name = next((each for each in order if each and known.get(each) is not None), wanted or None)
    if name is None and len(groups) == 1:
        name = next(iter(groups))
    payloads = (*groups.get(None, []), *(groups.get(name, []) if name is not None else []))
    inferred = infer.infer(payloads, name=name) if payloads else None
    return Chosen(name, known.get(name), payloads, inferred)


def shown_in_table(inputs: Inputs, chosen: Chosen, options: Options) -> Chosen:
    """Return what the table of the Contract tab shows: the args, or the result where that is asked for.

    Results are seen in frames only, among the samples and in the pasted answer: a bare payload is args.
    """
    contract = chosen.contract
    if inputs.part != "result" or contract is None or contract.result is None:
        return chosen
    payloads: list[Cursor] = []
    for name in ("samples_text", "responses_text"):
        groups, _ = samples.sample_payloads(
            getattr(inputs, name), options, input=name, read_as="frames", part="result"
        )
        payloads += groups.get(chosen.name, [])
    inferred = infer.infer(payloads, name=chosen.name) if payloads else None
    return Chosen(chosen.name, contract, tuple(payloads), inferred, "result")


def panels(inputs: Inputs, edit: Edit | None) -> PanelsReport:
    """Judge everything on the page."""
    set_to = settings(inputs.options)
    options = set_to.options
    asked = session.read(inputs.calls_text, options, "calls_text")
    known = read_contracts(inputs, options, asked)
    judged = judge(asked, known, options)
    nothing = judge(session.read("", options, "cancel_text"), known, options)
    extract = extract_report(judged, known, options)
    draft: RespondReport | None = None
    answer: ExtractReport | None = None
    if inputs.responses_text.strip():
        given = judge(session.read(inputs.responses_text, options, "responses_text"), known, options)
        answer = extract_report(given, contracts_of.NONE, options)
    else:
        draft = respond_report(
            judged, nothing, known, ({}, (), ()), set_to.scheduling, set_to.scheduling_at, "frame"
        )
        given = judge(session.read(draft.text or "", options, "draft"), known, options)
    # Where the calls cannot be read, nothing can be said of an answer's ids either.
    pair = pair_report(judged, nothing, given if _is_readable(judged) else nothing, known)
    groups, sample_findings = samples.sample_payloads(inputs.samples_text, options, input="samples_text")
    chosen = choose(inputs, known, asked, groups)
    table = shown_in_table(inputs, chosen, options)
    schema = _schema_of(chosen.contract)
    cases_report = _cases(inputs.cases_text, schema, chosen, unchecked=not known.known)
    sampled = _samples(groups, chosen, schema)
    findings = [*set_to.findings, *pair.findings, *sample_findings]
    if answer is not None:
        findings.extend(answer.findings)
    if draft is not None:
        findings.extend(finding for finding in draft.findings if finding.at.input != "calls_text")
    shown, total = cut(dict.fromkeys(findings))
    return PanelsReport(
        inputs=inputs,
        extract=extract,
        pair=pair,
        draft=draft,
        answer=answer,
        statuses={
            "toolCall": _call_status(extract),
            "args": _args_status(extract),
            "toolResponse": _response_status(extract, pair, draft, answer),
            "cases": cases_report.status if cases_report is not None else Status.IDLE,
            "samples": _sample_status(inputs, sampled, sample_findings),
        },
        contracts=tuple(_view(each, table) for each in known.items),
        chosen=chosen.name,
        part=table.part,
        evidence=len(table.payloads),
        cases=cases_report,
        samples=sampled,
        inferred=(
            samples.infer_report(groups, sample_findings, chosen.name, chosen.inferred) if groups else None
        ),
        second_opinion=_second_opinion(asked, known),
        edit=edit,
        findings=shown,
        findings_total=max(total, pair.findings_total),
    )


def _schema_of(contract: Contract | None) -> Schema | None:
    if contract is None or not contract.sound:
        return None
    return contract.parameters or cases.no_args(contract.at)


def _cases(text: str, schema: Schema | None, chosen: Chosen, *, unchecked: bool) -> CasesReport | None:
    document = paste.read_payload(text, input="cases_text")
    if document.blank:
        return None
    report = cases.judge_cases(document, schema, [], "parameters", unchecked=unchecked)
    open_cases = [each for each in report.results if not each.as_expected and each.verdict is Verdict.ACCEPT]
    few = 0 < len(chosen.payloads) <= STOPPER_SAMPLES
    if not open_cases or schema is None or chosen.inferred is None or not few:
        return report
    stoppers = _stoppers(open_cases, schema, chosen.inferred.suggestions, chosen.payloads)
    return replace(
        report,
        results=tuple(
            replace(each, suggestions=stoppers[each.name]) if each.name in stoppers else each
            for each in report.results
        ),
    )


def _stoppers(
    results: Sequence[CaseResult],
    schema: Schema,
    suggestions: Sequence[Suggestion],
    payloads: Sequence[Cursor],
) -> dict[str, tuple[str, ...]]:
    """Return, for each case that gets in, the suggestions that would refuse it."""
    found: dict[str, list[str]] = {}
    for suggestion in suggestions[:STOPPERS]:
        tightened = tighten.tighten(schema.prepared.source, payloads, apply=[suggestion.id])
        if tightened.schema is None or not tightened.changes:
            continue
        judge_by = engine.prepare(Cursor.of(tightened.schema.text))
        for each in results:
            payload = Cursor.of(each.payload.text) if each.payload is not None else None
            if payload is not None and engine.judge(judge_by, payload).verdict is Verdict.REFUSE:
                found.setdefault(each.name, []).append(suggestion.id)
    return {name: tuple(ids) for name, ids in found.items()}


def _samples(
    groups: dict[str | None, list[Cursor]], chosen: Chosen, schema: Schema | None
) -> tuple[SampleReport, ...]:
    out: list[SampleReport] = []
    for name, payloads in groups.items():
        mine = name is None or name == chosen.name
        for payload in payloads[:JUDGED_SAMPLES]:
            checked = (
                contracts_of.check_payload(payload.rooted(), schema)
                if mine and schema is not None
                else contracts_of.Checked(Verdict.UNCHECKED)
            )
            raw = payload.raw or Raw("null")
            source = f"{name}, frame {payload.frame}" if name is not None else "pasted"
            out.append(SampleReport(raw, source, payload.location.line, checked.verdict, checked.findings))
    return tuple(out)


def _sample_status(inputs: Inputs, sampled: Sequence[SampleReport], findings: Sequence[Finding]) -> Status:
    if not inputs.samples_text.strip():
        return Status.IDLE
    if status_of(list(findings)) is Status.RED or not sampled:
        return Status.RED
    verdicts = {each.verdict for each in sampled}
    if verdicts == {Verdict.UNCHECKED}:
        return Status.IDLE
    return Status.GREEN if verdicts <= {Verdict.ACCEPT, Verdict.UNCHECKED} else Status.RED


def _view(contract: Contract, chosen: Chosen) -> ContractView:
    schema = contract.schema(chosen.part) if contract is chosen.contract else contract.parameters
    properties: tuple[Property, ...] = ()
    if contract is chosen.contract and schema is not None and contract.sound:
        # The table speaks of what judges, which for a provider's declaration is the folded schema.
        rows = _rows(schema.prepared.source, chosen.inferred)
        properties = tuple(replace(row, schema_line=schema.place(row.schema_pointer)) for row in rows)
    return ContractView(
        name=contract.name,
        description=contract.description,
        behavior=contract.behavior,
        dialect=contract.dialect,
        schema=schema.source.raw if schema is not None else None,
        line=contract.at.location.line,
        sound=contract.sound,
        is_object=contract.at.is_object and (schema is None or schema.source.node != contract.at.node),
        has_result=contract.result is not None,
        properties=properties,
        findings=contract.findings,
    )


def _rows(schema: Cursor, inferred: InferredContract | None) -> tuple[Property, ...]:
    """Return the rows of the table; for contracts that are remembered they are remembered too."""
    if inferred is not None or len(schema.json.text) > contracts_of.REMEMBERED:
        return tighten.properties(schema, inferred)
    return _remembered(schema)


@lru_cache(maxsize=4)
def _remembered(schema: Cursor) -> tuple[Property, ...]:
    return tighten.properties(schema)


def _second_opinion(asked: session.Session, known: Contracts) -> SecondOpinion | None:
    """Return the first opinion that disagrees, else the first one there is."""
    first: SecondOpinion | None = None
    calls = [call for frame in asked.frames for call in frame.calls][:OPINIONS]
    for call in calls:
        contract = known.get(call.name)
        schema = _schema_of(contract)
        if schema is None or call.args.object is None:
            continue
        opinion = engine.second_opinion(schema.prepared, call.args.object)
        if not opinion.agrees:
            return opinion
        first = first or opinion
    return first


# Status of each panel --------------------------------------------------------


def _call_status(extract: ExtractReport) -> Status:
    if extract.status is Status.IDLE:
        return Status.IDLE
    refused = any(each.verdict not in (Verdict.ACCEPT, Verdict.UNCHECKED) for each in extract.calls)
    broken = any(frame.status is Status.RED for frame in extract.frames)
    unread = any(finding.is_error and finding.at.input == "calls_text" for finding in extract.findings)
    return Status.RED if refused or broken or unread else Status.GREEN


def _args_status(extract: ExtractReport) -> Status:
    if not extract.calls:
        unread = _call_status(extract) is Status.RED
        return Status.RED if unread else Status.IDLE
    verdicts = {each.verdict for each in extract.calls}
    if not verdicts <= {Verdict.ACCEPT, Verdict.UNCHECKED}:
        return Status.RED
    if any(not each.executable and not each.cancelled for each in extract.calls):
        return Status.RED  # accepted, but its turn is not one to act on
    return Status.IDLE if verdicts == {Verdict.UNCHECKED} else Status.GREEN


def _is_readable(judged: Judged) -> bool:
    frames = judged.frames
    return bool(frames) and not all(item.bad or item.frame.at is None for item in frames)


def _response_status(
    extract: ExtractReport, pair: PairReport, draft: RespondReport | None, answer: ExtractReport | None
) -> Status:
    if answer is not None:
        if extract.status is Status.IDLE:
            return Status.RED if answer.status is Status.RED else Status.IDLE
        if all(
            frame.bad or (frame.status is Status.RED and frame.kind == "unknown") for frame in extract.frames
        ):
            return Status.RED  # there is nothing that it could answer
        wrong = any(
            finding.is_error and (finding.at.input == "responses_text" or finding.code == "response-missing")
            for finding in pair.findings
        )
        return Status.RED if wrong or answer.status is Status.RED else Status.GREEN
    if draft is None or draft.status is Status.IDLE:
        return Status.IDLE
    if draft.text is not None:
        return Status.GREEN
    return Status.RED if _call_status(extract) is Status.RED else Status.IDLE
