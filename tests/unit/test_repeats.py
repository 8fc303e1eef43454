"""Controlled repeats: what is uncontrolled is refused, and what is controlled does what it says."""

import json
import os
import random
import subprocess
import sys
import time
import types

import numpy as np
import pytest
from scipy.stats import uniform
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    ShuffleSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nofluke.selection
from nofluke import runs
from nofluke.errors import InputError, MissingExtra
from nofluke.selection import repeat, variance_by_source
from nofluke.selection.repeats import generators, journal, single, sources
from nofluke.selection.repeats.single import Outcome
from nofluke.selection.repeats.variance import sd_limits

N_ROWS = 40
X = np.arange(N_ROWS * 2, dtype=float).reshape(N_ROWS, 2)
Y = np.arange(N_ROWS) % 2
IRIS = load_iris(return_X_y=True)
ALL = ("split", "init", "order", "subsample", "hpo", "augment", "dropout", "optimizer")


class Told(BaseEstimator):
    """Says what one source did to it; its "score" is that number."""

    def __init__(
        self,
        about="init",
        random_state=None,
        hpo_seed=None,
        augment_random_state=None,
        dropout_seed=None,
        optimizer_seed=None,
    ):
        self.about = about
        self.random_state = random_state
        self.hpo_seed = hpo_seed
        self.augment_random_state = augment_random_state
        self.dropout_seed = dropout_seed
        self.optimizer_seed = optimizer_seed

    def fit(self, X, y):
        self.told_ = {
            "split": float(np.sort(X[:, 0]).dot(np.arange(len(X)) ** 2)),
            "order": float(X[:, 0].dot(np.arange(len(X)) ** 2)),
            "subsample": float(X[:, 0].sum()),
            "init": self.random_state,
            "hpo": self.hpo_seed,
            "augment": self.augment_random_state,
            "dropout": self.dropout_seed,
            "optimizer": self.optimizer_seed,
        }
        return self

    def predict(self, X):
        return np.full(len(X), self.told_[self.about], float)


def told(model, X, y):
    return float(model.predict(X)[0])


class Drawing(BaseEstimator):
    """Predicts a number that it draws when fitted."""

    def __init__(self, draw=None):
        self.draw = draw

    def fit(self, X, y):
        self.drawn_ = self.draw()
        return self

    def predict(self, X):
        return np.full(len(X), self.drawn_)


class Failing(Told):
    """Fails for half of the seeds, and for a tenth of them says NaN."""

    def fit(self, X, y):
        if self.random_state % 2:
            raise ValueError("an unlucky seed")
        return super().fit(X, y)


def ask(estimator, **how):
    return repeat(estimator, X, Y, **{"metric": told, "better": "higher", "seed": 0, "n": 5, **how})


def distinct(found):
    return len(set(found.values.tolist()))


@pytest.mark.parametrize("source", ALL)
def test_a_source_moves_the_score_and_fixing_it_stops_it(source):
    others = [s for s in ALL if s != source]
    how = {"subsample": 0.8}
    if source == "subsample":
        how["test"] = (X[:5], Y[:5])  # a split would move the training rows as well
        others.remove("split")
    if source == "split":
        how["subsample"] = None
        others.remove("subsample")

    if source == "order":
        others = [s for s in others if s not in ("split", "subsample")]

    alone = ask(Told(source), vary=[source], **how)
    without = ask(Told(source), vary=others, **how)

    assert distinct(alone) == 5
    assert distinct(without) == 1
    assert without.values[0] == alone.values[0]  # the seed of the first run
    assert len(set(alone.seeds[source])) == 5
    assert len(set(without.seeds[source])) == 1
    assert all(len(set(without.seeds[s])) == 5 for s in others)


def test_the_seed_used_stands_in_its_column():
    found = ask(Told("dropout"), vary=["dropout", "init"])

    assert found.values.tolist() == list(map(float, found.seeds["dropout"]))
    assert found.kept["dropout"].tolist() == found.values.tolist()
    assert [row["dropout"] for row in found.rows()] == list(found.seeds["dropout"])
    assert found.examples == tuple(f"run-{i:02}" for i in range(5))


def test_more_runs_change_no_earlier_run_and_other_sources_no_seed():
    few, many = ask(Told(), n=3), ask(Told(), n=9, vary=["init"])

    assert few.seeds["init"] == many.seeds["init"][:3]
    assert ask(Told(), seed=1).seeds["init"] != few.seeds["init"]


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: np.random.rand(), "NumPy's global generator"),  # noqa: NPY002, PLW0108
        (random.random, "Python's global generator"),
        (lambda: int.from_bytes(os.urandom(6)), "os.urandom"),
        (lambda: np.random.default_rng().random(), "default_rng() without a seed"),
    ],
)
def test_uncontrolled_randomness_is_refused_by_name(draw, named):
    with pytest.raises(InputError, match="two runs with all seeds equal scored") as refused:
        ask(Drawing(draw), vary=["split"])

    assert refused.value.code == "NF046"
    assert named in str(refused.value)


def test_predictions_that_differ_are_refused_though_scores_agree():
    with pytest.raises(InputError, match="same score and different predictions"):
        ask(Drawing(random.random), metric=lambda model, X, y: 0.5, vary=["split"])


def test_agreement_by_chance_is_refused_and_a_fit_that_seeds_itself_is_not():
    def unused():
        random.random()  # noqa: S311 (drawn, and without effect this time)
        return 0.5

    def seeded():
        random.seed(3)
        return random.random()  # noqa: S311

    with pytest.raises(InputError, match="agree, which may be chance; uncontrolled: Python's"):
        ask(Drawing(unused), vary=["split"])
    assert ask(Drawing(seeded), vary=["split"]).environment["moved"] == ["random"]


def test_what_may_be_the_cause_is_listed():
    class Busy(Drawing):
        def __init__(self, draw=None, n_jobs=None, inner_seed=None):
            super().__init__(draw)
            self.n_jobs, self.inner_seed = n_jobs, inner_seed

    with pytest.raises(InputError, match=r"'inner_seed' left at None; threads .*n_jobs=4"):
        ask(Busy(lambda: int.from_bytes(os.urandom(6)), n_jobs=4), vary=["split"])


@pytest.mark.parametrize(
    ("generator", "draw"),
    [("numpy", lambda: np.random.rand()), ("random", random.random)],  # noqa: NPY002, PLW0108
)
def test_a_global_generator_that_a_source_owns_is_seeded(generator, draw):
    states = generators.marks()
    found = ask(Drawing(draw), vary=["init"], seeds={"init": generator})
    again = ask(Drawing(draw), vary=["init"], seeds={"init": generator})
    fixed = ask(Drawing(draw), vary=["order"], seeds={"init": generator})

    assert distinct(found) == 5
    assert found.digest == again.digest
    assert distinct(fixed) == 1
    assert found.environment["moved"] == [generator]
    assert generators.marks() == states  # the caller's generators are as before


def test_a_generator_that_every_run_starts_afresh_is_told():
    class Own(Drawing):
        def __init__(self, draw=None, rng=None, seed=None):
            super().__init__(draw)
            self.rng, self.seed = rng, seed

        def fit(self, X, y):
            self.draw = self.rng.random  # a copy in the same state, whatever was seeded
            return super().fit(X, y)

    found = ask(Own(rng=np.random.default_rng(0), seed=3))

    assert distinct(found) == 1
    assert "'rng', 'seed' kept the value they were given" in found.notes[0]


def test_a_function_seeds_what_has_no_parameter():
    def seed(estimator, value):
        estimator.draw = lambda: value

    found = ask(Drawing(), vary=["augment"], seeds={"augment": seed})
    own = ask(Drawing(), vary=["weather"], seeds={"weather": seed})

    assert found.values.tolist() == list(map(float, found.seeds["augment"]))
    assert own.varied == ("weather",)
    assert ask(Drawing(), seeds={"weather": seed}).varied == ("split", "order", "weather")


@pytest.mark.parametrize(
    ("estimator", "source", "why"),
    [
        (KNeighborsClassifier(), "init", "no parameter random_state"),
        (SGDClassifier(), "hpo", "no search"),
        (GridSearchCV(SGDClassifier(), {}, cv=KFold(3)), "hpo", "a splitter that shuffles"),
        (SGDClassifier(), "dropout", "no parameter dropout_random_state or dropout_seed"),
        (SGDClassifier(), "weather", "no source"),
    ],
)
def test_a_source_that_is_not_there_is_refused(estimator, source, why):
    with pytest.raises(InputError, match=why) as refused:
        repeat(estimator, *IRIS, metric="accuracy", seed=0, vary=["split", source])

    assert refused.value.code == "NF047"


def test_a_subsample_without_a_size_is_nine_tenths_and_told():
    how = {"metric": "accuracy", "n": 3}
    told = repeat(SGDClassifier(), *IRIS, vary=("split", "subsample"), **how)
    named = repeat(SGDClassifier(), *IRIS, vary=("split", "subsample"), subsample=0.9, **how)

    assert told.varied == ("split", "subsample")
    assert told.values.tolist() == named.values.tolist()
    assert told.environment["seed"] == 0
    assert sum(note.startswith("NF199: each run trains on 0.9 of its") for note in told.notes) == 1
    assert not any(note.startswith("NF199") for note in named.notes)
    assert "subsample" not in repeat(SGDClassifier(), *IRIS, **how).varied
    hook = {"subsample": lambda estimator, seed: estimator.set_params(random_state=seed)}
    owned = repeat(SGDClassifier(), *IRIS, vary="subsample", seeds=hook, **how)
    assert not any(note.startswith("NF199") for note in owned.notes)


def test_a_named_subsample_without_a_size_has_a_variance():
    found = variance_by_source(
        SGDClassifier(), *IRIS, metric="accuracy", n=3, sources=["init", "subsample"]
    )

    assert [s.source for s in found.sources] == ["init", "subsample", "all"]
    assert any(note.startswith("NF199") for note in found.notes)


def test_the_default_leaves_out_what_is_not_there_and_says_so():
    found = repeat(KNeighborsClassifier(), *IRIS, metric="accuracy", seed=0, n=3)

    assert found.varied == ("split", "order")
    assert found.notes[0].startswith("NF193: not varied: init, subsample, hpo not there")
    assert [r["quantile"] for r in runs(found, quantile=0.5).rows()] == [0.5]
    assert "NF193" in str(runs(found, quantile=0.5).notes)


def test_seeds_reach_every_part_of_a_pipeline_and_of_a_search():
    inner = make_pipeline(StandardScaler(), MLPClassifier((4,)))
    search = RandomizedSearchCV(
        inner, {"mlpclassifier__alpha": uniform()}, n_iter=2, cv=ShuffleSplit(2)
    )
    places = sources.find(make_pipeline(StandardScaler(), search), None)
    seeded = places.seeded(make_pipeline(StandardScaler(), search), {"init": 5, "hpo": 7})
    inside = seeded[-1]

    assert places.parameters == {
        "init": ("randomizedsearchcv__estimator__mlpclassifier__random_state",),
        "hpo": ("randomizedsearchcv__random_state",),
    }
    assert inside.random_state == 7
    assert inside.estimator[-1].random_state == 5
    assert inside.cv.random_state not in (5, 7, None)
    assert search.cv.random_state is None  # the caller's splitter is not touched
    assert places.several.keys() == {"MLPClassifier"}


def test_a_real_search_is_moved_by_each_source():
    search = RandomizedSearchCV(
        SGDClassifier("log_loss", max_iter=20),
        {"alpha": uniform(0.001, 0.1)},
        n_iter=2,
        cv=KFold(2, shuffle=True),
    )
    found = variance_by_source(
        search, *IRIS, metric="neg_log_loss", seed=3, n=5, subsample=0.8, name="sgd", level=0.9
    )

    assert [s.source for s in found.sources] == [
        "split",
        "init",
        "order",
        "subsample",
        "hpo",
        "all",
    ]
    assert all(s.n_distinct == 5 for s in found.sources)
    assert all(0 < s.lower < s.sd < s.upper for s in found.sources)
    first = {r.values[0] for r in found.repeats.values()}
    assert len(first) == 1
    assert found["hpo"].sd == pytest.approx(np.std(found.repeats["hpo"].values, ddof=1))
    assert str(found).splitlines()[0].startswith("split: SD ")


def test_a_source_without_effect_has_no_limits():
    found = variance_by_source(
        KNeighborsClassifier(1), *IRIS, metric="accuracy", seed=0, n=4, sources=["order", "split"]
    )

    assert found["order"].sd == 0
    assert found["order"].lower is None
    assert "order: SD 0 no run differs (n=4)" in str(found)
    assert found.rows()[0]["source"] == "split"


def test_limits_of_a_standard_deviation_by_another_route():
    mpmath = pytest.importorskip("mpmath")
    for n, alpha in [(2, 0.1), (25, 0.05), (200, 0.01)]:
        for limit, p in zip(sd_limits(1.0, n, alpha), (1 - alpha / 2, alpha / 2), strict=True):
            quantile = (n - 1) / limit**2
            share = mpmath.gammainc((n - 1) / 2, 0, quantile / 2, regularized=True)
            assert float(share) == pytest.approx(p, rel=1e-9)


def test_groups_stay_on_one_side_and_classes_keep_their_shares():
    groups = np.repeat(np.arange(10), 4)
    how = {
        "estimator": LogisticRegression(),
        "X": X,
        "y": Y,
        "test": None,
        "test_size": 0.3,
        "metric": "accuracy",
        "places": sources.find(LogisticRegression(), None),
        "threads": 1,
        "deterministic": True,
    }
    for seed in range(20):
        seeds = {"split": seed, "order": seed, "subsample": seed}
        grouped = single.Setup(groups=groups, subsample=None, **how)
        train, test = single.parts(grouped, seeds)
        assert not set(groups[train]) & set(groups[test])
        assert sorted([*train, *test]) == list(range(N_ROWS))
        train, test = single.parts(single.Setup(groups=None, subsample=0.5, **how), seeds)
        assert (Y[test] == 1).sum() == 6
        assert train.size == len(set(train)) == 14
        train, _ = single.parts(single.Setup(groups=None, subsample="bootstrap", **how), seeds)
        assert train.size == 28 > len(set(train))


def test_a_killed_study_loses_no_finished_run(tmp_path):
    script = tmp_path / "study.py"
    script.write_text(
        "import sys\n"
        "from sklearn.datasets import load_iris\n"
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "from nofluke.selection import repeat\n"
        "repeat(KNeighborsClassifier(), *load_iris(return_X_y=True), metric='accuracy', seed=0,\n"
        "       n=5000, path=sys.argv[1])\n"
    )
    path = tmp_path / "runs.jsonl"
    process = subprocess.Popen([sys.executable, script, path])
    try:
        deadline = time.monotonic() + 60
        while not (path.exists() and path.read_bytes().count(b"\n") > 10):
            assert process.poll() is None, "the study ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    finished = path.read_bytes().count(b'{"run"')
    n = finished + 5
    found = repeat(KNeighborsClassifier(), *IRIS, metric="accuracy", seed=0, n=n, path=path)

    assert finished - 1 <= found.environment["resumed"] <= finished
    whole = repeat(KNeighborsClassifier(), *IRIS, metric="accuracy", seed=0, n=n)
    assert found.rows() == whole.rows()


def test_scores_do_not_depend_on_the_number_of_processes(tmp_path):
    model = make_pipeline(StandardScaler(), SGDClassifier())
    one = repeat(model, *IRIS, metric="accuracy", seed=4, n=6)
    two = repeat(model, *IRIS, metric="accuracy", seed=4, n=6, n_jobs=2, path=tmp_path)

    assert one.rows() == two.rows()
    assert one.digest == two.digest
    assert one.bounds == (0.0, 1.0)
    assert one.better == "higher"


def test_what_differs_between_processes_is_found(monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)

    class Hashing(BaseEstimator):
        def fit(self, X, y):
            return self

    with pytest.raises(InputError, match="PYTHONHASHSEED is not set"):
        ask(Hashing(), metric=lambda model, X, y: hash("a text"), vary=["split"], n_jobs=2)


def test_a_stopped_study_goes_on_where_it_was(tmp_path):
    path = tmp_path / "runs.jsonl"
    whole = ask(Told("split"), path=path)
    text = path.read_bytes()
    lines = text.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:40])  # killed while it wrote the third run

    again = ask(Told("split"), path=path)

    assert again.rows() == whole.rows()
    assert again.environment["resumed"] == 2
    assert not [n for n in again.notes if n.startswith("NF196")]
    assert ask(Told("split"), path=path).environment["resumed"] == 5


def test_a_torn_line_is_recognised_wherever_it_was_torn(tmp_path):
    path = tmp_path / "runs.jsonl"
    runs = [Outcome(seeds={"init": i}, score=i / 3, warned=("a", "b")) for i in range(3)]
    with journal.Journal(path, {"a": 1}) as kept:
        for outcome in runs:
            kept.add(outcome)
    text = path.read_bytes()
    last = text[:-1].rfind(b"\n") + 1
    for end in range(last, len(text)):
        path.write_bytes(text[:end])
        with journal.Journal(path, {"a": 1}) as kept:
            assert list(kept.found.values()) == runs[:2]
            kept.add(runs[2])
        assert path.read_bytes() == text
    for end in range(text.find(b"\n")):  # the first line too
        path.write_bytes(text[:end])
        with journal.Journal(path, {"a": 1}) as kept:
            assert not kept.found


def test_another_question_is_refused_and_what_changed_is_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    ask(Told("split"), path=path)
    before = path.read_bytes()
    for how, named in [
        ({"estimator": Told("order")}, "estimator.about"),
        ({"seed": 1}, "seed"),
        ({"test_size": 0.5}, "test_size"),
        ({"subsample": 0.5}, "sources"),
        ({"metric": lambda model, X, y: 1.0}, "metric"),
    ]:
        with pytest.raises(InputError, match=named) as refused:
            ask(how.pop("estimator", Told("split")), path=path, **how)
        assert refused.value.code == "NF048"
    with pytest.raises(InputError, match="data"):
        repeat(Told("split"), X + 1, Y, metric=told, better="higher", seed=0, path=path)
    assert path.read_bytes() == before


def test_a_changed_or_foreign_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "runs.jsonl"
    ask(Told("split"), path=path)
    text = path.read_text()
    for spoilt in (
        text.replace('"run"', '"ran"', 1),
        text.replace('"seeds"', '"seed"', 1),
        "candidate,score\na,1\n",
        "{}",
    ):
        path.write_text(spoilt)
        with pytest.raises(InputError) as refused:
            ask(Told("split"), path=path)
        assert refused.value.code == "NF048"
        assert path.read_text() == spoilt


def test_one_writer_at_a_time(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "runs.jsonl"
    with (
        journal.Journal(path, {}),
        pytest.raises(InputError, match="written by another process"),
        journal.Journal(path, {}),
    ):
        pass


def test_a_session_with_other_results_is_not_mixed(tmp_path):
    path = tmp_path / "runs.jsonl"
    ask(Told("split"), path=path)
    lines = path.read_text().splitlines()
    run = json.loads(lines[2])
    run["run"]["score"] += 1
    lines[2] = json.dumps(run)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="in the session that"):
        ask(Told("split"), path=path)


def test_adding_runs_later_is_noted(tmp_path):
    ask(Told("split"), path=tmp_path, n=3)
    more = ask(Told("split"), path=tmp_path, n=5)

    assert more.environment["resumed"] == 3
    assert more.notes[-1].startswith("NF196: 3 runs were asked for before and 5 now")


def test_failed_runs_count_as_the_worst(tmp_path):
    seeds = [sources.seed_of(0, "init", i) for i in range(20)]
    root = next(r for r in range(20) if sources.seed_of(r, "init", 0) % 2 == 0)
    bad = [sources.seed_of(root, "init", i) % 2 == 1 for i in range(20)]
    found = ask(Failing(), vary=["init"], n=20, seed=root, bounds=(0, 2**32), path=tmp_path)

    assert len(set(seeds)) == 20
    assert found.environment["seed"] == root
    assert 0 < sum(bad) < 19
    assert found.failed.tolist() == bad
    assert found.n_failed.tolist() == [sum(bad)]
    assert (found.values[bad] == 0).all()
    assert found.rows()[bad.index(True)]["failed"] == "ValueError: an unlucky seed"
    assert f"NF194: {sum(bad)} of 20 runs failed" in found.notes[1]
    again = ask(Failing(), vary=["init"], n=20, seed=root, bounds=(0, 2**32), path=tmp_path)
    assert again.rows() == found.rows()
    spread = variance_by_source(
        Failing(), X, Y, metric=told, better="higher", seed=root, n=20, sources=["init"]
    )
    assert spread["init"].n_failed == sum(bad)
    assert any(n.startswith("NF194: init: ") for n in spread.notes)


def test_a_configuration_that_fails_at_once_is_refused():
    with pytest.raises(InputError, match="already fails .ZeroDivisionError") as refused:
        ask(Drawing(lambda: 1 / 0), vary=["split"])
    assert refused.value.code == "NF049"
    with pytest.raises(InputError, match="the score is NaN"):
        ask(Told(), metric=lambda model, X, y: float("nan"))


def test_a_fixed_test_set_is_not_written_into_by_a_run():
    def spoiling(model, X, y):
        X += 1
        return float(X[0, 0])

    test = (X[:5].copy(), Y[:5])
    found = ask(Told(), metric=spoiling, test=test)

    assert distinct(found) == 1
    assert (test[0] == X[:5]).all()
    assert "the test set is fixed" in found.notes[0]
    assert "split" not in found.seeds


def test_data_of_any_kind_give_the_same_scores():
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    kinds = [
        IRIS,
        (IRIS[0].tolist(), IRIS[1].tolist()),
        (sparse.csr_matrix(IRIS[0]), IRIS[1]),
        (pandas.DataFrame(IRIS[0]), pandas.Series(IRIS[1])),
    ]
    found = [
        repeat(KNeighborsClassifier(), *kind, metric="accuracy", seed=0, n=3) for kind in kinds
    ]

    assert len({r.digest for r in found}) == 1


def test_the_digest_of_data_is_of_their_content_only():
    pandas = pytest.importorskip("pandas")
    one, parts = "a text", ["a ", "text"]
    same, equal = [one, one], ["".join(parts), "".join(parts)]
    ways = (
        list,
        lambda t: np.array(t, dtype=object),
        pandas.Series,
        lambda t: pandas.DataFrame({"a": t, "b": [1, 2]}),
    )
    for way in ways:
        assert journal.digest(way(same)) == journal.digest(way(equal))
        assert journal.digest(way(same)) != journal.digest(way([one, "b"]))
    frame = pandas.DataFrame({"a": [1, 2]})
    assert journal.digest(frame) != journal.digest(frame.rename(columns={"a": "b"}))
    assert journal.digest((X, Y)) != journal.digest((Y, X))


def test_groups_reach_the_folds_of_a_search():
    groups = np.repeat(np.arange(30), 5)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=GroupKFold(3))
    found = repeat(search, *IRIS, metric="accuracy", seed=0, n=2, groups=groups)

    assert found.n_failed.tolist() == [0]
    assert found.varied == ("split", "order")


def test_several_runs_of_one_split_are_a_cluster():
    found = ask(Told("split"), vary=["split", "init"], n=6, per_split=2)

    assert found.cluster.names == ("split-00", "split-01", "split-02")
    assert found.cluster.codes.tolist() == [0, 0, 1, 1, 2, 2]
    assert distinct(found) == 3
    assert found.notes[-1].startswith("NF196: 2 runs share each of 3 splits")
    assert found.rows()[5]["cluster"] == "split-02"
    for how in ({"n": 5}, {"vary": ["init"]}, {"vary": ["split"]}):
        with pytest.raises(InputError):
            ask(Told(), **{"vary": ["split", "init"], "n": 6, "per_split": 2, **how})


@pytest.mark.parametrize(
    "how",
    [
        {"metric": "glorp"},
        {"metric": "accuracy", "better": "lower"},
        {"better": None},
        {"n": 0},
        {"n_jobs": 0},
        {"subsample": 1.5},
        {"subsample": "jackknife"},
        {"vary": []},
        {"vary": ["split", "split"]},
        {"seeds": {"init": "dice"}},
        {"test": X},
        {"seeds": {"init": "numpy", "dropout": "numpy"}},
        {"groups": [1]},
        {"test": (X, Y), "groups": Y},
    ],
)
def test_refusals(how):
    with pytest.raises(InputError):
        ask(Told(), **how)


def test_a_bootstrap_is_not_validated_with_its_own_copies():
    search = GridSearchCV(SGDClassifier(), {"alpha": [0.1]})
    with pytest.raises(InputError, match="copies of one row"):
        repeat(search, *IRIS, metric="accuracy", seed=0, subsample="bootstrap")
    with pytest.raises(InputError, match="expected an object with fit"):
        repeat(SGDClassifier, *IRIS, metric="accuracy", seed=0)


def test_without_scikit_learn_what_to_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtra, match=r"nofluke\[sklearn\]"):
        ask(Told())


def test_there_is_nothing_else_in_the_room():
    with pytest.raises(AttributeError, match="glorp"):
        nofluke.selection.glorp  # noqa: B018


@pytest.fixture
def torch(monkeypatch):
    """A stand-in with the functions of torch that are used, and one draw."""
    state = random.Random(0)  # noqa: S311 (not for secrets)
    module = types.ModuleType("torch")
    module.flag, module.log = False, []
    module.Tensor = type("Tensor", (), {})  # others look for it
    module.__version__ = "0.0"
    module.manual_seed = state.seed
    module.get_rng_state = state.getstate
    module.set_rng_state = state.setstate
    module.rand = state.random
    module.are_deterministic_algorithms_enabled = lambda: module.flag

    def use(mode):
        module.flag = mode
        module.log.append(mode)

    module.use_deterministic_algorithms = use
    module.cuda = types.SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    return module


def test_torch_is_controlled_where_it_is_there(torch):
    with pytest.raises(InputError, match=r"torch's global generator .* seeds={'init': 'torch'}"):
        ask(Drawing(torch.rand), vary=["split"])
    mark = torch.get_rng_state()
    found = ask(Drawing(torch.rand), vary=["dropout"], seeds={"dropout": "torch"})

    assert distinct(found) == 5
    assert torch.get_rng_state() == mark
    assert set(torch.log) == {True, False}
    assert torch.flag is False
    assert found.environment["deterministic_cost"] > 0
    assert found.environment["versions"]["torch"] == "0.0"
    torch.log.clear()
    ask(Drawing(torch.rand), seeds={"dropout": "torch"}, deterministic=False)
    assert not torch.log


def test_gpus_are_seeded_and_put_back_too(torch):
    gpu = random.Random(0)  # noqa: S311 (not for secrets)
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: True,
        manual_seed_all=gpu.seed,
        get_rng_state_all=gpu.getstate,
        set_rng_state_all=gpu.setstate,
    )
    with pytest.raises(InputError, match=r"CUDA generators .* seeds={'init': 'torch'}"):
        ask(Drawing(gpu.random), vary=["split"])
    mark = gpu.getstate()
    assert distinct(ask(Drawing(gpu.random), vary=["init"], seeds={"init": "torch"})) == 5
    assert gpu.getstate() == mark


def test_torch_that_nobody_imported_is_refused(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(InputError, match="torch is not imported"):
        ask(Drawing(random.random), vary=["init"], seeds={"init": "torch"})


def test_a_bar_is_drawn_where_it_is_wanted(capsys):
    ask(Told(), progress=True, name="a bar")
    assert "a bar" in capsys.readouterr().err
    ask(Told())
    assert capsys.readouterr().err == ""
