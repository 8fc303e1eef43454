"""Bands for a distribution function: the whole curve at once, for every distribution.

A band is a function of a sample and an error level and of nothing else; after selection it is the
same band at the level that a rule of `selective` gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtrc

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import concentration, crossing, order_statistics
from nofluke.kernels.curves import Rising
from nofluke.methods import Register
from nofluke.results import Band, Guarantee, Limits, Ordered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

METHODS: Register[Callable[..., Band]] = Register("band")

# Above this n the exact radius is narrower than DKW's by less than 0.2 % and no longer free.
_EXACT_UP_TO = 10_000
# Above this n the sample size that is needed is bounded instead of searched.
_SEARCHED_UP_TO = 3_000


@METHODS.add(guarantee="finite-sample", cite="Massart 1990; one-sided Reeve 2024 (2403.16651)")
def dkw(
    x: ArrayLike | Ordered,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> Band:
    """Dvoretzky-Kiefer-Wolfowitz band with Massart's constant, for any distribution.

    Args:
        x: Independent draws, shape (n,); ties and infinities allowed, NaN refused.
        level: Coverage promised for every n and every distribution.
        alpha: Error level, instead of ``level``; needed where it is tiny.
        side: "both", "lower" (F is bounded from below only) or "upper".

    Raises:
        InputError: Empty or NaN data, a level outside (0, 1), both or neither of the levels.

    >>> band = dkw([3, 1, 2, 2], alpha=0.1, side="lower")
    >>> round(band.half_width, 6), round(band.lower(2), 6)
    (0.536492, 0.213508)
    """
    sample, side, alpha = _region(x, side, level, alpha)
    return _band("dkw", sample, alpha, side)


@METHODS.add(
    guarantee="finite-sample", cite="Kolmogorov 1933, Smirnov 1944; Birnbaum & Tingey 1951"
)
def kolmogorov(
    x: ArrayLike | Ordered,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    gamma_max: float | None = None,
) -> Band:
    """Exact Kolmogorov band: the narrowest of constant width.

    Exact for continuous distributions and conservative with ties. Critical values are rounded
    to the safe side; ``scipy.stats.kstwo`` is not used, because above n = 140 its levels are
    too small by a part in a thousand.

    Args:
        x: Independent draws, shape (n,); ties and infinities allowed, NaN refused.
        level: Coverage promised.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (F is bounded from below) or "upper".
        gamma_max: On one side: promise nothing for failure rates above this, for a narrower band.

    Raises:
        InputError: As for ``dkw``; also ``gamma_max`` with two sides.

    >>> round(kolmogorov([3, 1, 2, 2], alpha=0.1, side="lower").half_width, 6)
    0.492653
    """
    sample, side, alpha = _region(x, side, level, alpha)
    return _band("kolmogorov", sample, alpha, side, gamma_max)


@METHODS.add(
    guarantee="finite-sample",
    cite="Berk & Jones 1979; equal local levels, Aldor-Noiman et al. 2013; Moscovich et al. 2016",
)
def berk_jones(
    x: ArrayLike | Ordered,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    gamma_max: float | None = None,
) -> Band:
    """Exact Berk-Jones band with equal local levels: as narrow in the tails as the binomial allows.

    Each order statistic has the same chance to leave the band, and that chance is set so that
    all together leave it with probability ``alpha``, exactly.

    Args:
        x: Independent draws, shape (n,); ties and infinities allowed, NaN refused.
        level: Coverage promised.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (F is bounded from below) or "upper".
        gamma_max: On one side: only the ranks that matter for failure rates up to this one are
            bounded. The best choice in practice where gamma_max is known before the data.

    Raises:
        InputError: As for ``kolmogorov``.

    >>> band = berk_jones(range(200), alpha=1 / 31, side="lower", gamma_max=0.3)
    >>> [band.rank(gamma, better="lower") for gamma in (0.25, 0.1, 0.05)]
    [167, 191, 198]
    """
    sample, side, alpha = _region(x, side, level, alpha)
    return _band("berk_jones", sample, alpha, side, gamma_max)


@METHODS.add(guarantee="finite-sample", cite="Owen 1995, with exact critical values")
def owen(
    x: ArrayLike | Ordered,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    gamma_max: float | None = None,
) -> Band:
    """Owen's Kullback-Leibler band (the empirical-likelihood form of Berk & Jones's statistic).

    Not the same family as ``berk_jones``. Its published approximate critical values miss two
    times too often at n = 10 and never quite recover; these are exact.

    Args:
        x: Independent draws, shape (n,); ties and infinities allowed, NaN refused.
        level: Coverage promised.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (F is bounded from below) or "upper".
        gamma_max: As for ``berk_jones``.

    Raises:
        InputError: As for ``kolmogorov``.

    >>> round(float(owen(range(20), alpha=0.05).lower(19)), 6)
    0.780475
    """
    sample, side, alpha = _region(x, side, level, alpha)
    return _band("owen", sample, alpha, side, gamma_max)


def binomial(
    x: ArrayLike | Ordered,
    *,
    gamma: float,
    level: float | None = None,
    alpha: float | None = None,
    side: str,
) -> Band:
    """The bound for one failure rate that was fixed in advance; it says nothing about others.

    F is bounded at one order statistic only, by the binomial law of the number of draws beyond
    the quantile: the sharpest promise there is at this one gamma.

    Args:
        x: Independent draws, shape (n,).
        gamma: The failure rate, fixed before the data.
        level: Coverage promised.
        alpha: Error level, instead of ``level``.
        side: "lower" where lower scores are better, "upper" where higher are.

    Raises:
        InputError: Two sides, or arguments out of range.

    >>> band = binomial(range(200), gamma=0.1, alpha=1 / 31, side="lower")
    >>> band.rank(0.1, better="lower")
    188
    """
    sample, side, alpha = _region(x, side, level, alpha)
    if side == "both":
        raise InputError("one failure rate needs one side: 'lower' or 'upper'.", code="NF008")
    return Band(
        x=sample,
        limits=_one_rank(sample.size, alpha, side, checks.fraction(gamma, name="gamma")),
        alpha=alpha,
        side=side,
        method="binomial",
        guarantee="finite-sample",
        gamma_max=gamma,
    )


def averaged(
    x: ArrayLike | Ordered,
    *,
    runs: int,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> Band:
    """Band around the average of several runs' empirical distribution functions.

    Each of n independent examples was run r times, and nothing is known of how the runs of one
    example depend on each other: they may be copies. So n is the number of examples. The band is
    wider than ``dkw`` for one run (alpha = .1: 15 % on two sides, 19 % on one side; alpha = .01:
    9 % and 10 %) and in exchange shows the average, which is smoother and uses all the data.

    Proof. Let T_j be the distance of run j's empirical distribution function from its own F_j,
    and T the distance of their average from the average F of the F_j. The supremum of an average
    is at most the average of the suprema, so T <= mean T_j. Each T_j has the tail of
    Dvoretzky-Kiefer-Wolfowitz, P(T_j > t) <= c exp(-2 n t^2). For any dependence and every u,
    E(mean T_j - u)_+ <= mean E(T_j - u)_+ <= int_u^inf min(1, c exp(-2 n s^2)) ds = H(u), because
    (.)_+ is convex, and Markov gives P(mean T_j >= t) <= H(u) / (t - u). With u the DKW radius at
    alpha, t = u + H(u) / alpha makes that alpha: the expected shortfall of the bound, which is
    (z + sqrt(pi) / 2 erfcx(z)) / sqrt(2 n) with z = sqrt(log(c / alpha)).

    It lies inside what averaging e-values gives. The power calibrator f of DKW's p-value,
    f(c exp(-2 n T^2)) = const exp(2 n tau T^2), is increasing and convex in T >= 0, so
    f(p(T)) <= mean f(p(T_j)), whose expectation is at most 1: with the best tau that is the DKW
    band at level exp(W_{-1}(-alpha / e)), 36 % wider than ``dkw`` at alpha = .1.

    Args:
        x: Scores of n examples in r runs, shape (n * r,), in any order.
        runs: Number of runs r, each complete.
        level: Coverage promised.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".

    Raises:
        InputError: As for ``dkw``; also a number of scores that ``runs`` does not divide.

    >>> band = averaged([3, 1, 2, 2, 3, 1], runs=2, alpha=0.1, side="lower")
    >>> band.n, round(band.half_width, 6)
    (3, 0.734813)
    """
    sample, side, alpha = _region(x, side, level, alpha)
    if sample.size % checks.whole(runs, name="runs"):
        raise InputError(
            f"{sample.size} scores are not {runs} complete runs: every run needs every example.",
            code="NF007",
        )
    return _averaged(sample, runs, alpha, side)


def critical_level(
    family: str, n: int, alpha: float, side: str = "both", *, gamma_max: float | None = None
) -> float:
    """The number that makes a family's band hold with probability 1 - alpha, exactly.

    Args:
        family: "berk_jones": the error level of each rank (eta for two sides, c for one);
            "owen": the divergence lambda; "kolmogorov": the half-width.
        n: Number of draws.
        alpha: Error level of the band.
        side: "both", "lower" or "upper".
        gamma_max: As for ``berk_jones``.

    >>> round(critical_level("berk_jones", 10, 0.05), 11)
    0.00738498584
    """
    from nofluke.kernels import levels

    checks.choice(family, ("berk_jones", "owen", "kolmogorov"), name="family")
    checks.whole(n, name="n")
    first = _first_rank(n, checks.side(side), gamma_max)
    return levels.critical_level(family, n, checks.fraction(alpha, name="alpha"), side, first)


def half_width(method: str, n: int, alpha: float, *, side: checks.Side) -> float:
    """Half-width of a method of constant width at n draws; infinite at alpha 0."""
    radius = limits(method, n, alpha, side).radius
    if radius is None:
        raise InputError(f"band={method!r} has no constant half-width.", code="NF008")
    return radius


def sample_size(
    method: str, gamma: float, alpha: float, *, side: checks.Side, gamma_max: float | None = None
) -> int | None:
    """Smallest n at which the band certifies the failure rate ``gamma``; None at alpha 0.

    For tiny failure rates it is bounded, not searched: an n that is enough, a few per cent above
    the smallest.
    """
    if alpha == 0:
        return None
    if method == "binomial":
        return math.ceil(math.log(alpha) / math.log1p(-gamma))
    if method == "averaged":
        return concentration.averaged_sample_size(gamma, checks.tail(alpha, side))
    if method == "dkw":
        return concentration.dkw_sample_size(gamma, checks.tail(alpha, side))
    if method == "kolmogorov" and side != "both" and gamma_max is None:
        return crossing.smirnov_sample_size(gamma, alpha)
    return _searched_sample_size(method, gamma, alpha, side, gamma_max)


def sharpest(n: int) -> str:
    """The narrowest method of constant width for this n."""
    return "kolmogorov" if n <= _EXACT_UP_TO else "dkw"


def at_level(band: Band, alpha: float) -> Band:
    """The same band at another error level, without sorting the sample again."""
    if band.method not in METHODS and band.method not in ("averaged", "binomial"):
        raise InputError(
            f"a band of method {band.method!r} needs its plan again; make it anew at the level.",
            code="NF008",
        )
    if band.method == "binomial":
        again = _one_rank(band.n, alpha, band.side, band.gamma_max or 0.0)
    elif band.method == "averaged":
        again = _averaged(band.x, band.runs, alpha, band.side).limits
    else:
        again = limits(band.method, band.n, alpha, band.side, band.gamma_max)
    return replace(band, alpha=alpha, limits=again)


def constant_width(
    x: ArrayLike | Ordered,
    radius: float,
    alpha: float,
    side: checks.Side,
    *,
    method: str,
    guarantee: Guarantee = "finite-sample",
) -> Band:
    """The band at one distance from the empirical distribution function, for who proved a radius.

    Args:
        x: Independent draws, shape (n,).
        radius: The distance.
        alpha: Error level at which it holds.
        side: Side of the band.
        method: Its name.
        guarantee: What is promised, in one word.
    """
    sample = _ascending(x)
    return Band(
        x=sample,
        limits=_constant(sample.size, radius, side),
        alpha=alpha,
        side=side,
        method=method,
        guarantee=guarantee,
    )


def vacuous(x: ArrayLike | Ordered, *, method: str, side: checks.Side, runs: int = 1) -> Band:
    """The band that promises nothing, for a candidate whose level is 0."""
    return replace(_band(method, _ascending(x), 0.0, side), runs=runs)


@lru_cache(maxsize=64)
def limits(
    method: str, n: int, alpha: float, side: checks.Side, gamma_max: float | None = None
) -> Limits:
    """Limits on F by how many of n draws were passed: a function of n and the level only.

    Args:
        method: "dkw", "kolmogorov", "berk_jones", "owen" or "averaged".
        n: Number of draws.
        alpha: Error level; at 0 nothing is promised.
        side: Side of the band.
        gamma_max: Largest failure rate that matters, for a truncated one-sided band.
    """
    first = _first_rank(n, side, gamma_max)
    if alpha == 0:
        return _constant(n, math.inf, side)
    if method == "dkw":
        if gamma_max is not None:
            raise InputError("band='dkw' knows no gamma_max.", code="NF008")
        return _constant(n, concentration.dkw_radius(n, checks.tail(alpha, side)), side)
    if method == "averaged":
        return _constant(n, _averaged_radius(n, alpha, side), side)
    if method == "kolmogorov" and first == 1:
        return _constant(n, _kolmogorov_radius(n, alpha, side), side)
    return _curved(method, n, alpha, side, first)


def _averaged(
    ordered: NDArray[np.float64] | Ordered, runs: int, alpha: float, side: checks.Side
) -> Band:
    n = ordered.size // runs
    radius = _averaged_radius(n, alpha, side) if alpha > 0 else math.inf
    return Band(
        x=ordered,
        limits=_constant(ordered.size, radius, side),
        alpha=alpha,
        side=side,
        method="averaged",
        guarantee="finite-sample",
        runs=runs,
    )


def _averaged_radius(n: int, alpha: float, side: checks.Side) -> float:
    return concentration.averaged_radius(n, checks.tail(alpha, side))


def _kolmogorov_radius(n: int, alpha: float, side: checks.Side) -> float:
    if side != "both":
        return crossing.smirnov_radius(n, alpha)
    from nofluke.kernels import levels

    return levels.critical_level("kolmogorov", n, alpha, side)


def _first_rank(n: int, side: checks.Side, gamma_max: float | None) -> int:
    if gamma_max is None:
        return 1
    if side == "both":
        raise InputError(
            "gamma_max truncates one side of a band; choose side='lower' or 'upper'.", code="NF008"
        )
    return order_statistics.first_rank(n, checks.fraction(gamma_max, name="gamma_max"))


def _constant(n: int, radius: float, side: checks.Side) -> Limits:
    """Limits at one distance from the empirical distribution function; no array is made."""
    return Limits(
        below=Rising(n, -math.inf if side == "upper" else -radius, low=0.0),
        above=Rising(n, math.inf if side == "lower" else radius, high=1.0),
        radius=radius,
        ranks={},
    )


def _frozen(below: NDArray[np.float64], above: NDArray[np.float64]) -> Limits:
    """Limits that nobody can write to, because all samples of this size share them."""
    below.setflags(write=False)
    above.setflags(write=False)
    return Limits(below=below, above=above, radius=None, ranks={})


def _curved(family: str, n: int, alpha: float, side: checks.Side, first: int) -> Limits:
    """Limits from the boundaries of a family, which are mirror images of each other."""
    from nofluke.kernels import levels

    level = levels.critical_level(family, n, alpha, side, first)
    b = levels.boundary(family, n, level, side, first)
    below = np.concatenate([[0.0], b * (1 - 1e-14)])  # below what rounding may have added
    return _frozen(
        np.zeros(n + 1) if side == "upper" else below,
        np.ones(n + 1) if side == "lower" else np.minimum(1.0, (1 - below[::-1]) * (1 + 1e-15)),
    )


@lru_cache(maxsize=256)
def _one_rank(n: int, alpha: float, side: checks.Side, gamma: float) -> Limits:
    """F(x_(r)) >= 1 - gamma for the smallest r with P(Binomial(n, 1 - gamma) >= r) <= alpha."""
    share = 1 - checks.exact(gamma)
    reach = bdtrc(np.arange(n), n, float(share)) if alpha > 0 else np.ones(n)
    enough = np.flatnonzero(reach * (1 + 1e-12) <= alpha)
    rank = int(enough[0]) + 1 if enough.size else n + 1
    promised = math.nextafter(float(share), 1.0) if Fraction(float(share)) < share else float(share)
    below = np.where(np.arange(n + 1) >= rank, promised, 0.0)
    return _frozen(
        np.zeros(n + 1) if side == "upper" else below,
        np.ones(n + 1) if side == "lower" else 1 - below[::-1],
    )


@lru_cache(maxsize=4096)
def _searched_sample_size(
    method: str, gamma: float, alpha: float, side: checks.Side, gamma_max: float | None
) -> int:
    """Smallest n whose last lower limit reaches 1 - gamma: one draw more is always sharper."""

    def certifies(n: int) -> bool:
        found = limits(method, n, alpha, side, gamma_max)
        curve = np.asarray(1 - found.above[::-1] if side == "upper" else found.below)
        return order_statistics.first_reaching(curve, gamma) is not None

    low, high = 0, math.ceil(math.log(alpha) / math.log1p(-gamma))
    if high > _SEARCHED_UP_TO:
        return _by_union(gamma, alpha)
    while not certifies(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if certifies(middle) else (middle, high)
    return high


def _by_union(gamma: float, alpha: float) -> int:
    """An n that is enough for certain: each of n ranks at alpha/(2n) is never more than alpha."""
    n = 1.0
    for _ in range(100):
        n = math.log(2 * n / alpha) / -math.log1p(-gamma)
    return math.ceil(n) + 1


def _band(
    method: str,
    sample: NDArray[np.float64] | Ordered,
    alpha: float,
    side: checks.Side,
    gamma_max: float | None = None,
) -> Band:
    return Band(
        x=sample,
        limits=limits(method, sample.size, alpha, side, gamma_max),
        alpha=alpha,
        side=side,
        method=method,
        guarantee="finite-sample",
        gamma_max=gamma_max,
    )


def _region(
    x: ArrayLike | Ordered, on: str, level: float | None, error: float | None
) -> tuple[NDArray[np.float64] | Ordered, checks.Side, float]:
    """What every band takes: a sample, in ascending order now, a side and an error level."""
    return _ascending(x), checks.side(on), checks.alpha(level=level, alpha=error)


def _ascending(x: ArrayLike | Ordered) -> NDArray[np.float64] | Ordered:
    """The sample in ascending order; one that is ordered where it lies stays there."""
    if isinstance(x, Ordered):
        return x
    # Adding zero turns -0.0 into 0.0: they tie, so which of them a rank meets is chance.
    return np.asarray(np.sort(checks.sample(x)) + 0.0)
