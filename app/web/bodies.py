"""Request bodies: Pydantic models that describe them, and the strict reading of one.

A body is read by our own reader, not by Pydantic: a schema or a payload inside
it is handed on as the exact text that was sent, so that duplicate keys, number
lexemes and NaN reach those who judge them. Pydantic checks the other fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from app import dialects, exports
from app.cursor import Cursor, join, split
from app.json_text import JsonError, JsonText
from app.model import Finding, Location, Options, Severity


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise PydanticCustomError("string_type", "Input should be a string")
    return value


# Pydantic's own str refuses lone surrogates, and those must reach the reader.
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]


def _just_false(value: Any) -> bool:
    if value is not False:
        raise PydanticCustomError("just_false", "Input should be false")
    return False


# Pydantic's own Literal[False] takes 0 for it.
JustFalse = Annotated[bool, PlainValidator(_just_false), WithJsonSchema({"const": False, "type": "boolean"})]


@dataclass(frozen=True, slots=True)
class AsWritten:
    """Marks a field that takes any JSON value and holds its exact text."""


Json = Annotated[
    str | None,
    AsWritten(),
    PlainValidator(_text),
    WithJsonSchema({"description": "Any JSON value, kept as it is written."}),
]


class Body(BaseModel):
    """What all bodies share: no unknown field, no type guessed, `x` or `x_text` but not both."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        """Fold `x_text` into `x`: both are the text of the same thing."""
        fields = type(self).model_fields
        for name, field in fields.items():
            twin = f"{field.alias or name}_text"
            if twin not in fields or getattr(self, twin) is None:
                continue
            if getattr(self, name) is not None:
                raise PydanticCustomError(
                    "field_twice", "Send {name} or {name}_text, not both", {"name": field.alias or name}
                )
            self.__dict__[name] = getattr(self, twin)
        return self

    CHOICES: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Fields of each of which exactly one must be given, a field and its `_text` twin being one."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        fields = type(self).model_fields
        for names in self.CHOICES:
            given = [name for name in names if getattr(self, name) is not None]
            if len(given) != 1:
                listed = " or ".join(fields[name].alias or name for name in names)
                one = "exactly one of " if len(names) > 1 else ""
                raise PydanticCustomError("field_choice", "Send {what}", {"what": one + listed})
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Say in the schema too of which fields exactly one is needed."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        fields = cls.model_fields
        aliases = {name: field.alias or name for name, field in fields.items()}
        rules: list[dict[str, Any]] = []
        for names in cls.CHOICES:
            spellings = [each for name in names for each in (aliases[name], f"{aliases[name]}_text")]
            rules.append({"oneOf": [_given(each) for each in spellings if each in aliases.values()]})
        return {**schema, "allOf": rules} if rules else schema


def _given(name: str) -> dict[str, Any]:
    """Say that a field is given. null is absence, but for a payload, which may be null."""
    if name == "payload":
        return {"required": [name]}
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


class OptionsBody(BaseModel):
    """What the user may set for a judgement."""

    model_config = ConfigDict(extra="forbid", strict=True)

    string_args: Literal["parse-once", "refuse"] = "parse-once"
    fold: Literal["closed", "open"] = "closed"
    assert_formats: bool = False
    backend: Literal["gemini-api", "vertex"] | None = None
    model: Text | None = None
    dialect: Text | None = None

    def options(self) -> Options:
        """Return them as the core's value."""
        return Options(**dict(self))


Part = Literal["parameters", "result"]

_ROOM = {"type": "object", "properties": {"room": {"enum": ["kitchen"]}}, "required": ["room"]}
_CALL = (
    '{"toolCall": {"functionCalls": '
    '[{"id": "function-call-1", "name": "set_light", "args": {"room": "kitchen"}}]}}'
)
_ANSWER = (
    '{"toolResponse": {"functionResponses": '
    '[{"id": "function-call-1", "name": "set_light", "response": {"result": {"ok": true}}}]}}'
)
_CONTRACTS = [{"name": "set_light", "parameters": _ROOM}]


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


class FormatBody(Body):
    """Lay a paste out anew; only white space between tokens changes."""

    model_config = _example(text='{"on":true,"level":1.10}', indent=2)

    text: Text
    indent: int = Field(2, ge=0, le=16)


class ExtractBody(Body):
    """Read every frame of a paste and judge its calls."""

    model_config = _example(text=_CALL, contracts=_CONTRACTS)

    text: Text
    contracts: Json = None
    contracts_text: Text | None = None
    options: OptionsBody = OptionsBody()


class ClassifyBody(Body):
    """Say what one finished model turn is: tool request, answer candidate, or neither and why."""

    model_config = _example(
        text='{"candidates": [{"content": {"role": "model", "parts": [{"text": "Two are left."}]}, '
        '"finishReason": "STOP"}]}'
    )

    text: Text
    options: OptionsBody = OptionsBody()


class InferBody(Body):
    """State the schema that samples meet, with the evidence and what could be tightened."""

    model_config = _example(samples=[{"room": "kitchen"}, {"room": "bath", "on": True}], name="set_light")

    samples: Json = None
    samples_text: Text | None = None
    text: Text | None = None
    name: Text | None = None
    as_: Literal["frames", "payloads"] | None = Field(None, alias="as")
    part: Part = "parameters"
    options: OptionsBody = OptionsBody()

    CHOICES = (("samples", "text"),)


class TightenBody(Body):
    """Add keywords to a schema, and prove that it only became narrower."""

    model_config = _example(
        schema={"type": "object", "properties": {"room": {"type": "string"}}},
        samples=[{"room": "kitchen"}, {"room": "bath"}],
        required="all",
        enum="observed",
        additional_properties=False,
    )

    schema_: Json = Field(None, alias="schema")
    schema_text: Text | None = None
    samples: Json = None
    samples_text: Text | None = None
    text: Text | None = None
    part: Part = "parameters"
    required: Literal["observed", "all"] | list[Text] | None = None
    enum: Json = Field(
        None,
        json_schema_extra={"description": '"observed", or an object of pointers and their allowed values.'},
    )
    additional_properties: JustFalse | None = None
    deep: bool = True
    apply: list[Text] = []
    cases: Json = None
    cases_text: Text | None = None
    until_refused: bool = False
    options: OptionsBody = OptionsBody()

    @field_validator("enum")
    @classmethod
    def _enum(cls, text: str | None) -> str | None:
        if text is not None:
            at = Cursor.of(text)
            if at.string != "observed" and not (at.is_object and all(member.is_array for member in at)):
                raise PydanticCustomError(
                    "field_shape", '"observed", or an object of pointers and value lists'
                )
        return text


class _JudgedBody(Body):
    """A bare schema, or a contract one part of which judges."""

    schema_: Json = Field(None, alias="schema")
    schema_text: Text | None = None
    contract: Json = None
    contract_text: Text | None = None
    part: Part = "parameters"
    options: OptionsBody = OptionsBody()

    CHOICES: ClassVar[tuple[tuple[str, ...], ...]] = (("schema_", "contract"),)


class ValidateBody(_JudgedBody):
    """Judge one payload as it is."""

    model_config = _example(schema=_ROOM, payload={"room": "garage"})

    payload: Json = None
    payload_text: Text | None = None

    CHOICES = (*_JudgedBody.CHOICES, ("payload",))


class CasesBody(_JudgedBody):
    """Judge pinned payloads, each with the verdict that is expected."""

    model_config = _example(
        schema=_ROOM, cases={"ok": {"room": "kitchen"}, "unknown_room": {"room": "garage"}}
    )

    cases: Json = None
    cases_text: Text | None = None

    CHOICES = (*_JudgedBody.CHOICES, ("cases",))


class MutantsBody(Body):
    """Judge the neighbours of a contract's accepted cases, and name the keywords that no case guards."""

    model_config = _example(
        contract={"name": "set_light", "parameters": _ROOM, "cases": {"ok": {"room": "kitchen"}}}
    )

    contract: Json = None
    contract_text: Text | None = None
    options: OptionsBody = OptionsBody()

    CHOICES = (("contract",),)


class DiffBody(Body):
    """Compare two schemas, and show for each direction that changed a payload they decide differently."""

    model_config = _example(before={"type": "object"}, after=_ROOM)

    before: Json = None
    before_text: Text | None = None
    after: Json = None
    after_text: Text | None = None
    cases: Json = None
    cases_text: Text | None = None
    options: OptionsBody = OptionsBody()

    CHOICES = (("before",), ("after",))


class CheckBody(Body):
    """Judge one file: a contract with its cases and mutants, or frames by the contracts given."""

    model_config = _example(
        text='{"name": "set_light", "parameters": {"type": "object"}, "cases": {"ok": {"room": "kitchen"}}}'
    )

    text: Text
    contracts: Json = None
    contracts_text: Text | None = None
    kind: Literal["contract", "frames"] | None = None
    options: OptionsBody = OptionsBody()


@dataclass(frozen=True, slots=True)
class _Known:
    """Marks a text that is one of some ids."""

    ids: tuple[str, ...]

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.ids)}

    def _check(self, value: Any) -> str:
        if value not in self.ids:
            listed = ", ".join(self.ids)
            raise PydanticCustomError("unknown_id", "Input should be one of {ids}", {"ids": listed})
        return str(value)


TARGETS = [target.id for target in exports.all_targets()]
DIALECTS = [*TARGETS, *(dialect.id for dialect in dialects.all_dialects())]


class ExportBody(Body):
    """Say a contract as a provider takes it, with all that is lost, rewritten or added."""

    model_config = _example(
        contract={
            "name": "set_light",
            "parameters": {**_ROOM, "additionalProperties": False},
            "cases": {"ok": {"room": "kitchen"}, "extra_field": {"room": "kitchen", "cmd": "unlock"}},
        },
        target="gemini.live.parameters",
    )

    contract: Json = None
    contract_text: Text | None = None
    target: Annotated[str, _Known(tuple(TARGETS))]
    form: Literal["chat", "responses"] = "chat"
    options: OptionsBody = OptionsBody()

    CHOICES = (("contract",),)


class ImportBody(Body):
    """Read the contracts that declarations of any provider state."""

    model_config = _example(
        text='{"functionDeclarations": [{"name": "set_light", "parameters": {"type": "OBJECT", '
        '"properties": {"room": {"type": "STRING", "nullable": true}}}}]}'
    )

    text: Text
    dialect: Annotated[str, _Known(tuple(DIALECTS))] | None = Field(
        None, json_schema_extra={"description": "What a bare schema is written for: the id of a target."}
    )


class RespondBody(Body):
    """Draft the answer frame."""

    model_config = _example(text=_CALL, contracts=_CONTRACTS, results={"function-call-1": {"ok": True}})

    text: Text
    contracts: Json = None
    contracts_text: Text | None = None
    results: Json = None
    results_text: Text | None = None
    errors: Json = Field(None, description="An object of call ids, each with {code?, message}.")
    scheduling: Text | None = None
    scheduling_at: Literal["response", "body"] = "response"
    cancel_text: Text | None = None
    form: Literal["frame", "python", "js"] = "frame"
    options: OptionsBody = OptionsBody()

    @field_validator("errors")
    @classmethod
    def _errors(cls, text: str | None) -> str | None:
        if text is not None and not Cursor.of(text).is_object:
            raise PydanticCustomError("field_shape", "Send an object of call ids, each with its error")
        return text

    @model_validator(mode="after")
    def _results(self) -> Self:
        try:
            at = Cursor.of(self.results) if self.results is not None else None
        except JsonError:
            return self  # text that cannot be read is an answer, not a body that does not fit
        if at is not None and not (at.is_object or at.is_array):
            raise PydanticCustomError("field_shape", "Send results by call id, or as a list in call order")
        return self


class PairBody(Body):
    """Pair the calls of one paste with the answers of another."""

    model_config = _example(calls_text=_CALL, responses_text=_ANSWER)

    calls_text: Text
    responses_text: Text
    cancel_text: Text | None = None
    contracts: Json = None
    contracts_text: Text | None = None
    options: OptionsBody = OptionsBody()


class SessionBody(Body):
    """Follow a whole session: every call from request to answer, and what goes wrong over its length."""

    model_config = _example(text=f"{_CALL}\n{_ANSWER}", contracts=_CONTRACTS)

    text: Text
    contracts: Json = None
    contracts_text: Text | None = None
    options: OptionsBody = OptionsBody()


# Reading ------------------------------------------------------------------------


class BodyError(Exception):
    """A body that does not fit: the HTTP status and what is wrong with it."""

    def __init__(self, status: int, findings: list[Finding]) -> None:
        super().__init__(status)
        self.status = status
        self.findings = findings


B = TypeVar("B", bound=Body)


def read(model: type[B], raw: bytes) -> B:
    """Read the bytes of a body.

    Raises BodyError: 400 for what is no UTF-8 JSON, 422 for JSON that does not
    fit the model, 200 for JSON that meets a limit of the reader: then nothing
    is judged, but a red answer it is.
    """
    root = _root(raw)
    fields: dict[str, Any] = {}
    if not root.is_object:
        raise BodyError(422, [_finding("body-invalid", "The body is no JSON object.", root.location)])
    marked = _as_written(model)
    for member in root:
        name = member.key or ""
        if name not in marked:
            fields[name] = member.value
        elif name == "payload" or not member.is_null:  # null is a payload; elsewhere it is absence
            fields[name] = member.text
    _refuse_ambiguous(root, marked)
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise BodyError(422, _findings(error, root)) from None


def _root(raw: bytes) -> Cursor:
    try:
        json = JsonText(raw.decode())
    except UnicodeDecodeError as error:
        message = f"The body is no UTF-8: byte {error.start} does not belong there."
        raise BodyError(400, [_finding("body-invalid", message, Location(input="body"))]) from None
    try:
        node, end = json.scan()
        if end < len(json.text):
            raise JsonError("Something stands behind the body's JSON object. Remove it.", end)
    except JsonError as error:
        line, column = json.place(error.offset)
        at = Location(input="body", line=line, column=column)
        status = 400 if error.code == "json-invalid" else 200
        raise BodyError(status, [_finding(error.code, error.message, at)]) from None
    return Cursor(json, node, input="body")


def _as_written(model: type[Body]) -> set[str]:
    return {
        field.alias or name
        for name, field in model.model_fields.items()
        if any(isinstance(mark, AsWritten) for mark in field.metadata)
    }


def _refuse_ambiguous(root: Cursor, marked: set[str]) -> None:
    """Refuse a key that stands twice, and NaN, except inside what is handed on as it is written."""
    json = root.json
    spans = [(member.node, json.skip[member.node]) for member in root if member.key in marked]
    for node, _ in json.duplicates:
        if not any(start < node < end for start, end in spans):
            at = Cursor(json, node, input="body").key_location
            message = f"{json.key(node)} stands twice. Send it once."
            raise BodyError(422, [_finding("json-duplicate-key", message, at)])
    for node in json.nans:
        if not any(start <= node < end for start, end in spans):
            at = Cursor(json, node, input="body").location
            message = "The body holds NaN or Infinity, which JSON does not have."
            raise BodyError(400, [_finding("json-nan", message, at)])


_CODES = {"missing": "field-missing", "extra_forbidden": "field-unknown", "field_twice": "field-twice"}


def _findings(error: ValidationError, root: Cursor) -> list[Finding]:
    """Return one finding for each place; a union complains once for each of its members."""
    findings: dict[str, Finding] = {}
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        here, names = root, []
        for token in problem["loc"]:
            child = here.at(join(token))
            names.append(str(token))
            if child is None:  # a missing field, or a token that names a member of a union
                break
            here = child
        code = _CODES.get(problem["type"], "field-invalid")
        if here.path and code == "field-invalid":
            names = split(here.path)
        message = f"{'.'.join(names) or 'The body'}: {problem['msg']}."
        findings.setdefault(join(*names), _finding(code, message, here.location))
    return list(findings.values())


def _finding(code: str, message: str, at: Location) -> Finding:
    return Finding(code, Severity.ERROR, message, at)
