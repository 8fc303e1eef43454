"""The area under the ROC curve: variances, covariances, limits at the edge, bootstrap laws.

V10 and V01 are the placements of positives and of negatives, m and n their numbers. `placements`
holds the loops; it is imported where it is needed, as numba loads slowly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.kernels.roots import safe_edge

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 22  # indices drawn at once
_ROUNDING = 1e-20  # of a variance


class Area(NamedTuple):
    """Pairs counted in whole numbers, and the spread of the placements.

    Attributes:
        wins: Pairs in which the positive scores higher.
        ties: Pairs that tie.
        m: Positives.
        n: Negatives.
        square10: Sum of (V10 - A)^2 over the positives.
        square01: Sum of (V01 - A)^2 over the negatives.
    """

    wins: int
    ties: int
    m: int
    n: int
    square10: float
    square01: float

    @property
    def value(self) -> float:
        """A = (wins + ties / 2) / (m n)."""
        return (2 * self.wins + self.ties) / (2 * self.m * self.n)

    @property
    def rest(self) -> float:
        """1 - A, from counts as well."""
        pairs = self.m * self.n
        return (2 * (pairs - self.wins) - self.ties) / (2 * pairs)

    @property
    def parts(self) -> tuple[float, float]:
        """S10 / m and S01 / n, whose sum is DeLong's variance; infinite for one row of a class."""
        return (
            self.square10 / (self.m - 1) / self.m if self.m > 1 else math.inf,
            self.square01 / (self.n - 1) / self.n if self.n > 1 else math.inf,
        )

    @property
    def variance(self) -> float:
        """DeLong, DeLong & Clarke-Pearson (1988), which is also that of Brunner & Munzel (2000)."""
        return sum(self.parts)

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom (Brunner & Munzel 2000, section 3)."""
        return satterthwaite(self.parts, (self.m - 1, self.n - 1))


def area(y: NDArray[np.bool_], s: NDArray[np.float64]) -> Area:
    """Area and variance by one sort of each class and one merge; both classes have a row.

    Args:
        y: Whether each row is positive, shape (rows,).
        s: Scores without NaN, shape (rows,).
    """
    from nofluke.kernels.placements import merge

    positives, negatives = np.sort(s[y]), np.sort(s[~y])
    wins, ties, square10, square01 = merge(positives, negatives)
    return Area(int(wins), int(ties), positives.size, negatives.size, square10, square01)


def satterthwaite(variances: tuple[float, ...], dfs: tuple[float, ...]) -> float:
    """Degrees of freedom of a sum of independent variance estimates; 0 where one is unknown."""
    total = sum(variances)
    if not math.isfinite(total) or total == 0:
        return 0.0
    shares = [variance / total for variance in variances]  # their squares do not underflow
    return 1 / sum(share**2 / df for share, df in zip(shares, dfs, strict=True) if share > 0)


def newcombe_variance(t: float, m: float, n: float) -> float:
    """Variance of an area t in Newcombe's (2006) method 5: Hanley & McNeil's, with (m + n)/2 rows.

    At t = 1/2 it is (m + n + 1) / (12 m n), that of the Mann-Whitney statistic without ties.
    """
    N = (m + n) / 2 - 1
    return t * (1 - t) * (1 + N * (1 - t) / (2 - t) + N * t / (1 + t)) / (m * n)


def newcombe_lower(value: float, m: float, n: float, z: float) -> float:
    """The lower limit t of Newcombe's (2006) method 5: A - t = z sqrt(variance at t).

    The upper limit is 1 minus the lower one of the area 1 - A.

    >>> round(newcombe_lower(1.0, 5, 7, 1.959963984540054), 6)
    0.68279
    """
    if value == 0:
        return 0.0
    return safe_edge(
        lambda t: value - t > z * math.sqrt(newcombe_variance(t, m, n)), 0.0, value, tolerance=1e-16
    )


def hanley_mcneil_variance(value: float, m: int, n: int) -> float:
    """Variance implied by an area and the class sizes alone (Hanley & McNeil 1982, eq. 1 and 2).

    True for exponential scores; what a reported area without its rows is worth.
    """
    of_pairs = value * (1 - value)
    q1, q2 = value / (2 - value) - value**2, 2 * value**2 / (1 + value) - value**2
    return (of_pairs + (m - 1) * q1 + (n - 1) * q2) / (m * n)


def bootstrap_variance(found: Area) -> float:
    """Variance of the area over all resamples of positives and negatives, exactly.

    The kernel matrix psi (m, n) of 1, 1/2 and 0 splits into row, column and interaction terms with
    the population variances s_r, s_c and s_e. A resample's area is the mean over drawn rows and
    columns, so with independent draws of both its variance is s_r/m + s_c/n + s_e/(m n). The
    mean of psi^2 is (wins + ties/4)/(m n), from which s_e follows. The mean is A exactly.
    """
    m, n, pairs = found.m, found.n, found.m * found.n
    twice = 2 * found.wins + found.ties
    # Whole numbers: near A = 1 the difference of the two means would lose its digits.
    total = ((4 * found.wins + found.ties) * pairs - twice**2) / (2 * pairs) ** 2
    rows, columns = found.square10 / m, found.square01 / n
    return rows * (1 - 1 / n) / m + columns * (1 - 1 / m) / n + total / pairs


def one_class_chance(rows: int, positives: int) -> float:
    """Chance that a resample of all rows has one class only: (1 - k/n)^n + (k/n)^n.

    >>> round(one_class_chance(30, 3), 4)
    0.0424
    """
    if positives in (0, rows):
        return 1.0
    rate = positives / rows
    return math.exp(rows * math.log1p(-rate)) + rate**rows


class Deviations(NamedTuple):
    """Placements of several candidates on the same rows.

    Attributes:
        values: A of each candidate, shape (K,).
        of_rows: V10 - A of a positive, V01 - A of a negative row; shape (K, rows).
    """

    values: NDArray[np.float64]
    of_rows: NDArray[np.float64]


def deviations(
    y: NDArray[np.bool_], scores: NDArray[np.float64], *, positives_first: bool = False
) -> Deviations:
    """Areas and placements minus the area, one sort for each candidate.

    Args:
        y: Whether each row is positive, shape (rows,).
        scores: Shape (K, rows).
        positives_first: Whether ``of_rows`` has the positives first, then the negatives, both in
            the order of the rows: then the functions below need no copy of either class, and are to
            be given ``y`` and clusters in that order too.
    """
    from nofluke.kernels import placements

    m = int(np.count_nonzero(y))
    pairs = m * (y.size - m)
    out, values = np.empty(scores.shape), np.empty(len(scores))
    place = _places_by_class(y) if positives_first else None
    for k, s in enumerate(scores):
        order = np.argsort(s)
        ordered = s[order], y[order]
        to = order if place is None else place[order]
        wins, ties = placements.deviations(*ordered, to, out[k])
        values[k] = (2 * wins + ties) / (2 * pairs)
    return Deviations(values, out)


def _places_by_class(y: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where each row goes if the positives come first, shape (rows,)."""
    m = int(np.count_nonzero(y))
    place = np.empty(y.size, np.int64)
    place[y], place[~y] = np.arange(m), np.arange(m, y.size)
    return place


def _by_class(
    y: NDArray[np.bool_], of_rows: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rows of positives and of negatives, along the last axis; no copy if positives are first.

    >>> ten, one = _by_class(np.array([True, False]), np.array([0.5, 0.25]))
    >>> ten.base is one.base, ten, one
    (True, array([0.5]), array([0.25]))
    """
    m = int(np.count_nonzero(y))
    if y[:m].all():
        return of_rows[..., :m], of_rows[..., m:]
    return of_rows[..., y], of_rows[..., ~y]


def covariance(y: NDArray[np.bool_], of_rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """DeLong's covariance S10/m + S01/n from deviations, shape (K, rows) -> (K, K).

    Of contrasts as well, given their deviations: rows of a contrast in which nothing differs are
    exactly 0, which a difference of nearly equal covariances is not. Infinite for one row of a
    class.
    """
    ten, one = _by_class(y, of_rows)
    m, n = ten.shape[1], one.shape[1]
    if m == 1 or n == 1:
        return np.full((len(of_rows), len(of_rows)), math.inf)
    return np.asarray(ten @ ten.T / ((m - 1) * m) + one @ one.T / ((n - 1) * n))


def row_spread(y: NDArray[np.bool_], of_rows: NDArray[np.float64]) -> tuple[float, float]:
    """Variance and Satterthwaite's degrees of freedom from deviations of one quantity, (rows,).

    Infinite and 0 for one row of a class.
    """
    classes = _by_class(y, of_rows)
    parts = tuple(
        float((of**2).sum()) / (of.size - 1) / of.size if of.size > 1 else math.inf
        for of in classes
    )
    return sum(parts), satterthwaite(parts, tuple(of.size - 1.0 for of in classes))


class Partial(NamedTuple):
    """A partial area, the curve at both ends, and centred placements of the rows, shape (rows,)."""

    value: float
    ends: tuple[float, float]
    of_rows: NDArray[np.float64]


def partial(y: NDArray[np.bool_], s: NDArray[np.float64], span: tuple[float, float]) -> Partial:
    """The area between two false positive rates, and what each row adds to its error.

    Args:
        y: Whether each row is positive, shape (rows,).
        s: Scores without NaN, shape (rows,).
        span: False positive rates, low < high.
    """
    from nofluke.kernels.placements import restricted

    order, of_rows = np.argsort(s), np.empty(s.size)
    ends = restricted(s[order], y[order], order, span, of_rows)
    value = float(of_rows[y].mean())
    of_rows[y] -= value
    of_rows[~y] -= of_rows[~y].mean()
    return Partial(value, (float(ends[0]), float(ends[1])), of_rows)


class ClusterSums(NamedTuple):
    """Deviations summed within clusters, divided by the size of the class.

    Attributes:
        ten: Of positives over m, shape (K, clusters).
        one: Of negatives over n, shape (K, clusters).
        has: Whether each cluster has positives, and whether it has negatives; (2, clusters).
    """

    ten: NDArray[np.float64]
    one: NDArray[np.float64]
    has: NDArray[np.bool_]


def cluster_sums(
    y: NDArray[np.bool_], of_rows: NDArray[np.float64], codes: NDArray[np.int64]
) -> ClusterSums:
    """What each cluster adds to the deviation of an area."""
    G = int(codes.max()) + 1
    sums = [
        np.array([np.bincount(codes[of], weights=d[of], minlength=G) for d in of_rows])
        / np.count_nonzero(of)
        for of in (y, ~y)
    ]
    has = np.array([np.bincount(codes[of], minlength=G) > 0 for of in (y, ~y)])
    return ClusterSums(sums[0], sums[1], has)


def clustered(
    y: NDArray[np.bool_], of_rows: NDArray[np.float64], codes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """``clustered_covariance`` and ``clustered_df`` (of the first) from deviations of rows.

    Deviations may cancel within every cluster; what rounding leaves of them becomes 0.
    """
    sums = cluster_sums(y, of_rows, codes)
    found = clustered_covariance(sums)
    ten, one = _by_class(y, of_rows)
    by_rows = (ten**2).sum(axis=1) / ten.shape[1] ** 2 + (one**2).sum(axis=1) / one.shape[1] ** 2
    nothing = found.diagonal() <= _ROUNDING * by_rows
    found[nothing, :] = 0
    found[:, nothing] = 0
    return found, clustered_df(sums)


def clustered_covariance(sums: ClusterSums) -> NDArray[np.float64]:
    """Obuchowski's (1997) covariance S10/m + S01/n + (S11 + S11')/(m n), shape (K, K).

    Factors I10/(I10 - 1), I01/(I01 - 1) and I/(I - 1) count clusters with positives, with
    negatives, and all; it is DeLong's where every cluster is one row. Never negative definite: the
    first two factors are the larger ones, and with I/(I - 1) everywhere it is a sum of squares.
    Infinite where a class is in one cluster only.
    """
    with_ten, with_one = (int(np.count_nonzero(has)) for has in sums.has)
    both = sums.has.shape[1]
    K = len(sums.ten)
    if with_ten == 1 or with_one == 1:
        return np.full((K, K), math.inf)
    cross = sums.ten @ sums.one.T * (both / (both - 1))
    return np.asarray(
        sums.ten @ sums.ten.T * (with_ten / (with_ten - 1))
        + sums.one @ sums.one.T * (with_one / (with_one - 1))
        + cross
        + cross.T
    )


def clustered_df(sums: ClusterSums) -> float:
    """Degrees of freedom for one area or contrast from clusters; at most clusters - 1.

    Satterthwaite over three kinds of clusters, independent of each other: with positives only, with
    negatives only, with both. With one row in each it is the df of `Area`, with both classes in
    all of them it is clusters - 1.
    """
    kinds, dfs = _kinds(sums)
    parts = tuple(float(part[0, 0]) for part in kinds)
    return min(satterthwaite(parts, dfs), float(sums.has.shape[1] - 1))


def clustered_wishart_df(sums: ClusterSums, whitening: NDArray[np.float64]) -> float:
    """Degrees of freedom of the covariance of several contrasts; at most clusters - 1.

    The multivariate Satterthwaite of Nel & van der Merwe (1986), as Krishnamoorthy & Yu (2004) made
    it independent of the units: from S_i of each kind of cluster, S = sum S_i, W S W' = 1,

        (tr(S^2) + tr(S)^2) / sum_i (tr(S_i^2) + tr(S_i)^2) / df_i.

    For one contrast it is ``clustered_df``.

    Args:
        sums: Of K contrasts.
        whitening: W', shape (K, rank).
    """
    kinds, dfs = _kinds(sums)
    parts = np.array([whitening.T @ part @ whitening for part in kinds])
    size = [float((part**2).sum() + np.trace(part) ** 2) for part in (parts.sum(axis=0), *parts)]
    spent = sum(of / df for of, df in zip(size[1:], dfs, strict=True))
    return min(size[0] / spent, float(sums.has.shape[1] - 1)) if spent > 0 else 0.0


def _kinds(sums: ClusterSums) -> tuple[list[NDArray[np.float64]], tuple[float, ...]]:
    """Covariance (K, K) from each kind of cluster (both classes, one, the other), and its df."""
    both = sums.has.all(axis=0)
    parts, dfs = [], []
    for kind in (both, sums.has[0] & ~both, sums.has[1] & ~both):
        count = int(np.count_nonzero(kind))
        if count:
            total = sums.ten[:, kind] + sums.one[:, kind]
            parts.append(total @ total.T * (count / (count - 1) if count > 1 else 1.0))
            dfs.append(float(max(count - 1, 1)))
    return parts, tuple(dfs)


def bootstrap_areas(
    y: NDArray[np.bool_], s: NDArray[np.float64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Areas of resamples that keep the number of each class, shape (n_resamples,)."""
    from nofluke.kernels.placements import stratified_areas

    distinct, ranks = np.unique(s, return_inverse=True)
    of_class = ranks[y].astype(np.int64), ranks[~y].astype(np.int64)
    out = np.empty(n_resamples)
    for block in _blocks(n_resamples, y.size):
        size = block.stop - block.start
        drawn = tuple(_draws(rng, r.size, (size, r.size)) for r in of_class)
        stratified_areas(of_class, (drawn[0], drawn[1]), distinct.size, out[block])
    return out


def bootstrap_cluster_areas(
    y: NDArray[np.bool_],
    s: NDArray[np.float64],
    codes: NDArray[np.int64],
    n_resamples: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Areas of resamples of whole clusters, shape (n_resamples,); NaN where a class is missing.

    Clusters of one class each are drawn within their class, so that none is missing.
    """
    from nofluke.kernels.placements import cluster_areas

    distinct, ranks = np.unique(s, return_inverse=True)
    together = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = ranks[together].astype(np.int64), y[together], starts
    positives = np.bincount(codes[y], minlength=sizes.size)
    pure = bool(((positives == 0) | (positives == sizes)).all())
    kinds = [positives > 0, positives == 0] if pure else [positives >= 0]
    strata = [np.flatnonzero(kind).astype(np.uint32) for kind in kinds]
    out = np.empty(n_resamples)
    for block in _blocks(n_resamples, sizes.size):
        size = block.stop - block.start
        drawn = [of[_draws(rng, of.size, (size, of.size))] for of in strata]
        cluster_areas(rows, np.concatenate(drawn, axis=1), distinct.size, out[block])
    return out


def _draws(rng: np.random.Generator, n: int, shape: tuple[int, int]) -> NDArray[np.uint32]:
    return rng.integers(0, n, size=shape, dtype=np.uint32)


def _blocks(n_resamples: int, each: int) -> list[slice]:
    step = max(1, _BLOCK // each)
    return [slice(at, min(at + step, n_resamples)) for at in range(0, n_resamples, step)]
