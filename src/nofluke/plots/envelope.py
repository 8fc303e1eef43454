"""Hoeffding's envelope: how large a mean difference must be, against the number of examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.plan import Envelope
from nofluke.results import outward

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POWER = 0.8
# A threshold more than so many times the last one, and the mean observed, would squeeze the part
# where they meet into the axis.
_TALL = (12, 8)
_RING: Any = {"mfc": "white", "mec": canvas.INK, "mew": 1.6, "ms": 8, "zorder": 4}


@draw.register(Envelope)
def envelope(result: Envelope, *, ax: Axes | None = None) -> Axes:
    """Draw the threshold for the mean difference against the number of examples.

    A mean that was observed is a horizontal line, with a ring where the threshold falls to it and
    a triangle where a true gain of that size passes with probability 80 %. The axis begins at
    zero; the largest thresholds, at small n, are cut off, and the footer says where.

    Args:
        result: An envelope.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    told = _told(result)
    ax = canvas.axes(ax, height=4.4 + canvas.LINE * len(told))
    _caption(ax, result)
    rows = result.rows()
    n, eps = [row["n"] for row in rows], [row["eps"] for row in rows]
    blue = canvas.COLOURS[0]
    if result.side != "upper":
        ax.plot(n, eps, color=blue, lw=1.8, label="threshold")
    if result.side != "lower":
        ax.plot(n, [-e for e in eps], color=blue, lw=1.8, ls="--", label="threshold below")
    _settle(ax, result)
    _draw_observed(ax, result)
    _name(ax, result)
    canvas.footer(ax, told)
    return ax


def _settle(ax: Axes, result: Envelope) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if result.n_max > 1:
        ax.set_xscale("log")
        ax.set_xlim(min(max(_cut(result), 1), result.n_max - 1), result.n_max)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
    most = tallest(result)
    seen = 0.0 if result.observed is None else 1.04 * result.observed
    low = 0.0 if result.side == "lower" else -most
    high = 0.0 if result.side == "upper" else most
    ax.set_ylim(min(low, seen), max(high, seen))
    ax.axhline(0, color=canvas.INK, lw=1, zorder=1, label="zero")
    ax.grid(color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)


def largest(result: Envelope) -> float:
    """The largest difference that the bounds allow."""
    return result.bounds[1] - result.bounds[0]


def tallest(result: Envelope) -> float:
    """The largest threshold that is drawn."""
    last, seen = result.eps(result.n_max), abs(result.observed or 0.0)
    return min(largest(result), max(_TALL[0] * last, _TALL[1] * seen))


def _cut(result: Envelope) -> int:
    """The largest n of the curve whose threshold is cut off; 0 where none is."""
    return max((row["n"] for row in result.rows() if row["eps"] > tallest(result)), default=0)


def _draw_observed(ax: Axes, result: Envelope) -> None:
    observed = result.observed
    if observed is None:
        return
    orange = canvas.COLOURS[1]
    ax.axhline(observed, color=orange, lw=1.5, ls=(0, (5, 2)), zorder=2, label="observed")
    for n, marker, name in _moments(result):
        if n <= result.n_max:
            ax.plot(n, observed, marker, label=name, **_RING)


def _moments(result: Envelope) -> list[tuple[int, str, str]]:
    """Where the threshold falls to the observed mean, and where that has 80 % power."""
    if result.crossing is None or not result.observed:
        return []
    enough = result.n_with_power(abs(result.observed), _POWER)
    return [(result.crossing, "o", "crossing"), (enough, "^", "power")]


def _name(ax: Axes, result: Envelope) -> None:
    eps, blue, orange = result.eps(result.n_max), canvas.COLOURS[0], canvas.COLOURS[1]
    signs = {"lower": (1,), "upper": (-1,), "both": (1, -1)}[result.side]
    most = tallest(result)
    ends = [
        (result.n_max, s * min(eps, most), f"threshold {_rounded(s * eps)}", blue) for s in signs
    ]
    if result.observed is not None:
        ends.append((result.n_max, result.observed, f"observed {result.observed:.4g}", orange))
    labels.at_line_ends(ax, [(float(x), y, text, colour) for x, y, text, colour in ends])


def _rounded(threshold: float) -> str:
    """Away from zero, so that passing it as printed is passing it."""
    return outward(threshold, "lower" if threshold > 0 else "higher", digits=4)


def _told(result: Envelope) -> list[str]:
    most = tallest(result)
    why = ": no difference within the bounds is larger" if most == largest(result) else ""
    told = [f"thresholds above {most:.3g}, up to n = {_cut(result)}, are cut off{why}"]
    told = told if _cut(result) else []
    words = {
        "crossing": "○ the threshold falls to the observed mean at n = {n}{where}; a true gain\n"
        "    of that size passes there about half of the time",
        "power": "△ it passes with probability at least 80 % from n = {n} on{where}",
    }
    for n, _, name in _moments(result):
        where = " (beyond the edge)" if n > result.n_max else ""
        told.append(words[name].format(n=n, where=where))
    if result.observed is not None and result.crossing is None:
        told.append("the observed mean never crosses: it lies on the other side of zero, or at it")
    return told


def _caption(ax: Axes, result: Envelope) -> None:
    sides = {"lower": "one-sided, B better", "upper": "one-sided, B worse", "both": "either side"}
    canvas.caption(
        ax,
        title=(
            "Hoeffding's envelope for a mean paired difference\n"
            f"finite-sample, for one n fixed in advance; error level {result.alpha:g}, "
            f"{sides[result.side]}\n"
            "crossing it at one of many looks proves nothing"
        ),
        told=(
            "The threshold that a mean difference must pass, against the number of examples n up "
            f"to {result.n_max}, for scores between {result.bounds[0]:g} and {result.bounds[1]:g} "
            f"at error level {result.alpha:g}. It holds for one n fixed in advance."
        ),
        x="number of examples n" + (" (log scale)" if result.n_max > 1 else ""),
        y="mean difference (b minus a)",
    )
