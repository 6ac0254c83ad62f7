"""Values -> JSON text: every answer of the workbench is written here.

A report becomes an object with its field names, a finding's place stands beside
its other fields, and `Raw` is put in as it was pasted. `schema` describes the
same shapes, so that the OpenAPI document cannot say anything else.
"""

from __future__ import annotations

import re
import types
import typing
from enum import Enum
from json import dumps
from typing import Any, Final

from app.model import Location, Raw

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def to_json(value: Any) -> str:
    """Write a report, or any part of one, as JSON text that is valid UTF-8.

    Lone surrogates, which UTF-8 cannot carry, are escaped: outside of strings
    there are none.
    """
    parts: list[str] = []
    _write(value, parts.append)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", "".join(parts))


def _write(value: Any, add: typing.Callable[[str], None]) -> None:
    if value is None or isinstance(value, str | int | float):
        add(dumps(value, ensure_ascii=False))
    elif isinstance(value, Raw):
        add(value.text)
    elif isinstance(value, dict):
        _write_members(value.items(), add)
    elif isinstance(value, tuple | list):
        add("[")
        for index, item in enumerate(value):
            if index:
                add(", ")
            _write(item, add)
        add("]")
    else:
        _write_members(_members(value), add)


def _write_members(members: typing.Iterable[tuple[str, Any]], add: typing.Callable[[str], None]) -> None:
    opener = "{"
    for name, value in members:
        add(f"{opener}{dumps(name, ensure_ascii=False)}: ")
        _write(value, add)
        opener = ", "
    add("{}" if opener == "{" else "}")


def _members(value: Any) -> typing.Iterator[tuple[str, Any]]:
    """Yield the fields of a dataclass; those of a `Location` as its owner's own."""
    for name in value.__dataclass_fields__:
        member = getattr(value, name)
        if isinstance(member, Location):
            yield from _members(member)
        else:
            yield name, member


# The same shapes, described -----------------------------------------------------

_SCALARS: Final[dict[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
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
