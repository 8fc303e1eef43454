"""Known cases and public tables, compared."""

import json
import shutil

import numpy as np
import pytest

import nofluke
from nofluke import Scores, permutation, proportions


def case(shared, name):
    return json.loads((shared / "cases" / f"{name}.json").read_text("utf-8"))


def test_the_same_documents_in_another_order_are_paired_by_id(shared):
    known = case(shared, "paired-01")
    a, b = (str(shared / "cases" / f) for f in known["input_file"])
    scores = nofluke.read({"A": a, "B": b}, columns={"score": "acc"}, binary=True)
    expected = known["expected"]["values"]

    # The case asks whether A is better than B: the candidate compared is A.
    answer = nofluke.compare(scores, "B", "A", alternative="different")

    assert answer.n_pairs == expected["n_pairs"]
    assert answer.means == pytest.approx((expected["acc_b"], expected["acc_a"]))
    assert answer.estimate == pytest.approx(expected["difference"], abs=1e-9)
    assert (answer.test.wins, answer.test.losses) == (
        expected["a_only_right"],
        expected["b_only_right"],
    )
    assert answer.test.pvalue == pytest.approx(expected["mcnemar_exact_two_sided"], abs=1e-9)
    assert answer.test.mid_p == pytest.approx(expected["mcnemar_mid_p"], abs=1e-9)
    assert answer.verdict == "yes"
    assert any("exact McNemar" in sentence for sentence in answer.sentences())
    # Half a 95 % t interval in standard errors with 59 degrees of freedom.
    half = (answer.asymptotic.upper - answer.asymptotic.lower) / 2
    assert half / 2.000995378 == pytest.approx(expected["paired_se_of_difference"], abs=1e-9)


def test_a_run_compared_with_its_copy(shared):
    known = case(shared, "paired-02")
    scores = Scores.from_arrays(known["input"], binary=True, better="higher")
    answer = nofluke.compare(scores, "a", "b", alternative="different")
    expected = known["expected"]["values"]

    assert answer.estimate == expected["difference"]
    assert answer.test.pvalue == expected["p_two_sided"]
    assert answer.differing["count"] == expected["discordant"]
    limit = expected["upper_97_5_limit_for_share_of_items_where_one_wins"]
    assert answer.differing["upper"] == pytest.approx(limit, abs=1e-9)
    assert answer.verdict == "not enough evidence"
    assert answer.guaranteed.lower < 0 < answer.guaranteed.upper
    assert any("never differed" in note for note in answer.notes)


def test_decimal_scores_do_not_lose_ties(shared):
    known = case(shared, "paired-03")
    d = np.subtract(known["input"]["b"], known["input"]["a"])
    expected = known["expected"]["values"]
    less = permutation.sign_flip(-d, alternative="worse").pvalue

    # The case has a minus b.
    assert permutation.sign_flip(d, alternative="different").pvalue == pytest.approx(
        expected["exact_p_two_sided"], abs=1e-12
    )
    assert less == pytest.approx(expected["exact_p_one_sided_less"], abs=1e-12)


def test_a_stream_without_a_difference_is_never_decided(shared):
    known = case(shared, "sequential-01")
    scores = nofluke.read(
        str(shared / "cases" / known["input_file"]),
        columns={"example": "item", "candidate": ["score_a", "score_b"]},
        better="higher",
        bounds=(0, 1),
    )
    expected = known["expected"]["values"]
    for planned in (400, 1000):
        answer = nofluke.compare(
            scores, "score_a", "score_b", alternative="different", planned=planned
        )
        assert answer.verdict == "not enough evidence"
        assert answer.decided_at is None
        assert -answer.estimate == pytest.approx(expected["final_mean_difference"], abs=1e-9)
        assert answer.guaranteed.lower < 0 < answer.guaranteed.upper


class TestPublicTables:
    def test_the_smaller_model_wins_on_livecodebench(self, shared):
        scores = nofluke.read(
            str(shared / "data" / "livecodebench_o1.parquet"), better="higher", binary=True
        )
        mini, preview = "O1-Mini-2024-09-12", "O1-Preview-2024-09-12"
        answer = nofluke.compare(scores, preview, mini)

        assert (answer.n_pairs, answer.test.wins, answer.test.losses) == (880, 157, 44)
        assert answer.estimate == pytest.approx((157 - 44) / 880)
        assert answer.verdict == "yes"
        assert answer.test.pvalue == pytest.approx(
            proportions.mcnemar(wins=157, losses=44).pvalue, rel=1e-12
        )
        by_contest = nofluke.compare(scores, preview, mini, clusters=True)
        assert by_contest.verdict == "yes"
        assert by_contest.n_units == answer.dependence["clusters"]["n_clusters"] == 227

    def test_models_of_swebench_pro_on_their_common_instances_by_repository(self, shared):
        scores = nofluke.read(
            str(shared / "data" / "swebench_pro.parquet"), better="higher", binary=True
        )
        a, b = scores.candidates[:2]
        with pytest.raises(nofluke.errors.InputError) as caught:
            nofluke.compare(scores, a, b)
        assert caught.value.code == "NF017"
        rows = nofluke.compare(scores, a, b, missing="common")
        repos = nofluke.compare(scores, a, b, missing="common", clusters=True)

        assert rows.pairing["only_a"] + rows.pairing["only_b"] > 0
        assert repos.n_units == rows.dependence["clusters"]["n_clusters"] < 20
        assert repos.guaranteed.upper - repos.guaranteed.lower > 3 * (
            rows.guaranteed.upper - rows.guaranteed.lower
        )
        assert any(note.startswith("NF144") for note in rows.notes)

    def test_five_talks_decide_nothing(self, shared):
        scores = nofluke.read(
            str(shared / "data" / "wmt_ted_mqm_ende.parquet"), better="higher", bounds=(-25, 0)
        )
        means = {c: scores.sample(k).mean() for k, c in enumerate(scores.candidates)}
        worst, best = (f(means, key=means.__getitem__) for f in (min, max))
        by_talk = nofluke.compare(scores, worst, best, missing="common", clusters=True)
        by_row = nofluke.compare(scores, worst, best, missing="common")

        assert by_talk.n_units == 5
        assert by_talk.n_pairs == 529
        assert by_talk.verdict == "not enough evidence"
        assert by_talk.floor > 5
        assert {"NF140", "NF145"} <= {note[:5] for note in by_talk.notes}
        assert by_row.verdict == "yes"


def test_the_lines_of_a_case_are_read_as_files(shared, tmp_path):
    known = case(shared, "paired-01")
    for name, file in zip(("old", "new"), known["input_file"], strict=True):
        shutil.copy(shared / "cases" / file, tmp_path / f"{name}.jsonl")
    scores = nofluke.read(
        {n: str(tmp_path / f"{n}.jsonl") for n in ("old", "new")},
        columns={"score": "acc"}, binary=True,
    )  # fmt: skip

    assert nofluke.compare(scores, "old", "new").verdict == "no"
