"""What the winner is worth on other rows, the choice among all that were tried paid for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import ndtri, stdtrit

from nofluke import proportions
from nofluke.classify.auc import ASSUMES, ASSUMES_CLUSTERS, effective
from nofluke.classify.auc_intervals import auc_interval
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.questions.certify import certify
from nofluke.questions.champion_reported import places_of
from nofluke.questions.champion_rows import FLAT_ROWS, NO_ROWS, row
from nofluke.questions.champion_sizes import ShareSizes
from nofluke.results import Interval
from nofluke.scores import metrics
from nofluke.selection.bbc import bbc_cv
from nofluke.selection.optimism import zoom_interval
from nofluke.selection.optimism.areas import hybrid_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.classify.auc_covariance import AreaCovariance
    from nofluke.questions.champion_entries import Entries
    from nofluke.questions.champion_rows import Asked
    from nofluke.results import Row
    from nofluke.scores.table import Scores

_BEST = "the best of all that were tried is in the data"
_RESAMPLES = 1000
_FEWEST = 100  # resamples; fewer move the correction by their own chance
_WORK = 3e8  # scores looked at in all resamples: a few seconds


def winner(given: Entries, asked: Asked) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """The lines about the winner, and notes of the parts."""
    line, notes = _interval(given, asked)
    if given.rows is None:
        return (line,), notes
    return (line, _corrected(given, asked), _without_model(given, asked)), notes


def _interval(given: Entries, asked: Asked) -> tuple[Row, tuple[str, ...]]:
    at = given.winner
    what = ("winner", f"candidate {given.names[at]}, chosen as the best, other rows")
    shown = float(given.values[at])
    if given.source == "areas":
        return _best_area(given, asked, what)
    if given.rows is not None:
        se, df = _mean_errors(given)
        if not se.max() > 0:
            return row(given, asked, what, shown, None, ("none", "none", FLAT_ROWS), at=at), ()
        return _zoomed(given, asked, what, se * _wider(df, asked), "asymptotic"), ()
    return _of_number(given, asked, what), ()


def _of_number(given: Entries, asked: Asked, what: tuple[str, str]) -> Row:
    """By the sizes behind each number, where they are known."""
    at = given.winner
    if asked.sizes is None:
        return row(given, asked, what, None, None, ("none", "none", NO_ROWS), at=at)
    if isinstance(asked.sizes, ShareSizes):
        return _best_share(given, asked, what, asked.sizes)
    implied = np.array([asked.sizes.se(v) for v in given.values.tolist()])
    if not implied.max() > 0:  # all are 0 or 1, where no variance is known
        limits = asked.sizes.usual(float(given.values[at]), asked.alpha / asked.tried)
        words = (f"{asked.sizes.method}, Bonferroni", asked.sizes.guarantee, _BEST)
        return row(given, asked, what, None, limits, words, at=at)
    return _zoomed(given, asked, what, implied, asked.sizes.guarantee)


def _mean_errors(given: Entries) -> tuple[NDArray[np.float64], float]:
    """Standard errors of means of rows and their degrees of freedom, clusters counted."""
    if given.clustered is not None:
        return np.sqrt(given.clustered.covariance.diagonal()), given.clustered.df
    rows = cast("NDArray[np.float64]", given.rows)
    return np.array([student.standard_error(x) for x in rows]), rows.shape[1] - 1.0


def _wider(df: float, asked: Asked) -> float:
    """How much wider t makes limits than z, at the level of each of all that were tried.

    What zoom spends on those far behind is counted by z, which is right in the limit only.
    """
    tail = asked.alpha / asked.tried / 2
    return float(stdtrit(df, tail) / ndtri(tail))  # at 1 - tail a small one would be lost


def _zoomed(given: Entries, asked: Asked, what: tuple[str, str], se: Any, word: str) -> Row:
    """Any dependence; those not in the data count as if they had scored as high as the best.

    The largest standard error counts for all: a winner among scores of 0 and 1 has a small one of
    its own, as it was chosen for few zeros, and intervals that trust it are too short. With eight
    candidates on 8 to 60 clusters of five such rows "hybrid" and "projection" covered 61 to 96 %
    instead of 95 %, and this 97 % or more (400 repeats each).
    """
    x = given.sign * given.values
    found = zoom_interval(x, float(se.max()), level=asked.level, tried=asked.tried)
    limits = sorted((given.sign * found.lower, given.sign * found.upper))
    units = "; clusters are independent draws" if given.clustered is not None else ""
    words = ("zoom", word, f"{_BEST}; scores are nearly normal{units}")
    return row(given, asked, what, None, (limits[0], limits[1]), words, at=given.winner)


def _best_share(given: Entries, asked: Asked, what: tuple[str, str], sizes: ShareSizes) -> Row:
    """The error level divided by all that were tried; exact where the counts are known."""
    at, alpha = given.winner, asked.alpha / asked.tried
    value = float(given.values[at])
    counts = _counts(given, asked, sizes)
    if counts is None:
        words = ("wilson, Bonferroni", "asymptotic", f"{_BEST}; rows are independent")
        return row(given, asked, what, None, sizes.usual(value, alpha), words, at=at)
    low, high = (proportions.of_counts(c, sizes.rows, alpha=alpha) for c in counts)
    words = (
        "clopper_pearson, Bonferroni",
        "finite-sample",
        f"{_BEST}; rows are independent; the number reported is the share of them, rounded",
    )
    return row(given, asked, what, None, (low.lower, high.upper), words, at=at)


def _counts(given: Entries, asked: Asked, sizes: ShareSizes) -> tuple[int, int] | None:
    """The fewest and most rows that the winner's number may stand for; None if not known."""
    text = given.written[given.winner] if given.written else None
    places = places_of(text) if asked.decimals is None else asked.decimals
    if places is None:
        return None
    value = float(given.values[given.winner])
    found = sizes.grim(value if text is None else text, places)
    if found.fewest is None or found.most is None:
        return None
    return int(found.fewest), int(found.most)


def _best_area(given: Entries, asked: Asked, what: tuple[str, str]) -> tuple[Row, tuple[str, ...]]:
    at = given.winner
    rows = cast("NDArray[np.float64]", given.rows)
    labels = cast("NDArray[np.bool_]", given.labels)
    # On the logit scale an area of 0 or 1 has no place; the error level is divided then too.
    if asked.tried == given.m and ((given.values > 0) & (given.values < 1)).all():
        best = hybrid_of(
            cast("AreaCovariance", given.areas),
            min(effective(labels, given.clusters)),
            level=asked.level,
            seed=asked.seed,
        )
        units = "" if given.clusters is None else f" {ASSUMES_CLUSTERS}."
        words = (best.method, best.guarantee, best.assumes + units)
        limits = (best.lower, best.upper)
        return row(given, asked, what, best.estimate, limits, words, at=at), best.notes
    own = auc_interval(labels, rows[at], alpha=asked.alpha / asked.tried, clusters=given.clusters)
    units = ASSUMES if given.clusters is None else ASSUMES_CLUSTERS
    words = (f"{own.method}, Bonferroni", own.guarantee, f"{_BEST}; {units}")
    return row(given, asked, what, None, (own.lower, own.upper), words, at=at), own.notes


def _corrected(given: Entries, asked: Asked) -> Row:
    """The winner's score corrected for the choice, by choosing again on resampled rows."""
    what = ("winner (corrected)", "the best chosen on some rows, scored on the others")
    at = given.winner
    size = min(_RESAMPLES, int(_WORK / cast("NDArray[np.float64]", given.rows).size))
    if given.clusters is not None:
        why = "rows come in clusters, and resampling takes them for independent draws"
    elif asked.tried > given.m:
        why = "not all that were tried are here to choose from again"
    elif size < _FEWEST:
        why = "so many rows take too long to resample, and choosing on them adds little"
    else:
        return _resampled(given, asked, what, size)
    return row(given, asked, what, None, None, ("none", "none", why), at=at)


def _resampled(given: Entries, asked: Asked, what: tuple[str, str], size: int) -> Row:
    rows = cast("NDArray[np.float64]", given.rows)
    try:
        found = bbc_cv(
            rows.T,
            better=given.better,
            seed=asked.seed,
            n_resamples=size,
            labels=given.labels,
        )
    except InputError as error:
        return row(given, asked, what, None, None, ("none", "none", str(error)), at=given.winner)
    why = f"a correction and no interval: {size - found.n_skipped} resamples of {found.n} rows"
    line = row(given, asked, what, found.estimate, None, ("bbc", "heuristic", why), at=given.winner)
    return line | {"assumes": found.assumes}


def _without_model(given: Entries, asked: Asked) -> Row:
    """The winner's mean by the claim "winner" of ``certify``: no model, any number of rows."""
    at = given.winner
    what = ("winner (no model)", f"mean score of {given.names[at]}, chosen as the best, other rows")
    try:
        limits, words = _certified(given, asked)
    except InputError as error:
        return row(given, asked, what, None, None, ("none", "none", _because(error)), at=at)
    return row(given, asked, what, None, limits, words, at=at)


def _certified(given: Entries, asked: Asked) -> tuple[tuple[float, float], tuple[str, str, str]]:
    """Limits and words, or an ``InputError`` that says what would give them."""
    if given.source == "areas":
        raise InputError(
            "an area is no mean of scores of rows; decisions at a threshold that was fixed "
            "beforehand, right or wrong on each row, are, and have such an interval",
            code="NF008",
        )
    if given.clusters is not None:
        raise InputError(
            "rows come in clusters, and it takes every row for an independent draw; certify with "
            "one row of each cluster gives one, of a random row of a random cluster",
            code="NF008",
        )
    table = cast("Scores", given.table)
    table = replace(table, better=given.better, metric=given.metric)
    if given.bounds is None:
        raise InputError(
            "no lowest and highest possible score is declared; with bounds that scores cannot "
            "leave there is one",
            code="NF016",
        )
    bounds = metrics.bounds_of(table, given.bounds)
    # Right or wrong on each row: the rate has an exact interval of its own.
    right = metrics.known(given.metric).binary and bool(np.isin(table.values, (0, 1)).all())
    binary = table.binary or right
    found = certify(
        replace(table, bounds=bounds, binary=binary),
        select=lambda _: [given.names[given.winner]],
        delta=asked.alpha,
        claim="winner",
        tried=asked.tried,
        side="both",
        functionals=() if binary else ("mean",),
    )
    region = found.evaluated[0].region
    if isinstance(region, Interval):
        limits = (region.lower, region.upper)
    else:
        (mean,) = found.functionals()
        limits = (mean["lower"], mean["upper"])
    assumes = f"{_BEST}; rows are independent draws; their number did not depend on the scores"
    return limits, (f"{region.method}, Bonferroni", found.guarantee, assumes)


def _because(error: InputError) -> str:
    """The reason without its full stop, as it stands within a sentence."""
    return str(error).rstrip(".")
