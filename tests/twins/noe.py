"""Noé's recursion in high precision: the binomial chain of counts, boundary by boundary.

Noé, M. (1972), The calculation of distributions of two-sided Kolmogorov-Smirnov type statistics,
Annals of Mathematical Statistics 43, 58-64. O(n^3); slow, exact up to the working precision, and
without the Poisson law that the library propagates.
"""

import mpmath


def noncrossing(lower, upper, digits=40):
    """P(lower[i] <= U_(i+1) <= upper[i] for all i) for the order statistics of n uniforms."""
    with mpmath.workdps(digits):
        n = len(lower)
        lower, upper = ([mpmath.mpf(v) for v in side] for side in (lower, upper))
        chain, before = {0: mpmath.mpf(1)}, mpmath.mpf(0)
        for t in sorted({*lower, *upper, mpmath.mpf(1)}):
            if t > before:
                chain = _step(chain, n, before, t)
                before = t
            # U_(i) >= b_i: fewer than i before b_i; and all n have come by 1.
            most = n if t == 1 else sum(b < t for b in lower)
            least = sum(b <= t for b in upper)  # U_(i) <= B_i: at least i by B_i
            chain = {j: q for j, q in chain.items() if least <= j <= most}
        return chain.get(n, mpmath.mpf(0))


def _step(chain, n, before, t):
    """Counts at ``t`` from counts at ``before``: each draw left falls between with one chance."""
    p = (t - before) / (1 - before)
    after = {}
    for j, q in chain.items():
        for more in range(n - j + 1):
            weight = mpmath.binomial(n - j, more) * p**more * (1 - p) ** (n - j - more)
            after[j + more] = after.get(j + more, 0) + q * weight
    return after
