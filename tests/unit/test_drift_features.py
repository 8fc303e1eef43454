"""Tables of features: reading them, and making two of them comparable."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nofluke import read_features
from nofluke.errors import InputError
from nofluke.questions.drift_columns import compared

ROWS = [
    {"id": "a7", "age": 30, "site": "b", "risk": 0.2, "died": "no", "week": 2},
    {"id": "a8", "age": None, "site": "a", "risk": 0.9, "died": "yes", "week": 2},
    {"id": "a9", "age": 41.5, "site": None, "risk": 0.4, "died": None, "week": 1},
]
ROLES = {"prediction": "risk", "label": "died"}


def of(**columns):
    return read_features(pd.DataFrame(columns))


@pytest.mark.parametrize("form", ["csv", "rows", "pandas", "polars", "parquet"])
def test_a_table_in_every_form(form, tmp_path):
    source = ROWS
    if form == "csv":
        source = tmp_path / "t.csv"
        pd.DataFrame(ROWS).to_csv(source, index=False)
    elif form == "parquet":
        source = tmp_path / "t.parquet"
        pl.DataFrame(ROWS, strict=False).write_parquet(source)
    elif form in ("pandas", "polars"):
        source = pd.DataFrame(ROWS) if form == "pandas" else pl.DataFrame(ROWS, strict=False)
    found = read_features(source, columns=ROLES, positive="yes")

    assert found.n == 3
    assert list(found.numbers) == ["age", "risk"]
    np.testing.assert_array_equal(found.numbers["age"], [30, np.nan, 41.5])
    assert [found.texts["site"].names[c] for c in found.texts["site"].codes] == ["b", "a", ""]
    np.testing.assert_array_equal(found.label, [0, 1, np.nan])
    assert found.labelled.tolist() == [True, True, False]
    assert found.prediction == "risk"
    assert [found.batch.names[c] for c in found.batch.codes] == ["2", "2", "1"]
    assert found.notes == ("NF112: read columns example='id', batch='week'.",)


def test_rows_keep_their_order_in_a_long_file(tmp_path):
    path = tmp_path / "long.csv"
    values = np.random.default_rng(0).normal(size=30_000)
    pd.DataFrame({"v": values, "kind": np.arange(30_000) % 7 + 0.5}).to_csv(path, index=False)
    np.testing.assert_allclose(read_features(path).numbers["v"], values, rtol=1e-15)


def test_the_digest_is_of_the_values():
    first, again, other = (
        read_features(pd.DataFrame({"v": v, "k": ["a", "b"]})) for v in ([1, 2], [1, 2], [1, 3])
    )
    assert first.digest == again.digest != other.digest


def test_named_columns_only():
    found = read_features(ROWS, columns=ROLES, features=["site"], positive="yes")
    assert (list(found.numbers), list(found.texts)) == (["risk"], ["site"])
    assert repr(found) == "Features(3 rows x 2 columns, 2 labelled)"
    absent = read_features([{"v": 1.0}], columns={"label": "died"}, optional=("label",))
    assert absent.label is None


def test_what_cannot_be_read(tmp_path):
    for source, asked, code in (
        (ROWS, {"columns": {"lable": "died"}}, "NF295"),
        (ROWS, {"columns": {"label": "x"}}, "NF003"),
        (ROWS, {"columns": ROLES}, "NF060"),
        (ROWS, {"columns": {"prediction": "site", "label": None}}, "NF004"),
        (ROWS, {"features": ["x"]}, "NF003"),
        ([], {}, "NF002"),
        ({"a": ROWS, "b": ROWS}, {}, "NF295"),
        (pl.DataFrame({"when": pd.to_datetime(["2026-01-01"])}), {}, "NF295"),
    ):
        with pytest.raises(InputError) as refused:
            read_features(source, **asked)
        assert refused.value.code == code
    path = tmp_path / "head.csv"
    path.write_text("a,b\n")
    with pytest.raises(InputError) as refused:
        read_features(path)
    assert refused.value.code == "NF002"


def test_missing_numbers_are_a_feature_of_their_own():
    found = compared(of(v=[1.0, 2.0, math.nan]), of(v=[9.0, math.nan]))

    assert found.names == ("v", "v missing")
    assert found.categories == ("v missing",)
    assert found.reference.tolist() == [[1, 0], [2, 0], [2, 1]]
    assert found.current.tolist() == [[9, 0], [2, 1]]
    assert "missing values of 'v'" in found.notes[0]


def test_a_name_that_is_taken_is_not_used_twice():
    found = compared(
        of(**{"v": [1.0, math.nan], "v missing": [5, 6]}), of(**{"v": [1.0], "v missing": [7]})
    )
    assert found.names == ("v", "v missing'", "v missing")
    assert found.reference.tolist() == [[1, 0, 5], [1, 1, 6]]


def test_a_column_that_is_all_missing_at_one_time(tmp_path):
    path = tmp_path / "now.csv"
    path.write_text("v,w\n,1\n,2\n")
    now = read_features(path)
    assert np.isnan(now.numbers["v"]).all()
    found = compared(of(v=[1.0, 2.0], w=[1, 2]), now)
    assert found.names == ("v", "v missing", "w")
    assert found.current[:, 0].tolist() == [1.5, 1.5]
    texts = compared(of(v=["a", "b"], w=[1, 2]), of(v=[math.nan, math.nan], w=[1, 2]))
    assert texts.categories == ("v",)


def test_categories_that_one_time_has_not_seen():
    found = compared(of(k=["a", "b", "a"]), of(k=["c", None]))
    assert found.categories == ("k",)
    assert found.reference.ravel().tolist() == [1, 2, 1]
    assert found.current.ravel().tolist() == [3, 0]


def test_the_rarest_of_many_categories_are_one_and_ids_are_left_out():
    many = [f"k{i:02d}" for i in range(30) for _ in range(40 - i)]
    found = compared(of(k=many, id=[f"x{i}" for i in range(len(many))]), of(k=many, id=many))

    assert found.names == ("k",)
    assert np.unique(found.reference).size == 20
    assert found.reference.ravel()[[0, -1]].tolist() == [0, 19]
    ids = compared(of(k=[f"a{i}" for i in range(40)], v=range(40)), of(k=["b"] * 3, v=range(3)))
    assert ids.names == ("v",)
    assert "41 different texts in 43 rows" in ids.notes[0]
    assert compared(of(v=[1]), of(w=[1])) is None


def test_what_cannot_be_compared():
    with pytest.raises(InputError, match="numbers in one table and texts"):
        compared(of(v=[1.0, 2.0]), of(v=["a", "b"]))
    with pytest.raises(InputError, match="1 infinite values"):
        compared(of(v=[1.0, 2.0]), of(v=[1.0, math.inf]))


def test_one_feature_may_be_named_without_a_list():
    rows = [{"age": 30, "site": "a", "y": 0}, {"age": 40, "site": "b", "y": 1}]
    assert list(read_features(rows, features="age").numbers) == ["age"]


@pytest.mark.parametrize("form", ["csv", "rows"])
def test_a_column_called_row_number_stays_what_it_is(form, tmp_path):
    source = [{"row number": v, "row number'": t, "y": 1} for v, t in ((7, "b"), (5, "a"))]
    if form == "csv":
        path = tmp_path / "t.csv"
        pd.DataFrame(source).to_csv(path, index=False)
        source = path
    found = read_features(source)
    assert found.numbers["row number"].tolist() == [7, 5]
    texts = found.texts["row number'"]
    assert [texts.names[c] for c in texts.codes] == ["b", "a"]
