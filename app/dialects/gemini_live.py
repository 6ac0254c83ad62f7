"""Gemini Live: the messages of BidiGenerateContent, as WebSocket JSON or as an SDK dump.

No message carries a type; the member that is present is the type. Proto JSON
takes camelCase and snake_case at each level, and the Python SDK mixes them.

Source: https://ai.google.dev/api/live
"""

from __future__ import annotations

from collections.abc import Sequence

from app.cursor import Cursor
from app.dialects import Answer, Dialect, Words
from app.dialects.gemini_parts import Reader, call, items, response, response_members
from app.dialects.gemini_schema import definitions, members
from app.events import Cancellation, Frame, Moment, Open, Speech, ToolCall, ToolDefinition, ToolResponse

ID = "gemini-live"

SERVER_MEMBERS = {
    "setupComplete": "setup-complete",
    "serverContent": "server-content",
    "toolCall": "call",
    "toolCallCancellation": "cancellation",
    "goAway": "go-away",
    "sessionResumptionUpdate": "session-resumption-update",
    "voiceActivity": "voice-activity",
    "voiceActivityDetectionSignal": "voice-activity-detection-signal",
}
CLIENT_MEMBERS = {
    "setup": "setup",
    "clientContent": "client-content",
    "realtimeInput": "realtime-input",
    "toolResponse": "response",
    "contextUpdate": "context-update",
}
BESIDE = {"usageMetadata": "usage-metadata"}
"""What may accompany any server message."""

PRIORITY = ("toolCall", "toolResponse", "toolCallCancellation")
"""Which member names the kind where several stand side by side."""

SCHEDULING = ("INTERRUPT", "WHEN_IDLE", "SILENT")


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a frame by its members, or a bare call, call list, answer or answer list."""
    if not root.is_object:
        return ()
    fields = members(root)
    known = [
        member.pointer
        for key, member in fields.items()
        if not member.is_null and (key in SERVER_MEMBERS or key in CLIENT_MEMBERS or key in BESIDE)
    ]
    if "candidates" in fields or "contents" in fields:
        return ()  # generateContent carries usageMetadata too
    if known:
        return tuple(known)
    bare = _bare_kind(fields)
    return () if bare is None else tuple(fields[key].pointer for key in bare[1])


def _bare_kind(fields: dict[str, Cursor]) -> tuple[str, tuple[str, ...]] | None:
    for key, kind in (
        ("functionCalls", "call"),
        ("functionResponses", "response"),
        ("functionResponse", "response"),
    ):
        if key in fields:
            return kind, (key,)
    if "name" in fields and "response" in fields and "parameters" not in fields:
        return "response", ("name", "response")
    if "name" in fields and "args" in fields:
        return "call", ("name", "args")
    return None


TOP_FIELDS = frozenset({*SERVER_MEMBERS, *CLIENT_MEMBERS, *BESIDE})
FIELDS = {
    "toolCall": frozenset({"functionCalls"}),
    "toolResponse": frozenset({"functionResponses", "scheduling"}),
    "toolCallCancellation": frozenset({"ids"}),
    "serverContent": frozenset(
        {
            "modelTurn",
            "generationComplete",
            "turnComplete",
            "interrupted",
            "groundingMetadata",
            "inputTranscription",
            "outputTranscription",
            "interimInputTranscription",
            "urlContextMetadata",
            "waitingForInput",
            "turnCompleteReason",
            "interactionStatus",
        }
    ),
}
"""The protocol's fields by object. New ones appear; unknown means a warning, never a refusal."""


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read one message."""
    reader = Reader()
    fields = reader.fields(root, None)
    present = {key: member for key, member in fields.items() if not member.is_null}
    server = [key for key in present if key in SERVER_MEMBERS]
    client = [key for key in present if key in CLIENT_MEMBERS]
    padded = _is_padded(fields)
    kind = _kind(present, server, client)
    direction = "server" if server and not client else "client" if client and not server else None
    calls_at = responses_at = None
    bare = None if server or client or any(key in BESIDE for key in present) else _bare_kind(present)
    if bare is None and not present.keys() & {*SERVER_MEMBERS, *CLIENT_MEMBERS, *BESIDE}:
        # A bare call may say args: null; a list that is null is none.
        bare = found if (found := _bare_kind(fields)) is not None and len(found[1]) == 2 else None
    if bare is not None:
        kind, keys = bare
        direction = "server" if kind == "call" else "client"
        entries = present[keys[0]] if len(keys) == 1 else root
        calls_at, responses_at = present.get("functionCalls"), present.get("functionResponses")
    else:
        entries = None
        reader.strange.extend(member for key, member in fields.items() if key not in TOP_FIELDS)
    inner = {key: reader.fields(present[key], FIELDS.get(key)) for key in (*server, *client)}
    if "toolCall" in inner:
        calls_at = inner["toolCall"].get("functionCalls")
    if "toolResponse" in inner:
        responses_at = inner["toolResponse"].get("functionResponses")
    calls = _calls(entries if bare and kind == "call" else calls_at, reader, padded)
    calls.extend(_content_calls(inner.get("serverContent", {}), reader, padded))
    padded = padded or any(call.args.encoding == "absent" and call.args.at is not None for call in calls)
    responses = _responses(entries if bare and kind == "response" else responses_at, reader)
    traits = {*present, kind}
    for trait, there in (
        ("declares", "setup" in present or "contextUpdate" in present),
        ("several", len(server) > 1 or len(client) > 1 or (server and client)),
        ("strange", reader.strange),
        ("twice", reader.twice),
        ("mixed", reader.casing == "mixed"),
        ("padded", padded),
    ):
        if there:
            traits.add(trait)
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind=kind,
        direction=direction,
        evidence=evidence,
        casing=reader.casing,
        members=present,
        traits=frozenset(traits),
        calls_at=calls_at,
        responses_at=responses_at,
        strange=tuple(reader.strange),
        twice=tuple(reader.twice),
        calls=tuple(calls),
        responses=tuple(responses),
        cancellations=_cancellations(present.get("toolCallCancellation"), inner),
        declarations=_declarations(present),
        signals=(Open(present["setup"]),) if "setup" in present else (),
        replaces_tools="setup" in present or "contextUpdate" in present,
        null_padded=padded,
    )


def _kind(present: dict[str, Cursor], server: list[str], client: list[str]) -> str:
    if server and client:
        return "unknown"  # two halves of a conversation in one object
    both = {**SERVER_MEMBERS, **CLIENT_MEMBERS}
    for key in (*PRIORITY, *server, *client):
        if key in present and (key in server or key in client):
            return both[key]
    return next((BESIDE[key] for key in present if key in BESIDE), "unknown")


def _is_padded(fields: dict[str, Cursor]) -> bool:
    """Tell a model_dump with its None fields from a wire message: optional fields stand there as null."""
    return any(member.is_null for key, member in fields.items() if key in TOP_FIELDS)


def _calls(at: Cursor | None, reader: Reader, padded: bool) -> list[ToolCall]:
    return [call(entry, reader, padded) for entry in items(at)]


def _content_calls(content: dict[str, Cursor], reader: Reader, padded: bool) -> list[ToolCall]:
    turn = content.get("modelTurn")
    parts = members(turn).get("parts") if turn is not None else None
    return [
        call(found, reader, padded, in_content=True)
        for part in items(parts)
        if (found := members(part).get("functionCall")) is not None and found.is_object
    ]


def _responses(at: Cursor | None, reader: Reader) -> list[ToolResponse]:
    return [response(entry, reader) for entry in items(at)]


def _cancellations(at: Cursor | None, inner: dict[str, dict[str, Cursor]]) -> tuple[Cancellation, ...]:
    if at is None:
        return ()
    ids_at = inner["toolCallCancellation"].get("ids")
    ids = (
        tuple(item.string for item in ids_at if item.string) if ids_at is not None and ids_at.is_array else ()
    )
    return (Cancellation(at=at, frame=at.frame, ids_at=ids_at, ids=ids),)


def _declarations(present: dict[str, Cursor]) -> tuple[ToolDefinition, ...]:
    if "setup" in present:
        return definitions(members(present["setup"]).get("tools"), ID)
    if "contextUpdate" in present:
        tools = members(present["contextUpdate"]).get("tools")
        inner = members(tools).get("tools") if tools is not None and tools.is_object else tools
        return definitions(inner, ID)
    return ()


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools that a setup or contextUpdate message declares."""
    return _declarations(members(root))


def heard(frame: Frame) -> list[Speech | Moment]:
    """Return what was said, word by word as it is transcribed, and how the turn goes."""
    found: list[Speech | Moment] = []
    content = frame.members.get("serverContent")
    if content is None or not content.is_object:
        return found
    fields = members(content)
    for field, who in (("inputTranscription", "user"), ("outputTranscription", "model")):
        if (said := fields.get(field)) is not None and said.is_object:
            text = members(said).get("text")
            if text is not None and text.string:
                found.append(Speech(who, text.string))
    for field, what in (("interrupted", "interrupted"), ("turnComplete", "turn end")):
        if (flag := fields.get(field)) is not None and flag.text == "true":
            found.append(Moment(what))
    return found


def write_answer(answers: Sequence[Answer], frame: Frame, scheduling_in_body: bool) -> str:
    """Lay out a toolResponse in the spelling of the call's own envelope."""
    entries = ["{" + response_members(answer, scheduling_in_body) + "}" for answer in answers]
    envelope, holder = "toolResponse", "functionResponses"
    asked = frame.members.get("toolCall")
    if asked is not None:
        if asked.key == "tool_call":
            envelope = "tool_response"
        inner = members(asked).get("functionCalls")
        if inner is not None and inner.key == "function_calls":
            holder = "function_responses"
    elif frame.casing == "snake":
        envelope, holder = "tool_response", "function_responses"
    return f'{{"{envelope}": {{"{holder}": [{", ".join(entries)}]}}}}'


DIALECT = Dialect(
    id=ID,
    title="Gemini Live",
    words=Words("toolCall", "args", "toolResponse"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    write=write_answer,
    genai=True,
    heard=heard,
    schedules=True,
    keys=frozenset(
        {*TOP_FIELDS, "functionCalls", "functionResponses", "functionResponse", "response", "args"}
    ),
    rank=10,
)
