"""Every size, depth, count and time budget, each with its reason."""

from __future__ import annotations

from typing import Final

MEGABYTE: Final = 1024 * 1024

BODY_BYTES: Final = 32 * MEGABYTE
"""Largest request body. Three times the largest paste we promise to judge (10 MB)."""

DEPTH: Final = 256
"""Deepest nesting of pasted JSON. Validators recurse; real frames stay below 20."""

NODES: Final = 1_000_000
"""Most values in one paste. Two million zeros in 4 MB would cost more time than any real frame."""

BYTES_A_VALUE: Final = 8
"""What a value takes in text at least where there may be more of them: 100,000 frames hold millions."""

INTEGER_DIGITS: Final = 4000
"""Longest integer turned into a Python `int`; Python itself refuses above 4300 digits."""

EXPONENT: Final = 100_000
"""Largest exponent of a number handed to an engine; beyond it the number would be expanded for ever."""

FINDINGS: Final = 200
"""Most findings in one answer; the rest is counted in `findings_total`."""

SECONDS: Final = 2.0
"""Work budget of a small paste."""

SECONDS_PER_MB: Final = 0.5
"""What each pasted megabyte adds to the budget."""

MEMORY_BYTES: Final = 1024 * MEGABYTE
"""Address space a worker may add while it judges."""

BACKTRACK_STEPS: Final = 100_000
"""Steps a regular expression may backtrack: a few milliseconds, then it is not judged."""

WORKERS: Final = 4
"""Processes that judge. One hostile paste holds one of them until its budget ends."""

DISTINCT_VALUES: Final = 50
"""Distinct values remembered for each property of the samples; above it no enum is suggested."""


def nodes_for(size: int) -> int:
    """Return how many values a text of `size` characters may hold."""
    return max(NODES, size // BYTES_A_VALUE)


def seconds_for(size: int) -> float:
    """Return the time budget in seconds for `size` bytes of pasted text."""
    return SECONDS + SECONDS_PER_MB * size / MEGABYTE
