from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nofluke
from nofluke import Predictions
from nofluke.classify.folds import auc_by_fold
from nofluke.errors import InputError

Y = [0, 1, 1, 0]


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.code, str(caught.value)


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "positive"),
        [
            ([0, 1, 1, 0], None),
            ([False, True, True, False], None),
            ([-1, 1, 1, -1], None),
            (np.array([0, 1, 1, 0], np.int8), None),
            (np.array([0.0, 1.0, 1.0, 0.0]), None),
            (np.array([False, True, True, False], object), None),
            (["ham", "spam", "spam", "ham"], "spam"),
            (np.array(["ham", "spam", "spam", "ham"], object), "spam"),
            (pd.Series([0, 1, 1, 0], dtype="Int64"), None),
            (pd.Series([False, True, True, False], dtype="boolean"), None),
            (pd.Series(["b", "a", "a", "b"], dtype="category"), "a"),
            (pl.Series(["b", "a", "a", "b"], dtype=pl.Categorical), "a"),
            ([2, 1, 1, 2], 1),
            ([1, 0, 0, 1], 0),
        ],
    )
    def test_are_read_as_what_they_say(self, labels, positive):
        table = Predictions.from_arrays(labels, [0.1, 0.2, 0.3, 0.4], positive=positive)

        assert table.labels.tolist() == [False, True, True, False]

    def test_of_one_class_are_labels_all_the_same(self):
        assert Predictions.from_arrays([0, 0], [1, 2]).labels.tolist() == [False, False]
        assert Predictions.from_arrays([-1, -1], [1, 2]).labels.tolist() == [False, False]
        assert Predictions.from_arrays([1, 1], [1, 2]).labels.tolist() == [True, True]

    def test_of_unknown_meaning_are_not_guessed(self):
        assert refusal(lambda: Predictions.from_arrays([1, 2], [0.1, 0.2])) == (
            "NF060",
            "labels are 1, 2; without positive= they must be 0 and 1, truth values, or -1 and 1. "
            "Name the positive class, such as positive=2; which one is meant is never guessed.",
        )

    def test_of_0_and_minus_1_are_not_guessed(self):
        code, told = refusal(lambda: Predictions.from_arrays([-1, 0, -1], [1, 2, 3]))

        assert code == "NF060"
        assert told.startswith("labels are -1, 0; without positive=")

    def test_that_are_ties_are_refused_with_their_places(self):
        code, told = refusal(
            lambda: Predictions.from_arrays([0, 0.5, 1], [1, 2, 3], examples=["a", "b", "c"])
        )

        assert code == "NF060"
        assert told.startswith(
            "labels are 0, 0.5, 1, and a label is one of two classes: 0.5 in 1 of 3 examples ('b')."
        )

    @pytest.mark.parametrize("missing", [float("nan"), None, pd.NA])
    def test_that_are_missing_are_refused_with_their_places(self, missing):
        code, told = refusal(lambda: Predictions.from_arrays([0, missing, 1], [1, 2, 3]))

        assert (code, told) == (
            "NF060",
            "the label is missing in 1 of 3 examples ('1'); leave those rows out, or say what they "
            "are.",
        )

    def test_of_three_classes_are_none_of_ours(self):
        code, told = refusal(
            lambda: Predictions.from_arrays(["a", "b", "c"], [1, 2, 3], positive="a")
        )

        assert code == "NF060"
        assert "at most two kinds" in told

    def test_of_three_classes_are_not_sent_to_an_option_that_refuses_them(self):
        code, told = refusal(lambda: Predictions.from_arrays(["a", "b", "c"], [1, 2, 3]))

        assert code == "NF060"
        assert "3 kinds, and two classes were expected" in told
        assert "positive=" not in told

    def test_that_do_not_hold_the_named_class_are_refused(self):
        assert refusal(lambda: Predictions.from_arrays(["a", "b"], [1, 2], positive="c"))[0] == (
            "NF060"
        )

    def test_of_different_lengths_are_refused(self):
        assert refusal(lambda: Predictions.from_arrays([[0], [1, 1]], [1, 2]))[0] == "NF002"


class TestArrays:
    def test_floats_of_fewer_bits_keep_their_value(self):
        given = np.array([0.1, 0.7, 0.2, 0.3], np.float32)

        assert Predictions.from_arrays(Y, given).predictions.tolist() == [float(v) for v in given]

    def test_integers_that_no_double_holds_are_refused(self):
        code, _ = refusal(lambda: Predictions.from_arrays([0, 1], [2**53, 2**53 + 1]))

        assert code == "NF004"

    def test_unequal_lengths_are_refused(self):
        assert refusal(lambda: Predictions.from_arrays([0, 1], {"a": [1, 2], "b": [1, 2, 3]})) == (
            "NF008",
            "2 labels and 3 predictions of 'b'; give one for each label, in the same order, NaN "
            "where it is missing. (Labels come first, then predictions.)",
        )

    def test_text_is_no_prediction(self):
        assert refusal(lambda: Predictions.from_arrays([0, 1], ["0.1", "0.2"]))[0] == "NF004"

    def test_nothing_can_be_changed_afterwards(self):
        table = Predictions.from_arrays(Y, [1, 2, 3, 4])

        for array in (table.labels, table.predictions, table.where):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    def test_the_digest_is_that_of_the_content(self):
        s = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]])
        first = Predictions.from_arrays(Y, s, candidates=["a", "b"], examples=list("wxyz"))
        order = [2, 0, 3, 1]
        same = Predictions.from_arrays(
            [Y[i] == 1 for i in order],
            {"b": s[1, order], "a": s[0, order]},
            examples=[list("wxyz")[i] for i in order],
        )
        other = Predictions.from_arrays(
            [1, *Y[1:]], s, candidates=["a", "b"], examples=list("wxyz")
        )

        assert first.digest == same.digest
        assert first.digest != other.digest

    def test_front_door(self):
        assert nofluke.Predictions is Predictions
        assert callable(nofluke.read_predictions)


class TestMissing:
    GAPS = MappingProxyType({"a": [1, 2, np.nan, 4], "b": [5, 6, 7, 8]})

    def test_is_refused_by_default(self):
        assert refusal(lambda: Predictions.from_arrays(Y, self.GAPS)) == (
            "NF007",
            "not every candidate has a prediction for every example: 'a' lacks 1 ('2'). Say "
            "missing='common' to use the 3 of 4 examples that all have, or 'own' if the candidates "
            "were evaluated on examples of their own.",
        )

    def test_common_keeps_what_all_have(self):
        table = Predictions.from_arrays(Y, self.GAPS, missing="common")

        assert table.examples == ("0", "1", "3")
        assert table.labels.tolist() == [False, True, False]
        assert table.matrix().predictions.tolist() == [[1, 2, 4], [5, 6, 8]]
        assert any(note.startswith("NF107: 3 of 4") for note in table.notes)

    def test_own_keeps_all(self):
        table = Predictions.from_arrays(Y, self.GAPS, missing="own", cluster=[7, 7, 8, 9])

        assert table.n.tolist() == [3, 4]
        assert table.sample("a").labels.tolist() == [False, True, False]
        assert table.sample("b").labels.tolist() == [False, True, True, False]
        assert table.clusters("a").tolist() == [0, 0, 1]
        assert table.matrix().examples == ("0", "1", "3")
        assert repr(table) == (
            "Predictions(2 candidates x 4 examples, 3-4 predictions each, 2 positive)"
        )

    def test_candidates_without_common_examples_cannot_be_aligned(self):
        apart = {"a": [1, 2, np.nan, np.nan], "b": [np.nan, np.nan, 7, 8]}

        for missing in ("raise", "common"):
            code, told = refusal(lambda m=missing: Predictions.from_arrays(Y, apart, missing=m))
            assert code == "NF007"
            assert "'own'" in told
            assert "no example was given to two candidates (n from 2 to 2)" in told
        table = Predictions.from_arrays(Y, apart, missing="own")
        assert refusal(table.matrix)[0] == "NF007"

    def test_an_example_that_nobody_predicted_is_gone(self):
        table = Predictions.from_arrays(Y, [1, np.nan, 3, 4], missing="own")

        assert table.examples == ("0", "2", "3")
        assert table.labels.tolist() == [False, True, False]


class TestViews:
    def table(self):
        return Predictions.from_arrays(
            [0, 1, 1, 0, 1, 0],
            {"a": [1, 2, 3, 4, 5, 6], "b": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]},
            cluster=["x", "x", "y", "y", "z", "z"],
            groups={str(i): g for i, g in enumerate(["de", "en", "de", "en", "en", "en"])},
            folds=[10, 9, 10, 9, 9, 10],
            time=[3, 1, 1, 1, 2, 4],
        )

    def test_candidates_by_name_or_index(self):
        table = self.table()

        assert table.sample("b").predictions.tolist() == table.sample(1).predictions.tolist()
        code, told = refusal(lambda: table.sample("c"))
        assert (code, told) == ("NF008", "candidate='c' is none of the 2 candidates: 'a', 'b'.")
        assert refusal(table.sample)[0] == "NF008"
        assert refusal(lambda: table.sample(-1))[0] == "NF008"

    def test_clusters_without_gaps(self):
        table = self.table()
        part = table.take(np.tile([True, True, False, False, True, True], 2))

        assert table.clusters().tolist() == [0, 0, 1, 1, 2, 2]
        assert part.clusters().tolist() == [0, 0, 1, 1]
        assert part.clusters("b").tolist() == [0, 0, 1, 1]
        assert Predictions.from_arrays(Y, [1, 2, 3, 4]).clusters() is None

    def test_by_group(self):
        parts = self.table().by_group()

        assert list(parts) == ["de", "en"]
        assert parts["de"].examples == ("0", "2")
        assert parts["de"].complete
        assert parts["de"].matrix().predictions.tolist() == [[1, 3], [0.1, 0.3]]
        assert parts["en"].sample("a").labels.tolist() == [True, False, True, False]
        assert refusal(lambda: Predictions.from_arrays(Y, [1, 2, 3, 4]).by_group())[0] == "NF003"

    def test_blocks_of_like_size_that_do_not_part_a_moment(self):
        parts = self.table().by_time(2)

        assert list(parts) == ["[1, 2)", "[2, 4]"]
        assert [p.examples for p in parts.values()] == [("1", "2", "3"), ("0", "4", "5")]
        assert [len(p.examples) for p in self.table().by_time(4).values()] == [3, 1, 1, 1]
        assert len(self.table().by_time(1)) == 1
        assert refusal(lambda: self.table().by_time(5))[0] == "NF008"

    def test_blocks_by_edges(self):
        parts = self.table().by_time([1, 2, 4])

        assert {name: p.examples for name, p in parts.items()} == {
            "[1, 2)": ("1", "2", "3"),
            "[2, 4]": ("0", "4", "5"),
        }
        code, told = refusal(lambda: self.table().by_time([1, 3]))
        assert code == "NF008"
        assert told.startswith("2 of 12 rows lie outside the blocks from 1 to 3")
        assert refusal(lambda: self.table().by_time([3, 1]))[0] == "NF008"

    def test_dates_are_seconds(self):
        days = np.array(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"], "datetime64[D]")
        table = Predictions.from_arrays(Y, [1, 2, 3, 4], time=days)

        assert np.diff(table.time).tolist() == [86400] * 3
        parts = table.by_time(days[[0, 2, 3]])
        assert [p.examples for p in parts.values()] == [("0", "1"), ("2", "3")]

    def test_rows_without_a_time_cannot_be_parted_by_it(self):
        for time in (None, [1, 2, np.nan, 3]):
            table = Predictions.from_arrays(Y, [1, 2, 3, 4], time=time)
            assert refusal(lambda t=table: t.by_time(2))[0] == "NF007"

    def test_folds_go_by_number(self):
        assert auc_by_fold(self.table(), "a").folds == ("9", "10")
        assert refusal(lambda: auc_by_fold(self.table()))[0] == "NF008"
        without = Predictions.from_arrays(Y, [1, 2, 3, 4])
        assert refusal(lambda: auc_by_fold(without))[0] == "NF003"

    def test_probabilities(self):
        table = self.table()

        assert not table.probabilities
        assert Predictions.from_arrays(Y, [0, 0.2, 0.3, 1]).probabilities
        assert not Predictions.from_arrays(Y, [-0.1, 0.2, 0.3, 1]).probabilities


@pytest.mark.parametrize("hard", [[0, 1, 1, 0], [-1, 1, 1, -1], [0.0, 1.0, 0.0, 0.0]])
def test_decisions_are_noted(hard):
    told = Predictions.from_arrays(Y, {"hard": hard, "soft": [0, 0.5, 1, 0]}).notes

    assert len(told) == 1
    assert told[0].startswith("NF217: every prediction of 'hard' is one of two labels")


def test_scores_are_no_decisions():
    assert Predictions.from_arrays(Y, [-1, 0, 1, 1]).notes == ()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"cluster": [1, 2]}, "NF008"),
        ({"cluster": ["a", "b", "", "c"]}, "NF007"),
        ({"cluster": [1.0, 2.0, 3.0, 4.0]}, "NF007"),
        ({"cluster": {"0": "a"}}, "NF007"),
        ({"time": ["a", "b", "c", "d"]}, "NF004"),
        ({"examples": ["a", "a", "b", "c"]}, "NF006"),
        ({"missing": "worst"}, "NF008"),
    ],
)
def test_what_cannot_be_used_is_refused(given, code):
    assert refusal(lambda: Predictions.from_arrays(Y, [1, 2, 3, 4], **given))[0] == code
