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
