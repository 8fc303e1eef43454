"""The test set against the cases that will come: the share of each group in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.plots import canvas, comparison, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.questions.comparison import Comparison
    from nofluke.results import Row

_HEIGHT = 0.36
_HATCHED: Any = {"facecolor": "white", "edgecolor": canvas.MUTED, "hatch": "////", "lw": 1}


def group_shares(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the share of each group in the test set and in the mix, and the estimate of each.

    Args:
        result: A comparison under a mix.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    rows = result.shares
    ax = canvas.axes(ax, height=min(2.1 + 0.5 * len(rows), 14.0))
    _caption(ax, result)
    if not rows:
        return canvas.nothing(ax, "No mix of groups was asked for.")
    places = np.arange(len(rows))
    tested, used = [row["share"] for row in rows], [row["mix"] for row in rows]
    ax.barh(places - _HEIGHT / 2, tested, height=_HEIGHT, label="test set", **_HATCHED)
    blue = canvas.COLOURS[0]
    ax.barh(places + _HEIGHT / 2, used, height=_HEIGHT, color=blue, label="mix")
    ax.set_xlim(0, 1.06 * max(*tested, *used))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    _name(ax, rows)
    canvas.footer(ax, _told(result))
    return ax


def _name(ax: Axes, rows: tuple[Row, ...]) -> None:
    ax.set_yticks(range(len(rows)))
    names = [labels.short(row["group"], 22) for row in rows]
    ax.set_yticklabels(names, fontsize=8.5, **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    for place, row in enumerate(rows):
        mean = row["estimate"]
        told = "no examples" if mean is None else f"mean difference {mean:+.3g}"
        canvas.beside(ax, place, f"{told}\nn = {row['n']}")


def _told(result: Comparison) -> list[str]:
    told = ["hatched: share of the test set; filled: share of the mix"]
    if result.plain_estimate is not None:
        told.append(
            f"mean difference: {result.plain_estimate:+.4g} with all examples alike, "
            f"{result.estimate:+.4g} under the mix"
        )
    return told


def _caption(ax: Axes, result: Comparison) -> None:
    canvas.caption(
        ax,
        title="The test set and the mix in which B will be used\ndescriptive",
        told=(
            "Two bars for each group, from zero: its share of the test set (hatched) and its share "
            "of the mix in which B will be used (filled). On the right the mean difference "
            f"{comparison.names(result)} in the group and its number of examples."
        ),
        x="share",
        y="",
    )
