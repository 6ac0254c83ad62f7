"""What the fields of the Gemini APIs take: the protobuf Schema, and the two JSON Schema fields."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from app.exports import sources as src
from app.exports.profile import COMPLEX, Limits, Names, Profile, rules
from app.exports.target import Declare, Tool, described

NAMES: Final = Names(
    shape=re.compile(r"[A-Za-z0-9_.:-]*"),
    leads=re.compile(r"[A-Za-z_]"),
    most=128,
    code="name-invalid",
    long="name-too-long",
    source=src.GEMINI_DECLARATION,
    risky=64,
    risk="name-len-64-risk",
)
"""400s that cite 64 were seen until March 2026, though 128 is documented."""

KEYS: Final = Names(
    shape=re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    most=64,
    code="prop-name-risk",
    long="prop-name-risk",
    source=src.GEMINI_SCHEMA,
)

LIMITS: Final = Limits(src.GEMINI_BUDGET, max_items=960)
DEEP: Final = replace(LIMITS, depth_risk=5)
"""Third parties report four or five levels on the protobuf field; nothing is documented."""

PROTO: Final = Profile(
    source=src.GEMINI_SCHEMA,
    keywords={
        **rules("rewrite", "type-inferred", "type", src.GEMINI_SCHEMA),
        **rules("rewrite", "type-union-split", "type[]", src.ANY_OF_ALONE),
        **rules("rewrite", "nullable-rewritten", "type:null enum(null)", src.GEMINI_SCHEMA, "medium"),
        **rules("drop", "enum-non-string-dropped", "enum(number)", src.ENUM_STRINGS, "medium"),
        **rules("drop", "enum-non-string-dropped", "enum(boolean)", src.ENUM_STRINGS),
        **rules("drop", "enum-empty-string", "enum('')", src.EMPTY_ENUM),
        **rules("rewrite", "type-union-split", "enum(mixed)", src.ENUM_STRINGS, "medium"),
        **rules("drop", "enum-values-dropped", "enum(foreign)", src.ENUM_STRINGS),
        **rules("rewrite", "const-to-enum", "const", src.PROTO_PROBES),
        **rules("rewrite", "no-args-omit-parameters", "properties={}", src.EMPTY_OBJECT, "medium"),
        **rules("drop", "required-undeclared", "required(undeclared)", src.ANY_OF_ALONE),
        **rules("drop", "addl-props-dropped", "additionalProperties=false", src.LIVE_1007),
        **rules("strip", "", "additionalProperties=true", src.GEMINI_SCHEMA),
        **rules("drop", "map-values-dropped", "additionalProperties=schema", src.LIVE_PROBES),
        **rules(
            "drop",
            "kw-dropped",
            f"{COMPLEX} patternProperties multipleOf",
            src.PROTO_PROBES,
        ),
        **rules("refuse", "array-items-missing", "items(missing)", src.PROTO_PROBES),
        **rules("refuse", "array-items-missing", "items={}", src.PROTO_PROBES, "medium"),
        **rules("drop", "tuple-widened", "prefixItems", src.PROTO_PROBES),
        **rules("rewrite", "format-dropped", "format", src.GEMINI_FORMATS, "medium"),
        **rules(
            "rewrite",
            "bound-rewritten",
            "exclusiveMinimum exclusiveMaximum exclusiveMinimum(integer) exclusiveMaximum(integer)",
            src.PROTO_PROBES,
        ),
        **rules("rewrite", "anyof-siblings-pushed", "anyOf+siblings", src.ANY_OF_ALONE),
        **rules("refuse", "root-composition", "anyOf(root)", src.GEMINI_DECLARATION, "medium"),
        **rules("rewrite", "oneof-to-anyof", "oneOf", src.PROTO_PROBES),
        **rules("rewrite", "allof-merged", "allOf", src.PROTO_PROBES),
        **rules("rewrite", "ref-inlined", "$ref", src.GEMINI_SCHEMA),
        **rules("refuse", "ref-recursive", "$ref(recursive)", src.GEMINI_SCHEMA),
        **rules("refuse", "ref-external", "$ref(external)", src.GEMINI_SCHEMA),
        **rules(
            "strip",
            "dialect-stripped",
            "$schema $id $anchor $dynamicAnchor $vocabulary",
            src.PROTO_PROBES,
        ),
        **rules(
            "strip",
            "annot-dropped",
            "$comment examples example deprecated readOnly writeOnly contentEncoding contentMediaType "
            "contentSchema unknown propertyOrdering",
            src.PROTO_PROBES,
        ),
        **rules("strip", "annot-dropped", "title", src.GEMINI_TITLE, "medium"),
        **rules("strip", "annot-dropped", "default", src.GEMINI_SCHEMA, "medium"),
        **rules("strip", "nullable-ignored", "nullable", src.CORE),
        **rules("refuse", "bool-schema", "schema(boolean)", src.GEMINI_SCHEMA),
        **rules("refuse", "type-missing", "type(missing)", src.PROTO_PROBES),
    },
    proto=True,
    root_refuses=frozenset({"anyOf", "oneOf", "allOf", "enum", "const"}),
    formats={
        "string": frozenset({"enum", "date-time"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"float", "double"}),
    },
    no_args="omit",
    keys=KEYS,
    keys_below=True,
    limits=DEEP,
)
"""`parameters` of the Developer API, for generateContent and for Live."""

_VERTEX_TAKES: Final = {
    "additionalProperties=false",
    "additionalProperties=true",
    "additionalProperties=schema",
}

VERTEX: Final = replace(
    PROTO,
    source=src.VERTEX_SCHEMA,
    keywords={
        **{
            key: rule for key, rule in PROTO.keywords.items() if key not in _VERTEX_TAKES | {"$ref", "format"}
        },
        **rules("rewrite", "ref-inlined", "$ref+siblings", src.VERTEX_SCHEMA, "medium"),
    },
    named_refs=True,
    formats=None,
)
"""The same field on Vertex AI also has additionalProperties, defs and ref."""

RESPONSE: Final = replace(
    PROTO,
    keywords={
        **PROTO.keywords,
        **rules("refuse", "object-untyped", "properties={}", src.GEMINI_GENERATION, "medium"),
        **rules("rewrite", "property-ordering-added", "propertyOrdering", src.GEMINI_STRUCTURED),
    },
    object_root=False,
    no_args="send",
    ordering=True,
)
"""`responseSchema`: any root, and the order of keys."""

_UNLISTED: Final = (
    f"{COMPLEX} minProperties maxProperties minLength maxLength pattern patternProperties exclusiveMinimum "
    "exclusiveMaximum multipleOf allOf"
)
"""Keywords that are not on the list of responseJsonSchema, the only list that there is."""

_JSON: Final = {
    **rules("rewrite", "const-to-enum", "const", src.GEMINI_STRUCTURED),
    **rules("keep", "kw-unverified", "enum('') enum(mixed)", src.GEMINI_STRUCTURED, "low"),
    **rules("keep", "kw-unverified", "schema(boolean)", src.GEMINI_STRUCTURED, "low"),
    **rules("drop", "required-undeclared", "required(undeclared)", src.GEMINI_STRUCTURED, "medium"),
    **rules("keep", "oneof-as-anyof", "oneOf", src.GEMINI_STRUCTURED),
    **rules("keep", "root-composition-unverified", "anyOf(root)", src.GEMINI_STRUCTURED, "low"),
    **rules("rewrite", "ref-siblings-wrapped", "$ref+siblings", src.GEMINI_STRUCTURED),
    **rules("keep", "ref-recursive-unrolled", "$ref(recursive)", src.GEMINI_STRUCTURED),
    **rules("refuse", "ref-external", "$ref(external)", src.GEMINI_STRUCTURED, "medium"),
    **rules("rewrite", "definitions-renamed", "definitions", src.GEMINI_STRUCTURED, "medium"),
    **rules("strip", "dialect-stripped", "$schema", src.JSON_FIELD_PROBES, "medium"),
    **rules("strip", "nullable-ignored", "nullable", src.CORE),
    **rules("strip", "annot-dropped", "unknown", src.GEMINI_STRUCTURED, "low"),
}

PARAMETERS_JSON: Final = Profile(
    source=src.GEMINI_DECLARATION,
    keywords={
        **_JSON,
        **rules("keep", "kw-unverified", f"{_UNLISTED} enum(boolean)", src.JSON_FIELD_PROBES, "medium"),
        **rules(
            "keep",
            "kw-unverified",
            "$comment default examples deprecated readOnly writeOnly contentEncoding contentMediaType "
            "contentSchema",
            src.JSON_FIELD_PROBES,
            "medium",
        ),
    },
    root_unverified=(frozenset({"anyOf", "oneOf"}), "root-composition-unverified"),
    limits=LIMITS,
)
"""`parametersJsonSchema`: what it takes has been measured, what has an effect has not."""

RESPONSE_JSON: Final = Profile(
    source=src.GEMINI_STRUCTURED,
    keywords={
        **_JSON,
        **rules("keep", "kw-ignored", f"{_UNLISTED} enum(boolean)", src.GEMINI_STRUCTURED, "medium"),
        **rules(
            "rewrite",
            "bound-rewritten",
            "exclusiveMinimum(integer) exclusiveMaximum(integer)",
            src.GEMINI_STRUCTURED,
            "medium",
        ),
        **rules("rewrite", "allof-merged", "allOf(mergeable)", src.GEMINI_STRUCTURED, "medium"),
    },
    object_root=False,
    root_unverified=(frozenset({"anyOf", "oneOf"}), "root-composition-unverified"),
    limits=LIMITS,
)
"""`responseJsonSchema`: a documented list of keywords; others are ignored."""

LIVE_REPLY: Final = "A Live session takes no reply schema; generateContent does, in its generationConfig."


def function(field: str) -> Declare:
    """Return the function that writes a functionDeclaration with its schema in `field`."""

    def declare(tool: Tool) -> dict[str, Any]:
        behavior = {} if tool.behavior is None else {"behavior": tool.behavior}
        return described(tool) | behavior | ({} if tool.schema is None else {field: tool.schema})

    return declare


def tools(declaration: Any) -> Any:
    """Return the entry of `tools` that holds one functionDeclaration."""
    return {"functionDeclarations": [declaration]}


def generation(field: str) -> Declare:
    """Return the function that writes a generationConfig with its schema in `field`."""

    def declare(tool: Tool) -> dict[str, Any]:
        return {"responseMimeType": "application/json", field: tool.schema}

    return declare
