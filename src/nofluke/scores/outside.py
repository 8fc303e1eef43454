"""Scores outside the bounds that were promised: their spelling, and what may have happened."""

from __future__ import annotations

_WIDEN = (
    " Bounds hold for every score that could come: declare wider ones, or name the columns if "
    "these are no scores."
)


def exactly(value: float) -> str:
    """A short spelling where it is exact: a 1 that is a little more must not look like 1.

    >>> exactly(0.25), exactly(1 + 1e-12)
    ('0.25', '1.000000000001')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def hint(low: float, high: float, *, least: float, most: float, over: int, within: int) -> str:
    """What may have happened where scores between 0 and 1 were promised and others arrived.

    Args:
        low: Lowest score promised.
        high: Highest score promised.
        least: Smallest score that arrived.
        most: Largest score that arrived.
        over: How many are above 1.
        within: How many are above 0 and at most 1.
    """
    if (low, high) != (0, 1) or not 1 < most <= 100:
        return _WIDEN
    if over < within:
        return (
            " Most lie between 0 and 1, so two scales may be mixed; nothing is rescaled value by "
            "value: mend the scores, or declare the range of all of them."
        )
    if least >= 0:
        return " They look like per cent: divide every score by 100, or declare bounds=(0, 100)."
    return _WIDEN
