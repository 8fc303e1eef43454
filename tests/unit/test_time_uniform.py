"""Bands for an evaluation that is watched: edges, shares of the level, and the formulas."""

import math

import numpy as np
import pytest

from nofluke import bands, sequences
from nofluke.errors import InputError
from nofluke.kernels import boundaries, concentration

PLANS = [
    (1, 1, None),
    (50, 200, None),
    (50, 200, 200),
    (50, 200, 5000),
    (7, 7, 7),
    (1, 10**6, None),
]


def radius(t, alpha=0.05, start=50, design=200, horizon=None):
    return boundaries.time_uniform_radius(t, alpha, start=start, design=design, horizon=horizon)


def test_without_other_moments_the_radius_is_the_lasting_one():
    for m in (1, 30, 10**5):
        for t in (m, m + 1, 50 * m):
            assert radius(t, 0.02, m, m, m) == pytest.approx(
                boundaries.lasting_radius(m, 0.02), rel=1e-14
            )


@pytest.mark.parametrize(("start", "design", "horizon"), PLANS)
def test_the_shares_of_the_level_sum_to_at_most_one(start, design, horizon):
    times, shares = boundaries.anchors(10**9, start=start, design=design, horizon=horizon)

    assert times[0] == start
    assert design in times
    assert (np.diff(times) >= 0).all()
    assert (shares > 0).all()
    assert math.fsum(shares) <= 1 + 1e-12
    if horizon is not None:
        assert math.fsum(shares) == pytest.approx(1, rel=1e-12)
        assert times[-1] <= horizon


def test_the_shares_of_an_endless_plan_sum_to_one_in_the_limit():
    _, shares = boundaries.anchors(10**300, start=50, design=200)
    # What is left lies beyond, and telescopes to (1/(H+2)) / S.
    later = int(np.argmax(shares))
    left = 1 / (shares.size - later + 1) * 2 * shares[later]
    assert math.fsum(shares) + left == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(("start", "design", "horizon"), PLANS)
def test_every_moment_gets_a_radius_from_the_anchors_so_far(start, design, horizon):
    last = -math.inf
    for t in range(start, start + 400):
        times, shares = boundaries.anchors(t, start=start, design=design, horizon=horizon)
        each = [
            boundaries.lasting_radius(int(m), 0.05 * share)
            for m, share in zip(times, shares, strict=True)
        ]
        assert radius(t, 0.05, start, design, horizon) == pytest.approx(min(each), rel=1e-12)
        assert times.max() <= t
        assert times.size >= last
        last = times.size


def test_later_is_never_wider_and_ends_with_the_horizon():
    endless = [radius(t) for t in range(50, 3000)]
    ended = [radius(t, horizon=1000) for t in range(50, 3000)]

    assert (np.diff(endless) <= 0).all()
    assert (np.diff(ended) <= 0).all()
    assert ended[-1] == ended[1000 - 50]
    assert endless[-1] < ended[-1]
    # Moments that are not watched leave more for those that are.
    assert all(a < b for a, b in zip(ended[:700], endless[:700], strict=True))


def test_it_shrinks_at_the_rate_of_the_iterated_logarithm():
    scaled = [radius(10**k) * math.sqrt(10**k / math.log(math.log(10**k))) for k in (6, 12, 100)]
    assert max(scaled) < 2
    assert radius(10**250) > 0


def test_no_level_is_too_small():
    tiny = 5e-324
    assert math.isfinite(radius(10**6, tiny))
    assert radius(10**6, tiny) > concentration.dkw_radius(10**6, tiny)


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.0032, 1e-4])
@pytest.mark.parametrize("design", [100, 200, 1000, 10_000])
@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_at_its_design_it_costs_at_most_60_percent_of_the_fixed_width(alpha, design, side):
    fixed = bands.half_width("dkw", design, alpha, side=side)
    for start in (1, 20, design // 10, design):
        for horizon in (None, design, 10 * design):
            width = sequences.time_uniform_half_width(
                design, alpha, side=side, start=start, design=design, horizon=horizon
            )
            assert fixed < width < 1.4 * fixed
            if side == "both":
                assert width < 1.3 * fixed


def test_the_band_has_the_radius_and_says_that_it_may_be_watched():
    x = np.random.default_rng(1).normal(size=300)
    both = sequences.time_uniform(x, alpha=0.1, start=50, design=200)
    low = sequences.time_uniform(x, level=0.95, side="lower", start=50, design=200)

    assert both.half_width == radius(300, 0.05)
    assert low.half_width == pytest.approx(radius(300, 0.05), rel=1e-12)
    assert low.upper(9.0) == 1
    assert (both.guarantee, both.method, both.n, both.alpha) == (
        "anytime",
        "time_uniform",
        300,
        0.1,
    )
    assert "anytime" in str(both)
    assert (
        sequences.time_uniform([1.0], alpha=0.1, start=1).guaranteed(0.1, better="lower")
        == math.inf
    )


def test_design_is_the_start_unless_it_is_said():
    x = range(80)
    one = sequences.time_uniform(x, alpha=0.1, start=60)
    assert one.half_width == sequences.time_uniform(x, alpha=0.1, start=60, design=60).half_width


def test_before_its_start_the_band_is_refused():
    assert sequences.time_uniform(range(50), alpha=0.1, start=50).n == 50
    with pytest.raises(InputError, match="x has 49 draws, fewer than start=50: .*Wait"):
        sequences.time_uniform(range(49), alpha=0.1, start=50)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"start": 0}, "start=0 must be a whole number"),
        ({"start": 2.5}, "start=2.5 must be a whole number"),
        ({"start": 50, "design": 40}, "start=50, design=40, horizon=None: .*start <= design"),
        ({"start": 50, "design": 60, "horizon": 59}, "design=60, horizon=59"),
        ({"start": 50, "horizon": 0}, "horizon=0 must be"),
        ({"start": 50, "level": 0.9}, "exactly one of"),
        ({"start": 50, "side": "left"}, "side='left' is not one of"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(how, message):
    with pytest.raises(InputError, match=message):
        sequences.time_uniform(range(100), alpha=0.1, **how)


def test_planned_peeks_are_the_sharpest_band_at_a_share_of_the_level():
    x = np.random.default_rng(2).normal(size=200)
    both = sequences.planned_peeks(x, alpha=0.1, looks=10)
    low = sequences.planned_peeks(x, alpha=0.1, looks=4, side="lower")

    assert both.half_width == bands.kolmogorov(x, alpha=0.1 / 10).half_width
    assert low.half_width == bands.kolmogorov(x, alpha=0.1 / 4, side="lower").half_width
    assert (both.alpha, both.guarantee) == (0.1, "finite-sample")
    assert (
        sequences.planned_peeks(x, alpha=0.1, looks=1).half_width
        == bands.kolmogorov(x, alpha=0.1).half_width
    )
    with pytest.raises(InputError, match="looks=0"):
        sequences.planned_peeks(x, alpha=0.1, looks=0)


def test_a_watched_band_is_not_taken_for_a_band_of_the_register():
    band = sequences.time_uniform(range(100), alpha=0.1, start=50)
    with pytest.raises(InputError, match="needs its plan again"):
        bands.at_level(band, 0.01)
