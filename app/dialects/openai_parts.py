"""What OpenAI's three interfaces share: items, tools, outputs, and the events of a stream.

Realtime and Responses name their events alike. An integer `sequence_number`
means Responses, an `event_id` Realtime; `response.create` has its parameters at
the top in Responses and under `response` in Realtime.

Sources: https://platform.openai.com/docs/api-reference/realtime-server-events and
https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from app import arguments
from app.cursor import Cursor
from app.dialects import Answer
from app.dialects.wire import fields, objects
from app.events import (
    CallStart,
    Finished,
    Fragment,
    Frame,
    HostedCall,
    Message,
    Part,
    Signal,
    ToolCall,
    ToolDefinition,
    ToolResponse,
    TurnEnd,
    TurnStart,
)
from app.json_text import JsonError, quote, write

CHAT, REALTIME, RESPONSES = "openai-chat", "openai-realtime", "openai-responses"

EVENTS = (
    "response.",
    "conversation.",
    "session.",
    "input_audio_buffer.",
    "output_audio_buffer.",
    "rate_limits.",
    "mcp_list_tools.",
    "transcription_session.",
)
"""How the types of events begin."""
FLAT = ("model", "input", "tools", "previous_response_id", "instructions")
"""Parameters of a response that stand at the top of a Responses `response.create`."""
CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Items that ask the client to run a tool, each with the field of its args."""
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
HOSTED = frozenset(
    {"mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"}
)
"""Items that the service runs itself."""
SPOKEN = frozenset({"message", None})
NOT_OURS = frozenset({"cancelled", "incomplete", "failed"})
"""How a response may end other than completed."""

Read = tuple[str, tuple[ToolCall, ...], tuple[ToolResponse, ...], tuple[Signal, ...]]
"""What an event or item is: kind, calls, answers, signals."""


def string(at: Cursor | None) -> str | None:
    """Return a string that is not empty, or None."""
    return (at.string or None) if at is not None else None


def is_integer(at: Cursor | None) -> bool:
    """Whether a value is a whole number."""
    return at is not None and at.text.lstrip("-").isdigit()


# Recognising ------------------------------------------------------------------


def interface(root: Cursor) -> tuple[str, tuple[str, ...]] | None:
    """Return which of the two event interfaces an event belongs to, and the pointers that say so."""
    kind = root.get("type")
    name = kind.string if kind is not None else None
    if kind is None or name is None:
        return None
    if name == "error":
        number, event = root.get("sequence_number"), root.get("event_id")
        inner = root.get("error")
        event = event or (inner.get("event_id") if inner is not None else None)
        if is_integer(number) and number is not None:
            return RESPONSES, (kind.pointer, number.pointer)
        return (REALTIME, (kind.pointer, event.pointer)) if event is not None else None
    if not name.startswith(EVENTS):
        return None
    keys = root.keys
    number = root.get("sequence_number") if "sequence_number" in keys else None
    if number is not None and is_integer(number):
        return RESPONSES, (kind.pointer, number.pointer)
    response = root.get("response") if "response" in keys else None
    told = response.get("object") if response is not None else None
    if told is not None and told.string == "response":
        return RESPONSES, (kind.pointer, told.pointer)
    if name == "response.create" and response is None:
        flat = [f"/{key}" for key in FLAT if key in keys]
        if flat:
            return RESPONSES, (kind.pointer, *flat)
    beside = root.get("event_id") if "event_id" in keys else told
    if beside is None and name == "response.create":
        beside = response
    return REALTIME, (kind.pointer,) if beside is None else (kind.pointer, beside.pointer)


def bare_item(root: Cursor) -> tuple[Cursor, ...]:
    """Return what makes a bare function_call, function_call_output or flat declaration one, or nothing."""
    kind = root.get("type")
    name = kind.string if kind is not None else None
    if kind is None or name not in ("function_call", "function_call_output", "function"):
        return ()
    beside = root.get("name" if name == "function" else "call_id")
    if beside is None and name == "function_call":
        beside = root.get("arguments")
    if beside is None and name == "function_call_output":
        beside = root.get("output")
    return () if beside is None else (kind, beside)


# Items --------------------------------------------------------------------------


def call(at: Cursor, turn: str | None = None) -> ToolCall:
    """Read one function_call or custom_tool_call item, or an event that holds the same fields."""
    inner = fields(at)
    kind, status = string(inner.get("type")), inner.get("status")
    id_at, name_at = inner.get("call_id"), inner.get("name")
    free = kind is not None and kind.startswith(("custom_tool_call", "response.custom_tool_call"))
    cut = status is not None and status.string == "incomplete"
    return ToolCall(
        at=at,
        frame=at.frame,
        id=string(id_at),
        name=string(name_at),
        id_at=id_at,
        name_at=name_at,
        args=arguments.from_plain_text(inner.get("input"))
        if free
        else arguments.from_text(inner.get("arguments")),
        key=string(inner.get("item_id")) or string(inner.get("id")),
        turn=turn,
        incomplete=status if cut else None,
    )


def output(at: Cursor, id_key: str = "call_id", body_key: str = "output") -> ToolResponse:
    """Read one function_call_output item, or a tool message by its own keys."""
    inner = fields(at)
    id_at, name_at, body = inner.get(id_key), inner.get("name"), inner.get(body_key)
    value = held(body)
    error = value.get("error") if value is not None else None
    failed = error is not None and (error.is_object or error.is_string)
    return ToolResponse(
        at=at,
        frame=at.frame,
        id=string(id_at),
        name=string(name_at),
        id_at=id_at,
        name_at=name_at,
        body_at=body,
        is_error=failed,
        output=None if failed else value,
        error=error if failed else None,
    )


def held(body: Cursor | None) -> Cursor | None:
    """Return the business value of an output: the JSON that its text holds, else the text."""
    if body is None:
        return None
    only = body
    if body.is_array:
        parts = list(body)
        text = parts[0].get("text") if len(parts) == 1 else None
        if text is None:
            return body
        only = text
    said = only.string
    if said is None or not said.lstrip().startswith(("{", "[")):
        return only
    try:
        return Cursor.of(said, input=body.input, frame=body.frame, base=only)
    except JsonError:
        return only


def item(at: Cursor, turn: str | None, *, begins: bool = False) -> Read:
    """Read an item. One that begins, or is in progress, announces its call."""
    kind = string(at.get("type"))
    if kind in CALLS:
        status = at.get("status")
        if begins or (status is not None and status.string == "in_progress"):
            found = call(at, turn)
            encoding = "free-text" if kind == "custom_tool_call" else "json-string"
            start = CallStart(at, found.key, found.id, found.name, found.id_at, found.name_at, turn, encoding)
            return "call-start", (), (), (start,)
        return "call", (call(at, turn),), (), ()
    if kind in OUTPUTS:
        return "response", (), (output(at),), ()
    if kind in HOSTED:
        hosted = HostedCall(at, string(at.get("id")), string(at.get("name")))
        return "call-hosted", (), (), (hosted,)
    return ("turn" if kind in SPOKEN and at.get("role") is not None else "event"), (), (), ()


def messages(items: list[Cursor]) -> tuple[Message, ...]:
    """Read the items of a conversation as messages of a role."""
    found = []
    for at in items:
        _, calls, responses, _ = item(at, None)
        parts = (
            *(Part(each.at, "call", call=each) for each in calls),
            *(Part(each.at, "response", response=each) for each in responses),
        )
        role = "assistant" if calls else "tool" if responses else string(at.get("role"))
        found.append(Message(at, role, parts))
    return tuple(found)


def finished(response: Cursor) -> Read:
    """Read a response that is over: its calls, and how it ended."""
    turn, status = string(response.get("id")), string(response.get("status"))
    calls: list[ToolCall] = []
    hosted: list[Signal] = []
    for at in objects(response.get("output")):
        _, found, _, signals = item(at, turn)
        calls.extend(found)
        hosted.extend(each for each in signals if isinstance(each, HostedCall))
    end = TurnEnd(response, turn, status if status in NOT_OURS else "completed")
    return "turn-end", tuple(calls), (), (*hosted, end)


def turn_of(frame: Frame) -> Finished | None:
    """Read the finished turn that a response is, as a body or in the event that ends it."""
    response = frame.at if "output" in frame.members else frame.members.get("response")
    if response is None or not any(isinstance(signal, TurnEnd) for signal in frame.signals):
        return None
    status = string(response.get("status"))
    details = response.get("incomplete_details") or response.get("status_details")
    reason = string(details.get("reason")) if details is not None else None
    output = response.get("output")
    return Finished(
        status=status if status in NOT_OURS else "completed",
        finish=reason or status,
        parts=tuple(part for at in objects(output) for part in _parts(at)),
        content=output.raw if output is not None else None,
    )


def _parts(at: Cursor) -> list[Part]:
    """Read an item of an output as parts of the turn."""
    kind = string(at.get("type"))
    if kind in CALLS:
        return [Part(at, "call", call=call(at, None))]
    if kind in HOSTED:
        return [Part(at, "server-tool")]
    if kind == "reasoning":
        told = [string(each.get("text")) or "" for each in objects(at.get("summary"))]
        return [Part(at, "thought", "".join(told))]
    if kind not in SPOKEN:
        return [Part(at, "unknown", fields=(kind or "",))]
    return [_said(each) for each in objects(at.get("content"))]


def _said(at: Cursor) -> Part:
    """Read one part of what the model says: text, spoken or written; a refusal is for a person to see."""
    text = string(at.get("text")) or string(at.get("transcript"))
    kind = string(at.get("type")) or ""
    return Part(at, "text", text) if text is not None else Part(at, "unknown", fields=(kind,))


def event(kind: str, root: Cursor) -> Read | None:
    """Read an event that both interfaces send; None for any other."""
    turn = string(root.get("response_id"))
    if kind in ("response.output_item.added", "response.output_item.done"):
        at = root.get("item")
        return None if at is None else item(at, turn, begins=kind.endswith("added"))
    if kind in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
        text = root.get("delta")
        if text is None or not text.is_string:
            return "call-delta", (), (), ()
        return "call-delta", (), (), (Fragment(root, string(root.get("item_id")), text, turn),)
    if kind in ("response.function_call_arguments.done", "response.custom_tool_call_input.done"):
        return "call", (call(root, turn),), (), ()
    if kind.startswith(("response.mcp_call.", "response.mcp_call_arguments.")):
        return "call-hosted", (), (), ()
    response = root.get("response")
    if response is not None and response.is_object:
        if kind == "response.created":
            return "event", (), (), (TurnStart(response, string(response.get("id")), _is_aside(response)),)
        if kind in ("response.done", "response.completed", "response.incomplete", "response.failed"):
            return finished(response)
    return None


def _is_aside(response: Cursor) -> bool:
    """Whether a response belongs to no conversation, so that another may be active beside it."""
    conversation = response.get("conversation_id")
    return conversation is not None and conversation.is_null


# Declarations ---------------------------------------------------------------------


def definition(at: Cursor, dialect: str) -> ToolDefinition:
    """Read one tool, its fields at the top or nested under `function` or `custom`."""
    inner = at.get("function") or at.get("custom") or at
    name, description, parameters = (inner.get(key) for key in ("name", "description", "parameters"))
    return ToolDefinition(
        at=at,
        name=(name.string or "") if name is not None else "",
        description=description.string if description is not None else None,
        behavior=None,
        parameters=None if parameters is None or parameters.is_null else parameters,
        result=None,
        gemini=False,
        dialect=dialect,
    )


def definitions(tools: Cursor | None, dialect: str) -> tuple[ToolDefinition, ...]:
    """Read the tools of a list that the client runs; those of the service are none of ours."""
    return tuple(
        definition(at, dialect)
        for at in objects(tools)
        if string(at.get("type")) in ("function", "custom") or (at.get("type") is None and at.get("name"))
    )


# Answers --------------------------------------------------------------------------


def spoken(answer: Answer) -> str:
    """Return an answer as one JSON string: a text as it is, any other value as compact JSON text."""
    if answer.error is not None:
        return quote(f'{{"error": {_compact(answer.error.text)}}}')
    if answer.result is None:
        return quote("{}")
    return answer.result.text if answer.result.text.startswith('"') else quote(_compact(answer.result.text))


def _compact(text: str) -> str:
    return write(Cursor.of(text).tree, None)
