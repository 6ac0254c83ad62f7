"""Declared tools: which rule speaks on which declaration, wherever it stands."""

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
MORE = [
    ("declaration-name-charset", [tool(name="1st")], [tool(name="a.b:c-d")]),
    ("declaration-name-long", [tool(name="a" * 65)], [tool(name="a" * 64)]),
    ("declaration-no-description", [tool(description="")], [GOOD]),
    ("declaration-params-both", [tool(response={}, responseJsonSchema={})], [tool(response={})]),
    ("declaration-type-invalid", [of({"type": "enum"})], [of({"type": "string"})]),
    ("declaration-type-missing", [of({"enum": ["a"]})], [of({"anyOf": [STRING]})]),
    ("declaration-unsupported-keyword", [of(STRING | {"const": "a"})], [of(STRING | {"min_length": "1"})]),
    ("declaration-format", [of(STRING | {"format": "uri"})], [of(STRING | {"format": "date-time"})]),
    ("declaration-empty-object", [of({"type": "OBJECT"})], [tool(parameters=None)]),
    (
        "declaration-too-many",
        [tool(name=f"f{number}") for number in range(513)],
        [tool(name=f"f{number}") for number in range(512)],
    ),
]
"""Other ways to be wrong, and near misses; what each rule shows itself is tested in tests/test_rules.py."""


@pytest.mark.parametrize(("code", "wrong", "right"), MORE)
def test_a_rule_knows_other_ways_to_be_wrong_and_near_misses(
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
