"""Payloads made up from a schema: some that it should accept, and values at its edges.

They are guesses. Whoever uses them lets an engine judge each one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from app.cursor import Cursor
from app.json_text import Kind, Number
from app.schema import Subschema
from app.schema_map import SchemaMap, property_names, required_names, unique

LEVELS: Final = 12
"""Levels that are made up; a schema that refers to itself has no last one."""

MEMBERS: Final = 300
"""Most members of one made-up object, and most values shown for one place."""

LENGTH: Final = 2_000
"""Longest made-up text and array."""

DIGITS: Final = 20
"""Longest bound whose neighbours are tried."""

Tree = Any
"""A value as `json_text.write` takes it: numbers may be `Number` lexemes."""


def payloads(plan: SchemaMap) -> Iterator[Tree]:
    """Yield payloads that the schema should accept: with all properties, the required, of each branch."""
    yield _made(plan, [plan.root], full=True, level=0)
    yield _made(plan, [plan.root], full=False, level=0)
    for branch in plan.parts(plan.root)[1:MEMBERS]:
        yield _made(plan, [branch], full=True, level=0)


def _made(plan: SchemaMap, places: Sequence[Subschema], *, full: bool, level: int) -> Tree:
    parts = unique(part for each in places for part in plan.conjuncts(each))
    shown = _shown(parts)
    if shown:
        return shown[0]
    types = [name for each in places for name in plan.types(each)] or ["null"]
    match types[0]:
        case "object":
            named = [name for part in parts for name in property_names(part)] if full else []
            required = [name for part in parts for name in required_names(part)]
            keys = dict.fromkeys([*(named if level < LEVELS else ()), *required])
            return {key: _below(plan, places, key, full, level) for key in list(keys)[:MEMBERS]}
        case "array":
            size = max([1 if full and level < LEVELS else 0, *_counts(parts, "minItems")])
            return [_below(plan, places, str(index), full, level) for index in range(min(size, LENGTH))]
        case "string":
            return "x" * min(LENGTH, max([1, *_counts(parts, "minLength")]))
        case "boolean":
            return True
        case "null":
            return None
    return _number(parts)


def _below(plan: SchemaMap, places: Sequence[Subschema], step: str, full: bool, level: int) -> Tree:
    children = unique(child for each in places for child in plan.children(each, step))
    rest = children or unique(child for each in places for child in plan.children(each, "*"))
    if not rest or level > 2 * LEVELS:
        return True
    return _made(plan, rest, full=full and level < LEVELS, level=level + 1)


def _number(parts: Sequence[Subschema]) -> Tree:
    factor = next(iter(_numbers(parts, "multipleOf")), Decimal(1))
    lowest = max(
        [*_numbers(parts, "minimum"), *(bound + factor for bound in _numbers(parts, "exclusiveMinimum"))],
        default=None,
    )
    highest = min(
        [*_numbers(parts, "maximum"), *(bound - factor for bound in _numbers(parts, "exclusiveMaximum"))],
        default=None,
    )
    start = lowest if lowest is not None else min(Decimal(1), highest) if highest is not None else factor
    try:
        multiple = start // factor * factor
    except InvalidOperation:  # a quotient of too many digits
        return lexeme(start)
    return lexeme(multiple + factor if lowest is not None and multiple < lowest else multiple)


# Values at the edges ---------------------------------------------------------------


def edges(parts: Sequence[Subschema]) -> Iterator[Tree]:
    """Yield values at which what a schema says of one place begins to refuse, and one of each type."""
    yield from _shown(parts)
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for bound in _numbers(parts, keyword):
            yield from (lexeme(bound + step) for step in (0, -1, 1, Decimal("0.5")))
    for factor in _numbers(parts, "multipleOf"):
        yield from (lexeme(each) for each in (factor, factor * 2, factor / 2, factor * 3))
    for keyword in ("minLength", "maxLength"):
        for count in _counts(parts, keyword):
            yield from ("x" * size for size in (count, count - 1, count + 1) if 0 <= size <= LENGTH)
    for keyword in ("minItems", "maxItems"):
        for count in _counts(parts, keyword):
            yield from ([size] * size for size in (count, count - 1, count + 1) if 0 <= size <= LENGTH)
    yield from ("x", "", "X y", 1, Number("1.5"), -1, True, None, {}, [], [1, 1], {"x": 1})


# What a schema states --------------------------------------------------------------


def _shown(parts: Iterable[Subschema]) -> list[Tree]:
    """Return the values that a schema itself shows."""
    shown: list[Tree] = []
    for part in parts:
        shown += [each.tree for keyword in ("const", "default") if (each := part.cursor.get(keyword))]
        for keyword in ("enum", "examples"):
            listed = part.cursor.get(keyword)
            shown += [each.tree for each in listed or () if listed is not None and listed.is_array]
    return shown[:MEMBERS]


def _numbers(parts: Iterable[Subschema], keyword: str) -> list[Decimal]:
    stated = (part.cursor.get(keyword) for part in parts)
    return [Decimal(each.text) for each in stated if _is_short_number(each) and each is not None]


def _counts(parts: Iterable[Subschema], keyword: str) -> list[int]:
    return [int(each) for each in _numbers(parts, keyword)]


def _is_short_number(stated: Cursor | None) -> bool:
    return stated is not None and stated.kind is Kind.NUMBER and len(stated.text) <= DIGITS


def lexeme(value: Decimal) -> Number:
    """Write a number, without an exponent where it is whole and not huge."""
    whole = value.adjusted() < DIGITS and value == value.to_integral_value()
    return Number(str(int(value)) if whole else str(value))
