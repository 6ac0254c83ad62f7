"""OpenAI Chat Completions: messages, requests, completions and the chunks of a stream.

Many gateways speak it too, so a message alone may be theirs. A plain message of
a user could stand in an Anthropic request as well; the frames around it say.

Source: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app import arguments
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.openai_parts import CHAT, definition, definitions, is_integer, output, spoken, string
from app.dialects.wire import fields, objects
from app.events import (
    CallStart,
    Finished,
    Fragment,
    Frame,
    Message,
    Part,
    ServerError,
    Signal,
    ToolCall,
    ToolDefinition,
    TurnEnd,
)
from app.json_text import quote

ID = CHAT
ANTHROPIC = "anthropic"

OBJECTS = frozenset({"chat.completion", "chat.completion.chunk"})
ROLES = frozenset({"user", "assistant", "system", "developer"})
SHARED_ROLES = frozenset({"user", "assistant"})
"""Roles whose plain messages look the same in other interfaces."""
BLOCKS = frozenset({"text", "image_url", "input_audio", "file", "refusal"})
CUT = frozenset({"length", "content_filter"})
"""Reasons to finish that leave the last call incomplete."""


STREAM_END = "[DONE]"
"""What ends a stream of chunks. It is no JSON, and read as a string where nothing else was pasted."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a message, a request, a completion, a chunk, a call or a tool."""
    if not root.is_object:
        return ("",) if root.string == STREAM_END else ()
    told = root.get("object")
    if told is not None and told.string in OBJECTS:
        return ("/object",)
    choices = objects(root.get("choices"))
    if choices and (choices[0].get("message") or choices[0].get("delta")):
        return ("/choices",)
    if root.get("choices") is not None and root.get("prompt_filter_results") is not None:
        return "/choices", "/prompt_filter_results"  # how Azure begins a stream, with nothing else filled in
    if string(root.get("type")) in ("function", "custom"):
        inner = root.get("function") or root.get("custom")
        return ("/type", inner.pointer) if inner is not None and inner.is_object else ()
    if root.get("type") is not None:
        return ()
    conversation = root.get("messages")
    if conversation is not None:
        return _request(root, conversation)
    return _message(root)


def _request(root: Cursor, conversation: Cursor) -> tuple[str, ...]:
    """Recognise a request by its first message or tool that no other interface has."""
    listed = objects(conversation)
    found = [_message(each) for each in listed]
    if any(len(each) > 2 or (each and not _shared(at)) for each, at in zip(found, listed, strict=True)):
        return ("/messages", *(("/tools",) if root.get("tools") is not None else ()))
    tool = next(iter(objects(root.get("tools"))), None)
    if tool is not None and tool.get("function") is not None:
        return "/messages", "/tools"
    return ("/messages",) if found and all(found) else ()


def _message(root: Cursor) -> tuple[str, ...]:
    role, content = string(root.get("role")), root.get("content")
    if role in ("tool", "function"):
        return tuple(f"/{key}" for key in ("role", "tool_call_id", "content") if root.get(key) is not None)
    if root.get("tool_call_id") is not None and content is not None:
        return "/tool_call_id", "/content"
    calls, legacy = root.get("tool_calls"), root.get("function_call")
    asked = calls if calls is not None and calls.is_array else legacy
    if asked is not None and not asked.is_null:
        return ("/role", asked.pointer, *(("/content",) if content is not None else ()))
    if role in ROLES and content is not None and _is_content(content):
        return "/role", "/content"
    return ()


def _is_content(content: Cursor) -> bool:
    if content.is_array:
        return all(string(block.get("type")) in BLOCKS for block in content)
    return content.is_string or content.is_null


def _shared(message: Cursor) -> bool:
    """Whether a message may stand in another interface's conversation as it is."""
    if string(message.get("role")) not in SHARED_ROLES or message.get("tool_calls") is not None:
        return False
    content = message.get("content")
    return content is not None and (
        content.is_string
        or (content.is_array and all(string(each.get("type")) == "text" for each in content))
    )


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one message, request, completion, chunk, call or tool."""
    if root.is_string:
        return Frame(
            root.frame, root, root.line, ID, "turn-end", "server", evidence, traits=frozenset({"turn-end"})
        )
    members = fields(root)
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
    if "choices" in members or "object" in members:
        return _completion(frame, members)
    if "messages" in members:
        return _conversation(frame, root, members)
    if "type" in members and ("function" in members or "custom" in members):
        if "id" in members or "arguments" in fields(members.get("function")):
            return replace(frame, kind="call", traits=frozenset({"call"}), calls=(_call(root),))
        return _declaring(replace(frame, direction="client"), root)
    message = _said(root)
    kind = "response" if message.responses else "call" if message.calls else "turn"
    plain = kind == "turn" and _shared(root)
    return replace(
        frame,
        kind=kind,
        direction="server" if message.role == "assistant" else "client",
        traits=frozenset({kind, *(("ambiguous",) if plain else ())}),
        rivals=(ANTHROPIC,) if plain else (),
        calls=message.calls,
        responses=message.responses,
        messages=(message,),
    )


def _declaring(frame: Frame, root: Cursor) -> Frame:
    declared = declarations(root)
    return replace(
        frame,
        kind="declaration" if frame.kind == "event" and declared else frame.kind,
        declarations=declared,
        replaces_tools=bool(declared),
        traits=frame.traits | {"declares"} if declared else frame.traits,
    )


def _conversation(frame: Frame, root: Cursor, members: dict[str, Cursor]) -> Frame:
    said = tuple(_said(at) for at in objects(members["messages"]))
    calls = tuple(call for each in said for call in each.calls)
    responses = tuple(response for each in said for response in each.responses)
    frame = replace(
        frame,
        kind="session" if calls or responses else "event",
        direction="client",
        traits=frozenset({"request"}),
        calls=calls,
        responses=responses,
        messages=said,
    )
    frame = _declaring(frame, root)
    return replace(frame, kind="turn") if frame.kind == "event" else frame


def _said(at: Cursor) -> Message:
    """Read one message with the calls it makes or the answer it gives."""
    inner = fields(at)
    role = string(inner.get("role"))
    if role in ("tool", "function") or (role is None and "tool_call_id" in inner):
        # The legacy answer has no id: the name says which call it is for.
        answer = replace(output(at, "tool_call_id", "content"), by_name=role == "function")
        return Message(at, role, (Part(at, "response", response=answer),))
    return Message(at, role, tuple(Part(each.at, "call", call=each) for each in _calls(inner)))


def _calls(message: dict[str, Cursor], finish: Cursor | None = None) -> list[ToolCall]:
    """Read the calls of a message; a finish for want of room cuts the last one."""
    calls = [_call(at) for at in objects(message.get("tool_calls"))]
    legacy = message.get("function_call")
    if legacy is not None and legacy.is_object:
        calls.append(_function(legacy, legacy, None))
    if calls and finish is not None and finish.string in CUT:
        calls[-1] = replace(calls[-1], incomplete=finish)
    return calls


def _call(at: Cursor) -> ToolCall:
    return _function(at, at.get("function") or at.get("custom") or at, at.get("id"))


def _function(at: Cursor, inner: Cursor, id_at: Cursor | None) -> ToolCall:
    name_at = inner.get("name")
    args = (
        arguments.from_plain_text(inner.get("input"))
        if inner.key == "custom"
        else arguments.from_text(inner.get("arguments"))
    )
    return ToolCall(
        at=at,
        frame=at.frame,
        id=string(id_at),
        name=string(name_at),
        id_at=id_at,
        name_at=name_at,
        args=args,
        deferred=frozenset({"id"}) if inner is at else frozenset(),  # the legacy call has none
    )


def _completion(frame: Frame, members: dict[str, Cursor]) -> Frame:
    """Read a completion, or one chunk of a stream."""
    turn = string(members.get("id"))
    calls: list[ToolCall] = []
    signals: list[Signal] = []
    kinds: set[str] = set()
    for choice in objects(members.get("choices")):
        inner = fields(choice)
        finish = inner.get("finish_reason")
        reason = string(finish)
        delta, message = inner.get("delta"), inner.get("message")
        if message is not None:
            calls.extend(_calls(fields(message), finish))
            kinds.add("call" if calls else "turn")
        elif delta is not None:
            place = inner.get("index")
            pieces = _pieces(delta, place.text if place is not None else "0", turn)
            signals.extend(pieces)
            if pieces:
                kinds.add("call-delta")
        if reason is not None:
            kinds.add("turn-end")
            signals.append(TurnEnd(choice, turn, "incomplete" if reason in CUT else "completed"))
    error = members.get("error")
    if error is not None and error.is_object:
        kinds.add("error")
        signals.append(ServerError(error, string(error.get("code"))))
    kind = next(
        (each for each in ("error", "call", "call-delta", "turn", "turn-end") if each in kinds), "event"
    )
    return replace(frame, kind=kind, traits=frozenset({kind}), calls=tuple(calls), signals=tuple(signals))


def finished(frame: Frame) -> Finished | None:
    """Read the finished turn that a completion is."""
    choices = objects(frame.members.get("choices"))
    message = choices[0].get("message") if choices else None
    if message is None:
        return None
    reason = string(choices[0].get("finish_reason"))
    parts = [
        Part(at, kind, at.string)
        for key, kind in (("content", "text"), ("refusal", "unknown"))
        if (at := message.get(key)) is not None and at.string
    ]
    calls = (Part(each.at, "call", call=each) for each in frame.calls)
    complete = reason in ("stop", "tool_calls", "function_call")
    return Finished(
        status="completed" if complete else "incomplete",
        finish=reason,
        parts=(*parts, *calls),
        content=message.raw,
        candidates=len(choices),
    )


def _pieces(delta: Cursor, choice: str, turn: str | None) -> list[Signal]:
    """Read what a chunk tells of calls. Only the first fragment of a call bears its id and name."""
    out: list[Signal] = []
    for at in objects(delta.get("tool_calls")):
        index = at.get("index")
        key = f"{choice}/{index.text}" if index is not None and is_integer(index) else None
        inner = at.get("function") or at.get("custom")
        id_at, name_at = at.get("id"), inner.get("name") if inner is not None else None
        if string(id_at) or string(name_at):
            encoding = "free-text" if at.get("custom") is not None else "json-string"
            out.append(CallStart(at, key, string(id_at), string(name_at), id_at, name_at, turn, encoding))
        text = inner.get("arguments") or inner.get("input") if inner is not None else None
        if text is not None and text.is_string:
            out.append(Fragment(at, key, text, turn))
    return out


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools that a request, or a bare tool, declares."""
    if root.get("function") is not None or root.get("custom") is not None:
        return (definition(root, ID),)
    return (*definitions(root.get("tools"), ID), *definitions(root.get("functions"), ID))


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out the messages to append: one of the role tool per call."""
    entries = [
        f'{{"role": "tool", "tool_call_id": {quote(str(answer.id))}, "content": {spoken(answer)}}}'
        if answer.id is not None
        else f'{{"role": "function", "name": {quote(answer.name or "")}, "content": {spoken(answer)}}}'
        for answer in answers
    ]
    return entries[0] if len(entries) == 1 else f"[{', '.join(entries)}]"


DIALECT = Dialect(
    id=ID,
    title="OpenAI Chat Completions",
    words=Words("tool_calls", "arguments", "tool message"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    finished=finished,
    keys=frozenset(
        {
            "function",
            "custom",
            "object",
            "choices",
            "messages",
            "role",
            "tool_call_id",
            "tool_calls",
            "function_call",
        }
    ),
    flags_errors=False,
    asks_and_ends=True,
    rank=40,
)
