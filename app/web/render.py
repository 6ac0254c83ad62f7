"""Reports -> HTML. `render_panels` runs in a worker, so the event loop only moves bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import limits, workbench
from app.model import Status
from app.reports import Additions, Edit, PanelsReport
from app.web import data_dir, samples
from app.web.forms import TEXTS, Posted
from app.web.unjudged import unjudged
from app.web.view import view
from app.web.view.words import DIALECTS


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(data_dir() / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment


_ENVIRONMENT: Final = _environment()
_FRAGMENT: Final = _ENVIRONMENT.get_template("fragment.html")
_PAGE: Final = _ENVIRONMENT.get_template("workbench.html")


FIRST_SAMPLE: Final = "light"
"""The sample that fills the page at first sight."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the templates need beside the view: texts, settings, and what the server knows."""

    texts: Mapping[str, str]
    """Text of each field; empty in a fragment, where the page keeps its own editors."""
    posted: Posted
    samples: tuple[tuple[str, str], ...]
    dialects: tuple[tuple[str, str], ...]
    mine: bool
    """Whether the toolResponse panel shows the editor for an own answer, not the draft."""
    time: str
    host: str
    """The server's name where it is not this machine, else empty."""
    body_limit: int = limits.BODY_BYTES


def render_panels(posted: Posted, whole: bool, host: str) -> bytes:
    """Judge what was posted and render it: the whole page, or the fragment of it."""
    started = perf_counter()
    report = _judge(posted)
    milliseconds = (perf_counter() - started) * 1000
    idle = report.extract.status is Status.IDLE
    return render(report, posted, whole, host, "" if idle else _time(milliseconds))


def render(report: PanelsReport, posted: Posted, whole: bool, host: str, time: str = "") -> bytes:
    """Render a report. Half surrogate pairs, which no encoding has, are shown as their escape."""
    texts = {name: getattr(report.inputs, name) if whole else "" for name in TEXTS}
    page = Page(
        texts=texts,
        posted=replace(posted, new=_still_new(report.edit, posted.new)),
        samples=tuple(sorted(_gallery(), key=lambda sample: sample[0] != FIRST_SAMPLE)),
        dialects=tuple(DIALECTS.items()),
        mine=posted.mine or report.answer is not None,
        time=time,
        host=host,
    )
    template = _PAGE if whole else _FRAGMENT
    return template.render(view=view(report), page=page).encode("utf-8", "backslashreplace")


def _still_new(edit: Edit | None, new: Additions) -> Additions:
    """Return what still stands in the forms that add something: what was added is gone from them."""
    if edit is None or not edit.after:
        return new
    if edit.command == "pin-case":
        return replace(new, case_name="", case_payload="", case_because="")
    return replace(new, samples="") if edit.command == "add-samples" else new


def _gallery() -> Iterable[tuple[str, str]]:
    return ((sample.name, sample.title) for sample in samples.names())


def render_unjudged(posted: Posted, whole: bool, host: str, reason: str) -> bytes:
    """Render what was posted where no judgement came to an end: red, and never green."""
    return render(unjudged(posted.inputs, reason), posted, whole, host)


def _judge(posted: Posted) -> PanelsReport:
    verb, _, name = posted.edit.partition(":")
    if verb != "load":
        return workbench.panels(posted.inputs, posted.edit, posted.new)
    sample = samples.load(name)
    if sample is None:
        return workbench.panels(posted.inputs)
    # A sample replaces the frames; a field it does not fill stays, but an answer to other calls goes.
    after = {"responses_text": "", **sample.fields}
    before = {field: getattr(posted.inputs, field) for field in after}
    report = workbench.panels(replace(posted.inputs, **after))
    return replace(report, edit=Edit(posted.edit, after, before, f"{sample.title} loaded."))


def _time(milliseconds: float) -> str:
    if milliseconds < 1000:
        return f"{max(1, round(milliseconds))} ms"
    return f"{milliseconds / 1000:.1f} s"
