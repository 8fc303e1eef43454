"""Intervals under each other: of every method, and of every group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nofluke.plots import canvas, comparison, labels
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from nofluke.questions.comparison import Comparison
    from nofluke.results import Row

# More lines than this do not fit beside each other with their names.
_NAMED = 40
# Inches for two lines of text.
_LINE = 0.4


class Line(NamedTuple):
    """One line of a forest.

    Attributes:
        name: What stands on its left.
        words: What stands on its right.
        row: Its estimate and limits.
        strong: Whether it is set off from the others.
    """

    name: str
    words: str
    row: Row
    strong: bool


def methods(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the interval of every method, with its guarantee and the verdict it would give.

    The method of the answer is dark. Broken lines hold for large n only, or under conditions that
    are not met.

    Args:
        result: A comparison.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    lines = [_of_method(row) for row in result.rows()]
    ax = canvas.axes(ax, height=1.9 + _LINE * len(lines))
    canvas.caption(
        ax,
        title=comparison.heading(result, "Every method side by side"),
        told=(
            f"One line for each method: its interval for the mean difference "
            f"{comparison.names(result)}, with its guarantee on the left and its verdict on the "
            f"right. The method of the answer, {result.method}, is marked as used."
        ),
        x=_mean(result),
        y="",
    )
    if not lines:
        return canvas.nothing(ax, "No method serves this design.")
    told = _forest(ax, result, lines)
    told.append(f"each limit by itself at error level {result.limit_alpha:g}")
    canvas.footer(ax, [*told, "nothing here pays for choosing a method by its verdict"])
    return ax


def subgroups(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean difference of every group with limits that hold for all groups together.

    Args:
        result: A comparison with groups.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    rows = result.subgroups
    lines = [_of_group(row) for row in rows]
    ax = canvas.axes(ax, height=min(1.9 + _LINE * len(lines), 14.0))
    word = rows[0]["guarantee"] if rows else result.guarantee
    canvas.caption(
        ax,
        title=f"The same question in each group\n{word}, all limits hold together",
        told=(
            f"One line for each of {len(rows)} groups: its mean difference "
            f"{comparison.names(result)} with simultaneous limits, and on the right the number of "
            "pairs, Holm's adjusted p-value and the verdict."
        ),
        x=_mean(result),
        y="",
    )
    if not lines:
        return canvas.nothing(ax, "No groups were asked for.")
    canvas.footer(ax, [*_forest(ax, result, lines), "p: adjusted for all groups (Holm)"])
    return ax


def _of_method(row: Row) -> Line:
    if row["lower"] is None:
        words = f"p = {_up(row['pvalue'])}, no interval\n{row['verdict']}"
    else:
        words = f"{comparison.range_of(row['lower'], row['upper'])}\n{row['verdict']}"
    used = ", used" if row["used"] else ""
    return Line(f"{row['method']}\n{row['guarantee']}", words + used, row, row["used"])


def _of_group(row: Row) -> Line:
    sign = "≤" if row["p_is_bound"] else "="
    words = f"n={row['n']}, p {sign} {_up(row['adjusted'])}\n{row['verdict']}"
    strong = row["verdict"] != "not enough evidence"
    return Line(labels.short(row["group"], 22), words, row, strong)


def _up(p: float) -> str:
    return outward(p, "lower", digits=3)


def stack(ax: Axes, lines: Sequence[Line], *, marks: Sequence[float] = ()) -> list[str]:
    """Draw lines under each other, named on both sides as far as there is room.

    Args:
        ax: Axes; their limits are settled here.
        lines: What is drawn, from the top.
        marks: Further values that the horizontal axis must hold, beside zero.

    Returns:
        What the footer has to say about them.
    """
    held = [line.row[key] for line in lines for key in ("estimate", "lower", "upper")]
    ax.set_xlim(comparison.horizon([*held, *marks]))
    ax.set_ylim(len(lines) - 0.4, -0.6)
    for place, line in enumerate(lines):
        _draw(ax, place, line)
    named = lines if len(lines) <= _NAMED else []
    ax.set_yticks(range(len(named)))
    ax.set_yticklabels([line.name for line in named], fontsize=8.5, **labels.PLAIN)
    for tick, line in zip(ax.get_yticklabels(), named, strict=True):
        tick.set_fontweight("bold" if line.strong else "normal")
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    ax.grid(axis="x", color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)
    for place, line in enumerate(named):
        canvas.beside(ax, place, line.words, strong=line.strong)
    return [] if named else [f"{len(lines)} lines, too many to name here"]


def _forest(ax: Axes, result: Comparison, lines: Sequence[Line]) -> list[str]:
    told = stack(ax, lines, marks=comparison.margins(result))
    comparison.draw_marks(ax, result)
    return [*comparison.margin_words(result), *told]


def _draw(ax: Axes, place: int, line: Line) -> None:
    colour, row = canvas.COLOURS[0] if line.strong else canvas.MUTED, line.row
    lower, upper = row["lower"], row["upper"]
    if lower is not None and upper is not None:
        look = (row["guarantee"], colour, 2.4 if line.strong else 1.6)
        name = line.name.partition("\n")[0]
        comparison.draw_limits(ax, lower, upper, place, look=look, label=name)
    filled = row["guarantee"] in comparison.HOLDING
    ax.plot(
        row["estimate"],
        place,
        "o" if filled else "s",
        color=colour,
        mfc=colour if filled else "white",
        ms=5.5 if line.strong else 4.5,
        zorder=4,
        label="estimate",
    )


def _mean(result: Comparison) -> str:
    return f"mean difference in {comparison.unit(result)}{comparison.direction(result)}"
