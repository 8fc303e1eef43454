"""A monitor that is looked at after every row: false alarms over a long time, and what ends it."""

import numpy as np
import pytest

from nofluke import drift


def watched(monitor, wrong):
    """The monitor after these rows, looked at after each."""
    for each in wrong.astype(int).tolist():
        monitor = monitor.add_counts(each, 1)
    return monitor


def false_alarms(rng, paths, rows, *, p=0.1, alpha=0.2, reference=0.1):
    """Alarms on rows that err with the reference rate, and the monitors without one."""
    ends = [
        watched(drift.monitor(reference=reference, alpha=alpha), rng.random(rows) < p)
        for _ in range(paths)
    ]
    return sum(end.alarm is not None for end in ends), [end for end in ends if end.alarm is None]


def test_few_alarms_without_drift_and_one_soon_after_it():
    rng = np.random.default_rng(2718)
    alarms, quiet = false_alarms(rng, 25, 700)

    # At most 5 are expected; 15 would be five standard errors more.
    assert alarms < 15
    for monitor in quiet[:5]:
        assert watched(monitor, rng.random(500) < 0.3).alarm is not None


@pytest.mark.slow
def test_hundred_thousand_looks_of_a_monitor():
    rng = np.random.default_rng(1618)
    alarms, quiet = false_alarms(rng, 30, 100_000)

    # At most 6 are expected; 17 would be five standard errors more.
    assert alarms < 17
    # A change after so many rows is still met.
    for monitor in quiet[:5]:
        assert watched(monitor, rng.random(2000) < 0.3).alarm is not None


@pytest.mark.slow
def test_a_reference_from_few_rows_is_paid_for():
    rng, paths, alarms = np.random.default_rng(1414), 200, 0
    for _ in range(paths):
        before = int(rng.binomial(100, 0.1))
        alarms += false_alarms(rng, 1, 2000, reference=(before, 100))[0]

    # At most 40 are expected; 68 would be five standard errors more.
    assert alarms < 68
