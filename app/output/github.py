"""Workflow commands: GitHub shows each finding beside its line in a pull request.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.model import Finding, Severity
from app.output import Checked, overall, summary

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}

_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(results: Sequence[Checked]) -> str:
    """Return one command for each finding, and one plain line for each file."""
    lines: list[str] = []
    for each in results:
        lines += [_command(each.path, finding) for finding in each.findings]
        # A line that began with :: would be a command, whatever the file is called.
        lines.append(f"{each.status.value} {each.path.translate(_DATA)}: {summary(each.report)}")
    return "\n".join([*lines, overall(results).value, ""])


def _command(path: str, finding: Finding) -> str:
    places = {"line": finding.at.line, "col": finding.at.column, "endLine": finding.at.end_line}
    told = [f"file={path.translate(_PROPERTY)}"]
    told += [f"{name}={value}" for name, value in places.items() if value is not None]
    told.append(f"title={finding.code.translate(_PROPERTY)}")
    return f"::{_COMMANDS[finding.severity]} {','.join(told)}::{finding.message.translate(_DATA)}"
