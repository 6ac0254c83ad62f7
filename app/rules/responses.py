"""Rules over one answer entry: id, name, body, hints."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.gemini_live import SCHEDULING
from app.dialects.gemini_schema import members
from app.events import Frame, ToolResponse
from app.rules import ERROR, INFO, WARNING, Hit, rule
from app.rules.frames import NEAR_MISSES

LIVE = ("gemini-live",)
GEMINI = ("gemini-live", "gemini-generate")
WIRE = "https://ai.google.dev/api/live"
TOOLS = "https://ai.google.dev/gemini-api/docs/live-tools"
BODY = "https://ai.google.dev/api/caching#FunctionResponse"


@rule("response-id-missing", ERROR, on="response", dialects=LIVE, source=WIRE)
def response_id_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An answer has no id, so it pairs with no call.

    Absent, null and empty are all lacking. The SDKs refuse to send it, and the call
    stays open. Copy the id of the call.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    at = response.id_at
    if at is None:
        yield Hit(response.at, f"No id. {_near(response, 'id') or 'Copy the id of the call.'}", key="id")
    elif at.is_null or at.string == "":
        yield Hit(at, f"The id is {'null' if at.is_null else 'empty'}. Copy the id of the call.", key="id")


@rule("response-id-type", ERROR, on="response", dialects=GEMINI, source=WIRE)
def response_id_type(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """The id of an answer is no string.

    Ids compare with their type, so 1 answers no call with the id "1", and the parser
    refuses it. Copy the very id of the call.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": 1, "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    at = response.id_at
    if at is not None and not at.is_null and not at.is_string:
        yield Hit(at, "The id must be a string, as it stood in the call.")


@rule("response-name-missing", ERROR, on="response", dialects=GEMINI, source=BODY)
def response_name_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An answer has no name.

    It is refused, or read as a failed call, and the model apologises for it. Copy the
    name of the call.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    at = response.name_at
    if at is None:
        yield Hit(
            response.at,
            f"No name. {_near(response, 'name') or 'Copy the name of the call.'}",
            key="name",
            call_id=response.id,
        )
    elif not at.string:
        yield Hit(at, "The name is empty. Copy the name of the call.", key="name", call_id=response.id)


def _near(response: ToolResponse, wanted: str) -> str | None:
    for key, member in members(response.at).items():
        if NEAR_MISSES.get(key) == wanted:
            return f"{member.key} is no field here: it is called {wanted}."
    return None


@rule("response-body-missing", ERROR, on="response", dialects=GEMINI, source=BODY)
def response_body_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An answer has no response object, so it tells the model nothing.

    Put the result there, or the error.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": null}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    at = response.body_at
    if at is None or at.is_null:
        yield Hit(
            at or response.at,
            'No response. Put the result there: "response": {"result": ...}.',
            key="response",
            call_id=response.id,
        )


@rule("response-not-object", ERROR, on="response", dialects=GEMINI, source=BODY)
def response_not_object(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """The response of an answer is a list, a text, a number or a flag.

    The parser takes only an object there. Wrap the value into result.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": ["kitchen"]}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    at = response.body_at
    if at is not None and not at.is_null and not at.is_object:
        yield Hit(at, 'response must be an object. Wrap it: {"result": ...}.', call_id=response.id)


@rule("response-empty", WARNING, on="response", dialects=GEMINI, source=BODY)
def response_empty(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A result is an empty object.

    It tells the model that the tool worked, and nothing else. Say what came of it.
    Only a closing answer with willContinue false may be empty.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {}, "willContinue": false}
        ]}}
    """
    at = response.output if response.output is not None and not response.is_error else response.body_at
    if at is not None and at.is_object and not len(at) and response.will_continue is not False:
        yield Hit(
            at, "An empty object tells the model that it worked. Say what came of it.", call_id=response.id
        )


@rule("response-uninformative", INFO, on="response", dialects=LIVE, source=TOOLS)
def response_uninformative(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """Nothing was found, and the answer does not say so in words.

    A model that gets an empty list tries again with other arguments. Add a status or a
    message, and whether it is worth trying again.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "find_rooms", "response": {"results": [], "total": 0}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "find_rooms", "response": {
            "results": [], "message": "No room is free this week.", "retryable": false
          }}
        ]}}
    """
    at = response.output
    if at is None or not at.is_object or not len(at):
        return
    fields = members(at)
    if {"status", "message", "error"} & fields.keys():
        return
    empty = [
        member
        for member in at
        if member.is_null or (member.is_array and not len(member)) or member.text == "0"
    ]
    if len(empty) == len(at) and any(member.text != "0" for member in empty):
        yield Hit(
            at, "Only empty values. Add a status or message, or the model tries again.", call_id=response.id
        )


@rule("response-output-and-error", WARNING, on="response", dialects=GEMINI, source=BODY)
def response_output_and_error(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A result and an error stand in one answer.

    They say two things at once, and the model may tell either. Send one of them.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"], "error": "timeout"}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"error": "timeout"}}
        ]}}
    """
    body = response.body_at
    if body is None or not body.is_object:
        return
    fields = members(body)
    if response.error is not None and ("output" in fields or "result" in fields):
        yield Hit(
            response.error,
            "A result and an error in one answer. Send one of them.",
            at_key=True,
            call_id=response.id,
        )


@rule("scheduling-invalid", ERROR, on="response", dialects=LIVE, source=BODY)
def scheduling_invalid(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """Scheduling has a value that does not exist.

    The values are INTERRUPT, WHEN_IDLE and SILENT, in upper case. The parser refuses
    any other, and the answer with it.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}, "scheduling": "silent"}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}, "scheduling": "SILENT"}
        ]}}
    """
    for hint in response.scheduling:
        if hint.place == "response" and hint.value not in (*SCHEDULING, "SCHEDULING_UNSPECIFIED"):
            yield Hit(hint.at, "scheduling is one of INTERRUPT, WHEN_IDLE, SILENT.", call_id=response.id)


@rule("scheduling-unspecified", WARNING, on="response", dialects=LIVE, source=BODY)
def scheduling_unspecified(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """Scheduling is SCHEDULING_UNSPECIFIED.

    The value is documented as unused. Leave scheduling out instead.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]},
           "scheduling": "SCHEDULING_UNSPECIFIED"}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    for hint in response.scheduling:
        if hint.value == "SCHEDULING_UNSPECIFIED":
            yield Hit(hint.at, "This value is unused. Leave scheduling out instead.", call_id=response.id)


@rule("scheduling-in-body", INFO, on="response", dialects=LIVE, source=TOOLS)
def scheduling_in_body(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """Scheduling stands inside response, beside the result.

    Public samples write it there; the typed field is on FunctionResponse. It is read
    as a hint and kept out of the result.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"], "scheduling": "SILENT"}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}, "scheduling": "SILENT"}
        ]}}
    """
    for hint in response.scheduling:
        if hint.place == "body" and hint.value in SCHEDULING:
            yield Hit(hint.at, "Read as a hint, kept out of the result.", call_id=response.id)


@rule("scheduling-body-unknown", WARNING, on="response", dialects=LIVE, source=TOOLS)
def scheduling_body_unknown(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A scheduling inside response has a value that is no hint.

    So it is only data, and the model speaks when it likes. The hints are INTERRUPT,
    WHEN_IDLE and SILENT.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"], "scheduling": "SOON"}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"], "scheduling": "WHEN_IDLE"}}
        ]}}
    """
    for hint in response.scheduling:
        if hint.place == "body" and hint.value not in (*SCHEDULING, "SCHEDULING_UNSPECIFIED"):
            yield Hit(
                hint.at,
                "This is no scheduling value, so it is only data. Use INTERRUPT, WHEN_IDLE or SILENT.",
                call_id=response.id,
            )


@rule("scheduling-conflict", ERROR, on="response", dialects=LIVE, source=BODY)
def scheduling_conflict(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """Scheduling stands in both places with two values.

    Nobody can tell which of them counts. Keep the one on FunctionResponse, beside
    response.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms",
           "response": {"result": ["kitchen"], "scheduling": "SILENT"}, "scheduling": "INTERRUPT"}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms",
           "response": {"result": ["kitchen"]}, "scheduling": "INTERRUPT"}
        ]}}
    """
    values = {hint.value for hint in response.scheduling}
    if len(response.scheduling) > 1 and len(values) > 1:
        yield Hit(
            response.scheduling[-1].at,
            "Two scheduling values disagree. Keep the one beside response.",
            call_id=response.id,
        )


@rule("scheduling-nested", ERROR, on="response", dialects=LIVE, source=TOOLS)
def scheduling_nested(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """A scheduling hint stands inside the business result.

    There it is stored as data and steers nothing. Move it beside response. Any value
    other than INTERRUPT, WHEN_IDLE or SILENT is data and passes.

    Bad:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms",
           "response": {"result": {"rooms": ["kitchen"], "scheduling": "SILENT"}}}
        ]}}
    Good:
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms",
           "response": {"result": {"rooms": ["kitchen"], "scheduling": "monday"}}}
        ]}}
    """
    body = response.body_at
    if body is None or not body.is_object:
        return
    stack: list[tuple[Cursor, int]] = [(body, 0)]
    while stack:
        at, depth = stack.pop()
        for member in at:
            if depth and member.key == "scheduling" and member.string in SCHEDULING:
                yield Hit(
                    member,
                    "A scheduling hint inside the result is stored as data. Move it beside response.",
                    at_key=True,
                    call_id=response.id,
                )
            if member.is_object or member.is_array:
                stack.append((member, depth + 1))


@rule("response-id-missing", INFO, on="response", dialects=("gemini-generate",), source=BODY)
def response_without_id(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """In generateContent an answer may have no id.

    It is paired by name and position, and some SDKs write it so. Copy the id where the
    call has one.

    Bad:
        {"role": "user", "parts": [
          {"functionResponse": {"name": "lookup_stock", "response": {"result": {"left": 2}}}}
        ]}
    Good:
        {"role": "user", "parts": [
          {"functionResponse": {"id": "c1", "name": "lookup_stock", "response": {"result": {"left": 2}}}}
        ]}
    """
    if response.id is None and (response.id_at is None or response.id_at.is_null):
        yield Hit(response.at, "No id: paired by name and position. Copy the id of the call.", key="id")
