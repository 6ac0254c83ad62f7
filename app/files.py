"""Files of the user: read with a finding for whatever is wrong, saved whole or not at all.

Only here does the workbench write to a disk, and only into the folder that was
named with `--contracts`. A file is written beside its old text and put in its
place in one step, so that a crash leaves the old or the new, never a part. What
somebody else wrote meanwhile is noticed and stays.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app import limits
from app.model import Finding, Location, Severity

if os.name == "posix":
    import fcntl

SUFFIX: Final = ".contract.json"

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,100}\.contract\.json")
"""Names that every system can store. None begins with a dot or holds a separator."""

_DEVICES: Final = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])\.")
"""Names that are devices on Windows, whatever comes behind the dot."""

_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting, or a FIFO nobody writes into would hold us for ever."""

_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class FileText:
    """What a file holds. `text` is None where it cannot be read, and a finding says why.

    `seen` stands for its bytes: whoever saves says what was there when the
    text was read.
    """

    text: str | None
    seen: str | None
    findings: tuple[Finding, ...] = ()


class NotSaved(Exception):
    """Nothing was written; the finding says why and what to do."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


# Reading ---------------------------------------------------------------------------


def read(path: Path, *, follow: bool = True) -> FileText:
    """Read a text file. `follow`: a link in its place is followed."""
    if not follow and path.is_symlink():
        return _unreadable(
            _finding(
                "file-link", "This is a link, and links are not followed here. Put the file itself here."
            )
        )
    try:
        content = _bytes(path, 0 if follow else _NO_LINK)
    except OSError as error:
        return _unreadable(unreadable(error))
    if content is None:
        return _unreadable(
            _finding("file-unreadable", "This is no regular file, and may never end. Give a file.")
        )
    if len(content) > limits.BODY_BYTES:
        return _unreadable(
            _finding("too-large", f"The file is over {limits.BODY_BYTES >> 20} MiB. Take a part of it.")
        )
    return text_of(content)


def text_of(content: bytes) -> FileText:
    """Decode the bytes of a file."""
    seen = hashlib.sha256(content).hexdigest()
    try:
        return FileText(content.decode(), seen)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"Byte {error.start} is no UTF-8. Save the file as UTF-8."
        return FileText(None, seen, (_finding("file-encoding", message, line),))


def _bytes(path: Path, flags: int) -> bytes | None:
    """Return the bytes of a regular file, a few more than are allowed where it is larger; else None."""
    descriptor = os.open(path, _READ | flags)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return file.read(limits.BODY_BYTES + 1)


def unreadable(error: OSError) -> Finding:
    """Say why a file or a folder cannot be read."""
    return _finding("file-unreadable", f"It cannot be read: {_reason(error)}.")


def _unreadable(finding: Finding) -> FileText:
    return FileText(None, None, (finding,))


def _finding(code: str, message: str, line: int | None = None) -> Finding:
    return Finding(code, Severity.ERROR, message, Location("file", line=line, column=line and 1))


def _reason(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno else str(error)


def inside(folder: Path) -> Iterator[tuple[Path, FileText | None]]:
    """Yield the contract files and sessions under a folder, in order of their names.

    With a link that leads out comes the finding that refuses it; with anything
    else None, and it is still to be read.
    """
    root = folder.resolve()
    closed: list[OSError] = []
    for directory, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(directory) / name
            if not name.endswith(KINDS):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                yield (
                    path,
                    _unreadable(
                        _finding("file-link", "This link leads out of the folder. Put the file itself in.")
                    ),
                )
            else:
                yield path, None
    for error in closed:
        yield Path(error.filename), _unreadable(unreadable(error))


KINDS: Final = (SUFFIX, ".session.json", ".session.jsonl", ".frames.json", ".frames.jsonl")
"""How the names of files end that are judged when a folder is given."""


# Contract files --------------------------------------------------------------------


class Folder:
    """The folder of contract files that the page lists and saves into."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve(strict=True)
        if not self.path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """Return the names of the contract files, also those nobody could save under. Raises OSError."""
        return sorted(entry.name for entry in os.scandir(self.path) if entry.name.endswith(SUFFIX))

    def read(self, name: str) -> FileText | None:
        """Read one contract file; None where there is none of that name."""
        if not _is_plain(name):
            return None
        path = self.path / name
        return read(path, follow=False) if os.path.lexists(path) else None

    def save(self, name: str, text: str, seen: str | None) -> str:
        """Put a text in the place of the one that was `seen`, and return its own. None: there was no file.

        Raises NotSaved where the name cannot be taken, somebody changed the file
        meanwhile, or the system refuses.
        """
        if not _NAME.fullmatch(name) or _DEVICES.match(name):
            raise NotSaved(
                _finding(
                    "file-name",
                    f"A contract file has a plain name that ends in {SUFFIX}, such as set_light{SUFFIX}.",
                )
            )
        try:
            content = text.encode()
        except UnicodeEncodeError:
            raise NotSaved(
                _finding("file-encoding", "Half a surrogate pair stands here. Write it as an escape.")
            ) from None
        try:
            with self._alone():
                _replace(self.path / name, content, seen)
        except OSError as error:
            raise NotSaved(
                _finding("file-not-saved", f"It was not saved: {_reason(error)}. The old file stays.")
            ) from None
        return hashlib.sha256(content).hexdigest()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep every other saver of this workbench out, also those of another process."""
        with self._lock:
            if os.name != "posix":
                yield
                return
            folder = os.open(self.path, os.O_RDONLY)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX)
                yield
                os.fsync(folder)  # the new name of the file, too
            finally:
                os.close(folder)


def _is_plain(name: str) -> bool:
    return name.endswith(SUFFIX) and Path(name).name == name and not set(name) & set("/\\:\0")


def _replace(path: Path, content: bytes, seen: str | None) -> None:
    """Write a file whole: beside the old one first, then in its place."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):  # of a saver that was killed
        left.unlink(missing_ok=True)
    descriptor, name = tempfile.mkstemp(".tmp", f".{path.name}.", path.parent)
    new = Path(name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if seen is None:
            new.chmod(0o644)  # mkstemp leaves it to its owner alone
            _put_new(new, path)
        else:
            _check_unchanged(path, seen)
            new.chmod(stat.S_IMODE(path.stat().st_mode))
            new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _put_new(new: Path, path: Path) -> None:
    """Give a file its name, unless something has it already."""
    with suppress(FileExistsError):
        os.link(new, path)  # unlike a rename, it never takes the place of another
        return
    raise NotSaved(_finding("file-changed", f"{path.name} exists already. Open it, or choose another name."))


def _check_unchanged(path: Path, seen: str) -> None:
    now = read(path, follow=False)
    if now.seen != seen:
        raise NotSaved(
            _finding(
                "file-changed",
                f"{path.name} was changed on the disk since it was opened, so nothing was written. "
                "Open it again and make your edit there.",
            )
        )
