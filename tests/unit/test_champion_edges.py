"""The card of the best of several runs at its edges: ties, equal scores, names, and extremes."""

import pytest

from nofluke import champion
from nofluke.cli.champion_text import headline


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
