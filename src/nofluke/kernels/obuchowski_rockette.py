"""Obuchowski and Rockette's model: estimates of readers (seeds) on the same rows.

theta_ij of test i and reader j = mu + test_i + R_j + (test R)_ij + e_ij, where the errors e come
from the rows and have variance ``error``, covariance Cov1 between tests of one reader, Cov2 between
readers of one test, Cov3 between both (Obuchowski & Rockette 1995; Hillis 2007).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import chdtrc

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDING = 1e-12  # of areas, and of covariances relative to the variance of an area


def jackknife_covariance(y: NDArray[np.bool_], of_rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Covariance of areas by leaving out one row at a time, in closed form, shape (K, K).

    Without positive i the area is A - (V10_i - A)/(m - 1), without negative j it is
    A - (V01_j - A)/(n - 1). Both deviations sum to 0, so the mean over all rows is A, and the
    jackknife is (N - 1)/N times the sum of products. DeLong's has 1/(m (m - 1)) where this has
    (N - 1)/(N (m - 1)^2), which is larger.

    Args:
        y: Whether each row is positive, shape (N,), at least two of each class.
        of_rows: Placements minus the area, shape (K, N).
    """
    m = int(np.count_nonzero(y))
    n = y.size - m
    weights = np.where(y, 1.0 / (m - 1) ** 2, 1.0 / (n - 1) ** 2) * ((y.size - 1) / y.size)
    return np.asarray((of_rows * weights) @ of_rows.T)


class Components(NamedTuple):
    """Means of a covariance matrix over its four kinds of pairs; NaN where there are none.

    Attributes:
        error: One reader and test with itself.
        cov1: One reader, two tests.
        cov2: Two readers, one test.
        cov3: Two readers, two tests.
    """

    error: float
    cov1: float
    cov2: float
    cov3: float


def components(covariance: NDArray[np.float64], tests: int, readers: int) -> Components:
    """The four means.

    Args:
        covariance: Shape (tests * readers,) * 2, the readers of a test together.
        tests: Number of tests t.
        readers: Number of readers r.
    """
    t, r = tests, readers
    blocks = covariance.reshape(t, r, t, r)
    own = np.einsum("ijij->", blocks)
    test = np.einsum("ijik->", blocks) - own
    reader = np.einsum("ijkj->", blocks) - own
    rest = blocks.sum() - own - test - reader
    counts = t * r, t * (t - 1) * r, t * r * (r - 1), t * (t - 1) * r * (r - 1)
    sums = own, reader, test, rest
    return Components(*(float(s) / c if c else math.nan for s, c in zip(sums, counts, strict=True)))


class OneTest(NamedTuple):
    """Variances of one test.

    Attributes:
        s2: Mean square of the readers' estimates on the same rows, with r - 1.
        error: Mean variance of one reader's estimate from rows.
        cov2: Mean covariance of two readers' estimates from rows.
        r: Readers.
    """

    s2: float
    error: float
    cov2: float
    r: int

    @property
    def shared(self) -> float:
        """Cov2 as it enters variances: a negative one counts as 0 (Hillis 2007)."""
        return max(self.cov2, 0.0)

    @property
    def of_one(self) -> float:
        """Variance of one new reader on new rows: E Var(.|rows) + Var E(.|rows)."""
        return self.s2 + self.shared

    @property
    def of_mean(self) -> float:
        """Variance of the mean of r readers on new rows, readers being random too."""
        return self.s2 / self.r + self.shared

    @property
    def of_mean_fixed(self) -> float:
        """Variance of the mean of these very readers on new rows."""
        return (self.error + (self.r - 1) * self.cov2) / self.r

    @property
    def between(self) -> float:
        """Variance of the readers' true values, without bias and possibly negative."""
        return self.s2 - (self.error - self.cov2)

    @property
    def df(self) -> float:
        """Hillis's (2007) degrees of freedom of ``of_mean``; infinite where readers all agree."""
        return self.df_with(math.inf)

    def df_with(self, of_rows: float) -> float:
        """Satterthwaite's, where Cov2 is itself known with ``of_rows`` degrees of freedom."""
        total = self.of_mean
        seeds, rows = self.s2 / self.r, self.shared
        if not total > 0:
            return 0.0
        squares = (seeds / total) ** 2 / (self.r - 1) + (rows / total) ** 2 / of_rows
        return 1 / squares if squares > 0 else math.inf


class Compared(NamedTuple):
    """Several tests compared.

    Attributes:
        mean_square: MS(T), r times the mean square of the means of tests.
        of_readers: MS(T*R) of shared readers, MS(R(T)) of separate ones.
        df_readers: Its degrees of freedom.
        excess: r (Cov2 - Cov3), a negative one counted as 0.
        r: Readers of each test.
        cov3: Covariance of two tests with different readers, all pairs where none are shared.
    """

    mean_square: float
    of_readers: float
    df_readers: int
    excess: float
    r: int
    cov3: float

    @property
    def denominator(self) -> float:
        """What MS(T) is compared with: its expectation where all tests are equal."""
        return self.of_readers + self.excess

    @property
    def of_difference(self) -> float:
        """Variance of the difference of two means of tests."""
        return 2 * self.denominator / self.r

    @property
    def df(self) -> float:
        """Hillis's (2007) degrees of freedom of the denominator."""
        if self.of_readers == 0:
            return math.inf if self.excess > 0 else 0.0
        return self.df_readers * (self.denominator / self.of_readers) ** 2


def compared(values: NDArray[np.float64], parts: Components, *, crossed: bool) -> Compared:
    """Mean squares of the analysis of variance, with what the shared rows add.

    With separate readers the expectation of MS(T) where all tests are equal is that of MS(R(T))
    plus r (Cov2 - Cov3) (Hillis 2014), as Cov1 does not occur.

    Args:
        values: Estimates, shape (tests, readers).
        parts: The components of their covariance; without shared readers Cov1 is one of Cov3.
        crossed: Whether reader j is the same in all tests.
    """
    t, r = values.shape
    means = values.mean(axis=1)
    left = values - means[:, np.newaxis]
    cov3 = parts.cov3
    if crossed:
        left = left - left.mean(axis=0)
        df = (t - 1) * (r - 1)
    else:
        cov3 = (parts.cov1 + (r - 1) * parts.cov3) / r
        df = t * (r - 1)
    excess = r * (parts.cov2 - cov3)
    return Compared(
        mean_square=r * float(means.var(ddof=1)),
        of_readers=float((left**2).sum()) / df if np.abs(left).max() > ROUNDING else 0.0,
        df_readers=df,
        excess=excess if excess > r * ROUNDING * parts.error else 0.0,
        r=r,
        cov3=cov3,
    )


class TraceTest(NamedTuple):
    """The sum of squared deviations from the mean, against its law where all are equal.

    Attributes:
        statistic: Sum of squares over its expectation.
        df: Degrees of freedom f of chi-squared; statistic times f has that law.
        pvalue: Tail.
    """

    statistic: float
    df: float
    pvalue: float


def trace_test(values: NDArray[np.float64], centred: NDArray[np.float64]) -> TraceTest:
    """Whether K correlated estimates have one expectation, by Box's (1954) approximation.

    Where they have, Q = sum (A_k - mean)^2 has expectation tr V and variance 2 tr V^2; Q / tr V is
    taken for chi-squared(f)/f with f = (tr V)^2 / tr V^2. No inverse, so that few rows and many
    candidates do no harm (the ANOVA-type statistic of Brunner, Munzel & Puri 2002).

    Args:
        values: Areas, shape (K,).
        centred: Covariance V of the deviations from the mean, shape (K, K).
    """
    trace, square = float(np.trace(centred)), float((centred**2).sum())
    if not trace > ROUNDING**2:
        return TraceTest(0.0, 0.0, 1.0)
    df = trace**2 / square
    statistic = float(((values - values.mean()) ** 2).sum()) / trace
    return TraceTest(statistic, df, float(chdtrc(df, statistic * df)))
