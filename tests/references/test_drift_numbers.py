"""Drift: the shared cases, whose numbers come from exact rationals, SciPy and mpmath."""

import itertools
import json
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from nofluke import drift
from nofluke.classify import cost
from nofluke.drift.covariates import _ks
from nofluke.kernels import two_samples


def known(shared, name):
    found = json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())
    return found["inputs"], found["expected"], found["tolerance"]


def test_share_of_positives_from_flags(shared):
    given, expected, tolerance = known(shared, "label_shift_bbse")
    # Rates as counts: 0.8 is 40/50 and the false positive rate 20/950.
    assert (40 / 50, 20 / 950) == pytest.approx((given["tpr"], given["fpr"]), abs=1e-15)
    found = drift.bbse(40, 20, 10, 930, flagged=30, n=1000)

    assert given["predicted_positive_rate_new"] == 0.03
    assert found.estimate == pytest.approx(expected["pi_hat"], abs=tolerance)


def test_probabilities_and_thresholds_at_another_share(shared):
    given, expected, tolerance = known(shared, "prior_shift_probability")
    old, new = given["pi_train"], given["pi_deploy"]
    found = drift.consequences(
        prevalence=old, new_prevalence=new, tpr=0.8, fpr=2 / 95, c_fp=1, c_fn=20
    )

    # What the threshold of the costs becomes when it is taken for a probability of the old scale.
    moved = cost.shift_prior(1 / 21, prevalence=old, new_prevalence=new)
    assert moved == pytest.approx(expected["threshold_1_21_maps_to"], abs=tolerance)
    # The threshold itself stays; among old probabilities it lies where the shift leads back to it.
    assert found.threshold == 1 / 21
    back = cost.shift_prior(found.old_scale_threshold, prevalence=old, new_prevalence=new)
    assert back == pytest.approx(1 / 21, abs=1e-15)
    assert found.new_precision == pytest.approx(38 / 137, abs=1e-12)


def test_statistics_of_a_feature_at_two_times(shared):
    given, expected, tolerance = known(shared, "drift_ks_psi")
    before, now = given["reference"], given["current"]
    found = drift.psi(before, now, cuts=given["bin_edges"][1:-1])
    whole = drift.covariates(before, now, n_resamples=39)

    assert list(found.reference) == expected["counts_reference"]
    assert list(found.current) == expected["counts_current"]
    assert found.value == pytest.approx(expected["psi"], abs=tolerance)
    assert found.expected == pytest.approx(expected["expected_psi_under_no_drift"], abs=tolerance)
    assert whole.features[0].ks == pytest.approx(expected["ks"], abs=tolerance)
    # Of ten rows each the index says nothing, although it is far above 0.25.
    assert found.pvalue > 0.1


def enumerated(values, n):
    """Every way to choose which n of the values came before, as index pairs."""
    places = range(len(values))
    for chosen in itertools.combinations(places, n):
        rest = [i for i in places if i not in chosen]
        yield [values[i] for i in chosen], [values[i] for i in rest]


def distance(x, y):
    """The KS statistic by counting, in exact fractions."""
    return max(
        abs(Fraction(sum(v <= t for v in x), len(x)) - Fraction(sum(v <= t for v in y), len(y)))
        for t in (*x, *y)
    )


@pytest.mark.parametrize(
    "values",
    [
        [0.3, 1.2, 2.0, 2.7, 4.0, 5.5, 6.1, 7.7, 8.0],
        [1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0],
        [1.0] * 8 + [2.0],
    ],
    ids=["no ties", "ties", "nearly constant"],
)
def test_ks_by_all_labellings(values):
    x, y = [values[i] for i in (0, 1, 2, 4)], [values[i] for i in (3, 5, 6, 7, 8)]
    d = distance(x, y)
    all_d = [distance(a, b) for a, b in enumerated(values, 4)]
    exact = sum(v >= d for v in all_d) / len(all_d)
    found = _ks(np.array(x), np.array(y))

    assert found[0] == pytest.approx(float(d), abs=1e-15)
    if len(set(values)) == len(values):
        assert found[1] == pytest.approx(exact, abs=1e-12)
    else:
        assert found[1] >= exact - 1e-12  # on the safe side


@pytest.mark.parametrize("cells", [(4, 5, 6), (2, 2, 9), (7, 8)])
def test_the_permutation_test_of_the_index_by_all_tables(cells):
    n, total = 6, sum(cells)
    m = total - n

    def index(a):
        b = [c - k for c, k in zip(cells, a, strict=True)]
        half = 0.5 if 0 in a or 0 in b else 0.0
        p, q = ([(k + half) / (sum(s) + half * len(s)) for k in s] for s in (a, b))
        return sum((v - u) * math.log(v / u) for u, v in zip(p, q, strict=True))

    tables = [a for a in itertools.product(*(range(c + 1) for c in cells)) if sum(a) == n]
    weights = [math.prod(map(math.comb, cells, a)) / math.comb(total, n) for a in tables]
    assert sum(weights) == pytest.approx(1)
    seen = tables[len(tables) // 3]
    exact = sum(w for a, w in zip(tables, weights, strict=True) if index(a) >= index(seen) - 1e-12)
    x = np.repeat(np.arange(len(cells)), seen)
    y = np.repeat(np.arange(len(cells)), [c - k for c, k in zip(cells, seen, strict=True)])
    found = drift.psi(x, y, cuts=np.arange(1, len(cells)), n_resamples=40_000)

    assert found.value == pytest.approx(index(seen), abs=1e-12)
    # Five standard errors of a share of 40,000.
    assert found.pvalue == pytest.approx(exact, abs=5 * 0.5 / 200)
    # The mean that is told is that of large counts; here the exact one is near it.
    mean = sum(w * index(a) for a, w in zip(tables, weights, strict=True))
    assert found.expected == pytest.approx((len(cells) - 1) * (1 / n + 1 / m))
    assert 0.4 < mean / found.expected < 1.8


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_the_mean_of_the_index_from_the_exact_binomial_law(n):
    # Two cells, one half each: E PSI = E (q - p) log(q (1 - p) / (p (1 - q))) over two binomials.
    k = np.arange(n + 1)
    law = np.exp([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                  - n * math.log(2) for i in range(n + 1)])  # fmt: skip
    a, b = np.meshgrid(k, k)
    counts = [np.stack([v, n - v], axis=-1) for v in (a, b)]
    mean = float(np.sum(np.outer(law, law) * two_samples.stability(*counts)))

    assert mean == pytest.approx(2 / n, rel=6 / n)


def test_the_share_by_probabilities_in_fifty_digits():
    q = [0.02, 0.11, 0.35, 0.6, 0.04, 0.2, 0.9, 0.07, 0.15, 0.5]
    found = drift.em(q, prevalence=0.2, alpha=0.1)
    with mpmath.workdps(50):
        ratios = [(mpmath.mpf(v) / mpmath.mpf("0.2"), (1 - mpmath.mpf(v)) / mpmath.mpf("0.8"))
                  for v in q]  # fmt: skip

        def likelihood(s):
            return mpmath.fsum(mpmath.log(s * a + (1 - s) * b) for a, b in ratios)

        best = mpmath.findroot(lambda s: mpmath.diff(likelihood, s), 0.3)
        drop = mpmath.findroot(lambda z: mpmath.erf(z / mpmath.sqrt(2)) - 0.9, 1.6) ** 2 / 2
        ends = [
            mpmath.findroot(lambda s: likelihood(s) - likelihood(best) + drop, start)
            for start in (0.1, 0.7)
        ]
    assert found.estimate == pytest.approx(float(best), abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx([float(e) for e in ends], abs=1e-10)


def test_precision_at_another_share_in_a_report(shared):
    given, expected, _ = known(shared, "ppv_prevalence_seed")
    tp, fp, fn, tn = (given[k] for k in ("tp", "fp", "fn", "tn"))
    at_one = expected["by_prevalence"][given["prevalences"].index(0.01)]
    # As many flags as a share of exactly 0.01 gives on average.
    flagged = round(95_000 * (0.01 * 0.8 + 0.99 * 2 / 95))
    found = drift.bbse(tp, fp, fn, tn, flagged=flagged, n=95_000)

    assert found.raw == pytest.approx(0.01, abs=1e-12)
    assert found.precision[0] < at_one["ppv"] < found.precision[1]
    assert 0.01 * 0.8 * 95_000 / flagged == pytest.approx(at_one["ppv"], abs=1e-12)
