"""The places of a contract and what payloads show there: types, values, sizes, keys.

A place is a pointer into the payload that names items `*` unless the contract
tells them apart, and so the keys of a map. Nothing is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.cursor import Cursor, escape
from app.json_text import Kind
from app.schema import Subschema
from app.schema_map import ANY_TYPE, SchemaMap, unique
from app.second import frozen

SPOTS: Final = 100_000
"""Most values that are looked at: about half a second."""

ITEMS: Final = 50
"""Most items of one array that are looked at; those behind them are of the same kind."""


@dataclass(slots=True)
class Place:
    """What the contract says of one place, and what the payloads show.

    `subschemas` stand for the place, `parts` look at its value, branches
    included; both are empty where the contract says nothing. `types` is what is
    allowed, None where no type is stated. `values` are the scalars by what JSON
    calls equal, `scalars` counts them all, `sizes` are the lengths of texts and
    arrays, `keys` counts the keys of the `objects`.
    """

    pointer: str
    subschemas: list[Subschema]
    parts: list[Subschema]
    types: tuple[str, ...] | None
    kinds: set[Kind] = field(default_factory=set)
    values: dict[Hashable, Cursor] = field(default_factory=dict)
    scalars: int = 0
    sizes: dict[Kind, set[int]] = field(default_factory=dict)
    objects: int = 0
    keys: Counter[str] = field(default_factory=Counter)

    def stated(self, *keywords: str) -> Iterator[Cursor]:
        """Yield what the contract states there under any of these keywords."""
        for part in self.parts:
            for keyword in keywords:
                found = part.cursor.get(keyword)
                if found is not None:
                    yield found

    def states(self, *keywords: str) -> bool:
        """Whether the contract states any of these keywords there."""
        return any(True for _ in self.stated(*keywords))

    def first(self, *keywords: str, otherwise: str) -> str:
        """Return the first of the keywords that is stated there."""
        return next((keyword for keyword in keywords if self.states(keyword)), otherwise)

    def allows(self, name: str) -> bool:
        """Whether the contract says that values of this type pass; silence says nothing."""
        return self.types is not None and (
            name in self.types or (name == "integer" and "number" in self.types)
        )


class Spot(NamedTuple):
    """One value of one payload. `owner` is the payload's name."""

    owner: str
    at: Cursor
    place: Place


class Places:
    """The places of one contract. What was looked at, at `most` so many values, is counted into them."""

    def __init__(self, plan: SchemaMap, most: int = SPOTS) -> None:
        self.plan = plan
        self.most = most
        self.spots = 0
        self._places: dict[str, Place] = {}

    @property
    def complete(self) -> bool:
        """Whether every value of the payloads was looked at."""
        return self.spots < self.most

    def root(self) -> Place:
        """Return what is known of the whole payload."""
        return self._place("", [self.plan.root])

    def below(self, place: Place, token: str) -> Place:
        """Return the place of a member or an item: one of its own where the contract has one, else `*`."""
        own = self._below(place, token)
        if own.parts:
            return own
        rest = self._below(place, "*")
        return rest if rest.parts else own

    def _below(self, place: Place, step: str) -> Place:
        pointer = f"{place.pointer}/{escape(step)}"
        found = self._places.get(pointer)
        if found is not None:
            return found
        children = (child for each in place.subschemas for child in self.plan.children(each, step))
        return self._place(pointer, unique(children))

    def _place(self, pointer: str, subschemas: list[Subschema]) -> Place:
        found = self._places.get(pointer)
        if found is None:
            parts = unique(part for each in subschemas for part in self.plan.parts(each))
            types = {name for each in subschemas for name in self.plan.types(each)}
            silent = not subschemas or types >= set(ANY_TYPE)
            found = Place(pointer, subschemas, parts, None if silent else tuple(types))
            self._places[pointer] = found
        return found

    def spots_of(self, owner: str, payload: Cursor) -> Iterator[Spot]:
        """Yield the values of a payload with their places, in order, up to a limit for all payloads."""
        stack = [Spot(owner, payload, self.root())]
        while stack and self.complete:
            spot = stack.pop()
            self.spots += 1
            yield spot
            children = list(spot.at)[:ITEMS] if spot.at.is_array else list(spot.at)
            for index, child in reversed(list(enumerate(children))):
                token = str(index) if spot.at.is_array else child.key or ""
                stack.append(Spot(owner, child, self.below(spot.place, token)))

    def look_at(self, owner: str, payload: Cursor) -> list[Spot]:
        """Count the values of a payload into their places, and return them."""
        spots = list(self.spots_of(owner, payload))
        for _, at, place in spots:
            place.kinds.add(at.kind)
            if at.is_object:
                place.objects += 1
                place.keys.update(at.keys)
            elif at.is_array:
                place.sizes.setdefault(Kind.ARRAY, set()).add(len(at))
            else:
                place.scalars += 1
                place.values.setdefault(frozen(at.value), at)
            if at.is_string:
                place.sizes.setdefault(Kind.STRING, set()).add(len(at.string or ""))
        return spots
