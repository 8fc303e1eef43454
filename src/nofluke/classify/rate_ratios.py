"""The ratio of two independent rates, for likelihood ratios and what is made of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nofluke import proportions
from nofluke.kernels import mover
from nofluke.kernels.mover import Part

if TYPE_CHECKING:
    from nofluke.results import Interval


def part_of(interval: Interval) -> Part:
    """An interval as one part of a sum, product or ratio."""
    return Part(interval.estimate, interval.lower, interval.upper)


def likelihood_ratio(
    first: tuple[int, int], second: tuple[int, int], *, error: float, method: str, of: int = 2
) -> Part:
    """Limits of the ratio of two independent rates, each (ones, n).

    Args:
        first: Ones and examples of the rate above the line.
        second: The same below it; the ratio is infinite where it has no ones.
        error: Error level of both limits together.
        method: "wilson" or "jeffreys" for MOVER-R; "clopper_pearson" for the extremes over both.
        of: Among how many parts "clopper_pearson" divides the error level.
    """
    alpha = error / of if method == "clopper_pearson" else error
    a, b = (
        part_of(proportions.of_counts(k, n, method=method, alpha=alpha)) for k, n in (first, second)
    )
    found = mover.ratio(a, b)
    if first[0] > 0 and second[0] > 0:
        exact = first[0] * second[1] / (first[1] * second[0])
        found = found._replace(estimate=exact)
    if method != "clopper_pearson":
        return found
    upper = a.upper / b.lower if b.lower > 0 else math.inf
    return Part(found.estimate, a.lower / b.upper, upper)
