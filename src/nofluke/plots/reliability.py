"""Calibration of a candidate: how often what it forecasts happens, without bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.plots import canvas, labels
from nofluke.questions.classifier_words import per_cent
from nofluke.results import outward

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.questions.classifier_curves import Curves

_BARS = 25


def reliability(
    result: ClassifierCard, *, candidate: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the calibration curve of one candidate without bins, with its band and counts.

    The line is the best monotone fit of what happened to what was forecast. It lies in the shaded
    band, at each forecast by itself, if the forecasts are calibrated. Bars at the foot count rows.

    Args:
        result: A card with probabilities.
        candidate: Which one; the first that has probabilities by default.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    name = candidate or next(
        (name for name, c in result.curves.items() if c.corp is not None), result.candidates[0]
    )
    found: Curves | None = result.curves.get(name)
    corp = None if found is None else found.corp
    ax = canvas.axes(ax, height=5.2)
    band = None if corp is None or found is None or not found.banded else corp.consistency
    promise = (
        "descriptive"
        if band is None
        else f"band {band.guarantee}, level {per_cent(band.level)} at each forecast"
    )
    canvas.caption(
        ax,
        title=f"Calibration of {labels.short(name)}\n{promise}",
        told="How often positives occurred against how probable they were forecast to be, without "
        "bins. On the diagonal a forecast of 0.3 comes true in 30 of 100 cases. The shaded band is "
        "where the line lies if forecasts are calibrated. Bars count rows.",
        x="forecast probability",
        y="how often it happened",
    )
    if corp is None:
        return canvas.nothing(ax, "its scores are no probabilities")
    ax.plot([0, 1], [0, 1], color=canvas.MUTED, ls=":", lw=1, label="calibrated")
    if band is not None:
        ax.fill_between(band.x, band.lower, band.upper, color=canvas.FAINT, alpha=0.6, lw=0,
                        label="consistency band")  # fmt: skip
    ax.plot(corp.x, corp.recalibrated, color=canvas.COLOURS[0], lw=1.8, marker=".", ms=3,
            label="calibration curve")  # fmt: skip
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.02)
    _bars(ax, corp.x.tolist(), corp.size.tolist())
    canvas.footer(ax, _told(result, name))
    return ax


def _bars(ax: Axes, x: list[float], size: list[int]) -> None:
    """Counts of rows by forecast, at the foot, on an axis of their own."""
    beside = ax.twinx()
    heights, _, _ = beside.hist(x, bins=_BARS, range=(0, 1), weights=size, color=canvas.MUTED,
                                alpha=0.35, label="rows")  # fmt: skip
    beside.set_ylim(0, 5 * max(float(max(heights)), 1.0))
    beside.set_yticks([0, int(max(heights))])
    beside.tick_params(labelsize=8, colors=canvas.MUTED)
    beside.set_ylabel("rows", fontsize=8.5, color=canvas.MUTED)
    beside.set_label("")
    for side in ("top", "left", "right"):
        beside.spines[side].set_visible(False)


def _told(result: ClassifierCard, name: str) -> list[str]:
    row = next(c for c in result.calibration if c["candidate"] == name)
    parts = (
        f"Brier {row['brier']:.4g} = miscalibration {row['miscalibration']:.4g} - discrimination "
        f"{row['discrimination']:.4g} + uncertainty {row['uncertainty']:.4g}"
    )
    if row["pvalue"] is None:
        return [parts, "no test: see the notes"]
    return [parts, f"against calibration: p = {outward(row['pvalue'], 'lower', digits=3)}"]
