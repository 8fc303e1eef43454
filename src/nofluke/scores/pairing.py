"""Pairs for a comparison of two candidates, and an audit of whether they are pairs.

Examples are joined by id, byte for byte, never by the order of rows. What does not fit is refused
with what to try; what the pairs rest on is counted and told.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import audit, gaps, sides
from nofluke.scores.table import Labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.scores.sides import Side
    from nofluke.scores.table import Scores

MISSING = ("raise", "common", "worst")

_BLOCK = 1 << 14  # ids hashed at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """Two candidates on the same n examples.

    Attributes:
        ids: The examples.
        a: Scores of the first candidate, shape (n,): means over the runs of an example.
        b: Scores of the second. A difference is always b minus a.
        order: A permutation of the pairs that depends on their ids and a seed alone, shape (n,).
        cluster: Cluster of each pair, where the table has clusters.
        group: Group of each pair, where the table has groups.
        time: When each pair was there: the latest time of its rows, NaN where unknown, shape (n,);
            None where the table has no time.
        counts: What the pairs rest on, ready for JSON: see ``pair``.
        notes: What the user should know, each beginning with its code.
    """

    ids: tuple[str, ...]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    order: NDArray[np.int64]
    cluster: Labels | None
    group: Labels | None
    time: NDArray[np.float64] | None
    counts: dict[str, Any]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """Two candidates, each on examples of its own.

    Attributes:
        ids_a: The examples of the first.
        ids_b: The examples of the second.
        a: Scores of the first, shape (n_a,): means over the runs of an example.
        b: Scores of the second, shape (n_b,).
        order_a: A permutation that depends on ids and a seed alone, shape (n_a,).
        order_b: The same for the second, shape (n_b,).
        cluster_a: Group of each example of the first, where the table has clusters.
        cluster_b: The same for the second.
        counts: What the samples rest on, ready for JSON.
        notes: What the user should know, each beginning with its code.
    """

    ids_a: tuple[str, ...]
    ids_b: tuple[str, ...]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    order_a: NDArray[np.int64]
    order_b: NDArray[np.int64]
    cluster_a: Labels | None
    cluster_b: Labels | None
    counts: dict[str, Any]
    notes: tuple[str, ...]


def pair(
    scores: Scores,
    a: str,
    b: str,
    *,
    missing: str = "raise",
    seed: int = 0,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
) -> Pairs:
    """Pairs of two candidates' scores on the same examples.

    Runs of an example are averaged on each side first, so that an example is one pair however often
    it was run. Examples that neither candidate has a row for are of no concern, and neither are
    other candidates.

    Args:
        scores: The table.
        a: The first candidate.
        b: The second; a difference is b minus a.
        missing: "raise" refuses examples that one side lacks or has without a score. "common" uses
            the examples that both have in full. "worst" counts a missing score as the worst there
            is; an example on which nobody has a score is left out, as it compares nothing.
        seed: Of the permutation.
        better: "higher" or "lower" wins, if not the table or its metric says; for the worst score.
        bounds: Lowest and highest possible score, likewise.

    Returns:
        The pairs. Their ``counts`` are: pairs; only_a and only_b, examples with rows of one side
        alone; missing_a and missing_b, examples with a row that has no score; repeats_a and
        repeats_b, rows beyond the first of each pair; failed_a and failed_b, rows of the pairs
        that are marked as failed; identical_scores, the share of pairs with equal scores;
        identical_outputs and inputs_differ, shares of pairs or None if nothing could be compared;
        inputs_distance, the mean edit distance between inputs that differ, from 0 to 1, or None.

    Raises:
        InputError: Unknown candidates, no shared examples, gaps, an example in two clusters,
            infinite scores.

    >>> from nofluke import Scores
    >>> s = Scores.from_arrays({"old": [0, 1, 1], "new": [1, 1, 1]}, examples=["x", "y", "z"])
    >>> p = pair(s, "old", "new")
    >>> p.ids, (p.b - p.a).tolist(), p.counts["pairs"]
    (('x', 'y', 'z'), [1.0, 0.0, 0.0], 3)
    """
    _check_missing(missing)
    checks.whole(seed, name="seed", least=0)
    left, right, worst = _sides(scores, a, b, better, bounds, fill=missing == "worst")
    lacking = gaps.between(scores, left, right)
    if not (left.listed & right.listed).any():
        raise lacking.no_pairs()
    if missing == "raise" and not lacking.none:
        raise lacking.refused()
    used = lacking.common if missing != "worst" else lacking.listed & ~lacking.nobody
    if not used.any():
        raise InputError(
            f"no example has all its scores of both {a!r} and {b!r}: {lacking.told()}",
            code="NF017",
        )
    at = np.flatnonzero(used)
    every = at.size == len(scores.examples)
    ids = scores.examples if every else tuple(scores.examples[i] for i in at.tolist())
    x, y = (s.settled(worst)[at] for s in (left, right))
    order, time = hash_order(ids, seed), _times(scores, left, right, at)
    contents = audit.of(scores, left, right, at, order)
    return Pairs(
        ids=ids,
        a=x,
        b=y,
        order=order,
        cluster=one_label(scores, "cluster", (left, right), at),
        group=one_label(scores, "group", (left, right), at),
        time=time,
        counts={
            "pairs": at.size,
            "only_a": int(lacking.only_a.sum()),
            "only_b": int(lacking.only_b.sum()),
            "missing_a": int(lacking.empty_a.sum()),
            "missing_b": int(lacking.empty_b.sum()),
            **_counted((left, at), (right, at)),
            "identical_scores": float((x == y).mean()),
            **contents.counts,
        },
        notes=(
            *(() if lacking.none else (lacking.note(missing, worst),)),
            *_row_notes(worst, (left, at), (right, at)),
            *contents.notes,
            *audit.identical_note(x, y, contents.counts["identical_outputs"]),
            *audit.sorted_note(ids, x, time, a),
        ),
    )


def unpaired(
    scores: Scores,
    a: str,
    b: str,
    *,
    missing: str = "raise",
    overlap: str = "raise",
    seed: int = 0,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
) -> Samples:
    """Two candidates' scores, each on examples of its own, for a two-sample comparison.

    Args:
        scores: The table.
        a: The first candidate.
        b: The second.
        missing: "raise" refuses examples without a score, "own" leaves them out, "worst" counts
            them as the worst score.
        overlap: "raise" refuses examples that both have: compared in pairs they tell more, and two
            samples that share examples are not independent. "accept" goes on with a note.
        seed: Of the permutations.
        better: "higher" or "lower" wins, if not the table or its metric says; for the worst score.
        bounds: Lowest and highest possible score, likewise.

    Raises:
        InputError: Unknown candidates, shared examples, gaps, infinite scores.

    >>> from nofluke import Scores
    >>> s = unpaired(Scores.from_arrays({"old": [0, 1], "new": [1, 1, 0]}), "old", "new")
    >>> s.a.tolist(), s.b.tolist(), s.counts["shared"]
    ([0.0, 1.0], [1.0, 1.0, 0.0], 0)
    """
    checks.choice(missing, ("raise", "own", "worst"), name="missing")
    checks.choice(overlap, ("raise", "accept"), name="overlap")
    checks.whole(seed, name="seed", least=0)
    left, right, worst = _sides(scores, a, b, better, bounds, fill=missing == "worst")
    shared = int((left.listed & right.listed).sum())
    if shared and overlap == "raise":
        raise InputError(
            f"{a!r} and {b!r} share {shared} examples, so their scores are not two independent "
            "samples. Compare them in pairs, which tells more; paired=False is for examples of "
            "their own.",
            code="NF008",
        )
    lacking = gaps.between(scores, left, right)
    if missing == "raise" and (lacking.empty_a | lacking.empty_b).any():
        raise InputError(
            f"{lacking.told(alone=False)} Say missing='own' to leave them out, or 'worst' to count "
            "a missing score as the worst there is.",
            code="NF007",
        )
    at_a, at_b = (_own(s, fill=missing == "worst") for s in (left, right))
    ids_a, ids_b = (tuple(scores.examples[i] for i in at.tolist()) for at in (at_a, at_b))
    empty = {"missing_a": int(lacking.empty_a.sum()), "missing_b": int(lacking.empty_b.sum())}
    groups = [one_label(scores, "cluster", (s,), at) for s, at in ((left, at_a), (right, at_b))]
    return Samples(
        ids_a=ids_a,
        ids_b=ids_b,
        a=left.settled(worst)[at_a],
        b=right.settled(worst)[at_b],
        order_a=hash_order(ids_a, seed),
        order_b=hash_order(ids_b, seed),
        cluster_a=groups[0],
        cluster_b=groups[1],
        counts={
            "n_a": at_a.size,
            "n_b": at_b.size,
            "shared": shared,
            **empty,
            **_counted((left, at_a), (right, at_b)),
        },
        notes=(
            *_unpaired_notes(lacking, worst if missing == "worst" else None),
            *_shared_notes(shared, groups),
            *_row_notes(worst, (left, at_a), (right, at_b)),
        ),
    )


def hash_order(ids: Sequence[str], seed: int) -> NDArray[np.int64]:
    """A permutation of the ids that looks random and depends on nothing but them and the seed.

    The ids are sorted by the first 64 bits of BLAKE2b of the seed, a colon and the id in UTF-8. So
    neither scores nor the order of rows can move an id, and one more id leaves the others in their
    order.

    Args:
        ids: Different texts, n of them.
        seed: At least 0; another seed is another permutation.

    Returns:
        Positions in ``ids``, first to last, shape (n,).

    >>> [["x", "y", "z"][i] for i in hash_order(["x", "y", "z"], 0)]
    ['z', 'x', 'y']
    >>> [["z", "y", "x"][i] for i in hash_order(["z", "y", "x"], 0)]
    ['z', 'x', 'y']
    """
    keys = _hashes(ids, seed)
    order = np.argsort(keys, kind="stable")
    if (keys[order][1:] == keys[order][:-1]).any():  # hardly ever; then the ids decide
        return np.array(sorted(order.tolist(), key=lambda i: (keys[i], ids[i])), np.int64)
    return order.astype(np.int64)


def _hashes(ids: Sequence[str], seed: int) -> NDArray[np.uint64]:
    start, keys = f"{seed}:".encode(), np.empty(len(ids), np.uint64)
    for low in range(0, len(ids), _BLOCK):
        part = ids[low : low + _BLOCK]
        digests = [hashlib.blake2b(start + text.encode(), digest_size=8).digest() for text in part]
        keys[low : low + _BLOCK] = np.frombuffer(b"".join(digests), ">u8")
    return keys


def _check_missing(missing: str) -> None:
    if missing == "own":
        raise InputError(
            "missing='own' lets each candidate keep examples of its own, and a paired comparison "
            "has none of those: say 'common' or 'worst', or paired=False for a two-sample test.",
            code="NF008",
        )
    checks.choice(missing, MISSING, name="missing")


def _sides(
    scores: Scores,
    a: str,
    b: str,
    better: str | None,
    bounds: Sequence[float] | None,
    *,
    fill: bool,
) -> tuple[Side, Side, float | None]:
    sides.check_two(scores, a, b)
    worst = sides.worst_of(scores, (a, b), better=better, bounds=bounds, gaps=fill)
    return sides.side(scores, a, worst), sides.side(scores, b, worst), worst


def one_label(
    scores: Scores, column: str, of: Sequence[Side], at: NDArray[np.int64]
) -> Labels | None:
    """The cluster or group of each example on which these sides have rows: each lies in one."""
    labels: Labels | None = getattr(scores, column)
    if labels is None:
        return None
    low = np.full(len(scores.examples), len(labels.names), np.int32)
    high = np.full(len(scores.examples), -1, np.int32)
    for s in of:
        place, codes = _rows(scores, s.name, labels.codes)
        np.minimum.at(low, place, codes)
        np.maximum.at(high, place, codes)
    torn = at[low[at] != high[at]]
    if torn.size:
        names = labels.names
        told = [
            f"{scores.examples[i]}: {names[low[i]]} and {names[high[i]]}" for i in torn[:5].tolist()
        ]
        raise InputError(
            f"{torn.size} examples lie in more than one {column} ({some(told)}), so an id does not "
            f"say which example it is. Where each {column} counts its examples anew, make the ids "
            "unique; where the column tells readings of one example apart, it is a run: "
            f'columns={{"run": "...", "{column}": None}}.',
            code="NF018",
        )
    return Labels(low[at], labels.names)


def _times(
    scores: Scores, left: Side, right: Side, at: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The latest time of each example: a pair is there when its last row is."""
    if scores.time is None:
        return None
    latest = np.full(len(scores.examples), np.nan)
    for s in (left, right):
        place, time = _rows(scores, s.name, scores.time)
        np.fmax.at(latest, place, time)
    return latest[at]


def _own(s: Side, *, fill: bool) -> NDArray[np.int64]:
    at = np.flatnonzero(s.listed if fill else s.whole)
    if not at.size:
        raise InputError(f"{s.name!r} has no example with all its scores.", code="NF002")
    return at


def _rows(
    scores: Scores, name: str, column: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Places and values of one candidate's rows."""
    k = scores.candidates.index(name)
    return scores.places(k), column[scores.starts[k] : scores.starts[k + 1]]


def _counted(*used: tuple[Side, NDArray[np.int64]]) -> dict[str, int]:
    """Repeats and failed rows of either side among the examples that are used."""
    again = [int(np.maximum(s.rows + s.gaps - 1, 0)[at].sum()) for s, at in used]
    failed = [int(s.failed[at].sum()) for s, at in used]
    return {
        f"{what}_{letter}": count
        for what, counts in (("repeats", again), ("failed", failed))
        for letter, count in zip("ab", counts, strict=True)
    }


def _row_notes(worst: float | None, *used: tuple[Side, NDArray[np.int64]]) -> list[str]:
    """What there is to tell of repeats and of failed rows."""
    notes = []
    runs = {s.name: (s.rows + s.gaps)[at] for s, at in used}
    if any(r.max() > 1 for r in runs.values()):
        told = ", ".join(
            f"{name!r} {r.max()}" if r.min() == r.max() else f"{name!r} {r.min()} to {r.max()}"
            for name, r in runs.items()
        )
        notes.append(
            f"NF137: the rows of an example are averaged before anything else (rows of each: "
            f"{told}). Repeats of one example are not independent draws, so an example counts once."
        )
    failed = {s.name: int(s.failed[at].sum()) for s, at in used}
    if any(failed.values()):
        told = ", ".join(f"{name!r} {count}" for name, count in failed.items())
        notes.append(
            f"NF110: rows that are marked as failed count as the worst possible score "
            f"({worst:g}): {told}."
        )
    return notes


def _unpaired_notes(lacking: gaps.Gaps, worst: float | None) -> list[str]:
    if not (lacking.empty_a | lacking.empty_b).any():
        return []
    done = "are left out" if worst is None else f"count as the worst possible ({worst:g})"
    return [f"NF131: missing scores {done}. {lacking.told(alone=False)}"]


def _shared_notes(shared: int, groups: Sequence[Labels | None]) -> list[str]:
    """What two samples have in common, though they should have nothing."""
    a, b = groups
    both = 0 if a is None or b is None else np.intersect1d(a.codes, b.codes).size
    if shared:
        return [
            f"NF139: {shared} examples are in both samples, which are therefore not independent; "
            "a paired comparison needs no such assumption and tells more."
        ]
    if both:
        return [
            f"NF139: examples of {both} clusters are in both samples, which are independent only "
            "as far as examples of one cluster are."
        ]
    return []
