"""What having seen a group adds to a score."""

import json

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB

from nofluke import plots
from nofluke.errors import InputError
from nofluke.report import page
from nofluke.selection import plan_split, seen_groups

RNG = np.random.default_rng(2)
DEVICE = np.arange(120) % 15
X = np.column_stack([np.arange(120.0), DEVICE, RNG.normal(size=120)])
Y = (RNG.random(15) < 0.5)[DEVICE].astype(int)
Y[DEVICE == 0], Y[DEVICE == 1] = 0, 1
FITS = []


class Knowing(ClassifierMixin, BaseEstimator):
    """Says the label of a device it has seen, and 0 for a new one; notes the rows of each fit."""

    def fit(self, X, y):
        FITS.append(X[:, 0].astype(int))
        self.classes_ = np.unique(y)
        self.label = dict(zip(X[:, 1].tolist(), np.asarray(y).tolist(), strict=True))
        return self

    def predict(self, X):
        FITS.append(X[:, 0].astype(int))
        return np.array([self.label.get(d, 0) for d in X[:, 1].tolist()])


def asked(**how):
    return seen_groups(Knowing(), X, Y, **{"group": DEVICE, "metric": "accuracy"} | how)


def test_a_model_that_recognises_devices_gains_what_it_does_not_know_of_new_ones():
    found = asked()
    assert found.seen == 1.0
    assert found.new == pytest.approx(1 - Y.mean(), abs=0.1)
    assert found.gain == pytest.approx(found.seen - found.new)
    assert found.n_groups == 15


def test_both_fits_have_as_many_rows_and_score_the_same():
    FITS.clear()
    found = asked(folds=GroupKFold(5))
    for a, scored, b, again in zip(*(FITS[i::4] for i in range(4)), strict=True):
        assert a.size == b.size
        assert np.array_equal(scored, again)
        assert not set(scored) & (set(a) | set(b))
        assert not set(DEVICE[scored]) & set(DEVICE[a])
        assert set(DEVICE[scored]) <= set(DEVICE[b])
        assert set(b) - set(a) <= set(np.flatnonzero(np.isin(DEVICE, DEVICE[scored])))
    assert len(found.by_fold) == 5


def test_the_limits_are_those_of_the_rule_of_thumb():
    found = asked(level=0.9)
    d = np.array(found.by_fold)
    se = d.std(ddof=1) * np.sqrt(1 / 5 + 12 / 96)  # 12 rows scored for 96 trained on
    assert found.se == pytest.approx(se)
    assert found.upper - found.gain == pytest.approx(student.ppf(0.95, 4) * se)


def test_noise_has_no_gain_on_average():
    gains = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        noise, coin = rng.normal(size=(120, 3)), rng.integers(0, 2, 120)
        gains.append(
            seen_groups(GaussianNB(), noise, coin, group=DEVICE, metric="accuracy", seed=seed).gain
        )
    assert abs(np.mean(gains)) < 5 * np.std(gains) / np.sqrt(30)


def test_a_plan_of_splits_makes_the_folds():
    plan = plan_split(group=DEVICE, n_splits=3)
    found = asked(folds=plan)
    assert len(found.by_fold) == 3
    assert found.to_json() == asked(folds=list(plan.pairs)).to_json()


def test_equal_seeds_give_equal_answers_whoever_computes():
    assert asked(seed=3).to_json() == asked(seed=3, n_jobs=2).to_json()


def test_an_undefined_fold_is_left_out_and_told():
    def one_device(model, X, y):
        return float("nan") if 0 in X[:, 1] else float(model.predict(X).mean())

    found = asked(metric=one_device, folds=5)
    assert len(found.by_fold) == 4
    assert found.notes[0].startswith("NF245: the metric is undefined on folds [")


@pytest.mark.parametrize(
    ("how", "words", "code"),
    [
        ({"group": np.arange(120)}, "no tested group has two rows", "NF008"),
        ({"group": DEVICE[:-1]}, "119 values for 120 rows", "NF008"),
        ({"folds": KFold(3)}, "are on both sides", "NF240"),
        ({"folds": 16}, "cannot be made", "NF240"),
        ({"metric": lambda *_: float("nan")}, "defined on none of 5 folds", "NF240"),
        ({"metric": "nonsense"}, "no scorer", "NF008"),
    ],
)
def test_what_cannot_be_asked(how, words, code):
    with pytest.raises(InputError, match=words) as refused:
        asked(**how)
    assert refused.value.code == code


def test_the_picture_and_the_page():
    found = asked(group_name="<b>device</b>")
    ax = plots.draw(found)
    values = {line.get_label(): line.get_xdata()[0] for line in ax.lines}
    assert (values["inside"], values["on all rows"]) == (found.new, found.seen)
    html = page(found)
    assert "<b>device" not in html
    assert f"{found.gain:+.4g}" in html
    assert json.loads(found.to_json())["rows"][0]["gain"] == found.gain
    assert "a gain of" in str(found)


def test_groups_that_cannot_be_seen_are_not_scored():
    group = np.where(DEVICE < 8, DEVICE, 100 + np.arange(120))  # most rows stand alone
    FITS.clear()
    asked(group=group)
    for _, _, seen, scored in zip(*(FITS[i::4] for i in range(4)), strict=True):
        assert set(group[scored]) <= set(group[seen])


def test_one_fold_shows_no_spread():
    found = asked(folds=[(np.flatnonzero(DEVICE < 10), np.flatnonzero(DEVICE >= 10))])
    assert found.lower is None
    assert "(one fold shows no spread; 1 fold, 5 groups)" in found.sentences()[0]


def test_one_group_is_told_as_one():
    found = asked(folds=[(np.flatnonzero(DEVICE < 14), np.flatnonzero(DEVICE == 14))])
    assert "(one fold shows no spread; 1 fold, 1 group)" in found.sentences()[0]


def test_the_level_is_told_unrounded():
    assert "heuristic at 99.999 %" in asked(level=0.99999).sentences()[0]


def test_a_group_of_which_nothing_else_can_be_shown_is_not_scored():
    group = np.r_[DEVICE[:-3], 20, 21, 22]  # three devices of one row each
    FITS.clear()
    found = asked(group=group, folds=GroupKFold(5))
    for a, scored, b, _ in zip(*(FITS[i::4] for i in range(4)), strict=True):
        assert set(group[scored]) <= set(group[b]) - set(group[a])
    assert found.n_groups == 15
    # So few other rows that not every tested group can be shown.
    FITS.clear()
    few = [(np.arange(15, 19), np.flatnonzero(DEVICE > 3))]
    found = asked(folds=few)
    assert set(DEVICE[FITS[1]]) <= set(DEVICE[FITS[2]])
    assert found.n_groups == 2


def test_no_sentence_calls_a_loss_a_gain_of_random_splits():
    told = " ".join(asked(metric=lambda model, X, y: -float((model.predict(X) == y).mean()))
                    .sentences())  # fmt: skip
    assert "a gain of -" in told
    assert "That gain is in" not in told
