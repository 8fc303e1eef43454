"""More power and smaller alpha need more; larger gains need fewer; a plan and its inverse agree."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import plan
from nofluke.kernels import power as kernel

TESTS = {
    "hoeffding": {"method": "hoeffding"},
    "t": {"sd": 0.3},
    "clusters": {"sd": 0.3, "cluster_size": 5, "icc": 0.2},
    "mcnemar": {"p_loss": 0.05},
    "clopper_pearson": {"bar": 0.6},
}
deltas = st.floats(0.03, 0.3)
levels = st.floats(0.001, 0.3)
powers = st.floats(0.35, 0.97)


@pytest.mark.parametrize("how", TESTS.values(), ids=TESTS)
class TestSizes:
    @settings(max_examples=25, deadline=None)
    @given(delta=deltas, alpha=levels, power=powers, more=st.floats(1.01, 1.5))
    def test_more_power_needs_more(self, how, delta, alpha, power, more):
        surer = 1 - (1 - power) / more
        few = plan.sample_size(delta, alpha=alpha, power=power, **how)
        many = plan.sample_size(delta, alpha=alpha, power=surer, **how)

        assert few.n <= many.n

    @settings(max_examples=25, deadline=None)
    @given(delta=deltas, alpha=levels, power=powers, more=st.floats(1.01, 1.3))
    def test_a_larger_gain_needs_fewer(self, how, delta, alpha, power, more):
        small = plan.sample_size(delta, alpha=alpha, power=power, **how)
        large = plan.sample_size(delta * more, alpha=alpha, power=power, **how)

        assert large.n <= small.n

    @settings(max_examples=25, deadline=None)
    @given(delta=deltas, alpha=levels, power=powers, less=st.floats(0.1, 0.99))
    def test_a_smaller_alpha_needs_more(self, how, delta, alpha, power, less):
        loose = plan.sample_size(delta, alpha=alpha, power=power, **how)
        strict = plan.sample_size(delta, alpha=alpha * less, power=power, **how)

        assert loose.n <= strict.n

    @settings(max_examples=15, deadline=None)
    @given(delta=deltas, alpha=levels, power=powers)
    def test_the_detectable_gain_is_the_inverse(self, how, delta, alpha, power):
        answer = plan.sample_size(delta, alpha=alpha, power=power, **how)
        again = plan.detectable(answer.n, alpha=alpha, power=power, **how)

        assert answer.reached >= power
        assert again.delta <= delta * (1 + 1e-9)

    @settings(max_examples=10, deadline=None)
    @given(delta=deltas, alpha=levels, power=powers)
    def test_two_sides_are_one_at_half_the_level(self, how, delta, alpha, power):
        both = plan.sample_size(delta, alpha=alpha, power=power, side="both", **how)

        assert both.n == plan.sample_size(delta, alpha=alpha / 2, power=power, **how).n


@settings(max_examples=40, deadline=None)
@given(delta=st.floats(0.001, 0.9), margin=st.floats(-0.5, 0.5), alpha=levels)
def test_the_floor_is_where_the_worst_null_is_rare_enough(delta, margin, alpha):
    if delta - margin < 0.001:
        return
    n = kernel.floor(delta, margin, (-1, 1), alpha)
    often = (1 + margin) / (1 + delta)  # probability of delta under the mean `margin`

    assert often**n <= alpha * (1 + 1e-9)
    assert n == 1 or often ** (n - 1) > alpha * (1 - 1e-9)


@settings(max_examples=30, deadline=None)
@given(
    between=st.floats(0.01, 0.5),
    within=st.just(0.0) | st.floats(1e-9, 0.5),
    delta=st.floats(0.02, 0.2),
    cost=st.just(0.0) | st.floats(1e-9, 10),
)
def test_more_runs_never_need_more_items(between, within, delta, cost):
    answer = plan.trade(delta, between=between, within=within, cost=cost)
    items = [row["n"] for row in answer.rows()]

    assert items == sorted(items, reverse=True)
    assert answer.cheapest["cost"] == min(row["cost"] for row in answer.rows())
    assert math.isfinite(answer.cheapest["cost"])
