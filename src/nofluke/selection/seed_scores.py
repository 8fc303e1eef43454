"""What spreads the scores of seeds that are means over rows; and what their summaries alone say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import crossed as kernel
from nofluke.kernels import student
from nofluke.kernels.maxima import expected_maximum
from nofluke.results import Interval
from nofluke.selection.decompose import SEEDS, TRAINING, below_zero
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDecomposition(Interval):
    """The mean score of a recipe over seeds and rows, and where its spread comes from.

    The interval is that of the mean over all seeds and all rows; ``n`` counts rows.

    Attributes:
        means: Mean score of each seed, in the order given.
        seed_variance: Variance of the true means of seeds; without bias, so it may be negative.
        row_variance: Variance of the true means of rows over seeds, likewise.
        residual_variance: What is left in one score of one seed on one row.
        mean_correlation: row_variance / (row_variance + residual_variance), how alike two seeds
            score a row, on average; None at 0.
        se: Standard error of the mean, seeds and rows both new.
        se_one: Standard error of one seed's mean, seed and rows both new.
        wrong_se: s / sqrt(seeds), what is often printed instead of ``se``: it leaves out the rows.
        df: Degrees of freedom of ``se``.
        p_equal: Small where the true means of seeds cannot all be equal.
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    means: tuple[float, ...]
    seed_variance: float
    row_variance: float
    residual_variance: float
    mean_correlation: float | None
    se: float
    se_one: float
    wrong_se: float
    df: float
    p_equal: float
    assumes: str
    notes: tuple[str, ...]


def decompose_means(
    scores: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> MeanDecomposition:
    """Mean score of a recipe over seeds and rows, both drawn: crossed two-way random effects.

    Components of variance are those of the analysis of variance and have no bias; in standard
    errors a negative one counts as 0, which makes them larger. Degrees of freedom are
    Satterthwaite's.

    Args:
        scores: Shape (seeds, n), a score of every seed on every row: correct or not, a loss, a
            reward. At least two of each.
        level: Coverage promised in the limit; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: Not a finite table of at least two seeds and two rows (NF235); all equal.

    Source: Satterthwaite 1946; the test Greenhouse & Geisser 1959, or permutations within rows
    where seeds differ by the same on every row and F would be certain.

    >>> found = decompose_means([[1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1], [1, 1, 1, 1, 0, 1]])
    >>> print(found)
    0.6667 [0.1978, 1.136] at 95% (crossed, n=6, asymptotic)
    >>> round(found.se, 4), round(found.wrong_se, 4)
    (0.1826, 0.0962)
    """
    x = table(scores)
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    on = checks.side(side)
    model = kernel.crossed(x)
    if not model.of_mean > 0:
        raise InputError(
            f"all scores are {x[0, 0]:g}; that is ignorance of the spread, not certainty.",
            code="NF235",
        )
    means = x.mean(axis=1)
    a, b, e = model.components
    se, equal = math.sqrt(model.of_mean), kernel.equal_means(x, model)
    limits = student.limits(float(x.mean()), se, model.df, error, on)
    return MeanDecomposition(
        estimate=float(x.mean()),
        lower=limits.lower,
        upper=limits.upper,
        alpha=error,
        side=on,
        method="crossed",
        guarantee="asymptotic",
        n=x.shape[1],
        means=tuple(means.tolist()),
        seed_variance=a,
        row_variance=b,
        residual_variance=e,
        mean_correlation=b / (b + e) if b + e > 0 else None,
        se=se,
        se_one=math.sqrt(model.of_one),
        wrong_se=float(means.std(ddof=1)) / math.sqrt(means.size) if np.ptp(means) > 0 else 0.0,
        df=model.df,
        p_equal=equal.pvalue,
        assumes=f"rows are independent draws; {SEEDS}",
        notes=(*below_zero({"seeds": a, "rows": b}), TRAINING),
    )


def table(
    scores: ArrayLike, *, what: str = "scores", shape: str = "(seeds, n)"
) -> NDArray[np.float64]:
    """A finite table of at least two by two."""
    try:
        x = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{what} are no rectangular table of numbers ({error}); give shape {shape}.",
            code="NF235",
        ) from None
    if x.ndim != 2 or min(x.shape) < 2 or not np.isfinite(x).all():
        bad = "" if np.isfinite(x).all() else ", some not finite"
        raise InputError(
            f"{what} have shape {x.shape}{bad}; expected finite numbers of shape {shape}, at least "
            "two of each.",
            code="NF235",
        )
    return x


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOnly(Shown):
    """What one score for each seed can say, and what it cannot.

    Attributes:
        n: Seeds.
        mean: Mean score.
        sd: Standard deviation s of the scores, with n - 1.
        best: Index of the best score, the first of equals.
        gap: How far the best is ahead of the mean, at least 0.
        gap_if_equal: What the gap of the best of n seeds would be on average if all were equally
            good and their errors independent and normal with deviation s.
        wrong_se: s / sqrt(n): the standard error of the mean on these rows, not on others.
        seed_sd: Least and largest deviation of true scores that agree with s, given
            ``sampling_se``, for errors of seeds that are independent and identical; else None.
        causes: The three causes of the gap, which these numbers cannot tell apart.
        notes: Findings, each beginning with its code.
    """

    n: int
    mean: float
    sd: float
    best: int
    gap: float
    gap_if_equal: float
    wrong_se: float
    seed_sd: tuple[float, float] | None
    causes: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"the best of {self.n} is {self.gap:.4g} ahead of the mean {self.mean:.4g}; of equal "
            f"seeds with independent errors it would be {self.gap_if_equal:.4g} on average. Which "
            "part is real cannot be told from these numbers."
        )


def summary_only(
    scores: ArrayLike, *, better: str, sampling_se: float | None = None
) -> SummaryOnly:
    """What the scores of some seeds say without the predictions behind them.

    That the best is ahead may be real (seeds differ on any rows), may be the rows (equal seeds
    meet these rows with different luck), and is always partly selection (the best of several is
    ahead of its own truth). The expectation of s^2 is the variance of true scores plus
    V (1 - rho), with V the variance of one score from rows and rho the correlation of two seeds'
    errors: without V and rho, which only predictions give, nothing separates them.

    Args:
        scores: One score for each seed, shape (n,), at least two.
        better: "higher" or "lower" wins.
        sampling_se: Standard error of one seed's score from rows, root of V, where one is known.

    Raises:
        InputError: Fewer than two finite scores (NF235), orientation not declared.

    >>> auc = [0.78, 0.79, 0.80, 0.83, 0.77, 0.81, 0.79, 0.80, 0.82, 0.78]
    >>> found = summary_only(auc, better="higher", sampling_se=0.036)
    >>> round(found.mean, 3), round(found.sd, 4), round(found.gap, 3)
    (0.797, 0.0189, 0.033)
    >>> round(found.gap_if_equal, 4), [round(sd, 4) for sd in found.seed_sd]
    (0.0291, [0.0, 0.0189])
    """
    x, way = checks.sample(scores, name="scores"), checks.better(better)
    if x.size < 2 or not np.isfinite(x).all():
        raise InputError(
            f"{x.size} scores{'' if np.isfinite(x).all() else ', some infinite'}; expected at "
            "least two finite ones.",
            code="NF235",
        )
    sd = float(x.std(ddof=1)) if x.min() < x.max() else 0.0
    best = int(np.argmax(x) if way == "higher" else np.argmin(x))
    return SummaryOnly(
        n=x.size,
        mean=float(x.mean()),
        sd=sd,
        best=best,
        gap=abs(float(x[best] - x.mean())) if sd else 0.0,
        gap_if_equal=sd * expected_maximum(x.size),
        wrong_se=sd / math.sqrt(x.size),
        seed_sd=_range(sd, sampling_se),
        causes=(
            "seeds: some are better on any rows",
            "rows: equal seeds meet these rows with different luck",
            "selection: the best of several is ahead of its own truth on average",
        ),
        notes=(
            "NF238: seeds, rows and selection cannot be told apart from one score for each seed, "
            "and s/sqrt(n) leaves out the rows. Predictions of every seed on the same rows tell "
            "them apart: decompose (areas), decompose_means (scores of rows).",
        ),
    )


def _range(sd: float, sampling_se: float | None) -> tuple[float, float] | None:
    if sampling_se is None:
        return None
    se = checks.real(sampling_se, name="sampling_se")
    if se < 0:
        raise InputError(
            f"sampling_se={se:g} is below 0; expected the standard error of one seed's score.",
            code="NF008",
        )
    return math.sqrt(max(sd**2 - se**2, 0.0)), sd
