"""Whether parts of the risk are right on average, and their standard errors not too small."""

import numpy as np
import pytest

from nofluke.kernels import risk_parts as kernel
from nofluke.selection import noise_bias_variance

REPEATS = 400
D, U, R, N = 8, 3, 2, 30
SETS, SEEDS, BOTH, NOISE = 0.5, 0.2, 0.3, 0.4  # variances
BIAS = 0.7  # standard deviation of the bias over rows


def drawn(rng, *, shared):
    """Predictions whose errors depend on the row as well: effects times a loading of the row."""
    load = rng.uniform(0.5, 1.5, size=N)
    bias = BIAS * rng.normal(size=N)
    sets = np.sqrt(SETS) * rng.normal(size=(D, 1, 1)) * load
    seeds = np.sqrt(SEEDS) * rng.normal(size=(1 if shared else D, U, 1)) * load
    rest = np.sqrt(BOTH) * rng.normal(size=(D, U, N))
    y = np.sqrt(NOISE) * rng.normal(size=(R, N))
    return bias + sets + seeds + rest, y


@pytest.mark.parametrize("shared", [False, True])
def test_parts_are_right_on_average_and_errors_not_too_small(shared):
    square = 1 + 1 / 12  # E load^2
    want = {
        "noise": NOISE,
        "bias^2": BIAS**2,
        "variance": (SETS + SEEDS) * square + BOTH,
        "training sets": SETS * square,
        "seeds": SEEDS * square + BOTH,
    }
    want["risk"] = NOISE + BIAS**2 + want["variance"]
    rng = np.random.default_rng(0)
    studies = [
        noise_bias_variance(*drawn(rng, shared=shared), shared_seeds=shared) for _ in range(REPEATS)
    ]
    for name, truth in want.items():
        estimates = np.array([s[name].estimate for s in studies])
        spread = estimates.std(ddof=1)
        assert abs(estimates.mean() - truth) < 5 * spread / np.sqrt(REPEATS), name
        claimed = np.mean([s[name].se ** 2 for s in studies])
        assert 0.8 < claimed / spread**2 < 2.5, name


def test_the_wrong_kind_of_seeds_is_seen_in_the_bias():
    """Seeds that are shared and counted as own leave their variance in the bias."""
    rng = np.random.default_rng(1)
    wrong, right = [], []
    for _ in range(REPEATS):
        f, y = drawn(rng, shared=True)
        wrong.append(kernel.parts(f, y, shared=False).bias.mean())
        right.append(kernel.parts(f, y, shared=True).bias.mean())
    difference = np.array(wrong) - np.array(right)
    left = SEEDS * (1 + 1 / 12) / U
    assert abs(difference.mean() - left) < 5 * difference.std() / np.sqrt(REPEATS)
