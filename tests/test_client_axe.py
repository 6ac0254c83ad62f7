"""What the script brings to the page is for every person: axe finds nothing in any state of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.desk import Desk

TOO_LONG = "".join(chr(0x4E00 + number * number * 7919 % 20_000) for number in range(30_000))


def sheet(desk: Desk) -> None:
    desk.page.keyboard.press("?")
    expect(desk.page.locator("#sheet")).to_be_visible()


def share(desk: Desk) -> None:
    desk.page.locator("[data-share]").evaluate("button => button.click()")
    expect(desk.page.locator("#share")).to_be_visible()


def too_long_to_share(desk: Desk) -> None:
    desk.paste("calls_text", TOO_LONG)
    share(desk)


def menu(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 420, "height": 900})
    desk.page.get_by_label("Menu").click()


def narrow_sheet(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 420, "height": 900})
    sheet(desk)


def forget(desk: Desk) -> None:
    desk.page.locator("[data-forget]").click()


def opened(desk: Desk) -> None:
    with desk.page.expect_file_chooser() as chooser:
        desk.page.locator("[data-open]").click()
    with desk.verdict():
        chooser.value.set_files({"name": "a.json", "mimeType": "", "buffer": b"{}"})
    expect(desk.page.locator("#notice")).to_be_visible()


def chosen(desk: Desk) -> None:
    desk.finding("enum").first.click()


def in_the_editor(desk: Desk) -> None:
    desk.editor("calls_text").locator(".cm-content").focus()
    desk.page.keyboard.press("ControlOrMeta+f")
    expect(desk.editor("calls_text").locator(".cm-search")).to_be_visible()


def filtered(desk: Desk) -> None:
    desk.open_tab("cases")
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("no such case")
    expect(desk.tab("cases").locator("[data-none]")).to_be_visible()


STATES = (
    sheet,
    share,
    too_long_to_share,
    menu,
    narrow_sheet,
    forget,
    opened,
    chosen,
    in_the_editor,
    filtered,
)


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(desk: Desk, state: Callable[[Desk], None]) -> None:
    state(desk)
    for scheme in ("light", "dark"):
        desk.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = Axe().run(desk.page)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"
        width, window = desk.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert width <= window
