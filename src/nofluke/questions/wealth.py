"""One e-process, one item at a time: what betting against a bounded mean has earned so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nofluke import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

# Keeps every factor of STaR positive.
_EPSILON = 1e-4
# The largest share that the predictable mixture stakes.
_SHARE = 0.5
_HIGHEST = math.log(1.7e308)
_FIELDS = ("total", "squares", "spread", "log_star", "log_mixture")


class Wealth:
    """Wealth of a bettor who bets that the mean of x in [0, 1] exceeds m.

    E = w W_star + (1 - w) W_mixture is an e-process for H: E[x_i | past] <= m. STaR (Voracek &
    Orabona 2025, derandomised) aims at 1 / (alpha w) by item ``planned``; the predictable mixture
    (Waudby-Smith & Ramdas 2024) goes on for ever.

    Args:
        m: The hypothesised largest mean, strictly between 0 and 1.
        alpha: H is disproved when E reaches 1 / alpha.
        planned: Horizon of STaR; None leaves all to the mixture.
        weight: w, STaR's share of the first bet.
        mirrored: Take 1 - x for x: a hypothesis about the smallest mean.
    """

    __slots__ = (
        "_aim",
        "_goal",
        "_log_rest",
        "_log_share",
        "_m",
        "_mirrored",
        "_planned",
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
        self._m, self._mirrored = m, mirrored
        share = 0.0 if planned is None else weight
        self._planned = planned if planned is not None and share > 0 else 0
        self._log_share = math.log(share) if share > 0 else -math.inf
        self._log_rest = math.log1p(-share) if share < 1 else -math.inf
        self._goal = -math.log(alpha)
        self._aim = self._goal - self._log_share  # of STaR; infinite where it does not bet
        self.items = 0
        self.total = self.squares = self.spread = 0.0
        self.log_star = self.log_mixture = 0.0
        self.reached = False

    @property
    def log_e(self) -> float:
        """Logarithm of the e-value."""
        star, mixture = self._log_share + self.log_star, self._log_rest + self.log_mixture
        high, low = (star, mixture) if star > mixture else (mixture, star)
        return high + math.log1p(math.exp(low - high))

    @property
    def e_value(self) -> float:
        """The e-value; infinite where it exceeds every double."""
        log_e = self.log_e
        return math.exp(log_e) if log_e < _HIGHEST else math.inf

    def bet(self, x: float) -> None:
        """Bet on one more x, and learn from it afterwards."""
        if self._mirrored:
            x = 1 - x
        m, seen = self._m, self.items
        now = seen + 1
        variance = (0.25 + self.squares) / now
        stake = min(
            math.sqrt(2 * self._goal / (now * math.log1p(now) * variance)), _SHARE / m
        )
        self.log_mixture += math.log1p(stake * (x - m))
        if seen < self._planned:
            self._bet_star(x)
        self.items = now
        self.total += x
        self.squares += (x - (0.5 + self.total) / (now + 1)) ** 2
        if not self.reached:
            self.reached = self.log_e >= self._goal

    def _bet_star(self, x: float) -> None:
        m, horizon = self._m, self._planned
        missing = self._aim - self.log_star
        if missing > 0:
            tau = self.items + _EPSILON
            scale = min(
                self.spread / tau + (m + _EPSILON) * horizon / tau**2, m * (1 - m) + _EPSILON
            )
            stake = min(math.sqrt(2 * missing / ((horizon - tau) * scale)), 1 / (m + _EPSILON))
            self.log_star += math.log1p(stake * (x - m))
        self.spread += (x - m) ** 2

    def state(self) -> dict[str, Any]:
        """All that the next bet depends on beside the plan."""
        return {"reached": self.reached, **{name: getattr(self, name) for name in _FIELDS}}

    def restore(self, state: Mapping[str, Any], *, items: int) -> None:
        """Take up a state; KeyError, TypeError or ValueError if it is none."""
        self.items, self.reached = items, bool(state["reached"])
        for name in _FIELDS:
            setattr(self, name, checks.real(state[name], name=name))
