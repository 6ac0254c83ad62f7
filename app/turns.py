"""Model turns: the chunks of a stream joined, and what a finished turn is.

A turn is a tool request, an answer candidate, not complete, in need of review,
or an API error. The first thing that speaks against it decides; these five
words are ours. Whether the task is done is for the application to say.

Source of the order of checks: the generateContent reference,
https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app import dialects
from app.cursor import Cursor
from app.events import Args, Finished, Frame, Message, Open, Part, Piece, ServerError, ToolCall, TurnEnd
from app.json_text import write
from app.model import Raw

UNSUPPORTED = frozenset({"media", "response", "unknown"})
ASIDE = frozenset({"server-tool", "server-code", "signature", "thought"})
"""Parts that are neither a call nor an answer, and harmless beside one."""

INCOMPLETE = frozenset({"not-complete", "needs-review", "api-error"})
"""Kinds of a turn of which nothing may be run."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished model turn, or as much of it as there is.

    `frames` are the frames that carry it. `reason` says why it is no tool
    request and no answer: candidate-count, bad-call, unsupported-part,
    empty-content, call-partial; None where `finish_reason` or the error says it.
    """

    frames: tuple[Frame, ...]
    kind: str
    reason: str | None
    finish_reason: str | None
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...]
    text: str
    thoughts: str
    model_content: Raw | None
    open_call: ToolCall | None = None

    @property
    def streamed(self) -> bool:
        """Whether more than one chunk makes it up."""
        return len(self.frames) > 1

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Its chunks."""
        return tuple(frame.piece for frame in self.frames if frame.piece is not None)


def join(frames: Sequence[Frame]) -> tuple[tuple[Frame, ...], tuple[Turn, ...]]:
    """Join the chunks of each turn and say what the turn is.

    The frames come back with the kind of their turn (`response-partial` for all
    but the last chunk), with calls whose fragments have been put together, and
    with what a request only replays of the frames before it taken for told.
    """
    turns = [_turn(group) for group in _groups(frames)]
    changed: dict[int, Frame] = {}
    for turn in turns:
        for frame in turn.frames:
            last = frame is turn.frames[-1]
            calls = tuple(call for call in turn.calls if call.frame == frame.index)
            changed[frame.index] = replace(
                frame,
                kind=turn.kind if last else "response-partial",
                calls=calls,
                messages=(_message(turn),) if last else (),
            )
    return _told_once([changed.get(frame.index, frame) for frame in frames]), tuple(turns)


def _told_once(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Let each request that sends the conversation along bring only what no frame before it told."""
    if len(frames) < 2 or not any(frame.kind == "history" for frame in frames):
        return tuple(frames)
    conversation: list[object] = []
    asked = False
    out: list[Frame] = []
    for frame in frames:
        said = [_said(message) for message in frame.messages]
        if frame.kind != "history":
            conversation += said
            out.append(frame)
            continue
        known = 0
        while known < min(len(said), len(conversation)) and said[known] == conversation[known]:
            known += 1
        begun = _place(conversation, said) if not known and not asked else 0
        if known or begun:
            # The text may begin in the middle: then the request tells first what stood before it.
            new = frame.messages[known:] if known else _without(frame.messages, begun, len(conversation))
            calls = tuple(call for message in new for call in message.calls)
            responses = tuple(response for message in new for response in message.responses)
            frame = replace(frame, replayed=known, calls=calls, responses=responses)
        elif conversation and frame.at is not None:
            frame = replace(frame, signals=(Open(frame.at), *frame.signals))  # another one, with its own ids
        conversation, asked = said, True
        out.append(frame)
    return tuple(out)


def _place(conversation: list[object], said: list[object]) -> int:
    """Return where a whole conversation stands in what is said, but not at its beginning; 0 for nowhere."""
    size = len(conversation)
    places = range(1, len(said) - size + 1) if size else ()
    return next((each for each in places if said[each : each + size] == conversation), 0)


def _without(messages: tuple[Message, ...], place: int, size: int) -> tuple[Message, ...]:
    return (*messages[:place], *messages[place + size :])


def _said(message: Message) -> object:
    """Return what a message says, the same for chunks and for their sum."""
    return (
        message.role or "user",
        "".join(part.text or "" for part in message.parts if part.kind == "text"),
        tuple((call.id, call.name, _value_of(call.args.object)) for call in message.calls),
        tuple((each.id, each.name, _value_of(each.body_at)) for each in message.responses),
    )


def _value_of(at: Cursor | None) -> str | None:
    return write(at.tree, None) if at is not None else None


def _message(turn: Turn) -> Message:
    """Return the turn as a message of the conversation, its calls put together."""
    whole = tuple(Part(call.at, "call", call=call) for call in turn.calls)
    said = tuple(part for part in turn.parts if part.call is None)
    return Message(turn.pieces[-1].candidates_at, "model", (*said, *whole))


def _groups(frames: Sequence[Frame]) -> Iterable[list[Frame]]:
    """Yield the frames of each turn: up to a reason to finish that comes behind some content."""
    group: list[Frame] = []
    for frame in frames:
        piece = frame.piece
        if piece is None:
            if group:
                yield group
            group = []
            continue
        group.append(frame)
        # Gateways send an empty STOP before anything else; it counts only behind a part.
        ended = piece.finish is not None and any(each.piece and each.piece.parts for each in group)
        if ended or piece.error is not None or piece.candidates > 1:
            yield group
            group = []
    if group:
        yield group


def _turn(group: Sequence[Frame]) -> Turn:
    pieces = [frame.piece for frame in group if frame.piece is not None]
    parts = tuple(part for piece in pieces for part in piece.parts)
    calls, open_call = _calls(parts)
    finish = next((piece.finish for piece in reversed(pieces) if piece.finish is not None), None)
    reason = finish.string if finish is not None else None
    kind, why = _classify(pieces, parts, calls, reason, open_call)
    return Turn(
        frames=tuple(group),
        kind=kind,
        reason=why,
        finish_reason=reason,
        parts=parts,
        calls=calls,
        text="".join(part.text or "" for part in parts if part.kind in ("text", "call")),
        thoughts="".join(part.text or "" for part in parts if part.kind == "thought"),
        model_content=_content(pieces),
        open_call=open_call,
    )


def _classify(
    pieces: Sequence[Piece],
    parts: Sequence[Part],
    calls: Sequence[ToolCall],
    finish: str | None,
    open_call: ToolCall | None,
) -> tuple[str, str | None]:
    """Return what the turn is and why. The first hit answers."""
    if any(piece.error is not None for piece in pieces):
        return "api-error", None
    counts = [piece.candidates for piece in pieces]
    # The last chunk of a stream may carry only its usage.
    if max(counts) != 1 or any(piece.blocked is not None for piece in pieces):
        return "needs-review", "candidate-count"
    if finish != "STOP":
        return "not-complete", None
    if open_call is not None:
        return "not-complete", "call-partial"
    return _by_parts(parts, bool(calls))


def _by_parts(parts: Sequence[Part], asks: bool) -> tuple[str, str | None]:
    """Return what a turn is that came to its end, and why."""
    for part in parts:
        if part.kind == "bad-call":
            return "needs-review", "bad-call"
        if part.kind in UNSUPPORTED:
            return "needs-review", "unsupported-part"
    if asks:
        return "tool-request", None
    if "".join(part.text or "" for part in parts if part.kind == "text").strip():
        return "answer-candidate", None
    only_server = any(part.kind in ("server-tool", "server-code") for part in parts)
    return "needs-review", "unsupported-part" if only_server else "empty-content"


def of_message(frame: Frame) -> Turn | None:
    """Return the turn of a format without pieces: one finished message, or the error in its place."""
    if frame.piece is not None:
        return None
    refused = any(isinstance(signal, ServerError) for signal in frame.signals)
    found = None if refused else _finished(frame)
    if refused:
        kind, why = "api-error", None
    elif found is None:
        return None
    elif found.candidates != 1:
        kind, why = "needs-review", "candidate-count"
    elif found.status != "completed":
        kind, why = "not-complete", None
    else:
        kind, why = _by_parts(found.parts, bool(frame.calls))
    parts = found.parts if found is not None else ()
    return Turn(
        frames=(frame,),
        kind=kind,
        reason=why,
        finish_reason=found.finish if found is not None else None,
        parts=parts,
        calls=frame.calls,
        text="".join(part.text or "" for part in parts if part.kind == "text"),
        thoughts="".join(part.text or "" for part in parts if part.kind == "thought"),
        model_content=found.content if found is not None else None,
    )


def _finished(frame: Frame) -> Finished | None:
    dialect = dialects.by_id(frame.dialect)
    if dialect is not None and dialect.finished is not None:
        return dialect.finished(frame)
    end = next((signal for signal in frame.signals if isinstance(signal, TurnEnd)), None)
    if end is None or not frame.messages:
        return None
    message = frame.messages[-1]
    content = message.at.get("content")
    raw = content.raw if content is not None else None
    return Finished(
        status=end.status,
        finish=end.at.string,
        parts=message.parts,
        content=Raw(f'{{"role": "assistant", "content": {raw.text}}}') if raw is not None else None,
    )


def _content(pieces: Sequence[Piece]) -> Raw | None:
    """Return the content to send back, its parts untouched, signatures and all."""
    contents = [piece.content for piece in pieces if piece.content is not None and piece.content.is_object]
    if len(contents) <= 1:
        return contents[0].raw if contents else None
    raws = [part.at.raw for piece in pieces for part in piece.parts]
    parts = ", ".join(raw.text for raw in raws if raw is not None)
    return Raw(f'{{"role": "model", "parts": [{parts}]}}')


# Streamed arguments ------------------------------------------------------------


def _calls(parts: Sequence[Part]) -> tuple[tuple[ToolCall, ...], ToolCall | None]:
    """Return the calls of a turn with their fragments put together, and the one still open."""
    out: list[ToolCall] = []
    open_call: ToolCall | None = None
    args: Any = {}
    texts: dict[str, bool] = {}
    for part in parts:
        if part.call is None:
            continue
        if part.kind != "fragment":
            out.append(part.call)
            continue
        if open_call is None:
            open_call, args, texts = part.call, {}, {}
        _apply(args, part.call.at, texts)
        if part.call.partial is None or not _goes_on(part.call.at):
            out.append(_assembled(open_call, args))
            open_call = None
    if open_call is not None:
        out.append(open_call)
    return tuple(out), open_call


def _goes_on(at: Cursor) -> bool:
    more = at.get("willContinue") or at.get("will_continue")
    return more is not None and more.text == "true"


def _assembled(call: ToolCall, args: Any) -> ToolCall:
    derived = Cursor.of(write(args, None), input=call.at.input, frame=call.frame, base=call.at)
    return replace(call, args=Args(call.args.at, "object", derived=derived), partial=None)


_STEP = re.compile(r"\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


def _apply(args: Any, at: Cursor, texts: dict[str, bool]) -> None:
    """Put the partial arguments of one fragment into the object, by their JSONPath."""
    partial = at.get("partialArgs") or at.get("partial_args")
    if partial is None or not partial.is_array:
        return
    for item in partial:
        path = item.get("jsonPath") or item.get("json_path")
        steps = _steps((path.string or "") if path is not None else "")
        value = _value(item)
        if not steps or value is None:
            continue
        target = args
        for step in steps[:-1]:
            target = target.setdefault(step, {}) if isinstance(target, dict) else target
        key, name = steps[-1], "/".join(steps)
        if isinstance(target, dict):
            goes_on = texts.get(name, False) and isinstance(target.get(key), str)
            target[key] = target[key] + value[0] if goes_on and isinstance(value[0], str) else value[0]
        texts[name] = _goes_on(item)


def _steps(path: str) -> list[str]:
    return [next(group for group in found.groups() if group is not None) for found in _STEP.finditer(path)]


def _value(item: Cursor) -> tuple[Any] | None:
    for key in ("stringValue", "numberValue", "boolValue", "string_value", "number_value", "bool_value"):
        found = item.get(key)
        if found is not None and not found.is_null:
            return (found.tree,)
    return (None,) if item.get("nullValue") or item.get("null_value") else None
