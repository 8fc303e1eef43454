"""From arrays to rows: a matrix of scores, its ids, and the texts that go with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores import assembly

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.scores.assembly import Rows

Texts: TypeAlias = Sequence[str]


def matrix_rows(matrix: ArrayLike) -> list[Any]:
    """The rows of a matrix."""
    try:
        array = np.asarray(matrix)
    except ValueError:
        raise InputError(
            "the rows of the matrix have different lengths; give a mapping of candidate to array "
            "for candidates measured on examples of their own.",
            code="NF004",
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InputError(
            f"matrix has shape {array.shape}; expected (candidates, examples), neither empty.",
            code="NF002",
        )
    return list(array)


def numbers(array: ArrayLike) -> NDArray[np.float64]:
    """One-dimensional numbers; text is not turned into numbers."""
    raw = np.asarray(array)
    if raw.dtype.kind not in "biuf" or raw.ndim != 1:
        raise InputError(
            f"scores of type {raw.dtype} and shape {raw.shape} arrived; expected one-dimensional "
            "numbers (text is not turned into numbers here).",
            code="NF004",
        )
    return raw.astype(np.float64, copy=False)


def ids(given: Sequence[object] | None, count: int, *, what: str) -> tuple[str, ...]:
    """Ids as given, all text and all different; "0", "1", ... by default."""
    if given is None:
        return tuple(map(str, range(count)))
    listed = tuple(given)
    texts = tuple(i for i in listed if isinstance(i, str))
    if len(texts) < len(listed):
        wrong = [i for i in listed if not isinstance(i, str)]
        raise InputError(
            f"{what} must be text, and {some(wrong)} is not; ids are compared byte for byte.",
            code="NF004",
        )
    if len(listed) != count:
        raise InputError(f"{len(listed)} {what} were named, but there are {count}.", code="NF004")
    if len(set(listed)) != count:
        twice = sorted(i for i, times in Counter(texts).items() if times > 1)
        raise InputError(f"{what} are named twice: {some(twice)}.", code="NF006")
    return texts


def place(
    arrays: list[NDArray[np.float64]], names: tuple[str, ...], examples: Sequence[str] | None
) -> tuple[Rows, tuple[str, ...]]:
    """Rows and example ids: a matrix where lengths agree, else examples of each one's own."""
    lengths = [a.size for a in arrays]
    if not lengths:
        raise InputError("there are no candidates.", code="NF002")
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = np.concatenate(arrays)
    if len(set(lengths)) == 1:
        return assembly.complete(values, starts), ids(examples, lengths[0], what="examples")
    if examples is not None:
        raise InputError(
            f"examples= cannot name arrays of different lengths ({some(sorted(set(lengths)))}); "
            "put NaN where a score is missing, or leave examples= out if each candidate was "
            "measured on examples of its own.",
            code="NF007",
        )
    own = tuple(f"{c}#{i}" for c, size in zip(names, lengths, strict=True) for i in range(size))
    where = np.arange(values.size, dtype=np.int32)
    return assembly.sparse(values, starts, cast("NDArray[np.int32]", where)), own


def clusters(
    given: Texts | Mapping[str, str] | None, examples: tuple[str, ...]
) -> list[str] | None:
    """The cluster of each example."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        without = [e for e in examples if e not in given]
        if without:
            raise InputError(
                f"cluster= has no label for the examples {some(without)}; every example needs one.",
                code="NF007",
            )
        given = [given[e] for e in examples]
    labels = _texts(given, len(examples), what="cluster", of="examples")
    if "" in labels:
        raise InputError(
            f"cluster= has an empty label for the example {examples[labels.index('')]!r}; every "
            "example needs one.",
            code="NF007",
        )
    return labels


def contents(
    given: Texts | Mapping[str, Texts] | None,
    names: tuple[str, ...],
    arrays: list[NDArray[np.float64]],
    *,
    what: str,
) -> list[str] | None:
    """The texts of all scores, candidate after candidate, missing ones included."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        given = dict.fromkeys(names, given)
    if set(given) != set(names):
        differ = sorted(set(given) ^ set(names))
        raise InputError(
            f"{what}= must name every candidate and nobody else; {some(differ)} differ.",
            code="NF008",
        )
    return [
        text
        for name, array in zip(names, arrays, strict=True)
        for text in _texts(given[name], array.size, what=what, of=f"scores of {name!r}")
    ]


def _texts(given: Texts, count: int, *, what: str, of: str) -> list[str]:
    listed: list[Any] = [given] if isinstance(given, str) else list(given)
    wrong = [t for t in listed if not isinstance(t, str)]
    if wrong:
        raise InputError(f"{what}= must be text, and {some(wrong)} is not.", code="NF004")
    if len(listed) != count:
        raise InputError(
            f"{what}= holds {len(listed)} texts, but there are {count} {of}.", code="NF008"
        )
    return listed


def codes_of(
    texts: list[str], labels: tuple[str, ...], arrays: list[NDArray[np.float64]]
) -> NDArray[np.int32]:
    """Codes of the rows that have a score; texts of examples are the same for every candidate."""
    index = {label: i for i, label in enumerate(labels)}
    codes = np.array([index[text] for text in texts], np.int32)
    present = np.flatnonzero(~np.isnan(np.concatenate(arrays)))
    return codes[present % codes.size]
