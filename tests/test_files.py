"""Files are read with a finding for whatever is wrong, and saved whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app import files, limits
from app.files import Folder, NotSaved

NAME = "light.contract.json"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def refusal(folder: Folder, name: str, text: str = "{}", seen: str | None = None) -> str:
    with pytest.raises(NotSaved) as refused:
        folder.save(name, text, seen)
    assert refused.value.finding.is_error
    return refused.value.finding.code


# Reading ---------------------------------------------------------------------------


def test_a_text_comes_back_as_it_lies_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes('\ufeff{"é":\r\n 1}'.encode())
    found = files.read(tmp_path / "a.json")
    assert (found.text, found.findings) == ('\ufeff{"é":\r\n 1}', ())


def fifo(path: Path) -> None:
    os.mkfifo(path)


def latin(path: Path) -> None:
    path.write_bytes(b'{\n"a": "\xe9"}')


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(limits.BODY_BYTES + 1)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "file-unreadable"),
        (Path.mkdir, "file-unreadable"),
        (fifo, "file-unreadable"),
        (lambda path: path.symlink_to(path), "file-unreadable"),
        (latin, "file-encoding"),
        (huge, "too-large"),
    ],
    ids=["nothing", "folder", "fifo", "circle", "latin-1", "huge"],
)
def test_what_cannot_be_read_is_a_finding(tmp_path: Path, make: Callable[[Path], None], code: str) -> None:
    make(tmp_path / NAME)
    found = files.read(tmp_path / NAME)
    assert found.text is None
    assert [finding.code for finding in found.findings] == [code]


def test_no_permission_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbid)
    found = files.read(tmp_path / NAME)
    assert [finding.code for finding in found.findings] == ["file-unreadable"]
    assert "permission denied" in found.findings[0].message


def test_a_wrong_byte_is_named_with_its_line(tmp_path: Path) -> None:
    latin(tmp_path / NAME)
    finding = files.read(tmp_path / NAME).findings[0]
    assert (finding.at.line, "Byte 8" in finding.message) == (2, True)


def test_a_folder_yields_contracts_and_sessions_and_refuses_links_that_lead_out(tmp_path: Path) -> None:
    inner, outer = tmp_path / "in", tmp_path / "out"
    for path in (inner / "sub", inner / ".git", outer):
        path.mkdir(parents=True)
    for name in (
        "b.contract.json",
        "sub/a.session.jsonl",
        "package.json",
        "notes.txt",
        ".git/x.contract.json",
    ):
        (inner / name).write_text("{}")
    (outer / NAME).write_text("{}")
    (inner / "away.contract.json").symlink_to(outer / NAME)
    (inner / "here.contract.json").symlink_to(inner / "b.contract.json")
    (inner / "folder").symlink_to(outer)

    found = {str(path.relative_to(inner)): refused for path, refused in files.inside(inner)}
    assert list(found) == [
        "away.contract.json",
        "b.contract.json",
        "here.contract.json",
        "sub/a.session.jsonl",
    ]
    refused = found.pop("away.contract.json")
    assert refused is not None
    assert refused.findings[0].code == "file-link"
    assert set(found.values()) == {None}


def test_a_folder_below_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / NAME).write_text("{}")
    listing = os.scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = {path.name: refused for path, refused in files.inside(tmp_path)}
    assert found[NAME] is None
    assert found["shut"] is not None
    assert found["shut"].findings[0].code == "file-unreadable"


# The folder of contracts -------------------------------------------------------------


def test_what_is_saved_is_read_again(folder: Folder) -> None:
    seen = folder.save(NAME, '{"b": 1,\n "a": "é"}', None)
    found = folder.read(NAME)
    assert found is not None
    assert (found.text, found.seen) == ('{"b": 1,\n "a": "é"}', seen)
    assert folder.save(NAME, "{}", seen) != seen
    assert folder.names() == [NAME]
    assert list(folder.path.iterdir()) == [folder.path / NAME], "nothing is left beside it"


def test_what_somebody_else_wrote_meanwhile_stays(folder: Folder) -> None:
    seen = folder.save(NAME, "{}", None)
    (folder.path / NAME).write_text('{"theirs": 1}')
    assert refusal(folder, NAME, '{"ours": 1}', seen) == "file-changed"
    assert (folder.path / NAME).read_text() == '{"theirs": 1}'


def test_a_file_that_came_meanwhile_stays(folder: Folder) -> None:
    (folder.path / NAME).write_text('{"theirs": 1}')
    assert refusal(folder, NAME) == "file-changed"
    assert (folder.path / NAME).read_text() == '{"theirs": 1}'


def test_a_file_that_went_meanwhile_is_not_made_anew(folder: Folder) -> None:
    seen = folder.save(NAME, "{}", None)
    (folder.path / NAME).unlink()
    assert refusal(folder, NAME, "{}", seen) == "file-changed"
    assert folder.names() == []


@pytest.mark.parametrize(
    "name",
    [
        "", ".contract.json", "x.json", "../x.contract.json", "a/x.contract.json", "/etc/x.contract.json",
        "..\\x.contract.json", "C:x.contract.json", "x.contract.json\0", "x.contract.json\n",
        "..contract.json",
        ".x.contract.json", "con.contract.json", "LPT1.contract.json", "é.contract.json", "x*.contract.json",
        f"{'x' * 300}.contract.json",
    ],
)  # fmt: skip
def test_tricks_in_names_are_refused(folder: Folder, name: str) -> None:
    assert refusal(folder, name) == "file-name"
    assert list(folder.path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../x.contract.json", "sub/x.contract.json", "x.json", "", "a\0.contract.json"]
)
def test_no_name_reads_outside_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    for path in ("x.contract.json", "in/sub/x.contract.json", "in/x.json"):
        (tmp_path / path).write_text("{}")
    assert Folder(tmp_path / "in").read(name) is None


def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    (tmp_path / "in" / NAME).symlink_to(outside)
    folder = Folder(tmp_path / "in")

    found = folder.read(NAME)
    assert found is not None
    assert [finding.code for finding in found.findings] == ["file-link"]
    assert refusal(folder, NAME) == "file-changed"
    assert refusal(folder, NAME, "{}", files.text_of(b"secret").seen) == "file-changed"
    assert outside.read_text() == "secret"
    assert (tmp_path / "in" / NAME).is_symlink()


def test_half_a_surrogate_pair_is_not_written(folder: Folder) -> None:
    assert refusal(folder, NAME, '"\ud800"') == "file-encoding"


def test_a_file_keeps_its_mode_and_a_new_one_can_be_read_by_others(folder: Folder) -> None:
    path = folder.path / NAME
    seen = folder.save(NAME, "{}", None)
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o600)
    folder.save(NAME, "[]", seen)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "nowhere"):
        with pytest.raises(OSError, match=r"."):
            Folder(path)


# A crash at every step ---------------------------------------------------------------


class Crash(BaseException):
    """The power goes."""


STEPS = ("open", "write", "fsync", "link", "replace", "chmod")


@pytest.fixture
def crash_at(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, type[BaseException]], list[int]]]:
    """Let the n-th call of the system fail, counted over all the steps of a save."""
    counts: list[int] = []

    def at(step: int, kind: type[BaseException]) -> list[int]:
        counts[:] = [0]
        monkeypatch.undo()
        for owner, name in [
            *((os, name) for name in STEPS),
            (Path, "replace"),
            (Path, "chmod"),
            (Path, "stat"),
        ]:
            monkeypatch.setattr(owner, name, failing(getattr(owner, name), step, kind))
        return counts

    def failing(call: Callable[..., Any], step: int, kind: type[BaseException]) -> Callable[..., Any]:
        def instead(*arguments: Any, **options: Any) -> Any:
            counts[0] += 1
            if counts[0] == step:
                raise kind(28, "No space left on device")
            return call(*arguments, **options)

        return instead

    yield at
    monkeypatch.undo()


@pytest.mark.parametrize("kind", [Crash, OSError])
@pytest.mark.parametrize("new_file", [True, False])
def test_whatever_step_fails_the_old_or_the_new_text_is_there_whole(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, crash_at: Any, kind: type[BaseException], new_file: bool
) -> None:
    for step in range(1, 100):
        (folder.path / NAME).unlink(missing_ok=True)
        seen = None if new_file else folder.save(NAME, '{"old": 1}', None)
        counts = crash_at(step, kind)
        try:
            folder.save(NAME, '{"new": 1}', seen)
        except (Crash, NotSaved):
            pass
        finally:
            monkeypatch.undo()
        found = folder.read(NAME)
        whole = None if found is None else found.text
        assert whole in (['{"new": 1}', None] if new_file else ['{"new": 1}', '{"old": 1}'])
        assert folder.names() in ([NAME], [])
        if counts[0] < step:  # the save had no more steps
            break
    else:
        pytest.fail("a save has no hundred steps")
    assert step > 4


def test_a_saver_that_is_killed_a_thousand_times_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.saver", str(tmp_path), "1000"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("1000 times killed")


def test_what_a_killed_saver_left_is_cleared_by_the_next(folder: Folder) -> None:
    (folder.path / f".{NAME}.abc.tmp").write_text("half")
    (folder.path / ".other.contract.json.abc.tmp").write_text("somebody else's")
    folder.save(NAME, "{}", None)
    assert sorted(path.name for path in folder.path.iterdir()) == [".other.contract.json.abc.tmp", NAME]
