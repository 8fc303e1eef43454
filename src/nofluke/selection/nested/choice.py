"""Which configuration wins an inner search, and what its inner score promised too much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from nofluke.errors import InputError, some

Scores: TypeAlias = Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """A finished nested cross-validation, read from its scores.

    Attributes:
        chosen: The configuration that wins each outer fold.
        excluded: Configurations that cannot win there, because a fit or a score of them failed.
        inner: Mean inner score of each winner: what choosing by it promises.
        outer: Score of each winner on its outer fold.
        estimate: Mean of the outer scores: what the procedure of choosing is worth.
        inner_best: Mean of the inner scores of the winners.
        optimism: By how much the winners' inner scores were better than their outer ones.
    """

    chosen: Mapping[str, str]
    excluded: Mapping[str, tuple[str, ...]]
    inner: Mapping[str, float]
    outer: Mapping[str, float]
    estimate: float
    inner_best: float
    optimism: float

    def __str__(self) -> str:
        which = "optimistic" if self.optimism >= 0 else "pessimistic"
        return (
            f"{self.estimate:.4g} on outer folds; the winners' inner scores, {self.inner_best:.4g} "
            f"on average, are {which} by {abs(self.optimism):.4g}"
        )


def mean(scores: Scores) -> float | None:
    """Mean of the scores of one configuration; None where one of them failed.

    The mean of those that went well would compare configurations on different folds, and whoever
    fails on the hard fold would win.

    >>> mean([0.5, 1.0]), mean([0.9, None])
    (0.75, None)
    """
    if not scores or any(failed(s) for s in scores):
        return None
    return math.fsum(s for s in scores if s is not None) / len(scores)


def failed(score: float | None) -> bool:
    """Whether this is no score: None, NaN or infinite."""
    return score is None or not math.isfinite(score)


def best(means: Sequence[float | None], *, better: str = "higher") -> int | None:
    """Place of the best mean, of equals the first; None where there is none at all.

    >>> best([0.5, None, 0.7, 0.7])
    2
    """
    sign = 1 if better == "higher" else -1
    there = [(sign * m, -i) for i, m in enumerate(means) if m is not None and not failed(m)]
    return -max(there)[1] if there else None


def audit(
    inner: Mapping[str, Mapping[str, Scores]],
    outer: Mapping[str, Mapping[str, float | None]],
    *,
    better: str = "higher",
) -> Audit:
    """What the scores of a nested cross-validation say: winners, estimate, optimism.

    Args:
        inner: For each outer fold and configuration the scores of the inner folds; None or NaN
            where a fit failed. A configuration with a failed inner fold cannot win there.
        outer: For each outer fold and configuration the score on that fold; needed for winners.
        better: "higher" or "lower".

    Raises:
        InputError: An outer fold in which every configuration failed (NF241), or a winner without
            an outer score.

    >>> found = audit(
    ...     {"a": {"p": [0.8, 0.9], "q": [1.0, None]}, "b": {"p": [0.7, 0.8], "q": [0.6, 0.6]}},
    ...     {"a": {"p": 0.75, "q": 0.9}, "b": {"p": 0.65, "q": 0.7}},
    ... )
    >>> print(found)
    0.7 on outer folds; the winners' inner scores, 0.8 on average, are optimistic by 0.1
    >>> dict(found.chosen), dict(found.excluded)
    ({'a': 'p', 'b': 'p'}, {'a': ('q',), 'b': ()})
    """
    if better not in ("higher", "lower"):
        raise InputError(f"better={better!r} must be 'higher' or 'lower'.", code="NF008")
    if not inner:
        raise InputError("inner= holds no outer fold; expected at least one.", code="NF008")
    means = {k: {c: mean(s) for c, s in by.items()} for k, by in inner.items()}
    chosen = {k: _winner(k, by, better) for k, by in means.items()}
    promised = {k: float(means[k][c] or 0.0) for k, c in chosen.items()}
    scores = {k: _outer(outer, k, c) for k, c in chosen.items()}
    estimate = math.fsum(scores.values()) / len(scores)
    inner_best = math.fsum(promised.values()) / len(promised)
    return Audit(
        chosen=chosen,
        excluded={k: tuple(c for c, m in by.items() if m is None) for k, by in means.items()},
        inner=promised,
        outer=scores,
        estimate=estimate,
        inner_best=inner_best,
        optimism=inner_best - estimate if better == "higher" else estimate - inner_best,
    )


def _winner(fold: str, means: Mapping[str, float | None], better: str) -> str:
    place = best(list(means.values()), better=better)
    if place is None:
        raise InputError(
            f"in outer fold {fold!r} every configuration failed in at least one inner fold "
            f"({some(means)}), so that none can be chosen; mend the fits, or leave the fold's "
            "result open.",
            code="NF241",
        )
    return list(means)[place]


def _outer(outer: Mapping[str, Mapping[str, float | None]], fold: str, chosen: str) -> float:
    score = outer.get(fold, {}).get(chosen)
    if score is None or failed(score):
        raise InputError(
            f"the winner {chosen!r} of outer fold {fold!r} has no score there; expected a number "
            "in outer=.",
            code="NF008",
        )
    return float(score)
