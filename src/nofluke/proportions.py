"""Intervals for a proportion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scipy.special import betaincinv

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.methods import Register
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

METHODS: Register[Callable[..., Interval]] = Register("method")


@METHODS.add(guarantee="finite-sample", cite="Clopper & Pearson 1934")
def clopper_pearson(
    x: ArrayLike, *, level: float | None = None, alpha: float | None = None, side: str = "both"
) -> Interval:
    """Exact interval for the rate of ones among independent zeros and ones.

    Args:
        x: Zeros and ones, shape (n,), one per independent example.
        level: Coverage promised for every n and every rate.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: A value other than 0 and 1, or not exactly one of ``level`` and ``alpha``.

    >>> print(clopper_pearson([1, 1, 1, 0], level=0.95))
    0.75 [0.1941, 0.9937] at 95% (clopper_pearson, n=4, finite-sample)
    """
    values, side, alpha = (
        checks.sample(x),
        checks.side(side),
        checks.alpha(level=level, alpha=alpha),
    )
    other = values[(values != 0) & (values != 1)]
    if other.size:
        raise InputError(
            f"Clopper-Pearson needs scores of 0 and 1 only; {other.size} are neither, such as "
            f"{some(other.tolist(), most=3)}.",
            code="NF014",
        )
    return _interval(int(values.sum()), values.size, alpha, side)


def at_level(interval: Interval, alpha: float) -> Interval:
    """The same Clopper-Pearson interval at another error level."""
    ones = round(interval.estimate * interval.n)
    return _interval(ones, interval.n, alpha, interval.side)


def vacuous(x: ArrayLike, *, side: checks.Side) -> Interval:
    """The interval that promises nothing, for a candidate whose level is 0."""
    values = checks.sample(x)
    return _interval(int(values.sum()), values.size, 0.0, side)


def _interval(ones: int, n: int, alpha: float, side: checks.Side) -> Interval:
    tail = alpha / 2 if side == "both" else alpha
    lower = 0.0 if side == "upper" or ones == 0 else float(betaincinv(ones, n - ones + 1, tail))
    upper = 1.0
    if side != "lower" and ones < n:
        # From the smaller tail, so that no digit is lost where the limit is close to one.
        upper = 1 - float(betaincinv(n - ones, ones + 1, tail))
    return Interval(
        estimate=ones / n,
        lower=lower,
        upper=upper,
        alpha=alpha,
        side=side,
        method="clopper_pearson",
        guarantee="finite-sample",
        n=n,
    )
