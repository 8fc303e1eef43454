"""The difference of a corpus statistic, with every interval it has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke.plots import canvas, comparison, labels
from nofluke.plots.dispatch import draw
from nofluke.plots.forest import Line, stack
from nofluke.questions.pooled_answer import PooledComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.results import Row


@draw.register(PooledComparison)
def pooled(result: PooledComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the difference of the statistic with its intervals; the one that decides is dark.

    A limit that was not asked for, or cannot be given, is an arrow at the edge.

    Args:
        result: A comparison of corpora.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    rows = result.rows()
    ax = canvas.axes(ax, height=1.9 + 0.4 * len(rows))
    statistic = labels.short(result.statistic, 40)
    canvas.caption(
        ax,
        title=f"Difference in {statistic}\n{result.guarantee}, verdict: {result.verdict}",
        told=(
            f"One line for each interval of the difference {names(result)}, with its limits on "
            "the right. The BCa interval of the pooled difference decides."
        ),
        x=f"difference in {statistic}, {names(result)}{_direction(result)}",
        y="",
    )
    told = stack(ax, [_line(row, result.guarantee) for row in rows])
    ax.axvline(0, color=canvas.INK, lw=1, zorder=1.5, label="zero")
    told.append(f"each interval by itself at error level {result.alpha:g}; the bold one decides")
    if any(math.isinf(row[limit]) for row in rows for limit in ("lower", "upper")):
        why = "" if result.alternative == "different" else ", since the question is one-sided"
        told.append(f"arrow: no limit on this side{why}")
    canvas.footer(ax, told)
    return ax


def names(result: PooledComparison) -> str:
    """The two sides in the order of the difference."""
    a, b = result.names
    return f"{labels.short(b, 20)} minus {labels.short(a, 20)}"


def _direction(result: PooledComparison) -> str:
    if result.better is None:
        return ""
    return ", right is better" if result.better == "higher" else ", left is better"


def _line(row: Row, guarantee: str) -> Line:
    words = comparison.range_of(row["lower"], row["upper"])
    return Line(
        f"{row['estimand']}\n{row['method']}",
        f"{words}\nn={row['n']}" + (", decides" if row["decides"] else ""),
        {**row, "guarantee": guarantee},
        row["decides"],
    )
