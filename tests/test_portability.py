"""Exports and imports with right answers: codes, what is emitted, and whether the target takes it.

A row is a schema and a target. Result targets get it as the result of a tool,
the others as its parameters; a row of an import is a bare foreign schema.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app import exports, workbench
from app.model import Raw, Status

VECTORS = Path(__file__).parent / "vectors" / "portability.jsonl"
ROWS = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
EXPORTS = [row for row in ROWS if not row["target"].startswith("import.")]
IMPORTS = [row for row in ROWS if row["target"].startswith("import.")]
WRITTEN_FOR = {
    "import.gemini.parameters": "gemini.parameters",
    "import.mcp.inputSchema": "mcp.inputSchema@2026-07-28",
    "import.openai.parameters": "openai.strict",
    "import.anthropic.input_schema": "anthropic.tools",
}


def _name(row: dict[str, Any]) -> str:
    return str(row["name"])


def _value(raw: Raw | None) -> Any:
    return None if raw is None else json.loads(raw.text)


def test_all_rows_are_there() -> None:
    assert (len(EXPORTS), len(IMPORTS)) == (250, 14)


@pytest.mark.parametrize("row", EXPORTS, ids=_name)
def test_an_export_gets_its_right_answer(row: dict[str, Any]) -> None:
    target, expect = exports.by_id(row["target"]), row["expect"]
    assert target is not None

    contract = {"name": row.get("tool_name", "probe"), target.part: row["schema"]}
    report = workbench.export(json.dumps(contract), row["target"])

    assert {change.code for change in report.changes} == set(expect["codes"])
    assert (report.status is Status.GREEN) == expect["ok"]
    assert _value(report.schema) == expect["emitted"]
    assert report.suggested_name == expect.get("suggested_name")
    assert (report.text is None) == (report.declaration is None) == (not expect["ok"])


@pytest.mark.parametrize("row", IMPORTS, ids=_name)
def test_an_import_gets_its_right_answer(row: dict[str, Any]) -> None:
    expect = row["expect"]

    report = workbench.import_(json.dumps(row["schema"]), WRITTEN_FOR[row["target"]])

    (contract,) = report.contracts
    assert {change.code for change in report.changes} == set(expect["codes"])
    assert report.status is Status.GREEN
    assert _value(contract.parameters) == expect["emitted"]
    assert list(_value(contract.parameters)["properties"]) == list(expect["emitted"]["properties"])
