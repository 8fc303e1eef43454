"""Bands for a distribution function that is watched while it is sampled.

A band of `bands` holds at one sample size that was fixed in advance. These hold at every size from
a start on, or at several looks that were planned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nofluke import bands, checks
from nofluke.errors import InputError
from nofluke.kernels import boundaries

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.results import Band


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

    >>> from nofluke import bands
    >>> band = time_uniform(range(200), alpha=0.1, start=50, design=200)
    >>> print(band)
    CDF band of half-width 0.1114 at 90% (time_uniform, side both, n=200, anytime)
    >>> round(bands.dkw(range(200), alpha=0.1).half_width, 4)
    0.0865
    """
    sample, side, alpha = checks.region(x, side, level, alpha)
    radius = time_uniform_half_width(
        sample.size, alpha, side=side, start=start, design=design, horizon=horizon
    )
    return bands.constant_width(
        sample, radius, alpha, side, method="time_uniform", guarantee="anytime"
    )


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
    CDF band of half-width 0.1142 at 90% (planned_peeks, side both, n=200, finite-sample)
    """
    sample, side, alpha = checks.region(x, side, level, alpha)
    each = alpha / checks.whole(looks, name="looks")
    radius = bands.half_width(bands.sharpest(sample.size), sample.size, each, side=side)
    return bands.constant_width(sample, radius, alpha, side, method="planned_peeks")


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
    one_sided = checks.tail(alpha, side)
    return boundaries.time_uniform_radius(n, one_sided, start=start, design=design, horizon=horizon)


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
