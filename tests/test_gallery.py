"""The gallery: what the workbench says of each sample is what stands beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app import dialects, workbench
from app.model import Severity
from app.web import samples

FOLDER = Path(__file__).parent.parent / "samples"
CONTRACTS = FOLDER / "contracts"

ABOUT: dict[str, dict[str, Any]] = {
    path.name.removesuffix(".expected.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*/*.expected.json"))
}
SESSIONS = {
    path.name.removesuffix(".session.jsonl"): path for path in sorted(FOLDER.glob("*/*.session.jsonl"))
}


def read_session(name: str) -> Any:
    contract = ABOUT[name].get("contract")
    schema = contract and json.loads((CONTRACTS / f"{contract}.json").read_text(encoding="utf-8"))
    text = SESSIONS[name].read_text(encoding="utf-8").removesuffix("\n")
    return workbench.read_session(text, json.dumps({contract: schema}) if contract else None)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_judged_as_it_says(name: str) -> None:
    report = read_session(name)
    assert report.dialect == SESSIONS[name].parent.name
    assert ABOUT[name]["expect"] == {
        "status": report.status,
        "codes": sorted({finding.code for finding in report.findings}),
        "states": [row.state for row in report.ledger],
    }


def test_every_sample_says_what_is_right_of_it() -> None:
    assert sorted(ABOUT) == sorted(sample.name for sample in samples.names())
    for name, about in ABOUT.items():
        assert set(about["expect"]) == (
            {"status", "codes", "states"} if name in SESSIONS else {"statuses", "codes", "verdicts"}
        )


OTHERS = {"agent-run", "gemini-declaration", "transcript"}
"""What is told apart and is no traffic of a model: a run's summary, declarations, words."""
CALLING = sorted({dialect.id for dialect in dialects.all_dialects()} - OTHERS)


@pytest.mark.parametrize("dialect", CALLING)
def test_each_dialect_has_a_session_without_a_fault(dialect: str) -> None:
    """Such a session is green, nothing is noted about its frames, and every call is answered."""
    reports = [read_session(name) for name, path in SESSIONS.items() if path.parent.name == dialect]
    assert any(
        report.status == "green"
        and report.ledger
        and {finding.severity for finding in report.findings} <= {Severity.INFO}
        and {row.state for row in report.ledger} == {"answered"}
        for report in reports
    )


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_short(name: str) -> None:
    lines = SESSIONS[name].read_text(encoding="utf-8").splitlines()
    assert 2 <= len(lines) <= 40
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_the_gallery_says_its_point_in_a_line() -> None:
    for about in ABOUT.values():
        assert len(about["title"]) <= 50
        assert len(about["look"]) <= 120


def test_good_sessions_stand_first() -> None:
    names = [sample.name for sample in samples.names()]
    assert names.index("customer-service") < names.index("customer-service-slips")
    order = list(dict.fromkeys(sample.dialect for sample in samples.names()))
    assert order[:4] == ["gemini-live", "gemini-generate", "gemini-interactions", "openai-realtime"]
    assert order[-1] == "livekit"


def test_customer_service_uses_both_of_its_tools() -> None:
    lines = SESSIONS["customer-service"].read_text(encoding="utf-8").splitlines()
    tools = json.loads(lines[0])["session"]["tools"]
    for tool in tools:
        contract = json.loads((CONTRACTS / f"{tool['name']}.json").read_text(encoding="utf-8"))
        assert {"$schema": contract["$schema"], **tool["parameters"]} == contract
    report = read_session("customer-service")
    assert [(row.name, row.state) for row in report.ledger] == [
        ("process_refund", "answered"),
        ("connect_to_human", "answered"),
    ]


@pytest.mark.parametrize("contract", ["process_refund", "connect_to_human"])
def test_a_contract_takes_its_samples_and_meets_its_cases(contract: str) -> None:
    cases, schema, given = (
        (CONTRACTS / f"{contract}{part}").read_text(encoding="utf-8")
        for part in (".cases.json", ".json", ".samples.jsonl")
    )
    report = workbench.cases(cases, schema_text=schema)
    assert len(report.results) == 5
    assert all(result.as_expected for result in report.results)
    assert all(workbench.validate(line, schema_text=schema).status == "green" for line in given.splitlines())
