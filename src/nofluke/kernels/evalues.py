"""E-value calibrators, their inverses, and the log level of the best power calibrator.

A calibrator f is non-increasing on [0, 1] with integral at most 1; f(p) is then an e-value
for every p-value p (Vovk & Wang 2021, Proposition 2.1). A band is reported at the p-level
f^{-1}(K / (delta m)).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nofluke.kernels.roots import safe_edge

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def log_level(log_z: float) -> float:
    """Solve log a = W_{-1}(-z) for log a, given log z <= -1; the -1 branch, safely.

    Unlike ``scipy.special.lambertw`` it answers at z = 1/e (where that returns nan) and for z
    far below the smallest double.
    """
    return float(log_levels(np.array([log_z]))[0])


def log_levels(log_z: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log_level`` for many z at once.

    With y = -log a >= 1 the equation is y - log y = -log z; Newton's method from the right is
    monotone because y - log y is convex.
    """
    target = np.maximum(-log_z, 1.0)
    # y > target + log(target); the square-root term matters near the branch point only.
    y = target + np.log(target) + np.sqrt(2 * (target - 1))
    for _ in range(100):
        with np.errstate(invalid="ignore"):  # 0/0 at y = 1, the branch point itself
            step = (y - np.log(y) - target) / (1 - 1 / y)
        step = np.where(y > 1, step, 0.0)
        y = np.maximum(1.0, y - step)
        if (np.abs(step) <= 1e-15 * y).all():
            break
    return np.asarray(-y)


def best_power(log_z: float) -> float:
    """tau* = 1 + 1/W_{-1}(-z): the power calibrator with the largest level, z = delta M / (e K)."""
    return 1 + 1 / log_level(log_z)


def power_inverse(t: NDArray[np.float64], tau: float) -> NDArray[np.float64]:
    """Levels at which the calibrator (1-tau) p^(-tau) reaches ``t``."""
    return np.asarray(np.exp((math.log1p(-tau) - np.log(t)) / tau))


def mixture(p: float) -> float:
    """The mixture of all power calibrators, (1 - p + p log p) / (p log(p)^2); 1/2 at p = 1."""
    return float(np.exp(_log_mixture(np.array([-math.log(p)]))[0]))


def mixture_inverse(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Levels at which the mixture calibrator reaches ``t`` > 1/2; rounded down.

    Solved in y = -log p, where log f grows: f(p) < t at y = 0, and f(p) >= t at y = 2 log t + 60.
    """
    goal = np.log(t)
    low, high = np.zeros_like(goal), 2 * goal + 60
    for _ in range(70):
        middle = (low + high) / 2
        reached = _log_mixture(middle) >= goal
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.asarray(np.exp(-high))


def vovk_sellke(p: float) -> float:
    """1/(-e p log p), an upper bound on every power calibrator: for reporting, not a calibrator."""
    return math.inf if p in (0.0, 1.0) else 1 / (-math.e * p * math.log(p))


def inverse(calibrator: Callable[[float], float], t: float) -> float:
    """Largest p (rounded down) with calibrator(p) >= t, for any calibrator; 0 if there is none."""
    if calibrator(1.0) >= t:
        return 1.0
    smallest = -745.0  # log of the smallest double
    if calibrator(math.exp(smallest)) < t:
        return 0.0
    return math.exp(safe_edge(lambda log_p: calibrator(math.exp(log_p)) >= t, smallest, 0.0))


def integral_bounds(
    calibrator: Callable[[float], float], *, cells: int = 4096
) -> tuple[float, float]:
    """Lower and upper bound on the integral over (0, 1] of a non-increasing function.

    A sum over cells that shrink towards zero as exp(-y): a non-increasing function lies
    between its values at the cell's ends. The piece next to zero is unbounded from above,
    so it is extended until it no longer matters; the upper bound leaves it out.
    """
    log_p = -np.linspace(0, 40, cells + 1)
    p = np.exp(log_p)
    values = np.array([calibrator(float(q)) for q in p])
    widths = p[:-1] - p[1:]
    rest = p[-1] * values[-1]
    return float(widths @ values[:-1] + rest), float(widths @ values[1:] + rest)


def is_non_increasing(calibrator: Callable[[float], float], *, points: int = 4096) -> bool:
    """Whether the function never grows on a grid that is fine near zero and near one."""
    grid = np.unique(
        np.concatenate([np.exp(-np.linspace(0, 700, points)), np.linspace(1e-6, 1, points)])
    )
    values = np.array([calibrator(float(p)) for p in grid])
    return bool(
        not np.isnan(values).any() and (np.diff(values) <= 1e-12 * np.abs(values[1:])).all()
    )


def _log_mixture(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of the mixture calibrator at p = exp(-y), without overflow or cancellation."""
    near_one = y < 1e-4
    safe = np.where(near_one, 1.0, y)
    # (e^y - 1 - y) / y^2; the factor 1 - (1 + y) e^-y is y^2/2 near zero.
    far = safe + np.log(-np.expm1(-safe) - safe * np.exp(-safe)) - 2 * np.log(safe)
    return np.asarray(np.where(near_one, np.log(0.5 + y / 6 + y * y / 24), far))
