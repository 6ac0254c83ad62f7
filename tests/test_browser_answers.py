"""Tried as a new user would, 3: pasted answers that do not fit the calls are red and named."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import expect

from tests.desk import Desk, sample

CALL = sample("gemini-live/seed-tool-call.calls.json")
TWO_CALLS = sample("gemini-live/seed-parallel-calls.calls.json")
ANSWER = sample("gemini-live/seed-tool-response.responses.json")
HINT = ',\n          "scheduling": "INTERRUPT"'
BESIDE = ANSWER.replace(HINT + "\n        }", '\n        },\n        "scheduling": "INTERRUPT"')
CANCELLED = f'{json.dumps(json.loads(CALL))}\n{{"toolCallCancellation": {{"ids": ["call_light_01"]}}}}\n'
REFUSED = CALL.replace("living_room", "garage")


def entry(id: str, response: str) -> str:
    return f'{{"id": "{id}", "name": "set_light", "response": {response}}}'


def answer(*entries: str) -> str:
    """An answer with one entry on each line, the first on line 4."""
    return '{"toolResponse": {\n"functionResponses":\n[\n' + ",\n".join(entries) + "\n]}}"


GOOD = '{"result": {"applied": true}}'


@dataclass(frozen=True)
class Wrong:
    """An answer that does not fit: the code, place and sentence that say it."""

    answer: str
    code: str
    place: str
    sentence: str
    pairs: str
    calls: str = CALL
    colours: tuple[str, str, str] = field(default=("green", "green", "red"))


WRONG = {
    "a minted id": Wrong(
        ANSWER.replace("call_light_01", "call_light_99"),
        "response-orphan",
        "5:15",
        "No call has this id. The open one is call_light_01. Copy the id; never mint one.",
        "pairs 0 of 1",
    ),
    "a wrong name": Wrong(
        ANSWER.replace("set_light", "set_lamp"),
        "response-name-mismatch",
        "6:17",
        "The call is named set_light; copy the name.",
        "pairs 0 of 1",
    ),
    "one entry too few": Wrong(
        ANSWER, "response-missing", "9:7", "This call gets no answer.", "pairs 1 of 2", TWO_CALLS
    ),
    "a duplicate": Wrong(
        answer(entry("call_light_01", GOOD), entry("call_light_01", GOOD)),
        "response-duplicate",
        "5:8",
        "One call, one answer: remove this one.",
        "pairs 0 of 1",
    ),
    "a result for a refused call": Wrong(
        answer(entry("call_light_01", GOOD)),
        "response-to-refused",
        "4:",
        "Answer with an error object.",
        "pairs 0 of 1",
        REFUSED,
        ("red", "red", "red"),
    ),
    "scheduling inside result": Wrong(
        ANSWER.replace(HINT, "").replace('"applied": true', '"applied": true,\n"scheduling": "INTERRUPT"'),
        "scheduling-nested",
        "12:1",
        "Move it beside response.",
        "pairs",
    ),
    "an answer to a cancelled call": Wrong(
        ANSWER,
        "response-to-cancelled",
        "5:15",
        "This call was cancelled. Remove its answer; if it ran, try to undo it.",
        "nothing to answer",
        CANCELLED,
    ),
}


def test_an_answer_that_does_not_fit_is_red_and_named(desk: Desk, subtests: pytest.Subtests) -> None:
    for name, wrong in WRONG.items():
        with subtests.test(name):
            does_not_fit(desk, wrong)


def does_not_fit(desk: Desk, wrong: Wrong) -> None:
    desk.paste("calls_text", wrong.calls)
    desk.paste("responses_text", wrong.answer)
    desk.shows(*wrong.colours)
    expect(desk.pill("toolResponse")).to_contain_text(wrong.pairs)
    row = desk.finding(wrong.code, "toolResponse")
    expect(row).to_have_class(re.compile(r"\bis-error\b"))
    expect(row.locator(".place")).to_contain_text(wrong.place)
    expect(row.locator(".message")).to_contain_text(wrong.sentence)
    expect(desk.readout).to_contain_text("Do not send this answer.")
    line = int(wrong.place.partition(":")[0])
    if wrong.code == "response-missing":  # the call is good; its line is shown when the row is chosen
        row.click()
        expect(desk.line("calls_text", line)).to_have_class(re.compile("cm-linked"))
    else:
        expect(desk.line("responses_text", line)).to_have_class(re.compile("cm-refused"))
        assert (line, "error") in desk.signs("responses_text")


def test_an_own_answer_is_pasted_where_the_focus_waits(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.clip(ANSWER)
    desk.press("Paste mine", desk.panel("toolResponse"))
    expect(desk.pill("toolResponse")).to_contain_text("nothing pasted")
    expect(desk.panel("toolResponse")).to_contain_text("Each entry is paired with its call.")
    with desk.verdict():
        desk.page.keyboard.press("ControlOrMeta+v")
    assert desk.text("responses_text") == ANSWER
    expect(desk.pill("toolResponse")).to_contain_text("pairs 1 of 1")


def test_a_minted_id_leaves_its_call_open_and_both_are_named(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.paste("responses_text", WRONG["a minted id"].answer)
    expect(desk.finding("response-missing", "toolResponse")).to_contain_text("call_light_01")
    expect(desk.finding("response-orphan", "toolResponse")).to_contain_text("call_light_99")
    assert (5, "error") in desk.signs("responses_text")
    expect(desk.readout).to_contain_text("The model never used call_light_99; call_light_01 stays open.")


def test_scheduling_beside_response_and_inside_it_are_read_and_told_apart(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.paste("responses_text", ANSWER)
    desk.shows("green", "green", "green")
    note = desk.finding("scheduling-in-body", "toolResponse")
    expect(note).to_contain_text("13:25")
    expect(note).to_have_attribute("title", "Read as a hint, kept out of the result.")
    pair = desk.panel("toolResponse").locator("li.pair")
    expect(pair).to_contain_text("INTERRUPT")

    desk.paste("responses_text", BESIDE)
    desk.shows("green", "green", "green")
    expect(note).to_have_count(0)
    expect(pair).to_contain_text("INTERRUPT")

    desk.paste("responses_text", BESIDE.replace("INTERRUPT", "LATER"))
    desk.shows("green", "green", "red")
    expect(desk.finding("scheduling-invalid", "toolResponse")).to_contain_text("INTERRUPT, WHEN_IDLE, SILENT")


def test_a_cancelled_call_must_not_run_and_is_left_out_of_the_draft(desk: Desk) -> None:
    calls = json.loads(TWO_CALLS)
    desk.paste("calls_text", f'{json.dumps(calls)}\n{{"toolCallCancellation": {{"ids": ["call_light_01"]}}}}')
    desk.shows("green", "green", "green")
    expect(desk.pill("toolCall")).to_contain_text("2 calls, 1 cancelled")
    row = desk.call("call_light_01")
    expect(row.locator(".outcome")).to_have_text("cancelled")
    expect(row).to_contain_text("Do not run it. If it already ran, try to undo it.")
    expect(desk.call("call_light_02").locator(".outcome")).to_have_text("accept")
    assert [each["id"] for each in desk.draft()] == ["call_light_02"]

    desk.paste("calls_text", '{"toolCallCancellation": {"ids": ["call_light_01"]}}')
    expect(desk.pill("toolCall")).to_contain_text("1 id cancelled")
    expect(desk.panel("toolCall")).to_have_attribute("data-status", "green")


def test_the_draft_follows_the_calls_and_comes_back_after_an_own_answer(desk: Desk) -> None:
    panel = desk.panel("toolResponse")
    desk.paste("calls_text", CALL)
    expect(panel.locator(".chip")).to_contain_text("Draft")
    desk.paste("responses_text", ANSWER)
    expect(panel.locator(".chip")).to_contain_text("Gemini Live")
    with desk.verdict():
        panel.get_by_role("button", name="Draft", exact=True).first.click()
    expect(panel.locator(".chip")).to_contain_text("Draft")
    assert [each["id"] for each in desk.draft()] == ["call_light_01"]


def test_the_drafted_answer_pairs_when_it_is_pasted(desk: Desk) -> None:
    desk.paste("calls_text", TWO_CALLS.replace("kitchen", "garage"))
    draft = desk.copied("#text-draft")
    desk.paste("responses_text", draft)
    desk.shows("red", "red", "green")
    expect(desk.pill("toolResponse")).to_contain_text("pairs 2 of 2")


@pytest.mark.parametrize(("place", "where"), [("response", "entry"), ("body", "response")])
def test_a_scheduling_hint_is_drafted_where_it_is_wanted(desk: Desk, place: str, where: str) -> None:
    desk.paste("calls_text", REFUSED)
    desk.choose("scheduling", "WHEN_IDLE")
    if place == "body":
        desk.choose("scheduling_at", "body")
    (drafted,) = desk.draft()
    holder = drafted if where == "entry" else drafted["response"]
    assert isinstance(holder, dict)
    assert holder["scheduling"] == "WHEN_IDLE"
    desk.shows("red", "red", "green")
