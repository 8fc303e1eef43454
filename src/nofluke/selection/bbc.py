"""The score of the best of several candidates, less what choosing it on the same rows added."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.classify import rows
from nofluke.errors import InputError
from nofluke.kernels import bootstrap_choice
from nofluke.selection.seed_scores import table
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.kernels.bootstrap_choice import Metric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrectedBest(Shown):
    """The winner's score as it is seen, and corrected for its having been chosen.

    Attributes:
        estimate: Mean score of the chosen on rows that did not choose it.
        naive: Score of the winner on all rows, which chose it.
        winner: Its column.
        optimism: How much better ``naive`` looks, positive if it does: naive minus estimate where
            higher is better, estimate minus naive where lower is.
        chosen: How often resamples chose each candidate, shape (candidates,), summing to 1.
        out_of_bag: Score of the chosen in each resample that has one, shape (<= n_resamples,).
        monte_carlo_se: Standard error of ``estimate`` from drawing so few resamples; it says
            nothing about other rows.
        n: Rows.
        n_resamples: Resamples drawn.
        n_skipped: Resamples without a score: no row left out, or one class only.
        seed: The seed, or None where a generator was given.
        metric: "mean" or "auc".
        assumes: What must be true.
        notes: Findings, each beginning with its code.
    """

    estimate: float
    naive: float
    winner: int
    optimism: float
    chosen: NDArray[np.float64]
    out_of_bag: NDArray[np.float64]
    monte_carlo_se: float
    n: int
    n_resamples: int
    n_skipped: int
    seed: int | None
    metric: str
    assumes: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"the best of {self.chosen.size} candidates scores {self.naive:.4g} on the "
            f"{self.n} rows that chose it and {self.estimate:.4g} on rows that did not "
            f"({self.metric}, {self.n_resamples - self.n_skipped} resamples, heuristic)"
        )


def bbc_cv(
    scores: ArrayLike,
    *,
    better: str,
    seed: int | np.random.Generator,
    n_resamples: int = 1000,
    labels: ArrayLike | None = None,
    positive: object = None,
) -> CorrectedBest:
    """Score of the best candidate, corrected for choosing (bootstrap bias corrected CV).

    Rows are drawn with replacement, the best candidate on them is scored on the rows left out, and
    those scores are averaged; no model is fitted again. It corrects for the choice among these
    candidates only: a resample has about 63 % of the distinct rows, so that it chooses worse than
    all rows do, and the estimate is too low rather than too high. No interval is given, as rows
    left out are fewer than all and their scores spread too widely for one.

    Args:
        scores: Shape (n, candidates): out-of-sample scores (or losses) of every candidate on every
            row, such as cross-validation keeps; with ``labels`` out-of-sample predictions.
        better: "higher" or "lower" wins; with ``labels`` "higher".
        seed: Seed or generator.
        n_resamples: How many resamples.
        labels: Shape (n,), to choose by the area under the ROC curve of the predictions. Pooled
            over folds they are compared across models: see ``fold_auc``.
        positive: The label of the positive class.

    Raises:
        InputError: Not a finite table of at least two rows and candidates (NF235), labels that
            cannot be used, no resample with a score (NF235).

    Source: Tsamardinos, Greasidou & Borboudakis 2018, BBC-CV.

    >>> correct = [[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1]]
    >>> found = bbc_cv(correct, better="higher", seed=1)
    >>> round(found.naive, 3), round(found.estimate, 3), found.n_skipped
    (0.8, 0.576, 43)
    """
    x = table(scores, shape="(n, candidates)")
    way = checks.better(better)
    size = checks.whole(n_resamples, name="n_resamples")
    rng = checks.generator(seed)
    metric, sign = _metric(x, way, labels, positive)
    n, K = x.shape
    parts = [
        bootstrap_choice.choose(metric, indices, n, K)
        for indices in bootstrap_choice.draws(n, size, rng, width=max(n, K))
    ]
    scored = np.concatenate([part.out_of_bag for part in parts])
    columns = np.concatenate([part.candidates for part in parts])
    kept = np.isfinite(scored)
    if not kept.any():
        raise InputError(
            f"none of {size} resamples of {n} rows left rows to score the chosen on; more rows "
            "(of each class), or more resamples.",
            code="NF235",
        )
    everything = metric(np.ones((1, n)), np.arange(K))
    winner = int(bootstrap_choice.first_best(everything)[0])
    naive, estimate = sign * float(everything[0, winner]), sign * float(scored[kept].mean())
    spread = float(scored[kept].std()) / math.sqrt(int(kept.sum()))
    return CorrectedBest(
        estimate=estimate,
        naive=naive,
        winner=winner,
        optimism=sign * (naive - estimate),
        chosen=np.bincount(columns[kept], minlength=K) / int(kept.sum()),
        out_of_bag=sign * scored[kept],
        monte_carlo_se=spread,
        n=n,
        n_resamples=size,
        n_skipped=size - int(kept.sum()),
        seed=None if isinstance(seed, np.random.Generator) else int(seed),
        metric="mean" if labels is None else "auc",
        assumes=(
            "rows are independent draws, each scored by models that were not fitted on it; all "
            "candidates that were tried are there"
        ),
        notes=_skipped(size - int(kept.sum()), size),
    )


def _metric(
    x: NDArray[np.float64], way: checks.Better, labels: ArrayLike | None, positive: object
) -> tuple[Metric, float]:
    """A score of which higher is better, and the sign that brings it back to the given one."""
    if labels is None:
        sign = 1.0 if way == "higher" else -1.0
        return bootstrap_choice.mean_metric(sign * x), sign
    if way == "lower":
        raise InputError(
            "better='lower' with labels=: the area under the ROC curve is better when higher; "
            "turn predictions that point the other way around.",
            code="NF008",
        )
    y, predictions = rows.labelled(labels, x.T, positive=positive, several=True)
    rows.both_classes(y, what="The area under the ROC curve")
    return bootstrap_choice.area_metric(y, np.ascontiguousarray(predictions.T)), 1.0


def _skipped(skipped: int, size: int) -> tuple[str, ...]:
    if not skipped:
        return ()
    return (
        f"NF239: {skipped} of {size} resamples have no score, since they leave out no row or rows "
        "of one class only, or draw one class only; they are left out.",
    )
