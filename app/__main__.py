"""The command line: `toolcall-workbench` starts the server and opens the page, `check` judges files.

Exit codes of the server: 0 ended by the user, 2 wrong use or an address that cannot be had.
"""

from __future__ import annotations

import argparse
import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from app import __version__
from app.files import Folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["check"]:
        from app import check  # here: a worker imports this module again, and needs none of it

        return check.main(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="toolcall-workbench",
        description="Serve the Toolcall Workbench to the browser of this machine, or check files.",
        epilog="toolcall-workbench check --help tells how files are checked.",
    )
    parser.add_argument(
        "verb", nargs="?", choices=["serve", "check"], default="serve", help="what to do [%(default)s]"
    )
    parser.add_argument("--host", default="127.0.0.1", help="name or address to serve at [%(default)s]")
    parser.add_argument("--port", type=port, default=8765, help="0 takes a free one [%(default)s]")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")
    parser.add_argument(
        "--expose", action="store_true", help="allow a --host that other machines can reach and use"
    )
    parser.add_argument(
        "--contracts", metavar="DIR", help="a folder of contract files to list, and to save into"
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    given = parser.parse_args(arguments)
    try:
        contracts = _folder(given.contracts)
        listener = _listen(given.host, given.port, given.expose)
    except _Refused as error:
        print(f"toolcall-workbench: {error}", file=sys.stderr)
        return 2
    return 0 if _serve(listener, given.host, contracts, browser=not given.no_browser) else 2


class _Refused(Exception):
    """The server cannot start; the message says what to do."""


def port(text: str) -> int:
    """Read a port; argparse names this function when it is none."""
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return number


def _listen(host: str, port: int, expose: bool) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        if not ipaddress.ip_address(address[0]).is_loopback and not expose:
            raise _Refused(
                f"other machines can reach {host}, and whoever does could use this workbench. "
                "Add --expose if that is what you want, or leave --host out."
            )
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        # socket.create_server puts the address into strerror; the system's own words are enough.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise _Refused(
            f"cannot serve at {host} port {port}: {reason}. "
            "Stop what is running there, or take a free port: toolcall-workbench --port 0"
        ) from None


def _folder(path: str | None) -> Folder | None:
    try:
        return None if path is None else Folder(Path(path))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error.strerror
        raise _Refused(f"cannot open the contracts in {path}: {reason}. Name a folder.") from None


def _serve(listener: socket.socket, host: str, contracts: Folder | None, *, browser: bool) -> bool:
    # Here and not above: on start a worker imports this module again, and needs no server.
    from app.web.server import run

    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{listener.getsockname()[1]}/"

    def once_up() -> None:
        print(f"Toolcall Workbench: {url}   (Ctrl+C stops it)", flush=True)
        if browser and _has_screen():
            # A thread of its own: some browsers return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    return run(listener, name, once_up, contracts)


def _has_screen() -> bool:
    """Tell whether a window can open: without one, a text browser would take the terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
