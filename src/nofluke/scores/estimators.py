"""Predictions from classifiers of scikit-learn: fitted ones, and out of fold.

scikit-learn is imported only by who brings an estimator of it, so it is no dependency.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, MissingExtra, some
from nofluke.scores.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_RESPONSES = ("auto", "predict_proba", "decision_function")


def predicted(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    positive: object = None,
    response: str = "auto",
    candidate: str | None = None,
    **how: Any,
) -> Predictions:
    """Predictions of a fitted classifier for rows that it was not fitted to.

    Args:
        estimator: A fitted classifier of two classes.
        X: What it predicts from, n rows.
        y: Labels of these rows, shape (n,).
        positive: The label of the positive class; needed unless the classes are 0 and 1, truth
            values, or -1 and 1.
        response: "predict_proba" for the probability of the positive class, "decision_function"
            for its score; "auto" takes the first that the classifier has.
        candidate: Its id; the name of its class by default.
        how: Further options of ``Predictions.from_arrays``: examples, cluster, groups, time.

    Raises:
        InputError: More than two classes, no such response, labels that cannot be used.
    """
    name = candidate or type(estimator).__name__
    scores = _positive_response(estimator, X, positive, response)
    return Predictions.from_arrays(y, {name: scores}, positive=positive, **how)


def cross_predicted(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    response: str = "auto",
    candidate: str | None = None,
    **how: Any,
) -> Predictions:
    """Out-of-fold predictions: each row is predicted by a model that was not fitted to it.

    The fold of each row is kept, as scores of models of different folds need not share a scale.

    Args:
        estimator: A classifier of two classes; it is cloned and fitted once for each fold.
        X: What it predicts from, n rows.
        y: Labels, shape (n,).
        cv: Number of folds, a splitter of scikit-learn, or pairs of training and test rows; every
            row must be in exactly one test fold.
        groups: Shape (n,): rows of one group depend on each other. The splitter gets them, and they
            become the clusters of the table.
        positive: The label of the positive class, as in ``predicted``.
        response: As in ``predicted``.
        candidate: Its id; the name of its class by default.
        how: Further options of ``Predictions.from_arrays``: examples, cluster, time.

    Raises:
        InputError: A row is tested never or more than once, or a training fold lacks a class
            (NF062); and what ``predicted`` raises.
        MissingExtra: scikit-learn is not installed.
    """
    labels = np.asarray(y)
    splits = _partition(X, labels, cv, groups)
    scores, folds = np.empty(labels.size), np.empty(labels.size, np.int64)
    for number, (train, test) in enumerate(splits):
        _both_classes(labels[train], number, len(splits))
        fitted = _sklearn("base").clone(estimator).fit(_rows(X, train), labels[train])
        scores[test] = _positive_response(fitted, _rows(X, test), positive, response)
        folds[test] = number
    if groups is not None:
        how.setdefault("cluster", groups)
    name = candidate or type(estimator).__name__
    return Predictions.from_arrays(labels, {name: scores}, folds=folds, positive=positive, **how)


def _positive_response(estimator: Any, X: Any, positive: object, response: str) -> NDArray[Any]:
    """The response for the positive class, shape (n,)."""
    checks.choice(response, _RESPONSES, name="response")
    wanted = _RESPONSES[1:] if response == "auto" else (response,)
    found = next((name for name in wanted if hasattr(estimator, name)), None)
    if found is None:
        raise InputError(
            f"{type(estimator).__name__} has no {' nor '.join(wanted)}; its labels alone say "
            "nothing about how sure it is. Use a classifier that scores, or wrap it in one "
            "(CalibratedClassifierCV).",
            code="NF062",
        )
    column = _positive_column(estimator, positive)
    values = np.asarray(getattr(estimator, found)(X))
    if found == "predict_proba":
        return np.asarray(values[:, column])
    # decision_function speaks for the second class; for the first its negative does.
    return values if column == 1 else -values


def _positive_column(estimator: Any, positive: object) -> int:
    """Which of the two classes is the positive one."""
    classes = np.asarray(getattr(estimator, "classes_", [])).tolist()
    if not classes:
        raise InputError(
            f"{type(estimator).__name__} knows no classes, as it is not fitted; fit it to other "
            "rows first, or use Predictions.from_cross_val_predict, which fits it.",
            code="NF062",
        )
    if len(classes) != 2:
        raise InputError(
            f"{type(estimator).__name__} knows the classes {some(classes)}; expected a fitted "
            "classifier of two. For one class against the rest, fit it to labels == that class.",
            code="NF062",
        )
    if positive is None and classes[1] == 1 and classes[0] in {0, -1}:
        return 1
    if positive not in classes:
        raise InputError(
            f"positive={positive!r}, and the classes are {some(classes)}; name the positive one, "
            f"such as positive={classes[1]!r}; which one is meant is never guessed.",
            code="NF060",
        )
    return int(classes.index(positive))


def _partition(
    X: Any, labels: NDArray[Any], cv: Any, groups: ArrayLike | None
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Training and test rows of each fold, every row tested once."""
    splitter = _sklearn("model_selection").check_cv(cv, labels, classifier=True)
    splits = list(splitter.split(X, labels, groups))
    tests = [test for _, test in splits]
    times = np.bincount(np.concatenate(tests), minlength=labels.size)
    wrong = np.flatnonzero(times != 1)
    if wrong.size:
        often = int((times > 1).sum())
        raise InputError(
            f"{wrong.size - often} rows are in no test fold and {often} in several (rows "
            f"{some(wrong.tolist())}); out-of-fold predictions need every row in exactly one. Take "
            "a splitter that parts the rows, or predict each fold by itself with from_estimator.",
            code="NF062",
        )
    return splits


def _both_classes(labels: NDArray[Any], number: int, count: int) -> None:
    if np.unique(labels).size < 2:
        raise InputError(
            f"the training rows of fold {number} of {count} are all {labels[0]!r}, so that no "
            "classifier can be fitted; use fewer folds, or stratified ones.",
            code="NF062",
        )


def _rows(X: Any, at: NDArray[Any]) -> Any:
    """Rows of a matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[at]
    return [X[i] for i in at.tolist()] if isinstance(X, list) else X[at]


def _sklearn(module: str) -> Any:
    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError:
        raise MissingExtra(
            "cross-validation needs scikit-learn: pip install scikit-learn.", code="NF099"
        ) from None
