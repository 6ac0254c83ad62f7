"""JSON text as numbered lines of coloured tokens, for the parts of the page that are no editor.

A listing shows what it is given and never decodes it, so number lexemes, escapes
and duplicate keys look as they were pasted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from app.web.view.words import Part

LINES: Final = 200
"""Most lines of one listing; a screen shows 30."""

LONG_VALUE: Final = 1_000
"""Characters of one value shown before it is folded behind a size badge."""

INLINE: Final = 240
"""Characters of a payload shown on one line."""

_TOKEN: Final = re.compile(
    r'(?P<key>"(?:[^"\\\n]|\\.)*+"(?=[ \t]*:))'
    r'|(?P<str>"(?:[^"\\\n]|\\.)*+"?)'
    r'|(?P<lit>[^\s{}\[\],:"]++)'
    r"|[\s{}\[\],:]++"
)


@dataclass(frozen=True, slots=True)
class Hook:
    """A note that hangs under a line: what refused, and the contract line that says so."""

    word: str
    text: tuple[Part, ...]
    schema_line: int | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of the text (offsets in code points) that a finding is about."""

    start: int
    end: int
    severity: str
    fid: str
    hook: Hook | None = None


class Token(NamedTuple):
    """A piece of a line. `kind` is key, str, lit or empty for punctuation and space.

    A page holds hundreds of them, and a tuple unpacks in a template at once.
    """

    kind: str
    text: str
    spot: Spot | None = None
    rest: str = ""
    """What follows `text` in a value too long to show at once."""
    size: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One numbered line; `mark` is error, warning, info, ok or empty."""

    number: int
    indent: int
    """Leading spaces, at most 40, for the hanging indent."""
    tokens: tuple[Token, ...]
    mark: str
    spots: tuple[Spot, ...]
    note: str
    """A few words at the end of the line, or nothing."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The lines shown, and how many more there are."""

    lines: tuple[Line, ...]
    more: int


def listing(
    text: str,
    spots: Iterable[Spot] = (),
    checks: Iterable[int] = (),
    notes: Mapping[int, str] = MappingProxyType({}),
) -> Listing:
    """Lay out `text` line by line; `checks` are lines with a check mark, `notes` words at line ends."""
    rows = text.split("\n")
    starts = [0]
    for row in rows[:LINES]:
        starts.append(starts[-1] + len(row) + 1)
    by_line: dict[int, list[Spot]] = {}
    for spot in spots:
        by_line.setdefault(bisect_right(starts, spot.start), []).append(spot)
    checked = set(checks)
    lines = tuple(
        _line(
            number,
            row,
            starts[number - 1],
            tuple(by_line.get(number, ())),
            number in checked,
            notes.get(number, ""),
        )
        for number, row in enumerate(rows[:LINES], 1)
    )
    return Listing(lines, max(0, len(rows) - LINES))


def inline(text: str) -> tuple[Token, ...]:
    """Return JSON text on one line, cut after INLINE characters."""
    tokens: list[Token] = []
    left = INLINE
    for token in _tokens(text[: 2 * INLINE], 0, ()):
        shown = token.text if token.kind else _airy(token.text)
        if len(shown) > left:
            tokens.append(Token(token.kind, shown[:left] + "…"))
            break
        tokens.append(Token(token.kind, shown))
        left -= len(shown)
    return tuple(tokens)


def size_text(characters: int) -> str:
    """Say how much text there is: `640 characters`, `64 KB`, `3.2 MB`."""
    if characters < 1024:
        return f"{characters} characters"
    if characters < 1024 * 1024:
        return f"{characters // 1024} KB"
    return f"{characters / 1024 / 1024:.1f} MB"


def _line(number: int, row: str, start: int, spots: tuple[Spot, ...], checked: bool, note: str) -> Line:
    severities = {spot.severity for spot in spots}
    mark = next((s for s in ("error", "warning", "info") if s in severities), "ok" if checked else "")
    indent = min(len(row) - len(row.lstrip(" ")), 40)
    return Line(number, indent, tuple(_tokens(row, start, spots)), mark, spots, note)


def _tokens(row: str, start: int, spots: tuple[Spot, ...]) -> Iterable[Token]:
    for match in _TOKEN.finditer(row):
        text = match[0]
        kind = match.lastgroup or ""
        if not spots and len(text) <= LONG_VALUE:
            yield Token(kind, text)
            continue
        at = start + match.start()
        spot = next((s for s in spots if s.start <= at < s.end), None)
        if len(text) > LONG_VALUE:
            yield Token(kind, text[:120], spot, text[120:65_536], size_text(len(text)))
        elif spot is not None and not kind:
            # Only the bracket itself is underlined, not the space around it.
            bare = text.strip()
            yield Token("", text[: len(text) - len(text.lstrip())])
            yield Token("", bare, spot)
            yield Token("", text[len(text.rstrip()) :])
        else:
            yield Token(kind, text, spot)


_AIR: Final = str.maketrans(
    {"{": "{ ", "}": " }", ",": ", ", ":": ": ", " ": "", "\t": "", "\n": "", "\r": ""}
)


def _airy(text: str) -> str:
    """Space punctuation as in `{ "room": "kitchen", "on": [1, 2] }`, whatever space stood there."""
    return text.translate(_AIR).replace("{  }", "{}")
