"""Whatever a contract and its cases hold, judging them comes to an answer, and the answer is JSON."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import workbench
from app.json_answer import to_json

steady = settings(
    deadline=None, derandomize=True, max_examples=250, suppress_health_check=[HealthCheck.too_slow]
)

lexemes = st.sampled_from(
    [
        "0",
        "-0",
        "1",
        "-1",
        "1.0",
        "1.10",
        "0.1",
        "1e400",
        "1e-7",
        "-1E+30",
        "1e99999",
        "123456789012345678901234567890",
    ]
)
texts = st.sampled_from(
    ['""', '"a"', '"A b"', '"\\ud800"', '"é"', '"😀"', '"~/"', '"*"', '"{\\"a\\": 1}"', '"2026-12-01"']
)
scalars = lexemes | texts | st.sampled_from(["true", "false", "null", "NaN"])
keys = st.sampled_from(['"a"', '"b"', '"*"', '"0"', '"~/"', '"\\ud800"', '"extra"', '""'])


def container(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    array = st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
    return array | members(keys, inner)


def members(names: st.SearchStrategy[str], values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.lists(st.tuples(names, values), max_size=3)
    return pairs.map(lambda found: "{" + ", ".join(f"{key}: {value}" for key, value in found) + "}")


payloads = st.recursive(scalars, container, max_leaves=6)
stated = st.one_of(
    st.sampled_from(
        [
            '"type": "object"', '"type": ["string", "null"]',
            '"type": "integer"', '"type": "thing"', '"enum": []',
            '"enum": "a"', '"required": ["a"]',
            '"required": 3', '"additionalProperties": false', '"pattern": "^a"',
            '"pattern": "(?=a)"', '"pattern": "("', '"format": "date"', '"uniqueItems": true', '"$ref": "#"',
            '"$ref": "#/$defs/x"',
            '"$ref": "other.json"', '"$schema": "http://json-schema.org/draft-07/schema#"',
            '"$schema": "http://json-schema.org/draft-04/schema#"', '"unevaluatedProperties": false',
            '"default": {"a": [1]}', '"examples": 3', '"minItems": 1.0', '"exclusiveMinimum": true',
        ]
    ),
    st.tuples(
        st.sampled_from(
            ["minimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxItems", "const"]
        ),
        lexemes,
    ).map(lambda found: f'"{found[0]}": {found[1]}'),
    st.lists(payloads, min_size=1, max_size=3).map(lambda found: f'"enum": [{", ".join(found)}]'),
)  # fmt: skip


def schema(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    below = st.one_of(
        members(keys, inner).map(lambda found: f'"properties": {found}'),
        members(st.just('"^a"'), inner).map(lambda found: f'"patternProperties": {found}'),
        st.tuples(
            st.sampled_from(
                ["items", "not", "if", "then", "contains", "additionalProperties", "propertyNames"]
            ),
            inner,
        ).map(lambda found: f'"{found[0]}": {found[1]}'),
        st.tuples(
            st.sampled_from(["anyOf", "oneOf", "allOf", "prefixItems"]),
            st.lists(inner, min_size=1, max_size=2),
        ).map(lambda found: f'"{found[0]}": [{", ".join(found[1])}]'),
    )
    return st.lists(stated | below, max_size=3).map(lambda found: "{" + ", ".join(found) + "}")


schemas = st.recursive(st.sampled_from(["{}", "true", "false"]) | schema(st.just("{}")), schema, max_leaves=4)
cases = st.lists(
    st.tuples(st.sampled_from(['"ok"', '"ok two"', '"bad"', '"bad two"', '"\\ud800"']), payloads), max_size=4
).map(lambda found: "{" + ", ".join(f"{name}: {value}" for name, value in found) + "}")


def is_json(report: Any) -> dict[str, Any]:
    text = to_json(report)
    text.encode()
    told: dict[str, Any] = json.loads(text)
    assert told["status"] in ("green", "red", "idle")
    return told


@steady
@given(schemas, cases)
def test_any_contract_file_is_judged(parameters: str, pinned: str) -> None:
    text = f'{{"name": "t", "parameters": {parameters}, "cases": {pinned}}}'
    told = is_json(workbench.check(text))
    mutants = is_json(workbench.mutants(text))

    assert told["kind"] == "contract"
    assert mutants["killed"] <= mutants["total"]
    for check in told["contracts"]:
        unexpected = [finding for finding in told["findings"] if finding["severity"] == "error"]
        assert told["status"] != "green" or not unexpected
        assert check["mutants"]["mutants"] == mutants["mutants"]


@steady
@given(schemas, cases)
def test_any_contract_is_tightened_until_its_cases_are_refused(parameters: str, pinned: str) -> None:
    told = is_json(workbench.tighten(schema_text=parameters, cases_text=pinned, until_refused=True))
    assert told["narrower"] in ("yes", "no", "not-proven")
    if told["changes"]:
        assert told["smallest"] is not None


@steady
@given(schemas, schemas, cases)
def test_any_two_schemas_are_compared(before: str, after: str, pinned: str) -> None:
    told = is_json(workbench.diff(before, after, pinned))
    for witness in told["witnesses"]:
        assert {witness["before"], witness["after"]} == {"accept", "refuse"}
