"""Everything the Session tab shows of one paste: the ledger, every frame in a line, and what was said."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from app import session
from app.events import Close, Frame, Moment
from app.json_text import JsonText
from app.judge import Judged, judge
from app.model import Finding, Location, Severity, Status
from app.outline import outline
from app.panels import read_contracts, settings
from app.reporting import session_report
from app.reports import FrameLine, Inputs, LedgerRow, PairReport, SaidExchange, SaidLine, SessionReport
from app.transcript import Said, Span, Told, exchanges, heard

INPUT: Final = "session_text"

_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")


def session_panel(inputs: Inputs) -> SessionReport:
    """Judge the session of the page by the contracts of the page."""
    set_to = settings(inputs.options)
    options = set_to.options
    read = session.read(inputs.session_text, options, INPUT)
    known = read_contracts(inputs, options, read)
    judged = judge(read, known, options)
    pair = session_report(judged, known, options)
    places = _Places(read.text)
    frames = tuple(item.frame for item in judged.frames)
    spans = [places.of_frame(frame) for frame in frames]
    told = [heard(frame) for frame in frames]
    return SessionReport(
        pair=pair,
        evidence=read.evidence,
        frames=_lines(judged, pair, places, spans),
        moments=tuple(_moments(frames, told)),
        seconds=elapsed([frame.time for frame in frames]),
        said=_said(told, pair.ledger),
        findings=(*set_to.findings, *pair.findings),
        places={
            finding: place
            for finding in pair.findings
            if finding.at.input == INPUT and (place := places.of(finding.at)) is not None
        },
    )


class _Places:
    """Knows where frames and findings stand in a text, as offsets that a browser counts in."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._json = JsonText(text)
        self._astral = [match.start() for match in _ASTRAL.finditer(text)] if not text.isascii() else []

    def of_frame(self, frame: Frame) -> tuple[int, int]:
        """Return where a frame begins and ends, as code points of the text."""
        at = frame.at
        while at is not None and at.base is not None:
            at = at.base
        if at is not None and at.json.text is self._text:
            return at.json.start[at.node], at.json.end[at.node]
        found = self.points(at.location) if at is not None else None
        return found if found is not None else self._line(frame.line)

    def _line(self, number: int) -> tuple[int, int]:
        start = self._json.offset(number, 1)
        end = re.compile(r"[\r\n]|$").search(self._text, start)
        return start, end.start() if end else len(self._text)

    def points(self, at: Location) -> tuple[int, int] | None:
        """Return where a place begins and ends, as code points of the text."""
        if at.line is None or at.column is None:
            return None
        start = self._json.offset(at.line, at.column)
        return start, max(start + 1, self._json.offset(at.end_line or at.line, at.end_column or at.column))

    def of(self, at: Location) -> tuple[int, int] | None:
        """Return where a place begins and ends, in UTF-16 units."""
        found = self.points(at)
        return (self.units(found[0]), self.units(found[1])) if found is not None else None

    def units(self, offset: int) -> int:
        """Return a place in UTF-16 units."""
        return offset + bisect_left(self._astral, offset) if self._astral else offset


def _lines(
    judged: Judged, pair: PairReport, places: _Places, spans: Sequence[tuple[int, int]]
) -> tuple[FrameLine, ...]:
    warned = set(_warned(pair.findings))
    for row in pair.ledger:
        if row.findings:
            warned.update(_warned(row.findings))
    lines = []
    for item, report, (start, end) in zip(judged.frames, pair.frames, spans, strict=True):
        word, detail = outline(item.frame)
        mark = "error" if report.status is Status.RED else ""
        if not mark and (item.frame.index in warned or any(_warned(item.findings))):
            mark = "warning"
        lines.append(FrameLine(word, detail, report.direction, mark, places.units(start), places.units(end)))
    return tuple(lines)


def _warned(findings: Iterable[Finding]) -> Iterable[int]:
    return (each.at.frame for each in findings if each.severity is Severity.WARNING)


def _moments(frames: Sequence[Frame], told: Sequence[Told]) -> Iterable[tuple[int, str]]:
    for frame, of_frame in zip(frames, told, strict=True):
        if not of_frame and not frame.signals:
            continue
        whats = {each.what for each in of_frame if isinstance(each, Moment)}
        if any(isinstance(signal, Close) for signal in frame.signals):
            whats.add("closed")
        for what in ("interrupted", "closed", "turn end"):
            if what in whats:
                yield frame.index, what
                break


def _said(told: Sequence[Told], ledger: Sequence[LedgerRow]) -> tuple[SaidExchange, ...]:
    asked = [(number, row) for number, row in enumerate(ledger) if row.call_frame is not None]
    spans = [Span(row.call_frame or 0, _settled(row)) for _, row in asked]
    return tuple(
        SaidExchange(
            each.first,
            tuple(
                SaidLine(line.who, line.text, line.first, line.last, line.cut)
                if isinstance(line, Said)
                else asked[line.span][0]
                for line in each.lines
            ),
        )
        for each in exchanges(told, spans)
    )


def _settled(row: LedgerRow) -> int | None:
    """Return the frame in which a call stopped being at work."""
    ends = [frame for frame in (row.response_frame, row.cancel_frame) if frame is not None]
    return min(ends, default=None)


def elapsed(times: Sequence[float | None]) -> tuple[float, ...] | None:
    """Count the seconds from the first frame on; None unless every frame has a time and none goes back."""
    known = [at for at in times if at is not None]
    if not known or len(known) < len(times) or any(after < at for at, after in pairwise(known)):
        return None
    return tuple(round(at - known[0], 3) for at in known) if known[-1] > known[0] else None
