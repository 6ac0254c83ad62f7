"""What this browser remembers of the page's looks, and that it is there from the first paint on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.desk import Desk

_TEXT_STARTS = """selector => {
    const [host, inner] = selector.split(" >> ");
    const outer = document.querySelector(host);
    const line = (outer.shadowRoot ?? outer).querySelector(inner);
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    range.setStart(walker.nextNode(), 0);
    range.setEnd(walker.currentNode, 1);
    return range.getBoundingClientRect().left - outer.getBoundingClientRect().left;
}"""


def test_text_begins_at_one_place_in_editors_and_listings(desk: Desk) -> None:
    starts = [
        desk.page.evaluate(_TEXT_STARTS, selector)
        for selector in (
            "#editor-calls_text >> .cm-line",
            "#editor-contracts_text >> .cm-line",
            "[data-panel=args] .listing >> .line .t",
            "[data-panel=toolResponse] .listing >> .line .t",
        )
    ]
    assert max(starts) - min(starts) < 1
    assert 55 <= starts[0] <= 58


def test_the_chosen_theme_is_there_at_the_first_paint(desk: Desk) -> None:
    desk.page.emulate_media(color_scheme="light")
    for _ in range(2):
        desk.page.locator("[data-theme-switch]").click()
    desk.page.route("**/static/app.js", lambda route: route.abort())
    desk.page.goto("/")
    assert desk.page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert desk.page.locator("html[data-js]").count() == 0
    blocking = desk.page.locator("head > script").first
    assert blocking.get_attribute("src") == "/static/theme.js"
    assert blocking.get_attribute("defer") is None
    desk.complaints.clear()


@pytest.mark.parametrize("kept", ["", "null", "[]", "{", '{"theme":"<img>"}', '{"theme":7,"height":"x"}'])
def test_looks_that_no_page_wrote_do_no_harm(desk: Desk, kept: str) -> None:
    desk.page.evaluate("kept => localStorage.setItem('toolcall-workbench.looks', kept)", kept)
    desk.open()
    desk.shows("red", "red", "green")
    expect(desk.page.locator("html")).not_to_have_attribute("data-theme", re.compile("."))


def test_folded_panels_are_folded_at_the_first_paint(desk: Desk) -> None:
    desk.page.keyboard.press("\\")
    desk.page.route("**/static/app.js", lambda route: route.abort())
    desk.page.goto("/")
    assert height(desk.page) < 60
    desk.complaints.clear()
    desk.page.unroute("**/static/app.js")
    desk.open()
    desk.page.keyboard.press("\\")
    assert height(desk.page) > 400


def height(page: Page) -> float:
    return float(page.locator(".panels").evaluate("e => e.getBoundingClientRect().height"))


def test_the_divider_moves_by_pointer_and_by_key_and_stays(desk: Desk) -> None:
    divider = desk.page.get_by_role("separator", name="Height of the panels")
    first = height(desk.page)
    box = divider.bounding_box()
    assert box
    desk.page.mouse.move(box["x"] + 300, box["y"] + 6)
    desk.page.mouse.down()
    desk.page.mouse.move(box["x"] + 300, box["y"] - 94, steps=3)
    desk.page.mouse.up()
    dragged = height(desk.page)
    assert 90 <= first - dragged <= 110
    divider.focus()
    desk.page.keyboard.press("ArrowDown")
    assert height(desk.page) == pytest.approx(dragged + 24, abs=2)
    expect(divider).to_have_attribute("aria-valuenow", str(round(height(desk.page))))
    desk.page.keyboard.press("Home")
    least = height(desk.page)
    assert least < dragged
    desk.open()
    assert height(desk.page) == pytest.approx(least, abs=2)
    divider.dblclick()
    assert height(desk.page) == pytest.approx(first, abs=2)


def test_the_divider_and_the_marks_work_by_touch(browser: Browser, desk: Desk) -> None:
    base = desk.page.url
    context = browser.new_context(has_touch=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(base)
    expect(page.locator("html[data-js]")).to_be_attached()
    divider = page.get_by_role("separator", name="Height of the panels")
    assert divider.evaluate("e => getComputedStyle(e).touchAction") == "none"
    before = height(page)
    box = divider.bounding_box()
    assert box
    session = context.new_cdp_session(page)
    x, y = box["x"] + 200, box["y"] + 6
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x, "y": y - 40}]),
        ("touchMove", [{"x": x, "y": y - 80}]),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert 70 <= before - height(page) <= 90
    page.locator("#editor-calls_text .cm-wavy").first.tap()
    expect(page.locator(".finding[aria-current=true]").first).to_be_visible()
    context.close()


def test_reduced_motion_and_forced_colours(desk: Desk) -> None:
    desk.page.emulate_media(reduced_motion="reduce", forced_colors="active")
    desk.finding("enum").first.click()
    expect(desk.editor("calls_text").locator(".cm-linked")).to_be_visible()
    outline = "e => getComputedStyle(e).outlineStyle"
    assert desk.editor("calls_text").locator(".cm-linked").evaluate(outline) == "solid"
    assert desk.finding("enum").first.evaluate(outline) == "solid"
    moving = desk.page.evaluate(
        """() => {
            const times = element => getComputedStyle(element).transitionDuration.split(", ");
            const moves = element => times(element).some(parseFloat);
            return [...document.querySelectorAll("body, body *")].filter(moves).length;
        }"""
    )
    assert moving == 0
