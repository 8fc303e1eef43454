"""The check-up: gaps, repeats and dependence, settled as the caller says and always told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar, get_args

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import assembly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.table import Labels, Scores

T = TypeVar("T", bound=np.generic)


class Counted(Protocol):
    """What remarks on a table need to know of it, wherever its rows are."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the candidates."""
        ...

    @property
    def n_failed(self) -> NDArray[np.int64]:
        """Failed rows of each candidate, shape (K,)."""
        ...

    @property
    def worst(self) -> float:
        """The worst score there is."""
        ...

    @property
    def binary(self) -> bool:
        """Whether the score is declared to be 0 or 1."""
        ...

    @property
    def zero_or_one(self) -> bool:
        """Whether every score is 0 or 1."""
        ...

    @property
    def n_clusters(self) -> int | None:
        """Different clusters of the rows; None where the input has none."""
        ...


def settle(scores: Scores, missing: str) -> Scores:
    """One score for each candidate and example, with gaps treated as ``missing`` says.

    Args:
        scores: The table as read.
        missing: "raise" refuses gaps; "common" keeps the examples that everyone has; "worst"
            gives a gap the worst score there is; "own" lets each candidate keep its own examples.

    Raises:
        InputError: There are gaps and ``missing`` is "raise", or it cannot be done.
    """
    checks.choice(missing, get_args(checks.Missing), name="missing")
    table = first_of_repeats(scores)
    if table.complete:
        return table
    have = _counts(table)
    if missing == "own":
        return _own(table, have)
    if (have == table.K).all() and not table.empty.size:
        return _as_complete(table)
    if missing == "raise":
        raise InputError(_describe_gaps(table, have), code="NF007")
    if have.max(initial=0) <= 1 and table.K > 1:
        raise InputError(
            f"no example was scored by two candidates, so missing={missing!r} has nothing to "
            "compare; candidates measured on examples of their own need missing='own'.",
            code="NF007",
        )
    return _common(table, have) if missing == "common" else _fill(table)


def dependence(scores: Counted, largest: int) -> tuple[str, ...]:
    """A caution where the input says that its rows belong together.

    Args:
        scores: The table as read, with its clusters.
        largest: Number of examples that one candidate was evaluated on, at most.
    """
    clusters = scores.n_clusters
    if clusters is None or clusters >= largest:
        return ()
    return (
        f"NF106: the rows belong to {clusters} clusters, and this answer treats the up to "
        f"{largest} examples of a candidate as independent draws. For cases from new clusters the "
        f"evidence is closer to {clusters} draws than to {largest}.",
    )


def looks_binary(scores: Counted) -> tuple[str, ...]:
    """A hint where every score is 0 or 1 and nobody has declared that it must be."""
    if scores.binary or not scores.zero_or_one:
        return ()
    return (
        "NF105: every score is 0 or 1, and a quantile of those says next to nothing. Declare "
        "binary=True (--binary) to get an exact bound on the rate instead.",
    )


def failures(scores: Counted) -> tuple[str, ...]:
    """How many rows failed, whose, and what they count as."""
    total = int(scores.n_failed.sum())
    if not total:
        return ()
    most = sorted(np.flatnonzero(scores.n_failed), key=lambda k: -scores.n_failed[k])
    who = [f"{scores.candidates[k]}: {scores.n_failed[k]}" for k in most]
    return (
        f"NF110: {total} rows are marked as failed and count as the worst possible score "
        f"({scores.worst:g}): {some(who)}.",
    )


def _counts(table: Scores) -> NDArray[np.int64]:
    """How many candidates have a score on each example."""
    places = np.arange(len(table.examples)) if table.where is None else table.where
    return np.bincount(places, minlength=len(table.examples))


def first_of_repeats(table: Scores) -> Scores:
    """One row of each candidate and example: the first by run and cluster."""
    if table.where is None:
        return table
    again = np.zeros(table.values.size, np.bool_)
    again[1:] = table.where[1:] == table.where[:-1]
    again[table.starts[1:-1][table.starts[1:-1] < again.size]] = False
    # Where the first run of an example is missing, a later one must not stand in for it.
    again |= _among(table, table.empty)
    if not again.any():
        return table
    by = "run" if table.run is not None else "cluster"
    first = table.take(
        ~again,
        note=f"NF111: {int(again.sum())} rows repeat a candidate and example (told apart by the "
        f"{by} column). Repeats of one example are not independent draws, so the first one by "
        f"{by} is used and the others are left out.",
    )
    if (_counts(first) == first.K).all() and not first.empty.size:
        return _as_complete(first)
    return first


def _among(table: Scores, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows belong to one of these (candidate, example) cells."""
    E = len(table.examples)
    owner = np.repeat(np.arange(table.K), table.n)
    place = np.concatenate([table.places(k) for k in range(table.K)])
    return np.isin(owner * E + place, cells[:, 0] * E + cells[:, 1])


def _as_complete(table: Scores) -> Scores:
    """Forget the places of a table in which everyone has every example, in order."""
    return replace(table, where=None)


def _own(table: Scores, have: NDArray[np.int64]) -> Scores:
    note = (
        f"NF109: every candidate stands on its own examples (n from {table.n.min()} to "
        f"{table.n.max()}); nothing is paired."
    )
    if table.empty.size:
        note += f" Without a score and left out: {some(_spell(table, table.empty))}."
    if have.max(initial=0) > 1 and have.min(initial=0) < table.K:
        common = int((have == table.K).sum())
        note += (
            f" Beware: the candidates share examples ({common} are common to all), and whoever "
            f"lacks the hard ones looks better than he is. {_who_lacks(table)}"
        )
    without = [c for c, n in zip(table.candidates, table.n, strict=True) if n == 0]
    if without:
        raise InputError(f"no score at all for {some(without)}.", code="NF002")
    return replace(table, notes=(*table.notes, note))


def _common(table: Scores, have: NDArray[np.int64]) -> Scores:
    shared = have == table.K
    count = int(shared.sum())
    if not count:
        raise InputError(
            f"no example has a score from all {table.K} candidates. {_who_lacks(table)} Leave "
            "those candidates out, or use missing='worst'.",
            code="NF007",
        )
    where = table.where if table.where is not None else np.empty(0, np.int32)
    kept = table.take(shared[where])
    index = np.cumsum(shared) - 1
    return replace(
        kept,
        examples=tuple(e for e, keep in zip(table.examples, shared, strict=True) if keep),
        where=None,
        empty=np.empty((0, 2), np.int64),
        lost_runs=np.empty((0, 2), np.int64),
        cluster=kept.cluster,
        starts=np.arange(table.K + 1, dtype=np.int64) * (int(index[-1]) + 1),
        notes=(
            *table.notes,
            f"NF107: {count} of {len(table.examples)} examples have a score from every candidate, "
            f"and only those are used: the claim speaks of the examples everyone ran. "
            f"{_who_lacks(table)}",
        ),
    )


def _fill(table: Scores) -> Scores:
    grid = np.full((table.K, len(table.examples)), table.worst)
    owner = np.repeat(np.arange(table.K), table.n)
    grid[owner, table.where] = table.values
    rows = assembly.complete(grid.ravel(), np.arange(table.K + 1, dtype=np.int64) * grid.shape[1])
    filled = grid.size - table.values.size
    return replace(
        table,
        values=rows.values,
        starts=rows.starts,
        where=None,
        empty=np.empty((0, 2), np.int64),
        lost_runs=np.empty((0, 2), np.int64),
        run=None,
        cluster=_of_examples(table, table.cluster),
        group=_of_examples(table, table.group),
        input=_spread_texts(table.input, owner, table),
        output=_spread_texts(table.output, owner, table),
        time=None if table.time is None else _spread(table.time, owner, table, np.nan),
        kept={name: _spread(column, owner, table, np.nan) for name, column in table.kept.items()},
        failed=None if table.failed is None else _spread(table.failed, owner, table, fill=False),
        filled=_spread(np.zeros(table.values.size, np.bool_), owner, table, fill=True),
        notes=(
            *table.notes,
            f"NF108: {filled} missing scores count as the worst possible score "
            f"({table.worst:g}). {_who_lacks(table)}",
        ),
    )


def _of_examples(table: Scores, labels: Labels | None) -> Labels | None:
    """Labels of the full grid, where every example has one and the same for all."""
    if labels is None or table.where is None:
        return None
    of = np.full(len(table.examples), -1, np.int32)
    of[table.where] = labels.codes
    if (of < 0).any() or (of[table.where] != labels.codes).any():
        return None
    return labels._replace(codes=np.tile(of, table.K))


def _spread(
    column: NDArray[T], owner: NDArray[np.int64], table: Scores, fill: object
) -> NDArray[T]:
    """A column of the rows as a column of the full grid, with ``fill`` where there is no row."""
    grid = np.full((table.K, len(table.examples)), fill, dtype=column.dtype)
    grid[owner, table.where] = column
    return grid.ravel()


def _spread_texts(column: Labels | None, owner: NDArray[np.int64], table: Scores) -> Labels | None:
    """A text column of the full grid; a row that is not there has an empty text."""
    if column is None:
        return None
    codes = _spread(column.codes, owner, table, fill=len(column.names))
    return column._replace(codes=codes, names=(*column.names, ""))


def _describe_gaps(table: Scores, have: NDArray[np.int64]) -> str:
    if have.max(initial=0) <= 1 and table.K > 1:
        return (
            f"no example was scored by two candidates (n from {table.n.min()} to "
            f"{table.n.max()}); if each was measured on examples of its own, say missing='own'."
        )
    common = int((have == table.K).sum())
    return (
        f"not every candidate has a score on every example, and choosing on unequal sets chooses "
        f"who failed where. {_who_lacks(table)} Say missing='common' to use the {common} "
        f"examples everyone has, 'worst' to count a gap as the worst score, or 'own' if the "
        "candidates were measured on examples of their own."
    )


def _who_lacks(table: Scores) -> str:
    E = len(table.examples)
    lacking = [k for k in range(table.K) if table.n[k] < E]
    lacking.sort(key=lambda k: (int(table.n[k]), table.candidates[k]))
    told = []
    for k in lacking[:3]:
        absent = np.setdiff1d(np.arange(E), table.places(k))
        ids = some([table.examples[i] for i in absent], most=2)
        nan = int((table.empty[:, 0] == k).sum())
        told.append(
            f"{table.candidates[k]!r} lacks {absent.size} ({ids}"
            + (f"; {nan} with an empty or NaN score)" if nan else ")")
        )
    more = f"; {len(lacking) - 3} more candidates lack some" if len(lacking) > 3 else ""
    return "; ".join(told) + more + "."


def _spell(table: Scores, cells: NDArray[np.int64]) -> list[str]:
    return [f"{table.candidates[k]}/{table.examples[i]}" for k, i in cells.tolist()]
