"""Who may be where: ranks and tiers that follow from the limits that were told, and from no more.

A submission is certainly worse than another where its limits lie wholly on the worse side of the
other's. All limits of one release rule hold at once with its level, so that on the same event all
ranks and tiers here are right, however many submissions there are and however they came about.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.results import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.guard.policies import Policy


class Ranks(NamedTuple):
    """Where each submission may truly be; shape (m,) each.

    Attributes:
        best: The best rank it may have: 1, and one for each that is certainly better.
        worst: The worst rank it may have: m, less one for each that is certainly worse.
        tier: 1 for those that may be the best; without them, 2 for those that may then be; and so
            on.
    """

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    tier: NDArray[np.int64]


def ranks(lower: ArrayLike, upper: ArrayLike, *, better: str) -> Ranks:
    """Plausible ranks and tiers from simultaneous limits.

    The rank of a submission is one more than the number of those whose expected score is strictly
    better, so that equals share a rank.

    Args:
        lower: Lower limits of expected scores, shape (m,); -inf or NaN where nothing was told.
        upper: Upper limits; inf or NaN where nothing was told.
        better: "higher" or "lower".

    >>> found = ranks([0.5, 0.71, 0.6], [0.6, 0.8, 0.7], better="higher")
    >>> found.best.tolist(), found.worst.tolist(), found.tier.tolist()
    ([2, 1, 2], [3, 1, 3], [2, 1, 2])
    """
    low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
    low[np.isnan(low)], high[np.isnan(high)] = -math.inf, math.inf
    if checks.better(better) == "lower":
        low, high = -high, -low
    m = low.size
    ahead = m - np.searchsorted(np.sort(low), high, side="right")
    behind = np.searchsorted(np.sort(high), low, side="left")
    return Ranks(1 + ahead, m - behind, _tiers(low, high))


def _tiers(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.int64]:
    """One more than the lowest tier among those that are certainly better; 1 without any.

    Whoever is certainly better than i has a higher upper limit, so that in falling order of upper
    limits its tier is known when i comes, and those with lower limits above only grow in number.
    """
    tiers = np.ones(low.size, dtype=np.int64)
    falling = np.argsort(-high, kind="stable").tolist()
    rising = iter(np.argsort(-low, kind="stable").tolist())
    following, deepest = next(rising, None), 0
    for i in falling:
        while following is not None and low[following] > high[i]:
            deepest = max(deepest, int(tiers[following]))
            following = next(rising, None)
        tiers[i] = deepest + 1
    return tiers


def limits(answers: Sequence[dict[str, object]]) -> tuple[list[float], list[float]]:
    """Limits of each submission's own expected score, out of answers that were told.

    Args:
        answers: Fields of ``release.Released`` each; ``own`` holds a pair of limits, or None.

    >>> limits([{"own": [0.2, 0.4]}, {"own": None}])
    ([0.2, -inf], [0.4, inf])
    """
    pairs = [_pair(answer.get("own")) for answer in answers]
    return [p[0] for p in pairs], [p[1] for p in pairs]


def _pair(own: object) -> tuple[float, float]:
    if not isinstance(own, list | tuple):
        return -math.inf, math.inf
    return float(own[0]), float(own[1])


def places(policy: Policy, answers: Sequence[dict[str, object]]) -> tuple[list[float], list[float]]:
    """What ``ranks`` takes: limits, or places in the order in which verdicts "better" were given.

    Where each verdict "better" sets what later ones are compared with, each of these submissions
    is better than all before it (`ordered`), whatever else was told in between. Of the others
    nothing is known.

    Args:
        policy: What was agreed.
        answers: As for ``limits``, in the order of looks.

    >>> from nofluke.guard.policies import from_spec
    >>> asked = {"rule": "verdict", "baseline": "old", "options": {"wins": 3, "moving": True}}
    >>> told = [{"verdict": word} for word in ("better", "not shown", "better")]
    >>> places(from_spec(asked), told)
    ([0.0, -inf, 2.0], [0.0, inf, 2.0])
    """
    if not ordered(policy):
        return limits(answers)
    sign = 1.0 if policy.kind.better == "higher" else -1.0
    at = [sign * i if a.get("verdict") == "better" else math.inf for i, a in enumerate(answers)]
    return [-math.inf if math.isinf(i) else i for i in at], at


def ordered(policy: Policy) -> bool:
    """Whether each submission that is told "better" is better than the one told so before it."""
    said = policy.options
    return policy.rule == "verdict" and bool(said.get("moving")) and said.get("margin", 0.0) >= 0


def words(policy: Policy) -> tuple[str, ...]:
    """What the ranks and tiers mean, in plain words."""
    level = percent(policy.alpha, of_the_rest=True)
    if ordered(policy):
        return (
            'A submission that was told "better" is better than all that were told so before it; '
            'of those that were told "not shown" the order is not known, and each may be anywhere.',
            f"All ranks and tiers follow from these verdicts and are right at once with a "
            f"probability of at least {level}, under what the board assumes.",
        )
    if policy.rule == "verdict":
        return (
            'A look here tells "better" or "not shown" only, which says nothing about the order of '
            "submissions: each may be anywhere among them.",
        )
    new = "a new cluster" if policy.clustered else "new rows"
    return (
        "A range of ranks says where a submission may be among the submissions shown, by its "
        f"expected score on {new}. Where the limits of two overlap, they do not tell which of "
        "the two is better.",
        "Tier 1 holds every submission that may be the best of those shown; without them, tier 2 "
        "holds every one that may then be the best, and so on. Within a tier the limits "
        "show no order.",
        f"All ranks and tiers follow from limits that were told and are right at once with a "
        f"probability of at least {level}, under what the board assumes.",
    )
