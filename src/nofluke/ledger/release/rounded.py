"""A rounded score for every look, with limits that pay for the looks so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Self

from nofluke import checks, proportions
from nofluke.errors import InputError
from nofluke.kernels import ladders, transcripts
from nofluke.ledger.release.records import BLIND, BOUNDED, INDEPENDENT, State, Submission, grid

if TYPE_CHECKING:
    from nofluke.ledger.release.noise import Rng
    from nofluke.ledger.release.records import Released

FIXED: Final = "all submissions and comparisons were fixed before the first answer"
# Below this the beta quantiles leave the doubles; Hoeffding's radius does not.
_LEAST: Final = math.log(1e-290)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded(State):
    """The score of each submission, rounded, with an interval for its expectation.

    With probability at least 1 - alpha all intervals hold, whatever the submissions were made of.
    Look t has alpha / looks times the shares of the answers before it, which add up to 1 over all
    that could have been told (`kernels.transcripts.log_near_code`): an answer near the one before
    costs little, a leap much. The limits are Hoeffding's for bounded scores and those of Clopper &
    Pearson for zeros and ones. With ``adaptive=False`` each look has alpha / looks, which holds
    where no submission was changed after an answer.

    The limits are computed from rounded scores, so that they tell nothing more. Rounding by itself
    hides no labels: at a score next to a border one row decides, and each look there reveals one
    label. What limits that is the number of looks.

    Attributes:
        step: What scores are rounded to, in their units: whole steps from the best possible score.
            For zeros and ones a step finer than 1 / n is 1 / n.
        binary: Every score is the lowest or the highest possible one.
        adaptive: Whether submissions may depend on earlier answers.
        last: The answer before, as a loss in steps; None before the first look.
        told: What the scores told so far cost, in natural units of information.

    >>> from nofluke.ledger import release
    >>> state = release.Rounded(n=1000, looks=10, step=0.01, binary=True)
    >>> answer, state = release.look(state, [1] * 870 + [0] * 130)
    >>> answer.value, round(answer.lower, 4), round(answer.upper, 4)
    (0.87, 0.8321, 0.9027)
    """

    rule = "rounded"

    step: float = 0.01
    binary: bool = False
    adaptive: bool = True
    last: int | None = None
    told: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a step that is none, and a memory that no looks leave."""
        State.__post_init__(self)
        for name in ("binary", "adaptive"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name}={getattr(self, name)!r} is not a bool.", code="NF008")
        begun = self.last is not None
        if begun:
            checks.whole(self.last, name="last", least=0)
        cost = checks.real(self.told, name="told")
        fits = 0 <= cost < math.inf and (self.last or 0) <= ladders.top(self._eta())
        if not fits or begun != (self.look > 0):
            raise InputError(
                f"look={self.look}, last={self.last!r} and told={cost:g} do not belong together.",
                code="NF008",
            )

    def answer(self, submission: Submission, _rng: Rng, /) -> tuple[Released, Self]:
        """One look; no randomness is used."""
        number, loss = self.open(), self.loss(self.mean(submission))
        eta = self._eta()
        steps, levels = round(loss / eta), ladders.top(eta)
        cost = self.told + transcripts.log_near_code(steps, self.last, levels)
        after = replace(self, look=number, last=steps, told=cost)
        limits = self.limits(*self._losses(steps, eta))
        told = after.released(
            value=self.score(steps * eta),
            **limits,
            own=(limits["lower"], limits["upper"]),
            about="expected score of this submission",
            guarantee="finite-sample",
            answers=levels + 1,
        )
        return told, after

    @property
    def ends_only(self) -> bool:
        """Whether every score is the lowest or the highest possible one."""
        return self.binary

    @property
    def takes_statistics(self) -> bool:
        """Hoeffding's limits hold for them, those of Clopper & Pearson do not."""
        return not self.binary

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true for the promises."""
        return (INDEPENDENT, BLIND if self.adaptive else FIXED, BOUNDED)

    @property
    def bits(self) -> float:
        """Bits in which all answers so far can be written down."""
        return (self.told + transcripts.log_words(self.compared)) / math.log(2)

    def code(self) -> float:
        """What the answers so far cost; nothing where no submission may depend on them."""
        return self.told + transcripts.log_words(self.compared) if self.adaptive else 0.0

    def _eta(self) -> Fraction:
        """The step as a share of the span."""
        eta = grid(self.step, self.span)
        return max(eta, Fraction(1, self.n)) if self.binary else eta

    def _losses(self, steps: int, eta: Fraction) -> tuple[float | Fraction, float | Fraction]:
        """Limits at the next look of the expected loss, from the rounded one."""
        share = self.log_level
        low = max(Fraction(0), (steps - Fraction(1, 2)) * eta)
        high = min(Fraction(1), (steps + Fraction(1, 2)) * eta)
        if self.binary and share > _LEAST:
            # Every count that rounds to this, and perhaps one more on either side at a tie.
            fewest, most = math.ceil(low * self.n), math.floor(high * self.n)
            first, last = (
                proportions.of_counts(count, self.n, alpha=math.exp(share))
                for count in (fewest, most)
            )
            return first.lower, last.upper
        radius = Fraction(self.half_width)
        return low - radius, high + radius
