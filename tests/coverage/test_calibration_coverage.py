"""Seeded simulation of calibration: levels, coverage and bias, to five standard errors."""

import math

import numpy as np
import pytest

from nofluke.classify import calibration


def tolerance(p, runs):
    return 5 * math.sqrt(p * (1 - p) / runs)


def calibrated(rng, n):
    p = rng.beta(1.5, 3, n).round(2)
    return rng.random(n) < p, p


@pytest.mark.parametrize("score", ["brier", "log"])
def test_the_test_of_calibration_keeps_its_level_and_its_band_its_coverage(score):
    runs, rng = 600, np.random.default_rng(51)
    pvalues, inside = [], []
    forecasts = rng.beta(1.5, 3, 60).round(2)
    for _ in range(runs):
        found = calibration.corp(
            rng.random(60) < forecasts, forecasts, score=score, n_resamples=99, level=0.9, seed=rng
        )
        pvalues.append(found.test.pvalue)
        band = found.consistency
        inside.append((band.lower <= found.recalibrated) & (found.recalibrated <= band.upper))

    p = np.array(pvalues)
    for alpha in (0.05, 0.1, 0.3):
        # Exact: with 99 resamples and hardly any ties the p-value is uniform on its steps.
        assert (p <= alpha).mean() == pytest.approx(alpha, abs=tolerance(alpha, runs))
    by_point = np.mean(inside, axis=0)
    assert (by_point >= 0.9 - tolerance(0.9, runs)).all()


def test_the_test_finds_what_it_is_for():
    runs, rng = 60, np.random.default_rng(52)
    found = 0
    for _ in range(runs):
        p = rng.random(400)
        y = rng.random(400) < 0.5 + 0.5 * (p - 0.5)  # twice as extreme as it may be
        found += calibration.corp(y, p, n_resamples=99).test.pvalue <= 0.05

    assert found >= 0.9 * runs


@pytest.mark.parametrize("method", ["betting", "t"])
def test_intervals_of_the_brier_score_cover_its_expectation(method):
    runs, rng = 400, np.random.default_rng(53)
    truth = 1 / 6  # forecasts uniform and calibrated: the mean of p (1 - p)
    covered = 0
    for _ in range(runs):
        p = rng.random(150)
        found = calibration.brier(rng.random(150) < p, p, level=0.9, method=method)
        covered += found.lower <= truth <= found.upper

    assert covered / runs >= 0.9 - tolerance(0.9, runs)
    if method == "t":
        assert covered / runs <= 0.9 + tolerance(0.9, runs)


def test_intervals_of_the_line_cover_and_its_tests_keep_their_level():
    runs, rng = 500, np.random.default_rng(54)
    hits, ratio, z = np.zeros(3), [], []
    for _ in range(runs):
        p = rng.beta(2, 2, 500)
        y = rng.random(500) < p
        found = calibration.cox(y, p, level=0.9)
        for k, (interval, truth) in enumerate(
            ((found.slope, 1), (found.intercept, 0), (found.in_the_large, 0))
        ):
            hits[k] += interval.lower <= truth <= interval.upper
        ratio.append(found.test.pvalue)
        z.append(calibration.spiegelhalter(y, p).pvalue)

    assert hits / runs == pytest.approx(0.9, abs=tolerance(0.9, runs) + 0.01)
    for p_values in (ratio, z):
        rejected = (np.array(p_values) <= 0.1).mean()
        assert rejected == pytest.approx(0.1, abs=tolerance(0.1, runs) + 0.01)


def test_the_corrected_parts_are_without_bias():
    """Forecasts take five values, a bin of three rows each, with rates that are not theirs."""
    runs, n, rng = 3000, 15, np.random.default_rng(55)
    values, rates = np.array([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([0.2, 0.3, 0.4, 0.8, 0.85])
    p, truth = np.tile(values, n // 5), np.tile(rates, n // 5)
    found = []
    for _ in range(runs):
        made = calibration.binned_brier(rng.random(n) < truth, p, edges="distinct")
        found.append(
            (
                made.corrected_reliability,
                made.corrected_resolution,
                made.reliability,
            )
        )

    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / math.sqrt(runs)
    # The numbers of rows in the bins are fixed here, not drawn; a resolution R has expectation
    # R n / (n - 1) then.
    expected = [((values - rates) ** 2).mean(), rates.var() * n / (n - 1)]
    assert (np.abs(mean[:2] - expected) < 5 * error[:2]).all()
    assert mean[2] - expected[0] > 20 * error[2]  # the raw one is too large


def test_the_smooth_error_of_calibrated_forecasts_falls_with_n():
    rng = np.random.default_rng(56)
    means = [
        np.mean([calibration.smooth_ece(*calibrated(rng, n)).value for _ in range(40)])
        for n in (100, 1000, 10_000)
    ]

    assert means[0] > 1.8 * means[1] > 1.8**2 * means[2]
