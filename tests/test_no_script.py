"""The page without its script: forms and links only, and the same verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import Server
from tests.desk import sample

CALL = sample("gemini-live/seed-tool-call.calls.json")
RESPONSE = sample("gemini-live/seed-tool-response.responses.json")
SCHEMA = sample("contracts/set_light.json").removesuffix("\n")
DECLARATIONS = sample("gemini-live/seed-declarations.contracts.json")
SAMPLES = sample("contracts/set_light.samples.jsonl")
CASES = sample("contracts/set_light.cases.json").removesuffix("\n")


@pytest.fixture
def bare(browser: Browser, server: Server) -> Iterator[Page]:
    """The page in a browser that runs no script."""
    context = browser.new_context(
        base_url=server.url, viewport={"width": 1440, "height": 900}, java_script_enabled=False
    )
    page = context.new_page()
    page.goto("/")
    yield page
    context.close()


def field(page: Page, name: str) -> str:
    return page.locator(f"textarea[name={name}]").input_value()


def write(page: Page, name: str, text: str) -> None:
    if name == "contracts_text":
        page.locator("#tab-contract").click()
    page.locator(f"textarea[name={name}]").fill(text)


def judge(page: Page) -> None:
    page.get_by_role("button", name="Judge", exact=True).click()


def press(page: Page, edit: str) -> None:
    page.locator(f'button[name=edit][value="{edit}"]:visible').first.click()


def load(page: Page, name: str) -> None:
    page.locator("#samples-calls > summary").click()
    page.locator("#samples-calls").get_by_role("button", name="All samples").click()
    press(page, f"load:{name}")


def statuses(page: Page) -> list[str | None]:
    return [
        page.locator(f'[data-panel="{name}"]').get_attribute("data-status")
        for name in ("toolCall", "args", "toolResponse")
    ]


def codes(page: Page, panel: str) -> set[str]:
    rows = page.locator(f'[data-panel="{panel}"] .finding')
    return {str(row.get_attribute("data-keyword") or row.get_attribute("data-code")) for row in rows.all()}


def draft(page: Page) -> list[dict[str, object]]:
    text = page.locator("#text-draft").text_content() or ""
    entries = json.loads(text)["toolResponse"]["functionResponses"]
    assert isinstance(entries, list)
    return entries


def test_the_seed_pair_is_green_and_formatted_by_white_space_only(bare: Page) -> None:
    write(bare, "calls_text", json.dumps(json.loads(CALL), ensure_ascii=False))
    press(bare, "paste-mine")
    write(bare, "responses_text", RESPONSE)
    judge(bare)
    assert statuses(bare) == ["green", "green", "green"]
    press(bare, "format:calls_text")
    assert json.loads(field(bare, "calls_text")) == json.loads(CALL)
    assert field(bare, "calls_text").count("\n") > 5
    assert field(bare, "responses_text") == RESPONSE
    press(bare, "undo")
    assert field(bare, "calls_text") == json.dumps(json.loads(CALL), ensure_ascii=False)
    expect(bare.locator("#strip-edit")).to_contain_text("Taken back.")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (CALL.replace("living_room", "garage"), "enum"),
        (CALL.replace("true", 'true, "extra_cmd": "unlock"'), "additionalProperties"),
        (CALL.replace("true", '"开"'), "type"),
        (CALL.replace('"id": "call_light_01",', ""), "call-id-missing"),
    ],
)
def test_what_is_wrong_is_red_and_answered_by_an_error_or_not_at_all(
    bare: Page, text: str, code: str
) -> None:
    write(bare, "calls_text", text)
    judge(bare)
    assert statuses(bare)[:2] == ["red", "red"]
    assert code in codes(bare, "toolCall")
    assert field(bare, "calls_text") == text
    if code == "call-id-missing":
        expect(bare.locator("#text-draft")).to_have_count(0)
    else:
        (entry,) = draft(bare)
        assert "error" in str(entry["response"])


def test_string_args_follow_their_option(bare: Page) -> None:
    text = json.dumps(json.loads(CALL))
    args = json.loads(CALL)["toolCall"]["functionCalls"][0]["args"]
    write(bare, "calls_text", text.replace(json.dumps(args), json.dumps(json.dumps(args))))
    judge(bare)
    assert statuses(bare)[:2] == ["green", "green"]
    bare.locator("select[name=string_args]").select_option("refuse")
    judge(bare)
    assert statuses(bare)[:2] == ["red", "red"]
    expect(bare.locator("select[name=string_args]")).to_have_value("refuse")


def test_a_wrong_answer_is_named_and_the_draft_comes_back(bare: Page) -> None:
    press(bare, "paste-mine")
    write(bare, "responses_text", sample("gemini-live/wrong-answer.responses.json"))
    judge(bare)
    assert {"response-orphan", "response-missing"} <= codes(bare, "toolResponse")
    expect(bare.locator("#readout")).to_contain_text("Do not send this answer.")
    press(bare, "use-draft")
    assert statuses(bare)[2] == "green"
    bare.locator("select[name=scheduling]").select_option("SILENT")
    judge(bare)
    assert draft(bare)[0]["scheduling"] == "SILENT"


def test_a_contract_is_inferred_tightened_proven_and_taken_back(bare: Page) -> None:
    press(bare, "clear:contracts_text")
    bare.locator("#tab-samples").click()
    press(bare, "clear:samples_text")
    bare.locator("textarea[name=new_samples]").fill(SAMPLES)
    press(bare, "add-samples")
    expect(bare.locator("#tabpanel-samples")).to_be_visible()
    press(bare, "use-inferred")
    for edit in ("suggest:additionalProperties:", "enum:/room"):
        press(bare, edit)
        expect(bare.locator("#strip-edit")).to_contain_text("Proven narrower.")
    bare.locator("#tab-cases").click()
    expect(bare.locator("tr.case", has_text="as expected")).to_have_count(5)
    bare.locator("#tab-contract").click()
    tight = field(bare, "contracts_text")
    press(bare, "unenum:/room")
    assert field(bare, "contracts_text") != tight
    press(bare, "undo")
    assert field(bare, "contracts_text") == tight
    assert field(bare, "cases_text") == CASES


def test_cases_are_pinned_filtered_and_removed(bare: Page) -> None:
    bare.locator("#tab-cases").click()
    bare.locator("input[name=new_case_name]").fill("ok_not")
    bare.locator("input[name=new_case_payload]").fill("{}")
    bare.get_by_role("radio", name="accept").check(force=True)
    press(bare, "pin-case")
    expect(bare.locator("#tabpanel-cases")).to_be_visible()
    bare.get_by_role("button", name="Must accept 2").click()
    expect(bare.locator("tr.case")).to_have_count(2)
    bare.locator("input[name=new_find_cases]").fill("garage")
    bare.get_by_role("button", name="All 6").click()
    expect(bare.locator("tr.case")).to_have_count(1)
    bare.locator("input[name=new_find_cases]").fill("")
    bare.get_by_role("button", name="Must refuse 4").click()
    expect(bare.locator("tr.case")).to_have_count(4)


def test_odd_texts_keep_every_character(bare: Page) -> None:
    text = CALL.replace("true", "1.10") + "\n"
    for odd in (text, CALL.replace("true", "1e400"), "```json\n" + CALL + "\n```", CALL[:80]):
        write(bare, "calls_text", odd)
        judge(bare)
        assert field(bare, "calls_text") == odd
    expect(bare.locator("#readout")).to_contain_text("The paste cannot be read.")
    assert "json-invalid" in codes(bare, "toolCall")


def test_the_seeds_declarations_refuse_what_they_do_not_name(bare: Page) -> None:
    write(bare, "contracts_text", DECLARATIONS)
    write(bare, "calls_text", CALL.replace("true", 'true, "extra_cmd": "unlock"'))
    judge(bare)
    assert "additionalProperties" in codes(bare, "toolCall")


def test_samples_are_loaded_over_edited_text_and_brought_back(bare: Page) -> None:
    write(bare, "calls_text", "my own text")
    load(bare, "stock-not-complete")
    expect(bare.locator("#strip-edit")).to_contain_text("MAX_TOKENS: the call parsed")
    expect(bare.locator('[data-panel="toolCall"] [data-pill]')).to_contain_text("not complete, MAX_TOKENS")
    press(bare, "undo")
    assert field(bare, "calls_text") == "my own text"
    assert field(bare, "contracts_text") == SCHEMA


def test_tabs_are_links_and_what_needs_a_script_is_not_there(bare: Page) -> None:
    for name in ("cases", "samples", "contract"):
        bare.locator(f"#tab-{name}").click()
        expect(bare.locator(f"#tabpanel-{name}")).to_be_visible()
        expect(bare.locator("[role=tabpanel]:visible")).to_have_count(1)
    for dead in ("[data-copy]", "[data-fold]", "[data-theme-switch]", "[data-forget]", "[data-next]"):
        assert not [each for each in bare.locator(dead).all() if each.is_visible()]


def test_help_is_a_page_of_its_own(bare: Page) -> None:
    with bare.expect_popup() as opened:
        bare.locator(".finding + .help").first.click()
    expect(opened.value.locator("h1")).to_contain_text("args-schema")
    opened.value.get_by_role("link", name="All codes").click()
    expect(opened.value.locator("h1")).to_have_text("All codes")
