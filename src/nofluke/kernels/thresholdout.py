"""Thresholdout (Dwork, Feldman, Hardt, Pitassi, Reingold & Roth 2015, NeurIPS, figure 1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    """What one query gets, and what the mechanism is afterwards.

    Attributes:
        value: The answer.
        spent: Whether it was charged to the budget.
        threshold: The noisy threshold of the next query.
    """

    value: float
    spent: bool
    threshold: float


def answer(
    holdout: float,
    train: float,
    *,
    threshold: float,
    base: float,
    sigma: float,
    laplace: Callable[[float], float],
) -> Answer:
    """One query: the training mean where the two agree, else a noisy mean of the holdout.

    With eta ~ Lap(4 sigma): if |E_h - E_t| > threshold + eta, answer E_h + xi with
    xi ~ Lap(sigma), spend one, and redraw the threshold as T + Lap(2 sigma).

    Args:
        holdout: E_h, mean over the hidden rows.
        train: E_t, what the analyst has from rows of their own.
        threshold: T + gamma, gamma ~ Lap(2 sigma) drawn at the last change.
        base: T.
        sigma: Scale of the noise.
        laplace: From a scale to a draw; called in the order eta, xi, gamma.
    """
    if not abs(holdout - train) > threshold + laplace(4 * sigma):
        return Answer(train, spent=False, threshold=threshold)
    value = holdout + laplace(sigma)
    return Answer(value, spent=True, threshold=base + laplace(2 * sigma))


def noise_bounds(sigma: float, looks: int, budget: int, alpha: float) -> tuple[float, float]:
    """What the noise can add with probability 1 - alpha, at all looks at once.

    Each of the at most 2 budget + looks + 1 draws gets the same share p: a draw of Lap(b) exceeds
    b log(1 / (2 p)) with probability p where only large ones matter, and its size exceeds
    b log(1 / p) with probability p.

    Returns:
        A bound on eta + gamma from above, and one on the size of xi.
    """
    log_share = math.log(2 * budget + looks + 1) - math.log(alpha)
    return 6 * sigma * (log_share - math.log(2)), sigma * log_share
