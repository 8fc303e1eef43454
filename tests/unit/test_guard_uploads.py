"""What strangers hand in: read exactly, or refused within limits and without telling a label."""

import gzip
import io
import json
import sys
import tarfile
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nofluke.errors import InputError
from nofluke.guard import columns, holdouts, metrics, uploads

IDS = ["007", "7", "a b", "é", "x,y", 'q"q']
LABELS = ["1", "0", "1", "0", "1", "0"]


def holdout(ids=IDS, labels=LABELS, metric="accuracy", **more):
    return holdouts.of_texts(ids, labels, metric=metrics.METRICS[metric], **more)


HIDDEN = holdout()


def read(tmp_path, content, name="mine.csv", hidden=HIDDEN, kind="label"):
    path = tmp_path / name
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return uploads.read(path, hidden, kind=kind)


def refused(tmp_path, content, match, code="NF079", **more):
    with pytest.raises(InputError, match=match) as caught:
        read(tmp_path, content, **more)
    assert caught.value.code == code
    return str(caught.value)


CSV = 'id,prediction\n007,1\n7,0\na b,1\né,0\n"x,y",1\n"q""q",0\n'
ROWS = list(zip(IDS, [1, 0, 1, 0, 1, 0], strict=True))


class TestFormats:
    def test_every_format_and_order_says_the_same(self, tmp_path):
        expected = read(tmp_path, CSV)
        lines = CSV.splitlines(keepends=True)
        written = {
            "bom.csv": "\ufeff" + CSV,
            "crlf.csv": CSV.replace("\n", "\r\n"),
            "old-mac.csv": CSV.replace("\n", "\r"),
            "no-end.csv": CSV.rstrip("\n"),
            "blank-lines.csv": CSV.replace("\n", "\n\n"),
            "quoted.csv": '"id","prediction"\n' + "".join(lines[1:]),
            "backwards.csv": "".join([lines[0], *reversed(lines[1:])]),
            "columns.csv": "prediction,id\n"
            + "".join(f'{p},"{i}"\n'.replace('"q"q"', '"q""q"') for i, p in ROWS),
            "mine.tsv": "id\tprediction\n"
            + "".join(f'"{i}"\t{p}\n'.replace('"q"q"', '"q""q"') for i, p in ROWS),
            "mine.jsonl": "".join(json.dumps({"id": i, "prediction": p}) + "\n" for i, p in ROWS),
            "texts.jsonl": "".join(
                json.dumps({"prediction": f"{p}.0", "id": i}) + "\n\n" for i, p in ROWS
            ),
            "semicolon.csv": "id;prediction\n"
            + "".join(f'"{i}";{p}\n'.replace('"q"q"', '"q""q"') for i, p in ROWS),
        }
        for name, text in written.items():
            found = read(tmp_path, text, name)
            assert found.digest == expected.digest, name
        for name, kind in (("f", pa.float64()), ("i", pa.int8()), ("s", pa.string())):
            values = pa.array([str(p) if name == "s" else p for _, p in ROWS], kind)
            table = pa.table({"id": IDS, "prediction": values})
            assert read(tmp_path, table, f"{name}.parquet").digest == expected.digest

    def test_the_owners_name_of_the_column_serves_too(self, tmp_path):
        hidden = holdout(["1", "2"], ["0", "1"], id="patient")
        for column in ("patient", "id"):
            text = f"{column},prediction\n2,1\n1,1\n"
            assert read(tmp_path, text, hidden=hidden).values.tolist() == [0, 0]

    def test_integers_beyond_floats_keep_their_digits(self, tmp_path):
        ids = ["9007199254740992", "9007199254740993"]
        hidden = holdout(ids, ["0", "1"])
        found = read(
            tmp_path,
            "".join(f'{{"id": {i}, "prediction": {p}}}\n' for i, p in zip(ids, "01", strict=True)),
            "a.jsonl",
            hidden,
        )
        assert found.coded(hidden).tolist() == [0.0, 1.0]
        table = pa.table({"id": pa.array([int(i) for i in ids]), "prediction": [0, 1]})
        assert read(tmp_path, table, "a.parquet", hidden).digest == found.digest

    def test_bytes_come_back(self, tmp_path):
        for kind, text in (("label", CSV), ("number", CSV)):
            found = read(tmp_path, text, kind=kind)
            again = uploads.Predictions.from_bytes(found.to_bytes())
            assert (again.digest, again.said, again.kind) == (found.digest, found.said, kind)
            assert np.array_equal(again.values, found.values)
        for broken in (b"", b"abc", found.to_bytes()[:-3]):
            with pytest.raises(InputError, match="no predictions"):
                uploads.Predictions.from_bytes(broken)


class TestRowsThatDoNotFit:
    def test_ids_are_exactly_those_asked_for(self, tmp_path):
        refused(tmp_path, CSV.replace("007,1\n", ""), r"no row for 1 of 6 ids, such as '007'")
        refused(tmp_path, "id,prediction\n", r"no row for 6 of 6 ids, such as '[^']+', '[^']+', ")
        refused(tmp_path, CSV.replace("007,1", "7,1"), "has id '7' twice")
        for wrong in ("07", " 007", "7.0", "E", "e\u0301"):
            told = refused(tmp_path, CSV.replace("007,", f"{wrong},"), "an id that nobody asked")
            assert ascii(wrong) in told
        refused(tmp_path, CSV + "extra,1\n", "more than 6 rows", code="NF078")

    def test_a_row_twice_is_found_across_chunks(self, tmp_path, monkeypatch):
        monkeypatch.setattr(columns, "CHUNK", 2)
        assert read(tmp_path, CSV).digest
        refused(tmp_path, CSV.replace("é,0", "7,0"), "has id '7' twice")

    @pytest.mark.parametrize(
        "value", ["nan", "inf", "-inf", "1e400", "1_0", "", "x", "0,5", "١", "0x1"]
    )
    def test_numbers_are_finite_and_plain(self, tmp_path, value):
        text = CSV.replace("7,0\n", f'7,"{value}"\n', 1).replace("007,1", f'007,"{value}"')
        refused(tmp_path, text, "no finite number", kind="number")

    def test_numbers_of_a_million_digits_cost_nothing(self, tmp_path):
        limit = sys.get_int_max_str_digits()
        for digits in (limit + 1, 10**6):
            match = "no finite number" if digits < columns.MOST_LINE else "line of more than"
            code = "NF079" if digits < columns.MOST_LINE else "NF078"
            text = CSV.replace("007,1", f"007,{'9' * digits}")
            refused(tmp_path, text, match, kind="number", code=code)
            line = f'{{"id": "007", "prediction": {"9" * digits}}}\n'
            rest = "".join(json.dumps({"id": i, "prediction": p}) + "\n" for i, p in ROWS[1:])
            refused(tmp_path, line + rest, match, name="a.jsonl", kind="number", code=code)

    def test_probabilities_go_from_0_to_1(self, tmp_path):
        for value in ("1.0000001", "-1e-300"):
            text = CSV.replace("007,1", f"007,{value}")
            refused(
                tmp_path, text, "1 id, such as '007', what is no probability", kind="probability"
            )
        assert read(tmp_path, CSV.replace("007,1", "007,-0.0"), kind="probability").values[0] == 0

    def test_labels_are_those_of_the_board(self, tmp_path):
        told = refused(tmp_path, CSV.replace("007,1", "007,unheard-of"), "1 id, such as '007'")
        assert "unheard-of" not in told
        assert (
            read(tmp_path, CSV.replace("007,1", "007, 1.0 ")).digest == read(tmp_path, CSV).digest
        )


class TestFilesThatAreNone:
    @pytest.mark.parametrize("pack", ["zip", "gzip", "tar", "zstd", "xlsx"])
    @pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a"])
    def test_nothing_is_unpacked(self, tmp_path, pack, name):
        target = io.BytesIO()
        if pack in ("zip", "xlsx"):
            with zipfile.ZipFile(target, "w") as archive:
                archive.writestr("../../a.csv", CSV)
        elif pack == "tar":
            with tarfile.open(fileobj=target, mode="w") as archive:
                info = tarfile.TarInfo("../a.csv")
                info.size = len(CSV.encode())
                archive.addfile(info, io.BytesIO(CSV.encode()))
        else:
            target.write(
                gzip.compress(CSV.encode()) if pack == "gzip" else b"(\xb5/\xfd" + b"x" * 99
            )
        refused(tmp_path, target.getvalue(), "nothing is unpacked", name=name, code="NF078")

    @pytest.mark.parametrize(
        ("content", "match"),
        [
            (b"", "is empty"),
            ("\ufeff".encode(), "no column 'id'"),
            (b"\n\n", "no column 'id'"),
            (CSV.encode("utf-16"), "not UTF-8"),
            (CSV.encode("latin-1"), "not UTF-8"),
            (b"id,prediction\n\xed\xa0\x80,1\n", "not UTF-8"),
            (b"id,prediction\n" + b"a" * 600 + b"\x00b,1\n", "character in column 'id' of row 1"),
            (b"id,prediction\na\x00b,1\n", "not UTF-8 text"),
            (b"id,prediction\n" + b"a" * (1 << 20) + b",1\n", "line of more than"),
            (b'id,prediction\n"' + b"a\n" * (1 << 20), "is not CSV|line of more"),
            (b"id,prediction" + b",x" * 10**6 + b"\n", "line of more than"),
            (b"id,prediction" + b",x" * 20_000 + b"\n", "20,002 columns"),
            (b"id,prediction,label\n", "1 column beside 'id', 'prediction'"),
            (b"id,id,prediction\n", "two columns of one name"),
            (b"id,prediction\n7,1,2\n", "3 cells in row 1 and 2 in its first line"),
            (b'id,prediction\n"7"x,1\n', "is not CSV"),
            (b"example,score\n7,1\n", "no column 'id'"),
            (b"%PDF-1.7 and so on", "is PDF"),
        ],
    )
    def test_broken_tables(self, tmp_path, content, match):
        refused(tmp_path, content, match, code="NF078")

    @pytest.mark.parametrize(
        ("line", "match"),
        [
            ("[" * 10**5, "line of more|is no object"),
            ("[" * 10**4, "is no object"),
            ('{"id":' * 10**4, "is no object"),
            (
                '{"id": "7", "prediction": ' + "[" * 30_000 + "]" * 30_000 + "}",
                "no number and no text|is no object",
            ),
            ('{"id": "7", "prediction": NaN}', "is no object"),
            ('{"id": "7", "prediction": Infinity}', "is no object"),
            ('{"id": "7", "prediction": null}', "nothing in the field 'prediction' of line 1"),
            ('{"id": "7", "prediction": {"a": 1}}', "no number and no text"),
            ('{"id": "7", "id": "8", "prediction": 1}', "a field twice in line 1"),
            ('{"id": "7"}', "no column 'prediction'"),
            ('{"id": "7", "prediction": 1, "x": 1}', "1 column beside"),
            ('{"id": "7", "score": 1}', "no field 'prediction'"),
            ('{"id": "\\ud800", "prediction": 1}', "broken text|character|is no object"),
            ('{"id": "\\u0000", "prediction": 1}', "character in column 'id'"),
            ("7", "is not JSONL"),
        ],
    )
    def test_broken_lines(self, tmp_path, line, match):
        for code in ("NF078",):
            refused(
                tmp_path,
                line + "\n",
                match,
                name="a.jsonl" if line[0] in "{[" else "a.json",
                code=code,
            )

    def test_what_is_not_there_cannot_be_opened(self, tmp_path):
        for path in (tmp_path, tmp_path / "none.csv"):
            with pytest.raises(InputError, match="cannot be opened") as caught:
                uploads.read(path, HIDDEN, kind="label")
            assert caught.value.code == "NF078"
            assert str(tmp_path) not in str(caught.value)

    def test_names_and_contents_belong_together(self, tmp_path):
        table = pa.table({"id": IDS, "prediction": [1] * 6})
        refused(tmp_path, table, "is named .csv and is not CSV", code="NF078")
        refused(tmp_path, CSV, "is named .parquet and is not", name="a.parquet", code="NF078")
        refused(tmp_path, CSV, "is named .jsonl and is not", name="a.jsonl", code="NF078")
        assert read(tmp_path, table, "a").values.size == 6


class TestParquet:
    def test_what_is_not_flat_or_not_there(self, tmp_path):
        nested = pa.table({"id": IDS, "prediction": [[1]] * 6})
        times = pa.table({"id": IDS, "prediction": pa.array([0] * 6, pa.timestamp("s"))})
        for table in (nested, times):
            refused(
                tmp_path, table, "no numbers or texts in column", name="a.parquet", code="NF078"
            )
        empty = pa.table({"id": IDS, "prediction": [1, None, 1, 0, 1, 0]})
        refused(tmp_path, empty, "1 empty cell in column", name="a.parquet", code="NF078")
        extra = pa.table({"id": IDS, "prediction": [1] * 6, "x": IDS})
        refused(tmp_path, extra, "1 column beside", name="a.parquet", code="NF078")
        many = pa.table({f"c{i}": [1] for i in range(2000)})
        refused(tmp_path, many, "2,000 columns", name="a.parquet", code="NF078")

    def test_claims_and_bombs_are_refused_before_they_are_expanded(self, tmp_path):
        long = pa.table({"id": IDS, "prediction": ["x" * 10**6] * 6})
        refused(tmp_path, long, "a cell of more than", name="a.parquet", code="NF078")
        rows = pa.table({"id": ["7"] * 10**6, "prediction": [1] * 10**6})
        refused(tmp_path, rows, "more than 6 rows", name="a.parquet", code="NF078")
        ids = [f"r{i}" for i in range(6000)]
        many = holdout(ids, ["0", "1"] * 3000)
        bomb = pa.table(
            {"id": ids, "prediction": pa.array(["y" * 60_000] * 6000).dictionary_encode()}
        )
        refused(tmp_path, bomb, "MiB of text", name="a.parquet", hidden=many, code="NF078")

    def test_a_footer_that_lies_is_refused(self, tmp_path):
        good = tmp_path / "good.parquet"
        pq.write_table(pa.table({"id": IDS, "prediction": [1] * 6}), good)
        data = good.read_bytes()
        for broken in (
            b"PAR1",
            data[: len(data) // 2],
            data[:-8] + b"\xff\xff\xff\x7fPAR1",
            b"PAR1" + b"\x00" * 100 + b"PAR1",
        ):
            refused(tmp_path, broken, "cannot be read as Parquet", name="a.parquet", code="NF078")

    @pytest.mark.slow
    def test_flipped_bytes_never_hurt(self, tmp_path):
        good = tmp_path / "good.parquet"
        pq.write_table(pa.table({"id": IDS, "prediction": [1, 0, 1, 0, 1, 0]}), good)
        data = bytearray(good.read_bytes())
        rng = np.random.default_rng(1)
        for _ in range(60):
            flipped = data.copy()
            for at in rng.integers(4, len(data), size=3):
                flipped[at] = rng.integers(256)
            try:
                found = read(tmp_path, bytes(flipped), "a.parquet")
            except InputError as error:
                assert error.code in ("NF078", "NF079")  # noqa: PT017
            else:
                assert found.values.size == 6
