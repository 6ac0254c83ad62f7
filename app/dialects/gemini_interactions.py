"""Gemini Interactions: steps, interactions, requests, and the events of a stream.

A step looks like an item of OpenAI's Responses; its call has `id` and an object of
arguments, its answer is a `function_result`. The rules of Gemini Live do not hold here.

Source: https://ai.google.dev/gemini-api/docs/interactions
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.arguments import from_object
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.wire import (
    REQUEST,
    fields,
    integer,
    is_true,
    objects,
    payload,
    text,
    tool_call,
    tool_response,
)
from app.events import (
    CallEnd,
    CallStart,
    Fragment,
    Frame,
    HostedCall,
    ServerError,
    Signal,
    ToolCall,
    ToolDefinition,
    ToolResponse,
    TurnEnd,
)
from app.json_text import quote

ID = "gemini-interactions"

CALL, RESULT = "function_call", "function_result"
EVENTS = ("interaction.", "step.", "content.")
STATUSES = {
    "completed": "completed",
    "requires_action": "completed",
    "cancelled": "cancelled",
    "failed": "failed",
    "incomplete": "incomplete",
    "budget_exceeded": "incomplete",
}
"""What a finished interaction says, and what that means for its turn."""
STEPS = ("steps", "outputs", "input")
"""Where steps stand: in an interaction, in an early one, in a request."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a step, an event, an interaction or a request by what only this API writes."""
    if not root.is_object:
        return ()
    keys = root.keys
    if "type" in keys:
        return _of_step(root)
    if "event_type" in keys:
        at = root.get("event_type")
        kind = (at.string or "") if at is not None else ""
        known = kind.startswith(EVENTS) or (kind == "error" and "error" in keys)
        return (at.pointer,) if at is not None and known else ()
    named = root.get("object")
    if named is not None and named.string == "interaction":
        return (named.pointer,)
    before = root.get("previous_interaction_id")
    found = () if before is None else (before.pointer,)
    for key in STEPS:
        for step in objects(root.get(key)) if key in keys else ():
            if len(evidence := _of_step(step)) > 1:
                return (*found, f"/{key}", *evidence)
    return found


def _of_step(step: Cursor) -> tuple[str, ...]:
    kind = text(step.get("type"))
    if kind not in (RESULT, CALL):
        return ()
    members = fields(step)
    wanted: tuple[str, ...]
    if kind == RESULT:
        wanted = ("type", "result", "call_id")
    elif kind == CALL and "call_id" not in members and "name" in members:
        args = members.get("arguments")
        if args is None or not args.is_object:
            return ()
        wanted = ("type", "arguments", "name", "id")
    else:
        return ()
    return tuple(members[key].pointer for key in wanted if key in members)


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one step, event, interaction or request."""
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
    if "event_type" in members:
        return _event(frame, root, members)
    if "type" in members:
        steps = [root]
    else:
        steps = [step for key in STEPS for step in objects(members.get(key))]
    calls, responses = _read(steps)
    tools = _tools(members.get("tools"))
    chained = text(members.get("previous_interaction_id")) is not None
    asks = "input" in members or chained
    if calls and responses:
        kind = "session"
    else:
        kind = "response" if responses else "call" if calls else "declaration" if tools else "turn"
    return replace(
        frame,
        kind=kind,
        direction="client" if responses or asks else "server",
        traits=frozenset(
            {
                kind,
                *(("declares",) if tools else ()),
                *((REQUEST,) if "input" in members else ()),
                *(("chained",) if chained else ()),
            }
        ),
        calls=tuple(calls),
        responses=tuple(responses),
        declarations=tools,
        replaces_tools=bool(tools),
        signals=_end(members.get("status")),
        continues=chained,
    )


def _read(steps: Sequence[Cursor]) -> tuple[list[ToolCall], list[ToolResponse]]:
    calls, responses = [], []
    for step in steps:
        kind, name_at = text(step.get("type")), step.get("name")
        if kind == CALL:
            calls.append(tool_call(step, step.get("id"), name_at, from_object(step.get("arguments"))))
        elif kind == RESULT:
            said = step.get("result")
            failed = is_true(step.get("is_error"))
            responses.append(
                tool_response(
                    step, step.get("call_id"), said, payload(said), is_error=failed, name_at=name_at
                )
            )
    return calls, responses


def _event(frame: Frame, root: Cursor, members: dict[str, Cursor]) -> Frame:
    """Read one event of a stream; a step is known by its index."""
    event = text(members.get("event_type")) or ""
    index = integer(members.get("index"))
    step, delta = members.get("step"), members.get("delta")
    kind = "event"
    signals: tuple[Signal, ...] = ()
    if event == "step.start" and step is not None and text(step.get("type")) == CALL:
        id_at, name_at = step.get("id"), step.get("name")
        kind = "call-start"
        signals = (CallStart(step, index, text(id_at), text(name_at), id_at, name_at, encoding="object"),)
    elif event == "step.delta" and delta is not None and text(delta.get("type")) == "arguments_delta":
        piece = delta.get("partial_arguments") or delta.get("arguments")
        kind = "call-delta"
        signals = (Fragment(root, index, piece),) if piece is not None and piece.is_string else ()
    elif event == "step.start" and step is not None:
        hosted = text(step.get("type")) or ""
        if hosted.endswith("_call"):  # of a search, of code: the service runs it
            kind, signals = "call-hosted", (HostedCall(step, text(step.get("id")), hosted, index),)
    elif event == "step.stop":
        signals = (CallEnd(root, index),)
    elif event == "content.delta" and delta is not None:
        calls, _ = _read([delta])  # the first version of the API sends a call as one delta
        if calls:
            return replace(frame, kind="call", calls=tuple(calls), traits=frozenset({"call"}))
    elif event in ("interaction.completed", "interaction.complete"):
        done = members.get("interaction")
        kind, signals = "turn-end", _end(done.get("status") if done is not None else None)
    elif event == "error":
        kind, signals = "error", (ServerError(root, text(members["error"].get("code"))),)
    return replace(frame, kind=kind, signals=signals, traits=frozenset({kind}))


def _end(at: Cursor | None) -> tuple[Signal, ...]:
    status = STATUSES.get(text(at) or "")
    return (TurnEnd(at, None, status),) if at is not None and status is not None else ()


def _tools(at: Cursor | None) -> tuple[ToolDefinition, ...]:
    return tuple(
        ToolDefinition(
            at=tool,
            name=text(tool.get("name")) or "",
            description=text(tool.get("description")),
            behavior=None,
            parameters=tool.get("parameters"),
            result=None,
            gemini=False,
            dialect=ID,
        )
        for tool in objects(at)
        if text(tool.get("type")) == "function"
    )


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the functions of a request."""
    return _tools(root.get("tools"))


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Write the steps that go under `input`: one function_result per call."""
    steps = [_step(answer) for answer in answers]
    return steps[0] if len(steps) == 1 else f"[{', '.join(steps)}]"


def _step(answer: Answer) -> str:
    raw = answer.error or answer.result
    failed = "" if answer.error is None else ', "is_error": true'
    return (
        f'{{"type": "{RESULT}", "call_id": {quote(str(answer.id or ""))}, '
        f'"name": {quote(answer.name or "")}, "result": {raw.text if raw is not None else "{}"}{failed}}}'
    )


DIALECT = Dialect(
    id=ID,
    title="Gemini Interactions",
    words=Words("function_call", "arguments", "function_result"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    asks_and_ends=True,
    keys=frozenset({"type", "event_type", "object", "previous_interaction_id", *STEPS}),
)
