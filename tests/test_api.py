"""The contract of the HTTP layer. What the verbs find is tested with the core."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
from fastapi import FastAPI

from app import __version__, limits
from app.web.main import create_app
from app.web.verbs import VERBS
from tests import jobs
from tests.conftest import Server

SEED = (
    '{"toolCall": {"functionCalls": [{"id": "function-call-1", "name": "set_light", '
    '"args": {"room": "kitchen", "on": true, "brightness": 40, "color_temp_k": 2700}}]}}'
)


def post(client: httpx.Client, verb: str, body: bytes | str) -> httpx.Response:
    return client.post(f"/api/{verb}", content=body)


def codes(answer: httpx.Response) -> list[str]:
    return [finding["code"] for finding in answer.json()["findings"]]


@pytest.fixture(scope="module")
def openapi(client: httpx.Client) -> dict[str, Any]:
    document: dict[str, Any] = client.get("/openapi.json").json()
    return document


def fits(openapi: dict[str, Any], name: str, answer: str) -> list[str]:
    """Return what does not fit the schema of that name; the number lexemes of the text count."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": openapi["components"]}
    validator = jsonschema_rs.Draft202012Validator(json.dumps(schema), offline=True)
    return [error.message for error in validator.iter_errors(json.loads(answer))]


# Every verb ---------------------------------------------------------------------


def examples() -> Iterator[tuple[str, str]]:
    for name, verb in VERBS.items():
        yield name, json.dumps(verb.body.model_json_schema()["examples"][0])


@pytest.mark.parametrize(("verb", "body"), [*examples()])
def test_the_example_of_each_verb_is_answered_as_described(
    client: httpx.Client, openapi: dict[str, Any], verb: str, body: str
) -> None:
    answer = post(client, verb, body)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert "not-judged" not in answer.text
    assert fits(openapi, VERBS[verb].body.__name__, body) == []
    assert fits(openapi, VERBS[verb].report.__name__, answer.text) == []


def test_every_verb_has_an_operation_with_body_example_and_all_answers(openapi: dict[str, Any]) -> None:
    assert openapi["openapi"].startswith("3.1")
    assert {path for path in openapi["paths"] if "post" in openapi["paths"][path]} == {
        *(f"/api/{name}" for name in VERBS),
        "/api/contracts/{file}",
    }
    for name, verb in VERBS.items():
        operation = openapi["paths"][f"/api/{name}"]["post"]
        assert set(operation["responses"]) == {"200", "400", "403", "413", "422", "503"}
        assert operation["requestBody"]["required"] is True
        body = openapi["components"]["schemas"][verb.body.__name__]
        assert body["additionalProperties"] is False
        assert body["examples"]
    assert {"/api/health", "/api/samples", "/api/samples/{name}"} < set(openapi["paths"])
    assert {"/api/contracts", "/api/contracts/{file}"} < set(openapi["paths"])
    assert openapi["components"]["schemas"]["SaveContract"]["examples"]


def test_every_reference_of_the_document_leads_somewhere(openapi: dict[str, Any]) -> None:
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for member in value.values():
                yield from references(member)
        elif isinstance(value, list):
            for item in value:
                yield from references(item)

    for reference in references({key: openapi[key] for key in ("paths", "components")}):
        here: Any = openapi
        for token in reference.removeprefix("#/").split("/"):
            here = here[token]
        assert here


# Bodies that do not fit -----------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"text": "a"} trailing',
        b'{"text": "\xff"}',
        b'\xef\xbb\xbf{"text": "a"}',
        '{"text": "a"}'.encode("utf-16"),
        b'{"text": "a", "indent": NaN}',
        b"{'text': 'a'}",
        b"a=1&b=2",
    ],
)
def test_what_is_no_utf8_json_is_a_400(client: httpx.Client, openapi: dict[str, Any], body: bytes) -> None:
    answer = post(client, "format", body)
    assert answer.status_code == 400
    assert answer.json()["status"] == "red"
    assert fits(openapi, "Problem", answer.text) == []


@pytest.mark.parametrize(
    ("verb", "body", "code", "field"),
    [
        ("format", "[]", "body-invalid", "body"),
        ("format", "null", "body-invalid", "body"),
        ("format", "{}", "field-missing", "text"),
        ("format", '{"text": 1}', "field-invalid", "text"),
        ("format", '{"text": null}', "field-invalid", "text"),
        ("format", '{"text": "", "colour": 1}', "field-unknown", "colour"),
        ("format", '{"text": "", "indent": true}', "field-invalid", "indent"),
        ("format", '{"text": "", "indent": 1e400}', "field-invalid", "indent"),
        ("format", '{"text": "", "indent": 1000000}', "field-invalid", "indent"),
        ("format", '{"text": "", "text": ""}', "json-duplicate-key", "text"),
        ("extract", '{"text": "", "options": {"fold": "shut"}}', "field-invalid", "options.fold"),
        ("extract", '{"text": "", "options": {"colour": 1}}', "field-unknown", "options.colour"),
        (
            "extract",
            '{"text": "", "options": {"fold": "open", "fold": "open"}}',
            "json-duplicate-key",
            "fold",
        ),
        ("extract", '{"text": "", "contracts": [], "contracts_text": "[]"}', "field-twice", "contracts_text"),
        ("validate", '{"schema": {}, "schema_text": "{}", "payload": 1}', "field-twice", "schema_text"),
        ("validate", '{"schema": {}, "contract": {}, "payload": 1}', "field-invalid", "schema or contract"),
        ("validate", '{"payload": 1}', "field-invalid", "schema or contract"),
        ("validate", '{"schema": {}}', "field-invalid", "payload"),
        ("validate", '{"schema": {}, "payload": 1, "part": "args"}', "field-invalid", "part"),
        ("infer", '{"samples": [], "text": ""}', "field-invalid", "samples or text"),
        ("infer", '{"text": "", "as": "lines"}', "field-invalid", "as"),
        ("tighten", '{"schema": {}, "required": "some"}', "field-invalid", "required"),
        ("tighten", '{"schema": {}, "required": ["a", 1]}', "field-invalid", "required"),
        (
            "tighten",
            '{"schema": {}, "additional_properties": true}',
            "field-invalid",
            "additional_properties",
        ),
        ("tighten", '{"schema": {}, "until_green": true}', "field-unknown", "until_green"),
        ("respond", '{"text": "", "form": "rust"}', "field-invalid", "form"),
        ("pair", '{"calls_text": ""}', "field-missing", "responses_text"),
    ],
)
def test_json_that_does_not_fit_is_a_422_that_names_the_field(
    client: httpx.Client, openapi: dict[str, Any], verb: str, body: str, code: str, field: str
) -> None:
    answer = post(client, verb, body)
    assert answer.status_code == 422
    assert codes(answer) == [code]
    assert field in answer.json()["findings"][0]["message"]
    assert fits(openapi, "Problem", answer.text) == []


def test_each_field_that_does_not_fit_is_told_with_its_place(client: httpx.Client) -> None:
    answer = post(client, "format", '{\n  "text": 1,\n  "colour": 2\n}').json()
    assert [(finding["pointer"], finding["line"]) for finding in answer["findings"]] == [
        ("/text", 2),
        ("/colour", 3),
    ]


@pytest.mark.parametrize(
    "path", [*(f"/api/{verb}" for verb in VERBS), "/panels", "/", "/api/health", "/nowhere"]
)
def test_a_body_that_says_it_is_over_the_limit_is_a_413(client: httpx.Client, path: str) -> None:
    answer = client.post(path, content=bytes(limits.BODY_BYTES + 1))
    assert answer.status_code == 413
    assert codes(answer) == ["too-large"]


@pytest.mark.parametrize("path", ["/api/format", "/panels"])
def test_a_chunked_body_over_the_limit_is_a_413_too(client: httpx.Client, path: str) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="calls_text"\r\n\r\n'
        for _ in range(limits.BODY_BYTES // 65536 + 1):
            yield b" " * 65536
        yield b"\r\n--x--\r\n"

    form = {"content-type": "multipart/form-data; boundary=x"}
    answer = client.post(path, content=chunks(), headers=form)
    assert answer.status_code == 413
    assert codes(answer) == ["too-large"]


# What a person may paste is answered with 200 ---------------------------------------


def test_a_schema_may_be_a_boolean_and_a_payload_anything(client: httpx.Client) -> None:
    for schema, payload, verdict in (
        ("true", "null", "accept"),
        ("false", "null", "refuse"),
        ("true", "1e400", "accept"),
        ("{}", '"{}"', "accept"),
    ):
        answer = post(client, "validate", f'{{"schema": {schema}, "payload": {payload}}}')
        assert answer.status_code == 200
        assert answer.json()["verdict"] == verdict


@pytest.mark.parametrize("field", ["payload", "payload_text"])
@pytest.mark.parametrize("payload", ['{"a": 1, "a": 2}', "NaN", "1e400", "12345678901234567890", '"\\ud800"'])
def test_a_payload_reaches_the_reader_as_written_either_way(
    client: httpx.Client, field: str, payload: str
) -> None:
    sent = payload if field == "payload" else json.dumps(payload)
    answer = post(client, "validate", f'{{"schema": true, "{field}": {sent}}}')
    assert answer.status_code == 200
    other = post(client, "validate", json.dumps({"schema": True, "payload_text": payload}))
    assert answer.json() == other.json()


def test_number_lexemes_survive_into_the_answer(client: httpx.Client) -> None:
    body = json.dumps({"text": '{"a": 1.10, "b": 1e400, "c": 12345678901234567890}'})
    answer = post(client, "format", body)
    assert "1.10" in answer.json()["text"]
    call = SEED.replace("40", "1e400").replace("2700", "1.10")
    read = post(client, "extract", json.dumps({"text": call})).text
    assert '"brightness": 1e400' in read
    assert '"color_temp_k": 1.10' in read


def test_an_answer_with_a_lone_surrogate_is_valid_json_in_valid_utf8(client: httpx.Client) -> None:
    for surrogate in ("\\ud800", "\\\\ud800"):  # in the pasted text itself, and escaped in its JSON
        body = (
            '{"text": "{\\"toolCall\\": {\\"functionCalls\\": [{\\"id\\": \\"%s\\", \\"name\\": \\"f\\"}]}}"}'
        )
        answer = post(client, "extract", body % surrogate)
        assert answer.status_code == 200
        assert json.loads(answer.content.decode("utf-8"))["calls"][0]["id"] == "\ud800"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too-deep"),
        (b'{"schema": true, "payload": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too-deep"),
        (b'{"schema": true, "payload": [' + b"0," * 2_000_000 + b"0]}", "too-large"),
    ],
)
def test_a_limit_of_the_reader_is_a_red_answer(client: httpx.Client, body: bytes, code: str) -> None:
    answer = post(client, "validate", body)
    assert answer.status_code == 200
    assert answer.json()["status"] == "red"
    assert answer.json()["verdict"] == "not-judged"
    assert codes(answer) == [code]


@pytest.mark.parametrize("verb", [*VERBS])
def test_not_judged_has_the_shape_of_the_verb(openapi: dict[str, Any], verb: str) -> None:
    from app.web.verbs import not_judged

    answer = not_judged(verb, "Stopped.").decode()
    assert json.loads(answer)["status"] == "red"
    assert fits(openapi, VERBS[verb].report.__name__, answer) == []


# Other routes ------------------------------------------------------------------------


def test_health_tells_version_and_limits(client: httpx.Client, openapi: dict[str, Any]) -> None:
    answer = client.get("/api/health")
    assert answer.status_code == 200
    assert answer.json()["version"] == __version__
    assert answer.json()["limits"]["body_bytes"] == limits.BODY_BYTES
    assert fits(openapi, "Health", answer.text) == []


def test_samples_are_listed_and_each_is_served(client: httpx.Client, openapi: dict[str, Any]) -> None:
    listed = client.get("/api/samples")
    assert fits(openapi, "Samples", listed.text) == []
    assert "light" in [sample["name"] for sample in listed.json()]
    for sample in listed.json():
        answer = client.get(f"/api/samples/{sample['name']}")
        assert answer.status_code == 200
        assert fits(openapi, "Sample", answer.text) == []


@pytest.mark.parametrize("name", ["none", "..%2f..%2fpyproject.toml", "%2e%2e/x", "a%00b"])
def test_a_sample_that_is_not_there_is_a_404(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/api/samples/{name}")
    assert answer.status_code == 404
    assert codes(answer) == ["not-found"]


def test_wrong_paths_and_methods_have_the_same_shape(client: httpx.Client, openapi: dict[str, Any]) -> None:
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("GET", "/api/nowhere", 404),
        ("GET", "/static/nowhere.js", 404),
        ("GET", "/static/../app/__main__.py", 404),
        ("GET", "/static/%2e%2e/pyproject.toml", 404),
        ("GET", "/docs", 404),
        ("GET", "/api/format", 405),
        ("DELETE", "/api/health", 405),
        ("TRACE", "/", 405),
    ):
        answer = client.request(method, path)
        assert answer.status_code == status, (method, path)
        assert fits(openapi, "Problem", answer.text) == []


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/samples", "/openapi.json", "/static/app.js"])
def test_head_answers_the_headers_of_get(client: httpx.Client, path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert head.status_code == get.status_code == 200
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]
    sizes = int(head.headers["content-length"]), int(get.headers["content-length"])
    assert math.isclose(*sizes, rel_tol=0.1)


def test_static_files_are_kept_and_asked_about(client: httpx.Client) -> None:
    first = client.get("/static/app.js")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/static/app.js", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert client.get("/api/health").headers["cache-control"] == "no-store"


def test_the_server_does_not_name_its_software(client: httpx.Client, server: Server) -> None:
    assert "server" not in client.get("/").headers


# What ends early ---------------------------------------------------------------------


def in_process(steps: Callable[[httpx.AsyncClient, FastAPI], Awaitable[None]]) -> None:
    """Run the steps with an app of this process, so that a test can change its limits."""

    async def run() -> None:
        guard = create_app("127.0.0.1", 80)
        app = guard.app
        assert isinstance(app, FastAPI)
        transport = httpx.ASGITransport(guard)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            await steps(client, app)

    asyncio.run(run())


def test_work_over_its_budget_is_red_and_not_judged_in_every_shape(
    openapi: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SECONDS", 0.1)
    monkeypatch.setattr(limits, "SECONDS_PER_MB", 0.0)
    zeros = "[" + "0, " * 500_000 + "0]"

    async def steps(client: httpx.AsyncClient, app: FastAPI) -> None:
        for verb, body in (
            ("extract", {"text": zeros}),
            ("validate", {"schema": True, "payload_text": zeros}),
            ("tighten", {"samples_text": zeros}),
        ):
            answer = await client.post(f"/api/{verb}", json=body)
            assert answer.status_code == 200
            assert answer.json()["status"] == "red"
            assert codes(answer) == ["not-judged"]
            assert fits(openapi, VERBS[verb].report.__name__, answer.text) == []
        page = await client.post(
            "/panels", files={"calls_text": (None, zeros)}, headers={"HX-Request": "true"}
        )
        assert page.status_code == 200
        assert 'data-status="green"' not in page.text
        assert 'data-code="not-judged"' in page.text

    in_process(steps)


def test_when_no_worker_is_free_it_is_a_503_that_says_to_try_again(
    openapi: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(limits, "WORKERS", 1)
    monkeypatch.setattr("app.workers.QUEUE_SECONDS", 0.05)

    async def steps(client: httpx.AsyncClient, app: FastAPI) -> None:
        busy = asyncio.create_task(app.state.pool.run(jobs.run_for, str(tmp_path / "sign"), 60.0, seconds=60))
        await asyncio.sleep(0)  # it has the worker now
        for answer in (
            await client.post("/api/format", content=b'{"text": ""}'),
            await client.post("/panels", files={"calls_text": (None, "")}),
        ):
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == "3"
            assert codes(answer) == ["no-worker"]
            assert fits(openapi, "Problem", answer.text) == []
        busy.cancel()

    in_process(steps)


@pytest.mark.parametrize(
    ("model", "body", "right"),
    [
        ("CasesBody", {}, False),
        ("CasesBody", {"schema": True}, False),
        ("CasesBody", {"schema": True, "cases": {}}, True),
        ("CasesBody", {"schema_text": "true", "cases_text": "{}"}, True),
        ("ValidateBody", {"schema": True, "contract": {}, "payload": 1}, False),
        ("ValidateBody", {"schema": True, "schema_text": "true", "payload": 1}, False),
        ("ValidateBody", {"contract": {}, "payload_text": "1"}, True),
        ("InferBody", {"text": "x", "samples": []}, False),
        ("ExtractBody", {"text": "x", "contracts": []}, True),
    ],
)
def test_the_openapi_document_knows_what_a_body_needs(
    openapi: dict[str, Any], client: httpx.Client, model: str, body: dict[str, Any], right: bool
) -> None:
    assert (fits(openapi, model, json.dumps(body)) == []) is right
    answer = client.post(f"/api/{model.removesuffix('Body').lower()}", json=body)
    assert (answer.status_code == 200) is right
