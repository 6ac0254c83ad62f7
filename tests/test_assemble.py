"""A call that is announced, streamed and told again is one call, and its fragments keep their places."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from app import workbench
from app.cursor import Cursor, Pieces
from app.reports import ExtractReport

ARGS = '{"room": "attic", "on": true}'


def realtime(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "event_id": "e", "response_id": "r1", "output_index": 0, **more}


def item(**more: Any) -> dict[str, Any]:
    return {
        "id": "i1",
        "object": "realtime.item",
        "type": "function_call",
        "call_id": "c1",
        "name": "f",
        **more,
    }


ADDED = realtime("response.output_item.added", item=item(status="in_progress", arguments=""))
DELTAS = [
    realtime("response.function_call_arguments.delta", item_id="i1", call_id="c1", delta=piece)
    for piece in ('{"room"', ': "att', 'ic", "on"', ": true}")
]
DONE = realtime("response.function_call_arguments.done", item_id="i1", call_id="c1", name="f", arguments=ARGS)
ITEM_DONE = realtime("response.output_item.done", item=item(status="completed", arguments=ARGS))
ITEM_ADDED = {
    "type": "conversation.item.added",
    "event_id": "e",
    "item": item(status="in_progress", arguments=""),
}
ITEM_TOLD = {
    "type": "conversation.item.done",
    "event_id": "e",
    "item": item(status="completed", arguments=ARGS),
}


def ended(status: str = "completed", output: tuple[Any, ...] = ()) -> dict[str, Any]:
    response = {"id": "r1", "object": "realtime.response", "status": status, "output": list(output)}
    return {"type": "response.done", "event_id": "e", "response": response}


def chunk(*calls: dict[str, Any], finish: str | None = None, id: str | None = "x1") -> dict[str, Any]:
    choice = {"index": 0, "delta": {"tool_calls": list(calls)} if calls else {}, "finish_reason": finish}
    return {"id": id, "object": "chat.completion.chunk", "choices": [choice]}


def piece(index: int, text: str, **more: Any) -> dict[str, Any]:
    name = more.pop("name", None)
    return {"index": index, **more, "function": {**({"name": name} if name else {}), "arguments": text}}


def extract(*frames: dict[str, Any]) -> ExtractReport:
    return workbench.extract("\n".join(map(json.dumps, frames)))


def codes(report: ExtractReport) -> set[str]:
    return {finding.code for finding in report.findings} - {"json-lines"}


WHOLE = [
    [DONE],
    [ADDED, DONE],
    [ADDED, *DELTAS, DONE],
    [ADDED, *DELTAS, DONE, ITEM_DONE],
    [ADDED, ITEM_ADDED, *DELTAS, DONE, ITEM_DONE, ITEM_TOLD, ended(output=(ITEM_DONE["item"],))],
    [DONE, ITEM_DONE],
    [ITEM_DONE, ended(output=(ITEM_DONE["item"],))],
    [ended(output=(ITEM_DONE["item"],))],
    [ITEM_TOLD],
    [ADDED, *DELTAS, ended()],
    [DONE, DONE],
]


@pytest.mark.parametrize("frames", WHOLE, ids=lambda frames: str(len(frames)))
def test_whatever_tells_of_a_call_it_is_one_call(frames: list[dict[str, Any]]) -> None:
    report = extract(*frames)

    assert [(call.id, call.name) for call in report.calls] == [("c1", "f")]
    args = report.calls[0].args
    assert args is not None
    assert json.loads(args.text) == json.loads(ARGS)
    assert report.calls[0].executable
    assert codes(report) == set()


def test_two_parallel_calls_are_two() -> None:
    other = {**DONE, "item_id": "i2", "call_id": "c2"}

    assert [call.id for call in extract(DONE, other, ended()).calls] == ["c1", "c2"]


def test_the_same_id_under_two_keys_is_two_calls_that_share_it() -> None:
    report = extract(DONE, {**DONE, "item_id": "i2"})

    assert len(report.calls) == 2
    assert codes(report) == {"call-id-duplicate"}


def test_a_name_comes_from_the_announcement() -> None:
    nameless = {key: value for key, value in DONE.items() if key != "name"}

    assert extract(ADDED, nameless).calls[0].name == "f"
    assert codes(extract(ADDED, nameless)) == set()
    assert codes(extract(nameless)) == {"call-name-deferred"}
    assert codes(extract(nameless, ITEM_DONE)) == set()


def test_identity_of_a_responses_stream_comes_from_its_item() -> None:
    def event(kind: str, number: int, **more: Any) -> dict[str, Any]:
        return {"type": kind, "sequence_number": number, "output_index": 0, **more}

    announced = {"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "call_1"}
    report = extract(
        event("response.output_item.added", 1, item={**announced, "name": "f", "arguments": ""}),
        event("response.function_call_arguments.delta", 2, item_id="fc_1", delta=ARGS),
        event("response.function_call_arguments.done", 3, item_id="fc_1", arguments=ARGS),
    )

    assert [(call.id, call.name, call.frame) for call in report.calls] == [("call_1", "f", 2)]
    assert codes(report) == set()


def test_a_call_whose_item_is_incomplete_is_not_run() -> None:
    report = extract(
        DONE, realtime("response.output_item.done", item=item(status="incomplete", arguments=ARGS))
    )

    assert codes(report) == {"call-incomplete"}
    assert not report.calls[0].executable


def test_a_stream_that_breaks_off_leaves_an_incomplete_call() -> None:
    report = extract(ADDED, *DELTAS[:2])

    assert {"call-incomplete", "args-truncated"} <= codes(report)


def test_a_fragment_alone_is_no_call() -> None:
    for frames in ([DELTAS[1]], [ADDED]):
        report = extract(*frames)

        assert report.calls == ()
        assert codes(report) == set()


def test_a_cancelled_turn_leaves_no_half_of_a_call() -> None:
    report = extract(ADDED, *DELTAS[:2], ended("cancelled"))

    assert report.calls == ()
    assert codes(report) == set()


def test_chat_chunks_are_joined_by_index() -> None:
    report = extract(
        chunk(piece(0, "", id="c1", name="f", type="function")),
        chunk(piece(0, '{"room": ')),
        chunk(piece(1, "", id="c2", name="g", type="function")),
        chunk(piece(1, '{"n": 1}')),
        chunk(piece(0, '"attic"}')),
        chunk(finish="tool_calls"),
    )

    assert [(call.id, call.name, call.args.text if call.args else None) for call in report.calls] == [
        ("c1", "f", '{"room": "attic"}'),
        ("c2", "g", '{"n": 1}'),
    ]
    assert codes(report) == set()


@pytest.mark.parametrize("id", ["x1", None])
def test_an_index_is_used_anew_by_the_next_completion(id: str | None) -> None:
    first = [chunk(piece(0, "{}", id="c1", name="f"), id=id), chunk(finish="tool_calls", id=id)]
    second = [
        chunk(piece(0, "{}", id="c2", name="f"), id=id and "x2"),
        chunk(finish="tool_calls", id=id and "x2"),
    ]

    assert [call.id for call in extract(*first, *second).calls] == ["c1", "c2"]


def test_streams_of_two_completions_may_be_mixed() -> None:
    report = extract(
        chunk(piece(0, '{"a":', id="c1", name="f"), id="x1"),
        chunk(piece(0, '{"b":', id="c2", name="f"), id="x2"),
        chunk(piece(0, " 1}"), id="x1"),
        chunk(piece(0, " 2}"), id="x2"),
        chunk(finish="tool_calls", id="x1"),
        chunk(finish="tool_calls", id="x2"),
    )

    assert [call.args.text for call in report.calls if call.args] == ['{"a": 1}', '{"b": 2}']


def test_a_stream_without_room_is_incomplete() -> None:
    report = extract(chunk(piece(0, '{"room": "at', id="c1", name="f")), chunk(finish="length"))

    assert codes(report) == {"args-truncated", "call-incomplete"}


def test_a_request_that_replays_a_call_and_its_answer_tells_nothing_new() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ARGS}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    completion = {"object": "chat.completion", "choices": [{"message": asked, "finish_reason": "tool_calls"}]}
    told = [{"role": "user", "content": "hi"}, asked, answer]
    report = extract(completion, {"model": "m", "messages": told}, {"model": "m", "messages": told})

    assert len(report.calls) == len(report.responses) == 1
    assert codes(report) == set()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"arguments": '{"on": true,   "room":"attic"}'}, None),
        ({"arguments": '{"room": "cellar", "on": true}'}, "call-retold"),
        ({"arguments": '{"room": "attic", "on": 1}'}, "call-retold"),
        ({"name": "g"}, "call-retold"),
    ],
)
def test_a_telling_that_differs_is_named(change: dict[str, str], code: str | None) -> None:
    told = realtime("response.output_item.done", item=item(status="completed", arguments=ARGS) | change)
    report = extract(DONE, told)

    assert codes(report) == ({code} if code else set())
    assert report.calls[0].executable == (code is None)


def test_a_replayed_call_may_be_laid_out_anew() -> None:
    function = {"name": "f", "arguments": ARGS}
    call = {"id": "c1", "type": "function", "function": function}
    again = {**call, "function": {**function, "arguments": json.dumps(json.loads(ARGS), indent=1)}}
    completion = {"object": "chat.completion", "choices": [{"message": {"tool_calls": [call]}}]}
    request = {"model": "m", "messages": [{"role": "assistant", "content": None, "tool_calls": [again]}]}

    assert codes(extract(completion, request)) == set()


def test_a_call_without_a_name_is_not_run() -> None:
    nameless = {key: value for key, value in DONE.items() if key != "name"}

    assert not extract(nameless).calls[0].executable


def test_two_calls_of_one_request_that_share_an_id_stay_two() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ARGS}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call, call]}

    assert codes(extract({"model": "m", "messages": [asked]})) == {"call-id-duplicate"}


def test_an_output_that_the_service_echoes_is_one_answer() -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "The lamp is on."}
    created = {"type": "conversation.item.create", "item": output}
    echoes = [
        {"type": f"conversation.item.{kind}", "event_id": "e", "item": {**output, "id": "i9"}}
        for kind in ("added", "done")
    ]

    assert len(extract(DONE, created, *echoes).responses) == 1
    assert len(extract(DONE, *echoes).responses) == 1
    assert len(extract(DONE, created, created).responses) == 2


def test_what_is_wrong_in_streamed_args_is_shown_in_its_fragment() -> None:
    contracts = '{"f": {"type": "object", "properties": {"on": {"type": "string"}}}}'
    report = workbench.extract("\n".join(map(json.dumps, [ADDED, *DELTAS, ended()])), contracts)

    finding = next(each for each in report.findings if each.code == "args-schema")
    assert (finding.at.line, finding.at.inner) == (5, "/on")
    assert (finding.at.frame, finding.at.pointer) == (4, "/delta")


def test_a_text_in_pieces_knows_the_place_of_each_character() -> None:
    frame = Cursor.of('["{\\"a\\"", ": [1, ", "2]}"]')
    joined = Pieces.join(list(frame))

    assert joined.string == '{"a": [1, 2]}'
    assert joined.location.pointer == "/0"
    assert (joined.char(9).pointer, joined.char(9).column) == ("/1", 18)
    assert joined.char(10).pointer == "/2"
    assert joined.char(13).pointer == "/2"


def test_many_fragments_take_time_in_proportion() -> None:
    def seconds(count: int) -> float:
        pieces = [chunk(piece(0, " " * 3)) for _ in range(count)]
        text = "\n".join(
            map(json.dumps, [chunk(piece(0, "{", id="c1", name="f")), *pieces, chunk(piece(0, "}"))])
        )
        begin = process_time()
        assert len(workbench.extract(text).calls) == 1
        return process_time() - begin

    small = min(seconds(500) for _ in range(2))

    assert seconds(5000) < 20 * small + 0.2


def test_two_calls_under_one_index_are_kept_apart_and_told() -> None:
    def frames(second: int) -> str:
        calls = [
            chunk({"index": index, "id": id, "function": {"name": "f", "arguments": ARGS}})
            for index, id in ((0, "a"), (second, "b"))
        ]
        return "\n".join(map(json.dumps, [*calls, chunk(finish="tool_calls")]))

    shared, apart = workbench.extract(frames(0)), workbench.extract(frames(1))
    assert [call.id for call in shared.calls] == [call.id for call in apart.calls] == ["a", "b"]
    told = [(each.code, each.at.frame) for each in shared.findings if each.code.startswith("delta")]
    assert told == [("delta-index-shared", 1)]
    assert not [each for each in apart.findings if each.code.startswith("delta")]


def test_an_index_is_free_again_in_the_next_turn() -> None:
    one = chunk({"index": 0, "id": "a", "function": {"name": "f", "arguments": ARGS}}, finish="tool_calls")
    two = chunk({"index": 0, "id": "b", "function": {"name": "f", "arguments": ARGS}}, id="x2")
    report = workbench.extract("\n".join(map(json.dumps, [one, two, chunk(finish="tool_calls", id="x2")])))
    assert [each.code for each in report.findings if each.code.startswith("delta")] == []
