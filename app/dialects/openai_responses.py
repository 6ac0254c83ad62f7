"""OpenAI Responses: requests and responses, their items, and the events of a stream or of WebSocket mode.

Source: https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.openai_parts import (
    EVENTS,
    FLAT,
    RESPONSES,
    Read,
    bare_item,
    definition,
    definitions,
    event,
    finished,
    interface,
    item,
    messages,
    spoken,
    string,
    turn_of,
)
from app.dialects.wire import fields, objects
from app.events import FollowUp, Frame, ServerError, ToolDefinition
from app.json_text import quote

ID = RESPONSES

ITEMS = frozenset({"custom_tool_call", "custom_tool_call_output"})
"""Items that no other interface has."""
CUSTOM = frozenset({"custom_tool_call", "response.custom_tool_call_input.done"})
KEPT = ("previous_response_id", "conversation")
"""Members of a request that name a conversation which the service keeps."""
REFERENCE = "item_reference"
"""An item of a request that names one which the service keeps."""
DEFERRED = frozenset({"id", "name"})
"""What the end of streamed args leaves to the item that was announced."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise an event, an item, a request, a response or a tool."""
    if not root.is_object:
        return ()
    found = interface(root)
    if found is not None:
        return found[1] if found[0] == ID else ()
    kind, told = string(root.get("type")), root.get("object")
    if kind is None:
        if told is not None and told.string == "response":
            return ("/object",)
        return _request(root)
    if kind in ITEMS:
        return tuple(f"/{key}" for key in ("type", "call_id") if root.get(key) is not None)
    keys = bare_item(root)
    if not keys or (told is not None and told.string == "realtime.item"):
        return ()
    return tuple(at.pointer for at in (*keys, *_marks(root)))


def _marks(root: Cursor) -> list[Cursor]:
    """Return what only this interface writes into an item."""
    item_id, output, namespace = root.get("id"), root.get("output"), root.get("namespace")
    marks = []
    if item_id is not None and (item_id.string or "").startswith("fc"):
        marks.append(item_id)
    if output is not None and output.is_array:
        marks.append(output)
    if namespace is not None:
        marks.append(namespace)
    return marks


def _request(root: Cursor) -> tuple[str, ...]:
    given = root.get("input")
    if given is None or root.get("previous_interaction_id") is not None:
        return ()
    beside = [at.pointer for key in FLAT if key != "input" and (at := root.get(key)) is not None]
    # {model, input} with a text is what embeddings and speech take as well.
    said = bool(objects(given)) or any(pointer != "/model" for pointer in beside)
    return (given.pointer, *beside) if beside and said else ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one event, item, request, response or tool."""
    members = fields(root)
    kind = string(members.get("type"))
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
    if kind == "response.create" or (kind is None and "input" in members):
        return _asking(frame, root, members)
    said, calls, responses, signals = _read(kind, root, members)
    declared = declarations(root)
    return replace(
        frame,
        kind="declaration" if declared else said,
        direction="client" if responses or declared else "server",
        traits=frozenset({said, *([kind] if kind else [])}),
        calls=calls,
        responses=responses,
        signals=signals,
        declarations=declared,
        replaces_tools=bool(declared),
    )


def _asking(frame: Frame, root: Cursor, members: dict[str, Cursor]) -> Frame:
    """Read a request, as a body or as the `response.create` of WebSocket mode."""
    said = messages(objects(members.get("input")))
    calls = tuple(call for each in said for call in each.calls)
    responses = tuple(response for each in said for response in each.responses)
    declared = declarations(root)
    asks = string(members.get("type")) == "response.create"
    kind = "followup" if asks else "session" if calls or responses else "declaration" if declared else "turn"
    kept = [members.get(key) for key in KEPT]
    chained = any(at is not None and not at.is_null for at in kept)
    return replace(
        frame,
        kind=kind,
        direction="client",
        traits=frozenset({kind, "request", *(("chained",) if chained else ())}),
        calls=calls,
        responses=responses,
        signals=(FollowUp(root, event_id=string(members.get("event_id"))),) if asks else (),
        messages=said,
        continues=chained,
        points_back=any(string(at.get("type")) == REFERENCE for at in objects(members.get("input"))),
        declarations=declared,
        replaces_tools=bool(declared),
    )


def _read(kind: str | None, root: Cursor, members: dict[str, Cursor]) -> Read:
    if kind is None:
        _, calls, responses, signals = finished(root)
        return "call" if calls else "turn", calls, responses, signals
    if kind == "error":
        return "error", (), (), (ServerError(root, string(members.get("code"))),)
    if not kind.startswith(EVENTS):
        return item(root, None)
    found = event(kind, root)
    if found is None:
        return "event", (), (), ()
    said, calls, responses, signals = found
    if kind.endswith(("arguments.done", "input.done")):
        calls = tuple(replace(each, deferred=DEFERRED) for each in calls)
    return said, calls, responses, signals


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools that a request, or a bare tool, declares."""
    if string(root.get("type")) == "function":
        return (definition(root, ID),)
    return definitions(root.get("tools"), ID) if root.get("object") is None else ()


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out the items to append to the input: one output per call."""
    custom = {call.id for call in frame.calls if string(call.at.get("type")) in CUSTOM}
    outputs = [
        f'{{"type": "{"custom_tool_call" if answer.id in custom else "function_call"}_output", '
        f'"call_id": {quote(str(answer.id))}, "output": {spoken(answer)}}}'
        for answer in answers
    ]
    return outputs[0] if len(outputs) == 1 else f"[{', '.join(outputs)}]"


DIALECT = Dialect(
    id=ID,
    title="OpenAI Responses",
    words=Words("function_call", "arguments", "function_call_output"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    finished=turn_of,
    keys=frozenset(
        {"sequence_number", "response", "object", "call_id", "name", "arguments", "output", *FLAT}
    ),
    events=EVENTS,
    flags_errors=False,
    asks_and_ends=True,
    rank=41,
)
