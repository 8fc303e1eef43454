"""Ranks that bound a quantile at every number of runs at once: a beta mixture of binomial bets.

S_t counts how many of the first t uniforms are at most u, so that under independent runs it is a
binomial path of probability u, whatever their distribution. Against it stands the likelihood ratio

    M(s, t) = average over q of (q / u)^s ((1 - q) / (1 - u))^(t - s),   q ~ Beta(a, b),

a = size u and b = size (1 - u), or that law cut to q <= u. M(S_t, t) is a martingale that starts
at 1, so that it ever reaches 1/alpha with probability at most alpha (Ville). The counts at which it
has not are a range, as every term is log-linear in s and their sum therefore log-convex.

Only the lower end is found here: the upper one is that of t - S_t with 1 - u in place of u.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betainc, betaln

from nofluke.kernels.mixtures import best_rho, log_beta_binomial_mixture

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: More runs than this are counted as never: doubles no longer hold every whole number.
REACH = 2**53
# The level that every mixture is tuned for. With the level asked for in its place, intervals at two
# levels would come from two mixtures, and need not lie in each other.
_TUNED_FOR = 0.05
# What rounding may have added to the logarithm of the mixture after some 10^6 steps.
_SLACK = 1e-9


class Mixture(NamedTuple):
    """The mixture against the probability u.

    Attributes:
        u: Probability under the hypothesis, strictly between 0 and 1.
        size: Weight of the beta law, in runs.
        cut: Whether it is cut to q <= u.
    """

    u: float
    size: float
    cut: bool

    @property
    def reflected(self) -> Mixture:
        """That of t - S_t."""
        return Mixture(1 - self.u, self.size, self.cut)

    @property
    def share_below(self) -> float:
        """Weight on q <= u, before it is cut."""
        return float(betainc(self.size * self.u, self.size * (1 - self.u), self.u))


def tuned(u: float, design: float, *, two_sided: bool) -> Mixture:
    """The mixture whose limits are about the narrowest at ``design`` runs.

    Args:
        u: Probability under the hypothesis.
        design: Number of runs, fixed before the first.
        two_sided: Whether both ends are wanted; one of them is served by the cut law.
    """
    size = max(best_rho(design, _TUNED_FOR, two_sided=two_sided) - 1, 1e-3)
    return Mixture(u, size, not two_sided)


@lru_cache(maxsize=65536)
def least_count(mixture: Mixture, n: int, alpha: float) -> int:
    """Smallest count of n that is not rejected as too small; 0 where none is.

    Rejection ends once as the count grows to n u: the mixture is log-convex in the count, averages
    to 1 and so is below 1/alpha somewhere, and it falls there. The cut one falls everywhere.
    """
    if not _rejected(mixture, 0, n, alpha):
        return 0
    rejected, kept = 0, math.floor(n * mixture.u) + 1
    while kept - rejected > 1:
        middle = (rejected + kept) // 2
        if _rejected(mixture, middle, n, alpha):
            rejected = middle
        else:
            kept = middle
    return kept


def least_counts(mixture: Mixture, n: int, alpha: float) -> NDArray[np.int64]:
    """``least_count`` at 1, 2, ..., n; shape (n,). Never falls, and never rises by more than 1.

    With A = a + s, B = b + t - s and c = u^a (1-u)^b / Beta(u; a, b) (0 where nothing is cut),
    integration by parts over q gives A (1-u) M(s, t+1) - B u M(s+1, t+1) = c, and the martingale
    (1-u) M(s, t+1) + u M(s+1, t+1) = M(s, t). Hence

        M(s, t+1) = (B M(s, t) + c) / ((A + B)(1 - u)),
        M(s+1, t+1) = (A M(s, t) - c) / ((A + B) u).

    So one value is carried along, times alpha so that none overflows. Let s be the least count kept
    at t. At t + 1

    * those below s stay rejected: below u every (1-q)/(1-u) is at least 1; of the uncut mixture
      M(s-1, t+1) > M(s-1, t) as A/(A+B) < u wherever it still falls in s;
    * if M(s, t+1) reaches 1/alpha, M(s+1, t+1) does not: their average with weights 1 - u and u is
      M(s, t) < 1/alpha. Else s is kept.
    """
    u, a, b, c = mixture.u, mixture.size * mixture.u, mixture.size * (1 - mixture.u), 0.0
    if mixture.cut:
        c = math.exp(a * math.log(u) + b * math.log1p(-u) - float(betaln(a, b)))
        c *= alpha / mixture.share_below
    threshold = math.exp(_SLACK)
    counts, s, value = [0] * n, 0, alpha
    for t in range(n):
        rest = b + (t - s)
        total = mixture.size + t
        stay = (rest * value + c) / (total * (1 - u))
        if stay < threshold:
            value = stay
        else:
            value = ((a + s) * value - c) / (total * u)
            s += 1
        counts[t] = s
    return np.array(counts, dtype=np.int64)


@lru_cache(maxsize=4096)
def first_size(mixture: Mixture, alpha: float) -> int | None:
    """Smallest n at which the count 0 is rejected, so that a limit exists; None beyond ``REACH``.

    From there on it always is: M(0, t) grows with t.
    """
    without, enough = 0, 1
    while not _rejected(mixture, 0, enough, alpha):
        if enough >= REACH:
            return None
        without, enough = enough, 2 * enough
    while enough - without > 1:
        middle = (without + enough) // 2
        if _rejected(mixture, 0, middle, alpha):
            enough = middle
        else:
            without = middle
    return enough


def running_order(x: NDArray[np.float64], ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of the first t values the one with rank ``ranks[t - 1]``, for every t; shape (n,).

    Walks backwards: values leave a linked list in ascending order, in which one pointer follows the
    rank by at most one place at a time.

    Args:
        x: Values in order of arrival, shape (n,).
        ranks: 1-based ranks, shape (n,), which never fall and never rise by more than 1, from 0
            or 1 on; rank 0 gives -inf.
    """
    n = x.size
    order = np.argsort(x, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(1, n + 1)
    places, targets = place.tolist(), ranks.tolist()
    before, after = list(range(-1, n + 1)), list(range(1, n + 3))
    at = targets[-1]
    found = [0] * n
    for t in range(n - 1, -1, -1):
        found[t] = at
        gone, rank = places[t], targets[t]
        if gone == at:
            at = before[at]
        left = rank - 1 if 0 < gone <= found[t] else rank
        before[after[gone]], after[before[gone]] = before[gone], after[gone]
        if t and targets[t - 1] != left:
            at = after[at] if targets[t - 1] > left else before[at]
    return np.concatenate(([-np.inf], x[order]))[found]


def _rejected(mixture: Mixture, count: int, n: int, alpha: float) -> bool:
    # Where the cut law's share after the data rounds to 0 nothing is rejected.
    with np.errstate(divide="ignore"):
        value = log_beta_binomial_mixture(count, n, mixture.u, mixture.size, lower_half=mixture.cut)
    return float(value) >= _SLACK - math.log(alpha)
