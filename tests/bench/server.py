"""Whole requests to a real server, over a connection that stays open, from one client."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator

from app import limits
from tests.bench.core import CONTRACTS, array
from tests.bench.measure import Goal, Row, percentile, seconds

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
        return self._post("/panels", body, {"Content-Type": kind, "HX-Request": "true"}, b'id="panels"')

    def extract(self, body: bytes) -> float:
        """Post to the API, likewise; it must not have run out of its budget."""
        return self._post("/api/extract", body, {}, b'{"status": "')

    def _post(self, path: str, body: bytes, headers: dict[str, str], wanted: bytes) -> float:
        began = time.perf_counter()
        self._connection.request("POST", path, body, {"Accept-Encoding": "identity", **headers})
        answer = self._connection.getresponse()
        text = answer.read()
        taken = time.perf_counter() - began
        assert answer.status == 200, answer.status
        assert wanted in text
        assert b'"not-judged"' not in text
        return taken


def single_frames(port: int, count: int) -> Iterator[Row]:
    """Read, extract, judge, draft and render one frame with its contract."""
    contract = (CONTRACTS / "set_light.json").read_text(encoding="utf-8")
    body = form(calls_text=frame_of_one_kilobyte(), contracts_text=contract, contract_name="set_light")
    client = Client(port)
    for _ in range(count // 4):
        client.panels(body)
    taken = [client.panels(body) for _ in range(count)]
    for name, part, bound in (("p50", 0.5, 3.0), ("p99", 0.99, 10.0)):
        figure = percentile(taken, part)
        work = f"1 KB frame, whole request with its answer as HTML, {name}"
        yield Row(work, seconds(figure), "", figure * 1000, Goal(bound, "ms"))


def large_paste(port: int, size: int) -> Iterator[Row]:
    """Read and judge a large paste over the API."""
    contract = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
    body = json.dumps({"text": array(size), "contracts": {"set_light": contract}}).encode()
    figure = Client(port).extract(body)
    budget = limits.seconds_for(len(body))
    goal = Goal(1, "× the budget")
    work = f"{size / 1e6:.2g} MB of frames, read and judged"
    yield Row(work, seconds(figure), f"its budget {seconds(budget)}", figure / budget, goal)
