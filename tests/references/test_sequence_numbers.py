"""Boundaries and confidence sequences against confseq 0.0.11 and against published tables.

confseq: Howard et al. 2021 and Waudby-Smith & Ramdas 2024 by their authors. Its optional argument
``alpha_opt`` is 0.05 or the level itself, as said below; a Bernoulli interval takes successes,
trials, alpha, the n of the tuning and the level of the tuning.
"""

import math
import typing

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from nofluke import means, sequences
from nofluke.kernels import group_sequential, mixtures, plug_in

VARIANCES = (10, 100, 1000)


def tern(n=1000):
    i = np.arange(1, n + 1)
    return (i % 17 == 0).astype(float) - (i % 29 == 0)


def rougey(n=200):
    i = np.arange(1, n + 1)
    u = np.mod(0.6180339887498949 * i, 1)
    return np.round(1.2 * (u - 0.5) ** 3 + 0.02 * np.sin(i), 12)


BOUNDS = {
    "normal, one side": (
        lambda v: mixtures.normal_mixture_bound(v, 0.05, 100, two_sided=False),
        (11.492681796253237, 27.660708830694603, 94.39391616939474),
    ),
    "normal, two sides": (
        lambda v: mixtures.normal_mixture_bound(v, 0.05, 100, two_sided=True),
        (12.1907531463415, 30.35208990376253, 102.51228683166386),
    ),
    "gamma-exponential": (
        lambda v: mixtures.gamma_exponential_mixture_bound(v, 0.025, 100, 1),
        (14.676092301588142, 33.48836953070986, 106.83501307795495),
    ),
    "stitched": (
        lambda v: float(mixtures.poly_stitching_bound(v, 0.05, 1, c=1, s=1.4, eta=2)),
        (20.982646121366667, 47.26082566520108, 133.52458119106967),
    ),
    "beta-binomial": (
        lambda v: mixtures.beta_binomial_mixture_bound(v, 0.05, 100, 0.5, 0.5),
        (11.342976728365102, 27.610869139675742, 94.48037641624296),
    ),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_boundaries_agree_with_confseq(name):
    bound, expected = BOUNDS[name]
    assert [bound(v) for v in VARIANCES] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("ones", "n", "expected"),
    [
        (55, 100, (0.398805810270801, 0.6958600073256549)),
        (590, 1000, (0.5388636081036429, 0.6400464944360191)),
    ],
)
def test_a_watched_rate_agrees_with_confseq(ones, n, expected):
    found = sequences.beta_binomial([1] * ones + [0] * (n - ones), alpha=0.05, design=100)
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("d", "expected"),
    [
        (tern(), (0.4640091320789548, 0.5599908679210452)),
        (rougey(), (0.39296854296595374, 0.6075902289072961)),
    ],
)
def test_the_normal_mixture_agrees_with_confseq(d, expected):
    found = sequences.normal_mixture((d + 1) / 2, alpha=0.05, bounds=(0, 1), design=d.size)
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("d", "expected"),
    [
        (tern(), (0.49541052293734367, 0.528820817338346)),
        (rougey(), (0.4625643780430474, 0.5379580768249119)),
    ],
)
def test_predictable_weights_agree_with_confseq_around_its_plain_means(d, expected):
    # confseq centres at the plain mean of the past, which is 0 before the first score.
    def limit(x):
        plain = np.append(0, np.cumsum(x)[:-1] / np.arange(1, x.size))
        return plug_in.lower_limit(x, plain, plug_in.sequence_weights(x, 0.025), 0.025)

    x = (d + 1) / 2
    assert (limit(x), 1 - limit(1 - x)) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("d", "expected"),
    [
        (tern(), (0.4961218500471738, 0.5279358320294276)),
        (rougey(), (0.46275050271767715, 0.5377681697413073)),
    ],
)
def test_predictable_weights_for_one_look_agree_with_confseq(d, expected):
    # Its centres again: the plain mean of the past, which is 0 before the first score.
    def limit(x):
        plain = np.append(0, np.cumsum(x)[:-1] / np.arange(1, x.size))
        return plug_in.lower_limit(x, plain, plug_in.fixed_weights(x, 0.025), 0.025)

    x = (d + 1) / 2
    assert (limit(x), 1 - limit(1 - x)) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("d", "expected"),
    [
        (tern(), (0.4690530591652564, 0.5549469408346737)),
        (rougey(), (0.40424710680463266, 0.5963116650686171)),
    ],
)
def test_hoeffding_is_confseqs_predictable_hoeffding_for_one_look(d, expected):
    found = means.hoeffding((d + 1) / 2, level=0.95, bounds=(0, 1))

    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("d", "expected"), [(tern(), -0.0026669390996330034), (rougey(), -0.029564768893512228)]
)
def test_betting_agrees_with_another_implementation(d, expected):
    found = sequences.betting(d, alpha=0.05, side="lower", bounds=(-1, 1))
    assert found.lower == pytest.approx(expected, abs=1e-9)


# Jennison & Turnbull (2000), Tables 2.1 and 2.3: two-sided, alpha = 0.05, equal information.
POCOCK = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555, 20: 2.672}
OBRIEN_FLEMING = {2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 10: 2.087, 20: 2.126}


@pytest.mark.parametrize("k", POCOCK)
def test_published_constants_of_planned_looks(k):
    looks = range(10, 10 * k + 1, 10)
    pocock = sequences.critical_values(looks, kind="pocock", alpha=0.05)
    fleming = sequences.critical_values(looks, kind="obrien_fleming", alpha=0.05)

    assert pocock == pytest.approx([POCOCK[k]] * k, abs=6e-4)
    expected = [OBRIEN_FLEMING[k] * math.sqrt(k / i) for i in range(1, k + 1)]
    assert fleming == pytest.approx(expected, rel=3e-4)


# README of SeqBounds.jl 0.1: one-sided, four equal looks, O'Brien-Fleming spending, alpha = 0.05.
# By sums on a grid, which it says are better where the grid is finer.
def test_published_values_of_a_spending_function():
    found = sequences.critical_values(
        [1, 2, 3, 4], kind="lan_demets_obrien_fleming", alpha=0.05, side="lower"
    )
    assert found == pytest.approx((3.74955, 2.53993, 2.01604, 1.72014), abs=5e-5)


def test_ten_looks_on_one_side():
    last = sequences.critical_values(range(1, 11), alpha=0.05, side="lower")[-1]
    assert last == pytest.approx(1.8012107, abs=1e-7)  # 1.802 by simulation


EACH = [(kind, two) for kind in typing.get_args(group_sequential.Kind) for two in (True, False)]


@pytest.mark.parametrize(("kind", "two_sided"), EACH)
def test_two_looks_agree_with_the_bivariate_normal_law(kind, two_sided):
    t = (0.3, 1.0)
    c = np.array(group_sequential.critical_values(t, 0.05, kind, two_sided=two_sided))
    inside = multivariate_normal.cdf(
        c,
        mean=np.zeros(2),
        cov=[[1, math.sqrt(0.3)], [math.sqrt(0.3), 1]],
        lower_limit=-c if two_sided else None,
        abseps=1e-12,
    )
    assert 1 - inside == pytest.approx(0.05, abs=1e-10)


@pytest.mark.parametrize(("kind", "two_sided"), EACH)
def test_three_looks_agree_with_a_double_integral(kind, two_sided):
    # The last look in closed form, over the two before by adaptive quadrature.
    t, alpha = np.array([0.2, 0.7, 1.0]), 0.05
    c = np.array(group_sequential.critical_values(tuple(t), alpha, kind, two_sided=two_sided))
    edge = c * np.sqrt(t)
    low = -edge if two_sided else np.full(3, -12.0)

    def density(y, x):
        stays = ndtr((edge[2] - y) / math.sqrt(0.3))
        stays -= ndtr((-edge[2] - y) / math.sqrt(0.3)) if two_sided else 0
        z = x * x / 0.2 + (y - x) ** 2 / 0.5
        return math.exp(-z / 2) / (2 * math.pi * math.sqrt(0.2 * 0.5)) * stays

    first = (max(low[0], -5), min(edge[0], 5))
    inside, _ = dblquad(density, *first, low[1], edge[1], epsabs=1e-11, epsrel=1e-11)
    assert 1 - inside == pytest.approx(alpha, abs=2e-9)


def test_looks_are_crossed_as_often_as_simulated():
    rng, t = np.random.default_rng(5), np.array([0.1, 0.35, 0.4, 0.8, 1.0])
    steps = rng.normal(size=(400_000, 5)) * np.sqrt(np.diff(t, prepend=0))
    z = np.cumsum(steps, axis=1) / np.sqrt(t)
    c = np.array([2.0, 2.5, 1.8, 2.2, 1.9])
    crossed = z >= c
    first = np.where(crossed.any(axis=1), crossed.argmax(axis=1), -1)
    exact = group_sequential.first_crossings(t, c, two_sided=False)

    for k in range(5):
        error = math.sqrt(exact[k] / 400_000)
        assert (first == k).mean() == pytest.approx(exact[k], abs=5 * error)
