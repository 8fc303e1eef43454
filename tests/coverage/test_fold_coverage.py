"""Whether the standard error of the mean area over folds is what the mean varies by."""

import math

import numpy as np
from scipy.special import ndtr

from nofluke.classify.folds import fold_auc

REPEATS = 1000


def test_the_mean_lies_within_two_errors_as_often_as_it_should():
    """Four models of different quality and scale, each with rows of its own: truth is analytic.

    With 1000 repeats the share has a standard error of 0.007; 4 of them on either side of 0.95, and
    0.01 more below, where 30 positives of a fold are few.
    """
    rng = np.random.default_rng(20)
    shifts, sizes = np.array([0.5, 1.0, 1.5, 2.0]), (30, 90)
    truth = float(ndtr(shifts / math.sqrt(2)).mean())
    labels = np.tile(np.repeat([1, 0], sizes), 4)
    folds = np.repeat(np.arange(4), sum(sizes))
    inside, squares, errors = 0, [], []
    for _ in range(REPEATS):
        scores = (rng.normal(size=labels.size) + labels * shifts[folds]) * (1 + folds)
        found = fold_auc(labels, scores, folds)
        inside += abs(found.mean - truth) < 1.959964 * found.se
        squares.append((found.mean - truth) ** 2)
        errors.append(found.se**2)

    assert 0.912 < inside / REPEATS < 0.978
    # The ratio of variances has a relative error of sqrt(2 / 1000) = 0.045.
    assert 0.8 < np.mean(errors) / np.mean(squares) < 1.2
