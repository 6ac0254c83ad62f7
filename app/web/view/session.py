"""The Session tab: frames in outline, the ledger with its lanes, findings, and what was said.

Both lists are there twice: the first rows for the page without script, and
everything as compact data from which the client draws the rows in sight.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from app.json_text import JsonError, reformat
from app.model import Finding, Status, Verdict
from app.reports import FrameLine, LedgerRow, SaidExchange, SaidLine, SessionReport
from app.web.view.args import LAID_OUT
from app.web.view.filters import Chip, Filter, Filtered, chips
from app.web.view.findings import ROWS, Row, fid, heading, in_order, relative
from app.web.view.listing import Listing, listing, size_text
from app.web.view.marks import Mark
from app.web.view.words import DIALECTS, Part, Pill, clip, count, id_text, idle, not_judged, red, sentence

FRAMES: Final = 200
"""Frames that the page without script lists."""

LARGE_FRAME: Final = 4_096
"""Characters from which a frame names its size."""

TOOLS: Final = 8
"""Most tools that get a filter chip."""

SAID: Final = 40
SAID_CHARACTERS: Final = 4_000
"""Exchanges that are shown, and characters of what was said in one go."""

CHUNK: Final = 500
"""Rows in one line of the data: what a browser reads in a millisecond."""


@dataclass(frozen=True, slots=True)
class FrameRow:
    """One frame in the outline. `direction` is server, client or empty, `mark` error, warning or empty."""

    number: int
    direction: str
    word: str
    detail: str
    size: str
    mark: str
    fid: str


@dataclass(frozen=True, slots=True)
class Shape:
    """One piece of a lane: a mark at `x`, or a span from `x` to `to`; in percent of the axis."""

    look: str
    x: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One entry of the ledger. `lane` is its course in letters and frames, as the client gets it too."""

    index: int
    icon: str
    id: str
    name: str
    verdict: str
    state: str
    wrong: bool
    tags: str
    frame: int
    lane: str
    text: str
    fid: str
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Axis:
    """What all lanes share: ticks (percent, number) and the moments that stand across them."""

    ticks: tuple[tuple[str, str], ...]
    turns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SessionFinding:
    """A finding with its frame, and where it stands in the pasted text (UTF-16 offsets)."""

    row: Row
    frame: int
    span: str


@dataclass(frozen=True, slots=True)
class SaidRow:
    """Words that were said, or a tool at work (then `entry` is its row of the ledger)."""

    who: str
    text: str
    frames: str
    frame: int
    entry: LedgerLine | None = None


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """The chosen frame, laid out."""

    number: int
    listing: Listing
    text: str
    at_work: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionTab:
    """What the Session tab shows."""

    status: str
    pill: Pill
    fact: str
    readout: tuple[Part, ...]
    frames: tuple[FrameRow, ...]
    frames_total: int
    rows: tuple[LedgerLine, ...]
    total: int
    filtered: Filtered
    axis: Axis | None
    findings: tuple[SessionFinding, ...]
    heading: str
    more: int
    said: tuple[tuple[SaidRow, ...], ...]
    said_more: int
    foot: str
    shown: ShownFrame | None
    marks: tuple[Mark, ...]
    data: dict[str, Any]
    """What the client needs beside the rows."""


NOTHING: Final = SessionTab(
    status=Status.IDLE.value,
    pill=idle("no frames"),
    fact="",
    readout=(),
    frames=(),
    frames_total=0,
    rows=(),
    total=0,
    filtered=Filtered((), "", 0, 0),
    axis=None,
    findings=(),
    heading="",
    more=0,
    said=(),
    said_more=0,
    foot="",
    shown=None,
    marks=(),
    data={},
)


def session_tab(
    report: SessionReport, text: str, wanted: Filter, frame: int | None, *, whole: bool
) -> SessionTab:
    """Show a session. The rows are those that the page without script shows: only `whole` has them."""
    if report.pair.status is Status.IDLE:
        return NOTHING
    lines = ledger_lines(report)
    wrong = [row for row, line in zip(report.pair.ledger, lines, strict=True) if line.wrong]
    words = _chips(report)
    let_through = [
        line
        for line, row in zip(lines, report.pair.ledger, strict=True)
        if wanted.lets(line.tags, f"{line.id} {line.name} {line.verdict} {line.state} {row.args_text or ''}")
    ]
    found = in_order(report.findings)
    at = next((f.at.frame for f in found if f.is_error), found[0].at.frame if found else 0)
    axis, rows = _on_axis(report, let_through[:ROWS]) if whole else (None, ())
    of_frames = _fids(found)
    said = tuple(_talk(report, lines))
    return SessionTab(
        status=report.pair.status.value,
        pill=_pill(report, len(wrong), len(lines)),
        fact=f"{len(wrong):,} of {len(lines):,}" if wrong else "",
        readout=tuple(_readout(report, wrong, len(lines))),
        frames=tuple(_frame_rows(report.frames[:FRAMES], of_frames)) if whole else (),
        frames_total=len(report.frames),
        rows=rows,
        total=len(lines),
        filtered=Filtered(
            _counted(words, lines, wanted), wanted.text, min(len(let_through), ROWS), len(lines)
        ),
        axis=axis,
        findings=tuple(_finding(each, report) for each in found[:ROWS]),
        heading=heading(found) if found else "",
        more=len(found[ROWS:]) + report.pair.findings_total - len(report.pair.findings),
        said=said,
        said_more=max(0, len(report.said) - len(said)) if said else 0,
        foot=_foot(report),
        shown=_shown(report, lines, text, at if frame is None else frame) if whole else None,
        marks=tuple(
            _mark(each) for each in found[: 2 * ROWS] if each.at.input == "session_text" and each.at.line
        ),
        data={"total": len(report.frames), "frame": at, "moments": report.moments},
    )


def data_lines(report: SessionReport) -> Iterator[str]:
    """Write every frame and every entry, CHUNK of them in a line of JSON."""
    of_frames = _fids(in_order(report.findings))
    words: dict[str, int] = {}
    rows: list[tuple[object, ...]] = []
    for number, frame in enumerate(report.frames):
        word = words.setdefault(frame.word, len(words))
        way = {"server": 1, "client": 2}.get(frame.direction or "", 0)
        rows.append(
            (word, way, frame.mark[:1], frame.detail, frame.start, frame.end, of_frames.get(number, ""))
        )
    for start in range(0, len(rows), CHUNK):
        yield json.dumps({"frames": rows[start : start + CHUNK]}, separators=(",", ":"))
    yield json.dumps({"words": [*words]}, separators=(",", ":"))
    if report.seconds is not None:
        for start in range(0, len(report.seconds), CHUNK):
            yield json.dumps({"seconds": report.seconds[start : start + CHUNK]}, separators=(",", ":"))
    entries = [
        (x.icon, x.id, x.name, x.verdict, x.state, int(x.wrong), x.tags, x.lane, x.text, x.fid)
        for x in ledger_lines(report)
    ]
    for start in range(0, len(entries), CHUNK):
        yield json.dumps({"entries": entries[start : start + CHUNK]}, separators=(",", ":"))


# The ledger ---------------------------------------------------------------------


def ledger_lines(report: SessionReport) -> list[LedgerLine]:
    """Say of each entry what became of it."""
    tools = _tools(report)
    frames = report.pair.frames
    return [
        _line(number, row, tools, frames[_first(row)].dialect)
        for number, row in enumerate(report.pair.ledger)
    ]


def _first(row: LedgerRow) -> int:
    return next(
        frame for frame in (row.call_frame, row.response_frame, row.cancel_frame, 0) if frame is not None
    )


def _line(number: int, row: LedgerRow, tools: dict[str, int], dialect: str) -> LedgerLine:
    wrong = is_wrong(row)
    lane, text = _lane(row)
    state = row.state + (", late" if row.late else " at the end" if row.state == "pending" else "")
    tags = [row.state, *(["late"] if row.late else []), f"from-{dialect}"]
    if row.name in tools:
        tags.append(f"tool-{tools[row.name]}")
    if row.verdict is not None:
        tags.append(f"is-{row.verdict.value}")
    first = next((each for each in row.findings if each.is_error), None) if row.findings else None
    return LedgerLine(
        index=number,
        icon="hourglass" if row.verdict is Verdict.NOT_JUDGED else "bad" if wrong else "good",
        id=id_text(row.id),
        name=clip(row.name or "", 120),
        verdict=row.verdict.value.replace("-", " ") if row.verdict is not None else "",
        state=state,
        wrong=wrong,
        tags=" ".join(tags),
        frame=_first(row),
        lane=lane,
        text=text,
        fid=fid(first) if first is not None else "",
    )


def is_wrong(row: LedgerRow) -> bool:
    """Tell whether something went wrong with an entry: not where a refused call got an error."""
    if row.late or row.state == "orphan" or row.verdict is Verdict.NOT_JUDGED:
        return True
    handled = row.verdict is Verdict.REFUSE and row.state in ("errored", "cancelled")
    return any(
        each.is_error and not (handled and each.at.frame == row.call_frame and each.code not in _OF_COURSE)
        for each in row.findings
    )


_OF_COURSE: Final = frozenset({"call-id-duplicate", "call-duplicate-delivery", "response-missing"})
"""Findings in the frame of a call that no answer makes good."""


def _lane(row: LedgerRow) -> tuple[str, str]:
    """Write the course of an entry: `c10 x12 d14`, and the same as a sentence.

    c is a call, r a result, e an error, x a cancellation, d a late answer or an
    orphan, and | says that nothing came until the end.
    """
    if row.call_frame is None:
        at = row.response_frame if row.response_frame is not None else row.cancel_frame or 0
        return f"d{at}", f"an answer without a call in frame {at}"
    course, said = [f"c{row.call_frame}"], [f"called in frame {row.call_frame}"]
    answer = row.response_frame
    cancelled = row.cancel_frame
    if answer is not None and cancelled is not None and answer < cancelled and not row.late:
        course.append(f"r{answer}")
        said.append(f"answered in {answer}")
        answer = None
    if cancelled is not None:
        course.append(f"x{cancelled}")
        said.append(f"cancelled in {cancelled}")
    if answer is not None:
        course.append(f"{'d' if row.late else 'e' if row.state == 'errored' else 'r'}{answer}")
        how = "late " if row.late else "with an error " if row.state == "errored" else ""
        said.append(f"answered {how}in {answer}")
    elif cancelled is None:
        course.append("|")
        said.append("never answered")
    return " ".join(course), ", ".join(said)


def _tools(report: SessionReport) -> dict[str, int]:
    """Give a number to each of the tools that get a chip, those with most entries first."""
    counts = Counter(row.name for row in report.pair.ledger if row.name)
    return (
        {name: number for number, (name, _) in enumerate(counts.most_common(TOOLS))}
        if len(counts) > 1
        else {}
    )


_STATES: Final = ("answered", "errored", "cancelled", "late", "pending", "orphan")


def _chips(report: SessionReport) -> dict[str, str]:
    ledger = report.pair.ledger
    states = {row.state for row in ledger} | {"late" for row in ledger if row.late}
    words = {"all": "All"} | {state: state for state in _STATES if state in states}
    words |= {f"tool-{number}": clip(name, 24) for name, number in _tools(report).items()}
    verdicts = sorted({row.verdict.value for row in ledger if row.verdict is not None})
    if len(verdicts) > 1:
        words |= {f"is-{verdict}": verdict.replace("-", " ") for verdict in verdicts}
    spoken = sorted({report.pair.frames[_first(row)].dialect for row in ledger})
    if len(spoken) > 1:
        words |= {f"from-{dialect}": DIALECTS.get(dialect, dialect) for dialect in spoken}
    return words


def _counted(words: dict[str, str], lines: Sequence[LedgerLine], wanted: Filter) -> tuple[Chip, ...]:
    known = words.keys()
    tags = (" ".join(tag for tag in line.tags.split() if tag in known) for line in lines)
    return chips(words, tags, wanted)


# Lanes ----------------------------------------------------------------------------

TICKS: Final = 11
TURNS: Final = 24
"""Most numbers on the axis, and most turns that are drawn across the lanes."""


def _on_axis(report: SessionReport, lines: list[LedgerLine]) -> tuple[Axis, tuple[LedgerLine, ...]]:
    """Lay the lanes on the one axis that they share: the frames of these entries, or seconds."""
    courses = [_course(line.lane) for line in lines]
    last = len(report.frames) - 1
    low, high = 0, last
    if last > 2 * FRAMES and courses:
        low = min(at for course in courses for _, at in course if at is not None)
        high = max(at for course in courses for _, at in course if at is not None)
    seconds = report.seconds
    places = [float(at) for at in range(last + 1)] if seconds is None else seconds
    start, width = places[low], max(places[high] - places[low], 1 if seconds is None else 0.001)
    edge = 0.5 if seconds is None else width / 40

    def x(at: float) -> str:
        return f"{max(0.0, min(100.0, (at - start + edge) / (width + 2 * edge) * 100)):.2f}%"

    step = _step(width)
    first = -(-start // step) * step
    ticks = tuple(
        (x(first + number * step), f"{first + number * step:,.10g}")
        for number in range(TICKS + 1)
        if first + number * step <= start + width
    )
    turns = [(x(places[at]), what) for at, what in report.moments if low <= at <= high]
    shown = tuple(
        replace(line, shapes=tuple(_shapes(course, places, x)))
        for line, course in zip(lines, courses, strict=True)
    )
    return Axis(ticks, tuple(turns) if len(turns) <= TURNS else ()), shown


def _step(width: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20 … (and their tenths) that gives at most TICKS numbers."""
    size = 0.001 if width < 10 and width != int(width) else 1.0
    while True:
        for factor in (1, 2, 5):
            if width / (size * factor) < TICKS:
                return size * factor
        size *= 10


def _course(lane: str) -> list[tuple[str, int | None]]:
    return [(piece[0], int(piece[1:]) if len(piece) > 1 else None) for piece in lane.split()]


def _shapes(
    course: list[tuple[str, int | None]], places: Sequence[float], x: Callable[[float], str]
) -> Iterator[Shape]:
    """Draw a course: spans first, so that the marks stand over them."""
    drawn = [(look, x(places[at]) if at is not None else "100%") for look, at in course]
    for (before, start), (look, end) in pairwise(drawn):
        yield Shape("open" if look == "|" or before == "x" else "span", start, end)
    for look, at in drawn:
        yield Shape(look, at)


# Frames -----------------------------------------------------------------------------


def _frame_rows(frames: Sequence[FrameLine], fids: dict[int, str]) -> Iterator[FrameRow]:
    for number, frame in enumerate(frames):
        size = frame.end - frame.start
        yield FrameRow(
            number,
            frame.direction or "",
            frame.word,
            frame.detail,
            size_text(size) if size >= LARGE_FRAME else "",
            frame.mark,
            fids.get(number, ""),
        )


def _fids(found: Iterable[Finding]) -> dict[int, str]:
    """Name for each frame the finding that weighs most, of those that stand in it."""
    names: dict[int, tuple[int, str]] = {}
    for each in found:
        weight = ("error", "warning", "info").index(each.severity.value)
        if each.at.frame not in names or weight < names[each.at.frame][0]:
            names[each.at.frame] = (weight, fid(each))
    return {frame: name for frame, (_, name) in names.items()}


def _shown(report: SessionReport, lines: list[LedgerLine], text: str, number: int) -> ShownFrame | None:
    if not 0 <= number < len(report.frames):
        return None
    frame = report.frames[number]
    units = text.encode("utf-16-le", "surrogatepass")[2 * frame.start : 2 * frame.end]
    pasted = units.decode("utf-16-le", "surrogatepass")
    try:
        laid_out = reformat(pasted) if len(pasted) <= LAID_OUT else pasted[:LAID_OUT]
    except JsonError:
        laid_out = pasted
    at_work = [
        line.id
        for line, row in zip(lines, report.pair.ledger, strict=True)
        if row.call_frame is not None and row.call_frame <= number < _until(row)
    ]
    return ShownFrame(number, listing(laid_out), pasted, tuple(at_work[:3]))


def _until(row: LedgerRow) -> float:
    ends = [frame for frame in (row.response_frame, row.cancel_frame) if frame is not None]
    return min(ends, default=float("inf"))


# What is said -------------------------------------------------------------------------


def _finding(finding: Finding, report: SessionReport) -> SessionFinding:
    at = finding.at
    violation = finding.keyword is not None
    row = Row(
        fid=fid(finding),
        code=finding.code,
        keyword=finding.keyword,
        severity=finding.severity.value,
        place=f"#{at.frame}",
        word=finding.keyword or finding.code,
        pointer=clip(relative(finding), 200)
        if violation
        else id_text(finding.call_id)
        if finding.call_id is not None
        else "",
        message=sentence(finding.message),
        input=at.input,
        line=at.line,
        column=at.column,
        end_line=at.end_line,
        end_column=at.end_column,
        schema_line=None,
        property=None,
        call=None,
    )
    start, end = report.places.get(finding, (0, 0))
    return SessionFinding(row, at.frame, f"{start} {end}" if end else "")


def _mark(finding: Finding) -> Mark:
    at = finding.at
    line, column = at.line or 1, at.column or 1
    return Mark(
        fid(finding),
        finding.severity.value,
        finding.code,
        line,
        column,
        at.end_line or line,
        at.end_column or column,
    )


def _talk(report: SessionReport, lines: list[LedgerLine]) -> Iterator[tuple[SaidRow, ...]]:
    """Show what was said, where anything was; calls alone stand in the ledger."""
    if not any(isinstance(line, SaidLine) for each in report.said for line in each.lines):
        return
    room = ROWS
    for exchange in report.said[:SAID]:
        rows = _said(replace(exchange, lines=exchange.lines[:room]), lines)
        room -= len(rows)
        if rows:
            yield rows


def _said(exchange: SaidExchange, lines: list[LedgerLine]) -> tuple[SaidRow, ...]:
    return tuple(
        _said_row(line) if isinstance(line, SaidLine) else _work_row(lines[line]) for line in exchange.lines
    )


def _said_row(line: SaidLine) -> SaidRow:
    where = f"frame {line.first}" if line.first == line.last else f"frames {line.first} to {line.last}"
    return SaidRow(
        line.who,
        clip(line.text, SAID_CHARACTERS),
        f"{where}, interrupted" if line.cut else where,
        line.first,
    )


def _work_row(line: LedgerLine) -> SaidRow:
    return SaidRow("tool", line.name, line.text, line.frame, line)


def _foot(report: SessionReport) -> str:
    pair = report.pair
    name = DIALECTS.get(pair.dialect, pair.dialect)
    if pair.dialect == "mixed":
        spoken = dict.fromkeys(frame.dialect for frame in pair.frames)
        return " and ".join(DIALECTS.get(each, each) for each in [*spoken][:3])
    if not report.evidence:
        return name
    return f"{name}, by {clip(report.evidence[0].strip('/'), 40)} in frame 0"


def _pill(report: SessionReport, wrong: int, total: int) -> Pill:
    unjudged = sum(row.verdict is Verdict.NOT_JUDGED for row in report.pair.ledger)
    if unjudged:
        return not_judged(f"{unjudged:,} of {total:,} not judged")
    if report.pair.status is Status.GREEN:
        return Pill(
            "green", "GREEN", _entries(total) if total else count(len(report.frames), "frame") + ", no call"
        )
    if wrong:
        return red(f"{wrong:,} of {_entries(total)}")
    if not report.frames:
        return red("cannot be read")
    return red(count(sum(each.is_error for each in report.findings), "error"))


def _entries(number: int) -> str:
    return f"{number:,} entr{'y' if number == 1 else 'ies'}"


_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def _readout(report: SessionReport, wrong: Sequence[LedgerRow], total: int) -> list[Part]:
    """Say in one sentence how the session went."""
    if wrong:
        reasons = Counter(_reason(row) for row in wrong)
        parts = [Part("strong", f"{len(wrong):,} of {_entries(total)} went wrong:")]
        for place, (reason, number) in enumerate(reasons.items()):
            parts.append(Part("", f"{',' if place else ''} {_number(number)} "))
            parts.extend(sentence(reason))
        return [*parts, Part("", ".")]
    errors = [each for each in in_order(report.findings) if each.is_error]
    if errors:
        head = (
            f"{count(len(errors), 'error')} in this session."
            if report.frames
            else "The session cannot be read."
        )
        return [Part("strong", head), Part("", " "), *sentence(errors[0].message)]
    if not total:
        return [Part("strong", "No call in this session."), Part("", " Nothing would reach the executor.")]
    whole = (
        "The only entry is"
        if total == 1
        else "Both entries are"
        if total == 2
        else f"All {total:,} entries are"
    )
    return [Part("strong", f"{whole} as they should be." if total > 1 else f"{whole} as it should be.")]


def _reason(row: LedgerRow) -> str:
    if row.late:
        return "answered after its cancellation"
    if row.state == "pending":
        return "never"
    if row.state == "orphan":
        return "orphan"
    if row.verdict is Verdict.NOT_JUDGED:
        return "not judged"
    codes = [each.code for each in row.findings if each.is_error]
    return f"for `{codes[0]}`" if codes else "for another reason"


def unjudged_tab(reason: str) -> SessionTab:
    """Say why the session was not judged: red, and never green."""
    parts = (Part("strong", "Not judged."), Part("", " "), *sentence(reason))
    row = Row(
        "not-judged", "not-judged", None, "error", "", "not-judged", "", sentence(reason), "", *[None] * 7
    )
    return replace(
        NOTHING,
        status=Status.RED.value,
        pill=not_judged("not judged"),
        fact="not judged",
        readout=parts,
        findings=(SessionFinding(row, 0, ""),),
        heading="1 finding",
    )
