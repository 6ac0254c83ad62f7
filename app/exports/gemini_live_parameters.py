"""Gemini Live: `parameters` of a function declaration in `setup`. A violation closes the socket with 1007."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.live.parameters",
    title="Gemini Live, parameters",
    source=sources.GEMINI_LIVE,
    profile=gemini.PROTO,
    declare=gemini.function("parameters"),
    entry=gemini.tools,
    names=gemini.NAMES,
    reads="gemini",
    has_behavior=True,
)
