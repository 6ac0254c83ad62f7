"""What a browser loads comes compressed, and compressing holds nobody up."""

from __future__ import annotations

import json
import threading
import zlib
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.test_api import in_process

WANTED = {"accept-encoding": "gzip, deflate, br, zstd"}  # as browsers ask
PLAIN = {"accept-encoding": "identity"}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/static/app.css", "text/css"),
        ("/static/app.js", "text/javascript"),
        ("/static/vendor/editor.js", "text/javascript"),
    ],
)
def test_page_styles_and_scripts_come_compressed(client: httpx.Client, path: str, kind: str) -> None:
    packed, plain = client.get(path, headers=WANTED), client.get(path, headers=PLAIN)
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["content-type"].startswith(kind)
    assert "Accept-Encoding" in packed.headers["vary"]
    assert packed.num_bytes_downloaded < 0.55 * plain.num_bytes_downloaded
    assert "content-encoding" not in plain.headers
    assert len(packed.content) == pytest.approx(len(plain.content), abs=10)  # the time shown differs
    for name in ("content-security-policy", "cache-control", "referrer-policy", "etag"):
        assert packed.headers.get(name) == plain.headers.get(name)


def test_the_fragment_says_on_what_it_depends(client: httpx.Client) -> None:
    answer = client.post(
        "/panels", files={"calls_text": (None, "{}")}, headers={**WANTED, "HX-Request": "true"}
    )
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "HX-Request, Accept-Encoding"
    assert 'id="panels"' in answer.text


def test_a_kept_script_is_not_sent_again(client: httpx.Client) -> None:
    first = client.get("/static/vendor/editor.js", headers=WANTED)
    again = client.get("/static/vendor/editor.js", headers={**WANTED, "if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.num_bytes_downloaded == 0


def test_programs_get_json_as_it_is(client: httpx.Client) -> None:
    answer = client.post("/api/format", json={"text": json.dumps(["x"] * 1000)}, headers=WANTED)
    assert "content-encoding" not in answer.headers


def test_a_large_page_is_compressed_outside_of_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that nobody else waits for it; measured by where it is done, as time differs with the machine."""
    where: dict[int, int] = {}

    class Spy:
        def __init__(self, *settings: Any) -> None:
            self.real = real(*settings)

        def compress(self, body: bytes) -> bytes:
            where[len(body)] = threading.get_ident()
            return self.real.compress(body)

        def flush(self) -> bytes:
            return self.real.flush()

    real = zlib.compressobj
    monkeypatch.setattr(zlib, "compressobj", Spy)

    async def steps(client: httpx.AsyncClient, app: FastAPI) -> None:
        text = json.dumps([{"room": f"room {number}"} for number in range(50_000)])
        answer = await client.post("/panels", files={"calls_text": (None, text)}, headers=WANTED)
        assert answer.headers["content-encoding"] == "gzip"
        assert len(answer.content) > len(text) > 1_000_000

    in_process(steps)
    assert [thread for size, thread in where.items() if size > 1_000_000] != []
    assert all(thread != threading.get_ident() for size, thread in where.items() if size > 1_000_000)
