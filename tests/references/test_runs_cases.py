"""Runs: answers that were worked out elsewhere, and public tables of seeds and folds."""

import json

import pytest

from nofluke import read, runs
from nofluke.errors import InputError


@pytest.fixture
def data(shared):
    return shared / "data"


def case(shared, name):
    return json.loads((shared / "cases" / f"{name}.json").read_text())


def notes(answer, code):
    return [note for note in answer.notes if note.startswith(code)]


def test_five_runs_have_no_upper_limit_for_the_95th_percentile(shared):
    told = case(shared, "quantile-01")
    expected = told["expected"]["values"]
    asked = told["input"]
    answer = runs(asked["values"], quantile=asked["quantile"], level=0.95, guaranteed=True)
    row = answer.rows()[0]
    # At the full level on its one side the fourth value is the limit that holds.
    assert row["lower"] == expected["lower_limit"]
    assert row["rank_lower"] == expected["lower_limit_order_statistic"]
    assert row["coverage"] == pytest.approx(expected["lower_confidence"], abs=1e-9)
    assert row["status"] == "one_sided"
    assert row["needed_upper"] == expected["runs_needed_for_upper_95_one_sided"]
    assert "A limit from above needs 59 runs" in answer.sentences()[0]
    assert "3.75" not in answer.sentences()[0]


def test_ten_runs_give_the_median_an_interval_with_its_true_confidence(shared):
    told = case(shared, "quantile-02")
    expected = told["expected"]["values"]
    answer = runs(told["input"]["values"], level=0.95, guaranteed=True)
    row = answer.rows()[0]
    assert (row["lower"], row["upper"]) == (expected["low"], expected["high"])
    assert [row["rank_lower"], row["rank_upper"]] == expected["order_statistics"]
    assert row["coverage"] == pytest.approx(expected["attained_confidence"], abs=1e-12)
    assert "97.85 %" in answer.sentences()[0]


def test_three_seeds_have_sd_se_and_a_t_interval_under_their_names(shared):
    told = case(shared, "seeds-01")
    expected = told["expected"]["values"]
    answer = runs(told["input"]["scores"], level=told["input"]["confidence"])
    row = answer.means[0]
    for name in ("mean", "sd", "se"):
        assert row[name] == pytest.approx(expected[name], abs=1e-12)
    assert [row["lower"], row["upper"]] == pytest.approx(expected["ci"], abs=1e-9)
    assert row["half_width"] == pytest.approx(expected["t_quantile"] * expected["se"], abs=1e-12)
    said = next(s for s in answer.sentences() if s.startswith("The mean of"))
    for words in ("SD of a run (n - 1)", "SE of the mean", "Half of the 95 % t interval"):
        assert words in said


def test_seeds_on_many_data_sets_are_never_averaged_over_scales(data):
    path = data / "tabm_seeds.parquet"
    with pytest.raises(InputError, match="holds the metrics"):
        read(path)
    scores = read(path, metric="accuracy")
    with pytest.raises(InputError) as told:
        runs(scores)
    assert told.value.code == "NF045"
    answer = runs(scores, each="example", quantile=0.1)
    assert answer.bounds == (0.0, 1.0)
    assert {row["n"] for row in answer.rows()} == {15}
    assert {row["status"] for row in answer.rows()} == {"one_sided"}
    assert {row["needed_lower"] for row in answer.rows()} == {22}
    assert len(answer.rows()) == 6240 // 15


def test_unequal_numbers_of_seeds_are_no_gap(data):
    scores = read(data / "rl_dmc_proprio.parquet", bounds=(0, 1000))
    answer = runs(scores, each="example")
    assert len(answer.rows()) == 6 * 18
    assert {row["n"] for row in answer.rows()} == {5, 10}
    assert all(
        0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1000 for row in answer.rows()
    )
    assert notes(answer, "NF182")
    mean = runs(scores, value="mean")
    by_name = {row["candidate"]: row["n"] for row in mean.rows()}
    assert sorted(by_name.values()) == [5, 5, 10, 10, 10, 10]


def test_one_seed_shows_no_spread_and_hides_nobody(data):
    answer = runs(read(data / "rl_procgen.parquet"), value="mean")
    found = {row["candidate"]: (row["n"], row["status"]) for row in answer.rows()}
    assert found["dreamerv3"] == (1, "none")
    assert found["ppg"] == (3, "none")
    assert found["ppo_fixhp"] == (5, "two_sided")
    assert "'dreamerv3'" in notes(answer, "NF191")[0]
    assert "5 (median)" in notes(answer, "NF191")[0]
    sd = {row["candidate"]: row["sd"] for row in answer.means}
    assert sd["dreamerv3"] is None
    assert sd["ppg"] > 0


def test_folds_are_no_independent_runs(data):
    columns = {"run": None}
    scores = read(data / "automl_1h_folds.parquet", metric="auc", columns=columns)
    with pytest.raises(InputError, match="'autoweka' lacks 16") as told:
        runs(scores)
    assert told.value.code == "NF007"
    with pytest.raises(InputError, match="folds of one cross-validation") as told:
        runs(scores, missing="own")
    assert told.value.code == "NF044"
    answer = runs(scores, missing="worst", each="cluster")
    assert answer.guarantee == "heuristic"
    assert notes(answer, "NF189")
    assert notes(answer, "NF108")
    assert {row["n"] for row in answer.rows()} == {10}
    assert len(answer.rows()) == 7 * 20
