"""The bootstrap of a choice: choose on the rows drawn, score the chosen on the rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_BLOCK = 1 << 22  # numbers held at once
_ROUNDING = 1e-12  # relative: candidates closer than this tie


class Metric(Protocol):
    """A score of candidates from weights of rows."""

    def __call__(
        self, weights: NDArray[np.float64], candidates: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Scores, shape (B, candidates), NaN where undefined; weights (B, n) are counts."""


class Chosen(NamedTuple):
    """What each resample chose, and its score on the rows that were not drawn.

    Attributes:
        candidates: Column of the chosen, shape (B,); -1 where no score is defined.
        out_of_bag: Its score on the rows left out, shape (B,); NaN where undefined.
    """

    candidates: NDArray[np.int64]
    out_of_bag: NDArray[np.float64]


def mean_metric(x: NDArray[np.float64]) -> Metric:
    """Weighted means of columns, x of shape (n, candidates)."""

    def metric(weights: NDArray[np.float64], candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        total = weights.sum(axis=1)[:, np.newaxis]
        with np.errstate(invalid="ignore", divide="ignore"):  # 0/0: no row is left
            return np.asarray(weights @ x[:, candidates] / total)

    return metric


def area_metric(y: NDArray[np.bool_], x: NDArray[np.float64]) -> Metric:
    """Areas under the ROC curve with weights, ties one half; x of shape (n, candidates)."""
    from nofluke.kernels.bootstrap_choice_loops import weighted_areas

    orders = np.ascontiguousarray(np.argsort(x, axis=0).T)
    ordered = np.take_along_axis(x.T, orders, axis=1)
    last = np.ones(orders.shape, np.bool_)
    last[:, :-1] = ordered[:, 1:] != ordered[:, :-1]

    def metric(weights: NDArray[np.float64], candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(weighted_areas(weights, orders, last, y, candidates))

    return metric


def draws(n: int, B: int, rng: np.random.Generator, *, width: int) -> Iterator[NDArray[np.int64]]:
    """Indices of B resamples of n rows, in blocks of shape (b, n) with b ``width`` bounded."""
    step = max(1, _BLOCK // width)
    for at in range(0, B, step):
        yield rng.integers(0, n, size=(min(step, B - at), n))


def choose(metric: Metric, indices: NDArray[np.int64], n: int, candidates: int) -> Chosen:
    """Choose on each resample and score the chosen on what it left out.

    Of candidates that tie, up to rounding, the first is chosen (Tsamardinos, Greasidou &
    Borboudakis 2018, BBC-CV).

    Args:
        metric: Higher is better.
        indices: Rows drawn, shape (B, draws).
        n: Rows.
        candidates: Number of candidates.
    """
    B = len(indices)
    flat = indices + n * np.arange(B)[:, np.newaxis]
    counts = np.bincount(flat.ravel(), minlength=B * n).reshape(B, n).astype(np.float64)
    everyone = np.arange(candidates)
    chosen, scored = np.full(B, -1, np.int64), np.full(B, np.nan)
    inside = metric(counts, everyone)
    known = np.flatnonzero(np.isfinite(inside).all(axis=1))
    if known.size:
        chosen[known] = first_best(inside[known])
    left_out = (counts == 0).astype(np.float64)
    for k in np.unique(chosen[known]):
        at = np.flatnonzero(chosen == k)
        scored[at] = metric(left_out[at], np.array([k]))[:, 0]
    return Chosen(chosen, scored)


def first_best(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The first column that is highest up to rounding, shape (B, candidates) -> (B,)."""
    slack = _ROUNDING * np.abs(values).max(axis=1, keepdims=True)
    return np.asarray(np.argmax(values >= values.max(axis=1, keepdims=True) - slack, axis=1))
