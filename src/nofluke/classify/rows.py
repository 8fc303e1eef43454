"""The door of `classify`: labels and scores become truth values and doubles, or are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores.labels import absent, coded, of_array, one_dimension, positives

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_EXACT = 2**53  # integers up to here are doubles


class Labelled(NamedTuple):
    """Rows that a kernel may trust.

    Attributes:
        y: Whether each row is positive, shape (n,).
        scores: Its scores without NaN, shape (n,), or (K, n) for several candidates.
    """

    y: NDArray[np.bool_]
    scores: NDArray[np.float64]


def labelled(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    positive: object = None,
    several: bool = False,
) -> Labelled:
    """Labels and scores of the same rows, checked.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1, of which -1 is negative. Other
            labels (text, 1 and 2) need ``positive``; which class is meant is never guessed.
        scores: Shape (n,), higher is more positive; infinities may stay. Floats of fewer bits are
            doubles already; an integer that no double holds is refused, as it would make ties.
        positive: The label of the positive class.
        several: Whether ``scores`` may have shape (K, n), one row for each candidate; it is
            (1, n) then for scores of shape (n,).

    Raises:
        InputError: Not of one length (NF052), empty, a missing or strange label (NF060), a missing
            score (NF007), with the places.

    >>> labelled([-1, 1, 1], [0.2, 0.9, 0.4]).y.tolist()
    [False, True, True]
    >>> labelled(["ham", "spam"], [0.2, 0.9], positive="spam").y.tolist()
    [False, True]
    """
    values = _scores(scores, several=several)
    y = truth(labels, positive=positive)
    if y.size != values.shape[-1]:
        raise InputError(
            f"{y.size} labels and {values.shape[-1]} scores; give one score for each label, in "
            "the same order.",
            code="NF052",
        )
    return Labelled(y, values)


def truth(labels: ArrayLike, *, positive: object = None) -> NDArray[np.bool_]:
    """Whether each label is the positive one, shape (n,); see ``labelled``.

    Raises:
        InputError: Labels that cannot be read as two classes (NF060).
    """
    given = one_dimension(labels, name="labels")
    if positive is None and given.dtype.kind in "biuf":
        ones = np.asarray(given == 1)  # what is usual needs no sorting
        if (ones | (given == 0)).all() or (ones | (given == -1)).all():
            return ones
    kinds = of_array(given)

    def places(kind: int) -> str:
        at = np.flatnonzero(kinds.codes == kind)
        return f"{at.size} of {given.size} rows (position {some(at.tolist())})"

    hint = "(Labels come first, then scores.)"
    named = positives(kinds.kinds, positive=positive, places=places, hint=hint)
    return named[kinds.codes]


def both_classes(y: NDArray[np.bool_], *, what: str) -> tuple[int, int]:
    """Numbers of positives and negatives; refused where one of them is 0.

    Args:
        y: Truth values, shape (n,).
        what: What is undefined without both classes, to begin a sentence.
    """
    m = int(np.count_nonzero(y))
    n = y.size - m
    if m == 0 or n == 0:
        raise InputError(
            f"{what} is undefined: {m} of {y.size} labels are positive, {n} negative; it compares "
            "the two classes and needs at least one row of each. It is neither 0 nor 1/2: leave "
            "such a part out and say how many were left out.",
            code="NF053",
        )
    return m, n


def cluster_codes(clusters: ArrayLike, n: int) -> NDArray[np.int64]:
    """The cluster of each of n rows as a number 0..G-1, none of them empty; shape (n,)."""
    return codes(clusters, n, name="clusters")


def codes(names: ArrayLike, n: int, *, name: str) -> NDArray[np.int64]:
    """The part of each of n rows as a number 0..G-1, none of them empty; shape (n,).

    Args:
        names: The name of each row's part, shape (n,).
        n: Number of rows.
        name: What the parts are: "clusters", "folds".

    Raises:
        InputError: Not one for each row, or missing (NF052).
    """
    given = one_dimension(names, name=name)
    if given.size != n:
        raise InputError(
            f"{given.size} {name} for {n} rows; give one for each row, in the same order.",
            code="NF052",
        )
    if missing := absent(given):
        raise InputError(
            f"{name} are missing at position {some(missing)}; leave those rows out, or say what "
            "they are.",
            code="NF052",
        )
    return coded(given).codes


def _scores(scores: ArrayLike, *, several: bool) -> NDArray[np.float64]:
    try:
        given = np.asarray(scores)
    except ValueError:  # lists of different lengths
        raise InputError(
            "scores are lists of different lengths; give one score for each label.", code="NF002"
        ) from None
    if given.dtype.kind not in "biufO":
        raise InputError(
            f"scores are of type {given.dtype}, which are no numbers; give floats or integers. "
            "(Labels come first, then scores.)",
            code="NF004",
        )
    try:
        values = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"scores hold values that are not numbers ({error}); give floats or integers.",
            code="NF004",
        ) from None
    dimensions = (1, 2) if several else (1,)
    if given.ndim not in dimensions or values.size == 0:
        wanted = "(n,) or (candidates, n)" if several else "(n,)"
        raise InputError(
            f"scores have shape {given.shape}; expected {wanted} with at least one row.",
            code="NF002",
        )
    _no_nan_nor_rounding(given, values)
    return values.reshape(-1, given.shape[-1]) if several else values


def _no_nan_nor_rounding(given: NDArray[Any], values: NDArray[np.float64]) -> None:
    missing = np.isnan(values)
    if missing.any():
        at = np.argwhere(missing)
        places = at.ravel().tolist() if values.ndim == 1 else [tuple(p) for p in at.tolist()]
        raise InputError(
            f"scores have NaN at position {some(places)}; a NaN is a missing score: leave the row "
            "out, for all candidates, or give it a value.",
            code="NF007",
        )
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8:
        large = (values >= _EXACT) | (values <= -_EXACT)
        if large.any():
            raise InputError(
                f"scores such as {some(given[large].tolist(), most=3)} are integers that no double "
                "holds, so that different ones would tie; give their ranks instead.",
                code="NF004",
            )
