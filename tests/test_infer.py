"""What samples state: the schema, the evidence, the suggestions."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import engine, limits
from app.cursor import Cursor
from app.infer import DRAFT_2020_12, LEVELS, infer, infer_values
from app.json_text import JsonText
from app.model import Verdict
from app.reports import Evidence, InferredContract, Suggestion

TEN_LIGHTS = [
    '{"room": "living_room", "on": true}',
    '{"room": "kitchen", "on": false}',
    '{"room": "bedroom", "on": true}',
    '{"room": "living_room", "on": false}',
    '{"room": "living_room", "on": true}',
    '{"room": "kitchen", "on": true}',
    '{"room": "bedroom", "on": false}',
    '{"room": "living_room", "on": true}',
    '{"room": "kitchen", "on": true}',
    '{"room": "living_room", "on": false}',
]


def payload(text: str) -> Cursor:
    json_text = JsonText(text)
    node, _ = json_text.scan()
    return Cursor(json_text, node)


def infer_texts(*texts: str) -> InferredContract:
    return infer([payload(text) for text in texts])


def schema_of(contract: InferredContract) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(contract.schema.text)
    return schema


def evidence_at(contract: InferredContract, pointer: str) -> Evidence:
    return next(seen for seen in contract.evidence if seen.pointer == pointer)


def suggested(contract: InferredContract) -> dict[str, str]:
    return {suggestion.id: suggestion.value.text for suggestion in contract.suggestions}


# The schema ------------------------------------------------------------------


def test_ten_lights_give_the_core_of_the_contract() -> None:
    contract = infer_texts(*TEN_LIGHTS)
    assert contract.samples == 10
    assert schema_of(contract) == {
        "$schema": DRAFT_2020_12,
        "type": "object",
        "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}},
        "required": ["on", "room"],
    }


def test_properties_stand_in_the_order_the_samples_write_them() -> None:
    schema = schema_of(infer_texts('{"z": 1, "a": 2}', '{"z": 1, "m": 3, "a": 2}'))
    assert list(schema["properties"]) == ["z", "m", "a"]


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        (["1", "2"], {"type": "integer"}),
        (["1", "1.5"], {"type": "number"}),
        (["1.0"], {"type": "number"}),  # written as a fraction, so a number was meant
        (["1e2"], {"type": "number"}),
        (["1e400"], {"type": "number"}),
        (["12345678901234567890"], {"type": "integer"}),
        (['"a"', "1", "null"], {"type": ["integer", "null", "string"]}),
        (["true", "1"], {"type": ["boolean", "integer"]}),
        (["[]"], {"type": "array"}),
        (["{}"], {"type": "object"}),
        (['[1, "a"]'], {"type": "array", "items": {"type": ["integer", "string"]}}),
        (
            ['{"a": 1}', "[2]", "null"],
            {
                "anyOf": [
                    {"type": "null"},
                    {"type": "array", "items": {"type": "integer"}},
                    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                ]
            },
        ),
    ],
)
def test_types_are_those_of_the_samples(samples: list[str], expected: dict[str, Any]) -> None:
    schema = schema_of(infer_texts(*samples))
    assert schema.pop("$schema") == DRAFT_2020_12
    assert schema == expected


def test_below_thirty_levels_only_the_type_is_stated() -> None:
    deep = '{"a":[' * (limits.DEPTH // 2) + "]}" * (limits.DEPTH // 2)
    contract = infer_texts(deep, '{"a": null}')
    prepared = engine.prepare(payload(contract.schema.text))
    assert engine.judge(prepared, payload(deep)).verdict is Verdict.ACCEPT
    assert max(seen.pointer.count("/") for seen in contract.evidence) == LEVELS


def test_lone_surrogates_become_escapes_so_that_the_schema_can_be_sent() -> None:
    contract = infer_texts(r'{"\ud800": "\udfff"}')
    contract.schema.text.encode()
    assert list(schema_of(contract)["properties"]) == ["\ud800"]
    values = evidence_at(contract, "/\ud800").values
    assert values is not None
    assert values[0].value.text == r'"\udfff"'


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(JSON_VALUES, min_size=1, max_size=6))
def test_the_schema_accepts_every_sample(values: list[Any]) -> None:
    payloads = [payload(json.dumps(value)) for value in values]
    prepared = engine.prepare(payload(infer(payloads).schema.text))
    assert [engine.judge(prepared, each).verdict for each in payloads] == [Verdict.ACCEPT] * len(payloads)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(JSON_VALUES, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_samples_does_not_matter(values: list[Any], shuffler: random.Random) -> None:
    texts = [json.dumps(value) for value in values]
    shuffled = list(texts)
    shuffler.shuffle(shuffled)
    assert infer_texts(*texts) == infer_texts(*shuffled)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(JSON_VALUES, min_size=1, max_size=6))
def test_decoded_values_give_the_same_schema(values: list[Any]) -> None:
    texts = [json.dumps(value) for value in values]
    assert infer_values(values).schema == infer_texts(*texts).schema


# The evidence ----------------------------------------------------------------


def test_evidence_counts_presence_types_and_values() -> None:
    contract = infer_texts(
        '{"room": "kitchen"}', '{"room": "kitchen", "level": 3}', '{"room": "hall", "level": "x"}'
    )
    level = evidence_at(contract, "/level")
    assert (level.present, level.of, level.types) == (2, 3, {"string": 1, "integer": 1})
    room = evidence_at(contract, "/room")
    assert room.values is not None
    assert [(seen.value.text, seen.count) for seen in room.values] == [('"kitchen"', 2), ('"hall"', 1)]


def test_items_share_one_place() -> None:
    contract = infer_texts('{"items": [{"qty": 1}, {"qty": 2, "note": "x"}]}', '{"items": []}')
    items, qty = evidence_at(contract, "/items/*"), evidence_at(contract, "/items/*/qty")
    assert (items.present, items.of, items.types) == (1, 2, {"object": 2})
    assert (qty.present, qty.of, qty.types) == (2, 2, {"integer": 2})


def test_numbers_in_the_evidence_keep_their_lexeme() -> None:
    contract = infer_texts("1.10", "1e400", "12345678901234567890", "-0.0")
    seen = evidence_at(contract, "")
    assert seen.values is not None
    assert {value.value.text for value in seen.values} == {"1.10", "1e400", "12345678901234567890", "-0.0"}
    assert seen.minimum is not None
    assert seen.maximum is not None
    assert (seen.minimum.text, seen.maximum.text) == ("-0.0", "1e400")


def test_equal_numbers_are_one_value_and_true_is_no_number() -> None:
    seen = evidence_at(infer_texts("1", "1.0", "1.00", "true"), "")
    assert seen.values is not None
    assert [(value.value.text, value.count) for value in seen.values] == [("1.0", 3), ("true", 1)]


def test_above_the_limit_values_are_only_known_to_be_many() -> None:
    many = limits.DISTINCT_VALUES + 1
    seen = evidence_at(infer_texts(*(str(number) for number in range(many + 5))), "")
    assert (seen.values, seen.distinct) == (None, many)
    assert seen.maximum is not None
    assert seen.maximum.text == str(many + 4)


def test_pointers_are_escaped() -> None:
    contract = infer_texts('{"a/b": {"~": 1}}')
    assert [seen.pointer for seen in contract.evidence] == ["", "/a~1b", "/a~1b/~0"]


# The suggestions -------------------------------------------------------------


def test_ten_lights_suggest_the_rooms_and_a_closed_object() -> None:
    assert suggested(infer_texts(*TEN_LIGHTS)) == {
        "additionalProperties:": "false",
        "enum:/room": '["living_room", "kitchen", "bedroom"]',
    }


def test_a_suggestion_says_what_it_stands_on() -> None:
    contract = infer_texts(*TEN_LIGHTS)
    assert contract.suggestions[1] == Suggestion(
        id="enum:/room",
        pointer="/room",
        keyword="enum",
        value=contract.suggestions[1].value,
        reason="3 values in 10 samples",
        seen=10,
        of=10,
    )


def test_quantities_suggest_bounds_as_they_were_written() -> None:
    contract = infer_texts(*(f'{{"level": {level}}}' for level in ("10", "25", "40.50", "70", "100.0")))
    assert suggested(contract) == {
        "additionalProperties:": "false",
        "minimum:/level": "10",
        "maximum:/level": "100.0",
    }


@pytest.mark.parametrize(
    "samples",
    [
        [f"call_{number}" for number in range(20)],  # ids
        [f"turn on light number {number}" for number in range(20)],  # sentences
        ["kitchen", "kitchen"],  # too few to tell
        ["kitchen", "bedroom", "hall", "attic", "cellar", "bath"],  # each only once
    ],
)
def test_texts_that_do_not_repeat_suggest_no_enum(samples: list[str]) -> None:
    assert suggested(infer_texts(*(json.dumps(sample) for sample in samples))) == {}


def test_a_few_integers_often_repeated_are_a_choice() -> None:
    levels = [0, 50, 100] * 4
    assert suggested(infer_texts(*map(str, levels))) == {"enum:": "[0, 50, 100]"}


def test_null_is_one_of_the_choices() -> None:
    samples = ['"a"', '"a"', '"a"', '"b"', '"b"', "null"]
    assert suggested(infer_texts(*samples)) == {"enum:": '["a", "b", null]'}


def test_no_sample_states_nothing() -> None:
    contract = infer([])
    assert schema_of(contract) == {"$schema": DRAFT_2020_12}
    assert contract.suggestions == ()
