"""What all pictures share: fresh axes, colours for every eye, a quiet frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nofluke.plots import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

INK = "#1a1a1a"
MUTED = "#595959"
FAINT = "#c4c4c4"

# Okabe & Ito without yellow, which vanishes on white. Strokes and markers differ as well, so a
# black-and-white print tells the lines apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
STROKES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (9, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2.5, 2.5)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

#: How many lines are told apart in one picture; the others are drawn in grey.
MOST = len(COLOURS)

#: Inches that a line of the footer takes.
LINE = 0.17


def axes(ax: Axes | None, *, height: float = 4.2) -> Axes:
    """The given axes, or new ones on a figure of their own, with a quiet frame.

    Args:
        ax: Axes from the caller.
        height: Height of a new figure in inches.
    """
    if ax is None:
        from matplotlib.figure import Figure

        from nofluke.plots.notebook import ShownAxes

        figure = Figure(figsize=(7.2, height), layout="constrained")
        ax = figure.add_subplot(axes_class=ShownAxes)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(labelsize=9, colors=INK)
    return ax


def caption(ax: Axes, *, title: str, told: str, x: str, y: str) -> None:
    """Title, axis labels, and the description that a screen reader gets.

    Args:
        ax: The axes.
        title: What the picture shows, with its guarantee word; the first line is its name.
        told: The picture in a sentence or two; kept as the label of the axes.
        x: Label of the horizontal axis, with its unit.
        y: Label of the vertical axis, with its unit.
    """
    ax.set_title(title, loc="left", fontsize=10, color=INK, **labels.PLAIN)
    ax.set_xlabel(x, fontsize=9.5, color=INK, **labels.PLAIN)
    ax.set_ylabel(y, fontsize=9.5, color=INK, **labels.PLAIN)
    ax.set_label(told)


def beside(ax: Axes, y: float, text: str, *, gap: float = 8, strong: bool = False) -> None:
    """Small text on the right of the axes, at the height of what it tells about.

    Args:
        ax: The axes.
        y: Height, in data units.
        text: One line or several.
        gap: Points between the axes and the text.
        strong: Whether it is in bold type.
    """
    ax.annotate(
        text,
        xy=(1, y),
        xytext=(gap, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=INK,
        fontweight="bold" if strong else "normal",
        annotation_clip=False,
        **labels.PLAIN,
    )


def footer(ax: Axes, lines: Sequence[str]) -> None:
    """Small text under the horizontal axis, where it can cover nothing."""
    if lines:
        ax.annotate(
            "\n".join(lines),
            xy=(0, 0),
            xycoords="axes fraction",
            xytext=(0, -40),
            textcoords="offset points",
            va="top",
            fontsize=8.5,
            color=INK,
            linespacing=1.45,
            annotation_clip=False,
            **labels.PLAIN,
        )


def stretch(ax: Axes, which: str, values: Iterable[float], *, middle: float | None = None) -> bool:
    """Make an axis logarithmic where the largest value would squeeze the others flat.

    Args:
        ax: The axes.
        which: "x" or "y"; the label of that axis should say so if this is done.
        values: What is drawn.
        middle: A value that must stay readable; the smallest one by default.

    Returns:
        Whether the axis is logarithmic now.
    """
    finite = [v for v in values if math.isfinite(v)]
    if not finite or min(finite) < 0 or (middle is None and min(finite) == 0):
        return False
    middle = min(finite) if middle is None else middle
    if not 0 < 30 * middle < max(finite):
        return False
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis, set_scale = (ax.xaxis, ax.set_xscale) if which == "x" else (ax.yaxis, ax.set_yscale)
    set_scale("log", nonpositive="clip")
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
    return True


def nothing(ax: Axes, text: str) -> Axes:
    """Axes that say why there is nothing to draw."""
    ax.text(
        0.5,
        0.5,
        text,
        transform=ax.transAxes,
        ha="center",
        va="center",
        fontsize=10,
        color=INK,
        linespacing=1.5,
        **labels.PLAIN,
    )
    ax.set_xticks([])
    ax.set_yticks([])
    return ax
