"""Levels of all nodes, looks and comparisons in whatever order an attacker chooses, one by one.

The tree is built by driving the rules with every submission there is. At each node the attacker
takes what leaves more to the nodes below: the largest sum that any order of asking reaches.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from nofluke.kernels import transcripts
from nofluke.ledger import release

N, ALPHA = 3, 0.05
LABELLINGS = [list(map(float, rows)) for rows in product((0, 1), repeat=N)]


class Quiet:
    """Noise of which every draw is 0."""

    def laplace(self, _scale):
        return 0.0


RULES = {
    "ladder": (release.Ladder(n=N, looks=4, step=0.25), LABELLINGS),
    "ladder of thirds": (release.Ladder(n=N, looks=4, step=1 / 3), LABELLINGS),
    "free ladder": (release.FreeLadder(n=N, looks=4), LABELLINGS),
    "thresholdout": (
        release.Thresholdout(n=N, looks=4, budget=2, threshold=0.1, sigma=0.0),
        LABELLINGS,
    ),
    "thresholdout in steps": (
        release.Thresholdout(n=N, looks=5, budget=3, threshold=0.1, sigma=0.0, step=0.5),
        LABELLINGS,
    ),
    "rounded": (release.Rounded(n=N, looks=4, step=0.3), LABELLINGS),
    "rates": (release.Rounded(n=N, looks=4, step=0.3, binary=True), LABELLINGS),
    "verdict": (release.Verdict(n=9, looks=6, baseline=[0] * 9, wins=3, alpha=0.9), None),
    "one verdict": (release.Verdict(n=9, looks=6, baseline=[0] * 9, alpha=0.9), None),
}


def spent(states, submissions, known):
    """The largest sum of levels from a node on; a node is a transcript, whatever hides behind it.

    Args:
        states: All states that one transcript may have led to.
        submissions: What may be handed in.
        known: Sums of nodes that were met before.
    """
    if states in known:
        return known[states]
    levels = {state.log_level for state in states}
    assert len(levels) == 1  # a level may depend on answers only
    left = {state.left for state in states}
    assert len(left) == 1
    total = 0.0
    if left.pop() > 0:
        after, answers = {}, {}
        for state, rows in product(states, submissions):
            told, new = release.look(state, release.Submission(rows, training=0.4), rng=Quiet())
            key = (told.value, told.verdict)
            assert answers.setdefault(key, told) == told  # nor may limits and notes tell more
            after.setdefault(key, set()).add(new)
        asked = [spent(frozenset(found), submissions, known) for found in after.values()]
        pairs = {release.compare(s, submissions[0], submissions[-1])[1] for s in states}
        compared = 3 * spent(frozenset(pairs), submissions, known)
        total = math.exp(levels.pop()) + max(math.fsum(asked), compared)
    known[states] = total
    return total


@pytest.mark.parametrize("name", RULES)
def test_no_order_of_asking_spends_more_than_the_error_level(name):
    state, submissions = RULES[name]
    rows = submissions or [[float(i < wins) for i in range(9)] for wins in (0, 9)]

    found = spent(frozenset([state]), rows, {})

    paid = state.paying
    assert found <= paid * (1 + 1e-12)
    # Nor is much wasted: answers that cannot occur have a share, and others have none.
    assert found > 0.4 * paid


def worst(node, level, looks, *, answers, kept):
    """The largest sum of levels of a tree of answers, by its largest branches."""
    known = {}

    def value(at, compared):
        if at is None or at[0] + compared >= looks:
            return 0.0
        if (at, compared) not in known:
            asked = math.fsum(value(new, compared) for new in answers(at))
            told = 3 * value(kept(at), compared + 1)
            known[at, compared] = level(at, compared) / looks + max(asked, told)
        return known[at, compared]

    return value(node, 0)


def board(levels):
    """Nodes (answers, drops, last) of a board, and what follows each."""

    def following(at):
        answers, drops, last = at
        lower = range(levels + 1) if answers == 0 else range(last)
        stays = [] if answers == 0 else [(answers + 1, drops, last)]
        return stays + [(answers + 1, drops + 1, value) for value in lower]

    return following


def sparse(values, budget):
    """Nodes (answers, spent), without those that have nothing left."""

    def following(at):
        told = [(at[0] + 1, at[1] + 1)] * values if at[1] + 1 < budget else []
        return [(at[0] + 1, at[1]), *told]

    return following


@pytest.mark.parametrize(("levels", "looks"), [(1, 9), (4, 8), (12, 16)])
def test_levels_of_a_board_with_comparisons_anywhere(levels, looks):
    found = worst(
        (0, 0, 0),
        lambda at, c: math.exp(
            -transcripts.log_descents_code(at[0], at[1], levels, compared=c, last=at[2])
        ),
        looks,
        answers=board(levels),
        kept=lambda at: at,
    )
    assert found == pytest.approx(1, rel=1e-11)


@pytest.mark.parametrize(("values", "budget", "looks"), [(1, 1, 9), (1, 4, 30), (101, 3, 20)])
def test_levels_of_corrections_with_comparisons_anywhere(values, budget, looks):
    found = worst(
        (0, 0),
        lambda at, c: math.exp(
            -transcripts.log_sparse_code(at[0], at[1], values, budget, compared=c)
        ),
        looks,
        answers=sparse(values, budget),
        kept=lambda at: at,
    )
    assert found == pytest.approx(1, rel=1e-11)


def test_equal_shares_for_each_length_would_spend_too_much():
    """Why a comparison costs more than log 3: paths of one depth have unlike numbers of looks."""
    found = worst(
        (0, 0, 0),
        lambda at, c: math.exp(-transcripts.log_descents_code(at[0], at[1], 20)) / 3**c,
        16,
        answers=board(20),
        kept=lambda at: at,
    )
    assert found > 2
    found = worst(
        (0, 0),
        lambda at, c: math.exp(-transcripts.log_sparse_code(at[0], at[1], 1, 2)) / 3**c,
        30,
        answers=sparse(1, 2),
        kept=lambda at: at,
    )
    assert found > 1.5


@pytest.mark.parametrize(("levels", "looks", "compared"), [(3, 3, 2), (4, 2, 3), (2, 1, 4)])
def test_boards_that_begin_alike_counted_one_by_one(levels, looks, compared):
    """m_k of every board in fractions, by adding up the boards of k answers that begin with it."""
    length = looks + compared
    boards = [
        path
        for path in product(range(levels + 1), repeat=length)
        if list(path) == sorted(path, reverse=True)
    ]
    kinds = {}
    for path in boards:
        kinds[len(set(path))] = kinds.get(len(set(path)), 0) + 1
    shares = {}
    for path in boards:
        share = Fraction(1, len(kinds) * kinds[len(set(path))])
        shares[path[:looks]] = shares.get(path[:looks], Fraction(0)) + share
    for begun, share in shares.items():
        code = transcripts.log_descents_code(
            looks, len(set(begun)), levels, compared=compared, last=begun[-1]
        )
        assert math.exp(-code) * 3**compared == pytest.approx(float(share), rel=1e-12)
    assert sum(shares.values()) == 1


def test_corrections_that_begin_alike_counted_one_by_one():
    values, budget, looks, compared = 2, 3, 3, 2
    paths = [
        path
        for path in product(range(values + 1), repeat=looks + compared)
        if sum(answer > 0 for answer in path) < budget
    ]
    kinds = [sum(sum(a > 0 for a in path) == used for path in paths) for used in range(budget)]
    shares = {}
    for path in paths:
        share = Fraction(1, budget * kinds[sum(answer > 0 for answer in path)])
        shares[path[:looks]] = shares.get(path[:looks], Fraction(0)) + share
    for begun, share in shares.items():
        used = sum(answer > 0 for answer in begun)
        code = transcripts.log_sparse_code(looks, used, values, budget, compared=compared)
        assert math.exp(-code) * 3**compared == pytest.approx(float(share), rel=1e-12)
    assert sum(shares.values()) == 1


def test_a_comparison_costs_a_rounded_score_the_three_words_and_no_more():
    state = release.Rounded(n=1000, looks=10)
    _, state = release.look(state, [1] * 600 + [0] * 400)
    before = state.log_level
    _, state = release.compare(state, [1] * 1000, [0] * 1000)
    assert state.log_level == pytest.approx(before - math.log(3), rel=1e-14)
    fixed = release.Rounded(n=1000, looks=10, adaptive=False)
    assert release.compare(fixed, [1] * 1000, [0] * 1000)[1].log_level == fixed.log_level


def test_many_looks_and_comparisons_are_no_overflow():
    for code in (
        transcripts.log_descents_code(10**5, 50, 10**5, compared=10**5, last=10**4),
        transcripts.log_sparse_code(10**5, 50, 10**5, 10**4, compared=10**5),
    ):
        assert math.isfinite(code)
        assert code > 10**5 * math.log(3)
    assert np.isfinite(release.Ladder(n=10, looks=10**6, compared=999_999).half_width)
