"""Wealth that bets against a mean from every possible start on: a change is met whenever it comes.

With weights w_s that sum to 1, M_t = sum over s <= t of w_s E_{s..t} plus the sum of w_s over s > t
is a non-negative supermartingale from 1 where every E_{s..t} is one from its start on, so that
P(M_t >= 1/alpha for some t) <= alpha (Ville 1939). A single wealth from the first item would have
been lost before a late change.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def bets(reference: float, odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The bet that grows fastest where the odds of an error are ``odds`` times the reference's.

    lambda = (q - p) / (p (1 - p)) (Kelly), always below 1/p, so that no wealth is lost at once.
    """
    q = odds * reference / (1 - reference + odds * reference)
    return np.asarray((q - reference) / (reference * (1 - reference)))


def log_factors(
    ones: NDArray[np.float64], n: NDArray[np.float64], reference: float, bet: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Log of the factor of a batch with ``ones`` errors among ``n``; shape (..., bets)."""
    k, rest = np.asarray(ones)[..., None], np.asarray(n - ones)[..., None]
    return np.asarray(k * np.log1p(bet * (1 - reference)) + rest * np.log1p(-bet * reference))


def step(log_wealth: NDArray[np.float64], log_factor: NDArray[np.float64], t: int) -> None:
    """Add a start at item ``t`` (from 1) of weight 1/(t (t+1)) to each bet, and play it; in place.

    Starts with ``log_wealth`` all -inf, shape (..., bets).
    """
    np.logaddexp(log_wealth, -math.log(t) - math.log1p(t), out=log_wealth)
    log_wealth += log_factor


def log_evidence(log_wealth: NDArray[np.float64], t: int) -> NDArray[np.float64]:
    """Log of M_t: the mean over bets, and the weight 1/(t+1) of the starts to come; shape (...)."""
    mean = np.logaddexp.reduce(log_wealth, axis=-1) - math.log(log_wealth.shape[-1])
    return np.asarray(np.logaddexp(mean, -math.log1p(t)))
