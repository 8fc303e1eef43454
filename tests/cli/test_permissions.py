"""What may not be read or written is told by the name that was given."""

from __future__ import annotations

import os

import numpy as np
import pytest

from nofluke import Scores, certify
from nofluke.cli import run

ROWS = "\n".join(["model,item,loss", *(f"{m},{i},{i % 7}" for m in "ab" for i in range(40))])
ASKED = ("--better", "lower", "--select", "top:1", "--gamma", "0.3", "--quiet")


@pytest.fixture
def closed(tmp_path, monkeypatch):
    """A folder with a table into which nobody may look, below the one we are in."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "closed"
    folder.mkdir()
    for path in (folder / "old.csv", tmp_path / "t.csv"):
        path.write_text(ROWS)
    folder.chmod(0)
    if os.access(folder, os.X_OK):
        folder.chmod(0o755)
        pytest.skip("this user may look everywhere")
    yield folder
    folder.chmod(0o755)


@pytest.mark.parametrize("command", ["certify", "classifier", "check", "runs"])
@pytest.mark.parametrize("source", ["closed/old.csv", "a=closed/old.csv", "closed"])
def test_a_table_that_may_not_be_read(closed, capsys, command, source):
    assert run([command, source]) == 2
    told = capsys.readouterr().err.split("\n")[0]
    name = source.removeprefix("a=")
    assert told == f"NF001  {name} cannot be read: Permission denied."


def test_a_report_that_may_not_be_written(closed, capsys):
    assert run(["certify", "t.csv", *ASKED, "--report", "closed/x.html"]) == 2
    told = capsys.readouterr().err.split("\n")[0]
    assert told == (
        "NF008  --report closed/x.html cannot be written: its folder may not be written to; name "
        "another place."
    )


def test_a_report_that_is_a_folder(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text(ROWS)
    assert run(["certify", str(table), *ASKED, "--report", str(tmp_path)]) == 2
    assert f"NF008  --report {tmp_path} is a folder; name a file in it." in capsys.readouterr().err


def test_an_error_of_the_system_names_the_report_that_was_asked_for(tmp_path):
    scores = Scores.from_arrays(np.arange(80.0).reshape(2, 40), better="lower")
    answer = certify(scores, "top:1", gamma=0.3)
    (tmp_path / "x.html").mkdir()
    with pytest.raises(OSError, match=r"x\.html") as caught:
        answer.report(tmp_path / "x.html")
    assert (caught.value.filename, caught.value.filename2) == (str(tmp_path / "x.html"), None)
    assert ".part" not in str(caught.value)
