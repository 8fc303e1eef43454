"""What a predicted class is worth elsewhere: predictive values at another share of positives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy.special import ndtri

from nofluke import checks, proportions
from nofluke.classify.matrix import Counts, MatrixInterval, counts
from nofluke.classify.rate_ratios import likelihood_ratio, part_of
from nofluke.errors import InputError, some
from nofluke.kernels import mover
from nofluke.kernels.mover import Part
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee, Row

METHODS = ("mover", "jeffreys", "mercaldo", "delta", "clopper_pearson")
# The interval of each rate that a method is made of; the others know only the estimates.
_RATES = {"mover": "wilson", "jeffreys": "jeffreys", "clopper_pearson": "clopper_pearson"}

Prevalence: TypeAlias = "float | tuple[int, int]"
_Share = TypeVar("_Share", float, "NDArray[np.float64]")


def ppv_at(
    prevalence: Prevalence,
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    *,
    level: float = 0.95,
    method: str = "mover",
) -> MatrixInterval:
    """Precision where the share of positives is another, recall and false positive rate the same.

    Bayes: the odds of a predicted positive are the odds of the prevalence times the likelihood
    ratio LR = recall / fpr. Limits for LR become limits of the precision:

    * "mover": MOVER-R (Donner & Zou 2012) with Wilson limits; defined on all counts.
    * "jeffreys": the same with Jeffreys' limits.
    * "mercaldo": log LR plus and minus z standard errors (Mercaldo, Lau & Zhou 2007, Statistics in
      Medicine 26, 2170-2183, without their adjustment).
    * "delta": symmetric around the precision itself, cut at 0 and 1; for comparison.
    * "clopper_pearson": the extremes over Clopper-Pearson limits of both rates at half the error
      level each: finite-sample.

    An estimated prevalence, independent of the matrix, adds its own part: distances on the scale
    of log odds are added as squares, its interval being Wilson's (Jeffreys', or the normal one of
    log odds with "mercaldo"; "delta" is refused). Where the estimate is 0 or 1, and with
    "clopper_pearson" (a third of the error level each), limits are multiplied, which is wider.

    Positives and negatives may have been drawn separately, as in a case-control study; precision
    itself could not be read from such a matrix. Recall and the false positive rate must be the
    same where it is used: it is the mix that changes, not the cases within a class.

    Args:
        prevalence: Share of positives in use, strictly between 0 and 1; or (k, n), k positives
            among n examples drawn where it is used.
        tp: Positives predicted positive.
        fp: Negatives predicted positive.
        fn: Positives predicted negative.
        tn: Negatives predicted negative.
        level: Coverage of the interval at this prevalence (and, with a known one and every method
            but "delta", at all prevalences at once: see ``predictive_curve``).
        method: As above.

    Raises:
        InputError: Counts or a prevalence that cannot be used, a class without examples, nothing
            predicted positive, or a method that has no value on these counts.

    >>> print(ppv_at(0.01, 40, 20, 10, 930))
    0.2774 [0.1941, 0.3741] at 95% (mover, n=50, asymptotic)
    >>> print(ppv_at((5, 500), 40, 20, 10, 930))
    0.2774 [0.1266, 0.5012] at 95% (mover, n=50, asymptotic)
    """
    cells = counts(tp, fp, fn, tn)
    return _predictive(prevalence, cells, level, method, _PPV)


def npv_at(
    prevalence: Prevalence,
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    *,
    level: float = 0.95,
    method: str = "mover",
) -> MatrixInterval:
    """Negative predictive value where the share of positives is another; see ``ppv_at``.

    It is the precision of the negative class: the odds of a predicted negative to be one are the
    odds of being negative times specificity / fnr.

    Args:
        prevalence: Share of positives in use, or (k, n); as in ``ppv_at``.
        tp: Positives predicted positive.
        fp: Negatives predicted positive.
        fn: Positives predicted negative.
        tn: Negatives predicted negative.
        level: Coverage of the interval.
        method: As in ``ppv_at``.

    Raises:
        InputError: As in ``ppv_at``.

    >>> print(npv_at(0.01, 40, 20, 10, 930, method="mercaldo"))
    0.9979 [0.9964, 0.9988] at 95% (mercaldo, n=50, asymptotic)
    """
    cells = counts(tp, fp, fn, tn)
    return _predictive(prevalence, cells, level, method, _NPV)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictiveCurve(Shown):
    """A predictive value over prevalences, with a band that holds at all of them at once.

    Attributes:
        value: "ppv" or "npv".
        prevalence: Shares of positives, shape (m,).
        estimate: The predictive value at each, shape (m,).
        lower: Lower limits, shape (m,).
        upper: Upper limits, shape (m,).
        alpha: Error level of the whole band.
        method: Method of the interval for the likelihood ratio.
        guarantee: What is promised, in one word.
        n: Examples of the smaller class.
        given: What is held fixed by the promise.
    """

    value: str
    prevalence: NDArray[np.float64]
    estimate: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    alpha: float
    method: str
    guarantee: Guarantee
    n: int
    given: str

    def rows(self) -> list[Row]:
        """One row for each prevalence."""
        columns = (self.prevalence, self.estimate, self.lower, self.upper)
        names = ("prevalence", "estimate", "lower", "upper")
        return [
            dict(zip(names, row, strict=True))
            for row in zip(*(c.tolist() for c in columns), strict=True)
        ]


def predictive_curve(
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    *,
    value: str = "ppv",
    prevalences: ArrayLike | None = None,
    level: float = 0.95,
    method: str = "mover",
) -> PredictiveCurve:
    """``ppv_at`` or ``npv_at`` over many prevalences, simultaneously and at no price.

    A predictive value at a known prevalence is a rising function of one likelihood ratio, the same
    one at every prevalence. So the interval for that ratio holds if and only if the interval at any
    one prevalence does, and then it does at all: intervals at single prevalences are a band.
    Only both curves together have a price: ask for each at half the error level (level=0.975).

    Args:
        tp: Positives predicted positive.
        fp: Negatives predicted positive.
        fn: Positives predicted negative.
        tn: Negatives predicted negative.
        value: "ppv" or "npv".
        prevalences: Shares of positives, each strictly between 0 and 1, shape (m,); by default 199
            of them, in equal steps of log odds from 0.0001 to 0.9999.
        level: Coverage of the whole band.
        method: As in ``ppv_at``, without "delta", for which this is not true.

    Raises:
        InputError: As in ``ppv_at``, or a prevalence that is not between 0 and 1.

    >>> curve = predictive_curve(40, 20, 10, 930, prevalences=[0.01, 0.05])
    >>> curve.estimate.round(4).tolist(), curve.lower.round(4).tolist()
    ([0.2774, 0.6667], [0.1941, 0.5565])
    """
    cells = counts(tp, fp, fn, tn)
    checks.choice(value, ("ppv", "npv"), name="value")
    error = checks.alpha(level=level, alpha=None)
    checks.choice(method, tuple(m for m in METHODS if m != "delta"), name="method")
    pi = _grid() if prevalences is None else _shares(prevalences)
    which = _PPV if value == "ppv" else _NPV
    ratio = _ratio(which.cells(cells), error, method, which)
    prior = which.prior(pi)
    estimate, lower, upper = (_shares_of(prior, limit) for limit in ratio)
    return PredictiveCurve(
        value=value,
        prevalence=pi,
        estimate=estimate,
        lower=lower,
        upper=upper,
        alpha=error,
        method=method,
        guarantee=_guarantee(method),
        n=min(cells.positives, cells.negatives),
        given=_given(cells),
    )


class _Value(NamedTuple):
    """Which class is predicted, and how its predictive value is called in a message."""

    name: str
    none: str
    swapped: bool

    def cells(self, of: Counts) -> Counts:
        """The matrix with the predicted class as the positive one."""
        return Counts(of.tn, of.fn, of.fp, of.tp) if self.swapped else of

    def prior(self, share: _Share) -> _Share:
        """Odds of the predicted class; from the share of positives, which may be tiny."""
        return (1 - share) / share if self.swapped else share / (1 - share)


_PPV = _Value("the precision", "no example is predicted positive", swapped=False)
_NPV = _Value("the negative predictive value", "no example is predicted negative", swapped=True)


def _predictive(
    prevalence: Prevalence, cells: Counts, level: float, method: str, value: _Value
) -> MatrixInterval:
    error = checks.alpha(level=level, alpha=None)
    checks.choice(method, METHODS, name="method")
    asked = value.cells(cells)
    if isinstance(prevalence, tuple):
        k, n = _drawn(prevalence)
        drawn = (n - k, n) if value.swapped else (k, n)
        found = _at_estimated(drawn, asked, error, method, value)
    else:
        prior = value.prior(checks.fraction(prevalence, name="prevalence"))
        found = _at_known(prior, asked, error, method, value)
    return MatrixInterval(
        estimate=found.estimate,
        lower=found.lower,
        upper=found.upper,
        alpha=error,
        side="both",
        method=method,
        guarantee=_guarantee(method),
        n=min(cells.positives, cells.negatives),
        given=_given(cells),
    )


def _at_known(prior: float, cells: Counts, error: float, method: str, value: _Value) -> Part:
    if method != "delta":
        return Part(*(_share_of(prior * limit) for limit in _ratio(cells, error, method, value)))
    ratio, se = _log_ratio(cells, method, value)
    estimate = _share_of(prior * ratio)
    reach = -float(ndtri(error / 2)) * estimate * (1 - estimate) * se
    return Part(estimate, max(0.0, estimate - reach), min(1.0, estimate + reach))


def _at_estimated(
    drawn: tuple[int, int], cells: Counts, error: float, method: str, value: _Value
) -> Part:
    k, n = drawn
    if method == "delta":
        raise InputError(
            "method='delta' has no interval for an estimated prevalence; method='mover' has.",
            code="NF057",
        )
    if method == "clopper_pearson":
        prior = _odds(k, n, "clopper_pearson", error / 3)
        ratio = _ratio(cells, error, method, value, of=3)
        found = Part(*(_zero_times(a, b) for a, b in zip(prior, ratio, strict=True)))
    else:
        prior = (
            _normal_odds(k, n, error)
            if method == "mercaldo"
            else _odds(k, n, _RATES[method], error)
        )
        found = mover.product(prior, _ratio(cells, error, method, value))
    if math.isnan(found.estimate):
        raise InputError(
            f"{value.name} has no estimate: of the {n} examples drawn where it is used {k} are "
            "positive, and the rates of the matrix are 0 the other way round.",
            code="NF057",
        )
    return Part(*(_share_of(odds) for odds in found))


def _ratio(cells: Counts, error: float, method: str, value: _Value, *, of: int = 2) -> Part:
    """Limits of the likelihood ratio of a predicted positive."""
    if cells.positives == 0 or cells.negatives == 0 or cells.predicted_positives == 0:
        reason = value.none if cells.positives and cells.negatives else "one class has no example"
        raise InputError(
            f"{value.name} at another prevalence is undefined: {reason}. It is not 0.",
            code="NF057",
        )
    if method in _RATES:
        first, second = (cells.tp, cells.positives), (cells.fp, cells.negatives)
        return likelihood_ratio(first, second, error=error, method=_RATES[method], of=of)
    ratio, se = _log_ratio(cells, method, value)
    reach = -float(ndtri(error / 2)) * se
    return Part(ratio, ratio * math.exp(-reach), ratio * math.exp(reach))


def _log_ratio(cells: Counts, method: str, value: _Value) -> tuple[float, float]:
    """The likelihood ratio and the standard error of its logarithm."""
    _refuse_zero(cells, method, value)
    ratio = cells.tp * cells.negatives / (cells.positives * cells.fp)
    se = math.sqrt(
        cells.fn / (cells.tp * cells.positives) + cells.tn / (cells.fp * cells.negatives)
    )
    return ratio, se


def _refuse_zero(cells: Counts, method: str, value: _Value) -> None:
    if cells.tp and cells.fp and cells.fn + cells.tn:
        return
    raise InputError(
        f"method={method!r} has no interval for {value.name} here: of {cells.positives} and "
        f"{cells.negatives} examples {cells.tp} and {cells.fp} are predicted to be of the class, "
        "and it needs both above 0 and not all of them; method='mover' is defined on these counts.",
        code="NF057",
    )


def _odds(k: int, n: int, method: str, alpha: float) -> Part:
    rate = proportions.of_counts(k, n, method=method, alpha=alpha)
    found = mover.odds(part_of(rate))
    return found._replace(estimate=k / (n - k) if k < n else math.inf)


def _normal_odds(k: int, n: int, error: float) -> Part:
    if k in (0, n):
        raise InputError(
            f"method='mercaldo' has no interval where {k} of {n} examples are positive; "
            "method='mover' has.",
            code="NF057",
        )
    reach = -float(ndtri(error / 2)) * math.sqrt(n / (k * (n - k)))
    odds = k / (n - k)
    return Part(odds, odds * math.exp(-reach), odds * math.exp(reach))


def _drawn(prevalence: tuple[int, int]) -> tuple[int, int]:
    if len(prevalence) != 2:
        raise InputError(
            f"prevalence={prevalence!r}; expected a share or (k, n), k positives among n examples.",
            code="NF008",
        )
    n = checks.whole(prevalence[1], name="prevalence[1]")
    k = checks.whole(prevalence[0], name="prevalence[0]", least=0)
    if k > n:
        raise InputError(f"prevalence={prevalence!r}: k is more than n.", code="NF008")
    return k, n


def _grid() -> NDArray[np.float64]:
    ends = math.log(9999.0)
    return np.asarray(1 / (1 + np.exp(-np.linspace(-ends, ends, 199))))


def _shares(prevalences: ArrayLike) -> NDArray[np.float64]:
    values = checks.sample(prevalences, name="prevalences")
    outside = values[(values <= 0) | (values >= 1)]
    if outside.size:
        raise InputError(
            f"prevalences={some(outside.tolist(), most=3)} must lie strictly between 0 and 1.",
            code="NF008",
        )
    return values


def _shares_of(prior: NDArray[np.float64], ratio: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        odds = prior * ratio
        return np.where(np.isinf(odds), 1.0, odds / (1 + odds))


def _share_of(odds: float) -> float:
    return 1.0 if odds == math.inf else odds / (1 + odds)


def _zero_times(a: float, b: float) -> float:
    return mover.product(Part(a, a, a), Part(b, b, b)).estimate


def _guarantee(method: str) -> Guarantee:
    return "finite-sample" if method == "clopper_pearson" else "asymptotic"


def _given(cells: Counts) -> str:
    classes = sorted((cells.positives, cells.negatives))
    return f"the {classes[0]} and {classes[1]} examples of the two classes, and the prevalence"
