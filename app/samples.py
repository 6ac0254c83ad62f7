"""Samples: payloads to infer a contract from, bare or out of frames."""

from __future__ import annotations

from collections.abc import Iterable

from app import contract as contracts_of
from app import dialects, judge, paste, session
from app import infer as inference
from app.cases import findings_of, payload_of
from app.cursor import Cursor
from app.judge import JudgedFrame
from app.model import Finding, Location, Options, Severity, status_of
from app.reporting import cut
from app.reports import InferredContract, InferReport


def sample_payloads(
    text: str, options: Options, *, input: str = "text", read_as: str | None = None, part: str = "parameters"
) -> tuple[dict[str | None, list[Cursor]], list[Finding]]:
    """Return the samples of a text by tool name (None for bare payloads), and what is wrong with it."""
    findings: list[Finding] = []
    if read_as != "payloads":
        read = session.read(text, options, input)
        known = any(frame.dialect != dialects.UNKNOWN for frame in read.frames)
        if read_as == "frames" or known:
            groups: dict[str | None, list[Cursor]] = {}
            findings.extend(finding for finding in read.findings if finding.is_error)
            for item in judge.judge(read, contracts_of.NONE, options).frames:
                findings.extend(finding for finding in item.all_findings if finding.is_error)
                for name, at in _samples_of(item, part):
                    groups.setdefault(name, []).append(at)
            return groups, findings
    document = paste.read_payload(text, input=input)
    findings.extend(finding for finding in findings_of(document) if finding.is_error)
    single = payload_of(document)
    if single is not None and single.is_array:
        payloads = list(single)
    else:
        payloads = [root.cursor for root in document.roots if root.cursor is not None]
    return ({None: payloads} if payloads else {}), findings


def _samples_of(item: JudgedFrame, part: str) -> Iterable[tuple[str | None, Cursor]]:
    if part == "result":
        for each in item.responses:
            if each.response.output is not None:
                yield each.response.name, each.response.output
        return
    for call in item.calls:
        if call.call.args.object is not None:
            yield call.call.name, call.call.args.object


def infer_report(
    groups: dict[str | None, list[Cursor]],
    findings: list[Finding],
    name: str | None,
    only: InferredContract | None = None,
) -> InferReport:
    """Report the contract that the samples of each tool state; `only` is that of a single tool, if known."""
    inferred: tuple[InferredContract, ...] = (
        (only,)
        if only is not None and len(groups) == 1
        else tuple(
            inference.infer(payloads, name=tool if tool is not None else name)
            for tool, payloads in groups.items()
        )
    )
    if not inferred:
        findings = [
            *findings,
            Finding(
                "no-samples",
                Severity.ERROR,
                "There are no samples. Give payloads, JSON Lines, or frames with calls.",
                Location("samples"),
            ),
        ]
    shown, total = cut(findings)
    one = inferred[0] if len(inferred) == 1 else next((each for each in inferred if each.name == name), None)
    return InferReport(
        status=status_of(findings),
        schema=one.schema if one is not None else None,
        contracts=inferred,
        samples=sum(each.samples for each in inferred),
        evidence=one.evidence if one is not None else (),
        suggestions=one.suggestions if one is not None else (),
        findings=shown,
        findings_total=total,
    )
