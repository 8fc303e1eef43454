"""What spreads the mean scores of seeds whose rows come in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.classify import rows
from nofluke.errors import InputError
from nofluke.kernels import cluster_means, obuchowski_rockette, student
from nofluke.results import Interval
from nofluke.selection.decompose import SEEDS, TRAINING, below_zero, one_test
from nofluke.selection.seed_scores import table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FEW = 10  # degrees of freedom


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusteredMeans:
    """Mean scores of candidates on rows in clusters, and how their errors go together.

    Attributes:
        means: Mean over rows, shape (K,).
        moves: How far each moves without a cluster, shape (K, clusters).
        covariance: Of the means, shape (K, K).
        df: Degrees of freedom of the variances, at most clusters - 1.
        n_clusters: Clusters.
        notes: Findings, each beginning with its code.
    """

    means: NDArray[np.float64]
    moves: NDArray[np.float64]
    covariance: NDArray[np.float64]
    df: float
    n_clusters: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDecomposition(Interval):
    """The mean score of a recipe over seeds and clusters, and where its spread comes from.

    ``n`` counts clusters. Variances are those of means over all rows.

    Attributes:
        means: Mean score of each seed, in the order given.
        seed_variance: s^2, the variance of the means of seeds on these rows.
        sampling_variance: Mean variance of one seed's mean from clusters alone.
        shared_variance: Mean covariance of two seeds' means; may be negative.
        true_seed_variance: s^2 less what clusters add to it: without bias, so maybe negative.
        mean_correlation: shared_variance / sampling_variance; None at 0.
        se: Standard error of the mean, seeds and clusters both new.
        se_one: Standard error of one seed's mean, seed and clusters both new.
        wrong_se: s / sqrt(seeds), which leaves out the rows.
        df: Degrees of freedom of ``se``, at most those of the clusters.
        p_equal: Small where the true means of seeds cannot all be equal (Box's approximation).
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    means: tuple[float, ...]
    seed_variance: float
    sampling_variance: float
    shared_variance: float
    true_seed_variance: float
    mean_correlation: float | None
    se: float
    se_one: float
    wrong_se: float
    df: float
    p_equal: float
    assumes: str
    notes: tuple[str, ...]


def clustered_means(scores: ArrayLike, clusters: ArrayLike) -> ClusteredMeans:
    """Mean scores of several candidates with their full covariance by clusters.

    Means of rows: a large cluster counts for more. The covariance is the jackknife's over
    clusters; its degrees of freedom are clusters - 1 where all have one size, and fewer where some
    are much larger than others.

    Args:
        scores: Shape (K, n), at least two candidates on the same rows.
        clusters: Cluster of each row, shape (n,).

    Raises:
        InputError: Not a finite table (NF235), clusters that do not fit, or one cluster (NF283).

    Source: Bell & McCaffrey 2002, of a regression on a constant.

    >>> found = clustered_means([[1, 0, 1, 1, 0, 1], [1, 1, 0, 1, 0, 0]], list("aabbcc"))
    >>> found.covariance.round(4).tolist()
    [[0.0278, 0.0], [0.0, 0.0833]]
    >>> round(found.df, 9), found.n_clusters
    (2.0, 3)
    """
    x = table(scores, shape="(K, n)")
    codes = rows.cluster_codes(clusters, x.shape[1])
    sizes = np.bincount(codes)
    if sizes.size < 2:
        raise InputError(
            f"all {x.shape[1]} rows lie in one cluster, and one cluster says nothing about how "
            "clusters differ; name a column with several, or none if rows are independent.",
            code="NF283",
        )
    moves = cluster_means.left_out(x, codes)
    df = cluster_means.degrees_of_freedom(sizes)
    return ClusteredMeans(
        means=x.mean(axis=1),
        moves=moves,
        covariance=cluster_means.covariance(moves),
        df=df,
        n_clusters=sizes.size,
        notes=_few(sizes.size, df),
    )


def decompose_clustered(found: ClusteredMeans, *, level: float = 0.95) -> ClusterDecomposition:
    """Mean score of a recipe over its seeds, seeds and clusters both drawn.

    As ``decompose`` for areas: the variance of the seeds' means on these rows, over their number,
    plus the mean covariance of the means of two seeds, which the clusters add to all of them.

    Args:
        found: Of ``clustered_means``; each candidate is a seed.
        level: Coverage promised in the limit.

    Raises:
        InputError: No spread at all (NF235).

    Source: Obuchowski & Rockette 1995; Satterthwaite 1946.

    >>> rng = np.random.default_rng(0)
    >>> hard = rng.normal(size=12).repeat(5)
    >>> seeds = [hard + rng.normal(size=60) for _ in range(4)]
    >>> found = decompose_clustered(clustered_means(seeds, np.arange(60) // 5))
    >>> found.se > 2 * found.wrong_se, round(found.df, 1)
    (True, 11.0)
    """
    error = checks.alpha(level=level, alpha=None)
    model = one_test(found.means, found.covariance)
    if not model.of_mean > 0:
        raise InputError(
            f"all seeds have the mean {found.means[0]:g} and the clusters show no spread; that is "
            "ignorance, not certainty.",
            code="NF235",
        )
    mean, se = float(found.means.mean()), math.sqrt(model.of_mean)
    # Where seeds are equal it is one mean over clusters, which seeds add no knowledge of.
    df = min(model.df_with(found.df), found.df)
    limits = student.limits(mean, se, df, error, "both")
    centred = cluster_means.covariance(found.moves - found.moves.mean(axis=0))
    equal = obuchowski_rockette.trace_test(found.means, centred)
    return ClusterDecomposition(
        estimate=mean,
        lower=limits.lower,
        upper=limits.upper,
        alpha=error,
        side="both",
        method="clusters",
        guarantee="asymptotic",
        n=found.n_clusters,
        means=tuple(found.means.tolist()),
        seed_variance=model.s2,
        sampling_variance=model.error,
        shared_variance=model.cov2,
        true_seed_variance=model.between,
        mean_correlation=model.cov2 / model.error if model.error > 0 else None,
        se=se,
        se_one=math.sqrt(model.of_one),
        wrong_se=math.sqrt(model.s2 / model.r),
        df=df,
        p_equal=equal.pvalue,
        assumes=f"clusters are independent draws; rows of one may depend in any way; {SEEDS}",
        notes=(
            *below_zero({"seeds": model.between, "rows": model.cov2}),
            *_untested(found.means, equal),
            TRAINING,
            *found.notes,
        ),
    )


def _untested(means: NDArray[np.float64], equal: obuchowski_rockette.TraceTest) -> tuple[str, ...]:
    """The finding that means differ by what no cluster varies in."""
    if equal.df > 0 or np.ptp(means) <= obuchowski_rockette.ROUNDING * np.abs(means).max():
        return ()
    return (
        "NF275: the means of seeds differ by the same amount in every cluster, so that the rows "
        "show no variance of the difference; p_equal is 1 because nothing is tested, not because "
        "the seeds agree.",
    )


def _few(clusters: int, df: float) -> tuple[str, ...]:
    """The finding that clusters are few, or that a few large ones outweigh the others."""
    if df >= _FEW:
        return ()
    uneven = "" if df > clusters - 1.5 else ", since a few large ones outweigh the others"
    return (
        f"NF282: {clusters} clusters, worth {df:.3g} degrees of freedom{uneven}; below {_FEW} a "
        "variance by clusters is hardly known itself, and t makes limits wide for it. More "
        "clusters would tell more than more rows of these.",
    )
