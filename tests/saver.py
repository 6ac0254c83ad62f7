"""Kill a saver again and again: `python -m tests.saver FOLDER TIMES` prints what was lost, or nothing.

Each saver writes one file after the other and says so by a byte. It is killed
after a few of them, wherever it is then; what it leaves must be one of its
texts, whole. A process of its own, because it forks.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

from app.files import Folder

NAME = "light.contract.json"


def text(number: int) -> str:
    return f'{{"name": "light", "number": {number}, "filler": "{"x" * (37 * (number % 50))}"}}'


def save_for_ever(folder: Folder, seen: str | None, number: int, said: int) -> None:
    while True:
        number += 1
        seen = folder.save(NAME, text(number), seen)
        os.write(said, b".")


def number_in(content: str) -> int | None:
    number = content.partition('"number": ')[2].partition(",")[0]
    return int(number) if number.isdecimal() and content == text(int(number)) else None


def main(path: str, times: int) -> int:
    folder = Folder(Path(path))
    seen: str | None = None
    last = 0
    for turn in range(times):
        reads, writes = os.pipe()
        child = os.fork()
        if not child:
            save_for_ever(folder, seen, last, writes)
        os.close(writes)
        for _ in range(random.randrange(2)):  # at once, or after the first
            os.read(reads, 1)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said = len(os.read(reads, 4096))  # none left, or those after the last that was read
        os.close(reads)
        found = folder.read(NAME)
        if found is None:
            if seen is not None:
                print(f"turn {turn}: the file is gone")
                return 1
            continue
        number = number_in(found.text or "")
        if number is None or number < last + said:
            print(f"turn {turn}: {found.text!r} is left, after {last} and {said} more")
            return 1
        seen, last = found.seen, number
    print(f"{times} times killed, {last} times saved")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
