"""The fewest keywords that refuse every case that must be refused, and nothing else."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import engine, separate, workbench
from app.cursor import Cursor
from app.model import Raw, Status, Verdict
from app.reports import TightenReport
from app.separate import Candidate, fewest
from tests.bench.core import CONTRACTS

OPEN_LIGHT = {"type": "object", "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}}}
LIGHT_CASES = json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8"))
LIGHT_SAMPLES = (CONTRACTS / "set_light.samples.jsonl").read_text(encoding="utf-8")


def tightened(schema: Any, cases: Any, samples: str | None = None) -> TightenReport:
    return workbench.tighten(
        schema_text=None if schema is None else json.dumps(schema),
        samples_text=samples,
        cases_text=json.dumps(cases),
        until_refused=True,
    )


def changes(report: TightenReport) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(each.keyword, each.pointer): each.refuses for each in report.changes}


def codes(report: TightenReport) -> list[str]:
    return [finding.code for finding in report.findings]


def still_admitted(report: TightenReport, cases: dict[str, Any]) -> set[str]:
    assert report.schema is not None
    after = engine.prepare(Cursor.of(report.schema.text))
    return {
        name
        for name, payload in cases.items()
        if engine.verdict(after, Cursor.of(json.dumps(payload))) is Verdict.ACCEPT
    }


def test_the_seed_cases_take_two_keywords_and_each_shows_what_it_refuses() -> None:
    report = tightened(OPEN_LIGHT, LIGHT_CASES, LIGHT_SAMPLES)

    assert changes(report) == {
        ("enum", "/room"): ("unknown_room",),
        ("additionalProperties", ""): ("extra_field",),
    }
    assert report.status is Status.GREEN
    assert report.narrower == "yes"
    assert report.smallest is True
    assert still_admitted(report, LIGHT_CASES) == {"ok"}


def test_nothing_is_added_where_every_case_is_refused_already() -> None:
    light = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
    report = tightened(light, LIGHT_CASES)

    assert report.changes == ()
    assert report.smallest is True
    assert report.status is Status.GREEN


def test_twice_changes_nothing_more() -> None:
    once = tightened(OPEN_LIGHT, LIGHT_CASES, LIGHT_SAMPLES)
    assert once.schema is not None
    twice = tightened(json.loads(once.schema.text), LIGHT_CASES, LIGHT_SAMPLES)
    assert twice.changes == ()


def test_without_a_schema_the_accepted_cases_state_one() -> None:
    report = tightened(None, LIGHT_CASES)
    assert still_admitted(report, LIGHT_CASES) == {"ok"}
    assert report.status is Status.GREEN


@pytest.mark.parametrize(
    ("place", "accept", "refuse", "keyword", "after"),
    [
        ({}, True, "on", "type", '"boolean"'),
        ({}, 3, 3.5, "type", '"integer"'),
        ({}, [1.5, None], True, "type", '["number", "null"]'),
        ({"type": "integer"}, [10, 100], 101, "maximum", "100"),
        ({"type": "integer"}, [10, 100], 9, "minimum", "10"),
        ({"type": "integer"}, [10, 100], 50, "enum", "[10, 100]"),
        ({"type": "string"}, ["a", "b"], "c", "enum", '["a", "b"]'),
        ({"type": "string"}, list("abcdefghi"), "", "minLength", "1"),
        ({"type": "string"}, list("abcdefghi"), "xx", "maxLength", "1"),
        ({"type": "array"}, [[1], [1, 2]], [], "minItems", "1"),
        ({"type": "array"}, [[1], [1, 2]], [1, 2, 3], "maxItems", "2"),
        ({"type": "array"}, [[1, 2], [3, 4]], [1, 1], "uniqueItems", "true"),
        ({"type": "array", "items": {}}, [["a"], ["b"]], ["c"], "enum", '["a", "b"]'),
        ({"type": "array"}, [[1, 2]], [2, 1], "const", "[1, 2]"),
        ({"type": "object"}, [{"b": 1}], {}, "required", '["b"]'),
        ({"type": "object"}, [{}], {"b": 1}, "additionalProperties", "false"),
    ],
)
def test_one_keyword_tells_one_pair_apart(
    place: Any, accept: Any, refuse: Any, keyword: str, after: str
) -> None:
    if keyword == "required":
        place = {**place, "properties": {"b": {}}}
    schema = {"type": "object", "properties": {"a": place}}
    several = accept if isinstance(accept, list) else [accept]
    cases = {f"ok {index}": {"a": value} for index, value in enumerate(several)} | {"bad": {"a": refuse}}
    report = tightened(schema, cases)

    assert [(each.keyword, each.after) for each in report.changes] == [(keyword, Raw(after))]
    assert report.changes[0].refuses == ("bad",)
    assert report.narrower in ("yes", "not-proven")
    assert report.status is Status.GREEN


def test_one_keyword_that_refuses_two_cases_is_chosen_before_two() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    cases = {
        "ok": {"a": "x", "b": "y"},
        "ok too": {"a": "xx", "b": "yy"},
        "no a": {"b": "z"},
        "no a, other b": {"b": "w"},
        "other b": {"a": "x", "b": "v"},
    }
    report = tightened(schema, cases)
    assert changes(report) == {("enum", "/b"): ("no a", "no a, other b", "other b")}


def test_a_case_that_says_why_gets_that_keyword() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    cases = [
        {"name": "ok", "payload": {"n": 1}},
        {"name": "ok too", "payload": {"n": 2}},
        {"name": "bad", "payload": {"n": 9}, "because": "enum"},
    ]
    assert [each.keyword for each in tightened(schema, cases).changes] == ["enum"]
    assert [
        each.keyword for each in tightened(schema, [*cases[:2], {**cases[2], "because": None}]).changes
    ] == ["maximum"]


def test_what_cannot_be_told_apart_is_named() -> None:
    report = tightened(
        OPEN_LIGHT, {**LIGHT_CASES, "twin": {"on": True, "room": "living_room"}}, LIGHT_SAMPLES
    )

    assert codes(report) == ["tighten-case-inseparable"]
    assert "twin is the same payload as the case ok" in report.findings[0].message
    assert report.status is Status.RED
    assert len(report.changes) == 2, "the others are told apart all the same"


def test_a_property_that_nobody_describes_cannot_be_guarded() -> None:
    report = tightened({"type": "object"}, {"ok": {"room": "a"}, "bad": {"room": "b"}})
    assert codes(report) == ["tighten-case-inseparable"]
    assert "bad" in report.findings[0].message
    assert report.changes == ()


def test_a_case_that_was_never_accepted_is_told_and_does_not_spoil_the_search() -> None:
    report = tightened(OPEN_LIGHT, {"ok": {"room": "a"}, "ok2": {"room": 1}, "bad": {"room": "a", "x": 1}})
    assert changes(report) == {("additionalProperties", ""): ("bad",)}
    assert codes(report) == ["tighten-case-refused"]


def test_a_case_that_cannot_be_judged_is_not_taken_for_refused() -> None:
    report = workbench.tighten(
        schema_text='{"type": "number"}', cases_text='{"ok": 1, "far": 1e999999999}', until_refused=True
    )
    assert codes(report) == ["not-judged"]
    assert report.status is Status.RED


def test_five_thousand_samples_take_no_two_seconds_and_all_of_them_count() -> None:
    samples = "\n".join(f'{{"room": "room {number % 40}", "level": {number}}}' for number in range(5000))
    schema = {"type": "object", "properties": {"room": {"type": "string"}, "level": {"type": "integer"}}}
    report = tightened(
        schema, {"bad": {"room": "attic", "level": 1}, "far": {"room": "room 1", "level": -4}}, samples
    )
    assert changes(report) == {("enum", "/room"): ("bad",), ("minimum", "/level"): ("far",)}
    assert report.smallest is True


def test_many_texts_that_were_seen_once_are_no_list() -> None:
    samples = "\n".join(f'{{"room": "room {number}"}}' for number in range(20))
    schema = {"type": "object", "properties": {"room": {"type": "string"}}}
    assert changes(tightened(schema, {"bad": {"room": ""}}, samples)) == {("minLength", "/room"): ("bad",)}


def test_every_sample_stays_green() -> None:
    report = tightened(
        OPEN_LIGHT, {"bad": {"room": "kitchen"}}, '{"room": "kitchen", "on": true}\n{"room": "bath"}'
    )
    assert codes(report) == ["tighten-case-inseparable"]
    assert report.rejected_samples == ()


# The smallest set ------------------------------------------------------------------

names = st.frozensets(st.sampled_from("abcdef"), max_size=4)
offers = st.dictionaries(
    st.builds(Candidate, st.just("type"), st.sampled_from("/123456"), st.just(()), st.integers(0, 3)),
    names,
    max_size=7,
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(offers)
def test_the_set_is_the_smallest_and_of_those_the_cheapest(effects: dict[Candidate, frozenset[str]]) -> None:
    wanted = sorted(frozenset[str]().union(*effects.values()))
    chosen, proven = fewest(wanted, effects)

    assert proven
    covering = [
        (size, sum(each.cost for each in some))
        for size in range(len(effects) + 1)
        for some in combinations(effects, size)
        if set(wanted) <= frozenset[str]().union(*(effects[each] for each in some))
    ]
    assert (len(chosen), sum(each.cost for each in chosen)) == min(covering)


def test_where_the_search_would_take_too_long_a_small_set_is_given_unproven() -> None:
    # A cyclic design: every name is reached by many, and no greedy choice is plainly right.
    everything = [str(number) for number in range(60)]
    effects = {
        Candidate("type", f"/{n}", (), 0): frozenset(
            everything[(n + step) % 60] for step in (0, 1, 5, 13, 28, 33, 48)
        )
        for n in range(60)
    }
    chosen, proven = fewest(everything, effects)

    assert not proven
    assert frozenset[str]().union(*(effects[each] for each in chosen)) == set(everything)
    assert len(chosen) < 20


def test_a_contract_of_a_hundred_properties_takes_no_second() -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(100)}}
    ok = {f"p{n}": "a" for n in range(100)}
    cases = {"ok": ok} | {f"bad {n}": {**ok, f"p{n}": "b"} for n in range(100)}
    report = tightened(schema, cases)
    assert len(report.changes) == 100
    assert report.smallest is True


def test_many_more_differences_than_are_tried_are_not_called_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tighten.CANDIDATES", 1)
    report = tightened(OPEN_LIGHT, LIGHT_CASES, LIGHT_SAMPLES)
    assert report.smallest is False


# For any contract and any cases ---------------------------------------------------

scalars = st.sampled_from([None, True, 1, 2.5, "", "a", "bb"])
payloads = st.dictionaries(st.sampled_from("abc"), scalars | st.lists(scalars, max_size=2), max_size=3)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.lists(payloads, max_size=4), st.lists(payloads, max_size=4))
def test_what_must_pass_passes_and_the_rest_is_refused_or_named(accepted: Any, refused: Any) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {}, "b": {"items": {}}, "c": {"type": ["string", "number"]}},
    }
    cases = {f"ok {n}": payload for n, payload in enumerate(accepted)}
    cases |= {f"bad {n}": payload for n, payload in enumerate(refused)}
    before = still_admitted_by(schema, cases)
    report = tightened(schema, cases)
    after = still_admitted(report, cases)
    named = {name for name in cases if any(name in finding.message for finding in report.findings)}

    assert {name for name in before if name.startswith("ok")} <= after
    assert {name for name in after if name.startswith("bad")} <= named
    assert after <= before
    again = workbench.tighten(
        schema_text=report.schema.text if report.schema else None,
        cases_text=json.dumps(cases),
        until_refused=True,
    )
    assert again.changes == ()


def still_admitted_by(schema: Any, cases: dict[str, Any]) -> set[str]:
    before = engine.prepare(Cursor.of(json.dumps(schema)))
    return {
        name
        for name, payload in cases.items()
        if engine.verdict(before, Cursor.of(json.dumps(payload))) is Verdict.ACCEPT
    }


def test_candidates_are_read_off_the_payloads_alone() -> None:
    plan = _plan(OPEN_LIGHT)
    accepted, refused = Cursor.of('{"room": "a"}'), Cursor.of('{"room": "bc", "x": 1}')
    found, complete = separate.candidates(plan, [accepted], [refused])
    assert complete
    assert {(each.keyword, each.pointer) for each in found} == {
        ("additionalProperties", ""),
        ("enum", "/room"),
        ("maxLength", "/room"),
    }


def _plan(schema: Any) -> Any:
    from app.schema_map import SchemaMap

    prepared = engine.prepare(Cursor.of(json.dumps(schema)))
    return SchemaMap(prepared.outline, prepared.draft)
