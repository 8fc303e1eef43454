"""Radii that hold at every moment at once: a distribution function watched while it is sampled.

All radii here are one-sided; a two-sided band takes them at alpha/2. The proofs stand in
docs/explanation/watching-while-it-runs.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

# Ratio of successive anchors. From 1.2 to 1.5 the mean half-width between a quarter of the design
# time and sixteen times it is within 2 % of the best.
RATIO = 1.3


class Anchors(NamedTuple):
    """Moments t_k from which a radius is claimed for good, and their shares of the error level.

    Attributes:
        times: In ascending order; the first is the start; shape (k,).
        shares: Positive; all shares of a plan, those after the moment asked for too, sum to one.
    """

    times: NDArray[np.float64]
    shares: NDArray[np.float64]


def lasting_radius(m: int, alpha: float) -> float:
    """Radius eps with P(sup_x F_t(x) - F(x) > eps for some t >= m) <= alpha; also for F - F_t.

    The DKW radius averaged over all smaller levels:

        eps = (1/alpha) int_0^alpha sqrt(log(1/a) / (2m)) da
            = (v + (sqrt(pi)/2) exp(v^2) erfc(v)) / sqrt(2m),   v = sqrt(log(1/alpha)),

    wider than the DKW radius at m by less than the factor 1 + 1/(2 log(1/alpha)). Proof: the
    distance is a reverse submartingale, Doob's inequality applies to (distance - s)^+, and the
    best s is the DKW radius at alpha. (Reverse submartingale: Manole & Ramdas 2023.)
    """
    return float(_lasting(np.asarray(m), np.asarray(-math.log(alpha))))


def time_uniform_radius(
    t: int, alpha: float, *, start: int, design: int, horizon: int | None = None
) -> float:
    """Radius eps_t with P(sup_x F_t(x) - F(x) > eps_t for some t >= start) <= alpha.

    The smallest ``lasting_radius(t_k, alpha * share_k)`` over the anchors t_k <= t. Each holds
    for good from its anchor on, except with probability alpha * share_k; the shares sum to one.
    So the radius never grows with t, never falls with a smaller alpha, and is fixed before the
    data.

    Args:
        t: Draws so far, at least ``start``.
        alpha: Error level of one side, over all moments together.
        start: First moment at which the band may be read.
        design: The moment the band is made narrow for, at least ``start``.
        horizon: No anchor lies beyond it, which leaves more for the others; later the band still
            holds and no longer narrows. None: anchors without end, eps_t of the order of
            sqrt(log log t / t).
    """
    times, shares = anchors(t, start=start, design=design, horizon=horizon)
    return float(_lasting(times, -math.log(alpha) - np.log(shares)).min())


def anchors(t: int, *, start: int, design: int, horizon: int | None = None) -> Anchors:
    """The anchors up to t: design * RATIO^j for j = -J..H, the first of them moved to the start.

    The share of anchor j is g(|j|) / S with g(i) = 1/((i+1)(i+2)), whose sum telescopes:
    S = (1 - 1/(H+2)) + (1/2 - 1/(J+2)), with 1/(H+2) = 0 for a plan without horizon.
    """
    before = math.ceil(math.log(design / start) / math.log(RATIO))
    if horizon is None:
        after, beyond = _steps(design, t), 0.0
    else:
        after = _steps(design, horizon)
        beyond = 1 / (after + 2)
    j = np.arange(-before, after + 1)
    times = np.ceil(design * RATIO ** j.astype(np.float64))
    # Rounding may put the first anchor a step late, and the last a step past what was asked for:
    # the start is set, and whichever anchors there are, their shares sum to at most one.
    times[0] = start
    total = (1 - beyond) + (0.5 - 1 / (before + 2))
    i = np.abs(j)
    passed = times <= t
    return Anchors(times[passed], (1 / ((i + 1) * (i + 2)) / total)[passed])


def lil_radius(t: int, alpha: float, *, start: int) -> float:
    """The published radius of law-of-the-iterated-logarithm form; for comparison.

    0.85 sqrt((log(1 + log(t/start)) + C) / t) with C = 0.8 log(806/alpha), one-sided: Howard &
    Ramdas (2022, Theorem 2), whose two-sided constant is 0.8 log(1612/alpha). Valid for all
    t >= start at once; wider than ``time_uniform_radius`` at its design by 25 to 60 %.
    """
    return 0.85 * math.sqrt((math.log1p(math.log(t / start)) + 0.8 * math.log(806 / alpha)) / t)


def _lasting(m: NDArray[np.float64], log_inverse: NDArray[np.float64]) -> NDArray[np.float64]:
    """``lasting_radius`` at the level exp(-log_inverse), which may be too small for a double."""
    v = np.sqrt(log_inverse)
    return np.asarray((v + math.sqrt(math.pi) / 2 * erfcx(v)) / np.sqrt(2 * m))


def _steps(design: int, until: int) -> int:
    return max(0, math.floor(math.log(until / design) / math.log(RATIO)))
