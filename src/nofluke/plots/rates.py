"""Rates of a binary score, each with the interval its level allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.errors import InputError
from nofluke.plots import canvas, labels
from nofluke.results import Interval
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from nofluke.checks import Better
    from nofluke.questions.certificate import Certificate, Evaluated

# More names than this do not fit beside the dots.
_NAMED = 40


def rates(result: Certificate, *, ax: Axes | None = None) -> Axes:
    """Draw the rate of ones of each of the chosen and the limits that are promised for it.

    The dot is the rate in the sample, the bar the limit of the interval; a ring is the limit for
    the winner, which has a level of its own.

    Args:
        result: A certificate for a binary score.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.

    Raises:
        InputError: The regions are bands.
    """
    if result.evaluated and not isinstance(result.evaluated[0].region, Interval):
        raise InputError(
            "the regions are bands and not intervals for a rate; draw them with "
            "kpi_against_gamma(result).",
            code="NF008",
        )
    m = len(result.evaluated)
    ax = canvas.axes(ax, height=min(1.7 + 0.3 * m, 11.0))
    _caption(ax, result)
    if not m:
        return canvas.nothing(ax, "Nobody was chosen, so nothing is promised.")
    for place, evaluated in enumerate(result.evaluated):
        _draw_rate(ax, place, evaluated)
    named = result.evaluated if m <= _NAMED else result.evaluated[: canvas.MOST]
    _name(ax, named, result.better)
    told = _draw_winner(ax, result)
    if m > _NAMED:
        told.append(f"unnamed rows: {m - len(named)} more of the chosen, in order")
    ax.set_xlim(0, 1)
    ax.set_ylim(m - 0.4, -0.6)
    canvas.footer(ax, told)
    return ax


def _draw_rate(ax: Axes, place: int, evaluated: Evaluated) -> None:
    rate = evaluated.region
    if not isinstance(rate, Interval):
        return
    left = rate.estimate if rate.side == "upper" else rate.lower
    right = rate.estimate if rate.side == "lower" else rate.upper
    blue = canvas.COLOURS[0]
    name = visible(evaluated.candidate)
    ax.plot([left, right], [place, place], color=blue, lw=2, label=name)
    caps = [x for x, side in ((left, "upper"), (right, "lower")) if rate.side != side]
    ax.plot(caps, [place] * len(caps), "|", color=blue, ms=9, mew=2)
    ax.plot(rate.estimate, place, "o", color=canvas.INK, ms=5, zorder=4)


def _name(ax: Axes, named: Sequence[Evaluated], better: Better) -> None:
    ax.set_yticks(range(len(named)))
    ax.set_yticklabels([labels.short(e.candidate) for e in named], fontsize=8.5, **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)
    for place, e in enumerate(named):
        # A bound on a rate does not depend on the failure rate, so any one reads it.
        value = e.value(0.5, better)
        canvas.beside(ax, place, labels.promise(value, better), gap=6)


def _draw_winner(ax: Axes, result: Certificate) -> list[str]:
    winner = result.winners()[0]
    if winner["candidate"] is None:
        return []
    place = result.selected.index(winner["candidate"])
    ax.plot(
        winner["value"],
        place,
        "o",
        mfc="none",
        mec=canvas.COLOURS[1],
        mew=1.8,
        ms=10,
        zorder=5,
        label="winner",
    )
    name = labels.short(winner["candidate"], 22)
    promised = labels.promise(winner["value"], result.better)
    return [f"○ winner, at its own level {winner['alpha']:.4g}: {name} {promised}"]


def _caption(ax: Axes, result: Certificate) -> None:
    metric = labels.metric(result)
    way = "at least" if result.better == "higher" else "at most"
    canvas.caption(
        ax,
        title=labels.heading(result, "Rate of 1 for each of the chosen"),
        told=(
            f"Rate of ones of {metric} for each of the {len(result.evaluated)} chosen, best "
            f"first: the dot is the rate in the sample, the bar ends at the limit ({way}) that "
            "is promised for future cases. A ring marks the winner at its own level."
        ),
        x=f"rate of 1 ({metric}); dot: this sample, bar: promised limit",
        y="",
    )
