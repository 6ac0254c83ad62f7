"""Strict RFC 8259 reading that keeps every place and every lexeme.

One pass over the text fills parallel tables (kind, start, end, key span, next
sibling), without recursion. Values are decoded only when somebody asks, so a
number keeps its lexeme and a duplicate key stays visible. Three deviations are
read through and remembered, because a person needs to see the rest of the
frame too: bare `NaN` and infinities, duplicate keys, lone surrogates. The
caller decides what they mean. Anything else is a `JsonError` with an offset.

Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from functools import lru_cache
from json import dumps
from json.decoder import scanstring  # type: ignore[attr-defined]  # C string reader
from json.encoder import encode_basestring, encode_basestring_ascii  # what dumps uses, without its encoder
from typing import Any, Final

from app import limits


class Kind(IntEnum):
    """What a value is. `NAN` is a bare NaN or infinity, which JSON does not have."""

    OBJECT = 0
    ARRAY = 1
    STRING = 2
    NUMBER = 3
    TRUE = 4
    FALSE = 5
    NULL = 6
    NAN = 7


class JsonError(ValueError):
    """The text is no JSON: what was met and where (`offset` in code points).

    `cut` says that the text ends too early: more of it might have been right.
    """

    def __init__(self, message: str, offset: int, code: str = "json-invalid", *, cut: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.code = code
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Number:
    """A number in an editable value: its lexeme and nothing else."""

    lexeme: str


_WS: Final = r"[ \t\n\r]*+"
_CHARS: Final = r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+'
_STRING: Final = f'"{_CHARS}"'
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![0-9A-Za-z_.+-])"
_WORDS: Final = r"(?:true|false|null|NaN|-?Infinity)(?![0-9A-Za-z_])"
_SPACE: Final = re.compile(_WS)
_SCALAR: Final = re.compile(f"()(?:({_STRING})|({_NUMBER})|({_WORDS}))")
# One step of reading: a member, an item, an opening or a closing bracket, with the comma behind it.
# Groups: 1 key, 2 string, 3 number, 4 word, 5 opening bracket, 6 and 7 a closing bracket that something
# may follow, 8 one that nothing may follow, 9 empty: something is wrong here.
_NEXT: Final = rf'{_WS}(?:,{_WS}(?=["\[{{0-9tfnNI-])|(?=[}}\]]))'
_STEP: Final = re.compile(
    rf'(?:"({_CHARS})"{_WS}:{_WS})?(?:(?:({_STRING})|({_NUMBER})|({_WORDS})){_NEXT}|([{{\[]){_WS})'
    rf"|(?:(\}})|(\])){_NEXT}|([}}\]])|()"
)
_AFTER: Final = re.compile(f"{_WS}(?:(,){_WS})?")
# By the first character of a word; plain integers, because this stands in the innermost loop.
_WORD_KIND: Final = {"t": 4, "f": 5, "n": 6, "N": 7, "I": 7, "-": 7}
_WIDE: Final = re.compile("[\U00010000-\U0010ffff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STRING_BODY: Final = re.compile('"' + _CHARS)
_ESCAPE: Final = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)", re.DOTALL)
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")
_INDENTED: Final = 32
_NUMBER_LIKE: Final = re.compile(r"[-+.0-9A-Za-z_]+")


def leading_string(text: str) -> str:
    """Return the JSON string that a text begins with, decoded."""
    value: str = scanstring(text, 1, True)[0]
    return value


class JsonText:
    """A text and the table of the values found in it.

    A node is an index. Its subtree is contiguous: children of `i` begin at
    `i + 1` and each child's next sibling is `skip[child]`.
    """

    __slots__ = (
        "_escapes",
        "_lines",
        "_names",
        "_steps",
        "_surrogates",
        "_wide",
        "duplicates",
        "end",
        "key_end",
        "key_start",
        "keys",
        "kind",
        "nans",
        "skip",
        "start",
        "surrogates",
        "text",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.kind = bytearray()
        self.start = array("i")
        self.end = array("i")
        self.keys: list[str | None] = []
        self.key_start = array("i")
        self.key_end = array("i")
        self.skip = array("i")
        self.duplicates: list[tuple[int, int]] = []
        """Pairs of nodes: a member and the earlier one of the same object with the same key."""
        self.nans: list[int] = []
        self.surrogates: list[int] = []
        """Nodes whose string, or whose key, holds half of a surrogate pair."""
        self._escapes = "\\" in text
        self._surrogates = "\\ud" in text or "\\uD" in text or not is_unicode(text)
        self._steps: dict[int, tuple[array[int], array[int]]] = {}
        self._names: dict[str, str] = {}
        self._lines: array[int] | None = None
        self._wide: array[int] | None = None

    # Reading -----------------------------------------------------------------

    def scan(self, offset: int = 0, stop: int | None = None) -> tuple[int, int]:
        """Read one value that begins at or after `offset`, as if the text ended at `stop`.

        Returns the node and the offset behind the value and its white space.
        Raises JsonError; the table is then as it was before.
        """
        mark = len(self.kind)
        try:
            return self._scan(offset, len(self.text) if stop is None else stop)
        except JsonError:
            self.forget(mark)
            raise

    def _scan(self, offset: int, stop: int) -> tuple[int, int]:
        text = self.text
        pos = _space(text, offset, stop)
        if not text.startswith(("{", "["), pos, stop):
            return self._root_scalar(pos, stop)
        ends, skips = self.end, self.skip
        add_kind, add_start = self.kind.append, self.start.append
        add_end, add_skip = ends.append, skips.append
        add_key, add_key_start, add_key_end = self.keys.append, self.key_start.append, self.key_end.append
        one_of = self._names.setdefault
        root = len(skips)
        behind = root  # the node behind the last one read
        stack: list[tuple[int, dict[str, int] | None]] = []  # open containers, and the keys around each
        keys: dict[str, int] | None = None  # those of the innermost container; None in an array
        escapes, surrogates, node_limit = self._escapes, self._surrogates, limits.nodes_for(len(text))
        for found in _STEP.finditer(text, pos, stop):
            which: int = found.lastindex  # type: ignore[assignment]  # one group always matches
            start, end = found.span(which)
            if which < 6:
                node = behind
                behind += 1
                if behind > node_limit:
                    raise _too_many(start, node_limit)
                key = found[1]
                if keys is not None:
                    if key is None:
                        raise self._why(start, stop, True)
                    add_key_start(found.start())
                    add_key_end(found.end(1) + 1)
                    if escapes and "\\" in key:
                        key = scanstring(text, found.start(1), True)[0]
                    key = one_of(key, key)  # a long session repeats few keys: each is kept once
                    if key in keys:
                        self.duplicates.append((node, keys[key]))
                    else:
                        keys[key] = node
                elif key is None:
                    add_key_start(-1)
                    add_key_end(-1)
                else:
                    raise self._why(found.start(), stop, False)
                add_key(key)
                add_start(start)
                add_end(end)
                add_skip(behind)
                if which == 2:
                    add_kind(2)
                elif which == 3:
                    add_kind(3)
                elif which == 4:
                    kind = _WORD_KIND[text[start]]
                    add_kind(kind)
                    if kind == 7:
                        self.nans.append(node)
                else:
                    if len(stack) >= limits.DEPTH:
                        raise _too_deep(start)
                    stack.append((node, keys))
                    if text[start] == "{":
                        add_kind(0)
                        keys = {}
                    else:
                        add_kind(1)
                        keys = None
                if surrogates:
                    self._note_surrogates(node)
            else:
                if which == 9 or (text[start] == "}") is (keys is None):
                    raise self._why(start, stop, keys is not None)
                container, keys = stack.pop()
                ends[container] = end
                skips[container] = behind
                if not stack:
                    break
                if which == 8:
                    raise self._no_comma(_space(text, end, stop), stop, keys is not None)
        return root, _space(text, end, stop)

    def _root_scalar(self, pos: int, stop: int) -> tuple[int, int]:
        found = _SCALAR.match(self.text, pos, stop)
        node = len(self.kind)
        if found is None:
            raise self._no_value(pos, stop, "a JSON value")
        if node >= limits.NODES:
            raise _too_many(pos, limits.NODES)
        kind = {2: 2, 3: 3}.get(found.lastindex or 0) or _WORD_KIND[self.text[pos]]
        self.kind.append(kind)
        self.start.append(pos)
        self.end.append(found.end())
        self.keys.append(None)
        self.key_start.append(-1)
        self.key_end.append(-1)
        self.skip.append(node + 1)
        if kind == Kind.NAN:
            self.nans.append(node)
        if self._surrogates:
            self._note_surrogates(node)
        return node, _space(self.text, found.end(), stop)

    def _note_surrogates(self, node: int) -> None:
        key = self.keys[node]
        in_value = self.kind[node] == Kind.STRING and _SURROGATE.search(self.string(node))
        if in_value or (key is not None and _SURROGATE.search(key)):
            self.surrogates.append(node)

    # Explaining: what is wrong at the place where a pattern did not match ----

    def _why(self, pos: int, stop: int, in_object: bool) -> JsonError:
        text = self.text
        if text.startswith(("}", "]"), pos, stop):
            before = pos - 1
            while text[before] in " \t\n\r":
                before -= 1
            if text[before] == ",":
                return JsonError("A comma with nothing after it. Remove the comma.", before)
            if text[before] not in "{[":
                return self._no_comma(pos, stop, in_object)
        if in_object:
            key = _STRING_BODY.match(text, pos, stop)
            if key is None:
                return self._unexpected(pos, stop, "a key in double quotes")
            if not text.startswith('"', key.end(), stop):
                return self._bad_string(pos, stop)
            pos = _space(text, key.end() + 1, stop)
            if not text.startswith(":", pos, stop):
                return self._unexpected(pos, stop, "a colon after the key")
            pos = _space(text, pos + 1, stop)
        value = _SCALAR.match(text, pos, stop)
        if value is None:
            return self._no_value(pos, stop, "a value")
        return self._no_comma(_space(text, value.end(), stop), stop, in_object)

    def _no_value(self, pos: int, stop: int, wanted: str) -> JsonError:
        return (
            self._bad_string(pos, stop)
            if self.text.startswith('"', pos, stop)
            else self._unexpected(pos, stop, wanted)
        )

    def _no_comma(self, pos: int, stop: int, in_object: bool) -> JsonError:
        after = _AFTER.match(self.text, pos, stop)
        if after is not None and after.lastindex and self.text.startswith(("}", "]"), after.end(), stop):
            return JsonError("A comma with nothing after it. Remove the comma.", pos)
        if after is not None and after.lastindex:
            return self._unexpected(after.end(), stop, "a key in double quotes" if in_object else "a value")
        return self._unexpected(pos, stop, "a comma or a closing " + ("brace" if in_object else "bracket"))

    def _bad_string(self, pos: int, stop: int) -> JsonError:
        good = _STRING_BODY.match(self.text, pos, stop)
        assert good is not None
        at = good.end()
        char = self.text[at : min(at + 1, stop)]
        if char == "" or (char == "\\" and at + 1 >= stop):
            return JsonError(
                "The text ends inside a string. Close the string, or paste the rest.", pos, cut=True
            )
        if char in "\n\r":
            return JsonError("A line break inside a string. Write it as \\n, or close the string.", at)
        if char == "\\":
            if self.text.startswith("u", at + 1, stop):
                return JsonError("\\u wants four hexadecimal digits.", at)
            return JsonError(f"\\{self.text[at + 1]} is no JSON escape. Write the backslash twice.", at)
        return JsonError(
            f"A raw control character (U+{ord(char):04X}) inside a string. Write it as \\u{ord(char):04x}.",
            at,
        )

    def _unexpected(self, pos: int, stop: int, wanted: str) -> JsonError:
        text = self.text
        if pos >= stop:
            if wanted == "a JSON value":
                return JsonError("Nothing to read: expected a JSON value.", pos)
            while text[pos - 1] in " \t\n\r":
                pos -= 1
            return JsonError(
                f"The text ends where {wanted} is expected. The paste is cut off.", pos, cut=True
            )
        char = text[pos]
        if char in "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb":
            return JsonError(f"A typographic quote ({char}). JSON needs straight double quotes.", pos)
        if char == "'":
            return JsonError("Single quotes. JSON needs double quotes.", pos)
        if text.startswith(("//", "/*"), pos, stop):
            return JsonError("A comment. JSON has none; remove it.", pos)
        if char in "-+.0123456789":
            return self._bad_number(pos, wanted)
        word = _WORD.match(text, pos, stop)
        if word is not None:
            hint = {"True": "true", "False": "false", "None": "null", "undefined": "null"}.get(word[0])
            if hint is not None:
                return JsonError(f"{word[0]} is no JSON. Write {hint}.", pos)
            advice = "" if "quotes" in wanted else " A text needs double quotes."
            return JsonError(f"Expected {wanted}, found {clip(word[0])}.{advice}", pos)
        if char.isspace() or char == "\ufeff":
            return JsonError(f"U+{ord(char):04X} is no white space in JSON. Remove it.", pos)
        string = _STRING_BODY.match(text, pos, stop)
        shown = char if string is None else clip(string[0] + '"')
        return JsonError(f"Expected {wanted}, found {shown}", pos)

    def _bad_number(self, pos: int, wanted: str) -> JsonError:
        lexeme = _NUMBER_LIKE.match(self.text, pos)
        assert lexeme is not None
        shown = clip(lexeme[0])
        if _SCALAR.match(self.text, pos) and "value" not in wanted:
            return JsonError(f"Expected {wanted}, found {shown}.", pos)
        if shown.lstrip("-")[:1] == "0" and shown.lstrip("-")[1:2].isdigit():
            return JsonError(f"{shown} has a leading zero. Remove it, or quote the text.", pos)
        return JsonError(f"{shown} is no JSON number.", pos)

    def forget(self, mark: int) -> None:
        """Take back every node from `mark` on."""
        del self.kind[mark:]
        for table in (self.keys, self.start, self.end, self.key_start, self.key_end, self.skip):
            del table[mark:]
        while self.duplicates and self.duplicates[-1][0] >= mark:
            self.duplicates.pop()
        for nodes in (self.nans, self.surrogates):
            while nodes and nodes[-1] >= mark:
                nodes.pop()

    # Asking ------------------------------------------------------------------

    def lexeme(self, node: int) -> str:
        """Return the value exactly as it was written."""
        return self.text[self.start[node] : self.end[node]]

    def string(self, node: int) -> str:
        """Return the decoded string of a STRING node."""
        return self._decode(self.start[node], self.end[node])

    def key(self, node: int) -> str | None:
        """Return the decoded key of a member, or None for an item or a root."""
        return self.keys[node]

    def _decode(self, start: int, end: int) -> str:
        body = self.text[start + 1 : end - 1]
        if "\\" not in body:
            return body
        value: str = scanstring(self.text, start + 1, True)[0]
        return value

    def children(self, node: int) -> Iterator[int]:
        """Yield the members or items of a container in order."""
        child = node + 1
        stop = self.skip[node]
        skips = self.skip
        while child < stop:
            yield child
            child = skips[child]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset: 1-based, columns in UTF-16 code units."""
        lines, wide = self._places()
        line = bisect_right(lines, offset)
        start = lines[line - 1]
        return line, offset - start + 1 + bisect_left(wide, offset) - bisect_left(wide, start)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a UTF-16 column, the inverse of `place`.

        A place outside the text is moved to the nearest one inside.
        """
        lines, wide = self._places()
        line = min(max(line, 1), len(lines))
        start = lines[line - 1]
        stop = lines[line] if line < len(lines) else len(self.text)
        before = bisect_left(wide, start)
        return bisect_left(
            range(stop),
            column - 1,
            lo=start,
            key=lambda offset: offset - start + bisect_left(wide, offset) - before,
        )

    def _places(self) -> tuple[array[int], array[int]]:
        """Return the offsets at which lines begin, and those of characters of two UTF-16 units."""
        if self._lines is None or self._wide is None:
            self._lines = array("i", [0])
            self._lines.extend(match.end() for match in _LINE_END.finditer(self.text))
            wide = () if self.text.isascii() else _WIDE.finditer(self.text)
            self._wide = array("i", (match.start() for match in wide))
        return self._lines, self._wide

    def through(self, node: int, offset: int) -> int:
        """Return where a character of a decoded string stands in the text, by its offset in the string."""
        steps = self._steps.get(node)
        if steps is None:
            # After each escape: the offset in the decoded string, and that in the text.
            decoded, written = steps = array("i", [0]), array("i", [self.start[node] + 1])
            for escape in _ESCAPE.finditer(self.text, self.start[node] + 1, self.end[node] - 1):
                decoded.append(decoded[-1] + escape.start() - written[-1] + 1)
                written.append(escape.end())
            self._steps[node] = steps
        decoded, written = steps
        step = bisect_right(decoded, offset) - 1
        return written[step] + offset - decoded[step]

    def value(self, node: int) -> Any:
        """Decode a subtree to plain Python values for an engine.

        Integers are exact. A float is given only where it holds the very
        number that was written, else a Decimal. The last of duplicate keys
        wins. NaN and infinities become None; a caller that cares has looked at
        `nans` first.
        """
        return self._build(node, self._number)

    def tree(self, node: int) -> Any:
        """Decode a subtree to an editable value whose numbers are `Number` lexemes."""
        return self._build(node, lambda n: Number(self.lexeme(n)))

    def _build(self, node: int, number: Any) -> Any:
        kinds, skips, keys = self.kind, self.skip, self.keys
        stop = skips[node]
        result: list[Any] = []
        # Each open container: the Python value, whether it is an object, and its end.
        stack: list[tuple[Any, bool, int]] = [(result, False, stop)]
        index = node
        target, is_object, end = stack[-1]
        while index < stop:
            while index >= end:
                stack.pop()
                target, is_object, end = stack[-1]
            kind = kinds[index]
            if kind == 2:
                value: Any = self._decode(self.start[index], self.end[index])
            elif kind == 3:
                value = number(index)
            elif kind == 0:
                value = {}
            elif kind == 1:
                value = []
            elif kind == 4:
                value = True
            elif kind == 5:
                value = False
            else:
                value = None
            if is_object:
                target[keys[index]] = value
            else:
                target.append(value)
            if kind <= 1:
                stack.append((value, kind == 0, skips[index]))
                target, is_object, end = stack[-1]
            index += 1
        return result[0]

    def layout(self, node: int, indent: int = 2) -> str:
        """Write a subtree with new white space; every token stays as it was written.

        `indent` 0 gives one line. Lines are indented up to _INDENTED levels, so
        that a hostile text cannot grow without bound.
        """
        text, starts, ends, skips = self.text, self.start, self.end, self.skip
        key_starts, key_ends = self.key_start, self.key_end
        breaks, commas = _line_breaks(indent)
        out: list[str] = []
        add = out.append
        closing: list[tuple[int, str]] = []  # where each open container ends, and its bracket
        end = skips[node]
        before = ""  # what parts the next value from the last one
        for index in range(node, skips[node]):
            while index == end:
                end, bracket = closing.pop()
                add(breaks[len(closing)] + bracket)
                before = commas[len(closing)]
            start = starts[index]
            add(before)
            if key_starts[index] >= 0 and index != node:
                add(text[key_starts[index] : key_ends[index]] + ": ")
            if self.kind[index] > Kind.ARRAY:
                add(text[start : ends[index]])
                before = commas[len(closing)]
            elif skips[index] == index + 1:
                add(text[start] + text[ends[index] - 1])
                before = commas[len(closing)]
            else:
                add(text[start])
                closing.append((end, text[ends[index] - 1]))
                end = skips[index]
                before = breaks[len(closing)]
        while closing:
            _, bracket = closing.pop()
            add(breaks[len(closing)] + bracket)
        return "".join(out)

    def _number(self, node: int) -> int | float | Decimal:
        return number_value(self.lexeme(node))


def number_value(lexeme: str) -> int | float | Decimal:
    """Return the number a JSON lexeme stands for, exactly.

    An integer as `int` up to limits.INTEGER_DIGITS digits, a float only where it
    is exact, else a Decimal (NaN where even Decimal cannot hold the exponent).
    """
    if lexeme.lstrip("-").isdigit() and len(lexeme) <= limits.INTEGER_DIGITS:
        return int(lexeme)
    try:
        exact = Decimal(lexeme)
    except InvalidOperation:
        return Decimal("NaN")
    near = float(lexeme)
    # From 2^53 on, the shortest spelling of a float is not the number it holds: 1e23 is another one.
    if abs(near) >= 2**53 or Decimal(repr(near)) != exact:
        return exact
    return near


def write(value: Any, indent: int | None = 2, level: int = 0) -> str:
    """Write an editable value (`JsonText.tree`) as JSON text; numbers keep their lexeme.

    `indent=None` is one line with a space after comma and colon.
    """
    if isinstance(value, Number):
        return value.lexeme
    if isinstance(value, dict):
        items = [quote(key) + ": " + write(item, indent, level + 1) for key, item in value.items()]
        opener, closer = "{", "}"
    elif isinstance(value, list | tuple):
        items = [write(item, indent, level + 1) for item in value]
        opener, closer = "[", "]"
        if indent is not None and all(not isinstance(item, dict | list | tuple) for item in value):
            line = "[" + ", ".join(items) + "]"
            if len(line) <= 72:
                return line
    elif isinstance(value, str):
        return quote(value)
    else:
        return dumps(value)
    if not items:
        return opener + closer
    if indent is None:
        return opener + ", ".join(items) + closer
    pad = "\n" + " " * (indent * (level + 1))
    return opener + pad + ("," + pad).join(items) + "\n" + " " * (indent * level) + closer


def quote(text: str) -> str:
    """Write a text as a JSON string; half a surrogate pair stays an escape."""
    return encode_basestring(text) if is_unicode(text) else encode_basestring_ascii(text)


def reformat(text: str, indent: int = 2) -> str:
    """Lay out one JSON text anew, see `JsonText.layout`; raises JsonError if it is none."""
    json = JsonText(text)
    node, _ = json.scan()
    return json.layout(node, indent)


def is_unicode(text: str) -> bool:
    """Whether a text holds whole characters only, no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=32)
def _line_breaks(indent: int) -> tuple[list[str], list[str]]:
    """Return what parts two lines at each level, and the same behind a comma."""
    levels = range(limits.DEPTH + 1)
    breaks = ["\n" + " " * (indent * min(level, _INDENTED)) if indent else "" for level in levels]
    return breaks, ["," + (line or " ") for line in breaks]


def _too_many(pos: int, limit: int) -> JsonError:
    return JsonError(f"More than {limit:,} values. Paste a part of it.", pos, "too-large")


def _too_deep(pos: int) -> JsonError:
    message = (
        f"Nested deeper than {limits.DEPTH} levels. Real frames stay far below; paste the inner part alone."
    )
    return JsonError(message, pos, "too-deep")


def _space(text: str, pos: int, stop: int) -> int:
    return _SPACE.match(text, pos, stop).end()  # type: ignore[union-attr]  # matches the empty string


def clip(text: str, size: int = 40) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= size else text[: size - 1] + "…"
