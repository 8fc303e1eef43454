"""False-alarm rates of methods, against the level they were asked to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.comparison import HOLDING
from nofluke.plots.dispatch import draw
from nofluke.questions.methods_audit import MethodsAudit
from nofluke.results import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.questions.methods_audit import FalseAlarms


@draw.register(MethodsAudit)
def audit(result: MethodsAudit, *, ax: Axes | None = None) -> Axes:
    """Draw how often each method called a gain where there was none, and the level asked for.

    A bar is two standard errors of the simulation on either side. Filled dots are methods with a
    guarantee at this n; the others are hollow squares.

    Args:
        result: An audit of methods.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax, height=1.9 + 0.4 * len(result.audited))
    level = percent(result.alpha)
    canvas.caption(
        ax,
        title=(
            "False alarms where there is no gain\n"
            f"{result.guarantee}, {result.n_streams} streams of {result.n_items} items"
        ),
        told=(
            "One dot for each test: the share of streams without any gain in which it called one, "
            f"with the error of the simulation. A broken line marks the level of {level} that all "
            "of them were asked to keep."
        ),
        x="share of streams in which a gain was called",
        y="",
    )
    ax.axvline(result.alpha, color=canvas.INK, lw=1.2, ls=(0, (4, 2)), zorder=2, label="alpha")
    for place, entry in enumerate(result.audited):
        _draw(ax, place, entry)
    _settle(ax, result)
    canvas.footer(
        ax,
        [
            f"broken line: the level asked for, {level}; bar: two standard errors either side",
            "● guaranteed at this n; □ asymptotic or heuristic; bold: clearly above the level",
        ],
    )
    return ax


def _draw(ax: Axes, place: int, entry: FalseAlarms) -> None:
    colour = canvas.COLOURS[1] if entry.above_alpha else canvas.COLOURS[0]
    ends = [max(0.0, entry.false_alarm - 2 * entry.se), min(1.0, entry.false_alarm + 2 * entry.se)]
    ax.plot(ends, [place, place], color=colour, lw=2, zorder=3, label=entry.method)
    filled = entry.guarantee in HOLDING
    ax.plot(
        entry.false_alarm,
        place,
        "o" if filled else "s",
        color=colour,
        mfc=colour if filled else "white",
        ms=5.5,
        zorder=4,
        label="false alarms",
    )
    told = f"{100 * entry.false_alarm:.3g} %" + ("\ntoo many" if entry.above_alpha else "")
    canvas.beside(ax, place, told, strong=entry.above_alpha)


def _settle(ax: Axes, result: MethodsAudit) -> None:
    from matplotlib.ticker import FuncFormatter

    tops = [entry.false_alarm + 2 * entry.se for entry in result.audited]
    high = min(1.02, 1.06 * max(2 * result.alpha, *tops))
    ax.set_xlim(-0.02 * high, high)
    ax.set_ylim(len(result.audited) - 0.4, -0.6)
    ax.set_yticks(range(len(result.audited)))
    names = [f"{entry.method}\n{entry.guarantee}" for entry in result.audited]
    ax.set_yticklabels(names, fontsize=8.5, **labels.PLAIN)
    for tick, entry in zip(ax.get_yticklabels(), result.audited, strict=True):
        tick.set_fontweight("bold" if entry.above_alpha else "normal")
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    ax.grid(axis="x", color=canvas.FAINT, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)
