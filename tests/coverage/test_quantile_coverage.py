"""Misses of intervals for a quantile in seeded simulation, against the true quantile.

Tolerances are 5 standard errors of a binomial count, so that a failure is a bug and not luck.
"""

import math

import numpy as np
import pytest
from scipy import stats

from nofluke import quantiles

SAMPLES = 40_000
LAWS = {
    "normal": stats.norm(0.9, 0.02),
    "left skew": stats.beta(20, 2),
    "right skew": stats.beta(2, 20),
    "uniform": stats.uniform(),
}
CELLS = [(10, 0.05), (10, 0.25), (10, 0.5), (15, 0.75), (25, 0.1), (25, 0.5), (50, 0.95)]


def drawn(law, n, seed):
    return law.rvs((SAMPLES, n), random_state=np.random.default_rng(seed))


def covered(answer, truth):
    return float(np.mean((answer.lower <= truth) & (truth <= answer.upper)))


def error(share):
    return 5 * math.sqrt(share * (1 - share) / SAMPLES)


@pytest.mark.parametrize("name", LAWS)
def test_exact_ranks_cover_as_they_say_whatever_the_distribution(name):
    law = LAWS[name]
    for i, (n, u) in enumerate(CELLS):
        x, truth = drawn(law, n, 100 + i), law.ppf(u)
        for how in ({"tails": "equal"}, {"tails": "short"}, {"side": "lower"}, {"side": "upper"}):
            answer = quantiles.exact(x, u, level=0.9, **how)
            assert answer.coverage >= 0.9 or answer.status == "none"
            assert covered(answer, truth) == pytest.approx(
                answer.coverage, abs=error(answer.coverage) + 1e-12
            )


@pytest.mark.parametrize("method", ["hutson", "nyblom", "semiparametric_bootstrap", "bootstrap"])
def test_coverage_under_a_uniform_density_is_as_it_is_told(method):
    law = LAWS["uniform"]
    for i, (n, u) in enumerate(CELLS):
        answer = quantiles.METHODS[method].call(drawn(law, n, 200 + i), u, level=0.9)
        assert covered(answer, u) == pytest.approx(answer.coverage, abs=error(answer.coverage))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_auto_is_close_to_its_level_from_above(name, level):
    """At worst 0.002 below it for smooth distributions, and always within its band."""
    law = LAWS[name]
    for i, (n, u) in enumerate(CELLS):
        answer = quantiles.interval(drawn(law, n, 300 + i), u, level=level)
        found = covered(answer, law.ppf(u))
        assert found >= level - 0.002 - error(level), (n, u)
        low, high = answer.coverage_band
        assert low - error(low) <= found <= high + error(high)


def counted(n, m, seed):
    """Accuracies on m examples whose success rate varies from run to run."""
    rng = np.random.default_rng(seed)
    rates = np.clip(rng.normal(0.9, 0.02, (SAMPLES, n)), 0, 1)
    return rng.binomial(m, rates) / m


def true_quantile(m, u):
    rates, step = np.linspace(0.75, 0.9999, 2001, retstep=True)
    weights = stats.norm(0.9, 0.02).pdf(rates) * step
    chances = stats.binom(m, rates[:, None]).cdf(np.arange(m + 1)).T @ weights
    chances /= weights.sum()
    at = int(np.argmax(chances >= u))
    # The simulated law clips and this one does not: far from a step that does not matter.
    assert min(abs(chances[at] - u), abs(chances[max(at - 1, 0)] - u)) > 1e-3
    return at / m


@pytest.mark.parametrize("m", [20, 100])
@pytest.mark.parametrize(("n", "u"), [(10, 0.5), (25, 0.25), (25, 0.9)])
def test_metrics_that_count_are_covered_by_closed_intervals(m, n, u):
    x, truth = counted(n, m, 17 * m + n), true_quantile(m, u)
    sure = quantiles.interval(x, u, level=0.9, guaranteed=True, bounds=(0, 1))
    auto = quantiles.interval(x, u, level=0.9, bounds=(0, 1))

    assert covered(sure, truth) >= sure.coverage - error(sure.coverage)
    assert covered(auto, truth) >= 0.9 - error(0.9)
    if m == 20 and u < 0.9:  # a half-open interval would not do
        assert float(np.mean((sure.lower < truth) & (truth <= sure.upper))) < 0.9
