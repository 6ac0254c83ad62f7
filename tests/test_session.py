"""Whole sessions: every call from request to answer, and what goes wrong over their length."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterable
from typing import Any

import httpx
import pytest

from app import limits, workbench
from app.reports import PairReport

SETUP: dict[str, Any] = {
    "setup": {
        "model": "models/gemini-3.8-live",
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "set_light",
                        "description": "Set a light.",
                        "behavior": "NON_BLOCKING",
                        "parameters": {"type": "OBJECT", "properties": {"room": {"type": "STRING"}}},
                    }
                ]
            }
        ],
    }
}
READY: dict[str, Any] = {"setupComplete": {}}
CONTRACT = json.dumps([{"name": "set_light", "parameters": {"type": "object"}}])


def call(id: str = "a", name: str = "set_light", **args: Any) -> dict[str, Any]:
    return {"toolCall": {"functionCalls": [{"id": id, "name": name, "args": args}]}}


def answer(id: str = "a", name: str = "set_light", **more: Any) -> dict[str, Any]:
    entry = {"id": id, "name": name, "response": {"result": {"ok": True}}, **more}
    return {"toolResponse": {"functionResponses": [entry]}}


def cancel(*ids: str) -> dict[str, Any]:
    return {"toolCallCancellation": {"ids": ids}}


def close(code: int) -> dict[str, Any]:
    return {"close": {"code": code, "reason": ""}}


def lines(*frames: Any) -> str:
    return "\n".join(each if isinstance(each, str) else json.dumps(each) for each in frames)


def session(*frames: Any, contracts: str | None = None) -> PairReport:
    return workbench.read_session(lines(*frames), contracts)


def codes(report: PairReport) -> list[str]:
    """The codes of warnings and errors."""
    return [finding.code for finding in report.findings if finding.severity != "info"]


def rows(report: PairReport) -> list[tuple[str | int | None, str]]:
    return [(row.id, row.state) for row in report.ledger]


# The answer -----------------------------------------------------------------------


def test_a_good_session_is_green_and_tells_every_call() -> None:
    report = session(
        SETUP,
        READY,
        call("a", room="hall"),
        call("b", room="attic"),
        answer("b"),
        cancel("a"),
        call("c"),
        answer("c"),
    )

    assert (report.status, report.dialect, report.kind) == ("green", "gemini-live", "session")
    assert [frame.kind for frame in report.frames] == [
        "setup",
        "setup-complete",
        "call",
        "call",
        "response",
        "cancellation",
        "call",
        "response",
    ]
    assert rows(report) == [("a", "cancelled"), ("b", "answered"), ("c", "answered")]
    first, second, _ = report.ledger
    assert (first.call_frame, first.response_frame, first.cancel_frame) == (2, None, 5)
    assert (first.verdict, first.executable, first.late) == ("accept", False, False)
    assert (second.call_frame, second.call_pointer) == (3, "/toolCall/functionCalls/0")
    assert (second.response_frame, second.response_pointer) == (4, "/toolResponse/functionResponses/0")
    assert second.args is not None
    assert second.args.text == second.args_text == '{"room": "attic"}'
    assert (report.summary.calls, report.summary.responses, report.summary.cancelled) == (3, 2, 1)
    assert report.summary.followups == 0


def test_the_route_answers_what_the_core_says(client: httpx.Client) -> None:
    text = lines(SETUP, READY, call(), answer("b"))
    given = client.post("/api/session", json={"text": text}).json()

    assert list(given) == [
        "status",
        "dialect",
        "kind",
        "frames",
        "ledger",
        "findings",
        "findings_total",
        "summary",
    ]
    assert [finding["code"] for finding in given["findings"]] == [
        finding.code for finding in workbench.read_session(text).findings
    ]
    assert given["ledger"][1]["verdict"] is given["ledger"][1]["call_frame"] is None


@pytest.mark.parametrize("text", ["", " \n"])
def test_nothing_pasted_is_idle(text: str) -> None:
    report = workbench.read_session(text)

    assert (report.status, report.kind, report.findings) == ("idle", "unknown", ())


def test_an_orphan_has_a_row_without_call_or_verdict() -> None:
    report = session(call("a"), answer("A"))

    assert rows(report) == [("a", "pending"), ("A", "orphan")]
    orphan = report.ledger[1]
    assert (orphan.verdict, orphan.call_frame, orphan.args) == (None, None, None)
    assert not orphan.executable
    assert sorted(codes(report)) == ["response-missing", "response-orphan"]


def test_a_late_answer_leaves_its_call_cancelled() -> None:
    report = session(call(), cancel("a"), answer())

    assert codes(report) == ["response-to-cancelled"]
    assert (report.ledger[0].state, report.ledger[0].late, report.ledger[0].response_frame) == (
        "cancelled",
        True,
        2,
    )


def test_a_reused_id_gets_a_second_row_which_is_answered_by_itself() -> None:
    report = session(call(), answer(), call(name="get_time"), answer(name="get_time"))

    assert codes(report) == ["call-id-duplicate"]
    assert rows(report) == [("a", "answered"), ("a", "answered")]
    assert [row.response_frame for row in report.ledger] == [1, 3]
    assert not any(row.executable for row in report.ledger)


def test_a_reused_id_may_stay_open() -> None:
    report = session(call(), answer(), call(name="get_time"))

    assert sorted(codes(report)) == ["call-id-duplicate", "response-missing"]
    assert rows(report) == [("a", "answered"), ("a", "pending")]


def test_what_a_rule_over_the_session_finds_stands_in_the_row_of_its_call() -> None:
    report = session(call("a"), call("b"), answer("a"), answer("b"))

    assert codes(report) == ["call-repeated"]
    assert [[finding.code for finding in row.findings] for row in report.ledger] == [[], ["call-repeated"]]
    assert report.frames[1].status == "green"


ROOM = json.dumps(
    [
        {
            "name": "set_light",
            "parameters": {
                "type": "object",
                "properties": {"room": {"type": "string"}},
                "additionalProperties": False,
            },
        }
    ]
)


def test_a_row_holds_the_findings_of_its_call_alone() -> None:
    report = session(
        call("a", room=1), answer("a", response={"error": "no"}), call("b"), answer("b"), contracts=ROOM
    )
    found = {row.id: [finding.code for finding in row.findings] for row in report.ledger}

    assert found == {"a": ["args-schema"], "b": []}


# What was declared at the moment ----------------------------------------------------


def update(*names: str) -> dict[str, Any]:
    declared = [{"name": name, "description": "d"} for name in names]
    return {"contextUpdate": {"tools": {"tools": [{"functionDeclarations": declared}]}}}


def test_a_call_is_judged_by_what_was_declared_at_its_moment() -> None:
    report = session(
        SETUP,
        READY,
        call("a"),
        answer("a"),
        update("get_time"),
        call("b"),
        answer("b", response={"error": "gone"}),
    )

    assert [row.verdict for row in report.ledger] == ["accept", "refuse"]
    assert codes(report) == ["call-name-unknown"]


def test_contracts_that_are_given_hold_whatever_is_declared() -> None:
    report = session(SETUP, READY, update("get_time"), call("a"), answer("a"), contracts=CONTRACT)

    assert report.ledger[0].verdict == "accept"
    assert codes(report) == []


def test_without_any_declaration_a_call_is_unchecked() -> None:
    assert session(call(), answer()).ledger[0].verdict == "unchecked"


def test_a_blocking_tool_has_one_answer() -> None:
    blocking = json.dumps([{"name": "set_light", "behavior": "BLOCKING", "parameters": {"type": "object"}}])
    more = answer(willContinue=True)

    assert rows(session(call(), more, contracts=blocking)) == [("a", "answered")]
    assert codes(session(call(), more, contracts=blocking)) == ["will-continue-ignored"]
    assert codes(session(call(), more, contracts=CONTRACT)) == ["response-missing"]


# Connections ------------------------------------------------------------------------


@pytest.mark.parametrize("code", [1000, 1001, 1005])
def test_a_normal_end_is_no_finding(code: int) -> None:
    assert session(SETUP, READY, call(), answer(), close(code)).status == "green"


@pytest.mark.parametrize("frame", [close(1011), {"event": "close", "code": 1006}, {"close": {"code": 4000}}])
def test_any_other_end_is_red_at_its_code(frame: dict[str, Any]) -> None:
    report = session(SETUP, READY, call(), answer(), frame)

    assert codes(report) == ["session-closed"]
    assert report.findings[-1].at.pointer.endswith("/code")
    assert (report.frames[-1].kind, report.frames[-1].dialect) == ("close", "gemini-live")


@pytest.mark.parametrize(
    "frame", [{"close": True}, {"close": {}}, {"event": "close"}, {"event": "open", "code": 1}]
)
def test_what_is_no_close_is_not_read_as_one(frame: dict[str, Any]) -> None:
    report = session(frame)

    assert report.frames[0].kind == "unknown"
    assert codes(report) == ["unknown-frame"]


def test_the_next_connection_may_use_an_id_anew_and_answers_only_its_own() -> None:
    anew = session(SETUP, READY, call(), answer(), close(1000), SETUP, READY, call(), answer())
    stale = session(SETUP, READY, call(), close(1000), SETUP, READY, answer())

    assert anew.status == "green"
    assert rows(anew) == [("a", "answered"), ("a", "answered")]
    assert sorted(codes(stale)) == ["response-missing", "response-wrong-connection"]


def test_two_connections_in_one_text_are_said_and_each_call_is_judged() -> None:
    behind = session(SETUP, READY, call(), answer(), SETUP, READY, call(), answer())
    between = session(SETUP, SETUP, READY, READY, call("a"), call("b", room="hall"), answer("a"), answer("b"))

    for report in (behind, between):
        assert codes(report) == ["setup-repeated"]
        assert [row.state for row in report.ledger] == ["answered", "answered"]


def test_two_dialects_in_one_text_are_followed_each_by_itself() -> None:
    asked = {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "set_light", "args": {}}}]}
    told = {
        "role": "user",
        "parts": [{"functionResponse": {"id": "a", "name": "set_light", "response": {"output": 1}}}],
    }
    report = session(call(), asked, answer(), told)

    assert report.dialect == "mixed"
    assert codes(report) == []
    assert [(row.call_frame, row.response_frame) for row in report.ledger] == [(0, 2), (1, 3)]


# The end ----------------------------------------------------------------------------

BODY = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"functionCall": {"id": "a", "name": "set_light", "args": {}}}],
            },
            "finishReason": "STOP",
        }
    ]
}
TOLD = {
    "role": "user",
    "parts": [{"functionResponse": {"id": "a", "name": "set_light", "response": {"output": 1}}}],
}


def test_in_a_live_session_an_unanswered_call_is_missing_its_answer() -> None:
    report = session(SETUP, READY, call())

    assert codes(report) == ["response-missing"]
    assert report.summary.pending == 1


def test_a_text_that_ends_with_the_turn_that_asks_misses_nothing() -> None:
    for frames in ([BODY], [{"contents": [USER, ASKED]}]):
        report = session(*frames)
        assert (report.status, codes(report), rows(report)) == ("green", [], [("a", "pending")])


def test_a_body_and_its_answer_are_a_session() -> None:
    report = session(BODY, TOLD)

    assert (report.status, report.kind, rows(report)) == ("green", "session", [("a", "answered")])


# Histories --------------------------------------------------------------------------

USER = {"role": "user", "parts": [{"text": "Light on."}]}
ASKED = {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "set_light", "args": {}}}]}
SAID = {"role": "model", "parts": [{"text": "Done."}]}
ASKED_AGAIN, TOLD_AGAIN = (json.loads(json.dumps(each).replace('"a"', '"b"')) for each in (ASKED, TOLD))


def test_a_request_is_a_history() -> None:
    report = session({"contents": [USER, ASKED, TOLD]})

    assert (report.kind, report.dialect, report.status) == ("history", "gemini-generate", "green")
    assert rows(report) == [("a", "answered")]


def test_a_history_counts_instead_of_missing() -> None:
    report = session({"contents": [USER, ASKED, USER]})

    assert codes(report) == ["history-count"]
    assert rows(report) == [("a", "pending")]


@pytest.mark.parametrize("contents", [[TOLD, SAID, USER], [USER, ASKED, TOLD, TOLD]])
def test_a_turn_of_answers_out_of_place_is_told_once(contents: list[Any]) -> None:
    report = session({"contents": contents})

    assert codes(report) == ["history-orphan"]
    assert [finding.code for row in report.ledger for finding in row.findings] == []


def test_a_history_declares_the_tools_of_its_calls() -> None:
    tools = [{"functionDeclarations": [{"name": "get_time", "description": "d"}]}]
    report = session({"contents": [USER, ASKED, TOLD], "tools": tools})

    assert report.ledger[0].verdict == "refuse"
    assert sorted(codes(report)) == ["call-name-unknown", "response-to-refused"]


@pytest.mark.parametrize("model", ["models/gemini-2.5-flash", "models/other-4", None])
def test_a_signature_is_asked_for_only_where_the_model_wants_it(model: str | None) -> None:
    body = {"contents": [USER, ASKED, TOLD], **({"model": model} if model else {})}

    assert codes(session(body)) == []
    assert codes(session({**body, "model": "models/gemini-3-pro"})) == ["signature-missing"]


def test_contents_alone_are_frames_of_one_history() -> None:
    report = session(USER, ASKED, TOLD, SAID)

    assert report.kind == workbench.extract(lines(USER, ASKED, TOLD, SAID)).kind == "history"

    assert [frame.kind for frame in report.frames] == ["client-content", "call", "response", "server-content"]
    assert report.status == "green"


def test_requests_that_replay_the_conversation_tell_each_call_once() -> None:
    first, second = {"contents": [USER]}, {"contents": [USER, ASKED, TOLD]}
    last = {"contents": [USER, ASKED, TOLD, SAID, USER, ASKED_AGAIN, TOLD_AGAIN]}
    report = session(first, BODY, second, SAID, last)

    assert codes(report) == []
    assert [(row.id, row.call_frame, row.response_frame) for row in report.ledger] == [
        ("a", 1, 2),
        ("b", 4, 4),
    ]
    assert report.summary.calls == 2


def test_a_replay_may_lose_what_it_replays() -> None:
    signed = json.loads(json.dumps(BODY))
    signed["candidates"][0]["content"]["parts"][0]["thoughtSignature"] = "Eq0B"
    request = {"model": "models/gemini-3-pro", "contents": [USER, ASKED, TOLD]}

    assert codes(session({"contents": [USER]}, signed, request)) == ["signature-missing"]
    assert codes(session({"contents": [USER]}, BODY, {"contents": [USER, ASKED, USER]})) == ["history-count"]


def test_another_conversation_begins_anew() -> None:
    other = {"contents": [{"role": "user", "parts": [{"text": "Time?"}]}]}

    assert codes(session({"contents": [USER]}, BODY, other)) == []
    report = session({"contents": [USER, ASKED, TOLD]}, {"contents": [SAID, USER, ASKED, TOLD]})
    assert codes(report) == []
    assert rows(report) == [("a", "answered"), ("a", "answered")]
    assert all(row.executable for row in report.ledger)


# The tool loop ----------------------------------------------------------------------


def rounds(count: int, *, every: Any = None, at: int = 0) -> list[Any]:
    out = []
    for number in range(count):
        id = f"c{number}"
        out += [call(id, n=number), answer(id)]
        if every is not None and number == at:
            out.append(every)
    return out


def test_more_than_eight_rounds_are_many() -> None:
    said = {"serverContent": {"modelTurn": {"parts": [{"text": "Still at it."}]}}}

    assert codes(session(*rounds(9))) == ["rounds-many"]
    assert codes(session(*rounds(20))) == ["rounds-many"]
    assert codes(session(*rounds(8))) == []
    assert codes(session(*rounds(12, every=said, at=5))) == []


def test_parallel_calls_are_one_round() -> None:
    many = [call(f"c{number}", n=number) for number in range(20)]
    answers = [answer(f"c{number}") for number in range(20)]

    assert codes(session(*many, *answers)) == []


def test_rounds_of_a_history_count_too() -> None:
    turns: list[Any] = [USER]
    for _ in range(9):
        turns += [
            {"role": "model", "parts": [{"functionCall": {"name": "set_light", "args": {}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "set_light", "response": {"output": 1}}}],
            },
        ]

    assert codes(session({"contents": turns})) == ["rounds-many"]
    assert codes(session({"contents": [*turns[:9], SAID, USER, *turns[9:]]})) == []


# Bad input --------------------------------------------------------------------------


def test_half_a_session_is_judged_as_far_as_it_goes() -> None:
    report = session(answer("z"), call("a"), answer("a"), '{"toolCall": {"functionCalls": [{"id": "c", "na')

    assert codes(report) == ["response-orphan", "json-invalid"]
    assert [frame.status for frame in report.frames] == ["red", "green", "green", "red"]
    assert rows(report) == [("z", "orphan"), ("a", "answered")]


@pytest.mark.parametrize("stranger", ["[1, 2]", "42", '"hi"', "null", "{}", '{"toolCall": {', "}"])
def test_a_frame_that_is_none_leaves_the_others_judged(stranger: str) -> None:
    report = session(call("a"), stranger, answer("a"))

    assert report.status == "red"
    assert [frame.status for frame in report.frames] == ["green", "red", "green"]
    assert rows(report) == [("a", "answered")]


def test_frames_in_the_wrong_order_are_told_one_by_one() -> None:
    report = session(
        answer("a"), call("a"), cancel("b"), call("b", room="x"), answer("c"), call("c", room="y")
    )

    assert rows(report) == [
        ("a", "orphan"),
        ("a", "pending"),
        ("b", "cancelled"),
        ("c", "orphan"),
        ("c", "pending"),
    ]
    assert codes(report).count("response-orphan") == 2


def test_one_large_frame_among_small_ones_costs_only_itself() -> None:
    large = answer("a", response={"result": "x" * 20_000_000})
    cut = lines(large)[:-3]

    assert session(call("a"), large, call("b"), answer("b")).status == "green"
    report = session(call("a"), cut, call("b", room="hall"), answer("b"))
    assert [frame.status for frame in report.frames] == ["red", "red", "green", "green"]


def test_an_array_and_lines_say_the_same() -> None:
    frames = [SETUP, READY, call("a"), answer("b"), call("c"), close(1008)]
    array = workbench.read_session(json.dumps(frames))
    by_line = session(*frames)

    assert [finding.code for finding in by_line.findings if finding.code != "json-lines"] == [
        finding.code for finding in array.findings
    ]
    assert rows(array) == rows(by_line)


# Length -----------------------------------------------------------------------------


def test_the_answer_stays_bounded() -> None:
    report = session(*(answer(f"c{number}") for number in range(500)))

    assert len(report.findings) == limits.FINDINGS
    assert report.findings_total == 501  # one note on the lines
    assert len(report.ledger) == len(report.frames) == 500


COUNT = 3000
SHAPES: dict[str, Iterable[Any]] = {
    "one id for all calls": [call()] * COUNT,
    "one id for calls and answers": [call(), answer()] * (COUNT // 2),
    "the same call, never answered": [call(f"c{number}") for number in range(COUNT)],
    "answers to nobody": [answer(f"c{number}") for number in range(COUNT)],
    "input while all calls are open": [
        SETUP,
        *(call(f"c{number}") for number in range(COUNT // 2)),
        *({"realtimeInput": {"text": "x"}} for _ in range(COUNT // 2)),
    ],
    "setups": [SETUP, close(1000)] * (COUNT // 2),
    "a history of orphans": [{"contents": [TOLD] * COUNT}],
    "calls without ids": [
        {
            "contents": [
                USER,
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}] * (COUNT // 2)},
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "x", "name": "f", "response": {"output": 1}}}]
                    * (COUNT // 2),
                },
            ]
        }
    ],
}


@pytest.mark.parametrize("frames", SHAPES.values(), ids=list(SHAPES))
def test_no_shape_of_a_session_makes_its_length_count_twice(frames: Iterable[Any]) -> None:
    text = lines(*frames)
    started = time.process_time()
    workbench.read_session(text, CONTRACT)

    assert time.process_time() - started < limits.seconds_for(len(text))


def test_a_frame_costs_a_few_kilobytes() -> None:
    frames = [
        each
        for number in range(1000)
        for each in (call(f"c{number}", note="x" * 400), answer(f"c{number}", response={"result": "x" * 400}))
    ]
    text = lines(*frames)
    tracemalloc.start()
    workbench.read_session(text, CONTRACT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 6_000 * len(frames)  # 600 MB for 100,000


RATE_ASKED = {"role": "user", "parts": [{"text": "Rate?"}]}
RATE_WANTED = {
    "role": "model",
    "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {"pair": "A"}}}],
}
RATE_TOLD = {
    "role": "user",
    "parts": [{"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}],
}


@pytest.mark.parametrize(
    "turn",
    [
        [{"candidates": [{"content": RATE_WANTED, "finishReason": "STOP"}]}],
        [
            {"candidates": [{"content": RATE_WANTED}]},
            {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}]},
        ],
    ],
)
def test_a_text_may_begin_with_the_turn_that_the_next_request_sends_back(turn: list[Any]) -> None:
    whole = session(*turn, {"contents": [RATE_ASKED, RATE_WANTED, RATE_TOLD]})
    assert ([code for code in codes(whole) if code.startswith("history")], rows(whole)) == (
        [],
        [("c1", "answered")],
    )
    assert whole.status.value == "green"

    short = session(*turn, {"contents": [RATE_ASKED, RATE_WANTED, RATE_ASKED]})
    assert "history-count" in codes(short)
    assert rows(short) == [("c1", "pending")]


def test_a_request_that_begins_with_a_call_is_told_behind_a_turn_too() -> None:
    turn = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]
    }
    assert "history-call-order" in codes(session(turn, {"contents": [RATE_WANTED, RATE_TOLD]}))
