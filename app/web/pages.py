"""The page: read the form, judge in a worker, answer with the page or its fragment."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData
from starlette.types import Message

from app import guard, limits
from app.reports import Inputs
from app.web import forms, render, samples
from app.web.forms import Posted
from app.web.view.filters import Filter
from app.web.work import judge
from app.workers import NotJudged

FIELDS: Final = 1_000
"""Most fields of the form: each number in the tighten table has two of its own."""

URLENCODED_BYTES: Final = 128 * 1024
"""Most of an urlencoded form: what is parsed within some 15 ms."""

TAIL_BYTES: Final = 1_000
"""How near to the end of the body the end of a multipart form must stand."""

router = APIRouter(include_in_schema=False)


@router.get("/")
async def home(request: Request) -> Response:
    """Show the page with the light example, judged."""
    sample = samples.load(samples.FIRST)
    asked = request.query_params
    tab = next((name for name in ("cases", "samples") if name in asked), asked.get("tab", ""))
    posted = Posted(
        Inputs(**(sample.fields if sample else {})),
        tab=tab if tab in forms.TABS else forms.TABS[0],
        cases=Filter(asked.get("cases", "all")),
        samples=Filter(asked.get("samples", "all")),
    )
    return await _answer(request, posted)


@router.get("/gallery")
async def gallery() -> Response:
    """List all samples."""
    return HTMLResponse(render.render_gallery(Posted(Inputs())))


@router.get("/rules")
async def rules() -> Response:
    """List all codes."""
    return HTMLResponse(render.render_rules())


@router.get("/rules/{code}")
async def rule(code: str) -> Response:
    """Explain one code."""
    body = render.render_rule(code)
    if body is None:
        return HTMLResponse(render.render_missing(f"No finding has the code {code[:80]}."), 404)
    return HTMLResponse(body)


def missing(request: Request) -> Response | None:
    """Return the page that says that there is none, where a person looks for one; else nothing."""
    if request.headers.get("Sec-Fetch-Dest") != "document" and "text/html" not in request.headers.get(
        "Accept", ""
    ):
        return None
    return HTMLResponse(render.render_missing(f"There is nothing at {request.url.path[:80]}."), 404)


@router.post("/panels")
async def panels(request: Request) -> Response:
    """Judge what is on the page."""
    if not _is_form(request):
        raise HTTPException(415, "Send the form as multipart/form-data")
    posted = await forms.read(await _form(request), native="HX-Request" not in request.headers)
    if posted.edit == "gallery":
        return HTMLResponse(render.render_gallery(posted))
    return await _answer(request, posted)


@router.post("/session")
async def session(request: Request) -> Response:
    """Judge the session alone, for the page's script: lines of JSON, the markup and then the rows."""
    if not _is_form(request):
        raise HTTPException(415, "Send the form as multipart/form-data")
    posted = await forms.read(await _form(request), native=False)
    size = len(posted.inputs.session_text) + len(posted.inputs.contracts_text)
    try:
        body = await judge(request, render.render_session, posted, size=size)
    except NotJudged as reason:
        body = render.render_session_unjudged(posted, str(reason))
    return Response(body, media_type="application/x-ndjson")


async def _form(request: Request) -> FormData:
    """Read the form. One without its end was cut off, and the rest of it is not what is to be judged."""
    tail = b""

    async def receive() -> Message:
        nonlocal tail
        message = await request.receive()
        tail = (tail + message.get("body", b"")[-TAIL_BYTES:])[-TAIL_BYTES:]
        return message

    whole = Request(request.scope, receive)
    form = await whole.form(max_files=20, max_fields=FIELDS, max_part_size=limits.BODY_BYTES)
    boundary = parse_options_header(request.headers.get("Content-Type"))[1].get(b"boundary")
    if boundary is not None and b"--%b--" % boundary not in tail:
        raise HTTPException(400, "The form is cut off. Send all of it")
    return form


def _is_form(request: Request) -> bool:
    """Tell whether the body is a form that can be read without letting others wait."""
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    size = request.headers.get("Content-Length", "")
    if kind == "application/x-www-form-urlencoded":
        # Parsed character by character, with the whole server waiting: small ones only.
        return size.isdecimal() and int(size) <= URLENCODED_BYTES
    return kind == "multipart/form-data" or size == "0"


async def _answer(request: Request, posted: Posted) -> Response:
    whole = "HX-Request" not in request.headers or "HX-History-Restore-Request" in request.headers
    host = _host(request)
    packed = not whole and "gzip" in request.headers.get("Accept-Encoding", "")
    headers = {"Vary": "HX-Request"}
    try:
        body = await judge(request, render.render_panels, posted, whole, host, packed, size=posted.size)
    except NotJudged as reason:
        return HTMLResponse(render.render_unjudged(posted, whole, host, str(reason)), headers=headers)
    if packed:
        headers = {"Vary": "HX-Request, Accept-Encoding", "Content-Encoding": "gzip"}
    return HTMLResponse(body, headers=headers)


def _host(request: Request) -> str:
    """Name the server the text goes to, or nothing where it is this machine."""
    name = request.url.hostname or ""
    return "" if name in ("127.0.0.1", "localhost", "::1") or f"[{name}]" in guard.LOOPBACK else name
