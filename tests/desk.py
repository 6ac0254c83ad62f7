"""The page as a person uses it: paste, type, press, and read what stands there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Dialog, Locator, Page, Request, expect

SAMPLES = Path(__file__).parent.parent / "samples"
PANELS = ("toolCall", "args", "toolResponse")
PATIENCE = 30_000
"""Milliseconds to wait for what must come: the machine may be busy with other work."""

expect.set_options(timeout=PATIENCE)

_SIGNS = """gutters => {
    const numbers = [...gutters.querySelectorAll(".cm-lineNumbers .cm-gutterElement")]
        .map(element => [element.getBoundingClientRect().top, Number(element.textContent)]);
    return [...gutters.querySelectorAll(".cm-signs .sign")].map(sign => {
        const { top } = sign.getBoundingClientRect();
        const [, line] = numbers.find(([at]) => Math.abs(at - top) < 3) ?? [0, 0];
        return [line, sign.textContent];
    });
}"""
"""Tells beside which line number each sign of a gutter stands, by their height on the screen."""


class Desk:
    """A page of the workbench, and the hands of its user."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        """Errors on the browser's console."""
        self.dialogs: list[str] = []
        self.stopped: list[Request] = []
        """Requests that ended without an answer."""
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.set_default_timeout(PATIENCE)
        page.on("console", self._on_console)
        page.on("requestfailed", lambda request: self.stopped.append(request))
        page.on("dialog", self._on_dialog)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    # Places -----------------------------------------------------------------------

    @property
    def panels(self) -> Locator:
        return self.page.locator("#panels")

    @property
    def readout(self) -> Locator:
        return self.page.locator("#readout")

    @property
    def strip(self) -> Locator:
        """What the last edit did."""
        return self.page.locator("[data-edit-strip]")

    def panel(self, name: str) -> Locator:
        return self.page.locator(f'[data-panel="{name}"]')

    def tab(self, name: str) -> Locator:
        return self.page.locator(f'section[data-tab="{name}"]')

    def pill(self, name: str) -> Locator:
        """The pill of a panel or a tab."""
        return self.panel(name).or_(self.tab(name)).locator("[data-pill]")

    def editor(self, field: str) -> Locator:
        return self.page.locator(f"#editor-{field}")

    def line(self, field: str, number: int) -> Locator:
        """A line of an editor, in a text that fits in its window."""
        return self.editor(field).locator(".cm-line").nth(number - 1)

    def finding(self, word: str, panel: str = "toolCall") -> Locator:
        """The rows of a panel or tab that say a finding: by keyword for a schema violation, else by code."""
        rows = self.panel(panel).or_(self.tab(panel)).locator("button[data-input]")
        return rows.and_(self.page.locator(f'[data-keyword="{word}"], [data-code="{word}"]'))

    def call(self, id: str) -> Locator:
        """The row of a call in the args panel."""
        named = self.page.locator(".call-id", has_text=re.compile(f"^{re.escape(id)}$"))
        return self.panel("args").locator("li.call", has=named)

    # Deeds ------------------------------------------------------------------------

    def open(self, path: str = "/") -> None:
        self.page.goto(path)
        self.settle()

    def settle(self) -> None:
        """Wait for the page's script, and for a verdict on what stands there."""
        expect(self.page.locator("html[data-js]")).to_be_attached()
        expect(self.page.locator("#panels:not([data-judging])")).to_be_attached()

    @contextmanager
    def verdict(self) -> Iterator[None]:
        """Do something, and wait for the verdict that follows it."""
        with self.page.expect_response("**/panels", timeout=PATIENCE):
            yield
        self.settle()

    def clip(self, text: str) -> None:
        """Put a text on the clipboard, as another program would."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)

    def clipboard(self) -> str:
        return str(self.page.evaluate("() => navigator.clipboard.readText()"))

    def select_all(self, field: str) -> None:
        self.editor(field).locator(".cm-content").focus()
        self.page.keyboard.press("ControlOrMeta+a")

    def paste(self, field: str, text: str, *, judged: bool = True) -> None:
        """Replace the text of an editor by a paste, and wait for the verdict."""
        self.show(field)
        self.clip(text)
        self.select_all(field)
        if not judged:
            self.page.keyboard.press("ControlOrMeta+v")
            return
        with self.verdict():
            self.page.keyboard.press("ControlOrMeta+v")

    def paste_into(self, place: Locator, text: str) -> None:
        """Paste into a plain field."""
        place.click()
        self.clip(text)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("ControlOrMeta+v")

    def show(self, field: str) -> None:
        """Go to where an editor stands."""
        if field == "contracts_text":
            self.open_tab("contract")
        elif field == "responses_text" and not self.editor(field).is_visible():
            self.press("Paste mine", self.panel("toolResponse"))

    def open_tab(self, name: str) -> None:
        self.page.locator(f"#tab-{name}").click()
        expect(self.tab(name)).to_be_visible()

    def press(self, name: str, where: Locator) -> None:
        """Press a button after which the page is judged."""
        with self.verdict():
            where.get_by_role("button", name=name, exact=True).click()

    def choose(self, name: str, value: str) -> None:
        """Choose from one of the selects."""
        with self.verdict():
            self.page.locator(f"select[name={name}]").select_option(value)

    def switch(self, name: str) -> Locator:
        return self.tab("contract").get_by_role("switch", name=name, exact=True)

    def flip(self, name: str) -> None:
        """Press a switch of the tighten table."""
        with self.verdict():
            self.switch(name).click()

    # What is seen -----------------------------------------------------------------

    def copied(self, source: str) -> str:
        """What the Copy button of a text gives."""
        self.clip("")
        self.page.locator(f'[data-copy="{source}"]').click()
        expect(self.page.locator("#toast")).to_contain_text("Copied, ")
        return self.clipboard()

    def text(self, field: str) -> str:
        """The text of an editor."""
        self.show(field)
        return self.copied(field)

    def draft(self) -> list[dict[str, object]]:
        """The entries of the drafted answer."""
        answer = json.loads(self.copied("#text-draft"))
        entries = answer["toolResponse"]["functionResponses"]
        assert isinstance(entries, list)
        return entries

    def shows(self, *statuses: str) -> None:
        """Expect the colours of the three panels, and the words that say them."""
        for name, status in zip(PANELS, statuses, strict=True):
            expect(self.panel(name)).to_have_attribute("data-status", status)
            expect(self.pill(name).locator("[data-pill-word]")).to_have_text(status.upper())

    def signs(self, field: str) -> set[tuple[int, str]]:
        """The signs in the gutter of an editor: line number and word."""
        found = self.editor(field).locator(".cm-gutters").evaluate(_SIGNS)
        return {(line, word) for line, word in found}

    def says(self, panel: str, word: str, place: str, sentence: str) -> None:
        """Expect one red row with place, word and sentence, and its mark at that line of the editor."""
        row = self.finding(word, panel).and_(self.page.locator(".finding"))
        expect(row).to_have_class(re.compile(r"\bis-error\b"))
        expect(row.locator(".place")).to_have_text(place)
        expect(row.locator(".word")).to_have_text(word)
        expect(row.locator(".message")).to_contain_text(sentence)
        field = str(row.get_attribute("data-input"))
        line = int(place.partition(":")[0])
        expect(self.line(field, line)).to_have_class(re.compile(r"\bcm-refused\b"))
        assert (line, "error") in self.signs(field)


def sample(name: str) -> str:
    """One text of the gallery."""
    return (SAMPLES / name).read_text(encoding="utf-8")


def tokens(text: str) -> list[str]:
    """Split a JSON text into its tokens; only the white space between them is dropped."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|[^\s"{}\[\]:,]+|[{}\[\]:,]', text)
