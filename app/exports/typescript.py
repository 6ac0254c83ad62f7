"""TypeScript: types for what a tool takes. They check a program, never a payload.

Bounds, lengths and patterns have no type; other keys are admitted, because types
of objects are open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from app.exports import sources
from app.exports.code import SILENT, UNTYPED, Names, definitions, target_of
from app.exports.merge import Schema, types_of, values_of
from app.exports.profile import Profile, rules
from app.exports.target import Target
from app.json_text import quote, write

PROFILE: Final = Profile(
    source=sources.TYPESCRIPT,
    keywords={
        **rules(
            "drop",
            "kw-dropped",
            f"{UNTYPED} minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength "
            "minItems maxItems",
            sources.TYPESCRIPT,
        ),
        **rules("drop", "kw-dropped", "pattern", sources.TYPESCRIPT),
        **rules("drop", "addl-props-dropped", "additionalProperties=false", sources.TYPESCRIPT),
        **rules("strip", "", "additionalProperties=true", sources.TYPESCRIPT),
        **rules("drop", "tuple-widened", "prefixItems", sources.TYPESCRIPT),
        **rules("drop", "required-undeclared", "required(undeclared)", sources.TYPESCRIPT),
        **rules("rewrite", "oneof-to-anyof", "oneOf", sources.TYPESCRIPT),
        **rules("rewrite", "allof-merged", "allOf", sources.TYPESCRIPT),
        **rules("rewrite", "anyof-siblings-pushed", "anyOf+siblings", sources.TYPESCRIPT),
        **rules("rewrite", "ref-siblings-wrapped", "$ref+siblings", sources.TYPESCRIPT),
        **rules("refuse", "ref-external", "$ref(external)", sources.TYPESCRIPT),
        **rules("rewrite", "definitions-renamed", "definitions", sources.TYPESCRIPT),
        **rules("strip", "", SILENT, sources.TYPESCRIPT),
    },
    named_refs=True,
    integers=False,
    formats={},
)

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def code(name: str, description: str | None, schema: Any) -> str:
    """Write the type of the args, and one for each definition."""
    return "\n\n".join(_Types(name, schema).declarations(description)) + "\n"


class _Types:
    def __init__(self, name: str, root: Any) -> None:
        names = Names()
        self.root = root
        self.main = names.take(name, "args")
        self.named = {each: names.take(name, each) for each in definitions(root)}

    def declarations(self, description: str | None) -> Iterator[str]:
        yield f"{_comment(description, '')}export type {self.main} = {self.type(self.root, '')};"
        for each, schema in definitions(self.root).items():
            yield f"export type {self.named[each]} = {self.type(schema, '')};"

    def type(self, node: Any, pad: str) -> str:
        if not isinstance(node, dict):
            return "never" if node is False else "unknown"
        if isinstance(node.get("$ref"), str):
            led = target_of(node["$ref"])
            return self.main if led is None else self.named[led]
        if isinstance(node.get("anyOf"), list):
            return _union(self.type(each, pad) for each in node["anyOf"])
        listed = values_of(node)
        if listed is not None:
            return _union(write(each, None) for each in listed)
        kinds = types_of(node)
        return "unknown" if kinds is None else _union(self.one(node, kind, pad) for kind in kinds)

    def one(self, node: Schema, kind: str, pad: str) -> str:
        if kind == "array":
            item = self.type(node.get("items", True), pad)
            return f"Array<{item}>"
        if kind == "object":
            return self.object(node, pad)
        return kind

    def object(self, node: Schema, pad: str) -> str:
        inner = pad + "  "
        lines = []
        required = node.get("required", ())
        for name, child in node.get("properties", {}).items():
            told = child.get("description") if isinstance(child, dict) else None
            key = name if _IDENTIFIER.fullmatch(name) else quote(name)
            mark = "" if name in required else "?"
            lines.append(f"{_comment(told, inner)}{inner}{key}{mark}: {self.type(child, inner)};")
        rest = node.get("additionalProperties")
        if isinstance(rest, dict):
            lines.append(f"{inner}[key: string]: {self.type(rest, inner) if not lines else 'unknown'};")
        return "{\n" + "\n".join(lines) + f"\n{pad}}}" if lines else "Record<string, unknown>"


def _union(types: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _comment(text: Any, pad: str) -> str:
    if not isinstance(text, str) or not text:
        return ""
    words = text.replace("*/", "*\\/").split()
    return f"{pad}/** {' '.join(words)} */\n"


TARGET: Final = Target(
    id="typescript",
    title="TypeScript types",
    source=sources.TYPESCRIPT,
    profile=PROFILE,
    code=code,
)
