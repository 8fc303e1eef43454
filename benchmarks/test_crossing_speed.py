"""Speed of exact crossing probabilities and of the levels solved from them, compiled and warm."""

from itertools import count

import numpy as np
import pytest
from scipy.stats import ksone, kstwo

from nofluke.kernels import levels
from nofluke.kernels.crossing import crossing_probability, smirnov_tail

# n, side, local level near that of a 95 % band
LOCAL = [(2_000, "both", 9e-4), (10_000, "both", 7e-4), (100_000, "both", 5e-4)]
LOCAL += [(10_000, "lower", 8e-4), (100_000, "lower", 6e-4), (10_000, "both", 1e-12)]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    monkeypatch.setenv("NOFLUKE_CACHE", "")
    crossing_probability([0.1])  # the compiler has been waited for


@pytest.mark.parametrize(("n", "side", "local"), LOCAL)
def test_a_crossing_probability_of_equal_local_levels(benchmark, n, side, local):
    b = levels.boundary("berk_jones", n, local, side)
    gap = b[::-1] if side == "both" else None

    assert 0 < benchmark(crossing_probability, b, gap=gap) < 0.1


@pytest.mark.parametrize("family", ["berk_jones", "owen", "kolmogorov"])
@pytest.mark.parametrize("n", [200, 2_000, 10_000])
def test_a_first_critical_level(benchmark, family, n):
    fresh = (0.05 + 1e-6 * i for i in count())  # a new alpha each time: nothing is remembered

    benchmark(lambda: levels.critical_level(family, n, next(fresh)))


def test_a_first_critical_level_on_one_side(benchmark):
    fresh = (0.05 + 1e-6 * i for i in count())

    benchmark(lambda: levels.critical_level("berk_jones", 2_000, next(fresh), "lower", 1_400))


@pytest.mark.parametrize("n", [100, 10_000])
def test_two_sided_kolmogorov_here(benchmark, n):
    eps = 1.36 / np.sqrt(n)
    b = levels.boundary("kolmogorov", n, eps)

    benchmark(crossing_probability, b, gap=b[::-1])


@pytest.mark.parametrize("n", [100, 10_000])
def test_two_sided_kolmogorov_in_scipy(benchmark, n):
    """Exact in scipy up to n = 140, approximate above."""
    benchmark(kstwo.sf, 1.36 / np.sqrt(n), n)


@pytest.mark.parametrize("law", ["propagation", "closed form", "scipy"])
def test_one_sided_kolmogorov_at_10000_draws(benchmark, law):
    n, eps = 10_000, 0.0122
    b = levels.boundary("kolmogorov", n, eps, "lower")
    ways = {
        "propagation": lambda: crossing_probability(b),
        "closed form": lambda: smirnov_tail(n, eps),
        "scipy": lambda: ksone.sf(eps, n),
    }

    assert benchmark(ways[law]) == pytest.approx(smirnov_tail(n, eps), rel=1e-9)
