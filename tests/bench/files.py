"""The command `check` over many contract files, from its start to its exit code."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.core import CONTRACTS
from tests.bench.measure import Goal, Row, seconds
from tests.conftest import COMMAND


def check(count: int) -> Iterator[Row]:
    """Judge so many files of 10 cases each, with all their mutants."""
    parameters = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
    cases = json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8"))
    cases |= {"ok_kitchen": {"room": "kitchen", "on": False}, "ok_bedroom": {"room": "bedroom", "on": True}}
    cases |= {"no_room": {"on": True}, "no_on": {"room": "kitchen"}, "nothing": {}}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            contract = {"name": f"set_light_{number}", "parameters": parameters, "cases": cases}
            text = json.dumps(contract, indent=2)
            (Path(folder) / f"{number:04}.contract.json").write_text(text, encoding="utf-8")
        began = time.perf_counter()
        subprocess.run([COMMAND, "check", folder], stdout=subprocess.DEVNULL, check=True)
        taken = time.perf_counter() - began
    work = f"check {count:,} contract files of {len(cases)} cases and their mutants"
    yield Row(work, seconds(taken), figure=taken * 1000, goal=Goal(10 * max(count, 1000), "ms"))
