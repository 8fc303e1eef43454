"""Areas under ROC curves in memory, those of other packages beside ours; figures, not verdicts.

scikit-learn has the area without a variance. MLstatkit and confidenceinterval have DeLong's test or
variance, and resamples; they are timed where they are installed.

On one core after compilation it should take for an area and its variance 4 ms at 1e5 rows and 50 ms
at 1e6, for ten paired candidates at 1e5 rows 60 ms, for 2000 resamples of 1e4 rows 600 ms, and for
their exact variance 1 ms.
"""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from nofluke.classify import curves
from nofluke.kernels import roc_areas


def rows(n, candidates=1):
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.3
    return y, rng.normal(size=(candidates, n)) + y


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_area_and_variance(benchmark, n):
    y, (s,) = rows(n)
    found = benchmark(roc_areas.area, y, s)
    assert found.variance > 0


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_interval_with_all_checks(benchmark, n):
    y, (s,) = rows(n)
    found = benchmark(curves.auc_interval, y, s)
    assert found.method == "logit_t"


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_scikit_learn_without_variance(benchmark, n):
    y, (s,) = rows(n)
    found = benchmark(roc_auc_score, y, s)
    assert found == pytest.approx(roc_areas.area(y, s).value)


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_confidenceinterval(benchmark, n):
    theirs = pytest.importorskip("confidenceinterval")
    y, (s,) = rows(n)
    # Placements counted in single precision go wrong in their seventh digit.
    value, limits = benchmark.pedantic(
        theirs.roc_auc_score, (y.astype(int), s), rounds=3, warmup_rounds=1
    )
    ours = curves.auc_interval(y, s, method="delong")
    assert value == pytest.approx(ours.estimate, abs=1e-4)
    assert limits == pytest.approx((ours.lower, ours.upper), abs=1e-4)


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_paired_comparison(benchmark, n):
    y, (a, b) = rows(n, candidates=2)
    found = benchmark(curves.compare_auc, y, a, b)
    assert not found.boundary


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_paired_comparison_by_mlstatkit(benchmark, n):
    theirs = pytest.importorskip("MLstatkit")
    y, (a, b) = rows(n, candidates=2)
    found = benchmark.pedantic(theirs.Delong_test, (y.astype(int), a, b), rounds=3, warmup_rounds=1)
    assert found[1] == pytest.approx(curves.compare_auc(y, a, b).pvalue, abs=1e-3)


def test_ten_paired_candidates(benchmark):
    y, s = rows(100_000, candidates=10)
    found = benchmark(curves.delong, y, s)
    assert found.covariance.shape == (10, 10)


def test_bootstrap(benchmark):
    y, (s,) = rows(10_000)
    found = benchmark(curves.auc_interval, y, s, method="bootstrap", n_resamples=2000)
    assert found.undefined == 0


def test_bootstrap_by_confidenceinterval(benchmark):
    theirs = pytest.importorskip("confidenceinterval")
    y, (s,) = rows(10_000)
    how = {"method": "bootstrap_percentile", "n_resamples": 2000}
    value, _ = benchmark.pedantic(theirs.roc_auc_score, (y.astype(int), s), how, rounds=1)
    assert value == pytest.approx(roc_areas.area(y, s).value)


def test_bootstrap_by_mlstatkit(benchmark):
    theirs = pytest.importorskip("MLstatkit")
    y, (s,) = rows(10_000)
    how = {"metric_str": "roc_auc", "n_bootstraps": 2000}
    found = benchmark.pedantic(theirs.Bootstrapping, (y.astype(int), s), how, rounds=1)
    assert found[0] == pytest.approx(roc_areas.area(y, s).value)


def test_bootstrap_variance_without_resamples(benchmark):
    y, (s,) = rows(10_000)
    assert benchmark(lambda: roc_areas.bootstrap_variance(roc_areas.area(y, s))) > 0


def test_clustered(benchmark):
    y, (s,) = rows(100_000)
    found = benchmark(curves.auc_interval, y, s, clusters=np.arange(y.size) // 5)
    assert found.method == "obuchowski"


def test_partial_area(benchmark):
    y, (s,) = rows(100_000)
    found = benchmark(curves.partial_auc, y, s, fpr=(0, 0.1))
    assert not found.boundary
