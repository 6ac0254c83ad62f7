"""Mutants: neighbours of the accepted cases, each with exactly one thing broken.

A contract is worth what it refuses, so each mutant should be refused; one that
gets in names the keyword that is missing. What the accepted cases themselves
show to be free is no break: a key that one of them lacks, a text of which they
have two, an array of which they have two lengths.

A mutant is its case's text with one span replaced, so everything else keeps its
lexemes, escapes and layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import Final, NamedTuple

from app import cases, engine, patterns
from app.contract import Contract, Schema
from app.cursor import Cursor
from app.instances import lexeme
from app.json_text import JsonError, Kind, quote
from app.model import Verdict
from app.places import Place, Places, Spot
from app.schema_edit import without
from app.schema_map import SchemaMap, is_map, property_names
from app.second import frozen

MUTANTS: Final = 1_000
"""With so many mutants of one contract no further value is broken, and of one value there are no more."""

CHARACTERS: Final = 2_000_000
"""Most text of all mutants together: each is read and judged."""

CASES: Final = 200
"""Most accepted cases that get neighbours."""

SPOTS: Final = 10_000
"""Most values of the accepted cases that are looked at."""

LENGTH: Final = 10_000
"""Longest text or array that is made only to be too long by one."""

DIGITS: Final = 20
"""Longest bound that is stepped over by one."""

EXTRA: Final = "extra"
"""The key that is one too many."""


class Mutant(NamedTuple):
    """A payload with one thing broken.

    `pointer` is the value that was replaced, the key that was taken away, or
    the object or array that has one member too many. `keyword` is what should
    refuse it. `case` is the accepted case beside it, `schema_pointer` leads to
    what the contract says there, None where it says nothing.
    """

    name: str
    operator: str
    pointer: str
    keyword: str
    payload: Cursor
    case: str
    schema_pointer: str | None


class Mutants(NamedTuple):
    """The mutants that were made, and whether they are all that there are."""

    made: tuple[Mutant, ...]
    complete: bool


class _Break(NamedTuple):
    """What to replace in the text of a case, and why."""

    operator: str
    pointer: str
    keyword: str
    start: int
    end: int
    text: str


def mutants(contract: Contract) -> tuple[Mutant, ...]:
    """Return the neighbours of a contract's accepted cases; none where it cannot judge."""
    schema = cases.part_of(contract, "parameters")
    if schema is None or contract.cases is None:
        return ()
    return neighbours(schema, cases.read_cases(contract.cases, [])).made


def neighbours(schema: Schema, given: Iterable[cases.Case]) -> Mutants:
    """Return the neighbours of those cases that must be accepted and are."""
    plan = SchemaMap(schema.prepared.outline, schema.prepared.draft)
    places = Places(plan, SPOTS)
    accepted = list(_accepted(schema, given))
    spots = _ranked(spot for name, payload in accepted[:CASES] for spot in places.look_at(name, payload))
    found: list[tuple[int, Spot, _Break]] = []
    while spots and len(found) < MUTANTS:
        index, spot = spots.pop()
        breaks = islice(_breaks(places, spot, schema.prepared.assert_formats), MUTANTS)
        found += [(index, spot, each) for each in breaks]
    complete = len(found) < MUTANTS and len(accepted) <= CASES and places.complete
    pinned = {frozen(payload.value) for _, payload in accepted}
    made: list[Mutant] = []
    names: set[str] = set()
    room = CHARACTERS
    for _, spot, each in sorted(found, key=lambda one: one[0]):
        text = spot.at.json.text
        room -= len(text)
        if room < 0:
            complete = False
            break
        try:
            payload = Cursor.of(text[: each.start] + each.text + text[each.end :], input=spot.owner)
        except JsonError:  # one level deeper than is read
            continue
        key = frozen(payload.value)
        if key in pinned:
            continue
        pinned.add(key)
        name = _name(each, spot.owner, names)
        names.add(name)
        described = next((part.pointer for part in spot.place.subschemas), None)
        made.append(Mutant(name, each.operator, each.pointer, each.keyword, payload, spot.owner, described))
    return Mutants(tuple(made), complete)


def _name(made: _Break, case: str, taken: Collection[str]) -> str:
    """Return a name of its own. It begins with the operator, so nobody takes it for a case that must pass."""
    plain = f"{made.operator} {made.pointer}" if made.pointer else made.operator
    if plain not in taken:
        return plain
    return next(name for name in _numbered(f"{plain} ({case})") if name not in taken)


def _accepted(schema: Schema, given: Iterable[cases.Case]) -> Iterator[tuple[str, Cursor]]:
    for case in given:
        if case.expect != "accept" or case.payload is None or case.payload.raw is None:
            continue
        if len(case.payload.text) > CHARACTERS // 4:
            continue
        payload = Cursor.of(case.payload.text, input=case.name)
        # Of two members with one key nobody knows which is meant, so none can be broken.
        if not payload.json.duplicates and engine.verdict(schema.prepared, payload) is Verdict.ACCEPT:
            yield case.name, payload


def _ranked(spots: Iterable[Spot]) -> list[tuple[int, Spot]]:
    """Return the values to break with their place in the order, the most wanted last.

    Of the values of one case that are of one kind and stand at one place, the
    first is enough. Each place has its turn before one has a second.
    """
    ranks: Counter[tuple[str, Kind]] = Counter()
    seen: set[tuple[str, str, Kind]] = set()
    ranked: list[tuple[int, int, Spot]] = []
    for index, spot in enumerate(spots):
        kind = (spot.place.pointer, spot.at.kind)
        if (spot.owner, *kind) not in seen:
            seen.add((spot.owner, *kind))
            ranked.append((ranks[kind], index, spot))
            ranks[kind] += 1
    ranked.sort(key=lambda each: each[:2], reverse=True)
    return [(index, spot) for _, index, spot in ranked]


# Breaking ------------------------------------------------------------------------


def _breaks(places: Places, spot: Spot, formats: bool) -> Iterator[_Break]:
    yield from _wrong_types(spot)
    match spot.at.kind:
        case Kind.OBJECT:
            yield from _object_breaks(places, spot)
        case Kind.ARRAY:
            yield from _array_breaks(places, spot)
        case Kind.STRING:
            yield from _string_breaks(spot, formats)
        case Kind.NUMBER:
            yield from _number_breaks(spot)


def _replaced(spot: Spot, operator: str, keyword: str, text: str) -> _Break:
    json, node = spot.at.json, spot.at.node
    return _Break(operator, spot.at.path, keyword, json.start[node], json.end[node], text)


_OTHER_TYPES: Final = {
    Kind.OBJECT: (("array", "[]"), ("integer", "1")),
    Kind.ARRAY: (("object", "{}"), ("integer", "1")),
    Kind.STRING: (("integer", "1"), ("boolean", "true"), ("array", "[]")),
    Kind.NUMBER: (("boolean", "true"), ("array", "[]")),
    Kind.TRUE: (("string", '"true"'), ("integer", "1"), ("array", "[]")),
    Kind.FALSE: (("string", '"false"'), ("integer", "0"), ("array", "[]")),
    Kind.NULL: (("string", '"null"'), ("integer", "0"), ("array", "[]")),
}
"""What may stand instead of a value: the likeliest mistake that the contract does not allow."""


def _wrong_types(spot: Spot) -> Iterator[_Break]:
    at, place = spot.at, spot.place
    keyword = place.first("type", "const", "enum", otherwise="type")
    other = next((text for name, text in _OTHER_TYPES[at.kind] if not place.allows(name)), None)
    if other is not None:
        yield _replaced(spot, "wrong-type", keyword, other)
    if not at.is_null and not place.allows("null"):
        yield _replaced(spot, "null", keyword, "null")
    if not place.allows("string"):
        if at.kind in (Kind.OBJECT, Kind.ARRAY):
            yield _replaced(spot, "encoded-as-string", keyword, quote(at.json.layout(at.node, 0)))
        elif at.kind is Kind.NUMBER:
            yield _replaced(spot, "number-as-string", keyword, quote(at.text))


def _object_breaks(places: Places, spot: Spot) -> Iterator[_Break]:
    at, place, json = spot.at, spot.place, spot.at.json
    children = list(json.children(at.node))
    start, end = json.start[at.node], json.end[at.node]
    for child in at:
        key = child.key or ""
        of_map = places.below(place, key).pointer.endswith("/*") and key != "*"
        if not of_map and place.keys[key] == place.objects:
            cut = without(json, children, child.node, start, end)
            yield _Break("missing-key", child.path, "required", *cut, "")
    if not any(is_map(part) for part in place.parts):
        named = {*at.keys, *(name for part in place.parts for name in property_names(part))}
        key = next(name for name in _numbered(EXTRA) if name not in named)
        keyword = place.first(
            "additionalProperties", "unevaluatedProperties", otherwise="additionalProperties"
        )
        yield _appended(spot, "extra-key", keyword, f"{quote(key)}: true")


def _array_breaks(places: Places, spot: Spot) -> Iterator[_Break]:
    at, place = spot.at, spot.place
    items = list(at)
    size = len(items)
    limits = [most for stated in place.stated("maxItems") if (most := _count(stated)) is not None]
    last = items[-1].text if items else "null"
    for most in limits:
        if size <= most < LENGTH:
            yield _appended(spot, "extra-item", "maxItems", *[last] * (most + 1 - size))
    unique_items = any(stated.kind is Kind.TRUE for stated in place.stated("uniqueItems"))
    if not (limits or unique_items) and items and len(place.sizes[Kind.ARRAY]) == 1:
        is_tuple = places.below(place, str(size - 1)).pointer.rpartition("/")[2] != "*"
        closed = place.first("items", "additionalItems", "unevaluatedItems", otherwise="items")
        yield _appended(spot, "extra-item", closed if is_tuple else "maxItems", last)
    for stated in place.stated("minItems"):
        least = _count(stated)
        if least and least - 1 < size:
            kept = items[: least - 1]
            yield _replaced(spot, "missing-item", "minItems", f"[{', '.join(each.text for each in kept)}]")
    if items and unique_items:
        yield _appended(spot, "repeated-item", "uniqueItems", last)


def _string_breaks(spot: Spot, formats: bool) -> Iterator[_Break]:
    place, text = spot.place, spot.at.string or ""
    listed = {item.string for stated in place.stated("enum") for item in stated}
    listed |= {stated.string for stated in place.stated("const")}
    shapes = [shape for stated in place.stated("pattern") if (shape := stated.string) is not None]
    longest = [most for stated in place.stated("maxLength") if (most := _count(stated)) is not None]
    least = [few for stated in place.stated("minLength") if (few := _count(stated)) is not None]
    shaped = bool(shapes) or (formats and place.states("format"))
    keyword = place.first("enum", "const", "pattern", "format" if formats else "pattern", otherwise="enum")
    if listed or shaped:
        for operator, new in (
            ("near-miss", _near(text, listed, shapes)),
            ("other-case", text.upper() if text != text.upper() else text.lower()),
            ("padded-string", f"{text} "),
            ("empty-string", ""),
        ):
            if new is not None and new != text and new not in listed:
                yield _replaced(spot, operator, keyword, quote(new))
    else:
        if not (longest or least or place.states("format")) and len(place.values) == 1:
            yield _replaced(spot, "near-miss", keyword, quote(f"{text}x"))
        if text:
            yield _replaced(spot, "empty-string", "minLength", '""')
    for most in longest:
        if len(text) <= most < LENGTH:
            longer = (text or "x") + (text or "x")[-1] * (most + 1 - len(text or "x"))
            yield _replaced(spot, "too-long", "maxLength", quote(longer))
    for few in least:
        if few > 1:
            yield _replaced(spot, "too-short", "minLength", quote(text[: few - 1]))


def _near(text: str, listed: set[str | None], shapes: Sequence[str]) -> str | None:
    """Return a text that is nearly the same, and neither in the list nor of the shape."""
    for new in (text[:-1], text + text[-1:], f"{text}x", f"x{text}"):
        if new and new not in listed and not any(patterns.matches(each, new) for each in shapes):
            return new
    return None


_BOUNDS: Final = (
    ("too-small", "minimum", -1),
    ("too-large", "maximum", 1),
    ("too-small", "exclusiveMinimum", 0),
    ("too-large", "exclusiveMaximum", 0),
)
"""What is out of bounds by one: the operator, the keyword, and the step from its value."""


def _number_breaks(spot: Spot) -> Iterator[_Break]:
    at, place = spot.at, spot.place
    if len(at.text) > DIGITS:
        return
    value = Decimal(at.text)
    stated = [each for found in place.stated("enum", "const") for each in (found, *found)]
    listed = {Decimal(each.text) for each in stated if each.kind is Kind.NUMBER}
    if listed:
        steps = (value + step for step in range(1, len(listed) + 2))
        near = next((each for each in steps if each not in listed), None)
        if near is not None:  # 1e400 and one is 1e400
            yield _replaced(spot, "near-miss", place.first("enum", "const", otherwise="enum"), _lexeme(near))
    elif place.allows("integer") and not place.allows("number"):
        yield _replaced(spot, "fraction", "type", _lexeme(value.to_integral_value() + Decimal("0.5")))
    for operator, keyword, step in _BOUNDS:
        for bound in _numbers(place, keyword):
            yield _replaced(spot, operator, keyword, _lexeme(bound + step))
    for factor in _numbers(place, "multipleOf"):
        step_over = 1 if factor == factor.to_integral_value() and factor > 1 else factor / 2
        yield _replaced(spot, "not-a-multiple", "multipleOf", _lexeme(value + step_over))


# Small things --------------------------------------------------------------------


def _appended(spot: Spot, operator: str, keyword: str, *members: str) -> _Break:
    """Put members or items behind the last one, spaced as their neighbours are."""
    json, node = spot.at.json, spot.at.node
    children = list(json.children(node))
    if not children:
        inner = ", ".join(members)
        return _replaced(spot, operator, keyword, f"{{{inner}}}" if spot.at.is_object else f"[{inner}]")
    last = json.end[children[-1]]
    first = json.key_start[children[-1]] if spot.at.is_object else json.start[children[-1]]
    before = json.end[children[-2]] if len(children) > 1 else json.start[node] + 1
    gap = json.text[before:first].rpartition(",")[2] or " "
    text = "".join(f",{gap}{member}" for member in members)
    return _Break(operator, spot.at.path, keyword, last, last, text)


def _numbers(place: Place, keyword: str) -> Iterator[Decimal]:
    for stated in place.stated(keyword):
        if stated.kind is Kind.NUMBER and len(stated.text) <= DIGITS:
            yield Decimal(stated.text)


def _count(stated: Cursor) -> int | None:
    return int(stated.value) if stated.kind is Kind.NUMBER and len(stated.text) <= DIGITS else None


def _lexeme(value: Decimal) -> str:
    return lexeme(value).lexeme


def _numbered(word: str) -> Iterator[str]:
    yield word
    number = 2
    while True:
        yield f"{word}_{number}"
        number += 1
