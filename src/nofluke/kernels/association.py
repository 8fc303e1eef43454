"""Correlation and agreement of a decision with the truth, and how far they may be off.

Both are functions of sensitivity a, false positive rate b and the odds o of being positive:

    phi   = (a - b) / sqrt(a (1 - a) o + b (1 - b) / o + a (1 - b) + b (1 - a))
    kappa = 2 (a - b) / ((1 - a) o + b / o + 1 - b + a)

Both rise with a and fall with b. Proof for phi = (a - b) sqrt(p (1 - p) / (q (1 - q))) with p the
share of positives and q = p a + (1 - p) b that of predicted positives: the derivative of its
logarithm in a is positive if 2 q (1 - q) > p (1 - 2 q) (a - b). Where a > b this follows from
q >= p (a - b), where a < b from 1 - q >= p (b - a). For b exchange the classes. For kappa, which is
2 p (1 - p) (a - b) / (p (1 - q) + q (1 - p)), the condition is p (1 - q) + q (1 - p) >
p (1 - 2 p) (a - b), and the same two inequalities give it. In o both denominators have the form
c o + d / o + e, so that a measure is farthest from 0 at o = sqrt(d / c), and monotone on either
side of it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from nofluke.kernels.mover import Part

if TYPE_CHECKING:
    from collections.abc import Callable

Measure: TypeAlias = Literal["phi", "kappa"]


def phi(a: float, b: float, o: float) -> float:
    """Correlation of decision and truth (Matthews), 0 where the truth does not matter."""
    if a == b:
        return 0.0  # where both are 0 or 1 the quotient has no value
    return (a - b) / math.sqrt(a * (1 - a) * o + b * (1 - b) / o + a * (1 - b) + b * (1 - a))


def kappa(a: float, b: float, o: float) -> float:
    """Cohen's kappa of decision and truth."""
    return 2 * (a - b) / ((1 - a) * o + b / o + 1 - b + a)


def squared_and_added(measure: Measure, a: Part, b: Part, o: Part) -> Part:
    """Limits from three independent parts, one moved at a time and the distances added as squares.

    The three estimates are uncorrelated in the limit, and each distance is the standard error
    times the slope there, so that the sum of squares is the delta method's variance; but the
    distances know the parts' own limits, and none vanishes where there is no error.
    """
    f, at = _MEASURES[measure], _at(measure)
    centre = f(a.estimate, b.estimate, o.estimate)
    through = at(a.estimate, b.estimate, o)
    falls = (f(a.lower, b.estimate, o.estimate), f(a.estimate, b.upper, o.estimate), min(through))
    rises = (f(a.upper, b.estimate, o.estimate), f(a.estimate, b.lower, o.estimate), max(through))
    fall = math.hypot(*(centre - moved for moved in falls))
    rise = math.hypot(*(moved - centre for moved in rises))
    return Part(centre, max(-1.0, centre - fall), min(1.0, centre + rise))


def over_the_box(measure: Measure, a: Part, b: Part, o: Part) -> Part:
    """Smallest and largest value where every part may be anywhere between its limits."""
    centre = _MEASURES[measure](a.estimate, b.estimate, o.estimate)
    at = _at(measure)
    lower, upper = min(at(a.lower, b.upper, o)), max(at(a.upper, b.lower, o))
    return Part(centre, lower, upper)


_MEASURES: dict[str, Callable[[float, float, float], float]] = {"phi": phi, "kappa": kappa}


def _at(measure: Measure) -> Callable[[float, float, Part], tuple[float, ...]]:
    """The measure where it may be extreme in the odds: at both ends and farthest from 0."""
    f = _MEASURES[measure]

    def at(a: float, b: float, o: Part) -> tuple[float, ...]:
        c, d = (a * (1 - a), b * (1 - b)) if measure == "phi" else (1 - a, b)
        turn = math.sqrt(d / c) if c else math.inf
        return tuple(f(a, b, odds) for odds in (o.lower, o.upper, min(max(turn, o.lower), o.upper)))

    return at
