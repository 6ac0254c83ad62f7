"""Protobuf text format, as older clients print their messages: `tool_call { function_calls { name: "f" } }`.

There is no schema at hand, so only what the text shows is used: a field that
stands twice in one message is a list, and so is one that the Gemini API defines
as a list. Two shapes are unfolded because the text names them in full: a Struct
(`fields { key value }`) and a map (`properties { key value }`).

Source: https://protobuf.dev/reference/protobuf/textformat-spec/
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Final

from app import limits
from app.derived import Reading, Sign, Writer
from app.json_text import JsonError, JsonText, clip, quote, too_deep, too_many

LISTS: Final = frozenset(
    {
        "any_of",
        "candidates",
        "contents",
        "enum",
        "function_calls",
        "function_declarations",
        "function_responses",
        "ids",
        "parts",
        "property_ordering",
        "required",
        "response_modalities",
        "tools",
        "turns",
    }
)
"""Fields of the Gemini API that are lists, even of one: https://ai.google.dev/api/live."""
MAPS: Final = frozenset({"properties", "defs"})

_SPACE: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+")
_BEGIN: Final = re.compile(r"[a-z]\w*+\s*+(?:[{<]|:\s*+[\"'0-9tf-])")
_NAME: Final = re.compile(r"[A-Za-z_]\w*+|\[[\w./]++\]")
_STRING: Final = re.compile(r"\"((?:[^\"\\\r\n]|\\.)*+)\"|'((?:[^'\\\r\n]|\\.)*+)'")
_ESCAPE: Final = re.compile(
    rb"\\(?:([0-7]{1,3})|[xX]([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL
)
_ESCAPED: Final = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
} | {char: char for char in (b"\\", b"'", b'"', b"?")}
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.])")
_NAN: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "infinity": "Infinity"}
_WORD: Final = re.compile(r"-?[A-Za-z_]\w*+")
_VALUES: Final = frozenset(
    {"null_value", "number_value", "string_value", "bool_value", "struct_value", "list_value"}
)
_BYTES: Final = frozenset({"thought_signature", "data"})


@dataclass(slots=True)
class _Scalar:
    json: str
    start: int
    end: int


@dataclass(slots=True)
class _Message:
    start: int
    end: int = 0
    fields: dict[str, list[_Scalar | _Message]] = field(default_factory=dict)
    """Values by field name, in the order of the text."""
    names: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where each name stands first."""


def read(origin: JsonText, start: int, stop: int) -> Reading | None:
    """Read a message that fills the whole range, or return None if it is none. Raises JsonError."""
    begin: int = _SPACE.match(origin.text, start, stop).end()  # type: ignore[union-attr]  # matches ""
    if _BEGIN.match(origin.text, begin, stop) is None:
        return None
    message = _Reader(origin.text, stop).read(begin)
    if not any(isinstance(value, _Message) for values in message.fields.values() for value in values):
        return None
    writer = Writer()
    _write(writer, message)
    sign = Sign("sdk-repr", "Read from protobuf text, as JSON.", begin, begin)
    return writer.reading(origin, begin, message.end, [sign])


class _Reader:
    def __init__(self, text: str, stop: int) -> None:
        self.text = text
        self.stop = stop
        self.values = 0

    def read(self, pos: int) -> _Message:
        """Read fields up to the end of the range."""
        stack = [_Message(pos)]
        closers = [""]
        while True:
            pos = self.space(pos)
            if pos >= self.stop:
                if len(stack) > 1:
                    raise JsonError("The text ends inside a message. The paste is cut off.", pos, cut=True)
                stack[0].end = len(self.text[: self.stop].rstrip())
                return stack[0]
            if len(stack) > 1 and self.text.startswith(closers[-1], pos, self.stop):
                closers.pop()
                stack.pop().end = pos = pos + 1
                continue
            pos = self.field(pos, stack, closers)

    def field(self, pos: int, stack: list[_Message], closers: list[str]) -> int:
        text = self.text
        name = _NAME.match(text, pos, self.stop)
        if name is None:
            raise JsonError("Expected the name of a field.", pos)
        message = stack[-1]
        message.names.setdefault(name[0], name.span())
        values = message.fields.setdefault(name[0], [])
        pos = self.space(name.end())
        colon = text.startswith(":", pos, self.stop)
        if colon:
            pos = self.space(pos + 1)
        if text.startswith(("{", "<"), pos, self.stop):
            if len(stack) > limits.DEPTH:
                raise too_deep(pos)
            self.count(pos)
            inner = _Message(pos)
            values.append(inner)
            stack.append(inner)
            closers.append("}" if text[pos] == "{" else ">")
            return pos + 1
        if not colon:
            raise JsonError("Expected a colon or an opening brace.", pos)
        if text.startswith("[", pos, self.stop):
            pos = self.list(self.space(pos + 1), name[0], values)
        else:
            scalar = self.scalar(pos, name[0])
            values.append(scalar)
            pos = scalar.end
        pos = self.space(pos)
        return pos + 1 if text.startswith((",", ";"), pos, self.stop) else pos

    def list(self, pos: int, name: str, values: list[_Scalar | _Message]) -> int:
        while not self.text.startswith("]", pos, self.stop):
            scalar = self.scalar(pos, name)
            values.append(scalar)
            pos = self.space(scalar.end)
            if self.text.startswith(",", pos, self.stop):
                pos = self.space(pos + 1)
        return pos + 1

    def scalar(self, pos: int, name: str) -> _Scalar:
        self.count(pos)
        string = _STRING.match(self.text, pos, self.stop)
        if string is not None:
            return self.string(string, name)
        number = _NUMBER.match(self.text, pos, self.stop)
        if number is not None:
            return _Scalar(number[0], pos, number.end())
        word = _WORD.match(self.text, pos, self.stop)
        if word is None:
            raise JsonError("Expected the value of a field.", pos)
        known = {"true": "true", "false": "false", "NULL_VALUE": "null", **_NAN}
        return _Scalar(known.get(word[0], quote(word[0])), pos, word.end())

    def string(self, found: re.Match[str], name: str) -> _Scalar:
        """Read a text, in pieces if it is: bytes of UTF-8, or of anything in a field of bytes."""
        start, raw = found.start(), b""
        pieces = [_bytes(found)]
        end = found.end()
        while (more := _STRING.match(self.text, self.space(end), self.stop)) is not None:
            pieces.append(_bytes(more))
            end = more.end()
        raw = b"".join(pieces)
        if name in _BYTES:
            return _Scalar(quote(urlsafe_b64encode(raw).decode()), start, end)
        try:
            return _Scalar(quote(raw.decode()), start, end)
        except UnicodeDecodeError:
            raise JsonError(f"The text of {clip(name)} is no UTF-8.", start) from None

    def space(self, pos: int) -> int:
        return _SPACE.match(self.text, pos, self.stop).end()  # type: ignore[union-attr]  # matches ""

    def count(self, pos: int) -> None:
        self.values += 1
        if self.values > limits.NODES:
            raise too_many(pos)


def _bytes(found: re.Match[str]) -> bytes:
    body = (found[1] if found[1] is not None else found[2]).encode("utf-8", "surrogatepass")

    def one(escape: re.Match[bytes]) -> bytes:
        octal, short, *wide, char = escape.groups()
        if octal is not None:
            return bytes([int(octal, 8) & 0xFF])
        if short is not None:
            return bytes([int(short, 16)])
        digits = wide[0] or wide[1]
        if digits is not None:
            return chr(min(int(digits, 16), 0x10FFFF)).encode("utf-8", "surrogatepass")
        known = _ESCAPED.get(char)
        if known is None:
            raise JsonError("This text holds an escape that is not known.", found.start())
        return known

    return _ESCAPE.sub(one, body)


def _write(writer: Writer, value: _Scalar | _Message) -> None:
    """Write a value; a Struct, a Value or a list of them as what they hold."""
    if isinstance(value, _Scalar):
        writer.token(value.json, value.start, value.end)
        return
    held = _held(value)
    if held is not None:
        name, inner = held
        if name == "null_value":
            writer.token("null", inner.start, inner.end)
        elif name == "list_value" and isinstance(inner, _Message):
            _write_list(writer, inner.fields.get("values", []), inner)
        else:
            _write(writer, inner)
        return
    pairs = _pairs(value.fields.get("fields", [])) if {*value.fields} == {"fields"} else None
    writer.open("{", value.start)
    first = True
    members: list[tuple[str, int, int, list[_Scalar | _Message], bool, str]] = []
    if pairs is not None:
        members = [(key.json, key.start, key.end, [inner], False, "") for key, inner in pairs]
    else:
        for name, values in value.fields.items():
            start, end = value.names[name]
            is_list = name in LISTS or len(values) > 1
            members.append((quote(name), start, end, values, is_list, name))
    for json, start, end, values, is_list, name in members:
        if not first:
            writer.plain(", ")
        first = False
        writer.token(json, start, end)
        writer.plain(": ")
        mapped = _pairs(values) if name in MAPS else None
        if mapped is not None:
            _write_map(writer, mapped, values)
        elif is_list:
            _write_list(writer, values, values[0])
        else:
            _write(writer, values[0])
    writer.close("}", value.end)


def _write_list(writer: Writer, values: list[_Scalar | _Message], at: _Scalar | _Message) -> None:
    writer.open("[", at.start)
    for index, each in enumerate(values):
        if index:
            writer.plain(", ")
        _write(writer, each)
    writer.close("]", values[-1].end if values else at.end)


def _write_map(
    writer: Writer, pairs: list[tuple[_Scalar, _Scalar | _Message]], values: list[_Scalar | _Message]
) -> None:
    writer.open("{", values[0].start)
    for index, (key, inner) in enumerate(pairs):
        if index:
            writer.plain(", ")
        writer.token(key.json, key.start, key.end)
        writer.plain(": ")
        _write(writer, inner)
    writer.close("}", values[-1].end)


def _held(message: _Message) -> tuple[str, _Scalar | _Message] | None:
    """Return the only member of a Value, by its name."""
    if len(message.fields) != 1:
        return None
    ((name, values),) = message.fields.items()
    return (name, values[0]) if name in _VALUES and len(values) == 1 else None


def _pairs(values: list[_Scalar | _Message]) -> list[tuple[_Scalar, _Scalar | _Message]] | None:
    """Return keys and values of the entries of a map, or None if one of them is no entry."""
    pairs = []
    for entry in values:
        if not isinstance(entry, _Message) or not {*entry.fields} <= {"key", "value"}:
            return None
        keys, inner = entry.fields.get("key", []), entry.fields.get("value", [])
        if len(keys) != 1 or len(inner) != 1 or not isinstance(keys[0], _Scalar):
            return None
        if not keys[0].json.startswith('"'):
            return None
        pairs.append((keys[0], inner[0]))
    return pairs
