"""Early stopping of Inspect evaluations, with Inspect itself and its mock model, offline."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from nofluke import ComparisonStream
from nofluke.errors import InputError, MissingExtra
from nofluke.integrations import inspect as ours

pytest.importorskip(
    "inspect_ai", reason="inspect-ai is not installed: pip install nofluke[inspect]"
)

from inspect_ai.scorer import SampleScore, Score, value_to_float

HERE = Path(__file__).parent
N = 50
GOOD = {f"s{k}": int(k % 4 > 0) for k in range(N)}
POOR = dict.fromkeys(GOOD, 0)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """What the logs of the real evaluations say."""
    folder = tmp_path_factory.mktemp("logs")
    done = subprocess.run(
        [sys.executable, str(HERE / "inspect_evaluations.py"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def evidence(logs):
    def evidence(name):
        assert logs[name]["status"] == "success", logs[name]["error"]
        return logs[name]["evidence"]

    return evidence


def test_it_stops_when_decided_and_the_log_has_the_evidence(logs, evidence):
    log, told = logs["stops"], evidence("stops")
    # What it should have said, from the samples in the order in which they were run.
    stream = ComparisonStream(bounds=(0, 1), planned=N)
    for sample in log["order"][: told["n"]]:
        stream.update(0, GOOD[sample])
    assert (told["verdict"], told["decided_at"]) == ("better", stream.decided_at)
    assert told["evidence"] == stream.evidence
    assert (told["question"]["alpha"], told["question"]["planned"]) == (0.05, N)
    assert told["guarantee"] == "anytime"
    assert "this model is better than the baseline" in told["sentences"][0]

    assert log["manager"] == "nofluke.stop_when"
    assert told["n"] <= log["completed"]
    assert log["completed"] == log["logged"] == told["samples_completed"]
    assert log["reasons"] == ["decided: better"] * told["runs_not_scheduled"]
    assert log["completed"] + told["runs_not_scheduled"] == N
    assert told["runs_not_scheduled"] > N / 2


def test_unshuffled_samples_are_refused(logs):
    assert logs["unshuffled"]["status"] == "error"
    assert "the samples are not shuffled" in logs["unshuffled"]["error"]
    assert "sample_shuffle=SEED" in logs["unshuffled"]["error"]
    begin(ours.stop_when(baseline=POOR, shuffled=True), POOR, shuffled=False)


def test_without_a_difference_it_runs_to_the_end(logs, evidence):
    told = evidence("no difference")
    assert (told["verdict"], told["n"]) == ("continue", N)
    assert (told["samples_completed"], told["runs_not_scheduled"]) == (N, 0)
    assert logs["no difference"]["reasons"] == []


def test_errors_are_counted_and_told(evidence):
    told = evidence("errors")
    assert sorted(told["ids_without_score"]) == ["s0", "s1", "s10", "s20", "s30", "s40"]
    assert (told["verdict"], told["n"]) == ("continue", N - 6)
    assert "NF157: 6 samples have no score" in told["notes"][0]


def test_an_error_does_not_hold_up_those_that_follow(evidence):
    told = evidence("errors first")
    assert (told["verdict"], told["samples_without_score"]) == ("better", 2)
    assert told["runs_not_scheduled"] > N / 3


def test_epochs_are_averaged_and_an_id_counts_once(evidence):
    told = evidence("epochs")
    assert (told["n"], told["mean"], told["question"]["epochs"]) == (12, 0.5, 3)


def test_a_log_as_baseline_and_its_epochs(logs, evidence):
    told = evidence("a path")
    assert told["verdict"] == "not worse"
    counted = [GOOD[i] for i in logs["a path"]["order"][: told["n"]]]
    assert told["mean"] == pytest.approx(sum(counted) / len(counted) - 0.5)


def test_a_number_as_baseline(evidence):
    told = evidence("a bar")
    assert (told["verdict"], told["question"]["bar"]) == ("better", 0.3)
    assert "this model is better than the bar" in told["sentences"][0]


def test_samples_without_a_baseline():
    known = dict.fromkeys(list(GOOD)[:40], 0)
    with pytest.raises(InputError, match="10 of 50 samples have no baseline score") as refused:
        begin(ours.stop_when(baseline=known), GOOD)
    assert refused.value.code == "NF024"
    told = begin(ours.stop_when(baseline=known, missing="common"), GOOD)
    assert (told["samples_without_baseline"], told["samples"]) == (10, 40)
    assert told["notes"][0].startswith("NF158: 10 samples have no baseline")
    with pytest.raises(InputError, match="50 of 50"):
        begin(ours.stop_when(baseline={"x": 0}, missing="common"), GOOD)


def test_a_score_out_of_bounds_stops_the_comparison_and_not_the_evaluation(evidence):
    told = evidence("out of bounds")
    assert (told["verdict"], told["samples_completed"]) == ("continue", N)
    assert "NF159: nothing was counted any more after sample 's7'" in told["notes"][0]
    assert told["n"] < N


def test_of_several_scorers_one_is_named(evidence):
    assert evidence("named scorer")["verdict"] == "better"
    both = {"scorers": [SimpleNamespace(name="graded"), SimpleNamespace(name="other")]}
    with pytest.raises(InputError, match=r"say which: stop_when\(scorer=...\)"):
        begin(ours.stop_when(baseline=POOR), POOR, **both)
    with pytest.raises(InputError, match="is none of the task's"):
        begin(ours.stop_when(baseline=POOR, scorer="none"), POOR, **both)


# The protocol by hand, where the order of events matters.


def spec(model="m", shuffled=True, scorers=None, log_samples=None):
    return SimpleNamespace(
        task="t",
        model=model,
        eval_id="e",
        dataset=SimpleNamespace(shuffled=shuffled),
        scorers=scorers,
        config=SimpleNamespace(log_samples=log_samples),
    )


def begin(stopping, ids, **how):
    """What it says when it has begun."""
    asyncio.run(stopping.start_task(spec(**how), [SimpleNamespace(id=i) for i in ids], 1))
    return stopping.evidence()


def scored(value):
    return {"graded": SampleScore(score=Score(value=value))}


async def started(stopping, ids, epochs=1):
    await stopping.start_task(spec(), [SimpleNamespace(id=i) for i in ids], epochs)
    for epoch in range(1, epochs + 1):
        for i in ids:
            assert await stopping.schedule_sample(i, epoch) is None


def test_samples_count_in_their_order_and_not_as_they_finish():
    """Quick samples are wins and slow ones losses: counted as they finish, they would decide."""

    async def play():
        stopping = ours.stop_when(baseline=dict.fromkeys(range(40), 0.5))
        await started(stopping, range(40))
        for i in range(1, 40, 2):
            await stopping.complete_sample(i, 1, scored("C"))
        assert stopping.evidence()["n"] == 0
        assert stopping.evidence()["samples_completed"] == 20
        for i in range(0, 40, 2):
            await stopping.complete_sample(i, 1, scored("I"))
        return await stopping.complete_task()

    told = asyncio.run(play())
    assert (told["verdict"], told["n"], told["mean"]) == ("continue", 40, 0)


def test_an_epoch_that_fails_takes_its_sample_with_it():
    async def play():
        stopping = ours.stop_when(baseline={1: 0, 2: 0})
        await started(stopping, [1, 2], epochs=2)
        await stopping.complete_sample(1, 1, scored(1))
        await stopping.complete_sample(2, 1, scored(1))
        stopping.failed(1, 2)
        await stopping.complete_sample(1, 2, scored(1))  # too late: it has been passed over
        return await stopping.complete_task()

    told = asyncio.run(play())
    assert (told["n"], told["ids_without_score"]) == (0, ["1", "2"])


def test_one_for_each_model_but_a_retry_begins_afresh():
    async def play():
        stopping = ours.stop_when(baseline={1: 0, 2: 0})
        await started(stopping, [1, 2])
        await stopping.complete_sample(1, 1, scored(1))
        with pytest.raises(InputError, match="is watching t of m already"):
            await stopping.start_task(spec(model="n"), [], 1)
        await started(stopping, [1, 2])
        assert stopping.evidence()["n"] == 0
        await stopping.complete_task()
        await stopping.start_task(spec(model="n"), [SimpleNamespace(id=1)], 1)
        return await stopping.complete_task()

    assert asyncio.run(play())["n"] == 0


def test_unlogged_samples_are_never_asked_about():
    with pytest.raises(InputError, match="samples are logged"):
        begin(ours.stop_when(baseline=POOR), POOR, log_samples=False)


@pytest.mark.parametrize("value", ["C", "I", "P", "N", "yes", "No", "TRUE", "0.25", 1, 0.5, True])
def test_values_are_converted_as_inspect_does(value):
    assert ours._number(value) == value_to_float()(value)


@pytest.mark.parametrize("value", ["c", "correct", "", [1], {"x": 1}])
def test_what_inspect_would_take_for_zero_is_refused(value):
    with pytest.raises(InputError, match="not a number"):
        ours._number(value)


def test_one_value_of_a_dictionary():
    assert ours._chosen({"s": {"f1": 0.5, "em": 1}}, None, "f1") == 0.5
    for scorer_name, value in ((None, None), (None, "x"), ("t", "f1")):
        with pytest.raises(InputError):
            ours._chosen({"s": {"f1": 0.5}}, scorer_name, value)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"baseline": {}}, "NF024"),
        ({"baseline": {"s": None}}, "NF024"),
        ({"baseline": {"s": "good"}}, "NF004"),
        ({"baseline": 1.5}, "NF008"),
        ({"baseline": POOR, "alpha": 5}, "NF008"),
        ({"baseline": POOR, "missing": "worst"}, "NF008"),
        ({"baseline": POOR, "bounds": None}, "NF016"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_runs(how, code):
    with pytest.raises(InputError) as refused:
        ours.stop_when(**how)
    assert refused.value.code == code


def test_without_inspect_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install nofluke\[inspect\]") as refused:
        ours.stop_when(baseline=POOR)
    assert refused.value.code == "NF099"


def test_it_is_found_without_loading_inspect():
    code = "import sys, nofluke.integrations.inspect; assert 'inspect_ai' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
