"""Two readers of one text never disagree unseen: where they do, a finding names the reason.

The readers are those that stand behind real executors: the standard library,
one written in Rust that Pydantic ships, and what JavaScript makes of numbers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pydantic_core
import pytest

from app import workbench


def call(args: str) -> str:
    return '{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": ' + args + "}]}}"


SEEDS = [
    call('{"room": "hall", "level": 3}'),
    call('{"x":[1,-2.50e1,true,null,"\\u0041\\ud83d\\ude00"]}').replace(" ", ""),
    '{"toolResponse": {"functionResponses": [{"id": "a", "name": "f", "response": {"result": {"n": 0}}}]}}',
    '{"serverContent": {"modelTurn": {"parts": [{"text": "\\"One\\" – two\\n"}]}}}',
]
ODD = {
    "a key twice": call('{"x": 1, "x": 2}'),
    "a key twice, escaped": call('{"x": 1, "\\u0078": 2}'),
    "NaN": call('{"x": NaN}'),
    "Infinity": call('{"x": -Infinity}'),
    "a large integer": call('{"x": 9007199254740993}'),
    "a large number": call('{"x": 1e400}'),
    "half a pair": call('{"x": "\\ud800"}'),
    "minus zero": call('{"x": -0}'),
    "depth": call("[" * 300 + "]" * 300),
    "a byte order mark": "\ufeff" + SEEDS[0],
    "a trailing comma": SEEDS[0][:-1] + ",}",
    "a comment": SEEDS[0][:-1] + " /* end */}",
    "single quotes": SEEDS[0].replace('"', "'"),
    "a line break in a string": SEEDS[0].replace("hall", "ha\nll"),
    "a tab in a string": SEEDS[0].replace("hall", "ha\tll"),
    "a leading zero": SEEDS[0].replace("3", "03"),
    "a plus sign": SEEDS[0].replace("3", "+3"),
    "no-break space": SEEDS[0].replace(" ", "\u00a0"),
    "a bad escape": SEEDS[0].replace("hall", "\\x41"),
    "two texts": SEEDS[0] + SEEDS[0],
}

REFUSED = "refused"


def _no_constant(text: str) -> None:
    raise ValueError(text)


def standard(text: str) -> Any:
    return json.loads(text)


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def first_key(text: str) -> Any:
    return json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))


def javascript(text: str) -> Any:
    return json.loads(text, parse_int=float, parse_constant=_no_constant)


def rust(text: str) -> Any:
    return pydantic_core.from_json(text)


READERS: list[Callable[[str], Any]] = [standard, strict, first_key, javascript, rust]


def read(reader: Callable[[str], Any], text: str) -> str:
    """Return what a reader makes of a text, as text that compares types and digits."""
    try:
        return repr(_plain(reader(text)))
    except (ValueError, RecursionError):
        return REFUSED


def _plain(value: Any) -> Any:
    """Return a value with its keys in order, and one form for a number that all readers hold alike."""
    if isinstance(value, dict):
        return sorted((key, _plain(member)) for key, member in value.items())
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value == value and abs(value) < 2**53 and value.is_integer():
        return int(value)
    return value


NAMED = {
    "args-bigint",
    "json-bom",
    "json-duplicate-key",
    "json-invalid",
    "json-lines",
    "json-literal",
    "json-nan",
    "lone-surrogate",
    "too-deep",
}
"""Findings that say why two readers differ."""


def check(text: str) -> None:
    report = workbench.extract(text)
    said = {finding.code for finding in report.findings}
    made = {read(reader, text) for reader in READERS}
    if len(made) > 1:
        assert said & NAMED, f"{text!r} is {made}; said is {said}"
    elif made == {REFUSED}:
        assert report.status == "red" or said & NAMED, f"nobody reads {text!r}; said is {said}"
    else:
        assert "json-invalid" not in said, f"everybody reads {text!r}"
        laid_out = workbench.format(text).text
        assert laid_out is not None
        assert read(standard, laid_out) in made


@pytest.mark.parametrize("text", ODD.values(), ids=list(ODD))
def test_an_odd_text_is_read_alike_or_its_oddity_has_a_name(text: str) -> None:
    check(text)


PIECES = [
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "1",
    "e",
    "-",
    ".",
    "n",
    "null",
    "\\u00",
    "\\ud800",
    " ",
    "\n",
    "é",
]


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_a_text_with_faults_is_read_alike_or_its_fault_has_a_name(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(400):
        text = SEEDS[seed]
        for _ in range(chance.choice((1, 1, 2, 3))):
            start = chance.randrange(len(text))
            stop = start + chance.choice((0, 0, 1, 1, 2, 8))
            again = text[start : start + chance.randrange(12)]
            text = text[:start] + chance.choice(("", again, *PIECES)) + text[stop:]
        check(text)
