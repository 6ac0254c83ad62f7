"""Each rule speaks where it should and is silent on the frame beside it."""

from __future__ import annotations

import pytest

from app import workbench
from app.rules import all_rules
from tests import test_declarations, test_turns


def codes(text: str) -> set[str]:
    return {finding.code for finding in workbench.extract(text).findings}


def call(entry: str) -> str:
    return '{"toolCall": {"functionCalls": [' + entry + "]}}"


def answer(entry: str) -> str:
    return '{"toolResponse": {"functionResponses": [' + entry + "]}}"


def setup(model: str, tool: str, more: str = "") -> str:
    return (
        '{"setup": {"model": "models/'
        + model
        + '", "tools": [{"functionDeclarations": ['
        + tool
        + "]}]"
        + more
        + "}}"
    )


GOOD_CALL = '{"id": "a", "name": "f", "args": {"x": 1}}'
GOOD_ANSWER = '{"id": "a", "name": "f", "response": {"result": {"ok": true}}}'
TOOL = '{"name": "f", "behavior": "NON_BLOCKING"}'

CASES = [
    ("unknown-frame", '{"hello": 1}', call(GOOD_CALL)),
    ("unknown-frame", "[1, 2]", "[" + call(GOOD_CALL) + "]"),
    ("unknown-frame", "{}", '{"setupComplete": {}}'),
    ("frame-direction-mixed", '{"toolCall": {"functionCalls": []}, "toolResponse": {}}', call(GOOD_CALL)),
    (
        "frame-multi-kind",
        '{"toolCall": {"functionCalls": [' + GOOD_CALL + ']}, "goAway": {}}',
        '{"toolCall": {"functionCalls": [' + GOOD_CALL + ']}, "usageMetadata": {}}',
    ),
    (
        "casing-both",
        '{"toolCall": {"functionCalls": [' + GOOD_CALL + ']}, "tool_call": {}}',
        '{"tool_call": {"function_calls": [' + GOOD_CALL + "]}}",
    ),
    ("casing-mixed", '{"tool_call": {"functionCalls": [' + GOOD_CALL + "]}}", call(GOOD_CALL)),
    (
        "null-padded",
        '{"setup_complete": null, "tool_call": {"function_calls": [' + GOOD_CALL + "]}}",
        '{"tool_call": {"function_calls": [' + GOOD_CALL + "]}}",
    ),
    ("frame-unknown-field", call('{"id": "a", "name": "f", "arguments": {}}'), call(GOOD_CALL)),
    ("frame-unknown-field", '{"serverContent": {"news": 1}}', '{"serverContent": {"turnComplete": true}}'),
    ("calls-missing", '{"toolCall": {}}', call(GOOD_CALL)),
    ("calls-not-array", '{"toolCall": {"functionCalls": ' + GOOD_CALL + "}}", call(GOOD_CALL)),
    ("calls-empty", '{"toolCall": {"functionCalls": []}}', call(GOOD_CALL)),
    ("call-not-object", call('"f"'), call(GOOD_CALL)),
    ("call-envelope", GOOD_CALL, call(GOOD_CALL)),
    ("call-envelope", '{"functionCalls": [' + GOOD_CALL + "]}", call(GOOD_CALL)),
    (
        "call-in-content",
        '{"serverContent": {"modelTurn": {"parts": [{"functionCall": ' + GOOD_CALL + "}]}}}",
        '{"serverContent": {"modelTurn": {"parts": [{"text": "functionCall"}]}}}',
    ),
    (
        "call-as-code",
        '{"serverContent": {"modelTurn": {"parts": [{"executableCode": {"code": "default_api.f()"}}]}}}',
        '{"serverContent": {"modelTurn": {"parts": [{"executableCode": {"code": "print(1)"}}]}}}',
    ),
    ("response-envelope", GOOD_ANSWER, answer(GOOD_ANSWER)),
    (
        "response-envelope",
        '{"clientContent": {"turns": [{"parts": [{"functionResponse": ' + GOOD_ANSWER + "}]}]}}",
        '{"clientContent": {"turns": [{"parts": [{"text": "hi"}]}]}}',
    ),
    (
        "history-tool-parts",
        '{"clientContent": {"turns": [{"parts": [{"functionCall": ' + GOOD_CALL + "}]}]}}",
        '{"clientContent": {"turns": [{"parts": [{"text": "hi"}]}]}}',
    ),
    ("responses-missing", '{"toolResponse": {}}', answer(GOOD_ANSWER)),
    (
        "responses-not-array",
        '{"toolResponse": {"functionResponses": ' + GOOD_ANSWER + "}}",
        answer(GOOD_ANSWER),
    ),
    ("responses-empty", '{"toolResponse": {"functionResponses": []}}', answer(GOOD_ANSWER)),
    ("response-entry-not-object", answer('"ok"'), answer(GOOD_ANSWER)),
    (
        "scheduling-wrong-level",
        '{"toolResponse": {"functionResponses": [' + GOOD_ANSWER + '], "scheduling": "SILENT"}}',
        answer(GOOD_ANSWER),
    ),
    (
        "turn-malformed-call",
        '{"serverContent": {"turnCompleteReason": "MALFORMED_FUNCTION_CALL"}}',
        '{"serverContent": {"turnCompleteReason": "NEED_MORE_INPUT"}}',
    ),
    (
        "turn-not-done",
        '{"serverContent": {"turnComplete": true, "interactionStatus": "IN_PROGRESS"}}',
        '{"serverContent": {"turnComplete": true, "interactionStatus": "IDLE"}}',
    ),
    (
        "status-deprecated",
        '{"serverContent": {"interactionStatus": "REQUIRES_ACTION"}}',
        '{"serverContent": {"interactionStatus": "IDLE"}}',
    ),
    (
        "cancel-ids-invalid",
        '{"toolCallCancellation": {"ids": [1]}}',
        '{"toolCallCancellation": {"ids": ["a"]}}',
    ),
    ("cancel-ids-invalid", '{"toolCallCancellation": {}}', '{"toolCallCancellation": {"ids": ["a"]}}'),
    ("call-id-missing", call('{"name": "f", "args": {}}'), call(GOOD_CALL)),
    ("call-id-missing", call('{"id": null, "name": "f", "args": {}}'), call(GOOD_CALL)),
    (
        "call-id-type",
        call('{"id": 7, "name": "f", "args": {}}'),
        call('{"id": "7", "name": "f", "args": {}}'),
    ),
    ("call-name-missing", call('{"id": "a", "args": {}}'), call(GOOD_CALL)),
    (
        "call-name-charset",
        call('{"id": "a", "name": "a b", "args": {}}'),
        call('{"id": "a", "name": "a.b:c-d"}'),
    ),
    ("call-partial", call('{"id": "a", "name": "f", "willContinue": true}'), call(GOOD_CALL)),
    ("args-absent", call('{"id": "a", "name": "f"}'), call('{"id": "a", "name": "f", "args": {}}')),
    ("args-null", call('{"id": "a", "name": "f", "args": null}'), call('{"id": "a", "name": "f"}')),
    ("args-string-parsed-once", call('{"id": "a", "name": "f", "args": "{}"}'), call(GOOD_CALL)),
    ("args-not-json", call('{"id": "a", "name": "f", "args": "x=1"}'), call(GOOD_CALL)),
    ("args-not-json", call('{"id": "a", "name": "f", "args": "{} {}"}'), call(GOOD_CALL)),
    ("args-double-encoded", call(r'{"id": "a", "name": "f", "args": "\"{}\""}'), call(GOOD_CALL)),
    ("args-not-object", call('{"id": "a", "name": "f", "args": [1]}'), call(GOOD_CALL)),
    ("args-not-object", call('{"id": "a", "name": "f", "args": "[1]"}'), call(GOOD_CALL)),
    (
        "json-duplicate-key",
        call(r'{"id": "a", "name": "f", "args": "{\"x\": 1, \"x\": 2}"}'),
        call(GOOD_CALL),
    ),
    ("json-nan", call(r'{"id": "a", "name": "f", "args": "{\"x\": NaN}"}'), call(GOOD_CALL)),
    (
        "args-envelope",
        call('{"id": "a", "name": "f", "args": ' + call(GOOD_CALL) + "}"),
        call('{"id": "a", "name": "f", "args": {"toolCalls": 3}}'),
    ),
    (
        "args-bigint",
        call('{"id": "a", "name": "f", "args": {"n": [9007199254740993]}}'),
        call('{"id": "a", "name": "f", "args": {"n": [9007199254740991]}}'),
    ),
    (
        "args-bigint",
        call('{"id": "a", "name": "f", "args": {"n": 1e400}}'),
        call('{"id": "a", "name": "f", "args": {"n": 1e300}}'),
    ),
    ("response-id-missing", answer('{"name": "f", "response": {"result": 1}}'), answer(GOOD_ANSWER)),
    ("response-id-type", answer('{"id": 1, "name": "f", "response": {"result": 1}}'), answer(GOOD_ANSWER)),
    (
        "response-name-missing",
        answer('{"id": "a", "name": "", "response": {"result": 1}}'),
        answer(GOOD_ANSWER),
    ),
    ("response-body-missing", answer('{"id": "a", "name": "f", "response": null}'), answer(GOOD_ANSWER)),
    ("response-not-object", answer('{"id": "a", "name": "f", "response": "ok"}'), answer(GOOD_ANSWER)),
    (
        "response-empty",
        answer('{"id": "a", "name": "f", "response": {}}'),
        answer('{"id": "a", "name": "f", "response": {}, "willContinue": false}'),
    ),
    (
        "response-uninformative",
        answer('{"id": "a", "name": "f", "response": {"results": [], "total": 0}}'),
        answer('{"id": "a", "name": "f", "response": {"results": [], "message": "none this week"}}'),
    ),
    (
        "response-output-and-error",
        answer('{"id": "a", "name": "f", "response": {"output": 1, "error": "late"}}'),
        answer('{"id": "a", "name": "f", "response": {"error": "late"}}'),
    ),
    (
        "scheduling-invalid",
        answer('{"id": "a", "name": "f", "response": {"result": 1}, "scheduling": "silent"}'),
        answer('{"id": "a", "name": "f", "response": {"result": 1}, "scheduling": "SILENT"}'),
    ),
    (
        "scheduling-unspecified",
        answer('{"id": "a", "name": "f", "response": {"result": 1}, "scheduling": "SCHEDULING_UNSPECIFIED"}'),
        answer(GOOD_ANSWER),
    ),
    (
        "scheduling-in-body",
        answer('{"id": "a", "name": "f", "response": {"result": 1, "scheduling": "SILENT"}}'),
        answer('{"id": "a", "name": "f", "response": {"result": 1}, "scheduling": "SILENT"}'),
    ),
    (
        "scheduling-body-unknown",
        answer('{"id": "a", "name": "f", "response": {"result": 1, "scheduling": "SOON"}}'),
        answer('{"id": "a", "name": "f", "response": {"result": 1, "scheduling": "SILENT"}}'),
    ),
    (
        "scheduling-conflict",
        answer('{"id": "a", "name": "f", "response": {"scheduling": "SILENT"}, "scheduling": "INTERRUPT"}'),
        answer('{"id": "a", "name": "f", "response": {"scheduling": "SILENT"}, "scheduling": "SILENT"}'),
    ),
    (
        "scheduling-nested",
        answer('{"id": "a", "name": "f", "response": {"result": {"scheduling": "SILENT"}}}'),
        answer('{"id": "a", "name": "f", "response": {"result": {"scheduling": "monday"}}}'),
    ),
    (
        "setup-structured-output",
        setup("gemini-3.8-live", TOOL, ', "generationConfig": {"responseSchema": {}}'),
        setup("gemini-3.8-live", TOOL, ', "generationConfig": {"temperature": 1}'),
    ),
    (
        "setup-behavior-model",
        setup("gemini-3.8-live-extended-thinking", '{"name": "f", "behavior": "BLOCKING"}'),
        setup("gemini-3.8-live", '{"name": "f", "behavior": "BLOCKING"}'),
    ),
    ("setup-async-default", setup("gemini-3.8-live", '{"name": "f"}'), setup("gemini-3.8-live", TOOL)),
]


@pytest.mark.parametrize(("code", "wrong", "right"), CASES)
def test_a_rule_speaks_and_is_silent_beside_it(code: str, wrong: str, right: str) -> None:
    assert code in codes(wrong)
    assert code not in codes(right)


STEPS = {
    "call-id-duplicate", "response-orphan", "response-duplicate", "response-after-final",
    "response-to-cancelled", "cancel-unknown-id", "cancel-after-answer", "response-missing",
    "response-name-mismatch", "response-to-refused", "scheduling-ignored", "will-continue-ignored",
}  # fmt: skip
"""Rules over an exchange; tests/test_pair.py has their cases."""


def test_every_rule_has_a_case_and_a_help_text() -> None:
    with_cases = {code for cases in (CASES, test_turns.CASES, test_declarations.CASES) for code, *_ in cases}
    assert {rule.code for rule in all_rules()} - STEPS == with_cases
    for rule in all_rules():
        assert len(rule.help.split()) > 5, rule.code


def test_a_more_specific_spelling_is_named() -> None:
    report = workbench.extract(answer('{"functionCallId": "a", "functionName": "f", "output": 1}'))

    messages = " ".join(finding.message for finding in report.findings)
    assert "functionCallId is no field here: it is called id." in messages


def test_an_inner_call_of_the_same_name_is_certain() -> None:
    same = workbench.extract(call('{"id": "a", "name": "f", "args": ' + call(GOOD_CALL) + "}"))
    other = workbench.extract(call('{"id": "a", "name": "g", "args": ' + call(GOOD_CALL) + "}"))

    assert same.status == "red"
    assert other.status == "green"
