"""Each rule speaks where it should and is silent on the frame beside it."""

from __future__ import annotations

import pytest

from app import help, workbench
from app.rules import Rule, all_rules
from tests.examples import codes_of


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

WITHOUT_EXAMPLE = {"declaration-too-many"}
"""It takes 513 declarations to show it; tests/test_declarations.py does."""


def _name(each: Rule) -> str:
    return f"{each.check.__module__.removeprefix('app.rules.')}-{each.code}"


@pytest.mark.parametrize("each", all_rules(), ids=_name)
def test_a_rule_speaks_on_its_bad_example_and_is_silent_on_its_good_one(each: Rule) -> None:
    page = help.parse(each.code, each.help)

    if each.code in WITHOUT_EXAMPLE:
        assert page.bad is page.good is None
        return
    assert page.bad is not None
    assert page.good is not None
    assert each.code in codes_of(page.bad)
    assert each.code not in codes_of(page.good)


MORE = [
    ("unknown-frame", "[1, 2]", "[" + call(GOOD_CALL) + "]"),
    ("unknown-frame", "{}", '{"setupComplete": {}}'),
    ("frame-direction-mixed", '{"toolCall": {"functionCalls": []}, "toolResponse": {}}', call(GOOD_CALL)),
    ("frame-unknown-field", '{"serverContent": {"news": 1}}', '{"serverContent": {"turnComplete": true}}'),
    ("calls-missing", '{"toolCall": {"functionCalls": null}}', call(GOOD_CALL)),
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
        "cancel-ids-invalid",
        '{"toolCallCancellation": {"ids": [1]}}',
        '{"toolCallCancellation": {"ids": ["a"]}}',
    ),
    ("cancel-ids-invalid", '{"toolCallCancellation": {}}', '{"toolCallCancellation": {"ids": ["a"]}}'),
    ("call-id-missing", call('{"id": null, "name": "f", "args": {}}'), call(GOOD_CALL)),
    ("call-id-missing", call('{"id": "", "name": "f", "args": {}}'), call(GOOD_CALL)),
    (
        "call-name-charset",
        call('{"id": "a", "name": "1f", "args": {}}'),
        call('{"id": "a", "name": "a.b:c-d", "args": {}}'),
    ),
    ("args-null", call('{"id": "a", "name": "f", "args": null}'), call('{"id": "a", "name": "f"}')),
    ("args-not-json", call('{"id": "a", "name": "f", "args": "{} {}"}'), call(GOOD_CALL)),
    ("args-not-object", call('{"id": "a", "name": "f", "args": "[1]"}'), call(GOOD_CALL)),
    (
        "args-envelope",
        call('{"id": "a", "name": "f", "args": ' + GOOD_CALL + "}"),
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
    ("response-name-missing", answer('{"id": "a", "response": {"result": 1}}'), answer(GOOD_ANSWER)),
    (
        "response-output-and-error",
        answer('{"id": "a", "name": "f", "response": {"output": 1, "error": "late"}}'),
        answer('{"id": "a", "name": "f", "response": {"output": 1}}'),
    ),
    (
        "scheduling-conflict",
        answer('{"id": "a", "name": "f", "response": {"scheduling": "SILENT"}, "scheduling": "INTERRUPT"}'),
        answer('{"id": "a", "name": "f", "response": {"scheduling": "SILENT"}, "scheduling": "SILENT"}'),
    ),
    (
        "setup-structured-output",
        setup("gemini-3.8-live", TOOL, ', "generationConfig": {"responseJsonSchema": {}}'),
        setup("gemini-3.8-live", TOOL, ', "generationConfig": {}'),
    ),
    (
        "setup-behavior-model",
        setup("gemini-3.1-flash-live-preview", TOOL),
        setup("gemini-3.8-live", '{"name": "f", "behavior": "BLOCKING"}'),
    ),
    (
        "setup-async-default",
        setup("gemini-3.8-live", '{"name": "f"}'),
        setup("gemini-3.8-live-extended-thinking", '{"name": "f"}'),
    ),
]
"""Other ways to be wrong, and near misses. What a rule's docstring shows is not repeated here."""


@pytest.mark.parametrize(("code", "wrong", "right"), MORE)
def test_a_rule_knows_other_ways_to_be_wrong_and_near_misses(code: str, wrong: str, right: str) -> None:
    assert code in codes_of(wrong)
    assert code not in codes_of(right)


def test_a_more_specific_spelling_is_named() -> None:
    report = workbench.extract(answer('{"functionCallId": "a", "functionName": "f", "output": 1}'))

    messages = " ".join(finding.message for finding in report.findings)
    assert "functionCallId is no field here: it is called id." in messages


def test_an_inner_call_of_the_same_name_is_certain() -> None:
    same = workbench.extract(call('{"id": "a", "name": "f", "args": ' + call(GOOD_CALL) + "}"))
    other = workbench.extract(call('{"id": "a", "name": "g", "args": ' + call(GOOD_CALL) + "}"))

    assert same.status == "red"
    assert other.status == "green"
