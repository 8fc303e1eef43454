"""What the largest of m equally good scores is above their common value, on average."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import maxima
from nofluke.results import Guarantee
from nofluke.selection.optimism.given import covariance_matrix
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_DRAWS = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimismBound(Shown):
    """A bound on the expected error of the largest of m scores.

    Attributes:
        bound: ``tau sqrt(2 log m)``.
        minimiser: The lambda at which ``log(m) / lambda + lambda tau^2 / 2`` is that small;
            infinite where tau is 0.
        tau: The sub-Gaussian parameter; the spread between seeds where that was put in its place.
        m: Number of candidates.
        guarantee: "finite-sample" for a known tau, "heuristic" with the spread between seeds.
        notes: Cautions, each beginning with its code.
    """

    bound: float
    minimiser: float
    tau: float
    m: int
    guarantee: Guarantee
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimism(Shown):
    """Expected optimism of the best of m equally good candidates with these errors.

    Attributes:
        value: Mean of the largest of m normal errors.
        error: Monte Carlo standard error of ``value``; 0 where it is exact.
        lower: A bound from below (Sudakov & Fernique), from the least variance of a difference.
        upper: A bound from above, from the largest.
        bound: ``max sd sqrt(2 log m)``, for errors that need be sub-Gaussian only.
        mean_correlation: Mean of the pairwise correlations; None for one candidate, and where an
            error has no variance.
        m: Number of candidates.
    """

    value: float
    error: float
    lower: float
    upper: float
    bound: float
    mean_correlation: float | None
    m: int


def expected_maximum(m: int, *, sd: float = 1.0, rho: float = 0.0) -> float:
    """Expected error of the largest of m scores whose errors are normal and equally correlated.

    What the best of m equally good candidates shows above its true value on average: 0 if all
    errors are identical (rho = 1), most if candidates err against each other. Exact to rounding.

    Args:
        m: Number of candidates, at least 1.
        sd: Standard deviation of each error, in units of the score.
        rho: Correlation of each pair, from -1 / (m - 1) to 1.

    Raises:
        InputError: An argument is out of range.

    Source: David & Nagaraja 2003, Order Statistics; equal correlation multiplies by sqrt(1 - rho).

    >>> round(expected_maximum(10), 9)
    1.538752731
    >>> round(expected_maximum(10, sd=0.036, rho=0.9), 4)
    0.0175
    """
    m = checks.whole(m, name="m")
    sd = not_negative(sd, name="sd")
    least = -1.0 if m == 1 else -1 / (m - 1)
    correlation = checks.real(rho, name="rho")
    if not least - 1e-12 <= correlation <= 1:
        raise InputError(
            f"rho={rho!r}: {m} scores can have one common correlation from {least:.6g} to 1 only.",
            code="NF008",
        )
    return sd * math.sqrt(1 - correlation) * maxima.expected_maximum(m)


def expected_best_accuracy(p: float, n: int, m: int) -> float:
    """Expected accuracy of the best of m models that are all right with probability p.

    Their rights and wrongs are independent, of each other and on n independent examples. Models
    that are right on the same examples gain less, down to nothing where they always agree.

    Args:
        p: The accuracy that all have, in [0, 1].
        n: Number of examples.
        m: Number of models.

    Raises:
        InputError: An argument is out of range.

    Source: the law of the maximum, summed: E max = sum over k < n of (1 - F(k)^m) / n.

    >>> round(expected_best_accuracy(0.8, 100, 10) - 0.8, 4)
    0.0596
    """
    chance = checks.real(p, name="p")
    if not 0 <= chance <= 1:
        raise InputError(f"p={p!r} must lie in [0, 1].", code="NF008")
    n, m = checks.whole(n, name="n"), checks.whole(m, name="m")
    if m == 1 or chance in (0, 1):
        return chance
    return maxima.expected_largest_share(chance, n, m)


def expected_optimism(
    covariance: ArrayLike, *, seed: int | np.random.Generator = 0, n_resamples: int = _DRAWS
) -> Optimism:
    """Expected optimism of the best of m equally good candidates, at an observed covariance.

    Args:
        covariance: Covariance of the errors of m scores, shape (m, m), such as that of ``delong``.
        seed: Seed or generator of the simulation; not used where the value has a formula.
        n_resamples: Draws of the simulation.

    Raises:
        InputError: Not a covariance (NF230).

    Source: Sudakov 1971 and Fernique 1975 for the bounds; equal variances of all differences make
    them and the value equal.

    >>> found = expected_optimism([[0.01, 0.005], [0.005, 0.01]])
    >>> round(found.value, 6), found.error
    (0.039894, 0.0)
    """
    matrix = covariance_matrix(covariance)
    variances, m = np.diag(matrix), len(matrix)
    draws = checks.whole(n_resamples, name="n_resamples", least=1000)
    mean = maxima.Mean(0.0, 0.0)
    lower = upper = 0.0
    if m > 1:
        mean = maxima.expected_maximum_of(matrix, checks.generator(seed), draws=draws)
        spread = (variances[:, np.newaxis] + variances - 2 * matrix)[np.triu_indices(m, 1)]
        largest = maxima.expected_maximum(m)
        lower, upper = (
            math.sqrt(max(float(v), 0.0) / 2) * largest for v in (spread.min(), spread.max())
        )
    return Optimism(
        value=min(max(mean.value, lower), upper),
        error=mean.error,
        lower=lower,
        upper=upper,
        bound=math.sqrt(float(variances.max()) * 2 * math.log(m)),
        mean_correlation=_mean_correlation(matrix),
        m=m,
    )


def optimism_bound(
    m: int, *, tau: float | None = None, seed_sd: float | None = None
) -> OptimismBound:
    """Bound on the expected error of the largest of m scores, under any dependence.

    Each error must be sub-Gaussian with parameter tau: E exp(l e) <= exp(l^2 tau^2 / 2) for l > 0;
    for a normal error that is its standard deviation, over new test rows as well. The spread of
    seeds on one set of test rows is something else, and has an argument of its own.

    Args:
        m: Number of candidates.
        tau: The sub-Gaussian parameter of each error, known and not estimated.
        seed_sd: Instead of tau, the standard deviation of scores of several seeds on the same test
            rows; the answer then is no bound, and a note says so.

    Raises:
        InputError: Neither or both are given, or a value is negative.

    Source: Boucheron, Lugosi & Massart 2013, Theorem 2.5.

    >>> round(optimism_bound(10, tau=1.0).bound, 6)
    2.145966
    >>> optimism_bound(10, seed_sd=0.0189).guarantee
    'heuristic'
    """
    m = checks.whole(m, name="m")
    if (tau is None) == (seed_sd is None):
        raise InputError(
            "give either tau= (the known parameter of each error) or seed_sd= (the spread between "
            "seeds on the same rows, which gives no bound).",
            code="NF008",
        )
    known = tau is not None
    value = not_negative(tau, name="tau") if tau is not None else not_negative(seed_sd or 0.0)
    factor = math.sqrt(2 * math.log(m))
    note = (
        "NF233: the spread between seeds on one set of test rows is no tau: it leaves out how "
        "scores move with other test rows, and is estimated from few seeds. The number is no bound."
    )
    return OptimismBound(
        bound=value * factor,
        minimiser=factor / value if value > 0 else math.inf,
        tau=value,
        m=m,
        guarantee="finite-sample" if known else "heuristic",
        notes=() if known else (note,),
    )


def not_negative(value: float, *, name: str = "seed_sd") -> float:
    """A finite number of at least 0."""
    number = checks.real(value, name=name)
    if not 0 <= number < math.inf:
        raise InputError(f"{name}={value!r} must be finite and at least 0.", code="NF008")
    return number


def _mean_correlation(matrix: NDArray[np.float64]) -> float | None:
    sd = np.sqrt(np.diag(matrix))
    if len(matrix) == 1 or not (sd > 0).all():
        return None
    return float((matrix / np.outer(sd, sd))[np.triu_indices(len(matrix), 1)].mean())
