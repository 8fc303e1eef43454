"""One candidate's distribution with its band, and the guaranteed KPI read from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import InputError
from nofluke.plots import canvas, labels
from nofluke.results import Band, Ordered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from nofluke.questions.certificate import Certificate, Evaluated
    from nofluke.results import Row

# More jumps than this are closer together than a pixel.
_JUMPS = 500


def band_fan(result: Certificate, *, ax: Axes | None = None, candidate: str | None = None) -> Axes:
    """Draw the empirical distribution of one of the chosen, its band and its guaranteed KPIs.

    Infinite scores stand beyond the edge of the picture and are counted there; a failure rate
    that cannot be certified is named in the corner with the number of examples it would need.

    Args:
        result: A certificate with bands.
        ax: Axes to draw on; new ones by default.
        candidate: Id of one of the chosen; the best by default.

    Returns:
        The axes.

    Raises:
        InputError: The candidate was not chosen, or the regions are intervals for a rate.
    """
    if not result.evaluated:
        return canvas.nothing(canvas.axes(ax), "Nobody was chosen, so there is no band to draw.")
    chosen = _one_of(result, candidate)
    band = _band_of(chosen)
    rows = [row for row in result.rows() if row["candidate"] == chosen.candidate]
    missed = [labels.refusal(row) for row in rows if row["rank"] is None]
    told = labels.some_lines([*_beyond(band), *missed])
    ax = canvas.axes(ax, height=4.2 + canvas.LINE * len(told))
    _caption(ax, result, chosen, band)
    _settle_limits(ax, band)
    _draw_band(ax, band)
    _draw_promises(ax, [row for row in rows if row["rank"] is not None], result.better)
    canvas.footer(ax, told)
    return ax


def jumps(band: Band, most: int = _JUMPS) -> NDArray[np.float64]:
    """Finite scores at which the distribution jumps; of very many, enough for every pixel."""
    if isinstance(band.x, Ordered):
        return np.unique(_finite(band.x, most))
    x = band.x[np.isfinite(band.x)]
    if x.size > 2 * most:
        by_rank = np.linspace(0, x.size - 1, most).astype(np.int64)
        by_score = np.searchsorted(x, np.linspace(x[0], x[-1], most), side="right") - 1
        x = x[np.union1d(by_rank, by_score)]
    return np.unique(x)


def share_up_to(band: Band, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the sample at or below each t: the step that the band surrounds."""
    if isinstance(band.x, Ordered):
        return band.x.passed(t) / band.x.size
    return np.searchsorted(band.x, t, side="right") / band.x.size


def _finite(x: NDArray[np.float64] | Ordered, most: int = _JUMPS) -> NDArray[np.float64]:
    """The finite scores in ascending order; at evenly spread ranks where they are not in memory."""
    if isinstance(x, Ordered):
        x = x.at(np.unique(np.linspace(0, x.size - 1, 2 * most).astype(np.int64)))
    return x[np.isfinite(x)]


def _infinite(x: NDArray[np.float64] | Ordered) -> tuple[int, int]:
    """How many scores are inf, and how many -inf."""
    if isinstance(x, Ordered):
        finite = np.finfo(np.float64)
        below, upto = x.passed([-math.inf, finite.max]).tolist()
        return x.size - upto, below
    return int((x == math.inf).sum()), int((x == -math.inf).sum())


def _one_of(result: Certificate, candidate: str | None) -> Evaluated:
    if candidate is None:
        return result.evaluated[0]
    for evaluated in result.evaluated:
        if evaluated.candidate == candidate:
            return evaluated
    raise InputError(
        f"candidate={candidate!r} is not among the chosen, which are {result.selected!r}.",
        code="NF008",
    )


def _band_of(evaluated: Evaluated) -> Band:
    if not isinstance(evaluated.region, Band):
        raise InputError(
            "a binary score has an interval for its rate and no band; draw it with rates(result).",
            code="NF008",
        )
    return evaluated.region


def _settle_limits(ax: Axes, band: Band) -> None:
    finite = _finite(band.x)
    low, high = (float(finite[0]), float(finite[-1])) if finite.size else (0.0, 1.0)
    positive = finite[finite > 0]
    if positive.size and canvas.stretch(ax, "x", finite, middle=float(np.median(positive))):
        left = max(float(positive[0]), 1e-6 * high) / 1.3
        ax.set_xlim(left, 1.3 * high)
        if isinstance(band.x, Ordered):
            hidden = int(band.x.passed(np.nextafter(left, -math.inf))) - _infinite(band.x)[1]
        else:
            hidden = int((finite < left).sum())
        hint = f"; {hidden} scores lie left of it" if hidden else ""
        ax.set_xlabel(f"{ax.get_xlabel()} (log scale{hint})", **labels.PLAIN)
    else:
        margin = 0.04 * (high - low) or max(0.1 * abs(low), 0.5)
        ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(0, 1.02)


def _draw_band(ax: Axes, band: Band) -> None:
    left, right = ax.get_xlim()
    t = np.array([left, *jumps(band), right])
    share, lower, upper = share_up_to(band, t), band.lower(t), band.upper(t)
    # A one-sided band is filled from the curve to its one limit; the other side promises nothing.
    floor = share if band.side == "upper" else lower
    roof = share if band.side == "lower" else upper
    if band.gamma_max is not None:  # silent where nothing that matters is bounded
        floor = np.where((lower > 0) | (upper < 1), floor, share)
        roof = np.where((lower > 0) | (upper < 1), roof, share)
    blue = canvas.COLOURS[0]
    if math.isfinite(band.half_width):
        ax.fill_between(t, floor, roof, step="post", color=blue, alpha=0.2, lw=0, label="band")
    if band.side != "upper":
        ax.step(t, lower, where="post", color=blue, lw=1.2, ls="--", label="lower limit")
    if band.side != "lower":
        ax.step(t, upper, where="post", color=blue, lw=1.2, ls="--", label="upper limit")
    ax.step(t, share, where="post", color=canvas.INK, lw=1.6, label="share of scores")


def _draw_promises(ax: Axes, rows: Sequence[Row], better: str) -> None:
    heights = [1 - row["gamma"] if better == "lower" else row["gamma"] for row in rows]
    orange = canvas.COLOURS[1]
    for row, height in zip(rows, heights, strict=True):
        ax.axhline(height, color=canvas.MUTED, lw=0.8, ls=":", zorder=1)
        if math.isfinite(row["value"]):
            x, left = row["value"], ax.get_xlim()[0]
            ax.plot([left, x], [height, height], color=orange, lw=1.4, zorder=4)
            ax.plot([x, x], [height, 0], color=orange, lw=1.4, zorder=4)
            ax.plot(x, height, "o", color=orange, ms=5, zorder=5)
    right = ax.get_xlim()[1]
    words = [f"γ={row['gamma']:g}: {labels.promise(row['value'], better)}" for row in rows]
    ends = zip(heights, words, strict=True)
    labels.at_line_ends(ax, [(right, height, text, orange) for height, text in ends])


def _beyond(band: Band) -> list[str]:
    """What the picture cannot show."""
    above, below = _infinite(band.x)
    told = []
    if not math.isfinite(band.half_width):
        told.append("no band: this rule promises nothing for a shortlist of this size")
    if above:
        told.append(f"{above} of {band.x.size} scores are ∞: beyond the right edge")
    if below:
        told.append(f"{below} of {band.x.size} scores are −∞: beyond the left edge")
    return told


def _caption(ax: Axes, result: Certificate, chosen: Evaluated, band: Band) -> None:
    name, metric = labels.short(chosen.candidate), labels.metric(result)
    sides = {"both": "both sides", "lower": "from below", "upper": "from above"}
    canvas.caption(
        ax,
        title=labels.heading(result, f"Distribution of {name} with its {band.method} band"),
        told=(
            f"The share of scores up to each value of {metric} for {name}, n = {band.n}, as a "
            f"step curve, with a band that bounds the true distribution ({sides[band.side]}) at "
            f"error level {band.alpha:.4g}; half-width {band.half_width:.4g}. The guaranteed "
            "values are marked where the limit of the band reaches each failure rate."
        ),
        x=metric,
        y="share of cases with at most this score",
    )
