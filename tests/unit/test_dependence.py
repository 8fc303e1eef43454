"""Rows that follow each other are not counted one by one; independent ones are left alone."""

import math

import numpy as np
import pytest

from nofluke import Scores, certify, read
from nofluke.errors import InputError
from nofluke.scores import dependence, findings
from nofluke.scores.readers.gather import clock


def walk(n, r, rng):
    """An autoregression of strength r."""
    x = rng.normal(size=n)
    for i in range(1, n):
        x[i] += r * x[i - 1]
    return x


def table(x, *, time=None, cluster=None, shuffled=None):
    """One candidate, read from rows in any order, ids that say nothing about time."""
    rng = np.random.default_rng(0 if shuffled is None else shuffled)
    ids = rng.permutation(len(x))
    rows = [{"model": "m", "item": f"{ids[i]:05d}", "score": v} for i, v in enumerate(x)]
    for i, row in enumerate(rows):
        if time is not None:
            row["time"] = time(i)
        if cluster is not None:
            row["cluster"] = cluster(i)
    return read([rows[i] for i in rng.permutation(len(x))], better="lower")


def test_a_series_in_time_is_refused():
    x = walk(300, 0.8, np.random.default_rng(1))
    scores = table(x, time=lambda i: i)

    assert scores.time is not None
    with pytest.raises(
        InputError, match="'m' follow each other: autocorrelation 0.6. in order of"
    ) as e:
        certify(scores, "top:1")
    assert e.value.code == "NF117"
    for told in ("in 300 rows", "every 250 ms", "unit='cluster'", "dependence='ignore'"):
        assert told in str(e.value)


def test_ignoring_it_costs_the_guarantee():
    scores = table(walk(300, 0.8, np.random.default_rng(1)), time=lambda i: i)
    answer = certify(scores, "top:1", dependence="ignore")

    assert answer.guarantee == "heuristic"
    assert any(note.startswith("NF118") for note in answer.notes)
    assert len(answer.sentences()) == 1
    assert "no guarantee is made" in answer.sentences()[0]
    assert certify(scores_iid(), "top:1", dependence="ignore").guarantee == "finite-sample"
    with pytest.raises(InputError, match="dependence='no' is not one of refuse, ignore"):
        certify(scores, "top:1", dependence="no")


def scores_iid(n=300):
    return table(np.random.default_rng(2).normal(size=n), time=lambda i: i)


def test_the_order_of_rows_does_not_matter_where_time_tells_it():
    x = walk(200, 0.7, np.random.default_rng(3))
    found = [dependence.serial(table(x, time=lambda i: i, shuffled=s), 0) for s in (1, 2)]
    assert found[0].estimate == found[1].estimate
    # Without the time the shuffled ids carry no order.
    assert not dependence.serial(table(x), 0).noticeable


def test_what_goes_on_and_off_is_seen_beyond_the_next_row():
    rng = np.random.default_rng(4)
    level = np.repeat(rng.normal(size=300), 10)
    x = level + 3 * np.tile([0, 1], 1500)  # every other row is low, whatever the level
    found = dependence.serial(table(x, time=lambda i: i), 0)
    assert found.strong


def test_clusters_are_series_of_their_own():
    """Pairs across the border of two clusters do not count; a level of its own does."""
    rng = np.random.default_rng(5)
    x = np.concatenate([[v, w] for v, w in rng.normal(size=(200, 2))])
    pairs = table(x, time=lambda i: i % 2, cluster=lambda i: f"{i // 2:03d}")
    assert not dependence.serial(pairs, 0).noticeable
    level = np.repeat(rng.normal(size=30), 20) + 0.1 * rng.normal(size=600)
    found = dependence.serial(table(level, time=lambda i: i, cluster=lambda i: f"{i // 20:02d}"), 0)
    assert found.strong
    assert found.clusters.tolist() == [20] * 30


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(size=n),
        lambda rng, n: rng.standard_cauchy(n),
        lambda rng, n: np.where(rng.random(n) < 0.1, np.inf, rng.random(n)),
        lambda rng, n: (rng.random(n) < 0.5).astype(float),
        lambda rng, n: (rng.random(n) < 0.01).astype(float),
        lambda rng, n: rng.integers(1, 6, n).astype(float),
    ],
    ids=["normal", "cauchy", "time-outs", "coin", "rare", "ratings"],
)
@pytest.mark.parametrize("n", [12, 40, 150, 1000])
def test_independent_draws_never_ring(draw, n):
    rng = np.random.default_rng(6)
    z = []
    for _ in range(100):
        scores = Scores.from_arrays([draw(rng, n)], better="lower")
        found = dependence.serial(_timed(scores), 0)
        if found is not None:
            assert not found.noticeable
            z.append(found.z)
    assert max(z, default=0) < 5


def _timed(scores):
    from dataclasses import replace

    return replace(scores, time=np.arange(scores.values.size, dtype=float))


def test_two_rare_scores_that_meet_are_no_pattern():
    x = np.zeros(1000)
    x[[10, 11, 500]] = 1
    assert not dependence.serial(_timed(Scores.from_arrays([x], better="lower")), 0).noticeable


def test_sorted_and_constant_rows_say_nothing():
    rising = Scores.from_arrays([np.arange(500.0), np.ones(500)], better="lower")
    assert dependence.serial(rising, 0) is None
    assert dependence.serial(rising, 1) is None
    assert certify(rising, "top:1").guarantee == "finite-sample"
    # A series that rises in time is another matter.
    assert dependence.serial(
        _timed(Scores.from_arrays([np.arange(500.0)], better="lower")), 0
    ).strong


def test_without_a_time_only_the_overwhelming_is_refused():
    rng = np.random.default_rng(7)
    some = Scores.from_arrays([walk(200, 0.75, rng)], better="lower")
    much = Scores.from_arrays([walk(600, 0.9, rng)], better="lower")

    noted = [n for n in certify(some, "top:1").notes if "follow each other" in n]
    assert len(noted) == 1
    assert noted[0].startswith("NF106")
    with pytest.raises(InputError, match="shuffle them"):
        certify(much, "top:1")


def test_heavy_tails_and_units_do_not_matter():
    x = walk(400, 0.8, np.random.default_rng(8))
    found = [
        dependence.serial(_timed(Scores.from_arrays([y], better="lower")), 0)
        for y in (x, np.exp(5 * x), 7 * x - 3)
    ]
    assert len({round(f.estimate, 12) for f in found}) == 1


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("swebench_pro", {"binary": True}),
        ("alpaca_eval2_weighted", {}),
        ("fev_bench_errors", {"better": "lower"}),
        ("llmperf_latency", {}),
    ],
)
def test_tables_of_separate_cases_are_not_refused(shared, name, how):
    scores = findings.settle(read(shared / "data" / f"{name}.parquet", **how), "own")
    for k in range(scores.K):
        found = dependence.serial(scores, k)
        assert found is None or not found.strong


def test_the_digits_are_not_refused(workplace):
    scores = read(workplace / "examples/digits/log_loss.parquet")
    assert not any(dependence.serial(scores, k).noticeable for k in range(scores.K))


def test_radio_traces_are_refused_by_the_second_and_certified_by_trace(shared):
    scores = read(shared / "data" / "radio5g_streaming.parquet", better="higher")
    for candidate in scores.candidates:
        with pytest.raises(InputError, match="in order of time") as e:
            certify(scores, f"names:{candidate}", missing="own")
        assert e.value.code == "NF117"

    answer = certify(scores, "top:2", missing="own", unit="cluster", seed=1, gamma=0.5)
    traces = {
        c: len(set(scores.cluster.codes[scores.starts[k] : scores.starts[k + 1]].tolist()))
        for k, c in enumerate(scores.candidates)
    }
    assert {row["candidate"]: row["n"] for row in answer.rows()} == {
        c: traces[c] for c in answer.selected
    }
    assert answer.guarantee == "finite-sample"
    assert answer.n == 62


def rows_at(times):
    return [{"model": "m", "item": str(i), "when": t, "score": i} for i, t in enumerate(times)]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([30, 9, 100], [30, 9, 100]),
        (["30", "9", "100"], [30, 9, 100]),
        ([0.5, None, 0.25], [0.5, math.nan, 0.25]),
        (["2024-02-01", "2023-12-31", "2024-01-01"], [2, 0, 1]),
    ],
)
def test_times_are_numbers_or_ranks(times, expected):
    scores = read(rows_at(times), better="lower", columns={"time": "when"})
    np.testing.assert_array_equal(scores.time, expected)


@pytest.mark.parametrize("name", ["time", "timestamp", "t", "step"])
def test_times_have_well_known_names(name):
    rows = [{"model": "m", "item": str(i), name: 9 - i, "score": i} for i in range(3)]
    assert read(rows, better="lower").time.tolist() == [9, 8, 7]
    assert read(rows, better="lower", columns={"time": None}).time is None


def test_a_time_that_is_the_score_stays_the_score():
    rows = [{"model": "m", "item": str(i), "time": 9 - i} for i in range(3)]
    scores = read(rows)
    assert scores.metric == "time"
    assert scores.better == "lower"
    assert scores.time is None


def test_a_candidate_called_t_stays_a_candidate():
    scores = read([{"item": "1", "s": 1.0, "t": 2.0}], better="lower")
    assert scores.candidates == ("s", "t")
    timed = read([{"item": "1", "s": 1.0, "t": 2.0}], better="lower", columns={"time": "t"})
    assert timed.candidates == ("s",)
    assert timed.time.tolist() == [2]


def test_time_from_files(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("model,item,timestamp,score\na,1,2024-01-02 10:00,5\na,2,2024-01-02 09:59,6\n")
    assert read(path, better="lower").time.tolist() == [1, 0]
    path.write_text("model,item,t,score\na,1,10,5\na,2,9,6\n")
    assert read(path, better="lower").time.tolist() == [10, 9]


def test_times_follow_their_rows_and_count_in_the_digest():
    scores = read(rows_at([3, 1, 2]), better="lower", columns={"time": "when"})
    other = read(rows_at([3, 1, 4]), better="lower", columns={"time": "when"})
    assert scores.digest != other.digest
    assert scores.take(np.array([True, False, True])).time.tolist() == [3, 2]


def test_a_clock_of_mixed_texts_ranks_them():
    assert clock(["10", "9", "noon"]).tolist() == [0, 1, 2]
    assert clock(["1,5", "10,5"]).tolist() == [1.5, 10.5]
