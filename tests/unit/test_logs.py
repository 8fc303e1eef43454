"""Logs of tools: found by content, chosen by the caller, told apart by name; also archives."""

import importlib.metadata
import io
import json
import zipfile
import zlib
from pathlib import Path

import pytest

from nofluke import read
from nofluke.cli import run
from nofluke.errors import InputError, ReadError
from nofluke.scores.readers import archives, broken_json, contents, files, recognition
from nofluke.scores.readers.heads import Head
from nofluke.scores.readers.logs import Log
from nofluke.scores.readers.workspace import Workspace

LOGS = Path(__file__).parents[1] / "contracts" / "logs"
SAMPLES = LOGS / "lm-eval-samples" / "samples_sums_2026-01-05T10-00-00.jsonl"


def sample(doc, score, *, filter_="none", metric="acc", **more):
    return {
        "doc_id": doc,
        "doc": {},
        "target": "t",
        "arguments": {},
        "resps": [["a"]],
        "filtered_resps": ["a"],
        "filter": filter_,
        "metrics": [metric],
        metric: score,
    } | more


def written(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class Toy:
    """A reader of a format that holds what it says."""

    key, title, tool, rows, folders = "toy", "toy logs", "toy", True, False

    def knows(self, head):
        return head.text.startswith("TOY\n")

    def read(self, file):
        told = json.loads(contents.text(file).removeprefix("TOY\n"))
        told.setdefault("candidate", None)
        told["bounds"] = {name: tuple(pair) for name, pair in told.get("bounds", {}).items()}
        yield Log(**told)


@pytest.fixture
def toy(monkeypatch):
    """The toy reader, known as if another package had brought it."""

    class Point:
        name, value = "toy", "toy:Toy"

        @staticmethod
        def load():
            return Toy

    points = importlib.metadata.entry_points

    def with_toy(**wanted):
        ours = wanted.get("group") == recognition.GROUP
        return [Point()] if ours else points(**wanted)

    monkeypatch.setattr(recognition.metadata, "entry_points", with_toy)
    recognition.readers.cache_clear()
    yield lambda path, **log: path.write_text("TOY\n" + json.dumps(log)) and path
    recognition.readers.cache_clear()


def test_a_log_is_known_by_its_content_under_any_name(tmp_path):
    path = tmp_path / "whatever"
    path.write_bytes(SAMPLES.read_bytes())
    scores = read(path, where={"filter": "strict-match"})
    assert scores.candidates == ("whatever",)
    assert scores.values.tolist() == [1, 0, 0, 0]
    with pytest.raises(InputError, match="is not known"):
        read(path, reader="no-such-reader")


def test_several_readings_are_refused_until_one_is_chosen():
    with pytest.raises(ReadError, match="choice among 2") as refused:
        read(SAMPLES)
    assert refused.value.code == "NF262"
    scores = read(SAMPLES, where={"filter": "flexible-extract"})
    assert len(scores.examples) == 4
    assert any(note.startswith("NF266") for note in scores.notes)
    with pytest.raises(InputError, match="there is no such filter"):
        read(SAMPLES, where={"filter": "none"})
    with pytest.raises(InputError, match="no log has 'scorer'"):
        read(SAMPLES, where={"scorer": "x"})
    with pytest.raises(InputError, match="plain table"):
        read([{"model": "a", "id": "1", "acc": 1}], where={"filter": "x"})


def test_the_digest_is_of_all_that_was_read(tmp_path):
    one = written(tmp_path / "samples_a_2026-01-05T10-00-00.jsonl", sample(0, 1), sample(1, 0))
    alone = read(one).digest
    (tmp_path / "results_2026-01-05T10-00-00.json").write_text('{"model_name": "tiny"}')
    scores = read(one)
    assert scores.candidates == ("tiny",)
    assert scores.digest != alone


def test_metrics_are_listed_and_the_usual_one_is_told(toy, tmp_path):
    two = {"example": ["1", "2"], "scores": {"f1,none": [0.5, None], "em,none": [1, 0]}}
    path = toy(tmp_path / "a", **two)
    with pytest.raises(ReadError, match=r"'em,none' \(2 scores\), 'f1,none' \(1 score\)"):
        read(path)
    assert read(path, metric="em").metric == "em,none"
    with pytest.raises(ReadError, match="metric='acc' is not among them"):
        read(path, metric="acc")
    usual = read(toy(tmp_path / "b", **two, usual="em,none"))
    assert usual.metric == "em,none"
    assert "'em,none', which toy logs leads with" in usual.notes[0]


def test_what_the_log_says_of_the_metric_holds_unless_the_caller_says_otherwise(toy, tmp_path):
    path = toy(
        tmp_path / "a",
        example=["1", "2"],
        scores={"kpi": [1, 2]},
        better={"kpi": "lower"},
        bounds={"kpi": [0, 3]},
    )
    assert (read(path).better, read(path).bounds) == ("lower", (0, 3))
    assert read(path, better="higher", bounds=(0, 9)).bounds == (0, 9)


def test_failed_rows_count_as_the_worst(toy, tmp_path):
    path = toy(
        tmp_path / "a",
        example=["1", "2", "3"],
        scores={"latency": [0.0, 0.5, None]},
        failed=[True, False, False],
        better={"latency": "lower"},
    )
    scores = read(path)
    assert scores.values.tolist() == [float("inf"), 0.5]
    assert scores.n_failed.tolist() == [1]
    assert scores.empty.tolist() == [[0, 2]]


def test_parts_qualify_ids_where_there_are_several(toy, tmp_path):
    path = toy(
        tmp_path / "a",
        example=["1", "1"],
        scores={"acc": [1, 0]},
        part=["x", "y"],
        part_word="task",
    )
    scores = read(path, columns={"group": "group"})
    assert scores.examples == ("x/1", "y/1")
    assert scores.group.names == ("x", "y")
    assert any(note.startswith("NF268") for note in scores.notes)
    one = read(path, where={"task": "y"})
    assert one.examples == ("1",)
    assert one.values.tolist() == [0]


def test_settings_tell_candidates_of_one_name_apart(toy, tmp_path):
    for name, heat in (("a", "0"), ("b", "1")):
        toy(
            tmp_path / name,
            candidate="gpt",
            example=["1"],
            scores={"acc": [1]},
            settings={"temperature": heat, "shots": "5"},
        )
    scores = read(tmp_path)
    assert scores.candidates == ("gpt (temperature=0)", "gpt (temperature=1)")
    assert any(note.startswith("NF267") for note in scores.notes)


def test_the_same_item_twice_is_refused_until_named(toy, tmp_path, capsys):
    for name in ("a", "b"):
        toy(tmp_path / name, candidate="gpt", example=["1", "2"], scores={"acc": [1, 0]})
    with pytest.raises(InputError, match="both hold example '1' of 'gpt'") as refused:
        read(tmp_path)
    assert refused.value.code == "NF263"
    assert read({"old": tmp_path / "a", "new": tmp_path / "b"}).candidates == ("new", "old")
    words = [f"old={tmp_path / 'a'}", f"new={tmp_path / 'b'}"]
    assert run(["compare", *words, "--metric", "acc", "--binary", "--quiet"]) == 0
    assert "new" in capsys.readouterr().out
    assert run(["compare", words[0], str(tmp_path / "b")]) == 2
    assert "some sources have a name" in capsys.readouterr().err


def test_one_name_for_several_candidates_is_refused(toy, tmp_path):
    path = toy(tmp_path / "a", candidate=["x", "y"], example=["1", "1"], scores={"acc": [1, 0]})
    assert read(path).candidates == ("x", "y")
    with pytest.raises(ReadError, match="was given the one name"):
        read({"mine": path})
    assert read({"mine": path}, where={"candidate": "y"}).candidates == ("mine",)


def test_a_folder_is_searched_and_says_what_it_did_not_read(tmp_path):
    for model in ("one", "two"):
        written(tmp_path / "deep" / model / "samples.jsonl", sample(0, 1), sample(1, 0))
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / ".hidden.jsonl").write_text("{")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(InputError, match="both hold example"):
        read(tmp_path)
    scores = read({"one": tmp_path / "deep" / "one", "two": tmp_path / "deep" / "two"})
    assert scores.candidates == ("one", "two")
    (tmp_path / "deep" / "two" / "samples.jsonl").unlink()
    (told,) = [note for note in read(tmp_path).notes if note.startswith("NF269")]
    assert "notes.txt" in told
    assert "hidden" not in told


def test_a_folder_of_plain_tables_is_read_as_before(tmp_path):
    (tmp_path / "a.csv").write_text("id,acc\n1,1\n2,0\n")
    (tmp_path / "b.csv").write_text("id,acc\n1,0\n2,0\n")
    assert read(tmp_path).candidates == ("a", "b")


def test_links_that_lead_round_are_not_followed(tmp_path):
    written(tmp_path / "logs" / "samples.jsonl", sample(0, 1), sample(1, 0))
    (tmp_path / "logs" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert len(read(tmp_path).examples) == 2


def test_a_log_that_is_cut_off_is_refused_with_its_line(tmp_path):
    path = written(tmp_path / "samples.jsonl", sample(0, 1), sample(1, 0))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ReadError, match="line 2 is not JSON") as refused:
        read(path)
    assert refused.value.line == 2


def test_a_broken_log_among_others_is_refused_with_a_way_on(tmp_path, capsys):
    written(tmp_path / "a.jsonl", sample(0, 1), sample(1, 0))
    (tmp_path / "b.jsonl").write_text(json.dumps(sample(0, 1)) + '\n{"doc_id": 1, "fil')

    with pytest.raises(ReadError, match="b.jsonl.*not JSON.*name the other files") as caught:
        read(tmp_path)
    assert caught.value.line == 2
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "b.jsonl")
    assert "other files" not in str(caught.value)


def test_numbers_that_c_writes_for_no_number(tmp_path):
    with Workspace() as space:
        path = tmp_path / "x.txt"
        path.write_text("x")
        (file,) = files.find(path, space)
        assert [contents.numeral(w, file, "cell") for w in ("-nan", "NaN", " ", "1.5")] == [
            None,
            None,
            None,
            1.5,
        ]
        for wrong in ("1_0", "x", "1,5"):
            with pytest.raises(ReadError, match="a number was expected"):
                contents.numeral(wrong, file, "cell")


@pytest.mark.parametrize("deep", [10_000, 200_000])
def test_deep_json_is_an_error_and_no_crash(tmp_path, deep):
    path = tmp_path / "samples.jsonl"
    head = json.dumps(sample(0, 1))[:-1]
    path.write_text(f'{head}, "more": {"[" * deep}{"]" * deep}}}\n')
    with pytest.raises(InputError):
        read(path)


def test_a_brought_reader_that_is_none_is_named(monkeypatch):
    class Point:
        name, value = "broken", "pkg:thing"

        @staticmethod
        def load():
            return object()

    monkeypatch.setattr(recognition.metadata, "entry_points", lambda *, group: [Point()])
    recognition.readers.cache_clear()
    with pytest.raises(InputError, match="'broken'.*is no reader"):
        recognition.readers()
    monkeypatch.undo()
    recognition.readers.cache_clear()


def test_two_readers_that_know_one_file_are_named(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(Toy, "knows", lambda self, head: "doc_id" in head.keys)
    with pytest.raises(ReadError, match="'toy', 'lm-eval-samples'"):
        read(SAMPLES)


def test_columns_of_unequal_length_are_no_log():
    with pytest.raises(ValueError, match="other lengths than 1"):
        Log(candidate="a", example=["1"], scores={"acc": [1, 2]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": {"b": "c', {"a": {"b": None}}),
        ('{"a": tru', {"a": None}),
        ('{"a": NaN, "b"', None),
        ("[1, 2]", [1, 2]),
        ("{]", None),
        ("[" * 100, None),
        ("", None),
    ],
)
def test_json_that_breaks_off(text, value):
    found = broken_json.beginning(text)
    if "NaN" in text:
        assert list(found) == ["a"]
    else:
        assert found == value


def zipped(path, members, *, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def opened():
    with Workspace() as space:
        yield lambda path: files.told(path, str(path), space)


def test_members_of_an_archive(tmp_path, opened):
    path = zipped(tmp_path / "a.zip", {"x.json": b"{}", "../../evil": b"1"})
    with archives.opened(opened(path)) as archive:
        assert archive.names == ["../../evil", "x.json"]
        assert archive.read("x.json") == b"{}"
        assert archive.read("../../evil") == b"1"  # as bytes: nothing is written anywhere
        with pytest.raises(ReadError, match="no member 'y'"):
            archive.read("y")
    assert not (tmp_path.parent.parent / "evil").exists()


def test_a_member_packed_with_zstd(tmp_path, opened):
    zstandard = pytest.importorskip("zstandard")
    data = b'{"a": 1}\n' * 100
    packed = zstandard.compress(data)
    name = b"a.json"
    fields = (20, 0, 93, 0, 0, zlib.crc32(data), len(packed), len(data), len(name))
    raw = io.BytesIO()
    import struct

    raw.write(struct.pack("<4s5H3I2H", b"PK\3\4", *fields, 0) + name + packed)
    at = raw.tell()
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, *fields, 0, 0, 0, 0, 0, 0) + name
    raw.write(entry)
    raw.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(entry), at, 0))
    path = tmp_path / "a.zip"
    path.write_bytes(raw.getvalue())
    with archives.opened(opened(path)) as archive:
        assert archive.read("a.json") == data
        with pytest.raises(ReadError, match="larger than"):
            archive.read("a.json", most=10)
    broken = bytearray(raw.getvalue())
    broken[60] ^= 0xFF
    path.write_bytes(bytes(broken))
    with archives.opened(opened(path)) as archive, pytest.raises(ReadError, match="unpacked"):
        archive.read("a.json")


def test_a_bomb_is_stopped_at_the_limit_whatever_it_says_of_itself(tmp_path, opened):
    path = zipped(tmp_path / "bomb.zip", {"x": b"0" * (1 << 22)})
    with archives.opened(opened(path)) as archive, pytest.raises(ReadError, match="larger than"):
        archive.read("x", most=1 << 20)


def test_a_broken_archive(tmp_path, opened):
    path = zipped(tmp_path / "a.zip", {"x": b"1" * 1000})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ReadError, match="broken archive"), archives.opened(opened(path)):
        pass
    assert Head(path, path.read_bytes()).members == frozenset()


def test_a_document_beyond_the_limit_is_refused(tmp_path, opened):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(["x" * 100] * 100))
    with pytest.raises(ReadError, match="more than"):
        contents.document(opened(path), most=1000)


def test_cells_of_a_table(tmp_path, opened):
    path = tmp_path / "a.csv"
    path.write_text('\ufeffa,b\n1,"x\ny"\n2,z\n')
    assert list(contents.cells(opened(path))) == [{"a": "1", "b": "x\ny"}, {"a": "2", "b": "z"}]
    for text, why in [("a,b\n1\n", "has 1 cells"), ("a,a\n1,2\n", "twice")]:
        path.write_text(text)
        with pytest.raises(ReadError, match=why):
            list(contents.cells(opened(path)))
    path.write_text(",".join(f"c{i}" for i in range(100_001)) + "\n")
    with pytest.raises(ReadError, match="100001 columns"):
        list(contents.cells(opened(path)))


@pytest.mark.parametrize(
    ("value", "number"), [(1, 1), (True, True), ("N/A", None), (float("nan"), None), (None, None)]
)
def test_numbers_of_logs(tmp_path, opened, value, number):
    path = tmp_path / "a"
    path.write_text("x")
    assert contents.number(value, opened(path), "score") == number
    with pytest.raises(ReadError, match="score is 'high'"):
        contents.number("high", opened(path), "score")


FILES = [p for p in sorted(LOGS.rglob("*")) if p.is_file() and p.stat().st_size < 20_000]


@pytest.mark.parametrize(
    "reader", [r for r in recognition.readers() if not r.folders], ids=lambda r: r.key
)
def test_a_reader_that_is_named_for_another_format_says_so(reader):
    for path in FILES[:: len(FILES) // 25]:
        try:
            read(path, reader=reader.key, better="higher")
        except InputError:
            continue


def test_the_reader_and_the_way_on_are_named(tmp_path):
    path = tmp_path / "any.csv"
    path.write_text("id,score\n1,2\n")
    with pytest.raises(ReadError, match="cannot be read as fev .*Leave out reader=") as refused:
        read(path, reader="fev")
    assert refused.value.code == "NF261"
