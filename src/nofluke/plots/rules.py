"""All level rules side by side: how wide each makes the band, and which are valid here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nofluke.plots import canvas, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.questions.certificate import Certificate
    from nofluke.results import Row


def rules(result: Certificate, *, ax: Axes | None = None) -> Axes:
    """Draw the half-width under every level rule, and mark the one that was used.

    A binary score has no half-width, and its error levels are drawn instead. Rules that are not
    valid for this question are open and hatched.

    Args:
        result: A certificate.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    rows = side_by_side(result)
    ax = canvas.axes(ax, height=1.5 + 0.29 * len(rows))
    of = "alpha" if result.binary else "half_width"
    _caption(ax, result)
    if not rows:
        return canvas.nothing(ax, "Nobody was chosen, so no rule was used.")
    widths = [_finite(row[of]) for row in rows]
    for place, (row, width) in enumerate(zip(rows, widths, strict=True)):
        ax.barh(place, width, height=0.62, label=row["rule"], **_look(row))
        ax.annotate(
            _words(row, of),
            xy=(width, place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=canvas.INK,
            fontweight="bold" if row["used"] else "normal",
            **labels.PLAIN,
        )
    ax.set_xlim(0, 1.4 * max(widths, default=0) or 1)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)))
    names = [labels.short(row["rule"]) for row in rows]
    ax.set_yticklabels(names, fontsize=8.5, **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    return ax


def side_by_side(result: Certificate) -> list[Row]:
    """The rules of a certificate, each with ``used``."""
    return [row | {"used": row["rule"] == result.rule} for row in result.rules]


def _finite(width: float | None) -> float:
    return width if width is not None and math.isfinite(width) else 0.0


def _words(row: Row, of: str) -> str:
    value = row[of]
    told = "promises nothing" if value is None or math.isinf(value) else f"{value:.4g}"
    if not row["valid"]:
        told += ", invalid here"
    return f"{told}, used" if row["used"] else told


def _look(row: Row) -> dict[str, Any]:
    colour = canvas.COLOURS[0] if row["used"] else canvas.MUTED
    if not row["valid"]:
        return {"facecolor": "white", "edgecolor": colour, "hatch": "////", "lw": 1}
    return {"facecolor": colour if row["used"] else "#a6a6a6", "edgecolor": colour, "lw": 1}


def _caption(ax: Axes, result: Certificate) -> None:
    if result.binary:
        x = "error level of each interval (larger is sharper)"
    else:
        x = "half-width of the band, in probability (smaller is sharper)"
    canvas.caption(
        ax,
        title=labels.heading(result, "All level rules side by side"),
        told=(
            f"One bar for each level rule, from zero: {x}. The rule used here, {result.rule}, is "
            "marked; rules that are not valid for this question are hatched."
        ),
        x=x,
        y="",
    )
