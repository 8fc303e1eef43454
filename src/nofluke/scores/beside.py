"""What stands beside predictions in arrays: ids of clusters, groups and folds, and times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_EXACT = 2**53  # integers up to here are doubles


def ids(
    given: ArrayLike | Mapping[str, object], examples: tuple[str, ...], *, what: str
) -> list[str]:
    """The id of each example as text: texts and whole numbers, none missing.

    Raises:
        InputError: Not one for each example, missing, or neither text nor a whole number.

    >>> ids([7, 8], ("a", "b"), what="cluster")
    ['7', '8']
    """
    if isinstance(given, Mapping):
        without = [e for e in examples if e not in given]
        if without:
            raise InputError(
                f"{what}= has nothing for the examples {some(without)}; every example needs one.",
                code="NF007",
            )
        listed: list[Any] = [given[e] for e in examples]
    else:
        listed = _one_each(given, len(examples), what=what).tolist()
    texts = [str(v) if isinstance(v, str | int) and not isinstance(v, bool) else "" for v in listed]
    wrong = [(e, v) for e, v, text in zip(examples, listed, texts, strict=True) if not text]
    if wrong:
        raise InputError(
            f"{what}= must be text or whole numbers, one for every example; it is {wrong[0][1]!r} "
            f"for {some([e for e, _ in wrong])}.",
            code="NF007",
        )
    return texts


def times(given: ArrayLike, examples: tuple[str, ...]) -> NDArray[np.float64]:
    """The time of each example as a number; dates become seconds since 1970.

    >>> times(np.array(["1970-01-02"], "datetime64[D]"), ("a",)).tolist()
    [86400.0]
    """
    return seconds(_one_each(given, len(examples), what="time"), what="time")


def seconds(given: ArrayLike, *, what: str) -> NDArray[np.float64]:
    """Times as numbers, NaN where unknown."""
    array = np.asarray(given)
    if array.dtype.kind == "M":
        array = np.where(
            np.isnat(array), np.nan, array.astype("datetime64[us]").astype(np.int64) / 1e6
        )
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"{what}= is of type {array.dtype}; expected numbers or datetime64.", code="NF004"
        )
    return array.astype(np.float64)


def refuse_rounded(predictions: ArrayLike) -> None:
    """Refuse integers that no double holds: different ones would tie.

    Raises:
        InputError: There are such integers.
    """
    array = np.asarray(predictions)
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return
    large = array[(array >= _EXACT) | (array <= -_EXACT)] if array.size else array
    if large.size:
        raise InputError(
            f"predictions such as {some(large.tolist(), most=2)} are integers that no double "
            "holds, so that different ones would tie; give their ranks instead.",
            code="NF004",
        )


def _one_each(given: ArrayLike, count: int, *, what: str) -> NDArray[Any]:
    array = np.asarray(given)
    if array.shape != (count,):
        raise InputError(
            f"{what}= has shape {array.shape}, and there are {count} examples; give one for each, "
            "in the same order.",
            code="NF008",
        )
    return array
