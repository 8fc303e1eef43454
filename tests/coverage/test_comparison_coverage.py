"""How often `compare` gives a wrong verdict, in designs where something could go wrong.

Each null has a mean gain exactly at the margin. Rates are over seeded runs; the tolerance is four
standard errors above the level.
"""

import math

import numpy as np
import pytest

import nofluke
from nofluke import Scores

ALPHA, RUNS = 0.1, 120
SLACK = 4 * math.sqrt(ALPHA * (1 - ALPHA) / RUNS)


def table(d, **options):
    a = np.clip(-d, 0, None)
    return Scores.from_arrays({"a": a, "b": a + d}, better="higher", bounds=(0, 1), **options)


def trap(rng, n, mean=0.0, small=0.05):
    """Small gains and rare losses of everything; nearly all samples look good."""
    return np.where(rng.random(n) < (1 + mean) / (1 + small), small, -1.0)


def fair(rng, n, mean=0.0):
    return np.where(rng.random(n) < (1 + mean) / 2, 1.0, -1.0)


def rate(verdict, draw, **asked):
    rng = np.random.default_rng(11)
    wrong = 0
    for run in range(RUNS):
        scores, how = draw(rng)
        answer = nofluke.compare(scores, "a", "b", alpha=ALPHA, seed=run, **{**asked, **how})
        wrong += answer.verdict == verdict
    return wrong / RUNS


@pytest.mark.parametrize("shape", [fair, trap])
@pytest.mark.parametrize("claim", [("better", 0.0), ("not-worse", 0.1)])
def test_pairs(shape, claim):
    alternative, margin = claim
    edge = margin if alternative == "better" else -margin

    def draw(rng):
        return table(shape(rng, 120, edge)), {}

    assert rate("yes", draw, alternative=alternative, margin=margin) <= ALPHA + SLACK


def informative_clusters(rng, *, by_item):
    """Large clusters lose and small ones gain; the mean asked for is exactly nothing."""
    sizes = rng.choice([1, 8], size=60, p=[0.5, 0.5])
    # Means per cluster that cancel over clusters, or over items.
    gain = {1: 0.4, 8: -0.05 if by_item else -0.4}
    flips = np.where(rng.random(60) < 0.5, 1, -1) * 0.5
    means = np.array([gain[s] for s in sizes]) + flips
    d = np.repeat(means, sizes)
    labels = np.repeat(np.arange(60), sizes)
    return table(d, cluster=[str(c) for c in labels])


@pytest.mark.parametrize("by_item", [False, True])
def test_clusters_whose_size_tells_their_gain(by_item):
    how = {"clusters": True, "max_cluster_size": 8 if by_item else None}

    def draw(rng):
        return informative_clusters(rng, by_item=by_item), how

    assert rate("yes", draw) <= ALPHA + SLACK
    assert rate("no", draw) <= ALPHA + SLACK


def test_rows_of_clusters_counted_one_by_one_are_far_too_sure():
    """What NF144 warns of."""

    def draw(rng):
        shared = np.where(rng.random(20) < 0.5, 0.3, -0.3)
        return table(np.repeat(shared, 20)), {}

    assert rate("yes", draw) > 3 * ALPHA


def test_a_mix_of_unequal_groups():
    """Group x gains 0.3 and group y loses 0.1: nothing under a mix of one to three."""

    def draw(rng):
        d = np.concatenate([fair(rng, 80, 0.3), trap(rng, 50, -0.1)])
        groups = {str(i): "x" if i < 80 else "y" for i in range(130)}
        return table(d), {"groups": groups, "mix": {"x": 0.25, "y": 0.75}}

    assert rate("yes", draw) <= ALPHA + SLACK
    assert rate("no", draw) <= ALPHA + SLACK


def test_two_samples_of_unequal_size():
    def draw(rng):
        a = (rng.random(500) < 0.3).astype(float)
        b = np.where(rng.random(70) < 0.3 / 0.31, 0.31, 0.0)
        s = Scores.from_arrays({"a": a, "b": b}, better="higher", bounds=(0, 1))
        return s, {"paired": False}

    assert rate("yes", draw) <= ALPHA + SLACK
    assert rate("no", draw) <= ALPHA + SLACK


def test_a_random_part_of_a_fixed_benchmark():
    rng = np.random.default_rng(3)
    whole = trap(rng, 300, small=0.3)
    whole -= whole.mean()  # its mean is the margin: 0

    def draw(rng):
        part = rng.permutation(whole)[:150]
        return table(np.clip(part, -1, 1)), {"population": 300}

    assert rate("yes", draw) <= ALPHA + SLACK
    assert rate("no", draw) <= ALPHA + SLACK


def test_looks_while_it_runs_never_add_up():
    """All looks of one sequence at once: the evidence is read after every item."""

    def draw(rng):
        return table(trap(rng, 300)), {"planned": 200}

    assert rate("yes", draw) <= ALPHA + SLACK


def test_the_exact_test_of_a_binary_metric():
    def draw(rng):
        d = np.where(rng.random(80) < 0.3, fair(rng, 80), 0)
        a = np.where(d == 0, rng.random(80) < 0.5, d < 0).astype(float)
        s = Scores.from_arrays({"a": a, "b": a + d}, better="higher", binary=True)
        return s, {}

    assert rate("yes", draw) <= ALPHA + SLACK
    assert rate("no", draw) <= ALPHA + SLACK


def test_any_yes_among_groups():
    def draw(rng):
        d = np.concatenate([fair(rng, 40) for _ in range(3)])
        return table(d), {"groups": {str(i): str(i // 40) for i in range(120)}}

    rng = np.random.default_rng(12)
    wrong = 0
    for run in range(RUNS):
        scores, how = draw(rng)
        rows = nofluke.compare(scores, "a", "b", alpha=ALPHA, seed=run, **how).subgroups
        wrong += any(row["verdict"] == "yes" for row in rows)
    assert wrong / RUNS <= ALPHA + SLACK
