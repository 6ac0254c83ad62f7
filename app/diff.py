"""What changes between two schemas, and payloads that show it.

The prover says whether one covers the other. Witnesses are payloads on which
the engine decides differently: they are made up at the edges of both schemas,
or are cases, and each is judged by both. A witness outweighs a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from app import engine, instances
from app.cases import Case
from app.cursor import Cursor, escape, split, unescape
from app.engine import Prepared
from app.instances import Tree
from app.json_text import JsonError, write
from app.model import Raw, Status, Verdict
from app.places import Places, Spot
from app.reports import Change, DiffReport, Witness
from app.schema import Subschema
from app.schema_map import SchemaMap, property_names, required_names
from app.second import frozen

TRIED: Final = 5_000
"""Most made-up payloads that are judged."""

BASES: Final = 40
"""Most payloads beside which others are made up."""

CHARACTERS: Final = 4_000_000
"""Most text of them all together."""

Spots = tuple[Spot, ...]
"""One value of a payload, with what each of the two schemas says of its place."""

CHANGES: Final = 500
"""Most changes that are listed."""

_DATA: Final = frozenset({"enum", "const", "default", "examples", "required", "type"})
"""Keywords whose value is told as a whole."""


def diff(before: Prepared, after: Prepared, cases: Sequence[Case] = ()) -> DiffReport:
    """Compare two sound schemas. Cases that get another verdict are witnesses too."""
    flipped = list(_flipped(before, after, cases))
    made = _made_up(before, after, [each.payload for each in cases if each.payload is not None])
    witnesses = [*flipped, *_smallest(made, flipped)]
    admits = any(each.after is Verdict.ACCEPT for each in witnesses)
    refuses = any(each.after is Verdict.REFUSE for each in witnesses)
    wider = True if admits else _not_covered(before, after)
    narrower = True if refuses else _not_covered(after, before)
    return DiffReport(
        status=Status.GREEN,
        relation="not-proven" if wider is None or narrower is None else _RELATIONS[wider, narrower],
        witnesses=tuple(witnesses),
        changes=tuple(islice(_changes(before, after), CHANGES)),
        findings=(),
        findings_total=0,
    )


_RELATIONS: Final = {
    (False, False): "same",
    (False, True): "narrower",
    (True, False): "wider",
    (True, True): "both",
}


def _not_covered(outer: Prepared, inner: Prepared) -> bool | None:
    """Whether `inner` is proven to accept what `outer` does not; None where neither is proven."""
    return {"yes": False, "no": True}.get(engine.covers(outer.source.text, inner.source.text))


# Witnesses -----------------------------------------------------------------------


def _flipped(before: Prepared, after: Prepared, cases: Iterable[Case]) -> Iterator[Witness]:
    for case in cases:
        if case.payload is not None and case.payload.raw is not None and not case.findings:
            witness = _witness(before, after, case.payload, case.name)
            if witness is not None:
                yield witness


def _witness(before: Prepared, after: Prepared, payload: Cursor, case: str | None = None) -> Witness | None:
    was, now = engine.verdict(before, payload), engine.verdict(after, payload)
    decided = (Verdict.ACCEPT, Verdict.REFUSE)
    if was is now or was not in decided or now not in decided:
        return None
    return Witness(Raw(payload.text), was, now, case)


def _smallest(witnesses: Iterable[Witness], known: Sequence[Witness]) -> Iterator[Witness]:
    """Yield the shortest witness for each direction of which none is known."""
    best: dict[Verdict, Witness] = {}
    for each in witnesses:
        if each.after not in best or len(each.payload.text) < len(best[each.after].payload.text):
            best[each.after] = each
    yield from (each for verdict, each in best.items() if all(other.after is not verdict for other in known))


def _made_up(before: Prepared, after: Prepared, given: Iterable[Cursor]) -> Iterator[Witness]:
    seen: set[object] = set()
    room = CHARACTERS
    for tree in islice(_trees(before, after, given), TRIED):
        text = write(tree, None)
        room -= len(text)
        if room < 0:
            return
        try:
            payload = Cursor.of(text, input="payload")
        except JsonError:  # deeper than is read
            continue
        key = frozen(payload.value)
        if key not in seen:
            seen.add(key)
            witness = _witness(before, after, payload)
            if witness is not None:
                yield witness


def _trees(before: Prepared, after: Prepared, given: Iterable[Cursor]) -> Iterator[Tree]:
    """Yield payloads, and beside each the same with one place set to every value that may matter there.

    Where the two schemas differ is tried first.
    """
    plans = [SchemaMap(each.outline, each.draft) for each in (before, after)]
    bases = [*(each.tree for each in given), *(tree for plan in plans for tree in instances.payloads(plan))]
    bases += [tree for pair in ((before, after), (after, before)) for tree in _beyond(*pair)]
    yield from bases
    later: list[tuple[Tree, Spots]] = []
    for base in bases[:BASES]:
        payload = Cursor.of(write(base, None))
        for pair in zip(*(Places(plan).spots_of("", payload) for plan in plans), strict=False):
            if _said(pair[0]) == _said(pair[1]):
                later.append((base, pair))
            else:
                yield from _neighbours(base, pair, plans)
    for base, pair in later:
        yield from _neighbours(base, pair, plans)


def _said(spot: Spot) -> list[str]:
    """Return what a schema says of a place, as text; what it says of members counts for its object too."""
    return [part.cursor.text for part in spot.place.parts]


def _beyond(one: Prepared, other: Prepared) -> list[Tree]:
    """Return payloads of the prover's own difference of two schemas, where there is one."""
    text = engine.difference(one.source.text, other.source.text)
    if text is None:
        return []
    prepared = engine.prepare(Cursor.of(text))
    return list(instances.payloads(SchemaMap(prepared.outline, prepared.draft)))


def _neighbours(base: Tree, pair: Spots, plans: Sequence[SchemaMap]) -> Iterator[Tree]:
    at = pair[0].at
    tokens = split(at.path)
    for value in instances.edges([part for spot in pair for part in spot.place.parts]):
        yield _replaced(base, tokens, value)
    if at.is_object:
        whole = at.tree
        for key in whole:
            yield _replaced(base, tokens, {name: value for name, value in whole.items() if name != key})
        for name in dict.fromkeys(
            name for spot in pair for part in spot.place.parts for name in _named(part)
        ):
            if name not in whole:
                below = [
                    part
                    for spot, plan in zip(pair, plans, strict=True)
                    for each in spot.place.subschemas
                    for child in plan.children(each, name)
                    for part in plan.parts(child)
                ]
                yield from (
                    _replaced(base, tokens, {**whole, name: value}) for value in instances.edges(below)
                )
        yield _replaced(base, tokens, {**whole, "extra": True})
    elif at.is_array and len(at):
        items = at.tree
        yield _replaced(base, tokens, items[:-1])
        yield _replaced(base, tokens, [*items, items[-1]])


def _named(part: Subschema) -> list[str]:
    return [*property_names(part), *required_names(part)]


def _replaced(base: Tree, tokens: Sequence[str], value: Tree) -> Tree:
    """Return a value with another one at a place; nothing else is copied."""
    if not tokens:
        return value
    changed = base.copy()
    step = int(tokens[0]) if isinstance(base, list) else tokens[0]
    changed[step] = _replaced(base[step], tokens[1:], value)
    return changed


# Changes -------------------------------------------------------------------------


def _changes(before: Prepared, after: Prepared) -> Iterator[Change]:
    """Yield what was added, removed or set anew, down to single keywords."""
    places = {**_places(after), **_places(before)}
    stack = [("", before.source, after.source)]
    while stack:
        pointer, was, now = stack.pop()
        if frozen(was.value) == frozen(now.value):
            continue
        below = _below(pointer, was, now)
        if below is None:
            yield _change(pointer, was, now, places)
            continue
        for token, old, new in reversed(below):
            if old is not None and new is not None:
                stack.append((f"{pointer}/{escape(token)}", old, new))
        yield from (
            _change(f"{pointer}/{escape(token)}", old, new, places)
            for token, old, new in below
            if old is None or new is None
        )


def _below(pointer: str, was: Cursor, now: Cursor) -> list[tuple[str, Cursor | None, Cursor | None]] | None:
    """Return the members of both, where two values are compared member by member."""
    if pointer.rpartition("/")[2] in _DATA:
        return None
    if was.is_object and now.is_object:
        old, new = {each.key or "": each for each in was}, {each.key or "": each for each in now}
        return [(key, old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
    if was.is_array and now.is_array and len(was) == len(now):
        return [(str(index), old, new) for index, (old, new) in enumerate(zip(was, now, strict=True))]
    return None


def _change(pointer: str, was: Cursor | None, now: Cursor | None, places: dict[str, str]) -> Change:
    holder, _, keyword = pointer.rpartition("/")
    reason = "added" if was is None else "removed" if now is None else "changed"
    return Change(
        pointer=places.get(pointer, places.get(holder, "")),
        schema_pointer=pointer,
        keyword=unescape(keyword),
        before=None if was is None else was.raw,
        after=None if now is None else now.raw,
        reason=reason,
    )


def _places(prepared: Prepared) -> dict[str, str]:
    """Return the place of the payload that each subschema looks at."""
    plan = SchemaMap(prepared.outline, prepared.draft)
    places: dict[str, str] = {}
    for pointer, subschemas in plan.walk():
        for part in (part for each in subschemas for part in plan.parts(each)):
            places.setdefault(part.pointer, pointer)
    return places
