"""The card of the best of several runs at its edges: ties, equal scores, names, and extremes."""

import numpy as np
import pytest

from nofluke import Predictions, Scores, champion
from nofluke.cli.champion_text import headline, tables
from nofluke.errors import InputError
from nofluke.questions.champion_entries import entries
from nofluke.selection.optimism import zoom_interval


def first(data, **how):
    return champion(data, **{"better": "higher"} | how).sentences()[0]


def test_who_shows_the_same_as_the_best_is_named(tmp_path):
    card = champion([0.7, 0.8, 0.8], better="higher", n_rows=50)
    assert (card.best, card.tied) == ("2", ("3",))
    said = " ".join(card.sentences())
    assert "the best (2; 3 shows the same) shows 0.8, 0.03333 away from it" in said
    assert "for the true score of 2, one of 2 that show the best score, the choice" in said
    assert card.to_dict()["tied"] == ["3"]
    path = tmp_path / "card.html"
    card.report(path)
    assert "2; 3 shows the same" in path.read_text("utf-8")
    assert "best of 3 (2; 3 shows the same): 0.8" in headline(card)[0]
    alone = champion([0.7, 0.8, 0.79], better="higher", n_rows=50)
    assert alone.tied == ()
    assert "the best (2) shows 0.8" in alone.sentences()[0]


def test_many_equals_are_counted():
    said = first([0.9, 0.5, *[0.9] * 6])
    assert "the best (1; 3, 4, 5 and 3 more show the same) shows 0.9" in said
    assert "the best (1; 2 and 3 show the same)" in first([0.9, 0.9, 0.9, 0.1])


def test_tiny_scores_are_no_ties():
    assert champion([1e-14, 2e-14, 3e-14], better="higher").tied == ()


def test_a_candidate_named_beforehand_may_be_the_best():
    said = first([0.7, 0.8, 0.75], planned="name:2")
    assert "the candidate named beforehand, 2, which shows 0.8 and is the best as well (s" in said
    said = first([0.7, 0.8, 0.8], planned="name:2")
    assert "is the best as well (2; 3 shows the same) (standard deviation" in said
    assert "2, which shows 0.7; the best (1) shows 0.8, 0.1 away" in first(
        [0.8, 0.7, 0.75], planned="name:2"
    )


def test_the_mean_is_that_of_those_at_hand():
    assert "planned was the mean of all, which is 0.75" in first([0.7, 0.8])
    assert "planned was the mean of those at hand, which is 0.75" in first([0.7, 0.8], tried=3)
    assert "planned was the median of those at hand" in first([0.7, 0.8], tried=3, planned="median")


@pytest.mark.parametrize(("gate", "said"), [(0.8, "1 of 3 reaches it"), (0.75, "2 of 3 reach it")])
def test_a_gate_that_is_met_exactly(gate, said):
    card = champion([0.7, 0.8, 0.75], better="higher", gate=gate)
    assert card.gate["best_passes"]
    assert said in " ".join(card.sentences())


def test_one_degree_of_freedom():
    assert "with 1 degree of freedom, one" in " ".join(
        champion([0.7, 0.8, 0.75], better="higher", published="name:2").sentences()
    )


RUNS = {"a": 0.916666, "b": 0.9, "c": 0.88, "d": 0.9172}


def test_a_published_number_is_a_run_that_rounds_to_it():
    card = champion(RUNS, better="higher", published="0.917")
    one = card.published
    # 0.916666 and 0.9172 both round to 0.917: the nearer is it, and the other is a tie.
    assert (one["candidate"], one["rounded"], one["rank"], one["of"]) == ("d", True, 1, 4)
    assert one["pvalue_rank"] == 0.5
    assert not one["beyond"]
    assert not any(note.startswith("NF255") for note in card.notes)
    assert "The published 0.917, which 0.9172 of d rounds to, ranks 1 of 4; if" in str(card)


@pytest.mark.parametrize("written", ["0.9173", "0.92000"])
def test_more_decimals_than_round_to_it_are_another_number(written):
    card = champion(RUNS, better="higher", published=written)
    assert (card.published["candidate"], card.published["beyond"]) == (None, True)
    assert any(note.startswith("NF255") and note.endswith("else.") for note in card.notes)


def test_a_float_keeps_no_decimals_and_a_note_says_so():
    card = champion({"a": 0.916666, "b": 0.9}, better="higher", published=0.917)
    assert card.published["beyond"]
    (note,) = [note for note in card.notes if note.startswith("NF255")]
    assert "unless it is the 0.916666 of a rounded" in note
    sizes = {"n_positive": 300, "n_negative": 700}
    told = champion([0.917, 0.9], published=0.92, decimals=3, metric="auc", **sizes)
    assert told.published["candidate"] is None


def test_a_run_that_shows_it_exactly_comes_before_those_that_round_to_it():
    one = champion([0.8, 0.83, 0.79], better="higher", published="0.8").published
    assert (one["candidate"], one["rounded"], one["rank"], one["pvalue_rank"]) == (
        "1", False, 2, pytest.approx(2 / 3)
    )  # fmt: skip


def test_equal_scores_have_no_lead_to_explain():
    said = " ".join(champion([0.8, 0.8, 0.8], metric="accuracy", n_rows=50).sentences())
    assert "lead comes from" not in said
    assert "the best (1; 2 and 3 show the same) shows 0.8, 0 away from it" in said
    same = champion(Scores.from_arrays([[1, 0, 1, 1, 0, 1, 1]] * 3, metric="accuracy"))
    assert same.decomposition["wrong_se"] == 0


def test_no_chance_is_called_zero():
    sizes = {"n_positive": 50, "n_negative": 950}
    said = " ".join(champion([0.78, 0.83], tried=10**6, **sizes).sentences())
    assert "would hold with probability less than 0.001 (normal errors)" in said


@pytest.mark.parametrize("tried", [2, 3, 40, 10_000])
@pytest.mark.parametrize("method", ["stepdown", "simultaneous"])
def test_the_number_tried_stands_for_scores_as_high_as_the_best(tried, method):
    scores = [0.1, 0.9]
    short = zoom_interval(scores, 0.02, tried=tried, method=method)
    written = zoom_interval([*scores, *[0.9] * (tried - 2)], 0.02, method=method)
    assert short == written


def test_any_number_may_have_been_tried():
    """No array as long as the number tried is made."""
    found = champion([0.78, 0.83], tried=10**15, n_positive=50, n_negative=950).row("winner")
    assert found["lower"] < 0.83 - 8 * 0.036


def test_fewer_tried_than_scored_are_refused():
    with pytest.raises(InputError, match="tried"):
        zoom_interval([0.1, 0.2, 0.3], 0.1, tried=2)


@pytest.mark.parametrize(
    ("data", "how", "code", "said"),
    [
        ([1e308, -1e308, 1e308], {}, "NF253", "as good as infinite"),
        ({1: 0.5, "1": 0.6}, {}, "NF253", "'1' more than once"),
        ([0.5, 0.6], {"gate": float("inf")}, "NF008", "reached by all or by none"),
        (Scores.from_arrays([[np.inf, -np.inf, 1.0], [1.0, 2.0, 3.0]]), {}, "NF253", "infinite"),
        (
            Scores.from_arrays([[np.inf, 0.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4]], cluster=list("aabb")),
            {},
            "NF253",
            "some scores are infinite",
        ),
        (Scores.from_arrays(np.ones((2, 4)), cluster=list("aabb")), {}, "NF253", "more clusters"),
        (Scores.from_arrays(np.ones((2, 4))), {}, "NF253", "Give more rows"),
    ],
)
def test_extremes_are_refused_with_the_reason(data, how, code, said):
    with pytest.raises(InputError) as refused:
        champion(data, **{"better": "higher"} | how)
    assert refused.value.code == code
    assert said in str(refused.value)


def test_rows_without_spread_are_not_called_equal_scores():
    x = np.array([np.ones(6), np.zeros(6)])
    card = champion(Scores.from_arrays(x, metric="accuracy", cluster=list("aabbcc")))
    said = " ".join(card.sentences())
    assert "nothing differs between rows (or between clusters of them)" in said
    assert "all scores are equal" not in said
    (note,) = [note for note in card.notes if note.startswith("NF257")]
    assert "scores of every row" not in note


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_one_row_change_nothing(seed):
    rng = np.random.default_rng(seed)
    x, alone = (rng.random((4, 15)) < 0.7).astype(float), [f"c{i}" for i in range(15)]
    a = champion(Scores.from_arrays(x, metric="accuracy", cluster=alone))
    b = champion(Scores.from_arrays(x, metric="accuracy"))
    assert a.rows() == b.rows()
    assert a.row("winner (no model)")["lower"] is not None
    y = np.arange(15) < 6
    areas = {str(i): row for i, row in enumerate(rng.normal(size=(3, 15)) + y)}
    c = champion(Predictions.from_arrays(y, areas, cluster=alone))
    assert c.rows() == champion(Predictions.from_arrays(y, areas)).rows()


def test_what_a_gate_inside_an_interval_does_not_say():
    card = champion([0.78, 0.80, 0.83], gate=0.9, n_positive=50, n_negative=950)
    assert card.row("mean")["upper"] < 0.9 < card.row("winner")["upper"]
    (note,) = [note for note in card.notes if note.startswith("NF258")]
    assert "within the interval of winner. From such an interval follows neither" in note
    near = champion([0.78, 0.80, 0.83], gate=0.8, n_positive=50, n_negative=950)
    assert "of mean and of winner and of one score by itself. From" in str(near.notes)


def test_a_published_text_keeps_its_own_decimals():
    how = {"n_positive": 50, "n_negative": 950, "decimals": 2}
    card = champion([0.78, 0.83], published="0.917", **how)
    assert [row["decimals"] for row in card.reported] == [2, 2, 3]
    assert champion([0.78, 0.83], published=0.91, **how).reported[-1]["decimals"] == 2


def test_the_table_spells_zeros_that_were_reported(tmp_path):
    card = champion([0.8, 0.83], n_positive=50, n_negative=950, decimals=2)
    path = tmp_path / "card.html"
    card.report(path)
    assert ">0.80<" in path.read_text("utf-8")
    (_, numbers) = tables(card)
    assert [str(cell) for cell in numbers[1].columns[1].cells] == ["0.80", "0.83"]


def test_a_plan_that_is_the_best_is_in_the_noise_once():
    card = champion([0.7, 0.83], planned="name:2", gate=0.82, n_positive=50, n_negative=950)
    assert str(card).count("lies inside the noise of") == 1


def test_the_luck_of_unequal_rows_is_told_on_average():
    x = np.random.default_rng(0).normal(size=(3, 40)) * np.array([[1], [2], [4]])
    said = " ".join(champion(Scores.from_arrays(x, better="higher")).sentences())
    assert " on average, the best would show" in said


def test_a_missing_candidate_is_told_beside_the_first_few():
    with pytest.raises(InputError, match="'4', '5' and 4 more") as caught:
        champion(np.linspace(0.7, 0.8, 9), better="higher", planned="name:10")
    assert caught.value.code == "NF254"


def test_the_picture_does_not_speak_of_one_score_where_there_are_rows():
    def footer(card):
        return " ".join(text.get_text() for text in card.plot().texts)

    assert "one score each does not say" in footer(champion([0.7, 0.8], better="higher"))
    flat = champion(Scores.from_arrays([[0.5] * 6, [0.7] * 6], better="higher"))
    assert flat.row("winner")["lower"] is None
    assert "one score each" not in footer(flat)
    assert "the lines of the winner say why" in footer(flat)
    bounded = champion(Scores.from_arrays([[1] * 6, [0] * 6], metric="accuracy"))
    assert bounded.row("winner")["lower"] is None
    assert bounded.row("winner (no model)")["lower"] is not None
    assert "no interval for the best" not in footer(bounded)


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 0.9])
@pytest.mark.parametrize("n", [6, 7, 10])
def test_rounding_of_equal_rows_is_no_spread(value, n):
    table = Scores.from_arrays([[value] * n, [value / 2] * n], better="higher")
    name = table.candidates[0]
    for planned in ("mean", f"name:{name}"):
        card = champion(table, planned=planned)
        assert (card.best, card.row("winner")["lower"], card.optimism) == (name, None, ())
        assert "nothing differs between rows" in card.row("winner")["reason"]
    assert card.row("named")["lower"] is None


def test_errors_of_rows_are_the_usual_ones():
    x = np.random.default_rng(2).normal(size=(3, 40))
    found = entries(Scores.from_arrays(x, better="higher"), better=None, metric=None)
    np.testing.assert_allclose(found.covariance, np.cov(x) / 40, rtol=1e-12)
