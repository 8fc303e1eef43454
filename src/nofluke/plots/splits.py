"""Splits: which row is trained on and tested in which split, and what a check found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.plots import canvas
from nofluke.plots.dispatch import draw
from nofluke.selection.split_checks import KINDS, SplitCheck
from nofluke.selection.split_plan import Splitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

TRAIN_COLOUR = "#7fb4d9"
TEST_COLOUR = canvas.COLOURS[1]
#: Rows that one picture can show; of more it shows some, evenly spaced.
MOST_ROWS = 2000

_UNUSED, _TRAIN, _TEST = 0, 1, 2


@draw.register(Splitter)
def split_picture(result: Splitter, *, ax: Axes | None = None) -> Axes:
    """Draw the role of every row in every split: trained on, tested, or not used.

    One line for each split. Rows are ordered by time where there are times, then by the split that
    tests them.

    Args:
        result: A plan of splits.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    roles = _roles(result)
    K, n = len(result.pairs), result.n
    ax = canvas.axes(ax, height=2.3 + 0.42 * K)
    ax.imshow(
        _colours(roles),
        aspect="auto",
        interpolation="nearest",
        extent=(0, n, K - 0.5, -0.5),
        gid="index",
    )
    for k in range(1, K):
        ax.axhline(k - 0.5, color="white", lw=3)
    ax.set_yticks(range(K), [f"split {k}" for k in range(K)])
    ax.tick_params(axis="y", length=0)
    for k, row in enumerate(result.rows()):
        unused = f", {row['n_unused']} unused" if row["n_unused"] else ""
        canvas.beside(ax, k, f"{row['n_train']} train, {row['n_test']} test{unused}")
    order = "time" if result.periods else "the split that tests them"
    told = ["orange: tested; blue: trained on; white: no part in this split"]
    if n > MOST_ROWS:
        told.append(f"{MOST_ROWS} of {n} rows, evenly spaced")
    canvas.footer(ax, told)
    apart = " and ".join(result.apart).replace("_", " ") or "single rows, at random"
    canvas.caption(
        ax,
        title=f"{K} split{'' if K == 1 else 's'} by {apart}\n{result.guarantee}",
        told=(
            f"One line for each of {K} splits and one column for each of {n} rows: orange where "
            "the row is tested, blue where it is trained on, white where it has no part."
        ),
        x=f"rows, ordered by {order} (n = {n})",
        y="",
    )
    return ax


@draw.register(SplitCheck)
def split_faults(result: SplitCheck, *, ax: Axes | None = None) -> Axes:
    """Draw for each thing that can be checked which share of the test rows it touches.

    Args:
        result: A check of a split.
        ax: Axes to draw on; new ones by default.

    Returns:
        The axes.
    """
    ax = canvas.axes(ax, height=1.9 + 0.3 * len(KINDS))
    found = {fault.kind: fault for fault in result.faults}
    for place, kind in enumerate(KINDS):
        if kind not in result.checked:
            ax.text(0.01, place, "not checked", va="center", fontsize=8.5, color=canvas.MUTED)
        elif kind not in found:
            ax.text(0.01, place, "nothing found", va="center", fontsize=8.5, color=canvas.INK)
        elif kind == "class":
            ax.text(0.01, place, f"{found[kind].count} missing on one side", va="center",
                    fontsize=8.5, color=canvas.COLOURS[1], fontweight="bold")  # fmt: skip
        else:
            share = found[kind].count / result.n_test
            ax.barh(place, share, height=0.55, color=canvas.COLOURS[1], label=kind)
            canvas.beside(ax, place, f"{found[kind].count} of {result.n_test}", strong=True)
    ax.set_ylim(len(KINDS) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_yticks(range(len(KINDS)), [_NAMES.get(kind, kind) for kind in KINDS])
    ax.tick_params(axis="y", length=0)
    canvas.caption(
        ax,
        title=f"What training and test share although they must not\n{result.guarantee}",
        told=(
            f"One line for each of {len(KINDS)} things that can be checked, with the share of test "
            f"rows that it touches: {len(found)} were found."
        ),
        x=f"share of the {result.n_test} test rows",
        y="",
    )
    return ax


_NAMES = {
    "row": "same row",
    "label_version": "label version",
    "time": "not later",
    "class": "class missing",
    "text": "text alike",
    "X": "numbers alike",
}


def _roles(result: Splitter) -> NDArray[np.int64]:
    """Role of each shown row in each split; shape (splits, rows shown)."""
    keys: Sequence[Any] = [result.fold]
    if result.periods and result.columns.time is not None:
        keys = [result.fold, result.columns.time]
    order = np.lexsort(keys)
    if order.size > MOST_ROWS:
        order = order[np.linspace(0, order.size - 1, MOST_ROWS).round().astype(np.int64)]
    roles = np.full((len(result.pairs), result.n), _UNUSED, np.int64)
    for k, (train, test) in enumerate(result.pairs):
        roles[k, train] = _TRAIN
        roles[k, test] = _TEST
    return np.asarray(roles[:, order])


def _colours(roles: NDArray[np.int64]) -> Any:
    from matplotlib.colors import to_rgb

    return np.array([to_rgb("white"), to_rgb(TRAIN_COLOUR), to_rgb(TEST_COLOUR)])[roles]
