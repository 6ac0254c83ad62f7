"""From the schema of another's declaration to a core schema, with a change for all that is said anew.

A Gemini Schema has types in upper case, null as a flag and limits as text; the
others write JSON Schema, maybe of an older draft. Objects stay as open as they are.
"""

from __future__ import annotations

import re
from typing import Any, Final

from app.cursor import Cursor, escape, join
from app.dialects.gemini_schema import INTEGER_LIMITS, TYPES, camel
from app.exports.changes import Changes
from app.exports.core_schema import DRAFT_2020_12, children, rename_definitions, upgrade, walk
from app.exports.merge import Schema, types_of
from app.json_text import Number
from app.schema import LATEST, draft_of

FIELDS: Final = (
    INTEGER_LIMITS
    | {"type", "format", "title", "description", "nullable", "enum", "items", "properties", "required"}
    | {"minimum", "maximum", "pattern", "example", "anyOf", "propertyOrdering", "default"}
    | {"additionalProperties", "ref", "defs"}
)
"""Fields of a Gemini Schema, those of Vertex AI included."""

ANNOTATED: Final = frozenset({"int32", "int64", "float", "double", "byte", "password"})
"""Formats of OpenAPI that no JSON Schema engine judges."""

_ENUM_MEMBER: Final = re.compile(r"(?:<?Type\.)?([A-Z_]+)(?:: '[A-Z_]+'>)?")
"""How Python writes a type: `OBJECT`, `Type.OBJECT` or `<Type.OBJECT: 'OBJECT'>`."""
_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_WHOLE_FLOAT: Final = re.compile(r"(-?[0-9]+)\.0+")
_NUMERIC: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_HINT: Final = re.compile(r"\{[A-Za-z]+: [^{}]+\}$")


def from_gemini(schema: Cursor, changes: Changes) -> Any:
    """Read a Gemini Schema, in either casing, as JSON Schema."""
    out = _gemini(schema.tree, "", changes)
    return {"$schema": DRAFT_2020_12} | out if isinstance(out, dict) else out


def _gemini(node: Any, at: str, changes: Changes) -> Any:
    if not isinstance(node, dict):
        return node
    fields: Schema = {}
    for key, value in node.items():
        name = camel(key)
        if name != key and name in FIELDS:
            changes.say("snake-case-normalised", at)
        else:
            name = key
        if value is not None and name not in fields:  # SDK dumps write null for what is not set
            fields[name] = value
            if name not in FIELDS:
                changes.say("unknown-field", f"{at}/{escape(key)}", key)
    out: Schema = {}
    for key, value in fields.items():
        _field(out, key, value, f"{at}/{escape(key)}", changes)
    _settle(out, fields, at, changes)
    # Positions of a Schema that Gemini does not have hold its Schemas too.
    for child, pointer, key in children(out, at):
        told = _gemini(child, pointer, changes)
        holder = out[key]
        if isinstance(holder, list):
            holder[int(pointer.rpartition("/")[2])] = told
        elif isinstance(holder, dict) and holder is not child:
            holder[next(name for name in holder if holder[name] is child)] = told
        else:
            out[key] = told
    return out


def _field(out: Schema, key: str, value: Any, at: str, changes: Changes) -> None:
    if key == "type" and isinstance(value, str):
        found = _ENUM_MEMBER.fullmatch(value)
        name = found[1] if found is not None else value
        if name == "TYPE_UNSPECIFIED":
            changes.say("type-unspecified-dropped", at)
        else:
            out["type"] = name.lower() if name in TYPES else value
    elif key in INTEGER_LIMITS and isinstance(value, str):
        if _WHOLE.fullmatch(value):
            out[key] = Number(value)
            changes.say("int64-string-parsed", at)
        else:
            changes.say("int64-invalid", at, about=value)
    elif key == "format" and value == "enum":
        changes.say("format-enum-dropped", at)
    elif key == "format" and isinstance(value, str) and value in ANNOTATED:
        out[key] = value
        changes.say("format-annotation", at, value)
    elif key == "example":
        out["examples"] = [value]
        changes.say("example-to-examples", at)
    elif key == "ref" and isinstance(value, str):
        out["$ref"] = value.replace("#/defs/", "#/$defs/")
        changes.say("ref-renamed", at)
    elif key == "defs" and isinstance(value, dict):
        out["$defs"] = dict(value)
        changes.say("ref-renamed", at)
    elif key not in ("nullable", "propertyOrdering"):
        out[key] = (
            dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
        )


def _settle(out: Schema, fields: Schema, at: str, changes: Changes) -> None:
    """Say what hangs on several fields: whole numbers, null, the order of keys, openness."""
    kind = out.get("type")
    if kind in ("integer", "number") and isinstance(out.get("enum"), list):
        texts = [value for value in out["enum"] if isinstance(value, str)]
        out["enum"] = [
            Number(value) if isinstance(value, str) and _NUMERIC.fullmatch(value) else value
            for value in out["enum"]
        ]
        for value in texts:
            if _NUMERIC.fullmatch(value):
                changes.say("enum-destringified", f"{at}/enum")
            else:
                changes.say("int64-invalid", f"{at}/enum", about=value)
    for key in ("minimum", "maximum"):
        bound = out.get(key)
        whole = _WHOLE_FLOAT.fullmatch(bound.lexeme) if isinstance(bound, Number) else None
        if kind == "integer" and whole is not None:
            out[key] = Number(whole[1])
    order = fields.get("propertyOrdering")
    if isinstance(order, list) and isinstance(out.get("properties"), dict):
        properties = out["properties"]
        names = [name for name in order if isinstance(name, str) and name in properties]
        out["properties"] = {name: properties[name] for name in dict.fromkeys([*names, *properties])}
        changes.say("property-ordering-applied", f"{at}/propertyOrdering")
    if fields.get("nullable") in (True, "true"):
        _admit_null(out)
        changes.say("nullable-rewritten", f"{at}/nullable")
    if kind == "object" and "additionalProperties" not in out:
        changes.say("open-object", at)


def _admit_null(out: Schema) -> None:
    if isinstance(out.get("type"), str):
        out["type"] = [out["type"], "null"]
    if isinstance(out.get("anyOf"), list):
        out["anyOf"] = [*out["anyOf"], {"type": "null"}]
    if isinstance(out.get("enum"), list) and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]


# JSON Schema -------------------------------------------------------------------------------


def from_json(schema: Cursor, changes: Changes, *, origin: str = "json", strict: bool | None = None) -> Any:
    """Read a JSON Schema of any draft as 2020-12.

    `origin` is openai, anthropic, mcp or json; `strict` is the flag of the tool, None where it has none.
    """
    tree = schema.tree
    draft = draft_of(schema) or LATEST
    if not isinstance(tree, dict):
        return tree
    upgrade(tree, draft, changes)
    if draft < LATEST:
        changes.say("dialect-upgraded", "/$schema")
    rename_definitions(tree, changes)
    tree = {"$schema": DRAFT_2020_12} | {key: value for key, value in tree.items() if key != "$schema"}
    if origin != "json" and "type" not in tree and ("properties" in tree or "$ref" in tree):
        tree["type"] = "object"
        changes.say("root-type-added", "")
    for node, at in list(walk(tree)):
        if not isinstance(node, dict):
            continue
        if origin == "openai":
            _openai(node, at, strict, changes)
        if node.get("nullable") is True:
            changes.say("nullable-ignored", f"{at}/nullable")
        text = node.get("description")
        if origin == "anthropic" and isinstance(text, str) and _HINT.search(text):
            changes.say("sdk-hint-in-description", f"{at}/description")
        if node.get("type") == "object" and not node.keys() & {
            "additionalProperties",
            "unevaluatedProperties",
        }:
            changes.say("open-object", at)
    return tree


def _openai(node: Schema, at: str, strict: bool | None, changes: Changes) -> None:
    branches = node.get("anyOf")
    only = branches[0] if isinstance(branches, list) and len(branches) == 1 else None
    if isinstance(only, dict) and list(only) == ["$ref"] and "$ref" not in node:
        del node["anyOf"]
        node["$ref"] = only["$ref"]
        changes.say("ref-unwrapped", f"{at}/anyOf")
    properties = node.get("properties")
    if not isinstance(properties, dict) or strict is False:
        return
    required = node["required"] if isinstance(node.get("required"), list) else []
    # Without the flag, a closed object that requires every key is what a strict export looks like.
    if strict or (node.get("additionalProperties") is False and all(name in required for name in properties)):
        for name, child in properties.items():
            if name in required and _admits_null(child):
                changes.say("strict-nullable-required", f"{at}{join('properties', name)}", name)


def _admits_null(child: Any) -> bool:
    if not isinstance(child, dict):
        return False
    branches = child.get("anyOf")
    return "null" in (types_of(child) or ()) or (
        isinstance(branches, list)
        and any(isinstance(each, dict) and each.get("type") == "null" for each in branches)
    )
