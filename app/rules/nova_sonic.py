"""Rules over a Nova Sonic session: the three events of an answer belong together."""

from __future__ import annotations

from collections.abc import Iterator

from app.course import Course
from app.rules import ERROR, Hit, rule

SONIC = "https://docs.aws.amazon.com/nova/latest/userguide/speech-tools.html"


@rule("response-orphan", ERROR, on="session", dialects=("nova-sonic",), needs=("response",), source=SONIC)
def response_orphan(course: Course) -> Iterator[Hit]:
    """A toolResult of Nova Sonic has no contentStart that names its call.

    An answer is three events with one promptName and contentName: contentStart, which
    bears the toolUseId, toolResult and contentEnd. Without the first nobody knows which
    call is answered, and the call stays open.

    Bad:
        {"event": {"toolUse": {"toolName": "list_rooms", "toolUseId": "tu_1", "content": "{}"}}}
        {"event": {"toolResult": {"promptName": "p1", "contentName": "n1", "content": "{}"}}}
    Good:
        {"event": {"toolUse": {"toolName": "list_rooms", "toolUseId": "tu_1", "content": "{}"}}}
        {"event": {"contentStart": {"promptName": "p1", "contentName": "n1", "type": "TOOL", "role": "TOOL",
          "toolResultInputConfiguration": {"toolUseId": "tu_1", "type": "TEXT"}}}}
        {"event": {"toolResult": {"promptName": "p1", "contentName": "n1", "content": "{}"}}}
        {"event": {"contentEnd": {"promptName": "p1", "contentName": "n1"}}}
    """
    for frame in course.frames:
        for response in frame.responses:
            if response.id is None:
                yield Hit(
                    response.at,
                    "No contentStart with this contentName names a call. Send it first, with the toolUseId.",
                    key="contentName",
                )
