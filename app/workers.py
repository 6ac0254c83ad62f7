"""Processes that judge, and that can be killed.

A pasted schema can run for minutes inside C or Rust with the GIL held, exhaust
the memory or crash the interpreter. So every judgement is one function call in
a process of its own: over its budget it is killed, and the server goes on.
Functions travel by name and arguments are pickled, so hand over text, not
parsed values.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from app import limits

if sys.platform == "linux":
    import resource

T = TypeVar("T")

QUEUE_SECONDS: Final = 3.0
"""Longest wait for a free worker. A little more than the budget of a small paste."""

PATIENCE: Final = 3
"""How often the budget may pass on the clock while other programs keep the processors."""

ORPHAN_SECONDS: Final = 60
"""A worker still busy this long after its job came ends itself: its server was killed."""

YOUNG: Final = 500_000
"""New values after which the collector looks for circles: a large paste makes a few million."""

_READY: Final = b"ready"

_log = logging.getLogger("toolcall_workbench")


class NotJudged(Exception):
    """The work did not come to an end. The message tells the user why and what to do."""


class OverBudget(NotJudged):
    """The time budget ended; the worker was killed."""


class OutOfMemory(NotJudged):
    """The memory limit was met."""


class WorkerDied(NotJudged):
    """The process ended by itself: a crash inside an engine, or the system's memory guard."""


class JobFailed(NotJudged):
    """The function raised: a mistake of ours, told on stderr without any pasted text."""


class NoWorkerFree(Exception):
    """All workers are busy and none came free in time."""


# Inside a worker ---------------------------------------------------------------


def _serve(jobs: Connection, modules: Sequence[str]) -> None:
    """Run jobs until the server closes its end of the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C ends the server, and that ends us
    for module in modules:
        importlib.import_module(module)
    collect_seldom()
    _limit_memory()
    jobs.send_bytes(_READY)
    while True:
        try:
            job = jobs.recv_bytes()
        except EOFError:
            return
        jobs.send_bytes(_answer(job))


def collect_seldom() -> None:
    """Keep the collector from walking a long session again and again: its values hold no circles."""
    gc.freeze()  # what the modules made lives as long as the process
    gc.set_threshold(YOUNG)


def _limit_memory() -> None:
    if sys.platform == "linux":  # the only system that holds to RLIMIT_AS
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + limits.MEMORY_BYTES,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold pasted text


def _answer(job: bytes) -> bytes:
    """Run one pickled (function, arguments, seconds); return a pickled (outcome, value, work seconds)."""
    try:
        function, arguments, seconds = pickle.loads(job)
        if sys.platform != "win32":
            signal.alarm(int(seconds) + ORPHAN_SECONDS)  # the system ends us, whoever holds the GIL
        return _packed("done", function(*arguments))
    except MemoryError:
        return _packed("memory", None)
    except Exception as error:  # noqa: BLE001 - not hidden: the server logs it and says not-judged
        return _packed("failed", _describe(error))
    finally:
        if sys.platform != "win32":
            signal.alarm(0)


def _packed(outcome: str, value: object) -> bytes:
    return pickle.dumps((outcome, value, time.process_time()))


def _describe(error: Exception) -> str:
    """Tell where an error was raised, without its message: that may quote what was pasted."""
    places = traceback.format_list(traceback.extract_tb(error.__traceback__)[1:])
    return f"{type(error).__name__}, raised at\n" + "".join(places)


# Inside the server -------------------------------------------------------------


class _Worker:
    """One process and the server's end of its pipe. Every method but `kill` blocks."""

    def __init__(self, modules: Sequence[str]) -> None:
        # Forked from a process that has the modules imported, so that a start takes
        # milliseconds, or a fresh interpreter. Never forked from us: that copies threads.
        if sys.platform == "win32":
            context = multiprocessing.get_context("spawn")
        else:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(list(modules))
        self._jobs, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, modules), daemon=True)
        self._process.start()
        theirs.close()
        if self._receive() != _READY:
            raise WorkerDied("A worker process did not start.")
        self.worked = 0.0
        """Processor time it had used when its last job ended. It says so itself: the system is slower."""

    def call(self, job: tuple[Any, ...]) -> tuple[str, Any]:
        """Run a job (function, arguments, seconds) to its end, and return (outcome, value)."""
        try:
            self._jobs.send_bytes(pickle.dumps(job))
            answer = self._receive()
        except OSError:  # the pipe broke while we wrote
            answer = None
        if answer is None:
            self._process.join()
            self._jobs.close()
            return "died", None
        outcome, value, self.worked = pickle.loads(answer)
        return outcome, value

    def _receive(self) -> bytes | None:
        try:
            return self._jobs.recv_bytes()
        except (EOFError, OSError):  # the process ended
            return None

    def work_seconds(self) -> float | None:
        """Return the processor time it has used so far, where the system tells."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """End the process at once, whatever it is doing. A blocked `call` returns then."""
        self._process.kill()


class Pool:
    """Processes that each run one function at a time.

    `modules` are imported by every worker before its first job, so that no job
    pays for them. A worker that is killed or dies is replaced in the background
    while the others serve.
    """

    def __init__(self, modules: Sequence[str] = (), workers: int | None = None) -> None:
        self._modules = tuple(modules)
        self._size = workers or limits.WORKERS
        self._workers: set[_Worker] = set()
        self._free: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        self._starts: set[asyncio.Task[None]] = set()
        # Twice: the thread of a killed worker needs a moment to notice.
        self._threads = ThreadPoolExecutor(2 * self._size, "worker")

    async def start(self) -> None:
        """Start all workers and wait until each is ready. Raises WorkerDied or OSError."""
        # A child must import this very `app`, not a folder of that name in the working directory.
        os.environ["PYTHONSAFEPATH"] = "1"
        await asyncio.gather(*(self._add() for _ in range(self._size)))

    async def close(self) -> None:
        """Kill all workers."""
        for task in self._starts:
            task.cancel()
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(wait=False)

    async def run(self, function: Callable[..., T], *arguments: object, seconds: float) -> T:
        """Return `function(*arguments)`, run by a worker.

        `seconds` are of work: on a busy machine, where a process has to wait for
        its turn, the clock may show up to PATIENCE times as many. Raises
        OverBudget after them, OutOfMemory, WorkerDied or JobFailed
        (all NotJudged), and NoWorkerFree. Cancelling kills the worker.
        """
        worker = await self._take()
        loop = asyncio.get_running_loop()
        call = loop.run_in_executor(self._threads, worker.call, (function, arguments, seconds))
        outcome = "killed"
        try:
            if await _within(call, worker, seconds):
                outcome, value = call.result()
        finally:
            if outcome in ("done", "failed"):
                self._free.put_nowait(worker)
            else:
                self._replace(worker)
        if outcome == "done":
            return cast(T, value)
        raise _failure(outcome, value if outcome == "failed" else "", seconds)

    async def _take(self) -> _Worker:
        try:
            async with asyncio.timeout(QUEUE_SECONDS):
                return await self._free.get()
        except TimeoutError:
            raise NoWorkerFree from None

    async def _add(self) -> None:
        loop = asyncio.get_running_loop()
        worker = await loop.run_in_executor(self._threads, _Worker, self._modules)
        self._workers.add(worker)
        self._free.put_nowait(worker)

    async def _refill(self) -> None:
        while True:
            try:
                return await self._add()
            except (OSError, WorkerDied) as error:  # the machine has no memory or process to spare
                _log.error("No new worker could be started, trying again: %s", error)
                await asyncio.sleep(1)

    def _replace(self, worker: _Worker) -> None:
        worker.kill()
        self._workers.discard(worker)
        task = asyncio.create_task(self._refill())
        self._starts.add(task)
        task.add_done_callback(self._starts.discard)


async def _within(call: asyncio.Future[Any], worker: _Worker, seconds: float) -> bool:
    """Wait for a call to end while its worker has work time left; tell whether it ended."""
    began = worker.worked
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE * seconds
    left = seconds
    while left > 0:
        if (await asyncio.wait((call,), timeout=left))[0]:
            return True
        used = worker.work_seconds()
        if used is None:
            return False  # only the clock is known here
        left = min(seconds - (used - began), end - loop.time())
    return False


def _failure(outcome: str, trace: str, seconds: float) -> NotJudged:
    match outcome:
        case "killed":
            return OverBudget(
                f"Stopped after {seconds:.1f} seconds, the budget for a paste of this size. "
                "Nothing was judged. Paste a smaller part, "
                "or look for a pattern or a $ref that multiplies its own work."
            )
        case "memory":
            return OutOfMemory(
                f"Stopped at {limits.MEMORY_BYTES >> 20} MiB of memory. Nothing was judged. "
                "Paste a smaller part."
            )
        case "failed":
            _log.error("A job failed: %s", trace)
            return JobFailed(
                "The workbench made a mistake here and judged nothing. "
                "Its terminal says where; please report that, it holds nothing of your paste."
            )
    return WorkerDied(
        "The process that judged this crashed, so nothing was judged. "
        "Try again; if it happens again, something in this paste crashes an engine: remove parts of it."
    )
