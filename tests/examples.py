"""What an example of a help page gets: its form says which door it goes through."""

from __future__ import annotations

import re

import httpx

from app import workbench

REQUEST = re.compile(r"(GET|POST) (\S+)\n?")
PAGES_PORT = "8765"
"""The port in the examples; a test server has another."""


def codes_of(example: str) -> set[str]:
    """Read frames, as an exchange and a session where there are several, or a contract."""
    report = workbench.extract(example)
    found = set(report.findings)
    if len(report.frames) > 1:
        found |= set(workbench.pair(example, "").findings)
    if len(report.frames) > 1 or report.kind == "history":
        found |= set(workbench.read_session(example).findings)
    if report.kind in ("unknown", "declaration"):
        found |= set(workbench.extract("", example).findings)
    return {finding.code for finding in found}


def is_request(example: str) -> bool:
    return REQUEST.match(example) is not None


def codes_of_request(example: str, client: httpx.Client) -> set[str]:
    """Send a request: a line with method and address, headers, an empty line, the body."""
    head, _, body = example.partition("\n\n")
    line, *headers = head.replace(PAGES_PORT, str(client.base_url.port)).splitlines()
    method, address = line.split(" ")
    named = dict(header.split(": ", 1) for header in headers)
    answer = client.request(method, address, headers=named, content=body.encode())
    assert answer.status_code < 500
    if answer.headers["content-type"].startswith("text/html"):
        return set(re.findall(r'data-code="([a-z-]+)"', answer.text))
    given = answer.json()
    return {finding["code"] for finding in given["findings"]} if "findings" in given else set()
