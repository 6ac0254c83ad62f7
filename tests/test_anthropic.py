"""Anthropic Messages: blocks, messages, requests and streams, and the order that the service wants."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import workbench
from tests.wires import CONTRACTS, codes, drafted, extract, kinds, lines, session, states

USER = {"role": "user", "content": "lights please"}
SCHEMA = {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}


def use(id: str = "toolu_1", room: Any = "kitchen", name: str = "set_light") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": {"room": room}}


def result(id: str = "toolu_1", content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def request(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 99, "messages": list(messages), **more}


def message(*blocks: Any, stop: str | None = "tool_use") -> dict[str, Any]:
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": blocks, "stop_reason": stop}


def start(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, text: str) -> dict[str, Any]:
    piece = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": piece}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str = "tool_use") -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}


# What is read --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (use(), "call"),
        (result(), "response"),
        (message(use()), "call"),
        (message({"type": "text", "text": "hi"}, stop="end_turn"), "turn"),
        (assistant(use()), "call"),
        (user(result()), "response"),
        (request(USER, assistant(use()), user(result())), "session"),
        (request(USER, tools=[{"name": "f", "input_schema": SCHEMA}]), "declaration"),
        (request(USER, system="Be brief."), "turn"),
        ({"name": "f", "input_schema": SCHEMA}, "declaration"),
        ({"type": "custom", "name": "f", "input_schema": SCHEMA}, "declaration"),
        ({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}, "call-hosted"),
        (start(0, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}), "call-hosted"),
        (start(0, {"type": "text", "text": ""}), "event"),
        (start(0, {**use(), "input": {}}), "call-start"),
        (delta(0, ""), "call-delta"),
        ({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}, "event"),
        ({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}, "event"),
        (ended(), "turn-end"),
        ({"type": "message_stop"}, "event"),
        ({"type": "ping"}, "event"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error"),
    ],
)
def test_each_shape_is_recognised(frame: Any, kind: str) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind, report.status.value) == ("anthropic", kind, "green")


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "ping", "ping_event": {"event_id": 1}},
        {"type": "error", "event_id": "e", "error": {"type": "x", "message": "y"}},
        {"type": "error", "sequence_number": 3, "error": {"type": "x", "message": "y"}},
        {"type": "error", "status": 400, "error": {"type": "x", "message": "y"}},
        {"type": "tool_use"},
        {"type": "tool_result", "tool_call_id": "c", "content": "x"},
        {"type": "content_block_start", "index": 0},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
        {"messages": [USER], "system": "Be brief."},
        {"name": "f", "inputSchema": SCHEMA},
        {"name": "f", "description": "no schema"},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
    ],
)
def test_look_alikes_are_not_taken(frame: Any) -> None:
    assert extract(frame).dialect != "anthropic"


def test_a_list_of_messages_is_a_conversation() -> None:
    report = session(USER, assistant(use()), user(result()))

    assert report.dialect == "anthropic"
    assert kinds(report) == ["turn", "call", "response"]
    assert states(report) == {"toolu_1": "answered"}


# A call that is streamed ------------------------------------------------------------


def test_fragments_are_joined_by_index_and_judged_as_one_object() -> None:
    report = session(
        start(0, {**use("a"), "input": {}}),
        start(1, {**use("b"), "input": {}}),
        delta(0, ""),
        delta(0, '{"room": "kit'),
        delta(1, '{"room": "attic"}'),
        delta(0, 'chen"}'),
        stop(0),
        stop(1),
        ended(),
        contracts=CONTRACTS,
    )

    assert [(row.id, row.verdict, row.executable) for row in report.ledger] == [
        ("a", "accept", True),
        ("b", "refuse", False),
    ]
    assert codes(report.findings) == {"args-schema"}


def test_no_fragment_at_all_means_no_args() -> None:
    report = extract(start(0, {**use("a"), "input": {}}), delta(0, ""), stop(0), ended())

    assert [(call.id, call.args.text) for call in report.calls if call.args] == [("a", "{}")]


def test_a_gateway_may_tell_the_whole_input_in_the_start() -> None:
    report = session(start(0, use("a", "hall")), delta(0, ""), stop(0), ended(), contracts=CONTRACTS)

    assert [(row.id, row.verdict) for row in report.ledger] == [("a", "accept")]


def test_fragments_of_a_hosted_call_are_no_call() -> None:
    report = session(
        start(0, {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
        delta(0, '{"query": "x"}'),
        stop(0),
        start(1, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}),
        stop(1),
        ended("end_turn"),
    )

    assert report.ledger == ()
    assert report.status == "green"


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "model_context_window_exceeded"])
def test_a_turn_that_was_cut_leaves_no_call_to_run(reason: str) -> None:
    report = session(message(use(), stop=reason))

    assert "call-incomplete" in codes(report.findings)
    assert not any(row.executable for row in report.ledger)


def test_a_cut_turn_does_not_reach_back_to_earlier_calls() -> None:
    report = session(
        request(USER, assistant(use()), user(result())),
        message({"type": "text", "text": "and then"}, stop="max_tokens"),
    )

    assert states(report) == {"toolu_1": "answered"}
    assert report.status == "green"


# A conversation ---------------------------------------------------------------------


def test_a_request_that_replays_the_history_tells_nothing_twice() -> None:
    tools = [{"name": "set_light", "input_schema": SCHEMA}]
    report = session(
        request(USER, tools=tools),
        message(use()),
        request(USER, assistant(use()), user(result()), tools=tools),
        message(use("toolu_2", "hall")),
        request(
            USER,
            assistant(use()),
            user(result()),
            assistant(use("toolu_2", "hall")),
            user(result("toolu_2")),
            tools=tools,
        ),
    )

    assert codes(report.findings) <= {"open-object"}
    assert states(report) == {"toolu_1": "answered", "toolu_2": "answered"}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([assistant(use()), user(result())], set()),
        ([assistant(use()), user(result(), {"type": "text", "text": "thanks"})], set()),
        ([assistant(use())], set()),
        ([assistant(use()), user({"type": "text", "text": "x"}, result())], {"response-order"}),
        ([assistant(use()), {"role": "user", "content": "hurry"}], {"response-missing"}),
        ([assistant(use()), {"role": "user", "content": "x"}, user(result())], {"response-not-adjacent"}),
        (
            [assistant(use("a"), use("b", "hall")), user(result("a")), user(result("b"))],
            {"response-split"},
        ),
        ([assistant(use("a"), use("b", "hall")), user(result("b"), result("a"))], set()),
        ([user(result("gone"))], {"response-orphan"}),
        ([assistant(use()), user(result(), result())], {"response-duplicate"}),
        (
            [assistant(use()), user(result()), assistant(use(room="hall")), user(result())],
            {"call-id-duplicate"},
        ),
    ],
)
def test_answers_stand_where_the_service_looks(messages: list[Any], expected: set[str]) -> None:
    for report in (session(request(USER, *messages)), session(USER, *messages)):
        assert {code for code in codes(report.findings) if code.startswith(("response", "call"))} == expected


@pytest.mark.parametrize(
    ("content", "silent"),
    [("", True), (" ", True), (None, True), ([], True), ([{"type": "text", "text": ""}], True), ("x", False)],
)
def test_an_error_says_what_went_wrong(content: Any, silent: bool) -> None:
    report = extract(user(result(content=content, is_error=True)))

    assert ("response-error-empty" in codes(report.findings)) is silent


def test_a_result_may_be_empty_where_it_is_no_error() -> None:
    assert extract(user(result(content=""))).status == "green"


# Declarations and the answer ----------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "refused"),
    [
        (SCHEMA, False),
        ({"type": "object", "properties": {"x": {"oneOf": [{"type": "string"}]}}}, False),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, True),
        ({"type": "array"}, True),
        ({"properties": {}}, True),
    ],
)
def test_the_root_of_input_schema_is_one_object(schema: Any, refused: bool) -> None:
    report = extract({"name": "f", "input_schema": schema})

    assert ("declaration-schema-root-not-object" in codes(report.findings)) is refused


def test_what_a_request_declares_judges_its_calls() -> None:
    tools = [{"name": "set_light", "input_schema": {**SCHEMA, "additionalProperties": False}}]
    report = session(request(USER, tools=tools), message({**use(), "input": {"rom": "kitchen"}}))

    assert [row.verdict for row in report.ledger] == ["refuse"]


def test_the_answer_is_one_user_message_with_an_error_for_each_refused_call() -> None:
    answer = drafted(message(use("a"), use("b", "attic")), results={"a": {"on": True}})

    assert answer == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": '{"on": true}'},
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "content": '{"code": "invalid_args", "message": "room is not in the list"}',
                    "is_error": True,
                },
            ],
        }
    ]
    assert (
        session(message(use("a"), use("b", "attic")), *answer, contracts=CONTRACTS).ledger[1].state
        == "errored"
    )


@pytest.mark.parametrize(
    ("frame", "kind", "reason"),
    [
        (message(use()), "tool-request", None),
        (message({"type": "text", "text": "done"}, stop="end_turn"), "answer-candidate", None),
        (message({"type": "text", "text": "half"}, stop="max_tokens"), "not-complete", None),
        (message(use(name="")), "needs-review", "bad-call"),
        (message({"type": "image", "source": {}}, use()), "needs-review", "unsupported-part"),
        (message({"type": "thinking", "thinking": "hm"}, stop="end_turn"), "needs-review", "empty-content"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, "api-error", None),
        (assistant(use()), "unknown", None),
    ],
)
def test_a_finished_message_is_classified(frame: Any, kind: str, reason: str | None) -> None:
    report = workbench.classify(lines(frame))

    assert (report.kind, report.reason) == (kind, reason)
    assert (report.status == "green") is (kind in ("tool-request", "answer-candidate"))


def test_the_content_of_a_finished_message_is_what_goes_back() -> None:
    report = workbench.classify(lines(message({"type": "text", "text": "one moment"}, use())))

    assert report.text == "one moment"
    assert report.model_content is not None
    assert json.loads(report.model_content.text) == assistant({"type": "text", "text": "one moment"}, use())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"on": True}, {"response-content-not-list"}),
        (3, {"response-content-not-list"}),
        ("done", set()),
        ([{"type": "text", "text": "done"}], set()),
        ([], set()),
    ],
)
def test_the_content_of_a_result_is_a_text_or_a_list(content: Any, expected: set[str]) -> None:
    assert codes(session(assistant(use()), user(result(content=content))).findings) == expected
