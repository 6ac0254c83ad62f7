"""Not finished is never green: whatever ends a judgement early, its sender is told, and the next is served.

That workers themselves are stopped and replaced is tested in test_workers.py, that a budget ends
hostile input while others are served in test_security.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from app import limits, workbench
from app.model import Status
from app.reports import Inputs
from app.web import render, verbs
from tests import jobs
from tests.conftest import Server
from tests.markup import Markup
from tests.test_api import in_process

ROOT = Path(__file__).parent.parent
KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL  # there it kills too
CALL = {"id": "a", "name": "set_light", "args": {"room": "kitchen", "on": True}}
FRAME = json.dumps({"toolCall": {"functionCalls": [CALL]}})
ANSWER = json.dumps(
    {"toolResponse": {"functionResponses": [{"id": "a", "name": "set_light", "response": {"result": {}}}]}}
)
SET_LIGHT = (ROOT / "samples" / "contracts" / "set_light.json").read_text(encoding="utf-8")
CONTRACTS = json.dumps([{"name": "set_light", "parameters": json.loads(SET_LIGHT)}])
ROOM = {"calls_text": FRAME, "contracts_text": CONTRACTS}


async def by_api(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.post("/api/extract", json={"text": FRAME, "contracts_text": CONTRACTS})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


async def by_page(client: httpx.AsyncClient, **headers: str) -> Markup:
    files = {name: (None, text) for name, text in ROOM.items()}
    answer = await client.post("/panels", files=files, headers=headers)
    assert answer.status_code == 200
    return Markup(answer.content)


def statuses(markup: Markup) -> list[str]:
    return [markup.one(data_panel=name)["data-status"] for name in ("toolCall", "args", "toolResponse")]


async def all_is_well(client: httpx.AsyncClient) -> None:
    assert (await by_api(client))["status"] == "green"
    assert statuses(await by_page(client, **{"HX-Request": "true"})) == ["green"] * 3


ENDS: list[tuple[Callable[..., object], str]] = [
    (jobs.never_end, "Stopped after"),
    (jobs.crash, "crashed"),
    (jobs.fail, "made a mistake"),
]
if sys.platform == "linux":  # elsewhere no memory limit holds
    ENDS.append((jobs.take_memory, "MiB of memory"))


@pytest.mark.parametrize(("end", "says"), ENDS, ids=[end.__name__ for end, _ in ENDS])
def test_a_judgement_that_does_not_end_well_is_red_and_the_next_one_is_served(
    monkeypatch: pytest.MonkeyPatch, end: Callable[..., object], says: str
) -> None:
    async def steps(client: httpx.AsyncClient, app: FastAPI) -> None:
        await all_is_well(client)
        with monkeypatch.context() as patch:
            patch.setattr(limits, "SECONDS", 0.3)
            patch.setattr(verbs, "answer", end)
            patch.setattr(render, "render_panels", end)
            found = await by_api(client)
            assert found["status"] == "red"
            assert [finding["code"] for finding in found["findings"]] == ["not-judged"]
            assert says in found["findings"][0]["message"]
            assert found["calls"] == []
            for headers in ({}, {"HX-Request": "true"}):
                page = await by_page(client, **headers)
                assert statuses(page) == ["red"] * 3
                assert says in page.one(data_code="not-judged").text
        await all_is_well(client)

    in_process(steps)


def test_a_worker_killed_from_outside_is_not_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sign = tmp_path / "pid"

    async def steps(client: httpx.AsyncClient, app: FastAPI) -> None:
        ways: list[Callable[[], Coroutine[Any, Any, Any]]] = [
            lambda: by_api(client),
            lambda: by_page(client, **{"HX-Request": "true"}),
        ]
        for way in ways:
            with monkeypatch.context() as patch:
                patch.setattr(verbs, "answer", partial(jobs.stay, str(sign)))
                patch.setattr(render, "render_panels", partial(jobs.stay, str(sign)))
                judging = asyncio.create_task(way())
                async with asyncio.timeout(10):
                    while not (sign.exists() and sign.read_text()):  # noqa: ASYNC110 - a file sets no event
                        await asyncio.sleep(0.005)
                os.kill(int(sign.read_text()), KILL)
                sign.unlink()
                found = await judging
            if isinstance(found, Markup):
                assert statuses(found) == ["red"] * 3
            else:
                assert (found["status"], found["calls"]) == ("red", [])
                assert found["findings"][0]["code"] == "not-judged"
            await all_is_well(client)

    in_process(steps)


# Cut input ------------------------------------------------------------------------------


def test_no_part_of_a_frame_is_green() -> None:
    for size in range(len(FRAME)):
        found = workbench.extract(FRAME[:size], CONTRACTS)
        assert found.status is not Status.GREEN, FRAME[:size]
        assert not any(call.executable for call in found.calls), FRAME[:size]
    assert workbench.extract(FRAME, CONTRACTS).status is Status.GREEN


@pytest.mark.parametrize("field", ["calls_text", "responses_text", "contracts_text"])
def test_no_part_of_what_the_page_judges_is_green(field: str) -> None:
    whole = {"calls_text": FRAME, "responses_text": ANSWER, "contracts_text": CONTRACTS}
    panel = {"calls_text": "toolCall", "responses_text": "toolResponse", "contracts_text": "args"}[field]
    for size in range(1, len(whole[field])):
        found = workbench.panels(Inputs(**{**whole, field: whole[field][:size]}))
        assert found.statuses[panel] is not Status.GREEN, whole[field][:size]
    assert workbench.panels(Inputs(**whole)).statuses[panel] is Status.GREEN


def test_a_form_without_its_end_is_not_judged(client: httpx.Client) -> None:
    files = {name: (None, text) for name, text in ROOM.items()}
    request = client.build_request("POST", "/panels", files=files)
    headers = {"content-type": request.headers["content-type"], "HX-Request": "true"}
    form = request.read()
    for size in range(len(form) - 3):
        answer = client.post("/panels", content=form[:size], headers=headers)
        assert answer.status_code == 400, form[:size]
        assert answer.json()["status"] == "red"
    page = Markup(client.post("/panels", content=form, headers=headers).content)
    assert statuses(page) == ["green"] * 3


def test_a_body_that_ends_before_its_length_is_answered_to_nobody(
    server: Server, client: httpx.Client
) -> None:
    """The connection ends in the middle of a body: nothing is judged, and the server goes on."""
    body = json.dumps({"text": FRAME}).encode()
    for path, kind in (("/api/extract", "application/json"), ("/panels", "multipart/form-data; boundary=x")):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: {kind}\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(f"{head}Content-Length: {len(body) + 10}\r\n\r\n".encode() + body)
            connection.shutdown(socket.SHUT_WR)
            assert b" 200 " not in connection.recv(1000)
    assert client.post("/api/format", json={"text": "[1]"}).json()["status"] == "green"
