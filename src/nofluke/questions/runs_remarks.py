"""What an answer of `runs` must say beside its numbers: conditions, ties, folds, selection."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.errors import some
from nofluke.quantiles import remarks
from nofluke.questions.runs_answer import quantile_name
from nofluke.results import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.questions.replicates import Sample
    from nofluke.questions.runs_intervals import How, Told
    from nofluke.results import Row
    from nofluke.scores.table import Scores


def assumptions(
    intervals: Told, differences: Told, how: How, missing: str, *, paired: bool
) -> tuple[str, ...]:
    """What must be true for the guarantee to hold."""
    told = [
        "Runs are independent draws from one distribution: the same procedure, with what is meant "
        "to vary (a seed, say) drawn anew each time. What is the same in all runs (data, split, "
        "machine) is the same in every run that is spoken of.",
        "The number of runs was fixed before the scores were seen. Adding runs until an interval "
        "looks good breaks it. For a quantile that is watched there is nofluke.sequences.quantile, "
        "for a mean nofluke.sequences.",
        "The configurations were not picked because of these runs.",
    ]
    if how.bounds is not None and any(map(math.isfinite, how.bounds)):
        low, high = how.bounds
        told.append(f"The bounds {low:g} and {high:g} hold for every score that could have come.")
    own = dict.fromkeys((*intervals.assumes, *differences.assumes))
    told += [f"{text[0].upper()}{text[1:]}." for text in own if "independent draws" not in text]
    if differences.rows and paired:
        told.append("Runs with one id belong together (the same seed, split or machine).")
    if missing == "own":
        told.append("That a run has no score has nothing to do with its score.")
    return tuple(told)


def about(
    table: Scores, found: Sequence[Sample], intervals: Sequence[Row], how: How, missing: str
) -> tuple[str, ...]:
    """Notes, each beginning with its code."""
    notes = [
        _gaps(table, missing),
        _ties(found, intervals),
        _outward(intervals),
        _touched(intervals, found, how),
        _folds(found),
        _several(found, intervals, how),
        _without(intervals, how),
        _tail(how),
    ]
    return tuple(note for note in notes if note is not None)


def _gaps(table: Scores, missing: str) -> str | None:
    count = len(table.empty) + len(table.lost_runs)
    if not count:
        return None
    if missing == "worst":
        scores = "missing score counts" if count == 1 else "missing scores count"
        return f"NF108: {count} {scores} as the worst possible score."
    return (
        f"NF109: {count} {'row' if count == 1 else 'rows'} without a score left out; each "
        "configuration stands on the runs that have one. If a run that goes wrong has no score, "
        "all this looks better than it is."
    )


def _ties(found: Sequence[Sample], intervals: Sequence[Row]) -> str | None:
    tied = [s for s in found if s.n > 1 and np.unique(s.x).size < s.n / 2]
    if not tied:
        return None
    first = tied[0]
    where = {(s.candidate, s.part) for s in tied}
    between = [
        row["coverage_low"]
        for row in intervals
        if (row["candidate"], row["part"]) in where
        and not row["outward"]
        and (row["rank_lower"] % 1 or row["rank_upper"] % 1)
    ]
    return (
        f"NF181: fewer than half as many different scores as runs in {len(tied)} of {len(found)} "
        f"samples (such as {first.name!r}: {np.unique(first.x).size} different in {first.n} runs); "
        f"{remarks.ties(min(between, default=None))}. Runs that repeat each other exactly are no "
        "further runs."
    )


def _outward(intervals: Sequence[Row]) -> str | None:
    moved = sum(row["outward"] for row in intervals)
    if not moved:
        return None
    return (
        f"NF183: runs tie, and in {moved} of {len(intervals)} intervals limits that would lie "
        "between two runs were moved outward to runs themselves, since beyond a score that many "
        "runs share they would miss it. That loses no coverage; ranks and coverage are those aimed "
        "at."
    )


def _touched(intervals: Sequence[Row], found: Sequence[Sample], how: How) -> str | None:
    if how.bounds is None:
        return None
    low, high = how.bounds
    at = sum(int(((s.x == low) | (s.x == high)).sum()) for s in found)
    cut = sum(row["beyond"] > 0 for row in intervals)
    if not at and not cut:
        return None
    told = [f"{at} runs score exactly a natural bound ({low:g} or {high:g})"] if at else []
    told += [f"{cut} limits lay beyond one and were cut off there"] if cut else []
    return (
        f"NF182: {' and '.join(told)}. {remarks.CUT}. A score that cannot go "
        "further hides how runs differ, and bounds must hold by the meaning of the score."
    )


def _folds(found: Sequence[Sample]) -> str | None:
    count = sum(s.folds for s in found)
    if not count:
        return None
    return (
        f"NF189: the runs of {count} of {len(found)} samples are called folds. The training sets "
        "of folds of one cross-validation overlap, so their scores are no independent draws, and "
        "how far the intervals hold is not known: they come without a guarantee (heuristic)."
    )


def _several(found: Sequence[Sample], intervals: Sequence[Row], how: How) -> str | None:
    m = len(found) * len(how.quantiles)
    if len(found) < 2:
        return None
    exact = all(row["guarantee"] == "finite-sample" for row in _given(intervals))
    sure = f"{'' if exact else 'about '}{percent(how.level)}"
    if how.simultaneous:
        return (
            f"NF190: {m} intervals hold all at once with confidence {sure}, so the "
            "one that looks best may be quoted. The best run may not: it is not what a "
            "configuration does."
        )
    alone = f"{m} intervals hold each by itself with confidence {sure}, and not all at once"
    if how.joint and len(how.quantiles) > 1:
        alone = (
            f"the {len(how.quantiles)} intervals of one sample hold at once with confidence "
            f"{sure}, and those of all {len(found)} samples do not"
        )
    return (
        f"NF190: {alone}: simultaneous=True asks for that. Quoting the best run, or the best of "
        f"{len(found)} samples with its own interval as if it had been the only one, is a choice "
        "after looking that no level here pays for."
    )


def _given(intervals: Sequence[Row]) -> list[Row]:
    return [row for row in intervals if row["status"] != "none"]


def _without(intervals: Sequence[Row], how: How) -> str | None:
    bare = [row for row in intervals if row["status"] == "none"]
    if not bare:
        return None
    names = dict.fromkeys(
        (row["candidate"] if row["part"] is None else f"{row['candidate']} on {row['part']}")
        for row in bare
    )
    counts = sorted({row["n"] for row in bare})
    ns = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    needed = {row["quantile"]: row["needed"] for row in bare}
    told = ", ".join(f"{n} ({quantile_name(u)})" for u, n in needed.items())
    first = "Enough for a first limit" if how.joint else "The first limit needs, at this level"
    others = " The others are answered." if _given(intervals) else ""
    return (
        f"NF191: no interval for {some(names)} with {ns} {'run' if ns == '1' else 'runs'}. "
        f"{first}: {told}.{others}"
    )


def _tail(how: How) -> str | None:
    if how.tail is None:
        return None
    return (
        f"NF192: the tail was declared {how.tail}, which few runs can neither show nor refute. "
        "Where it is heavier (rare runs that fail badly), a limit beyond the sample misses more "
        "often than it says: 24 % of the time instead of 10 % for a Cauchy law."
    )
