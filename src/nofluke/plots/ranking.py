"""A ranking: the ranks that each candidate may have, and its mean, tier by tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from nofluke.results import Row

_LINE = 0.24  # inches for one candidate


@draw.register(Ranking)
def ranking(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the interval of ranks of every candidate, rank 1 on the left.

    Candidates that may be the best have filled markers; colour and marker tell tiers apart.

    Args:
        result: A ranking.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    rows = result.rows()
    ax = canvas.axes(ax, height=2.0 + _LINE * len(rows))
    claim = "all at once" if result.simultaneous else "not promised to hold all at once"
    canvas.caption(
        ax,
        title=f"Ranks in mean {labels.short(result.unit_name, 40)}\n{result.guarantee}, {claim}",
        told=(
            "One line for each candidate, the best mean on top: the ranks that it may have, from "
            "the best to the worst, and its tier on the right. Filled: may be the best."
        ),
        x="rank, left is better",
        y="",
    )
    for place, row in enumerate(rows):
        colour, marker = _look(row)
        ends = [row["rank_low"], row["rank_high"]]
        ax.plot(ends, [place, place], color=colour, lw=2.2, solid_capstyle="butt")
        ax.plot(ends, [place, place], marker, color=colour, ms=4.5, mfc=_fill(row, colour))
    ax.set_xlim(0.5, result.K + 0.5)
    _name(ax, rows, _span)
    canvas.footer(
        ax,
        [
            f"error level {result.alpha:g}, {result.method}; filled: may be the best",
            f"{len(result.edges)} of {result.K * (result.K - 1) // 2} pairs are told apart",
        ],
    )
    return ax


def estimates(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the mean of every candidate, with a line between tiers.

    Args:
        result: A ranking.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    rows = result.rows()
    ax = canvas.axes(ax, height=2.0 + _LINE * len(rows))
    canvas.caption(
        ax,
        title=f"Mean {labels.short(result.unit_name, 40)} of each candidate, by tier\ndescriptive",
        told=(
            "One point for each candidate, the best mean on top; markers and colours tell tiers "
            "apart, and a thin line parts neighbours of different tiers."
        ),
        x=f"mean {labels.short(result.unit_name, 40)}, {result.better} is better",
        y="",
    )
    for place, row in enumerate(rows):
        colour, marker = _look(row)
        ax.plot(row["estimate"], place, marker, color=colour, ms=5, mfc=_fill(row, colour))
        if place and row["tier"] != rows[place - 1]["tier"]:
            ax.axhline(place - 0.5, color=canvas.FAINT, lw=0.8, zorder=0)
    _name(ax, rows, lambda row: f"{row['estimate']:.4g}")
    canvas.footer(
        ax,
        [
            "filled: may be the best; candidates of one tier are not shown to be equal",
            "means by themselves promise nothing about differences",
        ],
    )
    return ax


def _name(ax: Axes, rows: list[Row], words: Callable[[Row], str]) -> None:
    """Candidates on the left, words and tiers on the right."""
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)))
    names = [labels.short(row["candidate"], 30) for row in rows]
    ax.set_yticklabels(names, fontsize=8.5, **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    for place, row in enumerate(rows):
        ax.annotate(
            f"{words(row)}  tier {row['tier']}",
            xy=(1, place),
            xytext=(8, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=canvas.INK,
            annotation_clip=False,
            **labels.PLAIN,
        )


def _span(row: Row) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


def _look(row: Row) -> tuple[str, str]:
    at = (row["tier"] - 1) % canvas.MOST
    return canvas.COLOURS[at], canvas.MARKERS[at]


def _fill(row: Row, colour: str) -> str:
    return colour if row["may_be_best"] else "white"
