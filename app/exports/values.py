"""How values are said: const and enum, types and null, patterns, formats and bounds."""

from __future__ import annotations

import math
from typing import Any, Final

from app import patterns
from app.exports.merge import Schema, both, fits, number, type_of, types_of, values_of
from app.exports.telling import APPLIES, TYPED, Telling, admits_null
from app.json_text import Number

_JSON_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")


EXACT: Final = 10**30
"""Bounds beyond it are not stepped over by one: nobody means them."""


class Values(Telling):
    """The steps that treat the value of a schema."""

    def values(self, node: Schema, at: str) -> None:
        """Treat `const` and `enum`, as long as the type is not settled."""
        if "const" in node and self.does("const", "rewrite"):
            self._const(node, at)
        if not isinstance(node.get("enum"), list):
            return
        types = types_of(node)
        where = f"{at}/enum"
        if (types is not None and self.does("enum(mixed)", "rewrite", "refuse")) or self.does(
            "enum(foreign)", "drop"
        ):
            fitting = [value for value in node["enum"] if fits(value, types)]
            if len(fitting) < len(node["enum"]):
                self.say("enum-values-dropped", where, source=self.source("enum(foreign)"))
            if not fitting:
                raise self.refuse("bool-schema", where, keyword="schema(boolean)")
            node["enum"] = fitting
        if self.profile.proto:
            return  # their types are told apart first
        kinds = set(map(type_of, node["enum"])) - {"null"}
        mixed = len(kinds - {"integer" if "number" in kinds else ""}) > 1
        for met, name in (
            ("boolean" in kinds, "enum(boolean)"),
            ("" in [value for value in node["enum"] if isinstance(value, str)], "enum('')"),
            (mixed, "enum(mixed)"),
        ):
            if met and self.does(name, "keep"):
                self.rule(name, where, "enum")
        if types is None and self.does("enum(typeless)", "rewrite"):
            self._infer(node, _types_of_values(node["enum"]), at)

    def _const(self, node: Schema, at: str) -> None:
        value = node.pop("const")
        types = types_of(node)
        if not fits(value, types):
            raise self.refuse("bool-schema", f"{at}/const", keyword="schema(boolean)")
        where = f"{at}/const"
        node["enum"] = [value]
        node.setdefault("type", type_of(value))
        if not self.profile.proto or (isinstance(value, str) and value):
            self.rule("const", where)
        elif value is not None and not isinstance(value, Number):  # a number becomes two equal bounds
            self.say("const-dropped", where, source=self.source("const"))
            del node["enum"]

    def _infer(self, node: Schema, types: list[str], at: str) -> None:
        """Write the type out that other keywords imply."""
        before = dict(node)
        node.clear()
        node["type"] = types[0] if len(types) == 1 else types
        node.update(before)
        self.say("type-inferred", at, source=self.source("type(missing)"))

    def types(self, node: Schema, at: str, *, part: bool) -> Any:
        """Settle the type. Returns the whole schema where a list of types becomes branches."""
        if "const" in node and "type" not in node and self.does("enum(typeless)", "rewrite"):
            self._infer(node, [type_of(node["const"])], at)
        if types_of(node) is None and self.does("type(missing)", "refuse"):
            self._settle_type(node, at)
        if not self.profile.integers:
            self._widen_integers(node, at)
        types = types_of(node)
        if not self.profile.proto or types is None:
            return None
        null = "null" in types and admits_null(node)
        if "null" in types and types != ["null"]:
            self.rule("type:null", at)
        rest = [each for each in dict.fromkeys(types) if each != "null"]
        if "number" in rest and "integer" in rest:
            rest.remove("integer")
        if len(rest) > 1:
            return self._split_types(node, rest, null, at, part)
        node["type"] = rest[0] if rest else "null"
        if rest and null:
            node["nullable"] = True
        if "enum" in node:
            self._typed_enum(node, node["type"], at)
        return None

    def _widen_integers(self, node: Schema, at: str) -> None:
        """Write integer as number, for a language that has only one type for both."""
        types = types_of(node) or []
        if "integer" in types:
            wider = list(dict.fromkeys("number" if each == "integer" else each for each in types))
            node["type"] = wider[0] if len(wider) == 1 else wider
            if values_of(node) is None:
                self.say("integer-widened", f"{at}/type")

    def _settle_type(self, node: Schema, at: str) -> None:
        listed = values_of(node)
        if listed:
            if self.profile.proto or self.does("enum(typeless)", "rewrite"):
                self._infer(node, _types_of_values(listed), at)
            return
        if node.keys() & {"anyOf", "$ref", "ref"}:
            return
        if node.keys() & {"properties", "required"}:
            self._infer(node, ["object"], at)
        elif node.keys() & {"items", "prefixItems"}:
            self._infer(node, ["array"], at)
        else:
            raise self.refuse("type-missing", at, keyword="type(missing)")

    def _split_types(self, node: Schema, types: list[str], null: bool, at: str, part: bool) -> Any:
        """Write a list of types as branches, each keyword in the branches it speaks of."""
        self.rule("type[]", at)
        shared = [key for key in node if key not in TYPED | {"type", "enum"}]
        if shared:
            self.say("anyof-siblings-pushed", at, source=self.source("anyOf+siblings"))
        branches: list[Any] = []
        for kind in types:
            branch: Schema = {"type": kind} | {key: node[key] for key in shared}
            applies = APPLIES.get("number" if kind == "integer" else kind, frozenset())
            branch |= {key: value for key, value in node.items() if key in applies}
            if "enum" in node:
                branch["enum"] = [value for value in node["enum"] if fits(value, [kind])]
                if not branch["enum"]:
                    continue
            told = self.schema(branch, at, part=part)
            if null:
                told["nullable"] = True
            branches.append(told)
        return branches[0] if len(branches) == 1 else {"anyOf": branches}

    def _typed_enum(self, node: Schema, kind: str, at: str) -> None:
        """Say the enum of a proto schema, which knows strings only."""
        where = f"{at}/enum"
        values = node.pop("enum")
        if None in values and kind != "null":
            self.rule("enum(null)", where)
            values = [value for value in values if value is not None]
        if kind == "string":
            if "" in values:
                self.rule("enum('')", where)
                values = [value for value in values if value != ""]
            if values:
                node["enum"] = values
            else:
                self.say("kw-dropped", where, "enum", source=self.source("enum('')"))
        elif kind in ("integer", "number") and values:
            numbers = sorted(values, key=number)
            hull: Schema = {"minimum": numbers[0], "maximum": numbers[-1]}
            if len(set(map(number, numbers))) == 1:
                self.say("const-to-bounds", where, source=self.source("const"))
            else:
                self.rule("enum(number)", where)
                self.say("enum-hull-bounds", where, source=self.source("enum(number)"))
            node |= both({key: node[key] for key in hull if key in node}, hull)
        elif kind != "null":
            self.rule("enum(boolean)" if kind == "boolean" else "enum(number)", where)

    def admit_null(self, schema: Schema) -> None:
        """Let a written proto schema admit null too."""
        for each in schema.get("anyOf", (schema,)):
            each["nullable"] = True

    # Strings and numbers ---------------------------------------------------------------

    def strings(self, node: Schema, at: str) -> None:
        """Treat `pattern` and `format`."""
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            unsupported = (self.profile.linear_patterns and not patterns.is_linear(pattern)) or (
                not self.profile.word_boundary and _has_word_boundary(pattern)
            )
            if unsupported or self.does("pattern", "drop"):
                del node["pattern"]
                source = self.source("pattern(unsupported)") or self.source("pattern")
                self.say("kw-dropped", f"{at}/pattern", "pattern", source=source)
            elif self.does("pattern", "keep"):
                self.rule("pattern", f"{at}/pattern", "pattern")
        kept = self.profile.formats
        shape = node.get("format")
        if kept is not None and isinstance(shape, str):
            types = types_of(node) or list(_JSON_TYPES)
            if not any(shape in kept.get(kind, ()) for kind in types):
                del node["format"]
                self.say("format-dropped", f"{at}/format", shape, source=self.source("format"))

    def bounds(self, node: Schema, at: str) -> None:
        """Treat exclusive bounds: of whole numbers they have an exact inclusive form."""
        whole = (types_of(node) or [""])[0] == "integer"
        for keyword, inclusive, step in (
            ("exclusiveMinimum", "minimum", 1),
            ("exclusiveMaximum", "maximum", -1),
        ):
            value = number(node.get(keyword))
            rule = self.profile.rule(keyword)
            if value is None or rule is None:
                continue
            where = f"{at}/{keyword}"
            exact = whole and abs(value) < EXACT and self.does(f"{keyword}(integer)", "rewrite")
            if rule.does == "keep" and not exact:
                self.rule(keyword, where, keyword)
                continue
            if rule.does == "drop":
                del node[keyword]
                self.rule(keyword, where, keyword)
                continue
            lexeme = node.pop(keyword)
            beside = number(node.get(inclusive))
            tighter = beside is not None and (beside > value if step > 0 else beside < value)
            if exact:
                bound = (math.floor(value) if step > 0 else math.ceil(value)) + step
                lexeme = Number(str(bound))
                tighter = beside is not None and (beside >= bound if step > 0 else beside <= bound)
            self.say(
                "bound-rewritten" if exact or tighter else "bound-loosened",
                where,
                keyword,
                source=rule.source,
            )
            if not tighter:
                node[inclusive] = lexeme


def _types_of_values(values: list[Any]) -> list[str]:
    """Return the types of values in order; with numbers, whole ones are numbers too."""
    types = list(dict.fromkeys(map(type_of, values)))
    return [each for each in types if not (each == "integer" and "number" in types)]


def _has_word_boundary(pattern: str) -> bool:
    escaped = False
    for character in pattern:
        if escaped and character in "bB":
            return True
        escaped = character == "\\" and not escaped
    return False
