"""Bands: half-widths, ties, infinities and the rank a guarantee points to."""

import math
from fractions import Fraction

import numpy as np
import pytest

from nofluke import bands
from nofluke.errors import InputError
from nofluke.kernels.order_statistics import certifying_rank


def test_the_half_width_of_dkw():
    x = np.arange(200.0)
    assert bands.dkw(x, alpha=0.1).half_width == pytest.approx(math.sqrt(math.log(20) / 400))
    assert bands.dkw(x, alpha=0.1, side="lower").half_width == pytest.approx(
        math.sqrt(math.log(10) / 400)
    )
    assert bands.dkw(x, level=0.9).half_width == pytest.approx(bands.dkw(x, alpha=0.1).half_width)


def test_the_limits_step_at_the_sample_and_count_ties_on_their_right():
    band = bands.dkw([1, 2, 2, 2, 5], alpha=0.5, side="both")
    eps = band.half_width

    assert band.lower(2) == pytest.approx(0.8 - eps)
    assert band.upper(2) == pytest.approx(min(1, 0.8 + eps))
    assert band.lower(1.999) == pytest.approx(max(0, 0.2 - eps))
    assert band.upper(0) == pytest.approx(eps)
    assert band.lower(0) == 0
    assert band.upper(5) == 1
    np.testing.assert_allclose(band.lower([0, 2]), [0, 0.8 - eps])


def test_one_side_leaves_the_other_open():
    lower, upper = (bands.dkw([1, 2, 3], alpha=0.4, side=s) for s in ("lower", "upper"))

    assert lower.upper([0, 9]).tolist() == [1, 1]
    assert upper.lower([0, 9]).tolist() == [0, 0]
    with pytest.raises(InputError, match="needs side='lower' or 'both'"):
        upper.guaranteed(0.1, better="lower")
    with pytest.raises(InputError, match="needs side='upper' or 'both'"):
        lower.guaranteed(0.1, better="higher")


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_guarantee_is_the_definition_read_from_the_band(better):
    x = np.round(np.random.default_rng(5).gamma(2, 1, 300), 1)  # many ties
    side = "lower" if better == "lower" else "upper"
    band = bands.dkw(x, alpha=0.05, side=side)
    points = np.unique(x)
    before = np.nextafter(points, -np.inf)
    for gamma in (0.5, 0.3, 0.2, 0.1):
        if better == "lower":
            able = points[band.lower(points) >= 1 - gamma]
            expected = able.min() if able.size else math.inf
        else:
            able = points[band.upper(before) <= gamma]
            expected = able.max() if able.size else -math.inf
        assert band.guaranteed(gamma, better=better) == expected


def test_mirrored_data_give_the_mirrored_guarantee():
    x = np.random.default_rng(6).normal(size=150)
    low = bands.kolmogorov(x, alpha=0.02, side="lower")
    high = bands.kolmogorov(-x, alpha=0.02, side="upper")
    for gamma in (0.4, 0.25, 0.2, 0.05):
        assert low.guaranteed(gamma, better="lower") == -high.guaranteed(gamma, better="higher")


def test_infinite_scores_are_scores():
    x = [1.0] * 80 + [math.inf] * 20
    band = bands.dkw(x, alpha=0.1, side="lower")

    assert band.guaranteed(0.5, better="lower") == 1
    assert band.rank(0.2, better="lower") == 91
    assert band.guaranteed(0.2, better="lower") == math.inf


def test_too_few_draws_promise_nothing():
    band = bands.dkw(range(20), alpha=0.1, side="lower")
    assert band.rank(0.1, better="lower") is None
    assert band.guaranteed(0.1, better="lower") == math.inf
    upper = bands.dkw(range(20), alpha=0.1, side="upper")
    assert upper.guaranteed(0.1, better="higher") == -math.inf


def test_one_draw():
    band = bands.kolmogorov([3.0], alpha=0.3, side="lower")
    assert band.half_width == pytest.approx(0.7)
    assert band.guaranteed(0.71, better="lower") == 3
    assert band.guaranteed(0.69, better="lower") == math.inf


def test_the_rank_is_exact_arithmetic_on_the_typed_decimal():
    # At radius zero and n = 10, gamma = 0.3 needs 7 of 10: in doubles 10 * (1 - 0.3) is 7.000...
    assert [certifying_rank(10, 0.0, g) for g in (0.1, 0.2, 0.3, 0.7, 0.9)] == [9, 8, 7, 3, 1]
    assert certifying_rank(10, float(Fraction(1, 1024)), 0.3) == 8
    assert certifying_rank(10, math.inf, 0.3) is None
    assert certifying_rank(10, 0.31, 0.3) is None


def test_the_narrowest_of_constant_width_is_a_matter_of_n():
    assert bands.sharpest(200) == "kolmogorov"
    assert bands.sharpest(10**6) == "dkw"


def test_a_band_at_another_level_is_the_band_made_at_that_level():
    x = np.random.default_rng(1).normal(size=30)
    again = bands.at_level(bands.dkw(x, alpha=0.1), 0.01)
    assert again.half_width == bands.dkw(x, alpha=0.01).half_width
    assert again.alpha == 0.01


def test_the_vacuous_band_promises_nothing():
    band = bands.vacuous([1, 2], method="dkw", side="lower")
    assert band.lower(5) == 0
    assert band.guaranteed(0.9, better="lower") == math.inf
    assert bands.sample_size("dkw", 0.1, 0.0, side="lower") is None


def test_a_band_explains_itself():
    assert str(bands.dkw([1, 2, 3, 4], alpha=0.1)) == (
        "CDF band of half-width 0.6119 at 90% (dkw, side both, n=4, finite-sample)"
    )
    with pytest.raises(InputError, match="unknown; there are dkw, kolmogorov, berk_jones, owen"):
        bands.METHODS["bj"]
