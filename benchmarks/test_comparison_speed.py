"""Whole comparisons in memory; figures, not verdicts.

Means alone are in test_means_speed.py, reading and pairing in test_pairing_speed.py.
"""

import numpy as np
import pytest

import nofluke
from nofluke import Scores


def table(n, *, binary=False):
    rng = np.random.default_rng(n)
    a = rng.random(n)
    b = np.clip(a + rng.normal(0.005, 0.1, n), 0, 1)
    if binary:
        a, b = (x > 0.5 for x in (a, b))
    return Scores.from_arrays(
        {"a": a.astype(float), "b": b.astype(float)}, better="higher", bounds=(0, 1), binary=binary
    )


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("how", ["bounded", "binary", "planned"])
def test_compare(benchmark, n, how):
    scores = table(n, binary=how == "binary")
    planned = n if how == "planned" else None
    nofluke.compare(scores, "a", "b", planned=planned)  # compiled

    answer = benchmark(nofluke.compare, scores, "a", "b", planned=planned)
    assert answer.n_units == n
