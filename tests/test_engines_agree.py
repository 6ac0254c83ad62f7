"""Two engines on generated schemas and payloads: they agree, or the difference has a name."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.cursor import Cursor
from app.engine import Prepared, covers, judge, prepare, second_opinion
from app.explain import Violation
from app.json_text import JsonText
from app.model import Verdict

KEYS = st.sampled_from(["a", "b", "a/b", "007", "", "é", "$ref"])
STRINGS = st.sampled_from(["", "a", "ab", "aab", "é", "😀", "2026-01-01", "1", "\ud800", "a\n"])
NUMBERS = st.sampled_from(
    ["0", "-0", "1", "1.0", "1e0", "1.10", "0.1", "0.3", "2.5", "-3", "1e400", "12345678901234567890"]
)
PATTERNS = st.sampled_from(["^a", "b$", "^a+$", "^$", "\\d", "\\p{L}", "^(?=a)a", "^(a)\\1$", "."])
SIZES = st.integers(0, 3)


class Lexeme(str):
    """A number as it is to be written."""


def write(value: Any) -> str:
    """Write JSON in which numbers keep their lexeme."""
    if isinstance(value, Lexeme):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value)


numbers = NUMBERS.map(Lexeme)
scalars = st.one_of(st.none(), st.booleans(), numbers, STRINGS)
payloads = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
types = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Build a schema of up to four keywords."""
    each = {
        "type": st.one_of(types, st.lists(types, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(payloads, min_size=1, max_size=3),
        "const": payloads,
        "minimum": numbers,
        "maximum": numbers,
        "exclusiveMinimum": numbers,
        "exclusiveMaximum": numbers,
        "multipleOf": st.sampled_from(["0.1", "0.01", "1", "2.5", "3"]).map(Lexeme),
        "minLength": SIZES,
        "maxLength": SIZES,
        "pattern": PATTERNS,
        "minItems": SIZES,
        "maxItems": SIZES,
        "uniqueItems": st.booleans(),
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "contains": inner,
        "minContains": SIZES,
        "maxContains": SIZES,
        "unevaluatedItems": inner,
        "minProperties": SIZES,
        "maxProperties": SIZES,
        "required": st.lists(KEYS, max_size=3, unique=True),
        "dependentRequired": st.dictionaries(KEYS, st.lists(KEYS, max_size=2, unique=True), max_size=2),
        "dependentSchemas": st.dictionaries(KEYS, inner, max_size=2),
        "properties": st.dictionaries(KEYS, inner, max_size=3),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "additionalProperties": inner,
        "unevaluatedProperties": inner,
        "propertyNames": inner,
        "allOf": st.lists(inner, min_size=1, max_size=2),
        "anyOf": st.lists(inner, min_size=1, max_size=3),
        "oneOf": st.lists(inner, min_size=1, max_size=3),
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y"]),
    }

    def of(names: list[str]) -> st.SearchStrategy[Any]:
        return st.fixed_dictionaries({name: each[name] for name in names})

    return st.lists(st.sampled_from(sorted(each)), max_size=4, unique=True).flatmap(of)


subschemas = st.recursive(st.booleans(), keywords, max_leaves=6)
schemas = st.builds(
    lambda schema, x, y: schema | {"$defs": {"x": x, "y": y}} if isinstance(schema, dict) else schema,
    subschemas,
    subschemas,
    subschemas,
)


def cursor(value: Any) -> Cursor:
    text = JsonText(write(value))
    node, _ = text.scan()
    return Cursor(text, node)


def check_places(prepared: Prepared, payload: Cursor, violations: tuple[Violation, ...]) -> None:
    """Hold that each violation has places that exist, and a sentence."""
    for violation in violations:
        place = payload.at(violation.instance_pointer)
        assert place is not None, violation
        assert violation.schema_pointer is None or prepared.source.at(violation.schema_pointer), violation
        assert violation.message.endswith("."), violation
        if violation.key is not None:
            missing = violation.keyword in ("required", "dependentRequired")
            assert (violation.key in place.keys) != missing, violation
        check_places(prepared, payload, violation.causes)


@settings(max_examples=600, deadline=None)
@given(schemas, payloads)
def test_the_engines_agree_and_every_refusal_has_its_reasons(schema: Any, payload: Any) -> None:
    prepared = prepare(cursor(schema))
    loops = [problem for problem in prepared.problems if "back to itself" in problem.message]
    assert len(loops) == len(prepared.problems)
    assume(not loops)
    place = cursor(payload)
    judgement = judge(prepared, place)
    assert judgement.verdict in (Verdict.ACCEPT, Verdict.REFUSE)
    assert (judgement.verdict is Verdict.REFUSE) == bool(judgement.violations)
    assert judgement.total == len(judgement.violations)
    check_places(prepared, place, judgement.violations)
    opinion = second_opinion(prepared, place)
    assert opinion.agrees
    if opinion.verdict is Verdict.NOT_JUDGED:
        assert {"patternProperties", "unevaluatedProperties"} <= {
            each.keyword for each in prepared.outline.subschemas.values()
        }


@settings(max_examples=300, deadline=None)
@given(subschemas, subschemas, st.lists(payloads, min_size=1, max_size=6))
def test_what_is_proven_narrower_accepts_nothing_more(before: Any, after: Any, samples: list[Any]) -> None:
    wide, narrow = ({"allOf": [each], "$defs": {"x": True, "y": True}} for each in (before, after))
    if covers(write(wide), write(narrow)) != "yes":
        return
    first, second = prepare(cursor(wide)), prepare(cursor(narrow))
    for sample in map(cursor, samples):
        if judge(second, sample).verdict is Verdict.ACCEPT:
            assert judge(first, sample).verdict is Verdict.ACCEPT


@settings(max_examples=300, deadline=None)
@given(payloads, payloads)
def test_any_json_may_stand_as_a_schema_and_is_judged_or_told_why_not(schema: Any, payload: Any) -> None:
    prepared = prepare(cursor(schema))
    judgement = judge(prepared, cursor(payload))
    assert (prepared.validator is None) == bool(prepared.problems)
    if prepared.problems:
        assert judgement.verdict is Verdict.CONTRACT_ERROR
        assert all(prepared.source.at(problem.schema_pointer) for problem in prepared.problems)


# A keyword with a value that may be wrong: bounds of the wrong type, patterns that are none.
broken = st.recursive(
    st.one_of(scalars, types),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "$ref",
                    "$id",
                    "pattern",
                    "patternProperties",
                    "properties",
                    "items",
                    "$defs",
                    "allOf",
                    "enum",
                    "required",
                    "$schema",
                    "$anchor",
                    "$dynamicRef",
                    "dependentRequired",
                    "minimum",
                    "maxLength",
                    "not",
                    "a",
                ]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=10,
)


@settings(max_examples=600, deadline=None)
@given(broken, payloads)
def test_a_broken_schema_never_raises(schema: Any, payload: Any) -> None:
    prepared = prepare(cursor(schema), assert_formats=True)
    judge(prepared, cursor(payload))
    second_opinion(prepared, cursor(payload))
    covers(write(schema), "{}")
    assert all(prepared.source.at(problem.schema_pointer) for problem in prepared.problems)
