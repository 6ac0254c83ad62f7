"""The gallery: exchanges to look at, each with what the workbench should say of it.

A sample is `samples/<dialect>/<name>.expected.json` (`title`, `look`, the
`contract` it is judged by, and `expect`) beside the texts it fills:
`<name>.calls.json`, `<name>.responses.json`, `<name>.contracts.json`, and
`<name>.session.jsonl` for the Session tab. The named contract lies in
`samples/contracts/`, with its cases and samples.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from app import dialects
from app.web import data_dir

_SUFFIX = ".expected.json"
_PARTS = ("calls", "responses", "contracts", "cases", "samples", "session")


@dataclass(frozen=True, slots=True)
class SampleTitle:
    """One line of the gallery."""

    name: str
    dialect: str
    format: str
    """The title of the dialect."""
    title: str
    look: str
    fills: tuple[str, ...]
    """Fields of the page that it fills with frames."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: what to look at, the text of each field it fills, and the right answer."""

    name: str
    dialect: str
    title: str
    look: str
    fields: dict[str, str]
    expect: dict[str, Any]


FIRST = "light"
"""The sample that fills the page at first sight."""


def names() -> list[SampleTitle]:
    """Return all samples, in the order of their dialects and names."""
    return [
        SampleTitle(sample.name, sample.dialect, _format(sample), sample.title, sample.look, _frames(sample))
        for sample in _gallery().values()
    ]


def by_format() -> list[tuple[str, list[SampleTitle]]]:
    """Return all samples, those of one wire format together."""
    return [(title, [*group]) for title, group in groupby(names(), key=lambda sample: sample.format)]


def _format(sample: Sample) -> str:
    dialect = dialects.by_id(sample.dialect)
    return dialect.title if dialect is not None else sample.dialect


def _frames(sample: Sample) -> tuple[str, ...]:
    return tuple(
        field for field in ("calls_text", "responses_text", "session_text") if field in sample.fields
    )


def load(name: str) -> Sample | None:
    """Return a sample, or None where there is none of that name."""
    return _gallery().get(name)


_DIALECTS = (
    "gemini-live",
    "gemini-generate",
    "gemini-interactions",
    "openai-realtime",
    "openai-chat",
    "openai-responses",
    "anthropic",
    "mcp",
    "bedrock-converse",
    "nova-sonic",
    "pipecat-rtvi",
    "livekit",
)
"""Folders as the gallery shows them; another one stands behind them."""


@cache
def _gallery() -> dict[str, Sample]:
    found = map(_read, (data_dir() / "samples").glob(f"*/*{_SUFFIX}"))
    return {sample.name: sample for sample in sorted(found, key=_place)}


def _place(sample: Sample) -> tuple[bool, int, bool, str]:
    """Return what the gallery is sorted by: the first, wire format, sessions with a fault last, name."""
    order = _DIALECTS.index(sample.dialect) if sample.dialect in _DIALECTS else len(_DIALECTS)
    faulty = "states" in sample.expect and sample.expect["codes"] != ["json-lines"]
    return sample.name != FIRST, order, faulty, sample.name


def _read(expected: Path) -> Sample:
    name = expected.name.removesuffix(_SUFFIX)
    about: dict[str, Any] = json.loads(expected.read_text(encoding="utf-8"))
    # Without a contract of its own it is judged by what it declares itself, not by what stood there.
    fields = dict.fromkeys(("contract_name", "contracts_text", "cases_text"), "")
    contract = about.get("contract")
    if contract is not None:
        folder = expected.parent.parent / "contracts"
        fields["contract_name"] = contract
        fields["contracts_text"] = _text(folder / f"{contract}.json")
        fields |= _parts(folder, contract)
    fields |= _parts(expected.parent, name)
    return Sample(name, expected.parent.name, about["title"], about["look"], fields, about.get("expect", {}))


def _parts(folder: Path, name: str) -> dict[str, str]:
    found = ((part, path) for part in _PARTS for path in folder.glob(f"{name}.{part}.*"))
    return {f"{part}_text": _text(path) for part, path in found}


def _text(path: Path) -> str:
    # The line break that ends a file is no part of what a person would paste.
    return path.read_bytes().decode("utf-8").removesuffix("\n")
