"""What must hold of an answer about runs, whatever the runs."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import runs

SAMPLES = arrays(np.float64, st.integers(2, 30), elements=st.integers(-50, 50).map(float))
QUANTILES = st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])
MODES = st.sampled_from([{}, {"guaranteed": True}, {"tail": "log-concave"}])


@given(x=SAMPLES, u=QUANTILES, how=MODES)
def test_mirrored_runs_have_mirrored_limits(x, u, how):
    row = runs(x, quantile=u, **how).rows()[0]
    mirrored = runs(-x, quantile=round(1 - u, 2), **how).rows()[0]
    exact = how.get("guaranteed") and row["status"] == "two_sided"
    if not exact:  # ranks that are equally good are settled in favour of one side
        assert math.isclose(row["lower"], -mirrored["upper"], rel_tol=1e-9, abs_tol=1e-7)
        assert math.isclose(row["upper"], -mirrored["lower"], rel_tol=1e-9, abs_tol=1e-7)
    assert row["status"] == mirrored["status"]
    assert row["needed_lower"] == mirrored["needed_upper"]


@given(x=SAMPLES, u=QUANTILES, how=MODES)
def test_more_confidence_never_means_a_shorter_interval_of_the_mean_or_new_limits(x, u, how):
    sure, surer = (runs(x, quantile=u, level=level, **how) for level in (0.8, 0.95))
    assert surer.means[0]["lower"] <= sure.means[0]["lower"]
    assert surer.means[0]["half_width"] >= sure.means[0]["half_width"]
    assert surer.rows()[0]["needed"] >= sure.rows()[0]["needed"]
    if not how:
        limits = [(math.isfinite(a["lower"]) + math.isfinite(a["upper"])) for a in
                  (sure.rows()[0], surer.rows()[0])]  # fmt: skip
        assert limits[1] <= limits[0]


@given(x=SAMPLES, u=QUANTILES, how=MODES, seed=st.integers(0, 9))
def test_order_and_company_change_nothing(x, u, how, seed):
    mixed = np.random.default_rng(seed).permutation(x)
    alone = runs({"a": x}, quantile=u, **how)
    among = runs({"b": x + 1, "a": mixed}, quantile=u, **how)
    assert among.rows()[1] == alone.rows()[0]
    assert among.means[1] == alone.means[0]


@given(x=SAMPLES, u=QUANTILES, how=MODES)
def test_the_sample_quantile_and_bounds_lie_as_they_must(x, u, how):
    row = runs(x, quantile=u, bounds=(-60, 60), **how).rows()[0]
    assert -60 <= row["lower"] <= row["upper"] <= 60
    assert row["estimate"] in x
    if row["status"] == "two_sided" and not how.get("tail"):
        assert x.min() <= row["lower"]
        assert row["upper"] <= x.max()


@given(x=SAMPLES, u=QUANTILES, how=MODES)
def test_sentences_say_only_limits_that_are_there(x, u, how):
    answer = runs(x, quantile=u, **how)
    row, said = answer.rows()[0], answer.sentences()[0]
    assert "inf" not in said
    assert ("needs" in said) == (row["status"] == "one_sided")
    assert said.startswith("No interval") == (row["status"] == "none")
