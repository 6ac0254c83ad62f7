"""Gemini generateContent: `parameters` of a function declaration."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.parameters",
    title="Gemini generateContent, parameters",
    source=sources.GEMINI_DECLARATION,
    profile=gemini.PROTO,
    declare=gemini.function("parameters"),
    entry=gemini.tools,
    names=gemini.NAMES,
    reads="gemini",
)
