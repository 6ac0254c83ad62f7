"""The command `check`: contract files, sessions and frames judged, for people and for CI.

It reads files and calls the same verb as the page and the API, in the same
killable workers, two at a time. Exit codes: 0 all green, 1 something red, 2
could not judge everything or wrong use.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from app import file_report, files, limits, workbench
from app.files import FileText
from app.json_text import JsonError, JsonText
from app.model import Finding, Location, Severity, Status
from app.output import Checked, all_judged, as_json, github, human, junit, overall, sarif
from app.reports import FileReport
from app.workers import NotJudged, Pool

FORMATS: Final[dict[str, Callable[[Sequence[Checked]], str]]] = {
    "human": human.render,
    "json": as_json.render,
    "junit": junit.render,
    "sarif": sarif.render,
    "github": github.render,
}

WORKERS: Final = 2
"""Files judged at a time."""

WATCH_SECONDS: Final = 0.5
"""How often the files are looked at for changes."""

STDIN: Final = "-"


class _Target(NamedTuple):
    """One file to judge: its name as shown, and what it holds."""

    path: str
    file: FileText

    @property
    def kind(self) -> str | None:
        return "contract" if self.path.endswith(files.SUFFIX) else None


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="toolcall-workbench check",
        description="Judge contract files (every case as expected, every mutant refused or listed), "
        "sessions and frames.",
        epilog=f"In a folder, files ending in {', '.join(files.KINDS)} are judged; a file that is named "
        "is judged whatever it is called. Exit codes: 0 all green, 1 something red, "
        "2 could not judge everything or wrong use.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument(
        "--contracts", metavar="PATH", help="a contract file, or a folder of them, that judges frames"
    )
    parser.add_argument(
        "--format", choices=sorted(FORMATS), default="human", help="how to tell [%(default)s]"
    )
    parser.add_argument("--watch", action="store_true", help="judge again whenever a file changes")
    given = parser.parse_args(arguments)
    if given.watch and STDIN in given.paths:
        parser.error("standard input cannot be watched")
    try:
        return asyncio.run(_run(given.paths, given.contracts, _renderer(given.format), watch=given.watch))
    except KeyboardInterrupt:
        return 0 if given.watch else 2


def _renderer(name: str) -> Callable[[Sequence[Checked]], str]:
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return human.render_coloured if name == "human" and colours else FORMATS[name]


async def _run(
    paths: Sequence[str], contracts: str | None, render: Callable[[Sequence[Checked]], str], *, watch: bool
) -> int:
    pool = Pool(("app.workbench",), workers=WORKERS)
    await pool.start()
    try:
        watched = [*paths, *([contracts] if contracts is not None else [])]
        while True:
            before = stamps(watched)  # before they are read, or a change meanwhile would be missed
            code = await _once(pool, paths, contracts, render)
            if not watch:
                return code
            await changed(watched, before)
    finally:
        await pool.close()


async def _once(
    pool: Pool, paths: Sequence[str], contracts: str | None, render: Callable[[Sequence[Checked]], str]
) -> int:
    results = await judge(pool, list(targets(paths)), contracts)
    _print(render(results))
    if not results:
        print("toolcall-workbench check: there is no file to judge here", file=sys.stderr)
    return exit_code(results)


def _print(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # nobody reads any more, as behind `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_code(results: Sequence[Checked]) -> int:
    """Return 0 where all is green, 1 where something is red, 2 where not everything was judged."""
    if not all_judged(results):
        return 2
    return 1 if overall(results) is Status.RED else 0


# Files -----------------------------------------------------------------------------


def targets(paths: Sequence[str]) -> Iterator[_Target]:
    """Yield every file that is named, or lies in a folder that is, with what it holds; each file once."""
    seen: set[Path] = set()
    for each in paths:
        if each == STDIN:
            yield _Target("stdin", files.text_of(sys.stdin.buffer.read(limits.BODY_BYTES + 1)))
        elif Path(each).is_dir():
            for path, refused in files.inside(Path(each)):
                if path.absolute() not in seen:
                    seen.add(path.absolute())
                    yield _Target(str(path), refused or files.read(path))
        elif Path(each).absolute() not in seen:
            seen.add(Path(each).absolute())
            yield _Target(each, files.read(Path(each)))


def _contracts_text(path: str | None) -> tuple[str | None, list[Checked]]:
    """Return the contracts that judge frames as one text, and a result for each file that is no JSON."""
    if path is None:
        return None, []
    texts: list[str] = []
    wrong: list[Checked] = []
    for target in targets([path]):
        if target.file.text is None:
            wrong.append(Checked(target.path, file_report.unread(target.file.findings, judged=False)))
        elif (problem := _problem(target.file.text)) is not None:
            wrong.append(Checked(target.path, file_report.unread((problem,), judged=False)))
        else:
            texts.append(target.file.text)
    return f"[{', '.join(texts)}]" if len(texts) != 1 else texts[0], wrong


def _problem(text: str) -> Finding | None:
    """Say why a text is no JSON. One of them must not make the others unreadable."""
    json = JsonText(text)
    try:
        _, end = json.scan()
        if end == len(text):
            return None
        error = JsonError("Something stands behind the contract. Remove it.", end)
    except JsonError as found:
        error = found
    line, column = json.place(error.offset)
    at = Location("contracts", line=line, column=column)
    return Finding(error.code, Severity.ERROR, error.message, at)


Stamps = dict[str, tuple[int, int] | None]
"""When each file was changed last and how large it is, None where there is none."""


async def changed(
    paths: Sequence[str],
    before: Stamps,
    wait: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(WATCH_SECONDS),
) -> None:
    """Return once a file under the paths was changed, came or went. `wait` passes the time between looks."""
    while stamps(paths) == before:
        await wait()


def stamps(paths: Sequence[str]) -> Stamps:
    """Look at every file under the paths."""
    found = [
        path
        for each in map(Path, paths)
        for path in ([path for path, _ in files.inside(each)] if each.is_dir() else [each])
    ]
    return {str(path): _stamp(path) for path in found}


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


# Judging ---------------------------------------------------------------------------


async def judge(pool: Pool, found: Sequence[_Target], contracts: str | None = None) -> list[Checked]:
    """Judge every file, each in a worker, and then what only shows beside the others."""
    contracts_text, wrong = _contracts_text(contracts)
    turn = asyncio.Semaphore(WORKERS)

    async def one(target: _Target) -> FileReport:
        async with turn:
            return await _report(pool, target, contracts_text)

    reports = await asyncio.gather(*map(one, found))
    named = {target.path: report for target, report in zip(found, reports, strict=True)}
    beside = file_report.named_twice(named)
    return [*wrong, *(Checked(path, report, beside[path]) for path, report in named.items())]


async def _report(pool: Pool, target: _Target, contracts_text: str | None) -> FileReport:
    text = target.file.text
    if text is None:
        judged = all(finding.code == "file-encoding" for finding in target.file.findings)
        return file_report.unread(target.file.findings, judged=judged)
    size = len(text) + len(contracts_text or "")
    try:
        return await pool.run(
            workbench.check, text, contracts_text, target.kind, seconds=limits.seconds_for(size)
        )
    except NotJudged as error:
        finding = Finding("not-judged", Severity.ERROR, str(error), Location("file"))
        return file_report.unread((finding,), judged=False)
