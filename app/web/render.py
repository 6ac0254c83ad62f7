"""Reports -> HTML. `render_panels` runs in a worker, so the event loop only moves bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from gzip import compress
from time import perf_counter
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import help as manual
from app import limits, workbench
from app.model import Status
from app.reports import Additions, Edit, Inputs, PanelsReport
from app.web import data_dir, samples
from app.web.forms import TEXTS, UNDONE, Posted
from app.web.unjudged import unjudged
from app.web.view import view
from app.web.view.findings import place
from app.web.view.icons import icon, sign
from app.web.view.listing import listing
from app.web.view.session import NOTHING, SessionTab, data_lines, session_tab, unjudged_tab
from app.web.view.words import DIALECTS, say


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
    environment.globals |= {"icon": icon, "place": place, "say": say, "sign": sign}
    return environment


_ENVIRONMENT: Final = _environment()
_FRAGMENT: Final = _ENVIRONMENT.get_template("fragment.html")
_SESSION: Final = _ENVIRONMENT.get_template("session.html")
_PAGE: Final = _ENVIRONMENT.get_template("workbench.html")
_RULES: Final = _ENVIRONMENT.get_template("rules.html")
_RULE: Final = _ENVIRONMENT.get_template("rule.html")
_GALLERY: Final = _ENVIRONMENT.get_template("gallery.html")
_MISSING: Final = _ENVIRONMENT.get_template("missing.html")


@dataclass(frozen=True, slots=True)
class Page:
    """What the templates need beside the view: texts, settings, and what the server knows."""

    whole: bool
    """Whether the whole page is rendered; in a fragment the page keeps what cannot change."""
    texts: Mapping[str, str]
    """Text of each field; empty in a fragment, where the page keeps its own editors."""
    posted: Posted
    undone: Mapping[str, str]
    """What Undo without script brings back, by field."""
    dialects: tuple[tuple[str, str], ...]
    mine: bool
    """Whether the toolResponse panel shows the editor for an own answer, not the draft."""
    time: str
    host: str
    """The server's name where it is not this machine, else empty."""
    body_limit: int = limits.BODY_BYTES


def render_panels(posted: Posted, whole: bool, host: str, packed: bool = False) -> bytes:
    """Judge what was posted and render it: the whole page with its session, or the fragment of the panels.

    `packed` compresses it, fast: a fragment goes to a browser on the same machine, and comes with every key.
    """
    started = perf_counter()
    report = _judge(posted)
    milliseconds = (perf_counter() - started) * 1000
    idle = report.extract.status is Status.IDLE
    tab = NOTHING
    if whole and report.inputs.session_text.strip():
        if report.edit is not None and "session_text" in report.edit.after:
            posted = replace(posted, tab="session")
        session = workbench.session_tab(report.inputs)
        tab = session_tab(session, report.inputs.session_text, posted.session, posted.frame, whole=True)
    body = render(report, posted, whole, host, "" if idle else _time(milliseconds), tab)
    return compress(body, 1) if packed else body


def render(
    report: PanelsReport,
    posted: Posted,
    whole: bool,
    host: str,
    time: str = "",
    session: SessionTab = NOTHING,
) -> bytes:
    """Render a report. Half surrogate pairs, which no encoding has, are shown as their escape."""
    page = _page(report.inputs, replace(posted, new=_still_new(report.edit, posted.new)), whole, host, time)
    page = replace(
        page,
        undone=report.edit.before if whole and report.edit is not None else {},
        mine=posted.mine or report.answer is not None,
    )
    template = _PAGE if whole else _FRAGMENT
    shown = view(report, posted.cases, posted.samples, mine=posted.mine)
    return template.render(view=shown, page=page, session=session).encode("utf-8", "backslashreplace")


def _page(inputs: Inputs, posted: Posted, whole: bool, host: str, time: str) -> Page:
    return Page(
        whole=whole,
        texts={name: getattr(inputs, name) if whole else "" for name in TEXTS},
        posted=posted,
        undone={},
        dialects=tuple(DIALECTS.items()),
        mine=posted.mine,
        time=time,
        host=host,
    )


def render_session(posted: Posted) -> bytes:
    """Judge the session and render it for the client: lines of JSON, the markup first, then the rows."""
    started = perf_counter()
    report = workbench.session_tab(posted.inputs)
    milliseconds = (perf_counter() - started) * 1000
    tab = session_tab(report, posted.inputs.session_text, posted.session, None, whole=False)
    time = "" if report.pair.status is Status.IDLE else _time(milliseconds)
    return b"\n".join([_session(tab, posted, time), *(line.encode() for line in data_lines(report))])


def render_session_unjudged(posted: Posted, reason: str) -> bytes:
    """Render the session for the client where its judgement did not come to an end."""
    return _session(unjudged_tab(reason), posted, "")


def _session(tab: SessionTab, posted: Posted, time: str) -> bytes:
    page = _page(posted.inputs, posted, False, "", time)
    markup = _SESSION.render(session=tab, page=page)
    return json.dumps({"html": markup, **tab.data}).encode()


def _still_new(edit: Edit | None, new: Additions) -> Additions:
    """Return what still stands in the forms that add something: what was added is gone from them."""
    if edit is None or not edit.after:
        return new
    if edit.command == "pin-case":
        return replace(new, case_name="", case_payload="", case_because="")
    return replace(new, samples="") if edit.command == "add-samples" else new


def render_unjudged(posted: Posted, whole: bool, host: str, reason: str) -> bytes:
    """Render what was posted where no judgement came to an end: red, and never green."""
    tab = unjudged_tab(reason) if posted.inputs.session_text.strip() else NOTHING
    return render(unjudged(posted.inputs, reason), posted, whole, host, session=tab)


def render_gallery(posted: Posted) -> bytes:
    """Render the list of all samples, with the texts of the page that it was opened from."""
    texts = {name: text for name in UNDONE if (text := getattr(posted.inputs, name))}
    return _GALLERY.render(gallery=samples.by_format(), texts=texts).encode("utf-8", "backslashreplace")


@cache
def render_rules() -> bytes:
    """Render the list of all codes."""
    return _RULES.render(codes=manual.codes()).encode()


def render_rule(code: str) -> bytes | None:
    """Render the help page of a code, or None where no finding has it."""
    help = manual.help_of(code)
    if help is None:
        return None
    bad, good = (listing(text) if text is not None else None for text in (help.bad, help.good))
    return _RULE.render(help=help, bad=bad, good=good).encode("utf-8", "backslashreplace")


def render_missing(message: str) -> bytes:
    """Render the page that says what is not there."""
    return _MISSING.render(message=message).encode("utf-8", "backslashreplace")


def _judge(posted: Posted) -> PanelsReport:
    verb, _, name = posted.edit.partition(":")
    if verb == "part":
        return workbench.panels(posted.inputs)
    if verb == "undo":
        return _undone(posted)
    if verb != "load":
        return workbench.panels(posted.inputs, posted.edit, posted.new)
    sample = samples.load(name)
    if sample is None:
        return workbench.panels(posted.inputs)
    # A sample replaces the frames. A field it does not fill stays, but what belonged to others goes:
    # the answer to other calls, the cases and samples of another contract.
    of_contract = ("cases_text", "samples_text") if "contracts_text" in sample.fields else ()
    of_calls = ("responses_text",) if "calls_text" in sample.fields else ()
    after = {**dict.fromkeys((*of_calls, *of_contract), ""), **sample.fields}
    before = {field: getattr(posted.inputs, field) for field in after}
    report = workbench.panels(replace(posted.inputs, **after))
    return replace(report, edit=Edit(posted.edit, after, before, f"Example loaded. {sample.look}"))


def _undone(posted: Posted) -> PanelsReport:
    """Put the texts back that the page carried for Undo: without script nobody else keeps them."""
    before = {name: getattr(posted.inputs, name) for name in posted.before}
    report = workbench.panels(replace(posted.inputs, **posted.before))
    return replace(report, edit=Edit(posted.edit, dict(posted.before), before, "Taken back."))


def _time(milliseconds: float) -> str:
    if milliseconds < 1000:
        return f"{max(1, round(milliseconds))} ms"
    return f"{milliseconds / 1000:.1f} s"
