"""Thresholdout: the training score is confirmed, or corrected at a price."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Self

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import ladders, thresholdout, transcripts
from nofluke.ledger.release.noise import source
from nofluke.ledger.release.records import (
    BLIND,
    BOUNDED,
    INDEPENDENT,
    State,
    Submission,
    grid,
)

if TYPE_CHECKING:
    from nofluke.ledger.release.noise import Rng
    from nofluke.ledger.release.records import Released

NOISE: Final = "the noise is independent of the hidden rows and is not known to anybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholdout(State):
    """An analyst's training score, confirmed by the hidden rows or replaced by a noisy look.

    Dwork, Feldman, Hardt, Pitassi, Reingold & Roth 2015, figure 1: where the two scores differ by
    no more than a noisy threshold the training score comes back and nothing is spent; else the
    hidden mean with noise, one of the budget is spent and the threshold is redrawn. Without budget
    the rule refuses.

    What is promised here is derived by counting answers, with every constant: given the noise,
    which is independent of the rows, an answer that is not the training score is one of V values
    (the steps, or the n + 1 means of zeros and ones), so that a path with j of them before look t
    is one of C(t - 1, j) V^j. Half of alpha pays for Hoeffding's radius at each path's level, half
    for the noise. The paper's theorem by differential privacy grows more slowly with the budget; no
    number here rests on it, nor is privacy promised, which noise in floating point does not give.

    Attributes:
        budget: How many answers may differ from the training score.
        threshold: T, in units of the scores.
        sigma: Scale of the noise, in units of the scores: Lap(2 sigma) on the threshold, Lap(4
            sigma) on each comparison, Lap(sigma) on each corrected answer.
        step: What corrected answers are rounded to; None for not at all, for binary scores only.
        spent: Corrected answers so far.
        noisy: The threshold with its noise, as a share of the span; None before the first look.

    >>> from nofluke.ledger import release
    >>> state = release.Thresholdout(n=1000, looks=50, budget=5, threshold=0.04, sigma=0.002)
    >>> quiet = release.Given([0.0] * 4)
    >>> hidden = [1] * 700 + [0] * 300
    >>> answer, state = release.look(state, release.Submission(hidden, training=0.72), rng=quiet)
    >>> answer.value, answer.budget_left
    (0.72, 5.0)
    >>> quiet = release.Given([0.0, 0.001, 0.0])
    >>> answer, state = release.look(state, release.Submission(hidden, training=0.95), rng=quiet)
    >>> answer.value, answer.budget_left
    (0.701, 4.0)
    """

    rule = "thresholdout"

    budget: int = 10
    threshold: float = 0.04
    sigma: float = 0.01
    step: float | None = None
    spent: int = 0
    noisy: float | None = None

    def __post_init__(self) -> None:
        """Refuse parameters that are none."""
        State.__post_init__(self)
        checks.whole(self.budget, name="budget")
        checks.whole(self.spent, name="spent", least=0)
        for name in ("threshold", "sigma"):
            number = checks.real(getattr(self, name), name=name)
            if not 0 <= number < math.inf:
                raise InputError(f"{name}={number:g} must be finite, at least 0.", code="NF008")
        if self.step is not None:
            grid(self.step, self.span)
        known = self.noisy is not None and math.isfinite(checks.real(self.noisy, name="noisy"))
        if self.spent > min(self.budget, self.look) or known != (self.look > 0):
            raise InputError(
                f"spent={self.spent}, look={self.look} and the threshold do not belong together.",
                code="NF008",
            )

    @property
    def left(self) -> int:
        """Looks that remain; 0 where the budget is spent."""
        return self.looks - self.taken if self.spent < self.budget else 0

    @property
    def own_budget(self) -> float:
        """Answers that may still differ from the training score."""
        return float(self.budget - self.spent)

    @property
    def ends_only(self) -> bool:
        """Without a step the scores are those at the bounds."""
        return self.step is None

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true for the promises."""
        return (INDEPENDENT, BLIND, BOUNDED, NOISE)

    @property
    def paying(self) -> float:
        """The other half of alpha pays for the noise."""
        return self.alpha / 2

    @property
    def takes_statistics(self) -> bool:
        """With a step they are no more values than means are."""
        return self.step is not None

    @property
    def bits(self) -> float:
        """Bits in which all answers so far can be written down, the last correction among them."""
        return self._code(self.budget + 1) / math.log(2)

    def code(self) -> float:
        """Which of the paths with so many corrections this is; see ``kernels.transcripts``."""
        return self._code(self.budget)

    def _code(self, budget: int) -> float:
        return transcripts.log_sparse_code(
            self.look, self.spent, self._values, budget, compared=self.compared
        )

    @property
    def _values(self) -> int:
        """How many different corrections there are."""
        return self.n + 1 if self.step is None else ladders.top(grid(self.step, self.span)) + 1

    def answer(self, submission: Submission, rng: Rng, /) -> tuple[Released, Self]:
        """One look, with noise from ``rng``."""
        number, hidden = self.open(), self.mean(submission)
        train, scale = self._training(submission), float(self.span)
        sigma, base, noise = self.sigma / scale, self.threshold / scale, source(rng)
        noisy = self.noisy
        if noisy is None:
            noisy = base + noise.laplace(2 * sigma)
        found = thresholdout.answer(
            float(hidden),
            train,
            threshold=noisy,
            base=base,
            sigma=sigma,
            laplace=noise.laplace,
        )
        after = replace(self, look=number, spent=self.spent + found.spent, noisy=found.threshold)
        return self._told(found, after, submission.training), after

    def _training(self, submission: Submission) -> float:
        """The training mean, on the scale where the bounds are 0 and 1."""
        if submission.training is None:
            raise InputError(
                "training= is missing: Thresholdout compares with the mean score on the analyst's "
                "own rows; give it with the scores.",
                code="NF367",
            )
        mean = checks.sample([submission.training], name="training")
        checks.within(mean, self.bounds)
        return float(self.position(mean))

    def _told(
        self, found: thresholdout.Answer, after: Thresholdout, training: float | None
    ) -> Released:
        """The answer; its limits depend on what is released and on no hidden noise.

        The training score comes back as it was handed in: on the scale from 0 to 1 it is rounded.
        """
        half, value = Fraction(0), Fraction(min(max(found.value, 0.0), 1.0))
        if self.step is not None:
            eta = grid(self.step, self.span)
            half = eta / 2
            value = round(value / eta) * eta if found.spent else value
        scale = float(self.span)
        above, size = thresholdout.noise_bounds(
            self.sigma / scale, self.looks, self.budget, self.alpha / 2
        )
        radius = Fraction(self.half_width)
        radius += Fraction(size) + half if found.spent else Fraction(self.threshold / scale + above)
        lower, upper = self.value(value - radius), self.value(value + radius)
        return after.released(
            value=self.value(value) if found.spent or training is None else float(training),
            lower=lower,
            upper=upper,
            own=(lower, upper),
            about="expected score of this submission",
            guarantee="finite-sample",
            answers=self._values + 1,
        )
