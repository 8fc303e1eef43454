"""Locust: tables of statistics are refused; a histogram is read where nothing failed in it."""

import csv
import json

import pytest

from nofluke import read
from nofluke.errors import InputError

STATS = (
    "Type,Name,Request Count,Failure Count,Median Response Time,50%,95%\nGET,/a,95,19,25,25,37\n"
)
HISTORY = "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%\n1796021513,1,GET,/a,0,0,N/A\n"
FAILURES = "Method,Name,Error,Occurrences\nGET,/a,refused,19\n"


def entry(**changed):
    return {
        "name": "/a",
        "method": "GET",
        "num_requests": 3,
        "num_failures": 0,
        "response_times": {"12": 2, "0": 1},
        **changed,
    }


@pytest.mark.parametrize("text", [STATS, HISTORY, FAILURES])
def test_statistics_are_refused_with_what_to_do(tmp_path, text):
    path = tmp_path / "stats.csv"
    path.write_text(text)

    with pytest.raises(InputError, match="add_listener"):
        read(path)


def test_a_histogram_becomes_rows_and_says_that_they_are_rounded(tmp_path):
    path = tmp_path / "locust.json"
    path.write_text(json.dumps([entry()]))

    scores = read(path)

    assert sorted(scores.values.tolist()) == [0.0, 12.0, 12.0]
    assert any("rounds" in note for note in scores.notes)


def test_a_histogram_with_failures_is_refused(tmp_path):
    path = tmp_path / "locust.json"
    path.write_text(json.dumps([entry(num_failures=1)]))

    with pytest.raises(InputError, match="1 of 3 requests to GET /a failed"):
        read(path)


def test_endpoints_are_parts(tmp_path):
    path = tmp_path / "locust.json"
    path.write_text(json.dumps([entry(), entry(name="/b")]))

    assert read(path, where={"name": "GET /b"}).values.size == 3


def test_a_table_as_the_advice_has_it_is_read(tmp_path):
    path = tmp_path / "requests.csv"
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["id", "name", "response_time", "exception"])
        rows.writerows([[1, "/a", 12.5, ""], [2, "/a", 3.0, "ConnectionError"]])

    scores = read(path, columns={"score": "response_time"}, better="lower", failed="exception")

    assert scores.values.tolist() == [12.5, float("inf")]


def test_requests_without_a_time_are_missing_and_told(tmp_path):
    path = tmp_path / "locust.json"
    path.write_text(json.dumps([entry(num_requests=5, num_none_requests=2)]))

    scores = read(path)

    assert sorted(scores.values.tolist()) == [0.0, 12.0, 12.0]
    assert len(scores.empty) == 2
    assert any("response_time 2" in note and "NF316" in note for note in scores.notes)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"num_requests": 2}, "more than 2 times of 2 requests"),
        ({"num_requests": 10**12, "response_times": {"1": 10**12}}, "more than 10000000 requests"),
    ],
)
def test_counts_that_cannot_be_are_refused(tmp_path, changed, told):
    path = tmp_path / "locust.json"
    path.write_text(json.dumps([entry(**changed)]))

    with pytest.raises(InputError, match=told):
        read(path)
