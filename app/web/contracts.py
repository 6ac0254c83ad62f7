"""The folder of contract files: listed, read and saved. Without a folder nothing is ever written."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter
from pydantic import ConfigDict
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app import file_report, workbench
from app.files import FileText, Folder, NotSaved, unreadable
from app.json_answer import schema, to_json
from app.model import Finding, Location, Severity, Status
from app.reports import FileReport
from app.web import api, bodies
from app.web.bodies import Body, BodyError, Text
from app.web.work import judge
from app.workers import NotJudged

router = APIRouter(tags=["contracts"])

AT_A_TIME: Final = 2
"""Files judged at a time for a list; the other workers stay free for who pastes."""

REMEMBERED: Final = 4_000
"""Files whose judgement is remembered: they are judged again only when they change."""

NO_FOLDER: Final = "No folder of contracts is open; start the server with --contracts and a folder"


@dataclass(frozen=True, slots=True)
class ContractFile:
    """One file of the folder: the tools it states contracts for, and how it stands.

    `seen` stands for its bytes, None where they cannot be read.
    """

    file: str
    seen: str | None
    names: tuple[str, ...]
    status: Status
    cases_passed: int
    cases: int
    mutants_killed: int
    mutants: int
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class ContractFiles:
    """All contract files. `folder` is where they lie, None where no folder is open."""

    folder: str | None
    files: tuple[ContractFile, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ContractText:
    """The text of one file, None where it cannot be read; `seen` goes back with an edit of it."""

    file: str
    text: str | None
    seen: str | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """Whether a file was saved, and how it stands. Red and not saved: look at it, or save it as it is."""

    status: Status
    saved: bool
    seen: str | None
    report: FileReport | None
    findings: tuple[Finding, ...]
    findings_total: int


class SaveContract(Body):
    """Judge a contract file and save it. `seen` is what was read before, null for a new file.

    A red one is saved only with `even_red`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": '{"name": "set_light", "parameters": {}, "cases": {"ok": {"room": "kitchen"}}}',
                    "seen": None,
                }
            ]
        }
    )

    text: Text
    seen: Text | None = None
    even_red: bool = False


# Routes ----------------------------------------------------------------------------


@router.get(
    "/api/contracts",
    operation_id="contract_files",
    response_class=Response,
    responses=api.REFUSED | {200: api.says("The contract files, each judged.", "ContractFiles")},
)
async def contract_files(request: Request) -> Response:
    """List the contract files of the folder, each with how it stands."""
    folder: Folder | None = request.app.state.contracts
    if folder is None:
        return api.json_response(to_json(ContractFiles(None, ())))
    try:
        texts = await asyncio.to_thread(_texts, folder)
    except OSError as error:
        gone = unreadable(error)
        return api.json_response(to_json(ContractFiles(str(folder.path), (), (gone,))))
    turn = asyncio.Semaphore(AT_A_TIME)

    async def one(file: FileText) -> FileReport:
        async with turn:
            return await _report(request, file)

    reports = await asyncio.gather(*map(one, texts.values()))
    named = dict(zip(texts, reports, strict=True))
    beside = file_report.named_twice(named)
    files = tuple(_listed(name, texts[name], named[name], beside[name]) for name in texts)
    return api.json_response(to_json(ContractFiles(str(folder.path), files)))


@router.get(
    "/api/contracts/{file}",
    operation_id="contract_file",
    response_class=Response,
    responses=api.REFUSED
    | {
        200: api.says("The file.", "ContractText"),
        404: api.says("There is no file of that name, or no folder.", "Problem"),
        422: api.says("Never: any text is a name.", "Problem"),
    },
)
async def contract_file(request: Request, file: str) -> Response:
    """Return the text of one contract file."""
    found = await asyncio.to_thread(_folder(request).read, file)
    if found is None:
        raise HTTPException(404, "There is no contract file of that name; /api/contracts lists them")
    return api.json_response(to_json(ContractText(file, found.text, found.seen, found.findings)))


@router.post(
    "/api/contracts/{file}",
    operation_id="save_contract",
    response_class=Response,
    responses=api.PROBLEMS
    | {
        200: api.says("Whether it was saved, and how it stands.", "Saved"),
        404: api.says("No folder is open.", "Problem"),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": api.REF.format(model="SaveContract")}}},
        }
    },
)
async def save_contract(request: Request, file: str) -> Response:
    """Judge a contract, and save it as this file unless it is red or the file was changed meanwhile."""
    folder = _folder(request)
    body = await request.body()
    try:
        given = await judge(request, _asked, body, size=len(body))
    except NotJudged as error:
        return api.json_response(to_json(_unsaved((_not_judged(error),))))
    if isinstance(given, tuple):
        status, problem = given
        return api.json_response(problem, status)
    report = given.report
    if report.status is Status.RED and not given.even_red:
        return api.json_response(to_json(_unsaved(report.findings, report, given.seen)))
    try:
        seen = await asyncio.to_thread(folder.save, file, given.text, given.seen)
    except NotSaved as error:
        return api.json_response(to_json(_unsaved((error.finding,), report, given.seen)))
    saved = Saved(report.status, True, seen, report, report.findings, report.findings_total)
    return api.json_response(to_json(saved))


def components() -> dict[str, Any]:
    """Return the schemas of these bodies and answers, for the OpenAPI document."""
    _, described = models_json_schema([(SaveContract, "validation")], ref_template=api.REF)
    schemas: dict[str, Any] = described["$defs"]
    for kind in (ContractFiles, ContractText, Saved):
        schema(kind, schemas)
    return schemas


# Work ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be saved, judged."""

    text: str
    seen: str | None
    even_red: bool
    report: FileReport


def _asked(raw: bytes) -> _Asked | tuple[int, str]:
    """Read a body and judge the contract in it, in a worker; or return the problem with the body."""
    try:
        body = bodies.read(SaveContract, raw)
    except BodyError as error:
        found = error.findings
        return error.status, to_json({"status": Status.RED, "findings": found, "findings_total": len(found)})
    report = workbench.check(body.text, kind="contract")
    return _Asked(body.text, body.seen, body.even_red, report)


def _texts(folder: Folder) -> dict[str, FileText]:
    found = {name: folder.read(name) for name in folder.names()}
    return {name: file for name, file in found.items() if file is not None}


async def _report(request: Request, file: FileText) -> FileReport:
    remembered: dict[str, FileReport] = request.app.state.contract_reports
    if file.text is None or file.seen is None:
        return file_report.unread(file.findings, judged=False)
    if file.seen not in remembered:
        try:
            report = await judge(request, workbench.check, file.text, None, "contract", size=len(file.text))
        except NotJudged as error:
            return file_report.unread((_not_judged(error),), judged=False)
        while len(remembered) >= REMEMBERED:
            del remembered[next(iter(remembered))]
        remembered[file.seen] = report
    return remembered[file.seen]


def _folder(request: Request) -> Folder:
    folder: Folder | None = request.app.state.contracts
    if folder is None:
        raise HTTPException(404, NO_FOLDER)
    return folder


def _unsaved(
    findings: tuple[Finding, ...], report: FileReport | None = None, seen: str | None = None
) -> Saved:
    total = report.findings_total if report is not None and findings is report.findings else len(findings)
    return Saved(Status.RED, False, seen, report, findings, total)


def _not_judged(error: NotJudged) -> Finding:
    return Finding("not-judged", Severity.ERROR, str(error), Location("text"))


def _listed(name: str, file: FileText, report: FileReport, beside: tuple[Finding, ...]) -> ContractFile:
    return ContractFile(
        file=name,
        seen=file.seen,
        names=tuple(check.name for check in report.contracts),
        status=Status.RED if beside else report.status,
        cases_passed=sum(check.cases.passed for check in report.contracts),
        cases=sum(len(check.cases.results) for check in report.contracts),
        mutants_killed=sum(check.mutants.killed for check in report.contracts),
        mutants=sum(check.mutants.total for check in report.contracts),
        findings=(*beside, *report.findings),
        findings_total=len(beside) + report.findings_total,
    )
