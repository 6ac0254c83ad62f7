"""Gemini generateContent: `responseSchema`, the protobuf Schema of a reply."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.responseSchema",
    title="Gemini structured output, responseSchema",
    source=sources.GEMINI_GENERATION,
    profile=gemini.RESPONSE,
    declare=gemini.generation("responseSchema"),
    part="result",
    reads="gemini",
    first=gemini.LIVE_REPLY,
)
