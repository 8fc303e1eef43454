"""Cautions about an interval for a quantile, as notes with a code."""

from __future__ import annotations

import math

import numpy as np

from nofluke.quantiles.answers import QuantileInterval

CUT = "Cutting off loses no coverage"


def remarks(answer: QuantileInterval) -> tuple[str, ...]:
    """What a reader must know beside the numbers of an interval, for one sample or many.

    >>> from nofluke.quantiles import interval
    >>> [note[:5] for note in remarks(interval([1, 1, 1, 1, 2, 2], 0.05, level=0.9))]
    ['NF180', 'NF181']
    """
    made = (_missing(answer), _tied(answer), _cut(answer), _outward(answer))
    return tuple(note for note in made if note)


def ties(least: float | None) -> str:
    """What tied runs mean for an interval.

    Args:
        least: Smallest coverage of its limits where one lies between two runs, else None.
    """
    if least is None:
        kept = "limits that are runs belong to the interval, so that tied values are not missed"
    else:
        kept = (
            "a limit that is no order statistic may leave out a value that many runs share, and "
            f"coverage then be as low as {math.floor(1000 * least) / 1000:g}, while exact ranks "
            "(guaranteed=True) keep the level"
        )
    return f"{kept}; an interval of no width is no mistake"


def between(answer: QuantileInterval) -> bool:
    """Whether a limit lies between two runs."""
    return any(rank % 1 for rank in answer.ranks) and not np.all(answer.outward)


def _missing(answer: QuantileInterval) -> str:
    if answer.status == "two_sided":
        return ""
    return f"NF180: {answer.reason}."


def _tied(answer: QuantileInterval) -> str:
    fewest = int(np.min(answer.n_distinct))
    if 2 * fewest >= answer.n:
        return ""
    one = np.ndim(answer.n_distinct) == 0
    said = f"only {fewest} distinct values among {answer.n} runs"
    low = answer.coverage_band[0] if between(answer) else None
    return f"NF181: {said}{'' if one else ' in some samples'}; {ties(low)}."


def _cut(answer: QuantileInterval) -> str:
    share = float(np.mean(answer.beyond))
    if share == 0:
        return ""
    return (
        f"NF182: {share:.3g} of the limits lay beyond the natural bounds, where no value can be, "
        f"and were cut there. {CUT}."
    )


def _outward(answer: QuantileInterval) -> str:
    if not np.any(answer.outward):
        return ""
    where = "" if np.ndim(answer.outward) == 0 else " in some samples"
    return (
        f"NF183: runs tie{where}, and limits that would lie between two runs were moved outward to "
        "runs themselves; that loses no coverage."
    )
