"""Setting keywords in the text of a schema; everything else keeps its text.

A new keyword looks like its neighbours: white space, line breaks and indentation
are theirs. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.cursor import Cursor
from app.json_text import JsonText, Kind
from app.schema import Subschema

_LINE: Final = 96
"""Longest array that is written on one line."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One keyword of one subschema. `after` None takes it away; a tuple is an array of lexemes."""

    pointer: str
    at: Subschema
    keyword: str
    after: str | tuple[str, ...] | None
    reason: str


def edited(schema: Cursor, settings: Sequence[Setting]) -> str:
    """Return the text of the schema with each setting written into it, and nothing else touched."""
    by_node: dict[int, list[Setting]] = {}
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


def _member_edits(at: Cursor, settings: Sequence[Setting]) -> Iterator[tuple[int, int, str]]:
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
                yield (*without(json, children, child, start, end), "")
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


def without(json: JsonText, children: list[int], child: int, start: int, end: int) -> tuple[int, int]:
    """Return the span to cut so that one member of an object goes, with its comma and its line."""
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
