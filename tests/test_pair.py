"""An exchange: each call gets its one answer, and what goes wrong has a name."""

from __future__ import annotations

import json

import pytest

from app import workbench
from app.model import Options

CALL = '{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": {"x": 1}}]}}'
TWO = (
    '{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": {"x": 1}},'
    ' {"id": "b", "name": "g", "args": {}}]}}'
)
CANCEL = '{"toolCallCancellation": {"ids": ["a"]}}'
CONTRACTS = json.dumps(
    [
        {
            "name": "f",
            "behavior": "BLOCKING",
            "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}},
            "result": {"type": "object", "required": ["done"]},
        },
        {"name": "g"},
    ]
)


def answer(*entries: str) -> str:
    return '{"toolResponse": {"functionResponses": [' + ", ".join(entries) + "]}}"


def entry(id: str = "a", name: str = "f", body: str = '{"result": {"done": true}}', more: str = "") -> str:
    return f'{{"id": "{id}", "name": "{name}", "response": {body}{more}}}'


def codes(calls: str, answers: str, contracts: str | None = None) -> set[str]:
    return {finding.code for finding in workbench.pair(calls, answers, contracts_text=contracts).findings}


CASES = [
    ("call-id-duplicate", CALL + "\n" + CALL, answer(entry("a")), None),
    ("cancel-unknown-id", CANCEL, "", None),
    ("response-to-cancelled", CALL + "\n" + CANCEL, answer(entry("a")), ""),
    (
        "response-after-final",
        TWO,
        answer(entry("b", "g", more=', "willContinue": true'), entry("b", "g"), entry("b", "g")),
        answer(entry("b", "g", more=', "willContinue": true'), entry("b", "g")),
    ),
    (
        "response-duplicate",  # a BLOCKING tool has one answer, whatever it says of more to come
        CALL,
        answer(entry("a", more=', "willContinue": true'), entry("a")),
        answer(entry("a", more=', "willContinue": true')),
    ),
    (
        "scheduling-ignored",
        CALL,
        answer(entry("a", more=', "scheduling": "SILENT"')),
        answer(entry("a")),
    ),
    (
        "will-continue-ignored",
        CALL,
        answer(entry("a", more=', "willContinue": true'), entry("a")),
        answer(entry("a")),
    ),
    ("result-schema", CALL, answer(entry("a", body='{"result": {}}')), answer(entry("a"))),
]
"""Over texts of their own and given contracts; one paste that holds both is tested in tests/test_rules.py."""


@pytest.mark.parametrize(("code", "calls", "wrong", "right"), CASES)
def test_what_goes_wrong_is_named_and_nothing_else_is(
    code: str, calls: str, wrong: str, right: str | None
) -> None:
    assert code in codes(calls, wrong, CONTRACTS)
    if right is not None:
        assert code not in codes(calls, right, CONTRACTS)


def test_a_refused_call_must_be_answered_by_an_error() -> None:
    refused = CALL.replace('"x": 1', '"x": "one"')

    assert "response-to-refused" in codes(refused, answer(entry("a")), CONTRACTS)
    assert "response-to-refused" not in codes(
        refused, answer(entry("a", body='{"error": {"code": "invalid_args"}}')), CONTRACTS
    )
    assert "response-to-refused" not in codes(refused, answer(entry("a", body='{"error": "no"}')), CONTRACTS)


def test_a_cancellation_may_come_after_the_answer() -> None:
    log = CALL + "\n" + answer(entry("a")) + "\n" + CANCEL

    assert "cancel-after-answer" in {finding.code for finding in workbench.pair(log, "").findings}


def test_a_good_exchange_is_green_and_counts() -> None:
    report = workbench.pair(
        TWO, answer(entry("b", "g"), entry("a", body='{"error": {"code": "tool_failed"}}'))
    )

    assert report.status == "green"
    assert [(row.id, row.state) for row in report.ledger] == [("a", "errored"), ("b", "answered")]
    assert (report.summary.calls, report.summary.responses, report.summary.pending) == (2, 2, 0)


def test_cancel_text_comes_before_the_answers() -> None:
    report = workbench.pair(TWO, answer(entry("b", "g")), cancel_text=CANCEL)

    assert report.status == "green"
    assert [row.state for row in report.ledger] == ["cancelled", "answered"]


def test_an_answer_to_a_cancelled_id_is_red_even_if_the_call_was_not_pasted() -> None:
    assert "response-to-cancelled" in codes(CANCEL, answer(entry("a")))


def test_plain_interrupted_cancels_nothing() -> None:
    interrupted = CALL + '\n{"serverContent": {"interrupted": true}}'

    report = workbench.pair(interrupted, answer(entry("a")))
    assert report.status == "green"
    assert report.ledger[0].state == "answered"


def test_a_text_without_answers_says_so() -> None:
    report = workbench.pair(CALL, CALL)

    assert report.status == "red"
    assert "responses-missing" in {finding.code for finding in report.findings}


def test_a_specific_code_speaks_alone() -> None:
    refused = CALL.replace('"x": 1', '"x": "one"') + "\n" + CANCEL

    found = codes(refused, answer(entry("a")), CONTRACTS)
    assert "response-to-cancelled" in found
    assert "response-to-refused" not in found


@pytest.mark.parametrize("at", ["response", "body"])
def test_scheduling_is_read_in_both_places_and_told_apart(at: str) -> None:
    text = (
        answer(entry("a", more=', "scheduling": "WHEN_IDLE"'))
        if at == "response"
        else answer(entry("a", body='{"result": {"done": true}, "scheduling": "WHEN_IDLE"}'))
    )

    response = workbench.extract(text).responses[0]
    assert (response.scheduling, response.scheduling_at) == ("WHEN_IDLE", at)
    assert response.output is not None
    assert response.output.text == '{"done": true}'


def test_a_hint_is_no_part_of_a_body_that_is_the_output() -> None:
    text = answer(entry("a", body='{"applied": 1.10, "scheduling": "SILENT"}'))

    output = workbench.extract(text).responses[0].output
    assert output is not None
    assert output.text == '{"applied": 1.10}'


def test_string_args_can_be_refused() -> None:
    text = r'{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": "{\"x\": 1}"}]}}'

    assert workbench.extract(text, CONTRACTS).calls[0].verdict == "accept"
    strict = workbench.extract(text, CONTRACTS, Options(string_args="refuse"))
    assert strict.calls[0].verdict == "refuse"
    assert strict.status == "red"


LIVE_CALL = '{"toolCall": {"functionCalls": [{"id": "c1", "name": "f", "args": {}}]}}'
REALTIME_CALL = (
    '{"type": "response.function_call_arguments.done", "event_id": "e", "response_id": "r", "item_id": "i", '
    '"output_index": 0, "call_id": "c1", "name": "f", "arguments": "{}"}'
)
OUTPUT = '{"type": "function_call_output", "call_id": "c1", "output": "The light is on."}'


@pytest.mark.parametrize(
    ("calls", "answer", "foreign"),
    [
        (LIVE_CALL, '{"type": "conversation.item.create", "item": ' + OUTPUT + "}", True),
        (LIVE_CALL, '{"role": "tool", "tool_call_id": "c1", "content": "on"}', True),
        (REALTIME_CALL, '{"functionResponses": [{"id": "c1", "name": "f", "response": {}}]}', True),
        (REALTIME_CALL, OUTPUT, False),  # a bare item may be of either interface
        (REALTIME_CALL, '{"type": "conversation.item.create", "item": ' + OUTPUT + "}", False),
        (LIVE_CALL, "", False),
    ],
)  # fmt: skip
def test_an_answer_in_another_format_is_none(calls: str, answer: str, foreign: bool) -> None:
    report = workbench.pair(calls, answer)
    assert ("response-dialect" in {finding.code for finding in report.findings}) is foreign
    assert report.status == ("red" if foreign or not answer else "green")
