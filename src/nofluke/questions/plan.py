"""`plan`: what can be settled before any example is run: how many, and in which order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.kernels import concentration
from nofluke.questions.plan_file import PlanFile, read, write
from nofluke.questions.planned_runs import RunsPlan
from nofluke.questions.run_sizes import runs
from nofluke.questions.size_asked import positive
from nofluke.questions.sized import Detectable, SampleSize
from nofluke.questions.sizes import detectable, sample_size
from nofluke.questions.trades import Trade, trade
from nofluke.results import Result, Row, percent
from nofluke.scores.pairing import hash_order

__all__ = [
    "Detectable",
    "Envelope",
    "PlanFile",
    "RunsPlan",
    "SampleSize",
    "Trade",
    "detectable",
    "envelope",
    "order",
    "read",
    "runs",
    "sample_size",
    "trade",
    "write",
]

_LEAST_REACH = 1e-12
_ASSUMES = (
    "Differences are independent and lie within the bounds; the number of examples is fixed in "
    "advance: crossing the envelope at one of many looks proves nothing.",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Envelope(Result):
    """Hoeffding's threshold for a mean paired difference, against the number of examples.

    A mean difference above ``eps(n)`` at one n fixed in advance shows that B is better, with error
    at most alpha (on either side: that they differ). It looks at nothing but n, so it is seven to
    thirty times wider than what ``compare`` needs for the same promise.

    Attributes:
        alpha: Error level.
        side: "lower": one-sided, the claim "B is better"; "both": either may be.
        bounds: Lowest and highest possible score.
        n_max: Largest n of the curve.
        observed: Mean difference to be marked, in units of the score.
    """

    alpha: float
    side: checks.Side
    bounds: tuple[float, float]
    n_max: int
    observed: float | None = None

    @property
    def kind(self) -> str:
        """The word for this answer, ``envelope``."""
        return "envelope"

    def eps(self, n: int) -> float:
        """Threshold for the mean difference of n examples, in units of the score."""
        return self._range * concentration.hoeffding_radius(checks.whole(n, name="n"), self._tail)

    def n_star(self, delta: float) -> int:
        """Smallest n whose threshold is at most ``delta``.

        A true gain of ``delta`` passes there about half of the time: this is no sample size. See
        ``n_with_power``.
        """
        return concentration.hoeffding_sample_size(self._reach(delta), self._tail)

    def n_with_power(self, delta: float, power: float = 0.8) -> int:
        """Smallest n at which a true gain of ``delta`` passes with at least this probability.

        By Hoeffding on both sides, so for every distribution within the bounds.
        """
        reach, power = self._reach(delta), checks.fraction(power, name="power")
        return concentration.hoeffding_sample_size(reach, self._tail, power)

    def power(self, n: int, delta: float) -> float:
        """Least probability that a true gain of ``delta`` passes at n, over all distributions.

        1 - exp(-2 n (delta - eps)^2 / range^2) above the threshold; below it nothing is promised.
        """
        left = positive(delta) - self.eps(n)
        return 0.0 if left <= 0 else -math.expm1(-2 * n * (left / self._range) ** 2)

    @property
    def crossing(self) -> int | None:
        """The n at which the observed mean would reach the threshold; None where it never does."""
        gain = self._gain
        return self.n_star(gain) if gain is not None and gain > 0 else None

    def rows(self) -> list[Row]:
        """The curve at some sixty n from 1 to ``n_max``."""
        grid = np.unique(np.geomspace(1, self.n_max, 60).round().astype(int))
        return [{"n": int(n), "eps": self.eps(int(n))} for n in grid]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        claim = "B is better" if self.side == "lower" else "the two differ"
        told = [
            f"With n = {self.n_max} examples fixed in advance, a mean difference above "
            f"{self.eps(self.n_max):.5g} shows with error at most {percent(self.alpha)} that "
            f"{claim}, whatever the distribution of the scores within "
            f"[{self.bounds[0]:g}, {self.bounds[1]:g}]."
        ]
        if self.observed is not None:
            told.append(self._observed_sentence())
        return told

    def _observed_sentence(self) -> str:
        if self.crossing is None:
            return f"The observed mean {self.observed:.5g} never crosses this envelope."
        return (
            f"A mean of {self.observed:.5g} would cross the envelope from n = {self.crossing} on; "
            "a true gain of that size does so there only about half of the time, and is sure to "
            f"with probability 80 % from n = {self.n_with_power(abs(self._gain or 0.0))} on."
        )

    @property
    def _gain(self) -> float | None:
        if self.observed is None or self.side == "lower":
            return self.observed
        return -self.observed if self.side == "upper" else abs(self.observed)

    def _reach(self, delta: float) -> float:
        """The gain over the range, large enough for its square to be counted by."""
        reach = positive(delta) / self._range
        if reach < _LEAST_REACH:
            raise InputError(
                f"no n within reach shows a gain of {delta:g}; ask for a larger one.", code="NF032"
            )
        return reach

    @property
    def _range(self) -> float:
        """Range of a difference: twice that of a score."""
        return 2 * (self.bounds[1] - self.bounds[0])

    @property
    def _tail(self) -> float:
        return checks.tail(self.alpha, self.side)

    def _fields(self) -> Mapping[str, Any]:
        return {
            "alpha": self.alpha,
            "side": self.side,
            "bounds": list(self.bounds),
            "observed": self.observed,
            "crossing": self.crossing,
            "sentences": self.sentences(),
        }


def envelope(
    n_max: int,
    *,
    alpha: float = 0.05,
    side: str = "lower",
    bounds: Sequence[float] = (0, 1),
    observed: float | None = None,
) -> Envelope:
    """Hoeffding's envelope for the mean difference of paired scores.

    Args:
        n_max: Number of examples up to which the curve is drawn.
        alpha: Error level.
        side: "lower": one-sided, for the claim that B is better ("upper": worse); "both".
        bounds: Lowest and highest possible score; a difference has twice that range.
        observed: A mean difference to mark.

    Raises:
        InputError: An argument out of range.

    Source: Hoeffding 1963, Theorem 2.

    >>> curve = envelope(1000, side="both")
    >>> round(curve.eps(100), 8), curve.n_star(0.05)
    (0.2716203, 2952)
    >>> curve = envelope(1000)
    >>> round(curve.eps(100), 8), curve.n_star(0.05), curve.n_with_power(0.05)
    (0.24477468, 2397, 7198)
    """
    limits = checks.bounds(bounds)
    if limits is None or not all(map(math.isfinite, limits)):
        raise InputError(f"bounds={bounds!r} must be two finite numbers.", code="NF016")
    return Envelope(
        alpha=checks.fraction(alpha, name="alpha"),
        side=checks.side(side),
        bounds=limits,
        n_max=checks.whole(n_max, name="n_max"),
        observed=None if observed is None else checks.real(observed, name="observed"),
        guarantee="finite-sample",
        assumes=_ASSUMES,
        n=n_max,
        digest="",
        question={"n_max": n_max, "alpha": alpha, "side": side, "bounds": list(limits)},
    )


def order(examples: Sequence[str], *, seed: int = 0) -> list[str]:
    """The examples in the order in which ``compare`` counts them.

    Run them in this order if you mean to look before all are done: whatever you have seen by then
    is the beginning of what is counted at the end, so every look is a look at one and the same
    sequence, and ``planned=`` makes all of them valid together. It is the order of a hash of the
    seed and the ids: it looks random, and one more example does not move the others.

    Args:
        examples: Ids of all examples that may be run.
        seed: The seed that ``compare`` will get.

    >>> order(["a", "b", "c", "d"])
    ['c', 'b', 'a', 'd']
    """
    ids = [str(example) for example in examples]
    return [ids[i] for i in hash_order(ids, checks.whole(seed, name="seed", least=0))]
