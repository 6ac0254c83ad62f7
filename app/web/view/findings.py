"""Findings as rows, and what each of them is linked to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final
from zlib import crc32

from markupsafe import Markup

from app.cursor import Cursor
from app.cursor import escape as escape_key
from app.model import Finding, Severity
from app.reports import CallReport, PanelsReport
from app.web.view.listing import Hook, Spot
from app.web.view.words import Part, clip, count, id_text, sentence

ROWS: Final = 100
"""Most rows of one list; beyond it the page says how many more there are."""

NOT_READ: Final = frozenset({"json-invalid", "too-large", "too-deep"})
"""Codes of a text that could not be read at all."""

_EXTRA_KEY: Final = frozenset({"additionalProperties", "unevaluatedProperties", "propertyNames"})
_SUBJECT: Final = re.compile(r'^(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[\w.+-]+) is (?=not )')


@dataclass(frozen=True, slots=True)
class Row:
    """One finding: place, word, pointer, sentence, and what it links to."""

    fid: str
    code: str
    keyword: str | None
    severity: str
    place: str
    word: str
    pointer: str
    message: tuple[Part, ...]
    input: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    schema_line: int | None
    property: str | None
    """Payload pointer of the tighten row it belongs to."""
    call: str | None
    """Key of the call row it belongs to."""

    def plain(self) -> str:
        """Its sentence as plain text, for a tooltip."""
        return "".join(part.text for part in self.message)


@dataclass(frozen=True, slots=True)
class FindingList:
    """The findings of one place, in order, with a heading that counts them."""

    rows: tuple[Row, ...]
    heading: str
    more: int


def fid(finding: Finding) -> str:
    """Name a finding by code and place, so that a choice outlives the next verdict."""
    at = finding.at
    place = (
        at.input,
        at.frame,
        at.pointer,
        at.inner,
        finding.code,
        finding.keyword,
        finding.key,
        finding.call_id,
    )
    return f"f{crc32(repr(place).encode('utf-8', 'backslashreplace')):08x}"


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by place, each finding once."""
    return sorted(dict.fromkeys(findings), key=lambda f: (f.at.frame, f.at.line or 0, f.at.column or 0))


def call_key(call: CallReport, index: int) -> str:
    """Name a call row: its frame, and its place among all calls."""
    return f"{call.frame}-{index}"


def relative(finding: Finding, call: CallReport | None = None) -> str:
    """Return the pointer inside the payload, with the key appended."""
    pointer = finding.at.pointer
    if finding.at.inner is not None:
        pointer = finding.at.inner
    elif call is not None and call.args_pointer and pointer.startswith(call.args_pointer):
        pointer = pointer[len(call.args_pointer) :]
    if finding.key is not None:
        pointer += "/" + escape_key(finding.key)
    return pointer or "/"


def place(row: Row) -> Markup:
    """Write the attributes by which everything about one finding is linked."""
    values = {
        "fid": row.fid,
        "code": row.code,
        "input": row.input,
        "line": row.line,
        "column": row.column,
        "end-line": row.end_line,
        "end-column": row.end_column,
        "schema-line": row.schema_line,
        "property": row.property,
        "keyword": row.keyword or None,
        "call": row.call,
    }
    out = [f'data-{name}="{escape(str(value))}"' for name, value in values.items() if value is not None]
    return Markup(" ".join(out))  # noqa: S704 - escaped above


class Links:
    """Knows which call and which property a finding belongs to, and makes rows of findings."""

    def __init__(self, report: PanelsReport) -> None:
        self._calls: dict[Finding, tuple[str, CallReport]] = {}
        for index, call in enumerate(report.extract.calls):
            for finding in call.findings:
                self._calls.setdefault(finding, (call_key(call, index), call))
        # A contract that the paste declares has no line in the Contract tab.
        self._in_tab = bool(report.inputs.contracts_text)
        self._properties = {row.pointer for contract in report.contracts for row in contract.properties}

    def row(self, finding: Finding) -> Row:
        """Turn a finding into a row."""
        at = finding.at
        key, call = self._calls.get(finding, (None, None))
        pointer = relative(finding, call)
        violation = finding.keyword is not None
        return Row(
            fid=fid(finding),
            code=finding.code,
            keyword=finding.keyword,
            severity=finding.severity.value,
            place=f"{at.line}:{at.column}" if at.line is not None else "",
            word=finding.keyword or finding.code,
            pointer=clip(pointer, 200) if violation else _call(finding.call_id),
            message=sentence(finding.message),
            input=at.input,
            line=at.line,
            column=at.column,
            end_line=at.end_line,
            end_column=at.end_column,
            schema_line=finding.schema_line if self._in_tab else None,
            property=self._property(pointer, finding) if violation else None,
            call=key,
        )

    def rows(self, findings: Iterable[Finding]) -> tuple[Row, ...]:
        """Turn findings into rows, in their order."""
        return tuple(self.row(finding) for finding in findings)

    def list(self, findings: Iterable[Finding], more: int = 0) -> FindingList:
        """Turn findings into a list in the order of their places; `more` were cut before."""
        found = in_order(findings)
        shown = found[:ROWS]
        return FindingList(self.rows(shown), heading(found), len(found) - len(shown) + more)

    def _property(self, pointer: str, finding: Finding) -> str:
        """Return the payload pointer of the property that this violation is about."""
        if finding.keyword in _EXTRA_KEY and finding.key is not None:
            pointer = pointer.rpartition("/")[0]
        pointer = pointer.rstrip("/")
        return pointer if pointer in self._properties else re.sub(r"/\d+(?=/|$)", "/*", pointer)


def _call(id: str | int | None) -> str:
    return "" if id is None else id_text(id)


def heading(findings: list[Finding]) -> str:
    """Count the findings of a list: `3 errors, 1 warning`."""
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    counts = [(sum(f.severity is severity for f in findings), word) for severity, word in words.items()]
    kinds = [count(number, word) for number, word in counts if number]
    return ", ".join(kinds) if len(kinds) > 1 else count(len(findings), "finding")


def payload_spots(root: Cursor, pointer: str, finding: Finding, *, in_tab: bool = True) -> Iterable[Spot]:
    """Find the value, or the key where the key is what is wrong, in a laid-out payload.

    `in_tab` says that the contract stands in the Contract tab, where its line can be shown.
    """
    value = root.at(pointer)
    if value is None:
        return
    member = value.get(finding.key) if finding.key is not None else None
    json = root.json
    if member is not None:
        start, end = json.key_start[member.node], json.key_end[member.node]
    else:
        start, end = json.start[value.node], json.end[value.node]
        if value.is_object or value.is_array:
            end = start + 1  # only the bracket: the whole of it may be many lines
    line = finding.schema_line if in_tab else None
    hook = Hook(finding.keyword or finding.code, _without_subject(finding.message), line)
    yield Spot(start, end, finding.severity.value, fid(finding), hook)


def _without_subject(message: str) -> tuple[Part, ...]:
    """Keep the first sentence without its subject: the line above shows what it is about."""
    first = re.split(r"\.(?: |$)", message, maxsplit=1)[0]
    return sentence(_SUBJECT.sub("", first))
