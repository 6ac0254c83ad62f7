"""The page in a browser: its weight, how soon it stands, and how long a verdict takes to follow a key."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.bench.core import frames
from tests.bench.measure import Goal, Row, percentile, shown

SCRIPT = (Path(__file__).parent / "observe.js").read_text(encoding="utf-8")
EDITOR = "#editor-calls_text .cm-content"


def open_page(browser: Browser, url: str) -> Page:
    """Open the page as if for the first time, with observers that were there before it."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
    page.add_init_script(SCRIPT)
    page.goto(url)
    expect(page.locator("html[data-js]")).to_be_attached()
    expect(page.locator("#panels:not([data-judging])")).to_be_attached()
    return page


def paste(page: Page, text: str) -> None:
    """Replace the text of the first editor."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator(EDITOR).focus()
    page.keyboard.press("Control+a")
    press(page, "Control+v")


def press(page: Page, key: str) -> float:
    """Press a key and return the milliseconds from it to its verdict on the screen.

    The page itself tells when that stands: whoever polls it takes its time.
    """
    stands = page.evaluate_handle("() => ({ promise: window.observed.stands() })")
    page.keyboard.press(key)
    stands.evaluate("({ promise }) => promise")
    return float(page.evaluate("() => window.observed.verdict"))


def weight(browser: Browser, url: str, loads: int) -> Iterator[Row]:
    """Weigh what the first visit loads, and time when it stands."""
    found: list[dict[str, Any]] = []
    for _ in range(loads):
        page = open_page(browser, url)
        page.wait_for_timeout(300)
        page.locator(EDITOR).focus()
        for key in "abc":
            press(page, key)
        for place in ("[data-panel=toolCall] .finding", "#tab-cases", "#tab-contract", "[data-theme-switch]"):
            page.locator(place).first.click()
        page.wait_for_timeout(300)
        found.append(page.evaluate("() => window.observed.page()"))
        page.context.close()

    def row(work: str, key: str, goal: Goal, factor: float = 1.0) -> Row:
        figure = statistics.median(each[key] for each in found) * factor
        return Row(work, shown(figure, goal.unit), "", figure, goal)

    yield row("HTML and CSS of the first visit, compressed", "texts", Goal(25, "KB"), 1 / 1024)
    yield row("scripts of the first visit, compressed and deferred", "scripts", Goal(170, "KB"), 1 / 1024)
    yield row("largest contentful paint", "lcp", Goal(1000, "ms"))
    yield row("slowest interaction to the next paint", "inp", Goal(100, "ms"))
    yield row("layout shift", "cls", Goal(0.02, ""))


def typing(browser: Browser, url: str, size: int, keys: int) -> Iterator[Row]:
    """Type into a paste, and wait for the verdict on the screen: after the pause, and with Ctrl+Enter."""
    page = open_page(browser, url)
    paste(page, "\n".join(frames(size)))
    page.keyboard.press("Control+Home")
    for way, bound in (("typed", 250.0), ("Ctrl+Enter", 100.0)):
        taken = []
        for turn in range(keys + 3):
            typed = " " if turn % 2 == 0 else "Backspace"
            taken.append(press(page, typed if way == "typed" else "Control+Enter"))
        figure = percentile(taken[3:], 0.95)
        after = "a key, its 150 ms pause included" if way == "typed" else "Ctrl+Enter"
        work = f"{size // 1024} KB paste: from {after}, to the verdict on the screen, p95"
        yield Row(work, shown(figure, "ms"), "", figure, Goal(bound, "ms"))
    page.context.close()


def smoothness(browser: Browser, url: str, size: int, keys: int) -> Iterator[Row]:
    """Type into a large paste without a break: how long is the page ever busy at a stretch?"""
    page = open_page(browser, url)
    paste(page, "\n".join(frames(size)))
    page.keyboard.press("Control+Home")
    page.evaluate("() => window.observed.forget()")
    for turn in range(keys):
        page.keyboard.press(" " if turn % 2 == 0 else "Backspace")
        page.wait_for_timeout(60)
    figure = float(page.evaluate("() => window.observed.longest"))
    goal = Goal(50, "ms")
    work = f"typing into {size / 1024 / 1024:.2g} MB: longest task of the page"
    yield Row(work, shown(figure, "ms") if figure else "none over 50 ms", "", figure, goal)
    page.context.close()
