"""One way to solve for a critical value: bisection that ends on the safe side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def safe_edge(
    holds: Callable[[float], bool], safe: float, unsafe: float, *, tolerance: float = 1e-15
) -> float:
    """The value next to where ``holds`` stops holding, on the side where it holds.

    ``holds(safe)`` is true and ``holds(unsafe)`` false; there is one change between them.
    """
    while abs(safe - unsafe) > tolerance * max(abs(safe), abs(unsafe)):
        middle = (safe + unsafe) / 2
        if middle in (safe, unsafe):
            break
        safe, unsafe = (middle, unsafe) if holds(middle) else (safe, middle)
    return safe
