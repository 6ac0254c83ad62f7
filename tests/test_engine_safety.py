"""Promises of the engine: nothing is fetched, no pattern hangs, no schema explodes."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from app.cursor import Cursor
from app.engine import covers, judge, prepare, second_opinion
from app.json_text import JsonText
from app.model import Verdict


def cursor(value: Any) -> Cursor:
    text = JsonText(value if isinstance(value, str) else json.dumps(value))
    node, _ = text.scan()
    return Cursor(text, node)


# Nothing is fetched ---------------------------------------------------------------------


class Traps:
    """A file and a local port that notice every visitor, whatever language opens them.

    Python's own attempts are seen by an audit hook; those of compiled code by
    the kernel: inotify for the file, a listening socket for the port.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "schema.json"
        self.file.write_text("true")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.watch: int | None = None
        if sys.platform == "linux":
            libc = ctypes.CDLL(None)
            self.watch = libc.inotify_init1(os.O_NONBLOCK)
            assert libc.inotify_add_watch(self.watch, os.fsencode(self.file), 0x20 | 0x1) >= 0  # open, access
        self.python: list[str] = []
        _HOOKED.append(self.python)

    def visitors(self) -> list[str]:
        """Return who came since the last call."""
        found = list(self.python)
        try:
            self.listener.accept()[0].close()
            found.append("socket")
        except BlockingIOError:
            pass
        if self.watch is not None:
            try:
                os.read(self.watch, 4096)
                found.append("file")
            except BlockingIOError:
                pass
        self.python.clear()  # accepting a visitor makes a socket too
        return found

    def close(self) -> None:
        _HOOKED.remove(self.python)
        self.listener.close()
        if self.watch is not None:
            os.close(self.watch)


_HOOKED: list[list[str]] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    # An audit hook cannot be taken out again, so it is one that mostly does nothing.
    if _HOOKED and (event.startswith(("socket.", "urllib.")) or event == "open"):
        seen = (event, arguments)
        if event != "open" or str(arguments[0]).endswith("schema.json"):
            for trap in _HOOKED:
                trap.append(str(seen))


sys.addaudithook(_audit)


@pytest.fixture
def traps(tmp_path: Path) -> Iterator[Traps]:
    traps = Traps(tmp_path)
    yield traps
    traps.close()


def test_the_traps_see_an_engine_that_may_retrieve(traps: Traps) -> None:
    quick = jsonschema_rs.HttpOptions(timeout=0.2, connect_timeout=0.2)
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validator_for({"$ref": f"http://127.0.0.1:{traps.port}/x"}, http_options=quick)
    assert traps.visitors() == ["socket"]
    jsonschema_rs.validator_for({"$ref": traps.file.as_uri()})
    assert traps.visitors() == (["file"] if traps.watch is not None else [])
    with traps.file.open() as file:
        file.read()
    assert any("open" in visitor for visitor in traps.visitors())


ADDRESSES = [
    "http://127.0.0.1:{port}/x",
    "https://127.0.0.1:{port}/x",
    "//127.0.0.1:{port}/x",
    "ftp://127.0.0.1:{port}/x",
    "ws://127.0.0.1:{port}/x",
    "file://{file}",
    "file://{file}#/$defs/a",
    "{file}",
    "schema.json",
    "data:application/json,{{}}",
    "urn:example:nobody",
    "jar:file:{file}!/x",
]
SHAPES: list[Callable[[str], Any]] = [
    lambda uri: {"$ref": uri},
    lambda uri: {"$dynamicRef": f"{uri}#a"},
    lambda uri: {"$schema": uri},
    lambda uri: {"$id": uri, "$ref": "other"},
    lambda uri: {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": uri},
    lambda uri: {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"$ref": uri}]},
    lambda uri: {"$schema": "http://json-schema.org/draft-04/schema#", "id": uri, "$ref": "other"},
    lambda uri: {"$defs": {"unused": {"$id": "x", "$schema": uri}}},
    lambda uri: {"properties": {"a": {"anyOf": [{"$ref": uri}, {"type": "string"}]}}},
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_address_in_a_schema_is_ever_visited(
    traps: Traps, address: str, shape: Callable[[str], Any]
) -> None:
    uri = address.format(port=traps.port, file=traps.file)
    schema = cursor(shape(uri))
    prepared = prepare(schema, assert_formats=True)
    payload = cursor({"a": [1]})
    assert judge(prepared, payload).verdict is Verdict.CONTRACT_ERROR
    assert second_opinion(prepared, payload).verdict is Verdict.NOT_JUDGED
    covers(schema.text, "{}")
    covers("{}", schema.text)
    assert {problem.code for problem in prepared.problems} <= {"ref-external", "contract-invalid"}
    assert all(problem.message.endswith(".") for problem in prepared.problems)
    assert traps.visitors() == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_only_names_or_is_data_is_no_problem_and_no_visit(traps: Traps, address: str) -> None:
    uri = address.format(port=traps.port, file=traps.file)
    schema = cursor(
        {"$comment": uri, "enum": [{"$ref": uri}, uri], "default": {"$schema": uri}, "format": "uri"}
    )
    prepared = prepare(schema, assert_formats=True)
    for payload in (cursor({"$ref": uri}), cursor(json.dumps(uri)), cursor({"$schema": uri})):
        judge(prepared, payload)
        assert second_opinion(prepared, payload).agrees
    assert prepared.problems == ()
    assert traps.visitors() == []


# No pattern hangs ------------------------------------------------------------------------

LONG = 50_000
REDOS = [
    (r"^(a+)+$", "a", "!"),
    (r"^(a*)*$", "a", "!"),
    (r"^(a|a)*$", "a", "!"),
    (r"^(a|aa)+$", "a", "!"),
    (r"^(a|a?)+$", "a", "!"),
    (r"(.*a){20}", "a", "!"),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a", "!"),
    (
        r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
        "a",
        "!",
    ),
    (r"^\d+\.?\d+$", "1", "x"),
    (r"^(\d+)*$", "1", "x"),
    (r"(x+x+)+y", "x", "z"),
    (r"^(x+x+)+y$", "x", "z"),
    (r"\s+$", " ", "x"),
    (r"^\s*|\s*$", " ", "x"),
    (r"^(\w+\s?)*$", "a ", "!"),
    (r"^([\w.]+)+@", "a.", "!"),
    (r"(?:\D+|<\d+>)*[!?]", "a", "<"),
    (r"^(?:.|\n)*?x$", "a", "!"),
    (r"<(.+)>.*</\1>", "<a>", "!"),
    (r"(\w+)\s+\1\b", "a", "!"),
    (r"^(a+)+\1$", "a", "!"),
    (r"^(a|a)*\1$", "a", "!"),
    (r"^(.*)\1\1$", "ab", "!"),
    (r"(a*)*b\1", "a", "c"),
    (r"^(?:(?!b)a+)+$", "a", "!"),
    (r"^(?:(?=a)a+)+$", "a", "!"),
    (r"^(?=(a+))\1a$", "a", "!"),
    (r"^(?!.*(a+)+$).*b$", "a", "!"),
    (r"^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).*!!$", "aA1", "!"),
    (r"(?<=a)(a+)+b", "a", "!"),
    (r"(?<!b)(a*)*c", "a", "!"),
    (r"((?=a)a*)*b", "a", "!"),
    (r"^((?!x).)*y$", "a", "!"),
    (r"^(?:(?!--)[a-z-])+$", "a", "!"),
    (r"([^<]+|<(?!/))*>", "a", "!"),
    (r"(?:a?){50}a{50}", "a", "!"),
    (r"^(a?){30}a{30}$", "a", "!"),
    (r"(a{0,100}){0,10}b", "a", "!"),
    (r"^[a-z]+(\.[a-z]+)*\.$", "a.", "!"),
    (r"^(([^\s,]+)\s*,?\s*)+$", "a, ", "\n,"),
    (r"^https?://([a-z]+\.?)+/$", "a.", "!"),
    (r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$", "AAAA", "!"),
    (r"^([0-9a-f]{2}:?)+$", "0f:", "!"),
    (r"^#?([a-f0-9]{6}|[a-f0-9]{3})*$", "aaa", "!"),
    (r"^(\([^)]*\)|[^()])*$", "(", "!"),
    (r"\$\{([^}]*)\}*$", "${", "!"),
    (r"(?:(?:a|b)*c?)*d", "ab", "!"),
    (r"^(?:a(?!b)|ab?)*$", "a", "!"),
    (r"^(\p{L}+)*$", "é", "!"),
    (r"^(?:\p{L}(?=\p{L})|\p{L})*$", "é", "!"),
]


def test_there_are_fifty_patterns() -> None:
    assert len({pattern for pattern, _, _ in REDOS}) == 50


@pytest.mark.parametrize(("pattern", "unit", "end"), REDOS)
@pytest.mark.parametrize("size", [30, LONG])
def test_no_pattern_hangs(pattern: str, unit: str, end: str, size: int) -> None:
    victim = unit * (size // len(unit)) + end
    prepared = prepare(cursor({"pattern": pattern}))
    assert prepared.problems == ()
    payload = cursor(json.dumps(victim, ensure_ascii=False))
    began = time.process_time()
    judgement = judge(prepared, payload)
    taken = time.process_time() - began
    assert judgement.verdict in (Verdict.ACCEPT, Verdict.REFUSE, Verdict.NOT_JUDGED)
    assert taken < 0.05, f"{taken:.3f} s, {judgement.verdict}"


@pytest.mark.parametrize("pattern", [pattern for pattern, _, _ in REDOS])
def test_no_pattern_hangs_where_names_are_matched(pattern: str) -> None:
    payload = cursor({"a" * 40 + "!": 1, "x" * 40: 2, "1" * 40: 3})
    for schema in ({"patternProperties": {pattern: False}}, {"propertyNames": {"pattern": pattern}}):
        began = time.process_time()
        prepared = prepare(cursor(schema | {"additionalProperties": False}))
        judge(prepared, payload)
        second_opinion(prepared, payload)
        assert time.process_time() - began < 0.2


# No schema explodes ----------------------------------------------------------------------


def doubled(levels: int, last: Any) -> dict[str, Any]:
    """Build a schema with 2^levels ways through it."""
    steps = {f"a{level}": {"allOf": [{"$ref": f"#/$defs/a{level + 1}"}] * 2} for level in range(levels)}
    return {"$ref": "#/$defs/a0", "$defs": steps | {f"a{levels}": last}}


def deep(keyword: str, steps: int) -> str:
    """Build a schema that takes many steps at each level of a payload, and wants objects all the way."""
    around = f'{{"{keyword}":[' * steps, "]}" * steps
    return f'{{"type":"object","properties":{{"n":{around[0]}{{"$ref":"#"}}{around[1]}}}}}'


def tree(depth: int) -> Any:
    value: Any = {"v": "leaf"}
    for _ in range(depth):
        value = {"v": 1, "kids": [value]}
    return value


TREE = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {"v": {"type": "integer"}, "kids": {"items": {"$ref": "#/$defs/tree"}}},
            "required": ["v"],
        }
    },
}
LIST = {
    "$ref": "#/$defs/list",
    "$defs": {
        "list": {
            "anyOf": [
                {"type": "null"},
                {"properties": {"next": {"$ref": "#/$defs/list"}}, "required": ["next"]},
            ]
        }
    },
}
BOMBS: list[tuple[str, Any, Any, Verdict]] = [
    ("doubling, met", doubled(16, {"type": "string"}), '"x"', Verdict.ACCEPT),
    ("doubling, not met", doubled(22, {"type": "string"}), "1", Verdict.REFUSE),
    ("tree, 120 deep", TREE, tree(120), Verdict.REFUSE),
    ("list, 250 deep", LIST, '{"next":' * 250 + "{}" + "}" * 250, Verdict.REFUSE),
    ("50 steps at 250 depths", deep("allOf", 50), '{"n":' * 250 + "1" + "}" * 250, Verdict.REFUSE),
    ("50 choices at 250 depths", deep("anyOf", 50), '{"n":' * 250 + "1" + "}" * 250, Verdict.REFUSE),
    ("anyOf of 10,000", {"anyOf": [{"const": n} for n in range(10_000)]}, '"x"', Verdict.REFUSE),
    ("oneOf of 10,000", {"oneOf": [{"required": [str(n)]} for n in range(10_000)]}, "{}", Verdict.REFUSE),
    ("enum of 100,000", {"enum": list(range(100_000))}, '"x"', Verdict.REFUSE),
    ("required 10,000", {"required": [str(n) for n in range(10_000)]}, "{}", Verdict.REFUSE),
    (
        "10,000 unexpected",
        {"additionalProperties": False},
        {str(n): n for n in range(10_000)},
        Verdict.REFUSE,
    ),
    ("100,000 different", {"uniqueItems": True}, list(range(100_000)), Verdict.ACCEPT),
    ("100,000, two equal", {"uniqueItems": True}, [*range(100_000), 5], Verdict.REFUSE),
    ("100,000 of a wrong type", {"items": {"type": "string"}}, list(range(100_000)), Verdict.REFUSE),
    ("large bounds", '{"maxLength":1e19,"minLength":1e18}', '"x"', Verdict.REFUSE),
    ("a million digits away", '{"multipleOf":1e-100000}', "1e100000", Verdict.ACCEPT),
]


@pytest.mark.parametrize(
    ("schema", "payload", "verdict"), [bomb[1:] for bomb in BOMBS], ids=[bomb[0] for bomb in BOMBS]
)
def test_no_schema_explodes(schema: Any, payload: Any, verdict: Verdict) -> None:
    schema, payload = cursor(schema), cursor(payload)
    began = time.process_time()
    prepared = prepare(schema)
    judgement = judge(prepared, payload)
    second_opinion(prepared, payload)
    taken = time.process_time() - began
    assert prepared.problems == ()
    assert judgement.verdict is verdict
    assert taken < 2, f"{taken:.2f} s"


def test_a_growing_recursion_ends_the_second_opinion_not_the_test() -> None:
    schema = {"allOf": [{"properties": {"x": {"$ref": "#"}}}] * 2, "type": "object"}
    prepared = prepare(cursor(schema))
    payload = cursor('{"x":' * 14 + "{}" + "}" * 14)
    assert judge(prepared, payload).verdict is Verdict.ACCEPT
    assert second_opinion(prepared, payload).verdict is Verdict.NOT_JUDGED


def test_the_prover_is_not_asked_where_it_would_overflow_the_stack() -> None:
    loop = '{"properties": {"a": {"$ref": "#", "unevaluatedProperties": false}}}'

    assert covers(loop, "{}") == "not-proven"
    assert covers("{}", loop) == "not-proven"


def test_no_pattern_hangs_behind_a_reference_to_a_schema_that_names_its_draft() -> None:
    """The second engine goes by `$schema` wherever it meets one, and would leave our corrections there."""
    for draft in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
        here = {"$schema": draft, "properties": {"a": {"$ref": "#"}}, "pattern": "^(a+)+$"}
        payload = cursor({"a": "a" * 40 + "!"})
        began = time.process_time()
        assert second_opinion(prepare(cursor(here)), payload).verdict is Verdict.REFUSE
        assert time.process_time() - began < 0.2
