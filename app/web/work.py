"""Work for a request: done by a worker, and ended when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

from app import limits
from app.workers import Pool

T = TypeVar("T")


async def judge(request: Request, function: Callable[..., T], *arguments: object, size: int) -> T:
    """Return `function(*arguments)`, run by a worker within the budget of `size` bytes.

    The body must have been read. Raises NotJudged and NoWorkerFree, and
    ClientDisconnect when the client went away; then the worker was killed.
    """
    pool: Pool = request.app.state.pool
    work = asyncio.create_task(pool.run(function, *arguments, seconds=limits.seconds_for(size)))
    gone = asyncio.create_task(_disconnect(request))
    try:
        await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ClientDisconnect
        return work.result()
    finally:
        work.cancel()
        gone.cancel()


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
