"""Rules over the messages of a conversation: the answers stand where the service looks for them."""

from __future__ import annotations

from collections.abc import Iterator

from app.course import Course
from app.events import Frame, Message
from app.rules import ERROR, Hit, rule

BLOCKS = ("anthropic", "bedrock-converse")
MESSAGES = "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use"


@rule("response-order", ERROR, on="frame", dialects=("anthropic",), needs=("messages",), source=MESSAGES)
def response_order(frame: Frame) -> Iterator[Hit]:
    """A text or image stands before the tool_result blocks of its message.

    The results come first, everything else behind them. The service refuses such a
    request, or did so in most reports; no report says that the other order fails.

    Bad:
        {"role": "user", "content": [
          {"type": "text", "text": "here it is"},
          {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
        ]}
    Good:
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"},
          {"type": "text", "text": "here it is"}
        ]}
    """
    for message in frame.messages:
        kinds = [part.kind for part in message.parts]
        if "response" in kinds and kinds[0] != "response" and "response" in kinds[1:]:
            yield Hit(
                message.parts[0].at,
                "The tool_result blocks come first in their message. Move this behind them.",
            )


def _asked(message: Message) -> set[str | int]:
    return {call.id for call in message.calls if call.id is not None}


@rule("response-split", ERROR, on="session", dialects=BLOCKS, needs=("messages",), source=MESSAGES)
def response_split(course: Course) -> Iterator[Hit]:
    """The answers to one turn are split over several user messages.

    All results of a turn stand in the one message that follows it. The service looks
    only there, and misses the others. Put them together.

    Bad:
        {"role": "assistant", "content": [
          {"type": "tool_use", "id": "toolu_1", "name": "list_rooms", "input": {}},
          {"type": "tool_use", "id": "toolu_2", "name": "list_scenes", "input": {}}]}
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "content": "kitchen"}]}
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_2", "content": "evening"}]}
    Good:
        {"role": "assistant", "content": [
          {"type": "tool_use", "id": "toolu_1", "name": "list_rooms", "input": {}},
          {"type": "tool_use", "id": "toolu_2", "name": "list_scenes", "input": {}}]}
        {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "toolu_1", "content": "kitchen"},
          {"type": "tool_result", "tool_use_id": "toolu_2", "content": "evening"}]}
    """
    for hit, split in _misplaced(course):
        if split:
            yield hit


@rule("response-not-adjacent", ERROR, on="session", dialects=BLOCKS, needs=("messages",), source=MESSAGES)
def response_not_adjacent(course: Course) -> Iterator[Hit]:
    """In Messages and Converse the answers stand in the very next message.

    A message between the call and its answers makes the service say that the call is
    unanswered. Move the answers up, and what stands between behind them.

    Bad:
        {"model": "m", "max_tokens": 99, "messages": [
          {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "list_rooms", "input": {}}]},
          {"role": "user", "content": "hurry"},
          {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "kitchen"}]}
        ]}
    Good:
        {"model": "m", "max_tokens": 99, "messages": [
          {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "list_rooms", "input": {}}]},
          {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "kitchen"},
            {"type": "text", "text": "hurry"}]}
        ]}
    """
    for hit, split in _misplaced(course):
        if not split:
            yield hit


def _misplaced(course: Course) -> Iterator[tuple[Hit, bool]]:
    """Yield a hit for each answer that is not right behind its calls, and whether it was split off."""
    asked: set[str | int] = set()
    earlier: set[str | int] = set()
    distance = 0
    unbroken = True
    for message in course.messages():
        distance += 1
        if message.calls:
            earlier |= asked
            asked, distance, unbroken = _asked(message), 0, True
            continue
        for response in message.responses:
            known = response.id
            if known is None or (distance == 1 and known in asked):
                continue
            if known in asked and unbroken:
                text = "All answers to one turn stand in one message. Move this into the first of them."
                yield Hit(response.at, text, call_id=known), True
            elif known in asked or known in earlier:
                text = "The answers stand in the message right behind the calls. Move this up."
                yield Hit(response.at, text, call_id=known), False
        unbroken = unbroken and bool(message.responses)
