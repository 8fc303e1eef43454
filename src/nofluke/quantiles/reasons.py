"""What exists, what does not, and how many runs it would take, in words."""

from __future__ import annotations

from fractions import Fraction

from nofluke.kernels.quantile_ranks import power_at_most
from nofluke.kernels.quantile_sizes import size_for_both, size_for_limit
from nofluke.quantiles.plans import Asked
from nofluke.results import percent

_HALF = Fraction(1, 2)


def name_of(u: Fraction) -> str:
    """The quantile in words: the median, the 5th percentile.

    >>> name_of(Fraction(1, 2)), name_of(Fraction(1, 20)), name_of(Fraction(975, 1000))
    ('the median', 'the 5th percentile', 'the 97.5th percentile')
    """
    if u == _HALF:
        return "the median"
    share = 100 * u
    number = f"{float(share):.12g}"
    teen = share.denominator == 1 and int(share) % 100 in (11, 12, 13)
    endings = {"1": "st", "2": "nd", "3": "rd"}
    ending = "th" if teen or share.denominator > 1 else endings.get(number[-1], "th")
    return f"the {number}{ending} percentile"


def level_of(error: Fraction) -> str:
    """The confidence in per cent."""
    return percent(float(error), of_the_rest=True)


def lacking(asked: Asked) -> str:
    """The limits with equal tails that so many runs do not give, and how many do; or nothing."""
    n, u, error, side = asked
    tail = asked.tail
    parts = []
    for which, base in (("lower", 1 - u), ("upper", u)):
        if side in ("both", which) and not power_at_most(base, n, tail):
            parts.append((which, max(2, size_for_limit(base, tail))))
    tails = " with equal tails" if side == "both" else ""
    said = [
        f"{n} runs give no {which} limit for {name_of(u)} at {level_of(error)}{tails}: "
        f"{needed} are needed"
        for which, needed in parts
    ]
    return "; ".join(said)


def joined(*parts: str) -> str:
    """The parts that are not empty, as one text."""
    return "; ".join(part for part in parts if part)


def without_two_limits(asked: Asked) -> str:
    """Why no two finite limits exist, for any method that is free of distributions."""
    n, u, error, _ = asked
    base = max(u, 1 - u)
    if u != _HALF and not power_at_most(base, n, error):
        which = "lower" if u < _HALF else "upper"
        needed = max(2, size_for_limit(base, error))
        return (
            f"{n} runs give no {which} limit for {name_of(u)} at {level_of(error)}: "
            f"{needed} are needed"
        )
    return (
        f"{n} runs give no two-sided interval for {name_of(u)} at {level_of(error)}: "
        f"{size_for_both(u, error)} are needed"
    )
