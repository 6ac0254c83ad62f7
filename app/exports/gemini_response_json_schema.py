"""Gemini generateContent: `responseJsonSchema`, a JSON Schema of a reply."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.responseJsonSchema",
    title="Gemini structured output, responseJsonSchema",
    source=sources.GEMINI_STRUCTURED,
    profile=gemini.RESPONSE_JSON,
    declare=gemini.generation("responseJsonSchema"),
    part="result",
    first=gemini.LIVE_REPLY,
)
