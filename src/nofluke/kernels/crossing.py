"""Boundary-crossing probabilities of the empirical distribution function, and their levels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from nofluke.kernels.concentration import dkw_radius, dkw_sample_size
from nofluke.kernels.saddlepoint import log_binomial, stirling_error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Relative error of `smirnov_tail` stays below this for n <= 1e6 (its log terms carry about
# 1e-13); radii are widened by as much, so that rounding never costs coverage.
_TAIL_ERROR = 1e-11

# What a propagation may lose by dropping states that do not matter, relative to its result.
_RELATIVE_LOSS = 1e-14


def smirnov_tail(n: int, eps: float) -> float:
    """P(sup_t F(t) - F_n(t) >= eps) for n independent draws from a continuous F.

    Birnbaum & Tingey (1951, eq. 3.0): the sum over j <= n(1-eps) of
    C(n,j) eps (eps+j/n)^(j-1) (1-eps-j/n)^(n-j), which is eps/p times a binomial
    probability at p = eps + j/n. All terms are positive, and each is taken in Loader's
    saddle-point form, so relative accuracy survives any level a double can hold.
    """
    if eps <= 0:
        return 1.0
    shift = n * eps
    j = np.arange(math.floor(n - shift) + 1, dtype=np.float64)
    rest = n - j
    j, rest = j[rest > shift], rest[rest > shift]
    first, j, rest = n * math.log1p(-eps) if eps < 1 else -math.inf, j[1:], rest[1:]
    log_pmf = (
        j * np.log1p(shift / j)
        + rest * np.log1p(-shift / rest)
        + 0.5 * np.log(n / (2 * math.pi * j * rest))
        + (stirling_error(np.array([float(n)]))[0] - stirling_error(j) - stirling_error(rest))
    )
    terms = np.exp(log_pmf) * (shift / (shift + j))
    return min(1.0, math.exp(first) + float(terms.sum()))


@lru_cache(maxsize=65536)
def smirnov_radius(n: int, alpha: float) -> float:
    """Smallest eps (rounded up) with P(sup_t F_n(t) - F(t) > eps) <= alpha, exactly.

    Newton's method on log P, started at Smirnov's expansion (6 n eps + 1)^2 = 18 n log(1/alpha);
    never wider than the DKW radius.
    """
    ceiling = min(1.0, dkw_radius(n, alpha))
    low, high = 0.0, ceiling
    eps = min(max((math.sqrt(-18 * n * math.log(alpha)) - 1) / (6 * n), high / 8), high)
    target = math.log(alpha) - _TAIL_ERROR
    for _ in range(200):
        miss = _log_tail(n, eps) - target
        low, high = (eps, high) if miss > 0 else (low, eps)
        if high - low <= 1e-13 * high:
            break
        # d log P / d eps is close to -4 n eps; where the step leaves the bracket, bisect.
        slope = _log_tail_slope(n, eps)
        step = eps + miss / slope
        step += math.copysign(1e-14 * eps, miss)
        eps = step if low < step < high else (low + high) / 2
    return high


@lru_cache(maxsize=4096)
def smirnov_sample_size(radius: float, alpha: float) -> int:
    """Smallest n whose ``smirnov_radius`` is at most ``radius``.

    Where DKW needs more than 10,000 its n is the answer: the exact one is smaller by less than
    4 in a thousand, and above that n the exact band is not used.
    """
    high = dkw_sample_size(radius, alpha)
    low = 0 if high <= 10_000 else high - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if smirnov_radius(middle, alpha) > radius else (low, middle)
    return high


def crossing_probability(
    lower: ArrayLike | None, upper: ArrayLike | None = None, *, gap: ArrayLike | None = None
) -> float:
    """P(U_(i) < lower_i or U_(i) > upper_i for some i), for the order statistics of n uniforms.

    Paths are counted where they first cross. All terms are positive, so relative accuracy
    survives small probabilities, where 1 - ``noncrossing_probability`` is noise.

    Args:
        lower: Lower boundary, ascending, shape (n,); None or zeros where there is none.
        upper: Upper boundary, ascending; None or ones where there is none.
        gap: 1 - upper, in place of ``upper`` where that would lose digits next to 1.
    """
    path = _path(_times(lower, None), _times(upper, gap))
    return path.run(_RELATIVE_LOSS * path.certain)[0]


def noncrossing_probability(
    lower: ArrayLike | None, upper: ArrayLike | None = None, *, gap: ArrayLike | None = None
) -> float:
    """P(lower_i <= U_(i) <= upper_i for all i), to full relative accuracy where it is small.

    Takes what ``crossing_probability`` takes.
    """
    path = _path(_times(lower, None), _times(upper, gap))
    scale = 0.01
    while True:
        survives = path.run(_RELATIVE_LOSS * scale)[1]
        if survives >= scale or scale == 0:
            return survives
        # What was dropped only lowered the result, so it tells how much may be dropped.
        scale = survives


class _Path(NamedTuple):
    """What a counting path of n uniforms must obey, boundary by boundary in time.

    ``certain`` is a lower limit of the crossing probability: that of the worst single boundary.
    """

    step: NDArray[np.float64]
    gap: NDArray[np.float64]
    floor: NDArray[np.int64]
    ceiling: NDArray[np.int64]
    n: int
    certain: float

    def run(self, loss: float) -> tuple[float, float]:
        """Crossing and non-crossing probability, each at most about ``loss`` too small."""
        from nofluke.kernels import propagation

        if not self.step.size:
            return 0.0, 1.0
        cut = loss / self.step.size
        killed, survives = propagation.propagate(self[:4], self.n, cut)
        return min(1.0, killed), min(1.0, survives)


_Times: TypeAlias = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def _times(t: ArrayLike | None, gap: ArrayLike | None) -> _Times | None:
    """Times in [0, 1] and what is left of it after them, either of them exact."""
    if t is None and gap is None:
        return None
    t = 1 - np.asarray(gap) if t is None else np.asarray(t)
    gap = 1 - t if gap is None else np.asarray(gap)
    return np.clip(t, 0.0, 1.0), np.clip(gap, 0.0, 1.0)


def _path(lower: _Times | None, upper: _Times | None) -> _Path:
    """Boundaries in order of time: N(lower_i) <= i - 1 and N(upper_i) >= i, i = 1..n."""
    if lower is None and upper is not None:
        # Mirrored uniforms are uniform: one-sided work is done from one side.
        return _path((upper[1][::-1], upper[0][::-1]), None)
    b, b_left = lower or (np.zeros(0), np.zeros(0))
    n = b.size
    B, B_left = upper or (np.ones(n), np.zeros(n))
    below, above = np.flatnonzero(b > 0), np.flatnonzero(B_left > 0)
    time = np.concatenate([b[below], B[above]])
    left = np.concatenate([b_left[below], B_left[above]])
    floor = np.concatenate([np.zeros(below.size, np.int64), above + 1])
    ceiling = np.concatenate([below, np.full(above.size, n)])
    order = np.lexsort((-left, time))  # times that round to the same are told apart by what is left
    time, left = time[order], left[order]
    return _Path(
        _steps(time, left),
        left,
        np.maximum.accumulate(floor[order]),
        np.minimum.accumulate(ceiling[order][::-1])[::-1],
        n,
        max(
            _worst_rank(below + 1, n, b[below]),
            _worst_rank(n - above, n, B_left[above]),
        ),
    )


def _steps(time: NDArray[np.float64], left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Time since the boundary before, from the halves of [0, 1] in which the two are exact."""
    early = time < 0.5
    before = np.append(0.0, time[:-1])
    late = np.where(before < 0.5, (0.5 - before) + (0.5 - left), -np.diff(left, prepend=1.0))
    return np.maximum(np.where(early, time - before, late), 0.0)


def _worst_rank(i: NDArray[np.int64], n: int, x: NDArray[np.float64]) -> float:
    """A lower limit of the largest P(U_(i) < x_i): the likeliest count >= i of uniforms below x."""
    count = np.clip(np.floor(n * x), i, n)
    return float(np.max(np.exp(log_binomial(count, n, x)), initial=0.0))


def _log_tail(n: int, eps: float) -> float:
    tail = smirnov_tail(n, eps)
    return math.log(tail) if tail > 0 else -math.inf


def _log_tail_slope(n: int, eps: float) -> float:
    """Minus the derivative of log P by a central difference; good enough to steer Newton."""
    h = eps * 1e-5
    up, down = _log_tail(n, eps + h), _log_tail(n, eps - h)
    slope = (down - up) / (2 * h)
    return slope if math.isfinite(slope) and slope > 0 else 4 * n * eps
