"""`certify`: after choosing among many candidates, what does each of the chosen guarantee?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nofluke import bands, checks, proportions, selective
from nofluke import functionals as readings
from nofluke.errors import InputError, some
from nofluke.kernels import sums
from nofluke.questions import cautions
from nofluke.questions.asked import Asked
from nofluke.questions.certificate import Certificate, Evaluated
from nofluke.questions.side_by_side import side_by_side
from nofluke.results import Band, Interval, Ordered
from nofluke.scores import findings, units
from nofluke.scores.dependence import guard, judged, lost, seen
from nofluke.scores.sourced import Sourced, unasked
from nofluke.scores.table import Scores
from nofluke.selection import splits
from nofluke.selective import LevelRule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nofluke.selection.rules import Chooser

_ASSUMES = (
    "Within a candidate, the evaluated examples are independent draws from the cases that the "
    "promise is about; examples of different candidates may depend on each other in any way.",
    "K counts every candidate whose scores could influence the choice, dropped ones too.",
    "The number of examples did not depend on the scores (no stopping when it looked good).",
)


def certify(
    scores: Scores | Sourced,
    select: str | Chooser = "top:5",
    *,
    delta: float = 0.1,
    gamma: float | Iterable[float] = (0.1,),
    rule: str | LevelRule = "auto",
    band: str = "auto",
    side: str = "auto",
    claim: str = "fcr",
    tried: int | None = None,
    missing: str = "raise",
    functionals: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    split: float | None = None,
    unit: str = "example",
    repeats: str = "first",
    dependence: str = "refuse",
    seed: int | None = None,
) -> Certificate:
    """Guarantees that survive the choice: the chosen are evaluated on the data that chose them.

    Args:
        scores: K candidates on their examples; their rows may stay where they are
            (``nofluke.source``).
        select: Who is chosen: "top:5", "threshold:0.8", "within:0.01", "names:a,b", each but
            the last also by another statistic ("top:5@median", "top:5@q0.9",
            "top:5@column:val_score"), or a function of the scores that returns ids.
        delta: Error budget, in (0, 1).
        gamma: Failure rates at which a guaranteed KPI is wanted; all hold together.
        rule: Level rule by name, or one from ``selective``. "auto" takes ``fixed_size`` where
            the number of chosen is fixed in advance, ``minimax`` where it is not, and
            ``bonferroni`` for the claims "simultaneous" and "winner".
        band: "dkw", "kolmogorov", "berk_jones" or "owen" (exact), each but the first also for
            failure rates up to one only ("berk_jones:0.2"); "binomial" for a single gamma that
            was fixed in advance; "clopper_pearson" for a binary KPI; "auto" takes the sharpest
            for this n, level, gammas and side, never by the data.
        side: "lower", "upper", "both", or "auto": the one side the guaranteed KPI needs.
        claim: What is promised for the shortlist. "fcr": the expected share of wrong regions is
            at most delta. "fcx:c": with probability 1 - delta at most a share c of them is
            wrong. "simultaneous" or "winner": with probability 1 - delta none is.
        tried: How many candidates were tried in all, if some were dropped before.
        missing: What a missing score means: "raise", "common", "own" or "worst".
        functionals: Further numbers wanted for each chosen candidate, all valid together with its
            band: "mean" (needs bounds), "median", "q0.9", "cvar0.1", "iqr" (needs side="both").
        weights: Factor on the level by candidate, fixed without looking, summing to K.
        split: Share of the examples to choose on; the rest evaluates at level ``delta``.
        unit: What is an independent draw: each "example", or each "cluster", of which one example
            is drawn by chance.
        repeats: Of several runs of an example use the "first", or "average" the distribution
            functions of all.
        dependence: "refuse" rows that follow each other in time too closely to be counted one by
            one, or "ignore" it and give up the guarantee.
        seed: Seed of the split and of the draw from clusters.

    Returns:
        The certificate: a row for each chosen candidate and gamma, the winner of each gamma at
        its own level delta/K, and all rules side by side.

    Raises:
        InputError: The arguments or data cannot be used as given.

    Source: Farzaneh & Simeone 2026 (PS-DME) for the question; ``selective`` for the theorem.

    >>> from nofluke import Scores
    >>> losses = {"a": [0.1 * i for i in range(50)], "b": [0.2 * i for i in range(50)]}
    >>> answer = certify(Scores.from_arrays(losses, better="lower"), select="top:1", gamma=0.5)
    >>> answer.selected, answer.rows()[0]["rank"]
    (('a',), 34)
    """
    if not isinstance(scores, Scores | Sourced):
        raise InputError(
            f"certify needs Scores, and a {type(scores).__name__} arrived; make them with "
            "nofluke.read(...) or Scores.from_arrays(...).",
            code="NF008",
        )
    asked = Asked.understood(
        scores,
        select,
        delta=delta,
        gamma=gamma,
        claim=claim,
        tried=tried,
        side=side,
        band=band,
        split=split,
        functionals=functionals,
        repeats=repeats,
    )
    if isinstance(rule, LevelRule) and rule.K > asked.K:
        asked = replace(asked, K=rule.K, told=True)
    seed = _seed(seed)
    table: Scores | Sourced
    if isinstance(scores, Scores):
        table = units.counted(scores, missing=missing, unit=unit, repeats=repeats, seed=seed)
    else:
        _refuse_of_source(asked, split)
        table = scores.settled(missing=missing, unit=unit, repeats=repeats)
    chooses, evaluates = table, table
    if split is not None and isinstance(table, Scores):
        _refuse_with_split(rule, weights, asked, scores.K)
        chooses, evaluates = splits.halves(table, split, checks.generator(seed), unit=unit)
    choice = asked.selection.choose(chooses)
    serial = () if unit == "cluster" else _guarded(table, choice.selected, dependence)
    m = len(choice.selected)
    levels = asked.levels(rule) if split is None else asked.split_levels(m)
    if weights is not None:
        _refuse_unknown(weights, table.candidates, asked)
        levels = levels.weighted(weights)
    evaluated = _evaluate(evaluates, choice.selected, levels, asked)
    winner_alpha = selective.bonferroni(K=levels.K, delta=asked.delta).alpha(1)
    if isinstance(evaluates, Sourced):
        _look_up(evaluates, choice.selected, evaluated, winner_alpha, asked)
    used = _spelled(rule, levels, split)
    return Certificate(
        K=asked.K,
        selected=tuple(table.candidates[k] for k in choice.selected),
        selection=asked.selection.text,
        chosen_by=choice.by,
        rule=used,
        band=_methods_used(evaluated, asked, evaluates),
        side=asked.side,
        better=asked.better,
        delta=asked.delta,
        claim=asked.claim,
        gammas=asked.gammas,
        evaluated=evaluated,
        winner_alpha=winner_alpha,
        asked_functionals=asked.functionals,
        bounds=scores.bounds,
        rules=side_by_side(
            asked,
            m,
            _fewest(table, choice.selected),
            n_used=min((e.n for e in evaluated), default=0),
            used=used,
            levels=levels,
        ),
        breakeven=_breakeven(asked, m, levels) if split is None else None,
        metric=scores.metric,
        guarantee="finite-sample" if asked.pays(levels) and not lost(serial) else "heuristic",
        assumes=_ASSUMES,
        n=table.n_examples,
        digest=scores.digest,
        notes=(
            *table.notes,
            *findings.failures(table),
            *(() if asked.binary else findings.looks_binary(table)),
            *findings.dependence(scores if table.n_clusters is None else table, _most(table)),
            *serial,
            *choice.notes,
            *cautions.about_choice(asked, levels),
            *cautions.about_band(asked, evaluated),
            *cautions.about_gammas(asked, evaluated),
        ),
        question=_question(
            asked,
            scores,
            rule=rule if isinstance(rule, str) else levels.name,
            tried=tried,
            missing=missing,
            weights=dict(weights) if weights else None,
            split=split,
            unit=unit,
            repeats=repeats,
            dependence=dependence,
            seed=seed,
        ),
    )


def _refuse_of_source(asked: Asked, split: float | None) -> None:
    """Refuse what needs the rows of every candidate in memory."""
    if split is not None:
        raise unasked("split= divides the examples by chance")
    if asked.selection.verb == "function":
        raise unasked("a function that chooses takes the scores themselves")


def _guarded(
    table: Scores | Sourced, selected: tuple[int, ...], dependence: str
) -> tuple[str, ...]:
    """Notes on rows that follow each other, or a refusal of them."""
    if isinstance(table, Scores):
        return guard(table, selected, dependence)
    if not selected:
        return ()
    found = [seen(first, 0) for first in table.first_examples(selected)]
    return judged(found, int(table.n[list(selected)].max()), dependence)


def _look_up(
    table: Sourced,
    selected: tuple[int, ...],
    evaluated: tuple[Evaluated, ...],
    winner_alpha: float,
    asked: Asked,
) -> None:
    """All order statistics that the answer will tell, in one go."""
    halves = [gamma / 2 for gamma in asked.gammas]
    ranks = {}
    for k, e in zip(selected, evaluated, strict=True):
        own = e.ranks([*asked.gammas, *halves], asked.better)
        own += e.at_level(winner_alpha).ranks(asked.gammas, asked.better)
        if isinstance(e.region, Band):
            for name in asked.functionals:
                own += readings.ranks_of(name, e.region) or []
                own += [1, e.n] if table.bounds is not None else []
        ranks[k] = [rank - 1 for rank in own]
    table.find(ranks)


def _question(asked: Asked, scores: Scores | Sourced, **told: Any) -> dict[str, Any]:
    """The arguments as they were understood, those of reading the scores included."""
    return {
        "select": asked.selection.text,
        "delta": asked.delta,
        "gamma": list(asked.gammas),
        "band": asked.band,
        "side": asked.side,
        "claim": asked.claim,
        "functionals": list(asked.functionals),
        "metric": scores.metric,
        "bounds": scores.bounds and list(scores.bounds),
        "binary": scores.binary,
        "reading": dict(scores.reading),
        **told,
    }


def _seed(seed: int | None) -> int | None:
    # A generator cannot be written into the answer, and then nobody could repeat it.
    return None if seed is None else checks.whole(seed, name="seed", least=0)


def _spelled(rule: str | LevelRule, levels: LevelRule, split: float | None) -> str:
    """The rule as the answer calls it: "fixed_size", "psdme:0.5", "split:0.25"."""
    if split is not None:
        return f"split:{split:g}"
    return rule if isinstance(rule, str) and rule != "auto" else levels.name


def _refuse_unknown(
    weights: Mapping[str, float], candidates: tuple[str, ...], asked: Asked
) -> None:
    """Weights of candidates that are not in the table make sense only if some were dropped."""
    if not isinstance(weights, Mapping):
        raise InputError("weights= must be a mapping of candidate id to factor.", code="NF008")
    unknown = sorted(set(weights) - set(candidates))
    if unknown and len(candidates) == asked.K:
        raise InputError(
            f"weights= names {some(unknown)}, which are not among the candidates "
            f"{some(candidates)}; if they were tried and dropped, say how many in all with tried=.",
            code="NF011",
        )


def _refuse_with_split(
    rule: str | LevelRule, weights: Mapping[str, float] | None, asked: Asked, listed: int
) -> None:
    """A split pays only for choices that its first part made, all by itself."""
    if rule != "auto" or weights is not None:
        raise InputError(
            "a split pays for the choice by itself: leave rule= and weights= out.", code="NF008"
        )
    if asked.selection.verb == "names":
        raise InputError(
            "names were picked by somebody who may have seen the examples that evaluate, and a "
            "split does not pay for that. Let a rule choose on the first part (top:M, "
            "threshold:V), or leave split= out and pay for the names by their level.",
            code="NF013",
        )
    if listed < asked.K:
        raise InputError(
            f"tried={asked.K} says that {asked.K - listed} candidates were dropped before the "
            "file was written. If their scores were looked at, so were the examples that "
            "evaluate, and a split does not pay for that. Leave split= out, or put everybody "
            "into the file.",
            code="NF013",
        )


def _evaluate(
    table: Scores | Sourced, selected: tuple[int, ...], levels: LevelRule, asked: Asked
) -> tuple[Evaluated, ...]:
    """Each of the chosen at the level the rule gives for so many."""
    m = len(selected)
    shared = None if levels.weights or not m else levels.alpha(m)
    answers = []
    for k, mean in zip(selected, _means(table, selected), strict=True):
        candidate, x = table.candidates[k], table.sample(k)
        alpha = levels.alpha(m, candidate) if shared is None else shared
        answers.append(
            Evaluated(
                candidate=candidate,
                n=int(x.size) // table.averaged,
                failed=int(table.n_failed[k]),
                mean=mean,
                alpha=alpha,
                region=_region(x, alpha, asked, table.averaged),
                side=asked.side,
                methods=asked.methods(),
            )
        )
    return tuple(answers)


def _means(table: Scores | Sourced, selected: tuple[int, ...]) -> list[float]:
    if isinstance(table, Sourced):
        return [float(table.means()[k]) for k in selected]
    if table.complete and selected:
        return [float(mean) for mean in sums.row_means(table.matrix()[list(selected)])]
    return [sums.mean(table.sample(k)) for k in selected]


def _region(
    x: NDArray[np.float64] | Ordered, alpha: float, asked: Asked, runs: int = 1
) -> Band | Interval:
    """The one composition: a region is a function of the sample and the level."""
    if alpha >= 1:
        raise InputError(
            f"a weight raises the level to {alpha:g}; it must stay below 1.", code="NF008"
        )
    if asked.binary:
        if alpha == 0:
            return proportions.vacuous(x, side=asked.side)
        return proportions.clopper_pearson(x, alpha=alpha, side=asked.side)
    if alpha == 0:
        return bands.vacuous(x, method=asked.plain_method(x.size), side=asked.side, runs=runs)
    if asked.band == "averaged":
        return bands.averaged(x, runs=runs, alpha=alpha, side=asked.side)
    chosen = asked.chosen(x.size, alpha)
    if chosen.method == "binomial":
        return bands.binomial(x, gamma=asked.gammas[0], alpha=alpha, side=asked.side)
    options = {} if chosen.gamma_max is None else {"gamma_max": chosen.gamma_max}
    return bands.METHODS[chosen.method].call(x, alpha=alpha, side=asked.side, **options)


def _most(table: Scores | Sourced) -> int:
    return int(table.n.max()) // table.averaged


def _fewest(table: Scores | Sourced, selected: tuple[int, ...]) -> int:
    return int(table.n[list(selected)].min()) // table.averaged if selected else 0


def _methods_used(evaluated: tuple[Evaluated, ...], asked: Asked, table: Scores | Sourced) -> str:
    """The region method; more than one where n differs between candidates."""
    if not evaluated:
        return "clopper_pearson" if asked.binary else asked.plain_method(int(table.n.min()))
    return ", ".join(sorted({e.region.method for e in evaluated}))


def _breakeven(asked: Asked, m: int, levels: LevelRule) -> float | None:
    if m == 0 or asked.binary or asked.claim != "fcr" or levels.weights:
        return None
    return selective.split_breakeven(asked.K, m, asked.delta, levels, side=asked.side)
