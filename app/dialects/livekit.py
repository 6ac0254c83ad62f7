"""LiveKit Agents: its chat items, function calls and outputs among them, alone or in a chat context.

They look like items of OpenAI's APIs; the fields that only LiveKit writes tell them apart.

Source: https://docs.livekit.io/agents/build/tools/
"""

from __future__ import annotations

from collections.abc import Sequence

from app.arguments import from_text
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.wire import fields, is_true, objects, payload, spoken, text, tool_call, tool_response
from app.events import Frame
from app.json_text import quote

ID = "livekit"

CALL, OUTPUT, MESSAGE = "function_call", "function_call_output", "message"
OWN = {
    CALL: ("group_id", "extra"),
    OUTPUT: ("is_error", "reply_required"),
    MESSAGE: ("interrupted", "transcript_confidence", "metrics"),
}
"""Fields that no other API writes on such an item."""
BESIDE = {
    "agent_handoff": ("new_agent_id", "created_at"),
    "agent_config_update": ("created_at",),
}
"""The other items of a chat context, each with the fields that it must have."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise an item by LiveKit's own fields, or a chat context that holds one."""
    if not root.is_object:
        return ()
    keys = root.keys
    if "items" in keys:
        return next((found for item in objects(root.get("items")) if (found := _of_item(item))), ())
    return _of_item(root) if "type" in keys else ()


def _of_item(item: Cursor) -> tuple[str, ...]:
    kind = text(item.get("type")) or ""
    if (all_of := BESIDE.get(kind)) is not None:
        return ("/type", *(f"/{key}" for key in all_of)) if set(item.keys).issuperset(all_of) else ()
    own = OWN.get(kind)
    if own is None:
        return ()
    members = fields(item)
    common = "created_at" if kind == MESSAGE else "call_id"
    if common not in members or not any(key in members for key in own):
        return ()
    return tuple(
        members[key].pointer for key in ("type", "call_id", "name", "created_at", *own) if key in members
    )


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one item, or all items of a chat context."""
    members = fields(root)
    is_context = "items" in members
    calls, responses = [], []
    for item in objects(members["items"]) if is_context else [root]:
        kind, id_at, name_at = text(item.get("type")), item.get("call_id"), item.get("name")
        if kind == CALL:
            calls.append(tool_call(item, id_at, name_at, from_text(item.get("arguments"))))
        elif kind == OUTPUT:
            said = item.get("output")
            failed = is_true(item.get("is_error"))
            responses.append(
                tool_response(item, id_at, said, payload(said), is_error=failed, name_at=name_at)
            )
    kind = "session" if is_context else "call" if calls else "response" if responses else "event"
    if kind == "event" and text(members.get("type")) == MESSAGE:
        kind = "turn"
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=kind,
        evidence=evidence,
        casing="snake",
        members=members,
        traits=frozenset({kind}),
        calls=tuple(calls),
        responses=tuple(responses),
    )


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Write one function_call_output item per call, as JSON Lines."""
    return "\n".join(
        f'{{"type": "{OUTPUT}", "name": {quote(answer.name or "")}, '
        f'"call_id": {quote(str(answer.id or ""))}, '
        f'"output": {spoken(answer)}, "is_error": {"false" if answer.error is None else "true"}}}'
        for answer in answers
    )


DIALECT = Dialect(
    id=ID,
    title="LiveKit items",
    words=Words("function_call", "arguments", "function_call_output"),
    recognise=recognise,
    decode=decode,
    write=write_answer,
    keys=frozenset({"type", "items"}),
)
