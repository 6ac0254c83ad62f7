"""The values that travel through the workbench.

They do nothing: reading, judging and rendering are functions elsewhere.
Words are those of the field: frame, call, response, cancellation, contract,
case, payload, verdict, status, finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding weighs. Only an error turns anything red."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Status(StrEnum):
    """What a panel or an answer says at one glance."""

    GREEN = "green"
    RED = "red"
    IDLE = "idle"


class Verdict(StrEnum):
    """What a contract says of one call or payload."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    UNCHECKED = "unchecked"
    CONTRACT_ERROR = "contract-error"
    NOT_JUDGED = "not-judged"


@dataclass(frozen=True, slots=True)
class Raw:
    """JSON text that stands in an answer exactly as it was written.

    Lexemes (`1.10`, `1e400`) and escapes survive because nobody decodes them.
    `text` is valid JSON; `None` as a value is JSON `null`, not `Raw`.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place in something that was pasted.

    `input` is the field of the request, `frame` counts frames from 0,
    `pointer` is RFC 6901 inside the frame, `inner` a pointer inside a JSON
    string found there. Lines and columns are 1-based, the end is exclusive and
    columns count UTF-16 code units, as editors and JavaScript do.
    """

    input: str = "text"
    frame: int = 0
    pointer: str = ""
    inner: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell the user: what is wrong, where, and what to do."""

    code: str
    severity: Severity
    message: str
    at: Location = Location()
    key: str | None = None
    keyword: str | None = None
    schema_pointer: str | None = None
    schema_line: int | None = None
    causes: tuple[Finding, ...] = ()
    call_id: str | int | None = None
    source: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether this finding turns its answer red."""
        return self.severity is Severity.ERROR


@dataclass(frozen=True, slots=True)
class Note:
    """A deviation from strict JSON that was read through.

    `lossy` says that the pasted text no longer holds a value that once was
    there; then nothing is guessed and the paste is red.
    """

    code: str
    message: str
    at: Location
    lossy: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What the user may set for a judgement. Every default is the strict reading."""

    string_args: str = "parse-once"
    fold: str = "closed"
    assert_formats: bool = False
    backend: str | None = None
    model: str | None = None
    dialect: str | None = None


def status_of(findings: tuple[Finding, ...] | list[Finding]) -> Status:
    """Red as soon as one finding is an error, else green."""
    return Status.RED if any(f.is_error for f in findings) else Status.GREEN
