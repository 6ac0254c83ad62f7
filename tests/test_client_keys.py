"""The whole keyboard map, and the switch that turns its single keys off."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.desk import Desk

TWO = """{"toolCall": {"functionCalls": [
  {"id": "c1", "name": "set_light", "args": {"room": "garage", "on": true}},
  {"id": "c2", "name": "set_light", "args": {"room": "kitchen", "on": 1}},
  {"id": "c3", "name": "set_light", "args": {"room": "kitchen", "on": true}}
]}}"""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Page) -> str:
    """Name what has the focus."""
    return str(
        page.evaluate(
            """() => {
                const { activeElement: here } = document;
                const { panel, tabButton, editor } = here.dataset;
                const named = panel ?? tabButton ?? editor ?? here.getAttribute("aria-label");
                return named ?? here.textContent.trim();
            }"""
        )
    )


@pytest.fixture
def calls(desk: Desk) -> Desk:
    """Three calls, two of them refused, and the focus in no text field."""
    desk.paste("calls_text", TWO)
    desk.page.evaluate("() => document.activeElement.blur()")
    return desk


def test_1_2_3_go_to_the_panels_and_unfold_them(calls: Desk) -> None:
    for key, name in (("1", "toolCall"), ("2", "args"), ("3", "toolResponse")):
        press(calls.page, "\\")
        expect(calls.page.locator("form[data-folded]")).to_be_attached()
        press(calls.page, key)
        expect(calls.page.locator("form[data-folded]")).to_have_count(0)
        assert focused(calls.page) == name
    press(calls.page, "Control+Enter")
    calls.settle()
    assert focused(calls.page) == "toolResponse"


def test_4_5_6_go_to_the_tabs(calls: Desk) -> None:
    for key, name in (("5", "cases"), ("6", "samples"), ("7", "session"), ("4", "contract")):
        press(calls.page, key)
        expect(calls.tab(name)).to_be_visible()
        assert focused(calls.page) == name


def test_backslash_folds_and_shows_and_keeps_the_focus_in_sight(calls: Desk) -> None:
    press(calls.page, "1", "\\")
    expect(calls.editor("calls_text")).to_be_hidden()
    assert "Show panels" in focused(calls.page)
    press(calls.page, "\\")
    expect(calls.editor("calls_text")).to_be_visible()


def test_slash_searches_in_the_open_tab(calls: Desk) -> None:
    press(calls.page, "5", "/")
    assert focused(calls.page) == "Search cases"
    calls.page.keyboard.type("no such case")
    expect(calls.tab("cases").locator("[data-none]")).to_be_visible()
    expect(calls.tab("cases").locator("[data-shown]")).to_have_text(re.compile(r"^0 of \d shown$"))
    calls.page.evaluate("() => document.activeElement.blur()")
    press(calls.page, "6", "/")
    assert focused(calls.page) == "Search samples"
    calls.page.evaluate("() => document.activeElement.blur()")
    press(calls.page, "4", "/")
    expect(calls.editor("contracts_text").locator(".cm-search")).to_be_visible()


def test_p_and_s_on_a_call_pin_it_and_add_it(calls: Desk) -> None:
    row = calls.call("c3").locator("summary")
    row.focus()
    with calls.verdict():
        press(calls.page, "p")
    expect(calls.strip).to_contain_text("Pinned as")
    row.focus()
    before = calls.page.locator("#tab-samples .fact").inner_text()
    with calls.verdict():
        press(calls.page, "s")
    expect(calls.page.locator("#tab-samples .fact")).to_have_text(str(int(before) + 1))
    calls.page.evaluate("() => document.activeElement.blur()")
    with_no_call = calls.page.locator("#tab-samples .fact").inner_text()
    press(calls.page, "p", "s")
    expect(calls.page.locator("#tab-samples .fact")).to_have_text(with_no_call)


def test_t_turns_the_theme(calls: Desk) -> None:
    root = calls.page.locator("html")
    press(calls.page, "t")
    expect(root).to_have_attribute("data-theme", "light")
    press(calls.page, "t")
    expect(root).to_have_attribute("data-theme", "dark")
    press(calls.page, "t")
    expect(root).not_to_have_attribute("data-theme", re.compile("."))


def test_arrows_move_in_lists_and_open_rows(calls: Desk) -> None:
    rows = calls.panel("args").locator(".call summary")
    rows.first.focus()
    press(calls.page, "End")
    assert calls.page.evaluate("() => document.activeElement.textContent").count("c3") == 1
    details = calls.call("c3").locator("details")
    press(calls.page, "ArrowRight")
    expect(details).to_have_attribute("open", "")
    press(calls.page, "ArrowLeft")
    expect(details).not_to_have_attribute("open", "")
    press(calls.page, "Home", "ArrowDown")
    assert calls.page.evaluate("() => document.activeElement.textContent").count("c2") == 1
    press(calls.page, "ArrowUp")
    assert calls.page.evaluate("() => document.activeElement.textContent").count("c1") == 1


def test_f8_goes_through_all_panels_and_back(calls: Desk) -> None:
    seen = []
    for _ in range(4):
        press(calls.page, "F8")
        seen.append(calls.page.locator(".finding[aria-current=true]").first.get_attribute("data-fid"))
    assert seen[0] != seen[1]
    press(calls.page, "Shift+F8")
    expect(calls.page.locator(".finding[aria-current=true]").first).to_have_attribute(
        "data-fid", str(seen[2])
    )


def test_esc_in_a_dialog_closes_it_and_nothing_else(calls: Desk) -> None:
    press(calls.page, "F8", "?", "Escape")
    expect(calls.page.locator("#sheet")).to_be_hidden()
    expect(calls.page.locator(".finding[aria-current=true]").first).to_be_visible()
    press(calls.page, "Escape")
    expect(calls.page.locator(".finding[aria-current=true]")).to_have_count(0)


def test_tab_goes_through_the_whole_page_in_reading_order_and_out_of_it(calls: Desk) -> None:
    """Without a trap: every stop once, lists and tabs one stop each, then out of the page."""
    calls.page.evaluate(
        """() => {
            window.stops = [];
            document.addEventListener("focusin", event => window.stops.push(event.target));
            document.querySelector("h1").tabIndex = -1;
            document.querySelector("h1").focus();
        }"""
    )
    for _ in range(150):
        calls.page.keyboard.press("Tab")
        if calls.page.evaluate("() => document.activeElement === document.body"):
            break
    stops, disordered, unseen = calls.page.evaluate(
        """() => {
            const stops = window.stops.slice(1);
            const { DOCUMENT_POSITION_FOLLOWING: after } = Node;
            const back = (a, b) => a !== b && !(a.compareDocumentPosition(b) & after);
            const call = e => e.matches(".call-head") ? "call" : "";
            const name = e => e.id || e.ariaLabel || call(e) || e.textContent.trim().slice(0, 40);
            return [
                stops.map(name),
                stops.slice(1).filter((stop, at) => back(stops[at], stop)).map(name),
                stops.filter(stop => !stop.checkVisibility({ visibilityProperty: true })).map(name),
            ];
        }"""
    )
    assert disordered == []
    assert unseen == []
    for wanted in ("Forget", "Open", "Save", "Share link", "Format", "editor-calls_text", "tab-contract"):
        assert stops.count(wanted) >= 1, (wanted, stops)
    assert stops.count("call") == 1
    assert len([stop for stop in stops if stop.startswith("tab-")]) == 1


def test_filter_chips_are_one_stop_and_use_the_arrows(calls: Desk) -> None:
    press(calls.page, "5")
    chips = calls.tab("cases").locator("[data-filter]")
    assert [chip.get_attribute("tabindex") for chip in chips.all()].count("0") == 1
    chips.first.focus()
    press(calls.page, "ArrowRight", "Enter")
    expect(chips.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(chips.first).to_have_attribute("aria-pressed", "false")
    shown = calls.tab("cases").locator("tr.case:visible").count()
    total = calls.tab("cases").locator("tr.case").count()
    assert 0 < shown < total
    press(calls.page, "Control+Enter")
    calls.settle()
    expect(chips.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(calls.tab("cases").locator("tr.case:visible")).to_have_count(shown)
    expect(calls.tab("cases").locator("[data-shown]")).to_have_text(f"{shown} of {total} shown")


def test_in_a_text_field_every_key_is_text(calls: Desk) -> None:
    calls.editor("calls_text").locator(".cm-content").focus()
    press(calls.page, "Control+End")
    with calls.verdict():
        calls.page.keyboard.type("1 4 \\ / p s t ?")
    assert calls.text("calls_text") == TWO + "1 4 \\ / p s t ?"
    press(calls.page, "5")
    field = calls.page.locator("[name=new_case_name]")
    calls.page.locator("#tab-cases").click()
    field.click()
    calls.page.keyboard.type("12?/t")
    assert field.input_value() == "12?/t"
    expect(calls.page.locator("#sheet")).to_be_hidden()


def test_the_sheet_opens_lists_the_keys_and_gives_the_focus_back(calls: Desk) -> None:
    press(calls.page, "2", "?")
    sheet = calls.page.locator("#sheet")
    expect(sheet).to_be_visible()
    for words in ("next, previous finding", "fold or show the panels", "Where the toolbox names live"):
        expect(sheet).to_contain_text(words)
    assert not re.search("Export|Rehearse|MCP Tool", sheet.inner_text())
    press(calls.page, "t", "5")
    expect(calls.page.locator("html")).not_to_have_attribute("data-theme", re.compile("."))
    press(calls.page, "Escape")
    expect(sheet).to_be_hidden()
    assert focused(calls.page) == "args"


def test_single_keys_can_be_switched_off_for_good(calls: Desk) -> None:
    calls.page.get_by_role("button", name="Keyboard shortcuts").click()
    switch = calls.page.get_by_role("switch", name="Single keys")
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    press(calls.page, "Escape")
    calls.open()
    press(calls.page, "5", "t", "\\", "?")
    expect(calls.tab("contract")).to_be_visible()
    expect(calls.page.locator("#sheet")).to_be_hidden()
    expect(calls.page.locator("html")).not_to_have_attribute("data-theme", re.compile("."))
    press(calls.page, "F8")
    expect(calls.page.locator(".finding[aria-current=true]").first).to_be_visible()
    calls.page.get_by_role("button", name="Keyboard shortcuts").click()
    calls.page.get_by_role("switch", name="Single keys").click()
    press(calls.page, "Escape", "5")
    expect(calls.tab("cases")).to_be_visible()


def test_no_key_of_the_browser_is_taken_outside_an_editor(calls: Desk) -> None:
    taken = calls.page.evaluate(
        """() => {
            const free = [];
            for (const key of ["f", "i", "s", "o", "p", "t", "z", "1", "5", "/", "\\\\"]) {
                for (const how of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
                    const init = { key, ...how, bubbles: true, cancelable: true };
                    const event = new KeyboardEvent("keydown", init);
                    document.body.dispatchEvent(event);
                    if (event.defaultPrevented) free.push(JSON.stringify([key, how]));
                }
            }
            return free;
        }"""
    )
    assert taken == []


def test_under_560_px_the_menu_holds_what_the_header_held(page: Page) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    desk = Desk(page)
    desk.open()
    for name in ("Open", "Save", "Share link", "Forget", "Keyboard shortcuts"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_hidden()
        page.get_by_label("Menu").click()
        expect(page.locator("#page-menu").get_by_role("button", name=name, exact=True)).to_be_visible()
        press(page, "Escape")
    page.get_by_label("Menu").click()
    page.locator("#page-menu").get_by_role("button", name="Share link").click()
    expect(page.locator("#share")).to_be_visible()
    press(page, "Escape")
    page.get_by_label("Menu").click()
    page.locator("#page-menu").get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.locator("#sheet")).to_be_visible()
