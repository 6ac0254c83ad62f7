"""What an export or an import changes: one code for each kind of change, its weight and its sentence.

A code may carry what it is about behind a colon (`kw-dropped:pattern`). `{0}`
in a sentence is that detail.
"""

from __future__ import annotations

from typing import Final

from app.reports import SchemaChange

ORDER: Final = ("error", "loss", "narrow", "warn", "unverified", "rewrite", "info")
"""Weights, the gravest first."""

CODES: Final[dict[str, tuple[str, str]]] = {
    # The root ------------------------------------------------------------------------------
    "root-not-object": ("error", "The arguments of a tool are an object, so the root needs type object."),
    "root-composition": (
        "error",
        "{0} beside the root object is refused. Wrap it in a property, or split the tool.",
    ),
    "root-composition-dropped": (
        "loss",
        "The rule that one of several keys must be there is removed at the root. Check it locally.",
    ),
    "root-composition-unverified": (
        "unverified",
        "{0} at the root is sent, and nobody has seen what it does there.",
    ),
    "root-type-added": ("rewrite", "type object is written at the root."),
    # Types ---------------------------------------------------------------------------------
    "type-missing": ("error", "Nothing says what type this is, and the target wants one. State a type."),
    "type-inferred": ("rewrite", "The type is written out, as the other keywords imply it."),
    "type-union-split": ("rewrite", "A list of types becomes anyOf, one type for each branch."),
    "integer-widened": ("loss", "There is one type for all numbers, so fractions get in."),
    "bool-schema": ("error", "A schema that is true or false has no form here. Say what the value is."),
    "nullable-rewritten": ("rewrite", "null is said in the target's own way."),
    "nullable-ignored": ("info", "nullable is no word of JSON Schema and admits no null. Write a type list."),
    # Objects -------------------------------------------------------------------------------
    "optional-to-nullable": (
        "narrow",
        "The optional key {0} becomes required and may be null. Drop nulls when a call comes in.",
    ),
    "addl-props-dropped": ("loss", "additionalProperties does not exist there, so other keys get in."),
    "addl-props-forced-false": ("narrow", "The target admits no other keys, though the contract does."),
    "map-values-dropped": ("loss", "The schema of the map's values is lost; the model sees a bare object."),
    "map-unrepresentable": (
        "error",
        "An object with free keys has no form here. Use a list of entries with key and value.",
    ),
    "object-untyped": ("loss", "An object without declared properties tells the model nothing."),
    "object-props-added": ("rewrite", "Empty properties are written, as the target wants them."),
    "no-args-omit-parameters": ("rewrite", "A tool without arguments leaves parameters out."),
    "required-undeclared": ("loss", "required names {0}, which is not declared; it is left out."),
    "unevaluated-to-additional": (
        "rewrite",
        "unevaluatedProperties becomes additionalProperties; nothing else names keys here.",
    ),
    # Values --------------------------------------------------------------------------------
    "enum-non-string-dropped": ("loss", "An enum of other values than strings is removed."),
    "enum-hull-bounds": ("rewrite", "minimum and maximum of the removed enum are kept as bounds."),
    "enum-empty-string": ("narrow", "The empty string is taken out of the enum; it cannot be offered there."),
    "enum-values-dropped": ("narrow", "Values that the type rules out are taken out of the enum."),
    "const-to-enum": ("rewrite", "const becomes an enum of one value."),
    "const-to-bounds": ("rewrite", "A numeric const becomes equal minimum and maximum."),
    "const-dropped": ("loss", "This const cannot be said there and is removed."),
    "kw-dropped": ("loss", "{0} is removed; what it forbids can now pass the host."),
    "kw-ignored": ("loss", "{0} is sent, and documented to have no effect."),
    "kw-unverified": ("unverified", "{0} is taken, and nobody has seen whether it has an effect."),
    "kw-undocumented": ("info", "{0} works, though the guide does not list it."),
    "bound-rewritten": ("rewrite", "{0} of a whole number becomes the inclusive bound beside it."),
    "bound-loosened": ("loss", "{0} is weakened to the nearest bound that the target has."),
    "format-dropped": ("loss", "The format {0} is not on the target's list and is removed."),
    # Arrays --------------------------------------------------------------------------------
    "tuple-widened": ("loss", "The types of single positions become one union for all items."),
    "tuple-homogeneous": ("rewrite", "Equal positions become one items."),
    "array-items-missing": ("error", "An array needs a typed items there. Say what its items are."),
    "array-items-added": ("rewrite", "Empty items are written, as the target wants them."),
    # Combinations --------------------------------------------------------------------------
    "oneof-to-anyof": ("rewrite", "oneOf is written as anyOf."),
    "oneof-as-anyof": ("loss", "The target reads oneOf as anyOf, and a value may match two branches."),
    "oneof-exclusivity-lost": ("loss", "A value that matches two branches of oneOf passes now."),
    "allof-merged": ("rewrite", "The schemas of allOf are merged into one."),
    "allof-unmergeable": ("error", "These schemas cannot be merged without changing what they mean."),
    "anyof-siblings-pushed": ("rewrite", "What stands beside anyOf is copied into its branches."),
    "anyof-deduped": ("rewrite", "Equal branches become one."),
    # References ----------------------------------------------------------------------------
    "ref-inlined": ("rewrite", "$ref is replaced by what it leads to."),
    "ref-siblings-merged": ("rewrite", "What stands beside $ref is merged with what it leads to."),
    "ref-siblings-wrapped": ("rewrite", "$ref moves into anyOf, so that what stands beside it can stay."),
    "ref-siblings": ("error", "What stands beside $ref cannot be kept there. Move it to where $ref leads."),
    "ref-siblings-ignored": (
        "rewrite",
        "Up to draft 7 nothing beside $ref counts, so it is left out.",
    ),
    "ref-recursive": ("error", "A schema that contains itself has no form here. State the levels you need."),
    "ref-recursive-required": ("error", "A schema may contain itself only in an optional key there."),
    "ref-recursive-unrolled": ("info", "The target unrolls a schema that contains itself to some depth."),
    "ref-external": (
        "error",
        "{0} leads out of the schema, and nothing is ever fetched. Copy it under $defs.",
    ),
    "ref-unresolved": ("error", "{0} leads nowhere. Correct it, or define it."),
    "ref-unwrapped": ("rewrite", "anyOf of one reference becomes the reference."),
    "definitions-renamed": ("rewrite", "definitions becomes $defs."),
    # Dialects and annotations --------------------------------------------------------------
    "dialect-stripped": ("rewrite", "$schema and $id are left out."),
    "dialect-draft4": ("rewrite", "A bound of draft 4 is written as in 2020-12."),
    "dialect-upgraded": ("rewrite", "An older draft is read as 2020-12."),
    "tuple-items-upgraded": ("rewrite", "items as a list becomes prefixItems."),
    "dependencies-split": ("rewrite", "dependencies becomes dependentRequired and dependentSchemas."),
    "annot-dropped": ("info", "{0} is left out; it judges nothing."),
    "property-ordering-added": ("rewrite", "propertyOrdering keeps the order of the keys."),
    "mcp-root-keyword-pre-2026": (
        "unverified",
        "{0} at the root is new in protocol 2026-07-28; older clients may refuse the tool.",
    ),
    "strict-unavailable": ("info", "Realtime has no strict flag, so the host does not hold the model to it."),
    "behavior-dropped": ("warn", "behavior exists in Live declarations only and is left out."),
    # Names ---------------------------------------------------------------------------------
    "name-invalid": ("error", "The name {0} has characters that the target refuses."),
    "name-too-long": ("error", "The name {0} is too long for the target."),
    "name-len-64-risk": ("warn", "Over 64 characters are documented as fine and have been refused."),
    "name-should": ("warn", "MCP advises letters, digits, dot, dash and underscore, at most 128."),
    "prop-name-invalid": (
        "error",
        "The target refuses the key {0}. Use letters, digits, _, . and -, up to 64.",
    ),
    "prop-name-risk": ("warn", "The key {0} is outside of the documented rule; nobody has seen it refused."),
    # Limits --------------------------------------------------------------------------------
    "limit-depth": ("error", "{0} objects stand in each other; the target takes fewer."),
    "limit-depth-risk": ("warn", "{0} levels of nesting; from 5 on this target has refused schemas."),
    "limit-size": ("error", "Written out, this schema is too large for any target."),
    "limit-properties": ("error", "{0} properties are more than the target takes."),
    "limit-enum-values": ("error", "{0} enum values are more than the target takes."),
    "limit-enum-chars": ("error", "One enum holds {0} characters, more than the target takes."),
    "limit-string-budget": ("error", "Names and values hold {0} characters, more than the target takes."),
    "limit-optional-params": ("error", "{0} optional keys are more than one request may have."),
    "limit-union-params": ("error", "{0} keys of several types are more than one request may have."),
    "limit-strict-tools": ("error", "{0} strict tools are more than one request may have."),
    "limit-maxitems-sum": ("warn", "The sum of maxItems is {0}; requests near 960 have been refused."),
    # Reading another's declaration ---------------------------------------------------------
    "open-object": ("info", "Other keys pass. Set additionalProperties to false to refuse them."),
    "int64-string-parsed": ("rewrite", "A whole number given as text is read as a number."),
    "snake-case-normalised": ("rewrite", "snake_case keys are read as their camelCase fields."),
    "format-enum-dropped": ("rewrite", "The format enum only marks an enum, so it is left out."),
    "format-annotation": ("info", "The format {0} is kept as an annotation; it judges nothing."),
    "enum-destringified": ("rewrite", "Numbers given as text in an enum are numbers again."),
    "property-ordering-applied": ("rewrite", "The properties take the order that propertyOrdering gives."),
    "example-to-examples": ("rewrite", "example becomes examples."),
    "ref-renamed": ("rewrite", "ref and defs become $ref and $defs."),
    "type-unspecified-dropped": ("warn", "TYPE_UNSPECIFIED means any type. Choose one."),
    "unknown-field": ("warn", "{0} is no field of a Gemini Schema; it is kept as it is."),
    "int64-invalid": ("error", "{0} is no whole number. Write one."),
    "strict-nullable-required": (
        "info",
        "The key {0} is required and may be null; in a strict export that may mean optional.",
    ),
    "sdk-hint-in-description": (
        "info",
        "The description ends with constraints that an SDK wrote there. Restore them as keywords.",
    ),
}


class Changes:
    """Collects changes in the order they are met, each once for a place."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._met: dict[tuple[str, str], SchemaChange] = {}

    def say(
        self,
        code: str,
        pointer: str,
        detail: str = "",
        *,
        about: str | None = None,
        source: str | None = None,
        severity: str | None = None,
    ) -> None:
        """Note one change. `detail` belongs to the code, `about` to the sentence alone."""
        weight, sentence = CODES[code]
        full = f"{code}:{detail}" if detail else code
        message = sentence.format(shown(detail if about is None else about))
        change = SchemaChange(full, severity or weight, pointer, message, source or self._source)
        self._met.setdefault((full, pointer), change)

    def all(self) -> tuple[SchemaChange, ...]:
        """Return what was met, the gravest first."""
        return tuple(sorted(self._met.values(), key=lambda change: ORDER.index(change.severity)))

    @property
    def refused(self) -> bool:
        """Whether one of them is an error: then there is nothing to send."""
        return any(change.severity == "error" for change in self._met.values())


def shown(text: str) -> str:
    """Return a name that fits into a sentence."""
    return text if len(text) <= 60 else text[:59] + "…"
