"""Whole requests to a real server, over a connection that stays open, from one client."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from app import limits
from app.web import verbs
from tests.bench.core import CONTRACTS, array
from tests.bench.measure import Goal, Row, percentile, seconds
from tests.conftest import Server

EDGE = "edge"


def frame_of_one_kilobyte() -> str:
    """Return a frame as a person pastes it: six calls on 1,000 characters, two of them to refuse."""
    args = [
        ("kitchen", True),
        ("garage", True),
        ("bedroom", False),
        ("living_room", True),
        ("bedroom", "off"),
    ]
    calls = [
        {"id": f"function-call-1404236582933{n}", "name": "set_light", "args": {"room": room, "on": on}}
        for n, (room, on) in enumerate([*args, ("kitchen", False)])
    ]
    return json.dumps({"toolCall": {"functionCalls": calls}}, indent=1)


def form(**fields: str) -> bytes:
    """Return the form of the page as its script posts it."""
    head = 'Content-Disposition: form-data; name="{}"'
    parts = (f"--{EDGE}\r\n{head.format(name)}\r\n\r\n{text}\r\n" for name, text in fields.items())
    return ("".join(parts) + f"--{EDGE}--\r\n").encode()


class Client:
    """One open connection, with what a browser sends along."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def panels(self, body: bytes) -> float:
        """Post the form and return the seconds until the whole answer was there."""
        kind = f"multipart/form-data; boundary={EDGE}"
        headers = {"Content-Type": kind, "HX-Request": "true", "Accept-Encoding": "gzip"}
        began = time.perf_counter()
        self._connection.request("POST", "/panels", body, headers)
        answer = self._connection.getresponse()
        packed = answer.read()
        taken = time.perf_counter() - began
        text = gzip.decompress(packed)
        assert answer.status == 200, answer.status
        assert b'id="panels"' in text
        assert b'data-code="not-judged"' not in text
        return taken


def single_frames(server: Server, count: int) -> Iterator[Row]:
    """Read, extract, judge, draft and render one frame with its contract, and compress the answer."""
    contract = (CONTRACTS / "set_light.json").read_text(encoding="utf-8")
    body = form(calls_text=frame_of_one_kilobyte(), contracts_text=contract, contract_name="set_light")
    client = Client(server.port)
    for _ in range(count // 4):
        client.panels(body)
    began = processor_seconds(server.process.pid)
    taken = [client.panels(body) for _ in range(count)]
    spent = processor_seconds(server.process.pid) - began
    work = "1 KB frame, whole request"
    for name, part, bound in (("p50", 0.5, 3.0), ("p99", 0.99, 10.0)):
        figure = percentile(taken, part)
        yield Row(f"{work}, {name}", seconds(figure), "", figure * 1000, Goal(bound, "ms"))
    if spent:
        yield Row(f"{work}, processor time of all its processes", seconds(spent / count))


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process and those below it have used; 0 where /proc does not tell."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        child = int(path.parent.name)
        parents[child] = int(fields[1])
        used[child] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_below(child: int) -> bool:
        while child not in (pid, 0):
            child = parents.get(child, 0)
        return child == pid

    return sum(spent for child, spent in used.items() if is_below(child))


def large_paste(size: int) -> Iterator[Row]:
    """Read and judge a large paste, as a worker does it for the API. Budgets are of processor time."""
    contract = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
    body = json.dumps({"text": array(size), "contracts": {"set_light": contract}}).encode()
    began = time.process_time()
    status, answer = verbs.answer("extract", body)
    figure = time.process_time() - began
    assert status == 200
    assert b'"not-judged"' not in answer
    budget = limits.seconds_for(len(body))
    work = f"{size / 1e6:.2g} MB of frames, read and judged"
    goal = Goal(1, "× the budget")
    yield Row(work, seconds(figure), f"its budget {seconds(budget)}", figure / budget, goal)
