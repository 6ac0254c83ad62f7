"""What the workers do in test_workers.py: functions travel by name, so they need a module."""

from __future__ import annotations

import ctypes
import os
import re
import threading
from pathlib import Path


def echo(value: object) -> object:
    return value


def process_id() -> int:
    return os.getpid()


def backtrack() -> None:
    """Stay inside C, with the GIL held, for longer than anybody waits."""
    re.match("^(a+)+$", "a" * 64 + "!")


def run_for(started: str, seconds: float) -> None:
    """Leave a sign, then stay."""
    Path(started).write_text(str(os.getpid()))
    threading.Event().wait(seconds)


def take_memory(*_: object) -> int:
    return len(bytearray(3 << 30))


def crash(*_: object) -> None:
    ctypes.string_at(0)


def fail(pasted: str, *_: object) -> None:
    raise ValueError(f"cannot read {pasted}")


def never_end(*_: object) -> None:
    threading.Event().wait()


def stay(started: str, *_: object) -> None:
    """Leave a sign, then stay until somebody ends it."""
    run_for(started, 60)
