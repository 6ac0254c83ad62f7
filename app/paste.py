"""What people paste, read into JSON texts with places and notes.

A paste is one JSON text, several of them, or JSON inside a container: a
markdown fence, an SSE stream, JSON Lines with broken lines, a log, a HAR file;
or it is what a program prints of such objects. Nothing is guessed and nothing is
dropped in silence: what was read through is a note, what could not be read is a
finding. Which dialect a text speaks is not asked here.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from app import containers, har, limits
from app.containers import Held, Part
from app.cursor import Cursor
from app.derived import Derived, Sign
from app.json_text import JsonError, JsonText, clip, is_unicode
from app.model import Finding, Location, Note, Severity

_JSON: Final = "https://www.rfc-editor.org/rfc/rfc8259"
SEVERITIES: Final = {
    "code-fence": Severity.INFO,
    "frame-double-encoded": Severity.INFO,
    "har-messages": Severity.INFO,
    "json-bom": Severity.INFO,
    "json-duplicate-key": Severity.ERROR,
    "json-invalid": Severity.ERROR,
    "json-lines": Severity.INFO,
    "json-literal": Severity.INFO,
    "json-nan": Severity.ERROR,
    "log-prefix": Severity.INFO,
    "lone-surrogate": Severity.WARNING,
    "replacement-character": Severity.WARNING,
    "sdk-repr": Severity.INFO,
    "sdk-repr-lossy": Severity.ERROR,
    "sse-wrapped": Severity.INFO,
    "too-deep": Severity.ERROR,
    "too-large": Severity.ERROR,
}
SOURCES: Final = {
    "code-fence": "https://spec.commonmark.org/0.31.2/#fenced-code-blocks",
    "har-messages": "https://www.w3.org/TR/2012/NOTE-har-20120814/",
    "json-bom": f"{_JSON}#section-8.1",
    "json-duplicate-key": f"{_JSON}#section-4",
    "json-invalid": f"{_JSON}#section-2",
    "json-lines": "https://jsonlines.org/",
    "json-literal": f"{_JSON}#section-2",
    "json-nan": f"{_JSON}#section-6",
    "lone-surrogate": f"{_JSON}#section-8.2",
    "replacement-character": f"{_JSON}#section-8.1",
    "sdk-repr": "https://googleapis.github.io/python-genai/",
    "sdk-repr-lossy": "https://googleapis.github.io/python-genai/",
    "sse-wrapped": "https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream",
}


CARRIED: Final = 4
"""Braces at which an object carried by a line of text is looked for."""

OF_VALUES: Final = frozenset({"json-duplicate-key", "json-nan"})
"""Notes on values inside a text; any other is on how the text itself is written."""

_COLOUR: Final = re.compile("\x1b\\[[0-9;]*+[A-Za-z]")
_REPLACED: Final = re.compile("\ufffd++")
_REPLACED_SHOWN: Final = 20
"""Most places told at which bytes were replaced."""

_VISIBLE: Final = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Root:
    """One JSON text of the paste, or a place where there should have been one.

    `cursor` is None where it could not be read; `findings` then says why. `text`
    is what was pasted there. For a text that was encoded as a JSON string,
    `cursor` is what the string holds and `cursor.base` the string. `time` (in
    seconds) and `direction` are what a log or a HAR file says of it.
    """

    index: int
    line: int
    cursor: Cursor | None
    text: str
    notes: tuple[Note, ...] = ()
    findings: tuple[Finding, ...] = ()
    time: float | None = None
    direction: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What was read of one paste.

    `notes` and `findings` are those of the paste as a whole, each root has its
    own; every note is a finding too. `documents` counts the JSON texts that
    were read. `container` is `json-lines`, `sse`, `fence`, `log`, `har` or None. `dropped`
    counts findings that were left out because there are too many.
    """

    text: str
    input: str
    roots: tuple[Root, ...] = ()
    documents: int = 0
    notes: tuple[Note, ...] = ()
    findings: tuple[Finding, ...] = ()
    container: str | None = None
    dropped: int = 0

    @property
    def blank(self) -> bool:
        """Whether nothing or white space was pasted."""
        return not self.text.removeprefix("\ufeff").strip()


def read(text: str, *, input: str = "text", tolerant: bool = True) -> Document:
    """Read a paste of frames; a frame that was encoded as a JSON string is unwrapped once.

    `tolerant` reads what programs print and log, too; without it only JSON counts.
    """
    return _document(text, input, unwrap=True, tolerant=tolerant)


def read_payload(text: str, *, input: str = "payload", tolerant: bool = False) -> Document:
    """Read a paste whose values are taken as they are: a string stays a string."""
    return _document(text, input, unwrap=False, tolerant=tolerant)


def split_array(document: Document) -> Document:
    """Make each item of the only root, an array, a root of its own.

    Pointers then begin at the item. Any other document, and an array without
    items, comes back as it is.
    """
    cursor = document.roots[0].cursor if len(document.roots) == 1 else None
    if cursor is None or not cursor.is_array or not len(cursor):
        return document
    tally = _Tally()
    whole = document.roots[0]
    wrapper = [note for note in whole.notes if note.code not in OF_VALUES]
    roots = []
    for index, item in enumerate(cursor):
        base = _at_frame(cursor.base, index)
        at = Cursor(item.json, item.node, input=item.input, frame=index, base=base)
        place = at.location
        lost = tuple(
            replace(note, at=replace(note.at, frame=index))
            for note in wrapper
            if note.lossy and _begin(place) <= _begin(note.at) < _end(place)
        )
        notes, findings = tally.of_value(at)
        notes, findings = (*lost, *notes), (*map(_finding, lost), *findings)
        roots.append(Root(index, at.line, at, at.text, notes, findings, whole.time, whole.direction))
    told = {_begin(note.at) for root in roots for note in root.notes if note.lossy}
    wrapper = [note for note in wrapper if not (note.lossy and _begin(note.at) in told)]
    return replace(
        document,
        roots=tuple(roots),
        notes=(*document.notes, *wrapper),
        findings=(*document.findings, *map(_finding, wrapper)),
        dropped=tally.dropped,
    )


def _begin(at: Location) -> tuple[int, int]:
    return at.line or 0, at.column or 0


def _end(at: Location) -> tuple[int, int]:
    return at.end_line or 0, at.end_column or 0


def format_text(document: Document, indent: int = 2) -> str | None:
    """Lay out each JSON text anew, one below the other; None if nothing could be read.

    Take a document of `read_payload`, so that a JSON string stays as it was
    pasted. Only white space between tokens changes. A line of JSON Lines that
    could not be read stays as it is, and so does what is no strict JSON. `indent`
    0 gives one line for each text.
    """
    if document.blank:
        return ""
    if not document.roots:
        return None
    return "\n".join(
        root.text
        if root.cursor is None or isinstance(root.cursor.json, Derived)
        else root.cursor.json.layout(root.cursor.node, indent)
        for root in document.roots
    )


def carried_object(text: str, key: str) -> str | None:
    """Return a text whose last line carries a JSON object with this member, what is before it blanked out.

    Offsets stay those of the paste. None where there is no such object among the first few braces.
    """
    json = JsonText(text)
    start = -1
    for _ in range(CARRIED):
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            node, end = json.scan(start)
        except JsonError:
            continue
        if end == len(text) and Cursor(json, node).get(key) is not None:
            return _VISIBLE.sub(" ", text[:start]) + text[start:]
    return None


# From parts to roots.


def _document(text: str, input: str, *, unwrap: bool, tolerant: bool) -> Document:
    empty = Document(text, input)
    if empty.blank:
        return empty
    colour = _COLOUR.search(text) if tolerant else None
    # Blanked out, so that every place stays. A raw escape character is never JSON.
    json = JsonText(text if colour is None else _COLOUR.sub(lambda code: " " * len(code[0]), text))
    start = 1 if text.startswith("\ufeff") else 0
    held = containers.read(json, start, len(text), tolerant)
    if unwrap and tolerant:
        held = _har_messages(held) or held
    signs = held.signs
    if colour is not None:
        signs = [Sign("log-prefix", "Colour codes of a terminal; they were skipped.", *colour.span()), *signs]
    if start:
        signs = [
            Sign("json-bom", "A byte order mark before the text. JSON has none; it was skipped.", 0, 1),
            *signs,
        ]
    notes = tuple(_note(json, sign, input) for sign in signs)
    findings = (*map(_finding, notes), *_replaced(json, held.parts, input))
    tally = _Tally()
    if all(isinstance(part.found, JsonError) for part in held.parts):
        shown = held.parts[: limits.FINDINGS + 1]
        errors = tuple(tally.of_error(part, input, 0) for part in shown)
        tally.dropped = len(held.parts) - len(shown)
        return replace(
            empty,
            notes=notes,
            findings=(*findings, *errors),
            container=held.container,
            dropped=tally.dropped,
        )
    roots = tuple(_root(part, index, input, unwrap, tally) for index, part in enumerate(held.parts))
    return Document(
        text=text,
        input=input,
        roots=roots,
        documents=sum(root.cursor is not None for root in roots),
        notes=notes,
        findings=findings,
        container=held.container,
        dropped=tally.dropped,
    )


def _replaced(json: JsonText, parts: list[Part], input: str) -> list[Finding]:
    """Say where bytes that were no UTF-8 have become U+FFFD before the text came here."""
    if "\ufffd" not in json.text:
        return []
    starts = [part.start for part in parts]
    found = []
    for run in islice(_REPLACED.finditer(json.text), _REPLACED_SHOWN):
        frame = max(0, bisect_right(starts, run.start()) - 1)
        at = _range(json, run.start(), run.end(), input, frame)
        message = "U+FFFD stands here, as where a file's bytes are no UTF-8. What stood there may be lost."
        code = "replacement-character"
        found.append(Finding(code, SEVERITIES[code], message, at, source=SOURCES[code]))
    return found


def _har_messages(held: Held) -> Held | None:
    """Return the messages of a HAR file as parts, if the paste is one."""
    part = held.parts[0]
    if held.container is not None or part.derived is not None or isinstance(part.found, JsonError):
        return None
    root = Cursor(part.json, part.found)
    if not har.is_har(root):
        return None
    messages = list(har.messages(root))
    parts = [_message_part(message) for message in messages if message.text is not None]
    count = "1 WebSocket message" if len(parts) == 1 else f"{len(parts)} WebSocket messages"
    text = f"A HAR file: {count} read out of it. Not read: what went over HTTP."
    others = [message.data.line for message in messages if message.text is None]
    if others:
        lines = ", ".join(map(str, others[:5])) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
        text += f" Nor messages that hold no text, on line {lines}."
    return Held("har", parts, [Sign("har-messages", text, part.start, part.start + 1)])


def _message_part(message: har.Message) -> Part:
    """Read one message; places lead into the string that holds it."""
    data = message.data
    json, node = data.json, data.node
    start, end = json.start[node], json.end[node]
    text = message.text or ""
    if message.encoded:
        inner: JsonText = Derived(text, json, array("i", [0, len(text)]), array("i", [start, start]))
    else:
        inner = JsonText(text)
    part = Part(start, end, json, node, time=message.time, direction=message.direction)
    try:
        root, behind = inner.scan()
        if behind < len(text):
            raise JsonError("Something stands behind the end of the JSON text.", behind)
    except JsonError as error:
        at = start if message.encoded else json.through(node, error.offset)
        return replace(part, found=JsonError(error.message, at, error.code))
    return replace(part, found=root, derived=inner, holder=None if message.encoded else node)


def _root(part: Part, index: int, input: str, unwrap: bool, tally: _Tally) -> Root:
    text = part.json.text[part.start : part.end]
    line, _ = part.json.place(part.start)
    root = Root(index, line, None, text, time=part.time, direction=part.direction)
    if isinstance(part.found, JsonError):
        return replace(root, findings=(tally.of_error(part, input, index),))
    printed = tuple(_note(part.json, sign, input, index) for sign in part.signs)
    cursor = Cursor(part.derived or part.json, part.found, input=input, frame=index)
    inner = _unwrapped(cursor) if unwrap and cursor.is_string else None
    if part.holder is not None:
        cursor.base = Cursor(part.json, part.holder, input=input, frame=index)
    if inner is not None:
        message = "The text is encoded once more, as a JSON string. What the string holds was read."
        printed = (*printed, Note("frame-double-encoded", message, cursor.location))
    cursor = inner or cursor
    notes, findings = tally.of_value(cursor)
    return replace(
        root, cursor=cursor, notes=(*printed, *notes), findings=(*map(_finding, printed), *findings)
    )


def _note(json: JsonText, sign: Sign, input: str, frame: int = 0) -> Note:
    return Note(sign.code, sign.message, _range(json, sign.start, sign.end, input, frame), sign.lossy)


def _unwrapped(string: Cursor) -> Cursor | None:
    """Return the object or array that a JSON string holds."""
    text = string.string or ""
    if not text.lstrip(" \t\n\r").startswith(("{", "[")):
        return None
    inner = JsonText(text)
    try:
        node, behind = inner.scan()
    except JsonError:
        return None
    if behind < len(text):
        return None
    return Cursor(inner, node, input=string.input, frame=string.frame, base=string)


def _at_frame(base: Cursor | None, frame: int) -> Cursor | None:
    if base is None:
        return None
    return Cursor(base.json, base.node, input=base.input, frame=frame, base=_at_frame(base.base, frame))


class _Tally:
    """Makes the findings of one document and keeps their number sensible.

    Once limits.FINDINGS are made, each root still gets the first of each code.
    """

    def __init__(self) -> None:
        self.room = limits.FINDINGS + 1
        self.dropped = 0

    def of_error(self, part: Part, input: str, frame: int) -> Finding:
        assert isinstance(part.found, JsonError)
        error = part.found
        text = part.json.text
        word = _WORD.match(text, error.offset, part.end)
        stop = word.end() if word is not None else error.offset + (error.offset < part.end)
        at = _range(part.json, error.offset, stop, input, frame)
        return Finding(error.code, SEVERITIES[error.code], error.message, at, source=SOURCES.get(error.code))

    def of_value(self, root: Cursor) -> tuple[tuple[Note, ...], tuple[Finding, ...]]:
        """Return the deviations inside a value, in the order of the text."""
        json = root.json
        if not (json.nans or json.duplicates or json.surrogates):
            return (), ()
        stop = json.skip[root.node]
        nans = self._some(json.nans, root.node, stop)
        pairs = json.duplicates
        first = dict(pairs[bisect_left(pairs, (root.node, -1)) : bisect_left(pairs, (stop, -1))])
        duplicates = self._some(list(first), root.node, stop)
        surrogates = self._some(json.surrogates, root.node, stop)
        notes: list[Note] = []
        findings: list[Finding] = []
        for at in root.find(sorted({*nans, *duplicates, *surrogates})):
            if at.node in duplicates:
                note = _duplicate(at, first[at.node])
                notes.append(note)
                findings.append(replace(_finding(note), key=at.key))
            if at.node in nans:
                note = Note(
                    "json-nan", f"{at.text} is no JSON number. Send null or a text.", at.location, lossy=True
                )
                notes.append(note)
                findings.append(_finding(note))
            if at.node in surrogates:
                findings.append(_surrogate(at))
        return tuple(notes), tuple(findings)

    def _some(self, nodes: list[int], start: int, stop: int) -> set[int]:
        """Return those of the ascending nodes that lie in a range, as far as there is room."""
        inside = nodes[bisect_left(nodes, start) : bisect_left(nodes, stop)]
        kept = inside[: max(1, self.room)]
        self.room -= len(kept)
        self.dropped += len(inside) - len(kept)
        return set(kept)


_WORD: Final = re.compile(r"[\w.+-]+")


def _duplicate(at: Cursor, first: int) -> Note:
    json = at.json
    line, _ = json.place(json.key_start[first])
    key = clip(json.text[json.key_start[at.node] : json.key_end[at.node]])
    message = (
        f"The key {key} stands twice in one object, first on line {line}. Parsers differ: keep one of them."
    )
    return Note("json-duplicate-key", message, at.key_location)


def _surrogate(at: Cursor) -> Finding:
    in_key = at.key is not None and not is_unicode(at.key)
    what, where = ("key", at.key_location) if in_key else ("text", at.location)
    message = f"The {what} holds half of a surrogate pair, which is no character. Send the whole pair."
    code = "lone-surrogate"
    return Finding(code, SEVERITIES[code], message, where, source=SOURCES[code])


def _finding(note: Note) -> Finding:
    severity = Severity.ERROR if note.lossy else SEVERITIES[note.code]
    return Finding(note.code, severity, note.message, note.at, source=SOURCES.get(note.code))


def _range(json: JsonText, start: int, end: int, input: str, frame: int = 0) -> Location:
    line, column = json.place(start)
    end_line, end_column = json.place(end)
    return Location(input, frame, line=line, column=column, end_line=end_line, end_column=end_column)
