"""Mutants: one thing broken beside an accepted case, and nothing that the cases show to be free."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import cases, contract, engine, mutants
from app.model import Options, Verdict
from app.mutants import Mutant, neighbours
from tests.bench.core import CONTRACTS

LIGHT = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
LIGHT_CASES = json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8"))

Judged = dict[str, tuple[str, Any, bool]]


def read(parameters: Any, pinned: Any) -> contract.Contract:
    text = json.dumps({"name": "tool", "parameters": parameters, "cases": pinned})
    return contract.read(text, Options(), input="contract").items[0]


def judged(parameters: Any, pinned: Any) -> Judged:
    """Return, for each mutant by name, its keyword, its payload and whether the contract refuses it."""
    given = read(parameters, pinned)
    schema = cases.part_of(given, "parameters")
    assert schema is not None
    return {
        each.name: (
            each.keyword,
            each.payload.value,
            engine.verdict(schema.prepared, each.payload) is Verdict.REFUSE,
        )
        for each in mutants.mutants(given)
    }


def test_the_light_contract_refuses_every_neighbour_of_its_ok_case() -> None:
    found = judged(LIGHT, LIGHT_CASES)

    assert {name: keyword for name, (keyword, _, _) in found.items()} == {
        "wrong-type": "type",
        "null": "type",
        "encoded-as-string": "type",
        "missing-key /room": "required",
        "missing-key /on": "required",
        "extra-key": "additionalProperties",
        "wrong-type /room": "type",
        "null /room": "type",
        "near-miss /room": "enum",
        "other-case /room": "enum",
        "padded-string /room": "enum",
        "empty-string /room": "enum",
        "wrong-type /on": "type",
        "null /on": "type",
    }
    assert all(refused for _, _, refused in found.values())


@pytest.mark.parametrize(
    ("parameters", "case", "name", "keyword", "payload"),
    [
        ({}, {"a": True}, "missing-key /a", "required", {}),
        ({}, {}, "extra-key", "additionalProperties", {"extra": True}),
        ({"properties": {"extra": {}}}, {}, "extra-key", "additionalProperties", {"extra_2": True}),
        ({}, {"a": "x"}, "near-miss /a", "enum", {"a": "xx"}),
        ({}, {"a": "x"}, "empty-string /a", "minLength", {"a": ""}),
        ({}, {"a": 1}, "number-as-string /a", "type", {"a": "1"}),
        ({}, {"a": {"b": 1}}, "encoded-as-string /a", "type", {"a": '{"b": 1}'}),
        ({}, {"a": {"b": 1}}, "null /a/b", "type", {"a": {"b": None}}),
        ({"properties": {"a": {"const": "x"}}}, {"a": "x"}, "other-case /a", "const", {"a": "X"}),
        ({"properties": {"a": {"pattern": "^x$"}}}, {"a": "x"}, "padded-string /a", "pattern", {"a": "x "}),
        ({"properties": {"a": {"enum": [1, 2]}}}, {"a": 1}, "near-miss /a", "enum", {"a": 3}),
        ({"properties": {"a": {"type": "integer"}}}, {"a": 3}, "fraction /a", "type", {"a": 3.5}),
        ({"properties": {"a": {"minimum": 1}}}, {"a": 3}, "too-small /a", "minimum", {"a": 0}),
        ({"properties": {"a": {"maximum": 9.5}}}, {"a": 3}, "too-large /a", "maximum", {"a": 10.5}),
        ({"properties": {"a": {"exclusiveMinimum": 0}}},
         {"a": 3}, "too-small /a", "exclusiveMinimum", {"a": 0}),
        ({"properties": {"a": {"multipleOf": 5}}}, {"a": 5}, "not-a-multiple /a", "multipleOf", {"a": 6}),
        ({"properties": {"a": {"maxLength": 3}}}, {"a": "ab"}, "too-long /a", "maxLength", {"a": "abbb"}),
        ({"properties": {"a": {"minLength": 2}}}, {"a": "abc"}, "too-short /a", "minLength", {"a": "a"}),
        ({"properties": {"a": {"maxItems": 2}}}, {"a": [1]}, "extra-item /a", "maxItems", {"a": [1, 1, 1]}),
        ({"properties": {"a": {"minItems": 2}}}, {"a": [1, 2]}, "missing-item /a", "minItems", {"a": [1]}),
        ({"properties": {"a": {"uniqueItems": True}}},
         {"a": [1]}, "repeated-item /a", "uniqueItems", {"a": [1, 1]}),
        ({"properties": {"a": {"prefixItems": [{}]}}}, {"a": [1]}, "extra-item /a", "items", {"a": [1, 1]}),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"a": {"minimum": 0}}}}},
         {"a": 1}, "too-small /a", "minimum", {"a": -1}),
        ({"properties": {"a": {"anyOf": [{"type": "null"}, {"maximum": 4}]}}},
         {"a": 1}, "too-large /a", "maximum", {"a": 5}),
        ({"properties": {"a": {"items": {"properties": {"b": {"maximum": 4}}}}}},
         {"a": [{"b": 1}, {"b": 2}]}, "too-large /a/0/b", "maximum", {"a": [{"b": 5}, {"b": 2}]}),
    ],
)  # fmt: skip
def test_one_thing_is_broken(parameters: Any, case: Any, name: str, keyword: str, payload: Any) -> None:
    assert judged(parameters, {"ok": case})[name][:2] == (keyword, payload)


@pytest.mark.parametrize(
    ("parameters", "ok", "silent"),
    [
        # What another accepted case shows is free.
        ({}, [{"a": 1}, {}], "missing-key /a"),
        ({}, [{"a": "x"}, {"a": "y"}], "near-miss /a"),
        ({}, [{"a": [1]}, {"a": [1, 2]}], "extra-item /a"),
        # What the contract allows.
        ({"additionalProperties": {"type": "string"}}, [{"a": "x"}], "extra-key"),
        ({"additionalProperties": {"type": "string"}}, [{"a": "x"}], "missing-key /a"),
        ({"properties": {"a": {"type": ["string", "null"]}}}, [{"a": "x"}], "null /a"),
        ({"properties": {"a": {"type": ["string", "number"]}}}, [{"a": 1}], "number-as-string /a"),
        ({"properties": {"a": {"type": "number"}}}, [{"a": 1}], "fraction /a"),
        ({"properties": {"a": {"enum": ["x", "X"]}}}, [{"a": "x"}], "other-case /a"),
        ({"properties": {"a": {"maxLength": 9}}}, [{"a": "x"}], "near-miss /a"),
        ({"properties": {"a": {"format": "date"}}}, [{"a": "2026-12-01"}], "near-miss /a"),
        # What would be too much of a thing.
        ({"properties": {"a": {"maxLength": 10**9}}}, [{"a": "x"}], "too-long /a"),
        ({"properties": {"a": {"maximum": 10**60}}}, [{"a": 1}], "too-large /a"),
        # The same value again.
        ({"properties": {"a": {"enum": ["7", "8"]}}}, [{"a": "7"}], "other-case /a"),
    ],
)
def test_what_is_free_is_no_break(parameters: Any, ok: list[Any], silent: str) -> None:
    pinned = [{"name": f"ok {index}", "payload": payload} for index, payload in enumerate(ok)]
    found = judged(parameters, pinned)
    assert found
    assert silent not in found


def test_only_cases_that_must_be_accepted_and_are_have_neighbours() -> None:
    assert judged(LIGHT, {"unknown_room": {"room": "garage", "on": True}}) == {}
    assert judged(LIGHT, {"ok": {"room": "garage", "on": True}}) == {}
    assert judged(LIGHT, {}) == {}
    assert mutants.mutants(read({"type": "nothing"}, {"ok": {}})) == ()


def test_a_neighbour_that_is_an_accepted_case_itself_is_none() -> None:
    schema = {"properties": {"a": {"type": ["string", "null"]}}}
    both = judged(schema, {"ok": {"a": "x"}, "ok empty": {"a": ""}})
    assert "empty-string /a" not in both
    assert "empty-string /a" in judged(schema, {"ok": {"a": "x"}})


def test_of_many_cases_each_place_is_broken_before_one_is_broken_twice() -> None:
    schema = {"properties": {f"p{number}": {"enum": ["a", "b"]} for number in range(40)}}
    pinned = {f"ok {n}": {f"p{m}": "ab"[(n * m) % 2] for m in range(40)} for n in range(300)}
    made = mutants.mutants(read(schema, pinned))
    first_cases = {each.pointer for each in made if each.case == "ok 0"}

    assert len(made) < mutants.MUTANTS + 20
    assert {f"/p{number}" for number in range(40)} <= first_cases
    assert len({each.name for each in made}) == len(made)


def test_whether_all_were_made_is_told() -> None:
    schema = cases.part_of(read({}, {}), "parameters")
    assert schema is not None

    def complete(pinned: Any) -> bool:
        at = read({}, pinned).cases
        assert at is not None
        return neighbours(schema, cases.read_cases(at, [])).complete

    assert complete({"ok": {"a": 1}})
    assert not complete({f"ok {number}": {f"a{number}": number} for number in range(mutants.CASES + 1)})
    assert not complete({"ok": {f"a{number}": "x" for number in range(mutants.MUTANTS)}})


def test_a_long_array_is_broken_at_one_item_of_each_kind() -> None:
    found = judged({"items": {"type": ["integer", "string"]}, "type": "array"}, {"ok": [*range(40), "x"]})
    assert [name for name in found if name.startswith("null /")] == ["null /0", "null /40"]


def test_a_value_at_the_deepest_level_is_not_made_deeper() -> None:
    deep = '{"payload_text": "%s", "name": "ok"}' % ("[" * 256 + "]" * 256)
    text = f'{{"name": "tool", "parameters": {{"type": "array"}}, "cases": [{deep}]}}'
    made = mutants.mutants(contract.read(text, Options(), input="contract").items[0])
    assert made
    assert all(each.payload.text for each in made)


def test_lexemes_escapes_and_layout_of_the_rest_stay() -> None:
    payload = '{\n    "a": 1.10,\n    "b\\u0020": "\\u00e9"\n  }'
    text = f'{{"name": "tool", "parameters": {{}}, "cases": {{"ok": {payload}}}}}'
    made = mutants.mutants(contract.read(text, Options(), input="contract").items[0])
    texts = {each.name: each.payload.text for each in made}

    assert texts["missing-key /a"] == '{\n    "b\\u0020": "\\u00e9"\n  }'
    assert texts["missing-key /b "] == '{\n    "a": 1.10\n  }'
    assert texts["extra-key"] == '{\n    "a": 1.10,\n    "b\\u0020": "\\u00e9",\n    "extra": true\n  }'
    assert texts["number-as-string /a"] == '{\n    "a": "1.10",\n    "b\\u0020": "\\u00e9"\n  }'


# For any contract and any payload ---------------------------------------------------

leaves = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "Ab", "é", "\ud800", "~/"])
)
payloads = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab~/*0", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
schemas = st.recursive(
    st.sampled_from(
        [
            {}, True, {"type": "object"}, {"type": ["string", "null"]}, {"enum": ["a", 1]}, {"maxItems": 2},
            {"minItems": 1, "uniqueItems": True}, {"minimum": 0, "maximum": 5}, {"multipleOf": 0.5},
            {"maxLength": 2}, {"minLength": 1}, {"pattern": "^a"}, {"type": "integer"},
        ]
    ),
    lambda inner: st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("ab"), inner)})
    | st.fixed_dictionaries({"items": inner})
    | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
    | st.fixed_dictionaries({"additionalProperties": inner}),
    max_leaves=5,
)  # fmt: skip


def differences(one: Any, other: Any, place: str = "") -> list[str]:
    """Return the smallest places at which two values differ; a container of another size is one place."""
    if type(one) is type(other) and isinstance(one, dict):
        changed = [key for key in one.keys() & other.keys() if differences(one[key], other[key])]
        only = one.keys() ^ other.keys()
        if only:
            return [place] * len(only) + [f"{place}/{key}" for key in changed]
        return [each for key in changed for each in differences(one[key], other[key], f"{place}/{key}")]
    if type(one) is type(other) and isinstance(one, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [each for index, (a, b) in pairs for each in differences(a, b, f"{place}/{index}")]
    return [] if type(one) is type(other) and one == other else [place]


@settings(deadline=None, derandomize=True, max_examples=300)
@given(schemas, payloads)
def test_a_mutant_differs_from_its_case_in_exactly_one_place(parameters: Any, payload: Any) -> None:
    made: tuple[Mutant, ...] = mutants.mutants(read(parameters, {"ok": payload}))
    case = json.loads(json.dumps(payload))

    for each in made:
        assert len(differences(case, each.payload.value)) == 1, each
    assert len({each.name for each in made}) == len(made)
    assert not any(cases.OK_NAME.match(each.name) for each in made)
