"""Values -> JSON text: every answer of the workbench is written here.

A report becomes an object with its field names, a finding's place stands beside
its other fields, and `Raw` is put in as it was pasted. `schema` describes the
same shapes, so that the OpenAPI document cannot say anything else.
"""

from __future__ import annotations

import json.encoder
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, Final

from app.model import Location, Raw

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def to_json(value: Any) -> str:
    """Write a report, or any part of one, as JSON text that is valid UTF-8.

    Lone surrogates, which UTF-8 cannot carry, are escaped: outside of strings
    there are none.
    """
    text = _text(value)
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _text(value: Any) -> str:
    # By exact type first: an answer of 10,000 calls holds some 200,000 values.
    kind: type = type(value)
    if kind is str:
        return _quoted(value)
    if kind is int or kind is float:
        return repr(value)
    if value is None or kind is bool:
        return _WORDS[value]
    if kind is Raw:
        return str(value.text)
    if kind is tuple or kind is list:
        return "[" + ", ".join(map(_text, value)) + "]"
    if kind is dict:
        return "{" + ", ".join(f"{_quoted(key)}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str):
        return _quoted(value)
    return "{" + ", ".join(_members(value)) + "}"


_quoted: Final = json.encoder.encode_basestring
_WORDS: Final = {None: "null", True: "true", False: "false"}


def _members(value: Any) -> Iterator[str]:
    """Yield the fields of a dataclass as written; those of a `Location` as its owner's own."""
    for name, opener in _fields(value.__class__):
        member = getattr(value, name)
        if type(member) is Location:
            yield from _members(member)
        else:
            yield opener + _text(member)


@cache
def _fields(kind: type) -> tuple[tuple[str, str], ...]:
    return tuple((field.name, f'"{field.name}": ') for field in fields(kind))


# The same shapes, described -----------------------------------------------------

_SCALARS: Final[dict[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Raw: {"description": "Any JSON value, exactly as it was written."},
    Any: {},
}


def schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of what `to_json` writes for a value of this type.

    Each dataclass is put into `definitions` under its name and referred to.
    """
    if kind in _SCALARS:
        return _SCALARS[kind]
    arguments = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [schema(argument, definitions) for argument in arguments]}
    if origin is tuple:
        return {"type": "array", "items": schema(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema(arguments[1], definitions)}
    if issubclass(kind, Enum):
        return {"type": "string", "enum": [member.value for member in kind]}
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}  # a type may hold itself
        properties = _properties(kind, definitions)
        definitions[kind.__name__] = {
            "type": "object",
            "description": kind.__doc__,
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _properties(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    properties: dict[str, Any] = {}
    for name in kind.__dataclass_fields__:
        if hints[name] is Location:
            properties |= _properties(Location, definitions)
        else:
            properties[name] = schema(hints[name], definitions)
    return properties
