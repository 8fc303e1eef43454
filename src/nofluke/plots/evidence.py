"""How the evidence grew, unit after unit, and when it sufficed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.plots import canvas, comparison, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from nofluke.questions.comparison import Comparison, WealthPath

_POINTS = 2000
_TEN = math.log(10)
# Evidence that fell further below one than this many times the height that decides would squeeze
# what matters into the top of the picture.
_DEEP = 3
_RING: Any = {"mfc": "none", "mec": canvas.INK, "mew": 1.6, "ms": 9, "zorder": 4}


def evidence(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the logarithm of the e-value for each rejection as units are counted.

    A path starts at 0 (an e-value of one); where it first reaches its broken line it decides, and
    a ring marks that. The vertical line is the moment at which the verdict was sure.

    Args:
        result: A comparison by a method that bets.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    told = _told(result)
    ax = canvas.axes(ax, height=4.2 + canvas.LINE * len(told))
    _caption(ax, result)
    if not result.wealth:
        return canvas.nothing(ax, f"The method {result.method} looks once and bets on nothing.")
    ends = [
        _draw_path(ax, wealth, i, named=len(_levels(result)) > 1)
        for i, wealth in enumerate(result.wealth)
    ]
    for height in {wealth.log_threshold / _TEN for wealth in result.wealth}:
        ax.axhline(height, color=canvas.INK, lw=1.1, ls=(0, (4, 2)), label="decides")
    _settle(ax, result)
    if result.decided_at is not None:
        ax.axvline(result.decided_at, color=canvas.COLOURS[3], lw=1.3, label="decided")
    low, high = ax.get_ylim()
    labels.at_line_ends(ax, [(x, min(max(y, low), high), text, hue) for x, y, text, hue in ends])
    canvas.footer(ax, told)
    return ax


def first_crossing(wealth: WealthPath) -> int | None:
    """Units counted when a path first reached its level; None where it never did."""
    reached = np.flatnonzero(wealth.log_e >= wealth.log_threshold)
    return int(reached[0]) + 1 if reached.size else None


def thinned(wealth: WealthPath, most: int = _POINTS) -> NDArray[np.int64]:
    """Indices of a path to draw: the ends, highs and lows of each stretch, and the first crossing.

    Args:
        wealth: The path.
        most: How many at most.
    """
    y = wealth.log_e
    if y.size <= most:
        return np.arange(y.size)
    cuts = np.linspace(0, y.size, (most - 4) // 2 + 1).astype(np.int64)
    stretches = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    highs = [start + int(y[start:end].argmax()) for start, end in stretches]
    lows = [start + int(y[start:end].argmin()) for start, end in stretches]
    crossing = first_crossing(wealth)
    at = [] if crossing is None else [max(0, crossing - 2), crossing - 1]
    return np.unique(np.array([0, y.size - 1, *at, *highs, *lows]))


def _levels(result: Comparison) -> list[float]:
    """The e-values that decide."""
    return sorted({math.exp(wealth.log_threshold) for wealth in result.wealth})


def _draw_path(
    ax: Axes, wealth: WealthPath, i: int, *, named: bool
) -> tuple[float, float, str, str]:
    at, colour = thinned(wealth, _POINTS - 1), canvas.COLOURS[i % canvas.MOST]
    units, heights = np.append(0, at + 1), np.append(0.0, wealth.log_e[at] / _TEN)
    stroke = canvas.STROKES[i % canvas.MOST]
    ax.plot(units, heights, color=colour, ls=stroke, lw=1.6, zorder=3, label=wealth.label)
    crossing = first_crossing(wealth)
    if crossing is not None:
        height = wealth.log_e[crossing - 1] / _TEN
        ax.plot(crossing, height, "o", label="first crossing", **_RING)
    level = f" (at {math.exp(wealth.log_threshold):.4g})" if named else ""
    return float(units[-1]), float(heights[-1]), wealth.label + level, colour


def _settle(ax: Axes, result: Comparison) -> None:
    from matplotlib.ticker import MaxNLocator

    tops = [wealth.log_threshold / _TEN for wealth in result.wealth]
    heights = np.concatenate([wealth.log_e / _TEN for wealth in result.wealth])
    high = max(*tops, float(heights.max(initial=0.0)))
    low = max(float(heights.min(initial=0.0)), _lowest(result))
    room = 0.06 * (high - low)
    ax.set_xlim(0, max(result.n_units, 1))
    ax.set_ylim(low - room, high + room)
    ax.axhline(0, color=canvas.MUTED, lw=0.8, ls=":", zorder=1)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)


def _lowest(result: Comparison) -> float:
    return -_DEEP * max(wealth.log_threshold for wealth in result.wealth) / _TEN


def _told(result: Comparison) -> list[str]:
    if not result.wealth:
        return []
    levels = " and ".join(f"{level:.4g}" for level in _levels(result))
    told = [f"broken horizontal line: decides, at an e-value of {levels}"]
    if result.decided_at is not None:
        told.append(
            f"vertical line: the verdict was sure after {result.decided_at} of "
            f"{result.n_units} {result.unit}; ○ first crossing"
        )
    for wealth in result.wealth:
        lowest = float(wealth.log_e.min(initial=0.0)) / _TEN
        if lowest < _lowest(result):
            least = "0" if math.isinf(lowest) else f"10^{lowest:.3g}"
            told.append(f"{wealth.label}: falls to {least}, below the edge")
    if result.guarantee == "finite-sample":
        told.append(
            f"guaranteed for one look at n = {result.n_units} fixed in advance, and no licence to "
            "stop earlier"
        )
    return told


def _caption(ax: Axes, result: Comparison) -> None:
    canvas.caption(
        ax,
        title=comparison.heading(result, "Evidence as it was counted"),
        told=(
            f"Logarithm to base ten of the e-value after each of {result.n_units} {result.unit}, "
            "one path for each rejection that the claim may need; a path that reaches the broken "
            "line decides."
        ),
        x=f"{result.unit} counted, in an order that has nothing to do with their scores",
        y="evidence: log10 of the e-value",
    )
