"""The args of a call as a wire format encodes them: as JSON text, as an object, as plain text.

Nothing is repaired. Text that is no JSON keeps its words, and `problem` names
what happened to it: the first thing that fits, in one order for all dialects.

Source: the function calling guide, https://platform.openai.com/docs/guides/function-calling
("arguments" is a JSON-encoded string), and RFC 8259.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace

from app.cursor import Cursor
from app.events import Args
from app.json_text import JsonError, JsonText

LITERAL = 65_536
"""Characters of the longest text that is looked at as a Python literal, only to name it."""

_PYTHON = ("'", "(", "True", "False", "None")
"""What a Python literal has where JSON stops."""
_CUT = re.compile(r"(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?(?:[0-9]+(?:\.|\.?[0-9]*[eE][+-]?))?)\s*")
"""The beginning of a word or number, where the text ends behind it."""


def from_text(at: Cursor | None) -> Args:
    """Read args that the wire carries as a string of JSON."""
    if at is None:
        return Args(None, "absent")
    if at.is_null:
        return Args(at, "null", problem="args-null")
    text = at.string
    if text is None:
        return Args(at, "object" if at.is_object else "other", problem="args-wrong-encoding")
    if not text.strip():
        return Args(at, "json-string", problem="args-empty-string")
    if text.lstrip().startswith("```"):
        return Args(at, "free-text", problem="args-fenced")
    json = JsonText(text)
    try:
        node, end = json.scan()
    except JsonError as error:
        return Args(at, "free-text", error=error, problem=_unread(text, error))
    derived = Cursor(json, node, input=at.input, frame=at.frame, base=at)
    if json.nans:
        return Args(at, "free-text", derived=next(derived.find(json.nans)), problem="args-nan")
    if end < len(text):
        glued = text.startswith(("{", "["), end)
        behind = JsonError("Text goes on behind the JSON value.", end)
        return Args(
            at, "free-text", error=behind, problem="args-concatenated" if glued else "args-trailing-garbage"
        )
    return Args(at, "json-string", derived=derived, problem=_misread(derived))


def from_object(at: Cursor | None) -> Args:
    """Read args that the wire carries as an object."""
    if at is None:
        return Args(None, "absent")
    if at.is_null:
        return Args(at, "null", problem="args-null")
    if at.is_object:
        return Args(at, "object", problem="args-double-encoded" if _is_text_as_key(at) else None)
    if at.string is not None:
        return Args(
            at,
            "json-string" if _parsed(at.string) is not None else "free-text",
            problem="args-wrong-encoding",
        )
    return Args(at, "other", problem="args-not-object")


def from_pieces(at: Cursor) -> Args:
    """Read the text of an object that was streamed; no text at all is `{}`."""
    if not (at.string or "").strip():
        return Args(at, "absent")
    args = from_text(at)
    return replace(args, encoding="object") if args.object is not None else args


def from_plain_text(at: Cursor | None) -> Args:
    """Read the input of a tool that takes text as it is; it is never parsed."""
    if at is None:
        return Args(None, "absent")
    if at.is_string:
        return Args(at, "free-text")
    return Args(at, "null" if at.is_null else "other", problem="args-wrong-encoding")


def _unread(text: str, error: JsonError) -> str:
    if error.char:
        return "args-invalid-escape" if error.char == "escape" else "args-control-char"
    if text.startswith(_PYTHON, error.offset) and _is_python(text):
        return "args-python-literal"
    if error.cut or (error.offset < len(text) and _CUT.fullmatch(text, error.offset)):
        return "args-truncated"
    return "args-not-json"


def _misread(derived: Cursor) -> str | None:
    """Name what was read well and is no object of args."""
    if derived.is_object:
        return None
    if derived.is_null:
        return "args-null"
    inner = _parsed(derived.string) if derived.string is not None else None
    return "args-double-encoded" if inner is not None and inner.is_object else "args-not-object"


def _parsed(text: str) -> Cursor | None:
    json = JsonText(text)
    try:
        node, end = json.scan()
    except JsonError:
        return None
    return Cursor(json, node) if end == len(text) else None


def _is_text_as_key(at: Cursor) -> bool:
    """Tell args whose whole text has become the one key of an object, with null as its value."""
    keys = at.keys
    if len(keys) != 1 or not keys[0].lstrip().startswith("{"):
        return False
    inner, value = _parsed(keys[0]), at.get(keys[0])
    return inner is not None and inner.is_object and value is not None and value.is_null


def _is_python(text: str) -> bool:
    """Tell a dict as Python prints it. JSON has been tried before, so it is only named, never used."""
    if len(text) > LITERAL or not text.lstrip().startswith("{"):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            return isinstance(ast.literal_eval(text.strip()), dict)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
