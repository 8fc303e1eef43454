"""Speed of calibration at 100000 rows; the first call of each compiles nothing here."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from nofluke.classify import calibration

N = 100_000
RNG = np.random.default_rng(1)
P = RNG.random(N)
Y = RNG.random(N) < P
TIED = (0.01 + 0.98 * P).round(2)


@pytest.mark.parametrize("p", [P, TIED], ids=["distinct", "tied"])
@pytest.mark.parametrize("score", ["brier", "log"])
def test_corp_without_bands(benchmark, p, score):
    calibration.corp(Y[:10], P[:10])

    found = benchmark(lambda: calibration.corp(Y, p, score=score, n_resamples=0))

    assert found.miscalibration < 0.01


@pytest.mark.parametrize("n", [1000, N])
def test_corp_with_bands_and_test(benchmark, n):
    calibration.corp(Y[:10], P[:10])

    found = benchmark.pedantic(lambda: calibration.corp(Y[:n], P[:n]), rounds=1)

    assert found.test.pvalue > 0


def test_isotonic_regression_in_scikit_learn(benchmark):
    benchmark(lambda: IsotonicRegression().fit(P, Y))


@pytest.mark.parametrize("p", [P, TIED], ids=["distinct", "tied"])
def test_calibration_error_and_its_spread(benchmark, p):
    assert benchmark(lambda: calibration.ece(Y, p)).value < 0.05


def test_smooth_error(benchmark):
    assert benchmark(lambda: calibration.smooth_ece(Y, P)).value < 0.05


def test_line(benchmark):
    assert benchmark(lambda: calibration.cox(Y, P)).slope.estimate > 0.9
