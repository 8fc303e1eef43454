"""`certify` says the same, byte for byte, wherever the rows are and whoever computes."""

from __future__ import annotations

import functools
import math
from decimal import Decimal

import narwhals as nw
import numpy as np
import pytest

import nofluke
from nofluke.errors import InputError
from nofluke.sources.relation import Relation
from nofluke.sources.room import room

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


@functools.cache
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


@pytest.mark.parametrize("name", ["gaps", "wide"])
def test_spark_answers_the_same(files, name, spark):
    _, reading, asking = TABLES[name]
    with nofluke.source(files[name], engine="spark", **reading) as table:
        assert nofluke.certify(table, **asking).to_json() == answers(files[name], name).to_json()


def frames(table):
    """The same rows as lazy tables of several libraries."""
    import duckdb
    import polars as pl

    yield duckdb.connect().from_arrow(table)
    yield pl.from_arrow(table).lazy()
    try:
        import ibis
    except ImportError:
        return
    yield ibis.memtable(table)


@pytest.mark.parametrize("name", ["gaps", "wide", "clusters"])
def test_lazy_tables_have_the_answer_of_a_file(files, name):
    table, reading, asking = TABLES[name]
    expected = answers(files[name], name).to_dict()
    digests = set()
    for frame in frames(table):
        found = nofluke.certify(nofluke.source(frame, **reading), **asking).to_dict()
        digests.add(found.pop("digest"))
        notes = [note for note in found.pop("notes") if not note.startswith("NF409")]
        assert notes == expected["notes"]
        assert found == {k: v for k, v in expected.items() if k not in ("digest", "notes")}
    assert len(digests) == 1


def test_other_rows_have_another_digest():
    one, other = long(normal()), long(normal())
    digests = {nofluke.source(next(frames(t)), **LOWER).digest for t in (one, shuffled(one), other)}
    assert len(digests) == 2


def refusal(ask):
    with pytest.raises(InputError) as caught:
        ask()
    return caught.value.code, str(caught.value)


def both(tmp_path, table, reading, **asking):
    """What memory says of a table, and what an engine does: now one, now the other."""
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)

    def asked(rows):
        return nofluke.certify(rows, **asking)

    in_memory = refusal(lambda: asked(nofluke.read(path, **reading)))
    return in_memory, [
        refusal(lambda: asked(nofluke.source(path, engine=engine, **reading)))  # noqa: B023
        for engine in [ENGINES[(table.num_rows + len(asking)) % 2]]
    ]


def renamed(table):
    """The same under a name that says nothing of which score wins."""
    return table.rename_columns(["score" if c == "loss" else c for c in table.column_names])


WALK = long(
    {"a": np.cumsum(np.random.default_rng(1).normal(size=500)).tolist()}, ids="{:04d}".format
)


@pytest.mark.parametrize(
    ("table", "reading", "asking", "code"),
    [
        (long(normal()), {**LOWER, "bounds": (0, 1)}, {}, "NF010"),
        (long({"a": [90.0, 55.0, 0.0]}), {**LOWER, "bounds": (0, 1)}, {}, "NF010"),
        (long({"a": [0.9, 0.5, 0.5, 7.0]}), {**LOWER, "bounds": (0, 1)}, {}, "NF010"),
        (long({"a": [0.0, 1.0, 0.5]}), {**LOWER, "binary": True}, {}, "NF014"),
        (
            long({"a": [0.0, 1.0, 0.5]}),
            LOWER,
            {"band": "clopper_pearson", "select": "top:1"},
            "NF014",
        ),
        (long({"a": [INF, 1.0], "b": [1.0, 2.0]}), LOWER, {"select": "top:1"}, "NF012"),
        (renamed(failing()), {"failed": "status"}, {"select": "top:2"}, "NF009"),
        (failing(), {**LOWER, "failed": "nothing"}, {}, "NF003"),
        (failing(), {**LOWER, "failed": "status>3"}, {}, "NF004"),
        (long(normal()), LOWER, {"select": "top:9"}, "NF011"),
        (long(normal()), LOWER, {"select": "names:m9"}, "NF011"),
        (long(normal()), LOWER, {"select": "top:1@column:val"}, "NF003"),
        (renamed(long(normal())), {}, {"select": "top:2"}, "NF009"),
        (long({"a": ["x", "y"]}), LOWER, {}, "NF004"),
        (long({"a": [1.0]}, ids=float), LOWER, {}, "NF003"),
        (long({"a": [None, NAN]}), LOWER, {}, "NF002"),
        (long({"a": [1.0], "b": [None]}), LOWER, {"missing": "own"}, "NF002"),
        (long({"a": [1.0]}).slice(0, 0), LOWER, {}, "NF002"),
        (long(normal()).rename_columns(["x", "y", "z"]), LOWER, {}, "NF003"),
        (measured(), LOWER, {}, "NF003"),
        (WALK, LOWER, {"select": "top:1"}, "NF117"),
    ],
)
def test_what_memory_refuses_is_refused_in_the_same_words(tmp_path, table, reading, asking, code):
    in_memory, elsewhere = both(tmp_path, table, reading, **asking)
    assert in_memory[0] == code
    assert elsewhere == [in_memory]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (long({"a": [1.0] * 5, "b": [NAN] * 5}), "no example was scored by two candidates (n from"),
        (gaps(), "'m3' lacks 19 ('41', '42' and 17 more)"),
        (
            long({"a": [1.0] * 5, "b": [1.0, NAN, NAN, NAN, None]}),
            "'b' lacks 4 ('1', '2' and 2 more; 4 with an empty or NaN score)",
        ),
    ],
)
def test_gaps_are_refused_with_counts_and_ids(tmp_path, table, told):
    in_memory, elsewhere = both(tmp_path, table, LOWER)
    assert (in_memory[0], told in in_memory[1]) == ("NF007", True)
    for code, message in elsewhere:
        assert (code, told in message) == ("NF007", True)


@pytest.mark.parametrize("role", ["model", "item"])
@pytest.mark.parametrize("missing", [None, ""])
def test_rows_without_an_id_are_refused(tmp_path, role, missing):
    table = long({"a": [1.0, 2.0, 3.0]})
    at = table.column_names.index(role)
    table = table.set_column(at, role, pa.array([missing, "a", "b"]))
    in_memory, elsewhere = both(tmp_path, table, LOWER)
    assert {in_memory[0]} == {code for code, _ in elsewhere} == {"NF007"}
    assert all("is missing in 1 row;" in message for _, message in elsewhere)


def test_rows_without_a_cluster_are_refused_where_they_have_a_score(tmp_path):
    table = with_column(long({"a": [1.0, 2.0, None]}), "cluster", ["x", "y", "z"])
    fine = table.set_column(
        3, "cluster", pa.array([None if x is None else "c" for x in table["loss"].to_pylist()])
    )
    path = tmp_path / "fine.parquet"
    pq.write_table(fine, path)
    assert nofluke.source(path, **LOWER).n_clusters == 1
    wrong = table.set_column(3, "cluster", pa.array([None, None, None], pa.string()))
    in_memory, elsewhere = both(tmp_path, wrong, LOWER)
    assert {in_memory[0]} == {code for code, _ in elsewhere} == {"NF007"}


def test_rows_that_repeat_are_named(tmp_path):
    table = pa.concat_tables([long({"a": [1.0, 2.0]}), long({"a": [5.0]})])
    in_memory, elsewhere = both(tmp_path, table, LOWER)
    assert {in_memory[0]} == {code for code, _ in elsewhere} == {"NF006"}
    assert all("'a'/'0' (2 rows)" in message for _, message in elsewhere)


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "one.parquet"
    pq.write_table(long(normal()), path)
    return path


@pytest.mark.parametrize(
    "asking",
    [
        {"split": 0.5, "seed": 1},
        {"select": lambda scores: scores.candidates[:1]},
        {"unit": "cluster", "seed": 1},
        {"repeats": "average"},
    ],
)
def test_what_needs_the_rows_is_refused_with_advice(one, asking):
    code, message = refusal(lambda: nofluke.certify(nofluke.source(one, **LOWER), **asking))
    assert code == "NF407"
    assert "read the rows in memory: nofluke.read(...), --engine memory" in message


@pytest.mark.parametrize("missing", ["common", "worst"])
def test_gaps_that_need_every_example_are_for_memory(tmp_path, missing):
    path = tmp_path / "gaps.parquet"
    pq.write_table(gaps(), path)
    table = nofluke.source(path, **LOWER)
    assert refusal(lambda: nofluke.certify(table, missing=missing))[0] == "NF407"


def test_runs_are_for_memory_where_there_are_several(tmp_path):
    runs = pa.concat_tables([with_column(long(normal()), "seed", [s] * 240) for s in (1, 2)])
    path = tmp_path / "runs.parquet"
    pq.write_table(runs, path)
    code, message = refusal(lambda: nofluke.certify(nofluke.source(path, **LOWER)))
    assert (code, "the run column may tell apart" in message) == ("NF407", True)
    pq.write_table(runs.slice(0, 240), path)
    found = nofluke.certify(nofluke.source(path, **LOWER), "top:2")
    assert found.to_json() == nofluke.certify(nofluke.read(path, **LOWER), "top:2").to_json()


@pytest.mark.parametrize(
    ("reading", "code"),
    [
        ({"engine": "oracle"}, "NF008"),
        ({"where": {"filter": "x"}}, "NF008"),
        ({"reader": "helm"}, "NF407"),
        ({"memory": "1MiB"}, "NF008"),
        ({"spill": "nowhere/at/all"}, "NF008"),
    ],
)
def test_options_that_a_source_does_not_have(one, reading, code):
    assert refusal(lambda: nofluke.source(one, **LOWER, **reading))[0] == code


@pytest.mark.parametrize(
    "name",
    [
        "ties",
        "gaps",
        "integers",
        "wide",
        "truths",
        "failed",
        "failed by size",
        "clusters",
        "metric",
        "chosen by a column",
        "quotes",
    ],
)
def test_text_has_the_answer_of_memory(tmp_path, name):
    table, reading, asking = TABLES[name]
    path = tmp_path / "table.csv"
    table.to_pandas().to_csv(path, index=False)
    expected = nofluke.certify(nofluke.read(path, **reading), **asking)
    engine = ENGINES[len(name) % 2]  # the files that it computes are the same
    with nofluke.source(path, engine=engine, spill=tmp_path, **reading) as rows:
        assert nofluke.certify(rows, **asking).to_json() == expected.to_json()
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_times_of_several_files_are_of_one_kind(tmp_path):
    paths = []
    for name, times in {"a": range(60), "b": [f"2024-{i:02d}" for i in range(60)]}.items():
        paths.append(tmp_path / f"{name}.csv")
        x = RNG.normal(size=60).round(2)
        lines = [f"{i},{t},{v}" for i, (t, v) in enumerate(zip(times, x, strict=True))]
        paths[-1].write_text("\n".join(["item,t,loss", *lines]))
    expected = nofluke.certify(nofluke.read(paths, **LOWER), "top:2", gamma=0.3)
    found = nofluke.certify(nofluke.source(paths, **LOWER), "top:2", gamma=0.3)
    assert found.to_json() == expected.to_json()


def test_text_files_name_the_candidates_they_hold(tmp_path):
    paths = []
    for name, x in normal().items():
        paths.append(tmp_path / f"{name}.csv")
        lines = [f"{i:03d};{str(v).replace('.', ',')}" for i, v in enumerate(x)]
        paths[-1].write_text("\n".join(["item;loss", *lines]))
    expected = nofluke.certify(nofluke.read(paths, **LOWER), "top:2", gamma=0.3)
    assert any(note.startswith("NF115") for note in expected.notes)
    for engine in ENGINES:
        found = nofluke.certify(nofluke.source(paths, engine=engine, **LOWER), "top:2", gamma=0.3)
        assert found.to_json() == expected.to_json()


def test_files_that_are_a_candidate_each_are_one_table(tmp_path):
    paths = {}
    for name, x in normal().items():
        paths[name] = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"item": [str(i) for i in range(60)], "loss": x}), paths[name])
    named = {f"model {name}": path for name, path in paths.items()}
    for data in (list(paths.values()), named):
        expected = nofluke.certify(nofluke.read(data, **LOWER), "top:2", gamma=0.3)
        for engine in ENGINES:
            found = nofluke.certify(
                nofluke.source(data, engine=engine, **LOWER), "top:2", gamma=0.3
            )
            assert found.to_json() == expected.to_json()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("model,item,loss\na,1,0.5\na,2,x\n", "NF004"),
        ("model,item,loss\na,1,0.5\n,2,1\n", "NF007"),
        ("model,item,loss\na,1,0.5\na,2\n", "NF001"),
        ("model,item,loss\n", "NF002"),
        ("model,loss\na,1\n", "NF003"),
    ],
)
def test_text_is_refused_in_the_words_of_memory(tmp_path, text, code):
    path = tmp_path / "t.csv"
    path.write_text(text)
    expected = refusal(lambda: nofluke.read(path, **LOWER))
    assert expected[0] == code
    assert refusal(lambda: nofluke.source(path, **LOWER)) == expected


def test_what_is_no_table_of_cells_is_for_memory(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"model": "a", "item": 1, "loss": 0.5}]')
    code, message = refusal(lambda: nofluke.source(path, **LOWER))
    assert (code, "read it in memory" in message) == ("NF407", True)


def test_an_engine_is_for_files_and_a_frame_is_no_engine(one):
    frame = next(frames(long(normal())))
    assert refusal(lambda: nofluke.source(frame, engine="polars", **LOWER))[0] == "NF008"
    assert refusal(lambda: nofluke.source({"a": 1}, **LOWER))[0] == "NF008"
    assert refusal(lambda: nofluke.certify("t.parquet"))[0] == "NF008"


def test_several_files_are_one_table(tmp_path):
    table, paths = long(normal()), []
    for i in range(3):
        paths.append(tmp_path / f"part{i}.parquet")
        pq.write_table(table.slice(80 * i, 80), paths[-1])
    expected = nofluke.certify(nofluke.read(paths, **LOWER), "top:2", gamma=0.3)
    for engine in ENGINES:
        found = nofluke.source(paths, engine=engine, **LOWER)
        assert nofluke.certify(found, "top:2", gamma=0.3).to_json() == expected.to_json()


def test_a_file_names_the_candidate_it_holds(tmp_path):
    path = tmp_path / "gpt.parquet"
    pq.write_table(long({"a": [1.0, 2.0, 3.0]}).drop_columns("model"), path)
    found = nofluke.certify(nofluke.source(path, **LOWER), "top:1", gamma=0.5)
    assert found.selected == ("gpt",)
    expected = nofluke.certify(nofluke.read(path, **LOWER), "top:1", gamma=0.5)
    assert found.to_json() == expected.to_json()


def test_what_does_not_fit_is_refused_before_it_is_loaded(one, monkeypatch):
    from nofluke.sources.room import Room

    monkeypatch.setattr(Room, "for_rows", property(lambda self: 1000))
    table = nofluke.source(one, **LOWER, bounds=(-9, 9))
    answer = nofluke.certify(table, "top:1", gamma=0.3, functionals=("median",))
    assert answer.functionals()[0]["functional"] == "median"
    before = table.relation.passes.count
    wants_all = nofluke.certify(table, "top:1", gamma=0.3, functionals=("mean",))
    code, message = refusal(wants_all.functionals)
    assert (code, "the 60 scores of" in message) == ("NF406", True)
    assert table.relation.passes.count <= before + 3


def test_passes_do_not_grow_with_what_is_asked(one):
    counts = []
    for gamma, select in ((0.3, "top:1"), ((0.3, 0.2, 0.4, 0.5), "top:3")):
        with nofluke.source(one, **LOWER) as table:
            nofluke.certify(table, select, gamma=gamma, functionals=("median",)).to_json()
            counts.append(table.relation.passes.count)
    assert counts[0] == counts[1] <= 8


@pytest.mark.parametrize("together", [0, 200, 1000])
def test_rows_that_are_not_looked_at_are_told_of(monkeypatch, tmp_path, together):
    from nofluke.scores import dependence, sourced

    monkeypatch.setattr(dependence, "MOST", 100)
    monkeypatch.setattr(sourced, "MOST", 100)
    monkeypatch.setattr(sourced, "_TOGETHER", together)
    walk = np.cumsum(np.random.default_rng(1).normal(size=60))
    late = RNG.permutation(400)[:340].tolist() + walk.tolist()
    table = long({"a": late, "b": RNG.normal(size=400).tolist()}, ids="{:04d}".format)
    times = [int(i) for i in table["item"].to_pylist()]
    some = [t if c == "a" else None for c, t in zip(table["model"].to_pylist(), times, strict=True)]
    for more in ({}, {"t": times}, {"t": some}):
        timed = table
        for name, values in more.items():
            timed = with_column(table, name, values)
        path = tmp_path / "late.parquet"
        pq.write_table(timed, path)
        expected = nofluke.certify(nofluke.read(path, **LOWER), "top:2", gamma=0.3)
        assert [n[:48] for n in expected.notes if n.startswith("NF408")] == [
            "NF408: whether rows follow each other was looked"
        ]
        found = nofluke.source(path, engine=ENGINES[together % 3 % 2], **LOWER)
        assert nofluke.certify(found, "top:2", gamma=0.3).to_json() == expected.to_json()


def test_pictures_and_reports_come_from_a_source(one, tmp_path):
    with nofluke.source(one, **LOWER) as table:
        answer = nofluke.certify(table, "top:2", gamma=(0.2, 0.3))
        answer.plot()
        answer.report(tmp_path / "answer.html")
    assert "m0" in (tmp_path / "answer.html").read_text()


def test_a_source_stays_open_as_long_as_somebody_holds_an_answer(one):
    import gc

    answer = nofluke.certify(nofluke.source(one, **LOWER), "top:1", gamma=0.3)
    gc.collect()
    band = answer.evaluated[0].region
    assert band.x[0] <= band.x[59]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_nan_is_seen_wherever_it_stands(tmp_path, engine):
    # DuckDB leaves out row groups by statistics that do not know NaN.
    x = [1.0, NAN, 2.0, None, NAN, 3.0, NAN, NAN, NAN, None, None, INF]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"candidate": ["a"] * 12, "score": x}), path, row_group_size=3)
    with Relation.of_files([str(path)], engine=engine, room=room()) as relation:
        is_nan = relation.nan("score")
        for wanted in (is_nan, nw.col("score").is_null() | is_nan, ~is_nan):
            found = relation.frame.filter(wanted)
            counted = relation.frame.select(n=nw.when(wanted).then(1).otherwise(0))
            ((kept,),) = relation.rows(found.select(nw.len()))
            ((seen,),) = relation.rows(counted.select(nw.col("n").sum()))
            assert kept == seen
        ((seen,),) = relation.rows(relation.frame.filter(is_nan).select(nw.len()))
        assert seen == 5
