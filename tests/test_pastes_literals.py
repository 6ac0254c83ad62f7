"""Python, JavaScript and JSONC literals: the same value, the same lexemes, each deviation told."""

from __future__ import annotations

import json
import pprint
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import limits
from app.json_text import JsonText, Number, write
from app.model import Severity
from app.paste import format_text, read, read_payload
from app.workbench import extract, format

steady = settings(deadline=None, max_examples=150, derandomize=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
exact = st.none() | st.booleans() | st.integers() | texts
lexemes = st.from_regex(r"\A-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,3})?\Z").map(Number)
values = st.recursive(
    st.none() | st.booleans() | lexemes | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(texts, values, max_size=5)


def as_python(value: Any) -> str:
    """Write a value as Python prints it, numbers by their lexeme."""
    if isinstance(value, Number):
        return value.lexeme
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {as_python(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_python, value)) + "]"
    return repr(value)


def as_javascript(value: Any) -> str:
    """Write a value as a person would in JavaScript."""
    if isinstance(value, dict):
        names = [key if re.fullmatch(r"[a-z]\w*", key, re.ASCII) else quoted(key) for key in value]
        items = [f"{name}: {as_javascript(item)}," for name, item in zip(names, value.values(), strict=True)]
        return "{" + " ".join(items) + "}"
    if isinstance(value, list):
        return "[" + "".join(as_javascript(item) + "," for item in value) + "]"
    return quoted(value) if isinstance(value, str) else write(value)


def quoted(text: str) -> str:
    return "'" + json.dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def as_jsonc(value: Any) -> str:
    """Write a value as JSON with comments and commas at the end."""
    if isinstance(value, dict):
        items = [f"/* , */ {json.dumps(key)}: {as_jsonc(item)}, // }}\n" for key, item in value.items()]
        return "{" + "".join(items) + "}"
    if isinstance(value, list):
        return "[ # ]\n" + "".join(as_jsonc(item) + "," for item in value) + "]"
    return write(value)


def tree(text: str) -> Any:
    """Return the only value of a paste with its number lexemes."""
    (root,) = read(text).roots
    assert root.cursor is not None, text
    return root.cursor.tree


@steady
@given(objects)
def test_a_python_literal_reads_back(value: dict[str, Any]) -> None:
    assert tree(as_python(value)) == value


@steady
@given(objects)
def test_a_javascript_literal_reads_back(value: dict[str, Any]) -> None:
    assert tree(as_javascript(value)) == value


@steady
@given(objects)
def test_json_with_comments_reads_back(value: dict[str, Any]) -> None:
    assert tree(as_jsonc(value)) == value


@steady
@given(
    st.dictionaries(texts, st.lists(exact | st.text(" ab'\"", min_size=20)), max_size=4), st.integers(1, 60)
)
def test_what_pprint_breaks_over_lines_reads_back(value: dict[str, Any], width: int) -> None:
    assert json.loads(write(tree(pprint.pformat(value, width=width)))) == value


@steady
@given(objects)
def test_strict_json_stays_strict(value: dict[str, Any]) -> None:
    document = read(write(value))
    assert [note for root in document.roots for note in root.notes] == []


@steady
@given(objects)
def test_places_are_those_of_the_paste(value: dict[str, Any]) -> None:
    text = as_python(value)
    (root,) = read(text).roots
    assert root.cursor is not None
    origin = JsonText(text)
    for member in root.cursor:
        at = member.location
        stretch = text[
            origin.offset(at.line or 0, at.column or 0) : origin.offset(at.end_line or 0, at.end_column or 0)
        ]
        assert stretch == as_python(member.tree)
        key = member.key_location
        start = origin.offset(key.line or 0, key.column or 0)
        assert text.startswith(repr(member.key), start)


# Tokens


@pytest.mark.parametrize(
    ("text", "as_json"),
    [
        ("{'a': True, 'b': False, 'c': None}", '{"a": true, "b": false, "c": null}'),
        ("{a: 1, $b: 2, 3: 4}", '{"a": 1, "$b": 2, "3": 4}'),
        ("[.5, 5., +1, 1_000, 0x1F, 0o17, 0b11, 12n, -.5]", "[0.5, 5.0, 1, 1000, 31, 15, 3, 12, -0.5]"),
        ("[1.10, 1e400, -0, 12345678901234567890, ]", "[1.10, 1e400, -0, 12345678901234567890]"),
        (r"['\x41\u0042\U00000043\u{44}\'\n']", '["ABCD\'\\n"]'),
        (r"['\ud83d\ude00']", '["😀"]'),
        (r"[r'a\b', `c`, 'd'" + "\n'e']", '["a\\\\b", "c", "de"]'),
        ("('a', (1), (2,), ())", '["a",  1 , [2], []]'),
        ("{'a': undefined, 'b': [undefined]}", '{"b": [null]}'),
        ("{'d': Decimal('1.10'), 'u': UUID('0-1')}", '{"d": 1.10, "u": "0-1"}'),
        (
            "{'t': datetime.datetime(2026, 1, 2, 3, 4, tzinfo=TzInfo(UTC))}",
            '{"t": "2026-01-02T03:04:00+00:00"}',
        ),
        ("{'t': datetime.date(2026, 1, 2)}", '{"t": "2026-01-02"}'),
        ("{'s': <Scheduling.SILENT: 'SILENT'>, 'n': <Level.HIGH: 3>}", '{"s": "SILENT", "n": 3}'),
        ("{'b': b'\\x00\\xff'}", '{"b": "AP8="}'),
        ("OrderedDict({'a': 1})", ' {"a": 1} '.strip()),
        ("{'a': [Foo(x=1), Bar()]}", '{"a": [{"x": 1}, {}]}'),
        ("a=1 b='x' c=[1]", '{"a": 1, "b": "x", "c": [1]}'),
    ],
)
def test_each_token_is_read_as_what_it_stands_for(text: str, as_json: str) -> None:
    (root,) = read(text).roots
    assert root.cursor is not None
    assert root.cursor.text == as_json
    assert root.notes
    assert all(finding.severity is Severity.INFO for finding in root.findings)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("{'a': 1 'b': 2}", 1, 9),
        ("{'a': 1,, 'b': 2}", 1, 9),
        ("{'a' 'b'}", 1, 6),
        ("{'a', 'b'}", 1, 5),
        ("{'a': 007}", 1, 7),
        ("{'a': one}", 1, 7),
        ("{'a': f(1)}", 1, 7),
        ("{'a': 'b\\q'}", 1, 9),
        ("{'a': 'b", 1, 7),
        ("{'a': 'b\n'}", 1, 9),
        ("{'a': [1, 2 3]}", 1, 13),
        ("{a: `x${b}`}", 1, 5),
        ("{'a': ...b}", 1, 7),
        ("{**a}", 1, 2),
        ("Foo(1, 2)", 1, 8),
        ("Foo(a=1, 2)", 1, 11),
        ("{'a': datetime.date(2026, 13, 1)}", 1, 7),
        ("{'a': Decimal('x')}", 1, 16),
        ("{'a': [1,\n2\n", 3, 1),
        ("{True: 1}", 1, 2),
    ],
)
def test_what_nobody_can_know_is_refused_at_its_place(text: str, line: int, column: int) -> None:
    document = read(text)
    assert document.roots == ()
    (finding,) = document.findings
    assert (finding.code, finding.at.line, finding.at.column) == ("json-invalid", line, column)


def test_each_kind_of_deviation_is_one_note_with_its_first_place() -> None:
    text = "// first\n{a: 1, b: 'x', 'c': 2, } // last"
    (root,) = read(text).roots
    assert [(note.code, note.at.line, note.at.column) for note in root.notes] == [
        ("json-literal", 1, 1),
        ("json-literal", 2, 22),
        ("json-literal", 2, 11),
        ("json-literal", 2, 2),
        ("json-literal", 2, 26),
    ]


def test_a_repeated_key_stays_repeated() -> None:
    (root,) = read("{'a': 1, 'a': 2}").roots
    assert "json-duplicate-key" in {finding.code for finding in root.findings}
    assert extract("FunctionCall(id='a', id='b', name='f')").frames[0].bad


def test_nan_stays_red() -> None:
    (root,) = read("{'a': nan, 'b': -inf}").roots
    assert [f.code for f in root.findings if f.code == "json-nan"] == ["json-nan", "json-nan"]


def test_a_text_that_holds_a_frame_is_unwrapped_once() -> None:
    for text in ("'{\"setupComplete\": {}}'", "b'{\"setupComplete\": {}}'"):
        (root,) = read(text).roots
        assert "frame-double-encoded" in {note.code for note in root.notes}
        assert extract(text).kind == "setup-complete"


def test_payloads_are_read_strictly() -> None:
    assert read_payload("{'a': 1}").roots == ()
    assert read_payload('{"a": 1,}').roots == ()


def test_format_names_the_deviation_and_leaves_the_text() -> None:
    report = format("{'a': 1}\n")
    assert (report.status, report.text) == ("red", "{'a': 1}")
    assert {finding.code for finding in report.findings} == {"json-literal", "sdk-repr"}
    assert format_text(read_payload("[1]\n{a: [1 , 2]}", tolerant=True), 0) == "[1]\n{a: [1 , 2]}"


def test_a_missing_comma_between_texts_is_never_a_longer_text() -> None:
    assert read('["a"\n"b"]').roots == ()
    assert read("{'a': 'b'\n'c': 'd'}").roots == ()


# Hostile input: every one of these is answered in time that grows with its length alone


@pytest.mark.parametrize(
    "piece",
    ["(", "[", "{", "<", "`", "'", '"', "/*", "//x ", "#", ",", "A(", "A{", "a=", "[A", '"""', "'''", "\\",
     "r: {", "b'", '{"', "a: A(", "-", "1_", "...", "Decimal(", "datetime.datetime(1, ", "{a:",
     "x [\n", "a {\n"],
)  # fmt: skip
def test_a_megabyte_of_anything_is_refused(piece: str) -> None:
    for head in ("", "{'a': ", "['"):
        document = read(head + piece * (1_000_000 // len(piece)))
        assert all(root.cursor is None for root in document.roots) or document.documents


def test_depth_and_size_have_limits() -> None:
    deep = "{'a':" * (limits.DEPTH + 1)
    assert read(deep).findings[0].code == "too-deep"
    assert read("('" + "a',('" * 300).findings[0].code in ("too-deep", "json-invalid")
    assert read("['a'" + ",1" * limits.NODES + "]").findings[0].code == "too-large"


@pytest.mark.parametrize(
    "written",
    [
        """'{"city": "Oslo", "n": "BAD"}'""",
        """'{"city": "\\u00e9\\x41", "n": "BAD"}'""",
        """'{"city": "it\\'s", "n": "BAD"}'""",
        """'{"city": "\\ud83d\\ude00", "n": "BAD"}'""",
        """u'{"city": "\U0001f600", "n": "BAD"}'""",
        """r'{"city": "x", "n": "BAD"}'""",
        """`{"city": "x", "n": "BAD"}`""",
        """'{"city": "two\\\\nlines", "n": "BAD"}'""",
    ],
)
def test_a_place_inside_args_of_a_literal_is_where_it_was_pasted(written: str) -> None:
    contracts = '{"f": {"type": "object", "properties": {"city": {}, "n": {"type": "integer"}}}}'
    text = f"{{'type': 'function_call', 'call_id': 'c', 'name': 'f', 'arguments': {written}}}"
    findings = [each for each in extract(text, contracts).findings if each.code == "args-schema"]

    assert [each.at.inner for each in findings] == ["/n"]
    units = text.encode("utf-16-le")
    at = findings[0].at
    assert at.column is not None
    assert at.end_column is not None
    assert units[2 * (at.column - 1) : 2 * (at.end_column - 1)].decode("utf-16-le") == '"BAD"'
