"""k6: points become rows, failures are known by k6's own flag, summaries are refused."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError


def metric(name, kind="trend", contains="time"):
    return {"type": "Metric", "metric": name, "data": {"type": kind, "contains": contains}}


def point(metric_name, value, at="2026-01-05T10:00:00.5Z", **tags):
    tags = {"status": "200", "name": "/a", **tags}
    data = {"time": at, "value": value, "tags": tags}
    return {"type": "Point", "metric": metric_name, "data": data}


HEADS = [metric("http_req_duration"), metric("http_req_connecting"), metric("vus", "gauge", "x")]


@pytest.fixture
def written(tmp_path):
    def write(lines, name="points.json"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return write


def requests(*rows):
    lines = [*HEADS, metric("http_req_failed", "rate", "default")]
    for duration, failed, tags in rows:
        lines += [
            point("http_req_duration", duration, **tags),
            point("http_req_connecting", 0.0, **tags),
            point("http_req_failed", failed, **tags),
            point("vus", 1),
        ]
    return lines


def test_fast_failures_are_not_fast_requests(written):
    path = written(requests((120.5, 0, {}), (3.2, 1, {"status": "503"}), (98.0, 0, {})))

    scores = read(path)

    assert scores.metric == "http_req_duration"
    assert scores.values.tolist() == [120.5, float("inf"), 98.0]
    assert any("status 503: 1" in note for note in scores.notes)
    assert any("is in ms" in note for note in scores.notes)


def test_what_k6_does_not_call_a_failure_is_none(written):
    # A 404 that the script expects.
    scores = read(written(requests((120.5, 0, {"status": "404"}))))

    assert scores.n_failed.tolist() == [0]


def test_a_phase_of_no_time_is_measured(written):
    scores = read(written(requests((120.5, 0, {}))), metric="http_req_connecting")

    assert scores.values.tolist() == [0.0]


def test_requests_are_narrowed_by_their_tags(written):
    path = written(requests((120.5, 0, {"name": "/a"}), (98.0, 0, {"name": "/b"})))

    assert read(path, where={"name": "/b"}).values.tolist() == [98.0]


def test_without_the_flag_the_status_tells(written):
    lines = [
        metric("http_req_duration"),
        *(point("http_req_duration", 5.0, status=s) for s in ("200", "500", "0")),
    ]

    assert read(written(lines)).n_failed.tolist() == [2]


def test_points_of_other_metrics_are_rows_of_their_own(written):
    lines = [metric("iteration_duration"), point("iteration_duration", 1000.0)]

    scores = read(written([*lines, *requests((1.0, 0, {}))]), metric="iteration_duration")

    assert scores.values.tolist() == [1000.0]


def test_times_sort_although_their_last_zeros_are_left_out(written):
    at = ["10:00:00.51Z", "10:00:00.5Z", "10:00:00Z"]
    lines = [metric("http_req_duration")]
    lines += [point("http_req_duration", 1.0, at=f"2026-01-05T{t}") for t in at]

    assert read(written(lines)).time.tolist() == [2.0, 1.0, 0.0]


def test_a_file_that_was_cut_off_is_refused(written):
    lines = requests((120.5, 0, {}), (98.0, 0, {}))[:-2]

    with pytest.raises(InputError, match="different numbers of points"):
        read(written(lines))


@pytest.mark.parametrize(
    "values",
    [
        {"avg": 1.0, "p(90)": 2.0, "p(95)": 3.0},
        {"type": "trend", "contains": "time", "values": {"avg": 1.0, "p(90)": 2.0}},
    ],
)
def test_both_kinds_of_summary_are_refused(tmp_path, values):
    path = tmp_path / "summary.json"
    path.write_text(json.dumps({"metrics": {"http_req_duration": values}}))

    with pytest.raises(InputError, match="--out json=points.json"):
        read(path)


def test_points_that_are_numbered_are_told(written):
    path = written([metric("iteration_duration"), point("iteration_duration", 5.0)])

    assert any(note.startswith("NF317") for note in read(path).notes)
