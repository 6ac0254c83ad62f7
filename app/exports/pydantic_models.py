"""Pydantic: models in strict mode, so that no text is taken for a number.

A closed object becomes `extra="forbid"`, an optional key has a default that
nobody can send, an enum is a Literal and a bound a Field.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from typing import Any, Final

from app.exports import sources
from app.exports.code import SILENT, UNTYPED, Names, definitions, target_of
from app.exports.merge import Schema, types_of, values_of
from app.exports.profile import Profile, rules
from app.exports.target import Target
from app.json_text import Number

PROFILE: Final = Profile(
    source=sources.PYDANTIC,
    keywords={
        **rules("drop", "kw-dropped", f"{UNTYPED} pattern(unsupported)", sources.PYDANTIC),
        **rules("drop", "tuple-widened", "prefixItems", sources.PYDANTIC),
        **rules("drop", "required-undeclared", "required(undeclared)", sources.PYDANTIC),
        **rules("rewrite", "oneof-to-anyof", "oneOf", sources.PYDANTIC),
        **rules("rewrite", "allof-merged", "allOf", sources.PYDANTIC),
        **rules("rewrite", "anyof-siblings-pushed", "anyOf+siblings", sources.PYDANTIC),
        **rules("rewrite", "ref-siblings-wrapped", "$ref+siblings", sources.PYDANTIC),
        **rules("refuse", "ref-external", "$ref(external)", sources.PYDANTIC),
        **rules("rewrite", "definitions-renamed", "definitions", sources.PYDANTIC),
        **rules("strip", "", SILENT, sources.PYDANTIC),
    },
    named_refs=True,
    linear_patterns=True,
    formats={},
)

_SCALARS: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_ARGUMENTS: Final = {
    "number": {
        "minimum": "ge",
        "exclusiveMinimum": "gt",
        "maximum": "le",
        "exclusiveMaximum": "lt",
        "multipleOf": "multiple_of",
    },
    "string": {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
}
_FIELD_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TAKEN: Final = frozenset(
    {"copy", "dict", "json", "schema", "validate", "construct", "parse_obj", "parse_raw"}
)
"""Attributes that every model has."""
_HEAD: Final = """from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel
"""


def code(name: str, description: str | None, schema: Any) -> str:
    """Write a module with the model of the args, which comes last."""
    return _Models(name, description, schema).module()


class _Models:
    def __init__(self, name: str, description: str | None, root: Any) -> None:
        self.names = Names()
        self.root = root
        self.tool = name
        self.description = description
        self.main = self.names.take(name, "args")
        self.named = {each: self.names.take(name, each) for each in definitions(root)}
        self.classes: list[str] = []

    def module(self) -> str:
        for each, schema in definitions(self.root).items():
            self.top(self.named[each], schema, None)
        self.top(self.main, self.root, self.description)
        return "\n\n\n".join([_HEAD.rstrip(), *self.classes]) + "\n"

    def top(self, name: str, schema: Any, description: str | None) -> None:
        """Write what has a name of its own: an object as a model, anything else as a root model."""
        if isinstance(schema, dict) and types_of(schema) == ["object"] and not _is_map(schema):
            self.model(name, schema, description)
        else:
            told = [] if description is None else [f"    {description!r}"]
            root = f"    root: {self.type(schema, name)}"
            config = "    model_config = ConfigDict(strict=True)"
            self.classes.append("\n".join([f"class {name}(RootModel[Any]):", *told, config, root]))

    def model(self, name: str, node: Schema, description: str | None) -> None:
        rest = node.get("additionalProperties")
        extra = "forbid" if rest is False else "allow"
        lines = [f"class {name}(BaseModel):"]
        told = description if description is not None else node.get("description")
        if isinstance(told, str):
            lines.append(f"    {told!r}")
        lines.append(f'    model_config = ConfigDict(extra="{extra}", strict=True)')
        if isinstance(rest, dict):
            lines.append(f"    __pydantic_extra__: dict[str, {self.type(rest, name, 'value')}]")
        required = node.get("required", ())
        used: set[str] = set()
        for key, child in node.get("properties", {}).items():
            field = _field_name(key, used)
            arguments = [] if key in required else ["default=None"]
            if field != key:
                arguments.append(f"alias={key!r}")
            about = child.get("description") if isinstance(child, dict) else None
            if isinstance(about, str):
                arguments.append(f"description={about!r}")
            setting = f" = Field({', '.join(arguments)})" if arguments else ""
            lines.append(f"    {field}: {self.type(child, name, key)}{setting}")
        self.classes.append("\n".join(lines))

    def type(self, node: Any, *path: str) -> str:
        if not isinstance(node, dict):
            return "Any"
        if isinstance(node.get("$ref"), str):
            led = target_of(node["$ref"])
            return self.main if led is None else self.named[led]
        if isinstance(node.get("anyOf"), list):
            return _union(self.type(each, *path, str(index)) for index, each in enumerate(node["anyOf"], 1))
        listed = values_of(node)
        if listed is not None and (literal := _literal(listed)) is not None:
            return literal
        kinds = types_of(node)
        return "Any" if kinds is None else _union(self.one(node, kind, path) for kind in kinds)

    def one(self, node: Schema, kind: str, path: tuple[str, ...]) -> str:
        if kind == "object":
            return self.object(node, path)
        base = (
            f"list[{self.type(node.get('items', True), *path, 'item')}]"
            if kind == "array"
            else _SCALARS[kind]
        )
        known = _ARGUMENTS.get("number" if kind == "integer" else kind, {})
        arguments = [f"{word}={_python(node[key])}" for key, word in known.items() if key in node]
        return f"Annotated[{base}, Field({', '.join(arguments)})]" if arguments else base

    def object(self, node: Schema, path: tuple[str, ...]) -> str:
        if _is_map(node):
            rest = node.get("additionalProperties", True)
            return f"dict[str, {self.type(rest, *path, 'value')}]"
        name = self.names.take(*path)
        self.model(name, node, None)
        return name


def _is_map(node: Schema) -> bool:
    return not node.get("properties") and node.get("additionalProperties") is not False


def _union(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _literal(values: list[Any]) -> str | None:
    """Return a Literal of the values, or None where Python has none for them."""
    words = []
    for value in values:
        if isinstance(value, Number) and value.lexeme.lstrip("-").isdigit():
            words.append(value.lexeme)
        elif value is None or isinstance(value, str | bool):
            words.append(repr(value))
        else:
            return None
    return f"Literal[{', '.join(words)}]" if words else None


def _python(value: Any) -> str:
    return value.lexeme if isinstance(value, Number) else repr(value)


def _field_name(key: str, used: set[str]) -> str:
    """Return a name that a field may have, and that no other field of the model has."""
    fits = _FIELD_NAME.fullmatch(key) and not keyword.iskeyword(key)
    name = key if fits and key not in _TAKEN and not key.startswith("model_") else ""
    if not name:
        name = "field_" + re.sub(r"\W", "_", key, flags=re.ASCII)
    while name in used:
        name += "_"
    used.add(name)
    return name


TARGET: Final = Target(
    id="pydantic",
    title="Pydantic models",
    source=sources.PYDANTIC,
    profile=PROFILE,
    code=code,
)
