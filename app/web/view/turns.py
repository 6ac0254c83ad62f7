"""Model turns on the page: what each is, in our five words, and what it holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from app.reports import CallReport, PanelsReport, TurnReport
from app.turns import INCOMPLETE
from app.web.view.args import LAID_OUT
from app.web.view.words import clip, count

_WORDS: Final = {
    "tool-request": "tool request",
    "answer-candidate": "answer candidate",
    "not-complete": "not complete",
    "needs-review": "needs review",
    "api-error": "API error",
}
_COUNTS: Final = {
    "generate-prompt-blocked": "prompt blocked",
    "generate-no-candidates": "no candidate",
    "generate-multi-candidates": "several candidates",
}
"""What `candidate-count` means, by the finding that says it."""

_NUMBER: Final = re.compile(r"answered with error (\w+)")


@dataclass(frozen=True, slots=True)
class TurnBox:
    """One turn below the editor. `words` say what it is; texts are cut where they are very long."""

    words: str
    frames: str
    text: str
    thoughts: str


def turn_boxes(report: PanelsReport) -> tuple[TurnBox, ...]:
    """Show each turn that holds something; an API error holds nothing."""
    return tuple(
        TurnBox(turn_words(turn, report), _frames(turn), turn.text[:LAID_OUT], turn.thoughts[:LAID_OUT])
        for turn in report.extract.turns
        if turn.kind != "api-error"
    )


def _frames(turn: TurnReport) -> str:
    first, last = turn.frames[0], turn.frames[-1]
    return f"frame {first}" if first == last else f"frames {first} to {last}"


def turn_words(turn: TurnReport, report: PanelsReport) -> str:
    """Say what a turn is and why: `tool request, 2 calls`, `not complete, MAX_TOKENS`."""
    return f"{_WORDS[turn.kind]}, {_why(turn, report)}"


def _why(turn: TurnReport, report: PanelsReport) -> str:
    codes = {f.code: f.message for f in report.extract.findings if f.at.frame in turn.frames}
    match turn.kind:
        case "tool-request":
            return count(len(calls_of(turn, report)), "call")
        case "answer-candidate":
            return "no call"
        case "not-complete" if turn.reason is not None:
            return "call cut off"
        case "not-complete":
            return clip(turn.finish_reason or "no finish reason")
        case "api-error":
            number = _NUMBER.search(codes.get("generate-api-error", ""))
            return number[1] if number else "no code"
    reason = next((words for code, words in _COUNTS.items() if code in codes), None)
    return reason or (turn.reason or "").replace("-", " ")


def calls_of(turn: TurnReport, report: PanelsReport) -> list[CallReport]:
    """Return the calls that a turn holds."""
    return [call for call in report.extract.calls if call.frame in turn.frames]


def turns_text(report: PanelsReport, refused: str) -> str:
    """Say in the pill what was pasted: one turn in its words, several by how many are held."""
    turns = report.extract.turns
    held = [turn for turn in turns if turn.kind in INCOMPLETE]
    if len(turns) == 1:
        if refused and not held:
            return f"{_WORDS[turns[0].kind]}, {refused}"
        return turn_words(turns[0], report)
    if held:
        return f"{len(held):,} of {len(turns):,} turns: {_WORDS[held[0].kind]}"
    return f"{len(turns):,} turns, {refused or count(len(report.extract.calls), 'call')}"
