"""Cards of two public tables: HIV scores of two models, and five readers of one set of images.

The tables lie beside the project and are not part of it; without them these tests are skipped.
"""

import pytest

import nofluke
from nofluke.errors import InputError


@pytest.fixture
def hiv(shared):
    return nofluke.read_predictions(shared / "data" / "rocr_hiv_scores.parquet")


def test_the_areas_of_the_hiv_scores(hiv):
    """0.8628 and 0.9035 are scikit-learn's areas of the pooled rows."""
    card = nofluke.classifier(hiv, threshold=0, n_resamples=50)
    areas = {name: card.row(name, "auc")["estimate"] for name in card.candidates}
    assert {name: round(area, 4) for name, area in areas.items()} == {
        "hiv.nn": 0.8628,
        "hiv.svm": 0.9035,
    }
    assert card.best["candidate"] == "hiv.svm"
    assert card.differences[0]["lower"] > 0
    assert card.calibration == ()
    codes = {note[:5] for note in card.notes}
    assert {"NF223", "NF224", "NF228"} <= codes


def test_folds_as_clusters_of_the_hiv_scores(hiv):
    by_rows = nofluke.classifier(hiv, n_resamples=0).row("hiv.svm", "auc")
    by_folds = nofluke.classifier(hiv, clusters=True, n_resamples=0).row("hiv.svm", "auc")
    assert by_folds["estimate"] == by_rows["estimate"]
    assert (by_folds["n"], by_folds["method"]) == (10, "obuchowski")


def test_five_ratings_of_a_case_are_not_five_cases(shared):
    with pytest.raises(InputError, match="reader") as refused:
        nofluke.read_predictions(shared / "data" / "mrmc_vandyke.parquet")
    assert refused.value.code == "NF006"


def test_readers_are_candidates_on_the_same_cases(shared):
    """Mean areas over readers 0.89704 and 0.94084: the printed answer of the package's guide."""
    table = nofluke.read_predictions(
        shared / "data" / "mrmc_vandyke.parquet", columns={"reader": "reader"}
    )
    card = nofluke.classifier(table, threshold=3, n_resamples=0)
    assert (card.K, card.n) == (10, 114)
    for treatment, mean in (("treatment_1", 0.89704), ("treatment_2", 0.94084)):
        areas = [card.row(name, "auc")["estimate"] for name in card.candidates if treatment in name]
        assert sum(areas) / 5 == pytest.approx(mean, abs=5e-6)
    assert len(card.differences) == 45
    assert card.differences[0]["level"] == pytest.approx(1 - 0.05 / 45)
    assert card.best["level"] == pytest.approx(0.995)
    assert "NF219" in {note[:5] for note in card.notes}
