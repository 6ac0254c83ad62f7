"""Regular expressions of schemas: ECMA 262, as jsonschema-rs reads them, and never for ever.

Most patterns compile to an automaton and run in linear time. Look-around and
back-references need backtracking; there the steps are limited, and running out
of them is neither a match nor a mismatch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from jsonschema_rs import Draft202012Validator, FancyRegexOptions, RegexOptions, ValidationErrorKind

from app import limits

LINEAR: Final = RegexOptions()
BACKTRACKING: Final = FancyRegexOptions(backtrack_limit=limits.BACKTRACK_STEPS)

REACH: Final = 1_000
ANCHORED_REACH: Final = 20_000
"""Longest text that is backtracked over. Steps do not count what each look-ahead reads, so a
search from every place is quadratic: 50,000 characters took 35 s. A match from the start alone is not."""

EXHAUSTED: Final = 20
"""Strings that may exhaust the patterns of a schema before the rest is taken to do so too."""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> tuple[Draft202012Validator, bool] | None:
    for options in (LINEAR, BACKTRACKING):
        try:
            validator = Draft202012Validator({"pattern": pattern}, offline=True, pattern_options=options)
        except ValueError:  # no regular expression for this kind of engine
            continue
        return validator, options is LINEAR
    return None


def is_pattern(pattern: str) -> bool:
    """Whether the text is a regular expression that can be run."""
    return _compiled(pattern) is not None


def is_linear(pattern: str) -> bool:
    """Whether the pattern needs no backtracking, so that it always comes to an end."""
    found = _compiled(pattern)
    return found is not None and found[1]


def reach(pattern: str) -> int:
    """Return the length of the longest text on which a backtracking pattern is tried."""
    return ANCHORED_REACH if pattern.startswith("^") and "|" not in pattern else REACH


def matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found in the text; None where it ran out of steps. Needs `is_pattern`."""
    found = _compiled(pattern)
    assert found is not None
    validator, linear = found
    if not linear and len(text) > reach(pattern):
        return None
    if validator.is_valid(text):
        return True
    if linear:
        return False
    kind = next(validator.iter_errors(text)).kind
    unfinished = ValidationErrorKind.BacktrackLimitExceeded | ValidationErrorKind.RegexEngineFailure
    return None if isinstance(kind, unfinished) else False


class Gauge:
    """Stands in for `pattern` in a schema that backtracks, and remembers where the steps ran out.

    The engine itself takes running out as a mismatch, which `not` or `anyOf`
    would turn into an acceptance. Here `assume` says what it counts as, so that
    a caller can try both and see whether the verdict hangs on it.
    """

    def __init__(self) -> None:
        self.assume = True
        self.exhausted: dict[tuple[str, str], None] = {}

    def holds(self, pattern: str, text: str) -> bool:
        """Whether the text matches, or what is assumed where nobody knows."""
        if (pattern, text) in self.exhausted or len(self.exhausted) >= EXHAUSTED:
            return self.assume
        found = matches(pattern, text)
        if found is None:
            self.exhausted[pattern, text] = None
            return self.assume
        return found

    def keyword(self) -> type[Any]:
        """Return the class that jsonschema-rs is to use for `pattern`."""
        gauge = self

        class Pattern:
            def __init__(self, _schema: dict[str, Any], value: Any, _path: list[str | int]) -> None:
                self.value = value

            def validate(self, instance: Any) -> None:
                if isinstance(instance, str) and not gauge.holds(self.value, instance):
                    raise ValueError("does not match")

        return Pattern
