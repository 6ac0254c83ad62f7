"""What the page shows for what was pasted, rendered in this process."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest

from app import help as manual
from app import workbench
from app.reports import Additions, Inputs
from app.web import data_dir, render, samples
from app.web.forms import Posted
from app.web.view.filters import Filter
from app.web.view.findings import ROWS
from tests.markup import Markup

SET_LIGHT = (data_dir() / "samples" / "contracts" / "set_light.json").read_text()
NAMES = [sample.name for sample in samples.names()]
SCRIPTS = ["/static/theme.js", "/static/vendor/htmx.min.js", "/static/app.js"]
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
    assert row.text == (
        'error 13:19 enum /room "garage" is not one of living_room, kitchen, bedroom. Answer with an error.'
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
            assert element.text or element["aria-label"]
        if element.tag == "button":
            assert element.text or element["aria-label"]
            assert element["type"] in ("submit", "button")
        if element.tag == "svg":
            assert element.attributes.get("aria-hidden") == "true" or element["aria-label"]
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
        "Export",
        "Rehearse",
        "mutant",
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
    markup = page(calls_text='{"toolCall": {"functionCalls": [{"id": "a",,}]}}', contracts_text=SET_LIGHT)
    assert pills(markup) == ["RED cannot be read", "RED no calls read", "RED nothing to answer"]
    assert markup.one("p", id="readout").text.startswith("The paste cannot be read.")
    assert "Nothing is read from broken text" in " ".join(e.text for e in markup.with_class("empty"))
    assert not markup.all(id="text-draft")


def test_an_answer_beside_broken_text_is_not_blamed() -> None:
    answer = {"toolResponse": {"functionResponses": [{"id": "a", "name": "f", "response": {"result": 1}}]}}
    markup = page(calls_text='{"toolCall": {', responses_text=json.dumps(answer))
    assert markup.one("p", id="readout").text.startswith("The paste cannot be read.")


def test_a_line_that_cannot_be_read_is_told_beside_what_may_run() -> None:
    lines = f'{json.dumps(json.loads(frame(call({}))))}\n{{"toolCall": {{"functionCalls": [\n'
    markup = page(calls_text=lines, contracts_text='[{"name": "set_light"}]')
    assert markup.one("p", id="readout").text.startswith(
        "1 part of the paste cannot be read. The call may run."
    )


def test_cases_that_no_contract_judged_name_none() -> None:
    cases = '[{"name": "a", "payload": {}, "expect": "accept"}]'
    markup = page(cases_text=cases)
    assert "judged by" not in markup.one(id="tabpanel-cases").text


def test_a_bad_frame_is_not_answered() -> None:
    markup = page(calls_text='{"toolCall": {"functionCalls": [{"name": "set_light", "args": {}}]}}')
    assert pills(markup)[0] == "RED bad frame"
    assert not markup.all(id="text-draft")


def test_two_calls_without_a_contract_are_unchecked_and_never_green() -> None:
    markup = page(calls_text=frame(call({}, "a"), call({}, "b")))
    assert pills(markup)[:2] == ["GREEN 2 calls", "IDLE 2 unchecked"]
    assert statuses(markup)["args"] == "idle"
    assert "No contract has looked at them." in markup.one("p", id="readout").text


def test_a_contract_that_the_paste_declares_is_named_and_has_no_line_in_the_tab() -> None:
    markup = page(**sample("setup"))
    panel = markup.one(data_panel="args").text
    assert "set_light declared in the paste" in panel
    assert "No contract has looked" not in panel
    assert not [e for e in markup.elements if "data-schema-line" in e.attributes]


def test_of_many_calls_the_refused_ones_are_never_left_out() -> None:
    calls = [call({"room": "kitchen", "on": True}, f"c{n}") for n in range(400)]
    calls[390] = call({"room": "garage", "on": True}, "c390")
    markup = page(calls_text=frame(*calls), contracts_text=SET_LIGHT)
    rows = markup.with_class("call")
    assert len(rows) < 400
    assert "c390" in rows[-1].text
    assert "garage" in rows[-1].text
    assert not markup.all(id="text-args"), "Copy would take less than all args"


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
    refused = page(calls_text=text, contracts_text=SET_LIGHT, options='{"string_args": "refuse"}')
    assert pills(refused)[1] == "RED 1 refuse"
    assert not refused.with_class("band")


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
    assert pills(markup)[2] == "IDLE nothing pasted"
    assert "draft" not in markup.one("p", id="readout").text


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


# Model turns ----------------------------------------------------------------

TURNS = {
    "stock-tool-request": ("green", "GREEN tool request, 1 call", "GREEN 1 accept", "GREEN pairs 1 of 1"),
    "stock-answer": ("green", "GREEN answer candidate, no call", "IDLE no calls", "IDLE no calls"),
    "stock-not-complete": (
        "red",
        "RED not complete, MAX_TOKENS",
        "RED 1 must not run",
        "RED nothing to answer",
    ),
    "stock-needs-review": (
        "red",
        "RED needs review, unsupported part",
        "RED 1 must not run",
        "RED nothing to answer",
    ),
    "stock-api-error": ("red", "RED API error, 429", "RED no calls read", "RED nothing to answer"),
}
READOUTS = {
    "stock-tool-request": "The call may run. The draft answers it.",
    "stock-answer": (
        "An answer candidate, no call. Whether the task is done is for your application to decide."
    ),
    "stock-not-complete": (
        "The turn is not complete: MAX_TOKENS. Run no call of it and show no text as an answer."
    ),
    "stock-needs-review": (
        "The turn needs review: unsupported part. Look at it before anything runs or is shown."
    ),
    "stock-api-error": (
        "The API answered with an error: 429. That is no empty answer: nothing was generated."
    ),
}


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_is_told_in_its_own_words(name: str) -> None:
    markup = page(**sample(name))
    status, *said = TURNS[name]
    assert statuses(markup)["toolCall"] == status
    assert pills(markup) == said
    assert markup.one("p", id="readout").text == READOUTS[name]
    assert [e.text for e in markup.all("h2")] == ["functionCall", "args", "functionResponse"]
    assert not markup.all("select", name="scheduling")


def turn(*parts: object, finish: str | None = "STOP", candidates: int = 1) -> str:
    candidate: dict[str, object] = {"content": {"role": "model", "parts": list(parts)}}
    if finish is not None:
        candidate["finishReason"] = finish
    return json.dumps({"candidates": [candidate] * candidates})


CALL = {"functionCall": {"name": "lookup_stock", "args": {"sku": "BX-19"}}}


@pytest.mark.parametrize(
    ("text", "pill"),
    [
        (turn(CALL, CALL), "GREEN tool request, 2 calls"),
        (turn({"text": "hm"}, finish="SAFETY"), "RED not complete, SAFETY"),
        (turn({"text": "hm"}, finish=None), "RED not complete, no finish reason"),
        (turn(candidates=0), "RED needs review, no candidate"),
        (turn({"text": "hm"}, candidates=2), "RED needs review, several candidates"),
        (turn({"functionCall": {"args": {}}}), "RED needs review, bad call"),
        (turn(), "RED needs review, empty content"),
        ('{"promptFeedback": {"blockReason": "SAFETY"}}', "RED needs review, prompt blocked"),
        ('{"error": {"code": 503, "message": "try later", "status": "UNAVAILABLE"}}', "RED API error, 503"),
        (turn(CALL) + "\n" + turn({"text": "2 boxes"}), "GREEN 2 turns, 1 call"),
        (turn(CALL) + "\n" + turn(CALL, finish="MAX_TOKENS"), "RED 1 of 2 turns: not complete"),
    ],
)
def test_every_outcome_of_a_turn_has_its_pill(text: str, pill: str) -> None:
    assert pills(page(calls_text=text))[0] == pill


def test_a_refused_call_is_counted_in_the_words_of_its_turn() -> None:
    fields = sample("stock-tool-request")
    text = fields["calls_text"].replace("BX-19", "bx-19")
    markup = page(**{**fields, "calls_text": text})
    assert pills(markup)[0] == "RED tool request, 1 of 1 refused"


def test_the_text_of_a_turn_is_shown_and_its_thoughts_are_folded() -> None:
    markup = page(**sample("stock-answer"))
    box = markup.one(id="turn")
    assert "Two boxes are left." in box.text
    assert box.text.endswith(
        "This is what the turn holds. Whether the task is done is for your application to decide. "
        "These five words are ours, not Gemini's."
    )
    thought = markup.one("details", id="thoughts-0")
    assert thought.text == "thought, never part of the answer The table says 2."
    assert "open" not in thought.attributes
    assert not page(**sample("light")).all(id="turn")


def test_a_held_call_is_accepted_and_must_not_run() -> None:
    for name, why in (
        ("stock-not-complete", "the turn is not complete"),
        ("stock-needs-review", "the turn needs review"),
    ):
        row = page(**sample(name)).one("li", data_call="0-0")
        assert "is-held" in row["class"]
        assert "must not run" in row.text
        assert f"accept, and must not run: {why}" in row.text


def test_two_calls_with_one_id_are_held_too() -> None:
    good = {"room": "kitchen", "on": True}
    markup = page(calls_text=frame(call(good), call(good)), contracts_text=SET_LIGHT)
    assert pills(markup)[1].startswith("RED")


def test_the_contents_to_append_hold_the_models_own_untouched() -> None:
    markup = page(**sample("stock-tool-request"))
    own, answer = json.loads(markup.one("pre", id="text-turns").raw)
    assert own["parts"][1]["thoughtSignature"] == "Eq0BCqoB"
    assert own["role"] == "model"
    assert answer["parts"][0]["functionResponse"]["id"] == "call_4471"
    assert markup.all("button", data_copy="#text-turns")


def test_a_paste_of_two_dialects_bears_no_ones_words() -> None:
    mixed = frame(call({})).replace("\n", "") + "\n" + turn(CALL)
    assert [e.text for e in page(calls_text=mixed).all("h2")] == ["call", "args", "response"]


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


def test_a_contract_narrower_than_its_samples_is_not_shown_as_good() -> None:
    contract = '[{"name": "f", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}}]'
    samples_text = '{"a": 1, "b": 1}\n{"a": 2}'
    strips = {}
    for edit in ("require:/b", "require:/a", "open:"):
        markup = page(False, edit, contracts_text=contract, samples_text=samples_text)
        strips[edit] = markup.with_class("strip")[0]
    assert "is-red" in strips["require:/b"]["class"]
    assert "Too narrow. required added at /b. Sample 2 is refused by this" in strips["require:/b"].text
    assert "is-green" in strips["require:/a"]["class"]
    assert "is-green" not in strips["open:"]["class"]
    assert "Nothing to change." in strips["open:"].text


def test_a_keyword_taken_back_says_what_it_admits() -> None:
    contract = '[{"name": "f", "parameters": {"type": "object", "required": ["a"], "properties": {"a": {}}}}]'
    cases = '[{"name": "bare", "payload": {}, "expect": "refuse"}]'
    markup = page(False, "unrequire:/a", contracts_text=contract, cases_text=cases)
    strip = markup.with_class("strip")[0]
    assert strip.text.startswith("Wider. required removed at /a. It admits bare, to be refused by its case.")


def test_a_sample_is_loaded_with_a_way_back() -> None:
    markup = page(False, "load:wrong-answer", **sample("light"))
    assert "call_light_99" in markup.one("template", data_edit="responses_text").raw
    assert "Undo" in markup.with_class("float")[0].text


def test_the_inferred_schema_says_where_yours_is_narrower() -> None:
    markup = page(**sample("light"))
    assert {e.text for e in markup.with_class("line-note")} == {"yours closes the object", "yours has enum"}


def test_a_contract_says_its_behavior_and_offers_its_result() -> None:
    declared = {
        "name": "get_level",
        "description": "Reads a level.",
        "behavior": "BLOCKING",
        "parameters": {"type": "object", "properties": {"room": {"type": "string"}}},
        "result": {"type": "object", "properties": {"level": {"type": "integer"}}},
    }
    text = json.dumps([declared])
    markup = page(contracts_text=text)
    assert markup.one("button", value="behavior:BLOCKING")["aria-pressed"] == "true"
    assert markup.one("button", value="behavior:")["aria-pressed"] == "false"
    assert "the next sentence waits" in markup.with_class("behavior")[0].text
    assert "Reads a level." in markup.with_class("description")[0].text
    assert markup.one("button", value="part:parameters")["aria-pressed"] == "true"
    assert markup.all("tr", data_pointer="/room")
    result = page(contracts_text=text, part="result")
    assert result.one("button", value="part:result")["aria-pressed"] == "true"
    assert result.one("input", name="part")["value"] == "result"
    assert result.all("tr", data_pointer="/level")
    assert not page(**sample("light")).all("button", value="part:result")


def test_a_declaration_with_a_name_only_takes_no_args() -> None:
    markup = page(contracts_text='[{"name": "list_rooms"}]')
    text = " ".join(e.text for e in markup.with_class("empty"))
    assert "Takes no args" in text
    assert "In production add description and parameters." in text


def test_a_number_has_a_field_for_each_end_and_says_what_was_seen() -> None:
    contract = '{"type":"object","properties":{"level":{"type":"integer","minimum":1}}}'
    markup = page(contracts_text=contract, contract_name="dim", samples_text='{"level":10}\n{"level":100}')
    assert markup.one("input", name="new_bound:minimum:/level")["value"] == "1"
    assert markup.one("input", name="new_bound:maximum:/level")["value"] == ""
    assert "10 to 100 seen" in markup.one("tr", data_pointer="/level").text


def test_lists_are_filtered_and_say_how_many_they_show() -> None:
    fields = {**sample("light"), "contracts_text": '{"type": "object"}'}
    everything = page(True, **fields)
    assert [e.text for e in everything.with_class("filter")][:4] == [
        "All 5",
        "Must accept 1",
        "Must refuse 4",
        "Failing 3",
    ]
    posted = Posted(Inputs(**fields), cases=Filter("failing"))
    failing = Markup(render.render_panels(posted, True, ""))
    assert len(failing.with_class("case")) == 3
    assert "3 of 5 shown" in [e.text for e in failing.all(data_shown="")]
    assert failing.one("button", data_filter="failing")["aria-pressed"] == "true"
    found = Markup(render.render_panels(replace(posted, cases=Filter("all", "GARAGE")), True, ""))
    assert [e.text.split()[0] for e in found.with_class("case")] == ["unknown_room"]
    nothing = Markup(render.render_panels(replace(posted, cases=Filter("accept", "nowhere")), True, ""))
    said = next(e for e in nothing.all(data_none="") if "hidden" not in e.attributes)
    assert said.text == "No entry matches. Show all 5"


def test_of_many_cases_the_failing_ones_are_never_left_out() -> None:
    cases: dict[str, object] = {**{f"ok_{n}": {} for n in range(400)}, "no": {}}
    markup = page(contracts_text='{"type":"object"}', contract_name="t", cases_text=json.dumps(cases))
    assert len(markup.with_class("case")) == ROWS
    assert [e.text.split()[0] for e in markup.with_class("case")][-1] == "no"


# The strip ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a`b", "`", "<code>x</code>", "a` `b"])
def test_the_strip_shows_no_sign_of_how_it_is_written(name: str) -> None:
    schema = json.dumps({"type": "object", "properties": {name: {"type": "string"}}})
    pointer = "/" + name.replace("~", "~0").replace("/", "~1")
    markup = page(False, f"require:{pointer}", contracts_text=schema, contract_name="t")
    strip = markup.one(id="strip-edit").text
    assert "Proven narrower." in strip
    assert "`" not in strip
    assert strip.count("<code>") == name.count("<code>")


def test_a_loaded_sample_says_what_to_look_at() -> None:
    markup = page(False, "load:stock-not-complete", **sample("light"))
    assert "MAX_TOKENS: the call parsed, and must not run all the same." in markup.with_class("float")[0].text
    assert markup.one("template", data_edit="samples_text").raw == ""  # those of another contract


def test_the_gallery_is_grouped_and_keeps_what_stood_on_the_page() -> None:
    gallery = Markup(render.render_gallery(Posted(Inputs(calls_text=MARKUP))))
    assert [e.text for e in gallery.all("h2")][:2] == ["Gemini Live", "generateContent"]
    assert gallery.all("button")[0]["value"] == "load:light"
    for each in samples.names():
        assert gallery.one("button", value=f"load:{each.name}").text == each.title
    assert gallery.one("textarea", name="calls_text").raw.strip() == MARKUP


def test_the_page_asks_for_the_gallery_when_it_is_wanted() -> None:
    whole = page(True, **sample("light"))
    assert [e["data-gallery"] for e in whole.with_class("gallery")] == [
        "calls_text",
        "calls_text",
        "session_text",
    ]
    assert not [e for e in whole.all("button") if e.attributes.get("value", "").startswith("load:wrong")]
    assert page(False, **sample("light")).one("details", id="samples-calls").text == ""


def test_undo_without_script_brings_back_what_was_there() -> None:
    loaded = page(True, "load:stock-answer", **sample("light"))
    assert "call_light_01" in loaded.one("textarea", name="before_calls_text").raw
    posted = Posted(Inputs(**sample("stock-answer")), "undo", before=sample("light"))
    back = Markup(render.render_panels(posted, True, ""))
    assert pills(back)[0] == "RED 1 of 2 refused"
    assert "Taken back." in back.one(id="strip-edit").text
    assert not page(False, "load:stock-answer", **sample("light")).all(name="before_calls_text")


# Help -----------------------------------------------------------------------


def test_every_finding_leads_to_its_help() -> None:
    for name in NAMES:
        markup = page(**sample(name))
        links = {e["href"] for e in markup.all("a") if "help" in e.attributes.get("class", "")}
        rows = {e["data-code"] for e in markup.with_class("finding")}
        assert {f"/rules/{code}" for code in rows} <= links


@pytest.mark.parametrize("code", [help.code for help in manual.codes()])
def test_every_code_has_a_page(code: str) -> None:
    body = render.render_rule(code)
    assert body is not None
    markup = Markup(body)
    help = manual.help_of(code)
    assert help is not None
    assert markup.one("h1").text.split()[0] == code
    assert help.title in markup.one("main").text
    if help.bad is not None:
        assert markup.one("section", aria_labelledby="bad")
        assert markup.one("section", aria_labelledby="good")


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
    assert [e.attributes.get("src") for e in markup.all("script")] == SCRIPTS
    assert MARKUP in markup.one("textarea", name="calls_text").raw.replace('\\"', '"')


def test_markup_in_broken_text_stays_text() -> None:
    markup = page(True, calls_text="<script>alert(1)</script>" + MARKUP)
    assert [e.attributes.get("src") for e in markup.all("script")] == SCRIPTS


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
    assert len(markup.with_class("call")) == ROWS
    assert f"and {10_000 - ROWS:,} more calls" in " ".join(e.text for e in markup.with_class("more"))


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


def test_a_draft_says_once_that_no_result_is_known_and_marks_each_line() -> None:
    many = [call({"room": "kitchen", "on": True}, f"call_{n}") for n in range(ROWS + 20)]
    markup = page(calls_text=frame(*many), contracts_text=SET_LIGHT, contract_name="set_light")

    told = [e for e in markup.all(data_code="response-empty") if e.tag == "button"]
    assert len(told) == 1
    marked = [e for e in markup.elements if e.tag == "div" and "is-warning" in e.attributes.get("class", "")]
    assert len(marked) > 30


def test_an_own_answer_is_told_of_each_empty_response() -> None:
    pair = [call({"room": "kitchen", "on": True}, f"call_{n}") for n in range(3)]
    given = [{"id": f"call_{n}", "name": "set_light", "response": {}} for n in range(3)]
    answer = json.dumps({"toolResponse": {"functionResponses": given}})
    markup = page(calls_text=frame(*pair), responses_text=answer, contracts_text=SET_LIGHT)

    told = [e for e in markup.all(data_code="response-empty") if e.tag == "button"]
    assert len(told) == 3


def test_the_chip_names_what_else_the_frame_may_be() -> None:
    bare = json.dumps({"type": "function_call_output", "call_id": "call_1", "output": "{}"})
    about = page(calls_text=bare).with_class("about")[0].text
    assert "Why OpenAI Responses?" in about
    assert "It may as well be OpenAI Realtime" in about

    assert "No other format has as many of its keys." in page(**sample("light")).with_class("about")[0].text


def realtime(name: str, arguments: str, id: str = "call_1") -> str:
    done = {"event_id": "e", "response_id": "r", "item_id": "i" + id, "output_index": 0, "call_id": id}
    event = "response.function_call_arguments.done"
    return json.dumps({"type": event, **done, "name": name, "arguments": arguments})


def test_a_wire_without_an_error_flag_still_tells_a_drafted_error() -> None:
    calls = [
        realtime("set_light", '{"room":"garage","on":true}'),
        realtime("set_light", '{"room":"kitchen","on":true}', "call_2"),
    ]
    markup = page(calls_text="\n".join(calls), contracts_text=SET_LIGHT, contract_name="set_light")

    assert [e.text for e in markup.with_class("pair-text")] == ["error, invalid_args", "result, {}"]
    assert all(e.attributes.get("data-input") != "draft" for e in markup.all(data_code="json-lines"))
    assert "Send each line as a message of its own" in markup.all(data_panel="toolResponse")[0].text


def test_args_that_are_text_on_their_wire_are_no_oddity() -> None:
    markup = page(calls_text=realtime("set_light", '{"room":"kitchen","on":true}'), contracts_text=SET_LIGHT)
    assert not markup.with_class("band")
