"""Curves of a card: ROC, precision against recall, what thresholds cost, what they gain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.questions.classifier_card import ClassifierCard
from nofluke.questions.classifier_words import per_cent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from nofluke.questions.classifier_curves import Curves

_BANDS = 2  # candidates whose bands can be told apart
_POINTS = 800  # of a line; more are not seen
_RULES = ("flag nobody", "flag everybody")
_NONE = "none of the candidates has rows of both classes"


@draw.register(ClassifierCard)
def roc(result: ClassifierCard, *, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve of every candidate, with its band and the diagonal of pure chance.

    A dot is the threshold in use. Bands hold for the whole curve at once, each at the level of the
    card; they are left out for more than two candidates and where clusters are counted.

    Args:
        result: A card.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    found = [(name, c) for name, c in result.curves.items() if c.roc is not None]
    ax = _frame(
        ax,
        title=f"ROC curves\n{_promise(result, found)}",
        told="One curve for each candidate: the share of positives flagged against the share of "
        "negatives flagged, at every threshold. The diagonal is what scores without any knowledge "
        "have. A dot marks the threshold in use.",
        x="share of negatives flagged (false positive rate)",
        y="share of positives flagged (recall)",
    )
    if not found:
        return canvas.nothing(ax, _NONE)
    ax.plot([0, 1], [0, 1], color=canvas.MUTED, ls=":", lw=1, label="chance")
    for i, (name, c) in enumerate(found[: canvas.MOST]):
        curve = c.roc
        if curve is None:
            continue
        if _banded(c, found):
            at = np.linspace(0, 1, 401)
            ax.fill_between(at, curve.lower(at), curve.upper(at), color=canvas.COLOURS[i],
                            alpha=0.15, lw=0, label=f"band {name}")  # fmt: skip
        kept = _thinned(curve.fpr.size)
        ax.plot(curve.fpr[kept], curve.tpr[kept], **_look(i), label=name)
        _dot(ax, result, name, i)
    _unit(ax)
    _named(ax, result, [name for name, _ in found], "auc", lower_right=True)
    canvas.footer(ax, _left_out(found))
    return ax


def precision_recall(result: ClassifierCard, *, ax: Axes | None = None) -> Axes:
    """Draw precision against recall, with the line of the prevalence.

    Shaded are the limits of precision at every threshold at once, drawn at the recall of these
    rows. The dotted line is the precision of scores without any knowledge.

    Args:
        result: A card.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    found = [(name, c) for name, c in result.curves.items() if c.precision_recall is not None]
    ax = _frame(
        ax,
        title=f"Precision against recall\n{_promise(result, found)}",
        told="One curve for each candidate: of the cases flagged, the share that is positive, "
        "against the share of positives flagged, at every threshold. The dotted line is the share "
        "of positives, which is the precision of scores without any knowledge.",
        x="share of positives flagged (recall)",
        y="share of flags that are right (precision)",
    )
    if not found:
        return canvas.nothing(ax, _NONE)
    told = []
    for i, (name, c) in enumerate(found[: canvas.MOST]):
        curve = c.precision_recall
        if curve is None:
            continue
        kept = _thinned(curve.recall.size)
        recall = curve.recall[kept]
        if _banded(c, found):
            ax.fill_between(recall, curve.precision_lower[kept], curve.precision_upper[kept],
                            color=canvas.COLOURS[i], alpha=0.15, lw=0, step="pre",
                            label=f"band {name}")  # fmt: skip
        # From recall 0 on, as the area counts it, though no threshold flags fewer.
        right = curve.precision[kept]
        reached, right = np.append(0, recall), np.append(right[:1], right)
        ax.plot(reached, right, **_look(i), drawstyle="steps-pre", label=name)
        if i == 0:
            ax.axhline(curve.prevalence, color=canvas.MUTED, ls=":", lw=1, label="prevalence")
            told.append(f"dotted: prevalence {curve.prevalence:.4g}, the precision of chance")
    _unit(ax)
    key = "average_precision"
    elsewhere = result.row(result.candidates[0], "average_precision_elsewhere")
    _named(ax, result, [name for name, _ in found], f"{key}_elsewhere" if elsewhere else key)
    canvas.footer(ax, [*told, *_left_out(found)])
    return ax


def costs(result: ClassifierCard, *, ax: Axes | None = None) -> Axes:
    """Draw what every threshold costs a row, with limits that hold at all thresholds at once.

    Horizontal lines are flagging nobody and everybody.

    Args:
        result: A card with costs.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    found = [(name, c) for name, c in result.curves.items() if c.costs is not None]
    ax = _frame(
        ax,
        title=f"Cost of every threshold\n{_promise(result, found)}",
        told="One line for each candidate: what flagging from a threshold on costs a row on "
        "average. Horizontal lines are flagging nobody and flagging everybody.",
        x="threshold",
        y="cost of a row",
    )
    if not found:
        return canvas.nothing(ax, "no costs were given")
    for i, (name, c) in enumerate(found[: canvas.MOST]):
        curve = c.costs
        if curve is None:
            continue
        finite = np.flatnonzero(np.isfinite(curve.at))
        kept = finite[_thinned(finite.size)]
        at, n = curve.at[kept], curve.n
        if _banded(c, found):
            ax.fill_between(at, curve.lower[kept] / n, curve.upper[kept] / n, alpha=0.15, lw=0,
                            color=canvas.COLOURS[i], label=f"band {name}")  # fmt: skip
        ax.plot(at, curve.totals[kept] / n, **_look(i), label=name)
        if i == 0:
            for rule, cost in (("nobody", curve.nobody), ("everybody", curve.everybody)):
                ax.axhline(cost.estimate / n, color=canvas.MUTED, lw=1,
                           ls=":" if rule == "nobody" else "--", label=f"flag {rule}")  # fmt: skip
    _legend(ax, {name: labels.short(name) for name in (*dict(found), *_RULES)}, "best")
    told = "dotted: flag nobody, dashed: flag everybody; the lowest point is a choice after looking"
    canvas.footer(ax, [told, *_left_out(found)])
    return ax


def benefit(result: ClassifierCard, *, ax: Axes | None = None) -> Axes:
    """Draw the decision curve: net benefit over threshold probabilities, with its band.

    Args:
        result: A card with probabilities.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    found = [(name, c) for name, c in result.curves.items() if c.benefit is not None]
    ax = _frame(
        ax,
        title=f"Decision curve\n{_promise(result, found)}",
        told="Net benefit of flagging from a threshold probability on: true flags less false ones "
        "at the odds of the threshold, for each row. Flagging nobody has 0 everywhere.",
        x="threshold probability",
        y="net benefit of a row",
    )
    if not found:
        return canvas.nothing(ax, "no candidate has probabilities")
    top = 0.0
    for i, (name, c) in enumerate(found[: canvas.MOST]):
        curve = c.benefit
        if curve is None:
            continue
        if _banded(c, found):
            ax.fill_between(curve.at, curve.band_lower, curve.band_upper, color=canvas.COLOURS[i],
                            alpha=0.15, lw=0, label=f"band {name}")  # fmt: skip
        ax.plot(curve.at, curve.net_benefit, **_look(i), label=name)
        top = max(top, float(curve.net_benefit.max()), float(curve.treat_all.max()))
        if i == 0:
            ax.plot(curve.at, curve.treat_all, color=canvas.MUTED, ls="--", lw=1,
                    label="flag everybody")  # fmt: skip
    ax.axhline(0, color=canvas.MUTED, ls=":", lw=1, label="flag nobody")
    # Far below 0 nothing is decided; the lines that fall there would squeeze all others flat.
    ax.set_ylim(-0.3 * top if top > 0 else -1, 1.25 * top if top > 0 else 1)
    _legend(ax, {name: labels.short(name) for name in (*dict(found), *_RULES)}, "best")
    canvas.footer(ax, _left_out(found))
    return ax


def _frame(ax: Axes | None, *, title: str, told: str, x: str, y: str) -> Axes:
    ax = canvas.axes(ax, height=5.2)
    canvas.caption(ax, title=title, told=told, x=x, y=y)
    return ax


def _promise(result: ClassifierCard, found: list[tuple[str, Curves]]) -> str:
    """What the bands promise, where there are any."""
    if any(_banded(c, found) for _, c in found):
        return f"band finite-sample, level {per_cent(result.level)} for each whole curve at once"
    return "descriptive, without bands"


def _banded(c: Curves, found: list[tuple[str, Curves]]) -> bool:
    return c.banded and len(found) <= _BANDS


def _left_out(found: list[tuple[str, Curves]]) -> list[str]:
    told = []
    if not all(c.banded for _, c in found):
        told.append("no bands: they would take rows of one cluster for independent")
    elif len(found) > _BANDS:
        told.append(f"no bands: {len(found)} of them would cover each other")
    if len(found) > canvas.MOST:
        told.append(f"{canvas.MOST} of {len(found)} candidates; the others stand in the table")
    return told


def _look(i: int) -> dict[str, Any]:
    return {"color": canvas.COLOURS[i], "ls": canvas.STROKES[i], "lw": 1.8}


def _thinned(size: int) -> NDArray[np.int64]:
    """Places of the points that are drawn, both ends among them."""
    return np.unique(np.linspace(0, size - 1, min(size, _POINTS)).round().astype(np.int64))


def _dot(ax: Axes, result: ClassifierCard, name: str, i: int) -> None:
    matrix = next((m for m in result.matrices if m["candidate"] == name), None)
    if matrix is None:
        return
    recall, fpr = (result.row(name, metric) for metric in ("recall", "fpr"))
    if recall is None or fpr is None or None in (recall["estimate"], fpr["estimate"]):
        return
    ax.plot(fpr["estimate"], recall["estimate"], canvas.MARKERS[i], color=canvas.COLOURS[i],
            mec="white", ms=8, zorder=5, label=f"threshold {name}")  # fmt: skip


def _unit(ax: Axes) -> None:
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.02)
    ax.set_aspect("equal")


def _named(
    ax: Axes, result: ClassifierCard, names: list[str], metric: str, *, lower_right: bool = False
) -> None:
    """A legend with the number below the curve of each candidate."""
    words = {}
    for name in names:
        row = result.row(name, metric)
        value = math.nan if row is None or row["estimate"] is None else row["estimate"]
        words[name] = f"{labels.short(name)}: area {value:.4g}"
    _legend(ax, words, "lower right" if lower_right else "lower left")


def _legend(
    ax: Axes, words: Mapping[str, str], where: Literal["best", "lower left", "lower right"]
) -> None:
    """The lines that are drawn, by their labels, with words in which $ and _ mean themselves."""
    lines = {str(line.get_label()): line for line in ax.lines}
    shown = [name for name in words if name in lines]
    legend = ax.legend(
        [lines[name] for name in shown],
        [words[name] for name in shown],
        fontsize=8.5,
        frameon=False,
        loc=where,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
