"""What SDKs print of their objects: read where it is whole, refused where values are gone.

`pastes/sdk.json` holds what the SDKs of its `versions` printed of objects that
they made themselves, beside their own JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app import workbench
from app.model import Severity
from app.paste import read
from app.workbench import extract

OBJECTS: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "pastes" / "sdk.json").read_text(encoding="utf-8")
)["objects"]
LOSSY = {
    ("genai_call_backslash", "repr"),
    ("genai_call_six", "repr"),
    ("genai_call_deep", "repr"),
    ("genai_call_deep", "str"),
    ("genai_seven", "repr"),
    ("genai_list7", "repr"),
    ("genai_generate", "repr"),
    ("genai_longbytes", "repr"),
}
"""What google-genai prints without all of its values."""
PRINTED = [(name, how) for name, texts in OBJECTS.items() for how in texts if how != "json"]
CODES = {"sdk-repr", "sdk-repr-lossy", "json-literal"}


def stripped(value: Any) -> Any:
    """Return a value without members that are null: printers differ in whether they show them."""
    if isinstance(value, dict):
        return {key: stripped(item) for key, item in value.items() if item is not None}
    return [stripped(item) for item in value] if isinstance(value, list) else value


def codes(text: str) -> set[str]:
    return {note.code for root in read(text).roots for note in root.notes}


def value(text: str) -> Any:
    (root,) = read(text).roots
    assert root.cursor is not None
    return json.loads(root.cursor.text)


@pytest.mark.parametrize(("name", "how"), [each for each in PRINTED if each not in LOSSY])
def test_a_whole_print_is_the_object_that_the_sdk_itself_writes(name: str, how: str) -> None:
    text = OBJECTS[name][how]
    assert stripped(value(text)) == stripped(json.loads(OBJECTS[name]["json"]))
    assert codes(text) & CODES <= {"sdk-repr", "json-literal"}
    assert "sdk-repr" in codes(text)
    assert all(not note.lossy for note in read(text).roots[0].notes)


@pytest.mark.parametrize(("name", "how"), sorted(LOSSY))
def test_a_print_that_lost_values_is_red_and_asks_for_json(name: str, how: str) -> None:
    report = extract(OBJECTS[name][how])
    lost = [finding for finding in report.findings if finding.code == "sdk-repr-lossy"]
    assert report.status == "red"
    assert report.calls == ()
    assert all(frame.bad for frame in report.frames)
    assert {finding.severity for finding in lost} == {Severity.ERROR}
    assert "model_dump_json()" in lost[0].message
    assert all(finding.at.line for finding in lost)


def test_the_place_of_a_loss_is_that_of_the_sign_the_printer_left() -> None:
    (lost,) = (
        finding
        for finding in extract(OBJECTS["genai_call_six"]["repr"]).findings
        if finding.code == "sdk-repr-lossy"
    )
    assert (lost.at.line, lost.at.column, lost.at.end_column) == (2, 8, 20)


@pytest.mark.parametrize("how", ["repr", "str", "dict", "pprint"])
def test_a_printed_message_is_judged_like_its_json(how: str) -> None:
    printed, plain = extract(OBJECTS["genai_message"][how]), extract(OBJECTS["genai_message"]["json"])
    assert printed.status == plain.status == "green"
    assert (printed.dialect, printed.kind) == (plain.dialect, plain.kind) == ("gemini-live", "call")
    assert [(call.id, call.name, call.verdict) for call in printed.calls] == [
        (call.id, call.name, call.verdict) for call in plain.calls
    ]


def test_findings_of_a_printed_object_lead_to_the_print() -> None:
    contracts = '{"set_light": {"properties": {"room": {"enum": ["hall"]}}}}'
    text = OBJECTS["genai_message"]["repr"]
    finding = next(f for f in extract(text, contracts).findings if f.code == "args-schema")
    line = text.splitlines()[(finding.at.line or 0) - 1]
    assert line[(finding.at.column or 0) - 1 : (finding.at.end_column or 0) - 1] == "'kitchen'"
    assert finding.at.pointer == "/tool_call/function_calls/0/args/room"


def test_messages_printed_below_each_other_are_frames() -> None:
    text = "\n".join(
        OBJECTS[name][how] for name in ("genai_message", "genai_cancel") for how in ("str", "repr")
    )
    report = extract(text)
    assert [(frame.kind, frame.line) for frame in report.frames] == [
        ("call", 1),
        ("call", 19),
        ("cancellation", 39),
        ("cancellation", 44),
    ]


def test_a_printed_list_of_messages_is_frames_and_a_loss_spoils_its_own() -> None:
    names = ("genai_message", "genai_call_six", "genai_cancel")
    report = extract("[" + ",\n".join(OBJECTS[name]["repr"] for name in names) + "]")
    assert [frame.bad for frame in report.frames] == [False, True, False]
    lost = [finding.at.frame for finding in report.findings if finding.code == "sdk-repr-lossy"]
    assert lost == [1]
    assert "sdk-repr" in {finding.code for finding in report.findings}
    short = extract("[" + OBJECTS["genai_message"]["repr"] + ", <... 2 more items ...>]")
    assert (short.status, len(short.frames)) == ("red", 1)


def test_a_printed_call_without_args_is_a_call() -> None:
    report = extract(OBJECTS["genai_call_noargs"]["str"])
    assert (report.kind, report.status, len(report.calls)) == ("call", "green", 1)


def test_a_print_that_is_cut_off_is_refused() -> None:
    text = OBJECTS["genai_message"]["repr"]
    for end in range(1, len(text)):
        assert extract(text[:end]).status == "red"


def test_an_error_that_the_sdk_prints_is_an_api_error() -> None:
    text = "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'no', 'status': 'INVALID_ARGUMENT'}}"
    assert workbench.classify(text).kind == "api-error"


# Rust


@pytest.mark.parametrize(
    "text",
    [
        "FunctionCallDone { %s }",
        "FunctionCallDone {\n    %s,\n}",
        "ServerEvent::FunctionCallDone { %s }",
        "Event(FunctionCallDone { %s })",
        "Some(FunctionCallDone { %s })",
    ],
)
def test_rust_debug_text_is_the_object_of_its_fields(text: str) -> None:
    text %= 'name: "set_light", arguments: "{\\"on\\":true}", call_id: "call_1"'
    assert value(text) == {"name": "set_light", "arguments": '{"on":true}', "call_id": "call_1"}
    assert codes(text) == {"sdk-repr"}


def test_rust_json_values_are_the_values_they_wrap() -> None:
    text = 'Call { args: Object {"city": String("Rome"), "n": Number(3.10), "xs": Array [Null]}, id: None }'
    assert value(text) == {"args": {"city": "Rome", "n": 3.10, "xs": [None]}, "id": None}
    (root,) = read(text).roots
    assert root.cursor is not None
    assert "3.10" in root.cursor.text


def test_a_struct_that_hides_fields_is_lossy() -> None:
    assert "sdk-repr-lossy" in codes('Call { id: "a", .. }')


# Node


@pytest.mark.parametrize(
    "text",
    [
        "{ functionCalls: [ { id: 'a', name: 'f', args: [Object] } ] }",
        "{ functionCalls: [ [Object] ] }",
        "{ functionCalls: [Array] }",
        "{ functionCalls: [ { id: 'a', name: 'f', args: { x: '1234'... 5 more characters } } ] }",
        "{ functionCalls: [ 1, 2, ... 98 more items ] }",
        "LiveServerMessage { toolCall: [LiveServerToolCall] }",
        "{ a: [Function: f], b: [Circular *1] }",
    ],
)
def test_what_node_leaves_out_is_lossy(text: str) -> None:
    assert "sdk-repr-lossy" in codes(text)
    assert extract(text).status == "red"


def test_what_node_prints_whole_is_read() -> None:
    text = (
        "LiveServerMessage {\n  toolCall: {\n    functionCalls: [ { id: 'a', name: 'f', args: {} } ]\n  }\n}"
    )
    report = extract(text)
    assert (report.status, report.dialect, len(report.calls)) == ("green", "gemini-live", 1)


@pytest.mark.parametrize(
    "text", ["[object Object]", "[Object]", "<html>\n<body>\n</html>", "...", "<dict len=6>"]
)
def test_a_sign_of_loss_alone_is_no_frame(text: str) -> None:
    assert read(text).roots == ()
