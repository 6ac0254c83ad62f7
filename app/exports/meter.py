"""How large a written schema is, as providers count, and which limits it meets.

Definitions are counted on their own and references are not followed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

from app.exports.changes import Changes
from app.exports.core_schema import children
from app.exports.merge import number, types_of
from app.exports.profile import Limits

MOST_ITEMS = 1_000_000
"""Larger maxItems count as this."""

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
    count = Counter[str]()
    depth = enum_chars = 0
    stack = [(schema, 0)]
    while stack:
        node, above = stack.pop()
        if not isinstance(node, dict):
            continue
        properties = node["properties"] if isinstance(node.get("properties"), dict) else {}
        here = above + ("properties" in node or "object" in [each.lower() for each in types_of(node) or ()])
        depth = max(depth, here)
        if properties:
            required = node.get("required", ())
            count["properties"] += len(properties)
            count["optional"] += sum(1 for name in properties if name not in required)
            count["unions"] += sum(1 for child in properties.values() if _is_union(child))
            count["strings"] += sum(map(len, properties))
        if isinstance(values := node.get("enum"), list):
            text = sum(len(value) for value in values if isinstance(value, str))
            count["enum_values"] += len(values)
            count["strings"] += text
            enum_chars = max(enum_chars, text if len(values) > MANY_VALUES else 0)
        if isinstance(const := node.get("const"), str):
            count["strings"] += len(const)
        count["max_items"] += int(min(number(node.get("maxItems")) or 0, MOST_ITEMS))
        for keyword in ("$defs", "defs"):
            if isinstance(definitions := node.get(keyword), dict):
                count["strings"] += sum(map(len, definitions))
        stack += [(child, 0 if keyword == "$defs" else here) for child, _, keyword in children(node, "")]
        if isinstance(definitions := node.get("defs"), dict):
            stack += [(child, 0) for child in definitions.values()]
    return Size(depth=depth, enum_chars=enum_chars, **count)


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
