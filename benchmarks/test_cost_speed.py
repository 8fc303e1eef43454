"""Speed of costs of thresholds at a million rows."""

import numpy as np
import pytest

from nofluke.classify import cost

N = 1_000_000
RNG = np.random.default_rng(1)
P = RNG.random(N)
Y = RNG.random(N) < P


@pytest.mark.parametrize("prices", [(1, 20), (1 / 21, 20 / 21)], ids=["whole", "fractions"])
def test_the_cheapest_of_a_million_cut_offs(benchmark, prices):
    found = benchmark(lambda: cost.threshold(Y, P, c_fp=prices[0], c_fn=prices[1]))

    assert found.thresholds[0] < 0.1


def test_a_decision_curve(benchmark):
    assert benchmark(lambda: cost.decision_curve(Y, P)).at.size == 99


@pytest.mark.parametrize("metric", ["recall", "fpr", "precision"])
def test_a_guaranteed_threshold(benchmark, metric):
    found = benchmark(lambda: cost.guaranteed_threshold(Y, P, **{metric: 0.9}))

    assert found.threshold is not None


def test_a_total(benchmark):
    assert benchmark(lambda: cost.total(40, 20, 10, 930, c_fp=1, c_fn=20)).estimate == 220
