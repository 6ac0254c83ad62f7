"""Tried as a new user would, 1 and 2: the seed's frames are green, and each way to break them is red."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.desk import PANELS, Desk, sample, tokens

CALL = sample("gemini-live/seed-tool-call.calls.json")
TWO_CALLS = sample("gemini-live/seed-parallel-calls.calls.json")
ANSWER = sample("gemini-live/seed-tool-response.responses.json")
DECLARATIONS = sample("gemini-live/seed-declarations.contracts.json")
ARGS = '{\n          "room": "living_room",\n          "on": true\n        }'


def with_args(args: str) -> str:
    assert ARGS in CALL
    return CALL.replace(ARGS, args)


# 1: the seed -------------------------------------------------------------------------


def test_at_first_sight_an_example_is_judged_something_green_something_red(desk: Desk) -> None:
    desk.shows("red", "red", "green")
    expect(desk.pill("args")).to_contain_text("1 accept, 1 refuse")
    expect(desk.readout).to_contain_text("1 of 2 calls may run.")
    assert desk.signs("calls_text") == {(4, "accepted"), (13, "error"), (15, "error")}
    expect(desk.page.locator("[data-panel] h2")).to_have_text([*PANELS])
    expect(desk.page.get_by_role("tab")).to_have_count(4)


def test_the_seeds_call_and_answer_are_all_green(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.shows("green", "green", "green")
    expect(desk.pill("toolCall")).to_contain_text("1 call")
    desk.paste("responses_text", ANSWER)
    desk.shows("green", "green", "green")
    expect(desk.pill("toolResponse")).to_contain_text("pairs 1 of 1")
    expect(desk.page.locator(".is-error[data-code]")).to_have_count(0)
    expect(desk.panel("toolCall").locator(".chip").first).to_contain_text("Gemini Live")


def test_format_changes_white_space_and_nothing_else(desk: Desk) -> None:
    ugly = '{"toolCall" :{"functionCalls":[ {"id":"c\\u0061ll","name":"set_light",\r\n"args":{"b":1.10,'
    ugly += '"a":1e400,"on":true ,"escaped\\/":"\\ud83d\\ude00","big":12345678901234567890'
    ugly += ',"empty":{},"none":[ ]}}]}}'
    for field, panel, text in (
        ("calls_text", "toolCall", ugly),
        ("responses_text", "toolResponse", json.dumps(json.loads(ANSWER))),
    ):
        desk.paste(field, text)
        desk.press("Format", desk.panel(panel))
        formatted = desk.text(field)
        assert formatted.count("\n") > 10
        assert tokens(formatted) == tokens(text)
        with desk.verdict():
            desk.strip.get_by_role("button", name="Undo").click()
        assert desk.text(field) == text


def test_the_seeds_texts_are_formatted_already(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.press("Format", desk.panel("toolCall"))
    assert tokens(desk.text("calls_text")) == tokens(CALL)
    desk.shows("green", "green", "green")


# 2: each way to break it ----------------------------------------------------------------


@dataclass(frozen=True)
class Refused:
    """A frame whose call is refused: the word, place and sentence that say it."""

    text: str
    word: str
    place: str
    sentence: str
    error: str
    """What the drafted answer says."""


REFUSED = {
    "garage": Refused(
        CALL.replace("living_room", "garage"),
        "enum",
        "8:19",
        '"garage" is not one of living_room, kitchen, bedroom.',
        "room is not in the list",
    ),
    "extra_cmd": Refused(
        CALL.replace("true", 'true,\n          "extra_cmd": "unlock"'),
        "additionalProperties",
        "10:11",
        '"extra_cmd" is not a property of this contract. Answer with an error.',
        "extra_cmd is not allowed",
    ),
    "on is a text": Refused(
        CALL.replace("true", '"开"'), "type", "9:17", '"开" is a string, not a boolean.', "not a boolean"
    ),
    "room is missing": Refused(
        CALL.replace('"room": "living_room",', ""),
        "required",
        "7:17",
        '"room" is missing. Answer with an error.',
        "room",
    ),
    "args are null": Refused(with_args("null"), "args-null", "7:17", "Empty args are {}", "args is null"),
    "the name is unknown": Refused(
        CALL.replace("set_light", "set_lamp"), "call-name-unknown", "6:17", "set_lamp", "set_lamp"
    ),
    "args are a text that is no JSON": Refused(
        with_args(json.dumps('{"room":')), "args-not-json", "7:17", "args is text and no JSON", "no JSON"
    ),
    "args are a text in a text": Refused(
        with_args(json.dumps(json.dumps(ARGS))),
        "args-double-encoded",
        "7:17",
        "One parse is allowed, not two.",
        "JSON text inside JSON text",
    ),
    "args are a text that holds no object": Refused(
        with_args(json.dumps("[1]")),
        "args-not-object",
        "7:17",
        "args must be an object.",
        "must be an object",
    ),
    "args are an array": Refused(
        with_args("[true]"), "args-not-object", "7:17", "args must be an object.", "must be an object"
    ),
}


def test_a_refused_call_is_red_at_its_line_and_answered_by_an_error(
    desk: Desk, subtests: pytest.Subtests
) -> None:
    for name, wrong in REFUSED.items():
        with subtests.test(name):
            refused(desk, wrong)


def refused(desk: Desk, wrong: Refused) -> None:
    desk.paste("calls_text", wrong.text)
    desk.shows("red", "red", "green")
    desk.says("toolCall", wrong.word, wrong.place, wrong.sentence)
    row = desk.call("call_light_01")
    expect(row.locator(".outcome")).to_have_text("refuse")
    expect(row).to_contain_text("Answer with an error, do not run it.")
    expect(row.locator(".hook, .reason").filter(has_text=wrong.word)).to_be_visible()
    expect(desk.readout).to_contain_text("The call may not run.")
    (entry,) = desk.draft()
    unknown = wrong.word == "call-name-unknown"
    assert (entry["id"], entry["name"]) == ("call_light_01", "set_lamp" if unknown else "set_light")
    response = entry["response"]
    assert isinstance(response, dict)
    assert list(response) == ["error"]
    assert response["error"]["code"] == ("unknown_function" if unknown else "invalid_args")
    assert wrong.error in response["error"]["message"]


def test_a_word_changed_by_hand_goes_red_and_back(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    for word, status in (("garage", "red"), ("bedroom", "green")):
        old = desk.line("calls_text", 8).get_by_text("living_room" if status == "red" else "garage")
        old.dblclick()
        with desk.verdict():
            desk.page.keyboard.type(word)
        expect(desk.line("calls_text", 8)).to_have_text(f'          "room": "{word}",')
        desk.shows(status, status, "green")


def test_of_two_calls_only_the_bad_one_is_refused_and_both_are_answered(desk: Desk) -> None:
    desk.paste("calls_text", TWO_CALLS.replace("kitchen", "garage"))
    desk.shows("red", "red", "green")
    expect(desk.pill("toolCall")).to_contain_text("1 of 2 refused")
    expect(desk.pill("args")).to_contain_text("1 accept, 1 refuse")
    expect(desk.pill("toolResponse")).to_contain_text("pairs 2 of 2")
    desk.says("toolCall", "enum", "12:27", '"garage" is not one of')
    assert desk.signs("calls_text") == {(4, "accepted"), (12, "error")}
    expect(desk.call("call_light_01").locator(".outcome")).to_have_text("accept")
    expect(desk.call("call_light_02").locator(".outcome")).to_have_text("refuse")
    first, second = desk.draft()
    assert (first["id"], first["name"], first["response"]) == ("call_light_01", "set_light", {"result": {}})
    assert (second["id"], second["name"]) == ("call_light_02", "set_light")
    assert "error" in str(second["response"])


BAD_FRAMES = {
    "an id is dropped": (
        CALL.replace('"id": "call_light_01",\n        ', ""),
        "call-id-missing",
        "has no id",
    ),
    "functionCalls is an object": (
        CALL.replace("[", "").replace("]", ""),
        "calls-not-array",
        "functionCalls must be an array",
    ),
}


@pytest.mark.parametrize("name", [*BAD_FRAMES])
def test_a_bad_frame_drafts_nothing_and_says_why(desk: Desk, name: str) -> None:
    text, code, sentence = BAD_FRAMES[name]
    desk.paste("calls_text", text)
    desk.shows("red", "red", "red")
    desk.says("toolCall", code, "4:7", sentence)
    expect(desk.panel("toolCall").locator(".message")).to_contain_text("Treat the whole frame as bad.")
    expect(desk.panel("args").locator("li.call")).to_have_count(0)
    expect(desk.panel("args")).to_contain_text("Nothing is read from a bad frame")
    expect(desk.page.locator("#text-draft")).to_have_count(0)
    expect(desk.pill("toolResponse")).to_contain_text("nothing to answer")
    expect(desk.panel("toolResponse")).to_contain_text("A bad frame is not answered")
    expect(desk.readout).to_contain_text("Nothing in this paste may be acted on.")


def test_args_as_a_text_are_read_once_with_a_warning_until_that_is_refused(desk: Desk) -> None:
    desk.paste("calls_text", with_args(json.dumps('{"room":"living_room","on":true}')))
    desk.shows("green", "green", "green")
    row = desk.call("call_light_01")
    expect(row.locator(".outcome")).to_have_text("accept")
    warning = row.locator('[data-code="args-string-parsed-once"]')
    expect(warning).to_contain_text("args came as text and was parsed once. Fix the sender.")
    expect(warning).to_have_class(re.compile(r"\bis-warning\b"))
    expect(row.locator(".band")).to_contain_text("derived")
    assert (7, "warning") in desk.signs("calls_text")

    desk.choose("string_args", "refuse")
    desk.shows("red", "red", "green")
    desk.says("toolCall", "args-string-parsed-once", "7:17", "string args are refused")
    assert [list(entry["response"]) for entry in desk.draft() if isinstance(entry["response"], dict)] == [
        ["error"]
    ]
    desk.choose("string_args", "parse-once")
    desk.shows("green", "green", "green")


def test_the_seeds_own_declaration_refuses_an_extra_key_too(desk: Desk) -> None:
    desk.paste("contracts_text", DECLARATIONS)
    desk.paste("calls_text", CALL)
    desk.shows("green", "green", "green")
    desk.paste("calls_text", REFUSED["extra_cmd"].text)
    desk.shows("red", "red", "green")
    desk.says("toolCall", "additionalProperties", "10:11", '"extra_cmd" is not a property')
    expect(desk.finding("contract-closed", "contract")).to_be_visible()


def test_without_any_contract_a_call_is_unchecked_and_never_green(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.open_tab("contract")
    desk.press("Clear", desk.tab("contract"))
    desk.shows("green", "idle", "green")
    expect(desk.pill("args")).to_contain_text("1 unchecked")
    expect(desk.readout).to_contain_text("No contract has looked at it.")
