"""Bands over samples that answer by ranks: nothing is fetched that a number does not need."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from nofluke import Scores, bands, certify, functionals
from nofluke.kernels.curves import Rising
from nofluke.plots.fan import _beyond, band_fan, jumps
from nofluke.results import Ordered


class Kept(Ordered):
    """A sample that writes down what is asked of it."""

    def __init__(self, x):
        self.x, self.asked, self.fetched = np.sort(x) + 0.0, [], 0

    @property
    def size(self):
        return self.x.size

    def at(self, ranks):
        self.asked.append(np.atleast_1d(ranks).tolist())
        return self.x[ranks]

    def passed(self, t):
        return np.searchsorted(self.x, t, side="right")

    def __array__(self, dtype=None, copy=None):
        self.fetched += 1
        return self.x


X = np.concatenate([np.random.default_rng(3).normal(size=60).round(1), [math.inf, -math.inf, -0.0]])


def old(n, radius, side):
    """Limits as arrays, the obvious way."""
    ecdf = np.arange(n + 1) / n
    below = np.zeros(n + 1) if side == "upper" else np.maximum(0.0, ecdf - radius)
    above = np.ones(n + 1) if side == "lower" else np.minimum(1.0, ecdf + radius)
    return below, above


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_limits_of_constant_width_are_those_of_arrays_to_the_last_bit(n, side):
    found = bands.limits("dkw", n, 0.1, side)
    for curve, wanted in zip(found[:2], old(n, found.radius, side), strict=True):
        np.testing.assert_array_equal(np.asarray(curve), wanted)
        np.testing.assert_array_equal(curve[np.arange(n + 1)], wanted)
        np.testing.assert_array_equal(curve[::-1], wanted[::-1])
        np.testing.assert_array_equal(curve[1:], wanted[1:])
        assert [curve[i] for i in range(n + 1)] == wanted.tolist()
        assert (curve.size, len(curve), curve[-1]) == (n + 1, n + 1, wanted[-1])


def test_steps_are_those_of_an_array():
    for n, alpha in ((1, 0.1), (40, 0.1), (40, 0.9999), (1000, 0.01)):
        band = bands.dkw(np.arange(n), alpha=alpha)
        rates = band.limits.radius + np.arange(n) / n
        wanted = rates[(rates > 0) & (rates < 1)]
        np.testing.assert_array_equal(band.steps(better="lower"), wanted)


def test_places_that_are_not_there_are_no_numbers():
    curve = Rising(4, 0.0)
    with pytest.raises(IndexError):
        curve[5]
    with pytest.raises(IndexError):
        curve[np.array([0, 5])]
    assert curve[np.array([True, False, True, False, False])].tolist() == [0.0, 0.5]


def test_ten_million_draws_need_no_array():
    class Endless(Kept):
        size = 10_000_000

        def __init__(self):
            self.asked = []

        def at(self, ranks):
            return np.asarray(ranks, np.float64)

    tracemalloc.start()
    band = bands.dkw(Endless(), alpha=0.01, side="lower")
    told = band.guaranteed(0.1, better="lower"), band.half_width, band.rates(better="lower")[0]
    again = bands.at_level(band, 0.001)
    assert again.guaranteed(0.05, better="lower") > told[0]
    assert bands.half_width("dkw", 10_000_000, 0.1, side="both") > 0
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("method", ["dkw", "kolmogorov", "berk_jones", "owen"])
@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_a_band_reads_the_same_from_ranks(method, side):
    kept = Kept(X)
    plain = bands.METHODS[method].call(X, alpha=0.2, side=side)
    band = bands.METHODS[method].call(kept, alpha=0.2, side=side)
    better = "higher" if side == "upper" else "lower"
    for gamma in (0.3, 0.5, 0.05):
        assert band.guaranteed(gamma, better=better) == plain.guaranteed(gamma, better=better)
        assert bands.at_level(band, 0.4).rank(gamma, better=better) == bands.at_level(
            plain, 0.4
        ).rank(gamma, better=better)
    assert str(band) == str(plain)
    t = [-1.0, 0.0, 0.3]
    np.testing.assert_array_equal(band.lower(t), plain.lower(t))
    assert band.upper(0.0) == plain.upper(0.0)
    assert kept.fetched == 0


def test_functionals_by_ranks_fetch_ranks_and_a_mean_fetches_all():
    x = X[np.isfinite(X)]
    kept = Kept(x)
    plain, band = bands.dkw(x, alpha=0.2), bands.dkw(kept, alpha=0.2)
    for name in ("median", "q0.9", "iqr"):
        wanted = functionals.named(name)(plain, bounds=(-9, 9))
        assert functionals.named(name)(band, bounds=(-9, 9)) == wanted
        ranks = functionals.ranks_of(name, band)
        assert {r - 1 for r in ranks} <= {r for ranks in kept.asked for r in ranks}
    assert kept.fetched == 0
    assert functionals.ranks_of("mean", band) is None
    for name in ("mean", "cvar0.2"):
        wanted = functionals.named(name)(plain, bounds=(-9, 9), better="lower")
        assert functionals.named(name)(band, bounds=(-9, 9), better="lower") == wanted
    assert kept.fetched > 0


def test_scores_outside_the_bounds_are_refused_by_the_ends():
    with pytest.raises(ValueError, match="lie outside bounds"):
        functionals.quantile(bands.dkw(Kept(X), alpha=0.2), 0.5, bounds=(-9, 9))


def test_hypotheses_look_at_all_scores():
    x = np.random.default_rng(0).random(50)
    plain, band = bands.dkw(x, alpha=0.1), bands.dkw(Kept(x), alpha=0.1)
    assert band.contains(lambda t: t.clip(0, 1)) == plain.contains(lambda t: t.clip(0, 1))
    assert band.pvalue(lambda t: t.clip(0, 1)) == plain.pvalue(lambda t: t.clip(0, 1))


def test_a_picture_is_drawn_from_a_grid_of_ranks():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(size=5000), [math.inf] * 3])
    answer = certify(Scores.from_arrays([x], better="lower"), "top:1@median", dependence="ignore")
    kept = Kept(x)
    e = answer.evaluated[0]
    again = replace(answer, evaluated=(replace(e, region=replace(e.region, x=kept)),))
    ax = band_fan(again)
    drawn = {line.get_label(): line for line in ax.lines}["share of scores"]
    t, share = drawn.get_data()
    np.testing.assert_array_equal(share, [(x <= point).mean() for point in t])
    assert kept.fetched == 0
    assert 400 < jumps(again.evaluated[0].region).size <= 1000
    assert _beyond(again.evaluated[0].region) == ["3 of 5003 scores are ∞: beyond the right edge"]
    assert again.curve("0", (0.1, 0.2)) == answer.curve("0", (0.1, 0.2))
