"""One run: split, order, subsample, seed, fit, score."""

from __future__ import annotations

import hashlib
import math
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nofluke.errors import InputError
from nofluke.selection.repeats import generators

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.selection.repeats.sources import Places, Seeds

Metric: TypeAlias = str | Callable[[Any, Any, Any], float]


_ALONE = threading.RLock()  # generators, warnings and thread pools are those of the process


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything about a run but its seeds.

    Attributes:
        estimator: With ``fit`` and ``get_params``.
        X: Rows of features.
        y: One target for each.
        groups: One label for each, or None; a group lies on one side of a split.
        test: A fixed test set (X, y), or None: then a part of the rows is split off.
        test_size: Share of the rows (or groups) that is split off.
        subsample: Share of the training rows that is used, "bootstrap", or None: all.
        metric: Name of a scorer of scikit-learn, or a function (estimator, X, y) -> score.
        places: Where seeds go.
        threads: Threads of BLAS and OpenMP in a run.
        deterministic: Whether torch is asked for deterministic algorithms.
    """

    estimator: Any
    X: Any
    y: Any
    groups: Any
    test: tuple[Any, Any] | None
    test_size: float
    subsample: float | str | None
    metric: Metric
    places: Places
    threads: int
    deterministic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one run.

    Attributes:
        seeds: By source.
        score: The score; None where the run failed.
        error: Why it failed; "" where it did not.
        seconds: Time from the first split to the score.
        predictions: SHA-256 of the predictions on the test set, where asked for; else "".
        warned: The different warnings that were shown.
        moved: Global generators that the run moved, with a digest of the state they were left in.
    """

    seeds: Seeds
    score: float | None
    error: str = ""
    seconds: float = 0.0
    predictions: str = ""
    warned: tuple[str, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)


def run(setup: Setup, seeds: Seeds, *, predictions: bool = False) -> Outcome:
    """Fit and score once; an exception of the estimator or the metric is an outcome.

    Args:
        setup: What is run.
        seeds: One for each source that there is.
        predictions: Whether predictions are digested too.

    Raises:
        InputError: Another thread of this process has a run (NF415).
    """
    if not _ALONE.acquire(blocking=False):
        raise InputError(
            "a run seeds the global generators of its process, and another run of this process is "
            "not over; give each worker one thread (threads_per_worker=1 in Dask), or take "
            "'loky'.",
            code="NF415",
        )
    try:
        return _run(setup, seeds, predictions=predictions)
    finally:
        _ALONE.release()


def _run(setup: Setup, seeds: Seeds, *, predictions: bool) -> Outcome:
    from threadpoolctl import threadpool_limits

    start, before = time.perf_counter(), generators.marks()
    score, error, digest = None, "", ""
    with (
        warnings.catch_warnings(record=True) as caught,
        threadpool_limits(limits=setup.threads),
        generators.deterministic(wanted=setup.deterministic),
    ):
        warnings.simplefilter("always")
        try:
            score, digest, before = _fit_and_score(setup, seeds, predictions=predictions)
        except Exception as exception:  # whatever a foreign fit may raise
            error = f"{type(exception).__name__}: {exception}"
    if score is not None and math.isnan(score):
        score, error = None, "the score is NaN"
    return Outcome(
        seeds=dict(seeds),
        score=score,
        error=error,
        seconds=time.perf_counter() - start,
        predictions=digest,
        warned=tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)),
        moved=generators.moved(before, generators.marks()),
    )


def take(data: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "shape"):
        return data[rows]
    return [data[i] for i in rows.tolist()]


def n_rows(data: Any) -> int:
    """How many rows there are."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def parts(setup: Setup, seeds: Seeds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to train on, in their order, and rows to test on (none where the test set is fixed)."""
    train, test = _split(setup, seeds)
    if setup.subsample == "bootstrap":
        rng = np.random.default_rng(seeds["subsample"])
        train = np.sort(rng.choice(train, train.size))
    elif setup.subsample is not None:
        rng = np.random.default_rng(seeds["subsample"])
        size = max(1, round(float(setup.subsample) * train.size))
        train = np.sort(rng.choice(train, size, replace=False))
    return np.random.default_rng(seeds["order"]).permutation(train), test


def _split(setup: Setup, seeds: Seeds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from sklearn import model_selection
    from sklearn.base import is_classifier
    from sklearn.utils.multiclass import type_of_target

    rows = np.arange(n_rows(setup.X))
    if setup.test is not None:
        return rows, rows[:0]
    how: dict[str, Any] = {"test_size": setup.test_size, "random_state": seeds["split"]}
    kind: Any = model_selection.ShuffleSplit
    if setup.groups is not None:
        kind = model_selection.GroupShuffleSplit
    elif is_classifier(setup.estimator) and type_of_target(setup.y) in ("binary", "multiclass"):
        kind = model_selection.StratifiedShuffleSplit
    train, test = next(kind(n_splits=1, **how).split(rows, setup.y, setup.groups))
    return np.sort(train), np.sort(test)


def _fit_and_score(
    setup: Setup, seeds: Seeds, *, predictions: bool
) -> tuple[float, str, dict[str, str]]:
    """The score, a digest of predictions, and the generators' states once all were seeded."""
    from sklearn.metrics import get_scorer

    train, test = parts(setup, seeds)
    X_test, y_test = _test_set(setup, test)
    model = setup.places.seeded(setup.estimator, seeds)
    before = generators.marks()
    model.fit(take(setup.X, train), take(setup.y, train), **_fit_groups(setup, model, train))
    scorer = get_scorer(setup.metric) if isinstance(setup.metric, str) else setup.metric
    score = float(scorer(model, X_test, y_test))
    return score, _digest(model, X_test) if predictions else "", before


def _test_set(setup: Setup, rows: NDArray[np.int64]) -> tuple[Any, Any]:
    """Always a copy, so that a fit or a metric that writes into it changes no other run."""
    if setup.test is None:
        return take(setup.X, rows), take(setup.y, rows)
    every = np.arange(n_rows(setup.test[0]))
    return take(setup.test[0], every), take(setup.test[1], every)


def _fit_groups(setup: Setup, model: Any, train: NDArray[np.int64]) -> dict[str, Any]:
    """Groups for the splitter of a search that needs them."""
    splitter = type(getattr(model, "cv", None)).__name__
    if setup.groups is None or "Group" not in splitter or not hasattr(model, "refit"):
        return {}
    return {"groups": take(setup.groups, train)}


def _digest(model: Any, X: Any) -> str:
    """SHA-256 of what the model says of the test set, bit by bit."""
    digest = hashlib.sha256()
    for way in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, way):
            said = np.asarray(getattr(model, way)(X))
            text = said.dtype.hasobject
            digest.update(repr(said.tolist()).encode() if text else said.tobytes())
    return digest.hexdigest()
