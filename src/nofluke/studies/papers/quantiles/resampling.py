"""The semiparametric bootstrap with resamples drawn one by one, beside what it tends to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke import quantiles
from nofluke.studies.engine import Figure, average, share
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS
from nofluke.studies.papers.quantiles.grid import LEVELS, RESAMPLES, US, Cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.studies.engine import Row

_AT_ONCE = 2  # samples whose resamples are in memory together; few, to stay in the cache


def resampled(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Coverage and length by Monte Carlo against the closed form, on the same samples.

    The first 1000 of 10,000 resamples are the run with 1000, and so on.
    """
    x = np.sort(DISTRIBUTIONS[cell.distribution].draw((cell.samples, cell.n), rng), axis=1)
    parts = [_limits(x[i : i + _AT_ONCE], rng) for i in range(0, cell.samples, _AT_ONCE)]
    rows = []
    for key in parts[0]:
        u, level, resamples = key
        lower, upper = (np.concatenate([part[key][side] for part in parts]) for side in (0, 1))
        closed = quantiles.semiparametric_bootstrap(x, u, level=level)
        truth = DISTRIBUTIONS[cell.distribution].quantile(u)
        drawn_covers = (lower <= truth) & (truth <= upper)
        closed_lower, closed_upper = np.asarray(closed.lower), np.asarray(closed.upper)
        closed_covers = (closed_lower <= truth) & (truth <= closed_upper)
        coverage, difference = share(drawn_covers), _paired(drawn_covers, closed_covers)
        ratio = average((upper - lower) / (closed_upper - closed_lower))
        rows.append(
            {
                "distribution": cell.distribution,
                "n": cell.n,
                "u": u,
                "level": level,
                "resamples": resamples,
                "samples": cell.samples,
                "coverage": coverage.value,
                "coverage_error": coverage.error,
                "difference": difference.value,
                "difference_error": difference.error,
                "length_ratio": ratio.value,
                "length_ratio_error": ratio.error,
            }
        )
    return rows


def _limits(
    x: NDArray[np.float64], rng: np.random.Generator
) -> dict[tuple[float, float, int], tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Percentile limits by u, level and number of resamples, for ascending samples (s, n).

    The r-th smallest of n transformed uniforms is the transformed r-th smallest, as the
    transformation never falls; so the uniforms are sorted once for all u.
    """
    count, n = x.shape
    drawn = np.sort(rng.random((count, max(RESAMPLES), n)), axis=2)
    found = {}
    for u in US:
        r = math.ceil(round(n * u, 9))
        statistic = transformed(x, drawn[:, :, r - 1])
        for resamples in RESAMPLES:
            ordered = np.sort(statistic[:, :resamples], axis=1)
            for level in LEVELS:
                cut = math.ceil(round(resamples * (1 - level) / 2, 9))
                limits = (ordered[:, cut - 1], ordered[:, resamples - cut])
                found[u, level, resamples] = limits
    return found


def transformed(x: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hutson's (2002) Q_T at many levels for each ascending sample.

    Args:
        x: Ascending samples, shape (s, n).
        v: Levels in (0, 1) for each sample, shape (s, m).

    Returns:
        Shape (s, m).
    """
    n = x.shape[1]
    h = (n + 1) * v
    j = np.clip(h.astype(np.intp), 1, n - 1)
    j += n * np.arange(x.shape[0])[:, np.newaxis]
    low, high = x.ravel()[j - 1], x.ravel()[j]
    step = h - 1 - (j - 1) % n
    with np.errstate(divide="ignore"):  # a draw of exactly 0 has no finite value, as it should
        np.log(h, out=step, where=h < 1)
        above = h > n
        step[above] = 1 - np.log((n + 1) * (1 - v[above]))
    return np.asarray(low + step * (high - low))


def _paired(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> Figure:
    """Difference of two shares of the same samples; its error is that of one discord more."""
    n, discords = one.size, int(np.count_nonzero(one != other))
    return Figure(float(one.mean() - other.mean()), math.sqrt(discords + 1) / n)
