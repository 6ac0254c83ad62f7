"""What the Anthropic Messages API takes: tools, and tools that a grammar is made of."""

from __future__ import annotations

import re
from typing import Any, Final

from app.exports import sources as src
from app.exports import strict
from app.exports.profile import Limits, Names, Profile, rules
from app.exports.target import Tool, described

NAMES: Final = Names(
    shape=re.compile(r"[A-Za-z0-9_-]*"),
    most=128,
    code="name-invalid",
    long="name-too-long",
    source=src.ANTHROPIC_TOOLS,
)

KEYS: Final = Names(
    shape=re.compile(r"[A-Za-z0-9_.-]+"),
    most=64,
    code="prop-name-invalid",
    long="prop-name-invalid",
    source=src.ANTHROPIC_KEYS,
)

TOOLS: Final = Profile(
    source=src.ANTHROPIC_TOOLS,
    keywords={
        **rules("refuse", "root-not-object", "type", src.ANTHROPIC_TOOLS),
        **rules("refuse", "root-composition", "anyOf(root)", src.ANTHROPIC_ROOT),
        **rules("refuse", "ref-external", "$ref(external)", src.ANTHROPIC_TOOLS, "low"),
        **rules("strip", "dialect-stripped", "$schema $id", src.ANTHROPIC_2020, "low"),
    },
    root_refuses=frozenset({"anyOf", "oneOf", "allOf"}),
    keys=KEYS,
)
"""`input_schema`: any valid 2020-12 with an object at the root; not enforced."""

STRICT: Final = Profile(
    source=src.ANTHROPIC_STRUCTURED,
    keywords={
        **strict.common(src.ANTHROPIC_STRUCTURED, src.ANTHROPIC_BOUNDS, src.ANTHROPIC_STRUCTURED, "medium"),
        **rules(
            "drop",
            "kw-dropped",
            "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems",
            src.ANTHROPIC_BOUNDS,
        ),
        **rules("rewrite", "bound-loosened", "minItems", src.ANTHROPIC_STRUCTURED),
        **rules("drop", "enum-values-dropped", "enum(foreign)", src.ANTHROPIC_ENUM),
        **rules("refuse", "ref-recursive", "$ref(recursive)", src.ANTHROPIC_STRUCTURED),
    },
    closed=True,
    named_refs=True,
    linear_patterns=True,
    word_boundary=False,
    root_refuses=frozenset({"anyOf", "oneOf", "allOf"}),
    formats={"string": strict.FORMATS | {"uri"}},
    keys=KEYS,
    limits=Limits(src.ANTHROPIC_STRUCTURED, strict_tools=20, optional=24, unions=16),
)
"""`strict: true`: a grammar is compiled, so most bounds are not known."""


def declare(tool: Tool) -> dict[str, Any]:
    """Write a tool."""
    return described(tool) | {"input_schema": tool.schema}


def declare_strict(tool: Tool) -> dict[str, Any]:
    """Write a tool that the model is held to."""
    return declare(tool) | {"strict": True}
