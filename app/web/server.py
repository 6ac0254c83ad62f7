"""The server process: uvicorn with our settings, and what happens once it listens."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import uvicorn

from app.files import Folder
from app.web.main import create_app


def run(
    listener: socket.socket, host: str, once_up: Callable[[], None], contracts: Folder | None = None
) -> bool:
    """Serve on a bound socket, named `host` to browsers, until Ctrl+C. Calls `once_up` when it listens."""
    config = uvicorn.Config(
        create_app(host, listener.getsockname()[1], contracts),
        access_log=False,  # nobody needs a record of who pasted when
        log_level="warning",
        proxy_headers=False,  # there is no proxy, and nobody may claim to be one
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    server = _Server(config, once_up)
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])
    return server.started


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, once_up: Callable[[], None]) -> None:
        super().__init__(config)
        self._once_up = once_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        if self.started:
            self._once_up()
