"""What holds for every comparison, and for the limits of every submission on a ladder."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.ledger import release

N = 400
rights = st.lists(st.integers(0, N), min_size=1, max_size=8)


def rows(right):
    return [1.0] * right + [0.0] * (N - right)


@pytest.mark.parametrize(
    "board",
    [release.Ladder(n=N, looks=8, step=0.07), release.FreeLadder(n=N, looks=8)],
    ids=lambda board: board.rule,
)
@given(submissions=rights)
@settings(max_examples=100, deadline=None)
def test_a_score_on_the_hidden_rows_is_a_half_width_inside_its_own_limits(board, submissions):
    state = board
    for right in submissions:
        radius = state.half_width
        told, state = release.look(state, rows(right))
        low, high = told.own
        assert low == 0 or low + radius <= right / N + 1e-12
        assert high == 1 or high - radius >= right / N - 1e-12
        # Nothing is better than the best: its limits and these cannot exclude each other.
        assert low <= told.upper + 1e-12


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from([0, 0.4, 1]), st.sampled_from([0, 0.4, 1])), min_size=9
    ),
    times=st.integers(1, 12),
)
@settings(max_examples=100, deadline=None)
def test_turned_round_a_comparison_says_the_opposite(pairs, times):
    a, b = np.repeat(np.array(pairs, dtype=float), times, axis=0).T
    state = release.Ladder(n=a.size, looks=2, alpha=0.4)
    opposite = {"better": "worse", "worse": "better", "not shown": "not shown"}
    word = release.compare(state, a, b)[0].verdict
    assert release.compare(state, b, a)[0].verdict == opposite[word]
    lower = release.Ladder(n=a.size, looks=2, alpha=0.4, better="lower")
    assert release.compare(lower, a, b)[0].verdict == opposite[word]


@given(asked=st.lists(st.booleans(), max_size=10), submissions=st.lists(st.integers(0, N)))
@settings(max_examples=50, deadline=None)
def test_answers_and_states_are_those_of_a_saved_state(asked, submissions):
    state = release.Ladder(n=N, looks=10, step=0.1)
    for compares, right in zip(asked, submissions, strict=False):
        saved = release.from_json(release.to_json(state))
        if compares:
            told, state = release.compare(state, rows(right), rows(N // 2))
            assert release.compare(saved, rows(right), rows(N // 2)) == (told, state)
        else:
            told, state = release.look(state, rows(right))
            assert release.look(saved, rows(right)) == (told, state)
        assert told.look + told.looks_left == 10


@pytest.mark.parametrize(("p", "q"), [(1, 4), (2, 3), (3, 3), (3, 5)])
def test_areas_under_the_curve_obey_hoeffding_at_the_smaller_class(p, q):
    """Every order of positives and negatives is equally likely where scores mean nothing."""
    counts, wins = 0, {}
    for marks in product((0, 1), repeat=p + q):
        if sum(marks) != p:
            continue
        counts += 1
        below = [sum(1 - m for m in marks[:i]) for i, m in enumerate(marks) if m]
        area = Fraction(sum(below), p * q)
        wins[area] = wins.get(area, 0) + 1
    assert counts == math.comb(p + q, p)
    for area in wins:
        tail = sum(count for other, count in wins.items() if other >= area)
        gap = max(0.0, float(area) - 0.5)
        assert tail / counts <= math.exp(-2 * min(p, q) * gap**2)
