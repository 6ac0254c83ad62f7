from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app import limits
from app.workers import JobFailed, NotJudged, NoWorkerFree, OutOfMemory, OverBudget, Pool, WorkerDied
from tests import jobs

DEADLINE = 10.0


def with_pool(steps: Callable[[Pool], Awaitable[None]]) -> None:
    """Run the steps of a test with a pool of its own."""

    async def run() -> None:
        pool = Pool(("tests.jobs",))
        await pool.start()
        try:
            await steps(pool)
        finally:
            await pool.close()

    asyncio.run(run())


async def until(condition: Callable[[], bool]) -> None:
    """Let the event loop turn until a condition holds."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - what other processes do sets no event here
            await asyncio.sleep(0.001)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_job_runs_in_another_process_and_its_result_comes_back() -> None:
    async def steps(pool: Pool) -> None:
        assert await pool.run(jobs.process_id, seconds=5) != os.getpid()
        assert await pool.run(jobs.echo, "\ud800 \U0001f600", seconds=5) == "\ud800 \U0001f600"

    with_pool(steps)


def test_a_result_of_the_largest_paste_comes_back_whole() -> None:
    async def steps(pool: Pool) -> None:
        paste = os.urandom(limits.BODY_BYTES)
        assert await pool.run(jobs.echo, paste, seconds=20) == paste

    with_pool(steps)


@pytest.mark.parametrize(
    ("job", "end"),
    [(jobs.backtrack, OverBudget), (jobs.crash, WorkerDied)]
    + ([(jobs.take_memory, OutOfMemory)] if sys.platform == "linux" else []),  # elsewhere no limit holds
)
def test_a_job_that_cannot_end_is_stopped_and_the_next_one_served(
    job: Callable[[], None], end: type[NotJudged]
) -> None:
    async def steps(pool: Pool) -> None:
        started = time.perf_counter()
        with pytest.raises(end, match=r"Nothing was judged|nothing was judged"):
            await pool.run(job, seconds=0.3)
        assert time.perf_counter() - started < 1.0
        started = time.perf_counter()
        assert await pool.run(jobs.echo, "next", seconds=5) == "next"
        assert time.perf_counter() - started < 0.1

    with_pool(steps)


def test_every_worker_lost_is_replaced() -> None:
    async def steps(pool: Pool) -> None:
        for _ in range(2 * limits.WORKERS):
            with pytest.raises(WorkerDied):
                await pool.run(jobs.crash, seconds=5)
        assert await pool.run(jobs.echo, 1, seconds=5) == 1

    with_pool(steps)


def test_a_mistake_of_ours_is_not_judged_and_told_without_pasted_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def steps(pool: Pool) -> None:
        with pytest.raises(JobFailed) as failed:
            await pool.run(jobs.fail, "s3cret paste", seconds=5)
        assert "s3cret" not in str(failed.value)

    with_pool(steps)
    assert "ValueError" in caplog.text
    assert "jobs.py" in caplog.text
    assert "s3cret" not in caplog.text


def test_a_job_nobody_waits_for_is_killed(tmp_path: Path) -> None:
    async def steps(pool: Pool) -> None:
        sign = tmp_path / "started"
        work = asyncio.create_task(pool.run(jobs.run_for, str(sign), 60.0, seconds=60))
        await until(lambda: sign.exists() and sign.read_text() != "")
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await until(lambda: not alive(int(sign.read_text())))

    with_pool(steps)


def test_when_all_are_busy_a_job_waits_a_little_and_is_refused_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.workers.QUEUE_SECONDS", 1.0)

    async def steps(pool: Pool) -> None:
        signs = [tmp_path / str(number) for number in range(limits.WORKERS)]
        busy = [asyncio.create_task(pool.run(jobs.run_for, str(sign), 60.0, seconds=60)) for sign in signs]
        await until(lambda: all(sign.exists() for sign in signs))
        with pytest.raises(NoWorkerFree):
            await pool.run(jobs.echo, 1, seconds=5)
        waiting = asyncio.create_task(pool.run(jobs.echo, "waited", seconds=5))
        busy[0].cancel()
        assert await waiting == "waited"
        for job in busy[1:]:
            job.cancel()

    with_pool(steps)


def test_the_event_loop_turns_while_workers_hold_the_gil_or_carry_large_pastes() -> None:
    async def steps(pool: Pool) -> None:
        gaps: list[float] = []

        async def beat() -> None:
            while True:
                before = time.perf_counter()
                await asyncio.sleep(0.001)
                gaps.append(time.perf_counter() - before)

        pulse = asyncio.create_task(beat())
        paste = bytes(limits.BODY_BYTES)
        hostile = asyncio.create_task(pool.run(jobs.backtrack, seconds=0.5))
        for _ in range(3):
            await pool.run(jobs.echo, paste, seconds=20)
        with pytest.raises(OverBudget):
            await hostile
        pulse.cancel()
        assert max(gaps) < 0.1

    with_pool(steps)


def test_a_call_costs_less_than_a_millisecond() -> None:
    async def steps(pool: Pool) -> None:
        times = []
        for _ in range(200):
            started = time.perf_counter()
            await pool.run(jobs.echo, "x" * 1000, seconds=5)
            times.append(time.perf_counter() - started)
        assert statistics.median(times) < 0.001  # measured: 0.1 ms

    with_pool(steps)


def test_closing_leaves_no_process_behind() -> None:
    pids: list[int] = []

    async def steps(pool: Pool) -> None:
        pids.extend(
            await asyncio.gather(*(pool.run(jobs.process_id, seconds=5) for _ in range(limits.WORKERS)))
        )

    async def gone() -> None:
        await until(lambda: not any(alive(pid) for pid in pids))

    with_pool(steps)
    asyncio.run(gone())
