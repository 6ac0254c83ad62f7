"""Declared tools: each rule speaks on one declaration and is silent on the one beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import workbench

GOOD: dict[str, Any] = {
    "name": "set_light",
    "description": "Set one light.",
    "parameters": {
        "type": "OBJECT",
        "properties": {"room": {"type": "STRING", "enum": ["kitchen"]}},
        "required": ["room"],
    },
}


def tool(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (GOOD | changes).items() if value is not None}


def of(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Declare one parameter of this schema."""
    return tool(parameters={"type": "OBJECT", "properties": {"q": schema}} | more)


def codes(*tools: dict[str, Any]) -> set[str]:
    text = json.dumps({"functionDeclarations": list(tools)})
    return {finding.code for finding in workbench.extract(text).findings}


STRING = {"type": "STRING"}
CASES = [
    ("declaration-name-charset", [tool(name="set light")], [tool(name="a.b:c-d")]),
    ("declaration-name-long", [tool(name="a" * 65)], [tool(name="a" * 64)]),
    ("declaration-unknown-field", [tool(strict=True)], [tool(behavior="BLOCKING")]),
    ("declaration-no-description", [tool(description="")], [GOOD]),
    (
        "declaration-params-both",
        [tool(parametersJsonSchema={})],
        [tool(parameters=None, parametersJsonSchema={})],
    ),
    ("declaration-behavior-invalid", [tool(behavior="ASYNC")], [tool(behavior="NON_BLOCKING")]),
    ("declaration-type-invalid", [of({"type": "enum"})], [of({"type": "string"})]),
    ("declaration-type-invalid", [of({"type": ["STRING", "NULL"]})], [of(STRING | {"nullable": True})]),
    ("declaration-type-lowercase", [of({"type": "string"})], [of(STRING)]),
    ("declaration-type-missing", [of({"enum": ["a"]})], [of({"anyOf": [STRING]})]),
    ("declaration-items-missing", [of({"type": "ARRAY"})], [of({"type": "ARRAY", "items": STRING})]),
    (
        "declaration-enum-not-string",
        [of({"type": "INTEGER", "enum": [1]})],
        [of({"type": "INTEGER", "enum": ["1"]})],
    ),
    ("declaration-required-unknown", [of(STRING, required=["zone"])], [of(STRING, required=["q"])]),
    ("declaration-empty-object", [of({"type": "OBJECT"})], [tool(parameters=None)]),
    ("declaration-unsupported-keyword", [of(STRING | {"const": "a"})], [of(STRING | {"min_length": "1"})]),
    ("declaration-format", [of(STRING | {"format": "uri"})], [of(STRING | {"format": "date-time"})]),
    (
        "declaration-param-name",
        [tool(parameters={"type": "OBJECT", "properties": {"time-zone": STRING}})],
        [tool(parameters={"type": "OBJECT", "properties": {"time_zone": STRING}})],
    ),
    ("declaration-dup-name", [GOOD, GOOD], [GOOD, tool(name="other")]),
    (
        "declaration-too-many",
        [tool(name=f"f{number}") for number in range(513)],
        [tool(name=f"f{number}") for number in range(512)],
    ),
]


@pytest.mark.parametrize(("code", "wrong", "right"), CASES)
def test_a_rule_speaks_and_is_silent_beside_it(
    code: str, wrong: list[dict[str, Any]], right: list[dict[str, Any]]
) -> None:
    assert code in codes(*wrong)
    assert code not in codes(*right)


def test_real_json_schema_is_not_held_to_the_other_schema() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": ["object"], "properties": {}}

    assert codes(tool(parameters=None, parametersJsonSchema=schema)) == set()


def test_nested_schemas_are_judged_where_they_stand() -> None:
    text = json.dumps(
        {
            "functionDeclarations": [
                of({"type": "ARRAY", "items": {"type": "OBJECT", "properties": {"x": {"type": "map"}}}})
            ]
        }
    )

    finding = next(f for f in workbench.extract(text).findings if f.code == "declaration-type-invalid")
    assert finding.at.pointer.endswith("/parameters/properties/q/items/properties/x/type")


def test_a_setup_and_a_contract_are_judged_by_the_same_rules() -> None:
    wrong = tool(strict=True)
    setup = json.dumps({"setup": {"model": "models/x", "tools": [{"functionDeclarations": [wrong]}]}})
    call = '{"toolCall": {"functionCalls": [{"id": "a", "name": "set_light", "args": {"room": "kitchen"}}]}}'

    assert "declaration-unknown-field" in {f.code for f in workbench.extract(setup).findings}
    report = workbench.extract(call, json.dumps({"functionDeclarations": [wrong]}))
    assert ("declaration-unknown-field", "contracts") in {(f.code, f.at.input) for f in report.findings}
    assert report.calls[0].verdict == "accept"
