"""Parts of a squared loss: each with its standard error, and what it would be uncorrected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas
from nofluke.plots.dispatch import draw
from nofluke.selection.risk_answers import RiskParts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(RiskParts)
def risk_parts(result: RiskParts, *, ax: Axes | None = None) -> Axes:
    """Draw every part as a bar with one standard error on each side, and the naive ones as rings.

    Args:
        result: A squared loss taken apart.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    shown = [p for p in result.parts if p.estimate is not None]
    ax = canvas.axes(ax, height=2.2 + 0.36 * len(shown))
    for place, part in enumerate(shown):
        value = part.estimate or 0.0
        colour = canvas.MUTED if part.part == "risk" else canvas.COLOURS[0]
        light = part.part in ("training sets", "seeds", "noise + bias^2")
        ax.barh(place, value, height=0.55, color=colour, alpha=0.5 if light else 1, label=part.part)
        if part.se is not None:
            ends = [value - part.se, value + part.se]
            ax.plot(ends, [place, place], color=canvas.INK, lw=1.4, marker="|", label="se")
        if part.naive is not None:
            ax.plot(part.naive, place, "o", color=canvas.COLOURS[1], mfc="white", label="naive")
        canvas.beside(ax, place, f"{value:.3g}")
    ax.axvline(0, color=canvas.INK, lw=0.8)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_yticks(range(len(shown)), [_NAMES.get(p.part, p.part) for p in shown])
    ax.tick_params(axis="y", length=0)
    pale = "pale bars are parts of, or sums of, others"
    sure = any(p.se is not None for p in shown)
    canvas.footer(
        ax,
        [
            f"black: one standard error on each side; {pale}" if sure else pale,
            "rings: without the correction for the finite number of runs",
        ],
    )
    canvas.caption(
        ax,
        title=(
            "What the mean squared loss is made of\n"
            f"{result.guarantee}, {result.n_sets} training sets, {result.n_seeds} "
            f"seed{'s' if result.n_seeds > 1 else ''} of each, {result.n} rows"
        ),
        told=(
            f"{len(shown)} bars, one for each part of the squared loss, with a standard error on "
            "each side where it is known, and rings where the uncorrected value differs."
        ),
        x="squared loss, in squared units of the target",
        y="",
    )
    return ax


_NAMES = {
    "bias^2": "bias²",
    "noise + bias^2": "noise + bias²",
    "training sets": "… training sets",
    "seeds": "… seeds",
}
