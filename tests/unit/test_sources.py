"""Verbs over rows that stay where they are, against the same numbers in memory."""

import itertools
import math
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.errors import InputError
from nofluke.kernels import sums
from nofluke.sources import room, selecting, verbs
from nofluke.sources.engines.polars import Polars
from nofluke.sources.relation import Relation

ROOM = room.room()
INF, NAN = math.inf, math.nan
EDGES = [0.0, -0.0, 1.0, 5e-324, -5e-324, 2.5e-308, 1.7e308, -1.7e308, 1e-300, INF, -INF]
NUMBERS = st.one_of(
    st.sampled_from(EDGES), st.floats(allow_nan=False), st.integers(-3, 3).map(float)
)


class Few(Polars):
    """Polars, from which few rows come out at a time, so that cells are counted again and again."""

    gathers = 2


def over(columns, *, few=False):
    """The rows as a relation."""
    frame = pl.LazyFrame(columns, schema_overrides={"score": pl.Float64})
    relation = Relation.of_native(frame, room=ROOM)
    return replace(relation, engine=Few(ROOM)) if few else relation


def by_candidate(columns):
    """The numbers of each candidate in memory."""
    found = {}
    for c, x in zip(columns["candidate"], columns["score"], strict=True):
        if x is not None and not math.isnan(x):
            found.setdefault(c, []).append(x)
    return {c: np.array(x) for c, x in found.items()}


TABLES = st.dictionaries(
    st.sampled_from("abc"), st.lists(NUMBERS, min_size=1, max_size=40), min_size=1
).map(
    lambda by: {
        "candidate": [c for c, xs in by.items() for _ in xs],
        "score": [x for xs in by.values() for x in xs],
    }
)


@given(columns=TABLES)
@settings(max_examples=40)
def test_means_have_the_bits_of_those_in_memory(columns):
    relation = over(columns)
    extent = verbs.extent(relation)
    means = verbs.means(relation, extent)
    with np.errstate(invalid="ignore"):
        expected = {c: sums.mean(x) for c, x in by_candidate(columns).items()}
    for candidate, mean in zip(extent.candidates, means, strict=True):
        np.testing.assert_array_equal(mean, expected[candidate])


@given(columns=TABLES)
@settings(max_examples=40)
def test_every_rank_is_that_of_a_sort(columns):
    relation = over(columns, few=True)
    own = by_candidate(columns)
    ranks = {c: range(1, x.size + 1) for c, x in own.items()}
    found = selecting.order_statistics(relation, verbs.extent(relation), ranks)
    for candidate, x in own.items():
        got = [found[candidate][rank] for rank in ranks[candidate]]
        np.testing.assert_array_equal(got, np.sort(x))


def test_ranks_of_a_heavy_tail_need_several_passes_and_are_exact(tmp_path):
    rng = np.random.default_rng(3)
    x = np.exp(30 * rng.normal(size=20_000))
    path = tmp_path / "x.parquet"
    pl.DataFrame({"candidate": ["a"] * x.size, "score": x}).write_parquet(path)
    ranks = [1, 2, 10_000, 17_000, 19_999, 20_000]
    for engine in ("duckdb", "polars"):
        with Relation.of_files([str(path)], engine=engine, room=ROOM) as relation:
            extent = verbs.extent(relation)
            relation.engine.gathers = 50
            found = selecting.order_statistics(relation, extent, {"a": ranks})
            assert found == {"a": {r: np.sort(x)[r - 1] for r in ranks}}
            assert relation.passes.count > 4


def test_nan_is_seen_where_statistics_of_the_file_leave_it_out(tmp_path):
    path = tmp_path / "nan.parquet"
    columns = {"candidate": ["a"] * 5 + ["b"] * 5, "score": [1.0, NAN, None, 2.0, 3.0] + [4.0] * 5}
    pl.DataFrame(columns).write_parquet(path)
    # The trap itself: should a later DuckDB mend it, exp() can go.
    assert duckdb.sql(f"SELECT 1 FROM '{path}' WHERE isnan(score)").fetchall() in ([], [(1,)])
    for engine in ("duckdb", "polars"):
        with Relation.of_files([str(path)], engine=engine, room=ROOM) as relation:
            extent = verbs.extent(relation)
            assert (extent.nan.tolist(), extent.null.tolist()) == ([1, 0], [1, 0])
            assert (extent.low.tolist(), extent.high.tolist()) == ([1.0, 4.0], [3.0, 4.0])
            assert verbs.means(relation, extent).tolist() == [2.0, 4.0]
            found = selecting.order_statistics(relation, extent, {"a": [1, 3], "b": [5]})
            assert found == {"a": {1: 1.0, 3: 3.0}, "b": {5: 4.0}}


def test_extent_counts_what_is_apart():
    columns = {"candidate": ["a"] * 9, "score": [0.0, -0.0, 1.0, 1.0, INF, -INF, NAN, None, 0.5]}
    extent = verbs.extent(over(columns))
    told = {
        n: getattr(extent, n).item()
        for n in ("rows", "null", "nan", "minus", "plus", "zeros", "ones", "n", "finite")
    }
    assert told == {
        "rows": 9, "null": 1, "nan": 1, "minus": 1, "plus": 1, "zeros": 2, "ones": 2,
        "n": 7, "finite": 5,
    }  # fmt: skip
    assert math.copysign(1, extent.low[0]) == 1


def test_a_candidate_without_a_number_has_no_mean_and_no_range():
    extent = verbs.extent(relation := over({"candidate": ["a", "b"], "score": [NAN, 1.0]}))
    assert extent.n.tolist() == [0, 1]
    assert np.isnan(extent.low[0])
    np.testing.assert_array_equal(verbs.means(relation, extent), [NAN, 1.0])


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("K", [1, 2, 31, 32, 62, 63, 130])
def test_presence_is_that_of_a_set(engine, K, tmp_path):
    rng = np.random.default_rng(K)
    pairs = [
        (f"m{k:03}", i) for k, i in itertools.product(range(K), range(6)) if rng.random() < 0.9
    ]
    pairs = pairs or [("m000", 0)]
    twice = [*pairs, pairs[0], pairs[0]]
    for rows in (pairs, twice):
        path = tmp_path / f"{len(rows)}.parquet"
        pl.DataFrame(rows, schema=["candidate", "example"], orient="row").write_parquet(path)
        who = sorted({c for c, _ in rows})
        by_example = {e: {c for c, i in rows if i == e} for _, e in rows}
        common = sum(len(c) == len(who) for c in by_example.values())
        with Relation.of_files([str(path)], engine=engine, room=ROOM) as relation:
            found = verbs.presence(relation, who)
            assert found.examples == len(by_example)
            assert found.repeated == (rows is twice)
            if rows is pairs:
                assert found.common == common
                assert verbs.repeats(relation) == []
            else:
                assert verbs.repeats(relation) == [(*map(str, pairs[0]), 3)]


def test_bits_of_a_candidate_that_repeats_are_not_taken_for_those_of_another():
    # Two rows of the first candidate have the bits of one row of the second.
    rows = {"candidate": ["a", "a", "b"], "example": [1, 1, 2]}
    assert verbs.presence(over({**rows, "score": [0.0] * 3}), ["a", "b"]).repeated == 1


def test_who_lacks_what_and_what_lies_outside():
    columns = {
        "candidate": ["a", "a", "a", "b", "b"],
        "example": [1, 10, 2, 2, 3],
        "score": [0.5, 2.0, NAN, -1.0, INF],
    }
    relation = over(columns)
    assert verbs.lacks(relation, "b") == ["1", "10"]
    assert verbs.outside(relation, 0, 1) == (
        3,
        [("a", "10", 2.0), ("b", "2", -1.0), ("b", "3", INF)],
    )
    assert verbs.distinct(relation, "example") == 4


def test_rows_that_change_in_between_are_refused():
    columns = {"candidate": ["a"] * 100, "score": list(map(float, range(100)))}
    relation = over(columns, few=True)
    extent = verbs.extent(relation)
    changed = over({"candidate": ["a"] * 99, "score": list(map(float, range(99)))}, few=True)
    with pytest.raises(InputError, match="100 numbers were counted first, and 99") as e:
        selecting.order_statistics(changed, extent, {"a": [50]})
    assert e.value.code == "NF401"


def test_a_rank_that_is_not_there_is_an_error():
    relation = over({"candidate": ["a"], "score": [1.0]})
    with pytest.raises(ValueError, match="rank 2 of 1"):
        selecting.order_statistics(relation, verbs.extent(relation), {"a": [2]})


def test_batches_come_in_order_and_leave_nothing_behind(tmp_path):
    columns = {"candidate": ["b", "a", "c"], "score": [1.0, None, 3.0], "example": [3, 1, 2]}
    frame = pl.LazyFrame(columns)
    relation = Relation.of_native(frame, room=room.room(spill=tmp_path))
    parts = list(
        relation.batches(relation.frame, ["candidate", "score"], order=["example"], rows=2)
    )
    assert [p["candidate"].tolist() for p in parts] == [["a", "c"], ["b"]]
    assert np.isnan(parts[0]["score"][0])
    assert list(tmp_path.iterdir()) == []


def test_somebodys_relation_is_left_as_it_was():
    con = duckdb.connect()
    con.execute("CREATE TABLE mine AS SELECT 'a' AS candidate, CAST(range AS DOUBLE) AS score "
                "FROM range(9)")  # fmt: skip
    relation = Relation.of_native(con.sql("SELECT * FROM mine"), room=ROOM)
    assert verbs.means(relation, verbs.extent(relation)).tolist() == [4.0]
    relation.close()
    assert con.sql("SHOW TABLES").fetchall() == [("mine",)]


def test_what_is_no_source_is_refused():
    with pytest.raises(InputError, match=r"a builtins.dict arrived as a source"):
        Relation.of_native({"a": 1}, room=ROOM)
    with pytest.raises(InputError, match="engine='ray'"):
        Relation.of_files(["x.parquet"], engine="ray", room=ROOM)


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [
        ("400MiB", 400 << 20),
        ("256MiB", 256 << 20),
        ("2 gb", 2 * 10**9),
        ("1.5GiB", 3 << 29),
        ("4TB", 4 * 10**12),
        ("1TiB", 1 << 40),
        ("1e6MB", 10**12),
        (300_000_000, 300_000_000),
    ],
)
def test_amounts_of_memory(given, bytes_):
    assert room.amount(given) == bytes_


@pytest.mark.parametrize("given", ["", "lots", "-1GB", "4PB", "GB", "1e999MB", "٤GB", None])
def test_what_is_no_amount_of_memory(given):
    with pytest.raises(InputError, match="is not understood as an amount of memory; write 400MiB"):
        room.amount(given)


@pytest.mark.parametrize("given", ["12", "100MiB", "128MiB", "255.9MiB", 5])
def test_less_memory_than_the_program_itself_takes(given):
    with pytest.raises(InputError, match="is too small: the least is 256MiB"):
        room.amount(given)


def test_more_memory_than_there_is_anywhere():
    with pytest.raises(InputError, match="more than any machine has"):
        room.amount("1e50GB")


def test_what_does_not_fit_is_refused_before_it_is_loaded(monkeypatch):
    monkeypatch.setattr(room, "resident", lambda: 200 << 20)
    asked = room.room("1GiB")
    asked.require(1 << 20, "three rows", "nothing.")
    with pytest.raises(InputError, match=r"three rows would take 8.0 GiB of memory, and .* leaves"):
        asked.require(8 << 30, "three rows", "allow more by memory=.")


def test_a_folder_for_what_does_not_fit_must_be_there(tmp_path):
    with pytest.raises(InputError, match="is no folder"):
        room.room(spill=tmp_path / "none")
