"""The differences themselves: how many are worse, equal and better, and where their mean lies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.plots import canvas, comparison, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

# More different values than this are a distribution, and a bar for each would hide its shape.
_VALUES = 12
# Values closer than this part of the largest are one value in two roundings.
_SAME = 1e-9
# Heights in the picture, as parts of it: bars end at the first.
_BARS, _WORDS, _STRIPS = 0.62, 0.66, (0.91, 0.81)


class Bars(NamedTuple):
    """Counts of differences, each over a part of the axis that holds no zero but at 0 itself.

    Attributes:
        left: Left edges.
        right: Right edges; for single values the same.
        heights: How many differences lie there.
        values: Whether each bar is one value.
    """

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    heights: NDArray[np.int64]
    values: bool


@draw.register(Comparison)
def differences(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the differences b minus a, and their mean with both of its intervals.

    The axis is symmetric about zero, so that gains and losses of one size look alike. Differences
    of exactly zero have a bar of their own.

    Args:
        result: A comparison.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    d = finite(result)
    told = _told(result)
    ax = canvas.axes(ax, height=4.4 + canvas.LINE * len(told))
    _caption(ax, result)
    if not d.size:
        return canvas.nothing(ax, "There are no finite differences to draw.")
    bars = bars_of(d, binary=bool(result.question.get("binary")))
    _settle(ax, result, d, bars)
    comparison.draw_marks(ax, result)
    _draw_bars(ax, result, bars)
    _write_shares(ax, result)
    _draw_mean(ax, result)
    canvas.footer(ax, told)
    return ax


def finite(result: Comparison) -> NDArray[np.float64]:
    """The finite differences: of the pairs, else of the units."""
    d = result.d if result.d is not None else result.x
    return np.empty(0) if d is None else d[np.isfinite(d)]


def shares(result: Comparison) -> list[tuple[str, int, float]]:
    """How many differences are below, at and above zero, and what share of all that is."""
    d = finite(result)
    below, above = comparison.sides(result)
    counts = ((below, (d < 0).sum()), ("equal", (d == 0).sum()), (above, (d > 0).sum()))
    return [(word, int(count), int(count) / d.size) for word, count in counts]


def bars_of(d: NDArray[np.float64], *, binary: bool = False) -> Bars:
    """Bars for the differences: one for each value if there are few, else a histogram.

    Args:
        d: Finite differences, shape (n,), at least one.
        binary: Whether the scores are 0 or 1, so that -1, 0 and 1 are all there can be.
    """
    if binary:
        at = np.array([-1.0, 0.0, 1.0])
        return Bars(at, at, np.array([(d == v).sum() for v in at]), values=True)
    largest = float(np.abs(d).max())
    _, first, count = np.unique(
        np.round(d / (largest * _SAME or 1.0)), return_index=True, return_counts=True
    )
    at = d[first]
    gaps = np.diff(at)
    if at.size <= _VALUES and (gaps > largest / 30).all():
        return Bars(at, at, count, values=True)
    return _histogram(d, largest)


def _histogram(d: NDArray[np.float64], largest: float) -> Bars:
    """Equal bins on both sides of zero, and the zeros apart."""
    some = d[d != 0]
    spread = float(np.subtract(*np.quantile(some, (0.75, 0.25))))
    wanted = 2 * spread / some.size ** (1 / 3)  # Freedman & Diaconis 1981
    k = int(np.clip(math.ceil(largest / wanted) if wanted > 0 else 40, 8, 40))
    edges = np.linspace(0, largest, k + 1)
    # A bin on the left holds its left edge, one on the right its right edge, as in a mirror.
    up = np.histogram(-some[some > 0], -edges[::-1])[0][::-1]
    down = np.histogram(some[some < 0], -edges[::-1])[0]
    zeros = int((d == 0).sum())
    return Bars(
        np.array([*(-edges[:0:-1]), *([0.0] if zeros else []), *edges[:-1]]),
        np.array([*(-edges[-2::-1]), *([0.0] if zeros else []), *edges[1:]]),
        np.array([*down, *([zeros] if zeros else []), *up]),
        values=False,
    )


def _settle(ax: Axes, result: Comparison, d: NDArray[np.float64], bars: Bars) -> None:
    limits = [x for _, interval in comparison.intervals(result) for x in _both(interval)]
    held = [*limits, *comparison.margins(result), result.estimate, float(np.abs(d).max())]
    width = _thickness(bars)
    reach = max((abs(x) for x in held if math.isfinite(x)), default=0.0) or 1.0
    reach = max(reach, float(np.abs(bars.right).max()) + width / 2)
    ax.set_xlim(-1.06 * reach, 1.06 * reach)
    top = float(bars.heights.max())
    ax.set_ylim(0, top / _BARS)
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(nbins=5, integer=True).tick_values(0, top)
    ax.set_yticks([t for t in ticks if 0 <= t <= top])
    if bars.values and bars.left.size <= 5:
        ax.set_xticks(bars.left, [f"{v:g}" for v in bars.left])


def _both(interval: Any) -> tuple[float, float]:
    return interval.lower, interval.upper


def _thickness(bars: Bars) -> float:
    """Width of the bar of a single value."""
    if not bars.values:
        return 0.45 * float((bars.right - bars.left).max())
    gaps = np.diff(bars.left)
    return 0.6 * float(gaps.min()) if gaps.size else 0.5 * (float(np.abs(bars.left[0])) or 1.0)


def _draw_bars(ax: Axes, result: Comparison, bars: Bars) -> None:
    width = _thickness(bars)
    for left, right, height in zip(bars.left, bars.right, bars.heights, strict=True):
        middle = (left + right) / 2
        single = left == right
        ax.bar(
            middle,
            height,
            width=width if single else right - left,
            zorder=2.5 if single else 2,
            **_look(result, middle),
        )


def _look(result: Comparison, middle: float) -> dict[str, Any]:
    if middle == 0:
        return {"facecolor": "#8c8c8c", "edgecolor": canvas.INK, "lw": 0.8, "label": "equal"}
    word = comparison.sides(result)[int(middle > 0)]
    if word in ("worse", "lower"):
        return {
            "facecolor": "white",
            "edgecolor": canvas.COLOURS[1],
            "hatch": "////",
            "lw": 0.8,
            "label": word,
        }
    return {"facecolor": canvas.COLOURS[0], "edgecolor": "white", "lw": 0.4, "label": word}


def _write_shares(ax: Axes, result: Comparison) -> None:
    # Zero stands in the middle of a symmetric axis.
    places = ((0.02, "left"), (0.5, "center"), (0.98, "right"))
    for (word, count, share), (x, ha) in zip(shares(result), places, strict=True):
        ax.text(
            x,
            _WORDS,
            f"{word}: {count} ({100 * share:.3g} %)",
            transform=ax.transAxes,
            ha=ha,
            va="bottom",
            fontsize=9,
            color=canvas.INK,
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
            **labels.PLAIN,
        )


def _draw_mean(ax: Axes, result: Comparison) -> None:
    top = ax.get_ylim()[1]
    for (name, interval), part in zip(comparison.intervals(result), _STRIPS, strict=False):
        y, colour = part * top, canvas.COLOURS[0] if name == "guaranteed" else canvas.MUTED
        look = (interval.guarantee, colour, 2.2)
        comparison.draw_limits(ax, interval.lower, interval.upper, y, look=look, label=name)
        ax.plot(result.estimate, y, "D", color=canvas.INK, ms=4, zorder=4, label="mean")
        limits = comparison.range_of(interval.lower, interval.upper)
        canvas.beside(ax, y, f"{interval.method}, {interval.guarantee}\n{limits}", gap=6)


def _told(result: Comparison) -> list[str]:
    alpha = f"{result.limit_alpha:g}"
    told = [f"◆ mean difference {result.estimate:.4g}; each limit by itself at error level {alpha}"]
    told += comparison.margin_words(result)
    if result.d is not None and (result.unit != "pairs" or result.plain_estimate is not None):
        told.append(f"bars count every pair alike; ◆ is the {result.estimand}")
    whole = result.d if result.d is not None else result.x
    beyond = 0 if whole is None else int((~np.isfinite(whole)).sum())
    if beyond:
        told.append(f"{beyond} differences are not finite and are not drawn")
    return told


def _caption(ax: Axes, result: Comparison) -> None:
    what = "pairs" if result.d is not None else result.unit
    below, above = comparison.sides(result)
    canvas.caption(
        ax,
        title=comparison.heading(result, f"Differences: {comparison.names(result)}"),
        told=(
            f"How many {what} have each difference in {comparison.unit(result)}, "
            f"{comparison.names(result)}: to the left of zero {below}, to the right {above}, and "
            "equal at zero. Above the bars the mean with its guaranteed and its asymptotic "
            "interval; the axis is symmetric about zero."
        ),
        x=f"difference in {comparison.unit(result)}{comparison.direction(result)}",
        y=f"number of {what}",
    )
