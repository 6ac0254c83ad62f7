"""The tools that a text declares, in whatever wrapper they come.

Requests, `tools` lists, `setup`, `session.update`, `tools/list` and single
entries are looked through for what an entry looks like. What none of that fits
is asked of the dialects, so that a new dialect is read without a word here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app import dialects
from app.cursor import Cursor
from app.dialects.gemini_schema import is_gemini, members

WRAPPERS: Final = (
    "tools",
    "functions",
    "functionDeclarations",
    "setup",
    "session",
    "result",
    "response",
    "config",
    "contextUpdate",
    "responseFormat",
    "text",
    "format",
    "generationConfig",
    "outputConfig",
)
"""Members of a request or a frame under which declarations stand, in camelCase."""

DEEPEST: Final = 5
"""Wrappers in each other: a frame, its session, a tools list, one tool and its functionDeclarations."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One tool, or one reply format, as it is declared.

    `origin` is gemini, openai, anthropic, mcp or json. `gemini_parameters` and
    `gemini_result` say that the schema is a Gemini Schema. `both` is the second
    field that states the same schema, which no API takes.
    """

    at: Cursor
    origin: str
    name: str | None
    description: str | None = None
    behavior: str | None = None
    parameters: Cursor | None = None
    result: Cursor | None = None
    gemini_parameters: bool = False
    gemini_result: bool = False
    strict: bool | None = None
    both: Cursor | None = None


def declared(root: Cursor) -> list[Declared]:
    """Return what a JSON text declares, in order; nothing where it declares nothing."""
    found = list(_declared(root, 0))
    if found:
        return found
    frame = dialects.decode(root) if root.is_object else None
    return [
        Declared(
            at=each.at,
            origin="gemini" if each.gemini else "json",
            name=each.name or None,
            description=each.description,
            behavior=each.behavior,
            parameters=each.parameters,
            result=each.result,
            gemini_parameters=each.gemini,
        )
        for each in (frame.declarations if frame is not None else ())
    ]


def _declared(at: Cursor, depth: int, under: str = "") -> Iterator[Declared]:
    if at.is_array:
        for item in at:
            yield from _declared(item, depth, under)
    elif at.is_object and depth <= DEEPEST:
        entry = _entry(at, under)
        if entry is not None:
            yield entry
            return
        fields = members(at)
        for name in WRAPPERS:
            if name in fields:
                yield from _declared(fields[name], depth + 1, name)


def _entry(at: Cursor, under: str) -> Declared | None:
    fields = members(at)
    kind = _text(fields.get("type"))
    if kind == "function" and (inner := fields.get("function")) is not None and inner.is_object:
        return _openai(at, members(inner))
    if kind == "json_schema":
        inner = fields.get("jsonSchema")
        held = members(inner) if inner is not None and inner.is_object else fields
        return _with(at, "openai", held, result=held.get("schema"), strict=_flag(held.get("strict")))
    if "responseSchema" in fields or ("responseJsonSchema" in fields and "name" not in fields):
        proto = fields.get("responseSchema")
        schema = proto if proto is not None else fields.get("responseJsonSchema")
        both = fields.get("responseJsonSchema") if proto is not None else None
        return _with(at, "gemini", {}, result=schema, gemini_result=proto is not None, both=both)
    if _text(fields.get("name")) is None:
        return None
    if "inputSchema" in fields and "toolSpec" not in fields and at.get("inputSchema") is not None:
        return _with(at, "mcp", fields, parameters=fields["inputSchema"], result=fields.get("outputSchema"))
    if at.get("input_schema") is not None:
        return _with(
            at, "anthropic", fields, parameters=fields["inputSchema"], strict=_flag(fields.get("strict"))
        )
    proto = fields.get("parameters")
    if kind == "function" or under == "functions":
        return _openai(at, fields)
    gemini_words = fields.keys() & {"parametersJsonSchema", "response", "responseJsonSchema"}
    if under == "functionDeclarations" or gemini_words or (proto is not None and is_gemini(proto)):
        return _gemini(at, fields)
    if proto is not None or "result" in fields:
        return _with(at, "json", fields, parameters=proto, result=fields.get("result"))
    return None


def _openai(at: Cursor, fields: dict[str, Cursor]) -> Declared:
    return _with(
        at, "openai", fields, parameters=fields.get("parameters"), strict=_flag(fields.get("strict"))
    )


def _gemini(at: Cursor, fields: dict[str, Cursor]) -> Declared:
    proto, schema = _unless_null(fields.get("parameters")), _unless_null(fields.get("parametersJsonSchema"))
    reply, reply_schema = _unless_null(fields.get("response")), _unless_null(fields.get("responseJsonSchema"))
    return _with(
        at,
        "gemini",
        fields,
        parameters=proto or schema,
        result=reply or reply_schema,
        gemini_parameters=proto is not None,
        gemini_result=reply is not None,
        both=schema if proto and schema else reply_schema if reply and reply_schema else None,
    )


def _with(
    at: Cursor,
    origin: str,
    fields: dict[str, Cursor],
    *,
    parameters: Cursor | None = None,
    result: Cursor | None = None,
    gemini_parameters: bool = False,
    gemini_result: bool = False,
    strict: bool | None = None,
    both: Cursor | None = None,
) -> Declared:
    return Declared(
        at,
        origin,
        _text(fields.get("name")),
        _text(fields.get("description")),
        _text(fields.get("behavior")),
        _unless_null(parameters),
        _unless_null(result),
        gemini_parameters,
        gemini_result,
        strict,
        both,
    )


def _unless_null(at: Cursor | None) -> Cursor | None:
    return None if at is None or at.is_null else at


def _text(at: Cursor | None) -> str | None:
    return at.string if at is not None else None


def _flag(at: Cursor | None) -> bool | None:
    return {"true": True, "false": False}.get(at.text) if at is not None else None
