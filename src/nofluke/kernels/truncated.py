"""A normal value seen only within limits: where its mean lies.

All in standard units: the value seen is ``t`` above the mean, the limits lie ``below`` and
``above`` it. Probabilities are divided by the density at t before logarithms are taken, so that
nothing is 0/0 where the limits are far in a tail: differences of distribution functions are.
"""

from __future__ import annotations

import math

from scipy.special import erfcx, ndtr

from nofluke.kernels.roots import safe_edge

_NARROW = 1e-3  # below this the series is exact to rounding
_ROOT_HALF = math.sqrt(0.5)
_MILLS = math.sqrt(math.pi / 2)
_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


def log_odds(t: float, below: float, above: float) -> float:
    """Log of P(T <= t) / P(T > t), for a standard normal T within [t - below, t + above].

    Args:
        t: The value.
        below: Distance to the lower limit, at least 0; may be infinite.
        above: Distance to the upper limit, likewise; not both 0.

    >>> round(log_odds(0.0, 1.0, 1.0), 12)
    0.0
    >>> from scipy.special import log_ndtr
    >>> round(log_odds(-3.0, math.inf, math.inf) - float(log_ndtr(-3) - log_ndtr(3)), 12)
    0.0
    """
    if t < 0:
        return -log_odds(-t, above, below)
    return _log_below(t, below) - _log_above(t, above)


def offset(p: float, below: float, above: float, reach: float = math.inf) -> float:
    """The t at which P(T <= t) = p; the mean is that many units below the value seen.

    Args:
        p: Probability, in (0, 1).
        below: Distance from the value seen down to where it would not have been seen; above 0.
        above: Distance up to there; above 0.
        reach: The mean is known to lie within this distance, and the limits move in with it: the
            hybrid of Andrews, Kitagawa & McCloskey (2024), section IV.

    >>> round(offset(0.975, math.inf, math.inf), 6)
    1.959964
    """
    target = math.log(p) - math.log1p(-p)

    def beyond(t: float) -> bool:
        down, up = min(below, reach + t), min(above, reach - t)
        if down <= 0 or up <= 0:
            return up <= 0
        return log_odds(t, down, up) >= target

    low, high = (-reach, reach) if math.isfinite(reach) else (-1.0, 1.0)
    if math.isinf(reach):
        while beyond(low):
            low *= 2
        while not beyond(high):
            high *= 2
    return safe_edge(beyond, high, low, tolerance=1e-14)


def _log_below(t: float, h: float) -> float:
    """Log of (Phi(t) - Phi(t - h)) / phi(t), for t >= 0."""
    if h == 0:
        return -math.inf
    if h * (1 + t) < _NARROW:
        return _log_narrow(t - h / 2, h) + h * (t - h / 4) / 2
    a = t - h
    if a < 0:
        return math.log1p(-float(ndtr(-t)) - float(ndtr(a))) + t * t / 2 + _LOG_ROOT_2PI
    q = h * (t + a) / 2
    return q + math.log(_mills(a) - math.exp(-q) * _mills(t))


def _log_above(t: float, h: float) -> float:
    """Log of (Phi(t + h) - Phi(t)) / phi(t), for t >= 0."""
    if h == 0:
        return -math.inf
    if h * (1 + t) < _NARROW:
        return _log_narrow(t + h / 2, h) - h * (t + h / 4) / 2
    q = h * (t + h / 2)
    return math.log(_mills(t) - (math.exp(-q) * _mills(t + h) if q < 745 else 0.0))


def _log_narrow(middle: float, h: float) -> float:
    """Log of the mass within h / 2 of ``middle``, over the density there: three terms."""
    square = middle * middle
    second = h**2 * (square - 1) / 24
    return math.log(h) + math.log1p(second + h**4 * (square**2 - 6 * square + 3) / 1920)


def _mills(t: float) -> float:
    """(1 - Phi(t)) / phi(t)."""
    return _MILLS * float(erfcx(t * _ROOT_HALF))
