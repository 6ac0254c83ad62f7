"""Telling payloads that must be refused from those that must be accepted, with the fewest keywords.

`candidates` reads off the payloads which single keywords might do it; what each
really does is for an engine to say. `fewest` then chooses. Nothing is judged and
nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from app import limits
from app.cursor import Cursor, escape
from app.json_text import Kind
from app.model import Raw
from app.places import Place, Places, Spot
from app.schema_map import SchemaMap
from app.second import frozen

STEPS: Final = 5_000
"""Choices tried, half a second, before a small set is given without the proof that it is the smallest."""

FEW: Final = 8
"""So many values are taken for a list; of more, a keyword on the length may be the likelier rule."""

REPEATS: Final = 4
"""Unless each was seen so often on average."""

LAST_RESORT: Final = "const"
"""What refuses everything but the one array that was seen. It serves only where nothing else does."""

_COSTS: Final = {
    "type": 0,
    "additionalProperties": 0,
    "required": 0,
    "minimum": 1,
    "maximum": 1,
    "enum": 2,
    "uniqueItems": 2,
    "minItems": 3,
    "maxItems": 3,
    "minLength": 4,
    "maxLength": 4,
    LAST_RESORT: 6,
}
"""Which of two keywords that do the same is meant: what says more about the tool costs less."""

_LONG_ENUM: Final = 5
"""The cost of a long list of values that were seen once or twice."""


class Candidate(NamedTuple):
    """One keyword that may be set at one place.

    `values` is what it says, a list for `type` and `enum`; `cost` says how
    unlikely it is that this keyword is the one that was meant.
    """

    keyword: str
    pointer: str
    values: tuple[Raw, ...]
    cost: int


def _candidate(keyword: str, pointer: str, *lexemes: str) -> Candidate:
    return Candidate(keyword, pointer, tuple(map(Raw, lexemes)), _COSTS[keyword])


# What might tell them apart -----------------------------------------------------------


def candidates(
    plan: SchemaMap, accepted: Iterable[Cursor], refused: Iterable[Cursor]
) -> tuple[list[Candidate], bool]:
    """Return each keyword that holds for what all accepted payloads show and not for some refused one.

    The second value tells whether all of every payload was looked at.
    """
    places = Places(plan)
    arrays: dict[str, dict[Hashable, Cursor]] = {}
    for payload in accepted:
        for spot in places.look_at("", payload):
            if spot.at.is_array:
                arrays.setdefault(spot.place.pointer, {}).setdefault(frozen(spot.at.value), spot.at)
    found: dict[Candidate, None] = {}
    complete = places.complete
    places.spots = 0
    for payload in refused:
        for spot in places.spots_of("", payload):
            if spot.place.kinds:
                found |= dict.fromkeys(_differences(spot, arrays.get(spot.place.pointer, {})))
    return list(found), complete and places.complete


def _differences(spot: Spot, arrays: Mapping[Hashable, Cursor]) -> Iterator[Candidate]:
    at, place = spot.at, spot.place
    types = _types(place)
    if not _is_one_of(at, types):
        yield _candidate("type", place.pointer, *(f'"{name}"' for name in types))
    match at.kind:
        case Kind.OBJECT:
            yield from _key_differences(at, place)
        case Kind.ARRAY:
            yield from _size_differences(place, Kind.ARRAY, len(at), "minItems", "maxItems")
            if len({frozen(item.value) for item in at}) < len(at):
                yield _candidate("uniqueItems", place.pointer, "true")
        case Kind.STRING:
            yield from _size_differences(place, Kind.STRING, len(at.string or ""), "minLength", "maxLength")
        case Kind.NUMBER:
            numbers = [each for each in place.values.values() if each.kind is Kind.NUMBER]
            lowest = min(numbers, key=lambda each: each.value, default=None)
            highest = max(numbers, key=lambda each: each.value, default=None)
            if lowest is not None and at.value < lowest.value:
                yield _candidate("minimum", place.pointer, lowest.text)
            if highest is not None and at.value > highest.value:
                yield _candidate("maximum", place.pointer, highest.text)
    if place.kinds == {Kind.ARRAY} and len(arrays) == 1 and frozen(at.value) not in arrays:
        yield _candidate(LAST_RESORT, place.pointer, *(each.text for each in arrays.values()))
    scalars = not place.kinds & {Kind.OBJECT, Kind.ARRAY} and not (at.is_object or at.is_array)
    if scalars and frozen(at.value) not in place.values and len(place.values) <= limits.DISTINCT_VALUES:
        listed = _candidate("enum", place.pointer, *(each.text for each in place.values.values()))
        is_list = len(place.values) <= FEW or place.scalars >= REPEATS * len(place.values)
        yield listed if is_list else listed._replace(cost=_LONG_ENUM)


def _key_differences(at: Cursor, place: Place) -> Iterator[Candidate]:
    own = set(at.keys)
    if own - place.keys.keys():
        yield _candidate("additionalProperties", place.pointer, "false")
    for key, count in place.keys.items():
        if count == place.objects and key not in own:
            yield _candidate("required", f"{place.pointer}/{escape(key)}", "true")


def _size_differences(place: Place, kind: Kind, size: int, least: str, most: str) -> Iterator[Candidate]:
    sizes = place.sizes.get(kind)
    if sizes and size < min(sizes):
        yield _candidate(least, place.pointer, str(min(sizes)))
    if sizes and size > max(sizes):
        yield _candidate(most, place.pointer, str(max(sizes)))


_TYPES: Final = {
    Kind.OBJECT: "object",
    Kind.ARRAY: "array",
    Kind.STRING: "string",
    Kind.NUMBER: "number",
    Kind.TRUE: "boolean",
    Kind.FALSE: "boolean",
    Kind.NULL: "null",
}


def _types(place: Place) -> tuple[str, ...]:
    names = dict.fromkeys(_TYPES[kind] for kind in _TYPES if kind in place.kinds)
    numbers = [each for each in place.values.values() if each.kind is Kind.NUMBER]
    if numbers and all(_is_whole(each) for each in numbers):
        return tuple("integer" if name == "number" else name for name in names)
    return tuple(names)


def _is_one_of(at: Cursor, types: Sequence[str]) -> bool:
    name = _TYPES[at.kind]
    return name in types or (name == "number" and "integer" in types and _is_whole(at))


def _is_whole(number: Cursor) -> bool:
    value = number.value
    return bool(value == (value.to_integral_value() if isinstance(value, Decimal) else value // 1))


# The fewest of them ---------------------------------------------------------------


def fewest(
    wanted: Sequence[str], effects: Mapping[Candidate, frozenset[str]]
) -> tuple[list[Candidate], bool]:
    """Return the fewest candidates that together reach all that is wanted, and whether that is proven.

    Every name that is wanted must be in some effect. Of equally small sets the
    one of the least cost is chosen.
    """
    useful = _undominated(effects)
    reached_by = {name: [each for each in useful if name in effects[each]] for name in wanted}
    greedy = _greedy(wanted, effects, useful)
    steps = iter(range(STEPS))
    best: list[Candidate] | None = None

    def search(chosen: list[Candidate], open_names: frozenset[str], more: int) -> bool:
        """Try every way to reach the rest with so many more; False when the steps ran out."""
        nonlocal best
        if not open_names:
            if best is None or _cost(chosen) < _cost(best):
                best = chosen
            return True
        if not more or max(len(effects[each] & open_names) for each in useful) * more < len(open_names):
            return True
        if next(steps, None) is None:
            return False
        rarest = min(sorted(open_names), key=lambda name: len(reached_by[name]))
        return all(
            search([*chosen, each], open_names - effects[each], more - 1) for each in reached_by[rarest]
        )

    for size in range(len(greedy) + 1):
        if not search([], frozenset(wanted), size):
            return greedy, False
        if best is not None:
            return best, True
    return greedy, True


def _cost(chosen: Iterable[Candidate]) -> int:
    return sum(each.cost for each in chosen)


def _undominated(effects: Mapping[Candidate, frozenset[str]]) -> list[Candidate]:
    """Leave out what another reaches as well at no more cost."""
    kept: list[Candidate] = []
    for each in sorted(effects, key=lambda one: (-len(effects[one]), one.cost)):
        if not any(effects[each] <= effects[other] and other.cost <= each.cost for other in kept):
            kept.append(each)
    return kept


def _greedy(
    wanted: Sequence[str], effects: Mapping[Candidate, frozenset[str]], useful: Sequence[Candidate]
) -> list[Candidate]:
    chosen: list[Candidate] = []
    left = set(wanted)
    while left:
        best = max(useful, key=lambda each: (len(effects[each] & left), -each.cost))
        chosen.append(best)
        left -= effects[best]
    return chosen
