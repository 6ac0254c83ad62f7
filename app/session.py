"""Text to session: every frame read and recognised, nothing judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app import dialects, paste
from app.cursor import Cursor
from app.events import Close, Frame
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
    frames, turns = join(_closed([_frame(root, input, options) for root in document.roots]))
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
    if len(frames) < 2:
        return frames[0].kind if frames else dialects.UNKNOWN
    return "history" if all(_is_of_a_history(frame) for frame in frames) else "session"


def _is_of_a_history(frame: Frame) -> bool:
    """Whether the frame is a part of a conversation that is sent along as a whole."""
    dialect = dialects.by_id(frame.dialect)
    return dialect is not None and dialect.counts_answers and bool(frame.messages) and frame.piece is None


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
        )
    frame = dialects.decode(root.cursor, options.dialect)
    if frame.dialect == dialects.UNKNOWN:
        frame = _close(root.cursor) or frame
    return replace(frame, notes=root.notes, findings=root.findings) if root.notes or root.findings else frame


def _close(at: Cursor) -> Frame | None:
    """Read a closed socket, as logs write it: `{"close": {"code"}}` or `{"event": "close", "code"}`."""
    close = at.get("close")
    if close is None and (event := at.get("event")) is not None and event.string == "close":
        close = at
    code = close.get("code") if close is not None else None
    if close is None or code is None:
        return None
    reason = close.get("reason")
    signal = Close(
        close, int(code.text) if code.text.isascii() and len(code.text) < 6 and code.text.isdigit() else None
    )
    return Frame(
        index=at.frame,
        at=at,
        line=at.line,
        dialect=dialects.UNKNOWN,
        kind="close",
        evidence=(close.pointer,),
        members={"code": code, **({"reason": reason} if reason is not None else {})},
        traits=frozenset({"close"}),
        signals=(signal,),
    )


def _closed(frames: list[Frame]) -> list[Frame]:
    """Give each closed socket the dialect that was spoken on it."""
    spoken = dialects.UNKNOWN
    for place, frame in enumerate(frames):
        if frame.kind == "close":
            frames[place] = replace(frame, dialect=spoken)
        elif frame.dialect != dialects.UNKNOWN:
            spoken = frame.dialect
    return frames
