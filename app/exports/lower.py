"""From a core schema to what one wire takes of it, with a change for all that is said in another way.

A profile says what the wire takes; this is how each keyword is treated. The walk
goes by the position of schemas, never by the names of keys: a property may be
called `properties`, and what stands under `enum` is data.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Final

from app.cursor import escape, split
from app.exports.changes import Changes
from app.exports.containers import Containers
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
    types_of,
)
from app.exports.profile import Profile
from app.exports.telling import TYPED, Refused, admits_null, is_null
from app.exports.values import Values

SIZE: Final = 20_000
"""Most schemas that are written out: references that double may name more than memory holds."""

_OWN: Final = frozenset(
    {"type", "enum", "const", "properties", "required", "additionalProperties", "patternProperties"}
    | {"items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions", "format"}
    | {"pattern", "exclusiveMinimum", "exclusiveMaximum", "minItems"}
)
"""Keywords that a step of their own treats."""

_NAMING: Final = IN_PLACE - {"not"}
"""Keywords under which other schemas may name keys of the same object."""

_KNOWN: Final = (
    _OWN
    | TYPED
    | ANNOTATIONS
    | IN_PLACE
    | {"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "nullable", "propertyOrdering"}
)


@dataclass(frozen=True, slots=True)
class Lowered:
    """What a wire is told: `schema`, or None where it is told none.

    `open_null` is the same schema for one who sends null where an optional key is absent.
    """

    schema: Any
    open_null: Any


def lower(core: Core, profile: Profile, changes: Changes) -> Lowered:
    """Say a schema as a wire takes it. Where one of the changes is an error there is nothing to send."""
    work = _Lowering(core, profile, changes)
    if core.deep and not profile.as_written:
        changes.say("limit-depth", "", about=f"More than {LEVELS}")
        return Lowered(None, None)
    try:
        schema = work.root()
    except Refused:
        return Lowered(None, None)
    return Lowered(schema, work.without_null(schema))


class _Lowering(Values, Containers):
    """The walk: roots, references, combinations, and what stands inside a schema."""

    def __init__(self, core: Core, profile: Profile, changes: Changes) -> None:
        super().__init__(core, profile, changes)
        self.made = 0
        self.depth = 0
        self.trail: list[str] = []
        """References that are being written out."""
        self.needed: dict[str, None] = {}
        """Members of $defs that what was written refers to."""

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
            if "anyOf" in node and (whole := self.any_of(node, at, part=part)) is not None:
                return whole
            self.values(node, at)
            if (whole := self.types(node, at, part=part)) is not None:
                return whole
            self.objects(node, at, root=root)
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
            if target in self.trail:
                raise self.refuse("ref-recursive", f"{at}/$ref", keyword="$ref(recursive)")
            if len(self.trail) > LEVELS:
                raise self.refuse("limit-depth", at, f"More than {LEVELS}")
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
        # An allOf that only merging put there is no change of what the contract says.
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
        if node.keys() & (_NAMING | {"additionalProperties", "patternProperties"}):
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

    def any_of(self, node: Schema, at: str, *, part: bool) -> Any:
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
            kept = [each for each in branches if not is_null(each)]
            null = len(kept) < len(branches) and fits(None, types_of(rest)) and admits_null(rest)
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
