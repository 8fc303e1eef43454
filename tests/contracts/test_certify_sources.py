"""`certify` says the same, byte for byte, wherever the rows are and whoever computes."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import numpy as np
import pytest

import nofluke
from nofluke.errors import InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

INF, NAN = math.inf, math.nan
ENGINES = ["duckdb", "polars"]
RNG = np.random.default_rng(20)


def long(scores, *, ids=str, **more):
    """A long table from a mapping of candidate to scores, in a shuffled order of rows."""
    rows = [(c, ids(i), x) for c, xs in scores.items() for i, x in enumerate(xs)]
    columns = {
        "model": [r[0] for r in rows],
        "item": [r[1] for r in rows],
        "loss": pa.array([r[2] for r in rows], **more),
    }
    return shuffled(pa.table(columns))


def shuffled(table):
    return table.take(pa.array(np.random.default_rng(5).permutation(table.num_rows)))


def normal(K=4, n=60, digits=1):
    x = RNG.normal(size=(K, n)).round(digits) + np.arange(K)[:, None] / 10
    return {f"m{k}": x[k].tolist() for k in range(K)}


def with_column(table, name, values):
    return table.append_column(name, pa.array(values))


def gaps():
    scores = normal()
    scores["m1"][3], scores["m1"][7], scores["m2"][0] = None, NAN, INF
    scores["m3"] = scores["m3"][:41]
    return long(scores)


def wide():
    scores = {name: x[:30] for name, x in normal().items()}
    columns = {"item": list(range(30)), **{c: pa.array(x) for c, x in scores.items()}}
    columns["m1"] = pa.array([round(10 * x) for x in scores["m1"]])
    return pa.table(columns)


def failing():
    table = long(normal())
    status = ["ok", "timeout", None, "ok"] * (table.num_rows // 4)
    codes = [200, 500, 429, None] * (table.num_rows // 4)
    return with_column(with_column(table, "status", status), "error_code", codes)


def clustered():
    table = long(normal(n=80))
    items = table["item"].to_pylist()
    table = with_column(table, "cluster", [f"c{int(i) % 25}" for i in items])
    return with_column(table, "t", [(37 * int(i)) % 80 / 4 for i in items])


def measured():
    one, two = long(normal()), long(normal())
    both = pa.concat_tables([one, two])
    both = with_column(both, "metric", ["log_loss"] * one.num_rows + ["brier"] * two.num_rows)
    return both.rename_columns(["model", "item", "score", "metric"])


def judged():
    table = long(normal())
    values = [round(float(x), 2) for x in np.random.default_rng(8).random(table.num_rows)]
    return with_column(table, "val", values)


LOWER = {"better": "lower"}
BINARY = {f"m{k}": [int(x) for x in RNG.random(40) < 0.3 + k / 10] for k in range(3)}
TABLES = {
    "ties": (long(normal()), LOWER, {"gamma": (0.1, 0.5), "select": "top:2"}),
    "higher": (long(normal(digits=9)), {"better": "higher"}, {"gamma": 0.3, "select": "top:2"}),
    "infinities": (
        long({**normal(), "x": [INF] * 50 + [-INF] * 10, "y": [INF] * 60}),
        LOWER,
        {"select": "top:5@median", "gamma": (0.2, 0.4)},
    ),
    "gaps": (gaps(), LOWER, {"missing": "own", "select": "top:2@q0.9", "gamma": 0.3}),
    "integers": (
        long({c: [round(10 * v) for v in x] for c, x in normal().items()}, ids=int),
        LOWER,
        {"select": "within:0.2", "gamma": 0.3},
    ),
    "decimals": (
        long({c: [Decimal(f"{v:.3f}") for v in x] for c, x in normal(digits=3).items()}),
        LOWER,
        {"select": "top:3", "gamma": 0.3},
    ),
    "short floats": (
        long({c: np.float32(x).tolist() for c, x in normal(digits=7).items()}, type=pa.float32()),
        LOWER,
        {"select": "top:3", "gamma": 0.3},
    ),
    "zeros": (
        long({"a": [0.0, -0.0] * 30, "b": [-0.0] * 60, "c": [-0.0, 5e-324] * 30}),
        LOWER,
        {"select": "top:2", "gamma": (0.2, 0.4)},
    ),
    "one candidate": (long({"only": normal()["m0"]}), LOWER, {"select": "top:1", "gamma": 0.3}),
    "one row": (long({"a": [1.0], "b": [2.0]}), LOWER, {"select": "top:1"}),
    "own examples": (
        long({"a": [1.0, 2.0, 3.0] * 20, "b": [2.0] * 30}, ids=str),
        LOWER,
        {"select": "threshold:2.5", "missing": "own", "gamma": 0.4},
    ),
    "wide": (wide(), LOWER, {"select": "names:m1,m3", "gamma": 0.4}),
    "wide, some": (
        wide(),
        {**LOWER, "columns": {"candidate": ["m3", "m0"]}},
        {"select": "top:1", "gamma": 0.4},
    ),
    "truths": (
        long({c: [bool(v) for v in x] for c, x in BINARY.items()}),
        {"better": "higher"},
        {"select": "top:2"},
    ),
    "binary": (long(BINARY), {"better": "higher", "binary": True}, {"select": "top:2"}),
    "looks binary": (long(BINARY), {"better": "higher"}, {"select": "top:2", "gamma": 0.3}),
    "functionals": (
        long(normal()),
        {**LOWER, "bounds": (-5, 5)},
        {
            "select": "top:2",
            "side": "both",
            "functionals": ("mean", "median", "q0.9", "cvar0.2", "iqr"),
        },
    ),
    "failed": (failing(), {**LOWER, "failed": "status"}, {"select": "top:2@median"}),
    "failed by code": (
        failing(),
        {**LOWER, "failed": "error_code=429,500", "bounds": (-9, 9)},
        {"select": "top:2", "gamma": 0.4},
    ),
    "failed by size": (
        failing(),
        {**LOWER, "failed": "error_code>=500", "bounds": (-9, 9)},
        {"select": "top:2", "gamma": 0.4},
    ),
    "clusters": (clustered(), LOWER, {"select": "top:2", "gamma": 0.3}),
    "metric": (
        measured(),
        {"metric": "brier"},
        {"select": "top:2", "gamma": 0.3, "band": "berk_jones:0.5"},
    ),
    "chosen by a column": (
        judged(),
        {**LOWER, "keep": ["val"]},
        {"select": "top:2@column:val:higher", "gamma": 0.3, "rule": "minimax"},
    ),
    "one rate": (long(normal()), LOWER, {"select": "top:1", "gamma": 0.2, "band": "binomial"}),
    "quotes": (
        long({"it's": normal()["m0"], 'a "b"': normal()["m1"], "é%": normal()["m2"]}),
        LOWER,
        {"select": "top:2", "gamma": 0.3},
    ),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Each table as a file of Parquet, by name."""
    folder = tmp_path_factory.mktemp("tables")
    paths = {}
    for i, (name, (table, _, _)) in enumerate(TABLES.items()):
        paths[name] = folder / f"t{i}.parquet"
        pq.write_table(table, paths[name], row_group_size=50)
    return paths


def answers(path, name):
    """The answer from memory."""
    _, reading, asking = TABLES[name]
    return nofluke.certify(nofluke.read(path, **reading), **asking)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TABLES)
def test_a_file_has_one_answer(files, name, engine):
    _, reading, asking = TABLES[name]
    expected = answers(files[name], name)
    with nofluke.source(files[name], engine=engine, **reading) as table:
        found = nofluke.certify(table, **asking)
        assert found.to_json() == expected.to_json()
        np.testing.assert_equal(found.rows(), expected.rows())
        assert [str(n) for n in found.notes] == list(expected.notes)


@pytest.mark.parametrize("name", ["ties", "gaps", "wide", "failed"])
def test_spark_answers_the_same(files, name, spark):
    _, reading, asking = TABLES[name]
    with nofluke.source(files[name], engine="spark", **reading) as table:
        assert nofluke.certify(table, **asking).to_json() == answers(files[name], name).to_json()
