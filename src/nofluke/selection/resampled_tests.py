"""Tests of a difference between two recipes over folds or repeated splits.

Scores of folds are not independent: their models share most training rows. Student's t, which takes
them for independent, finds differences that are not there. Whether the mean of areas over folds or
the area of all rows pooled is compared is another question: see ``classify.folds.fold_auc``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import fdtrc

from nofluke import checks
from nofluke.classify.auc import tail_probability
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.results import Evidence, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_ROUNDING = 1e-12  # relative to the largest difference: 0.3 - 0.2 is not 0.2 - 0.1
_NO_SPREAD = (
    "all differences are {value:g}; a spread of 0 is ignorance, not certainty, and no test can be "
    "built on it. More or larger test sets would show one."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedDifference(Interval):
    """A mean difference over splits, with an interval that allows for shared training rows.

    ``n`` counts splits.

    Attributes:
        se: Corrected standard error.
        naive_se: As if splits were independent: s / sqrt(n). Too small.
        ratio: Test rows over training rows, the correction.
        df: Degrees of freedom, n - 1.
        statistic: The mean over its corrected standard error.
        pvalue: Of "different", two-sided.
        naive_pvalue: What Student's t would say: too small.
        assumes: What must be true for the guarantee to hold.
    """

    se: float
    naive_se: float
    ratio: float
    df: int
    statistic: float
    pvalue: float
    naive_pvalue: float
    assumes: str


def corrected_t(
    differences: ArrayLike,
    *,
    n_train: int | None = None,
    n_test: int | None = None,
    folds: int | None = None,
    repeats: int = 1,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
) -> CorrectedDifference:
    """Mean difference over J splits by the corrected resampled t.

    The variance of the mean is s^2 (1/J + n_test/n_train) instead of s^2/J, and t has J - 1 degrees
    of freedom. No theorem says so: it takes the correlation of two splits to be
    n_test/(n_train + n_test), whatever the recipes. Repeating splits does not make it vanish.

    Args:
        differences: Score of b minus score of a on the same splits, shape (J,), J >= 2; of areas
            too.
        n_train: Rows fitted on in one split.
        n_test: Rows tested on in one split.
        folds: Instead of both, the number of folds K: the ratio is 1/(K - 1), and J = K * repeats.
        repeats: How often cross-validation was repeated.
        level: Coverage aimed at; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".

    Raises:
        InputError: Splits that do not fit (NF236), differences that are too few or all equal
            (NF235).

    Source: Nadeau & Bengio 2003; Bouckaert & Frank 2004 for repeated cross-validation.

    >>> d = [0.012, 0.025, -0.004, 0.018, 0.031, 0.007, -0.011, 0.022, 0.015, 0.009]
    >>> found = corrected_t(d, folds=10)
    >>> print(found)
    0.0124 [-0.0009844, 0.02578] at 95% (nadeau_bengio, n=10, heuristic)
    >>> round(found.pvalue, 4), round(found.naive_pvalue, 4)
    (0.0656, 0.0139)
    """
    d = checks.sample(differences, name="differences")
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    on, J = checks.side(side), d.size
    if J < 2 or not np.isfinite(d).all():
        raise InputError(
            f"{J} differences{'' if np.isfinite(d).all() else ', some infinite'}; expected at "
            "least two finite ones, one for each split.",
            code="NF235",
        )
    ratio = _ratio(J, n_train, n_test, folds, repeats)
    naive = student.standard_error(d)
    if np.ptp(d) <= _ROUNDING * np.abs(d).max():
        raise InputError(_NO_SPREAD.format(value=d[0]), code="NF235")
    mean = math.fsum(d) / J
    se = naive * math.sqrt(1 + J * ratio)
    limits = student.limits(mean, se, J - 1, error, on)
    return CorrectedDifference(
        estimate=mean,
        lower=limits.lower,
        upper=limits.upper,
        alpha=error,
        side=on,
        method="nadeau_bengio",
        guarantee="heuristic",
        n=J,
        se=se,
        naive_se=naive,
        ratio=ratio,
        df=J - 1,
        statistic=mean / se,
        pvalue=tail_probability(mean / se, J - 1, "different"),
        naive_pvalue=tail_probability(mean / naive, J - 1, "different"),
        assumes=(
            "differences of splits are normal, and two of them correlate by the share of rows "
            "that is tested on"
        ),
    )


def _ratio(
    J: int, n_train: int | None, n_test: int | None, folds: int | None, repeats: int
) -> float:
    """Test rows over training rows."""
    rows, times = (n_train, n_test), checks.whole(repeats, name="repeats")
    if folds is None:
        if n_train is None or n_test is None or times != 1:
            raise InputError(
                f"n_train={n_train}, n_test={n_test}, folds=None, repeats={times}; give n_train= "
                "and n_test= of one split, or folds= (and repeats=) of cross-validation.",
                code="NF236",
            )
        return checks.whole(n_test, name="n_test") / checks.whole(n_train, name="n_train")
    if rows != (None, None):
        raise InputError(
            f"folds={folds} beside n_train={n_train} and n_test={n_test}; give either.",
            code="NF236",
        )
    K = checks.whole(folds, name="folds", least=2)
    if K * times != J:
        raise InputError(
            f"{J} differences for folds={K} and repeats={times}; expected {K * times}, one for "
            "each fold of each repeat.",
            code="NF236",
        )
    return 1 / (K - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FiveByTwo(Evidence):
    """The outcome of the 5x2cv test; ``n`` counts the ten differences.

    Attributes:
        estimate: Mean of the ten differences.
        df: Degrees of freedom: (5,) of t, (10, 5) of F.
    """

    estimate: float
    df: tuple[int, ...]


def five_by_two(differences: ArrayLike, *, method: str = "f") -> FiveByTwo:
    """Whether two recipes differ, from five repeats of two-fold cross-validation.

    Args:
        differences: Score of b minus score of a, shape (5, 2): repeats by folds.
        method: "f", which uses all ten differences, or "t", the first paper's, whose numerator is
            the first difference alone, so that the order of folds matters.

    Raises:
        InputError: Another shape (NF236), or no spread within any repeat (NF235).

    Source: Alpaydin 1999 (f); Dietterich 1998 (t).

    >>> d = [[0.02, 0.01], [0.03, 0.00], [0.01, 0.02], [0.02, 0.03], [0.00, 0.02]]
    >>> print(five_by_two(d))
    p = 0.1919 (different; 5x2cv_f, n=10, heuristic)
    """
    checks.choice(method, ("f", "t"), name="method")
    p = _five_by_two(differences)
    squares = float(((p - p.mean(axis=1, keepdims=True)) ** 2).sum())
    if np.abs(p[:, 0] - p[:, 1]).max() <= _ROUNDING * np.abs(p).max():
        raise InputError(
            "both folds of every repeat have the same difference; a spread of 0 is ignorance, not "
            "certainty. Larger test sets would show one.",
            code="NF235",
        )
    if method == "t":
        statistic = float(p[0, 0]) / math.sqrt(squares / 5)
        pvalue = tail_probability(statistic, 5, "different")
    else:
        statistic = float((p**2).sum()) / (2 * squares)
        pvalue = float(fdtrc(10, 5, statistic))
    return FiveByTwo(
        pvalue=pvalue,
        statistic=statistic,
        alternative="different",
        method=f"5x2cv_{method}",
        guarantee="heuristic",
        n=10,
        assumes="differences are normal and independent between repeats, which share all rows",
        estimate=float(p.mean()),
        df=(5,) if method == "t" else (10, 5),
    )


def _five_by_two(differences: ArrayLike) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    try:
        p = np.asarray(differences, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.empty(0)
    if p.shape != (5, 2) or not np.isfinite(p).all():
        raise InputError(
            f"differences have shape {p.shape}; expected finite numbers of shape (5, 2), five "
            "repeats of two folds.",
            code="NF236",
        )
    return p
