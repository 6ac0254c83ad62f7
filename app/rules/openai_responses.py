"""Rules over one answer of OpenAI's interfaces: whom it answers, and what it holds."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.openai_parts import CHAT, REALTIME, RESPONSES, string
from app.events import Frame, ToolResponse
from app.json_text import JsonError
from app.rules import ERROR, INFO, WARNING, Hit, rule
from app.rules.openai_calls import ID, OPENAI, RUNS

CREATE = "https://platform.openai.com/docs/api-reference/realtime-client-events/conversation/item/create"
CALLING = "https://platform.openai.com/docs/guides/function-calling"

PARTS = {RESPONSES: ("input_text", "input_image", "input_file"), CHAT: ("text",), REALTIME: ()}
"""The parts of which the value of an answer may be a list."""


@rule("response-id-missing", ERROR, on="response", dialects=RUNS, source=CALLING)
def response_id_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An output says no call id, so it answers nothing.

    It stands in the item itself as call_id, in a Chat message as tool_call_id. Copy that
    of the call.

    Bad:
        {"role": "tool", "content": "Two rooms."}
    Good:
        {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}
    """
    if response.id is None and string(response.at.get("role")) != "function":
        key = "tool_call_id" if frame.dialect == CHAT else "call_id"
        yield Hit(response.id_at or response.at, f"No {key}. Copy the one of the call.", key=key)


@rule("call-id-wrong-field", ERROR, on="response", dialects=(REALTIME, RESPONSES), source=CALLING)
def response_id_of_item(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An output bears the id of an item instead of the call id.

    Bad:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "item_1", "output": "Two rooms."}}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    """
    if response.id_at is not None and str(response.id).startswith(("item_", "fc_", "fco_")):
        yield Hit(
            response.id_at,
            "This is the id of an item. The answer bears the call_id of the call.",
            call_id=response.id,
        )


@rule("call-id-charset", ERROR, on="response", dialects=(REALTIME,), source=CALLING)
def response_id_charset(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An output bears a call id that was changed, for instance by a status behind it.

    Bad:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1/done", "output": "Two rooms."}}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    """
    if response.id_at is not None and response.id is not None and ID.fullmatch(str(response.id)) is None:
        yield Hit(
            response.id_at,
            "A call id has only letters, digits, _ and -. Copy the one that came.",
            call_id=response.id,
        )


@rule("response-output-missing", ERROR, on="response", dialects=RUNS, source=CREATE)
def response_output_missing(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """An output item has no output.

    It stands beside call_id, not in a content. An empty text is legal; nothing is not.

    Bad:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "content": "Two rooms."}}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}}
    """
    if response.body_at is None:
        key = "content" if frame.dialect == CHAT else "output"
        yield Hit(response.at, f"No {key}. Put the result there, as a text.", key=key, call_id=response.id)


@rule(
    "response-output-not-string",
    ERROR,
    on="response",
    dialects=(*OPENAI, "nova-sonic", "livekit"),
    source=CREATE,
)
def response_output_not_string(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    """The value of an answer is no text.

    SDKs send an object without complaint, and the service refuses it. Encode it as JSON
    text. Responses also takes a list of input_text, input_image and input_file parts,
    Chat Completions one of text parts, Realtime no list.

    Bad:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": ["kitchen", "hall"]}}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "Kitchen and hall."}}
    """
    at = response.body_at
    if at is None or at.is_string:
        return
    parts = PARTS.get(frame.dialect, ())
    if at.is_array and parts and all(string(part.get("type")) in parts for part in at):
        return
    takes = f" or a list of {', '.join(parts)} parts" if parts else ""
    yield Hit(at, f"{at.key} must be a text{takes}. Encode the value as JSON text.", call_id=response.id)


@rule("response-double-encoded", WARNING, on="response", dialects=OPENAI, source=CREATE)
def response_double_encoded(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    r"""An output is JSON text inside JSON text.

    It was encoded twice. The model reads quotes and backslashes instead of the value.
    Encode it once.

    Bad:
        {"type": "function_call_output", "call_id": "call_1", "output": "\"{\\\"rooms\\\": 2}\""}
    Good:
        {"type": "function_call_output", "call_id": "call_1", "output": "{\"rooms\": 2}"}
    """
    at = response.body_at
    said = at.string if at is not None else None
    if at is None or said is None or not said.lstrip().startswith('"'):
        return
    try:
        inner = Cursor.of(said).string
    except JsonError:
        return
    if inner is not None and inner.lstrip().startswith(("{", "[")):
        yield Hit(at, "This is JSON text inside JSON text. Encode it once.", call_id=response.id)


@rule("response-uninformative", INFO, on="response", dialects=(REALTIME,), source=CREATE)
def output_uninformative(response: ToolResponse, frame: Frame) -> Iterator[Hit]:
    r"""An output of Realtime holds no sentence that the model could say.

    The model speaks next, of what stands here. A flag, a number or an id lets it guess
    what came of it: add a message in words.

    Bad:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1", "output": "{\"ok\": true}"}}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call_output", "call_id": "call_1",
          "output": "{\"ok\": true, \"message\": \"The kitchen light is on.\"}"}}
    """
    at = response.body_at
    if at is not None and at.is_string and not _says_something(response.output or response.error or at):
        yield Hit(
            at, "There is no sentence here that the model could say. Add a message.", call_id=response.id
        )


def _says_something(at: Cursor) -> bool:
    """Whether a text of at least two words stands in a value."""
    stack = [at]
    while stack:
        here = stack.pop()
        if here.is_string:
            if len((here.string or "").split()) > 1:
                return True
        else:
            stack.extend(here)
    return False
