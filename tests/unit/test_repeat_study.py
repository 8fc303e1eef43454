"""The study of examples/repeats, at a reduced size."""

import importlib.util
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).parents[2] / "examples" / "repeats" / "study.py"


def load():
    spec = importlib.util.spec_from_file_location("repeat_study", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_study_runs_and_prints_both_tables(capsys, tmp_path):
    study = load()
    study.main(["--runs", "2", "--tries", "1", "--jobs", "1", "--path", str(tmp_path)])
    out = capsys.readouterr().out

    for source in ("split", "init", "order", "subsample", "hpo", "all"):
        assert f"| {source} | " in out
    assert "| 5th | " in out
    assert "perceptron beats boosting in" in out
    assert {p.name for p in tmp_path.iterdir()} == {"perceptron.jsonl", "boosting.jsonl"}


def test_its_exact_limits_are_those_of_the_tables():
    study = load()
    x = np.random.default_rng(0).permutation(np.arange(1.0, 26.0)).tolist()

    # 0.9 ** 25 = 0.0718: the least of 25 is a lower limit for the tenth percentile at 90 %, and
    # 0.95 ** 25 = 0.277 is too much for the fifth.
    assert study.limits(x, 0.1)[0] == 1
    assert study.limits(x, 0.05)[0] == -np.inf
    # P(Bin(25, 1/2) <= 8) = 0.0539 and <= 9: 0.1148, and the mirror image.
    assert study.limits(x, 0.5) == (9.0, 17.0)
