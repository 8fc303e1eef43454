"""The default picture of a certificate: what each of the chosen guarantees, at every gamma."""

from __future__ import annotations

import bisect
import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import InputError
from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.plots.rates import rates
from nofluke.questions.certificate import Certificate
from nofluke.results import Band
from nofluke.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.questions.certificate import Evaluated

_POINTS = 150


@draw.register(Certificate)
def certificate(result: Certificate, *, ax: Axes | None = None) -> Axes:
    """Rates for a binary score, else the guaranteed KPI against the failure rate."""
    return rates(result, ax=ax) if result.binary else kpi_against_gamma(result, ax=ax)


def kpi_against_gamma(result: Certificate, *, ax: Axes | None = None) -> Axes:
    """Draw the guaranteed KPI of each of the chosen against the failure rate.

    A curve begins at the smallest failure rate its n can certify. Filled markers stand at the
    rates that were asked for; hollow rings are the winners, which have a level of their own and
    therefore do not lie on the curves.

    Args:
        result: A certificate with bands.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.

    Raises:
        InputError: The regions are intervals for a rate.
    """
    if result.binary:
        raise InputError(
            "a binary score has one rate and no curve; draw it with rates(result).", code="NF008"
        )
    told = _told_apart(result)
    ax = canvas.axes(ax, height=4.2 + canvas.LINE * len(told))
    _caption(ax, result)
    least = [e.gamma_min(result.better) for e in result.evaluated]
    starts = [gamma for gamma in least if gamma is not None]
    if not starts:
        return canvas.nothing(ax, _why_nothing(result))
    _settle_gammas(ax, result, min(starts))
    _draw_curves(ax, result)
    if not np.isfinite(ax.dataLim.intervaly).all():
        return canvas.nothing(ax, "Every limit falls on an infinite score.")
    _draw_winners(ax, result)
    _settle_values(ax)
    _name_curves(ax, result)
    canvas.footer(ax, told)
    return ax


def gammas_of(
    result: Certificate, evaluated: Evaluated, end: float, most: int = _POINTS
) -> tuple[float, ...]:
    """Failure rates at which a curve steps, up to ``end``, and those that were asked for."""
    band = evaluated.region
    if not isinstance(band, Band):
        return ()
    rates = band.rates(better=result.better)
    count = bisect.bisect_left(rates, min(end, band.gamma_max or end))
    if not count:
        return ()
    if count > most:  # evenly spaced for the eye, which sees a logarithmic axis
        spaced = np.geomspace(rates[0], rates[count - 1], most)
        places = (bisect.bisect_left(rates, rate, hi=count) for rate in spaced)
        steps = rates[np.unique(np.fromiter(places, np.int64))]
    else:
        steps = rates[:count]
    end = min(end, band.gamma_max or end)
    # A hair above the step: the decimal nearest to it may lie below, where it is not reached yet.
    at = {float(g) for g in steps * (1 + 1e-12) if g < end}
    return tuple(sorted(at | {g for g in result.gammas if steps[0] <= g <= end}))


def _settle_gammas(ax: Axes, result: Certificate, first: float) -> None:
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    low = min(first, *result.gammas) / 1.15
    high = 0.999 if first > 0.3 else min(0.999, max(0.5, 1.3 * max(result.gammas)))
    ticks = [c * 10.0**e for e, c in product(range(-12, 1), (1, 2, 5)) if low <= c * 10.0**e <= 1]
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ticks = [t for t in ticks if t <= high]
    # With many decades every 2 and 5 would crowd the axis.
    ticks = ticks if len(ticks) <= 10 else [t for t in ticks if f"{t:e}".startswith("1.0")]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FixedFormatter([f"{t:g}" for t in ticks]))
    ax.xaxis.set_minor_locator(NullLocator())
    for gamma in result.gammas:
        ax.axvline(gamma, color=canvas.MUTED, lw=0.8, ls=":", zorder=1)


def _draw_curves(ax: Axes, result: Certificate) -> None:
    end = ax.get_xlim()[1]
    for i, e in reversed(list(enumerate(result.evaluated))):
        told = i < canvas.MOST
        gammas = gammas_of(result, e, end, _POINTS if told else _POINTS // 4)
        if not gammas:
            continue
        values = [v if math.isfinite(v) else math.nan for v in result.curve(e.candidate, gammas)]
        ax.step(
            [*gammas, end],
            [*values, values[-1]],
            where="post",
            color=canvas.COLOURS[i] if told else canvas.FAINT,
            ls=canvas.STROKES[i] if told else "-",
            lw=1.6 if told else 0.7,
            zorder=3 if told else 2,
            label=visible(e.candidate),
        )
    for i, e in enumerate(result.evaluated[: canvas.MOST]):
        _mark_asked(ax, result, e, i)


def _mark_asked(ax: Axes, result: Certificate, e: Evaluated, i: int) -> None:
    values = zip(result.gammas, result.curve(e.candidate, result.gammas), strict=True)
    for gamma, value in values:
        if math.isfinite(value):
            ax.plot(gamma, value, canvas.MARKERS[i], color=canvas.COLOURS[i], ms=5, zorder=4)


def _draw_winners(ax: Axes, result: Certificate) -> None:
    named = [w for w in result.winners() if w["candidate"] is not None]
    for winner in named:
        ax.plot(
            winner["gamma"],
            winner["value"],
            "o",
            mfc="none",
            mec=canvas.INK,
            mew=1.6,
            ms=11,
            zorder=5,
            label="winner",
        )


def _settle_values(ax: Axes) -> None:
    if canvas.stretch(ax, "y", ax.dataLim.intervaly):
        ax.set_ylabel(f"{ax.get_ylabel()}, log scale", **labels.PLAIN)
    ax.margins(y=0.06)
    ax.autoscale_view(scalex=False)
    ax.grid(axis="y", color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)


def _name_curves(ax: Axes, result: Certificate) -> None:
    end, ends = ax.get_xlim()[1], []
    for i, e in enumerate(result.evaluated[: canvas.MOST]):
        line = next((x for x in ax.lines if x.get_label() == visible(e.candidate)), None)
        last = math.nan if line is None else float(np.asarray(line.get_ydata())[-1])
        if math.isfinite(last):
            ends.append((end, last, labels.short(e.candidate), canvas.COLOURS[i]))
    labels.at_line_ends(ax, ends)


def _told_apart(result: Certificate) -> list[str]:
    """The winners, each with its value, and the rates that cannot be certified."""
    winners = result.winners()
    lines = [
        f"○ γ={w['gamma']:g}: {labels.short(w['candidate'], 18)} "
        f"{labels.promise(w['value'], result.better)}"
        for w in winners
        if w["candidate"] is not None
    ]
    if lines:
        lines.insert(0, f"winner, at its own level {winners[0]['alpha']:.4g}:")
    rows = result.rows()
    lines += labels.some_lines(labels.refusal(row) for row in rows if row["rank"] is None)
    endless = [row for row in rows if row["rank"] is not None and math.isinf(row["value"])]
    lines += labels.some_lines(
        f"γ={row['gamma']:g}: no finite limit for {labels.short(row['candidate'], 18)} "
        "(infinite scores)"
        for row in endless
    )
    if len(result.evaluated) > canvas.MOST:
        lines.append(f"grey: {len(result.evaluated) - canvas.MOST} more of the chosen")
    return labels.some_lines(lines, 9)


def _why_nothing(result: Certificate) -> str:
    if not result.evaluated:
        return "Nobody was chosen, so nothing is promised."
    needed = [row["n_needed"] for row in result.rows() if row["n_needed"] is not None]
    if not needed:
        return "The rule promises nothing for a shortlist of this size."
    n = max(e.n for e in result.evaluated)
    return (
        f"With n = {n} no failure rate at all can be certified.\n"
        f"γ = {max(result.gammas):g} needs n ≥ {min(needed)}."
    )


def _caption(ax: Axes, result: Certificate) -> None:
    metric = labels.metric(result)
    way = "at most" if result.better == "lower" else "at least"
    canvas.caption(
        ax,
        title=labels.heading(result, "What each of the chosen guarantees"),
        told=(
            f"Guaranteed {metric} against the failure rate gamma, one step curve for each of "
            f"the {len(result.evaluated)} chosen: in all but a share gamma of future cases the "
            f"{metric} is {way} this value. Rings mark the winners at their own level."
        ),
        x="failure rate γ: share of future cases that may be worse (log scale)",
        y=f"guaranteed {metric} ({way})",
    )
