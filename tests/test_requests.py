"""Each request of a stateless interface is a whole conversation: what it leaves out is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.wires import session

Said = list[dict[str, Any]]
ARGS = {"room": "attic"}


class Wire(NamedTuple):
    """How one interface writes a request, and its turns: who asks, the calls, their answers, who speaks."""

    id: str
    request: Callable[..., dict[str, Any]]
    asks: Callable[..., Said]
    calls: Callable[..., Said]
    answers: Callable[..., Said]
    speaks: Callable[[str], Said]
    finished: Callable[..., dict[str, Any]]
    streamed: Callable[..., Said]


def flat(parts: tuple[Said, ...]) -> Said:
    return [each for part in parts for each in part]


# Chat Completions


def chat_calls(*ids: str, args: dict[str, Any] = ARGS) -> Said:
    said = json.dumps(args)
    calls = [
        {"id": each, "type": "function", "function": {"name": "set_light", "arguments": said}} for each in ids
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}]


def chat_stream(*ids: str) -> Said:
    out: Said = []
    for index, each in enumerate(ids):
        for function in ({"name": "set_light", "arguments": '{"room"'}, {"arguments": ': "attic"}'}):
            delta: dict[str, Any] = {"index": index, "function": function}
            if "name" in function:
                delta |= {"id": each, "type": "function"}
            out.append({"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": None})
    out.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    return [{"id": "x1", "object": "chat.completion.chunk", "choices": [choice]} for choice in out]


CHAT = Wire(
    "openai-chat",
    lambda *parts: {"model": "m", "messages": [{"role": "system", "content": "Be kind."}, *flat(parts)]},
    lambda text: [{"role": "user", "content": text}],
    chat_calls,
    lambda *ids, said="done": [{"role": "tool", "tool_call_id": each, "content": said} for each in ids],
    lambda text: [{"role": "assistant", "content": text}],
    lambda *ids: {
        "id": "x1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": chat_calls(*ids)[0], "finish_reason": "tool_calls"}],
    },
    chat_stream,
)

# Anthropic Messages


def uses(*ids: str, args: dict[str, Any] = ARGS) -> Said:
    return [{"type": "tool_use", "id": each, "name": "set_light", "input": args} for each in ids]


def anthropic_stream(*ids: str) -> Said:
    out: Said = [
        {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}
    ]
    for index, block in enumerate(uses(*ids)):
        out.append({"type": "content_block_start", "index": index, "content_block": {**block, "input": {}}})
        for piece in ("", '{"room"', ': "attic"}'):
            delta = {"type": "input_json_delta", "partial_json": piece}
            out.append({"type": "content_block_delta", "index": index, "delta": delta})
        out.append({"type": "content_block_stop", "index": index})
    out.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
    return [*out, {"type": "message_stop"}]


ANTHROPIC = Wire(
    "anthropic",
    lambda *parts: {"model": "m", "max_tokens": 9, "system": "Be kind.", "messages": flat(parts)},
    lambda text: [{"role": "user", "content": text}],
    lambda *ids, args=ARGS: [{"role": "assistant", "content": uses(*ids, args=args)}],
    lambda *ids, said="done": [
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": each, "content": said} for each in ids],
        }
    ],
    lambda text: [{"role": "assistant", "content": text}],
    lambda *ids: {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": uses(*ids),
        "stop_reason": "tool_use",
    },
    anthropic_stream,
)

# Bedrock Converse

SPEC = {
    "toolSpec": {"name": "set_light", "description": "Sets it.", "inputSchema": {"json": {"type": "object"}}}
}


def converse_calls(*ids: str, args: dict[str, Any] = ARGS) -> Said:
    blocks = [{"toolUse": {"toolUseId": each, "name": "set_light", "input": args}} for each in ids]
    return [{"role": "assistant", "content": blocks}]


def converse_stream(*ids: str) -> Said:
    out: Said = [{"messageStart": {"role": "assistant"}}]
    for index, each in enumerate(ids):
        start = {"toolUse": {"toolUseId": each, "name": "set_light"}}
        out.append({"contentBlockStart": {"start": start, "contentBlockIndex": index}})
        for piece in ('{"room"', ': "attic"}'):
            delta = {"toolUse": {"input": piece}}
            out.append({"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}})
        out.append({"contentBlockStop": {"contentBlockIndex": index}})
    return [*out, {"messageStop": {"stopReason": "tool_use"}}]


CONVERSE = Wire(
    "bedrock-converse",
    lambda *parts: {"modelId": "m", "messages": flat(parts), "toolConfig": {"tools": [SPEC]}},
    lambda text: [{"role": "user", "content": [{"text": text}]}],
    converse_calls,
    lambda *ids, said="done": [
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": each, "content": [{"text": said}]}} for each in ids],
        }
    ],
    lambda text: [{"role": "assistant", "content": [{"text": text}]}],
    lambda *ids: {"output": {"message": converse_calls(*ids)[0]}, "stopReason": "tool_use"},
    converse_stream,
)

# Responses


def items(*ids: str, args: dict[str, Any] = ARGS) -> Said:
    said, place = json.dumps(args), args["room"]
    calls = [{"id": f"fc_{place}_{each}", "call_id": each, "name": "set_light"} for each in ids]
    return [{"type": "function_call", **call, "arguments": said} for call in calls]


def responses_stream(*ids: str) -> Said:
    out: Said = []
    for index, item in enumerate(items(*ids)):
        place = {"item_id": item["id"], "output_index": index}
        begun = {**item, "arguments": "", "status": "in_progress"}
        args = "response.function_call_arguments"
        out.append({"type": "response.output_item.added", "output_index": index, "item": begun})
        out.append({"type": f"{args}.delta", **place, "delta": '{"room"'})
        out.append({"type": f"{args}.delta", **place, "delta": ': "attic"}'})
        out.append({"type": f"{args}.done", **place, "arguments": item["arguments"]})
        out.append({"type": "response.output_item.done", "output_index": index, "item": item})
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": items(*ids)}
    out.append({"type": "response.completed", "response": response})
    return [{**event, "sequence_number": number} for number, event in enumerate(out)]


RESPONSES = Wire(
    "openai-responses",
    lambda *parts: {"model": "m", "instructions": "Be kind.", "input": flat(parts)},
    lambda text: [{"role": "user", "content": text}],
    items,
    lambda *ids, said="done": [
        {"type": "function_call_output", "call_id": each, "output": said} for each in ids
    ],
    lambda text: [{"role": "assistant", "content": text}],
    lambda *ids: {"id": "resp_1", "object": "response", "status": "completed", "output": items(*ids)},
    responses_stream,
)

every_wire = pytest.mark.parametrize("wire", [CHAT, ANTHROPIC, CONVERSE, RESPONSES], ids=lambda wire: wire.id)


def errors(*frames: dict[str, Any]) -> list[str]:
    return [finding.code for finding in session(*frames).findings if finding.is_error]


def rows(*frames: dict[str, Any]) -> list[tuple[str | int | None, str]]:
    return [(row.id, row.state) for row in session(*frames).ledger]


@every_wire
def test_an_answer_that_a_later_request_leaves_out_is_missing(wire: Wire) -> None:
    first = wire.request(wire.asks("On?"), wire.calls("c1"), wire.answers("c1"))
    later = wire.request(wire.asks("On?"), wire.calls("c1"), wire.speaks("It is on."), wire.asks("Thanks."))
    assert errors(first, later) == ["response-missing"]
    whole = wire.request(
        wire.asks("On?"), wire.calls("c1"), wire.answers("c1"), wire.speaks("It is on."), wire.asks("Thanks.")
    )
    assert errors(first, whole) == []
    trimmed = wire.request(wire.asks("On?"), wire.speaks("It is on."), wire.asks("Thanks."))
    assert errors(first, trimmed) == []


@every_wire
def test_one_of_two_answers_left_out_is_missing(wire: Wire) -> None:
    first = wire.request(wire.asks("On?"), wire.calls("c1", "c2"), wire.answers("c1", "c2"))
    later = wire.request(wire.asks("On?"), wire.calls("c1", "c2"), wire.answers("c1"), wire.speaks("It is."))
    assert errors(first, later) == ["response-missing"]


@every_wire
def test_a_request_may_end_with_the_calls_that_the_next_one_answers(wire: Wire) -> None:
    begun = wire.request(wire.asks("On?"), wire.calls("c1", "c2"))
    done = wire.request(wire.asks("On?"), wire.calls("c1", "c2"), wire.answers("c1", "c2"))
    assert errors(begun, done) == []


@every_wire
@pytest.mark.parametrize("streamed", [False, True])
def test_a_request_that_answers_without_the_turn_that_asked_is_an_orphan(wire: Wire, streamed: bool) -> None:
    begun = wire.request(wire.asks("On?"))
    turn = wire.streamed("c1") if streamed else [wire.finished("c1")]
    lost = wire.request(wire.asks("On?"), wire.answers("c1"))
    assert errors(begun, *turn, lost) == ["response-orphan"]
    kept = wire.request(wire.asks("On?"), wire.calls("c1"), wire.answers("c1"))
    assert errors(begun, *turn, kept) == []


@every_wire
def test_an_answer_before_its_call_is_an_orphan_there(wire: Wire) -> None:
    first = wire.request(wire.asks("On?"), wire.calls("c1"), wire.answers("c1"))
    turned = wire.request(wire.asks("On?"), wire.answers("c1"), wire.calls("c1"))
    assert "response-orphan" in errors(first, turned)


@every_wire
def test_an_answer_alone_behind_the_turn_that_asked_is_no_orphan(wire: Wire) -> None:
    assert errors(wire.finished("c1"), *wire.answers("c1")) == []


@every_wire
def test_a_streamed_call_that_the_next_request_sends_back_is_one_call(wire: Wire) -> None:
    back = wire.request(wire.asks("On?"), wire.calls("c1", "c2"), wire.answers("c1", "c2"))
    frames = (*wire.streamed("c1", "c2"), back)
    assert errors(*frames) == []
    assert rows(*frames) == [("c1", "answered"), ("c2", "answered")]
    half = wire.request(wire.asks("On?"), wire.calls("c1", "c2"), wire.answers("c1"), wire.asks("And?"))
    assert errors(*wire.streamed("c1", "c2"), half) == ["response-missing"]


@every_wire
def test_a_streamed_call_that_comes_back_with_other_args_is_told(wire: Wire) -> None:
    other = wire.request(wire.asks("On?"), wire.calls("c1", args={"room": "hall"}), wire.answers("c1"))
    assert errors(*wire.streamed("c1"), other) == ["call-id-duplicate"]


@every_wire
def test_an_answer_that_a_later_request_shortens_is_no_second_one(wire: Wire) -> None:
    turn = (wire.asks("On?"), wire.calls("c1"))
    first = wire.request(*turn, wire.answers("c1", said="a long text"))
    later = wire.request(
        *turn, wire.answers("c1", said="[cleared]"), wire.speaks("It is on."), wire.asks("Ok.")
    )
    assert errors(first, later) == []
    assert rows(first, later) == [("c1", "answered")]


@every_wire
def test_a_second_answer_in_a_later_request_is_one_too_many(wire: Wire) -> None:
    turn = (wire.asks("On?"), wire.calls("c1"), wire.answers("c1"))
    later = wire.request(*turn, wire.speaks("It is on."), wire.answers("c1", said="again"))
    assert "response-duplicate" in errors(wire.request(*turn), later)


@every_wire
def test_conversations_of_their_own_may_share_ids(wire: Wire) -> None:
    one = wire.request(wire.asks("On?"), wire.calls("c1"), wire.answers("c1"), wire.speaks("It is on."))
    hall = {"room": "hall"}
    other = wire.request(
        wire.asks("Hall?"), wire.calls("c1", args=hall), wire.answers("c1", said="off"), wire.speaks("Off.")
    )
    assert errors(one, other) == []
    assert rows(one, other) == [("c1", "answered"), ("c1", "answered")]


@every_wire
def test_an_id_used_twice_in_one_conversation_is_told(wire: Wire) -> None:
    turn = (
        wire.asks("On?"),
        wire.calls("c1"),
        wire.answers("c1"),
        wire.speaks("It is on."),
        wire.asks("Hall?"),
    )
    twice = wire.request(*turn, wire.calls("c1", args={"room": "hall"}), wire.answers("c1"))
    assert "call-id-duplicate" in errors(wire.request(*turn), twice)
    assert "call-id-duplicate" in errors(twice)
    same = wire.request(*turn, wire.calls("c1"), wire.answers("c1"))
    assert "call-id-duplicate" in errors(same)


def test_moving_a_cache_mark_splits_no_answers() -> None:
    answered = ANTHROPIC.answers("c1")
    marked = json.loads(json.dumps(answered))
    marked[0]["content"][0]["cache_control"] = {"type": "ephemeral"}
    turn = (ANTHROPIC.asks("On?"), ANTHROPIC.calls("c1"))
    later = ANTHROPIC.request(*turn, answered, ANTHROPIC.speaks("It is on."), ANTHROPIC.asks("Thanks."))
    assert errors(ANTHROPIC.request(*turn, marked), later) == []


def test_a_chained_request_tells_only_news() -> None:
    begun, asked = RESPONSES.request(RESPONSES.asks("On?")), RESPONSES.finished("c1")
    output = RESPONSES.answers("c1")
    chained = {"model": "m", "previous_response_id": "resp_1", "input": output}
    assert errors(begun, asked, chained) == []
    spoken = {"id": "resp_2", "object": "response", "status": "completed", "output": RESPONSES.speaks("On.")}
    again = {"model": "m", "previous_response_id": "resp_2", "input": output}
    assert errors(begun, asked, chained, spoken, again) == ["response-duplicate"]
    resent = {"model": "m", "previous_response_id": "resp_1", "input": [*RESPONSES.calls("c1"), *output]}
    assert errors(begun, asked, resent) == ["call-id-duplicate"]
