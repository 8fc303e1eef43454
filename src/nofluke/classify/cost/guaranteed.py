"""A threshold whose recall, false positive rate or precision holds on other cases, or none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import bdtr, bdtrc

from nofluke import checks, selective
from nofluke.classify.rows import labelled
from nofluke.errors import InputError
from nofluke.results import Guarantee
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_ASSUMES = "rows are independent draws from the cases that the rule will meet"
_WITHIN = "rows of the class that counts are independent draws of that class"
_RANKS = 20  # how many cut-offs are tried for precision where none are given


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GuaranteedThreshold(Shown):
    """A threshold with a promise, or the reason why there is none.

    With probability at least 1 - delta over the rows, either ``threshold`` is None or the metric of
    flagging ``score >= threshold`` among all cases keeps to the target.

    Attributes:
        threshold: The least demanding one that is certified; None where none is. It is never one
            without the promise.
        metric: "recall", "fpr" or "precision".
        target: At least this for recall and precision, at most this for the false positive rate.
        delta: Chance of a broken promise that is allowed.
        alpha: Error level of this search, ``delta`` shared among the models tried.
        observed: The metric of the threshold on these rows, or None.
        flagged: Rows that it flags, or None.
        n: Rows that count: positives, negatives, or for precision all.
        n_needed: Fewest rows that count (for precision: flagged) with which any data can pass.
        method: "order_statistic", "bonferroni" or "fixed_sequence".
        guarantee: What is promised.
        tried: For precision, the cut-offs in the order they were tested, shape (m,); else None.
        pvalues: Their p-values, shape (m,); else None.
        certified: Whether each of them was, shape (m,); else None.
        assumes: What must be true for the promise to hold.
        reason: How the threshold was found, or why there is none.
    """

    threshold: float | None
    metric: str
    target: float
    delta: float
    alpha: float
    observed: float | None
    flagged: int | None
    n: int
    n_needed: int
    method: str
    guarantee: Guarantee
    tried: NDArray[np.float64] | None
    pvalues: NDArray[np.float64] | None
    certified: NDArray[np.bool_] | None
    assumes: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        sign = "<=" if self.metric == "fpr" else ">="
        claim = f"{self.metric} {sign} {self.target:g} at {100 * (1 - self.delta):.4g}%"
        if self.threshold is None:
            return f"no threshold for {claim}: {self.reason}"
        return f"flag from {self.threshold:.6g} on: {claim} ({self.method}, n={self.n})"


class _Asked(NamedTuple):
    y: NDArray[np.bool_]
    scores: NDArray[np.float64]
    target: float
    alpha: float
    grid: NDArray[np.float64] | None


class _Found(NamedTuple):
    threshold: float | None
    n: int
    n_needed: int
    method: str
    reason: str
    assumes: str
    tested: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]] | None = None


def guaranteed_threshold(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    recall: float | None = None,
    fpr: float | None = None,
    precision: float | None = None,
    delta: float = 0.05,
    grid: ArrayLike | None = None,
    models_tried: int = 1,
    positive: object = None,
) -> GuaranteedThreshold:
    """A threshold that keeps recall or precision up or false alarms down, at level 1 - delta.

    Recall at least r: the largest order statistic X_(k) of the m positive scores with
    P(Binomial(m, 1 - r) >= k) >= 1 - delta. P(score < X_(k) | positive) is at most the k-th of m
    uniform order statistics for every law, ties included, so the recall falls below r with
    probability at most delta (Wilks 1941; Scheffe & Tukey 1945). Nothing is tested several times.

    False positive rate at most f: the same from above; the threshold is the first score beyond
    the k-th of the negatives, k the smallest with P(Binomial(n, 1 - f) <= k - 1) >= 1 - delta.

    Precision at least q is not monotone in the threshold, so it is tested at cut-offs fixed
    beforehand: given how many rows lie at or above a cut-off, the positives among them are
    binomial, and P(Binomial(N, q) >= positives) is a p-value. With ``grid`` they are tested in the
    order given, each at delta, until the first that fails (fixed sequence: a false certificate
    needs the first cut-off with too low a precision to be certified, which happens with
    probability at most delta; Angelopoulos et al. 2021, Learn then Test). Without it, at ranks
    that depend on n only, "above the (k + 1)-th largest score", each at its share of delta: given
    that score, the rows above it are independent draws of all cases above it, so the p-value
    holds for the cut-off that came out.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        scores: Shape (n,), higher is more positive. Rows that the model was not fitted on.
        recall: Share of positives to flag at least; one of the three is given.
        fpr: Share of negatives to flag at most.
        precision: Share of positives among the flagged, at least.
        delta: Chance of a broken promise that is allowed.
        grid: For precision: cut-offs in the order to be tested, fixed without these rows.
        models_tried: Number of models for which a threshold was sought on these rows and of which
            one will be taken; each gets its share of ``delta`` (``selective.bonferroni``).
        positive: The label of the positive class.

    Returns:
        The largest threshold for recall, the smallest for the others. None with the reason where
        no cut-off is certified.

    Raises:
        InputError: Not exactly one target, or one outside (0, 1), or a grid without precision
            (NF059); labels or scores that cannot be used.

    >>> import numpy as np
    >>> y, s = np.arange(200) % 2, np.arange(200) / 200
    >>> found = guaranteed_threshold(y, s, recall=0.9)
    >>> found.threshold, found.observed
    (0.045, 0.96)
    >>> guaranteed_threshold(y[:20], s[:20], recall=0.9).n_needed
    29
    """
    metric, target = _target({"recall": recall, "fpr": fpr, "precision": precision})
    budget = checks.fraction(delta, name="delta")
    if grid is not None and metric != "precision":
        raise InputError(
            f"grid= belongs to precision=; {metric} is monotone in the threshold, and every score "
            "is a candidate at no price.",
            code="NF059",
        )
    y, s = labelled(labels, scores, positive=positive)
    cuts = None if grid is None else checks.sample(grid, name="grid")
    K = checks.whole(models_tried, name="models_tried")
    alpha = selective.bonferroni(K=K, delta=budget).alpha(1)
    found = _METRICS[metric](_Asked(y, s, target, alpha, cuts))
    observed, flagged = _observed(metric, y, s, found.threshold)
    tried, pvalues, certified = found.tested or (None, None, None)
    return GuaranteedThreshold(
        threshold=found.threshold,
        metric=metric,
        target=target,
        delta=budget,
        alpha=alpha,
        observed=observed,
        flagged=flagged,
        n=found.n,
        n_needed=found.n_needed,
        method=found.method,
        guarantee="finite-sample",
        tried=tried,
        pvalues=pvalues,
        certified=certified,
        assumes=(found.assumes, "the model was not fitted or chosen on these rows"),
        reason=found.reason,
    )


def _recall(asked: _Asked) -> _Found:
    x = np.sort(asked.scores[asked.y])
    rank, needed = _rank(x.size, 1 - asked.target, asked.alpha), _fewest(asked.target, asked.alpha)
    if rank == 0:
        return _too_few(x.size, needed, "positives")
    return _Found(
        float(x[rank - 1]), x.size, needed, "order_statistic",
        f"number {rank} of {x.size} positive scores, from the smallest", _WITHIN,
    )  # fmt: skip


def _fpr(asked: _Asked) -> _Found:
    x = np.sort(asked.scores[~asked.y])
    left, needed = _rank(x.size, asked.target, asked.alpha), _fewest(1 - asked.target, asked.alpha)
    if left == 0:
        return _too_few(x.size, needed, "negatives")
    # The rank from above mirrors that from below: at most left - 1 negatives lie beyond it.
    edge = float(x[x.size - left])
    if edge == math.inf:
        return _Found(
            None, x.size, needed, "order_statistic",
            f"number {left} of the negative scores, from the largest, is inf; none lies beyond",
            _WITHIN,
        )  # fmt: skip
    beyond = asked.scores[asked.scores > edge]
    cut = float(beyond.min()) if beyond.size else math.nextafter(edge, math.inf)
    return _Found(
        cut, x.size, needed, "order_statistic",
        f"the first score beyond number {left} of {x.size} negative scores, from the largest",
        _WITHIN,
    )  # fmt: skip


def _precision(asked: _Asked) -> _Found:
    if asked.grid is None:
        cuts, levels, needed = _by_ranks(asked)
        how = "bonferroni"
    else:
        cuts, levels = asked.grid, np.full(asked.grid.size, asked.alpha)
        needed, how = _fewest(asked.target, asked.alpha), "fixed_sequence"
    pvalues = np.array([_pvalue(asked, cut) for cut in cuts])
    certified = pvalues <= levels
    if how == "fixed_sequence":
        certified = np.logical_and.accumulate(certified)
    passed = cuts[certified]
    if passed.size:
        threshold = float(passed.min())
        reason = f"{passed.size} of {cuts.size} cut-offs fixed beforehand are certified"
    else:
        threshold = None
        reason = _why_not(asked, cuts, pvalues, needed, how)
    return _Found(
        threshold, asked.y.size, needed, how, reason, _ASSUMES, (cuts, pvalues, certified)
    )


_METRICS: dict[str, Callable[[_Asked], _Found]] = {
    "recall": _recall,
    "fpr": _fpr,
    "precision": _precision,
}


def _rank(n: int, share: float, alpha: float) -> int:
    """The largest k <= n with P(Binomial(n, share) <= k - 1) <= alpha; 0 where there is none."""
    if n == 0:
        return 0
    below = bdtr(np.arange(n), n, share)
    return int(np.count_nonzero(below <= alpha))


def _fewest(share: float, alpha: float) -> int:
    """The smallest n with share^n <= alpha."""
    n = max(1, math.ceil(math.log(alpha) / math.log(share)) - 1)
    while share**n > alpha:
        n += 1
    return n


def _too_few(n: int, needed: int, whose: str) -> _Found:
    return _Found(
        None, n, needed, "order_statistic", f"there are {n} {whose}; {needed} are needed", _WITHIN
    )


def _by_ranks(asked: _Asked) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Cut-offs just above ranks that n, target and level alone determine, and their levels."""
    n = asked.y.size
    level = selective.bonferroni(K=_RANKS, delta=asked.alpha).alpha(1)
    needed = _fewest(asked.target, level)
    if needed >= n:
        return np.empty(0), np.empty(0), needed
    counts = np.unique(np.geomspace(needed, n - 1, _RANKS).round().astype(np.int64))
    # What is certified is "above the (k + 1)-th largest score", so the cut-off is the double next
    # to it: precision is not monotone, and "from the next score seen" is another rule.
    cuts = np.nextafter(np.sort(asked.scores)[::-1][counts], math.inf)
    # Fewer than _RANKS where n is small; each keeps its share, which only wastes some.
    return cuts, np.full(counts.size, level), needed


def _pvalue(asked: _Asked, cut: float) -> float:
    """P(Binomial(N, target) >= positives) among the N rows at or above the cut-off."""
    flagged = asked.scores >= cut if cut < math.inf else np.zeros(asked.y.size, dtype=np.bool_)
    n, hits = int(flagged.sum()), int((flagged & asked.y).sum())
    return 1.0 if hits == 0 else float(bdtrc(hits - 1, n, asked.target))


def _why_not(
    asked: _Asked, cuts: NDArray[np.float64], pvalues: NDArray[np.float64], needed: int, how: str
) -> str:
    if cuts.size == 0:
        return f"there are {asked.y.size} rows; more than {needed} are needed"
    if how == "fixed_sequence":
        return (
            f"the first cut-off of the sequence, {cuts[0]:g}, fails (p = {pvalues[0]:.3g} > "
            f"{asked.alpha:g}), which ends it"
        )
    return f"the smallest p-value of {cuts.size} cut-offs is {pvalues.min():.3g}, above its level"


def _observed(
    metric: str, y: NDArray[np.bool_], s: NDArray[np.float64], cut: float | None
) -> tuple[float | None, int | None]:
    if cut is None:
        return None, None
    flagged = s >= cut
    of = {"recall": flagged[y], "fpr": flagged[~y], "precision": y[flagged]}[metric]
    return (float(of.mean()) if of.size else None), int(flagged.sum())


def _target(given: dict[str, float | None]) -> tuple[str, float]:
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) != 1:
        raise InputError(
            f"{len(named)} targets are given; exactly one of recall=, fpr= and precision= is "
            "needed, such as recall=0.9.",
            code="NF059",
        )
    [(name, value)] = named.items()
    target = checks.real(value, name=name)
    if not 0 < target < 1:
        raise InputError(
            f"{name}={value!r} must lie strictly between 0 and 1; no number of rows shows a rate "
            "of exactly 0 or 1.",
            code="NF059",
        )
    return name, target
