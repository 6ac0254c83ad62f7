"""The page over HTTP: one route for the page and its fragment, one form, no field that could be refused."""

from __future__ import annotations

import gzip
import json

import httpx
import pytest

from app.web import data_dir
from tests.markup import Markup

HX = {"HX-Request": "true"}
GOOD = {
    "toolCall": {"functionCalls": [{"id": "a", "name": "set_light", "args": {"room": "kitchen", "on": True}}]}
}


def post(client: httpx.Client, headers: dict[str, str] = HX, /, **fields: str) -> httpx.Response:
    files = {name: (None, text.encode()) for name, text in fields.items()}
    return client.post("/panels", files=files or {"x": (None, b"")}, headers=headers)


def test_the_first_page_is_filled_and_judged(client: httpx.Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "HX-Request" in answer.headers["vary"]
    markup = Markup(answer.content)
    assert markup.one(id="panels")
    assert markup.one(data_panel="toolCall")["data-status"] == "red"
    assert "call_light_01" in markup.one("textarea", name="calls_text").raw


def test_html_and_styles_are_light(client: httpx.Client) -> None:
    styles = (data_dir() / "static" / "app.css").read_bytes()
    assert len(gzip.compress(client.get("/").content)) + len(gzip.compress(styles)) < 25 * 1024


def test_a_script_gets_the_fragment_and_a_browser_the_page(client: httpx.Client) -> None:
    fragment = post(client, calls_text=json.dumps(GOOD)).text
    page = post(client, {}, calls_text=json.dumps(GOOD)).text
    assert fragment.lstrip().startswith('<section id="panels"')
    assert 'hx-swap-oob="true"' in fragment
    assert page.lstrip().startswith("<!DOCTYPE html>")
    assert "hx-swap-oob" not in page
    assert (
        post(client, {**HX, "HX-History-Restore-Request": "true"}).text.lstrip().startswith("<!DOCTYPE html>")
    )


def test_no_field_is_needed(client: httpx.Client) -> None:
    for answer in (post(client), post(client, calls_text="{}")):
        assert answer.status_code == 200
        assert Markup(answer.content).one(id="panels")
    assert client.post("/panels").status_code == 200


def test_a_native_post_wrote_line_feeds_as_two_characters(client: httpx.Client) -> None:
    text = json.dumps(GOOD, indent=2).replace("\n", "\r\n")
    raw = Markup(post(client, {}, calls_text=text).content).one("textarea", name="calls_text").raw
    assert raw == "\n" + json.dumps(GOOD, indent=2)


def test_a_file_is_a_field_too(client: httpx.Client) -> None:
    files = {"calls_text": ("frame.json", json.dumps(GOOD).encode())}
    answer = client.post("/panels", files=files, headers=HX)
    assert Markup(answer.content).one(data_panel="toolCall")["data-status"] == "green"


def test_ten_megabytes_pass(client: httpx.Client) -> None:
    text = json.dumps(
        {"toolCall": {"functionCalls": [{"id": "a", "name": "t", "args": {"x": "A" * 10_000_000}}]}}
    )
    answer = post(client, calls_text=text)
    assert answer.status_code == 200
    assert Markup(answer.content).one(data_panel="toolCall")["data-status"] == "green"
    assert len(answer.content) < 1_000_000


@pytest.mark.parametrize(
    ("field", "value"), [("string_args", "refuse"), ("assert_formats", "1"), ("scheduling", "SILENT")]
)
def test_a_setting_stays_chosen(client: httpx.Client, field: str, value: str) -> None:
    markup = Markup(post(client, calls_text=json.dumps(GOOD), **{field: value}).content)
    assert value in [option["value"] for option in markup.all("option", selected="")]


def test_scheduling_stands_in_the_draft(client: httpx.Client) -> None:
    markup = Markup(post(client, calls_text=json.dumps(GOOD), scheduling="SILENT").content)
    assert '"scheduling": "SILENT"' in markup.one("pre", id="text-draft").raw


def test_string_args_can_be_refused(client: httpx.Client) -> None:
    text = json.dumps({"toolCall": {"functionCalls": [{"id": "a", "name": "t", "args": "{}"}]}})
    once = Markup(post(client, calls_text=text, string_args="parse-once").content)
    refused = Markup(post(client, calls_text=text, string_args="refuse").content)
    assert once.one(data_panel="args")["data-status"] == "idle"
    assert refused.one(data_panel="args")["data-status"] == "red"


def test_options_that_are_no_object_are_told_and_not_obeyed(client: httpx.Client) -> None:
    assert post(client, calls_text=json.dumps(GOOD), options="[").status_code == 200


def test_without_script_an_edit_opens_the_tab_it_was_made_in(client: httpx.Client) -> None:
    answer = post(client, {}, edit="pin-case", new_case_name="ok", new_case_payload="{}")
    markup = Markup(answer.content)
    assert markup.one("a", id="tab-cases")["aria-selected"] == "true"
    assert '"ok"' in markup.one("textarea", name="cases_text").raw
    assert markup.one("input", name="new_case_payload")["value"] == ""


def test_a_case_that_could_not_be_pinned_stays_in_its_form(client: httpx.Client) -> None:
    markup = Markup(post(client, {}, edit="pin-case", new_case_name="x", new_case_payload="{").content)
    assert markup.one("input", name="new_case_payload")["value"] == "{"


def test_an_unknown_sample_changes_nothing(client: httpx.Client) -> None:
    markup = Markup(post(client, {}, edit="load:../../etc/passwd", calls_text="{}").content)
    assert markup.one("textarea", name="calls_text").raw == "\n{}"


# Undo, filters and numbers, all without script --------------------------------


def test_undo_is_a_field_of_the_page(client: httpx.Client) -> None:
    cleared = Markup(post(client, {}, edit="clear:calls_text", calls_text="{}").content)
    before = cleared.one("textarea", name="before_calls_text").raw.removeprefix("\n")
    assert before == "{}"
    back = Markup(post(client, {}, edit="undo", calls_text="", before_calls_text=before).content)
    assert back.one("textarea", name="calls_text").raw == "\n{}"


def test_a_filter_keeps_every_text(client: httpx.Client) -> None:
    fields = {"calls_text": "{}", "cases_text": '{"ok": {}, "no": {}}'}
    markup = Markup(post(client, {}, show_cases="refuse", **fields).content)
    assert [e.text.split()[0] for e in markup.with_class("case")] == ["no"]
    assert markup.one("a", id="tab-cases")["aria-selected"] == "true"
    for name, text in fields.items():
        assert markup.one("textarea", name=name).raw == "\n" + text
    with_script = Markup(post(client, HX, show_cases="refuse", new_find_cases="x", **fields).content)
    assert len(with_script.with_class("case")) == 2


def test_the_address_may_ask_for_a_filter(client: httpx.Client) -> None:
    markup = Markup(client.get("/?cases=accept").content)
    assert [e.text.split()[0] for e in markup.with_class("case")] == ["ok"]
    assert len(Markup(client.get("/?cases=<b>").content).with_class("case")) == 0


def test_a_bound_is_set_by_its_own_field(client: httpx.Client) -> None:
    contract = '{"type": "object", "properties": {"level": {"type": "integer"}}}'
    fields = {"new_bound:minimum:/level": "1", "new_bound:maximum:/level": "100"}
    answer = post(
        client, {}, edit="bound:maximum:/level", contracts_text=contract, contract_name="dim", **fields
    )
    raw = Markup(answer.content).one("textarea", name="contracts_text").raw
    assert '"maximum": 100' in raw
    assert "minimum" not in raw


def test_a_table_of_many_numbers_can_be_posted(client: httpx.Client) -> None:
    fields = {f"new_bound:minimum:/p{n}": "" for n in range(500)}
    assert post(client, {}, calls_text="{}", **fields).status_code == 200


def test_the_part_of_the_contract_is_remembered(client: httpx.Client) -> None:
    contract = '[{"name": "t", "parameters": {"type": "object"}, "result": {"type": "object"}}]'
    markup = Markup(post(client, {}, edit="part:result", contracts_text=contract).content)
    assert markup.one("input", name="part")["value"] == "result"
    again = Markup(post(client, {}, part="result", contracts_text=contract).content)
    assert again.one("input", name="part")["value"] == "result"


# Pages to read ------------------------------------------------------------------


def test_all_codes_are_listed_and_explained(client: httpx.Client) -> None:
    listed = Markup(client.get("/rules").content)
    links = [e["href"] for e in listed.all("a") if e["href"].startswith("/rules/")]
    assert len(links) == len(set(links)) > 100
    assert "/rules/args-schema" in links
    one = client.get("/rules/args-schema")
    assert one.headers["content-type"] == "text/html; charset=utf-8"
    assert Markup(one.content).one("h1").text.startswith("args-schema")


@pytest.mark.parametrize("path", ["/rules/no-such-code", "/rules/<b>", "/rules/..%2f..%2fetc"])
def test_an_unknown_code_is_a_page_that_says_so(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 404
    markup = Markup(answer.content)
    assert markup.one("h1").text == "No such page"
    assert not markup.all("b")
    assert {"/", "/rules"} <= {e["href"] for e in markup.all("a")}


def test_people_get_a_page_for_what_is_not_there_and_programs_get_json(client: httpx.Client) -> None:
    for headers in ({"Accept": "text/html,*/*"}, {"Sec-Fetch-Dest": "document"}):
        answer = client.get("/nowhere", headers=headers)
        assert answer.status_code == 404
        assert "There is nothing at /nowhere." in Markup(answer.content).one("main").text
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert answer.json()["status"] == "red"
