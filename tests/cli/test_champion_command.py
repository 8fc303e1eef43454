"""`nofluke champion`."""

import csv
import io
import json

import pytest

import nofluke
from nofluke.cli import run

SEEDS = [0.78, 0.80, 0.79, 0.83, 0.77, 0.81, 0.79, 0.82, 0.78, 0.80]


def ask(capsys, *tokens):
    code = run(["champion", *map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def seeds(tmp_path):
    path = tmp_path / "seeds.csv"
    path.write_text("seed,auc\n" + "\n".join(f"{i},{v}" for i, v in enumerate(SEEDS, 1)))
    return path


def test_text(capsys, seeds):
    code, out, err = ask(capsys, seeds, "--gate", "0.82")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == (
        "planned (mean): 0.797; best of 10 (4): 0.83; higher is better, gate 0.82"
    )
    said = " ".join(out.split())
    assert "NF257" in said
    assert "--n-positive and --n-negative" in said
    assert "n_positive=" not in said


def test_numbers_in_the_command(capsys):
    _, out, _ = ask(capsys, *SEEDS, "--metric", "auc", "--format", "json")
    assert out == nofluke.champion(SEEDS, metric="auc").to_json()
    _, listed, _ = ask(capsys, ",".join(map(str, SEEDS)), "--metric", "auc", "--format", "json")
    assert json.loads(listed)["scores"] == json.loads(out)["scores"]


def test_csv_has_a_line_for_each_interval(capsys, seeds):
    _, out, _ = ask(capsys, seeds, "--n-positive", 50, "--n-negative", 950, "--format", "csv")
    assert [row["what"] for row in csv.DictReader(io.StringIO(out))] == [
        "mean",
        "next run",
        "winner",
    ]


def test_predictions(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    lines = ["model,id,label,score"]
    for name, shift in (("a", 3), ("b", 5)):
        lines += [f"{name},{i},{int(i % 4 == 0)},{(i * shift) % 17 - i % 4}" for i in range(60)]
    path.write_text("\n".join(lines))
    columns = "label=label,prediction=score"
    code, out, err = ask(capsys, path, "--columns", columns, "--format", "json", "--tried", 7)
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["source"], told["tried"], told["m"]) == ("areas", 7, 2)


def test_a_report_and_a_refusal(capsys, seeds, tmp_path):
    page = tmp_path / "card.html"
    assert ask(capsys, seeds, "--report", page, "--quiet")[0] == 0
    assert "best of 10" in page.read_text("utf-8")
    code, _, err = ask(capsys, "0.83", "--metric", "auc")
    assert code == 2
    assert err.startswith("NF253")
