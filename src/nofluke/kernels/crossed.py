"""Two ways crossed, both random, one score in each cell: x_ij = mu + a_i + b_j + e_ij."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import fdtrc

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 16 * np.finfo(np.float64).eps  # of a mean, relative to the largest score


class Crossed(NamedTuple):
    """Mean squares of r seeds by n rows.

    Attributes:
        seeds: MS_A, expectation n var(a) + var(e).
        rows: MS_B, expectation r var(b) + var(e).
        rest: MS_E, expectation var(e).
        r: Seeds.
        n: Rows.
    """

    seeds: float
    rows: float
    rest: float
    r: int
    n: int

    @property
    def components(self) -> tuple[float, float, float]:
        """Variances of seeds, rows and the rest, without bias; the first two may be negative."""
        return (self.seeds - self.rest) / self.n, (self.rows - self.rest) / self.r, self.rest

    @property
    def of_mean(self) -> float:
        """Variance of the grand mean; a negative component counts as 0, so never too small."""
        a, b, e = self.components
        return max(a, 0.0) / self.r + max(b, 0.0) / self.n + e / (self.r * self.n)

    @property
    def of_one(self) -> float:
        """Variance of the mean of one new seed on n new rows."""
        a, b, e = self.components
        return max(a, 0.0) + max(b, 0.0) / self.n + e / self.n

    @property
    def df(self) -> float:
        """Satterthwaite's (1946) for ``of_mean``, from the mean squares that make it up."""
        a, b, _ = self.components
        r, n = self.r, self.n
        used = [(self.seeds, r - 1.0)] if a > 0 else []
        used += [(self.rows, n - 1.0)] if b > 0 else []
        if len(used) != 1:
            used.append((-self.rest if used else self.rest, (r - 1.0) * (n - 1.0)))
        total = sum(ms for ms, _ in used)
        return total**2 / sum(ms**2 / df for ms, df in used) if total > 0 else 0.0


def crossed(x: NDArray[np.float64]) -> Crossed:
    """Mean squares, shape (seeds, rows) -> three numbers; those that differ by rounding are equal.

    Whether a component is above 0 decides on degrees of freedom, and no rest makes a test certain:
    neither may hang on the last digit.
    """
    r, n = x.shape
    mean = x.mean()
    a, b = x.mean(axis=1) - mean, x.mean(axis=0) - mean
    left = x - mean - a[:, np.newaxis] - b
    tiny = _ROUNDING * float(np.abs(x).max())
    rest = _mean_square(left, (r - 1) * (n - 1), tiny)
    seeds = n * _mean_square(a, r - 1, tiny)
    rows = r * _mean_square(b, n - 1, tiny)
    return Crossed(
        seeds=rest if _tie(seeds, rest, n * tiny) else seeds,
        rows=rest if _tie(rows, rest, r * tiny) else rows,
        rest=rest,
        r=r,
        n=n,
    )


def _mean_square(deviations: NDArray[np.float64], df: int, tiny: float) -> float:
    return float((deviations**2).sum()) / df if np.abs(deviations).max() > tiny else 0.0


def _tie(one: float, other: float, tiny: float) -> bool:
    return abs(math.sqrt(one) - math.sqrt(other)) <= tiny


class EqualMeans(NamedTuple):
    """The F test that all seeds have one mean.

    Attributes:
        statistic: MS_A / MS_E.
        epsilon: Greenhouse & Geisser's factor of both degrees of freedom, 1/(r - 1) to 1.
        pvalue: Tail.
    """

    statistic: float
    epsilon: float
    pvalue: float


def equal_means(x: NDArray[np.float64], found: Crossed) -> EqualMeans:
    """Whether all seeds have one mean, allowing for unequal variances and correlations of seeds.

    Greenhouse & Geisser 1959: degrees of freedom times (tr V)^2 / ((r - 1) tr V^2), where V is the
    covariance of the seeds' deviations from the mean of all seeds in a row. Where MS_E is 0, F
    would be certain; then seeds that differ stand in one order in all n rows, of at least r orders
    that are equally likely if seeds are exchangeable within a row, and p is r^(1 - n) at most.
    """
    if not found.rest > 0:
        differ = found.seeds > 0
        return EqualMeans(
            math.inf if differ else 0.0, 1.0, float(found.r) ** (1 - found.n) if differ else 1.0
        )
    of_rows = x - x.mean(axis=0)
    of_rows = of_rows - of_rows.mean(axis=1)[:, np.newaxis]
    V = of_rows @ of_rows.T
    epsilon = float(np.trace(V) ** 2 / ((V**2).sum() * (found.r - 1)))
    statistic = found.seeds / found.rest
    df = epsilon * (found.r - 1)
    return EqualMeans(statistic, epsilon, float(fdtrc(df, df * (found.n - 1), statistic)))
