"""Tightening a contract keyword by keyword, and taking it back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cursor import Cursor
from app.infer import infer
from app.json_text import JsonText
from app.model import Raw, Status
from app.reports import Property, TightenReport
from app.tighten import Case, loosen, properties, tighten

LIGHT = """{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "required": ["room", "on"],
  "properties": {
    "room": {
      "type": "string",
      "enum": ["living_room", "kitchen", "bedroom"]
    },
    "on": { "type": "boolean" }
  }
}"""

CASES = {
    "ok": '{"room": "living_room", "on": true}',
    "unknown_room": '{"room": "garage", "on": true}',
    "extra_field": '{"room": "living_room", "on": true, "extra_cmd": "unlock"}',
    "wrong_type": '{"room": "living_room", "on": "开"}',
    "args_as_string": r'"{\"room\":\"living_room\",\"on\":true}"',
}

TEN_LIGHTS = [
    f'{{"room": "{room}", "on": {on}}}'
    for room, on in zip(
        ["living_room", "kitchen", "bedroom", "living_room", "kitchen"] * 2,
        ["true", "false"] * 5,
        strict=True,
    )
]

OPEN_LIGHT = '{"type": "object", "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}}}'


def cursor(text: str) -> Cursor:
    json_text = JsonText(text)
    node, _ = json_text.scan()
    return Cursor(json_text, node)


def tightened(schema: str | None, samples: Sequence[str] = (), **wanted: Any) -> TightenReport:
    return tighten(
        None if schema is None else cursor(schema), [cursor(sample) for sample in samples], **wanted
    )


def text_of(report: TightenReport) -> str:
    assert report.schema is not None
    return report.schema.text


def codes(report: TightenReport) -> list[str]:
    return [finding.code for finding in report.findings]


def same_meaning(one: str, other: str) -> bool:
    canonical = [jsonschema_rs.canonicalize(json.loads(text), offline=True) for text in (one, other)]
    return all(str(a.covers(b)).lower() == "yes" for a, b in (canonical, reversed(canonical)))


def seed_cases() -> list[Case]:
    return [Case(name, cursor(payload), name == "ok") for name, payload in CASES.items()]


# From samples to the contract of the seed ------------------------------------------


def test_ten_lights_tightened_are_the_contract_of_the_seed() -> None:
    report = tightened(None, TEN_LIGHTS, required="observed", enum="observed", additional_properties=False)
    assert report.status is Status.GREEN
    assert report.narrower == "yes"
    assert report.rejected_samples == ()
    assert same_meaning(text_of(report), LIGHT)


def test_each_change_names_its_keyword_its_reason_and_the_cases_it_refuses() -> None:
    report = tightened(None, TEN_LIGHTS, enum="observed", additional_properties=False, cases=seed_cases())
    assert [
        (change.pointer, change.schema_pointer, change.keyword, change.reason, change.refuses)
        for change in report.changes
    ] == [
        ("/room", "/properties/room/enum", "enum", "3 values in 10 samples", ("unknown_room",)),
        ("", "/additionalProperties", "additionalProperties", "0 other keys in 10", ("extra_field",)),
    ]
    assert report.status is Status.GREEN


def test_three_different_rooms_are_observed_too_although_nothing_is_suggested_yet() -> None:
    samples = ['{"room": "kitchen"}', '{"room": "bedroom"}', '{"room": "hall"}']
    report = tightened(None, samples, enum="observed")
    assert json.loads(text_of(report))["properties"]["room"]["enum"] == ["bedroom", "hall", "kitchen"]


def test_sentences_and_ids_are_not_observed() -> None:
    samples = [f'{{"id": "call_{number}", "text": "turn light {number} on"}}' for number in range(20)]
    assert tightened(None, samples, enum="observed").changes == ()


def test_no_sample_and_no_schema_is_red() -> None:
    assert codes(tightened(None)) == ["no-samples"]


# One keyword ----------------------------------------------------------------


def test_required_by_name_and_by_pointer() -> None:
    schema = (
        '{"properties": {"room": {}, "items": {"type": "array", "items": '
        '{"properties": {"qty": {"type": "integer"}}}}}}'
    )
    report = tightened(schema, required=["room", "/items/*/qty"])
    assert [(change.pointer, change.schema_pointer) for change in report.changes] == [
        ("", "/required"),
        ("/items/*", "/properties/items/items/required"),
    ]
    assert text_of(report) == (
        '{"properties": {"room": {}, "items": {"type": "array", "items": '
        '{"properties": {"qty": {"type": "integer"}}, "required": ["qty"]}}}, "required": ["room"]}'
    )


def test_required_all_asks_for_every_named_property() -> None:
    report = tightened(OPEN_LIGHT, TEN_LIGHTS, required="all")
    assert json.loads(text_of(report))["required"] == ["room", "on"]


def test_required_all_passes_over_tuples_and_items() -> None:
    schema = '{"properties": {"pair": {"prefixItems": [{}, {}]}, "list": {"items": {"type": "string"}}}}'
    report = tightened(schema, required="all")
    assert report.findings == ()
    assert json.loads(text_of(report))["required"] == ["pair", "list"]


def test_observed_says_once_that_samples_have_another_type() -> None:
    report = tightened(OPEN_LIGHT, ['{"room": 1}'] * 8, enum="observed")
    assert set(codes(report)) == {"tighten-sample-refused"}
    assert report.changes == ()


def test_required_observed_leaves_out_what_one_sample_lacks() -> None:
    report = tightened(OPEN_LIGHT, [*TEN_LIGHTS, '{"room": "kitchen"}'], required="observed")
    assert json.loads(text_of(report))["required"] == ["room"]
    assert report.changes[0].reason == "room in 11 of 11"


def test_a_required_list_grows_at_its_end() -> None:
    schema = '{"required": ["b"], "properties": {"a": {}, "b": {}}}'
    assert text_of(tightened(schema, required=["a"])) == (
        '{"required": ["b", "a"], "properties": {"a": {}, "b": {}}}'
    )


def test_values_given_for_an_enum_keep_their_lexemes() -> None:
    schema = '{"properties": {"level": {"type": "number"}}}'
    report = tightened(schema, enum={"/level": [Raw("1.10"), Raw("1e400")]})
    assert text_of(report) == '{"properties": {"level": {"type": "number", "enum": [1.10, 1e400]}}}'


def test_an_enum_that_is_there_only_loses_values() -> None:
    report = tightened(LIGHT, enum={"/room": [Raw('"kitchen"'), Raw('"garage"'), Raw('"living_room"')]})
    assert json.loads(text_of(report))["properties"]["room"]["enum"] == ["living_room", "kitchen"]


def test_observed_leaves_an_enum_alone_that_is_wider_than_the_samples() -> None:
    assert tightened(LIGHT, [CASES["ok"]] * 6, enum="observed").changes == ()


def test_bounds_come_with_their_lexeme_and_never_widen() -> None:
    samples = [f'{{"level": {level}}}' for level in ("10", "25", "40.50", "70", "100.0")]
    schema = '{"properties": {"level": {"type": "number", "minimum": 20, "maximum": 1e3}}}'
    report = tightened(schema, samples[1:] + samples[1:], apply=["minimum:/level", "maximum:/level"])
    assert text_of(report) == '{"properties": {"level": {"type": "number", "minimum": 25, "maximum": 100.0}}}'
    assert tightened(schema, samples, apply=["minimum:/level"]).changes == ()


def test_closing_goes_deep_unless_told_otherwise() -> None:
    schema = '{"properties": {"at": {"properties": {"x": {}}}, "list": {"items": {"properties": {"y": {}}}}}}'
    deep = tightened(schema, additional_properties=False)
    assert [change.pointer for change in deep.changes] == ["", "/at", "/list/*"]
    flat = tightened(schema, additional_properties=False, deep=False)
    assert [change.pointer for change in flat.changes] == [""]
    one = tightened(schema, close=["/at"])
    assert [change.schema_pointer for change in one.changes] == ["/properties/at/additionalProperties"]


def test_a_map_stays_a_map_when_all_objects_are_closed() -> None:
    schema = '{"properties": {"labels": {"type": "object", "additionalProperties": {"type": "string"}}}}'
    report = tightened(schema, additional_properties=False)
    assert [change.pointer for change in report.changes] == [""]


def test_an_object_or_null_is_closed_inside_its_branch() -> None:
    report = tightened(None, ['{"at": {"x": 1}}', '{"at": null}'], additional_properties=False)
    assert [change.schema_pointer for change in report.changes] == [
        "/additionalProperties",
        "/properties/at/anyOf/1/additionalProperties",
    ]
    assert report.status is Status.GREEN


def test_an_object_described_in_several_places_is_closed_by_what_no_place_evaluated() -> None:
    schema = (
        '{"allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}], '
        '"$defs": {"b": {"properties": {"b": {}}}}}'
    )
    report = tightened(schema, ['{"a": 1, "b": 2}'], additional_properties=False)
    assert [change.schema_pointer for change in report.changes] == ["/unevaluatedProperties"]
    assert report.status is Status.GREEN


def test_a_reference_is_followed_and_a_recursive_one_ends() -> None:
    schema = """{
  "$ref": "#/$defs/node",
  "$defs": {"node": {"type": "object", "properties": {"children": {"items": {"$ref": "#/$defs/node"}}}}}
}"""
    report = tightened(schema, required=["/children/*/children"], additional_properties=False)
    assert [change.schema_pointer for change in report.changes] == [
        "/$defs/node/required",
        "/$defs/node/additionalProperties",
    ]


def test_suggestions_are_applied_by_their_id() -> None:
    contract = infer([cursor(sample) for sample in TEN_LIGHTS])
    ids = [suggestion.id for suggestion in contract.suggestions]
    report = tightened(contract.schema.text, TEN_LIGHTS, apply=ids)
    assert [change.keyword for change in report.changes] == ["additionalProperties", "enum"]
    assert report.narrower == "yes"


# What cannot be set ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"required": ["colour"]}, "tighten-property-unknown"),
        ({"required": ["/room/x"]}, "tighten-property-unknown"),
        ({"enum": {"/colour": [Raw('"red"')]}}, "tighten-property-unknown"),
        ({"close": ["/room"]}, "tighten-property-unknown"),
        ({"enum": {"/room": [Raw("1")]}}, "tighten-enum-type"),
        ({"enum": {"/on": [Raw("true"), Raw('"yes"')]}}, "tighten-enum-type"),
        ({"enum": {"/room": []}}, "tighten-enum-type"),
        ({"enum": {"/room": [Raw('"garage"')]}}, "tighten-enum-type"),
        ({"apply": ["enum:/colour"]}, "tighten-suggestion-unknown"),
        ({"apply": ["nonsense"]}, "tighten-suggestion-unknown"),
    ],
)
def test_what_cannot_be_set_is_a_finding_and_changes_nothing(wanted: dict[str, Any], code: str) -> None:
    report = tightened(LIGHT, TEN_LIGHTS, **wanted)
    assert codes(report) == [code]
    assert report.status is Status.RED
    assert text_of(report) == LIGHT
    assert report.changes == ()


def test_a_sample_that_would_be_refused_turns_it_red() -> None:
    samples = [*TEN_LIGHTS, '{"room": "kitchen", "on": true, "level": 5}']
    report = tightened(OPEN_LIGHT, samples, additional_properties=False)
    assert codes(report) == ["tighten-sample-refused"]
    assert report.rejected_samples == (10,)
    assert report.findings[0].key == "level"


def test_a_must_accept_case_that_would_be_refused_turns_it_red() -> None:
    case = Case("ok dim", cursor('{"room": "kitchen", "on": true, "level": 5}'), accept=True)
    report = tightened(OPEN_LIGHT, TEN_LIGHTS, additional_properties=False, cases=[case])
    assert codes(report) == ["tighten-case-refused"]
    assert report.changes[0].refuses == ("ok dim",)


def test_an_invalid_schema_is_left_alone() -> None:
    report = tightened('{"type": "objekt"}', additional_properties=False)
    assert codes(report) == ["contract-invalid"]
    assert report.changes == ()


def test_up_to_draft_7_nothing_is_written_beside_a_reference() -> None:
    schema = (
        '{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"r": {"type": "string"}}, '
        '"properties": {"room": {"$ref": "#/definitions/r"}}}'
    )
    report = tightened(schema, enum={"/room": [Raw('"a"')]})
    assert [change.schema_pointer for change in report.changes] == ["/definitions/r/enum"]


# The text ----------------------------------------------------------------


def test_a_new_keyword_is_laid_out_like_its_neighbours() -> None:
    schema = """{
\t"type": "object",
\t"properties": {
\t\t"room": {
\t\t\t"type": "string"
\t\t}
\t}
}"""
    report = tightened(schema, required=["room"], additional_properties=False)
    assert text_of(report) == schema[:-2] + ',\n\t"required": ["room"],\n\t"additionalProperties": false\n}'


def test_a_schema_on_one_line_without_spaces_stays_so() -> None:
    report = tightened('{"properties":{"a":{"type":"string"}}}', enum={"/a": [Raw('"x"'), Raw('"y"')]})
    assert text_of(report) == '{"properties":{"a":{"type":"string","enum":["x","y"]}}}'


def test_true_becomes_an_object_and_false_stays_false() -> None:
    report = tightened('{"properties": {"a": true, "b": false}}', enum={"/a": [Raw("1")]})
    assert text_of(report) == '{"properties": {"a": {"enum": [1]}, "b": false}}'


def test_everything_else_keeps_its_text() -> None:
    schema = r"""{ "title" : "caf\u00e9",   "properties":
  { "level": {"type":"number","maximum":1.10e2} , "room": {} } }"""
    report = tightened(schema, required=["room"])
    assert text_of(report) == schema[:-2] + ', "required": ["room"] }'


# Properties ----------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c/d", "~"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "y", "z"])
PAYLOADS = st.dictionaries(
    NAMES,
    SCALARS
    | st.lists(st.dictionaries(NAMES, SCALARS, max_size=2), max_size=2)
    | st.dictionaries(NAMES, SCALARS),
    max_size=3,
)
EVERYTHING: dict[str, Any] = {"required": "observed", "enum": "observed", "additional_properties": False}


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(PAYLOADS, min_size=1, max_size=6))
def test_observed_tightening_keeps_every_sample_is_never_wider_and_twice_changes_nothing(
    payloads: list[Any],
) -> None:
    samples = [json.dumps(payload) for payload in payloads]
    once = tightened(None, samples, **EVERYTHING)
    assert once.status is Status.GREEN
    assert once.narrower != "no"
    twice = tightened(text_of(once), samples, **EVERYTHING)
    assert twice.changes == ()
    assert text_of(twice) == text_of(once)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(PAYLOADS, min_size=1, max_size=6))
def test_what_was_set_can_be_taken_back(payloads: list[Any]) -> None:
    samples = [json.dumps(payload) for payload in payloads]
    base = infer([cursor(sample) for sample in samples]).schema.text
    report = tightened(base, samples, enum="observed", additional_properties=False)
    text = text_of(report)
    for change in reversed(report.changes):
        text = text_of(loosen(cursor(text), change.keyword, change.pointer))
    assert text == base


# Taking back ----------------------------------------------------------------


def test_a_keyword_taken_back_admits_more_and_says_so() -> None:
    report = loosen(cursor(LIGHT), "enum", "/room")
    assert report.narrower == "no"
    assert report.status is Status.GREEN
    assert [(change.keyword, change.after) for change in report.changes] == [("enum", None)]
    assert json.loads(text_of(report))["properties"]["room"] == {"type": "string"}


def test_required_is_taken_back_name_by_name() -> None:
    once = loosen(cursor(LIGHT), "required", "/room")
    assert '"required": ["on"]' in text_of(once)
    twice = loosen(cursor(text_of(once)), "required", "/on")
    assert "required" not in json.loads(text_of(twice))


def test_opening_an_object_leaves_the_rest_of_the_text() -> None:
    report = loosen(cursor(LIGHT), "additionalProperties", "")
    assert text_of(report) == LIGHT.replace('  "additionalProperties": false,\n', "")


def test_nothing_to_take_back_is_a_finding() -> None:
    report = loosen(cursor(LIGHT), "minimum", "/room")
    assert codes(report) == ["tighten-keyword-absent"]
    assert text_of(report) == LIGHT


# The table ----------------------------------------------------------------


def rows(schema: str, samples: Sequence[str] = ()) -> dict[str, Property]:
    inferred = infer([cursor(sample) for sample in samples]) if samples else None
    return {row.pointer: row for row in properties(cursor(schema), inferred)}


def test_the_table_shows_what_the_contract_says_and_the_samples_show() -> None:
    table = rows(LIGHT, TEN_LIGHTS)
    assert list(table) == ["", "/room", "/on"]
    root, room, on = table.values()
    assert (root.name, root.types, root.required, root.closed, root.other_keys) == (
        "the object", ("object",), None, True, 0,
    )  # fmt: skip
    assert (room.types, room.required, room.closed, room.present, room.of) == (
        ("string",),
        True,
        None,
        10,
        10,
    )
    assert room.enum is not None
    assert [(value.value.text, value.count) for value in room.enum] == [
        ('"living_room"', 4),
        ('"kitchen"', 4),
        ('"bedroom"', 2),
    ]
    assert (room.schema_pointer, room.schema_line, on.schema_line) == ("/properties/room", 7, 11)
    assert all(row.suggestions == () for row in table.values())


def test_the_table_offers_what_is_not_in_the_contract_yet() -> None:
    table = rows(OPEN_LIGHT, [*TEN_LIGHTS, '{"room": "kitchen", "level": 1}'])
    assert [each.id for row in table.values() for each in row.suggestions] == [
        "additionalProperties:",
        "required:/room",
        "enum:/room",
    ]
    assert (table[""].closed, table[""].other_keys) == (False, 1)
    assert (table["/on"].present, table["/on"].of, table["/on"].required) == (10, 11, False)


def test_the_table_works_without_samples_and_nests() -> None:
    schema = """{"type": "object", "properties": {"items": {"type": "array", "minItems": 1, "items":
        {"type": ["object", "null"], "properties": {"qty": {"type": "number", "minimum": 1.0}}}}}}"""
    table = rows(schema)
    assert [(row.pointer, row.name, row.depth) for row in table.values()] == [
        ("", "the object", 0),
        ("/items", "items", 1),
        ("/items/*", "*", 2),
        ("/items/*/qty", "qty", 3),
    ]
    assert table["/items/*"].types == ("object", "null")
    assert table["/items/*/qty"].bounds == {"minimum": Raw("1.0")}
    assert (table["/items/*/qty"].of, table["/items/*/qty"].seen) == (0, None)


def test_the_table_shows_tuples_and_maps() -> None:
    schema = """{"properties": {
        "pair": {"prefixItems": [{"type": "string"}], "items": false},
        "labels": {"additionalProperties": {"type": "integer"}},
        "none": {"additionalProperties": false}}}"""
    assert {pointer: row.types for pointer, row in rows(schema).items() if pointer.count("/") > 1} == {
        "/pair/0": ("string",),
        "/labels/*": ("integer",),
    }


@pytest.mark.parametrize(
    "schema",
    ["true", "false", "7", "[]", '{"properties": 5, "required": "x", "enum": 3, "items": [1], "type": {}}'],
)
def test_a_broken_contract_still_has_a_table(schema: str) -> None:
    assert rows(schema, TEN_LIGHTS)[""].name == "the object"


def test_a_schema_inside_a_larger_text_is_edited_alone() -> None:
    whole = cursor('[{"name": "set_light", "parameters": {"properties": {"room": {}}}}]')
    schema = whole.at("/0/parameters")
    assert schema is not None
    report = tighten(schema, [], required=["room"])
    assert text_of(report) == '{"properties": {"room": {}}, "required": ["room"]}'
    assert properties(schema)[1].schema_pointer == "/properties/room"
