"""OpenAI Chat Completions and Responses: a function with `strict: true`."""

from __future__ import annotations

from typing import Final

from app.exports import openai, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="openai.strict",
    title="OpenAI function, strict",
    source=sources.OPENAI_STRUCTURED,
    profile=openai.STRICT,
    declare=openai.function(strict=True),
    names=openai.NAMES,
    strict=True,
)
