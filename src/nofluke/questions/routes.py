"""Ways from units to limits and rejections: every method for a mean, and the exact binary test.

A verdict and its interval come from the same limits, so they cannot contradict each other; the
exact test of a binary metric is the one exception, and its answer says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from nofluke import means
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.means.betting import KINDS
from nofluke.results import Interval

if TYPE_CHECKING:
    from nofluke import checks
    from nofluke.proportions import McNemar
    from nofluke.questions.claims import Claim, Needed
    from nofluke.questions.designs import Units
    from nofluke.results import Guarantee

BETTING = tuple(KINDS)
ASYMPTOTIC = tuple(n for n, m in means.METHODS.items() if m.guarantee == "asymptotic")


class Route(ABC):
    """One method, applied to the units of a comparison.

    Args:
        units: What is counted.
        claim: What is claimed.
        sign: 1 where higher scores win, -1 where lower do.
    """

    name: str
    guarantee: Guarantee

    def __init__(self, units: Units, claim: Claim, sign: int) -> None:
        self.units, self.claim, self.sign = units, claim, sign
        self._known: dict[tuple[bool, float], float] = {}

    def limit(self, *, above: bool, alpha: float) -> float:
        """Limit from below (``above``) or from above on the mean difference b minus a."""
        if (above, alpha) not in self._known:
            self._known[above, alpha] = self._limit("lower" if above else "upper", alpha)
        return self._known[above, alpha]

    def rejects(self, needed: Needed) -> bool:
        """Whether this method shows the mean gain to lie beyond the point."""
        above, point = self.difference(needed)
        limit = self.limit(above=above, alpha=needed.alpha)
        return limit > point if above else limit < point

    def difference(self, needed: Needed) -> tuple[bool, float]:
        """A rejection about the gain as one about the difference b minus a."""
        return needed.above == (self.sign > 0), self.sign * needed.point

    def interval(self) -> Interval:
        """Both limits, each at the claim's level for one limit."""
        alpha = self.claim.limit_alpha
        return Interval(
            estimate=self.units.estimate,
            lower=self.limit(above=True, alpha=alpha),
            upper=self.limit(above=False, alpha=alpha),
            alpha=min(1.0, 2 * alpha),
            side="both",
            method=self.name,
            guarantee=self.guarantee,
            n=self.units.n,
        )

    @abstractmethod
    def _limit(self, side: checks.Side, alpha: float) -> float:
        """The limit on one side at this error level."""


class Registered(Route):
    """A method of ``means`` by name."""

    def __init__(
        self,
        name: str,
        units: Units,
        claim: Claim,
        sign: int,
        *,
        planned: int | None = None,
        population: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(units, claim, sign)
        self.name = name
        method = means.METHODS[name]
        self._call, self.guarantee = method.call, method.guarantee
        if name == "hedged_star" and planned is not None:
            self.guarantee = "anytime"
        if (units.voided or units.dependent) and self.guarantee != "asymptotic":
            self.guarantee = "heuristic"
        self.options = self._options(planned, population, seed)

    def rejects(self, needed: Needed) -> bool:
        """As for any route; a point that was asked about itself is passed when it is reached."""
        above, point = self.difference(needed)
        # Where all of a benchmark was counted the limit is the mean, and no test was made.
        if point not in self.options.get("marks", ()) or self.units.n == self.units.population:
            return super().rejects(needed)
        limit = self.limit(above=above, alpha=needed.alpha)
        return limit >= point if above else limit <= point

    def _options(self, planned: int | None, population: int | None, seed: int) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self.name in BETTING:
            marks = {self.difference(needed)[1] for needed in self.claim.needs()}
            low, high = self.units.bounds
            options["marks"] = tuple(sorted(m for m in marks if low < m < high))
            if self.units.sizes is not None:
                options |= {"sizes": self.units.sizes, "max_size": self.units.max_size}
        elif self.units.sizes is not None:
            raise InputError(
                f"method={self.name!r} counts every unit alike and cannot weight by size; use "
                f"{', '.join(BETTING)} or t.",
                code="NF008",
            )
        if self.name == "anderson" and self.units.word == "blocks":
            raise InputError(
                "method='anderson' is proved for units of one distribution, and blocks of unequal "
                "size have several; use another, or leave method= out.",
                code="NF008",
            )
        if self.name == "hedged_star":
            options["planned"] = planned
        if population is not None:
            if self.name not in (*BETTING, "hoeffding"):
                raise InputError(
                    f"method={self.name!r} knows no finite benchmark; use "
                    f"{', '.join((*BETTING, 'hoeffding'))}, or leave population= out.",
                    code="NF008",
                )
            options["population"] = population
        if self.name == "bootstrap":
            options["seed"] = seed
        return options

    def _limit(self, side: checks.Side, alpha: float) -> float:
        options = {"bounds": self.units.bounds, **self.options}
        if 2 * alpha >= 1:
            got = self._call(self.units.x, alpha=alpha, side=side, **options)
        else:
            # Two limits at alpha each, found side by side.
            got = self._call(self.units.x, alpha=2 * alpha, side="both", **options)
            self._known[True, alpha], self._known[False, alpha] = got.lower, got.upper
        return got.lower if side == "lower" else got.upper


class Asymptotic(Route):
    """A t interval with the standard error that fits the design."""

    guarantee: Guarantee = "asymptotic"

    def __init__(self, units: Units, claim: Claim, sign: int) -> None:
        super().__init__(units, claim, sign)
        self.name = units.asymptotic

    def _limit(self, side: checks.Side, alpha: float) -> float:
        units = self.units
        reach = student.radius(units.se, units.df, alpha)
        return units.estimate - reach if side == "lower" else units.estimate + reach


class Exact(Route):
    """The exact test on discordant pairs, with an interval by betting beside it.

    For differences of -1, 0 and 1 the test on the pairs that differ is an exact test of the mean
    difference: given how many differ, the wins are binomial, and a mean of at most 0 is a win
    rate of at most one half.
    """

    guarantee: Guarantee = "finite-sample"
    name = "mcnemar"

    def __init__(self, beside: Registered, wins: int, losses: int) -> None:
        super().__init__(beside.units, beside.claim, beside.sign)
        self.beside, self.wins, self.losses = beside, wins, losses
        self.guarantee = beside.guarantee

    def test(self) -> McNemar:
        """The test in the words of the claim."""
        return self._test(self.claim.alternative)

    def rejects(self, needed: Needed) -> bool:
        """Whether the exact one-sided p-value is small enough."""
        return self._test("better" if needed.above else "worse").pvalue <= needed.alpha

    def interval(self) -> Interval:
        """The interval of the difference, by betting."""
        return self.beside.interval()

    def _limit(self, side: checks.Side, alpha: float) -> float:
        return self.beside.limit(above=side == "lower", alpha=alpha)

    def _test(self, alternative: str) -> McNemar:
        from nofluke import proportions

        return proportions.mcnemar(
            wins=self.wins, losses=self.losses, alternative=alternative, alpha=self.claim.alpha
        )
