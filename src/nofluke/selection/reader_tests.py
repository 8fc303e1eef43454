"""Recipes compared by areas, each with several seeds on the same rows (tests, readers and cases).

What a winner on these seeds and these rows would do with other seeds on other rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import fdtrc

from nofluke import checks
from nofluke.classify import rows
from nofluke.classify.auc import (
    ASSUMES,
    ASSUMES_CLUSTERS,
    WHAT,
    effective,
    few_clusters,
    tail_probability,
)
from nofluke.errors import InputError
from nofluke.kernels import obuchowski_rockette, roc_areas, student
from nofluke.results import Evidence, Interval
from nofluke.selection.decompose import (
    SEEDS,
    TRAINING,
    area_covariance,
    covariance_name,
    enough,
    few_units,
    rectangular,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.kernels.obuchowski_rockette import Compared, Components


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeDifference(Interval):
    """A difference of the mean areas of two recipes, b minus a; seeds and rows both random.

    Attributes:
        a: Index of the first recipe.
        b: Index of the second.
        se: Standard error.
        df: Degrees of freedom.
        statistic: The difference over its standard error.
        pvalue: Of "different", two-sided.
    """

    a: int
    b: int
    se: float
    df: float
    statistic: float
    pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeComparison(Evidence):
    """Whether recipes differ in their mean area over all seeds and all rows.

    ``statistic`` is F with ``df`` degrees of freedom, ``n`` counts rows (clusters).

    Attributes:
        areas: Area by recipe and seed.
        means: Mean area of each recipe.
        covariance: Which covariance was used: "delong", "jackknife" or "obuchowski".
        error: Mean variance of one area from rows.
        cov1: Mean covariance of two recipes with one seed; None with separate seeds.
        cov2: Mean covariance of two seeds of one recipe.
        cov3: Mean covariance of two seeds of two recipes.
        mean_squares: Of recipes, and of recipes by seeds (of seeds within recipes).
        df: Degrees of freedom of ``statistic``, above and below.
        differences: Every pair, each interval by itself at the level asked for.
        notes: Findings, each beginning with its code.
    """

    areas: tuple[tuple[float, ...], ...]
    means: tuple[float, ...]
    covariance: str
    error: float
    cov1: float | None
    cov2: float
    cov3: float
    mean_squares: tuple[float, float]
    df: tuple[int, float]
    differences: tuple[RecipeDifference, ...]
    notes: tuple[str, ...]


def compare_recipes(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    shared_seeds: bool,
    level: float | None = None,
    alpha: float | None = None,
    covariance: str = "delong",
    clusters: ArrayLike | None = None,
    positive: object = None,
) -> RecipeComparison:
    """Compare recipes by the area, with seeds and rows both taken for draws of many.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        predictions: Shape (recipes, seeds, n), two or more of recipes and of seeds.
        shared_seeds: Whether seed j of one recipe belongs to seed j of the others: the same split,
            order or initial values, or one reader who sees all. A number that happens to be equal
            makes no pair: say False.
        level: Coverage of each interval in the limit; 0.95 by default.
        alpha: Error level, instead of ``level``.
        covariance: "delong" or "jackknife" (of rows).
        clusters: Shape (n,), where rows depend on each other; Obuchowski's covariance is used.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, predictions or clusters that cannot be used; one class only, or one row
            of a class (NF053); fewer than two recipes or seeds, or no spread at all (NF235).

    Source: Obuchowski & Rockette 1995; Hillis 2007; with separate seeds Hillis 2014 (readers
    nested in tests).

    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a = [[9, 5, 4, 7, 6, 3, 4, 1], [9, 7, 4, 8, 6, 3, 5, 1], [8, 6, 3, 9, 5, 4, 2, 7]]
    >>> b = [[9, 6, 4, 7, 5, 3, 4, 1], [9, 7, 6, 8, 6, 3, 5, 1], [8, 6, 5, 9, 5, 4, 2, 4]]
    >>> print(compare_recipes(y, [a, b], shared_seeds=True).differences[0])
    0.125 [-0.02877, 0.2788] at 95% (obuchowski_rockette, n=8, asymptotic)
    """
    crossed = _declared(shared_seeds)
    given = _by_recipe(predictions)
    t, r = given.shape[:2]
    y, s = rows.labelled(labels, given.reshape(t * r, -1), positive=positive, several=True)
    rows.both_classes(y, what=WHAT)
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    name = covariance_name(covariance, codes)
    units = effective(y, codes)
    enough(r, units)
    found = roc_areas.deviations(y, s)
    values = found.values.reshape(t, r)
    S = area_covariance(y, found.of_rows, codes, name)
    parts = obuchowski_rockette.components(S, t, r)
    model = obuchowski_rockette.compared(values, parts, crossed=crossed)
    if not model.denominator > 0:
        raise InputError(
            "neither seeds nor rows show any spread of the differences between recipes, so nothing "
            "can be said of other seeds and rows; more rows or seeds that differ would.",
            code="NF235",
        )
    n = y.size if codes is None else int(codes.max()) + 1
    F, df = model.mean_square / model.denominator, model.df
    return RecipeComparison(
        pvalue=float(fdtrc(t - 1, min(df, 1e15), F)),
        statistic=F,
        alternative="different",
        method="obuchowski_rockette",
        guarantee="asymptotic",
        n=n,
        assumes=f"{ASSUMES if codes is None else ASSUMES_CLUSTERS}; {SEEDS}",
        areas=tuple(tuple(of.tolist()) for of in values),
        means=tuple(values.mean(axis=1).tolist()),
        covariance=name,
        error=parts.error,
        cov1=parts.cov1 if crossed else None,
        cov2=parts.cov2,
        cov3=parts.cov3 if crossed else model.cov3,
        mean_squares=(model.mean_square, model.of_readers),
        df=(t - 1, df),
        differences=_differences(values, model, error, n),
        notes=(
            *_negative(model, parts, r),
            TRAINING,
            *few_units(units),
            *few_clusters(codes),
        ),
    )


def _by_recipe(predictions: ArrayLike) -> NDArray[Any]:
    given = rectangular(predictions, shape="(recipes, seeds, n)")
    if given.ndim != 3 or given.shape[0] < 2:
        raise InputError(
            f"predictions have shape {given.shape}; expected (recipes, seeds, n) with at least two "
            "recipes. decompose answers for one.",
            code="NF235",
        )
    return given


def _declared(shared: object) -> bool:
    if not isinstance(shared, bool):
        raise InputError(
            f"shared_seeds={shared!r} is neither True nor False; whether seeds of the recipes "
            "belong together is declared and never guessed.",
            code="NF008",
        )
    return shared


def _differences(
    values: NDArray[np.float64], model: Compared, error: float, n: int
) -> tuple[RecipeDifference, ...]:
    means, se, df = values.mean(axis=1), math.sqrt(model.of_difference), model.df
    found = []
    for a, b in zip(*np.triu_indices(len(means), 1), strict=True):
        gap = float(means[b] - means[a])
        limits = student.limits(gap, se, df, error, "both")
        found.append(
            RecipeDifference(
                estimate=gap,
                lower=max(limits.lower, -1.0),
                upper=min(limits.upper, 1.0),
                alpha=error,
                side="both",
                method="obuchowski_rockette",
                guarantee="asymptotic",
                n=n,
                a=int(a),
                b=int(b),
                se=se,
                df=df,
                statistic=gap / se,
                pvalue=tail_probability(gap / se, df, "different"),
            )
        )
    return tuple(found)


def _negative(model: Compared, parts: Components, r: int) -> tuple[str, ...]:
    """The finding that rows are estimated to add less than nothing to a difference."""
    excess = r * (parts.cov2 - model.cov3)
    if excess >= -r * obuchowski_rockette.ROUNDING * parts.error:
        return ()
    return (
        f"NF237: the variance that the rows add to differences of recipes is estimated below 0 "
        f"({excess:.3g}, {r} times cov2 - cov3). In standard errors it counts as 0.",
    )
