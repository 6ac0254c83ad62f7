"""JSON Schema itself, draft 2020-12: the schema as it stands."""

from __future__ import annotations

from typing import Any, Final

from app.exports import sources
from app.exports.core_schema import DRAFT_2020_12
from app.exports.profile import Profile, rules
from app.exports.target import Target, Tool

PROFILE: Final = Profile(
    source=sources.CORE,
    keywords=rules("refuse", "ref-external", "$ref(external)", sources.CORE),
    object_root=False,
    as_written=True,
)


def declare(tool: Tool) -> Any:
    """Return the schema, which names its draft."""
    if not isinstance(tool.schema, dict) or "$schema" in tool.schema:
        return tool.schema
    return {"$schema": DRAFT_2020_12} | tool.schema


TARGET: Final = Target(
    id="json-schema",
    title="JSON Schema 2020-12",
    source=sources.CORE,
    profile=PROFILE,
    declare=declare,
)
