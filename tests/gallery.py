"""What tests want of the gallery."""

from __future__ import annotations

from app.web import samples
from app.web.samples import Sample


def filling(*fields: str) -> list[Sample]:
    """Return the samples that fill one of these fields of the page, in the order of the gallery."""
    found = [samples.load(title.name) for title in samples.names()]
    return [sample for sample in found if sample is not None and not sample.fields.keys().isdisjoint(fields)]
