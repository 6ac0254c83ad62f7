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
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # C string reader
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
    """The text is no JSON: what was met and where (`offset` in code points)."""

    def __init__(self, message: str, offset: int, code: str = "json-invalid") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.code = code


@dataclass(frozen=True, slots=True)
class Number:
    """A number in an editable value: its lexeme and nothing else."""

    lexeme: str


_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]*+)"[ \t\n\r]*+:[ \t\n\r]*+')
_COLON: Final = re.compile(r"[ \t\n\r]*+:[ \t\n\r]*+")
_SCALAR: Final = re.compile(
    r'(?:("[^"\\\x00-\x1f]*+")'
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?![0-9A-Za-z_.+-])"
    r"|(true|false|null|NaN|-?Infinity)(?![0-9A-Za-z_]))"
)
_LITERAL_KIND: Final = {
    "true": Kind.TRUE,
    "false": Kind.FALSE,
    "null": Kind.NULL,
    "NaN": Kind.NAN,
    "Infinity": Kind.NAN,
    "-Infinity": Kind.NAN,
}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STRING_BODY: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+')
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")


class JsonText:
    """A text and the table of the values found in it.

    A node is an index. Its subtree is contiguous: children of `i` begin at
    `i + 1` and each child's next sibling is `skip[child]`.
    """

    __slots__ = (
        "_lines",
        "duplicates",
        "end",
        "key_end",
        "key_start",
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
        self.key_start = array("i")
        self.key_end = array("i")
        self.skip = array("i")
        self.duplicates: list[tuple[int, int]] = []
        """Pairs of nodes: a member and the earlier one of the same object with the same key."""
        self.nans: list[int] = []
        self.surrogates: list[int] = []
        """Nodes whose string, or whose key, holds half of a surrogate pair."""
        self._lines: list[int] | None = None

    # Reading -----------------------------------------------------------------

    def scan(self, offset: int = 0) -> tuple[int, int]:
        """Read one value that begins at or after `offset`.

        Returns the node and the offset behind the value and its white space.
        Raises JsonError; the table is then as it was before.
        """
        mark = len(self.kind)
        try:
            return self._scan(offset)
        except JsonError:
            self._forget(mark)
            raise

    def _scan(self, offset: int) -> tuple[int, int]:
        text = self.text
        size = len(text)
        kinds, starts, ends = self.kind, self.start, self.end
        key_starts, key_ends, skips = self.key_start, self.key_end, self.skip
        add_kind, add_start, add_end = kinds.append, starts.append, ends.append
        add_key_start, add_key_end, add_skip = key_starts.append, key_ends.append, skips.append
        match_space, match_key, match_scalar = _SPACE.match, _KEY.match, _SCALAR.match
        node_limit = limits.NODES
        root = len(kinds)
        open_nodes: list[int] = []
        open_keys: list[dict[str, int] | None] = []
        keys: dict[str, int] | None = None  # keys of the innermost object; None inside an array
        key_start = key_end = -1
        check_surrogates = _SURROGATE.search(text) is not None
        pos = match_space(text, offset).end()  # type: ignore[union-attr]  # matches the empty string
        while True:
            # A value is expected at pos.
            node = len(kinds)
            if node >= node_limit:
                raise JsonError(
                    f"More than {node_limit:,} values. Paste a part of it.", pos, "too-large"
                )
            scalar = match_scalar(text, pos)
            if scalar is not None:
                which = scalar.lastindex
                if which == 1:
                    add_kind(2)
                    if check_surrogates and _SURROGATE.search(scalar[1]):
                        self.surrogates.append(node)
                elif which == 2:
                    add_kind(3)
                else:
                    kind = _LITERAL_KIND[scalar[3]]
                    add_kind(kind)
                    if kind == Kind.NAN:
                        self.nans.append(node)
                add_start(pos)
                pos = scalar.end()
                add_end(pos)
                add_key_start(key_start)
                add_key_end(key_end)
                add_skip(node + 1)
                key_start = key_end = -1
                closed = True
            else:
                char = text[pos] if pos < size else ""
                if char == "{" or char == "[":
                    if len(open_nodes) >= limits.DEPTH:
                        raise JsonError(
                            f"Nested deeper than {limits.DEPTH} levels. Real frames stay far below; "
                            "paste the inner part alone.",
                            pos,
                            "too-deep",
                        )
                    add_kind(0 if char == "{" else 1)
                    add_start(pos)
                    add_end(-1)
                    add_key_start(key_start)
                    add_key_end(key_end)
                    add_skip(-1)
                    key_start = key_end = -1
                    open_nodes.append(node)
                    open_keys.append(keys)
                    keys = {} if char == "{" else None
                    pos = match_space(text, pos + 1).end()  # type: ignore[union-attr]
                    closed = text.startswith("}" if char == "{" else "]", pos)
                    if closed:
                        pos += 1
                        open_nodes.pop()
                        keys = open_keys.pop()
                        ends[node] = pos
                        skips[node] = node + 1
                elif char == '"':
                    value, end = self._string(pos)
                    add_kind(2)
                    add_start(pos)
                    add_end(end)
                    add_key_start(key_start)
                    add_key_end(key_end)
                    add_skip(node + 1)
                    if _SURROGATE.search(value):
                        self.surrogates.append(node)
                    key_start = key_end = -1
                    pos = end
                    closed = True
                else:
                    raise self._unexpected(pos, "a value", bool(open_nodes))
            # Behind a closed value: a comma, the end of the container, or the end of the text.
            while closed:
                pos = match_space(text, pos).end()  # type: ignore[union-attr]
                if not open_nodes:
                    return root, pos
                char = text[pos] if pos < size else ""
                if char == ",":
                    comma = pos
                    pos = match_space(text, pos + 1).end()  # type: ignore[union-attr]
                    if text.startswith(("}", "]"), pos):
                        raise JsonError(
                            "A comma with nothing after it. Remove the comma.", comma
                        )
                    break
                if char == ("]" if keys is None else "}"):
                    pos += 1
                    node = open_nodes.pop()
                    ends[node] = pos
                    skips[node] = len(kinds)
                    keys = open_keys.pop()
                    continue
                raise self._unexpected(pos, "a comma or a closing " + ("bracket" if keys is None else "brace"), True)
            if keys is not None:
                match = match_key(text, pos)
                if match is not None:
                    key_start = pos
                    key = match[1]
                    key_end = match.end(1) + 1
                    pos = match.end()
                    bad_key = check_surrogates and _SURROGATE.search(key) is not None
                else:
                    if not text.startswith('"', pos):
                        raise self._unexpected(pos, "a key in double quotes", True)
                    key, key_end = self._string(pos)
                    key_start = pos
                    colon = _COLON.match(text, key_end)
                    if colon is None:
                        raise self._unexpected(
                            match_space(text, key_end).end(), "a colon after the key", True  # type: ignore[union-attr]
                        )
                    pos = colon.end()
                    bad_key = _SURROGATE.search(key) is not None
                node = len(kinds)
                if bad_key:
                    self.surrogates.append(node)
                if key in keys:
                    self.duplicates.append((node, keys[key]))
                else:
                    keys[key] = node

    def _string(self, pos: int) -> tuple[str, int]:
        try:
            return scanstring(self.text, pos + 1, True)  # type: ignore[no-any-return]
        except JSONDecodeError:
            raise self._bad_string(pos) from None

    def _bad_string(self, pos: int) -> JsonError:
        good = _STRING_BODY.match(self.text, pos)
        assert good is not None
        at = good.end()
        char = self.text[at : at + 1]
        if char == "":
            return JsonError("The text ends inside a string. Close the string, or paste the rest.", pos)
        if char in "\n\r":
            return JsonError(
                "A line break inside a string. Write it as \\n, or close the string.", at
            )
        if char == "\\":
            return JsonError(
                f"{self.text[at : at + 2]!r} is no JSON escape. Write the backslash twice.", at
            )
        return JsonError(
            f"A raw control character (U+{ord(char):04X}) inside a string. Write it as \\u{ord(char):04x}.", at
        )

    def _unexpected(self, pos: int, wanted: str, inside: bool) -> JsonError:
        text = self.text
        if pos >= len(text):
            if not inside:
                return JsonError("Nothing to read: expected a JSON value.", pos)
            return JsonError(f"The text ends where {wanted} is expected. The paste is cut off.", pos)
        char = text[pos]
        if char == '"':
            problem = self._bad_string(pos) if self._is_open_string(pos) else None
            if problem is not None:
                return problem
        if char in "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb":
            return JsonError(f"A typographic quote ({char}). JSON needs straight double quotes.", pos)
        if char == "'":
            return JsonError("Single quotes. JSON needs double quotes.", pos)
        if char == "/" and text[pos : pos + 2] in ("//", "/*"):
            return JsonError("A comment. JSON has none; remove it.", pos)
        if char in "-+.0123456789":
            return self._bad_number(pos)
        word = _WORD.match(text, pos)
        if word is not None:
            hints = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
            hint = hints.get(word[0])
            if hint is not None:
                return JsonError(f"{word[0]} is no JSON. Write {hint}.", pos)
            return JsonError(f"Expected {wanted}, found {_clip(word[0])}. A text needs double quotes.", pos)
        if char.isspace() or char == "\ufeff":
            return JsonError(f"U+{ord(char):04X} is no white space in JSON. Remove it.", pos)
        return JsonError(f"Expected {wanted}, found {char!r}.", pos)

    def _is_open_string(self, pos: int) -> bool:
        good = _STRING_BODY.match(self.text, pos)
        return good is not None and not self.text.startswith('"', good.end())

    def _bad_number(self, pos: int) -> JsonError:
        lexeme = re.compile(r"[-+.0-9A-Za-z_]+").match(self.text, pos)
        shown = _clip(lexeme[0]) if lexeme else self.text[pos]
        if re.match(r"-?0[0-9]", shown):
            return JsonError(f"{shown} has a leading zero. Remove it, or quote the text.", pos)
        return JsonError(f"{shown} is no JSON number.", pos)

    def _forget(self, mark: int) -> None:
        del self.kind[mark:]
        for table in (self.start, self.end, self.key_start, self.key_end, self.skip):
            del table[mark:]
        self.duplicates = [pair for pair in self.duplicates if pair[0] < mark]
        self.nans = [node for node in self.nans if node < mark]
        self.surrogates = [node for node in self.surrogates if node < mark]

    # Asking ------------------------------------------------------------------

    def lexeme(self, node: int) -> str:
        """Return the value exactly as it was written."""
        return self.text[self.start[node] : self.end[node]]

    def string(self, node: int) -> str:
        """Return the decoded string of a STRING node."""
        return self._decode(self.start[node], self.end[node])

    def key(self, node: int) -> str | None:
        """Return the decoded key of a member, or None for an item or a root."""
        start = self.key_start[node]
        return None if start < 0 else self._decode(start, self.key_end[node])

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
        lines = self._lines
        if lines is None:
            lines = self._lines = [0, *(m.end() for m in _LINE_END.finditer(self.text))]
        low, high = 0, len(lines)
        while high - low > 1:
            middle = (low + high) // 2
            if lines[middle] <= offset:
                low = middle
            else:
                high = middle
        start = lines[low]
        column = offset - start + 1
        if not self.text.isascii():
            column += sum(char > "\uffff" for char in self.text[start:offset])
        return low + 1, column

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a UTF-16 column, the inverse of `place`."""
        if self._lines is None:
            self.place(0)
        assert self._lines is not None
        start = self._lines[line - 1]
        units = column - 1
        pos = start
        while units > 0 and pos < len(self.text):
            units -= 2 if self.text[pos] > "\uffff" else 1
            pos += 1
        return pos

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
        kinds, skips = self.kind, self.skip
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
                target[self.key(index)] = value
            else:
                target.append(value)
            if kind <= 1:
                stack.append((value, kind == 0, skips[index]))
                target, is_object, end = stack[-1]
            index += 1
        return result[0]

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
    if near in (float("inf"), float("-inf")) or Decimal(repr(near)) != exact:
        return exact
    return near


def write(value: Any, indent: int | None = 2, level: int = 0) -> str:
    """Write an editable value (`JsonText.tree`) as JSON text; numbers keep their lexeme.

    `indent=None` is one line with a space after comma and colon.
    """
    from json import dumps

    if isinstance(value, Number):
        return value.lexeme
    if isinstance(value, dict):
        items = [dumps(key, ensure_ascii=False) + ": " + write(item, indent, level + 1) for key, item in value.items()]
        opener, closer = "{", "}"
    elif isinstance(value, list | tuple):
        items = [write(item, indent, level + 1) for item in value]
        opener, closer = "[", "]"
        if indent is not None and all(not isinstance(item, dict | list | tuple) for item in value):
            line = "[" + ", ".join(items) + "]"
            if len(line) <= 72:
                return line
    else:
        return dumps(value, ensure_ascii=False)
    if not items:
        return opener + closer
    if indent is None:
        return opener + ", ".join(items) + closer
    pad = "\n" + " " * (indent * (level + 1))
    return opener + pad + ("," + pad).join(items) + "\n" + " " * (indent * level) + closer


_TOKEN: Final = re.compile(r'("(?:[^"\\]|\\.)*+")|([{\[])|([}\]])|(,)|(:)|([^\s{}\[\],:"]+)|[ \t\n\r]++', re.DOTALL)


def reformat(text: str, indent: int = 2) -> str:
    """Lay out one strict JSON text anew; only white space between tokens changes.

    `indent` 0 gives one line. The text must have been scanned before.
    """
    out: list[str] = []
    add = out.append
    level = 0
    empty = False  # the last token opened a container that has nothing in it yet
    for match in _TOKEN.finditer(text):
        which = match.lastindex
        if which is None:
            continue
        token = match[0]
        if which == 2:
            if empty:
                add(_break(indent, level))
            add(token)
            level += 1
            empty = True
            continue
        if which == 3:
            level -= 1
            if not empty:
                add(_break(indent, level))
            add(token)
        elif which == 4:
            add(token)
            add(_break(indent, level) if indent else " ")
        elif which == 5:
            add(": ")
        else:
            if empty:
                add(_break(indent, level))
            add(token)
        empty = False
    return "".join(out)


def _break(indent: int, level: int) -> str:
    return "\n" + " " * (indent * level) if indent else ""


def _clip(text: str, size: int = 40) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"
