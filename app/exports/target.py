"""A target: one field of one wire that a contract can be exported to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from app.exports.profile import Names, Profile
from app.exports.sources import DATED


@dataclass(frozen=True, slots=True)
class Tool:
    """What a declaration is written of. `schema` is None where the wire wants none.

    `form` is chat or responses, the two ways in which OpenAI nests a tool.
    `parameters` is the schema of the args where `schema` is that of the result.
    """

    name: str
    description: str | None
    behavior: str | None
    schema: Any
    form: str
    parameters: Any = None


Declare = Callable[[Tool], Any]


def described(tool: Tool) -> dict[str, Any]:
    """Return the name of a tool, and its description if it has one."""
    out: dict[str, Any] = {"name": tool.name}
    return out if tool.description is None else out | {"description": tool.description}


@dataclass(frozen=True, slots=True)
class Target:
    """One export target.

    `profile` says what it takes of a schema; `declare` writes one entry and
    `entry` what is pasted of it. Where the target is a programming language,
    `code` writes the text, of the name and the lowered schema.
    """

    id: str
    title: str
    source: str
    profile: Profile
    declare: Declare | None = None
    names: Names | None = None
    entry: Callable[[Any], Any] | None = None
    code: Callable[[str, str | None, Any], str] | None = None
    part: Literal["parameters", "result"] = "parameters"
    reads: Literal["gemini", "json"] = "json"
    """How its schema is read back."""
    says: tuple[str, ...] = ()
    """Codes of changes that every export to it has."""
    first: str | None = None
    """What is said before anything else."""
    has_behavior: bool = False
    strict: bool = False
    """Whether the host counts the tool among its strict ones."""
    dated: str = DATED

    @property
    def limits(self) -> tuple[str, ...]:
        """Return what it takes at most, in words."""
        names = () if self.names is None else (f"At most {self.names.most} characters in a name.",)
        keys = self.profile.keys
        return (
            *names,
            *(() if keys is None else (f"At most {keys.most} characters in a key.",)),
            *self.profile.limits.sentences,
        )
