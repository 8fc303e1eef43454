"""Words in pictures: ids from outside made harmless, promises in few digits, labels kept apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nofluke.results import outward
from nofluke.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from nofluke.questions.certificate import Certificate
    from nofluke.results import Row

# Ids and metrics are text from outside: a dollar or a backslash in them is no mathematics.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}


def short(text: str, most: int = 26) -> str:
    """Visible text of at most ``most`` characters; the middle gives way, since ids differ at ends.

    >>> short("a-very-long-configuration-name-7", 15)
    'a-very-…-name-7'
    """
    text = visible(text)
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[-(most - 1 - head) :]}"


def promise(value: float, better: str, *, digits: int = 3) -> str:
    """A guaranteed value with its direction, rounded so that it stays true.

    >>> promise(0.314921, "lower"), promise(0.314921, "higher")
    ('≤ 0.315', '≥ 0.314')
    """
    sign = "≤" if better == "lower" else "≥"
    if math.isinf(value):
        return f"{sign} {'−' if value < 0 else ''}∞ (an infinite score)"
    return f"{sign} {outward(value, better, digits=digits)}"


def refusal(row: Row) -> str:
    """Why a row of a certificate promises nothing, and what would help."""
    if row["n_needed"] is None:
        return f"γ={row['gamma']:g}: nothing promised by this rule"
    return f"γ={row['gamma']:g}: not certified (n={row['n']}, needs {row['n_needed']})"


def heading(result: Certificate, what: str) -> str:
    """Title of a picture of a certificate: what it shows, its guarantee, and the choice."""
    guarantee = "NOT VALID (heuristic)" if result.guarantee == "heuristic" else result.guarantee
    chosen = f"{len(result.selected)} of {result.K} chosen ({short(result.selection)})"
    return f"{what}\n{guarantee}, {chosen}, rule {short(result.rule)}"


def metric(result: Certificate) -> str:
    """Name of the score, which is also its unit."""
    return short(result.metric, 40) if result.metric else "score"


def some_lines(lines: Iterable[str], most: int = 7) -> list[str]:
    """The first lines, and how many there are beside them."""
    listed = list(dict.fromkeys(lines))
    if len(listed) <= most:
        return listed
    return [*listed[: most - 1], f"… and {len(listed) - most + 1} more"]


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights in [0, 1] pushed apart to at least ``gap``, in the same order.

    >>> [round(h, 2) for h in spread([0.5, 0.51, 1.0], 0.1)]
    [0.5, 0.6, 1.0]
    """
    order = sorted(range(len(heights)), key=lambda i: (heights[i], -i))
    placed = [min(max(heights[i], 0.0), 1.0) for i in order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    top = 1.0
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], top)
        top = placed[i] - gap
    result = [0.0] * len(placed)
    for place, i in zip(placed, order, strict=True):
        result[i] = place
    return result


def at_line_ends(ax: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Name lines at their right ends, apart from each other, each with a leader in its colour.

    Args:
        ax: Axes whose limits are settled.
        ends: (x, y, text, colour) for each line.
    """
    to_axes = ax.transData + ax.transAxes.inverted()
    heights = [float(to_axes.transform((x, y))[1]) for x, y, _, _ in ends]
    for (x, y, text, colour), height in zip(ends, spread(heights, 0.055), strict=True):
        ax.annotate(
            text,
            xy=(x, y),
            xytext=(1.035, height),
            textcoords="axes fraction",
            va="center",
            fontsize=8.5,
            color="#1a1a1a",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "lw": 1,
                "shrinkA": 1,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
            **PLAIN,
        )
