"""JSON written out of a text that is none, and where each of its tokens stood there.

The readers of other notations (`literal`, `proto_text`) write strict JSON here.
Everything behind them reads that as any JSON; only places lead back to what was
pasted.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.json_text import JsonText

_OPENING: Final = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|['\"`])")
_HALVES: Final = r"u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}"
_WRITTEN: Final = re.compile(rf"\\(?:{_HALVES}|u.{{4}}|.)")
_READ: Final = re.compile(
    rf"\\(?:{_HALVES}|x[0-9A-Fa-f]{{2}}|u[0-9A-Fa-f]{{4}}|U[0-9A-Fa-f]{{8}}|u\{{[0-9A-Fa-f]+\}}|\r\n|.)",
    re.DOTALL,
)
"""Escapes that stand for one character: in JSON, and in the notations that are read."""


class _Characters:
    """The characters of one string as it is written, by the escapes in it."""

    def __init__(self, text: str, start: int, end: int, escapes: re.Pattern[str] | None) -> None:
        self._counts, self._offsets = array("i", [0]), array("i", [start])
        for escape in escapes.finditer(text, start, end) if escapes is not None else ():
            self._counts.append(self._counts[-1] + escape.start() - self._offsets[-1] + 1)
            self._offsets.append(escape.end())
        self.total = self._counts[-1] + end - self._offsets[-1]

    def before(self, offset: int) -> int:
        """Count the characters before an offset in the text."""
        step = bisect_right(self._offsets, offset) - 1
        return self._counts[step] + offset - self._offsets[step]

    def offset(self, count: int) -> int:
        """Return where the character behind so many others begins."""
        step = bisect_right(self._counts, count) - 1
        return self._offsets[step] + count - self._counts[step]


class Sign(NamedTuple):
    """A deviation whose place is still a pair of offsets; `lossy` as in `Note`."""

    code: str
    message: str
    start: int
    end: int
    lossy: bool = False


class Derived(JsonText):
    """A JSON text of our own writing: `place` answers with the place in the text it was read from."""

    __slots__ = ("_origin", "_source", "_strings", "_written")

    def __init__(self, text: str, origin: JsonText, written: array[int], source: array[int]) -> None:
        super().__init__(text)
        self._origin = origin
        self._written = written
        self._source = source
        self._strings: dict[int, tuple[_Characters, _Characters] | None] = {}

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column in the origin; inside a token that was rewritten, at most its end."""
        step = bisect_right(self._written, offset) - 1
        at = self._source[step] + offset - self._written[step]
        if step + 1 < len(self._source):
            strings = self._string(step) if offset > self._written[step] else None
            if strings is not None:
                written, read = strings
                at = read.offset(written.before(offset))
            at = min(at, self._source[step + 1])
        return self._origin.place(at)

    def _string(self, step: int) -> tuple[_Characters, _Characters] | None:
        """Return the characters of the string that a token is, here and in the origin; None for any other."""
        if step not in self._strings:
            self._strings[step] = self._aligned(step)
        return self._strings[step]

    def _aligned(self, step: int) -> tuple[_Characters, _Characters] | None:
        start, end = self._source[step], self._source[step + 1]
        opening = _OPENING.match(self._origin.text, start, end)
        if opening is None or not self.text.startswith('"', self._written[step]):
            return None
        quotes = len(opening[2])
        escapes = None if "r" in opening[1].lower() else _READ
        read = _Characters(self._origin.text, opening.end(), end - quotes, escapes)
        written = _Characters(self.text, self._written[step] + 1, self._written[step + 1] - 1, _WRITTEN)
        return (written, read) if written.total == read.total else None


@dataclass(frozen=True, slots=True)
class Reading:
    """One value read out of another notation: its JSON and the stretch of the text it stands in."""

    json: Derived
    node: int
    start: int
    end: int
    signs: tuple[Sign, ...]


class Writer:
    """Collects JSON tokens with the offsets at which each begins and ends in the origin.

    The place of an opening bracket is where it begins, that of a closing one
    where it ends, so no two places share an offset of what is written.
    """

    def __init__(self) -> None:
        self._out: list[str] = []
        self._size = 0
        self._written = array("i")
        self._source = array("i")

    def token(self, json: str, start: int, end: int) -> None:
        """Write a key or a value."""
        self.open(json, start)
        self._mark(end)

    def open(self, json: str, start: int) -> None:
        """Write an opening bracket."""
        self._mark(start)
        self.plain(json)

    def close(self, json: str, end: int) -> None:
        """Write a closing bracket."""
        self.plain(json)
        self._mark(end)

    def plain(self, json: str) -> None:
        """Write what has no place of its own: a comma, a colon."""
        self._out.append(json)
        self._size += len(json)

    def hole(self) -> int:
        """Return where the last token was written, for `blank`."""
        return len(self._out) - 1

    def blank(self, hole: int) -> None:
        """Put a space for a token of one character that was written too early."""
        self._out[hole] = " "

    def reading(self, origin: JsonText, start: int, end: int, signs: list[Sign]) -> Reading:
        """Read what was written. Raises JsonError where it is over a limit."""
        json = Derived("".join(self._out), origin, self._written, self._source)
        node, _ = json.scan()
        return Reading(json, node, start, end, tuple(signs))

    def _mark(self, source: int) -> None:
        self._written.append(self._size)
        self._source.append(source)
