"""Files unlike each other, connections with settings of their own, and rows that change."""

import duckdb
import numpy as np
import polars as pl
import pytest

import nofluke
from nofluke.errors import InputError

ENGINES = ("duckdb", "polars")
ONE = "SELECT 'a' model, i item, i / 9 score FROM range(9) t(i)"


def write(path, query):
    duckdb.sql(query).write_parquet(str(path))
    return str(path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("'a' model, i item, (i % 2)::BIGINT score", "'b' model, i item, 0.45::DOUBLE score"),
        ("'a' model, i item, 0.5::FLOAT score", "'b' model, i item, 0.1::DOUBLE score"),
        ("'a' model, i item, .5::DECIMAL(4,1) score", "'b' model, i item, .45::DECIMAL(6,4) score"),
        ("7 model, i item, i / 9 score", "'07' model, i item, i / 5 score"),
        ("'a' model, i item, i / 9 score", "'b' model, '0' || i item, i / 5 score"),
        ("'a' model, i item, i / 9 score", "'b' model, i / 5 score, i item"),
    ],
)
def test_files_of_other_types_are_read_as_in_memory(tmp_path, engine, first, second):
    paths = [
        write(tmp_path / f"{k}.parquet", f"SELECT {columns} FROM range(20) t(i)")
        for k, columns in enumerate((first, second))
    ]
    expected = nofluke.read(paths, better="higher")

    with nofluke.source(paths, engine=engine, better="higher") as found:
        assert found.candidates == expected.candidates
        assert found.means().tolist() == expected.means().tolist()
        assert found.held().digest == expected.digest
        assert found.held().examples == expected.examples


def test_a_column_that_only_the_second_file_has_is_not_overlooked(tmp_path):
    paths = [
        write(tmp_path / "a.parquet", ONE),
        write(tmp_path / "b.parquet", ONE.replace("i item", "i item, 1 seed")),
    ]
    with pytest.raises(InputError, match="one file has a run column and another has none"):
        nofluke.source(paths, better="higher")


@pytest.mark.parametrize("engine", ENGINES)
def test_parquet_is_known_whatever_it_is_called(tmp_path, engine):
    path = write(tmp_path / "scores.pq", ONE)
    with nofluke.source(path, engine=engine, better="higher") as found:
        assert found.means().tolist() == nofluke.read(path, better="higher").means().tolist()


def test_a_collation_does_not_make_one_of_two_candidates():
    con = duckdb.connect()
    con.execute("CREATE TABLE t (model VARCHAR COLLATE NOCASE, item INT, score DOUBLE)")
    con.execute("INSERT INTO t SELECT m, i, i / 9 FROM range(9) a(i), (VALUES ('A'), ('a')) b(m)")
    expected = nofluke.read(con.table("t"), better="higher")

    found = nofluke.source(con.table("t"), better="higher")
    assert found.candidates == expected.candidates == ("A", "a")
    assert found.means().tolist() == expected.means().tolist()


@pytest.mark.parametrize("setting", ["default_collation = 'NOCASE'", "default_order = 'DESC'"])
def test_a_connection_with_an_order_of_its_own_is_refused(setting):
    con = duckdb.connect()
    con.execute(f"SET {setting}")
    with pytest.raises(InputError, match="RESET it on the connection") as caught:
        nofluke.source(con.sql(ONE), better="higher")
    assert caught.value.code == "NF407"


def test_two_columns_of_one_name_are_refused():
    rows = duckdb.sql(ONE.replace("i / 9 score", "i / 9 score, 1 score"))
    with pytest.raises(InputError, match=r"several columns 'score'") as caught:
        nofluke.source(rows, better="higher")
    assert caught.value.code == "NF003"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE t SET score = score + 100",
        "INSERT INTO t SELECT 'a', i + 50, 0.5 FROM range(9) t(i)",
        "DELETE FROM t",
    ],
)
@pytest.mark.parametrize("ask", ["means", "held"])
def test_rows_that_change_after_they_were_counted_are_refused(change, ask):
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS {ONE}")
    found = nofluke.source(con.table("t"), better="higher")
    con.execute(change)
    with pytest.raises(InputError, match="changed while they were read") as caught:
        getattr(found, ask)()
    assert caught.value.code == "NF401"


@pytest.mark.parametrize("engine", ENGINES)
def test_times_that_are_texts_of_numbers_are_in_their_order(tmp_path, monkeypatch, engine):
    from nofluke.scores import dependence, sourced

    monkeypatch.setattr(dependence, "MOST", 200)
    monkeypatch.setattr(sourced, "MOST", 200)
    monkeypatch.setattr(sourced, "_TOGETHER", 1)
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    x[:200] = np.cumsum(rng.normal(size=200))
    columns = {
        "model": ["m"] * 2000,
        "item": [f"i{j}" for j in rng.permutation(2000)],
        "time": list(map(str, range(2000))),
        "score": x,
    }
    path = str(tmp_path / "t.parquet")
    pl.DataFrame(columns).write_parquet(path)
    told = []
    for table in (
        nofluke.read(path, better="higher"),
        nofluke.source(path, engine=engine, better="higher"),
    ):
        with pytest.raises(InputError, match="in order of time") as caught:
            nofluke.certify(table, "top:1", gamma=0.3)
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_a_source_that_was_closed_says_so(tmp_path):
    with nofluke.source(write(tmp_path / "a.parquet", ONE), better="higher") as table:
        pass
    with pytest.raises(InputError, match="this source was closed"):
        nofluke.certify(table, "top:1", gamma=0.5)
