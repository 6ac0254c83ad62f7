"""Setting one keyword of a contract at a time, with the proof of what it does.

A place of the payload is a pointer (`/room`, `/items/*/qty`). Changes are made
in the text of the schema, so key order, lexemes, escapes and layout of
everything else stay. `tighten` only ever narrows; `loosen` takes a keyword back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, Literal

from app import engine, infer, limits, separate
from app.cursor import Cursor, join, split, unescape
from app.explain import Violation
from app.json_text import Kind
from app.model import Finding, Location, Raw, Severity, Verdict, status_of
from app.reports import Change, DistinctValue, Evidence, InferredContract, Property, Suggestion, TightenReport
from app.schema import LATEST, Subschema, draft_of, outline
from app.schema_edit import Setting, edited
from app.schema_map import (
    ANY_TYPE,
    CLOSERS,
    SchemaMap,
    is_false,
    is_map,
    property_names,
    required_names,
    states_values,
    unique,
)
from app.separate import Candidate

BOUNDS: Final = (
    "const",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)
"""Keywords beside `enum` that narrow the value of one place."""

CANDIDATES: Final = 200
"""Most keywords that are tried on all payloads to tell cases apart."""

_WORD: Final = re.compile(r'"[^\W\d]+(?:[_-][^\W\d]+)*"')
"""A name without digits and blanks (`living_room`); ids and sentences are none."""


@dataclass(frozen=True, slots=True)
class Case:
    """A pinned payload and whether it must be accepted; `because` is the keyword that should refuse it."""

    name: str
    payload: Cursor
    accept: bool
    because: str | None = None


# Tightening ------------------------------------------------------------------


def tighten(
    schema: Cursor | None,
    payloads: Sequence[Cursor],
    *,
    required: Literal["observed", "all"] | Sequence[str] | None = None,
    enum: Literal["observed"] | Mapping[str, Sequence[Raw]] | None = None,
    additional_properties: bool | None = None,
    deep: bool = True,
    close: Sequence[str] = (),
    apply: Sequence[str] = (),
    cases: Sequence[Case] = (),
    until_refused: bool = False,
) -> TightenReport:
    """Add keywords to a contract; without one, to what the payloads state.

    `required` names properties of the root, or places by pointer. `close` names
    objects to close one by one; `additional_properties=False` closes the root
    and, when `deep`, every object below it, through items, branches and local
    references. `apply` takes ids of suggestions. `until_refused` then adds the
    fewest keywords by which every case that must be refused is. The tightened
    schema is given in any case; red where a sample or a must-accept case would
    be refused, and where something was asked for that cannot be set.
    """
    if schema is None:
        stating = [*payloads, *(case.payload for case in cases if case.accept and until_refused)]
        schema = _read(infer.infer(stating).schema.text)
        if not stating:
            message = "No sample, so there is nothing to infer from. Add samples."
            nothing = Finding("no-samples", Severity.ERROR, message, Location(input="samples"))
            return _report(schema, [], "yes", (), [nothing])
    prepared = engine.prepare(schema)
    if prepared.problems:
        return _report(schema, [], "not-proven", (), [_problem(each, schema) for each in prepared.problems])
    work = _Work(SchemaMap(prepared.outline, prepared.draft), infer.evidence_of(payloads))
    if required is not None:
        work.require(required)
    if enum is not None:
        work.enumerate(enum)
    if additional_properties is False:
        work.close_all(deep)
    for pointer in close:
        work.close(pointer)
    for identity in apply:
        work.apply(identity)
    smallest = _separate(prepared, work, payloads, cases) if until_refused else None
    return replace(_proven(prepared, work, payloads, cases, until_refused=until_refused), smallest=smallest)


def set_bound(
    schema: Cursor,
    payloads: Sequence[Cursor],
    keyword: str,
    pointer: str,
    value: Raw,
    cases: Sequence[Case] = (),
) -> TightenReport:
    """Set `minimum`, `maximum` or the like of one place to a number; the proof says which way that goes."""
    prepared = engine.prepare(schema)
    if prepared.problems:
        return _report(schema, [], "not-proven", (), [_problem(each, schema) for each in prepared.problems])
    work = _Work(SchemaMap(prepared.outline, prepared.draft), infer.evidence_of(payloads))
    work.bound(pointer, keyword, value.text, "as asked")
    return _proven(prepared, work, payloads, cases)


class _Work:
    """Collects what is to be set; nothing is written yet."""

    def __init__(self, plan: SchemaMap, evidence: Sequence[Evidence]) -> None:
        self.plan = plan
        self.evidence = {seen.pointer: seen for seen in evidence}
        self.suggested = {suggestion.id: suggestion for suggestion in infer.suggestions(evidence)}
        self.suggested_at: dict[str, list[Suggestion]] = {}
        for suggestion in self.suggested.values():
            self.suggested_at.setdefault(suggestion.pointer, []).append(suggestion)
        self._keys: dict[str, list[str]] = {}
        for seen in evidence:
            parent, _, step = seen.pointer.rpartition("/")
            if seen.pointer and step != "*":
                self._keys.setdefault(parent, []).append(unescape(step))
        self.settings: dict[str, Setting] = {}
        self.findings: list[Finding] = []

    def require(self, wanted: Literal["observed", "all"] | Sequence[str]) -> None:
        """Require what every sample has, every named property, or the given ones."""
        if wanted == "observed":
            pointers = [each.pointer for each in self.suggested.values() if each.keyword == "required"]
        elif wanted == "all":
            pointers = [pointer for pointer, _ in self.plan.walk()]
        else:
            for name in wanted:
                self.require_one(name if name.startswith("/") else join(name))
            return
        for pointer in pointers:
            if self._is_named(pointer):
                self.require_one(pointer)

    def require_one(self, pointer: str) -> None:
        """Require one property in the object that holds it."""
        if not self._is_named(pointer):
            self._unknown(pointer)
            return
        parent, _, step = pointer.rpartition("/")
        name = unescape(step)
        seen = self.evidence.get(pointer)
        own_reason = f"{name} in {seen.present} of {seen.of}" if seen is not None else f"{name} as asked"
        for place in self.plan.places(parent):
            if self.plan.is_required(place, name):
                continue
            owners = [part for part in self.plan.conjuncts(place) if self.plan.names(part, name)]
            at = owners[0] if owners else self.plan.target(place)
            stated = at.cursor.get("required")
            before = tuple(item.text for item in stated) if stated is not None else ()
            reason = own_reason
            earlier = self.settings.get(f"{at.pointer}/required")
            if earlier is not None and isinstance(earlier.after, tuple):
                before = earlier.after
                reason = f"{earlier.reason}, {own_reason}"
            lexeme = infer.spell(name)
            if lexeme not in before:
                self._set(parent, at, "required", (*before, lexeme), reason)

    def _is_named(self, pointer: str) -> bool:
        """Whether an object of the contract names this property."""
        parent, _, step = pointer.rpartition("/")
        return bool(pointer) and any(
            self.plan.names(part, unescape(step))
            for place in self.plan.places(parent)
            for part in self.plan.parts(place)
        )

    def enumerate(self, wanted: Literal["observed"] | Mapping[str, Sequence[Raw]]) -> None:
        """Allow only the values seen where they look like a choice, or only the given values."""
        if wanted != "observed":
            for pointer, values in wanted.items():
                self.enumerate_one(pointer, values)
            return
        for pointer, seen in self.evidence.items():
            places = self.plan.places(pointer)
            parts = [part for place in places for part in self.plan.parts(place)]
            if seen.values is None or not places or any(states_values(part) for part in parts):
                continue
            # Samples of another type than the contract allows are refused; that is told once, by the sample.
            as_allowed = all(set(seen.types) <= set(_with_integer(self.plan.types(each))) for each in places)
            if as_allowed and (infer.looks_like_choice(seen) or _looks_like_names(seen)):
                self.enumerate_one(pointer, [value.value for value in seen.values])

    def enumerate_one(self, pointer: str, values: Sequence[Raw]) -> None:
        """Allow only these of the values that a place allows already."""
        places = self.plan.places(pointer)
        if not places:
            self._unknown(pointer)
            return
        if not values:
            self._refuse(
                "tighten-enum-type", f"An enum without a value at {_shown(pointer)} refuses everything."
            )
            return
        given = {_key(_read(value.text)): value.text for value in values}
        seen = self.evidence.get(pointer)
        observed = (
            {_key(_read(value.value.text)) for value in seen.values or ()} if seen is not None else set()
        )
        count = f"{len(given)} value{'' if len(given) == 1 else 's'}"
        reason = (
            f"{count} in {infer.counted(seen)}" if seen and observed == set(given) else f"{count} as asked"
        )
        for place in places:
            allowed = self.plan.types(place)
            wrong = [text for text in given.values() if not _fits(_read(text), allowed)]
            if wrong:
                names = ", ".join(allowed) or "nothing"
                self._refuse(
                    "tighten-enum-type",
                    f"{wrong[0]} can never pass at {_shown(pointer)}: the contract allows {names}. "
                    "Give values of that type.",
                )
                continue
            at = self.plan.target(place)
            stated = at.cursor.get("enum")
            if stated is None or not stated.is_array:
                self._set(pointer, at, "enum", tuple(given.values()), reason)
                continue
            kept = tuple(item.text for item in stated if _key(item) in given)
            if not kept:
                self._refuse(
                    "tighten-enum-type",
                    f"None of these values is among those that {_shown(pointer)} allows. "
                    "Tightening adds no value; edit the enum itself.",
                )
            elif len(kept) < len(stated):
                self._set(pointer, at, "enum", kept, reason)

    def close_all(self, deep: bool) -> None:
        """Close the root and, when `deep`, every object below it."""
        for pointer, places in list(self.plan.walk()) if deep else [("", [self.plan.root])]:
            for place in places:
                if self.is_object(place):
                    self._close(pointer, place)

    def close(self, pointer: str) -> None:
        """Close the object at one place."""
        places = [place for place in self.plan.places(pointer) if "object" in self.plan.types(place)]
        if not places:
            self._unknown(pointer, "No object stands")
        for place in places:
            self._close(pointer, place)

    def apply(self, identity: str) -> None:
        """Apply a suggestion. An enum may be applied before it is suggested, if its values are known."""
        keyword, _, pointer = identity.partition(":")
        seen = self.evidence.get(pointer)
        suggestion = self.suggested.get(identity)
        if keyword == "enum" and seen is not None and seen.values:
            self.enumerate_one(pointer, [value.value for value in seen.values])
        elif suggestion is None:
            self._refuse(
                "tighten-suggestion-unknown",
                f"{identity} is no suggestion that these samples give. Choose one of the suggestions.",
            )
        elif keyword == "required":
            self.require_one(pointer)
        elif keyword == "additionalProperties":
            self.close(pointer)
        else:
            self._bound(suggestion)

    def _bound(self, suggestion: Suggestion) -> None:
        places = self.plan.places(suggestion.pointer)
        if not places:
            self._unknown(suggestion.pointer)
        for place in places:
            at = self.plan.target(place)
            stated = at.cursor.get(suggestion.keyword)
            value = _read(suggestion.value.text).value
            if stated is not None and stated.kind is Kind.NUMBER:
                looser = stated.value < value if suggestion.keyword == "minimum" else stated.value > value
                if not looser:
                    continue
            self._set(suggestion.pointer, at, suggestion.keyword, suggestion.value.text, suggestion.reason)

    def bound(self, pointer: str, keyword: str, value: str | tuple[str, ...], reason: str) -> None:
        """Set one bound, wherever the place is described."""
        places = self.plan.places(pointer)
        if not places:
            self._unknown(pointer)
        for place in places:
            self._set(pointer, self.plan.target(place), keyword, value, reason)

    def separate(self, candidate: Candidate) -> None:
        """Set the one keyword that tells cases apart."""
        keyword, pointer, values, _ = candidate
        match keyword:
            case "required":
                self.require_one(pointer)
            case "additionalProperties":
                self.close(pointer)
            case "enum":
                self.enumerate_one(pointer, values)
            case _:
                lexemes = tuple(value.text for value in values)
                self.bound(
                    pointer, keyword, lexemes[0] if len(lexemes) == 1 else lexemes, "tells the cases apart"
                )

    def copy(self) -> _Work:
        """Return the same work, to try something with."""
        other = copy(self)
        other.settings, other.findings = dict(self.settings), []
        return other

    def _close(self, pointer: str, place: Subschema) -> None:
        if self.plan.is_closed(place):
            return
        seen = self.evidence.get(pointer)
        objects = seen.types.get("object", 0) if seen is not None else 0
        others = self.other_keys(pointer, [place])
        reason = (
            f"{others} other key{'' if others == 1 else 's'} in {objects}" if objects else "closed as asked"
        )
        parts = self.plan.open_parts(place)
        for at, keyword in parts:
            stated = at.cursor.get(keyword)
            if stated is None or stated.kind is Kind.TRUE or stated.is_object:
                self._set(pointer, at, keyword, "false", reason)
        if not parts:
            self._refuse(
                "tighten-not-closed",
                f"The object at {_shown(pointer)} is described in several branches, and its draft has no "
                "unevaluatedProperties. Move the contract to draft 2020-12 to close it.",
                Severity.WARNING,
            )

    def is_object(self, place: Subschema) -> bool:
        """Whether a place is meant to be an object: one of its parts says so or names properties.

        An object whose other keys have a schema is a map; closing all objects leaves it open.
        """
        parts = self.plan.conjuncts(place)
        if any(is_map(part) for part in parts):
            return False
        types = self.plan.types(place)
        return bool(self.plan.owners(place)) or ("object" in types and types != ANY_TYPE)

    def other_keys(self, pointer: str, places: Sequence[Subschema]) -> int:
        """Count the keys that the samples hold in an object and the contract does not name."""
        named = {name for place in places for part in self.plan.parts(place) for name in property_names(part)}
        return sum(key not in named for key in self._keys.get(pointer, ()))

    def _set(
        self, pointer: str, at: Subschema, keyword: str, after: str | tuple[str, ...], reason: str
    ) -> None:
        if at.cursor.kind in (Kind.OBJECT, Kind.TRUE):  # `false` refuses everything already
            self.settings[f"{at.pointer}/{keyword}"] = Setting(pointer, at, keyword, after, reason)

    def _unknown(self, pointer: str, what: str = "No property stands") -> None:
        self._refuse(
            "tighten-property-unknown",
            f"{what} at {_shown(pointer)} in this contract. Name one that it describes.",
        )

    def _refuse(self, code: str, message: str, severity: Severity = Severity.ERROR) -> None:
        self.findings.append(Finding(code, severity, message, self.plan.schema.location))


def _separate(
    before: engine.Prepared, work: _Work, payloads: Sequence[Cursor], cases: Sequence[Case]
) -> bool:
    """Add the fewest keywords that refuse every case that must be; tell whether they are proven to be.

    What a keyword refuses is not guessed: each is written into the contract, and
    all payloads are judged. A case that says why it is refused gets that keyword
    where it helps.
    """
    now = _as_set(before, work)
    accepted = _decoded(now, [*payloads, *(case.payload for case in cases if case.accept)])
    wanted = {case.name: case for case in cases if not case.accept}
    admitted = {name: given for name, case in wanted.items() for given in _decoded(now, [case.payload])}
    effects: dict[Candidate, frozenset[str]] = {}
    found, complete = separate.candidates(
        work.plan, (payload for payload, _ in accepted), (payload for payload, _ in admitted.values())
    )
    for candidate in found[:CANDIDATES]:
        trial = work.copy()
        trial.separate(candidate)
        tried = _as_set(before, trial)
        if trial.findings or trial.settings == work.settings or tried.problems:
            continue
        if all(_verdict(tried, given) is Verdict.ACCEPT for given in accepted):
            refused = (name for name, given in admitted.items() if _verdict(tried, given) is Verdict.REFUSE)
            effects[candidate] = frozenset(refused)
    able: dict[str, set[str]] = {}
    for candidate, names in effects.items():
        for name in names:
            able.setdefault(name, set()).add(candidate.keyword)
    meant = {
        candidate: frozenset(
            name for name in names if _is_meant(candidate.keyword, able[name], wanted[name].because)
        )
        for candidate, names in effects.items()
    }
    reachable = [name for name in admitted if any(name in names for names in meant.values())]
    chosen, proven = separate.fewest(reachable, meant)
    for candidate in chosen:
        work.separate(candidate)
    return proven and complete and len(found) <= CANDIDATES


def _is_meant(keyword: str, able: Collection[str], because: str | None) -> bool:
    """Whether, of the keywords that can refuse a case, this may be the one: the one it names goes first."""
    if because in able:
        return keyword == because
    return keyword != separate.LAST_RESORT or set(able) == {keyword}


def _as_set(before: engine.Prepared, work: _Work) -> engine.Prepared:
    settings = list(work.settings.values())
    return engine.prepare(_read(edited(before.source, settings), before.source)) if settings else before


_Decoded = tuple[Cursor, Any]


def _decoded(prepared: engine.Prepared, payloads: Iterable[Cursor]) -> list[_Decoded]:
    """Return those payloads that are accepted, each with its value as the engine sees it."""
    out: list[_Decoded] = []
    for payload in payloads:
        value, obstacle = engine.decode(payload, prepared.source)
        if obstacle is None and _verdict(prepared, (payload, value)) is Verdict.ACCEPT:
            out.append((payload, value))
    return out


def _verdict(prepared: engine.Prepared, given: _Decoded) -> Verdict:
    payload, value = given
    return engine.verdict_of(prepared, value, payload)


def _proven(
    before: engine.Prepared,
    work: _Work,
    payloads: Sequence[Cursor],
    cases: Sequence[Case],
    *,
    until_refused: bool = False,
) -> TightenReport:
    """Write the settings, and say what they do: to the schema, to each sample and to each case."""
    settings = list(work.settings.values())
    schema = before.source
    if settings:
        schema = _read(edited(schema, settings), before.source)
    after = engine.prepare(schema) if settings else before
    findings = list(work.findings) + [_problem(problem, schema) for problem in after.problems]
    if after.problems:
        return _report(schema, _changes(settings, schema, {}), "not-proven", (), findings)
    rejected: list[int] = []
    for index, payload in enumerate(payloads):
        judged = engine.judge(after, payload)
        if judged.verdict is Verdict.REFUSE:
            rejected.append(index)
        if judged.verdict is not Verdict.ACCEPT:
            already = engine.judge(before, payload).verdict is not Verdict.ACCEPT
            findings.append(_refused(f"Sample {index + 1}", "sample", payload, judged, already))
    refuses: dict[str, list[str]] = {}
    for case in cases:
        judged = engine.judge(after, case.payload)
        if judged.verdict is Verdict.ACCEPT:
            if until_refused and not case.accept:
                findings.append(_inseparable(case, payloads, cases))
            continue
        already = engine.judge(before, case.payload).verdict is not Verdict.ACCEPT
        if case.accept or (until_refused and judged.verdict is not Verdict.REFUSE):
            findings.append(_refused(f"The case {case.name}", "case", case.payload, judged, already))
        if not already:
            for place in dict.fromkeys(_schema_pointers(judged.violations)):
                refuses.setdefault(place, []).append(case.name)
    narrower = engine.covers(before.source.text, schema.text) if settings else "yes"
    return _report(schema, _changes(settings, schema, refuses), narrower, tuple(rejected), findings)


def _changes(
    settings: Sequence[Setting], after: Cursor, refuses: Mapping[str, Sequence[str]]
) -> list[Change]:
    changes: list[Change] = []
    for setting in settings:
        pointer = f"{setting.at.pointer}/{setting.keyword}"
        old, new = setting.at.cursor.get(setting.keyword), after.at(pointer)
        changes.append(
            Change(
                pointer=setting.pointer,
                schema_pointer=pointer,
                keyword=setting.keyword,
                before=None if old is None else old.raw,
                after=None if new is None else new.raw,
                reason=setting.reason,
                refuses=tuple(refuses.get(pointer, ())),
            )
        )
    return changes


def _schema_pointers(violations: Iterable[Violation]) -> Iterator[str]:
    for violation in violations:
        if violation.schema_pointer is not None:
            yield violation.schema_pointer
        yield from _schema_pointers(violation.causes)


def _refused(who: str, what: str, payload: Cursor, judged: engine.Judgement, already: bool) -> Finding:
    first = judged.violations[0]
    at = payload.at(first.instance_pointer) or payload
    if judged.verdict is not Verdict.REFUSE:
        return Finding("not-judged", Severity.ERROR, f"{who} was not judged. {first.message}", at.location)
    lead = "is refused without this too" if already else "is refused by this"
    code = "tighten-sample-refused" if what == "sample" else "tighten-case-refused"
    return Finding(
        code,
        Severity.ERROR,
        f"{who} {lead}: {first.message.removesuffix(' Add it.').removesuffix(' Remove it.')} "
        f"Remove the {what}, or take the keyword back.",
        at.location,
        key=first.key,
        keyword=first.keyword,
        schema_pointer=first.schema_pointer,
    )


def _inseparable(case: Case, payloads: Sequence[Cursor], cases: Sequence[Case]) -> Finding:
    key = _key(case.payload)
    twin = next(
        (f"the case {each.name}" for each in cases if each.accept and _key(each.payload) == key), None
    )
    if twin is None and any(_key(payload) == key for payload in payloads):
        twin = "a sample"
    message = (
        f"{case.name} is the same payload as {twin}, which must be accepted. Remove one of them."
        if twin is not None
        else f"No keyword that can be set here refuses {case.name} and still accepts all that must be. "
        "Describe the property where it differs, or give it a pattern by hand."
    )
    return Finding("tighten-case-inseparable", Severity.ERROR, message, case.payload.location)


def _problem(problem: engine.Problem, schema: Cursor) -> Finding:
    at = schema.at(problem.schema_pointer) or schema
    return Finding(
        problem.code,
        Severity.ERROR,
        problem.message,
        at.location,
        keyword=problem.keyword,
        schema_pointer=problem.schema_pointer,
        schema_line=at.line,
    )


def _report(
    schema: Cursor,
    changes: Sequence[Change],
    narrower: str,
    rejected: tuple[int, ...],
    findings: Sequence[Finding],
) -> TightenReport:
    return TightenReport(
        status=status_of(list(findings)),
        schema=schema.raw,
        changes=tuple(changes),
        narrower=narrower,
        rejected_samples=rejected,
        findings=tuple(findings[: limits.FINDINGS]),
        findings_total=len(findings),
    )


# Taking back -----------------------------------------------------------------


def loosen(schema: Cursor, keyword: str, pointer: str, cases: Sequence[Case] = ()) -> TightenReport:
    """Take one keyword back: `required` of a property, `enum`, `additionalProperties` or a bound.

    `narrower` then says "no" if the schema admits more, and "yes" if another
    keyword states the same still. `admits` names the must-refuse cases that get
    in now; one of them is proof enough.
    """
    before = engine.prepare(schema)
    if before.problems:
        return _report(schema, [], "not-proven", (), [_problem(each, schema) for each in before.problems])
    plan = SchemaMap(before.outline, before.draft)
    settings = list(_taken_back(plan, keyword, pointer))
    if not settings:
        message = f"{keyword} does not stand at {_shown(pointer)}, so there is nothing to take back."
        finding = Finding("tighten-keyword-absent", Severity.ERROR, message, schema.location, keyword=keyword)
        return _report(schema, [], "yes", (), [finding])
    text = _read(edited(schema, settings), schema)
    after = engine.prepare(text)
    findings = [_problem(problem, text) for problem in after.problems]
    if after.problems:
        return _report(text, _changes(settings, text, {}), "not-proven", (), findings)
    admits = tuple(
        case.name
        for case in cases
        if not case.accept
        and engine.judge(before, case.payload).verdict is Verdict.REFUSE
        and engine.judge(after, case.payload).verdict is Verdict.ACCEPT
    )
    narrower = "no" if admits else engine.covers(schema.text, text.text)
    return replace(_report(text, _changes(settings, text, {}), narrower, (), findings), admits=admits)


def _taken_back(plan: SchemaMap, keyword: str, pointer: str) -> Iterator[Setting]:
    name = ""
    if keyword == "required":
        pointer, _, step = pointer.rpartition("/")
        name = unescape(step)
    parts = unique(part for place in plan.places(pointer) for part in plan.parts(place))
    for part in parts:
        if keyword == "required" and name in required_names(part):
            items = part.cursor.get("required") or ()
            rest = tuple(item.text for item in items if item.string != name)
            yield Setting(pointer, part, keyword, rest or None, f"{name} taken back")
        elif keyword == "additionalProperties":
            for closer in CLOSERS:
                if is_false(part, closer):
                    yield Setting(pointer, part, closer, None, "taken back")
        elif keyword != "required" and part.cursor.get(keyword) is not None:
            yield Setting(pointer, part, keyword, None, "taken back")


# The table of a contract ---------------------------------------------------------


def properties(schema: Cursor, inferred: InferredContract | None = None) -> tuple[Property, ...]:
    """Return a row for each place of the payload: the object, its properties, their items, parents first.

    `other_keys` counts the keys in the samples that the contract does not name.
    """
    draft = draft_of(schema) or LATEST
    plan = SchemaMap(outline(schema, draft), draft)
    seen = inferred.evidence if inferred is not None else ()
    work = _Work(plan, seen)
    return tuple(_row(work, pointer, places) for pointer, places in plan.walk())


def _row(work: _Work, pointer: str, places: Sequence[Subschema]) -> Property:
    plan, place = work.plan, places[0]
    parts = unique(part for each in places for part in plan.parts(each))
    seen = work.evidence.get(pointer)
    types = plan.types(place)
    is_object = work.is_object(place)
    required = _is_required_at(plan, pointer)
    closed = plan.is_closed(place) if is_object else None
    bounds = {
        keyword: stated.raw
        for part in reversed(parts)
        for keyword in BOUNDS
        if (stated := part.cursor.get(keyword)) is not None and stated.raw is not None
    }
    enum = next((stated for part in parts if (stated := part.cursor.get("enum")) is not None), None)
    in_force = {
        "required": required,
        "enum": enum is not None or "const" in bounds,
        "additionalProperties": closed,
        "minimum": "minimum" in bounds or "exclusiveMinimum" in bounds,
        "maximum": "maximum" in bounds or "exclusiveMaximum" in bounds,
    }
    tokens = split(pointer)
    return Property(
        pointer=pointer,
        name=tokens[-1] if tokens else "the object",
        depth=len(tokens),
        types=() if types == ANY_TYPE else types,
        required=required,
        closed=closed,
        enum=None if enum is None else _counted(enum, seen),
        seen=None if seen is None else seen.values,
        bounds=bounds,
        present=seen.present if seen is not None else 0,
        of=seen.of if seen is not None else 0,
        other_keys=work.other_keys(pointer, places) if is_object else None,
        schema_pointer=place.pointer,
        schema_line=place.cursor.key_location.line,
        suggestions=tuple(each for each in work.suggested_at.get(pointer, ()) if not in_force[each.keyword]),
    )


def _is_required_at(plan: SchemaMap, pointer: str) -> bool | None:
    parent, _, step = pointer.rpartition("/")
    if not pointer or step == "*":
        return None
    name = unescape(step)
    return all(plan.is_required(place, name) for place in plan.places(parent))


def _counted(enum: Cursor, seen: Evidence | None) -> tuple[DistinctValue, ...]:
    values = seen.values if seen is not None and seen.values is not None else ()
    counts = {_key(_read(value.value.text)): value.count for value in values}
    return tuple(DistinctValue(item.raw, counts.get(_key(item), 0)) for item in enum if item.raw is not None)


# Small things ----------------------------------------------------------------


def _read(text: str, like: Cursor | None = None) -> Cursor:
    return Cursor.of(text, input=like.input if like is not None else "schema")


def _key(value: Cursor) -> Hashable:
    """Return something that is equal for values that JSON Schema calls equal: 1 and 1.0, not 1 and true."""
    return _comparable(value.value)


def _comparable(value: Any) -> Hashable:
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, dict):
        return "object", frozenset((key, _comparable(item)) for key, item in value.items())
    if isinstance(value, list):
        return "array", tuple(_comparable(item) for item in value)
    return value  # type: ignore[no-any-return]  # a number, a string or None


def _fits(value: Cursor, allowed: Sequence[str]) -> bool:
    """Whether a value has one of the types; a number without a fraction is an integer, however written."""
    plain = value.value
    if value.kind is Kind.NUMBER:
        whole = plain == plain.to_integral_value() if isinstance(plain, Decimal) else plain == plain // 1
        return "number" in allowed or ("integer" in allowed and whole)
    names = {
        Kind.OBJECT: "object",
        Kind.ARRAY: "array",
        Kind.STRING: "string",
        Kind.TRUE: "boolean",
        Kind.FALSE: "boolean",
        Kind.NULL: "null",
    }
    return names.get(value.kind) in allowed


def _with_integer(allowed: Sequence[str]) -> Sequence[str]:
    return (*allowed, "integer") if "number" in allowed else allowed


def _looks_like_names(seen: Evidence) -> bool:
    """Whether all values are single words without digits: they may be a list although few were seen."""
    texts = [value.value.text for value in seen.values or ()]
    return set(seen.types) <= {"string"} and bool(texts) and all(_WORD.fullmatch(text) for text in texts)


def _shown(pointer: str) -> str:
    return pointer or "the root"
