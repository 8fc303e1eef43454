"""What each step of a pipeline would leak, with its heuristic limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.selection.leaks import Leakage

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(Leakage)
def leaks(result: Leakage, *, ax: Axes | None = None) -> Axes:
    """Draw by how much the score is flattered where each step is fitted to all rows beforehand.

    Args:
        result: The leaks.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax, height=1.7 + 0.4 * len(result.steps))
    canvas.caption(
        ax,
        title=f"By how much each step flatters, fitted before the split\n{result.guarantee}",
        told=f"One line for each of {len(result.steps)} steps: its leak, with limits if any.",
        x=f"leak in {labels.short(result.metric, 40)} (leaky less honest)",
        y="",
    )
    if not result.steps:
        return canvas.nothing(ax, "No step could be probed for leakage.")
    for place, step in enumerate(result.steps):
        if step.lower is not None and step.upper is not None:
            limits = [step.lower, step.upper]
            ax.plot(limits, [place, place], color=canvas.COLOURS[0], lw=1.8, ls=(0, (4, 2)))
        ax.plot(step.leak, place, "s", color=canvas.COLOURS[0], mfc="white", label=step.step)
        canvas.beside(ax, place, f"{step.honest:.4g} honest\n{step.leaky:.4g} leaky")
    ax.axvline(0, color=canvas.MUTED, lw=1, ls=":")
    ax.set_ylim(len(result.steps) - 0.4, -0.6)
    ax.set_yticks(range(len(result.steps)))
    ax.set_yticklabels([labels.short(s.step) for s in result.steps], **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    canvas.footer(ax, [f"broken lines: heuristic limits, one by one at level {result.level:g}"])
    return ax
