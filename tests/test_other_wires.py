"""LiveKit items, Pipecat RTVI and Gemini Interactions: told apart from what they look like."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires import CONTRACTS, codes, drafted, extract, kinds, session, states


def lk_call(arguments: Any = '{"room": "kitchen"}', **more: Any) -> dict[str, Any]:
    item = {"id": "item_1", "type": "function_call", "call_id": "lk_1", "name": "set_light"}
    return {**item, "arguments": arguments, "created_at": 1.5, "extra": {}, "group_id": None, **more}


def lk_output(**more: Any) -> dict[str, Any]:
    item = {"id": "item_2", "type": "function_call_output", "call_id": "lk_1", "name": "set_light"}
    return {**item, "output": "done", "is_error": False, "created_at": 2.5, **more}


def lk_message(**more: Any) -> dict[str, Any]:
    item = {"id": "item_3", "type": "message", "role": "user", "content": ["Light on."]}
    return {**item, "interrupted": False, "created_at": 0.5, **more}


def lk_said(**more: Any) -> dict[str, Any]:
    said = {"id": "i", "type": "message", "role": "user", "content": ["hi"], "interrupted": False}
    return {**said, "created_at": 1.0, **more}


def rtvi(kind: str, **data: Any) -> dict[str, Any]:
    return {"label": "rtvi-ai", "type": kind, "id": "m1", "data": data}


RUNNING = rtvi(
    "llm-function-call-in-progress",
    tool_call_id="pc_1",
    function_name="set_light",
    arguments={"room": "kitchen"},
)
STOPPED = "llm-function-call-stopped"


def step(**more: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": "c1",
        "name": "set_light",
        "arguments": {"room": "kitchen"},
        **more,
    }


def outcome(**more: Any) -> dict[str, Any]:
    return {"type": "function_result", "call_id": "c1", "name": "set_light", "result": {"on": True}, **more}


def streamed(event: str, **members: Any) -> dict[str, Any]:
    return {"event_type": event, **members}


@pytest.mark.parametrize(
    ("frame", "dialect", "kind"),
    [
        (lk_call(), "livekit", "call"),
        (lk_output(), "livekit", "response"),
        (lk_message(), "livekit", "turn"),
        (lk_message(extra={}, metrics={}), "livekit", "turn"),
        ({"items": [{"type": "message", "role": "user"}, lk_call(), lk_output()]}, "livekit", "session"),
        (rtvi("llm-function-call-started", function_name="f"), "pipecat-rtvi", "call-start"),
        (RUNNING, "pipecat-rtvi", "call"),
        (rtvi(STOPPED, tool_call_id="pc_1", cancelled=False, result=1), "pipecat-rtvi", "response"),
        (rtvi(STOPPED, tool_call_id="pc_1", cancelled=True), "pipecat-rtvi", "cancellation"),
        (rtvi("bot-llm-text", text="set_light()"), "pipecat-rtvi", "event"),
        ({"label": "rtvi-ai", "type": "bot-ready", "id": "m"}, "pipecat-rtvi", "event"),
        (step(), "gemini-interactions", "call"),
        (outcome(), "gemini-interactions", "response"),
        ({"id": "v1", "object": "interaction", "steps": [step()]}, "gemini-interactions", "call"),
        ({"id": "v1", "object": "interaction", "outputs": []}, "gemini-interactions", "turn"),
        ({"model": "m", "input": [outcome()]}, "gemini-interactions", "response"),
        (
            {"model": "m", "input": [outcome()], "previous_interaction_id": "v1"},
            "gemini-interactions",
            "response",
        ),
        ({"model": "m", "input": "hi", "previous_interaction_id": "v1"}, "gemini-interactions", "turn"),
        (streamed("interaction.created", interaction={"id": "v1"}), "gemini-interactions", "event"),
        (streamed("content.delta", index=0, delta=step()), "gemini-interactions", "call"),
        (
            streamed("step.start", index=0, step={"type": "google_search_call", "id": "s"}),
            "gemini-interactions",
            "call-hosted",
        ),
        (lk_said(), "livekit", "turn"),
        (lk_said(role="assistant", content=["hi", {"type": "audio_content"}]), "livekit", "turn"),
        ({"id": "i", "type": "agent_handoff", "new_agent_id": "a", "created_at": 1.0}, "livekit", "event"),
        ({"items": [lk_said(), lk_call(), lk_output()]}, "livekit", "session"),
    ],
)
def test_each_shape_is_recognised(frame: Any, dialect: str, kind: str) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind, report.status.value) == (dialect, kind, "green")


@pytest.mark.parametrize(
    ("frame", "dialect"),
    [
        ({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, "openai-responses"),
        (
            {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
            "openai-responses",
        ),
        ({"type": "function_call_output", "call_id": "c", "output": "x"}, "openai-responses"),
        (
            {"model": "m", "input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]},
            "openai-responses",
        ),
        ({"label": "other", "type": "llm-function-call-in-progress", "data": {}}, "unknown"),
        ({"event_type": "user.created"}, "unknown"),
        ({"id": "m", "type": "message", "role": "user", "content": [], "created_at": 1.0}, "unknown"),
        ({"items": [{"name": "f"}]}, "unknown"),
        ({"type": "message", "role": "user", "content": ["Light on."], "created_at": 0.5}, "unknown"),
        ({"type": "message", "role": "user", "interrupted": False}, "unknown"),
    ],
)
def test_look_alikes_go_to_their_own_dialect(frame: Any, dialect: str) -> None:
    assert extract(frame).dialect == dialect


# LiveKit --------------------------------------------------------------------------------


@pytest.mark.parametrize(("flag", "state"), [(False, "answered"), (True, "errored")])
def test_a_livekit_output_has_an_error_flag(flag: bool, state: str) -> None:
    assert states(session(lk_call(), lk_output(is_error=flag))) == {"lk_1": state}


def test_messages_stand_among_livekit_calls() -> None:
    report = session(lk_message(), lk_call(), lk_message(role="assistant", interrupted=True), lk_output())

    assert (report.dialect, report.status, codes(report.findings)) == ("livekit", "green", set())
    assert kinds(report) == ["turn", "call", "turn", "response"]


def test_livekit_arguments_are_json_text() -> None:
    assert codes(extract(lk_call({"room": "kitchen"})).findings) == {"args-wrong-encoding"}


def test_a_chat_context_is_followed_item_by_item() -> None:
    report = session({"items": [lk_call(), lk_output(call_id="lk_9")]})

    assert states(report) == {"lk_1": "pending", "lk_9": "orphan"}


def test_what_is_said_among_calls_leaves_the_session_green() -> None:
    assert session(lk_said(), lk_call(), lk_output(), lk_said(role="assistant")).status.value == "green"
    assert "response-missing" in codes(session(lk_said(), lk_call(), lk_said()).findings)


def test_a_livekit_output_is_a_text() -> None:
    assert "response-output-not-string" in codes(session(lk_call(), lk_output(output={"on": True})).findings)


def test_a_livekit_answer_is_an_output_item() -> None:
    answers = drafted(lk_call('{"room": "attic"}'))

    assert [(each["type"], each["call_id"], each["is_error"]) for each in answers] == [
        ("function_call_output", "lk_1", True)
    ]
    assert extract(*answers).dialect == "livekit"


# Pipecat --------------------------------------------------------------------------------


def test_a_function_is_followed_from_its_start_to_its_stop() -> None:
    report = session(
        rtvi("llm-function-call-started", tool_call_id="pc_1", function_name="set_light"),
        RUNNING,
        rtvi(STOPPED, tool_call_id="pc_1", cancelled=False, result={"on": True}),
    )

    assert states(report) == {"pc_1": "answered"}
    assert kinds(report) == ["call-start", "call", "response"]


def test_a_function_that_was_cancelled_is_cancelled() -> None:
    assert states(session(RUNNING, rtvi(STOPPED, tool_call_id="pc_1", cancelled=True))) == {
        "pc_1": "cancelled"
    }


# Gemini Interactions ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (outcome(), set()),
        (outcome(result="done"), set()),
        (outcome(name=None), {"response-name-missing"}),
        (outcome(call_id=""), {"response-id-missing"}),
        (outcome(is_error=True), {"response-is-error"}),
        (step(id=""), {"call-id-missing"}),
    ],
)
def test_a_step_has_its_id_and_may_lack_a_name(frame: Any, expected: set[str]) -> None:
    assert codes(extract(frame).findings) == expected


def test_a_step_is_streamed_by_its_index() -> None:
    report = session(
        streamed("interaction.created", interaction={"id": "v1", "object": "interaction"}),
        streamed("step.start", index=0, step={"type": "function_call", "id": "c1", "name": "set_light"}),
        streamed("step.delta", index=0, delta={"type": "arguments_delta", "partial_arguments": '{"room": '}),
        streamed("step.delta", index=0, delta={"type": "arguments_delta", "partial_arguments": '"hall"}'}),
        streamed("step.stop", index=0),
        streamed("interaction.completed", interaction={"id": "v1", "status": "requires_action"}),
        contracts=CONTRACTS,
    )

    assert [(row.id, row.verdict) for row in report.ledger] == [("c1", "accept")]
    assert report.status == "green"


def test_the_answers_are_the_steps_of_the_next_input() -> None:
    one = drafted(step(), results={"c1": {"on": True}})
    two = drafted(
        {"object": "interaction", "steps": [step(), step(id="c2", arguments={"room": "attic"})]},
        results={"c1": "on"},
    )

    assert one == [outcome()]
    assert [(each["call_id"], each.get("is_error")) for each in two[0]] == [("c1", None), ("c2", True)]


def test_an_answer_to_an_earlier_interaction_is_no_orphan() -> None:
    asked = {"id": "v1", "object": "interaction", "status": "requires_action", "steps": [step()]}
    answered = {"model": "m", "previous_interaction_id": "v1", "input": [outcome()]}

    assert codes(session(answered).findings) == {"history-not-shown"}
    assert codes(session(asked, answered).findings) == set()
    assert states(session(asked, answered)) == {"c1": "answered"}
