"""Quantiles that may be watched: ranks, limits, paths, and what is refused."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from nofluke import sequences
from nofluke.errors import InputError
from nofluke.kernels import quantile_sequences as kernel

US = (1e-4, 0.05, 0.3, 0.5, 0.9, 0.999)


def ratio(mixture, s, t):
    """The mixture by numerical integration over q."""
    a, b, u = mixture.size * mixture.u, mixture.size * (1 - mixture.u), mixture.u
    top = u if mixture.cut else 1.0

    def law(q):
        return math.exp((a - 1) * math.log(q) + (b - 1) * math.log1p(-q))

    def term(q):
        return law(q) * math.exp(s * math.log(q / u) + (t - s) * math.log((1 - q) / (1 - u)))

    mid = top / 2
    inside = [quad(f, 0, mid, limit=400)[0] + quad(f, mid, top, limit=400)[0] for f in (term, law)]
    return inside[0] / inside[1]


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("u", "design"), [(0.3, 25), (0.5, 100), (0.8, 60)])
def test_counts_are_where_the_integrated_mixture_falls_below_1_over_alpha(u, design, two_sided):
    mixture = kernel.tuned(u, design, two_sided=two_sided)
    for t in (5, 23, 60):
        least = kernel.least_count(mixture, t, 0.1)
        values = [ratio(mixture, s, t) for s in range(least + 1)]
        assert values[-1] < 10
        assert all(value >= 10 for value in values[:-1])


@pytest.mark.parametrize("u", US)
@pytest.mark.parametrize("alpha", [0.5, 0.1, 1e-6])
@pytest.mark.parametrize("two_sided", [True, False])
def test_the_recursion_over_runs_and_the_search_at_one_number_agree(u, alpha, two_sided):
    sizes = (*range(1, 40), *range(40, 301, 13))
    for design in (1, 25, 500):
        mixture = kernel.tuned(u, design, two_sided=two_sided)
        counts = kernel.least_counts(mixture, 300, alpha)
        assert counts[np.array(sizes) - 1].tolist() == [
            kernel.least_count(mixture, t, alpha) for t in sizes
        ]
        assert set(np.diff(counts).tolist()) <= {0, 1}
        first = kernel.first_size(mixture, alpha)
        assert first == 1 + int(np.argmax(counts > 0)) if counts.any() else first > 300


def test_levels_next_to_1_do_not_overflow():
    mixture = kernel.tuned(0.999, 25, two_sided=True)
    counts = kernel.least_counts(mixture, 3000, 1e-300)
    assert counts[-1] == kernel.least_count(mixture, 3000, 1e-300) > 0


def test_the_whole_law_has_both_limits_before_two_limits_at_half_of_alpha():
    assert sequences.quantile_needs(0.05, level=0.9) == (53, 3)
    assert sequences.quantile_needs(0.05, level=0.95, side="lower")[0] == 63
    for u in (0.01, 0.1, 0.25):
        both = sequences.quantile_needs(u, level=0.9)[0]
        halves = sequences.quantile_needs(u, level=0.95, side="lower")[0]
        assert both < halves


@pytest.mark.parametrize("u", [0.01, 0.05, 0.25, 0.5, 0.75, 0.95])
@pytest.mark.parametrize("alpha", [0.2, 0.1, 0.05, 0.01])
def test_one_side_is_never_looser_than_both(u, alpha):
    one, both = (
        kernel.least_counts(kernel.tuned(u, 25, two_sided=two), 1000, alpha)
        for two in (False, True)
    )
    assert (one >= both).all()


@pytest.mark.parametrize("n", [1, 2, 17, 300])
@pytest.mark.parametrize("kinds", [3, 1000])
def test_running_order_statistics_are_those_of_each_beginning(n, kinds):
    x = np.random.default_rng(n).integers(0, kinds, n).astype(float)
    ranks = kernel.least_counts(kernel.tuned(0.4, 10, two_sided=False), n, 0.3)
    expected = [np.sort(x[:t])[r - 1] if r else -math.inf for t, r in enumerate(ranks, start=1)]
    assert kernel.running_order(x, ranks).tolist() == expected


def test_a_rank_at_every_run_is_followed_too():
    x = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    assert kernel.running_order(x, np.arange(1, 6)).tolist() == [3, 3, 3, 5, 5]
    assert kernel.running_order(x, np.ones(5, dtype=np.int64)).tolist() == [3, 1, 1, 1, 1]


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
@pytest.mark.parametrize("u", [0.05, 0.5, 0.9])
def test_a_path_is_the_interval_after_each_run(u, side):
    x = np.random.default_rng(5).normal(size=120)
    path = sequences.quantile_path(x, u, level=0.9, side=side)
    for t in (1, 2, 30, 77, 120):
        found = sequences.quantile(x[:t], u, level=0.9, side=side)
        assert (path.lower[t - 1], path.upper[t - 1]) == (found.lower, found.upper)
        assert tuple(path.ranks[t - 1]) == found.ranks


def test_a_running_intersection_is_nested_and_never_empty():
    x = np.concatenate([np.linspace(0, 1, 60), np.linspace(9, 10, 200)])  # no iid draws
    plain = sequences.quantile_path(x, 0.5, level=0.9)
    path = sequences.quantile_path(x, 0.5, level=0.9, running=True)
    assert (path.lower[1:] >= path.lower[:-1]).all()
    assert (path.upper[1:] <= path.upper[:-1]).all()
    assert (path.lower <= path.upper).all()
    assert plain.lower[-1] > path.upper[-1]  # the drift makes the plain ones disjoint


def test_what_an_interval_says():
    x = np.random.default_rng(1).normal(size=30)
    found = sequences.quantile(x, 0.05, level=0.9, bounds=(-9, 9))
    assert (found.status, found.lower, found.guarantee) == ("one_sided", -9, "anytime")
    assert found.ranks[0] == 0
    assert found.upper == np.sort(x)[found.ranks[1] - 1]
    assert found.n_needed == sequences.quantile_needs(0.05, level=0.9) == (53, 3)
    assert (found.level, found.coverage, sum(found.miss)) == pytest.approx((0.9, 0.9, 0.1))
    assert found.coverage_band[0] > 0.9
    assert "a lower limit exists from n = 53 on" in found.reason
    none = sequences.quantile([1.0, 2.0], 0.5, level=0.9)
    assert (none.status, none.lower, none.upper) == ("none", -math.inf, math.inf)
    assert sequences.quantile(x, 0.5, alpha=0.1).status == "two_sided"
    lower = sequences.quantile(x, 0.5, alpha=0.1, side="lower")
    assert (lower.status, lower.upper, lower.miss) == ("one_sided", math.inf, (0.1, 0.0))


def test_limits_exist_from_the_size_that_was_said():
    x = np.arange(60.0)
    for side, which in (("both", 0), ("lower", 0), ("both", 1), ("upper", 1)):
        for u in (0.05, 0.4, 0.95):
            first = sequences.quantile_needs(u, level=0.9, side=side)[which]
            for n in {max(first - 1, 1), first} - {0}:
                limit = sequences.quantile(x[:n], u, level=0.9, side=side)
                finite = math.isfinite((limit.lower, limit.upper)[which])
                assert finite == (n >= first)


def test_infinite_runs_are_values():
    found = sequences.quantile([1.0] * 30 + [math.inf] * 30, 0.5, level=0.9)
    assert (found.lower, found.upper, found.n_distinct) == (1.0, math.inf, 2)
    assert found.status == "two_sided"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"u": 0.0}, "NF008"),
        ({"u": 95}, "NF008"),
        ({"level": 95}, "NF008"),
        ({"design": 0}, "NF008"),
        ({"side": "left"}, "NF008"),
        ({"bounds": (0, 1)}, "NF010"),
        ({"x": [1.0, math.nan]}, "NF007"),
        ({"x": []}, "NF002"),
        ({"u": 1e-18}, "NF050"),
        ({"u": 1 - 1e-9}, "NF050"),
    ],
)
def test_what_is_refused(how, code):
    asked = {"x": [1.0, 2.0, 3.0], "u": 0.5, "level": 0.9} | how
    for ask in (sequences.quantile, sequences.quantile_path):
        with pytest.raises(InputError) as error:
            ask(asked["x"], asked["u"], **{k: v for k, v in asked.items() if k not in ("x", "u")})
        assert error.value.code == code


def test_a_design_without_reach_is_refused():
    with pytest.raises(InputError, match="smaller design=") as error:
        sequences.quantile_needs(0.5, level=0.9, design=10**40)
    assert error.value.code == "NF050"
