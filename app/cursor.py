"""A JSON value that knows where it is.

Descending remembers the pointer, so nobody assembles a path by hand; line and
column are computed only when a finding asks for its location.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from app.json_text import JsonText, Kind
from app.model import Location, Raw


def escape(token: str) -> str:
    """Escape one reference token of an RFC 6901 pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Undo `escape`."""
    return token.replace("~1", "/").replace("~0", "~")


def join(*tokens: str | int) -> str:
    """Build a pointer from unescaped tokens."""
    return "".join("/" + escape(str(token)) for token in tokens)


def split(pointer: str) -> list[str]:
    """Return the unescaped tokens of a pointer."""
    return [unescape(token) for token in pointer.split("/")[1:]]


class Cursor:
    """One value of a `JsonText`, with the path that led to it.

    `base` is set for a value read out of a JSON string: the cursor of that
    string. Then `pointer` is the string's and `inner` points inside it.
    """

    __slots__ = ("_parent", "_path", "_token", "base", "frame", "input", "json", "node")

    def __init__(
        self,
        json: JsonText,
        node: int,
        *,
        input: str = "text",
        frame: int = 0,
        base: Cursor | None = None,
        parent: Cursor | None = None,
        token: str | int = "",
    ) -> None:
        self.json = json
        self.node = node
        self.input = input
        self.frame = frame
        self.base = base
        self._parent = parent
        self._token = token
        self._path: str | None = None

    @classmethod
    def of(cls, text: str, *, input: str = "text", frame: int = 0, base: Cursor | None = None) -> Cursor:
        """Read one JSON text of our own making. Raises JsonError."""
        json = JsonText(text)
        node, _ = json.scan()
        return cls(json, node, input=input, frame=frame, base=base)

    def __repr__(self) -> str:
        return f"Cursor({self.pointer!r}, {self.text[:40]!r})"

    # What it is --------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """The kind of the value."""
        return Kind(self.json.kind[self.node])

    @property
    def is_object(self) -> bool:
        """Whether the value is an object."""
        return self.json.kind[self.node] == 0

    @property
    def is_array(self) -> bool:
        """Whether the value is an array."""
        return self.json.kind[self.node] == 1

    @property
    def is_string(self) -> bool:
        """Whether the value is a string."""
        return self.json.kind[self.node] == 2

    @property
    def is_null(self) -> bool:
        """Whether the value is null."""
        return self.json.kind[self.node] == 6

    @property
    def text(self) -> str:
        """The value exactly as written."""
        return self.json.lexeme(self.node)

    @property
    def raw(self) -> Raw | None:
        """The value for an answer, as written; None where it is no JSON (NaN inside)."""
        nans = self.json.nans
        first = bisect_left(nans, self.node)
        if first < len(nans) and nans[first] < self.json.skip[self.node]:
            return None
        return Raw(self.text)

    @property
    def value(self) -> Any:
        """The value decoded for an engine; see `JsonText.value`."""
        return self.json.value(self.node)

    @property
    def tree(self) -> Any:
        """The value decoded for editing; see `JsonText.tree`."""
        return self.json.tree(self.node)

    @property
    def string(self) -> str | None:
        """The decoded string, or None if the value is no string."""
        return self.json.string(self.node) if self.is_string else None

    # Descending --------------------------------------------------------------

    def __iter__(self) -> Iterator[Cursor]:
        """Yield items of an array, or members of an object, in order."""
        json = self.json
        kind, keys, skips = json.kind[self.node], json.keys, json.skip
        if kind > 1:
            return
        # Written out: a long session makes millions of cursors here.
        child, stop, index = self.node + 1, skips[self.node], 0
        while child < stop:
            yield Cursor(
                json,
                child,
                input=self.input,
                frame=self.frame,
                base=self.base,
                parent=self,
                token=index if kind else keys[child] or "",
            )
            child = skips[child]
            index += 1

    def __len__(self) -> int:
        """Count members or items; a scalar has none."""
        return sum(1 for _ in self.json.children(self.node)) if self.json.kind[self.node] <= 1 else 0

    def __bool__(self) -> bool:
        """Be true: a cursor is a found value, whatever it holds."""
        return True

    def _child(self, node: int, token: str | int) -> Cursor:
        return Cursor(
            self.json, node, input=self.input, frame=self.frame, base=self.base, parent=self, token=token
        )

    def get(self, key: str) -> Cursor | None:
        """Return the member `key`; the first one where it stands twice."""
        json = self.json
        if json.kind[self.node]:  # no object; written out, for it is what dialects and rules do most
            return None
        keys, skips = json.keys, json.skip
        child, stop = self.node + 1, skips[self.node]
        while child < stop:
            if keys[child] == key:
                return self._child(child, key)
            child = skips[child]
        return None

    def at(self, pointer: str) -> Cursor | None:
        """Follow a pointer from here, or return None where it leads nowhere."""
        here: Cursor | None = self
        for token in split(pointer):
            if here is None:
                return None
            here = here._item(token) if here.is_array else here.get(token)
        return here

    def _item(self, token: str) -> Cursor | None:
        # No array has more items than ten digits can count, and `int` refuses thousands of them.
        if not (token.isascii() and token.isdigit() and len(token) <= 10):
            return None
        index = int(token)
        child = next(islice(self.json.children(self.node), index, None), None)
        return None if child is None else self._child(child, index)

    def find(self, nodes: Iterable[int]) -> Iterator[Cursor]:
        """Yield the cursors of nodes inside this value, given in ascending order."""
        skips = self.json.skip
        trail = [(self, iter(self))]
        for node in nodes:
            while node >= skips[trail[-1][0].node]:
                trail.pop()
            while trail[-1][0].node != node:
                child = next(each for each in trail[-1][1] if node < skips[each.node])
                trail.append((child, iter(child)))
            yield trail[-1][0]

    @property
    def keys(self) -> list[str]:
        """The keys of an object in order, duplicates included."""
        if not self.is_object:
            return []
        keys = self.json.keys
        return [keys[child] or "" for child in self.json.children(self.node)]

    @property
    def key(self) -> str | None:
        """The key under which the value stands, or None for an item or a root."""
        return self.json.key(self.node)

    def rooted(self, input: str | None = None) -> Cursor:
        """Return the same value as the root of what is judged: its pointers begin here."""
        return Cursor(self.json, self.node, input=input or self.input, frame=self.frame, base=self.base)

    # Where it is -------------------------------------------------------------

    @property
    def path(self) -> str:
        """The pointer from the root of this text."""
        if self._path is None:
            unknown: list[Cursor] = []
            here: Cursor | None = self
            while here is not None and here._path is None:
                unknown.append(here)
                here = here._parent
            path = here._path if here is not None and here._path is not None else ""
            for each in reversed(unknown):
                if each._parent is not None:
                    path = f"{path}/{escape(str(each._token))}"
                each._path = path
        return self._path or ""

    @property
    def pointer(self) -> str:
        """The pointer from the root of the frame, ending at the string for an inner value."""
        return self.path if self.base is None else self.base.pointer

    @property
    def inner(self) -> str | None:
        """The pointer inside the JSON string this value was read from."""
        if self.base is None:
            return None
        return (self.base.inner or "") + self.path

    @property
    def location(self) -> Location:
        """Where the value stands."""
        return self._location(self.json.start[self.node], self.json.end[self.node])

    @property
    def key_location(self) -> Location:
        """Where the key of this member stands; its pointer is that of the value."""
        start = self.json.key_start[self.node]
        if start < 0:
            return self.location
        return self._location(start, self.json.key_end[self.node])

    @property
    def line(self) -> int:
        """The line on which the value begins."""
        return self.location.line or 1

    def _location(self, start: int, end: int) -> Location:
        json, string = self.json, self.base
        while string is not None:
            if not string.is_string:  # put together out of fragments: only those have a place
                return replace(string.location, inner=self.inner)
            json = string.json
            start, end = json.through(string.node, start), json.through(string.node, end)
            string = string.base
        line, column = json.place(start)
        end_line, end_column = json.place(end)
        return Location(
            input=self.input,
            frame=self.frame,
            pointer=self.pointer,
            inner=self.inner,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
        )
