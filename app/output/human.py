"""Text for people: a line for each file, and below it each finding with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.model import Finding, Severity, Status
from app.output import Checked, overall, summary

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What would move the cursor, colour the terminal or turn the line around."""

_COLOURS: Final = {
    Status.GREEN: "32",
    Status.RED: "31",
    Status.IDLE: "2",
    Severity.ERROR: "31",
    Severity.WARNING: "33",
    Severity.INFO: "2",
}


def render(results: Sequence[Checked]) -> str:
    """Return plain text."""
    return _text(results, colours=False)


def render_coloured(results: Sequence[Checked]) -> str:
    """Return the same with colours for a terminal; no meaning is by colour alone."""
    return _text(results, colours=True)


def _text(results: Sequence[Checked], *, colours: bool) -> str:
    def painted(text: str, of: Status | Severity) -> str:
        return f"\x1b[{_COLOURS[of]}m{text}\x1b[0m" if colours else text

    lines: list[str] = []
    for each in results:
        status = each.status
        lines.append(f"{painted(status.value.upper(), status)}  {_plain(each.path)}: {summary(each.report)}")
        for finding in each.findings:
            severity = painted(finding.severity.value, finding.severity)
            lines.append(f"  {_place(finding)}{severity} {finding.code}  {_plain(finding.message)}")
        left = each.report.findings_total - len(each.report.findings)
        if left:
            lines.append(f"  and {left} more")
    counts = [
        f"{number} {status.value}"
        for status in Status
        if (number := sum(each.status is status for each in results))
    ]
    files = f"{len(results)} file{'' if len(results) == 1 else 's'}"
    told = painted(overall(results).value.upper(), overall(results))
    return "\n".join([*lines, f"{told}  {files}: {', '.join(counts) or 'nothing to judge'}", ""])


def _place(finding: Finding) -> str:
    return f"{finding.at.line}:{finding.at.column}  " if finding.at.line is not None else ""


def _plain(text: str) -> str:
    """Show what would steer the terminal as an escape."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
