"""The intervals of a champion's card: of what was planned, of the recipe, and of the winner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import ndtri, stdtrit

from nofluke import quantiles
from nofluke.classify.auc_intervals import auc_interval
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.selection.decompose import decompose
from nofluke.selection.optimism import gate_check, hybrid_auc, implied_se, zoom_interval
from nofluke.selection.seed_scores import decompose_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.champion_entries import Entries
    from nofluke.results import Row
    from nofluke.selection.decompose import SeedDecomposition
    from nofluke.selection.seed_scores import MeanDecomposition

NO_ROWS = (
    "one score for each candidate does not say how scores move with the rows; rows of all "
    "candidates do; for areas the sizes of both classes do roughly"
)
NO_SPREAD = "all scores are equal, which is ignorance of the spread and not certainty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Choices, checked.

    Attributes:
        planned: "mean", "median" or the position of the candidate that was planned.
        level: Confidence of each interval.
        tried: Candidates that could have won, those not in the data included.
        sizes: Positive and negative rows behind each area, where said.
        seed: Seed of simulated quantiles.
    """

    planned: str | int
    level: float
    tried: int
    sizes: tuple[int, int] | None
    seed: int

    @property
    def alpha(self) -> float:
        """Error level of each interval."""
        return 1 - self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Rows of the card, the decomposition behind them, and notes of the parts."""

    rows: tuple[Row, ...]
    parts: SeedDecomposition | MeanDecomposition | None
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
    winner, told = _winner(given, asked)
    rows.append(winner)
    if all(row["lower"] is None for row in rows):
        raise InputError(
            f"no interval can be had: {NO_SPREAD}. Give rows (predictions or scores of examples), "
            "or n_positive= and n_negative= for areas.",
            code="NF253",
        )
    return Found(rows=tuple(rows), parts=parts, notes=tuple(dict.fromkeys((*notes, *told))))


def _decomposed(given: Entries, asked: Asked) -> SeedDecomposition | MeanDecomposition | None:
    if given.rows is None:
        return None
    if given.labels is None:
        return decompose_means(given.rows, level=asked.level)
    return decompose(given.labels, given.rows, level=asked.level, clusters=given.clusters)


def _mean(given: Entries, asked: Asked, parts: SeedDecomposition | MeanDecomposition | None) -> Row:
    about = "mean of the recipe, new candidates and new rows"
    if parts is not None:
        limits = (parts.lower, parts.upper)
        words = (parts.method, parts.guarantee, parts.assumes)
        return _row(given, asked, ("mean", about), parts.estimate, limits, words)
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
        return _row(given, asked, what, centre, None, ("t", "none", NO_SPREAD))
    found = student.limits(centre, se, given.m - 1, asked.alpha, "both")
    word = "asymptotic" if what[0] == "mean" else "heuristic"
    assumes = (
        "scores are independent draws of one recipe, none left out for its score; nearly normal"
        if what[0] == "mean"
        else "scores are independent normal draws of one recipe, none left out for its score"
    )
    return _row(given, asked, what, centre, (found.lower, found.upper), ("t", word, assumes))


def _median(given: Entries, asked: Asked) -> Row:
    about = "median of one run of the recipe on the same rows"
    found = quantiles.exact(given.values, 0.5, level=asked.level)
    middle = float(np.median(given.values))
    if found.status != "two_sided":
        why = f"{given.m} scores give no two limits of a median at this level"
        return _row(given, asked, ("median", about), middle, None, ("exact", "none", why))
    limits = (float(found.lower), float(found.upper))
    words = ("exact", found.guarantee, "scores are independent draws of one recipe")
    return _row(given, asked, ("median", about), middle, limits, words)


def _own(given: Entries, asked: Asked) -> Row:
    """The candidate that was named beforehand, which no choice has to pay for."""
    at = int(asked.planned)
    value, what = float(given.values[at]), ("named", f"candidate {given.names[at]}, other rows")
    fixed = "the candidate was named before any score was seen; rows are independent"
    if given.source == "areas":
        own = _area(given, at, asked.alpha)
        words = (own.method, own.guarantee, fixed)
        return _row(given, asked, what, value, (own.lower, own.upper), words, at=at)
    if given.rows is not None:
        x = given.rows[at]
        se = float(x.std(ddof=1)) / math.sqrt(x.size)
        if se == 0:
            return _row(given, asked, what, value, None, ("t", "none", NO_SPREAD), at=at)
        near = student.limits(value, se, x.size - 1, asked.alpha, "both")
        words = ("t", "asymptotic", fixed)
        return _row(given, asked, what, value, (near.lower, near.upper), words, at=at)
    if asked.sizes is None:
        return _row(given, asked, what, value, None, ("none", "none", NO_ROWS), at=at)
    check = gate_check(value, value, *asked.sizes, level=asked.level)
    words = ("newcombe", "heuristic", fixed)
    return _row(given, asked, what, value, (check.lower, check.upper), words, at=at)


def _winner(given: Entries, asked: Asked) -> tuple[Row, tuple[str, ...]]:
    """The winner's true score on other rows, the choice among all that were tried paid for."""
    at = given.winner
    what = ("winner", f"candidate {given.names[at]}, chosen as the best, other rows")
    shown = float(given.values[at])
    if given.source == "areas":
        return _best_area(given, asked, what)
    if given.rows is not None:
        se = given.rows.std(axis=1, ddof=1) / math.sqrt(given.rows.shape[1])
        if not se.max() > 0:
            return _row(given, asked, what, shown, None, ("none", "none", NO_SPREAD), at=at), ()
        wider = _estimated(given.rows.shape[1] - 1, asked.alpha / asked.tried)
        return _zoomed(given, asked, what, se * wider, "asymptotic"), ()
    if asked.sizes is None:
        return _row(given, asked, what, None, None, ("none", "none", NO_ROWS), at=at), ()
    implied = np.array([implied_se(v, *asked.sizes) for v in given.values.tolist()])
    if not implied.max() > 0:
        return _row(given, asked, what, None, None, ("none", "none", NO_SPREAD), at=at), ()
    return _zoomed(given, asked, what, implied, "heuristic"), ()


def _estimated(df: int, alpha: float) -> float:
    """How much wider t makes limits than z, at the level of each of all that were tried.

    What zoom spends on those far behind is counted by z, which is right in the limit only.
    """
    return float(stdtrit(df, 1 - alpha / 2) / ndtri(1 - alpha / 2))


def _zoomed(given: Entries, asked: Asked, what: tuple[str, str], se: Any, word: str) -> Row:
    """Any dependence; those not in the data count as if they had scored as high as the best."""
    x = given.sign * given.values
    hidden = np.full(asked.tried - given.m, x.max())
    found = zoom_interval(np.concatenate([x, hidden]), float(se.max()), level=asked.level)
    limits = sorted((given.sign * found.lower, given.sign * found.upper))
    assumes = "the best of all that were tried is in the data; scores are nearly normal"
    words = ("zoom", word, assumes)
    return _row(given, asked, what, None, (limits[0], limits[1]), words, at=given.winner)


def _best_area(given: Entries, asked: Asked, what: tuple[str, str]) -> tuple[Row, tuple[str, ...]]:
    at = given.winner
    # On the logit scale an area of 0 or 1 has no place; the error level is divided then too.
    if asked.tried == given.m and ((given.values > 0) & (given.values < 1)).all():
        best = hybrid_auc(
            cast("NDArray[np.bool_]", given.labels),
            cast("NDArray[np.float64]", given.rows),
            level=asked.level,
            clusters=given.clusters,
            seed=asked.seed,
        )
        words = (best.method, best.guarantee, best.assumes)
        limits = (best.lower, best.upper)
        return _row(given, asked, what, best.estimate, limits, words, at=at), best.notes
    own = _area(given, at, asked.alpha / asked.tried)
    words = (
        f"{own.method}, Bonferroni",
        own.guarantee,
        "the best of all that were tried is in the data; rows are independent",
    )
    return _row(given, asked, what, None, (own.lower, own.upper), words, at=at), own.notes


def _area(given: Entries, at: int, alpha: float) -> Any:
    rows = cast("NDArray[np.float64]", given.rows)
    labels = cast("NDArray[np.bool_]", given.labels)
    return auc_interval(labels, rows[at], alpha=alpha, clusters=given.clusters)


def _sd(given: Entries) -> float:
    return float(given.values.std(ddof=1)) if np.ptp(given.values) > 0 else 0.0


def _row(  # noqa: PLR0917 (what a line of the card holds)
    given: Entries,
    asked: Asked,
    what: tuple[str, str],
    estimate: float | None,
    limits: tuple[float, float] | None,
    words: tuple[str, str, str],
    *,
    at: int | None = None,
) -> Row:
    """One line of the card; ``words`` are method, guarantee, and assumption or reason."""
    low, high = given.bounds or (-math.inf, math.inf)
    return {
        "what": what[0],
        "about": what[1],
        "candidate": None if at is None else given.names[at],
        "shown": float(given.values.mean() if at is None else given.values[at])
        if what[0] != "median"
        else estimate,
        "estimate": estimate,
        "lower": None if limits is None else max(limits[0], low),
        "upper": None if limits is None else min(limits[1], high),
        "level": asked.level,
        "m": asked.tried if what[0] == "winner" else given.m,
        "method": words[0],
        "guarantee": words[1],
        "assumes": None if limits is None else words[2],
        "reason": words[2] if limits is None else None,
    }
