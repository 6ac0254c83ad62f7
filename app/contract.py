"""Contracts: the schemas that a tool's args and result must meet, and their cases.

`read` takes whatever states them (a list of contracts, a map of schemas, one
schema with a name, declarations of a dialect). `check` judges one call.
What a provider's schema says is folded into draft 2020-12 for judging; places
are always those of the text that was pasted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from app import dialects, engine, paste
from app.cursor import Cursor, join, split
from app.dialects.gemini_schema import camel, fold, is_gemini, members, spelled_twice
from app.events import ToolCall, ToolDefinition
from app.explain import Violation
from app.json_text import JsonError, write
from app.model import Finding, Location, Options, Severity, Verdict

_ADVICE = re.compile(r" (?:Add it|Remove it|Remove the quotes|Rename it or remove it)\.$")
_WHOLE_FLOAT = re.compile(r"-?[0-9]+\.0+(?![0-9eE])")
REMEMBERED = 65_536
"""Characters of the largest text whose contracts are remembered."""
NO_ARGS = '{"type": "object", "additionalProperties": false}'
PREFIXES = ("default_api.", "default_api:")
FOLD_SOURCE = "https://ai.google.dev/api/caching#Schema"
OBJECT_SOURCE = "https://json-schema.org/draft/2020-12/json-schema-core#section-10.3.2.3"
INTEGER_SOURCE = "https://json-schema.org/draft/2020-12/json-schema-core#section-4.2.3"
SCHEMA_WORDS = frozenset(
    {"$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "items", "contains"}
    | {"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"}
    | {"not", "if", "then", "else", "additionalItems"}
)
"""Keywords whose value may be a schema or a map of schemas, as in a map of contracts by tool name."""


@dataclass(frozen=True, slots=True)
class Schema:
    """One schema: as pasted (`source`), and compiled for judging (maybe folded)."""

    source: Cursor
    prepared: engine.Prepared

    def place(self, pointer: str | None) -> int | None:
        """Return the line of a keyword in the pasted text, or of the nearest thing above it."""
        if pointer is None:
            return None
        at = self.source
        for token in split(pointer):
            child = at.at(join(token)) if not at.is_object else members(at).get(camel(token)) or at.get(token)
            if child is None:
                break
            at = child
        if at is self.source:
            return at.location.line
        return at.key_location.line


@dataclass(frozen=True, slots=True)
class Contract:
    """What one tool's args and result must meet. Without `parameters` it takes no args."""

    name: str
    description: str | None
    behavior: str | None
    dialect: str | None
    at: Cursor
    parameters: Schema | None
    result: Schema | None
    cases: Cursor | None
    findings: tuple[Finding, ...]
    definition: ToolDefinition | None = None
    """The declaration it was read from, if it was one."""

    @property
    def sound(self) -> bool:
        """Whether the schemas themselves are good, so that it can judge."""
        return not any(finding.is_error for finding in self.findings)

    def schema(self, part: str) -> Schema | None:
        """Return the schema of `parameters` or `result`."""
        return self.parameters if part == "parameters" else self.result


@dataclass(frozen=True, slots=True)
class Contracts:
    """All contracts of a judgement. `known`: some were given, so a name that is not among them is refused."""

    known: bool
    items: tuple[Contract, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether the text that states them could be read."""
        return not any(finding.is_error for finding in self.findings)

    def get(self, name: str | None) -> Contract | None:
        """Return the contract of a tool by its exact name; nothing is matched fuzzily."""
        return next((item for item in self.items if item.name == name), None)

    @property
    def names(self) -> list[str]:
        """The tools that have a contract."""
        return [item.name for item in self.items]

    def all_findings(self) -> list[Finding]:
        """Return what is wrong with the text and with each contract."""
        return [*self.findings, *(finding for item in self.items for finding in item.findings)]


NONE = Contracts(known=False)


def read(
    text: str | None, options: Options, *, name: str | None = None, input: str = "contracts"
) -> Contracts:
    """Read contracts from text. `name` is the tool of a bare schema.

    Nothing or white space means that no contracts are known. Those of the last
    few texts are remembered: while a frame is typed, its contracts stay.
    """
    if text is None:
        return NONE
    if len(text) > REMEMBERED:
        return _read(text, options, name, input)
    return _remembered(text, options, name, input)


def _read(text: str, options: Options, name: str | None, input: str) -> Contracts:
    document = paste.read(text, input=input, tolerant=False)
    if document.blank:
        return NONE
    findings = [finding for finding in document.findings if finding.is_error]
    items: list[Contract] = []
    for root in document.roots:
        findings.extend(finding for finding in root.findings if finding.is_error)
        if root.cursor is None:
            continue
        found, problems = _contracts(root.cursor, options, name)
        items.extend(found)
        findings.extend(problems)
    return Contracts(known=True, items=tuple(_distinct(items)), findings=tuple(findings))


_remembered = lru_cache(maxsize=4)(_read)


def declared(definitions: Iterable[ToolDefinition], options: Options) -> Contracts:
    """Return the contracts that a session's own declarations state."""
    items = [_from_definition(each, options) for each in definitions]
    return Contracts(known=True, items=tuple(_distinct(items)))


def _distinct(items: list[Contract]) -> list[Contract]:
    """Mark contracts that share a name: none of them may judge, for nobody knows which is meant."""
    counts = Counter(item.name for item in items)
    return [
        item
        if counts[item.name] == 1
        else replace(
            item,
            findings=(
                *item.findings,
                _invalid(item.at, f"{item.name} has two contracts. Keep one.", "declaration-dup-name"),
            ),
        )
        for item in items
    ]


def _contracts(root: Cursor, options: Options, name: str | None) -> tuple[list[Contract], list[Finding]]:
    known = dialects.recognise(root) if root.is_object and not _states_schemas(root) else None
    if known is not None and known[0].declarations is not None:
        definitions = known[0].declarations(root)
        if definitions:
            return [_from_definition(each, options) for each in definitions], []
        return [], [
            _invalid(root, "This declares no tool. Paste functionDeclarations, a contract or a schema.")
        ]
    if root.is_array:
        out: list[Contract] = []
        problems: list[Finding] = []
        for item in root:
            found, wrong = (
                _contracts(item, options, None) if item.is_object else ([], [_not_a_contract(item)])
            )
            out.extend(found)
            problems.extend(wrong)
        return out, problems
    if root.is_object and _is_contract(root):
        return [_from_object(root, options)], []
    bare = _is_bare_schema(root)
    if name and bare:
        return [_from_schemas(name, root, root, options)], []
    if bare:
        return [], [
            _invalid(root, 'One bare schema says no tool name. Name the tool, or write {"set_light": {...}}.')
        ]
    return [_from_schemas(member.key or "", member, member, options) for member in root], [
        _not_a_contract(member) for member in root if not _may_be_schema(member)
    ]


def _may_be_schema(at: Cursor) -> bool:
    return at.is_object or at.text in ("true", "false")


def _is_contract(at: Cursor) -> bool:
    name = at.get("name")
    return name is not None and name.is_string and not (at.get("type") or at.get("properties"))


def _states_schemas(at: Cursor) -> bool:
    """Whether an object is one contract with its schema, which some dialects' declarations look like."""
    return _is_contract(at) and any(at.get(key) for key in ("parameters", "parametersJsonSchema", "result"))


def _is_bare_schema(at: Cursor) -> bool:
    """Tell one schema from a map of schemas by tool name: most keywords hold no schema."""
    if not at.is_object or not at.keys or not all(_may_be_schema(member) for member in at):
        return True
    return all(key in SCHEMA_WORDS for key in at.keys)


def _not_a_contract(at: Cursor) -> Finding:
    return _invalid(at, "This is no contract. A contract is an object with a name and parameters.")


def _invalid(at: Cursor, message: str, code: str = "contract-invalid", key: str | None = None) -> Finding:
    return Finding(code, Severity.ERROR, message, at.location, key=key)


def _from_object(at: Cursor, options: Options) -> Contract:
    parameters = at.get("parameters") or at.get("parametersJsonSchema")
    if at.get("parametersJsonSchema") is not None or (parameters is not None and is_gemini(parameters)):
        definition = dialects.gemini_schema.definition(at, "gemini-declaration")
        return replace(_from_definition(definition, options), cases=at.get("cases"))
    return _build(
        name=_text(at, "name") or "",
        description=_text(at, "description"),
        behavior=_text(at, "behavior"),
        dialect=None,
        at=at,
        parameters=parameters,
        result=at.get("result"),
        gemini=False,
        options=options,
        cases=at.get("cases"),
    )


def _from_schemas(name: str, at: Cursor, schema: Cursor, options: Options) -> Contract:
    gemini = schema.is_object and is_gemini(schema)
    return _build(
        name=name,
        description=None,
        behavior=None,
        dialect="gemini-declaration" if gemini else None,
        at=at,
        parameters=schema,
        result=None,
        gemini=gemini,
        options=options,
    )


def _from_definition(each: ToolDefinition, options: Options) -> Contract:
    return _build(
        name=each.name,
        description=each.description,
        behavior=each.behavior,
        dialect=each.dialect,
        at=each.at,
        parameters=each.parameters,
        result=each.result,
        gemini=each.gemini,
        options=options,
        definition=each,
    )


def _text(at: Cursor, key: str) -> str | None:
    member = at.get(key)
    return member.string if member is not None else None


def _build(
    *,
    name: str,
    description: str | None,
    behavior: str | None,
    dialect: str | None,
    at: Cursor,
    parameters: Cursor | None,
    result: Cursor | None,
    gemini: bool,
    options: Options,
    cases: Cursor | None = None,
    definition: ToolDefinition | None = None,
) -> Contract:
    findings: list[Finding] = []
    if definition is not None:
        findings.extend(
            _invalid(
                twin,
                f"{twin.key} stands here in two spellings, and is one field. Keep one.",
                "casing-both",
                key=twin.key,
            )
            for twin in spelled_twice(at)
        )
    if not name:
        findings.append(_invalid(at, "A contract needs the name of its tool.", key="name"))
    args = _schema(parameters, gemini, options, findings) if parameters is not None else None
    outcome = (
        _schema(result, gemini and result is not None and is_gemini(result), options, findings)
        if result is not None
        else None
    )
    return Contract(
        name, description, behavior, dialect, at, args, outcome, cases, tuple(findings), definition
    )


def _schema(source: Cursor, gemini: bool, options: Options, findings: list[Finding]) -> Schema:
    judged = source
    if gemini and source.is_object:
        close = options.fold == "closed"
        try:
            judged = Cursor.of(write(fold(source, close=close)), input=source.input)
        except JsonError as error:  # folding adds a level where a value may be null
            findings.append(_invalid(source, error.message, error.code))
        if is_gemini(source):
            findings.append(
                Finding(
                    "contract-types-folded",
                    Severity.INFO,
                    "Upper-case types are read as the JSON Schema types of the same name.",
                    source.location,
                    source=FOLD_SOURCE,
                )
            )
        if close and judged.text != write(fold(source, close=False)):
            findings.append(
                Finding(
                    "contract-closed",
                    Severity.INFO,
                    "This declaration cannot forbid other keys, so its objects are closed for judging.",
                    source.location,
                    source=FOLD_SOURCE,
                )
            )
    prepared = engine.prepare(judged, assert_formats=options.assert_formats)
    schema = Schema(source, prepared)
    for problem in prepared.problems:
        place = nearest(source, problem.schema_pointer)
        findings.append(
            Finding(
                problem.code,
                Severity.ERROR,
                problem.message,
                place,
                keyword=problem.keyword,
                schema_pointer=problem.schema_pointer,
                schema_line=place.line,
            )
        )
    if not gemini and source.is_object and _is_open(source):
        findings.append(
            Finding(
                "open-object",
                Severity.INFO,
                "This object is open: other keys pass. Set additionalProperties to false to refuse them.",
                source.location,
                keyword="additionalProperties",
                source=OBJECT_SOURCE,
            )
        )
    return schema


def _is_open(schema: Cursor) -> bool:
    kind = schema.get("type")
    if kind is None or kind.string != "object":
        return False
    return not any(schema.get(key) for key in ("additionalProperties", "unevaluatedProperties"))


def nearest(source: Cursor, pointer: str | None) -> Location:
    """Return where a pointer leads in a schema, or the nearest thing above it."""
    at = source
    for token in split(pointer or ""):
        child = at.at(join(token))
        if child is None:
            break
        at = child
    return at.location


# Judging ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checked:
    """What a contract says of one payload."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()


def check_call(call: ToolCall, own: Iterable[Finding], contracts: Contracts) -> Checked:
    """Judge one call. `own` are the findings that the call has without any contract.

    A call with an error of its own is refused with or without contracts.
    """
    broken = any(finding.is_error for finding in own) or not call.args.usable
    if not contracts.known:
        return Checked(Verdict.REFUSE if broken else Verdict.UNCHECKED)
    if not contracts.readable:
        return Checked(Verdict.REFUSE if broken else Verdict.CONTRACT_ERROR)
    found = contracts.get(call.name)
    if found is None:
        return Checked(Verdict.REFUSE, tuple(_unknown_name(call, contracts)) if call.name is not None else ())
    if broken:
        judged = check_args(call, found) if call.args.object is not None else Checked(Verdict.REFUSE)
        return Checked(Verdict.REFUSE, judged.findings)
    return check_args(call, found)


def check_args(call: ToolCall, contract: Contract) -> Checked:
    """Judge the args of a call by the parameters of its contract."""
    if not contract.sound:
        return Checked(Verdict.CONTRACT_ERROR)
    if call.args.plain and contract.parameters is not None:
        return Checked(Verdict.REFUSE, (_plain(call),))
    payload = call.args.object or Cursor.of("{}", input=call.at.input, frame=call.frame)
    if contract.parameters is None:
        schema = Schema(contract.at, engine.prepare(Cursor.of(NO_ARGS)))
    else:
        schema = contract.parameters
    checked = _for_an_answer(check_payload(payload, schema, "args-schema", call.id))
    if _WHOLE_FLOAT.search(payload.text):
        floats = _whole_floats(payload, schema.prepared.source, call.id)
        checked = Checked(checked.verdict, (*checked.findings, *floats))
    if call.args.object is None:
        # Absent args have no place of their own; the call is the nearest thing to point at.
        moved = tuple(replace(finding, at=call.at.location) for finding in checked.findings)
        return Checked(checked.verdict, moved)
    return checked


def _whole_floats(payload: Cursor, schema: Cursor, call_id: str | int | None) -> Iterator[Finding]:
    """Say where a whole number came with a fraction, as protobuf writes its doubles, for an integer."""
    stack = [(payload, schema)]
    while stack:
        at, stated = stack.pop()
        kind, items, properties = stated.get("type"), stated.get("items"), stated.get("properties")
        if at.is_array and items is not None:
            stack.extend((item, items) for item in at)
        elif at.is_object and properties is not None:
            known = {member.key: member for member in properties}
            stack.extend((member, known[member.key]) for member in at if member.key in known)
        elif kind is not None and kind.string == "integer" and _WHOLE_FLOAT.fullmatch(at.text):
            yield Finding(
                "args-int-float",
                Severity.INFO,
                f"{at.text[:40]} stands for an integer, and is one. Protobuf writes whole numbers so.",
                at.location,
                call_id=call_id,
                source=INTEGER_SOURCE,
            )


def _plain(call: ToolCall) -> Finding:
    at = call.args.at or call.at
    return Finding(
        "args-wrong-encoding",
        Severity.ERROR,
        "The input is plain text, and the contract wants an object. Answer with an error.",
        at.location,
        call_id=call.id,
    )


def _for_an_answer(checked: Checked) -> Checked:
    """Say what to do with a call: nobody mends what a model asked for, it is answered with an error."""
    advised = tuple(
        replace(finding, message=f"{_ADVICE.sub('', finding.message)} Answer with an error.")
        if finding.code == "args-schema"
        else finding
        for finding in checked.findings
    )
    return Checked(checked.verdict, advised)


def check_payload(
    payload: Cursor, schema: Schema, code: str = "args-schema", call_id: str | int | None = None
) -> Checked:
    """Judge one payload as it is: a string is a string and is never parsed."""
    judgement = engine.judge(schema.prepared, payload)
    findings: list[Finding] = []
    for violation in judgement.violations:
        if judgement.verdict is Verdict.NOT_JUDGED:
            code = "not-judged"
        findings.append(_violation(violation, payload, schema, code, call_id))
        findings.extend(_encoded_leaf(violation, payload, call_id))
    findings.sort(key=lambda finding: (finding.at.line or 0, finding.at.column or 0))
    return Checked(judgement.verdict, tuple(findings))


def _violation(
    violation: Violation, payload: Cursor, schema: Schema, code: str, call_id: str | int | None
) -> Finding:
    at = payload.at(violation.instance_pointer) or payload
    place = at.location
    if violation.key is not None and (member := at.get(violation.key)) is not None:
        # The object is what is wrong, its key is what a person wants to see.
        place = replace(member.key_location, pointer=at.pointer, inner=at.inner)
    return Finding(
        code,
        Severity.ERROR,
        violation.message,
        place,
        key=violation.key,
        keyword=violation.keyword,
        schema_pointer=violation.schema_pointer,
        schema_line=schema.place(violation.schema_pointer),
        causes=tuple(_violation(cause, payload, schema, code, call_id) for cause in violation.causes),
        call_id=call_id,
    )


def _encoded_leaf(violation: Violation, payload: Cursor, call_id: str | int | None) -> Iterator[Finding]:
    at = payload.at(violation.instance_pointer)
    text = at.string if at is not None and at is not payload and violation.keyword == "type" else None
    if (
        at is None
        or text is None
        or not violation.instance_pointer
        or not text.lstrip().startswith(("{", "["))
    ):
        return
    if any(root.cursor is not None for root in paste.read_payload(text).roots):
        yield Finding(
            "args-encoded-leaf",
            Severity.INFO,
            "This text is JSON itself. Send the value, not its text.",
            at.location,
            call_id=call_id,
        )


def _unknown_name(call: ToolCall, contracts: Contracts) -> Iterator[Finding]:
    at = call.name_at or call.at
    known = ", ".join(contracts.names[:5]) or "none"
    yield Finding(
        "call-name-unknown",
        Severity.ERROR,
        f"{_shown(call.name)} is not declared. Known: {known}. Answer with an error; do not guess.",
        at.location,
        call_id=call.id,
        source="https://ai.google.dev/gemini-api/docs/live-tools",
    )
    for prefix in PREFIXES:
        bare = (call.name or "").removeprefix(prefix)
        if bare != call.name and contracts.get(bare) is not None:
            yield Finding(
                "call-name-prefixed",
                Severity.INFO,
                f"{prefix} is the model's own namespace. The declared name is {bare}.",
                at.location,
                call_id=call.id,
            )


def _shown(name: str | None) -> str:
    text = name or ""
    return text if len(text) <= 60 else text[:59] + "…"
