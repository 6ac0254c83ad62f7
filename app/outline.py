"""A frame in one line: what the wire calls it, and what is worth knowing before it is opened."""

from __future__ import annotations

from collections.abc import Sequence

from app.cursor import Cursor
from app.events import CallStart, Fragment, Frame, HostedCall

SHOWN = 3
"""Most ids or members named in one line."""

LENGTH = 48
"""Longest piece of a value that is named."""

_NAMES_ITSELF = ("type", "method", "event", "role")
_SAYS = ("delta", "transcript", "text")
_BESIDE = frozenset({"usageMetadata"})


def outline(frame: Frame) -> tuple[str, str]:
    """Return the wire's own word for a frame, and its ids or what else it holds."""
    holder = _holder(frame)
    if holder is not None and holder.key:
        return _clip(holder.key), _detail(frame, holder)
    at = frame.at
    if at is None:
        return "unreadable", ""
    if at.is_object:
        for key in _NAMES_ITSELF:
            named = at.get(key)
            if named is not None and named.string:
                return _clip(named.string), _detail(frame, at)
    return frame.kind, _detail(frame, at)


def _holder(frame: Frame) -> Cursor | None:
    """Return the one member that makes the frame what it is, where the wire has such a member."""
    if "type" in frame.members:
        return None
    return next(
        (
            member
            for name, member in frame.members.items()
            if name not in _BESIDE and (member.is_object or member.is_array)
        ),
        None,
    )


def _detail(frame: Frame, holder: Cursor) -> str:
    if frame.calls:
        return _listed([_id(call.id, call.name) for call in frame.calls])
    if frame.responses:
        ids = _listed([_id(each.id, each.name) for each in frame.responses])
        return f"{ids}, error" if any(each.is_error for each in frame.responses) else ids
    if frame.cancellations:
        return _listed([_id(each, None) for one in frame.cancellations for each in one.ids])
    if frame.declarations:
        tools = "1 tool" if len(frame.declarations) == 1 else f"{len(frame.declarations):,} tools"
        return f"{tools}: {_listed([_clip(each.name) for each in frame.declarations])}"
    for signal in frame.signals:
        if isinstance(signal, CallStart | HostedCall) and (signal.id or signal.name):
            return _id(signal.id, signal.name)
        if isinstance(signal, Fragment):
            return _clip(signal.text.string or "")
    return _members(holder)


def _members(holder: Cursor) -> str:
    """Name the members of an object, those that are short with their value."""
    if not holder.is_object:
        return ""
    named: list[str] = []
    for member in holder:
        if member.is_null or member.key in _NAMES_ITSELF:
            continue
        key = _clip(member.key or "")
        if member.key in _SAYS and member.is_string:
            named.append(_clip(member.string or ""))
        elif member.is_object or member.is_array or member.text == "true" or len(member.text) > LENGTH:
            said = member.get("text") if member.is_object else None
            words = said.string if said is not None else None
            named.append(f"{key} {_clip(words)}" if words else key)
        else:
            named.append(f"{key} {_clip(member.string if member.is_string else member.text)}")
        if len(named) == SHOWN:
            break
    return ", ".join(named)


def _id(id: str | int | None, name: str | None) -> str:
    return _clip(str(id)) if id is not None else _clip(name) if name else "no id"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _clip(text: str | None) -> str:
    """Keep a text on its line: no break, and no longer than what is looked at."""
    flat = " ".join((text or "")[: 2 * LENGTH].split())
    return flat if len(flat) <= LENGTH else flat[: LENGTH - 1] + "…"
