"""How large a written schema is, as providers count, and which limits it meets.

Definitions are counted on their own and references are not followed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from app.exports.changes import Changes
from app.exports.core_schema import children
from app.exports.merge import number, types_of
from app.exports.profile import Limits

MANY_VALUES = 250
"""Over so many values the text of one enum is limited."""


@dataclass(frozen=True, slots=True)
class Size:
    """Counts over one schema, or over all schemas of a request; depth and enum text do not add up."""

    depth: int = 0
    properties: int = 0
    optional: int = 0
    unions: int = 0
    enum_values: int = 0
    enum_chars: int = 0
    strings: int = 0
    max_items: int = 0

    def plus(self, other: Size) -> Size:
        """Return what both come to in one request."""
        sums = {each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Size)}
        sums["depth"] = max(self.depth, other.depth)
        sums["enum_chars"] = max(self.enum_chars, other.enum_chars)
        return Size(**sums)


def measure(schema: Any) -> Size:
    """Measure a schema as it is sent; `defs` and upper-case types count like their JSON Schema names."""
    size = Size()
    stack = [(schema, 0)]
    while stack:
        node, above = stack.pop()
        if not isinstance(node, dict):
            continue
        is_object = "properties" in node or "object" in [each.lower() for each in types_of(node) or ()]
        depth = above + is_object
        size = size.plus(_own(node, depth))
        stack += [(child, 0 if keyword == "$defs" else depth) for child, _, keyword in children(node, "")]
        if isinstance(definitions := node.get("defs"), dict):
            stack += [(child, 0) for child in definitions.values()]
    return size


def _own(node: dict[str, Any], depth: int) -> Size:
    properties = node.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    definitions = node.get("$defs") if isinstance(node.get("$defs"), dict) else {}
    values = node["enum"] if isinstance(node.get("enum"), list) else []
    texts = sum(len(value) for value in values if isinstance(value, str))
    const = node.get("const")
    required = node.get("required", ())
    return Size(
        depth=depth,
        properties=len(properties),
        optional=sum(1 for name in properties if name not in required),
        unions=sum(1 for child in properties.values() if _is_union(child)),
        enum_values=len(values),
        enum_chars=texts if len(values) > MANY_VALUES else 0,
        strings=sum(map(len, properties))
        + sum(map(len, definitions or ()))
        + texts
        + (len(const) if isinstance(const, str) else 0),
        max_items=int(number(node.get("maxItems")) or 0),
    )


def _is_union(node: Any) -> bool:
    return isinstance(node, dict) and ("anyOf" in node or isinstance(node.get("type"), list))


def check(size: Size, limits: Limits, changes: Changes, *, strict_tools: int = 0) -> None:
    """Say which limits are met."""
    for count, most, code in (
        (size.depth, limits.depth, "limit-depth"),
        (size.properties, limits.properties, "limit-properties"),
        (size.enum_values, limits.enum_values, "limit-enum-values"),
        (size.enum_chars, limits.enum_chars, "limit-enum-chars"),
        (size.strings, limits.strings, "limit-string-budget"),
        (size.optional, limits.optional, "limit-optional-params"),
        (size.unions, limits.unions, "limit-union-params"),
        (strict_tools, limits.strict_tools, "limit-strict-tools"),
        (size.max_items, limits.max_items, "limit-maxitems-sum"),
    ):
        if most is not None and count > most:
            changes.say(code, "", about=str(count), source=limits.source)
    if limits.depth_risk is not None and size.depth >= limits.depth_risk:
        changes.say("limit-depth-risk", "", about=str(size.depth), source=limits.source)
