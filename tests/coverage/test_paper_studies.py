"""The studies of sources at full size, by another seed than their pages: every claim as stated."""

import pytest

from nofluke import studies


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["psdme", "champion", "envelope"])
def test_the_full_study_settles_every_claim_as_stated(paper):
    study = studies.reproduce(paper, seed=1)
    assert {a.claim.id: a.verdict for a in study.claims} == {
        a.claim.id: a.claim.reproduces for a in study.claims
    }
