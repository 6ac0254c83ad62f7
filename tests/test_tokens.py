"""The colours of the page, measured: WCAG 2 contrast of every text, mark and border on its surfaces."""

from __future__ import annotations

import re

import pytest

from app.web import data_dir

CSS = (data_dir() / "static" / "app.css").read_text()
TOKENS = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\);", CSS))
SURFACES = ("bg", "panel", "well", "raised")

TEXT = {
    "ink": SURFACES,
    "ink-2": SURFACES,
    "ink-3": SURFACES,
    "accent": (*SURFACES, "accent-soft"),
    "red": (*SURFACES, "red-soft"),
    "green": (*SURFACES, "green-soft"),
    "ochre": (*SURFACES, "ochre-soft"),
    "syn-str": ("well", "panel", "red-soft", "accent-soft"),
    "syn-lit": ("well", "panel", "red-soft", "accent-soft"),
    "syn-pun": ("well", "panel", "red-soft", "accent-soft"),
    "on-fill": ("accent-fill", "red-fill", "green-fill"),
}
"""Text token -> the surfaces it stands on; at least 4.5."""

MARKS = {
    "edge": SURFACES,
    "red-mark": (*SURFACES, "red-soft"),
    "green-mark": (*SURFACES, "green-soft"),
    "accent": (*SURFACES, "accent-soft"),
}
"""Marks and borders of controls -> the surfaces they stand on; at least 3."""

INK_ON_SOFT = [
    (ink, soft)
    for ink in ("ink", "ink-2")
    for soft in ("accent-soft", "red-soft", "green-soft", "ochre-soft")
]


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str, theme: int) -> float:
    light, dark = sorted((luminance(TOKENS[name].split(", ")[theme]) for name in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_white_on_black_is_twenty_one() -> None:
    assert round((luminance("#FFFFFF") + 0.05) / (luminance("#000000") + 0.05), 2) == 21


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "surface"), [(t, s) for t, on in TEXT.items() for s in on] + INK_ON_SOFT)
def test_text_can_be_read(text: str, surface: str, theme: int) -> None:
    assert contrast(text, surface, theme) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("mark", "surface"), [(m, s) for m, on in MARKS.items() for s in on])
def test_marks_and_borders_can_be_seen(mark: str, surface: str, theme: int) -> None:
    assert contrast(mark, surface, theme) >= 3


def test_colours_stand_in_tokens_only() -> None:
    rest = CSS.split("--sans:")[1]
    assert not re.findall(r"#[0-9A-Fa-f]{6}\b", rest)
    used = set(re.findall(r"var\(--([\w-]+)", CSS))
    own = {"sans", "mono", "ease", "in", "panels-height"}
    assert used - own <= set(TOKENS)


def test_nothing_is_loaded_from_the_style_sheet() -> None:
    assert "url(" not in CSS
    assert "@import" not in CSS
