"""Gemini generateContent: response bodies, chunks of their stream, requests, and single contents.

A response has no type; the members tell. What a body says (a tool request, an
answer, neither) is not decided here: see `turns`.

Source: https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

from collections.abc import Sequence

from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.gemini_parts import Reader, call, items, response, response_members
from app.dialects.gemini_schema import definitions, members
from app.events import Frame, Message, Part, Piece, ToolDefinition

ID = "gemini-generate"

BODY = ("candidates", "promptFeedback", "modelVersion", "responseId", "modelStatus")
DATA = frozenset(
    {
        "text",
        "functionCall",
        "functionResponse",
        "toolCall",
        "toolResponse",
        "executableCode",
        "codeExecutionResult",
        "inlineData",
        "fileData",
    }
)
REQUEST = (
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
)
ROLES = ("user", "model")
METADATA = frozenset(
    {
        "thought",
        "thoughtSignature",
        "partMetadata",
        "videoMetadata",
        "mediaResolution",
        "mediaProcessing",
        "audioTranscription",
        "speechMetadata",
        "documentMetadata",
        "spreadsheetMetadata",
        "audioMetadata",
    }
)
"""What may stand beside the data of a part and does not count."""


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a response body or a request by its members, an error body, or one content."""
    if not root.is_object or "type" in root.keys:
        return ()  # no message of this protocol says its type; others have a response_id too
    fields = {key: member for key, member in members(root).items() if not member.is_null}
    found = [fields[key].pointer for key in BODY if key in fields]
    if found:
        return tuple(found + [fields[key].pointer for key in ("usageMetadata",) if key in fields])
    if "contents" in fields:
        return tuple(fields[key].pointer for key in REQUEST if key in fields)
    error = fields.get("error")
    if error is not None and {"code", "message", "status"} <= members(error).keys():
        return (error.pointer,)
    parts = fields.get("parts")
    if any({"functionCall", "functionResponse"} & members(part).keys() for part in items(parts)):
        return (fields["parts"].pointer,)
    role = fields.get("role")
    if role is not None and role.string in ROLES and any("text" in members(part) for part in items(parts)):
        return role.pointer, fields["parts"].pointer
    return ()


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one body, one chunk, or one content."""
    reader = Reader()
    fields = {key: member for key, member in reader.fields(root, None).items() if not member.is_null}
    if "parts" in fields:
        return _content_frame(root, fields, reader, evidence)
    if "contents" in fields and not any(key in fields for key in BODY):
        return _request(root, fields, reader, evidence)
    candidates = fields.get("candidates")
    listed = items(candidates)
    first = reader.fields(listed[0], None) if listed else {}
    content = first.get("content")
    parts = _parts(content, reader)
    feedback = fields.get("promptFeedback")
    piece = Piece(
        candidates=len(listed),
        candidates_at=candidates or root,
        error=fields.get("error"),
        blocked=members(feedback).get("blockReason") if feedback is not None else None,
        finish=_unless_null(first.get("finishReason")),
        content=content,
        parts=parts,
    )
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="turn",
        direction="server",
        evidence=evidence,
        casing=reader.casing,
        members=fields,
        twice=tuple(reader.twice),
        traits=frozenset({"turn", *(("twice",) if reader.twice else ())}),
        calls=tuple(part.call for part in parts if part.call is not None),
        piece=piece,
    )


def _unless_null(at: Cursor | None) -> Cursor | None:
    return None if at is None or at.is_null else at


def _content_frame(
    root: Cursor, fields: dict[str, Cursor], reader: Reader, evidence: tuple[str, ...]
) -> Frame:
    """Read a bare content: the model's calls, the answers to them, or what either side says."""
    message = _message(root, reader)
    by_model = message.role == "model"
    kind = "server-content" if by_model else "client-content"
    if message.calls or message.responses:
        kind = "response" if message.responses else "call"
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=kind,
        direction="server" if kind in ("call", "server-content") else "client",
        evidence=evidence,
        casing=reader.casing,
        members=fields,
        twice=tuple(reader.twice),
        strange=tuple(reader.strange),
        traits=frozenset({kind, *(("twice",) if reader.twice else ())}),
        calls=message.calls,
        responses=message.responses,
        messages=(message,),
    )


def _request(root: Cursor, fields: dict[str, Cursor], reader: Reader, evidence: tuple[str, ...]) -> Frame:
    """Read the body of a request: the conversation so far, and the tools of the next turn."""
    messages = tuple(_message(content, reader) for content in items(fields["contents"]))
    traits = {"history", *(key for key in REQUEST if key in fields)}
    if reader.twice:
        traits.add("twice")
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="history",
        direction="client",
        evidence=evidence,
        casing=reader.casing,
        members=fields,
        twice=tuple(reader.twice),
        strange=tuple(reader.strange),
        traits=frozenset(traits),
        calls=tuple(call for message in messages for call in message.calls),
        responses=tuple(response for message in messages for response in message.responses),
        declarations=declarations(root),
        replaces_tools="tools" in fields,
        messages=messages,
    )


def _message(at: Cursor, reader: Reader) -> Message:
    role = members(at).get("role")
    return Message(at, role.string if role is not None else None, _parts(at, reader))


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools that a request declares."""
    return definitions(members(root).get("tools"), ID)


def _parts(content: Cursor | None, reader: Reader) -> tuple[Part, ...]:
    if content is None or not content.is_object:
        return ()
    parts = reader.fields(content, None).get("parts")
    if parts is None or parts.is_null:
        return ()
    return tuple(_part(part, reader) for part in (parts if parts.is_array else [parts]))


def _part(at: Cursor, reader: Reader) -> Part:
    fields = {key: member for key, member in reader.fields(at, None).items() if not member.is_null}
    data = tuple(key for key in fields if key in DATA or key not in METADATA)
    asked, answered = fields.get("functionCall"), fields.get("functionResponse")
    if asked is not None:
        return _call_part(at, asked, reader, data)
    if answered is not None and answered.is_object:
        return Part(at, "response", fields=data, response=response(answered, reader))
    if any(key not in DATA for key in data):
        return Part(at, "unknown", fields=data)
    for key, kind in (("toolCall", "server-tool"), ("toolResponse", "server-tool")):
        if key in fields:
            typed = "toolType" in members(fields[key])
            return Part(at, kind if typed else "unknown", fields=data)
    if "executableCode" in fields or "codeExecutionResult" in fields:
        return Part(at, "server-code", fields=data)
    if "inlineData" in fields or "fileData" in fields:
        return Part(at, "media", fields=data)
    text = fields.get("text")
    if text is not None and data == ("text",) and text.is_string:
        thought = fields.get("thought")
        kind = "thought" if thought is not None and thought.text == "true" else "text"
        return Part(at, kind, text=text.string, fields=data)
    if not data and "thoughtSignature" in fields:
        return Part(at, "signature")
    return Part(at, "unknown", fields=data)


def _call_part(at: Cursor, asked: Cursor, reader: Reader, data: tuple[str, ...]) -> Part:
    text = members(at).get("text")
    said = text.string if text is not None and text.is_string else None
    if not asked.is_object:
        return Part(at, "bad-call", text=said, fields=data)
    found = call(asked, reader, False)
    is_fragment = found.partial is not None or not asked.keys or "partialArgs" in members(asked)
    kind = "fragment" if is_fragment else "call" if found.name is not None else "bad-call"
    return Part(at, kind, text=said, call=found, fields=data)


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out the content to append: one functionResponse part per call."""
    key = "function_response" if frame.casing == "snake" else "functionResponse"
    entries = [response_members(answer, scheduling_in_body) for answer in answers]
    parts = ", ".join(f'{{"{key}": {{{entry}}}}}' for entry in entries)
    return f'{{"role": "user", "parts": [{parts}]}}'


DIALECT = Dialect(
    id=ID,
    title="generateContent",
    words=Words("functionCall", "args", "functionResponse"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    pairs_by_id=False,
    counts_answers=True,
    asks_and_ends=True,
)
