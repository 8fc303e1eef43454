"""Corpus statistics by hand and where they are undefined."""

import math

import numpy as np
import pytest

from nofluke.kernels import corpus


def test_a_ratio_of_sums():
    sums = np.array([[3.0, 12.0], [0.0, 5.0], [1.0, 0.0], [-1.0, 2.0]])

    assert corpus.ratio(sums) == pytest.approx([0.25, 0.0, math.nan, -0.5], nan_ok=True)


def test_a_short_translation_pays_for_its_brevity_and_a_long_one_does_not():
    perfect = np.array([10, 9, 8, 7, 10, 9, 8, 7, 10, 10], float)
    longer, shorter = perfect.copy(), perfect.copy()
    longer[-1], shorter[-1] = 8, 15

    assert corpus.bleu(perfect) == pytest.approx(100)
    assert corpus.bleu(longer) == pytest.approx(100)
    assert corpus.bleu(shorter) == pytest.approx(100 * math.exp(1 - 15 / 10))


def test_bleu_is_a_geometric_mean_of_precisions():
    sums = np.array([[8, 4, 2, 1, 10, 9, 8, 7, 10, 10], [8, 4, 2, 0, 10, 9, 8, 7, 10, 10]], float)

    expected = 100 * (8 / 10 * 4 / 9 * 2 / 8 * 1 / 7) ** 0.25
    assert corpus.bleu(sums) == pytest.approx([expected, 0])


def test_bleu_of_texts_without_four_words_is_undefined():
    sums = np.array([[3, 2, 1, 0, 3, 2, 1, 0, 3, 3], [0, 0, 0, 0, 0, 0, 0, 0, 0, 3]], float)

    assert np.isnan(corpus.bleu(sums)).all()


def test_ranks_share_their_mean_where_they_tie():
    assert corpus.midranks(np.array([5.0, 1.0, 5.0, 7.0, 5.0])).tolist() == [3, 1, 3, 5, 3]


def test_perfect_and_undefined_correlations():
    x = np.arange(6.0)

    assert corpus.spearman(x, np.exp(x)) == pytest.approx(1, abs=1e-15)
    assert corpus.spearman(x, -x) == pytest.approx(-1, abs=1e-15)
    assert math.isnan(corpus.spearman(x, np.ones(6)))
    far = corpus.moments(x, np.array([0, 0, 0, 0.1, 0.1, 0.1]) + 1e9)
    assert np.isnan(corpus.pearson(far[3:].sum(axis=0)))  # does not vary among the last three
