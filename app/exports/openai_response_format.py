"""OpenAI Chat Completions `response_format` and Responses `text.format`: the schema of a reply."""

from __future__ import annotations

from typing import Any, Final

from app.exports import openai, sources
from app.exports.target import Target, Tool, described


def declare(tool: Tool) -> dict[str, Any]:
    """Write the format in the form of the API asked for."""
    inner = described(tool) | {"strict": True, "schema": tool.schema}
    if tool.form == "responses":
        return {"type": "json_schema"} | inner
    return {"type": "json_schema", "json_schema": inner}


TARGET: Final = Target(
    id="openai.response_format",
    title="OpenAI structured output, response_format",
    source=sources.OPENAI_STRUCTURED,
    profile=openai.STRICT,
    declare=declare,
    names=openai.NAMES,
    part="result",
    first="A Realtime session takes no reply schema; Chat Completions and Responses do.",
)
