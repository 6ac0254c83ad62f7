"""What the wires that hold a model to a schema have in common: closed objects, no free keys, few keywords."""

from __future__ import annotations

from typing import Final

from app.exports import sources as src
from app.exports.profile import COMPLEX, Confidence, Rule, rules

FORMATS: Final = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)


def common(page: str, map_source: str, unsupported: str, confidence: Confidence) -> dict[str, Rule]:
    """Return the rules of a wire that makes a grammar of a schema."""
    return {
        **rules(
            "drop",
            "kw-dropped",
            f"{COMPLEX} minProperties maxProperties pattern(unsupported)",
            page,
            confidence,
        ),
        **rules("drop", "required-undeclared", "required(undeclared)", page),
        **rules("rewrite", "addl-props-forced-false", "additionalProperties=false", page),
        **rules(
            "refuse",
            "map-unrepresentable",
            "additionalProperties=true additionalProperties=schema patternProperties",
            map_source,
        ),
        **rules("refuse", "array-items-missing", "items(missing) items={}", unsupported),
        **rules("drop", "tuple-widened", "prefixItems", unsupported),
        **rules("rewrite", "format-dropped", "format", page),
        **rules("refuse", "root-composition", "anyOf(root)", page),
        **rules("rewrite", "oneof-to-anyof", "oneOf", page),
        **rules("rewrite", "allof-merged", "allOf", page),
        **rules("rewrite", "ref-siblings-wrapped", "$ref+siblings", page),
        **rules("refuse", "ref-external", "$ref(external)", page),
        **rules("strip", "dialect-stripped", "$schema $id $anchor $dynamicAnchor $vocabulary", page),
        **rules(
            "strip",
            "annot-dropped",
            "$comment examples example deprecated readOnly writeOnly contentEncoding contentMediaType "
            "contentSchema propertyOrdering unknown",
            page,
            "medium",
        ),
        **rules("strip", "nullable-ignored", "nullable", src.CORE),
        **rules("refuse", "bool-schema", "schema(boolean)", page),
        **rules("refuse", "type-missing", "type(missing)", unsupported),
        **rules("drop", "enum-values-dropped", "enum(foreign)", page),
        **rules("rewrite", "definitions-renamed", "definitions", page, "medium"),
    }
