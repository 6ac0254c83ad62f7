"""A real server, an HTTP client and a real browser. Nothing here leaves this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browsers import HOW_TO_GET_ONE, find_browser
from tests.desk import Desk

COMMAND = Path(sys.executable).with_name("toolcall-workbench")


@dataclass(frozen=True)
class Server:
    """A running server: where it answers and what it wrote to stderr."""

    url: str
    process: subprocess.Popen[str]
    log: Path

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count a skipped test as failed: it proves nothing."""
    report = yield
    if report.skipped:
        report.outcome = "failed"
    return report


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Server]:
    """Run the installed command on a free port, from `folder`."""
    log = folder / "server.log"
    command = [str(COMMAND), "--port", "0", "--no-browser", *arguments]
    with (
        log.open("w") as stderr,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Toolcall Workbench: http://"), f"no server: {line!r} {log.read_text()}"
            yield Server(line.split()[2].rstrip("/"), process, log)
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests. Whatever they did to it, it met no mistake of ours."""
    with running(tmp_path_factory.mktemp("server")) as server:
        yield server
        assert server.log.read_text() == ""


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """An HTTP client that knows the server's address."""
    with httpx.Client(base_url=server.url, timeout=30, trust_env=False) as client:
        yield client


@dataclass
class Tour:
    """What a page did while a test used it."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")  # not for the session: while it lives, asyncio.run is taken
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    path = find_browser()
    if path is None:
        pytest.fail(HOW_TO_GET_ONE)
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    root = ["--no-sandbox"] if sys.platform == "linux" and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*quiet, *root])
        yield browser
        browser.close()


@pytest.fixture
def tour() -> Tour:
    """The record of the test's page."""
    return Tour()


@pytest.fixture
def page(browser: Browser, server: Server, tour: Tour) -> Iterator[Page]:
    """A page of its own storage. The test fails if it asked another host, or met a script error.

    A violation of the security policy is such an error, and so is a response over 499.
    """
    context = browser.new_context(base_url=server.url, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(10_000)
    page = context.new_page()

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and (
            "Content Security Policy" in message.text or "Trusted" in message.text
        ):
            tour.errors.append(message.text)

    page.on("request", lambda request: tour.requests.append(request.url))
    page.on("pageerror", lambda error: tour.errors.append(str(error)))
    page.on("console", on_console)
    page.on("response", lambda answer: tour.errors.append(answer.url) if answer.status >= 500 else None)
    yield page
    context.close()
    assert tour.errors == []
    hosts = {urlsplit(url).netloc for url in tour.requests if not url.startswith(("data:", "blob:"))}
    assert hosts <= {urlsplit(server.url).netloc}


@pytest.fixture
def desk(page: Page) -> Iterator[Desk]:
    """The page, open, with hands to use it. The test fails if the browser's console held an error."""
    desk = Desk(page)
    desk.open()
    yield desk
    assert desk.complaints == []
    assert desk.dialogs == []
