"""Live while typing, never stale; Cancel stops the work; one choice, many marks; a reload loses nothing."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from app import limits
from tests.conftest import Server, running
from tests.desk import PANELS, Desk, sample

CALL = sample("gemini-live/seed-tool-call.calls.json")
GARAGE = CALL.replace("living_room", "garage")
ANSWER = sample("gemini-live/seed-tool-response.responses.json")


def doubling(levels: int) -> str:
    """A contract that asks for twice the work with every level."""
    definitions: dict[str, object] = {"d0": {"type": "object"}}
    for level in range(1, levels):
        definitions[f"d{level}"] = {"allOf": [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    return json.dumps({"$defs": definitions, "$ref": f"#/$defs/d{levels - 1}"})


def padded(text: str, size: int) -> str:
    """A text with so much white space before it, for a larger budget."""
    return (" " * 99 + "\n") * (size // 100) + text


# Live ----------------------------------------------------------------------------------


def test_the_verdict_follows_each_pause_in_typing_without_a_click(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.shows("green", "green", "green")
    desk.line("calls_text", 8).get_by_text("living_room").dblclick()
    with desk.verdict():
        desk.page.keyboard.type("kitchens", delay=20)
    desk.shows("red", "red", "green")
    expect(desk.finding("enum")).to_contain_text('"kitchens" is not one of')
    with desk.verdict():
        desk.page.keyboard.press("Backspace")
    desk.shows("green", "green", "green")


def test_ctrl_enter_judges_now(desk: Desk) -> None:
    desk.editor("calls_text").locator(".cm-content").focus()
    with desk.verdict():
        desk.page.keyboard.press("ControlOrMeta+Enter")
    desk.shows("red", "red", "green")


def test_no_verdict_outlives_its_text(desk: Desk) -> None:
    held: list[Route] = []
    desk.paste("calls_text", GARAGE)
    desk.finding("enum").click()
    desk.page.route("**/panels", lambda route: held.append(route))
    desk.editor("calls_text").locator(".cm-content").focus()
    desk.page.keyboard.press("ControlOrMeta+End")
    desk.page.keyboard.type(" ")
    # No waiting from here on: the answer is held back, and the old verdict must be gone already.
    for name in (*PANELS, "cases", "samples"):
        pill = desk.pill(name)
        assert pill.locator("[data-pill-word]").text_content() == "JUDGING"
        assert pill.locator("[data-pill-count]").text_content() == ""
    assert {panel.get_attribute("data-status") for panel in desk.page.locator("[data-panel]").all()} == {
        "idle"
    }
    assert [each for each in desk.panels.locator("[data-verdict]").all() if each.is_visible()] == []
    assert desk.signs("calls_text") == set()
    assert (desk.readout.text_content() or "").strip() == ""
    assert desk.panels.get_by_text("not one of").filter(visible=True).count() == 0

    expect(desk.page.locator("[data-cancel]")).to_be_visible()
    expect(desk.page.locator("[data-elapsed]")).to_have_text(re.compile(r"^\d+\.\d s$"))
    (route,) = held
    with desk.verdict():
        route.continue_()
    desk.shows("red", "red", "green")


def test_a_slow_answer_to_an_old_text_never_arrives(desk: Desk) -> None:
    held: list[Route] = []
    desk.page.route("**/panels", lambda route: held.append(route), times=1)
    with desk.page.expect_request("**/panels"):
        desk.paste("calls_text", CALL, judged=False)
    desk.paste("calls_text", GARAGE)
    desk.shows("red", "red", "green")
    assert len(held) == 1
    assert [request.url for request in desk.stopped] == [held[0].request.url]


# Work that takes its time -----------------------------------------------------------------


def workers(server: Server) -> set[str]:
    """The processes that judge, where the system tells of them."""
    if sys.platform != "linux":
        return set()
    pid = server.process.pid
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def test_cancel_stops_the_work_and_frees_the_worker(desk: Desk, server: Server) -> None:
    size = 8_000_000
    desk.paste("calls_text", padded(CALL, size))
    desk.shows("green", "green", "green")
    before = workers(server)
    with desk.page.expect_request("**/panels"):
        desk.paste("contracts_text", doubling(40), judged=False)
    started = time.monotonic()
    cancel = desk.page.locator("[data-cancel]")
    expect(cancel).to_be_visible()
    expect(desk.page.locator("[data-size]")).to_contain_text("MB")
    with desk.page.expect_event("requestfailed"):
        cancel.click()
    expect(cancel).to_be_hidden()
    expect(desk.readout).to_have_text("Stopped by you. Nothing was judged.")
    for name in PANELS:
        expect(desk.panel(name)).to_have_attribute("data-status", "red")
        expect(desk.pill(name)).to_contain_text("not judged")
    expect(desk.panel("args").get_by_text("Stopped by you. Nothing was judged.")).to_be_visible()
    if before:  # the one that worked on it is killed long before its time was over
        while before <= workers(server):
            assert time.monotonic() - started < limits.seconds_for(size)

    desk.paste("calls_text", CALL, judged=False)
    desk.paste("contracts_text", '{"type": "object"}')
    desk.shows("green", "green", "green")


def test_work_over_its_time_is_not_judged_and_never_green(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.paste("contracts_text", doubling(40))
    desk.shows("red", "red", "red")
    expect(desk.pill("args")).to_contain_text("not judged")
    expect(desk.panels.locator('.finding[data-code="not-judged"]').first).to_be_visible()
    expect(desk.panel("toolResponse")).to_contain_text("No answer is drafted for a call that was not judged.")
    expect(desk.readout).to_contain_text("Not finished is not green")
    desk.paste("contracts_text", '{"type": "object"}')
    desk.shows("green", "green", "green")


def test_ten_megabytes_are_judged_and_the_page_stays_alive(desk: Desk) -> None:
    rows = [{"room": "x" * 80, "index": index} for index in range(95_000)]
    text = json.dumps(
        {"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": {"rows": rows}}]}}, indent=1
    )
    assert len(text) > 10_000_000
    desk.paste("contracts_text", '[{"name": "f", "parameters": {"type": "object"}}]')
    desk.paste("calls_text", text)
    desk.shows("green", "green", "green")
    expect(desk.page.locator("[data-kept]")).to_have_text("Too large to keep in this browser")
    desk.editor("calls_text").locator(".cm-content").focus()
    with desk.verdict():
        desk.page.keyboard.type("x")
    expect(desk.panel("toolCall")).to_have_attribute("data-status", "red")
    desk.paste("calls_text", CALL.replace("set_light", "f"))
    desk.shows("green", "green", "green")


def test_more_than_the_limit_is_said_and_nothing_is_lost(desk: Desk) -> None:
    desk.paste("calls_text", padded(CALL, limits.BODY_BYTES + 1_000), judged=False)
    expect(desk.page.locator("#strip")).to_contain_text("is over the limit of 32 MB. Paste a part")
    for name in PANELS:
        expect(desk.panel(name)).to_have_attribute("data-status", "red")
        expect(desk.pill(name)).to_contain_text("not judged")
    desk.paste("calls_text", CALL)
    expect(desk.page.locator("#strip")).to_be_hidden()
    desk.shows("green", "green", "green")


def test_a_server_that_ends_is_told_and_the_text_is_judged_when_it_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        with running(tmp_path) as server:
            context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
            desk = Desk(context.new_page())
            desk.open(server.url)
        strip = desk.page.locator("#strip")
        desk.paste("calls_text", CALL, judged=False)
        expect(strip).to_contain_text("The workbench does not answer. Your text is safe in this browser.")
        expect(desk.pill("toolCall")).to_contain_text("not judged")
        with running(tmp_path, "--port", str(server.port)):
            with desk.verdict():
                strip.get_by_role("button", name="Try again").click()
            desk.shows("green", "green", "green")
            expect(strip).to_be_hidden()
            assert desk.text("calls_text") == CALL


# One choice, many marks -----------------------------------------------------------------


def chosen_places(desk: Desk) -> list[Locator]:
    """Where the enum violation of the garage frame is to be seen."""
    return [
        desk.line("calls_text", 8).and_(desk.page.locator(".cm-linked")),
        desk.editor("calls_text").locator(".cm-ring", has_text='"garage"'),
        desk.call("call_light_01").locator(".line.is-chosen", has_text='"garage"'),
        desk.call("call_light_01").locator(".hook.is-chosen", has_text="enum"),
        desk.line("contracts_text", 9).and_(desk.page.locator(".cm-linked")),
        desk.editor("contracts_text").locator(".cm-ring", has_text='"enum"'),
        desk.tab("contract").locator('tr[data-pointer="/room"].is-chosen'),
        desk.finding("enum").and_(desk.page.locator('[aria-current="true"]')),
    ]


def test_a_chosen_finding_is_marked_in_all_its_places_until_it_is_dropped(desk: Desk) -> None:
    desk.paste("calls_text", GARAGE)
    for place in chosen_places(desk):
        expect(place).to_have_count(0)
    desk.finding("enum").click()
    for place in chosen_places(desk):
        expect(place).to_have_count(1)
    desk.editor("calls_text").locator(".cm-content").focus()
    desk.page.keyboard.press("ControlOrMeta+End")
    with desk.verdict():
        desk.page.keyboard.type(" ")
    for place in chosen_places(desk):
        expect(place).to_have_count(1)
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("Escape")
    for place in chosen_places(desk):
        expect(place).to_have_count(0)


@pytest.mark.parametrize("way", ["sign", "value", "hook", "key"])
def test_a_finding_is_chosen_from_any_of_its_places(desk: Desk, way: str) -> None:
    desk.paste("calls_text", GARAGE)
    match way:
        case "sign":
            desk.editor("calls_text").locator(".sign-error").click()
        case "value":
            desk.line("calls_text", 8).get_by_text("garage").click()
        case "hook":
            desk.call("call_light_01").locator(".hook").click()
        case _:
            desk.page.keyboard.press("F8")
            expect(desk.finding("enum")).to_be_focused()
    for place in chosen_places(desk):
        expect(place).to_have_count(1)


def test_hovering_links_for_as_long_as_it_lasts(desk: Desk) -> None:
    desk.paste("calls_text", GARAGE)
    ring = desk.editor("calls_text").locator(".cm-ring")
    desk.finding("enum").hover()
    expect(ring).to_have_text('"garage"')
    expect(desk.call("call_light_01").locator(".line.is-hover")).to_have_count(1)
    desk.page.locator("h1").hover()
    expect(ring).to_have_count(0)
    expect(desk.panels.locator(".is-hover")).to_have_count(0)


# What is kept -----------------------------------------------------------------------------


def test_all_work_survives_a_reload_and_is_forgotten_on_demand(desk: Desk, page: Page) -> None:
    contract = sample("contracts/set_light.json").replace('"kitchen"', '"kitchen", "hall"')
    desk.paste("calls_text", GARAGE)
    desk.paste("responses_text", ANSWER)
    desk.paste("contracts_text", contract)
    desk.choose("string_args", "refuse")
    desk.press("Pin as case", desk.call("call_light_01"))
    desk.open_tab("cases")
    expect(desk.pill("cases")).to_contain_text("6 of 6")

    page.reload()
    desk.settle()
    expect(desk.tab("cases")).to_be_visible()
    desk.shows("red", "red", "red")
    expect(desk.pill("cases")).to_contain_text("6 of 6")
    expect(page.locator("select[name=string_args]")).to_have_value("refuse")
    assert [desk.text(name) for name in ("calls_text", "responses_text", "contracts_text")] == [
        GARAGE,
        ANSWER,
        contract,
    ]

    forget = page.locator("#forget")
    page.get_by_role("button", name="Forget").click()
    expect(forget).to_contain_text("Forget the paste, contracts, cases and samples kept here?")
    forget.get_by_role("button", name="Keep").click()
    expect(forget).to_be_hidden()
    assert desk.text("calls_text") == GARAGE
    page.get_by_role("button", name="Forget").click()
    with page.expect_navigation():
        forget.get_by_role("button", name="Forget").click()
    for _ in range(2):
        desk.settle()
        desk.shows("red", "red", "green")
        expect(desk.readout).to_contain_text("1 of 2 calls may run.")
        assert "garage" not in (page.locator("[data-tab=cases] tr.case").last.text_content() or "")
        page.reload()
    kept = page.evaluate("() => Object.values({...localStorage}).join()")
    assert "garage" not in kept
    assert page.context.cookies() == []
