"""Binomial probabilities in Loader's form against many digits."""

import mpmath
import numpy as np
import pytest

from nofluke.kernels.saddlepoint import log_binomial, log_choose, stirling_error


@pytest.mark.parametrize("n", [1, 2, 20, 1000, 100_000])
@pytest.mark.parametrize("x", [1e-300, 1e-5, 0.3, 0.999, 1 - 1e-12])
def test_log_binomial_probabilities(n, x):
    i = np.array(sorted({1, n // 3, n // 2, n - 1, n} - {0}), dtype=float)
    with mpmath.workdps(40):
        exact = [
            float(
                mpmath.log(mpmath.binomial(n, int(k)))
                + k * mpmath.log(x)
                + (n - k) * mpmath.log(1 - mpmath.mpf(x))
            )
            for k in i
        ]

    assert log_binomial(i, n, np.full(i.size, x)) == pytest.approx(exact, rel=1e-12, abs=1e-15 * n)


def test_certain_and_impossible_counts():
    assert log_binomial(np.array([5.0]), 5, np.array([1.0])) == 0
    assert log_choose(4, np.arange(1.0, 5)) == pytest.approx(np.log([4, 6, 4, 1]), abs=1e-14)


def test_stirlings_error():
    k = np.array([1.0, 2.0, 15.0, 16.0, 17.0, 1e6])
    with mpmath.workdps(50):
        exact = [
            float(
                mpmath.loggamma(j + 1)
                - (j + mpmath.mpf(0.5)) * mpmath.log(j)
                + j
                - mpmath.log(2 * mpmath.pi) / 2
            )
            for j in map(int, k)
        ]

    assert stirling_error(k) == pytest.approx(exact, rel=1e-12, abs=2e-15)
