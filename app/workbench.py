"""The only door to the core: one function per verb of the API.

Text in, frozen reports out. Whoever calls (page, JSON API, command line) gets
the same report and differs only in how it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from app import cases as pinned
from app import contract as contracts_of
from app import diff as comparison
from app import edits, engine, exports, file_report, guarded, paste, session, session_panel
from app import mutants as mutation
from app import panels as page
from app import respond as answers
from app import samples as given_samples
from app import tighten as tightening
from app.cases import findings_of, more_than_one, payload_of
from app.contract import Contract
from app.cursor import Cursor
from app.exports import report as exporting
from app.json_text import write
from app.judge import Judged, judge
from app.model import Finding, Location, Options, Raw, Severity, Status, Verdict, status_of
from app.reporting import (
    Outcomes,
    classify_report,
    cut,
    extract_report,
    pair_report,
    respond_report,
    session_report,
)
from app.reports import (
    Additions,
    CasesReport,
    ClassifyReport,
    DiffReport,
    Edit,
    ExportReport,
    ExtractReport,
    FileReport,
    FormatReport,
    ImportReport,
    InferReport,
    Inputs,
    MeterReport,
    MutantsReport,
    PairReport,
    PanelsReport,
    RespondReport,
    SessionReport,
    TargetInfo,
    TightenReport,
    ValidateReport,
)

DEFAULTS = Options()
NOTHING_NEW = Additions()

CONTAINERS = frozenset({"json-lines", "code-fence", "sse-wrapped", "log-prefix", "json-bom"})
"""Notes on what stands around JSON texts. Any other deviation is an error where strict JSON is asked for."""


# Reading ---------------------------------------------------------------------


def format(text: str, indent: int = 2) -> FormatReport:
    """Lay out a paste anew: only white space between tokens changes.

    `indent` 0 gives one line for each JSON text. A deviation from strict JSON
    inside a text is an error here; what stands around the texts is not.
    """
    document = paste.read_payload(text, input="text", tolerant=True)
    notes = (*document.notes, *(note for root in document.roots for note in root.notes))
    deviations = {note.code for note in notes} - CONTAINERS
    findings = [
        replace(finding, severity=Severity.ERROR) if finding.code in deviations else finding
        for finding in findings_of(document)
    ]
    shown, total = cut(findings)
    status = Status.IDLE if document.blank else status_of(findings)
    return FormatReport(status, paste.format_text(document, indent), document.documents, notes, shown, total)


def extract(
    text: str, contracts_text: str | None = None, options: Options = DEFAULTS, input: str = "text"
) -> ExtractReport:
    """Read every frame of a paste and judge its calls."""
    known = contracts_of.read(contracts_text, options)
    return extract_report(judge(session.read(text, options, input), known, options), known, options)


def classify(text: str, options: Options = DEFAULTS) -> ClassifyReport:
    """Say what one finished model turn is: tool request, answer candidate, or neither and why.

    Text that is no turn, such as a proxy's error page, is `unknown`: a transport
    error is never told as an empty answer. A line that carries the API's error
    object is one.
    """
    read = session.read(text, options)
    if not read.frames and (carried := paste.carried_object(text, "error")) is not None:
        read = session.read(carried, options)
    return classify_report(judge(read, contracts_of.NONE, options))


# The exchange ----------------------------------------------------------------


def pair(
    calls_text: str,
    responses_text: str,
    cancel_text: str | None = None,
    contracts_text: str | None = None,
    options: Options = DEFAULTS,
) -> PairReport:
    """Pair calls with their answers; the exchange is complete, so a missing answer is red."""
    known = contracts_of.read(contracts_text, options)
    asked, cancelled, given = (
        judge(session.read(text, options, input), known, options)
        for text, input in (
            (calls_text, "calls_text"),
            (cancel_text or "", "cancel_text"),
            (responses_text, "responses_text"),
        )
    )
    return pair_report(asked, cancelled, given, known)


def read_session(text: str, contracts_text: str | None = None, options: Options = DEFAULTS) -> PairReport:
    """Follow a whole session: every call over its life, and what goes wrong over its length."""
    known = contracts_of.read(contracts_text, options)
    return session_report(judge(session.read(text, options), known, options), known, options)


def respond(
    text: str,
    contracts_text: str | None = None,
    *,
    results: str | None = None,
    errors: str | None = None,
    scheduling: str | None = None,
    scheduling_at: str = "response",
    cancel_text: str | None = None,
    form: str = "frame",
    options: Options = DEFAULTS,
    input: str = "text",
) -> RespondReport:
    """Draft the answer to the calls of a paste: same ids and names, an error for each refused call.

    `results` is JSON text: an object by call id, or a list in call order.
    `errors` is JSON text: call id to `{code?, message}`. `form` is frame, python or js.
    """
    known = contracts_of.read(contracts_text, options)
    asked = judge(session.read(text, options, input), known, options)
    cancelled = judge(session.read(cancel_text or "", options, "cancel_text"), known, options)
    by_id, ordered, wrong = _outcomes(results, errors)
    outcomes = by_id, ordered, (*wrong, *_unasked(by_id, asked))
    return respond_report(asked, cancelled, known, outcomes, scheduling, scheduling_at, form)


def _outcomes(results: str | None, errors: str | None) -> Outcomes:
    by_id: dict[str, answers.Outcome] = {}
    ordered: tuple[Raw, ...] = ()
    findings: list[Finding] = []
    given = _one_value(results, "results", findings)
    if given is not None and given.is_array:
        ordered = tuple(item.raw or Raw("null") for item in given)
    elif given is not None:
        by_id = {member.key or "": answers.Outcome(result=member.raw) for member in given}
    failed = _one_value(errors, "errors", findings)
    for member in failed or ():
        tree = member.tree if member.is_object else {"message": member.tree}
        body = {"code": tree.get("code", "tool_failed"), **{k: v for k, v in tree.items() if k != "code"}}
        by_id[member.key or ""] = answers.Outcome(error=Raw(write(body, None)))
    return by_id, ordered, tuple(findings)


def _unasked(by_id: dict[str, answers.Outcome], asked: Judged) -> tuple[Finding, ...]:
    """Say so where an outcome is for an id that no call has: it may be a failure that is told to nobody."""
    known = {str(call.call.id) for item in asked.frames for call in item.calls}
    return tuple(
        Finding(
            "response-orphan",
            Severity.ERROR,
            f"No call has the id {call_id[:60]}. Copy the id of the call.",
            Location("errors" if outcome.error is not None else "results"),
            call_id=call_id,
        )
        for call_id, outcome in by_id.items()
        if call_id not in known
    )


def _one_value(text: str | None, input: str, findings: list[Finding]) -> Cursor | None:
    if text is None:
        return None
    document = paste.read_payload(text, input=input)
    findings.extend(finding for finding in findings_of(document) if finding.is_error)
    return payload_of(document)


# Contracts -------------------------------------------------------------------


def validate(
    payload_text: str,
    *,
    schema_text: str | None = None,
    contract_text: str | None = None,
    part: str = "parameters",
    options: Options = DEFAULTS,
) -> ValidateReport:
    """Validate one payload as it is against one schema, with a second opinion."""
    schema, findings = pinned.schema_of(schema_text, contract_text, part, options)
    document = paste.read_payload(payload_text, input="payload")
    payload = payload_of(document)
    read = [finding for finding in findings_of(document) if finding.is_error or payload is None]
    read.extend(more_than_one(document))
    findings.extend(read)
    opinion = None
    if schema is None or schema.prepared.problems:
        verdict = Verdict.CONTRACT_ERROR
    elif payload is None or payload.raw is None:
        verdict = Verdict.REFUSE  # no JSON value, or one with NaN in it
        if document.blank:
            findings.append(
                Finding(
                    "json-invalid",
                    Severity.ERROR,
                    "There is no payload. Give one JSON value.",
                    Location("payload"),
                )
            )
    else:
        checked = contracts_of.check_payload(payload, schema, pinned.code_of(part))
        findings.extend(checked.findings)
        verdict = Verdict.REFUSE if any(finding.is_error for finding in read) else checked.verdict
        findings.extend(pinned.is_frame(payload))
        opinion = engine.second_opinion(schema.prepared, payload)
        if not opinion.agrees:
            findings.append(
                Finding(
                    "engines-disagree",
                    Severity.WARNING,
                    f"{opinion.engine} says {opinion.verdict}. Two executors may decide differently here.",
                    payload.location,
                )
            )
    shown, total = cut(findings)
    status = status_of(findings) if verdict is Verdict.ACCEPT else Status.RED
    return ValidateReport(status, verdict, shown, total, opinion)


def cases(
    cases_text: str,
    *,
    schema_text: str | None = None,
    contract_text: str | None = None,
    part: str = "parameters",
    options: Options = DEFAULTS,
) -> CasesReport:
    """Judge pinned payloads and compare each verdict with what the case expects."""
    schema, findings = pinned.schema_of(schema_text, contract_text, part, options)
    document = paste.read_payload(cases_text, input="cases")
    return pinned.judge_cases(document, schema, findings, part)


def mutants(contract_text: str, options: Options = DEFAULTS) -> MutantsReport:
    """Judge the neighbours of a contract's accepted cases, and say which of its keywords no case guards."""
    known = contracts_of.read(contract_text, options, name="contract", input="contract")
    if not known.items:
        shown, total = cut(known.findings or [pinned.no_schema("contract")])
        return MutantsReport(Status.RED, 0, 0, None, True, (), (), (), (), shown, total)
    report = guarded.report(known.items[0])
    if not known.findings:
        return report
    shown, total = cut([*known.findings, *report.findings])
    status = report.status if known.readable else Status.RED
    return replace(report, status=status, findings=shown, findings_total=total)


def diff(
    before_text: str, after_text: str, cases_text: str | None = None, options: Options = DEFAULTS
) -> DiffReport:
    """Say whether one schema became narrower or wider, with a payload that shows it for each direction."""
    before, findings = pinned.schema_of(before_text, None, "parameters", options, "before")
    after, wrong = pinned.schema_of(after_text, None, "parameters", options, "after")
    findings.extend(wrong)
    root = _one_value(cases_text, "cases", findings)
    given = pinned.read_cases(root, findings) if root is not None else []
    if before is None or after is None or before.prepared.problems or after.prepared.problems:
        shown, total = cut(findings)
        return DiffReport(Status.RED, "not-proven", (), (), shown, total)
    report = comparison.diff(before.prepared, after.prepared, given)
    shown, total = cut(findings)
    return replace(report, status=status_of(findings), findings=shown, findings_total=total)


# To and from other wires -----------------------------------------------------


def targets() -> tuple[TargetInfo, ...]:
    """Return every export target, by id."""
    return tuple(map(exporting.target_info, exports.all_targets()))


def export(
    contract_text: str, target: str, *, form: str = "chat", options: Options = DEFAULTS
) -> ExportReport:
    """Say a contract as a target takes it: ready to paste, with all that changes and each case that flips.

    `target` is the id of one; LookupError for any other. `form` is chat or responses.
    """
    return _exports(contract_text, [_target(target)], form, options)[0]


def export_all(
    contract_text: str, *, form: str = "chat", options: Options = DEFAULTS
) -> dict[str, ExportReport]:
    """Say a contract as each target takes it, by the id of the target."""
    every = exports.all_targets()
    reports = _exports(contract_text, every, form, options)
    return {target.id: report for target, report in zip(every, reports, strict=True)}


def _exports(
    contract_text: str, to: Sequence[exports.Target], form: str, options: Options
) -> list[ExportReport]:
    known = contracts_of.read(contract_text, options, name="contract", input="contract")
    findings = [finding for finding in known.findings if finding.is_error]
    if not known.items or findings:
        shown, total = cut(findings or [pinned.no_schema("contract")])
        return [ExportReport(Status.RED, None, None, None, None, (), (), shown, total) for _ in to]
    chosen = known.items[0]
    neighbours = [(mutant.name, mutant.payload) for mutant in mutation.mutants(chosen)]
    return exporting.export_reports(chosen, to, form, _cases(chosen), neighbours)


def _cases(contract: Contract) -> list[tuple[str, Cursor]]:
    """Return the payloads of a contract's cases, by name."""
    read = pinned.read_cases(contract.cases, []) if contract.cases is not None else []
    return [(case.name, case.payload.rooted(case.name)) for case in read if case.payload is not None]


def import_(text: str, dialect: str | None = None) -> ImportReport:
    """Read the contracts that a text declares. `dialect` is the id of what a bare schema is written for."""
    document = paste.read(text)
    return exporting.import_report(document, exports.by_id(dialect) if dialect is not None else None)


def meter(contracts_text: str, target: str, options: Options = DEFAULTS) -> MeterReport:
    """Measure what the tools of one request come to for a target, as the provider counts them."""
    known = contracts_of.read(contracts_text, options)
    return exporting.meter_report(known.items, _target(target))


def _target(target_id: str) -> exports.Target:
    found = exports.by_id(target_id)
    if found is None:
        raise LookupError(target_id)
    return found


# Samples ---------------------------------------------------------------------


def infer(
    text: str | None = None,
    *,
    samples_text: str | None = None,
    name: str | None = None,
    read_as: str | None = None,
    part: str = "parameters",
    options: Options = DEFAULTS,
) -> InferReport:
    """Infer a contract per tool from samples; each states no more than its samples do."""
    if samples_text is not None:
        groups, findings = given_samples.sample_payloads(
            samples_text, options, input="samples", read_as="payloads", part=part
        )
    else:
        groups, findings = given_samples.sample_payloads(text or "", options, read_as=read_as, part=part)
    return given_samples.infer_report(groups, findings, name)


def tighten(
    *,
    schema_text: str | None = None,
    samples_text: str | None = None,
    text: str | None = None,
    part: str = "parameters",
    required: Literal["observed", "all"] | Sequence[str] | None = None,
    enum_text: str | None = None,
    additional_properties: bool | None = None,
    deep: bool = True,
    apply: Sequence[str] = (),
    cases_text: str | None = None,
    until_refused: bool = False,
    options: Options = DEFAULTS,
) -> TightenReport:
    """Add keywords to a schema, to what samples state where there is none, and prove that it got narrower.

    `enum_text` is JSON text: `"observed"`, or an object of pointers to value lists.
    """
    findings: list[Finding] = []
    schema: Cursor | None = None
    if schema_text is not None:
        document = paste.read_payload(schema_text, input="schema")
        schema = payload_of(document)
        findings.extend(finding for finding in findings_of(document) if finding.is_error)
        if schema is None:
            findings = findings or [pinned.no_schema("schema")]
            shown, total = cut(findings)
            return TightenReport(Status.RED, None, (), "not-proven", (), shown, total)
    payloads: list[Cursor] = []
    for given, input in ((samples_text, "samples"), (text, "text")):
        if given is not None:
            groups, wrong = given_samples.sample_payloads(
                given, options, input=input, read_as="payloads" if input == "samples" else None, part=part
            )
            payloads.extend(payload for group in groups.values() for payload in group)
            findings.extend(wrong)
    wanted_cases: list[tightening.Case] = []
    root = _one_value(cases_text, "cases", findings)
    if root is not None:
        wanted_cases = [
            tightening.Case(case.name, case.payload, case.expect == "accept", case.because)
            for case in pinned.read_cases(root, findings)
            if case.payload is not None
        ]
    report = tightening.tighten(
        schema,
        payloads,
        required=required,
        enum=_enum(_one_value(enum_text, "enum", findings)),
        additional_properties=additional_properties,
        deep=deep,
        apply=apply,
        cases=wanted_cases,
        until_refused=until_refused,
    )
    shown, total = cut([*findings, *report.findings])
    status = Status.RED if status_of(findings) is Status.RED else report.status
    return replace(report, status=status, findings=shown, findings_total=total)


def _enum(given: Cursor | None) -> Literal["observed"] | dict[str, list[Raw]] | None:
    if given is None:
        return None
    if given.string == "observed":
        return "observed"
    return {member.key or "": [value.raw or Raw("null") for value in member] for member in given}


# Files -----------------------------------------------------------------------


def check(
    text: str, contracts_text: str | None = None, kind: str | None = None, options: Options = DEFAULTS
) -> FileReport:
    """Judge one file: a contract with its cases and mutants, or frames by the given contracts.

    `kind` is contract or frames; None tells by the text. Several frames are a session.
    """
    if kind == "contract" or (kind is None and file_report.states_contract(text)):
        return file_report.of_contracts(contracts_of.read(text, options, input="text"))
    read = session.read(text, options)
    whole = len(read.frames) > 1 or read.kind in ("session", "history")
    return file_report.of_frames((read_session if whole else extract)(text, contracts_text, options))


# The page --------------------------------------------------------------------


def panels(inputs: Inputs, edit: str = "", new: Additions = NOTHING_NEW) -> PanelsReport:
    """Make one structured edit, if any, and judge everything on the page."""
    made: Edit | None = None
    if edit:
        inputs, made = edits.apply(inputs, edit, new)
    return page.panels(inputs, made)


def session_tab(inputs: Inputs) -> SessionReport:
    """Judge the session on the page: what `read_session` says of it, and every frame in a line."""
    return session_panel.session_panel(inputs)
