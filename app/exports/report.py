"""What is told of an export, an import, or the tools of one request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from app import engine, paste
from app.cases import findings_of
from app.contract import Contract
from app.cursor import Cursor, join, split
from app.exports import meter
from app.exports.changes import Changes
from app.exports.entries import Declared, declared
from app.exports.exporter import Exported, Named, export, unsound
from app.exports.flips import Explained, Payloads, flips
from app.exports.reading import contract_of
from app.exports.target import Target
from app.model import Finding, Location, Raw, Severity, Status, Verdict, status_of
from app.reporting import cut
from app.reports import (
    ExportReport,
    ImportedContract,
    ImportReport,
    MeterReport,
    SchemaChange,
    TargetInfo,
    ToolSize,
)

NO_ARGS = '{"type": "object", "properties": {}, "additionalProperties": false}'
"""The schema of a tool that takes no args."""


def target_info(target: Target) -> TargetInfo:
    """Describe a target."""
    return TargetInfo(target.id, target.title, target.source, target.dated, target.limits)


# Export ------------------------------------------------------------------------------------


def export_reports(
    contract: Contract,
    targets: Sequence[Target],
    form: str,
    cases: Sequence[tuple[str, Cursor]],
    mutants: Sequence[tuple[str, Cursor]] = (),
) -> list[ExportReport]:
    """Export a contract to some targets, and judge its cases and mutants by what each is told.

    A flip of a case is a finding; one of a mutant is only listed, unless no change says why.
    """
    payloads = Payloads([*cases, *mutants], told=len(cases))
    return [_export_report(contract, target, form, payloads) for target in targets]


def _export_report(contract: Contract, target: Target, form: str, payloads: Payloads) -> ExportReport:
    findings = [
        _finding("target-note", Severity.INFO, text, contract.at.location, source=target.source)
        for text in ([target.first] if target.first is not None else [])
    ]
    part = target.part
    if part == "result" and contract.result is None:
        part = "parameters"
        message = "This contract has no result, so its parameters are exported in the place of it."
        findings.append(_finding("result-missing", Severity.WARNING, message, contract.at.location))
    schema = _schema(contract, part)
    args = _schema(contract, "parameters")
    exported = export(
        Named(contract.name, contract.description, contract.behavior, form), schema, target, parameters=args
    )
    problems = list(_problems(contract, exported, schema))
    if any(finding.is_error for finding in problems):
        exported = _withheld(exported)
    findings += problems
    findings += [
        _refusal(change, target, schema) for change in exported.changes if change.severity == "error"
    ]
    flipped: list[Explained] = []
    if exported.text is not None and part == "parameters":
        flipped = list(flips(exported, target, payloads))
        findings += [_flip(each, contract) for each in flipped if each.by is None or each.told]
    shown, total = cut(findings)
    return ExportReport(
        status=status_of(findings),
        text=exported.text,
        declaration=None if exported.declaration is None else Raw(exported.declaration),
        schema=None if exported.schema is None else Raw(exported.schema),
        suggested_name=exported.suggested_name,
        changes=exported.changes,
        flips=tuple(each.flip for each in flipped),
        findings=shown,
        findings_total=total,
    )


def _schema(contract: Contract, part: str) -> Cursor:
    """Return the schema that judges: a Gemini declaration is folded."""
    schema = contract.schema(part)
    return Cursor.of(NO_ARGS, input=contract.at.input) if schema is None else schema.prepared.source


def _problems(contract: Contract, exported: Exported, schema: Cursor) -> Iterator[Finding]:
    """Yield what is wrong with the contract itself; what only an older draft says is not."""
    for finding in contract.findings:
        if finding.is_error and finding.schema_pointer is None:
            yield finding
    for problem in unsound(exported.core):
        yield _finding(
            problem.code,
            Severity.ERROR,
            problem.message,
            _place(schema, problem.schema_pointer),
            keyword=problem.keyword,
            pointer=problem.schema_pointer,
        )


def _withheld(exported: Exported) -> Exported:
    return Exported(
        exported.core, None, None, None, None, exported.suggested_name, exported.changes, exported.size
    )


def _refusal(change: SchemaChange, target: Target, schema: Cursor) -> Finding:
    keyword = split(change.pointer)[-1] if change.pointer else None
    return _finding(
        "target-refuses",
        Severity.ERROR,
        f"{target.title}: {change.message}",
        _place(schema, change.pointer),
        keyword=keyword,
        pointer=change.pointer,
        source=change.source,
    )


def _flip(each: Explained, contract: Contract) -> Finding:
    name, admitted = each.flip.case, each.flip.after is Verdict.ACCEPT
    at = contract.cases.location if contract.cases is not None else contract.at.location
    does = "gets in" if admitted else "is refused"
    if each.by is None:
        message = f"{name} {does} there, and no change says why. Do not rely on this export."
        return _finding("flip-unexplained", Severity.ERROR, message, at)
    code = "flip-admitted" if admitted else "flip-refused"
    message = f"{name} {does} there: {each.by.message}"
    return _finding(code, Severity.WARNING, message, at, pointer=each.by.pointer, source=each.by.source)


def _place(schema: Cursor, pointer: str) -> Location:
    """Return where something stands in the schema, or the nearest thing above it."""
    at = schema
    for token in split(pointer):
        below = at.at(join(token))
        if below is None:
            break
        at = below
    return at.location


def _finding(
    code: str,
    severity: Severity,
    message: str,
    at: Location,
    *,
    keyword: str | None = None,
    pointer: str | None = None,
    source: str | None = None,
) -> Finding:
    line = at.line if pointer is not None else None
    return Finding(
        code, severity, message, at, keyword=keyword, schema_pointer=pointer, schema_line=line, source=source
    )


# Import ------------------------------------------------------------------------------------


def import_report(document: paste.Document, target: Target | None) -> ImportReport:
    """Read the contracts that a text declares. `target` says what a bare schema was written for."""
    findings = [finding for finding in findings_of(document) if finding.is_error]
    contracts: list[ImportedContract] = []
    for root in document.roots:
        if root.cursor is None:
            continue
        found = declared(root.cursor)
        if not found and target is not None:
            found = [_bare(root.cursor, target)]
        for each in found:
            contracts.append(contract_of(each))
            findings += _wrong(each, contracts[-1])
    if not contracts and not findings and not document.blank:
        place = (
            document.roots[0].cursor.location if document.roots and document.roots[0].cursor else Location()
        )
        message = "This declares no tool. Paste a declaration; for a bare schema, say which target it is for."
        findings.append(_finding("import-nothing", Severity.ERROR, message, place))
    twice = [name for name, count in Counter(each.name for each in contracts).items() if name and count > 1]
    for name in twice:
        message = f"{name} is declared twice. Keep one of them."
        findings.append(_finding("declaration-dup-name", Severity.ERROR, message, Location()))
    shown, total = cut(findings)
    status = Status.IDLE if document.blank else status_of(findings)
    changes = tuple(change for each in contracts for change in each.changes)
    return ImportReport(status, tuple(contracts), changes, shown, total)


def _bare(schema: Cursor, target: Target) -> Declared:
    gemini = target.reads == "gemini"
    origin = target.id.partition(".")[0]
    origin = origin if origin in ("openai", "anthropic", "mcp", "gemini") else "json"
    strict = True if target.strict else None
    if target.part == "result":
        return Declared(schema, origin, None, result=schema, gemini_result=gemini, strict=strict)
    return Declared(schema, origin, None, parameters=schema, gemini_parameters=gemini, strict=strict)


def _wrong(each: Declared, contract: ImportedContract) -> Iterator[Finding]:
    if each.both is not None:
        message = f"{each.both.key} stands beside the field that it excludes. Keep one of them."
        yield _finding("declaration-params-both", Severity.ERROR, message, each.both.location)
    for schema, raw in ((each.parameters, contract.parameters), (each.result, contract.result)):
        if schema is None or raw is None:
            continue
        for problem in engine.prepare(Cursor.of(raw.text)).problems:
            place = _place(schema, problem.schema_pointer)
            pointer = problem.schema_pointer
            yield _finding(
                problem.code, Severity.ERROR, problem.message, place, keyword=problem.keyword, pointer=pointer
            )
        for change in contract.changes:
            if change.severity == "error":
                place = _place(schema, change.pointer)
                yield _finding("import-invalid", Severity.ERROR, change.message, place, source=change.source)


# The tools of one request ------------------------------------------------------------------


def meter_report(contracts: Sequence[Contract], target: Target) -> MeterReport:
    """Measure what the tools of one request come to, and say which limits only all of them meet."""
    tools: list[ToolSize] = []
    total = meter.Size()
    findings: list[Finding] = []
    for contract in contracts:
        exported = export(
            Named(contract.name, contract.description, contract.behavior),
            _schema(contract, target.part if contract.schema(target.part) is not None else "parameters"),
            target,
        )
        findings += [
            _refusal(change, target, contract.at) for change in exported.changes if change.severity == "error"
        ]
        tools.append(_tool_size(contract.name, len(exported.text or ""), exported.size))
        total = total.plus(exported.size)
    changes = Changes(target.source)
    meter.check(total, target.profile.limits, changes, strict_tools=len(tools) if target.strict else 0)
    for change in changes.all():
        findings.append(
            _finding(
                "request-limit",
                Severity.ERROR if change.severity == "error" else Severity.WARNING,
                change.message,
                Location("contracts"),
                source=change.source,
            )
        )
    names = Counter(contract.name for contract in contracts)
    findings += [
        _finding(
            "declaration-dup-name",
            Severity.ERROR,
            f"{name} is declared twice in one request. Rename one of them.",
            Location("contracts"),
        )
        for name, count in names.items()
        if count > 1
    ]
    shown, count = cut(findings)
    whole = _tool_size("", sum(each.characters for each in tools), total)
    return MeterReport(status_of(findings), tuple(tools), whole, shown, count)


def _tool_size(name: str, characters: int, size: meter.Size) -> ToolSize:
    return ToolSize(
        name=name,
        characters=characters,
        depth=size.depth,
        properties=size.properties,
        optional=size.optional,
        unions=size.unions,
        enum_values=size.enum_values,
        max_items=size.max_items,
    )
