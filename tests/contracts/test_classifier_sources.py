"""`classifier` says the same, byte for byte, wherever the rows are and whoever computes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nofluke import classifier, read_predictions
from nofluke.cli import run
from nofluke.errors import InputError, ReadError
from nofluke.scores import prediction_grid

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

NAN = math.nan
ENGINES = ["duckdb", "polars"]
N = 90
Y = (np.random.default_rng(3).random(N) < 0.4).astype(int)


def scores(K=3, digits=2):
    rng = np.random.default_rng(K)
    x = rng.normal(size=(K, N)) + 1.5 * Y + np.arange(K)[:, None] / 5
    return {f"m{k}": (1 / (1 + np.exp(0.7 - x[k]))).round(digits).tolist() for k in range(K)}


def rows(of, *, ids=lambda i: 7919 * i % 1009 - 20, labels=lambda y: y):
    """One row for each candidate and example, in a shuffled order."""
    cells = [
        {"model": c, "case": ids(i), "label": labels(int(Y[i])), "prediction": p}
        for c, x in of.items()
        for i, p in enumerate(x)
    ]
    order = np.random.default_rng(5).permutation(len(cells))
    return [cells[i] for i in order]


def table(cells):
    return pa.Table.from_pylist(cells)


def with_gaps():
    cells = rows(scores())
    cells[3]["prediction"], cells[70]["prediction"] = None, NAN
    return [cell for i, cell in enumerate(cells) if i not in (1, 17, 100)]


def one_more_example():
    """The fullest candidate has not every example."""
    cells = rows(scores())
    ids = sorted({cell["case"] for cell in cells})
    return [
        cell
        for cell in cells
        if (cell["model"], cell["case"]) not in {("m0", ids[0]), ("m1", ids[5]), ("m2", ids[9])}
    ]


def clustered():
    return [{**cell, "cluster": f"c{cell['case'] % 23}"} for cell in rows(scores())]


def wide(**more):
    columns = {name: pa.array(x) for name, x in scores().items()}
    columns["m1"] = pa.array(np.float32(scores()["m1"]))
    cases = [7919 * i % 1009 for i in range(N)]
    return pa.table({"label": Y, "m2": columns.pop("m2"), "case": cases, **columns, **more})


COLUMNS = {"candidate": "model", "example": "case"}
LONG = {"columns": COLUMNS}
WIDE = {"columns": {"example": "case"}}
TABLES = {
    "whole ids": (table(rows(scores())), LONG, {}),
    "text ids": (table(rows(scores(), ids=lambda i: f"é{i}")), LONG, {"threshold": 0.4}),
    "one candidate": (table(rows(scores(K=1))), LONG, {"costs": (1, 5)}),
    "named by the file": (table(rows(scores(K=1))).drop_columns("model"), WIDE, {}),
    "text labels": (
        table(rows(scores(), labels=lambda y: ["well", "it's ill"][y])),
        {**LONG, "positive": "it's ill"},
        {"method": "clopper_pearson"},
    ),
    "truth values": (table(rows(scores(), labels=bool)), LONG, {"level": 0.9}),
    "minus one": (table(rows(scores(), labels=lambda y: 2 * y - 1)), LONG, {}),
    "fractional labels": (table(rows(scores(), labels=float)), LONG, {}),
    "spelled differently": (
        table(rows(scores(), labels=lambda y: ["0", "1", "1.0", "00"][y])),
        LONG,
        {},
    ),
    "one class": (table(rows(scores(), labels=lambda _: 1)), LONG, {}),
    "decisions": (table(rows({"m": Y.tolist(), "o": (1 - Y).tolist()})), LONG, {}),
    "logits": (table(rows({c: [9 * p for p in x] for c, x in scores().items()})), LONG, {}),
    "quotes": (
        table(rows({c.translate({109: "'é\"%"}): x for c, x in scores().items()})),
        LONG,
        {},
    ),
    "gaps, common": (table(with_gaps()), {**LONG, "missing": "common"}, {}),
    "gaps, own": (table(with_gaps()), {**LONG, "missing": "own"}, {}),
    "nobody has all": (table(one_more_example()), {**LONG, "missing": "own"}, {}),
    "clusters": (table(clustered()), LONG, {"clusters": True}),
    "clusters, not counted": (table(clustered()), LONG, {}),
    "wide": (wide(), WIDE, {"prevalence": 0.1}),
    "wide, some": (wide(), {**WIDE, "candidates": ["m1", "m0"]}, {}),
    "wide, missing": (
        wide(m4=pa.array([None, NAN, *scores()["m0"][2:]])),
        {**WIDE, "missing": "common"},
        {},
    ),
    "parts left out": (
        wide(),
        WIDE,
        {"without": ["probabilities", "decisions", "average_precision", "differences"]},
    ),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Each table as a file of Parquet, by name."""
    folder = tmp_path_factory.mktemp("predictions")
    paths = {}
    for i, (name, (of, _, _)) in enumerate(TABLES.items()):
        paths[name] = folder / f"t{i}.parquet"
        pq.write_table(of, paths[name], row_group_size=50)
    return paths


@pytest.fixture(scope="module")
def answers(files):
    """The answers from memory."""
    return {
        name: asked(read_predictions(files[name], **reading), asking)
        for name, (_, reading, asking) in TABLES.items()
    }


def asked(predictions, asking):
    return classifier(predictions, n_resamples=40, **asking)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TABLES)
def test_a_file_has_one_answer(files, answers, name, engine):
    _, reading, asking = TABLES[name]
    found = asked(read_predictions(files[name], engine=engine, **reading), asking)
    assert found.to_json() == answers[name].to_json()


@pytest.mark.parametrize("name", ["text ids", "gaps, own", "wide, missing", "clusters"])
def test_what_comes_out_is_what_reading_makes(files, name):
    _, reading, _ = TABLES[name]
    expected = read_predictions(files[name], **reading)
    found = read_predictions(files[name], engine="duckdb", **reading)
    assert list(found.examples) == list(expected.examples)
    assert found.examples[7] == expected.examples[7]
    assert found.examples[-2:] == list(expected.examples[-2:])
    for array in ("labels", "predictions", "starts", "where"):
        assert getattr(found, array).tobytes() == getattr(expected, array).tobytes()
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_without_prediction_and_cluster_moves_no_other(tmp_path, engine):
    cells = [
        {"model": m, "case": i, "label": "np"[i % 2], "prediction": 0.01 * i, "cluster": cluster}
        for m in "ab"
        for i, cluster in enumerate(np.repeat([f"c{j}" for j in range(10)], 4).tolist())
    ]
    cells.append({"model": "a", "case": 99, "label": "", "prediction": NAN, "cluster": ""})
    path = tmp_path / "t.parquet"
    pq.write_table(table(cells), path)
    reading = {**LONG, "positive": "p", "missing": "own"}
    read = read_predictions(path, **reading)
    found = read_predictions(path, engine=engine, **reading)
    for m in "ab":
        assert found.clusters(m).tolist() == read.clusters(m).tolist()
    told = [[of.cluster.names[i] for i in of.cluster.codes] for of in (read, found)]
    assert told[0] == told[1]
    assert asked(found, {"clusters": True}).to_json() == asked(read, {"clusters": True}).to_json()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("kept", [range(1, N), range(N - 1), range(N + 1)])
def test_ids_of_a_table_that_changed_are_refused(tmp_path, monkeypatch, kept, few, engine):
    path, ids = tmp_path / "t.parquet", [f"i{i:03}" for i in range(N + 1)]
    columns = {"case": ids, "label": [*Y.tolist(), 1], "m": [*scores(K=1)["m0"], 0.5]}
    whole = pa.table(columns)
    pq.write_table(whole.slice(0, N), path)
    found = read_predictions(path, engine=engine, **WIDE)
    assert (found.examples[0], len(list(found.examples))) == ("i000", N)
    pq.write_table(whole.take(list(kept)), path)
    monkeypatch.setattr(prediction_grid, "_FEW", 1000 if few else 0)
    asks = [lambda: found.examples[0], lambda: found.examples[-1], lambda: list(found.examples)]
    for ask in asks:
        code, told = refusal(ask)
        assert (code, f"{N} examples were counted first" in told) == ("NF401", True)


def test_a_mapping_names_the_candidate(files):
    expected = read_predictions({"own": files["named by the file"]}, **WIDE)
    found = read_predictions({"own": files["named by the file"]}, engine="duckdb", **WIDE)
    assert found.candidates == expected.candidates == ("own",)
    assert asked(found, {}).to_json() == asked(expected, {}).to_json()


def test_rows_come_out_in_as_many_batches_as_it_takes(files, answers, monkeypatch):
    monkeypatch.setattr(prediction_grid, "_VALUES", 50)
    monkeypatch.setattr(prediction_grid, "_BLOCK", 7)
    for name in ("whole ids", "gaps, own", "wide", "clusters"):
        _, reading, asking = TABLES[name]
        found = asked(read_predictions(files[name], engine="duckdb", **reading), asking)
        assert found.to_json() == answers[name].to_json()


@pytest.mark.parametrize("name", ["text labels", "gaps, own", "wide"])
def test_spark_answers_the_same(files, answers, name, spark):
    _, reading, asking = TABLES[name]
    found = asked(read_predictions(files[name], engine="spark", **reading), asking)
    assert found.to_json() == answers[name].to_json()


def frames(of):
    """The same rows as lazy tables of several libraries."""
    import duckdb
    import polars as pl

    yield duckdb.connect().from_arrow(of)
    yield pl.from_arrow(of).lazy()
    try:
        import ibis
    except ImportError:
        return
    yield ibis.memtable(of)


@pytest.mark.parametrize("name", ["text labels", "gaps, common", "clusters", "wide, missing"])
def test_lazy_tables_have_the_answer_of_a_data_frame(name):
    of, reading, asking = TABLES[name]
    expected = asked(read_predictions(of, **reading), asking).to_json()
    for frame in frames(of):
        found = asked(read_predictions(frame, engine="auto", **reading), asking)
        assert found.to_json() == expected


def refusal(ask):
    with pytest.raises(InputError) as caught:
        ask()
    return caught.value.code, str(caught.value)


def changed(at, **values):
    cells = rows(scores())
    return [{**cell, **(values if i in at else {})} for i, cell in enumerate(cells)]


def twice(cells):
    return [*cells, *cells[4:8], cells[4]]


REFUSED = {
    "repeats": (twice(rows(scores())), {}),
    "repeats before labels": (twice(changed([2], label=5)), {}),
    "repeats within a cluster": (twice(clustered()), {}),
    "repeats in several clusters": (
        [*clustered(), *({**c, "cluster": "other"} for c in clustered()[3:10])],
        {},
    ),
    "contradicting labels": (
        [{**c, "label": 1 - c["label"]} if i in (9, 11, 40) else c
         for i, c in enumerate(rows(scores()))],
        {},
    ),
    "labels missing": (changed([2, 9, 30], label=None), {}),
    "three kinds": (changed([2, 9, 30], label=3), {}),
    "an unsure label": (
        [*rows(scores(), labels=str), {**rows(scores())[0], "case": 5000, "label": "tie"}],
        {},
    ),
    "unknown labels": (rows(scores(), labels=lambda y: y + 1), {}),
    "a label that is not there": (rows(scores()), {"positive": "ill"}),
    "gaps": (with_gaps(), {}),
    "nobody has all": (one_more_example(), {}),
    "no example in common": (
        [{**c, "case": f"{c['model']}{c['case']}"} for c in rows(scores())],
        {"missing": "common"},
    ),
    "an example without id": (changed([4, 8, 200], case=None), {}),
    "a candidate without id": (changed([4], model=None), {}),
    "an empty id": (
        [{**c, "model": "" if i in (3, 5) else c["model"]} for i, c in enumerate(rows(scores()))],
        {},
    ),
    "no prediction at all": (changed(range(999), prediction=NAN), {}),
    "fractional ids": (changed(range(999), case=0.5), {}),
    "text for numbers": (changed(range(999), prediction="0.5"), {}),
    "no label column": ([{k: v for k, v in c.items() if k != "label"} for c in rows(scores())], {}),
    "an unknown column": (rows(scores()), {"columns": {**COLUMNS, "label": "dead"}}),
    "an unknown way": (rows(scores()), {"missing": "guess"}),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_memory_refuses_is_refused_in_the_same_words(tmp_path, name, engine):
    cells, reading = REFUSED[name]
    path = tmp_path / "t.parquet"
    pq.write_table(table(cells), path)
    reading = {"columns": COLUMNS, **reading}
    expected = refusal(lambda: read_predictions(path, **reading))
    assert refusal(lambda: read_predictions(path, engine=engine, **reading)) == expected


def test_an_empty_table(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(table(rows(scores())).slice(0, 0), path)
    expected = refusal(lambda: read_predictions(path, **LONG))
    assert refusal(lambda: read_predictions(path, engine="duckdb", **LONG)) == expected


@pytest.mark.parametrize("role", ["group", "fold", "time", "reader"])
def test_what_a_source_does_not_do_is_refused(tmp_path, role):
    path = tmp_path / "t.parquet"
    pq.write_table(table([{**c, "more": c["case"] % 3} for c in rows(scores())]), path)
    code, told = refusal(
        lambda: read_predictions(path, engine="duckdb", columns={**COLUMNS, role: "more"})
    )
    assert code == "NF407"
    assert f'columns={{"{role}": None}}' in told


def test_only_one_table_of_parquet_with_ids_can_stay(tmp_path):
    path, text = tmp_path / "t.parquet", tmp_path / "t.csv"
    pq.write_table(wide().drop_columns("case"), path)
    text.write_text("label,m0\n1,0.5\n0,0.2\n")
    for source in (path, text, [path, path], [{"label": 1, "m0": 0.5}]):
        assert refusal(lambda s=source: read_predictions(s, engine="duckdb"))[0] == "NF407"
    assert refusal(lambda: read_predictions(path, engine="duckdb", decimal=","))[0] == "NF407"


def test_more_than_the_memory_allowed_is_refused_before_it_is_loaded(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(table(rows(scores())), path)
    monkeypatch.setattr("nofluke.scores.prediction_grid.size", lambda *_, **__: (0, 1 << 50))
    monkeypatch.setattr(prediction_grid, "placed", None)  # nothing would be loaded by this
    with pytest.raises(ReadError, match="1048576.0 GiB of memory") as caught:
        read_predictions(path, engine="duckdb", memory="2GiB", **LONG)
    assert caught.value.code == "NF406"


def test_the_command_says_the_same_from_everywhere(files, capsys):
    words = [str(files["text ids"]), "--columns", "candidate=model,example=case"]
    words += ["--format", "json", "--n-resamples", "0", "--without", "probabilities,differences"]
    told = []
    for how in (["--engine", "memory"], ["--memory", "2GiB", "--stats"], ["--engine", "polars"]):
        assert run(["classifier", *words, *how]) == 0
        told.append(capsys.readouterr())
    assert told[0].out == told[1].out == told[2].out
    assert "engine duckdb" in told[1].err
    assert "passes over the rows" in told[1].err


def test_a_lazy_table_has_its_own_engine():
    for frame in frames(TABLES["whole ids"][0]):
        assert refusal(lambda f=frame: read_predictions(f, engine="spark"))[0] == "NF008"


def test_memory_is_bounded_where_rows_stay():
    code, told = refusal(lambda: read_predictions([{"label": 1}], memory="2GiB"))
    assert code == "NF008"
    assert "memory= is for rows" in told
    assert "spill" not in told
