"""What the engine says of payloads and of schemas: verdict, place, keyword and sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import limits
from app.cursor import Cursor
from app.engine import (
    Judgement,
    Prepared,
    Problem,
    covers,
    decode,
    judge,
    judge_value,
    prepare,
    second_opinion,
)
from app.explain import Violation
from app.json_text import JsonText
from app.model import Verdict

LIGHT = {
    "type": "object",
    "properties": {
        "room": {"type": "string", "enum": ["living_room", "kitchen", "bedroom"]},
        "on": {"type": "boolean"},
        "brightness": {"type": "integer", "minimum": 0, "maximum": 100},
    },
    "required": ["room", "on"],
    "additionalProperties": False,
}


def cursor(value: Any) -> Cursor:
    """Read JSON text, or any other value by way of its JSON text."""
    text = JsonText(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    node, _ = text.scan()
    return Cursor(text, node)


def judged(schema: Any, payload: Any, *, assert_formats: bool = False) -> Judgement:
    prepared = prepare(cursor(schema), assert_formats=assert_formats)
    assert prepared.problems == ()
    return judge(prepared, cursor(payload))


def only(schema: Any, payload: Any, *, assert_formats: bool = False) -> Violation:
    judgement = judged(schema, payload, assert_formats=assert_formats)
    assert judgement.verdict is Verdict.REFUSE
    [violation] = judgement.violations
    return violation


def places(schema: Any, payload: Any) -> list[tuple[str | None, str, str | None, str | None]]:
    return [
        (each.keyword, each.instance_pointer, each.key, each.schema_pointer)
        for each in judged(schema, payload).violations
    ]


def problems(schema: Any) -> tuple[Problem, ...]:
    return prepare(cursor(schema)).problems


# Payloads ---------------------------------------------------------------------------


def test_the_light_of_the_seed_is_accepted_without_a_word() -> None:
    assert judged(LIGHT, {"room": "kitchen", "on": True}) == Judgement(Verdict.ACCEPT, (), 0)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"room": "garage", "on": True}, ("enum", "/room", None, "/properties/room/enum")),
        ({"room": "kitchen", "on": "开"}, ("type", "/on", None, "/properties/on/type")),
        ({"room": "kitchen"}, ("required", "", "on", "/required")),
        (
            {"room": "kitchen", "on": True, "extra_cmd": 1},
            ("additionalProperties", "", "extra_cmd", "/additionalProperties"),
        ),
        (
            {"room": "kitchen", "on": True, "brightness": 101},
            ("maximum", "/brightness", None, "/properties/brightness/maximum"),
        ),
        ('"{\\"room\\":\\"kitchen\\",\\"on\\":true}"', ("type", "", None, "/type")),
        (None, ("type", "", None, "/type")),
    ],
)
def test_each_refusal_names_its_place_and_its_keyword(payload: Any, expected: tuple[Any, ...]) -> None:
    assert places(LIGHT, "null" if payload is None else payload) == [expected]


def test_each_missing_and_each_unexpected_key_is_a_violation_of_its_own() -> None:
    assert places(LIGHT, {"a/b": 1, "": 2, "007": 3}) == [
        ("required", "", "room", "/required"),
        ("required", "", "on", "/required"),
        ("additionalProperties", "", "a/b", "/additionalProperties"),
        ("additionalProperties", "", "", "/additionalProperties"),
        ("additionalProperties", "", "007", "/additionalProperties"),
    ]


SENTENCES = [
    (LIGHT, '{"room":"garage","on":true}', '"garage" is not one of living_room, kitchen, bedroom.'),
    (LIGHT, '{"room":"kitchen"}', '"on" is missing. Add it.'),
    (
        LIGHT,
        '{"room":"kitchen","on":true,"extra_cmd":1}',
        '"extra_cmd" is not a property of this contract. Remove it.',
    ),
    ({"type": "boolean"}, '"开"', '"开" is a string, not a boolean.'),
    ({"type": "boolean"}, '"true"', '"true" is a string, not a boolean. Remove the quotes.'),
    ({"type": "integer"}, '"40"', '"40" is a string, not an integer. Remove the quotes.'),
    ({"type": "integer"}, '"4 0"', '"4 0" is a string, not an integer.'),
    ({"type": "integer"}, "1.50", "1.50 has a fraction; it must be an integer."),
    ({"type": ["string", "null"]}, "[1]", "[1] is an array, not a string or null."),
    ({"type": "object"}, "null", "It is null, not an object."),
    ({"enum": ["on", "true"]}, '"x"', '"x" is not one of "on", "true".'),
    ({"enum": list(range(12))}, "99", "99 is not one of 0, 1, 2, 3, 4, 5, 6, 7 and 4 more."),
    ({"const": "a"}, '"b"', '"b" is not "a", the only value allowed.'),
    ('{"maximum":1.10}', "1.1100", "1.1100 is above the maximum of 1.10."),
    ('{"minimum":1e2}', "99.90", "99.90 is below the minimum of 1e2."),
    ({"exclusiveMinimum": 5}, "5", "5 is not greater than 5."),
    ({"exclusiveMaximum": 5}, "5", "5 is not less than 5."),
    ('{"multipleOf":0.01}', "19.995", "19.995 is not a multiple of 0.01."),
    ({"minLength": 3}, '"😀b"', '"😀b" has 2 characters; the least is 3. Make it longer.'),
    ({"maxLength": 0}, '"a"', '"a" has 1 character; the most is 0. Make it shorter.'),
    ({"pattern": "^z"}, '"abc"', '"abc" does not match the pattern "^z".'),
    ({"minItems": 2}, "[1]", "It has 1 item; the least is 2. Add more."),
    ({"maxItems": 1}, "[1,2]", "It has 2 items; the most is 1. Remove some."),
    ({"uniqueItems": True}, '[1,{"a":2},1.0]', "Items 0 and 2 are equal; all must differ. Remove one."),
    ({"minProperties": 1}, "{}", "It has 0 properties; the least is 1. Add more."),
    (
        {"contains": {"const": 1}},
        "[2]",
        "No item has the form that the contract asks for (contains). Add one.",
    ),
    (
        {"contains": {"const": 1}, "maxContains": 1},
        "[1,1]",
        "Of the items, at most 1 must have the form that the contract asks for (contains).",
    ),
    ({"not": {"required": ["a"]}}, '{"a":1}', '"a" may not stand here. Remove it.'),
    (
        {"not": {"required": ["a", "b"]}},
        '{"a":1,"b":2}',
        '"a" and "b" may not stand here together. Remove one.',
    ),
    ({"not": {"type": "integer"}}, "1", "1 is what the contract rules out here (not). Change it."),
    (
        {"dependentRequired": {"a": ["b"]}},
        '{"a":1}',
        '"b" is missing; it belongs to "a". Add it.',
    ),
    (
        {"propertyNames": {"maxLength": 1}},
        '{"ab":1}',
        '"ab" is not allowed as the name of a property. Rename it or remove it.',
    ),
    ({"properties": {"a": False}}, '{"a":1}', '"a" is not allowed here. Remove it.'),
    (
        {"items": False, "prefixItems": [{}]},
        "[1,2]",
        "Item 1 is one more than this contract has room for. Remove it.",
    ),
    (False, "1", "The contract is false here: it accepts nothing. Correct the contract."),
    (
        {"oneOf": [{"minimum": 1}, {"minimum": 2}]},
        "3",
        "3 fits forms 1 and 2; exactly one may fit. Make it fit one alone.",
    ),
    (
        {"anyOf": [{"type": "string"}, {"type": ["null", "array"]}]},
        "1",
        "1 is a number, not a string, null or an array.",
    ),
    ({"anyOf": [{"minimum": 3}]}, "1", "1 does not fit the only form allowed here."),
]


@pytest.mark.parametrize(("schema", "payload", "sentence"), SENTENCES)
def test_the_sentence_says_what_is_wrong_and_what_to_do(schema: Any, payload: str, sentence: str) -> None:
    assert only(schema if isinstance(schema, str) else json.dumps(schema), payload).message == sentence


def test_formats_are_annotations_until_asked_for() -> None:
    assert judged({"format": "date"}, '"soon"').verdict is Verdict.ACCEPT
    violation = only({"format": "date"}, '"soon"', assert_formats=True)
    assert (violation.keyword, violation.message) == ("format", '"soon" is not in the format date.')
    assert judged({"format": "my-own"}, '"soon"', assert_formats=True).verdict is Verdict.ACCEPT


def test_long_values_are_cut_and_laid_on_one_line() -> None:
    assert only({"type": "null"}, json.dumps("x" * 500)).message == f'"{"x" * 58}… is a string, not null.'
    assert only({"type": "null"}, '{\n  "a":\r\n 1\n}').message == '{ "a": 1 } is an object, not null.'


@pytest.mark.parametrize(
    ("schema", "payload", "expected"),
    [
        ({"allOf": [{"minimum": 5}]}, 1, ("minimum", "", None, "/allOf/0/minimum")),
        ({"if": {"type": "string"}, "else": {"minimum": 3}}, 1, ("minimum", "", None, "/else/minimum")),
        (
            {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"enum": ["b"]}}},
            {"a": "c"},
            ("enum", "/a", None, "/$defs/x/enum"),
        ),
        (
            {"dependentSchemas": {"a": {"required": ["b"]}}},
            {"a": 1},
            ("required", "", "b", "/dependentSchemas/a/required"),
        ),
        (
            {"dependentRequired": {"a/": ["b"]}},
            {"a/": 1},
            ("dependentRequired", "", "b", "/dependentRequired/a~1"),
        ),
        (
            {"additionalProperties": {"type": "string"}},
            {"é/": 1},
            ("type", "/é~1", None, "/additionalProperties/type"),
        ),
        (
            {"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            {"a": 1, "007": 1},
            ("unevaluatedProperties", "", "007", "/unevaluatedProperties"),
        ),
        ({"unevaluatedItems": False}, [1], ("unevaluatedItems", "/0", None, "/unevaluatedItems")),
        (
            {"unevaluatedProperties": {"type": "string"}},
            {"a": 1},
            ("type", "/a", None, "/unevaluatedProperties/type"),
        ),
        (
            {"patternProperties": {"^é": {"type": "null"}}, "additionalProperties": False},
            {"é": 1},
            ("type", "/é", None, "/patternProperties/^é/type"),
        ),
        (
            {"$ref": "#/$defs/i", "$defs": {"i": {"$id": "sub/x", "properties": {"ü": {"type": "null"}}}}},
            {"ü": 1},
            ("type", "/ü", None, "/$defs/i/properties/ü/type"),
        ),
        (
            {"$dynamicAnchor": "n", "properties": {"c": {"$dynamicRef": "#n"}, "v": {"type": "null"}}},
            {"c": {"c": {"v": 1}}},
            ("type", "/c/c/v", None, "/properties/v/type"),
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}},
            {"a": 1},
            ("dependencies", "", "b", "/dependencies/a"),
        ),
        (
            {"$ref": "https://json-schema.org/draft/2020-12/schema"},
            {"minimum": "x"},
            ("type", "/minimum", None, None),
        ),
    ],
)
def test_a_violation_stands_at_its_own_keyword(schema: Any, payload: Any, expected: tuple[Any, ...]) -> None:
    assert places(schema, payload) == [expected]


@pytest.mark.parametrize(
    ("branches", "payload", "keywords"),
    [
        # The form of the same type is nearer than one of another type.
        ([{"type": "string"}, {"type": "object", "required": ["a", "b"]}], {}, ["required", "required"]),
        # The form with the right discriminator is nearer, however much it misses.
        (
            [
                {"properties": {"kind": {"const": "x"}}},
                {"properties": {"kind": {"const": "y"}}, "required": ["a", "b", "c"]},
            ],
            {"kind": "y"},
            ["required", "required", "required"],
        ),
        # Else the one with fewer errors.
        ([{"required": ["a", "b"]}, {"required": ["c"]}], {}, ["required"]),
        # Only types: one sentence says it all.
        ([{"type": "string"}, {"type": "null"}], {}, []),
    ],
)
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_the_causes_are_those_of_the_nearest_branch(
    keyword: str, branches: list[Any], payload: Any, keywords: list[str]
) -> None:
    violation = only({keyword: branches}, payload)
    assert (violation.keyword, violation.schema_pointer) == (keyword, f"/{keyword}")
    assert [cause.keyword for cause in violation.causes] == keywords


def test_alternatives_inside_alternatives_are_causes_of_causes() -> None:
    inner = {"anyOf": [{"type": "array"}, {"type": "object", "required": ["b"]}]}
    violation = only({"oneOf": [{"type": "null"}, {"properties": {"a": inner}, "type": "object"}]}, {"a": {}})
    [cause] = violation.causes
    assert (cause.keyword, cause.instance_pointer) == ("anyOf", "/a")
    assert [(each.keyword, each.key) for each in cause.causes] == [("required", "b")]


def test_the_same_cause_is_told_once() -> None:
    schema = {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}}
    assert places(schema, 1) == [("type", "", None, "/$defs/a/type")]


def test_violations_stand_in_the_order_of_the_payload() -> None:
    schema = {"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}}
    assert [place[1] for place in places(schema, {"c": 1, "a": 1, "b": 1})] == ["/c", "/a", "/b"]


@pytest.mark.parametrize("schema", [{"items": {"type": "null"}}, {"items": {"anyOf": [{"type": "null"}]}}])
def test_a_flood_is_cut_and_counted(schema: Any) -> None:
    judgement = judged(schema, list(range(1000)))
    assert (len(judgement.violations), judgement.total) == (limits.FINDINGS + 1, 1000)


def test_a_value_decoded_before_gives_the_same_judgement() -> None:
    prepared = prepare(cursor(LIGHT))
    for payload in (cursor({"room": "kitchen", "on": True}), cursor({"room": "attic"})):
        value, obstacle = decode(payload)
        assert obstacle is None
        assert judge_value(prepared, value, payload) == judge(prepared, payload)


# Numbers and characters an engine does not survive ---------------------------------------


@pytest.mark.parametrize(
    ("schema", "payload", "verdict"),
    [
        ('{"const":12345678901234567890}', "12345678901234567890", Verdict.ACCEPT),
        ('{"const":12345678901234567890}', "12345678901234567891", Verdict.REFUSE),
        ('{"const":1e400}', "1e400", Verdict.ACCEPT),
        ('{"type":"integer"}', "1e400", Verdict.ACCEPT),
        ('{"type":"integer"}', "1.0", Verdict.ACCEPT),
        ('{"type":"number","maximum":1e308}', "1e309", Verdict.REFUSE),
        ('{"const":1.10}', "1.1", Verdict.ACCEPT),
        ('{"enum":[1]}', "true", Verdict.REFUSE),
        ('{"multipleOf":0.01}', "19.99", Verdict.ACCEPT),
        ('{"multipleOf":0.1}', "0.3", Verdict.ACCEPT),
        ("{}", "1e100000", Verdict.ACCEPT),
        ("{}", "1e100001", Verdict.NOT_JUDGED),
        ("{}", "-1E-0000100001", Verdict.NOT_JUDGED),
        ("{}", "1e99999999999999999999", Verdict.NOT_JUDGED),
        ("{}", "9" * 4000, Verdict.ACCEPT),
        ("{}", "[9" + "9" * 4000 + "]", Verdict.NOT_JUDGED),
        ("{}", '"1e100001"', Verdict.ACCEPT),
        ("{}", "[1, NaN]", Verdict.NOT_JUDGED),
        ("{}", "-Infinity", Verdict.NOT_JUDGED),
        ('{"maxLength":1}', '"\\ud800"', Verdict.ACCEPT),
        ('{"const":"\\ud800"}', '"\\ud800"', Verdict.ACCEPT),
        ('{"const":"\\ud800"}', '"\\ud801"', Verdict.REFUSE),
        ('{"const":"\\ud800"}', '"\U0010f800"', Verdict.NOT_JUDGED),
        ('{"const":"\\udbfe\\udc00"}', '"\\ud800"', Verdict.NOT_JUDGED),
        ('{"const":"\\udbfe\\udc00"}', '"\U0010f800"', Verdict.ACCEPT),
        ('{"required":["\\ud800"]}', '{"\\ud800":1}', Verdict.ACCEPT),
        ('{"patternProperties":{"^\\ud800$":false}}', '{"\\ud800":1}', Verdict.REFUSE),
    ],
)
def test_every_lexeme_gets_an_honest_verdict(schema: str, payload: str, verdict: Verdict) -> None:
    judgement = judged(schema, payload)
    assert judgement.verdict is verdict
    assert judgement.total == len(judgement.violations) == (verdict is not Verdict.ACCEPT)


def test_half_a_surrogate_pair_keeps_its_place_and_its_lexeme() -> None:
    violation = only('{"properties":{"\\ud800":{"type":"null"}}}', '{"\\ud800":"\\udfff"}')
    assert violation.instance_pointer == "/\ud800"
    assert violation.schema_pointer == "/properties/\ud800/type"
    assert violation.message == '"\\udfff" is a string, not null.'
    assert only('{"additionalProperties":false}', '{"\\ud800":1}').key == "\ud800"


# Patterns that run out of steps --------------------------------------------------------

SLOW = "^(?:(?!b)a+)+$"
VICTIM = "a" * 40 + "!"


@pytest.mark.parametrize(
    ("schema", "payload", "verdict"),
    [
        ({"pattern": SLOW}, json.dumps(VICTIM), Verdict.NOT_JUDGED),
        ({"not": {"pattern": SLOW}}, json.dumps(VICTIM), Verdict.NOT_JUDGED),
        ({"anyOf": [{"pattern": SLOW}, {"type": "null"}]}, json.dumps(VICTIM), Verdict.NOT_JUDGED),
        ({"propertyNames": {"pattern": SLOW}}, {VICTIM: 1}, Verdict.NOT_JUDGED),
        ({"patternProperties": {SLOW: False}}, {VICTIM: 1}, Verdict.NOT_JUDGED),
        ({"items": {"pattern": SLOW}}, [VICTIM, VICTIM + "!"], Verdict.NOT_JUDGED),
        # The verdict does not hang on the pattern.
        ({"anyOf": [{"type": "string"}, {"pattern": SLOW}]}, json.dumps(VICTIM), Verdict.ACCEPT),
        ({"properties": {"x": {"pattern": SLOW}}, "required": ["y"]}, {"x": VICTIM}, Verdict.REFUSE),
        ({"properties": {"x": {"pattern": SLOW}}}, {"y": VICTIM}, Verdict.ACCEPT),
        ({"items": {"pattern": SLOW}, "minItems": 9}, [VICTIM, VICTIM + "!"], Verdict.REFUSE),
        # The pattern comes to an end.
        ({"pattern": SLOW}, '"aaa"', Verdict.ACCEPT),
        ({"pattern": SLOW}, '"b"', Verdict.REFUSE),
        ({"pattern": SLOW}, "5", Verdict.ACCEPT),
        ({"patternProperties": {SLOW: False}}, {"aa": 1}, Verdict.REFUSE),
    ],
)
def test_a_pattern_out_of_steps_decides_nothing(schema: Any, payload: Any, verdict: Verdict) -> None:
    assert judged(schema, payload).verdict is verdict


def test_the_pattern_out_of_steps_is_named() -> None:
    [violation] = judged({"properties": {"x": {"pattern": SLOW}}}, {"x": VICTIM}).violations
    assert (violation.keyword, violation.instance_pointer) == ("pattern", "/x")
    assert violation.schema_pointer == "/properties/x/pattern"
    assert "100,000 steps" in violation.message


# Schemas -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        LIGHT,
        {"$schema": "http://json-schema.org/schema#"},
        {"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMaximum": True, "maximum": 3},
        {"$id": "https://example.com/nobody/asks", "$comment": "nothing is fetched"},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"$ref": "https://json-schema.org/draft/2020-12/meta/validation"},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "http://json-schema.org/draft-07/schema#",
        },
        {"enum": [{"$ref": "http://x"}], "examples": [{"type": "STRING"}], "default": {"$ref": "file:///x"}},
        {"properties": {"$ref": {"type": "string"}, "type": {"enum": ["OBJECT"]}}},
        {"const": "\ud800"},
        {"pattern": "^(?=a)\\p{L}+$"},
        '{"items":' * 255 + "true" + "}" * 255,
    ],
)
def test_a_sound_schema_has_no_problem(schema: Any) -> None:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    prepared = prepare(cursor(text))
    assert prepared.problems == ()
    assert prepared.validator is not None


@pytest.mark.parametrize(
    ("schema", "code", "pointer", "keyword"),
    [
        ('{"$ref":"http://localhost:1/x"}', "ref-external", "/$ref", "$ref"),
        ('{"items":{"$ref":"file:///etc/passwd"}}', "ref-external", "/items/$ref", "$ref"),
        ('{"$ref":"//host/x"}', "ref-external", "/$ref", "$ref"),
        ('{"$ref":"data:,{}"}', "ref-external", "/$ref", "$ref"),
        ('{"$ref":"ftp://x/y"}', "ref-external", "/$ref", "$ref"),
        ('{"$ref":"other.json"}', "ref-external", "/$ref", "$ref"),
        ('{"$dynamicRef":"https://x/y#z"}', "ref-external", "/$dynamicRef", "$dynamicRef"),
        ('{"$id":"http://x/y","$ref":"z"}', "ref-external", "/$ref", "$ref"),
        ('{"$defs":{"unused":{"$ref":"http://x"}}}', "ref-external", "/$defs/unused/$ref", "$ref"),
        ('{"$ref":"#/nope"}', "contract-invalid", "/$ref", "$ref"),
        ('{"$ref":"#/allOf/²","allOf":[true]}', "contract-invalid", "/$ref", "$ref"),
        ('{"$ref":"#nope"}', "contract-invalid", "/$ref", "$ref"),
        ('{"$ref":"#"}', "contract-invalid", "", None),
        ('{"type":"OBJECT"}', "contract-invalid", "/type", "type"),
        ('{"items":{"type":["STRING","null"]}}', "contract-invalid", "/items/type/0", "type"),
        ('{"type":"strng"}', "contract-invalid", "/type", "type"),
        ('{"properties":{"007":{"minimum":"x"}}}', "contract-invalid", "/properties/007/minimum", "minimum"),
        ('{"properties":{"":{"required":"x"}}}', "contract-invalid", "/properties//required", "required"),
        ('{"pattern":"("}', "contract-invalid", "/pattern", "pattern"),
        ('{"pattern":"(a{1000}){1000}"}', "contract-invalid", "/pattern", "pattern"),
        ('{"patternProperties":{"[":true}}', "contract-invalid", "/patternProperties/[", "patternProperties"),
        ('{"$schema":"http://example.com/mine"}', "contract-invalid", "/$schema", "$schema"),
        ('{"properties":{"􏠀":{"type":"x"}}}', "contract-invalid", "/properties/􏠀/type", "type"),
        ('{"properties":{"\\ud800":{"type":"x"}}}', "contract-invalid", "/properties/\ud800/type", "type"),
        ('{"$schema":5}', "contract-invalid", "/$schema", "$schema"),
        ('{"$id":"://bad"}', "contract-invalid", "/$id", "$id"),
        ('{"minimum":1,"minimum":2}', "contract-invalid", "/minimum", None),
        ('{"minimum":NaN}', "contract-invalid", "/minimum", None),
        ('{"maximum":1e100001}', "not-judged", "", None),
        ('{"items":{"maxLength":1e400}}', "contract-invalid", "/items/maxLength", None),
        ('"{}"', "contract-invalid", "", None),
        ("null", "contract-invalid", "", None),
        ("[]", "contract-invalid", "", None),
        ('{"items":' * 256 + "true" + "}" * 256, "contract-invalid", "", None),
    ],
)
def test_a_bad_schema_is_told_where_it_is_bad(
    schema: str, code: str, pointer: str, keyword: str | None
) -> None:
    prepared = prepare(cursor(schema))
    [problem] = prepared.problems
    assert (problem.code, problem.schema_pointer, problem.keyword) == (code, pointer, keyword)
    assert prepared.validator is None
    assert prepared.source.at(pointer) is not None
    verdict = Verdict.NOT_JUDGED if code == "not-judged" else Verdict.CONTRACT_ERROR
    assert judge(prepared, cursor("1")) == Judgement(verdict)


def test_several_problems_are_told_at_once_in_their_order() -> None:
    schema = '{"a":1,"type":"strng","properties":{"x":{"$ref":"http://x"},"y":{"pattern":"("}},"a":2}'
    assert [(each.code, each.schema_pointer) for each in problems(schema)] == [
        ("contract-invalid", "/type"),
        ("ref-external", "/properties/x/$ref"),
        ("contract-invalid", "/properties/y/pattern"),
        ("contract-invalid", "/a"),
    ]


def test_a_schema_in_the_middle_of_a_text_is_judged_alone() -> None:
    text = '{"NaN": NaN, "x": 1, "x": 2, "schema": {"type": "strng"}, "good": {"type": "null"}}'
    whole = cursor(text)
    bad, good = whole.get("schema"), whole.get("good")
    assert bad is not None
    assert good is not None
    assert [each.schema_pointer for each in prepare(bad).problems] == ["/type"]
    prepared = prepare(good)
    assert prepared.problems == ()
    [violation] = judge(prepared, bad).violations
    assert (violation.instance_pointer, violation.schema_pointer) == ("", "/type")


# The second opinion, and the prover ------------------------------------------------------


def opinion(schema: Any, payload: Any) -> tuple[Verdict, bool]:
    found = second_opinion(prepare(cursor(schema)), cursor(payload))
    return found.verdict, found.agrees


@pytest.mark.parametrize(
    ("schema", "payload", "verdict"),
    [
        (LIGHT, {"room": "kitchen", "on": True}, Verdict.ACCEPT),
        (LIGHT, {"room": "garage", "on": True}, Verdict.REFUSE),
        ('{"multipleOf":0.01}', "19.99", Verdict.ACCEPT),
        ('{"type":"integer"}', "1e400", Verdict.ACCEPT),
        ('{"uniqueItems":true}', "[1, 1.0]", Verdict.REFUSE),
        ('{"uniqueItems":true}', "[1, true, [1], [true], 0, false]", Verdict.ACCEPT),
        ('{"pattern":"^\\\\p{L}$"}', '"é"', Verdict.ACCEPT),
        ('{"pattern":"^a$"}', '"a\\n"', Verdict.REFUSE),
        ('{"additionalProperties":false,"patternProperties":{"^\\\\d$":{}}}', '{"٣":1}', Verdict.REFUSE),
        ('{"patternProperties":{"^a$":false}}', '{"a\\n":1}', Verdict.ACCEPT),
        # What it is not asked, or does not come to an end with.
        ({"pattern": SLOW}, json.dumps(VICTIM), Verdict.NOT_JUDGED),
        ('{"multipleOf":1e-5000}', "1", Verdict.NOT_JUDGED),
        ({}, list(range(2000)), Verdict.NOT_JUDGED),
        ({"enum": list(range(500))}, "1", Verdict.NOT_JUDGED),
        ({"type": "OBJECT"}, "1", Verdict.NOT_JUDGED),
        ("{}", "NaN", Verdict.NOT_JUDGED),
        (
            {"unevaluatedProperties": False, "patternProperties": {"(a+)+$": True}},
            {"b": 1},
            Verdict.NOT_JUDGED,
        ),
    ],
)
def test_the_second_engine_agrees_or_keeps_silent(schema: Any, payload: Any, verdict: Verdict) -> None:
    assert opinion(schema, payload) == (verdict, True)


def test_the_second_engine_knows_the_same_formats() -> None:
    prepared = prepare(cursor({"format": "uri"}), assert_formats=True)
    assert second_opinion(prepared, cursor('"no uri"')).verdict is Verdict.REFUSE
    assert second_opinion(prepared, cursor('"https://example.com"')).verdict is Verdict.ACCEPT


def test_a_real_disagreement_is_shown() -> None:
    # jsonschema ignores the keyword that draft 2019-09 replaced; jsonschema-rs still applies it.
    assert opinion({"dependencies": {"a": ["b"]}}, {"a": 1}) == (Verdict.ACCEPT, False)


@pytest.mark.parametrize(
    ("before", "after", "proof"),
    [
        ("{}", '{"type":"string"}', "yes"),
        ('{"type":"string"}', "{}", "no"),
        ('{"enum":[1,2]}', '{"enum":[2]}', "yes"),
        ('{"enum":[2]}', '{"enum":[1,2]}', "no"),
        ('{"type":"object"}', '{"type":"object","required":["a"],"additionalProperties":false}', "yes"),
        ("true", "false", "yes"),
        ('{"$ref":"http://x"}', "{}", "not-proven"),
        ("no json", "{}", "not-proven"),
        ('{"type":"strng"}', "{}", "not-proven"),
        ('{"maximum":1e999999999}', "{}", "not-proven"),
        ("5", "{}", "not-proven"),
        ('{"$schema":"http://example.com/mine"}', "{}", "not-proven"),
        ('{"$schema":"http://json-schema.org/draft-07/schema#"}', "{}", "not-proven"),
    ],
)
def test_narrower_is_proven_or_said_not_to_be(before: str, after: str, proof: str) -> None:
    assert covers(before, after) == proof


def test_a_prepared_schema_is_a_value() -> None:
    prepared = prepare(cursor(LIGHT))
    assert isinstance(prepared, Prepared)
    with pytest.raises(AttributeError):
        prepared.draft = 4  # type: ignore[misc]
