"""vLLM's serving benchmark: seconds and milliseconds, failures, and zeros that are no times."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError
from nofluke.questions.certify import certify

HEAD = {"model_id": "toy", "request_rate": "inf", "max_concurrency": None}
TOTALS = {
    "duration": 2.0,
    "completed": 3,
    "total_input_tokens": 40,
    "request_throughput": 1.5,
    "request_goodput:": None,
}
ROWS = {
    "input_lens": [8, 8, 8, 8],
    "output_lens": [3, 0, 2, 3],
    "ttfts": [0.25, 0.0, 0.5, 0.0],
    "itls": [[0.125, 0.25], [], [0.25], [0.125, 0.125]],
    "generated_texts": ["a b c", "", "a b", "a b c"],
    "errors": ["", "HTTP 503", "", ""],
}


@pytest.fixture
def written(tmp_path):
    def write(*values, name="bench.json", lines=False):
        path = tmp_path / name
        text = "\n".join(json.dumps(v) for v in values) if lines else json.dumps(values[0])
        path.write_text(text)
        return path

    return write


def test_a_failed_request_is_infinitely_late_and_an_unmeasured_one_is_missing(written):
    scores = read(written({**HEAD, **TOTALS, **ROWS}), metric="ttft")

    assert scores.values.tolist() == [0.25, float("inf"), 0.5]
    assert scores.n_failed.tolist() == [1]
    assert scores.empty.tolist() == [[0, 3]]
    assert scores.better == "lower"
    assert scores.candidates == ("toy",)


def test_every_time_is_in_seconds_and_computed_as_the_tool_does(written):
    path = written({**HEAD, **TOTALS, **ROWS})

    assert read(path, metric="e2el").values.tolist() == [0.625, float("inf"), 0.75]
    assert read(path, metric="tpot").values.tolist() == [0.1875, float("inf"), 0.25]
    assert read(path, metric="itl").values.tolist() == [0.1875, float("inf"), 0.25, 0.125]


def test_latencies_of_newer_versions_are_taken_as_they_are(written):
    newer = {**ROWS, "latencies": [0.75, 0.0, 1.0, 0.5], "start_times": [1.0, 2.0, 3.0, 4.0]}

    scores = read(written({**HEAD, **TOTALS, **newer}), metric="e2el")

    assert scores.values.tolist() == [0.75, float("inf"), 1.0, 0.5]
    assert scores.time.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_refusal_without_a_reason_is_a_failure(written):
    # A server may close with an empty reason: then errors[i] is "" as for a success.
    silent = {**ROWS, "errors": ["", "", "", ""]}

    assert read(written({**HEAD, **TOTALS, **silent}), metric="ttft").n_failed.tolist() == [1]


def test_the_metric_that_the_tool_leads_with_is_taken_and_told(written):
    scores = read(written({**HEAD, **TOTALS, **ROWS}))

    assert scores.metric == "ttft"
    assert any(note.startswith("NF265") for note in scores.notes)
    assert any("'ttft' is in s" in note for note in scores.notes)
    assert any("1 of 4 requests failed (HTTP 503: 1)" in note for note in scores.notes)
    assert any("3 requests that did not fail" in note and "ttft 1" in note for note in scores.notes)


def test_a_summary_is_refused_with_the_option_that_writes_the_requests(written):
    with pytest.raises(InputError, match="--save-detailed"):
        read(written({**HEAD, **TOTALS, "mean_ttft_ms": 65.2, "p99_ttft_ms": 143.8}))


def test_latencies_that_newer_versions_leave_in_a_summary_are_read(written):
    left = {**TOTALS, "failed": 1, "latencies": [0.5, 0.0, 0.25, 1.0]}

    scores = read(written({**HEAD, **left}))

    assert scores.metric == "e2el"
    assert scores.values.tolist() == [0.5, float("inf"), 0.25, 1.0]


def test_zeros_that_are_not_the_failures_counted_are_refused(written):
    with pytest.raises(InputError, match="2 of 4 latencies are 0, and the log says 1 failed"):
        read(written({**HEAD, **TOTALS, "failed": 1, "latencies": [0.5, 0.0, 0.0, 1.0]}))


def test_times_without_a_list_of_errors_are_refused(written):
    without = {k: v for k, v in ROWS.items() if k != "errors"}

    with pytest.raises(InputError, match="cannot be told from a fast one"):
        read(written({**HEAD, **TOTALS, **without}))


def test_lists_of_different_lengths_are_refused(written):
    with pytest.raises(InputError, match="different lengths"):
        read(written({**HEAD, **TOTALS, **ROWS, "ttfts": [0.25]}))


def test_lists_that_were_cut_are_told(written):
    scores = read(written({**HEAD, **TOTALS, **ROWS, "completed": 200}))

    assert any(note.startswith("NF318") and "200" in note for note in scores.notes)


@pytest.mark.parametrize(("counted", "told"), [(8, False), (3, True)])
def test_lengths_that_were_asked_for_are_told(written, counted, told):
    lengths = {"total_output_tokens": 8, "total_output_tokens_retokenized": counted}

    notes = read(written({**HEAD, **TOTALS, **ROWS, **lengths}), metric="tpot").notes

    assert any(n.startswith("NF318") and "asked for" in n for n in notes) == told


def test_appended_results_are_told_apart_by_their_settings(written):
    one, two = ({**HEAD, **TOTALS, **ROWS, "request_rate": rate} for rate in (1.0, "inf"))

    scores = read(written(one, two, lines=True), metric="ttft")

    assert scores.candidates == ("toy (request_rate=1.0)", "toy (request_rate=inf)")


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\u2029"])
def test_a_text_with_a_separator_of_unicode_ends_no_line(tmp_path, mark):
    """JSON may hold them as they are, and other languages write them so."""
    texts = [f"a{mark}b", "", "a b", "a b c"]
    path = tmp_path / "bench.json"
    values = [{**HEAD, **TOTALS, **ROWS, "generated_texts": texts, "request_rate": r} for r in "12"]
    written = (json.dumps(value, ensure_ascii=False) for value in values)
    path.write_text("\n".join(written), "utf-8")

    assert len(read(path, metric="ttft").candidates) == 2


def test_a_benchmark_in_which_all_failed_has_no_finite_time(written):
    dead = {
        **ROWS,
        "output_lens": [0] * 4,
        "ttfts": [0.0] * 4,
        "itls": [[]] * 4,
        "errors": ["x"] * 4,
    }

    scores = read(written({**HEAD, **TOTALS, "completed": 0, **dead}), metric="ttft")

    assert scores.values.tolist() == [float("inf")] * 4


@pytest.mark.parametrize(("late", "value"), [(2, float("inf")), (0, 0.5)])
def test_a_guarantee_is_infinite_where_too_many_failed_and_says_why(written, late, value):
    n = 200
    rows = {
        "input_lens": [8] * n,
        "output_lens": [2] * n,
        "ttfts": [0.5] * n,
        "itls": [[0.25]] * n,
        "errors": ["HTTP 503" if i % 10 < late else "" for i in range(n)],
    }
    scores = read(written({**HEAD, **TOTALS, **rows}), metric="ttft")

    answer = certify(scores, select="top:1", gamma=0.05)

    [row] = answer.rows()
    assert row["value"] == value
    assert any("too many scores are infinite" in note for note in answer.notes) == (late > 0)
    assert any(note.startswith("NF110") for note in answer.notes) == (late > 0)


def test_batches_are_repetitions_of_one_time(written):
    path = written({"avg_latency": 0.5, "latencies": [0.25, 0.75], "percentiles": {"50": 0.5}})

    scores = read(path)

    assert scores.metric == "latency"
    assert scores.values.tolist() == [0.25, 0.75]


def test_numbers_beyond_all_numbers_are_refused_or_are_no_counts(written):
    gaps = [[0.125, 10**400], [], [0.25], [0.125, 0.125]]
    with pytest.raises(InputError, match=r"itls\[0\] holds a number of more than 308 digits"):
        read(written({**HEAD, **TOTALS, **ROWS, "itls": gaps}), metric="itl")

    lengths = [10**400, 0, 2, 3]
    scores = read(written({**HEAD, **TOTALS, **ROWS, "output_lens": lengths}), metric="tpot")
    assert 0 in scores.empty[:, 1]
