"""Rules over one declared tool, in the terms of Gemini's FunctionDeclaration and Schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.gemini_schema import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMA_VALUES, TYPES, camel, members
from app.events import Frame, ToolDefinition
from app.rules import ERROR, INFO, WARNING, Hit, rule
from app.rules.calls import NAME

GEMINI = ("gemini-live", "gemini-declaration")
DECLARATION = "https://ai.google.dev/api/caching#FunctionDeclaration"
SCHEMA = "https://ai.google.dev/api/caching#Schema"

FIELDS = frozenset(
    {
        "name",
        "description",
        "behavior",
        "parameters",
        "parametersJsonSchema",
        "response",
        "responseJsonSchema",
    }
)
KEYWORDS = frozenset(
    {
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "pattern",
        "example",
        "anyOf",
        "propertyOrdering",
        "default",
    }
)
"""Keywords that every backend takes in `parameters`. Newer ones take more, so the rest is a warning."""
FORMATS = frozenset({"enum", "date-time", "float", "double", "int32", "int64"})
PARAMETER_NAME = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)
BEHAVIORS = ("BLOCKING", "NON_BLOCKING", "UNSPECIFIED")
PORTABLE = 64
MOST = 512


def _schemas(tool: ToolDefinition) -> Iterator[Cursor]:
    """Yield every Schema object of the parameters, outermost first."""
    if not tool.gemini or tool.parameters is None:
        return
    stack = [tool.parameters]
    while stack:
        at = stack.pop(0)
        if not at.is_object:
            continue
        yield at
        for key, member in members(at).items():
            if (key in SCHEMA_MAPS or key in SCHEMA_LISTS) and (member.is_object or member.is_array):
                stack.extend(member)
            elif key in SCHEMA_VALUES and member.is_object:
                stack.append(member)


def _type(at: Cursor) -> str | None:
    kind = members(at).get("type")
    text = kind.string if kind is not None else None
    return text.upper() if text is not None else None


@rule("declaration-name-charset", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_name_charset(tool: ToolDefinition) -> Iterator[Hit]:
    """A function name has letters, digits and _ . : - only.

    It begins with a letter or underscore and is at most 128 characters long.
    The API refuses the whole request otherwise.
    """
    at = members(tool.at).get("name")
    if at is None or NAME.fullmatch(tool.name) is None:
        yield Hit(
            at or tool.at,
            "A letter or underscore first, then letters, digits, _ . : -, at most 128.",
            key="name",
        )


@rule("declaration-name-long", WARNING, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_name_long(tool: ToolDefinition) -> Iterator[Hit]:
    """A name of more than 64 characters is legal by the newest text and refused by many backends."""
    at = members(tool.at).get("name")
    if at is not None and len(tool.name) > PORTABLE and NAME.fullmatch(tool.name):
        yield Hit(at, f"{len(tool.name)} characters. Many backends refuse more than {PORTABLE}; shorten it.")


@rule("declaration-unknown-field", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_unknown_field(tool: ToolDefinition) -> Iterator[Hit]:
    """The declaration holds a field that a FunctionDeclaration does not have; the parser refuses it."""
    for key, member in members(tool.at).items():
        if key not in FIELDS:
            yield Hit(
                member,
                f"{member.key} is no field of a FunctionDeclaration. Remove it.",
                key=member.key,
                at_key=True,
            )


@rule("declaration-no-description", WARNING, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_no_description(tool: ToolDefinition) -> Iterator[Hit]:
    """A tool without a description. The model chooses tools by it; say what it does and when to use it."""
    if not tool.description:
        yield Hit(tool.at, "No description. Say what the tool does and when to use it.", key="description")


@rule("declaration-params-both", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_params_both(tool: ToolDefinition) -> Iterator[Hit]:
    """Both spellings of the parameters, or of the response, stand side by side; they exclude each other."""
    fields = members(tool.at)
    for one, other in (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")):
        if one in fields and other in fields:
            yield Hit(fields[other], f"{one} and {other} exclude each other. Keep one.", at_key=True)


@rule("declaration-behavior-invalid", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_behavior_invalid(tool: ToolDefinition) -> Iterator[Hit]:
    """A behavior other than BLOCKING or NON_BLOCKING is refused by the parser."""
    at = members(tool.at).get("behavior")
    if at is not None and not at.is_null and at.string not in BEHAVIORS:
        yield Hit(at, "behavior is BLOCKING or NON_BLOCKING.")


@rule("declaration-type-invalid", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_type_invalid(tool: ToolDefinition) -> Iterator[Hit]:
    """A type that Gemini's Schema does not have, such as a list of types. Use nullable for null."""
    for at in _schemas(tool):
        kind = members(at).get("type")
        if kind is None:
            continue
        if kind.string is None:
            yield Hit(
                kind, "type is one word here. For null write nullable: true, or use parametersJsonSchema."
            )
        elif kind.string.upper() not in TYPES:
            yield Hit(
                kind, f"{kind.text[:40]} is no type. Use STRING, NUMBER, INTEGER, BOOLEAN, ARRAY or OBJECT."
            )


@rule("declaration-type-lowercase", INFO, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_type_lowercase(tool: ToolDefinition) -> Iterator[Hit]:
    """Types in lower case, as in official samples. The server takes them; strict parsers want upper case."""
    for at in _schemas(tool):
        kind = members(at).get("type")
        text = kind.string if kind is not None else None
        if kind is not None and text is not None and text.upper() in TYPES and text != text.upper():
            yield Hit(kind, f"The server takes {text}; the documented spelling is {text.upper()}.")
            return


@rule("declaration-type-missing", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_type_missing(tool: ToolDefinition) -> Iterator[Hit]:
    """A schema without a type. Many backends refuse it, an enum too."""
    for at in _schemas(tool):
        fields = members(at)
        if "type" not in fields and "anyOf" not in fields and "ref" not in fields:
            yield Hit(at, "No type. Say which type the value has.", key="type")


@rule("declaration-items-missing", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_items_missing(tool: ToolDefinition) -> Iterator[Hit]:
    """An ARRAY without items is refused: say what it holds."""
    for at in _schemas(tool):
        if _type(at) == "ARRAY" and "items" not in members(at):
            yield Hit(at, "An ARRAY needs items. Say what it holds.", key="items")


@rule("declaration-enum-not-string", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_enum_not_string(tool: ToolDefinition) -> Iterator[Hit]:
    """An enum holds strings here, also for INTEGER."""
    for at in _schemas(tool):
        enum = members(at).get("enum")
        if enum is not None and enum.is_array:
            wrong = next((item for item in enum if not item.is_string), None)
            if wrong is not None:
                yield Hit(wrong, f'An enum holds strings here. Write "{wrong.text[:40]}".')


@rule("declaration-required-unknown", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_required_unknown(tool: ToolDefinition) -> Iterator[Hit]:
    """A required name that is no property; the API refuses the declaration."""
    for at in _schemas(tool):
        fields = members(at)
        required, properties = fields.get("required"), fields.get("properties")
        if required is None or not required.is_array:
            continue
        known = set(properties.keys) if properties is not None else set()
        for item in required:
            if item.string is not None and item.string not in known:
                yield Hit(item, f"{item.string} is required and no property. Add it, or remove it here.")


@rule("declaration-empty-object", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_empty_object(tool: ToolDefinition) -> Iterator[Hit]:
    """An OBJECT without properties was refused for long. Leave parameters out for a tool without any."""
    for at in _schemas(tool):
        properties = members(at).get("properties")
        if _type(at) == "OBJECT" and (properties is None or not len(properties)):
            yield Hit(at, "An OBJECT without properties. For a tool without parameters leave parameters out.")


@rule("declaration-unsupported-keyword", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_unsupported_keyword(tool: ToolDefinition) -> Iterator[Hit]:
    """A keyword that not every backend has in `parameters`. parametersJsonSchema takes real JSON Schema."""
    for at in _schemas(tool):
        for member in at:
            if camel(member.key or "") not in KEYWORDS:
                yield Hit(
                    member,
                    f"Not every backend takes {member.key} in parameters. parametersJsonSchema does.",
                    key=member.key,
                    at_key=True,
                )


@rule("declaration-format", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_format(tool: ToolDefinition) -> Iterator[Hit]:
    """A format that was refused for long. enum and date-time work for STRING."""
    for at in _schemas(tool):
        form = members(at).get("format")
        if form is not None and form.string not in FORMATS:
            yield Hit(
                form, f"The format {form.text[:40]} is refused by some backends. Say it in the description."
            )


@rule("declaration-param-name", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_param_name(tool: ToolDefinition) -> Iterator[Hit]:
    """A parameter name begins with a letter or underscore and has word characters only, at most 64."""
    for at in _schemas(tool):
        properties = members(at).get("properties")
        if properties is not None and properties.is_object:
            for member in properties:
                if PARAMETER_NAME.fullmatch(member.key or "") is None:
                    yield Hit(
                        member, "A letter or underscore first, then word characters, at most 64.", at_key=True
                    )


@rule("declaration-dup-name", ERROR, on="frame", dialects=GEMINI, needs=("declares",), source=DECLARATION)
def declaration_dup_name(frame: Frame) -> Iterator[Hit]:
    """Two tools have one name; the whole request is refused."""
    seen: set[str] = set()
    for tool in frame.declarations:
        if tool.name in seen:
            yield Hit(members(tool.at).get("name") or tool.at, f"{tool.name} is declared twice. Keep one.")
        seen.add(tool.name)


@rule("declaration-too-many", WARNING, on="frame", dialects=GEMINI, needs=("declares",), source=DECLARATION)
def declaration_too_many(frame: Frame) -> Iterator[Hit]:
    """More than 512 declarations: the API takes no more."""
    if len(frame.declarations) > MOST:
        yield Hit(frame.declarations[MOST].at, f"More than {MOST} declarations. The API takes no more.")
