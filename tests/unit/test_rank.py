import itertools
import json
import math

import numpy as np
import pytest
import ranks_slowly

import nofluke
from nofluke import Scores, plots, proportions, rank, rank_metrics
from nofluke.errors import InputError
from nofluke.kernels import betting
from nofluke.questions.rank_methods import METHODS
from nofluke.report import page

METHOD = pytest.mark.parametrize("method", METHODS)


def bounded(K=4, n=80, seed=0, step=0.08, **options):
    rng = np.random.default_rng(seed)
    base = rng.random(n) * 0.5
    rows = {f"m{k}": np.clip(base + rng.normal(0.1 + step * k, 0.08, n), 0, 1) for k in range(K)}
    return Scores.from_arrays(rows, better="higher", bounds=(0, 1), **options)


def zero_one(K=4, n=60, seed=0, step=0.2):
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    rows = {f"m{k}": (hard < 0.2 + step * k).astype(float) for k in range(K)}
    return Scores.from_arrays(rows, better="higher", binary=True)


def by_name(answer):
    return {row["candidate"]: row for row in answer.rows()}


def notes(answer, code):
    return [note for note in answer.notes if note.startswith(code)]


def test_a_small_board_by_hand():
    """Three candidates: c is beaten 12 to 0 and 10 to 0, a and b differ on 2 examples."""
    rows = {"a": [1] * 12 + [0] * 8, "b": [1] * 10 + [0] * 10, "c": [0] * 20}
    answer = rank(Scores.from_arrays(rows, better="higher", binary=True))
    # p = 2^-12 and 2^-10 by the exact test; Holm multiplies by 6 and 5.
    edges = {(e["better"], e["worse"]): e["adjusted"] for e in answer.edges}
    assert edges == {
        ("a", "c"): pytest.approx(6 / 4096, rel=1e-12),
        ("b", "c"): pytest.approx(5 / 1024, rel=1e-12),
    }
    assert answer.rows() == [
        {"candidate": "a", "estimate": 0.6, "rank_low": 1, "rank_high": 2, "may_be_best": True,
         "tier": 1, "n": 20},
        {"candidate": "b", "estimate": 0.5, "rank_low": 1, "rank_high": 2, "may_be_best": True,
         "tier": 1, "n": 20},
        {"candidate": "c", "estimate": 0.0, "rank_low": 3, "rank_high": 3, "may_be_best": False,
         "tier": 2, "n": 20},
    ]  # fmt: skip
    assert (answer.test, answer.guarantee, answer.kind) == ("mcnemar", "finite-sample", "rank")
    assert answer.sentences()[0] == (
        "With 95 % confidence, every candidate that is best in mean score is among these 2 of 3: "
        "a, b."
    )


def test_p_values_are_those_of_the_exact_paired_test():
    table = zero_one()
    answer = rank(table, method="bonferroni", alpha=0.2)
    x = {name: table.sample(k) for k, name in enumerate(table.candidates)}
    found = {(e["better"], e["worse"]): e["adjusted"] for e in answer.edges}
    for i, j in itertools.permutations(table.candidates, 2):
        wins, losses = int((x[i] > x[j]).sum()), int((x[i] < x[j]).sum())
        p = min(1.0, 12 * proportions.mcnemar(wins=wins, losses=losses).pvalue)
        assert ((i, j) in found) == (p <= 0.2)
        if (i, j) in found:
            assert found[i, j] == pytest.approx(p, rel=1e-9)


def test_p_values_of_bounded_scores_are_the_inverse_of_stars_largest_wealth():
    table = bounded()
    answer = rank(table)
    order = nofluke.plan.order(table.examples, seed=0)
    at = [table.examples.index(i) for i in order]
    p = {}
    for i, j in itertools.permutations(range(4), 2):
        x = (table.sample(i) - table.sample(j))[at] / 2 + 0.5
        plan = betting.Plan(alpha=0.05 / 12, planned=80, kind="star")
        path = betting.wealth_path(x, np.ones(80), 0.5, plan)
        p[f"m{i}", f"m{j}"] = math.exp(-max(0.0, path.max()))
    rejected = ranks_slowly.holm(p, 0.05)

    assert {(e["better"], e["worse"]) for e in answer.edges} == rejected
    assert rejected
    assert answer.test == "star"


def test_lower_may_be_better():
    up = bounded()
    down = Scores.from_arrays(
        {name: 1 - up.sample(k) for k, name in enumerate(up.candidates)},
        better="lower",
        bounds=(0, 1),
    )
    one, other = rank(up), rank(down)
    assert [r["candidate"] for r in one.rows()] == [r["candidate"] for r in other.rows()]
    assert [r["rank_low"] for r in one.rows()] == [r["rank_low"] for r in other.rows()]
    assert other.better == "lower"
    assert one.edges[0]["gain"] == pytest.approx(other.edges[0]["gain"])
    assert one.edges[0]["gain"] > 0


@METHOD
def test_clear_differences_are_found_by_every_method(method):
    answer = rank(bounded(n=300, step=0.15), method=method, alpha=0.1, n_resamples=500)
    assert [row["candidate"] for row in answer.rows()] == ["m3", "m2", "m1", "m0"]
    assert answer.best_set == ("m3",)
    assert [row["rank_low"] for row in answer.rows()] == [1, 2, 3, 4]
    assert [row["rank_high"] for row in answer.rows()] == [1, 2, 3, 4]
    assert [row["tier"] for row in answer.rows()] == [1, 2, 3, 4]
    assert answer.mcs_set == ("m3",)
    words = {"max_t": "asymptotic", "anytime": "anytime"}
    assert answer.guarantee == words.get(method, "finite-sample")
    assert json.loads(answer.to_json())["best_set"] == ["m3"]


@METHOD
def test_no_difference_is_no_order(method):
    rng = np.random.default_rng(5)
    rows = {f"m{k}": rng.random(50) for k in range(3)}
    table = Scores.from_arrays(rows, better="higher", bounds=(0, 1))
    answer = rank(table, method=method, n_resamples=500)
    assert not answer.edges
    assert {(r["rank_low"], r["rank_high"], r["tier"]) for r in answer.rows()} == {(1, 3, 1)}
    assert "no evidence that the candidates are equal" in str(answer)


def test_the_model_confidence_set_comes_from_the_same_resamples():
    table = bounded(step=0.02)
    answer = rank(table, n_resamples=400, seed=3)
    at = [table.examples.index(i) for i in nofluke.plan.order(table.examples, seed=3)]
    x = table.matrix()[:, at]
    rng = np.random.default_rng(3)
    index = rng.integers(0, 80, (400, 80))
    draws = x[:, index].mean(axis=2).T - x.mean(axis=1)
    slow = ranks_slowly.confidence_of_models(x.mean(axis=1).tolist(), draws)
    found = dict(zip([r["candidate"] for r in answer.rows()], answer.mcs_pvalues, strict=True))
    assert [found[f"m{k}"] for k in range(4)] == pytest.approx(slow, abs=0.08)
    assert answer.mcs_set == tuple(name for name, p in found.items() if p >= 0.05)


class TestUnits:
    def test_clusters_are_units(self):
        rng = np.random.default_rng(0)
        cluster = [str(i // 10) for i in range(200)]
        effect = np.repeat(rng.normal(0, 0.1, (2, 20)), 10, axis=1)
        x = np.clip(0.5 + effect + rng.normal(0, 0.02, (2, 200)), 0, 1)
        table = Scores.from_arrays(x, better="higher", bounds=(0, 1), cluster=cluster)
        by_item, by_cluster = rank(table), rank(table, clusters=True)
        assert (by_item.n_units, by_cluster.n_units) == (200, 20)
        assert by_cluster.unit == "clusters"
        assert notes(by_item, "NF144")
        mapping = dict(zip(table.examples, cluster, strict=True))
        given = rank(table, clusters=mapping)
        assert given.rows() == by_cluster.rows()
        assert given.edges == by_cluster.edges
        for row in by_cluster.rows():
            k = table.candidates.index(row["candidate"])
            assert row["estimate"] == pytest.approx(x[k].mean(), abs=1e-12)

    def test_clusters_by_size_have_the_mean_over_items(self):
        rng = np.random.default_rng(1)
        cluster = [str(c) for c in rng.integers(0, 30, 150)]
        x = rng.random((2, 150))
        table = Scores.from_arrays(x, better="higher", bounds=(0, 1), cluster=cluster)
        for method in ("holm", "max_t", "anytime"):
            sized = rank(table, clusters=True, max_cluster_size=20, method=method, n_resamples=200)
            means = {row["candidate"]: row["estimate"] for row in sized.rows()}
            assert means == {"0": pytest.approx(x[0].mean()), "1": pytest.approx(x[1].mean())}
        with pytest.raises(InputError, match="larger"):
            rank(table, clusters=True, max_cluster_size=2)

    def test_weights_count_and_need_a_known_largest(self):
        table = bounded(K=2, n=50)
        weights = {i: 1.0 + (int(i) % 2) for i in table.examples}
        w = np.array([weights[i] for i in table.examples])
        known = rank(table, weights=weights, max_weight=2)
        x = table.sample(0)
        assert by_name(known)["m0"]["estimate"] == pytest.approx((w * x).sum() / w.sum())
        assert known.guarantee == "finite-sample"
        unknown = rank(table, weights=weights)
        assert unknown.guarantee == "heuristic"
        assert notes(unknown, "NF146")
        assert "without a guarantee" in str(unknown)

    def test_repeats_are_averaged_and_leave_the_exact_test(self, tmp_path):
        path = tmp_path / "runs.csv"
        lines = ["candidate,example,run,score"]
        lines += [
            f"{c},{e},{r},{int((e + r) % 2 or c == 'a')}"
            for c in "ab"
            for e in range(12)
            for r in range(2)
        ]
        path.write_text("\n".join(lines))
        answer = rank(nofluke.read(path, better="higher", binary=True))
        assert answer.test == "star"
        assert notes(answer, "NF137")
        assert by_name(answer)["b"]["estimate"] == 0.5


class TestGaps:
    @property
    def table(self):
        rows = {"a": [1, 1, 1, 1, np.nan], "b": [0, 1, np.nan, 1, 1], "c": [0, 0, 0, np.nan, 0]}
        rows = {k: np.tile(v, 6) for k, v in rows.items()}
        return Scores.from_arrays(rows, better="higher", binary=True)

    def test_refused_unless_said(self):
        with pytest.raises(InputError, match="Say missing='common'") as caught:
            rank(self.table)
        assert caught.value.code == "NF028"

    def test_common(self):
        answer = rank(self.table, missing="common")
        assert {row["n"] for row in answer.rows()} == {12}
        assert answer.n == 12
        assert by_name(answer)["b"]["estimate"] == 0.5
        assert "only the 12 of 30 examples" in notes(answer, "NF160")[0]

    def test_pairwise_counts_each_pair(self):
        answer = rank(self.table, missing="pairwise")
        assert {row["n"] for row in answer.rows()} == {24}
        assert answer.common == (
            {"first": "a", "second": "b", "n": 18},
            {"first": "a", "second": "c", "n": 18},
            {"first": "b", "second": "c", "n": 18},
        )
        edges = {(e["better"], e["worse"]): e["adjusted"] for e in answer.edges}
        # a beats c on all 18, b on 12 of 18.
        assert edges["a", "c"] == pytest.approx(6 * 0.5**18, rel=1e-9)
        assert edges["b", "c"] == pytest.approx(5 * 0.5**12, rel=1e-9)
        assert answer.mcs_set is None
        assert notes(answer, "NF161")
        assert str(answer).startswith("If gaps have nothing to do with scores, with 95 %")
        page(answer)

    @pytest.mark.parametrize("method", ["max_t", "anytime"])
    def test_pairwise_needs_a_method_of_pairs(self, method):
        with pytest.raises(InputError, match="same units") as caught:
            rank(self.table, missing="pairwise", method=method)
        assert caught.value.code == "NF029"

    def test_pairs_without_a_common_example(self):
        table = Scores.from_arrays(
            {"a": [1, np.nan], "b": [np.nan, 1]}, better="higher", binary=True
        )
        for how, match in (("common", "No example has"), ("pairwise", "no example in common")):
            with pytest.raises(InputError, match=match) as caught:
                rank(table, missing=how)
            assert caught.value.code == "NF028"

    def test_a_candidate_without_any_whole_example(self, tmp_path):
        path = tmp_path / "gaps.csv"
        path.write_text("candidate,example,score\na,x,1\nb,x,0\nc,x,\nc,y,\na,y,1\nb,y,0\n")
        scores = nofluke.read(path, better="higher", binary=True)
        if "c" not in scores.candidates:
            pytest.fail("the reader keeps candidates without scores")
        with pytest.raises(InputError, match="'c' has no example") as caught:
            rank(scores, missing="pairwise")
        assert caught.value.code == "NF028"

    def test_clusters_of_pairs(self):
        answer = rank(
            self.table, missing="pairwise", clusters={str(i): str(i // 5) for i in range(30)}
        )
        assert answer.n_units == 6


class TestNotes:
    def test_a_constant_candidate_is_told(self):
        table = Scores.from_arrays(
            {"judge": [0.5] * 40, "b": np.linspace(0, 1, 40)}, better="higher", bounds=(0, 1)
        )
        assert "'judge' has the same score" in notes(rank(table), "NF162")[0]

    @METHOD
    def test_identical_candidates_are_told_and_never_parted(self, method):
        x = np.random.default_rng(0).random(40)
        table = Scores.from_arrays({"a": x, "b": x, "c": x / 9}, better="higher", bounds=(0, 1))
        answer = rank(table, method=method, n_resamples=300)
        assert "a = b" in notes(answer, "NF163")[0]
        a, b = (by_name(answer)[name] for name in "ab")
        assert {k: v for k, v in a.items() if k != "candidate"} == {
            k: v for k, v in b.items() if k != "candidate"
        }
        p = dict(zip([r["candidate"] for r in answer.rows()], answer.mcs_pvalues, strict=True))
        assert p["a"] == p["b"]

    def test_one_text_for_everything_is_told(self):
        table = Scores.from_arrays(
            {"null": [1.0, 1.0, 0.5], "b": [0.5, 0.1, 0.2]},
            better="higher",
            bounds=(0, 1),
            outputs={"null": ["x", "x", "x"], "b": ["p", "q", "r"]},
        )
        told = notes(rank(table), "NF164")
        assert len(told) == 1
        assert "'null'" in told[0]

    def test_too_few_units_are_told(self):
        answer = rank(bounded(n=12, step=0.02))
        M, gap = 12, float(np.ptp([row["estimate"] for row in answer.rows()]))
        least = math.ceil(math.log(M / 0.05) / math.log1p(gap))
        assert f"12 units are fewer than the {least}" in notes(answer, "NF166")[0]
        tiny = Scores.from_arrays({"a": [1] * 5, "b": [0] * 5}, better="higher", binary=True)
        assert "fewer than the 6" in notes(rank(tiny), "NF166")[0]  # 2^-6 <= 0.05 / 2

    def test_asymptotic_methods_say_what_they_do_not_know(self):
        still = Scores.from_arrays(
            {"a": [0.5] * 10, "b": [0.4] * 10}, better="higher", bounds=(0, 1)
        )
        answer = rank(still, method="max_t", n_resamples=200)
        assert len(notes(answer, "NF167")) == 2
        assert not answer.edges

    def test_an_order_that_speaks_for_both_sides_is_told(self):
        ids = [f"e{i}" for i in range(60)]
        turn = dict(zip(nofluke.plan.order(ids, seed=0), [0.6] * 25 + [-0.6] * 35, strict=True))
        rows = {"a": [max(turn[i], 0) for i in ids], "b": [max(-turn[i], 0) for i in ids]}
        table = Scores.from_arrays(rows, examples=ids, better="higher", bounds=(0, 1))
        both = rank(table)
        assert not both.edges
        assert "both findings are withdrawn" in notes(both, "NF165")[0]
        early = rank(table, method="anytime")
        assert [(e["better"], e["gain"]) for e in early.edges] == [("a", pytest.approx(-0.1))]
        assert (
            "in 1 pairs the candidate called better has the lower mean"
            in (notes(early, "NF165")[0])
        )

    def test_what_e_bh_and_anytime_promise(self):
        table = bounded()
        assert notes(rank(table, method="e_bh"), "NF168")
        assert "not promised to hold all at once" in str(rank(table, method="e_bh"))
        assert notes(rank(table, method="anytime"), "NF169")
        planned = rank(table, method="anytime", planned=80)
        assert planned.test == "hedged_star"
        assert any("80 planned units" in line for line in planned.assumes)


class TestRefused:
    def test_what_makes_no_ranking(self):
        table = bounded()
        for how, code in (
            ({"method": "best"}, "NF008"),
            ({"alpha": 5}, "NF008"),
            ({"planned": 80}, "NF029"),
            ({"missing": "own"}, "NF008"),
            ({"n_resamples": 3}, "NF008"),
            ({"max_cluster_size": -1}, "NF008"),
            ({"binary": True}, "NF014"),
            ({"bounds": (0, 0.5)}, "NF010"),
            ({"clusters": True}, "NF008"),
        ):
            with pytest.raises(InputError) as caught:
                rank(table, **how)
            assert caught.value.code == code, how

    def test_one_candidate(self):
        with pytest.raises(InputError, match="at least two") as caught:
            rank(Scores.from_arrays({"a": [1, 0]}, better="higher", binary=True))
        assert caught.value.code == "NF029"

    def test_no_table(self):
        with pytest.raises(InputError, match="needs Scores"):
            rank([[1, 0]])

    def test_orientation_and_bounds_are_declared(self):
        table = Scores.from_arrays([[0.1, 0.2], [0.3, 0.4]])
        with pytest.raises(InputError) as caught:
            rank(table)
        assert caught.value.code == "NF009"
        with pytest.raises(InputError) as caught:
            rank(table, better="higher")
        assert caught.value.code == "NF016"
        assert rank(table, better="higher", method="max_t", n_resamples=200).better == "higher"


class TestSeveralMetrics:
    def test_each_metric_has_its_share(self):
        tables = {"one": bounded(), "two": zero_one()}
        found = rank_metrics(tables, alpha=0.1, seed=4)
        assert set(found) == {"one", "two"}
        for name, answer in found.items():
            alone = rank(tables[name], alpha=0.05, seed=4)
            assert answer.to_json() == alone.to_json()

    def test_nothing_is_no_metric(self):
        with pytest.raises(InputError, match="empty"):
            rank_metrics({})


class TestShown:
    def test_the_picture_draws_the_rows(self):
        answer = rank(bounded(n=300, step=0.15))
        ax = plots.draw(answer)
        spans = [line.get_xdata().tolist() for line in ax.lines[::2]]
        assert spans == [[r["rank_low"], r["rank_high"]] for r in answer.rows()]
        assert [t.get_text() for t in ax.get_yticklabels()] == ["m3", "m2", "m1", "m0"]
        assert "finite-sample, all at once" in ax.get_title(loc="left")

    def test_means_by_tier(self):
        answer = rank(bounded(n=300, step=0.15))
        ax = plots.estimates(answer)
        points = [line.get_xdata()[0] for line in ax.lines if line.get_marker() != "None"]
        assert points == [r["estimate"] for r in answer.rows()]

    @METHOD
    def test_the_page_holds_every_candidate(self, method):
        answer = rank(bounded(n=300, step=0.15), method=method, n_resamples=200)
        text = page(answer)
        for name in answer.question:
            assert name in text
        for row in answer.rows():
            assert f">{row['candidate']}</th>" in text

    def test_pages_without_a_call_and_without_a_guarantee(self):
        assert "No pair is told apart (finite-sample)" in page(rank(bounded(n=5, step=0)))
        table = bounded(n=50)
        text = page(rank(table, weights=dict.fromkeys(table.examples, 1.0)))
        assert "Not valid: the largest weight was taken from the data" in text

    def test_terms(self):
        lines = rank(bounded(n=300, step=0.15)).work()
        assert "12 ordered pairs on 300 examples" in lines[0]
        assert any(line.startswith("m3 > m0: gain 0.4") for line in lines)
