"""How often quantiles that are watched are ever missed: exactly, and by simulation with ties."""

import math

import numpy as np
import pytest

from nofluke import sequences
from nofluke.kernels import quantile_sequences as kernel

US = (0.05, 0.5, 0.9)


def crossing(u, n, alpha, *, side="both", design=25):
    """P(S leaves the range at some t <= n), below and above, by the chain of S itself."""
    none = np.zeros(n, dtype=np.int64)
    mixture = kernel.tuned(u, design, two_sided=side == "both")
    low = none if side == "upper" else kernel.least_counts(mixture, n, alpha)
    high = none if side == "lower" else kernel.least_counts(mixture.reflected, n, alpha)
    alive, below, above = np.zeros(n + 2), 0.0, 0.0
    alive[0] = 1.0
    for t in range(1, n + 1):
        moved = (1 - u) * alive
        moved[1:] += u * alive[:-1]
        least, most = low[t - 1], t - high[t - 1]
        below += moved[:least].sum()
        above += moved[most + 1 :].sum()
        moved[:least] = moved[most + 1 :] = 0.0
        alive = moved
    return below, above


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
@pytest.mark.parametrize("alpha", [0.2, 0.1, 0.01])
@pytest.mark.parametrize("u", [0.01, 0.05, 0.25, 0.5, 0.9, 0.99])
def test_the_exact_probability_of_ever_leaving_is_within_alpha(u, alpha, side):
    for design in (5, 25, 200):
        assert sum(crossing(u, 200, alpha, side=side, design=design)) <= alpha


def test_how_much_of_alpha_is_used_until_2000_runs():
    # More than half of it at the middle; what is left is for later runs.
    for u, least in ((0.05, 0.5), (0.5, 0.5), (0.9, 0.5)):
        below, above = crossing(u, 2000, 0.1)
        assert least * 0.1 < below + above <= 0.1


def test_alpha_falls_to_the_limits_about_as_said():
    for u in US:
        said = sequences.quantile([0.0], u, alpha=0.1).miss
        below, above = crossing(u, 4000, 0.1)
        assert (below, above) == pytest.approx(said, abs=0.03)
        assert below <= said[0] + 1e-3
        assert above <= said[1] + 1e-3


def laws(u):
    """Draws of several laws, and the quantile of each."""
    cuts = np.array([0.02, 0.05, 0.3, 0.5, 0.6, 0.9, 0.97])
    return {
        "normal": (lambda rng, shape: rng.random(shape), u),
        # xi = the first value with F >= u: jumps exactly at u, and jumps across u.
        "ties": (
            lambda rng, shape: np.searchsorted(cuts, rng.random(shape)).astype(float),
            float(np.searchsorted(cuts, u)),
        ),
        "two values": (lambda rng, shape: (rng.random(shape) > u / 2).astype(float), 1.0),
        "one value": (lambda rng, shape: np.full(shape, 3.0), 3.0),
    }


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
@pytest.mark.parametrize("law", ["normal", "ties", "two values", "one value"])
@pytest.mark.parametrize("u", US)
def test_the_share_of_paths_that_ever_miss_is_within_alpha(u, law, side):
    draw, xi = laws(u)[law]
    alpha, n, paths = 0.1, 2000, 1500
    mixture = kernel.tuned(u, 25, two_sided=side == "both")
    none = np.zeros(n, dtype=np.int64)
    low = none if side == "upper" else kernel.least_counts(mixture, n, alpha)
    high = none if side == "lower" else kernel.least_counts(mixture.reflected, n, alpha)
    x = draw(np.random.default_rng(41), (paths, n))
    # X_(lo) > xi where fewer than lo runs are at most xi; X_(t+1-hi) < xi where more are below it.
    at_most, under = (x <= xi).cumsum(axis=1), (x < xi).cumsum(axis=1)
    missed = ((at_most < low) | (under >= np.arange(1, n + 1) + 1 - high)).any(axis=1)

    assert missed.mean() <= alpha + 5 * math.sqrt(alpha * (1 - alpha) / paths)
    if law == "normal" and side == "both":
        assert missed.mean() > 0.02  # the bound is no empty promise


def test_paths_miss_as_their_counts_say():
    rng = np.random.default_rng(8)
    missed = 0
    for _ in range(200):
        path = sequences.quantile_path(rng.random(300), 0.5, level=0.9, running=True)
        missed += bool((path.lower > 0.5).any() or (path.upper < 0.5).any())
    assert missed / 200 <= 0.1 + 5 * math.sqrt(0.1 * 0.9 / 200)
