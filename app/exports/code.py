"""What schemas have in common that become types of a programming language."""

from __future__ import annotations

import re
from typing import Any, Final

from app.exports.merge import Schema
from app.exports.profile import COMPLEX

_WORDS: Final = re.compile(r"[A-Za-z0-9]+")

UNTYPED: Final = f"{COMPLEX} patternProperties minProperties maxProperties"
"""Keywords that no type says."""

SILENT: Final = (
    "$schema $id $anchor $dynamicAnchor $vocabulary $comment title default examples example deprecated "
    "readOnly writeOnly contentEncoding contentMediaType contentSchema propertyOrdering nullable unknown"
)
"""Keywords that judge nothing and are not written."""


def type_name(*parts: str) -> str:
    """Return a name for a type, such as SetLightRoom."""
    words = [word for part in parts for word in _WORDS.findall(part)]
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"T{name}"


class Names:
    """Gives each type a name of its own."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, *parts: str) -> str:
        """Return a free name made of these parts."""
        name = wanted = type_name(*parts)
        count = 2
        while name in self._taken:
            name, count = f"{wanted}{count}", count + 1
        self._taken.add(name)
        return name


def definitions(root: Any) -> Schema:
    """Return the definitions that references lead to, by name."""
    return root.get("$defs", {}) if isinstance(root, dict) else {}


def target_of(ref: str) -> str | None:
    """Return the name of the definition that a written reference leads to; None for the root."""
    return ref.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~") if ref != "#" else None
