"""Text to session: every frame read and recognised, nothing judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app import dialects, paste
from app.events import Frame
from app.model import Finding, Location, Note, Options, Severity
from app.turns import Turn, join


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that was read of one paste.

    `dialect` is the id all frames share, `mixed`, or `unknown`; `kind` that of
    the only frame or turn, else `session`. `findings` are those of reading.
    """

    text: str
    input: str
    blank: bool
    frames: tuple[Frame, ...]
    turns: tuple[Turn, ...]
    dialect: str
    kind: str
    evidence: tuple[str, ...]
    casing: str | None
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]
    dropped: int = 0
    """Findings of reading that were counted and not kept."""


def read(text: str, options: Options, input: str = "text") -> Session:
    """Read a paste: one frame, JSON Lines, an array of frames, a stream."""
    document = paste.read(text, input=input)
    if len(document.roots) == 1 and _holds_frames(document.roots[0], options):
        document = paste.split_array(document)
    frames, turns = join([_frame(root, input, options) for root in document.roots])
    known = {frame.dialect for frame in frames} or {dialects.UNKNOWN}
    casings = {frame.casing for frame in frames if frame.casing is not None}
    return Session(
        text=text,
        input=input,
        blank=document.blank,
        frames=frames,
        turns=turns,
        dialect=known.pop() if len(known) == 1 else "mixed",
        kind=_kind(frames, turns),
        evidence=tuple(pointer for frame in frames[:1] for pointer in frame.evidence),
        casing=casings.pop() if len(casings) == 1 else "mixed" if casings else None,
        notes=document.notes,
        findings=(*document.findings, *_nothing(document)),
        dropped=document.dropped,
    )


def _nothing(document: paste.Document) -> list[Finding]:
    """Say so where something was pasted that holds no JSON text, such as an empty fence."""
    if document.blank or document.roots or any(finding.is_error for finding in document.findings):
        return []
    place = document.findings[0].at if document.findings else Location(document.input)
    return [
        Finding("unknown-frame", Severity.ERROR, "There is no frame in this. Paste the frame itself.", place)
    ]


def _kind(frames: tuple[Frame, ...], turns: tuple[Turn, ...]) -> str:
    if len(turns) == 1 and len(turns[0].frames) == len(frames):
        return turns[0].kind
    return frames[0].kind if len(frames) == 1 else "session" if frames else dialects.UNKNOWN


def _holds_frames(root: paste.Root, options: Options) -> bool:
    at = root.cursor
    if at is None or not at.is_array:
        return False
    return any(item.is_object and dialects.recognise(item, options.dialect) for item in at)


def _frame(root: paste.Root, input: str, options: Options) -> Frame:
    if root.cursor is None:
        return Frame(
            index=root.index,
            at=None,
            line=root.line,
            dialect=dialects.UNKNOWN,
            kind=dialects.UNKNOWN,
            notes=root.notes,
            findings=root.findings,
            time=root.time,
            direction=root.direction,
        )
    frame = dialects.decode(root.cursor, options.dialect)
    return replace(
        frame,
        notes=root.notes,
        findings=root.findings,
        time=root.time,
        direction=frame.direction or root.direction,
    )
