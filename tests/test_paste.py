"""What people paste: one text, several, fences, event streams, broken lines; each oddity with its place."""

from __future__ import annotations

import json as standard

import pytest

from app import limits
from app.model import Finding, Severity
from app.paste import Document, format_text, read, read_payload, split_array

CALL = '{"toolCall":{"functionCalls":[{"id":"fc-1","name":"ring_bell","args":{}}]}}'


def everything(document: Document) -> list[Finding]:
    return [*document.findings, *(finding for root in document.roots for finding in root.findings)]


def told(document: Document) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.at.line, finding.at.column) for finding in everything(document)]


def texts(document: Document) -> list[str | None]:
    return [root.cursor.text if root.cursor is not None else None for root in document.roots]


# One JSON text


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        "\r\n " + CALL + "\n",
        '{"a":\n[1,\n2]}',
        "[1.10,12345678901234567890,1e400]",
        '"just a text"',
        '"{not JSON"',
        '"17"',
        "null",
        '{"text":"```json\\n{}\\n```"}',
        '{"data: x":"event: y"}',
    ],
)
def test_one_strict_text_is_read_in_silence(text: str) -> None:
    document = read(text)
    assert (document.documents, document.container, everything(document)) == (1, None, [])
    assert texts(document) == [text.strip()]


@pytest.mark.parametrize("text", ["", " \t\r\n", "\ufeff", "\ufeff\n", "\u00a0"])
def test_nothing_is_blank_and_no_error(text: str) -> None:
    document = read(text)
    assert document.blank
    assert (document.roots, document.findings, format_text(document)) == ((), (), "")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("hello", 1, 1),
        ('{"a":1', 1, 7),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3),
        ('{\n"a": 1\n"b": 2\n}', 3, 1),
        ('[\n{"a":1}\n{"b":2}\n]', 3, 1),
        ('{"a":[\n{"b":1}\n{"c":2}]}', 3, 1),
        ('{"a":[\n{"b":1},\n{"c":2}', 3, 8),
        ('{\n  "a": {"b": 1},,\n}\n', 2, 17),
        ('{"a":1},\n{"b":2}', 1, 8),
        ('{"a":1},\n{"b":2},\n{"c":3}', 1, 8),
        ('[\n{"a":1}\n{"b":2}', 3, 1),
        ('{"text":"one\n[2]\nthree"}', 1, 13),
        ("[][]", 1, 3),
        ("{} {}", 1, 4),
        ('{"a":1}}', 1, 8),
        ('{"a":1} thanks', 1, 9),
        ("[1] one", 1, 5),
        ("Sure! Here it is:\n\n{\n}\n", 1, 1),
        ("{“role”:“tool”}", 1, 2),
        ('{"😀":tru}', 1, 7),
    ],
)
def test_a_broken_text_is_one_error_at_its_place(text: str, line: int, column: int) -> None:
    document = read(text)
    assert told(document) == [("json-invalid", line, column)]
    assert (document.roots, document.documents, format_text(document)) == ((), 0, None)
    assert document.findings[0].severity is Severity.ERROR
    assert document.findings[0].source == "https://www.rfc-editor.org/rfc/rfc8259#section-2"


def test_two_texts_on_one_line_are_told_apart_from_other_rubbish() -> None:
    assert "a line of its own" in read("[][]").findings[0].message
    assert "nothing opened" in read("[]]").findings[0].message
    assert "[ ]" in read("{},\n{}").findings[0].message


@pytest.mark.parametrize(
    ("text", "code"),
    [("[" * 300 + "]" * 300, "too-deep"), ("[" + "0," * limits.NODES + "0]", "too-large")],
    ids=["deep", "large"],
)
def test_a_limit_is_an_error_with_a_place(text: str, code: str) -> None:
    finding = read(text).findings[0]
    assert (finding.code, finding.at.line) == (code, 1)


# Deviations that are read through


def test_a_byte_order_mark_is_named_and_places_stay() -> None:
    document = read("\ufeff" + '{"a":NaN}')
    assert told(document) == [("json-bom", 1, 1), ("json-nan", 1, 7)]
    assert texts(document) == ['{"a":NaN}']
    assert [note.code for note in document.notes] == ["json-bom"]


def test_nan_is_lossy_and_red() -> None:
    root = read('{"a":[NaN,\n-Infinity]}').roots[0]
    assert [(f.code, f.severity, f.at.pointer, f.at.line, f.at.column) for f in root.findings] == [
        ("json-nan", Severity.ERROR, "/a/0", 1, 7),
        ("json-nan", Severity.ERROR, "/a/1", 2, 1),
    ]
    assert [note.lossy for note in root.notes] == [True, True]


def test_a_duplicate_key_is_red_but_not_lossy() -> None:
    root = read('{"id":1,\n "name":2,\n "id":3}').roots[0]
    finding = root.findings[0]
    assert (finding.code, finding.severity, finding.key) == ("json-duplicate-key", Severity.ERROR, "id")
    assert (finding.at.pointer, finding.at.line, finding.at.column, finding.at.end_column) == ("/id", 3, 2, 6)
    assert '"id"' in finding.message
    assert "line 1" in finding.message
    assert [note.lossy for note in root.notes] == [False]


def test_a_lone_surrogate_is_a_warning() -> None:
    root = read(r'{"a":"\ud800","\udc00":1}').roots[0]
    assert [(f.code, f.severity, f.at.column) for f in root.findings] == [
        ("lone-surrogate", Severity.WARNING, 6),
        ("lone-surrogate", Severity.WARNING, 15),
    ]
    assert root.notes == ()


def test_very_many_oddities_are_counted_not_kept() -> None:
    document = read("[" + "NaN," * 5000 + "0]")
    assert len(document.roots[0].findings) == limits.FINDINGS + 1
    assert document.dropped == 5000 - limits.FINDINGS - 1


def test_very_many_broken_texts_are_counted_not_kept() -> None:
    document = read("data: {\n\n" * 500)
    assert len(document.findings) == limits.FINDINGS + 2
    assert document.dropped == 500 - limits.FINDINGS - 1


def test_every_frame_keeps_its_first_oddity() -> None:
    document = read('{"a":NaN,"b":NaN}\n' * 500)
    assert all(root.findings for root in document.roots)
    assert document.dropped + sum(len(root.findings) for root in document.roots) == 1000


# A text encoded once more


def test_a_frame_in_a_json_string_is_unwrapped_once() -> None:
    document = read(standard.dumps(CALL))
    root = document.roots[0]
    assert told(document) == [("frame-double-encoded", 1, 1)]
    assert root.cursor is not None
    assert root.cursor.text == CALL
    name = root.cursor.at("/toolCall/functionCalls/0/name")
    assert name is not None
    assert (name.pointer, name.inner) == ("", "/toolCall/functionCalls/0/name")
    assert document.text[(name.location.column or 0) - 1 :].startswith('\\"ring_bell')


def test_two_wrappings_are_one_too_many() -> None:
    root = read(standard.dumps(standard.dumps(CALL))).roots[0]
    assert root.cursor is not None
    assert root.cursor.is_string
    assert root.findings == ()


def test_oddities_inside_a_wrapped_frame_have_their_outer_place() -> None:
    document = read(r'"{\"a\":NaN,\n\"a\":1}"')
    assert told(document) == [
        ("frame-double-encoded", 1, 1),
        ("json-nan", 1, 9),
        ("json-duplicate-key", 1, 15),
    ]


def test_a_payload_is_never_unwrapped() -> None:
    document = read_payload(standard.dumps(CALL))
    assert texts(document) == [standard.dumps(CALL)]
    assert everything(document) == []


# Several texts


def test_texts_below_each_other_are_frames() -> None:
    document = read('{\n  "a": 1\n}\n{"b":2}\r\n\r\n[3]\n"four"\n')
    assert (document.documents, document.container) == (4, "json-lines")
    assert told(document) == [("json-lines", 1, 1)]
    assert [(root.index, root.line) for root in document.roots] == [(0, 1), (1, 4), (2, 6), (3, 7)]
    assert [root.cursor.frame for root in document.roots if root.cursor] == [0, 1, 2, 3]


@pytest.mark.parametrize("bad", ['{"b":', "not json", '{"b":2}}{', "[1,2", '{"b":2} {}', "{'b':2", '"open'])
def test_a_broken_line_is_a_frame_of_its_own(bad: str) -> None:
    document = read(f'{{"a":1}}\n{bad}\n{{"c":3}}\n')
    assert (document.documents, document.container) == (2, "json-lines")
    assert texts(document) == ['{"a":1}', None, '{"c":3}']
    root = document.roots[1]
    assert (root.index, root.line, root.text) == (1, 2, bad)
    finding = root.findings[0]
    assert (finding.code, finding.at.line, finding.at.frame) == ("json-invalid", 2, 1)
    assert not document.roots[2].findings


def test_a_line_that_is_too_deep_costs_only_itself() -> None:
    document = read('{"a":' * 300 + "\n" + CALL)
    assert [finding.code for finding in document.roots[0].findings] == ["too-deep"]
    assert texts(document) == [None, CALL]


def test_a_log_with_one_line_of_json_is_no_json_lines() -> None:
    document = read("some words\n" * (limits.FINDINGS + 2) + CALL)
    assert told(document) == [("json-invalid", 1, 1)]


# Markdown fences


def test_a_fence_is_read_and_places_are_those_of_the_paste() -> None:
    document = read('```json\n{"a":\n NaN}\n```\n')
    assert document.container == "fence"
    assert told(document) == [("code-fence", 1, 1), ("json-nan", 3, 2)]
    assert "around" not in document.findings[0].message


def test_what_stands_around_fences_is_named() -> None:
    document = read("Calls:\n\n```json\n[1]\n```\nand\n~~~\n{}\n[2]\n~~~\n```python\nprint()\n```\n")
    assert texts(document) == ["[1]", "{}", "[2]"]
    assert told(document) == [("code-fence", 3, 1), ("json-lines", 8, 1)]
    assert "line 1, 6" in document.findings[0].message
    assert "other code, on line 11" in document.findings[0].message


def test_an_unclosed_fence_is_read_and_said() -> None:
    document = read("```\n{}")
    assert texts(document) == ["{}"]
    assert "not closed" in document.findings[0].message


def test_one_broken_fence_of_two() -> None:
    document = read('```\n{"a":1,,}\n```\n```\n{"b":2}\n```')
    assert texts(document) == [None, '{"b":2}']
    assert told(document)[1:] == [("json-invalid", 2, 8)]
    assert document.roots[0].text == '{"a":1,,}'


def test_a_broken_fence_alone_cannot_be_read() -> None:
    document = read('```json\n{"a":1,,}\n```')
    assert told(document) == [("code-fence", 1, 1), ("json-invalid", 2, 8)]
    assert document.roots == ()


@pytest.mark.parametrize("text", ["```json\n\n```", "```", "data:\n\n", "event: x\ndata\n"])
def test_an_empty_container_is_no_success(text: str) -> None:
    document = read(text)
    assert [finding.code for finding in document.findings][1:] == ["json-invalid"]
    assert document.roots == ()


def test_backticks_inside_broken_json_are_no_fence() -> None:
    assert told(read('{"text":"\n```json\n{}\n```\n"}')) == [("json-invalid", 1, 10)]


# Server-sent events


def test_an_event_stream_is_read() -> None:
    document = read(f"event: message\r\nid: 7\r\ndata: {CALL}\r\n\r\n: ping\r\ndata:[1]\r\n\r\n")
    assert document.container == "sse"
    assert texts(document) == [CALL, "[1]"]
    assert told(document) == [("sse-wrapped", 1, 1)]
    assert [root.line for root in document.roots] == [3, 6]
    at = document.roots[1].cursor
    assert at is not None
    assert (at.location.column, at.location.end_column) == (6, 9)


def test_an_event_of_several_data_lines_is_one_text_with_exact_places() -> None:
    document = read('data: {"a":\nid: 1\ndata: [NaN,\ndata:   2]}\n\n')
    assert document.documents == 1
    assert told(document) == [("sse-wrapped", 1, 1), ("json-nan", 3, 8)]
    assert format_text(document, 0) == '{"a": [NaN, 2]}'


def test_done_is_skipped_and_said() -> None:
    document = read("data: {}\n\ndata: [DONE]\n\n")
    assert texts(document) == ["{}"]
    assert "[DONE]" in document.findings[0].message
    alone = read("data: [DONE]")
    assert (texts(alone), told(alone)) == (['"[DONE]"'], [("sse-wrapped", 1, 1)])


def test_data_lines_without_empty_lines_between_are_texts() -> None:
    document = read('data: {"a":1}\ndata: {"b":\ndata: {"c":3}\n')
    assert texts(document) == ['{"a":1}', None, '{"c":3}']
    assert told(document)[1:] == [("json-invalid", 2, 12)]


def test_a_line_that_is_none_of_the_stream_is_an_error() -> None:
    document = read('data: {}\n{"b":2}\n\n')
    assert texts(document) == ["{}", None]
    assert told(document)[1:] == [("json-invalid", 2, 1)]


def test_an_event_stream_in_a_fence() -> None:
    document = read('```\ndata: {"a":Infinity}\n\n```')
    assert document.container == "fence"
    assert told(document) == [("code-fence", 1, 1), ("sse-wrapped", 2, 1), ("json-nan", 2, 12)]


# Arrays of frames


def test_an_array_is_split_into_frames_of_their_own() -> None:
    document = split_array(read('[{"a":1},\n {"a":NaN}]'))
    assert texts(document) == ['{"a":1}', '{"a":NaN}']
    assert [(f.code, f.at.frame, f.at.pointer, f.at.line) for f in everything(document)] == [
        ("json-nan", 1, "/a", 2)
    ]
    assert document.documents == 1


def test_a_wrapped_array_is_split_too() -> None:
    document = split_array(read(r'"[{\"a\":1},{\"a\":2}]"'))
    assert [finding.code for finding in document.findings] == ["frame-double-encoded"]
    last = document.roots[1].cursor
    assert last is not None
    a = last.at("/a")
    assert a is not None
    assert (a.location.frame, a.pointer, a.inner, a.location.column) == (1, "", "/a", 20)


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]\n[2]", "{", '"[]"x'])
def test_anything_else_is_not_split(text: str) -> None:
    document = read(text)
    assert split_array(document) is document


# Laying out


@pytest.mark.parametrize(
    ("text", "laid_out"),
    [
        ('{"b":1.10,"a":[1e400,NaN],"a":"\\u00e9"}', '{"b": 1.10, "a": [1e400, NaN], "a": "\\u00e9"}'),
        ('\ufeff{"a" : 1}', '{"a": 1}'),
        ("[1,2]\n\n\n{ }", "[1, 2]\n{}"),
        ('{"a":1}\n{"b":\n[ ]', '{"a": 1}\n{"b":\n[]'),
        ("```\n[1,2]\n```", "[1, 2]"),
        ("data: [1,2]\n\ndata: {}\n\n", "[1, 2]\n{}"),
        ('"[1,2]"', '"[1,2]"'),
    ],
)
def test_each_text_is_laid_out_on_its_own(text: str, laid_out: str) -> None:
    assert format_text(read_payload(text), 0) == laid_out


def test_laying_out_twice_changes_nothing_more() -> None:
    once = format_text(read_payload("[1,[2,{}]]\n" + CALL))
    assert once is not None
    assert format_text(read_payload(once)) == once


def test_findings_name_their_input() -> None:
    document = read('{"a":1}\n{"a":NaN}\noops', input="calls_text")
    assert {finding.at.input for finding in everything(document)} == {"calls_text"}
