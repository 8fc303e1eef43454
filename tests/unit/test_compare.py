"""`compare`: claims, verdicts, designs, and what an answer must say."""

import json
import math

import numpy as np
import pytest

import nofluke
from nofluke import Scores, means
from nofluke.errors import InputError
from nofluke.questions.claims import Claim
from nofluke.scores.pairing import hash_order


def table(d, *, better="higher", bounds=(0, 1), cluster=None, **options):
    """Two candidates whose difference b minus a is d."""
    d = np.asarray(d, dtype=float)
    a = np.clip(-d, 0, None)
    return Scores.from_arrays(
        {"a": a, "b": a + d}, better=better, bounds=bounds, cluster=cluster, **options
    )


def tern(n):
    i = np.arange(1, n + 1)
    return (i % 17 == 0).astype(float) - (i % 29 == 0)


def noisy(n, mean, sd=0.1, seed=1):
    return np.clip(np.random.default_rng(seed).normal(mean, sd, n), -0.9, 0.9)


def binary_table(wins, losses, both, neither):
    a = [0] * wins + [1] * losses + [1] * both + [0] * neither
    b = [1] * wins + [0] * losses + [1] * both + [0] * neither
    return Scores.from_arrays({"a": a, "b": b}, better="higher", binary=True)


class TestClaims:
    @pytest.mark.parametrize(
        ("alternative", "margin", "mean", "verdict"),
        [
            ("better", 0, 0.1, "yes"),
            ("better", 0, -0.1, "no"),
            ("better", 0.05, 0.1, "yes"),
            ("better", 0.2, 0.1, "no"),
            ("worse", 0, -0.1, "yes"),
            ("worse", 0, 0.1, "no"),
            ("worse", 0.05, -0.1, "yes"),
            ("worse", 0.2, -0.1, "no"),
            ("not-worse", 0.05, 0.0, "yes"),
            ("not-worse", 0.05, 0.1, "yes"),
            ("not-worse", 0.05, -0.1, "no"),
            ("different", 0, 0.1, "yes"),
            ("different", 0, -0.1, "yes"),
            ("different", 0.05, -0.1, "yes"),
            ("different", 0.3, 0.1, "no"),
            ("equivalent", 0.05, 0.0, "yes"),
            ("equivalent", 0.05, 0.1, "no"),
            ("equivalent", 0.05, -0.1, "no"),
        ],
    )
    def test_verdicts_by_a_clear_mean(self, alternative, margin, mean, verdict):
        answer = nofluke.compare(
            table(noisy(3000, mean)), "a", "b", alternative=alternative, margin=margin
        )

        assert answer.verdict == verdict

    def test_no_difference_cannot_be_shown_to_be_exactly_nothing(self):
        answer = nofluke.compare(table(noisy(3000, 0.0)), "a", "b", alternative="different")

        assert answer.verdict == "not enough evidence"
        assert "no evidence that they are equal" in answer.sentences()[0]

    def test_where_lower_wins_a_gain_is_a_fall(self):
        d = noisy(2000, -0.05)
        answer = nofluke.compare(table(d, better="lower"), "a", "b")

        assert answer.verdict == "yes"
        assert answer.estimate == pytest.approx(d.mean())
        assert answer.guaranteed.upper < 0
        assert nofluke.compare(table(-d), "a", "b").guaranteed.lower == pytest.approx(
            -answer.guaranteed.upper
        )

    @pytest.mark.parametrize("alternative", ["better", "worse", "not-worse", "different"])
    def test_swapping_the_sides_mirrors_the_answer(self, alternative):
        d = noisy(400, 0.02)
        forth = nofluke.compare(table(d), "a", "b", alternative=alternative, margin=0.01)
        swapped = table(d)
        mirrored = {"worse": "better", "better": "worse"}.get(alternative, alternative)
        back = nofluke.compare(swapped, "b", "a", alternative=mirrored, margin=0.01)

        assert back.estimate == pytest.approx(-forth.estimate)
        assert back.guaranteed.lower == pytest.approx(-forth.guaranteed.upper)
        assert back.guaranteed.upper == pytest.approx(-forth.guaranteed.lower)
        if alternative != "not-worse":
            assert back.verdict == forth.verdict

    def test_the_units_of_the_score_scale_the_answer(self):
        d = noisy(300, 0.02)
        plain = nofluke.compare(table(d), "a", "b", margin=0.01)
        scaled = nofluke.compare(table(100 * d, bounds=(0, 100)), "a", "b", margin=1)

        assert scaled.verdict == plain.verdict
        assert scaled.guaranteed.lower == pytest.approx(100 * plain.guaranteed.lower)
        assert scaled.asymptotic.upper == pytest.approx(100 * plain.asymptotic.upper)

    def test_each_claim_and_its_opposite_ask_for_what_the_level_pays_for(self):
        for alternative in ("better", "worse", "different", "not-worse", "equivalent"):
            claim = Claim.understood(alternative, 0.1, 0.05)
            for ways in (claim.yes, claim.no):
                # Ways to be wrong add up; the rejections within a way do not.
                assert sum(max(n.alpha for n in way) for way in ways) <= 0.05 * (1 + 1e-12)

    @pytest.mark.parametrize("alternative", ["not-worse", "equivalent"])
    def test_a_tolerance_of_nothing_is_refused(self, alternative):
        with pytest.raises(InputError, match="needs a margin above 0"):
            nofluke.compare(table(noisy(20, 0)), "a", "b", alternative=alternative)

    def test_a_margin_beyond_the_possible_is_refused(self):
        with pytest.raises(InputError, match="margin=1 "):
            nofluke.compare(table(noisy(20, 0)), "a", "b", margin=1)

    def test_a_negative_margin_is_refused(self):
        with pytest.raises(InputError, match="margin=-0.1 is negative"):
            nofluke.compare(table(noisy(20, 0)), "a", "b", margin=-0.1)


class TestVerdictAndInterval:
    @pytest.mark.parametrize("seed", range(12))
    @pytest.mark.parametrize("method", ["star", "betting", "hoeffding", "t"])
    def test_they_never_contradict_each_other(self, method, seed):
        d = noisy(80, 0.03, sd=0.12, seed=seed)
        answer = nofluke.compare(table(d), "a", "b", method=method, margin=0.01)
        interval = answer.guaranteed or answer.asymptotic

        assert (answer.verdict == "yes") == (interval.lower >= 0.01)
        assert (answer.verdict == "no") == (interval.upper <= 0.01)

    def test_auto_takes_star_and_with_a_plan_hedged_star(self):
        d = noisy(200, 0.05)

        assert nofluke.compare(table(d), "a", "b").method == "star"
        planned = nofluke.compare(table(d), "a", "b", planned=500)
        assert (planned.method, planned.guarantee) == ("hedged_star", "anytime")
        assert planned.guaranteed.method == "hedged_star"

    def test_the_interval_is_the_one_of_the_method_in_hash_order(self):
        d = noisy(150, 0.02)
        order = hash_order([str(i) for i in range(150)], 0)
        expected = means.star(d[order], alpha=0.05, side="lower", bounds=(-1, 1), marks=(0,))

        assert nofluke.compare(table(d), "a", "b").guaranteed.lower == expected.lower

    def test_the_order_of_rows_changes_nothing(self):
        d = noisy(200, 0.02)
        ids = [f"item {i}" for i in range(200)]
        turned = np.argsort(d)
        one = table(d, examples=ids)
        other = table(d[turned], examples=[ids[i] for i in turned])

        assert (
            nofluke.compare(one, "a", "b").to_dict()["guaranteed"]
            == nofluke.compare(other, "a", "b").to_dict()["guaranteed"]
        )

    def test_the_seed_changes_the_order_and_the_same_seed_the_same_bytes(self):
        s = table(noisy(200, 0.02))
        first, again, other = (nofluke.compare(s, "a", "b", seed=k) for k in (0, 0, 1))

        assert first.to_json() == again.to_json()
        assert not np.array_equal(first.x, other.x)

    def test_an_asymptotic_method_gives_no_guaranteed_interval(self):
        answer = nofluke.compare(
            Scores.from_arrays({"a": [1.0, 5, 9, 2], "b": [2.0, 7, 10, 2]}, better="higher"),
            "a", "b", method="t",
        )  # fmt: skip

        assert answer.guaranteed is None
        assert answer.guarantee == "asymptotic"
        assert "asymptotic" in answer.sentences()[0]

    def test_without_bounds_a_guarantee_is_refused(self):
        s = Scores.from_arrays({"a": [1.0, 5, 9], "b": [2.0, 7, 10]}, better="higher")
        with pytest.raises(InputError, match="bounds= is not declared") as caught:
            nofluke.compare(s, "a", "b")
        assert caught.value.code == "NF016"

    def test_a_conjectured_bound_makes_no_claim(self):
        answer = nofluke.compare(table(noisy(60, 0.1)), "a", "b", method="gaffke")

        assert answer.guarantee == "conjectured"
        assert "without a guarantee (conjectured)" in answer.sentences()[0]

    def test_the_moment_of_decision_is_that_of_the_test_at_the_margin(self):
        d = tern(1000)
        d[::11] = 1.0
        answer = nofluke.compare(table(d), "a", "b", planned=1000)
        until = nofluke.compare(table(d), "a", "b", planned=1000, alternative="worse")

        assert answer.verdict == "yes"
        assert 1 < answer.decided_at < 1000
        assert until.verdict == "no"
        assert until.decided_at == answer.decided_at
        reached = answer.wealth[0].log_e >= answer.wealth[0].log_threshold
        assert int(np.argmax(reached)) + 1 == answer.decided_at

    def test_not_decided_means_no_moment(self):
        assert nofluke.compare(table(noisy(50, 0.0)), "a", "b").decided_at is None


class TestEdges:
    """Where a limit and the point asked about fall together."""

    @pytest.mark.parametrize("planned", [None, 4])
    @pytest.mark.parametrize("alternative", ["better", "worse", "different"])
    def test_a_whole_benchmark_without_a_difference_shows_none(self, alternative, planned):
        s = Scores.from_arrays(
            {"a": [0.2, 0.4, 0.6, 0.8], "b": [0.4, 0.2, 0.8, 0.6]}, better="higher", bounds=(0, 1)
        )
        answer = nofluke.compare(
            s, "a", "b", population=4, alternative=alternative, planned=planned
        )

        assert answer.verdict != "yes"

    @pytest.mark.parametrize("method", ["auto", "betting", "hoeffding", "t"])
    @pytest.mark.parametrize("d", [-1.0, 1.0])
    def test_the_widest_margin_there_is_is_refused(self, d, method):
        for alternative in ("not-worse", "equivalent"):
            with pytest.raises(InputError, match="margin=1"):
                nofluke.compare(
                    table([d] * 5), "a", "b", alternative=alternative, margin=1.0, method=method
                )

    def test_sentences_at_the_bound_say_at_least(self):
        told = nofluke.compare(table([-1.0] * 5), "a", "b").sentences()

        assert any("at least -1 " in sentence for sentence in told)

    def test_rounding_is_no_spread(self):
        a, b = [0.1, 0.2, 0.3, 0.4, 0.7], [0.2, 0.3, 0.4, 0.5, 0.8]
        answer = nofluke.compare(
            Scores.from_arrays({"a": a, "b": b}, better="higher", bounds=(0, 1)), "a", "b"
        )

        assert "useless" in answer.sentences()[-1]

    @pytest.mark.parametrize("method", ["star", "betting", "t", "bootstrap", "mcnemar"])
    def test_a_plan_is_for_the_method_that_may_be_watched(self, method):
        with pytest.raises(InputError, match="planned=100"):
            nofluke.compare(table(noisy(60, 0.1)), "a", "b", method=method, planned=100)

    def test_a_yes_is_never_said_to_be_impossible(self):
        order = hash_order([str(i) for i in range(29)], 0)
        d = np.empty(29)
        d[order] = [1.0] * 5 + [-0.2] * 24
        answer = nofluke.compare(table(d), "a", "b", method="hedged_star", planned=5)

        assert answer.verdict == "yes"
        assert not any(note.startswith("NF140") for note in answer.notes)

    @pytest.mark.parametrize("how", [{"population": 20}, {"population": 21}])
    def test_no_floor_is_claimed_where_none_is_known(self, how):
        assert nofluke.compare(table([0.05] * 20), "a", "b", **how).floor is None

    def test_an_asymptotic_answer_does_not_claim_the_bounds_or_many_looks(self):
        s = table(noisy(40, 0.1), cluster=[str(i // 4) for i in range(40)])
        answer = nofluke.compare(s, "a", "b", method="t", clusters=True, max_cluster_size=4)

        assert answer.guarantee == "asymptotic"
        assert any("n is large enough" in line for line in answer.assumes)
        assert any("no stopping" in line for line in answer.assumes)
        assert not any("bounds hold" in line for line in answer.assumes)

    def test_repeats_go_by_betting_whatever_they_say(self):
        rows = [
            {"model": m, "item": str(i), "run": r, "score": int((i + k) % 3 > 0)}
            for k, m in enumerate(("a", "b")) for i in range(30) for r in (0, 1)
        ]  # fmt: skip
        s = nofluke.read(rows, better="higher", binary=True)

        assert nofluke.compare(s, "a", "b").method == "star"


class TestBinary:
    def test_the_verdict_is_by_the_exact_test_and_the_interval_by_betting(self):
        answer = nofluke.compare(binary_table(12, 2, 60, 26), "a", "b")

        assert answer.method == "mcnemar"
        # P(Bin(14, 1/2) >= 12) = (91 + 14 + 1) / 2^14
        assert answer.test.pvalue == pytest.approx(106 / 2**14, rel=1e-12)
        assert answer.verdict == "yes"
        assert answer.guaranteed.method == "star"
        assert any(note.startswith("NF143") for note in answer.notes)

    def test_two_sided_doubles_the_smaller_tail(self):
        one = nofluke.compare(binary_table(9, 2, 10, 10), "a", "b")
        two = nofluke.compare(binary_table(9, 2, 10, 10), "a", "b", alternative="different")

        assert two.test.pvalue == pytest.approx(2 * one.test.pvalue)
        assert one.verdict == "yes"
        assert two.verdict == "not enough evidence"

    def test_a_metric_is_binary_because_it_is_declared(self):
        d = tern(200)
        undeclared = nofluke.compare(table(d), "a", "b")
        declared = nofluke.compare(table(d), "a", "b", binary=True)
        named = nofluke.compare(table(d, metric="exact_match"), "a", "b")

        assert undeclared.method == "star"
        assert declared.method == named.method == "mcnemar"

    def test_a_declaration_that_is_wrong_is_refused(self):
        with pytest.raises(InputError, match="neither 0 nor 1"):
            nofluke.compare(table(noisy(20, 0.1)), "a", "b", binary=True)

    @pytest.mark.parametrize(
        "options",
        [{"margin": 0.01}, {"planned": 100}, {"alternative": "equivalent", "margin": 0.1}],
    )
    def test_a_margin_or_a_plan_goes_by_betting(self, options):
        answer = nofluke.compare(binary_table(12, 2, 60, 26), "a", "b", **options)

        assert answer.method in ("star", "hedged_star")
        with pytest.raises(InputError, match="method='mcnemar'"):
            nofluke.compare(binary_table(12, 2, 60, 26), "a", "b", method="mcnemar", **options)

    def test_where_errors_count_a_win_is_a_fall(self):
        s = Scores.from_arrays(
            {"a": [1] * 8 + [0] * 20, "b": [0] * 28}, binary=True, better="lower"
        )
        answer = nofluke.compare(s, "a", "b")

        assert (answer.test.wins, answer.test.losses, answer.verdict) == (8, 0, "yes")

    @pytest.mark.parametrize(("alternative", "least"), [("better", 5), ("different", 6)])
    def test_too_few_that_differ_is_said(self, alternative, least):
        few = nofluke.compare(binary_table(least - 1, 0, 50, 50), "a", "b", alternative=alternative)
        enough = nofluke.compare(binary_table(least, 0, 50, 50), "a", "b", alternative=alternative)

        assert few.verdict == "not enough evidence"
        assert any(note.startswith("NF141") for note in few.notes)
        assert enough.verdict == "yes"
        assert not any(note.startswith("NF141") for note in enough.notes)

    def test_the_smallest_p_value_is_a_probability(self):
        same = nofluke.compare(binary_table(0, 0, 5, 5), "a", "b", alternative="different")

        assert next(n for n in same.notes if n.startswith("NF141")).endswith("possible is 1.")

    def test_never_differing_is_no_proof_of_equality(self):
        answer = nofluke.compare(binary_table(0, 0, 31, 9), "a", "b", alternative="different")

        assert answer.test.pvalue == 1
        assert answer.verdict == "not enough evidence"
        assert answer.differing["upper"] == pytest.approx(1 - 0.025 ** (1 / 40))
        assert answer.guaranteed.lower < 0 < answer.guaranteed.upper
        assert any("NF142" in note and "0.0881" in note for note in answer.notes)


class TestClusters:
    def groups(self, n, size):
        return [f"g{i // size}" for i in range(n)]

    def test_each_cluster_counts_once(self):
        d = noisy(400, 0.05)
        answer = nofluke.compare(table(d, cluster=self.groups(400, 4)), "a", "b", clusters=True)

        assert (answer.n_units, answer.n_pairs, answer.unit) == (100, 400, "clusters")
        assert answer.estimate == pytest.approx(d.mean())
        assert answer.plain_estimate == pytest.approx(d.mean())

    def test_clusters_of_one_change_nothing(self):
        d = noisy(120, 0.03)
        plain = nofluke.compare(table(d), "a", "b")
        single = nofluke.compare(table(d), "a", "b", clusters={str(i): str(i) for i in range(120)})
        sized = nofluke.compare(
            table(d), "a", "b", clusters={str(i): str(i) for i in range(120)}, max_cluster_size=1
        )

        assert single.guaranteed.lower == plain.guaranteed.lower
        assert sized.guaranteed.upper == pytest.approx(plain.guaranteed.upper, abs=1e-12)
        assert sized.asymptotic.lower == pytest.approx(plain.asymptotic.lower)

    def test_with_a_largest_size_each_example_counts_once(self):
        sizes = np.array([1, 3, 8, 2, 6] * 40)
        labels = np.repeat(np.arange(sizes.size), sizes)
        d = noisy(labels.size, 0.1) + 0.2 * (sizes[labels] > 5)
        s = table(np.clip(d, -1, 1), cluster=[str(c) for c in labels])
        by_cluster = nofluke.compare(s, "a", "b", clusters=True)
        by_item = nofluke.compare(s, "a", "b", clusters=True, max_cluster_size=8)

        assert by_item.estimate == pytest.approx(np.clip(d, -1, 1).mean())
        assert by_cluster.estimate < by_item.estimate
        assert by_item.guaranteed.lower < by_item.estimate < by_item.guaranteed.upper
        assert by_item.guarantee == "finite-sample"

    def test_a_cluster_above_its_largest_size_is_refused(self):
        s = table(noisy(12, 0.1), cluster=self.groups(12, 4))
        with pytest.raises(InputError, match="3 clusters are larger"):
            nofluke.compare(s, "a", "b", clusters=True, max_cluster_size=3)

    def test_counting_rows_of_clusters_is_told(self):
        s = table(noisy(400, 0.05), cluster=self.groups(400, 40))
        answer = nofluke.compare(s, "a", "b")

        [note] = [note for note in answer.notes if note.startswith("NF144")]
        assert "10 clusters" in note
        assert "strata" in note
        assert answer.dependence["clusters"]["n_clusters"] == 10

    def test_clusters_are_resampled_as_wholes(self):
        rng = np.random.default_rng(8)
        d = np.repeat(rng.normal(0.05, 0.1, 60), 5)
        told = nofluke.compare(table(d, cluster=self.groups(300, 5)), "a", "b").dependence[
            "clusters"
        ]

        half = (told["upper"] - told["lower"]) / 2
        resampled = (told["bootstrap"]["upper"] - told["bootstrap"]["lower"]) / 2
        assert resampled == pytest.approx(half, rel=0.1)
        assert told["design_effect"] == pytest.approx(5, rel=0.1)
        assert told["icc"] == pytest.approx(1)
        assert told["guarantee"] == told["bootstrap"]["guarantee"] == "asymptotic"

    def test_neighbours_in_time_are_described_and_no_limit_uses_them(self):
        rng = np.random.default_rng(9)
        d = np.clip(np.repeat(rng.normal(0.05, 0.1, 40), 10), -1, 1)
        rows = [
            {"model": m, "item": f"i{i:03}", "score": 0.5 + s * d[i] / 2, "t": i}
            for m, s in (("a", -1), ("b", 1)) for i in range(400)
        ]  # fmt: skip
        watched = nofluke.compare(nofluke.read(rows, better="higher", bounds=(0, 1)), "a", "b")
        for row in rows:
            del row["t"]
        plain = nofluke.compare(nofluke.read(rows, better="higher", bounds=(0, 1)), "a", "b")
        serial = watched.dependence["serial"]

        assert serial["autocorrelations"][0] > 0.8
        assert serial["effective_n"] < 80
        assert serial["guarantee"] == "descriptive"
        assert serial["bootstrap"]["upper"] > watched.asymptotic.upper
        assert (watched.guaranteed.lower, watched.guaranteed.upper) == (
            plain.guaranteed.lower,
            plain.guaranteed.upper,
        )
        # Rows drawn one after the other are no independent draws: there is no guarantee left.
        assert (watched.guarantee, plain.guarantee) == ("heuristic", "finite-sample")
        assert any(note.startswith("NF106") for note in watched.notes)
        assert "serial" not in plain.dependence
        assert [note[:5] for note in watched.notes if "follow each other" in note] == ["NF106"]
        assert not any("NF106" in note for note in plain.notes)

    def test_two_samples_whose_rows_follow_each_other_in_time_are_told(self):
        rng = np.random.default_rng(9)
        waves = {m: np.repeat(rng.uniform(size=40), 10) for m in "ab"}
        rows = [
            {"model": m, "item": f"{m}{i}", "score": x, "t": i}
            for m, wave in waves.items() for i, x in enumerate(wave.tolist())
        ]  # fmt: skip
        mixed = [
            {**row, "t": t} for row, t in zip(rows, rng.permutation(800).tolist(), strict=True)
        ]
        notes = [
            [n for n in nofluke.compare(scores, "a", "b", paired=False).notes if "NF106" in n]
            for scores in (
                nofluke.read(table, better="higher", bounds=(0, 1)) for table in (rows, mixed)
            )
        ]

        assert [n.split("'")[1] for n in notes[0]] == ["a", "b"]
        assert "the guarantee does not hold" in notes[0][0]
        assert notes[1] == []

    def test_few_clusters_are_told_with_the_floor(self):
        d = np.full(500, 0.03)
        answer = nofluke.compare(table(d, cluster=self.groups(500, 100)), "a", "b", clusters=True)

        assert answer.floor == 102
        assert {"NF140", "NF145"} <= {note[:5] for note in answer.notes}
        assert answer.verdict == "not enough evidence"

    def test_no_cluster_column_is_an_error(self):
        with pytest.raises(InputError, match="the table has none"):
            nofluke.compare(table(noisy(10, 0)), "a", "b", clusters=True)

    def test_an_example_without_a_cluster_is_an_error(self):
        with pytest.raises(InputError, match="no cluster for 9 of 10"):
            nofluke.compare(table(noisy(10, 0)), "a", "b", clusters={"0": "x"})


class TestFloor:
    @pytest.mark.parametrize(
        ("delta", "least"),
        [(0.005, 601), (0.01, 302), (0.02, 152), (0.03, 102), (0.05, 62), (0.1, 32)],
    )
    def test_it_is_the_published_one(self, delta, least):
        answer = nofluke.compare(table(np.full(20, delta)), "a", "b")

        assert answer.floor == least

    def test_with_a_margin_it_counts_from_there(self):
        answer = nofluke.compare(table(np.full(20, 0.05)), "a", "b", margin=0.02)

        assert answer.floor == math.ceil(math.log(20) / math.log(1.05 / 1.02))

    def test_the_constant_gain_is_shown_from_about_there_on(self):
        least = nofluke.compare(table(np.full(40, 0.1)), "a", "b").floor
        needed = next(
            n for n in range(least - 1, 100)
            if nofluke.compare(table(np.full(n, 0.1)), "a", "b").verdict == "yes"
        )  # fmt: skip

        assert least <= needed <= 1.5 * least


class TestWeightsAndMix:
    def test_weights_make_a_weighted_mean(self):
        d, w = noisy(300, 0.05), np.random.default_rng(3).uniform(0.5, 2, 300)
        weights = {str(i): float(w[i]) for i in range(300)}
        answer = nofluke.compare(table(d), "a", "b", weights=weights, max_weight=2)

        assert answer.estimate == pytest.approx((w * d).sum() / w.sum())
        assert answer.guarantee == "finite-sample"
        assert answer.plain_estimate == pytest.approx(d.mean())

    def test_a_largest_weight_from_the_data_voids_the_guarantee(self):
        weights = {str(i): 1 + (i % 2) for i in range(100)}
        answer = nofluke.compare(table(noisy(100, 0.2)), "a", "b", weights=weights)

        assert answer.guarantee == answer.guaranteed.guarantee == "heuristic"
        assert any(note.startswith("NF146") for note in answer.notes)

    def test_equal_weights_change_nothing(self):
        d = noisy(100, 0.05)
        weighted = nofluke.compare(
            table(d), "a", "b", weights={str(i): 3.0 for i in range(100)}, max_weight=3
        )
        plain = nofluke.compare(table(d), "a", "b")

        assert weighted.guaranteed.lower == pytest.approx(plain.guaranteed.lower, abs=1e-12)
        assert weighted.asymptotic.upper == pytest.approx(plain.asymptotic.upper)

    def test_a_mix_weighs_groups_by_their_use(self):
        d = np.concatenate([noisy(300, 0.1), noisy(100, -0.1, seed=2)])
        groups = {str(i): "news" if i < 300 else "social" for i in range(400)}
        mix = {"news": 0.3, "social": 0.7}
        answer = nofluke.compare(table(d), "a", "b", groups=groups, mix=mix)

        assert answer.estimate == pytest.approx(0.3 * d[:300].mean() + 0.7 * d[300:].mean())
        assert answer.plain_estimate == pytest.approx(d.mean())
        assert (answer.n_units, answer.unit) == (100, "blocks")
        assert answer.verdict == "no"
        assert [row["share"] for row in answer.shares] == [0.75, 0.25]

    @pytest.mark.parametrize(
        ("mix", "message"),
        [
            ({"news": 0.3, "moon": 0.7}, "no example"),
            ({"news": 0.3, "social": 0.3}, "sum to 0.6"),
            ({"news": -0.5, "social": 1.5}, "at least 0"),
        ],
    )
    def test_a_mix_that_is_none_is_refused(self, mix, message):
        groups = {str(i): ("news", "social")[i % 2] for i in range(20)}
        with pytest.raises(InputError, match=message):
            nofluke.compare(table(noisy(20, 0)), "a", "b", groups=groups, mix=mix)

    def test_a_group_without_an_example_has_no_share_of_the_mix(self):
        groups = {str(i): ("news", "social")[i % 2] for i in range(20)} | {"later": "sports"}
        how = {"groups": groups, "mix": {"news": 0.5, "social": 0.5, "sports": 0.0}}
        answer = nofluke.compare(table(noisy(20, 0)), "a", "b", **how)

        assert [row["n"] for row in answer.shares] == [10, 10, 0]
        with pytest.raises(InputError, match="'sports', of which there is no example"):
            nofluke.compare(
                table(noisy(20, 0)), "a", "b", groups=groups, mix={"news": 0.5, "sports": 0.5}
            )

    def test_what_cannot_be_combined_is_refused(self):
        groups = {str(i): ("x", "y")[i % 2] for i in range(20)}
        for how in (
            {"clusters": groups, "mix": {"x": 1.0}, "groups": groups},
            {"population": 40, "groups": groups},
            {"population": 40, "clusters": groups},
        ):
            with pytest.raises(InputError, match="cannot be combined"):
                nofluke.compare(table(noisy(20, 0)), "a", "b", **how)

    def test_two_samples_have_no_groups(self):
        s = Scores.from_arrays({"a": [0, 1, 1], "b": [1, 0]}, better="higher", bounds=(0, 1))
        with pytest.raises(InputError, match="cannot be combined"):
            nofluke.compare(s, "a", "b", paired=False, groups=dict.fromkeys(s.examples, "x"))

    def test_rounding_of_means_is_no_breach_of_the_bounds(self):
        s = Scores.from_arrays({"a": [0.0] * 9, "b": [0.1] * 9}, better="higher", bounds=(0, 0.1))
        threes = {str(i): str(i // 3) for i in range(9)}

        assert nofluke.compare(s, "a", "b", clusters=threes).n_units == 3
        ninths = {str(g): 1 / 9 for g in range(9)}
        groups = {str(i): str(i) for i in range(9)}
        assert nofluke.compare(s, "a", "b", groups=groups, mix=ninths).n_units == 1


class TestTwoSamples:
    def samples(self, n_a, n_b, gain):
        rng = np.random.default_rng(4)
        a, b = rng.beta(2, 2, n_a), np.clip(rng.beta(2, 2, n_b) + gain, 0, 1)
        return Scores.from_arrays({"a": a, "b": b}, better="higher", bounds=(0, 1)), a, b

    def test_samples_without_a_common_example_are_compared_in_blocks(self):
        s, a, b = self.samples(901, 300, 0.2)
        answer = nofluke.compare(s, "a", "b", paired=False)

        assert answer.verdict == "yes"
        assert answer.estimate == pytest.approx(b.mean() - a.mean())
        assert (answer.n_units, answer.n_pairs) == (300, 1201)
        assert any(note.startswith("NF148") for note in answer.notes)

    def test_without_pairs_nothing_is_paired(self):
        s, _, _ = self.samples(50, 40, 0.0)
        with pytest.raises(InputError) as caught:
            nofluke.compare(s, "a", "b")
        assert caught.value.code == "NF018"


class TestPopulation:
    def test_a_whole_benchmark_leaves_no_doubt(self):
        d = noisy(200, 0.01)
        part = nofluke.compare(table(d), "a", "b", population=100_000)
        whole = nofluke.compare(table(d), "a", "b", population=200)

        assert whole.guaranteed.lower == pytest.approx(d.mean(), abs=1e-9)
        assert whole.guaranteed.upper == pytest.approx(d.mean(), abs=1e-9)
        assert whole.verdict == "yes"
        assert part.guaranteed.lower < whole.guaranteed.lower
        assert whole.asymptotic.lower == pytest.approx(d.mean())
        assert "all 200" in whole.sentences()[1]

    def test_the_asymptotic_interval_knows_how_much_is_left(self):
        d = noisy(200, 0.01)
        free = nofluke.compare(table(d), "a", "b")
        half = nofluke.compare(table(d), "a", "b", population=400)

        width = free.asymptotic.upper - free.asymptotic.lower
        assert half.asymptotic.upper - half.asymptotic.lower == pytest.approx(width * 0.5**0.5)


class TestGroups:
    def test_each_group_is_asked_and_the_multiplicity_is_paid_for(self):
        d = np.concatenate([noisy(400, 0.1), noisy(400, 0.0, seed=2), noisy(400, -0.1, seed=3)])
        groups = {str(i): "xyz"[i // 400] for i in range(1200)}
        answer = nofluke.compare(table(d), "a", "b", groups=groups)
        rows = {row["group"]: row for row in answer.subgroups}

        assert [rows[g]["verdict"] for g in "xyz"] == ["yes", "not enough evidence", "no"]
        single = nofluke.compare(table(d[:400], examples=[str(i) for i in range(400)]), "a", "b")
        assert rows["x"]["lower"] < single.guaranteed.lower
        assert rows["x"]["adjusted"] >= rows["x"]["pvalue"]

    def test_groups_count_clusters_where_the_whole_does(self):
        """Twenty copies of one example are one draw in each group, too."""
        rng = np.random.default_rng(21)
        d = np.repeat(np.where(rng.random(60) < 0.5, 0.3, -0.3), 20)
        groups = {str(i): str(i // 20 % 2) for i in range(1200)}
        clusters = {str(i): str(i // 20) for i in range(1200)}
        answer = nofluke.compare(table(d), "a", "b", groups=groups, clusters=clusters)

        assert [row["n"] for row in answer.subgroups] == [30, 30]
        single = nofluke.compare(table(d), "a", "b", groups=groups)
        widths = [row["upper"] - row["lower"] for row in (answer.subgroups[0], single.subgroups[0])]
        assert widths[0] > 3 * widths[1]

    def test_limits_of_groups_hold_together(self):
        rng = np.random.default_rng(31)
        missed, runs, alpha = 0, 50, 0.2
        for run in range(runs):
            d = np.where(rng.random(80) < 0.5, 1.0, -1.0)
            groups = {str(i): str(i % 4) for i in range(80)}
            rows = nofluke.compare(
                table(d), "a", "b", groups=groups, alpha=alpha, seed=run
            ).subgroups
            missed += any(not row["lower"] <= 0 <= row["upper"] for row in rows)

        assert missed / runs <= alpha + 4 * (alpha * (1 - alpha) / runs) ** 0.5

    def test_groups_without_an_example_yet_are_paid_for(self):
        d = noisy(100, 0.05)
        declared = {str(i): "x" for i in range(100)} | {f"later {g}": f"g{g}" for g in range(9)}
        one, ten = (
            nofluke.compare(table(d), "a", "b", groups=groups).subgroups
            for groups in ({str(i): "x" for i in range(100)}, declared)
        )

        assert len(ten) == 1
        assert ten[0]["lower"] < one[0]["lower"]
        assert ten[0]["adjusted"] >= one[0]["adjusted"]

    def test_groups_that_are_watched_have_limits_for_every_moment(self):
        d = noisy(200, 0.05)
        groups = {str(i): str(i % 2) for i in range(200)}
        rows = nofluke.compare(table(d), "a", "b", groups=groups, planned=300).subgroups

        assert {row["guarantee"] for row in rows} == {"anytime"}

    def test_the_sentences_say_what_was_found_in_groups(self):
        groups = {str(i): str(i % 2) for i in range(400)}
        told = nofluke.compare(table(noisy(400, 0.1)), "a", "b", groups=groups).sentences()

        assert any("in 2 of 2 groups" in sentence for sentence in told)

    def test_binary_groups_use_the_exact_test(self):
        s = binary_table(20, 2, 40, 40)
        answer = nofluke.compare(s, "a", "b", groups={i: str(int(i) % 2) for i in s.examples})

        assert answer.method == "mcnemar"
        wins = sum(row["n"] for row in answer.subgroups)
        assert wins == 102
        assert all(0 <= row["pvalue"] <= row["adjusted"] <= 1 for row in answer.subgroups)


class TestDegenerate:
    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_a_handful_of_pairs_gives_wide_limits_and_no_crash(self, n):
        answer = nofluke.compare(table(np.full(n, 0.5)), "a", "b")

        assert answer.verdict == "not enough evidence"
        assert answer.guaranteed.lower < 0
        assert answer.guaranteed.upper <= 1
        assert json.loads(answer.to_json())["n_units"] == n

    def test_all_wins_of_the_whole_range(self):
        answer = nofluke.compare(table(np.full(30, 1.0)), "a", "b")

        assert answer.verdict == "yes"
        assert answer.guaranteed.upper == 1

    def test_equal_scores_that_are_not_binary(self):
        answer = nofluke.compare(table(np.zeros(40)), "a", "b")

        assert answer.guaranteed.lower < 0 < answer.guaranteed.upper
        assert any(note.startswith("NF142") for note in answer.notes)
        assert "useless" in answer.sentences()[-1]


class TestAnswer:
    def test_json_has_the_promised_fields(self):
        told = json.loads(nofluke.compare(binary_table(12, 2, 60, 26), "a", "b").to_json())

        assert told["kind"] == "compare"
        assert told["verdict"] == "yes"
        for name in ("guaranteed", "asymptotic"):
            assert {"lower", "upper", "method", "guarantee"} <= set(told[name])
        assert told["n_units"] == told["n_pairs"] == told["pairing"]["pairs"] == 100
        assert told["decided_at"] is None
        assert told["question"]["alternative"] == "better"

    def test_every_row_has_its_guarantee(self):
        rows = nofluke.compare(table(noisy(50, 0.1)), "a", "b").rows()

        assert {row["guarantee"] for row in rows} == {"finite-sample", "asymptotic"}
        assert [row["method"] for row in rows if row["used"]] == ["star"]

    def test_guaranteed_limits_lie_within_the_possible(self):
        for row in nofluke.compare(table(noisy(5, 0.5)), "a", "b").rows():
            if row["guarantee"] == "finite-sample":
                assert -1 <= row["lower"] <= row["upper"] <= 1

    def test_unknown_candidates_are_named(self):
        with pytest.raises(InputError, match="'c' is no candidate"):
            nofluke.compare(table(noisy(5, 0)), "a", "c")
        with pytest.raises(InputError, match="name two candidates"):
            nofluke.compare(table(noisy(5, 0)), "a", "a")

    def test_an_orientation_is_needed_where_the_claim_has_one(self):
        s = Scores.from_arrays({"a": [0.1, 0.2], "b": [0.3, 0.1]}, bounds=(0, 1))
        with pytest.raises(InputError, match="better= is not declared"):
            nofluke.compare(s, "a", "b")
        assert nofluke.compare(s, "a", "b", alternative="different").better is None

    def test_it_prints_as_what_it_says(self):
        answer = nofluke.compare(table(noisy(50, 0.1)), "a", "b")

        assert repr(answer) == f"Comparison: {answer.sentences()[0]}"
        assert str(answer).splitlines() == answer.sentences()

    def test_work_shows_the_terms(self):
        lines = nofluke.compare(table(noisy(50, 0.1)), "a", "b").work()

        assert lines[0].startswith("n = 50 pairs")
        assert any("range 2" in line for line in lines)


@pytest.mark.parametrize(
    ("missing", "failed", "told"),
    [
        ("common", False, ["It speaks of the 39 examples that both have in full."]),
        ("worst", False, ["A missing score counts as the worst possible."]),
        ("raise", True, ["A row that is marked as failed counts as the worst possible score."]),
    ],
)
def test_what_stands_for_scores_that_are_not_there_is_a_sentence(missing, failed, told):
    rows = [
        {"model": m, "item": i, "accuracy": float((i + k) % 3 > 0), "status": ""}
        for k, m in enumerate("AB")
        for i in range(40)
    ]
    if failed:
        rows[-1] |= {"status": "error", "accuracy": None}
    else:
        rows.pop()
    scores = nofluke.read(rows, failed="status") if failed else nofluke.read(rows)
    answer = nofluke.compare(scores, "A", "B", missing=missing)

    assert answer.sentences()[-1:] == told
