"""Laws of reading: ids survive byte for byte, the order of rows does not matter, forms agree."""

import csv
import io
import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nofluke.scores.assembly import Assembly
from nofluke.scores.readers import gather, read, sql
from nofluke.scores.readers.workspace import Workspace

IDS = st.text(min_size=1, max_size=8).filter(lambda t: "\n" not in t and "\r" not in t)
TRICKY = st.sampled_from(
    ["NA", "null", "NaN", "007", "7", "1e5", "100000", "9007199254740993", " x ", '"', '""', "'",
     "a,b", "a;b", "\\", "#", "\ufeff", "None", "true", "-", "\t", " ", "\x00", "\u2028", "﻿x"]
)  # fmt: skip
ONCE = settings(
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def as_csv(path, rows):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["candidate", "example", "score"])
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def as_json(path, rows):
    path.write_text(json.dumps([dict(zip(NAMES, row, strict=True)) for row in rows]))
    return path


NAMES = ("candidate", "example", "score")


def frame(rows):
    return pl.DataFrame(rows, schema=dict.fromkeys(NAMES[:2], pl.String) | {"score": pl.Float64},
                        orient="row")  # fmt: skip


@ONCE
@given(ids=st.lists(IDS | TRICKY, min_size=1, max_size=6, unique=True))
def test_ids_survive_byte_for_byte(tmp_path, ids):
    rows = [("m", text, float(i)) for i, text in enumerate(ids)]
    rows += [(text, ids[0], 1.5) for text in ids if text != "m"]
    parquet = tmp_path / "t.parquet"
    frame(rows).write_parquet(parquet)
    sources = [
        as_csv(tmp_path / "t.csv", rows),
        as_json(tmp_path / "t.json", rows),
        parquet,
        frame(rows),
        frame(rows).to_pandas(),
        frame(rows).to_arrow(),
    ]
    expected = {(c, e): s for c, e, s in rows}
    for source in sources:
        scores = read(source)
        assert scores.candidates == tuple(sorted({c for c, _, _ in rows}))
        assert scores.examples == tuple(sorted(ids))
        assert as_dict(scores) == expected


@ONCE
@given(texts=st.lists(IDS, min_size=1, max_size=20, unique=True))
def test_the_database_sorts_as_python_does(texts):
    with Workspace() as space:
        found = space.con.execute("SELECT unnest($1) AS t ORDER BY t", [texts]).fetchall()
    assert [t for (t,) in found] == sorted(texts)


def as_dict(scores):
    """Score of each pair, the slow and obvious way."""
    return {
        (scores.candidates[k], scores.examples[e]): float(v)
        for k in range(scores.K)
        for e, v in zip(scores.places(k), scores.sample(k), strict=True)
    }


@pytest.mark.parametrize("kept", [1.0, 0.9, 0.3], ids=["complete", "gaps", "sparse"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "polars", "pandas", "arrow", "duckdb"])
def test_a_large_shuffled_table_equals_a_slow_reference(tmp_path, form, kept):
    rng = np.random.default_rng(7)
    cells = rng.permutation(40 * 500)[: int(40 * 500 * kept)]
    values = rng.gamma(2.0, size=cells.size)
    table = pl.DataFrame(
        {
            "candidate": [f"m{c // 500}" for c in cells],
            "example": [f"e{c % 500}" for c in cells],
            "score": values,
        }
    )
    expected = dict(
        zip(zip(table["candidate"], table["example"], strict=True), values, strict=True)
    )

    scores = read(source_of(form, table, tmp_path))

    assert as_dict(scores) == expected
    assert list(scores.candidates) == sorted(scores.candidates)
    assert list(scores.examples) == sorted(scores.examples)
    assert scores.complete == (kept == 1.0)


def source_of(form, table, folder):
    path = folder / f"t.{form}"
    if form == "csv":
        table.write_csv(path)
    elif form == "jsonl":
        table.write_ndjson(path)
    elif form == "parquet":
        table.write_parquet(path)
    elif form == "polars":
        return table
    elif form == "pandas":
        return table.to_pandas()
    elif form == "arrow":
        return table.to_arrow()
    else:
        return duckdb.from_arrow(table.to_arrow())
    return path


def test_slices_and_joins_change_nothing(tmp_path, monkeypatch):
    rows = [(f"m{i % 7}", f"e{i // 7}", float(i)) for i in range(700)]
    frame(rows).write_parquet(tmp_path / "t.parquet")
    whole = read(tmp_path / "t.parquet")
    monkeypatch.setattr(sql, "_SLICE", 99)
    sliced = read(tmp_path / "t.parquet")
    monkeypatch.setattr(sql, "_ENUM_MOST", 3)
    joined = read(tmp_path / "t.parquet")
    assert as_dict(whole) == as_dict(sliced) == as_dict(joined)
    assert joined.complete


def test_the_order_of_rows_does_not_matter():
    rows = [(f"m{i % 3}", f"e{i // 3}", i / 8) for i in range(30)]
    rng = np.random.default_rng(1)
    tables = [read(frame([rows[i] for i in rng.permutation(30)])) for _ in range(5)]
    tables.append(read(pd.DataFrame(rows, columns=NAMES)))
    assert len({t.digest for t in tables}) == 1
    assert len({(t.candidates, t.examples, t.values.tobytes()) for t in tables}) == 1


@pytest.mark.parametrize("gap", [None, 7])
def test_the_matrix_and_the_sorted_path_agree(monkeypatch, gap):
    rows = [(f"m{i % 3}", f"e{i // 3}", None if i == gap else i / 8) for i in range(30)]
    dense = read(frame(rows))
    monkeypatch.setattr(gather, "Assembly", lambda *size, plain: Assembly(*size, plain=False))
    sparse = read(frame(rows))
    assert (dense.digest, dense.complete) == (sparse.digest, sparse.complete)
    assert (dense.values.tolist(), dense.empty.tolist()) == (
        sparse.values.tolist(),
        sparse.empty.tolist(),
    )


def test_long_is_wide(tmp_path):
    wide = pl.DataFrame({"item": ["3", "1", "2"], "b": [0.1, 0.2, 0.3], "a": [1, None, 3]})
    long = wide.with_columns(pl.col("a").cast(float)).unpivot(
        index="item", variable_name="candidate", value_name="score"
    )
    tables = [read(wide), read(long), read(long.to_pandas())]
    assert len({t.digest for t in tables}) == 1
    wide.write_csv(tmp_path / "w.csv")
    long.write_csv(tmp_path / "l.csv")
    assert as_dict(read(tmp_path / "w.csv")) == as_dict(read(tmp_path / "l.csv"))
