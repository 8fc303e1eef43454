import csv
import io
import json
from pathlib import Path

import pytest

import nofluke
from nofluke.cli import run

TUMOURS = Path(__file__).parents[2] / "docs/data/tumours.csv"
KNOWN = ("--positive", "malignant", "--n-resamples", "99")


def ask(capsys, *tokens):
    code = run(["classifier", *map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


def test_text(capsys):
    how = ("--threshold", "0.5", "--costs", "1", "20", "--prevalence", ".01", "--groups", "size")
    code, out, err = ask(capsys, TUMOURS, *KNOWN, *how)
    assert (code, err) == (0, "")
    head = "2 candidates on 285 examples: 106 positives (malignant) and 179 negatives; level 95 %"
    assert out.startswith(head)
    for told in (
        "Differences of areas",
        "Decisions: ",
        "By group, level 95 %",
        "withheld: 3 positive",
    ):
        assert told in out
    assert "Also in --format csv and json: fpr, fnr" in out


def test_json_is_that_of_the_library(capsys):
    _, out, _ = ask(
        capsys, TUMOURS, *KNOWN, "--groups", "size", "--format", "json", "--level", ".9"
    )
    table = nofluke.read_predictions(TUMOURS, positive="malignant", columns={"group": "size"})
    card = nofluke.classifier(table, groups=True, n_resamples=99, level=0.9, clusters=False)
    assert out == card.to_json()
    assert json.loads(out)["positive"] == "malignant"


def test_csv_has_a_line_for_each_number(capsys):
    _, out, _ = ask(capsys, TUMOURS, *KNOWN, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["candidate"] for row in rows} == {"logistic", "forest"}
    assert next(row for row in rows if row["metric"] == "recall")["n"] == "106"


def test_report_terms_and_sentences(capsys, tmp_path):
    target = tmp_path / "card.html"
    _, out, _ = ask(capsys, TUMOURS, *KNOWN, "--quiet", "--show-work", "--report", target)
    assert target.read_text(encoding="utf-8").count("<svg") == 5
    assert "over 18974 pairs of 106 positives and 179 negatives" in out
    assert "Guarantee:" not in out


def test_clusters_and_blocks_by_their_columns(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{i % 2},{(i * 7 % 11) + i % 2},p{i // 4},{i}" for i in range(60)]
    path.write_text("\n".join(["label,score,patient,day", *lines]))
    how = ("--threshold", "5", "--clusters", "patient", "--blocks", "2", "--columns", "time=day")
    code, out, err = ask(capsys, path, *how)
    assert (code, err) == (0, "")
    assert "in 15 clusters" in out
    assert "By time, level 95 % for all blocks of time" in out


def test_one_file_for_each_candidate(capsys, tmp_path):
    for name in "ab":
        rows = [f"{i},{i % 2},{(i * len(name) * 3) % 10}" for i in range(20)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,label,score", *rows]))
    code, out, _ = ask(capsys, tmp_path / "a.csv", tmp_path / "b.csv", "--quiet")
    assert code == 0
    assert "of the 2" in out


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ((), "NF060"),
        (("--positive", "malignant", "--costs", "1", "-2"), "NF058"),
        (("--positive", "malignant", "--groups", "site"), "site"),
        (("--positive", "malignant", "--prevalence", "2"), "NF008"),
        (("--positive", "malignant", "--treshold", "2"), "NF008"),
    ],
)
def test_what_cannot_be_used_is_refused(capsys, how, told):
    code, _, err = ask(capsys, TUMOURS, *how)
    assert code == 2
    assert told in err


def test_refusals_speak_of_options(capsys):
    _, _, err = ask(capsys, TUMOURS)
    assert "--positive" in err
    assert "positive=" not in err


def test_a_report_does_not_overwrite_the_input(capsys):
    code, _, err = ask(capsys, TUMOURS, *KNOWN, "--report", TUMOURS)
    assert code == 2
    assert "would overwrite" in err
