"""Statistics of a corpus by name: which columns they read, and how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from nofluke.errors import InputError, some
from nofluke.kernels import corpus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.checks import Better

    Columns: TypeAlias = Mapping[str, NDArray[np.float64]]

_KNOWN = (
    "'errors/words' (sum over sum), 'pearson:x,y', 'spearman:x,y', "
    "'bleu:m1,m2,m3,m4,t1,t2,t3,t4,sys,ref', or a function of the columns"
)
_WIDTHS = {"pearson": 2, "spearman": 2, "bleu": 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatistic:
    """A statistic of a corpus.

    Attributes:
        name: As it was asked for, or the function's name.
        columns: The columns it reads.
        better: Its orientation, where its meaning fixes that.
        value: The statistic of some rows, given by their columns; NaN where undefined.
        parts: For a function of sums, what is summed: columns -> shape (n, k).
        combine: And the statistic from the sums, shape (..., k) -> (...).
        ratio: Whether it is a ratio of two sums, so that items have a ratio of their own.
    """

    name: str
    columns: tuple[str, ...]
    better: Better | None
    value: Callable[[Columns], float]
    parts: Callable[[Columns], NDArray[np.float64]] | None = None
    combine: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    ratio: bool = False


def understood(
    statistic: str | Callable[[Columns], float], known: tuple[str, ...]
) -> CorpusStatistic:
    """The statistic by name, or a caller's own function of a mapping of columns.

    Args:
        statistic: "errors/words", "pearson:x,y", "spearman:x,y", "bleu:" and ten columns, or a
            function.
        known: Columns that the table has.

    Raises:
        InputError: The text is not understood, or names a column that was not kept.
    """
    if callable(statistic):
        return _own(statistic, known)
    found = named(str(statistic))
    absent = [name for name in found.columns if name not in known]
    if absent:
        raise InputError(
            f"statistic={statistic!r} reads {some(absent)}, and the table has the columns "
            f"{', '.join(known)}; keep what it needs: read(..., keep={list(found.columns)}).",
            code="NF025",
        )
    return found


def named(text: str) -> CorpusStatistic:
    """The statistic that a text stands for, whatever columns a table has.

    Raises:
        InputError: The text is not understood.

    >>> named("errors/words").columns
    ('errors', 'words')
    """
    head, colon, tail = text.partition(":")
    columns = tuple(part.strip() for part in tail.split(","))
    if colon and len(columns) == _WIDTHS.get(head) and all(columns):
        return _MAKERS[head](text, columns)
    above, slash, below = (part.strip() for part in text.partition("/"))
    if above and slash and below and not colon:
        return _of_sums(text, (above, below), None, corpus.ratio, ratio=True)
    raise InputError(f"statistic={text!r} is not understood; there are {_KNOWN}.", code="NF025")


def _own(function: Callable[[Columns], float], known: tuple[str, ...]) -> CorpusStatistic:
    """A caller's function, which gets all columns there are."""
    name = str(getattr(function, "__name__", type(function).__name__))

    def value(given: Columns) -> float:
        try:
            return float(function(given))
        except KeyError as error:
            raise InputError(
                f"{name} asks for {error}, and the table has the columns {', '.join(known)}; keep "
                "what it needs: read(..., keep=[...]).",
                code="NF025",
            ) from error
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{name} cannot be used as a statistic ({error}); it gets a mapping of column "
                "names to arrays and must return one number, NaN where it is undefined.",
                code="NF025",
            ) from error

    return CorpusStatistic(name=name, columns=known, better=None, value=value)


def _of_sums(
    name: str,
    columns: tuple[str, ...],
    better: Better | None,
    combine: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    ratio: bool = False,
) -> CorpusStatistic:
    def parts(given: Columns) -> NDArray[np.float64]:
        return np.column_stack([given[column] for column in columns])

    return CorpusStatistic(
        name=name,
        columns=columns,
        better=better,
        value=lambda given: float(combine(parts(given).sum(axis=0))),
        parts=parts,
        combine=combine,
        ratio=ratio,
    )


def _bleu(name: str, columns: tuple[str, ...]) -> CorpusStatistic:
    return _of_sums(name, columns, "higher", corpus.bleu)


def _pearson(name: str, columns: tuple[str, ...]) -> CorpusStatistic:
    def parts(given: Columns) -> NDArray[np.float64]:
        return corpus.moments(given[columns[0]], given[columns[1]])

    return CorpusStatistic(
        name=name,
        columns=columns,
        better="higher",
        value=lambda given: float(corpus.pearson(parts(given).sum(axis=0))),
        parts=parts,
        combine=corpus.pearson,
    )


def _spearman(name: str, columns: tuple[str, ...]) -> CorpusStatistic:
    # Ranks depend on who else is in the resample, so this is no function of sums.
    return CorpusStatistic(
        name=name,
        columns=columns,
        better="higher",
        value=lambda given: corpus.spearman(given[columns[0]], given[columns[1]]),
    )


_MAKERS = {"bleu": _bleu, "pearson": _pearson, "spearman": _spearman}
