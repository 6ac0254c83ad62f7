"""Help texts of the codes that no rule finds, each in the form of a rule's docstring.

`app/help.py` says what that form is. A code that a rule finds too has here what
is to be said first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from app.model import Severity

ERROR: Final = Severity.ERROR
WARNING: Final = Severity.WARNING
INFO: Final = Severity.INFO


class Text(NamedTuple):
    """The help of one code, with the severities that it may have."""

    code: str
    severities: tuple[Severity, ...]
    doc: str
    source: str | None = None


TEXTS: Final[tuple[Text, ...]] = ()
