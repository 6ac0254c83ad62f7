"""Two schemas that must both hold, as one: exact, or not at all.

Values are editable ones (`Cursor.tree`). What must hold for the same child is
left as an `allOf` there, so that references below are followed only when needed.
"""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from typing import Any, Final

from app.json_text import Number, number_value

Schema = dict[str, Any]

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"}
    | {"$comment", "contentEncoding", "contentMediaType", "contentSchema"}
)
"""Keywords that judge nothing."""

IN_PLACE: Final = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}
)
"""Keywords under which other schemas look at the same value."""

_LOWER: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_CONDITION: Final = frozenset({"if", "then", "else"})
_OF_OBJECTS: Final = frozenset({"properties", "additionalProperties", "patternProperties", "required"})


class Unmergeable(Exception):
    """The two cannot be said as one schema."""


class Impossible(Exception):
    """No value meets both."""


def identity(value: Any) -> Hashable:
    """Return what two JSON values have in common exactly when they are equal: 1.0 is 1, true is not."""
    if isinstance(value, Number):
        return "number", number_value(value.lexeme)
    if isinstance(value, dict):
        return "object", frozenset((key, identity(item)) for key, item in value.items())
    if isinstance(value, list):
        return "array", tuple(map(identity, value))
    return type(value).__name__, value


def type_of(value: Any) -> str:
    """Return the JSON Schema type of a value; a whole number is an integer."""
    if isinstance(value, Number):
        return "integer" if is_whole(number_value(value.lexeme)) else "number"
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def is_whole(value: int | float | Decimal) -> bool:
    """Whether a number has no fraction, however large it is."""
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return value == int(value)


def types_of(node: Schema) -> list[str] | None:
    """Return the types that a schema states, or None where it states none."""
    stated = node.get("type")
    if isinstance(stated, str):
        return [stated]
    return [each for each in stated if isinstance(each, str)] if isinstance(stated, list) else None


def fits(value: Any, types: list[str] | None) -> bool:
    """Whether a value is of one of the types."""
    kind = type_of(value)
    return types is None or kind in types or (kind == "integer" and "number" in types)


def number(value: Any) -> Any:
    """Return the number a limit states, or None where it states none."""
    return number_value(value.lexeme) if isinstance(value, Number) else None


def both(first: Schema, second: Schema) -> Schema:
    """Return a schema that admits what both admit; annotations are those of the first.

    Raises Unmergeable, and Impossible where nothing is admitted.
    """
    first, second = _settled(first), _settled(second)
    out: Schema = {}
    for key in [*first, *(key for key in second if key not in first)]:
        if key in _OF_OBJECTS:
            continue
        if key not in second:
            out[key] = first[key]
        elif key not in first:
            out[key] = second[key]
        elif key in ANNOTATIONS or identity(first[key]) == identity(second[key]):
            out[key] = first[key]
        else:
            out[key] = _both_of(key, first[key], second[key])
    if _CONDITION & first.keys() and _CONDITION & second.keys():
        raise Unmergeable
    out |= _objects(first, second)
    _check_values(out)
    return out


def _settled(node: Schema) -> Schema:
    """Say unevaluatedProperties as additionalProperties where the two are the same."""
    if "unevaluatedProperties" not in node or "additionalProperties" in node:
        return node
    if IN_PLACE & node.keys():
        raise Unmergeable
    return {
        "additionalProperties" if key == "unevaluatedProperties" else key: item for key, item in node.items()
    }


def _both_of(key: str, first: Any, second: Any) -> Any:
    if key == "type":
        types = _common(first, second)
        if not types:
            raise Impossible
        return types[0] if len(types) == 1 else types
    if key == "enum":
        known = set(map(identity, second))
        return [value for value in first if identity(value) in known]
    if key in _LOWER | _UPPER:
        lower, upper = number(first), number(second)
        if lower is None or upper is None:
            raise Unmergeable
        return first if (lower >= upper) == (key in _LOWER) else second
    if key == "uniqueItems":
        return first is True or second is True
    if key == "not":
        return {"anyOf": [first, second]}
    if key in ("items", "contains", "propertyNames") and isinstance(first, dict) and isinstance(second, dict):
        if key == "contains":
            raise Unmergeable
        return {"allOf": [first, second]}
    if key == "$defs":
        return first | second
    raise Unmergeable


def _common(first: Any, second: Any) -> list[str]:
    left, right = types_of({"type": first}) or [], types_of({"type": second}) or []
    found = [each for each in left if each in right or (each == "integer" and "number" in right)]
    return found + [each for each in right if each == "integer" and "number" in left and each not in found]


def _objects(first: Schema, second: Schema) -> Schema:
    left, right = first.get("properties"), second.get("properties")
    if any(value is not None and not isinstance(value, dict) for value in (left, right)):
        raise Unmergeable
    patterned = [node for node in (first, second) if node.get("patternProperties")]
    if len(patterned) == 2 and identity(first["patternProperties"]) != identity(second["patternProperties"]):
        raise Unmergeable
    if patterned and ("additionalProperties" in first or "additionalProperties" in second):
        raise Unmergeable
    out: Schema = {}
    required = dict.fromkeys([*first.get("required", ()), *second.get("required", ())])
    if "required" in first or "required" in second:
        out["required"] = list(required)
    if left is not None or right is not None:
        out["properties"] = properties = {}
        for name in [*(left or {}), *(name for name in right or {} if name not in (left or {}))]:
            stated = [_stated(node, props, name) for node, props in ((first, left), (second, right))]
            schemas = [schema for schema in stated if schema is not True and schema != {}]
            if False in schemas:
                if name in required:
                    raise Impossible
                continue  # closed on one side: the key cannot be there at all
            properties[name] = {} if not schemas else schemas[0] if len(schemas) == 1 else {"allOf": schemas}
    rest = [node["additionalProperties"] for node in (first, second) if "additionalProperties" in node]
    if False in rest:
        out["additionalProperties"] = False
    elif rest:
        schemas = [schema for schema in rest if schema is not True]
        out["additionalProperties"] = (
            True if not schemas else schemas[0] if len(schemas) == 1 else {"allOf": schemas}
        )
    if patterned:
        out["patternProperties"] = patterned[0]["patternProperties"]
    return out


def _stated(node: Schema, properties: Schema | None, name: str) -> Any:
    """Return what one schema says of a key: its property, else the schema of all other keys."""
    if properties is not None and name in properties:
        return properties[name]
    return node.get("additionalProperties", True)


def _check_values(out: Schema) -> None:
    if "enum" in out and "const" in out:
        if identity(out["const"]) not in set(map(identity, out["enum"])):
            raise Impossible
        del out["enum"]
    if out.get("enum") == []:
        raise Impossible


# Telling branches apart ------------------------------------------------------------------


def disjoint(branches: list[Schema]) -> bool:
    """Whether it is certain that no value meets two of the schemas."""
    return all(
        _apart(first, second) for index, first in enumerate(branches) for second in branches[index + 1 :]
    )


def _apart(first: Schema, second: Schema) -> bool:
    left, right = values_of(first), values_of(second)
    if left is not None and right is not None and not {*map(identity, left)} & {*map(identity, right)}:
        return True
    types, others = types_of(first), types_of(second)
    if types is not None and others is not None:
        common = set(_common(types, others))
        if not common:
            return True
        if common != {"object"}:
            return False
    else:
        return False
    both_required = set(first.get("required", ())) & set(second.get("required", ()))
    return any(
        _apart_at(first.get("properties", {}).get(name), second.get("properties", {}).get(name))
        for name in both_required
    )


def _apart_at(first: Any, second: Any) -> bool:
    return isinstance(first, dict) and isinstance(second, dict) and _apart(first, second)


def values_of(node: Schema) -> list[Any] | None:
    """Return the only values that a schema admits, where it lists them."""
    if "const" in node:
        return [node["const"]]
    listed = node.get("enum")
    return listed if isinstance(listed, list) else None
