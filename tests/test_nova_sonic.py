"""Amazon Nova Sonic: events, args and schemas as text, and answers of three events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wires import CONTRACTS, codes, drafted, extract, session, states


def event(name: str, **members: Any) -> dict[str, Any]:
    return {"event": {name: members}}


def use(content: Any = '{"room": "kitchen"}', id: str = "tu_1") -> dict[str, Any]:
    return event("toolUse", promptName="p", toolName="set_light", toolUseId=id, content=content)


def answer(id: str = "tu_1", name: str = "n1", content: Any = "{}") -> list[dict[str, Any]]:
    return [
        event(
            "contentStart",
            promptName="p",
            contentName=name,
            type="TOOL",
            role="TOOL",
            toolResultInputConfiguration={"toolUseId": id, "type": "TEXT"},
        ),
        event("toolResult", promptName="p", contentName=name, content=content),
        event("contentEnd", promptName="p", contentName=name),
    ]


def prompt(schema: Any) -> dict[str, Any]:
    spec = {"toolSpec": {"name": "set_light", "inputSchema": {"json": schema}}}
    return event("promptStart", promptName="p", toolConfiguration={"tools": [spec]})


@pytest.mark.parametrize(
    ("frame", "kind", "direction"),
    [
        (event("sessionStart"), "event", "client"),
        (event("promptStart", promptName="p"), "event", "client"),
        (prompt('{"type": "object"}'), "declaration", "client"),
        (use(), "call", "server"),
        (answer()[0], "event", "client"),
        (answer()[1], "response", "client"),
        (event("contentStart", type="AUDIO", role="ASSISTANT"), "event", None),
        (event("textOutput", content="I called set_light"), "event", "server"),
        (event("completionEnd", completionId="c"), "turn-end", "server"),
        ({"toolSpec": {"name": "f", "inputSchema": {"json": "{}"}}}, "declaration", "client"),
    ],
)
def test_each_event_is_recognised(frame: Any, kind: str, direction: str | None) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind) == ("nova-sonic", kind)
    assert report.frames[0].direction == direction


@pytest.mark.parametrize(
    "frame",
    [
        {"event": "toolUse"},
        {"event": {"toolUse": {}, "usageEvent": {}}},
        {"event": {"toolCall": {}}},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}},
        {"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}},
    ],
)
def test_look_alikes_are_not_taken(frame: Any) -> None:
    assert extract(frame).dialect != "nova-sonic"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"room": "kitchen"}', set()),
        ("", {"args-empty-string"}),
        ('"{\\"room\\": \\"kitchen\\"}"', {"args-double-encoded"}),
        ('{"room": "kit', {"args-truncated"}),
        ({"room": "kitchen"}, {"args-wrong-encoding"}),
    ],
)
def test_the_content_of_a_call_is_json_text(content: Any, expected: set[str]) -> None:
    assert codes(extract(use(content)).findings) == expected


def test_an_answer_is_joined_over_its_content_name() -> None:
    first, second = answer("tu_1", "n1"), answer("tu_2", "n2")
    report = session(use(), use(id="tu_2"), first[0], second[0], second[1], first[1], first[2], second[2])

    assert codes(report.findings) == set()
    assert states(report) == {"tu_1": "answered", "tu_2": "answered"}


@pytest.mark.parametrize(
    "frames",
    [
        answer()[1:],
        [answer(name="other")[0], answer()[1]],
        [answer()[1], answer()[0]],
        [event("contentStart", promptName="p", contentName="n1", type="TEXT"), answer()[1]],
    ],
)
def test_an_answer_without_its_start_answers_nothing(frames: list[Any]) -> None:
    report = session(use(), *frames)

    assert codes(report.findings) == {"response-missing", "response-orphan"}


def test_a_declared_schema_is_read_out_of_its_string_and_judges() -> None:
    schema = {"type": "object", "properties": {"room": {"enum": ["hall"]}}, "additionalProperties": False}
    report = session(prompt(json.dumps(schema)), use(), *answer())

    assert codes(report.findings) == {"args-schema", "response-to-refused"}


def test_a_second_session_has_ids_of_its_own() -> None:
    once = [event("sessionStart"), use(), *answer()]

    assert codes(session(*once, *once).findings) == set()
    assert "call-id-duplicate" in codes(session(*once, use('{"room": "hall"}')).findings)


@pytest.mark.parametrize("schema", [{"type": "object"}, "no json", "[]", 3])
def test_a_schema_that_is_no_json_text_is_refused(schema: Any) -> None:
    assert "declaration-schema-wrong-encoding" in codes(extract(prompt(schema)).findings)


def test_the_answer_is_three_events_per_call() -> None:
    calls = [use(), use('{"room": "attic"}', "tu_2")]
    answers = drafted(*calls, results={"tu_1": {"on": True}})

    assert [next(iter(each["event"])) for each in answers] == ["contentStart", "toolResult", "contentEnd"] * 2
    assert answers[1]["event"]["toolResult"] == {
        "promptName": "p",
        "contentName": "result-tu_1",
        "content": '{"on": true}',
    }
    assert json.loads(answers[4]["event"]["toolResult"]["content"])["error"]["code"] == "invalid_args"
    assert codes(session(*calls, *answers, contracts=CONTRACTS).findings) == {"args-schema"}


@pytest.mark.parametrize(
    ("content", "wrong"), [({"on": True}, True), ([], True), (None, True), ("on", False)]
)
def test_the_content_of_an_answer_is_a_text(content: Any, wrong: bool) -> None:
    frames = session(use(), *answer(content=content))

    assert ("response-output-not-string" in codes(frames.findings)) == wrong
