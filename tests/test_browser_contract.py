"""Tried as a new user would, 4: ten args become a contract, which is tightened, proven and taken back."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.desk import Desk, sample

TEN = sample("contracts/set_light.samples.jsonl")
FIVE = sample("contracts/set_light.cases.json")
CALL = sample("gemini-live/seed-tool-call.calls.json")
INFERRED = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}},
    "required": ["on", "room"],
}


def cell(desk: Desk, pointer: str, name: str) -> Locator:
    """One cell of a property's row in the tighten table."""
    return desk.tab("contract").locator(f'tr[data-pointer="{pointer}"] td.{name}')


def case(desk: Desk, name: str) -> Locator:
    return desk.tab("cases").locator("tr.case", has=desk.page.get_by_role("rowheader", name=name, exact=True))


def ends(text: str) -> re.Pattern[str]:
    """A cell that says this, perhaps after a label for narrow windows."""
    return re.compile(rf"(^|\W){re.escape(text)}\s*$")


def forget_cases(desk: Desk) -> None:
    """Remove the cases that came with the example, one after the other."""
    desk.open_tab("cases")
    for name in json.loads(FIVE):
        case(desk, name).locator("summary").click()
        desk.press("Remove case", case(desk, name))
    expect(desk.tab("cases").locator("tr.case")).to_have_count(0)


def add_samples(desk: Desk, text: str) -> None:
    desk.open_tab("samples")
    desk.paste_into(desk.page.get_by_label("New samples"), text)
    desk.press("Add", desk.tab("samples"))


def pin_five(desk: Desk) -> None:
    desk.open_tab("cases")
    desk.paste_into(desk.page.get_by_label("Payload of the case"), FIVE)
    desk.press("Pin case", desk.tab("cases"))


@pytest.fixture
def bare(desk: Desk) -> Desk:
    """A page with one good call and nothing else: no contract, no case, no sample."""
    desk.paste("calls_text", CALL)
    desk.open_tab("contract")
    desk.press("Clear", desk.tab("contract"))
    desk.open_tab("samples")
    desk.press("Clear", desk.tab("samples"))
    forget_cases(desk)
    return desk


@pytest.fixture
def inferred(bare: Desk) -> Desk:
    """The same with the ten samples, and the contract that they state."""
    add_samples(bare, TEN)
    bare.press("Use as contract", bare.tab("samples"))
    bare.open_tab("contract")
    return bare


def test_from_ten_args_to_a_contract_that_only_ok_passes(bare: Desk) -> None:
    desk = bare
    add_samples(desk, TEN)
    tab = desk.tab("samples")
    expect(tab.locator("tr.sample")).to_have_count(10)
    expect(tab.get_by_role("group", name="Inferred contract")).to_contain_text('"room"')
    inferred = desk.copied("#text-inferred").strip()
    assert json.loads(inferred) == INFERRED

    desk.press("Use as contract", tab)
    desk.shows("green", "green", "green")
    expect(desk.pill("samples")).to_contain_text("10 accepted")
    assert desk.text("contracts_text") == inferred

    pin_five(desk)
    expect(desk.page.get_by_label("Payload of the case")).to_have_value("")
    expect(desk.pill("cases")).to_contain_text("3 of 5 as expected")
    for name in ("unknown_room", "extra_field"):
        expect(case(desk, name).locator(".outcome")).to_have_text(ends("accept"))
        expect(case(desk, name).locator(".result")).to_have_text(ends("not as expected"))

    desk.open_tab("contract")
    for switch in ("room enum", "the object closed"):
        desk.flip(switch)
        expect(desk.strip).to_contain_text("Proven narrower.")
        expect(desk.switch(switch)).to_have_attribute("aria-checked", "true")
    desk.open_tab("cases")
    expect(desk.pill("cases")).to_contain_text("5 of 5 as expected")
    verdicts = {
        "ok": ("accept", ""),
        "unknown_room": ("refuse", "enum /room"),
        "extra_field": ("refuse", "additionalProperties /extra_cmd"),
        "wrong_type": ("refuse", "type /on"),
        "args_as_string": ("refuse", "type /"),
    }
    expect(desk.tab("cases").locator("tr.case")).to_have_count(len(verdicts))
    for name, (verdict, because) in verdicts.items():
        expect(case(desk, name).locator(".outcome")).to_have_text(ends(verdict))
        expect(case(desk, name).locator(".because")).to_have_text(ends(because))
    desk.shows("green", "green", "green")


def test_each_switch_shows_its_evidence(inferred: Desk) -> None:
    desk = inferred
    expect(cell(desk, "", "evidence")).to_have_text("0 other keys in 10")
    expect(cell(desk, "/room", "evidence")).to_contain_text("10 of 10")
    expect(cell(desk, "/room", "evidence")).to_contain_text("3 values in 10")
    expect(cell(desk, "/on", "evidence")).to_contain_text("10 of 10")
    for value, count in (("living_room", 5), ("kitchen", 3), ("bedroom", 2)):
        chip = cell(desk, "/room", "values").locator(".value", has_text=value)
        expect(chip).to_have_text(re.compile(rf"{value}\s*{count}$"))
    expect(desk.switch("the object closed")).to_have_attribute("aria-checked", "false")
    expect(desk.switch("room required")).to_have_attribute("aria-checked", "true")
    expect(cell(desk, "/room", "suggestions")).to_contain_text("enum: 3 values")


SWITCHES = {
    "room enum": ("enum", '"enum": ["living_room", "kitchen", "bedroom"]'),
    "the object closed": ("additionalProperties", '"additionalProperties": false'),
}


@pytest.mark.parametrize("name", [*SWITCHES])
def test_a_tightening_is_proven_and_taken_back_by_undo_or_by_the_switch(inferred: Desk, name: str) -> None:
    keyword, written = SWITCHES[name]
    desk = inferred
    before = desk.text("contracts_text")
    for way in ("undo", "switch"):
        desk.flip(name)
        expect(desk.switch(name)).to_have_attribute("aria-checked", "true")
        expect(desk.strip).to_contain_text("Proven narrower.")
        expect(desk.strip).to_contain_text(f"{keyword} added")
        expect(desk.editor("contracts_text").locator(".cm-added")).to_contain_text(keyword)
        assert written in desk.text("contracts_text")
        if way == "undo":
            desk.press("Undo", desk.strip)
        else:
            desk.flip(name)
            expect(desk.strip).to_contain_text(re.compile(r"Wider\.|Not proven narrower\."))
        expect(desk.switch(name)).to_have_attribute("aria-checked", "false")
        assert desk.text("contracts_text") == before


def test_required_is_switched_off_and_on_again(inferred: Desk) -> None:
    desk = inferred
    desk.flip("room required")
    expect(desk.strip).to_contain_text("Wider.")
    expect(desk.switch("room required")).to_have_attribute("aria-checked", "false")
    assert '"required": ["on"]' in desk.text("contracts_text")
    optional = desk.text("contracts_text")
    desk.flip("room required")
    expect(desk.strip).to_contain_text("Proven narrower.")
    assert json.loads(desk.text("contracts_text"))["required"] == ["on", "room"]
    desk.press("Undo", desk.strip)
    assert desk.text("contracts_text") == optional
    desk.paste("calls_text", CALL.replace('"room": "living_room",', ""))
    desk.shows("green", "green", "green")
    desk.flip("room required")
    desk.shows("red", "red", "green")
    desk.says("toolCall", "required", "7:17", '"room" is missing. Answer with an error.')


def test_a_suggestion_says_why_and_is_proven(inferred: Desk) -> None:
    desk = inferred
    suggestion = cell(desk, "/room", "suggestions").get_by_role("button")
    expect(suggestion).to_have_attribute("title", re.compile(r"\S"))
    with desk.verdict():
        suggestion.click()
    expect(desk.strip).to_contain_text("Proven narrower.")
    assert json.loads(desk.text("contracts_text"))["properties"]["room"]["enum"]
    expect(cell(desk, "/room", "suggestions")).to_contain_text("in the contract")


def test_what_an_edit_did_never_moves_the_table(inferred: Desk) -> None:
    desk = inferred
    switch = cell(desk, "/room", "required").get_by_role("switch")
    before = switch.bounding_box()
    for _ in range(2):
        with desk.verdict():
            switch.click()
        expect(desk.strip).to_contain_text("required")
        assert switch.bounding_box() == before


def test_a_contract_written_by_hand_is_tightened_in_place(desk: Desk) -> None:
    text = '{"properties" : {"room":{"type":"string"},  "level":{"maximum":1.10}}}'
    desk.paste("contracts_text", text)
    desk.flip("room enum")
    changed = desk.text("contracts_text")
    assert '"maximum":1.10' in changed
    assert changed.startswith('{"properties" : {"room":{"type":"string"')
    desk.flip("room enum")
    assert desk.text("contracts_text") == text


def test_a_call_in_args_becomes_a_sample_and_a_case(desk: Desk) -> None:
    desk.paste("calls_text", CALL.replace("living_room", "garage"))
    desk.press("Pin as case", desk.call("call_light_01"))
    expect(desk.page.locator("#tab-cases")).to_contain_text("6 of 6")
    desk.press("Add as sample", desk.call("call_light_01"))
    expect(desk.pill("samples")).to_contain_text("1 of 11 rejected")
    desk.open_tab("samples")
    rejected = desk.tab("samples").locator("tr.is-failing")
    expect(rejected).to_contain_text("garage")
    expect(rejected.locator(".because")).to_contain_text("enum /room")


def test_a_case_that_gets_in_is_red_and_says_what_is_missing(desk: Desk) -> None:
    desk.open_tab("cases")
    desk.page.get_by_label("Name of the case").fill("kitchen_off")
    desk.paste_into(desk.page.get_by_label("Payload of the case"), '{"room": "kitchen", "on": false}')
    desk.page.get_by_label("Keyword that must refuse it").fill("const")
    with desk.verdict():
        desk.page.keyboard.press("Enter")
    expect(desk.tab("cases")).to_have_attribute("data-status", "red")
    expect(desk.pill("cases")).to_contain_text("5 of 6 as expected")
    expect(desk.tab("cases").locator(".case-detail")).to_contain_text("Nothing in the contract refuses it.")
    expect(desk.tab("cases").locator(".case-detail")).to_contain_text("The case waits for const.")
    expect(desk.readout).to_contain_text("kitchen_off must be refused.")
    desk.press("Expect accept instead", desk.tab("cases").locator(".case-detail"))
    expect(desk.pill("cases")).to_contain_text("6 of 6 as expected")


def test_a_bad_contract_is_red_and_named_at_its_line(desk: Desk) -> None:
    desk.paste("contracts_text", '{\n  "type": "strin"\n}')
    expect(desk.panel("args")).to_have_attribute("data-status", "red")
    expect(desk.pill("args")).to_contain_text("contract error")
    row = desk.tab("contract").locator(".finding.is-error").first
    expect(row.locator(".place")).to_have_text(re.compile("^2:"))
    assert (2, "error") in desk.signs("contracts_text")
