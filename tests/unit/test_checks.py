"""The door refuses what kernels must not see, and says what to try."""

import math

import numpy as np
import pytest

from nofluke import checks
from nofluke.errors import InputError


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, 10, math.nan, math.inf, "x", None, True])
def test_a_fraction_lies_strictly_between_zero_and_one(value):
    with pytest.raises(InputError, match="delta="):
        checks.fraction(value, name="delta")


def test_a_percentage_is_recognised():
    with pytest.raises(InputError, match=r"If you mean 10 %, write 0\.1"):
        checks.fraction(10, name="delta")


def test_exactly_one_of_level_and_alpha():
    assert checks.alpha(level=None, alpha=1e-300) == 1e-300
    assert checks.alpha(level=0.95, alpha=None) == pytest.approx(0.05)
    for level, alpha in ((None, None), (0.9, 0.1)):
        with pytest.raises(InputError, match="exactly one of level= and alpha="):
            checks.alpha(level=level, alpha=alpha)


def test_a_sample_keeps_infinities_and_refuses_nan():
    assert checks.sample([1, math.inf, -math.inf]).tolist() == [1, math.inf, -math.inf]
    with pytest.raises(InputError, match="NaN at position 1"):
        checks.sample([1, math.nan])
    for bad in ([], [[1.0]], 3.0):
        with pytest.raises(InputError, match="expected one dimension"):
            checks.sample(bad)
    with pytest.raises(InputError, match="not numbers"):
        checks.sample(["a"])


def test_orientation_is_never_guessed():
    with pytest.raises(InputError, match="never guessed"):
        checks.better(None)
    with pytest.raises(InputError, match="'up' is not one of higher, lower"):
        checks.better("up")


def test_gammas_lose_repeats_but_not_order():
    assert checks.gammas([0.1, 0.05, 0.1]) == (0.1, 0.05)
    assert checks.gammas(0.2) == (0.2,)
    with pytest.raises(InputError, match="gamma is empty"):
        checks.gammas([])


@pytest.mark.parametrize("value", [(1, 0), (0, 0), 3, (0, 1, 2), ("a", 1)])
def test_bounds_are_two_ascending_numbers(value):
    with pytest.raises(InputError, match="bounds"):
        checks.bounds(value)


def test_randomness_needs_a_seed():
    with pytest.raises(InputError, match="seed= is needed"):
        checks.generator(None)
    assert checks.generator(3).random() == np.random.default_rng(3).random()


def test_decimals_are_taken_as_typed():
    assert checks.exact(0.1).denominator == 10
