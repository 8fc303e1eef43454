"""The picture of a check-up: what each candidate has, lacks and failed at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke.errors import InputError
from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.checkup import CheckUp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 40  # candidates that fit into one picture


@draw.register(CheckUp)
def checkup(result: CheckUp, *, ax: Axes | None = None) -> Axes:
    """Rows of each candidate as a bar: with a score, failed (hatched), and missing (empty).

    Args:
        result: The check-up.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.

    Raises:
        InputError: The file could not be read as scores.
    """
    if not result.candidates:
        raise InputError("nothing was read as scores, so there is nothing to draw.", code="NF002")
    shown = result.candidates[:_MOST]
    ax = canvas.axes(ax, height=1.6 + 0.24 * len(shown))
    more = f" (first {_MOST} of {result.K})" if len(shown) < result.K else ""
    canvas.caption(
        ax,
        title=f"What each candidate has, lacks and failed at{more}\ndescriptive",
        told=f"One bar for each of {len(shown)} candidates: rows with a score, failed, missing.",
        x="rows (missing: examples)",
        y="",
    )
    places = range(len(shown))
    failed = [row["failed"] for row in shown]
    scored = [row["n"] - row["failed"] for row in shown]
    missing = [row["missing"] for row in shown]
    ax.barh(places, scored, color=canvas.COLOURS[0], height=0.62, label="with a score")
    ax.barh(places, failed, left=scored, color="white", edgecolor=canvas.COLOURS[1], hatch="////",
            height=0.62, label="failed")  # fmt: skip
    ends = [s + f for s, f in zip(scored, failed, strict=True)]
    ax.barh(places, missing, left=ends, color="white", edgecolor=canvas.MUTED, ls=":", height=0.62,
            label="missing")  # fmt: skip
    ax.set_yticks(list(places))
    ax.set_yticklabels([labels.short(row["candidate"]) for row in shown], **labels.PLAIN)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.tick_params(axis="y", length=0)
    canvas.footer(ax, ["filled: with a score; hatched: failed; dotted and empty: missing"])
    return ax
