"""Amazon Nova Sonic: the events of a bidirectional speech stream, each `{"event": {<its name>: ...}}`.

An answer takes three events, joined by their contentName; only the first names the call.

Source: https://docs.aws.amazon.com/nova/latest/userguide/speech-tools.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.arguments import from_text
from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.wire import fields, objects, payload, spoken, text, tool_call, tool_response
from app.events import Frame, Open, Speech, ToolDefinition, TurnEnd
from app.json_text import JsonError, quote

ID = "nova-sonic"
WHO = {"USER": "user", "ASSISTANT": "model"}

CLIENT = frozenset(
    {
        "sessionStart",
        "promptStart",
        "textInput",
        "audioInput",
        "toolResult",
        "promptEnd",
        "sessionEnd",
    }
)
SERVER = frozenset({"completionStart", "textOutput", "audioOutput", "toolUse", "completionEnd", "usageEvent"})
EVENTS = CLIENT | SERVER | {"contentStart", "contentEnd"}
"""All events; content starts and ends on both sides."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise `event` with one known member, or a toolSpec whose schema is a string."""
    if not root.is_object:
        return ()
    event = root.get("event")
    if event is not None:
        keys = event.keys
        return (event.pointer, f"{event.pointer}/{keys[0]}") if len(keys) == 1 and keys[0] in EVENTS else ()
    if not {"toolSpec", "tools", "toolConfiguration"}.isdisjoint(root.keys):
        schema = next((at for spec in _specs(root) if (at := spec.at("/inputSchema/json")) is not None), None)
        if schema is not None and (schema.is_string or root.get("toolConfiguration") is not None):
            return (schema.pointer,)
    return ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one event. A toolResult alone does not say which call it answers; the session does."""
    event = root.get("event")
    name, at = next(iter(fields(event).items()), ("", root))
    frame = Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="event",
        direction="client" if name in CLIENT else "server" if name in SERVER else None,
        evidence=evidence,
        casing="camel",
        members=fields(event),
    )
    tools = declarations(root)
    if tools:
        return replace(
            frame,
            kind="declaration",
            direction="client",
            declarations=tools,
            replaces_tools=True,
            traits=frozenset({"declares"}),
        )
    if name == "toolUse":
        args = from_text(at.get("content"))
        called = tool_call(at, at.get("toolUseId"), at.get("toolName"), args)
        return replace(frame, kind="call", calls=(called,), traits=frozenset({"call"}))
    if name == "toolResult":
        said = at.get("content")
        answer = tool_response(at, None, said, payload(said), is_error=False)
        return replace(frame, kind="response", responses=(answer,), traits=frozenset({"response"}))
    if name == "contentStart" and _starts_answer(at) is not None:
        return replace(frame, direction="client", traits=frozenset({"answer-start"}))
    if name == "sessionStart":
        return replace(frame, signals=(Open(root),))
    if name == "completionEnd":
        return replace(
            frame, kind="turn-end", signals=(TurnEnd(at, text(at.get("completionId")), "completed"),)
        )
    return frame


def _starts_answer(at: Cursor) -> Cursor | None:
    """Return the id of the call that a content answers."""
    return at.at("/toolResultInputConfiguration/toolUseId")


def relate(frames: Sequence[Frame]) -> list[Frame]:
    """Give each toolResult the call that the contentStart of the same contentName names."""
    starts: dict[tuple[str | None, str | None], Cursor] = {}
    out = []
    for frame in frames:
        name, at = next(iter(frame.members.items()), ("", None))
        content = (
            (text(at.get("promptName")), text(at.get("contentName"))) if at is not None else (None, None)
        )
        if at is not None and name == "contentStart" and (id_at := _starts_answer(at)) is not None:
            starts[content] = id_at
        elif frame.responses and content in starts:
            id_at = starts[content]
            answers = tuple(replace(each, id=text(id_at), id_at=id_at) for each in frame.responses)
            frame = replace(frame, responses=answers)
        out.append(frame)
    return out


def heard(frame: Frame) -> list[Speech]:
    """Return the words of a text, which the service sends of both sides."""
    said = frame.members.get("textOutput")
    who = WHO.get(text(said.get("role")) or "") if said is not None else None
    words = text(said.get("content")) if said is not None else None
    if said is None or who is None or not words or words.lstrip().startswith("{"):
        return []  # a text in braces tells of an interruption
    return [Speech(who, words, text(said.get("contentId")))]


def _specs(root: Cursor) -> list[Cursor]:
    listed = root.at("/event/promptStart/toolConfiguration/tools") or root.at("/toolConfiguration/tools")
    found = [root.get("toolSpec")]
    found.extend(tool.get("toolSpec") for tool in objects(listed or root.get("tools")))
    return [spec for spec in found if spec is not None and spec.is_object]


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools of a promptStart, of a tool configuration, or the one that the frame is."""
    return tuple(_definition(spec) for spec in _specs(root))


def _definition(at: Cursor) -> ToolDefinition:
    return ToolDefinition(
        at=at,
        name=text(at.get("name")) or "",
        description=text(at.get("description")),
        behavior=None,
        parameters=_schema(at.at("/inputSchema/json")),
        result=None,
        gemini=False,
        dialect=ID,
    )


def _schema(at: Cursor | None) -> Cursor | None:
    """Read the schema out of its string; where it is none, the value as it stands is what is judged."""
    if at is None or at.string is None:
        return at
    try:
        return Cursor.of(at.string, input=at.input, frame=at.frame, base=at)
    except JsonError:
        return at


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Write three events per call as JSON Lines, joined by one contentName."""
    prompt = next((name for call in frame.calls if (name := text(call.at.get("promptName")))), "")
    return "\n".join(line for answer in answers for line in _events(answer, prompt))


def _events(answer: Answer, prompt: str) -> tuple[str, str, str]:
    # The wire has no error flag, so the content says it.
    said = spoken(answer) if answer.error is None else quote(f'{{"error": {answer.error.text}}}')
    of = f'"promptName": {quote(prompt)}, "contentName": {quote(f"result-{answer.id}")}'
    call = (
        f'"toolUseId": {quote(str(answer.id or ""))}, "type": "TEXT", '
        '"textInputConfiguration": {"mediaType": "text/plain"}'
    )
    return (
        f'{{"event": {{"contentStart": {{{of}, "interactive": false, "type": "TOOL", "role": "TOOL", '
        f'"toolResultInputConfiguration": {{{call}}}}}}}}}',
        f'{{"event": {{"toolResult": {{{of}, "content": {said}}}}}}}',
        f'{{"event": {{"contentEnd": {{{of}}}}}}}',
    )


DIALECT = Dialect(
    id=ID,
    title="Amazon Nova Sonic",
    words=Words("toolUse", "content", "toolResult"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    heard=heard,
    relate=relate,
    flags_errors=False,
    keys=frozenset({"event", "toolSpec", "tools", "toolConfiguration"}),
)
