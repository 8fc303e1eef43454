"""Calibration as a line on the scale of log odds, and Spiegelhalter's test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from nofluke import checks
from nofluke.classify.calibration.probabilities import probabilities
from nofluke.classify.rows import both_classes
from nofluke.errors import InputError
from nofluke.results import Evidence, Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CERTAIN = ("refuse", "drop")

_MOST_STEPS = 200
_LEAST_GAIN = 1e-15
_LEAST_INFORMATION = 1e-9  # what is known to 3e4 log odds is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Cox(Shown):
    """The line log odds of a positive = intercept + slope * log odds of the forecast.

    Calibrated forecasts have intercept 0 and slope 1. A slope below 1 says that forecasts are too
    extreme, above 1 that they are too timid; neither direction is better than the other.

    Attributes:
        slope: Slope with its Wald interval.
        intercept: Intercept of the same line, with its Wald interval.
        in_the_large: Intercept where the slope is held at 1: above 0, positives are more frequent
            than was forecast.
        se_slope: Standard error of the slope.
        se_intercept: Standard error of the intercept.
        se_in_the_large: Standard error of ``in_the_large``.
        test: Likelihood-ratio test of intercept 0 and slope 1 together, two degrees of freedom.
        observed_over_expected: Positives over the sum of the forecasts, of all rows.
        n: Rows that the line rests on.
        n_certain: Rows with a forecast of 0 or 1, left out because their log odds are infinite.
        notes: Cautions, each beginning with its code.
    """

    slope: Interval
    intercept: Interval
    in_the_large: Interval
    se_slope: float
    se_intercept: float
    se_in_the_large: float
    test: Evidence
    observed_over_expected: float
    n: int
    n_certain: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"slope {self.slope}; intercept {self.intercept}; in the large {self.in_the_large}; "
            f"against calibration {self.test}"
        )


class _Line(NamedTuple):
    """Estimates, their covariance and the log likelihood."""

    at: NDArray[np.float64]
    covariance: NDArray[np.float64]
    log_likelihood: float


def cox(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    certain: str = "refuse",
    positive: object = None,
) -> Cox:
    """Calibration slope and intercept by logistic regression on the log odds of the forecast.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, strictly between 0 and 1, shape (n,).
        level: Coverage of each interval in the limit of many independent rows; 0.95 by default.
        alpha: Error level, instead of ``level``.
        certain: Forecasts of exactly 0 or 1 have infinite log odds: "refuse", or "drop" them, and
            the answer says how many and how many of them were wrong.
        positive: The label of the positive class.

    Raises:
        InputError: Values of ``p`` outside [0, 1]; forecasts of 0 or 1 unless dropped; one class
            only; forecasts all equal; classes that the forecasts separate (then no finite slope is
            the most likely one).

    Source: Cox 1958, Biometrika 45, 562-565.

    >>> fit = cox([0, 1, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.5, 0.6, 0.7, 0.9])
    >>> round(fit.slope.estimate, 4), round(fit.test.pvalue, 4)
    (0.7502, 0.8227)
    """
    rows = probabilities(labels, p, positive=positive)
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    checks.choice(certain, CERTAIN, name="certain")
    y, z, wrong = _log_odds(rows.y, rows.scores, certain)
    _refuse_without_line(y, z)
    free = _line(y, z)
    shifted = _newton(y, np.ones((z.size, 1)), z)
    dropped = rows.y.size - y.size
    se = np.sqrt(np.diag(free.covariance))
    se_large = math.sqrt(float(shifted.covariance[0, 0]))
    return Cox(
        slope=_wald(float(free.at[1]), float(se[1]), error, y.size),
        intercept=_wald(float(free.at[0]), float(se[0]), error, y.size),
        in_the_large=_wald(float(shifted.at[0]), se_large, error, y.size),
        se_slope=float(se[1]),
        se_intercept=float(se[0]),
        se_in_the_large=se_large,
        test=_likelihood_ratio(free.log_likelihood, _log_likelihood(y, z), y.size),
        observed_over_expected=int(rows.y.sum()) / float(rows.scores.sum()),
        n=y.size,
        n_certain=dropped,
        notes=_notes(dropped, wrong),
    )


def spiegelhalter(labels: ArrayLike, p: ArrayLike, *, positive: object = None) -> Evidence:
    """Spiegelhalter's z: is the Brier score what calibrated forecasts would have?

    Above 0 the Brier score is larger than such forecasts would make it (too extreme, mostly), below
    0 smaller. It does not notice miscalibration that leaves the Brier score as it is expected.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        positive: The label of the positive class.

    Returns:
        z and its two-sided p-value, right in the limit of many independent rows. Infinite and 0
        where a forecast of 0 or 1 was wrong, which no calibrated forecast can be.

    Raises:
        InputError: Values of ``p`` outside [0, 1]; only forecasts of 0, 1/2 and 1, for which z
            is 0 over 0.

    Source: Spiegelhalter 1986, Statistics in Medicine 5, 421-433.

    >>> print(spiegelhalter([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    p = 0.5465 (miscalibrated; spiegelhalter, n=4, asymptotic)
    """
    y, q = probabilities(labels, p, positive=positive)
    variance = float(((1 - 2 * q) ** 2 * q * (1 - q)).sum())
    sure_and_wrong = ((q == 0) & y) | ((q == 1) & ~y)
    if sure_and_wrong.any():
        z = math.inf
    elif variance == 0:
        raise InputError(
            "Spiegelhalter's z is undefined: all forecasts are 0, 1/2 or 1, and 1/2 has the same "
            "Brier score whatever happens. Use corp, whose test has no such gap.",
            code="NF055",
        )
    else:
        z = float(((y - q) * (1 - 2 * q)).sum()) / math.sqrt(variance)
    return Evidence(
        pvalue=2 * float(ndtr(-abs(z))),
        statistic=z,
        alternative="miscalibrated",
        method="spiegelhalter",
        guarantee="asymptotic",
        n=y.size,
        assumes="rows are independent",
    )


def _log_odds(
    y: NDArray[np.bool_], p: NDArray[np.float64], certain: str
) -> tuple[NDArray[np.bool_], NDArray[np.float64], int]:
    """Labels and log odds of the rows that have any, and how many of the others were wrong."""
    sure = (p == 0) | (p == 1)
    count, wrong = int(sure.sum()), int((sure & (y != (p == 1))).sum())
    if count and certain == "refuse":
        raise InputError(
            f"{count} of {p.size} forecasts are exactly 0 or 1 ({wrong} of them wrong): their log "
            "odds are infinite, and no line fits them. Pass certain='drop' to leave them out and "
            "say so, or use corp, which needs no log odds.",
            code="NF055",
        )
    return y[~sure], logit(p[~sure]), wrong


def _refuse_without_line(y: NDArray[np.bool_], z: NDArray[np.float64]) -> None:
    if not y.size:
        raise InputError("no row is left: all forecasts are exactly 0 or 1.", code="NF055")
    both_classes(y, what="a calibration slope")
    if z.min() == z.max():
        raise InputError(
            f"all forecasts equal {expit(z[0]):.6g}: no slope can be told from one value. Compare "
            "the rate of positives with it, by an interval of nofluke.proportions.",
            code="NF055",
        )
    ones, zeros = z[y], z[~y]
    if zeros.max() <= ones.min() or ones.max() <= zeros.min():
        raise InputError(
            "the forecasts separate the two classes: the likelihood of the slope grows without end "
            "and has no maximum. Use corp or spiegelhalter, or judge more rows.",
            code="NF055",
        )


def _line(y: NDArray[np.bool_], z: NDArray[np.float64]) -> _Line:
    """Intercept and slope, found on log odds from about -1 to 1 so that no digit is lost."""
    centre, scale = float(z.mean()), float(z.max() - z.min()) / 2
    found = _newton(y, np.column_stack([np.ones(z.size), (z - centre) / scale]), np.zeros(z.size))
    back = np.array([[1, -centre / scale], [0, 1 / scale]])
    covariance = np.asarray(back @ found.covariance @ back.T, dtype=np.float64)
    return _Line(np.asarray(back @ found.at), covariance, found.log_likelihood)


def _newton(y: NDArray[np.bool_], X: NDArray[np.float64], offset: NDArray[np.float64]) -> _Line:
    """Maximum likelihood of a logistic regression, by Newton's steps, halved where they overshoot.

    The log likelihood is strictly concave and has a maximum, because separation was ruled out; a
    step that does not lower it is halved until it does not fall, so the climb ends there.
    """
    at = np.zeros(X.shape[1])
    best = _log_likelihood(y, offset)
    for _ in range(_MOST_STEPS):
        fitted = expit(X @ at + offset)
        step = np.linalg.solve(_information(X, fitted), X.T @ (y - fitted))
        reached = _log_likelihood(y, X @ (at + step) + offset)
        while reached < best - 1e-12 * abs(best):
            step /= 2
            reached = _log_likelihood(y, X @ (at + step) + offset)
        at, gain, best = at + step, float(np.abs(step).max()), reached
        if gain <= _LEAST_GAIN * max(1.0, float(np.abs(at).max())):
            break
    covariance = np.linalg.inv(_information(X, expit(X @ at + offset)))
    return _Line(at, np.asarray(covariance, dtype=np.float64), best)


def _information(X: NDArray[np.float64], fitted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fisher's information; refused where the rows have next to none."""
    information = X.T @ (X * (fitted * (1 - fitted))[:, None])
    if np.linalg.eigvalsh(information)[0] < _LEAST_INFORMATION:
        raise InputError(
            "the forecasts are so extreme, and so wrong, that hardly any row says where the line "
            "lies; use corp, which needs no log odds.",
            code="NF055",
        )
    return np.asarray(information, dtype=np.float64)


def _log_likelihood(y: NDArray[np.bool_], log_odds: NDArray[np.float64]) -> float:
    return -float(np.logaddexp(0, np.where(y, -log_odds, log_odds)).sum())


def _wald(estimate: float, se: float, alpha: float, n: int) -> Interval:
    reach = -float(ndtri(alpha / 2)) * se
    return Interval(
        estimate=estimate,
        lower=estimate - reach,
        upper=estimate + reach,
        alpha=alpha,
        side="both",
        method="wald",
        guarantee="asymptotic",
        n=n,
    )


def _likelihood_ratio(free: float, calibrated: float, n: int) -> Evidence:
    statistic = max(0.0, 2 * (free - calibrated))
    return Evidence(
        pvalue=math.exp(-statistic / 2),  # the upper tail of chi-square with 2 degrees of freedom
        statistic=statistic,
        alternative="intercept other than 0 or slope other than 1",
        method="likelihood_ratio",
        guarantee="asymptotic",
        n=n,
        assumes="rows are independent",
    )


def _notes(dropped: int, wrong: int) -> tuple[str, ...]:
    if not dropped:
        return ()
    verdict = (
        f"{wrong} of them were wrong, which no calibrated forecast of 0 or 1 can be"
        if wrong
        else "none of them was wrong"
    )
    return (f"NF203: {dropped} rows with a forecast of exactly 0 or 1 were left out; {verdict}.",)
