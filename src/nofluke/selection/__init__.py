"""How a choice came to be: rules of choosing, splitting the data, and controlled repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nofluke.selection.repeats import repeat, variance_by_source

__all__ = ["repeat", "variance_by_source"]


def __getattr__(name: str) -> Any:
    # Whoever only chooses by a rule does not wait for the rest.
    if name in __all__:
        from nofluke.selection import repeats

        return getattr(repeats, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
