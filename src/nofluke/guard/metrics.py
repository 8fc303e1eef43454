"""What a guarded test set can measure: by row, or as one statistic of all rows.

Scoring never refuses. A refusal that depended on a label would tell it, and a refused upload costs
nothing; so every prediction that a reader lets through has a score, and an error beyond the
declared bound counts as the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Scoring: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

Prediction: TypeAlias = Literal["label", "text", "probability", "number"]
Truth: TypeAlias = Literal["names", "classes", "numbers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One way to score predictions against hidden labels.

    Attributes:
        name: Its name.
        says: What it is, in words for a page.
        prediction: What a submission holds for each id: "label" (one of the names of labels),
            "text" (any text), "probability" (from 0 to 1) or "number" (finite).
        truth: What labels are: "names", "classes" (two names, one of which is positive) or
            "numbers".
        better: Which way is better.
        bounds: Lowest and highest possible score of a row; None where the owner declares them.
        binary: Whether the score of a row is one of the bounds.
        by_row: Whether the metric is a mean of scores of rows.
    """

    name: str
    says: str
    prediction: Prediction
    truth: Truth
    better: checks.Better
    bounds: tuple[float, float] | None
    binary: bool
    by_row: bool = True

    def resolved(self, declared: tuple[float, float] | None) -> tuple[float, float]:
        """The bounds of a row's score: the metric's own, or those that the owner declares.

        Args:
            declared: What the owner says, (low, high) in units of the score.

        Raises:
            InputError: They are missing, others than the metric has, or not from 0 up (NF085).

        >>> METRICS["absolute_error"].resolved((0, 25))
        (0.0, 25.0)
        """
        if self.bounds is not None:
            if declared is not None and tuple(declared) != self.bounds:
                raise InputError(
                    f"bounds={tuple(declared)!r} do not fit {self.name}, whose scores go from "
                    f"{self.bounds[0]:g} to {self.bounds[1]:g}; leave them out.",
                    code="NF085",
                )
            return self.bounds
        if declared is None:
            raise InputError(
                f"bounds= is missing: a single {self.name} can be anything, and every promise "
                "needs a highest one; errors beyond it will count as that. Say bounds=(0, ...).",
                code="NF085",
            )
        low, high = checks.bounds(declared) or (0.0, 0.0)
        if low != 0 or not np.isfinite(high):
            raise InputError(
                f"bounds=({low:g}, {high:g}) must go from 0, the {self.name} of a perfect "
                "prediction, to a finite number.",
                code="NF085",
            )
        return low, high

    def scores(
        self,
        labels: NDArray[np.float64],
        predictions: NDArray[np.float64],
        *,
        bounds: tuple[float, float],
    ) -> NDArray[np.float64]:
        """The score of each row, within the bounds whatever was predicted; shape (n,).

        Args:
            labels: Codes of names, 0 and 1 of classes, or numbers, shape (n,).
            predictions: Codes of names (-1 for texts that are no label), or numbers, shape (n,).
            bounds: Of ``resolved``.

        >>> hidden, said = np.array([1.0, 5.0]), np.array([1.5, 1e200])
        >>> METRICS["squared_error"].scores(hidden, said, bounds=(0.0, 9.0)).tolist()
        [0.25, 9.0]
        """
        with np.errstate(over="ignore"):
            scores = _BY_ROW[self.name](labels, predictions)
        return np.asarray(np.clip(scores, *bounds))


def area(positive: NDArray[np.bool_], predictions: NDArray[np.float64]) -> float:
    """The share of pairs of a positive and a negative row in which the positive one scores higher.

    A tie counts as one half. Both classes have a row.

    Args:
        positive: Shape (n,).
        predictions: Numbers without NaN, shape (n,).

    >>> area(np.array([True, True, False]), np.array([0.9, 0.4, 0.4]))
    0.75
    """
    ahead, behind = np.sort(predictions[positive]), np.sort(predictions[~positive])
    wins = float(np.searchsorted(behind, ahead, side="left").sum(dtype=np.int64))
    wins += float(np.searchsorted(behind, ahead, side="right").sum(dtype=np.int64))
    return float(wins / (2.0 * ahead.size * behind.size))


def _equal(labels: NDArray[np.float64], said: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(labels == said, dtype=np.float64)


def _square(labels: NDArray[np.float64], said: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((said - labels) ** 2)


def _distance(labels: NDArray[np.float64], said: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(said - labels))


_BY_ROW: dict[str, Scoring] = {
    "accuracy": _equal,
    "exact_match": _equal,
    "brier": _square,
    "squared_error": _square,
    "absolute_error": _distance,
}

METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            name="accuracy",
            says="the share of rows whose label is predicted",
            prediction="label",
            truth="names",
            better="higher",
            bounds=(0.0, 1.0),
            binary=True,
        ),
        Metric(
            name="exact_match",
            says="the share of rows whose text is predicted letter by letter",
            prediction="text",
            truth="names",
            better="higher",
            bounds=(0.0, 1.0),
            binary=True,
        ),
        Metric(
            name="brier",
            says="the mean squared distance of the probability from what happened, 0 or 1",
            prediction="probability",
            truth="classes",
            better="lower",
            bounds=(0.0, 1.0),
            binary=False,
        ),
        Metric(
            name="squared_error",
            says="the mean squared error, where a larger one than the bound counts as the bound",
            prediction="number",
            truth="numbers",
            better="lower",
            bounds=None,
            binary=False,
        ),
        Metric(
            name="absolute_error",
            says="the mean absolute error, where a larger one than the bound counts as the bound",
            prediction="number",
            truth="numbers",
            better="lower",
            bounds=None,
            binary=False,
        ),
        Metric(
            name="auc",
            says="the area under the ROC curve: the share of pairs of a positive and a negative "
            "row in which the positive one is predicted higher, a tie counting as one half",
            prediction="number",
            truth="classes",
            better="higher",
            bounds=(0.0, 1.0),
            binary=False,
            by_row=False,
        ),
    )
}


def metric(name: object) -> Metric:
    """The metric of this name.

    Raises:
        InputError: There is none (NF085).
    """
    if not isinstance(name, str) or name not in METRICS:
        raise InputError(f"metric={name!r} is not one of {', '.join(METRICS)}.", code="NF085")
    return METRICS[name]
