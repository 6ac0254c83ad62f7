"""Bedrock Converse: unions with one key, streams, and what a request with a history must hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires import CONTRACTS, codes, drafted, extract, session, states

CONFIG = {"tools": [{"toolSpec": {"name": "set_light", "inputSchema": {"json": {"type": "object"}}}}]}


def use(id: str = "tooluse_1", input: Any = None, **more: Any) -> dict[str, Any]:
    given = {"room": "kitchen"} if input is None else input
    return {"toolUse": {"toolUseId": id, "name": "set_light", "input": given, **more}}


def result(id: str = "tooluse_1", *blocks: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": list(blocks or ({"text": "done"},)), **more}}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def response(*blocks: Any, stop: str = "tool_use") -> dict[str, Any]:
    return {"output": {"message": assistant(*blocks)}, "stopReason": stop}


def stream(*events: Any) -> list[dict[str, Any]]:
    return [{"messageStart": {"role": "assistant"}}, *events]


def start(index: int, **more: Any) -> dict[str, Any]:
    block = {"toolUseId": f"t{index}", "name": "set_light", **more}
    return {"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": block}}}


def delta(index: int, text: str) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": text}}}}


def stop(index: int) -> dict[str, Any]:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def ended(reason: str = "tool_use") -> dict[str, Any]:
    return {"messageStop": {"stopReason": reason}}


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (response(use()), "call"),
        (response({"text": "hi"}, stop="end_turn"), "turn"),
        (response(use(type="server_tool_use")), "call-hosted"),
        (assistant(use()), "call"),
        (user(result()), "response"),
        (user({"text": "hi"}), "turn"),
        (use(), "call"),
        (result(), "response"),
        ({"messages": [assistant(use()), user(result())], "toolConfig": CONFIG}, "session"),
        ({"messages": [user({"text": "hi"})], "toolConfig": CONFIG}, "declaration"),
        ({"toolConfig": CONFIG}, "declaration"),
        (CONFIG, "declaration"),
        (CONFIG["tools"][0], "declaration"),
        (start(1), "call-start"),
        (delta(1, '{"ro'), "call-delta"),
        (stop(1), "event"),
        (ended(), "turn-end"),
        ({"metadata": {"usage": {}, "metrics": {"latencyMs": 3}}}, "event"),
        ({"throttlingException": {"message": "slow down"}}, "error"),
    ],
)
def test_each_shape_is_recognised(frame: Any, kind: str) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind) == ("bedrock-converse", kind)
    assert report.status == "green"


@pytest.mark.parametrize(
    "frame",
    [
        {"metadata": {"version": 2}},
        {"output": "text"},
        {"output": [{"type": "message"}]},
        {"toolUse": "set_light"},
        {"toolResult": {"content": "x"}},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": "{}"}}}]},
        {"event": {"toolUse": {"toolUseId": "t", "toolName": "f", "content": "{}"}}},
    ],
)
def test_look_alikes_are_not_taken(frame: Any) -> None:
    assert extract(frame).dialect != "bedrock-converse"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"json": {"on": True}}], set()),
        ([{"text": "[1]"}], set()),
        ([], set()),
        ([{"json": [1]}], {"response-not-object"}),
        ([{"json": "x"}], {"response-not-object"}),
        ("done", {"response-content-not-list"}),
        (None, {"response-content-not-list"}),
    ],
)
def test_the_content_of_a_result_is_a_list_of_blocks(content: Any, expected: set[str]) -> None:
    frame = user({"toolResult": {"toolUseId": "t", "content": content}})

    assert codes(extract(frame).findings) == expected


@pytest.mark.parametrize(
    ("input", "expected"),
    [({}, set()), ("{}", {"args-wrong-encoding"}), ([], {"args-not-object"})],
)
def test_the_input_is_an_object(input: Any, expected: set[str]) -> None:
    assert codes(extract(use(input=input)).findings) == expected


def test_fragments_are_joined_by_index() -> None:
    report = session(
        *stream(start(0), start(1), delta(0, '{"room": '), delta(1, '{"room": "x"}'), delta(0, '"hall"}')),
        stop(0),
        stop(1),
        ended(),
        contracts=CONTRACTS,
    )

    assert [(row.id, row.verdict) for row in report.ledger] == [("t0", "accept"), ("t1", "refuse")]


@pytest.mark.parametrize("reason", ["max_tokens", "malformed_tool_use", "guardrail_intervened"])
def test_a_turn_that_was_cut_leaves_no_call_to_run(reason: str) -> None:
    report = session(*stream(start(0), delta(0, '{"room": "hall"}'), stop(0), ended(reason)))

    assert not any(row.executable for row in report.ledger)


def test_fragments_of_a_hosted_call_are_no_call() -> None:
    report = session(*stream(start(0, type="server_tool_use"), delta(0, "{}"), stop(0), ended("end_turn")))

    assert report.ledger == ()


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([assistant(use()), user(result())], set()),
        ([assistant(use())], set()),
        ([assistant(use("a"), use("b")), user(result("a"))], {"response-missing"}),
        ([assistant(use("a")), user(result("a"), result("b"))], {"response-orphan"}),
        ([assistant(use("a"), use("b")), user(result("a")), user(result("b"))], {"response-split"}),
        ([assistant(use()), user({"text": "hurry"}), user(result())], {"response-not-adjacent"}),
    ],
)
def test_the_results_of_a_turn_are_those_of_its_calls(messages: list[Any], expected: set[str]) -> None:
    report = session({"modelId": "m", "messages": messages, "toolConfig": CONFIG})

    assert {code for code in codes(report.findings) if code.startswith("response")} == expected


@pytest.mark.parametrize(
    ("more", "missing"), [({}, True), ({"toolConfig": None}, True), ({"toolConfig": CONFIG}, False)]
)
def test_a_history_with_tool_blocks_needs_its_tools(more: Any, missing: bool) -> None:
    report = extract({"messages": [assistant(use()), user(result())], **more})

    assert ("declaration-missing" in codes(report.findings)) is missing


def test_a_history_without_tool_blocks_needs_none() -> None:
    report = extract({"messages": [user({"text": "hi"}), assistant({"text": "hello"})], "modelId": "m"})

    assert codes(report.findings) == set()


def test_an_object_is_answered_as_json_and_any_other_value_as_text() -> None:
    calls = response(use("a"), use("b"), use("c", {"room": "attic"}))
    answer = drafted(calls, results={"a": {"on": True}, "b": [1]})

    assert [block["toolResult"]["status"] for block in answer[0]["content"]] == [
        "success",
        "success",
        "error",
    ]
    assert [block["toolResult"]["content"] for block in answer[0]["content"][:2]] == [
        [{"json": {"on": True}}],
        [{"text": "[1]"}],
    ]
    assert states(session(calls, *answer, contracts=CONTRACTS)) == {
        "a": "answered",
        "b": "answered",
        "c": "errored",
    }
