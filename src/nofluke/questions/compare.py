"""`compare`: does B beat A on the same examples, by a margin, and how sure is it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nofluke import checks, means
from nofluke.errors import InputError
from nofluke.kernels import sums
from nofluke.questions import remarks
from nofluke.questions.claims import Claim
from nofluke.questions.comparison import Comparison
from nofluke.questions.counting import Counting
from nofluke.questions.evidence import decided_at, watched
from nofluke.questions.routes import ASYMPTOTIC, BETTING, Asymptotic, Exact, Registered, Route
from nofluke.questions.sides import Membership, Sides, sides
from nofluke.questions.subgroups import by_group
from nofluke.scores import dependence
from nofluke.scores.sides import two_of

if TYPE_CHECKING:
    from os import PathLike

    from nofluke.questions.designs import Units
    from nofluke.questions.plan_file import PlanFile
    from nofluke.results import Row
    from nofluke.scores.sourced import Sourced
    from nofluke.scores.table import Scores

METHODS = ("auto", "mcnemar", *means.METHODS)


def compare(
    scores: Scores | Sourced,
    a: str,
    b: str,
    *,
    margin: float = 0.0,
    alternative: str = "better",
    alpha: float = 0.05,
    method: str = "auto",
    planned: int | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    clusters: Membership = None,
    max_cluster_size: float | None = None,
    groups: Membership = None,
    mix: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    max_weight: float | None = None,
    population: int | None = None,
    paired: bool = True,
    missing: str = "raise",
    seed: int = 0,
    plan: PlanFile | str | PathLike[str] | None = None,
) -> Comparison:
    """Whether B beats A, with a guarantee, on examples that both have scored.

    Pairs are made by id. The verdict is "yes" (the claim is shown), "no" (its opposite is) or "not
    enough evidence"; a wrong verdict has probability at most alpha. The guaranteed interval and
    the asymptotic one stand side by side.

    Args:
        scores: A table that holds both candidates, or a source, of which their rows are read.
        a: Id of the baseline. A difference is always b minus a.
        b: Id of the candidate compared with it.
        margin: The gain to be shown ("better", "worse", "different"), or the loss or difference
            tolerated ("not-worse", "equivalent"); in units of the score.
        alternative: The claim: "better", "worse", "different", "not-worse" or "equivalent".
        alpha: Error level of the verdict.
        method: "auto" takes the exact McNemar test for a binary metric (margin 0, every example
            counted once, no plan), ``hedged_star`` where ``planned`` is given and else ``star``;
            or a method of ``means``. "t" and "bootstrap" give an asymptotic answer only.
        planned: Number of units planned before the first was seen. Then the answer may be read at
            any time, before N and after it.
        bounds: Lowest and highest possible score; else those of the table or of a well-known
            metric.
        binary: Whether a score is 0 or 1 by its meaning; else as declared with the table or known
            of the metric, never because the data look so.
        clusters: What belongs together and is one unit: True for the table's cluster column, or a
            mapping of example to cluster. Each cluster counts once.
        max_cluster_size: Largest size a cluster can have, known in advance: then each example
            counts once, and clusters by their size.
        groups: Groups of examples: True for the table's group column (else its clusters), or a
            mapping. The same question is asked in each, and its multiplicity paid for.
        mix: Share of each group where B will be used, such as {"news": 0.3, "social": 0.7}.
        weights: Weight of each example, by id.
        max_weight: Largest weight an example can have, known in advance; taken from the data it
            voids the guarantee.
        population: Number of examples of a fixed benchmark of which these are a random part; then
            the claim is about the mean over that benchmark.
        paired: False for two samples that share no example.
        missing: What it means that one side lacks an example: "raise", "common" or "worst".
        seed: Seed of the order in which units are counted: a hash of it and their ids.
        plan: A plan made before the first score was seen (``nofluke.plan.write``), or its file.
            It settles all it speaks of; an argument that says otherwise is refused (NF031). One
            that is at its default counts as not given.

    Raises:
        InputError: The arguments or data cannot be used as given.

    Source: Voracek & Orabona 2025 (STaR), Waudby-Smith & Ramdas 2024 (betting), McNemar 1947.

    >>> from nofluke import Scores
    >>> right = {"old": [0] * 30 + [1] * 70, "new": [1] * 12 + [0] * 20 + [1] * 68}
    >>> table = Scores.from_arrays(right, binary=True, better="higher")
    >>> answer = compare(table, "old", "new")
    >>> answer.verdict, answer.test.wins, answer.test.losses, round(answer.test.pvalue, 4)
    ('yes', 12, 2, 0.0065)
    """
    given = dict(locals())
    scores = two_of(scores, a, b)
    if plan is not None:
        from nofluke.questions.kept_plan import kept

        return kept(compare, scores, a, b, plan=plan, given=given)
    claim = Claim.understood(alternative, margin, alpha)
    seed = checks.whole(seed, name="seed", least=0)
    found = sides(
        scores,
        a,
        b,
        claim,
        bounds=bounds,
        binary=binary,
        needs_bounds=checks.choice(method, METHODS, name="method") not in ASYMPTOTIC,
        paired=paired,
        missing=missing,
        seed=seed,
    )
    counting = Counting(
        clusters=found.labels(clusters, "cluster"),
        groups=found.labels(True if mix and groups is None else groups, "group"),
        max_cluster_size=_positive(max_cluster_size, "max_cluster_size"),
        mix=mix,
        weights=weights,
        max_weight=_positive(max_weight, "max_weight"),
        population=None if population is None else checks.whole(population, name="population"),
        planned=None if planned is None else checks.whole(planned, name="planned"),
        seed=seed,
    )
    counting.check(paired=paired)
    _refuse_one_look(method, counting)
    _refuse_impossible(claim, found)
    units = counting.units(found)
    serial = () if found.paired else dependence.warnings(scores, (a, b))
    if serial or remarks.follow_in_time(found, units) is not None:
        units = replace(units, dependent=True)
    route = _route(method, units, claim, found, counting)
    question = {
        "a": a,
        "b": b,
        "margin": claim.margin,
        "alternative": alternative,
        "alpha": claim.alpha,
        "method": method,
        "planned": planned,
        "metric": scores.metric,
        "bounds": None if found.bounds is None else list(found.bounds),
        "difference_bounds": None if found.bounds is None else list(found.difference_bounds),
        "binary": found.binary,
        "clusters": _said(clusters),
        "max_cluster_size": max_cluster_size,
        "groups": _said(groups),
        "mix": dict(mix) if mix else None,
        "weights": None if weights is None else "given",
        "max_weight": max_weight,
        "population": population,
        "paired": paired,
        "missing": missing,
        "seed": seed,
        "reading": dict(scores.reading),
    }
    return _answer(scores, route, found, counting, question, serial=serial)


def _answer(
    scores: Scores,
    route: Route,
    found: Sides,
    counting: Counting,
    question: Mapping[str, Any],
    *,
    serial: tuple[str, ...],
) -> Comparison:
    units, claim = route.units, route.claim
    verdict = claim.verdict(route.rejects)
    floor = remarks.floor(route)
    return Comparison(
        a=question["a"],
        b=question["b"],
        metric=scores.metric,
        better=scores.better,
        claim=claim,
        verdict=verdict,
        method=route.name,
        estimate=units.estimate,
        guaranteed=None if route.guarantee == "asymptotic" else route.interval(),
        asymptotic=_beside(route).interval(),
        test=route.test() if isinstance(route, Exact) else None,
        n_units=units.n,
        n_pairs=found.n,
        unit=units.word,
        estimand=units.estimand,
        means=(sums.mean(found.a), sums.mean(found.b)),
        pairing=found.counts,
        decided_at=decided_at(route, verdict, counting.planned),
        floor=floor,
        differing=remarks.differing(found.d, claim.alpha) if found.paired else {},
        methods=tuple(_side_by_side(route, found, counting)),
        subgroups=tuple(_subgroups(route, found, counting)),
        dependence=remarks.dependence(found, route, counting.seed),
        plain_estimate=_plain(units, found),
        shares=tuple(counting.shares(found)),
        d=found.d if found.paired else None,
        x=units.x,
        wealth=watched(route, counting.planned),
        guarantee=route.guarantee,
        assumes=remarks.assumptions(route, counting.planned),
        n=units.n,
        digest=scores.digest,
        notes=(
            *scores.notes,
            *found.notes,
            *serial,
            *remarks.about(route, found, verdict, floor=floor, planned=counting.planned),
        ),
        question=question,
    )


def _route(method: str, units: Units, claim: Claim, found: Sides, counting: Counting) -> Route:
    """The way to the verdict: as named, or the sharpest that is proved for this design."""
    exact = _exact_serves(units, claim, found, counting)
    if method == "mcnemar" and exact is not None:
        raise InputError(f"method='mcnemar' {exact}; leave method= out.", code="NF008")
    if method in ASYMPTOTIC and (method == "t" or units.sizes is not None):
        return Asymptotic(units, claim, found.sign)
    name = method
    if method in ("auto", "mcnemar"):
        name = "star" if counting.planned is None else "hedged_star"
    ours = _registered(name, units, claim, found.sign, counting)
    if method == "mcnemar" or (method == "auto" and exact is None):
        gains = found.sign * found.d
        return Exact(ours, wins=int((gains > 0).sum()), losses=int((gains < 0).sum()))
    return ours


def _exact_serves(units: Units, claim: Claim, found: Sides, counting: Counting) -> str | None:
    """Why the exact binary test does not serve; None where it does."""
    if not found.binary or found.repeated:
        return "needs scores that are 0 or 1 by declaration (binary=True), one for each example"
    if units.word != "pairs" or units.sizes is not None:
        return "counts every example once, and no clusters, weights or blocks"
    if claim.margin or claim.alternative in ("not-worse", "equivalent"):
        return "is a test at margin 0"
    if counting.planned is not None:
        return "looks once, and planned= wants an answer that may be read at any time"
    if counting.population is not None:
        return "knows no finite benchmark"
    return None


def _beside(route: Route) -> Route:
    """The asymptotic interval that stands beside the guaranteed one."""
    if route.guarantee == "asymptotic":
        return route
    return Asymptotic(route.units, route.claim, route.sign)


def _side_by_side(route: Route, found: Sides, counting: Counting) -> list[Row]:
    """Every method that serves this design, with the verdict it would give by itself."""
    units = route.units
    # What has its limits already is not asked for them again.
    known: dict[str, Route] = {one.name: one for one in (route, getattr(route, "beside", route))}
    routes: list[Route] = [route] if isinstance(route, Exact) else []
    if found.bounds is not None:
        names = [n for n, m in means.METHODS.items() if m.guarantee == "finite-sample"]
        if units.sizes is not None:
            names = [n for n in names if n in BETTING]
        if counting.population is not None:
            names = [n for n in names if n in (*BETTING, "hoeffding")]
        if counting.planned is None:
            names = [n for n in names if n != "hedged_star"]
        if units.word == "blocks":
            names = [n for n in names if n != "anderson"]
        routes += [
            known.get(name) or _registered(name, units, route.claim, route.sign, counting)
            for name in names
        ]
    if route.guarantee != "asymptotic":
        routes.append(_beside(route))
    if route.name not in [r.name for r in routes]:
        routes.append(route)
    return [_row(r, used=r is route) for r in routes]


def _registered(name: str, units: Units, claim: Claim, sign: int, counting: Counting) -> Registered:
    """A method of ``means`` by name, told what the caller said about the units."""
    return Registered(
        name,
        units,
        claim,
        sign,
        planned=counting.planned,
        population=counting.population,
        seed=counting.seed,
    )


def _row(route: Route, *, used: bool) -> Row:
    interval = route.interval()
    return {
        "method": route.name,
        "guarantee": route.guarantee,
        "estimate": interval.estimate,
        # The exact test has no interval of its own.
        "lower": None if isinstance(route, Exact) else interval.lower,
        "upper": None if isinstance(route, Exact) else interval.upper,
        "pvalue": route.test().pvalue if isinstance(route, Exact) else None,
        "verdict": route.claim.verdict(route.rejects),
        "used": used,
    }


def _subgroups(route: Route, found: Sides, counting: Counting) -> list[Row]:
    if counting.groups is None or found.bounds is None:
        return []
    return by_group(
        counting.by_group(found),
        route.claim,
        of=len(counting.groups.names),
        sign=found.sign,
        binary=isinstance(route, Exact),
        watched=counting.planned is not None,
    )


def _refuse_one_look(method: str, counting: Counting) -> None:
    """A plan is a licence to look at any time, which one method has."""
    if counting.planned is not None and method not in ("auto", "hedged_star"):
        raise InputError(
            f"planned={counting.planned} is for looking at any time, and method={method!r} looks "
            "once: leave method= out, or planned=.",
            code="NF008",
        )


def _refuse_impossible(claim: Claim, found: Sides) -> None:
    """A margin that no difference can reach is a slip of the pen: per cent for shares, say."""
    if found.bounds is None or claim.margin < found.bounds[1] - found.bounds[0]:
        return
    low, high = found.bounds
    raise InputError(
        f"margin={claim.margin:g} is not inside the possible differences of scores in "
        f"[{low:g}, {high:g}]; it is in units of the score.",
        code="NF008",
    )


def _plain(units: Units, found: Sides) -> float | None:
    """The mean difference of all examples alike, where the answer counts otherwise."""
    if not found.paired or (units.word == "pairs" and units.sizes is None):
        return None
    return sums.mean(found.d)


def _said(membership: Membership) -> Any:
    return "given" if isinstance(membership, Mapping) else membership


def _positive(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    number = checks.real(value, name=name)
    if not number > 0:
        raise InputError(f"{name}={value!r} must be positive.", code="NF008")
    return number
