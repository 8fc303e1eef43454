"""The slow, obvious way to a crossing probability, for comparison."""

import math

import mpmath


def crossing(lower, upper):
    """1 - Steck's (1971) determinant, n! det[(B_i - b_j)_+^(j-i+1) / (j-i+1)!], by expansion.

    Exact with fractions; with mpmath numbers it needs some 2n digits beside those of the answer.
    """
    n = len(lower)
    if any(b >= B for b, B in zip(lower, upper, strict=True)):
        return 1
    minors = [1]
    for k in range(1, n + 1):
        minors.append(
            sum(
                (-1) ** (k - i)
                * max(upper[i - 1] - lower[k - 1], 0) ** (k - i + 1)
                * minors[i - 1]
                / math.factorial(k - i + 1)
                for i in range(1, k + 1)
            )
        )
    return 1 - math.factorial(n) * minors[n]


def precise(lower, upper=None, *, gap=None, digits=700):
    """The same for floats, taken as exact, in ``digits`` digits."""
    n = len(lower)
    with mpmath.workdps(digits):
        lower = [mpmath.mpf(float(x)) for x in lower]
        if gap is not None:
            upper = [1 - mpmath.mpf(float(x)) for x in gap]
        else:
            upper = [mpmath.mpf(float(x)) for x in (upper if upper is not None else [1] * n)]
        return crossing(lower, upper)
