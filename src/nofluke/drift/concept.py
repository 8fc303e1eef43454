"""Watching labelled batches for ever: the error rate against a reference, at one error level."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke import checks, proportions
from nofluke.errors import InputError
from nofluke.kernels import restarts
from nofluke.results import Interval
from nofluke.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Row

#: Multiples of the odds of an error that are bet on, in equal parts.
ODDS: Final = (1.2, 1.5, 2.0, 3.0, 6.0, 20.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Monitor(Shown):
    """What labelled batches have said so far; ``add`` gives the next one and changes nothing.

    Attributes:
        reference: The error rate (or mean loss) that counts as no drift; an upper limit where it
            was estimated.
        alpha: The probability that there is ever an alarm without drift, over all time.
        limit: The evidence from which on there is an alarm.
        taken: The part of ``alpha`` that an estimated reference took.
        batches: Batches seen.
        n: Rows seen.
        errors: Sum of their errors or losses.
        evidence: The e-value now.
        peak: Its largest value so far.
        alarm: The batch of the first alarm, from 1; None if there was none.
        log_wealth: Log of the wealth of each bet.
        assumes: What must be true for the promise.
    """

    reference: float
    alpha: float
    limit: float
    taken: float
    batches: int = 0
    n: int = 0
    errors: float = 0.0
    evidence: float = 1.0
    peak: float = 1.0
    alarm: int | None = None
    log_wealth: NDArray[np.float64]
    assumes: tuple[str, ...]
    guarantee: str = "anytime"

    @property
    def pvalue(self) -> float:
        """A p-value of "the rate never was above the reference" that holds at any time.

        Where the reference was estimated, the error level that it took is in it.
        """
        return min(1.0, 1 / self.peak + self.taken)

    def add(self, errors: ArrayLike) -> Monitor:
        """The monitor after one more batch.

        Args:
            errors: 1 for each wrong row and 0 for each right one, or losses in [0, 1], shape (n,).

        Raises:
            InputError: Values outside [0, 1].
        """
        x = checks.sample(errors, name="errors")
        if not ((x >= 0) & (x <= 1)).all():
            raise InputError(
                "errors holds values outside [0, 1]; divide losses by the largest possible one.",
                code="NF010",
            )
        bet = restarts.bets(self.reference, np.array(ODDS))
        gains = np.log1p(bet * (x[:, None] - self.reference)).sum(axis=0)
        return self._after(gains, x.size, float(x.sum()))

    def add_counts(self, errors: int, n: int) -> Monitor:
        """The monitor after a batch of ``n`` rows of which ``errors`` are wrong.

        Raises:
            InputError: Counts that are not whole, or more errors than rows.
        """
        k = checks.whole(errors, name="errors", least=0)
        size = checks.whole(n, name="n")
        if k > size:
            raise InputError(f"errors={k} is more than n={size}.", code="NF008")
        bet = restarts.bets(self.reference, np.array(ODDS))
        gains = restarts.log_factors(np.array(float(k)), np.array(float(size)), self.reference, bet)
        return self._after(gains, size, float(k))

    def rows(self) -> list[Row]:
        """One row: where the monitor stands."""
        names = ("reference", "alpha", "batches", "n", "errors", "evidence", "peak", "alarm")
        return [{name: getattr(self, name) for name in names}]

    def __str__(self) -> str:
        seen = f"after {self.batches} batches with {self.n} rows"
        if self.alarm is None:
            return (
                f"No alarm {seen}: evidence {self.evidence:.3g} of {self.limit:.4g}. That is no "
                "proof that nothing has changed."
            )
        return (
            f"Alarm at batch {self.alarm}: the error rate has been above {self.reference:.4g}. "
            f"Without drift there is ever such an alarm with probability at most {self.alpha:g}."
        )

    def _after(self, gains: NDArray[np.float64], n: int, errors: float) -> Monitor:
        wealth, t = self.log_wealth.copy(), self.batches + 1
        restarts.step(wealth, gains, t)
        log_evidence = float(restarts.log_evidence(wealth, t))
        evidence = math.exp(min(log_evidence, 700.0))
        peak = max(self.peak, evidence)
        alarm = t if self.alarm is None and peak >= self.limit else self.alarm
        return replace(
            self,
            batches=t,
            n=self.n + n,
            errors=self.errors + errors,
            evidence=evidence,
            peak=peak,
            alarm=alarm,
            log_wealth=wealth,
        )


def monitor(*, reference: float | tuple[int, int] | Interval, alpha: float = 0.05) -> Monitor:
    """A monitor of the error rate that may run for ever and be looked at after every batch.

    Its evidence is an e-process: wealth of bets against "no batch has an error rate above the
    reference", with new bets at each batch, so that a change after years is still met. It reaches
    1/alpha with probability at most ``alpha`` over all time (Ville's inequality). Rows may depend
    on earlier ones, as long as each is wrong with probability at most the reference given them.

    An error rate above the reference is not yet concept drift: harder rows or another share of
    positives raise it, too. Two monitors, one for positives and one for negatives at half the error
    level each, are not moved by the share of positives; ``diagnose`` says what they tell together.

    Args:
        reference: The rate that counts as no drift, in (0, 1); or (k, n), k errors among n rows of
            the time before: half the error level then goes into its upper limit; or an interval
            with an upper limit, whose error level (a part of ``alpha``) is taken off.
        alpha: The probability that there is ever an alarm without drift.

    Raises:
        InputError: A reference of 0 or 1, counts whose upper limit is 1 (NF248), or an interval
            that leaves nothing of ``alpha``.

    Source: Ville 1939 for the bound. E-detectors (Shin, Ramdas & Rinaldo 2024) start anew, too,
    but bound the time to a false alarm and not the probability that there ever is one.

    >>> watched = monitor(reference=0.1)
    >>> for wrong in [1, 2, 0, 1, 2, 6, 7]:
    ...     watched = watched.add_counts(wrong, 10)
    >>> watched.alarm, round(watched.pvalue, 6)
    (6, 5e-06)
    >>> monitor(reference=(5, 100)).reference > 0.05
    True
    """
    error = checks.fraction(alpha, name="alpha")
    assumes: tuple[str, ...] = (
        "given the rows before, each row is wrong with probability at most the reference",
    )
    if isinstance(reference, Interval):
        rate, taken = _limit(reference, error), reference.alpha
        assumes += ("the interval of the reference holds at its level",)
    elif isinstance(reference, tuple):
        rate, taken = _upper(reference, error / 2), error / 2
        assumes += ("the rows behind the reference are independent",)
    else:
        rate, taken = checks.fraction(reference, name="reference"), 0.0
    return Monitor(
        reference=rate,
        alpha=error,
        limit=1 / (error - taken),
        taken=taken,
        log_wealth=np.full(len(ODDS), -np.inf),
        assumes=assumes,
    )


def _upper(drawn: tuple[int, int], error: float) -> float:
    if len(drawn) != 2:
        raise InputError(
            f"reference={drawn!r}; expected a rate or (k, n), k errors among n rows.", code="NF008"
        )
    limit = proportions.of_counts(*drawn, method="clopper_pearson", alpha=error, side="upper").upper
    if limit >= 1:
        raise InputError(
            f"reference={drawn!r}: every row was wrong, so no rate can lie above.", code="NF248"
        )
    return limit


def _limit(reference: Interval, error: float) -> float:
    if reference.alpha >= error or reference.side == "lower":
        raise InputError(
            f"the interval of the reference has side={reference.side!r} and alpha="
            f"{reference.alpha:g}; expected an upper limit, and less than alpha={error:g}.",
            code="NF008",
        )
    return checks.fraction(reference.upper, name="the upper limit of the reference")
