import csv
import io
import json

import numpy as np
import pytest

import nofluke
from nofluke.cli import run


@pytest.fixture
def seeds(tmp_path):
    """Two models, 25 seeds each."""
    rng = np.random.default_rng(0)
    lines = ["model,seed,accuracy"]
    lines += [f"{m},{s},{rng.normal(0.9, 0.02):.4f}" for m in ("=old", "new") for s in range(25)]
    path = tmp_path / "seeds.csv"
    path.write_text("\n".join(lines))
    return path


def ask(capsys, *tokens):
    code = run(["runs", *map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


def test_text(capsys, seeds):
    code, out, err = ask(capsys, seeds, "--quantile", "0.05", "--bounds", "0", "1")
    assert (code, err) == (0, "")
    head = out.splitlines()[0]
    assert head == "2 samples of 25 runs: quantile 0.05 of accuracy, level 90 % each"
    for words in (
        "in brackets a natural bound",
        "SD of a run",
        "SE of the mean",
        "half interval",
        "lower limit: 45",
        "* With about 90 % confidence the 5th percentile of accuracy of =old is at most",
        "A limit from below needs 45 runs at this level; you have 25.",
        "cannot stand in for the interval of a quantile",
        "Guarantee: asymptotic.",
        "--simultaneous asks for that",
    ):
        assert words in " ".join(out.split())


def test_json_is_that_of_the_library(capsys, seeds):
    how = ("--quantile", "0.5,0.9", "--level", "0.95", "--guaranteed", "--joint", "--simultaneous")
    _, out, _ = ask(capsys, seeds, *how, "--against", "=old", "--format", "json")
    scores = nofluke.read(seeds)
    asked = {"level": 0.95, "guaranteed": True, "joint": True, "simultaneous": True}
    assert out == nofluke.runs(scores, quantile=(0.5, 0.9), against="=old", **asked).to_json()
    assert json.loads(out)["kind"] == "runs"


def test_csv_has_a_line_for_each_interval(capsys, seeds):
    _, out, _ = ask(capsys, seeds, "--quantile", "0.05", "--quantile", "0.5", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["candidate"], row["quantile"]) for row in rows] == [
        ("=old", "0.05"),
        ("=old", "0.5"),
        ("new", "0.05"),
        ("new", "0.5"),
    ]
    assert rows[0]["lower"] == "0.0"


def test_report_terms_and_sentences(capsys, seeds, tmp_path):
    page = tmp_path / "page.html"
    how = ("--quiet", "--show-work", "--report", page, "--tail", "log-concave")
    _, out, _ = ask(capsys, seeds, "--quantile", "0.05", *how)
    assert "=old" in page.read_text(encoding="utf-8")
    assert out.startswith("If the tails are log-concave: with about 90 % confidence")
    assert "plain percentile bootstrap" in out
    assert "it undercovers" in out


def test_differences_are_a_table_with_their_estimand(capsys, seeds):
    _, out, _ = ask(capsys, seeds, "--against", "=old")
    assert "Minus =old: difference of quantiles" in out
    assert "25 and 25" in out
    _, out, _ = ask(capsys, seeds, "--against", "=old", "--paired")
    assert "Minus =old: quantile of paired differences" in out


def test_a_plain_list_and_one_file_for_each_configuration(capsys, tmp_path):
    for name, shift in (("a", 0.8), ("b", 0.9)):
        lines = [f"{shift + 0.01 * i:.2f}" for i in range(6)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    code, out, _ = ask(capsys, tmp_path / "a.txt", "--quiet")
    assert code == 0
    assert out.startswith("With about 90 % confidence the median of score lies between 0.80")
    code, out, _ = ask(capsys, tmp_path / "a.txt", tmp_path / "b.txt", "--quiet")
    assert code == 0
    assert "median of score of b" in out


def test_examples_and_clusters(capsys, tmp_path):
    path = tmp_path / "rl.csv"
    lines = ["model,seed,item,score"]
    lines += [f"m,{s},{e},{0.1 * s + e}" for s in range(6) for e in range(2)]
    path.write_text("\n".join(lines))
    code, _, err = ask(capsys, path)
    assert (code, err[:5]) == (2, "NF045")
    assert "--value mean" in err
    assert "--each example" in err
    _, out, _ = ask(capsys, path, "--each", "example")
    assert "2 samples of 6 runs" in out
    _, out, _ = ask(capsys, path, "--value", "mean")
    assert "mean score" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "NF002"),
        ("seed,accuracy\n", "NF002"),
        ("seed,accuracy\n1,0.9\n", "NF043"),
        ("seed,accuracy\n1,0.9\n2,\n", "NF007"),
        ("seed,accuracy\n1,0.9\n1,0.8\n", "NF006"),
        ("seed,accuracy\n1,90\n2,91\n", "NF010"),
        ("seed,accuracy\n1,0.9\n2,abc\n", "NF004"),
        ("epoch,accuracy\n1,0.9\n2,0.8\n", "NF003"),
        ("0.9\nabc\n", "NF003"),
        ("name\nalice\n", "NF003"),
    ],
)
def test_odd_files_are_refused_with_a_code(capsys, tmp_path, text, code):
    path = tmp_path / "odd.csv"
    path.write_text(text)
    status, out, err = ask(capsys, path)
    assert (status, out, err[:5]) == (2, "", code)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--quantile", "5", "--quantile"),
        ("--quantile", "x", "--quantile x is not a number"),
        ("--level", "90", "write 0.9"),
        ("--method", "foo", "--method foo is unknown"),
        ("--against", "foo", "--against foo is not among"),
        ("--tail", "heavy", "tail"),
        ("--missing", "zero", "--missing zero"),
    ],
)
def test_options_that_cannot_be_used_are_refused(capsys, seeds, option, value, said):
    code, _, err = ask(capsys, seeds, option, value)
    assert code == 2
    assert said in err


def test_a_difference_without_limits_shows_none(capsys, seeds):
    tokens = ("--quantile", "0.05", "--against", "=old")
    _, out, _ = ask(capsys, seeds, *tokens)
    line = out.split("Minus =old", 1)[1].split("new", 1)[1].splitlines()[0]
    assert line.split()[2:4] == ["none", "none"]
    assert "the runs give no limit for the difference of quantiles (5th percentile)" in out
    page = ask(capsys, seeds, *tokens, "--format", "html")[1]
    table = page.split("Minus =old", 1)[1].split("</table>", 1)[0]
    assert table.count(">none</td>") == 2


def test_many_runs_make_no_large_page(capsys, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("acc\n" + "\n".join(f"0.{i}" for i in range(10000, 20000)))
    assert len(ask(capsys, path, "--format", "html")[1]) < 500_000
