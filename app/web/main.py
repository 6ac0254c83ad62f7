"""The application: routes, static files, and the pool of workers they judge with."""

from __future__ import annotations

import logging
import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from app import __version__, guard, limits
from app.files import Folder
from app.guard import Guard
from app.web import api, contracts, data_dir, pages
from app.workers import NoWorkerFree, Pool

# Windows may know .js as text/plain from its registry, and then no browser would run it.
mimetypes.add_type("text/javascript", ".js")
# It would write bytes of a broken form, which may be pasted text, to the terminal.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)


def create_app(host: str, port: int, contracts_folder: Folder | None = None) -> Guard:
    """Return the ASGI application that answers at this host name, and at loopback, with this port.

    Contract files are listed and saved in the folder; without one nothing is written.
    """
    app = _App(
        title="Toolcall Workbench",
        version=__version__,
        lifespan=_lifespan,
        max_body_size=limits.BODY_BYTES,
        docs_url=None,  # their scripts come from another host
        redoc_url=None,
        redirect_slashes=False,
    )
    app.include_router(pages.router)  # first: the page asks most often
    app.include_router(contracts.router)
    app.include_router(api.router)
    app.state.contracts = contracts_folder
    app.state.contract_reports = {}
    app.add_middleware(
        GZipMiddleware,
        compresslevel=4,  # 0.2 ms for the panels; level 6 takes twice that for 8 % less
        # JSON is for programs on this machine, where compressing 10 MB only costs time.
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/json", "application/x-ndjson"),
    )
    app.mount("/static", _Static(directory=data_dir() / "static"), name="static")
    app.add_exception_handler(HTTPException, _http_problem)
    app.add_exception_handler(RequestValidationError, _form_problem)
    app.add_exception_handler(NoWorkerFree, _no_worker)
    app.add_exception_handler(ClientDisconnect, _nobody_waits)
    return Guard(app, {*guard.LOOPBACK, host}, port)


class _App(FastAPI):
    """FastAPI, with the schemas of our bodies and answers in its document."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        if self.openapi_schema is None:
            document = super().openapi()
            document.setdefault("components", {})["schemas"] = api.components() | contracts.components()
        return super().openapi()


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    pool = Pool(("app.web.verbs", "app.web.render"))
    await pool.start()
    app.state.pool = pool
    yield
    await pool.close()


class _Static(StaticFiles):
    """Files that a browser keeps and asks about: their ETag tells whether they changed."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Answer with the file, or with 304."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


_CODES: Final = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    page = pages.missing(request) if error.status_code == 404 else None
    if page is not None:
        return page
    message = guard.TOO_LARGE if error.status_code == 413 else f"{error.detail}."
    content = guard.problem(_CODES.get(error.status_code, "request-invalid"), message)
    return api.json_response(content, error.status_code, dict(error.headers or {}))


async def _form_problem(request: Request, error: Exception) -> Response:
    return api.json_response(guard.problem("request-invalid", "The form is not the one of the page."), 422)


async def _no_worker(request: Request, error: Exception) -> Response:
    content = guard.problem(
        "no-worker", "All workers are busy and nothing was judged. Try again in a few seconds."
    )
    return api.json_response(content, 503, {"retry-after": "3"})


async def _nobody_waits(request: Request, error: Exception) -> Response:
    return Response(status_code=499)  # never seen: the client went away
