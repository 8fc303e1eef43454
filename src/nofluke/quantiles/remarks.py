"""Cautions about an interval for a quantile, as notes with a code."""

from __future__ import annotations

import numpy as np

from nofluke.quantiles.answers import QuantileInterval

#: What ties do: interpolation takes the density to be smooth, which ties say it is not.
TIES = (
    "Limits that are runs keep their level, as they include their ends; interpolated ones "
    "(asymptotic) may miss more often; an interval of no width is no mistake"
)
CUT = "Cutting off loses no coverage"


def remarks(answer: QuantileInterval) -> tuple[str, ...]:
    """What a reader must know beside the numbers of an interval, for one sample or many.

    >>> from nofluke.quantiles import interval
    >>> [note[:5] for note in remarks(interval([1, 1, 1, 1, 2, 2], 0.05, level=0.9))]
    ['NF180', 'NF181']
    """
    made = (_missing(answer), _tied(answer), _cut(answer))
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
    return f"NF181: {said}{'' if one else ' in some samples'}. {TIES}."


def _cut(answer: QuantileInterval) -> str:
    share = float(np.mean(answer.beyond))
    if share == 0:
        return ""
    return (
        f"NF182: {share:.3g} of the limits lay beyond the natural bounds, where no value can be, "
        f"and were cut there. {CUT}."
    )
