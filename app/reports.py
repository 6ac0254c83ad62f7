"""What each verb of the workbench answers: frozen values, one per verb of the API.

Field names are those of the JSON answers; a renderer adds nothing and drops
nothing. `Raw` fields are JSON text as it was pasted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.model import Finding, Note, Raw, Status, Verdict


@dataclass(frozen=True, slots=True)
class FrameReport:
    """One frame of the paste. `bad`: nothing in it may be acted on."""

    index: int
    line: int
    dialect: str
    kind: str
    direction: str | None
    status: Status
    bad: bool


@dataclass(frozen=True, slots=True)
class CallReport:
    """One call and what the contract says of it."""

    frame: int
    id: str | int | None
    name: str | None
    args: Raw | None
    args_text: str | None
    args_encoding: str
    parsed_once: bool
    pointer: str
    args_pointer: str | None
    line: int
    verdict: Verdict
    executable: bool
    cancelled: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ResponseReport:
    """One answer entry. `output` is the business value without hints."""

    frame: int
    id: str | int | None
    name: str | None
    pointer: str
    line: int
    is_error: bool
    output: Raw | None
    error: Raw | None
    scheduling: str | None
    scheduling_at: str | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class CancellationReport:
    """One cancellation and the ids it names."""

    frame: int
    ids: tuple[str | int, ...]
    pointer: str
    line: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class DeclarationReport:
    """One declared tool, as a contract."""

    frame: int
    name: str
    description: str | None
    behavior: str | None
    parameters: Raw | None
    result: Raw | None
    pointer: str
    line: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FormatReport:
    """The paste laid out anew; `text` is None only where it cannot be read."""

    status: Status
    text: str | None
    documents: int
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One model turn: what it is, why, and its text without and with thoughts. `frames` carry it."""

    frames: tuple[int, ...]
    kind: str
    reason: str | None
    finish_reason: str | None
    text: str
    thoughts: str


@dataclass(frozen=True, slots=True)
class ClassifyReport:
    """One finished model turn. `model_content` is what to send back, untouched."""

    status: Status
    kind: str
    reason: str | None
    finish_reason: str | None
    calls: tuple[CallReport, ...]
    text: str
    model_content: Raw | None
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """Everything that was read of a paste, with the verdicts."""

    status: Status
    dialect: str
    kind: str
    evidence: tuple[str, ...]
    rivals: tuple[str, ...]
    """Ids of the other dialects that the first frame may as well be of."""
    casing: str | None
    frames: tuple[FrameReport, ...]
    turns: tuple[TurnReport, ...]
    calls: tuple[CallReport, ...]
    responses: tuple[ResponseReport, ...]
    cancellations: tuple[CancellationReport, ...]
    declarations: tuple[DeclarationReport, ...]
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One call over its life, or an orphan answer (then `verdict` and `call_frame` are None)."""

    id: str | int | None
    name: str | None
    state: str
    verdict: Verdict | None
    args: Raw | None
    args_text: str | None
    executable: bool
    late: bool
    call_frame: int | None
    call_pointer: str | None
    response_frame: int | None
    response_pointer: str | None
    response_line: int | None
    cancel_frame: int | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class LedgerSummary:
    """Counts over the exchange."""

    calls: int
    responses: int
    followups: int
    pending: int
    answered: int
    errored: int
    cancelled: int
    orphan: int


@dataclass(frozen=True, slots=True)
class PairReport:
    """An exchange: calls, their answers, and how they pair."""

    status: Status
    dialect: str
    kind: str
    frames: tuple[FrameReport, ...]
    ledger: tuple[LedgerRow, ...]
    findings: tuple[Finding, ...]
    findings_total: int
    summary: LedgerSummary


@dataclass(frozen=True, slots=True)
class DraftedResponse:
    """One entry of the drafted answer."""

    id: str | int | None
    name: str | None
    output: Raw | None
    is_error: bool
    scheduling: str | None


@dataclass(frozen=True, slots=True)
class RespondReport:
    """The drafted answer; `text` is None for a bad frame."""

    status: Status
    text: str | None
    responses: tuple[DraftedResponse, ...]
    turns: Raw | None
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What the other engine says, and whether the two agree."""

    engine: str
    verdict: Verdict
    agrees: bool


@dataclass(frozen=True, slots=True)
class ValidateReport:
    """The verdict of one schema on one payload."""

    status: Status
    verdict: Verdict
    findings: tuple[Finding, ...]
    findings_total: int
    second_opinion: SecondOpinion | None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One pinned payload, what was expected and what came out.

    `because` is the keyword the case waits for, or None.
    """

    name: str
    payload: Raw | None
    expect: str
    verdict: Verdict
    as_expected: bool
    because: str | None
    findings: tuple[Finding, ...]
    suggestions: tuple[str, ...] = ()
    """Ids of suggestions that would refuse a case which gets in, and no sample. Filled for the page."""


@dataclass(frozen=True, slots=True)
class CasesReport:
    """All cases of one contract."""

    status: Status
    results: tuple[CaseResult, ...]
    passed: int
    failed: int
    findings: tuple[Finding, ...] = ()
    findings_total: int = 0


@dataclass(frozen=True, slots=True)
class DistinctValue:
    """One value seen at a place and how often."""

    value: Raw
    count: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the samples show at one place of the payload (`pointer`, items as `*`).

    `present` of `of` parents hold it; `types` are JSON Schema types with counts;
    `values` are the distinct scalars, None above the limit.
    """

    pointer: str
    types: dict[str, int]
    present: int
    of: int
    distinct: int
    values: tuple[DistinctValue, ...] | None
    minimum: Raw | None = None
    maximum: Raw | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One keyword that the samples would allow. `seen` of `of` samples say so."""

    id: str
    pointer: str
    keyword: str
    value: Raw
    reason: str
    seen: int
    of: int


@dataclass(frozen=True, slots=True)
class SampleReport:
    """One sample: its payload, where it came from, and what the contract says of it."""

    payload: Raw
    source: str
    line: int | None
    verdict: Verdict
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class InferredContract:
    """The contract that the samples of one tool state, and no more."""

    name: str | None
    schema: Raw
    samples: int
    evidence: tuple[Evidence, ...]
    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True)
class InferReport:
    """What was inferred from samples, per tool."""

    status: Status
    schema: Raw | None
    contracts: tuple[InferredContract, ...]
    samples: int
    evidence: tuple[Evidence, ...]
    suggestions: tuple[Suggestion, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class Change:
    """One keyword that was set, and which cases it refuses."""

    pointer: str
    schema_pointer: str
    keyword: str
    before: Raw | None
    after: Raw | None
    reason: str
    refuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TightenReport:
    """A tightened schema with its proof (`narrower`: yes, no, not-proven)."""

    status: Status
    schema: Raw | None
    changes: tuple[Change, ...]
    narrower: str
    rejected_samples: tuple[int, ...]
    findings: tuple[Finding, ...]
    findings_total: int
    admits: tuple[str, ...] = ()
    """Must-refuse cases that get in by a keyword taken back."""
    smallest: bool | None = None
    """Whether what was added until every case is refused is proven to be the fewest; None if not asked."""


@dataclass(frozen=True, slots=True)
class MutantReport:
    """A neighbour of an accepted case with one thing broken; `keyword` is what should refuse it."""

    name: str
    operator: str
    pointer: str
    keyword: str
    payload: Raw
    case: str
    """The accepted case beside it."""
    verdict: Verdict
    killed: bool


@dataclass(frozen=True, slots=True)
class Unguarded:
    """A keyword of the contract that no case needs: without it none would turn."""

    schema_pointer: str
    keyword: str
    pointer: str | None
    """The place of the payload that it looks at, None where no single place can be named."""
    schema_line: int | None
    redundant: bool
    """Whether it is proven that the contract refuses the same without it, so that no case can guard it."""
    mutant: str | None
    """A mutant that would guard it if it were pinned."""


@dataclass(frozen=True, slots=True)
class GuardColumn:
    """A keyword of the guard table. `guarded`: yes, no, or absent where a case waits for it."""

    schema_pointer: str
    keyword: str
    pointer: str | None
    schema_line: int | None
    guarded: str


@dataclass(frozen=True, slots=True)
class GuardRow:
    """A case that must be refused, and the keywords by `schema_pointer`: which refuse it, which it waits for.

    Of those that refuse it, `needs` are the ones without which it would get in.
    """

    case: str
    refused_by: tuple[str, ...]
    needs: tuple[str, ...]
    wants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MutantsReport:
    """The mutants of a contract with their verdicts, and the guard table.

    `score` is the part that is refused, None without mutants. `complete` says
    whether every neighbour and every keyword was tried: of a huge contract some
    thousand are.
    """

    status: Status
    killed: int
    total: int
    score: float | None
    complete: bool
    mutants: tuple[MutantReport, ...]
    unguarded: tuple[Unguarded, ...]
    keywords: tuple[GuardColumn, ...]
    guards: tuple[GuardRow, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """One contract of a file: its cases and its mutants, and what to tell of them."""

    name: str
    cases: CasesReport
    mutants: MutantsReport
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file judged. `kind`: contract, frames, session, or unread where there was nothing to judge.

    `judged` says whether everything came to a verdict. Of `contracts`, `extract`
    and `session` the one of that kind is filled. A refused case that had to be
    refused is no finding here.
    """

    status: Status
    kind: str
    judged: bool
    contracts: tuple[ContractCheck, ...]
    extract: ExtractReport | None
    session: PairReport | None
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class Witness:
    """A payload that two schemas decide differently; `case` is its name, if it is one."""

    payload: Raw
    before: Verdict
    after: Verdict
    case: str | None


@dataclass(frozen=True, slots=True)
class DiffReport:
    """How two schemas compare. `relation` of the second: same, narrower, wider, both, or not-proven."""

    status: Status
    relation: str
    witnesses: tuple[Witness, ...]
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One thing that an export or an import says in another way, at a pointer into the schema.

    `severity`: error (no form there), loss (wider), narrow, warn, unverified, rewrite (the same) or info.
    """

    code: str
    severity: str
    pointer: str
    message: str
    source: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A case, or a mutant, that the exported declaration judges in another way."""

    case: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """One export target: what it is, where its rules come from and of what day, what it takes at most."""

    id: str
    title: str
    source: str
    dated: str
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExportReport:
    """A contract as one target takes it.

    `text`, `declaration` and `schema` are None where it would be refused, `schema` also
    where the target wants none. `suggested_name` is set where the name is not taken.
    """

    status: Status
    text: str | None
    declaration: Raw | None
    schema: Raw | None
    suggested_name: str | None
    changes: tuple[SchemaChange, ...]
    flips: tuple[Flip, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class ImportedContract:
    """A contract read from a declaration; `parameters` is None where it takes no args."""

    name: str | None
    description: str | None
    behavior: str | None
    parameters: Raw | None
    result: Raw | None
    changes: tuple[SchemaChange, ...]
    pointer: str
    line: int


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The contracts that a text declares, and what had to be said in another way."""

    status: Status
    contracts: tuple[ImportedContract, ...]
    changes: tuple[SchemaChange, ...]
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class ToolSize:
    """What one tool adds to a request, as its target counts it. `characters` are those of its declaration."""

    name: str
    characters: int
    depth: int
    properties: int
    optional: int
    unions: int
    enum_values: int
    max_items: int


@dataclass(frozen=True, slots=True)
class MeterReport:
    """What all tools of one request come to for one target."""

    status: Status
    tools: tuple[ToolSize, ...]
    total: ToolSize
    findings: tuple[Finding, ...]
    findings_total: int


@dataclass(frozen=True, slots=True)
class Property:
    """One row of the tighten table: a place of the payload, what the contract says, what samples show."""

    pointer: str
    name: str
    depth: int
    types: tuple[str, ...]
    required: bool | None
    """None for the root, which nothing can require."""
    closed: bool | None
    """Whether an object refuses other keys; None where it is no object."""
    enum: tuple[DistinctValue, ...] | None
    """The allowed values with how often each was seen; None without enum."""
    seen: tuple[DistinctValue, ...] | None
    """Distinct values in the samples, where few enough."""
    bounds: dict[str, Raw]
    """minimum, maximum, minLength and the like, as the contract states them."""
    present: int
    of: int
    other_keys: int | None
    """Keys in the samples that the contract does not name; None where it is no object."""
    schema_pointer: str
    schema_line: int | None
    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True)
class ContractView:
    """One contract as the Contract tab shows it."""

    name: str
    description: str | None
    behavior: str | None
    dialect: str | None
    schema: Raw | None
    line: int | None
    sound: bool
    is_object: bool
    """Whether an object states it, with a name and perhaps a behavior; a bare schema has neither."""
    has_result: bool
    properties: tuple[Property, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything a person has on the page; what one form post carries."""

    calls_text: str = ""
    responses_text: str = ""
    contracts_text: str = ""
    contract_name: str = ""
    """The tool whose contract a bare schema in `contracts_text` is, or the chosen one of many."""
    cases_text: str = ""
    samples_text: str = ""
    session_text: str = ""
    options: str = ""
    """JSON: the fields of model.Options, and scheduling, scheduling_at."""
    part: str = "parameters"
    """Which schema of the chosen contract the Contract tab shows: parameters or result."""


@dataclass(frozen=True, slots=True)
class FrameLine:
    """One frame of a session in one line.

    `word` is what the wire calls it, `detail` its ids or what else it holds.
    `mark` is error, warning or empty. `start` and `end` are UTF-16 offsets in
    the pasted text.
    """

    word: str
    detail: str
    direction: str | None
    mark: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SaidLine:
    """What one side (user or model) said in one go, and the frames that carry it."""

    who: str
    text: str
    first: int
    last: int
    cut: bool


@dataclass(frozen=True, slots=True)
class SaidExchange:
    """What belongs together, in order; a number is a tool at work, by its row of the ledger."""

    first: int
    lines: tuple[SaidLine | int, ...]


@dataclass(frozen=True, slots=True)
class SessionReport:
    """A whole session as the Session tab shows it. `pair` is the answer of the API."""

    pair: PairReport
    evidence: tuple[str, ...]
    frames: tuple[FrameLine, ...]
    moments: tuple[tuple[int, str], ...]
    """Frame, and what happens there: `turn end`, `interrupted` or `closed`."""
    seconds: tuple[float, ...] | None
    """When each frame came, from the first one on, where the paste carries times."""
    said: tuple[SaidExchange, ...]
    findings: tuple[Finding, ...]
    """Those of the answer, and of the options."""
    places: dict[Finding, tuple[int, int]]
    """UTF-16 offsets of each finding in the pasted text."""


@dataclass(frozen=True, slots=True)
class Additions:
    """What a person has typed to add: one case (or an object of them), and samples."""

    case_name: str = ""
    case_payload: str = ""
    case_expect: str = "refuse"
    case_because: str = ""
    samples: str = ""
    bound: str = ""
    """A number for the bound that is being set; empty takes the bound away."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a structured edit changed: field name -> new text, and the strip that tells of it.

    `before` holds the old text of each changed field, for Undo.
    `proof` is set when a contract was tightened or loosened.
    """

    command: str
    after: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    message: str = ""
    proof: TightenReport | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class PanelsReport:
    """Everything the page shows, judged once."""

    inputs: Inputs
    extract: ExtractReport
    pair: PairReport
    draft: RespondReport | None
    """The drafted answer, where nothing was pasted as toolResponse."""
    answer: ExtractReport | None
    """What was read of the pasted toolResponse."""
    statuses: dict[str, Status]
    """Status of the panels toolCall, args, toolResponse and of the tabs cases and samples."""
    contracts: tuple[ContractView, ...]
    chosen: str | None
    """Name of the contract that the tabs show."""
    part: str
    """Which of its schemas the table shows: parameters, or result where it has one."""
    evidence: int
    """How many samples the table's evidence comes from."""
    cases: CasesReport | None
    samples: tuple[SampleReport, ...]
    inferred: InferReport | None
    second_opinion: SecondOpinion | None
    edit: Edit | None
    findings: tuple[Finding, ...]
    findings_total: int
