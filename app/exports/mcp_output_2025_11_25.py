"""MCP 2025-11-25: `outputSchema` of a Tool, with an object at its root."""

from __future__ import annotations

from typing import Final

from app.exports import mcp, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="mcp.outputSchema@2025-11-25",
    title="MCP 2025-11-25, outputSchema",
    source=sources.MCP_2025,
    profile=mcp.input_schema(sources.MCP_2025, composes=False),
    declare=mcp.declare_output,
    names=mcp.NAMES,
    part="result",
)
