import numpy as np
import pytest

from nofluke import drift, proportions
from nofluke.errors import InputError


def watched(wrong, n=50):
    return drift.monitor(reference=0.2).add_counts(wrong, n)


CALM, ALARM = watched(5), watched(30)


@pytest.fixture(scope="module")
def changed():
    rng = np.random.default_rng(0)
    return drift.covariates(rng.normal(size=60), rng.normal(size=60) + 2, n_resamples=39)


@pytest.fixture(scope="module")
def unchanged():
    rng = np.random.default_rng(0)
    return drift.covariates(rng.normal(size=60), rng.normal(size=60), n_resamples=39)


def test_predictors_alone_leave_the_cause_open(changed):
    found = drift.diagnose(covariates=changed)

    assert found.seen == ("predictors",)
    assert found.excluded == ()
    assert "concept drift cannot be seen" in found.notes[0]
    assert "covariate drift or from label drift alike" in found.notes[1]


def test_the_error_rate_alone_separates_nothing():
    found = drift.diagnose(errors=ALARM)

    assert found.seen == ("errors",)
    assert found.excluded == ()
    assert "can each raise the error rate" in found.notes[0]
    assert "a monitor for each class" in found.notes[0]


def test_errors_within_a_class_exclude_label_drift_alone(changed, unchanged):
    for predictors, word in ((changed, "look alike here"), (None, "look alike here"),
                             (unchanged, "speaks for concept drift")):  # fmt: skip
        found = drift.diagnose(covariates=predictors, errors=ALARM, positives=ALARM, negatives=CALM)
        assert found.excluded == ("label drift alone",)
        assert word in found.notes[0]
        assert all(note.startswith("NF252") for note in found.notes)


def test_a_share_that_moved_with_calm_classes():
    share = drift.bbse(80, 20, 20, 380, flagged=300, n=800)
    found = drift.diagnose(share=share, prevalence=0.1, positives=CALM, negatives=CALM)

    assert found.seen == ("share of positives",)
    assert found.excluded == ()
    assert "changed by less than these rows can show" in found.notes[0]
    assert drift.diagnose(share=share, prevalence=share.estimate).seen == ()


def test_flags_that_no_share_explains():
    share = drift.bbse(40, 200, 10, 800, flagged=20, n=1000)
    found = drift.diagnose(share=share, prevalence=0.05)

    assert found.excluded == ("label drift alone",)
    assert found.seen == ()
    assert "not label drift alone" in str(found)


def test_nothing_to_go_by_is_refused():
    with pytest.raises(InputError, match="some evidence"):
        drift.diagnose()
    with pytest.raises(InputError, match="together"):
        drift.diagnose(errors=CALM, prevalence=0.1)


@pytest.mark.parametrize("prevalence", [float("nan"), 5, 0, -0.1])
def test_a_share_before_that_is_none_moves_nothing(prevalence):
    share = drift.bbse(80, 20, 20, 380, flagged=300, n=800)
    with pytest.raises(InputError):
        drift.diagnose(share=share, prevalence=prevalence)


@pytest.mark.parametrize("kind", [float, np.float32, np.float64])
def test_a_share_of_before_may_be_any_kind_of_number(kind):
    now = proportions.of_counts(90, 100, alpha=0.05)
    assert drift.moved(now, kind(0.5))
    assert not drift.moved(now, kind(0.875))
    found = drift.diagnose(labelled=now, prevalence=kind(0.5))
    assert found.seen == ("share of positives",)
