"""Edits of the Contract tab: bounds, behavior, the result, and inferring from what is on the page."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app import workbench
from app.reports import Additions, Inputs, PanelsReport

DIMMER = """{
  "type": "object",
  "properties": {
    "level": { "type": "integer" }
  }
}"""
SAMPLES = '{"level": 10}\n{"level": 100}'
DECLARED = """[
  {
    "name": "get_level",
    "parameters": {"type": "object", "properties": {"room": {"type": "string"}}},
    "result": {"type": "object", "properties": {"level": {"type": "integer"}}}
  }
]"""
ANSWERS = """{"toolResponse": {"functionResponses": [
  {"id": "a", "name": "get_level", "response": {"result": {"level": 10}}}
]}}"""


def frame(*calls: tuple[str, str]) -> str:
    entries = [f'{{"id": "c{i}", "name": "{name}", "args": {args}}}' for i, (name, args) in enumerate(calls)]
    return f'{{"toolCall": {{"functionCalls": [{", ".join(entries)}]}}}}'


def edit(inputs: Inputs, command: str, bound: str = "") -> PanelsReport:
    return workbench.panels(inputs, command, Additions(bound=bound))


def dimmer() -> Inputs:
    return Inputs(contracts_text=DIMMER, contract_name="dim", samples_text=SAMPLES, cases_text='{"ok": {}}')


# Bounds ---------------------------------------------------------------------


def test_a_bound_is_set_proven_and_said_with_what_still_passes() -> None:
    report = edit(dimmer(), "bound:maximum:/level", "100")
    assert '"level": { "type": "integer", "maximum": 100 }' in report.inputs.contracts_text
    assert report.edit is not None
    assert report.edit.proof is not None
    assert report.edit.proof.narrower == "yes"
    assert report.edit.message == (
        "`maximum` added at /level. 2 of 2 samples and every must-accept case still pass."
    )


def test_a_bound_keeps_its_lexeme_and_goes_when_it_is_emptied() -> None:
    set_to = edit(dimmer(), "bound:minimum:/level", " 1.0e1 ")
    assert '"minimum": 1.0e1' in set_to.inputs.contracts_text
    assert edit(set_to.inputs, "bound:minimum:/level", "").inputs.contracts_text == DIMMER


def test_a_wider_bound_is_told_as_wider() -> None:
    narrow = edit(dimmer(), "bound:maximum:/level", "100").inputs
    report = edit(narrow, "bound:maximum:/level", "200")
    assert report.edit is not None
    assert report.edit.proof is not None
    assert report.edit.proof.narrower == "no"
    assert report.edit.message == "`maximum` changed at /level."


def test_a_bound_that_refuses_a_sample_says_so() -> None:
    report = edit(dimmer(), "bound:maximum:/level", "50")
    assert report.edit is not None
    assert [f.code for f in report.edit.findings] == ["tighten-sample-refused"]
    assert "still pass" not in report.edit.message


@pytest.mark.parametrize(
    ("command", "bound"),
    [
        ("bound:maximum:/level", '"100"'),
        ("bound:maximum:/level", "a lot"),
        ("bound:maximum:/level", "[1]"),
        ("bound:maxLength:/level", "3"),
        ("bound:maximum:/nowhere", "3"),
        ("bound:maximum:/level", ""),
    ],
)
def test_a_bound_that_is_none_changes_nothing(command: str, bound: str) -> None:
    report = edit(dimmer(), command, bound)
    assert report.inputs.contracts_text == DIMMER
    assert report.edit is not None
    assert report.edit.findings


# Behavior -------------------------------------------------------------------


def test_behavior_is_said_in_a_declaration_and_taken_back() -> None:
    inputs = Inputs(contracts_text=DECLARED)
    said = edit(inputs, "behavior:NON_BLOCKING")
    assert said.contracts[0].behavior == "NON_BLOCKING"
    assert said.inputs.contracts_text.replace(',\n    "behavior": "NON_BLOCKING"', "") == DECLARED
    assert edit(said.inputs, "behavior:BLOCKING").contracts[0].behavior == "BLOCKING"
    assert edit(said.inputs, "behavior:").inputs.contracts_text == DECLARED


@pytest.mark.parametrize("command", ["behavior:BLOCKING", "behavior:sometimes"])
def test_a_bare_schema_has_no_behavior(command: str) -> None:
    report = edit(dimmer(), command)
    assert report.inputs.contracts_text == DIMMER
    assert report.edit is not None
    assert report.edit.findings


# The result -----------------------------------------------------------------


def test_the_table_shows_the_result_with_what_the_answers_show() -> None:
    inputs = Inputs(contracts_text=DECLARED, responses_text=ANSWERS, part="result")
    report = workbench.panels(inputs)
    assert (report.part, report.evidence) == ("result", 1)
    assert [row.pointer for row in report.contracts[0].properties] == ["", "/level"]
    assert report.contracts[0].properties[1].present == 1


def test_an_edit_of_the_result_leaves_the_args_alone() -> None:
    inputs = Inputs(contracts_text=DECLARED, part="result", cases_text='{"ok": {"room": "x"}}')
    report = edit(inputs, "require:/level")
    contract = json.loads(report.inputs.contracts_text)[0]
    assert contract["result"]["required"] == ["level"]
    assert "required" not in contract["parameters"]
    assert report.edit is not None
    assert not report.edit.findings


def test_where_there_is_no_result_the_args_are_shown() -> None:
    report = workbench.panels(replace(dimmer(), part="result"))
    assert report.part == "parameters"
    assert report.evidence == 2


# Inferring ------------------------------------------------------------------


def test_infer_takes_the_args_of_the_calls_as_samples() -> None:
    report = edit(Inputs(calls_text=frame(("dim", '{"level": 1}'), ("dim", '{"level": 2}'))), "infer-calls")
    assert [call.verdict.value for call in report.extract.calls] == ["accept", "accept"]
    assert len(report.samples) == 2
    assert '"level": { "type": "integer" }' in report.inputs.contracts_text


def test_infer_states_a_contract_for_each_tool_that_is_called() -> None:
    report = edit(Inputs(calls_text=frame(("dim", '{"level": 1}'), ("say", '{"text": "x"}'))), "infer-calls")
    assert [contract.name for contract in report.contracts] == ["dim", "say"]
    assert [call.verdict.value for call in report.extract.calls] == ["accept", "accept"]


def test_infer_without_a_call_says_why() -> None:
    report = edit(Inputs(), "infer-calls")
    assert report.edit is not None
    assert report.edit.findings


def test_an_inferred_schema_has_its_short_properties_on_one_line() -> None:
    report = edit(replace(dimmer(), contracts_text=""), "use-inferred")
    assert report.inputs.contracts_text.splitlines()[1:] == [
        '  "$schema": "https://json-schema.org/draft/2020-12/schema",',
        '  "type": "object",',
        '  "properties": {',
        '    "level": { "type": "integer" }',
        "  },",
        '  "required": ["level"]',
        "}",
    ]
