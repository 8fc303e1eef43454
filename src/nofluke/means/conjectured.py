"""An interval that is believed to hold and not proved to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nofluke import checks
from nofluke.kernels import dirichlet
from nofluke.means.items import BOUNDS, METHODS, Bounds, checked, interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.results import Interval


@METHODS.add(
    guarantee="conjectured", needs=BOUNDS, cite="Gaffke 2005; Learned-Miller & Thomas 1905.06208"
)
def gaffke(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bounds: Bounds = None,
) -> Interval:
    """Gaffke's interval for the mean: sharp, in any order, and not proved to hold.

    For scores of two values it is the interval of Clopper and Pearson, which does hold; for others
    nobody has found a distribution for which it fails, nor a proof that there is none.

    Args:
        x: Scores, shape (n,), one per independent item.
        level: Coverage conjectured for every n and every distribution within the bounds.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (only a lower limit) or "upper".
        bounds: Lowest and highest possible score, in the units of ``x``.

    Raises:
        InputError: As for ``hoeffding``.

    >>> print(gaffke([0, 1, 1, 1], level=0.95, bounds=(0, 1)))
    0.75 [0.1941, 0.9937] at 95% (gaffke, n=4, conjectured)
    """
    items, side, alpha = checked(x, level, alpha, side, bounds)
    error = checks.tail(alpha, side)
    lower = 0.0 if side == "upper" else dirichlet.lower_limit(items.s, error)
    upper = 1.0 if side == "lower" else 1 - dirichlet.lower_limit(items.c - items.s, error)
    found = interval(items, (lower, upper), alpha, side, method="gaffke")
    return replace(found, guarantee="conjectured")
