"""GuideLLM: requests by how they ended, and lists that are samples."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError


def request(name, latency=None, first=None, **more):
    return {
        "request_id": name,
        "request_latency": latency,
        "time_to_first_token_ms": first,
        **more,
    }


def report(*benchmarks):
    return {"metadata": {"guidellm_version": "0.8.1"}, "benchmarks": list(benchmarks)}


def benchmark(totals=None, **ends):
    metrics = {} if totals is None else {"metrics": {"request_totals": totals}}
    return {"requests": {"successful": [], "errored": [], "incomplete": [], **ends}, **metrics}


@pytest.fixture
def written(tmp_path):
    def write(value):
        path = tmp_path / "benchmarks.json"
        path.write_text(json.dumps(value))
        return path

    return write


ENDS = {
    "successful": [request("a", 0.5, 120.0), request("b", 0.75, 0.0)],
    "errored": [request("c", 0.01, info={"error": "refused"})],
    "incomplete": [request("d", 0.1)],
}


def test_errors_are_late_and_what_the_end_cut_off_is_missing(written):
    scores = read(written(report(benchmark(**ENDS))), metric="request_latency")

    assert scores.values.tolist() == [0.5, 0.75, float("inf")]
    assert [scores.examples[e] for _, e in scores.empty.tolist()] == ["d"]
    assert any("refused: 1" in note for note in scores.notes)


def test_seconds_and_milliseconds_are_told(written):
    path = written(report(benchmark(**ENDS)))

    assert any("is in s" in n for n in read(path, metric="request_latency").notes)
    assert any("is in ms" in n for n in read(path, metric="time_to_first_token_ms").notes)


def test_benchmarks_of_one_file_are_candidates(written):
    path = written(report(benchmark(**ENDS), benchmark(**ENDS)))

    scores = read(path, metric="request_latency")

    assert scores.candidates == ("benchmarks (benchmark=1)", "benchmarks (benchmark=2)")


def test_a_sample_of_the_requests_is_refused(written):
    sampled = benchmark(totals={"successful": 1000, "errored": 1}, **ENDS)

    with pytest.raises(InputError, match="2 of its 1000 successful requests"):
        read(written(report(sampled)), metric="request_latency")


def test_a_benchmark_without_requests_is_refused(written):
    with pytest.raises(InputError, match="no single request"):
        read(written(report(benchmark())))


def test_requests_without_an_id_are_numbered_and_that_is_told(written):
    ends = {"successful": [request("", 0.5), request("b", 0.75)]}
    numbered = read(written(report(benchmark(**ends))), metric="request_latency")

    assert any(note.startswith("NF317") for note in numbered.notes)
    named = read(written(report(benchmark(**ENDS))), metric="request_latency")
    assert not any(note.startswith("NF317") for note in named.notes)


def test_a_start_beyond_all_numbers_is_refused(written):
    odd = {"successful": [request("a", 0.5, request_start_time=10**400)]}
    with pytest.raises(InputError, match="308 digits"):
        read(written(report(benchmark(**odd))), metric="request_latency")
