"""The answer of every quantile interval: limits, ranks, and what may be claimed of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from nofluke.shown import Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nofluke.results import Guarantee

Status: TypeAlias = Literal["two_sided", "one_sided", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileInterval(Shown):
    """A closed interval for a quantile of the distribution that runs are drawn from.

    Everything but ``estimate``, ``lower``, ``upper``, ``n_distinct``, ``beyond`` and ``outward`` is
    a function of n, u and the level only. Those six are floats (an int, a bool) for one sample and
    arrays for many.

    Attributes:
        estimate: The sample quantile, X_(ceil(n u)).
        lower: Lower limit; -inf or the natural bound where the runs give none.
        upper: Upper limit; inf or the natural bound where the runs give none.
        u: The quantile asked for, in (0, 1).
        level: Confidence asked for.
        n: Number of independent runs.
        status: "two_sided", "one_sided" (only one limit comes from the runs) or "none".
        method: Name in the register, with what "auto" chose.
        guarantee: What is promised, in one word.
        ranks: 1-based ranks of the limits, real where they are interpolated; 0 says that the runs
            give no lower limit, n + 1 that they give no upper limit.
        miss: Error level spent on (lower, upper): what the method aims at or guarantees.
        coverage: Probability that the interval contains the quantile: a bound from below for every
            distribution where ``guarantee`` is "finite-sample", else what the method attains under
            a locally uniform density.
        coverage_band: Smallest and largest coverage over all continuous distributions.
        n_needed: Runs needed for each limit (lower, upper) at the error level it would have
            one-sided; for a two-sided interval see ``minimal_n``.
        n_distinct: Number of distinct values among the runs.
        beyond: Share of limits outside the natural bounds before they were intersected.
        assumes: What must be true for the guarantee to hold.
        reason: Why this method, and what exists, in words.
        outward: Whether interpolated limits were moved outward to runs themselves, because runs
            tie; ``ranks`` and ``coverage`` are those aimed at, and the coverage is no lower.
    """

    estimate: float | NDArray[np.float64]
    lower: float | NDArray[np.float64]
    upper: float | NDArray[np.float64]
    u: float
    level: float
    n: int
    status: Status
    method: str
    guarantee: Guarantee
    ranks: tuple[float, float]
    miss: tuple[float, float]
    coverage: float
    coverage_band: tuple[float, float]
    n_needed: tuple[int, int]
    n_distinct: int | NDArray[np.int64]
    beyond: float | NDArray[np.float64]
    assumes: tuple[str, ...]
    reason: str
    outward: bool | NDArray[np.bool_] = False
