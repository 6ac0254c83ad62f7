"""Small words for tests of wire formats: frames to text, reports to what a test compares."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from app import workbench
from app.model import Finding
from app.reports import ExtractReport, PairReport

CONTRACTS = json.dumps(
    [
        {
            "name": "set_light",
            "parameters": {
                "type": "object",
                "properties": {"room": {"enum": ["kitchen", "hall"]}},
                "required": ["room"],
                "additionalProperties": False,
            },
        }
    ]
)


def lines(*frames: Any) -> str:
    """Write frames as JSON Lines; a text is a frame as it stands."""
    return "\n".join(each if isinstance(each, str) else json.dumps(each) for each in frames)


def extract(*frames: Any) -> ExtractReport:
    return workbench.extract(lines(*frames))


def session(*frames: Any, contracts: str | None = None) -> PairReport:
    return workbench.read_session(lines(*frames), contracts)


def codes(findings: Iterable[Finding]) -> set[str]:
    """Return what was found, but for the note that there are several lines."""
    return {finding.code for finding in findings} - {"json-lines"}


def states(report: PairReport) -> dict[Any, str]:
    return {row.id: row.state for row in report.ledger}


def kinds(report: ExtractReport | PairReport) -> list[str]:
    return [frame.kind for frame in report.frames]


def drafted(*frames: Any, results: Any = None) -> list[Any]:
    """Return the frames that answer the calls, read again."""
    report = workbench.respond(
        lines(*frames), CONTRACTS, results=json.dumps(results) if results is not None else None
    )
    assert report.text is not None
    try:
        return [json.loads(report.text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in report.text.splitlines()]
