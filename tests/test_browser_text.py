"""Tried as a new user would, 5: odd and broken texts. Each oddity is named, and no lexeme is touched."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.desk import Desk, sample, tokens

CALL = sample("gemini-live/seed-tool-call.calls.json")
ONE = json.dumps(json.loads(CALL))
OTHER = ONE.replace("_01", "_02")
OPEN = '[{"name": "set_light", "parameters": {"type": "object", "additionalProperties": true}}]'


def with_room(members: str) -> str:
    """The seed's call with other members on line 8."""
    return CALL.replace('"room": "living_room"', members)


@dataclass(frozen=True)
class Odd:
    """A text, and the words for what is odd about it."""

    text: str
    code: str
    place: str
    sentence: str
    severity: str = "error"
    colours: tuple[str, str, str] = ("red", "red", "red")
    calls: int = 0
    """Calls that are read out of it all the same."""


GREEN = ("green", "green", "green")
ODD = {
    "a word that is none": Odd(
        CALL.replace("true", "tru"), "json-invalid", "9:17", "Expected a value, found tru."
    ),
    "a text cut off": Odd(CALL[:150], "json-invalid", "8:", "Close the string, or paste the rest."),
    "a comma too many": Odd(
        CALL.replace("true", "true,"), "json-literal", "9:21", "A comma with nothing after", "info", GREEN, 1
    ),
    "single quotes": Odd(
        CALL.replace('"on"', "'on'"), "json-literal", "9:11", "no JSON quotes", "info", GREEN, 1
    ),
    "a comment": Odd(
        CALL.replace("true", "true // yes"), "json-literal", "9:22", "A comment.", "info", GREEN, 1
    ),
    "no-break space": Odd(
        CALL.replace(": true", ":\u00a0true"), "json-literal", "9:16", "White space", "info", GREEN, 1
    ),
    "a zero-width space": Odd(CALL.replace(": true", ":\u200btrue"), "json-invalid", "9:16", "found"),
    "a key twice": Odd(
        with_room('"room": "kitchen",\n"room": "living_room"'),
        "json-duplicate-key",
        "9:1",
        'The key "room" stands twice in one object, first on line 8.',
    ),
    "NaN": Odd(with_room('"level": NaN'), "json-nan", "8:20", "NaN is no JSON number."),
    "an integer beyond 2^53": Odd(
        with_room('"level": 12345678901234567890'),
        "args-bigint",
        "8:20",
        "12345678901234567890 does not fit a double",
        "warning",
        GREEN,
        1,
    ),
    "a number beyond doubles": Odd(
        with_room('"level": 1e400'), "args-bigint", "8:20", "1e400", "warning", GREEN, 1
    ),
    "half a surrogate pair": Odd(
        with_room('"room": "\\ud800"'),
        "lone-surrogate",
        "8:19",
        "half of a surrogate pair",
        "warning",
        GREEN,
        1,
    ),
    "a byte order mark": Odd("\ufeff" + CALL, "json-bom", "1:1", "byte order mark", "info", GREEN, 1),
    "a code fence": Odd(
        f"```json\n{CALL}\n```\n", "code-fence", "1:1", "Read out of a markdown fence.", "info", GREEN, 1
    ),
    "JSON Lines": Odd(f"{ONE}\n{OTHER}\n", "json-lines", "1:1", "2 JSON texts", "info", GREEN, 2),
    "a stream of events": Odd(
        f"event: message\ndata: {ONE}\n\ndata: {OTHER}\n\n",
        "sse-wrapped",
        "1:1",
        "server-sent events",
        "info",
        GREEN,
        2,
    ),
    "a broken line among others": Odd(
        f'{ONE}\n{{"toolCall":\n{OTHER}\n',
        "json-invalid",
        "2:",
        "cut off",
        "error",
        ("red", "green", "green"),
        2,
    ),
}


def test_each_oddity_is_named_with_its_place_and_the_text_stays(
    desk: Desk, subtests: pytest.Subtests
) -> None:
    desk.paste("contracts_text", OPEN)
    for name, odd in ODD.items():
        with subtests.test(name):
            is_named(desk, odd)


def is_named(desk: Desk, odd: Odd) -> None:
    desk.paste("calls_text", odd.text)
    desk.shows(*odd.colours)
    row = desk.finding(odd.code).and_(desk.page.locator(".finding"))
    expect(row).to_have_class(re.compile(rf"\bis-{odd.severity}\b"))
    expect(row.locator(".place")).to_contain_text(odd.place)
    expect(row.locator(".message")).to_contain_text(odd.sentence)
    word = {"error": "error", "warning": "warning", "info": "note"}[odd.severity]
    assert (int(odd.place.partition(":")[0]), word) in desk.signs("calls_text")
    expect(desk.panel("args").locator("li.call")).to_have_count(odd.calls)
    assert desk.text("calls_text") == odd.text


def test_a_text_that_cannot_be_read_says_so_everywhere(desk: Desk) -> None:
    desk.paste("calls_text", ODD["a word that is none"].text)
    expect(desk.panel("toolCall").locator(".chip").first).to_contain_text("not JSON")
    expect(desk.pill("toolCall")).to_contain_text("cannot be read")
    expect(desk.panel("args")).to_contain_text("Nothing is read from broken text")
    expect(desk.page.locator("#text-draft")).to_have_count(0)
    expect(desk.readout).to_contain_text("The paste cannot be read.")
    desk.press("Format", desk.panel("toolCall"))
    expect(desk.strip).to_contain_text("This text cannot be read, so it stays as it is.")
    assert desk.text("calls_text") == ODD["a word that is none"].text


def test_a_text_is_repaired_on_request_and_judged_as_new(desk: Desk) -> None:
    broken = ODD["a comma too many"].text
    desk.paste("calls_text", broken)
    offer = desk.panel("toolCall").locator(".repair")
    expect(offer).to_contain_text("1 repair would make it strict JSON")
    with desk.verdict():
        offer.get_by_role("button").click()
    desk.shows(*GREEN)
    assert desk.text("calls_text") == CALL
    desk.press("Undo", desk.strip)
    assert desk.text("calls_text") == broken
    desk.paste("calls_text", ODD["a text cut off"].text.replace('"args"', "'args'"))
    expect(desk.panel("toolCall")).to_have_attribute("data-status", "red")
    expect(offer).to_have_count(0)


ESCAPED = '"\\u0041\\/"'
"""A text that needs no escapes: where a value is written anew, it has none."""
LEXEMES = [
    ESCAPED,
    "1.10",
    "12345678901234567890",
    "1e400",
    "1E+2",
    "-0",
    "0.1000",
    '"\\ud800"',
    '"开"',
]


def test_lexemes_survive_the_way_through_every_panel(desk: Desk) -> None:
    """Call, args, format, sample, case and inferred contract."""
    args = "{" + ", ".join(f'"k{index}": {lexeme}' for index, lexeme in enumerate(LEXEMES)) + "}"
    desk.paste("contracts_text", OPEN)
    desk.paste("calls_text", ONE.replace('{"room": "living_room", "on": true}', args))
    desk.shows(*GREEN)

    def survived(text: str, *, written_anew: bool = False) -> None:
        wanted = [lexeme for lexeme in LEXEMES if not (written_anew and lexeme == ESCAPED)]
        assert [lexeme for lexeme in wanted if lexeme in tokens(text)] == wanted

    survived(desk.copied("#text-args"))
    survived(desk.call("call_light_01").locator(".listing").inner_text())
    desk.press("Format", desk.panel("toolCall"))
    survived(desk.text("calls_text"))
    desk.press("Add as sample", desk.call("call_light_01"))
    desk.press("Pin as case", desk.call("call_light_01"))
    for tab, field in (("samples", "samples_text"), ("cases", "cases_text")):
        desk.open_tab(tab)
        survived(desk.copied(field), written_anew=True)


@pytest.mark.parametrize(
    ("name", "said"),
    [("a byte order mark", "byte order mark"), ("a code fence", "fence"), ("a stream of events", "event")],
)
def test_format_says_what_it_takes_off(desk: Desk, name: str, said: str) -> None:
    text = ODD[name].text
    desk.paste("calls_text", text)
    desk.press("Format", desk.panel("toolCall"))
    expect(desk.strip).to_contain_text(said)
    formatted = desk.text("calls_text")
    assert tokens(formatted) == tokens(CALL) * ODD[name].calls if name != "a stream of events" else True
    desk.press("Undo", desk.strip)
    assert desk.text("calls_text") == text


def test_two_keys_of_one_name_stay_both_when_formatted(desk: Desk) -> None:
    text = '{"toolCall": {"functionCalls": [{"id": "a", "name": "f", "args": {"x": 1, "x": 1.10}}]}}'
    desk.paste("calls_text", text)
    desk.press("Format", desk.panel("toolCall"))
    assert tokens(desk.text("calls_text")) == tokens(text)


def test_line_ends_come_back_as_they_were_pasted(desk: Desk) -> None:
    text = CALL.replace("\n", "\r\n")
    desk.paste("calls_text", text)
    desk.shows(*GREEN)
    assert desk.text("calls_text") == text
    desk.editor("calls_text").locator(".cm-content").focus()
    desk.page.keyboard.press("ControlOrMeta+End")
    with desk.verdict():
        desk.page.keyboard.press("Enter")
    assert desk.text("calls_text") == text + "\r\n"


def test_the_same_texts_are_told_as_answers_and_contracts_too(desk: Desk) -> None:
    desk.paste("calls_text", CALL)
    desk.paste("responses_text", '{"toolResponse": {"functionResponses": [\n{"id": }]}}')
    desk.shows("green", "green", "red")
    desk.says("toolResponse", "json-invalid", "2:8", "Expected a value")
    desk.paste("contracts_text", '{\n"type": "object",\n"type": "array"}')
    row = desk.finding("json-duplicate-key", "contract")
    expect(row.locator(".place")).to_have_text("3:1")
