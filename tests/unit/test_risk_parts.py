"""Noise, bias and variance: what is asked, told and refused, and the models behind it."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, SGDRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

from nofluke.errors import InputError
from nofluke.report import page
from nofluke.selection import noise_bias_variance, predict_repeatedly, simulate_risk_parts

RNG = np.random.default_rng(3)
F = RNG.normal(size=(5, 3, 20))
Y = RNG.normal(size=(2, 20))


def codes(result):
    return [note[:5] for note in result.notes]


def test_one_target_and_one_seed_give_sums_and_say_so():
    found = noise_bias_variance(F[:, 0], Y[0], shared_seeds=False)
    assert [p.part for p in found.parts if p.estimate is None] == [
        "noise",
        "bias^2",
        "training sets",
        "seeds",
    ]
    assert codes(found) == ["NF292", "NF292", "NF294"]
    assert "(noise + bias^2)" in str(found)
    assert found["noise + bias^2"].naive > found["noise + bias^2"].estimate


def test_the_naive_bias_is_corrected_by_the_variance_of_the_means():
    found = noise_bias_variance(F, Y, shared_seeds=False)
    cells = F.mean(axis=1)
    left = cells.var(axis=0, ddof=1) / 5 + Y.var(axis=0, ddof=1) / 2
    naive = (Y.mean(axis=0) - F.mean(axis=(0, 1))) ** 2
    assert found["bias^2"].naive == pytest.approx(naive.mean())
    assert found["bias^2"].estimate == pytest.approx((naive - left).mean())
    assert f"adds an estimated {left.mean():.4g}" in str(found)


def test_known_noise_stands_for_a_second_target():
    found = noise_bias_variance(F, Y[0], shared_seeds=False, noise=0.25)
    both = noise_bias_variance(F, Y[0], shared_seeds=False)["noise + bias^2"].estimate
    assert found["noise"].estimate == 0.25
    assert found["noise"].se == 0
    assert found["bias^2"].estimate == pytest.approx(both - 0.25)
    assert found["risk"].estimate == pytest.approx(((Y[0] - F) ** 2).mean())


def test_a_truth_without_noise_takes_nothing_off_for_targets():
    found = noise_bias_variance(F, Y[0], shared_seeds=False, noise=0.25, noiseless=True)
    bare = noise_bias_variance(F, Y[0], shared_seeds=False, noiseless=True)
    assert found["bias^2"].estimate == pytest.approx(bare["bias^2"].estimate)
    assert bare["noise"].estimate == 0
    assert found["risk"].estimate == pytest.approx(((Y[0] - F) ** 2).mean() + 0.25)
    assert "runs and targets" not in str(found)


def test_the_standard_error_is_that_of_rows_and_the_jackknife_over_sets():
    found = noise_bias_variance(F, Y[0], shared_seeds=False)["variance"]
    cells = F.mean(axis=1)
    of_rows = cells.var(axis=0, ddof=1) + F.var(axis=1, ddof=1).mean(axis=0) * (1 - 1 / 3)
    left = [
        noise_bias_variance(np.delete(F, i, 0), Y[0], shared_seeds=False)["variance"].estimate
        for i in range(5)
    ]
    assert found.se_rows == pytest.approx(of_rows.std(ddof=1) / math.sqrt(20))
    assert found.se_runs == pytest.approx(math.sqrt(4 / 5 * 5 * np.var(left)))
    assert found.se == pytest.approx(math.hypot(found.se_rows, found.se_runs))


def test_clusters_change_the_standard_error_only():
    twice = np.concatenate([F, F], axis=2), np.tile(Y[0], 2)
    alone = noise_bias_variance(F, Y[0], shared_seeds=False)["risk"]
    pairs = noise_bias_variance(*twice, shared_seeds=False, clusters=[*range(20)] * 2)["risk"]
    assert pairs.estimate == pytest.approx(alone.estimate)
    assert pairs.se_rows == pytest.approx(alone.se_rows)
    assert noise_bias_variance(*twice, shared_seeds=False)["risk"].se_rows < 0.8 * alone.se_rows


@pytest.mark.parametrize(("sets", "seeds", "known"), [(2, 3, False), (3, 2, False), (3, 3, True)])
def test_too_few_runs_have_no_standard_error(sets, seeds, known):
    found = noise_bias_variance(F[:sets, :seeds], Y, shared_seeds=True)
    assert (found["variance"].se is not None) is known
    assert found["noise"].se > 0
    assert ("show no standard error" in "".join(found.notes)) is not known
    assert codes(found)[-1] == "NF294"


def test_only_a_noise_that_was_given_is_called_known():
    f, y = F[:, :, :4], np.ones((2, 4))  # two targets of each row that agree
    (measured, *_) = noise_bias_variance(f, y, shared_seeds=False).sentences()
    assert "noise 0 (SE 0)" in measured
    (given, *_) = noise_bias_variance(f, y[0], noise=0.5, shared_seeds=False).sentences()
    assert "noise 0.5 (known)" in given


def test_no_word_on_standard_errors_where_there_is_none():
    (said, *_) = noise_bias_variance(F[:2], Y[0], shared_seeds=False).sentences()
    assert "SE" not in said
    assert "standard errors" not in said


def test_numbers_without_a_standard_error_are_descriptive():
    bare = noise_bias_variance(F[:2], Y[0], shared_seeds=False)
    assert {p.se for p in bare.parts} == {None}
    assert bare.guarantee == "descriptive"
    assert {r["guarantee"] for r in bare.rows()} == {"descriptive"}
    assert "(asymptotic" not in page(bare)
    assert noise_bias_variance(F[:2], Y, shared_seeds=False).guarantee == "asymptotic"


def test_parts_below_zero_are_shown_and_told():
    found = noise_bias_variance(F, np.tile(F.mean(axis=(0, 1)), (2, 1)), shared_seeds=False)
    assert found["bias^2"].estimate < 0
    assert "NF291: estimated below 0: bias^2 (-" in found.notes[0]
    assert f"bias^2 {found['bias^2'].estimate:.4g}" in str(found)


def test_rows_and_json():
    found = noise_bias_variance(F, Y, shared_seeds=False)
    assert [r["part"] for r in found.rows()][:2] == ["risk", "noise"]
    assert {r["guarantee"] for r in found.rows()} == {"asymptotic"}
    read = json.loads(found.to_json())
    assert (read["kind"], read["n_sets"], read["n_seeds"], read["n"]) == ("risk_parts", 5, 3, 20)
    assert found.to_json() == noise_bias_variance(F, Y, shared_seeds=False).to_json()
    assert found.digest != noise_bias_variance(F, Y, shared_seeds=False, clusters=range(20)).digest


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        ("auc", "compares rows with each other"),
        ("roc_auc", "compares rows with each other"),
        ("log_loss", "geometric mean"),
        ("neg_log_loss", "geometric mean"),
        ("zero_one", "several definitions"),
        ("accuracy", "several definitions"),
        ("mae", "of squared loss and of no other"),
    ],
)
def test_other_losses_are_refused_with_the_reason(loss, reason):
    with pytest.raises(InputError, match=reason) as refused:
        noise_bias_variance(F, Y, shared_seeds=False, loss=loss)
    assert refused.value.code == "NF293"


@pytest.mark.parametrize("loss", ["squared", "brier", "neg_mean_squared_error"])
def test_names_of_squared_loss(loss):
    assert noise_bias_variance(F, Y, shared_seeds=False, loss=loss).n == 20


@pytest.mark.parametrize(
    ("f", "y", "how", "words"),
    [
        (F[:1], Y, {}, "at least two training sets"),
        (F[0, 0], Y, {}, "at least two training sets"),
        (F[..., None], Y, {}, "expected .sets, seeds, n."),
        (F, Y[:, :-1], {}, "19 rows of targets and 20"),
        (F, Y[None], {}, "expected .n,., or"),
        (F[..., :1], Y[:, :1], {}, "one row"),
        (F + np.inf, Y, {}, "NaN or infinities"),
        (1e160 * F, Y, {}, "take another unit"),
        (F, 1e160 + Y, {}, "take another unit"),
        (F, np.zeros((0, 20)), {}, "are empty"),
        ([[1, 2], [1]], Y, {}, "no rectangular table"),
        ([["a", "b"]], Y, {}, "no rectangular table"),
        (F, Y, {"noise": 1.0}, "give one of the two"),
        (F, Y, {"noiseless": True}, "give one of the two"),
        (F, Y[0], {"noise": -1.0}, "least -1"),
        (F, Y[0], {"noise": [1.0, 2.0]}, "one number or shape"),
        (F[:, :1], Y, {"shared_seeds": True}, "shared_seeds=True with one seed"),
        (F, Y, {"shared_seeds": None}, "say True if seed k"),
        (F, Y, {"clusters": [1] * 20}, "one cluster"),
    ],
)
def test_what_cannot_be_taken_apart(f, y, how, words):
    with pytest.raises(InputError, match=words) as refused:
        noise_bias_variance(f, y, **{"shared_seeds": False} | how)
    assert refused.value.code == "NF290"


class Noting(RegressorMixin, BaseEstimator):
    """Predicts the mean of its targets plus what its seed draws; notes what it was fitted to."""

    fits: list = []  # noqa: RUF012 (shared on purpose)

    def __init__(self, random_state=None, scale=1.0):
        self.random_state = random_state
        self.scale = scale

    def fit(self, X, y):
        self.fits.append(np.sort(np.asarray(X)[:, 0]).tolist())
        drawn = np.random.default_rng(self.random_state).normal()
        self.mean_ = np.mean(y) + self.scale * drawn
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_training_sets_share_no_row_and_seeds_no_number():
    X, y = np.arange(60.0)[:, None], np.zeros(60)
    Noting.fits.clear()
    f = predict_repeatedly(Noting(), X, y, X[:7], n_sets=5, n_seeds=3)
    assert f.shape == (5, 3, 7)
    assert np.unique(f[:, :, 0]).size == 15
    sets = [tuple(rows) for rows in Noting.fits]
    assert len(set(sets)) == 5
    assert sorted(v for rows in set(sets) for v in rows) == X[:, 0].tolist()


def test_groups_lie_in_one_training_set():
    X, y = np.arange(60.0)[:, None], np.zeros(60)
    Noting.fits.clear()
    predict_repeatedly(Noting(), X, y, X[:3], n_sets=4, size=3, groups=np.arange(60) // 5)
    for rows in Noting.fits:
        assert len(rows) == 15
        assert len({v // 5 for v in rows}) == 3


def test_the_same_seed_gives_the_same_predictions_whoever_computes():
    X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"])
    y = X["a"] + 1.0
    how = {"n_sets": 3, "n_seeds": 2}
    one = predict_repeatedly(SGDRegressor(), X, y, X[:5], seed=4, **how)
    two = predict_repeatedly(SGDRegressor(), X, y, X[:5], seed=4, n_jobs=2, **how)
    assert np.array_equal(one, two)
    assert not np.array_equal(one, predict_repeatedly(SGDRegressor(), X, y, X[:5], seed=5, **how))


def test_a_classifier_gives_probabilities_of_one():
    X = RNG.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    f = predict_repeatedly(LogisticRegression(), X, y, X, n_sets=3)
    assert f.shape == (3, 1, 60)
    assert ((f > 0) & (f < 1)).all()
    assert f[:, 0, y == 1].mean() > f[:, 0, y == 0].mean()


class Wild(Noting):
    """Draws from a generator that no seed reaches."""

    drawn = np.random.default_rng(0)

    def fit(self, X, y):
        self.mean_ = self.drawn.normal()
        return self


@pytest.mark.parametrize(
    ("model", "how", "words", "code"),
    [
        (Wild(), {}, "equal seeds on equal rows", "NF046"),
        (KNeighborsRegressor(1), {"n_seeds": 2}, "no random_state", "NF290"),
        (DummyRegressor, {}, "expected an estimator", "NF290"),
        (DummyRegressor(), {"n_sets": 13}, "need 13, and there are 12", "NF290"),
        (DummyRegressor(), {"size": 7, "n_sets": 2}, "need 14, and there are 12", "NF290"),
        (DummyRegressor(), {"groups": [0] * 12}, "sets that share groups", "NF290"),
        (DummyRegressor(), {"groups": [0] * 11}, "groups has 11 values", "NF290"),
        (DecisionTreeClassifier(), {"n_sets": 2}, "has classes .*in every", "NF290"),
    ],
)
def test_models_that_cannot_be_repeated(model, how, words, code):
    X, y = np.arange(12.0)[:, None], np.arange(12) + 1
    with pytest.raises(InputError, match=words) as refused:
        predict_repeatedly(model, X, y, X, **{"n_sets": 3} | how)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"truth": lambda X: X}, "truth gave shape"),
        ({"truth": lambda X: X[:, 0] * math.nan}, "truth gave shape"),
        ({"noise": lambda X: X}, "noise gave shape"),
        ({"noise": -1.0}, "noise is a variance and has -1"),
    ],
)
def test_what_cannot_be_simulated(how, words):
    asked = {
        "truth": lambda X: X[:, 0],
        "draw": lambda rng, n: rng.random((n, 1)),
        "noise": 1.0,
        "n_train": 5,
    }
    with pytest.raises(InputError, match=words) as refused:
        simulate_risk_parts(DummyRegressor(), **asked | how)
    assert refused.value.code == "NF290"


def test_targets_of_a_simulation_are_no_classes():
    with pytest.raises(InputError, match="is a classifier") as refused:
        simulate_risk_parts(
            DecisionTreeClassifier(),
            truth=lambda X: X[:, 0],
            draw=lambda rng, n: rng.random((n, 1)),
            noise=1.0,
            n_train=5,
        )
    assert refused.value.code == "NF290"


def test_classes_are_named_as_they_were_given():
    X, y = np.arange(40.0)[:, None], np.array(["a", "b"] * 20)
    with pytest.raises(InputError, match=r"classes \['a', 'b'\]"):
        predict_repeatedly(DecisionTreeClassifier(), X, y, X + 0.5, n_sets=2)


def test_a_simulation_says_what_was_simulated():
    found = simulate_risk_parts(
        Noting(scale=0.5),
        truth=lambda X: X[:, 0],
        draw=lambda rng, n: rng.random((n, 1)),
        noise=lambda X: X[:, 0],
        n_train=5,
        n_test=30,
        n_sets=12,
        n_seeds=2,
    )
    assert found.question["noise"] == "truth"
    assert (found.question["n_train"], found.n) == (5, 30)
    assert "NF292" not in codes(found)
    assert 0.2 < found["noise"].estimate < 0.8
