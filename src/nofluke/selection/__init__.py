"""How a choice came to be: rules of choosing, splitting the data, and controlled repeats."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nofluke.selection.repeats import repeat, variance_by_source
    from nofluke.selection.split_checks import validate
    from nofluke.selection.split_plan import plan_split

__all__ = ["plan_split", "repeat", "validate", "variance_by_source"]

_HOMES = {
    "plan_split": "split_plan",
    "repeat": "repeats",
    "validate": "split_checks",
    "variance_by_source": "repeats",
}


def __getattr__(name: str) -> Any:
    # Whoever only chooses by a rule does not wait for the rest.
    if name in _HOMES:
        return getattr(import_module(f"nofluke.selection.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
