"""The Session tab as the server renders it, without a browser."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from app import workbench
from app.reports import Inputs, SessionReport
from app.session_panel import session_panel
from app.web import data_dir, render, samples
from app.web.forms import Posted
from app.web.view.filters import Filter
from tests.markup import Markup

HX = {"HX-Request": "true"}
FACE = "\U0001f600"
"""One character, two UTF-16 units."""
MARKUP = '"><img src=x onerror=alert(1)><script>alert(1)</script>'


def fields(name: str) -> dict[str, str]:
    found = samples.load(name)
    assert found is not None
    return found.fields


INTERRUPTED = fields("session-interrupted")


def whole(posted: Posted) -> Markup:
    return Markup(render.render_panels(posted, True, ""))


def page(text: str, **more: Any) -> Markup:
    return whole(Posted(Inputs(session_text=text), tab="session", **more))


def answer(text: str, **texts: str) -> tuple[Markup, list[dict[str, Any]]]:
    """What the client gets: the markup, and the rows."""
    posted = Posted(Inputs(session_text=text, **texts))
    first, *others = render.render_session(posted).decode().split("\n")
    return Markup(json.loads(first)["html"]), [json.loads(first), *map(json.loads, others)]


def read(text: str, **texts: str) -> SessionReport:
    return workbench.session_tab(Inputs(session_text=text, **texts))


def call(id: str, name: str = "set_light") -> str:
    return json.dumps({"toolCall": {"functionCalls": [{"id": id, "name": name, "args": {}}]}})


def reply(id: str, name: str = "set_light") -> str:
    entry = {"id": id, "name": name, "response": {"result": 1}}
    return json.dumps({"toolResponse": {"functionResponses": [entry]}}, ensure_ascii=False)


# The whole page ----------------------------------------------------------------


def test_an_empty_tab_says_what_it_is_for() -> None:
    markup = page("")
    session = markup.one("div", id="session")
    assert session["data-status"] == "idle"
    assert "Paste a whole log One frame per line, from either side." in session.text
    assert "Load a session with an interruption" in session.text
    assert markup.one("p", id="readout-session").text == ""


def test_the_session_is_judged_with_the_page_by_its_contracts() -> None:
    markup = whole(Posted(Inputs(**INTERRUPTED), tab="session"))
    assert markup.one("div", id="session")["data-status"] == "red"
    assert markup.one("p", id="readout-session").text == (
        "3 of 7 entries went wrong: one answered after its cancellation, one never, one orphan."
    )
    assert markup.one("span", id="fact-session").text == "3 of 7"
    rows = markup.with_class("entry")
    assert [row.text.split()[1] for row in rows][3] == "call_light_04"
    assert "hidden" not in markup.one("section", id="tabpanel-session").attributes
    lanes = [e["aria-label"] for e in markup.elements if e.attributes.get("role") == "img"]
    assert lanes[3] == "called in frame 18, cancelled in 21, answered late in 23"
    assert lanes[2] == "called in frame 12, answered with an error in 13"


def test_a_good_session_is_green_and_its_tab_says_nothing() -> None:
    markup = whole(Posted(Inputs(**fields("session-good")), tab="session"))
    assert markup.one("div", id="session")["data-status"] == "green"
    assert markup.one("span", id="fact-session").text == ""
    assert markup.one("p", id="readout-session").text == "All 3 entries are as they should be."


def test_a_refused_call_that_got_an_error_did_not_go_wrong() -> None:
    markup = whole(Posted(Inputs(**INTERRUPTED), tab="session"))
    assert markup.with_class("entry")[2].text == "good call_light_03 set_light refuse errored"


def test_filter_search_and_frame_without_script() -> None:
    posted = Posted(Inputs(**INTERRUPTED), tab="session", session=Filter("late"), frame=20)
    markup = whole(posted)
    assert len(markup.with_class("entry")) == 1
    assert "Frame 20" in markup.one("div", id="session-frame").text
    assert '"interrupted": true' in markup.one("div", id="session-frame").text
    found = whole(Posted(Inputs(**INTERRUPTED), tab="session", session=Filter("all", "GARAGE")))
    assert len(found.with_class("entry")) == 1
    nothing = whole(Posted(Inputs(**INTERRUPTED), tab="session", session=Filter("all", "no such")))
    assert nothing.with_class("entry") == []
    assert "hidden" not in nothing.all("p", data_none="")[-1].attributes


def test_a_frame_that_is_not_there_is_not_shown() -> None:
    assert page(call("a"), frame=99).one("div", id="session-frame").text == ""


def test_chips_come_only_where_there_is_more_than_one() -> None:
    plain = page(f"{call('a')}\n{reply('a')}")
    assert [e["value"] for e in plain.all("button", name="show_session")] == ["all", "answered", "all"]
    two = page(f"{call('a')}\n{reply('a')}\n{call('b', 'set_scene')}\n{reply('b', 'set_scene')}")
    tags = [e["value"] for e in two.all("button", name="show_session")]
    assert "tool-0" in tags
    assert "tool-1" in tags


# The client's part ----------------------------------------------------------------


def test_the_client_gets_no_rows_as_markup_and_every_row_as_data() -> None:
    markup, lines = answer(text=INTERRUPTED["session_text"], contracts_text=INTERRUPTED["contracts_text"])
    assert markup.with_class("frame-row") == []
    assert markup.with_class("entry") == []
    frames = [row for line in lines for row in line.get("frames", [])]
    entries = [row for line in lines for row in line.get("entries", [])]
    assert (len(frames), len(entries)) == (32, 7)
    assert lines[0]["total"] == 32
    assert [20, "interrupted"] in lines[0]["moments"]
    for row in frames:
        assert INTERRUPTED["session_text"][row[4] : row[5]].startswith("{")


def test_markup_of_a_long_session_stays_small() -> None:
    text = "\n".join(f"{call(f'c{n}')}\n{reply(f'c{n}')}" for n in range(3_000))
    body = render.render_session(Posted(Inputs(session_text=text)))
    assert len(body.split(b"\n")[0]) < 100_000
    assert max(map(len, body.split(b"\n")[1:])) < 200_000
    whole_page = page(text)
    assert len(whole_page.with_class("frame-row")) == 200
    assert len(whole_page.with_class("entry")) == 100
    assert "and 5,800 more frames" in whole_page.one("div", id="session-outline").text


def test_places_are_counted_as_a_browser_counts() -> None:
    text = f'{{"setup": {{"model": "{FACE}"}}}}\n{reply(FACE)}'
    report = read(text)
    second = report.frames[1]
    units = text.encode("utf-16-le")[2 * second.start : 2 * second.end].decode("utf-16-le")
    assert units == reply(FACE)
    orphan = next(f for f in report.findings if f.code == "response-orphan")
    start, end = report.places[orphan]
    assert text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == json.dumps(
        FACE, ensure_ascii=False
    )


def test_a_line_that_cannot_be_read_is_a_row_too() -> None:
    report = read(f"{call('a')}\n{{broken\n{reply('a')}")
    assert [(f.word, f.mark) for f in report.frames] == [
        ("toolCall", ""),
        ("unreadable", "error"),
        ("toolResponse", ""),
    ]
    assert page(f"{call('a')}\n{{broken\n{reply('a')}", frame=1).one("div", id="session-frame").text


@pytest.mark.parametrize(
    ("prefixes", "seconds"),
    [
        (("2026-05-01T10:00:00.500Z ", "2026-05-01T10:00:02.000Z "), (0.0, 1.5)),
        (("[10:00:00.250] <- ", "[10:00:01.000] -> "), (0.0, 0.75)),
        (("12.5: ", "13.75: "), (0.0, 1.25)),
        (("", ""), None),
        (("10:00:01.000 ", "10:00:00.000 "), None),  # a clock that goes back tells nothing
        (("10:00:01.000 ", ""), None),
    ],
)
def test_times_before_the_frames_make_the_axis(
    prefixes: tuple[str, str], seconds: tuple[float, ...] | None
) -> None:
    text = f"{prefixes[0]}{call('a')}\n{prefixes[1]}{reply('a')}"
    assert session_panel(Inputs(session_text=text)).seconds == seconds


def test_what_was_said_is_shown_with_the_tools_between() -> None:
    markup = whole(Posted(Inputs(**fields("session-good")), tab="session"))
    first = markup.with_class("exchange")[0].text
    assert first == (
        "user turn on the living room light frames 3 to 4 "
        "set_light called in frame 5, answered in 6 "
        "model The living room light is on. frames 7 to 8"
    )


def test_pasted_text_never_becomes_markup() -> None:
    said = json.dumps({"serverContent": {"inputTranscription": {"text": MARKUP}}})
    text = f"{call(MARKUP, MARKUP)}\n{said}\n{MARKUP}\n{reply(MARKUP)}"
    for markup in (page(text), page(text, frame=2), answer(text)[0]):
        assert markup.all("img") == []
        assert [e for e in markup.all("script") if "src" not in e.attributes] == []


# Over HTTP ------------------------------------------------------------------------


def test_a_session_is_judged_by_a_request_of_its_own(client: httpx.Client) -> None:
    files = {name: (None, text) for name, text in INTERRUPTED.items()}
    reply = client.post("/session", files=files, headers=HX)
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/x-ndjson"
    markup = Markup(json.loads(reply.text.split("\n")[0])["html"])
    assert markup.one("div", id="session")["data-status"] == "red"


def test_the_panels_leave_the_session_alone(client: httpx.Client) -> None:
    files = {name: (None, text) for name, text in INTERRUPTED.items()}
    markup = Markup(client.post("/panels", files=files, headers=HX).text)
    assert markup.all("div", id="session") == []
    assert markup.one("span", id="fact-session").text == ""


def test_no_field_is_needed(client: httpx.Client) -> None:
    reply = client.post("/session", files={"x": (None, b"")}, headers=HX)
    assert 'data-status="idle"' in json.loads(reply.text.split("\n")[0])["html"]


def test_work_that_does_not_end_is_red_and_says_so() -> None:
    line = render.render_session_unjudged(Posted(Inputs(session_text="{}")), "Stopped after 2.0 seconds.")
    markup = Markup(json.loads(line)["html"])
    assert markup.one("div", id="session")["data-status"] == "red"
    assert "is-not-judged" in markup.with_class("pill")[0]["class"]
    assert markup.codes == {"not-judged"}


def test_frames_of_both_sides_offer_their_tab() -> None:
    text = f"{call('a')}\n{reply('a')}"
    offer = "to-session"
    both = whole(Posted(Inputs(calls_text=text)))
    assert both.all("button", value=offer)
    assert not whole(Posted(Inputs(calls_text=call("a")))).all("button", value=offer)
    opened = whole(Posted(Inputs(calls_text=text), "to-session", tab="session"))
    assert opened.one("textarea", name="session_text").raw.strip() == text


def test_loading_a_session_leaves_the_frames_of_the_panels() -> None:
    markup = whole(Posted(Inputs(calls_text="{}", responses_text="[]"), "load:session-good"))
    assert markup.one("textarea", name="calls_text").raw.strip() == "{}"
    assert markup.one("textarea", name="responses_text").raw.strip() == "[]"
    assert markup.one("a", id="tab-session")["aria-selected"] == "true"


def test_the_look_of_the_tab_is_fetched_when_it_is_opened(client: httpx.Client) -> None:
    first = client.get("/").text
    assert '<noscript><link rel="stylesheet" href="/static/session.css"></noscript>' in first
    assert (data_dir() / "static" / "session.css").is_file()
