"""Taking time: two sides in turns, medians, and whether a goal is held."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

TOLERANCE = 4 / 3
"""How far a goal may be missed before it is a failure: machines and days differ by less than a third."""

Work = Callable[[], object]


@dataclass(frozen=True)
class Goal:
    """A bound for a figure. `at_least` is for "n times faster than"."""

    bound: float
    unit: Literal["×", "× faster", "ms", "KB", "", "× the budget"]
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {shown(self.bound, self.unit)}"

    def missed_by(self, figure: float) -> float:
        """Return 1 for what lies on the bound, more for what misses it by that factor."""
        if self.at_least:
            return self.bound / figure if figure else float("inf")
        return figure / self.bound


@dataclass(frozen=True)
class Row:
    """One line of the table. `figure` is what the goal is about: a ratio, or our own figure."""

    work: str
    ours: str
    peer: str = ""
    figure: float | None = None
    goal: Goal | None = None

    @property
    def held(self) -> str:
        """Say whether the goal is held."""
        if self.goal is None or self.figure is None:
            return ""
        missed = self.goal.missed_by(self.figure)
        return "yes" if missed <= 1 else "nearly" if missed <= TOLERANCE else "**no**"

    @property
    def failed(self) -> bool:
        """Whether the goal is missed by more than a third."""
        return self.held == "**no**"


@dataclass(frozen=True)
class Race:
    """What two sides took in turns, in seconds."""

    ours: float
    peer: float
    ratio: float
    """Ours by the peer's, the median over the turns: both sides of a turn met the same machine."""


def race(ours: Work, peer: Work, *, turns: int = 15, at_least: float = 0.02) -> Race:
    """Let two sides work in turns, each for at least so many seconds, after a warm-up.

    Processor time counts, so that other programs on the machine do not.
    """
    sides = (ours, peer)
    times = [repeats(side, at_least) for side in sides]
    taken: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns):
        for side in (0, 1) if turn % 2 else (1, 0):
            taken[side].append(run(sides[side], times[side]))
    ratios = [mine / theirs for mine, theirs in zip(*taken, strict=True)]
    return Race(statistics.median(taken[0]), statistics.median(taken[1]), statistics.median(ratios))


def repeats(work: Work, at_least: float) -> int:
    """Return how often to do the work in one turn; trying that out is the warm-up."""
    times = 1
    while (taken := run(work, times) * times) < at_least:
        times = max(2 * times, int(times * at_least / max(taken, 1e-9)))
    return times


def run(work: Work, times: int) -> float:
    """Return the seconds that one piece of work takes, out of so many."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


def percentile(figures: Sequence[float], part: float) -> float:
    """Return the figure that so large a part of all does not exceed."""
    ordered = sorted(figures)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def shown(figure: float, unit: str) -> str:
    """Write a figure with three digits and its unit."""
    number = f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"
    return f"{number} {unit}".strip()


def seconds(figure: float) -> str:
    """Write a time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if figure * factor >= 1:
            return shown(figure * factor, unit)
    return shown(figure * 1e6, "µs")
