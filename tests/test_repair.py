"""The one change that makes a broken text readable: offered where it is sure, never made unasked."""

from __future__ import annotations

import pytest

from app import workbench
from app.repair import LONGEST, repair
from app.reports import Inputs
from app.web import render
from app.web.forms import Posted
from tests.markup import Markup


@pytest.mark.parametrize(
    ("broken", "words", "text"),
    [
        ('{"a": 1,}', "Remove the comma at 1:8", '{"a": 1}'),
        ('{"a": [1,\n 2,\n]}', "Remove the comma at 2:3", '{"a": [1,\n 2\n]}'),
        ('{"a": 1\n "b": 2}', "Add a comma at 1:8", '{"a": 1,\n "b": 2}'),
        ("[1 2]", "Add a comma at 1:3", "[1, 2]"),
        ('{"a": 1}}', "Remove the } at 1:9", '{"a": 1}'),
        ('{"a": undefined}', "Write null at 1:7", '{"a": null}'),
        ('{"a": 1 /* one */}', "Remove the comment at 1:9", '{"a": 1 }'),
    ],
)
def test_one_small_change_is_offered(broken: str, words: str, text: str) -> None:
    found = repair(broken, "calls_text")
    assert found is not None
    assert (found.words, found.text) == (words, text)


@pytest.mark.parametrize(
    "broken",
    [
        '{"a": 1',  # cut off: nobody knows what is missing
        '{"a": "x',
        '{"a": 1,, "b": 2,,}',
        "[][]",
        "[1}",
        "",
        "{}",
        "<html>",
        '{"a": 01}',
        '{"a": 1,}' + " " * LONGEST,
    ],
)
def test_nothing_is_guessed(broken: str) -> None:
    assert repair(broken, "calls_text") is None


def test_the_page_offers_the_repair_and_judges_what_comes_out_as_new() -> None:
    broken = '{"toolCall": {"functionCalls": [{"id": "a" "name": "t", "args": {}}]}}'
    markup = Markup(render.render_panels(Posted(Inputs(calls_text=broken)), False, ""))
    assert markup.one("button", value="repair:calls_text").text == "Add a comma at 1:43"
    assert markup.one("del").text == '[{"id": "a" "name": "t"'
    assert markup.one("ins").text == '[{"id": "a", "name": "t"'
    assert markup.one(data_panel="toolCall")["data-status"] == "red"
    report = workbench.panels(Inputs(calls_text=broken), "repair:calls_text")
    assert report.inputs.calls_text == broken.replace('"a" ', '"a", ')
    assert report.statuses["toolCall"].value == "green"
    assert report.edit is not None
    assert report.edit.before == {"calls_text": broken}


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("{'a': True}", '{"a": true}'),
        ("{a: 1, b: 'x', /* c */}", '{"a": 1, "b": "x"}'),
        ("Foo(a=1)\nFoo(a=2.50)", '{"a": 1}\n{"a": 2.50}'),
    ],
)
def test_what_is_read_through_is_offered_as_json(printed: str, text: str) -> None:
    found = repair(printed, "calls_text")
    assert found is not None
    assert (found.words, found.text) == ("Write it as JSON", text)
    assert (found.before, found.after) == (printed, text)
    assert repair(found.text, "calls_text") is None


@pytest.mark.parametrize(
    "printed", ["Foo(a=<dict len=6>)", "recv: {'a': 1}", "```\n{'a': 1}\n```", "{'a': nan}"]
)
def test_nothing_that_is_lost_or_stands_around_is_written_away(printed: str) -> None:
    assert repair(printed, "calls_text") is None


def test_a_contract_is_never_read_through() -> None:
    assert repair("{'a': 1}", "contracts_text") is None


def test_the_page_offers_json_for_what_it_reads_through() -> None:
    printed = "{'toolCall': {'functionCalls': [{'id': 'a', 'name': 't', 'args': {}}]}}"
    markup = Markup(render.render_panels(Posted(Inputs(calls_text=printed)), False, ""))
    assert markup.one("button", value="repair:calls_text").text == "Write it as JSON"
    assert markup.one(data_panel="toolCall")["data-status"] == "green"
    assert markup.one("del").text.startswith("{'toolCall'")
    report = workbench.panels(Inputs(calls_text=printed), "repair:calls_text")
    assert report.inputs.calls_text == printed.replace("'", '"')


@pytest.mark.parametrize("command", ["repair:calls_text", "repair:nowhere", "repair:options"])
def test_what_has_no_repair_stays(command: str) -> None:
    report = workbench.panels(Inputs(calls_text="{}"), command)
    assert report.inputs == Inputs(calls_text="{}")
    assert report.edit is not None
    assert report.edit.findings
