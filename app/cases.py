"""Cases: pinned payloads, what each must come to, and whether it does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app import contract as contracts_of
from app import dialects, engine, paste
from app.contract import Contract, Schema
from app.cursor import Cursor
from app.model import Finding, Location, Options, Severity, Status, Verdict, status_of
from app.reporting import cut
from app.reports import CaseResult, CasesReport

OK_NAME = re.compile(r"ok([^a-z]|$)")
"""Names of cases that must be accepted, where a case does not say what it expects."""


def code_of(part: str) -> str:
    """Return the code of a violation of the args or of the result."""
    return "args-schema" if part == "parameters" else "result-schema"


def payload_of(document: paste.Document) -> Cursor | None:
    """Return the one value of a document, or None."""
    return document.roots[0].cursor if len(document.roots) == 1 else None


def findings_of(document: paste.Document) -> list[Finding]:
    """Return what reading found, in the paste and in each of its texts."""
    return [*document.findings, *(finding for root in document.roots for finding in root.findings)]


def more_than_one(document: paste.Document) -> list[Finding]:
    """Say so where one JSON value is wanted and there are several."""
    second = document.roots[1].cursor if len(document.roots) > 1 else None
    if second is None:
        return []
    message = f"{len(document.roots)} JSON texts, and one is wanted. Remove the others."
    return [Finding("json-invalid", Severity.ERROR, message, second.location)]


def is_frame(payload: Cursor) -> list[Finding]:
    """Say so where a payload is itself a whole frame."""
    known = dialects.recognise(payload) if payload.is_object else None
    if known is None:
        return []
    dialect, evidence = known
    frame = dialect.decode(payload, evidence)
    if not (frame.calls or frame.responses):
        return []  # a key or two of a protocol may be data; a call in it is not
    return [
        Finding(
            "args-envelope",
            Severity.INFO,
            f"This payload is a whole frame ({dialect.title}). Judge the {dialect.words.args} in it alone.",
            payload.location,
        )
    ]


def schema_of(
    schema_text: str | None, contract_text: str | None, part: str, options: Options, input: str = "schema"
) -> tuple[Schema | None, list[Finding]]:
    """Return the schema that a request gives, and what is wrong with it. `input` is the field it came in."""
    findings: list[Finding] = []
    if schema_text is not None:
        document = paste.read_payload(schema_text, input=input)
        at = payload_of(document)
        if at is None:
            findings.extend([*findings_of(document), *more_than_one(document)] or [no_schema(input)])
            return None, findings
        findings.extend(finding for finding in findings_of(document) if finding.is_error)
        prepared = engine.prepare(at, assert_formats=options.assert_formats)
        schema = Schema(at, prepared)
        findings.extend(
            Finding(
                problem.code,
                Severity.ERROR,
                problem.message,
                (at.at(problem.schema_pointer or "") or at).location,
                keyword=problem.keyword,
                schema_pointer=problem.schema_pointer,
                schema_line=schema.place(problem.schema_pointer),
            )
            for problem in prepared.problems
        )
        return schema, findings
    known = contracts_of.read(contract_text, options, name="contract", input="contract")
    findings.extend(known.all_findings())
    if not known.items:
        return None, findings or [no_schema("contract")]
    return part_of(known.items[0], part), findings


def part_of(contract: Contract, part: str) -> Schema | None:
    """Return the schema that judges `parameters` or `result`; None where the contract cannot judge."""
    if not contract.sound:
        return None
    schema = contract.schema(part)
    if schema is None:
        return (
            no_args(contract.at)
            if part == "parameters"
            else Schema(contract.at, engine.prepare(Cursor.of("true")))
        )
    return schema


def no_args(at: Cursor) -> Schema:
    """Return the schema of a tool that declares no parameters: an object without keys."""
    return Schema(at, engine.prepare(Cursor.of(contracts_of.NO_ARGS)))


def no_schema(input: str) -> Finding:
    """Say that a schema was asked for and there is none."""
    return Finding(
        "contract-invalid", Severity.ERROR, "There is no schema. Give one JSON Schema.", Location(input)
    )


def judge_cases(
    document: paste.Document,
    schema: Schema | None,
    findings: list[Finding],
    part: str,
    *,
    unchecked: bool = False,
) -> CasesReport:
    """Judge the cases of a document; `findings` are those of the schema.

    `unchecked`: there is no contract at all, so no case is as expected and none is wrong.
    """
    results: list[CaseResult] = []
    root = payload_of(document)
    findings.extend(finding for finding in findings_of(document) if finding.is_error)
    if root is not None:
        read = read_cases(root, findings)
        if unchecked:
            results.extend(_unchecked(case) for case in read)
        else:
            results.extend(_case(case, schema, part) for case in read)
    if not results and not document.blank and not any(finding.is_error for finding in findings):
        place = root.location if root is not None else Location(document.input)
        findings.append(Finding("case-invalid", Severity.ERROR, "There is no case here.", place))
    return _report(
        results, findings, idle=document.blank or (unchecked and status_of(findings) is not Status.RED)
    )


def _report(results: list[CaseResult], findings: list[Finding], *, idle: bool) -> CasesReport:
    failed = sum(1 for result in results if not result.as_expected)
    everything = [
        *findings,
        *(finding for result in results for finding in result.findings),
    ]
    shown, total = cut(everything)
    good = bool(results) and not failed and status_of(findings) is not Status.RED
    status = Status.GREEN if good else Status.IDLE if idle else Status.RED
    return CasesReport(status, tuple(results), len(results) - failed, failed, shown, total)


def cases_of(contract: Contract) -> CasesReport:
    """Judge the cases that stand in a contract itself."""
    findings: list[Finding] = list(contract.findings)
    read = [] if contract.cases is None else read_cases(contract.cases, findings)
    schema = part_of(contract, "parameters")
    results = [_case(case, schema, "parameters") for case in read]
    return _report(results, findings, idle=not read)


class Case:
    """A pinned payload as it was read: `payload` is None where its text cannot be read."""

    __slots__ = ("at", "because", "expect", "findings", "name", "payload")

    def __init__(self, name: str, at: Cursor, payload: Cursor | None) -> None:
        self.name = name
        self.at = at
        self.payload = payload
        self.expect = "accept" if OK_NAME.match(name) else "refuse"
        self.because: str | None = None
        self.findings: tuple[Finding, ...] = ()


def read_cases(root: Cursor, findings: list[Finding]) -> list[Case]:
    """Read `{name: payload}` or a list of Case objects."""
    if root.is_object:
        return [Case(member.key or "", member, member) for member in root]
    if not root.is_array:
        findings.append(_bad_case(root, "Cases are an object {name: payload} or a list of cases."))
        return []
    out: list[Case] = []
    for item in root:
        name = item.get("name")
        if name is None or name.string is None:
            findings.append(_bad_case(item, "A case needs a name and a payload."))
            continue
        payload, text = item.get("payload"), item.get("payload_text")
        if payload is not None and text is not None:
            findings.append(_bad_case(text, "payload and payload_text both stand here. Keep one."))
            continue
        case = Case(name.string, item, payload)
        if payload is None and text is not None and text.string is not None:
            document = paste.read_payload(text.string, input=name.string)
            case.payload = payload_of(document)
            case.findings = tuple(finding for finding in findings_of(document) if finding.is_error)
        if case.payload is None and not case.findings:
            findings.append(_bad_case(item, f"The case {name.string} has no payload."))
            continue
        expect, because = item.get("expect"), item.get("because")
        if expect is not None and expect.string in ("accept", "refuse"):
            case.expect = expect.string or "refuse"
        elif expect is not None and not expect.is_null:
            findings.append(_bad_case(expect, "expect is accept or refuse."))
        if because is not None and not because.is_null and because.string is None:
            findings.append(_bad_case(because, "because is the name of a keyword."))
        case.because = because.string if because is not None else None
        out.append(case)
    return out


def _bad_case(at: Cursor, message: str) -> Finding:
    return Finding("case-invalid", Severity.ERROR, message, at.location)


def _unchecked(case: Case) -> CaseResult:
    raw = case.payload.raw if case.payload is not None else None
    return CaseResult(case.name, raw, case.expect, Verdict.UNCHECKED, False, case.because, case.findings)


def _case(case: Case, schema: Schema | None, part: str) -> CaseResult:
    found = case.findings
    if schema is None or schema.prepared.problems:
        verdict = Verdict.CONTRACT_ERROR
    elif case.payload is None or case.payload.raw is None or any(f.is_error for f in case.findings):
        verdict = Verdict.REFUSE  # no JSON value, or one that two readers read differently
    else:
        checked = contracts_of.check_payload(case.payload.rooted(case.name), schema, code_of(part))
        verdict, found = checked.verdict, (*found, *checked.findings)
    keywords = {finding.keyword for finding in _deep(found)}
    as_expected = verdict.value == case.expect and (
        case.because is None or verdict is Verdict.ACCEPT or case.because in keywords
    )
    raw = case.payload.raw if case.payload is not None else None
    return CaseResult(case.name, raw, case.expect, verdict, as_expected, case.because, found)


def _deep(findings: Iterable[Finding]) -> Iterable[Finding]:
    for finding in findings:
        yield finding
        yield from _deep(finding.causes)
