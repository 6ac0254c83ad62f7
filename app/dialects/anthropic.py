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
    ToolCall,
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
REQUIRED = ("/messages", "/system", "/max_tokens")
"""What together makes a request of this API, even without a tool in it."""
CUT = frozenset({"max_tokens", "model_context_window_exceeded", "refusal"})
"""Reasons to stop that leave a turn unfinished."""
PARTS = {
    "text": "text",
    "thinking": "thought",
    "redacted_thinking": "thought",
    "image": "media",
    "document": "media",
}
"""The kind of part that other content blocks are."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise an event, a block, a message, a request or a declaration by what only this API writes."""
    if not root.is_object:
        return ()
    keys = root.keys
    if "type" in keys:
        return _by_type(root, keys)
    if "messages" in keys or "tools" in keys:
        return _by_request(root)
    if "role" in keys and "content" in keys:
        return ("/role", "/content") if family(root) == ID else ()
    return ("/input_schema", "/name") if "input_schema" in keys and "name" in keys else ()


def _by_type(root: Cursor, keys: list[str]) -> tuple[str, ...]:
    kind = text(root.get("type")) or ""
    if kind in EVENTS:
        wanted = EVENTS[kind]
        return ("/type",) if wanted is None else ("/type", f"/{wanted}") if wanted in keys else ()
    if kind in BLOCKS:
        has = [f"/{key}" for key in BLOCKS[kind] if key in keys]
        return ("/type", *has) if has and "tool_call_id" not in keys and "toolUseId" not in keys else ()
    if kind == "message" and "content" in keys:
        if "stop_reason" in keys:
            return "/type", "/stop_reason"
        return ("/type", "/content") if family(root) == ID else ()
    if kind == "error":
        # The other services that send such an event put a code or an event id beside it.
        inner = root.get("error")
        plain = inner is not None and {"type", "message"} == set(inner.keys)
        return ("/type", "/error") if plain and {"type", "error", "request_id"}.issuperset(keys) else ()
    if kind == "ping":
        return ("/type",) if len(keys) == 1 else ()
    return ("/input_schema", "/name") if "input_schema" in keys and "name" in keys else ()


def _by_request(root: Cursor) -> tuple[str, ...]:
    messages = root.get("messages")
    found = deciding(messages)
    if found is not None:
        return ("/messages", f"{found[1].pointer}/content") if found[0] == ID else ()
    for tool in objects(root.get("tools")):
        if "input_schema" in tool.keys:
            return "/tools", f"{tool.pointer}/input_schema"
    # Others take the system's words as a message, and have no need of a limit.
    return REQUIRED if messages is not None and {"system", "max_tokens"}.issubset(root.keys) else ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one event, block, message, request or declaration."""
    members = fields(root)
    kind = text(members.get("type")) or ""
    if kind in EVENTS or kind in ("error", "ping"):
        return _event(root, members, kind, evidence)
    tools: tuple[ToolDefinition, ...] = ()
    messages: tuple[Message, ...] = ()
    parts: Sequence[Part] = ()
    if kind in BLOCKS:
        parts = (_part(root),)
    elif "input_schema" in members:
        tools = (_definition(root),)
    else:
        listed = objects(members["messages"]) if "messages" in members else [root]
        messages = tuple(_message(each) for each in listed if each.get("role") is not None)
        parts = [part for message in messages for part in message.parts]
        tools = _tools(members.get("tools"))
    ends = _stop(members.get("stop_reason"))
    starts = (TurnStart(root, None),) if ends else ()
    return told(
        root,
        members,
        parts,
        dialect=ID,
        evidence=evidence,
        casing="snake",
        messages=messages,
        tools=tools,
        signals=(*starts, *_hosted(parts), *ends),
    )


def _hosted(parts: Sequence[Part]) -> list[HostedCall]:
    return [
        HostedCall(part.at, text(part.at.get("id")), text(part.at.get("name")))
        for part in parts
        if part.kind == "server-tool" and text(part.at.get("type")) in HOSTED_CALLS
    ]


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
    members = fields(block)
    kind = text(members.get("type")) or ""
    if kind == "tool_use":
        args = from_object(members.get("input"))
        call = tool_call(block, members.get("id"), members.get("name"), args)
        return Part(block, "call" if call.name is not None else "bad-call", call=call)
    if kind == "tool_result":
        said = members.get("content")
        failed = is_true(members.get("is_error"))
        answer = tool_response(block, members.get("tool_use_id"), said, payload(said), is_error=failed)
        return Part(block, "response", response=answer)
    if kind in HOSTED_CALLS or kind.endswith("_tool_result"):
        return Part(block, "server-tool")
    said = members.get("text") or members.get("thinking")
    return Part(block, PARTS.get(kind, "unknown"), text=text(said))


def _event(root: Cursor, members: dict[str, Cursor], kind: str, evidence: tuple[str, ...]) -> Frame:
    """Read one event of a stream; blocks are known by their index."""
    index = integer(members.get("index"))
    signals: tuple[Signal, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    said = "event"
    if kind == "message_start":
        signals = (TurnStart(root, None),)
    elif kind == "content_block_start":
        block = members["content_block"]
        inside = fields(block)
        id_at, name_at, input_at = inside.get("id"), inside.get("name"), inside.get("input")
        of = text(inside.get("type"))
        if of == "tool_use":
            said = "call-start"
            start = CallStart(block, index, text(id_at), text(name_at), id_at, name_at, encoding="object")
            signals = (start,)
            if input_at is not None and len(input_at):  # some gateways tell the whole input at once
                calls = (replace(tool_call(block, id_at, name_at, from_object(input_at)), key=index),)
                signals = ()
        elif of in HOSTED_CALLS:
            said = "call-hosted"
            signals = (HostedCall(block, text(id_at), text(name_at), index),)
    elif kind == "content_block_delta":
        piece = members["delta"].get("partial_json")
        if piece is not None and piece.is_string:
            said = "call-delta"
            signals = (Fragment(root, index, piece),) if piece.string else ()
    elif kind == "content_block_stop":
        signals = (CallEnd(root, index),)
    elif kind == "message_delta":
        signals = _stop(members["delta"].get("stop_reason"))
        said = "turn-end" if signals else "event"
    elif kind == "error":
        said = "error"
        signals = (ServerError(root, text(members["error"].get("type"))),)
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=said,
        direction="server",
        evidence=evidence,
        casing="snake",
        members=members,
        traits=frozenset({said}),
        calls=calls,
        signals=signals,
    )


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
    asks_and_ends=True,
    keys=frozenset({"type", "role", "messages", "tools", "input_schema"}),
)
