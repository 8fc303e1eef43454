"""Seconds of a plan: exact sizes, and one found by simulation from a pilot."""

import numpy as np
import pytest

from nofluke import plan


@pytest.mark.parametrize(("win", "loss"), [(0.06, 0.04), (0.05, 0.048)])
def test_exact_mcnemar_size(benchmark, win, loss):
    assert benchmark(plan.sample_size, p_win=win, p_loss=loss).reached >= 0.8


@pytest.mark.parametrize("method", ["star", "hedged_star"])
def test_simulated_size(benchmark, method):
    u = np.random.default_rng(0).random(300)
    pilot = (u < 0.06).astype(float) - (u > 0.96)
    plan.sample_size(0.3, pilot=pilot, bounds=(0, 1), method=method, n_streams=100)  # compiled

    answer = benchmark.pedantic(
        plan.sample_size, (0.02,), {"pilot": pilot, "bounds": (0, 1), "method": method}, rounds=3
    )
    assert answer.reached >= 0.8
