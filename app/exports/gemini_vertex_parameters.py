"""Gemini on Vertex AI: `parameters`, whose Schema has additionalProperties, defs and ref too."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.vertex.parameters",
    title="Gemini on Vertex AI, parameters",
    source=sources.VERTEX_SCHEMA,
    profile=gemini.VERTEX,
    declare=gemini.function("parameters"),
    entry=gemini.tools,
    names=gemini.NAMES,
    reads="gemini",
)
