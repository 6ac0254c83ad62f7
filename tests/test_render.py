"""What the page shows for what was pasted, rendered in this process."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest

from app import workbench
from app.reports import Additions, Inputs
from app.web import data_dir, render, samples
from app.web.forms import Posted
from tests.markup import Markup

SET_LIGHT = (data_dir() / "samples" / "contracts" / "set_light.json").read_text()
NAMES = [sample.name for sample in samples.names()]
MARKUP = '"><img src=x onerror=alert(1)><script>alert(1)</script>'


def page(whole: bool = False, edit: str = "", /, **texts: str) -> Markup:
    posted = Posted(Inputs(**texts), edit)
    return Markup(render.render_panels(posted, whole, ""))


def sample(name: str) -> dict[str, str]:
    found = samples.load(name)
    assert found is not None
    return found.fields


def call(args: object, id: str = "call_1", name: str = "set_light") -> dict[str, object]:
    return {"id": id, "name": name, "args": args}


def frame(*calls: object) -> str:
    return json.dumps({"toolCall": {"functionCalls": list(calls)}}, indent=2)


def pills(markup: Markup) -> list[str]:
    return [element.text for element in markup.all(data_pill="")][:3]


def statuses(markup: Markup) -> dict[str, str]:
    return {e["data-panel"]: e["data-status"] for e in markup.elements if "data-panel" in e.attributes}


# The light example ----------------------------------------------------------


def test_the_light_example_has_something_green_and_something_red() -> None:
    markup = page(**sample("light"))
    assert statuses(markup) == {"toolCall": "red", "args": "red", "toolResponse": "green"}
    assert pills(markup) == ["RED 1 of 2 refused", "RED 1 accept, 1 refuse", "GREEN pairs 2 of 2"]
    assert markup.one("p", id="readout").text == (
        "1 of 2 calls may run. call_light_02 is refused for room and extra_cmd. The draft answers both."
    )


def test_a_finding_is_linked_in_all_its_places() -> None:
    markup = page(**sample("light"))
    row = next(e for e in markup.with_class("finding") if e["data-keyword"] == "enum")
    assert (row["data-line"], row["data-column"], row["data-schema-line"]) == ("13", "19", "9")
    assert row["data-property"] == "/room"
    assert (
        row.text
        == 'error 13:19 enum /room "garage" is not one of living_room, kitchen, bedroom. Answer with an error.'
    )
    linked = {
        (e.tag, e.attributes.get("class", "").split(" ")[0]) for e in markup.all(data_fid=row["data-fid"])
    }
    assert {("button", "finding"), ("li", ""), ("div", "line"), ("mark", "str"), ("button", "hook")} <= linked
    assert markup.all("tr", data_pointer="/room")


def test_the_offending_value_is_marked_and_the_key_where_the_key_is_wrong() -> None:
    markup = page(**sample("light"))
    assert [e.text for e in markup.all("mark") if "is-error" in e["class"]] == ['"garage"', '"extra_cmd"']
    assert markup.with_class("hook")[0].text.endswith("contract 9")


def test_the_name_of_a_finding_outlives_an_edit_above_it() -> None:
    fields = sample("light")
    before = {e["data-fid"] for e in page(**fields).with_class("finding")}
    after = {
        e["data-fid"]
        for e in page(**{**fields, "calls_text": "\n\n" + fields["calls_text"]}).with_class("finding")
    }
    assert before == after


# Every sample ---------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_every_sample_renders_as_strict_policy_wants_it(name: str, whole: bool) -> None:
    markup = page(whole, **sample(name))
    for element in markup.elements:
        assert "style" not in element.attributes
        assert not [name for name in element.attributes if name.startswith("on")]
        assert element.tag != "style"
        if element.tag == "script":
            assert element["src"].startswith("/static/")
            assert element.text == ""
    ids = [e["id"] for e in markup.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_codes_of_the_report_and_no_others(name: str) -> None:
    report = workbench.panels(Inputs(**sample(name)))
    shown = {f.code for f in report.findings} | {f.code for f in report.extract.findings}
    assert page(**sample(name)).codes == shown


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_takes_input_has_a_name(name: str) -> None:
    markup = page(True, **sample(name))
    for element in markup.elements:
        if element.tag == "textarea" or (element.tag == "input" and element.attributes.get("type") is None):
            assert element.attributes.get("aria-label") or element["name"] == "contract_name"
        if element.attributes.get("role") == "switch":
            assert element["aria-checked"] in ("true", "false")
            assert element["aria-label"]
        if element.tag == "button":
            assert element.text or element["aria-label"]
            assert element["type"] in ("submit", "button")
        if element.tag == "svg":
            assert element["aria-hidden"] == "true"
    assert len(markup.all("h1")) == 1
    assert {e["aria-labelledby"] for e in markup.with_class("panel")} <= {
        e.attributes.get("id") for e in markup.elements
    }


def test_no_word_of_what_is_not_built_yet() -> None:
    text = " ".join(
        e.text
        for e in page(True, **sample("light")).elements
        if e.tag in ("button", "a", "h2", "h3", "summary", "p")
    )
    for word in (
        "Open file",
        "Save",
        "Share",
        "Session",
        "Export",
        "Rehearse",
        "mutant",
        "OpenAI",
        "Anthropic",
        "MCP",
    ):
        assert word not in text


# States ---------------------------------------------------------------------


def test_nothing_pasted_is_idle_and_says_what_the_place_is_for() -> None:
    markup = page()
    assert statuses(markup) == dict.fromkeys(("toolCall", "args", "toolResponse"), "idle")
    assert pills(markup) == ["IDLE nothing pasted", "IDLE no calls", "IDLE no calls"]
    text = " ".join(e.text for e in markup.with_class("empty"))
    assert "Paste a frame, a session or a log line" in text
    assert "Each call becomes a row" in text
    assert "The answer drafts itself" in text


def test_broken_text_reads_nothing() -> None:
    markup = page(calls_text='{"toolCall": {"functionCalls": [{"id": "a",}]}}', contracts_text=SET_LIGHT)
    assert pills(markup) == ["RED cannot be read", "RED no calls read", "RED nothing to answer"]
    assert markup.one("p", id="readout").text.startswith("The paste cannot be read.")
    assert "Nothing is read from broken text" in " ".join(e.text for e in markup.with_class("empty"))
    assert not markup.all(id="text-draft")


def test_a_bad_frame_is_not_answered() -> None:
    markup = page(calls_text='{"toolCall": {"functionCalls": [{"name": "set_light", "args": {}}]}}')
    assert pills(markup)[0] == "RED bad frame"
    assert not markup.all(id="text-draft")


def test_two_calls_without_a_contract_are_unchecked_and_never_green() -> None:
    markup = page(calls_text=frame(call({}, "a"), call({}, "b")))
    assert pills(markup)[:2] == ["GREEN 2 calls", "IDLE 2 unchecked"]
    assert statuses(markup)["args"] == "idle"
    assert "No contract has looked at them." in markup.one("p", id="readout").text


def test_a_cancelled_call_is_told_apart_and_gets_no_answer() -> None:
    good = {"room": "kitchen", "on": True}
    text = json.dumps(json.loads(frame(call(good, "a"), call(good, "b"))))
    markup = page(calls_text=text + '\n{"toolCallCancellation": {"ids": ["a"]}}\n', contracts_text=SET_LIGHT)
    assert pills(markup) == [
        "GREEN 2 calls, 1 cancelled",
        "GREEN 1 accept, 1 cancelled",
        "GREEN pairs 1 of 1",
    ]
    row = markup.one("li", data_call="0-0")
    assert "Do not run it. If it already ran, try to undo it." in row.text
    assert '"a"' not in markup.one("pre", id="text-draft").raw


def test_string_args_are_shown_as_derived() -> None:
    text = frame(call('{"room": "kitchen", "on": true}'))
    markup = page(calls_text=text, contracts_text=SET_LIGHT)
    assert pills(markup)[1] == "GREEN 1 accept"
    assert "args-string-parsed-once" in markup.one("li", data_call="0-0").text
    assert "derived" in " ".join(e.text for e in markup.with_class("band"))


def test_a_wrong_answer_is_not_to_be_sent() -> None:
    markup = page(**sample("wrong-answer"))
    assert markup.one("p", id="readout").text.startswith(
        "Do not send this answer. The model never used call_light_99;"
    )
    assert markup.one(data_panel="toolResponse")["data-answer"] == "mine"
    assert {"response-orphan", "response-missing"} <= markup.codes


def test_an_own_answer_can_be_asked_for_while_it_is_still_empty() -> None:
    posted = Posted(Inputs(**sample("light")), "paste-mine", mine=True)
    markup = Markup(render.render_panels(posted, False, ""))
    assert markup.one(data_panel="toolResponse")["data-answer"] == "mine"
    assert not markup.all(id="text-draft")


def test_what_was_not_judged_is_red_and_says_why() -> None:
    posted = Posted(Inputs(**sample("light")))
    markup = Markup(render.render_unjudged(posted, True, "", "Stopped after 2.0 seconds."))
    assert set(statuses(markup).values()) == {"red"}
    assert pills(markup) == ["RED not judged", "RED not judged, over its time", "RED not judged"]
    assert "not-judged" in markup.codes
    assert "Stopped after 2.0 seconds." in " ".join(e.text for e in markup.with_class("finding"))
    assert markup.one("textarea", name="calls_text").raw.strip() == posted.inputs.calls_text.strip()


def test_a_server_that_is_not_this_machine_is_named() -> None:
    posted = Posted(Inputs())
    assert (
        "Nothing leaves this machine."
        in Markup(render.render_panels(posted, True, "")).with_class("privacy")[0].text
    )
    assert "Your text goes to desk.example." in (
        Markup(render.render_panels(posted, True, "desk.example")).with_class("privacy")[0].text
    )


# Tabs -----------------------------------------------------------------------


def test_the_five_payloads_stand_in_cases_and_only_ok_is_accepted() -> None:
    markup = page(**sample("light"))
    rows = [e.text for e in markup.with_class("case")]
    assert len(rows) == 5
    assert [row.split()[0] for row in rows if "expected accept verdict accept" in row] == ["ok"]
    assert all("as expected" in row for row in rows)


def test_a_failing_case_opens_with_its_cause() -> None:
    fields = {**sample("light"), "contracts_text": '{"type": "object"}'}
    markup = page(**fields)
    opened = [e.text for e in markup.with_class("case-open")]
    assert any("Nothing in the contract refuses it." in text for text in opened)
    assert "cases are not as expected" in markup.one("p", id="readout").text


def test_the_pointer_of_a_case_is_one_into_its_payload() -> None:
    row = next(e for e in page(**sample("light")).with_class("case") if e.text.startswith("unknown_room"))
    assert "enum /room" in row.text


def test_each_switch_names_its_property_and_shows_its_evidence() -> None:
    markup = page(**sample("light"))
    switch = markup.one("button", value="unrequire:/room")
    assert (switch["role"], switch["aria-checked"], switch["aria-label"]) == (
        "switch",
        "true",
        "room required",
    )
    assert markup.one("button", value="unenum:/room")["aria-checked"] == "true"
    assert markup.one("button", value="open:")["aria-checked"] == "true"
    row = markup.one("tr", data_pointer="/room")
    assert re.search(r"living_room \d+ kitchen \d+ bedroom \d+", row.text)
    assert re.search(r"(\d+) of \1 3 values in \1", row.text)


def test_an_edit_comes_back_as_text_and_with_its_proof() -> None:
    fields = {
        **sample("light"),
        "contracts_text": '{"type":"object","properties":{"room":{"type":"string"}}}',
    }
    markup = page(False, "require:/room", **fields)
    assert '"required"' in markup.one("template", data_edit="contracts_text").raw
    strip = markup.with_class("strip")[0]
    assert "is-green" in strip["class"]
    assert strip.text.startswith("Proven narrower.")


def test_a_sample_is_loaded_with_a_way_back() -> None:
    markup = page(False, "load:wrong-answer", **sample("light"))
    assert "call_light_99" in markup.one("template", data_edit="responses_text").raw
    assert "Undo" in markup.with_class("float")[0].text


def test_the_inferred_schema_says_where_yours_is_narrower() -> None:
    markup = page(**sample("light"))
    assert {e.text for e in markup.with_class("line-note")} == {"yours closes the object", "yours has enum"}


# Text that wants to be markup -----------------------------------------------


def test_pasted_keys_values_ids_and_names_never_become_markup() -> None:
    contract = {
        "name": MARKUP,
        "description": MARKUP,
        "parameters": {
            "type": "object",
            "properties": {MARKUP: {"enum": [MARKUP, "x"], "pattern": MARKUP}},
            "required": [MARKUP],
            "additionalProperties": False,
        },
    }
    cases = [{"name": MARKUP, "payload": {MARKUP: MARKUP}, "expect": "accept", "because": MARKUP}]
    markup = page(
        True,
        calls_text=frame(
            call({MARKUP: MARKUP, "x" + MARKUP: 1}, MARKUP, MARKUP), call({}, "b", MARKUP + "2")
        ),
        responses_text=json.dumps(
            {"toolResponse": {"functionResponses": [{"id": MARKUP, "name": MARKUP, "response": {MARKUP: 1}}]}}
        ),
        contracts_text=json.dumps([contract]),
        contract_name=MARKUP,
        cases_text=json.dumps(cases),
        samples_text=json.dumps({MARKUP: MARKUP}),
    )
    assert not markup.all("img")
    assert {e.attributes.get("src") for e in markup.all("script")} == {
        "/static/vendor/htmx.min.js",
        "/static/app.js",
    }
    assert MARKUP in markup.one("textarea", name="calls_text").raw.replace('\\"', '"')


def test_markup_in_broken_text_stays_text() -> None:
    markup = page(True, calls_text="<script>alert(1)</script>" + MARKUP)
    assert len(markup.all("script")) == 2


def test_text_with_a_line_break_at_its_start_survives_the_textarea() -> None:
    markup = page(True, calls_text="\n\n{}")
    assert markup.one("textarea", name="calls_text").raw == "\n\n\n{}"  # the parser drops the first


def test_half_a_surrogate_pair_is_shown_and_breaks_nothing() -> None:
    shown = render.render_panels(Posted(Inputs(calls_text=frame(call({"room": "\ud800"})))), True, "")
    assert b"\\ud800" in shown
    raw = '{"toolCall": {"functionCalls": [{"id": "a", "name": "set_light", "args": {"room": "\ud800"}}]}}'
    assert b"\\ud800" in render.render_panels(Posted(Inputs(calls_text=raw)), True, "")


def test_null_empty_and_lexemes_look_as_they_were_pasted() -> None:
    args = '{ "a": null, "b": "", "c": 1.10, "d": 1e400 }'
    raw = '{"toolCall": {"functionCalls": [{"id": "a", "name": "t", "args": ' + args + "}]}}"
    row = page(calls_text=raw).one("li", data_call="0-0")
    assert args in row.text


# Size -----------------------------------------------------------------------


def test_ten_thousand_calls_are_a_page_of_bearable_size() -> None:
    good = {"room": "kitchen", "on": True}
    text = json.dumps({"toolCall": {"functionCalls": [call(good, f"c{n}") for n in range(10_000)]}})
    posted = Posted(Inputs(calls_text=text, contracts_text=SET_LIGHT))
    report = workbench.panels(posted.inputs)
    started = time.perf_counter()
    shown = render.render(report, posted, False, "")
    assert time.perf_counter() - started < 2
    markup = Markup(shown)
    assert pills(markup)[1] == "GREEN 10,000 accept"
    assert len(markup.with_class("call")) == 200
    assert "and 9,800 more calls" in " ".join(e.text for e in markup.with_class("more"))


def test_a_long_value_is_folded_behind_its_size() -> None:
    markup = page(
        calls_text=frame(call({"audio": "A" * 60_000})), contracts_text='{"type":"object","minProperties":2}'
    )
    assert "58 KB" in [e.text for e in markup.all("summary")]


def test_a_fragment_carries_no_text_that_the_page_already_has() -> None:
    fields = sample("light")
    assert page(False, **fields).one("textarea", name="calls_text").raw == "\n"
    assert page(True, **fields).one("textarea", name="calls_text").raw == "\n" + fields["calls_text"]


def test_every_field_of_the_page_is_in_the_form_once() -> None:
    markup = page(True, **sample("light"))
    named = [
        e["name"] for e in markup.elements if "name" in e.attributes and e.tag != "button" and e.tag != "meta"
    ]
    radios = {"new_case_expect"}
    assert len([n for n in named if n not in radios]) == len({n for n in named if n not in radios})
    assert {
        "calls_text",
        "responses_text",
        "contracts_text",
        "cases_text",
        "samples_text",
        "contract_name",
    } <= set(named)


def test_replacing_a_part_of_a_posted_form_keeps_the_rest() -> None:
    posted = Posted(Inputs(**sample("light")), new=Additions(case_name="draft"))
    markup = Markup(render.render_panels(replace(posted, edit="clear:calls_text"), True, ""))
    assert markup.one("input", name="new_case_name")["value"] == "draft"
