"""What the pictures of a comparison share: which way is better, the lines, the words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from nofluke.questions.comparison import Comparison
    from nofluke.results import Interval

#: Words of the ladder that hold at this n; the others are drawn with broken strokes.
HOLDING = ("finite-sample", "anytime")

_STROKES = {"asymptotic": (0, (4, 2)), "heuristic": (0, (1, 1.5)), "conjectured": (0, (1, 1.5))}


def sign(result: Comparison) -> int:
    """1 where a positive difference is a gain, -1 where it is a loss."""
    return -1 if result.better == "lower" else 1


def sides(result: Comparison) -> tuple[str, str]:
    """What a negative and a positive difference mean for B."""
    if result.better is None:
        return "lower", "higher"
    return ("better", "worse") if result.better == "lower" else ("worse", "better")


def margins(result: Comparison) -> list[float]:
    """The differences that the claim is measured against, beside zero."""
    points = {sign(result) * needed.point for needed in result.claim.needs()}
    return sorted(point for point in points if point)


def intervals(result: Comparison) -> list[tuple[str, Interval]]:
    """The guaranteed interval and the asymptotic one, as far as they were asked for."""
    pairs = (("guaranteed", result.guaranteed), ("asymptotic", result.asymptotic))
    return [(name, interval) for name, interval in pairs if interval is not None]


def heading(result: Comparison, what: str) -> str:
    """Title of a picture of a comparison: what it shows, its guarantee and the verdict."""
    word = "NOT VALID (heuristic)" if result.guarantee == "heuristic" else result.guarantee
    return f"{what}\n{word}, {result.n_units} {result.unit}, verdict: {result.verdict}"


def names(result: Comparison) -> str:
    """The two sides in the order of the difference."""
    return f"{labels.short(result.b, 20)} minus {labels.short(result.a, 20)}"


def unit(result: Comparison) -> str:
    """Name of the score, which is also its unit."""
    return labels.short(result.unit_name, 30)


def direction(result: Comparison) -> str:
    """Which way is better, for the label of an axis."""
    if result.better is None:
        return ""
    return ", right is better" if result.better == "higher" else ", left is better"


def range_of(lower: float, upper: float) -> str:
    """Two limits, each rounded so that it stays true.

    >>> range_of(0.01239, 0.05671), range_of(float("-inf"), 0.5)
    ('[0.0123, 0.0568]', '[−∞, 0.5]')
    """
    low = "−∞" if lower == -math.inf else outward(lower, "higher", digits=3)
    high = "∞" if upper == math.inf else outward(upper, "lower", digits=3)
    return f"[{low}, {high}]"


def draw_marks(ax: Axes, result: Comparison) -> None:
    """Lines at zero and at the margins."""
    ax.axvline(0, color=canvas.INK, lw=1, zorder=1.5, label="zero")
    pink, stroke = canvas.COLOURS[3], (0, (3, 2))
    for point in margins(result):
        ax.axvline(point, color=pink, lw=1.4, ls=stroke, zorder=2.8, label="margin")


def margin_words(result: Comparison) -> list[str]:
    """What the lines at the margins are, for the footer."""
    told = " and ".join(f"{point:g}" for point in margins(result))
    return [f"broken vertical line: margin, {told}"] if told else []


def draw_limits(
    ax: Axes, lower: float, upper: float, y: float, *, look: tuple[str, str, float], label: str
) -> None:
    """An interval as a line with caps; an infinite limit is an arrow at the edge of the picture.

    Args:
        ax: Axes whose horizontal limits are settled.
        lower: Lower limit.
        upper: Upper limit.
        y: Height, in data units.
        look: Guarantee word (which sets the stroke), colour, and width of the line.
        label: Name of the line.
    """
    guarantee, colour, lw = look
    left, right = ax.get_xlim()
    inside = 0.012 * (right - left)  # an arrow on the very edge would cover the names beside it
    ends = (max(lower, left + inside), min(upper, right - inside))
    stroke = _STROKES.get(guarantee, "-")
    ax.plot(ends, [y, y], color=colour, lw=lw, ls=stroke, zorder=3, label=label)
    for limit, end, arrow in ((lower, ends[0], "<"), (upper, ends[1], ">")):
        marker, name = ("|", "limit") if math.isfinite(limit) else (arrow, "no limit")
        ax.plot(end, y, marker, color=colour, ms=8, mew=lw, zorder=3, label=name)


def horizon(values: Iterable[float | None], *, margin: float = 0.06) -> tuple[float, float]:
    """Limits of an axis that holds zero and every finite value.

    >>> horizon([0.1, None, float("inf"), 0.5], margin=0)
    (0.0, 0.5)
    """
    finite = [0.0, *(v for v in values if v is not None and math.isfinite(v))]
    low, high = min(finite), max(finite)
    room = margin * (high - low) or (0.0 if margin == 0 else 1.0)
    return low - room, high + room
