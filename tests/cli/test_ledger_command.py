"""`nofluke ledger`, and `--ledger` of the questions."""

import csv
import io
import json
from pathlib import Path

import pytest

from nofluke.cli import run
from nofluke.ledger import Ledger

DATA = Path(__file__).parents[2] / "docs" / "data"
TUMOURS = DATA / "tumours.csv"


def ask(capsys, *tokens):
    code = run([*map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def book(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("NOFLUKE_WHO", "ann")
    place = tmp_path / "ledger.db"
    assert ask(capsys, "ledger", "init", place, "--name", "tumours")[0] == 0
    return place


def entries(place):
    with Ledger(place) as ledger:
        return ledger.entries()


def registered(capsys, book):
    code, _, err = ask(
        capsys, "ledger", "log", book, "data", "--holdout", TUMOURS, "--positive", "malignant",
        "--name", "test",
    )  # fmt: skip
    assert (code, err) == (0, "")


def test_from_the_first_entry_to_the_last(capsys, book, tmp_path):
    registered(capsys, book)
    look = ("champion", TUMOURS, "--positive", "malignant", "--ledger", book)
    code, out, err = ask(capsys, *look)
    assert (code, out) == (4, "")
    assert err.startswith("NF066  the rows 'test' are a fresh test set and no pipeline is frozen")

    (tmp_path / "train.py").write_text("fit()")
    assert ask(capsys, "ledger", "log", book, "freeze", "--file", tmp_path / "train.py")[0] == 0
    code, out, err = ask(capsys, *look)
    assert (code, err) == (0, "")
    assert "NF360: entry 5 of ledger.db is this look, look number 1" in " ".join(out.split())

    code, out, _ = ask(capsys, "ledger", "show", book, "--quiet")
    assert code == 0
    assert "test is a spent test set: 1 look on record, 1 question." in out
    assert [e.kind for e in entries(book)] == [
        "init", "data", "refused", "freeze", "attempt", "look",
    ]  # fmt: skip


def test_fields_as_they_are_typed(capsys, book, tmp_path):
    (tmp_path / "grid.json").write_text('{"depth": [3, 5]}')
    (tmp_path / "plan.md").write_text("largest area\n")
    code, out, _ = ask(
        capsys, "ledger", "log", book, "candidates", "candidates=a", "candidates=b", "seeds=0-9",
        f"settings=@{tmp_path / 'grid.json'}", "thresholds=p=0.5",
    )  # fmt: skip
    last = entries(book)[-1]
    assert (code, out) == (0, f"entry 2: candidates\nhead: 2:{last.digest}\n")
    assert (last.who, last.body) == (
        "ann",
        {
            "candidates": ["a", "b"],
            "seeds": "0-9",
            "settings": {"depth": [3, 5]},
            "thresholds": "p=0.5",
        },
    )
    ask(capsys, "ledger", "log", book, "rule", f"rule=@{tmp_path / 'plan.md'}", "fixed=today")
    assert entries(book)[-1].body["rule"] == "largest area\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("split", "unit=patient"), "needs 'time', 'site', 'labels'"),
        (("split", "patient"), "'patient' is no FIELD=VALUE"),
        (("look",), "written by the ledger itself"),
        (("nonsense",), "there are split, preprocessing"),
        (("freez",), "also takes data, freeze and role"),
        (("freeze",), "needs the files"),
        (("data",), "--holdout FILE --name NAME"),
        (("data", "x=1", "--name", "a", "--holdout", "b.csv"), "data takes no 'x'"),
        (("note", "text=x", "--pipeline", "2d47872"), "--pipeline has no use with note"),
        (("note", "text=x", "--role", "validation"), "--role has no use with note"),
        (("note", "text=@none.md"), "@none.md cannot be read"),
        (("role", "--name", "nobody", "why=x"), "there is no test set 'nobody'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_logged(capsys, book, words, said):
    code, out, err = ask(capsys, "ledger", "log", book, *words)
    assert (code, out) == (2, "")
    assert err.startswith("NF069")
    assert said in err
    assert len(entries(book)) == 1


def test_verify(capsys, tmp_path):
    place = tmp_path / "ledger.jsonl"
    ask(capsys, "ledger", "init", place)
    _, out, _ = ask(capsys, "ledger", "log", place, "note", "text=one")
    head = out.split()[-1]
    ask(capsys, "ledger", "log", place, "note", "text=two")
    assert ask(capsys, "ledger", "verify", place, "--head", head)[0] == 0
    code, out, _ = ask(capsys, "ledger", "verify", place, "--format", "json")
    said = json.loads(out)
    assert (code, said["kind"], said["intact"], said["n"]) == (0, "ledger_verified", True, 3)

    lines = place.read_bytes().splitlines(keepends=True)
    place.write_bytes(b"".join(lines[:1]))
    assert ask(capsys, "ledger", "verify", place)[0] == 0  # without a head nobody can know
    code, out, err = ask(capsys, "ledger", "verify", place, "--head", head)
    assert (code, err) == (1, "")
    assert "entry 2, whose digest was kept, is not there" in " ".join(out.split())
    place.write_bytes(b"".join(lines[::2]))
    code, out, _ = ask(capsys, "ledger", "verify", place, "--format", "csv")
    assert code == 1
    assert list(csv.DictReader(io.StringIO(out))) == [
        {"entry": "2", "fault": "missing", "says": "entry 2 is not there"}
    ]


def test_export_and_import(capsys, book, tmp_path):
    ask(capsys, "ledger", "log", book, "note", "text=x")
    lines, copy = tmp_path / "lines.jsonl", tmp_path / "copy.db"
    code, out, _ = ask(capsys, "ledger", "export", book, lines)
    assert (code, out.splitlines()[0]) == (0, f"{lines}: 2 entries.")
    code, again, _ = ask(capsys, "ledger", "import", copy, lines)
    assert (code, again.splitlines()[1]) == (0, out.splitlines()[1])
    assert entries(copy) == entries(book)


def test_of_many_entries_the_first_are_shown(capsys, book):
    told = ("data=x", "question=q", "returned=r", "feedback=yes")
    for _ in range(7):
        ask(capsys, "ledger", "log", book, "access", *told)
    _, out, _ = ask(capsys, "ledger", "show", book)
    assert "2, 3, 4, 5, 6 and 2 more" in " ".join(out.split())


def test_a_folder_is_not_written_over(capsys, book, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (("init", "."), ("init", "/"), ("export", book, "."), ("export", book, "/")):
        code, out, err = ask(capsys, "ledger", *words)
        assert (code, out, err[:5]) == (2, "", "NF068")
        assert "is there already" in err


@pytest.mark.parametrize("command", ["show", "verify"])
def test_no_ledger(capsys, tmp_path, command):
    code, out, err = ask(capsys, "ledger", command, tmp_path / "none.db")
    assert (code, out) == (2, "")
    assert "begin one with nofluke ledger init" in err
    (tmp_path / "empty.db").touch()
    code, _, err = ask(capsys, "ledger", command, tmp_path / "empty.db")
    assert (code, err[:5]) == (2, "NF068")


def test_a_broken_ledger_is_told_with_its_place(capsys, tmp_path):
    place = tmp_path / "ledger.jsonl"
    ask(capsys, "ledger", "init", place, "--who", "ann")
    place.write_bytes(place.read_bytes().replace(b'"ann"', b'"bob"'))
    code, out, err = ask(capsys, "ledger", "show", place)
    assert (code, out) == (2, "")
    assert err.startswith("NF067")
    assert "at entry 1" in err


@pytest.mark.parametrize("form", ["json", "csv", "html", "text"])
def test_every_form(capsys, book, form, tmp_path):
    report = tmp_path / "report.html"
    code, out, err = ask(capsys, "ledger", "show", book, "--format", form, "--report", report)
    assert (code, err) == (0, "")
    assert "independent confirmation" in out
    assert "independent confirmation" in report.read_text("utf-8")


QUESTIONS = {
    "certify": ["docs/data/old.csv", "docs/data/new.csv", "--select", "top:1"],
    "champion": ["docs/data/champion.csv"],
    "classifier": ["docs/data/tumours.csv", "--positive", "malignant", "--n-resamples", "0"],
    "compare": ["docs/data/old.csv", "docs/data/new.csv", "--metric", "accuracy"],
    "drift": ["docs/data/drift-before.csv", "docs/data/drift-now.csv"],
    "final-report": ["docs/data/tumours.csv", "--positive", "malignant", "--n-resamples", "0"],
    "rank": ["docs/data/old.csv", "docs/data/new.csv", "--metric", "accuracy"],
    "runs": ["docs/data/champion.csv", "--bounds", "0", "1"],
}


@pytest.mark.parametrize("command", QUESTIONS)
def test_every_question_can_be_asked_on_the_record(capsys, book, command, monkeypatch):
    monkeypatch.chdir(DATA.parents[1])
    plain = ask(capsys, command, *QUESTIONS[command], "--format", "json")
    code, out, err = ask(capsys, command, *QUESTIONS[command], "--format", "json", "--ledger", book)
    assert (code, err) == (0, plain[2])
    noted, before = json.loads(out), json.loads(plain[1])
    assert any(note.startswith("NF360") for note in noted.pop("notes"))
    del before["notes"]
    assert noted == before
    assert [e.kind for e in entries(book)] == ["init", "attempt", "look"]


def test_nothing_is_shown_where_the_look_cannot_be_written(capsys, tmp_path):
    report = tmp_path / "report.html"
    code, out, err = ask(
        capsys, "champion", 0.7, 0.8, "--ledger", tmp_path / "none.db", "--report", report
    )
    assert (code, out, report.exists()) == (2, "", False)
    assert err.startswith("NF068")


def test_a_question_that_watches_takes_no_ledger(capsys, book):
    code, _, err = ask(capsys, "compare", "--follow", "x.csv", "--ledger", book)
    assert code == 2
    assert "--ledger would be ignored with --follow" in err
    code, _, err = ask(capsys, "drift", DATA / "drift-log.csv", "--monitor", "--ledger", book)
    assert code == 2
    assert "--ledger has no use with --monitor" in err
