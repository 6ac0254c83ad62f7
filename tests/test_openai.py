"""OpenAI Realtime, Chat Completions and Responses: recognised, read, judged, answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import workbench
from app.model import Options
from app.reports import ExtractReport

ARGS = '{"room": "attic", "on": true}'
SCHEMA = {
    "type": "object",
    "properties": {"room": {"enum": ["attic"]}, "on": {"type": "boolean"}},
    "required": ["room", "on"],
    "additionalProperties": False,
}
FLAT = {"type": "function", "name": "set_light", "parameters": SCHEMA}
NESTED = {"type": "function", "function": {"name": "set_light", "parameters": SCHEMA}}
CONTRACTS = json.dumps({"set_light": SCHEMA})

REALTIME, CHAT, RESPONSES = "openai-realtime", "openai-chat", "openai-responses"


def done(**more: Any) -> dict[str, Any]:
    event = {
        "type": "response.function_call_arguments.done",
        "event_id": "event_1",
        "response_id": "resp_1",
        "item_id": "item_1",
        "output_index": 0,
        "call_id": "call_1",
        "name": "set_light",
        "arguments": ARGS,
        **more,
    }
    return {key: value for key, value in event.items() if value is not ...}


def item(kind: str = "function_call", **more: Any) -> dict[str, Any]:
    return {"type": kind, "call_id": "call_1", **more}


def asked(**more: Any) -> dict[str, Any]:
    return item(**{"name": "set_light", "arguments": ARGS, **more})


def given(**more: Any) -> dict[str, Any]:
    return item("function_call_output", **{"output": "The light is on.", **more})


def create(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "conversation.item.create", "item": item}


def tool_call(**more: Any) -> dict[str, Any]:
    function = {"name": "set_light", "arguments": ARGS}
    return {"id": "call_1", "type": "function", "function": {**function, **more}}


def assistant(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def update(**session: Any) -> dict[str, Any]:
    return {"type": "session.update", "session": {"type": "realtime", **session}}


def opened(turn: str = "resp_1", **more: Any) -> dict[str, Any]:
    response = {"id": turn, "object": "realtime.response", "status": "in_progress", "output": [], **more}
    return {"type": "response.created", "event_id": "event_2", "response": response}


def closed(turn: str = "resp_1", status: str = "completed") -> dict[str, Any]:
    response = {"id": turn, "object": "realtime.response", "status": status, "output": []}
    return {"type": "response.done", "event_id": "event_3", "response": response}


GO_ON = {"type": "response.create"}
USER = {"role": "user", "content": "lights"}
TOOL = {"role": "tool", "tool_call_id": "call_1", "content": "The light is on."}


def extract(*frames: Any) -> ExtractReport:
    return workbench.extract("\n".join(map(json.dumps, frames)))


def codes(*frames: Any) -> set[str]:
    return {finding.code for finding in extract(*frames).findings} - {"json-lines"}


def course(*frames: Any) -> set[str]:
    report = workbench.read_session("\n".join(map(json.dumps, frames)))
    return {finding.code for finding in report.findings if finding.is_error}


# Recognising -------------------------------------------------------------------

KINDS = [
    (done(), REALTIME, "call"),
    (GO_ON, REALTIME, "followup"),
    ({"type": "response.create", "response": {"instructions": "hi"}}, REALTIME, "followup"),
    ({"type": "response.create", "model": "m", "input": []}, RESPONSES, "followup"),
    ({"type": "response.create", "event_id": "e", "previous_response_id": "r"}, RESPONSES, "followup"),
    ({"type": "response.cancel"}, REALTIME, "cancellation"),
    (opened(), REALTIME, "event"),
    (closed(), REALTIME, "turn-end"),
    ({"type": "response.created", "response": {"id": "r", "object": "response"}}, RESPONSES, "event"),
    ({"type": "response.completed", "sequence_number": 9, "response": {"id": "r"}}, RESPONSES, "turn-end"),
    ({"type": "response.output_text.delta", "sequence_number": 4, "delta": "hi"}, RESPONSES, "event"),
    ({"type": "response.output_text.delta", "event_id": "e", "delta": "hi"}, REALTIME, "event"),
    ({"type": "rate_limits.updated", "event_id": "e", "rate_limits": []}, REALTIME, "event"),
    ({"type": "input_audio_buffer.append", "audio": ""}, REALTIME, "event"),
    ({"type": "response.new_thing.delta", "event_id": "e"}, REALTIME, "event"),
    (update(instructions="hi"), REALTIME, "event"),
    (update(tools=[FLAT]), REALTIME, "declaration"),
    ({"type": "session.updated", "event_id": "e", "session": {"tools": [FLAT]}}, REALTIME, "declaration"),
    (create({"type": "message", "role": "user", "content": []}), REALTIME, "turn"),
    (create(asked()), REALTIME, "call"),
    (create(given()), REALTIME, "response"),
    (create({"type": "item_reference", "id": "item_1"}), REALTIME, "event"),
    (create({"type": "mcp_call", "id": "mcp_1", "name": "f", "arguments": "{}"}), REALTIME, "call-hosted"),
    ({"type": "response.mcp_call.in_progress", "event_id": "e", "item_id": "m"}, REALTIME, "call-hosted"),
    (asked(object="realtime.item"), REALTIME, "call"),
    (asked(id="fc_1"), RESPONSES, "call"),
    (given(output=[{"type": "input_text", "text": "ok"}]), RESPONSES, "response"),
    ({"object": "response", "id": "r", "status": "completed", "output": [asked()]}, RESPONSES, "call"),
    ({"object": "response", "id": "r", "status": "completed", "output": []}, RESPONSES, "turn"),
    ({"model": "m", "input": [asked(), given()]}, RESPONSES, "session"),
    ({"model": "m", "input": [USER], "tools": [FLAT]}, RESPONSES, "declaration"),
    ({"model": "m", "instructions": "hi", "input": "lights"}, RESPONSES, "turn"),
    ({"model": "m", "messages": [USER]}, CHAT, "turn"),
    ({"model": "m", "messages": [USER], "tools": [NESTED]}, CHAT, "declaration"),
    ({"model": "m", "messages": [USER, assistant(tool_call()), TOOL]}, CHAT, "session"),
    ({"object": "chat.completion", "choices": [{"message": USER}]}, CHAT, "turn"),
    ({"choices": [{"message": assistant(tool_call())}]}, CHAT, "call"),
    ({"choices": [{"index": 0, "delta": {"content": "hi"}}]}, CHAT, "event"),
    ({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, CHAT, "turn-end"),
    (assistant(tool_call()), CHAT, "call"),
    (tool_call(), CHAT, "call"),
    (NESTED, CHAT, "declaration"),
    (TOOL, CHAT, "response"),
    ({"role": "function", "name": "f", "content": "ok"}, CHAT, "response"),
]


@pytest.mark.parametrize(("frame", "dialect", "kind"), KINDS)
def test_a_frame_is_recognised_by_its_evidence(frame: dict[str, Any], dialect: str, kind: str) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind) == (dialect, kind)
    assert report.evidence
    assert "dialect-ambiguous" not in codes(frame)


STRANGERS: list[Any] = [
    {"type": "checkout.session.completed", "data": {}},
    {"type": "function"},
    {"type": "function_call"},
    {"type": "message", "text": "hi"},
    {"type": "error", "message": "no"},
    {"object": "list", "data": []},
    {"model": "m", "input": "text to embed"},
    {"model": "m", "input": ["text", "to embed"]},
    {"messages": []},
    {"messages": [{"text": "hi"}]},
    {"choices": ["a", "b"]},
    {"role": "admin", "content": "hi"},
    {"name": "set_light", "arguments": ARGS},
    {"name": "set_light", "parameters": "room"},
    {"name": "set_light", "parameters": {}, "price": 3},
    {"words": ["turn", "on"]},
    {"words": [{"word": "turn"}]},
    {"required_action": None},
]


@pytest.mark.parametrize("frame", STRANGERS)
def test_what_only_resembles_a_frame_is_of_no_dialect(frame: dict[str, Any]) -> None:
    assert extract(frame).dialect == "unknown"


AMBIGUOUS = [
    ({"name": "set_light", "arguments": ARGS, "call_id": "call_1"}, REALTIME, "call"),
    ({"name": "set_light", "description": "x", "parameters": SCHEMA}, REALTIME, "declaration"),
    (given(), RESPONSES, "response"),
    (asked(), RESPONSES, "call"),
    (FLAT, RESPONSES, "declaration"),
    (USER, CHAT, "turn"),
]


@pytest.mark.parametrize(("frame", "dialect", "kind"), AMBIGUOUS)
def test_a_frame_that_could_be_of_two_dialects_says_so(
    frame: dict[str, Any], dialect: str, kind: str
) -> None:
    report = extract(frame)

    assert (report.dialect, report.kind, report.status) == (dialect, kind, "green")
    assert "dialect-ambiguous" in codes(frame)


SETTLED = [
    ([GO_ON, given()], REALTIME),
    ([given(), GO_ON], REALTIME),
    ([{"object": "response", "id": "r", "output": []}, given()], RESPONSES),
    ([USER, assistant(tool_call()), TOOL], CHAT),
]


@pytest.mark.parametrize(("frames", "dialect"), SETTLED)
def test_clear_frames_settle_what_an_ambiguous_one_is(frames: list[dict[str, Any]], dialect: str) -> None:
    assert extract(*frames).dialect == dialect
    assert "dialect-ambiguous" not in codes(*frames)


def test_the_nearest_clear_frame_settles_it_where_two_sessions_are_mixed() -> None:
    response = {"object": "response", "id": "r", "output": []}
    report = extract(GO_ON, given(), opened(), response, given(call_id="call_2"), response)

    assert [frame.dialect for frame in report.frames] == [REALTIME] * 3 + [RESPONSES] * 3


def test_upper_case_types_make_a_bare_declaration_a_gemini_one() -> None:
    report = extract({"name": "set_light", "parameters": {"type": "OBJECT", "properties": {}}})

    assert (report.dialect, report.kind) == ("gemini-declaration", "declaration")


def test_a_chosen_dialect_reads_what_could_be_another_one() -> None:
    report = workbench.extract(json.dumps(given(output=[])), options=Options(dialect=REALTIME))

    assert report.dialect == REALTIME
    assert {finding.code for finding in report.findings if finding.is_error} == {"response-output-not-string"}


# One frame ----------------------------------------------------------------------

FAULTS = [
    ("call-id-missing", done(call_id=...), done()),
    ("call-id-missing", done(call_id=None), done()),
    ("call-id-missing", done(call_id=7), done(call_id="7")),
    ("call-id-missing", assistant({"type": "function", "function": {"name": "f"}}), assistant(tool_call())),
    ("call-id-empty", done(call_id=""), done()),
    ("call-id-charset", create(asked(call_id="call 1")), create(asked(call_id="call-1_A"))),
    ("call-id-charset", create(given(call_id="call_1/x")), create(given())),
    ("call-id-wrong-field", asked(call_id="fc_1"), asked(id="fc_1")),
    ("call-id-wrong-field", given(call_id="fc_1"), given()),
    ("call-id-wrong-field", create(given(call_id="item_1")), create(given(id="item_1"))),
    (
        "call-id-wrong-field",
        {"model": "m", "input": [asked(id="call_1")]},
        {"model": "m", "input": [asked(id="fc_1")]},
    ),
    ("call-id-too-long", asked(call_id="c" * 65), asked(call_id="c" * 64)),
    ("call-name-missing", asked(name=""), asked()),
    ("call-name-missing", asked(name=None), asked()),
    ("call-name-missing", done(name=""), done()),
    ("call-name-deferred", done(name=...), done()),
    ("call-name-prefixed", asked(name="default_api.set_light"), asked(name="functions_set_light")),
    ("call-name-wrapper", asked(name="multi_tool_use.parallel"), asked(name="multi_tool_use")),
    ("call-name-charset", asked(name="set light"), asked(name="set-light_2")),
    ("call-name-charset", asked(name="a" * 65), asked(name="a" * 64)),
    ("call-incomplete", asked(status="incomplete"), asked(status="completed")),
    (
        "call-incomplete",
        {"choices": [{"message": assistant(tool_call()), "finish_reason": "content_filter"}]},
        {"choices": [{"message": assistant(tool_call()), "finish_reason": "stop"}]},
    ),
    ("args-wrong-encoding", asked(arguments={"room": "attic"}), asked()),
    (
        "args-wrong-encoding",
        item("custom_tool_call", name="f", input={"q": 1}),
        item("custom_tool_call", name="f", input="select 1"),
    ),
    ("args-truncated", asked(arguments='{"room": "at'), asked(arguments='{"room": "at"}')),
    ("args-absent", asked(arguments=...) | {"name": "f"}, asked()),
    ("json-duplicate-key", done(arguments='{"a": 1, "a": 2}'), done(arguments='{"a": 1, "b": {"a": 2}}')),
    ("args-bigint", done(arguments='{"id": 9007199254740993}'), done(arguments='{"id": 9007199254740991}')),
    ("response-id-missing", {"role": "tool", "content": "ok"}, TOOL),
    ("response-id-missing", create(given(call_id="")), create(given())),
    ("response-output-missing", create(given(output=...)), create(given(output=""))),
    ("response-output-not-string", create(given(output=None)), create(given())),
    ("response-output-not-string", create(given(output=[])), given(output=[])),
    (
        "response-output-not-string",
        {**TOOL, "content": [{"type": "image_url"}]},
        {**TOOL, "content": [{"type": "text", "text": "ok"}]},
    ),
    ("response-output-not-string", given(output=[{"type": "text"}]), given(output=[{"type": "input_file"}])),
    ("response-double-encoded", given(output='"{\\"a\\": 1}"'), given(output='"quoted words"')),
    ("response-uninformative", create(given(output='{"ok": true}')), create(given(output="It is on."))),
    (
        "response-uninformative",
        create(given(output="")),
        create(given(output='{"ok": true, "said": ["It is on."]}')),
    ),
    ("response-uninformative", create(given(output="{}")), given(output="{}")),
    ("session-type-missing", {"type": "session.update", "session": {}}, update()),
    ("beta-shape", update(voice="alloy"), update(audio={"output": {"voice": "alloy"}})),
    ("beta-shape", {**GO_ON, "response": {"modalities": ["text"]}}, {**GO_ON, "response": {}}),
    (
        "beta-shape",
        update(turn_detection=None),
        {"type": "session.created", "event_id": "e", "session": {"turn_detection": None}},
    ),
    ("followup-shape", {**GO_ON, "response": []}, {**GO_ON, "response": {}}),
    ("followup-shape", {**GO_ON, "response": None}, GO_ON),
    (
        "server-error",
        {"type": "error", "event_id": "e", "error": {"code": "unknown_parameter", "message": "no"}},
        {"type": "error", "event_id": "e", "error": {"code": "response_cancel_not_active"}},
    ),
    (
        "followup-while-active",
        {"type": "error", "event_id": "e", "error": {"code": None, "message": "has an active response"}},
        {"type": "error", "event_id": "e", "error": {"code": None, "message": "unknown"}},
    ),
    ("tool-choice-forces-call", update(tool_choice="required"), update(tool_choice="auto")),
    (
        "tool-choice-forces-call",
        {"model": "m", "messages": [USER], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        {"model": "m", "messages": [USER], "tool_choice": "none"},
    ),
    (
        "mode-foreign",
        update(tool_choice={"type": "any"}),
        update(tool_choice={"type": "function", "name": "f"}),
    ),
    ("mode-foreign", update(toolConfig={}), update(tool_choice="auto")),
    (
        "mode-foreign",
        update(tool_choice={"type": "function", "function": {"name": "f"}}),
        {"model": "m", "messages": [USER], "tool_choice": {"type": "function", "function": {"name": "f"}}},
    ),
    ("declaration-wrong-dialect", update(tools=[NESTED]), update(tools=[FLAT])),
    (
        "declaration-wrong-dialect",
        {"model": "m", "messages": [USER], "tools": [FLAT]},
        {"model": "m", "messages": [USER], "tools": [NESTED]},
    ),
    (
        "declaration-wrong-dialect",
        update(tools=[{"name": "f", "input_schema": {"type": "object"}}]),
        update(tools=[{"type": "mcp", "server_label": "x"}]),
    ),
    (
        "declaration-unknown-field",
        update(tools=[{**FLAT, "meta": 1}]),
        update(tools=[{**FLAT, "strict": True}]),
    ),
    ("declaration-name-charset", update(tools=[{**FLAT, "name": "a b"}]), update(tools=[FLAT])),
    (
        "declaration-schema-strict-required",
        {**FLAT, "strict": True, "parameters": {**SCHEMA, "required": ["room"]}},
        {**FLAT, "strict": False, "parameters": {**SCHEMA, "required": ["room"]}},
    ),
    (
        "declaration-schema-strict-additional-properties",
        {**FLAT, "strict": True, "parameters": {"type": "object", "properties": {}}},
        {**FLAT, "strict": True},
    ),
]


@pytest.mark.parametrize(("code", "wrong", "right"), FAULTS)
def test_a_fault_is_named_and_the_frame_beside_it_is_silent(
    code: str, wrong: dict[str, Any], right: dict[str, Any]
) -> None:
    wrong, right = (
        json.loads(json.dumps(each, default=lambda _: None)) for each in map(_present, (wrong, right))
    )

    assert code in codes(wrong)
    assert code not in codes(right)


def _present(value: Any) -> Any:
    """Leave out what is marked as absent."""
    if isinstance(value, dict):
        return {key: _present(each) for key, each in value.items() if each is not ...}
    return [_present(each) for each in value] if isinstance(value, list) else value


def test_strict_is_judged_at_every_level_of_the_schema() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = {**SCHEMA, "properties": {"x": {"type": "array", "items": inner}}, "required": ["x"]}
    report = extract({**FLAT, "strict": True, "parameters": schema})

    places = {
        finding.at.pointer for finding in report.findings if finding.code.startswith("declaration-schema")
    }
    assert places == {"/parameters/properties/x/items", "/parameters/properties/x/items/properties/a"}


def test_the_calls_inside_a_made_up_wrapper_are_shown() -> None:
    uses = {"tool_uses": [{"recipient_name": "functions.set_light", "parameters": {}}]}
    report = extract(asked(name="multi_tool_use.parallel", arguments=json.dumps(uses)))

    assert "functions.set_light" in next(each.message for each in report.findings if each.is_error)


def test_a_finding_inside_the_args_text_has_its_place_in_the_paste() -> None:
    args = r'"arguments": "{\"room\": \"x\"}"'
    frame = f'{{"type": "function_call", "call_id": "c", "name": "set_light",\n{args}}}'
    report = workbench.extract(frame, CONTRACTS)

    finding = next(each for each in report.findings if each.keyword == "enum")
    assert (finding.at.pointer, finding.at.inner) == ("/arguments", "/room")
    assert (finding.at.line, finding.at.column, finding.at.end_column) == (2, 26, 31)


def test_args_of_a_custom_tool_are_plain_text_and_never_parsed() -> None:
    report = extract(item("custom_tool_call", name="run_sql", input='{"a": 1}'))

    assert (report.calls[0].args_encoding, report.calls[0].args) == ("free-text", None)
    assert report.calls[0].executable


def test_a_contract_for_an_object_refuses_plain_text() -> None:
    text = json.dumps(item("custom_tool_call", name="set_light", input="on"))

    assert workbench.extract(text, CONTRACTS).calls[0].verdict == "refuse"
    assert workbench.extract(text, '[{"name": "set_light"}]').calls[0].verdict == "accept"


def test_empty_args_are_read_as_none_and_judged() -> None:
    text = json.dumps(done(arguments=""))

    assert workbench.extract(text, '{"set_light": {"type": "object"}}').status == "green"
    assert workbench.extract(text, CONTRACTS).status == "red"


def test_a_hosted_call_is_not_listed() -> None:
    hosted = {"id": "mcp_1", "type": "mcp_call", "name": "f", "arguments": "{}", "output": "ok"}
    report = extract(
        {"type": "response.output_item.done", "event_id": "e", "output_index": 0, "item": hosted}
    )

    assert (report.kind, report.calls) == ("call-hosted", ())


# Contracts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declared",
    [
        update(tools=[FLAT]),
        [FLAT],
        FLAT,
        [NESTED],
        {"model": "m", "messages": [USER], "tools": [NESTED]},
        {"model": "m", "messages": [USER], "functions": [{"name": "set_light", "parameters": SCHEMA}]},
        {"model": "m", "input": [USER], "tools": [FLAT]},
        {"name": "set_light", "description": "x", "parameters": SCHEMA},
    ],
)
def test_declarations_of_each_interface_are_contracts(declared: Any) -> None:
    good, bad = json.dumps(done()), json.dumps(done(arguments='{"room": "hall", "on": true}'))

    assert workbench.extract(good, json.dumps(declared)).calls[0].verdict == "accept"
    assert workbench.extract(bad, json.dumps(declared)).calls[0].verdict == "refuse"


def test_a_session_declares_its_tools_from_there_on() -> None:
    report = extract(done(), update(tools=[FLAT]), done(call_id="call_2", item_id="item_2", name="set_lamp"))

    assert [call.verdict for call in report.calls] == ["unchecked", "refuse"]


def test_a_session_update_without_tools_leaves_them_as_they_are() -> None:
    assert extract(update(tools=[FLAT]), update(instructions="hi"), done()).calls[0].verdict == "accept"
    assert extract(update(tools=[FLAT]), update(tools=[]), done()).calls[0].verdict == "refuse"


# Answers ---------------------------------------------------------------------------


def test_realtime_gets_one_output_per_call_and_one_request_to_go_on() -> None:
    text = "\n".join(map(json.dumps, [done(), done(call_id="call_2", item_id="item_2", arguments="{}")]))
    report = workbench.respond(text, CONTRACTS, results='{"call_1": {"said": "It is on."}}')

    assert report.text is not None
    lines = [json.loads(line) for line in report.text.split("\n")]
    assert [line["type"] for line in lines] == ["conversation.item.create"] * 2 + ["response.create"]
    assert [line["item"]["call_id"] for line in lines[:2]] == ["call_1", "call_2"]
    assert json.loads(lines[0]["item"]["output"]) == {"said": "It is on."}
    assert json.loads(lines[1]["item"]["output"])["error"]["code"] == "invalid_args"


def test_a_text_is_sent_as_it_is() -> None:
    report = workbench.respond(json.dumps(done()), CONTRACTS, results='{"call_1": "It is on."}')

    assert report.text is not None
    assert json.loads(report.text.split("\n")[0])["item"]["output"] == "It is on."


def test_chat_and_responses_get_what_is_appended_to_the_next_request() -> None:
    chat = workbench.respond(json.dumps(assistant(tool_call())), CONTRACTS, results='{"call_1": "ok"}')
    items = workbench.respond(json.dumps(asked(id="fc_1")), CONTRACTS, results='{"call_1": "ok"}')
    several = workbench.respond(json.dumps(assistant(tool_call(), {**tool_call(), "id": "b"})), CONTRACTS)

    assert json.loads(chat.text or "") == {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    assert json.loads(items.text or "") == item("function_call_output", output="ok")
    assert [each["tool_call_id"] for each in json.loads(several.text or "")] == ["call_1", "b"]


def test_a_custom_call_gets_a_custom_output() -> None:
    text = json.dumps(item("custom_tool_call", name="run_sql", input="select 1"))

    answer = json.loads(workbench.respond(text, None, results='{"call_1": "1"}').text or "")
    assert answer == item("custom_tool_call_output", output="1")


@pytest.mark.parametrize("frame", [done(), assistant(tool_call()), asked(id="fc_1")])
def test_a_draft_pairs_with_its_call(frame: dict[str, Any]) -> None:
    draft = workbench.respond(json.dumps(frame), CONTRACTS, results='{"call_1": "It is on."}').text
    pair = workbench.pair(json.dumps(frame), draft or "", contracts_text=CONTRACTS)

    assert pair.status == "green"
    assert [row.state for row in pair.ledger] == ["answered"]


def test_only_gemini_has_an_answer_as_a_call_of_its_sdk() -> None:
    text = workbench.respond(json.dumps(asked(id="fc_1")), CONTRACTS, form="python").text

    assert json.loads(text or "")["type"] == "function_call_output"


# Sessions --------------------------------------------------------------------------

SECOND = done(call_id="call_2", item_id="item_2", output_index=1)
OUT, OUT_2 = create(given()), create(given(call_id="call_2"))
SAID = create({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]})
START = {"type": "session.created", "event_id": "e", "session": {"type": "realtime", "id": "sess_1"}}
UPDATE = update(type="realtime", instructions="Be brief.")
HOSTED = {
    "type": "conversation.item.done",
    "event_id": "e",
    "item": {"id": "mcp_1", "type": "mcp_call", "name": "ask", "arguments": "{}", "output": "x"},
}
ASIDE = {"type": "response.create", "response": {"conversation": "none"}}

COURSES: list[tuple[list[Any], set[str]]] = [
    ([opened(), done(), closed(), OUT, GO_ON], set()),
    ([opened(), done(), OUT, closed(), GO_ON, opened("resp_2"), closed("resp_2")], set()),
    ([opened(), done(), SECOND, closed(), OUT, OUT_2, GO_ON], set()),
    ([opened(), done(), closed(), OUT], {"followup-missing"}),
    ([opened(), done(), closed(), OUT, opened("resp_2")], set()),  # the service went on by itself
    ([opened(), done(), OUT], set()),  # the log ends within the turn
    ([opened(), done(), OUT, GO_ON, closed()], {"followup-while-active", "followup-missing"}),
    ([opened(), done(), SECOND, closed(), OUT, GO_ON, OUT_2], {"followup-early"}),
    ([opened(), done(), closed(), GO_ON, OUT], {"followup-early"}),
    ([opened(), done(), closed(), SAID, GO_ON, opened("resp_2"), closed("resp_2"), OUT, GO_ON], set()),
    ([opened(), done(), closed(), OUT, GO_ON, GO_ON], {"followup-while-active", "followup-duplicate"}),
    (
        [opened(), done(), closed(), OUT, GO_ON, opened("resp_2"), closed("resp_2"), GO_ON],
        {"followup-duplicate"},
    ),
    ([opened(), done(), closed(), OUT, GO_ON, opened("resp_2"), closed("resp_2"), SAID, GO_ON], set()),
    ([opened(), ASIDE, closed()], set()),
    ([opened(), ASIDE, ASIDE, opened("resp_2", conversation_id=None), closed("resp_2"), closed()], set()),
    ([GO_ON, opened(), closed()], set()),
    ([opened(), closed()], set()),
    ([opened(), {"type": "response.cancel"}, closed(status="cancelled"), SAID, GO_ON], set()),
    ([opened(), {"type": "response.cancel"}, GO_ON], {"followup-while-active"}),
    ([opened(), done(), closed(status="cancelled"), OUT], {"response-to-cancelled"}),
    ([opened(), done(), closed(status="cancelled")], set()),
    ([opened(), done(), closed(), create(given(call_id="call_9"))], {"response-missing", "response-orphan"}),
    ([opened(), done(), closed(), OUT, OUT, GO_ON], {"response-duplicate"}),
    # what the user said before the turn is no reason to go on before its outputs
    ([SAID, opened(), done(), closed(), GO_ON, OUT], {"followup-early"}),
    ([UPDATE, opened(), done(), closed(), GO_ON, OUT], {"followup-early"}),
    # asked once more, for a reason
    ([GO_ON, opened(), closed(status="failed"), GO_ON, opened("resp_2"), closed("resp_2")], set()),
    ([GO_ON, opened(), closed(), UPDATE, GO_ON, opened("resp_2"), closed("resp_2")], set()),
    ([GO_ON, opened(), closed(), HOSTED, GO_ON, opened("resp_2"), closed("resp_2")], set()),
    # another connection: it knows nothing of the one before
    ([START, opened(), done(), closed(), START, OUT], {"response-missing", "response-wrong-connection"}),
    ([START, opened(), done(), closed(), OUT, GO_ON, START, opened(), done(), closed(), OUT, GO_ON], set()),
    ([START, GO_ON, opened(), START, GO_ON, opened("resp_2"), closed("resp_2")], set()),
]


@pytest.mark.parametrize(("frames", "expected"), COURSES)
def test_one_follow_up_comes_behind_all_outputs_and_the_end_of_their_turn(
    frames: list[Any], expected: set[str]
) -> None:
    assert course(*frames) == expected


REFERENCE = {"type": "item_reference", "id": "fc_1"}
LEGACY = {
    "role": "assistant",
    "content": None,
    "function_call": {"name": "set_light", "arguments": ARGS},
}
CONVERSATIONS: list[tuple[list[Any], set[str]]] = [
    ([USER, assistant(tool_call()), TOOL], set()),
    ([USER, assistant(tool_call())], set()),  # the paste ends with the turn that asks
    ([USER, assistant(tool_call()), USER], {"response-missing"}),
    ([USER, assistant(tool_call()), USER, TOOL], {"response-not-adjacent"}),
    ([USER, TOOL], {"response-orphan"}),
    ([{"model": "m", "messages": [USER, assistant(tool_call()), USER, TOOL]}], {"response-not-adjacent"}),
    ([{"model": "m", "messages": [USER, assistant(tool_call()), TOOL, USER]}], set()),
    (
        [
            {"model": "m", "messages": [USER]},
            {"object": "chat.completion", "choices": [{"message": assistant(tool_call())}]},
            {"model": "m", "messages": [USER, assistant(tool_call()), TOOL]},
        ],
        set(),
    ),
    ([{"model": "m", "input": [USER, asked(), given()]}], set()),
    ([{"model": "m", "input": [USER, asked(), USER]}], {"response-missing"}),
    ([{"model": "m", "input": [given()]}], {"response-orphan"}),
    ([{"model": "m", "previous_response_id": "r", "input": [given()]}], set()),
    ([{"model": "m", "conversation": "conv_1", "input": [given()]}], set()),
    ([{"model": "m", "conversation": None, "input": [given()]}], {"response-orphan"}),
    ([{"model": "m", "input": [USER, REFERENCE, given()]}], set()),
    (
        [
            {"object": "response", "id": "r", "status": "completed", "output": [asked(id="fc_1")]},
            {"model": "m", "input": [USER, REFERENCE, given()]},
        ],
        set(),
    ),
    ([USER, LEGACY, {"role": "function", "name": "set_light", "content": "on"}], set()),
    (
        [USER, LEGACY, {"role": "function", "name": "dim", "content": "on"}, USER],
        {"response-missing", "response-orphan"},
    ),
    ([USER, LEGACY, USER], {"response-missing"}),
]


@pytest.mark.parametrize(("frames", "expected"), CONVERSATIONS)
def test_each_call_of_a_conversation_is_answered_where_it_was_made(
    frames: list[Any], expected: set[str]
) -> None:
    assert course(*frames) == expected


def test_a_refused_call_is_answered_with_an_error_inside_its_output() -> None:
    wrong = done(arguments='{"room": "hall", "on": true}')
    error, result = create(given(output='{"error": "no such room"}')), OUT

    assert course(update(tools=[FLAT]), opened(), wrong, closed(), error, GO_ON) == {"args-schema"}
    assert course(update(tools=[FLAT]), opened(), wrong, closed(), result, GO_ON) == {
        "args-schema",
        "response-to-refused",
    }


# Around the interfaces -----------------------------------------------------------------


def test_the_end_of_a_stream_alone_is_named() -> None:
    report = workbench.extract("data: [DONE]")

    assert (report.dialect, report.kind, report.status) == (CHAT, "turn-end", "green")


RUNS = [
    {
        "required_action": {
            "type": "submit_tool_outputs",
            "submit_tool_outputs": {"tool_calls": [tool_call()]},
        }
    },
    {
        "event": "thread.run.requires_action",
        "data": {"required_action": {"submit_tool_outputs": {"tool_calls": [tool_call()]}}},
    },
    {"required_actions": [{"id": "call_1", "name": "set_light", "arguments": ARGS}]},
    {"required_actions": [{"tool_call_id": "call_1", "tool_name": "set_light", "args": json.loads(ARGS)}]},
]


@pytest.mark.parametrize("run", RUNS)
def test_what_an_agent_run_requires_is_judged_by_the_same_contract(run: dict[str, Any]) -> None:
    report = workbench.extract(json.dumps(run), CONTRACTS)

    assert (report.dialect, report.kind, report.status) == ("agent-run", "call", "green")
    assert [(call.id, call.name, call.verdict) for call in report.calls] == [
        ("call_1", "set_light", "accept")
    ]


@pytest.mark.parametrize(
    "outputs",
    [
        {"tool_outputs": [{"tool_call_id": "call_1", "output": "ok"}]},
        {"tool_result": {"call_id": "call_1", "result": "ok"}},
    ],
)
def test_what_is_submitted_to_a_run_answers_it(outputs: dict[str, Any]) -> None:
    report = workbench.pair(json.dumps(RUNS[0]), json.dumps(outputs), contracts_text=CONTRACTS)

    assert [row.state for row in report.ledger] == ["answered"]
    assert report.status == "green"


def test_outputs_are_drafted_for_a_run() -> None:
    report = workbench.respond(json.dumps(RUNS[0]), CONTRACTS, results='{"call_1": "ok"}')

    assert json.loads(report.text or "") == {"tool_outputs": [{"tool_call_id": "call_1", "output": "ok"}]}


TRANSCRIPTS = [
    {"words": [{"word": "set_light", "startOffset": "0.1s", "endOffset": "0.4s"}]},
    {"text": "turn it on", "words": [{"word": "turn", "start": 0.1, "end": 0.2}]},
    {"results": [{"alternatives": [{"transcript": "x", "words": [{"startTime": "0s", "word": "x"}]}]}]},
    {"word": "set_light", "start_time": 0.2, "end_time": 0.4},
]


@pytest.mark.parametrize("frame", TRANSCRIPTS)
def test_a_transcript_is_named_and_its_words_call_nothing(frame: dict[str, Any]) -> None:
    report = workbench.extract(json.dumps(frame), CONTRACTS)

    assert (report.kind, report.calls) == ("transcript", ())
    assert {finding.code for finding in report.findings} == {"transcript"}


# A finished turn ----------------------------------------------------------------------


def completion(message: dict[str, Any], finish: str = "stop", choices: int = 1) -> str:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice] * choices})


def response(*output: Any, status: str = "completed", **more: Any) -> str:
    return json.dumps({"id": "resp_1", "object": "response", "status": status, "output": output, **more})


SPOKEN = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "On."}]}
ASKED = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
CUT = {"incomplete_details": {"reason": "max_output_tokens"}}
TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("text", "kind", "reason", "finish", "said"),
    [
        (completion({"content": "On."}), "answer-candidate", None, "stop", "On."),
        (completion({"tool_calls": [TOOL_CALL]}, "tool_calls"), "tool-request", None, "tool_calls", ""),
        (completion({"content": "O"}, "length"), "not-complete", None, "length", "O"),
        (completion({"content": "On."}, choices=2), "needs-review", "candidate-count", "stop", "On."),
        (completion({"content": None, "refusal": "No."}), "needs-review", "unsupported-part", "stop", ""),
        (completion({"content": ""}), "needs-review", "empty-content", "stop", ""),
        (response(SPOKEN), "answer-candidate", None, "completed", "On."),
        (response({"type": "reasoning", "summary": []}, ASKED), "tool-request", None, "completed", ""),
        (response(SPOKEN, status="incomplete", **CUT), "not-complete", None, "max_output_tokens", "On."),
        (json.dumps({"type": "response.done", "event_id": "e", "response": json.loads(response(ASKED))
         | {"object": "realtime.response"}}), "tool-request", None, "completed", ""),
    ],
)  # fmt: skip
def test_a_finished_turn_is_told(text: str, kind: str, reason: str | None, finish: str, said: str) -> None:
    report = workbench.classify(text)

    assert (report.kind, report.reason, report.finish_reason, report.text) == (kind, reason, finish, said)


def test_what_is_sent_back_is_untouched() -> None:
    report = workbench.classify(response(ASKED))

    assert report.model_content is not None
    assert json.loads(report.model_content.text) == [ASKED]


def test_a_stream_of_azure_begins_with_what_its_filters_say() -> None:
    begins = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": []}
    choice = {"index": 0, "delta": {"content": "hi"}, "finish_reason": None}
    chunk = {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}

    report = workbench.extract("\n".join(map(json.dumps, [begins, chunk])))
    assert (report.dialect, report.status.value) == (CHAT, "green")
    assert extract({"choices": [], "object": ""}).dialect == "unknown"
