"""Whatever bytes arrive, a reader reads the whole or refuses with a message, in bounded time."""

import csv
import gzip
import io
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nofluke import Scores, read
from nofluke.errors import NoflukeError, ReadError
from nofluke.scores.readers import archives, files, heads, log_folders, recognition
from nofluke.scores.readers.workspace import Workspace

LOGS = Path(__file__).parents[1] / "contracts" / "logs"
FIXTURES = sorted(p for p in LOGS.rglob("*") if p.is_file())
# Whole logs that are JSON or CSV; others are databases and archives, or lie in a folder.
TEXTS = [p for p in FIXTURES if p.suffix in {".json", ".jsonl", ".csv"} and p.parent.parent == LOGS]
READERS = [reader for reader in recognition.readers() if not reader.folders]
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
PIECES = [b"[" * 500, b'"', b"\\", b"\0", b"\xff", b"NaN", b"1e999", b"9" * 400, b"\n", b"null"]


@st.composite
def broken(draw):
    """A fixture that was cut, flipped, spliced with another, or stuffed."""
    data = draw(st.sampled_from(FIXTURES)).read_bytes()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(["cut", "flip", "splice", "stuff", "twice"]))
        if kind == "cut":
            data = data[:at]
        elif kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << draw(st.integers(0, 7))]) + data[at + 1 :]
        elif kind == "splice":
            other = draw(st.sampled_from(FIXTURES)).read_bytes()
            data = data[:at] + other[draw(st.integers(0, len(other))) :]
        elif kind == "stuff":
            data = data[:at] + draw(st.sampled_from(PIECES)) + data[at:]
        else:
            data = data[:at] + data[: at + 64] + data[at:]
    return data


def answer(data, reader=None):
    """What becomes of bytes as a file: scores, or the error of ours that refuses them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(data)
        try:
            return read(path, reader=None if reader is None else reader.key)
        except NoflukeError as error:
            return error


def refused(found):
    """Whether it was refused, with words and a code."""
    return isinstance(found, NoflukeError) and found.code.startswith("NF") and bool(str(found))


def read_or_refused(data, reader=None):
    """Whether bytes are read, or refused with words and a code; whatever else is raised passes."""
    found = answer(data, reader)
    return isinstance(found, Scores) or refused(found)


@FEW
@given(broken())
def test_broken_logs_are_read_or_refused(data):
    assert read_or_refused(data)


@FEW
@given(broken(), st.sampled_from(READERS))
def test_a_reader_that_is_named_meets_anything(data, reader):
    """`--reader` hands a reader files that it would never have claimed."""
    assert read_or_refused(data, reader)


@FEW
@given(st.binary(max_size=400), st.sampled_from([b"", b"PK\3\4", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"]))
def test_any_bytes_are_read_or_refused(data, magic):
    assert read_or_refused(magic + data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "results",
                    "prompts",
                    "promptIdx",
                    "testIdx",
                    "testCases",
                    "name",
                    "metricsData",
                    "score",
                    "scores",
                    "test",
                    "task_name",
                    "dataset_revision",
                    "mteb_version",
                    "instruction",
                    "generator_2",
                    "preference",
                    "model_a",
                    "model_b",
                    "winner",
                    "user_input",
                    "response",
                    "faithfulness",
                    "columns",
                    "data",
                    "doc_id",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@FEW
@given(JSON, st.sampled_from(READERS))
def test_any_json_of_known_names_is_read_or_refused(value, reader):
    assert read_or_refused(json.dumps(value).encode(), reader)


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(["gzip", "none"]), st.booleans())
def test_a_packed_log_reads_as_the_plain_one(path, packing, mark):
    """Packing and a byte order mark change nothing."""
    data = path.read_bytes()
    marked = b"\xef\xbb\xbf" + data if mark else data
    other = gzip.compress(marked) if packing == "gzip" else marked

    def logs(written):
        with tempfile.TemporaryDirectory() as folder, Workspace() as space:
            copy = Path(folder) / "run" / path.name  # some are named by their folder
            copy.parent.mkdir()
            copy.write_bytes(written)
            file = files.told(copy, "log", space)
            return [repr(log) for log in recognition.of_file(file).read(file)]

    assert logs(data) == logs(other)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_gzip_that_was_cut_is_never_half_read(data):
    packed = gzip.compress(FIXTURES[0].read_bytes() * 3)
    cut = data.draw(st.integers(2, len(packed) - 1))
    assert refused(answer(packed[:cut]))


# --- archives


def zipped(members, *, method=zipfile.ZIP_DEFLATED):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return held.getvalue()


def opened(data, tmp_path, ask):
    path = tmp_path / "log.zip"
    path.write_bytes(data)
    with Workspace() as space:
        file = files.told(path, str(path), space)
        with archives.opened(file) as archive:
            return ask(archive)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    bomb = zipped([("header.json", b"\0" * (1 << 26))])
    assert len(bomb) < 1 << 17
    with pytest.raises(ReadError, match="larger than 1 MiB"):
        opened(bomb, tmp_path, lambda archive: archive.read("header.json", most=1 << 20))


def test_a_member_that_lies_about_its_size_is_refused(tmp_path):
    data = bytearray(zipped([("a", b"x" * 5000)]))
    at = data.rindex(b"PK\1\2") + 24  # its length in the directory
    data[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ReadError, match="cannot be unpacked"):
        opened(bytes(data), tmp_path, lambda archive: archive.read("a"))


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "C:\\evil", "a/../../evil", "nul\0x"])
def test_names_of_members_lead_nowhere(tmp_path, name):
    def ask(archive):
        return [archive.read(member) for member in archive.names]

    assert opened(zipped([(name, b"1")]), tmp_path, ask) == [b"1"]
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["log.zip"]


def test_an_archive_within_an_archive_stays_bytes(tmp_path):
    inner = zipped([("deep", b"\0" * 1000)])
    assert opened(zipped([("a.zip", inner)]), tmp_path, lambda a: a.read("a.zip")) == inner


def test_many_members_take_no_time(tmp_path):
    data = zipped(((f"{i}.json", b"") for i in range(20_000)), method=zipfile.ZIP_STORED)
    started = time.perf_counter()
    assert len(opened(data, tmp_path, lambda archive: archive.names)) == 20_000
    path = tmp_path / "log.zip"
    assert len(heads.Head(path, data[:100]).members) == 20_000
    assert time.perf_counter() - started < 5


def test_a_link_that_leads_back_ends(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "back").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "log.jsonl").write_bytes(FIXTURES[0].read_bytes())
    with Workspace() as space:
        assert len(log_folders.logs(tmp_path, space).logs) == 1


# --- what is too much: each in a process of its own, so that its memory can be told


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def wide_csv(n):
    held = io.StringIO()
    names = ["model_a", "model_b", "winner", *(f"c{i}" for i in range(n))]
    csv.writer(held).writerows([names, ["x", "y", "a", *"1" * n]])
    return held.getvalue().encode()


SAMPLE = {"doc_id": 0, "doc": {}, "arguments": {}, "resps": []}
DOCUMENT = b'{"testRunData": {"testCases": [{"name": "a", "turns": []}], "x": "'
TOO_MUCH = {
    "deep list": lambda: b"[" * 10**6,
    "deep object": lambda: b'{"a":' * 10**6,
    "deep and whole": lambda: b'{"testRunData":' + b"[" * 10**5 + b"]" * 10**5 + b"}",
    "many columns of CSV": lambda: wide_csv(10**6),
    "many keys of a sample": lambda: lines(SAMPLE | {f"k{i}": 1 for i in range(200_000)}),
    "many keys of a row": lambda: lines(
        {"id": 0, "score": 1} | {f"k{i}": 1 for i in range(150000)}
    ),
    "a new key in each row": lambda: lines(*({"id": i, f"k{i}": 1} for i in range(20_000))),
    "a new metric in each row": lambda: lines(
        *(SAMPLE | {"doc_id": i, "metrics": [f"m{i}"], f"m{i}": 1} for i in range(20_000))
    ),
    "columns of one name": lambda: b"id," + b"c," * 10**5 + b"c\nx\n",
    "integer beyond numbers": lambda: lines(SAMPLE | {"metrics": ["m"], "m": 10**400}),
    "field twice": lambda: b'{"id": 0, "model": "a", "score": 1, "score": 0}\n',
    "UTF-16": lambda: '[{"user_input": "a"}]'.encode("utf-16"),
    "no UTF-8": lambda: b'[{"user_input": "\xff", "response": "b", "faithfulness": 1}]',
    "text that is none": lambda: b'[{"user_input":"\\ud800","response":"a","faithfulness":1}]',
    "gzip that swells": lambda: gzip.compress(DOCUMENT + b"x" * (280 << 20), 1),
    "commas": lambda: b'{"results":[' + b"," * 10**6 + b"]}",
    "backslashes": lambda: b'{"a":"' + b"\\" * 65000,
}
READ = """
import resource, sys, time
from nofluke import read
from nofluke.errors import NoflukeError
read([{"candidate": "a", "example": "1", "score": 1}])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.perf_counter()
try:
    read(sys.argv[1])
    said = "read"
except NoflukeError as error:
    said = error.code
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(said, time.perf_counter() - started, used >> 10)
"""


@pytest.mark.parametrize("name", TOO_MUCH)
def test_too_much_is_refused_in_bounded_time_and_memory(name, tmp_path):
    path = tmp_path / "log"
    path.write_bytes(TOO_MUCH[name]())
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said, seconds, mebibytes = done.stdout.split()
    assert said.startswith("NF"), name
    assert float(seconds) < 20  # 5 on a machine of its own; this one is shared
    assert int(mebibytes) < 700


def test_many_rows_take_time_as_their_number(tmp_path):
    """Twenty thousand samples are no more than seconds: nothing in the way is quadratic."""
    path = tmp_path / "log"
    path.write_bytes(
        lines(*(SAMPLE | {"doc_id": i, "metrics": ["m"], "m": 1} for i in range(20_000)))
    )
    started = time.perf_counter()
    assert len(read(path).examples) == 20_000
    assert time.perf_counter() - started < 10


def test_a_long_document_in_a_cell_is_read(tmp_path):
    """Contexts of a retrieval are longer than the usual limit of a cell."""
    path = tmp_path / "log.csv"
    path.write_text("user_input,response,faithfulness\n" + "q" * 200_000 + ",a,0.5\n")
    assert read(path).values.tolist() == [0.5]
    assert csv.field_size_limit() == 131072


def test_what_is_packed_tightly_and_small_is_read(tmp_path):
    """Repetitive scores pack well, and are no bomb."""
    rows = b"candidate,example,score\n" + b"".join(b"a,%d,1\n" % i for i in range(5000))
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(rows + b"\n" * 10**6))
    assert len(read(path, better="higher").examples) == 5000
