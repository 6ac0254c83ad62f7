"""An agent run that waits for its tools: `required_action` and the outputs that are submitted to it.

Run APIs and agent frameworks hand calls over so, each with its own names for
the fields of a call. Args come as a text or as an object.

Source: https://platform.openai.com/docs/api-reference/runs/submitToolOutputs
"""

from __future__ import annotations

from collections.abc import Sequence

from app import arguments
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.openai_parts import output, spoken, string
from app.dialects.wire import fields, objects
from app.events import Frame, ToolCall, ToolResponse
from app.json_text import quote

ID = "agent-run"

ASKS = ("required_action", "required_actions", "requiredAction", "requiredActions")
ANSWERS = ("tool_outputs", "tool_output", "tool_results", "tool_result", "toolOutputs", "toolResults")
CALL_IDS = ("tool_call_id", "toolCallId", "call_id", "id")
NAMES = ("name", "tool_name", "toolName")
ARGS = ("arguments", "args", "input", "parameters")
OUTPUTS = ("output", "result", "content")


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a run by what it requires, or by what is submitted to it."""
    if not root.is_object:
        return ()
    found = [at for key in (*ASKS, *ANSWERS) if (at := root.get(key)) is not None and not at.is_null]
    found += [at for key in ("data", "run") if (at := _waiting(root.get(key))) is not None]
    return tuple(at.pointer for at in found if at.is_object or at.is_array)


def _waiting(run: Cursor | None) -> Cursor | None:
    """Return what the run in an event requires."""
    return (
        next((at for key in ASKS if (at := run.get(key)) is not None and at.is_object), None) if run else None
    )


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read the calls that are required and the outputs that are given."""
    calls: list[ToolCall] = []
    responses: list[ToolResponse] = []
    for holder in (root, *(at for key in ("data", "run") if (at := root.get(key)) is not None)):
        for key in ASKS:
            calls.extend(_call(at) for at in _entries(holder.get(key)))
        for key in ANSWERS:
            responses.extend(_response(at) for at in _listed(holder.get(key)))
    kind = "response" if responses else "call" if calls else "event"
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=kind,
        direction="client" if responses else "server",
        evidence=evidence,
        members=fields(root),
        traits=frozenset({kind}),
        calls=tuple(calls),
        responses=tuple(responses),
    )


def _listed(at: Cursor | None) -> list[Cursor]:
    return [] if at is None else [at] if at.is_object else objects(at)


def _entries(at: Cursor | None) -> list[Cursor]:
    """Return the calls of a required action: listed in it, below its type, or each an action of its own."""
    found = []
    for action in _listed(at):
        inner = action.get("submit_tool_outputs") or action.get("submitToolOutputs") or action
        calls = inner.get("tool_calls") or inner.get("toolCalls")
        one = action.get("tool_call") or action.get("toolCall") or action.get("function_call") or action
        found.extend(objects(calls) if calls is not None else [one])
    return found


def _first(at: Cursor, keys: Sequence[str]) -> Cursor | None:
    return next((found for key in keys if (found := at.get(key)) is not None), None)


def _call(at: Cursor) -> ToolCall:
    inner = at.get("function") or at
    id_at, name_at, args_at = _first(at, CALL_IDS), _first(inner, NAMES), _first(inner, ARGS)
    as_object = args_at is not None and args_at.is_object
    return ToolCall(
        at=at,
        frame=at.frame,
        id=string(id_at),
        name=string(name_at),
        id_at=id_at,
        name_at=name_at,
        args=arguments.from_object(args_at) if as_object else arguments.from_text(args_at),
    )


def _response(at: Cursor) -> ToolResponse:
    id_key, body_key = (
        next((key for key in keys if at.get(key) is not None), keys[0]) for keys in (CALL_IDS, OUTPUTS)
    )
    return output(at, id_key, body_key)


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out the outputs to submit to the run."""
    entries = [
        f'{{"tool_call_id": {quote(str(answer.id))}, "output": {spoken(answer)}}}' for answer in answers
    ]
    return f'{{"tool_outputs": [{", ".join(entries)}]}}'


DIALECT = Dialect(
    id=ID,
    title="Agent run",
    words=Words("required_action", "arguments", "tool_outputs"),
    recognise=recognise,
    decode=decode,
    write=write_answer,
    keys=frozenset({*ASKS, *ANSWERS, "data", "run"}),
    flags_errors=False,
    rank=45,
)
