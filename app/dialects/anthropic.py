"""Anthropic Messages: requests, messages, content blocks, and the events of a stream.

Source: https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.arguments import from_object
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.wire import (
    ANTHROPIC,
    HOSTED_CALLS,
    deciding,
    family,
    fields,
    integer,
    is_true,
    objects,
    payload,
    spoken,
    text,
    told,
    tool_call,
    tool_response,
    untold,
)
from app.events import (
    CallEnd,
    CallStart,
    Fragment,
    Frame,
    HostedCall,
    Message,
    Part,
    ServerError,
    Signal,
    ToolDefinition,
    TurnEnd,
    TurnStart,
)
from app.json_text import quote

ID = ANTHROPIC

EVENTS = {
    "message_start": "message",
    "message_delta": "delta",
    "message_stop": None,
    "content_block_start": "content_block",
    "content_block_delta": "delta",
    "content_block_stop": "index",
}
"""The events of a stream, each with the member that it must have."""
BLOCKS = {
    "tool_use": ("input", "name"),
    "tool_result": ("tool_use_id", "content"),
    **dict.fromkeys(HOSTED_CALLS, ("input", "name")),
}
"""Blocks that may stand alone, each with the members of which it has at least one."""
CUT = frozenset({"max_tokens", "model_context_window_exceeded", "refusal"})
"""Reasons to stop that leave a turn unfinished."""
PARTS = {
    "text": "text",
    "thinking": "thought",
    "redacted_thinking": "thought",
    "image": "media",
    "document": "media",
}


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise an event, a block, a message, a request or a declaration by what only this API writes."""
    if not root.is_object:
        return ()
    keys = set(root.keys)
    if "type" in keys:
        return _by_type(root, keys)
    if "messages" in keys or "tools" in keys:
        return _by_request(root)
    if "role" in keys and "content" in keys:
        return _pointers(root.get("role"), root.get("content")) if family(root) == ID else ()
    if "input_schema" in keys and "name" in keys:
        return _pointers(root.get("input_schema"), root.get("name"))
    return ()


def _pointers(*found: Cursor | None) -> tuple[str, ...]:
    return tuple(at.pointer for at in found if at is not None)


def _by_type(root: Cursor, keys: set[str]) -> tuple[str, ...]:
    at = root.get("type")
    kind = text(at)
    if kind is None:
        return ()
    if kind in EVENTS:
        wanted = EVENTS[kind]
        return _pointers(at, root.get(wanted)) if wanted in keys else _pointers(at) if wanted is None else ()
    if kind in BLOCKS:
        has = [root.get(key) for key in BLOCKS[kind] if key in keys]
        return _pointers(at, *has) if has and "tool_call_id" not in keys and "toolUseId" not in keys else ()
    if kind == "message" and "content" in keys:
        if "stop_reason" in keys:
            return _pointers(at, root.get("stop_reason"))
        return _pointers(at, root.get("content")) if family(root) == ID else ()
    if kind == "error":
        # The other services that send such an event put a code or an event id beside it.
        inner = fields(root.get("error"))
        plain = keys <= {"type", "error", "request_id"} and {"type", "message"} == inner.keys()
        return _pointers(at, root.get("error")) if plain else ()
    if kind == "ping":
        return _pointers(at) if keys == {"type"} else ()
    if "input_schema" in keys and "name" in keys:
        return _pointers(root.get("input_schema"), root.get("name"))
    return ()


def _by_request(root: Cursor) -> tuple[str, ...]:
    messages = root.get("messages")
    found = deciding(messages)
    if found is not None:
        return _pointers(messages, found[1].get("content")) if found[0] == ID else ()
    for tool in objects(root.get("tools")):
        schema = tool.get("input_schema")
        if schema is not None:
            return _pointers(root.get("tools"), schema)
    return ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one event, block, message, request or declaration."""
    members = fields(root)
    kind = text(members.get("type"))
    frame = Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="event",
        direction="server",
        evidence=evidence,
        casing="snake",
        members=members,
    )
    if kind in EVENTS or kind in ("error", "ping"):
        return _event(frame, kind or "", members)
    if kind in BLOCKS:
        return _with_signals(told(frame, (), (_part(root),), (), is_history=False), (_part(root),), members)
    if "input_schema" in members:
        return told(frame, (), (), (_definition(root),), is_history=False)
    is_history = "messages" in members
    listed = objects(members["messages"]) if is_history else [root] if "role" in members else []
    messages = tuple(map(_message, listed))
    parts = [part for message in messages for part in message.parts]
    frame = told(frame, messages, parts, _tools(members.get("tools")), is_history=is_history)
    return _with_signals(frame, parts, members)


def _with_signals(frame: Frame, parts: Sequence[Part], members: dict[str, Cursor]) -> Frame:
    hosted = [
        HostedCall(part.at, text(part.at.get("id")), text(part.at.get("name")))
        for part in parts
        if text(part.at.get("type")) in HOSTED_CALLS
    ]
    ends = _stop(members.get("stop_reason"))
    starts = [TurnStart(frame.at, None)] if ends and frame.at is not None else []
    return replace(frame, signals=(*starts, *hosted, *ends))


def _message(at: Cursor) -> Message:
    content = at.get("content")
    said = content.string if content is not None else None
    if content is not None and said is not None:
        parts: tuple[Part, ...] = (Part(content, "text", text=said),)
    else:
        parts = tuple(map(_part, objects(content)))
    return Message(at, text(at.get("role")), parts)


def _part(block: Cursor) -> Part:
    """Read one content block."""
    kind = text(block.get("type")) or ""
    if kind == "tool_use":
        args = from_object(block.get("input"))
        return Part(block, "call", call=tool_call(block, block.get("id"), block.get("name"), args))
    if kind == "tool_result":
        said = block.get("content")
        failed = is_true(block.get("is_error"))
        answer = tool_response(block, block.get("tool_use_id"), said, payload(said), is_error=failed)
        return Part(block, "response", response=answer)
    if kind in HOSTED_CALLS or kind.endswith("_tool_result"):
        return Part(block, "server-tool")
    return Part(block, PARTS.get(kind, "unknown"), text=text(block.get("text") or block.get("thinking")))


def _event(frame: Frame, kind: str, members: dict[str, Cursor]) -> Frame:
    """Read one event of a stream; blocks are known by their index."""
    at = frame.at
    index = integer(members.get("index"))
    signals: tuple[Signal, ...] = ()
    said = "event"
    if at is None:
        return frame
    if kind == "message_start":
        signals = (TurnStart(at, None),)
    elif kind == "content_block_start":
        block = members["content_block"]
        id_at, name_at, input_at = block.get("id"), block.get("name"), block.get("input")
        if text(block.get("type")) == "tool_use":
            said = "call-start"
            start = CallStart(block, index, text(id_at), text(name_at), id_at, name_at, encoding="object")
            signals = (start,)
            if input_at is not None and len(input_at):  # some gateways tell the whole input at once
                whole = tool_call(block, id_at, name_at, from_object(input_at))
                frame = replace(frame, calls=(replace(whole, key=index),))
        elif text(block.get("type")) in HOSTED_CALLS:
            said = "call-hosted"
            signals = (HostedCall(block, text(id_at), text(name_at), index),)
    elif kind == "content_block_delta":
        piece = members["delta"].get("partial_json")
        if piece is not None and piece.is_string:
            said = "call-delta"
            signals = (Fragment(at, index, piece),)
    elif kind == "content_block_stop":
        signals = (CallEnd(at, index),)
    elif kind == "message_delta":
        signals = _stop(members["delta"].get("stop_reason"))
        said = "turn-end" if signals else "event"
    elif kind == "error":
        said = "error"
        signals = (ServerError(at, text(members["error"].get("type"))),)
    return replace(frame, kind=said, signals=signals, traits=frozenset({said}))


def _stop(at: Cursor | None) -> tuple[TurnEnd, ...]:
    reason = text(at)
    if at is None or reason is None:
        return ()
    return (TurnEnd(at, None, "incomplete" if reason in CUT else "completed"),)


def _tools(at: Cursor | None) -> tuple[ToolDefinition, ...]:
    # A tool without input_schema is one of the service's own.
    return tuple(_definition(tool) for tool in objects(at) if tool.get("input_schema") is not None)


def _definition(at: Cursor) -> ToolDefinition:
    return ToolDefinition(
        at=at,
        name=text(at.get("name")) or "",
        description=text(at.get("description")),
        behavior=None,
        parameters=at.get("input_schema"),
        result=None,
        gemini=False,
        dialect=ID,
    )


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools of a request, or the one that the frame is."""
    return (_definition(root),) if root.get("input_schema") is not None else _tools(root.get("tools"))


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out the one user message that holds the results of all calls of a turn."""
    blocks = ", ".join(
        f'{{"type": "tool_result", "tool_use_id": {quote(str(answer.id or ""))}, "content": {spoken(answer)}'
        + ("" if answer.error is None else ', "is_error": true')
        + "}"
        for answer in answers
    )
    return f'{{"role": "user", "content": [{blocks}]}}'


DIALECT = Dialect(
    id=ID,
    title="Anthropic Messages",
    words=Words("tool_use", "input", "tool_result"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    relate=untold,
    asks_and_ends=True,
    keys=frozenset({"type", "role", "messages", "tools", "input_schema"}),
)
