"""Cautions about an interval for a quantile, as notes with a code."""

from __future__ import annotations

import math

import numpy as np

from nofluke.quantiles.answers import QuantileInterval


def remarks(answer: QuantileInterval) -> tuple[str, ...]:
    """What a reader must know beside the numbers of an interval, for one sample or many.

    >>> from nofluke.quantiles import interval
    >>> [note[:5] for note in remarks(interval([1, 1, 1, 1, 2, 2], 0.05, level=0.9))]
    ['NF180', 'NF181']
    """
    made = (_missing(answer), _tied(answer), _cut(answer), _outward(answer))
    return tuple(note for note in made if note)


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
    kept = "limits that are runs belong to the interval, so that tied values are not missed"
    if any(rank % 1 for rank in answer.ranks) and not np.all(answer.outward):
        least = math.floor(1000 * answer.coverage_band[0]) / 1000
        kept = (
            "a limit that is no order statistic may leave out a value that many runs share, and "
            f"coverage then be as low as {least:g}"
        )
    return (
        f"NF181: {said}{'' if one else ' in some samples'}; {kept}, and a length of 0 is no "
        "mistake."
    )


def _cut(answer: QuantileInterval) -> str:
    share = float(np.mean(answer.beyond))
    if share == 0:
        return ""
    return (
        f"NF182: {share:.3g} of the limits lay beyond the natural bounds, where no value can be, "
        "and were cut there."
    )


def _outward(answer: QuantileInterval) -> str:
    if not np.any(answer.outward):
        return ""
    where = "" if np.ndim(answer.outward) == 0 else " in some samples"
    return (
        f"NF183: runs tie{where}, and limits that would lie between two runs were moved outward to "
        "runs themselves; that loses no coverage."
    )
