"""Coverage where rows depend on each other: by cluster it holds, row by row it does not."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from nofluke import Scores, bands, certify
from nofluke.scores.assembly import Rows

K, G, SIZE, DELTA, REPEATS = 5, 30, 20, 0.1, 300
CODES = np.tile(np.repeat(np.arange(G, dtype=np.int32), SIZE), K)
CLUSTERS = tuple(f"c{g:02d}" for g in range(G))
EXAMPLES = tuple(f"{c}/{i:02d}" for c in CLUSTERS for i in range(SIZE))


def dependent(rng):
    """K standard normal candidates; within a cluster scores correlate at .9."""
    level = rng.normal(size=(K, G)).repeat(SIZE, axis=1)
    x = math.sqrt(0.9) * level + math.sqrt(0.1) * rng.normal(size=(K, G * SIZE))
    return Scores.from_rows(
        Rows(
            values=x.ravel(),
            starts=np.arange(K + 1, dtype=np.int64) * G * SIZE,
            where=None,
            cluster=CODES,
        ),
        candidates=tuple("abcde"),
        examples=EXAMPLES,
        better="lower",
        label_names={"cluster": CLUSTERS},
        digest="-",
    )


def false_coverage(**how):
    rng = np.random.default_rng(2604)
    wrong = []
    for _ in range(REPEATS):
        answer = certify(dependent(rng), "top:2", delta=DELTA, **how)
        wrong.append(np.mean([not e.region.contains(ndtr) for e in answer.evaluated]))
    return np.mean(wrong), np.std(wrong) / math.sqrt(REPEATS)


def test_by_cluster_the_false_coverage_rate_is_kept():
    rate, error = false_coverage(unit="cluster", seed=1)
    assert rate <= DELTA + 5 * error


def test_row_by_row_it_is_not_and_says_so():
    rate, _ = false_coverage(dependence="ignore")
    assert rate > 0.5
    answer = certify(dependent(np.random.default_rng(1)), "top:2", dependence="ignore")
    assert answer.guarantee == "heuristic"


def after_a_split(rng):
    return certify(dependent(rng), "top:2", delta=DELTA, unit="cluster", split=0.5, seed=1)


def test_by_cluster_after_a_split():
    rng = np.random.default_rng(2605)
    wrong = [
        np.mean([not e.region.contains(ndtr) for e in after_a_split(rng).evaluated])
        for _ in range(REPEATS)
    ]
    assert np.mean(wrong) <= DELTA + 5 * np.std(wrong) / math.sqrt(REPEATS)


def copies(rng, n, r):
    return np.tile(rng.random(n), (r, 1))


def independent(rng, n, r):
    return rng.random((r, n))


def opposite(rng, n, r):
    u = rng.random(n)
    return np.array([u if j % 2 else 1 - u for j in range(r)])


def runs_of_their_own(rng, n, r):
    """Each run another distribution with the uniform as their average: copies within halves."""
    return (np.arange(r)[:, None] + rng.random(n)) / r


@pytest.mark.parametrize(
    ("draw", "most"),
    [(copies, 0.1), (independent, 0.01), (opposite, 0.1), (runs_of_their_own, 0.1)],
)
@pytest.mark.parametrize("side", ["both", "lower"])
def test_averaged_runs_cover_however_they_depend(draw, most, side):
    rng = np.random.default_rng(2606)
    n, r, repeats = 40, 4, 1500
    wrong = [
        not bands.averaged(draw(rng, n, r).ravel(), runs=r, alpha=0.1, side=side).contains(
            lambda t: np.clip(t, 0, 1)
        )
        for _ in range(repeats)
    ]
    assert np.mean(wrong) <= most + 5 * math.sqrt(most * (1 - most) / repeats)
    counted = [
        not bands.dkw(copies(rng, n, r).ravel(), alpha=0.1, side=side).contains(
            lambda t: np.clip(t, 0, 1)
        )
        for _ in range(200)
    ]
    assert np.mean(counted) > 0.3  # n * r copies counted as draws
