"""What one wire takes of a JSON Schema, as data: a rule for each keyword it treats in its own way.

A keyword without a rule is sent as it is. Where the treatment hangs on the value
the rule has a finer name, `enum(number)` or `additionalProperties=false`, or says
what is met: `items(missing)`, `$ref+siblings`, `property(optional)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from app.exports.sources import VALIDATION

Does = Literal["keep", "drop", "strip", "rewrite", "refuse"]
"""keep: send it, and say the code. drop: remove it, a constraint is lost. strip: remove it, it judges
nothing. rewrite: say it in another way. refuse: there is no way to say it."""

Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one wire treats one keyword, where that is known from, and how sure it is."""

    does: Does
    code: str
    source: str
    confidence: Confidence = "high"


Rules = Mapping[str, Rule]

COMPLEX: Final = (
    "propertyNames unevaluatedProperties dependentRequired dependentSchemas contains minContains "
    "maxContains unevaluatedItems uniqueItems not if then else $dynamicRef"
)
"""Keywords that only a JSON Schema engine knows."""


def rules(
    does: Does, code: str, keywords: str, source: str, confidence: Confidence = "high"
) -> dict[str, Rule]:
    """Return one rule for several keywords, given in one text with spaces between."""
    return dict.fromkeys(keywords.split(" "), Rule(does, code, source, confidence))


@dataclass(frozen=True, slots=True)
class Names:
    """What a wire takes as the name of a tool, or of a key.

    `code` is said where `shape` does not match, `long` where it is over `most`
    characters; over `risky` characters `risk` is said.
    """

    shape: re.Pattern[str]
    most: int
    code: str
    long: str
    source: str
    leads: re.Pattern[str] | None = None
    """What a name must begin with, where that is narrower than `shape`."""
    risky: int | None = None
    risk: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Counts over which a wire refuses a schema (`depth` and on) or a request (`strict_tools` and on)."""

    source: str
    depth: int | None = None
    depth_risk: int | None = None
    properties: int | None = None
    enum_values: int | None = None
    enum_chars: int | None = None
    """Characters in one enum of more than 250 strings."""
    strings: int | None = None
    strict_tools: int | None = None
    optional: int | None = None
    unions: int | None = None
    max_items: int | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the limits in words."""
        counts = (
            (self.depth, "objects in each other"),
            (self.properties, "properties"),
            (self.enum_values, "enum values"),
            (self.enum_chars, "characters in one enum of more than 250 strings"),
            (self.strings, "characters in names and values"),
            (self.strict_tools, "strict tools in one request"),
            (self.optional, "optional keys in one request"),
            (self.unions, "keys of several types in one request"),
            (self.max_items, "as the sum of maxItems in one request, not documented"),
        )
        return tuple(f"At most {most:,} {what}." for most, what in counts if most is not None)


NO_LIMITS: Final = Limits(VALIDATION)


@dataclass(frozen=True, slots=True)
class Profile:
    """One wire. The flags are what no single keyword says."""

    source: str
    keywords: Rules = field(default_factory=dict)
    proto: bool = False
    """Types are single and upper case, null is a flag, references are `ref` and `defs` if any."""
    closed: bool = False
    """Every object refuses other keys, so that free keys have no form."""
    as_written: bool = False
    """Whether any JSON Schema is taken, so that only the root and the references are looked at."""
    object_root: bool = True
    """Whether the root must be an object, as args are."""
    root_refuses: frozenset[str] = frozenset()
    """Keywords that are refused beside a root object."""
    root_unverified: tuple[frozenset[str], str] = (frozenset(), "")
    """Keywords at the root whose effect nobody has seen, and the code that says so."""
    inline_root: bool = True
    """Whether a reference at the root is followed, so that its type stands there."""
    named_refs: bool = False
    """Whether references lead to the root or to a member of its $defs only."""
    formats: Mapping[str, frozenset[str]] | None = None
    """Formats taken, by type; None where any is."""
    word_boundary: bool = True
    """Whether patterns may hold \\b."""
    linear_patterns: bool = False
    """Whether patterns may hold no look-around and no back-reference."""
    integers: bool = True
    """Whether whole numbers have a type of their own."""
    no_args: Literal["omit", "send"] = "send"
    ordering: bool = False
    """Whether propertyOrdering is written."""
    keys: Names | None = None
    keys_below: bool = False
    """Whether the rule for keys holds below the root too."""
    limits: Limits = NO_LIMITS

    def rule(self, keyword: str) -> Rule | None:
        """Return the rule of a keyword, or None where it is sent as it is."""
        return self.keywords.get(keyword)

    def does(self, keyword: str, *what: Does) -> bool:
        """Whether a keyword is treated in one of these ways."""
        rule = self.keywords.get(keyword)
        return rule is not None and rule.does in what
