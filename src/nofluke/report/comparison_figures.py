"""The pictures of the page of a comparison, each with its caption and the numbers it shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke import plots
from nofluke.plots import comparison as words
from nofluke.plots.differences import bars_of, finite, shares
from nofluke.plots.evidence import first_crossing
from nofluke.plots.quantiles import points
from nofluke.report.figures import Picture, drawn
from nofluke.report.wording import number, percent

if TYPE_CHECKING:
    from nofluke.questions.comparison import Comparison

_LINES = 24  # as many points of a path as a table can show to be read
_TEN = math.log(10)


def first(result: Comparison) -> list[Picture]:
    """The pictures that stand under the verdict."""
    pictures = [_differences(result)] if finite(result).size else []
    if result.wealth:
        pictures.append(_evidence(result))
    if _spread(result):
        pictures.append(_normal(result))
    return pictures


def methods(result: Comparison) -> Picture:
    """The intervals of all methods; their numbers are the table that follows."""
    return Picture(
        svg=drawn(plots.methods, result),
        caption=(
            "Every method that serves this design, with its guarantee; the one of the answer is "
            "marked as used. Nothing here pays for choosing a method by its verdict."
        ),
    )


def subgroups(result: Comparison) -> Picture | None:
    """The groups; their numbers are the table that follows."""
    if not result.subgroups:
        return None
    word = result.subgroups[0]["guarantee"]
    caption = f"The mean difference of each group, with limits that hold together ({word})."
    return Picture(svg=drawn(plots.subgroups, result), caption=caption)


def group_shares(result: Comparison) -> Picture | None:
    """The test set against the mix; the numbers are the table that follows."""
    if not result.shares:
        return None
    caption = "Share of each group in the test set and in the mix where B will be used."
    return Picture(svg=drawn(plots.group_shares, result), caption=f"{caption[:-1]} (descriptive).")


def _differences(result: Comparison) -> Picture:
    d = finite(result)
    bars = bars_of(d, binary=bool(result.question.get("binary")))
    told = ", ".join(f"{word} {percent(share)}" for word, _, share in shares(result))
    lines: list[tuple[str, ...]] = [
        (
            *((number(left),) if bars.values else (number(left), number(right))),
            str(count),
            percent(count / d.size),
        )
        for left, right, count in zip(bars.left, bars.right, bars.heights.tolist(), strict=True)
    ]
    return Picture(
        svg=drawn(plots.differences, result),
        caption=(
            f"The differences {words.names(result)} (descriptive: {told}), and their mean with "
            f"both of its intervals ({_guarantees(result)})."
        ),
        columns=(*(("difference",) if bars.values else ("from", "to")), "number", "share"),
        lines=lines,
        rest="The intervals have a table of their own.",
    )


def _guarantees(result: Comparison) -> str:
    return " and ".join(dict.fromkeys(i.guarantee for _, i in words.intervals(result)))


def _evidence(result: Comparison) -> Picture:
    n = result.n_units
    moments = {first_crossing(wealth) for wealth in result.wealth} | {result.decided_at, n}
    grid = np.unique(np.linspace(1, n, min(_LINES, n)).astype(np.int64)).tolist()
    at = sorted({m for m in moments if m is not None} | set(grid))
    return Picture(
        svg=drawn(plots.evidence, result),
        caption=(
            f"Evidence (log10 of the e-value) as the {result.unit} were counted "
            f"({result.guarantee}); a path that reaches the broken line decides."
        ),
        columns=(f"{result.unit} counted", *(wealth.label for wealth in result.wealth)),
        lines=[
            (str(k), *(number(wealth.log_e[k - 1] / _TEN, 4) for wealth in result.wealth))
            for k in at
        ],
        rest=f"{len(at)} of {n} moments; it decides at "
        + ", ".join(f"{w.label}: {number(w.log_threshold / _TEN, 4)}" for w in result.wealth)
        + ".",
    )


def _spread(result: Comparison) -> bool:
    """Whether the units have enough different values to speak of their distribution."""
    x = np.empty(0) if result.x is None else result.x[np.isfinite(result.x)]
    return x.size > 1 and not bars_of(x).values


def _normal(result: Comparison) -> Picture:
    assert result.x is not None  # noqa: S101 (asked by the caller)
    z, x = points(result.x[np.isfinite(result.x)])
    at = np.unique(np.linspace(0, z.size - 1, min(_LINES, z.size)).astype(np.int64))
    return Picture(
        svg=drawn(plots.normal_quantiles, result),
        caption=(
            "The differences against a normal distribution (descriptive). The asymptotic interval "
            "needs a normal mean and not normal differences; heavy tails ask for a larger n."
        ),
        columns=("normal quantile", f"difference in {words.unit(result)}"),
        lines=[(number(z[i], 4), number(x[i])) for i in at],
        rest=f"{at.size} of {result.n_units} {result.unit}.",
    )
