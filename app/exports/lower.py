"""From a core schema to what one wire takes of it, with a change for all that is said in another way.

A profile says what the wire takes; this is how each keyword is treated. The walk
goes by the position of schemas, never by the names of keys: a property may be
called `properties`, and what stands under `enum` is data.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any, Final

from app import patterns
from app.cursor import escape, split
from app.exports.changes import Changes
from app.exports.core_schema import LEVELS, Core, children, find, is_local, pointer_of, walk
from app.exports.merge import (
    ANNOTATIONS,
    IN_PLACE,
    Impossible,
    Schema,
    Unmergeable,
    both,
    disjoint,
    fits,
    identity,
    number,
    type_of,
    types_of,
    values_of,
)
from app.exports.profile import Profile
from app.json_text import Number

SIZE: Final = 20_000
"""Most schemas that are written out: references that double may name more than memory holds."""

_APPLIES: Final = {
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
_TYPED: Final = frozenset().union(*_APPLIES.values())

_OWN: Final = frozenset(
    {"type", "enum", "const", "properties", "required", "additionalProperties", "patternProperties"}
    | {"items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions", "format"}
    | {"pattern", "exclusiveMinimum", "exclusiveMaximum", "minItems"}
)
"""Keywords that a step of their own treats."""

_KNOWN: Final = (
    _OWN
    | _TYPED
    | ANNOTATIONS
    | IN_PLACE
    | {"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "nullable", "propertyOrdering"}
)

_JSON_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")


@dataclass(frozen=True, slots=True)
class Lowered:
    """What a wire is told: `schema`, or None where it is told none.

    `open_null` is the same schema for one who sends null where an optional key is absent.
    """

    schema: Any
    open_null: Any


class _Refused(Exception):
    """There is no form for this schema; a change has said so."""


def lower(core: Core, profile: Profile, changes: Changes) -> Lowered:
    """Say a schema as a wire takes it. Where one of the changes is an error there is nothing to send."""
    work = _Lowering(core, profile, changes)
    if core.deep:
        changes.say("limit-depth", "", about=f"More than {LEVELS}")
        return Lowered(None, None)
    try:
        schema = work.root()
    except _Refused:
        return Lowered(None, None)
    return Lowered(schema, work.without_null(schema))


class _Lowering:
    def __init__(self, core: Core, profile: Profile, changes: Changes) -> None:
        self.core = core
        self.profile = profile
        self.say = changes.say
        self.does = profile.does
        self.made = 0
        self.depth = 0
        self.trail: list[str] = []
        """References that are being written out."""
        self.needed: dict[str, None] = {}
        """Members of $defs that what was written refers to."""
        self.optional: dict[int, set[str]] = {}
        """Keys that only became required, by the identity of the object written."""

    # Saying ----------------------------------------------------------------------------

    def rule(self, keyword: str, at: str, detail: str = "", about: str | None = None) -> None:
        """Say the code of a keyword's rule."""
        rule = self.profile.rule(keyword)
        if rule is not None and rule.code:
            self.say(rule.code, at, detail, about=about, source=rule.source)

    def refuse(self, code: str, at: str, about: str = "", keyword: str = "") -> _Refused:
        """Say an error and return what to raise."""
        rule = self.profile.rule(keyword)
        self.say(code, at, about=about, source=rule.source if rule is not None else None, severity="error")
        return _Refused()

    # The root --------------------------------------------------------------------------

    def root(self) -> Any:
        profile = self.profile
        if profile.as_written:
            return self.as_written()
        node = self.core.tree
        if not profile.object_root and not isinstance(node, dict):
            return self.schema(node, "")
        if not isinstance(node, dict):
            raise self.refuse("root-not-object", "")
        ref = node.get("$ref")
        if profile.inline_root and ref is not None:
            if not is_local(ref):
                raise self.refuse("ref-external", "/$ref", str(ref), "$ref(external)")
            node, _ = self.opened(node, "")
        if profile.object_root:
            node = self.root_object(node)
        out = self.schema(node, "", root=True)
        if isinstance(out, dict):
            if profile.no_args == "omit" and profile.object_root and "properties" not in out:
                self.omitted(out)
                return None
            self.definitions(out)
        return out

    def omitted(self, out: Schema) -> None:
        """Say that a tool without declared arguments is told no schema, and what goes with it."""
        self.rule("properties={}", "")
        rest = out.get("additionalProperties", True)
        if rest is not True:
            lost = "addl-props-dropped" if rest is False else "map-values-dropped"
            self.say(lost, "/additionalProperties", source=self.source("properties={}"))
        for key in ("minProperties", "maxProperties"):
            if key in out:
                self.say("kw-dropped", f"/{key}", key, source=self.source("properties={}"))

    def as_written(self) -> Any:
        """Return the schema as it stands, once its root and its references have been looked at."""
        for node, at in walk(self.core.tree):
            ref = node.get("$ref") if isinstance(node, dict) else None
            if ref is not None and not is_local(ref):
                raise self.refuse("ref-external", f"{at}/$ref", str(ref), "$ref(external)")
        if not self.profile.object_root:
            return self.core.kept
        if not isinstance(self.core.kept, dict):
            raise self.refuse("root-not-object", "", keyword="type")
        return self.root_object(self.core.kept)

    def root_object(self, node: Schema) -> Schema:
        """See to it that the root is an object and nothing stands beside it that may not."""
        profile = self.profile
        types = types_of(node)
        if types is None:
            target = self.resolved(node)
            if "properties" not in node and not (target is not None and types_of(target) == ["object"]):
                raise self.refuse("root-not-object", "", keyword="type")
            node = {"type": "object", **node}
            self.say("root-type-added", "")
        elif types != ["object"]:
            if "object" not in types:
                raise self.refuse("root-not-object", "/type", keyword="type")
            node = {**node, "type": "object"}
            self.say("root-type-added", "")
        if "allOf" in node and "allOf" in profile.root_refuses:
            node = self.merged(node, "")
        for keyword in ("anyOf", "oneOf"):
            if keyword in node and keyword in profile.root_refuses and _only_requires(node[keyword]):
                node = {key: value for key, value in node.items() if key != keyword}
                self.say("root-composition-dropped", f"/{keyword}", source=self.source("anyOf(root)"))
        for keyword in node:
            if keyword in profile.root_refuses:
                raise self.refuse("root-composition", f"/{keyword}", keyword, "anyOf(root)")
        unverified, code = profile.root_unverified
        for keyword in node:
            if keyword in unverified:
                detail = keyword if code == "mcp-root-keyword-pre-2026" else ""
                self.say(code, f"/{keyword}", detail, about=keyword, source=self.source("anyOf(root)"))
        return node

    def source(self, keyword: str) -> str | None:
        rule = self.profile.rule(keyword)
        return rule.source if rule is not None else None

    def definitions(self, out: Schema) -> None:
        """Write the definitions that references in `out` lead to, and those that these need."""
        name = "defs" if self.profile.proto else "$defs"
        done: Schema = {}
        while waiting := [each for each in self.needed if each not in done]:
            for each in waiting:
                at = f"/$defs/{escape(each)}"
                self.trail = [at]
                done[each] = self.schema(find(self.core.tree, at), at)
        self.trail = []
        if done:
            out[name] = {each: done[each] for each in self.core.tree.get("$defs", {}) if each in done}

    # One schema ------------------------------------------------------------------------

    def schema(self, node: Any, at: str, *, root: bool = False, part: bool = False) -> Any:
        """Say one schema. A `part` speaks of a value that other schemas speak of too."""
        self.made += 1
        if self.made > SIZE:
            raise self.refuse("limit-size", at)
        if self.depth > LEVELS:
            raise self.refuse("limit-depth", at, f"More than {LEVELS}")
        self.depth += 1
        try:
            return self._schema(node, at, root=root, part=part)
        finally:
            self.depth -= 1

    def _schema(self, node: Any, at: str, *, root: bool, part: bool) -> Any:
        if not isinstance(node, dict):
            return self.boolean(node, at)
        if "$ref" in node:
            kept = self.kept_reference(node, at)
            if kept is not None:
                return kept
        opened = len(self.trail)
        try:
            node, at = self.opened(node, at)
            node = self.simple(dict(node), at)
            self.one_of(node, at)
            if "anyOf" in node and (whole := self.any_of(node, at, root=root, part=part)) is not None:
                return whole
            self.values(node, at)
            if (whole := self.types(node, at, root=root, part=part)) is not None:
                return whole
            self.objects(node, at, root=root, part=part)
            self.arrays(node, at)
            self.strings(node, at)
            self.bounds(node, at)
            return self.finished(node, at)
        finally:
            del self.trail[opened:]

    def boolean(self, node: Any, at: str) -> Any:
        if self.does("schema(boolean)", "refuse"):
            why = "type-missing" if node is True else "bool-schema"
            raise self.refuse(why, at, keyword="schema(boolean)")
        self.rule("schema(boolean)", at, "boolean", about="A boolean schema")
        return node

    # References and allOf --------------------------------------------------------------

    def resolved(self, node: Schema) -> Schema | None:
        """Return what the reference of a schema leads to, or None."""
        seen: set[str] = set()
        here: Any = node
        while isinstance(here, dict) and is_local(here.get("$ref")) and here["$ref"] not in seen:
            seen.add(here["$ref"])
            try:
                here = find(self.core.tree, pointer_of(here["$ref"]))
            except LookupError:
                return None
        return here if isinstance(here, dict) and here is not node else None

    def kept_reference(self, node: Schema, at: str) -> Any:
        """Return a schema that keeps its reference, or None where the reference is to be followed."""
        ref = node["$ref"]
        if not is_local(ref):
            raise self.refuse("ref-external", f"{at}/$ref", str(ref), "$ref(external)")
        target = pointer_of(ref)
        try:
            find(self.core.tree, target)
        except LookupError:
            raise self.refuse("ref-unresolved", f"{at}/$ref", ref) from None
        if self.does("$ref", "rewrite"):
            return None
        if target in self.core.loops:
            self.looping(target, at)
        steps = split(target)
        is_named = (target == "" and not self.profile.proto) or (len(steps) == 2 and steps[0] == "$defs")
        if self.profile.named_refs and not is_named:
            return None
        beside = {key: value for key, value in node.items() if not key.startswith("$")}
        wraps = self.does("$ref+siblings", "rewrite")
        if wraps and self.profile.proto and beside:
            return None
        if wraps and self.profile.closed and not beside.keys() <= ANNOTATIONS:
            if target in self.core.loops:
                raise self.refuse("ref-siblings", at, keyword="$ref+siblings")
            self.say("ref-siblings-merged", at)
            return None
        if self.profile.named_refs and target:
            self.needed[steps[1]] = None
        written = f"#/defs/{steps[1]}" if self.profile.proto else ref
        pointing: Schema = {"ref" if self.profile.proto else "$ref": written}
        beside |= {key: value for key, value in node.items() if key.startswith("$") and key != "$ref"}
        if not beside:
            return pointing
        if wraps and not all(key.startswith("$") for key in beside):
            self.rule("$ref+siblings", at)
            rest = self.simple(dict(beside), at)
            wrapper = "anyOf" if "anyOf" not in rest else "allOf"
            rest = self.finished(rest, at)
            return {wrapper: [pointing], **rest}
        rest = self.simple(beside, at)
        return pointing | self.finished(rest, at)

    def looping(self, target: str, at: str) -> None:
        rule = self.profile.rule("$ref(recursive)")
        if rule is None:
            return
        if rule.does == "refuse":
            raise self.refuse("ref-recursive", at, keyword="$ref(recursive)")
        if target in self.core.tight:
            raise self.refuse("ref-recursive-required", at, keyword="$ref(recursive)")
        self.rule("$ref(recursive)", at)

    def opened(self, node: Schema, at: str) -> tuple[Schema, str]:
        """Follow the reference of a schema and merge its allOf, where the wire has neither.

        Returns the pointer too: what only a reference led to is told of where it stands.
        """
        while "$ref" in node:
            ref = node["$ref"]
            if not is_local(ref):
                raise self.refuse("ref-external", f"{at}/$ref", str(ref), "$ref(external)")
            target = pointer_of(ref)
            if target in self.trail or len(self.trail) > LEVELS:
                raise self.refuse("ref-recursive", f"{at}/$ref", keyword="$ref(recursive)")
            try:
                led = find(self.core.tree, target)
            except LookupError:
                raise self.refuse("ref-unresolved", f"{at}/$ref", ref) from None
            self.trail.append(target)
            self.say("ref-inlined", at, source=self.source("$ref"))
            beside = {key: value for key, value in node.items() if key != "$ref"}
            if beside and isinstance(led, dict) and "$ref" in led:
                led, _ = self.opened(led, target)
            node, at = self.both(beside, led, at), at if beside else target
        if "allOf" in node and self.does("allOf", "rewrite"):
            node = self.merged(node, at)
        elif "allOf" in node and self.does("allOf(mergeable)", "rewrite"):
            with contextlib.suppress(Unmergeable, Impossible):
                node = self.merge_all(node, at)
        return node, at

    def merged(self, node: Schema, at: str) -> Schema:
        """Merge the allOf of a schema into it, or refuse."""
        try:
            merged = self.merge_all(node, at)
        except Unmergeable:
            raise self.refuse("allof-unmergeable", f"{at}/allOf", keyword="allOf") from None
        except Impossible:
            raise self.refuse("bool-schema", f"{at}/allOf", keyword="schema(boolean)") from None
        return merged

    def merge_all(self, node: Schema, at: str) -> Schema:
        parts = node["allOf"]
        out = {key: value for key, value in node.items() if key != "allOf"}
        if not isinstance(parts, list):
            return out
        for index, part in enumerate(parts):
            if part is False:
                raise Impossible
            if isinstance(part, dict):
                out = both(out, self.opened(part, f"{at}/allOf/{index}")[0])
        if "allOf" in out:
            out = self.merge_all(out, at)
        # An allOf of one part, where nothing is combined, came from merging the schemas above it.
        if "allOf" in find_or_none(self.core.tree, at):
            self.say("allof-merged", f"{at}/allOf", source=self.source("allOf"))
        return out

    def both(self, first: Schema, second: Any, at: str) -> Schema:
        """Merge what stands at one place, or refuse."""
        if second is True:
            return first
        try:
            if second is False or not isinstance(second, dict):
                raise Impossible
            return both(first, second) if first else dict(second)
        except Unmergeable:
            raise self.refuse("allof-unmergeable", at, keyword="allOf") from None
        except Impossible:
            raise self.refuse("bool-schema", at, keyword="schema(boolean)") from None

    # Keywords that need no thought -----------------------------------------------------

    def simple(self, node: Schema, at: str) -> Schema:
        """Drop, strip or report the keywords whose value does not matter."""
        if "unevaluatedProperties" in node and self.does("unevaluatedProperties", "drop"):
            self.settle_unevaluated(node, at)
        for key in [key for key in node if key not in _OWN]:
            name = key if key in _KNOWN else "unknown"
            rule = self.profile.rule(name)
            if rule is None or rule.does == "rewrite":
                continue
            if rule.does in ("drop", "strip"):
                del node[key]
            if rule.code:
                detail = "" if rule.code in ("dialect-stripped", "nullable-ignored") else key
                self.say(rule.code, f"{at}/{escape(key)}", detail, source=rule.source)
        for key in ("$defs", "definitions"):
            if self.profile.named_refs or self.does("$ref", "rewrite"):
                node.pop(key, None)
        return node

    def settle_unevaluated(self, node: Schema, at: str) -> None:
        """Write unevaluatedProperties as additionalProperties where no other schema names keys."""
        if "additionalProperties" in node or any(
            key in node for key in IN_PLACE | {"patternProperties"} if key not in ("not",)
        ):
            return
        node["additionalProperties"] = node.pop("unevaluatedProperties")
        self.say("unevaluated-to-additional", f"{at}/unevaluatedProperties")

    # anyOf and oneOf -------------------------------------------------------------------

    def one_of(self, node: Schema, at: str) -> None:
        if "oneOf" not in node or self.profile.rule("oneOf") is None:
            return
        rule = self.profile.keywords["oneOf"]
        branches = node["oneOf"] if isinstance(node["oneOf"], list) else []
        known = [self.resolved(each) or each for each in branches if isinstance(each, dict)]
        apart = len(known) == len(branches) and disjoint(known)
        where = f"{at}/oneOf"
        if rule.does == "keep":
            if not apart:
                self.say("oneof-as-anyof", where, source=rule.source)
            return
        if "anyOf" in node:
            raise self.refuse("allof-unmergeable", where, keyword="allOf")
        self.say("oneof-to-anyof", where, source=rule.source)
        if not apart:
            self.say("oneof-exclusivity-lost", where, source=rule.source)
        for key in list(node):
            node["anyOf" if key == "oneOf" else key] = node.pop(key)

    def any_of(self, node: Schema, at: str, *, root: bool, part: bool) -> Any:
        """Say a schema with branches as a whole, or return None where the branches stay as they are."""
        beside = [key for key in node if key not in ANNOTATIONS and key != "anyOf"]
        alone = self.does("anyOf+siblings", "rewrite")
        if not (alone or (self.profile.closed and beside)) or not isinstance(node["anyOf"], list):
            return None
        keyword = "anyOf" if "anyOf" in find_or_none(self.core.tree, at) else "oneOf"
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        branches = list(node["anyOf"])
        null = False
        if alone:
            kept = [each for each in branches if not _is_null(each)]
            null = len(kept) < len(branches) and fits(None, types_of(rest)) and _admits_null(rest)
            if len(kept) < len(branches):
                self.rule("type:null", at)
            branches = kept
        told = [
            self.branch(rest, each, f"{at}/{keyword}/{index}", part) for index, each in enumerate(branches)
        ]
        written = [each for each in told if each is not None]
        if not written:
            raise self.refuse("bool-schema", at, keyword="schema(boolean)")
        if rest and len(branches) > 1:
            self.say("anyof-siblings-pushed", at, source=self.source("anyOf+siblings"))
        distinct = list({identity(each): each for each in written}.values())
        if len(distinct) < len(written):
            self.say("anyof-deduped", at)
        if null:
            for each in distinct:
                self.admit_null(each)
        return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}

    def branch(self, rest: Schema, branch: Any, at: str, part: bool) -> Any:
        """Say one branch together with what stands beside all of them; None where nothing meets both."""
        if branch is False:
            return None
        if branch is True:
            return self.schema(rest, at, part=part)
        opened = len(self.trail)
        if not rest:
            return self.schema(branch, at, part=part)
        if (
            self.profile.closed
            and is_local(branch.get("$ref"))
            and pointer_of(branch["$ref"]) in self.core.loops
        ):
            raise self.refuse("ref-siblings", at, keyword="$ref+siblings")
        try:
            branch, _ = self.opened(branch, at)
            whole = both(branch, rest)
        except Unmergeable:
            raise self.refuse("allof-unmergeable", at, keyword="allOf") from None
        except Impossible:
            return None
        try:
            return self.schema(whole, at, part=part)
        finally:
            del self.trail[opened:]

    # Values and types ------------------------------------------------------------------

    def values(self, node: Schema, at: str) -> None:
        """Treat `const` and `enum`, as long as the type is not settled."""
        if "const" in node and self.does("const", "rewrite"):
            self.const(node, at)
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
            self.infer(node, _types_of_values(node["enum"]), at)

    def const(self, node: Schema, at: str) -> None:
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

    def infer(self, node: Schema, types: list[str], at: str) -> None:
        """Write the type out that other keywords imply."""
        before = dict(node)
        node.clear()
        node["type"] = types[0] if len(types) == 1 else types
        node.update(before)
        self.say("type-inferred", at, source=self.source("type(missing)"))

    def types(self, node: Schema, at: str, *, root: bool, part: bool) -> Any:
        """Settle the type. Returns the whole schema where a list of types becomes branches."""
        if "const" in node and "type" not in node and self.does("enum(typeless)", "rewrite"):
            self.infer(node, [type_of(node["const"])], at)
        if types_of(node) is None and self.does("type(missing)", "refuse"):
            self.settle_type(node, at)
        if not self.profile.integers:
            self.widen_integers(node, at)
        types = types_of(node)
        if not self.profile.proto or types is None:
            return None
        null = "null" in types and _admits_null(node)
        if "null" in types and types != ["null"]:
            self.rule("type:null", at)
        rest = [each for each in dict.fromkeys(types) if each != "null"]
        if "number" in rest and "integer" in rest:
            rest.remove("integer")
        if len(rest) > 1:
            return self.split_types(node, rest, null, at, part)
        node["type"] = rest[0] if rest else "null"
        if rest and null:
            node["nullable"] = True
        if "enum" in node:
            self.typed_enum(node, node["type"], at)
        return None

    def widen_integers(self, node: Schema, at: str) -> None:
        """Write integer as number, for a language that has only one type for both."""
        types = types_of(node) or []
        if "integer" in types:
            wider = list(dict.fromkeys("number" if each == "integer" else each for each in types))
            node["type"] = wider[0] if len(wider) == 1 else wider
            if values_of(node) is None:
                self.say("integer-widened", f"{at}/type")

    def settle_type(self, node: Schema, at: str) -> None:
        listed = values_of(node)
        if listed:
            if self.profile.proto or self.does("enum(typeless)", "rewrite"):
                self.infer(node, _types_of_values(listed), at)
            return
        if node.keys() & {"anyOf", "$ref", "ref"}:
            return
        if node.keys() & {"properties", "required"}:
            self.infer(node, ["object"], at)
        elif node.keys() & {"items", "prefixItems"}:
            self.infer(node, ["array"], at)
        else:
            raise self.refuse("type-missing", at, keyword="type(missing)")

    def split_types(self, node: Schema, types: list[str], null: bool, at: str, part: bool) -> Any:
        """Write a list of types as branches, each keyword in the branches it speaks of."""
        self.rule("type[]", at)
        shared = [key for key in node if key not in _TYPED | {"type", "enum"}]
        if shared:
            self.say("anyof-siblings-pushed", at, source=self.source("anyOf+siblings"))
        branches: list[Any] = []
        for kind in types:
            branch: Schema = {"type": kind} | {key: node[key] for key in shared}
            applies = _APPLIES.get("number" if kind == "integer" else kind, frozenset())
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

    def typed_enum(self, node: Schema, kind: str, at: str) -> None:
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

    # Objects ---------------------------------------------------------------------------

    def objects(self, node: Schema, at: str, *, root: bool, part: bool) -> None:
        types = types_of(node)
        speaks = node.keys() & _APPLIES["object"]
        is_object = "object" in types if types is not None else bool(speaks & {"properties"})
        if not is_object and not speaks:
            return
        self.pattern_properties(node, at)
        properties = node.get("properties")
        self.additional(node, at, root=root, is_object=is_object)
        if isinstance(properties, dict) and "properties" in node:
            node["properties"] = {
                name: told
                for name, child in properties.items()
                if (told := self.property(node, name, child, f"{at}/properties/{escape(name)}", root))
                is not None
            }
        self.required(node, at, is_object=is_object)
        if is_object and self.profile.closed:
            self.all_required(node, properties or {}, at)
        if self.profile.proto:
            self.proto_object(node, at, root=root, is_object=is_object)
        elif is_object and "properties" not in node and self.does("properties", "rewrite"):
            node["properties"] = {}
            self.rule("properties", at)
        if self.profile.ordering and len(node.get("properties") or ()) > 1:
            node["propertyOrdering"] = list(node["properties"])
            self.say("property-ordering-added", at, source=self.source("propertyOrdering"))

    def pattern_properties(self, node: Schema, at: str) -> None:
        rule = self.profile.rule("patternProperties")
        if rule is None or "patternProperties" not in node:
            return
        where = f"{at}/patternProperties"
        if rule.does == "refuse":
            raise self.refuse(rule.code, where, keyword="patternProperties")
        self.rule("patternProperties", where, "patternProperties")
        if rule.does == "drop":
            del node["patternProperties"]
        # Left alone, it would refuse each key that only a pattern allows.
        if "additionalProperties" in node:
            node.pop("unevaluatedProperties", None)  # beside it, no key was left unevaluated
        rest = node.pop("additionalProperties", True)
        if rest is False:
            self.say("addl-props-dropped", f"{at}/additionalProperties", source=rule.source)
        elif rest not in (True, {}):
            self.say("map-values-dropped", f"{at}/additionalProperties", source=rule.source)

    def additional(self, node: Schema, at: str, *, root: bool, is_object: bool) -> None:
        where = f"{at}/additionalProperties"
        rest = node.get("additionalProperties")
        if rest == {}:
            rest = True
        if self.profile.closed and is_object:
            if rest is True or isinstance(rest, dict):
                name = "additionalProperties=true" if rest is True else "additionalProperties=schema"
                raise self.refuse("map-unrepresentable", where, keyword=name)
            if not node.get("properties"):
                if rest is None and not root:
                    raise self.refuse("map-unrepresentable", at, keyword="additionalProperties=true")
                if "properties" not in node:
                    node["properties"] = {}
                    self.say("object-props-added", at)
            if rest is None:
                self.rule("additionalProperties=false", where)
            node["additionalProperties"] = False
        elif rest is not None:
            kind = {False: "false", True: "true"}.get(rest, "schema") if isinstance(rest, bool) else "schema"
            name = f"additionalProperties={kind}"
            self.rule(name, where)
            if self.does(name, "drop", "strip"):
                del node["additionalProperties"]

    def property(self, node: Schema, name: str, child: Any, at: str, root: bool) -> Any:
        """Say one property; None where it is one that no object may have and none needs to forbid."""
        keys = self.profile.keys
        ruled = keys is not None and (root or self.profile.keys_below)
        if keys is not None and ruled and (keys.shape.fullmatch(name) is None or len(name) > keys.most):
            self.say(keys.code, at, name, source=keys.source)
        if child is False and self.does("schema(boolean)", "refuse") and name not in node.get("required", ()):
            if node.get("additionalProperties") is False:
                return None
            self.say("kw-dropped", at, "properties", about=f"The forbidden key {name}")
            return None
        return self.schema(child, at)

    def required(self, node: Schema, at: str, *, is_object: bool) -> None:
        required = node.get("required")
        if not isinstance(required, list):
            return
        declared = node.get("properties")
        is_settled = isinstance(declared, dict) or (is_object and (self.profile.proto or self.profile.closed))
        if is_settled and self.does("required(undeclared)", "drop"):
            for name in [name for name in required if name not in (declared or {})]:
                self.rule("required(undeclared)", f"{at}/required", about=str(name))
            node["required"] = [name for name in required if name in (declared or {})]
        if self.profile.proto and (not node["required"] or not is_object):
            del node["required"]

    def all_required(self, node: Schema, declared: Schema, at: str) -> None:
        """List required keys as strict wires want them, optional ones admitting null where all must be."""
        required = node.get("required", [])
        if not self.does("property(optional)", "rewrite"):
            node["required"] = required
            return
        added = [name for name in node["properties"] if name not in required]
        for name in added:
            where = f"{at}/properties/{escape(name)}"
            self.rule("property(optional)", where, name)
            node["properties"][name] = _nullable(node["properties"][name])
        node["required"] = list(node["properties"])
        if added:
            self.optional[id(node)] = set(added)

    def proto_object(self, node: Schema, at: str, *, root: bool, is_object: bool) -> None:
        if not is_object:
            for key in _APPLIES["object"]:
                node.pop(key, None)
            return
        if not node.get("properties"):
            node.pop("properties", None)
            if self.does("properties={}", "refuse"):
                raise self.refuse("object-untyped", at, keyword="properties={}")
            if not root and not isinstance(node.get("additionalProperties"), dict):
                self.say("object-untyped", at, source=self.source("properties={}"))

    # Arrays ----------------------------------------------------------------------------

    def arrays(self, node: Schema, at: str) -> None:
        types = types_of(node)
        if types is not None and "array" not in types:
            return
        if isinstance(node.get("prefixItems"), list) and self.does("prefixItems", "drop"):
            self.fold_tuple(node, at)
        items = node.get("items")
        if items is True:
            items = {}
        where = f"{at}/items"
        if types is not None and items is None and "prefixItems" not in node:
            if self.does("items(missing)", "refuse"):
                raise self.refuse("array-items-missing", at, keyword="items(missing)")
            if self.does("items(missing)", "rewrite"):
                node["items"] = {}
                self.rule("items(missing)", at)
        elif items in ({}, False) and self.does("items={}", "refuse"):
            raise self.refuse("array-items-missing", where, keyword="items={}")
        least = number(node.get("minItems"))
        if least is not None and least > 1 and self.does("minItems", "rewrite"):
            node["minItems"] = Number("1")
            self.rule("minItems", f"{at}/minItems", "minItems")

    def fold_tuple(self, node: Schema, at: str) -> None:
        """Write positions as one schema for all items; what is over must be refused or typed."""
        where = f"{at}/prefixItems"
        positions = list(node.pop("prefixItems"))
        rest = node.pop("items", True)
        most = number(node.get("maxItems"))
        short = most is not None and most <= len(positions)
        if rest is False:
            if not short:
                node["maxItems"] = Number(str(len(positions)))
                if self.does("maxItems", "drop"):
                    self.rule("maxItems", f"{at}/maxItems", "maxItems")
                    del node["maxItems"]
        elif not short:
            if rest in (True, {}):
                raise self.refuse("array-items-missing", at, keyword="items(missing)")
            positions.append(rest)
        distinct = list({identity(each): each for each in positions}.values())
        if len(distinct) == 1:
            node["items"] = distinct[0]
            self.say("tuple-homogeneous", where, source=self.source("prefixItems"))
        else:
            node["items"] = {"anyOf": distinct}
            self.rule("prefixItems", where)

    # Strings and numbers ---------------------------------------------------------------

    def strings(self, node: Schema, at: str) -> None:
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
            exact = whole and self.does(f"{keyword}(integer)", "rewrite")
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

    # Writing it down -------------------------------------------------------------------

    def finished(self, node: Schema, at: str) -> Schema:
        """Say the schemas that still stand inside one, and spell its type as the wire does."""
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(node.get(key), list):
                rule = self.profile.rule(key) if key == "allOf" else None
                if rule is not None and rule.code:
                    self.say(rule.code, f"{at}/{key}", key, source=rule.source)
        for child, pointer, keyword in list(children(node, at)):
            if keyword == "properties":
                continue  # said with their object
            if isinstance(child, bool) and child is node.get(keyword):
                continue  # a switch such as additionalProperties, which its own step has treated
            part = keyword in IN_PLACE
            told = self.schema(child, pointer, part=part)
            step = split(pointer)[-1]
            holder = node[keyword]
            if isinstance(holder, list):
                holder = node[keyword] = list(holder)
                holder[int(step)] = told
            elif keyword in ("$defs", "definitions", "patternProperties", "dependentSchemas"):
                node[keyword] = holder | {step: told}
            else:
                node[keyword] = told
        if self.profile.proto and isinstance(node.get("type"), str):
            node["type"] = node["type"].upper()
        return node

    def without_null(self, schema: Any) -> Any:
        """Return a written schema for one who drops null: what only became required is optional again."""
        if not self.optional:
            return schema
        if isinstance(schema, list):
            return [self.without_null(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        out = {key: self.without_null(value) for key, value in schema.items()}
        absent = self.optional.get(id(schema))
        if absent:
            out["required"] = [name for name in out["required"] if name not in absent]
        return out


def find_or_none(tree: Any, at: str) -> Schema:
    """Return the schema that stood at a pointer, or an empty one."""
    try:
        found = find(tree, at)
    except LookupError:
        return {}
    return found if isinstance(found, dict) else {}


def _only_requires(branches: Any) -> bool:
    """Whether the branches only say which keys must be there."""
    return isinstance(branches, list) and all(
        isinstance(each, dict) and "required" in each and each.keys() <= {"required"} | ANNOTATIONS
        for each in branches
    )


def _is_null(branch: Any) -> bool:
    if not isinstance(branch, dict):
        return False
    listed = values_of(branch)
    return branch.get("type") == "null" or branch.get("type") == ["null"] or listed == [None]


def _admits_null(node: Schema) -> bool:
    listed = values_of(node)
    return listed is None or None in listed


def _types_of_values(values: list[Any]) -> list[str]:
    """Return the types of values in order; with numbers, whole ones are numbers too."""
    types = list(dict.fromkeys(map(type_of, values)))
    return [each for each in types if not (each == "integer" and "number" in types)]


def _nullable(schema: Any) -> Any:
    """Return a written schema that admits null too."""
    if not isinstance(schema, dict):
        return schema
    types = types_of(schema)
    if types is not None and "const" not in schema and not schema.keys() & {"anyOf", "$ref"}:
        out = dict(schema)
        if "null" not in types:
            out["type"] = [*types, "null"]
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            out["enum"] = [*schema["enum"], None]
        return out
    branches = schema.get("anyOf")
    if types is None and isinstance(branches, list) and schema.keys() <= {"anyOf"} | ANNOTATIONS:
        if any(_is_null(each) for each in branches):
            return schema
        return schema | {"anyOf": [*branches, {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}


def _has_word_boundary(pattern: str) -> bool:
    escaped = False
    for character in pattern:
        if escaped and character in "bB":
            return True
        escaped = character == "\\" and not escaped
    return False
