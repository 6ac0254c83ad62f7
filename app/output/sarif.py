"""SARIF 2.1.0, which code scanning shows beside the lines.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from app import __version__, help
from app.json_answer import to_json
from app.model import Finding, Severity
from app.output import Checked, all_judged

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(results: Sequence[Checked]) -> str:
    """Return one SARIF log with one run."""
    found = [(each.path, finding) for each in results for finding in each.findings]
    codes = sorted({finding.code for _, finding in found})
    driver = {"name": "toolcall-workbench", "version": __version__, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "invocations": [{"executionSuccessful": all_judged(results)}],
        "results": [_result(path, finding, codes) for path, finding in found],
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return f"{to_json(log)}\n"


def _rule(code: str) -> dict[str, Any]:
    page = help.help_of(code)
    if page is None:
        return {"id": code}
    told = {
        "id": code,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": " ".join(page.text)},
    }
    return {**told, "helpUri": page.source} if page.source is not None else told


def _result(path: str, finding: Finding, codes: Sequence[str]) -> dict[str, Any]:
    at = finding.at
    place: dict[str, Any] = {
        "artifactLocation": {"uri": quote(path.replace("\\", "/"), errors="surrogatepass")}
    }
    if at.line is not None:
        region = {
            "startLine": at.line,
            "startColumn": at.column,
            "endLine": at.end_line,
            "endColumn": at.end_column,
        }
        place["region"] = {name: value for name, value in region.items() if value is not None}
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }
