"""A final report at a glance: every area, what was planned, and the chosen with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.champion import champion
from nofluke.plots.dispatch import draw
from nofluke.questions.final_report_card import FinalReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ABOVE = -0.34  # of the star, so that it covers no other mark


@draw.register(FinalReport)
def final_report(result: FinalReport, *, ax: Axes | None = None) -> Axes:
    """Draw the picture of the champion, and in it the chosen as a star.

    Where neither the largest area nor the plan chose it, its own interval is drawn as well.

    Args:
        result: A final report.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    row, colour = result.headline, canvas.COLOURS[2]
    ax = champion(result.champion, ax=ax)
    ax.plot(row["shown"], _ABOVE, "*", color=colour, mec="white", ms=12, zorder=6, label="chosen")
    if result.choice.by == "picked by name":
        names = [tick.get_text() for tick in ax.get_yticklabels()]
        place = len(names)
        ax.plot([row["lower"], row["upper"]], [place, place], color=colour, lw=2.4, marker="|",
                label="chosen interval")  # fmt: skip
        ax.set_ylim(place + 0.6, -0.6)
        ax.set_yticks(range(place + 1))
        ax.set_yticklabels([*names, "chosen"], **labels.PLAIN)
    ax.set_title(
        f"{result.champion.m} areas, {result.asked.tried} tried; star: the chosen, "
        f"{labels.short(result.chosen, 24)} ({result.choice.by})\n"
        f"{result.champion.guarantee}, the interval of the chosen {row['guarantee']}",
        loc="left",
        fontsize=10,
        color=canvas.INK,
        **labels.PLAIN,
    )
    return ax
