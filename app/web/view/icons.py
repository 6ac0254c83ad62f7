"""Icons, each a symbol of the page's one sprite (`templates/parts/icon.html`).

Templates call them by name: a page holds hundreds, and a macro would write each anew.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from markupsafe import Markup

_SIGNS: Final = {"error": ("bad", "error"), "warning": ("warning", "warning"), "info": ("info", "note")}


@cache
def icon(name: str) -> Markup:
    """Draw an icon; it stands beside a word."""
    return Markup('<svg class="icon icon-{0}" aria-hidden="true"><use href="#i-{0}"></use></svg>').format(
        name
    )


@cache
def sign(severity: str) -> Markup:
    """Draw the icon of a severity, with its word for those who do not see it."""
    drawn, word = _SIGNS[severity]
    return Markup('{}<span class="unseen">{}</span>').format(icon(drawn), word)
