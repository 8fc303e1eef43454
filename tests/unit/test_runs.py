"""Runs: what one run is, the rows of the answer, and what it says."""

import json
import math
import re

import numpy as np
import pytest
from scipy import stats

import nofluke
from nofluke import Scores, quantiles, read, runs
from nofluke.errors import InputError
from nofluke.questions.replicates import folds
from nofluke.questions.runs_answer import quantile_name
from nofluke.questions.runs_work import first_limit, needed, plain_bootstrap


def numbers(n=25, seed=0, mean=0.9):
    return np.random.default_rng(seed).normal(mean, 0.02, n)


def table(rows, **how):
    return nofluke.read([dict(row) for row in rows], **how)


def grid(K=2, runs=6, examples=3, seed=0, **extra):
    rng = np.random.default_rng(seed)
    return [
        {"model": f"m{k}", "seed": r, "item": f"e{e}", "score": float(rng.random()), **extra}
        for k in range(K)
        for r in range(runs)
        for e in range(examples)
    ]


def notes(answer, code):
    return [note for note in answer.notes if note.startswith(code)]


def test_a_row_is_the_interval_of_the_library_and_keeps_its_terms():
    x = numbers()
    for how in ({}, {"guaranteed": True}, {"method": "nyblom"}, {"tail": "log-concave"}):
        row = runs(x, quantile=0.2, level=0.8, **how).rows()[0]
        told = quantiles.interval(x, 0.2, level=0.8, **how)
        assert (row["lower"], row["upper"]) == (told.lower, told.upper)
        assert (row["rank_lower"], row["rank_upper"]) == told.ranks
        assert (row["guarantee"], row["method"]) == (told.guarantee, told.method)
        assert (row["coverage"], row["n"], row["status"]) == (told.coverage, 25, told.status)


def test_the_mean_has_sd_se_and_half_interval_under_their_names():
    x = numbers(7)
    row = runs(x, level=0.95).means[0]
    assert row["mean"] == pytest.approx(np.mean(x), rel=1e-14)
    assert row["sd"] == pytest.approx(np.std(x, ddof=1), rel=1e-13)
    assert row["se"] == pytest.approx(stats.sem(x), rel=1e-13)
    low, high = stats.t.interval(0.95, 6, loc=np.mean(x), scale=stats.sem(x))
    assert (row["lower"], row["upper"]) == pytest.approx((low, high), rel=1e-13)
    assert row["half_width"] == pytest.approx((high - low) / 2, rel=1e-12)


def test_forms_of_input_agree():
    x, y = numbers(9), numbers(9, 1)
    plain = runs({"a": x, "b": y})
    wide = runs(
        table([{"seed": i, "a": p, "b": q} for i, (p, q) in enumerate(zip(x, y, strict=True))])
    )
    long = runs(
        table(
            [{"model": "a", "seed": i, "score": p} for i, p in enumerate(x)]
            + [{"model": "b", "seed": i, "score": q} for i, q in enumerate(y)]
        )
    )
    one_item = runs(
        table(
            [
                {"model": m, "seed": i, "item": "test set", "score": p}
                for m, v in (("a", x), ("b", y))
                for i, p in enumerate(v)
            ]
        )
    )
    alone = runs(x)
    assert plain.rows() == wide.rows() == long.rows() == one_item.rows()
    assert alone.rows()[0] | {"candidate": "a"} == plain.rows()[0]
    assert notes(long, "NF186")
    assert not notes(one_item, "NF186")


def test_unequal_numbers_of_runs_are_no_gap():
    answer = runs({"a": numbers(10), "b": numbers(5)})
    assert [row["n"] for row in answer.rows()] == [10, 5]
    assert answer.n == 15


def test_a_missing_limit_is_open_or_the_natural_bound_and_says_what_it_needs():
    free, held = runs(numbers(), quantile=0.05), runs(numbers(), quantile=0.05, bounds=(0, 1))
    row = free.rows()[0]
    assert (row["lower"], row["status"]) == (-math.inf, "one_sided")
    assert (row["needed_lower"], row["needed"]) == (45, 2)
    assert held.rows()[0]["lower"] == 0.0
    said = held.sentences()[0]
    assert said.startswith("With about 90 % confidence the 5th percentile of score is at most 0.8")
    assert "A limit from below needs 45 runs at this level; you have 25." in said
    assert "at least 0.)" in said
    assert "at least" not in free.sentences()[0]
    assert json.loads(free.to_json())["rows"][0]["lower"] == "-inf"
    high = runs(-numbers(), quantile=0.95).sentences()[0]
    assert "95th percentile of score is at least" in high
    assert "A limit from above needs 45 runs" in high


def test_exact_and_approximate_claims_are_worded_apart():
    exact = runs(numbers(10), level=0.95, guaranteed=True)
    assert exact.guarantee == "finite-sample"
    assert exact.sentences()[0].startswith("With 95 % confidence the median")
    assert "cover with at least 97.85 %" in exact.sentences()[0]
    near = runs(numbers(10), level=0.95)
    assert near.guarantee == "asymptotic"
    assert near.sentences()[0].startswith("With about 95 % confidence the median")
    tail = runs(numbers(10), quantile=0.05, tail="log-concave")
    assert tail.sentences()[0].startswith("If the tails are log-concave: with about 90 %")
    assert notes(tail, "NF192")
    assert any("Log F is concave" in text for text in tail.assumes)


def test_a_method_that_misses_its_level_says_so():
    answer = runs(numbers(10), method="bootstrap")
    assert answer.sentences()[0].startswith(
        "By a method that aims at 90 % confidence and attains about 77.3 %, the median"
    )
    beyond = runs(numbers(10), quantile=0.05, method="semiparametric_bootstrap").sentences()[0]
    assert "attains about 83.2 % for a density that is constant there, the 5th" in beyond
    heuristic = runs(numbers(25), method="semiparametric_bootstrap")
    assert heuristic.guarantee == "heuristic"
    assert "aims at 90 % confidence and does not promise it" in heuristic.sentences()[0]
    assert not notes(heuristic, "NF189")


def test_limits_in_words_are_rounded_outward():
    answer = runs([0.1234567, 0.2345678, 0.3456789, 0.4567891, 0.5678912], guaranteed=True)
    assert "between 0.12345 and 0.5679 " in answer.sentences()[0]


def test_simultaneous_intervals_share_the_error_level():
    three = {name: numbers(20, i) for i, name in enumerate("abc")}
    answer = runs(three, quantile=(0.5, 0.25), simultaneous=True)
    assert answer.interval_level == pytest.approx(1 - 0.1 / 6, abs=1e-15)
    alone = quantiles.interval(three["a"], 0.5, level=answer.interval_level)
    assert answer.rows()[0]["lower"] == alone.lower
    assert "for all 6 intervals at once" in answer.sentences()[0]
    assert "hold all at once" in notes(answer, "NF190")[0]
    assert "not all at once" in notes(runs(three), "NF190")[0]
    assert not notes(runs(numbers()), "NF190")


def test_a_repeated_quantile_is_refused_and_not_dropped():
    with pytest.raises(InputError, match=r"0\.5 more than once; give each quantile once"):
        runs(numbers(12), quantile=(0.5, 0.25, 0.5))


def test_joint_quantiles_are_those_of_the_library():
    x = numbers(30)
    answer = runs(x, quantile=(0.25, 0.5), joint=True)
    told = quantiles.several.joint(x, (0.25, 0.5), level=0.9)
    assert [(r["lower"], r["upper"]) for r in answer.rows()] == [(t.lower, t.upper) for t in told]
    assert "for these 2 quantiles at once" in answer.sentences()[0]
    few = runs(numbers(12), quantile=(0.1, 0.5), joint=True).sentences()[0]
    assert "36 runs are enough for a limit from below; you have 12." in few


def test_a_difference_without_limits_is_estimated_at_the_decimal_that_was_typed():
    answer = runs({"a": np.arange(1.0, 26.0), "b": [0.0]}, quantile=0.28, against="a")
    assert answer.differences[0]["estimate"] == -7.0


@pytest.mark.parametrize("joint", [False, True])
def test_one_run_needs_what_a_few_runs_of_another_need(joint):
    """Numbers of runs that are needed do not depend on how many there are."""
    rows = runs({"a": numbers(3), "b": [0.7]}, quantile=(0.05, 0.5), joint=joint).rows()
    keys = ("needed", "needed_lower", "needed_upper")
    told = {(row["candidate"], row["quantile"]): [row[key] for key in keys] for row in rows}
    assert all(told["a", u] == told["b", u] for u in (0.05, 0.5))


def test_joint_keeps_its_promise_for_one_quantile_too():
    answer = runs(numbers(30), joint=True)
    (told,) = quantiles.several.joint(numbers(30), (0.5,), level=0.9)
    row = answer.rows()[0]
    assert (row["lower"], row["upper"], row["method"]) == (told.lower, told.upper, "joint")
    assert answer.joint
    assert row["coverage"] >= 0.9
    assert answer.guarantee == row["guarantee"] == "finite-sample"
    assert "at once" not in answer.sentences()[0]
    two = runs({"a": numbers(20), "b": numbers(20)}, joint=True)
    assert "2 intervals hold each by itself with confidence 90 %" in notes(two, "NF190")[0]


@pytest.mark.parametrize("how", [{"method": "hutson"}, {"method": "nope"}, {"tail": "log-concave"}])
def test_joint_passes_no_other_choice_over(how):
    with pytest.raises(InputError, match="simultaneous=True") as refused:
        runs(numbers(30), quantile=(0.25, 0.5), joint=True, **how)
    assert refused.value.code == "NF039"


def test_beside_joint_a_method_is_that_of_paired_differences():
    both = {"a": numbers(20), "b": numbers(20) + np.linspace(0.0, 0.05, 20)}
    answer = runs(both, joint=True, against="a", paired=True, method="exact")
    assert {row["method"] for row in answer.rows()} == {"joint"}
    assert answer.differences[0]["method"] == "exact"


def test_difference_of_quantiles_and_quantile_of_differences_are_two_questions():
    both = {"a": numbers(20), "b": numbers(20) + np.linspace(0.0, 0.05, 20)}
    apart = runs(both, against="a")
    within = runs(both, against="a", paired=True)
    told = quantiles.differences.difference(both["a"], both["b"], 0.5, level=0.9)
    row = apart.differences[0]
    assert (row["lower"], row["upper"], row["candidate"]) == (told.lower, told.upper, "b")
    paired = quantiles.interval(both["b"] - both["a"], 0.5, level=0.9)
    row = within.differences[0]
    assert (row["lower"], row["upper"]) == (paired.lower, paired.upper)
    assert any("how far the two quantiles are apart, not" in s for s in apart.sentences())
    assert any("about the difference of one pair, not" in s for s in within.sentences())
    assert any("independently" in text for text in apart.assumes)
    assert not any("independently" in text for text in within.assumes)


def test_a_guaranteed_difference_is_one():
    both = {"a": numbers(20), "b": numbers(20, 1)}
    answer = runs(both, against="a", guaranteed=True)
    assert answer.differences[0]["guarantee"] == "finite-sample"
    assert answer.guarantee == "finite-sample"


def test_pairs_need_the_same_runs():
    both = {"a": numbers(10), "b": numbers(9)}
    with pytest.raises(InputError, match="needs the same runs in both"):
        runs(both, against="a", paired=True)
    for against in ("c", None):
        with pytest.raises(InputError, match="against"):
            runs(both, against=against, paired=True)
    with pytest.raises(InputError, match="no other configuration"):
        runs({"a": numbers(10)}, against="a")


def test_several_examples_in_a_run_are_averaged_or_answered_one_by_one_and_never_guessed():
    rows = grid()
    with pytest.raises(InputError, match="no further runs") as told:
        runs(table(rows))
    assert told.value.code == "NF045"
    mean = runs(table(rows), value="mean")
    values = np.array([row["score"] for row in rows]).reshape(2, 6, 3)
    assert mean.samples[1]["values"] == pytest.approx(values[1].mean(axis=1).tolist(), rel=1e-14)
    assert "mean score" in mean.sentences()[0]
    each = runs(table(rows), each="example")
    assert [(r["candidate"], r["part"]) for r in each.rows()][:3] == [
        ("m0", "e0"),
        ("m0", "e1"),
        ("m0", "e2"),
    ]
    assert sorted(each.samples[4]["values"]) == sorted(values[1, :, 1].tolist())
    with pytest.raises(InputError, match="two answers to one question"):
        runs(table(rows), each="example", value="mean")
    with pytest.raises(InputError, match="every example is one run"):
        runs(table(rows), each="cluster")


def test_runs_over_different_examples_are_not_averaged():
    rows = grid(K=1)[:-1]
    with pytest.raises(InputError, match="means over different examples"):
        runs(table(rows), value="mean")
    assert runs(table(rows), value="mean", missing="own").rows()[0]["n"] == 5


def test_examples_nested_in_runs_are_no_runs():
    rows = [{"seed": f"{s}-{k}", "item": s, "score": 0.1 * k + s} for s in range(3) for k in (1, 2)]
    with pytest.raises(InputError) as told:
        runs(table([{"model": "a", **row} for row in rows]))
    assert told.value.code == "NF045"


def test_clusters_with_several_runs_are_refused_and_may_be_asked_inside():
    rows = [
        {"model": "a", "seed": f"{c}{i}", "cluster": f"c{c}", "score": c + 0.1 * i}
        for c in range(3)
        for i in range(6)
    ]
    with pytest.raises(InputError, match="18 runs lie in 3 clusters") as told:
        runs(table(rows))
    assert told.value.code == "NF044"
    inside = runs(table(rows), each="cluster")
    assert [(row["part"], row["n"]) for row in inside.rows()] == [("c0", 6), ("c1", 6), ("c2", 6)]
    assert runs(table(rows, columns={"cluster": None})).rows()[0]["n"] == 18
    own = [row | {"cluster": row["seed"]} for row in rows]
    assert runs(table(own)).rows()[0]["n"] == 18
    one = [row | {"cluster": "all"} for row in rows]
    assert runs(table(one)).rows()[0]["n"] == 18


def test_runs_nested_in_clusters_are_found_behind_a_mean():
    rows = [row | {"cluster": f"split{int(row['seed']) // 2}"} for row in grid(K=1)]
    with pytest.raises(InputError) as told:
        runs(table(rows), value="mean")
    assert told.value.code == "NF044"
    of_examples = [row | {"cluster": row["item"]} for row in grid(K=1)]
    assert runs(table(of_examples), value="mean").rows()[0]["n"] == 6


@pytest.mark.parametrize(
    "rows",
    [
        [{"fold": i, "accuracy": 0.8 + 0.01 * i} for i in range(8)],
        [{"item": f"adult/fold{i}", "accuracy": 0.8 + 0.01 * i} for i in range(8)],
    ],
)
def test_folds_have_no_guarantee(rows):
    answer = runs(table([{"model": "m", **row} for row in rows]))
    assert answer.guarantee == "heuristic"
    assert notes(answer, "NF189")
    assert answer.sentences()[0].startswith("If the runs were independent, with about 90 %")
    assert {row["guarantee"] for row in answer.rows()} == {"heuristic"}


def test_what_is_called_a_fold():
    assert folds(["fold 1", "cv_fold-2", "australian/fold3"])
    assert not folds(["scaffold1"])
    assert not folds(["fold1", "other"])
    assert not folds([])


def test_one_candidate_without_enough_runs_hides_nobody():
    answer = runs({"a": numbers(10), "b": [0.5]})
    first, second = answer.rows()
    assert (first["status"], second["status"]) == ("two_sided", "none")
    assert second["rank_lower"] is None
    assert second["needed"] == 5
    assert "'b' with 1 run." in notes(answer, "NF191")[0]
    assert "5 (median)" in notes(answer, "NF191")[0]
    assert answer.guarantee == "asymptotic"
    with pytest.raises(InputError, match="5 for a first limit, 5 for two") as told:
        runs({"a": [0.4], "b": [0.5]})
    assert told.value.code == "NF043"


def test_three_runs_have_a_mean_and_no_median_interval():
    answer = runs([0.81, 0.84, 0.8])
    assert answer.guarantee == "descriptive"
    assert answer.rows()[0]["status"] == "none"
    assert answer.means[0]["half_width"] > 0
    assert answer.sentences()[0].startswith("No interval for the median of score: 3 runs give no")


def test_ties_and_bounds_are_told():
    tied = runs([0.5] * 6 + [0.6] * 6)
    assert "2 different in 12 runs" in notes(tied, "NF181")[0]
    assert not notes(runs(numbers()), "NF181")
    at = runs([1.0, 0.9, 0.8, 1.0, 0.7, 0.95], bounds=(0, 1))
    assert "2 runs score exactly a natural bound (0 or 1)" in notes(at, "NF182")[0]
    constant = runs([0.9] * 8).rows()[0]
    assert (constant["lower"], constant["upper"], constant["n_distinct"]) == (0.9, 0.9, 1)


def test_missing_runs():
    gaps = {"a": [0.9, math.nan, 0.8, 0.7, 0.85, 0.95], "b": numbers(6)}
    with pytest.raises(InputError, match="1 run has no score: 'a' lacks 1"):
        runs(gaps)
    own = runs(gaps, missing="own")
    assert own.rows()[0]["n"] == 5
    assert notes(own, "NF109")
    assert any("nothing to do with its score" in text for text in own.assumes)
    worst = runs(gaps, missing="worst", better="higher", bounds=(0, 1))
    assert worst.samples[0]["values"].count(0.0) == 1
    assert runs(gaps, missing="worst", better="lower", bounds=(0, 1)).samples[0]["values"][-1] == 1
    with pytest.raises(InputError, match="declare better= and finite bounds="):
        runs(gaps, missing="worst")


def test_a_missing_run_of_a_table_with_examples_is_filled_where_it_is_missing():
    rows = [dict(row) for row in grid(K=1)]
    rows[4]["score"] = None
    scores = table(rows, better="higher", bounds=(0, 1))
    assert runs(scores, each="example", missing="worst").rows()[1]["n"] == 6
    assert runs(scores, each="example", missing="own").rows()[1]["n"] == 5
    filled = runs(scores, value="mean", missing="worst").samples[0]["values"]
    assert filled[1] == pytest.approx((rows[3]["score"] + rows[5]["score"]) / 3, rel=1e-14)


def test_known_bounds_are_kept_and_broken_ones_refused():
    rows = [{"model": "a", "seed": i, "accuracy": x} for i, x in enumerate(numbers(10))]
    assert runs(table(rows)).bounds == (0.0, 1.0)
    assert runs(table(rows), bounds=(-1, 2)).bounds == (-1.0, 2.0)
    per_cent = [row | {"accuracy": 100 * row["accuracy"]} for row in rows]
    with pytest.raises(InputError, match="look like per cent"):
        runs(table(per_cent))
    assert runs([3.0, 4.0, 5.0, 4.5, 3.5], bounds=(0, math.inf)).rows()[0]["status"] == "two_sided"
    with pytest.raises(InputError, match="infinite"):
        runs([3.0, math.inf, 5.0])


@pytest.mark.parametrize(
    ("scores", "how", "said"),
    [
        ("runs.csv", {}, r"nofluke.read\('runs.csv'\)"),
        ([[1.0, 2.0]], {}, "2 dimensions"),
        (0.5, {}, "0 dimensions"),
        ({}, {}, "no candidates"),
        ([], {}, "no scores"),
        ([0.1, 0.2], {"quantile": 5}, "5 %, write 0.05"),
        ([0.1, 0.2], {"quantile": ()}, "quantile= is empty"),
        ([0.1, 0.2], {"quantile": "a"}, "quantile='a'"),
        ([0.1, 0.2], {"level": 90}, "write 0.9"),
        ([0.1, 0.2], {"each": "seed"}, "each='seed' is not one of"),
        ([0.1, 0.2], {"value": "median"}, "value='median' is not one of"),
        ([0.1, 0.2], {"missing": "zero"}, "missing='zero' is not one of"),
        ([0.1, 0.2], {"each": "example"}, "needs a run column"),
        ([0.1, 0.2], {"each": "cluster"}, "needs a cluster column"),
    ],
)
def test_what_cannot_be_used_is_refused(scores, how, said):
    with pytest.raises(InputError, match=said):
        runs(scores, **how)


def test_the_order_of_runs_does_not_matter():
    x = numbers(15)
    backward = runs({"a": x[::-1], "b": x}, quantile=(0.1, 0.5)).to_dict()["rows"]
    forward = runs({"a": x, "b": x}, quantile=(0.1, 0.5)).to_dict()["rows"]
    assert backward == forward


def test_the_plain_bootstrap_beside_it_is_the_one_that_resampling_gives():
    x, rng = np.sort(numbers(12)), np.random.default_rng(5)
    draws = np.quantile(rng.choice(x, (20000, 12)), 0.3, axis=1, method="inverted_cdf")
    boot = plain_bootstrap(12, 0.3, 0.2)
    assert np.quantile(draws, [0.1, 0.9], method="inverted_cdf") == pytest.approx(
        [x[boot.lower - 1], x[boot.upper - 1]]
    )
    inside = stats.binom.cdf(boot.upper - 1, 12, 0.3) - stats.binom.cdf(boot.lower - 1, 12, 0.3)
    assert boot.coverage == pytest.approx(inside, abs=1e-13)
    work = "\n".join(runs(x, quantile=0.05).work())
    assert "for comparison only, plain percentile bootstrap" in work
    assert "(it undercovers)" in work
    assert "no interval" in runs({"a": x, "b": [0.1]}).work()[-1]


def test_runs_needed():
    assert needed(0.05, 0.95) == (59, 1)
    assert needed(0.95, 0.95) == (1, 59)
    assert (first_limit(0.5, 0.9), first_limit(0.95, 0.95)) == (5, 2)


def test_names_of_quantiles():
    named = {0.01: "1st", 0.02: "2nd", 0.03: "3rd", 0.11: "11th", 0.21: "21st", 0.999: "99.9th"}
    assert {u: quantile_name(u).split()[0] for u in named} == named


def test_many_samples_are_summed_up():
    answer = runs({f"m{i}": numbers(6, i) for i in range(20)})
    assert answer.sentences()[0].startswith("20 of 20 intervals were found, for 20 samples of runs")
    assert len(answer.sentences()) == 2


def test_json_holds_the_record():
    answer = runs({"a": numbers(10), "b": numbers(3)}, quantile=(0.05, 0.5), against="a")
    told = json.loads(answer.to_json())
    assert told["kind"] == "runs"
    assert len(told["rows"]) == 4
    assert len(told["differences"]) == 2
    assert told["samples"][0]["values"] == numbers(10).tolist()
    assert (
        answer.to_json()
        == runs({"a": numbers(10), "b": numbers(3)}, quantile=(0.05, 0.5), against="a").to_json()
    )
    assert answer.frame().shape[0] == 4


def test_scores_with_failed_runs_count_the_worst():
    rows = [
        {"model": "a", "seed": i, "accuracy": 0.9, "status": "ok" if i else "crashed"}
        for i in range(8)
    ]
    answer = runs(table(rows, failed="status"))
    assert answer.samples[0]["values"] == [0.0] + [0.9] * 7
    assert "worst possible score (0)" in notes(answer, "NF110")[0]


def test_truth_values_are_numbers():
    answer = runs(Scores.from_arrays({"a": np.array([True] * 5 + [False])}, better="higher"))
    assert answer.rows()[0]["estimate"] == 1.0


FEW = [round(0.7 + 0.013 * (7 * i % 11) + 0.0007 * i, 4) for i in range(60)]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"guaranteed": True},
        *({"method": name} for name in ("hutson", "exact", "nyblom", "asymptotic")),
    ],
    ids=lambda how: str(*how.values()),
)
@pytest.mark.parametrize("u", [0.05, 0.3, 0.42, 0.45, 0.5, 0.55, 0.95])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 9, 45, 50, 58])
def test_nobody_is_told_to_have_the_runs_he_has(n, u, how):
    answer = runs(FEW[:n], quantile=u, **how)
    said = answer.sentences()[0]
    asked = re.findall(r"needs (\d+) runs at this level; you have (\d+)", said)
    assert all(int(needs) > int(have) for needs, have in asked), said
    if said.startswith("No interval"):
        assert re.search("give no |there is no |give no limit", said)
    for needs, _ in asked:
        if how == {}:
            more = quantiles.interval(np.arange(float(needs)), u)
            assert more.status == "two_sided" or int(needs) < quantiles.minimal_n(u, 0.9)


def test_a_limit_that_would_exist_alone_names_what_both_need():
    def said(n, u, **how):
        return runs(FEW[:n], quantile=u, **how).sentences()[0]

    assert "from below beside the other one needs 5 runs at this level; you have 4" in said(4, 0.45)
    equal = said(50, 0.05, method="hutson")
    assert "from below beside the other one with equal tails needs 59 runs" in equal
    assert "This method gives no limit from below with 5 runs" in said(5, 0.5, method="asymptotic")
    assert "a limit from below needs 45 runs at this level; you have 10" in said(10, 0.05).replace(
        "A limit", "a limit"
    )
    named = said(4, 0.5, method="hutson")
    assert "4 runs give no lower limit for the median at 90 % with equal tails" in named
    both = runs(FEW[:2], quantile=[0.05, 0.5], joint=True)
    assert both.sentences()[1] == "No interval for the median of score: 2 runs give no limit."
    assert "Enough for a first limit: 6 (median). The others are answered." in both.notes[0]


def test_limits_beyond_the_sample_are_not_called_order_statistics():
    answer = runs(FEW[:3], quantile=0.5, tail="log-concave")
    assert answer.guarantee == "finite-sample"
    assert "order statistic" not in answer.sentences()[0]
    assert answer.sentences()[0].startswith("If the tails are log-concave: with 90 % confidence")


def test_ties_lower_coverage_of_interpolated_limits_only():
    scores = [0.9] * 6 + [0.8] * 2 + [0.95] * 2
    named = runs(scores, quantile=0.5, method="hutson")
    low = named.rows()[0]["coverage_low"]
    assert f"as low as {math.floor(1000 * low) / 1000:g}" in notes(named, "NF181")[0]
    for near in (runs(scores, quantile=0.5), runs(scores, quantile=0.05, guaranteed=True)):
        assert "tied values are not missed" in notes(near, "NF181")[0]


def test_several_samples_say_what_holds_at_once():
    two = {"a": FEW[:20], "b": FEW[20:40]}
    assert (
        "4 intervals hold each by itself with confidence about 90 %"
        in notes(runs(two, quantile=[0.3, 0.5]), "NF190")[0]
    )
    assert (
        "hold all at once with confidence 90 %"
        in notes(runs(two, simultaneous=True, guaranteed=True), "NF190")[0]
    )
    joint = notes(runs(two, quantile=[0.3, 0.5], joint=True), "NF190")[0]
    assert "the 2 intervals of one sample hold at once with confidence 90 %" in joint
    assert "those of all 2 samples do not" in joint


def test_runs_that_all_lack_an_example_leave_nothing(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("model,task,seed,score\na,s,0,1\na,t,0,2\na,s,2,3\na,u,2,3\n")
    table = read(path, columns={"example": "task", "run": "seed"})
    with pytest.raises(InputError, match="each of the 2 runs lacks some of the 3 examples"):
        runs(table, value="mean", missing="own")


def test_one_sample_without_an_interval_leaves_no_others():
    assert "The others" not in notes(runs([0.1, 0.2]), "NF191")[0]
    assert "The others" in notes(runs({"a": [0.1, 0.2], "b": numbers()}), "NF191")[0]


def test_a_plain_list_has_no_column_of_runs(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("acc\n0,91\n0,92\n0,93\n")
    assert "so each line counts as one example" in notes(runs(read(path, decimal=",")), "NF186")[0]
    assert read(path, decimal=",").values.tolist() == [0.91, 0.92, 0.93]
    with pytest.raises(InputError, match="decimal comma"):
        read(path)


def test_repeated_seeds_are_told_how_to_name_the_examples(tmp_path):
    path = tmp_path / "tasks.csv"
    path.write_text("model,task,seed,acc\na,s,0,.1\na,t,0,.2\na,s,1,.3\na,t,1,.4\n")
    with pytest.raises(InputError) as refused:
        read(path)
    assert 'columns={"example": "...", "run": "seed"}' in str(refused.value)
    answer = runs(read(path, columns={"example": "task", "run": "seed"}), value="mean")
    assert answer.rows()[0]["n"] == 2


def test_a_candidate_without_any_score_is_named_and_breaks_nothing():
    rows = [{"model": "a", "seed": s, "acc": 0.5 + s / 10} for s in range(3)]
    rows += [{"model": "b", "seed": s, "acc": None} for s in range(3)]
    with pytest.raises(InputError, match="no score at all for 'b'"):
        runs(read(rows), missing="own")
