"""The schema that an export starts from: draft 2020-12, with every reference a plain pointer.

What an older draft says is said anew (`upgrade`, used by imports too); what
`$id` and `$anchor` name is written as the pointer it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, unquote

from app import engine, schema
from app.cursor import Cursor, escape, split
from app.exports.changes import Changes
from app.exports.merge import ANNOTATIONS, Schema
from app.exports.sources import CORE
from app.json_text import Number, write

DRAFT_2020_12: Final = "https://json-schema.org/draft/2020-12/schema"

REMEMBERED: Final = 65_536
"""Characters of the largest schema that is remembered."""

LEVELS: Final = 100
"""Most schemas in each other that are exported; a provider takes far fewer, and walking recurses."""

_ONE: Final = frozenset(
    {"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"}
    | {"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
)
_LIST: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_MAP: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)


def children(node: Any, at: str) -> Iterator[tuple[Any, str, str]]:
    """Yield each schema directly inside a schema, its pointer, and the keyword it stands under."""
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        here = f"{at}/{escape(key)}"
        if key in _LIST and isinstance(value, list):
            for index, item in enumerate(value):
                yield item, f"{here}/{index}", key
        elif key in _MAP and isinstance(value, dict):
            for name, item in value.items():
                if not isinstance(item, list):
                    yield item, f"{here}/{escape(name)}", key
        elif key in _ONE and isinstance(value, dict | bool):
            yield value, here, key


def walk(node: Any) -> Iterator[tuple[Any, str]]:
    """Yield a schema and every schema inside it, by position, with pointers."""
    stack = [(node, "")]
    while stack:
        here, at = stack.pop()
        yield here, at
        stack += reversed([(child, pointer) for child, pointer, _ in children(here, at)])


# Older drafts ------------------------------------------------------------------------------


def upgrade(root: Any, draft: int, changes: Changes) -> None:
    """Say in 2020-12 what a schema of an older draft says, in place.

    Keywords that only an older draft has are read in any case: many schemas name no draft.
    """
    for node, at in list(walk(root)):
        if isinstance(node, dict):
            _upgrade(node, at, draft, changes)


def _upgrade(node: Schema, at: str, draft: int, changes: Changes) -> None:
    if draft <= 7 and "$ref" in node:
        hidden = [key for key in node if key not in ANNOTATIONS and not key.startswith("$")]
        for key in [key for key in hidden if key not in ("definitions", "id")]:
            del node[key]
            changes.say("ref-siblings-ignored", at)
    if draft == 4 and isinstance(node.get("id"), str):
        node["$id"] = node.pop("id")
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(node.get(exclusive), bool):
            strict = node.pop(exclusive)
            if strict and isinstance(node.get(bound), Number):
                node[exclusive] = node.pop(bound)
            changes.say("dialect-draft4", f"{at}/{exclusive}")
    if isinstance(node.get("items"), list):
        further = node.pop("additionalItems", None)
        position = node.pop("items")
        node["prefixItems"] = position
        if further is not None:
            node["items"] = further
        changes.say("tuple-items-upgraded", f"{at}/items")
    elif draft < schema.LATEST:
        node.pop("additionalItems", None)  # beside items that are no list it says nothing
    if isinstance(node.get("dependencies"), dict):
        split_up: dict[str, dict[str, Any]] = {"dependentRequired": {}, "dependentSchemas": {}}
        for name, needs in node.pop("dependencies").items():
            split_up["dependentRequired" if isinstance(needs, list) else "dependentSchemas"][name] = needs
        node.update({key: value for key, value in split_up.items() if value})
        changes.say("dependencies-split", f"{at}/dependencies")


# References --------------------------------------------------------------------------------


def is_local(ref: Any) -> bool:
    """Whether a reference stays in its schema; only such a one is followed."""
    return isinstance(ref, str) and ref.startswith("#")


def pointer_of(ref: str) -> str:
    """Return the pointer that a plain local reference is."""
    return unquote(ref[1:])


def reference(pointer: str) -> str:
    """Return the reference that leads to a pointer."""
    return "#" + quote(pointer, safe="/~$!&'()*+,;=:@._-")


def find(root: Any, pointer: str) -> Any:
    """Return what stands at a pointer. Raises LookupError where nothing does."""
    here = root
    for token in split(pointer):
        if isinstance(here, dict):
            here = here[token]
        elif isinstance(here, list) and token.isascii() and token.isdigit() and len(token) < 10:
            here = here[int(token)]
        else:
            raise LookupError(pointer)
    return here


def rename_definitions(root: Schema, changes: Changes) -> None:
    """Move `definitions` of the root into `$defs`, with the references to them, in place."""
    moved = root.get("definitions")
    if not isinstance(moved, dict) or "$defs" in root:
        return
    for key in list(root):  # `$defs` takes the place that `definitions` had
        root["$defs" if key == "definitions" else key] = root.pop(key)
    for node, _ in walk(root):
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            ref = node["$ref"]
            if ref.startswith("#/definitions/"):
                node["$ref"] = "#/$defs/" + ref.removeprefix("#/definitions/")
    changes.say("definitions-renamed", "/definitions")


# The core ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Core:
    """A schema to export, which nothing changes any more. `tree` has plain references, `kept` those written.

    `prepared` judges by it. `loops` are the pointers of schemas that contain
    themselves, `tight` those that do so without an optional key between. `deep`
    says that it nests deeper than anything is exported. `upgraded` are the codes
    and places of what had to be said anew.
    """

    tree: Any
    kept: Any
    prepared: engine.Prepared
    loops: frozenset[str]
    tight: frozenset[str]
    deep: bool
    upgraded: tuple[tuple[str, str], ...]


def core(source: Cursor, *, rename: bool = False) -> Core:
    """Read a schema as the core of exports; with `rename`, `definitions` becomes `$defs`.

    Those of the last few schemas are remembered: one contract goes to many targets.
    """
    read = _core if len(source.text) > REMEMBERED else _remembered
    return read(source.text, rename)


def _core(text: str, rename: bool) -> Core:
    source = Cursor.of(text)
    changes = Changes(CORE)
    draft = schema.draft_of(source) or schema.LATEST
    tree = source.tree
    upgrade(tree, draft, changes)
    if isinstance(tree, dict) and draft != schema.LATEST:
        tree["$schema"] = DRAFT_2020_12
    if rename and isinstance(tree, dict):
        rename_definitions(tree, changes)
    upgraded = Cursor.of(write(tree, None))
    kept = upgraded.tree
    found = schema.outline(upgraded)
    _plain(tree, found)
    return Core(
        tree=tree,
        kept=kept,
        prepared=engine.prepare(Cursor.of(write(_nameless(tree), None))),
        loops=_loops(found, optional=True),
        tight=_loops(found, optional=False),
        deep=len(found.subschemas) > LEVELS and _depth(tree) > LEVELS,
        upgraded=tuple((change.code, change.pointer) for change in changes.all()),
    )


_remembered = lru_cache(maxsize=4)(_core)


def _nameless(tree: Any) -> Any:
    """Return the schema without `$id`: plain references need none, and a bad one is no fault of an export."""
    if not any(isinstance(node, dict) and "$id" in node for node, _ in walk(tree)):
        return tree
    copy = Cursor.of(write(tree, None)).tree
    for node, _ in walk(copy):
        if isinstance(node, dict):
            node.pop("$id", None)
    return copy


def _depth(root: Any) -> int:
    deepest, stack = 0, [(root, "", 1)]
    while stack:
        node, at, depth = stack.pop()
        deepest = max(deepest, depth)
        stack += [(child, pointer, depth + 1) for child, pointer, _ in children(node, at)]
    return deepest


def _plain(tree: Any, found: schema.Outline) -> None:
    """Write each local reference as the pointer it leads to, in place."""
    for here in found.subschemas.values():
        for member, _, target in schema.targets(found, here):
            ref = member.string or ""
            if (
                member.key == "$ref"
                and target is not None
                and not (is_local(ref) and pointer_of(ref) == target)
            ):
                find(tree, here.pointer)["$ref"] = reference(target)


def _loops(found: schema.Outline, *, optional: bool) -> frozenset[str]:
    """Return the schemas that contain themselves; without `optional`, optional keys do not count."""
    if not any(True for here in found.subschemas.values() for _ in schema.targets(found, here)):
        return frozenset()
    edges: dict[str, list[str]] = {pointer: [] for pointer in found.subschemas}
    for here in found.subschemas.values():
        if here.parent is not None and here.keyword not in ("$defs", "definitions"):
            parent = found.subschemas[here.parent].cursor
            if optional or here.keyword != "properties" or _is_required(parent, here.pointer):
                edges[here.parent].append(here.pointer)
        edges[here.pointer] += [to for _, _, to in schema.targets(found, here) if to in found.subschemas]
    return frozenset(_on_loops(edges))


def _is_required(parent: Cursor, pointer: str) -> bool:
    required = parent.get("required")
    name = split(pointer)[-1]
    return required is not None and any(item.string == name for item in required)


def _on_loops(edges: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the nodes from which a way leads back to them (Tarjan's strong components, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: dict[str, None] = {}
    for start in edges:
        way = [(start, iter(edges[start]))] if start not in order else []
        while way:
            node, rest = way[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                open_nodes[node] = None
            for to in rest:
                if to not in order:
                    way.append((to, iter(edges[to])))
                    break
                if to in open_nodes:
                    low[node] = min(low[node], order[to])
            else:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == order[node]:
                    component: list[str] = []
                    while not component or component[-1] != node:
                        component.append(open_nodes.popitem()[0])
                    if len(component) > 1 or node in edges[node]:
                        yield from component
