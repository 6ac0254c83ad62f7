"""Contracts in every form they come in, and what they say of a call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import workbench
from app.model import Options, Verdict

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["room"],
    "properties": {"room": {"enum": ["kitchen", "attic"]}, "n": {"type": "integer"}},
}
DECLARATION = {
    "name": "set_light",
    "parameters": {
        "type": "OBJECT",
        "properties": {"room": {"type": "STRING", "enum": ["kitchen", "attic"]}, "n": {"type": "INTEGER"}},
        "required": ["room"],
    },
}
FORMS: dict[str, Any] = {
    "list": [{"name": "set_light", "parameters": SCHEMA}],
    "one contract": {"name": "set_light", "parameters": SCHEMA},
    "map": {"set_light": SCHEMA},
    "functionDeclarations": {"functionDeclarations": [DECLARATION]},
    "snake case": {"function_declarations": [DECLARATION]},
    "tools": {"tools": [{"functionDeclarations": [DECLARATION]}]},
    "list of tools": [{"functionDeclarations": [DECLARATION]}],
    "bare declaration": DECLARATION,
    "list of declarations": [DECLARATION],
    "setup": {"setup": {"model": "models/x", "tools": [{"functionDeclarations": [DECLARATION]}]}},
    "parametersJsonSchema": {"functionDeclarations": [{"name": "set_light", "parametersJsonSchema": SCHEMA}]},
}


def call(args: str, name: str = "set_light") -> str:
    return '{"toolCall": {"functionCalls": [{"id": "a", "name": "' + name + '", "args": ' + args + "}]}}"


def verdict(args: str, contracts: Any, name: str = "set_light", options: Options | None = None) -> Verdict:
    text = contracts if isinstance(contracts, str) else json.dumps(contracts)
    return workbench.extract(call(args, name), text, options or Options()).calls[0].verdict


@pytest.mark.parametrize("form", FORMS)
def test_every_form_accepts_and_refuses_the_same(form: str) -> None:
    contracts = FORMS[form]

    assert verdict('{"room": "kitchen", "n": 1}', contracts) == "accept"
    assert verdict('{"room": "garage"}', contracts) == "refuse"
    assert verdict('{"n": 1}', contracts) == "refuse"
    assert verdict('{"room": "attic", "extra_cmd": "unlock"}', contracts) == "refuse"
    assert verdict('{"room": "attic", "n": "1"}', contracts) == "refuse"
    assert verdict('{"room": "attic"}', contracts, name="set_lights") == "refuse"


def test_without_contracts_nothing_is_accepted() -> None:
    report = workbench.extract(call('{"room": "garage"}'))

    assert report.calls[0].verdict == "unchecked"
    assert report.calls[0].executable
    assert report.status == "green"


def test_white_space_is_no_contract() -> None:
    assert verdict("{}", " \n") == "unchecked"


@pytest.mark.parametrize("text", ["{", "[1]", '{"type": "object"}', '{"functionDeclarations": []}', '"x"'])
def test_what_is_no_contract_is_red_and_accepts_nothing(text: str) -> None:
    report = workbench.extract(call('{"room": "kitchen"}'), text)

    assert report.calls[0].verdict == "contract-error"
    assert not report.calls[0].executable
    assert report.status == "red"
    assert any(finding.at.input == "contracts" and finding.is_error for finding in report.findings)


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "objekt"}, "contract-invalid"),
        ({"required": "room"}, "contract-invalid"),
        ({"$ref": "http://127.0.0.1:9/x"}, "ref-external"),
        ({"$ref": "#"}, "contract-invalid"),
        ({"$schema": "https://example.test/mine"}, "contract-invalid"),
    ],
)
def test_a_bad_schema_accepts_nothing(schema: Any, code: str) -> None:
    report = workbench.extract(call("{}"), json.dumps({"set_light": schema}))

    assert report.calls[0].verdict == "contract-error"
    assert code in {finding.code for finding in report.findings}


def test_one_bad_contract_does_not_hide_the_others() -> None:
    contracts = {"set_light": SCHEMA, "broken": {"type": "objekt"}}

    assert verdict('{"room": "kitchen"}', contracts) == "accept"
    assert verdict("{}", contracts, name="broken") == "contract-error"


def test_two_contracts_of_one_name_are_red() -> None:
    report = workbench.extract(call('{"room": "kitchen"}'), json.dumps([DECLARATION, DECLARATION]))

    assert "declaration-dup-name" in {finding.code for finding in report.findings}


def test_a_tool_without_parameters_takes_no_args() -> None:
    contracts = [{"name": "set_light"}]

    assert verdict("{}", contracts) == "accept"
    assert verdict('{"room": "kitchen"}', contracts) == "refuse"


def test_a_declaration_is_closed_unless_told_otherwise() -> None:
    contracts = {"functionDeclarations": [DECLARATION]}
    extra = '{"room": "attic", "extra_cmd": "unlock"}'

    assert verdict(extra, contracts) == "refuse"
    assert verdict(extra, contracts, options=Options(fold="open")) == "accept"
    codes = {finding.code for finding in workbench.extract(call(extra), json.dumps(contracts)).findings}
    assert {"contract-closed", "contract-types-folded"} <= codes


def test_an_open_schema_stays_open_and_says_so() -> None:
    contracts = {"set_light": {"type": "object"}}

    assert verdict('{"extra_cmd": 1}', contracts) == "accept"
    codes = {finding.code for finding in workbench.extract(call("{}"), json.dumps(contracts)).findings}
    assert "open-object" in codes


def test_folding_keeps_null_numbers_and_limits() -> None:
    contracts = {
        "functionDeclarations": [
            {
                "name": "set_light",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {
                        "level": {"type": "INTEGER", "enum": ["1", "2"], "nullable": True},
                        "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "max_items": "2"},
                    },
                },
            }
        ]
    }

    assert verdict('{"level": 1, "tags": ["a"]}', contracts) == "accept"
    assert verdict('{"level": null}', contracts) == "accept"
    assert verdict('{"level": "1"}', contracts) == "refuse"
    assert verdict('{"tags": ["a", "b", "c"]}', contracts) == "refuse"


def test_a_violation_names_key_keyword_and_both_places() -> None:
    contracts = '{\n  "set_light": {\n    "type": "object",\n    "additionalProperties": false\n  }\n}'
    text = '{"toolCall": {"functionCalls": [\n{"id": "a", "name": "set_light",\n "args": {"x": 1}}]}}'

    finding = next(f for f in workbench.extract(text, contracts).findings if f.code == "args-schema")
    assert finding.keyword == "additionalProperties"
    assert finding.key == "x"
    assert finding.at.pointer == "/toolCall/functionCalls/0/args"
    assert (finding.at.line, finding.at.column, finding.at.end_column) == (3, 11, 14)
    assert (finding.schema_pointer, finding.schema_line) == ("/additionalProperties", 4)
    assert finding.call_id == "a"


def test_the_place_of_a_folded_keyword_is_in_the_pasted_declaration() -> None:
    contracts = json.dumps({"functionDeclarations": [DECLARATION]}, indent=1)

    finding = next(
        f
        for f in workbench.extract(call('{"room": "garage"}'), contracts).findings
        if f.keyword == "enum" and f.is_error
    )
    assert finding.schema_line is not None
    assert '"enum"' in contracts.splitlines()[finding.schema_line - 1]


def test_places_inside_parsed_string_args_point_into_the_string() -> None:
    text = call(json.dumps(json.dumps({"room": "garage"})))

    finding = next(
        f for f in workbench.extract(text, json.dumps(FORMS["map"])).findings if f.keyword == "enum"
    )
    assert finding.at.pointer == "/toolCall/functionCalls/0/args"
    assert finding.at.inner == "/room"
    assert finding.at.column is not None
    assert text[finding.at.column - 1 :].startswith('\\"garage')


def test_a_pasted_setup_is_the_contract_from_there_on() -> None:
    early = call('{"room": "garage"}')
    log = early + "\n" + json.dumps(FORMS["setup"]) + "\n" + call('{"room": "attic"}').replace('"a"', '"b"')

    report = workbench.extract(log)
    assert [each.verdict for each in report.calls] == ["unchecked", "accept"]
    assert [each.name for each in report.declarations] == ["set_light"]


def test_given_contracts_go_before_a_pasted_setup() -> None:
    log = json.dumps(FORMS["setup"]) + "\n" + call('{"room": "cellar"}')

    report = workbench.extract(log, json.dumps({"set_light": True}))
    assert report.calls[0].verdict == "accept"


def test_a_prefixed_name_is_told_apart() -> None:
    report = workbench.extract(call("{}", "default_api.set_light"), json.dumps(FORMS["map"]))

    assert report.calls[0].verdict == "refuse"
    assert {"call-name-unknown", "call-name-prefixed"} <= {f.code for f in report.findings}


def test_json_text_at_a_leaf_is_named() -> None:
    contracts = {"set_light": {"properties": {"room": {"type": "object"}}}}

    report = workbench.extract(call(json.dumps({"room": '{"a": 1}'})), json.dumps(contracts))
    assert {"args-schema", "args-encoded-leaf"} <= {finding.code for finding in report.findings}


def test_formats_are_asserted_only_when_asked() -> None:
    contracts = {"set_light": {"properties": {"at": {"format": "date"}}}}

    assert verdict('{"at": "tomorrow"}', contracts) == "accept"
    assert verdict('{"at": "tomorrow"}', contracts, options=Options(assert_formats=True)) == "refuse"


# Payloads and cases ----------------------------------------------------------

SEED_CASES = """{
  "ok": { "room": "kitchen" },
  "unknown_room": { "room": "garage" },
  "extra_field": { "room": "kitchen", "extra_cmd": "unlock" },
  "wrong_type": { "room": "kitchen", "n": "开" },
  "args_as_string": "{\\"room\\":\\"kitchen\\"}"
}"""


def test_the_five_payloads_come_out_as_expected() -> None:
    report = workbench.cases(SEED_CASES, schema_text=json.dumps(SCHEMA))

    assert (report.status, report.passed, report.failed) == ("green", 5, 0)
    assert [(r.name, r.verdict.value) for r in report.results] == [
        ("ok", "accept"),
        ("unknown_room", "refuse"),
        ("extra_field", "refuse"),
        ("wrong_type", "refuse"),
        ("args_as_string", "refuse"),
    ]


def test_a_case_that_is_not_refused_is_red() -> None:
    report = workbench.cases(SEED_CASES, schema_text='{"type": "object"}')

    assert report.status == "red"
    assert {r.name for r in report.results if not r.as_expected} == {
        "unknown_room",
        "extra_field",
        "wrong_type",
    }


def test_because_names_the_keyword_that_must_refuse() -> None:
    def as_expected(because: str) -> bool:
        cases = [{"name": "n", "payload": {"room": "garage"}, "expect": "refuse", "because": because}]
        return workbench.cases(json.dumps(cases), schema_text=json.dumps(SCHEMA)).results[0].as_expected

    assert as_expected("enum")
    assert not as_expected("additionalProperties")


@pytest.mark.parametrize(
    ("name", "expect"),
    [("ok", "accept"), ("ok_2", "accept"), ("ok 3", "accept"), ("okay", "refuse"), ("not_ok", "refuse")],
)
def test_a_name_says_what_is_expected(name: str, expect: str) -> None:
    report = workbench.cases(json.dumps({name: 1}), schema_text="true")

    assert report.results[0].expect == expect


def test_no_case_at_all_is_not_green() -> None:
    assert workbench.cases("", schema_text="true").status == "idle"
    assert workbench.cases("{}", schema_text="true").status == "red"


@pytest.mark.parametrize(
    "text", ['[{"payload": 1}]', '[{"name": "n"}]', "3", '[{"name": "n", "payload": 1, "expect": "x"}]']
)
def test_a_bad_case_is_named(text: str) -> None:
    report = workbench.cases(text, schema_text="true")

    assert report.status == "red"
    assert "case-invalid" in {finding.code for finding in report.findings}


def test_payload_text_reaches_the_reader_untouched() -> None:
    cases = [{"name": "n", "payload_text": '{"a": NaN}'}, {"name": "m", "payload_text": "{"}]

    report = workbench.cases(json.dumps(cases), schema_text="true")
    assert [{f.code for f in r.findings} for r in report.results] == [{"json-nan"}, {"json-invalid"}]


def test_a_string_payload_is_never_parsed() -> None:
    report = workbench.validate('"{\\"room\\": \\"kitchen\\"}"', schema_text=json.dumps(SCHEMA))

    assert report.verdict == "refuse"
    assert report.findings[0].keyword == "type"


def test_a_frame_as_payload_is_named_beside_the_verdict() -> None:
    report = workbench.validate(call("{}"), schema_text=json.dumps(SCHEMA))

    assert report.verdict == "refuse"
    assert "args-envelope" in {finding.code for finding in report.findings}


@pytest.mark.parametrize("payload", ["", "{", '{"a": 1, "a": 2}', '{"a": NaN}'])
def test_a_payload_that_cannot_be_read_is_not_accepted(payload: str) -> None:
    report = workbench.validate(payload, schema_text="true")

    assert (report.status, report.verdict) == ("red", "refuse")


def test_two_engines_agree_on_the_light() -> None:
    for payload in ('{"room": "kitchen"}', '{"room": "garage"}'):
        opinion = workbench.validate(payload, schema_text=json.dumps(SCHEMA)).second_opinion
        assert opinion is not None
        assert opinion.agrees


def test_the_result_part_judges_results() -> None:
    contract = json.dumps({"name": "f", "result": {"required": ["done"]}})

    assert workbench.validate("{}", contract_text=contract, part="result").findings[0].code == "result-schema"
    assert workbench.validate('{"done": 1}', contract_text=contract, part="result").verdict == "accept"
