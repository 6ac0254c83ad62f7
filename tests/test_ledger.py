"""The ledger by itself: what happens to an entry, one step at a time."""

from __future__ import annotations

import itertools

import pytest

from app.cursor import Cursor
from app.events import Args, Cancellation, ToolCall, ToolResponse, TurnEnd
from app.ledger import TRANSITIONS, Event, Ledger, State, Step

AT = Cursor.of("{}")


def call(id: str | int | None = "a", name: str = "f", **more: object) -> ToolCall:
    fields = {"frame": 0, "turn": None, "in_content": False, **more}
    return ToolCall(AT, fields.pop("frame"), id, name, None, None, Args(None, "absent"), **fields)  # type: ignore[arg-type]


def response(id: str | int | None = "a", name: str = "f", **more: object) -> ToolResponse:
    return ToolResponse(AT, 0, id, name, None, None, None, **more)  # type: ignore[arg-type]


def cancellation(*ids: str | int) -> Cancellation:
    return Cancellation(AT, 0, None, ids)


def code(step: Step | None) -> str | None:
    assert step is not None
    return step.code


def states(ledger: Ledger) -> list[str]:
    return [entry.state.value for entry in ledger.entries]


# The table ------------------------------------------------------------------------


def test_every_state_knows_every_event_that_can_meet_it() -> None:
    of_a_known_id = {Event.AGAIN, Event.LATER, Event.CUT}
    for state, event in itertools.product([None, *State], Event):
        possible = event not in of_a_known_id if state is None else event is not Event.UNSEEN
        assert ((state, event) in TRANSITIONS) is possible, (state, event)


def test_an_unexpected_step_changes_no_state() -> None:
    for (state, _), transition in TRANSITIONS.items():
        if state is not None and transition.code is not None:
            assert transition.state is state


def test_only_an_open_call_is_settled() -> None:
    for (state, event), transition in TRANSITIONS.items():
        if state not in (None, State.PENDING):
            assert transition.state is state, (state, event)


# One call -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (response(), "answered"),
        (response(is_error=True), "errored"),
        (response(will_continue=True), "pending"),
        (response(will_continue=False), "answered"),
    ],
)
def test_an_answer_settles_its_call(given: ToolResponse, state: str) -> None:
    ledger = Ledger()
    ledger.call(call())

    assert code(ledger.response(given)) is None
    assert states(ledger) == [state]
    assert bool(list(ledger.pending())) is (state == "pending")


def test_where_the_wire_has_no_error_flag_a_call_is_answered() -> None:
    ledger = Ledger()
    ledger.call(call())
    ledger.response(response(is_error=True), flags_errors=False)

    assert states(ledger) == ["answered"]


def test_answers_may_come_in_pieces_until_the_last() -> None:
    ledger = Ledger()
    ledger.call(call())
    more, last = response(will_continue=True), response()

    assert [code(ledger.response(each)) for each in (more, more, last, last)] == [
        None,
        None,
        None,
        "response-after-final",
    ]


def test_the_first_answer_is_the_last_where_the_tool_has_but_one() -> None:
    ledger = Ledger()
    ledger.call(call(), one_answer=True)

    assert code(ledger.response(response(will_continue=True))) is None
    assert states(ledger) == ["answered"]
    assert code(ledger.response(response())) == "response-duplicate"


def test_a_second_answer_is_a_duplicate_and_the_first_stays() -> None:
    ledger = Ledger()
    ledger.call(call())
    first, second = response(), response(is_error=True)
    ledger.response(first)

    assert code(ledger.response(second)) == "response-duplicate"
    assert ledger.entries[0].response is first
    assert states(ledger) == ["answered"]


# Ids ------------------------------------------------------------------------------


def test_ids_compare_with_their_json_type() -> None:
    ledger = Ledger()
    ledger.call(call(7))

    assert code(ledger.response(response("7"))) == "response-orphan"
    assert code(ledger.response(response(7))) is None
    assert states(ledger) == ["answered", "orphan"]


def test_true_is_no_one() -> None:
    ledger = Ledger()
    ledger.call(call(1))

    assert code(ledger.response(response(True))) == "response-orphan"


def test_an_id_reused_after_its_answer_gets_a_second_row_that_is_open() -> None:
    ledger = Ledger()
    ledger.call(call())
    ledger.response(response())

    assert code(ledger.call(call(name="g"))) == "call-id-duplicate"
    assert states(ledger) == ["answered", "pending"]
    assert code(ledger.response(response(name="g"))) is None
    assert states(ledger) == ["answered", "answered"]
    assert not ledger.entries[1].shared


def test_two_open_calls_with_one_id_take_one_answer_each() -> None:
    ledger = Ledger()
    ledger.call(call())

    assert code(ledger.call(call())) == "call-id-duplicate"
    assert all(entry.shared for entry in ledger.entries)
    assert [code(ledger.response(response())) for _ in range(3)] == [None, None, "response-duplicate"]
    assert states(ledger) == ["answered", "answered"]


def test_one_call_through_two_channels_is_one_row() -> None:
    ledger = Ledger()
    ledger.call(call(in_content=True))

    assert code(ledger.call(call())) == "call-duplicate-delivery"
    assert states(ledger) == ["pending"]
    assert code(ledger.response(response())) is None


@pytest.mark.parametrize("other", [call(in_content=True), call(name="g")])
def test_the_same_channel_or_another_name_is_another_call(other: ToolCall) -> None:
    ledger = Ledger()
    ledger.call(call(in_content=True))

    assert code(ledger.call(other)) == "call-id-duplicate"
    assert states(ledger) == ["pending", "pending"]


def test_an_answer_before_its_call_is_an_orphan_and_the_call_stays_open() -> None:
    ledger = Ledger()

    assert code(ledger.response(response())) == "response-orphan"
    assert code(ledger.call(call())) is None
    assert states(ledger) == ["orphan", "pending"]
    assert code(ledger.response(response())) is None


def test_an_answer_to_a_call_before_the_text_is_no_orphan() -> None:
    ledger = Ledger()
    ledger.call(call())

    assert code(ledger.response(response("b"), may_be_unseen=True)) is None
    assert code(ledger.response(response("a"), may_be_unseen=True)) is None
    assert states(ledger) == ["answered", "answered"]


# Without ids ----------------------------------------------------------------------


def test_an_answer_without_id_belongs_to_nobody_where_ids_pair() -> None:
    ledger = Ledger()
    ledger.call(call())

    assert ledger.response(response(None)) is None


def test_name_and_position_pair_where_there_is_no_id() -> None:
    ledger = Ledger()
    for name in ("f", "g", "f"):
        ledger.call(call(None, name))
    for name in ("f", "g"):
        assert code(ledger.response(response(None, name), by_position=True)) is None

    assert states(ledger) == ["answered", "answered", "pending"]
    assert code(ledger.response(response(None, "h"), by_position=True)) == "response-orphan"


def test_an_id_of_the_answer_alone_pairs_by_name_only_with_a_call_without_one() -> None:
    ledger = Ledger()
    ledger.call(call("a"))
    assert code(ledger.response(response("b"), by_position=True)) == "response-orphan"
    ledger.call(call(None))
    assert code(ledger.response(response("c"), by_position=True)) is None


# Cancellations --------------------------------------------------------------------


def test_a_cancelled_call_wants_no_answer() -> None:
    ledger = Ledger()
    ledger.call(call())
    (step,) = ledger.cancel(cancellation("a"))

    assert step.code is None
    assert code(ledger.response(response())) == "response-to-cancelled"
    assert ledger.entries[0].late
    assert states(ledger) == ["cancelled"]


def test_a_cancellation_names_the_ids_it_does_not_find() -> None:
    ledger = Ledger()
    ledger.call(call("a"))
    ledger.call(call("b"))
    ledger.response(response("b"))

    codes = [step.code for step in ledger.cancel(cancellation("a", "b", "c"))]
    assert codes == [None, "cancel-after-answer", "cancel-unknown-id"]
    assert states(ledger) == ["cancelled", "answered", "cancelled"]


def test_a_call_behind_its_cancellation_is_cancelled() -> None:
    ledger = Ledger()
    ledger.cancel(cancellation("a"))

    assert code(ledger.call(call())) is None
    assert states(ledger) == ["cancelled"]
    assert ledger.entries[0].call is not None


# Turns ----------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["cancelled", "incomplete", "failed"])
def test_a_turn_that_does_not_complete_cuts_its_open_calls(status: str) -> None:
    ledger = Ledger()
    ledger.call(call("a", turn="r1"))
    ledger.call(call("b", turn="r1"))
    ledger.call(call("c", turn="r2"))
    ledger.response(response("b"))
    steps = ledger.end(TurnEnd(AT, "r1", status))

    assert [step.entry.id for step in steps] == ["a"]
    assert states(ledger) == ["cancelled", "answered", "pending"]
    assert code(ledger.response(response("a"))) == "response-to-cancelled"


def test_a_turn_that_completes_leaves_its_calls_open() -> None:
    ledger = Ledger()
    ledger.call(call("a", turn="r1"))

    assert ledger.end(TurnEnd(AT, "r1", "completed")) == []
    assert ledger.end(TurnEnd(AT, "r1", "cancelled")) == []
    assert states(ledger) == ["pending"]


def test_a_turn_without_a_name_is_only_the_last_one() -> None:
    ledger = Ledger()
    ledger.call(call("a"))
    ledger.start(None)
    ledger.call(call("b"))
    ledger.end(TurnEnd(AT, None, "incomplete"))

    assert states(ledger) == ["pending", "cancelled"]


# Connections ----------------------------------------------------------------------


def test_an_answer_on_the_next_connection_is_too_late() -> None:
    ledger = Ledger()
    ledger.call(call())
    ledger.close()

    assert code(ledger.response(response())) == "response-wrong-connection"
    assert states(ledger) == ["pending", "orphan"]


def test_a_new_connection_may_use_any_id_again() -> None:
    ledger = Ledger()
    ledger.call(call())
    ledger.close()
    assert code(ledger.call(call())) is None
    ledger.open()
    assert code(ledger.call(call())) is None
    assert not any(entry.shared for entry in ledger.entries)
