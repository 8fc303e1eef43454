"""One fold of a leakage probe: the pipeline run step by step, one of them fitted on too much."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.selection.nested import seeds
from nofluke.selection.nested.folds import scorer
from nofluke.selection.repeats.single import Metric, n_rows, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Names of the two runs that are of no single step.
HONEST, EVERY = "", "every step"


class Setup(NamedTuple):
    """What is the same on all folds."""

    estimator: Any
    X: Any
    y: Any
    metric: Metric
    root: int


class FoldScores(NamedTuple):
    """Scores by the step that leaked, and why some steps could not."""

    scores: Mapping[str, float | None]
    skipped: Mapping[str, str]


class _Part(NamedTuple):
    """Rows on their way through the steps."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


class _UnknownError(Exception):
    """A step of which nobody knows how it would be fitted on all rows."""


def steps_of(estimator: Any) -> list[tuple[str, Any]]:
    """Names and steps, without those that pass everything through."""
    steps = getattr(estimator, "steps", None)
    if steps is None:
        steps = [(type(estimator).__name__.lower(), estimator)]
    return [(name, s) for name, s in steps if s is not None and not isinstance(s, str)]


def probed(steps: Sequence[tuple[str, Any]]) -> list[str]:
    """Steps that can be fitted before the data are split: all but the last, or a calibration."""
    names = [name for name, _ in steps[:-1]]
    return [*names, steps[-1][0]] if steps and _calibrates(steps[-1][1]) else names


def fold_scores(
    setup: Setup, number: int, train: NDArray[np.int64], test: NDArray[np.int64]
) -> FoldScores:
    """Scores on one fold: everything inside, then each step on all rows, then all of them."""
    steps = steps_of(seeds.seeded(setup.estimator, setup.root, number))
    part = _Part(*(take(data, rows) for rows in (train, test) for data in (setup.X, setup.y)))
    scores = {HONEST: _score(steps, frozenset(), part, setup.metric)}
    skipped: dict[str, str] = {}
    for name in probed(steps):
        try:
            scores[name] = _score(steps, frozenset([name]), part, setup.metric)
        except _UnknownError as exception:
            skipped[name] = str(exception)
        except Exception as exception:  # whatever a foreign fit may raise
            skipped[name] = f"{type(exception).__name__}: {exception}"
    every = frozenset(scores) - {HONEST}
    if len(every) > 1:
        with contextlib.suppress(Exception):  # what each of them can, all together may not
            scores[EVERY] = _score(steps, every, part, setup.metric)
    return FoldScores(scores, skipped)


def _score(
    steps: Sequence[tuple[str, Any]], leaky: frozenset[str], part: _Part, metric: Metric
) -> float | None:
    """The score with the steps in ``leaky`` fitted on the rows held out too."""
    from sklearn.base import clone

    for name, given in steps[:-1]:
        step = clone(given)
        if hasattr(step, "fit_resample"):
            part = _resampled(step, part, leaks=name in leaky)
        else:
            part = _transformed(step, part, leaks=name in leaky)
    name, given = steps[-1]
    model = clone(given)
    if name in leaky:
        model = _calibrated(model, part)
    else:
        model.fit(part.X, part.y)
    value = float(scorer(metric)(model, part.X_test, part.y_test))
    return value if math.isfinite(value) else None


def _transformed(step: Any, part: _Part, *, leaks: bool) -> _Part:
    if not leaks:
        X = _fit_transform(step, part.X, part.y)
        return part._replace(X=X, X_test=step.transform(part.X_test))
    n = n_rows(part.X)
    everything = _fit_transform(step, _stack(part.X, part.X_test), _stack(part.y, part.y_test))
    rows = np.arange(n_rows(everything))
    return part._replace(X=take(everything, rows[:n]), X_test=take(everything, rows[n:]))


def _fit_transform(step: Any, X: Any, y: Any) -> Any:
    """Not the same as fit and then transform for a step that crosses folds itself."""
    if hasattr(step, "fit_transform"):
        return step.fit_transform(X, y)
    return step.fit(X, y).transform(X)


def _resampled(sampler: Any, part: _Part, *, leaks: bool) -> _Part:
    """Leaking, new rows are made of rows held out too; those themselves are not trained on."""
    if not leaks:
        X, y = sampler.fit_resample(part.X, part.y)
        return part._replace(X=X, y=y)
    X, y = _stack(part.X, part.X_test), _stack(part.y, part.y_test)
    n, size = n_rows(part.X), n_rows(X)
    X_new, y_new = sampler.fit_resample(X, y)
    first = np.arange(size)
    if n_rows(X_new) < size or not _same(take(X_new, first), X):
        raise _UnknownError("its output does not begin with the rows it was given")
    keep = np.delete(np.arange(n_rows(X_new)), slice(n, size))
    return part._replace(X=take(X_new, keep), y=take(y_new, keep))


def _calibrates(model: Any) -> bool:
    return any(kind.__name__ == "CalibratedClassifierCV" for kind in type(model).__mro__)


def _calibrated(model: Any, part: _Part) -> Any:
    """Classifiers are fitted on the same training rows; calibration sees the rows held out too."""
    from sklearn.model_selection import check_cv

    frozen = type(model.estimator).__name__ == "FrozenEstimator"
    if not model.ensemble or (model.ensemble == "auto" and frozen) or isinstance(model.cv, str):
        raise _UnknownError("it calibrates without folds of its own (ensemble=True has them)")
    cv = check_cv(model.cv, part.y, classifier=True)
    held_out = n_rows(part.X) + np.arange(n_rows(part.X_test))
    splits = [(a, np.concatenate([b, held_out])) for a, b in cv.split(part.X, part.y)]
    model.set_params(cv=splits)
    return model.fit(_stack(part.X, part.X_test), _stack(part.y, part.y_test))


def _stack(above: Any, below: Any) -> Any:
    """Rows of two tables, or values of two columns, one after the other."""
    if hasattr(above, "iloc"):
        import pandas as pd

        return pd.concat([above, below], ignore_index=True)
    if hasattr(above, "tocsr"):
        from scipy.sparse import vstack

        return vstack([above, below], format="csr")
    if hasattr(above, "shape"):
        return np.concatenate([above, np.asarray(below)])
    return [*above, *below]


def _same(a: Any, b: Any) -> bool:
    if hasattr(a, "tocsr"):
        return bool(abs(a - b).nnz == 0)
    a, b = np.asarray(a), np.asarray(b)
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f" == b.dtype.kind))
