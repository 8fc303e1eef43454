"""A final report at a glance: every area, what was planned, and the chosen with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.champion import champion
from nofluke.plots.dispatch import draw
from nofluke.questions.final_report_card import FinalReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(FinalReport)
def final_report(result: FinalReport, *, ax: Axes | None = None) -> Axes:
    """Draw the picture of the champion, and in it the chosen with the interval that it may claim.

    Args:
        result: A final report.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    drawn = [row for row in result.champion.rows() if row["lower"] is not None]
    ax = champion(result.champion, ax=ax)
    row, place = result.headline, len(drawn) + 1
    colour = canvas.COLOURS[2]
    ax.plot(row["shown"], 0, "*", color=colour, mec="white", ms=13, zorder=6, label="chosen")
    ax.plot([row["lower"], row["upper"]], [place, place], color=colour, lw=2.4, marker="|",
            label="chosen interval")  # fmt: skip
    ax.set_ylim(place + 0.6, -0.6)
    ax.set_yticks(range(place + 1))
    names = ["scores", *(r["what"] for r in drawn), f"chosen: {labels.short(result.chosen, 20)}"]
    ax.set_yticklabels(names, **labels.PLAIN)
    ax.set_title(
        f"{result.champion.m} areas, {result.asked.tried} tried; star: the chosen "
        f"({result.choice.by})\n{row['guarantee']}",
        loc="left",
        fontsize=10,
        color=canvas.INK,
        **labels.PLAIN,
    )
    return ax
