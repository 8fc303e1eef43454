"""The isotonic fit by its min-max formula, in exact fractions and O(m^3)."""

from fractions import Fraction


def min_max(size, positives):
    """Largest over first <= j of the smallest over last >= j of the share of first..last."""

    def share(first, last):
        return Fraction(sum(positives[first : last + 1]), sum(size[first : last + 1]))

    m = len(size)
    return [
        max(min(share(first, last) for last in range(j, m)) for first in range(j + 1))
        for j in range(m)
    ]
