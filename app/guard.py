"""Who may ask, and what every answer says: one ASGI wrapper around the whole app.

A server on this machine is within reach of every page in the user's browser.
So a request must name us as Host (against DNS rebinding), come from our own
page or from no page at all, and stay below the body limit. Every answer,
errors included, carries the security headers.

Sources: https://www.w3.org/TR/fetch-metadata/, https://fetch.spec.whatwg.org/#origin-header,
https://www.w3.org/TR/CSP3/, https://www.w3.org/TR/trusted-types/
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, Final

from app import limits
from app.json_answer import to_json
from app.model import Finding, Location, Severity

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

TOO_LARGE: Final = f"The body is over {limits.BODY_BYTES >> 20} MiB. Paste a part of it."

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        # htmx sets the HTML that our own server rendered and escaped; nothing else may.
        "trusted-types htmx",
        "require-trusted-types-for 'script'",
    )
)

_HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def problem(code: str, message: str) -> bytes:
    """Return the one JSON shape of every answer that is no report: a red status and one finding."""
    finding = Finding(code, Severity.ERROR, message, Location(input="body"))
    return to_json({"status": "red", "findings": [finding], "findings_total": 1}).encode()


class Guard:
    """Serve `app` to those who may ask, at the given host names and port."""

    def __init__(self, app: App, hosts: Collection[str], port: int) -> None:
        self.app = app
        self._hosts = {f"{host}:{port}".lower() for host in hosts}
        if port == 80:  # browsers leave the default port out
            self._hosts |= {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it. Sockets meet the same rules."""
        if scope["type"] not in ("http", "websocket"):  # the lifespan of the app itself
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is None:
                await self.app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: a 403
            return
        send = _with_headers(send)
        if refusal is not None:
            await _refuse(send, 403, *refusal)
        elif _declared_size(headers) > limits.BODY_BYTES:
            await _refuse(send, 413, "too-large", TOO_LARGE)
        else:
            if scope["method"] == "HEAD":  # a GET whose body the server leaves out
                scope = {**scope, "method": "GET"}
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[str, str] | None:
        """Return code and message of a request that did not come from our own page or a program."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return (
                "host-unknown",
                "This Host is not ours. Open the address that the server printed when it started, "
                "or start it with --host and the name that you want to use.",
            )
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in headers.get("origin", [])):
            return "origin-foreign", "Another page sent this request. Use the workbench's own page."
        sites = headers.get("sec-fetch-site", [])
        if all(site in ("same-origin", "none") for site in sites):
            return None
        if (
            scope["type"] == "http"
            and scope["method"] in ("GET", "HEAD")
            and headers.get("sec-fetch-mode") == ["navigate"]
            and headers.get("sec-fetch-dest") == ["document"]
        ):
            return None  # a link that somebody followed
        return "site-foreign", "Another site sent this request. Open the workbench in a tab of its own."


def _headers(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def _declared_size(headers: dict[str, list[str]]) -> int:
    sizes = headers.get("content-length", ["0"])
    return int(sizes[0]) if sizes[0].isdecimal() else 0


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = [*message.get("headers", ())]
            names = {name.lower() for name, _ in present}
            if b"cache-control" not in names:
                present.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*present, *_HEADERS]}
        await send(message)

    return send_with_headers


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = problem(code, message)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
