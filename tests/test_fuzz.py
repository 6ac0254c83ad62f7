"""Malformed requests never give a 5xx, never end the connection, and are always answered in JSON or HTML."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.web import pages
from app.web.verbs import VERBS
from tests.conftest import Server, running

EDGE = "edge-of-a-part"
HOSTILE = [
    *(b"\x00", b"\xff", b"\xff\xfe[\x00", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n\r\n", b"\xed\xa0\x80"),
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\\ud800", b"\\u12", b"NaN", b"-Infinity"),
    *(b"[" * 300, b"9" * 5000, b"1e999999", b"-0", b"01", b"true", b"null", b"{}", b'{"a":1,"a":2}'),
    *(b"text", b"schema", b"payload", b"options", b"cases", b"_text", b'"$ref":"#"', b'"pattern":"("'),
]
IN_FORMS = [
    *(f"--{EDGE}".encode(), f"\r\n--{EDGE}\r\n".encode(), f"\r\n--{EDGE}--\r\n".encode(), b"--", b'name="'),
    *(b"Content-Disposition: form-data", b"; filename=x", b"; filename*=UTF-8''%ff", b'"; name="edit'),
    *(
        b"Content-Type: text/plain; charset=utf-7\r\n",
        b"Content-Transfer-Encoding: base64\r\n",
        b"A: b\r\n" * 40,
    ),
]
CONTENT_TYPES = [
    *(
        "multipart/form-data",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary="',
        "multipart/mixed",
    ),
    *(f"multipart/form-data; boundary={EDGE}; boundary=x", f"multipart/form-data; boundary={EDGE[1:]}"),
    *(f"multipart/form-data; boundary={'x' * 300}", f"multipart/form-data; charset=utf-16; boundary={EDGE}"),
    *("application/x-www-form-urlencoded", "application/json", "text/plain", "", "\xe4", "a/b;" * 50),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own: what is no HTTP at all, the HTTP layer itself logs, and that is right."""
    with running(tmp_path_factory.mktemp("fuzz")) as server:
        yield server
        assert set(server.log.read_text().splitlines()) <= {"WARNING:  Invalid HTTP request received."}


@pytest.fixture(scope="module")
def connection(server: Server) -> Iterator[http.client.HTTPConnection]:
    """One connection for all requests: a reset would fail the next one."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.connect()
    connection.auto_open = 0  # it is never opened anew
    yield connection
    connection.close()


def test_schemathesis_finds_nothing(server: Server, tmp_path: Path) -> None:
    """What the description allows may still be a 422: of `schema` and `schema_text` one must be there."""
    command = [str(Path(sys.executable).with_name("st")), "run", f"{server.url}/openapi.json"]
    settings = ["--phases=examples,coverage,fuzzing", "--max-examples=25", "--generation-deterministic"]
    checks = ["--exclude-checks=positive_data_acceptance", "--warnings=off", "--no-color"]
    done = subprocess.run(
        [*command, *settings, *checks], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def post(
    connection: http.client.HTTPConnection, path: str, body: bytes, content_type: str
) -> tuple[int, str, bytes]:
    connection.request("POST", path, body, {"Content-Type": content_type, "HX-Request": "true"})
    answer = connection.getresponse()
    return answer.status, answer.headers["Content-Type"], answer.read()


def strict(text: bytes) -> object:
    """Read JSON as the strictest reader would."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    return json.loads(text.decode("utf-8"), parse_constant=refuse)


@st.composite
def broken(draw: st.DrawFn, whole: bytes, pieces: list[bytes]) -> bytes:
    """A good body with up to five places cut out, doubled, overwritten or filled with something else."""
    body = whole
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(body)))
        to = min(len(body), at + draw(st.integers(0, 40)))
        deed = draw(st.sampled_from(["cut", "cut off", "double", "put", "replace", "bytes"]))
        if deed == "cut":
            body = body[:at] + body[to:]
        elif deed == "cut off":
            body = body[:at]
        elif deed == "double":
            body = body[:to] + body[at:]
        elif deed == "put":
            body = body[:at] + draw(st.sampled_from(pieces)) + body[at:]
        elif deed == "replace":
            body = body[:at] + draw(st.sampled_from(pieces)) + body[to:]
        else:
            body = body[:at] + draw(st.binary(max_size=20)) + body[to:]
    return body


def good_body(verb: str) -> bytes:
    return json.dumps(VERBS[verb].body.model_json_schema()["examples"][0]).encode()


def good_form() -> bytes:
    example = VERBS["extract"].body.model_json_schema()["examples"][0]
    fields = {
        "calls_text": example["text"],
        "contracts_text": json.dumps(example["contracts"]),
        "cases_text": '{"ok": {"room": "kitchen"}, "unknown_room": {"room": "garage"}}',
        "samples_text": '{"room": "kitchen"}\n{"room": "kitchen"}',
        "options": '{"string_args": "refuse"}',
        "edit": "require:/room",
    }
    parts = (
        f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in fields.items()
    )
    return ("".join(parts) + f"--{EDGE}--\r\n").encode()


def fuzz(examples: int) -> settings:
    """How many, without a deadline: budgets are tested elsewhere, and all examples share one connection."""
    shared = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=examples, deadline=None, suppress_health_check=shared)


@pytest.mark.parametrize("verb", [*VERBS])
def test_any_broken_body_is_answered_in_json(connection: http.client.HTTPConnection, verb: str) -> None:
    kinds = st.sampled_from(["application/json", "text/plain", "", "application/json; charset=utf-16"])

    @fuzz(300)
    @given(body=broken(good_body(verb), HOSTILE), content_type=kinds)
    def answered(body: bytes, content_type: str) -> None:
        status, kind, answer = post(connection, f"/api/{verb}", body, content_type)
        assert status in (200, 400, 422)
        assert kind == "application/json"
        found = strict(answer)
        assert isinstance(found, dict)
        assert found["status"] in ("green", "red", "idle")
        assert status == 200 or found["status"] == "red"

    answered()


@fuzz(600)
@given(
    body=broken(good_form(), HOSTILE + IN_FORMS),
    content_type=st.just(f"multipart/form-data; boundary={EDGE}") | st.sampled_from(CONTENT_TYPES),
)
def test_any_broken_form_is_answered(
    connection: http.client.HTTPConnection, body: bytes, content_type: str
) -> None:
    status, kind, answer = post(connection, "/panels", body, content_type)
    assert status in (200, 400, 415, 422)
    if status == 200:
        assert kind == "text/html; charset=utf-8"
        assert b'id="panels"' in answer.decode("utf-8").encode()
    else:
        assert kind == "application/json"
        assert strict(answer)


def test_more_fields_and_files_than_the_page_has_are_refused_in_json(
    connection: http.client.HTTPConnection,
) -> None:
    for head in ('name="f{}"', 'name="f{}"; filename="x"'):
        parts = (
            f"--{EDGE}\r\nContent-Disposition: form-data; {head.format(n)}\r\n\r\nx\r\n"
            for n in range(pages.FIELDS + 1)
        )
        body = "".join(parts) + f"--{EDGE}--\r\n"
        status, kind, answer = post(
            connection, "/panels", body.encode(), f"multipart/form-data; boundary={EDGE}"
        )
        assert (status, kind) == (400, "application/json")
        assert strict(answer)
