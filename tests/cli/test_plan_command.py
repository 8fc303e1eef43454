"""`nofluke plan` and `nofluke compare --plan`."""

import csv
import io
import json

import pytest

from nofluke.cli import run


def ask(capsys, *tokens):
    code = run([str(token) for token in tokens])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "pilot.csv"
    rows = []
    for i in range(60):
        old, new = (i * 37) % 61 / 100, (i * 37) % 61 / 100 + (i * 29) % 41 / 100 - 0.1
        rows += [f"old,e{i},doc{i // 3},{old:.2f}", f"new,e{i},doc{i // 3},{max(0, new):.2f}"]
    path.write_text("model,item,cluster,score\n" + "\n".join(rows) + "\n")
    return path


def test_a_size_in_words_json_and_csv(capsys):
    code, out, err = ask(capsys, "plan", "--delta", "0.05", "--sd", "0.2")
    assert (code, err) == (0, "")
    assert "With 101 pairs a true gain of 0.05 is shown with probability 80 %" in out
    assert "at this error level with fewer than 62 pairs" in out

    _, out, _ = ask(capsys, "plan", "--delta", "0.05", "--sd", "0.2", "--format", "json")
    assert (json.loads(out)["kind"], json.loads(out)["n"]) == ("sample_size", 101)
    _, out, _ = ask(capsys, "plan", "--delta", "0.05", "--sd", "0.2", "--format", "csv")
    assert next(csv.DictReader(io.StringIO(out)))["n"] == "101"


def test_the_gain_that_n_shows(capsys):
    code, out, _ = ask(capsys, "plan", "--n", "101", "--sd", "0.2", "--quiet")

    assert code == 0
    assert out.startswith("With 101 pairs the smallest true gain that t shows")


@pytest.mark.parametrize("more", [(), ("--clusters",)])
def test_a_pilot(capsys, results, more):
    code, out, err = ask(
        capsys, "plan", "--delta", "0.1", "--pilot", results, "--a", "old", "--b", "new",
        "--better", "higher", "--bounds", "0", "1", "--method", "hedged_star",
        "--streams", "200", "--format", "json", *more,
    )  # fmt: skip
    said = json.loads(out)

    assert (code, err) == (0, "")
    assert said["unit"] == ("clusters" if more else "pairs")
    assert said["items"] == said["n"] * (3 if more else 1)
    assert said["mean_units"] < said["n"]


def test_items_against_runs(capsys):
    code, out, _ = ask(
        capsys, "plan", "--delta", "0.05", "--between", "0.1", "--within", "0.4",
        "--repeats", "1,5", "--cost", "3",
    )  # fmt: skip

    assert code == 0
    assert "<- cheapest" in out
    assert "Cheapest: 106 items with 5 runs of each" in out


def test_a_plan_is_written_and_kept(capsys, results, tmp_path):
    path = tmp_path / "plan.json"
    code, out, err = ask(
        capsys, "plan", "--delta", "0.1", "--pilot", results, "--a", "old", "--b", "new",
        "--better", "higher", "--bounds", "0", "1", "--method", "hedged_star",
        "--streams", "200", "--write", path, "--format", "json",
    )  # fmt: skip
    assert code == 0
    assert "Seal: " in err
    planned, digest = json.loads(out)["n"], json.loads(path.read_text())["digest"]
    assert json.loads(path.read_text())["seen"].startswith("a pilot of 60 pairs, SHA-256 ")

    code, _, err = ask(capsys, "compare", results, "--plan", path)
    assert (code, err[:5]) == (2, "NF031")
    assert "were in the pilot" in err
    results.write_text(results.read_text().replace(",e", ",new-e"))
    code, out, _ = ask(capsys, "compare", results, "--plan", path, "--format", "json")
    question = json.loads(out)["question"]
    assert (code, question["plan"], question["planned"]) == (0, digest, planned)

    code, _, err = ask(capsys, "compare", results, "--plan", path, "--alpha", "0.2")
    assert (code, err[:5]) == (2, "NF031")
    path.write_text(path.read_text().replace('"alpha": 0.05', '"alpha": 0.2'))
    code, _, err = ask(capsys, "compare", results, "--plan", path)
    assert (code, err[:5]) == (2, "NF030")
    assert "alpha" in err


@pytest.mark.parametrize(
    "tokens",
    [
        ("--delta", "0.05", "--sd", "0.2", "--between", "0.1"),
        ("--delta", "0.05", "--repeats", "1,2", "--between", "0.1", "--within", "1", "--sd", "1"),
        ("--delta", "0.05", "--repeats", "1,2.5", "--between", "0.1", "--within", "1"),
        ("--n", "50", "--delta", "0.05", "--sd", "0.2"),
        ("--delta", "0.05", "--sd", "0.2", "--columns", "score=x"),
        ("--delta", "0.05", "--sd", "0.2", "--a", "old"),
        ("--delta", "0.05", "--sd", "0.2", "--write", "nowhere.json"),
        (),
    ],
)
def test_what_would_be_ignored_or_is_missing_is_refused(capsys, tokens):
    code, out, err = ask(capsys, "plan", *tokens)

    assert (code, out, err[:5]) == (2, "", "NF008")


def test_what_is_binary_need_not_be_said_again(capsys, tmp_path):
    path, pilot = tmp_path / "shares.json", tmp_path / "pilot.csv"
    who = ("--a", "old", "--b", "new", "--quiet", "--write")
    shares = ("--p-win", "0.1", "--p-loss", "0.04", "--metric", "accuracy")
    code, _, err = ask(capsys, "plan", *shares, *who, path)
    assert code == 0, err
    said = json.loads(path.read_text())
    assert (said["method"], said["binary"], said["bounds"]) == ("mcnemar", True, [0, 1])

    rows = [f"old,e{i},{i % 3 == 0:d}\nnew,e{i},{i % 2:d}" for i in range(60)]
    pilot.write_text("model,item,accuracy\n" + "\n".join(rows) + "\n")
    tokens = ("--pilot", pilot, "--delta", "0.1", "--columns", "score=accuracy")
    more = ("--metric", "accuracy", *who, tmp_path / "w.json")
    code, _, err = ask(capsys, "plan", *tokens, *more)
    assert code == 0, err
    assert json.loads((tmp_path / "w.json").read_text())["binary"] is True


@pytest.mark.parametrize("which", ["--gamma", "--bar"])
def test_a_certificate_has_no_plan_file(capsys, tmp_path, which):
    code, _, err = ask(capsys, "plan", which, "0.1", "--write", tmp_path / "w.json")

    assert code == 2
    assert "no plan file for certificates" in err
