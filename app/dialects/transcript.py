"""A transcript: words with the times at which they were said. It holds no call, whatever its words are.

Source: https://ai.google.dev/gemini-api/docs/audio
"""

from __future__ import annotations

from app.cursor import Cursor
from app.dialects import Dialect, Words
from app.dialects.wire import fields, objects
from app.events import Frame

ID = "transcript"

WORD = ("word", "text", "punctuated_word")
TIMES = frozenset(
    {"start", "offset", "startoffset", "starttime", "startsecs", "startms", "audiostartms", "timestamp"}
)
"""Keys of the time at which a word begins, without what casing may change."""
HOLDERS = ("results", "alternatives", "segments", "channel", "channels", "transcription", "transcript")


def recognise(root: Cursor) -> tuple[str, ...]:
    """Recognise a list of words with offsets, wherever speech services put it, or one such word."""
    if not root.is_object:
        return ()
    found = _words(root, 4)
    if found is not None:
        return (found.pointer,)
    return tuple(f"/{key}" for key in root.keys if key in WORD or _is_time(key)) if _is_word(root) else ()


def _words(at: Cursor, depth: int) -> Cursor | None:
    words = at.get("words")
    first = next(iter(objects(words)), None)
    if words is not None and first is not None and _is_word(first):
        return words
    for key in HOLDERS if depth else ():
        inner = at.get(key)
        for item in [inner] if inner is not None and inner.is_object else objects(inner)[:1]:
            found = _words(item, depth - 1)
            if found is not None:
                return found
    return None


def _is_word(at: Cursor) -> bool:
    said = next((found for key in WORD if (found := at.get(key)) is not None), None)
    return said is not None and said.is_string and any(map(_is_time, at.keys))


def _is_time(key: str) -> bool:
    return key.replace("_", "").lower() in TIMES


def decode(root: Cursor, evidence: tuple[str, ...]) -> Frame:
    """Read the transcript as one frame without calls."""
    return Frame(
        index=root.frame,
        at=root,
        line=root.line,
        dialect=ID,
        kind="transcript",
        direction="server",
        evidence=evidence,
        members=fields(root),
        traits=frozenset({"transcript"}),
    )


DIALECT = Dialect(
    id=ID,
    title="Transcript",
    words=Words("words", "word", "transcript"),
    recognise=recognise,
    decode=decode,
    keys=frozenset({"words", "word", *HOLDERS}),
    rank=60,
)
