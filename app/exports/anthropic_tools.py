"""Anthropic Messages: `input_schema` of a tool, which nothing enforces."""

from __future__ import annotations

from typing import Final

from app.exports import anthropic, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="anthropic.tools",
    title="Anthropic tool, not strict",
    source=sources.ANTHROPIC_TOOLS,
    profile=anthropic.TOOLS,
    declare=anthropic.declare,
    names=anthropic.NAMES,
)
