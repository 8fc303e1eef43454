"""How a choice came to be: rules of choosing, splits, nested folds, and controlled repeats."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nofluke.selection.leaks import leakage
    from nofluke.selection.nested import nested_cv
    from nofluke.selection.repeats import repeat, variance_by_source

__all__ = ["leakage", "nested_cv", "repeat", "variance_by_source"]

_ROOMS = {
    "leakage": "leaks",
    "nested_cv": "nested",
    "repeat": "repeats",
    "variance_by_source": "repeats",
}


def __getattr__(name: str) -> Any:
    # Whoever only chooses by a rule does not wait for the rest.
    if name in _ROOMS:
        return getattr(importlib.import_module(f"nofluke.selection.{_ROOMS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
