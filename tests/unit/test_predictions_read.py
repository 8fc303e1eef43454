"""Predictions from files and frames: roles, labels, what is refused and how it is told."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nofluke import Predictions, read_predictions
from nofluke.errors import InputError
from nofluke.scores.readers import sql

LONG = {
    "model": ["svm", "svm", "svm", "nn", "nn", "nn"],
    "id": ["a", "b", "c", "c", "b", "a"],
    "y_true": [0, 1, 1, 1, 1, 0],
    "p": [0.1, 0.7, 0.9, 0.8, 0.6, 0.25],
}
WIDE = {"id": ["a", "b", "c"], "target": [0, 1, 1], "svm": [0.1, 0.7, 0.9], "nn": [0.25, 0.6, 0.8]}


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.code, str(caught.value)


def content(table):
    return {
        c: dict(
            zip(
                table.examples,
                zip(*map(np.ndarray.tolist, table.sample(c)), strict=True),
                strict=True,
            )
        )
        for c in table.candidates
    }


EXPECTED = {
    "svm": {"a": (False, 0.1), "b": (True, 0.7), "c": (True, 0.9)},
    "nn": {"a": (False, 0.25), "b": (True, 0.6), "c": (True, 0.8)},
}


@pytest.mark.parametrize("data", [LONG, WIDE], ids=["long", "wide"])
class TestFormats:
    @pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
    def test_frames(self, data, frame):
        assert content(read_predictions(frame(data))) == EXPECTED
        assert content(Predictions.from_frame(frame(data))) == EXPECTED

    def test_rows(self, data):
        assert content(read_predictions(pl.DataFrame(data).to_dicts())) == EXPECTED

    def test_delimited(self, data, tmp_path):
        text = pl.DataFrame(data).write_csv()
        (tmp_path / "t.csv").write_text(text)
        (tmp_path / "t.tsv").write_text(text.replace(",", "\t"))
        with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
            file.write(text)

        for name in ("t.csv", "t.tsv", "t.csv.gz"):
            assert content(read_predictions(tmp_path / name)) == EXPECTED

    def test_json(self, data, tmp_path):
        dicts = pl.DataFrame(data).to_dicts()
        (tmp_path / "t.json").write_text(json.dumps(dicts))
        (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, dicts)))

        for name in ("t.json", "t.jsonl"):
            assert content(read_predictions(tmp_path / name)) == EXPECTED

    def test_parquet(self, data, tmp_path):
        pl.DataFrame(data).write_parquet(tmp_path / "t.parquet")

        assert content(read_predictions(tmp_path / "t.parquet")) == EXPECTED


class TestRoles:
    def test_what_was_guessed_is_told(self):
        assert read_predictions(pl.DataFrame(LONG)).notes == (
            "NF112: read columns candidate='model', example='id', label='y_true', prediction='p'.",
        )
        assert read_predictions(pl.DataFrame(WIDE)).notes == (
            "NF112: read columns example='id', label='target', candidates 'svm', 'nn'.",
        )

    def test_columns_that_may_be_candidates_and_are_not_read_are_told(self, tmp_path):
        (tmp_path / "m.csv").write_text("id,label,score,svm\na,0,0.1,0.2\nb,1,0.7,0.6\n")
        table = read_predictions(tmp_path / "m.csv")

        assert table.candidates == ("m",)
        assert table.notes == (
            "NF112: read columns example='id', prediction='score'; the candidate is named by the "
            "file; not read: 'svm'.",
        )

    def test_a_file_of_one_candidate_has_one_note_of_its_columns(self, tmp_path):
        (tmp_path / "m.csv").write_text("example,label,risk\na,0,0.1\nb,1,0.7\n")
        path, named = tmp_path / "m.csv", {"label": "label", "prediction": "risk"}

        assert read_predictions(path).notes == (
            "NF112: read columns prediction='risk'; the candidate is named by the file.",
        )
        assert read_predictions(path, columns=named).notes == (
            "NF112: read columns by their names; the candidate is named by the file.",
        )
        assert read_predictions({"svm": path}, columns=named).notes == ()

    def test_a_candidate_cannot_be_named_twice(self):
        frame = pl.DataFrame(LONG)

        for asked in ("model", ["p"]):
            how = {"columns": {"candidate": asked}}
            assert refusal(lambda h=how: read_predictions({"x": frame}, **h))[0] == "NF008"

    def test_named_columns_are_taken(self):
        frame = pl.DataFrame(LONG).rename({"y_true": "died", "p": "risk"})
        table = read_predictions(frame, columns={"label": "died", "prediction": "risk"})

        assert content(table) == EXPECTED
        assert table.reading == {"columns": {"label": "died", "prediction": "risk"}}

    def test_candidates_of_a_wide_table_are_listed(self):
        table = read_predictions(pl.DataFrame(WIDE), candidates=["nn"])

        assert content(table) == {"nn": EXPECTED["nn"]}

    def test_two_columns_that_could_be_the_prediction_are_asked_about(self):
        frame = pl.DataFrame(LONG).with_columns(prediction=pl.lit(1))

        assert refusal(lambda: read_predictions(frame)) == (
            "NF003",
            "the data frame: the columns 'p', 'prediction' could each be the prediction; choose "
            'one: columns={"prediction": "p"} or columns={"prediction": "prediction"}.',
        )
        assert content(read_predictions(frame, columns={"prediction": "p"})) == EXPECTED

    def test_no_label_column(self):
        assert refusal(lambda: read_predictions(pl.DataFrame(LONG).drop("y_true"))) == (
            "NF003",
            "the data frame: there is no label column among 'model', 'id', 'p'; name it: "
            'columns={"label": "..."}.',
        )

    def test_no_prediction_column(self):
        frame = pl.DataFrame(LONG).drop("p")

        code, told = refusal(lambda: read_predictions(frame))
        assert code == "NF003"
        assert "there is no prediction column among 'model', 'id', 'y_true'" in told

    def test_a_prediction_column_of_texts_is_told(self, tmp_path):
        path = tmp_path / "m.csv"
        path.write_text("id,label,m\na,0,12.5%\nb,1,80.1%\n")

        code, told = refusal(lambda: read_predictions(path))
        assert code == "NF003"
        assert "'label', 'm' ('m' holds no numbers); name it:" in told

    def test_a_label_that_was_asked_for_as_something_else(self):
        code, told = refusal(
            lambda: read_predictions(pl.DataFrame(WIDE), columns={"group": "target"})
        )

        assert code == "NF003"
        assert "'target' was asked for as the group column, and no other column is the" in told

    @pytest.mark.parametrize(
        "how",
        [
            {"columns": {"answer": "p"}},
            {"columns": {"label": ["y_true", "p"]}},
            {"columns": {"score": "p", "prediction": "p"}},
            {"candidates": "p"},
            {"better": "lower"},
            {"decimal": ";"},
            {"missing": "worst"},
        ],
    )
    def test_options_that_mean_nothing(self, how):
        assert refusal(lambda: read_predictions(pl.DataFrame(LONG), **how))[0] == "NF008"

    def test_unknown_columns(self):
        how = {"columns": {"label": "died"}}

        assert refusal(lambda: read_predictions(pl.DataFrame(LONG), **how))[0] == "NF003"

    def test_further_columns(self):
        frame = pl.DataFrame(LONG).with_columns(
            cluster=pl.Series(["x", "x", "y", "y", "x", "x"]),
            site=pl.Series([1, 1, 2, 2, 1, 1]),
            fold=pl.Series([0, 0, 1, 1, 0, 0]),
            time=pl.Series([5, 6, 7, 7, 6, 5]),
        )
        table = read_predictions(frame, columns={"group": "site"})

        assert table.clusters().tolist() == [0, 0, 1]
        assert table.codes("fold", "nn").tolist() == [0, 0, 1]
        assert list(table.by_group()) == ["1", "2"]
        assert [p.examples for p in table.by_time([5, 7, 8]).values()] == [("a", "b"), ("c",)]

    def test_failure_columns_are_nobodys_business(self):
        frame = pl.DataFrame(LONG).with_columns(status=pl.lit("ok"))

        assert not any("NF116" in note for note in read_predictions(frame).notes)


class TestRowsAsExamples:
    def test_keep_their_order(self, tmp_path):
        n = 12
        frame = pl.DataFrame({"y": [i % 2 for i in range(n)], "risk": [i / n for i in range(n)]})
        frame.write_csv(tmp_path / "t.csv")
        frame.write_parquet(tmp_path / "t.parquet")
        (tmp_path / "t.json").write_text(json.dumps(frame.to_dicts()))
        for source in (frame, *(tmp_path / f"t.{end}" for end in ("csv", "parquet", "json"))):
            table = read_predictions(source)

            assert table.examples[:2] == ("00", "01")
            assert table.sample().predictions.tolist() == frame["risk"].to_list()
            assert table.sample().labels.tolist() == [i % 2 == 1 for i in range(n)]

    def test_do_not_pair_candidates(self):
        code, told = refusal(lambda: read_predictions(pl.DataFrame(LONG).drop("id")))

        assert code == "NF003"
        assert "there is no example column" in told

    def test_do_not_pair_files(self, tmp_path):
        for name in ("a", "b"):
            (tmp_path / f"{name}.csv").write_text("y,score\n0,0.1\n1,0.2\n")

        assert refusal(lambda: read_predictions(tmp_path))[0] == "NF003"


class TestFiles:
    def test_each_is_a_candidate(self, tmp_path):
        for name, part in pl.DataFrame(LONG).group_by("model"):
            part.drop("model").write_csv(tmp_path / f"{name[0]}.csv")

        table = read_predictions(tmp_path)
        assert content(table) == EXPECTED
        named = {"x": tmp_path / "svm.csv", "y": tmp_path / "nn.csv"}
        assert read_predictions(named).candidates == ("x", "y")
        assert len(table.digest) == 64

    def test_with_other_columns_are_refused(self, tmp_path):
        (tmp_path / "a.csv").write_text("id,y,score\na,0,0.1\n")
        (tmp_path / "b.csv").write_text("id,label,score\na,0,0.1\n")

        code, told = refusal(lambda: read_predictions(tmp_path))
        assert code == "NF003"
        assert "the label column is 'label' here and 'y' in" in told

    def test_a_file_without_rows(self, tmp_path):
        (tmp_path / "a.csv").write_text("id,y,score\n")

        assert refusal(lambda: read_predictions(tmp_path / "a.csv"))[0] == "NF002"


class TestLabels:
    @pytest.mark.parametrize(
        ("written", "positive"),
        [
            (["0", "1", "1"], None),
            (["0.0", "1.0", "1.0"], None),
            (["-1", "1", "+1"], None),
            (["False", "true", "TRUE"], None),
            (["well", "ill", "ill"], "ill"),
            (["2", "1", "1"], 1),
            (["2", "1", "1"], "1"),
            (["1", "0", "0"], 0),
            (["true", "false", "false"], False),
            (["true", "false", "false"], "False"),
        ],
    )
    def test_as_written(self, written, positive, tmp_path):
        lines = [f"{e},{y},{p}" for e, y, p in zip("abc", written, WIDE["svm"], strict=True)]
        (tmp_path / "svm.csv").write_text("\n".join(["id,label,score", *lines]))

        table = read_predictions(tmp_path / "svm.csv", positive=positive)
        assert content(table) == {"svm": EXPECTED["svm"]}

    @pytest.mark.parametrize(
        "dtype", [pl.Int8, pl.Float32, pl.Boolean, pl.String, pl.Categorical], ids=str
    )
    def test_of_any_type(self, dtype):
        values = pl.Series([0, 1, 1])
        if dtype in {pl.String, pl.Categorical}:
            values = values.cast(pl.String)
        frame = pl.DataFrame(WIDE).with_columns(target=values.cast(dtype))

        assert content(read_predictions(frame)) == EXPECTED

    def test_that_differ_between_candidates(self):
        frame = pl.DataFrame({**LONG, "y_true": [0, 1, 1, 0, 1, 1]})

        assert refusal(lambda: read_predictions(frame)) == (
            "NF061",
            "the label of 2 examples differs between candidates: 'a', 'c'. The first is positive "
            "in 'nn/a' and negative in 'svm/a'. An example has one label: check that ids mean the "
            "same example everywhere, and that all use the same version of the labels.",
        )

    def test_spelled_differently_are_the_same(self):
        frame = pl.DataFrame({**LONG, "y_true": ["0", "1", "1.0", "1", "1", "0.0"]})

        assert content(read_predictions(frame)) == EXPECTED

    @pytest.mark.parametrize("missing", [None, float("nan")])
    def test_that_are_missing(self, missing):
        frame = pl.DataFrame({**LONG, "y_true": [0, 1, 1, 1, missing, 0]}, strict=False)

        assert refusal(lambda: read_predictions(frame)) == (
            "NF060",
            "the label is missing in 1 row ('nn/b'); leave those rows out, or say what they are.",
        )

    def test_text_needs_the_positive_class(self):
        frame = pl.DataFrame({**WIDE, "target": ["ham", "spam", "spam"]})

        code, told = refusal(lambda: read_predictions(frame))
        assert code == "NF060"
        assert "such as positive='spam'; which one is meant is never guessed" in told
        assert content(read_predictions(frame, positive="spam")) == EXPECTED


class TestRuns:
    FRAME = pl.DataFrame(
        {
            "model": ["m"] * 6,
            "id": ["a", "b", "c"] * 2,
            "label": [0, 1, 1] * 2,
            "score": [1.0, 2, 3, 4, 5, 6],
            "seed": [1, 1, 1, 2, 2, 2],
            "site": ["x", "y", "y"] * 2,
        }
    )

    def test_are_refused_until_they_are_named(self):
        assert refusal(lambda: read_predictions(self.FRAME)) == (
            "NF006",
            "the data frame: candidate and example repeat in 3 pairs: 'm'/'a', 'm'/'b', 'm'/'c'. "
            "The first stands in the data frame rows 1 and 4. If they are by different readers, "
            'seeds or runs, name the column that tells: columns={"reader": "..."} makes each '
            "reader of a candidate a candidate of its own; else remove the rows that should not be "
            "there.",
        )

    @pytest.mark.parametrize("role", ["reader", "run"])
    def test_become_candidates(self, role):
        table = read_predictions(self.FRAME, columns={role: "seed", "cluster": "site"})

        assert table.candidates == ("m | 1", "m | 2")
        assert table.matrix().predictions.tolist() == [[1, 2, 3], [4, 5, 6]]
        assert table.matrix().labels.tolist() == [False, True, True]
        assert table.clusters().tolist() == [0, 1, 1]
        assert table.notes[1].startswith("NF219: each run (reader, seed) of a candidate")

    def test_with_gaps_lack_what_they_lack(self):
        frame = self.FRAME.with_columns(score=pl.Series([1.0, 2, 3, None, 5, 6]))

        code, told = refusal(lambda: read_predictions(frame, columns={"run": "seed"}))
        assert code == "NF007"
        assert "'m | 2' lacks 1 ('a')" in told

    def test_a_cluster_does_not_excuse_a_repeat(self):
        code, told = refusal(lambda: read_predictions(self.FRAME, columns={"cluster": "seed"}))

        assert code == "NF006"
        assert told.startswith(
            "3 rows repeat a candidate and example: 'm/a', 'm/b', 'm/c'. If they are by different "
            'readers, seeds or runs, name the column that tells: columns={"reader": "..."}'
        )


def test_missing_predictions(tmp_path):
    (tmp_path / "t.csv").write_text("id,label,svm,nn\na,0,0.1,\nb,1,0.7,0.6\nc,1,0.9,0.8\n")

    code, told = refusal(lambda: read_predictions(tmp_path / "t.csv"))
    assert code == "NF007"
    assert "'nn' lacks 1 ('a')" in told
    assert read_predictions(tmp_path / "t.csv", missing="common").examples == ("b", "c")
    assert read_predictions(tmp_path / "t.csv", missing="own").n.tolist() == [2, 3]


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_columns_called_label_and_code_do_not_collide_with_those_of_the_reader(
    end, tmp_path, monkeypatch
):
    monkeypatch.setattr(sql, "_ENUM_MOST", 2)  # as with more ids than an enumeration holds
    frame = pl.DataFrame({"id": ["a", "b", "c"], "label": [0, 1, 1], "code": [0.1, 0.7, 0.9]})
    getattr(frame, f"write_{end}")(tmp_path / f"t.{end}")

    table = read_predictions(tmp_path / f"t.{end}", candidates=["code"])
    assert content(table) == {"code": EXPECTED["svm"]}


def test_predictions_that_are_text_are_refused():
    frame = pl.DataFrame({**LONG, "p": ["low"] * 6})

    assert refusal(lambda: read_predictions(frame))[0] == "NF004"


class TestRealTables:
    def test_hiv(self, shared):
        table = read_predictions(shared / "data" / "rocr_hiv_scores.parquet")

        assert table.candidates == ("hiv.nn", "hiv.svm")
        assert table.complete
        assert len(table.examples) == 3450
        assert not table.probabilities
        assert np.unique(table.clusters()).tolist() == list(range(10))
        assert len(table.by_group("fold")) == 10

    def test_van_dyke(self, shared):
        path = shared / "data" / "mrmc_vandyke.parquet"

        code, told = refusal(lambda: read_predictions(path))
        assert code == "NF006"
        assert told.startswith("912 rows repeat a candidate and example: 'treatment_1/case_1', ")
        table = read_predictions(path, columns={"reader": "reader"})
        assert table.K == 10
        assert table.matrix().predictions.shape == (10, 114)
        assert refusal(table.clusters)[0] == "NF061"  # the cluster is the reader

    def test_sports(self, shared):
        frame = pl.read_parquet(shared / "data" / "sports_prob_forecasts.parquet")

        code, told = refusal(lambda: read_predictions(frame))
        assert code == "NF060"
        assert told.startswith("labels are 0, 0.5, 1, and a label is one of two classes: 0.5 in 8 ")
        decided = frame.filter(pl.col("label") != 0.5)
        code, told = refusal(lambda: read_predictions(decided))
        assert code == "NF007"
        assert "no example was given to two candidates" in told
        table = read_predictions(decided, missing="own", columns={"time": "date"})
        assert table.probabilities
        assert int(table.n.sum()) == decided.height
        assert sum(int(p.n.sum()) for p in table.by_time(4).values()) == decided.height
