"""Nested cross-validation: which row does what in which outer fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.plots import canvas, labels
from nofluke.plots.dispatch import draw
from nofluke.selection.nested.answers import NestedCV, params_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELD_OUT_COLOUR = canvas.COLOURS[1]
# Light to dark, so that neighbouring inner folds differ in print too.
_INNER = ("#cfe3f2", "#7fb4d9", "#a9cde8", "#4c95c8", "#e4eff8")


@draw.register(NestedCV)
def index_picture(result: NestedCV, *, ax: Axes | None = None) -> Axes:
    """Draw the role of every row in every outer fold, and beside it what was chosen and scored.

    One line for each outer fold. Its orange rows are held out for the evaluation; blue shades are
    the inner folds, each of which validates once and trains otherwise; grey rows are trained on
    only, and white ones have no part. Rows are ordered by the fold that holds them out.

    Args:
        result: A nested cross-validation.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    roles = result.arranged
    K, n = roles.shape
    ax = canvas.axes(ax, height=2.3 + 0.55 * K)
    ax.imshow(
        _colours(roles),
        aspect="auto",
        interpolation="nearest",
        extent=(0, n, K - 0.5, -0.5),
        gid="index",
    )
    for k in range(1, K):
        ax.axhline(k - 0.5, color="white", lw=4)
    ax.set_yticks(range(K), [f"outer {k}" for k in range(K)])
    ax.tick_params(axis="y", length=0)
    for k, row in enumerate(result.rows()):
        score = "undefined" if row["score"] is None else f"{row['score']:.4g}"
        chosen = labels.short(params_text(result.folds[k].params), 30)
        canvas.beside(ax, k, f"{score} (inner {row['inner_best']:.4g})\n{chosen}")
    canvas.footer(ax, _told(result))
    _caption(ax, result)
    return ax


def _colours(roles: Any) -> Any:
    """RGB of each role."""
    from matplotlib.colors import to_rgb

    table = np.array([to_rgb(c) for c in (*_INNER, canvas.FAINT, "white", HELD_OUT_COLOUR)])
    return table[np.where(roles >= 0, roles % len(_INNER), len(table) + np.minimum(roles, -1))]


def _told(result: NestedCV) -> list[str]:
    steps = ", ".join(labels.short(s, 22) for s in result.steps)
    lines = [
        "orange: held out for evaluation; each shade of blue: an inner fold, which validates once",
        f"fitted in the inner folds, and again on all blue rows: {labels.short(steps, 70)}",
        "chosen on blue rows: the configuration",
    ]
    if any(f.threshold is not None for f in result.folds):
        lines[-1] += ", then the threshold"
    return lines


def _caption(ax: Axes, result: NestedCV) -> None:
    K, n = result.index.shape
    canvas.caption(
        ax,
        title=(
            "Nested cross-validation: which row does what\n"
            f"{labels.short(result.metric, 40)} on {K} outer folds; {result.guarantee}"
        ),
        told=(
            f"One line for each of {K} outer folds and one column for each of {n} rows: orange "
            "where the row is held out, a shade of blue for the inner fold that validates it. On "
            "the right the score on the outer fold, the inner score of the winner, and the winner."
        ),
        x=f"rows, ordered by the fold that holds them out (n = {n})",
        y="",
    )
