"""Solvers that end on the safe side."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.kernels.roots import safe_root


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(0.05, 5), st.floats(0, 0.5))
def test_the_root_is_met_from_the_safe_side(root, guess, slope, bend):
    def miss(x):
        return slope * (x - root) * (1 + bend * math.tanh(x))

    assert -2e-11 <= miss(safe_root(miss, -10.0, 10.0, guess)) <= 0


def test_a_straight_line_takes_two_or_three_looks():
    looks = []
    safe_root(lambda x: looks.append(x) or 0.9 * (x - 2), 0.0, 3.0, 1.0)

    assert len(looks) <= 3


@pytest.mark.parametrize("jump", [-1.0, 0.1, 2.0])
def test_where_the_target_is_jumped_over_the_last_safe_value_is_the_answer(jump):
    found = safe_root(lambda x: 1.0 if x > jump else -math.inf, -5.0, 5.0, 0.0)

    assert found == pytest.approx(jump, abs=1e-14)
    assert found <= jump


def test_a_root_at_the_unsafe_end_of_the_bracket():
    assert safe_root(lambda x: x, -1.0, 0.0, -0.5) == pytest.approx(0, abs=2e-11)
