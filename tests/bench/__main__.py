"""Measure everything, print the table, and fail where a goal is missed by more than a third."""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.bench import core, files, outside, page, server
from tests.bench.measure import Row, shown
from tests.browsers import HOW_TO_GET_ONE, find_browser
from tests.conftest import running

README = Path(__file__).parent.parent.parent / "README.md"
MARKERS = re.compile(r"(?<=<!-- bench -->\n).*?(?=<!-- /bench -->)", re.DOTALL)
HEAD = ("work", "ours", "peer", "ratio", "goal", "held")


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where every goal is held to a third."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--readme", action="store_true", help="write the table into README.md")
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes: it runs, and its figures say nothing"
    )
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for row in measured(smoke=options.smoke):
        rows.append(row)
        print(f"{row.held.strip('*'):7}{row.work}: {row.ours} {row.peer}", file=sys.stderr, flush=True)
    text = table(rows)
    print(text)
    if options.readme:
        README.write_text(with_table(README.read_text(encoding="utf-8"), text), encoding="utf-8")
    return 1 if any(row.failed for row in rows) and not options.smoke else 0


def measured(*, smoke: bool) -> Iterator[Row]:
    """Yield every row, each as soon as it is known."""
    yield from core.reading(20_000 if smoke else 1_000_000)
    yield from core.validation(3 if smoke else 25)
    yield from core.inference(200 if smoke else 100_000)
    yield from core.sessions(100 if smoke else 10_000, 1 if smoke else 5)
    yield from core.exporting(5 if smoke else 100, 1 if smoke else 5)
    yield from outside.jq(20_000 if smoke else 1_000_000)
    if not smoke:
        yield from outside.ajv()
    yield from files.check(5 if smoke else 1000)
    yield from server.large_paste(20_000 if smoke else 10_000_000)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as ours:
        yield from server.single_frames(ours, 8 if smoke else 600)
        browser_path = find_browser()
        if browser_path is None:
            sys.exit(HOW_TO_GET_ONE)
        root = ["--no-sandbox"] if sys.platform == "linux" and os.geteuid() == 0 else []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=root)
            yield from page.weight(browser, ours.url, 1 if smoke else 5)
            yield from page.typing(browser, ours.url, (4 if smoke else 64) * 1024, 1 if smoke else 40)
            yield from page.smoothness(browser, ours.url, (4 if smoke else 1024) * 1024, 2 if smoke else 60)
            browser.close()


def table(rows: Sequence[Row]) -> str:
    """Lay the rows out as a Markdown table, with the machine under it."""
    lines = [HEAD, tuple("---" for _ in HEAD)]
    for row in rows:
        is_ratio = row.figure is not None and (row.goal is None or row.goal.unit.startswith("×"))
        unit = row.goal.unit if row.goal is not None else "×"
        ratio = shown(row.figure, unit) if is_ratio and row.figure is not None else ""
        goal = "" if row.goal is None else str(row.goal)
        lines.append((row.work, row.ours, row.peer, ratio, goal, row.held))
    machine = f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} processors"
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + f"\n\nMeasured with {machine}{load}.\n"


def with_table(readme: str, text: str) -> str:
    """Put the table between its markers."""
    changed, places = MARKERS.subn(lambda _: f"\n{text}\n", readme)
    if places != 1:
        raise ValueError("README.md has no pair of lines <!-- bench --> and <!-- /bench -->.")
    return changed


if __name__ == "__main__":
    sys.exit(main())
