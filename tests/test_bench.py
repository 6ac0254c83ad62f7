"""The bench runs and judges its figures rightly. What it measures belongs to a machine, so it is no test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.__main__ import HEAD, table, with_table
from tests.bench.measure import Goal, Row, percentile, race, seconds

ROOT = Path(__file__).parent.parent


def test_it_measures_every_row_in_small_sizes() -> None:
    command = [sys.executable, "-m", "tests.bench", "--smoke"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for work in (
        "read ",
        "accept ",
        "refuse ",
        "infer ",
        "a session of ",
        "export ",
        "1 KB frame",
        "HTML and CSS",
        "scripts",
        "layout",
        "typing",
        "check ",
    ):
        assert f"| {work}" in done.stdout
    assert f"| {' | '.join(HEAD)} |" in done.stdout


@pytest.mark.parametrize(
    ("goal", "figure", "held"),
    [
        (Goal(3, "×"), 2.9, "yes"),
        (Goal(3, "×"), 3.9, "nearly"),
        (Goal(3, "×"), 4.1, "**no**"),
        (Goal(2, "× faster", at_least=True), 2.1, "yes"),
        (Goal(2, "× faster", at_least=True), 1.6, "nearly"),
        (Goal(2, "× faster", at_least=True), 1.4, "**no**"),
        (None, 100, ""),
    ],
)
def test_a_goal_missed_by_more_than_a_third_is_a_failure(goal: Goal | None, figure: float, held: str) -> None:
    row = Row("work", "ours", "peer", figure, goal)
    assert row.held == held
    assert row.failed == (held == "**no**")


def test_a_race_tells_how_many_times_the_peers_work_ours_is() -> None:
    def work() -> int:
        return sum(range(20_000))

    def thrice() -> int:
        return work() + work() + work()

    assert race(thrice, work, turns=7).ratio == pytest.approx(3, rel=0.5)


def test_figures_are_read_with_ease() -> None:
    assert [seconds(1.5), seconds(0.0123), seconds(0.000_000_18), seconds(0.234)] == [
        "1.5 s",
        "12.3 ms",
        "0.18 µs",
        "234 ms",
    ]
    assert percentile([5, 1, 2, 3, 4], 0.5) == 3
    assert percentile([*range(100)], 0.99) == 99


def test_the_table_stands_between_its_markers() -> None:
    text = table([Row("work", "1 ms", "peer 2 ms", 0.5, Goal(1, "×"))])
    assert "| work | 1 ms | peer 2 ms | 0.5 × | ≤ 1 × | yes |" in text
    once = with_table("# A\n<!-- bench -->\nold\n<!-- /bench -->\nend", text)
    assert once == with_table(once, text)
    assert once.startswith("# A\n<!-- bench -->\n\n| work")
    assert once.endswith("\n<!-- /bench -->\nend")
    with pytest.raises(ValueError, match="no pair"):
        with_table("# A", text)


def test_the_readme_has_a_place_for_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_table(readme, "x\n") != readme
