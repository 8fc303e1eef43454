"""Two corpora in pairs: the kept columns of two candidates on the same items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import InputError, some
from nofluke.scores import findings
from nofluke.scores.sides import check_two

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.corpus_statistics import Columns
    from nofluke.scores.table import Scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpora:
    """The columns of both sides on the same items, and the units that are independent.

    Attributes:
        names: Ids of the two sides.
        a: Columns of the first side, shape (n,) each.
        b: Columns of the second side, on the same items.
        items: Ids of the items.
        codes: Unit of each item, 0..G-1.
        unit: "item" or "cluster".
        notes: What reading and pairing have to tell.
    """

    names: tuple[str, str]
    a: Columns
    b: Columns
    items: tuple[str, ...]
    codes: NDArray[np.int64]
    unit: str
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def n_units(self) -> int:
        """Number of independent units."""
        return int(self.codes.max()) + 1


def paired(scores: Scores, a: str, b: str, names: tuple[str, ...], missing: str) -> Corpora:
    """The columns of these names, row by row of the same items.

    Args:
        scores: The table as read.
        a: Id of one candidate.
        b: Id of the other.
        names: Columns to pair; "score" is the score itself.
        missing: "raise" or "common", as for ``findings.settle``.

    Raises:
        InputError: Unknown ids, items without a partner, failed rows, a pair in two clusters.
    """
    table = findings.settle(_two_of(scores, a, b), missing)
    _refuse_failures(table)
    n = len(table.examples)
    at = table.candidates.index(a)
    columns = {"score": table.values, **table.kept}
    sides = [{name: columns[name].reshape(2, n)[k] for name in names} for k in (at, 1 - at)]
    codes, unit = _units(table, n)
    return Corpora(
        names=(a, b),
        a=sides[0],
        b=sides[1],
        items=table.examples,
        codes=codes,
        unit=unit,
        notes=table.notes,
    )


def refuse_gaps(corpora: Corpora) -> None:
    """Refuse columns that are not finite for every item."""
    for who, side in zip(corpora.names, (corpora.a, corpora.b), strict=True):
        for column, values in side.items():
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                raise InputError(
                    f"column {column!r} of {who!r} is missing or infinite for {bad.size} items: "
                    f"{some(corpora.items[i] for i in bad.tolist())}; all of them are needed.",
                    code="NF026",
                )


def _two_of(scores: Scores, a: str, b: str) -> Scores:
    """The table of two candidates alone: an example that neither has is no gap."""
    check_two(scores, a, b)
    two = sorted(scores.candidates.index(name) for name in (a, b))
    rows = np.isin(np.repeat(np.arange(scores.K), scores.n), two)
    taken = scores.take(rows)
    empty = scores.empty[np.isin(scores.empty[:, 0], two)]
    where = np.empty(0, np.int32) if taken.where is None else taken.where
    used = np.union1d(where, empty[:, 1])
    return replace(
        taken,
        candidates=tuple(scores.candidates[k] for k in two),
        examples=tuple(scores.examples[i] for i in used.tolist()),
        starts=np.concatenate([[0], np.cumsum(scores.n[two])]).astype(np.int64),
        where=np.searchsorted(used, where).astype(np.int32),
        empty=np.column_stack(
            [np.searchsorted(two, empty[:, 0]), np.searchsorted(used, empty[:, 1])]
        ).astype(np.int64),
        lost_runs=np.empty((0, 2), np.int64),
    )


def _refuse_failures(table: Scores) -> None:
    total = int(table.n_failed.sum())
    if total:
        raise InputError(
            f"{total} rows are marked as failed, and what a failure costs stands in no column of "
            "a corpus statistic; give those rows the counts that a failure should have (all words "
            "wrong, say) and read the table without failed=.",
            code="NF026",
        )


def _units(table: Scores, n: int) -> tuple[NDArray[np.int64], str]:
    """What is independent: whole clusters where the table has them, or items."""
    if table.cluster is None:
        return np.arange(n), "item"
    one, other = table.cluster.codes.reshape(2, n)
    if (one != other).any():
        differing = [table.examples[i] for i in np.flatnonzero(one != other).tolist()]
        raise InputError(
            f"{len(differing)} items lie in different clusters on the two sides: "
            f"{some(differing)}; a pair belongs to one cluster.",
            code="NF026",
        )
    codes = np.unique(one, return_inverse=True)[1].astype(np.int64)
    return codes, "item" if codes.max() + 1 == n else "cluster"
