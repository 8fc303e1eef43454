"""Which labels are positive: 0 and 1, truth values, or -1 and 1 tell; others must be named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_TRUTHS = {"true": True, "false": False}


class Kinds(NamedTuple):
    """Labels as codes: row i has the label ``kinds[codes[i]]``; None is a missing label."""

    codes: NDArray[np.int64]
    kinds: list[Any]


def of_array(labels: ArrayLike) -> Kinds:
    """The different labels of an array, shape (n,).

    Raises:
        InputError: Not one dimension, or empty.

    >>> of_array([-1, 1, 1]).kinds
    [-1, 1]
    """
    given = one_dimension(labels, name="labels")
    if given.dtype.kind in "biufU":
        values, codes = np.unique(given, return_inverse=True, equal_nan=True)
        return Kinds(codes.astype(np.int64), [None if missing(v) else v for v in values.tolist()])
    known: dict[tuple[type, Any], int] = {}
    # True equals 1 and would take its place in the dictionary, so the type counts as well.
    listed = [None if missing(v) else v for v in given.tolist()]
    codes = np.array([known.setdefault((type(v), v), len(known)) for v in listed], np.int64)
    return Kinds(codes, [value for _, value in known])


def coded(values: NDArray[Any]) -> Kinds:
    """The different values of an array without missing ones, where values that are equal are one.

    >>> coded(np.array([3, 1, 3])), coded(np.array([True, 1, "a"], dtype=object)).kinds
    (Kinds(codes=array([1, 0, 1]), kinds=[1, 3]), [True, 'a'])
    """
    if values.dtype.kind != "O":
        kinds, codes = np.unique(values, return_inverse=True)
        return Kinds(codes.astype(np.int64), kinds.tolist())
    known: dict[Any, int] = {}
    listed = [known.setdefault(value, len(known)) for value in values.tolist()]
    return Kinds(np.array(listed, np.int64), list(known))


def one_dimension(given: ArrayLike, *, name: str, code: str = "NF002") -> NDArray[Any]:
    """The array, shape (n,) with n at least 1.

    Raises:
        InputError: Not one dimension, or empty; with ``code``.
    """
    try:
        array = np.asarray(given)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1 or array.size == 0:
        raise InputError(
            f"{name} have shape {array.shape}; expected one dimension and at least one row.",
            code=code,
        )
    return array


def absent(values: NDArray[Any]) -> list[int]:
    """The places of an array, shape (n,), that hold no value.

    >>> absent(np.array(["a", None, np.nan], dtype=object)), absent(np.array([1.0, np.nan]))
    ([1, 2], [1])
    """
    if values.dtype.kind == "O":
        return [i for i, value in enumerate(values.tolist()) if missing(value)]
    if values.dtype.kind in "mM":
        return np.flatnonzero(np.isnat(values)).tolist()
    return np.flatnonzero(np.isnan(values)).tolist() if values.dtype.kind in "fc" else []


def missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, NaT, or pandas' own."""
    if value is None or (isinstance(value, float | np.generic) and value != value):  # noqa: PLR0124
        return True
    return type(value).__name__ in {"NAType", "NaTType"}  # without importing pandas


def of_texts(texts: Sequence[str]) -> list[Any]:
    """The labels that texts spell: numbers if all of them do, else truth values, else texts.

    >>> of_texts(["", "-1", "1.0"]), of_texts(["False", "true"]), of_texts(["1", "spam"])
    ([None, -1.0, 1.0], [False, True], ['1', 'spam'])
    """
    there = [text for text in texts if text]
    read: Callable[[str], Any] = str
    if all(map(_is_number, there)):
        read = float
    elif all(text.lower() in _TRUTHS for text in there):
        read = _truth
    return [read(text) if text and text.lower() != "nan" else None for text in texts]


def positives(
    kinds: Sequence[Any], *, positive: object, places: Callable[[int], str], hint: str = ""
) -> NDArray[np.bool_]:
    """Whether each kind of label is the positive one.

    Args:
        kinds: The different labels that occur; None is a missing one.
        positive: The label of the positive class; None where 0 and 1, truth values, or -1 and 1
            say it themselves.
        places: The rows that have kind i, in words.
        hint: What else may be wrong where the meaning of the labels is unknown.

    Raises:
        InputError: A missing label, more than two kinds, or kinds of unknown meaning (NF060).
    """
    for i, kind in enumerate(kinds):
        if kind is None:
            raise InputError(
                f"the label is missing in {places(i)}; leave those rows out, or say what they are.",
                code="NF060",
            )
    if positive is not None:
        return _named(kinds, positive)
    plain = [kind for kind in kinds if isinstance(kind, bool | int | float)]
    if len(plain) == len(kinds) and (set(plain) <= {0, 1} or set(plain) <= {-1, 1}):
        return np.array([kind == 1 for kind in kinds], np.bool_)
    raise _unknown(kinds, plain, places, hint)


def _named(kinds: Sequence[Any], positive: object) -> NDArray[np.bool_]:
    found = np.array([_same(kind, positive) for kind in kinds], np.bool_)
    if len(kinds) > 2 or (len(kinds) == 2 and found.sum() != 1):
        raise InputError(
            f"positive={positive!r} and labels {some(_shown(kinds), most=4)}; expected at most two "
            "kinds, one of which is the positive one. For one class against the rest, give a "
            "column that says whether a row is of that class.",
            code="NF060",
        )
    return found


def _unknown(
    kinds: Sequence[Any], plain: list[Any], places: Callable[[int], str], hint: str
) -> InputError:
    """Labels of unknown meaning: strange ones among 0 and 1 are shown with their rows."""
    strange = [i for i, kind in enumerate(kinds) if not (kind in plain and kind in {-1, 0, 1})]
    usual = len(kinds) - len(strange)
    if usual == 2 and 1 <= len(strange) <= 5:
        told = "; ".join(f"{_shown([kinds[i]])[0]!r} in {places(i)}" for i in strange[:3])
        return InputError(
            f"labels are {some(_shown(kinds), most=5)}, and a label is one of two classes: {told}. "
            "A tie or an unsure case is neither: leave those rows out and say how many, or decide "
            "beforehand which class they are.",
            code="NF060",
        )
    if len(kinds) > 2:
        return InputError(
            f"labels are {some(_shown(kinds), most=4)}: {len(kinds)} kinds, and two classes were "
            "expected. For one class against the rest, give a column that says whether a row is of "
            f"that class.{hint and ' ' + hint}",
            code="NF060",
        )
    return InputError(
        f"labels are {some(_shown(kinds), most=4)}; without positive= they must be 0 and 1, truth "
        "values, or -1 and 1. Name the positive class, such as positive="
        f"{_shown(kinds)[-1]!r}; which one is meant is never guessed.{hint and ' ' + hint}",
        code="NF060",
    )


def _same(kind: Any, positive: object) -> bool:
    """Whether a label is the one that was named; text may spell a number."""
    if isinstance(kind, str) or not isinstance(positive, str):
        return bool(kind == positive) and isinstance(kind, str) == isinstance(positive, str)
    if isinstance(kind, bool):
        return _TRUTHS.get(positive.lower()) is kind
    return _is_number(positive) and float(positive) == kind


def _shown(kinds: Sequence[Any]) -> list[Any]:
    """Labels as people write them: 1, not 1.0."""
    whole = [int(k) if isinstance(k, float) and k.is_integer() else k for k in kinds]
    try:
        return sorted(whole)
    except TypeError:
        return whole


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _truth(text: str) -> bool:
    return _TRUTHS[text.lower()]
