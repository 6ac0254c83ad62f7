"""Mutants judged, and which case guards which keyword."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from app import workbench
from app.model import Options, Status
from app.reports import MutantsReport
from tests.bench.core import CONTRACTS

LIGHT = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
LIGHT_CASES = json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8"))


def report(parameters: Any, cases: Any = None, **more: Any) -> MutantsReport:
    contract = {"name": "tool", "parameters": parameters, "cases": cases, **more}
    return workbench.mutants(json.dumps({key: value for key, value in contract.items() if value is not None}))


def unguarded(report: MutantsReport) -> dict[str, tuple[str, str | None, bool]]:
    return {each.schema_pointer: (each.keyword, each.mutant, each.redundant) for each in report.unguarded}


def table(report: MutantsReport) -> dict[str, str]:
    return {each.schema_pointer: each.guarded for each in report.keywords}


def codes(report: MutantsReport) -> list[str]:
    return [finding.code for finding in report.findings]


def test_the_light_contract_refuses_all_and_two_of_its_keywords_are_unguarded() -> None:
    found = report(LIGHT, LIGHT_CASES)

    assert (found.status, found.killed, found.total, found.score) == (Status.GREEN, 14, 14, 1.0)
    assert found.complete
    assert unguarded(found) == {
        "/required": ("required", "missing-key /room", False),
        "/properties/room/type": ("type", None, True),
    }
    assert codes(found) == ["keyword-unguarded"], "of what is said twice nothing is told"


def test_the_guard_table_says_which_keyword_refuses_which_case() -> None:
    found = report(LIGHT, LIGHT_CASES)

    assert table(found) == {
        "/type": "yes",
        "/additionalProperties": "yes",
        "/required": "no",
        "/properties/room/type": "no",
        "/properties/room/enum": "yes",
        "/properties/on/type": "yes",
    }
    assert {each.case: (each.refused_by, each.needs, each.wants) for each in found.guards} == {
        "unknown_room": (("/properties/room/enum",), ("/properties/room/enum",), ()),
        "extra_field": (("/additionalProperties",), ("/additionalProperties",), ()),
        "wrong_type": (("/properties/on/type",), ("/properties/on/type",), ()),
        "args_as_string": (("/type",), ("/type",), ()),
    }


def test_a_case_that_gets_in_wants_a_keyword_that_is_not_there() -> None:
    opened = {key: value for key, value in LIGHT.items() if key != "additionalProperties"}
    found = report(opened, LIGHT_CASES)

    assert table(found)["/additionalProperties"] == "absent"
    row = next(each for each in found.guards if each.case == "extra_field")
    assert (row.refused_by, row.needs, row.wants) == ((), (), ("/additionalProperties",))
    assert found.killed == found.total - 1
    assert "mutant-accepted" in codes(found)


def test_a_case_refused_twice_needs_neither_keyword_alone() -> None:
    both = {"type": "object", "required": ["a"], "minProperties": 1, "properties": {"a": {}}}
    found = report(both, {"ok": {"a": 1}, "nothing": {}})

    row = found.guards[0]
    assert set(row.refused_by) == {"/required", "/minProperties"}
    assert row.needs == ()
    assert {"/required", "/minProperties"} <= unguarded(found).keys()


@pytest.mark.parametrize(
    ("parameters", "cases", "guarded"),
    [
        ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, {"ok": "a", "few": 2}, "/anyOf/1/minimum"),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"minimum": 3}}}, {"ok": 4, "few": 2}, "/$defs/n/minimum"),
        ({"not": {"type": "string"}}, {"ok": 4, "text": "a"}, "/not"),
        ({"contains": {"type": "string"}}, {"ok": ["a"], "none": [1]}, "/contains"),
        ({"properties": {"a": {"items": {"const": 1}}}}, {"ok": {"a": [1]}, "b": {"a": [2]}},
         "/properties/a/items/const"),
        ({"prefixItems": [{}], "items": False}, {"ok": [1], "two": [1, 2]}, "/items"),
        ({"oneOf": [{"minimum": 3}, {"maximum": 5}]}, {"ok": 1, "both": 4}, "/oneOf"),
        # Of branches that exclude each other, the accepted case is what turns.
        ({"oneOf": [{"minimum": 3}, {"maximum": 2}]}, {"ok": 1}, "/oneOf/0/minimum"),
        ({"patternProperties": {"^x": {"type": "string"}}}, {"ok": {"x": "a"}, "b": {"x": 1}},
         "/patternProperties/^x/type"),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"ok": {"a": 1, "b": 1}, "c": {"a": 1}},
         "/then/required"),
    ],
)  # fmt: skip
def test_keywords_in_branches_and_behind_references_are_guarded_too(
    parameters: Any, cases: Any, guarded: str
) -> None:
    assert table(report(parameters, cases))[guarded] == "yes"


@pytest.mark.parametrize(
    ("parameters", "not_listed"),
    [
        ({"not": {"type": "string"}}, "/not/type"),
        ({"if": {"type": "string"}, "then": {"minLength": 1}}, "/if/type"),
        ({"contains": {"type": "string"}}, "/contains/type"),
        ({"$defs": {"unused": {"type": "string"}}}, "/$defs/unused/type"),
        ({"additionalProperties": {"type": "string"}}, "/additionalProperties"),
        ({"additionalProperties": True}, "/additionalProperties"),
        ({"format": "date"}, "/format"),
        ({"properties": {"type": {}}}, "/properties/type"),
    ],
)
def test_what_refuses_nothing_by_itself_is_no_column(parameters: Any, not_listed: str) -> None:
    assert not_listed not in table(report(parameters, {"ok": []}))


def test_formats_count_where_they_are_asserted() -> None:
    text = json.dumps(
        {"name": "t", "parameters": {"format": "date"}, "cases": {"ok": "2026-12-01", "b": "x"}}
    )
    asserted = workbench.mutants(text, Options(assert_formats=True))
    assert table(asserted) == {"/format": "yes"}


def test_a_survivor_is_told_at_the_place_in_the_contract_that_misses_a_keyword() -> None:
    parameters = '{\n"properties": {\n"a": {"type": "integer"}}}'
    found = workbench.mutants(
        f'{{\n"name": "t",\n"parameters": {parameters},\n"cases": {{"ok": {{"a": 1}}}}}}'
    )
    lines = {finding.message.split(",")[0]: finding.at.line for finding in found.findings if finding.keyword}

    assert lines["missing-key /a"] == 3
    assert lines["extra-key"] == 3
    assert found.status is Status.GREEN, "a neighbour that gets in is told, and turns nothing red"


def test_two_cases_broken_alike_are_told_once() -> None:
    found = report({"type": "object"}, {"ok": {"a": 1}, "ok too": {"a": 2}})
    told = [finding.message for finding in found.findings if finding.code == "mutant-accepted"]
    assert len([message for message in told if message.startswith("extra-key")]) == 1
    assert len([each for each in found.mutants if each.operator == "extra-key"]) == 2


def test_a_gemini_declaration_is_broken_and_guarded_as_it_judges() -> None:
    parameters = {
        "type": "OBJECT",
        "required": ["room"],
        "properties": {
            "room": {"type": "STRING", "enum": ["kitchen"]},
            "level": {"type": "INTEGER", "nullable": True},
        },
    }
    found = report(parameters, {"ok": {"room": "kitchen", "level": 3}, "extra": {"room": "kitchen", "x": 1}})
    mutants = {each.name: each.killed for each in found.mutants}

    assert mutants["extra-key"]
    assert mutants["other-case /room"]
    assert "null /level" not in mutants
    assert table(found)["/additionalProperties"] == "yes", "it is closed for judging"


def test_without_an_accepted_case_nothing_can_be_broken() -> None:
    found = report(LIGHT, {"unknown_room": {"room": "garage", "on": True}})
    assert (found.status, found.total, found.score) == (Status.IDLE, 0, None)
    assert table(found)["/properties/room/enum"] == "yes"
    assert report(LIGHT).status is Status.IDLE


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"name": "t", "parameters": {"type": "nothing"}}', '{"name": "t", "cases": 3}'],
)
def test_a_contract_that_cannot_judge_is_red(text: str) -> None:
    found = workbench.mutants(text)
    assert found.status is Status.RED
    assert found.total == 0


def test_a_mutant_that_cannot_be_judged_is_red_and_not_counted_as_refused() -> None:
    hard = {"pattern": "^(?=(a+)+$)a"}
    found = report({"properties": {"a": hard}}, {"ok": {"a": "a" * 30}})
    assert found.complete
    assert "not-judged" not in codes(found) or found.status is Status.RED


def test_half_a_surrogate_pair_is_taken_away_as_any_keyword() -> None:
    text = (
        '{"name": "t", "parameters": {"properties": {"\\ud800": {"const": "\\udfff"}}}, '
        '"cases": {"ok": {"\\ud800": "\\udfff"}, "bad": {"\\ud800": "x"}}}'
    )
    assert table(workbench.mutants(text)) == {"/properties/\ud800/const": "yes"}


def test_a_huge_contract_is_tried_in_part_and_says_so() -> None:
    parameters = {"properties": {f"p{n}": {"enum": [f"a{n}", "b"]} for n in range(3000)}}
    found = report(parameters, {"ok": {f"p{n}": "b" for n in range(3000)}})
    assert not found.complete
    assert found.total > 40


@pytest.mark.parametrize("name", ["set_light", "lookup_stock"])
def test_no_keyword_of_the_samples_can_be_lost_unnoticed(name: str) -> None:
    """Without it a case or a neighbour turns, or it is proven to say nothing new."""
    schema, cases = (
        json.loads((CONTRACTS / f"{name}{end}.json").read_text(encoding="utf-8")) for end in ("", ".cases")
    )
    found = report(schema, cases)
    assert found.keywords
    assert [each for each in found.unguarded if each.mutant is None and not each.redundant] == []


def test_over_http(client: httpx.Client) -> None:
    contract = {"name": "set_light", "parameters": LIGHT, "cases": LIGHT_CASES}
    answer = client.post("/api/mutants", json={"contract": contract}).json()

    assert (answer["status"], answer["killed"], answer["total"], answer["score"]) == ("green", 14, 14, 1.0)
    assert answer["unguarded"][0]["schema_pointer"] == "/required"
    first = answer["mutants"][3]
    assert (first["name"], first["payload"], first["killed"]) == ("missing-key /room", {"on": True}, True)
    assert client.post("/api/mutants", json={}).status_code == 422
    assert client.post("/api/mutants", json={"contract_text": "{"}).json()["status"] == "red"
