"""Resampling: the bootstrap and the jackknife of means, of sums and of any statistic of rows.

All of it is asymptotic. What a sample has not seen no resample of it can show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from nofluke import checks, workers
from nofluke.kernels import student
from nofluke.kernels.student import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.checks import Side

# A statistic of some of the rows, given by their indices (with repeats); NaN where undefined.
Statistic: TypeAlias = "Callable[[NDArray[np.int64]], float]"

_BLOCK = 1 << 20  # indices drawn at once, so that they stay in the cache
_TOGETHER = 50  # resamples that are computed by one worker together
_TIES = 1e-12  # replicates this close, relative to the largest, differ by rounding only


def bootstrap_interval(  # noqa: PLR0917 (a sample, then how, then the draws)
    x: NDArray[np.float64],
    alpha: float,
    side: Side,
    kind: str,
    n_resamples: int,
    rng: np.random.Generator,
) -> Limits:
    """Bootstrap limits for the mean, at alpha/2 on each of two sides or alpha on one.

    A constant sample gives zero width, and a sample of one value too: the caller must know that
    this is the bootstrap's ignorance and not precision.

    Args:
        x: Finite sample, shape (n,).
        alpha: Error level; alpha (n_resamples + 1) should be 10 and more, or else the limits are
            extreme replicates.
        side: "both", "lower" or "upper".
        kind: "percentile", or "bca" (Efron 1987).
        n_resamples: Number of resamples.
        rng: Source of the resamples.
    """
    if (x == x[0]).all():  # the same with rounding would be skewed by it
        at = float(x[0])
        return Limits(-math.inf if side == "upper" else at, math.inf if side == "lower" else at)
    replicates, mean = bootstrap_means(x, n_resamples, rng), float(x.mean())
    return limits(replicates, mean, alpha, side, acceleration(x - mean) if kind == "bca" else None)


def limits(
    replicates: NDArray[np.float64],
    estimate: float,
    alpha: float,
    side: Side,
    bend: float | None,
) -> Limits:
    """Limits from bootstrap replicates: percentiles, or BCa where an acceleration is given.

    Undefined replicates (NaN) could have been anything, so they count as -inf for the lower limit
    and as inf for the upper one.

    Args:
        replicates: The statistic on each resample, shape (B,).
        estimate: The statistic on the sample.
        alpha: Error level, halved for two sides.
        side: "both", "lower" or "upper".
        bend: Acceleration for BCa; None for percentiles.
    """
    tail = checks.tail(alpha, side)
    shift = 0.0 if bend is None else bias_correction(replicates, estimate)
    low, high = -math.inf, math.inf
    if side != "upper":
        ordered = np.sort(np.where(np.isnan(replicates), -math.inf, replicates))
        low = _order_statistic(ordered, _bca_level(tail, shift, bend or 0.0))
    if side != "lower":
        ordered = np.sort(np.where(np.isnan(replicates), math.inf, replicates))
        high = _order_statistic(ordered, _bca_level(1 - tail, shift, bend or 0.0))
    return Limits(low, high)


def bootstrap_means(
    x: NDArray[np.float64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of resamples of size n drawn with replacement, shape (n_resamples,).

    How often each distinct value is drawn is multinomial, so a sample with few of them needs no
    indices: drawing a binomial count costs about as much as 25 indices.
    """
    n = x.size
    values, counts = np.unique(x, return_counts=True)
    if 25 * values.size <= n:
        drawn = rng.multinomial(n, counts / n, size=n_resamples)
        return np.asarray(drawn @ values / n)
    return np.concatenate([x[at].mean(axis=1) for at in _index_blocks(n, n_resamples, rng)])


def bootstrap_counts(n: int, n_resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How often each of n units is in each resample, shape (n_resamples, n); rows sum to n."""
    blocks = []
    for at in _index_blocks(n, n_resamples, rng):
        flat = at + n * np.arange(len(at))[:, None]
        blocks.append(np.bincount(flat.ravel(), minlength=at.size).reshape(at.shape))
    return np.concatenate(blocks).astype(np.float64)


def bootstrap_sums(
    columns: NDArray[np.float64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Column sums over resampled rows, shape (n, k) -> (n_resamples, k).

    All columns of a row are drawn together, so what is paired in the sample stays paired.
    """
    n = len(columns)
    step = max(1, _BLOCK // n)
    sizes = [min(step, n_resamples - done) for done in range(0, n_resamples, step)]
    return np.concatenate([bootstrap_counts(n, size, rng) @ columns for size in sizes])


def bootstrap_rows(
    statistic: Statistic, n: int, n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The statistic on resamples of n rows, shape (n_resamples,).

    All rows are drawn here, so that they are the same wherever the statistic is computed.
    """
    return _of_each(
        statistic, (rows for block in _index_blocks(n, n_resamples, rng) for rows in block)
    )


def jackknife(statistic: Statistic, n: int, *, groups: int = 1000) -> NDArray[np.float64]:
    """The statistic without row i, for each i; shape (min(n, groups),).

    Of more than ``groups`` rows as many groups are left out in turn, every groups-th row together.
    """
    label = np.arange(n) % min(n, groups)
    return _of_each(statistic, (np.flatnonzero(label != g) for g in range(min(n, groups))))


def _of_each(statistic: Statistic, rows: Iterable[NDArray[np.int64]]) -> NDArray[np.float64]:
    """The statistic of each set of rows; some sets at a time, as it is sent along with them."""
    left = iter(rows)
    pieces = ((statistic, some) for some in iter(lambda: list(islice(left, _TOGETHER)), []))
    return np.concatenate(list(workers.each(_statistics, pieces)))


def _statistics(statistic: Statistic, rows: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    return np.array([statistic(some) for some in rows], np.float64)


def jackknife_sums(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Column sums without row i, for each i; shape (n, k)."""
    return np.asarray(columns.sum(axis=0) - columns)


def jackknife_se(left_out: NDArray[np.float64]) -> float:
    """Standard error from a statistic with one of g units left out in turn (Tukey 1958)."""
    g = left_out.size
    return math.sqrt((g - 1) / g * float(((left_out - left_out.mean()) ** 2).sum()))


def jackknife_interval(
    left_out: NDArray[np.float64], estimate: float, alpha: float, side: Side
) -> Limits:
    """Estimate plus and minus t standard errors, with g - 1 degrees of freedom.

    Infinite where g is 1 or a statistic is undefined without one of the units.
    """
    g = left_out.size
    if g == 1 or np.isnan(left_out).any():
        return Limits(-math.inf, math.inf)
    return student.limits(estimate, jackknife_se(left_out), g - 1, alpha, side)


def acceleration(influence: NDArray[np.float64]) -> float:
    """Efron's (1987, eq. 6.6) acceleration: a sixth of the skewness of the jackknife.

    Args:
        influence: Mean of the jackknife values minus each of them, up to a positive factor; for
            the mean of a sample x that is x - mean(x). 0 where they are all equal.

    >>> round(acceleration(np.array([-1.0, -1.0, 2.0])), 6)
    0.068041
    """
    scale = float(np.abs(influence).max())
    if not scale > 0:
        return 0.0
    u = influence / scale
    return float((u**3).sum() / (6 * (u**2).sum() ** 1.5))


def bias_correction(replicates: NDArray[np.float64], estimate: float) -> float:
    """Efron's z0: the normal quantile of the share of replicates below the estimate.

    Replicates that tie with the estimate count half, or else a sample with few values would be
    "biased" by its own ties. The share is kept half a replicate away from 0 and 1.
    """
    known = replicates[~np.isnan(replicates)]
    if not known.size:
        return 0.0
    near = _TIES * max(abs(estimate), float(np.abs(known).max()))
    below = np.count_nonzero(known < estimate - near)
    ties = np.count_nonzero(np.abs(known - estimate) <= near)
    share = (below + ties / 2) / known.size
    edge = 0.5 / known.size
    return float(ndtri(min(max(share, edge), 1 - edge)))


def cluster_means(
    d: NDArray[np.float64], codes: NDArray[np.int64], n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Item means of resamples of whole clusters, shape (n_resamples,).

    Args:
        d: Values of the items, shape (n,).
        codes: Cluster of each item, 0..G-1, none of them empty.
        n_resamples: Number of resamples, each of G clusters.
        rng: Source of the resamples.
    """
    sizes = np.bincount(codes).astype(np.float64)
    columns = np.column_stack([np.bincount(codes, weights=d), sizes])
    drawn = bootstrap_sums(columns, n_resamples, rng)
    return np.asarray(drawn[:, 0] / drawn[:, 1])


def rows_of_clusters(clusters: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of the clusters drawn, one cluster after the other; a cluster drawn twice comes twice.

    Args:
        clusters: The clusters drawn, with repeats, shape (m,).
        codes: Cluster of each row, 0..G-1, shape (n,).
    """
    members = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    length = sizes[clusters]
    ends = np.cumsum(length)
    within = np.arange(int(ends[-1])) - np.repeat(ends - length, length)
    return np.asarray(members[np.repeat(starts[clusters], length) + within])


def moving_block_means(
    d: NDArray[np.float64], length: int, n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of resamples of a series by blocks of ``length`` neighbours, shape (n_resamples,).

    Blocks start anywhere in 0..n-length and do not wrap (Kunsch 1989; Liu & Singh 1992); the last
    is cut. Rows near the ends are drawn less often than those in the middle.

    Args:
        d: Values in order of time, shape (n,).
        length: Rows of a block; n at most.
        n_resamples: Number of resamples, each of n rows.
        rng: Source of the resamples.
    """
    n, length = d.size, min(length, d.size)
    starts = rng.integers(0, n - length + 1, size=(n_resamples, -(-n // length)))
    before = np.concatenate([[0.0], np.cumsum(d)])
    lengths = np.full(starts.shape[1], length)
    lengths[-1] = n - length * (starts.shape[1] - 1)
    return np.asarray((before[starts + lengths] - before[starts]).sum(axis=1) / n)


def _index_blocks(
    n: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    step = max(1, _BLOCK // n)
    for done in range(0, n_resamples, step):
        yield rng.integers(0, n, size=(min(step, n_resamples - done), n))


def _bca_level(p: float, shift: float, bend: float) -> float:
    """The level of the percentile that BCa takes for the level p (Efron 1987, eq. 6.8).

    Where the correction divides by zero or less, it has passed its pole: the limit before the
    pole is the smallest or the largest replicate.
    """
    if shift == 0 and bend == 0:
        return p
    z = shift + float(ndtri(p))
    rest = 1 - bend * z
    if rest <= 0:
        return 1.0 if z > 0 else 0.0
    return float(ndtr(shift + z / rest))


def _order_statistic(ordered: NDArray[np.float64], p: float) -> float:
    """The p-quantile at rank p (B + 1), between two replicates by their distance; ends are kept."""
    B = ordered.size
    rank = min(max(p * (B + 1), 1.0), float(B))
    below = math.floor(rank)
    low, high = float(ordered[below - 1]), float(ordered[min(below, B - 1)])
    part = rank - below
    if part == 0 or low == high:
        return low
    if math.isinf(low) or math.isinf(high):
        return low if math.isinf(low) else high
    return low + part * (high - low)
