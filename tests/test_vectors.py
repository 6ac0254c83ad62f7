"""Frames with right answers: dialect, kind, status and codes of each.

`frame` is an object for one message, an array for several in order, a string
for raw text. Every listed code must appear; further ones only below error. Rows of kind session
and history are followed as a whole, and the states of their calls compared.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app import workbench
from app.model import Severity
from app.reports import PairReport
from app.rules import all_rules

VECTORS = Path(__file__).parent / "vectors"
ROWS = [json.loads(line) for line in (VECTORS / "frames.jsonl").read_text(encoding="utf-8").splitlines()]


def _text(frame: Any) -> str:
    return frame if isinstance(frame, str) else json.dumps(frame, ensure_ascii=False)


def _pastes() -> list[Any]:
    out = []
    for row in ROWS:
        frame = row["frame"]
        if isinstance(frame, list):
            out.append(pytest.param("\n".join(map(_text, frame)), row["expect"], id=f"{row['name']}-lines"))
            array = "[" + ", ".join(map(_text, frame)) + "]"
            out.append(pytest.param(array, row["expect"], id=f"{row['name']}-array"))
        else:
            out.append(pytest.param(_text(frame), row["expect"], id=row["name"]))
    return out


def test_all_rows_are_there() -> None:
    assert len(ROWS) == 518


@pytest.mark.parametrize(("text", "expect"), _pastes())
def test_a_frame_gets_its_right_answer(text: str, expect: dict[str, Any]) -> None:
    whole = expect["kind"] in ("session", "history")
    report = (workbench.read_session if whole else workbench.extract)(text)

    assert (report.dialect, report.kind, report.status.value) == (
        expect["dialect"],
        expect["kind"],
        expect["verdict"],
    )
    codes = {finding.code for finding in report.findings}
    errors = {finding.code for finding in report.findings if finding.is_error}
    assert set(expect["codes"]) <= codes
    assert errors <= set(expect["codes"])
    if isinstance(report, PairReport):
        # Ids are compared as texts here: 7 and "7" are two rows, of which one must be right.
        states: dict[str, set[str]] = {}
        for row in report.ledger:
            states.setdefault(str(row.id), set()).add(row.state)
        for call_id, state in expect.get("ledger", {}).items():
            assert state in states[call_id]


def test_each_rule_has_the_severity_of_the_code_table() -> None:
    lines = (VECTORS / "codes.tsv").read_text(encoding="utf-8").splitlines()[1:]
    table = {code: severity.split("/") for code, severity, _ in (line.split("\t") for line in lines)}
    # codes the table leaves open
    unlisted = {
        "response-entry-not-object",
        "declaration-too-many",
        "server-error",
        "mode-foreign",
        "transcript",
        "call-retold",
        "delta-index-shared",
    }

    for rule in all_rules():
        if rule.code not in unlisted:
            assert rule.severity.value in table[rule.code], rule.code
            assert rule.severity in set(Severity)
