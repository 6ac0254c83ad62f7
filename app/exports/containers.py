"""How objects and arrays are said: keys, closed and open, required and optional, items and positions."""

from __future__ import annotations

from typing import Any

from app.cursor import escape
from app.exports.changes import Changes
from app.exports.core_schema import Core
from app.exports.merge import ANNOTATIONS, Schema, identity, number, types_of
from app.exports.profile import Profile
from app.exports.telling import APPLIES, Telling, is_null
from app.json_text import Number


class Containers(Telling):
    """The steps that treat what a schema says of keys and items."""

    def __init__(self, core: Core, profile: Profile, changes: Changes) -> None:
        super().__init__(core, profile, changes)
        self.optional: dict[int, set[str]] = {}
        """Keys that only became required, by the identity of the object written."""

    def objects(self, node: Schema, at: str, *, root: bool) -> None:
        """Treat what a schema says of keys, with the schemas of its properties."""
        types = types_of(node)
        speaks = node.keys() & APPLIES["object"]
        is_object = "object" in types if types is not None else bool(speaks & {"properties"})
        if not is_object and not speaks:
            return
        self._pattern_properties(node, at)
        properties = node.get("properties")
        self._additional(node, at, root=root, is_object=is_object)
        if isinstance(properties, dict) and "properties" in node:
            node["properties"] = {
                name: told
                for name, child in properties.items()
                if (told := self._property(node, name, child, f"{at}/properties/{escape(name)}", root))
                is not None
            }
        self._required(node, at, is_object=is_object)
        if is_object and self.profile.closed:
            self._all_required(node, properties or {}, at)
        if self.profile.proto:
            self._proto_object(node, at, root=root, is_object=is_object)
        elif is_object and "properties" not in node and self.does("properties", "rewrite"):
            node["properties"] = {}
            self.rule("properties", at)
        if self.profile.ordering and len(node.get("properties") or ()) > 1:
            node["propertyOrdering"] = list(node["properties"])
            self.say("property-ordering-added", at, source=self.source("propertyOrdering"))

    def _pattern_properties(self, node: Schema, at: str) -> None:
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

    def _additional(self, node: Schema, at: str, *, root: bool, is_object: bool) -> None:
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

    def _property(self, node: Schema, name: str, child: Any, at: str, root: bool) -> Any:
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

    def _required(self, node: Schema, at: str, *, is_object: bool) -> None:
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

    def _all_required(self, node: Schema, declared: Schema, at: str) -> None:
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

    def _proto_object(self, node: Schema, at: str, *, root: bool, is_object: bool) -> None:
        if not is_object:
            for key in APPLIES["object"]:
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
        """Treat positions, missing items and minItems."""
        types = types_of(node)
        if types is not None and "array" not in types:
            return
        if isinstance(node.get("prefixItems"), list) and self.does("prefixItems", "drop"):
            self._fold_tuple(node, at)
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

    def _fold_tuple(self, node: Schema, at: str) -> None:
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
        if any(is_null(each) for each in branches):
            return schema
        return schema | {"anyOf": [*branches, {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}
