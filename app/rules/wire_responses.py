"""Rules over one answer of the formats that pair by id: id, name, error flag, content."""

from __future__ import annotations

from collections.abc import Iterator

from app.dialects.wire import objects
from app.events import Frame, ToolResponse
from app.rules import ERROR, INFO, Hit, rule

BY_ID = ("anthropic", "mcp", "bedrock-converse", "livekit", "pipecat-rtvi", "gemini-interactions")
FLAGGED = ("anthropic", "mcp", "bedrock-converse", "livekit", "gemini-interactions")
MESSAGES = "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use"
INTERACTIONS = "https://ai.google.dev/gemini-api/docs/interactions"
CONVERSE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html"
JSON_BLOCK = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html"


@rule("response-id-missing", ERROR, on="response", dialects=BY_ID, source=MESSAGES)
def response_id_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """Where the wire pairs by id alone, an answer without one answers nothing.

    The field is `tool_use_id`, `toolUseId`, `call_id`, or the `id` of the JSON-RPC
    request. Copy the id of the call.

    Bad:
        {"role": "user", "content": [{"type": "tool_result", "content": "done"}]}
    Good:
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
        ]}
    """
    if response.id is None:
        yield Hit(
            response.id_at or response.at,
            "This answer names no call, so it pairs with none. Copy the id of the call.",
            key="id",
        )


@rule("response-name-missing", INFO, on="response", dialects=("gemini-interactions",), source=INTERACTIONS)
def response_name_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """In Interactions the name of a function_result is optional, and asked for.

    The id pairs it with its call; newer models want both. Copy the name too.

    Bad:
        {"type": "function_result", "call_id": "call_1", "result": {"rooms": ["kitchen"]}}
    Good:
        {"type": "function_result", "call_id": "call_1", "name": "list_rooms",
         "result": {"rooms": ["kitchen"]}}
    """
    if response.name is None:
        yield Hit(
            response.name_at or response.at,
            "This function_result has no name. It is optional, but newer models ask for it: copy it.",
            key="name",
            call_id=response.id,
        )


@rule("response-is-error", INFO, on="response", dialects=FLAGGED, source=MESSAGES)
def response_is_error(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """The answer says that the tool failed.

    That is a proper answer: the model reads the error and may call again with other
    arguments. Say what was wrong and what would be allowed.

    Bad:
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": "no such room"}
        ]}
    Good:
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "content": "the light is on"}
        ]}
    """
    if response.is_error:
        yield Hit(
            response.error or response.at, "This answer tells the model of an error.", call_id=response.id
        )


@rule("response-error-empty", ERROR, on="response", dialects=("anthropic",), source=MESSAGES)
def response_error_empty(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An error answer says nothing.

    With is_error true the content must not be empty, or the request is refused. Put the
    error there in words, or the name of what failed.

    Bad:
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": ""}
        ]}
    Good:
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": "no such room"}
        ]}
    """
    body = response.body_at
    if not response.is_error:
        return
    silent = body is None or body.is_null or not (body.string or "x").strip()
    if body is not None and body.is_array:
        texts = [block.get("text") for block in objects(body)]
        silent = all(at is not None and not (at.string or "").strip() for at in texts)
    if silent or (body is not None and body.string == ""):
        yield Hit(
            body or response.at,
            "is_error is true and the content is empty. Say what went wrong.",
            key="content",
            call_id=response.id,
        )


@rule(
    "response-content-not-list",
    ERROR,
    on="response",
    dialects=("bedrock-converse", "anthropic"),
    source=CONVERSE,
)
def response_content_not_list(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """The content of a toolResult or tool_result is no list of blocks.

    In Converse it is a list of blocks with one key each: text, json, image, document or
    video; a text alone is refused by the service. In Messages it is a text or a list of
    blocks with a type, and nothing else. Wrap the value.

    Bad:
        {"role": "user", "content": [
          {"toolResult": {"toolUseId": "tooluse_1", "content": "done"}}
        ]}
    Good:
        {"role": "user", "content": [
          {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "done"}]}}
        ]}
    """
    body = response.body_at
    if frame.dialect == "anthropic":
        if body is not None and not (body.is_string or body.is_array or body.is_null):
            text = "content must be a text or a list of blocks. Write the value as JSON text."
            yield Hit(body, text, call_id=response.id)
    elif body is None or not body.is_array:
        yield Hit(
            body or response.at,
            'content must be a list of blocks, such as [{"text": "..."}] or [{"json": {...}}].',
            key="content",
            call_id=response.id,
        )


@rule("response-not-object", ERROR, on="response", dialects=("bedrock-converse",), source=JSON_BLOCK)
def response_not_object(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """In Converse a json block takes only an object.

    A list, a number or a text in it is refused. Send it as a text block, or wrap it into
    an object.

    Bad:
        {"role": "user", "content": [
          {"toolResult": {"toolUseId": "tooluse_1", "content": [{"json": ["kitchen"]}]}}
        ]}
    Good:
        {"role": "user", "content": [
          {"toolResult": {"toolUseId": "tooluse_1", "content": [{"json": {"rooms": ["kitchen"]}}]}}
        ]}
    """
    for block in objects(response.body_at):
        value = block.get("json")
        if value is not None and not value.is_object:
            yield Hit(
                value,
                "A json block takes an object. Wrap the value, or send it as text.",
                call_id=response.id,
            )
