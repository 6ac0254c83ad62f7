"""Two schemas compared: which way it went, and a payload that shows it."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import engine, workbench
from app.cursor import Cursor
from app.model import Status, Verdict
from app.reports import DiffReport
from tests.bench.core import CONTRACTS

LIGHT = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
LIGHT_CASES = json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8"))


def compared(before: Any, after: Any, cases: Any = None) -> DiffReport:
    report = workbench.diff(
        json.dumps(before), json.dumps(after), None if cases is None else json.dumps(cases)
    )
    for witness in report.witnesses:
        for schema, verdict in ((before, witness.before), (after, witness.after)):
            prepared = engine.prepare(Cursor.of(json.dumps(schema)))
            assert engine.verdict(prepared, Cursor.of(witness.payload.text)) is verdict
    return report


def changed(schema: Any, **keywords: Any) -> Any:
    """Return the schema with keywords set, or taken away where None."""
    return {key: value for key, value in {**schema, **keywords}.items() if value is not None}


def room(**keywords: Any) -> Any:
    properties = {**LIGHT["properties"], "room": changed(LIGHT["properties"]["room"], **keywords)}
    return changed(LIGHT, properties=properties)


@pytest.mark.parametrize(
    ("before", "after", "relation"),
    [
        (LIGHT, LIGHT, "same"),
        (LIGHT, changed(LIGHT, title="Light"), "same"),
        (LIGHT, room(type=None), "same"),
        (LIGHT, changed(LIGHT, additionalProperties=None), "wider"),
        (LIGHT, changed(LIGHT, required=["on"]), "wider"),
        (LIGHT, room(enum=["kitchen", "bedroom"]), "narrower"),
        (LIGHT, room(enum=["living_room", "kitchen", "bedroom", "bath"]), "wider"),
        (LIGHT, room(enum=["living_room", "kitchen", "bath"]), "both"),
        (LIGHT, changed(LIGHT, additionalProperties=None, maxProperties=1, required=None), "both"),
        (True, False, "narrower"),
        ({"minimum": 1}, {"minimum": 2}, "narrower"),
        ({"minimum": 1}, {"exclusiveMinimum": 1}, "narrower"),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "exclusiveMinimum": 0}, "same"),
        ({"maxLength": 3}, {"maxLength": 5}, "wider"),
        ({"type": "string"}, {"type": ["string", "null"]}, "wider"),
        ({"items": {"minimum": 1}}, {"items": {"minimum": 1}, "maxItems": 2}, "narrower"),
        ({"properties": {"a": {"properties": {"b": {"multipleOf": 2}}}}},
         {"properties": {"a": {"properties": {"b": {"multipleOf": 3}}}}}, "both"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["null", "string"]}, "same"),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"minimum": 1}}}, {"minimum": 0}, "wider"),
    ],
)  # fmt: skip
def test_the_relation_has_a_witness_for_each_direction(before: Any, after: Any, relation: str) -> None:
    report = compared(before, after)

    assert report.relation == relation
    directions = {(witness.before, witness.after) for witness in report.witnesses}
    assert ((Verdict.REFUSE, Verdict.ACCEPT) in directions) == (relation in ("wider", "both"))
    assert ((Verdict.ACCEPT, Verdict.REFUSE) in directions) == (relation in ("narrower", "both"))
    assert report.status is Status.GREEN


def test_cases_that_turn_are_named() -> None:
    report = compared(LIGHT, changed(LIGHT, additionalProperties=None), LIGHT_CASES)
    assert [(each.case, each.before, each.after) for each in report.witnesses] == [
        ("extra_field", Verdict.REFUSE, Verdict.ACCEPT)
    ]


def test_a_case_finds_what_nothing_else_would() -> None:
    before, after = {"pattern": "^[A-Z]{2}-[0-9]{2}$"}, {"pattern": "^[A-Z]{2}-[0-9]{2,3}$"}
    report = compared(before, after, {"ok": "BX-190"})
    assert (report.relation, report.witnesses[0].case) in (("wider", "ok"), ("not-proven", "ok"))


def test_changes_are_told_down_to_the_keyword() -> None:
    after = room(enum=["kitchen"], minLength=2)
    after["properties"]["level"] = {"type": "integer"}
    del after["additionalProperties"]
    report = compared(LIGHT, after)

    assert [(each.schema_pointer, each.pointer, each.keyword, each.reason) for each in report.changes] == [
        ("/additionalProperties", "", "additionalProperties", "removed"),
        ("/properties/level", "/level", "level", "added"),
        ("/properties/room/minLength", "/room", "minLength", "added"),
        ("/properties/room/enum", "/room", "enum", "changed"),
    ]
    enum = report.changes[-1]
    assert enum.before is not None
    assert json.loads(enum.before.text) == ["living_room", "kitchen", "bedroom"]


def test_the_order_of_keys_is_no_change() -> None:
    assert compared(LIGHT, dict(reversed(LIGHT.items()))).changes == ()


def test_what_the_prover_does_not_decide_is_not_proven() -> None:
    one = {"unevaluatedProperties": False, "$ref": "#/$defs/n", "$defs": {"n": {"properties": {"a": {}}}}}
    report = compared(one, {**one, "title": "the same"})
    assert (report.relation, report.witnesses) == ("not-proven", ())


@pytest.mark.parametrize(
    ("before", "after", "cases", "input"),
    [
        ("{", "{}", None, "before"),
        ("{}", "", None, "after"),
        ("{}", '{"type": "nothing"}', None, "after"),
        ('{"$ref": "http://example.com/x"}', "{}", None, "before"),
        ("{}", "{}", "3", "cases"),
        ("{}", "{}", "{", "cases"),
    ],
)
def test_what_cannot_be_compared_is_red(before: str, after: str, cases: str | None, input: str) -> None:
    report = workbench.diff(before, after, cases)
    assert report.status is Status.RED
    assert {finding.at.input for finding in report.findings} == {input}


def test_half_a_surrogate_pair_is_compared() -> None:
    report = workbench.diff('{"enum": ["\\ud800"]}', '{"enum": ["\\ud801"]}')
    assert report.relation == "both"
    assert {each.payload.text for each in report.witnesses} == {'"\\ud800"', '"\\ud801"'}


def test_two_contracts_of_300_properties_take_no_second() -> None:
    before = {"type": "object", "properties": {f"p{n}": {"enum": ["a", "b"]} for n in range(300)}}
    after = json.loads(json.dumps(before))
    after["properties"]["p299"]["enum"] = ["a"]
    report = compared(before, after)
    assert (report.relation, len(report.witnesses)) == ("narrower", 1)
    assert report.witnesses[0].payload.text == '{"p299": "b"}'


def test_a_schema_that_refers_to_itself_is_compared() -> None:
    tree = {"type": "object", "required": ["child"], "properties": {"child": {"$ref": "#"}}}
    assert compared(tree, {**tree, "maxProperties": 1}).relation in ("narrower", "not-proven", "same")


def test_over_http(client: httpx.Client) -> None:
    body = {"before": LIGHT, "after": changed(LIGHT, additionalProperties=None), "cases": LIGHT_CASES}
    answer = client.post("/api/diff", json=body).json()

    assert (answer["status"], answer["relation"]) == ("green", "wider")
    assert answer["witnesses"][0]["payload"] == LIGHT_CASES["extra_field"]
    assert client.post("/api/diff", json={"before": {}}).status_code == 422
    assert (
        client.post("/api/diff", json={"before": True, "after_text": "false"}).json()["relation"]
        == "narrower"
    )


# For any two schemas ---------------------------------------------------------------

leaves = st.sampled_from(
    [
        {}, True, False, {"type": "string"}, {"type": ["integer", "null"]}, {"enum": ["a", 1, None]},
        {"const": {"a": 1}}, {"minimum": 0, "maximum": 5}, {"exclusiveMinimum": 0}, {"multipleOf": 2},
        {"minLength": 1}, {"maxLength": 1}, {"maxItems": 1}, {"minItems": 1}, {"uniqueItems": True},
        {"required": ["a"]}, {"additionalProperties": False}, {"maxProperties": 1}, {"pattern": "^a"},
    ]
)  # fmt: skip
schemas = st.recursive(
    leaves,
    lambda inner: (
        st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2)})
        | st.fixed_dictionaries({"items": inner})
        | st.fixed_dictionaries({"not": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
        | st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)})
    ),
    max_leaves=4,
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(schemas, schemas)
def test_witnesses_hold_and_the_other_way_round_is_the_other_way_round(before: Any, after: Any) -> None:
    there, back = compared(before, after), compared(after, before)
    turned = {"narrower": "wider", "wider": "narrower"}

    assert back.relation == turned.get(there.relation, there.relation)
    directions = {witness.after for witness in there.witnesses}
    allowed = {
        "same": set(),
        "narrower": {Verdict.REFUSE},
        "wider": {Verdict.ACCEPT},
        "both": {Verdict.ACCEPT, Verdict.REFUSE},
        "not-proven": {Verdict.ACCEPT, Verdict.REFUSE},
    }
    assert directions <= allowed[there.relation]
    assert compared(before, before).relation in ("same", "not-proven")
