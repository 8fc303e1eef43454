"""Speed of pairing two candidates, and of comparing what they were asked."""

import numpy as np
import pytest

from nofluke import Scores
from nofluke.scores.pairing import hash_order, pair


@pytest.mark.parametrize("n", [1_000, 100_000])
def test_pairs_of_a_complete_table(benchmark, n):
    scores = Scores.from_arrays(np.random.default_rng(1).random((2, n)))

    assert benchmark(pair, scores, "0", "1").counts["pairs"] == n


def test_the_order_of_many_ids(benchmark):
    ids = [f"question-{i:06d}" for i in range(100_000)]

    assert benchmark(hash_order, ids, 0).size == len(ids)


def test_inputs_that_differ_in_a_word(benchmark):
    ours = [f"question {i} " + "lorem ipsum dolor sit " * 100 for i in range(2_000)]
    theirs = [text.replace("dolor", "dolour") for text in ours]
    scores = Scores.from_arrays(np.zeros((2, 2_000)), inputs={"0": ours, "1": theirs})

    assert benchmark(pair, scores, "0", "1").counts["inputs_differ"] == 1
