"""What samples state: a schema that accepts them all, and the evidence for every tightening.

genson infers the base schema. One pass of our own counts what genson does not
keep: how often a key was there, which values, the smallest and largest number.
Inference only proposes; `tighten` applies suggestions, one keyword each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from genson import SchemaBuilder

from app import json_text, limits
from app.cursor import Cursor, escape
from app.json_text import JsonText, Kind
from app.model import Raw
from app.reports import DistinctValue, Evidence, InferredContract, Suggestion

DRAFT_2020_12: Final = "https://json-schema.org/draft/2020-12/schema"

LEVELS: Final = 30
"""Levels of a sample that are described; below them any object and any array passes.

One level of a sample can be four of schema (`anyOf`, its array, `properties`, the key),
and the deciding engine reads no schema nested deeper than 128. Real args stay below 20.
"""

_ENUM_SAMPLES: Final = 5
"""Fewest values before an enum is suggested: one room in two samples says nothing yet."""

_ENUM_FEW: Final = 3
"""So few different texts are a choice even if each was seen only once or twice."""

_ENUM_INTEGERS: Final = 5
"""Most different integers that look like a choice (0, 50, 100) and not like a quantity."""

_ENUM_INTEGER_REPEATS: Final = 4
"""How often each of them must have been seen on average; quantities repeat by chance."""

_BOUND_SAMPLES: Final = 5
"""Fewest numbers before the smallest and the largest are suggested as bounds."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

Number = int | float | Decimal


def infer(payloads: Sequence[Cursor], *, name: str | None = None) -> InferredContract:
    """Infer what the payloads of one tool state; their order does not matter.

    Payloads are JSON without NaN; of duplicate keys the last counts. A number
    written with a fraction or an exponent is a `number`, `1.0` too: JSON Schema
    would take it for an integer, but whoever wrote it meant a number.
    """
    values = [payload.value for payload in payloads]
    return _contract(values, _looked_at(payloads, values), name)


def evidence_of(payloads: Sequence[Cursor]) -> tuple[Evidence, ...]:
    """Return only the evidence, for a contract that is there already."""
    seen = _looked_at(payloads, [payload.value for payload in payloads])
    return tuple(_evidence(seen.root, "", len(payloads), len(payloads)))


def infer_values(values: Sequence[Any], *, name: str | None = None) -> InferredContract:
    """Infer from decoded values (`JsonText.value`); numbers are spelled as Python spells them."""
    return _contract(values, _Seen(values), name)


def _looked_at(payloads: Sequence[Cursor], values: Sequence[Any]) -> _Seen:
    seen = _Seen(values)
    if seen.fractions:
        for payload in payloads:
            _remember_lexemes(payload.json, payload.node, seen.root)
    return seen


def _contract(values: Sequence[Any], seen: _Seen, name: str | None) -> InferredContract:
    builder = SchemaBuilder(schema_uri=DRAFT_2020_12)
    for value in values:
        builder.add_object(_simplified(value, LEVELS) if seen.needs_simplifying else value)
    evidence = tuple(_evidence(seen.root, "", len(values), len(values)))
    return InferredContract(
        name=name,
        schema=Raw(spell(_ordered(builder.to_schema(), seen.root), indent=2)),
        samples=len(values),
        evidence=evidence,
        # genson has stated `required` already, so there it adds nothing.
        suggestions=tuple(s for s in suggestions(evidence) if s.keyword != "required"),
    )


def spell(value: Any, indent: int | None = None) -> str:
    """Write a plain or editable value as JSON text that stays JSON in UTF-8 (lone surrogates escaped)."""
    text = json_text.write(value, indent)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


# What was seen ---------------------------------------------------------------


class _Place:
    """Counts for one place of the payload; all items of an array share one place."""

    __slots__ = (
        "arrays",
        "booleans",
        "filled",
        "fractions",
        "integers",
        "items",
        "lexemes",
        "maximum",
        "members",
        "minimum",
        "nulls",
        "numbers",
        "objects",
        "position",
        "strings",
        "texts",
    )

    def __init__(self) -> None:
        self.position = 0
        """Sum of the positions in the parent object, to keep the order the samples are written in."""
        self.nulls = 0
        self.booleans = [0, 0]
        self.integers = 0
        self.fractions = 0
        self.texts = 0
        self.arrays = 0
        self.filled = 0
        """Arrays that hold at least one item."""
        self.objects = 0
        self.numbers: dict[Number, int] | None = {}
        """How often each number was seen; None above the limit. Likewise `strings`."""
        self.strings: dict[str, int] | None = {}
        self.minimum: Number | None = None
        self.maximum: Number | None = None
        self.lexemes: dict[Number, str] = {}
        """How fractions were written, where the text was at hand."""
        self.items: _Place | None = None
        self.members: dict[str, _Place] = {}

    @property
    def types(self) -> dict[str, int]:
        """JSON Schema types with how often each was seen."""
        counts = {
            "object": self.objects,
            "array": self.arrays,
            "string": self.texts,
            "integer": self.integers,
            "number": self.fractions,
            "boolean": sum(self.booleans),
            "null": self.nulls,
        }
        return {name: count for name, count in counts.items() if count}

    @property
    def in_order(self) -> list[tuple[str, _Place]]:
        """Members as the samples have them on average, then by name: no sample comes first."""
        return sorted(
            self.members.items(), key=lambda item: (item[1].position / sum(item[1].types.values()), item[0])
        )


class _Seen:
    """One pass over all values."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.root = _Place()
        self.fractions = False
        self.needs_simplifying = False
        """Whether genson cannot take the values as they are: too deep, or a Decimal among them."""
        for value in values:
            self._observe(self.root, value, LEVELS)

    def _observe(self, place: _Place, value: Any, levels: int) -> None:
        kind = type(value)
        if kind is dict:
            place.objects += 1
            if levels == 0:
                self.needs_simplifying = True
                return
            members = place.members
            for position, (key, item) in enumerate(value.items()):
                member = members.get(key)
                if member is None:
                    member = members[key] = _Place()
                member.position += position
                self._observe(member, item, levels - 1)
        elif kind is str:
            place.texts += 1
            strings = place.strings
            if strings is not None:
                try:
                    strings[value] += 1
                except KeyError:
                    strings[value] = 1
                    if len(strings) > limits.DISTINCT_VALUES:
                        place.strings = None
        elif kind is bool:
            place.booleans[value] += 1
        elif value is None:
            place.nulls += 1
        elif kind is list:
            place.arrays += 1
            if levels == 0:
                self.needs_simplifying = True
            elif value:
                place.filled += 1
                items = place.items
                if items is None:
                    items = place.items = _Place()
                for item in value:
                    self._observe(items, item, levels - 1)
        else:
            self._observe_number(place, value)

    def _observe_number(self, place: _Place, value: Number) -> None:
        if type(value) is int:
            place.integers += 1
        else:
            place.fractions += 1
            self.fractions = True
            if type(value) is Decimal:
                self.needs_simplifying = True
                if value.is_nan():  # an exponent that even Decimal cannot hold: no value to compare
                    place.numbers = None
                    return
        numbers = place.numbers
        if numbers is not None:
            if value in numbers:
                numbers[value] += 1
                return
            numbers[value] = 1
            if len(numbers) > limits.DISTINCT_VALUES:
                place.numbers = None
        if place.minimum is None or value < place.minimum:
            place.minimum = value
        if place.maximum is None or value > place.maximum:
            place.maximum = value


def _remember_lexemes(text: JsonText, node: int, place: _Place) -> None:
    kind = text.kind[node]
    if kind == Kind.NUMBER:
        if place.fractions:
            lexeme = text.lexeme(node)
            value = json_text.number_value(lexeme)
            if not isinstance(value, int):
                # The same number written in two ways: the shorter, so that order does not matter.
                known = place.lexemes.get(value, lexeme)
                place.lexemes[value] = min(known, lexeme, key=lambda written: (len(written), written))
    elif kind == Kind.OBJECT:
        for child in text.children(node):
            member = place.members.get(text.key(child) or "")
            if member is not None:
                _remember_lexemes(text, child, member)
    elif kind == Kind.ARRAY and place.items is not None:
        for child in text.children(node):
            _remember_lexemes(text, child, place.items)


def _simplified(value: Any, levels: int) -> Any:
    """Return what genson shall see: nothing below LEVELS, and a plain float for any Decimal."""
    if isinstance(value, dict):
        return {key: _simplified(item, levels - 1) for key, item in value.items()} if levels else {}
    if isinstance(value, list):
        return [_simplified(item, levels - 1) for item in value] if levels else []
    return 0.5 if isinstance(value, Decimal) else value


def _ordered(schema: dict[str, Any], place: _Place) -> dict[str, Any]:
    """Put genson's schema in an order that does not depend on the order of the samples."""
    if "anyOf" in schema:
        branches = sorted(
            schema["anyOf"], key=lambda branch: {"array": 1, "object": 2}.get(str(branch["type"]), 0)
        )
        return {**schema, "anyOf": [_ordered(branch, place) for branch in branches]}
    result = dict(schema)
    if "properties" in schema:
        result["properties"] = {
            key: _ordered(schema["properties"][key], member) for key, member in place.in_order
        }
    if "items" in schema and place.items is not None:
        result["items"] = _ordered(schema["items"], place.items)
    return result


# Evidence and what it suggests --------------------------------------------------


def _evidence(place: _Place, pointer: str, present: int, of: int) -> Iterator[Evidence]:
    values = _values(place)
    yield Evidence(
        pointer=pointer,
        types=place.types,
        present=present,
        of=of,
        distinct=limits.DISTINCT_VALUES + 1 if values is None else len(values),
        values=values,
        minimum=None if place.minimum is None else Raw(_written(place, place.minimum)),
        maximum=None if place.maximum is None else Raw(_written(place, place.maximum)),
    )
    for key, member in place.in_order:
        yield from _evidence(member, f"{pointer}/{escape(key)}", sum(member.types.values()), place.objects)
    if place.items is not None:
        yield from _evidence(place.items, f"{pointer}/*", place.filled, place.arrays)


def _values(place: _Place) -> tuple[DistinctValue, ...] | None:
    """Return the scalars seen, the most frequent first, or None above the limit."""
    if place.strings is None or place.numbers is None:
        return None
    counts = [(spell(text), count) for text, count in sorted(place.strings.items())]
    counts += [(_written(place, number), count) for number, count in sorted(place.numbers.items())]
    counts += [("true", place.booleans[True]), ("false", place.booleans[False]), ("null", place.nulls)]
    counts = sorted([item for item in counts if item[1]], key=lambda item: -item[1])
    if len(counts) > limits.DISTINCT_VALUES:
        return None
    return tuple(DistinctValue(Raw(text), count) for text, count in counts)


def _written(place: _Place, number: Number) -> str:
    return place.lexemes.get(number) or str(number)


def suggestions(evidence: Sequence[Evidence]) -> Iterator[Suggestion]:
    """Yield every keyword that the samples would allow, whatever a contract has already.

    The id is `keyword:pointer`, so it stays the same while samples are added.
    """
    for seen in evidence:
        if seen.pointer and not seen.pointer.endswith("/*") and seen.present == seen.of:
            yield _suggestion(
                seen, "required", "true", f"in {seen.present} of {seen.of}", seen.present, seen.of
            )
        total = sum(seen.types.values())
        is_choice = looks_like_choice(seen)
        if is_choice and seen.values is not None:
            values = "[" + ", ".join(value.value.text for value in seen.values) + "]"
            count = len(seen.values)
            reason = f"{count} value{'s' if count > 1 else ''} in {_samples(total, seen.pointer)}"
            yield _suggestion(seen, "enum", values, reason, total, total)
        numbers = seen.types.get("integer", 0) + seen.types.get("number", 0)
        if numbers >= _BOUND_SAMPLES and not is_choice and seen.minimum and seen.maximum:
            reason = f"{seen.minimum.text} to {seen.maximum.text} seen in {_samples(numbers, seen.pointer)}"
            yield _suggestion(seen, "minimum", seen.minimum.text, reason, numbers, total)
            yield _suggestion(seen, "maximum", seen.maximum.text, reason, numbers, total)
        objects = seen.types.get("object", 0)
        if objects:
            reason = f"0 other keys in {_samples(objects, seen.pointer)}"
            yield _suggestion(seen, "additionalProperties", "false", reason, objects, objects)


def looks_like_choice(seen: Evidence) -> bool:
    """Whether the values of a place are repeated enough to be a list to choose from.

    Texts that are all different (ids, sentences) are none, nor is anything seen a few times only.
    """
    if seen.values is None or set(seen.types) - {"string", "integer", "null"}:
        return False
    texts, integers = seen.types.get("string", 0), seen.types.get("integer", 0)
    distinct = len(seen.values) - ("null" in seen.types)
    if integers:
        return not texts and distinct <= _ENUM_INTEGERS and integers >= _ENUM_INTEGER_REPEATS * distinct
    return texts >= _ENUM_SAMPLES and (distinct <= _ENUM_FEW or texts >= 2 * distinct)


def counted(seen: Evidence) -> str:
    """Say how many values stand behind the evidence of a place: `41 samples`, or `3 items` of arrays."""
    return _samples(sum(seen.types.values()), seen.pointer)


def _samples(count: int, pointer: str) -> str:
    thing = "item" if "/*" in pointer else "sample"
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _suggestion(evidence: Evidence, keyword: str, value: str, reason: str, seen: int, of: int) -> Suggestion:
    return Suggestion(
        id=f"{keyword}:{evidence.pointer}",
        pointer=evidence.pointer,
        keyword=keyword,
        value=Raw(value),
        reason=reason,
        seen=seen,
        of=of,
    )
