"""Intervals from cross-validation, for losses that are means over rows.

Cross-validation speaks of models fitted on about (K - 1)/K of the rows. It takes no refitting to
ask how sure it is of the K models that were fitted (``cv_interval``); of the recipe fitted on all
rows ``nested_cv_interval`` speaks, which needs errors of models that left out two folds.
Neither is for areas under curves, which are no means over rows: see ``classify.folds.fold_auc``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from nofluke import checks
from nofluke.classify import rows
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Outer: TypeAlias = "Sequence[ArrayLike]"
Inner: TypeAlias = "Sequence[Sequence[ArrayLike | None]]"

_ROUNDING = 1e-14  # of a fold's mean, relative to the largest loss
_MANY = 50  # repeats, as the authors advise


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidated(Interval):
    """The cross-validated risk, each row counted once, with its interval; ``n`` counts rows.

    Attributes:
        sizes: Rows of each fold.
        fold_means: Mean loss of each fold.
        mean_of_folds: Each fold counted once; differs from ``estimate`` if sizes do.
        variance: Variance of one row's loss as the interval takes it.
        se: Standard error.
        n_train: Fewest and most rows that a model was fitted on.
        assumes: What must be true for the guarantee to hold.
        notes: Findings, each beginning with its code.
    """

    sizes: tuple[int, ...]
    fold_means: tuple[float, ...]
    mean_of_folds: float
    variance: float
    se: float
    n_train: tuple[int, int]
    assumes: str
    notes: tuple[str, ...]


def cv_interval(
    losses: ArrayLike,
    folds: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "all_pairs",
) -> CrossValidated:
    """Mean loss of cross-validation with an interval for the average error of its K models.

    Args:
        losses: Loss (or score) of every row by the model that was not fitted on it, shape (n,).
        folds: The fold of each row, shape (n,).
        level: Coverage promised in the limit; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        method: "all_pairs": the variance of all losses, divided by n; for folds of one row too.
            "within_fold": the mean of variances within folds, weighted by rows.

    Raises:
        InputError: Losses or folds that cannot be used, one fold, a fold of one row with
            "within_fold" (NF236), no spread (NF235).

    Source: Bayle, Bayle, Janson & Mackey 2020, both estimates of variance; the fitted models must
    be stable, a row more or less moving them by little.

    >>> found = cv_interval([0.1, 0.3, 0.2, 0.4, 0.2, 0.1], ["a", "a", "b", "b", "c", "c"])
    >>> print(found)
    0.2167 [0.1313, 0.3021] at 95% (bayle_all_pairs, n=6, asymptotic)
    >>> found.notes[0][:59]
    'NF239: cross-validation speaks of 3 models fitted on 4 rows'
    """
    x = _finite(checks.sample(losses, name="losses"))
    checks.choice(method, ("all_pairs", "within_fold"), name="method")
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    on = checks.side(side)
    parts = _by_fold(x, folds)
    sizes = tuple(part.size for part in parts)
    if method == "within_fold" and min(sizes) < 2:
        raise InputError(
            "a fold of one row has no variance within; method='all_pairs' needs none.",
            code="NF236",
        )
    mean = math.fsum(x) / x.size
    if method == "all_pairs":
        variance = math.fsum((x - mean) ** 2) / x.size
    else:
        variance = math.fsum(part.size * float(part.var(ddof=1)) for part in parts) / x.size
    if x.min() == x.max() or not variance > (_ROUNDING * np.abs(x).max()) ** 2:
        raise InputError(
            f"losses show no spread (mean {mean:g}); that is ignorance, not certainty. For shares "
            "of errors proportions.clopper_pearson has honest limits of one model.",
            code="NF235",
        )
    se = math.sqrt(variance / x.size)
    limits = student.limits(mean, se, math.inf, error, on)
    means = tuple(float(part.mean()) for part in parts)
    n_train = x.size - max(sizes), x.size - min(sizes)
    return CrossValidated(
        estimate=mean,
        lower=limits.lower,
        upper=limits.upper,
        alpha=error,
        side=on,
        method=f"bayle_{method}",
        guarantee="asymptotic",
        n=x.size,
        sizes=sizes,
        fold_means=means,
        mean_of_folds=math.fsum(means) / len(means),
        variance=variance,
        se=se,
        n_train=n_train,
        assumes=(
            "rows are independent draws; each loss is that of a model not fitted on the row, and "
            "models are stable: a row more or less moves their losses by little"
        ),
        notes=(_speaks_of(len(parts), n_train, x.size),),
    )


def _finite(x: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(x).all():
        raise InputError(
            f"{int(np.count_nonzero(~np.isfinite(x)))} of {x.size} losses are infinite, so their "
            "mean says nothing; a fit that failed needs a finite loss, or a fold of its own left "
            "out and told.",
            code="NF236",
        )
    return x


def _by_fold(x: NDArray[np.float64], folds: ArrayLike) -> list[NDArray[np.float64]]:
    """The losses of each fold, folds in the order in which they occur first."""
    codes = rows.cluster_codes(folds, x.size)
    first = np.unique(codes, return_index=True)[1]
    if first.size < 2:
        raise InputError(
            f"{first.size} fold; cross-validation has at least two. Give the fold of each row.",
            code="NF236",
        )
    return [x[codes == codes[at]] for at in np.sort(first)]


def _speaks_of(K: int, n_train: tuple[int, int], n: int) -> str:
    fitted = f"{n_train[0]}" if n_train[0] == n_train[1] else f"{n_train[0]} to {n_train[1]}"
    return (
        f"NF239: cross-validation speaks of {K} models fitted on {fitted} rows each, not of one "
        f"fitted on all {n}, which is likely to be a little better; and its {K} folds are not {K} "
        "independent trials."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedRisk(Interval):
    """The risk of the recipe fitted on all rows, from nested cross-validation; ``n`` counts rows.

    Attributes:
        err_cv: Mean loss of plain cross-validation.
        err_nested: Mean loss of the models that left out two folds.
        bias: What is taken off ``err_nested``: factor times (err_nested - err_cv).
        bias_factor: The factor.
        bias_rule: Its name: "linear" or "power".
        mse: Estimated mean squared error of cross-validation, before limits; may be negative.
        se: The standard error used.
        se_least: That of independent losses, below which it is never taken.
        se_most: sqrt(K) times as much, above which it is never taken.
        repeats: Repeats with other folds.
        assumes: What must be true.
        notes: Findings, each beginning with its code.
    """

    err_cv: float
    err_nested: float
    bias: float
    bias_factor: float
    bias_rule: str
    mse: float
    se: float
    se_least: float
    se_most: float
    repeats: int
    assumes: str
    notes: tuple[str, ...]


def nested_cv_interval(
    splits: Sequence[tuple[Outer, Inner]],
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    bias: str = "linear",
) -> NestedRisk:
    """Interval for the risk of a recipe from errors of nested cross-validation.

    Inner cross-validation within the rows outside fold k is compared with the mean loss in fold
    k, from which follows how far cross-validation is from the truth. Public programs differ in the
    factor of the bias, so it is named.

    Args:
        splits: One pair (outer, inner) for each repeat, with folds 1..K of its own, K >= 3.
            ``outer[i]``: losses on fold i of the model that left out fold i, shape (rows of i,).
            ``inner[i][j]``: losses on fold i of the model that left out folds i and j; the diagonal
            is not used. All folds have at least two rows.
        level: Coverage aimed at; 0.95 by default.
        alpha: Error level, instead of ``level``; one-sided intervals spend all of it.
        side: "both", "lower" (only a lower limit) or "upper".
        bias: "linear", factor 1 + (K - 2)/K, exact where what a model loses to the best falls as
            one over the rows it is fitted on; or "power", factor 1 + ((K - 2)/K)^1.5.

    Raises:
        InputError: Errors that do not fit each other (NF236), no spread (NF235).

    Source: Bates, Hastie & Tibshirani 2024, algorithm 1 and section 4.

    >>> outer = [[0.1, 0.3], [0.2, 0.4], [0.2, 0.1]]
    >>> inner = [
    ...     [None, [0.2, 0.3], [0.1, 0.4]],
    ...     [[0.3, 0.3], None, [0.2, 0.5]],
    ...     [[0.2, 0.2], [0.3, 0.1], None],
    ... ]
    >>> found = nested_cv_interval([(outer, inner)])
    >>> print(found)
    0.2028 [0.1096, 0.296] at 95% (bates_linear, n=6, heuristic)
    """
    checks.choice(bias, ("linear", "power"), name="bias")
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    on = checks.side(side)
    found = [_repeat(outer, inner, at) for at, (outer, inner) in enumerate(_pairs(splits))]
    shapes = {(part.K, part.n) for part in found}
    if len(shapes) > 1:
        raise InputError(
            f"repeats differ in (folds, rows): {sorted(shapes)}; all need the same.", code="NF236"
        )
    K, n = shapes.pop()
    losses = np.concatenate([part.inner for part in found])
    if losses.min() == losses.max():
        raise InputError(
            f"all inner losses are {losses[0]:g}; that is ignorance of the spread, not certainty.",
            code="NF235",
        )
    nested = math.fsum(losses) / losses.size
    plain = math.fsum(part.outer for part in found) / len(found)
    mse = float(np.concatenate([part.squares for part in found]).mean())
    least = float(losses.std(ddof=1)) / math.sqrt(n)
    most = math.sqrt(K) * least
    se = min(max(math.sqrt(max((K - 1) / K * mse, 0.0)), least), most)
    factor = 1 + ((K - 2) / K) ** (1.0 if bias == "linear" else 1.5)
    shift = factor * (nested - plain)
    limits = student.limits(nested - shift, se, math.inf, error, on)
    return NestedRisk(
        estimate=nested - shift,
        lower=limits.lower,
        upper=limits.upper,
        alpha=error,
        side=on,
        method=f"bates_{bias}",
        guarantee="heuristic",
        n=n,
        err_cv=plain,
        err_nested=nested,
        bias=shift,
        bias_factor=factor,
        bias_rule=bias,
        mse=mse,
        se=se,
        se_least=least,
        se_most=most,
        repeats=len(found),
        assumes="rows are independent draws; the loss is a mean over rows (no area under a curve)",
        notes=(*_below(mse), *_few_repeats(len(found))),
    )


def _pairs(splits: Sequence[tuple[Outer, Inner]]) -> Sequence[tuple[Outer, Inner]]:
    try:
        paired = len(splits) > 0 and all(len(split) == 2 for split in splits)
    except TypeError:
        paired = False
    if not paired:
        raise InputError(
            "splits= needs a list of pairs (outer, inner), one for each repeat; a single repeat is "
            "[(outer, inner)].",
            code="NF236",
        )
    return splits


class _Repeat(NamedTuple):
    """One repeat: K, n, mean outer loss, all inner losses, a_k^2 - b_k of each fold."""

    K: int
    n: int
    outer: float
    inner: NDArray[np.float64]
    squares: NDArray[np.float64]


def _repeat(outer: Outer, inner: Inner, at: int) -> _Repeat:
    K = len(outer)
    if K < 3 or len(inner) != K or any(len(row) != K for row in inner):
        raise InputError(
            f"repeat {at}: {K} outer folds and {len(inner)} rows of inner errors; expected K >= 3 "
            "folds and K by K inner errors, the diagonal unused.",
            code="NF236",
        )
    e = [_losses(outer[i], f"repeat {at}, outer[{i}]") for i in range(K)]
    within = [
        [
            np.empty(0) if i == j else _losses(inner[i][j], f"repeat {at}, inner[{i}][{j}]", e[i])
            for j in range(K)
        ]
        for i in range(K)
    ]
    squares = np.empty(K)
    for k in range(K):
        others = np.concatenate([within[i][k] for i in range(K) if i != k])
        a, b = others.mean() - e[k].mean(), e[k].var(ddof=1) / e[k].size
        squares[k] = a**2 - b
    together = np.concatenate(e)
    return _Repeat(
        K=K,
        n=together.size,
        outer=math.fsum(together) / together.size,
        inner=np.concatenate([part for row in within for part in row]),
        squares=squares,
    )


def _losses(
    given: ArrayLike | None, where: str, like: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    if given is None:
        raise InputError(f"{where} is missing; only the diagonal may be.", code="NF236")
    x = _finite(checks.sample(given, name=where))
    if x.size < 2 or (like is not None and x.size != like.size):
        wanted = "at least two" if like is None else f"{like.size}, as in the outer errors"
        raise InputError(f"{where} has {x.size} losses; expected {wanted}.", code="NF236")
    return x


def _below(mse: float) -> tuple[str, ...]:
    if mse >= 0:
        return ()
    return (
        f"NF237: the mean squared error of cross-validation is estimated below 0 ({mse:.3g}); the "
        "standard error of independent losses, its least, is used.",
    )


def _few_repeats(repeats: int) -> tuple[str, ...]:
    if repeats >= _MANY:
        return ()
    return (
        f"NF239: {repeats} repeat{'s' if repeats > 1 else ''} of nested cross-validation; its mean "
        f"squared error is a noisy estimate, for which {_MANY} repeats or more are advised.",
    )
