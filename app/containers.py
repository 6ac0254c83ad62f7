"""Where the JSON texts of a paste stand: alone, below each other, in fences, streams and logs.

Each container is a function that takes a range of a text and gives what it holds,
or None if the range is no such container. Strict JSON is tried first, then what
programs print (`literal`, `proto_text`); a container says what it did not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from app import limits, literal, proto_text
from app.derived import Sign, Writer
from app.json_text import JsonError, JsonText, Kind, clip


@dataclass(frozen=True, slots=True)
class Part:
    """A JSON text found between two offsets, as a node, or why there is none.

    `derived` holds the node where the text itself does not; `holder` is then the
    string in the text that it was read out of, if it was. `time` (in seconds) and
    `direction` are what a log or a HAR file says of it.
    """

    start: int
    end: int
    json: JsonText
    found: int | JsonError
    derived: JsonText | None = None
    holder: int | None = None
    signs: tuple[Sign, ...] = ()
    time: float | None = None
    direction: str | None = None


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
class Held:
    """What a range holds. `container` as in `paste.Document`."""

    container: str | None
    parts: list[Part]
    signs: list[Sign] = field(default_factory=list)


_Container = Callable[[JsonText, int, int, bool], "Held | None"]
_LINE: Final = re.compile(r"[^\r\n]++")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_SPACE: Final = re.compile(r"\s*+")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")
_FENCED_JSON: Final = re.compile(r"(?:|[a-z]*json\w*|te?xt|plain\w*)", re.IGNORECASE)
_SSE_FIELD: Final = re.compile(r"(data|event|id|retry)?(?:: ?|$)")


def read(
    json: JsonText, start: int, stop: int, tolerant: bool, containers: tuple[_Container, ...] | None = None
) -> Held:
    """Read JSON texts, else the first container that fits; if nothing does, the error of the first.

    `tolerant` reads what programs print, too; without it only JSON counts.
    """
    mark = len(json.kind)
    try:
        parts = list(_texts(json, start, stop, tolerant))
    except JsonError as error:
        json.forget(mark)
        # Nothing else makes a text smaller.
        for container in (containers or CONTAINERS) if error.code != "too-large" else ():
            held = container(json, start, stop, tolerant)
            if held is not None:
                return held
        return Held(None, [_unread(json, start, stop, error)])
    if len(parts) == 1:
        return Held(None, parts)
    return Held("json-lines", parts, [_lines_sign(parts)])


def _unread(json: JsonText, start: int, stop: int, error: JsonError) -> Part:
    start = _space(json.text, start, stop)
    end = start + len(json.text[start:stop].rstrip())
    # A traceback would keep the frames of the reader alive for every line.
    return Part(start, end, json, error.with_traceback(None))


def _texts(json: JsonText, start: int, stop: int, tolerant: bool) -> Iterator[Part]:
    """Read JSON texts that are parted by line breaks."""
    pos = start
    while True:
        part, behind = _value(json, pos, stop, tolerant)
        end = part.end
        if tolerant and behind < stop:
            follows = literal.tail(json.text, end, stop)
            if follows > behind:
                part = replace(part, signs=(*part.signs, literal.comment(behind, follows)))
                behind = follows
        yield part
        if behind >= stop:
            return
        if not any(char in "\r\n" for char in json.text[end:behind]):
            raise _behind_text(json.text, behind)
        pos = behind


_FAMILIAR: Final = ('"', "{", "}", "[", "]", ":")
"""Where the strict reader stops at one of these, the tolerant one would stop too: it takes no less."""


def _value(json: JsonText, start: int, stop: int, tolerant: bool) -> tuple[Part, int]:
    """Read one value, and return it with the offset behind it and its white space. Raises JsonError."""
    try:
        node, behind = json.scan(start, stop)
    except JsonError as error:
        if (
            not tolerant
            or error.cut
            or error.code == "too-large"
            or json.text.startswith(_FAMILIAR, error.offset, stop)
        ):
            raise
        return _printed(json, start, stop, error)
    return Part(json.start[node], json.end[node], json, node), behind


def _printed(json: JsonText, start: int, stop: int, strict: JsonError) -> tuple[Part, int]:
    """Read one value as programs print it. Raises the error of the reader that came further."""
    try:
        reading = literal.read(json, start, stop)
    except JsonError as error:
        raise (error if error.offset > strict.offset else strict) from None
    part = Part(reading.start, reading.end, json, reading.node, reading.json, signs=reading.signs)
    return part, _space(json.text, reading.end, stop)


def _behind_text(text: str, offset: int) -> JsonError:
    """Say what stands behind a JSON text on the same line."""
    char = text[offset]
    if char in '{["':
        return JsonError("A second JSON text on the same line. Put each on a line of its own.", offset)
    if char in "}]":
        return JsonError(f"A closing {char} that nothing opened. Remove it.", offset)
    if char == ",":
        return JsonError("A comma behind the JSON text. Remove it, or put all of it into [ ].", offset)
    what = "Something" if char.isprintable() else f"U+{ord(char):04X}"
    return JsonError(f"{what} stands behind the end of the JSON text. Remove it.", offset)


def _lines_sign(parts: list[Part]) -> Sign:
    bad = sum(isinstance(part.found, JsonError) for part in parts)
    message = f"{len(parts) - bad} JSON texts, each on lines of its own; each was read as its own text."
    if bad:
        message = f"JSON Lines: {len(parts) - bad} lines were read, {bad} could not be."
    return Sign("json-lines", message, parts[0].start, parts[0].end)


def _json_lines(json: JsonText, start: int, stop: int, tolerant: bool) -> Held | None:
    """Read JSON Lines of which some are broken.

    A broken text over several lines must not be taken for that. So all lines
    begin in the same column, at least one is a whole object or array, and no
    line is a piece of what the first one leaves open. Nor are lines JSON Lines
    whose broken ones outnumber the others by more than limits.FINDINGS.
    """
    mark = len(json.kind)
    parts: list[Part] = []
    whole = open_text = False
    broken = 0
    indent: int | None = None
    for line in _lines(json.text, start, stop):
        part = _json_line(json, line, tolerant)
        indent = line.start - line.begin if indent is None else indent
        piece = indent != line.start - line.begin
        if isinstance(part.found, JsonError):
            broken += 1
            piece = (
                piece or 2 * broken > len(parts) + limits.FINDINGS or _is_piece(json.text, part, open_text)
            )
            open_text = open_text or (not parts and part.found.cut)
        elif (part.derived or json).kind[part.found] <= Kind.ARRAY:
            whole = True
        parts.append(part)
        if piece:
            break
    else:
        if whole and len(parts) > 1:
            return Held("json-lines", parts, [_lines_sign(parts)])
    json.forget(mark)
    return None


def _json_line(json: JsonText, line: _Line, tolerant: bool) -> Part:
    mark = len(json.kind)
    try:
        part, behind = _value(json, line.start, line.end, tolerant)
        if tolerant and behind < line.end:
            behind = literal.tail(json.text, behind, line.end)
        if behind == line.end:
            return part
        raise _behind_text(json.text, behind)
    except JsonError as error:
        json.forget(mark)
        return _unread(json, line.start, line.end, error)


def _is_piece(text: str, part: Part, open_text: bool) -> bool:
    """Whether a broken line looks like a piece of a larger text, which may have been opened before."""
    assert isinstance(part.found, JsonError)
    at = part.found.offset
    if open_text:
        return text[part.start] not in '{["' or (at < part.end and text[at] in "}],:")
    only_opens = not text[part.start : part.end].strip("[{ \t")
    return only_opens or (at < part.end and text[at] == ",")


def _fences(json: JsonText, start: int, stop: int, tolerant: bool) -> Held | None:
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
    parts: list[Part] = []
    signs: list[Sign] = []
    filled = [block for block in chosen if _space(text, block.start, block.end) < block.end]
    for block in filled or chosen[:1]:
        reading = read(json, block.start, block.end, tolerant, (_sse, _protobuf, _log, _json_lines))
        parts.extend(reading.parts)
        signs.extend(reading.signs)
    fences = "a markdown fence" if len(chosen) == 1 else f"{len(chosen)} markdown fences"
    message = f"Read out of {fences}{', the last one not closed' if opened is not None else ''}."
    if around:
        message += f" Not read: what stands around, on line {_numbers(json, around)}."
    if len(chosen) < len(blocks):
        others = [block.line.start for block in blocks if not _FENCED_JSON.fullmatch(block.label)]
        message += f" Not read: other code, on line {_numbers(json, others)}."
    return Held(
        "fence", parts, [Sign("code-fence", message, blocks[0].line.start, blocks[0].line.end), *signs]
    )


def _sse(json: JsonText, start: int, stop: int, tolerant: bool) -> Held | None:
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
    strangers: list[Part] = []
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
            strangers.append(Part(line.start, line.end, json, JsonError(message, line.start)))
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
    parts = [part for event in events for part in read(blanked, *event, tolerant, (_log, _json_lines)).parts]
    parts = sorted(parts + strangers, key=lambda part: part.start)
    if not parts and done:
        parts = [_done(json, start, stop)]
    elif not parts:
        parts = [_unread(json, start, stop, JsonError("The stream holds no data.", first.start))]
    message = f"Read out of a stream of server-sent events, {len(events)} with data."
    if done:
        message += " [DONE] ends the stream and holds no JSON."
    return Held("sse", parts, [Sign("sse-wrapped", message, first.start, first.end)])


def _protobuf(json: JsonText, start: int, stop: int, tolerant: bool) -> Held | None:
    """Read a message in protobuf text format."""
    try:
        reading = proto_text.read(json, start, stop) if tolerant else None
    except JsonError:
        return None
    if reading is None:
        return None
    part = Part(reading.start, reading.end, json, reading.node, reading.json, signs=reading.signs)
    return Held(None, [part])


# Logs: what stands before a frame on its line is a prefix.

_MAYBE_LOG: Final = re.compile(r'^[ \t]*+(?!\[\s*+[{\["])[^\s{}"][^{}"\r\n]*+[{"(]', re.MULTILINE)
_FRAME: Final = re.compile(r'[{}]|\[["\[]|"[\w$]*+":|[A-Z]\w*+\([^\W\d]\w*+=')
"""What looks like a piece of a frame; a line without any is prose."""
_OPENING: Final = re.compile(
    r"""[bB]?['"](?=\s?[{\[])|[{\[]|(?<!\w)[A-Z]\w*+(?:(?:\.|::)\w++)*+(?=\(|\ ?\{\s*+\w++:)"""
)
_FIELDS: Final = re.compile(r"""(?<![\w.])[a-z_]\w*+=(?=['"\[{<\w])""")
_QUOTED: Final = ("'", '"', "b", "B")
_OPENINGS: Final = 6
"""Places of a line at which a frame is looked for."""
_NO_PREFIX: Final = re.compile(r"""[{}"\0\ufffd\ud800-\udfff]|=['"]""")
"""What stands in no prefix: the beginning of a value, and what is left of broken bytes."""
_TIME: Final = re.compile(
    r"(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d):(\d\d):(\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?"
)
_SECONDS: Final = re.compile(r"[\s\[(+]*(\d{1,10}\.\d{1,6})(?=[\s\])s:])")
_SENT: Final = re.compile(
    r">>|->|=>|\u2192|\u2191|\b(?:send(?:ing)?|sent|client|outgoing|out)\b", re.IGNORECASE
)
_RECEIVED: Final = re.compile(
    r"<<|<-|<=|\u2190|\u2193|\b(?:recv|receiv(?:e|ed|ing)|server|incoming|in)\b", re.IGNORECASE
)


def _log(json: JsonText, start: int, stop: int, tolerant: bool) -> Held | None:
    """Read the frames of a log: each behind a prefix on its line, and perhaps over several lines.

    A line that holds nothing like a frame is prose and is named in the note. A
    line that begins with a closing bracket belongs to a broken text, which is
    no log; nor is a text whose broken lines outnumber the others by more than
    limits.FINDINGS.
    """
    if not tolerant or _MAYBE_LOG.search(json.text, start, stop) is None:
        return None
    mark = len(json.kind)
    text = json.text
    fuel = 2 * (stop - start)  # characters that may be read in vain beyond a line
    parts: list[Part] = []
    prose: list[int] = []
    prefixes: list[tuple[int, int]] = []
    indent: int | None = None
    broken = 0
    behind = start
    for line in _lines(text, start, stop):
        if line.start < behind:
            continue
        indent = line.start - line.begin if indent is None else indent
        part = _json_line(json, line, tolerant)
        if isinstance(part.found, JsonError):
            prefixed, burnt = None, 0
            if line.start - line.begin == indent:
                prefixed, burnt = _behind_prefix(json, line, stop if fuel > 0 else line.end)
                fuel -= burnt
            if prefixed is not None:
                prefixes.append((line.start, prefixed.start))
                parts.append(prefixed)
                behind = prefixed.end
                continue
            if _FRAME.search(text, line.start, line.end) is None and text[line.start] not in "}])":
                prose.append(line.start)
                continue
            broken += 1
            if text[line.start] in "}])" or 2 * broken > len(parts) + limits.FINDINGS:
                prefixes = []
                break
        parts.append(part)
    if not prefixes:
        json.forget(mark)
        return None
    first, end = prefixes[0]
    lines = "1 line" if len(prefixes) == 1 else f"{len(prefixes)} lines"
    message = f"Read behind a prefix on {lines}, the first is {clip(text[first:end].strip())} here."
    if prose:
        message += f" Not read: lines without a frame, on line {_numbers(json, prose)}."
    return Held("log", parts, [Sign("log-prefix", message, first, end)])


def _behind_prefix(json: JsonText, line: _Line, stop: int) -> tuple[Part | None, int]:
    """Return what a line holds behind its prefix up to its end, and how many characters were read in vain."""
    text = json.text
    mark = len(json.kind)
    burnt = 0
    for opening in _openings(text, line):
        try:
            part, _ = _value(json, opening, line.end, True)
        except JsonError as error:
            if not error.cut or stop == line.end or text.startswith(_QUOTED, opening):
                continue
            try:
                part, _ = _value(json, opening, stop, True)
            except JsonError as further:
                burnt += further.offset - opening
                continue
        ends = _LINE_END.search(text, part.end, stop)
        end = ends.start() if ends is not None else stop
        if literal.tail(text, part.end, end) == end and not _is_array(json, line.start, opening):
            prefix = text[line.start : opening]
            return replace(part, time=_time(prefix), direction=_direction(prefix)), burnt
        json.forget(mark)
    return None, burnt


def _is_array(json: JsonText, start: int, stop: int) -> bool:
    """Whether a prefix is itself JSON. One number in brackets may be that of a process."""
    if not json.text.startswith("[", start):
        return False
    try:
        node, behind = json.scan(start, stop)
    except JsonError:
        return False
    children = [json.kind[child] for child in json.children(node)]
    json.forget(node)
    return behind == stop and children != [Kind.NUMBER]


def _openings(text: str, line: _Line) -> Iterator[int]:
    """Yield the first places of a line at which a frame may begin behind a prefix."""
    for pattern in (_OPENING, _FIELDS):
        for opening in islice(pattern.finditer(text, line.start, line.end), _OPENINGS):
            at = opening.start()
            if _NO_PREFIX.search(text, line.start, at):
                break
            if at > line.start:
                yield at


def _time(prefix: str) -> float | None:
    """Return the time of a prefix in seconds: since 1970, since midnight, or as it counts them."""
    found = _TIME.search(prefix)
    if found is None:
        counted = _SECONDS.match(prefix)
        return float(counted[1]) if counted is not None else None
    day, hours, minutes, seconds, zone = found.groups()
    clock = int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    if day is None:
        return clock
    try:
        since = datetime.fromisoformat(f"{day}T00:00:00{zone or 'Z'}").timestamp()
    except ValueError:
        return None
    return since + clock


def _direction(prefix: str) -> str | None:
    """Return who sent what stands behind a prefix, where only one of the two words is in it."""
    sent, received = _SENT.search(prefix), _RECEIVED.search(prefix)
    if (sent is None) is (received is None):
        return None
    return "client" if sent is not None else "server"


CONTAINERS: Final[tuple[_Container, ...]] = (_fences, _sse, _protobuf, _log, _json_lines)
"""In the order in which they are tried. A new format is a function here."""


def _done(json: JsonText, start: int, stop: int) -> Part:
    """Return the end of a stream that holds nothing else, as the string [DONE]."""
    at = json.text.index("[DONE]", start, stop)
    writer = Writer()
    writer.token('"[DONE]"', at, at + 6)
    reading = writer.reading(json, at, at + 6, [])
    return Part(at, at + 6, json, reading.node, reading.json)


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
