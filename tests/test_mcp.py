"""MCP: both protocol families, requests of other kinds, results and errors, what a session adds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires import CONTRACTS, codes, drafted, extract, kinds, session, states

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
OUTPUT = {"type": "object", "required": ["on"]}


def rpc(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **members}


def call(id: Any = 7, room: str = "kitchen", name: str = "set_light", **params: Any) -> dict[str, Any]:
    return rpc(id=id, method="tools/call", params={"name": name, "arguments": {"room": room}, **params})


def result(id: Any = 7, said: str = "done", **more: Any) -> dict[str, Any]:
    return rpc(id=id, result={"content": [{"type": "text", "text": said}], **more})


def tools(*listed: Any, id: int = 1, **more: Any) -> dict[str, Any]:
    return rpc(id=id, result={"tools": list(listed), **more})


def tool(name: str = "set_light", **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def cancel(id: Any = 7) -> dict[str, Any]:
    return rpc(method="notifications/cancelled", params={"requestId": id})


@pytest.mark.parametrize(
    ("frame", "kind", "direction"),
    [
        (call(), "call", "client"),
        (call(_meta=META), "call", "client"),
        (result(), "response", "server"),
        (result(resultType="complete"), "response", "server"),
        (rpc(id=7, error={"code": -32601, "message": "no such method"}), "response", "server"),
        (
            rpc(id=7, result={"resultType": "input_required", "requestState": "s"}),
            "response-partial",
            "server",
        ),
        (rpc(id=7, result={"task": {"taskId": "t", "status": "working"}}), "response-partial", "server"),
        (cancel(), "cancellation", None),
        (tools(tool()), "declaration", "server"),
        (tool(), "declaration", "server"),
        ({"tools": [tool()]}, "declaration", "server"),
        (rpc(id=0, method="initialize", params={"protocolVersion": "2025-11-25"}), "event", None),
        (rpc(id=0, result={"protocolVersion": "2025-11-25", "serverInfo": {}}), "event", "server"),
        (rpc(method="notifications/initialized"), "event", None),
        (rpc(id=4, method="ping"), "event", None),
        (rpc(id=4, result={}), "event", "server"),
        (rpc(id=5, result={"contents": []}), "event", "server"),
        (rpc(id=6, result={"action": "accept", "content": {}}), "event", "server"),
    ],
)
def test_each_message_is_recognised(frame: Any, kind: str, direction: str | None) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind, report.status.value) == ("mcp", kind, "green")
    assert report.frames[0].direction == direction


@pytest.mark.parametrize(
    "frame",
    [
        {"jsonrpc": "1.0", "id": 7, "method": "tools/call", "params": {}},
        {"id": 7, "method": "eth_call", "params": []},
        {"name": "set_light", "description": "no schema"},
        {"tools": [{"name": "f", "input_schema": {}}]},
    ],
)
def test_look_alikes_are_not_taken(frame: Any) -> None:
    assert extract(frame).dialect != "mcp"


@pytest.mark.parametrize("id", [7, "7", "a-b"])
def test_an_answer_bears_the_id_with_its_json_type(id: Any) -> None:
    assert states(session(call(id), result(id))) == {id: "answered"}


def test_a_number_and_its_text_are_two_ids() -> None:
    report = session(call(7), result("7"))

    assert states(report) == {7: "pending", "7": "orphan"}
    assert codes(report.findings) == {"response-missing", "response-orphan"}


@pytest.mark.parametrize("id", [None, "", 1.5, True])
def test_a_request_without_a_usable_id_is_refused(id: Any) -> None:
    assert codes(extract(call(id)).findings) == {"call-id-missing"}


# Other requests -----------------------------------------------------------------------


def test_only_results_of_tool_calls_are_answers() -> None:
    report = session(
        rpc(id=0, method="initialize", params={}),
        rpc(id=0, result={"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}),
        rpc(id=1, method="tools/list"),
        tools(tool()),
        call(2),
        rpc(id=3, method="ping"),
        rpc(id=3, result={}),
        rpc(id=4, method="prompts/get", params={"name": "x"}),
        rpc(id=4, error={"code": -32602, "message": "no such prompt"}),
        result(2),
    )

    assert states(report) == {2: "answered"}
    assert codes(report.findings) <= {"open-object"}
    assert kinds(report)[-4:] == ["event", "event", "event", "response"]


def test_an_empty_result_of_a_call_lacks_its_content() -> None:
    report = session(call(), rpc(id=7, result={}))

    assert codes(report.findings) == {"mcp-content-missing"}
    assert states(report) == {7: "answered"}


def test_only_calls_are_cancelled() -> None:
    report = session(rpc(id=5, method="resources/read", params={"uri": "x"}), cancel(5), call(6), cancel(6))

    assert states(report) == {6: "cancelled"}
    assert codes(report.findings) == set()


def test_a_late_answer_is_told_and_is_no_fault() -> None:
    report = session(call(), cancel(), result())

    assert codes(report.findings) == {"response-late"}
    assert [(row.state, row.late) for row in report.ledger] == [("cancelled", True)]
    assert report.status == "green"


# Results ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (result(), set()),
        (result(structuredContent={"on": True}), set()),
        (result(structuredContent=[1]), {"mcp-structured-not-object"}),
        (result(structuredContent=[1], resultType="complete"), set()),
        (rpc(id=7, result={"structuredContent": {"on": True}}), {"mcp-content-missing"}),
        (rpc(id=7, result={"content": "done"}), {"mcp-content-missing"}),
        (rpc(id=7, result={"content": []}), set()),
        (
            rpc(id=7, result={"content": [], "structuredContent": {"on": True}}),
            {"mcp-text-fallback-missing"},
        ),
        (rpc(id=7, result={"content": [{"type": "json"}]}), {"mcp-content-type-unknown"}),
        (rpc(id=7, result={"content": [{"type": "resource_link", "uri": "x"}]}), set()),
        (result(isError=True), {"response-is-error"}),
        (result(isError=True, structuredContent={"x": 1}), {"response-is-error", "mcp-error-structured"}),
        (
            rpc(id=7, result={"content": []}, error={"code": 1, "message": "x"}),
            {"response-is-error", "mcp-result-and-error"},
        ),
    ],
)
def test_a_result_has_what_the_protocol_asks_for(frame: Any, expected: set[str]) -> None:
    assert codes(extract(frame).findings) == expected


def test_the_family_of_the_session_decides_on_structured_content() -> None:
    array = result(structuredContent=[1])

    assert "mcp-structured-not-object" in codes(session(call(), array).findings)
    assert codes(session(call(_meta=META), array).findings) == set()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (result(said='{"on": true}'), {"mcp-structured-missing"}),
        (result(structuredContent={"on": True}), set()),
        (result(structuredContent={"off": True}), {"result-schema"}),
        (result(isError=True), {"response-is-error"}),
        (rpc(id=7, error={"code": -32602, "message": "x"}), {"response-is-error"}),
    ],
)
def test_a_declared_output_schema_is_met_by_structured_content(answer: Any, expected: set[str]) -> None:
    report = session(tools(tool(outputSchema=OUTPUT)), call(), answer)

    assert codes(report.findings) - {"open-object"} == expected


def test_without_an_output_schema_text_is_enough() -> None:
    assert codes(session(tools(tool()), call(), result()).findings) <= {"open-object"}


# What the session shows -----------------------------------------------------------------


def test_pages_of_a_tool_list_add_up() -> None:
    report = session(
        tools(tool("a"), nextCursor="p2"),
        tools(tool("b"), id=2),
        call(3, name="a"),
        result(3),
        call(4, name="b"),
        result(4),
    )

    assert {row.verdict for row in report.ledger} == {"accept"}


def test_a_new_list_replaces_the_old_one() -> None:
    report = session(tools(tool("a")), tools(tool("b"), id=2), call(3, name="a"), result(3, isError=True))

    assert "call-name-unknown" in codes(report.findings)


def test_a_request_that_wants_input_is_over_when_the_client_asks_again() -> None:
    wants = rpc(id=8, result={"resultType": "input_required", "inputRequests": {}, "requestState": "s1"})
    again = call(9, _meta=META, inputResponses={}, requestState="s1")

    retried = session(call(8, _meta=META), wants, again, result(9, resultType="complete"))
    waiting = session(call(8, _meta=META), wants)

    assert codes(retried.findings) == set()
    assert states(retried) == {8: "answered", 9: "answered"}
    assert codes(waiting.findings) == {"response-missing"}


def test_the_result_of_a_task_answers_the_call_that_began_it() -> None:
    report = session(
        call(8, task={}),
        rpc(id=8, result={"task": {"taskId": "t", "status": "working"}}),
        rpc(id=9, method="tasks/get", params={"taskId": "t"}),
        rpc(id=9, result={"taskId": "t", "status": "completed"}),
        rpc(id=10, method="tasks/result", params={"taskId": "t"}),
        result(10),
    )

    assert codes(report.findings) == set()
    assert states(report) == {8: "answered"}


def test_the_same_request_again_while_the_first_is_open_is_told() -> None:
    twice = session(call(1), call(2), result(1), result(2))
    in_turn = session(call(1), result(1), call(2), result(2))

    assert codes(twice.findings) == {"call-repeated"}
    assert codes(in_turn.findings) == set()


def test_many_calls_in_a_row_are_no_circle_where_the_model_is_not_heard() -> None:
    rounds = [each for id in range(12) for each in (call(id), result(id))]

    assert codes(session(*rounds).findings) == set()


def test_a_second_handshake_begins_a_connection_with_ids_of_its_own() -> None:
    hello = rpc(id=0, method="initialize", params={"protocolVersion": "2025-11-25"})
    report = session(hello, call(1), result(1), hello, call(1, room="hall"), result(1))
    without = session(call(1), result(1), call(1, room="hall"), result(1))

    assert codes(report.findings) == set()
    assert [row.state for row in report.ledger] == ["answered", "answered"]
    assert codes(without.findings) == {"call-id-duplicate"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("set_light", set()),
        ("a" * 64, set()),
        ("lights.set", {"declaration-name-not-portable"}),
        ("a" * 65, {"declaration-name-not-portable"}),
        ("Set Light", {"declaration-name-charset"}),
        ("a" * 129, {"declaration-name-charset"}),
    ],
)
def test_names_are_those_that_models_take(name: str, expected: set[str]) -> None:
    report = extract(tool(name))

    assert codes(report.findings) == expected
    assert report.status == "green"


# The answer -----------------------------------------------------------------------------


def test_a_refusal_is_a_result_and_an_unknown_tool_an_error() -> None:
    calls = [call(7), call("8", room="attic"), call(9, name="nope")]
    answers = drafted(*calls, results={"7": {"on": True}})

    assert [answer["id"] for answer in answers] == [7, "8", 9]
    assert answers[0]["result"] == {
        "content": [{"type": "text", "text": '{"on": true}'}],
        "structuredContent": {"on": True},
        "isError": False,
    }
    assert answers[1]["result"]["isError"] is True
    assert answers[2]["error"]["code"] == -32602
    assert states(session(*calls, *answers, contracts=CONTRACTS)) == {
        7: "answered",
        "8": "errored",
        9: "errored",
    }


def test_the_answer_to_a_request_with_an_envelope_says_its_result_type() -> None:
    assert drafted(call(_meta=META))[0]["result"]["resultType"] == "complete"
    assert "resultType" not in drafted(call())[0]["result"]


ASKS = [
    ("ping", {}),
    ("roots/list", {"roots": []}),
    ("elicitation/create", {"action": "accept", "content": {"room": "hall"}}),
    ("sampling/createMessage", {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}),
]


@pytest.mark.parametrize(("method", "said"), ASKS)
def test_a_request_of_the_server_may_bear_the_id_of_an_open_call(method: str, said: Any) -> None:
    asks, answers = rpc(id=7, method=method), rpc(id=7, result=said)

    inside = session(call(), asks, answers, result())
    assert (states(inside), inside.status.value) == ({7: "answered"}, "green")
    before = session(asks, answers, call(), result())
    assert (states(before), before.status.value) == ({7: "answered"}, "green")
    lost = session(call(), asks, answers)
    assert "response-missing" in codes(lost.findings)
    twice = session(call(), asks, answers, result(), result())
    assert "response-duplicate" in codes(twice.findings)


def test_an_error_answers_the_last_request_with_its_id() -> None:
    asks = rpc(id=7, method="sampling/createMessage")
    refused = rpc(id=7, error={"code": -1, "message": "no"})

    assert session(call(), asks, refused, result()).status.value == "green"
    assert states(session(call(), refused)) == {7: "errored"}
