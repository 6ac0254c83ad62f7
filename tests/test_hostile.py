"""Odd and hostile input, each kind that once got a wrong answer: never green by accident, never a crash."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import httpx
import pytest

from app import workbench
from app.model import Options
from app.reports import Inputs

CALL = '{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": {"a": 1}}]}}'


def setup(*tools: dict[str, Any]) -> str:
    return json.dumps({"setup": {"model": "models/x", "tools": [{"functionDeclarations": list(tools)}]}})


def declared(parameters: Any, name: str = "f") -> dict[str, Any]:
    return {"name": name, "parameters": parameters}


def verdict(args: Any, parameters: Any) -> str:
    text = json.dumps({"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": args}]}})
    contracts = json.dumps({"functionDeclarations": [declared(parameters)]})
    return workbench.extract(text, contracts).calls[0].verdict.value


# The page's options ----------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        "[" * 100_000,
        "[" * 2_000 + "]" * 2_000,
        '{"a": ' + "[" * 900 + "]" * 900 + "}",
        '{"scheduling": ["INTERRUPT"]}',
        '{"a": ' + "1" * 5_000 + "}",
        "1" * 5_000,
        '{"fold": "CLOSED"}',
        '{"string_args": 1}',
        '{"assert_formats": "yes"}',
        "[]",
    ],
)
def test_odd_options_are_told_and_change_nothing(client: httpx.Client, options: str) -> None:
    contracts = json.dumps({"functionDeclarations": [declared({"type": "OBJECT"})]})
    fields = {"options": options, "calls_text": CALL, "contracts_text": contracts}

    answer = client.post("/panels", files={name: (None, text) for name, text in fields.items()})
    assert answer.status_code == 200
    assert 'data-panel="args" data-status="red"' in answer.text
    assert "made a mistake" not in answer.text
    report = workbench.panels(Inputs(**fields))
    if not options.startswith('{"a"'):
        assert "options-invalid" in {finding.code for finding in report.findings}
    assert report.extract.calls[0].verdict == "refuse"


def test_a_large_urlencoded_form_is_turned_away_before_it_is_parsed(client: httpx.Client) -> None:
    form = "calls_text=" + "%7b" * 3_000_000

    started = time.perf_counter()
    sender = threading.Thread(
        target=lambda: client.post(
            "/panels", content=form, headers={"Content-Type": "application/x-www-form-urlencoded"}
        )
    )
    sender.start()
    assert client.get("/api/health").status_code == 200
    sender.join()
    assert time.perf_counter() - started < 3
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    large = client.post("/panels", content="calls_text=" + "+" * 200_000, headers=headers)
    assert large.status_code == 415
    assert large.json()["findings"][0]["code"] == "request-invalid"
    assert client.post("/panels", data={"calls_text": "{}"}).status_code == 200
    unknown = client.post("/panels", content="calls_text={}", headers={"Content-Type": "text/plain"})
    assert unknown.status_code == 415


# Never green by accident -------------------------------------------------------


def test_a_broken_declaration_of_the_paste_itself_is_red() -> None:
    broken = {"name": "f", "description": "d", "parametersJsonSchema": {"type": "nope"}}

    report = workbench.extract(setup(broken) + "\n" + CALL)
    assert report.status == "red"
    assert report.calls[0].verdict == "contract-error"
    assert "contract-invalid" in {finding.code for finding in report.findings}


@pytest.mark.parametrize("order", [1, -1])
def test_two_declarations_of_one_name_judge_nothing(order: int) -> None:
    tools = [declared({"type": "OBJECT", "properties": {key: {"type": "NUMBER"}}}) for key in ("a", "b")]

    report = workbench.extract(setup(*tools[::order]) + "\n" + CALL)
    assert report.calls[0].verdict == "contract-error"
    assert report.status == "red"


@pytest.mark.parametrize("text", ["```json\n```", "```\n\n```", "event: ping\n\ndata:\n", ": c\ndata:"])
def test_a_container_that_holds_nothing_is_not_green(text: str) -> None:
    report = workbench.extract(text)

    assert report.status == "red"
    assert any(finding.is_error for finding in report.findings)


@pytest.mark.parametrize("text", ["5", '"x"', "null", "[]", "[1]", "{}", '{"foo": 1}'])
@pytest.mark.parametrize("dialect", ["gemini-live", "gemini-declaration", "gemini-generate"])
def test_a_forced_dialect_makes_nothing_a_frame(text: str, dialect: str) -> None:
    assert workbench.extract(text, None, Options(dialect=dialect)).status == "red"


def test_all_null_members_are_no_frame() -> None:
    assert workbench.extract('{"toolCall": null}').status == "red"


@pytest.mark.parametrize(
    "entry",
    ['{"id_": "a", "name_": "f", "args_": {}}', '{"Id": "a", "name": "f"}', '{"_id": "a", "name": "f"}'],
)
def test_a_key_that_only_looks_like_a_field_is_none(entry: str) -> None:
    report = workbench.extract('{"tool_call": {"function_calls": [' + entry + "]}}")

    assert report.calls == ()
    assert report.status == "red"


@pytest.mark.parametrize("key", ["tool__call", "tool_Call", "toolcall", "tool_call_"])
def test_an_envelope_that_only_looks_like_one_is_none(key: str) -> None:
    assert workbench.extract(CALL.replace("toolCall", key)).dialect == "unknown"


def test_two_spellings_of_one_field_in_a_declaration_judge_nothing() -> None:
    parameters = {"type": "OBJECT", "additional_properties": True, "additionalProperties": False}

    assert verdict({"zz": 1}, parameters) == "contract-error"
    assert verdict({"roomId": 1}, {"type": "OBJECT", "properties": {"room_id": {}, "roomId": {}}}) == "accept"


def test_a_duplicate_key_in_a_payload_text_is_refused() -> None:
    cases = [{"name": "ok", "payload_text": '{"room": "garage", "room": "kitchen"}'}]

    report = workbench.cases(json.dumps(cases), schema_text="true")
    assert report.status == "red"
    assert "json-duplicate-key" in {finding.code for finding in report.findings}


def test_a_failure_for_an_id_nobody_has_is_not_told_as_success() -> None:
    report = workbench.respond(CALL, errors='{"typo": {"message": "boom"}}')

    assert report.status == "red"
    assert "response-orphan" in {finding.code for finding in report.findings}


@pytest.mark.parametrize("body", [{"errors": [1]}, {"errors": "x"}, {"results": 5}, {"results_text": '"x"'}])
def test_outcomes_of_the_wrong_shape_are_a_422(client: httpx.Client, body: dict[str, Any]) -> None:
    assert client.post("/api/respond", json={"text": CALL, **body}).status_code == 422


@pytest.mark.parametrize("enum", ["garbage", 5, {"/n": {"a": 1}}, [1, 2]])
def test_an_enum_of_the_wrong_shape_is_a_422(client: httpx.Client, enum: Any) -> None:
    assert client.post("/api/tighten", json={"schema": {"type": "object"}, "enum": enum}).status_code == 422


# Never red by accident ---------------------------------------------------------


def test_a_cancellation_may_come_before_its_call() -> None:
    report = workbench.extract('{"toolCallCancellation": {"ids": ["a"]}}\n' + CALL)

    assert "call-id-duplicate" not in {finding.code for finding in report.findings}
    assert report.calls[0].cancelled
    assert not report.calls[0].executable


def test_branches_of_an_object_may_each_name_their_keys() -> None:
    branch = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["a"]}
    other = {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}, "required": ["b"]}
    parameters = {"type": "OBJECT", "properties": {"n": {"type": "NUMBER"}}, "anyOf": [branch, other]}

    assert verdict({"a": "x", "n": 1}, parameters) == "accept"
    assert verdict({"b": "x"}, parameters) == "accept"
    assert verdict({"a": "x", "extra_cmd": 1}, parameters) == "refuse"
    assert verdict({"n": 1}, parameters) == "refuse"


def test_nullable_beside_alternatives_admits_null() -> None:
    either = {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}], "nullable": True}

    assert verdict({"q": None}, {"type": "OBJECT", "properties": {"q": either}}) == "accept"
    assert verdict({"q": True}, {"type": "OBJECT", "properties": {"q": either}}) == "refuse"


RESULT = (
    '[{"name": "f", "result": {"properties": {"q": {}}, "required": ["q"], "additionalProperties": false}}]'
)


def answer(body: str) -> str:
    return '{"toolResponse": {"functionResponses": [{"id": "a", "name": "f", "response": ' + body + "}]}}"


def test_a_hint_beside_the_result_never_leaks_into_it() -> None:
    call = CALL.replace('{"a": 1}', "{}")
    text = answer('{"q": 1, "scheduling": "INTERRUPT"}')

    assert workbench.pair(call, text, contracts_text=RESULT).status == "green"
    inferred = workbench.infer(text, part="result")
    assert inferred.schema is not None
    assert "scheduling" not in inferred.schema.text


def test_an_error_inside_json_text_is_an_error() -> None:
    call = CALL.replace('{"a": 1}', "{}")
    pair = workbench.pair(
        call, answer(r'{"output": "{\"error\": \"x\"}"}'), contracts_text='{"f": {"required": ["z"]}}'
    )

    assert pair.ledger[0].state == "errored"
    assert "response-to-refused" not in {finding.code for finding in pair.findings}


def test_a_tool_may_be_called_like_a_keyword() -> None:
    contracts = '{"title": {"type": "object"}, "f": {}, "description": {}}'

    assert workbench.extract(CALL, contracts).calls[0].verdict == "accept"


def test_two_engines_agree_on_integers_of_each_draft() -> None:
    for draft in ("http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2020-12/schema"):
        schema = json.dumps({"$schema": draft, "type": "integer"})
        opinion = workbench.validate("1.0", schema_text=schema).second_opinion
        assert opinion is not None
        assert opinion.agrees


# Every red says why --------------------------------------------------------------


def test_a_red_has_an_error_that_says_why() -> None:
    reports: list[Any] = [
        workbench.validate("1", schema_text='{"type": "string"}\n{"type": "number"}'),
        workbench.validate("1\n2", schema_text="true"),
        workbench.cases("{}", schema_text="true"),
        workbench.cases("[]", schema_text="true"),
        workbench.cases('[{"name": "n", "payload": 1, "payload_text": "1"}]', schema_text="true"),
    ]

    for report in reports:
        assert report.status == "red"
        assert any(finding.is_error for finding in report.findings)


# Legal input never ends in a mistake of ours ---------------------------------------


@pytest.mark.parametrize("number", ["007", "--5", "²", "١", "", "1.5"])
def test_numbers_that_are_none_are_told(number: str) -> None:
    for keyword, schema in (
        ("enum", {"type": "INTEGER", "enum": [number]}),
        ("minLength", {"type": "STRING", "minLength": number}),
    ):
        outcome = verdict({"n": 7}, {"type": "OBJECT", "properties": {"n": schema}})
        assert outcome in ("refuse", "contract-error"), keyword


def test_a_huge_number_fits_or_fits_not() -> None:
    report = workbench.tighten(
        schema_text='{"type": "object", "properties": {"n": {"type": "integer"}}}',
        enum_text='{"/n": [1e400]}',
    )

    assert report.schema is not None


def test_a_result_as_deep_as_the_reader_goes_is_answered() -> None:
    deep = "[" * 252 + "]" * 252

    text = workbench.respond(CALL, results='{"a": ' + deep + "}").text
    assert text is not None
    assert deep in text.replace(" ", "").replace("\n", "")


def test_a_declaration_as_deep_as_the_reader_goes_is_judged_or_told() -> None:
    schema = '{"type":"ARRAY","items":' * 250 + '{"type":"STRING","nullable":true}' + "}" * 250
    contract = '{"functionDeclarations": [{"name": "f", "parameters": ' + schema + "}]}"

    report = workbench.validate("[]", contract_text=contract)
    assert report.verdict in ("accept", "contract-error")  # and nothing was raised


def test_a_javascript_draft_sets_no_prototype() -> None:
    text = workbench.respond(CALL, results='{"a": {"__proto__": {"x": 1}}}', form="js").text

    assert text is not None
    assert '["__proto__"]' in text
