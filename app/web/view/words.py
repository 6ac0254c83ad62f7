"""The small words of the page: pills, pieces of a sentence, counts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final

from markupsafe import Markup

from app import dialects
from app.dialects import Words

FIRST_DIALECT: Final = "gemini-live"
"""Its words stand over the panels while nothing is pasted."""

DIALECTS: Final = {
    dialect.id: dialect.title
    for dialect in sorted(dialects.all_dialects(), key=lambda dialect: dialect.id != FIRST_DIALECT)
}
"""Dialect id -> its name on the page."""

UNKNOWN_WORDS: Final = Words("call", "args", "response")

_CODE: Final = re.compile(r"`([^`\n]{1,200})`")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: `kind` is strong, code or empty."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Pill:
    """A verdict in one glance. `look` is green, red, idle or not-judged."""

    look: str
    word: str
    text: str


def idle(text: str) -> Pill:
    """Say that nothing was judged, and nothing is wrong."""
    return Pill("idle", "IDLE", text)


def red(text: str) -> Pill:
    """Say that something is wrong."""
    return Pill("red", "RED", text)


def green(text: str) -> Pill:
    """Say that everything is as it should be."""
    return Pill("green", "GREEN", text)


def not_judged(text: str) -> Pill:
    """Say that the work did not come to an end, which is never green."""
    return Pill("not-judged", "RED", text)


def sentence(text: str) -> tuple[Part, ...]:
    """Split a message at its `quoted` words, which are the wire's and stand in mono."""
    pieces = _CODE.split(text)
    return tuple(Part("code" if i % 2 else "", piece) for i, piece in enumerate(pieces) if piece)


def say(parts: Iterable[Part]) -> Markup:
    """Write a sentence: what we say in sans, the wire's words in mono."""
    written = (_SAID[part.kind] % escape(part.text) for part in parts)
    return Markup("".join(written))  # noqa: S704 - escaped above


_SAID: Final = {"": "%s", "code": "<code>%s</code>", "strong": "<b>%s</b>"}


def names(before: str, found: list[str], after: str) -> list[Part]:
    """Write names as `a`, `b` and `c`; of more than three the first two, and how many more."""
    shown = found[:3] if len(found) <= 3 else found[:2]
    parts = [Part("", before)]
    for index, name in enumerate(shown):
        if index:
            last = index == len(shown) - 1 and len(found) <= 3
            parts.append(Part("", " and " if last else ", "))
        parts.append(Part("code", clip(name, 60)))
    if len(found) > 3:
        parts.append(Part("", f" and {len(found) - 2:,} more"))
    parts.append(Part("", after))
    return parts


def count(number: int, word: str) -> str:
    """Write `1 call`, `2 calls`, `10,000 calls`."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def clip(text: str, size: int = 40) -> str:
    """Cut a text that is too long for its place."""
    return text if len(text) <= size else text[: size - 1] + "…"


def id_text(id: str | int | None) -> str:
    """Write the id of a call, which may be missing."""
    return "no id" if id is None else clip(str(id), 120)


def panel_words(dialect: str, *, empty: bool) -> Words:
    """Return what a dialect itself calls the three objects; where there is no one dialect, plain words."""
    known = dialects.by_id(FIRST_DIALECT if empty else dialect)
    return known.words if known is not None else UNKNOWN_WORDS


def dialect_text(dialect: str, evidence: tuple[str, ...]) -> tuple[str, str]:
    """Name a dialect, and say in a few words which key told it."""
    name = DIALECTS.get(dialect, dialect)
    if not evidence:
        return name, ""
    key = evidence[0].strip("/")
    return name, f"by {evidence[0]}" if "/" in key else f"{key} at top level"
