"""Every screen and state of the page: for everyone to use, at every width, in both themes."""

from __future__ import annotations

import re
from typing import Final, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.desk import Desk
from tests.gallery import filling

SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")

TURNS = [sample.name for sample in filling("calls_text") if sample.dialect == "gemini-generate"]
DECLARED = """[{"name": "set_light", "description": "Sets one light.", "behavior": "BLOCKING",
"parameters": {"type": "object", "properties": {"room": {"type": "string"}, "level": {"type": "integer"},
"fade": {"type": "object", "properties": {"ms": {"type": "integer"}}}}},
"result": {"type": "object", "properties": {"level": {"type": "integer"}}}}]"""
SMALL = """() => [...document.querySelectorAll("button, a, summary, input, select, [role=tab]")]
    .filter(element => element.checkVisibility() && !element.closest(".segments label, .document p"))
    .map(element => [element, element.getBoundingClientRect()])
    .filter(([, { width, height }]) => width > 0 && (width < 24 || height < 24))
    .map(([element, { width, height }]) => `${element.outerHTML.slice(0, 120)}: ${width} x ${height}`)"""
"""Controls below 24 by 24 CSS pixels. A radio lies under the whole of its label."""


def load(desk: Desk, name: str) -> None:
    """Choose a sample of the gallery."""
    menu = desk.page.locator("#samples-calls")
    menu.locator("summary").click()
    with desk.verdict():
        menu.locator(f'button[value="load:{name}"]').click()


def flaws(page: Page) -> list[str]:
    """What axe finds in light and dark, and what is too small or too wide to use."""
    found: list[str] = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        report = Axe().run(page)
        if report.violations_count:
            found.append(f"{scheme}: {report.generate_report()}")
    found += page.evaluate(SMALL)
    if page.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        found.append("the page scrolls sideways")
    return found


@pytest.mark.parametrize("width", [1440, 420])
def test_every_turn_can_be_read_by_everyone(desk: Desk, width: int, subtests: pytest.Subtests) -> None:
    desk.page.set_viewport_size({"width": width, "height": 900})
    for name in TURNS:
        with subtests.test(name):
            load(desk, name)
            for details in desk.page.locator("#turn details, #append").all():
                details.locator("summary").first.click()
            assert flaws(desk.page) == []


@pytest.mark.parametrize("width", [1440, 1000, 700, 420])
def test_contract_cases_and_samples_can_be_used_at_every_width(
    desk: Desk, width: int, subtests: pytest.Subtests
) -> None:
    desk.paste("contracts_text", DECLARED)
    desk.page.set_viewport_size({"width": width, "height": 900})
    for part in ("result", "args"):
        with subtests.test(part):
            desk.press(part, desk.tab("contract"))
            assert flaws(desk.page) == []
    for tab in ("cases", "samples"):
        with subtests.test(tab):
            desk.open_tab(tab)
            assert flaws(desk.page) == []


def test_help_can_be_read_by_everyone(page: Page, subtests: pytest.Subtests) -> None:
    for path in ("/rules", "/rules/args-schema", "/rules/none"):
        for width in (1440, 420):
            with subtests.test(f"{path} {width}"):
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(path)
                assert flaws(page) == []


def test_a_held_call_is_red_and_says_why(desk: Desk) -> None:
    load(desk, "stock-not-complete")
    desk.shows("red", "red", "red")
    expect(desk.pill("toolCall")).to_contain_text("not complete, MAX_TOKENS")
    expect(desk.call("call_4471")).to_contain_text("accept, and must not run: the turn is not complete")
    expect(desk.page.locator(".float")).to_contain_text("the call parsed, and must not run all the same")


def test_the_contents_to_append_are_copied_with_the_signature(desk: Desk) -> None:
    load(desk, "stock-tool-request")
    copied = desk.copied("#text-turns")
    assert '"thoughtSignature": "Eq0BCqoB"' in copied
    assert '"functionResponse"' in copied


def test_a_bound_is_set_with_enter_and_proven(desk: Desk) -> None:
    desk.paste("contracts_text", DECLARED)
    with desk.verdict():
        desk.page.get_by_label("level maximum", exact=True).fill("100")
        desk.page.keyboard.press("Enter")
    expect(desk.strip).to_contain_text("Proven narrower. maximum added at /level.")
    assert '"maximum": 100' in desk.text("contracts_text")


def test_a_broken_text_is_repaired_only_when_asked(desk: Desk) -> None:
    desk.paste("calls_text", '{"toolCall": {"functionCalls": [{"id": "a" "name": "t", "args": {}}]}}')
    desk.shows("red", "red", "red")
    with desk.verdict():
        desk.page.get_by_role("button", name="Add a comma at 1:43").click()
    assert '"id": "a", "name": "t"' in desk.text("calls_text")


def test_a_row_leads_to_its_help_by_keyboard(desk: Desk, page: Page) -> None:
    desk.finding("enum").focus()
    page.keyboard.press("Tab")
    link = page.locator(":focus")
    expect(link).to_have_attribute("href", re.compile("/rules/args-schema"))
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    expect(opened.value.locator("h1")).to_contain_text("args-schema")


def test_in_forced_colours_a_verdict_has_a_border_and_a_choice_an_outline(desk: Desk, page: Page) -> None:
    page.emulate_media(forced_colors="active")
    desk.finding("enum").click()
    pill = desk.pill("toolCall").evaluate("it => getComputedStyle(it).borderStyle")
    row = desk.finding("enum").first.evaluate("it => getComputedStyle(it).outlineStyle")
    assert (pill, row) == ("solid", "solid")


def test_heads_stay_in_sight_while_a_narrow_panel_scrolls(desk: Desk, page: Page) -> None:
    page.set_viewport_size({"width": 420, "height": 500})
    head = desk.panel("toolCall").locator(".panel-head")
    desk.panel("toolCall").locator(".foot").scroll_into_view_if_needed()
    box = head.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 5
