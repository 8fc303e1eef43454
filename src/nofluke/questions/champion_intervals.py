"""The intervals of a champion's card: of what was planned, of the recipe, and of the winner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from nofluke import quantiles
from nofluke.classify.auc_intervals import auc_interval
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.questions.champion_rows import FLAT_ROWS, NO_ROWS, NO_SPREAD, row
from nofluke.questions.champion_winner import winner
from nofluke.selection.clustered_means import ClusterDecomposition, decompose_clustered
from nofluke.selection.decompose import SeedDecomposition, of_deviations
from nofluke.selection.seed_scores import MeanDecomposition, decompose_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.kernels.roc_areas import Deviations
    from nofluke.questions.champion_entries import Entries
    from nofluke.questions.champion_rows import Asked
    from nofluke.results import Row

Parts: TypeAlias = SeedDecomposition | MeanDecomposition | ClusterDecomposition


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Rows of the card, the decomposition behind them, and notes of the parts."""

    rows: tuple[Row, ...]
    parts: Parts | None
    notes: tuple[str, ...]


def intervals(given: Entries, asked: Asked) -> Found:
    """Every interval that the data give; with a reason where they give none."""
    parts = _decomposed(given, asked)
    notes = () if parts is None else parts.notes
    rows = [_mean(given, asked, parts)]
    if asked.planned != "mean":
        rows.insert(0, _median(given, asked) if asked.planned == "median" else _own(given, asked))
    if given.source == "numbers":
        rows.append(_next(given, asked))
    about_best, told = winner(given, asked)
    rows.extend(about_best)
    if all(line["lower"] is None for line in rows):
        raise InputError(_nothing(given), code="NF253")
    return Found(rows=tuple(rows), parts=parts, notes=tuple(dict.fromkeys((*notes, *told))))


def _nothing(given: Entries) -> str:
    if given.rows is None:
        return (
            f"no interval can be had: {NO_SPREAD}. Give rows (predictions or scores of examples), "
            "n_positive= and n_negative= for areas, or n_rows= for shares of rows."
        )
    units = "rows" if given.clusters is None else "clusters"
    return (
        f"no interval can be had: {FLAT_ROWS}. Give more {units}, or where rows are independent "
        "the lowest and highest score there can be (bounds=)."
    )


def _decomposed(given: Entries, asked: Asked) -> Parts | None:
    """The parts of the spread of rows; None without rows, and where nothing spreads at all."""
    try:
        return _parts(given, asked)
    except InputError as error:
        if error.code != "NF235" or np.ptp(given.values) > 0:
            raise
        return None


def _parts(given: Entries, asked: Asked) -> Parts | None:
    if given.rows is None:
        return None
    if given.clustered is not None:
        return decompose_clustered(given.clustered, level=asked.level)
    if given.labels is None:
        return decompose_means(given.rows, level=asked.level)
    return of_deviations(
        given.labels,
        cast("Deviations", given.deviations),
        given.covariance,
        given.clusters,
        ("logit", asked.alpha, "both"),
        "delong" if given.clusters is None else "obuchowski",
    )


def _mean(given: Entries, asked: Asked, parts: Parts | None) -> Row:
    about = "mean of the recipe, new candidates and new rows"
    if parts is not None:
        limits = (parts.lower, parts.upper)
        words = (parts.method, parts.guarantee, parts.assumes)
        return row(given, asked, ("mean", about), parts.estimate, limits, words)
    about = "mean of the recipe, new candidates on the same rows"
    x = given.values
    se = _sd(given) / math.sqrt(given.m)
    return _normal(given, asked, ("mean", about), se, float(x.mean()))


def _next(given: Entries, asked: Asked) -> Row:
    """A run that nobody chose: normal prediction from the runs at hand."""
    about = "one further run of the recipe on the same rows, not chosen"
    se = _sd(given) * math.sqrt(1 + 1 / given.m)
    return _normal(given, asked, ("next run", about), se, float(given.values.mean()))


def _normal(given: Entries, asked: Asked, what: tuple[str, str], se: float, centre: float) -> Row:
    if se == 0:
        return row(given, asked, what, centre, None, ("t", "none", NO_SPREAD))
    found = student.limits(centre, se, given.m - 1, asked.alpha, "both")
    word = "asymptotic" if what[0] == "mean" else "heuristic"
    assumes = (
        "scores are independent draws of one recipe, none left out for its score; nearly normal"
        if what[0] == "mean"
        else "scores are independent normal draws of one recipe, none left out for its score"
    )
    return row(given, asked, what, centre, (found.lower, found.upper), ("t", word, assumes))


def _median(given: Entries, asked: Asked) -> Row:
    about = "median of one run of the recipe on the same rows"
    found = quantiles.exact(given.values, 0.5, level=asked.level)
    middle = float(np.median(given.values))
    if found.status != "two_sided":
        why = f"{given.m} scores give no two limits of a median at this level"
        return row(given, asked, ("median", about), middle, None, ("exact", "none", why))
    limits = (float(found.lower), float(found.upper))
    words = ("exact", found.guarantee, "scores are independent draws of one recipe")
    return row(given, asked, ("median", about), middle, limits, words)


def _own(given: Entries, asked: Asked) -> Row:
    """The candidate that was named beforehand, which no choice has to pay for."""
    at = int(asked.planned)
    value, what = float(given.values[at]), ("named", f"candidate {given.names[at]}, other rows")
    units = "rows" if given.clusters is None else "clusters of rows"
    fixed = f"the candidate was named before any score was seen; {units} are independent"
    if given.labels is not None:
        rows = cast("NDArray[np.float64]", given.rows)
        own = auc_interval(given.labels, rows[at], alpha=asked.alpha, clusters=given.clusters)
        words = (own.method, own.guarantee, fixed)
        return row(given, asked, what, value, (own.lower, own.upper), words, at=at)
    if given.rows is not None:
        x, df = given.rows[at], given.rows.shape[1] - 1.0
        se = student.standard_error(x)
        if given.clustered is not None:
            se, df = math.sqrt(given.clustered.covariance[at, at]), given.clustered.df
        if se == 0:
            return row(given, asked, what, value, None, ("t", "none", FLAT_ROWS), at=at)
        near = student.limits(value, se, df, asked.alpha, "both")
        words = ("t", "asymptotic", fixed)
        return row(given, asked, what, value, (near.lower, near.upper), words, at=at)
    if asked.sizes is None:
        return row(given, asked, what, value, None, ("none", "none", NO_ROWS), at=at)
    limits = asked.sizes.usual(value, asked.alpha)
    words = (asked.sizes.method, asked.sizes.guarantee, fixed)
    return row(given, asked, what, value, limits, words, at=at)


def _sd(given: Entries) -> float:
    return float(given.values.std(ddof=1)) if np.ptp(given.values) > 0 else 0.0
