"""Who computes: the same bytes from every back end, and every way of saying no."""

import json
import os
import pickle
import subprocess
import sys
import threading
import types

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.linear_model import SGDClassifier

from nofluke import workers
from nofluke.cli import run
from nofluke.errors import InputError, LimitError, MissingExtra, ReadError, WorkerError
from nofluke.kernels import power, resampling
from nofluke.kernels.betting import Plan
from nofluke.selection import nested_cv, predict_repeatedly, repeat
from nofluke.selection.repeats import single
from nofluke.studies import engine
from nofluke.studies.engine import Part
from nofluke.studies.papers.quantiles import study
from nofluke.studies.papers.quantiles.resampling import resampled

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(60, 3)), np.arange(60) % 2


@pytest.fixture(scope="module")
def dask():
    """Workers of Dask in this process: what is tried is the back end, not how long one starts."""
    how = {"processes": False, "dashboard_address": "127.0.0.1:0", "threads_per_worker": 1}
    with LocalCluster(n_workers=2, **how) as cluster, Client(cluster, set_as_default=False) as one:
        yield one


@pytest.fixture(params=["loky", "threading", "dask"])
def backend(request):
    """Two workers of each back end."""
    how = {"n_jobs": 2}
    if request.param == "dask":
        how["client"] = request.getfixturevalue("dask")
    with joblib.parallel_config(backend=request.param, **how):
        assert workers.count(None) == 2
        yield request.param


def test_a_study_is_the_same_bytes_from_every_back_end(backend):
    cells = [study.Cell("U(0, 1)", 5, 2), study.Cell("mixture", 5, 2), study.Cell("U(0, 1)", 6, 2)]
    parts = {"t": Part(resampled, cells)}
    with joblib.parallel_config(backend="sequential"):
        here = engine.run(parts, seed=1)
    assert json.dumps(engine.run(parts, seed=1)) == json.dumps(here), backend
    assert json.dumps(engine.run(parts, seed=1, workers=1)) == json.dumps(here)


def test_simulated_streams_are_the_same_bytes_from_every_back_end(backend):
    def stops():
        s, plan = np.linspace(0, 1, 11), Plan(0.05, 60, "star")
        return power.simulate((s, s[::-1].copy(), np.full(11, 1 / 11)), 0.4, plan, 250, 3).at

    with joblib.parallel_config(backend="sequential"):
        here = stops()
    assert len(set(here.tolist())) > 5
    assert stops().tobytes() == here.tobytes(), backend


def test_a_bootstrap_is_the_same_bytes_from_every_back_end(backend):
    x = np.random.default_rng(0).normal(size=40)

    def median(rows):
        return float(np.median(x[rows]))

    with joblib.parallel_config(backend="sequential"):
        here = resampling.bootstrap_rows(median, 40, 170, np.random.default_rng(2))
        without = resampling.jackknife(median, 40)
    drawn = resampling.bootstrap_rows(median, 40, 170, np.random.default_rng(2))
    assert drawn.tobytes() == here.tobytes()
    assert resampling.jackknife(median, 40).tobytes() == without.tobytes()
    assert len(set(here)) > 20


def test_the_resamples_are_those_of_the_loop_that_was_there_before():
    def place(rows):
        return float(rows[0])

    rng = np.random.default_rng(2)
    plain = [place(rows) for rows in rng.integers(0, 9, size=(120, 9))]
    assert resampling.bootstrap_rows(place, 9, 120, np.random.default_rng(2)).tolist() == plain


def test_results_come_in_order_unless_any_order_will_do(backend):
    pieces = [(i, 2) for i in range(30)]
    assert list(workers.each(pow, pieces)) == [i * i for i in range(30)], backend
    assert sorted(workers.each(pow, pieces, ordered=False)) == [i * i for i in range(30)]


def test_a_back_end_that_hands_over_whole_rounds_is_given_rounds(monkeypatch):
    taken = []

    def pieces():
        for i in range(20):
            taken.append(i)
            yield i, 2

    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        found = workers.each(pow, pieces())
        assert next(found) == 0
        assert len(taken) == 8
        assert [0, *found] == [i * i for i in range(20)]


@pytest.mark.parametrize("who", ["loky", "dask"])
def test_repeated_runs_are_the_same_from_every_back_end(who):
    def runs():
        return repeat(SGDClassifier(), X, Y, metric="accuracy", seed=1, n=5)

    here = runs()
    if who == "loky":
        with joblib.parallel_config(backend="loky", n_jobs=2):
            there = runs()
    else:
        how = {"processes": False, "dashboard_address": "127.0.0.1:0", "threads_per_worker": 1}
        with (
            LocalCluster(n_workers=1, **how) as one,
            Client(one, set_as_default=False) as client,
            joblib.parallel_config(backend="dask", client=client),
        ):
            there = runs()
    assert there.rows() == here.rows()
    assert len({row["score"] for row in here.rows()}) > 1


def test_nested_folds_are_the_same_from_dask(dask):
    def folds():
        how = {"metric": "f1", "inner": 2, "outer": 2, "thresholds": [-1.0, 0.0], "final": False}
        space = {"alpha": [1e-4, 1e-2]}
        return nested_cv(SGDClassifier(random_state=0), space, X, Y, **how)

    here = folds()
    with joblib.parallel_config(backend="dask", client=dask):
        assert folds().to_json() == here.to_json()


def test_threads_share_generators_and_are_refused():
    with joblib.parallel_config(backend="threading", n_jobs=2), pytest.raises(InputError) as caught:
        repeat(SGDClassifier(), X, Y, metric="accuracy", seed=1, n=3)
    assert caught.value.code == "NF415"
    assert "computes in threads of one process" in str(caught.value)


def test_threads_are_refused_to_fits_only_where_something_global_is_seeded():
    ask = {"n_sets": 2, "n_seeds": 2, "seed": 1}
    X_test = X[:4]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = predict_repeatedly(SGDClassifier(loss="log_loss"), X, Y, X_test, **ask)
        with pytest.raises(InputError, match="seeds what is global to a process") as caught:
            predict_repeatedly(
                SGDClassifier(loss="log_loss"), X, Y, X_test, seeds={"order": "numpy"}, **ask
            )
    assert caught.value.code == "NF415"
    again = predict_repeatedly(SGDClassifier(loss="log_loss"), X, Y, X_test, **ask)
    assert found.tobytes() == again.tobytes()


def test_two_runs_in_one_process_at_a_time_are_refused():
    held, over = threading.Event(), threading.Event()

    def other():
        with single._ALONE:
            held.set()
            over.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    held.wait(10)
    try:
        with pytest.raises(InputError, match="another run of this process is not over") as caught:
            repeat(SGDClassifier(), X, Y, metric="accuracy", seed=1, n=3)
    finally:
        over.set()
        thread.join()
    assert caught.value.code == "NF415"


def test_here_is_the_default_and_imports_nothing():
    program = (
        "import sys; from nofluke import workers; print(list(workers.each(pow, [(2, 3)])),"
        " workers.count(None), {'joblib', 'distributed'} & set(sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout == "[8] 1 set()\n"


def test_a_named_back_end_is_on_within_and_off_after():
    with workers.on("threading", workers=3):
        assert workers.count(None) == 3
    with workers.on("dask", workers=1):
        assert not workers.here(None)  # one worker of a cluster is still elsewhere
        assert list(workers.each(pow, [(3, 2)])) == [9]
    with workers.on(workers=1):
        assert workers.here(None)
    assert workers.here(None)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"backend": "lokky"}, "joblib has no back end 'lokky'"),
        ({"workers": 0}, "workers=0 must be at least 1"),
        ({"scheduler": "tcp://a:1"}, "and no back end is named; say backend='dask' or"),
        ({"backend": "loky", "scheduler": "tcp://a:1"}, "backend='loky' has none"),
        (
            {"backend": "dask", "scheduler": "tcp://a:1", "workers": 2},
            "a Dask cluster computes with all its workers",
        ),
    ],
)
def test_choices_that_contradict_are_refused(how, said):
    with pytest.raises(InputError, match=said) as caught, workers.on(**how):
        pass
    assert caught.value.code == "NF415"


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:9", "nix://127.0.0.1:9"])
def test_a_scheduler_that_does_not_answer_is_told(scheduler):
    asked = workers.on("dask", scheduler=scheduler)
    with pytest.raises(WorkerError, match="no workers of Dask at") as caught, asked:
        pass
    assert caught.value.code == "NF420"


def test_workers_of_other_versions_are_refused(dask, monkeypatch):
    workers._refuse_other_versions(dask)
    other = {"tcp://a:1": {**workers.versions(), "numpy": "1.0"}, "tcp://b:1": workers.versions()}
    monkeypatch.setattr(dask, "run", lambda _: other)
    with pytest.raises(WorkerError, match=r"'tcp://a:1 has numpy 1\.0'\. Here it is nofluke"):
        workers._refuse_other_versions(dask)

    def run(_):
        raise ModuleNotFoundError("No module named 'nofluke'")

    monkeypatch.setattr(dask, "run", run)
    with pytest.raises(WorkerError, match="cannot import what they need") as caught:
        workers._refuse_other_versions(dask)
    assert caught.value.code == "NF420"


def test_a_worker_that_dies_is_told():
    def die(_):
        os._exit(1)

    with workers.on("loky", workers=2), pytest.raises(WorkerError, match="a worker died") as caught:
        list(workers.each(die, [(1,), (2,)]))
    assert caught.value.code == "NF420"


def test_what_a_worker_refuses_arrives_as_it_was():
    def refuse(number):
        raise ReadError("no.", code="NF001", path="p", line=number)

    with workers.on("loky", workers=2), pytest.raises(ReadError, match="no") as caught:
        list(workers.each(refuse, [(7,), (7,)]))
    assert (caught.value.code, caught.value.path, caught.value.line) == ("NF001", "p", 7)
    for error in (MissingExtra("m", code="NF099"), LimitError("l", code="NF076", retry_after=3)):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
        assert (type(again), str(again)) == (type(error), str(error))
        assert vars(again) == vars(error)


def test_ray_is_registered_started_and_ended(monkeypatch):
    log = []
    ray, util, of_joblib = (types.ModuleType(n) for n in ("ray", "ray.util", "ray.util.joblib"))
    ray.is_initialized = lambda: False
    ray.init = lambda **how: log.append(how)
    ray.shutdown = lambda: log.append("over")

    def register_ray():
        from joblib._parallel_backends import ThreadingBackend

        joblib.register_parallel_backend("ray", ThreadingBackend)

    of_joblib.register_ray = register_ray
    for module in (ray, util, of_joblib):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    with workers.on("ray", workers=2):
        assert list(workers.each(pow, [(2, 3), (3, 3)])) == [8, 27]
    with workers.on("ray", scheduler="ray://host:10001"):
        pass
    assert [one if one == "over" else one.get("address", one.get("num_cpus")) for one in log] == [
        2, "over", "ray://host:10001", "over",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_what_is_not_installed_is_named(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=f"pip install {module}") as caught, workers.on(name):
        pass
    assert caught.value.code == "NF099"


def test_a_plan_does_not_depend_on_who_simulates(capsys):
    asked = ["plan", "--delta", "0.5", "--pilot", "docs/data/ratings.csv", "--a", "prompt-1"]
    asked += ["--b", "prompt-2", "--better", "higher", "--bounds", "1", "5", "--method", "star"]
    assert run([*asked, "--streams", "300"]) == 0
    here = capsys.readouterr().out
    assert run([*asked, "--streams", "300", "--backend", "threading", "--workers", "2"]) == 0
    assert capsys.readouterr().out == here
    assert run([*asked, "--backend", "lokky"]) == 2
    assert capsys.readouterr().err.startswith("NF415  joblib has no back end 'lokky'")


def test_who_needs_no_more_is_not_warned():
    def one(number):
        return number

    with workers.on("loky", workers=2):
        found = workers.each(one, ((i,) for i in range(50)))
        assert next(found) == 0
        found.close()  # warnings are errors in tests
