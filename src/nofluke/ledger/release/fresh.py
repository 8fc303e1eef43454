"""Evidence on rows that arrive: one e-process for each claim, from one budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.ledger.release.records import State, Submission
from nofluke.questions.wealth import Wealth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.ledger.release.noise import Rng
    from nofluke.ledger.release.records import Released

_ASSUMES: Final = (
    "where a claim is false, each row's expected gain is at most the margin given all rows before",
    "a claim's candidate and baseline stay what they were when the claim was opened",
    "nobody saw a row before the claims that are judged on it were opened",
    "gains keep to the declared bounds",
)
_SLACK: Final = 1e-12  # what rounding may add to a sum of weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim: that a candidate gains more than the margin over its baseline.

    Attributes:
        weight: Its share of the error level.
        first: Number of the first row that counts, from 0.
        items: Rows that were bet on.
        wealth: What the bets against "no gain" remember; empty before the first row.
    """

    weight: float
    first: int
    items: int = 0
    wealth: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> bool:
        """Whether the claim was ever proved."""
        return bool(self.wealth.get("reached", False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh(State):
    """Claims judged on rows that arrive after the claim was opened.

    For claim i an e-process starts at 1 and is multiplied with each new row by a bet against "the
    expected gain is at most the margin"; the claim is proved when it reaches 1 / (alpha w_i), with
    sum(w_i) <= 1 over all claims ever opened. With probability at least 1 - alpha no false claim is
    ever proved: given the past at its opening a false claim reaches that level with probability at
    most alpha w_i (Ville's inequality), however w_i and the claim itself were chosen, and these add
    up to at most alpha. So the evidence itself may be told and looks are free; what is spent is
    weight, and rows. A claim takes every row from its opening on, so that none can be left out by
    somebody who has seen what it did to another claim.

    Attributes:
        n: Rows that have arrived, as far as any claim was judged on them.
        looks: A limit on the number of looks, which cost nothing.
        bounds: Lowest and highest possible score; gains lie within their distance.
        margin: By how much a candidate must gain, in units of the scores.
        claims: By name.

    >>> from nofluke.ledger import release
    >>> state = release.Fresh().opening("v2", weight=0.5)
    >>> gains = release.Submission([1, 1, 0, 1, 1, 1, 0, 1] * 4, claim="v2")
    >>> answer, state = release.look(state, gains)
    >>> print(answer.verdict, answer.value > 1 / (0.05 * 0.5), answer.budget_left)
    better True 0.5
    """

    rule = "fresh"
    least_n = 0
    compares = False

    n: int = 0
    looks: int = 1_000_000
    margin: float = 0.0
    claims: Mapping[str, Claim] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse weights that add up to more than the error level pays for."""
        State.__post_init__(self)
        margin = checks.real(self.margin, name="margin")
        if not abs(margin) < self.span:
            raise InputError(f"margin={margin:g} is as wide as the bounds.", code="NF008")
        for claim in self.claims.values():
            _weight(claim.weight)
            checks.whole(claim.first, name="first", least=0)
            checks.whole(claim.items, name="items", least=0)
            if claim.first + claim.items > self.n or bool(claim.items) != bool(claim.wealth):
                raise InputError("a claim was judged on more rows than arrived.", code="NF008")
        if self.weight_left < -_SLACK:
            raise InputError("the weights of the claims add up to more than 1.", code="NF008")

    @property
    def weight_left(self) -> float:
        """The share of the error level that is left for further claims."""
        return 1 - math.fsum(claim.weight for claim in self.claims.values())

    @property
    def own_budget(self) -> float:
        """The share of the error level that is left, without a rounding error below 0."""
        return max(0.0, self.weight_left)

    def opening(self, claim: str, *, weight: float) -> Fresh:
        """The state with one more claim, judged on rows that arrive from now on.

        Args:
            claim: Its name.
            weight: Its share of the error level, above 0, at most ``weight_left``; it may depend
                on all that was told before.

        Raises:
            InputError: The name is taken (NF367), or there is not so much left (NF365).
        """
        weight = _weight(weight)
        if claim in self.claims:
            raise InputError(
                f"claim {claim!r} was opened before; its evidence goes on, and a changed candidate "
                "needs a name and a weight of its own.",
                code="NF367",
            )
        if weight > self.weight_left + _SLACK:
            raise InputError(
                f"weight={weight:g} is asked and {max(self.weight_left, 0):g} is left; take a "
                "smaller weight, or begin again on rows that arrive from now on.",
                code="NF365",
            )
        opened = Claim(weight=weight, first=self.n)
        return replace(self, claims={**self.claims, claim: opened})

    def answer(self, submission: Submission, _rng: Rng, /) -> tuple[Released, Self]:
        """One look at a claim's next rows; no randomness is used."""
        number, name = self.open(), submission.claim
        if name is None or name not in self.claims:
            raise InputError(
                f"claim={name!r} was not opened; there are {some(self.claims)}. Open a claim "
                "before the rows on which it is judged arrive.",
                code="NF367",
            )
        found = self._bet(self.claims[name], self._gains(submission))
        arrived = max(self.n, found.first + found.items)
        after = replace(self, look=number, n=arrived, claims={**self.claims, name: found})
        told = after.released(
            value=self._wealth(found).e_value,
            verdict="better" if found.shown else "not shown",
            about=f"evidence for the claim {name!r}",
            guarantee="anytime",
            assumes=_ASSUMES,
            answers=0,
            n=found.items,
        )
        return told, after

    def _gains(self, submission: Submission) -> list[float]:
        """Gains on the scale on which no gain is 1/2."""
        span, (low, high) = float(self.span), self.bounds
        gains = checks.sample(self.rows(submission), name="scores")
        widest = max(span, high - low)  # 0.8 - 0.1 is a little more than 0.7
        checks.within(gains, (-widest, widest))
        return [float(gain) for gain in np.clip((gains / span + 1) / 2, 0.0, 1.0)]

    def _wealth(self, claim: Claim) -> Wealth:
        m = (self.margin / float(self.span) + 1) / 2
        error = self.alpha * claim.weight
        wealth = Wealth(m, alpha=error, planned=None, weight=0.0, mirrored=False)
        if claim.wealth:
            wealth.restore(claim.wealth, items=claim.items)
        return wealth

    def _bet(self, claim: Claim, gains: list[float]) -> Claim:
        wealth = self._wealth(claim)
        for gain in gains:
            wealth.bet(gain)
        return replace(claim, items=wealth.items, wealth=wealth.state())


def _weight(value: float) -> float:
    weight = checks.real(value, name="weight")
    if not 0 < weight <= 1:
        raise InputError(f"weight={weight:g} must be above 0 and at most 1.", code="NF008")
    return weight
