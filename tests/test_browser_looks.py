"""Light and dark, narrow and wide, for everyone to use, and nobody else's business."""

from __future__ import annotations

import json
import re
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.conftest import Server, Tour
from tests.desk import Desk, sample

CALL = sample("gemini-live/seed-tool-call.calls.json")
MINTED = sample("gemini-live/wrong-answer.responses.json")
LONG = json.dumps(
    {
        "toolCall": {
            "functionCalls": [
                {"id": "call_" + "9" * 200, "name": "set_light", "args": {"room": "r" * 300, "k" * 200: True}}
            ]
        }
    }
)


def colour(page: Page, name: str) -> str:
    return str(page.locator("body").evaluate(f"body => getComputedStyle(body).{name}"))


def lightness(value: str) -> float:
    return sum(float(number) for number in re.findall(r"[\d.]+", value)[:3])


SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")

# Light and dark ----------------------------------------------------------------------------


def test_light_and_dark_by_system_and_by_switch(desk: Desk, page: Page) -> None:
    page.emulate_media(color_scheme="light")
    light = colour(page, "backgroundColor")
    page.emulate_media(color_scheme="dark")
    dark = colour(page, "backgroundColor")
    assert lightness(dark) < 150 < 600 < lightness(light)
    switch = page.get_by_role("button", name=re.compile("^Theme"))
    switch.click()
    assert colour(page, "backgroundColor") == light
    expect(switch).to_have_accessible_name("Theme: light")
    page.emulate_media(color_scheme="light")
    switch.click()
    assert colour(page, "backgroundColor") == dark
    editor = desk.editor("calls_text").locator(".cm-editor")
    assert lightness(str(editor.evaluate("it => getComputedStyle(it).backgroundColor"))) < 150
    page.reload()
    desk.settle()
    assert colour(page, "backgroundColor") == dark
    switch.click()
    assert colour(page, "backgroundColor") == light


# For everyone ------------------------------------------------------------------------------


def wrong_answer(desk: Desk) -> None:
    desk.paste("responses_text", MINTED)
    desk.finding("response-orphan", "toolResponse").click()


def broken(desk: Desk) -> None:
    desk.paste("calls_text", CALL[:150])


def empty(desk: Desk) -> None:
    desk.press("Clear", desk.panel("toolCall"))


def unchecked(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.open_tab("contract")
    desk.press("Clear", desk.tab("contract"))


def cases(desk: Desk) -> None:
    desk.open_tab("cases")
    desk.page.get_by_label("Name of the case").fill("ok_not")
    desk.page.get_by_label("Payload of the case").fill("{}")
    desk.press("Pin case", desk.tab("cases"))


def samples(desk: Desk) -> None:
    desk.open_tab("samples")


def asked(desk: Desk) -> None:
    desk.page.get_by_role("button", name="Forget").click()


def menus(desk: Desk) -> None:
    desk.panel("toolCall").locator("#dialect-menu summary").click()


def first(desk: Desk) -> None:
    desk.finding("enum").click()


STATES = (first, menus, wrong_answer, broken, empty, unchecked, asked)
"""Each is reached from the one before."""


def test_axe_finds_nothing_in_light_and_dark(desk: Desk, page: Page, subtests: pytest.Subtests) -> None:
    axe = Axe()
    for state in STATES:
        with subtests.test(state.__name__):
            state(desk)
            for scheme in SCHEMES:
                # Without motion: a colour on its way to another is nobody's to read.
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                only = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
                found = axe.run(page, options=only)
                assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"


def test_every_verdict_is_said_in_words_beside_its_colour(desk: Desk) -> None:
    for pill in desk.page.locator("[data-pill]").all():
        assert re.search(r"\b(GREEN|RED|IDLE)\b", pill.text_content() or "")
    for sign in desk.editor("calls_text").locator(".sign").all():
        assert sign.text_content() in ("error", "accepted")
    for row in desk.panel("toolCall").locator(".finding").all():
        assert (row.text_content() or "").strip().startswith("error")


def test_the_keyboard_reaches_everything_and_is_never_trapped(desk: Desk, page: Page) -> None:
    seen: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        tag = """() => {
            const at = document.activeElement;
            return at === document.body ? "" : at.id || at.name || at.className || at.localName;
        }"""
        at = str(page.evaluate(tag))
        if seen and not at:
            break  # round: back to the browser itself
        seen.append(at)
    else:
        pytest.fail(f"Tab never came round: {seen}")
    for wanted in ("editor-calls_text", "editor-contracts_text", "string_args", "scheduling", "tab-contract"):
        assert wanted in seen
    page.locator("#tab-contract").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-cases")).to_be_focused()
    expect(desk.tab("cases")).to_be_visible()


# Narrow ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [420, 320])
def test_a_narrow_page_scrolls_one_way_only(desk: Desk, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})

    def fits() -> None:
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= width

    for text in (None, LONG, CALL[:150]):
        if text is not None:
            desk.paste("calls_text", text)
        for tab in ("cases", "samples", "contract"):
            desk.open_tab(tab)
            fits()
    desk.paste("responses_text", MINTED)
    fits()
    for name in ("toolCall", "args", "toolResponse"):
        expect(desk.pill(name)).to_be_visible()


def test_panels_fold_to_their_verdicts_and_come_back(desk: Desk, page: Page) -> None:
    page.get_by_role("button", name="Fold panels").click()
    expect(desk.editor("calls_text")).to_be_hidden()
    for name in ("toolCall", "args", "toolResponse"):
        expect(desk.pill(name)).to_be_visible()
    page.reload()
    desk.settle()
    expect(desk.editor("calls_text")).to_be_hidden()
    page.get_by_role("button", name="Show panels").click()
    expect(desk.editor("calls_text")).to_be_visible()


# Nobody else's business ----------------------------------------------------------------------


def test_a_whole_tour_asks_this_server_only_and_breaks_no_policy(
    desk: Desk, page: Page, server: Server, tour: Tour
) -> None:
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective))"
    )
    desk.open()
    menu = desk.page.locator("#samples-calls")
    menu.locator("summary").click()
    expect(menu.get_by_role("heading", name="Gemini Live")).to_be_visible()
    titles = menu.locator("button").all_text_contents()
    assert len(titles) >= 10
    for title in titles:
        if menu.get_attribute("open") is None:
            menu.locator("summary").click()
        desk.press(title, menu)
    schema = {"$schema": "https://evil.test/s", "$id": "https://evil.test/i", "$ref": "https://evil.test/r"}
    desk.paste("contracts_text", json.dumps(schema))
    for state in (menus, cases, samples):
        state(desk)
    page.locator("#how-to-check summary").click()
    expect(page.locator("#how-to-check")).to_contain_text("You will see one address: this one.")
    expect(desk.panel("toolCall")).to_contain_text("Nothing leaves this machine. Nothing is fetched.")
    hosts = {urlsplit(url).netloc for url in tour.requests if urlsplit(url).scheme not in ("data", "blob")}
    assert hosts == {urlsplit(server.url).netloc}
    assert page.context.cookies() == []


def test_a_broken_policy_would_be_noticed(desk: Desk, page: Page, tour: Tour) -> None:
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.evaluate("() => document.body.append(Object.assign(new Image(), {src: 'data:,'}))")
    assert desk.complaints != []
    assert tour.errors != []
    desk.complaints.clear()
    tour.errors.clear()


def test_no_word_of_what_is_not_there_yet(desk: Desk, page: Page) -> None:
    for state in (first, wrong_answer, unchecked, cases, samples):
        state(desk)
        said = page.locator("body").evaluate(
            "body => [body.textContent, ...[...body.querySelectorAll('[title], [aria-label], [placeholder]')]"
            ".flatMap(it => [it.title, it.ariaLabel, it.placeholder])].join(' ')"
        )
        assert re.findall(r"\b(export|rehearse)\w*", str(said), re.IGNORECASE) == []
