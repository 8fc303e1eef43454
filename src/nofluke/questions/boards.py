"""A board: all candidates on the same independent units, in an order that knows no scores.

A difference of two means over a cluster is the difference of the two means, so the units are made
once for each candidate, and those of a pair are a subtraction.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import sums
from nofluke.questions.counting import Counting
from nofluke.questions.sides import Sides
from nofluke.scores import metrics, pairing
from nofluke.scores.sides import side, worst_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.questions.designs import Units
    from nofluke.questions.sides import Membership
    from nofluke.scores.sides import Side
    from nofluke.scores.table import Scores

MISSING = ("raise", "common", "pairwise")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """K candidates on their units, by name, so that nothing depends on the order of the input.

    Attributes:
        names: The candidates in the order of their names, shape (K,).
        scores: Scores of each on all examples in hash order, shape (K, E); NaN where it has none
            that counts.
        ids: The examples in that order.
        sign: 1 where higher scores win, -1 where lower do.
        bounds: Lowest and highest possible score; None where no method needs them.
        binary: Whether each score is 0 or 1 by declaration, and each example has one.
        counting: What the caller said about units.
        cluster: Whether the table has clusters: how many among these examples; else None.
        notes: What was found on the way.
        units: Of each candidate where all have the same examples: its mean over each unit, less
            the lowest possible score; none where each pair has its own.
        estimates: Mean score of each candidate, shape (K,).
        counts: Examples of each candidate, shape (K,).
    """

    names: tuple[str, ...]
    scores: NDArray[np.float64]
    ids: tuple[str, ...]
    sign: int
    bounds: tuple[float, float] | None
    binary: bool
    counting: Counting
    cluster: int | None
    notes: tuple[str, ...]
    units: tuple[Units, ...] = ()
    estimates: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def K(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of candidates."""
        return len(self.names)

    @property
    def M(self) -> int:  # noqa: N802 (the papers' symbol)
        """Number of ordered pairs."""
        return self.K * (self.K - 1)

    @property
    def shared(self) -> bool:
        """Whether all candidates are compared on the same units."""
        return bool(self.units)

    def pair(self, i: int, j: int) -> Units:
        """The units of one pair: by how much i is better than j on each, in the score's units."""
        if self.shared:
            ours, theirs = self.units[i], self.units[j]
            gain = self.sign * (ours.x - theirs.x)
            estimate = self.sign * (ours.estimate - theirs.estimate)
            return replace(ours, x=gain, estimate=estimate)
        both = ~np.isnan(self.scores[i]) & ~np.isnan(self.scores[j])
        if not both.any():
            raise InputError(
                f"{self.names[i]!r} and {self.names[j]!r} have no example in common, so they "
                "cannot be ranked on one board; leave one of them out.",
                code="NF028",
            )
        return _units(self, self.scores[j], self.scores[i], both, sign=self.sign)

    def influence(self) -> NDArray[np.float64]:
        """What each unit adds to each candidate's mean gain, less its mean; shape (K, n)."""
        x = self.sign * np.array([u.x for u in self.units])
        if (sizes := self.units[0].sizes) is None:
            return np.asarray(x - x.mean(axis=1, keepdims=True))
        share = sizes / sizes.mean()
        return np.asarray(share * (x - (share * x).mean(axis=1, keepdims=True)))


def board(
    scores: Scores,
    *,
    better: str | None,
    bounds: Sequence[float] | None,
    binary: bool | None,
    needs_bounds: bool,
    clusters: Membership,
    max_cluster_size: float | None,
    weights: Mapping[str, float] | None,
    max_weight: float | None,
    missing: str,
    planned: int | None,
    seed: int,
) -> Board:
    """The board of all candidates of a table.

    Raises:
        InputError: Fewer than two candidates, no orientation, gaps, scores outside the bounds.
    """
    way = checks.better(better or scores.better or metrics.known(scores.metric).better)
    declared = binary if binary is not None else _known_binary(scores)
    if declared and bounds is None and scores.bounds is None:
        bounds = (0.0, 1.0)
    limits = _limits(scores, bounds, needed=needs_bounds)
    names = tuple(sorted(scores.candidates))
    worst = worst_of(scores, names, better=way, bounds=limits, gaps=False)
    found = [side(scores, name, worst) for name in names]
    used, notes = _used(found, missing)
    at = np.flatnonzero(used)
    at = at[pairing.hash_order([scores.examples[i] for i in at.tolist()], seed)]
    matrix = np.array([np.where(s.whole, s.settled(worst), np.nan)[at] for s in found])
    repeated = any(bool((s.rows[at] > 1).any()) for s in found)
    ids = tuple(scores.examples[i] for i in at.tolist())
    cluster = pairing.one_label(scores, "cluster", found, at)
    empty = np.zeros(at.size)
    labelled = Sides(ids=ids, a=empty, b=empty, sign=1, cluster=cluster)
    counting = Counting(
        clusters=labelled.labels(clusters, "cluster"),
        groups=None,
        max_cluster_size=max_cluster_size,
        mix=None,
        weights=weights,
        max_weight=max_weight,
        population=None,
        planned=planned,
        seed=seed,
    )
    counting.check(paired=True)
    seen = matrix[~np.isnan(matrix)]
    zero_one = bool(np.isin(seen, (0.0, 1.0)).all())
    if binary and not zero_one and not repeated:
        other = seen[~np.isin(seen, (0.0, 1.0))].tolist()
        raise InputError(
            f"binary=True, but {len(other)} scores are neither 0 nor 1, such as "
            f"{some(other, most=3)}.",
            code="NF014",
        )
    made = Board(
        names=names,
        scores=matrix,
        ids=ids,
        sign=1 if way == "higher" else -1,
        bounds=limits,
        binary=declared and zero_one and not repeated,
        counting=counting,
        cluster=None if cluster is None else int(np.unique(cluster.codes).size),
        notes=(*notes, *_row_notes(found, at, worst)),
    )
    return _filled(made, shared=missing != "pairwise")


def _filled(made: Board, *, shared: bool) -> Board:
    """The board with the units and means of its candidates."""
    low = 0.0 if made.bounds is None else made.bounds[0]
    base, there = np.full(len(made.ids), low), ~np.isnan(made.scores)
    units = [
        _units(made, base, row, mask, sign=1) for row, mask in zip(made.scores, there, strict=True)
    ]
    plain = units[0].word == "pairs" and units[0].sizes is None
    estimates = [
        sums.mean(row[mask]) if plain else low + u.estimate
        for row, mask, u in zip(made.scores, there, units, strict=True)
    ]
    return replace(
        made,
        units=tuple(units) if shared else (),
        estimates=np.array(estimates),
        counts=there.sum(axis=1),
    )


def _units(
    made: Board,
    base: NDArray[np.float64],
    row: NDArray[np.float64],
    where: NDArray[np.bool_],
    *,
    sign: int,
) -> Units:
    """The units of row minus base (times the sign) on some of the examples."""
    clusters = made.counting.clusters
    gain = sign * (row - base)[where]
    found = Sides(
        ids=made.ids if where.all() else tuple(np.array(made.ids, object)[where].tolist()),
        a=np.zeros(gain.size),
        b=gain,
        sign=1,
        bounds=made.bounds,
    )
    counting = replace(made.counting, clusters=clusters and clusters.at(where))
    return counting.units(found)


def _used(found: list[Side], missing: str) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Which examples count, and what is to be told of the others."""
    checks.choice(missing, MISSING, name="missing")
    listed = np.asarray(np.any([s.listed for s in found], axis=0))
    whole = np.array([s.whole for s in found])
    common = np.asarray(whole.all(axis=0))
    if bool((common | ~listed).all()):
        return common, ()
    lacking = {s.name: int((listed & ~w).sum()) for s, w in zip(found, whole, strict=True)}
    told = _listed([f"{name!r} lacks {n}" for name, n in lacking.items() if n])
    bare = [s.name for s, w in zip(found, whole, strict=True) if not w.any()]
    if bare:
        raise InputError(
            f"{some(bare)} has no example with all its scores, so there is nothing to rank it by; "
            "leave it out.",
            code="NF028",
        )
    total, kept = int(listed.sum()), int(common.sum())
    if missing == "pairwise":
        return np.asarray(whole.any(axis=0)), (
            f"NF161: each pair is compared on the examples that both have in full, so means are "
            f"over different examples and the order of three need not be one order. Of {total} "
            f"examples {told}.",
        )
    if missing == "raise" or not kept:
        advice = (
            f"Say missing='common' to rank on the {kept} examples that all have in full, or "
            "'pairwise' to compare each pair on its own."
            if kept
            else "No example has all its scores of all candidates; leave candidates out, or say "
            "missing='pairwise' to compare each pair on its own examples."
        )
        raise InputError(
            f"of {total} examples {told}. Whoever lacks the hard examples looks better. {advice}",
            code="NF028",
        )
    return common, (
        f"NF160: only the {kept} of {total} examples that all candidates have in full are used, "
        f"and the ranks speak of those: {told}.",
    )


def _listed(parts: list[str], most: int = 5) -> str:
    more = f" and {len(parts) - most} more" if len(parts) > most else ""
    return ", ".join(parts[:most]) + more


def _limits(
    scores: Scores, bounds: Sequence[float] | None, *, needed: bool
) -> tuple[float, float] | None:
    try:
        return metrics.bounds_of(scores, bounds)
    except InputError as error:
        if needed or error.code == "NF010":
            raise
        return None


def _known_binary(scores: Scores) -> bool:
    return scores.binary or metrics.known(scores.metric).binary


def _row_notes(found: list[Side], at: NDArray[np.int64], worst: float | None) -> list[str]:
    """What there is to tell of repeats and of failed rows."""
    notes = []
    most = max(int((s.rows + s.gaps)[at].max()) for s in found)
    if most > 1:
        notes.append(
            f"NF137: the rows of an example (up to {most}) are averaged before anything else. "
            "Repeats of one example are not independent draws, so an example counts once."
        )
    failed = {s.name: int(s.failed[at].sum()) for s in found}
    if any(failed.values()):
        told = _listed([f"{name!r} {count}" for name, count in failed.items() if count])
        notes.append(
            f"NF110: rows that are marked as failed count as the worst possible score "
            f"({worst:g}): {told}."
        )
    return notes
