"""The second opinion: the jsonschema package, the engine most Python programs run.

Where that engine is wrong or unsafe it is corrected: patterns run in the same
ECMA engine as elsewhere, numbers are exact, items are compared in linear time,
references are never retrieved and their number is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Protocol

import jsonschema
import jsonschema_rs
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.exceptions import Unresolvable

from app import patterns
from app.schema import LATEST, REFERENCES

ENGINE: Final = "jsonschema"

STEPS: Final = 5_000
"""References followed before the second opinion is given up: a few lines of schema can ask for millions."""

_ENGINES: Final = {
    4: jsonschema.Draft4Validator,
    6: jsonschema.Draft6Validator,
    7: jsonschema.Draft7Validator,
    2019: jsonschema.Draft201909Validator,
    LATEST: jsonschema.Draft202012Validator,
}
_DRAFTS: Final[dict[type, int]] = {engine: draft for draft, engine in _ENGINES.items()}

_steps: Final[ContextVar[Iterator[int]]] = ContextVar("steps")
"""References that may still be followed in the present opinion."""

_LITERALS: Final = {None: object(), True: object(), False: object()}
"""Stand-ins, because Python takes True for 1."""

EXPONENT: Final = 1_000
"""Largest exponent that is divided by in fractions, which write every digit out."""

Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], Errors]


class _GivenUp(Exception):
    """Out of steps, in a reference or in a pattern."""


class Engine(Protocol):
    """A schema that jsonschema can be asked with."""

    def is_valid(self, instance: Any) -> bool:
        """Whether the instance is accepted."""


def engine(schema: Any, draft: int, *, assert_formats: bool) -> Engine:
    """Make the engine for a schema whose numbers are int, float and Decimal, as for the first engine."""
    made: Engine = _corrected(draft, assert_formats)(_exact(schema), registry=REGISTRY)
    return made


def is_valid(engine: Engine, instance: Any) -> bool | None:
    """Whether jsonschema accepts the instance, numbers as in `engine`; None where it comes to no end."""
    _steps.set(iter(range(STEPS)))
    try:
        return bool(engine.is_valid(_exact(instance)))
    except (_GivenUp, RecursionError, Unresolvable):
        return None


@lru_cache(maxsize=2 * len(_ENGINES))
def _corrected(draft: int, assert_formats: bool) -> Any:
    """Return the class that judges. Making one compiles its source: a thousand times what judging costs."""
    engine = _ENGINES[draft]
    references = {name: _limited(engine.VALIDATORS[name]) for name in REFERENCES if name in engine.VALIDATORS}
    corrections = {**_CORRECTIONS, **references}
    if assert_formats:
        corrections["format"] = _format
    # Draft 4 alone says that 1.0 is no integer.
    checker = engine.TYPE_CHECKER if draft == 4 else engine.TYPE_CHECKER.redefine("integer", _is_integer)
    corrected = extend(engine, corrections, type_checker=checker)  # type: ignore[no-untyped-call]

    def evolve(validator: Any, **changes: Any) -> Any:
        # A `$schema` that a reference meets again leads to the package's own class, uncorrected.
        evolved: Any = engine.evolve(validator, **changes)
        plain = _DRAFTS.get(type(evolved))
        if plain is None:
            return evolved
        other = _corrected(plain, assert_formats)
        return other(evolved.schema, registry=REGISTRY, _resolver=evolved._resolver)

    corrected.evolve = evolve
    return corrected


def _limited(follow: _Keyword) -> _Keyword:
    def keyword(validator: Any, value: Any, instance: Any, schema: Any) -> Errors:
        if next(_steps.get(), None) is None:
            raise _GivenUp
        yield from follow(validator, value, instance, schema) or ()

    return keyword


def _is_integer(_checker: Any, instance: Any) -> bool:
    if isinstance(instance, Decimal):
        return instance == instance.to_integral_value()
    return isinstance(instance, int) and not isinstance(instance, bool)


def _exact(value: Any) -> Any:
    """Replace every float by the decimal number that was written, so that comparing is exact."""
    if isinstance(value, dict):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return Decimal(repr(value)) if isinstance(value, float) else value


def frozen(value: Any) -> Any:
    """Return something hashable that is equal exactly for equal JSON values (1.0 is 1, true is not)."""
    if isinstance(value, dict):
        return frozenset((key, frozen(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, bool) or value is None:
        return _LITERALS[value]
    return Decimal(repr(value)) if isinstance(value, float) else value


def _matches(pattern: str, text: str) -> bool:
    found = patterns.matches(pattern, text)
    if found is None:
        raise _GivenUp
    return found


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Errors:
    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield ValidationError("does not match")


def _pattern_properties(validator: Any, shapes: Any, instance: Any, _schema: Any) -> Errors:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in shapes.items():
        for key, value in instance.items():
            if _matches(pattern, key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    if not validator.is_type(instance, "object"):
        return
    shapes = schema.get("patternProperties", {})
    for key, value in instance.items():
        if key not in schema.get("properties", {}) and not any(_matches(shape, key) for shape in shapes):
            yield from validator.descend(value, subschema, path=key)


def _multiple_of(validator: Any, divisor: Any, instance: Any, _schema: Any) -> Errors:
    if not validator.is_type(instance, "number"):
        return
    if any(
        isinstance(number, Decimal) and abs(number.adjusted()) > EXPONENT for number in (instance, divisor)
    ):
        raise _GivenUp
    if Fraction(instance) % Fraction(divisor):
        yield ValidationError("is not a multiple")


def _unique_items(validator: Any, wanted: bool, instance: Any, _schema: Any) -> Errors:
    if wanted and validator.is_type(instance, "array") and len({frozen(i) for i in instance}) < len(instance):
        yield ValidationError("has equal items")


def _format(validator: Any, name: str, instance: Any, _schema: Any) -> Errors:
    # The formats of this package need six more; those of the first engine are what was promised.
    if validator.is_type(instance, "string") and not _format_validator(name).is_valid(instance):
        yield ValidationError("is not in the format")


@lru_cache(maxsize=64)
def _format_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True, offline=True)


_CORRECTIONS: Final = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
}
