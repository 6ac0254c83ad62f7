"""WebSocket messages out of a HAR file, as browsers save it from their network panel.

Chrome keeps them under `_webSocketMessages` of an entry: `type` send or
receive, `time` in seconds since 1970, `opcode` 1 for text and 2 for bytes, which
`data` then holds as base64.

Source: https://www.w3.org/TR/2012/NOTE-har-20120814/ and
https://developer.chrome.com/docs/devtools/network/reference
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass

from app.cursor import Cursor
from app.json_text import number_value

DIRECTIONS = {"send": "client", "receive": "server"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `text` is what was sent, None for bytes that are no text and for pings and pongs.

    `data` is the string that holds it, `time` in seconds since 1970. `encoded`
    says that `data` holds it as base64.
    """

    data: Cursor
    text: str | None
    encoded: bool
    direction: str | None
    time: float | None


def is_har(root: Cursor) -> bool:
    """Whether a JSON text is a HAR file."""
    entries = root.at("/log/entries")
    return entries is not None and entries.is_array


def messages(root: Cursor) -> Iterator[Message]:
    """Yield the messages of each connection in order."""
    for entry in root.at("/log/entries") or ():
        for message in entry.get("_webSocketMessages") or ():
            data = message.get("data")
            if data is not None and data.string is not None:
                yield _message(message, data, data.string)


def _message(at: Cursor, data: Cursor, held: str) -> Message:
    kind, opcode, time = at.get("type"), at.get("opcode"), at.get("time")
    encoded = opcode is not None and opcode.text == "2"
    text: str | None = held
    if encoded:
        text = _decoded(held)
    elif opcode is not None and opcode.text not in ("1", "0", "null"):
        text = None
    seconds = number_value(time.text) if time is not None and time.kind.name == "NUMBER" else None
    return Message(
        data=data,
        text=text,
        encoded=encoded,
        direction=DIRECTIONS.get(kind.string or "") if kind is not None else None,
        time=float(seconds) if seconds is not None else None,
    )


def _decoded(held: str) -> str | None:
    """Return the JSON text that bytes hold, or None if they hold anything else."""
    try:
        text = b64decode(held, validate=True).decode()
    except ValueError:
        return None
    return text if text.lstrip(" \t\r\n").startswith(("{", "[")) else None
