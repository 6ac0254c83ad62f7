"""Declarations to contracts: the import code path, which an export is read back by too."""

from __future__ import annotations

from typing import Any

from app.cursor import Cursor
from app.exports import sources
from app.exports.changes import Changes
from app.exports.entries import Declared
from app.exports.foreign import from_gemini, from_json
from app.json_text import write
from app.model import Raw
from app.reports import ImportedContract, SchemaChange

OPEN = '{"type": "object"}'
"""What a model is told where no parameters are declared: args are an object."""

PAGES = {
    "gemini": sources.GEMINI_SCHEMA,
    "openai": sources.OPENAI_FUNCTIONS,
    "anthropic": sources.ANTHROPIC_TOOLS,
    "mcp": sources.MCP_2026,
    "json": sources.CORE,
}


def read_schema(
    schema: Cursor, *, gemini: bool, origin: str, strict: bool | None = None
) -> tuple[Any, tuple[SchemaChange, ...]]:
    """Read one declared schema as a core schema, open where it is open."""
    changes = Changes(PAGES[origin])
    tree = (
        from_gemini(schema, changes) if gemini else from_json(schema, changes, origin=origin, strict=strict)
    )
    return tree, changes.all()


def contract_of(each: Declared) -> ImportedContract:
    """Read one declaration as a contract."""
    told: list[SchemaChange] = []
    texts: list[Raw | None] = []
    for schema, gemini in ((each.parameters, each.gemini_parameters), (each.result, each.gemini_result)):
        if schema is None:
            texts.append(None)
            continue
        tree, changes = read_schema(schema, gemini=gemini, origin=each.origin, strict=each.strict)
        texts.append(Raw(write(tree)))
        told += changes
    return ImportedContract(
        name=each.name,
        description=each.description,
        behavior=each.behavior,
        parameters=texts[0],
        result=texts[1],
        changes=tuple(told),
        pointer=each.at.pointer,
        line=each.at.line,
    )
