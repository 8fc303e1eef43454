"""Squared loss = noise + bias^2 + variance over training sets D and seeds U, without bias.

For one row with mean target mu and predictions f(D, U) the risk of a new target is

    E (y - f)^2 = Var y + (mu - E f)^2 + Var_D E_U f + E_D Var_U f .

The square of (mean target - mean prediction) of finitely many runs estimates the second term plus
what is left of the first and of the others in those means; both are taken off here. What is taken
off the bias is exactly what the sums of squares lack, so that the parts still add up to the mean
loss over all runs and targets.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.kernels import clusters, student

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 16 * np.finfo(np.float64).eps  # of a mean, relative to the largest prediction


class Spread(NamedTuple):
    """What predictions of one row vary by; each of shape (n,).

    Attributes:
        total: Var f, without bias.
        of_sets: Var_D E_U f; None where each training set has one seed.
        of_seeds: E_D Var_U f; None likewise.
        of_mean: Variance of the mean over all runs.
        naive: Mean squared deviation from that mean: total - of_mean.
    """

    total: NDArray[np.float64]
    of_sets: NDArray[np.float64] | None
    of_seeds: NDArray[np.float64] | None
    of_mean: NDArray[np.float64]
    naive: NDArray[np.float64]


class Parts(NamedTuple):
    """The parts of each row, shape (n,).

    Attributes:
        risk: Mean loss over all runs and targets; noise + bias + variance.
        noise: Var y; None where one target of each row does not show it.
        bias: (mu - E f)^2, without bias, so it may be negative; None likewise.
        noise_and_bias: Their sum, which needs no second target.
        naive_bias: (mean target - mean prediction)^2, which is too large on average.
        spread: The variance.
    """

    risk: NDArray[np.float64]
    noise: NDArray[np.float64] | None
    bias: NDArray[np.float64] | None
    noise_and_bias: NDArray[np.float64]
    naive_bias: NDArray[np.float64]
    spread: Spread


def parts(
    f: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    shared: bool,
    noise: NDArray[np.float64] | None = None,
    noiseless: bool = False,
) -> Parts:
    """The parts of each row.

    Args:
        f: Predictions, shape (D, U, n).
        y: Targets, shape (R, n); more than one only where ``noise`` is None.
        shared: Whether seed k is the same for all training sets (crossed), or each training set
            has seeds of its own (nested).
        noise: Var y of each row where it is known, shape (n,).
        noiseless: Whether ``y`` is mu itself; the noise is then that of new targets only.
    """
    R = y.shape[0]
    spread = crossed(f) if shared else nested(f)
    centre = y.mean(axis=0)
    left = 0.0 if R == 1 else _squares(y, centre).mean(axis=0)  # (R - 1)/R of the variance
    known = left * R / (R - 1) if R > 1 else noise
    gap = (centre - f[0, 0] - (f - f[0, 0]).mean(axis=(0, 1))) ** 2
    both = gap - spread.of_mean + left
    if noiseless and noise is not None:
        both = both + noise
    return Parts(
        risk=both + spread.total,
        noise=known,
        bias=None if known is None else both - known,
        noise_and_bias=both,
        naive_bias=gap,
        spread=spread,
    )


def nested(f: NDArray[np.float64]) -> Spread:
    """Seeds drawn anew for each training set: one-way analysis of variance of each row."""
    D, U, _ = f.shape
    cell = f.mean(axis=1)
    between = _squares(cell, cell.mean(axis=0), f).sum(axis=0) / (D - 1)
    if U == 1:
        return Spread(between, None, None, between / D, between * (D - 1) / D)
    within = _squares(f, cell[:, np.newaxis]).sum(axis=(0, 1)) / (D * (U - 1))
    of_sets = between - within / U
    naive = between * (D - 1) / D + within * (U - 1) / U
    return Spread(of_sets + within, of_sets, within, between / D, naive)


def crossed(f: NDArray[np.float64]) -> Spread:
    """The same seeds for all training sets: two-way analysis of variance of each row."""
    D, U, _ = f.shape
    mean = f.mean(axis=(0, 1))
    a, b = f.mean(axis=1) - mean, f.mean(axis=0) - mean
    size = _tiny(f)
    sets = U * (_settled(a, size) ** 2).sum(axis=0) / (D - 1)
    seeds = D * (_settled(b, size) ** 2).sum(axis=0) / (U - 1)
    e = _settled(f - mean - a[:, np.newaxis] - b, size)
    rest = (e**2).sum(axis=(0, 1)) / ((D - 1) * (U - 1))
    of_sets = (sets - rest) / U
    of_seeds = (seeds - rest) / D + rest
    of_mean = (sets + seeds - rest) / (D * U)
    total = of_sets + of_seeds
    return Spread(total, of_sets, of_seeds, of_mean, total - of_mean)


class Error(NamedTuple):
    """Standard error of a mean over rows of a part, and what it is made of.

    Attributes:
        whole: sqrt(rows^2 + runs^2); infinite where one of them is not known.
        rows: From the rows drawn, runs fixed.
        runs: From training sets (and shared seeds) drawn, rows fixed: the jackknife.
    """

    whole: float
    rows: float
    runs: float


def error(
    values: NDArray[np.float64], without: list[list[float]], codes: NDArray[np.int64] | None
) -> Error:
    """Standard error of the mean of ``values`` over rows and runs, both drawn.

    Var T = E Var(T | runs) + Var E(T | runs). The first is that of a mean of independent rows (or
    clusters). The second is at most Var(T | rows) on average, which the jackknife estimates, by
    Efron and Stein 1981 too large rather than too small.

    Args:
        values: The part of each row, shape (n,).
        without: For each way in which runs are drawn, the mean part without each of its members;
            a way with fewer than three has none.
        codes: Cluster of each row.
    """
    rows = student.standard_error(values) if codes is None else clusters.cluster_se(values, codes)
    squares = [_jackknife(means) for means in without]
    runs = math.sqrt(math.fsum(squares))
    return Error(math.hypot(rows, runs), rows, runs)


def _jackknife(means: list[float]) -> float:
    """Variance by leaving out one member at a time."""
    if not means:
        return math.inf
    m = len(means)
    centre = math.fsum(means) / m
    return (m - 1) / m * math.fsum((t - centre) ** 2 for t in means)


def _squares(
    x: NDArray[np.float64], centre: NDArray[np.float64], of: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Squared deviations; those that are rounding of a mean are 0."""
    return np.asarray(_settled(x - centre, _tiny(x if of is None else of)) ** 2)


def _tiny(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """What rounding makes of a mean, for each row."""
    return np.asarray(_ROUNDING * np.abs(x).max(axis=tuple(range(x.ndim - 1))))


def _settled(x: NDArray[np.float64], tiny: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(x) <= tiny, 0.0, x)
