"""Smooth calibration error: a calibration error without bins, whose width chooses itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke.classify.calibration.probabilities import probabilities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Guarantee

_LEAST_WIDTH = 1e-4
_NOTHING = 1e-13  # residuals that cancel leave this much by rounding
_PRECISION = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothError:
    """The smooth calibration error of some rows; lower is better.

    Attributes:
        value: The error, which is also the width of the kernel.
        width: Width of the kernel; larger than ``value`` only where the error is below 0.0001.
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
    """The width that equals its error, and the error: it never grows with the width."""
    from nofluke.kernels import smoothing

    if np.abs(residuals).sum() <= _NOTHING:
        return 0.0, 0.0
    low, high = 0.5, 1.0
    while True:
        coefficients = smoothing.cosine_coefficients(x, residuals, smoothing.terms(low))
        at_low = smoothing.smoothed_error(coefficients, low)
        if at_low >= low:
            break
        if low <= _LEAST_WIDTH:
            return low, at_low
        low, high = max(low / 2, _LEAST_WIDTH), low
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if smoothing.smoothed_error(coefficients, middle) >= middle:
            low = middle
        else:
            high = middle
    return low, low
