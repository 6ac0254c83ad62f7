"""Gemini Live: `parametersJsonSchema`, which sources disagree on; `parameters` is the default."""

from __future__ import annotations

from typing import Final

from app.exports import gemini, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="gemini.live.parametersJsonSchema",
    title="Gemini Live, parametersJsonSchema",
    source=sources.LIVE_PROBES,
    profile=gemini.PARAMETERS_JSON,
    declare=gemini.function("parametersJsonSchema"),
    entry=gemini.tools,
    names=gemini.NAMES,
    first=(
        "Sources disagree on this field in Live: ignored by older models, heeded by 3.1 and later. "
        "Prefer parameters, or try it first."
    ),
    has_behavior=True,
)
