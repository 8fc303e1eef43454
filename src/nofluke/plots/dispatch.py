"""``draw``: one verb, dispatched on the kind of result."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError

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
        "one of certify(...).",
        code="NF008",
    )
