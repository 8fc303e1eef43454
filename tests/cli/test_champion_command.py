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


def test_numbers_keep_their_decimals(capsys):
    sizes = ("--n-positive", 4, "--n-negative", 5)
    _, out, _ = ask(capsys, "0.80", "0.8", "0.84", *sizes, "--format", "json")
    told = json.loads(out)["reported"]
    assert [row["decimals"] for row in told] == [2, 1, 2]
    assert [row["possible"] for row in told] == [True, True, False]
    _, out, _ = ask(capsys, "0.80,0.8,0.84", *sizes)
    said = " ".join(out.split())
    assert "Reported numbers, each from 4 positive and 5 negative rows" in said
    assert "NF281: 0.84 cannot be computed" in said


def test_a_table_asks_for_decimals(capsys, seeds):
    sizes = ("--n-positive", 50, "--n-negative", 950)
    _, out, _ = ask(capsys, seeds, *sizes)
    said = " ".join(out.split())
    assert "not said" in said
    assert "Give --decimals, or the numbers as text." in said
    _, out, _ = ask(capsys, seeds, *sizes, "--decimals", 2, "--quiet")
    assert "All 10 numbers can come from 50 positive and 950 negative rows" in out


@pytest.mark.parametrize("one_table", [False, True])
def test_a_published_score_among_the_runs_of_a_folder(capsys, tmp_path, one_table):
    runs = tmp_path / "runs"
    runs.mkdir()
    if one_table:
        (runs / "all.csv").write_text("seed,auc\n" + "".join(f"{i},{v}\n" for i, v in
                                                            enumerate(SEEDS, 1)))  # fmt: skip
    else:
        for i, value in enumerate(SEEDS, 1):
            (runs / f"run{i}.csv").write_text(f"seed,auc\n{i},{value}\n")
    code, out, err = ask(capsys, runs, "--published", "0.917", "--format", "json")
    assert (code, err) == (0, "")
    one = json.loads(out)["published"]
    assert (one["rank"], one["of"], one["beyond"]) == (1, 11, True)
    name = "name:4" if one_table else "name:run4"
    _, out, _ = ask(capsys, runs, "--published", name, "--format", "json")
    assert json.loads(out)["published"]["rank"] == 1
    code, _, err = ask(capsys, runs, "--published", "name:run99")
    assert code == 2
    assert "there is no candidate 'run99'" in err


def test_predictions_of_a_folder_rank_a_published_area(capsys, tmp_path):
    for name, shift in (("a", 3), ("b", 5), ("c", 7)):
        lines = ["id,label,score"]
        lines += [f"{i},{int(i % 4 == 0)},{(i * shift) % 17 - i % 4}" for i in range(60)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    columns = "label=label,prediction=score"
    code, out, err = ask(
        capsys, tmp_path, "--columns", columns, "--published", "0.99", "--format", "json"
    )
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["published"]["rank"], told["published"]["of"]) == (1, 4)
    assert told["reported"][0]["rows"] == "15 positive and 45 negative rows"


def test_clusters_of_scores(capsys, tmp_path):
    path = tmp_path / "scores.csv"
    lines = ["model,id,score,doc"]
    lines += [f"{m},{i},{(i * k) % 7 / 7},d{i // 3}" for m, k in (("a", 3), ("b", 5))
              for i in range(30)]  # fmt: skip
    path.write_text("\n".join(lines))
    how = ("--better", "higher", "--bounds", 0, 1, "--format", "json")
    _, out, _ = ask(capsys, path, "--clusters", "doc", *how)
    rows = {row["what"]: row for row in json.loads(out)["rows"]}
    assert rows["mean"]["method"] == "clusters"
    assert rows["winner (no model)"]["lower"] is None
    _, out, _ = ask(capsys, path, "--columns", "cluster=", *how)
    rows = {row["what"]: row for row in json.loads(out)["rows"]}
    assert rows["winner (no model)"]["guarantee"] == "finite-sample"


@pytest.mark.parametrize(
    ("tokens", "code", "said"),
    [
        (["0.8", "high"], "NF008", "'high' is neither a number nor a file"),
        (["0.8", "0.9", "--clusters", "doc"], "NF008", "are about rows"),
        (["0.8", "0.9", "--metric", "auc", "--decimals", "2"], "NF284", "--n-positive"),
        (["80", "83", "--n-positive", "5", "--n-negative", "5"], "NF254", "divide by 100"),
    ],
)
def test_refusals_say_what_to_do(capsys, tokens, code, said):
    returned, _, err = ask(capsys, *tokens)
    assert returned == 2
    assert err.startswith(code)
    assert said in err


def test_a_file_for_each_run_without_a_name_is_explained(capsys, tmp_path):
    for i in range(3):
        (tmp_path / f"r{i}.json").write_text(f'{{"epoch": 1, "auc": 0.8{i}}}')
    code, _, err = ask(capsys, tmp_path, "--published", "0.9")
    assert code == 2
    assert "With one number for each run" in err


def test_a_comma_is_a_decimal_mark_only_where_that_is_said(capsys):
    code, _, err = ask(capsys, "0,78", "0,80", "--better", "higher")
    assert (code, err[:5]) == (2, "NF008")
    assert "'0,78' may be 0.78 or the two numbers 0 78" in err
    assert "--decimal ," in err
    how = ("--metric", "auc", "--format", "json")
    _, out, _ = ask(capsys, "0,78", "0,80", *how, "--decimal", ",")
    assert json.loads(out)["scores"] == {"1": 0.78, "2": 0.8}
    _, out, _ = ask(capsys, "0.78,0.80", "0.83", *how)
    assert json.loads(out)["scores"] == {"1": 0.78, "2": 0.8, "3": 0.83}
