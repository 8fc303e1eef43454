"""`rank`: in what order do these candidates stand, as far as the evidence goes?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import ranks
from nofluke.questions import rank_remarks
from nofluke.questions.boards import Board, board
from nofluke.questions.rank_methods import METHODS, Edges, edges
from nofluke.questions.ranking import Ranking
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.sides import Membership
    from nofluke.results import Row
    from nofluke.scores.sourced import Sourced


def rank(
    scores: Scores | Sourced,
    *,
    alpha: float = 0.05,
    method: str = "holm",
    better: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    clusters: Membership = None,
    max_cluster_size: float | None = None,
    weights: Mapping[str, float] | None = None,
    max_weight: float | None = None,
    missing: str = "raise",
    planned: int | None = None,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Ranking:
    """Ranks of all candidates: intervals that hold all at once with probability 1 - alpha.

    Every ordered pair is tested on the examples that both have, and the number of tests is paid
    for. The rank of a candidate lies between 1 + (number surely better) and K - (number surely
    worse). A candidate may be the best where nobody is surely better. Tier 1 are those; without
    them, tier 2 are the next that nobody is surely better than; and so on.

    Args:
        scores: A table or source with at least two candidates: all that were tried.
        alpha: Error level of the whole answer (of the shares, for "e_bh").
        method: "holm": Holm's procedure on exact p-values: McNemar's for a binary metric with
            every example counted once, else 1 / (largest wealth) of STaR. "bonferroni": the same
            in one step. "max_t": studentised maximum by the bootstrap, step-down (asymptotic).
            "anytime": bets that may be watched at any time; who may be the best is then a claim of
            its own, the sequential set, and each of the two has alpha / 2.
            "e_bh": a bound on the expected share of wrong calls instead of any wrong call.
        better: "higher" or "lower" wins, where neither table nor metric says.
        bounds: Lowest and highest possible score; else those of the table or a well-known metric.
            "max_t" needs none.
        binary: Whether a score is 0 or 1 by its meaning; else as declared or known of the metric.
        clusters: What belongs together and is one unit: True for the table's cluster column, or a
            mapping of example to cluster. Each cluster counts once.
        max_cluster_size: Largest size a cluster can have, known in advance: then each example
            counts once, and clusters by their size.
        weights: Weight of each example, by id.
        max_weight: Largest weight an example can have, known in advance; taken from the data it
            voids the guarantee.
        missing: What gaps mean: "raise", "common" (the examples that all have) or "pairwise" (each
            pair on the examples that both have; the order of three need then not be one order).
        planned: Number of units planned before the first was seen, with method "anytime".
        n_resamples: Resamples of "max_t" and of the model confidence set shown for comparison.
        seed: Seed of the order of units and of the resamples.

    Raises:
        InputError: The arguments or data cannot be used as given.

    Source: Mogstad, Romano, Shaikh & Wilhelm 2024 (ranks), Holm 1979, Romano & Wolf 2005 (max_t),
    Wang & Ramdas 2022 (e-BH), Arnold, Gavrilopoulos, Schulz & Ziegel 2026 (sequential sets),
    Hansen, Lunde & Nason 2011 (model confidence set).

    >>> from nofluke import Scores
    >>> right = {"a": [1] * 18 + [0] * 12, "b": [1] * 16 + [0] * 14, "c": [0] * 30}
    >>> answer = rank(Scores.from_arrays(right, binary=True, better="higher"))
    >>> [(r["candidate"], r["rank_low"], r["rank_high"], r["tier"]) for r in answer.rows()]
    [('a', 1, 2, 1), ('b', 1, 2, 1), ('c', 3, 3, 2)]
    >>> answer.best_set
    ('a', 'b')
    """
    scores = _checked_table(scores)
    alpha = checks.fraction(alpha, name="alpha")
    checks.choice(method, METHODS, name="method")
    seed = checks.whole(seed, name="seed", least=0)
    n_resamples = checks.whole(n_resamples, name="n_resamples", least=100)
    made = board(
        scores,
        better=better,
        bounds=bounds,
        binary=binary,
        needs_bounds=method != "max_t",
        clusters=clusters,
        max_cluster_size=_positive(max_cluster_size, "max_cluster_size"),
        weights=weights,
        max_weight=_positive(max_weight, "max_weight"),
        missing=missing,
        planned=_planned(planned, method),
        seed=seed,
    )
    draws = _draws(made, n_resamples, seed)
    called = edges(made, method, alpha, planned=planned, draws=draws)
    order = rank_remarks.estimates_order(made, made.estimates)
    best = called.best if called.best is not None else ~np.asarray(called.better.any(axis=0))
    listed = _edge_rows(made, called, order)
    common = _common(made)
    fewest = made.units[0].n if made.shared else min(row["n"] for row in common)
    p = _confidence(made, draws)
    names = [made.names[k] for k in order]
    return Ranking(
        metric=scores.metric,
        better="higher" if made.sign > 0 else "lower",
        alpha=alpha,
        method=method,
        test=called.test,
        candidates=tuple(_rows(made, called, best, order)),
        edges=tuple(listed),
        best_set=tuple(made.names[k] for k in order if best[k]),
        mcs_set=None
        if p is None
        else tuple(n for n, k in zip(names, order, strict=True) if p[k] >= alpha),
        mcs_pvalues=None if p is None else tuple(float(p[k]) for k in order),
        n_resamples=n_resamples,
        n_units=fewest,
        unit="pairs" if made.counting.clusters is None else "clusters",
        estimand=_estimand(made),
        common=tuple(common),
        guarantee=called.guarantee,
        assumes=rank_remarks.assumptions(made, called, planned),
        n=len(made.ids),
        digest=scores.digest,
        notes=(
            *scores.notes,
            *made.notes,
            *rank_remarks.about(scores, made, called, method=method, alpha=alpha, n_units=fewest),
        ),
        question={
            "alpha": alpha,
            "method": method,
            "metric": scores.metric,
            "better": better,
            "bounds": None if made.bounds is None else list(made.bounds),
            "binary": made.binary,
            "clusters": "given" if isinstance(clusters, Mapping) else clusters,
            "max_cluster_size": max_cluster_size,
            "weights": None if weights is None else "given",
            "max_weight": max_weight,
            "missing": missing,
            "planned": planned,
            "n_resamples": n_resamples,
            "seed": seed,
            "reading": dict(scores.reading),
        },
    )


def rank_metrics(
    tables: Mapping[str, Scores], *, alpha: float = 0.05, **how: Any
) -> dict[str, Ranking]:
    """Rankings by several metrics that hold all at once: each of J at alpha / J (Bonferroni).

    Args:
        tables: One table of scores for each metric.
        alpha: Error level of all rankings together.
        **how: What ``rank`` takes, the same for every table.

    Raises:
        InputError: No table, or what ``rank`` refuses.

    >>> from nofluke import Scores
    >>> right = {"a": [1] * 30, "b": [0] * 30}
    >>> table = Scores.from_arrays(right, binary=True, better="higher")
    >>> found = rank_metrics({"accuracy": table, "safety": table})
    >>> {name: answer.alpha for name, answer in found.items()}
    {'accuracy': 0.025, 'safety': 0.025}
    """
    if not tables:
        raise InputError("tables= is empty; give one table for each metric.", code="NF008")
    each = checks.fraction(alpha, name="alpha") / len(tables)
    return {name: rank(table, alpha=each, **how) for name, table in tables.items()}


def _rows(made: Board, called: Edges, best: NDArray[np.bool_], order: list[int]) -> list[Row]:
    low, high = ranks.rank_limits(called.better)
    tier = ranks.tiers(called.better)
    return [
        {
            "candidate": made.names[k],
            "estimate": float(made.estimates[k]),
            "rank_low": int(low[k]),
            "rank_high": int(high[k]),
            "may_be_best": bool(best[k]),
            "tier": int(tier[k]),
            "n": int(made.counts[k]),
        }
        for k in order
    ]


def _edge_rows(made: Board, called: Edges, order: list[int]) -> list[Row]:
    rows = []
    for i in order:
        for j in order:
            if not called.better[i, j]:
                continue
            if made.shared:
                gain = made.sign * (made.estimates[i] - made.estimates[j])
                n = made.units[0].n
            else:
                units = made.pair(i, j)
                gain, n = units.estimate, units.n
            rows.append(
                {
                    "better": made.names[i],
                    "worse": made.names[j],
                    "gain": float(gain),
                    "adjusted": min(1.0, math.exp(called.log_adjusted[i, j])),
                    "n": n,
                }
            )
    return rows


def _draws(made: Board, n_resamples: int, seed: int) -> NDArray[np.float64]:
    """Resampled estimates less those of the sample; none where pairs have units of their own."""
    if not made.shared:
        return np.empty((0, made.K))
    return ranks.resampled(made.influence(), n_resamples, np.random.default_rng(seed))


def _confidence(made: Board, draws: NDArray[np.float64]) -> NDArray[np.float64] | None:
    if not made.shared:
        return None
    return ranks.confidence_of_models(made.sign * made.estimates, draws)


def _common(made: Board) -> list[Row]:
    """How many units each pair has, where each has its own."""
    if made.shared:
        return []
    return [
        {"first": made.names[i], "second": made.names[j], "n": made.pair(i, j).n}
        for i in range(made.K)
        for j in range(i + 1, made.K)
    ]


def _estimand(made: Board) -> str:
    """What a mean is a mean of, as the designs say it of a difference."""
    first = made.units[0] if made.shared else made.pair(0, 1)
    return first.estimand.replace("mean difference", "mean score")


def _checked_table(scores: Any) -> Scores:
    if not isinstance(scores, Scores) and hasattr(scores, "held"):
        scores = scores.held()
    if not isinstance(scores, Scores):
        raise InputError(
            f"rank needs Scores, and a {type(scores).__name__} arrived; make them with "
            "nofluke.read(...) or Scores.from_arrays(...).",
            code="NF008",
        )
    if scores.K < 2:
        raise InputError(
            f"there is one candidate ({scores.candidates[0]!r}), and a rank needs at least two; "
            "read several files or name the column of candidates.",
            code="NF029",
        )
    return scores


def _planned(planned: int | None, method: str) -> int | None:
    if planned is None:
        return None
    if method != "anytime":
        raise InputError(
            f"planned={planned} has no part in method={method!r}, which looks once; use "
            "method='anytime', or leave planned= out.",
            code="NF029",
        )
    return checks.whole(planned, name="planned")


def _positive(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    number = checks.real(value, name=name)
    if not number > 0:
        raise InputError(f"{name}={value!r} must be positive.", code="NF008")
    return number
