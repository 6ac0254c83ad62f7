"""Walking a JSON Schema by position: subschemas with pointers, and where references lead.

A `$ref` inside `enum`, `const`, `examples` or a property of that name is data;
only positions where a schema is expected count. Nothing is judged and nothing
is fetched here. All pointers are relative to the root of the schema.

Source: https://json-schema.org/draft/2020-12/json-schema-core
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import unquote, urljoin

from app.cursor import Cursor, escape

ROOT_URI: Final = "http://contract.invalid/"
"""Base URI of a schema without `$id`. The reserved TLD belongs to nobody, and nothing is fetched anyway."""

LATEST: Final = 2020

_DRAFTS: Final = {
    "json-schema.org/draft-04/schema": 4,
    "json-schema.org/draft-06/schema": 6,
    "json-schema.org/draft-07/schema": 7,
    "json-schema.org/draft/2019-09/schema": 2019,
    "json-schema.org/draft/2020-12/schema": LATEST,
    "json-schema.org/schema": LATEST,  # genson's default, which names no dialect
}
_ONE: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LIST: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_MAP: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
)
"""Applicators that look at the same value as the schema they stand in."""

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


def draft_of(schema: Cursor) -> int | None:
    """Return the draft a schema names: 4, 6, 7, 2019 or 2020; None for an unknown `$schema`."""
    named = schema.get("$schema")
    if named is None:
        return LATEST
    uri = (named.string or "").removesuffix("#")
    return _DRAFTS.get(uri.removeprefix("https://").removeprefix("http://"))


@dataclass(frozen=True, slots=True)
class Subschema:
    """A schema inside a schema, and the applicator (`keyword`) of `parent` it stands under.

    `base` is the absolute URI of the resource it belongs to. For the root, and
    for the target of a reference outside any applicator, `keyword` is "".
    """

    pointer: str
    cursor: Cursor
    parent: str | None
    keyword: str
    base: str


@dataclass(frozen=True, slots=True)
class Outline:
    """All subschemas of one schema by pointer, in document order, and the names they can be called by.

    `resources` maps an absolute URI to the pointer of the schema with that
    `$id`; `anchors` maps (URI of the resource, anchor) to a pointer.
    """

    root: Cursor
    subschemas: dict[str, Subschema]
    resources: dict[str, str]
    anchors: dict[tuple[str, str], str]


def outline(schema: Cursor, draft: int = LATEST) -> Outline:
    """Find every subschema, also those that only a local reference reaches."""
    found = Outline(schema, {}, {ROOT_URI: ""}, {})
    queue = _add(found, Subschema("", schema, None, "", ROOT_URI), draft)
    for subschema in queue:
        for _, _, target in targets(found, subschema):
            if target is None or target in found.subschemas:
                continue
            cursor = schema.at(target)
            if cursor is not None:
                queue += _add(found, Subschema(target, cursor, None, "", _base_above(found, target)), draft)
    return found


def _add(found: Outline, root: Subschema, draft: int) -> list[Subschema]:
    id_key = "id" if draft == 4 else "$id"
    added: list[Subschema] = []
    stack = [root]
    while stack:
        here = stack.pop()
        if here.pointer in found.subschemas:
            continue
        base = here.base
        members = {child.key or "": child for child in here.cursor} if here.cursor.is_object else {}
        # Up to draft 7 a $ref hides everything that stands beside it.
        lone_ref = draft <= 7 and "$ref" in members
        name = None if lone_ref or id_key not in members else members[id_key].string
        if name is not None and not name.startswith("#"):
            base = _join(base, name).partition("#")[0]
            found.resources.setdefault(base, here.pointer)
        elif name is not None:
            found.anchors.setdefault((base, name[1:]), here.pointer)
        for key in ("$anchor", "$dynamicAnchor"):
            anchor = members[key].string if key in members else None
            if anchor is not None:
                found.anchors.setdefault((base, anchor), here.pointer)
        here = Subschema(here.pointer, here.cursor, here.parent, here.keyword, base)
        found.subschemas[here.pointer] = here
        added.append(here)
        stack += reversed(list(_children(here, members)))
    return added


def _children(here: Subschema, members: dict[str, Cursor]) -> Iterator[Subschema]:
    for keyword, value in members.items():
        pointer = f"{here.pointer}/{escape(keyword)}"
        if value.is_array and keyword in _LIST:
            for index, item in enumerate(value):
                yield Subschema(f"{pointer}/{index}", item, here.pointer, keyword, here.base)
        elif value.is_object and keyword in _MAP:
            for item in value:
                if not item.is_array:  # the array form of dependencies lists names
                    yield Subschema(
                        f"{pointer}/{escape(item.key or '')}", item, here.pointer, keyword, here.base
                    )
        elif keyword in _ONE:
            yield Subschema(pointer, value, here.pointer, keyword, here.base)


def _base_above(found: Outline, pointer: str) -> str:
    while pointer:
        pointer = pointer.rpartition("/")[0]
        if pointer in found.subschemas:
            return found.subschemas[pointer].base
    return ROOT_URI


def _join(base: str, reference: str) -> str:
    if reference.startswith("#"):  # urljoin forgets a base that is a URN
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:  # such as http://[
        return reference


def targets(found: Outline, here: Subschema) -> Iterator[tuple[Cursor, str, str | None]]:
    """Yield each reference of a subschema: its value, its URI, and the pointer it leads to.

    The pointer is None where the reference leads out of the schema. It is not
    checked: nothing may stand there. An unknown anchor is the pointer of its
    resource followed by `/#` and its name, where nothing can stand.
    """
    if not here.cursor.is_object:
        return
    for member in here.cursor:
        if member.key in REFERENCES and member.is_string:
            uri, _, fragment = _join(here.base, member.string or "").partition("#")
            resource = found.resources.get(uri)
            fragment = unquote(fragment)
            if resource is None:
                yield member, uri, None
            elif not fragment or fragment.startswith("/"):
                yield member, uri, resource + fragment
            else:
                yield member, uri, found.anchors.get((uri, fragment), f"{resource}/#{fragment}")


class InPlace(NamedTuple):
    """What judging one value may cost.

    `loops` are the subschemas that lead back to themselves, so that judging
    would never end; `ways` counts the ways through the widest subschema (at
    most a million), `steps` the subschemas on the longest way.
    """

    loops: list[Subschema]
    ways: int
    steps: int


def in_place(found: Outline) -> InPlace:
    """Follow the applicators and references that stay at the same value."""
    edges: dict[str, list[str]] = {pointer: [] for pointer in found.subschemas}
    for here in found.subschemas.values():
        if here.parent is not None and here.keyword in _IN_PLACE:
            edges[here.parent].append(here.pointer)
        edges[here.pointer] += [target for _, _, target in targets(found, here) if target in found.subschemas]
    loops: list[Subschema] = []
    ways: dict[str, int] = {}
    steps: dict[str, int] = {}
    for start in found.subschemas:
        if start in ways:
            continue
        open_pointers = {start: iter(edges[start])}
        while open_pointers:
            pointer, rest = next(reversed(open_pointers.items()))
            for target in rest:
                if target in open_pointers:
                    loops.append(found.subschemas[target])
                elif target not in ways:
                    open_pointers[target] = iter(edges[target])
                    break
            else:
                del open_pointers[pointer]
                ways[pointer] = min(1_000_000, 1 + sum(ways.get(to, 0) for to in edges[pointer]))
                steps[pointer] = 1 + max((steps.get(to, 0) for to in edges[pointer]), default=0)
    return InPlace(loops, max(ways.values()), max(steps.values()))
