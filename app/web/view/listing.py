"""JSON text as numbered lines of coloured tokens, for the parts of the page that are no editor.

A listing shows what it is given and never decodes it, so number lexemes, escapes
and duplicate keys look as they were pasted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Final

from markupsafe import Markup

from app.web.view.icons import icon
from app.web.view.words import Part

LINES: Final = 200
"""Most lines of one listing; a screen shows 30."""

LONG_VALUE: Final = 1_000
"""Characters of one value shown before it is folded behind a size badge."""

INLINE: Final = 240
"""Characters of a payload shown on one line."""

_WORD: Final = re.compile(
    r'(?P<key>"(?:[^"\\\n]|\\.)*+"(?=[ \t]*:))'
    r'|(?P<str>"(?:[^"\\\n]|\\.)*+"?)'
    r'|(?P<lit>[^\s{}\[\],:"]++)'
)
_TOKEN: Final = re.compile(_WORD.pattern + r"|[\s{}\[\],:]++")


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


@dataclass(frozen=True, slots=True)
class Line:
    """One numbered line, and what hangs under it.

    `markup` is the whole line: a page holds thousands of tokens, and a template
    takes three times as long to write them.
    """

    markup: Markup
    hooks: tuple[Spot, ...]
    indent: int
    """Leading spaces, at most 40, for the hanging indent."""


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
    # No token goes over the end of a line, so all lines are coloured at once.
    coloured = _coloured("\n".join(rows[:LINES])).split("\n")
    lines = tuple(
        _line(
            number,
            row,
            starts[number - 1],
            tuple(by_line.get(number, ())),
            number in checked,
            notes.get(number, ""),
            coloured[number - 1],
        )
        for number, row in enumerate(rows[:LINES], 1)
    )
    return Listing(lines, max(0, len(rows) - LINES))


def inline(text: str) -> Markup:
    """Return the tokens of JSON text on one line, cut after INLINE characters."""
    out: list[str] = []
    left = INLINE
    for match in _TOKEN.finditer(text[: 2 * INLINE]):
        kind = match.lastgroup or ""
        shown = match[0] if kind else _airy(match[0])
        if len(shown) > left:
            out.append(_token(kind, shown[:left] + "…"))
            break
        out.append(_token(kind, shown))
        left -= len(shown)
    return Markup("".join(out))  # noqa: S704 - `_token` has escaped it


def size_text(characters: int) -> str:
    """Say how much text there is: `640 characters`, `64 KB`, `3.2 MB`."""
    if characters < 1024:
        return f"{characters} characters"
    if characters < 1024 * 1024:
        return f"{characters // 1024} KB"
    return f"{characters / 1024 / 1024:.1f} MB"


_WORDS: Final = {"error": "error", "warning": "warning", "info": "note", "ok": "accepted"}


def _line(
    number: int, row: str, start: int, spots: tuple[Spot, ...], checked: bool, note: str, coloured: str
) -> Line:
    look = fid = sign = ending = ""
    hooks: tuple[Spot, ...] = ()
    mark = "ok" if checked else ""
    if spots:
        severities = {spot.severity for spot in spots}
        mark = next(severity for severity in ("error", "warning", "info") if severity in severities)
        fid = f' data-fid="{spots[0].fid}"'
        hooks = tuple(spot for spot in spots if spot.hook is not None)
    if mark:
        look = f" is-{mark}"
        sign = f'{icon(mark)}<span class="unseen">{_WORDS[mark]}</span>'
    if note:
        look += " is-noted"
        ending = f'<span class="line-note">{escape(note, quote=False)}</span>'
    indent = min(len(row) - len(row.lstrip(" ")), 40)
    plain = not spots and len(row) <= LONG_VALUE
    tokens = coloured if plain else "".join(_tokens(row, start, spots))
    # `_tokens` and `escape` have made text of what was pasted; all else is ours.
    return Line(
        Markup(  # noqa: S704
            f'<div class="line{look}"{fid}><span class="no">{number}</span><span class="sign">{sign}</span>'
            f'<code class="t in-{indent}">{tokens}</code>{ending}</div>'
        ),
        hooks,
        indent,
    )


def _tokens(row: str, start: int, spots: tuple[Spot, ...]) -> Iterable[str]:
    for match in _TOKEN.finditer(row):
        text = match[0]
        kind = match.lastgroup or ""
        at = start + match.start()
        spot = next((s for s in spots if s.start <= at < s.end), None)
        if len(text) > LONG_VALUE:
            yield _token(kind, text[:120], spot)
            rest = escape(text[120:65_536], quote=False)
            yield f'<details class="long"><summary>{size_text(len(text))}</summary>{rest}</details>'
        elif spot is not None and not kind:
            # Only the bracket itself is underlined, not the space around it.
            yield text[: len(text) - len(text.lstrip())]
            yield _token("", text.strip(), spot)
            yield text[len(text.rstrip()) :]
        else:
            yield _token(kind, text, spot)


def _coloured(text: str) -> str:
    """Colour the tokens of a text. No character reference holds a delimiter of a token."""
    return _WORD.sub(_span, escape(text, quote=False))


def _span(match: re.Match[str]) -> str:
    return f'<span class="{match.lastgroup}">{match[0]}</span>'


def _token(kind: str, text: str, spot: Spot | None = None) -> str:
    """Write a piece of a line. `kind` is key, str, lit or empty for punctuation and space."""
    text = escape(text, quote=False)
    if spot is not None:
        return f'<mark class="{kind or "pun"} is-{spot.severity}" data-fid="{spot.fid}">{text}</mark>'
    return f'<span class="{kind}">{text}</span>' if kind else text


_AIR: Final = str.maketrans(
    {"{": "{ ", "}": " }", ",": ", ", ":": ": ", " ": "", "\t": "", "\n": "", "\r": ""}
)


def _airy(text: str) -> str:
    """Space punctuation as in `{ "room": "kitchen", "on": [1, 2] }`, whatever space stood there."""
    return text.translate(_AIR).replace("{  }", "{}")
