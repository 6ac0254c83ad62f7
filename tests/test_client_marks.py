"""One finding, many marks: whichever of its places the pointer is on, all the others light up."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.desk import Desk

GARAGE = """{"toolCall": {"functionCalls": [
  {"id": "c1", "name": "set_light", "args": {
    "room": "garage",
    "on": true
  }}
]}}"""
ANSWER = """{"toolResponse": {"functionResponses": [
  {"id": "c1", "name": "set_lamp", "response": {"result": {}}}
]}}"""
LIT = re.compile(r"\bis-hover\b")


@pytest.fixture
def garage(desk: Desk) -> Desk:
    desk.paste("calls_text", GARAGE)
    desk.page.mouse.move(0, 0)
    return desk


def places(desk: Desk) -> dict[str, Locator]:
    """Every place of the finding that `garage` is not in the list."""
    return {
        "row": desk.finding("enum").and_(desk.page.locator(".finding")),
        "frame line": desk.line("calls_text", 3).locator(".cm-wavy"),
        "args line": desk.panel("args").locator(".line", has_text="garage"),
        "args note": desk.panel("args").locator(".hook"),
        "contract line": desk.line("contracts_text", 9),
        "tighten row": desk.tab("contract").locator('[data-pointer="/room"]'),
    }


def lit(desk: Desk) -> dict[str, bool]:
    """Which of the places are lit."""
    return {
        name: place.evaluate("e => Boolean(e.closest('.is-hover, .cm-linked'))")
        for name, place in places(desk).items()
    }


@pytest.mark.parametrize(
    "place", ["row", "frame line", "args line", "args note", "contract line", "tighten row"]
)
def test_the_pointer_on_one_place_lights_them_all(garage: Desk, place: str) -> None:
    places(garage)[place].hover()
    expect(places(garage)["row"]).to_have_class(LIT)
    assert lit(garage) == dict.fromkeys(places(garage), True)
    garage.page.locator("h1").hover()
    expect(places(garage)["row"]).not_to_have_class(LIT)
    assert lit(garage) == dict.fromkeys(places(garage), False)


def test_the_sign_of_a_line_lights_and_chooses_its_finding(garage: Desk) -> None:
    for field in ("calls_text", "contracts_text"):
        sign = garage.editor(field).locator(".sign-error").first
        sign.hover()
        expect(places(garage)["row"]).to_have_class(LIT)
        sign.click()
        expect(places(garage)["row"]).to_have_attribute("aria-current", "true")
        garage.page.keyboard.press("Escape")
        garage.page.keyboard.press("Escape")
        expect(garage.page.locator("[aria-current=true]")).to_have_count(0)


def test_a_contract_line_without_a_finding_lights_its_property_alone(garage: Desk) -> None:
    row = garage.tab("contract").locator('[data-pointer="/on"]')
    line = int(row.get_attribute("data-schema-line") or 0)
    garage.line("contracts_text", line).hover()
    expect(row).to_have_class(LIT)
    row.hover()
    expect(garage.line("contracts_text", line)).to_have_class(re.compile("cm-linked"))
    expect(garage.page.locator(".finding.is-hover")).to_have_count(0)


def test_a_tap_on_a_marked_value_chooses_its_finding(garage: Desk) -> None:
    places(garage)["frame line"].click()
    expect(places(garage)["row"]).to_have_attribute("aria-current", "true")
    places(garage)["args note"].click()
    expect(garage.editor("contracts_text").locator(".cm-ring")).to_have_text('"enum"')


def test_a_wrong_answer_is_marked_in_its_panel_too(desk: Desk) -> None:
    desk.paste("calls_text", GARAGE)
    desk.paste("responses_text", ANSWER)
    row = desk.panel("toolResponse").locator("button[data-input][data-line='2']").first
    row.hover()
    expect(desk.line("responses_text", 2)).to_have_class(re.compile("cm-linked"))
    desk.page.locator("h1").hover()
    desk.line("responses_text", 2).locator(".cm-wavy").first.hover()
    expect(desk.panel("toolResponse").locator("button.is-hover[data-input]").first).to_be_visible()
