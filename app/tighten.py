"""Setting one keyword of a contract at a time, with the proof of what it does.

A place of the payload is a pointer (`/room`, `/items/*/qty`). Changes are made
in the text of the schema, so key order, lexemes, escapes and layout of
everything else stay. `tighten` only ever narrows; `loosen` takes a keyword back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from app import engine, infer, limits
from app.cursor import Cursor, escape, join, split, unescape
from app.json_text import JsonText, Kind
from app.model import Finding, Location, Raw, Severity, Verdict, status_of
from app.reports import Change, DistinctValue, Evidence, InferredContract, Property, Suggestion, TightenReport
from app.schema import LATEST, Outline, Subschema, draft_of, outline, targets

BOUNDS: Final = (
    "const",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)
"""Keywords beside `enum` that narrow the value of one place."""

ALL_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
ANY_TYPE: Final = ("object", "array", "string", "number", "boolean", "null")
"""What a place allows that states no type; `number` includes the integers."""

_CLOSERS: Final = ("additionalProperties", "unevaluatedProperties")

_WORD: Final = re.compile(r'"[^\W\d]+(?:[_-][^\W\d]+)*"')
"""A name without digits and blanks (`living_room`); ids and sentences are none."""

_LINE: Final = 96
"""Longest array that is written on one line."""


@dataclass(frozen=True, slots=True)
class Case:
    """A pinned payload and whether it must be accepted."""

    name: str
    payload: Cursor
    accept: bool


@dataclass(frozen=True, slots=True)
class _Setting:
    """One keyword of one subschema. `after` None takes it away; a tuple is an array of lexemes."""

    pointer: str
    at: Subschema
    keyword: str
    after: str | tuple[str, ...] | None
    reason: str


# Where a schema speaks of a place ------------------------------------------------


class _Plan:
    """A schema with the ways through it."""

    def __init__(self, found: Outline, draft: int) -> None:
        self.outline = found
        self.draft = draft
        self.schema = found.root
        self.root = found.subschemas[""]

    def places(self, pointer: str) -> list[Subschema]:
        """Return the subschemas that stand for a place of the payload, through every branch."""
        here = [self.root]
        for step in split(pointer):
            here = _unique(child for place in here for child in self.children(place, step))
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
                below = _unique(child for place in fresh for child in self.children(place, step))
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
            found |= dict.fromkeys(_names(part))
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
        return [part for part in self.conjuncts(place) if _names(part)]

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
        return any(name in _required(part) for part in self.conjuncts(parent))

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
            inner = {name for each in branches for part in self.parts(each) for name in _names(part)}
            if inner <= set(_names(named)):
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


def _unique(found: Iterable[Subschema]) -> list[Subschema]:
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


def _names(part: Subschema) -> list[str]:
    properties = part.cursor.get("properties")
    return properties.keys if properties is not None else []


def _required(part: Subschema) -> list[str]:
    required = part.cursor.get("required")
    return [item.string or "" for item in required] if required is not None and required.is_array else []


def _is_closed(part: Subschema) -> bool:
    return any(_is_false(part, keyword) for keyword in _CLOSERS)


def _is_false(part: Subschema, keyword: str) -> bool:
    stated = part.cursor.get(keyword)
    return stated is not None and stated.kind is Kind.FALSE


def _is_map(part: Subschema) -> bool:
    stated = part.cursor.get("additionalProperties")
    return stated is not None and stated.is_object and len(stated) > 0


def _names_values(part: Subschema) -> bool:
    return any(part.cursor.get(keyword) is not None for keyword in ("enum", "const"))


# Editing the text ----------------------------------------------------------------


def _edited(schema: Cursor, settings: Sequence[_Setting]) -> str:
    """Return the text of the schema with each setting written into it, and nothing else touched."""
    by_node: dict[int, list[_Setting]] = {}
    for setting in settings:
        by_node.setdefault(setting.at.cursor.node, []).append(setting)
    edits: list[tuple[int, int, str]] = []
    for found in by_node.values():
        edits += _member_edits(found[0].at.cursor, found)
    text = schema.json.text
    start, end = schema.json.start[schema.node], schema.json.end[schema.node]
    pieces: list[str] = []
    done = start
    for begin, stop, new in sorted(edits, key=lambda edit: edit[:2]):
        if begin >= done:  # an edit inside a value that was replaced went with it
            pieces += [text[done:begin], new]
            done = stop
    return "".join(pieces) + text[done:end]


def _member_edits(at: Cursor, settings: Sequence[_Setting]) -> Iterator[tuple[int, int, str]]:
    json, node = at.json, at.node
    start, end = json.start[node], json.end[node]
    children = list(json.children(node)) if at.is_object else []
    layout = _Layout.of(json, node, children)
    added: list[str] = []
    for setting in settings:
        # Of duplicate keys the last counts, for us as for the engines.
        child = next((each for each in reversed(children) if json.key(each) == setting.keyword), None)
        if setting.after is None:
            if child is not None:
                yield (*_without(json, children, child, start, end), "")
        elif child is not None and json.kind[child] == Kind.ARRAY and isinstance(setting.after, tuple):
            yield from _item_edits(json, child, setting.after, layout)
        else:
            value = layout.value(setting.after)
            if child is not None:
                yield json.start[child], json.end[child], value
            else:
                added.append(f'"{setting.keyword}"{layout.colon}{value}')
    if added and children:
        last = json.end[children[-1]]
        yield last, last, "".join("," + layout.gap + member for member in added)
    elif added:
        yield start, end, "{" + ("," + layout.gap).join(added) + "}"


def _item_edits(
    json: JsonText, node: int, items: tuple[str, ...], layout: _Layout
) -> Iterator[tuple[int, int, str]]:
    """Make an array hold `items`: those that stay keep their text, new ones come last."""
    children = list(json.children(node))
    old = [json.lexeme(child) for child in children]
    kept = [lexeme for lexeme in old if lexeme in items]
    new = [item for item in items if item not in old]
    if kept != old or not old:
        yield json.start[node], json.end[node], layout.value((*kept, *new))
    elif new:
        before = json.end[children[-2]] if len(children) > 1 else json.start[node] + 1
        gap = json.text[before : json.start[children[-1]]].rpartition(",")[2]
        if not gap and len(children) == 1:
            gap = layout.space
        last = json.end[children[-1]]
        yield last, last, "".join("," + gap + item for item in new)


def _without(json: JsonText, children: list[int], child: int, start: int, end: int) -> tuple[int, int]:
    """Return the span to cut so that one member goes, with its comma and its line."""
    index = children.index(child)
    if index + 1 < len(children):
        return json.key_start[child], json.key_start[children[index + 1]]
    if index:
        return json.end[children[index - 1]], json.end[child]
    return start + 1, end - 1


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the members of one object are written, so that a new one looks like them."""

    gap: str
    """White space behind a comma, with the line break if members stand on lines of their own."""
    colon: str
    unit: str
    """One step of indentation."""

    @property
    def space(self) -> str:
        return " " if self.colon.endswith(" ") else ""

    @staticmethod
    def of(json: JsonText, node: int, children: list[int]) -> _Layout:
        if not children:
            return _Layout(" ", ": ", "  ")
        last = children[-1]
        colon = json.text[json.key_end[last] : json.start[last]]
        if "\n" in colon:  # the value stands below its key
            colon = ": "
        before = json.end[children[-2]] if len(children) > 1 else json.start[node] + 1
        gap = json.text[before : json.key_start[last]].rpartition(",")[2]
        if "\n" not in gap:
            return _Layout(" " if gap or colon.endswith(" ") else "", colon, "")
        outer = json.text[json.end[last] : json.end[node] - 1].rpartition("\n")[2]
        return _Layout(gap, colon, gap.rpartition("\n")[2].removeprefix(outer) or "  ")

    def value(self, after: str | tuple[str, ...]) -> str:
        """Write a lexeme, or an array of lexemes on one line where it fits."""
        if isinstance(after, str):
            return after
        line = "[" + ("," + self.space).join(after) + "]"
        if "\n" not in self.gap or len(line) <= _LINE:
            return line
        inner = self.gap + self.unit
        return "[" + inner + ("," + inner).join(after) + self.gap + "]"


# Tightening ------------------------------------------------------------------


def tighten(
    schema: Cursor | None,
    payloads: Sequence[Cursor],
    *,
    required: Literal["observed", "all"] | Sequence[str] | None = None,
    enum: Literal["observed"] | Mapping[str, Sequence[Raw]] | None = None,
    additional_properties: bool | None = None,
    deep: bool = True,
    close: Sequence[str] = (),
    apply: Sequence[str] = (),
    cases: Sequence[Case] = (),
) -> TightenReport:
    """Add keywords to a contract; without one, to what the payloads state.

    `required` names properties of the root, or places by pointer. `close` names
    objects to close one by one; `additional_properties=False` closes the root
    and, when `deep`, every object below it, through items, branches and local
    references. `apply` takes ids of suggestions. The tightened schema is given
    in any case; red where a sample or a must-accept case would be refused, and
    where something was asked for that cannot be set.
    """
    if schema is None:
        schema = _read(infer.infer(payloads).schema.text)
        if not payloads:
            message = "No sample, so there is nothing to infer from. Add samples."
            nothing = Finding("no-samples", Severity.ERROR, message, Location(input="samples"))
            return _report(schema, [], "yes", (), [nothing])
    prepared = engine.prepare(schema)
    if prepared.problems:
        return _report(schema, [], "not-proven", (), [_problem(each, schema) for each in prepared.problems])
    work = _Work(_Plan(prepared.outline, prepared.draft), infer.evidence_of(payloads))
    if required is not None:
        work.require(required)
    if enum is not None:
        work.enumerate(enum)
    if additional_properties is False:
        work.close_all(deep)
    for pointer in close:
        work.close(pointer)
    for identity in apply:
        work.apply(identity)
    return _proven(prepared, work, payloads, cases)


class _Work:
    """Collects what is to be set; nothing is written yet."""

    def __init__(self, plan: _Plan, evidence: Sequence[Evidence]) -> None:
        self.plan = plan
        self.evidence = {seen.pointer: seen for seen in evidence}
        self.suggested = {suggestion.id: suggestion for suggestion in infer.suggestions(evidence)}
        self.suggested_at: dict[str, list[Suggestion]] = {}
        for suggestion in self.suggested.values():
            self.suggested_at.setdefault(suggestion.pointer, []).append(suggestion)
        self._keys: dict[str, list[str]] = {}
        for seen in evidence:
            parent, _, step = seen.pointer.rpartition("/")
            if seen.pointer and step != "*":
                self._keys.setdefault(parent, []).append(unescape(step))
        self.settings: dict[str, _Setting] = {}
        self.findings: list[Finding] = []

    def require(self, wanted: Literal["observed", "all"] | Sequence[str]) -> None:
        """Require what every sample has, every named property, or the given ones."""
        if wanted == "observed":
            pointers = [each.pointer for each in self.suggested.values() if each.keyword == "required"]
            for pointer in pointers:
                if self.plan.places(pointer):
                    self.require_one(pointer)
        elif wanted == "all":
            for pointer, _ in list(self.plan.walk()):
                if pointer and not pointer.endswith("/*"):
                    self.require_one(pointer)
        else:
            for name in wanted:
                self.require_one(name if name.startswith("/") else join(name))

    def require_one(self, pointer: str) -> None:
        """Require one property in the object that holds it."""
        parent, _, step = pointer.rpartition("/")
        name = unescape(step)
        places = self.plan.places(parent)
        if not pointer or not any(
            self.plan.names(part, name) for place in places for part in self.plan.parts(place)
        ):
            self._unknown(pointer)
            return
        seen = self.evidence.get(pointer)
        reason = f"{name} in {seen.present} of {seen.of}" if seen is not None else f"{name} as asked"
        for place in places:
            if self.plan.is_required(place, name):
                continue
            owners = [part for part in self.plan.conjuncts(place) if self.plan.names(part, name)]
            at = owners[0] if owners else self.plan.target(place)
            earlier = self.settings.get(f"{at.pointer}/required")
            stated = at.cursor.get("required")
            before = tuple(item.text for item in stated) if stated is not None else ()
            if earlier is not None and isinstance(earlier.after, tuple):
                before = earlier.after
                reason = f"{earlier.reason}, {reason}"
            lexeme = infer.spell(name)
            if lexeme not in before:
                self._set(parent, at, "required", (*before, lexeme), reason)

    def enumerate(self, wanted: Literal["observed"] | Mapping[str, Sequence[Raw]]) -> None:
        """Allow only the values seen where they look like a choice, or only the given values."""
        if wanted != "observed":
            for pointer, values in wanted.items():
                self.enumerate_one(pointer, values)
            return
        for pointer, seen in self.evidence.items():
            places = self.plan.places(pointer)
            parts = [part for place in places for part in self.plan.parts(place)]
            if seen.values is None or not places or any(_names_values(part) for part in parts):
                continue
            if infer.looks_like_choice(seen) or _looks_like_names(seen):
                self.enumerate_one(pointer, [value.value for value in seen.values])

    def enumerate_one(self, pointer: str, values: Sequence[Raw]) -> None:
        """Allow only these of the values that a place allows already."""
        places = self.plan.places(pointer)
        if not places:
            self._unknown(pointer)
            return
        if not values:
            self._refuse(
                "tighten-enum-type", f"An enum without a value at {_shown(pointer)} refuses everything."
            )
            return
        given = {_key(_read(value.text)): value.text for value in values}
        seen = self.evidence.get(pointer)
        observed = (
            {_key(_read(value.value.text)) for value in seen.values or ()} if seen is not None else set()
        )
        count = f"{len(given)} value{'' if len(given) == 1 else 's'}"
        reason = (
            f"{count} in {infer.counted(seen)}" if seen and observed == set(given) else f"{count} as asked"
        )
        for place in places:
            allowed = self.plan.types(place)
            wrong = [text for text in given.values() if not _fits(_read(text), allowed)]
            if wrong:
                names = ", ".join(allowed) or "nothing"
                self._refuse(
                    "tighten-enum-type",
                    f"{wrong[0]} can never pass at {_shown(pointer)}: the contract allows {names}. "
                    "Give values of that type.",
                )
                continue
            at = self.plan.target(place)
            stated = at.cursor.get("enum")
            if stated is None or not stated.is_array:
                self._set(pointer, at, "enum", tuple(given.values()), reason)
                continue
            kept = tuple(item.text for item in stated if _key(item) in given)
            if not kept:
                self._refuse(
                    "tighten-enum-type",
                    f"None of these values is among those that {_shown(pointer)} allows. "
                    "Tightening adds no value; edit the enum itself.",
                )
            elif len(kept) < len(stated):
                self._set(pointer, at, "enum", kept, reason)

    def close_all(self, deep: bool) -> None:
        """Close the root and, when `deep`, every object below it."""
        for pointer, places in list(self.plan.walk()) if deep else [("", [self.plan.root])]:
            for place in places:
                if self.is_object(place):
                    self._close(pointer, place)

    def close(self, pointer: str) -> None:
        """Close the object at one place."""
        places = [place for place in self.plan.places(pointer) if "object" in self.plan.types(place)]
        if not places:
            self._unknown(pointer, "No object stands")
        for place in places:
            self._close(pointer, place)

    def apply(self, identity: str) -> None:
        """Apply a suggestion. An enum may be applied before it is suggested, if its values are known."""
        keyword, _, pointer = identity.partition(":")
        seen = self.evidence.get(pointer)
        suggestion = self.suggested.get(identity)
        if keyword == "enum" and seen is not None and seen.values:
            self.enumerate_one(pointer, [value.value for value in seen.values])
        elif suggestion is None:
            self._refuse(
                "tighten-suggestion-unknown",
                f"{identity} is no suggestion that these samples give. Choose one of the suggestions.",
            )
        elif keyword == "required":
            self.require_one(pointer)
        elif keyword == "additionalProperties":
            self.close(pointer)
        else:
            self._bound(suggestion)

    def _bound(self, suggestion: Suggestion) -> None:
        places = self.plan.places(suggestion.pointer)
        if not places:
            self._unknown(suggestion.pointer)
        for place in places:
            at = self.plan.target(place)
            stated = at.cursor.get(suggestion.keyword)
            value = _read(suggestion.value.text).value
            if stated is not None and stated.kind is Kind.NUMBER:
                looser = stated.value < value if suggestion.keyword == "minimum" else stated.value > value
                if not looser:
                    continue
            self._set(suggestion.pointer, at, suggestion.keyword, suggestion.value.text, suggestion.reason)

    def _close(self, pointer: str, place: Subschema) -> None:
        if self.plan.is_closed(place):
            return
        seen = self.evidence.get(pointer)
        objects = seen.types.get("object", 0) if seen is not None else 0
        others = self.other_keys(pointer, [place])
        reason = (
            f"{others} other key{'' if others == 1 else 's'} in {objects}" if objects else "closed as asked"
        )
        parts = self.plan.open_parts(place)
        for at, keyword in parts:
            stated = at.cursor.get(keyword)
            if stated is None or stated.kind is Kind.TRUE or stated.is_object:
                self._set(pointer, at, keyword, "false", reason)
        if not parts:
            self._refuse(
                "tighten-not-closed",
                f"The object at {_shown(pointer)} is described in several branches, and its draft has no "
                "unevaluatedProperties. Move the contract to draft 2020-12 to close it.",
                Severity.WARNING,
            )

    def is_object(self, place: Subschema) -> bool:
        """Whether a place is meant to be an object: one of its parts says so or names properties.

        An object whose other keys have a schema is a map; closing all objects leaves it open.
        """
        parts = self.plan.conjuncts(place)
        if any(_is_map(part) for part in parts):
            return False
        types = self.plan.types(place)
        return bool(self.plan.owners(place)) or ("object" in types and types != ANY_TYPE)

    def other_keys(self, pointer: str, places: Sequence[Subschema]) -> int:
        """Count the keys that the samples hold in an object and the contract does not name."""
        named = {name for place in places for part in self.plan.parts(place) for name in _names(part)}
        return sum(key not in named for key in self._keys.get(pointer, ()))

    def _set(
        self, pointer: str, at: Subschema, keyword: str, after: str | tuple[str, ...], reason: str
    ) -> None:
        if at.cursor.kind in (Kind.OBJECT, Kind.TRUE):  # `false` refuses everything already
            self.settings[f"{at.pointer}/{keyword}"] = _Setting(pointer, at, keyword, after, reason)

    def _unknown(self, pointer: str, what: str = "No property stands") -> None:
        self._refuse(
            "tighten-property-unknown",
            f"{what} at {_shown(pointer)} in this contract. Name one that it describes.",
        )

    def _refuse(self, code: str, message: str, severity: Severity = Severity.ERROR) -> None:
        self.findings.append(Finding(code, severity, message, self.plan.schema.location))


def _proven(
    before: engine.Prepared, work: _Work, payloads: Sequence[Cursor], cases: Sequence[Case]
) -> TightenReport:
    """Write the settings, and say what they do: to the schema, to each sample and to each case."""
    settings = list(work.settings.values())
    schema = before.source
    if settings:
        schema = _read(_edited(schema, settings), before.source)
    after = engine.prepare(schema) if settings else before
    findings = list(work.findings) + [_problem(problem, schema) for problem in after.problems]
    if after.problems:
        return _report(schema, _changes(settings, schema, {}), "not-proven", (), findings)
    rejected: list[int] = []
    for index, payload in enumerate(payloads):
        judged = engine.judge(after, payload)
        if judged.verdict is Verdict.REFUSE:
            rejected.append(index)
        if judged.verdict is not Verdict.ACCEPT:
            already = engine.judge(before, payload).verdict is not Verdict.ACCEPT
            findings.append(_refused(f"Sample {index + 1}", "sample", payload, judged, already))
    refuses: dict[str, list[str]] = {}
    for case in cases:
        judged = engine.judge(after, case.payload)
        if judged.verdict is Verdict.ACCEPT:
            continue
        already = engine.judge(before, case.payload).verdict is not Verdict.ACCEPT
        if case.accept:
            findings.append(_refused(f"The case {case.name}", "case", case.payload, judged, already))
        if not already:
            for place in dict.fromkeys(_schema_pointers(judged.violations)):
                refuses.setdefault(place, []).append(case.name)
    narrower = engine.covers(before.source.text, schema.text) if settings else "yes"
    return _report(schema, _changes(settings, schema, refuses), narrower, tuple(rejected), findings)


def _changes(
    settings: Sequence[_Setting], after: Cursor, refuses: Mapping[str, Sequence[str]]
) -> list[Change]:
    changes: list[Change] = []
    for setting in settings:
        pointer = f"{setting.at.pointer}/{setting.keyword}"
        old, new = setting.at.cursor.get(setting.keyword), after.at(pointer)
        changes.append(
            Change(
                pointer=setting.pointer,
                schema_pointer=pointer,
                keyword=setting.keyword,
                before=None if old is None else old.raw,
                after=None if new is None else new.raw,
                reason=setting.reason,
                refuses=tuple(refuses.get(pointer, ())),
            )
        )
    return changes


def _schema_pointers(violations: Iterable[engine.Violation]) -> Iterator[str]:
    for violation in violations:
        if violation.schema_pointer is not None:
            yield violation.schema_pointer
        yield from _schema_pointers(violation.causes)


def _refused(who: str, what: str, payload: Cursor, judged: engine.Judgement, already: bool) -> Finding:
    first = judged.violations[0]
    at = payload.at(first.instance_pointer) or payload
    if judged.verdict is not Verdict.REFUSE:
        return Finding("not-judged", Severity.ERROR, f"{who} was not judged. {first.message}", at.location)
    lead = "was refused before already" if already else "would be refused"
    return Finding(
        f"tighten-{what}-refused",
        Severity.ERROR,
        f"{who} {lead}. {first.message} Take it out, or leave this keyword out.",
        at.location,
        key=first.key,
        keyword=first.keyword,
        schema_pointer=first.schema_pointer,
    )


def _problem(problem: engine.Problem, schema: Cursor) -> Finding:
    at = schema.at(problem.schema_pointer) or schema
    return Finding(
        problem.code,
        Severity.ERROR,
        problem.message,
        at.location,
        keyword=problem.keyword,
        schema_pointer=problem.schema_pointer,
        schema_line=at.line,
    )


def _report(
    schema: Cursor,
    changes: Sequence[Change],
    narrower: str,
    rejected: tuple[int, ...],
    findings: Sequence[Finding],
) -> TightenReport:
    return TightenReport(
        status=status_of(list(findings)),
        schema=schema.raw,
        changes=tuple(changes),
        narrower=narrower,
        rejected_samples=rejected,
        findings=tuple(findings[: limits.FINDINGS]),
        findings_total=len(findings),
    )


# Taking back -----------------------------------------------------------------


def loosen(schema: Cursor, keyword: str, pointer: str) -> TightenReport:
    """Take one keyword back: `required` of a property, `enum`, `additionalProperties` or a bound.

    `narrower` then says "no" if the schema admits more, and "yes" if another
    keyword states the same still.
    """
    before = engine.prepare(schema)
    if before.problems:
        return _report(schema, [], "not-proven", (), [_problem(each, schema) for each in before.problems])
    plan = _Plan(before.outline, before.draft)
    settings = list(_taken_back(plan, keyword, pointer))
    if not settings:
        message = f"{keyword} does not stand at {_shown(pointer)}, so there is nothing to take back."
        finding = Finding("tighten-keyword-absent", Severity.ERROR, message, schema.location, keyword=keyword)
        return _report(schema, [], "yes", (), [finding])
    text = _read(_edited(schema, settings), schema)
    after = engine.prepare(text)
    findings = [_problem(problem, text) for problem in after.problems]
    narrower = "not-proven" if after.problems else engine.covers(schema.text, text.text)
    return _report(text, _changes(settings, text, {}), narrower, (), findings)


def _taken_back(plan: _Plan, keyword: str, pointer: str) -> Iterator[_Setting]:
    name = ""
    if keyword == "required":
        pointer, _, step = pointer.rpartition("/")
        name = unescape(step)
    parts = _unique(part for place in plan.places(pointer) for part in plan.parts(place))
    for part in parts:
        if keyword == "required" and name in _required(part):
            items = part.cursor.get("required") or ()
            rest = tuple(item.text for item in items if item.string != name)
            yield _Setting(pointer, part, keyword, rest or None, f"{name} taken back")
        elif keyword == "additionalProperties":
            for closer in _CLOSERS:
                if _is_false(part, closer):
                    yield _Setting(pointer, part, closer, None, "taken back")
        elif keyword != "required" and part.cursor.get(keyword) is not None:
            yield _Setting(pointer, part, keyword, None, "taken back")


# The table of a contract ---------------------------------------------------------


def properties(schema: Cursor, inferred: InferredContract | None = None) -> tuple[Property, ...]:
    """Return a row for each place of the payload: the object, its properties, their items, parents first.

    `other_keys` counts the keys in the samples that the contract does not name.
    """
    draft = draft_of(schema) or LATEST
    plan = _Plan(outline(schema, draft), draft)
    seen = inferred.evidence if inferred is not None else ()
    work = _Work(plan, seen)
    return tuple(_row(work, pointer, places) for pointer, places in plan.walk())


def _row(work: _Work, pointer: str, places: Sequence[Subschema]) -> Property:
    plan, place = work.plan, places[0]
    parts = _unique(part for each in places for part in plan.parts(each))
    seen = work.evidence.get(pointer)
    types = plan.types(place)
    is_object = work.is_object(place)
    required = _is_required_at(plan, pointer)
    closed = plan.is_closed(place) if is_object else None
    bounds = {
        keyword: stated.raw
        for part in reversed(parts)
        for keyword in BOUNDS
        if (stated := part.cursor.get(keyword)) is not None and stated.raw is not None
    }
    enum = next((stated for part in parts if (stated := part.cursor.get("enum")) is not None), None)
    in_force = {
        "required": required,
        "enum": enum is not None or "const" in bounds,
        "additionalProperties": closed,
        "minimum": "minimum" in bounds or "exclusiveMinimum" in bounds,
        "maximum": "maximum" in bounds or "exclusiveMaximum" in bounds,
    }
    tokens = split(pointer)
    return Property(
        pointer=pointer,
        name=tokens[-1] if tokens else "the object",
        depth=len(tokens),
        types=() if types == ANY_TYPE else types,
        required=required,
        closed=closed,
        enum=None if enum is None else _counted(enum, seen),
        seen=None if seen is None else seen.values,
        bounds=bounds,
        present=seen.present if seen is not None else 0,
        of=seen.of if seen is not None else 0,
        other_keys=work.other_keys(pointer, places) if is_object else None,
        schema_pointer=place.pointer,
        schema_line=place.cursor.key_location.line,
        suggestions=tuple(each for each in work.suggested_at.get(pointer, ()) if not in_force[each.keyword]),
    )


def _is_required_at(plan: _Plan, pointer: str) -> bool | None:
    parent, _, step = pointer.rpartition("/")
    if not pointer or step == "*":
        return None
    name = unescape(step)
    return all(plan.is_required(place, name) for place in plan.places(parent))


def _counted(enum: Cursor, seen: Evidence | None) -> tuple[DistinctValue, ...]:
    values = seen.values if seen is not None and seen.values is not None else ()
    counts = {_key(_read(value.value.text)): value.count for value in values}
    return tuple(DistinctValue(item.raw, counts.get(_key(item), 0)) for item in enum if item.raw is not None)


# Small things ----------------------------------------------------------------


def _read(text: str, like: Cursor | None = None) -> Cursor:
    json = JsonText(text)
    node, _ = json.scan()
    return Cursor(json, node, input=like.input if like is not None else "schema")


def _key(value: Cursor) -> Hashable:
    """Return something that is equal for values that JSON Schema calls equal: 1 and 1.0, not 1 and true."""
    return _comparable(value.value)


def _comparable(value: Any) -> Hashable:
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, dict):
        return "object", frozenset((key, _comparable(item)) for key, item in value.items())
    if isinstance(value, list):
        return "array", tuple(_comparable(item) for item in value)
    return value  # type: ignore[no-any-return]  # a number, a string or None


def _fits(value: Cursor, allowed: Sequence[str]) -> bool:
    """Whether a value has one of the types; a number without a fraction is an integer, however written."""
    plain = value.value
    if value.kind is Kind.NUMBER:
        return "number" in allowed or ("integer" in allowed and plain == plain // 1)
    names = {
        Kind.OBJECT: "object",
        Kind.ARRAY: "array",
        Kind.STRING: "string",
        Kind.TRUE: "boolean",
        Kind.FALSE: "boolean",
        Kind.NULL: "null",
    }
    return names.get(value.kind) in allowed


def _looks_like_names(seen: Evidence) -> bool:
    """Whether all values are single words without digits: they may be a list although few were seen."""
    texts = [value.value.text for value in seen.values or ()]
    return set(seen.types) <= {"string"} and bool(texts) and all(_WORD.fullmatch(text) for text in texts)


def _shown(pointer: str) -> str:
    return pointer or "the root"
