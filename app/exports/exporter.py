"""One contract to one target: the declaration ready to paste, and all that it says in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app import engine
from app.cursor import Cursor
from app.exports import meter
from app.exports.changes import Changes
from app.exports.core_schema import Core, core
from app.exports.lower import lower
from app.exports.profile import Names
from app.exports.target import Target, Tool
from app.json_text import write
from app.reports import SchemaChange
from app.schema import REFERENCES

LONGEST_SUGGESTION = 64
"""A suggested name is one that every provider takes."""


@dataclass(frozen=True, slots=True)
class Named:
    """What of a contract stands beside its schema."""

    name: str
    description: str | None = None
    behavior: str | None = None
    form: str = "chat"


@dataclass(frozen=True, slots=True)
class Exported:
    """An export of `core`. Text, declaration and schema are None where the target would refuse it.

    `told` is the schema that the model is told, for one who drops nulls as a strict
    target needs it: None where it is told none.
    """

    core: Core
    text: str | None
    declaration: str | None
    schema: str | None
    told: Any
    suggested_name: str | None
    changes: tuple[SchemaChange, ...]
    size: meter.Size


def export(named: Named, schema: Cursor, target: Target, parameters: Cursor | None = None) -> Exported:
    """Say a contract as a target takes it. `parameters` are those of a tool whose result is exported."""
    changes = Changes(target.source)
    suggested = check_name(named.name, target.names, changes) if target.names is not None else None
    start = core(schema, rename=target.profile.does("definitions", "rewrite"))
    for code, pointer in start.upgraded:
        changes.say(code, pointer)
    if unsound(start):
        return Exported(start, None, None, None, None, suggested, changes.all(), meter.Size())
    lowered = lower(start, target.profile, changes)
    size = meter.measure(lowered.schema)
    meter.check(size, target.profile.limits, changes)
    for code in target.says:
        changes.say(code, "")
    behavior = named.behavior if target.has_behavior else None
    if named.behavior is not None and not target.has_behavior and target.declare is not None:
        changes.say("behavior-dropped", "")
    if changes.refused:
        return Exported(start, None, None, None, None, suggested, changes.all(), size)
    if target.code is not None:
        text = target.code(named.name, named.description, lowered.schema)
        return Exported(start, text, None, None, lowered.open_null, suggested, changes.all(), size)
    assert target.declare is not None
    args = parameters.tree if parameters is not None else None
    tool = Tool(named.name, named.description, behavior, lowered.schema, named.form, args)
    declaration = target.declare(tool)
    entry = target.entry(declaration) if target.entry is not None else declaration
    return Exported(
        core=start,
        text=write(entry),
        declaration=write(declaration),
        schema=None if lowered.schema is None else write(lowered.schema),
        told=lowered.open_null,
        suggested_name=suggested,
        changes=changes.all(),
        size=size,
    )


def unsound(core: Core) -> list[engine.Problem]:
    """Return what is wrong with a schema itself; references that lead out are told of as changes."""
    return [problem for problem in core.prepared.problems if problem.keyword not in REFERENCES]


def check_name(name: str, names: Names, changes: Changes) -> str | None:
    """Say what a target does not take in a name, and return one that it takes."""
    wrong = False
    if (
        names.shape.fullmatch(name) is None
        or (names.leads is not None and names.leads.match(name) is None)
        or not name
    ):
        changes.say(names.code, "", about=name, source=names.source)
        wrong = True
    if len(name) > names.most:
        changes.say(names.long, "", about=name, source=names.source)
        wrong = True
    elif names.risky is not None and len(name) > names.risky:
        changes.say(names.risk, "", about=name, source=names.source)
    if not wrong:
        return None
    fitting = "".join(each if names.shape.fullmatch(each) else "_" for each in name)
    if names.leads is not None and names.leads.match(fitting) is None:
        fitting = f"_{fitting}"
    return fitting[:LONGEST_SUGGESTION]
