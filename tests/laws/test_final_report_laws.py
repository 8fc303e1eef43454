"""What must hold for every final report."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import Predictions, final_report

COUNT = st.integers(1, 6)


def report_of(seed, m, **how):
    rng = np.random.default_rng(seed)
    y = np.arange(50) < 20
    s = {f"c{i}": np.round(y + rng.normal(size=50), 1) for i in range(m)}
    return final_report(Predictions.from_arrays(y, s), **{"n_resamples": 0, "threshold": 0.5} | how)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 999), m=st.integers(2, 4), more=st.integers(0, 30), k=COUNT, t=COUNT)
def test_paying_is_never_narrower_and_more_of_it_is_wider(seed, m, more, k, t):
    chances = {"metrics": k, "thresholds": t}
    base = report_of(seed, m, chosen="c1")
    wide = report_of(seed, m, chosen="c1", tried=m + more, chances=chances)
    for near, far in zip(base.rows(), wide.rows(), strict=True):
        assert (near["metric"], near["against"]) == (far["metric"], far["against"])
        for row in (near, far):
            if row["lower"] is not None:
                assert row["lower"] <= row["nominal_lower"] + 1e-9
                assert row["upper"] >= row["nominal_upper"] - 1e-9
        if near["lower"] is not None:
            assert far["lower"] <= near["lower"] + 1e-9
            assert far["upper"] >= near["upper"] - 1e-9


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 999), m=st.integers(2, 4), by=st.sampled_from(["area", "name", "plan"]))
def test_no_report_shows_a_bare_maximum(seed, m, by):
    how = {"area": {}, "name": {"chosen": "c0"}, "plan": {"chosen": "c0", "planned": "name:c0"}}
    report = report_of(seed, m, **how[by])
    assert report.headline["lower"] is not None
    assert report.champion.m == m >= 2
    first, *rest = report.sentences()
    assert f"{m}" in " ".join(rest[:1])
    assert "confidence" in first
    assert len(report.checklist) == 23


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 999), order=st.permutations(range(50)))
def test_the_order_of_rows_and_candidates_does_not_matter(seed, order):
    rng = np.random.default_rng(seed)
    y = np.arange(50) < 20
    s = {f"c{i}": y + rng.normal(size=50) for i in range(3)}
    ids = [f"r{i}" for i in range(50)]
    a = final_report(
        Predictions.from_arrays(y, s, examples=ids), threshold=0.5, n_resamples=0, chosen="c1"
    )
    mixed = {name: s[name][list(order)] for name in ("c2", "c0", "c1")}
    b = final_report(
        Predictions.from_arrays(y[list(order)], mixed, examples=[ids[i] for i in order]),
        threshold=0.5, n_resamples=0, chosen="c1",
    )  # fmt: skip
    for x, z in zip(a.rows(), b.rows(), strict=True):
        assert (x["metric"], x["against"]) == (z["metric"], z["against"])
        if x["lower"] is not None:
            assert (x["lower"], x["upper"]) == pytest.approx((z["lower"], z["upper"]), abs=1e-9)
