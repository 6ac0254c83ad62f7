"""What MCP takes: JSON Schema 2020-12, by protocol version."""

from __future__ import annotations

import re
from typing import Any, Final

from app.exports import sources as src
from app.exports.profile import Names, Profile, rules
from app.exports.target import Tool, described

NAMES: Final = Names(
    shape=re.compile(r"[A-Za-z0-9._-]*"),
    most=128,
    code="name-should",
    long="name-should",
    source=src.MCP_2025,
)

_COMPOSITION: Final = frozenset({"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"})


def input_schema(page: str, *, composes: bool) -> Profile:
    """Return what `inputSchema` takes; older protocols describe type, properties and required at the root."""
    return Profile(
        source=page,
        keywords={
            **rules("refuse", "root-not-object", "type", page),
            **rules("refuse", "ref-external", "$ref(external)", page),
        },
        as_written=True,
        root_unverified=(frozenset(), "") if composes else (_COMPOSITION, "mcp-root-keyword-pre-2026"),
    )


ANY: Final = Profile(
    source=src.MCP_2026,
    keywords=rules("refuse", "ref-external", "$ref(external)", src.MCP_2026),
    object_root=False,
    as_written=True,
)
"""`outputSchema` from 2026-07-28 on: any schema."""


def declare_input(tool: Tool) -> dict[str, Any]:
    """Write a Tool."""
    return described(tool) | {"inputSchema": tool.schema}


def declare_output(tool: Tool) -> dict[str, Any]:
    """Write a Tool with the schema of what it returns."""
    parameters = (
        tool.parameters if tool.parameters is not None else {"type": "object", "additionalProperties": False}
    )
    return described(tool) | {"inputSchema": parameters, "outputSchema": tool.schema}
