"""What the OpenAI APIs take: Structured Outputs, and tools that no grammar is made of."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from app.exports import sources as src
from app.exports import strict
from app.exports.profile import Limits, Names, Profile, rules
from app.exports.target import Declare, Tool, described

NAMES: Final = Names(
    shape=re.compile(r"[A-Za-z0-9_-]*"),
    most=64,
    code="name-invalid",
    long="name-too-long",
    source=src.OPENAI_FUNCTIONS,
)

STRICT: Final = Profile(
    source=src.OPENAI_STRUCTURED,
    keywords={
        **strict.common(src.OPENAI_STRUCTURED, src.OPENAI_STRUCTURED, src.OPENAI_TYPELESS, "high"),
        **rules("rewrite", "type-inferred", "enum(mixed) enum(typeless)", src.OPENAI_TYPELESS, "medium"),
        **rules("rewrite", "optional-to-nullable", "property(optional)", src.OPENAI_STRUCTURED),
        **rules("drop", "tuple-widened", "prefixItems", src.OPENAI_TUPLES),
        **rules("keep", "kw-undocumented", "minLength maxLength", src.OPENAI_LENGTHS, "medium"),
        **rules("strip", "annot-dropped", "default", src.OPENAI_DEFAULT, "medium"),
        **rules("strip", "dialect-stripped", "$id", src.OPENAI_ID),
    },
    closed=True,
    named_refs=True,
    linear_patterns=True,
    root_refuses=frozenset({"anyOf", "oneOf", "allOf", "enum", "const"}),
    formats={"string": strict.FORMATS},
    limits=Limits(
        src.OPENAI_STRUCTURED,
        depth=10,
        properties=5000,
        enum_values=1000,
        enum_chars=15_000,
        strings=120_000,
    ),
)
"""`strict: true`, and response formats: a documented subset."""

TOOLS: Final = Profile(
    source=src.OPENAI_FUNCTIONS,
    keywords={
        **rules("refuse", "root-not-object", "type", src.OPENAI_ROOT),
        **rules("rewrite", "object-props-added", "properties", src.OPENAI_NO_ARGS),
        **rules("rewrite", "array-items-added", "items(missing)", src.OPENAI_FUNCTIONS, "medium"),
        **rules("drop", "kw-dropped", "propertyNames", src.OPENAI_NAMES),
        **rules("refuse", "root-composition", "anyOf(root)", src.OPENAI_ROOT),
        **rules("refuse", "ref-external", "$ref(external)", src.OPENAI_FUNCTIONS, "low"),
        **rules("strip", "dialect-stripped", "$schema", src.OPENAI_FUNCTIONS, "low"),
        **rules("strip", "dialect-stripped", "$id", src.OPENAI_ID),
        **rules("strip", "nullable-ignored", "nullable", src.CORE),
    },
    root_refuses=frozenset({"anyOf", "oneOf", "allOf", "enum", "const", "not"}),
)
"""`strict: false`: JSON Schema, lightly checked, and not enforced."""

REALTIME: Final = replace(TOOLS, source=src.OPENAI_REALTIME)


def function(strict: bool | None) -> Declare:
    """Return the function that writes a function tool; `strict` None where the wire has no such field."""

    def declare(tool: Tool) -> dict[str, Any]:
        flag = {} if strict is None else {"strict": strict}
        inner = described(tool) | {"parameters": tool.schema} | flag
        nested = strict is not None and tool.form == "chat"
        return {"type": "function", "function": inner} if nested else {"type": "function"} | inner

    return declare
