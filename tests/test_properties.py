"""What must hold for any text at all, tried with generated ones."""

from __future__ import annotations

import json as standard
import re
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.cursor import Cursor
from app.json_text import JsonError, JsonText, number_value, reformat, write
from app.model import Severity
from app.paste import Document, format_text, read, read_payload, split_array

steady = settings(deadline=None, derandomize=True, max_examples=300)

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["{}", "a\\b", '"', "\u2028", "😀", "```", "data: x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
json_texts = st.builds(
    lambda value, indent, ascii: standard.dumps(value, indent=indent, ensure_ascii=ascii),
    values,
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)
MARKS = '{}[]:,"\\ \n\r\t01-+.eE/\u0000\ud800😀\ufeff'
WORDS = ["true", "null", "NaN", "-Infinity", "\\u", "d83d", '"a":', '"\\ud800"', '{"a":1}']
CONTAINERS = ["```\n", "data: ", "event: x\n", "\n\n", "[DONE]"]
pieces = st.sampled_from([*MARKS, *WORDS, *CONTAINERS])


@st.composite
def nearly_json(draw: st.DrawFn) -> str:
    """JSON text with up to four places cut out, doubled or filled with something else."""
    text = draw(json_texts)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        size = draw(st.integers(0, 6))
        text = text[:at] + draw(pieces | st.just(text[at : at + 2 * size])) + text[at + size :]
    return text


texts = nearly_json() | st.lists(pieces, max_size=12).map("".join) | st.text()


def strict(text: str) -> tuple[JsonText, int] | None:
    """Read a whole text strictly, or return None."""
    json = JsonText(text)
    try:
        node, end = json.scan()
    except JsonError:
        return None
    return None if end < len(text) or json.nans else (json, node)


def standard_value(text: str) -> list[Any] | None:
    """Return the standard library's value in a list, with exact numbers; None where it refuses."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return [standard.loads(text, parse_constant=refuse, parse_int=number_value, parse_float=number_value)]
    except ValueError:
        return None


def tokens(text: str) -> list[str]:
    return re.findall(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', text)


@steady
@given(texts)
def test_the_reader_agrees_with_the_standard_library(text: str) -> None:
    ours = strict(text)
    theirs = standard_value(text)
    if ours is None:
        assert theirs is None
    else:
        assert theirs is not None
        # repr tells 1 from 1.0 and -0.0 from 0, and knows NaN from nothing.
        assert repr([ours[0].value(ours[1])]) == repr(theirs)


@steady
@given(values)
def test_what_is_written_is_read_again(value: Any) -> None:
    text = standard.dumps(value)
    read_back = strict(text)
    assert read_back is not None
    json, node = read_back
    written = write(json.tree(node))
    again = strict(written)
    assert again is not None
    assert again[0].value(again[1]) == json.value(node)


@steady
@given(json_texts, st.sampled_from([0, 1, 2, 4]))
def test_layout_keeps_every_token(text: str, indent: int) -> None:
    laid_out = reformat(text, indent)
    assert tokens(laid_out) == tokens(text)
    assert reformat(laid_out, indent) == laid_out
    assert indent or "\n" not in laid_out


@steady
@given(json_texts)
def test_layout_is_that_of_the_standard_library(text: str) -> None:
    value = standard.loads(text)
    plain = standard.dumps(value, ensure_ascii=False, indent=2)
    assert reformat(plain, 0) == standard.dumps(value, ensure_ascii=False)
    assert reformat(reformat(plain, 0), 2) == plain


@steady
@given(st.text() | texts, st.data())
def test_a_place_leads_back_to_its_offset(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    json = JsonText(text)
    line, column = json.place(offset)
    assert json.offset(line, column) == offset
    before = re.split(
        r"\r\n|\n|\r", text[:offset] if text[offset - 1 : offset + 1] != "\r\n" else text[: offset - 1]
    )
    assert line == len(before)
    if text[offset - 1 : offset + 1] != "\r\n":
        assert column == 1 + len(before[-1].encode("utf-16-le", "surrogatepass")) // 2


@steady
@given(json_texts)
def test_every_value_is_found_where_it_says(text: str) -> None:
    json = JsonText(text)
    node, _ = json.scan()
    root = Cursor(json, node)
    for each, at in zip(range(len(json.kind)), root.find(range(len(json.kind))), strict=True):
        assert at.node == each
        location = at.location
        start = json.offset(location.line or 0, location.column or 0)
        end = json.offset(location.end_line or 0, location.end_column or 0)
        assert text[start:end] == at.text
        found = root.at(at.pointer)
        assert found is not None
        assert found.node == each


@steady
@given(values)
def test_every_value_inside_a_string_is_found_in_the_paste(value: Any) -> None:
    inner_text = standard.dumps(value)
    outer = JsonText(standard.dumps(inner_text))
    outer.scan()
    string = Cursor(outer, 0)
    assert string.string == inner_text
    inner = JsonText(inner_text)
    inner.scan()
    for at in Cursor(inner, 0, base=string).find(range(len(inner.kind))):
        start = outer.through(0, inner.start[at.node])
        end = outer.through(0, inner.end[at.node])
        assert standard.loads(f'"{outer.text[start:end]}"') == at.text


def check(document: Document) -> None:
    findings = [*document.findings, *(each for root in document.roots for each in root.findings)]
    notes = [*document.notes, *(each for root in document.roots for each in root.notes)]
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert {(note.code, note.at) for note in notes} <= {(finding.code, finding.at) for finding in findings}
    assert all(finding.at.line and finding.at.column for finding in findings)
    done = any("[DONE]" in note.message for note in notes)
    assert document.blank or document.roots or errors or done
    assert [root.index for root in document.roots] == list(range(len(document.roots)))
    for root in document.roots:
        assert root.cursor is not None or any(finding.code == "json-invalid" for finding in root.findings)
        for note in root.notes:
            assert note.at.frame == root.index


@steady
@given(texts | st.lists(texts, max_size=4).map("\n".join))
def test_any_paste_is_answered(text: str) -> None:
    document = read(text)
    check(document)
    check(split_array(document))
    laid_out = format_text(read_payload(text, tolerant=True))
    assert (laid_out is None) == (not document.roots and not document.blank)


@steady
@given(st.lists(json_texts, min_size=1, max_size=4))
def test_texts_are_the_same_in_every_container(parts: list[str]) -> None:
    lines = [reformat(part, 0) for part in parts]
    ways = [
        "\n".join(parts),
        "\n".join(lines),
        "\ufeff" + "\r\n".join(parts),
        "".join(f"```json\n{part}\n```\n" for part in parts),
        "".join(f"event: x\ndata: {line}\n\n" for line in lines),
        "".join("".join(f"data: {row}\n" for row in re.split(r"\n", part)) + "\n" for part in parts),
    ]
    expected = [tokens(part) for part in parts]
    for text in ways:
        document = read_payload(text)
        assert [tokens(root.text) for root in document.roots] == expected
        assert all(root.cursor is not None for root in document.roots)


@steady
@given(st.integers(), st.integers(-400, 400), st.integers(0, 30))
def test_numbers_are_exact(digits: int, exponent: int, fraction: int) -> None:
    lexeme = f"{digits}.{fraction}e{exponent}"
    number = number_value(lexeme)
    assert Decimal(str(number)) == Decimal(lexeme)
