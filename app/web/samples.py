"""The gallery: frames to look at, each with what the workbench should say of it.

A sample is `samples/<dialect>/<name>.<ext>` beside `<name>.expected.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.web import data_dir

_SUFFIX = ".expected.json"


@dataclass(frozen=True, slots=True)
class SampleTitle:
    """One line of the gallery."""

    name: str
    dialect: str
    title: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: what to look at, and the text of each field it fills."""

    name: str
    dialect: str
    title: str
    look: str
    fields: dict[str, str]


def names() -> list[SampleTitle]:
    """Return all samples, in the order of their dialects and names."""
    return [SampleTitle(sample.name, sample.dialect, sample.title) for sample in _gallery().values()]


def load(name: str) -> Sample | None:
    """Return a sample, or None where there is none of that name."""
    return _gallery().get(name)


@cache
def _gallery() -> dict[str, Sample]:
    expected = sorted((data_dir() / "samples").glob(f"*/*{_SUFFIX}"))
    return {sample.name: sample for sample in map(_read, expected)}


def _read(expected: Path) -> Sample:
    name = expected.name.removesuffix(_SUFFIX)
    about: dict[str, Any] = json.loads(expected.read_text(encoding="utf-8"))
    fields = dict(about.get("fields", {}))
    for path in expected.parent.glob(f"{name}.*"):
        if path != expected:
            fields.setdefault(about.get("field", "calls_text"), path.read_bytes().decode("utf-8"))
    return Sample(name, expected.parent.name, about["title"], about["look"], fields)
