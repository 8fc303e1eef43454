"""How often intervals of the best and of the mean hold where scored rows come in clusters."""

import math

import numpy as np
import pytest

from nofluke import Predictions, Scores
from nofluke.kernels import cluster_means, student
from nofluke.questions.champion_entries import entries
from nofluke.questions.champion_intervals import intervals
from nofluke.questions.champion_rows import Asked


def sizes_of(kind, G, rng):
    if kind == "equal":
        return np.full(G, 4)
    return np.maximum(1, np.round(rng.lognormal(1.0, 1.0, G))).astype(int)


def rows_of(G, kind, *, rho, icc, rng, m):
    """Normal scores of m equal candidates on rows of G clusters, true mean 0."""
    names = np.arange(G).repeat(sizes_of(kind, G, rng))

    def drawn():
        own = rng.normal(size=names.size)
        return math.sqrt(icc) * rng.normal(size=G)[names] + math.sqrt(1 - icc) * own

    base = drawn()
    x = [math.sqrt(rho) * base + math.sqrt(1 - rho) * drawn() for _ in range(m)]
    return np.array(x), names


def lines_of(table, level=0.95):
    """The lines of a card, without the simulated luck of equals that takes most of its time."""
    given = entries(table, better=None, metric=None)
    asked = Asked(planned="mean", level=level, tried=given.m, sizes=None, decimals=None, seed=0)
    return {line["what"]: line for line in intervals(given, asked).rows}


def missed(row, truth):
    return not row["lower"] <= truth <= row["upper"]


def within(misses, repeats, alpha):
    """Five standard errors of a binomial number above what the level allows."""
    return misses <= alpha * repeats + 5 * math.sqrt(repeats * alpha * (1 - alpha))


@pytest.mark.parametrize(("kind", "icc"), [("equal", 0.0), ("equal", 0.7), ("uneven", 0.7)])
def test_degrees_of_freedom_make_t_hold(kind, icc):
    """One mean by clusters, 12 of them, at 95 %."""
    rng = np.random.default_rng(20260201)
    repeats, misses = 2000, 0
    for _ in range(repeats):
        x, names = rows_of(12, kind, rho=0, icc=icc, rng=rng, m=1)
        se = math.sqrt(cluster_means.covariance(cluster_means.left_out(x, names))[0, 0])
        df = cluster_means.degrees_of_freedom(np.bincount(names))
        low, high = student.limits(float(x.mean()), se, df, 0.05, "both")
        misses += not low <= 0 <= high
    assert within(misses, repeats, 0.05)


def test_clusters_less_one_would_not():
    """The same with clusters - 1 and the usual error: too many misses where sizes differ."""
    rng = np.random.default_rng(20260202)
    repeats, misses = 2000, 0
    for _ in range(repeats):
        x, names = rows_of(12, "uneven", rho=0, icc=0.7, rng=rng, m=1)
        sums = np.bincount(names, weights=x[0] - x.mean())
        se = math.sqrt(12 / 11 * float(sums @ sums)) / names.size
        low, high = student.limits(float(x.mean()), se, 11, 0.05, "both")
        misses += not low <= 0 <= high
    assert misses > 1.5 * 0.05 * repeats


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_the_best_mean_of_rows_in_clusters_is_covered(rho):
    rng = np.random.default_rng(20260203)
    repeats, misses = 150, 0
    for _ in range(repeats):
        x, names = rows_of(10, "uneven", rho=rho, icc=0.5, rng=rng, m=6)
        lines = lines_of(Scores.from_arrays(x, better="higher", cluster=names.astype(str)))
        misses += missed(lines["winner"], 0)
    assert within(misses, repeats, 0.05)


def test_rows_taken_for_independent_are_not_enough():
    """Without the clusters the same winner is missed far too often."""
    rng = np.random.default_rng(20260204)
    misses = {"counted": 0, "ignored": 0}
    for _ in range(200):
        x, names = rows_of(30, "equal", rho=0.95, icc=0.95, rng=rng, m=2)
        for how, cluster in (("counted", names.astype(str)), ("ignored", None)):
            lines = lines_of(Scores.from_arrays(x, better="higher", cluster=cluster), 0.8)
            misses[how] += missed(lines["winner"], 0)
    assert within(misses["counted"], 200, 0.2)
    assert not within(misses["ignored"], 200, 0.2)


def areas_of(G, kind, *, rho, rng, m=4, each=4):
    """Predictions of equal candidates in clusters of one class each ("pure") or of both."""
    names = np.arange(G).repeat(each)
    y = names % 3 == 0 if kind == "pure" else np.arange(names.size) % 3 == 0

    def drawn():
        own = rng.normal(size=names.size)
        return math.sqrt(0.4) * rng.normal(size=G)[names] + math.sqrt(0.6) * own

    base = drawn()
    s = [math.sqrt(rho) * base + math.sqrt(1 - rho) * drawn() + 1.5 * y for _ in range(m)]
    return Predictions.from_arrays(y, np.array(s), cluster=names.astype(str))


TRUE_AREA = 0.5 * math.erfc(-1.5 / 2)  # normal scores 1.5 deviations apart


@pytest.mark.parametrize("kind", ["pure", "mixed"])
def test_the_best_area_of_clusters_is_covered(kind):
    rng = np.random.default_rng(20260205)
    repeats, misses = 80, {"winner": 0, "mean": 0}
    for _ in range(repeats):
        lines = lines_of(areas_of(24, kind, rho=0.6, rng=rng))
        for what in misses:
            misses[what] += missed(lines[what], TRUE_AREA)
    assert all(within(count, repeats, 0.05) for count in misses.values())


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.7, 0.95])
@pytest.mark.parametrize("kind", ["pure", "mixed"])
@pytest.mark.parametrize("G", [12, 30, 60])
def test_areas_of_clusters_in_a_long_study(G, kind, rho):
    rng = np.random.default_rng([20260206, G])
    repeats, misses = 400, {"winner": 0, "mean": 0}
    for _ in range(repeats):
        lines = lines_of(areas_of(G, kind, rho=rho, rng=rng))
        for what in misses:
            misses[what] += missed(lines[what], TRUE_AREA)
    # Asymptotic: 7 % are let pass where 5 % are promised, with five standard errors.
    assert all(within(count, repeats, 0.07) for count in misses.values())


@pytest.mark.slow
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("kind", ["equal", "uneven"])
@pytest.mark.parametrize("G", [10, 30, 60])
def test_means_of_clusters_in_a_long_study(G, kind, binary):
    rng = np.random.default_rng([20260207, G])
    truth = 0.5 * math.erfc(-1 / math.sqrt(2)) if binary else 0.0  # a score of 1 below one
    repeats, misses = 1000, 0
    for _ in range(repeats):
        x, names = rows_of(G, kind, rho=0.6, icc=0.4, rng=rng, m=8)
        x = (x < 1).astype(float) if binary else x
        lines = lines_of(Scores.from_arrays(x, better="higher", cluster=names.astype(str)))
        misses += missed(lines["winner"], truth)
    assert within(misses, repeats, 0.05)
