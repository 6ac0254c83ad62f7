"""Model turns: what each is, and which rule says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import workbench
from tests.examples import codes_of

CALL = {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "A"}}}
TEXT = {"text": "Two are left."}


def body(*parts: Any, finish: str | None = "STOP", **more: Any) -> str:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return json.dumps({"candidates": [candidate | more]})


MORE = [
    ("generate-finish-incomplete", body(CALL, finish="FINISH_REASON_UNSPECIFIED"), body(CALL)),
    ("generate-finish-unknown", body(TEXT, finish="COSMIC_RAY"), body(TEXT, finish="MAX_TOKENS")),
    (
        "generate-stream-stop-empty",
        body(CALL, finish=None) + "\n" + body({"text": ""}),
        body(TEXT, finish=None) + "\n" + body(TEXT),
    ),
    ("generate-empty-content", body({"text": " \n"}), body(TEXT)),
    ("generate-multi-candidates", '{"candidates": [{}, {}]}', body(CALL)),
    ("generate-part-media", body(TEXT, {"fileData": {"fileUri": "x"}}), body(TEXT)),
    (
        "generate-id-ambiguous",
        body(*[{"functionCall": {"name": "f", "args": {}}}] * 2),
        body({"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "g", "args": {}}}),
    ),
]
"""Other ways to be wrong, and near misses; what each rule shows itself is tested in tests/test_rules.py."""


@pytest.mark.parametrize(("code", "wrong", "right"), MORE)
def test_a_rule_knows_other_ways_to_be_wrong_and_near_misses(code: str, wrong: str, right: str) -> None:
    assert code in codes_of(wrong)
    assert code not in codes_of(right)


ORDER = [
    ("api-error", '{"error": {"code": 500, "message": "x", "status": "X"}, "candidates": [{}, {}]}'),
    ("needs-review", '{"candidates": [{"finishReason": "SAFETY"}, {"finishReason": "SAFETY"}]}'),
    ("not-complete", body({"hologram": {}}, finish="SAFETY")),
    ("needs-review", body(TEXT, CALL, {"hologram": {}})),
    ("needs-review", body(CALL, {"functionCall": {}}, {"functionCall": "x"})),
    ("tool-request", body(TEXT, CALL)),
    ("answer-candidate", body(TEXT)),
    ("needs-review", body()),
]


@pytest.mark.parametrize(("kind", "text"), ORDER)
def test_the_first_hit_answers(kind: str, text: str) -> None:
    assert workbench.classify(text).kind == kind


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("candidate-count", '{"candidates": []}'),
        ("bad-call", body({"functionCall": "x"}, {"hologram": {}})),
        ("unsupported-part", body({"hologram": {}}, {"functionCall": "x"})),
        ("unsupported-part", body({"toolCall": {"toolType": "URL_CONTEXT"}})),
        ("unsupported-part", body(TEXT, {"inlineData": {}})),
        ("empty-content", body({"text": "Hm.", "thought": True})),
        (None, body(TEXT)),
    ],
)
def test_the_reason_is_named(reason: str | None, text: str) -> None:
    assert workbench.classify(text).reason == reason


def test_thoughts_are_never_part_of_the_answer() -> None:
    report = workbench.classify(
        body({"text": "Secret.", "thought": True}, {"text": "Two "}, {"text": "left."})
    )

    assert report.text == "Two left."
    assert report.status == "green"


def test_the_content_comes_back_untouched() -> None:
    part = '{"functionCall": {"name": "f", "args": {"n": 1.10}}, "thoughtSignature": "Eq0B\\u003d"}'
    content = '{"role":"model", "parts": [' + part + "]}"
    whole = workbench.classify('{"candidates": [{"content": ' + content + ', "finishReason": "STOP"}]}')
    chunk = '{"candidates": [{"content": ' + content + "}]}"
    stream = workbench.classify(chunk + "\n" + body({"text": ""}))

    assert whole.model_content is not None
    assert whole.model_content.text == content
    assert stream.model_content is not None
    assert part in stream.model_content.text
    assert stream.kind == "tool-request"


def test_an_empty_stop_before_any_content_does_not_end_the_turn() -> None:
    early = '{"candidates": [{"finishReason": "STOP"}]}'

    assert workbench.classify(early + "\n" + body(CALL)).kind == "tool-request"


def test_streamed_arguments_are_put_together() -> None:
    def fragment(call: dict[str, Any]) -> str:
        return body({"functionCall": call}, finish=None)

    report = workbench.extract(
        "\n".join(
            [
                fragment({"id": "c", "name": "f", "willContinue": True}),
                fragment(
                    {
                        "partialArgs": [
                            {"jsonPath": "$.to.city", "stringValue": "Bos", "willContinue": True}
                        ],
                        "willContinue": True,
                    }
                ),
                fragment(
                    {
                        "partialArgs": [
                            {"jsonPath": "$.to.city", "stringValue": "ton"},
                            {"jsonPath": "$.n", "numberValue": 1.10},
                        ],
                        "willContinue": True,
                    }
                ),
                fragment({}),
                body({"text": ""}),
            ]
        ),
        '{"f": {"properties": {"to": {"properties": {"city": {"const": "Boston"}}}}}}',
    )

    (call,) = report.calls
    assert call.args is not None
    assert json.loads(call.args.text) == {"to": {"city": "Boston"}, "n": 1.1}
    assert (call.verdict, call.executable, call.id) == ("accept", True, "c")
    assert report.kind == "tool-request"


def test_a_call_of_an_incomplete_turn_is_judged_and_never_runs() -> None:
    report = workbench.extract(body(CALL, finish="MAX_TOKENS"), '{"lookup_stock": {}}')

    assert report.calls[0].verdict == "accept"
    assert not report.calls[0].executable
    assert report.status == "red"
    assert workbench.respond(body(CALL, finish="MAX_TOKENS")).text is None


@pytest.mark.parametrize(
    "text", ["<html>502 Bad Gateway</html>", "upstream connect error", "", "{", '{"hello": 1}', "[]"]
)
def test_what_is_no_turn_is_never_told_as_empty(text: str) -> None:
    report = workbench.classify(text)

    assert report.kind == "unknown"
    assert report.status == "red"
    assert report.findings


def test_a_line_that_carries_the_error_object_is_an_api_error() -> None:
    line = 'HTTP 429: {"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}}'

    report = workbench.classify(line)
    assert report.kind == "api-error"
    told = {finding.code: finding.at.column for finding in report.findings}
    assert told == {"log-prefix": 1, "generate-api-error": line.index('{"code"') + 1}


def test_the_answer_is_appended_behind_the_untouched_content() -> None:
    text = body(CALL, CALL | {"thoughtSignature": "x"}, TEXT).replace('"c1"', '"c2"', 1)
    report = workbench.respond(text, '{"lookup_stock": {"required": ["shelf"]}}')

    assert report.turns is not None
    model, user = json.loads(report.turns.text)
    assert model == json.loads(text)["candidates"][0]["content"]
    assert [part["functionResponse"]["id"] for part in user["parts"]] == ["c2", "c1"]
    assert all("error" in part["functionResponse"]["response"] for part in user["parts"])
    assert report.text is not None
    assert json.loads(report.text) == user


def test_answers_without_ids_pair_by_name_and_position() -> None:
    calls = body(*[{"functionCall": {"name": name, "args": {}}} for name in ("f", "f", "g")])
    parts = [{"functionResponse": {"name": name, "response": {"result": 1}}} for name in ("f", "g", "f")]

    good = workbench.pair(calls, json.dumps({"role": "user", "parts": parts}))
    short = workbench.pair(calls, json.dumps({"role": "user", "parts": parts[:2]}))
    assert [row.state for row in good.ledger] == ["answered", "answered", "answered"]
    assert good.status == "green"
    assert "response-missing" in {finding.code for finding in short.findings}


def test_a_draft_without_ids_pairs_with_its_calls() -> None:
    calls = body({"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "g", "args": {}}})
    draft = workbench.respond(calls).text

    assert draft is not None
    assert "id" not in json.loads(draft)["parts"][0]["functionResponse"]
    assert workbench.pair(calls, draft).status == "green"
