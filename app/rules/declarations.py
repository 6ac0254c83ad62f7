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
    """The name of a tool is not one that a function may have.

    It begins with a letter or underscore, goes on with letters, digits and _ . : -
    and is at most 128 characters long. Otherwise the API refuses the whole request.

    Bad:
        {"functionDeclarations": [
          {"name": "set light", "description": "Switch one light."}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light."}
        ]}
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
    """A name is longer than 64 characters.

    The newest text allows 128. Many backends still refuse more than 64, so a shorter
    name works everywhere.

    Bad:
        {"functionDeclarations": [
          {"name": "set_the_brightness_of_one_light_in_one_room_of_the_house_of_the_user",
           "description": "Switch one light."}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_brightness", "description": "Switch one light."}
        ]}
    """
    at = members(tool.at).get("name")
    if at is not None and len(tool.name) > PORTABLE and NAME.fullmatch(tool.name):
        yield Hit(at, f"{len(tool.name)} characters. Many backends refuse more than {PORTABLE}; shorten it.")


@rule("declaration-unknown-field", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_unknown_field(tool: ToolDefinition) -> Iterator[Hit]:
    """The declaration holds a field that a FunctionDeclaration does not have.

    The parser refuses the whole request. strict, for one, is a field of another API.
    Remove it.

    Bad:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "strict": true}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING"}
        ]}
    """
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
    """A tool has no description.

    The model chooses tools by their descriptions. Say what the tool does and when to
    use it.

    Bad:
        {"functionDeclarations": [{"name": "list_rooms"}]}
    Good:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms. Use it before set_light."}
        ]}
    """
    if not tool.description:
        yield Hit(tool.at, "No description. Say what the tool does and when to use it.", key="description")


@rule("declaration-params-both", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_params_both(tool: ToolDefinition) -> Iterator[Hit]:
    """Two spellings of the parameters, or of the response, stand side by side.

    parameters is Gemini's Schema and parametersJsonSchema real JSON Schema, and they
    exclude each other; response and responseJsonSchema do too. Keep one of the two.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.",
           "parameters": {"type": "OBJECT", "properties": {"room": {"type": "STRING"}}},
           "parametersJsonSchema": {"type": "object", "properties": {"room": {"type": "string"}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.",
           "parametersJsonSchema": {"type": "object", "properties": {"room": {"type": "string"}}}}
        ]}
    """
    fields = members(tool.at)
    for one, other in (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")):
        if one in fields and other in fields:
            yield Hit(fields[other], f"{one} and {other} exclude each other. Keep one.", at_key=True)


@rule("declaration-behavior-invalid", ERROR, on="declaration", dialects=GEMINI, source=DECLARATION)
def declaration_behavior_invalid(tool: ToolDefinition) -> Iterator[Hit]:
    """A behavior is neither BLOCKING nor NON_BLOCKING.

    The parser refuses every other value. BLOCKING makes the model wait for the
    answer, NON_BLOCKING lets it go on.

    Bad:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "ASYNC"}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "NON_BLOCKING"}
        ]}
    """
    at = members(tool.at).get("behavior")
    if at is not None and not at.is_null and at.string not in BEHAVIORS:
        yield Hit(at, "behavior is BLOCKING or NON_BLOCKING.")


@rule("declaration-type-invalid", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_type_invalid(tool: ToolDefinition) -> Iterator[Hit]:
    """A type is one that Gemini's Schema does not have.

    The types are STRING, NUMBER, INTEGER, BOOLEAN, ARRAY, OBJECT and NULL, one at a
    time: a list of types is refused. For a value that may be null write nullable, or
    use parametersJsonSchema.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": ["STRING", "NULL"]}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING", "nullable": true}}}}
        ]}
    """
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
    """The types are written in lower case.

    Official samples write them so and the server takes them. Strict parsers want the
    documented upper case.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "object", "properties": {"room": {"type": "string"}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING"}}}}
        ]}
    """
    for at in _schemas(tool):
        kind = members(at).get("type")
        text = kind.string if kind is not None else None
        if kind is not None and text is not None and text.upper() in TYPES and text != text.upper():
            yield Hit(kind, f"The server takes {text}; the documented spelling is {text.upper()}.")
            return


@rule("declaration-type-missing", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_type_missing(tool: ToolDefinition) -> Iterator[Hit]:
    """A schema has no type.

    Many backends refuse it, an enum without one too. Say which type the value has.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"enum": ["kitchen", "hall"]}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
        ]}
    """
    for at in _schemas(tool):
        fields = members(at)
        if "type" not in fields and "anyOf" not in fields and "ref" not in fields:
            yield Hit(at, "No type. Say which type the value has.", key="type")


@rule("declaration-items-missing", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_items_missing(tool: ToolDefinition) -> Iterator[Hit]:
    """An ARRAY does not say what it holds.

    The API refuses an ARRAY without items. Add the schema of one item.

    Bad:
        {"functionDeclarations": [
          {"name": "set_lights", "description": "Switch lights.", "parameters": {
            "type": "OBJECT", "properties": {"rooms": {"type": "ARRAY"}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_lights", "description": "Switch lights.", "parameters": {
            "type": "OBJECT", "properties": {"rooms": {"type": "ARRAY", "items": {"type": "STRING"}}}}}
        ]}
    """
    for at in _schemas(tool):
        if _type(at) == "ARRAY" and "items" not in members(at):
            yield Hit(at, "An ARRAY needs items. Say what it holds.", key="items")


@rule("declaration-enum-not-string", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_enum_not_string(tool: ToolDefinition) -> Iterator[Hit]:
    """An enum holds something else than strings.

    enum is a list of strings in Gemini's Schema, for INTEGER too. The parser refuses
    numbers in it.

    Bad:
        {"functionDeclarations": [
          {"name": "set_level", "description": "Dim the light.", "parameters": {
            "type": "OBJECT", "properties": {"level": {"type": "INTEGER", "enum": [0, 50, 100]}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_level", "description": "Dim the light.", "parameters": {
            "type": "OBJECT", "properties": {"level": {"type": "INTEGER", "enum": ["0", "50", "100"]}}}}
        ]}
    """
    for at in _schemas(tool):
        enum = members(at).get("enum")
        if enum is not None and enum.is_array:
            wrong = next((item for item in enum if not item.is_string), None)
            if wrong is not None:
                yield Hit(wrong, f'An enum holds strings here. Write "{wrong.text[:40]}".')


@rule("declaration-required-unknown", ERROR, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_required_unknown(tool: ToolDefinition) -> Iterator[Hit]:
    """A required name is no property.

    The API refuses the declaration. Mostly it is a typo, or the property was renamed.
    Add the property, or take the name out of required.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING"}}, "required": ["zone"]}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING"}}, "required": ["room"]}}
        ]}
    """
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
    """An OBJECT has no properties.

    Backends refused it for long. A tool without parameters leaves parameters out.

    Bad:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "parameters": {"type": "OBJECT"}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms."}
        ]}
    """
    for at in _schemas(tool):
        properties = members(at).get("properties")
        if _type(at) == "OBJECT" and (properties is None or not len(properties)):
            yield Hit(at, "An OBJECT without properties. For a tool without parameters leave parameters out.")


@rule("declaration-unsupported-keyword", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_unsupported_keyword(tool: ToolDefinition) -> Iterator[Hit]:
    """A keyword is one that not every backend takes in parameters.

    parameters is a subset of JSON Schema. Some backends refuse the request for a
    keyword outside of it. parametersJsonSchema takes real JSON Schema.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING", "const": "kitchen"}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light.", "parameters": {
            "type": "OBJECT", "properties": {"room": {"type": "STRING", "enum": ["kitchen"]}}}}
        ]}
    """
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
    """A format is one that some backends refuse.

    For STRING enum and date-time work everywhere, for numbers float, double, int32
    and int64. Say any other form in the description.

    Bad:
        {"functionDeclarations": [
          {"name": "fetch_page", "description": "Fetch a page.", "parameters": {
            "type": "OBJECT", "properties": {"url": {"type": "STRING", "format": "uri"}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "fetch_page", "description": "Fetch a page.", "parameters": {
            "type": "OBJECT", "properties": {"url": {"type": "STRING", "description": "An absolute URL."}}}}
        ]}
    """
    for at in _schemas(tool):
        form = members(at).get("format")
        if form is not None and form.string not in FORMATS:
            yield Hit(
                form, f"The format {form.text[:40]} is refused by some backends. Say it in the description."
            )


@rule("declaration-param-name", WARNING, on="declaration", dialects=GEMINI, source=SCHEMA)
def declaration_param_name(tool: ToolDefinition) -> Iterator[Hit]:
    """A parameter has a name that is not portable.

    A parameter name begins with a letter or underscore, has word characters only and
    at most 64 of them. Write time_zone for time-zone.

    Bad:
        {"functionDeclarations": [
          {"name": "tell_time", "description": "Tell the time.", "parameters": {
            "type": "OBJECT", "properties": {"time-zone": {"type": "STRING"}}}}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "tell_time", "description": "Tell the time.", "parameters": {
            "type": "OBJECT", "properties": {"time_zone": {"type": "STRING"}}}}
        ]}
    """
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
    """Two tools have one name.

    The API refuses the whole request, and no call could say which of them it means.
    Keep one, or rename the other.

    Bad:
        {"functionDeclarations": [
          {"name": "set_light", "description": "Switch one light on."},
          {"name": "set_light", "description": "Switch one light off."}
        ]}
    Good:
        {"functionDeclarations": [
          {"name": "set_light_on", "description": "Switch one light on."},
          {"name": "set_light_off", "description": "Switch one light off."}
        ]}
    """
    seen: set[str] = set()
    for tool in frame.declarations:
        if tool.name in seen:
            yield Hit(members(tool.at).get("name") or tool.at, f"{tool.name} is declared twice. Keep one.")
        seen.add(tool.name)


@rule("declaration-too-many", WARNING, on="frame", dialects=GEMINI, needs=("declares",), source=DECLARATION)
def declaration_too_many(frame: Frame) -> Iterator[Hit]:
    """There are more than 512 declarations.

    The API takes no more. A model also chooses badly among very many tools: declare
    those that this session needs.
    """
    if len(frame.declarations) > MOST:
        yield Hit(frame.declarations[MOST].at, f"More than {MOST} declarations. The API takes no more.")
