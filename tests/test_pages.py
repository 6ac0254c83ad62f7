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
    for answer in (client.post("/panels"), client.post("/panels", data={"calls_text": "{}"}), post(client)):
        assert answer.status_code == 200
        assert Markup(answer.content).one(id="panels")


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
