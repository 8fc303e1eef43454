"""How the scores of each candidate lie, and the predictions of positives and of negatives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.scores.predictions import Predictions
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_MOST: Final = 40  # candidates that fit into one picture
_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_FIRST, _SECOND = canvas.COLOURS[0], canvas.COLOURS[1]


class Line(NamedTuple):
    """One sample: its name, its numbers, where it stands, and its colour."""

    name: str
    values: NDArray[np.float64]
    place: float
    colour: str
    open: bool = False


@draw.register(Scores)
def scores(table: Scores, *, ax: Axes | None = None) -> Axes:
    """Draw how the scores of each candidate lie; of scores that are 0 or 1 the share of 1.

    A thin line goes from the lowest to the highest score, a thick one from the lower to the upper
    quartile; the stroke across is the median, all of them scores of the table. The diamond is the
    mean. Nothing in it is promised of other cases.

    Args:
        table: The scores.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    shown = table.candidates[:_MOST]
    ax = canvas.axes(ax, height=1.7 + 0.26 * len(shown))
    unit = labels.short(table.metric, 40) if table.metric else "score"
    way = f" ({table.better} is better)" if table.better else ""
    what = "Share of 1, by candidate" if table.binary else "How the scores of each candidate lie"
    canvas.caption(
        ax,
        title=f"{what}{_more(table.K)}\ndescriptive",
        told=f"One line for each of {len(shown)} candidates: {what[0].lower()}{what[1:]}.",
        x=f"{unit}{way}",
        y="",
    )
    lines = [Line(name, table.sample(k), k, _FIRST) for k, name in enumerate(shown)]
    told = _shares(ax, lines) if table.binary else _spreads(ax, lines)
    _names(ax, shown)
    canvas.footer(ax, told)
    return ax


@draw.register(Predictions)
def predictions(table: Predictions, *, ax: Axes | None = None) -> Axes:
    """Draw how the predictions of positives and of negatives lie, for each candidate.

    Args:
        table: The predictions.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    shown = table.candidates[:_MOST]
    ax = canvas.axes(ax, height=1.9 + 0.42 * len(shown))
    canvas.caption(
        ax,
        title=f"How predictions lie, by what is true{_more(table.K)}\ndescriptive",
        told=(
            f"Two lines for each of {len(shown)} candidates: predictions of positives above, of "
            "negatives below."
        ),
        x="prediction (a high one speaks for the positive class)",
        y="",
    )
    lines = []
    for k, name in enumerate(shown):
        truth, x = table.sample(k)
        lines.append(Line(f"{name}, positive", x[truth], k - 0.18, _FIRST))
        lines.append(Line(f"{name}, negative", x[~truth], k + 0.18, _SECOND, open=True))
    told = _spreads(ax, lines)
    _names(ax, shown)
    canvas.footer(ax, ["upper line, filled: positives; lower line, open: negatives", *told])
    return ax


def _more(K: int) -> str:
    return f" (first {_MOST} of {K})" if K > _MOST else ""


def _names(ax: Axes, shown: Sequence[str]) -> None:
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_yticks(range(len(shown)))
    ax.set_yticklabels([labels.short(name) for name in shown], **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)


def _shares(ax: Axes, lines: Sequence[Line]) -> list[str]:
    for line in lines:
        if line.values.size:
            share = float(line.values.mean())
            ax.barh(line.place, share, height=0.55, color=line.colour, label=line.name)
        ones = int((line.values == 1).sum())
        canvas.beside(ax, line.place, f"{ones} of {line.values.size}")
    ax.set_xlim(0, 1)
    return []


def _spreads(ax: Axes, lines: Sequence[Line]) -> list[str]:
    """Draw the lines, each with its count on the right; infinite values are told and not drawn."""
    ends = [line.values[np.isfinite(line.values)] for line in lines]
    for line, finite in zip(lines, ends, strict=True):
        if finite.size:
            _spread(ax, line, finite)
        endless = line.values.size - finite.size
        told = f", {endless} infinite" if endless else ""
        canvas.beside(ax, line.place, f"{_mean(line.values)} (n={line.values.size}{told})")
    footer = ["thin: lowest to highest; thick: quartiles; stroke: median; diamond: mean (right)"]
    footer += _horizon(ax, [x for x in ends if x.size])
    if any(x.size < line.values.size for line, x in zip(lines, ends, strict=True)):
        footer.append("drawn without the infinite ones")
    return footer


def _mean(values: NDArray[np.float64]) -> str:
    """The mean in a few digits; of both infinities, or of nothing, there is none."""
    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(np.mean(values)) if values.size else math.nan
    return "no mean" if math.isnan(mean) else f"{mean:.3g}".replace("inf", "∞")


def _horizon(ax: Axes, known: Sequence[NDArray[np.float64]]) -> list[str]:
    """Set the horizontal axis, logarithmic where far values would squeeze the others flat."""
    if not known:
        return []
    low, high = min(float(x.min()) for x in known), max(float(x.max()) for x in known)
    middle = float(np.median([np.median(x) for x in known]))
    if low >= 0 and canvas.stretch(ax, "x", [low, high], middle=middle):
        # Three decades below the middle: what is smaller still is told, not drawn.
        start = max(low, middle / 1000)
        ax.set_xlim(start / 1.3, high * 1.3)
        ax.set_xlabel(f"{ax.get_xlabel()}, log scale")
        return [f"scores below {start:.2g} lie left of the axis"] if low < start else []
    pad = 0.04 * (high - low) or 0.5
    ax.set_xlim(low - pad, high + pad)
    return []


def _spread(ax: Axes, line: Line, finite: NDArray[np.float64]) -> None:
    # An inverted distribution function gives values of the sample, and no others.
    low, q1, middle, q3, high = np.quantile(finite, _SHARES, method="inverted_cdf")
    y, colour = line.place, line.colour
    ax.plot([low, high], [y, y], color=colour, lw=1, label=line.name, gid="range")
    ax.barh(
        y,
        q3 - q1,
        left=q1,
        height=0.16,
        color="white" if line.open else colour,
        edgecolor=colour,
        lw=1.2,
        zorder=3,
    )
    ax.plot([middle, middle], [y - 0.15, y + 0.15], color=canvas.INK, lw=1.6, zorder=4)
    if finite.size == line.values.size:
        ax.plot(
            float(finite.mean()), y, "D", mfc="white", mec=canvas.INK, mew=0.8, ms=4.5, zorder=5
        )
