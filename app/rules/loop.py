"""Rules over the tool loop that every dialect has: ask, run, answer, and at last speak."""

from __future__ import annotations

from collections.abc import Iterator

from app.course import Course
from app.cursor import Cursor
from app.dialects.gemini_schema import members
from app.events import Frame, ToolCall, ToolResponse, TurnEnd, happenings
from app.rules import INFO, WARNING, Hit, rule

CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"
SDK = "https://googleapis.github.io/python-genai/#function-calling"

ROUNDS = 8
"""Tool rounds in a row that a real task still needs."""

_FORCING = frozenset({"required", "any", "tool", "function", "custom"})
"""tool_choice as a word, or as the type of an object, that demands a call."""


@rule("rounds-many", WARNING, on="session", source=CALLING)
def rounds_many(course: Course) -> Iterator[Hit]:
    """The model asks for tools more than eight times in a row and never answers.

    It goes in a circle: a result tells it nothing new, or an error never says what to
    do. Look at what the tools return, and end the loop after so many rounds.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c1", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c2", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c2", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c3", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c3", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c4", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c4", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c5", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c5", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c6", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c6", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c7", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c7", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c8", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c8", "name": "get_time", "response": {"output": 1}}]}}
        {"toolCall": {"functionCalls": [{"id": "c9", "name": "get_time", "args": {}}]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "get_time", "args": {}}]}}
        {"toolResponse": {"functionResponses": [{"id": "c1", "name": "get_time", "response": {"output": 1}}]}}
        {"serverContent": {"modelTurn": {"parts": [{"text": "It is one."}]}}}
        {"toolCall": {"functionCalls": [{"id": "c2", "name": "get_time", "args": {}}]}}
    """
    rounds, asking, called = 0, False, False
    for frame in course.frames:
        for message in frame.messages[frame.replayed :]:
            if message.calls:
                rounds += 1
                if rounds == ROUNDS + 1:
                    yield _too_many(message.calls[0])
            elif not message.responses:
                rounds = 0
        if frame.messages:
            continue
        if _speaks(frame):
            rounds = 0
        for each in happenings(frame):
            if isinstance(each, ToolCall):
                called = True
                rounds += not asking
                if not asking and rounds == ROUNDS + 1:
                    yield _too_many(each)
                asking = True
            elif isinstance(each, ToolResponse):
                asking = False
            elif isinstance(each, TurnEnd):
                rounds = rounds if called else 0  # a turn without calls is an answer
                called = False


def _too_many(call: ToolCall) -> Hit:
    return Hit(
        call.at,
        f"More than {ROUNDS} tool rounds in a row, and no answer yet. Look at what the tools return.",
        call_id=call.id,
    )


def _speaks(frame: Frame) -> bool:
    """Whether the model says something here, or the user does."""
    content = frame.members.get("serverContent")
    if content is not None and not frame.calls:
        return bool({"modelTurn", "outputTranscription"} & members(content).keys())
    return frame.kind in ("client-content", "answer-candidate")


@rule(
    "tool-choice-forces-call",
    INFO,
    on="frame",
    dialects=(
        "anthropic",
        "bedrock-converse",
        "gemini-generate",
        "openai-chat",
        "openai-realtime",
        "openai-responses",
    ),
    source=CALLING,
)
def tool_choice_forces_call(frame: Frame) -> Iterator[Hit]:
    """The request demands a call, so the model cannot answer with text.

    A mode ANY, or a tool_choice required, holds for every turn it is sent with. Left in
    place after the answers, it makes the model call again and again. Go back to AUTO
    once the call that you want has come.

    Bad:
        {"contents": [{"role": "user", "parts": [{"text": "Rate?"}]}],
         "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
    Good:
        {"contents": [{"role": "user", "parts": [{"text": "Rate?"}]}],
         "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}
    """
    if frame.at is None or frame.direction == "server":
        return  # a server only repeats what it was told
    for at in (frame.at, frame.at.get("session"), frame.at.get("response")):
        forced = _forced(at) if at is not None and at.is_object else None
        if forced is not None:
            yield Hit(forced, "This demands a call on every turn: no answer in words gets through.")


def _forced(at: Cursor) -> Cursor | None:
    chosen = at.get("tool_choice")
    if chosen is not None:
        kind = chosen.get("type") if chosen.is_object else chosen
        return chosen if kind is not None and kind.string in _FORCING else None
    config = at.get("toolConfig") or at.get("tool_config")
    if config is None or not config.is_object:
        return None
    fields = members(config)
    choice, calling = fields.get("toolChoice"), fields.get("functionCallingConfig")
    if choice is not None:
        return choice if {"any", "tool"} & set(choice.keys) else None
    mode = calling.get("mode") if calling is not None else None
    return mode if mode is not None and mode.string == "ANY" else None


@rule("generate-auto-history", INFO, on="frame", dialects=("gemini-generate",), needs=("turn",), source=SDK)
def generate_auto_history(frame: Frame) -> Iterator[Hit]:
    """The SDK ran the tools itself before this turn.

    The calls of automaticFunctionCallingHistory were made by its automatic function
    calling, without your checks. To judge args before anything runs, turn it off and
    run the loop yourself.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "It is 1.1."}]},
                         "finishReason": "STOP"}],
         "automaticFunctionCallingHistory": [
           {"role": "user", "parts": [{"text": "Rate?"}]},
           {"role": "model", "parts": [{"functionCall": {"name": "get_rate", "args": {}}}]}
         ]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "It is 1.1."}]},
                         "finishReason": "STOP"}],
         "automaticFunctionCallingHistory": []}
    """
    at = frame.members.get("automaticFunctionCallingHistory")
    if at is not None and len(at):
        yield Hit(at, "The SDK ran the tools of this history itself, without your checks.", at_key=True)
