"""What holds for every ranking: order of the input, monotonicity, intervals that fit together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nofluke import Scores, plan, rank
from nofluke.kernels import ranks
from nofluke.questions.rank_methods import METHODS

METHOD = pytest.mark.parametrize("method", METHODS)
# Few different values, so that ties and identical candidates are common.
BOARDS = st.tuples(st.integers(2, 4), st.integers(2, 14)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
)
EDGES = st.integers(1, 6).flatmap(lambda k: arrays(bool, (k, k)))


def table(x, names, examples, **options):
    return Scores.from_arrays(
        x, candidates=names, examples=examples, better="higher", bounds=(0, 1), **options
    )


def named(x):
    return [f"c{k}" for k in range(len(x))], [f"e{i}" for i in range(x.shape[1])]


def asked(scores, method, **how):
    return rank(scores, method=method, alpha=0.2, n_resamples=100, **how)


@METHOD
@settings(max_examples=15, deadline=None)
@given(x=BOARDS, data=st.data())
def test_the_order_of_candidates_and_examples_does_not_matter(method, x, data):
    names, examples = named(x)
    rows = data.draw(st.permutations(range(len(x))))
    columns = data.draw(st.permutations(range(x.shape[1])))
    one = asked(table(x, names, examples), method)
    other = asked(
        table(x[np.ix_(rows, columns)], [names[k] for k in rows], [examples[i] for i in columns]),
        method,
    )
    ours, theirs = one.to_dict(), other.to_dict()
    ours.pop("digest"), theirs.pop("digest")
    assert ours == theirs


@METHOD
@settings(max_examples=15, deadline=None)
@given(x=BOARDS)
def test_everything_fits_together(method, x):
    names, _ = named(x)
    x = np.tile(x, (1, 5))
    answer = asked(table(x, names, [f"e{i}" for i in range(x.shape[1])]), method)
    K, rows = len(names), answer.rows()
    for row in rows:
        above = sum(e["worse"] == row["candidate"] for e in answer.edges)
        below = sum(e["better"] == row["candidate"] for e in answer.edges)
        assert (row["rank_low"], row["rank_high"]) == (1 + above, K - below)
        assert 1 <= row["rank_low"] <= row["rank_high"] <= K
        if method != "anytime":
            assert row["may_be_best"] == (row["rank_low"] == 1)
    assert answer.best_set == tuple(r["candidate"] for r in rows if r["may_be_best"])
    estimates = [row["estimate"] for row in rows]
    assert estimates == sorted(estimates, reverse=True)
    assert {row["tier"] for row in rows} == set(range(1, answer.n_tiers + 1))
    tier = {row["candidate"]: row["tier"] for row in rows}
    assert all(tier[e["better"]] < tier[e["worse"]] for e in answer.edges)
    assert all(e["adjusted"] <= 0.2 for e in answer.edges)
    assert answer.mcs_set


@pytest.mark.parametrize("method", ["holm", "max_t"])
@settings(max_examples=15, deadline=None)
@given(x=BOARDS)
def test_mirrored_scores_and_bounds_in_other_units_give_the_same_ranks(method, x):
    names, examples = named(x)
    one = asked(table(x, names, examples), method)
    mirrored = Scores.from_arrays(
        3 - 2 * x, candidates=names, examples=examples, better="lower", bounds=(1, 3)
    )
    other = asked(mirrored, method)
    said = [{k: r[k] for k in ("candidate", "rank_low", "rank_high")} for r in one.rows()]
    assert said == [{k: r[k] for k in ("candidate", "rank_low", "rank_high")} for r in other.rows()]


@pytest.mark.parametrize("planned", [None, 60])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), first=st.integers(5, 59))
def test_what_was_said_at_an_earlier_look_is_never_taken_back(planned, seed, first):
    x = np.random.default_rng(seed).random((3, 60)) ** np.array([[0.5], [1.0], [3.0]])
    names, examples = named(x)
    at = sorted(examples.index(i) for i in plan.order(examples, seed=2)[:first])
    early = table(x[:, at], names, [examples[i] for i in at])
    how = {"planned": planned, "seed": 2}
    before = asked(early, "anytime", **how)
    after = asked(table(x, names, examples), "anytime", **how)
    called = [{(e["better"], e["worse"]) for e in a.edges} for a in (before, after)]
    assert called[0] <= called[1] or any(n.startswith("NF165") for n in after.notes)
    assert set(after.best_set) <= set(before.best_set)


@settings(max_examples=25, deadline=None)
@given(x=BOARDS)
def test_a_binary_board_calls_no_less_where_the_level_is_larger(x):
    names, _ = named(x)
    binary = Scores.from_arrays(
        np.tile((x > 0.3).astype(float), (1, 4)), candidates=names, better="higher", binary=True
    )
    found = [
        {(e["better"], e["worse"]) for e in rank(binary, alpha=a, n_resamples=100).edges}
        for a in (0.01, 0.1, 0.5)
    ]
    assert found[0] <= found[1] <= found[2]
    simple = rank(binary, alpha=0.1, method="bonferroni", n_resamples=100)
    assert {(e["better"], e["worse"]) for e in simple.edges} <= found[1]


@given(edges=EDGES)
def test_limits_hold_every_order_that_keeps_to_the_edges(edges):
    np.fill_diagonal(edges, val=False)
    edges = np.triu(edges)  # earlier candidates are better
    low, high = ranks.rank_limits(edges)
    order = np.arange(1, len(edges) + 1)
    assert (low <= order).all()
    assert (order <= high).all()


@given(edges=EDGES)
def test_tiers_keep_to_all_edges_outside_circles(edges):
    np.fill_diagonal(edges, val=False)
    tier = ranks.tiers(edges)
    reach = edges.copy()
    for k in range(len(edges)):
        reach |= reach[:, [k]] & reach[[k], :]
    for i, j in np.argwhere(edges):
        assert tier[i] < tier[j] or (reach[j, i] and tier[i] == tier[j])


@given(p=arrays(float, (4, 4), elements=st.floats(1e-6, 1)))
def test_adjusted_values_follow_the_values(p):
    off = ranks.off_diagonal(4)
    for adjust in (ranks.holm, ranks.bonferroni, lambda v: ranks.e_bh(-v)):
        adjusted = adjust(np.log(p))
        order = np.argsort(p[off], kind="stable")
        assert (np.diff(adjusted[off][order]) >= 0).all()
        assert np.isinf(adjusted.diagonal()).all()
