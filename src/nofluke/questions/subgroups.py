"""The same question in each group, with the multiplicity paid for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels import betting, sums
from nofluke.questions.claims import Claim
from nofluke.questions.designs import Units, of_pairs
from nofluke.questions.evidence import against
from nofluke.questions.routes import Registered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.questions.claims import Needed
    from nofluke.results import Row


def by_group(
    d: NDArray[np.float64],
    codes: NDArray[np.int64],
    names: Sequence[str],
    bounds: tuple[float, float],
    claim: Claim,
    *,
    sign: int,
    binary: bool,
    watched: bool,
) -> list[Row]:
    """One row for each group: its estimate, simultaneous limits and Holm-adjusted p-value.

    All limits hold together (each at the level of the claim divided by the number of groups). The
    adjusted p-values control the probability that any "yes" is wrong (Holm 1979), however the
    groups depend. For binary scores they come from the exact McNemar test; else each is the
    inverse of the largest wealth of a bettor, so it may also be read while items arrive, and it
    is an upper bound that stops falling at the level aimed at (``p_is_bound``).

    Args:
        d: Differences b minus a in hash order, shape (n,).
        codes: Group of each, index into ``names``; groups without an example are left out.
        names: Ids of the groups.
        bounds: Lowest and highest possible difference.
        claim: The claim, asked of each group.
        sign: 1 where higher scores win, -1 where lower do.
        binary: Whether the exact test serves (margin 0, scores of 0 and 1).
        watched: Whether somebody looks at it while items arrive.
    """
    present = [g for g in range(len(names)) if (codes == g).any()]
    G = len(present)
    shared = Claim(
        alternative=claim.alternative, margin=claim.margin, alpha=claim.alpha / max(1, G)
    )
    rows: list[Row] = []
    for g in present:
        units = of_pairs(d[codes == g], bounds)
        interval = Registered("star", units, shared, sign).interval()
        p = (
            _exact(units, sign, claim)
            if binary
            else _wealth_p(units, shared, sign, watched=watched)
        )
        rows.append(
            {
                "group": names[g],
                "n": units.n,
                "estimate": sums.mean(units.x),
                "lower": interval.lower,
                "upper": interval.upper,
                "guarantee": interval.guarantee,
                "pvalue": p,
                # A bettor stops at the level it aims at: the true p-value may be far smaller.
                "p_is_bound": not binary,
            }
        )
    adjusted = holm([row["pvalue"] for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        row["adjusted"] = p
        row["verdict"] = "yes" if p <= claim.alpha else "not enough evidence"
    return rows


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: reject those at most alpha, and any is wrong with at most alpha.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(pvalues)), key=pvalues.__getitem__)
    adjusted, largest = [0.0] * len(pvalues), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(pvalues) - rank) * pvalues[i]))
        adjusted[i] = largest
    return adjusted


def _exact(units: Units, sign: int, claim: Claim) -> float:
    from nofluke import proportions

    gains = sign * units.x
    return proportions.mcnemar(
        wins=int((gains > 0).sum()), losses=int((gains < 0).sum()), alternative=claim.alternative
    ).pvalue


def _wealth_p(units: Units, shared: Claim, sign: int, *, watched: bool) -> float:
    """A p-value for the claim: all rejections of a way are needed, and any way will do."""
    ways = [
        max(_needed_p(units, needed, sign, watched=watched) for needed in way) for way in shared.yes
    ]
    return min(1.0, len(ways) * min(ways))


def _needed_p(units: Units, needed: Needed, sign: int, *, watched: bool) -> float:
    """1 / (largest wealth) of a bettor against one hypothesis (Ville)."""
    above, point = needed.above == (sign > 0), sign * needed.point
    s, c, m = against(units, above=above, point=point)
    kind: betting.Kind = "sequence" if watched else "star"
    plan = betting.Plan(alpha=needed.alpha, planned=units.n, kind=kind)
    return math.exp(-float(betting.wealth_path(s, c, m, plan).max(initial=0.0)))
