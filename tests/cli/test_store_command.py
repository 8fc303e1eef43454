"""`nofluke store`, and ledgers in a store from the command line."""

import sqlite3
from contextlib import closing

import pytest

from nofluke.cli import run


def ask(capsys, *words):
    code = run([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "words",
    ["store migrate", "store check", "store backup", "store restore"]
    + [f"ledger {name}" for name in ("init", "log", "show", "verify", "export", "import")],
)
def test_each_command_shows_its_own_example(capsys, words):
    code, out, _ = ask(capsys, *words.split(), "--help")
    assert code == 0
    assert f"Example: nofluke {words} " in " ".join(out.split())


def test_from_the_first_table_to_another_database(capsys, store, tmp_path):
    code, _, err = ask(capsys, "store", "check", store)
    assert code == 2
    assert err.startswith("NF07")
    assert "nofluke store migrate" in err
    code, out, _ = ask(capsys, "store", "migrate", store)
    assert (code, "has the tables of revision" in out) == (0, True)
    assert ask(capsys, "store", "check", store)[1].endswith("It holds no ledger.\n")

    ledger = f"{store}#tumours"
    code, out, _ = ask(capsys, "ledger", "init", ledger, "--who", "ann")
    assert code == 0
    code, out, _ = ask(capsys, "ledger", "log", ledger, "note", "text=one")
    head = out.splitlines()[1].removeprefix("head: ")
    assert ask(capsys, "ledger", "verify", ledger, "--head", head)[0] == 0
    assert "The ledger tumours has 2 entries" in ask(capsys, "ledger", "show", ledger)[1]
    report = tmp_path / "report.html"
    code, out, _ = ask(
        capsys, "champion", 0.7, 0.8, "--metric", "auc", "--ledger", ledger, "--report", report
    )
    assert code == 0
    assert "NF360: entry 3 of" in " ".join(out.split())
    lines = tmp_path / "lines.jsonl"
    assert ask(capsys, "ledger", "export", ledger, lines)[0] == 0
    copy = f"{store}#copy"
    code, out, _ = ask(capsys, "ledger", "import", copy, lines, "--head", head)
    assert (code, "s3cret" in out) == (0, False)
    assert "s3cret" not in report.read_text()

    code, out, _ = ask(capsys, "store", "check", store)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("ledger")] == [
        "ledger copy: 4 entries, as they were written.",
        "ledger tumours: 4 entries, as they were written.",
    ]
    file = tmp_path / "k.backup"
    code, out, _ = ask(capsys, "store", "backup", store, file)
    assert (code, "8 rows" in out, "head of tumours: 4:" in out) == (0, True, True)
    code, again, _ = ask(capsys, "store", "restore", file, tmp_path / "new.db")
    assert code == 0
    assert [line for line in again.splitlines() if line.startswith("head")] == [
        line for line in out.splitlines() if line.startswith("head")
    ]
    assert ask(capsys, "store", "check", tmp_path / "new.db")[0] == 0
    code, _, err = ask(capsys, "store", "restore", file, store)
    assert (code, "has rows already" in err, "s3cret" in err) == (2, True, False)


def test_what_was_changed_is_told_and_copied(capsys, tmp_path):
    path = tmp_path / "keeper.db"
    ask(capsys, "ledger", "init", f"sqlite:///{path}#a")
    ask(capsys, "ledger", "init", f"sqlite:///{path}#b")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER entries_are_not_changed")
        db.execute("UPDATE entries SET line = x'7b7d' WHERE ledger = 'a'")
    code, out, _ = ask(capsys, "store", "check", path)
    assert code == 1
    assert "ledger a: at entry 1," in out
    assert "ledger b: at entry 2, the triggers" in out
    code, out, _ = ask(capsys, "store", "backup", path, tmp_path / "k.backup")
    assert (code, "ledger a: at entry 1," in out) == (1, True)
    new = tmp_path / "new.db"
    code, out, _ = ask(capsys, "store", "restore", tmp_path / "k.backup", new)
    assert (code, "ledger a: at entry 1," in out) == (1, True)
    assert ask(capsys, "store", "check", new)[0] == 1


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_no_store(capsys, tmp_path, command):
    code, out, err = ask(capsys, "store", command, tmp_path / "nowhere" / "x.db")
    assert (code, out, err[:5]) == (2, "", "NF071")
    code, out, err = ask(capsys, "store", command, "postgresql://u:p@ss@h/x")
    assert (code, out) == (2, "")
    assert "more than one @" in err
    assert "ss@h" not in err
