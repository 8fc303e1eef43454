"""Leakage: every step fitted inside the folds beside the same step fitted on all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.results import percent
from nofluke.selection.leaks import Leakage
from nofluke.selection.recognition import SeenGroups

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(Leakage)
def leaks(result: Leakage, *, ax: Axes | None = None) -> Axes:
    """Draw for each step the score with everything inside the folds, and with the step outside.

    A ring is the score with every step fitted on training rows; the square that of the same folds
    with this step fitted on all rows. The bar shows the heuristic limits of the leak, counted from
    the ring.

    Args:
        result: A probe for leakage.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax, height=2.3 + 0.55 * max(1, len(result.steps)))
    metric = labels.short(result.metric, 40)
    canvas.caption(
        ax,
        title=(
            f"What each step adds to {metric} when it is fitted before the split\n"
            f"{result.guarantee}, level {percent(result.level)} each, "
            f"{len(result.honest)} folds"
        ),
        told=(
            f"{len(result.steps)} lines, one for each step: a ring for the score with everything "
            "fitted inside the folds, a square for the step fitted on all rows."
        ),
        x=f"{metric}, right is better",
        y="",
    )
    if not result.steps:
        return canvas.nothing(ax, "No step could be probed: see the notes.")
    for place, step in enumerate(result.steps):
        _line(ax, place, step.honest, step.leaky, (step.lower, step.upper))
        canvas.beside(ax, place, f"leak {step.leak:+.3g}")
    ax.set_ylim(len(result.steps) - 0.4, -0.6)
    ax.set_yticks(range(len(result.steps)))
    names = [s.step if not s.of else f"{s.step}\n{s.of}" for s in result.steps]
    ax.set_yticklabels(["\n".join(labels.short(t) for t in n.split("\n")) for n in names])
    for text in ax.get_yticklabels():
        text.set(**labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    told = ["ring: fitted inside the folds; square: this step fitted on all rows"]
    if any(s.lower is not None for s in result.steps):
        told.append("bar: limits of the leak (a rule of thumb), counted from the ring")
    canvas.footer(ax, told)
    return ax


@draw.register(SeenGroups)
def seen_and_new(result: SeenGroups, *, ax: Axes | None = None) -> Axes:
    """Draw the score of new groups as a ring, and that of the same rows of seen ones as a square.

    Args:
        result: What having seen a group adds.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax, height=2.4)
    metric, name = labels.short(result.metric, 40), labels.short(result.group_name)
    canvas.caption(
        ax,
        title=(
            f"What having seen the {name} adds to {metric}\n"
            f"{result.guarantee}, level {percent(result.level)}, {len(result.by_fold)} folds"
        ),
        told="A ring for the score on new groups, a square for the same rows of seen ones.",
        x=f"{metric}, right is better",
        y="",
    )
    _line(ax, 0, result.new, result.seen, (result.lower, result.upper))
    canvas.beside(ax, 0, f"gain {result.gain:+.3g}")
    ax.set_ylim(0.6, -0.6)
    ax.set_yticks([])
    told = [f"ring: a {name} that training has not seen; square: the same rows, others of it seen"]
    if result.lower is not None:
        told.append("bar: limits of the gain (a rule of thumb), counted from the ring")
    canvas.footer(ax, told)
    return ax


def _line(
    ax: Axes, place: int, honest: float, leaky: float, limits: tuple[float | None, float | None]
) -> None:
    low, high = limits
    if low is not None and high is not None:
        ends = [honest + low, honest + high]
        ax.plot(ends, [place, place], color=canvas.COLOURS[1], lw=2, marker="|", label="limits")
    ax.plot(honest, place, "o", color=canvas.COLOURS[0], mfc="white", ms=8, label="inside")
    ax.plot(leaky, place, "s", color=canvas.COLOURS[1], ms=6, zorder=3, label="on all rows")
