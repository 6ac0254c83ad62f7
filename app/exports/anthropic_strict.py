"""Anthropic Messages: a tool with `strict: true`, of which a grammar is compiled."""

from __future__ import annotations

from typing import Final

from app.exports import anthropic, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="anthropic.strict",
    title="Anthropic tool, strict",
    source=sources.ANTHROPIC_STRUCTURED,
    profile=anthropic.STRICT,
    declare=anthropic.declare_strict,
    names=anthropic.NAMES,
    strict=True,
)
