"""Power and mean number of items of hedged STaR, one-sided at .05, looked at after every item.

Expected values are those of an independent simulation of at least 500 streams, so the tolerances
are four standard errors of both.
"""

import math

import numpy as np
import pytest

from nofluke.kernels import betting

N, STREAMS, THEIR_STREAMS, ALPHA = 3000, 500, 500, 0.05


def rouge(u, rng):
    """Three humps with mean .032."""
    low = np.clip(rng.normal(0, 0.04, u.shape), -0.1, 0.1)
    gains = rng.uniform(0.2, 0.5, u.shape)
    losses = -rng.uniform(0.15, 0.75, u.shape)
    return np.where(u < 0.22, gains, np.where(u > 0.9, losses, low))


def sparse10(u, _):
    return (u < 0.06).astype(float) - (u > 0.96)


def acc30(u, _):
    return (u < 0.16).astype(float) - (u > 0.86)


def rougetight(u, rng):
    return np.clip(rng.normal(0.01, 0.06, u.shape), -0.29, 0.31)


def likert(u, _):
    steps = np.array([-0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75])
    return steps[np.searchsorted(np.cumsum([0.01, 0.04, 0.17, 0.52, 0.19, 0.055]), u)]


# shape, weight, power, mean items used (undecided streams count with all 3,000)
EXPECTED = [
    (rouge, 0.5, 1.0, 505),
    (rouge, 0.8, 1.0, 624),
    (sparse10, 0.5, 0.920, 1669),
    (sparse10, 0.8, 0.939, 1739),
    (rougetight, 0.5, 1.0, 791),
    (rougetight, 0.8, 1.0, 947),
    (acc30, 0.5, 0.547, 2400),
    (acc30, 0.8, 0.599, 2401),
    (likert, 0.5, 0.949, 1546),
    (likert, 0.8, 0.968, 1630),
]


@pytest.mark.parametrize(
    ("shape", "weight", "power", "items"),
    EXPECTED,
    ids=[f"{s.__name__}-{w}" for s, w, _, _ in EXPECTED],
)
def test_power_and_items_are_those_of_an_independent_simulation(shape, weight, power, items):
    rng = np.random.default_rng(20)
    plan = betting.Plan(alpha=ALPHA, planned=N, kind="hedged", weight=weight)
    ones = np.ones(N)

    hits = [
        betting.first_passage((shape(rng.random(N), rng) + 1) / 2, ones, 0.5, plan)
        for _ in range(STREAMS)
    ]

    used = np.array([N if hit is None else hit for hit in hits])
    found = np.mean([hit is not None for hit in hits])
    noise = math.sqrt(1 / STREAMS + 1 / THEIR_STREAMS)
    spread = math.sqrt(max(power * (1 - power), 1 / STREAMS))
    assert found == pytest.approx(power, abs=4 * noise * spread)
    assert used.mean() == pytest.approx(items, abs=4 * noise * used.std())
