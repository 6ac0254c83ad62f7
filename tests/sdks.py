"""Round trips through the providers' own packages: `python -m tests.sdks`, with the extra `sdks`.

Each export of the portability vectors, and of the sample contract, must be taken
by the package it is for, and come out of it as it went in. The packages are large
and change often, so the main tests do without them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anthropic.types import ToolParam
from google.genai import types as gemini
from mcp.types import Tool as McpTool
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.realtime import RealtimeFunctionTool
from openai.types.responses import FunctionToolParam, ResponseFormatTextJSONSchemaConfigParam
from openai.types.shared_params import ResponseFormatJSONSchema
from pydantic import BaseModel, TypeAdapter, ValidationError

from app import exports, workbench

ROOT = Path(__file__).parent.parent
PACKAGES = ("google-genai", "openai", "anthropic", "mcp")

Back = Callable[[Any], Any]
"""Reads an entry with a package's own type and returns it as the package would send it."""


def model(kind: type[BaseModel]) -> Back:
    """Read with a model; what it does not know it refuses or keeps."""
    return lambda entry: kind.model_validate(entry).model_dump(mode="json", by_alias=True, exclude_unset=True)


def typed(kind: Any) -> Back:
    """Read with a typed dictionary."""
    adapter = TypeAdapter[Any](kind)
    return lambda entry: adapter.dump_python(adapter.validate_python(entry), mode="json")


READERS: dict[str, dict[str, Back]] = {
    "gemini.parameters": {"chat": model(gemini.Tool)},
    "gemini.live.parameters": {"chat": model(gemini.Tool)},
    "gemini.vertex.parameters": {"chat": model(gemini.Tool)},
    "gemini.parametersJsonSchema": {"chat": model(gemini.Tool)},
    "gemini.live.parametersJsonSchema": {"chat": model(gemini.Tool)},
    "gemini.responseSchema": {"chat": model(gemini.GenerateContentConfig)},
    "gemini.responseJsonSchema": {"chat": model(gemini.GenerateContentConfig)},
    "openai.strict": {"chat": typed(ChatCompletionFunctionToolParam), "responses": typed(FunctionToolParam)},
    "openai.tools": {"chat": typed(ChatCompletionFunctionToolParam), "responses": typed(FunctionToolParam)},
    "openai.realtime": {"chat": model(RealtimeFunctionTool)},
    "openai.response_format": {
        "chat": typed(ResponseFormatJSONSchema),
        "responses": typed(ResponseFormatTextJSONSchemaConfigParam),
    },
    "anthropic.tools": {"chat": typed(ToolParam)},
    "anthropic.strict": {"chat": typed(ToolParam)},
    "mcp.inputSchema@2025-11-25": {"chat": model(McpTool)},
    "mcp.inputSchema@2026-07-28": {"chat": model(McpTool)},
    "mcp.outputSchema@2025-11-25": {"chat": model(McpTool)},
    "mcp.outputSchema@2026-07-28": {"chat": model(McpTool)},
}


def main() -> int:
    """Read every export with the package it is for, and return an exit code."""
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    right = 0
    wrong: list[str] = []
    for schema in _schemas():
        for target, readers in READERS.items():
            for form, back in readers.items():
                problem = _problem(schema, target, form, back)
                if problem is None:
                    right += 1
                else:
                    wrong.append(f"{target} ({form}): {problem}: {json.dumps(schema)[:200]}")
    for line in wrong:
        print(line)
    print(f"Exports read by the providers' packages: {right} right, {len(wrong)} wrong")
    return 1 if wrong else 0


def _schemas() -> Iterator[Any]:
    contract = (ROOT / "samples" / "contracts" / "set_light.json").read_text(encoding="utf-8")
    yield json.loads(contract)
    rows = (ROOT / "tests" / "vectors" / "portability.jsonl").read_text(encoding="utf-8").splitlines()
    seen: set[str] = set()
    for row in map(json.loads, rows):
        text = json.dumps(row["schema"])
        if not row["target"].startswith("import.") and text not in seen:
            seen.add(text)
            yield row["schema"]


def _problem(schema: Any, target: str, form: str, back: Back) -> str | None:
    """Return what is wrong with one export, or None; what a target refuses is none."""
    part = next(each.part for each in exports.all_targets() if each.id == target)
    contract = {"name": "probe", "description": "A probe.", part: schema}
    report = workbench.export(json.dumps(contract), target, form=form)
    if report.text is None:
        return None
    entry = json.loads(report.text)
    try:
        told = back(entry)
    except ValidationError as error:
        return f"refused, {error.errors()[0]['msg']}"
    return None if _plain(told) == _plain(entry) else f"came back as {json.dumps(told)[:300]}"


def _plain(value: Any) -> Any:
    """Return a value as it may be compared: floats that are whole are whole numbers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


if __name__ == "__main__":
    sys.exit(main())
