"""Whether pairs are what they seem: the same question, two answers, in no telling order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke.scores import lookalikes, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.scores.sides import Side
    from nofluke.scores.table import Labels, Scores

_FAR = 0.5  # inputs of which more than half was changed are no longer the same question
# Sorted rows: a rank correlation that matters, and that chance would show once in a million times.
_STEEP, _RARE = 0.2, 4.8916


class Found(NamedTuple):
    """What the texts of the pairs say: counts for JSON and notes."""

    counts: dict[str, Any]
    notes: tuple[str, ...]


def of(
    scores: Scores,
    left: Side,
    right: Side,
    at: NDArray[np.int64],
    order: NDArray[np.int64],
) -> Found:
    """Compare what both sides were asked, and what they answered.

    Args:
        scores: The table, with the texts that were read.
        left: One side.
        right: The other.
        at: The examples that are pairs, as positions in the table.
        order: A permutation of the pairs that no text has a say in.
    """
    rows = left.first[at], right.first[at]
    share, distance, notes = _inputs(scores, rows, at, order)
    identical = _outputs(scores, left, right, at)
    return Found(
        {"identical_outputs": identical, "inputs_differ": share, "inputs_distance": distance},
        tuple(notes),
    )


def identical_note(
    a: NDArray[np.float64], b: NDArray[np.float64], outputs: float | None
) -> tuple[str, ...]:
    """A word on pairs whose scores are all equal, or whose outputs are.

    Args:
        a: Scores of one side.
        b: Scores of the other.
        outputs: Share of pairs with identical outputs, if known.
    """
    equal = int((a == b).sum())
    if outputs == 1:
        scored = (
            "So are all scores: this looks like a model compared with itself."
            if equal == a.size
            else f"Yet {a.size - equal} scores differ: the scoring is not repeatable, or the "
            "column holds something else, such as a reference answer."
        )
        return (f"NF134: all outputs that could be compared are identical. {scored}",)
    if equal < a.size:
        return ()
    known = "no outputs were read" if outputs is None else f"{outputs:.0%} of the outputs are equal"
    return (
        f"NF135: A and B have equal scores on every pair ({known}). Nothing tells the two apart "
        "here: that is no proof that they are the same.",
    )


def sorted_note(
    ids: tuple[str, ...], a: NDArray[np.float64], time: NDArray[np.float64] | None, name: str
) -> tuple[str, ...]:
    """A word on pairs that stand in order of difficulty.

    Spearman's rank correlation of score and position has variance 1 / (n - 1) under every
    permutation, ties or none, so its z is rho times sqrt(n - 1).

    Args:
        ids: The examples.
        a: The first candidate's scores.
        time: When the pairs were there, if known; else they stand in the order of their ids.
        name: The candidate.

    >>> scores = np.array([1.0] * 30 + [0.0] * 30)
    >>> sorted_note(tuple(map(str, range(60))), scores, None, "a")[0][:45]
    'NF136: in the order of their ids the scores o'
    """
    known = np.ones(a.size, np.bool_) if time is None else ~np.isnan(time)
    place = _places(ids) if time is None else time
    x, y = _midranks(place[known]), _midranks(a[known])
    spread = float(np.sqrt(np.dot(x, x) * np.dot(y, y)))
    rho = float(np.dot(x, y)) / spread if spread else 0.0
    if abs(rho) <= _STEEP or abs(rho) * np.sqrt(max(x.size - 1, 0)) <= _RARE:
        return ()
    way = "fall" if rho < 0 else "rise"
    by = "of their ids" if time is None else "of time"
    return (
        f"NF136: in the order {by} the scores of {name!r} {way} (rank correlation {rho:.2f}, "
        f"n={x.size}), as if sorted by difficulty. A comparison takes pairs in an order of its "
        "own, so that does no harm here; a stream read in that order would mislead.",
    )


def _inputs(
    scores: Scores,
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
    at: NDArray[np.int64],
    order: NDArray[np.int64],
) -> tuple[float | None, float | None, list[str]]:
    """Share of pairs that were asked different things, how different, and what to tell."""
    if scores.input is None:
        return None, None, []
    a, b, names = _codes(scores.input, *rows)
    found = texts.compared(names, a, b, order)
    if not found.different.size:
        return found.share, None, []
    first = int(found.different[0])
    shown = texts.excerpts(names[a[first]], names[b[first]], found.kind)
    where = f"{'token' if found.kind == 'tokens' else 'character'} {shown[2]}, counted from 0"
    example = (
        f"First at {scores.examples[at[first]]!r}"
        + (f" from {where}" if found.kind != "hash" else "")
        + f": {lookalikes.spelled(shown[0], shown[1])}."
    )
    count = f"the inputs of {found.different.size} of {found.compared} pairs differ"
    if found.distance is None:
        how = " (hashes)" if found.kind == "hash" else ""
        note = f"NF132: {count}{how}, so these pairs may not be the same question. {example}"
        return found.share, None, [note]
    sampled = found.measured < found.different.size
    told = (
        f"{count}, by {found.distance:.0%} of their length on average"
        f"{f' (of {found.measured} measured)' if sampled else ''}"
    )
    if found.distance > _FAR:
        note = f"NF133: {told}: these are different questions under the same ids. {example}"
    else:
        note = f"NF132: {told}: the difference of the scores includes that of the inputs. {example}"
    return found.share, found.distance, [note]


def _outputs(scores: Scores, left: Side, right: Side, at: NDArray[np.int64]) -> float | None:
    """Share of pairs with identical outputs, run by run; None if there are none to compare."""
    if scores.output is None:
        return None
    n = left.rows[at]
    ours, theirs = left.first[at], right.first[at]
    _, _, names = codes = _codes(scores.output, ours, theirs)
    empty = np.array([not text for text in names], np.bool_)
    # What one side never answered is a difference; what neither did is nothing to compare.
    there = (n > 0) & (n == right.rows[at]) & ~(empty[codes[0]] & empty[codes[1]])
    if not there.any():
        return None
    n, ours, theirs = n[there], ours[there], theirs[there]
    heads = np.cumsum(n) - n
    within = np.arange(n.sum()) - np.repeat(heads, n)
    rows = (scores.output.codes[np.repeat(first, n) + within] for first in (ours, theirs))
    return float(np.logical_and.reduceat(np.equal(*rows), heads).mean())


def _codes(
    column: Labels, a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], tuple[str, ...]]:
    """Codes of these rows, and their texts; a row that is not there has an empty text."""
    codes = np.append(column.codes, np.int32(len(column.names)))
    return codes[a], codes[b], (*column.names, "")


def _places(ids: tuple[str, ...]) -> NDArray[np.float64]:
    """Whole numbers by their size, and anything else as it stands in the table."""
    if all(text.isdigit() and text.isascii() for text in ids):
        return np.fromiter(map(float, ids), np.float64, len(ids))
    return np.arange(len(ids), dtype=np.float64)


def _midranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of ``x``, ties sharing their mean, less the mean of all."""
    _, group, counts = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[group] - (x.size + 1) / 2)
