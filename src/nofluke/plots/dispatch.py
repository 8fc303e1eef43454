"""``draw``: one verb, dispatched on the kind of result."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError
from nofluke.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@singledispatch
def draw(result: Any, *, ax: Axes | None = None) -> Axes:  # noqa: ARG001 (the shape of the verb)
    """Draw an answer in the way that suits its kind.

    Args:
        result: An answer of nofluke.
        ax: Axes to draw on; new ones on a figure of their own by default.

    Returns:
        The axes; the caller shows or saves ``ax.figure``.

    Raises:
        InputError: There is no picture for this kind of thing.
    """
    raise InputError(
        f"there is no picture for a {type(result).__name__}; draw takes an answer such as the "
        "one of certify(...), or a table of scores or predictions.",
        code="NF008",
    )


@draw.register(Result)
def _without(result: Result, *, ax: Axes | None = None) -> Axes:  # noqa: ARG001
    """An answer of a kind that has no picture says what it has instead."""
    raise InputError(
        f"there is no picture for a {type(result).__name__}: its rows say all of it. They are in "
        ".rows() and .frame(), a notebook shows them as a table, and .report(path) writes a page.",
        code="NF350",
    )
