"""How many more pairs a verdict may need: a rough look ahead from the data at hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from scipy import special

if TYPE_CHECKING:
    from nofluke.questions.comparison import Comparison
    from nofluke.results import Guarantee

POWER = 0.8
_MOST = 10**9


class Projection(NamedTuple):
    """A rough number of units; heuristic, and no promise.

    Attributes:
        more: Units to be added.
        total: Units in all.
        floor: Fewest units with which any rule valid for every distribution could decide.
        unit: What a unit is: "pairs", "clusters".
        guarantee: Always "heuristic".
    """

    more: int
    total: int
    floor: int | None
    unit: str
    guarantee: Guarantee = "heuristic"

    def sentence(self) -> str:
        """What a colleague may paste."""
        least = "" if self.floor is None else f"; no valid rule could with fewer than {self.floor}"
        return (
            f"About {self.more} more {self.unit} are needed ({self.total} in all), if the true "
            "difference and spread are those of this sample, for a chance of "
            f"{100 * POWER:g} % to show the claim (rough, heuristic{least})."
        )


def further(result: Comparison) -> Projection | None:
    """Units to be added for a claim that is not shown yet; None where no number makes sense.

    The t formula with the half-width h of the method in use: with n units, standard error s and
    the estimate at distance D inside the claim, N = n ((h + z s) / D)^2 units show it with the
    probability of z if truth and spread are as seen, for half-widths shrink like 1 / sqrt(N). Of
    the t interval this is the usual ((t + z) sd / D)^2; the wider guaranteed half-widths shrink a
    little faster, so that for them N is on the safe side. The exact test of a binary metric
    has no interval of its own and takes that of t.

    Args:
        result: A comparison without a "yes".

    Returns:
        A heuristic projection; None if the sample does not lie inside the claim (more data would
        rather show the opposite) or if one unit has no spread to go by.
    """
    claim, n = result.claim, result.n_units
    gain = result.estimate if result.better != "lower" else -result.estimate
    distance = _inside(claim.alternative, gain, claim.margin)
    used = result.asymptotic if result.test or not result.guaranteed else result.guaranteed
    h = max(result.estimate - used.lower, used.upper - result.estimate)
    if n < 2 or not distance > 0 or not math.isfinite(h):
        return None
    t = special.stdtrit(n - 1, 1 - claim.limit_alpha)
    s = (result.asymptotic.upper - result.asymptotic.lower) / (2 * t)
    scaled = n * ((h + special.ndtri(POWER) * s) / distance) ** 2
    if not scaled < _MOST:
        return None
    total = max(math.ceil(scaled), result.floor or 0, n + 1)
    return Projection(total - n, total, result.floor, result.unit)


def _inside(alternative: str, gain: float, margin: float) -> float:
    """How far the sample's gain lies inside the claim."""
    return {
        "better": gain - margin,
        "worse": -gain - margin,
        "not-worse": gain + margin,
        "different": abs(gain) - margin,
        "equivalent": margin - abs(gain),
    }[alternative]
