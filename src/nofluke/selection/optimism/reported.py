"""What a reported number says by itself: whether it is possible, and how far it could be off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from scipy.special import ndtri

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import roc_areas
from nofluke.results import Guarantee
from nofluke.shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Possibility(Shown):
    """Whether a reported number can come from so many rows.

    Attributes:
        possible: Whether some count rounds to it; a tie in rounding may go either way.
        fewest: The smallest count that does (of rows, or of pairs won, ties half); None if none.
        most: The largest; None if none.
        below: The nearest number from below that is possible, unrounded; None if there is none.
        above: The nearest from above, likewise.
        step: Distance of neighbouring possible numbers.
    """

    possible: bool
    fewest: float | None
    most: float | None
    below: float | None
    above: float | None
    step: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck(Shown):
    """Whether a gate lies within the noise of a reported area.

    Attributes:
        value: The area reported.
        gate: The value it was to reach.
        se: Standard error that the class sizes imply.
        lower: Lower limit of the interval that they imply.
        upper: Upper limit.
        alpha: Error level.
        inside: Whether the gate lies within it, so that the area says neither pass nor fail.
        n_positive: Positive rows.
        n_negative: Negative rows.
        guarantee: "heuristic": Hanley and McNeil's variance stands for that of the rows.
    """

    value: float
    gate: float
    se: float
    lower: float
    upper: float
    alpha: float
    inside: bool
    n_positive: int
    n_negative: int
    guarantee: Guarantee

    def __str__(self) -> str:
        where = "inside" if self.inside else "outside"
        return (
            f"gate {self.gate:g} {where} the noise of {self.value:g} [{self.lower:.4g}, "
            f"{self.upper:.4g}] at {100 * (1 - self.alpha):.12g}% (n={self.n_positive}+"
            f"{self.n_negative}, {self.guarantee})"
        )


def grim_auc(
    value: float | str, n_positive: int, n_negative: int, decimals: int, *, ties: bool = True
) -> Possibility:
    """Whether an area under the ROC curve can come from these classes.

    It is a number of pairs won, a tie counting half, divided by all pairs. A number that no count
    gives was not computed from these rows in this way (another class size, a mean over folds, a
    weighting, a slip); one that is possible proves nothing.

    Args:
        value: The area as reported, to ``decimals`` places; text keeps what was written.
        n_positive: Positive rows.
        n_negative: Negative rows.
        decimals: Places reported, those that are 0 included.
        ties: Whether scores may tie.

    Raises:
        InputError: No number in [0, 1], or one with more places than ``decimals``.

    Source: Brown & Heathers 2017 (GRIM), with the grid of an area.

    >>> grim_auc(0.8375, 4, 5, 4).possible
    False
    >>> found = grim_auc(0.83, 50, 950, 2)
    >>> found.possible, found.fewest, found.most
    (True, 39187.5, 39662.5)
    """
    m = checks.whole(n_positive, name="n_positive")
    n = checks.whole(n_negative, name="n_negative")
    return _possible(value, m * n, 2 if ties else 1, decimals)


def grim_accuracy(value: float | str, n: int, decimals: int) -> Possibility:
    """Whether an accuracy, a recall or another share can come from so many rows.

    Args:
        value: The share as reported, to ``decimals`` places; text keeps what was written.
        n: Rows that it is a share of: all for an accuracy, the positive ones for a recall.
        decimals: Places reported, those that are 0 included.

    Raises:
        InputError: No number in [0, 1], or one with more places than ``decimals``.

    Source: Brown & Heathers 2017 (GRIM).

    >>> found = grim_accuracy(0.973, 50, 3)
    >>> found.possible, found.below, found.above
    (False, 0.96, 0.98)
    """
    return _possible(value, checks.whole(n, name="n"), 1, decimals)


def implied_se(value: float, n_positive: int, n_negative: int) -> float:
    """Standard error that an area and the sizes of the classes imply, without any row.

    True for exponential scores, and near the truth where both classes spread alike. The spread
    between seeds is no substitute for it. At an area of 0 or 1 it is 0, which is ignorance.

    Args:
        value: The area, in [0, 1].
        n_positive: Positive rows.
        n_negative: Negative rows.

    Raises:
        InputError: An argument is out of range.

    Source: Hanley & McNeil 1982.

    >>> round(implied_se(0.83, 50, 950), 5)
    0.03609
    """
    m = checks.whole(n_positive, name="n_positive")
    n = checks.whole(n_negative, name="n_negative")
    return math.sqrt(max(roc_areas.hanley_mcneil_variance(_share(value, "value"), m, n), 0.0))


def gate_check(
    value: float, gate: float, n_positive: int, n_negative: int, *, level: float = 0.95
) -> GateCheck:
    """Whether a reported area is far enough from a gate for its class sizes.

    Newcombe's interval from the area and the sizes alone. For the best of several candidates it is
    too narrow and too high: see ``naive_coverage`` and ``hybrid_auc``.

    Args:
        value: The area reported.
        gate: The value it was to reach.
        n_positive: Positive rows.
        n_negative: Negative rows.
        level: Coverage aimed at.

    Raises:
        InputError: An argument is out of range.

    Source: Newcombe 2006, method 5.

    >>> found = gate_check(0.83, 0.82, 50, 950)
    >>> found.inside
    True
    >>> print(found)
    gate 0.82 inside the noise of 0.83 [0.7623, 0.8797] at 95% (n=50+950, heuristic)
    """
    se = implied_se(value, n_positive, n_negative)
    area, wanted = _share(value, "value"), _share(gate, "gate")
    alpha = checks.alpha(level=level, alpha=None)
    z = -float(ndtri(alpha / 2))
    lower = roc_areas.newcombe_lower(area, n_positive, n_negative, z)
    upper = 1 - roc_areas.newcombe_lower(1 - area, n_positive, n_negative, z)
    return GateCheck(
        value=area,
        gate=wanted,
        se=se,
        lower=lower,
        upper=upper,
        alpha=alpha,
        inside=lower <= wanted <= upper,
        n_positive=n_positive,
        n_negative=n_negative,
        guarantee="heuristic",
    )


def _possible(value: float | str, units: int, parts: int, decimals: int) -> Possibility:
    """Counts, in parts, whose share of all units rounds to the value; halves go either way."""
    places = checks.whole(decimals, name="decimals", least=0)
    reported, total = _reported(value, places), units * parts
    half = Fraction(1, 2 * 10**places)
    fewest = max(math.ceil((reported - half) * total), 0)
    most = min(math.floor((reported + half) * total), total)
    possible = fewest <= most
    down, up = math.floor(reported * total), math.ceil(reported * total)
    return Possibility(
        possible=possible,
        fewest=fewest / parts if possible else None,
        most=most / parts if possible else None,
        below=down / total,
        above=up / total,
        step=1 / total,
    )


def _reported(value: float | str, places: int) -> Fraction:
    try:
        written = Decimal(value if isinstance(value, str) else repr(float(value)))
        number = Fraction(written)
    except (InvalidOperation, TypeError, ValueError, OverflowError):
        raise InputError(f"value={value!r} is not a finite number.", code="NF008") from None
    if not 0 <= number <= 1:
        hint = " If it is in per cent, divide by 100." if 1 < number <= 100 else ""
        raise InputError(f"value={value!r} must lie in [0, 1].{hint}", code="NF008")
    if number * 10**places % 1:
        raise InputError(
            f"value={value!r} has more than decimals={places} places; give it as it was reported.",
            code="NF008",
        )
    return number


def _share(value: float, name: str) -> float:
    number = checks.real(value, name=name)
    if not 0 <= number <= 1:
        raise InputError(f"{name}={value!r} must lie in [0, 1].", code="NF008")
    return number
