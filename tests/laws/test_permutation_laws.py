"""Laws of the sign-flip test, whatever the differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import permutation

TENTHS = arrays(np.int64, st.integers(1, 60), elements=st.integers(-9, 9))
ANY = arrays(float, st.integers(1, 25), elements=st.floats(-1e6, 1e6))


@given(d=st.one_of(TENTHS.map(lambda k: k / 10), ANY))
def test_mirrored_differences_give_the_mirrored_answer(d):
    better = permutation.sign_flip(d, alternative="better").pvalue

    assert permutation.sign_flip(-d, alternative="worse").pvalue == better
    assert permutation.sign_flip(-d).pvalue == permutation.sign_flip(d).pvalue


@given(k=TENTHS)
def test_one_side_or_the_other_and_both_counted(k):
    d = k / 10
    one, other, both = (
        permutation.sign_flip(d, alternative=w).pvalue for w in ("better", "worse", "different")
    )

    assert one + other >= 1 - 1e-12  # the observed sum belongs to both tails
    assert both == pytest.approx(min(1, 2 * min(one, other)), rel=1e-12)


@given(k=TENTHS, unit=st.sampled_from([1.0, 0.1, 0.01, 1 / 3, 1e-9, 1e9]))
def test_the_unit_of_the_scores_does_not_matter(k, unit):
    whole = permutation.sign_flip(k.astype(float)).pvalue

    assert permutation.sign_flip(k * unit).pvalue == pytest.approx(whole, rel=1e-12)


@given(k=TENTHS, more=st.integers(1, 5))
def test_smaller_losses_never_make_the_evidence_for_a_gain_weaker(k, more):
    # A flip that leaves a loss as it is keeps its distance from the observed sum; one that turns
    # it around comes closer to the observed sum from above.
    smaller = np.where(k < 0, np.minimum(k + more, 0), k)
    weaker = permutation.sign_flip(k.astype(float), alternative="better").pvalue

    found = permutation.sign_flip(smaller.astype(float), alternative="better").pvalue

    assert found <= weaker * (1 + 1e-12)
