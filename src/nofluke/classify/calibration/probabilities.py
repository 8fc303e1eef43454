"""The door of calibration: labels with probabilities, one class against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.classify.rows import Labelled, labelled
from nofluke.errors import InputError, some
from nofluke.scores.labels import one_dimension

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_ROUNDING = 1e-6  # how far softmax in single precision strays from 1


class Against(NamedTuple):
    """One class of several against the rest, for any function that takes (labels, p)."""

    name: object
    y: NDArray[np.bool_]
    p: NDArray[np.float64]


def probabilities(labels: ArrayLike, p: ArrayLike, *, positive: object = None) -> Labelled:
    """Labels and the probabilities given to the positive class, checked.

    Args:
        labels: Shape (n,), as for every function of ``classify``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        positive: The label of the positive class, where it is not 1 or True.

    Raises:
        InputError: Values outside [0, 1], with what they look like and how to mend it; labels
            between 0 and 1; labels and lengths as for ``rows.labelled``.

    >>> probabilities([0, 1], [0.2, 1]).scores.tolist()
    [0.2, 1.0]
    """
    _refuse_columns(p)
    if positive is None:
        _refuse_soft(labels)
    rows = labelled(labels, p, positive=positive)
    outside = (rows.scores < 0) | (rows.scores > 1)
    if outside.any():
        raise InputError(
            f"{np.count_nonzero(outside)} of {outside.size} values lie outside [0, 1], such as "
            f"{some(rows.scores[outside].tolist(), most=3)}; these are no probabilities. "
            f"{_remedy(rows.scores)}",
            code="NF054",
        )
    return rows


def one_vs_rest(labels: ArrayLike, p: ArrayLike, *, classes: Sequence[object]) -> list[Against]:
    """Several classes as one question each: is it this class, and with which probability?

    Args:
        labels: The class of each row, shape (n,).
        p: Probability of each class, shape (n, K); rows add up to 1.
        classes: Names of the K columns, in their order; it is never guessed.

    Raises:
        InputError: Shapes that do not fit, a label that is no class, rows that do not add up to 1.

    >>> [(a.name, a.p.tolist()) for a in one_vs_rest(["a", "b"], [[0.9, 0.1], [0.3, 0.7]],
    ...                                              classes=["a", "b"])]
    [('a', [0.9, 0.3]), ('b', [0.1, 0.7])]
    """
    codes, matrix = _classes(labels, p, classes)
    return [
        Against(name, codes == k, np.ascontiguousarray(matrix[:, k]))
        for k, name in enumerate(classes)
    ]


def top_label(labels: ArrayLike, p: ArrayLike, *, classes: Sequence[object]) -> Against:
    """The class with the highest probability: was it right, and how sure was the model?

    Of tied classes the first is taken. What is calibrated then is the confidence, not the
    probability of any class.

    Args:
        labels: The class of each row, shape (n,).
        p: Probability of each class, shape (n, K); rows add up to 1.
        classes: Names of the K columns, in their order.

    Raises:
        InputError: As for ``one_vs_rest``.

    >>> top_label(["a", "b"], [[0.9, 0.1], [0.6, 0.4]], classes=["a", "b"]).y.tolist()
    [True, False]
    """
    codes, matrix = _classes(labels, p, classes)
    return Against("top label", np.argmax(matrix, axis=1) == codes, matrix.max(axis=1))


def _refuse_columns(p: ArrayLike) -> None:
    try:
        shape = np.shape(p)
    except ValueError:
        raise InputError(
            "p holds lists of different lengths; expected one probability for each row.",
            code="NF054",
        ) from None
    if len(shape) == 2:
        raise InputError(
            f"p has shape {shape}: one column for each class. Give the column of the positive "
            "class, such as p[:, 1], or each class in turn with one_vs_rest(labels, p, classes=).",
            code="NF054",
        )


def _refuse_soft(labels: ArrayLike) -> None:
    try:
        values = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        return  # texts, which `labelled` asks about
    soft = (values > 0) & (values < 1)
    if soft.any():
        raise InputError(
            f"{np.count_nonzero(soft)} of {values.size} labels lie between 0 and 1, such as "
            f"{some(values[soft].tolist(), most=3)} (ties? soft labels?); calibration compares "
            "probabilities with what happened or not. Leave those rows out and say how many.",
            code="NF054",
        )


def _remedy(p: NDArray[np.float64]) -> str:
    low, high = float(p.min()), float(p.max())
    if low >= -_ROUNDING and high <= 1 + _ROUNDING:
        return "If that is rounding, pass np.clip(p, 0, 1)."
    if low >= 0 and 1 < high <= 100:
        return "If they are percentages, pass p / 100; if ranks or scores, calibrate them first."
    return (
        "If they are logits (log odds), pass 1 / (1 + exp(-p)); if they come from "
        "decision_function, calibrate them first, on rows that are not judged here."
    )


def _classes(
    labels: ArrayLike, p: ArrayLike, classes: Sequence[object]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    given, matrix = one_dimension(labels, name="labels"), _matrix(p)
    if matrix.shape != (given.size, len(classes)):
        raise InputError(
            f"labels have shape {given.shape} and p {matrix.shape}, for {len(classes)} classes; "
            "expected (n,) and (n, classes).",
            code="NF054",
        )
    known = {name: k for k, name in enumerate(classes)}
    strangers = [label for label in dict.fromkeys(given.tolist()) if label not in known]
    if strangers or len(known) < len(classes):
        wrong = f"{some(strangers)} among the labels" if strangers else "a class named twice"
        raise InputError(
            f"classes={list(classes)!r}, but {wrong}; name each column of p once.", code="NF054"
        )
    # A claim, so that a NaN breaks it.
    fine = (matrix >= 0).all(axis=1) & (abs(matrix.sum(axis=1) - 1) <= 1e-3)
    if not fine.all():
        at = np.flatnonzero(~fine)
        raise InputError(
            f"the probabilities of row {some(at.tolist())} do not add up to 1 or are negative, "
            f"such as {matrix[at[0]].tolist()}; if they are logits, pass their softmax.",
            code="NF054",
        )
    return np.array([known[label] for label in given.tolist()]), np.minimum(matrix, 1)


def _matrix(p: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"p holds values that are no matrix of numbers ({error}); expected (n, classes).",
            code="NF054",
        ) from None
