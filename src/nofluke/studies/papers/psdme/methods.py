"""The methods that are compared: a level rule and a band each, both as `certify` uses them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from nofluke import Scores, certify, selective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.results import Band, Limits
    from nofluke.studies.papers.psdme.worlds import Truth


class Method(NamedTuple):
    """Arguments of `certify`.

    Attributes:
        rule: Level rule; "split" for half of the examples at the whole error.
        band: Band.
        side: Its side.
    """

    rule: str
    band: str = "dkw"
    side: str = "both"


METHODS = {
    "naive": Method("naive"),
    "split in halves": Method("split"),
    "PS-DME, best power": Method("psdme"),
    "PS-DME, power 1/2": Method("psdme:0.5"),
    "fixed size": Method("fixed_size"),
    "Bonferroni": Method("bonferroni"),
    "Benjamini-Yekutieli": Method("benjamini_yekutieli"),
    "minimax": Method("minimax"),
    "fixed size, one side": Method("fixed_size", side="lower"),
    "fixed size, Kolmogorov": Method("fixed_size", "kolmogorov", "lower"),
    "fixed size, Berk-Jones": Method("fixed_size", "berk_jones", "lower"),
    "default": Method("fixed_size", "auto", "auto"),
}
SPLIT, DEFAULT, PSDME = "split in halves", "default", "PS-DME, best power"


class Judged(NamedTuple):
    """A method at one K, n and M.

    Attributes:
        limits: Limits of its band for the number of examples that it evaluates.
        n: That number.
        alpha: Level of each band.
        half_width: Largest distance of the band from the empirical distribution function.
        rank: Order statistic that it guarantees at the failure rate asked for; None where none.
        method: Name of the band.
    """

    limits: Limits
    n: int
    alpha: float
    half_width: float
    rank: int | None
    method: str


@lru_cache(maxsize=1024)
def judge(name: str, *, K: int, n: int, M: int, delta: float, gamma: float) -> Judged:
    """The level that a rule gives each of M chosen, and what `certify` makes of it.

    A band is a function of the level and n, so one candidate is asked, at that level; any scores
    will do.
    """
    method = METHODS[name]
    if method.rule == "split":
        alpha, size = delta, n // 2
    else:
        rule = selective.named(method.rule, K=K, delta=delta, size=M, side=_side(method))
        alpha, size = rule.alpha(M), n
    one = Scores.from_arrays([np.random.default_rng(0).random(size)], better="lower")
    answer = certify(one, "top:1", delta=alpha, gamma=gamma, band=method.band, side=method.side)
    band = cast("Band", answer.evaluated[0].region)  # an interval is for a KPI of two values only
    return Judged(
        limits=band.limits,
        n=size,
        alpha=band.alpha,
        half_width=band.half_width,
        rank=band.rank(gamma, better="lower"),
        method=band.method,
    )


def _side(method: Method) -> str:
    return "lower" if method.side == "auto" else method.side


def wrong(truth: Truth, limits: Limits) -> NDArray[np.bool_]:
    """Whether each band misses the true distribution function anywhere, shape (M,).

    Both are steps or rise between the scores: the lower limit is worst at a score, the upper one
    just before the next.
    """
    low = (limits.below[1:] > truth.at).any(axis=1)
    return np.asarray(low | (limits.above[:-1] < truth.before).any(axis=1))
