"""Open, Save, Share and dropped files: exact texts, no secret, nothing to a server, nothing lost."""

from __future__ import annotations

import json
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Tour
from tests.desk import Desk, sample
from tests.secret_shapes import SHAPES

GARAGE = '{"toolCall":{"functionCalls":[{"id":"c1","name":"set_light","args":{"room":"garage","on":true}}]}}'
KITCHEN = GARAGE.replace("garage", "kitchen")
ANSWER = '{"toolResponse":{"functionResponses":[{"id":"c1","name":"set_light","response":{"result":{}}}]}}'
ODD = GARAGE + "\r\n \u2028\0\ufeff\r1e400 \U0001f4a1\n"
EVERY_SECRET = json.dumps({"toolCall": {"functionCalls": [shape.text for shape in SHAPES.values()]}})
DROP = """(host, [name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([typeof text === "string" ? text : new Uint8Array(text)], name));
    for (const type of ["dragover", "drop"]) {
        const how = { dataTransfer: data, bubbles: true, cancelable: true, composed: true };
        host.dispatchEvent(new DragEvent(type, how));
    }
}"""


def save(desk: Desk) -> tuple[str, str]:
    """Press Save, and return the file's name and text."""
    with desk.page.expect_download() as download:
        desk.page.get_by_role("button", name="Save", exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_text(encoding="utf-8")


def open_file(desk: Desk, name: str, content: bytes | str) -> None:
    content = content if isinstance(content, bytes) else content.encode()
    with desk.page.expect_file_chooser() as chooser:
        desk.page.get_by_role("button", name="Open", exact=True).click()
    chooser.value.set_files({"name": name, "mimeType": "", "buffer": content})


def link(desk: Desk) -> str:
    """Press Share link, and return the link of the dialog."""
    desk.page.get_by_role("button", name="Share link", exact=True).click()
    expect(desk.page.locator("#share")).to_be_visible()
    found = desk.page.locator("[data-share-link]").input_value()
    desk.page.locator("#share").get_by_role("button", name="Close").click()
    return found


def fields(desk: Desk) -> dict[str, Any]:
    """What the form would send."""
    return dict(
        desk.page.evaluate("() => Object.fromEntries(new FormData(document.getElementById('workbench')))")
    )


def notice(page: Page) -> str:
    return page.locator("[data-notice-text]").inner_text()


def tells(desk: Desk, code: str, place: str, sentence: str) -> None:
    """Expect a finding with place and sentence, of whatever severity."""
    row = desk.finding(code).and_(desk.page.locator(".finding"))
    expect(row.locator(".place")).to_have_text(place)
    expect(row.locator(".message")).to_contain_text(sentence)


def undo(desk: Desk) -> None:
    with desk.verdict():
        desk.page.locator("#notice [data-take-back]").click()


def test_a_saved_file_brings_back_every_text_option_and_tab(desk: Desk) -> None:
    desk.paste("calls_text", ODD)
    desk.choose("string_args", "refuse")
    desk.open_tab("cases")
    before = fields(desk)
    name, text = save(desk)
    assert name == "set_light.workbench.json"
    assert json.loads(text)["fields"]["calls_text"] == ODD
    expect(desk.page.locator("#toast")).to_have_text("Saved as set_light.workbench.json.")

    desk.page.evaluate("() => localStorage.clear()")
    desk.open()
    desk.open_tab("samples")
    with desk.verdict():
        open_file(desk, name, text)
    assert fields(desk) == before
    expect(desk.tab("cases")).to_be_visible()
    assert notice(desk.page) == "set_light.workbench.json opened."


def test_any_other_file_becomes_the_frames_and_undo_brings_the_old_ones_back(desk: Desk) -> None:
    desk.paste("calls_text", ODD)
    for content in (
        KITCHEN + "\r\n",
        "\ufeff" + KITCHEN,
        '{"toolcall-workbench": 2}',
        "[DEBUG] plain \0 text",
        "",
    ):
        with desk.verdict():
            open_file(desk, "frames.log", content)
        assert fields(desk)["calls_text"] == content
        assert notice(desk.page) == "frames.log opened."
        undo(desk)
        assert fields(desk)["calls_text"] == ODD
        expect(desk.page.locator("#notice")).to_be_hidden()


def test_bytes_that_are_no_text_are_told(desk: Desk) -> None:
    with desk.verdict():
        open_file(desk, "a.bin", b'{"a":"\xff\xfe"}')
    assert notice(desk.page).startswith("a.bin opened. It is no UTF-8 text")
    with desk.verdict():
        open_file(desk, "wide.json", b"\xff\xfe" + KITCHEN.encode("utf-16le"))
    assert fields(desk)["calls_text"] == KITCHEN


def test_a_file_over_the_limit_is_not_read(desk: Desk) -> None:
    desk.page.evaluate("() => { document.getElementById('workbench').dataset.bodyLimit = 1000 }")
    open_file(desk, "large.json", "x" * 2_000)
    expect(desk.page.locator("#strip")).to_contain_text("2 KB is over the limit of")
    assert fields(desk)["calls_text"] != "x" * 2_000


def test_a_dropped_file_fills_the_editor_it_was_dropped_on_or_the_frames(desk: Desk) -> None:
    with desk.verdict():
        desk.page.locator("body").evaluate(DROP, ["frames.json", KITCHEN])
    assert fields(desk)["calls_text"] == KITCHEN
    with desk.verdict():
        desk.editor("contracts_text").evaluate(DROP, ["schema.json", '{"type": "object"}'])
    assert fields(desk)["contracts_text"] == '{"type": "object"}'
    undo(desk)
    name, text = save(desk)
    desk.paste("calls_text", GARAGE)
    with desk.verdict():
        desk.editor("contracts_text").evaluate(DROP, [name, text])
    assert fields(desk)["calls_text"] == KITCHEN


def test_a_file_dropped_on_a_panel_fills_its_editor(desk: Desk) -> None:
    with desk.verdict():
        desk.panel("toolResponse").locator("h2").evaluate(DROP, ["answer.json", ANSWER])
    assert fields(desk)["responses_text"] == ANSWER
    expect(desk.panel("toolResponse")).to_have_attribute("data-answer", "mine")
    with desk.verdict():
        desk.panel("args").locator("h2").evaluate(DROP, ["frames.json", KITCHEN])
    assert fields(desk)["calls_text"] == KITCHEN


def test_broken_bytes_of_a_dropped_file_are_told_at_their_place_and_cost_nothing_else(desk: Desk) -> None:
    lines = [KITCHEN.encode(), b'{"toolCallCancellation": {"ids": ["\xff\xfe"]}}', b'{"setupComplete": {}}']
    with desk.verdict():
        desk.page.locator("body").evaluate(DROP, ["frames.log", list(b"\n".join(lines))])
    assert notice(desk.page).startswith("frames.log opened. It is no UTF-8 text")
    tells(desk, "replacement-character", "2:36", "U+FFFD stands here")
    expect(desk.panel("args").locator("li.call")).to_have_count(1)


def test_a_dropped_har_file_shows_the_calls_of_its_messages(desk: Desk) -> None:
    messages = [{"type": "receive", "time": 1796040001.5, "opcode": 1, "data": KITCHEN}]
    har = {"log": {"version": "1.2", "entries": [{"_webSocketMessages": messages}]}}
    with desk.verdict():
        desk.page.locator("body").evaluate(DROP, ["network.har", json.dumps(har)])
    tells(desk, "har-messages", "1:1", "1 WebSocket message")
    expect(desk.panel("args").locator("li.call")).to_have_count(1)


def test_a_dropped_log_of_twenty_megabytes_arrives_whole_and_is_judged(desk: Desk) -> None:
    said = json.dumps({"serverContent": {"modelTurn": {"parts": [{"text": "x" * 20_000}]}}})
    noise = f"12:00:01.250 recv {said}\n"
    log = f"12:00:00.000 recv {KITCHEN}\n" + noise * 1_000
    assert len(log) > 20_000_000
    with desk.verdict():
        desk.page.locator("body").evaluate(DROP, ["session.log", log])
    assert desk.page.evaluate("() => new FormData(workbench).get('calls_text').length") == len(log)
    tells(desk, "log-prefix", "1:1", "1001 lines")
    expect(desk.panel("args").locator("li.call")).to_have_count(1)


def test_an_opened_link_fills_the_page_and_its_text_reaches_no_server(desk: Desk, tour: Tour) -> None:
    desk.paste("calls_text", ODD)
    desk.choose("string_args", "refuse")
    desk.open_tab("samples")
    before = fields(desk)
    shared = link(desk)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#w1\.[\w-]+", shared)
    assert len(shared) < 32_000

    desk.page.evaluate("() => localStorage.clear()")
    desk.page.goto("about:blank")
    tour.requests.clear()
    with desk.verdict():
        desk.page.goto(shared)
    assert fields(desk) == before
    expect(desk.tab("samples")).to_be_visible()
    assert desk.page.evaluate("() => location.href").endswith("/")
    assert desk.page.evaluate("() => performance.getEntriesByType('navigation')[0].name").count("#w1.") <= 1
    assert all(
        "#" not in url and "w1." not in url for url in (re.sub("#.*", "", each) for each in tour.requests)
    )
    first = desk.page.evaluate("() => fetch(location.href).then(answer => answer.url)")
    assert "#" not in first


def test_a_link_never_replaces_edited_text_without_undo(desk: Desk) -> None:
    desk.paste("calls_text", KITCHEN)
    shared = link(desk)
    desk.paste("calls_text", ODD)
    mine = fields(desk)
    with desk.verdict():
        desk.page.goto(shared)  # only the fragment differs: the page stays
    assert fields(desk)["calls_text"] == KITCHEN
    assert notice(desk.page) == "Opened from a link."
    undo(desk)
    assert fields(desk) == mine
    assert desk.page.evaluate("() => location.hash") == ""

    with desk.verdict():
        desk.page.reload()
    desk.page.goto("about:blank")
    with desk.verdict():
        desk.page.goto(shared)
    assert fields(desk)["calls_text"] == KITCHEN
    undo(desk)
    assert fields(desk) == mine


@pytest.mark.parametrize(
    "fragment", ["#w1.", "#w1.AAAA", "#w1.!!", "#w1.q1ZKzs9NVbIy1FEqSi0uKE3OVrJSMjJQqgUA"]
)
def test_a_damaged_link_is_told_and_changes_nothing(desk: Desk, fragment: str) -> None:
    before = fields(desk)
    desk.page.goto(f"/{fragment}")
    expect(desk.page.locator("#toast")).to_have_text("This link is damaged: its text cannot be read.")
    assert fields(desk) == before
    assert desk.page.evaluate("() => location.hash") == ""


def test_a_link_that_would_grow_without_end_is_not_read(desk: Desk) -> None:
    bomb = desk.page.evaluate(
        """async () => {
            const zeros = new Blob([new Uint8Array(40_000_000)]).stream();
            const packed = new Response(zeros.pipeThrough(new CompressionStream("deflate-raw")));
            const bytes = new Uint8Array(await packed.arrayBuffer());
            const text = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
            return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        }"""
    )
    desk.page.goto(f"/#w1.{bomb}")
    expect(desk.page.locator("#toast")).to_have_text("This link is damaged: its text cannot be read.")


def test_a_text_too_long_for_a_link_is_told_and_can_be_saved(desk: Desk) -> None:
    noise = "".join(random.Random(1).choices(string.printable[:90], k=50_000))
    desk.paste("calls_text", noise)
    desk.page.get_by_role("button", name="Share link").click()
    text = desk.page.locator("[data-share-text]")
    expect(text).to_have_text(
        re.compile(r"^Too long for a link \(\d+ KB, 32 KB fit\)\. Save a file instead\.$")
    )
    expect(desk.page.locator("[data-share-link]")).to_be_hidden()
    with desk.page.expect_download():
        desk.page.locator("#share").get_by_role("button", name="Save").click()


def test_copy_link_copies_it(desk: Desk) -> None:
    shared = link(desk)
    desk.page.get_by_role("button", name="Share link").click()
    desk.page.get_by_role("button", name="Copy link").click()
    expect(desk.page.locator("#toast")).to_have_text(f"Copied, {len(shared)} characters.")
    assert desk.clipboard() == shared


def test_no_secret_leaves_by_file_or_link_and_their_number_is_told(desk: Desk) -> None:
    desk.paste("calls_text", EVERY_SECRET)
    with desk.verdict():
        desk.editor("contracts_text").evaluate(
            DROP, ["c.json", json.dumps({"description": SHAPES["openai"].text})]
        )
    _, text = save(desk)
    told = desk.page.locator("#toast").inner_text()
    assert int(re.findall(r"(\d+) secrets were replaced\.", told)[0]) > len(SHAPES)
    shared = link(desk)
    expect(desk.page.locator("[data-share-text]")).to_contain_text(" secrets were replaced.")
    with desk.verdict():
        desk.page.goto(shared)
    for held in (text, json.dumps(fields(desk))):
        plain = json.loads(held)
        whole = json.dumps(plain, ensure_ascii=False) + "".join(
            map(str, (plain.get("fields") or plain).values())
        )
        assert [name for name, shape in SHAPES.items() if shape.secret in whole] == []
    read = json.loads(json.loads(text)["fields"]["calls_text"])
    assert len(read["toolCall"]["functionCalls"]) == len(SHAPES)


def test_one_secret_is_one(desk: Desk) -> None:
    desk.paste("calls_text", json.dumps({"password": "swordfish"}))
    desk.page.get_by_role("button", name="Share link").click()
    expect(desk.page.locator("[data-share-text]")).to_have_text(
        "This link carries your text after the # sign. That part never reaches a server, "
        "but whoever has the link can read it. 1 secret was replaced."
    )


def test_samples_over_edited_text_come_with_undo(desk: Desk) -> None:
    desk.paste("calls_text", ODD)
    mine = fields(desk)
    desk.panel("toolCall").get_by_text("Samples", exact=True).click()
    with desk.verdict():
        desk.page.locator('#samples-calls button[value="load:light"]').click()
    assert fields(desk)["calls_text"] == sample("gemini-live/light.calls.json").rstrip("\n")
    expect(desk.strip).to_contain_text("loaded.")
    with desk.verdict():
        desk.strip.get_by_role("button", name="Undo").click()
    assert fields(desk) == mine
