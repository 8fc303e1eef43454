"""Real files of DeepEval, AlpacaEval, MTEB and promptfoo, against a plain walk through their JSON.

Nothing of the readers is used for the expected values: they are counted here by hand, from the
bytes. The files are not part of this repository.
"""

import csv
import json
import math
import statistics
from pathlib import Path

import pytest

from nofluke import read
from nofluke.errors import ReadError
from nofluke.scores.readers import files, recognition
from nofluke.scores.readers.workspace import Workspace

SHARED = Path(__file__).parents[3] / "shared"
FORMATS = SHARED / "formats"
pytestmark = pytest.mark.skipif(not FORMATS.is_dir(), reason="no folder of real files beside")


def log_of(path, key):
    with Workspace() as space:
        file = files.told(path, str(path), space)
        reader = recognition.of_file(file)
        assert reader is not None, path
        assert reader.key == key
        (log,) = reader.read(file)
        return log


def mean(values):
    known = [v for v in values if v is not None]
    return math.fsum(known) / len(known)


def test_every_file_of_these_tools_is_known_to_its_reader_alone():
    expected = {
        "alpaca_eval/alpaca-7b_annotations_head30.json": "alpaca-eval",
        "alpaca_eval/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv": "alpaca-eval-leaderboard",
        "deepeval/latest_test_run.json": "deepeval",
    } | {f"mteb/{path.name}": "mteb" for path in (FORMATS / "mteb").iterdir()}
    tools = ("alpaca_eval", "deepeval", "mteb")
    there = [p for tool in tools for p in (FORMATS / tool).rglob("*") if p.is_file()]
    assert {str(p.relative_to(FORMATS)) for p in there} == set(expected)
    for name, key in expected.items():
        log_of(FORMATS / name, key)


def test_alpaca_annotations():
    path = FORMATS / "alpaca_eval" / "alpaca-7b_annotations_head30.json"
    rows = json.loads(path.read_text())
    log = log_of(path, "alpaca-eval")
    assert log.scores["preference"] == [row["preference"] for row in rows]
    assert list(log.candidate) == [row["generator_2"] for row in rows]
    assert len(set(log.example)) == len(rows) == 30
    scores = read(path)
    assert scores.better == "higher"
    assert scores.values.mean() == pytest.approx(mean([row["preference"] for row in rows]))


def test_alpaca_leaderboard():
    path = FORMATS / "alpaca_eval" / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv"
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    log = log_of(path, "alpaca-eval-leaderboard")
    for metric in ("length_controlled_winrate", "win_rate"):
        assert log.scores[metric] == [float(row[metric]) for row in rows]
        assert log.bounds[metric] == (0.0, 100.0)
    assert log.candidate[0] == rows[0]["name"] == "NullModel (adversarial)"
    assert log.usual == "length_controlled_winrate"
    scores = read(path, metric="win_rate")
    assert len(scores.candidates) == len(rows)


def test_deepeval_run():
    path = FORMATS / "deepeval" / "latest_test_run.json"
    (case,) = json.loads(path.read_text())["testRunData"]["testCases"]
    log = log_of(path, "deepeval")
    assert log.scores == {
        **{m["name"]: [m["score"]] for m in case["metricsData"]},
        "success": [case["success"]],
    }
    assert log.scores["Exact Match"] == [1.0]
    assert log.scores["success"] == [False]
    with pytest.raises(ReadError, match="choose one: metric="):
        read(path)
    assert read(path, metric="Exact Match").values.tolist() == [1]


@pytest.mark.parametrize(
    "path", sorted((FORMATS / "mteb").glob("*.json")) if FORMATS.is_dir() else [], ids=str
)
def test_mteb_files(path):
    told = json.loads(path.read_text())
    rows = [(split, entry) for split, found in told["scores"].items() for entry in found]
    log = log_of(path, "mteb")
    assert list(log.part) == [told["task_name"]] * len(rows)
    assert list(log.alternatives["split"]) == [split for split, _ in rows]
    assert list(log.example) == [entry["hf_subset"] for _, entry in rows]
    metrics = {k for _, e in rows for k, v in e.items() if isinstance(v, float)}
    for metric in metrics:
        expected = [entry.get(metric) for _, entry in rows]
        expected = [None if v is None or math.isnan(v) else v for v in expected]
        assert log.scores[metric] == expected, metric
    if len({split for split, _ in rows}) == 1:
        scores = read(path)
        assert scores.metric == "main_score"
        assert scores.values.mean() == pytest.approx(mean([e["main_score"] for _, e in rows]))
    else:
        with pytest.raises(ReadError, match="by split"):
            read(path)


def test_the_promptfoo_case():
    """Pass and score, errors and repeats from the cache: each value of the case."""
    told = json.loads((SHARED / "cases" / "reader-04.json").read_text())["expected"]["values"]
    path = SHARED / "cases" / "inputs" / "reader04_promptfoo.json"
    rows = json.loads(path.read_text())["results"]["results"]
    log = log_of(path, "promptfoo")
    passed = log.scores["pass"]
    assert len(rows) == told["rows"]
    assert len(log.example) == told["distinct_tests"]
    assert passed.count(None) == told["errors"]
    assert len(rows) - len(log.example) == told["cached_repeats"]
    assert len(passed) - passed.count(None) == told["graded_distinct"]
    assert sum(v for v in passed if v) == told["passes_distinct"]
    assert mean(passed) == pytest.approx(told["pass_rate_graded"])
    assert sum(v for v in passed if v) / len(passed) == told["pass_rate_errors_as_fail"]
    assert mean(log.scores["score"]) == pytest.approx(told["mean_score_graded"])
    times = [v for v in log.scores["latencyMs"] if v is not None]
    assert len(times) == told["latency_n"]
    assert statistics.median(times) == told["latency_median"]
    assert mean(passed) != pytest.approx(told["wrong_pass_rate_rows"])
    scores = read(path, metric="latencyMs")
    assert scores.better == "lower"
    assert any("2 of 8 rows ended in an error" in note for note in log.notes)
