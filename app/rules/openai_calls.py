"""Rules over one call of OpenAI's interfaces: its ids, its name, whether it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.dialects.openai_parts import CHAT, REALTIME, RESPONSES, string
from app.dialects.wire import objects
from app.events import CallStart, Frame, ToolCall
from app.model import Options
from app.rules import ERROR, WARNING, Hit, rule

OPENAI = (REALTIME, CHAT, RESPONSES)
RUNS = (*OPENAI, "agent-run")
EVENTS = "https://platform.openai.com/docs/api-reference/realtime-server-events"
CALLING = "https://platform.openai.com/docs/guides/function-calling"

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ID = re.compile(r"[A-Za-z0-9_-]+")
PREFIXES = ("functions.", "default_api.", "default_api:")
"""Namespaces that models put before a declared name."""
WRAPPER = "multi_tool_use."
LONGEST = {CHAT: 40, RESPONSES: 64}
"""Characters of an id that services have been seen to refuse."""


@rule("call-id-missing", ERROR, on="call", dialects=RUNS, source=CALLING)
def call_id_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call of OpenAI's interfaces has no call id that is a text.

    The output names the call by it (`call_id`, in Chat Completions `id`), never by the
    id of the item. Run nothing and mint none.

    Bad:
        {"type": "response.function_call_arguments.done", "event_id": "event_9", "response_id": "resp_1",
         "item_id": "item_1", "output_index": 0, "name": "list_rooms", "arguments": "{}"}
    Good:
        {"type": "response.function_call_arguments.done", "event_id": "event_9", "response_id": "resp_1",
         "item_id": "item_1", "output_index": 0, "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    at = call.id_at
    if at is None and "id" not in call.deferred:
        yield Hit(
            call.at, "This call has no call id, so it cannot be answered. Do not run it.", key="call_id"
        )
    elif at is not None and not at.is_string:
        yield Hit(at, f"The call id must be a string, not {at.text[:40]}. Do not run this call.")


@rule("call-id-empty", ERROR, on="call", dialects=RUNS, source=CALLING)
def call_id_empty(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The id of a call is an empty text.

    A proxy that translates between interfaces has lost it. No output can name the call.
    Do not run it, and do not mint an id.

    Bad:
        {"type": "function_call", "call_id": "", "name": "list_rooms", "arguments": "{}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    if call.id_at is not None and call.id_at.string == "":
        yield Hit(call.id_at, "The call id is empty, so no output can name this call. Do not run it.")


@rule("call-id-charset", ERROR, on="call", dialects=(REALTIME,), source=CALLING)
def call_id_charset(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call id holds other characters than letters, digits, _ and -.

    The service makes no such ids, so it was changed on its way, and an output with it
    is refused.

    Bad:
        {"type": "conversation.item.create", "item": {
          "type": "function_call", "call_id": "call/1", "name": "list_rooms", "arguments": "{}"}}
    Good:
        {"type": "conversation.item.create", "item": {
          "type": "function_call", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}}
    """
    if call.id is not None and call.id_at is not None and ID.fullmatch(str(call.id)) is None:
        yield Hit(
            call.id_at, "A call id has only letters, digits, _ and -. Use the one that came.", call_id=call.id
        )


@rule("call-id-too-long", WARNING, on="call", dialects=(CHAT, RESPONSES), source=CALLING)
def call_id_too_long(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call id is longer than services have been seen to take.

    Chat Completions refused ids over 40 characters, Responses over 64; whether they
    still do is not certain. Such an id often comes from another provider, or is an item
    id of Responses. Give the history ids of its own.

    Bad:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_0123456789012345678901234567890123456789", "type": "function",
           "function": {"name": "list_rooms", "arguments": "{}"}}]}
    Good:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_01234567890123456789", "type": "function",
           "function": {"name": "list_rooms", "arguments": "{}"}}]}
    """
    limit = LONGEST[frame.dialect]
    if call.id is not None and call.id_at is not None and len(str(call.id)) > limit:
        yield Hit(
            call.id_at,
            f"This id has {len(str(call.id))} characters; over {limit} were refused.",
            call_id=call.id,
        )


@rule("call-id-wrong-field", ERROR, on="call", dialects=(REALTIME, RESPONSES), source=CALLING)
def call_id_of_item(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call bears the id of an item as its call id.

    An item has an id, and the call that it is has a call_id; the output repeats the
    latter. An id that begins with fc_ or item_ is that of an item.

    Bad:
        {"type": "function_call", "call_id": "fc_1", "name": "list_rooms", "arguments": "{}"}
    Good:
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    if call.id_at is not None and str(call.id).startswith(("fc_", "fco_", "item_")):
        yield Hit(call.id_at, "This is the id of an item. The call's own is call_id.", call_id=call.id)


@rule("call-id-wrong-field", ERROR, on="frame", dialects=(RESPONSES,), needs=("request",), source=CALLING)
def item_id_of_call(frame: Frame) -> Iterator[Hit]:
    """An item that is sent back bears a call id as its own id.

    The id of a function_call item begins with fc, and the service refuses another. It may
    be left out.

    Bad:
        {"model": "m", "input": [
          {"type": "function_call", "id": "call_1", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"},
          {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}]}
    Good:
        {"model": "m", "input": [
          {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "list_rooms",
           "arguments": "{}"},
          {"type": "function_call_output", "call_id": "call_1", "output": "Two rooms."}]}
    """
    for call in frame.calls:
        item_id = call.at.get("id")
        if item_id is not None and (item_id.string or "").startswith("call_"):
            yield Hit(item_id, "This is a call id. The item's own begins with fc; leave it out.")


@rule("call-name-missing", ERROR, on="call", dialects=RUNS, source=CALLING)
def call_name_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call of OpenAI's interfaces names no tool.

    Absent, null and empty are all lacking. Do not guess a tool by its arguments.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "", "arguments": "{}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    if call.name is None and (call.name_at is not None or "name" not in call.deferred):
        yield Hit(
            call.name_at or call.at,
            "This call names no tool. Answer with an error; do not guess.",
            key="name",
            call_id=call.id,
        )


@rule("call-name-deferred", WARNING, on="call", dialects=OPENAI, source=EVENTS)
def call_name_deferred(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The end of streamed args comes without the name of the tool, and nothing here tells it.

    Responses and the older Realtime name the tool when the item is announced. A client
    that waits for the name in this event loses the call: keep it by item id from
    response.output_item.added.

    Bad:
        {"type": "response.function_call_arguments.done", "event_id": "event_9", "response_id": "resp_1",
         "item_id": "item_1", "output_index": 0, "call_id": "call_1", "arguments": "{}"}
    Good:
        {"type": "response.output_item.added", "event_id": "event_2", "response_id": "resp_1",
         "output_index": 0, "item": {"id": "item_1", "type": "function_call", "status": "in_progress",
         "name": "list_rooms", "call_id": "call_1", "arguments": ""}}
        {"type": "response.function_call_arguments.done", "event_id": "event_9", "response_id": "resp_1",
         "item_id": "item_1", "output_index": 0, "call_id": "call_1", "arguments": "{}"}
    """
    if call.name is None and call.name_at is None and "name" in call.deferred:
        yield Hit(
            call.at,
            "The name of this call came with response.output_item.added. Keep it by item id.",
            call_id=call.id,
        )


@rule("call-name-prefixed", ERROR, on="call", dialects=OPENAI, source=CALLING)
def call_name_prefixed(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The model put its own namespace before the name of the tool.

    No tool may have a dot in its name here. Do not cut the prefix off by yourself:
    answer with an error that names the tool.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "functions.list_rooms", "arguments": "{}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    prefix = _prefix(call.name)
    if prefix and call.name is not None:
        yield Hit(
            call.name_at or call.at,
            f"{prefix} is the model's own namespace. Perhaps {call.name[len(prefix) :][:64]} is meant; "
            "answer with an error.",
            call_id=call.id,
        )


@rule("call-name-wrapper", ERROR, on="call", dialects=OPENAI, source=CALLING)
def call_name_wrapper(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The model calls a wrapper that nobody declared, with the real calls inside.

    multi_tool_use.parallel is a trace of its training. The inner calls have no ids, so
    none of them can be answered. Answer with an error that asks for single calls.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "multi_tool_use.parallel",
         "arguments": "{\"tool_uses\": [{\"recipient_name\": \"functions.list_rooms\", \"parameters\": {}}]}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    if call.name is None or not call.name.startswith(WRAPPER):
        return
    args = call.args.object
    inner = [
        name
        for use in objects(args.get("tool_uses") if args else None)
        if (name := string(use.get("recipient_name")))
    ]
    held = f" It holds {', '.join(inner[:4])}." if inner else ""
    yield Hit(
        call.name_at or call.at,
        f"No tool is called so; the model made it up.{held} Answer with an error that asks for single calls.",
        call_id=call.id,
    )


@rule("call-name-charset", ERROR, on="call", dialects=OPENAI, source=CALLING)
def call_name_charset(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The name of a call is one that no tool may have here.

    OpenAI's names have letters, digits, _ and -, at most 64. A line break behind the
    name comes from a badly set stop. Answer the call with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "list_rooms\n", "arguments": "{}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "list_rooms", "arguments": "{}"}
    """
    name = call.name
    if name is None or NAME.fullmatch(name) or _prefix(name) or name.startswith(WRAPPER):
        return
    yield Hit(
        call.name_at or call.at,
        "No tool may have this name: letters, digits, _ and -, at most 64. Answer with an error.",
        call_id=call.id,
    )


def _prefix(name: str | None) -> str | None:
    return next((each for each in PREFIXES if name is not None and name.startswith(each)), None)


@rule("call-incomplete", ERROR, on="call", source=EVENTS)
def call_incomplete(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The wire says that a call was cut before it was complete.

    Its item has the status incomplete, its turn ran out of room, or its stream breaks
    off. What is there may be a part of what was meant, even where it parses. Do
    not run it.

    Bad:
        {"type": "function_call", "status": "incomplete", "call_id": "call_1", "name": "list_rooms",
         "arguments": "{}"}
    Good:
        {"type": "function_call", "status": "completed", "call_id": "call_1", "name": "list_rooms",
         "arguments": "{}"}
    """
    if call.incomplete is not None:
        yield Hit(
            call.incomplete, "This call was cut before it was complete. Do not run it.", call_id=call.id
        )


@rule("call-retold", ERROR, on="call", source=EVENTS)
def call_retold(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""A call is told twice, and the two tellings differ.

    Clients act on different events: one on the end of the args, one on the finished item,
    one on the response. Here they would run different calls. Run none of them, and look
    for what changes frames on their way.

    Bad:
        {"type": "response.function_call_arguments.done", "event_id": "e1", "response_id": "resp_1",
         "item_id": "item_1", "output_index": 0, "call_id": "call_1", "name": "set_light",
         "arguments": "{\"on\": true}"}
        {"type": "response.output_item.done", "event_id": "e2", "response_id": "resp_1", "output_index": 0,
         "item": {"id": "item_1", "type": "function_call", "status": "completed", "call_id": "call_1",
         "name": "set_light", "arguments": "{\"on\": false}"}}
    Good:
        {"type": "response.function_call_arguments.done", "event_id": "e1", "response_id": "resp_1",
         "item_id": "item_1", "output_index": 0, "call_id": "call_1", "name": "set_light",
         "arguments": "{\"on\": true}"}
        {"type": "response.output_item.done", "event_id": "e2", "response_id": "resp_1", "output_index": 0,
         "item": {"id": "item_1", "type": "function_call", "status": "completed", "call_id": "call_1",
         "name": "set_light", "arguments": "{\"on\": true}"}}
    """
    if call.retold is not None:
        yield Hit(
            call.retold,
            "This call was told before, and not the same. Two clients may run two calls.",
            call_id=call.id,
        )


@rule("legacy-function-call", WARNING, on="call", dialects=(CHAT,), source=CALLING)
def legacy_function_call(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call stands in function_call, which Chat Completions has replaced by tool_calls.

    It has no id and allows one call a turn. Declare `tools` instead of `functions`, and
    answer with messages of the role tool.

    Bad:
        {"role": "assistant", "content": null,
         "function_call": {"name": "list_rooms", "arguments": "{}"}}
    Good:
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}
    """
    if call.at.key == "function_call":
        yield Hit(
            call.at, "function_call is replaced by tool_calls. Declare tools, not functions.", at_key=True
        )


@rule(
    "call-id-empty", ERROR, on="frame", dialects=(REALTIME, RESPONSES), needs=("call-start",), source=EVENTS
)
def start_id_empty(frame: Frame) -> Iterator[Hit]:
    """A call is announced with an empty id, so nothing that follows can be told to be its own.

    Bad:
        {"type": "response.output_item.added", "sequence_number": 3, "output_index": 0,
         "item": {"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "",
         "name": "list_rooms", "arguments": ""}}
    Good:
        {"type": "response.output_item.added", "sequence_number": 3, "output_index": 0,
         "item": {"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "call_1",
         "name": "list_rooms", "arguments": ""}}
    """
    for start in frame.signals:
        if isinstance(start, CallStart) and start.id_at is not None and start.id_at.string == "":
            yield Hit(start.id_at, "A call is announced with an empty call id. No output can name it.")


@rule(
    "call-name-missing",
    ERROR,
    on="frame",
    dialects=(REALTIME, RESPONSES),
    needs=("call-start",),
    source=EVENTS,
)
def start_name_missing(frame: Frame) -> Iterator[Hit]:
    """A call is announced without a name, and later events need not repeat it.

    Bad:
        {"type": "response.output_item.added", "sequence_number": 3, "output_index": 0,
         "item": {"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "call_1",
         "name": "", "arguments": ""}}
    Good:
        {"type": "response.output_item.added", "sequence_number": 3, "output_index": 0,
         "item": {"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "call_1",
         "name": "list_rooms", "arguments": ""}}
    """
    for start in frame.signals:
        if isinstance(start, CallStart) and start.name is None:
            yield Hit(
                start.name_at or start.at,
                "A call is announced without a name. Whoever keeps the name by item id has none.",
                key="name",
                call_id=start.id,
            )
