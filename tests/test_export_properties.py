"""What must hold for the export of any contract, tried with generated ones."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import workbench
from app.exports import by_id
from app.exports.profile import rules
from app.json_answer import to_json
from app.model import Verdict

steady = settings(deadline=None, derandomize=True, max_examples=80)

KEYS = ["a", "b", "type", "properties"]

scalars = st.sampled_from([None, True, False, "", "a", "abc", 0, 1, 2, 3.5, -1])
payload_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=5,
)
payloads = st.dictionaries(st.sampled_from([*KEYS, "z"]), payload_values, max_size=4)

small = st.integers(0, 3)
limits = st.fixed_dictionaries(
    {},
    optional={
        "minimum": small,
        "exclusiveMinimum": small,
        "maximum": small,
        "multipleOf": st.integers(1, 3),
        "minLength": small,
        "maxLength": small,
        "pattern": st.sampled_from(["^a", "b$", "(?=a)a", r"\ba"]),
        "format": st.sampled_from(["uri", "date-time", "int32"]),
        "title": st.just("T"),
        "description": st.just("D"),
        "default": scalars,
        "nullable": st.booleans(),
        "x-mark": st.just(1),
        "$comment": st.just("c"),
    },
)
types = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
plain = st.builds(lambda kind, more: {"type": kind} | more, types, limits)
union = st.builds(
    lambda kinds, more: {"type": kinds} | more, st.lists(types, min_size=1, max_size=3, unique=True), limits
)
listed = st.builds(
    lambda values, kind: {"enum": values} | ({} if kind is None else {"type": kind}),
    st.lists(scalars, min_size=1, max_size=4, unique_by=lambda value: json.dumps(value)),
    st.none() | types,
)
fixed = st.builds(lambda value: {"const": value}, scalars)
refs = st.sampled_from([{"$ref": "#/$defs/D"}, {"$ref": "#/$defs/D", "description": "d"}, {"$ref": "#"}])


def _object(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)},
        optional={
            "required": st.lists(st.sampled_from(KEYS), max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "unevaluatedProperties": st.just(False),
            "minProperties": small,
            "maxProperties": small,
            "patternProperties": st.dictionaries(st.just("^a"), inner, min_size=1, max_size=1),
            "propertyNames": st.just({"maxLength": 1}),
            "dependentRequired": st.just({"a": ["b"]}),
        },
    )


def _array(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": inner | st.booleans(),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "minItems": small,
            "maxItems": small,
            "uniqueItems": st.booleans(),
            "contains": inner,
        },
    )


def _combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    branches = st.lists(inner, min_size=1, max_size=3)
    return st.builds(
        lambda keyword, parts, beside: beside | {keyword: parts},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        branches,
        st.just({}) | plain | _object(inner) | st.just({"description": "beside"}),
    ) | st.builds(lambda part, beside: beside | {"not": part}, inner, plain)


schemas = st.recursive(
    plain | union | listed | fixed | refs | st.booleans(),
    lambda inner: _object(inner) | _array(inner) | _combined(inner),
    max_leaves=6,
)
contracts = st.builds(
    lambda root, definition: root | {"$defs": {"D": definition}},
    _object(schemas),
    plain | listed | _object(plain),
)


@steady
@given(contracts, st.lists(payloads, min_size=1, max_size=8))
def test_no_verdict_flips_without_a_change_that_says_so(
    schema: dict[str, Any], given_payloads: list[Any]
) -> None:
    cases = [{"name": f"case {index}", "payload": payload} for index, payload in enumerate(given_payloads)]
    contract = json.dumps({"name": "t", "parameters": schema, "cases": cases})

    reports = workbench.export_all(contract)

    assert to_json(reports) == to_json(workbench.export_all(contract))
    for target, report in reports.items():
        assert not [finding for finding in report.findings if finding.code == "flip-unexplained"], target
        severities = {change.severity for change in report.changes}
        for flip in report.flips:
            assert severities & {"loss", "narrow", "unverified"}, (target, flip)
            if flip.before is Verdict.ACCEPT:
                assert "narrow" in severities, (target, flip)
        assert (report.text is None) == (report.status == "red"), target


# Anything at all ------------------------------------------------------------------

WORDS = (
    "type properties required enum const anyOf allOf items prefixItems $ref $defs definitions $id $schema "
    "dependencies exclusiveMinimum pattern format nullable additionalProperties propertyOrdering defs ref "
    "any_of name parameters input_schema inputSchema function tools functionDeclarations result strict x"
)
TEXTS = "string object OBJECT Type.OBJECT # #/$defs/a #a ^( http://x/y 1 enum function json_schema"
words = st.sampled_from(WORDS.split(" "))
odd_scalars = st.sampled_from([None, True, False, 0, -1.5, "", *TEXTS.split(" ")])
oddities = st.recursive(
    odd_scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=14,
)


@steady
@given(oddities, st.sampled_from([None, "gemini.parameters", "openai.strict", "mcp.outputSchema@2026-07-28"]))
def test_whatever_stands_in_a_schema_gets_an_answer(value: Any, dialect: str | None) -> None:
    for schema in (value, {"type": "object", "properties": {"q": value}}):
        contract = {"name": "t", "parameters": schema, "result": schema, "cases": {"ok": {}, "q": {"q": 1}}}
        for report in workbench.export_all(json.dumps(contract)).values():
            assert (report.text is None) == (report.status == "red")
        assert to_json(workbench.import_(json.dumps(schema), dialect))


def test_a_keyword_dropped_in_silence_turns_an_export_red(monkeypatch: pytest.MonkeyPatch) -> None:
    target = by_id("gemini.parameters")
    assert target is not None
    silent = {**target.profile.keywords, **rules("drop", "", "additionalProperties=false", "")}
    mute = replace(target, profile=replace(target.profile, keywords=silent))
    contract = {
        "name": "t",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": False,
        },
        "cases": {"ok": {"a": "x"}, "extra": {"z": 1}},
    }
    monkeypatch.setattr("app.exports.by_id", lambda _: mute)

    report = workbench.export(json.dumps(contract), "gemini.parameters")

    assert report.status == "red"
    assert {finding.code for finding in report.findings} == {"flip-unexplained"}
