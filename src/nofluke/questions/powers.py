"""Tests of a gain whose power is known: in closed form, exactly, or by drawing from a pilot."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri

from nofluke.errors import InputError
from nofluke.kernels import betting, concentration
from nofluke.kernels import power as kernel
from nofluke.questions.designs import counted

if TYPE_CHECKING:
    from nofluke.questions.pilots import Pilot, Tilted
    from nofluke.results import Guarantee

#: Methods whose power is found by drawing from a pilot, with the plan each of them bets by.
SIMULATED: dict[str, betting.Kind] = {"star": "star", "hedged_star": "hedged", "betting": "fixed"}
_LONGEST = 200_000  # units in a simulated stream
_LARGEST = 1e15  # gain that is asked about, where scores have no bounds
_LEAST_REACH = 1e-12  # a gain, over the spread, for which n is still a number to count to
_MOST_REACH = 1e5  # a gain, over the standard deviation, that a t test can be asked about
_FINE = 4e-3  # of n, within which a simulated size is searched


def t_size(gap: float, sd: float, alpha: float, power: float) -> int | None:
    """``kernels.power.t_size``, for gains of which the t test can be asked.

    Raises:
        InputError: Hardly any spread at all (NF008): a t test would say yes to two units.
    """
    if gap > _MOST_REACH * sd:
        raise InputError(
            f"a standard deviation of {sd:g} is nothing beside a gain of {gap:g}, and a t test "
            "cannot be planned by it; give the spread that differences have, or take "
            "method='hoeffding', which needs none.",
            code="NF008",
        )
    return None if gap < _LEAST_REACH * sd else kernel.t_size(gap, sd, alpha, power)


class Power(NamedTuple):
    """How likely a test shows a gain with n units.

    Attributes:
        n: Units.
        power: Probability of showing the gain.
        se: Standard error of ``power`` where it was simulated.
        mean_units: Mean number of units used, where the test stops when it is decided.
    """

    n: int
    power: float
    se: float | None = None
    mean_units: float | None = None


class GainTest(ABC):
    """A one-sided test of "the mean gain is at most ``margin``" at ``alpha``.

    Attributes:
        name: Method.
        guarantee: What is promised of the planned power.
        test_guarantee: What the test promises of its error level.
        assumes: Under what the power is as told.
    """

    name: str
    guarantee: Guarantee
    test_guarantee: Guarantee
    assumes: tuple[str, ...]
    #: Largest gain that can be asked about.
    highest: float

    def __init__(self, alpha: float, margin: float) -> None:
        self.alpha, self.margin = alpha, margin

    @abstractmethod
    def power(self, n: int, delta: float) -> Power:
        """The power at n units for a true gain of ``delta``, above the margin."""

    @abstractmethod
    def size(self, delta: float, power: float) -> Power | None:
        """The smallest n with this power; None where it is out of reach."""

    def detectable(self, n: int, power: float) -> float | None:
        """The smallest gain that n units show with this power; None where there is none.

        By bisection: the power grows with the gain.
        """
        low, high = self.margin, self.highest
        if math.isinf(high):
            high = low + 1.0
            while self._missed(n, high, power) and high - low < _LARGEST:
                high = low + 2 * (high - low)
        if self._missed(n, high, power):
            return None
        while high - low > self._step(n, high - self.margin):
            middle = (low + high) / 2
            low, high = (middle, high) if self._missed(n, middle, power) else (low, middle)
        return high

    def error_of(self, n: int, power: float, se: float | None) -> float | None:
        """Standard error of a simulated n: that of the power over its slope in n.

        Where power is about Phi(h sqrt(n) - z), the slope is phi(z_power) (z_power + z) / (2 n).
        """
        if se is None:
            return None
        z = float(ndtri(power))
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return se * 2 * n / (density * max(0.1, z - float(ndtri(self.alpha))))

    def notes(self, n: int, delta: float) -> tuple[str, ...]:  # noqa: ARG002 (some need them)
        """Cautions about this test at this size."""
        return ()

    def _missed(self, n: int, delta: float, power: float) -> bool:
        return self.power(n, delta).power < power

    def _step(self, n: int, reach: float) -> float:  # noqa: ARG002
        return 1e-12 * reach


class Hoeffding(GainTest):
    """Hoeffding's threshold, with the power it has at least, for every distribution."""

    name = "hoeffding"
    guarantee: Guarantee = "finite-sample"
    test_guarantee: Guarantee = "finite-sample"
    assumes = ("differences are independent and lie within the bounds",)

    def __init__(self, alpha: float, margin: float, span: float) -> None:
        super().__init__(alpha, margin)
        self.span, self.highest = span, span / 2

    def power(self, n: int, delta: float) -> Power:
        """1 - exp(-2 n (delta - eps)^2), all of them over the range; at least."""
        gap = (delta - self.margin) / self.span - concentration.hoeffding_radius(n, self.alpha)
        return Power(n, 0.0 if gap <= 0 else -math.expm1(-2 * n * gap**2))

    def size(self, delta: float, power: float) -> Power | None:
        """In closed form."""
        reach = (delta - self.margin) / self.span
        if reach < _LEAST_REACH:
            return None
        n = concentration.hoeffding_sample_size(reach, self.alpha, power)
        return self.power(n, delta)


class Student(GainTest):
    """The t test on units of which the standard deviation is known or that of a pilot."""

    name = "t"
    guarantee: Guarantee = "asymptotic"
    test_guarantee: Guarantee = "asymptotic"
    assumes = (
        "units are independent and their mean is nearly normal",
        "the standard deviation is as planned with",
    )

    def __init__(
        self, alpha: float, margin: float, sd_at: Callable[[float], float], highest: float
    ) -> None:
        super().__init__(alpha, margin)
        self.sd_at, self.highest = sd_at, highest

    def power(self, n: int, delta: float) -> Power:
        """By the noncentral t distribution."""
        return Power(n, kernel.t_power(n, delta - self.margin, self.sd_at(delta), self.alpha))

    def size(self, delta: float, power: float) -> Power | None:
        """By the noncentral t distribution: the t quantile costs one or two units more than z."""
        n = t_size(delta - self.margin, self.sd_at(delta), self.alpha, power)
        return None if n is None else self.power(n, delta)


class Discordant(GainTest):
    """The exact test on discordant pairs of a binary score."""

    name = "mcnemar"
    guarantee: Guarantee = "finite-sample"
    test_guarantee: Guarantee = "finite-sample"
    assumes = ("pairs are independent draws", "pairs differ as often as planned with")

    def __init__(
        self, alpha: float, shares_at: Callable[[float], tuple[float, float]], highest: float
    ) -> None:
        super().__init__(alpha, 0.0)
        self.shares_at, self.highest = shares_at, highest

    def power(self, n: int, delta: float) -> Power:
        """Unconditional: averaged over the number of discordant pairs."""
        return Power(n, kernel.mcnemar_power(n, *self.shares_at(delta), self.alpha))

    def size(self, delta: float, power: float) -> Power | None:
        """The n from which on the power stays there: it need not grow with n."""
        if delta < _LEAST_REACH:
            return None
        n = kernel.mcnemar_size(*self.shares_at(delta), self.alpha, power)
        return None if n is None else self.power(n, delta)


class Bar(GainTest):
    """Clopper and Pearson's limit of a rate against a bar; the gain is the rate minus the bar."""

    name = "clopper_pearson"
    guarantee: Guarantee = "finite-sample"
    test_guarantee: Guarantee = "finite-sample"
    assumes = ("examples are independent draws",)

    def __init__(self, alpha: float, bar: float) -> None:
        super().__init__(alpha, 0.0)
        self.bar, self.highest = bar, 1 - bar

    def power(self, n: int, delta: float) -> Power:
        """That of the exact binomial test."""
        rate = min(1.0, self.bar + delta)
        return Power(n, float(kernel.tail_powers(np.array([n]), self.bar, rate, self.alpha)[0]))

    def size(self, delta: float, power: float) -> Power | None:
        """The n from which on the power stays there: it goes up and down with n."""
        if delta < _LEAST_REACH:
            return None
        n = kernel.binomial_size(self.bar, min(1.0, self.bar + delta), self.alpha, power)
        return None if n is None else self.power(n, delta)


class Betting(GainTest):
    """A betting test, run on streams of units drawn from the reweighted pilot."""

    guarantee: Guarantee = "heuristic"
    assumes = (
        "units are independent draws",
        "gains vary as those of the pilot do, reweighted to the true mean: a rare large loss that "
        "it misses is missing here too",
    )

    def __init__(
        self, name: str, alpha: float, margin: float, pilot: Pilot, *, streams: int, seed: int
    ) -> None:
        super().__init__(alpha, margin)
        self.name, self.pilot, self.streams, self.seed = name, pilot, streams, seed
        self.test_guarantee = "anytime" if name == "hedged_star" else "finite-sample"
        # Just inside the largest gain, at which a reweighting would be a single value.
        top = float(pilot.gain.max())
        self.highest = top - 1e-6 * (top - float(pilot.gain.min()))
        low, high = pilot.bounds
        self.null = (margin - low) / (high - low)

    def power(self, n: int, delta: float) -> Power:
        """The share of the streams in which the test rejects."""
        return self._at(n, self.pilot.tilted(delta))

    def size(self, delta: float, power: float) -> Power | None:
        """A search over n with the same draws for all n, so that noise hardly moves between them.

        Steps as if the power were that of a mean, then bisection.
        """
        drawn = self.pilot.tilted(delta)
        if delta - self.margin < _LEAST_REACH * drawn.sd:
            return None
        z, need = -float(ndtri(self.alpha)), float(ndtri(power))
        start = kernel.normal_size(delta - self.margin, drawn.sd, self.alpha, power)
        n, low, high = max(2.0, 1.2 * start), 1, None
        while high is None:
            if n > _LONGEST:
                return None
            found = self._at(math.ceil(n), drawn)
            if found.power >= power:
                high = found
            else:
                low = found.n
                reached = float(ndtri(min(max(found.power, 1e-3), 0.999)))
                n = found.n * min(4.0, max(1.02, (z + need) / max(0.1, z + reached)) ** 2) + 1
        return self._bisected(low, high, drawn, power)

    def notes(self, n: int, delta: float) -> tuple[str, ...]:  # noqa: ARG002
        """Whether the pilot had to be bent far."""
        k, drawn = self.pilot.gain.size, self.pilot.tilted(delta)
        if drawn.effective >= 0.5 * k:
            return ()
        return (
            f"NF171: the pilot has a mean gain of {self.pilot.mean:.4g}, and reweighted to "
            f"{delta:.4g} it is worth {drawn.effective:.3g} of its {counted(k, self.pilot.word)}: "
            "what is planned hangs on few of them.",
        )

    def _at(self, n: int, drawn: Tilted) -> Power:
        plan = betting.Plan(self.alpha, n, SIMULATED[self.name])
        s, c = self.pilot.scaled()
        stops = kernel.simulate((s, c, drawn.p), self.null, plan, self.streams, self.seed)
        mean = stops.mean if self.name == "hedged_star" else None
        return Power(n, stops.power, stops.se, mean)

    def _bisected(self, low: int, high: Power, drawn: Tilted, power: float) -> Power:
        while high.n - low > max(1, _FINE * high.n):
            # Where the power is nearly linear in n, a step by proportion would gain little.
            found = self._at((low + high.n) // 2, drawn)
            low, high = (low, found) if found.power >= power else (found.n, high)
        return high

    def _missed(self, n: int, delta: float, power: float) -> bool:
        if n > _LONGEST:
            raise InputError(
                f"n={n} is more than the {_LONGEST} units that are simulated; method='t' or "
                "'hoeffding' answer at once.",
                code="NF032",
            )
        return super()._missed(n, delta, power)

    def _step(self, n: int, reach: float) -> float:  # noqa: ARG002
        return 1e-4 * reach
