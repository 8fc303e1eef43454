"""Runs: every one as a dot, with the intervals of its quantiles and that of the mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.runs_answer import Runs, percent_of, quantile_name
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from nofluke.results import Row

#: Samples of runs that one picture holds.
MOST = 24
_STACK = 0.055  # between runs with equal scores
#: Runs of a sample that are drawn; of more, as many that lie evenly in their order.
RINGS = 1000


@draw.register(Runs)
def runs(result: Runs, *, ax: Axes | None = None) -> Axes:
    """Draw every run as a dot, under it the interval of each quantile, then that of the mean.

    Thick lines are intervals of quantiles, and a tick on them is the sample quantile. The thin
    broken line with a diamond is the t interval of the mean. An open arrow is a limit that the runs
    do not give. Dotted vertical lines are natural bounds.

    Args:
        result: An answer about runs.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    shown = result.samples[:MOST]
    tall = 0.42 + 0.17 * (len(result.quantiles) + 1)
    ax = canvas.axes(ax, height=2.1 + tall * len(shown))
    names = list(dict.fromkeys(map(quantile_name, result.quantiles)))
    asked = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    lie = "lies" if len(names) == 1 else "lie"
    canvas.caption(
        ax,
        title=(
            f"{labels.short(result.quantity, 40)} of single runs, and where the {asked} {lie}\n"
            f"{result.guarantee}, level {percent_of(result.interval_level)} each"
        ),
        told=(
            f"One band for each of {len(shown)} samples of runs: every run as a dot, under it a "
            f"thick line for the interval of the {asked} and a thin broken one for the t interval "
            "of the mean. An open arrow says that the runs give no limit on that side."
        ),
        x=f"{labels.short(result.quantity, 40)} of a run{_direction(result)}",
        y="",
    )
    ax.set_xlim(_span(result, shown))
    for place, sample in enumerate(shown):
        _sample(ax, result, place, sample)
    _bounds(ax, result)
    _names(ax, result, shown)
    canvas.footer(ax, _footer(result, len(shown)))
    return ax


def _sample(ax: Axes, result: Runs, place: int, sample: Row) -> None:
    key = (sample["candidate"], sample["part"])
    name = _name(sample)
    xs, ys = _stacked(sample["values"], place)
    ax.plot(xs, ys, "o", color=canvas.INK, mfc="none", ms=4, mew=0.8, zorder=3, label="runs")
    rows = [row for row in result.intervals if (row["candidate"], row["part"]) == key]
    step = _step(result)
    for i, row in enumerate(rows):
        colour = canvas.COLOURS[i % canvas.MOST]
        _interval(ax, row, place + step * (i + 1), colour, f"{name} {row['quantile']:g}")
    mean = next(row for row in result.means if (row["candidate"], row["part"]) == key)
    y = place + step * (len(rows) + 1)
    if mean["lower"] is not None:
        ax.plot(
            [mean["lower"], mean["upper"]],
            [y, y],
            color=canvas.MUTED,
            lw=1.1,
            ls=(0, (4, 2)),
            marker="|",
            ms=6,
            label=f"mean {name}",
        )
    ax.plot(mean["mean"], y, "D", color=canvas.MUTED, mfc="white", ms=3.2, label="mean")


def _step(result: Runs) -> float:
    """Between the lines of a sample, in rows."""
    return 0.72 / (len(result.quantiles) + 2)


def _interval(ax: Axes, row: Row, y: float, colour: str, name: str) -> None:
    """A thick line with caps; an open arrow at the edge where the runs give no limit."""
    left, right = ax.get_xlim()
    edge = 0.015 * (right - left)
    absent = {"lower": row["rank_lower"] == 0, "upper": row["rank_upper"] == row["n"] + 1}
    ends = {
        "lower": left + edge if absent["lower"] else row["lower"],
        "upper": right - edge if absent["upper"] else row["upper"],
    }
    if row["status"] == "none":
        return
    ax.plot(list(ends.values()), [y, y], color=colour, lw=2.6, solid_capstyle="butt", label=name)
    for key, arrow in (("lower", "<"), ("upper", ">")):
        marker, told = (arrow, "no limit") if absent[key] else ("|", "limit")
        ax.plot(
            ends[key], y, marker, color=colour, mfc="white", ms=7, mew=1.4, zorder=4, label=told
        )
    ax.plot(row["estimate"], y, "s", color=colour, ms=4, zorder=5, label="estimate")


def _stacked(values: Sequence[float], place: int) -> tuple[list[float], list[float]]:
    """The runs in ascending order, equal ones above each other."""
    xs = sorted(values)
    last = len(xs) - 1
    if last >= RINGS:
        xs = [xs[i * last // (RINGS - 1)] for i in range(RINGS)]
    heights, level = [], 0
    for i, x in enumerate(xs):
        level = level + 1 if i and x == xs[i - 1] else 0
        heights.append(place - _STACK * min(level, 5))
    return xs, heights


def _span(result: Runs, shown: Sequence[Row]) -> tuple[float, float]:
    """Limits of the axis: all runs, and the limits that they give."""
    keys = {(s["candidate"], s["part"]) for s in shown}
    told = [v for s in shown for v in s["values"]]
    for row in result.intervals:
        if (row["candidate"], row["part"]) in keys and row["status"] != "none":
            told += [row["lower"]] * (row["rank_lower"] != 0)
            told += [row["upper"]] * (row["rank_upper"] != row["n"] + 1)
    for row in result.means:
        if (row["candidate"], row["part"]) in keys and row["lower"] is not None:
            told += [row["lower"], row["upper"]]
    finite = [v for v in told if math.isfinite(v)]
    low, high = min(finite), max(finite)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _bounds(ax: Axes, result: Runs) -> None:
    left, right = ax.get_xlim()
    for bound in result.bounds or ():
        if left <= bound <= right:
            ax.axvline(bound, color=canvas.MUTED, ls=":", lw=1.2, zorder=1, label="natural bound")


def _names(ax: Axes, result: Runs, shown: Sequence[Row]) -> None:
    ax.set_ylim(len(shown) - 0.2, -0.45)
    ax.set_yticks(range(len(shown)))
    ax.set_yticklabels([labels.short(_name(s), 30) for s in shown], fontsize=8.5, **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    rows = {(r["candidate"], r["part"], r["quantile"]): r for r in result.intervals}
    for place, sample in enumerate(shown):
        for i, u in enumerate(result.quantiles):
            row = rows[sample["candidate"], sample["part"], u]
            canvas.beside(ax, place + _step(result) * (i + 1), f"{u:g}: {_words(row)}")


def _words(row: Row) -> str:
    if row["status"] == "none":
        return f"none (n={row['n']})"
    low = "none" if row["rank_lower"] == 0 else outward(row["lower"], "higher", digits=4)
    high = "none" if row["rank_upper"] == row["n"] + 1 else outward(row["upper"], "lower", digits=4)
    return f"{low} to {high}"


def _name(sample: Row) -> str:
    part = "" if sample["part"] is None else f" | {sample['part']}"
    return f"{sample['candidate']}{part}"


def _direction(result: Runs) -> str:
    if result.better is None:
        return ""
    return ", right is better" if result.better == "higher" else ", left is better"


def _footer(result: Runs, shown: int) -> list[str]:
    told = [
        "rings: runs; thick: interval of a quantile, square: its estimate",
        "broken: t interval of the mean (diamond), which answers another question",
    ]
    if any(row["status"] == "one_sided" for row in result.intervals):
        told.append("open arrow: the runs give no limit on this side")
    if result.bounds is not None:
        low, high = result.bounds
        told.append(f"natural bounds {low:g} and {high:g}, dotted where they are in the picture")
    if any(len(sample["values"]) > RINGS for sample in result.samples[:shown]):
        told.append(f"of more than {RINGS} runs {RINGS} are drawn, evenly spread in their order")
    if shown < len(result.samples):
        told.append(f"{shown} of {len(result.samples)} samples; the others stand in the table")
    return told
