"""Judging a payload against a JSON Schema: what is wrong, where, and what to do.

jsonschema-rs decides; jsonschema gives a second opinion on one small payload.
Neither ever retrieves anything: a reference out of the schema is a problem of
the schema. Whatever an engine cannot decide within its limits is not judged,
never accepted.

Some values never reach an engine as they are: half surrogate pairs would raise
and are mapped to private-use characters and back; numbers too long or too large
and bare NaN are not judged.

Source: https://json-schema.org/draft/2020-12/json-schema-validation
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from json import dumps
from typing import Any, Final, Literal, NamedTuple

import jsonschema_rs

from app import limits, patterns, second
from app.cursor import Cursor, escape, join, split, unescape
from app.explain import Explainer, Places, Position, Violation, quote
from app.json_text import JsonText, Kind
from app.model import Verdict
from app.reports import SecondOpinion
from app.schema import LATEST, ROOT_URI, InPlace, Outline, draft_of, in_place, outline, targets

WAYS: Final = 20_000
"""Most ways through a schema at one value that are listed: an allOf that doubles 20 times has a million."""

STEPS: Final = 4_000
"""Most schemas on one way through contract and payload that are listed; the engine recurses and
overflows its stack somewhere above 10,000. Its plain verdict does not."""

GROUPED_NODES: Final = 100_000
"""Largest payload whose causes are grouped by branch; that costs some 3 KB of memory a value."""

SECOND_PAYLOAD_NODES: Final = 2_000
SECOND_SCHEMA_NODES: Final = 500
"""Largest payload and schema of the second opinion, which is some hundred times slower."""

SHOWN_PROBLEMS: Final = 20
"""Most problems told of one schema."""

_ENGINES: Final = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    2019: jsonschema_rs.Draft201909Validator,
    LATEST: jsonschema_rs.Draft202012Validator,
}
_METASCHEMAS: Final = {
    4: "http://json-schema.org/draft-04/",
    6: "http://json-schema.org/draft-06/",
    7: "http://json-schema.org/draft-07/",
    2019: "https://json-schema.org/draft/2019-09/",
    LATEST: "https://json-schema.org/draft/2020-12/",
}
"""Where the metaschema that the engine carries for each draft lies, with its parts."""

_GEMINI_TYPES: Final = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})

_TYPES: Final = "object, array, string, number, integer, boolean or null"

_OF_PATTERNS: Final = ("pattern", "patternProperties")

_HEAVY: Final = re.compile(rf"(?<![0-9])[0-9]{{{limits.INTEGER_DIGITS + 1}}}|[0-9][eE][+-]?0*+[0-9]{{6}}")
"""Finds every number that may be too heavy; a string that looks like one is sorted out later."""

_PRIVATE: Final = range(0x10F800, 0x110000)
_IS_PRIVATE: Final = re.compile("[\U0010f800-\U0010ffff]|\\\\u[dD][bB][fF][eEfF]\\\\u[dD][c-fC-F]")
_TO_PRIVATE: Final = dict(zip(range(0xD800, 0xE000), _PRIVATE, strict=True))
_FROM_PRIVATE: Final = dict(zip(_PRIVATE, range(0xD800, 0xE000), strict=True))
"""The last private-use characters stand in for half surrogate pairs, one for one."""


# What comes in and goes out -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a schema. `code`: contract-invalid, ref-external or not-judged."""

    code: str
    message: str
    schema_pointer: str
    keyword: str | None = None


class Judgement(NamedTuple):
    """A verdict and its reasons: at most limits.FINDINGS + 1 of the `total` violations.

    Not judged has one violation that says why; a contract error has none, the
    problems stand in `Prepared`.
    """

    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True, eq=False)  # as a key it stands for itself
class Prepared:
    """A schema ready to judge with, or the problems that forbid it (then `validator` is None).

    `value` is the schema as the engine sees it, `work` what it may cost at one
    value, `grouped` whether a refusal has branches to be told apart,
    `mapped` whether half surrogate pairs stand in it. `gauge` watches the
    patterns that may run out of steps; None where every pattern is linear.
    """

    source: Cursor
    problems: tuple[Problem, ...]
    validator: jsonschema_rs.Validator | None
    draft: int
    assert_formats: bool
    value: Any
    outline: Outline
    work: InPlace
    grouped: bool
    mapped: bool
    gauge: patterns.Gauge | None
    places: Places = field(repr=False)
    positions: dict[tuple[str, str], Position] = field(repr=False)


_ACCEPTED: Final = Judgement(Verdict.ACCEPT)


# Preparing a schema ------------------------------------------------------------------


def prepare(schema: Cursor, *, assert_formats: bool = False) -> Prepared:
    """Compile a schema once for many payloads; everything wrong with it is in `problems`.

    The draft is 2020-12 unless `$schema` names an older known one. Formats are
    annotations unless `assert_formats`, then those jsonschema-rs knows are judged.
    """
    draft = draft_of(schema) or LATEST
    found = outline(schema, draft)
    work = in_place(found)
    places = Places(schema)
    value, obstacle = decode(schema)
    shapes = list(_patterns(found))
    gauge = None if all(patterns.is_linear(shape) for _, _, shape in shapes) else patterns.Gauge()
    problems = [*_text_problems(schema, places), *_position_problems(found, draft)]
    if obstacle is not None and not problems:
        problems.append(Problem("not-judged", obstacle, ""))
    problems += [
        Problem(
            "contract-invalid",
            "This schema leads only back to itself, so it can never be judged. Say what the value is.",
            loop.pointer,
        )
        for loop in work.loops
    ]
    problems += [
        Problem(
            "contract-invalid",
            f"{quote(shape.translate(_FROM_PRIVATE))} is no regular expression that can be run. Correct it.",
            pointer,
            keyword,
        )
        for keyword, pointer, shape in shapes
        if not patterns.is_pattern(shape)
    ]
    validator: jsonschema_rs.Validator | None = None
    if not isinstance(value, dict | bool):
        if obstacle is None:
            message = f"{places.text(schema.node)} is no schema. Write an object, true or false."
            problems.append(Problem("contract-invalid", message, ""))
    elif obstacle is None:
        compiled = _compile(value, draft, assert_formats, gauge)
        if isinstance(compiled, ValueError):
            problems += _compile_problems(found, places, value, draft, compiled, problems)
        else:
            validator = compiled
    problems.sort(key=lambda problem: places.node(problem.schema_pointer) or 0)
    return Prepared(
        source=schema,
        problems=tuple(problems[:SHOWN_PROBLEMS]),
        validator=None if problems else validator,
        draft=draft,
        assert_formats=assert_formats,
        value=value,
        outline=found,
        work=work,
        grouped=any(
            each.keyword in ("anyOf", "oneOf", "propertyNames") for each in found.subschemas.values()
        ),
        mapped=_has_surrogates(schema),
        gauge=gauge,
        places=places,
        positions={},
    )


def _patterns(found: Outline) -> Iterator[tuple[str, str, str]]:
    """Yield every pattern of a schema: its keyword, where it stands, and what the engine is given."""
    for each in found.subschemas.values():
        pattern, shapes = each.cursor.get("pattern"), each.cursor.get("patternProperties")
        if pattern is not None and pattern.string is not None:
            yield "pattern", f"{each.pointer}/pattern", pattern.string.translate(_TO_PRIVATE)
        for key in shapes.keys if shapes is not None else ():
            pointer = f"{each.pointer}/patternProperties/{escape(key)}"
            yield "patternProperties", pointer, key.translate(_TO_PRIVATE)


def _text_problems(schema: Cursor, places: Places) -> Iterator[Problem]:
    """Duplicate keys and NaN: two readers of such a text may read two different schemas."""
    text, nodes = schema.json, range(schema.node, schema.json.skip[schema.node])
    for node, _ in text.duplicates:
        if node in nodes and node != schema.node:
            key = quote(text.key(node) or "")
            message = f"{key} stands twice in one object. Remove one of them."
            yield Problem("contract-invalid", message, places.pointer(node))
    for node in text.nans:
        if node in nodes:
            message = f"{text.lexeme(node)} is no JSON. Write a number."
            yield Problem("contract-invalid", message, places.pointer(node))


def _position_problems(found: Outline, draft: int) -> Iterator[Problem]:
    """Find what only the position tells: references that lead out, foreign types, unknown dialects."""
    for each in found.subschemas.values():
        for member, uri, target in targets(found, each):
            if target is None and not uri.startswith(_METASCHEMAS[draft]):
                yield Problem(
                    "ref-external",
                    f"{quote(member.string or '')} leads out of this schema, and nothing is ever fetched. "
                    "Copy what it means under $defs and refer to it there.",
                    f"{each.pointer}/{member.key}",
                    member.key,
                )
        kind = each.cursor.get("type")
        for name in [] if kind is None else [kind, *kind] if kind.is_array else [kind]:
            if name.string in _GEMINI_TYPES:
                place = each.pointer + name.path.removeprefix(each.cursor.path)
                yield Problem(
                    "contract-invalid",
                    f"{name.text} is how a Gemini declaration writes types; "
                    f"a JSON Schema writes {name.text.lower()}. Paste the whole declaration, or write it so.",
                    place,
                    "type",
                )
        named = each.cursor.get("$schema")
        is_resource = each.pointer == "" or each.cursor.get("$id") is not None
        if named is not None and named.is_string and is_resource and draft_of(each.cursor) is None:
            yield Problem(
                "contract-invalid",
                f"{quote(named.string or '')} is no dialect known here. "
                "Name draft 2020-12, 2019-09, 7, 6 or 4.",
                f"{each.pointer}/$schema",
                "$schema",
            )


def _compile(
    value: Any, draft: int, assert_formats: bool, gauge: patterns.Gauge | None
) -> jsonschema_rs.Validator | ValueError:
    try:
        return _ENGINES[draft](
            value,
            offline=True,
            base_uri=ROOT_URI,
            validate_formats=assert_formats,
            pattern_options=patterns.LINEAR if gauge is None else patterns.BACKTRACKING,
            keywords=None if gauge is None else {"pattern": gauge.keyword()},
        )
    except ValueError as error:  # jsonschema_rs.ValidationError, or a schema nested too deep
        return error


@lru_cache(maxsize=len(_ENGINES))
def _metaschema(draft: int) -> jsonschema_rs.Validator:
    uri = _METASCHEMAS[draft] + "schema"
    return _ENGINES[draft]({"$ref": uri}, offline=True, validate_formats=True)


def _compile_problems(
    found: Outline, places: Places, value: Any, draft: int, error: ValueError, known: list[Problem]
) -> Iterator[Problem]:
    """Say where a schema that does not compile is wrong, unless that is known already."""
    if not isinstance(error, jsonschema_rs.ValidationError):
        message = f"The schema cannot be compiled: {error}. Flatten it; the engine goes 255 levels deep."
        yield Problem("contract-invalid", message, "")
        return
    table = _FROM_PRIVATE if _has_surrogates(found.root) else {}
    told = {problem.schema_pointer for problem in known}
    before = len(told)
    for entry in _metaschema(draft).evaluate(value).errors():
        pointer = entry["instanceLocation"].translate(table)
        of_pattern = entry["error"].endswith('is not a "regex"')
        below = any(place == pointer or place.startswith(f"{pointer}/") for place in told)
        if below or (of_pattern and any(each.keyword in _OF_PATTERNS for each in known)):
            continue
        told.add(pointer)
        keyword = unescape(pointer.rpartition("/")[2]) or None
        node = places.node(pointer)
        if keyword == "type" and node is not None:
            message = f"{places.text(node)} is no type. Write {_TYPES}."
        else:
            message = f"{entry['error']}. Correct it."
        yield Problem("contract-invalid", message, pointer, keyword)
    for each in found.subschemas.values():
        for member, _, target in targets(found, each):
            pointer = f"{each.pointer}/{member.key}"
            if target is not None and places.node(target) is None and pointer not in told:
                told.add(pointer)
                message = (
                    f"{quote(member.string or '')} leads nowhere in this schema. Correct it, or define it."
                )
                yield Problem("contract-invalid", message, pointer, member.key)
    if len(told) == before and not known:
        pointer = join(*error.instance_path)
        place = pointer if places.node(pointer) is not None else ""
        yield Problem("contract-invalid", f"{error.message}. Correct it.", place)


def lacking(prepared: Prepared, pointer: str, keyword: str) -> Prepared | None:
    """Return a schema without one keyword of the subschema at a pointer, ready for verdicts alone.

    Its outline and places are still those of the whole schema. None where that
    is no schema, such as one without what a reference leads to.
    """
    tokens = [token.translate(_TO_PRIVATE) if prepared.mapped else token for token in split(pointer)]
    value = _without(prepared.value, tokens, keyword)
    compiled = _compile(value, prepared.draft, prepared.assert_formats, prepared.gauge)
    if isinstance(compiled, ValueError):
        return None
    return replace(prepared, value=value, validator=compiled, positions={})


def _without(value: Any, tokens: list[str], keyword: str) -> Any:
    """Copy what leads to one member, and leave that out."""
    if not tokens:
        return {key: member for key, member in value.items() if key != keyword}
    step = int(tokens[0]) if isinstance(value, list) else tokens[0]
    changed = value.copy()
    changed[step] = _without(value[step], tokens[1:], keyword)
    return changed


# Between text and engine -------------------------------------------------------------


def decode(payload: Cursor, schema: Cursor | None = None) -> tuple[Any, str | None]:
    """Return a value as the engine may see it, and why it cannot be judged (then the value is None)."""
    text, start, stop = payload.json, payload.node, payload.json.skip[payload.node]
    if text.nans and any(start <= node < stop for node in text.nans):
        return None, "NaN and infinities are no JSON, so there is nothing to judge. Write a number."
    if _HEAVY.search(text.text, text.start[start], text.end[start]):
        for node in range(start, stop):
            if text.kind[node] == Kind.NUMBER and _is_heavy(text.lexeme(node)):
                shown = f"{text.lexeme(node)[:20]}…"
                return None, f"The number {shown} is too long or too large to be judged. Write a smaller one."
    value = payload.value
    if _has_surrogates(payload) or (schema is not None and _has_surrogates(schema)):
        if _has_private(payload) or (schema is not None and _has_private(schema)):
            return None, (
                "Half a surrogate pair stands beside the private-use characters U+10F800 to U+10FFFF, "
                "and the two cannot be told apart. Remove one of them."
            )
        value = _translate(value, _TO_PRIVATE)
    return value, None


def _is_heavy(lexeme: str) -> bool:
    digits, _, exponent = lexeme.lower().partition("e")
    if len(digits) > limits.INTEGER_DIGITS:
        return True
    exponent = exponent.lstrip("+-").lstrip("0")
    return len(exponent) > len(str(limits.EXPONENT)) or int(exponent or 0) > limits.EXPONENT


def _has_surrogates(place: Cursor) -> bool:
    if not place.json.surrogates:
        return False
    nodes = range(place.node, place.json.skip[place.node])
    return any(node in nodes for node in place.json.surrogates)


def _has_private(place: Cursor) -> bool:
    return _IS_PRIVATE.search(place.text) is not None


def _translate(value: Any, table: dict[int, int]) -> Any:
    if isinstance(value, str):
        return value.translate(table)
    if isinstance(value, list):
        return [_translate(item, table) for item in value]
    if isinstance(value, dict):
        return {key.translate(table): _translate(item, table) for key, item in value.items()}
    return value


# Judging -----------------------------------------------------------------------------


def judge(prepared: Prepared, payload: Cursor) -> Judgement:
    """Judge one payload. A payload is what it is: a string is never parsed."""
    value, obstacle = decode(payload, prepared.source)
    if obstacle is not None and prepared.validator is not None:
        return _not_judged(Violation(None, "", None, None, obstacle))
    return judge_value(prepared, value, payload)


def judge_value(prepared: Prepared, value: Any, payload: Cursor) -> Judgement:
    """Judge a payload whose value somebody has decoded already, with `decode`."""
    validator = prepared.validator
    if validator is None:
        return _unsound(prepared)
    if prepared.gauge is not None:
        unfinished = _unfinished(prepared, prepared.gauge, validator, value, payload)
        if unfinished is not None:
            return _not_judged(unfinished)
    if validator.is_valid(value):
        return _ACCEPTED
    return _refusal(prepared, validator, value, payload)


def _unsound(prepared: Prepared) -> Judgement:
    only_heavy = all(problem.code == "not-judged" for problem in prepared.problems)
    return Judgement(Verdict.NOT_JUDGED if only_heavy else Verdict.CONTRACT_ERROR)


def _not_judged(reason: Violation) -> Judgement:
    return Judgement(Verdict.NOT_JUDGED, (reason,), 1)


def _unfinished(
    prepared: Prepared,
    gauge: patterns.Gauge,
    validator: jsonschema_rs.Validator,
    value: Any,
    payload: Cursor,
) -> Violation | None:
    """Return the pattern that ran out of steps, if the verdict may hang on it.

    With one such string both outcomes are tried. Two of them could hang on each
    other; then nothing is claimed.
    """
    gauge.exhausted.clear()
    gauge.assume = True
    found = list(_patterns(prepared.outline))
    shapes = [shape for keyword, _, shape in found if keyword == "patternProperties"]
    backtracking = [shape for shape in shapes if not patterns.is_linear(shape)]
    text = payload.json
    nodes = range(payload.node, text.skip[payload.node])
    if backtracking:
        keys = {(text.key(node) or "").translate(_TO_PRIVATE) for node in nodes if text.key_start[node] >= 0}
        for shape in backtracking:
            for key in keys:
                gauge.holds(shape, key)
    if not gauge.exhausted:
        accepted = validator.is_valid(value)
        if not gauge.exhausted:
            return None
        gauge.assume = False
        hangs = validator.is_valid(value) != accepted or len(gauge.exhausted) > 1
        gauge.assume = True
        if not hangs:
            return None
    pattern, string = next(iter(gauge.exhausted))
    keyword, pointer, _ = next(each for each in found if each[2] == pattern)
    size, most = len(string), patterns.reach(pattern)
    string = string.translate(_FROM_PRIVATE)
    node = next((n for n in nodes if text.kind[n] == Kind.STRING and text.string(n) == string), payload.node)
    shown = quote(pattern.translate(_FROM_PRIVATE))
    if size > most:
        message = (
            f"A pattern with look-around or back-references is tried on at most {most:,} characters, "
            f"and here are {size:,}. Write {shown} without them, or limit the length."
        )
    else:
        message = (
            f"The pattern {shown} needs more than {limits.BACKTRACK_STEPS:,} steps here, so nothing is "
            "decided. Write it without nested repetition or look-around."
        )
    return Violation(keyword, Places(payload).pointer(node), None, pointer, message)


def _refusal(
    prepared: Prepared, validator: jsonschema_rs.Validator, value: Any, payload: Cursor
) -> Judgement:
    work = prepared.work
    if work.ways > WAYS or (work.steps * limits.DEPTH > STEPS and work.steps * _depth(payload) > STEPS):
        message = "The payload is refused, but the contract leads through too many schemas to say where."
        return Judgement(Verdict.REFUSE, (Violation(None, "", None, None, message),), 1)
    mapped = prepared.mapped or _has_surrogates(payload)
    explainer = Explainer(
        payload=Places(payload),
        schema=prepared.places,
        outline=prepared.outline,
        subvalidator=lambda pointer: _subvalidators(prepared).get(f"#{pointer}"),
        to_engine=_TO_PRIVATE if mapped else {},
        from_engine=_FROM_PRIVATE if mapped else {},
        positions=prepared.positions,
    )
    small = payload.json.skip[payload.node] - payload.node <= GROUPED_NODES
    violations, total = explainer.explain(validator.evaluate(value), grouped=prepared.grouped and small)
    return Judgement(Verdict.REFUSE, violations, total)


def _depth(payload: Cursor) -> int:
    text = payload.json
    deepest, ends = 1, [text.skip[payload.node]]
    for node in range(payload.node + 1, text.skip[payload.node]):
        while node >= ends[-1]:
            ends.pop()
        ends.append(text.skip[node])
        deepest = max(deepest, len(ends))
    return deepest


def _subvalidators(prepared: Prepared) -> jsonschema_rs.ValidatorMap:
    return jsonschema_rs.validator_map_for(
        prepared.value,
        offline=True,
        base_uri=ROOT_URI,
        validate_formats=prepared.assert_formats,
        pattern_options=patterns.LINEAR if prepared.gauge is None else patterns.BACKTRACKING,
    )


def second_opinion(prepared: Prepared, payload: Cursor) -> SecondOpinion:
    """Ask jsonschema about one small payload. Some hundred times slower: not for lists of payloads.

    `agrees` is false only where both engines came to a verdict and the two
    differ. The second is not asked about large values, schemas that multiply
    the work, and patternProperties beside unevaluatedProperties, where it would
    run patterns without a limit; its verdict is then not-judged.
    """
    value, obstacle = decode(payload, prepared.source)
    asked = _second_engine(prepared)
    if (
        asked is None
        or obstacle is not None
        or payload.json.skip[payload.node] - payload.node > SECOND_PAYLOAD_NODES
    ):
        return SecondOpinion(second.ENGINE, Verdict.NOT_JUDGED, agrees=True)
    valid = second.is_valid(asked, value)
    if valid is None:
        return SecondOpinion(second.ENGINE, Verdict.NOT_JUDGED, agrees=True)
    verdict = Verdict.ACCEPT if valid else Verdict.REFUSE
    first = verdict_of(prepared, value, payload)
    return SecondOpinion(second.ENGINE, verdict, agrees=first in (verdict, Verdict.NOT_JUDGED))


def verdict(prepared: Prepared, payload: Cursor) -> Verdict:
    """Judge as `judge` does and return the verdict alone: to say why takes a hundred times longer."""
    value, obstacle = decode(payload, prepared.source)
    if obstacle is not None and prepared.validator is not None:
        return Verdict.NOT_JUDGED
    return verdict_of(prepared, value, payload)


def verdict_of(prepared: Prepared, value: Any, payload: Cursor) -> Verdict:
    """Return the verdict on a payload whose value somebody has decoded already."""
    if prepared.validator is None or prepared.gauge is not None:
        return judge_value(prepared, value, payload).verdict
    return Verdict.ACCEPT if prepared.validator.is_valid(value) else Verdict.REFUSE


@lru_cache(maxsize=8)
def _second_engine(prepared: Prepared) -> second.Engine | None:
    """Make the second engine once for many payloads, or None for a schema that it is not asked about."""
    keywords = {each.keyword for each in prepared.outline.subschemas.values()}
    if (
        prepared.validator is None
        or prepared.source.json.skip[prepared.source.node] - prepared.source.node > SECOND_SCHEMA_NODES
        or {"patternProperties", "unevaluatedProperties"} <= keywords
        or prepared.work.ways > WAYS
    ):
        return None
    return second.engine(prepared.value, prepared.draft, assert_formats=prepared.assert_formats)


def covers(before: str, after: str) -> Literal["yes", "no", "not-proven"]:
    """Whether everything that schema text `after` accepts is accepted by `before` too.

    "yes" and "no" are proven. The prover is experimental, so whatever it cannot
    read, model or decide is "not-proven".
    """
    if _crashes_prover(before) or _crashes_prover(after):
        return "not-proven"
    try:
        proof = _canonical(before).covers(_canonical(after))
    except ValueError:  # JsonError, jsonschema_rs.ValidationError, canonical.CanonicalizationError
        return "not-proven"
    if proof == jsonschema_rs.canonical.Containment.YES:
        return "yes"
    return "no" if proof == jsonschema_rs.canonical.Containment.NO else "not-proven"


def difference(one: str, other: str) -> str | None:
    """Return a schema of what schema text `one` accepts and `other` does not, or None where none can be made.

    It is the prover's own and a guess: what it accepts is to be judged again.
    """
    if _crashes_prover(one) or _crashes_prover(other):
        return None
    try:
        return dumps(_canonical(one).subtract(_canonical(other)).to_json_schema())
    except ValueError:  # as above
        return None


def _crashes_prover(text: str) -> bool:
    """Tell schemas on which jsonschema-rs 0.61 overflows the stack: unevaluated keywords that may recurse."""
    return "unevaluated" in text and ("$ref" in text or "$dynamicRef" in text or "$recursiveRef" in text)


def _canonical(text: str) -> jsonschema_rs.CanonicalSchema:
    json = JsonText(text)
    node, _ = json.scan()
    value, obstacle = decode(Cursor(json, node))
    if obstacle is not None:
        raise ValueError(obstacle)
    return jsonschema_rs.canonicalize(
        value, offline=True, validate_formats=False, pattern_options=patterns.BACKTRACKING
    )
