"""What spreads the areas of several seeds: the seeds, the rows, or both.

Seeds are readers and rows are cases in the sense of radiology, where the analysis comes from. The
deviation of seeds on one set of rows, over the root of their number, is not the standard error of
their mean: all seeds are scored on the same rows, and what those rows add does not average out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.classify import rows
from nofluke.classify.auc import ASSUMES, ASSUMES_CLUSTERS, WHAT, effective, few_clusters
from nofluke.classify.auc_covariance import covariance_of, equality_of
from nofluke.errors import InputError
from nofluke.kernels import obuchowski_rockette, roc_areas, student
from nofluke.results import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from nofluke.kernels.obuchowski_rockette import OneTest

SEEDS = "seeds are independent draws of one recipe, none chosen for its score"
_FEW = 20  # units of a class, as for differences of two areas
TRAINING = (
    "NF238: training rows are taken as they were. What fitting on others would have given is in "
    "none of these numbers, unless each seed drew its own."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedDecomposition(Interval):
    """The mean area of a recipe over seeds, with its interval and where its spread comes from.

    The interval is that of the mean area over all seeds and all rows. ``n`` counts rows, or
    clusters where there are any.

    Attributes:
        areas: The area of each seed, in the order given.
        covariance: Which covariance was used: "delong", "jackknife" or "obuchowski".
        seed_variance: s^2, the variance of the areas of seeds on these rows (E_T Var_U).
        sampling_variance: Mean variance of one area from rows alone.
        shared_variance: Mean covariance of two seeds' areas (Var_T E_U); may be negative.
        true_seed_variance: Variance of the seeds' true areas, s^2 less what rows add to it:
            without bias, so it may be negative.
        mean_correlation: shared_variance / sampling_variance, a ratio of means; None at 0.
        pairwise_correlation: Mean of the correlations of all pairs; None where one is undefined.
        se: Standard error of the mean area, seeds and rows both new.
        se_one: Standard error of one seed's area, seed and rows both new.
        se_fixed: Standard error of the mean of these seeds, rows alone new.
        wrong_se: s / sqrt(seeds), what is often printed instead of ``se``: it leaves out the rows.
        df: Degrees of freedom of ``se``.
        p_equal: Small where the seeds' true areas cannot all be equal (Box's approximation).
        wald: Wald's chi-squared for the same with its degrees of freedom and p-value; far too
            small a p-value where the rows of the smaller class are not many times the seeds.
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    areas: tuple[float, ...]
    covariance: str
    seed_variance: float
    sampling_variance: float
    shared_variance: float
    true_seed_variance: float
    mean_correlation: float | None
    pairwise_correlation: float | None
    se: float
    se_one: float
    se_fixed: float
    wrong_se: float
    df: float
    p_equal: float
    wald: tuple[float, int, float]
    assumes: str
    notes: tuple[str, ...]

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return len(self.areas)

    def sentences(self) -> list[str]:
        """What a colleague may paste."""
        return [
            f"mean area over {self.seeds} seeds: {self!s}",
            f"standard error of the mean {self.se:.4g}, of one seed {self.se_one:.4g}; "
            f"s/sqrt({self.seeds}) = {self.wrong_se:.4g} is not one, as it leaves out the rows",
            f"variance of true areas of seeds: {self.true_seed_variance:.4g} (p that all are equal "
            f"{self.p_equal:.3g}); variance that the rows add to all seeds alike: "
            f"{self.shared_variance:.4g}",
        ]


def decompose(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "logit",
    covariance: str = "delong",
    clusters: ArrayLike | None = None,
    positive: object = None,
) -> SeedDecomposition:
    """Mean area of a recipe over its seeds, and how much of the spread seeds and rows each make.

    By the law of total variance Var = E_T Var_U + Var_T E_U over rows T and seeds U. The first is
    estimated by the variance of the areas on these rows, the second by the mean covariance of the
    areas of two seeds, both without bias.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; others need ``positive``.
        predictions: Shape (seeds, n), at least two seeds on the same rows.
        level: Coverage promised in the limit; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        method: "logit": t on the logit scale, with degrees of freedom that count the rows of each
            class too. "hillis": t on the scale of areas with Hillis's degrees of freedom, which
            take the covariance of areas for known, as programs for readers have it. At 95 %, with 8
            to 50 positives, 3 or 10 seeds and mean areas of 0.76 and 0.95, "logit" covered 0.89 to
            0.97 (below 0.92 only with 8 positives near 0.95), "hillis" 0.79 to 0.96.
        covariance: "delong" or "jackknife" (of rows; about 1 % larger with 100 rows).
        clusters: Shape (n,), where rows depend on each other; Obuchowski's covariance is used.
        positive: The label of the positive class.

    Raises:
        InputError: Labels, predictions or clusters that cannot be used; one class only, or one row
            of a class (NF053); fewer than two seeds or no spread at all (NF235).

    Source: Obuchowski & Rockette 1995; Hillis 2007, single-test form.

    >>> found = decompose(
    ...     [1, 1, 1, 1, 0, 0, 0, 0],
    ...     [[9, 5, 4, 7, 6, 3, 4, 1], [9, 7, 4, 8, 6, 3, 5, 1], [8, 6, 3, 9, 5, 4, 2, 7]],
    ... )
    >>> [round(area, 3) for area in found.areas]
    [0.844, 0.875, 0.75]
    >>> round(found.se, 3), round(found.wrong_se, 3)
    (0.127, 0.038)
    """
    given = rectangular(predictions, shape="(seeds, n)")
    y, s = rows.labelled(labels, given, positive=positive, several=True)
    rows.both_classes(y, what=WHAT)
    checks.choice(method, ("hillis", "logit"), name="method")
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    on = checks.side(side)
    codes = None if clusters is None else rows.cluster_codes(clusters, y.size)
    name = covariance_name(covariance, codes)
    enough(len(s), effective(y, codes))
    found = roc_areas.deviations(y, s)
    S = area_covariance(y, found.of_rows, codes, name)
    return of_deviations(y, found, S, codes, (method, error, on), name)


def of_deviations(  # noqa: PLR0917 (what is known of the areas, then what is asked)
    y: NDArray[np.bool_],
    found: roc_areas.Deviations,
    S: NDArray[np.float64],
    codes: NDArray[np.int64] | None,
    asked: tuple[str, float, checks.Side],
    name: str,
) -> SeedDecomposition:
    """``decompose`` of areas whose deviations and covariance are there already.

    Args:
        y: Whether each row is positive, both classes there; shape (n,).
        found: Areas of at least two seeds, with their deviations by rows.
        S: Their covariance, finite.
        codes: Clusters of the rows, or None.
        asked: Method, error level and side.
        name: Which covariance ``S`` is.

    Raises:
        InputError: No spread at all (NF235).
    """
    method, error, on = asked
    units = effective(y, codes)
    model = one_test(found.values, S)
    if not model.of_mean > obuchowski_rockette.ROUNDING * model.error:
        raise InputError(
            f"all {model.r} seeds have area {found.values[0]:g} and the rows show no spread that "
            "seeds share; that is ignorance, not certainty. auc_interval of one seed gives honest "
            "limits.",
            code="NF235",
        )
    limits, df = _limits(model, y, found, codes, (method, error, on))
    centred = found.of_rows - found.of_rows.mean(axis=0)
    equal = obuchowski_rockette.trace_test(found.values, area_covariance(y, centred, codes, name))
    wald = equality_of(y, found, S, codes)
    return SeedDecomposition(
        estimate=float(found.values.mean()),
        lower=0.0 if on == "upper" else max(limits.lower, 0.0),
        upper=1.0 if on == "lower" else min(limits.upper, 1.0),
        alpha=error,
        side=on,
        method=method,
        guarantee="asymptotic",
        n=y.size if codes is None else int(codes.max()) + 1,
        areas=tuple(found.values.tolist()),
        covariance=name,
        seed_variance=model.s2,
        sampling_variance=model.error,
        shared_variance=model.cov2,
        true_seed_variance=model.between,
        mean_correlation=model.cov2 / model.error if model.error > 0 else None,
        pairwise_correlation=_pairwise(S),
        se=math.sqrt(model.of_mean),
        se_one=math.sqrt(model.of_one),
        se_fixed=math.sqrt(max(model.of_mean_fixed, 0.0)),
        wrong_se=math.sqrt(model.s2 / model.r),
        df=df,
        p_equal=equal.pvalue,
        wald=(wald.statistic, wald.df, wald.pvalue),
        assumes=f"{ASSUMES if codes is None else ASSUMES_CLUSTERS}; {SEEDS}",
        notes=(
            *below_zero(
                {
                    "the true areas of seeds": model.between,
                    "what the rows add to all": model.cov2,
                },
                least=-obuchowski_rockette.ROUNDING * model.error,
            ),
            *_untested(found.values, equal),
            TRAINING,
            *few_units(units),
            *few_clusters(codes),
        ),
    )


def rectangular(predictions: ArrayLike, *, shape: str) -> NDArray[Any]:
    """Predictions as an array, refused where lengths differ."""
    try:
        return np.asarray(predictions)
    except ValueError as error:
        raise InputError(
            f"predictions are no rectangular table ({error}); expected shape {shape}.",
            code="NF235",
        ) from None


def covariance_name(asked: str, codes: NDArray[np.int64] | None) -> str:
    """Which covariance is used: with clusters Obuchowski's, whose jackknife there is none of."""
    checks.choice(asked, ("delong", "jackknife"), name="covariance")
    if codes is None:
        return asked
    if asked == "jackknife":
        raise InputError(
            "covariance='jackknife' leaves out one row at a time, and clusters= says that rows "
            "depend on each other; leave covariance= out.",
            code="NF008",
        )
    return "obuchowski"


def enough(seeds: int, units: tuple[int, int]) -> None:
    """Refuse what shows no spread of seeds or none of rows."""
    if seeds < 2:
        raise InputError(
            f"{seeds} seed; how seeds differ needs at least two, predictions of shape (seeds, n). "
            "auc_interval answers for one.",
            code="NF235",
        )
    if min(units) < 2:
        raise InputError(
            f"{units[0]} positive and {units[1]} negative rows (or clusters of them); the "
            "covariance of areas needs two of each class at least.",
            code="NF053",
        )


def few_units(units: tuple[int, int]) -> tuple[str, ...]:
    """The finding that a class has few rows, or few clusters that hold such rows."""
    if min(units) >= _FEW:
        return ()
    return (
        f"NF201: only {min(units)} rows of one class (or clusters of them); below {_FEW} a "
        "covariance of areas is hardly known itself, and limits may be too short. More rows of "
        "that class help most, more seeds do not.",
    )


def area_covariance(
    y: NDArray[np.bool_],
    of_rows: NDArray[np.float64],
    codes: NDArray[np.int64] | None,
    name: str,
) -> NDArray[np.float64]:
    """Covariance of areas from deviations by the name of the estimator."""
    if name == "jackknife":
        return obuchowski_rockette.jackknife_covariance(y, of_rows)
    return covariance_of(y, of_rows, codes)[0]


def one_test(values: NDArray[np.float64], S: NDArray[np.float64]) -> OneTest:
    """Variances of the seeds of one recipe; exactly 0 between seeds where all areas are equal."""
    parts = obuchowski_rockette.components(S, 1, values.size)
    same = np.ptp(values) <= obuchowski_rockette.ROUNDING
    s2 = 0.0 if same else float(values.var(ddof=1))
    return obuchowski_rockette.OneTest(s2, parts.error, parts.cov2, values.size)


def below_zero(variances: Mapping[str, float], *, least: float = 0.0) -> tuple[str, ...]:
    """The finding that variances are estimated below ``least``, 0 up to rounding."""
    told = [f"{what} ({value:.3g})" for what, value in variances.items() if value < least]
    if not told:
        return ()
    return (
        f"NF237: a variance is estimated below 0: that of {' and of '.join(told)}. Without bias "
        "means just that where the truth is near 0; in standard errors it counts as 0.",
    )


def _untested(values: NDArray[np.float64], equal: obuchowski_rockette.TraceTest) -> tuple[str, ...]:
    """The finding that areas differ by what no test can judge."""
    if equal.df > 0 or np.ptp(values) <= obuchowski_rockette.ROUNDING:
        return ()
    return (
        "NF201: areas of seeds differ in a way of which the rows show no variance (an area of 0 or "
        "1, scores that all tie); p_equal is 1 because nothing is tested, not because they agree.",
    )


def _limits(
    model: OneTest,
    y: NDArray[np.bool_],
    found: roc_areas.Deviations,
    codes: NDArray[np.int64] | None,
    asked: tuple[str, float, checks.Side],
) -> tuple[student.Limits, float]:
    """Limits of the mean area and their degrees of freedom."""
    method, error, on = asked
    mean, se = float(found.values.mean()), math.sqrt(model.of_mean)
    if method == "hillis":
        return student.limits(mean, se, model.df, error, on), model.df
    together = found.of_rows.mean(axis=0)
    if codes is None:
        of_rows = roc_areas.row_spread(y, together)[1]
    else:
        of_rows = covariance_of(y, together[np.newaxis], codes)[1]
    df = model.df_with(of_rows) if of_rows > 0 else float(model.r - 1)
    at = math.log(mean / (1 - mean))
    low, high = student.limits(at, se / (mean * (1 - mean)), df, error, on)
    return student.Limits(_expit(low), _expit(high)), df


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _pairwise(S: NDArray[np.float64]) -> float | None:
    """Mean correlation over pairs."""
    sd = np.sqrt(S.diagonal())
    if not (sd > 0).all():
        return None
    upper = np.triu_indices(len(S), 1)
    return float((S / np.outer(sd, sd))[upper].mean())
