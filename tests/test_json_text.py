"""The strict reader: what it accepts and refuses, its places, lexemes and limits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from app import limits
from app.json_text import JsonError, JsonText, Kind, Number, number_value, quote, reformat, write


def scanned(text: str) -> JsonText:
    json = JsonText(text)
    json.scan()
    return json


def value(text: str) -> Any:
    return scanned(text).value(0)


def refused(text: str) -> JsonError:
    with pytest.raises(JsonError) as caught:
        JsonText(text).scan()
    return caught.value


# What is read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        ("[]", []),
        (' { "a" : [ 1 , 2 ] } \r\n', {"a": [1, 2]}),
        ('{"a":{"b":{"c":null}}}', {"a": {"b": {"c": None}}}),
        ('[true,false,null,"",0,-0.5,1e3]', [True, False, None, "", 0, -0.5, 1000.0]),
        ('"text"', "text"),
        ("-12", -12),
        (r'"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"', '"\\/\b\f\n\r\té😀'),
        ('{"":1,"a b":2,"\\u0061":3}', {"": 1, "a b": 2, "a": 3}),
        ("[[[]],[{}]]", [[[]], [{}]]),
        ('"\u2028 \x7f"', "\u2028 \x7f"),
    ],
)
def test_strict_json_is_read(text: str, expected: object) -> None:
    assert value(text) == expected


def test_a_text_ends_where_the_caller_says() -> None:
    json = JsonText('[1] [2]\n{"a":')
    assert json.scan(0, 3) == (0, 3)
    node, end = json.scan(4, 8)
    assert (json.value(node), end) == ([2], 8)
    with pytest.raises(JsonError):
        json.scan(4, 6)


def test_a_refused_text_leaves_no_trace() -> None:
    json = JsonText('{"a":1}\n{"b":NaN,"b":"\\ud800",}')
    json.scan()
    with pytest.raises(JsonError):
        json.scan(8)
    assert len(json.kind) == len(json.keys) == len(json.skip) == 2
    assert not json.nans
    assert not json.duplicates
    assert not json.surrogates


# What is refused: the text, the offset, and a piece of the message that says what to do


@pytest.mark.parametrize(
    ("text", "offset", "says"),
    [
        ("", 0, "Nothing to read"),
        ("  ", 2, "Nothing to read"),
        ("hello", 0, "found hello"),
        ("nul", 0, "found nul"),
        ('{"a":1,}', 6, "A comma with nothing after it"),
        ("[1, ]", 2, "A comma with nothing after it"),
        ("[,1]", 1, "Expected a value, found ,"),
        ("[1 2]", 3, "Expected a comma or a closing bracket, found 2"),
        ('{"a":1 "b":2}', 7, 'Expected a comma or a closing brace, found "b"'),
        ('{"a":1\n"b":2}', 7, "a comma or a closing brace"),
        ('{"a" 1}', 5, "Expected a colon after the key"),
        ("{a:1}", 1, "a key in double quotes, found a."),
        ("{1:1}", 1, "a key in double quotes, found 1."),
        ("{'a':1}", 1, "Single quotes"),
        ("{“a”:1}", 1, "A typographic quote"),
        ('{"a":True}', 5, "Write true"),
        ('{"a":None}', 5, "Write null"),
        ('{"a":undefined}', 5, "Write null"),
        ("// note\n{}", 0, "A comment"),
        ("[1,/* two */2]", 3, "A comment"),
        ("[01]", 1, "a leading zero"),
        ("[-007]", 1, "a leading zero"),
        ("[+1]", 1, "+1 is no JSON number"),
        ("[.5]", 1, ".5 is no JSON number"),
        ("[2.]", 1, "2. is no JSON number"),
        ("[0x1F]", 1, "0x1F is no JSON number"),
        ("[1e]", 1, "1e is no JSON number"),
        ('{"a":1]', 6, "a comma or a closing brace, found ]"),
        ("[1}", 2, "a comma or a closing bracket, found }"),
        ("{]", 1, "a key in double quotes"),
        ("[}", 1, "Expected a value, found }"),
        ("}", 0, "found }"),
        ('["a\nb"]', 3, "A line break inside a string"),
        ('["a\tb"]', 3, "U+0009"),
        (r'["C:\dir"]', 4, "Write the backslash twice"),
        (r'["\u12g4"]', 2, "four hexadecimal digits"),
        ('["open', 1, "The text ends inside a string"),
        ('["open\\', 1, "The text ends inside a string"),
        ('{"open', 1, "The text ends inside a string"),
        ('{"a":[1,2', 9, "The paste is cut off"),
        ('{"a":', 5, "The paste is cut off"),
        ('{"a":[1,2 \n ', 9, "The paste is cut off"),
        ("{", 1, "The paste is cut off"),
        ("\u00a0{}", 0, "U+00A0 is no white space"),
        ("[1,\ufeff2]", 3, "U+FEFF is no white space"),
        ("[Nan]", 1, "found Nan"),
        ("[-NaN]", 1, "-NaN is no JSON number"),
    ],
)
def test_broken_json_is_refused_at_its_place(text: str, offset: int, says: str) -> None:
    error = refused(text)
    assert (error.code, error.offset) == ("json-invalid", offset)
    assert says in error.message


# Deviations that are read through and remembered


def test_nan_and_infinities_are_remembered() -> None:
    json = scanned('[NaN,1,{"a":-Infinity},"NaN",Infinity]')
    assert [json.lexeme(node) for node in json.nans] == ["NaN", "-Infinity", "Infinity"]
    assert all(json.kind[node] == Kind.NAN for node in json.nans)


def test_duplicate_keys_are_remembered_with_the_first_one() -> None:
    json = scanned(r'{"a":1,"b":{"a":2},"\u0061":3,"a":4}')
    assert [(json.lexeme(later), json.lexeme(first)) for later, first in json.duplicates] == [
        ("3", "1"),
        ("4", "1"),
    ]


def test_lone_surrogates_are_remembered() -> None:
    json = scanned(r'["\ud800","\udc00\ud800",{"\uDFFF":1},{"a":"\ud83d"}]')
    assert [json.lexeme(node) for node in json.surrogates] == [
        r'"\ud800"',
        r'"\udc00\ud800"',
        "1",
        r'"\ud83d"',
    ]
    assert len(scanned('["\ud800"]').surrogates) == 1
    assert scanned(r'"\ud800"').surrogates == [0]


@pytest.mark.parametrize(
    "text", [r'["\ud83d\ude00","😀"]', '{"a":{"b":1},"b":1}', '["NaN","Infinity"]', r'["\\ud800"]', "[]"]
)
def test_ordinary_text_is_no_deviation(text: str) -> None:
    json = scanned(text)
    assert (json.nans, json.duplicates, json.surrogates) == ([], [], [])


# Lexemes and values


@pytest.mark.parametrize("lexeme", ["1.10", "12345678901234567890", "1e400", "-0.0", "1E+2", "0.1"])
def test_a_number_keeps_its_lexeme(lexeme: str) -> None:
    json = scanned(f'{{"a":{lexeme}}}')
    assert json.lexeme(1) == lexeme
    assert json.tree(0) == {"a": Number(lexeme)}
    assert write(json.tree(0), indent=None) == f'{{"a": {lexeme}}}'


@pytest.mark.parametrize(
    ("lexeme", "expected"),
    [
        ("12345678901234567890", 12345678901234567890),
        ("-1", -1),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        ("1e400", Decimal("1e400")),
        ("1e-999", Decimal("1e-999")),
        ("12345678901234567890.0", Decimal("12345678901234567890.0")),
        ("9" * 4001, Decimal("9" * 4001)),
    ],
)
def test_a_number_is_given_exactly(lexeme: str, expected: object) -> None:
    given = number_value(lexeme)
    assert given == expected
    assert type(given) is type(expected)


def test_an_exponent_that_nothing_can_hold_is_no_error() -> None:
    number = number_value("1e99999999999999999999999")
    assert isinstance(number, Decimal)
    assert number.is_nan()


# Places


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("abc", 0, (1, 1)),
        ("abc", 3, (1, 4)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 3, (2, 1)),
        ("a\rb", 2, (2, 1)),
        ("a\n\nb", 3, (3, 1)),
        ("é b", 2, (1, 3)),
        ("😀b", 1, (1, 3)),
        ("😀\n😀😀b", 4, (2, 5)),
        ("a\u2028b", 2, (1, 3)),
    ],
)
def test_a_place_is_line_and_utf16_column(text: str, offset: int, place: tuple[int, int]) -> None:
    json = JsonText(text)
    assert json.place(offset) == place
    assert json.offset(*place) == offset


@pytest.mark.parametrize(
    ("place", "offset"), [((9, 9), 3), ((1, 9), 2), ((0, 1), 0), ((1, 0), 0), ((2, 1), 2)]
)
def test_a_place_outside_is_moved_inside(place: tuple[int, int], offset: int) -> None:
    assert JsonText("a\nb").offset(*place) == offset


# Layout


def test_only_white_space_changes() -> None:
    text = '{"b":1.10,"a":[1e400,{}, [ ],"\\u00e9\\/",NaN],"a":{"c":null}}'
    assert reformat(text, 2) == (
        '{\n  "b": 1.10,\n  "a": [\n    1e400,\n    {},\n    [],\n    "\\u00e9\\/",\n    NaN\n  ],\n'
        '  "a": {\n    "c": null\n  }\n}'
    )
    assert reformat(text, 0) == '{"b": 1.10, "a": [1e400, {}, [], "\\u00e9\\/", NaN], "a": {"c": null}}'


def test_a_part_is_laid_out_alone() -> None:
    json = scanned('{"a":{"b":[1,2]},"c":3}')
    assert json.layout(1, 0) == '{"b": [1, 2]}'
    assert json.layout(1, 2) == '{\n  "b": [\n    1,\n    2\n  ]\n}'


def test_deep_nesting_does_not_multiply_the_text() -> None:
    text = "[" * 250 + "1," * 1000 + "1" + "]" * 250
    assert len(reformat(text, 2)) < 80 * len(text)


def test_half_a_surrogate_pair_is_written_as_an_escape() -> None:
    assert quote("\ud800") == '"\\ud800"'
    assert quote('é"') == '"é\\""'
    assert write({"\udc00": ["x"]}, indent=None) == '{"\\udc00": ["x"]}'


# Limits: each of these would take seconds, or the stack, if it were not linear


def test_depth_is_limited() -> None:
    assert value("[" * limits.DEPTH + "]" * limits.DEPTH)
    error = refused("[" * (limits.DEPTH + 1) + "]" * (limits.DEPTH + 1))
    assert (error.code, error.offset) == ("too-deep", limits.DEPTH)
    assert refused("[" * 5_000_000).code == "too-deep"
    assert refused('{"a":' * 1_000_000).code == "too-deep"


def test_the_number_of_values_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("[" + "0," * 2_000_000 + "0]").code == "too-large"
    monkeypatch.setattr(limits, "NODES", 3)
    assert value("[0,0]") == [0, 0]
    assert refused("[0,0,0]").code == "too-large"


@pytest.mark.parametrize(
    "text",
    [
        '["' + "x" * 5_000_000,
        '["' + "\\n" * 2_000_000,
        "[" + " " * 5_000_000 + "x",
        "[1," + " " * 5_000_000 + "]",
        "[" + "1" * 5_000_000 + "x]",
        "[" + "-" * 5_000_000,
        "[" + "x" * 5_000_000,
        "[1" + "\n" * 2_000_000,
    ],
    ids=lambda text: f"{text[:4]}...{text[-1:]}",
)
def test_a_long_broken_text_is_refused_in_one_pass(text: str) -> None:
    assert refused(text).code == "json-invalid"


def test_places_on_one_long_line_are_cheap() -> None:
    json = JsonText('["😀"' + ',"😀"' * 100_000 + "]")
    json.scan()
    assert json.place(json.start[100_000]) == (1, 2 + 5 * 99_999)
