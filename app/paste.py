"""What people paste, read into JSON texts with places and notes.

A paste is one JSON text, several of them, or JSON inside a container: a
markdown fence, an SSE stream, JSON Lines with broken lines. Nothing is guessed
and nothing is dropped in silence: what was read through is a note, what could
not be read is a finding. Which dialect a text speaks is not asked here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from app import limits
from app.cursor import Cursor
from app.json_text import JsonError, JsonText, Kind, clip, is_unicode
from app.model import Finding, Location, Note, Severity

_JSON: Final = "https://www.rfc-editor.org/rfc/rfc8259"
SEVERITIES: Final = {
    "code-fence": Severity.INFO,
    "frame-double-encoded": Severity.INFO,
    "json-bom": Severity.INFO,
    "json-duplicate-key": Severity.ERROR,
    "json-invalid": Severity.ERROR,
    "json-lines": Severity.INFO,
    "json-nan": Severity.ERROR,
    "lone-surrogate": Severity.WARNING,
    "sse-wrapped": Severity.INFO,
    "too-deep": Severity.ERROR,
    "too-large": Severity.ERROR,
}
SOURCES: Final = {
    "code-fence": "https://spec.commonmark.org/0.31.2/#fenced-code-blocks",
    "json-bom": f"{_JSON}#section-8.1",
    "json-duplicate-key": f"{_JSON}#section-4",
    "json-invalid": f"{_JSON}#section-2",
    "json-lines": "https://jsonlines.org/",
    "json-nan": f"{_JSON}#section-6",
    "lone-surrogate": f"{_JSON}#section-8.2",
    "sse-wrapped": "https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream",
}


CARRIED: Final = 4
"""Braces at which an object carried by a line of text is looked for."""

_VISIBLE: Final = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Root:
    """One JSON text of the paste, or a place where there should have been one.

    `cursor` is None where it could not be read; `findings` then says why. `text`
    is what was pasted there. For a text that was encoded as a JSON string,
    `cursor` is what the string holds and `cursor.base` the string.
    """

    index: int
    line: int
    cursor: Cursor | None
    text: str
    notes: tuple[Note, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What was read of one paste.

    `notes` and `findings` are those of the paste as a whole, each root has its
    own; every note is a finding too. `documents` counts the JSON texts that
    were read. `container` is `json-lines`, `sse`, `fence` or None. `dropped`
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


def read(text: str, *, input: str = "text") -> Document:
    """Read a paste of frames; a frame that was encoded as a JSON string is unwrapped once."""
    return _document(text, input, unwrap=True)


def read_payload(text: str, *, input: str = "payload") -> Document:
    """Read a paste whose values are taken as they are: a string stays a string."""
    return _document(text, input, unwrap=False)


def split_array(document: Document) -> Document:
    """Make each item of the only root, an array, a root of its own.

    Pointers then begin at the item. Any other document, and an array without
    items, comes back as it is.
    """
    cursor = document.roots[0].cursor if len(document.roots) == 1 else None
    if cursor is None or not cursor.is_array or not len(cursor):
        return document
    tally = _Tally()
    roots = []
    for index, item in enumerate(cursor):
        base = _at_frame(cursor.base, index)
        at = Cursor(item.json, item.node, input=item.input, frame=index, base=base)
        notes, findings = tally.of_value(at)
        roots.append(Root(index, at.line, at, at.text, notes, findings))
    wrapper = [note for note in document.roots[0].notes if note.code == "frame-double-encoded"]
    return replace(
        document,
        roots=tuple(roots),
        notes=(*document.notes, *wrapper),
        findings=(*document.findings, *map(_finding, wrapper)),
        dropped=tally.dropped,
    )


def format_text(document: Document, indent: int = 2) -> str | None:
    """Lay out each JSON text anew, one below the other; None if nothing could be read.

    Take a document of `read_payload`, so that a JSON string stays as it was
    pasted. Only white space between tokens changes. A line of JSON Lines that
    could not be read stays as it is. `indent` 0 gives one line for each text.
    """
    if document.blank:
        return ""
    if not document.roots:
        return None
    return "\n".join(
        root.text if root.cursor is None else root.cursor.json.layout(root.cursor.node, indent)
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


# Containers: each takes a range of a text and gives what it holds, or None if the range is no such container.


class _Part(NamedTuple):
    """A JSON text found between two offsets, as a node, or why there is none."""

    start: int
    end: int
    json: JsonText
    found: int | JsonError


class _Sign(NamedTuple):
    """A note whose place is still a pair of offsets."""

    code: str
    message: str
    start: int
    end: int


class _Fenced(NamedTuple):
    """What stands in one fence, and the line that opens it."""

    label: str
    start: int
    end: int
    line: _Line


class _Line(NamedTuple):
    """Offsets of a line: where it begins, its text without white space around, where it ends."""

    begin: int
    start: int
    end: int
    behind: int


@dataclass(frozen=True, slots=True)
class _Reading:
    container: str | None
    parts: list[_Part]
    signs: list[_Sign] = field(default_factory=list)


_Container = Callable[[JsonText, int, int], "_Reading | None"]
_LINE: Final = re.compile(r"[^\r\n]++")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_SPACE: Final = re.compile(r"\s*+")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")
_FENCED_JSON: Final = re.compile(r"(?:|[a-z]*json\w*|te?xt|plain\w*)", re.IGNORECASE)
_SSE_FIELD: Final = re.compile(r"(data|event|id|retry)?(?:: ?|$)")


def _read(json: JsonText, start: int, stop: int, containers: tuple[_Container, ...]) -> _Reading:
    """Read JSON texts, else the first container that fits; if nothing does, the error of the first."""
    mark = len(json.kind)
    try:
        parts = list(_texts(json, start, stop))
    except JsonError as error:
        json.forget(mark)
        # Nothing else makes a text smaller.
        for container in containers if error.code != "too-large" else ():
            reading = container(json, start, stop)
            if reading is not None:
                return reading
        return _Reading(None, [_unread(json, start, stop, error)])
    if len(parts) == 1:
        return _Reading(None, parts)
    return _Reading("json-lines", parts, [_lines_sign(parts)])


def _unread(json: JsonText, start: int, stop: int, error: JsonError) -> _Part:
    start = _space(json.text, start, stop)
    end = start + len(json.text[start:stop].rstrip())
    # A traceback would keep the frames of the reader alive for every line.
    return _Part(start, end, json, error.with_traceback(None))


def _texts(json: JsonText, start: int, stop: int) -> Iterator[_Part]:
    """Read JSON texts that are parted by line breaks."""
    pos = start
    while True:
        node, behind = json.scan(pos, stop)
        end = json.end[node]
        yield _Part(json.start[node], end, json, node)
        if behind >= stop:
            return
        if not any(char in "\r\n" for char in json.text[end:behind]):
            raise _behind_text(json.text, behind)
        pos = behind


def _behind_text(text: str, offset: int) -> JsonError:
    """Say what stands behind a JSON text on the same line."""
    char = text[offset]
    if char in '{["':
        return JsonError("A second JSON text on the same line. Put each on a line of its own.", offset)
    if char in "}]":
        return JsonError(f"A closing {char} that nothing opened. Remove it.", offset)
    if char == ",":
        return JsonError("A comma behind the JSON text. Remove it, or put all of it into [ ].", offset)
    return JsonError("Something stands behind the end of the JSON text. Remove it.", offset)


def _lines_sign(parts: list[_Part]) -> _Sign:
    bad = sum(isinstance(part.found, JsonError) for part in parts)
    message = f"{len(parts) - bad} JSON texts, each on lines of its own; each was read as its own text."
    if bad:
        message = f"JSON Lines: {len(parts) - bad} lines were read, {bad} could not be."
    return _Sign("json-lines", message, parts[0].start, parts[0].end)


def _json_lines(json: JsonText, start: int, stop: int) -> _Reading | None:
    """Read JSON Lines of which some are broken.

    A broken text over several lines must not be taken for that. So all lines
    begin in the same column, at least one is a whole object or array, and no
    line is a piece of what the first one leaves open. Nor are lines JSON Lines
    whose broken ones outnumber the others by more than limits.FINDINGS.
    """
    mark = len(json.kind)
    parts: list[_Part] = []
    whole = open_text = False
    broken = 0
    indent: int | None = None
    for line in _lines(json.text, start, stop):
        part = _json_line(json, line)
        indent = line.start - line.begin if indent is None else indent
        piece = indent != line.start - line.begin
        if isinstance(part.found, JsonError):
            broken += 1
            piece = (
                piece or 2 * broken > len(parts) + limits.FINDINGS or _is_piece(json.text, part, open_text)
            )
            open_text = open_text or (not parts and part.found.cut)
        elif json.kind[part.found] <= Kind.ARRAY:
            whole = True
        parts.append(part)
        if piece:
            break
    else:
        if whole and len(parts) > 1:
            return _Reading("json-lines", parts, [_lines_sign(parts)])
    json.forget(mark)
    return None


def _json_line(json: JsonText, line: _Line) -> _Part:
    try:
        node, behind = json.scan(line.start, line.end)
        if behind == line.end:
            return _Part(line.start, line.end, json, node)
        json.forget(node)
        raise _behind_text(json.text, behind)
    except JsonError as error:
        return _unread(json, line.start, line.end, error)


def _is_piece(text: str, part: _Part, open_text: bool) -> bool:
    """Whether a broken line looks like a piece of a larger text, which may have been opened before."""
    assert isinstance(part.found, JsonError)
    at = part.found.offset
    if open_text:
        return text[part.start] not in '{["' or (at < part.end and text[at] in "}],:")
    only_opens = not text[part.start : part.end].strip("[{ \t")
    return only_opens or (at < part.end and text[at] == ",")


def _fences(json: JsonText, start: int, stop: int) -> _Reading | None:
    """Read what stands in markdown fences; what stands around them is named in the note."""
    text = json.text
    if text.startswith(("{", "["), _space(text, start, stop)) or not ("```" in text or "~~~" in text):
        return None
    blocks: list[_Fenced] = []
    around: list[int] = []  # offsets of lines that are in no fence
    opened: tuple[str, str, int, _Line] | None = None  # the fence, its label, where its content begins
    for line in _lines(text, start, stop):
        mark = _FENCE.fullmatch(text, line.start, line.end)
        if opened is None:
            if mark is None:
                around.append(line.start)
            else:
                opened = (mark[1], mark[2], line.behind, line)
        elif mark is not None and mark[1].startswith(opened[0]) and not mark[2]:
            blocks.append(_Fenced(opened[1], opened[2], line.begin, opened[3]))
            opened = None
    if opened is not None:
        blocks.append(_Fenced(opened[1], opened[2], stop, opened[3]))
    if not blocks:
        return None
    chosen = [block for block in blocks if _FENCED_JSON.fullmatch(block.label)] or blocks
    parts: list[_Part] = []
    signs: list[_Sign] = []
    filled = [block for block in chosen if _space(text, block.start, block.end) < block.end]
    for block in filled or chosen[:1]:
        reading = _read(json, block.start, block.end, (_sse, _json_lines))
        parts.extend(reading.parts)
        signs.extend(reading.signs)
    fences = "a markdown fence" if len(chosen) == 1 else f"{len(chosen)} markdown fences"
    message = f"Read out of {fences}{', the last one not closed' if opened is not None else ''}."
    if around:
        message += f" Not read: what stands around, on line {_numbers(json, around)}."
    if len(chosen) < len(blocks):
        others = [block.line.start for block in blocks if not _FENCED_JSON.fullmatch(block.label)]
        message += f" Not read: other code, on line {_numbers(json, others)}."
    return _Reading(
        "fence", parts, [_Sign("code-fence", message, blocks[0].line.start, blocks[0].line.end), *signs]
    )


def _sse(json: JsonText, start: int, stop: int) -> _Reading | None:
    """Read the data of a stream of server-sent events.

    What is no data is blanked out, so an event of several data lines is one
    range and every place stays that of the paste.
    """
    text = json.text
    first = next(_lines(text, start, stop), None)
    if first is None or _SSE_FIELD.match(text, first.start, first.end) is None or "data" not in text:
        return None
    pieces: list[str] = []
    kept = 0  # the text up to here is in `pieces`
    events: list[tuple[int, int]] = []
    strangers: list[_Part] = []
    behind = start  # where the last line ended
    fresh = True  # whether the next data line begins an event
    done = 0
    for line in _lines(text, start, stop):
        # More than one line break since the last line: an empty line, which ends an event.
        fresh = fresh or len(_LINE_END.findall(text, behind, line.begin)) > 1
        behind = line.behind
        field = _SSE_FIELD.match(text, line.start, line.end)
        if field is None:
            message = "This line is none of the stream: it begins with no data:, event:, id: or retry:."
            strangers.append(_Part(line.start, line.end, json, JsonError(message, line.start)))
        if field is None or field[1] != "data" or field.end() >= line.end:
            content = line.end
        elif text[field.end() : line.end].strip() == "[DONE]":
            content = line.end
            done += 1
        else:
            content = field.end()
            if fresh:
                events.append((line.begin, line.end))
            else:
                events[-1] = (events[-1][0], line.end)
            fresh = False
        pieces += (text[kept : line.begin], " " * (content - line.begin))
        kept = content
    blanked = JsonText("".join((*pieces, text[kept:])))
    parts = [part for event in events for part in _read(blanked, *event, (_json_lines,)).parts]
    parts = sorted(parts + strangers, key=lambda part: part.start)
    if not parts and not done:
        parts = [_unread(json, start, stop, JsonError("The stream holds no data.", first.start))]
    message = f"Read out of a stream of server-sent events, {len(events)} with data."
    if done:
        message += " [DONE] ends the stream and holds no JSON."
    return _Reading("sse", parts, [_Sign("sse-wrapped", message, first.start, first.end)])


_CONTAINERS: Final[tuple[_Container, ...]] = (_fences, _sse, _json_lines)
"""In the order in which they are tried. A new format is a function here."""


def _space(text: str, start: int, stop: int) -> int:
    """Return the first offset that holds no white space."""
    return _SPACE.match(text, start, stop).end()  # type: ignore[union-attr]  # matches the empty string


def _lines(text: str, start: int, stop: int) -> Iterator[_Line]:
    """Yield the lines of a range that hold more than white space."""
    for match in _LINE.finditer(text, start, stop):
        line = match[0]
        content = line.strip(" \t")
        if content:
            at = match.start() + (len(line) - len(line.lstrip(" \t")))
            yield _Line(match.start(), at, at + len(content), match.end())


def _numbers(json: JsonText, offsets: list[int]) -> str:
    """Name the lines of some offsets."""
    lines = ", ".join(str(json.place(offset)[0]) for offset in offsets[:5])
    return lines + (f" and {len(offsets) - 5} more" if len(offsets) > 5 else "")


# From parts to roots.


def _document(text: str, input: str, *, unwrap: bool) -> Document:
    empty = Document(text, input)
    if empty.blank:
        return empty
    json = JsonText(text)
    start = 1 if text.startswith("\ufeff") else 0
    reading = _read(json, start, len(text), _CONTAINERS)
    signs = reading.signs
    if start:
        signs = [
            _Sign("json-bom", "A byte order mark before the text. JSON has none; it was skipped.", 0, 1),
            *signs,
        ]
    notes = tuple(Note(sign.code, sign.message, _range(json, sign.start, sign.end, input)) for sign in signs)
    findings = tuple(map(_finding, notes))
    tally = _Tally()
    if all(isinstance(part.found, JsonError) for part in reading.parts):
        shown = reading.parts[: limits.FINDINGS + 1]
        errors = tuple(tally.of_error(part, input, 0) for part in shown)
        tally.dropped = len(reading.parts) - len(shown)
        return replace(
            empty,
            notes=notes,
            findings=(*findings, *errors),
            container=reading.container,
            dropped=tally.dropped,
        )
    roots = tuple(_root(part, index, input, unwrap, tally) for index, part in enumerate(reading.parts))
    return Document(
        text=text,
        input=input,
        roots=roots,
        documents=sum(root.cursor is not None for root in roots),
        notes=notes,
        findings=findings,
        container=reading.container,
        dropped=tally.dropped,
    )


def _root(part: _Part, index: int, input: str, unwrap: bool, tally: _Tally) -> Root:
    text = part.json.text[part.start : part.end]
    line, _ = part.json.place(part.start)
    if isinstance(part.found, JsonError):
        return Root(index, line, None, text, (), (tally.of_error(part, input, index),))
    cursor = Cursor(part.json, part.found, input=input, frame=index)
    inner = _unwrapped(cursor) if unwrap and cursor.is_string else None
    if inner is None:
        return Root(index, line, cursor, text, *tally.of_value(cursor))
    message = "The text is encoded once more, as a JSON string. What the string holds was read."
    note = Note("frame-double-encoded", message, cursor.location)
    notes, findings = tally.of_value(inner)
    return Root(index, line, inner, text, (note, *notes), (_finding(note), *findings))


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

    def of_error(self, part: _Part, input: str, frame: int) -> Finding:
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
