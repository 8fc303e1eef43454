"""Covariate drift: whether the rows of two times differ, feature by feature and all together."""

from __future__ import annotations

import copy
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import two_samples
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee, Row

# From this many rows on one side the limit law of the KS statistic is used.
_EXACT: Final = 1000
_SLACK: Final = 1e-12  # statistics that tie up to rounding are ties
_CELLS: Final = 20_000_000  # rows times labellings that are held in memory at once


class Classifier(Protocol):
    """What tells the two samples apart; an estimator of scikit-learn is one."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from features, shape (n, p), and truth values."""

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of both classes, shape (n, 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PSI(Shown):
    """The population stability index, beside what it is without any drift.

    Attributes:
        value: Sum of (q - p) log(q / p) over cells.
        expected: About its mean without drift: (K - 1) (1/n + 1/m) for K cells that hold rows.
        pvalue: Share of permutations with a value at least as large.
        cuts: Inner edges of the cells; a value at a cut lies above it.
        reference: Counts by cell before.
        current: Counts by cell now.
    """

    value: float
    expected: float
    pvalue: float
    cuts: tuple[float, ...]
    reference: tuple[int, ...]
    current: tuple[int, ...]

    def __str__(self) -> str:
        return (
            f"PSI {self.value:.4g}, where about {self.expected:.4g} is expected without drift "
            f"(p = {self.pvalue:.3g})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureDrift(Shown):
    """One feature at two times.

    Attributes:
        name: Its name.
        ks: Largest difference of the two distribution functions; None for categories, which have
            no order.
        pvalue: That of the KS test; for categories that of the stability index.
        adjusted: The same after Holm, over all features.
        psi: The stability index.
    """

    name: str
    ks: float | None
    pvalue: float
    adjusted: float
    psi: PSI


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateDrift(Shown):
    """Whether the predictors have changed.

    Attributes:
        features: Feature by feature.
        auc: How well rows of the two times are told apart, out of fold; 1/2 is not at all.
        auc_pvalue: That of the permutation test.
        pvalue: Of both together (Bonferroni): twice the least of it and of the adjusted ones.
        alpha: Error level.
        n_reference: Rows before.
        n_current: Rows now.
        guarantee: What is promised, in one word.
        assumes: What must be true for it.
    """

    features: tuple[FeatureDrift, ...]
    auc: float
    auc_pvalue: float
    pvalue: float
    alpha: float
    n_reference: int
    n_current: int
    guarantee: Guarantee
    assumes: tuple[str, ...]

    @property
    def seen(self) -> bool:
        """Whether there is drift at the error level."""
        return self.pvalue <= self.alpha

    @property
    def drifted(self) -> tuple[str, ...]:
        """Features that have changed, at half the error level for all of them together."""
        return tuple(f.name for f in self.features if f.adjusted <= self.alpha / 2)

    def rows(self) -> list[Row]:
        """One row for each feature."""
        return [
            {
                "feature": f.name,
                "ks": f.ks,
                "pvalue": f.pvalue,
                "adjusted": f.adjusted,
                "psi": f.psi.value,
                "psi_expected": f.psi.expected,
                "psi_pvalue": f.psi.pvalue,
            }
            for f in self.features
        ]

    def __str__(self) -> str:
        apart = f"rows of the two times are told apart with an area of {self.auc:.3g}"
        if not self.seen:
            return (
                f"No change of the predictors is seen (p = {self.pvalue:.3g}, and {self.alpha:.3g} "
                f"or less is needed; {apart}). That is no proof that there is none."
            )
        which = f", in {', '.join(self.drifted)}" if self.drifted else ", in no feature alone"
        return f"The predictors have changed (p = {self.pvalue:.3g}; {apart}){which}."


def psi(
    reference: ArrayLike,
    current: ArrayLike,
    *,
    cuts: ArrayLike | None = None,
    n_bins: int = 10,
    n_resamples: int = 999,
    seed: int | np.random.Generator = 0,
) -> PSI:
    """The population stability index with its mean without drift, and an exact p-value.

    The common limits 0.1 and 0.25 ignore the number of rows: without any drift the index is about
    (K - 1) (1/n + 1/m) on average (Yurdakul 2018). The p-value is that of a permutation test, valid
    at every n for independent rows. Where a cell is empty on one side, half a count is added to
    every cell of both; cells that hold no row at all are left out.

    Args:
        reference: Values before, shape (n,).
        current: Values now, shape (m,).
        cuts: Inner edges of the cells, ascending; by default quantiles of both samples together.
        n_bins: Number of cells where no cuts are given.
        n_resamples: Permutations.
        seed: Their seed or generator.

    Raises:
        InputError: NaN, cuts that do not ascend.

    >>> found = psi([1, 2, 3, 4] * 5, [3, 4, 5, 6] * 5, cuts=[2.5, 4.5])
    >>> print(found)
    PSI 2.832, where about 0.2 is expected without drift (p = 0.001)
    """
    x, y = checks.sample(reference, name="reference"), checks.sample(current, name="current")
    inner = _cuts(x, y, cuts, checks.whole(n_bins, name="n_bins", least=2))
    B = checks.whole(n_resamples, name="n_resamples")
    return _psi(x, y, inner, B, checks.generator(seed))


def covariates(
    reference: ArrayLike,
    current: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    categories: Collection[str] = (),
    alpha: float = 0.05,
    estimator: Classifier | None = None,
    n_folds: int = 5,
    n_bins: int = 10,
    n_resamples: int = 199,
    max_rows: int = 20_000,
    seed: int = 0,
) -> CovariateDrift:
    """Whether the predictors of two times differ: feature by feature, and all together.

    Each feature has a two-sample KS test, adjusted by Holm over the features, and the stability
    index; a feature of categories, whose codes have no order, has the permutation test of that
    index over its categories instead.

    All together a classifier is trained to tell the times apart (Lopez-Paz & Oquab 2017); its area
    under the ROC curve out of fold is compared with that of complete runs under permuted times,
    which is exact, while a binomial law for out-of-fold predictions is not: the folds share
    their training rows. The verdict gives half the error level to the features, half to this test.

    Args:
        reference: Rows before, shape (n, p) or (n,).
        current: Rows now, shape (m, p) or (m,).
        names: Names of the features; "x0", "x1", ... by default.
        categories: Those of the names whose values are codes of categories.
        alpha: Error level of the verdict.
        estimator: What tells the times apart; by default a ridge regression on features and their
            squares, which sees changes of location, spread and linear dependence on the times.
            Others are fitted ``n_folds * (n_resamples + 1)`` times.
        n_folds: Folds.
        n_bins: Cells of the stability index.
        n_resamples: Permutations.
        max_rows: Rows of either time that the classifier sees, drawn at random from more; the
            tests of single features see all.
        seed: Seed of folds and permutations.

    Raises:
        InputError: Other features in the two samples, or too few rows or permutations (NF248);
            NaN or infinities.

    >>> rng = np.random.default_rng(0)
    >>> before, now = rng.normal(size=(100, 2)), rng.normal(size=(80, 2)) + [0, 1]
    >>> found = covariates(before, now, names=["age", "dose"])
    >>> found.seen, found.drifted
    (True, ('dose',))
    """
    a, b = _table(reference, "reference"), _table(current, "current")
    labels = _names(names, a, b)
    error = checks.fraction(alpha, name="alpha")
    folds = checks.whole(n_folds, name="n_folds", least=2)
    B = checks.whole(n_resamples, name="n_resamples")
    n_bins = checks.whole(n_bins, name="n_bins", least=2)
    most = checks.whole(max_rows, name="max_rows", least=2 * folds)
    coded = _coded(labels, categories)
    if min(len(a), len(b)) < 2 * folds or error < 2 / (B + 1):
        raise InputError(
            f"{len(a)} and {len(b)} rows, n_folds={folds} and n_resamples={B} can show no drift at "
            f"alpha={error:g}; at least {2 * folds} rows on either side and "
            f"{math.ceil(2 / error) - 1} permutations are needed.",
            code="NF248",
        )
    draw = checks.generator(seed)
    before, now = _indicators(_some(a, most, draw), _some(b, most, draw), coded)
    auc, p_auc = _told_apart(before, now, estimator, folds=folds, B=B, rng=draw)
    # As many permutations as the smallest p-value needs to be seen after Holm.
    enough = max(999, math.ceil(2 * len(labels) / error))
    tested = [
        _category(x, y, enough, draw) if code else _number(x, y, n_bins, draw)
        for x, y, code in zip(a.T, b.T, coded, strict=True)
    ]
    adjusted = _holm(np.array([p for _, p, _ in tested]))
    features = tuple(
        FeatureDrift(
            name=name,
            ks=tested[j][0],
            pvalue=tested[j][1],
            adjusted=float(adjusted[j]),
            psi=tested[j][2],
        )
        for j, name in enumerate(labels)
    )
    exact = max(len(a), len(b)) <= _EXACT or all(coded)
    return CovariateDrift(
        features=features,
        auc=auc,
        auc_pvalue=p_auc,
        pvalue=min(1.0, 2 * min(p_auc, float(adjusted.min()))),
        alpha=error,
        n_reference=len(a),
        n_current=len(b),
        guarantee="finite-sample" if exact else "asymptotic",
        assumes=("rows are independent (not several of one unit), before and now",),
    )


def _table(X: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} holds values that are not numbers ({error}); code categories as 0 and 1.",
            code="NF004",
        ) from None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.size == 0:
        raise InputError(
            f"{name} has shape {values.shape}; expected (rows, features).", code="NF002"
        )
    if not np.isfinite(values).all():
        raise InputError(
            f"{name} holds NaN or infinities; put a number in their place, and add a feature that "
            "says where: missing values drift, too.",
            code="NF007",
        )
    return values


def _names(
    names: Sequence[str] | None, a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[str, ...]:
    p, q = a.shape[1], b.shape[1]
    given = tuple(f"x{j}" for j in range(p)) if names is None else tuple(map(str, names))
    if p != q or len(given) != p:
        raise InputError(
            f"reference has {p} features, current {q}, and there are {len(given)} names; both need "
            "the same features in the same order.",
            code="NF248",
        )
    return given


def _coded(names: tuple[str, ...], categories: Collection[str]) -> list[bool]:
    unknown = sorted(set(categories) - set(names))
    if unknown:
        raise InputError(
            f"categories names {some(unknown)}; the features are {some(names)}.", code="NF248"
        )
    return [name in set(categories) for name in names]


def _some(rows: NDArray[np.float64], most: int, rng: np.random.Generator) -> NDArray[np.float64]:
    if len(rows) <= most:
        return rows
    return rows[np.sort(rng.choice(len(rows), most, replace=False))]


def _indicators(
    a: NDArray[np.float64], b: NDArray[np.float64], coded: list[bool]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Categories as columns of 0 and 1, one for each but the first; others as they are."""
    if not any(coded):
        return a, b
    both = np.concatenate([a, b])
    parts = [
        (x[:, None] == np.unique(x)[1:]).astype(np.float64) if code else x[:, None]
        for x, code in zip(both.T, coded, strict=True)
    ]
    whole = np.hstack(parts)
    if not whole.shape[1]:  # one category in one feature: nothing to tell by
        whole = np.zeros((len(both), 1))
    return whole[: len(a)], whole[len(a) :]


def _number(
    x: NDArray[np.float64], y: NDArray[np.float64], n_bins: int, rng: np.random.Generator
) -> tuple[float | None, float, PSI]:
    ks, pvalue = _ks(x, y)
    return ks, pvalue, _psi(x, y, _cuts(x, y, None, n_bins), 999, rng)


def _category(
    x: NDArray[np.float64], y: NDArray[np.float64], B: int, rng: np.random.Generator
) -> tuple[float | None, float, PSI]:
    """One cell for each code; the p-value is that of the permutation test."""
    found = _psi(x, y, np.unique(np.concatenate([x, y]))[1:], B, rng)
    return None, found.pvalue, found


def _cuts(
    x: NDArray[np.float64], y: NDArray[np.float64], cuts: ArrayLike | None, n_bins: int
) -> NDArray[np.float64]:
    if cuts is not None:
        inner = checks.sample(cuts, name="cuts")
        if (np.diff(inner) <= 0).any():
            raise InputError("cuts must ascend, each above the one before.", code="NF008")
        return inner
    # Of both samples together, so that a permutation leaves them as they are; the least value
    # is no cut, as nothing lies below it.
    both = np.sort(np.concatenate([x, y]))
    inner = np.unique(both[np.arange(1, n_bins) * both.size // n_bins])
    return np.asarray(inner[inner > both[0]])


def _psi(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    cuts: NDArray[np.float64],
    B: int,
    rng: np.random.Generator,
) -> PSI:
    K = cuts.size + 1
    a, b = (np.bincount(np.searchsorted(cuts, v, side="right"), minlength=K) for v in (x, y))
    # Cells without any row say nothing; half counts in them would draw the index to 0.
    held = a + b > 0
    value = float(two_samples.stability(a[held], b[held]))
    # A permutation of rows draws the counts of the reference without replacement.
    both = (a + b)[held]
    drawn = rng.multivariate_hypergeometric(both, x.size, size=B)
    others = two_samples.stability(drawn, both - drawn)
    return PSI(
        value=value,
        expected=(both.size - 1) * (1 / x.size + 1 / y.size),
        pvalue=float((1 + np.sum(others >= value - _SLACK)) / (B + 1)),
        cuts=tuple(cuts.tolist()),
        reference=tuple(a.tolist()),
        current=tuple(b.tolist()),
    )


def _ks(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Statistic and p-value; with ties the p-value for continuous values is on the safe side."""
    from scipy.stats import ks_2samp

    exact = max(x.size, y.size) <= _EXACT
    with warnings.catch_warnings(record=True) as failed:
        warnings.simplefilter("always")
        found = ks_2samp(x, y, method="exact" if exact else "asymp")
    # Where rounding carries the exact sum above 1, SciPy warns and takes the limit law instead.
    pvalue = 1.0 if exact and failed else float(found.pvalue)
    return float(found.statistic), pvalue


def _holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, steps)
    return adjusted


def _told_apart(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    estimator: Classifier | None,
    *,
    folds: int,
    B: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """The area out of fold and the share of permutations that reach it."""
    X = np.concatenate([a, b])
    fold = rng.permutation(np.arange(len(X)) % folds)
    now = np.arange(len(X)) >= len(a)
    labels = np.column_stack([now, *(rng.permutation(now) for _ in range(B))])
    if estimator is not None:
        found = _areas_of(estimator, X, labels, fold)
    else:
        # By powers of two, so that squares of huge and of tiny values stay finite and nothing else
        # changes; an estimator of one's own gets the values as they are.
        X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
        at_once = max(1, _CELLS // len(X))
        found = np.concatenate(
            [
                two_samples.fold_areas(X, labels[:, i : i + at_once], fold)
                for i in range(0, B + 1, at_once)
            ]
        )
    return float(found[0]), float(np.mean(found >= found[0] - _SLACK))


def _areas_of(
    estimator: Classifier, X: NDArray[np.float64], labels: NDArray[np.bool_], fold: NDArray[Any]
) -> NDArray[np.float64]:
    areas = []
    for y in labels.T:
        wins = pairs = 0.0
        for k in range(int(fold.max()) + 1):
            test = fold == k
            scores = np.zeros((int(test.sum()), 1))
            if 0 < y[~test].sum() < (~test).sum():
                fitted = copy.deepcopy(estimator).fit(X[~test], y[~test])
                scores = np.asarray(fitted.predict_proba(X[test]), dtype=np.float64)[:, 1:]
            won, of = two_samples.compared(scores, y[test][:, None])
            wins, pairs = wins + float(won[0]), pairs + float(of[0])
        areas.append(wins / pairs if pairs else 0.5)
    return np.array(areas)
