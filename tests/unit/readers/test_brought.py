"""A reader that another package brings: a real package with its metadata, found on the path."""

import importlib.metadata
import json
import sys

import pytest

from nofluke import read
from nofluke.errors import InputError
from nofluke.scores.readers import recognition
from nofluke.testing import check_reader

_MODULE = '''
from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log


class Quiz:
    """One row for each question."""

    key = "quiz"
    title = "quiz results"
    tool = "quiz"
    rows = True
    folders = False

    def knows(self, head):
        """By its fields."""
        return {"quiz_question", "points"} <= head.keys

    def read(self, file):
        """Rows."""
        rows = []
        for line, row in contents.lines(file):
            if not isinstance(row, dict):
                raise contents.refusal(file, f"line {line} is no record.", line=line)
            id_ = contents.wanted(row, "quiz_question", str, file, f"line {line}")
            rows.append((id_, contents.number(row.get("points"), file, f"line {line}")))
        yield Log(
            candidate=None,
            example=[id_ for id_, _ in rows],
            scores={"points": [points for _, points in rows]},
            better={"points": "higher"},
        )
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package of one module by hand: its file, its metadata, its entry point."""

    def install(point, *, module=_MODULE):
        place = tmp_path / "site"
        meta = place / "quiz_results-1.0.dist-info"
        meta.mkdir(parents=True)
        (place / "quiz_results.py").write_text(module)
        (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: quiz-results\nVersion: 1.0\n")
        (meta / "RECORD").write_text("")
        (meta / "entry_points.txt").write_text(f"[nofluke.readers]\nquiz = {point}\n")
        monkeypatch.syspath_prepend(str(place))
        importlib.invalidate_caches()
        recognition.readers.cache_clear()

    yield install
    recognition.readers.cache_clear()
    sys.modules.pop("quiz_results", None)


def log(path):
    rows = [{"quiz_question": f"q{i}", "points": i} for i in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_reader_of_another_package_is_found_and_keeps_the_contract(package, tmp_path):
    package("quiz_results:Quiz")
    assert any(p.name == "quiz" for p in importlib.metadata.entry_points(group=recognition.GROUP))
    assert recognition.readers()[0].key == "quiz"
    path = log(tmp_path / "evening")
    scores = read(path)
    assert (scores.metric, scores.better) == ("points", "higher")
    assert scores.values.tolist() == [0, 1, 2]
    assert read(path, reader="quiz").examples == ("q0", "q1", "q2")
    check_reader(recognition.named("quiz"), [path])


def test_without_the_package_nothing_is_known(tmp_path):
    with pytest.raises(InputError, match="'quiz' is not known"):
        read(log(tmp_path / "evening"), reader="quiz")


@pytest.mark.parametrize(
    ("point", "module", "told"),
    [
        ("quiz_results:Absent", _MODULE, "cannot be loaded: AttributeError"),
        ("quiz_results:Quiz", "raise RuntimeError('too old')", "RuntimeError: too old"),
        ("quiz_results:Quiz", "Quiz = 3", "is no reader"),
    ],
)
def test_a_broken_package_is_named(package, tmp_path, point, module, told):
    package(point, module=module)
    with pytest.raises(InputError, match=told) as refused:
        read(log(tmp_path / "evening"))
    assert refused.value.code == "NF260"


def test_a_reader_that_is_named_settles_what_two_know_in_a_folder_too(package, tmp_path):
    """The error says to name one of them, and then it must help."""
    twin = _MODULE.replace("class Quiz", "class Twin").replace('key = "quiz"', 'key = "twin"')
    package("quiz_results:Quiz", module=_MODULE + twin.partition("import Log")[2])
    points = tmp_path / "site" / "quiz_results-1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text() + "twin = quiz_results:Twin\n")
    recognition.readers.cache_clear()
    folder = tmp_path / "logs"
    folder.mkdir()
    log(folder / "a.jsonl")
    for source in (folder, folder / "a.jsonl"):
        with pytest.raises(InputError, match="could be read as 'quiz', 'twin'"):
            read(source)
        assert len(read(source, reader="twin").examples) == 3
