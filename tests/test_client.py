"""The page's own script: exact texts, no stale verdict, Cancel, Undo, the chosen finding, what is kept."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

GARAGE = '{"toolCall":{"functionCalls":[{"id":"c1","name":"set_light","args":{"room":"garage","on":true}}]}}'
EDITOR = "#editor-calls_text .cm-content"
PILL = "[data-panel=toolCall] [data-pill]"
STATUS = "[data-panel=toolCall]"


@pytest.fixture
def home(page: Page) -> Page:
    """The page as it opens, with a clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    expect(page.locator(EDITOR)).to_be_visible()
    return page


def paste(page: Page, text: str) -> None:
    """Replace what stands in the toolCall editor, as a person would, and wait for the verdict."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator(EDITOR).focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")
    judged(page)


def judged(page: Page) -> None:
    """Wait until the verdict of the present text stands."""
    expect(page.locator("#panels:not([data-judging])")).to_be_attached()


def posted(page: Page, name: str = "calls_text") -> str:
    """What the form would send."""
    return str(page.evaluate("name => new FormData(document.getElementById('workbench')).get(name)", name))


def test_every_text_comes_back_exactly(home: Page) -> None:
    texts = ["", "a\nb", "a\r\nb\r\n", "a\rb", "a\r\nb\nc\rd", "\n\r\n\r\r\n\n"]
    texts += ["\ufeff{}\r\n", "\u2028\0\u200b", "\\ud800", "1e400 1.10 12345678901234567890"]
    wrong = home.evaluate(
        """async (texts) => {
             const { create } = await import("/static/vendor/editor.js");
             texts.push("half \\ud800 a pair");
             const host = document.body.appendChild(document.createElement("div"));
             const editor = create(host, { text: texts[1], label: "text" });
             const wrong = [];
             for (const before of texts) for (const text of texts) {
               editor.setText(before);
               editor.setText(text, { undoable: true });
               if (editor.getText() !== text) wrong.push([before, text, editor.getText()]);
             }
             return wrong;
           }""",
        texts,
    )
    assert wrong == []


@pytest.mark.parametrize("text", ['{"a":\r\n1}\r\n', "[1,\r\n2,\n3,\r4]", "\ufeff{}\n"])
def test_a_paste_is_sent_byte_by_byte_and_undo_brings_it_back(home: Page, text: str) -> None:
    paste(home, text)
    assert posted(home) == text
    paste(home, GARAGE)
    assert posted(home) == GARAGE
    home.keyboard.press("Control+z")
    assert posted(home) == text


def test_the_verdict_is_gone_with_the_first_key(home: Page) -> None:
    expect(home.locator(PILL)).to_contain_text("RED")
    home.route("**/panels", lambda route: None)
    home.locator(EDITOR).focus()
    home.keyboard.type(" ")
    assert home.locator(PILL).inner_text().strip() == "JUDGING"
    assert home.locator(STATUS).get_attribute("data-status") == "idle"
    assert home.locator("#readout").inner_text().strip() == ""
    assert home.locator("#editor-calls_text .sign").count() == 0
    assert not home.locator("[data-panel=toolCall] .finding").first.is_visible()


def test_cancel_leaves_red_and_says_so(home: Page) -> None:
    home.route("**/panels", lambda route: None)
    home.keyboard.press("Control+Enter")
    expect(home.locator("[data-cancel]")).to_be_hidden()
    expect(home.locator("[data-cancel]")).to_be_visible()
    with home.expect_event("requestfailed"):
        home.locator("[data-cancel]").click()
    expect(home.locator(PILL)).to_contain_text("not judged")
    expect(home.locator(STATUS)).to_have_attribute("data-status", "red")
    expect(home.locator("#readout")).to_have_text("Stopped by you. Nothing was judged.")


def test_a_newer_text_replaces_the_judgement_of_an_older_one(home: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    home.route("**/panels", hold, times=1)
    with home.expect_request("**/panels"):
        home.keyboard.press("Control+Enter")
    with home.expect_event("requestfailed"):
        paste(home, GARAGE.replace("garage", "kitchen"))
    expect(home.locator(PILL)).to_contain_text("GREEN")
    assert len(held) == 1


def test_format_changes_white_space_and_undo_gives_the_exact_text_back(home: Page) -> None:
    text = GARAGE.replace("true", 'true,\r\n  "level": 1.10')
    paste(home, text)
    home.locator('button[value="format:calls_text"]').click()
    judged(home)
    formatted = posted(home)
    assert formatted != text
    assert "1.10" in formatted
    assert json.loads(formatted) == json.loads(text)
    home.locator("[data-undo]").click()
    judged(home)
    assert posted(home) == text


def test_a_chosen_finding_is_marked_everywhere_and_survives_judging_again(home: Page) -> None:
    paste(home, GARAGE)
    home.locator("[data-panel=toolCall] .finding").first.click()
    for _ in range(2):
        expect(home.locator("[data-panel=toolCall] .finding[aria-current=true]")).to_have_count(1)
        expect(home.locator("#editor-calls_text .cm-ring")).to_have_text('"garage"')
        expect(home.locator("#editor-contracts_text .cm-linked")).to_have_count(1)
        expect(home.locator("[data-panel=args] .line.is-chosen")).to_have_count(1)
        expect(home.locator('[data-pointer="/room"].is-chosen')).to_have_count(1)
        home.locator(EDITOR).focus()
        home.keyboard.press("Control+End")
        home.keyboard.type(" ")
        judged(home)
    home.keyboard.press("Escape")
    assert home.evaluate("document.activeElement.matches('.finding')")
    home.keyboard.press("Escape")
    expect(home.locator(".is-chosen")).to_have_count(0)


def test_f8_steps_and_enter_goes_to_the_value(home: Page) -> None:
    paste(home, GARAGE)
    home.keyboard.press("F8")
    home.keyboard.press("Enter")
    home.keyboard.type('"kitchen"')
    judged(home)
    assert posted(home) == GARAGE.replace("garage", "kitchen")
    expect(home.locator(PILL)).to_contain_text("GREEN")


def test_tab_leaves_the_editor(home: Page) -> None:
    home.locator(EDITOR).focus()
    home.keyboard.press("Tab")
    assert home.evaluate("document.activeElement.id") != "editor-calls_text"


def test_a_reload_keeps_the_work_until_it_is_forgotten(home: Page) -> None:
    paste(home, GARAGE + "\r\n")
    home.select_option("[name=string_args]", "refuse")
    home.locator("#tab-cases").click()
    home.reload()
    judged(home)
    assert posted(home) == GARAGE + "\r\n"
    assert posted(home, "string_args") == "refuse"
    expect(home.locator("[data-tab=cases]")).to_be_visible()
    home.locator("[data-forget]").click()
    with home.expect_navigation():
        home.locator("dialog button[value=forget]").click()
    expect(home.locator(EDITOR)).to_contain_text("call_light_02")


def test_a_text_too_large_to_keep_is_said(home: Page) -> None:
    paste(home, f'"{"x" * 4_100_000}"')
    expect(home.locator("[data-kept]")).to_have_text("Too large to keep in this browser")


def test_a_server_that_is_gone_is_said_and_asked_again(home: Page) -> None:
    home.route("**/panels", lambda route: route.abort())
    home.keyboard.press("Control+Enter")
    expect(home.locator("#strip")).to_contain_text("Your text is safe in this browser.")
    expect(home.locator(STATUS)).to_have_attribute("data-status", "red")
    home.unroute("**/panels")
    home.locator("#strip [data-retry]").click()
    judged(home)
    expect(home.locator("#strip")).to_be_hidden()
    expect(home.locator(PILL)).to_contain_text("1 of 2 refused")


def test_an_error_answer_is_told_and_never_swapped_in(home: Page) -> None:
    answer = json.dumps({"message": "<b>All workers are busy.</b>"})
    home.route("**/panels", lambda route: route.fulfill(status=409, body=answer))
    home.keyboard.press("Control+Enter")
    expect(home.locator("#strip [data-strip-text]")).to_have_text("<b>All workers are busy.</b>")
    expect(home.locator("[data-panel]")).to_have_count(3)


def test_a_text_over_the_limit_is_not_sent(home: Page) -> None:
    home.evaluate("document.getElementById('workbench').dataset.bodyLimit = 1000")
    home.keyboard.press("Control+Enter")
    expect(home.locator("#strip")).to_contain_text("is over the limit of")


def test_copy_says_how_much(home: Page) -> None:
    paste(home, GARAGE)
    home.locator("[data-panel=toolCall] [data-copy=calls_text]").click()
    expect(home.locator("#toast")).to_have_text(f"Copied, {len(GARAGE)} characters.")
    assert home.evaluate("navigator.clipboard.readText()") == GARAGE


def test_the_theme_switch_is_kept(home: Page) -> None:
    for wanted in ("light", "dark"):
        home.locator("[data-theme-switch]").click()
        assert home.evaluate("document.documentElement.dataset.theme") == wanted
    home.reload()
    assert home.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
