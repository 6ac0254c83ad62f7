"""The drafted answer: one entry per call, an error for exactly the refused ones."""

from __future__ import annotations

import json

import pytest

from app import workbench

CONTRACTS = json.dumps(
    {"set_light": {"properties": {"room": {"enum": ["kitchen"]}}, "additionalProperties": False}}
)
GOOD = '{"id": "a", "name": "set_light", "args": {"room": "kitchen"}}'
BAD = '{"id": "b", "name": "set_light", "args": {"room": "garage", "extra_cmd": "unlock"}}'
UNKNOWN = '{"id": "c", "name": "set_lamp", "args": {}}'


def frame(*calls: str) -> str:
    return '{"toolCall": {"functionCalls": [' + ", ".join(calls) + "]}}"


def entries(text: str | None) -> list[dict[str, object]]:
    assert text is not None
    answers: list[dict[str, object]] = json.loads(text)["toolResponse"]["functionResponses"]
    return answers


def test_one_entry_per_call_and_an_error_for_each_refused_one() -> None:
    report = workbench.respond(frame(GOOD, BAD, UNKNOWN), CONTRACTS, results='{"a": {"applied": 1.10}}')

    answers = entries(report.text)
    assert [(a["id"], a["name"]) for a in answers] == [
        ("a", "set_light"),
        ("b", "set_light"),
        ("c", "set_lamp"),
    ]
    assert [each.is_error for each in report.responses] == [False, True, True]
    assert answers[1]["response"] == {
        "error": {"code": "invalid_args", "message": "room is not in the list; extra_cmd is not allowed"}
    }
    assert answers[2]["response"] == {
        "error": {"code": "unknown_function", "message": "set_lamp is not declared"}
    }
    assert report.text is not None
    assert "1.10" in report.text
    assert report.status == "green"


def test_a_draft_pairs_with_its_calls() -> None:
    text = frame(GOOD, BAD, UNKNOWN)
    draft = workbench.respond(text, CONTRACTS).text

    assert draft is not None
    pair = workbench.pair(text, draft, contracts_text=CONTRACTS)
    assert not [f for f in pair.findings if f.is_error and f.at.input == "responses_text"]
    assert [row.state for row in pair.ledger] == ["answered", "errored", "errored"]


def test_without_a_result_the_draft_warns() -> None:
    report = workbench.respond(frame(GOOD), CONTRACTS)

    assert entries(report.text)[0]["response"] == {"result": {}}
    assert [finding.code for finding in report.findings] == ["response-empty"]


def test_results_may_come_in_call_order_and_errors_by_id() -> None:
    calls = frame(GOOD, GOOD.replace('"a"', '"z"'))
    report = workbench.respond(
        calls, CONTRACTS, results="[1, 2]", errors='{"z": {"message": "lamp is broken"}}'
    )

    assert [a["response"] for a in entries(report.text)] == [
        {"result": 1},
        {"error": {"code": "tool_failed", "message": "lamp is broken"}},
    ]


def test_a_refused_call_keeps_its_error_whatever_result_is_given() -> None:
    report = workbench.respond(frame(BAD), CONTRACTS, results='{"b": {"applied": true}}')

    assert report.responses[0].is_error


@pytest.mark.parametrize(
    "text",
    [
        '{"toolCall": {"functionCalls": ' + GOOD + "}}",
        frame('{"name": "set_light", "args": {}}', GOOD),
        '{"toolCall": {}}',
        "{",
        '{"hello": 1}',
    ],
)
def test_a_bad_frame_drafts_nothing(text: str) -> None:
    report = workbench.respond(text, CONTRACTS)

    assert report.text is None
    assert report.status == "red"
    assert report.findings


def test_a_cancelled_call_is_left_out() -> None:
    cancel = '{"toolCallCancellation": {"ids": ["a"]}}'
    other = GOOD.replace('"a"', '"z"')

    for report in (
        workbench.respond(frame(GOOD, other) + "\n" + cancel, CONTRACTS),
        workbench.respond(frame(GOOD, other), CONTRACTS, cancel_text=cancel),
    ):
        assert [a["id"] for a in entries(report.text)] == ["z"]


def test_scheduling_stands_where_it_is_asked_for() -> None:
    beside = entries(workbench.respond(frame(GOOD, BAD), CONTRACTS, scheduling="WHEN_IDLE").text)
    inside = entries(
        workbench.respond(frame(GOOD, BAD), CONTRACTS, scheduling="WHEN_IDLE", scheduling_at="body").text
    )

    assert [a["scheduling"] for a in beside] == ["WHEN_IDLE", "WHEN_IDLE"]
    for answer in inside:
        assert "scheduling" not in answer
        assert isinstance(answer["response"], dict)
        assert answer["response"]["scheduling"] == "WHEN_IDLE"


def test_an_invalid_scheduling_is_red() -> None:
    report = workbench.respond(frame(GOOD), CONTRACTS, scheduling="SOON")

    assert report.status == "red"
    assert report.findings[-1].code == "scheduling-invalid" or report.findings[0].code == "scheduling-invalid"


def test_the_answer_keeps_the_spelling_of_the_call() -> None:
    snake = '{"tool_call": {"function_calls": [' + GOOD + "]}}"

    text = workbench.respond(snake, CONTRACTS).text
    assert text is not None
    assert list(json.loads(text)) == ["tool_response"]
    assert list(json.loads(text)["tool_response"]) == ["function_responses"]


def test_python_and_js_say_the_same() -> None:
    text = frame(GOOD, BAD)
    results = '{"a": {"note": "\\u00e9\\n", "on": true, "n": 1.10, "none": null}}'
    python = workbench.respond(text, CONTRACTS, results=results, scheduling="SILENT", form="python").text
    js = workbench.respond(text, CONTRACTS, results=results, form="js").text

    assert python is not None
    assert js is not None
    assert "{'note': 'é\\n', 'on': True, 'n': 1.10, 'none': None}" in python
    assert "scheduling='SILENT'" in python
    compile(python, "draft", "exec", flags=0x2000)  # top-level await
    assert "session.sendToolResponse({" in js
    assert '"on": true' in js


def test_two_calls_with_one_id_get_one_error() -> None:
    report = workbench.respond(frame(GOOD, GOOD), CONTRACTS)

    assert [each.is_error for each in report.responses] == [True]


def test_absent_args_are_judged_as_an_empty_object() -> None:
    contracts = '{"set_light": {"required": ["room"]}}'
    report = workbench.respond(frame('{"id": "a", "name": "set_light"}'), contracts)

    assert report.responses[0].is_error
    assert report.responses[0].output is not None
    assert "room is missing" in report.responses[0].output.text


def test_nothing_pasted_is_idle() -> None:
    assert workbench.respond("", CONTRACTS).status == "idle"
