"""The door of `classify`: labels and scores become truth values and doubles, or are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from nofluke.errors import InputError, some

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
        InputError: Not of one length, empty, labels of more than two kinds or of unknown meaning,
            a missing label or score, with the places.

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
    """Whether each label is the positive one, shape (n,); see ``labelled``."""
    given = _one_dimension(labels, name="labels")
    if positive is not None:
        return _named(given, positive)
    if given.dtype.kind == "b":
        return np.ascontiguousarray(given)
    if given.dtype.kind == "O":
        given = _unwrapped(given)
    if given.dtype.kind in "biuf":
        ones = np.asarray(given == 1)
        if (ones | (given == 0)).all() or (ones | (given == -1)).all():
            return ones
    _no_missing(given)
    kinds = _kinds(given)
    raise InputError(
        f"labels are {some(kinds, most=4)}; without positive= they must be 0 and 1, truth values, "
        "or -1 and 1. Name the positive class, such as positive="
        f"{kinds[-1]!r}; which one is meant is never guessed. (Labels come first, then scores.)",
        code="NF052",
    )


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
    given = _one_dimension(clusters, name="clusters")
    if given.size != n:
        raise InputError(
            f"{given.size} clusters for {n} rows; give the cluster of each row.", code="NF052"
        )
    _no_missing(given, name="clusters")
    if given.dtype.kind != "O":
        return np.unique(given, return_inverse=True)[1].astype(np.int64)
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in given.tolist()], np.int64)


def _scores(scores: ArrayLike, *, several: bool) -> NDArray[np.float64]:
    given = np.asarray(scores)
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


def _one_dimension(given: ArrayLike, *, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(given)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1 or array.size == 0:
        raise InputError(
            f"{name} have shape {array.shape}; expected one dimension and at least one row.",
            code="NF002",
        )
    return array


def _unwrapped(given: NDArray[Any]) -> NDArray[Any]:
    """Python's own truth values and numbers in an array of objects, as an array of numbers."""
    listed = given.tolist()
    return np.array(listed) if all(isinstance(v, bool | int | float) for v in listed) else given


def _no_missing(given: NDArray[Any], *, name: str = "labels") -> None:
    if given.dtype.kind == "O":
        missing = np.array([value is None or not _equals(value, value) for value in given])
    else:
        missing = given != given  # noqa: PLR0124 (NaN and NaT differ from themselves)
    if missing.any():
        raise InputError(
            f"{name} are missing at position {some(np.flatnonzero(missing).tolist())}; leave "
            "those rows out, or say what they are.",
            code="NF052",
        )


def _kinds(given: NDArray[Any]) -> list[object]:
    """The different labels: in order where they have one, else as they came."""
    kinds = list(dict.fromkeys(np.unique(given).tolist() if given.dtype.kind != "O" else given))
    try:
        return sorted(kinds)
    except TypeError:
        return kinds


def _named(given: NDArray[Any], positive: object) -> NDArray[np.bool_]:
    """Labels of at most two kinds, of which one is named."""
    _no_missing(given)
    kinds = _kinds(given)
    matching = [kind for kind in kinds if _equals(kind, positive)]
    if len(kinds) > 2 or (len(kinds) == 2 and not matching):
        raise InputError(
            f"positive={positive!r} and labels {some(kinds, most=4)}; expected at most two kinds, "
            "one of which is the positive one. For one class against the rest, give "
            "labels == that class.",
            code="NF052",
        )
    if not matching:
        return np.zeros(given.size, dtype=np.bool_)
    if len(kinds) == 1:
        return np.ones(given.size, dtype=np.bool_)
    if given.dtype.kind == "O":
        return np.array([_equals(value, positive) for value in given])
    return np.asarray(given == cast("Any", matching[0]))


def _equals(a: object, b: object) -> bool:
    try:
        return bool(a == b)
    except (TypeError, ValueError):  # a missing value that refuses to be compared
        return False
