"""Intervals for functionals of a distribution, read from one band and all valid at once.

Where ``lower(t) <= F(t) <= upper(t)`` for every t, the quantile function Q of F lies between those
of the two limits:

    inf {t: upper(t) >= u}  <=  Q(u)  <=  inf {t: lower(t) >= u}    for every u in (0, 1),

and so does every functional that grows with Q: means, means of a tail, distortion risk measures.
One event, that the band holds, carries them all. So any number of functionals, and any that are
thought of after seeing the data, cost the one error level of the band; after selection it is the
band at the level that a rule of `selective` gives. No limit can be sharpened without knowing more
than the band: each is attained, or approached, by a distribution inside it.

A band that bounds F on one side only bounds every functional on the opposite side: from below
(side "lower", needed where lower scores win) it gives upper limits. What a band leaves open ends
at ``bounds``, the lowest and highest possible score, or is infinite where they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import order_statistics, rank_integrals
from nofluke.methods import Register
from nofluke.results import Band, Interval, Ordered

Bounds: TypeAlias = Sequence[float] | None

FUNCTIONALS: Register[Callable[..., Interval]] = Register("functional")

_SIDES: Final[dict[checks.Side, checks.Side]] = {
    "both": "both", "lower": "upper", "upper": "lower",
}  # fmt: skip
_GRID = np.linspace(0, 1, 1025)
_WITH_SHARE = re.compile(r"(q|cvar)(\d*\.?\d+(?:e-?\d+)?)")


@FUNCTIONALS.add(guarantee="finite-sample", cite="Scheffe & Tukey 1945; Snell et al. 2212.13629")
def quantile(band: Band, u: float, *, bounds: Bounds = None) -> Interval:
    """Interval for the u-quantile Q(u) = inf {t: F(t) >= u}, for all u together.

    Args:
        band: A band for F.
        u: Share of cases that lie at or below the quantile, in (0, 1).
        bounds: Lowest and highest possible score, where they are known; either may be infinite.

    Raises:
        InputError: u outside (0, 1), or scores outside the bounds.

    >>> from nofluke import bands
    >>> band = bands.dkw(range(1, 101), alpha=0.1)
    >>> print(quantile(band, 0.5))
    50 [38, 63] at 90% (dkw, n=100, finite-sample)
    >>> quantile(band, 0.95).upper, quantile(band, 0.95, bounds=(0, 150)).upper
    (inf, 150.0)
    """
    u, support = checks.fraction(u, name="u"), _support(band, bounds)
    estimate, lower, upper = (_point(band, rank, support) for rank in _ranks(band, u))
    return _interval(band, estimate, lower, upper)


@FUNCTIONALS.add(
    guarantee="finite-sample", needs=frozenset({"bounds"}), cite="Anderson 1969 (Bull. ISI 43)"
)
def mean(band: Band, *, bounds: Bounds) -> Interval:
    """Interval for the mean: high minus the integral of F from low to high.

    The upper limit puts the mass that the band leaves open above the sample at ``high``, the lower
    limit what it leaves open below at ``low``. An infinite bound there gives an infinite limit.

    Args:
        band: A band for F.
        bounds: Lowest and highest possible score; either may be infinite, None is both.

    Raises:
        InputError: Scores outside the bounds, or of both infinities, which have no mean.

    >>> from nofluke import bands
    >>> band = bands.dkw([0.2, 0.4, 0.6, 0.8] * 25, alpha=0.1)
    >>> print(mean(band, bounds=(0, 1)))
    0.5 [0.4021, 0.5979] at 90% (dkw, n=100, finite-sample)
    >>> mean(band, bounds=(0, float("inf"))).upper
    inf
    """
    return distortion(band, lambda u: u, bounds=bounds)


@FUNCTIONALS.add(
    guarantee="finite-sample",
    needs=frozenset({"bounds", "better"}),
    cite="Acerbi & Tasche 2002; Thomas & Learned-Miller 2019",
)
def cvar(band: Band, tail: float, *, bounds: Bounds, better: str | None) -> Interval:
    """Interval for the conditional value at risk: the mean of the worst share of cases.

    Where lower is better the worst are the highest, (1/tail) times the integral of Q from 1 - tail
    to 1; where higher is better the lowest, from 0 to tail. A point of F that holds more than the
    tail is split, so ties are no special case.

    Args:
        band: A band for F.
        tail: The share, in (0, 1]; a tail of 1 is the mean.
        bounds: Lowest and highest possible score; either may be infinite, None is both.
        better: "lower" or "higher".

    Raises:
        InputError: As for ``mean``; also a share outside (0, 1] or no declared orientation.

    >>> from nofluke import bands
    >>> band = bands.dkw(range(1, 101), alpha=0.1)
    >>> print(cvar(band, 0.2, bounds=(0, 120), better="lower"))
    90.5 [78.26, 110.9] at 90% (dkw, n=100, finite-sample)
    """
    share = _tail(tail)
    if checks.better(better) == "lower":
        # In this order nothing is lost near 1, where u - 1 is exact.
        return distortion(band, lambda u: np.maximum((u - 1) + share, 0) / share, bounds=bounds)
    return distortion(band, lambda u: np.minimum(u / share, 1), bounds=bounds)


@FUNCTIONALS.add(
    guarantee="finite-sample",
    needs=frozenset({"bounds"}),
    cite="Wang 1996; Snell et al. 2212.13629",
)
def distortion(band: Band, g: checks.Weight, *, bounds: Bounds) -> Interval:
    """Interval for a distortion risk measure, the integral of Q(u) dg(u) over the ranks u.

    A weight that rises late looks at high scores (``u**3``: the expected highest of three cases),
    one that rises early at low ones. The integral is a sum over order statistics.

    Args:
        band: A band for F.
        g: Non-decreasing on [0, 1] with g(0) = 0 and g(1) = 1, continuous from the right; it takes
            an array of ranks. It is checked at all ranks that matter and on a grid of 1025.
        bounds: Lowest and highest possible score; either may be infinite, None is both.

    Raises:
        InputError: As for ``mean``; also a weight that falls or does not run from 0 to 1.

    >>> from nofluke import bands
    >>> band = bands.dkw(range(1, 101), alpha=0.1, side="lower")
    >>> print(distortion(band, lambda u: u**3, bounds=(0, 120)))
    75.5 [0, 90.25] at 90% (dkw, n=100, finite-sample)
    """
    x = np.asarray(band.x)
    low, high = checks.within(x, bounds)
    points = np.concatenate([[low], x, [high]])
    limits = (np.arange(x.size + 1) / x.size, band.limits.above, band.limits.below)
    curves = [np.concatenate([[0.0], limit, [1.0]]) for limit in limits]
    # One table of the weight for all three, so that what is ordered stays ordered.
    ranks = np.unique(np.concatenate([_GRID, *curves]))
    growth = checks.distortion(g, ranks)
    estimate, lower, upper = (
        rank_integrals.integral(points, growth[np.searchsorted(ranks, curve)], clash=clash)
        for curve, clash in zip(curves, (math.nan, -math.inf, math.inf), strict=True)
    )
    if math.isnan(estimate):
        raise InputError(
            "x holds scores of -inf and of inf: their mean has no value; ask for a quantile.",
            code="NF012",
        )
    # Between close points the three sums may round past each other in the last digit.
    return _interval(band, estimate, min(lower, estimate), max(upper, estimate))


@FUNCTIONALS.add(
    guarantee="finite-sample", needs=frozenset({"both sides"}), cite="Scheffe & Tukey 1945"
)
def interquantile_range(band: Band, low: float, high: float, *, bounds: Bounds = None) -> Interval:
    """Interval for Q(high) - Q(low), from simultaneous limits of the two.

    Quantiles at the same point are 0 apart, at the same infinity too.

    Args:
        band: A band for F on both sides.
        low: Rank of the lower quantile, in (0, 1).
        high: Rank of the higher one, above ``low``.
        bounds: Lowest and highest possible score, where they are known; either may be infinite.

    Raises:
        InputError: A one-sided band, which bounds no range; ranks out of order or outside (0, 1);
            scores outside the bounds.

    >>> from nofluke import bands
    >>> band = bands.dkw(range(1, 101), alpha=0.1)
    >>> print(interquantile_range(band, 0.25, 0.75))
    50 [25, 75] at 90% (dkw, n=100, finite-sample)
    """
    if band.side != "both":
        raise InputError(
            f"a range needs a band with side='both'; this one has side={band.side!r}.",
            code="NF008",
        )
    if not low < high:
        raise InputError(f"low={low!r} must be below high={high!r}.", code="NF008")
    first, second = (quantile(band, u, bounds=bounds) for u in (low, high))
    return _interval(
        band,
        _gap(first.estimate, second.estimate),
        max(0.0, _gap(first.upper, second.lower)),
        _gap(first.lower, second.upper),
    )


@dataclass(frozen=True, slots=True)
class Named:
    """A functional asked for by name; call it with a band.

    Attributes:
        kind: "mean", "q", "cvar" or "iqr".
        share: The rank of "q" or the tail of "cvar"; else 0.
    """

    kind: str
    share: float = 0.0

    def __call__(self, band: Band, *, bounds: Bounds = None, better: str | None = None) -> Interval:
        """The interval; what a functional does not need is not looked at."""
        if self.kind == "mean":
            return mean(band, bounds=bounds)
        if self.kind == "cvar":
            return cvar(band, self.share, bounds=bounds, better=better)
        if self.kind == "iqr":
            return interquantile_range(band, 0.25, 0.75, bounds=bounds)
        return quantile(band, self.share, bounds=bounds)


def named(text: str) -> Named:
    """The functional that a text names: "mean", "median", "iqr", "q0.9" or "cvar0.1".

    Raises:
        InputError: The text names none, or its number (a rank, a tail) cannot be used.

    >>> from nofluke import bands
    >>> band = bands.dkw(range(1, 101), alpha=0.1)
    >>> print(named("q0.5")(band))
    50 [38, 63] at 90% (dkw, n=100, finite-sample)
    """
    words = {"mean": Named("mean"), "median": Named("q", 0.5), "iqr": Named("iqr")}
    found = _WITH_SHARE.fullmatch(text)
    if text in words:
        return words[text]
    if not found:
        raise InputError(
            f"functional={text!r} is unknown; there are mean, median, iqr, q0.9 (any rank) and "
            "cvar0.1 (any tail).",
            code="NF008",
        )
    kind, share = found[1], float(found[2])
    return Named(kind, _tail(share) if kind == "cvar" else checks.fraction(share, name="u"))


def ranks_of(text: str, band: Band) -> list[int] | None:
    """The ranks, counted from 1, that a functional is read from; None where it is all of them.

    >>> from nofluke import bands
    >>> ranks_of("median", bands.dkw(range(1, 101), alpha=0.1))
    [50, 38, 63]
    """
    wanted = named(text)
    if wanted.kind not in ("q", "iqr"):
        return None
    shares = (0.25, 0.75) if wanted.kind == "iqr" else (wanted.share,)
    return [rank for share in shares for rank in _ranks(band, share) if rank]


def _tail(share: float) -> float:
    return 1.0 if share == 1 else checks.fraction(share, name="tail")


def _ranks(band: Band, u: float) -> tuple[int | None, int | None, int | None]:
    """Ranks of the u-quantile and of its lower and upper limit; 0 is low, None is high."""
    share, radius = checks.exact(u), band.limits.radius
    estimate = order_statistics.rank_reaching(band.x.size, 0.0, share)
    if radius is None:
        curves = (np.asarray(band.limits.above), np.asarray(band.limits.below))
        lower, upper = (order_statistics.first_at_least(c, share) for c in curves)
        return estimate, lower, upper
    # From n and the radius, as for a guaranteed KPI, so that no rank hangs on a rounded limit.
    up = math.inf if band.side == "lower" else radius
    down = -math.inf if band.side == "upper" else -radius
    lower, upper = (order_statistics.rank_reaching(band.x.size, d, share) for d in (up, down))
    return estimate, lower, upper


def _support(band: Band, bounds: Bounds) -> tuple[float, float]:
    """The bounds; a sample that breaks them is refused. Its ends tell, as it is in order."""
    low, high = checks.bounds(bounds) or (-math.inf, math.inf)
    if isinstance(band.x, Ordered):
        if math.isinf(low) and math.isinf(high):
            return low, high
        least, most = band.x.at([0, band.x.size - 1]).tolist()
        if low <= least and most <= high:
            return low, high
    return checks.within(np.asarray(band.x), bounds)


def _point(band: Band, rank: int | None, support: tuple[float, float]) -> float:
    if rank is None or rank == 0:
        return support[rank is None]
    return float(band.x[rank - 1])


def _gap(first: float, second: float) -> float:
    return 0.0 if first == second else second - first


def _interval(band: Band, estimate: float, lower: float, upper: float) -> Interval:
    return Interval(
        estimate=estimate,
        lower=lower,
        upper=upper,
        alpha=band.alpha,
        side=_SIDES[band.side],
        method=band.method,
        guarantee=band.guarantee,
        n=band.n,
    )
