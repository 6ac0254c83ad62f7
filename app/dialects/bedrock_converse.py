"""Bedrock Converse: requests, responses, messages, content blocks, and the events of ConverseStream.

Blocks are unions with one key and no type.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from __future__ import annotations

from collections.abc import Sequence

from app.arguments import from_object
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.wire import (
    BEDROCK,
    deciding,
    family,
    fields,
    integer,
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
    ToolDefinition,
    TurnEnd,
    TurnStart,
)
from app.json_text import quote

ID = BEDROCK

EVENTS = frozenset(
    {"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"}
)
ERRORS = frozenset(
    {
        "internalServerException",
        "modelStreamErrorException",
        "serviceUnavailableException",
        "throttlingException",
        "validationException",
    }
)
"""Events that end a stream with an error."""
HOSTED = "server_tool_use"
CUT = frozenset(
    {
        "content_filtered",
        "guardrail_intervened",
        "malformed_model_output",
        "malformed_tool_use",
        "max_tokens",
        "model_context_window_exceeded",
    }
)
"""Reasons to stop that leave the turn unfinished."""
PARTS = {
    "text": "text",
    "reasoningContent": "thought",
    "image": "media",
    "document": "media",
    "video": "media",
}
"""The kind of part that other content blocks are."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a response, an event, a message, a block, a request or a declaration by their own keys."""
    if not root.is_object:
        return ()
    keys = root.keys
    if "type" in keys:
        return ()
    if len(keys) == 1:
        return _single(root, keys[0])
    if "role" in keys and "content" in keys:
        return ("/role", "/content") if family(root) == ID else ()
    if "output" in keys:
        return _pointers(root.at("/output/message"), root.get("stopReason"))
    if "messages" in keys:
        found = deciding(root.get("messages"))
        if found is not None:
            return ("/messages", f"{found[1].pointer}/content") if found[0] == ID else ()
    if "toolConfig" in keys:
        return ("/toolConfig",) if root.at("/toolConfig/tools/0/toolSpec") else ()
    return ()


def _single(root: Cursor, key: str) -> tuple[str, ...]:
    only = root.get(key)
    if only is None or not (only.is_object or only.is_array):
        return ()
    if key in ("toolUse", "toolResult"):
        wanted = "toolUseId"
    elif key == "toolSpec":
        return _pointers(only) if not _is_text(only) else ()
    elif key in ("tools", "toolConfig"):
        tool = only.at("/0/toolSpec" if key == "tools" else "/tools/0/toolSpec")
        return _pointers(tool) if tool is not None and not _is_text(tool) else ()
    elif key == "messages":
        found = deciding(only)
        return _pointers(found[1].get("content")) if found is not None and found[0] == ID else ()
    elif key == "output":
        return _pointers(only.get("message"))
    elif key == "metadata":
        wanted = "metrics"
    elif key == "messageStart":
        wanted = "role"
    elif key == "messageStop":
        wanted = "stopReason"
    elif key in EVENTS:
        wanted = "contentBlockIndex"
    elif key in ERRORS:
        wanted = "message"
    else:
        return ()
    return _pointers(only, only.get(wanted)) if only.get(wanted) is not None else ()


def _is_text(spec: Cursor) -> bool:
    """Whether the schema of a toolSpec is a string, as Nova Sonic wants it."""
    schema = spec.at("/inputSchema/json")
    return schema is not None and schema.is_string


def _pointers(*found: Cursor | None) -> tuple[str, ...]:
    return tuple(at.pointer for at in found if at is not None)


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one response, event, message, block, request or declaration."""
    members = fields(root)
    only = next(iter(members)) if len(members) == 1 else ""
    if only in EVENTS or only in ERRORS:
        return _event(root, members, only, evidence)
    messages: tuple[Message, ...] = ()
    if only in ("toolUse", "toolResult"):
        parts: Sequence[Part] = (_part(root),)
    else:
        if "output" in members:
            listed = [at for at in (members["output"].get("message"),) if at is not None]
        elif "messages" in members:
            listed = objects(members["messages"])
        else:
            listed = [root] if "role" in members else []
        messages = tuple(map(_message, listed))
        parts = [part for message in messages for part in message.parts]
    ends = _stop(members.get("stopReason"))
    starts = (TurnStart(root, None),) if ends else ()
    return told(
        root,
        members,
        parts,
        dialect=ID,
        evidence=evidence,
        casing="camel",
        messages=messages,
        tools=_declared(members),
        signals=(*starts, *_hosted(parts), *ends),
    )


def _hosted(parts: Sequence[Part]) -> list[HostedCall]:
    asked = [part.at.get("toolUse") for part in parts if part.kind == "server-tool"]
    return [HostedCall(at, text(at.get("toolUseId")), text(at.get("name"))) for at in asked if at is not None]


def _message(at: Cursor) -> Message:
    return Message(at, text(at.get("role")), tuple(map(_part, objects(at.get("content")))))


def _part(block: Cursor) -> Part:
    """Read one content block, a union with one key."""
    at = next(iter(block), None)
    key = at.key if at is not None else None
    inside = fields(at)
    if at is None or key not in ("toolUse", "toolResult") or not at.is_object:
        return Part(block, PARTS.get(key or "", "unknown"), text=text(at) if key == "text" else None)
    id_at, kind = inside.get("toolUseId"), inside.get("type")
    if key == "toolUse":
        if text(kind) == HOSTED:
            return Part(block, "server-tool")
        args = from_object(inside.get("input"))
        call = tool_call(at, id_at, inside.get("name"), args)
        return Part(block, "call" if call.name is not None else "bad-call", call=call)
    if kind is not None:  # of a tool that the service ran itself
        return Part(block, "server-tool")
    said = inside.get("content")
    failed = text(inside.get("status")) == "error"
    answer = tool_response(at, id_at, said, payload(said), is_error=failed)
    return Part(block, "response", response=answer)


def _event(root: Cursor, members: dict[str, Cursor], key: str, evidence: tuple[str, ...]) -> Frame:
    """Read one event of a stream; blocks are known by their index."""
    at = members[key]
    index = integer(at.get("contentBlockIndex"))
    signals: tuple[Signal, ...] = ()
    kind = "event"
    if key == "messageStart":
        signals = (TurnStart(at, None),)
    elif key == "contentBlockStart":
        block = at.at("/start/toolUse")
        if block is not None:
            inside = fields(block)
            id_at, name_at = inside.get("toolUseId"), inside.get("name")
            if text(inside.get("type")) == HOSTED:
                kind, signals = "call-hosted", (HostedCall(block, text(id_at), text(name_at), index),)
            else:
                kind = "call-start"
                start = CallStart(block, index, text(id_at), text(name_at), id_at, name_at, encoding="object")
                signals = (start,)
    elif key == "contentBlockDelta":
        piece = at.at("/delta/toolUse/input")
        if piece is not None and piece.is_string:
            kind, signals = "call-delta", (Fragment(at, index, piece),)
    elif key == "contentBlockStop":
        signals = (CallEnd(at, index),)
    elif key == "messageStop":
        kind, signals = "turn-end", _stop(at.get("stopReason"))
    elif key in ERRORS:
        kind, signals = "error", (ServerError(at, key),)
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=kind,
        direction="server",
        evidence=evidence,
        casing="camel",
        members=members,
        traits=frozenset({kind}),
        signals=signals,
    )


def _stop(at: Cursor | None) -> tuple[TurnEnd, ...]:
    reason = text(at)
    if at is None or reason is None:
        return ()
    return (TurnEnd(at, None, "incomplete" if reason in CUT else "completed"),)


def _definition(at: Cursor) -> ToolDefinition:
    return ToolDefinition(
        at=at,
        name=text(at.get("name")) or "",
        description=text(at.get("description")),
        behavior=None,
        parameters=at.at("/inputSchema/json"),
        result=None,
        gemini=False,
        dialect=ID,
    )


def _declared(members: dict[str, Cursor]) -> tuple[ToolDefinition, ...]:
    config = members.get("toolConfig")
    listed = config.get("tools") if config is not None else members.get("tools")
    specs = [members.get("toolSpec"), *(tool.get("toolSpec") for tool in objects(listed))]
    return tuple(_definition(spec) for spec in specs if spec is not None and spec.is_object)


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools of a request, of a toolConfig, of a list of tools, or the one that the frame is."""
    return _declared(fields(root))


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out the user message with one toolResult per call; `json` takes only an object."""
    return f'{{"role": "user", "content": [{", ".join(map(_result, answers))}]}}'


def _result(answer: Answer) -> str:
    raw = answer.error or answer.result
    body = raw.text if raw is not None else "{}"
    block = f'{{"json": {body}}}' if body.startswith("{") else f'{{"text": {spoken(answer)}}}'
    status = "error" if answer.error is not None else "success"
    return (
        f'{{"toolResult": {{"toolUseId": {quote(str(answer.id or ""))}, '
        f'"content": [{block}], "status": "{status}"}}}}'
    )


DIALECT = Dialect(
    id=ID,
    title="Bedrock Converse",
    words=Words("toolUse", "input", "toolResult"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    asks_and_ends=True,
    keys=frozenset(
        {"output", "messages", "toolConfig", "role", "toolUse", "toolResult", "toolSpec", "tools"}
        | EVENTS
        | ERRORS
    ),
)
