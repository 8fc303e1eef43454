import csv
import io
import json

import numpy as np
import pytest

import nofluke
from nofluke.cli import run


@pytest.fixture
def board(tmp_path):
    """Three candidates on 60 examples in 12 groups."""
    rng = np.random.default_rng(0)
    lines = ["candidate,example,score,cluster"]
    for name, shift in (("old", 0.2), ("new", 0.4), ("=best", 0.6)):
        lines += [
            f"{name},{i},{np.clip(shift + 0.3 * rng.random(), 0, 1):.4f},g{i % 12}"
            for i in range(60)
        ]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(lines))
    return path


def ask(capsys, *tokens):
    code = run(["rank", *map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


KNOWN = ("--better", "higher", "--bounds", "0", "1")


def test_text(capsys, board):
    code, out, err = ask(capsys, board, *KNOWN)
    assert (code, err) == (0, "")
    head, mean, best = out.splitlines()[:3]
    assert mean == "Ranked by the mean score of a random example."
    assert head.startswith("3 candidates on 60 examples: score, higher is better; alpha 0.05")
    assert best == "May be the best: 1 of 3; tiers: 3"
    assert "* With 95 % confidence, =best is the best of 3 in mean score." in out
    assert "Guarantee: finite-sample." in out


def test_json_is_that_of_the_library(capsys, board):
    _, out, _ = ask(capsys, board, *KNOWN, "--format", "json", "--seed", "3", "--alpha", "0.1")
    scores = nofluke.read(board, better="higher", bounds=(0, 1), contents=True)
    assert out == nofluke.rank(scores, alpha=0.1, seed=3).to_json()
    found = json.loads(out)
    assert (found["kind"], found["best_set"]) == ("rank", ["=best"])


def test_csv_has_a_line_for_each_candidate(capsys, board):
    _, out, _ = ask(capsys, board, *KNOWN, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["candidate"] for row in rows] == ["=best", "new", "old"]
    assert [row["rank_high"] for row in rows] == ["1", "2", "3"]


@pytest.mark.parametrize("method", ["bonferroni", "max_t", "anytime", "e_bh"])
def test_methods_and_clusters(capsys, board, method):
    how = ("--method", method, "--n-resamples", "200", "--clusters", "--format", "json")
    code, out, _ = ask(capsys, board, *KNOWN, *how)
    found = json.loads(out)
    assert code == 0
    assert (found["method"], found["n_units"], found["unit"]) == (method, 12, "clusters")


def test_report_terms_and_sentences(capsys, board, tmp_path):
    page = tmp_path / "page.html"
    how = ("--quiet", "--show-work", "--report", page)
    _, out, _ = ask(capsys, board, *KNOWN, *how, "--method", "anytime", "--planned", "60")
    assert "=best" in page.read_text(encoding="utf-8")
    assert "6 ordered pairs on 60 examples" in out
    assert "whenever one looks" in out


def test_one_file_for_each_candidate(capsys, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("a", "b")]
    for path, score in zip(paths, (1, 0), strict=True):
        path.write_text("example,score\n" + "\n".join(f"{i},{score}" for i in range(20)))
    _, out, _ = ask(capsys, *paths, "--better", "higher", "--binary", "--quiet")
    assert out.startswith("With 95 % confidence, a is the best of 2")


def test_what_cannot_be_used_is_refused(capsys, board, tmp_path):
    assert ask(capsys, board, *KNOWN, "--planned", "60")[::2][1].startswith("NF029")
    gaps = tmp_path / "gaps.csv"
    gaps.write_text(board.read_text().rpartition("\n")[0])
    code, _, err = ask(capsys, gaps, *KNOWN)
    assert code == 2
    assert err.startswith("NF028")
    code, out, _ = ask(capsys, gaps, *KNOWN, "--missing", "pairwise")
    assert code == 0
    assert "Units of each pair" in out
