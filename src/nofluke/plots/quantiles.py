"""How far the differences are from a normal distribution: what the asymptotic interval trusts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.plots import canvas, comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from nofluke.questions.comparison import Comparison

# More points than this lie on each other; both tails are kept whole.
_POINTS, _TAIL = 500, 100


def normal_quantiles(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the sorted unit differences against the quantiles of a standard normal distribution.

    On the straight line (mean plus standard deviation times quantile) they are as normal ones
    would be. The t interval needs that of the mean and not of the differences, so a bent line is
    no refutation; the heavier the tails, the larger the n at which it may be trusted.

    Args:
        result: A comparison.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax)
    canvas.caption(
        ax,
        title=f"Are the differences normal? (Q-Q)\ndescriptive, {result.n_units} {result.unit}",
        told=(
            f"Sorted differences of the {result.n_units} {result.unit} against the quantiles of a "
            "standard normal distribution, with the straight line that normal differences of this "
            "mean and standard deviation would follow."
        ),
        x="quantile of a standard normal distribution",
        y=f"difference in {comparison.unit(result)}",
    )
    x = np.empty(0) if result.x is None else result.x[np.isfinite(result.x)]
    if x.size < 2:
        return canvas.nothing(ax, "Fewer than two units have no distribution to look at.")
    z, at = points(x)
    mean, spread = math.fsum(x) / x.size, float(x.std(ddof=1))
    ends = np.array([z[0], z[-1]])
    ax.plot(ends, mean + spread * ends, color=canvas.COLOURS[1], lw=1.4, ls="--", label="normal")
    ax.plot(z, at, "o", color=canvas.COLOURS[0], ms=3.5, mew=0, label="differences")
    ax.axhline(0, color=canvas.INK, lw=0.8, zorder=1)
    canvas.footer(ax, ["broken line: normal differences with this mean and standard deviation"])
    return ax


def points(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal quantiles and sorted values; of very many, enough for the eye and all of the tails."""
    from scipy.special import ndtri

    n = x.size
    ranks = np.arange(n)
    if n > _POINTS + 2 * _TAIL:
        middle = np.linspace(0, n - 1, _POINTS).astype(np.int64)
        ranks = np.unique(np.concatenate([ranks[:_TAIL], middle, ranks[-_TAIL:]]))
    return np.asarray(ndtri((ranks + 0.5) / n)), np.sort(x)[ranks]
