"""Filter chips and search over a list: which rows are shown, and what each chip counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.web.view.findings import ROWS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Filter:
    """What a list shows: the rows with a tag ("all" for all of them) that hold a text."""

    tag: str = "all"
    text: str = ""

    def lets(self, tags: str, text: str) -> bool:
        """Whether a row with these tags (parted by blanks) and this text is shown."""
        return (self.tag == "all" or self.tag in tags.split()) and self.text.casefold() in text.casefold()


EVERYTHING: Final = Filter()


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter: its tag, its word, how many rows have it, and whether it is pressed."""

    tag: str
    word: str
    count: int
    pressed: bool


@dataclass(frozen=True, slots=True)
class Filtered:
    """The bar over a list: chips, the text searched for, and how many of how many are shown."""

    chips: tuple[Chip, ...]
    text: str
    shown: int
    total: int


def chips(words: dict[str, str], tags: Iterable[str], chosen: Filter) -> tuple[Chip, ...]:
    """Count the rows of each tag; `words` names the tags in their order."""
    counts = dict.fromkeys(words, 0)
    for row in tags:
        for tag in ("all", *row.split()):
            counts[tag] += 1
    pressed = chosen.tag if chosen.tag in words else "all"
    return tuple(Chip(tag, word, counts[tag], tag == pressed) for tag, word in words.items())


def at_most(rows: Sequence[T], first: Sequence[bool]) -> list[int]:
    """Return the indexes of at most ROWS rows, in order; those marked `first` are not the ones left out."""
    if len(rows) <= ROWS:
        return [*range(len(rows))]
    wanted = [i for i, is_first in enumerate(first) if is_first][:ROWS]
    others = [i for i, is_first in enumerate(first) if not is_first][: ROWS - len(wanted)]
    return sorted(wanted + others)
