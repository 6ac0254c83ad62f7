"""MCP 2026-07-28: `inputSchema` of a Tool."""

from __future__ import annotations

from typing import Final

from app.exports import mcp, sources
from app.exports.target import Target

TARGET: Final = Target(
    id="mcp.inputSchema@2026-07-28",
    title="MCP 2026-07-28, inputSchema",
    source=sources.MCP_2026,
    profile=mcp.input_schema(sources.MCP_2026, composes=True),
    declare=mcp.declare_input,
    names=mcp.NAMES,
)
