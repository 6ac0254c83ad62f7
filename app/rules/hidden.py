"""Rules over calls that stand where nobody looks: in no list, or under a key of another interface."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.wire import objects
from app.events import Frame
from app.rules import ERROR, Hit, rule

MESSAGES = ("openai-chat", "anthropic", "bedrock-converse")
RESPONSES = ("openai-realtime", "openai-responses")
WALKED = (*MESSAGES, *RESPONSES)
OUTPUT = "https://platform.openai.com/docs/api-reference/chat/object"

CARRIERS = {
    "toolCall": ("gemini-live",),
    "tool_call": ("gemini-live",),
    "toolCallCancellation": ("gemini-live",),
    "tool_call_cancellation": ("gemini-live",),
    "toolResponse": ("gemini-live",),
    "tool_response": ("gemini-live",),
    "candidates": ("gemini-generate",),
    "choices": ("openai-chat", "agent-run"),
    "tool_calls": ("openai-chat", "agent-run"),
}
"""Keys at the top of a frame that bear calls or answers, and the dialects whose they are."""
BLOCKS = {"tool_use": "Anthropic Messages", "tool_result": "Anthropic Messages"}
"""Types of content blocks that bear calls or answers, and whose they are."""


@rule("calls-not-array", ERROR, on="frame", dialects=WALKED, source=OUTPUT, spoils_frame=True)
def calls_in_no_list(frame: Frame) -> Iterator[Hit]:
    """What bears the calls of a message is no list.

    tool_calls, choices, content, output and input are lists even for one entry. A client
    that walks the list finds nothing there, and the call is lost.

    Bad:
        {"role": "assistant", "content": null, "tool_calls":
          {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}}
    Good:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}
    """
    for at in _lists(frame):
        if at.is_object or (at.key == "tool_calls" and not at.is_array and not at.is_null):
            yield Hit(at, f"{at.key} must be a list, also for one entry. Nothing in it is read.")


@rule("call-not-object", ERROR, on="frame", dialects=("openai-chat",), source=OUTPUT)
def call_in_list_not_object(frame: Frame) -> Iterator[Hit]:
    """An entry of tool_calls is no object.

    It has neither id nor function, so nothing can be run and nothing answered.

    Bad:
        {"role": "assistant", "content": null, "tool_calls": ["list_rooms"]}
    Good:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}
    """
    for at in _lists(frame):
        if at.key == "tool_calls" and at.is_array:
            for entry in at:
                if not entry.is_object:
                    yield Hit(entry, "An entry of tool_calls is an object with id, type and function.")


@rule("frame-multi-kind", ERROR, on="frame", unless=("unknown",), source=OUTPUT, spoils_frame=True)
def frame_of_two_interfaces(frame: Frame) -> Iterator[Hit]:
    """A frame bears calls or answers in the words of another interface too.

    No service sends both: a logger or a gateway merged two messages, or translated one
    and kept the old form. It is read as one of them, and the other half would be lost.
    Paste each message by itself.

    Bad:
        {"type": "response.create", "toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}]}}
        {"type": "response.create"}
    """
    if frame.at is None or not frame.at.is_object:
        return
    found = [key for key in frame.at.keys if key in CARRIERS and frame.dialect not in CARRIERS[key]]
    for key in found:
        at = frame.at.get(key)
        if at is not None and (at.is_object or at.is_array) and len(at):
            yield Hit(at, f"{key} is of {CARRIERS[key][0]}. Paste each message by itself.", at_key=True)
    for message in _messages(frame) if frame.dialect == "openai-chat" else ():
        for block in objects(message.get("content")):
            kind = block.get("type")
            owner = BLOCKS.get(kind.string or "") if kind is not None else None
            if owner is not None:
                yield Hit(block, f"A block of this type is of {owner}. Chat Completions does not read it.")


def _lists(frame: Frame) -> Iterator[Cursor]:
    """Yield what must be a list of calls, or of what holds them."""
    if frame.at is None or not frame.at.is_object:
        return
    if frame.dialect in RESPONSES:
        response = frame.members.get("response")
        for holder in (frame.at, response):
            for key in ("output", "input") if holder is response or "type" not in frame.members else ():
                at = holder.get(key) if holder is not None else None
                if at is not None:
                    yield at
        return
    keys = ("tool_calls",) if frame.dialect == "openai-chat" else ("content",)
    choices = frame.members.get("choices") if frame.dialect == "openai-chat" else None
    if choices is not None:
        yield choices
    for message in _messages(frame):
        for key in keys:
            at = message.get(key)
            if at is not None:
                yield at


def _messages(frame: Frame) -> Iterator[Cursor]:
    """Yield the messages of a frame: those it sends along, those it offers, and itself."""
    if frame.at is None:
        return
    if "role" in frame.members:
        yield frame.at
    yield from objects(frame.members.get("messages"))
    for choice in objects(frame.members.get("choices")):
        for key in ("message", "delta"):
            at = choice.get(key)
            if at is not None and at.is_object:
                yield at
    output = frame.members.get("output")
    message = output.get("message") if output is not None and output.is_object else None
    if message is not None and message.is_object:
        yield message
