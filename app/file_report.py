"""One file judged: a contract with its cases and mutants, or the frames of a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from app import guarded, paste
from app.cases import cases_of, payload_of
from app.contract import Contract, Contracts
from app.model import Finding, Location, Severity, Status, Verdict, status_of
from app.reporting import cut
from app.reports import CasesReport, ContractCheck, ExtractReport, FileReport, PairReport

UNTESTED = "No case is pinned here, so nothing shows what this contract refuses. Pin one, or import some."


def states_contract(text: str) -> bool:
    """Whether a text states one contract, and no frame: an object with a name and schemas or cases."""
    root = payload_of(paste.read(text))
    name = root.get("name") if root is not None else None
    return (
        root is not None
        and name is not None
        and name.is_string
        and any(
            root.get(key) is not None for key in ("parameters", "parametersJsonSchema", "result", "cases")
        )
    )


def of_contracts(known: Contracts) -> FileReport:
    """Judge every case and every mutant of the contracts in one file."""
    checks = tuple(_contract(each) for each in known.items)
    findings = [*known.findings, *(finding for check in checks for finding in check.findings)]
    if not known.items and not findings:
        findings.append(
            Finding(
                "contract-invalid",
                Severity.ERROR,
                "There is no contract in this file. Write one, or remove it.",
            )
        )
    tested = any(check.cases.results for check in checks)
    status = status_of(findings) if tested else Status.IDLE
    if status_of(findings) is Status.RED:
        status = Status.RED
    shown, total = cut(findings)
    return FileReport(status, "contract", _judged(findings), checks, None, None, shown, total)


def _contract(contract: Contract) -> ContractCheck:
    """Judge one contract. What a refused case is refused for is as it should be, and no finding here."""
    cases, mutants = cases_of(contract), guarded.report(contract)
    findings = [*_unexpected(contract, cases), *mutants.findings]
    if not cases.results and contract.sound:
        findings.append(Finding("contract-untested", Severity.WARNING, UNTESTED, contract.at.location))
    return ContractCheck(contract.name, cases, mutants, tuple(findings))


def _unexpected(contract: Contract, cases: CasesReport) -> Iterator[Finding]:
    """Say of each case that is not as expected what it came to instead, at its place in the contract."""
    places = (
        {}
        if contract.cases is None
        else {(each.get("name") or each).string or each.key: each for each in contract.cases}
    )
    for result in cases.results:
        if result.as_expected:
            continue
        at = places.get(result.name, contract.at)
        if result.verdict is Verdict.ACCEPT:
            wanted = f" It waits for {result.because}." if result.because else ""
            message = f"{result.name} must be refused, and the contract accepts it.{wanted}"
        elif result.verdict.value == result.expect:
            message = f"{result.name} is refused, but not because of {result.because}."
        elif result.verdict is Verdict.REFUSE:
            message = f"{result.name} must be accepted, and the contract refuses it."
        else:
            message = f"{result.name} was not judged."
        code = "not-judged" if result.verdict is Verdict.NOT_JUDGED else "case-unexpected"
        if result.verdict is not Verdict.CONTRACT_ERROR:  # told once, by the contract
            yield Finding(
                code, Severity.ERROR, message, at.key_location, keyword=result.because, causes=result.findings
            )


def of_frames(report: ExtractReport | PairReport) -> FileReport:
    """Judge the frames of one file: `report` is that of the frames, or of the session they are."""
    single = report if isinstance(report, ExtractReport) else None
    whole = report if isinstance(report, PairReport) else None
    return FileReport(
        status=report.status,
        kind="frames" if single is not None else "session",
        judged=_judged(report.findings),
        contracts=(),
        extract=single,
        session=whole,
        findings=report.findings,
        findings_total=report.findings_total,
    )


def unread(findings: tuple[Finding, ...], *, judged: bool) -> FileReport:
    """Report a file that holds nothing to judge; `judged`: that is certain, and no fault of the moment."""
    return FileReport(Status.RED, "unread", judged, (), None, None, findings, len(findings))


def named_twice(reports: Mapping[str, FileReport]) -> dict[str, tuple[Finding, ...]]:
    """Say so at each file where another states a contract of the same name: nobody knows which is meant."""
    places: dict[str, list[str]] = {}
    for path, report in reports.items():
        for name in dict.fromkeys(check.name for check in report.contracts):
            places.setdefault(name, []).append(path)
    return {
        path: tuple(
            Finding(
                "declaration-dup-name",
                Severity.ERROR,
                f"{name} has a contract in {_other(places[name], path)}, too. Keep one.",
                Location("file"),
                key="name",
            )
            for name in dict.fromkeys(check.name for check in report.contracts)
            if len(places[name]) > 1
        )
        for path, report in reports.items()
    }


def _other(paths: list[str], path: str) -> str:
    return next(each for each in paths if each != path)


def _judged(findings: Iterable[Finding]) -> bool:
    return all(finding.code != "not-judged" for finding in findings)
