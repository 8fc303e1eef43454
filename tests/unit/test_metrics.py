"""What is known of metrics, and the bounds that follow from it."""

import math

import numpy as np
import pytest

from nofluke import Scores, read
from nofluke.errors import InputError
from nofluke.scores import metrics
from nofluke.scores.metrics import bounds_of, known, orientation

UNIT, SIGNED = (0.0, 1.0), (-1.0, 1.0)


@pytest.mark.parametrize(
    ("names", "bounds", "binary"),
    [
        ("accuracy acc exact_match em pass@1 resolved correct", UNIT, True),
        ("f1 precision recall meteor iou dice ndcg mrr win_rate auc brier error_rate", UNIT, False),
        ("rouge rouge1 rouge2 rouge_l ROUGE-L rougeLsum rouge1_fmeasure", UNIT, False),
        ("ndcg@10 recall@5 hits@1 mrr@100", UNIT, False),
        ("pearson spearman kendall mcc kappa cohen-kappa cosine_similarity", SIGNED, False),
        ("bleu chrf sacrebleu bertscore comet reward preference smape error", None, False),
        ("log_loss perplexity mse rmse latency_s cost wer cer ter r2 throughput", None, False),
        ("corpus_bleu ece glorp rouge_difference", None, False),
    ],
)
def test_bounds_by_meaning(names, bounds, binary):
    for name in names.split():
        metric = known(name)
        assert (metric.bounds, metric.binary) == (bounds, binary), name
        assert bounds is not None or metric.reason, name


def test_what_is_known_agrees_with_the_orientation():
    for name, better in metrics._BETTER.items():
        assert known(name).better == orientation(name) == better
    assert known("ter").better == "lower"
    assert known("meteor").better == "higher"
    assert orientation("meteor") is None  # readers take no column for a score by that name
    assert known(None).bounds is None


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("bleu", "bounds=(0, 1) or bounds=(0, 100)"),
        ("wer", "errors/words"),
        ("latency", "no highest value"),
        ("bertscore", "harmonic mean"),
        ("corpus_spearman", "no score of its own"),
        ("glorp", "nothing is known"),
    ],
)
def test_metrics_without_bounds_say_why(metric, words):
    scores = Scores.from_arrays([[0.5, 1], [0.5, 0]], metric=metric)
    with pytest.raises(InputError) as caught:
        bounds_of(scores)
    assert caught.value.code == "NF019"
    assert words in str(caught.value)
    assert bounds_of(scores, (0, 100)) == (0, 100)


def test_the_harmonic_mean_of_cosines_has_no_lowest_value():
    precision, recall = 0.5, -0.4  # each within [-1, 1]
    assert 2 * precision * recall / (precision + recall) == pytest.approx(-4)


def test_who_has_the_last_word():
    scores = Scores.from_arrays([[0.5, 1], [0.5, 0]], metric="accuracy", bounds=(0, 5))
    assert bounds_of(scores) == (0, 5)
    assert bounds_of(scores, (-1, 2)) == (-1, 2)
    assert bounds_of(Scores.from_arrays([[True, False]])) == (0, 1)


@pytest.mark.parametrize(("declared", "code"), [((0, math.inf), "NF016"), (None, "NF016")])
def test_bounds_must_be_known_and_finite(declared, code):
    with pytest.raises(InputError) as caught:
        bounds_of(Scores.from_arrays([[0.5, 1]]), declared)
    assert caught.value.code == code


def test_scores_outside_known_bounds_are_named_and_reading_does_not_mind():
    scores = Scores.from_arrays({"a": [0.5, -0.25], "b": [2, 1]}, metric="accuracy")
    with pytest.raises(InputError) as caught:
        bounds_of(scores)
    assert caught.value.code == "NF010"
    assert "2 of 4 scores" in str(caught.value)
    assert "'a/1: -0.25', 'b/0: 2'" in str(caught.value)
    with pytest.raises(InputError, match="1 of 2 scores"):
        bounds_of(scores, candidates=["a"])


def test_per_cent_are_recognised_and_mixed_scales_are_not_taken_for_it():
    cent = Scores.from_arrays([[0, 100, 85], [0.5, 100, 91]], metric="f1")
    with pytest.raises(InputError, match="look like per cent"):
        bounds_of(cent)
    mixed = Scores.from_arrays([[0.82, 0.9, 85], [0.7, 1, 9]], metric="f1")
    with pytest.raises(InputError, match="two scales may be mixed"):
        bounds_of(mixed)
    neither = Scores.from_arrays([[-20, 30, 0.5]], metric="f1")
    with pytest.raises(InputError, match="'0/1: 30'. Bounds hold for every"):
        bounds_of(neither)


def test_a_little_more_than_one_does_not_look_like_one():
    scores = Scores.from_arrays([[0.5, np.nextafter(1, 2)]], metric="pearson")
    with pytest.raises(InputError, match="0/1: 1.0000000000000002"):
        bounds_of(scores)


def test_failed_rows_are_no_scores_outside_the_bounds():
    rows = [
        {"model": "a", "id": "x", "accuracy": 1.0, "failed": ""},
        {"model": "a", "id": "y", "accuracy": None, "failed": "yes"},
    ]
    scores = read(rows, failed="failed")
    assert scores.values.min() == -math.inf
    assert bounds_of(scores) == (0, 1)


def test_a_number_of_the_corpus_copied_to_each_example_is_refused():
    copied = Scores.from_arrays([[0.7, 0.7, 0.7], [0.8, 0.8, 0.8]], metric="spearman")
    with pytest.raises(InputError, match="copied to each") as caught:
        bounds_of(copied)
    assert caught.value.code == "NF019"
    assert bounds_of(Scores.from_arrays([[1, 1], [1, 1]], metric="spearman")) == SIGNED
    assert bounds_of(Scores.from_arrays([[0.7, 0.7], [0.8, 0.9]], metric="spearman")) == SIGNED
    assert bounds_of(Scores.from_arrays([[0.7, 0.7]], metric="iou")) == UNIT
