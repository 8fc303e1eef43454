"""`nofluke final-report`."""

import csv
import io
import json

import pytest

from nofluke import final_report, read_predictions
from nofluke.cli import run


def ask(capsys, *tokens):
    code = run(["final-report", *map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    lines = ["model,id,label,score,site"]
    for name, shift in (("a", 3), ("b", 5), ("c", 7)):
        for i in range(60):
            score = ((i * shift) % 17 + 4 * (i % 4 == 0)) / 21
            lines.append(f"{name},{i},{'ill' if i % 4 == 0 else 'well'},{score:.4f},{i % 2}")
    path.write_text("\n".join(lines))
    return path


BASE = ("--positive", "ill", "--n-resamples", "0")


def test_text_names_what_is_missing_in_options(capsys, rows):
    code, out, err = ask(capsys, rows, *BASE, "--threshold", "0.5", "--tried", "9")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("chosen: ")
    assert "9 tried); area" in out.splitlines()[0]
    said = " ".join(out.split())
    for option in ("--costs", "--groups", "--rule", "--population", "--dropped-seeds"):
        assert option in said
    assert "scope={" not in said
    assert "chances={" not in said


def test_json_is_that_of_the_question(capsys, rows):
    _, out, _ = ask(
        capsys, rows, *BASE, "--threshold", "0.5", "--groups", "site", "--collected", "in May",
        "--origin", "another ward", "--thresholds", "3", "--format", "json",
    )  # fmt: skip
    table = read_predictions(str(rows), positive="ill", columns={"group": "site"})
    want = final_report(
        table, threshold=0.5, n_resamples=0, chances={"thresholds": 3},
        scope={"time": "in May", "rows": "another ward"},
    )  # fmt: skip
    assert out == want.to_json()
    assert json.loads(out)["scope"] == {"time": "in May", "rows": "another ward"}


def test_csv_has_a_line_for_each_number(capsys, rows):
    _, out, _ = ask(capsys, rows, *BASE, "--costs", "1", "4", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(out)))
    assert [row["part"] for row in found[:3]] == ["area", "against others", "against others"]
    assert {"cost", "decision", "calibration", "precision and recall"} <= {r["part"] for r in found}


def test_a_page_and_refusals(capsys, rows, tmp_path):
    page = tmp_path / "final.html"
    assert ask(capsys, rows, *BASE, "--report", page, "--quiet")[0] == 0
    assert "The parts of the report" in page.read_text("utf-8")
    code, _, err = ask(capsys, rows, *BASE, "--tried", "2")
    assert (code, err[:5]) == (2, "NF286")
    assert "--tried 2 is less than the 3" in err
    one = tmp_path / "one.csv"
    one.write_text("id,label,score\n1,0,0.2\n2,1,0.9\n3,1,0.4\n")
    code, _, err = ask(capsys, one)
    assert (code, err[:5]) == (2, "NF285")
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    assert ask(capsys, empty)[0] == 2
