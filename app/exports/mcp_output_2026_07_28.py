"""MCP 2026-07-28: `outputSchema` of a Tool, of any shape."""

from __future__ import annotations

from typing import Final

from app.exports import mcp, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="mcp.outputSchema@2026-07-28",
    title="MCP 2026-07-28, outputSchema",
    source=sources.MCP_2026,
    profile=mcp.ANY,
    declare=mcp.declare_output,
    names=mcp.NAMES,
    part="result",
)
