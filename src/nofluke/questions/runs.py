"""`runs`: where does a quantile of the score of one run lie, judged from a few runs?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.methods import weakest
from nofluke.questions import runs_differences, runs_intervals, runs_remarks
from nofluke.questions.replicates import samples
from nofluke.questions.runs_answer import Runs
from nofluke.scores import findings, metrics
from nofluke.scores.table import Scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.questions.replicates import Sample
    from nofluke.scores.sourced import Sourced


def runs(
    scores: Scores | Sourced | Mapping[str, ArrayLike] | ArrayLike,
    *,
    quantile: float | Sequence[float] = 0.5,
    level: float = 0.9,
    method: str = "auto",
    bounds: Sequence[float] | None = None,
    guaranteed: bool = False,
    tail: str | None = None,
    joint: bool = False,
    simultaneous: bool = False,
    against: str | None = None,
    paired: bool = False,
    value: str | None = None,
    each: str | None = None,
    missing: str = "raise",
    better: str | None = None,
) -> Runs:
    """Intervals for quantiles of the score of one run, from few independent runs.

    The unit is a run: one training with one seed, one repetition of an experiment. The interval
    says where a quantile of the distribution lies that further runs are drawn from; the mean, its
    t interval, SD and SE stand beside it, each under its name. Where the runs are too few for a
    limit, there is none (or the natural bound), and the number of runs that it needs is told.

    Args:
        scores: A table or source: without a run column every example is one run, else the run is
            the unit; or an array of one number for each run, shape (n,); or a mapping of
            configuration to such an array.
        quantile: Which quantile, in (0, 1): 0.5 is the median, 0.05 what all but 5 % of the runs
            exceed; or several.
        level: Confidence of each interval.
        method: A method of ``nofluke.quantiles`` by name; "auto" decides by the number of runs,
            the quantile and the level, never by the scores; but where runs tie it moves limits
            outward to runs. Differences of two quantiles have a method of their own ("mover", or
            "bonferroni" if ``guaranteed``).
        bounds: Lowest and highest possible score; else those of the table or a well-known metric.
            One may be infinite.
        guaranteed: Whether coverage of at least ``level`` must hold for every distribution (exact
            order statistics); else it may hold approximately.
        tail: "log-concave" to declare that the tail of the distribution is no heavier than an
            exponential one, which gives limits where the runs alone give none.
        joint: Whether the intervals of all quantiles of one configuration hold at once, for every
            distribution (exact order statistics, also for one quantile). They have no other method
            and no declared tail; those belong to the differences of ``paired`` then.
        simultaneous: Whether all m intervals hold at once: each gets the error level
            (1 - level) / m. The differences of ``against`` share it among themselves likewise.
        against: A configuration with which each of the others is compared. A difference of two
            quantiles is by ``mover``, or with ``guaranteed`` by Bonferroni, whatever ``method``,
            ``tail`` and ``joint`` say.
        paired: With ``against``: the quantile of the differences run by run, by the runs' ids;
            else the difference of the two quantiles.
        value: "mean" where a run has several examples and its number is their mean.
        each: "example" (several runs of each) or "cluster" (several runs in each) for answers to
            each by itself.
        missing: What a run without a score means: "raise", "own" (left out) or "worst".
        better: "higher" or "lower" wins; needed for ``missing="worst"`` only.

    Raises:
        InputError: No configuration has enough runs, several examples in a run and no word about
            them, several runs in a cluster, or arguments that cannot be used as given.

    Source: Hutson 1999 (interpolated order statistics); Scheffe & Tukey 1945 (exact ones); Hanson &
    Koopmans 1964 (log-concave tails); the question: Lehmann & Paromau 2025.

    >>> answer = runs([0.71, 0.74, 0.69, 0.73, 0.72, 0.75, 0.70, 0.76, 0.68, 0.77], guaranteed=True)
    >>> row = answer.rows()[0]
    >>> row["lower"], row["upper"], row["rank_lower"], row["rank_upper"]
    (0.69, 0.75, 2.0, 8.0)
    """
    table = _table(scores, bounds, better)
    asked = _quantiles(quantile)
    level = checks.fraction(level, name="level")
    way = checks.better(better) if better is not None else table.better
    limits = _bounds(table, bounds)
    worst = _worst(way, limits)
    if table.failed is not None and worst is not None:
        values = np.where(table.failed, worst, table.values)
        table = replace(table, values=values, bounds=limits)
    found = samples(table, value=value, each=each, missing=missing, worst=worst)
    _refuse_infinite(found)
    if paired and against is None:
        raise InputError(
            "paired=True is about differences, and against= does not say from what: "
            "against='BASELINE'.",
            code="NF008",
        )
    if joint and not paired:
        _refuse_beside_joint(method, tail)
    how = runs_intervals.How(
        quantiles=asked,
        level=level,
        method=method,
        bounds=limits,
        guaranteed=bool(guaranteed),
        tail=tail,
        joint=bool(joint),
        simultaneous=bool(simultaneous),
    )
    told = runs_intervals.intervals(found, how)
    apart = runs_differences.differences(found, how, against=against, paired=paired)
    means = runs_intervals.means(found, how)
    words = [row["guarantee"] for row in (*told.rows, *apart.rows) if row["status"] != "none"]
    return Runs(
        metric=table.metric,
        better=way,
        quantiles=asked,
        level=level,
        interval_level=how.share(len(found)),
        simultaneous=how.simultaneous,
        joint=how.joint,
        bounds=limits,
        intervals=told.rows,
        means=means,
        samples=tuple(sample.row() for sample in found),
        differences=apart.rows,
        against=against,
        paired=paired,
        part=each,
        value=value,
        guarantee=weakest(words),
        assumes=runs_remarks.assumptions(told, apart, how, missing, paired=paired),
        n=len({(s.candidate, run) for s in found for run in s.runs}),
        digest=table.digest,
        notes=(
            *table.notes,
            *findings.failures(table),
            *runs_remarks.about(table, found, told.rows, how, missing),
            *apart.notes,
        ),
        question={
            "quantile": list(asked),
            "level": level,
            "method": method,
            "metric": table.metric,
            "bounds": None if limits is None else list(limits),
            "guaranteed": how.guaranteed,
            "tail": tail,
            "joint": how.joint,
            "simultaneous": how.simultaneous,
            "against": against,
            "paired": paired,
            "value": value,
            "each": each,
            "missing": missing,
            "better": better,
            "reading": dict(table.reading),
        },
    )


def _refuse_beside_joint(method: str, tail: str | None) -> None:
    """Joint intervals are of one kind; what asks for another one is not passed over."""
    if method != "auto" or tail is not None:
        named = f"method={method!r}" if method != "auto" else f"tail={tail!r}"
        raise InputError(
            f"joint=True takes exact order statistics, which {named} cannot change; leave out one "
            "of them, or use simultaneous=True, which goes with every method.",
            code="NF039",
        )


def _table(scores: Any, bounds: Sequence[float] | None, better: str | None) -> Scores:
    """The table of scores, made of arrays where arrays are given."""
    if isinstance(scores, Scores):
        return scores
    if hasattr(scores, "held"):
        held: Scores = scores.held()
        return held
    if isinstance(scores, str) or hasattr(scores, "__fspath__"):
        raise InputError(
            f"runs takes scores and no path; say runs(nofluke.read({str(scores)!r})).", code="NF008"
        )
    if isinstance(scores, Mapping):
        return Scores.from_arrays(scores, bounds=bounds, better=better)
    if np.ndim(scores) != 1:
        raise InputError(
            f"an array of {np.ndim(scores)} dimensions arrived; expected one number for each run, "
            "shape (n,), a mapping of configuration to such an array, or a table by nofluke.read.",
            code="NF002",
        )
    return Scores.from_arrays({"runs": scores}, bounds=bounds, better=better)


def _quantiles(value: float | Sequence[float]) -> tuple[float, ...]:
    """The quantiles asked for, as given; a repeated one is refused."""
    given: Any = value
    listed = [given] if isinstance(given, str) or np.ndim(given) == 0 else list(given)
    if not listed:
        raise InputError(
            "quantile= is empty; give at least one between 0 and 1, such as 0.05.",
            code="NF008",
        )
    shares = tuple(checks.fraction(u, name="quantile") for u in listed)
    repeated = sorted({u for u in shares if shares.count(u) > 1})
    if repeated:
        raise InputError(
            f"quantile= has {some(repeated)} more than once; give each quantile once.",
            code="NF008",
        )
    return shares


def _bounds(table: Scores, bounds: Sequence[float] | None) -> tuple[float, float] | None:
    """Lowest and highest possible score, as said now, by the table or by the metric's meaning."""
    limits = checks.bounds(bounds) or table.bounds or metrics.known(table.metric).bounds
    if limits is not None:
        measured = None if table.failed is None else ~table.failed
        table.refuse_outside(*limits, among=measured)
    return limits


def _worst(way: str | None, limits: tuple[float, float] | None) -> float | None:
    """The worst score there is, where that is known and finite."""
    if way is None or limits is None:
        return None
    worst = limits[0 if way == "higher" else 1]
    return worst if math.isfinite(worst) else None


def _refuse_infinite(found: tuple[Sample, ...]) -> None:
    wrong = [s.name for s in found if not np.isfinite(s.x).all()]
    if wrong:
        raise InputError(
            f"{some(wrong)} has runs with an infinite score; limits are read between runs, and "
            "there is nothing between a number and infinity. Declare bounds=, so that a failed run "
            "counts as the worst of them, or leave these runs out.",
            code="NF008",
        )
