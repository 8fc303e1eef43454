"""What an answer of `compare` must say beside its numbers: conditions, limits of the evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import proportions
from nofluke.kernels import clusters as clustered
from nofluke.kernels import resampling
from nofluke.questions.designs import counted
from nofluke.questions.routes import Exact
from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from nofluke.questions.claims import Claim, Needed, Verdict
    from nofluke.questions.designs import Units
    from nofluke.questions.routes import Route
    from nofluke.questions.sides import Sides

_ONE_LOOK = "The number of examples did not depend on the scores (no stopping when it looked good)."
_FEW = 20  # clusters below which an interval by clusters is hardly worth its name
_LAGS = 5
_RESAMPLES = 2000


def floor(route: Route) -> int | None:
    """Fewest units with which a valid rule can show a constant gain of the observed size.

    A mean at the point with values delta (probability (1 + point) / (1 + delta)) and -1 shows n
    times delta with that probability to the n. So no rule that holds for all independent
    differences on [-1, 1] can tell a constant gain delta from it with fewer than log(1/alpha) /
    log((1 + delta) / (1 + point)) units. None where the sample does not favour the claim, without
    bounds, for a part of a fixed benchmark and for blocks, of which it is not true.
    """
    units, claim = route.units, route.claim
    fixed = units.population is not None or units.word == "blocks"
    fixed = fixed or claim.alternative == "equivalent"  # it shows no gain
    if fixed or not all(map(math.isfinite, units.bounds)):
        return None
    gain = route.sign * units.estimate / units.range
    # A rule may spend all of alpha on the side that came out.
    ways = [
        [_least(gain, needed._replace(alpha=claim.alpha), units.range) for needed in way]
        for way in claim.yes
    ]
    found = [max(n for n in way if n is not None) for way in ways if None not in way]
    return min(found, default=None)


def differing(d: NDArray[np.float64], alpha: float) -> dict[str, Any]:
    """The share of pairs whose scores differ, with an exact upper limit at alpha / 2."""
    share = proportions.clopper_pearson(d != 0, alpha=alpha / 2, side="upper")
    return {
        "count": int((d != 0).sum()),
        "share": share.estimate,
        "upper": share.upper,
        "alpha": alpha / 2,
        "guarantee": share.guarantee,
    }


def dependence(found: Sides, route: Route, seed: int) -> dict[str, Any]:
    """Diagnostics of dependence: by clusters (asymptotic) and in time (descriptive)."""
    told: dict[str, Any] = {}
    claim = route.claim
    if not found.paired:
        return told
    if found.cluster is not None:
        told["clusters"] = {
            **_by_clusters(found, claim),
            "bootstrap": _cluster_bootstrap(found, claim, seed),
        }
    if found.time is not None and found.n > _LAGS + 1 and route.units.word == "pairs":
        d = found.d[np.argsort(found.time, kind="stable")]
        told["serial"] = {
            "autocorrelations": clustered.autocorrelations(d, _LAGS).tolist(),
            "effective_n": clustered.geyer_ess(d),
            "guarantee": "descriptive",
            "bootstrap": _block_bootstrap(d, claim, seed),
        }
    return told


def assumptions(route: Route, planned: int | None) -> tuple[str, ...]:
    """What must be true for the guarantee to hold."""
    told = [_independent(route.units)]
    if isinstance(route, Exact):
        told += ["Every score is 0 or 1 by its meaning.", _ONE_LOOK]
    elif route.guarantee == "asymptotic":
        told += [
            "n is large enough for the shape of these differences; nothing here checks it.",
            _ONE_LOOK,
        ]
    elif planned is not None and route.name == "hedged_star":
        told.append(
            f"The {planned} planned {route.units.word}, the margin and alpha were fixed before the "
            "first score was seen. Earlier looks saw the first of these units in the order of "
            "nofluke.plan.order (a hash of ids and the seed), or none."
        )
    else:
        told.append(_ONE_LOOK)
    if route.guarantee != "asymptotic":
        told.append("The bounds hold for every score that could have come.")
    told.append("A and B were not picked because of their scores on these examples.")
    if route.claim.margin:
        told.append("The margin was fixed before the scores were seen.")
    return tuple(told)


def about(
    route: Route, found: Sides, verdict: Verdict, *, floor: int | None, planned: int | None
) -> tuple[str, ...]:
    """Notes, each beginning with its code."""
    units, claim = route.units, route.claim
    return (
        *(_too_few(units, floor) if verdict != "yes" else []),
        *_too_few_differ(route),
        *_never_differed(found, claim),
        *_two_tests(route, verdict),
        *_outside(route),
        *_counted_by_rows(found, units, claim),
        *_follow_in_time(found, units),
        *_few_clusters(units),
        *_void(units),
        *_plan(route, planned),
        *_blocks(units, found),
    )


def _independent(units: Units) -> str:
    if units.population is not None:
        return (
            f"The {units.counted} are a random part of a fixed benchmark of {units.population} "
            "examples, and the claim is about the mean over that benchmark."
        )
    return {
        "pairs": "The pairs are independent draws from the cases that the claim is about.",
        "clusters": "Clusters are independent draws; within one, examples may depend in any way.",
        "blocks": "Examples are independent draws within their group or sample.",
    }[units.word]


def _least(gain: float, needed: Needed, scale: float) -> int | None:
    point = needed.point / scale
    delta, bar = (gain, point) if needed.above else (-gain, -point)
    if delta <= bar or bar <= -1:
        return None
    return math.ceil(-math.log(needed.alpha) / (math.log1p(min(delta, 1.0)) - math.log1p(bar)))


def _too_few(units: Units, least: int | None) -> list[str]:
    if least is None or units.n >= least:
        return []
    return [
        f"NF140: {units.counted} are fewer than the {least} that any rule needs, if it is to hold "
        "for every distribution within the bounds, to show even a constant gain of the size "
        "observed."
    ]


def _too_few_differ(route: Route) -> list[str]:
    if not isinstance(route, Exact):
        return []
    differ, level = route.wins + route.losses, route.claim.yes[0][0].alpha
    least = math.ceil(-math.log2(level) - 1e-12)
    if differ >= least:
        return []
    return [
        f"NF141: the two differ on {differ} examples, and with fewer than {least} that differ no "
        f"outcome could be significant at this level: the smallest p-value possible is "
        f"{route.test().smallest:.4g}."
    ]


def _never_differed(found: Sides, claim: Claim) -> list[str]:
    if not found.paired or (found.d != 0).any():
        return []
    upper = outward(differing(found.d, claim.alpha)["upper"], "lower", digits=3)
    return [
        f"NF142: the two never differed on {counted(found.n, 'examples')}. That does not show that "
        f"they are equal: at error level {claim.alpha / 2:g}, up to a share {upper} of cases may "
        "differ."
    ]


def _two_tests(route: Route, verdict: Verdict) -> list[str]:
    if not isinstance(route, Exact):
        return []
    by_interval = route.claim.verdict(route.beside.rejects)
    agree = "they agree here" if by_interval == verdict else f"that one says {by_interval!r}"
    return [
        "NF143: the verdict is by the exact McNemar test, the interval of the difference by "
        f"betting ({route.beside.name}); near the line the two can disagree, and {agree}."
    ]


def _outside(route: Route) -> list[str]:
    if route.guarantee == "asymptotic":
        return []
    interval = route.interval()
    if interval.lower <= interval.estimate <= interval.upper:
        return []
    return [
        f"NF149: the mean difference {interval.estimate:.4g} lies outside its own interval. "
        "Betting keeps the best limits of all moments, and earlier units spoke otherwise than "
        "later ones; the promise holds, but this order was an unlucky one. Another seed is another "
        "order, and picking it afterwards is a choice."
    ]


def _counted_by_rows(found: Sides, units: Units, claim: Claim) -> list[str]:
    if found.cluster is None or units.word != "pairs":
        return []
    told = _by_clusters(found, claim)
    G = told["n_clusters"]
    if found.n <= G:
        return []
    few = (
        " If these few are all the groups there will ever be, they are strata and no sample of "
        "clusters: ask in each with groups=True instead."
        if G < _FEW
        else ""
    )
    effect = f"design effect {told['design_effect']:.3g}, asymptotic"
    worth = (
        f"For cases from new clusters the evidence is closer to {told['effective_n']:.4g} examples "
        f"({effect})"
        if told["design_effect"] > 1
        else f"This sample shows no correlation within clusters ({effect}), which is no proof that "
        "there is none"
    )
    return [
        f"NF144: the examples belong to {G} clusters and were counted one by one. {worth}; "
        f"clusters=True (--clusters) counts clusters.{few}"
    ]


def follow_in_time(found: Sides, units: Units) -> float | None:
    """Autocorrelation of pairs that resemble their neighbours in time; None if they do not."""
    if not found.paired or found.time is None or units.word != "pairs" or found.n <= _LAGS + 1:
        return None
    d = found.d[np.argsort(found.time, kind="stable")]
    near = float(clustered.autocorrelations(d, 1)[0])
    # The limits of scores.dependence: six standard errors are no chance.
    return near if near > 0.25 and near * math.sqrt(found.n) > 6 else None


def _follow_in_time(found: Sides, units: Units) -> list[str]:
    """A word on pairs that were counted one by one and resemble their neighbours in time."""
    near = follow_in_time(found, units)
    if near is None or found.time is None:
        return []
    d = found.d[np.argsort(found.time, kind="stable")]
    return [
        f"NF106: the differences follow each other: autocorrelation {near:.2f} in order of time. "
        f"If that is how they were drawn, the evidence is that of about "
        f"{clustered.geyer_ess(d):.3g} pairs and not {found.n}, and the guarantee does not hold: "
        "it takes every pair for an independent draw."
    ]


def _few_clusters(units: Units) -> list[str]:
    if units.word != "clusters" or units.n >= _FEW:
        return []
    return [
        f"NF145: {units.n} clusters are the evidence, however many examples they hold. If there "
        "will never be others (data sets, languages), they are strata: leave clusters= out and "
        "use groups=True or mix=."
    ]


def _void(units: Units) -> list[str]:
    if not units.voided:
        return []
    return [
        f"NF146: the largest weight, {units.max_size:g}, was taken from the data, and the next "
        "example may have a larger one: there is no guarantee. Say max_weight= if it is known."
    ]


def _plan(route: Route, planned: int | None) -> list[str]:
    if planned is None:
        return []
    if route.units.n > planned:
        return [
            f"NF147: {route.units.counted} are more than the {planned} planned. The answer holds; "
            "what came after the plan is bet on by the part that goes on."
        ]
    return []


def _blocks(units: Units, found: Sides) -> list[str]:
    if units.word != "blocks":
        return []
    what = "two samples that share no example" if not found.paired else "groups in a mix"
    return [
        f"NF148: {what} are compared in {units.n} blocks, as many as the smallest of them has "
        "examples: blocks are independent and unbiased, and n is their number."
    ]


def _cluster_bootstrap(found: Sides, claim: Claim, seed: int) -> dict[str, Any]:
    """Percentile limits for the mean over examples from resamples of whole clusters."""
    assert found.cluster is not None  # noqa: S101 (asked by the caller)
    _, codes = np.unique(found.cluster.codes, return_inverse=True)
    if codes.max() == 0:
        return _resampled(None, claim)
    rng = np.random.default_rng(seed)
    return _resampled(resampling.cluster_means(found.d, codes, _RESAMPLES, rng), claim)


def _block_bootstrap(d: NDArray[np.float64], claim: Claim, seed: int) -> dict[str, Any]:
    """Percentile limits from blocks of about n^(1/3) neighbours in time."""
    length, rng = math.ceil(d.size ** (1 / 3)), np.random.default_rng(seed)
    means = resampling.moving_block_means(d, length, _RESAMPLES, rng)
    return {"block_length": length, **_resampled(means, claim)}


def _resampled(means: NDArray[np.float64] | None, claim: Claim) -> dict[str, Any]:
    lower, upper = -math.inf, math.inf  # one cluster cannot be resampled
    if means is not None:
        estimate = float(means.mean())
        lower, upper = resampling.limits(means, estimate, 2 * claim.limit_alpha, "both", None)
    return {"lower": lower, "upper": upper, "n_resamples": _RESAMPLES, "guarantee": "asymptotic"}


def _by_clusters(found: Sides, claim: Claim) -> Mapping[str, Any]:
    assert found.cluster is not None  # noqa: S101 (asked by the caller)
    _, codes = np.unique(found.cluster.codes, return_inverse=True)
    told = clustered.summary(found.d, codes)
    alpha = 2 * claim.limit_alpha
    lower, upper = clustered.t_interval(found.d, codes, alpha, "both")
    return {
        "n_clusters": told.n_clusters,
        "se": told.se,
        "naive_se": told.naive_se,
        "design_effect": told.design_effect,
        "icc": told.icc,
        "effective_n": told.effective_n,
        "lower": lower,
        "upper": upper,
        "method": "cr1_t",
        "guarantee": "asymptotic",
    }
