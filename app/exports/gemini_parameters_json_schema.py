"""Gemini generateContent: `parametersJsonSchema`, which excludes `parameters` and keeps nearly everything."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.parametersJsonSchema",
    title="Gemini generateContent, parametersJsonSchema",
    source=sources.GEMINI_DECLARATION,
    profile=gemini.PARAMETERS_JSON,
    declare=gemini.function("parametersJsonSchema"),
    entry=gemini.tools,
    names=gemini.NAMES,
)
