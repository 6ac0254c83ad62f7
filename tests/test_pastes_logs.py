"""Logs, HAR files, protobuf text, partly broken texts: what is read, and what is said of the rest."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from app import session
from app.model import Finding, Options
from app.paste import Document, read
from app.workbench import extract

CALL = '{"toolCall":{"functionCalls":[{"id":"fc-1","name":"ring_bell","args":{}}]}}'
CANCEL = '{"toolCallCancellation":{"ids":["fc-1"]}}'


def everything(document: Document) -> list[Finding]:
    return [*document.findings, *(finding for root in document.roots for finding in root.findings)]


def codes(document: Document) -> list[str]:
    return [finding.code for finding in everything(document)]


def texts(document: Document) -> list[str | None]:
    return [root.cursor.text if root.cursor is not None else None for root in document.roots]


# Logs


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-11-30T12:00:01.250Z ",
        "[12:00:01] ",
        "[1234] INFO ",
        "<<< ",
        "recv: ",
        "INFO:root:received ",
        "12:00:01,250 DEBUG [ws] <- (78 bytes) ",
        "const frame = ",
        "it's this: ",
        "msg=",
        "ts=1 level=info payload=",
    ],
)
def test_a_prefix_is_named_and_left_out(prefix: str) -> None:
    document = read(prefix + CALL)
    assert (texts(document), document.container) == ([CALL], "log")
    assert codes(document) == ["log-prefix"]
    assert extract(prefix + CALL).status == "green"
    at = document.findings[0].at
    assert (at.line, at.column, at.end_column) == (1, 1, len(prefix) + 1)
    assert document.roots[0].cursor is not None
    assert document.roots[0].cursor.location.column == len(prefix) + 1


def test_colour_codes_are_skipped_and_told() -> None:
    document = read(f"\x1b[32m12:00 recv\x1b[0m {CALL}\x1b[0m\n")
    assert texts(document) == [CALL]
    assert [(f.code, f.at.column) for f in everything(document)] == [("log-prefix", 1), ("log-prefix", 6)]


def test_frames_of_a_log_carry_their_time_and_who_sent_them() -> None:
    text = f"2026-11-30T12:00:01.5Z <<< {CALL}\n2026-11-30 12:00:02,750 sent {CANCEL}\n12:00:03 {CALL}"
    roots = read(text).roots
    assert [root.direction for root in roots] == ["server", "client", None]
    assert [root.time for root in roots] == [1796040001.5, 1796040002.75, 43203.0]
    frames = session.read(text, Options()).frames
    assert [frame.time for frame in frames] == [root.time for root in roots]


def test_lines_without_a_frame_are_named_and_broken_ones_stay_red() -> None:
    text = (
        f'12:00 connected\n12:01 recv {CALL}\n12:02 recv {{"toolCall":\n12:03 closed\n12:04 recv {CANCEL}\n'
    )
    document = read(text)
    assert texts(document) == [CALL, None, CANCEL]
    assert "line 1, 4" in document.findings[0].message
    assert [(f.code, f.at.line) for root in document.roots for f in root.findings] == [("json-invalid", 3)]
    report = extract(text)
    assert [(frame.index, frame.line, frame.kind) for frame in report.frames] == [
        (0, 2, "call"),
        (1, 3, "unknown"),
        (2, 5, "cancellation"),
    ]


def test_a_frame_may_go_on_over_several_lines_of_a_log() -> None:
    pretty = json.dumps(json.loads(CALL), indent=2)
    document = read(f"12:00 recv: {pretty}\n12:01 recv: {CANCEL}")
    assert texts(document) == [pretty, CANCEL]
    assert document.roots[1].line == len(pretty.splitlines()) + 1


def test_a_printed_object_in_a_log_is_read() -> None:
    text = "INFO:root:FunctionCall(id='a', name='f', args={})\nDEBUG: id='b' args={} name='g'"
    report = extract(text)
    assert [call.name for call in report.calls] == ["f", "g"]
    assert {"log-prefix", "sdk-repr"} <= {finding.code for finding in report.findings}


@pytest.mark.parametrize("text", ["{} {}", "[][]", "[1,2] {}", '{"a":1}{', '"a": {"b": 1}', '{"a" {"b": 1}'])
def test_a_json_text_is_never_a_prefix(text: str) -> None:
    assert read(text).roots == ()


def test_a_broken_text_over_several_lines_is_no_log() -> None:
    text = '{\n  toolCall: {functionCalls: [\n    {id: "a" name: "f"}\n  ]},\n  args: {"b": 1}\n}\n'
    document = read(text)
    assert document.roots == ()
    assert [(finding.code, finding.at.line) for finding in document.findings] == [("json-invalid", 3)]


# JSON Lines that are partly broken


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (CALL[:40], "The text ends inside a string"),
        (CALL + "\0", "U+0000 stands behind"),
        ('{"a":"\0"}', "U+0000"),
        (CALL + " " + CANCEL, "A second JSON text on the same line"),
        ("and then it hung", "Expected a JSON value"),
        ('{"a":' + "[" * 300, "Nested deeper"),
        ("x" * 1_000_000, "Expected a JSON value"),
    ],
    ids=["truncated", "NUL", "NUL inside", "two", "prose", "deep", "long"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_line_that_cannot_be_read_is_a_red_frame_and_the_others_are_judged(
    bad: str, sentence: str, newline: str
) -> None:
    report = extract(newline.join([CALL, bad, CANCEL.replace("fc-1", "fc-9")]))
    assert [(frame.kind, frame.status, frame.line) for frame in report.frames] == [
        ("call", "green", 1),
        ("unknown", "red", 2),
        ("cancellation", "green", 3),
    ]
    (error,) = (finding for finding in report.findings if finding.severity == "error")
    assert error.message.startswith(sentence) or sentence in error.message
    assert (error.at.line, error.at.frame) == (2, 1)
    assert [call.executable for call in report.calls] == [True]


def test_bytes_that_were_no_text_are_told_at_their_place() -> None:
    text = b'{"setupComplete":{}}\n{"toolCallCancellation":{"ids":["k\xff\xfe"]}}\n'.decode(errors="replace")
    report = extract(text)
    found = [finding for finding in report.findings if finding.code == "replacement-character"]
    assert [(f.severity, f.at.line, f.at.column, f.at.end_column, f.at.frame) for f in found] == [
        ("warning", 2, 35, 37, 1)
    ]
    assert [frame.kind for frame in report.frames] == ["setup-complete", "cancellation"]
    assert "replacement-character" not in codes(read(r'{"a": "\ufffd"}'))


def test_a_stream_that_only_ends_is_a_frame_of_its_own() -> None:
    (root,) = read("data: [DONE]\n\n").roots
    assert root.cursor is not None
    assert root.cursor.string == "[DONE]"
    assert root.cursor.location.column == 7
    assert texts(read(f"data: {CALL}\n\ndata: [DONE]\n\n")) == [CALL]


# HAR


def har(*messages: dict[str, Any]) -> str:
    entries = [{"request": {}}, {"_webSocketMessages": list(messages)}]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1)


def message(data: str, kind: str = "receive", opcode: int = 1) -> dict[str, Any]:
    return {"type": kind, "time": 1796040001.25, "opcode": opcode, "data": data}


def test_each_message_of_a_har_file_is_a_frame() -> None:
    text = har(
        message(CALL),
        message('{"setup": {}}', "send"),
        message(b64encode(CANCEL.encode()).decode(), opcode=2),
    )
    document = read(text)
    assert (texts(document), document.container) == ([CALL, '{"setup": {}}', CANCEL], "har")
    assert [root.direction for root in document.roots] == ["server", "client", "server"]
    assert [root.time for root in document.roots] == [1796040001.25] * 3
    assert codes(document) == ["har-messages"]
    assert [frame.kind for frame in extract(text).frames] == ["call", "setup", "cancellation"]


def test_places_in_a_har_file_lead_into_its_strings() -> None:
    text = har(message('{"toolCall":\n{"functionCalls":[]}}'), message(b64encode(b"{}").decode(), opcode=2))
    found = {finding.code: finding.at for finding in extract(text).findings}
    empty = found["calls-empty"]
    line = text.splitlines()[(empty.line or 0) - 1]
    assert line[(empty.column or 0) - 1 : (empty.end_column or 0) - 1] == "[]"
    assert (empty.pointer, empty.inner) == ("", "/toolCall/functionCalls")
    assert '"e30="' in text.splitlines()[(found["unknown-frame"].line or 0) - 1]


def test_messages_that_hold_no_json_are_red_frames_or_named() -> None:
    document = read(har(message("2probe"), message(CALL), message("AAEC", opcode=2), message("", opcode=9)))
    assert texts(document) == [None, CALL]
    assert [finding.code for finding in document.roots[0].findings] == ["json-invalid"]
    assert "hold no text, on line" in document.findings[0].message


def test_a_har_file_without_messages_holds_no_frame() -> None:
    report = extract(har())
    assert report.status == "red"
    assert {finding.code for finding in report.findings} == {"har-messages", "unknown-frame"}
    assert codes(read('{"log": {"entries": 1}}')) == []


# Protobuf text


PROTO = """\
# from the log
tool_call {
  function_calls {
    id: "x"
    name: 'set'
     "_light"
    args {
      fields { key: "room" value { string_value: "k\\303\\274che" } }
      fields { key: "level" value { number_value: 1.50 } }
      fields { key: "tags" value { list_value { values { bool_value: true } values { null_value: 0 } } } }
      fields { key: "deep" value { struct_value { fields { key: "a" value { number_value: 1e+20 } } } } }
    }
  }
}
"""


def test_protobuf_text_is_read_with_its_structs_unfolded() -> None:
    report = extract(PROTO)
    assert (report.status, report.dialect, report.kind) == ("green", "gemini-live", "call")
    (call,) = report.calls
    assert (call.id, call.name) == ("x", "set_light")
    assert call.args_text == ('{"room": "küche", "level": 1.50, "tags": [true, null], "deep": {"a": 1e+20}}')
    assert (call.line, [finding.code for finding in report.findings]) == (3, ["sdk-repr"])


@pytest.mark.parametrize(
    ("text", "as_json"),
    [
        ("a { b: 1 b: 2 }", '{"a": {"b": [1, 2]}}'),
        ("a { b: [1, 2] c: ENUM d: true }", '{"a": {"b": [1, 2], "c": "ENUM", "d": true}}'),
        ("parts { text: 'a' }", '{"parts": [{"text": "a"}]}'),
        ('a < thought_signature: "\\000\\377" >', '{"a": {"thought_signature": "AP8="}}'),
        (
            "s { properties { key: 'x' value { type: STRING } } }",
            '{"s": {"properties": {"x": {"type": "STRING"}}}}',
        ),
        ("a { args { } }", '{"a": {"args": {}}}'),
    ],
)
def test_shapes_of_protobuf_text(text: str, as_json: str) -> None:
    assert texts(read(text)) == [as_json]


@pytest.mark.parametrize("text", ["a { b: 1", "a { b }", 'a { b: "\\377" }', "a: 1\nb: 2", "a { b: 1 } }"])
def test_what_is_no_protobuf_text_is_refused(text: str) -> None:
    assert read(text).roots == ()


def test_deep_protobuf_text_is_refused() -> None:
    assert read("a { " * 400 + "} " * 400).roots == ()


@pytest.mark.parametrize("rubbish", ["\ufffd", "\ufffd\ufffd ", "\0", "\udcef\udcbb"])
def test_what_is_left_of_broken_bytes_is_no_prefix(rubbish: str) -> None:
    report = extract(rubbish + '{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": {}}]}}')
    assert report.status == "red"
