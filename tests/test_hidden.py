"""A call that stands in no list, or under a key of another interface, never passes for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires import codes, extract

FUNCTION = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ITEM = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
TOOL_USE = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
LIVE = {"functionCalls": [{"id": "c1", "name": "f", "args": {}}]}


def assistant(calls: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def completion(message: Any) -> dict[str, Any]:
    return {"object": "chat.completion", "choices": [{"message": message, "finish_reason": "tool_calls"}]}


def done(output: Any) -> dict[str, Any]:
    response = {"id": "r", "object": "realtime.response", "status": "completed", "output": output}
    return {"type": "response.done", "event_id": "e", "response": response}


def said(content: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use"}


def converse(content: Any) -> dict[str, Any]:
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use"}


@pytest.mark.parametrize(
    ("hidden", "seen"),
    [
        (assistant(FUNCTION), assistant([FUNCTION])),
        (completion(assistant(FUNCTION)), completion(assistant([FUNCTION]))),
        (
            {"object": "chat.completion", "choices": {"message": assistant([FUNCTION])}},
            completion(assistant(None)),
        ),
        (done({"0": ITEM}), done([ITEM])),
        (
            {"object": "response", "id": "r", "status": "completed", "output": ITEM},
            {"object": "response", "id": "r", "status": "completed", "output": [ITEM]},
        ),
        (said(USE), said([USE])),
        (converse(TOOL_USE), converse([TOOL_USE])),
    ],
)
def test_what_bears_calls_is_a_list(hidden: Any, seen: Any) -> None:
    report = extract(hidden)

    assert "calls-not-array" in codes(report.findings)
    assert report.calls == ()
    assert "calls-not-array" not in codes(extract(seen).findings)


def test_an_entry_of_tool_calls_is_an_object() -> None:
    assert "call-not-object" in codes(extract(assistant(["f"])).findings)
    assert "call-not-object" not in codes(extract(assistant([FUNCTION])).findings)


@pytest.mark.parametrize(
    ("merged", "alone"),
    [
        ({"type": "response.create", "toolCall": LIVE}, {"type": "response.create"}),
        ({"type": "response.create", "tool_call": LIVE}, {"type": "response.create", "tool_call": None}),
        ({**said([USE]), "tool_calls": [FUNCTION]}, {**said([USE]), "tool_calls": []}),
        (
            {
                "candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}],
                "toolCall": LIVE,
            },
            {"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}]},
        ),
        (
            assistant([FUNCTION], content=[USE]),
            assistant([FUNCTION], content=[{"type": "text", "text": "x"}]),
        ),
    ],
)
def test_a_frame_of_two_interfaces_is_told_and_nothing_in_it_is_run(merged: Any, alone: Any) -> None:
    report = extract(merged)

    assert "frame-multi-kind" in codes(report.findings)
    assert report.calls == ()
    assert "frame-multi-kind" not in codes(extract(alone).findings)
