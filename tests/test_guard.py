from __future__ import annotations

import asyncio
import itertools
import json

import pytest

from app import limits
from app.guard import LOOPBACK, Guard, Message, Receive, Scope, Send

PORT = 8765
OURS = f"127.0.0.1:{PORT}"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that lets everybody in."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["method"].encode()})


def ask(
    method: str = "GET", *headers: tuple[str, str], kind: str = "http", host: str = "127.0.0.1"
) -> list[Message]:
    """Ask a guarded app, and return the messages it sent."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {
        "type": kind,
        "method": method,
        "path": "/",
        "headers": [(n.encode(), v.encode()) for n, v in headers],
    }
    asyncio.run(Guard(echo, {*LOOPBACK, host}, PORT)(scope, receive, send))
    return sent


def status(*headers: tuple[str, str], method: str = "GET", host: str = "127.0.0.1") -> int:
    answer: int = ask(method, *headers, host=host)[0]["status"]
    return answer


HOSTS = {
    OURS: True,
    f"localhost:{PORT}": True,
    f"LOCALHOST:{PORT}": True,
    f"[::1]:{PORT}": True,
    "127.0.0.1": False,  # another port
    "127.0.0.1:80": False,
    "127.0.0.1:87650": False,
    f"127.0.0.2:{PORT}": False,
    f"0.0.0.0:{PORT}": False,
    f"evil.test:{PORT}": False,
    f"localhost.evil.test:{PORT}": False,
    f"127.0.0.1:{PORT}.evil.test": False,
    f"user@127.0.0.1:{PORT}": False,
    "": False,
}
ORIGINS = {
    None: True,
    f"http://{OURS}": True,
    f"https://{OURS}": False,
    "http://127.0.0.1": False,
    f"http://localhost:{PORT}": False,  # not the Host that was asked
    "http://evil.test": False,
    f"http://{OURS}.evil.test": False,
    "null": False,
    "": False,
}
SITES = {None: True, "same-origin": True, "none": True, "same-site": False, "cross-site": False, "": False}


@pytest.mark.parametrize(("host", "allowed"), [*HOSTS.items()])
def test_only_our_own_names_are_served(host: str, allowed: bool) -> None:
    assert status(("host", host)) == (200 if allowed else 403)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_of_all_origins_and_sites_only_ours_is_served(method: str) -> None:
    for (origin, ours), (site, same) in itertools.product(ORIGINS.items(), SITES.items()):
        headers = [("host", OURS)]
        headers += [] if origin is None else [("origin", origin)]
        headers += [] if site is None else [("sec-fetch-site", site)]
        assert status(*headers, method=method) == (200 if ours and same else 403), (origin, site)


def test_a_request_without_a_host_or_with_two_is_refused() -> None:
    assert status() == 403
    assert status(("host", OURS), ("host", "evil.test")) == 403
    assert status(("host", OURS), ("host", OURS)) == 403


def test_one_of_two_origins_is_enough_to_refuse() -> None:
    assert status(("host", OURS), ("origin", f"http://{OURS}"), ("origin", "http://evil.test")) == 403


def test_a_link_from_elsewhere_opens_the_page_but_cannot_post_or_be_framed() -> None:
    link = [
        ("host", OURS),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ]
    assert status(*link) == 200
    assert status(*link, method="POST") == 403
    assert status(*link[:3], ("sec-fetch-dest", "iframe")) == 403
    assert status(*link[:2], ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "document")) == 403


def test_a_name_given_by_host_is_served_beside_loopback() -> None:
    assert status(("host", f"box.lan:{PORT}"), host="box.lan") == 200
    assert status(("host", OURS), host="box.lan") == 200
    assert status(("host", f"other.lan:{PORT}"), host="box.lan") == 403


def test_sockets_meet_the_same_rules() -> None:
    assert ask("GET", ("host", OURS), kind="websocket")[0]["type"] == "websocket.accept"
    assert ask("GET", ("host", OURS), ("origin", f"http://{OURS}"), kind="websocket")[0]["type"] == (
        "websocket.accept"
    )
    for foreign in (("origin", "http://evil.test"), ("sec-fetch-site", "cross-site"), ("host", "evil.test")):
        assert ask("GET", ("host", OURS), foreign, kind="websocket")[0]["type"] == "websocket.close"


def test_a_refusal_is_a_finding_with_the_security_headers() -> None:
    start, body = ask("GET", ("host", "evil.test"))
    answer = json.loads(body["body"])
    assert answer["status"] == "red"
    assert answer["findings_total"] == 1
    assert answer["findings"][0]["code"] == "host-unknown"
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"application/json"
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert headers[b"cache-control"] == b"no-store"


def test_a_body_that_says_it_is_too_large_is_refused_unread() -> None:
    size = ("content-length", str(limits.BODY_BYTES + 1))
    start, body = ask("POST", ("host", OURS), size)
    assert start["status"] == 413
    assert json.loads(body["body"])["findings"][0]["code"] == "too-large"
    assert status(("host", OURS), ("content-length", str(limits.BODY_BYTES)), method="POST") == 200


def test_head_is_answered_as_get() -> None:
    assert ask("HEAD", ("host", OURS))[1]["body"] == b"GET"


def test_a_cache_rule_of_the_app_is_kept() -> None:
    async def cached(scope: Scope, receive: Receive, send: Send) -> None:
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"Cache-Control", b"no-cache")]}
        )

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "GET", "headers": [(b"host", OURS.encode())]}
    asyncio.run(Guard(cached, LOOPBACK, PORT)(scope, receive, send))
    names = [name.lower() for name, _ in sent[0]["headers"]]
    assert names.count(b"cache-control") == 1
