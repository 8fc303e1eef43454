"""Reading: formats, layouts, columns and options, on small tables."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import threading

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nofluke.errors import InputError
from nofluke.scores.readers import read, zstd

LONG = "candidate,example,score\nb,2,0.4\na,1,0.1\nb,1,0.3\na,2,0.2\n"
ROWS = [
    {"candidate": c, "example": e, "score": s}
    for c, e, s in [("b", "2", 0.4), ("a", "1", 0.1), ("b", "1", 0.3), ("a", "2", 0.2)]
]


def write(path, text):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    return path


def squeezed(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def as_parquet(path, query):
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def table_of(scores):
    """Everything that the answer depends on."""
    where = [scores.places(k).tolist() for k in range(scores.K)]
    return scores.candidates, scores.examples, scores.values.tolist(), where


EXPECTED = (("a", "b"), ("1", "2"), [0.1, 0.2, 0.3, 0.4], [[0, 1], [0, 1]])

TEXTS = {
    "t.csv": LONG,
    "t.tsv": LONG.replace(",", "\t"),
    "t.txt": LONG.replace(",", "|"),
    "t.json": json.dumps(ROWS),
    "columns.json": json.dumps({c: [r[c] for r in ROWS] for c in ROWS[0]}),
    "t.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "t.ndjson": "\n\n".join(json.dumps(row) for row in ROWS),
    "lists.jsonl": "".join(json.dumps(row | {"tags": []}) + "\n" for row in ROWS),
    "pretty.json": json.dumps(ROWS, indent=2),
}


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", TEXTS)
def test_every_text_format_reads_alike(tmp_path, name, packing):
    data = TEXTS[name].encode()
    packed = {"": data, ".gz": gzip.compress(data), ".zst": squeezed(data)}[packing]

    scores = read(write(tmp_path / (name + packing), packed))

    assert table_of(scores) == EXPECTED
    assert scores.complete
    assert scores.digest == hashlib.sha256(packed).hexdigest()
    assert scores.notes == ()


@pytest.mark.parametrize("name", TEXTS)
def test_an_unknown_ending_is_told_by_content(tmp_path, name):
    assert table_of(read(write(tmp_path / "data.log", TEXTS[name]))) == EXPECTED
    packed = write(tmp_path / "data.bin", squeezed(TEXTS[name].encode()))
    assert table_of(read(str(packed))) == EXPECTED


@pytest.mark.parametrize("name", ["t.parquet", "data"])
def test_parquet(tmp_path, name):
    rows = ", ".join(f"('{r['candidate']}', '{r['example']}', {r['score']})" for r in ROWS)
    path = as_parquet(
        tmp_path / name, f"SELECT * FROM (VALUES {rows}) AS t(candidate, example, score)"
    )
    assert table_of(read(path)) == EXPECTED


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl"])
def test_standard_input(monkeypatch, name):
    stdin = io.TextIOWrapper(io.BytesIO(TEXTS[name].encode()))
    monkeypatch.setattr(sys, "stdin", stdin)

    scores = read("-")

    assert table_of(scores) == EXPECTED
    assert scores.digest == hashlib.sha256(TEXTS[name].encode()).hexdigest()


def test_standard_input_may_be_parquet(monkeypatch, tmp_path):
    path = as_parquet(tmp_path / "t", "SELECT 'a' AS candidate, 1 AS example, 0.5 AS score")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert read("-").values.tolist() == [0.5]


def test_byte_order_mark_and_line_ends_of_windows(tmp_path):
    text = "\ufeff" + LONG.replace("\n", "\r\n")
    assert table_of(read(write(tmp_path / "t.csv", text))) == EXPECTED
    quoted = '\ufeff"candidate","example","score"\n' + LONG.partition("\n")[2]
    assert table_of(read(write(tmp_path / "q.csv", quoted))) == EXPECTED
    rows = "\ufeff" + TEXTS["t.json"]
    assert table_of(read(write(tmp_path / "t.json", rows))) == EXPECTED


def test_mixed_line_ends_and_very_long_cells_take_the_patient_reader(tmp_path):
    text = LONG.replace("\n", "\r\n", 2)
    assert table_of(read(write(tmp_path / "mixed.csv", text))) == EXPECTED
    header, _, body = LONG.partition("\n")
    wide = header + ",answer\n" + "".join(f"{x},{'y' * 3_000_000}\n" for x in body.split())
    assert table_of(read(write(tmp_path / "wide.csv", wide))) == EXPECTED


def test_old_line_ends(tmp_path):
    assert table_of(read(write(tmp_path / "t.csv", LONG.replace("\n", "\r")))) == EXPECTED


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "a?.csv", "it's.csv", "ü ñ.csv"])
def test_a_path_is_no_pattern(tmp_path, name):
    write(tmp_path / "a1.csv", "candidate,example,score\nz,1,9\n")
    assert table_of(read(write(tmp_path / name, LONG))) == EXPECTED


def test_a_folder_with_an_equals_sign_adds_no_column(tmp_path):
    folder = tmp_path / "cluster=7"
    folder.mkdir()
    path = as_parquet(folder / "a.parquet", "SELECT 'a' AS candidate, '1' AS example, 1 AS score")
    assert read(path).cluster is None


class TestSeveralFiles:
    def test_each_file_is_a_candidate(self, tmp_path):
        a = write(tmp_path / "a.csv.gz", gzip.compress(b"id,score\n1,0.1\n2,0.2\n"))
        b = write(tmp_path / "b.csv", "id,score\n2,0.4\n1,0.3\n")

        scores = read([b, a])

        assert table_of(scores) == EXPECTED
        assert scores.digest == hashlib.sha256(a.read_bytes() + b.read_bytes()).hexdigest()
        assert scores.notes == (
            "NF112: read columns example='id'; the candidate is named by the file.",
        )
        assert scores.digest == read([a, b]).digest

    def test_a_folder_is_its_supported_files_by_name(self, tmp_path):
        write(tmp_path / "b.csv", "id,score\n2,0.4\n1,0.3\n")
        write(tmp_path / "a.json", '[{"id": 1, "score": 0.1}, {"id": 2, "score": 0.2}]')
        write(tmp_path / "notes.md", "not a table")
        write(tmp_path / ".hidden.csv", "not a table")
        assert table_of(read(tmp_path)) == EXPECTED

    def test_a_mapping_names_the_candidates(self, tmp_path):
        path = write(tmp_path / "x.csv", "id,score\n1,0.1\n2,0.2\n")
        frame = pl.DataFrame({"id": ["2", "1"], "outcome": [0.4, 0.3]})

        scores = read({"a": path, "b": frame})

        assert table_of(scores) == EXPECTED

    def test_long_files_are_put_together(self, tmp_path):
        a = write(tmp_path / "a.csv", "candidate,example,score\na,1,0.1\nb,1,0.3\n")
        b = write(tmp_path / "b.csv", "candidate,example,score\na,2,0.2\nb,2,0.4\n")
        assert table_of(read([a, b])) == EXPECTED

    def test_files_may_have_examples_of_their_own(self, tmp_path):
        a = write(tmp_path / "a.csv", "id,score\n1,0.1\n2,0.2\n")
        b = write(tmp_path / "b.csv", "id,score\n2,0.3\n3,0.4\n")
        scores = read([a, b])
        assert scores.examples == ("1", "2", "3")
        assert [scores.places(k).tolist() for k in range(2)] == [[0, 1], [1, 2]]


class TestColumns:
    def test_aliases_are_guessed_and_told(self, tmp_path):
        path = write(tmp_path / "t.csv", "Model,doc_id,acc,seed\nm,1,0.5,7\nm,2,1,7\n")
        scores = read(path)
        assert scores.metric == "acc"
        assert scores.better == "higher"
        assert scores.run.names == ("7",)
        assert scores.notes == (
            "NF112: read columns candidate='Model', example='doc_id', score='acc', run='seed'.",
        )

    def test_earlier_aliases_win(self, tmp_path):
        text = "method,model,item,id,score,value\nx,m,1,9,0.5,3\n"
        scores = read(write(tmp_path / "t.csv", text))
        assert (scores.candidates, scores.examples, scores.values[0]) == (("m",), ("1",), 0.5)

    def test_columns_set_roles(self, tmp_path):
        path = write(tmp_path / "t.csv", "a,b,latency_s,ttft\nm,1,0.5,7\n")
        how = {"candidate": "a", "example": "b", "score": "latency_s"}
        scores = read(path, columns=how)
        assert (scores.metric, scores.better, scores.notes) == ("latency_s", "lower", ())

    def test_none_switches_a_role_off(self, tmp_path):
        path = write(tmp_path / "t.csv", "candidate,example,score,seed,cluster\na,1,1,3,x\n")
        assert read(path).run is not None
        off = read(path, columns={"run": None, "cluster": None})
        assert off.run is None
        assert off.cluster is None

    def test_wide_is_long(self, tmp_path):
        wide = write(tmp_path / "w.csv", "item,b,a\n2,0.4,0.2\n1,0.3,0.1\n")
        scores = read(wide)
        assert table_of(scores) == EXPECTED
        assert "every column of numbers is a candidate: 'b', 'a'" in scores.notes[0]

    def test_wide_with_text_beside_and_gaps(self, tmp_path):
        wide = write(tmp_path / "w.csv", "item,topic,a,b\n1,x,0.1,\n2,y,0.2,0.4\n")
        scores = read(wide)
        assert scores.candidates == ("a", "b")
        assert scores.empty.tolist() == [[1, 0]]
        assert "not read: 'topic'" in scores.notes[0]

    def test_wide_candidates_can_be_listed(self, tmp_path):
        wide = write(tmp_path / "w.csv", "t,item,a,b\n7,1,0.1,0.3\n8,2,0.2,0.4\n")
        assert table_of(read(wide, columns={"candidate": ["a", "b"]})) == EXPECTED

    def test_an_index_column_without_a_name_is_no_candidate(self, tmp_path):
        wide = write(tmp_path / "w.csv", ",item,a,b\n0,1,0.1,0.3\n1,2,0.2,0.4\n")
        assert table_of(read(wide)) == EXPECTED

    @pytest.mark.parametrize("many", [False, True])
    def test_metric_column(self, tmp_path, many):
        text = "candidate,example,score,metric\na,1,0.5,acc\na,2,1,acc\n"
        path = write(tmp_path / "t.csv", text + ("a,1,9,loss\n" if many else ""))
        scores = read(path, metric="acc" if many else None)
        assert (scores.metric, scores.values.tolist()) == ("acc", [0.5, 1.0])

    def test_the_metric_column_does_not_speak_for_another_score_column(self, tmp_path):
        path = write(tmp_path / "t.csv", "candidate,example,score,metric,acc\na,1,9,loss,0.5\n")
        scores = read(path, columns={"score": "acc"})
        assert (scores.metric, scores.better) == ("acc", "higher")

    def test_metric_names_the_metric(self, tmp_path):
        scores = read(write(tmp_path / "t.csv", LONG), metric="loss")
        assert (scores.metric, scores.better) == ("loss", "lower")

    def test_run_and_cluster_explain_repeats(self, tmp_path):
        text = "candidate,example,score,run,cluster\na,1,0.1,s1,x\na,1,0.2,s2,x\na,1,0.3,s1,y\n"
        scores = read(write(tmp_path / "t.csv", text))
        assert scores.run.names == ("s1", "s2")
        assert scores.cluster.names == ("x", "y")
        got = sorted(zip(scores.run.codes, scores.cluster.codes, scores.values, strict=True))
        assert got == [(0, 0, 0.1), (0, 1, 0.3), (1, 0, 0.2)]

    @pytest.mark.parametrize("name", ["run", "failed", "candidate_", "self", "score2", "keep x"])
    def test_keep_columns_of_any_name(self, tmp_path, name):
        text = f"candidate,example,score,{name}\na,2,0.2,20\na,1,,15\na,3,0.3,30\n"
        path = write(tmp_path / "t.csv", text)
        scores = read(path, keep=[name], columns={"run": None})
        assert {k: v.tolist() for k, v in scores.kept.items()} == {name: [20.0, 30.0]}


class TestFailed:
    TEXT = "candidate,example,score,code,note\na,1,0,429.0,\na,2,3,200,ok\na,3,,-1,boom\na,4,5,,0\n"

    @pytest.mark.parametrize(
        ("failed", "which"),
        [
            ("code=429,-1", ["1", "3"]),
            ("code==429", ["1"]),
            ("code!=200", ["1", "3"]),
            ("code != 200, 429", ["3"]),
            ("code>200", ["1"]),
            ("code>=200", ["1", "2"]),
            ("code<0", ["3"]),
            ("code<=200", ["2", "3"]),
            ("note=boom", ["3"]),
            ("note", ["3"]),
            ("code", ["1", "2", "3"]),
        ],
    )
    @pytest.mark.parametrize("kind", ["csv", "polars", "json"])
    def test_conditions(self, tmp_path, failed, which, kind):
        source = write(tmp_path / "t.csv", self.TEXT)
        if kind == "polars":
            source = pl.read_csv(source)
        elif kind == "json":
            source = write(tmp_path / "t.json", pl.read_csv(source).write_json())
        scores = read(source, failed=failed, better="lower")
        held = dict(zip([scores.examples[i] for i in scores.places(0)], scores.values, strict=True))
        assert [e for e, v in held.items() if np.isinf(v)] == which
        assert scores.n_failed.tolist() == [len(which)]

    def test_a_column_may_have_a_sign_in_its_name(self, tmp_path):
        path = write(tmp_path / "t.csv", "candidate,example,score,t>60\na,1,1,false\na,2,2,true\n")
        assert read(path, failed="t>60", better="lower").values.tolist() == [1.0, np.inf]

    def test_the_score_itself_may_tell(self, tmp_path):
        path = write(tmp_path / "t.csv", "model,item,latency_s,error,code\na,1,1,0,0\na,2,70,1,5\n")
        for failed in ("error", "error=1"):
            scores = read(path, failed=failed)
            assert (scores.metric, scores.values.tolist()) == ("latency_s", [1.0, np.inf])
        path = write(tmp_path / "u.csv", "model,item,latency_s\na,1,1\na,2,70\n")
        assert read(path, failed="latency_s>60").values.tolist() == [1.0, np.inf]

    def test_truth_columns(self):
        frame = pl.DataFrame({**{k: [r[k] for r in ROWS] for k in ROWS[0]}, "bad": [True] * 4})
        assert read(frame, failed="bad", better="higher").n_failed.tolist() == [2, 2]


class TestScores:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("0.5", 0.5), ("1e-3", 1e-3), ("-2", -2.0), ("+2", 2.0), (".5", 0.5), ("5.", 5.0),
            ("inf", np.inf), ("-inf", -np.inf), ("Infinity", np.inf), ("-Infinity", -np.inf),
            ("1E+05", 1e5), ("007", 7.0), ("9007199254740993", 9007199254740993.0),
            ("0.1000000000000000055511151231257827", 0.1),
        ],
    )  # fmt: skip
    def test_numbers_in_text(self, tmp_path, text, value):
        path = write(tmp_path / "t.csv", f"candidate,example,score\na,1,{text}\na,2,1.5\n")
        assert read(path).values.tolist() == [value, 1.5]

    @pytest.mark.parametrize("text", ["", "nan", "NaN", '""'])
    def test_missing(self, tmp_path, text):
        path = write(tmp_path / "t.csv", f"candidate,example,score\na,1,{text}\na,2,1.5\n")
        scores = read(path)
        assert scores.values.tolist() == [1.5]
        assert scores.empty.tolist() == [[0, 0]]

    def test_missing_and_not_finite_in_json(self, tmp_path):
        lines = ["null", "NaN", "Infinity", "-Infinity", "1e-3"]
        text = "".join(
            f'{{"candidate": "a", "example": {i}, "score": {s}}}\n' for i, s in enumerate(lines)
        )
        scores = read(write(tmp_path / "t.jsonl", text))
        assert scores.values.tolist() == [np.inf, -np.inf, 1e-3]
        assert len(scores.empty) == 2

    @pytest.mark.parametrize("form", ["csv", "json", "parquet", "polars", "pandas", "rows"])
    def test_truth_values_are_binary(self, tmp_path, form):
        rows = [dict(row, score=row["score"] > 0.2) for row in ROWS]
        frame = pl.DataFrame(rows)
        path = tmp_path / f"t.{form}"
        if form == "csv":
            frame.write_csv(path)
        elif form == "json":
            path.write_text(json.dumps(rows))
        elif form == "parquet":
            frame.write_parquet(path)
        source = {"polars": frame, "pandas": frame.to_pandas(), "rows": rows}.get(form, path)
        scores = read(source)
        assert scores.binary
        assert scores.values.tolist() == [0.0, 0.0, 1.0, 1.0]

    @pytest.mark.parametrize(
        "sql", ["INTEGER", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(9, 3)", "UTINYINT"]
    )
    def test_number_types_of_parquet(self, tmp_path, sql):
        query = (
            f"SELECT 'a' AS candidate, i AS example, CAST(i AS {sql}) AS score FROM range(3) r(i)"
        )
        assert read(as_parquet(tmp_path / "t.parquet", query)).values.tolist() == [0.0, 1.0, 2.0]


class TestDecimalMarks:
    def test_a_comma_is_read_and_told(self, tmp_path):
        path = write(tmp_path / "t.csv", "id;a;b\n1;0,5;2\n2;1,25e1;3\n")
        scores = read(path)
        assert scores.values.tolist() == [0.5, 12.5, 2.0, 3.0]
        assert scores.notes[-1] == "NF115: decimal comma read in columns 'a'."

    @pytest.mark.parametrize(
        ("text", "decimal", "values"),
        [
            ("id;a\n1;1,234\n2;5,678\n", ",", [1.234, 5.678]),
            ("id;a\n1;1.234\n2;5.678\n", ".", [1.234, 5.678]),
            ('id,a\n1,"0,5"\n2,"7"\n', ",", [0.5, 7.0]),
            ("id;a\n1;1.234\n2;0.5\n", None, [1.234, 0.5]),
            ("id;a\n1;1,234\n2;0,123\n", None, [1.234, 0.123]),
            ("id;a\n1;1\n2;2\n", ",", [1.0, 2.0]),
            ("id\ta\n1\t0,5\n2\t1,5\n", None, [0.5, 1.5]),
        ],
    )
    def test_marks_that_are_clear(self, tmp_path, text, decimal, values):
        assert read(write(tmp_path / "t.csv", text), decimal=decimal).values.tolist() == values

    def test_delimiter_is_overridden(self, tmp_path):
        path = write(tmp_path / "t.csv", "id,x:a\n1,2:0.5\n")
        scores = read(path, delimiter=":", columns={"example": "id,x"})
        assert scores.examples == ("1,2",)

    @pytest.mark.parametrize("name", ["\t", "\\t", "tab"])
    def test_tab_by_name(self, tmp_path, name):
        path = write(tmp_path / "t.txt", "id\ta,b\n1\t0.5\n")
        assert read(path, delimiter=name).candidates == ("a,b",)


COLUMNS = {k: [r[k] for r in ROWS] for k in ROWS[0]}


class TestFrames:
    @pytest.fixture
    def sources(self):
        frame = pl.DataFrame(COLUMNS)
        con = duckdb.connect()
        con.execute("CREATE TABLE t (candidate VARCHAR, example VARCHAR, score DOUBLE)")
        con.executemany("INSERT INTO t VALUES (?, ?, ?)", [tuple(r.values()) for r in ROWS])
        yield {
            "polars": frame,
            "lazy": frame.lazy(),
            "categories": frame.with_columns(pl.col("candidate").cast(pl.Categorical)),
            "pandas": pd.DataFrame(COLUMNS),
            "objects": pd.DataFrame(COLUMNS).astype({"candidate": object, "example": object}),
            "category": pd.DataFrame(COLUMNS).astype({"candidate": "category"}),
            "arrow": pa.table(COLUMNS),
            "duckdb": con.table("t"),
            "rows": ROWS,
        }
        con.close()

    def test_equal_tables_and_digests(self, sources):
        read_ones = {name: read(source) for name, source in sources.items()}
        assert {name: table_of(s) for name, s in read_ones.items()} == dict.fromkeys(
            read_ones, EXPECTED
        )
        assert len({s.digest for s in read_ones.values()}) == 1

    def test_a_relation_leaves_nothing_behind(self):
        con = duckdb.connect()
        con.execute("CREATE TABLE t AS SELECT 'a' AS candidate, 1 AS example, 0.5 AS score")
        read(con.sql("SELECT * FROM t"))
        assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("t",)]
        assert con.execute("SELECT count(*) FROM duckdb_types() WHERE NOT internal").fetchall() == [
            (0,)
        ]

    def test_missing_numbers(self):
        columns = {"example": ["1", "2"], "a": [None, 0.5], "b": [1, None]}
        for frame in (pl.DataFrame(columns), pa.table(columns), pd.DataFrame(columns)):
            scores = read(frame)
            assert (scores.values.tolist(), scores.empty.tolist()) == ([0.5, 1.0], [[0, 0], [1, 1]])
        nullable = pd.DataFrame(columns).convert_dtypes()
        assert read(nullable).values.tolist() == [0.5, 1.0]


def test_integer_ids_become_their_decimal_text(tmp_path):
    big = 9007199254740993
    query = f"SELECT 'a' AS candidate, {big} - i AS example, i AS score FROM range(2) r(i)"
    path = as_parquet(tmp_path / "t.parquet", query)
    expected = (str(big - 1), str(big))
    assert read(path).examples == expected
    frame = pl.DataFrame({"candidate": ["a", "a"], "example": [big, big - 1], "score": [0, 1]})
    assert read(frame).examples == expected
    assert read(frame.to_pandas()).examples == expected
    text = f'[{{"candidate": "a", "example": {big}, "score": 0}}]'
    assert read(write(tmp_path / "t.json", text)).examples == (str(big),)


def test_text_like_ids_of_json_keep_their_spelling(tmp_path):
    ids = ["1e5", "100000", "1.0", "1", '"007"', '"NaN"', "NaN"]
    text = "".join(
        f'{{"candidate": "a{i}", "example": {e}, "score": 1}}\n' for i, e in enumerate(ids)
    )
    scores = read(write(tmp_path / "t.jsonl", text))
    assert scores.examples == ("007", "1", "1.0", "100000", "1e5", "NaN")


def test_import_is_light():
    code = (
        "import sys, nofluke.scores.readers; "
        "print([m for m in ('duckdb', 'narwhals', 'pandas', 'polars', 'pyarrow') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_files_need_no_pyarrow(tmp_path):
    path = as_parquet(tmp_path / "t.parquet", "SELECT 'a' AS candidate, 1 AS example, 2 AS score")
    write(tmp_path / "t.csv", "candidate,example,score\nb,1,2\n")
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('pyarrow', 'pandas', 'polars'))); "
        f"from nofluke.scores.readers import read; print(read({str(path.parent)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Scores(2 candidates x 1 examples")


def test_zstd_without_a_library_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(zstd, "_library", lambda: None)
    path = write(tmp_path / "t.jsonl.zst", squeezed(TEXTS["t.jsonl"].encode()))
    assert table_of(read(path)) == EXPECTED


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(LONG,))
    writer.start()
    scores = read(pipe)
    writer.join()
    assert table_of(scores) == EXPECTED


def test_more_files_than_anyone_has(tmp_path):
    for i in range(200):
        write(tmp_path / f"m{i:03d}.csv", f"id,score\n1,{i}\n2,{i}\n")
    scores = read(tmp_path)
    assert (scores.K, scores.complete) == (200, True)
    assert scores.matrix()[:, 0].tolist() == list(range(200))


class TestTheMetricAskedFor:
    """A number is never shown under the name of another metric."""

    def rows(self, **columns):
        return [
            {"model": m, "item": i, **dict.fromkeys(columns, 0.5)}
            for m in ("a", "b")
            for i in range(3)
        ]

    def test_a_column_of_that_name_holds_it(self):
        scores = read(self.rows(accuracy=1, f1=1), metric="F1")

        assert scores.metric == "F1"

    def test_a_column_of_another_name_does_not(self):
        with pytest.raises(InputError, match="metric='f1' is asked for") as caught:
            read(self.rows(accuracy=1), metric="f1")
        assert caught.value.code == "NF003"

    def test_unless_the_caller_says_so_or_the_name_says_nothing(self):
        told = read(self.rows(accuracy=1), metric="f1", columns={"score": "accuracy"})
        neutral = read(self.rows(score=1), metric="f1")

        assert told.metric == neutral.metric == "f1"

    def test_files_with_columns_of_different_names_may_hold_different_metrics(self, tmp_path):
        (tmp_path / "old.csv").write_text("id,accuracy\n1,1\n2,0\n")
        (tmp_path / "new.csv").write_text("id,other\n1,1\n2,0\n")
        paths = {name: str(tmp_path / f"{name}.csv") for name in ("old", "new")}
        with pytest.raises(InputError, match="are they one metric"):
            read(paths)
