"""What a guard says is literally true: of clusters, ties, chains of verdicts, and after the end."""

import numpy as np
import pytest

from nofluke.guard import confirmation, holdouts, metrics, policies, standings, uploads
from nofluke.ledger import release
from nofluke.ledger.release.records import BLIND, INDEPENDENT
from nofluke.ledger.release.rounded import FIXED

VERDICT = {"rule": "verdict", "baseline": "old"}
CHAIN = {**VERDICT, "options": {"wins": 3, "moving": True}}


def said(spec, **more):
    return " ".join(policies.words(policies.from_spec(spec), **more))


def ranked(spec, words):
    policy = policies.from_spec(spec)
    told = standings.places(policy, [{"verdict": word, "own": None} for word in words])
    return standings.ranks(*told, better=policy.kind.better)


class TestStandings:
    def test_ranges_may_overlap_although_one_is_certainly_better(self):
        found = standings.ranks([0.8, 0.5, 0.65], [0.9, 0.7, 0.85], better="higher")
        assert (found.worst[0], found.best[1]) == (2, 2)  # both may be second; 0.8 > 0.7
        words = " ".join(standings.words(policies.from_spec({})))
        assert "ranges overlap" not in words
        assert "Where the limits of two overlap, they do not tell which" in words

    @pytest.mark.parametrize("metric", ["accuracy", "brier"])
    def test_a_chain_of_verdicts_is_an_order(self, metric):
        spec = {**CHAIN, "metric": metric}
        found = ranked(spec, ["better", "not shown", "better", "better"])
        assert found.best.tolist() == [3, 1, 2, 1]
        assert found.worst.tolist() == [4, 4, 3, 2]
        assert found.tier.tolist() == [3, 1, 2, 1]
        words = " ".join(standings.words(policies.from_spec(spec)))
        assert "better than all that were told so before it" in words

    @pytest.mark.parametrize(
        "options", [{"wins": 3}, {"wins": 3, "moving": True, "margin": -0.1, "test": "betting"}]
    )
    def test_verdicts_against_one_baseline_or_with_a_tolerance_are_none(self, options):
        spec = {**VERDICT, "options": options}
        assert ranked(spec, ["better", "better"]).worst.tolist() == [2, 2]
        assert "nothing about the order" in standings.words(policies.from_spec(spec))[0]


class TestWords:
    def test_a_tolerance_is_no_improvement(self):
        options = {"margin": -0.1, "test": "betting"}
        words = said({**VERDICT, "options": options})
        assert "to be worse than the baseline by less than 0.1, if at all" in words
        assert "by more than" not in words
        state = release.Verdict(n=9, looks=2, baseline=(1.0,) * 9, margin=-0.5, test="betting")
        told, _ = release.look(state, [1.0] * 9)
        assert "worse than that of the baseline by less than 0.5, if at all" in told.about
        assert "better" not in told.about

    def test_of_clusters_it_is_a_new_cluster_that_counts(self):
        for rule in ("rounded", "thresholdout"):
            words = said({"rule": rule, "cluster": "patient"})
            assert "on a new cluster" in words
            assert "new rows" not in words
            assert "takes clusters of hidden rows that are independent" in words
        assert "a new cluster" in standings.words(policies.from_spec({"cluster": "c"}))[0]

    def test_the_same_predictions_with_another_score_of_ones_own_are_another_question(self):
        assert "with the same score of your own," in said({"rule": "thresholdout"})
        assert "score of your own" not in said({"rule": "ladder"})

    def test_the_draw_of_the_noise_counts(self):
        assert "draw of the hidden rows and of the noise" in said({"rule": "thresholdout"})

    def test_comparisons_must_be_fixed_as_well(self):
        words = said({"rule": "rounded", "options": {"adaptive": False}})
        assert "all submissions and comparisons were fixed" in words

    def test_rows_that_were_opened_wait_no_more(self):
        assert "wait for the final" in said({}, confirmation_rows=5)
        words = said({}, confirmation_rows=5, opened=True)
        assert "were kept for the final confirmation, which was opened" in words
        assert "wait" not in words

    def test_one_row_is_all_rows(self):
        assert "no score of a single row" not in said({})


class TestAssumptions:
    def test_rows_of_a_cluster_need_not_be_independent(self):
        assert INDEPENDENT in policies.assumes(policies.from_spec({}))
        found = policies.assumes(policies.from_spec({"cluster": "patient"}))
        assert INDEPENDENT not in found
        assert policies.CLUSTERS in found

    def test_fixed_submissions_are_assumed_where_they_are_needed(self):
        found = policies.assumes(
            policies.from_spec({"rule": "rounded", "options": {"adaptive": False}})
        )
        assert FIXED in found
        assert BLIND not in found

    def test_of_a_confirmation(self):
        policy = policies.from_spec({"cluster": "c"})
        hidden = holdouts.of_texts(
            [f"r{i}" for i in range(40)],
            ["0", "1"] * 20,
            metric=metrics.METRICS["accuracy"],
            cluster=[f"c{i // 2}" for i in range(40)],
            confirm=0.5,
            entropy=lambda size: np.random.default_rng(5).bytes(size),
        )
        one = uploads.of_texts(["1"] * 40, hidden, kind="label")
        found = confirmation.confirm(policy, hidden, {"one": one})
        assert policies.CLUSTERS in found.assumes
        assert INDEPENDENT not in found.assumes
        assert "on clusters like these" in found.sentences()[0]
        assert "over the draw of the clusters" in found.sentences()[-1]
