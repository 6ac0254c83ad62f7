"""Saying what happens to a keyword, by the rule that a wire has for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

from app.exports.changes import Changes
from app.exports.core_schema import Core
from app.exports.merge import Schema, values_of
from app.exports.profile import Profile

APPLIES: Final = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "number": frozenset(
        {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}
    ),
    "array": frozenset(
        {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains"}
        | {"maxContains", "unevaluatedItems"}
    ),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "propertyNames"}
        | {"minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"}
    ),
}
"""Keywords that speak of one type only."""
TYPED: Final = frozenset().union(*APPLIES.values())


class Refused(Exception):
    """There is no form for this schema; a change has said so."""


class Telling(ABC):
    """The core that is exported, the profile it is exported by, and how changes are said."""

    def __init__(self, core: Core, profile: Profile, changes: Changes) -> None:
        self.core = core
        self.profile = profile
        self.say = changes.say
        self.does = profile.does

    @abstractmethod
    def schema(self, node: Any, at: str, *, root: bool = False, part: bool = False) -> Any:
        """Say one schema. A `part` speaks of a value that other schemas speak of too."""

    def rule(self, keyword: str, at: str, detail: str = "", about: str | None = None) -> None:
        """Say the code of a keyword's rule."""
        rule = self.profile.rule(keyword)
        if rule is not None and rule.code:
            self.say(rule.code, at, detail, about=about, source=rule.source)

    def refuse(self, code: str, at: str, about: str = "", keyword: str = "") -> Refused:
        """Say an error and return what to raise."""
        rule = self.profile.rule(keyword)
        self.say(code, at, about=about, source=rule.source if rule is not None else None, severity="error")
        return Refused()

    def source(self, keyword: str) -> str | None:
        """Return where the rule of a keyword is known from."""
        rule = self.profile.rule(keyword)
        return rule.source if rule is not None else None


def is_null(branch: Any) -> bool:
    """Whether a schema admits null and nothing else."""
    if not isinstance(branch, dict):
        return False
    listed = values_of(branch)
    return branch.get("type") == "null" or branch.get("type") == ["null"] or listed == [None]


def admits_null(node: Schema) -> bool:
    """Whether the values that a schema lists, if it lists any, hold null."""
    listed = values_of(node)
    return listed is None or None in listed
