"""Areas by fold and tables of predictions against numbers that this library did not produce."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from nofluke import Predictions, read_predictions
from nofluke.classify.auc import auc
from nofluke.classify.folds import auc_by_fold, fold_auc


def test_a_fold_without_positives(shared):
    case = json.loads((shared / "cases" / "roc-03.json").read_text("utf-8"))
    expected, tolerance = case["expected"]["values"], case["tolerance"]["abs"]
    labels = np.concatenate([fold["y"] for fold in case["input"]])
    scores = np.concatenate([fold["s"] for fold in case["input"]])
    folds = np.repeat([1, 2, 3], [len(fold["y"]) for fold in case["input"]])

    found = fold_auc(labels, scores, folds)

    assert found.values[1] is expected["fold_auc"][1] is None
    assert found.values == pytest.approx(tuple(expected["fold_auc"]), abs=tolerance)
    assert found.mean == pytest.approx(expected["mean_of_defined_folds"], abs=tolerance)
    assert found.n_defined == expected["n_defined_folds"]
    assert "2 of 3" in str(found)
    assert found.notes[0].startswith("NF218: the area is undefined in 1 of 3 folds")
    assert auc_by_fold(Predictions.from_arrays(labels, scores, folds=folds)) == found


def test_support_vectors_and_nets_on_hiv(shared):
    """Pooled areas as the description of the data gives them; fold by fold by scikit-learn."""
    path = shared / "data" / "rocr_hiv_scores.parquet"
    table, frame = read_predictions(path), pl.read_parquet(path)

    for candidate, pooled in (("hiv.svm", 0.9035), ("hiv.nn", 0.8628)):
        found = auc_by_fold(table, candidate)
        rows = frame.filter(pl.col("candidate") == candidate)
        each = [
            roc_auc_score(part["label"], part["score"])
            for _, part in rows.group_by("fold", maintain_order=True)
        ]
        assert found.pooled == pytest.approx(pooled, abs=5e-5)
        assert found.values == pytest.approx(each, rel=1e-12)
        assert found.mean == pytest.approx(np.mean(each), rel=1e-12)


def test_two_treatments_five_readers(shared):
    """Mean areas over readers as the guide of MRMCaov prints them."""
    table = read_predictions(shared / "data" / "mrmc_vandyke.parquet", columns={"reader": "reader"})
    means = {}
    for treatment in ("treatment_1", "treatment_2"):
        of = [c for c in table.candidates if c.startswith(treatment)]
        means[treatment] = np.mean([auc(*table.sample(c)).value for c in of])

    assert means["treatment_1"] == pytest.approx(0.89704, abs=5e-6)
    assert means["treatment_2"] == pytest.approx(0.94084, abs=5e-6)


def test_scores_keep_every_bit(shared):
    path = shared / "data" / "sports_prob_forecasts.parquet"
    frame = pl.read_parquet(path).filter(pl.col("label") != 0.5)
    table = read_predictions(frame, missing="own")

    for candidate in table.candidates:
        rows = frame.filter(pl.col("candidate") == candidate).sort("example")
        assert table.sample(candidate).predictions.tolist() == rows["score"].to_list()
        assert table.sample(candidate).labels.tolist() == (rows["label"] == 1).to_list()
