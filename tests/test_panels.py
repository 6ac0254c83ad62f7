"""The page's panels: what each says, and what the buttons on them do to the texts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from app import workbench
from app.reports import Additions, Inputs, PanelsReport
from app.web import samples
from tests.gallery import filling

SCHEMA = """{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "required": ["room", "on"],
  "properties": {
    "room": { "type": "string", "enum": ["living_room", "kitchen", "bedroom"] },
    "on": { "type": "boolean" }
  }
}"""
TEN = "\n".join(
    json.dumps({"room": room, "on": on})
    for room, on in zip(
        ["kitchen", "living_room", "bedroom", "kitchen", "kitchen"] * 2, [True, False] * 5, strict=True
    )
)
GOOD = '{"id": "a", "name": "set_light", "args": {"room": "kitchen", "on": false}}'
GARAGE = '{"id": "b", "name": "set_light", "args": {"room": "garage", "on": true, "extra_cmd": "unlock"}}'


def frame(*calls: str) -> str:
    return '{"toolCall": {"functionCalls": [' + ", ".join(calls) + "]}}"


LIGHT = Inputs(calls_text=frame(GOOD, GARAGE), contracts_text=SCHEMA, contract_name="set_light")


def statuses(inputs: Inputs) -> dict[str, str]:
    return {name: status.value for name, status in workbench.panels(inputs).statuses.items()}


def edited(inputs: Inputs, *commands: str, new: Additions | None = None) -> tuple[Inputs, PanelsReport]:
    """Make edits one after another, each on what the one before left."""
    report = workbench.panels(inputs)
    for command in commands:
        report = workbench.panels(report.inputs, command, new or Additions())
        assert report.edit is not None
    return report.inputs, report


def test_the_light_example_shows_something_green_and_something_red() -> None:
    assert statuses(LIGHT) == {
        "toolCall": "red",
        "args": "red",
        "toolResponse": "green",
        "cases": "idle",
        "samples": "idle",
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"calls_text": ""}, ("idle", "idle", "idle")),
        ({"calls_text": frame(GOOD)}, ("green", "green", "green")),
        ({"calls_text": frame(GOOD), "contracts_text": ""}, ("green", "idle", "green")),
        ({"calls_text": "{"}, ("red", "red", "red")),
        ({"calls_text": frame(GOOD).replace('"id": "a", ', "")}, ("red", "red", "red")),
        ({"calls_text": '{"toolCallCancellation": {"ids": ["a"]}}'}, ("green", "idle", "idle")),
        ({"calls_text": '{"setupComplete": {}}'}, ("green", "idle", "idle")),
        ({"calls_text": frame(GOOD), "contracts_text": "{"}, ("red", "red", "green")),
        ({"calls_text": frame(GOOD), "contracts_text": '{"other": {}}'}, ("red", "red", "green")),
        ({"responses_text": "{"}, ("red", "red", "red")),
    ],
)
def test_each_panel_says_its_own(changes: dict[str, str], expected: tuple[str, str, str]) -> None:
    found = statuses(replace(LIGHT, **changes))

    assert (found["toolCall"], found["args"], found["toolResponse"]) == expected


def test_a_bare_schema_is_that_of_the_only_tool_called() -> None:
    assert statuses(replace(LIGHT, contract_name="", calls_text=frame(GOOD)))["args"] == "green"


def test_options_are_read_and_bad_ones_are_named() -> None:
    text = frame(r'{"id": "a", "name": "set_light", "args": "{\"room\":\"kitchen\",\"on\":true}"}')
    inputs = replace(LIGHT, calls_text=text)

    assert statuses(inputs)["args"] == "green"
    assert statuses(replace(inputs, options='{"string_args": "refuse"}'))["args"] == "red"
    report = workbench.panels(replace(inputs, options="["))
    assert "options-invalid" in {finding.code for finding in report.findings}


def test_every_sample_gets_its_expected_answer() -> None:
    found = filling("calls_text", "session_text")
    assert len(found) >= 16

    for title in found:
        sample = samples.load(title.name)
        assert sample is not None
        if "session_text" in sample.fields:
            told = workbench.session_tab(Inputs(**sample.fields))
            assert told.pair.status.value == sample.expect["status"], title.name
            assert sorted({finding.code for finding in told.findings}) == sample.expect["codes"], title.name
            assert [row.state for row in told.pair.ledger] == sample.expect["states"], title.name
            continue
        report = workbench.panels(Inputs(**sample.fields))
        panels = {name: report.statuses[name].value for name in ("toolCall", "args", "toolResponse")}
        assert panels == sample.expect["statuses"], title.name
        assert sorted({finding.code for finding in report.findings}) == sample.expect["codes"], title.name
        assert [call.verdict.value for call in report.extract.calls] == sample.expect["verdicts"], title.name


# Edits -----------------------------------------------------------------------


def test_from_ten_samples_to_a_contract_that_refuses_the_garage() -> None:
    start = Inputs(calls_text=frame(GARAGE), samples_text=TEN, contract_name="set_light")

    inputs, report = edited(start, "use-inferred")
    assert "enum" not in inputs.contracts_text
    assert report.extract.calls[0].verdict == "accept"

    for command in ("enum:/room", "close:"):
        inputs, report = edited(inputs, command)
        assert report.edit is not None
        assert report.edit.proof is not None
        assert report.edit.proof.narrower == "yes"
    assert report.extract.calls[0].verdict == "refuse"
    assert {f.keyword for f in report.extract.calls[0].findings} == {"enum", "additionalProperties"}


@pytest.mark.parametrize(
    ("on", "off"), [("enum:/room", "unenum:/room"), ("close:", "open:"), ("require:/on", "unrequire:/on")]
)
def test_a_switch_can_be_taken_back(on: str, off: str) -> None:
    loose = '{"type": "object", "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}}}'
    start = replace(LIGHT, contracts_text=loose, samples_text=TEN)

    tight, _ = edited(start, on)
    back, report = edited(tight, off)
    assert json.loads(tight.contracts_text) != json.loads(loose)
    assert json.loads(back.contracts_text) == json.loads(loose)
    assert report.edit is not None
    assert report.edit.proof is not None
    assert report.edit.proof.narrower != "yes"


def test_undo_is_the_text_before() -> None:
    _, report = edited(replace(LIGHT, samples_text=TEN), "unenum:/room")

    assert report.edit is not None
    assert report.edit.before["contracts_text"] == SCHEMA
    assert report.edit.after["contracts_text"] != SCHEMA


def test_a_switch_rewrites_a_declaration_as_a_contract() -> None:
    declaration: dict[str, Any] = {
        "functionDeclarations": [
            {
                "name": "set_light",
                "behavior": "NON_BLOCKING",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {"room": {"type": "STRING"}, "on": {"type": "BOOLEAN"}},
                },
            }
        ]
    }
    start = replace(LIGHT, contracts_text=json.dumps(declaration), samples_text=TEN)

    inputs, report = edited(start, "enum:/room")
    (contract,) = json.loads(inputs.contracts_text)
    assert contract["behavior"] == "NON_BLOCKING"
    assert contract["parameters"]["properties"]["room"]["enum"] == [
        "kitchen",
        "living_room",
        "bedroom",
    ] or sorted(contract["parameters"]["properties"]["room"]["enum"]) == ["bedroom", "kitchen", "living_room"]
    assert report.extract.calls[1].verdict == "refuse"


def test_a_call_becomes_a_sample_and_a_case() -> None:
    inputs, report = edited(LIGHT, "sample-call:0:0", "pin-call:0:0", "pin-call:0:1", "pin-call:0:1")

    assert inputs.samples_text == '{"room": "kitchen", "on": false}'
    assert [case["name"] for case in json.loads(inputs.cases_text)] == [
        "ok",
        "unknown_room",
        "unknown_room_2",
    ]
    assert report.cases is not None
    assert report.cases.status == "green"


def test_a_pinned_string_stays_a_string() -> None:
    text = frame(r'{"id": "a", "name": "set_light", "args": "{\"room\":\"kitchen\",\"on\":true}"}')

    inputs, report = edited(replace(LIGHT, calls_text=text), "pin-call:0:0")
    (case,) = json.loads(inputs.cases_text)
    assert case["name"] == "args_as_string"
    assert isinstance(case["payload"], str)
    assert report.cases is not None
    assert report.cases.results[0].as_expected


def test_an_object_of_payloads_pins_each() -> None:
    new = Additions(case_payload='{"ok": {"room": "kitchen", "on": true}, "n": {"level": 1.10}}')

    inputs, _ = edited(LIGHT, "pin-case", new=new)
    assert [(case["name"], case["expect"]) for case in json.loads(inputs.cases_text)] == [
        ("ok", "accept"),
        ("n", "refuse"),
    ]
    assert "1.10" in inputs.cases_text


def test_cases_can_be_pinned_changed_and_removed() -> None:
    new = Additions(
        case_name="x", case_payload='{"room": "attic"}', case_expect="refuse", case_because="enum"
    )

    inputs, _ = edited(LIGHT, "pin-case", new=new)
    assert json.loads(inputs.cases_text)[0]["because"] == "enum"
    inputs, report = edited(inputs, "expect:accept:x")
    assert report.cases is not None
    assert report.cases.status == "red"
    inputs, _ = edited(inputs, "remove-case:x")
    assert inputs.cases_text == ""


def test_samples_are_added_from_frames_and_removed() -> None:
    inputs, _ = edited(LIGHT, "add-samples", new=Additions(samples=frame(GOOD, GARAGE)))
    assert len(inputs.samples_text.splitlines()) == 2

    inputs, report = edited(inputs, "remove-sample:1")
    assert inputs.samples_text == '{"room": "kitchen", "on": false}'
    assert [sample.verdict for sample in report.samples] == ["accept"]


def test_format_changes_white_space_only() -> None:
    text = '{"a":1.10,"a":[1e400,"\\u00e9"]}'

    inputs, report = edited(Inputs(calls_text=text), "format:calls_text")
    assert "".join(inputs.calls_text.split()) == text
    assert report.edit is not None
    assert report.edit.before == {"calls_text": text}


@pytest.mark.parametrize(
    "command",
    [
        "nonsense", "format:nothing", "clear:nothing", "pin-call:9:9", "sample-call:0:x",
        "expect:maybe:x", "remove-sample:7", "use-inferred", "tighten-inferred", "enum:/nowhere",
        "suggest:enum:/none", "unset:x",
        "pin-case", "add-samples",
    ],
)  # fmt: skip
def test_an_impossible_edit_changes_nothing_and_says_why(command: str) -> None:
    inputs, report = edited(LIGHT, command)

    assert inputs == LIGHT
    assert report.edit is not None
    assert report.edit.findings


def test_broken_cases_are_never_overwritten() -> None:
    broken = replace(LIGHT, cases_text='{"ok": ')

    inputs, report = edited(broken, "pin-call:0:0")
    assert inputs == broken
    assert report.edit is not None
    assert report.edit.findings


def test_tightening_goes_not_past_a_sample() -> None:
    loose = '{"type": "object", "properties": {"room": {"enum": ["kitchen"]}}}'

    _, report = edited(replace(LIGHT, contracts_text=loose, samples_text=TEN), "require:/room")
    assert report.statuses["samples"] == "red"


def test_cases_without_a_contract_are_unchecked_and_idle() -> None:
    report = workbench.panels(Inputs(cases_text='{"ok": 1, "bad": 2}'))

    assert report.statuses["cases"] == "idle"
    assert report.cases is not None
    assert [result.verdict for result in report.cases.results] == ["unchecked", "unchecked"]


def test_findings_of_a_case_and_a_sample_point_into_the_payload() -> None:
    inputs = replace(
        LIGHT, cases_text='{"garage": {"room": "garage", "on": true}}', samples_text='[{"room": 1}]'
    )

    report = workbench.panels(inputs)
    assert report.cases is not None
    assert [(f.at.input, f.at.pointer) for f in report.cases.results[0].findings] == [("garage", "/room")]
    assert "/room" in {finding.at.pointer for finding in report.samples[0].findings}


@pytest.mark.parametrize(
    ("text", "status", "documents"),
    [
        ("\ufeff{}", "green", 1),
        ("```json\n{}\n```", "green", 1),
        ("data: {}\n\ndata: {}\n", "green", 2),
        ("{}\n[]", "green", 2),
        ('{"a": NaN}', "red", 1),
        ('{"a": 1, "a": 2}', "red", 1),
        ("[][]", "red", 0),
        ("", "idle", 0),
    ],
)
def test_format_forgives_what_stands_around_and_nothing_inside(
    text: str, status: str, documents: int
) -> None:
    report = workbench.format(text)

    assert (report.status, report.documents) == (status, documents)


def test_an_answer_without_calls_is_idle_unless_it_is_wrong_itself() -> None:
    good = '{"toolResponse": {"functionResponses": [{"id": "a", "name": "f", "response": {"result": 1}}]}}'

    assert statuses(Inputs(responses_text=good))["toolResponse"] == "idle"
    assert statuses(Inputs(responses_text=good.replace('"id": "a", ', "")))["toolResponse"] == "red"


@pytest.mark.parametrize("calls", ["{", '{"toolCall": {}}', frame('{"name": "f", "args": {}}')])
def test_nothing_is_said_of_an_answer_whose_calls_cannot_be_read(calls: str) -> None:
    answer = '{"toolResponse": {"functionResponses": [{"id": "a", "name": "f", "response": {"result": 1}}]}}'

    report = workbench.panels(Inputs(calls_text=calls, responses_text=answer))
    assert report.statuses["toolResponse"] == "red"
    assert "response-orphan" not in {finding.code for finding in report.findings}


def test_a_failing_case_is_offered_only_what_refuses_it() -> None:
    loose = '{"type": "object", "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}}}'
    cases = (
        '{"unknown_room": {"room": "garage", "on": true}, "extra": {"room": "kitchen", "on": true, "x": 1}}'
    )

    report = workbench.panels(replace(LIGHT, contracts_text=loose, cases_text=cases, samples_text=TEN))
    assert report.cases is not None
    assert [result.suggestions for result in report.cases.results] == [
        ("enum:/room",),
        ("additionalProperties:",),
    ]


def test_opening_an_object_says_which_cases_get_in() -> None:
    cases = '{"extra_field": {"room": "kitchen", "on": true, "extra_cmd": "unlock"}}'

    _, report = edited(replace(LIGHT, cases_text=cases), "open:")
    assert report.edit is not None
    assert report.edit.proof is not None
    assert (report.edit.proof.narrower, report.edit.proof.admits) == ("no", ("extra_field",))
