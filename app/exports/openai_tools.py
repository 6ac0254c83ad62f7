"""OpenAI Chat Completions and Responses: a function with `strict: false`, which nothing enforces."""

from __future__ import annotations

from typing import Final

from app.exports import openai, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="openai.tools",
    title="OpenAI function, not strict",
    source=sources.OPENAI_FUNCTIONS,
    profile=openai.TOOLS,
    declare=openai.function(strict=False),
    names=openai.NAMES,
)
