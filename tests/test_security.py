"""The promises: nobody else reads or changes anything, nothing is fetched, nothing hangs, nothing leaks."""

from __future__ import annotations

import concurrent.futures
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser

from app import limits, workbench
from app.guard import Guard
from app.web.main import create_app
from app.web.verbs import VERBS
from tests.conftest import Server

FIELDS = ("calls_text", "responses_text", "contracts_text", "cases_text", "samples_text", "options")


def form(client: httpx.Client, **fields: str) -> httpx.Request:
    """The form of the page, as its script posts it."""
    files = {name: (None, text.encode("utf-8", "surrogatepass")) for name, text in fields.items()}
    return client.build_request("POST", "/panels", files=files, headers={"HX-Request": "true"})


def judge(client: httpx.Client, **fields: str) -> httpx.Response:
    """Post the form of the page."""
    return client.send(form(client, **fields))


def frame(args: str, name: str = "f") -> str:
    """A toolCall frame with one call."""
    return f'{{"toolCall": {{"functionCalls": [{{"id": "1", "name": "{name}", "args": {args}}}]}}}}'


def contract(schema: Any) -> str:
    return json.dumps([{"name": "f", "parameters": schema}])


# Who may ask ----------------------------------------------------------------------


def routes() -> list[tuple[str, str]]:
    """Every method and path of the app; a placeholder stands for itself."""
    guard = create_app("127.0.0.1", 1)
    assert isinstance(guard, Guard)
    document: Any = guard.app
    described = document.openapi()["paths"]
    pairs = [(method.upper(), path) for path, methods in described.items() for method in methods]
    page = [
        ("GET", "/"),
        ("POST", "/panels"),
        ("GET", "/openapi.json"),
        ("GET", "/static/app.js"),
        ("GET", "/no"),
    ]
    return pairs + page


@pytest.mark.parametrize(("method", "path"), routes())
def test_every_route_is_for_our_own_page_and_for_programs_only(
    client: httpx.Client, server: Server, method: str, path: str
) -> None:
    host = f"127.0.0.1:{server.port}"

    def status(**headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.request(method, path, headers=named).status_code

    assert status(host=f"evil.test:{server.port}") == 403
    assert status(host="127.0.0.1") == 403
    assert status(origin="http://evil.test") == 403
    assert status(origin="null") == 403
    assert status(sec_fetch_site="cross-site") == 403
    assert status(sec_fetch_site="same-site", origin=f"http://{host}") == 403
    assert status() not in (403, 500)
    assert status(sec_fetch_site="same-origin", origin=f"http://{host}") not in (403, 500)


def test_a_socket_handshake_meets_the_same_rules(server: Server) -> None:
    def answer(*headers: str) -> str:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
            key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
            lines = ["GET / HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *upgrade, key, *headers, "", ""]
            connection.sendall("\r\n".join(lines).encode())
            return connection.recv(100).decode().split()[1]

    assert answer() == "403"  # there is no socket to speak to
    assert answer("Origin: http://evil.test") == "403"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("POST", "/panels", 200),
        ("GET", "/api/health", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/static/app.js", 200),
        ("GET", "/static/none.js", 404),
        ("GET", "/none", 404),
        ("PUT", "/", 405),
        ("POST", "/api/format", 400),
    ],
)
def test_every_answer_carries_the_policy(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["trusted-types"] == "htmx"
    assert {value for name, value in policy.items() if name.endswith("-src")} == {"'none'", "'self'"}
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cache-control"] == ("no-cache" if "app.js" in path else "no-store")
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


# Nothing is fetched ------------------------------------------------------------------


class Trap:
    """A server and a file that notice when somebody reads them."""

    def __init__(self, folder: Path) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.file = folder / "schema.json"
        os.mkfifo(self.file)  # reading it blocks; so a reader is there to be seen

    def sprung(self) -> list[str]:
        """Tell what was touched."""
        touched = []
        try:
            self.listener.accept()[0].close()
            touched.append("socket")
        except BlockingIOError:
            pass
        try:
            os.close(os.open(self.file, os.O_WRONLY | os.O_NONBLOCK))
            touched.append("file")
        except OSError:  # nobody reads it
            pass
        return touched


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    trap = Trap(tmp_path)
    yield trap
    trap.listener.close()


PLACES = (
    "http://127.0.0.1:{port}/s",
    "https://127.0.0.1:{port}/s",
    "//127.0.0.1:{port}/s",
    "ftp://127.0.0.1:{port}/s",
)
FILES = ("file://{file}", "{file}", "file:{file}", "data:application/json,true")


@pytest.mark.parametrize("keyword", ["$ref", "$schema", "$id", "$dynamicRef", "$recursiveRef", "id"])
@pytest.mark.parametrize("place", PLACES + FILES)
def test_no_url_in_a_schema_is_ever_opened(
    client: httpx.Client, trap: Trap, keyword: str, place: str
) -> None:
    url = place.format(port=trap.port, file=trap.file)
    for schema in ({keyword: url}, {"properties": {"a": {keyword: url}}}, {"$id": url, "$ref": "other.json"}):
        payload = {"a": {"b": 1}}
        for verb, body in (
            ("validate", {"schema": schema, "payload": payload}),
            ("cases", {"schema": schema, "cases": {"ok": payload}}),
            ("tighten", {"schema": schema, "samples": [payload], "required": "all"}),
            (
                "extract",
                {"text": frame(json.dumps(payload)), "contracts": [{"name": "f", "parameters": schema}]},
            ),
        ):
            answer = client.post(f"/api/{verb}", json=body)
            assert answer.status_code == 200
            assert "not-judged" not in [finding["code"] for finding in answer.json()["findings"]]
        assert (
            judge(client, calls_text=frame(json.dumps(payload)), contracts_text=contract(schema)).status_code
            == 200
        )
    assert trap.sprung() == []


def test_the_trap_works(trap: Trap) -> None:
    reader = threading.Thread(target=trap.file.read_bytes)
    reader.start()
    socket.create_connection(("127.0.0.1", trap.port)).close()
    seen: list[str] = []
    deadline = time.monotonic() + 10
    while "file" not in seen and time.monotonic() < deadline:
        seen += trap.sprung()
    reader.join(10)
    assert sorted(set(seen)) == ["file", "socket"]


_opened: list[str] = []
_watching = threading.Event()


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching.is_set() and (event.startswith("socket.") or event == "open"):
        _opened.append(f"{event} {arguments[0]}")


def test_judging_opens_no_file_and_no_socket_at_all() -> None:
    schema = {"$ref": "http://example.invalid/s", "$schema": "https://json-schema.org/draft/2020-12/schema"}
    text = json.dumps(schema)
    workbench.validate("{}", schema_text=text)  # what is loaded on first use is loaded now
    workbench.extract(frame("{}"), contract(schema))
    sys.addaudithook(_watch)
    _watching.set()
    try:
        workbench.validate('{"a": 1}', schema_text=text)
        workbench.extract(frame('{"a": 1}'), contract(schema))
    finally:
        _watching.clear()
    assert _opened == []


# Nothing hangs, and nobody pays for another's paste ----------------------------------------


def doubling(levels: int) -> dict[str, Any]:
    """A schema that asks for twice the work with every level."""
    definitions: dict[str, Any] = {"d0": {"type": "object"}}
    for level in range(1, levels):
        definitions[f"d{level}"] = {"allOf": [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    return {"$defs": definitions, "$ref": f"#/$defs/d{levels - 1}"}


HOSTILE: dict[str, tuple[Any, str]] = {
    "a pattern that backtracks": ({"pattern": "^(a+)+$"}, json.dumps("a" * 50_000 + "!")),
    "a doubling schema, accepted": (doubling(40), "{}"),
    "a doubling schema, refused": (doubling(40), "1"),
    "a reference to itself": ({"$ref": "#"}, "1"),
    "a circle of references": (
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        "1",
    ),
    "unique objects": ({"uniqueItems": True}, json.dumps([{"a": number} for number in range(100_000)])),
    "many branches": ({"anyOf": [{"const": number} for number in range(10_000)]}, '"x"'),
    "many values": ({"enum": list(range(100_000))}, '"x"'),
    "deep": (True, "[" * 100_000 + "]" * 100_000),
    "deep and cut off": (True, "[" * 100_000),
    "deep objects": (True, '{"a":' * 100_000 + "1" + "}" * 100_000),
    "two million zeros": (True, "[" + "0," * 2_000_000 + "0]"),
    "a long number": (True, "9" * 1_000_000),
    "a huge exponent": ({"multipleOf": 0.1}, "1e999999999"),
    "an unclosed string": (True, '"' + "a" * 5_000_000),
    "backslashes": (True, '"' + "\\" * 5_000_001),
    "a deep schema": (json.loads('{"properties":{"a":' * 200 + "{}" + "}}" * 200), "1"),
}


@pytest.mark.parametrize("name", [*HOSTILE])
def test_hostile_input_is_answered_in_its_budget_while_others_are_served(
    client: httpx.Client, name: str
) -> None:
    schema, payload = HOSTILE[name]
    budget = limits.seconds_for(len(payload) + len(json.dumps(schema))) + 0.5
    small = client.build_request("POST", "/api/format", json={"text": "[1]"})
    by_api = client.build_request("POST", "/api/validate", json={"schema": schema, "payload_text": payload})
    by_page = form(client, calls_text=frame(payload), contracts_text=contract(schema))
    for request in (by_api, by_page):
        request.read()  # built before the clocks start: this process has one core's worth of Python
        with concurrent.futures.ThreadPoolExecutor() as threads:
            started = time.perf_counter()
            pending = threads.submit(client.send, request)
            waits: list[float] = []
            # A moment between two requests, else this loop takes the processor from the work it watches.
            while not waits or not concurrent.futures.wait((pending,), timeout=0.01).done:
                before = time.perf_counter()
                assert client.send(small).json()["status"] == "green"
                waits.append(time.perf_counter() - before)
            waits.sort()
            assert waits[-1] < 0.5
            assert waits[: -1 - len(waits) // 100][-1:] < [0.1]  # the slowest hundredth is the machine's own
            assert pending.result().status_code == 200
            assert time.perf_counter() - started < budget


def test_ten_thousand_good_calls_in_one_frame_are_green(client: httpx.Client) -> None:
    calls = [{"id": str(number), "name": "f", "args": {"n": number}} for number in range(10_000)]
    text = json.dumps({"toolCall": {"functionCalls": calls}})
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    answer = client.post("/api/extract", json={"text": text, "contracts_text": contract(schema)}).json()
    assert answer["status"] == "green"
    assert len(answer["calls"]) == 10_000
    assert (
        'data-panel="toolCall" data-status="green"'
        in judge(client, calls_text=text, contracts_text=contract(schema)).text
    )


def test_a_paste_of_ten_megabytes_is_judged(client: httpx.Client) -> None:
    rows = [{"room": "x" * 80, "index": index} for index in range(100_000)]
    text = frame(json.dumps({"rows": rows}))
    assert len(text) > 10_000_000
    answer = client.post("/api/extract", json={"text": text, "contracts_text": contract({"type": "object"})})
    assert answer.json()["status"] == "green"
    assert (
        "not judged" not in judge(client, calls_text=text, contracts_text=contract({"type": "object"})).text
    )


def test_a_client_that_goes_away_frees_its_worker(client: httpx.Client, server: Server) -> None:
    body = json.dumps({"text": HOSTILE["two million zeros"][1]})  # a second of work
    head = (
        f"POST /api/extract HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    for _ in range(2 * limits.WORKERS):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall((head + body).encode())
    started = time.perf_counter()
    assert client.post("/api/format", json={"text": "[1]"}).json()["status"] == "green"
    assert time.perf_counter() - started < 1.0


# No input gives a 500 -----------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_WORDS = sorted(
    {field.alias or name for verb in VERBS.values() for name, field in verb.body.model_fields.items()}
)
_BODIES = st.dictionaries(st.sampled_from(_WORDS), _JSON | st.just(frame("{}")), max_size=6)
_ODD = [
    "toolCall",
    "functionCalls",
    "id",
    "name",
    "args",
    "toolResponse",
    "functionResponses",
    "response",
    "$ref",
]
_FRAMES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(_ODD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_ODD), inner, max_size=5),
    max_leaves=15,
)

fuzz = settings(
    max_examples=100,
    deadline=None,  # the server is shared, and its time budget is tested elsewhere
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # one server for all examples
)


@pytest.mark.parametrize("verb", [*VERBS])
@fuzz
@given(body=st.binary(max_size=200) | _BODIES.map(lambda body: json.dumps(body).encode()))
def test_any_body_is_answered(client: httpx.Client, verb: str, body: bytes) -> None:
    answer = client.post(f"/api/{verb}", content=body)
    assert answer.status_code in (200, 400, 422)
    assert answer.json()["status"] in ("green", "red", "idle")


@fuzz
@given(
    fields=st.dictionaries(
        st.sampled_from(FIELDS), st.text(max_size=80) | _FRAMES.map(json.dumps) | _JSON.map(json.dumps)
    ),
    edit=st.text(max_size=10)
    | st.sampled_from(["require:/a", "load:none", "sample-call:0:0", "expect:accept:x"]),
)
def test_any_form_is_answered(client: httpx.Client, fields: dict[str, str], edit: str) -> None:
    answer = judge(client, **fields, edit=edit)
    assert answer.status_code == 200
    assert 'id="panels"' in answer.text


def test_a_form_of_broken_bytes_is_answered(client: httpx.Client) -> None:
    for content_type in (
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/json",
        "text/plain",
    ):
        answer = client.post(
            "/panels", content=b"--x\r\n\xff\xfe\r\n", headers={"content-type": content_type}
        )
        assert answer.status_code in (200, 400, 415, 422)


# Pasted text never becomes markup -------------------------------------------------------

SPELLS = [
    "<pwned-by-paste>",
    "<img src=x onerror=pwned()>",
    "</textarea><pwned-by-paste>",
    "</template><pwned-by-paste>",
    "</script><script>pwned()</script>",
    "<svg onload=pwned()>",
    "'\"><pwned-by-paste a='",
    '" onfocus="pwned()" autofocus="',
    "' hx-get='/static/app.js' x='",
    '"><button name=edit value="clear:calls_text" hx-trigger=load>',
    "<!--<pwned-by-paste>",
    "--><pwned-by-paste>",
    "]]><pwned-by-paste>",
    "<iframe srcdoc='<script>parent.pwned()</script>'>",
    "<a href=javascript:pwned()>x</a>",
    "javascript:pwned()",
    "<style>*{display:none}</style>",
    "<base href=//evil.test>",
    "<meta http-equiv=refresh content='0;url=//evil.test'>",
    "<form action=//evil.test><input type=submit>",
    "<hx-partial hx-target='#panels'><pwned-by-paste></hx-partial>",
    "<div id=panels hx-swap-oob=true><pwned-by-paste></div>",
    "{{ 7 * 7 }}<pwned-by-paste>",
    "{% raw %}<pwned-by-paste>",
    "${pwned()}`<pwned-by-paste>`",
    "&lt;pwned-by-paste&gt;<pwned-by-paste>",
    "\\u003cpwned-by-paste\\u003e",
    "<\u0000pwned-by-paste>",
    "\u202e<pwned-by-paste>",
    "`<pwned-by-paste>`",
]


def spell_frames(spell: str) -> Iterator[dict[str, str]]:
    """The spell in every place a person can write to."""
    text = json.dumps(spell)
    call = {"id": spell, "name": spell, "args": {spell: spell, "list": [spell]}}
    response = {"id": spell, "name": spell, "response": {"result": {spell: spell}, "scheduling": spell}}
    schema = {"type": "object", "title": spell, "properties": {spell: {"enum": [spell]}}, "required": [spell]}
    bad = {"type": spell, "$ref": spell, "pattern": spell}
    yield {
        "calls_text": json.dumps({"toolCall": {"functionCalls": [call]}}),
        "responses_text": json.dumps({"toolResponse": {"functionResponses": [response]}}),
        "contracts_text": json.dumps([{"name": spell, "description": spell, "parameters": schema}]),
        "cases_text": json.dumps({f"ok {spell}": {spell: spell}, spell: {"other": spell}}),
        "samples_text": f'{{{text}: {text}}}\n{{"b": {text}}}',
        "contract_name": spell,
    }
    yield {"calls_text": spell, "responses_text": spell, "contracts_text": spell, "options": spell}
    yield {
        "calls_text": json.dumps({spell: spell, "toolCall": {spell: spell}}),
        "contracts_text": json.dumps([{"name": "f", "parameters": bad}]),
        "cases_text": spell,
        "samples_text": spell,
        "edit": spell,
    }


_FIND = r"""html => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    const inner = [...page.querySelectorAll('template')].map(each => each.content);
    const never = ['pwned-by-paste', 'iframe', 'base', 'style', 'object', 'img', 'hx-partial'];
    const found = [];
    for (const root of [page, ...inner])
        for (const element of root.querySelectorAll('*')) {
            const tag = element.localName;
            if (never.includes(tag)) found.push(tag);
            if (tag === 'script' && !element.getAttribute('src')?.startsWith('/static/')) found.push(tag);
            for (const {name, value} of element.attributes) {
                if (/^(on.*|srcdoc|style|autofocus|hx-get)$/.test(name)) found.push(`${tag} ${name}`);
                const place = /^(href|src|action)$/.test(name);
                if (place && !/^(\/(?!\/)|#|\?)/.test(value)) found.push(`${tag} ${name}`);
            }
        }
    return found;
}"""


def test_pasted_text_never_becomes_markup(client: httpx.Client, browser: Browser) -> None:
    """A browser reads every answer, and finds no element and no attribute that the paste made."""
    reader = browser.new_page()
    assert reader.evaluate(_FIND, "".join(SPELLS)) != []
    for spell in SPELLS:
        for fields in spell_frames(spell):
            files = {name: (None, text) for name, text in fields.items()}
            for headers in ({}, {"HX-Request": "true"}):
                answer = client.post("/panels", files=files, headers=headers)
                assert answer.status_code == 200
                assert reader.evaluate(_FIND, answer.text) == [], spell
    reader.close()


# What is written down ----------------------------------------------------------------------


def test_no_pasted_text_reaches_the_terminal(client: httpx.Client, server: Server) -> None:
    secret = "s3cret-paste-4711"
    client.post("/api/extract", json={"text": frame(json.dumps({"key": secret}))})
    judge(client, calls_text=secret, contracts_text=secret)
    client.get(f"/?calls_text={secret}")
    client.post(f"/api/none?{secret}", content=secret)
    assert secret not in server.log.read_text()
