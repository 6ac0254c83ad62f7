"""Export targets: one file each, found by discovery.

A target is a record of data and pure functions. To add one, put a file with a
`TARGET` constant beside these; what kin share stands in a module without one.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from app.exports.target import Target as Target


@cache
def all_targets() -> tuple[Target, ...]:
    """Return every target of this package, by id."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = (importlib.import_module(f"{__name__}.{name}") for name in names)
    found = [module.TARGET for module in modules if hasattr(module, "TARGET")]
    return tuple(sorted(found, key=lambda target: target.id))


@cache
def by_id(target_id: str) -> Target | None:
    """Return the target with this id, or None."""
    return next((target for target in all_targets() if target.id == target_id), None)
