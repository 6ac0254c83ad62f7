"""A value that knows where it is: pointers, lines, and what stands inside JSON strings."""

from __future__ import annotations

import json as standard

import pytest

from app.cursor import Cursor, escape, join, split, unescape
from app.json_text import JsonText, Kind
from app.model import Location, Raw

FRAME = """{
  "toolCall": {"functionCalls": [
    {"id": "fc-1", "args": {"room": "attic", "a/b~c": 1.10}},
    {"id": "fc-2", "args": "{\\"room\\": \\"cellar\\", \\"é\\\\n\\": [1, \\"😀\\"]}"}
  ]},
  "": [NaN, null]
}"""


def cursor(text: str, base: Cursor | None = None) -> Cursor:
    json = JsonText(text)
    node, _ = json.scan()
    return Cursor(json, node, base=base)


def found(pointer: str, root: Cursor | None = None) -> Cursor:
    at = (root or cursor(FRAME)).at(pointer)
    assert at is not None
    return at


def test_pointer_tokens_are_escaped() -> None:
    assert join("a/b~c", 0, "") == "/a~1b~0c/0/"
    assert split("/a~1b~0c/0/") == ["a/b~c", "0", ""]
    assert split("") == []
    assert unescape(escape("~1/~0")) == "~1/~0"


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("", FRAME),
        ("/toolCall/functionCalls/0/args/room", '"attic"'),
        ("/toolCall/functionCalls/0/args/a~1b~0c", "1.10"),
        ("/toolCall/functionCalls/1/id", '"fc-2"'),
        ("/", "[NaN, null]"),
        ("//1", "null"),
    ],
)
def test_a_pointer_leads_to_its_value_and_back(pointer: str, text: str) -> None:
    at = found(pointer)
    assert at.text == text
    assert at.pointer == pointer


@pytest.mark.parametrize(
    "pointer",
    [
        "/nothing",
        "/toolCall/functionCalls/2",
        "/toolCall/functionCalls/-",
        "/toolCall/functionCalls/²",
        "/toolCall/functionCalls/" + "9" * 5000,
        "/toolCall/functionCalls/0/id/0",
        "//0/x",
    ],
)
def test_a_pointer_to_nothing_gives_nothing(pointer: str) -> None:
    assert cursor(FRAME).at(pointer) is None


def test_members_are_asked_by_key() -> None:
    root = cursor('{"a":1,"b":2,"a":3}')
    first = root.get("a")
    assert first is not None
    assert first.text == "1"
    assert root.get("c") is None
    assert found("/b", root).get("a") is None
    assert root.keys == ["a", "b", "a"]
    assert [each.text for each in root] == ["1", "2", "3"]
    assert len(root) == 3
    assert not list(found("/b", root))


def test_kinds_and_values() -> None:
    root = cursor('[{"a":"\\u00e9"},[],null,true]')
    assert [each.kind for each in root] == [Kind.OBJECT, Kind.ARRAY, Kind.NULL, Kind.TRUE]
    assert root.value == [{"a": "é"}, [], None, True]
    assert found("/0/a", root).string == "é"
    assert found("/1", root).string is None
    assert found("/2", root).is_null


def test_a_value_that_is_no_json_is_not_handed_on() -> None:
    root = cursor('{"a":[1,NaN],"b":[2]}')
    assert root.raw is None
    assert found("/a", root).raw is None
    assert found("/b", root).raw == Raw("[2]")
    assert found("/a/0", root).raw == Raw("1")


def test_a_location_spans_the_value() -> None:
    at = found("/toolCall/functionCalls/0/args/room")
    assert at.location == Location(
        pointer="/toolCall/functionCalls/0/args/room", line=3, column=37, end_line=3, end_column=44
    )
    assert (at.key_location.column, at.key_location.end_column) == (29, 35)
    assert at.line == 3
    assert found("").location.end_line == 7
    assert found("//1").key_location == found("//1").location


def test_nodes_are_found_in_one_walk() -> None:
    root = cursor('{"a":[1,{"b":2}],"c":{"d":[[3]]}}')
    wanted = [node for node in range(len(root.json.kind)) if root.json.kind[node] == Kind.NUMBER]
    assert [at.pointer for at in root.find(wanted)] == ["/a/0", "/a/1/b", "/c/d/0/0"]
    assert [at.pointer for at in root.find([0, 1, 1])] == ["", "/a", "/a"]
    assert list(root.find([])) == []


# Inside a JSON string


def test_a_value_inside_a_string_has_two_pointers_and_the_outer_place() -> None:
    string = found("/toolCall/functionCalls/1/args")
    inner = cursor(string.string or "", base=string)
    room = found("/room", inner)
    assert (room.pointer, room.inner) == ("/toolCall/functionCalls/1/args", "/room")
    line = FRAME.splitlines()[3]
    assert (room.location.line, room.location.column) == (4, line.index('\\"cellar') + 1)
    assert room.location.end_column == line.index(', \\"é') + 1
    key = found("/é\n", inner).key_location
    assert key.column == line.index('\\"é') + 1
    last = found("/é\n/1", inner)
    assert last.location.column == line.index('\\"😀') + 1
    assert last.location.end_column == line.index("]}") + 2  # the emoji is two units wide


@pytest.mark.parametrize(
    "text",
    ['"[1,\\n22]"', '"\\u005b1,\\ud83d\\ude0022]"', '"\\ud83d[\\ude00\\ud83d\\ude00 22]"', '"é😀\\t[1,22]"'],
)
def test_every_offset_in_a_string_is_mapped(text: str) -> None:
    json = JsonText(text)
    json.scan()
    decoded = json.string(0)
    at = decoded.index("22")
    assert json.through(0, at) == text.index("22")
    assert json.through(0, len(decoded)) == len(text) - 1
    assert json.through(0, 0) == 1


def test_strings_in_strings() -> None:
    innermost = '{"a": [true, 1.5]}'
    middle = standard.dumps({"args": innermost})
    outer = cursor(standard.dumps({"frame": middle}))
    second = cursor(found("/frame", outer).string or "", base=found("/frame", outer))
    third = cursor(found("/args", second).string or "", base=found("/args", second))
    at = found("/a/1", third)
    assert (at.pointer, at.inner) == ("/frame", "/args/a/1")
    start = at.location.column
    assert start is not None
    assert outer.text[start - 1 : start + 2] == "1.5"


def test_ten_thousand_places_in_one_string_are_cheap() -> None:
    string = cursor(standard.dumps(standard.dumps([{"a": "x\n"}] * 10_000)))
    inner = cursor(string.string or "", base=string)
    columns = [item.location.column or 0 for item in inner]
    assert columns == sorted(columns)
    assert len(set(columns)) == 10_000
