"""One number of a card in every group or block of time, with its intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke import checks
from nofluke.plots import canvas, labels
from nofluke.questions.classifier_words import per_cent, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nofluke.questions.classifier_card import ClassifierCard
    from nofluke.results import Row

_LINE = 0.3
#: Lines that one picture holds.
MOST = 60


def parts(
    result: ClassifierCard,
    *,
    metric: str = "auc",
    by: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a number of each candidate in each part, with the interval that pays for all parts.

    Args:
        result: A card with groups or blocks of time.
        metric: Which number, such as "auc", "recall" or "brier".
        by: "group" or "time"; what the card has by default.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.

    Raises:
        InputError: The card has no such number by parts.
    """
    found = sorted({row["metric"] for row in result.parts}) or [metric]
    checks.choice(metric, found, name="metric")
    kind = by or next((row["by"] for row in result.parts), "group")
    every = [r for r in result.parts if r["metric"] == metric and r["by"] == kind]
    names = list(dict.fromkeys(r["part"] for r in every))
    rows = sorted(every, key=lambda r: names.index(r["part"]))[:MOST]
    ax = canvas.axes(ax, height=2.2 + _LINE * max(len(rows), 1))
    words = sorted({r["guarantee"] for r in rows if r["lower"] is not None})
    canvas.caption(
        ax,
        title=(
            f"{metric} by {kind}\n{', '.join(words) or 'descriptive'}, level "
            f"{per_cent(result.level)} for all {len(names)} at once (Bonferroni)"
        ),
        told=(
            f"One line for each candidate in each {kind}: {metric} as a dot, its interval as a "
            "line. Where there are too few rows, their number stands in its place."
        ),
        x=metric,
        y="",
    )
    if not rows:
        return canvas.nothing(ax, "the card has no groups and no blocks of time")
    for place, row in enumerate(rows):
        _line(ax, result, row, place)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)))
    several = result.K > 1
    told = [f"{r['part']} | {r['candidate']}" if several else r["part"] for r in rows]
    ax.set_yticklabels([labels.short(t, 32) for t in told], fontsize=8.5, **labels.PLAIN)
    ax.tick_params(axis="y", length=0)
    canvas.footer(ax, _whole(ax, result, metric, left=len(every) - len(rows)))
    return ax


def _line(ax: Axes, result: ClassifierCard, row: Row, place: int) -> None:
    i = result.candidates.index(row["candidate"]) % canvas.MOST
    counted = f"{row['n_positive']}+ {row['n_negative']}-"
    if row["lower"] is None:
        canvas.beside(ax, place, f"withheld ({counted})")
        return
    ax.plot([row["lower"], row["upper"]], [place, place], color=canvas.COLOURS[i], lw=2.2,
            solid_capstyle="butt", label=f"{row['part']} {row['candidate']}")  # fmt: skip
    ax.plot(row["estimate"], place, canvas.MARKERS[i], color=canvas.COLOURS[i], ms=5,
            label="estimate")  # fmt: skip
    canvas.beside(ax, place, f"{span(row)} ({counted})")


def _whole(ax: Axes, result: ClassifierCard, metric: str, *, left: int) -> list[str]:
    """The number over all rows as a dotted line, for one candidate."""
    told = ["beside: limits (positives+ negatives-)"]
    row = result.row(result.candidates[0], metric)
    if result.K == 1 and row is not None and row["estimate"] is not None:
        ax.axvline(row["estimate"], color=canvas.MUTED, ls=":", lw=1, label="all rows")
        told.append(f"dotted: over all rows, {row['estimate']:.4g}")
    if left:
        told.append(f"{left} more stand in the table")
    return told
