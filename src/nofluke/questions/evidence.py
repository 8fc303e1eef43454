"""When the evidence sufficed, and how it grew: bets on one unit after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels import betting
from nofluke.means.betting import KINDS
from nofluke.questions.comparison import WealthPath
from nofluke.questions.routes import BETTING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.claims import Needed, Verdict
    from nofluke.questions.designs import Units
    from nofluke.questions.routes import Route


def decided_at(route: Route, verdict: Verdict, planned: int | None) -> int | None:
    """Units counted when the verdict was first sure; None where the method looks only once."""
    if verdict == "not enough evidence" or route.name not in BETTING or not route.units.ordered:
        return None
    claim = route.claim
    ways = claim.yes if verdict == "yes" else claim.no
    times = [_passage(route, way, planned) for way in ways]
    return min((t for t in times if t is not None), default=None)


def watched(route: Route, planned: int | None) -> tuple[WealthPath, ...]:
    """The evidence for each rejection of the claim, unit after unit; none where nobody bets."""
    if route.name not in BETTING or not route.units.ordered:
        return ()
    each_once = dict.fromkeys(route.claim.needs())
    return tuple(_wealth(route, needed, planned) for needed in each_once)


def _passage(route: Route, way: tuple[Needed, ...], planned: int | None) -> int | None:
    """The moment at which all rejections of a way have been made."""
    latest = 0
    for needed in way:
        s, c, m = _hypothesis(route, needed)
        found = betting.first_passage(s, c, m, plan_of(route, needed.alpha, planned))
        if found is None:
            return None
        latest = max(latest, found)
    return latest


def _wealth(route: Route, needed: Needed, planned: int | None) -> WealthPath:
    s, c, m = _hypothesis(route, needed)
    where = "above" if needed.above else "below"
    return WealthPath(
        label=f"gain {where} {needed.point:g}",
        log_e=betting.wealth_path(s, c, m, plan_of(route, needed.alpha, planned)),
        log_threshold=-float(np.log(needed.alpha)),
    )


def plan_of(route: Route, alpha: float, planned: int | None) -> betting.Plan:
    """The bettor of a route, as ``means`` sets it up."""
    hedged = route.name == "hedged_star"
    return betting.Plan(
        alpha=alpha,
        planned=planned if hedged and planned is not None else route.units.n,
        kind=KINDS[route.name],
        population=route.units.population or 0,
    )


def against(
    units: Units, *, above: bool, point: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Scores, weights and mean of the hypothesis that a bettor tries to break, on 0 to 1."""
    low, high = units.bounds
    x, m = (units.x - low) / (high - low), (point - low) / (high - low)
    if not above:
        x, m = 1 - x, 1 - m
    c = np.ones(x.size) if units.sizes is None else units.sizes / (units.max_size or 1.0)
    return x * c, c, m


def _hypothesis(
    route: Route, needed: Needed
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    above, point = route.difference(needed)
    return against(route.units, above=above, point=point)
