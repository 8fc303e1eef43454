"""One e-process, one item at a time: what betting against a bounded mean has earned so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nofluke import checks
from nofluke.kernels import betting_steps as steps

if TYPE_CHECKING:
    from collections.abc import Mapping

_CAP = 0.5  # of what is in the mixture's purse, no item takes more
_LOG_2 = math.log(2)
_HIGHEST = math.log(1.7e308)
_FIELDS = ("total", "squares", "spread", "log_star", "log_mixture")


class Wealth:
    """Wealth of a bettor who bets that the mean of x in [0, 1] exceeds m.

    E = w W_star + (1 - w) W_mixture is an e-process for H: E[x_i | past] <= m, the same to the
    last bit as `betting.wealth_path`. STaR (Voracek & Orabona 2025, derandomised) aims at
    1 / (alpha w) by item ``planned``; the predictable mixture (Waudby-Smith & Ramdas 2024, c = 1/2)
    goes on for ever.

    Args:
        m: The hypothesised largest mean, strictly between 0 and 1.
        alpha: H is disproved when E reaches 1 / alpha.
        planned: Horizon of STaR; None leaves all to the mixture.
        weight: w, STaR's share of the first bet.
        mirrored: Take 1 - x for x: a hypothesis about the smallest mean.
    """

    __slots__ = (
        "_log_rest",
        "_log_share",
        "_log_target",
        "_m",
        "_mirrored",
        "_planned",
        "_threshold",
        "items",
        "log_mixture",
        "log_star",
        "reached",
        "spread",
        "squares",
        "total",
    )

    def __init__(
        self, m: float, *, alpha: float, planned: int | None, weight: float, mirrored: bool
    ) -> None:
        share = 0.0 if planned is None else weight
        self._m, self._mirrored = m, mirrored
        self._planned = planned if planned is not None and share > 0 else 0
        self._log_share = math.log(share) if share > 0 else -math.inf
        self._log_rest = math.log1p(-share) if share < 1 else -math.inf
        self._threshold = -math.log(alpha)
        self._log_target = self._threshold - self._log_share
        self.items, self.reached = 0, False
        self.total, self.squares = steps.FIRST_TOTAL, steps.FIRST_SQUARES
        self.spread = self.log_star = self.log_mixture = 0.0

    @property
    def log_e(self) -> float:
        """Logarithm of the e-value."""
        return steps.log_mixture(self._log_share + self.log_star, self._log_rest + self.log_mixture)

    @property
    def e_value(self) -> float:
        """The e-value; infinite where it exceeds every double."""
        log_e = self.log_e
        return math.exp(log_e) if log_e < _HIGHEST else math.inf

    def bet(self, x: float) -> None:
        """Bet on one more x, and learn from it afterwards."""
        if self._mirrored:
            x = 1 - x
        seen = self.items
        y = x - self._m
        if seen < self._planned:
            stake = steps.star_bet(
                seen, self.spread, self.log_star, self._m, self._planned, self._log_target
            )
            self.log_star += steps.log_growth(stake, y)
            self.spread += y * y
        now = seen + 1
        stake = steps.predmix_bet(now, self.squares / now, self._m, _CAP, self._threshold)
        self.log_mixture += steps.log_growth(stake, y)
        self.total += x
        e = steps.residual(x, 1.0, self.total, steps.FIRST_WEIGHT + now)
        self.squares += e * e
        self.items = now
        if not self.reached:
            self.reached = self._reaches()

    def _reaches(self) -> bool:
        high = max(self._log_share + self.log_star, self._log_rest + self.log_mixture)
        # Between its larger part and twice that lies the sum, so it is rarely needed.
        return high + _LOG_2 >= self._threshold and self.log_e >= self._threshold

    def state(self) -> dict[str, Any]:
        """All that the next bet depends on beside the plan."""
        return {"reached": self.reached, **{name: getattr(self, name) for name in _FIELDS}}

    def restore(self, state: Mapping[str, Any], *, items: int) -> None:
        """Take up a state; KeyError, TypeError or ValueError if it is none."""
        self.items, self.reached = items, bool(state["reached"])
        for name in _FIELDS:
            setattr(self, name, checks.real(state[name], name=name))
