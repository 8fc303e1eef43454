"""Known cases of tables that other readers get wrong, and real score tables."""

import json

import numpy as np
import pytest

from nofluke.errors import ReadError
from nofluke.scores.readers import read


@pytest.fixture(scope="module")
def case(shared):
    """What a case expects, by name."""

    def case(name):
        known = json.loads((shared / "cases" / f"{name}.json").read_text())
        return known["expected"]["values"]

    return case


def test_ids_that_look_like_numbers_or_like_missing(shared, case):
    expected = case("table-01")
    folder = shared / "cases" / "inputs"

    scores = read([folder / "table01_run_a.csv", folder / "table01_run_b.csv"])

    assert scores.complete
    assert len(scores.examples) == expected["pairs"] == expected["distinct_ids"]
    assert {"NA", "null", "007", "7", "1e5", "9007199254740993"} <= set(scores.examples)
    a, b = scores.matrix()
    assert np.mean(a - b) == pytest.approx(expected["mean_difference"], abs=1e-12)


def test_a_spreadsheet_with_decimal_commas(shared, case):
    expected = case("table-02")

    scores = read(shared / "cases" / "inputs" / "table02_excel_export.csv")

    assert scores.candidates == ("model_a", "model_b")
    assert len(scores.examples) == expected["rows"]
    means = scores.matrix().mean(axis=1)
    assert means == pytest.approx([expected["mean_a"], expected["mean_b"]], abs=1e-12)
    assert any(note.startswith("NF115") for note in scores.notes)


def test_a_spreadsheet_with_thousands_marks_is_refused(shared):
    path = shared / "cases" / "inputs" / "table02_excel_export_thousands.csv"
    for how in ({}, {"decimal": ","}, {"decimal": "."}):
        with pytest.raises(ReadError) as caught:
            read(path, **how)
        assert (caught.value.code, caught.value.line) == ("NF005", 6)
        for word in ("f5/model_a is '1.000,0' (line 6)", "f5/model_b", 'decimal=","'):
            assert word in str(caught.value)


def test_a_candidate_that_lacks_examples(shared, case):
    expected = case("bands-02")

    scores = read(shared / "cases" / "inputs" / "bands02_missing.csv")

    means = {c: scores.sample(k).mean() for k, c in enumerate(scores.candidates)}
    assert means == pytest.approx(expected["mean_over_available"], abs=1e-12)
    assert dict(zip(scores.candidates, scores.n.tolist(), strict=True))["delta"] == 7
    lacking = {(scores.candidates[k], scores.examples[e]) for k, e in scores.empty.tolist()}
    assert lacking == {("delta", "q8"), ("delta", "q9"), ("delta", "q10")}


@pytest.mark.parametrize(
    ("name", "K", "examples", "rows", "better", "metric"),
    [
        ("swebench_pro", 9, 970, 6606, "higher", "resolved"),
        ("alpaca_eval2_weighted", 58, 805, 46680, "higher", "preference"),
        ("llmperf_latency", 19, 2845, 2845, "lower", "end_to_end_latency_s"),
        ("fev_bench_errors", 30, 100, 2985, "lower", "SQL"),
    ],
)
def test_real_tables(shared, name, K, examples, rows, better, metric):
    scores = read(shared / "data" / f"{name}.parquet")
    assert (scores.K, len(scores.examples), scores.values.size) == (K, examples, rows)
    assert (scores.better, scores.metric) == (better, metric)
    assert all(note.startswith("NF116") == (name == "llmperf_latency") for note in scores.notes)
    assert not scores.empty.size


def test_failed_requests_do_not_look_fastest(shared):
    path = shared / "data" / "llmperf_latency.parquet"

    scores = read(path, failed="error_code=429,-1")

    assert scores.n_failed.sum() == 393
    assert np.isinf(scores.values).sum() == 393
