"""Gemini's own Schema object and function declarations, shared by the Gemini dialects.

A Gemini Schema is no JSON Schema: types are upper case, nullability is a
flag, int64 limits may be strings, and (for long) no object could say
additionalProperties. `fold` says the same in draft 2020-12, for judging.

Source: https://ai.google.dev/api/caching#Schema
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.cursor import Cursor
from app.events import ToolDefinition
from app.json_text import Number

TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "TYPE_UNSPECIFIED"})
SCHEMA_MAPS = frozenset({"properties", "defs", "$defs"})
SCHEMA_LISTS = frozenset({"anyOf"})
SCHEMA_VALUES = frozenset({"items", "additionalProperties"})
SHARING = frozenset({"anyOf", "oneOf", "allOf", "if", "$ref", "ref"})
"""Keywords under which other schemas describe the very same object."""
INTEGER_LIMITS = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
)
USER_DATA = frozenset(
    {"enum", "default", "example", "required", "parametersJsonSchema", "responseJsonSchema"}
)
"""Fields whose keys are nobody's protocol."""
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
UNJUDGED = frozenset({"propertyOrdering", "example", "nullable", "title", "default"})
"""Fields that say nothing of a payload once `nullable` has been folded into the type."""


def camel(key: str) -> str:
    """Return the camelCase spelling of a protocol key.

    Proto JSON takes `toolCall` and `tool_call` and nothing that only looks like
    them: `tool__call`, `tool_Call` and `id_` come back as they are.
    """
    if "_" not in key or _SNAKE.fullmatch(key) is None:
        return key
    head, *rest = key.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def spelled_twice(at: Cursor) -> Iterator[Cursor]:
    """Yield the members below a declaration that stand beside their own other spelling."""
    stack = [at]
    while stack:
        here = stack.pop()
        seen: dict[str, str] = {}
        for member in here:
            key = member.key
            if key is not None and seen.setdefault(camel(key), key) != key:
                yield member
            name = camel(key or "")
            if name in SCHEMA_MAPS:
                stack.extend(member)  # its keys are the user's own names
            elif (member.is_object or member.is_array) and name not in USER_DATA:
                stack.append(member)


def members(at: Cursor) -> dict[str, Cursor]:
    """Return the members of an object by camelCase key; the first spelling wins."""
    found: dict[str, Cursor] = {}
    for member in at:
        found.setdefault(camel(member.key or ""), member)
    return found


def is_gemini(schema: Cursor) -> bool:
    """Tell whether an upper-case type marks the schema, at its root or one level down."""
    kind = schema.get("type")
    if kind is not None and kind.string in TYPES:
        return True
    properties = schema.get("properties")
    if properties is None:
        return False
    return any((kind := member.get("type")) is not None and kind.string in TYPES for member in properties)


def fold(schema: Cursor, *, close: bool) -> Any:
    """Return the schema as an editable draft 2020-12 value.

    With `close`, objects that do not say additionalProperties admit no other
    keys. The depth limit of the reader bounds the recursion.
    """
    folded = _fold(schema, close)
    if isinstance(folded, dict):
        folded = {"$schema": "https://json-schema.org/draft/2020-12/schema", **folded}
    return folded


def _fold(at: Cursor, close: bool, *, part: bool = False) -> Any:
    """Fold one schema. A `part` describes an object that others describe too, so it cannot close it."""
    if not at.is_object:
        return at.tree
    out: dict[str, Any] = {}
    fields = members(at)
    is_object = _says_object(fields)
    # An object that branches describe as well is closed for what none of them names.
    shared = is_object and any(key in fields for key in SHARING)
    for key, member in fields.items():
        if key in UNJUDGED:
            continue
        if key == "type":
            kind = member.string
            if kind is None:
                out["type"] = member.tree
            elif kind != "TYPE_UNSPECIFIED":
                out["type"] = kind.lower() if kind in TYPES else kind
        elif key in SCHEMA_MAPS and member.is_object:
            name = "$defs" if key == "defs" else key
            out[name] = {child.key or "": _fold(child, close) for child in member}
        elif key in SHARING and member.is_array:
            out[key] = [_fold(child, close, part=shared or part) for child in member]
        elif key in ("then", "else") or (key in SHARING and member.is_object):
            out[key] = _fold(member, close, part=shared or part)
        elif key in SCHEMA_VALUES:
            out[key] = _fold(member, close)
        elif key in INTEGER_LIMITS and (text := member.string) is not None and _INTEGER.fullmatch(text):
            out[key] = Number(text)
        elif key == "ref":
            out["$ref"] = (member.string or "").replace("#/defs/", "#/$defs/")
        elif key == "format" and member.string == "enum":
            continue
        else:
            out[key] = member.tree
    kind = out.get("type")
    if kind in ("integer", "number") and isinstance(out.get("enum"), list):
        out["enum"] = [_as_number(value) for value in out["enum"]]
    nullable = fields.get("nullable")
    if nullable is not None and nullable.text == "true":
        _admit_null(out)
    if close and is_object and not part and "additionalProperties" not in out:
        out["unevaluatedProperties" if shared else "additionalProperties"] = False
    return out


def _says_object(fields: dict[str, Cursor]) -> bool:
    kind = fields.get("type")
    return "properties" in fields or (kind is not None and (kind.string or "").lower() == "object")


def _admit_null(out: dict[str, Any]) -> None:
    if isinstance(out.get("type"), str):
        out["type"] = [out["type"], "null"]
    elif isinstance(out.get("anyOf"), list):
        out["anyOf"] = [*out["anyOf"], {"type": "null"}]
    if isinstance(out.get("enum"), list):
        out["enum"] = [*out["enum"], None]


def _as_number(value: Any) -> Any:
    # An INTEGER enum is written as strings; the model sends numbers.
    return Number(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else value


def definition(at: Cursor, dialect: str) -> ToolDefinition:
    """Read one functionDeclaration."""
    fields = members(at)
    name, description, behavior = (
        (member.string if (member := fields.get(key)) is not None else None)
        for key in ("name", "description", "behavior")
    )
    schema = fields.get("parametersJsonSchema")
    parameters = fields.get("parameters")
    result = fields.get("responseJsonSchema") or fields.get("response")
    return ToolDefinition(
        at=at,
        name=name or "",
        description=description,
        behavior=behavior,
        parameters=_unless_null(parameters or schema),
        result=_unless_null(result),
        gemini=parameters is not None,
        dialect=dialect,
    )


def _unless_null(at: Cursor | None) -> Cursor | None:
    return None if at is None or at.is_null else at


def definitions(at: Cursor | None, dialect: str) -> tuple[ToolDefinition, ...]:
    """Read the tools of a `tools` list, one Tool, or a functionDeclarations holder."""
    if at is None:
        return ()
    if at.is_array:
        return tuple(tool for item in at for tool in definitions(item, dialect))
    declared = members(at).get("functionDeclarations")
    if declared is None:
        return ()
    # What is no list of objects declares nothing; rules/declarations says so.
    return (
        tuple(definition(item, dialect) for item in declared if item.is_object) if declared.is_array else ()
    )
