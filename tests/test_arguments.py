"""The args of a call: read as their wire format encodes them, and what is wrong with them named."""

from __future__ import annotations

import json

import pytest

from app import arguments
from app.cursor import Cursor

GOOD = '{"room": "attic", "on": true}'

TEXTS = [
    (GOOD, None),
    (f"  {GOOD}\n", None),
    ("{}", None),
    ('{"text": "it\'s on"}', None),
    ('{"path": "D:\\\\Lights"}', None),
    ('{"text": "```"}', None),
    ('{"id": 9007199254740993}', None),
    ('{"room": "a", "room": "b"}', None),
    ("", "args-empty-string"),
    (" \n", "args-empty-string"),
    (f"```json\n{GOOD}\n```", "args-fenced"),
    (f"\n```\n{GOOD}\n```", "args-fenced"),
    ('{"path": "D:\\Lights"}', "args-invalid-escape"),
    ('{"path": "\\u12G4"}', "args-invalid-escape"),
    ('{"text": "one\ntwo"}', "args-control-char"),
    ('{"text": "one\ttwo"}', "args-control-char"),
    ("{'room': 'attic', 'on': True}", "args-python-literal"),
    ("{'text': \"it's on\"}", "args-python-literal"),
    ('{"on": True, "by": None}', "args-python-literal"),
    ("{'rooms': ('attic', 'hall')}", "args-python-literal"),
    ('{"room":"att', "args-truncated"),
    ('{"room":', "args-truncated"),
    ("{", "args-truncated"),
    ('{"room":"attic\\', "args-truncated"),
    ('{"room":"attic\\u00', "args-truncated"),
    ('{"on":tr', "args-truncated"),
    ('{"level":-', "args-truncated"),
    ('{"level":1.', "args-truncated"),
    ('{"level":1e+', "args-truncated"),
    ("room=attic", "args-not-json"),
    ("{room: 'attic'}", "args-not-json"),
    ("{'on': true}", "args-not-json"),
    ('{"room": "attic",}', "args-not-json"),
    ("{'attic'}", "args-not-json"),
    ('{"level": NaN}', "args-nan"),
    ('{"level": -Infinity}', "args-nan"),
    (GOOD + GOOD, "args-concatenated"),
    (GOOD + "\n[1]", "args-concatenated"),
    (GOOD + "}", "args-trailing-garbage"),
    (GOOD + " done", "args-trailing-garbage"),
    ("null", "args-null"),
    (json.dumps(GOOD), "args-double-encoded"),
    ('"attic"', "args-not-object"),
    ('"[1]"', "args-not-object"),
    ("[1, 2]", "args-not-object"),
    ("7", "args-not-object"),
    ("true", "args-not-object"),
]


@pytest.mark.parametrize(("text", "problem"), TEXTS)
def test_a_string_of_json_is_read_or_its_problem_is_named(text: str, problem: str | None) -> None:
    args = arguments.from_text(Cursor.of(json.dumps(text)))

    assert args.problem == problem
    assert (args.object is not None) == (problem is None)
    assert args.usable == (problem in (None, "args-empty-string"))


@pytest.mark.parametrize(
    ("value", "encoding", "problem"),
    [
        ("null", "null", "args-null"),
        (GOOD, "object", "args-wrong-encoding"),
        ("[1]", "other", "args-wrong-encoding"),
        ("7", "other", "args-wrong-encoding"),
    ],
)
def test_a_value_that_is_no_string_is_the_wrong_encoding(value: str, encoding: str, problem: str) -> None:
    args = arguments.from_text(Cursor.of(value))

    assert (args.encoding, args.problem) == (encoding, problem)


OBJECTS = [
    (GOOD, None),
    ("{}", None),
    ('{"{\\"room\\": \\"attic\\"}": null}', "args-double-encoded"),
    ('{"{\\"room\\": \\"attic\\"}": 1}', None),
    ('{"{room}": null}', None),
    ('{"{\\"room\\": 1}": null, "on": true}', None),
    (json.dumps(GOOD), "args-wrong-encoding"),
    ('"attic"', "args-wrong-encoding"),
    ('""', "args-wrong-encoding"),
    ("[]", "args-not-object"),
    ("7", "args-not-object"),
    ("null", "args-null"),
]


@pytest.mark.parametrize(("value", "problem"), OBJECTS)
def test_an_object_is_read_or_its_problem_is_named(value: str, problem: str | None) -> None:
    assert arguments.from_object(Cursor.of(value)).problem == problem


def test_absent_args_are_absent_in_every_encoding() -> None:
    for read in (arguments.from_text, arguments.from_object, arguments.from_plain_text):
        args = read(None)

        assert (args.encoding, args.problem, args.usable) == ("absent", None, True)


def test_plain_text_is_never_parsed() -> None:
    args = arguments.from_plain_text(Cursor.of(json.dumps(GOOD)))

    assert (args.encoding, args.object, args.usable) == ("free-text", None, True)


def test_plain_text_that_is_no_text_is_the_wrong_encoding() -> None:
    assert arguments.from_plain_text(Cursor.of(GOOD)).problem == "args-wrong-encoding"


def test_values_inside_the_text_have_their_place_in_what_was_pasted() -> None:
    frame = Cursor.of('{"arguments": "{\\"a\\": [1, NaN]}"}')
    args = arguments.from_text(frame.get("arguments"))

    assert args.derived is not None
    place = args.derived.location
    assert (place.pointer, place.inner) == ("/arguments", "/a/1")
    assert (place.column, place.end_column) == (28, 31)


def test_the_character_that_stops_reading_has_its_place() -> None:
    at = Cursor.of('"{\\"a\\": 1}}"')
    args = arguments.from_text(at)

    assert args.error is not None
    place = at.char(args.error.offset)
    assert (place.column, place.end_column) == (12, 13)


def test_the_place_of_a_text_that_ends_too_early_is_its_end() -> None:
    at = Cursor.of('"{"')
    args = arguments.from_text(at)

    assert args.error is not None
    place = at.char(args.error.offset)
    assert (place.column, place.end_column) == (3, 3)


def test_a_very_long_or_deep_text_is_no_python_literal() -> None:
    for text in ("{'a': '" + "x" * 100_000 + "'}", "{'a': " + "[" * 5000 + "]" * 5000 + "}"):
        assert arguments.from_text(Cursor.of(json.dumps(text))).problem == "args-not-json"
