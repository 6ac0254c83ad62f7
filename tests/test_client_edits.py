"""Undo gives back exactly what stood there, in editors and in texts without one; the editor's own ways."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.desk import Desk

ARGS = '{"room":"kitchen","on":true}'
ODD = f'{{"toolCall":{{"functionCalls":[\r\n{{"id":"c1","name":"set_light","args":{ARGS}}}]}}}}\r\n'
TEXTS = ("calls_text", "responses_text", "contracts_text", "cases_text", "samples_text")


def texts(desk: Desk) -> dict[str, Any]:
    """What the form would send: the five texts, and which answer and part are shown."""
    form = "() => Object.fromEntries(new FormData(document.getElementById('workbench')))"
    sent = dict(desk.page.evaluate(form))
    return {name: sent.get(name) for name in (*TEXTS, "answer", "part", "contract_name")}


def undo(desk: Desk) -> None:
    with desk.verdict():
        desk.strip.get_by_role("button", name="Undo").click()


EDITS = {
    "format": ("contract", 'button[value="format:calls_text"]'),
    "clear": ("contract", 'button[value="clear:calls_text"]'),
    "format the contract": ("contract", 'button[value="format:contracts_text"]'),
    "require": ("contract", 'button[value="unrequire:/room"]'),
    "open the object": ("contract", 'button[value="open:"]'),
    "pin": ("contract", 'button[value^="pin-call:"]'),
    "add a sample": ("contract", 'button[value^="sample-call:"]'),
    "remove a case": ("cases", 'button[value^="remove-case:"]'),
    "expect otherwise": ("cases", 'button[value^="expect:"]'),
    "remove a sample": ("samples", 'button[value="remove-sample:0"]'),
    "clear the samples": ("samples", 'button[value="clear:samples_text"]'),
    "take the inferred contract": ("samples", 'button[value="use-inferred"]'),
    "load": ("contract", 'button[value="load:light"]'),
}


@pytest.mark.parametrize("edit", [*EDITS])
def test_undo_of_the_strip_restores_every_byte(desk: Desk, edit: str) -> None:
    desk.paste("calls_text", ODD)
    desk.paste("responses_text", '{"toolResponse":\r{}}')
    before = texts(desk)
    tab, button = EDITS[edit]
    desk.open_tab(tab)
    if edit == "load":
        desk.page.locator("#samples-calls > summary").click()
    with desk.verdict():
        desk.page.locator(button).first.evaluate("button => button.click()")
    assert texts(desk) != before
    undo(desk)
    assert texts(desk) == before
    expect(desk.strip).to_have_count(0)


def test_ctrl_z_takes_back_an_edit_of_the_server_and_what_was_typed_before_it(desk: Desk) -> None:
    desk.open_tab("contract")
    contract = desk.editor("contracts_text").locator(".cm-content")
    first = texts(desk)["contracts_text"]
    contract.focus()
    desk.page.keyboard.press("Control+End")
    with desk.verdict():
        desk.page.keyboard.type(" ")
    desk.flip("room required")
    with desk.verdict():
        contract.focus()
        desk.page.keyboard.press("Control+End")
        desk.page.keyboard.type("\n")
    with desk.verdict():
        desk.page.keyboard.press("Control+z")
    with desk.verdict():
        desk.page.keyboard.press("Control+z")
    assert texts(desk)["contracts_text"] == first + " "
    with desk.verdict():
        desk.page.keyboard.press("Control+z")
    assert texts(desk)["contracts_text"] == first
    for _ in range(3):
        with desk.verdict():
            desk.page.keyboard.press("Control+y")
    again = texts(desk)["contracts_text"]
    assert again.endswith("\n")
    assert "room" not in json.loads(again)["required"]


def test_undo_after_a_reload_is_not_offered(desk: Desk) -> None:
    desk.flip("room required")
    expect(desk.strip).to_be_visible()
    desk.open()
    expect(desk.strip).to_have_count(0)
    expect(desk.page.locator("#notice")).to_be_hidden()


def test_typing_over_a_selection_asks_nothing_of_the_security_policy(desk: Desk) -> None:
    desk.select_all("contracts_text")
    with desk.verdict():
        desk.page.keyboard.insert_text('{"type": "object"}')
    assert texts(desk)["contracts_text"] == '{"type": "object"}'
    with desk.verdict():
        desk.page.keyboard.press("Control+z")
    assert json.loads(texts(desk)["contracts_text"])["required"] == ["room", "on"]


def test_what_a_bracket_opens_can_be_folded_and_the_text_stays(desk: Desk) -> None:
    text = '{\n  "a": [\n    "]}",\n    {"b": 1}\n  ],\n  "c": {\n    "d": "["\n  }\n}'
    desk.paste("calls_text", text)
    editor = desk.editor("calls_text")
    marks = editor.locator(".cm-folds span")
    expect(marks).to_have_count(3)
    editor.locator(".cm-folds .cm-gutterElement", has=desk.page.locator("span")).nth(1).click()
    expect(editor.locator(".cm-line")).to_have_count(6)
    expect(desk.line("calls_text", 2)).to_have_text('  "a": […],')
    assert desk.text("calls_text") == text
    editor.locator(".cm-folds .is-closed").click()
    expect(editor.locator(".cm-line")).to_have_count(9)
    editor.locator(".cm-content").focus()
    desk.page.keyboard.press("Control+Home")
    desk.page.keyboard.press("Control+Shift+BracketLeft")
    expect(editor.locator(".cm-line")).to_have_count(1)
    desk.page.keyboard.press("Control+Shift+BracketRight")
    expect(editor.locator(".cm-line")).to_have_count(9)


def test_json_has_its_colours_line_by_line(desk: Desk) -> None:
    desk.paste("calls_text", '{"a\\"b": "x: 1", "n": [-1.5e3, true, null]}\nplain 2024-01-01 "open')
    line = desk.line("calls_text", 1)
    assert line.locator(".tok-str").all_inner_texts() == ['"x: 1"']
    assert line.locator(".tok-lit").all_inner_texts() == ["-1.5e3", "true", "null"]
    assert desk.line("calls_text", 2).locator(".tok-str").all_inner_texts() == ['"open']


def test_the_partner_of_a_bracket_is_found_past_brackets_in_strings(desk: Desk) -> None:
    desk.paste("calls_text", '[\n"]", {"a": "}"}\n]')
    editor = desk.editor("calls_text")
    editor.locator(".cm-content").focus()
    desk.page.keyboard.press("Control+Home")
    expect(editor.locator(".cm-matchingBracket")).to_have_count(2)
    expect(desk.line("calls_text", 3).locator(".cm-matchingBracket")).to_have_text("]")
    desk.page.keyboard.press("Control+End")
    expect(desk.line("calls_text", 1).locator(".cm-matchingBracket")).to_have_text("[")
