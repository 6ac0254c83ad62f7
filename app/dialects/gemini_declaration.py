"""Gemini function declarations on their own: what a session's config.tools holds.

Source: https://ai.google.dev/api/caching#FunctionDeclaration
"""

from __future__ import annotations

from app.cursor import Cursor
from app.dialects import Dialect, Words
from app.dialects.gemini_schema import definition, definitions, is_gemini, members
from app.events import Frame, ToolDefinition

ID = "gemini-declaration"


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise `functionDeclarations` at the top, a `tools` list of them, or one with an upper-case type."""
    if not root.is_object:
        return ()
    fields = members(root)
    declared = fields.get("functionDeclarations")
    if declared is not None:
        return (declared.pointer,)
    tools = fields.get("tools")
    if tools is not None and "setup" not in fields:
        first = next(iter(tools), None) if tools.is_array else None
        inner = members(first).get("functionDeclarations") if first is not None and first.is_object else None
        if inner is not None:
            return (inner.pointer,)
    name, parameters = fields.get("name"), fields.get("parameters")
    if name is not None and parameters is not None and parameters.is_object and is_gemini(parameters):
        return (name.pointer, parameters.pointer)
    return ()


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools declared."""
    fields = members(root)
    if "parameters" in fields:
        return (definition(root, ID),)
    return definitions(fields.get("tools"), ID) if "tools" in fields else definitions(root, ID)


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read the declarations as one frame."""
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="declaration",
        evidence=evidence,
        members=members(root),
        declarations=declarations(root),
        traits=frozenset({"declares"}),
        replaces_tools=True,
    )


DIALECT = Dialect(
    id=ID,
    title="Gemini declarations",
    words=Words("functionDeclarations", "parameters", "functionResponse"),
    recognise=recognise,
    decode=decode,
    declarations=declarations,
    keys=frozenset({"functionDeclarations", "tools", "parameters"}),
    rank=20,
)
