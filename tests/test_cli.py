from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

import httpx
import pytest

from app import __version__
from tests.conftest import COMMAND, Server, running


def get(server: Server, host: str) -> int:
    """Ask for the health of a server under a host name."""
    headers = {"host": f"{host}:{server.port}"}
    url = f"http://127.0.0.1:{server.port}/api/health"
    return httpx.get(url, headers=headers, trust_env=False).status_code


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=30, check=False)


def test_port_zero_takes_a_free_port_and_prints_it(tmp_path: Path) -> None:
    with running(tmp_path, "serve") as one, running(tmp_path) as two:
        assert one.port != two.port
        for server in (one, two):
            assert get(server, "127.0.0.1") == 200


def test_it_listens_on_one_loopback_address_only(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        assert server.url == f"http://127.0.0.1:{server.port}"
        with pytest.raises(OSError, match=r"refused|not available|assign"):
            socket.create_connection(("127.0.0.2", server.port), timeout=5)


def test_a_busy_port_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run("--port", port, "--no-browser")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert port in ended.stderr
    assert "--port 0" in ended.stderr
    assert ended.stderr.count("127.0.0.1") == 1, "the address is said once"
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_address_that_others_reach_needs_a_flag(host: str) -> None:
    ended = run("--host", host, "--port", "0", "--no-browser")
    assert ended.returncode == 2
    assert "--expose" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_with_the_flag_it_is_served_under_the_name_given(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0", "--expose") as server:
        assert get(server, "127.0.0.1") == get(server, "0.0.0.0") == 200
        assert get(server, "evil.test") == 403


def test_a_host_that_is_none_is_one_clear_line() -> None:
    ended = run("--host", "no.such.host.invalid", "--port", "0", "--no-browser")
    assert ended.returncode == 2
    assert "no.such.host.invalid" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("arguments", [["judge"], ["--port", "x"], ["--port", "65536"], ["--colour"]])
def test_wrong_use_is_told_with_the_usage(arguments: list[str]) -> None:
    ended = run(*arguments)
    assert ended.returncode == 2
    assert ended.stderr.startswith("usage: toolcall-workbench")
    assert "Traceback" not in ended.stderr


def test_the_version_is_the_one_the_api_tells() -> None:
    ended = run("--version")
    assert (ended.returncode, ended.stdout) == (0, f"toolcall-workbench {__version__}\n")


def test_help_names_every_option() -> None:
    told = run("--help")
    assert told.returncode == 0
    for option in ("serve", "check", "--contracts", "--host", "--port", "--no-browser", "--expose"):
        assert option in told.stdout


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(10) == 0
        assert server.log.read_text() == ""


def test_it_runs_in_a_folder_that_has_an_app_of_its_own(tmp_path: Path) -> None:
    for name in ("app", "multiprocessing"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong one')")
    with running(tmp_path) as server:
        answer = httpx.post(f"{server.url}/api/format", json={"text": "[1]"}, trust_env=False)
        assert answer.json()["status"] == "green"
        assert server.log.read_text() == ""
