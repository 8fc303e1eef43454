"""The same question in each group, with the multiplicity paid for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from nofluke import sequences
from nofluke.kernels import betting
from nofluke.questions.claims import Claim
from nofluke.questions.evidence import against
from nofluke.questions.routes import Registered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.questions.claims import Needed
    from nofluke.questions.designs import Units
    from nofluke.results import Interval, Row


def by_group(
    groups: Sequence[tuple[str, Units]],
    claim: Claim,
    *,
    of: int,
    sign: int,
    binary: bool,
    watched: bool,
) -> list[Row]:
    """One row for each group: its estimate, simultaneous limits and Holm-adjusted p-value.

    All limits hold together, each at alpha / (2 G). The adjusted p-values control the probability
    that any "yes" is wrong (Holm 1979), however the groups depend; and, as a second claim, those
    of the opposite the probability that any "no" is. For binary scores they come from the exact
    McNemar test; else each is the inverse of the largest wealth of a bettor, so it may also be
    read while items arrive, and it is an upper bound that stops falling at the level aimed at
    (``p_is_bound``).

    Args:
        groups: Name and units of each group that has any.
        of: How many groups there are, those without an example yet included: bets that are
            watched must not change when a group appears.
        claim: The claim, asked of each group.
        sign: 1 where higher scores win, -1 where lower do.
        binary: Whether the exact test serves (margin 0, scores of 0 and 1).
        watched: Whether somebody looks at it while items arrive: all is then valid at any time.
    """
    shared = replace(claim, alpha=claim.alpha / of)
    rows = [
        _row(name, units, claim, shared, sign=sign, binary=binary, watched=watched)
        for name, units in groups
    ]
    adjusted = holm([row["pvalue"] for row in rows], of=of)
    against = holm([row.pop("against") for row in rows], of=of)
    for row, p, opposite in zip(rows, adjusted, against, strict=True):
        row["adjusted"] = p
        refuted = "no" if opposite <= claim.alpha else "not enough evidence"
        row["verdict"] = "yes" if p <= claim.alpha else refuted
    return rows


def holm(pvalues: Sequence[float], *, of: int | None = None) -> list[float]:
    """Holm's adjusted p-values: reject those at most alpha, and any is wrong with at most alpha.

    Args:
        pvalues: One for each hypothesis that has data.
        of: How many hypotheses there are; those without data have p = 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    m = len(pvalues) if of is None else of
    order = sorted(range(len(pvalues)), key=pvalues.__getitem__)
    adjusted, largest = [0.0] * len(pvalues), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (m - rank) * pvalues[i]))
        adjusted[i] = largest
    return adjusted


def _row(
    name: str,
    units: Units,
    claim: Claim,
    shared: Claim,
    *,
    sign: int,
    binary: bool,
    watched: bool,
) -> Row:
    interval = _interval(units, shared, sign, watched=watched)
    if binary:
        p, against = _exact(units, sign, claim)
    else:
        p, against = (
            _wealth_p(units, ways, sign, watched=watched) for ways in (shared.yes, shared.no)
        )
    return {
        "group": name,
        "n": units.n,
        "estimate": units.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "guarantee": interval.guarantee,
        "pvalue": p,
        "against": against,
        # A bettor stops at the level it aims at: the true p-value may be far smaller.
        "p_is_bound": not binary,
    }


def _interval(units: Units, shared: Claim, sign: int, *, watched: bool) -> Interval:
    """Both limits at half of the shared level; those of a sequence where somebody looks."""
    alpha = shared.alpha
    if watched:
        return sequences.betting(units.x, alpha=alpha, bounds=units.bounds)
    route = Registered("star", units, shared, sign)
    lower, upper = (route.limit(above=above, alpha=alpha / 2) for above in (True, False))
    return replace(route.interval(), lower=lower, upper=upper, alpha=alpha)


def _exact(units: Units, sign: int, claim: Claim) -> tuple[float, float]:
    """McNemar's p-values for the claim and for its opposite, which "different" has none of."""
    from nofluke import proportions

    gains = sign * units.x
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    opposite = {"better": "worse", "worse": "better"}.get(claim.alternative)
    p, against = (
        1.0
        if asked is None
        else proportions.mcnemar(wins=wins, losses=losses, alternative=asked).pvalue
        for asked in (claim.alternative, opposite)
    )
    return p, against


def _wealth_p(
    units: Units, ways: tuple[tuple[Needed, ...], ...], sign: int, *, watched: bool
) -> float:
    """A p-value: all rejections of a way are needed, and any way will do; 1 without a way."""
    found = [max(_needed_p(units, needed, sign, watched=watched) for needed in way) for way in ways]
    return min(1.0, len(found) * min(found, default=1.0)) if found else 1.0


def _needed_p(units: Units, needed: Needed, sign: int, *, watched: bool) -> float:
    """1 / (largest wealth) of a bettor against one hypothesis (Ville)."""
    above, point = needed.above == (sign > 0), sign * needed.point
    s, c, m = against(units, above=above, point=point)
    kind: betting.Kind = "sequence" if watched else "star"
    plan = betting.Plan(alpha=needed.alpha, planned=units.n, kind=kind)
    return math.exp(-float(betting.wealth_path(s, c, m, plan).max(initial=0.0)))
