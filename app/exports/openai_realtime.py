"""OpenAI Realtime: a function of `session.tools`, which has no field `strict`."""

from __future__ import annotations

from typing import Final

from app.exports import openai, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="openai.realtime",
    title="OpenAI Realtime, session.tools",
    source=sources.OPENAI_REALTIME,
    profile=openai.REALTIME,
    declare=openai.function(strict=None),
    names=openai.NAMES,
    says=("strict-unavailable",),
)
