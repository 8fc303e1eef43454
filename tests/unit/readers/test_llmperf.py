"""LLMPerf: failed requests with zeros, the code that is no failure, and summaries."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError


def request(code=None, ttft=0.25, latency=0.75, tokens=4):
    return {
        "error_code": code,
        "error_msg": "",
        "ttft_s": ttft,
        "inter_token_latency_s": 0.125 if latency else 0.0,
        "end_to_end_latency_s": latency,
        "request_output_throughput_token_per_s": tokens / latency if latency else 0,
        "number_input_tokens": 20,
        "number_output_tokens": tokens,
        "number_total_tokens": 20 + tokens,
    }


@pytest.fixture
def written(tmp_path):
    def write(rows, name="toy_individual_responses.json"):
        path = tmp_path / name
        path.write_text(json.dumps(rows))
        return path

    return write


def test_codes_of_failures_count_as_infinitely_late_whatever_stands_there(written):
    rows = [request(), request(429, 0, 0), request(-1, 0, 0), request("500", 0.1, 0.1)]

    scores = read(written(rows), metric="ttft_s")

    assert scores.values.tolist() == [0.25] + [float("inf")] * 3
    assert scores.n_failed.tolist() == [3]
    assert any("code 429: 1" in note for note in scores.notes)


def test_an_answer_that_was_too_short_is_kept_and_told(written):
    scores = read(written([request(), request(-100, 0.5, 0.5, 2)]), metric="ttft_s")

    assert scores.values.tolist() == [0.25, 0.5]
    assert scores.n_failed.tolist() == [0]
    [note] = [note for note in scores.notes if "-100" in note]
    assert "kept" in note

    # What the note advises does what it says.
    stricter = read(
        written([request(), request(-100, 0.5, 0.5, 2)]), metric="ttft_s", failed="request_code"
    )
    assert stricter.n_failed.tolist() == [1]


def test_a_zero_without_an_error_is_not_measured(written):
    scores = read(written([request(), request(None, 0, 0.5)]), metric="ttft_s")

    assert scores.values.tolist() == [0.25]
    assert scores.empty.tolist() == [[0, 1]]


def test_throughput_is_better_when_higher_and_a_failure_has_none(written):
    scores = read(
        written([request(), request(429, 0, 0)]), metric="request_output_throughput_token_per_s"
    )

    assert scores.better == "higher"
    assert scores.values.tolist() == [4 / 0.75, 0.0]


def test_metrics_are_chosen_by_the_caller(written):
    with pytest.raises(InputError, match="choose one: metric="):
        read(written([request()]))


def test_the_summary_beside_names_the_model(written):
    path = written([request()])
    written({"model": "meta/llama", "name": "toy"}, name="toy_summary.json")

    assert read(path, metric="ttft_s").candidates == ("meta/llama",)


def test_times_between_tokens_may_be_a_list(written):
    row = {**request(), "inter_token_latency_s": [0.25, 0.75]}

    assert read(written([row]), metric="inter_token_latency_s").values.tolist() == [0.5]


def test_a_negative_time_is_refused(written):
    with pytest.raises(InputError, match="no time is negative"):
        read(written([request(ttft=-1)]), metric="ttft_s")


def test_a_summary_is_refused_with_its_errors(written):
    summary = {
        "model": "toy",
        "results_ttft_s_quantiles_p50": 0.25,
        "results_number_errors": 130,
        "results_num_requests_started": 150,
    }

    with pytest.raises(InputError, match=r"\(130 of 150 here\).*individual_responses"):
        read(written(summary, name="toy_summary.json"))


def test_of_a_folder_with_both_the_requests_are_read(written, tmp_path):
    written([request()])
    written({"model": "toy", "results_ttft_s_mean": 0.25}, name="toy_summary.json")

    scores = read(tmp_path, metric="ttft_s")

    assert scores.values.tolist() == [0.25]
    assert any(note.startswith("NF269") for note in scores.notes)


def test_a_summary_beside_that_is_no_record_says_nothing(written):
    path = written([request()])
    written(5, name="toy_summary.json")

    assert read(path, metric="ttft_s").candidates == (path.stem,)
