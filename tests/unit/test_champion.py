"""The card of the best of several runs."""

import json
import math

import numpy as np
import pytest

import nofluke
from nofluke import Predictions, Scores, champion
from nofluke.classify.auc_intervals import auc_interval
from nofluke.errors import InputError
from nofluke.selection.decompose import decompose
from nofluke.selection.optimism import hybrid_predictions, implied_se, zoom_interval

SEEDS = [0.78, 0.80, 0.79, 0.83, 0.77, 0.81, 0.79, 0.82, 0.78, 0.80]


def codes(card):
    return {note[:5] for note in card.notes}


@pytest.fixture(scope="module")
def areas():
    """Six seeds on 300 rows."""
    rng = np.random.default_rng(0)
    y = np.arange(300) < 60
    alike = rng.normal(size=300) + 1.2 * y
    return y, {f"s{i}": alike + 0.4 * rng.normal(size=300) for i in range(6)}


@pytest.fixture(scope="module")
def table(areas):
    return Predictions.from_arrays(areas[0], areas[1])


def test_numbers_alone_bound_the_recipe_and_not_the_best():
    card = champion(SEEDS, gate=0.82, metric="auc")
    row = card.row("winner")
    assert row["lower"] is None
    assert "one score for each candidate" in row["reason"]
    assert len(card.causes) == 3
    assert codes(card) == {"NF238", "NF257", "NF259"}
    assert card.row("mean")["lower"] < 0.797 < card.row("mean")["upper"] < 0.82
    assert card.row("next run")["upper"] > 0.82


def test_class_sizes_pay_for_the_choice():
    card = champion(SEEDS, gate=0.82, n_positive=50, n_negative=950)
    se = max(implied_se(v, 50, 950) for v in SEEDS)
    want = zoom_interval(SEEDS, se)
    row = card.row("winner")
    assert (row["lower"], row["upper"]) == (want.lower, want.upper)
    assert row["guarantee"] == "heuristic"
    assert all(noise["inside"] for noise in card.gate["noise"])
    assert "NF258" in codes(card)


def test_hidden_candidates_widen_the_interval_up_to_bonferroni():
    wide = champion(SEEDS, n_positive=50, n_negative=950, tried=30)
    near = champion(SEEDS, n_positive=50, n_negative=950)
    a, b = wide.row("winner"), near.row("winner")
    assert a["lower"] < b["lower"] < b["upper"] < a["upper"]
    assert a["m"] == wide.tried == 30
    assert "NF256" in codes(wide) - codes(near)
    se = max(implied_se(v, 50, 950) for v in SEEDS)
    # Bonferroni for 30: the normal quantile of 1 - 0.05 / 60.
    assert 3.1 * se < a["upper"] - 0.83 < 3.1441 * se


def test_areas_are_those_of_the_parts(areas, table):
    y, s = areas
    card = champion(table, gate=0.5)
    want, best = decompose(y, list(s.values())), hybrid_predictions(table)
    mean, winner = card.row("mean"), card.row("winner")
    assert (mean["lower"], mean["upper"]) == (want.lower, want.upper)
    assert (winner["lower"], winner["upper"]) == (best.lower, best.upper)
    assert winner["candidate"] == table.candidates[best.winner]
    assert winner["estimate"] < winner["shown"]
    assert card.decomposition["se_mean"] == want.se
    assert card.decomposition["se_mean"] > card.decomposition["wrong_se"]
    assert card.optimism[0]["rho"] == pytest.approx(want.pairwise_correlation)
    assert card.source == "areas"
    assert card.causes == ()
    assert card.n == 300


def test_areas_with_hidden_candidates_share_the_error_level(areas, table):
    y, s = areas
    card = champion(table, tried=40, planned="name:s3")
    row, own = card.row("winner"), card.row("named")
    want = auc_interval(y, s[row["candidate"]], alpha=(1 - 0.95) / 40)
    named = auc_interval(y, s["s3"], alpha=1 - 0.95)
    assert (row["lower"], row["upper"]) == (want.lower, want.upper)
    assert (own["lower"], own["upper"]) == (named.lower, named.upper)


def test_a_perfect_area_shares_the_error_level(areas):
    y, s = areas
    ids = {"s0": s["s0"], "perfect": y + 0.5 * np.arange(300) / 300}
    card = champion(Predictions.from_arrays(y, ids))
    row = card.row("winner")
    want = auc_interval(y, ids["perfect"], alpha=(1 - 0.95) / 2)
    assert card.best_value == 1
    assert (row["lower"], row["upper"]) == (want.lower, want.upper)
    assert row["lower"] < 1


def test_means_of_rows_where_lower_wins():
    x = np.random.default_rng(1).gamma(2.0, size=(5, 80))
    card = champion(Scores.from_arrays(x, better="lower"), gate=float(x.mean()))
    best = int(x.mean(axis=1).argmin())
    row = card.row("winner")
    assert card.best == row["candidate"] == str(best)
    se = x.std(axis=1, ddof=1).max() / math.sqrt(80)
    mirrored = champion(Scores.from_arrays(-x, better="higher"), gate=-float(x.mean()))
    other = mirrored.row("winner")
    assert (row["lower"], row["upper"]) == pytest.approx((-other["upper"], -other["lower"]))
    # Bonferroni of five with 79 degrees of freedom: the t quantile of 1 - 0.05 / 10.
    assert 1.9 * se < row["upper"] - row["shown"] < 2.6404 * se
    assert card.gate["count"] == mirrored.gate["count"]


def test_a_table_of_runs_is_numbers():
    card = champion(Scores.from_arrays({"recipe": SEEDS}, better="higher"))
    assert card.source == "numbers"
    assert list(card.scores.values()) == SEEDS
    one_each = Scores.from_arrays({str(i): [v] for i, v in enumerate(SEEDS)}, better="higher")
    assert list(champion(one_each).scores.values()) == SEEDS


def test_the_median_has_an_exact_interval():
    card = champion(SEEDS, planned="median", better="higher")
    row = card.row("median")
    assert card.planned_value == row["shown"] == pytest.approx(0.795)
    assert (row["lower"], row["upper"]) == (0.78, 0.82)
    assert row["guarantee"] == "finite-sample"
    few = champion(SEEDS[:4], planned="median", better="higher").row("median")
    assert few["lower"] is None
    assert "4 scores" in few["reason"]


def test_a_gate_is_reached_by_what_equals_it():
    tenths = [0.1, 0.1, 0.1]
    card = champion([*tenths, 0.1 + 1e-3, 0.1 - 1e-3], gate=0.1, better="higher")
    assert card.gate["planned_passes"]
    assert card.gate["count"] == 4
    assert champion(SEEDS, gate=0.9, better="higher").passing is None


def test_a_published_score_beyond_all_runs():
    card = champion(SEEDS, published=0.9, better="higher")
    assert card.published["beyond"]
    assert card.published["rank"] == 1
    assert card.published["pvalue_rank"] == pytest.approx(1 / 11)
    assert "NF255" in codes(card)
    low = champion(SEEDS, published=0.77, better="lower").published
    assert (low["rank"], low["of"], low["candidate"]) == (1, 10, "5")
    assert low["t"] < 0
    assert low["pvalue_t"] < 0.5


def test_ties_with_a_published_score_count_against_it():
    one = champion(SEEDS, published=0.80, better="higher").published
    assert (one["rank"], one["pvalue_rank"]) == (4, 0.5)


@pytest.mark.parametrize(
    ("data", "how", "code"),
    [
        ([0.83], {}, "NF253"),
        ([0.8, 0.8, 0.8], {}, "NF253"),
        ([0.8, math.inf], {}, "NF253"),
        (SEEDS, {"planned": "max"}, "NF254"),
        (SEEDS, {"planned": "name:nobody"}, "NF254"),
        (SEEDS, {"tried": 9}, "NF254"),
        (SEEDS, {"published": "high"}, "NF254"),
        (SEEDS, {"n_positive": 50}, "NF254"),
        ([80.0, 83.0], {"n_positive": 50, "n_negative": 950}, "NF254"),
        (SEEDS, {"better": None}, "NF009"),
        ([78.0, 80.0, 83.0], {"metric": "auc"}, "NF010"),
        ([0.8, -0.1], {"metric": "auc"}, "NF010"),
        (SEEDS, {"metric": "auc", "gate": 82}, "NF010"),
        (SEEDS, {"metric": "auc", "published": "91.7"}, "NF010"),
        ("seeds.csv", {}, "NF008"),
    ],
)
def test_what_is_refused(data, how, code):
    with pytest.raises(InputError) as refused:
        champion(data, **{"better": "higher"} | how)
    assert refused.value.code == code


def test_per_cent_is_named_where_shares_were_promised():
    with pytest.raises(InputError, match="if it is in per cent, divide by 100"):
        champion([78, 80, 83], metric="auc")
    assert champion([78, 80, 83], better="higher", gate=82).row("mean")["upper"] > 83


def test_a_probability_short_of_one_is_not_called_one():
    sizes = {"n_positive": 50, "n_negative": 950}
    card = champion(SEEDS, gate=0.80, level=0.999999, tried=30, **sizes)
    assert card.passing["independent"] < 1
    said = " ".join(card.sentences())
    assert "; more than 0.9999 if they were independent" in said
    assert "would hold with probability more than 0.999 (normal errors)" in said


def test_equal_scores_with_class_sizes_have_an_interval():
    assert champion([0.7, 0.7, 0.7], n_positive=50, n_negative=50).gap == 0
    card = champion([0.8, 0.8, 0.8], n_positive=50, n_negative=50)
    assert card.row("mean")["lower"] is None
    assert 0 < card.row("winner")["lower"] < 0.8


def test_json_holds_the_card(table):
    for card in (champion(SEEDS, gate=0.82, published=0.9, better="higher"), champion(table)):
        told = json.loads(card.to_json())
        assert told["kind"] == "champion"
        assert told["rule"] == "mean"
        assert told["m"] == told["tried"] == card.m
        assert any(row["lower"] is not None for row in told["rows"])
        assert told["sentences"][-1] == "Training-set variance is outside all of these numbers."
    assert nofluke.champion is champion


def test_the_picture_draws_the_card():
    card = champion(SEEDS, gate=0.82, n_positive=50, n_negative=950)
    lines = {line.get_label(): line for line in card.plot().lines}
    assert list(lines["scores"].get_xdata()) == SEEDS
    assert list(lines["best"].get_xdata()) == [0.83]
    assert list(lines["gate"].get_xdata()) == [0.82, 0.82]
    row = card.row("winner")
    assert list(lines["winner"].get_xdata()) == [row["lower"], row["upper"]]
    assert lines["expected maximum"].get_xdata()[0] == card.mean + card.gap_if_equal


def test_the_page_shows_rule_and_number(tmp_path):
    card = champion({"<i>a": 0.8, "x": 0.7, "y": 0.75}, gate=0.78, better="higher")
    path = tmp_path / "card.html"
    card.report(path)
    text = path.read_text("utf-8")
    assert "Planned: 0.75; best of 3: 0.8, which was chosen" in text
    assert "<i>a" not in text
    assert "&lt;i&gt;a" in text
    assert "Training-set variance is outside" in text
