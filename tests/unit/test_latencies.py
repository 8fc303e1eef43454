"""Percentiles of latencies: order statistics, in which a failure is infinitely late."""

import pytest

from nofluke import Scores, read
from nofluke.errors import InputError
from nofluke.scores.latencies import percentiles


def table(tmp_path, rows):
    path = tmp_path / "t.csv"
    lines = "".join(f"a,{i},{value},{int(bad)}\n" for i, (value, bad) in enumerate(rows))
    path.write_text("candidate,example,latency,bad\n" + lines)
    return read(path, failed="bad", better="lower")


def test_a_percentile_that_falls_on_a_failure_does_not_exist(tmp_path):
    scores = table(tmp_path, [(0.1, False), (0.0, True), (0.3, False), (0.2, False)])

    half, most = percentiles(scores, (0.75, 0.76))

    assert (half.rank, half.value, half.reason) == (3, 0.3, "")
    assert (most.rank, most.value) == (4, None)
    assert most.reason == "does not exist: 1 of 4 requests failed"
    # The failures stand beside every percentile.
    assert str(half) == "p75 of a: 0.3 (rank 3 of 4, 1 failed)"
    assert str(most) == "p76 of a: does not exist: 1 of 4 requests failed (rank 4 of 4, 1 failed)"


def test_a_share_is_the_decimal_that_was_typed():
    # 0.7 * 10 is 7.000000000000001 in binary floating point, and would make rank 8 of it.
    scores = Scores.from_arrays({"a": list(range(10))}, better="lower")

    assert percentiles(scores, (0.7,))[0].value == 6


def test_rows_without_a_score_are_counted_and_not_ranked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("candidate,example,latency\na,1,0.5\na,2,\na,3,0.25\n")

    [found] = percentiles(read(path), (0.5,))

    assert (found.n, found.missing, found.value) == (2, 1, 0.25)


def test_failures_count_as_infinite_also_where_a_highest_value_is_declared(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("candidate,example,latency,bad\na,1,0.5,0\na,2,0,1\n")
    scores = read(path, failed="bad", bounds=(0, 60))

    assert percentiles(scores, (1,))[0].value is None


@pytest.mark.parametrize("share", [0, -0.1, 1.5])
def test_a_share_outside_is_refused(share):
    with pytest.raises(InputError, match="share"):
        percentiles(Scores.from_arrays({"a": [1.0]}, better="lower"), (share,))


def test_scores_of_which_higher_is_better_are_refused():
    with pytest.raises(InputError, match="lower is better"):
        percentiles(Scores.from_arrays({"a": [1.0]}, better="higher"))


def test_a_score_of_minus_infinity_is_told_as_infinite_and_not_as_a_failure():
    scores = Scores.from_arrays({"a": [float("-inf"), float("-inf"), 1.0]}, better="lower")

    [half] = percentiles(scores, (0.5,))

    assert half.reason == "does not exist: 2 of 3 rows are infinite"
