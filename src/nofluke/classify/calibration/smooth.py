"""Smooth calibration error: a calibration error without bins, whose width chooses itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke.classify.calibration.probabilities import probabilities
from nofluke.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee

_LEAST_WIDTH = 5e-4
_NOTHING = 1e-13  # residuals that cancel leave this much by rounding
_PRECISION = 1e-10
_MOST_STEPS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothError(Shown):
    """The smooth calibration error of some rows; lower is better.

    Attributes:
        value: The error, which is also the width of the kernel.
        width: Width of the kernel; larger than ``value`` only where the error is below 0.0005.
        n: Rows.
        guarantee: It describes these rows.
    """

    value: float
    width: float
    n: int
    guarantee: Guarantee

    def __str__(self) -> str:
        return f"smECE {self.value:.4g} (n={self.n}, {self.guarantee})"


def smooth_ece(labels: ArrayLike, p: ArrayLike, *, positive: object = None) -> SmoothError:
    """Smooth calibration error: no bins, and a small change of forecasts changes it little.

    The residuals y - p, each spread by a Gaussian of width sigma that is reflected at 0 and 1, make
    a function on [0, 1] whose mean absolute value never grows with sigma. The error is the sigma
    that equals it. It is solved to about 1e-7; programs that sum over a coarse grid
    differ in the third digit. Above 0 by chance where forecasts are calibrated.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        positive: The label of the positive class.

    Raises:
        InputError: Values of ``p`` outside [0, 1], labels of unknown meaning.

    Source: Blasiok & Nakkiran 2023, arXiv:2309.12236, definition 3 and algorithm 1.

    >>> print(smooth_ece([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9]))
    smECE 0.09265 (n=4, descriptive)
    """
    from nofluke.kernels import isotonic

    y, q = probabilities(labels, p, positive=positive)
    x, size, positives = isotonic.groups(y, q)
    residuals = (positives - x * size) / y.size
    width, value = _fixed_point(x, residuals)
    return SmoothError(value=value, width=width, n=y.size, guarantee="descriptive")


def _fixed_point(x: NDArray[np.float64], residuals: NDArray[np.float64]) -> tuple[float, float]:
    """The width that equals its error, and the error."""
    from nofluke.kernels import smoothing

    if np.abs(residuals).sum() <= _NOTHING:
        return 0.0, 0.0
    low, high = 0.5, 1.0
    coefficients = smoothing.cosine_coefficients(x, residuals, smoothing.terms(low))
    while (error := smoothing.smoothed_error(coefficients, low)) < low:
        if low <= _LEAST_WIDTH:
            return low, error
        low, high = max(low / 2, _LEAST_WIDTH), low
        coefficients = smoothing.cosine_coefficients(x, residuals, smoothing.terms(low))
    found = _crossing(
        lambda width: smoothing.smoothed_error(coefficients, width) - width, low, high
    )
    return found, found


def _crossing(excess: Callable[[float], float], low: float, high: float) -> float:
    """Where the excess of error over width, positive at low and negative at high, is 0.

    The error never grows with the width, so the excess falls at least as fast as the width grows:
    an excess of e is a distance of at most e. False position, with the weight of an end that stays
    halved (Illinois).
    """
    above, below = excess(low), excess(high)
    middle, stayed = low, 0
    for _ in range(_MOST_STEPS):
        middle = low if above == below else (low * below - high * above) / (below - above)
        at = excess(middle)
        if abs(at) <= _PRECISION:
            break
        if at > 0:
            low, above = middle, at
            below /= 2 if stayed > 0 else 1
            stayed = 1
        else:
            high, below = middle, at
            above /= 2 if stayed < 0 else 1
            stayed = -1
    return middle
