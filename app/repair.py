"""A text that cannot be read, or is no strict JSON, and the change that would make it so.

It is offered and never made unasked: guessing here could run the wrong call. A
text that was cut off is never completed, because nobody knows what is missing,
and values that a printer left out are never filled in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app import paste
from app.cases import findings_of
from app.json_text import JsonText, clip
from app.paste import Document

LONGEST: Final = 1_048_576
"""Characters of a text for which a repair is looked for; it is read once for each try."""

FRAMES: Final = frozenset({"calls_text", "responses_text"})
"""The fields of frames: there, what programs print is read too."""

_SHOWN: Final = 60
"""Characters of a difference that are shown."""
_AROUND: Final = 12
"""Characters shown on each side of a small change."""

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Repair:
    """What would be done, in words with the place, and the text after it.

    `before` and `after` are the stretch that changes, cut to what can be shown.
    """

    words: str
    text: str
    before: str
    after: str


def repair(text: str, input: str) -> Repair | None:
    """Return the change that makes a text readable as strict JSON, or None where there is no sure one.

    Of frames as a program prints them that is their JSON; where they are
    broken, the small change that lets them be read.
    """
    if len(text) > LONGEST:
        return None
    small = _small(text, paste.read_payload(text, input=input), tolerant=False)
    if small is not None or input not in FRAMES:
        return small
    document = paste.read(text, input=input)
    if any(finding.is_error for finding in findings_of(document)):
        return _small(text, document, tolerant=True)
    return _written_out(document)


def _small(text: str, document: Document, *, tolerant: bool) -> Repair | None:
    """Return the change at the only place where a text cannot be read."""
    wrong = [finding for finding in findings_of(document) if finding.code == "json-invalid"]
    if len(wrong) != 1 or wrong[0].at.line is None or wrong[0].at.column is None:
        return None
    json = JsonText(text)
    offset = json.offset(wrong[0].at.line, wrong[0].at.column)
    for what, start, end, new in _changes(text, offset):
        changed = text[:start] + new + text[end:]
        again = paste.read_payload(changed, input=document.input, tolerant=tolerant)
        if not any(finding.is_error for finding in findings_of(again)):
            line, column = json.place(start)
            before, behind = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
            return Repair(
                f"{what} at {line}:{column}",
                changed,
                before + clip(text[start:end], _SHOWN) + behind,
                before + new + behind,
            )
    return None


def _written_out(document: Document) -> Repair | None:
    """Return the JSON of what was read through; what stands around JSON is not thrown away here."""
    notes = [note.code for root in document.roots for note in root.notes]
    if document.container not in (None, "json-lines") or not {"json-literal", "sdk-repr"} & {*notes}:
        return None
    cursors = [root.cursor for root in document.roots if root.cursor is not None]
    text = "\n".join(cursor.text for cursor in cursors)
    return Repair("Write it as JSON", text, clip(document.text.strip(), _SHOWN), clip(text, _SHOWN))


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
