"""Drift: how far every feature has moved, and the evidence that labelled batches have gathered."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.drift_card import DriftCard
from nofluke.questions.drift_words import WHO
from nofluke.results import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.results import Row

_MOST = 20  # features that one picture can name


@draw.register(DriftCard)
def drift(result: DriftCard, *, ax: Axes | None = None) -> Axes:
    """Draw the stability index of every feature beside its mean without drift.

    Filled marks are features that have changed, rings those of which no change is seen; a tick is
    where the index lies on average without any drift. Of many features those with the smallest
    p-values are drawn.

    Args:
        result: A report on drift.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    shown = sorted(result.features, key=lambda f: f["adjusted"])[:_MOST]
    ax = canvas.axes(ax, height=1.9 + 0.32 * max(2, len(shown)))
    rest = len(result.features) - len(shown)
    canvas.caption(
        ax,
        title=f"Features before and now\n{_guarantee(result)}",
        told=(
            f"{len(shown)} features by p-value: stability index, and its mean without drift; "
            f"{sum(f['changed'] for f in shown)} of them have changed."
        ),
        x="population stability index (PSI)",
        y="",
    )
    if not shown:
        return canvas.nothing(ax, "no feature was compared")
    for place, feature in enumerate(shown):
        _feature(ax, place, feature)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_yticks(range(len(shown)))
    ax.set_yticklabels([labels.short(f["name"]) for f in shown], **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    told = ["filled: changed; ring: no change seen; tick: mean of the index without any drift"]
    if rest:
        told.append(f"{rest} features with larger p-values are not drawn")
    canvas.footer(ax, told)
    return ax


def _guarantee(result: DriftCard) -> str:
    return f"{result.guarantee}, any finding without a change at most {percent(result.alpha)}"


def _feature(ax: Axes, place: int, feature: Row) -> None:
    changed = feature["changed"]
    colour = canvas.COLOURS[1 if changed else 0]
    ax.plot([0, feature["psi"]], [place, place], color=canvas.FAINT, lw=1.2, zorder=1)
    ax.plot(
        feature["psi"],
        place,
        "o",
        color=colour,
        mfc=colour if changed else "white",
        ms=7,
        zorder=3,
        label="changed" if changed else "not seen",
    )
    ax.plot(
        feature["psi_expected"], place, "|", color=canvas.INK, ms=14, mew=1.6, zorder=2,
        label="without drift",
    )  # fmt: skip


def drift_evidence(result: DriftCard, *, ax: Axes | None = None) -> Axes:
    """Draw the evidence that labelled batches gathered against the error rates of before.

    One line for each monitor, on a scale of powers of ten; an alarm is where it reaches the broken
    line.

    Args:
        result: A report on drift.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax)
    canvas.caption(
        ax,
        title="Evidence that errors are above those of before\nanytime",
        told=f"E-values of {len(result.path)} error rates, batch by batch.",
        x="labelled batch",
        y="e-value, power of ten",
    )
    if not result.path:
        return canvas.nothing(ax, "no labelled batch was seen")
    for i, (name, told) in enumerate(result.path.items()):
        heights = [value / math.log(10) for value in told["log_evidence"]]
        ax.plot(
            range(1, len(heights) + 1),
            heights,
            color=canvas.COLOURS[i],
            ls=canvas.STROKES[i],
            marker="." if len(heights) < 60 else None,
            lw=1.8,
            label=WHO[name],
        )
    for limit in sorted({told["limit"] for told in result.path.values()}):
        ax.axhline(math.log10(limit), color=canvas.INK, ls="--", lw=1, label="alarm")
    ax.legend(loc="best", fontsize=8.5, frameon=False)
    return ax
