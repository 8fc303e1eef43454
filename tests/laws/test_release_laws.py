"""What holds for every sequence of submissions to a guarded test set."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.ledger import release

N = 12
some_rows = st.lists(st.integers(0, 1), min_size=N, max_size=N)
many_rows = st.lists(some_rows, min_size=1, max_size=8)


def started(rule, looks=8, alpha=0.05):
    how = {"n": N, "looks": looks, "alpha": alpha}
    return {
        "ladder": lambda: release.Ladder(**how, step=0.1),
        "free-ladder": lambda: release.FreeLadder(**how),
        "thresholdout": lambda: release.Thresholdout(**how, budget=looks, sigma=0.001),
        "rounded": lambda: release.Rounded(**how, step=0.1),
        "verdict": lambda: release.Verdict(**how, baseline=(1, 0) * (N // 2), wins=looks),
    }[rule]()


def answers(state, submissions, seed=1):
    rng, told = np.random.default_rng(seed), []
    for rows in submissions:
        answer, state = release.look(state, release.Submission(rows, training=0.5), rng=rng)
        told.append(answer)
    return told


each_rule = pytest.mark.parametrize(
    "rule", ["ladder", "free-ladder", "thresholdout", "rounded", "verdict"]
)


@each_rule
@given(submissions=many_rows, order=st.permutations(range(N)))
@settings(max_examples=30, deadline=None)
def test_the_order_of_rows_does_not_matter(rule, submissions, order):
    state = started(rule)
    turned = started(rule)
    if rule == "verdict":
        turned = release.Verdict(n=N, looks=8, baseline=np.array(state.baseline)[order], wins=8)
    moved = [np.array(rows)[order] for rows in submissions]
    assert answers(state, submissions) == answers(turned, moved)


@each_rule
@given(submissions=many_rows)
@settings(max_examples=30, deadline=None)
def test_an_answer_depends_on_what_came_before_and_on_nothing_else(rule, submissions):
    whole, state = answers(started(rule), submissions), started(rule)
    rng = np.random.default_rng(1)
    for told, rows in zip(whole, submissions, strict=True):
        state = release.from_json(release.to_json(state))
        answer, state = release.look(state, release.Submission(rows, training=0.5), rng=rng)
        assert answer == told


@pytest.mark.parametrize("rule", ["ladder", "free-ladder", "thresholdout", "rounded"])
@given(submissions=many_rows)
@settings(max_examples=30, deadline=None)
def test_more_confidence_and_more_looks_never_mean_shorter_limits(rule, submissions):
    usual = answers(started(rule), submissions)
    surer = answers(started(rule, alpha=0.01), submissions)
    for one, other in zip(usual, surer, strict=True):
        assert other.lower <= one.lower <= one.upper <= other.upper
    if rule in ("ladder", "free-ladder", "rounded"):
        longer = answers(started(rule, looks=80), submissions)
        for one, other in zip(usual, longer, strict=True):
            assert other.lower <= one.lower <= one.upper <= other.upper


@each_rule
@given(submissions=many_rows)
@settings(max_examples=30, deadline=None)
def test_bits_are_at_most_those_of_all_answers_written_out(rule, submissions):
    told = answers(started(rule), submissions)
    most = max(answer.answers for answer in told)
    for look, answer in enumerate(told, start=1):
        # The number of the kind; and where near answers are cheap, leaps cost up to twice as much.
        each = math.log2(most + 1) * (2 if rule == "rounded" else 1)
        assert 0 <= answer.bits <= look * each + math.log2(look + 1)


@given(submissions=many_rows, steps=st.integers(1, 15))
@settings(max_examples=100, deadline=None)
def test_a_ladder_stands_next_to_the_best_on_the_hidden_rows(submissions, steps):
    """The deterministic half of its promise, in fractions: R_t - eta <= best <= R_t + eta / 2."""
    eta = Fraction(1, steps)
    state = release.Ladder(n=N, looks=8, step=1 / steps, better="lower")
    least = Fraction(1)
    for rows in submissions:
        least = min(least, Fraction(sum(rows), N))
        told, state = release.look(state, rows)
        shown = Fraction(told.value).limit_denominator(1000)
        assert shown - eta - Fraction(1, 10**9) <= least <= shown + eta / 2 + Fraction(1, 10**9)


@given(submissions=many_rows)
@settings(max_examples=100, deadline=None)
def test_so_does_the_parameter_free_one_up_to_a_standard_error(submissions):
    state, best = release.FreeLadder(n=N, looks=8), 0.0
    for rows in submissions:
        best = max(best, sum(rows) / N)
        told, state = release.look(state, rows)
        assert told.value - 1e-9 <= best <= told.value + 1 / math.sqrt(N - 1) + 1e-9


@given(
    gains=st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1.0]), min_size=1, max_size=40),
    cuts=st.sets(st.integers(1, 39)),
)
@settings(max_examples=50, deadline=None)
def test_evidence_does_not_depend_on_where_batches_end(gains, cuts):
    whole = release.Fresh().opening("a", weight=1)
    parts = whole
    told, _ = release.look(whole, release.Submission(gains, claim="a"))
    for part in np.split(np.array(gains), sorted(c for c in cuts if c < len(gains))):
        last, parts = release.look(parts, release.Submission(part, claim="a"))
    assert (last.value, last.verdict) == (told.value, told.verdict)
