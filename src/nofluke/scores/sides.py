"""One side of a comparison: the scores of one candidate, one number for each example."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import metrics
from nofluke.scores.table import Scores, worst_score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.scores.sourced import Sourced


class Side(NamedTuple):
    """What one candidate has on each of the E examples of the table; arrays of shape (E,).

    Attributes:
        name: The candidate.
        mean: Mean over the rows that have a score; NaN where there is none.
        rows: How many rows have a score.
        gaps: How many have none.
        failed: How many of the rows are marked as failed.
        first: Index, into the table's values, of the first row; -1 where there is none.
    """

    name: str
    mean: NDArray[np.float64]
    rows: NDArray[np.int64]
    gaps: NDArray[np.int64]
    failed: NDArray[np.int64]
    first: NDArray[np.int64]

    @property
    def listed(self) -> NDArray[np.bool_]:
        """Examples that have a row, with a score or without."""
        return np.asarray(self.rows + self.gaps > 0)

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Examples of which every row has a score."""
        return np.asarray((self.rows > 0) & (self.gaps == 0))

    def settled(self, worst: float | None) -> NDArray[np.float64]:
        """The means with every gap, and every example without a row, counted as ``worst``.

        Without a worst score the means as they are, NaN where there is none.
        """
        if worst is None:
            return self.mean
        mean = np.where(self.rows > 0, self.mean, worst)
        total = np.maximum(self.rows + self.gaps, 1)
        moved = mean + (worst - mean) * self.gaps / total
        # A weighted mean lies between the two; rounding must not carry it outside the bounds.
        return np.asarray(np.clip(moved, np.minimum(mean, worst), np.maximum(mean, worst)))


def two_of(scores: Scores | Sourced, a: str, b: str) -> Scores:
    """The table as it is; of a source, the rows of these two candidates in memory.

    Raises:
        InputError: A source has no such candidates, or their rows do not fit in the memory allowed.
    """
    if isinstance(scores, Scores) or not hasattr(scores, "held"):
        return cast("Scores", scores)  # what is no table is refused by who asks of it
    _check_names(scores, a, b)
    return scores.held((a, b))


def check_two(scores: Any, a: str, b: str) -> None:
    """Refuse what is no table, or names that are not two of its candidates.

    Raises:
        InputError: Another kind of object (NF008), unknown ids (NF011), one id twice (NF008).
    """
    if not isinstance(scores, Scores):
        raise InputError(
            f"two candidates are compared in Scores, and a {type(scores).__name__} arrived; make "
            "them with nofluke.read(...) or Scores.from_arrays(...).",
            code="NF008",
        )
    _check_names(scores, a, b)


def _check_names(scores: Scores | Sourced, a: str, b: str) -> None:
    for name in (a, b):
        _index(scores, name)
    if a == b:
        raise InputError(f"a and b are both {a!r}; name two candidates.", code="NF008")


def side(scores: Scores, name: str, worst: float | None) -> Side:
    """The side of the candidate called ``name``.

    Args:
        scores: The table.
        name: The candidate.
        worst: What a failed row counts as; None to take the scores as they are.

    Raises:
        InputError: There is no such candidate, or it has a score that is infinite.
    """
    k, E = _index(scores, name), len(scores.examples)
    place, rows = scores.places(k), slice(int(scores.starts[k]), int(scores.starts[k + 1]))
    values = scores.values[rows]
    failed = np.zeros(values.size, np.bool_) if scores.failed is None else scores.failed[rows]
    if worst is not None:
        values = np.where(failed, worst, values)
    if not np.isfinite(values).all():
        raise _infinite(scores, name, place, values)
    lost = np.concatenate([scores.empty, scores.lost_runs])
    gaps, failures = _counts(lost[lost[:, 0] == k, 1], E), _counts(place[failed], E)
    if scores.complete:
        once, first = np.broadcast_to(np.int64(1), E), np.arange(rows.start, rows.stop)
        return Side(name, mean=values, rows=once, gaps=gaps, failed=failures, first=first)
    first = np.full(E, -1, np.int64)
    first[place[::-1]] = np.arange(rows.start, rows.stop)[::-1]
    return Side(
        name=name,
        mean=_means(values, place, E),
        rows=np.bincount(place, minlength=E),
        gaps=gaps,
        failed=failures,
        first=first,
    )


def worst_of(
    scores: Scores,
    names: Sequence[str],
    *,
    better: str | None,
    bounds: Sequence[float] | None,
    gaps: bool,
) -> float | None:
    """What failed rows and gaps count as, or None if these candidates have nothing of the kind.

    Args:
        scores: The table.
        names: The candidates.
        better: "higher" or "lower" wins, if the caller says.
        bounds: Lowest and highest possible score, if the caller says.
        gaps: Whether gaps count as the worst score.

    Raises:
        InputError: It is needed, and the orientation or the bounds are not known.
    """
    failed = any(scores.n_failed[_index(scores, name)] for name in names)
    if not failed and not gaps:
        return None
    way = better or scores.better or metrics.known(scores.metric).better
    return worst_score(checks.better(way), metrics.bounds_of(scores, bounds, candidates=names))


def _index(scores: Scores | Sourced, name: str) -> int:
    if name in scores.candidates:
        return scores.candidates.index(name)
    close = difflib.get_close_matches(str(name), scores.candidates, n=3)
    hint = f"did you mean {some(close)}?" if close else f"there are {some(scores.candidates)}."
    raise InputError(f"{name!r} is no candidate of the table; {hint}", code="NF011")


def _counts(place: NDArray[np.int64], examples: int) -> NDArray[np.int64]:
    """How often each place occurs; one zero for all where none does."""
    if not place.size:
        return np.broadcast_to(np.int64(0), examples)
    return np.bincount(place, minlength=examples)


def _means(
    values: NDArray[np.float64], place: NDArray[np.int64], examples: int
) -> NDArray[np.float64]:
    """Mean of the values at each place, the same for every order of the rows."""
    means = np.full(examples, np.nan)
    if (np.diff(place) > 0).all():
        means[place] = values
        return means
    order = np.lexsort((values, place))
    x, at = values[order], place[order]
    heads = np.flatnonzero(np.diff(at, prepend=-1))
    counts = np.diff(np.append(heads, at.size))
    # From the lowest value up, so that equal values have exactly that mean; and rounding must not
    # carry a mean past the highest, which may be a bound.
    low, high = x[heads], x[heads + counts - 1]
    above = np.add.reduceat(x - np.repeat(low, counts), heads) / counts
    means[at[heads]] = np.minimum(low + above, high)
    return means


def _infinite(
    scores: Scores, name: str, place: NDArray[np.int64], values: NDArray[np.float64]
) -> InputError:
    bad = np.flatnonzero(~np.isfinite(values))
    told = [f"{name}/{scores.examples[place[i]]}: {values[i]:g}" for i in bad[:5].tolist()]
    return InputError(
        f"{bad.size} scores are infinite ({some(told)}), and a mean difference with them says "
        "nothing. Where they stand for failures, mark those (failed=) and declare bounds=(low, "
        "high): a failed row counts as the worst of these.",
        code="NF016",
    )
