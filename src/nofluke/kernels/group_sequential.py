"""Critical values for a few planned looks at a sum that is nearly normal.

With independent increments the standardised sum at the looks is a Brownian motion B at the
information fractions t_1 < ... < t_K = 1, divided by sqrt(t_k). The chance of a first crossing at
each look is found by carrying the density of the paths that have not crossed from look to look
(Armitage, McPherson & Rowe 1969), with Gauss-Legendre rules on pieces no longer than two standard
deviations of the shorter neighbouring increment: the density is analytic there, and sixteen
points leave an error near 1e-16.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from nofluke.kernels import roots

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind: TypeAlias = Literal[
    "obrien_fleming", "pocock", "lan_demets_obrien_fleming", "lan_demets_pocock"
]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
# An increment with less error to spend than this leaves its look without a boundary.
_LEAST = 1e-290


@lru_cache(maxsize=256)
def critical_values(
    fractions: tuple[float, ...], alpha: float, kind: Kind, *, two_sided: bool
) -> tuple[float, ...]:
    """Critical values c_k of the standardised sum with P(crossed at any look) <= alpha.

    The probability is below alpha by less than 1e-10 alpha or so. "obrien_fleming": c_k =
    C / sqrt(t_k) (O'Brien & Fleming 1979); "pocock": c_k = C (Pocock 1977); "lan_demets_...":
    the first crossing at look k has probability a(t_k) - a(t_(k-1)) of ``spent`` (Lan & DeMets
    1983), so that the looks still to come need not be known.

    Args:
        fractions: Information fractions, ascending; the last is 1, or with "lan_demets_..." the
            last look known so far.
        alpha: Error level of all looks together; one-sided below 1/2.
        kind: The shape of the boundary.
        two_sided: Whether a sum far below 0 crosses too.
    """
    t = np.array(fractions)
    if kind.startswith("lan_demets"):
        return _spending_values(t, alpha, kind, two_sided=two_sided)
    shape = 1 / np.sqrt(t) if kind == "obrien_fleming" else np.ones_like(t)
    constant = _constant(t, shape, alpha, two_sided=two_sided)
    return tuple((constant * shape).tolist())


def spent(t: float, alpha: float, kind: Kind, *, two_sided: bool) -> float:
    """Error that a spending function has spent at the information fraction t of (0, 1].

    Of O'Brien-Fleming type 2 - 2 Phi(z(alpha/2) / sqrt(t)), of Pocock type
    alpha log(1 + (e - 1) t); two-sided twice the one-sided function at alpha / 2.
    """
    if two_sided:
        return 2 * spent(t, alpha / 2, kind, two_sided=False)
    if kind == "lan_demets_pocock":
        return alpha * math.log1p((math.e - 1) * t)
    return 2 * float(ndtr(ndtri(alpha / 2) / math.sqrt(t)))


def first_crossings(
    fractions: NDArray[np.float64],
    critical: NDArray[np.float64],
    *,
    two_sided: bool,
    reach: float = 12.0,
) -> NDArray[np.float64]:
    """Probability that the standardised sum first reaches its critical value at each look.

    Args:
        fractions: Information fractions, ascending, shape (k,).
        critical: Critical values, shape (k,); infinite where a look has none.
        two_sided: Whether minus the critical value counts too.
        reach: Paths further than so many standard deviations from 0 are left out.
    """
    paths = _Paths(two_sided=two_sided, reach=reach)
    chances = np.empty(fractions.size)
    following = [*fractions[1:].tolist(), math.inf]
    for k, (t, c) in enumerate(zip(fractions.tolist(), critical.tolist(), strict=True)):
        chances[k] = paths.crossing(t, c)
        paths.survive(t, c, following[k])
    return chances


class _Paths:
    """The paths that have not crossed: quadrature points and the mass at each of them."""

    def __init__(self, *, two_sided: bool, reach: float) -> None:
        self._two_sided, self._reach = two_sided, reach
        self._t, self._points, self._mass = 0.0, np.zeros(1), np.ones(1)

    def crossing(self, t: float, critical: float) -> float:
        """Chance of a first crossing at t, in terms that are all positive."""
        deviation, edge = math.sqrt(t - self._t), critical * math.sqrt(t)
        chance = ndtr((self._points - edge) / deviation)
        if self._two_sided:
            chance = chance + ndtr((-edge - self._points) / deviation)
        return float(self._mass @ chance)

    def survive(self, t: float, critical: float, following: float) -> None:
        """Go on to t and drop the paths that have crossed there."""
        if following == math.inf:
            return
        deviation, scale = math.sqrt(t - self._t), math.sqrt(t)
        high = min(critical, self._reach) * scale
        low = -high if self._two_sided else -self._reach * scale
        piece = 2 * min(deviation, math.sqrt(following - t))
        points, widths = _pieces(low, high, piece)
        mass = np.empty_like(points)
        first = np.searchsorted(self._points, points[:, 0] - self._reach * deviation)
        last = np.searchsorted(self._points, points[:, -1] + self._reach * deviation)
        for row, i, j in zip(range(len(points)), first, last, strict=True):
            z = (points[row][:, None] - self._points[i:j]) / deviation
            mass[row] = np.exp(-0.5 * z * z) @ self._mass[i:j]
        mass *= widths / (deviation * math.sqrt(2 * math.pi))
        self._t, self._points, self._mass = t, points.ravel(), mass.ravel()


def _pieces(
    low: float, high: float, longest: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of the composite rule on [low, high]; shape (pieces, 16)."""
    count = max(1, math.ceil((high - low) / longest))
    half = (high - low) / count / 2
    middles = low + half * (2 * np.arange(count) + 1)
    return middles[:, None] + half * _NODES, np.broadcast_to(half * _WEIGHTS, (count, 16))


def _constant(
    t: NDArray[np.float64], shape: NDArray[np.float64], alpha: float, *, two_sided: bool
) -> float:
    """C with first-crossing probabilities of C * shape that sum to alpha, on the safe side.

    The last value of the shape is 1 and the smallest. So C lies between the critical value of one
    look and that of a union bound over all.
    """
    sides = 2 if two_sided else 1
    target = -float(ndtri(alpha / sides))
    if t.size == 1:
        return target

    def miss(x: float) -> float:
        chances = first_crossings(t, -x * shape, two_sided=two_sided, reach=_reach(alpha))
        return target + float(ndtri(math.fsum(chances) / sides))

    union = float(ndtri(alpha / sides / t.size))
    return -roots.safe_root(miss, union, -target, (union - target) / 2)


def _spending_values(
    t: NDArray[np.float64], alpha: float, kind: Kind, *, two_sided: bool
) -> tuple[float, ...]:
    paths, critical, before = _Paths(two_sided=two_sided, reach=_reach(alpha)), [], 0.0
    following = [*t[1:].tolist(), math.inf]
    for k, now in enumerate(t.tolist()):
        until = spent(now, alpha, kind, two_sided=two_sided)
        critical.append(_value_for(paths, now, until - before, two_sided=two_sided))
        paths.survive(now, critical[-1], following[k])
        before = until
    return tuple(critical)


def _value_for(paths: _Paths, t: float, chance: float, *, two_sided: bool) -> float:
    """The critical value at which a first crossing at t has the chance given, or a hair less.

    At 0 the chance is at least 1/2 minus what was spent before, which is more than what is left.
    """
    sides = 2 if two_sided else 1
    if chance < _LEAST:
        return math.inf
    target = -float(ndtri(chance / sides))

    def miss(x: float) -> float:
        return target + float(ndtri(min(paths.crossing(t, -x) / sides, 1.0)))

    # The chance of being beyond is no smaller than that of being beyond for the first time.
    return -roots.safe_root(miss, -target * (1 + 1e-12) - 1e-9, 0.0, -target)


def _reach(alpha: float) -> float:
    """Standard deviations beyond which there is less than 1e-16 alpha."""
    return math.sqrt(2 * (16 * math.log(10) - math.log(alpha)))
