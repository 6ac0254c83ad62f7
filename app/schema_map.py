"""Where a schema speaks of a place of the payload, and what it says there of types, keys and closing.

A place is a pointer into the payload with `*` for any item: `/items/*/qty`. The
same place may stand in several subschemas, through references and branches.
Nothing is judged and nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from app.cursor import escape, split
from app.json_text import Kind
from app.schema import Outline, Subschema, targets

ALL_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
ANY_TYPE: Final = ("object", "array", "string", "number", "boolean", "null")
"""What a place allows that states no type; `number` includes the integers."""

CLOSERS: Final = ("additionalProperties", "unevaluatedProperties")


class SchemaMap:
    """A schema with the ways through it."""

    def __init__(self, found: Outline, draft: int) -> None:
        self.outline = found
        self.draft = draft
        self.schema = found.root
        self.root = found.subschemas[""]
        self._required: dict[str, frozenset[str]] = {}

    def places(self, pointer: str) -> list[Subschema]:
        """Return the subschemas that stand for a place of the payload, through every branch."""
        here = [self.root]
        for step in split(pointer):
            here = unique(child for place in here for child in self.children(place, step))
        return here

    def walk(self) -> Iterator[tuple[str, list[Subschema]]]:
        """Yield every place with its pointer, parents first. What was described once is not entered again."""
        seen: set[str] = set()
        stack = [("", [self.root])]
        while stack:
            pointer, places = stack.pop()
            yield pointer, places
            fresh = [place for place in places if place.pointer not in seen]
            seen.update(place.pointer for place in fresh)
            steps = dict.fromkeys(step for place in fresh for step in self.steps(place))
            for step in reversed(steps):
                below = unique(child for place in fresh for child in self.children(place, step))
                if below:
                    stack.append((f"{pointer}/{escape(step)}", below))

    def children(self, place: Subschema, step: str) -> Iterator[Subschema]:
        """Yield the subschemas one step below a place; `*` is any item, or any key a map does not name."""
        for part in self.parts(place):
            yield from self._known(f"{part.pointer}/properties/{escape(step)}")
            if step == "*":
                yield from self._rest(part)
            elif step.isdecimal():
                yield from self._known(f"{part.pointer}/prefixItems/{step}")
                yield from self._known(f"{part.pointer}/items/{step}")

    def steps(self, place: Subschema) -> Iterator[str]:
        """Yield the steps that lead on from a place: properties, positions of a tuple, then `*`."""
        found: dict[str, None] = {}
        for part in self.parts(place):
            found |= dict.fromkeys(property_names(part))
            for keyword in ("prefixItems", "items"):
                found |= dict.fromkeys(map(str, range(len(self._listed(part, keyword)))))
            if any(self._rest(part)):
                found["*"] = None
        yield from found

    def names(self, part: Subschema, name: str) -> bool:
        """Whether a subschema names a property."""
        return f"{part.pointer}/properties/{escape(name)}" in self.outline.subschemas

    def _rest(self, part: Subschema) -> Iterator[Subschema]:
        keywords = ["items", "additionalProperties"]
        patterns = part.cursor.get("patternProperties")
        keywords += [f"patternProperties/{escape(key)}" for key in (patterns.keys if patterns else ())]
        for keyword in keywords:
            for found in self._known(f"{part.pointer}/{keyword}"):
                if found.cursor.is_object:
                    yield found

    def parts(self, place: Subschema) -> list[Subschema]:
        """Return a place and every subschema that looks at the same value, branches included."""
        return _reach(place, lambda part: [*self._always(part), *self._branches(part)])

    def conjuncts(self, place: Subschema) -> list[Subschema]:
        """Return a place and the subschemas that every object there must meet as well.

        The only branch of anyOf or oneOf that takes objects counts: `object or null`.
        """

        def further(part: Subschema) -> list[Subschema]:
            branches = self._object_branches(part)
            return [*self._always(part), *(branches if len(branches) == 1 else [])]

        return _reach(place, further)

    def types(self, place: Subschema) -> tuple[str, ...]:
        """Return the types that a place allows."""
        allowed = set(ALL_TYPES)
        for part in _reach(place, self._always):
            allowed &= _own_types(part)
            for keyword in ("anyOf", "oneOf"):
                branches = self._listed(part, keyword)
                if branches:
                    allowed &= set().union(*(_own_types(branch) for branch in branches))
        return tuple(
            name for name in ALL_TYPES if name in allowed and not (name == "integer" and "number" in allowed)
        )

    def owners(self, place: Subschema) -> list[Subschema]:
        """Return the conjuncts that name properties."""
        return [part for part in self.conjuncts(place) if property_names(part)]

    def target(self, place: Subschema) -> Subschema:
        """Return where to write a keyword: up to draft 7 nothing beside a $ref counts."""
        at = place
        while self.draft <= 7 and at.cursor.get("$ref") is not None:
            further = self._always(at)
            if not further or further[0] is place:
                break
            at = further[0]
        return at

    def is_required(self, parent: Subschema, name: str) -> bool:
        """Whether an object must have a key."""
        return any(name in self._required_names(part) for part in self.conjuncts(parent))

    def _required_names(self, part: Subschema) -> frozenset[str]:
        if part.pointer not in self._required:
            self._required[part.pointer] = frozenset(required_names(part))
        return self._required[part.pointer]

    def is_closed(self, place: Subschema) -> bool:
        """Whether an object refuses keys that it does not name."""
        if any(_is_closed(part) for part in self.conjuncts(place)):
            return True
        branches = self._object_branches(place)
        return len(branches) > 1 and all(self.is_closed(branch) for branch in branches)

    def open_parts(self, place: Subschema) -> list[tuple[Subschema, str]]:
        """Return what to close, and by which keyword, so that a place refuses other keys."""
        owners = self.owners(place)
        branches = self._object_branches(place)
        if not owners and len(branches) > 1:
            return [found for each in branches if not self.is_closed(each) for found in self.open_parts(each)]
        if len(owners) <= 1:
            # Beside branches that name keys of their own, a closed object would refuse those keys.
            named = owners[0] if owners else self.target(place)
            inner = {name for each in branches for part in self.parts(each) for name in property_names(part)}
            if inner <= set(property_names(named)):
                return [(named, "additionalProperties")]
        return [(self.target(place), "unevaluatedProperties")] if self.draft >= 2019 else []

    def _always(self, part: Subschema) -> list[Subschema]:
        known = self.outline.subschemas
        led = [known[to] for _, _, to in targets(self.outline, part) if to is not None and to in known]
        return [*led, *self._listed(part, "allOf")]

    def _branches(self, part: Subschema) -> list[Subschema]:
        return [*self._listed(part, "anyOf"), *self._listed(part, "oneOf")]

    def _object_branches(self, part: Subschema) -> list[Subschema]:
        return [branch for branch in self._branches(part) if "object" in _own_types(branch)]

    def _listed(self, part: Subschema, keyword: str) -> list[Subschema]:
        listed = part.cursor.get(keyword)
        size = len(listed) if listed is not None and listed.is_array else 0
        return [found for index in range(size) for found in self._known(f"{part.pointer}/{keyword}/{index}")]

    def _known(self, pointer: str) -> Iterator[Subschema]:
        found = self.outline.subschemas.get(pointer)
        if found is not None:
            yield found


def _reach(place: Subschema, further: Callable[[Subschema], list[Subschema]]) -> list[Subschema]:
    found = {place.pointer: place}
    queue = [place]
    for part in queue:
        for each in further(part):
            if each.pointer not in found:
                found[each.pointer] = each
                queue.append(each)
    return queue


def unique(found: Iterable[Subschema]) -> list[Subschema]:
    """Return the subschemas once each, in order."""
    return list({each.pointer: each for each in found}.values())


def _own_types(part: Subschema) -> set[str]:
    if part.cursor.kind is Kind.FALSE:
        return set()
    stated = part.cursor.get("type")
    names = {stated.string} if stated is not None and stated.is_string else set()
    if stated is not None and stated.is_array:
        names = {item.string for item in stated}
    if not names:
        return set(ALL_TYPES)
    return {name for name in ALL_TYPES if name in names or (name == "integer" and "number" in names)}


def property_names(part: Subschema) -> list[str]:
    """Return the properties that a subschema itself names."""
    properties = part.cursor.get("properties")
    return properties.keys if properties is not None else []


def required_names(part: Subschema) -> list[str]:
    """Return the keys that a subschema itself requires."""
    required = part.cursor.get("required")
    return [item.string or "" for item in required] if required is not None and required.is_array else []


def _is_closed(part: Subschema) -> bool:
    return any(is_false(part, keyword) for keyword in CLOSERS)


def is_false(part: Subschema, keyword: str) -> bool:
    """Whether a keyword is `false`."""
    stated = part.cursor.get(keyword)
    return stated is not None and stated.kind is Kind.FALSE


def is_map(part: Subschema) -> bool:
    """Whether the keys that an object does not name have a schema of their own."""
    stated = part.cursor.get("additionalProperties")
    return stated is not None and stated.is_object and len(stated) > 0


def states_values(part: Subschema) -> bool:
    """Whether a subschema lists its values."""
    return any(part.cursor.get(keyword) is not None for keyword in ("enum", "const"))
