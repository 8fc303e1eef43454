"""Bands for a distribution function: the whole curve at once, for every distribution.

A band is a function of a sample and an error level and of nothing else; after selection it is the
same band at the level that a rule of `selective` gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import boundaries, concentration, crossing
from nofluke.methods import Register
from nofluke.results import Band, Guarantee, Limits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

METHODS: Register[Callable[..., Band]] = Register("band")

# Above this n the exact radius is narrower than DKW's by less than 0.2 % and no longer free.
_EXACT_UP_TO = 10_000


@METHODS.add(guarantee="finite-sample", cite="Massart 1990; one-sided Reeve 2024 (2403.16651)")
def dkw(
    x: ArrayLike, *, level: float | None = None, alpha: float | None = None, side: str = "both"
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
    sample, side = checks.sample(x), checks.side(side)
    alpha = checks.alpha(level=level, alpha=alpha)
    return _band(sample, dkw_half_width(sample.size, alpha, side=side), alpha, side, "dkw")


@METHODS.add(
    guarantee="finite-sample",
    needs=frozenset({"one side"}),
    cite="Smirnov 1944; Birnbaum & Tingey 1951",
)
def kolmogorov(
    x: ArrayLike, *, level: float | None = None, alpha: float | None = None, side: str
) -> Band:
    """Exact one-sided Kolmogorov band: the narrowest of constant width on one side.

    Exact for continuous distributions and conservative with ties.

    Args:
        x: Independent draws, shape (n,); ties and infinities allowed, NaN refused.
        level: Coverage promised.
        alpha: Error level, instead of ``level``.
        side: "lower" (F is bounded from below) or "upper".

    Raises:
        InputError: As for ``dkw``; also ``side="both"``, which this method does not have.

    >>> round(kolmogorov([3, 1, 2, 2], alpha=0.1, side="lower").half_width, 6)
    0.492653
    """
    sample, side = checks.sample(x), checks.side(side)
    alpha = checks.alpha(level=level, alpha=alpha)
    return _band(
        sample, kolmogorov_half_width(sample.size, alpha, side=side), alpha, side, "kolmogorov"
    )


def time_uniform(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    start: int,
    design: int | None = None,
    horizon: int | None = None,
) -> Band:
    """Band that may be read after every draw from ``start`` on, and sampling stopped at will.

    With probability 1 - alpha all bands from ``start`` on hold together, however the decision to
    stop depends on the draws. Where ``start``, ``design`` and ``horizon`` were fixed before the
    draws, it serves every level rule as any band does. Not in the register, because nobody can
    guess ``start``. Reverse submartingales (Manole & Ramdas 2023) over geometric epochs.

    At n = ``design`` the half-width is at most 1.30 times that of ``dkw`` at alpha 0.1 and 1.10
    times at 0.0001 (1.38 and 1.11 on one side): what 5 to 7 ``planned_peeks`` cost.

    Args:
        x: The draws so far in any order, shape (n,) with n >= ``start``; ties and infinities
            allowed, NaN refused.
        level: Coverage promised for all moments together.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" (F is bounded from below only) or "upper".
        start: First n at which the band may be read.
        design: The n for which the band is made narrow; ``start`` by default.
        horizon: Last n at which the band still narrows, at least ``design``; it holds afterwards
            too. The default narrows for ever.

    Raises:
        InputError: As for ``dkw``; also n < ``start``, ``design`` < ``start`` or ``horizon`` <
            ``design``.

    >>> band = time_uniform(range(200), alpha=0.1, start=50, design=200)
    >>> print(band)
    CDF band of half-width 0.1114 at 90% (time_uniform, side both, n=200, anytime)
    >>> round(dkw(range(200), alpha=0.1).half_width, 4)
    0.0865
    """
    sample, side = checks.sample(x), checks.side(side)
    alpha = checks.alpha(level=level, alpha=alpha)
    radius = time_uniform_half_width(
        sample.size, alpha, side=side, start=start, design=design, horizon=horizon
    )
    return _band(sample, radius, alpha, side, "time_uniform", guarantee="anytime")


def planned_peeks(
    x: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    looks: int,
    side: str = "both",
) -> Band:
    """Band that may be read at ``looks`` moments that do not depend on the scores.

    The sharpest band of constant width at alpha / looks, so that all looks hold together (union
    bound). At alpha = 0.1 the half-width is 1.11 times that of one look for 2 looks, 1.24 for 5
    and 1.33 for 10; at 0.0001 it is 1.03, 1.08 and 1.11. Beyond 5 to 7 looks ``time_uniform`` is
    narrower where it is designed for, and needs no plan of looks.

    Args:
        x: The draws up to this look, shape (n,); ties and infinities allowed, NaN refused.
        level: Coverage promised for all looks together.
        alpha: Error level of all looks together, instead of ``level``.
        looks: How many looks were planned, those still to come included.
        side: "both", "lower" (F is bounded from below only) or "upper".

    Raises:
        InputError: As for ``dkw``; also ``looks`` below 1.

    >>> print(planned_peeks(range(200), alpha=0.1, looks=10))
    CDF band of half-width 0.1151 at 90% (planned_peeks, side both, n=200, finite-sample)
    """
    sample, side = checks.sample(x), checks.side(side)
    alpha = checks.alpha(level=level, alpha=alpha)
    each = alpha / checks.whole(looks, name="looks")
    radius = half_width(sharpest(sample.size, side=side), sample.size, each, side=side)
    return _band(sample, radius, alpha, side, "planned_peeks")


def dkw_half_width(n: int, alpha: float, *, side: checks.Side) -> float:
    """Half-width of ``dkw`` at n draws; infinite at alpha 0."""
    return concentration.dkw_radius(n, alpha / 2 if side == "both" else alpha)


def kolmogorov_half_width(n: int, alpha: float, *, side: checks.Side) -> float:
    """Half-width of ``kolmogorov`` at n draws, one side only."""
    if side == "both":
        raise InputError(
            "band='kolmogorov' is exact on one side only; choose side='lower' or 'upper', or "
            "band='dkw' for both.",
            code="NF008",
        )
    return crossing.smirnov_radius(n, alpha)


def time_uniform_half_width(
    n: int,
    alpha: float,
    *,
    side: checks.Side,
    start: int,
    design: int | None = None,
    horizon: int | None = None,
) -> float:
    """Half-width of ``time_uniform`` at n draws, to choose ``start`` and ``design`` with.

    >>> [round(time_uniform_half_width(n, 0.1, side="both", start=50, design=200), 3)
    ...  for n in (50, 100, 200, 400, 1000)]
    [0.288, 0.199, 0.111, 0.1, 0.066]
    """
    start, design, horizon = _plan(start, design, horizon)
    if n < start:
        raise InputError(
            f"x has {n} draws, fewer than start={start}: the band says nothing before its start. "
            "Wait for more draws; a smaller start must be chosen before the first look.",
            code="NF008",
        )
    one_sided = alpha / 2 if side == "both" else alpha
    return boundaries.time_uniform_radius(n, one_sided, start=start, design=design, horizon=horizon)


def half_width(method: str, n: int, alpha: float, *, side: checks.Side) -> float:
    """Half-width of a method of the register at n draws; infinite at alpha 0."""
    if alpha == 0:
        return math.inf
    return _HALF_WIDTHS[METHODS[method].name](n, alpha, side=side)


def sample_size(method: str, radius: float, alpha: float, *, side: checks.Side) -> int | None:
    """Smallest n at which the half-width is at most ``radius``; None at alpha 0."""
    if alpha == 0:
        return None
    if method == "kolmogorov" and side != "both":
        return crossing.smirnov_sample_size(radius, alpha)
    return concentration.dkw_sample_size(radius, alpha / 2 if side == "both" else alpha)


def sharpest(n: int, *, side: checks.Side) -> str:
    """The narrowest method of constant width for this n and side; never a matter of the data."""
    return "kolmogorov" if side != "both" and n <= _EXACT_UP_TO else "dkw"


def at_level(band: Band, alpha: float) -> Band:
    """The same band at another error level, without sorting the sample again."""
    limits = _constant(band.n, half_width(band.method, band.n, alpha, side=band.side), band.side)
    return replace(band, alpha=alpha, limits=limits)


def vacuous(x: ArrayLike, *, method: str, side: checks.Side) -> Band:
    """The band that promises nothing, for a candidate whose level is 0."""
    return _band(checks.sample(x), math.inf, 0.0, side, method)


_HALF_WIDTHS: dict[str, Callable[..., float]] = {
    "dkw": dkw_half_width,
    "kolmogorov": kolmogorov_half_width,
}


@lru_cache(maxsize=64)
def _constant(n: int, radius: float, side: checks.Side) -> Limits:
    """Limits at one distance from the empirical distribution function; shared by all samples."""
    ecdf = np.arange(n + 1) / n
    nothing, everything = np.zeros(n + 1), np.ones(n + 1)
    return Limits(
        below=nothing if side == "upper" else np.maximum(0.0, ecdf - radius),
        above=everything if side == "lower" else np.minimum(1.0, ecdf + radius),
        radius=radius,
    )


def _band(
    sample: NDArray[np.float64],
    radius: float,
    alpha: float,
    side: checks.Side,
    method: str,
    *,
    guarantee: Guarantee = "finite-sample",
) -> Band:
    return Band(
        # Adding zero turns -0.0 into 0.0: they tie, so which of them a rank meets is chance.
        x=np.sort(sample) + 0.0,
        limits=_constant(sample.size, radius, side),
        alpha=alpha,
        side=side,
        method=method,
        guarantee=guarantee,
    )


def _plan(start: int, design: int | None, horizon: int | None) -> tuple[int, int, int | None]:
    """Start, design and horizon in this order of time."""
    start = checks.whole(start, name="start")
    design = start if design is None else checks.whole(design, name="design")
    if horizon is not None:
        horizon = checks.whole(horizon, name="horizon")
    if not start <= design <= (design if horizon is None else horizon):
        raise InputError(
            f"start={start}, design={design}, horizon={horizon}: the moments must stand in this "
            "order, start <= design <= horizon.",
            code="NF008",
        )
    return start, design, horizon
