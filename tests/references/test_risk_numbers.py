"""Parts of the risk of estimators whose mean and variance have closed forms."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from nofluke.selection import simulate_risk_parts

NOISE = 0.3
N, P = 40, 4
RNG = np.random.default_rng(7)
DESIGN = RNG.normal(size=(N, P))
TESTED = RNG.normal(size=(60, P))
BETA = np.array([1.0, -0.5, 0.25, 2.0])


def fixed(rng, n):
    """A fixed design: only the errors differ from one training set to another."""
    del rng
    return DESIGN if n == N else TESTED


def studied(model, truth, **how):
    asked = {"n_train": N, "n_test": 60, "n_sets": 60, "seed": 1}
    return simulate_risk_parts(model, truth=truth, draw=fixed, noise=NOISE, **asked | how)


def assert_within(part, want, errors=5.0):
    assert part.se > 0
    assert abs(part.estimate - want) < errors * part.se_runs


@pytest.mark.parametrize("penalty", [0.0, 5.0, 40.0])
def test_ridge_regression_on_a_fixed_design(penalty):
    """f(x) = x' (X'X + p I)^-1 X'y: Hoerl & Kennard 1970."""
    found = studied(Ridge(alpha=penalty, fit_intercept=False), lambda X: X @ BETA)

    hat = TESTED @ np.linalg.solve(DESIGN.T @ DESIGN + penalty * np.eye(P), DESIGN.T)
    bias = ((hat @ DESIGN @ BETA - TESTED @ BETA) ** 2).mean()
    variance = NOISE * (hat**2).sum(axis=1).mean()
    assert found["noise"].estimate == pytest.approx(NOISE)
    assert_within(found["bias^2"], bias)
    assert_within(found["variance"], variance)
    assert_within(found["risk"], NOISE + bias + variance)
    if penalty == 0:  # least squares has no bias, and its naive one is variance / sets
        assert found["bias^2"].naive == pytest.approx(variance / 60, rel=0.8)
        assert abs(found["bias^2"].estimate) < found["bias^2"].naive


@pytest.mark.parametrize("k", [1, 4, 15])
def test_nearest_neighbours_on_a_fixed_design(k):
    """Variance of the noise over k, bias of a mean of k values of the function: ESL (7.10)."""

    def truth(X):
        return np.sin(2 * X[:, 0]) + X[:, 1]

    found = studied(KNeighborsRegressor(k), truth)

    near = ((TESTED[:, None] - DESIGN) ** 2).sum(axis=2).argsort(axis=1)[:, :k]
    bias = ((truth(DESIGN)[near].mean(axis=1) - truth(TESTED)) ** 2).mean()
    assert_within(found["bias^2"], bias)
    assert_within(found["variance"], NOISE / k)
