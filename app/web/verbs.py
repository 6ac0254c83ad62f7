"""One entry per verb of the JSON API: which body, which report, which function of the workbench.

`answer` runs in a worker: bytes of a body in, status and bytes of the answer out.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from app import reports, workbench
from app.json_answer import to_json
from app.model import Finding, Location, Severity, Status, Verdict
from app.web import bodies
from app.web.bodies import Body, BodyError


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: the model of its body, the report it answers, and the call between the two."""

    body: type[Body]
    report: type
    call: Callable[[Any], Any]


def _format(body: bodies.FormatBody) -> reports.FormatReport:
    return workbench.format(body.text, body.indent)


def _extract(body: bodies.ExtractBody) -> reports.ExtractReport:
    return workbench.extract(body.text, body.contracts, body.options.options())


def _classify(body: bodies.ClassifyBody) -> reports.ClassifyReport:
    return workbench.classify(body.text, body.options.options())


def _infer(body: bodies.InferBody) -> reports.InferReport:
    return workbench.infer(
        body.text,
        samples_text=body.samples,
        name=body.name,
        read_as=body.as_,
        part=body.part,
        options=body.options.options(),
    )


def _tighten(body: bodies.TightenBody) -> reports.TightenReport:
    return workbench.tighten(
        schema_text=body.schema_,
        samples_text=body.samples,
        text=body.text,
        part=body.part,
        required=body.required,
        enum_text=body.enum,
        additional_properties=body.additional_properties,
        deep=body.deep,
        apply=tuple(body.apply),
        cases_text=body.cases,
        until_refused=body.until_refused,
        options=body.options.options(),
    )


def _validate(body: bodies.ValidateBody) -> reports.ValidateReport:
    return workbench.validate(
        body.payload or "",
        schema_text=body.schema_,
        contract_text=body.contract,
        part=body.part,
        options=body.options.options(),
    )


def _cases(body: bodies.CasesBody) -> reports.CasesReport:
    return workbench.cases(
        body.cases or "",
        schema_text=body.schema_,
        contract_text=body.contract,
        part=body.part,
        options=body.options.options(),
    )


def _export(body: bodies.ExportBody) -> reports.ExportReport:
    return workbench.export(body.contract or "", body.target, form=body.form, options=body.options.options())


def _import(body: bodies.ImportBody) -> reports.ImportReport:
    return workbench.import_(body.text, body.dialect)


def _mutants(body: bodies.MutantsBody) -> reports.MutantsReport:
    return workbench.mutants(body.contract or "", body.options.options())


def _diff(body: bodies.DiffBody) -> reports.DiffReport:
    return workbench.diff(body.before or "", body.after or "", body.cases, body.options.options())


def _check(body: bodies.CheckBody) -> reports.FileReport:
    return workbench.check(body.text, body.contracts, body.kind, body.options.options())


def _respond(body: bodies.RespondBody) -> reports.RespondReport:
    return workbench.respond(
        body.text,
        body.contracts,
        results=body.results,
        errors=body.errors,
        scheduling=body.scheduling,
        scheduling_at=body.scheduling_at,
        cancel_text=body.cancel_text,
        form=body.form,
        options=body.options.options(),
    )


def _pair(body: bodies.PairBody) -> reports.PairReport:
    return workbench.pair(
        body.calls_text,
        body.responses_text,
        cancel_text=body.cancel_text,
        contracts_text=body.contracts,
        options=body.options.options(),
    )


def _session(body: bodies.SessionBody) -> reports.PairReport:
    return workbench.read_session(body.text, body.contracts, body.options.options())


VERBS: Final = {
    "format": Verb(bodies.FormatBody, reports.FormatReport, _format),
    "extract": Verb(bodies.ExtractBody, reports.ExtractReport, _extract),
    "classify": Verb(bodies.ClassifyBody, reports.ClassifyReport, _classify),
    "infer": Verb(bodies.InferBody, reports.InferReport, _infer),
    "tighten": Verb(bodies.TightenBody, reports.TightenReport, _tighten),
    "validate": Verb(bodies.ValidateBody, reports.ValidateReport, _validate),
    "cases": Verb(bodies.CasesBody, reports.CasesReport, _cases),
    "export": Verb(bodies.ExportBody, reports.ExportReport, _export),
    "import": Verb(bodies.ImportBody, reports.ImportReport, _import),
    "mutants": Verb(bodies.MutantsBody, reports.MutantsReport, _mutants),
    "diff": Verb(bodies.DiffBody, reports.DiffReport, _diff),
    "check": Verb(bodies.CheckBody, reports.FileReport, _check),
    "respond": Verb(bodies.RespondBody, reports.RespondReport, _respond),
    "pair": Verb(bodies.PairBody, reports.PairReport, _pair),
    "session": Verb(bodies.SessionBody, reports.PairReport, _session),
}


def answer(name: str, raw: bytes) -> tuple[int, bytes]:
    """Read a body, do what it asks, and return HTTP status and JSON."""
    verb = VERBS[name]
    try:
        body = bodies.read(verb.body, raw)
    except BodyError as error:
        if error.status == 200:
            return 200, _unjudged(verb, error.findings)
        report = {"status": Status.RED, "findings": error.findings, "findings_total": len(error.findings)}
        return error.status, to_json(report).encode()
    return 200, to_json(verb.call(body)).encode()


def not_judged(name: str, message: str) -> bytes:
    """Return the answer of a verb whose work did not come to an end."""
    return _unjudged(VERBS[name], [Finding("not-judged", Severity.ERROR, message, Location(input="body"))])


def _unjudged(verb: Verb, findings: list[Finding]) -> bytes:
    given = {
        "status": Status.RED,
        "verdict": Verdict.NOT_JUDGED,
        "narrower": "not-proven",
        "relation": "not-proven",
        "findings": tuple(findings),
        "findings_total": len(findings),
    }
    return to_json(_blank(verb.report, given)).encode()


def _blank(kind: type, given: dict[str, Any]) -> Any:
    """Return a report that holds nothing but the fields given."""
    hints = typing.get_type_hints(kind)
    return kind(
        **{
            field.name: given[field.name] if field.name in given else _nothing(hints[field.name])
            for field in dataclasses.fields(kind)
        }
    )


def _nothing(kind: Any) -> Any:
    if type(None) in typing.get_args(kind):
        return None
    if typing.get_origin(kind) is not None:
        return typing.get_origin(kind)()
    if dataclasses.is_dataclass(kind):
        return _blank(typing.cast(type, kind), {})
    return "unknown" if kind is str else kind()
