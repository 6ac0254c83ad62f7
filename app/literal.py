r"""Values as programs print them: Python and JavaScript literals, JSONC, SDK objects, Rust debug text.

One pass over the text, without recursion and without evaluating anything. Each
token is written as JSON: a number keeps its lexeme where JSON has it, a repeated
key stays repeated, and what a printer left out (`<dict len=6>`, `[Object]`) is a
lossy sign, never a guess. A class name is no data: `FunctionCall(id='a')` is
read as the object of its fields.

Sources: https://docs.python.org/3/reference/lexical_analysis.html,
https://tc39.es/ecma262/#sec-primary-expression-literals,
https://doc.rust-lang.org/std/fmt/trait.Debug.html
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Final

from app import limits
from app.derived import Reading, Sign, Writer
from app.json_text import JsonError, JsonText, clip, is_unicode, leading_string, quote, too_deep, too_many

_COMMENT: Final = re.compile(r"//[^\r\n]*+|#[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/")
_ODD_SPACE: Final = re.compile(rf"(?:[ \t\r\n]++|{_COMMENT.pattern})*+[\s\ufeff]")
_SPACE: Final = re.compile(rf"(?:[\s\ufeff]++|{_COMMENT.pattern})*+")
_UNCLOSED: Final = re.compile(
    r"""(?:"[^"\\\x00-\x1f]*+|'[^'\\\x00-\x1f]*+)(?:\\.[^'"\\\x00-\x1f]*+)*+""", re.DOTALL
)
_BLANKS: Final = re.compile(r"[ \t]*+")
_JSON_STRING: Final = re.compile(
    r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+"'
)
_STRING: Final = re.compile(
    r"(?P<prefix>[bBrRuU]{0,2})(?:"
    r'"""(?P<triple>(?:[^"\\]|\\.|"(?!""(?!")))*+)"""'
    r"|'''(?P<single_triple>(?:[^'\\]|\\.|'(?!''(?!')))*+)'''"
    r'|"(?P<double>(?:[^"\\\x00-\x1f]|\\(?:\r\n|.))*+)"'
    r"|'(?P<single>(?:[^'\\\x00-\x08\x0a-\x1f]|\\(?:\r\n|.))*+)'"
    r"|`(?P<template>(?:[^`\\$]|\\.|\$(?!\{))*+)`)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|u\{([0-9A-Fa-f]{1,6})\}|(\r\n|.))", re.DOTALL
)
_ESCAPED: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "0": "\0",
    "\n": "",
    "\r": "",
    "\r\n": "",
} | {char: char for char in "\\'\"`/$"}
_NUMBER: Final = re.compile(
    r"[+-]?+(?:(?P<hex>0[xX][0-9A-Fa-f]++(?:_[0-9A-Fa-f]++)*+)|(?P<octal>0[oO][0-7]++)|(?P<binary>0[bB][01]++)"
    r"|(?:[0-9]++(?:_[0-9]++)*+(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?P<big>n?)(?![\w.])"
)
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_LEADING_ZERO: Final = re.compile(r"[+-]?0[0-9_]")
_NAN: Final = re.compile(r"[+-]?(?:NaN|Infinity|nan|inf)(?![\w$(])")
_WORD: Final = re.compile(r"[^\W\d]\w*+(?:(?:\.|::)[^\W\d]\w*+)*+|\$[\w$]*+")
_KEY: Final = re.compile(r"[^\W\d][\w$]*+|\$[\w$]*+")
_INTEGER: Final = re.compile(r"0|[1-9][0-9]*+(?![\w.])")
_FIELD: Final = re.compile(r"[^\W\d]\w*+=(?![=\s])")
_ENUM: Final = re.compile(r"<[^\W\d][\w.]*+: ")
_NULL_PROTOTYPE: Final = re.compile(r"\[(?:Object|[^\W\d]\w*+): null prototype\]\s*+(?=\{)")
_ELIDED: Final = re.compile(
    r"(?P<type><(?:dict|list|tuple|set) len=[0-9]++>)"
    r"|(?P<items><\.\.\. [0-9]++ more items? \.\.\.>|<\.\.\. [0-9]++ items? at Max depth \.\.\.>"
    r"|(?:\.\.\.|…)(?:[ ]?[0-9]++ more [a-z]++)?(?![\w(\[{'\"])|\.\.(?=\s*+\}))"
    r"|(?P<node>\[(?:(?!(?:True|False|None|NaN|Infinity)\])[A-Z]\w*+|Object: null prototype"
    r"|(?:Async)?(?:Generator)?Function(?:: [\w$.]++| \(anonymous\))|class [\w$ ]++|Circular \*[0-9]++"
    r"|Getter(?:/Setter)?|Setter)\])"
    r"|(?P<object><[^<>\r\n]*+>)"
)
_CUT_TEXT: Final = re.compile(r"\.\.\. [0-9]++ more characters?")
_DECIMAL: Final = re.compile(r"(?:decimal\.)?Decimal\((['\"])([^'\"\r\n]*+)\1\)")
_UUID: Final = re.compile(r"(?:uuid\.)?UUID\((['\"])([0-9a-fA-F-]++)\1\)")
_DATE: Final = re.compile(
    r"(?:datetime\.)?(?P<kind>datetime|date)\((?P<numbers>[0-9]{1,6}(?:, ?[0-9]{1,6}){2,6})"
    r"(?:, ?tzinfo=(?:(?P<utc>(?:datetime\.)?timezone\.utc|TzInfo\((?:UTC|0)\))"
    r"|TzInfo\((?P<offset>-?[0-9]{1,5})\)|(?:datetime\.)?timezone\((?:datetime\.)?timedelta\("
    r"(?P<days>days=-1, ?)?seconds=(?P<seconds>[0-9]{1,5})\)\)))?\)"
)
_CONSTANTS: Final = {
    "true": ("true", "json"),
    "false": ("false", "json"),
    "null": ("null", "json"),
    "True": ("true", "python-word"),
    "False": ("false", "python-word"),
    "None": ("null", "python-word"),
    "Null": ("null", "class"),  # serde_json, in Rust
}
_TOLD: Final = {
    "comment": "A comment. JSON has none; it was skipped.",
    "space": "White space that JSON does not have. It was skipped.",
    "comma": "A comma with nothing after it. JSON has none there; it was skipped.",
    "quotes": "A text in quotes that are no JSON quotes. It was read as the text it holds.",
    "escape": "A text with an escape or a prefix that JSON does not have. It was read as the text it holds.",
    "key": "A key without double quotes. It was read as the text it is.",
    "python-word": "True, False or None, as Python writes them. They were read as true, false and null.",
    "round": "Round brackets around a value. They were skipped.",
    "tuple": "A tuple. It was read as an array.",
    "number": "A number that JSON writes differently. It was read as the same number.",
    "pieces": "A text in several pieces. They were read as one.",
    "undefined": "undefined is no value. JSON.stringify leaves the member out, and writes null in an array.",
    "text": "Bytes that hold a text. They were read as that text.",
    "bytes": "Bytes. They were read as base64, which is how they are sent.",
    "value": "A date, Decimal or UUID object. It was read as the text or number it stands for.",
}
"""Deviations that keep the value, by what they are; each is one note with how often it stands there."""
_PRINTED: Final = frozenset({"class", "fields", "enum", "bytes", "text"})
"""What only a program prints."""
_BY_HAND: Final = frozenset({"comment", "space", "comma", "key", "undefined", "json"})
"""What Python never prints."""
_PYTHON: Final = frozenset({"class", "enum", "bytes", "text", "quotes", "python-word"})
"""What shows that a single `field=value` was printed, and is no assignment."""
_EVIDENT: Final = frozenset({"comma", "quotes", "escape", "key", "python-word", "round", "tuple", "number"})
"""What goes without saying where an object was printed."""
_LOST: Final = (
    "The printer left values out here ({}). Nothing can be judged without them: paste model_dump_json()."
)
_LOSSES: Final = 20
"""Most losses told of one text."""
_FORMS: Final = {
    "list": ("]", False),
    "object": ("}", True),
    "call": (")", True),  # Name(field=value)
    "fields": ("", True),  # field=value field=value
    "struct": ("}", True),  # Name { field: value }
    "tuple": (")", False),
    "wrapper": (")", False),  # Name(value)
}
"""What a container is, with its closing bracket and whether it holds members."""


@dataclass(slots=True)
class _Open:
    """A container that is being read.

    `hole` is where its bracket was written, `seen` whether it had an item, of
    which `count` were written; `comma` whether the last one has a comma behind.
    """

    form: str
    start: int
    hole: int
    seen: bool = False
    count: int = 0
    comma: bool = False


def read(origin: JsonText, start: int, stop: int) -> Reading:
    """Read one value that begins at or after `start`. Raises JsonError."""
    return _Reader(origin, stop).read(start)


def tail(text: str, start: int, stop: int) -> int:
    """Return the next offset behind white space, comments, and a semicolon on the same line."""
    at: int = _BLANKS.match(text, start, stop).end()  # type: ignore[union-attr]  # matches ""
    if text.startswith(";", at, stop):
        start = at + 1
    end: int = _SPACE.match(text, start, stop).end()  # type: ignore[union-attr]  # matches ""
    return end


class _Reader:
    def __init__(self, origin: JsonText, stop: int) -> None:
        self.origin = origin
        self.text = origin.text
        self.stop = stop
        self.writer = Writer()
        self.stack: list[_Open] = []
        self.met: dict[str, list[int]] = {}  # kind of deviation: its first start and end, how often
        self.lost: list[Sign] = []
        self.classes: dict[str, None] = {}
        self.values = 0

    def read(self, start: int) -> Reading:
        start = pos = self.space(start)
        if _FIELD.match(self.text, pos, self.stop):
            self.meet("fields", pos, pos)
            fields = self.push("fields", pos)
            pos = self.member(pos)
        else:
            fields = None
            pos = self.value(pos)
        while self.stack:
            pos = self.step(pos)
        if fields is not None and fields.count == 1 and not self.met.keys() & _PYTHON:
            raise JsonError("One value with a name before it. Paste the value alone.", start)
        return self.writer.reading(self.origin, start, pos, self.signs())

    # Steps: each reads on from an offset and returns the next one ---------------------------

    def step(self, pos: int) -> int:
        """Read what follows inside the innermost container: its end, or its next item."""
        top = self.stack[-1]
        if top.form == "fields":
            return self.next_field(pos)
        closer, is_object = _FORMS[top.form]
        text = self.text
        pos = self.space(pos)
        if top.seen and text.startswith(",", pos, self.stop):
            comma = pos
            pos = self.space(pos + 1)
            top.comma = True
            if text.startswith(closer, pos, self.stop) and top.form != "tuple":
                self.meet("comma", comma, comma + 1)
        elif top.seen and not text.startswith(closer, pos, self.stop):
            raise self.unexpected(pos, f"a comma or {closer}")
        if text.startswith(closer, pos, self.stop):
            return self.close(pos)
        if top.seen and top.form == "wrapper":
            raise self.unexpected(pos, "the names of the fields, or one value alone")
        elided = _ELIDED.match(text, pos, self.stop)
        if elided is not None and elided["items"] is not None:
            self.lose(elided[0], pos, elided.end())
            top.seen = True
            return elided.end()
        return self.member(pos) if is_object else self.item(pos)

    def next_field(self, pos: int) -> int:
        """Read on in fields that stand beside each other, up to the end of their line."""
        behind = self.blanks(pos)
        if behind >= self.stop or self.text[behind] in "\r\n":
            return self.close(pos)
        if behind == pos or not _FIELD.match(self.text, behind, self.stop):
            raise self.unexpected(behind, "a field or the end of the line")
        return self.member(behind)

    def item(self, pos: int) -> int:
        self.begin_item()
        return self.value(pos)

    def begin_item(self) -> None:
        top = self.stack[-1]
        if top.count:
            self.writer.plain(", ")
        top.count += 1
        top.seen = True
        top.comma = False

    def member(self, pos: int) -> int:
        top = self.stack[-1]
        key, start, end = self.key(pos)
        separator = "=" if top.form in ("call", "fields") else ":"
        pos = self.space(end)
        if not self.text.startswith(separator, pos, self.stop):
            raise self.unexpected(pos, "an equals sign" if separator == "=" else "a colon after the key")
        pos = self.space(pos + 1)
        word = _WORD.match(self.text, pos, self.stop)
        if word is not None and word[0] == "undefined":
            self.meet("undefined", pos, word.end())
            top.seen = True
            return word.end()
        self.begin_item()
        self.writer.token(key, start, end)
        self.writer.plain(": ")
        return self.value(pos)

    def key(self, pos: int) -> tuple[str, int, int]:
        """Return a key as JSON with its stretch."""
        form = self.stack[-1].form
        string = self.string(pos) if form in ("object", "struct") else None
        if string is not None:
            return string[0], pos, string[1]
        found = _KEY.match(self.text, pos, self.stop) or _INTEGER.match(self.text, pos, self.stop)
        if found is None or found[0] in ("True", "False", "None"):
            raise self.unexpected(pos, "a key")
        if form == "object":
            self.meet("key", pos, found.end())
        return quote(found[0]), pos, found.end()

    def value(self, pos: int) -> int:
        """Read a value, or the opening of a container."""
        text = self.text
        self.values += 1
        if self.values > limits.NODES:
            raise too_many(pos)
        string = self.string(pos)
        if string is not None:
            self.writer.token(string[0], pos, string[1])
            return self.cut_text(string[1])
        char = text[pos : pos + 1] if pos < self.stop else ""
        if char == "[":
            prototype = _NULL_PROTOTYPE.match(text, pos, self.stop)
            if prototype is not None:
                self.meet("class", pos, prototype.end())
                self.push("object", prototype.end())
                return prototype.end() + 1
        if char in ("[", "<", ".", "…"):
            enum = _ENUM.match(text, pos, self.stop)
            if enum is not None:
                return self.enum(pos, enum.end())
            elided = _ELIDED.match(text, pos, self.stop) if self.stack else None
            if elided is not None:
                self.lose(elided[0], pos, elided.end())
                self.writer.token(_empty(elided), pos, elided.end())
                return elided.end()
        form = {"{": "object", "[": "list", "(": "tuple"}.get(char)
        if form is not None:
            self.push(form, pos)
            return pos + 1
        number = self.number(pos)
        if number is not None:
            return number
        return self.word(pos)

    def word(self, pos: int) -> int:
        """Read a constant, a printed value such as a date, or the head of a class."""
        text = self.text
        special = self.special(pos)
        if special is not None:
            return special
        word = _WORD.match(text, pos, self.stop)
        if word is None:
            raise self.unexpected(pos, "a value")
        name, end = word[0], word.end()
        brace = self.blanks(end)
        if text.startswith("(", end, self.stop):
            self.meet("class", pos, end)
            self.classes[name] = None
            inside = self.space(end + 1)
            if _FIELD.match(text, inside, self.stop) or text.startswith(")", inside, self.stop):
                self.push("call", pos)
            elif _is_class(name):
                self.push("wrapper", pos)
            else:
                message = f"{clip(name)}(…) is a call of a function. Paste the value that it gives."
                raise JsonError(message, pos)
            return end + 1
        if text.startswith("{", brace, self.stop) and _is_class(name):
            self.meet("class", pos, end)
            self.classes[name] = None
            self.push("struct", pos)
            return brace + 1
        if name == "Array" and text.startswith("[", brace, self.stop):
            self.meet("class", pos, end)
            self.push("list", pos)
            return brace + 1
        if name == "undefined" and self.stack and not _FORMS[self.stack[-1].form][1]:
            self.meet("undefined", pos, end)
            self.writer.token("null", pos, end)
            return end
        constant = _CONSTANTS.get(name)
        if constant is None:
            raise self.unexpected(pos, "a value")
        self.meet(constant[1], pos, end)
        self.writer.token(constant[0], pos, end)
        return end

    def push(self, form: str, pos: int) -> _Open:
        if len(self.stack) >= limits.DEPTH:
            raise too_deep(pos)
        self.writer.open("{" if _FORMS[form][1] else "[", pos)
        self.stack.append(_Open(form, pos, self.writer.hole()))
        return self.stack[-1]

    def close(self, pos: int) -> int:
        top = self.stack.pop()
        closer, is_object = _FORMS[top.form]
        end = pos + len(closer)
        closing = "}" if is_object else "]"
        if top.form == "wrapper" or (top.form == "tuple" and top.count == 1 and not top.comma):
            if top.count != 1:
                raise self.unexpected(pos, "a value")
            self.writer.blank(top.hole)  # (x) is x, and so is Some(x)
            closing = " "
            if top.form == "tuple":
                self.meet("round", top.start, end)
        elif top.form == "tuple":
            self.meet("tuple", top.start, end)
        self.writer.close(closing, end)
        return end

    def enum(self, pos: int, at: int) -> int:
        """Read the value of an enum as Python prints it: <Scheduling.SILENT: 'SILENT'>."""
        string = self.string(at)
        number = None if string is not None else _JSON_NUMBER.match(self.text, at, self.stop)
        if string is None and number is None:
            raise self.unexpected(at, "the value of the enum")
        if string is not None:
            json, end = string
        else:
            assert number is not None
            json, end = number[0], number.end()
        if not self.text.startswith(">", end, self.stop):
            raise self.unexpected(end, "the end of the enum")
        self.meet("enum", pos, end + 1)
        self.writer.token(json, pos, end + 1)
        return end + 1

    # Scalars ---------------------------------------------------------------------------------

    def string(self, pos: int) -> tuple[str, int] | None:
        """Return a text as JSON with its end, or None if there is none here."""
        text = self.text
        plain = _JSON_STRING.match(text, pos, self.stop)
        if plain is not None and not text.startswith('"', plain.end(), self.stop):
            if "'" not in plain[0]:
                self.meet("json", pos, pos)
                return plain[0], plain.end()
            value, end = self.joined(leading_string(plain[0]), plain.end(), False)
            return (plain[0], end) if end == plain.end() else (quote(value), end)
        found = _STRING.match(text, pos, self.stop)
        if found is None:
            self.check_quote(pos)
            return None
        prefix = found["prefix"].lower()
        value, end = self.piece(found), found.end()
        if found.lastgroup in ("single", "double"):
            value, end = self.joined(value, end, "b" in prefix)
        if "b" in prefix:
            value = self.bytes(value, pos, end)
        else:
            self.meet("escape" if found.lastgroup == "double" else "quotes", pos, end)
        return quote(value), end

    def piece(self, found: re.Match[str]) -> str:
        """Return what stands between two quotes."""
        kind = found.lastgroup or ""
        body = found[kind]
        if "r" in found["prefix"].lower():
            return body
        if kind not in ("triple", "single_triple"):
            return self.unescaped(body, found.start(kind))
        if "\\" in body:
            self.lose("a backslash in a text between three quotes", *found.span())
        return body

    def joined(self, value: str, end: int, is_bytes: bool) -> tuple[str, int]:
        """Add the pieces of a text on the lines below: Python's pprint breaks long ones so."""
        pieces = [value]
        while True:
            at: int = _SPACE.match(self.text, end, self.stop).end()  # type: ignore[union-attr]  # matches ""
            if "\n" not in self.text[end:at]:
                break
            found = _STRING.match(self.text, at, self.stop)
            if found is None or found.lastgroup not in ("single", "double"):
                break
            if ("b" in found["prefix"].lower()) is not is_bytes:
                break
            if found.lastgroup == "double" and not ("'" in found["double"] and "quotes" in self.met):
                break  # not as Python prints it: in JSON, the comma before it is missing
            follows = self.space(found.end())
            if self.text.startswith(":", follows, self.stop):
                break  # a key: the comma before it is missing
            self.meet("pieces", at, found.end())
            pieces.append(self.piece(found))
            end = found.end()
        return "".join(pieces), end

    def unescaped(self, body: str, start: int) -> str:
        if "\\" not in body:
            return body

        def one(escape: re.Match[str]) -> str:
            digits = escape[1] or escape[2] or escape[3] or escape[4]
            if digits is not None:
                if int(digits, 16) > 0x10FFFF:
                    raise JsonError(f"{escape[0]} is no character.", start + escape.start())
                return chr(int(digits, 16))
            known = _ESCAPED.get(escape[5])
            if known is None or (escape[5] == "0" and body[escape.end() : escape.end() + 1].isdigit()):
                message = f"\\{escape[5]} is no escape that is known. Write the backslash twice."
                raise JsonError(message, start + escape.start())
            return known

        value = _ESCAPE.sub(one, body)
        if is_unicode(value):
            return value
        # Two escapes may be the halves of one character.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def bytes(self, value: str, pos: int, end: int) -> str:
        """Return the text of bytes: at the root as UTF-8, where JSON may stand, else as base64."""
        try:
            raw = value.encode("latin-1")
        except UnicodeEncodeError:
            raise JsonError("Bytes hold a character beyond \\xff.", pos) from None
        if not self.stack:
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                raise JsonError("These bytes are no UTF-8 text.", pos) from None
            self.meet("text", pos, end)
            return text
        self.meet("bytes", pos, end)
        if len(raw) == 100 and raw.endswith(b"..."):
            self.lose("bytes cut after 97", pos, end)
        return urlsafe_b64encode(raw).decode()

    def number(self, pos: int) -> int | None:
        """Write a number and return its end; None if there is none here."""
        nan = _NAN.match(self.text, pos, self.stop)
        if nan is not None:
            infinity = "-Infinity" if nan[0].startswith("-") else "Infinity"
            json = infinity if nan[0].lstrip("+-").lower().startswith("inf") else "NaN"
            self.writer.token(json, pos, nan.end())
            return nan.end()
        found = _NUMBER.match(self.text, pos, self.stop)
        if found is None:
            return None
        lexeme = found[0]
        if _JSON_NUMBER.fullmatch(lexeme):
            self.writer.token(lexeme, pos, found.end())
            return found.end()
        if _LEADING_ZERO.match(lexeme):
            raise JsonError(f"{clip(lexeme)} has a leading zero. Remove it, or quote the text.", pos)
        self.meet("number", pos, found.end())
        self.writer.token(self.plain_number(found), pos, found.end())
        return found.end()

    def plain_number(self, found: re.Match[str]) -> str:
        lexeme = found[0].rstrip("n").replace("_", "").lstrip("+")
        sign = "-" if lexeme.startswith("-") else ""
        for name, base in (("hex", 16), ("octal", 8), ("binary", 2)):
            if found[name] is not None:
                if len(lexeme) > limits.INTEGER_DIGITS:
                    raise JsonError("An integer of too many digits.", found.start())
                return str(int(lexeme, base))
        mantissa, e, exponent = lexeme.lstrip("-").replace("E", "e").partition("e")
        whole, dot, fraction = mantissa.partition(".")
        return f"{sign}{whole or '0'}{'.' if dot else ''}{(fraction or '0') if dot else ''}{e}{exponent}"

    def special(self, pos: int) -> int | None:
        """Write a Decimal, a UUID or a date and return its end; None if there is none here."""
        if not self.text.startswith(("D", "d", "U", "u"), pos, self.stop):
            return None
        decimal = _DECIMAL.match(self.text, pos, self.stop)
        if decimal is not None:
            if not _JSON_NUMBER.fullmatch(decimal[2]) and decimal[2] not in ("NaN", "Infinity", "-Infinity"):
                raise JsonError(f"{clip(decimal[2])} is no number.", decimal.start(2))
            json, end = decimal[2], decimal.end()
        elif (uuid := _UUID.match(self.text, pos, self.stop)) is not None:
            json, end = quote(uuid[2]), uuid.end()
        elif (day := _DATE.match(self.text, pos, self.stop)) is not None:
            json, end = quote(self.date(day)), day.end()
        else:
            return None
        self.meet("value", pos, end)
        self.writer.token(json, pos, end)
        return end

    def date(self, found: re.Match[str]) -> str:
        numbers = [int(each) for each in found["numbers"].split(",")]
        zone = None
        if found["utc"] is not None:
            zone = timezone.utc  # noqa: UP017  # datetime.UTC, spelled for what it is here
        elif found["offset"] is not None or found["seconds"] is not None:
            seconds = int(found["offset"] or found["seconds"]) - (86_400 if found["days"] else 0)
            zone = timezone(timedelta(seconds=seconds)) if abs(seconds) < 86_400 else None
        try:
            if found["kind"] == "date":
                return date(*numbers).isoformat()
            return datetime(*numbers, tzinfo=zone).isoformat()  # type: ignore[misc,arg-type]  # at most seven
        except (TypeError, ValueError):
            raise JsonError("There is no such date.", found.start()) from None

    def cut_text(self, end: int) -> int:
        """Look behind a text for the remark that the rest of it was left out."""
        behind = self.blanks(end)
        cut = _CUT_TEXT.match(self.text, behind, self.stop)
        if cut is None:
            return end
        self.lose(cut[0], behind, cut.end())
        return cut.end()

    # Telling ---------------------------------------------------------------------------------

    def space(self, pos: int) -> int:
        """Return the next offset that holds neither white space nor a comment."""
        end: int = _SPACE.match(self.text, pos, self.stop).end()  # type: ignore[union-attr]  # matches ""
        if end > pos and (skipped := self.text[pos:end]).strip(" \t\r\n"):
            for comment in _COMMENT.finditer(self.text, pos, end):
                self.meet("comment", *comment.span())
            odd = _ODD_SPACE.match(skipped)
            if odd is not None:
                self.meet("space", pos + odd.end() - 1, pos + odd.end())
        return end

    def blanks(self, pos: int) -> int:
        """Return the next offset of the line that holds no blank."""
        return _BLANKS.match(self.text, pos, self.stop).end()  # type: ignore[union-attr]  # matches ""

    def meet(self, kind: str, start: int, end: int) -> None:
        known = self.met.get(kind)
        if known is None:
            self.met[kind] = [start, end, 1]
        else:
            known[2] += 1

    def lose(self, what: str, start: int, end: int) -> None:
        if len(self.lost) < _LOSSES:
            self.lost.append(Sign("sdk-repr-lossy", _LOST.format(clip(what)), start, end, lossy=True))

    def signs(self) -> list[Sign]:
        """Return what was met: one sign for each kind of deviation, one for each loss."""
        met = self.met
        found = []
        printed = met.keys() & _PRINTED
        if printed or ("quotes" in met and not met.keys() & _BY_HAND):
            start, end, _ = min(met[kind] for kind in printed or {"quotes"})
            names = f" ({', '.join([*self.classes][:3])})" if self.classes else ""
            found.append(Sign("sdk-repr", f"Read from what a program prints{names}, as JSON.", start, end))
        silent = _EVIDENT if met.keys() & {"class", "fields"} else frozenset()
        for kind, message in _TOLD.items():
            if kind in met and kind not in silent:
                start, end, count = met[kind]
                often = f" {count} of them." if count > 1 else ""
                found.append(Sign("json-literal", message + often, start, end))
        return found + self.lost

    def check_quote(self, pos: int) -> None:
        """Raise the error of a text that is not closed."""
        if pos >= self.stop or self.text[pos] not in "'\"`":
            return
        if self.text[pos] == "`":
            raise JsonError("This text in backticks cannot be read as it stands.", pos)
        end: int = _UNCLOSED.match(self.text, pos, self.stop).end()  # type: ignore[union-attr]  # the quote
        if end >= self.stop:
            message = "The text ends inside a string. Close the string, or paste the rest."
            raise JsonError(message, pos, cut=True)
        if self.text[end] in "\r\n":
            raise JsonError("A line break inside a string. Write it as \\n, or close the string.", end)
        raise JsonError("Something in this string cannot be read.", end)

    def unexpected(self, pos: int, wanted: str) -> JsonError:
        if pos >= self.stop:
            return JsonError(
                f"The text ends where {wanted} is expected. The paste is cut off.", pos, cut=True
            )
        word = _WORD.match(self.text, pos, self.stop)
        shown = clip(word[0]) if word is not None else self.text[pos]
        return JsonError(f"Expected {wanted}, found {shown}", pos)


def _empty(elided: re.Match[str]) -> str:
    """Return what stands for a value that was left out, so that nothing else is said of its type."""
    what = elided[0]
    if what.startswith(("<list", "<tuple", "<set", "[Array")):
        return "[]"
    return "{}" if what.startswith("<dict") or elided["node"] is not None else "null"


def _is_class(name: str) -> bool:
    return re.split(r"\.|::", name)[-1][:1].isupper()


def comment(start: int, end: int) -> Sign:
    """Return the sign of comments that stand behind a value."""
    return Sign("json-literal", _TOLD["comment"], start, end)
