"""Boundaries against the integrals that define them, and at the edges of the doubles."""

import math

import mpmath
import numpy as np
import pytest

from nofluke.kernels import mixtures, plug_in

MIXED = [(0.0, 0.05), (0.3, 0.01), (10.0, 0.05), (100.0, 1e-6), (400.0, 0.4)]


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(30):
        yield


def level(integrand, points):
    return float(1 / mpmath.quad(integrand, points))


@pytest.mark.parametrize(("v", "alpha"), MIXED)
def test_the_normal_mixture_reaches_its_level(v, alpha):
    for two_sided, low, weight in ((True, -mpmath.inf, 1), (False, 0, 2)):
        s = mixtures.normal_mixture_bound(v, alpha, 50, two_sided=two_sided)
        rho = mixtures.best_rho(50, alpha, two_sided=two_sided)

        def mixed(x, s=s, rho=rho, weight=weight):
            density = mpmath.sqrt(rho / (2 * mpmath.pi)) * mpmath.exp(-rho * x * x / 2)
            return weight * density * mpmath.exp(x * s - v * x * x / 2)

        middle = s / (v + rho)
        width = 1 / math.sqrt(v + rho)
        points = sorted({max(low, middle + k * width) for k in (-15, -3, 0, 3, 15)})
        assert level(mixed, points) == pytest.approx(alpha, rel=1e-10)


@pytest.mark.parametrize("c", [1.0, 0.25])
@pytest.mark.parametrize(("v", "alpha"), MIXED)
def test_the_gamma_exponential_mixture_reaches_its_level(v, alpha, c):
    s = mixtures.gamma_exponential_mixture_bound(v, alpha, 50, c)
    rho = mpmath.mpf(mixtures.best_rho(50, alpha, two_sided=False))

    def psi(x):
        return (-mpmath.log(1 - c * x) - c * x) / c**2

    def density(x):
        return (1 - c * x) ** (rho / c**2 - 1) * mpmath.exp(rho * x / c)

    points = [mpmath.mpf(k) / (20 * c) for k in (0, 1, 2, 4, 8, 12, 16, 20)]
    total = mpmath.quad(density, points)
    mixed = level(lambda x: density(x) * mpmath.exp(x * s - v * psi(x)) / total, points)
    assert mixed == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize(("g", "h"), [(0.5, 0.5), (0.2, 0.8), (1.0, 3.0)])
@pytest.mark.parametrize("two_sided", [False, True])
def test_the_beta_binomial_mixture_reaches_its_level(g, h, two_sided):
    alpha, v = 0.05, 40 * g * h
    s = mixtures.beta_binomial_mixture_bound(v, alpha, v, g, h, two_sided=two_sided)
    rho = mixtures.best_rho(v, alpha, two_sided=two_sided)
    size, fall = mpmath.mpf(max(rho / (g * h) - 1, 1e-3)), mpmath.mpf(h / (g + h))
    falls = 40 * fall - mpmath.mpf(s) / (g + h)
    most = 1 if two_sided else fall

    def density(q):
        return q ** (size * fall - 1) * (1 - q) ** (size * (1 - fall) - 1)

    def mixed(q):
        return density(q) * (q / fall) ** falls * ((1 - q) / (1 - fall)) ** (40 - falls)

    # Powers below 0 at the ends are taken by the tanh-sinh rule.
    total = mpmath.quad(density, [0, most / 2, most])
    assert float(total / mpmath.quad(mixed, [0, most / 2, most])) == pytest.approx(alpha, rel=1e-9)


def test_a_sum_that_cannot_be_larger_is_its_own_bound():
    assert mixtures.beta_binomial_mixture_bound(0.25, 0.05, 100, 0.5, 0.5) == 0.5


@pytest.mark.parametrize("alpha", [0.9, 0.05, 1e-12, 1e-300])
@pytest.mark.parametrize("v", [0.0, 5e-324, 1e-9, 1.0, 1e9, 1e15, 1e100])
def test_no_variance_and_much_of_it(v, alpha):
    found = [
        mixtures.normal_mixture_bound(v, alpha, 100, two_sided=False),
        mixtures.normal_mixture_bound(v, alpha, 100, two_sided=True),
        mixtures.gamma_exponential_mixture_bound(v, alpha, 100, 1),
        float(mixtures.poly_stitching_bound(v, alpha, 1, c=1)),
    ]
    assert all(0 < bound < math.inf for bound in found)
    # A sub-exponential sum may be larger than a sub-Gaussian one.
    assert found[2] > found[0] * (1 - 1e-9)


def test_bounds_grow_with_the_variance_and_with_confidence():
    for bound in (
        lambda v, a: mixtures.normal_mixture_bound(v, a, 100, two_sided=False, alpha_opt=0.05),
        lambda v, a: mixtures.gamma_exponential_mixture_bound(v, a, 100, 1, alpha_opt=0.05),
        lambda v, a: float(mixtures.poly_stitching_bound(v, a, 1, c=1)),
    ):
        values = np.array([[bound(v, a) for v in (0, 1, 30, 1e4)] for a in (0.5, 0.05, 1e-4)])
        assert (np.diff(values, axis=0) > 0).all()
        assert (np.diff(values, axis=1) >= 0).all()


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-5])
@pytest.mark.parametrize(
    ("c", "s", "eta"), [(0, 1.4, 2.0), (1, 1.4, 2.0), (1, 2.0, 1.1), (3, 1.1, 8)]
)
def test_the_stitched_curve_lies_above_its_lines(alpha, c, s, eta):
    # The proof of Theorem 1: in epoch k the line with the best slope at the middle of the epoch
    # holds with probability 1 - alpha_k, and the alpha_k sum to alpha.
    shares = [1 / ((k + 1) ** s * float(mpmath.zeta(s))) for k in range(60)]
    assert sum(shares) <= 1
    for k, share in enumerate(shares):
        v = eta ** (k + np.linspace(0, 1, 41))
        r, middle = math.log(1 / (alpha * share)), eta ** (k + 0.5)
        x = 1 / (c + math.sqrt(middle / (2 * r)))  # minimises (r + psi(x) middle) / x
        line = (r + x * x / (2 * (1 - c * x)) * v) / x
        curve = mixtures.poly_stitching_bound(v, alpha, 1, c=c, s=s, eta=eta)
        assert (curve >= line * (1 - 1e-12)).all()


def test_sub_exponential_sums_are_sub_gamma():
    x = np.linspace(0, 0.999, 1000)
    assert (-np.log1p(-x) - x <= x * x / (2 * (1 - x)) + 1e-15).all()


def test_a_bounded_score_obeys_the_inequality_behind_empirical_bernstein():
    y, weight = np.meshgrid(np.linspace(-1, 1, 401), np.linspace(0, 0.999, 400))
    psi = -np.log1p(-weight) - weight
    assert (np.exp(weight * y - y * y * psi) <= 1 + weight * y + 1e-12).all()


def test_centres_and_weights_use_the_past_only():
    rng = np.random.default_rng(3)
    x, y = rng.random(50), rng.random(50)
    y[:20] = x[:20]
    assert (plug_in.centres(x)[:21] == plug_in.centres(y)[:21]).all()
    weights = [plug_in.sequence_weights(z, 0.05)[:21] for z in (x, y)]
    assert (weights[0] == weights[1]).all()
    assert plug_in.centres(x)[0] == 0.5


def likelihood_ratio(count, n, p, size):
    """By exact rising factorials."""
    p, size = mpmath.mpf(p), mpmath.mpf(size)
    ratio = mpmath.rf(size * p, count) * mpmath.rf(size * (1 - p), n - count) / mpmath.rf(size, n)
    return ratio / (p**count * (1 - p) ** (n - count))


@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (3, 10), (55, 100), (1, 5000)])
@pytest.mark.parametrize("p", [1e-9, 0.01, 0.5, 0.9])
def test_the_beta_binomial_likelihood_ratio(count, n, p):
    found = float(mixtures.log_beta_binomial_mixture(count, n, p, 7.5))
    expected = float(mpmath.log(likelihood_ratio(count, n, p, 7.5)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("ones", "n"), [(2, 2), (2, 10), (9, 10), (300, 1000), (3, 10**6)])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-10])
def test_rates_at_the_limits_are_just_rejected(ones, n, alpha):
    lower, upper = mixtures.bernoulli_limits(ones, n, alpha, 1000)
    size = max(mixtures.best_rho(1000, alpha, two_sided=True) - 1, 1e-3)
    assert 0 < lower < ones / n <= upper <= 1
    if n < 10**4:
        assert float(likelihood_ratio(ones, n, lower, size) * alpha) == pytest.approx(1, rel=1e-9)


def test_the_logarithm_of_the_likelihood_ratio_is_convex():
    p = np.linspace(0.001, 0.999, 999)
    values = mixtures.log_beta_binomial_mixture(30, 100, p, 40.0)
    assert (np.diff(values, 2) > -1e-12).all()


def test_one_success_gives_no_lower_limit():
    assert mixtures.bernoulli_limits(1, 10, 0.05, 1000)[0] == 0
    assert mixtures.bernoulli_limits(0, 1, 0.05, 1000) == (0, 1)
