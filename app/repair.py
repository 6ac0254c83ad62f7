"""A text that cannot be read, and the one small change that would make it readable.

It is offered and never made unasked: guessing here could run the wrong call. A
text that was cut off is never completed, because nobody knows what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app import paste
from app.cases import findings_of
from app.json_text import JsonText

LONGEST: Final = 1_048_576
"""Characters of a text for which a repair is looked for; it is read once for each try."""

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Repair:
    """What would be done, in words with the place, and the text after it."""

    words: str
    text: str


def repair(text: str, input: str) -> Repair | None:
    """Return the change that makes a text readable, or None where there is no sure one."""
    if len(text) > LONGEST:
        return None
    wrong = [f for f in findings_of(paste.read_payload(text, input=input)) if f.code == "json-invalid"]
    if len(wrong) != 1 or wrong[0].at.line is None or wrong[0].at.column is None:
        return None
    json = JsonText(text)
    offset = json.offset(wrong[0].at.line, wrong[0].at.column)
    for what, start, end, new in _changes(text, offset):
        changed = text[:start] + new + text[end:]
        if not any(f.is_error for f in findings_of(paste.read_payload(changed, input=input))):
            line, column = json.place(start)
            return Repair(f"{what} at {line}:{column}", changed)
    return None


def _changes(text: str, offset: int) -> Iterator[tuple[str, int, int, str]]:
    """Yield what could be meant at a place: words, the stretch to change, and what to put there."""
    comment = _COMMENT.match(text, offset)
    word = _WORD.match(text, offset)
    char = text[offset : offset + 1]
    if char == ",":
        yield "Remove the comma", offset, offset + 1, ""
    elif comment is not None:
        yield "Remove the comment", *comment.span(), ""
    elif word is not None and word[0] in _WORDS:
        yield f"Write {_WORDS[word[0]]}", *word.span(), _WORDS[word[0]]
    elif char and char in "}]":
        yield f"Remove the {char}", offset, offset + 1, ""
    elif char:
        before = len(text[:offset].rstrip())
        yield "Add a comma", before, before, ","
