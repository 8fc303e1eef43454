"""The answer of a nested cross-validation: outer scores, what the inner winners promised, rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError
from nofluke.results import Result, Row
from nofluke.selection.nested import told
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from nofluke.scores.predictions import Predictions
    from nofluke.selection.nested.folds import OuterFold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinalModel(Shown):
    """The same procedure of choosing, applied to all rows.

    Attributes:
        model: The chosen configuration, fitted to all rows; it decides at ``threshold``, if any.
        params: The chosen configuration, in a form that JSON knows.
        threshold: The chosen threshold, or None.
        inner_best: Inner score of the choice. It is not an estimate of its performance.
    """

    model: Any
    params: Mapping[str, Any]
    threshold: float | None
    inner_best: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NestedCV(Result):
    """What a procedure of choosing is worth on rows that had no part in the choice.

    Attributes:
        estimator: Class of what is tuned and fitted.
        metric: Name of the metric; higher is better.
        estimate: Mean of the outer scores, each fold counted once; None where none is defined.
        weighted: The same, weighted by rows held out: the risk of cross-validation for a metric
            that is a mean over rows.
        sd: Standard deviation of the outer scores, with K - 1; None for fewer than two.
        se: A heuristic standard error of ``estimate``: sd * sqrt(1/K + n_test/n_train), which
            allows for training rows that folds share (Nadeau & Bengio 2003). None where no fold
            differs from another.
        pooled: The metric of all rows held out, taken together. For a metric that compares rows
            with each other (AUC) this is another quantity than the mean of the folds.
        inner_best: Mean inner score of the winners: what choosing promised.
        optimism: ``inner_best`` less ``estimate``; None where they are of different metrics.
        folds: What came of each outer fold.
        outer: Rows to train on and rows held out, by outer fold.
        index: Role of each row in each outer fold, shape (K, n): the number of the inner fold that
            validates it, -1 where the outer fold holds it out, -2 where it has no part, -3 where it
            is only trained on.
        labels: The targets, as given.
        steps: Names of the steps of the pipeline, in their order.
        final: The procedure applied to all rows, or None where that was not wanted.
    """

    estimator: str
    metric: str
    estimate: float | None
    weighted: float | None
    sd: float | None
    se: float | None
    pooled: float | None
    inner_best: float
    optimism: float | None
    folds: tuple[OuterFold, ...]
    outer: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    index: NDArray[np.int64]
    labels: Any
    steps: tuple[str, ...]
    final: FinalModel | None

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "nested_cv"

    @property
    def fold_of(self) -> NDArray[np.int64]:
        """The outer fold that holds each row out, -1 for none; shape (n,)."""
        found = np.full(self.index.shape[1], -1)
        for k, (_, test) in enumerate(self.outer):
            found[test] = k
        return found

    @property
    def arranged(self) -> NDArray[np.int64]:
        """``index`` with rows ordered by the fold that holds them out, then by inner folds."""
        order = np.lexsort((*self.index[::-1], self.fold_of))
        return np.asarray(self.index[:, order])

    def rows(self) -> list[Row]:
        """One row for each outer fold."""
        found = []
        for fold, (train, test) in zip(self.folds, self.outer, strict=True):
            comparable = self.optimism is not None and fold.score is not None
            found.append(
                {
                    "fold": fold.fold,
                    "n_train": int(train.size),
                    "n_test": int(test.size),
                    "score": fold.score,
                    "inner_best": fold.inner_best,
                    "optimism": fold.inner_best - (fold.score or 0.0) if comparable else None,
                    "chosen": params_text(fold.params),
                    "threshold": fold.threshold,
                    "n_configurations": len(fold.configurations),
                    "n_failed": fold.n_failed,
                }
            )
        return found

    def inner_rows(self) -> list[Row]:
        """One row for each configuration in each outer fold, with its inner scores."""
        return [
            {
                "fold": fold.fold,
                "configuration": params_text(c.params),
                "mean": c.mean,
                "chosen": i == fold.chosen,
                **{f"inner{j}": s for j, s in enumerate(c.scores)},
            }
            for fold in self.folds
            for i, c in enumerate(fold.configurations)
        ]

    def out_of_fold(self) -> list[Row]:
        """One row for each row held out: fold, label, predictions, what was chosen, and why."""
        truth = np.asarray(self.labels).tolist()
        found: list[tuple[int, Row]] = []
        for fold, (_, test) in zip(self.folds, self.outer, strict=True):
            scores, chosen = told.scores_of(fold.outputs), params_text(fold.params)
            said = {w: a.tolist() for w, a in fold.outputs.items()}
            for i, row in enumerate(test.tolist()):
                one: Row = {"row": row, "fold": fold.fold, "label": truth[row]}
                one |= {w: values[i] for w, values in said.items()}
                one |= {"score": None if scores is None else float(scores[i]), "chosen": chosen}
                one |= {"threshold": fold.threshold, "inner_best": fold.inner_best}
                found.append((row, one))
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]

    def predictions(self, *, positive: object = None) -> Predictions:
        """The rows held out as a table of predictions with their folds, for two classes.

        Args:
            positive: The positive class; by default the second of the classifier, in its order.

        Raises:
            InputError: There are no scores for two classes.
        """
        from nofluke.scores.predictions import Predictions

        scores = [told.scores_of(fold.outputs) for fold in self.folds]
        classes = self.folds[0].classes
        if len(classes) != 2 or any(s is None for s in scores):
            raise InputError(
                "there are no probabilities or scores of two classes; out_of_fold() has what was "
                "predicted.",
                code="NF008",
            )
        positive = classes[1] if positive is None else positive
        values = np.full(self.index.shape[1], np.nan)
        for (_, test), found in zip(self.outer, scores, strict=True):
            values[test] = found if positive == classes[1] else _mirrored(self, found)
        at = np.flatnonzero(self.fold_of >= 0)
        named = None if set(classes) in ({0, 1}, {-1, 1}) and positive == 1 else positive
        return Predictions.from_arrays(
            np.asarray(self.labels)[at],
            {self.estimator: values[at]},
            examples=[str(i) for i in at.tolist()],
            folds=[str(k) for k in self.fold_of[at].tolist()],
            positive=named,
        )

    def layers(self) -> list[Row]:
        """Which step happens in which layer, and on which rows it is fitted."""
        inner = "training part of each inner fold; again on the training part of the outer fold"
        found: list[Row] = [
            {"step": s, "layer": "inner and outer", "rows": inner} for s in self.steps
        ]
        found.append({"step": "choice", "layer": "inner", "rows": "validation parts, inner folds"})
        if any(f.threshold is not None for f in self.folds):
            found.append(
                {"step": "threshold", "layer": "inner", "rows": "validation parts, inner folds"}
            )
        found.append({"step": "evaluation", "layer": "outer", "rows": "the outer fold held out"})
        return found

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        scores = [f.score for f in self.folds if f.score is not None]
        said = [
            f"Nested cross-validation of {self.estimator}: {self.metric} {_short(self.estimate)} "
            f"as the mean of {len(scores)} outer folds"
            + (f" (from {min(scores):.4g} to {max(scores):.4g})" if scores else "")
            + f", {_short(self.pooled)} over all rows held out, pooled."
        ]
        if self.optimism is not None:
            more = "above" if self.optimism >= 0 else "below"
            said.append(
                f"The winners of the inner searches had {self.inner_best:.4g} there on average, "
                f"{abs(self.optimism):.4g} {more} what the outer folds gave: the inner best is no "
                "estimate of quality."
            )
        if self.final is not None:
            sizes = sorted({int(train.size) for train, _ in self.outer})
            fewest = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
            said.append(
                f"The final model ({params_text(self.final.params)}) was chosen and fitted by the "
                f"same procedure on all {self.n} rows; its performance is estimated by the outer "
                f"loop, whose training sets are smaller ({fewest} rows)."
            )
        return said

    def _fields(self) -> dict[str, Any]:
        names = ("estimator", "metric", "estimate", "weighted", "sd", "se", "pooled")
        final = self.final
        return {
            **{name: getattr(self, name) for name in (*names, "inner_best", "optimism")},
            "layers": self.layers(),
            "inner": self.inner_rows(),
            "final": None
            if final is None
            else {
                "chosen": dict(final.params),
                "threshold": final.threshold,
                "inner_best": final.inner_best,
            },
        }


def params_text(params: Mapping[str, Any]) -> str:
    """A configuration in a line.

    >>> params_text({"C": 1.0, "penalty": "l2"})
    "C=1.0, penalty='l2'"
    """
    return ", ".join(f"{name}={value!r}" for name, value in params.items()) or "as given"


def _mirrored(result: NestedCV, scores: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Scores for the first class."""
    given = np.asarray(scores)
    proba = all("predict_proba" in f.outputs for f in result.folds)
    return np.asarray(1 - given if proba else -given)


def _short(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4g}"
