"""The one form of the page: fields -> the inputs of the workbench, and what the page itself must remember.

Every field has a default, so there is nothing a form could be refused for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.datastructures import FormData, UploadFile

from app.reports import Additions, Inputs
from app.web.view.filters import EVERYTHING, Filter

TEXTS: Final = (
    "calls_text",
    "responses_text",
    "contracts_text",
    "cases_text",
    "samples_text",
    "session_text",
)

UNDONE: Final = (*TEXTS, "contract_name")
"""Fields that an edit may change and Undo brings back."""

OPTIONS_CHARACTERS: Final = 4_096
"""Longest `options` that is read; the options there are take a twentieth of it."""

TABS: Final = ("contract", "cases", "samples", "session")

_LISTS: Final = ("cases", "samples", "session")
"""Tabs whose rows are filtered."""

_TAB_OF_EDIT: Final = {
    "pin-case": "cases",
    "remove-case": "cases",
    "expect": "cases",
    "add-samples": "samples",
    "remove-sample": "samples",
    "clear:samples_text": "samples",
    "clear:session_text": "session",
    "to-session": "session",
}
"""Edit -> the tab it was made in. Without script the page must open there again."""


_OF_SESSION: Final = frozenset({"show_frame", "session_view"})
"""Fields of the buttons that stand in the Session tab."""


@dataclass(frozen=True, slots=True)
class Posted:
    """One post of the form."""

    inputs: Inputs
    edit: str = ""
    new: Additions = field(default_factory=Additions)
    tab: str = "contract"
    mine: bool = False
    """Whether the toolResponse panel shows the editor for an own answer though it is still empty."""
    options: Mapping[str, Any] = field(default_factory=dict)
    cases: Filter = EVERYTHING
    samples: Filter = EVERYTHING
    session: Filter = EVERYTHING
    frame: int | None = None
    """The frame of the session that is chosen, where the page has no script to choose it."""
    session_view: str = "outline"
    """How the frames of the session are shown: outline or text."""
    before: Mapping[str, str] = field(default_factory=dict)
    """Texts before the last edit, which the page itself carries where it has no script."""

    @property
    def size(self) -> int:
        """Characters posted, which set the time budget."""
        texts = (getattr(self.inputs, name) for name in TEXTS)
        return sum(map(len, texts)) + len(self.new.samples) + len(self.new.case_payload)


async def read(form: FormData, *, native: bool) -> Posted:
    """Read the form. A `native` post, one a browser made without script, wrote LF as CRLF."""
    fields = {name: await _text(value) for name, value in form.multi_items()}
    if native:
        fields = {name: value.replace("\r\n", "\n") for name, value in fields.items()}
    get = fields.get
    edit = get("edit", "")
    options, text = _options(fields)
    verb, _, argument = edit.partition(":")
    return Posted(
        inputs=Inputs(
            **{name: get(name, "") for name in TEXTS},
            contract_name=get("contract_name", ""),
            options=text,
            part=argument if verb == "part" else get("part", "parameters"),
        ),
        edit=edit,
        new=Additions(
            case_name=get("new_case_name", ""),
            case_payload=get("new_case_payload", ""),
            case_expect="accept" if get("new_case_expect") == "accept" else "refuse",
            case_because=get("new_case_because", ""),
            samples=get("new_samples", ""),
            bound=get(f"new_{edit}", ""),
        ),
        tab=_tab(verb, fields),
        mine=verb == "paste-mine" or (get("answer") == "mine" and verb not in ("use-draft", "load")),
        options=options,
        # With script the client filters what it has.
        cases=Filter(get("show_cases", "all"), get("new_find_cases", "")) if native else EVERYTHING,
        samples=Filter(get("show_samples", "all"), get("new_find_samples", "")) if native else EVERYTHING,
        session=Filter(get("show_session", "all"), get("new_find_session", "")) if native else EVERYTHING,
        frame=_number(get("show_frame", "")),
        session_view="text" if get("session_view") == "text" else "outline",
        before={name: get(f"before_{name}", "") for name in UNDONE if f"before_{name}" in fields},
    )


def _tab(verb: str, fields: Mapping[str, str]) -> str:
    """Return the tab that opens: that of the edit, or of the list that was filtered."""
    edit = fields.get("edit", "")
    tab = _TAB_OF_EDIT.get(edit) or _TAB_OF_EDIT.get(verb)
    if tab is not None:
        return tab
    if fields.get("tab") in TABS or not _OF_SESSION.isdisjoint(fields):
        return fields.get("tab", "session")
    filtered = next((name for name in _LISTS if f"show_{name}" in fields), TABS[0])
    return TABS[0] if verb else filtered


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


async def _text(value: str | UploadFile) -> str:
    """Return a field as text; a file (`curl -F calls_text=@frame.json`) keeps its broken bytes visible."""
    if isinstance(value, str):
        return value
    return (await value.read()).decode("utf-8", "surrogateescape")


def _options(fields: Mapping[str, str]) -> tuple[Mapping[str, Any], str]:
    """Fold the selects of the page into the `options` JSON; text that is no small object stays as it is."""
    given = fields.get("options", "")
    options = None
    if len(given) <= OPTIONS_CHARACTERS:
        with suppress(ValueError, RecursionError):
            options = json.loads(given or "{}")
    if not isinstance(options, dict):
        return {}, given[: OPTIONS_CHARACTERS + 1]
    for name in ("string_args", "scheduling", "scheduling_at", "dialect"):
        if fields.get(name):
            options[name] = fields[name]
    if "assert_formats" in fields:
        options["assert_formats"] = bool(fields["assert_formats"])
    shown = {name: value for name, value in options.items() if isinstance(value, str | bool)}
    return shown, json.dumps(options) if options else ""
