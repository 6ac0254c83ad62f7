"""What both Gemini protocols share: reading their keys, one FunctionCall, one FunctionResponse.

Source: https://ai.google.dev/api/caching#FunctionCall
"""

from __future__ import annotations

from app.cursor import Cursor
from app.dialects import Answer
from app.dialects.gemini_schema import camel
from app.events import Args, Scheduling, ToolCall, ToolResponse
from app.json_text import JsonError, JsonText, write

CALL_FIELDS = frozenset({"id", "name", "args", "partialArgs", "willContinue"})
RESPONSE_FIELDS = frozenset({"id", "name", "response", "scheduling", "willContinue", "parts"})


class Reader:
    """Reads the protocol's own objects of one frame and remembers what is odd about their keys."""

    def __init__(self) -> None:
        self.strange: list[Cursor] = []
        self.twice: list[Cursor] = []
        self.casings: set[str] = set()

    def fields(self, at: Cursor | None, known: frozenset[str] | None) -> dict[str, Cursor]:
        """Return the members of an object by camelCase key; `known` None means that any may stand there."""
        found: dict[str, Cursor] = {}
        if at is None or not at.is_object:
            return found
        for member in at:
            key = member.key or ""
            name = camel(key)
            if name is not key:
                self.casings.add("snake")
            elif not key.islower():
                self.casings.add("camel")
            first = found.setdefault(name, member)
            if first is not member and first.key != key:
                self.twice.append(member)  # the same spelling twice is told by the reader of JSON
            if known is not None and name not in known:
                self.strange.append(member)
        return found

    @property
    def casing(self) -> str | None:
        """How the keys are spelled: camel, snake, mixed, or None where no key tells."""
        return "mixed" if len(self.casings) == 2 else next(iter(self.casings), None)


def items(at: Cursor | None) -> list[Cursor]:
    """Return the objects of a list; one that is no list stands for itself."""
    if at is None:
        return []
    return [item for item in (at if at.is_array else [at]) if item.is_object]


def call(entry: Cursor, reader: Reader, padded: bool, in_content: bool = False) -> ToolCall:
    """Read one FunctionCall; `padded` says that nulls around it mean absent."""
    fields = reader.fields(entry, CALL_FIELDS)
    id_at, name_at = fields.get("id"), fields.get("name")
    partial = fields.get("partialArgs")
    more = fields.get("willContinue")
    # A dump of one call has its own null fields, whatever stands around it.
    padded = padded or any(each is not None and each.is_null for each in (partial, more))
    if partial is None or partial.is_null:
        partial = more if more is not None and more.text == "true" else None
    return ToolCall(
        at=entry,
        frame=entry.frame,
        id=(id_at.string or None) if id_at is not None else None,
        name=(name_at.string or None) if name_at is not None else None,
        id_at=id_at,
        name_at=name_at,
        args=read_args(fields.get("args"), padded),
        partial=partial,
        in_content=in_content,
    )


def read_args(at: Cursor | None, padded: bool) -> Args:
    """Read the args of one call; a string is read once, never twice."""
    if at is None:
        return Args(None, "absent")
    if at.is_object:
        return Args(at, "object")
    if at.is_null:
        return Args(at, "absent" if padded else "null")
    text = at.string
    if text is None:
        return Args(at, "other")
    inner = JsonText(text)
    try:
        node, end = inner.scan()
        if end < len(text):
            raise JsonError("Text goes on behind the JSON value.", end)
    except JsonError as error:
        return Args(at, "free-text", error=error)
    return Args(at, "json-string", derived=Cursor(inner, node, input=at.input, frame=at.frame, base=at))


def response(entry: Cursor, reader: Reader) -> ToolResponse:
    """Read one FunctionResponse."""
    fields = reader.fields(entry, RESPONSE_FIELDS)
    id_at, name_at, body = fields.get("id"), fields.get("name"), fields.get("response")
    hints: list[Scheduling] = []
    typed = fields.get("scheduling")
    if typed is not None and not typed.is_null:
        hints.append(Scheduling(typed, "response", typed.string))
    error = output = None
    if body is not None and body.is_object:
        hint = body.get("scheduling")
        if hint is not None:
            hints.append(Scheduling(hint, "body", hint.string))
        output = body.get("result") or body.get("output") or _without_hint(body, hint)
        error = _error(body) or _error(_inside(output))
    more = fields.get("willContinue")
    return ToolResponse(
        at=entry,
        frame=entry.frame,
        id=(id_at.string or None) if id_at is not None else None,
        name=(name_at.string or None) if name_at is not None else None,
        id_at=id_at,
        name_at=name_at,
        body_at=body,
        is_error=error is not None,
        output=None if error is not None else output,
        error=error,
        scheduling=tuple(hints),
        will_continue=None if more is None or more.is_null else more.text == "true",
    )


def _error(body: Cursor | None) -> Cursor | None:
    """Return the error that an answer tells: an object or a text under `error`."""
    found = body.get("error") if body is not None and body.is_object else None
    return found if found is not None and (found.is_object or found.is_string) else None


def _inside(output: Cursor) -> Cursor | None:
    """Return the object that an output holds as JSON text."""
    text = output.string
    if text is None or not text.lstrip().startswith("{"):
        return None
    try:
        return Cursor.of(text, input=output.input, frame=output.frame, base=output)
    except JsonError:
        return None


def _without_hint(body: Cursor, hint: Cursor | None) -> Cursor:
    """Return the body that is itself the business value; a scheduling hint beside it is no part of it."""
    if hint is None:
        return body
    tree = body.tree
    del tree["scheduling"]
    return Cursor.of(write(tree, None), input=body.input, frame=body.frame, base=body)


def response_members(answer: Answer, scheduling_in_body: bool) -> str:
    """Write the members of one FunctionResponse; an id that the call does not have is left out."""
    body = (
        f'"error": {answer.error.text}'
        if answer.error is not None
        else f'"result": {answer.result.text if answer.result is not None else "{}"}'
    )
    hint = f', "scheduling": "{answer.scheduling}"' if answer.scheduling is not None else ""
    return (
        ("" if answer.id is None else f'"id": {write(answer.id)}, ')
        + f'"name": {write(answer.name)}, '
        + f'"response": {{{body}{hint if scheduling_in_body else ""}}}'
        + ("" if scheduling_in_body else hint)
    )
