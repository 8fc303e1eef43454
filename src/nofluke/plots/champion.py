"""A champion among its candidates: every score, both rules, the gate, and the intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.champion_card import ChampionCard
from nofluke.results import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.results import Row


@draw.register(ChampionCard)
def champion(result: ChampionCard, *, ax: Axes | None = None) -> Axes:
    """Draw every score as a dot, what was planned, the best, the gate, and each interval.

    Rings are candidates; the square is the planned number and the triangle the best one, which
    nobody may read without the interval that pays for the choice. The dotted line is the mean plus
    what the best of equals would be ahead of it on average.

    Args:
        result: A champion's card.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    shown = [row for row in result.rows() if row["lower"] is not None]
    ax = canvas.axes(ax, height=2.4 + 0.35 * len(shown))
    name = labels.short(result.metric or "score", 40)
    side = "right" if result.better == "higher" else "left"
    canvas.caption(
        ax,
        title=(
            f"Best of {result.tried} beside what was planned ({labels.short(result.rule, 30)})\n"
            f"{result.guarantee}, level {percent(result.level)} each"
        ),
        told=(
            f"{result.m} scores as rings, the planned number as a square, the best as a triangle; "
            f"under them {len(shown)} intervals."
        ),
        x=f"{name}, {side} is better",
        y="",
    )
    scores = list(result.scores.values())
    ax.plot(
        scores, [0] * result.m, "o", color=canvas.INK, mfc="none", ms=5, zorder=3, label="scores"
    )
    ax.plot(result.planned_value, 0, "s", color=canvas.COLOURS[0], ms=7, zorder=4, label="planned")
    ax.plot(result.best_value, 0, "^", color=canvas.COLOURS[1], ms=8, zorder=4, label="best")
    for place, row in enumerate(shown, start=1):
        colour = canvas.COLOURS[1 if row["what"].startswith("winner") else 0]
        ends = [row["lower"], row["upper"]]
        ax.plot(ends, [place, place], color=colour, lw=2.4, marker="|", label=row["what"])
        if row["estimate"] is not None:
            ax.plot(row["estimate"], place, "D", color=colour, ms=4, label="estimate")
    _lines(ax, result)
    ax.set_ylim(len(shown) + 0.6, -0.6)
    ax.set_yticks(range(len(shown) + 1))
    ax.set_yticklabels(["scores", *(row["what"] for row in shown)], **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    canvas.footer(ax, _footer(result, shown))
    return ax


def _lines(ax: Axes, result: ChampionCard) -> None:
    if result.gate is not None:
        ax.axvline(result.gate["gate"], color=canvas.INK, ls="--", lw=1.1, zorder=1, label="gate")
    sign = 1 if result.better == "higher" else -1
    luck = result.mean + sign * result.gap_if_equal
    ax.axvline(luck, color=canvas.MUTED, ls=":", lw=1.2, zorder=1, label="expected maximum")


def _footer(result: ChampionCard, shown: list[Row]) -> list[str]:
    told = [
        "rings: candidates; square: planned; triangle: the best, chosen for its score",
        "dotted: where the best of equals would be on average, their errors independent",
    ]
    if result.gate is not None:
        told.append(f"broken: the gate {result.gate['gate']:g}")
    if not any(row["what"].startswith("winner") for row in shown):
        why = "one score each does not say how rows move them"
        if result.source != "numbers":
            why = "the lines of the winner say why"
        told.append(f"no interval for the best: {why}")
    return told
