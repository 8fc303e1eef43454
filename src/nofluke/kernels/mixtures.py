"""Boundaries that a sum crosses at any moment with small probability: mixtures and stitching.

A sum S_t with variance process V_t is sub-psi where exp(lambda S_t - psi(lambda) V_t) is at most a
martingale that starts at 1, for every lambda of [0, lambda_max). All bounds here are functions u of
V_t with

    P(S_t > u(V_t) for some t) <= alpha,

by Ville's inequality: for one martingale after averaging over lambda (mixtures), or for one line in
each epoch of V (stitching). Theorem and proposition numbers are those of Howard, Ramdas, McAuliffe
& Sekhon (2021, Annals of Statistics 49, 1055-1080). The parameters of a bound must be fixed before
the data; they move where it is tight and never whether it holds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaincinv, gammainc, log_ndtr, zeta

from nofluke.kernels.saddlepoint import stirling_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


# A lower limit on a probability below this is 0.
_LEAST = 1e-280
# Where a logarithm and the first terms of its series would cancel.
_NEAR = 0.25


def best_rho(v_opt: float, alpha: float, *, two_sided: bool) -> float:
    """Precision of the normal mixture for which its bound at ``v_opt`` is about the smallest.

    v / (2 log(1/alpha) + log(1 + 2 log(1/alpha))): the first step of the expansion of the exact
    optimum v / (-W_{-1}(-alpha^2 / e) - 1) (Proposition 3). A one-sided bound at alpha is close to
    a two-sided one at 2 alpha; beyond 1/2 that analogy ends, and the tuning stays.
    """
    doubled = alpha if two_sided else min(2 * alpha, 0.5)
    log_inverse = -2 * math.log(doubled)
    return v_opt / (log_inverse + math.log1p(log_inverse))


def normal_mixture_bound(
    v: float, alpha: float, v_opt: float, *, two_sided: bool, alpha_opt: float | None = None
) -> float:
    """Bound for a sub-Gaussian sum, psi = lambda^2 / 2; two-sided it bounds abs(S).

    Mixture over lambda ~ N(0, 1/rho), in closed form (Proposition 4):

        sqrt((v + rho) log((v + rho) / (rho alpha^2)));

    one-sided over the half-normal law of the same rho (Proposition 5), the root s of

        2 sqrt(rho / (v + rho)) exp(s^2 / (2 (v + rho))) Phi(s / sqrt(v + rho)) = 1 / alpha.

    Args:
        v: Variance process, at least 0.
        alpha: Error level, of both sides together where ``two_sided``.
        v_opt: Where the bound is made tight, positive.
        two_sided: Whether abs(S) is bounded, and not S.
        alpha_opt: Error level the tuning is for; ``alpha`` by default.
    """
    rho = best_rho(v_opt, alpha_opt or alpha, two_sided=two_sided)
    total = v + rho
    log_ratio = math.log1p(v / rho)
    both = math.sqrt(total * (log_ratio - 2 * math.log(alpha)))
    if two_sided:
        return both
    needed = 0.5 * log_ratio - math.log(alpha) - math.log(2)

    def crosses(s: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(s * s / (2 * total) + log_ndtr(s / math.sqrt(total)) >= needed)

    # Phi >= 1/2 from 0 on, so that the two-sided bound has crossed.
    return _edge(crosses, both * (1 + 1e-15), 0.0)


def gamma_exponential_mixture_bound(
    v: float, alpha: float, v_opt: float, c: float, *, alpha_opt: float | None = None
) -> float:
    """Bound for a sub-exponential sum, psi = (-log(1 - c lambda) - c lambda) / c^2.

    Mixture over u = 1 - c lambda with a gamma law of shape and rate rho/c^2, cut to (0, 1]
    (Proposition 9). The logarithm of the mixture is evaluated where nothing large cancels, so that
    v may be 0 or as large as a double. One-sided; take alpha / 2 for each of two sides.

    Args:
        v: Variance process, at least 0.
        alpha: Error level.
        v_opt: Where the bound is made tight, positive.
        c: Scale, positive: the range of a bounded variable (Theorem 4).
        alpha_opt: Error level the tuning is for; ``alpha`` by default.
    """
    rho = best_rho(v_opt, alpha_opt or alpha, two_sided=False)

    def crosses(s: NDArray[np.float64]) -> NDArray[np.bool_]:
        return log_gamma_exponential_mixture(s, v, rho, c) >= -math.log(alpha)

    unsafe, safe = 0.0, math.sqrt(v + rho) + c
    while not crosses(np.array([safe]))[0]:
        unsafe, safe = safe, 2 * safe
    return _edge(crosses, safe, unsafe)


def log_gamma_exponential_mixture(
    s: NDArray[np.float64], v: float, rho: float, c: float
) -> NDArray[np.float64]:
    """Logarithm of the gamma-exponential mixture at sums s >= 0; shape as s.

    With a = rho/c^2, A = (v + rho)/c^2, x = s/(c A) and D(z) = log Gamma(z) - z log z + z it is

        A (x - log(1 + x)) + D(A) + log P(A, A (1 + x)) - D(a) - log P(a, a),

    P the regularised lower incomplete gamma function.
    """
    prior, shape = rho / c**2, (v + rho) / c**2
    x = s / (c * shape)
    now, before = _gamma_excess(shape), _gamma_excess(prior)
    share = np.log(gammainc(shape, shape * (1 + x)) / float(gammainc(prior, prior)))
    return np.asarray(now - before + share - shape * _log1p_minus(x))


def poly_stitching_bound(
    v: ArrayLike,
    alpha: float,
    v_min: float,
    *,
    c: float = 0.0,
    s: float = 1.4,
    eta: float = 2.0,
) -> NDArray[np.float64]:
    """Bound for a sub-gamma sum, psi = lambda^2 / (2 (1 - c lambda)); shape as v.

    One line for each epoch [v_min eta^k, v_min eta^(k+1)), with the share 1/((k+1)^s zeta(s)) of
    alpha, under one curve (Theorem 1 with the polynomial h of its equation (10)):

        sqrt(k1^2 v l + k2^2 c^2 l^2) + k2 c l,   k1 = (eta^(1/4) + eta^(-1/4)) / sqrt(2),
        l = s log(1 + log_eta(v / v_min)) + log(zeta(s) / alpha),   k2 = (sqrt(eta) + 1) / 2.

    Below ``v_min`` it is the constant that it is there. A sub-exponential sum of scale c is
    sub-gamma of the same scale: c^(k-2)/k <= c^(k-2)/2 for each power k >= 2 of lambda.

    Args:
        v: Variance process, at least 0.
        alpha: Error level.
        v_min: Where the first epoch begins, positive.
        c: Scale, at least 0.
        s: How fast the shares of alpha fall, above 1.
        eta: Ratio of successive epochs, above 1.
    """
    used = np.maximum(np.asarray(v, dtype=np.float64), v_min)
    epochs = np.log(used / v_min) / math.log(eta)
    ell = s * np.log1p(epochs) + math.log(float(zeta(s)) / alpha)
    k1_squared = (eta**0.25 + eta**-0.25) ** 2 / 2
    linear = (math.sqrt(eta) + 1) / 2 * c * ell
    return np.asarray(np.sqrt(k1_squared * used * ell + linear**2) + linear)


def beta_binomial_mixture_bound(
    v: float,
    alpha: float,
    v_opt: float,
    g: float,
    h: float,
    *,
    two_sided: bool = False,
    alpha_opt: float | None = None,
) -> float:
    """Bound for a sub-Bernoulli sum: of variables in [-g, h] of mean 0, where V_t = g h t.

    psi = log((g exp(h lambda) + h exp(-g lambda)) / (g + h)) / (g h). Mixture over the tilted
    probability of -g with a beta law around h / (g + h), one-sided below it only (Propositions 7
    and 8). No sum exceeds v/g, which is the bound where the mixture cannot reach 1/alpha.

    Args:
        v: Variance process, positive.
        alpha: Error level.
        v_opt: Where the bound is made tight, positive.
        g: How far a variable may fall below its mean, positive.
        h: How far it may rise above it, positive.
        two_sided: Whether the mixture puts weight on negative sums too; the bound is then still
            that of the upper side, and -S has its own with g and h exchanged.
        alpha_opt: Error level the tuning is for; ``alpha`` by default.
    """
    rho = best_rho(v_opt, alpha_opt or alpha, two_sided=two_sided)
    size = max(rho / (g * h) - 1, 1e-3)  # in trials
    trials, fall = v / (g * h), h / (g + h)

    def crosses(s: NDArray[np.float64]) -> NDArray[np.bool_]:
        falls = np.maximum(trials * fall - s / (g + h), 0.0)
        mixture = log_beta_binomial_mixture(falls, trials, fall, size, lower_half=not two_sided)
        return mixture >= -math.log(alpha)

    most = v / g
    return _edge(crosses, most, 0.0) if crosses(np.array([most]))[0] else most


def log_beta_binomial_mixture(
    count: ArrayLike, trials: ArrayLike, p: ArrayLike, size: float, *, lower_half: bool = False
) -> NDArray[np.float64]:
    """Logarithm of the beta-binomial likelihood ratio against the probability p.

    The average over q ~ Beta(size p, size (1 - p)) of (q/p)^count ((1-q)/(1-p))^(trials - count);
    with ``lower_half`` over q <= p only. In the form

        a log(a / (N p)) + b log(b / (N (1 - p))) + J(a, b) - J(size p, size (1 - p)),

    a = size p + count, b = size (1 - p) + trials - count, N = a + b, where J(a, b) is what the
    logarithm of the beta function has beside a log(a/N) + b log(b/N); nothing large cancels.

    Args:
        count: How often the event came, from 0 to ``trials``.
        trials: Number of trials; need not be whole.
        p: Probability under the hypothesis, strictly between 0 and 1.
        size: Weight of the beta law, in trials.
        lower_half: Average over q <= p only.
    """
    count, trials, p = (np.asarray(z, dtype=np.float64) for z in (count, trials, p))
    before, before_rest = size * p, size * (1 - p)
    after, after_rest = before + count, before_rest + (trials - count)
    total = size + trials
    shift = count - trials * p
    log_ratio = (
        _deviance(shift, total * p)
        + _deviance(-shift, total * (1 - p))
        + _log_beta_excess(after, after_rest)
        - _log_beta_excess(before, before_rest)
    )
    if lower_half:
        log_ratio += np.log(betainc(after, after_rest, p) / betainc(before, before_rest, p))
    return np.asarray(log_ratio)


def bernoulli_limits(
    ones: int, n: int, alpha: float, design: float, *, alpha_opt: float | None = None
) -> tuple[float, float]:
    """Limits on a probability that hold at every n at once, from both sides together.

    All p at which the two-sided beta-binomial mixture is below 1/alpha. They are an interval: the
    logarithm of the mixture is a constant plus the sum over i < ones of log(size + i/p) and over
    j < n - ones of log(size + j/(1 - p)), each convex in p. It holds ones/n, where no likelihood
    ratio exceeds 1. A single one gives no lower limit above 0, nor does a single zero an upper one
    below 1.

    Args:
        ones: Number of ones.
        n: Number of draws.
        alpha: Error level of both limits together.
        design: The n for which the limits are made tight, positive.
        alpha_opt: Error level the tuning is for; ``alpha`` by default.
    """
    size = max(best_rho(design, alpha_opt or alpha, two_sided=True) - 1, 1e-3)
    lower = _bernoulli_lower(ones, n, alpha, size)
    return lower, 1 - _bernoulli_lower(n - ones, n, alpha, size)


def _bernoulli_lower(ones: int, n: int, alpha: float, size: float) -> float:
    def rejects(p: NDArray[np.float64]) -> NDArray[np.bool_]:
        return log_beta_binomial_mixture(ones, n, p, size) >= -math.log(alpha)

    # A fixed-n limit at a minute level lies below every limit that the mixture can give.
    least = float(betaincinv(ones, n - ones + 1, alpha * 1e-3)) if ones > 1 else 0.0
    while least > _LEAST and not rejects(np.array([least]))[0]:
        least /= 16
    return _edge(rejects, least, ones / n) if least > _LEAST else 0.0


def _edge(
    crosses: Callable[[NDArray[np.float64]], NDArray[np.bool_]], safe: float, unsafe: float
) -> float:
    """The value next to where ``crosses`` begins, on the side of ``safe``, where it is true.

    One array of 64 points costs little more than one point, and saves five halvings.
    """
    while abs(safe - unsafe) > 1e-15 * max(abs(safe), abs(unsafe)):
        points = np.linspace(safe, unsafe, 66)[1:-1]
        kept = int(np.append(crosses(points), False).argmin())
        edges = [safe, *points.tolist(), unsafe]
        if (edges[kept], edges[kept + 1]) == (safe, unsafe):
            break
        safe, unsafe = edges[kept], edges[kept + 1]
    return safe


def _gamma_excess(z: float) -> float:
    """D(z) = log Gamma(z) - z log z + z for z > 0."""
    correction = stirling_error(np.array([min(z, 1e100)]))  # 0 long before its square overflows
    return 0.5 * math.log(2 * math.pi / z) + float(correction[0])


def _log_beta_excess(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of the beta function minus a log(a/(a+b)) + b log(b/(a+b))."""
    correction = stirling_error(a) + stirling_error(b) - stirling_error(a + b)
    return np.asarray(0.5 * (np.log(2 * math.pi / a) - np.log(b / (a + b))) + correction)


def _deviance(shift: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of x log(x/mean) - (x - mean) at x = mean + shift > 0."""
    u = shift / mean
    near = np.abs(u) < _NEAR
    v = np.where(near, u, 0.0)
    close = (1 + v) * _log1p_minus(v) + v * v
    return np.asarray(mean * np.where(near, close, (1 + u) * np.log1p(u) - u))


def _log1p_minus(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 + u) - u for u > -1: a series where the two are close and would cancel.

    With r = u / (2 + u): log(1 + u) = 2 artanh(r) and u = 2 r + r u. Near 0 r^2 < 0.0205, so that
    nine terms are enough.
    """
    near = np.abs(u) < _NEAR
    v = np.where(near, u, 0.0)
    r = v / (2 + v)
    series = np.zeros_like(r)
    for k in range(19, 1, -2):
        series = series * r * r + 1 / k
    return np.asarray(np.where(near, 2 * r**3 * series - r * v, np.log1p(u) - u))
