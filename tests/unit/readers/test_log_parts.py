"""What readers of logs share: typed documents, members of archives, what is told of one metric."""

import zipfile

import msgspec
import pytest

from nofluke.errors import InputError
from nofluke.scores.readers import archives, contents, files, zstd
from nofluke.scores.readers.workspace import Workspace

zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed")


class Row(msgspec.Struct):
    score: float
    name: str = ""


@pytest.fixture
def space():
    with Workspace() as found:
        yield found


@pytest.fixture
def put(tmp_path, space):
    def write(data, name="log.json"):
        path = tmp_path / name
        path.write_bytes(data)
        return files.told(path, str(path), space)

    return write


class TestTyped:
    def test_other_fields_are_passed_over(self, put):
        file = put(b'{"score": 1, "long": [1, 2, {"a": 3}]}')

        assert contents.typed(contents.text(file), Row, file) == Row(1.0)

    def test_bare_nan_is_read(self, put):
        file = put(b'[{"score": NaN}, {"score": 2}]')
        first, second = contents.typed(contents.text(file), list[Row], file)

        assert first.score != first.score
        assert second.score == 2

    @pytest.mark.parametrize(
        ("text", "why"),
        [(b'{"score": "x"}', "as the format has it"), (b'{"score": 1', "not whole")],
    )
    def test_what_is_wrong_is_said(self, put, text, why):
        file = put(text)
        with pytest.raises(InputError, match=why):
            contents.typed(contents.text(file), Row, file, inside="member x")

    def test_how_a_text_begins(self, put):
        assert contents.begins(put(b"\xef\xbb\xbf  [1]"), b"[")
        assert not contents.begins(put(b'{"a": [1]}'), b"[")


class TestMembers:
    @pytest.fixture
    def twice(self, tmp_path, space):
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a", "old")
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr("a", "new")
        return files.told(path, str(path), space)

    def test_the_same_member_twice_is_refused(self, twice):
        with pytest.raises(InputError, match="two members"), archives.opened(twice):
            pass

    def test_or_the_last_one_counts(self, twice):
        with archives.opened(twice, last=True) as archive:
            assert archive.read("a") == b"new"


class TestZstdInMemory:
    def test_all_frames_are_unpacked_and_no_more_than_is_wanted(self, space):
        packed = zstandard.compress(b"abc") + zstandard.compress(b"def")

        assert zstd.member(packed, space, 100) == b"abcdef"
        assert zstd.member(packed, space, 3) == b"abcd"

    def test_an_end_that_is_missing(self, space):
        packed = zstandard.compress(bytes(range(256)) * 9)
        with pytest.raises(EOFError):
            zstd.member(packed[:-5], space, 1 << 20)

    def test_without_a_library(self, space, monkeypatch):
        packed = zstandard.compress(b'{"a": 1,\n "b": ""}\n')
        monkeypatch.setattr(zstd, "_library", lambda: None)

        assert zstd.member(packed, space, 100).strip() == b'{"a": 1,\n "b": ""}'


def test_a_table_without_a_row_is_refused(put):
    with pytest.raises(InputError, match="header and no runs, so there are no scores; was it cut"):
        contents.table(put(b"a,b\n", "t.csv"), "run")
    assert contents.table(put(b"a,b\n1,2\n", "t.csv")) == [{"a": "1", "b": "2"}]
