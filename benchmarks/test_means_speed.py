"""Speed of intervals and tests for a bounded mean, compiled and warm."""

import os
import subprocess
import sys

import numpy as np
import pytest

from nofluke import means
from nofluke.kernels import betting

N = 10_000
RNG = np.random.default_rng(7)
SHAPES = {
    "differences of a smooth metric": np.clip(RNG.normal(0.01, 0.1, N), -1, 1),
    "differences of right and wrong": (RNG.random(N) < 0.06) * 1.0 - (RNG.random(N) > 0.96),
    "fair coin": 2.0 * (RNG.random(N) < 0.5) - 1,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", list(means.METHODS))
def test_a_two_sided_interval_at_10000_items(benchmark, method, shape):
    call = means.METHODS[method].call
    found = call(SHAPES[shape], level=0.95, bounds=(-1, 1))  # the compiler has been waited for

    assert benchmark(call, SHAPES[shape], level=0.95, bounds=(-1, 1)) == found


@pytest.mark.parametrize("kind", ["star", "hedged", "fixed", "sequence"])
def test_one_hypothesis_at_10000_items(benchmark, kind):
    x, c = (SHAPES["fair coin"] + 1) / 2, np.ones(N)
    plan = betting.Plan(0.05, N, kind)
    betting.first_passage(x, c, 0.51, plan)

    assert benchmark(betting.first_passage, x, c, 0.51, plan) is None


@pytest.mark.parametrize("method", ["betting", "star", "hedged_star"])
def test_a_part_of_a_benchmark(benchmark, method):
    call, x = means.METHODS[method].call, SHAPES["differences of right and wrong"][:2000]

    benchmark(call, x, level=0.95, bounds=(-1, 1), population=N)


@pytest.mark.parametrize("place", ["empty", "kept"])
def test_a_first_call_in_a_new_process(benchmark, tmp_path, place):
    """With an empty cache of compiled code, and with what an earlier process kept."""
    how = "means.hedged_star([0.1, 0.4, 0.3], level=0.95, bounds=(0, 1))"
    command = [sys.executable, "-c", f"from nofluke import means; {how}"]

    def run(cache):
        subprocess.run(command, check=True, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)})

    if place == "kept":
        run(tmp_path)
    fresh = iter(range(10_000))
    benchmark.pedantic(
        lambda: run(tmp_path if place == "kept" else tmp_path / str(next(fresh))), rounds=2
    )
