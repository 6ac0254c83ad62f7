"""The JSON API: every route reads a body, calls one verb in a worker, and hands its bytes on."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app import __version__, limits, workbench
from app.json_answer import schema, to_json
from app.model import Finding, Status
from app.reports import TargetInfo
from app.web import samples, verbs
from app.web.verbs import VERBS
from app.web.work import judge
from app.workers import NotJudged

router = APIRouter(tags=["api"])

Answers = dict[int | str, dict[str, Any]]

REF: Final = "#/components/schemas/{model}"


def json_response(content: str | bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return JSON text that was written elsewhere."""
    return Response(content, status, headers, "application/json")


def says(description: str, kind: str) -> Any:
    """Describe an answer: what it means, and the name of its schema."""
    return {
        "description": description,
        "content": {"application/json": {"schema": {"$ref": REF.format(model=kind)}}},
    }


REFUSED: Final[Answers] = {
    403: says("A foreign Host, Origin or site asked.", "Problem"),
}
PROBLEMS: Final[Answers] = REFUSED | {
    400: says("The body is no UTF-8 JSON.", "Problem"),
    413: says(f"The body is over {limits.BODY_BYTES} bytes.", "Problem"),
    422: says("The body is JSON, but not what this verb takes.", "Problem"),
    503: says("No worker is free.", "Problem"),
}


def _add_verb(name: str) -> None:
    verb = VERBS[name]

    async def route(request: Request) -> Response:
        body = await request.body()
        try:
            status, content = await judge(request, verbs.answer, name, body, size=len(body))
        except NotJudged as error:
            status, content = 200, verbs.not_judged(name, str(error))
        return json_response(content, status)

    model = {"schema": {"$ref": REF.format(model=verb.body.__name__)}}
    router.add_api_route(
        f"/api/{name}",
        route,
        methods=["POST"],
        name=name,
        operation_id=name,
        summary=verb.body.__doc__,
        response_class=Response,
        responses=PROBLEMS | {200: says("What was found; red is an answer too.", verb.report.__name__)},
        openapi_extra={"requestBody": {"required": True, "content": {"application/json": model}}},
    )


for _name in VERBS:
    _add_verb(_name)


@router.get(
    "/api/health",
    operation_id="health",
    response_class=Response,
    responses=REFUSED | {200: says("The server runs; its limits.", "Health")},
)
async def health() -> Response:
    """Say that the server runs, its version and its limits."""
    return json_response(
        to_json(
            {
                "status": "ok",
                "version": __version__,
                "limits": {
                    "body_bytes": limits.BODY_BYTES,
                    "depth": limits.DEPTH,
                    "nodes": limits.NODES,
                    "seconds": limits.SECONDS,
                    "seconds_per_mb": limits.SECONDS_PER_MB,
                },
            }
        )
    )


@router.get(
    "/api/targets",
    operation_id="targets",
    response_class=Response,
    responses=REFUSED | {200: says("All export targets.", "Targets")},
)
async def list_targets() -> Response:
    """List what a contract can be exported to, with the source and the date of its rules."""
    return json_response(to_json(workbench.targets()))


@router.get(
    "/api/samples",
    operation_id="samples",
    response_class=Response,
    responses=REFUSED | {200: says("All samples.", "Samples")},
)
async def list_samples() -> Response:
    """List the samples of the gallery."""
    return json_response(to_json(samples.names()))


@router.get(
    "/api/samples/{name}",
    operation_id="sample",
    response_class=Response,
    responses=REFUSED
    | {
        200: says("The sample.", "Sample"),
        404: says("There is no sample of that name.", "Problem"),
        422: says("Never: any text is a name.", "Problem"),
    },
)
async def get_sample(name: str) -> Response:
    """Return one sample with the texts it fills in."""
    sample = samples.load(name)
    if sample is None:
        raise HTTPException(404, "There is no sample of that name; /api/samples lists them")
    return json_response(to_json(sample))


def components() -> dict[str, Any]:
    """Return the schemas of all bodies and answers, for the OpenAPI document."""
    _, described = models_json_schema(
        [(verb.body, "validation") for verb in VERBS.values()], ref_template=REF
    )
    schemas: dict[str, Any] = described["$defs"]
    for kind in (*(verb.report for verb in VERBS.values()), samples.SampleTitle, samples.Sample):
        schema(kind, schemas)
    number = {"type": "number"}
    count = {"type": "integer"}
    schemas["Targets"] = {"type": "array", "items": schema(TargetInfo, schemas)}
    schemas["Samples"] = {"type": "array", "items": schema(samples.SampleTitle, schemas)}
    schemas["Problem"] = _object(
        "What every answer other than a report looks like.",
        status=schema(Status, schemas),
        findings={"type": "array", "items": schema(Finding, schemas)},
        findings_total=count,
    )
    schemas["Health"] = _object(
        "The server runs.",
        status={"const": "ok"},
        version={"type": "string"},
        limits=_object(
            "What a paste may have, and the seconds it may take.",
            body_bytes=count,
            depth=count,
            nodes=count,
            seconds=number,
            seconds_per_mb=number,
        ),
    )
    return schemas


def _object(description: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
