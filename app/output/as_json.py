"""JSON: each file's report is, byte for byte, what `POST /api/check` answers for its text."""

from __future__ import annotations

from collections.abc import Sequence

from app.json_answer import to_json
from app.output import Checked, all_judged, overall


def render(results: Sequence[Checked]) -> str:
    """Return one JSON text. `findings` of a file are those that only show beside the others."""
    head = f'"status": {to_json(overall(results))}, "judged": {to_json(all_judged(results))}'
    files = ",\n".join(map(_file, results))
    return f'{{{head}, "files": [\n{files}\n]}}\n'


def _file(checked: Checked) -> str:
    members = {
        "path": checked.path,
        "status": checked.status,
        "findings": checked.beside,
        "report": checked.report,
    }
    return to_json(members)
