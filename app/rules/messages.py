"""Rules over the messages of a conversation: the answers stand where the service looks for them."""

from __future__ import annotations

from collections.abc import Iterator

from app.course import Course
from app.events import Frame, Message, ToolCall
from app.rules import ERROR, Hit, rule

BLOCKS = ("anthropic", "bedrock-converse")
WHOLE = (*BLOCKS, "openai-chat", "openai-responses")
"""Dialects whose requests send the whole conversation along, unless they go on from one that is kept."""
CALLING = "https://platform.openai.com/docs/guides/function-calling"
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
    for _, messages in course.conversations():
        yield from _misplaced_among(messages)


def _misplaced_among(messages: tuple[Message, ...]) -> Iterator[tuple[Hit, bool]]:
    asked: set[str | int] = set()
    earlier: set[str | int] = set()
    distance = 0
    unbroken = True
    for message in messages:
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


@rule("response-missing", ERROR, on="session", dialects=WHOLE, needs=("request",), source=CALLING)
def answer_left_out(course: Course) -> Iterator[Hit]:
    """A request sends a call along and leaves its answer out.

    The service keeps nothing between two requests, so an answer that an earlier one held
    is lost when the history is trimmed. The request is refused, and each retry too. Keep
    a call and its answer together, or remove both.

    Bad:
        {"model": "m", "messages": [
          {"role": "user", "content": "Which rooms?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}]}
        {"model": "m", "messages": [
          {"role": "user", "content": "Which rooms?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]},
          {"role": "user", "content": "Thanks."}]}
    Good:
        {"model": "m", "messages": [
          {"role": "user", "content": "Which rooms?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}]}
        {"model": "m", "messages": [
          {"role": "user", "content": "Which rooms?"},
          {"role": "assistant", "content": "Two rooms."},
          {"role": "user", "content": "Thanks."}]}
    """
    elsewhere = {_key(entry.id) for entry in course.ledger.entries if entry.response is not None}
    for frame, messages in course.conversations():
        if frame is None:
            continue
        waiting: dict[_Key, ToolCall] = {}
        newest: set[_Key] = set()
        for message in messages:
            if message.calls:
                asked = {_key(call.id): call for call in message.calls if call.id is not None}
                waiting |= asked
                newest |= asked.keys()
            else:
                newest.clear()
            for response in message.responses:
                waiting.pop(_key(response.id), None)
        for known, call in waiting.items():
            # Calls at the very end are still to be answered; what is answered nowhere is told already.
            if known in elsewhere and known not in newest:
                yield Hit(call.at, "This request leaves the answer to this call out.", call_id=call.id)


@rule("response-orphan", ERROR, on="session", dialects=WHOLE, needs=("request",), source=CALLING)
def call_left_out(course: Course) -> Iterator[Hit]:
    """A request sends an answer along and leaves its call out, or sends it behind.

    The service keeps nothing between two requests: the turn that asked must stand before
    the answer in this one as well. Send the model's turn back as it came.

    Bad:
        {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls",
          "message": {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}}]}
        {"model": "m", "messages": [
          {"role": "user", "content": "Which rooms?"},
          {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}]}
    Good:
        {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls",
          "message": {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]}}]}
        {"model": "m", "messages": [
          {"role": "user", "content": "Which rooms?"},
          {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "list_rooms", "arguments": "{}"}}]},
          {"role": "tool", "tool_call_id": "call_1", "content": "Two rooms."}]}
    """
    asked = {_key(entry.id) for entry in course.ledger.entries if entry.call is not None}
    for frame, messages in course.conversations():
        if frame is None or frame.continues or frame.points_back:
            continue
        held: set[_Key] = set()
        for message in messages:
            held |= {_key(call.id) for call in message.calls}
            for response in message.responses:
                known = _key(response.id)
                if response.id is not None and known in asked and known not in held:
                    yield Hit(
                        response.id_at or response.at,
                        "Its call does not stand before it in this request. Send the turn that asked along.",
                        call_id=response.id,
                    )


_Key = tuple[type, str | int | None]
"""An id with its JSON type."""


def _key(known: str | int | None) -> _Key:
    return type(known), known
