"""Every way reading says no: the code, and the words that help."""

import gzip
import re

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nofluke.errors import InputError, MissingExtra, ReadError
from nofluke.scores.readers import read, zstd

HEAD = "candidate,example,score\n"


def refused(source, code, *words, **how):
    """The error, after a look at its code and its words."""
    with pytest.raises(InputError) as caught:
        read(source, **how)
    told = str(caught.value)
    assert caught.value.code == code, told
    for word in words:
        assert re.search(word, told), f"{word!r} is not in: {told}"
    return caught.value


@pytest.fixture
def put(tmp_path):
    """Write a file and give its path."""

    def put(data, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return put


class TestFiles:
    def test_not_there_but_something_like_it(self, put):
        path = put(HEAD + "a,1,1\n", "results.csv")
        error = refused(path.with_name("result.csv"), "NF001", "does not exist", "results.csv")
        assert isinstance(error, ReadError)
        assert error.path.endswith("result.csv")

    def test_not_there_in_a_folder_that_is_not_there(self, tmp_path):
        refused(tmp_path / "no" / "x.csv", "NF001", "does not exist")

    @pytest.mark.parametrize("address", ["https://x.org/a.csv", "s3://bucket/a.parquet"])
    def test_nothing_comes_from_a_network(self, address):
        refused(address, "NF001", "remote", "download")

    @pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl", "t.parquet", "t"])
    def test_empty(self, put, name):
        refused(put("", name), "NF002", "empty")

    @pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl"])
    def test_blank(self, put, name):
        refused(put("\n\n", name), "NF002", "empty")

    @pytest.mark.parametrize(
        ("name", "text"), [("t.csv", HEAD), ("t.csv", HEAD.strip()), ("t.json", "[]")]
    )
    def test_no_rows(self, put, name, text):
        refused(put(text, name), "NF002", "no rows")

    def test_no_rows_in_parquet_or_frames(self, tmp_path):
        types = {"candidate": pl.String, "example": pl.String, "score": pl.Float64}
        frame = pl.DataFrame(schema=types)
        refused(frame, "NF002", "no rows")
        path = tmp_path / "t.parquet"
        duckdb.connect().execute(
            "COPY (SELECT 'a' AS candidate, 1 AS example, 2 AS score LIMIT 0) "
            f"TO '{path}' (FORMAT parquet)"
        )
        refused(path, "NF002", "no rows")

    def test_no_scores_at_all(self, put):
        refused(put(HEAD + "a,1,\n"), "NF002")

    def test_unsupported_formats(self, put):
        refused(put(b"PK\x03\x04\x00\x00\x00", "book.xlsx"), "NF001", "no supported format", ".csv")
        refused(put(b"\x80\x04\x95\x00\x00", "data"), "NF001", "no supported format")

    def test_a_folder_without_tables(self, put, tmp_path):
        refused(put("x", "notes.md").parent, "NF001", "notes.md", ".parquet")
        (tmp_path / "void").mkdir()
        refused(tmp_path / "void", "NF001", "empty")

    def test_utf_16(self, put):
        for name in ("t.csv", "t.json", "t"):
            refused(put((HEAD + "a,1,1\n").encode("utf-16"), name), "NF001", "UTF-16", "UTF-8")

    @pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
    def test_not_utf_8(self, put, name):
        row = {"t.csv": b"candidate,example,score\n", "t.jsonl": b""}[name]
        row += {"t.csv": b"caf\xe9,1,1\n", "t.jsonl": b'{"candidate": "caf\xe9"}\n'}[name]
        refused(put(row, name), "NF001", "not UTF-8", "0xe9")

    def test_not_utf_8_far_from_the_header(self, put):
        text = HEAD.encode() + b"a,1,1\n" * 300_000 + b"caf\xe9,1,1\n"
        refused(put(text), "NF001", "not UTF-8")

    def test_truncated_parquet(self, put):
        refused(put(b"PAR1 and then nothing", "t.parquet"), "NF001", "Parquet", "complete")
        refused(put(b"no parquet at all", "t.parquet"), "NF001", "Parquet")

    def test_parquet_with_a_hole(self, tmp_path):
        path = tmp_path / "t.parquet"
        duckdb.connect().execute(
            "COPY (SELECT 'a' AS candidate, i AS example, random() AS score FROM range(9999) r(i))"
            f" TO '{path}' (FORMAT parquet)"
        )
        data = bytearray(path.read_bytes())
        data[100:20_000] = b"\xff" * 19_900
        path.write_bytes(data)
        refused(path, "NF001", "cannot be read")

    def test_truncated_gzip_and_zstd(self, put):
        packed = gzip.compress((HEAD + "a,1,1\n" * 9999).encode())
        refused(put(packed[:-20], "t.csv.gz"), "NF001", "cannot be read")
        refused(put(packed[:-20], "t.json.gz"), "NF001", "cannot be read")
        packed = bytes(pa.compress(b'{"candidate": 1}\n' * 999, codec="zstd", asbytes=True))
        for cut in (1, 4, 9, len(packed) - 5):
            refused(put(packed[:-cut], "t.jsonl.zst"), "NF001", "its end is missing")
            refused(put(packed[:-cut], "t.csv.zst"), "NF001", "its end is missing")

    def test_zstd_that_needs_a_library(self, put, monkeypatch):
        monkeypatch.setattr(zstd, "_library", lambda: None)
        text = b'{"a": 1}\r\n{"a": 1}\n{"a": 1}\r\n'
        packed = bytes(pa.compress(text, codec="zstd", asbytes=True))
        with pytest.raises(MissingExtra, match="zstandard") as caught:
            read(put(packed, "t.jsonl.zst"))
        assert caught.value.code == "NF099"

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ('{"a": 1}\n{"a": \n', 2),
            ('{"a": 1}\n\n[1]\n', 3),
            ('[\n{"a": 1},\n{"a" 2}\n]', 3),
            ('{"a": {"b": [1,\n2', 2),
        ],
    )
    def test_broken_json(self, put, text, line):
        assert refused(put(text, "t.json"), "NF001", f"line {line}").line == line

    @pytest.mark.parametrize("text", ["[1, 2]", '"text"', '{"a":\n[1], "b": [1, 2]}', '{"a":\n{}}'])
    def test_json_that_is_no_table(self, put, text):
        refused(put(text, "t.json"), "NF001", "no table", "list of rows")

    @pytest.mark.parametrize("source", [5, None, [1, 2], [], {}, {1: "x"}, {"": "x"}, [{1: 2}]])
    def test_sources_that_are_none(self, source):
        with pytest.raises(InputError):
            read(source)


class TestText:
    @pytest.mark.parametrize("row", ["b", "b,2", "b,2,3,4"])
    def test_ragged_lines(self, put, row):
        text = f'{HEAD}"a\nx",1,1\n\n{row}\nc,1,1\n'
        error = refused(put(text), "NF001", "line 5 has", "header has 3")
        assert error.line == 5

    def test_quotes_that_do_not_close(self, put):
        refused(put(HEAD + 'a,1,1\n"b,1,1\nc,1,1\n'), "NF001", "taken apart")

    def test_repeated_header_names(self, put):
        refused(put("example,score,score\n1,2,3\n"), "NF003", "'score' more than once")

    def test_one_column(self, put):
        refused(put("example:score\n1:2\n"), "NF003", "one column", "delimiter=")

    def test_delimiters_that_could_both_be(self, put):
        refused(put("a,b;c\n1,2;3\n"), "NF001", "',' or ';'", "delimiter=")

    @pytest.mark.parametrize("how", [{"delimiter": ",,"}, {"delimiter": '"'}, {"decimal": "x"}])
    def test_options(self, put, how):
        refused(put(HEAD + "a,1,1\n"), "NF008", next(iter(how)), **how)


class TestColumns:
    def test_no_example_column(self, put):
        refused(put("model,score\na,1\n"), "NF003", "rows need an id", "'model', 'score'")

    def test_no_score_column(self, put):
        refused(put("model,item,outcome\na,1,1\n"), "NF003", "no score column", "'outcome'")
        refused(put("item,topic\n1,x\n"), "NF003", "no score column", "'topic'")

    def test_no_candidate_in_a_frame(self):
        refused(pl.DataFrame({"id": ["1"], "score": [1]}), "NF003", "candidate", "mapping")

    def test_stems_that_are_alike(self, put, tmp_path):
        (tmp_path / "x").mkdir()
        one, two = put("id,score\n1,1\n", "a.csv"), put("id,score\n1,1\n", "x/a.csv")
        refused([one, two], "NF003", "tells candidates apart")

    def test_two_metrics_could_be_the_score(self, put):
        error = refused(put("model,item,acc,loss\na,1,1,2\n"), "NF003", "'acc', 'loss'", "columns=")
        assert 'columns={"score": "acc"}' in str(error)

    def test_two_columns_of_one_alias(self, put):
        refused(put("Model,MODEL,item,score\na,b,1,1\n"), "NF003", "'Model', 'MODEL'")

    @pytest.mark.parametrize(
        "how",
        [
            {"columns": {"score": "sore"}},
            {"columns": {"candidate": ["a", "sore"]}},
            {"keep": ["sore"]},
            {"failed": "sore"},
            {"failed": "sore=1"},
            {"failed": "sore>1"},
        ],
    )
    def test_columns_that_are_not_there(self, put, how):
        refused(put("candidate,example,score,a\nx,1,1,1\n"), "NF003", "'sore'", "'example'", **how)

    @pytest.mark.parametrize("columns", [{"role": "a"}, {"score": ["a", "b"]}])
    def test_roles_that_are_none(self, put, columns):
        refused(put("candidate,example,score,a,b\nx,1,1,1,1\n"), "NF008", columns=columns)

    @pytest.mark.parametrize("metric", [None, "f1"])
    def test_several_metrics(self, put, metric):
        text = "candidate,example,score,metric\na,1,1,acc\na,2,1,acc\na,1,2,loss\n"
        words = ["'acc' \\(2 rows\\), 'loss' \\(1 row\\)", "metric="]
        refused(put(text), "NF003", *words, metric=metric)

    def test_another_metric(self, put):
        text = "candidate,example,score,metric\na,1,1,acc\n"
        refused(put(text), "NF003", "'acc'", "'f1' is not among them", metric="f1")

    def test_files_of_different_metrics_or_columns(self, put):
        a = put("example,score,metric\n1,1,acc\n", "a.csv")
        refused([a, put("example,score,metric\n1,1,loss\n", "b.csv")], "NF003", "'acc', 'loss'")
        refused([a, put("example,score,run\n1,1,x\n", "c.csv")], "NF003", "run column")

    def test_fractional_ids(self, tmp_path):
        frame = pl.DataFrame({"candidate": ["a"], "example": [7.0], "score": [1.0]})
        frame.write_parquet(tmp_path / "t.parquet")
        for source in (frame, frame.to_pandas(), tmp_path / "t.parquet"):
            refused(source, "NF003", "'example'", "7.0 or 7")
        rows = [{"candidate": "a", "example": 7.5, "score": 1}]
        refused(rows, "NF003", "7.0 or 7")

    def test_a_mapping_leaves_no_candidate_to_columns(self, put):
        path = put("model,id,score\nm,1,1\n")
        refused({"a": path}, "NF008", "'a'", columns={"candidate": "model"})
        assert read({"a": path}).candidates == ("a",)
        wide = put("id,x,y\n1,1,2\n", "w.csv")
        refused({"a": wide}, "NF003", "no score column")

    def test_text_that_is_not_unicode(self, put):
        text = '[{"candidate": "a", "example": "\\ud800", "score": 1}]'
        refused(put(text, "t.json"), "NF001", "not Unicode")

    def test_names_that_are_no_text(self):
        refused(pd.DataFrame({0: ["a"], 1: [2]}), "NF003", "column names must be text")

    def test_nested_ids(self, put):
        text = '[{"candidate": {"a": 1}, "example": 1, "score": 1}]'
        refused(put(text, "t.json"), "NF003", "'candidate'")


class TestMissingIds:
    @pytest.mark.parametrize("cell", ["", '""'])
    def test_text(self, put, cell):
        text = f"candidate,example,score\na,1,1\n\na,{cell},1\n{cell},3,1\na,{cell},1\n"
        refused(put(text), "NF007", "candidate id", "1 row \\(line 5\\)")
        other = text.replace(f"\n{cell},3", "\nb,3")
        refused(put(other), "NF007", "example id", "2 rows \\(lines 4 and 6\\)")

    def test_parquet_and_frames(self, tmp_path):
        frame = pl.DataFrame({"candidate": ["a", "a"], "example": ["1", None], "score": [1, 2]})
        frame.write_parquet(tmp_path / "t.parquet")
        frame.write_ndjson(tmp_path / "t.jsonl")
        for source in (frame, frame.to_pandas(), frame.to_arrow(), tmp_path / "t.parquet"):
            refused(source, "NF007", "example id", "row 2")
        refused(tmp_path / "t.jsonl", "NF007", "line 2")

    def test_a_guessed_cluster_can_be_switched_off(self, put):
        path = put("candidate,example,score,cluster\na,1,1,\na,2,1,x\n")
        refused(path, "NF007", 'columns=\\{"cluster": None\\}')
        assert read(path, columns={"cluster": None}).cluster is None


class TestScores:
    @pytest.mark.parametrize(
        "cell", ["N/A", "NA", "null", "None", "-", "5%", "1_000x", "0x10", "1e", "abc", "true"]
    )
    def test_text_is_no_number(self, put, cell):
        text = HEAD + f"a,1,0.5\na,q7,{cell}\n"
        error = refused(put(text), "NF004", f"q7/score is '{cell}'", "line 3", "empty cell")
        assert (error.line, error.field) == (3, "score")

    @pytest.mark.parametrize("cell", ["1_000", " 1", "1 ", "1 000", "1'000"])
    def test_blanks_and_thousands_marks(self, put, cell):
        with pytest.raises(InputError, match="line 3") as caught:
            read(put(HEAD + f"a,1,0.5\na,2,{cell}\n"))
        assert caught.value.code in {"NF004", "NF005"}

    def test_many_are_counted(self, put):
        text = HEAD + "".join(f"a,{i},x\n" for i in range(9))
        refused(put(text), "NF004", "9 score cells")

    def test_a_candidate_with_one_bad_cell_is_not_left_out(self, put):
        refused(put("item,a,b\n1,1,1\n2,1,N/A\n"), "NF004", "2/b is 'N/A'")
        rows = [{"item": "1", "a": 1, "b": 1}, {"item": "2", "a": 1, "b": "N/A"}]
        refused(rows, "NF004", "2: 'N/A'")

    def test_truth_values_beside_numbers(self, put):
        refused(put("item,a,b\n1,true,1\n2,false,0\n"), "NF004", "'true'")

    def test_text_in_frames(self, tmp_path):
        frame = pl.DataFrame({"candidate": ["a"], "example": ["q1"], "score": ["0.5"]})
        frame.write_parquet(tmp_path / "t.parquet")
        frame.write_json(tmp_path / "t.json")
        for source in (frame, frame.to_pandas(), frame.to_arrow()):
            refused(source, "NF004", "'score'", "q1: '0.5'")
        refused(tmp_path / "t.parquet", "NF004", "'score' holds text")
        refused(tmp_path / "t.json", "NF004", "q1: '0.5'")

    def test_text_among_numbers_in_json(self, put):
        text = '{"model": "a", "id": 1, "score": 1}\n{"model": "a", "id": 2, "score": "N/A"}\n'
        assert refused(put(text, "t.jsonl"), "NF004", "2: 'N/A'", "line 2", "null").line == 2

    def test_columns_to_keep_hold_numbers(self, put):
        text = "candidate,example,score,tokens\na,1,1,many\n"
        refused(put(text), "NF004", "keep=", "'tokens'", keep=["tokens"])

    def test_failures_by_size_need_numbers(self, put):
        path = put("candidate,example,score,code\na,1,1,x\n")
        refused(path, "NF004", failed="code>3", better="lower")
        refused(path, "NF008", "one number", failed="code>3,4", better="lower")


class TestMarks:
    @pytest.mark.parametrize(
        ("text", "how", "words"),
        [
            ("id;a\nf5;1.000,0\n2;0,5\n", {}, ["f5/a is '1.000,0'", "line 2", 'decimal=","']),
            ('id,a\nf5,"1,000.5"\n2,0.5\n', {}, ["f5/a is '1,000.5'"]),
            ("id;a;b\nf5;1.000.000;\n2;0,5;1\n", {}, ["1.000.000", "Empty cells.*f5/b"]),
            ("id;a\nf5;0,5\n2;0.5\n", {}, ["f5/a is '0,5'"]),
            ('id,a\nf5,"0,5"\n2,1\n', {}, ["f5/a is '0,5'"]),
            ("id;a\nf5;1,234\n2;5\n", {}, ["f5/a is '1,234'"]),
            ("id;a\nf5;1.234\n2;5\n", {}, ["f5/a is '1.234'"]),
            ("id;a\nf5;0.5\n2;5\n", {"decimal": ","}, ["f5/a is '0.5'"]),
            ("id;a\nf5;0,5\n2;5\n", {"decimal": "."}, ["f5/a is '0,5'"]),
        ],
    )
    def test_marks_that_may_mean_two_things(self, put, text, how, words):
        error = refused(put(text), "NF005", *words, "decimal=", **how)
        assert error.field == "a"


class TestRepeats:
    TEXT = "candidate,example,score\na,1,1\n\na,2,1\nb,1,1\nb,2,1\na,2,1\nb,1,\n"

    def test_text_and_parquet_name_two_rows(self, put, tmp_path):
        words = ["2 pairs: 'a'/'2', 'b'/'1'", "run or cluster"]
        refused(put(self.TEXT), "NF006", *words, "lines 4 and 7")
        pl.read_csv(self.TEXT.replace("\n\n", "\n").encode()).write_parquet(tmp_path / "t.parquet")
        refused(tmp_path / "t.parquet", "NF006", *words, "rows 2 and 5")

    def test_sparse_tables_and_frames(self):
        frame = pl.DataFrame(
            {"candidate": ["a", "b", "c", "c"], "example": [1, 2, 3, 3], "score": [1, 2, 3, 4]}
        )
        refused(frame, "NF006", "1 pair", "'c'/'3'", "rows 3 and 4")

    def test_runs_that_repeat(self, put):
        text = "candidate,example,score,run\na,1,1,x\na,1,2,y\na,1,3,y\n"
        refused(put(text), "NF006", "within one run")

    def test_wide(self, put):
        refused(put("item,a,b\n1,1,1\n1,2,\n"), "NF006", "'a'/'1', 'b'/'1'", "lines 2 and 3")

    def test_across_files(self, put):
        one, two = (put("candidate,example,score\na,1,1\n", n) for n in ("x.csv", "y.csv"))
        refused([one, two], "NF006", "x.csv line 2", "y.csv line 2")
