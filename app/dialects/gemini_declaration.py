"""Gemini function declarations on their own: what a session's config.tools holds.

Source: https://ai.google.dev/api/caching#FunctionDeclaration
"""

from __future__ import annotations

from app.cursor import Cursor
from app.dialects import Dialect, Words
from app.dialects.gemini_schema import definitions, members
from app.events import Frame, ToolDefinition

ID = "gemini-declaration"


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise `functionDeclarations` at the top, or a `tools` list of them."""
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
    return ()


def declarations(root: Cursor) -> tuple[ToolDefinition, ...]:
    """Return the tools declared."""
    fields = members(root)
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
)
