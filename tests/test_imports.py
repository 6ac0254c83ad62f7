"""Imports: declarations of every provider in every wrapper, and what had to be said anew."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import workbench
from app.cursor import Cursor
from app.dialects.gemini_schema import fold
from app.engine import prepare, verdict
from app.exports import all_targets
from app.exports.foreign import FIELDS
from app.json_text import write
from app.model import Status
from app.reports import ImportReport

GEMINI = {
    "name": "set_light",
    "description": "Set one light.",
    "parameters": {"type": "OBJECT", "properties": {"room": {"type": "STRING"}}, "required": ["room"]},
}
SCHEMA = {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}
PLAIN = {"name": "set_light", "description": "Set one light.", "parameters": SCHEMA}
CHAT = {"type": "function", "function": PLAIN | {"strict": False}}
FLAT = {"type": "function"} | PLAIN
ANTHROPIC = {"name": "set_light", "description": "Set one light.", "input_schema": SCHEMA}
MCP = {"name": "set_light", "description": "Set one light.", "inputSchema": SCHEMA}

WRAPPED: dict[str, Any] = {
    "one Gemini declaration": GEMINI,
    "functionDeclarations": {"functionDeclarations": [GEMINI]},
    "function_declarations": {"function_declarations": [GEMINI]},
    "a tools list": {"tools": [{"functionDeclarations": [GEMINI]}]},
    "an array of tools": [{"functionDeclarations": [GEMINI]}],
    "setup": {"setup": {"model": "models/m", "tools": [{"functionDeclarations": [GEMINI]}]}},
    "a generateContent request": {"contents": [], "tools": [{"functionDeclarations": [GEMINI]}]},
    "an SDK config": {"config": {"tools": [{"function_declarations": [GEMINI]}]}},
    "parametersJsonSchema": {
        "name": "set_light",
        "description": "Set one light.",
        "parametersJsonSchema": SCHEMA,
    },
    "an OpenAI chat tool": CHAT,
    "an OpenAI chat request": {"model": "m", "messages": [], "tools": [CHAT]},
    "legacy functions": {"messages": [], "functions": [PLAIN]},
    "an OpenAI flat tool": FLAT,
    "session.update": {"type": "session.update", "session": {"type": "realtime", "tools": [FLAT]}},
    "response.create": {"type": "response.create", "response": {"tools": [FLAT]}},
    "an Anthropic tool": ANTHROPIC,
    "an Anthropic request": {"model": "m", "max_tokens": 1, "messages": [], "tools": [ANTHROPIC]},
    "an MCP tool": MCP,
    "a tools list of MCP": {"tools": [MCP]},
    "tools/list": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
    "a contract": PLAIN,
}


def imported(value: Any, dialect: str | None = None) -> ImportReport:
    return workbench.import_(json.dumps(value), dialect)


def codes(report: ImportReport) -> set[str]:
    return {change.code for change in report.changes}


@pytest.mark.parametrize("value", WRAPPED.values(), ids=WRAPPED)
def test_a_declaration_is_found_in_its_wrapper(value: Any) -> None:
    report = imported(value)

    (contract,) = report.contracts
    assert report.status is Status.GREEN
    assert (contract.name, contract.description) == ("set_light", "Set one light.")
    assert contract.parameters is not None
    assert {
        key: item for key, item in json.loads(contract.parameters.text).items() if key != "$schema"
    } == SCHEMA
    assert codes(report) == {"open-object"}


def test_several_tools_keep_their_order_and_their_lines() -> None:
    tools = [GEMINI | {"name": name} for name in ("a", "b", "c")]
    report = workbench.import_(json.dumps({"tools": [{"functionDeclarations": tools}]}, indent=1))

    assert [each.name for each in report.contracts] == ["a", "b", "c"]
    assert [each.pointer for each in report.contracts][1] == "/tools/0/functionDeclarations/1"
    assert report.contracts[1].line > report.contracts[0].line


def test_several_texts_are_read_each() -> None:
    report = workbench.import_("\n".join([json.dumps(CHAT), json.dumps(ANTHROPIC | {"name": "other"})]))

    assert [each.name for each in report.contracts] == ["set_light", "other"]


def test_a_tool_without_parameters_takes_no_args() -> None:
    report = imported({"functionDeclarations": [{"name": "ping", "parameters": None}]})

    assert report.contracts[0].parameters is None
    assert report.status is Status.GREEN


def test_results_are_read_beside_parameters() -> None:
    gemini = imported(GEMINI | {"response": {"type": "OBJECT", "properties": {"ok": {"type": "BOOLEAN"}}}})
    mcp = imported(MCP | {"outputSchema": {"type": "array"}})
    reply = imported(
        {"response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": SCHEMA}}}
    )

    results = [report.contracts[0].result for report in (gemini, mcp, reply)]
    types = [json.loads(result.text)["type"] for result in results if result is not None]
    assert types == ["object", "array", "object"]
    assert (reply.contracts[0].name, reply.contracts[0].parameters) == ("r", None)


NOTHING = [
    "{}",
    "[]",
    "1",
    '"x"',
    '{"type": "object"}',
    '{"contents": []}',
    '{"toolCall": {"functionCalls": []}}',
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_declares_nothing_is_red(text: str) -> None:
    report = workbench.import_(text)

    assert report.status is Status.RED
    assert [finding.code for finding in report.findings] == ["import-nothing"]


@pytest.mark.parametrize("text", ["", " \n"])
def test_nothing_is_idle(text: str) -> None:
    assert workbench.import_(text).status is Status.IDLE


def test_broken_text_is_red_where_it_breaks() -> None:
    report = workbench.import_('{"functionDeclarations": [')

    assert report.status is Status.RED
    assert all(finding.at.line == 1 for finding in report.findings)


def test_both_fields_at_once_are_refused() -> None:
    report = imported(GEMINI | {"parametersJsonSchema": SCHEMA})

    assert report.status is Status.RED
    assert [finding.code for finding in report.findings] == ["declaration-params-both"]


def test_one_name_twice_is_refused() -> None:
    report = imported({"functionDeclarations": [GEMINI, GEMINI]})

    assert [finding.code for finding in report.findings] == ["declaration-dup-name"]


def test_a_reference_to_elsewhere_is_told_with_its_place_and_never_fetched() -> None:
    report = imported(
        MCP | {"inputSchema": {"type": "object", "properties": {"p": {"$ref": "https://a.test/p"}}}}
    )

    (finding,) = report.findings
    assert (finding.code, finding.at.pointer) == ("ref-external", "/inputSchema/properties/p/$ref")
    assert "https://a.test/p" in finding.message


def test_user_data_is_nobodys_protocol() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {"any_of": {"type": "STRING", "enum": ["min_items", "Type.OBJECT"]}},
        "required": ["any_of"],
        "default": {"min_items": "1"},
    }
    report = imported(schema, "gemini.parameters")

    assert report.contracts[0].parameters is not None
    core = json.loads(report.contracts[0].parameters.text)
    assert core["properties"]["any_of"]["enum"] == ["min_items", "Type.OBJECT"]
    assert core["default"] == {"min_items": "1"}
    assert codes(report) == {"open-object"}


PYTHON_DUMP = {
    "type": "<Type.OBJECT: 'OBJECT'>",
    "title": None,
    "properties": {
        "n": {"type": "Type.INTEGER", "minimum": 1.0, "enum": None, "any_of": None},
        "s": {"type": "STRING", "max_length": "3", "nullable": True},
    },
    "property_ordering": ["s", "n"],
}


def test_a_python_dump_is_read_with_its_nulls() -> None:
    report = imported(PYTHON_DUMP, "gemini.live.parameters")

    assert report.contracts[0].parameters is not None
    core = json.loads(report.contracts[0].parameters.text)
    assert core["properties"] == {
        "s": {"type": ["string", "null"], "maxLength": 3},
        "n": {"type": "integer", "minimum": 1},
    }
    assert list(core["properties"]) == ["s", "n"]
    assert "snake-case-normalised" in codes(report)


BAD_VALUES = [
    {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1.5"},
    {"type": "INTEGER", "enum": ["one"]},
]


@pytest.mark.parametrize("schema", BAD_VALUES)
def test_nothing_is_guessed_where_a_number_is_none(schema: dict[str, Any]) -> None:
    report = imported(GEMINI | {"parameters": {"type": "OBJECT", "properties": {"q": schema}}})

    assert report.status is Status.RED
    assert "import-invalid" in {finding.code for finding in report.findings}


def test_a_field_that_gemini_does_not_have_is_kept_and_told() -> None:
    report = imported(
        {"type": "OBJECT", "properties": {"q": {"oneOf": [{"type": "STRING"}, {"type": "NULL"}]}}},
        "gemini.parameters",
    )

    assert report.contracts[0].parameters is not None
    assert json.loads(report.contracts[0].parameters.text)["properties"]["q"] == {
        "oneOf": [{"type": "string"}, {"type": "null"}]
    }
    assert "unknown-field:oneOf" in codes(report)
    assert "oneOf" not in FIELDS


HINTED = "How many. {minimum: 1, maximum: 10}"


def test_what_an_sdk_wrote_into_a_description_is_pointed_at() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "description": HINTED}}}

    assert "sdk-hint-in-description" in codes(imported(ANTHROPIC | {"input_schema": schema}))
    assert "sdk-hint-in-description" not in codes(imported(MCP | {"inputSchema": schema}))


STRICT = {
    "type": "object",
    "properties": {"u": {"type": ["string", "null"]}},
    "required": ["u"],
    "additionalProperties": False,
}


def test_a_key_that_strict_made_required_is_asked_for() -> None:
    flagged = {"type": "function", "function": {"name": "t", "parameters": STRICT, "strict": True}}
    loose = {"type": "function", "function": {"name": "t", "parameters": STRICT, "strict": False}}

    assert codes(imported(flagged)) == {"strict-nullable-required:u"}
    assert codes(imported(loose)) == set()


# Round trips ------------------------------------------------------------------------

ROUND: dict[str, Any] = {
    "name": "order",
    "description": "Order something.",
    "parameters": {
        "type": "object",
        "additionalProperties": False,
        "required": ["item", "qty"],
        "properties": {
            "item": {"type": "string", "enum": ["tea", "coffee"]},
            "qty": {"type": "integer", "minimum": 1, "maximum": 9},
            "note": {"type": ["string", "null"]},
            "where": {
                "type": "object",
                "properties": {"x": {"type": "number"}},
                "required": ["x"],
                "additionalProperties": False,
            },
        },
    },
    "cases": {
        "ok": {"item": "tea", "qty": 2},
        "ok_all": {"item": "tea", "qty": 1, "note": "x", "where": {"x": 1}},
    },
}


@pytest.mark.parametrize(
    "target", [each.id for each in all_targets() if each.declare and each.id != "json-schema"]
)
@pytest.mark.parametrize("form", ["chat", "responses"])
def test_an_export_read_back_accepts_every_case_that_must_be_accepted(target: str, form: str) -> None:
    report = workbench.export(json.dumps(ROUND), target, form=form)
    assert report.text is not None

    back = workbench.import_(report.text)

    (contract,) = back.contracts
    schema = contract.result if contract.result is not None else contract.parameters
    assert schema is not None
    prepared = prepare(Cursor.of(schema.text))
    payloads = dict(ROUND["cases"])
    if target in ("openai.strict", "openai.response_format"):
        payloads = {"ok_all": payloads["ok_all"]}  # every key is sent, null where there is none
    for payload in payloads.values():
        assert verdict(prepared, Cursor.of(json.dumps(payload))) == "accept"
    assert contract.name in ("order", None)


GEMINI_SCHEMAS = [
    GEMINI["parameters"],
    {"type": "OBJECT", "properties": {"s": {"type": "STRING", "max_length": "3", "nullable": True}}},
    {"type": "OBJECT", "properties": {"e": {"type": "INTEGER", "enum": ["1", "2"], "nullable": True}}},
    {
        "type": "OBJECT",
        "properties": {"u": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}], "nullable": True}},
    },
    {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"},
]
PROBES = [
    {},
    {"room": "x"},
    {"n": 1},
    {"n": 0},
    {"s": None},
    {"e": 1},
    {"e": 3},
    {"e": None},
    {"u": None},
    [],
    ["a"],
    [1],
]


@pytest.mark.parametrize("schema", GEMINI_SCHEMAS)
def test_an_import_judges_as_the_open_fold_of_a_declaration_does(schema: Any) -> None:
    text = json.dumps(schema)
    report = workbench.import_(text, "gemini.parameters")
    assert report.contracts[0].parameters is not None
    mine = prepare(Cursor.of(report.contracts[0].parameters.text))
    folded = prepare(Cursor.of(write(fold(Cursor.of(text), close=False))))

    for probe in PROBES:
        payload = Cursor.of(json.dumps(probe))
        assert verdict(mine, payload) is verdict(folded, payload)
