"""Rules over a session's setup and the tools it declares."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.dialects.gemini_schema import members
from app.events import Frame
from app.rules import ERROR, INFO, Hit, rule

LIVE = ("gemini-live",)
TOOLS = "https://ai.google.dev/gemini-api/docs/live-tools"


def _setup(frame: Frame) -> dict[str, Cursor]:
    at = frame.members.get("setup")
    return members(at) if at is not None else {}


def _model(frame: Frame) -> str:
    at = _setup(frame).get("model")
    return (at.string or "") if at is not None else ""


@rule(
    "setup-structured-output",
    ERROR,
    on="frame",
    dialects=LIVE,
    needs=("setup",),
    source="https://ai.google.dev/api/live",
)
def setup_structured_output(frame: Frame) -> Iterator[Hit]:
    """The setup asks for a reply schema, which a Live session does not take.

    responseSchema and responseJsonSchema belong to generateContent. What can be
    pinned in a Live session is the schema of a function's parameters, and the check
    of its args before they run.

    Bad:
        {"setup": {
          "model": "models/gemini-3.8-live",
          "generationConfig": {"responseSchema": {"type": "OBJECT"}}
        }}
    Good:
        {"setup": {
          "model": "models/gemini-3.8-live",
          "generationConfig": {"temperature": 0.2}
        }}
    """
    config = _setup(frame).get("generationConfig")
    fields = members(config) if config is not None else {}
    for key in ("responseSchema", "responseJsonSchema"):
        if key in fields:
            yield Hit(
                fields[key], f"A Live session takes no {key}. Remove it; check args instead.", at_key=True
            )


@rule("setup-behavior-model", ERROR, on="frame", dialects=LIVE, needs=("setup",), source=TOOLS)
def setup_behavior_model(frame: Frame) -> Iterator[Hit]:
    """A tool asks for a behavior that the model of the session does not have.

    The 3.1 Live model calls tools synchronously only, and the extended-thinking model
    takes NON_BLOCKING tools only. Change the behavior or the model.

    Bad:
        {"setup": {
          "model": "models/gemini-3.8-live-extended-thinking",
          "tools": [{"functionDeclarations": [
            {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING"}
          ]}]
        }}
    Good:
        {"setup": {
          "model": "models/gemini-3.8-live-extended-thinking",
          "tools": [{"functionDeclarations": [
            {"name": "list_rooms", "description": "List all rooms.", "behavior": "NON_BLOCKING"}
          ]}]
        }}
    """
    model = _model(frame)
    for tool in frame.declarations:
        at = members(tool.at).get("behavior")
        if at is None:
            continue
        if "extended-thinking" in model and tool.behavior == "BLOCKING":
            yield Hit(at, "This model takes NON_BLOCKING tools only.")
        elif "gemini-3.1-flash-live" in model and tool.behavior == "NON_BLOCKING":
            yield Hit(at, "This model calls tools synchronously only. Remove behavior.")


@rule("setup-async-default", INFO, on="frame", dialects=LIVE, needs=("setup",), source=TOOLS)
def setup_async_default(frame: Frame) -> Iterator[Hit]:
    """A tool says no behavior, and the documented default of this model is NON_BLOCKING.

    Earlier models waited for the answer by default, and code written for them may rely
    on that. Say the behavior; only an explicit one is certain.

    Bad:
        {"setup": {
          "model": "models/gemini-3.8-live",
          "tools": [{"functionDeclarations": [
            {"name": "list_rooms", "description": "List all rooms."}
          ]}]
        }}
    Good:
        {"setup": {
          "model": "models/gemini-3.8-live",
          "tools": [{"functionDeclarations": [
            {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING"}
          ]}]
        }}
    """
    model = _model(frame)
    if "gemini-3.8-live" not in model or "extended-thinking" in model:
        return
    for tool in frame.declarations:
        if tool.behavior is None:
            yield Hit(
                tool.at,
                f"{tool.name or 'This tool'} says no behavior: NON_BLOCKING on this model.",
                key="behavior",
            )
