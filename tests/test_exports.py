"""Exports: what each target is told, what flips by it, and what is said of contracts that no target takes."""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app import workbench
from app.exports import all_targets, by_id
from app.exports.changes import CODES, ORDER
from app.model import Severity, Status
from app.reports import ExportReport

CONTRACTS = Path(__file__).parent.parent / "samples" / "contracts"
SEED = {
    "name": "set_light",
    "description": "Turn one light on or off.",
    "parameters": json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8")),
    "cases": json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8")),
}
TARGETS = [target.id for target in all_targets()]
TOOLS = [target.id for target in all_targets() if target.part == "parameters" and target.code is None]
OPEN = {"gemini.parameters", "gemini.live.parameters"}
"""Tool targets that cannot say additionalProperties."""


def export(contract: dict[str, Any], target: str, **more: Any) -> ExportReport:
    return workbench.export(json.dumps(contract), target, **more)


def of(schema: Any, target: str, **more: Any) -> ExportReport:
    return export({"name": "probe", "parameters": schema} | more, target)


def prop(schema: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"q": schema},
        "required": ["q"],
        "additionalProperties": False,
    }


def codes(report: ExportReport) -> set[str]:
    return {change.code for change in report.changes}


def flipped(report: ExportReport, cases: dict[str, Any]) -> dict[str, str]:
    """Return which of the cases flip, and how; neighbours of the cases may flip too."""
    return {flip.case: f"{flip.before} to {flip.after}" for flip in report.flips if flip.case in cases}


def told(report: ExportReport) -> Any:
    assert report.schema is not None
    return json.loads(report.schema.text)


# The targets --------------------------------------------------------------------


def test_every_target_says_where_its_rules_come_from() -> None:
    infos = workbench.targets()

    assert [info.id for info in infos] == sorted(TARGETS)
    assert len(infos) == 20
    for info in infos:
        assert info.source.startswith("https://")
        assert info.dated == "2026-11-30"
    limits = {info.id: info.limits for info in infos}
    assert "At most 24 optional keys in one request." in limits["anthropic.strict"]
    assert "At most 10 objects in each other." in limits["openai.strict"]
    assert limits["json-schema"] == ()


@pytest.mark.parametrize("target", all_targets(), ids=lambda target: target.id)
def test_every_rule_of_a_target_has_a_public_source_and_a_known_code(target: Any) -> None:
    for keyword, rule in target.profile.keywords.items():
        assert rule.source.startswith("https://"), keyword
        assert rule.code == "" or rule.code in CODES, keyword
        assert rule.confidence in ("high", "medium", "low")


def test_every_change_has_a_weight_and_a_sentence() -> None:
    for weight, sentence in CODES.values():
        assert weight in ORDER
        assert sentence.endswith(".")
        assert sentence.format("x")


def test_an_unknown_target_is_no_target() -> None:
    assert by_id("gemini") is None
    with pytest.raises(LookupError):
        export(SEED, "gemini")


# Over HTTP ------------------------------------------------------------------------


def test_the_targets_are_listed_with_the_ids_that_an_export_takes(client: httpx.Client) -> None:
    listed = client.get("/api/targets").json()

    assert [each["id"] for each in listed] == sorted(TARGETS)
    assert list(listed[0]) == ["id", "title", "source", "dated", "limits"]
    for target in TARGETS:
        answer = client.post("/api/export", json={"contract": SEED, "target": target})
        assert answer.status_code == 200
        assert list(answer.json())[:7] == [
            "status",
            "text",
            "declaration",
            "schema",
            "suggested_name",
            "changes",
            "flips",
        ]


UNFIT = [
    ("export", {"contract": SEED, "target": "gemini"}),
    ("export", {"contract": SEED}),
    ("export", {"target": "gemini.parameters"}),
    ("export", {"contract": SEED, "target": "openai.tools", "form": "legacy"}),
    ("import", {"text": "{}", "dialect": "cobol"}),
    ("import", {}),
]


@pytest.mark.parametrize(("verb", "body"), UNFIT)
def test_a_body_that_names_no_target_does_not_fit(client: httpx.Client, verb: str, body: Any) -> None:
    assert client.post(f"/api/{verb}", json=body).status_code == 422


# The seed contract --------------------------------------------------------------


@pytest.mark.parametrize("target", TOOLS)
def test_on_a_tool_target_the_seed_keeps_its_verdicts_but_for_open_objects(target: str) -> None:
    report = export(SEED, target)

    assert report.status is Status.GREEN
    assert flipped(report, SEED["cases"]) == ({"extra_field": "refuse to accept"} if target in OPEN else {})
    said = [finding.message for finding in report.findings if finding.code == "flip-admitted"]
    assert said == (
        ["extra_field gets in there: additionalProperties does not exist there, so other keys get in."]
        if target in OPEN
        else []
    )


@pytest.mark.parametrize("target", [target.id for target in all_targets() if target.part == "result"])
def test_a_reply_target_says_first_what_takes_no_reply_schema(target: str) -> None:
    report = export(SEED | {"result": prop({"type": "boolean"})}, target)

    assert report.status is Status.GREEN
    first = [finding.message for finding in report.findings][:1]
    if target.startswith("gemini."):
        assert first == [
            "A Live session takes no reply schema; generateContent does, in its generationConfig."
        ]
    elif target.startswith("openai."):
        assert first == ["A Realtime session takes no reply schema; Chat Completions and Responses do."]
    else:
        assert first == []
    assert report.flips == ()  # the cases are args, and this is the result


def test_a_contract_without_result_gives_its_parameters_and_says_so() -> None:
    report = export(SEED, "gemini.responseSchema")

    assert [finding.code for finding in report.findings] == ["target-note", "result-missing", "flip-admitted"]
    assert told(report)["propertyOrdering"] == ["room", "on"]


DECLARATIONS: dict[str, tuple[list[str], list[str]]] = {
    "gemini.live.parameters": (["functionDeclarations"], ["name", "description", "parameters"]),
    "gemini.parametersJsonSchema": (
        ["functionDeclarations"],
        ["name", "description", "parametersJsonSchema"],
    ),
    "gemini.responseSchema": (["responseMimeType", "responseSchema"], ["responseMimeType", "responseSchema"]),
    "openai.strict": (["type", "function"], ["type", "function"]),
    "openai.realtime": (
        ["type", "name", "description", "parameters"],
        ["type", "name", "description", "parameters"],
    ),
    "anthropic.tools": (["name", "description", "input_schema"], ["name", "description", "input_schema"]),
    "anthropic.strict": (
        ["name", "description", "input_schema", "strict"],
        ["name", "description", "input_schema", "strict"],
    ),
    "mcp.outputSchema@2026-07-28": (
        ["name", "description", "inputSchema", "outputSchema"],
        ["name", "description", "inputSchema", "outputSchema"],
    ),
    "openai.response_format": (["type", "json_schema"], ["type", "json_schema"]),
}


@pytest.mark.parametrize(("target", "keys"), DECLARATIONS.items(), ids=DECLARATIONS)
def test_text_and_declaration_have_the_form_of_the_provider(
    target: str, keys: tuple[list[str], list[str]]
) -> None:
    report = export(SEED, target)

    assert report.text is not None
    assert report.declaration is not None
    assert (list(json.loads(report.text)), list(json.loads(report.declaration.text))) == keys


def test_openai_has_two_forms_and_always_says_strict() -> None:
    for form, at in (("chat", "function"), ("responses", None)):
        for target, strict in (("openai.strict", True), ("openai.tools", False)):
            report = export(SEED, target, form=form)
            assert report.text is not None
            entry = json.loads(report.text)
            inner = entry[at] if at else entry
            assert (inner["name"], inner["strict"]) == ("set_light", strict)


def test_behavior_goes_to_live_and_is_left_out_elsewhere() -> None:
    contract = SEED | {"behavior": "NON_BLOCKING"}

    live, other = export(contract, "gemini.live.parameters"), export(contract, "gemini.parameters")

    assert '"behavior": "NON_BLOCKING"' in (live.text or "")
    assert "behavior" not in (other.text or "")
    assert "behavior-dropped" in codes(other)
    assert "behavior-dropped" not in codes(live)


# What a contract says is exported, whatever form it has ---------------------------


def test_a_declaration_is_a_contract_too_and_is_closed_as_it_judges() -> None:
    tool = {
        "name": "set_light",
        "parameters": {"type": "OBJECT", "properties": {"on": {"type": "BOOLEAN", "nullable": True}}},
    }
    report = export({"functionDeclarations": [tool]}, "anthropic.tools")

    assert told(report)["properties"] == {"on": {"type": ["boolean", "null"]}}
    assert told(report)["additionalProperties"] is False


def test_an_older_draft_is_said_anew() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"xy": {"type": "array", "items": [{"type": "number"}], "additionalItems": False}},
    }
    report = of(schema, "anthropic.tools")

    assert told(report)["properties"]["xy"]["prefixItems"] == [{"type": "number"}]
    assert told(report)["properties"]["xy"]["items"] is False
    assert "tuple-items-upgraded" in codes(report)


def test_numbers_keep_their_lexemes() -> None:
    schema = '{"type": "object", "properties": {"q": {"type": "number", "maximum": 1.50}}}'
    contract = f'{{"name": "t", "parameters": {schema}}}'

    report = workbench.export(contract, "gemini.parameters")

    assert '"maximum": 1.50' in (report.text or "")


EXACT: list[tuple[str, Any, str, Any]] = [
    # (what, the property, target, what it becomes)
    (
        "null needs the enum to hold it",
        {"type": ["string", "null"], "enum": ["a"]},
        "gemini.parameters",
        {"type": "STRING", "enum": ["a"]},
    ),
    (
        "the tighter bound counts",
        {"type": "integer", "minimum": 5, "exclusiveMinimum": 1},
        "gemini.parameters",
        {"type": "INTEGER", "minimum": 5},
    ),
    (
        "an exclusive maximum of a fraction",
        {"type": "integer", "exclusiveMaximum": 2.5},
        "gemini.parameters",
        {"type": "INTEGER", "maximum": 2},
    ),
    (
        "one value is two equal bounds",
        {"type": "integer", "enum": [3]},
        "gemini.parameters",
        {"type": "INTEGER", "minimum": 3, "maximum": 3},
    ),
    (
        "nothing names further keys",
        {"type": "object", "properties": {"a": {"type": "string"}}, "unevaluatedProperties": False},
        "gemini.vertex.parameters",
        {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "additionalProperties": False},
    ),
    (
        "branches get what stands beside them",
        {"type": "string", "anyOf": [{"minLength": 3}, {"enum": ["a"]}]},
        "gemini.parameters",
        {"anyOf": [{"type": "STRING", "minLength": 3}, {"type": "STRING", "enum": ["a"]}]},
    ),
    (
        "a closed branch forbids the keys of another",
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
                {"properties": {"b": {"type": "string"}}},
            ]
        },
        "gemini.vertex.parameters",
        {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "additionalProperties": False},
    ),
]


@pytest.mark.parametrize(
    ("schema", "target", "expected"), [row[1:] for row in EXACT], ids=[row[0] for row in EXACT]
)
def test_a_rewriting_is_exact(schema: Any, target: str, expected: Any) -> None:
    report = of(prop(schema), target)

    assert told(report)["properties"]["q"] == expected
    assert {change.severity for change in report.changes if change.pointer.startswith("/properties/q")} <= {
        "rewrite",
        "info",
    }


def test_vertex_has_definitions_and_references_of_its_own() -> None:
    schema = prop({"$ref": "#/$defs/P"}) | {"$defs": {"P": {"type": "string"}, "unused": {"type": "array"}}}

    report = of(schema, "gemini.vertex.parameters")

    assert told(report)["properties"]["q"] == {"ref": "#/defs/P"}
    assert told(report)["defs"] == {"P": {"type": "STRING"}}


def test_a_reference_by_anchor_or_id_becomes_a_plain_one() -> None:
    schema = prop({"$ref": "#word"}) | {
        "$id": "https://a.test/s",
        "$defs": {"W": {"$anchor": "word", "type": "string"}},
    }

    assert told(of(schema, "openai.strict"))["properties"]["q"] == {"$ref": "#/$defs/W"}
    assert told(of(schema, "json-schema")) == schema  # as it stands


# What no target takes -------------------------------------------------------------

TREE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
DEEP: dict[str, Any] = {"type": "string"}
for _ in range(120):
    DEEP = {"type": "array", "items": DEEP}
DOUBLING = {f"D{n}": prop({"$ref": f"#/$defs/D{n + 1}"}) for n in range(30)}
for schema in DOUBLING.values():
    schema["properties"]["p"] = schema["properties"]["q"]
BAD: dict[str, tuple[Any, str]] = {
    "recursive": (TREE, "ref-recursive"),
    "recursive by itself": (prop({"$ref": "#/$defs/A"}) | {"$defs": {"A": {"$ref": "#/$defs/A"}}}, ""),
    "reference to a file": (prop({"$ref": "other.json#/a"}), "ref-external"),
    "reference to a page": (prop({"$ref": "https://example.test/x"}), "ref-external"),
    "reference to nowhere": (prop({"$ref": "#/$defs/none"}), "ref-unresolved"),
    "deep": (prop(DEEP), "limit-depth"),
    "doubling": (
        prop({"$ref": "#/$defs/D0"}) | {"$defs": DOUBLING | {"D30": {"type": "string"}}},
        "limit-size",
    ),
    "true": (True, "root-not-object"),
    "false": (False, "root-not-object"),
    "false inside": (prop(False), "bool-schema"),
    "no object": ({"type": "string"}, "root-not-object"),
    "allOf that nothing meets": (prop({"allOf": [{"type": "string"}, {"type": "integer"}]}), "bool-schema"),
    "enum of a foreign type": (prop({"type": "integer", "enum": ["a"]}), "bool-schema"),
}


@pytest.mark.parametrize(("schema", "code"), BAD.values(), ids=BAD)
def test_what_gemini_cannot_take_is_a_change_and_a_finding_with_a_place(schema: Any, code: str) -> None:
    report = of(schema, "gemini.live.parameters")

    assert report.status is Status.RED
    assert report.text is None
    assert report.schema is None
    errors = [finding for finding in report.findings if finding.is_error]
    assert errors
    assert all(finding.at.line is not None for finding in errors)
    if code:
        assert code in {change.code for change in report.changes if change.severity == "error"}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("schema", [row[0] for row in BAD.values()], ids=BAD)
def test_no_target_fails_on_it(schema: Any, target: str) -> None:
    report = of(schema, target, result=schema)

    assert (report.text is None) == (report.status is Status.RED)


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "gemini.responseSchema"])
def test_no_parameters_are_no_args_everywhere(target: str) -> None:
    report = export({"name": "ping", "cases": {"ok": {}, "extra": {"a": 1}}}, target)

    assert report.text is not None
    assert report.status is Status.GREEN


def test_a_reply_without_properties_is_refused_by_the_old_field() -> None:
    report = export({"name": "ping", "result": {"type": "object", "properties": {}}}, "gemini.responseSchema")

    assert [(change.code, change.severity) for change in report.changes] == [("object-untyped", "error")]


BROKEN = ["", "[]", "{", "1", '"x"', '{"name": "t", "parameters": {"type": "objekt"}}', '{"a": {"type": 3}}']


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("target", ["gemini.parameters", "openai.strict", "pydantic"])
def test_what_is_no_contract_is_red_and_says_why(text: str, target: str) -> None:
    report = workbench.export(text, target)

    assert report.status is Status.RED
    assert report.text is None
    assert any(finding.severity is Severity.ERROR for finding in report.findings)


HUGE = [
    '{"enum": [1e400, 1]}',
    '{"const": 1e400}',
    '{"type": "integer", "minimum": 1e400, "exclusiveMinimum": 12345678901234567890123456789012345}',
    '{"type": "array", "items": {"type": "string"}, "maxItems": 1e400}',
    '{"type": "number", "minimum": 1e999999}',
]


@pytest.mark.parametrize("schema", HUGE)
def test_numbers_of_any_size_get_an_answer_everywhere(schema: str) -> None:
    parameters = f'{{"type": "object", "properties": {{"q": {schema}}}}}'
    contract = (
        f'{{"name": "t", "parameters": {parameters}, "cases": {{"ok": {{"q": 1e400}}, "b": {{"q": 1}}}}}}'
    )

    for report in workbench.export_all(contract).values():
        assert (report.text is None) == (report.status is Status.RED)
    assert workbench.import_(schema, "gemini.parameters").contracts


NAMES = [
    ("gemini.parameters", "a b", "a_b"),
    ("gemini.parameters", "Ω", "_"),
    ("openai.tools", "a.b/c", "a_b_c"),
    ("anthropic.tools", "x" * 200, "x" * 64),
    ("mcp.inputSchema@2026-07-28", "a b", "a_b"),
    ("openai.tools", "fine-name_1", None),
    ("pydantic", "any thing", None),
]


@pytest.mark.parametrize(("target", "name", "suggested"), NAMES)
def test_a_name_that_is_not_taken_gets_one_that_is(target: str, name: str, suggested: str | None) -> None:
    report = export({"name": name, "parameters": prop({"type": "string"})}, target)

    assert report.suggested_name == suggested
    if suggested is not None:
        assert export(SEED | {"name": suggested}, target).suggested_name is None


def test_a_huge_schema_is_exported_or_refused_but_never_fails() -> None:
    properties = {f"p{n}": {"type": "string", "enum": [f"v{m}" for m in range(20)]} for n in range(2000)}
    report = of({"type": "object", "properties": properties}, "openai.strict")

    assert report.status is Status.RED
    assert "limit-enum-values" in codes(report)


# Strict targets --------------------------------------------------------------------


def test_an_optional_key_that_is_absent_keeps_its_verdict_on_a_strict_target() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    cases = {"ok": {"a": "x"}, "ok_b": {"a": "x", "b": 1}, "missing": {"b": 1}, "null": {"a": "x", "b": None}}
    report = of(schema, "openai.strict", cases=cases)

    assert told(report)["required"] == ["a", "b"]
    # null is what the model sends where the key is absent, and the runtime drops it.
    assert flipped(report, cases) == {"null": "refuse to accept"}
    assert report.status is Status.GREEN


@pytest.mark.parametrize("target", [target for target in TOOLS if target != "json-schema"])
def test_a_type_that_is_written_out_tells_what_it_refuses(target: str) -> None:
    schema = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
    report = of(schema, target, cases=[{"name": "text", "payload": "a text", "expect": "accept"}])

    assert report.status is Status.GREEN
    assert flipped(report, {"text": 0}) == {"text": "accept to refuse"}
    assert [finding.code for finding in report.findings if finding.code.startswith("flip")] == [
        "flip-refused"
    ]


# Code ------------------------------------------------------------------------------

MODELLED = {
    "type": "object",
    "additionalProperties": False,
    "required": ["room", "level"],
    "properties": {
        "room": {"enum": ["kitchen", "hall"], "description": 'The "room"\nwhere'},
        "level": {"type": "integer", "minimum": 0, "exclusiveMaximum": 10},
        "class": {"type": ["string", "null"], "maxLength": 3},
        "model_x": {"type": "boolean"},
        "tree": {"$ref": "#/$defs/Tree"},
        "map": {"type": "object", "additionalProperties": {"type": "number"}},
        "either": {
            "anyOf": [{"type": "string", "pattern": "^a"}, {"type": "array", "items": {"type": "integer"}}]
        },
    },
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
        }
    },
}
PAYLOADS: dict[str, Any] = {
    "ok": {"room": "hall", "level": 9},
    "ok_all": {"room": "hall", "level": 0, "class": None, "model_x": True, "map": {"a": 1.5}, "either": [1]},
    "ok_tree": {"room": "hall", "level": 1, "tree": {"kids": [{"kids": []}, {"other": 1}]}, "either": "abc"},
    "unknown": {"room": "garage", "level": 1},
    "bound": {"room": "hall", "level": 10},
    "text_number": {"room": "hall", "level": "3"},
    "extra": {"room": "hall", "level": 3, "z": 1},
    "null_optional": {"room": "hall", "level": 3, "model_x": None},
    "missing": {"room": "hall"},
    "long": {"room": "hall", "level": 3, "class": "long!"},
    "pattern": {"room": "hall", "level": 3, "either": "b"},
    "tree_type": {"room": "hall", "level": 3, "tree": {"kids": [1]}},
    "map_type": {"room": "hall", "level": 3, "map": {"a": "x"}},
}


@pytest.fixture
def module() -> Iterator[types.ModuleType]:
    made = types.ModuleType("exported_models")
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


def test_pydantic_models_judge_as_the_contract_does(module: types.ModuleType) -> None:
    report = of(MODELLED, "pydantic", cases=PAYLOADS)
    assert flipped(report, PAYLOADS) == {}
    assert report.text is not None
    exec(report.text, module.__dict__)

    model = module.__dict__["ProbeArgs"]
    error = importlib.import_module("pydantic").ValidationError
    for name, payload in PAYLOADS.items():
        text = json.dumps(payload)
        if name.startswith("ok"):
            model.model_validate_json(text)
        else:
            with pytest.raises(error):
                model.model_validate_json(text)


def test_typescript_says_what_types_cannot_hold() -> None:
    report = of(MODELLED, "typescript", cases=PAYLOADS)

    assert 'room: "kitchen" | "hall";' in (report.text or "")
    assert "class?: string | null;" in (report.text or "")
    assert "kids?: Array<ProbeTree>;" in (report.text or "")
    assert {"addl-props-dropped", "kw-dropped:minimum", "kw-dropped:maxLength", "integer-widened"} <= codes(
        report
    )
    assert flipped(report, PAYLOADS).keys() == {"bound", "extra", "long", "pattern"}


def test_a_description_cannot_leave_its_comment() -> None:
    contract = {"name": "t", "description": 'a */ alert(1) """ \\', "parameters": prop({"type": "string"})}

    typescript, pydantic = (export(contract, target).text or "" for target in ("typescript", "pydantic"))

    assert "*/ alert" not in typescript
    compile(pydantic, "models", "exec")


# Requests ---------------------------------------------------------------------------


def _optional(name: str, count: int) -> dict[str, Any]:
    properties = {f"p{n}": {"type": "string"} for n in range(count)}
    return {
        "name": name,
        "parameters": {"type": "object", "properties": properties, "additionalProperties": False},
    }


def test_limits_that_only_many_tools_meet_are_told_over_the_request() -> None:
    few = workbench.meter(json.dumps([_optional(f"t{n}", 8) for n in range(3)]), "anthropic.strict")
    many = workbench.meter(json.dumps([_optional(f"t{n}", 8) for n in range(4)]), "anthropic.strict")
    tools = workbench.meter(json.dumps([_optional(f"t{n}", 0) for n in range(21)]), "anthropic.strict")

    assert few.status is Status.GREEN
    assert (few.total.optional, many.total.optional) == (24, 32)
    assert [finding.message for finding in many.findings] == [
        "32 optional keys are more than one request may have."
    ]
    assert [finding.message for finding in tools.findings] == [
        "21 strict tools are more than one request may have."
    ]
    assert workbench.meter(json.dumps([_optional("a", 30)] * 1), "anthropic.tools").status is Status.GREEN


def test_the_sum_of_array_lengths_is_a_warning() -> None:
    tool = {"name": "t", "parameters": prop({"type": "array", "items": {"type": "string"}, "maxItems": 500})}

    report = workbench.meter(json.dumps([tool, tool | {"name": "u"}]), "gemini.parameters")

    assert report.status is Status.GREEN
    assert report.total.max_items == 1000
    assert [finding.code for finding in report.findings] == ["request-limit"]


def test_one_tool_that_is_refused_is_named() -> None:
    good, bad = SEED, {"name": "bad", "parameters": prop({"type": "array"})}

    report = workbench.meter(json.dumps([good, bad]), "gemini.parameters")

    assert report.status is Status.RED
    assert [each.name for each in report.tools] == ["set_light", "bad"]
    assert report.tools[0].characters > 100
