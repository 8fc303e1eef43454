"""Candidates whose placements are found for once: the numbers of every comparison by itself."""

import numpy as np
import pytest

from nofluke import Predictions, classifier
from nofluke.classify import curves
from nofluke.classify.auc_covariance import equality_of
from nofluke.errors import InputError
from nofluke.kernels import roc_areas
from nofluke.questions import classifier_curves

K, N = 5, 400


def rows(seed=0, digits=1):
    rng = np.random.default_rng(seed)
    y = rng.random(N) < 0.3
    s = (rng.normal(size=(K, N)) + y).round(digits)
    return y, s, rng.integers(0, 40, N)


def positives_first(y, codes):
    order = np.argsort(~y, kind="stable")
    return y[order], codes[order]


@pytest.mark.parametrize("seed", range(5))
def test_with_the_positives_first_every_bit_is_the_same(seed):
    y, s, codes = rows(seed)
    found = roc_areas.deviations(y, s)
    ordered = roc_areas.deviations(y, s, positives_first=True)
    first, of_first = positives_first(y, codes)
    assert ordered.values.tobytes() == found.values.tobytes()
    assert ordered.of_rows.tobytes() == found.of_rows[:, np.argsort(~y, kind="stable")].tobytes()
    expected = roc_areas.covariance(y, found.of_rows)
    assert roc_areas.covariance(first, ordered.of_rows).tobytes() == expected.tobytes()
    assert roc_areas.row_spread(first, ordered.of_rows[1]) == roc_areas.row_spread(
        y, found.of_rows[1]
    )
    expected, df = roc_areas.clustered(y, found.of_rows, codes)
    clustered, own = roc_areas.clustered(first, ordered.of_rows, of_first)
    assert clustered.tobytes() == expected.tobytes()
    assert own == df


def contrasts(found):
    """The slow way: rows with their value in front, sorted and without copies."""
    both = np.unique(np.column_stack([found.values, found.of_rows]), axis=0)
    both -= both[0].copy()
    both -= both.mean(axis=0)
    return both[:, 1:], both[:, 0]


@pytest.mark.parametrize("seed", range(5))
def test_contrasts_are_those_of_sorted_distinct_candidates(seed):
    from nofluke.classify.auc_covariance import _contrasts

    y, s, _ = rows(seed)
    s = np.concatenate([s[[2, 4]], s, s[[2]], 1 - s[[0]]])
    found = roc_areas.deviations(y, s)
    expected = contrasts(found)
    for spare in (False, True):
        of_rows, values = _contrasts(found, spare=spare)
        assert of_rows.tobytes() == expected[0].tobytes()
        assert values.tobytes() == expected[1].tobytes()


def test_equal_areas_are_put_in_order_by_their_rows():
    y = np.array([1, 1, 0, 0], bool)
    s = np.array([[3.0, 1, 2, 0], [1, 3, 2, 0], [1, 3, 0, 2]])
    found = roc_areas.deviations(y, s)
    from nofluke.classify.auc_covariance import _contrasts

    assert _contrasts(found)[0].tobytes() == contrasts(found)[0].tobytes()


@pytest.mark.parametrize("clusters", [False, True])
def test_a_card_has_the_numbers_of_every_pair_by_itself(clusters):
    y, s, codes = rows()
    s[4] = 5 * y  # an area of 1 shows no variance
    of = codes if clusters else None
    table = Predictions.from_arrays(y, s, cluster=[f"{c:02d}" for c in codes])
    card = classifier(table, clusters=clusters, n_resamples=0, without=["average_precision"])
    for row in card.differences:
        a, b = int(row["a"]), int(row["b"])
        alone = curves.compare_auc(
            y, s[a], s[b], alpha=(1 - 0.95) / 10, method="delong_t", clusters=of
        )
        told = (row["estimate"], row["lower"], row["upper"], row["pvalue"], row["n"])
        assert told == (alone.estimate, alone.lower, alone.upper, alone.pvalue, alone.n)
        assert (row["method"], row["guarantee"]) == (alone.method, alone.guarantee)
    together = curves.delong(y, s, clusters=of)
    assert [row["covariance"] for row in card.covariance] == [
        together.covariance[i, j] for i in range(K) for j in range(i, K)
    ]
    assert card.equality is None


@pytest.mark.parametrize("clusters", [False, True])
def test_a_card_has_the_test_of_equality(clusters):
    y, s, codes = rows()
    table = Predictions.from_arrays(y, s, cluster=[f"{c:02d}" for c in codes])
    card = classifier(table, clusters=clusters, n_resamples=0)
    alone = curves.auc_equality(y, s, clusters=codes if clusters else None)
    assert card.equality == alone.pvalue


def test_deviations_that_may_be_spared_are_used_up():
    y, s, _ = rows()
    kept, spare = roc_areas.deviations(y, s), roc_areas.deviations(y, s)
    covariance = roc_areas.covariance(y, kept.of_rows)
    before = kept.of_rows.tobytes()
    first = equality_of(y, kept, covariance, None)
    second = equality_of(y, spare, covariance, None, spare=True)
    assert first == second
    assert kept.of_rows.tobytes() == before
    assert spare.of_rows.tobytes() != before


def table(K=2):
    y, s, _ = rows()
    return Predictions.from_arrays(y, 1 / (1 + np.exp(-s[:K])))


PARTS = {
    "average_precision": {"average_precision"},
    "decisions": {"recall", "precision", "accuracy"},
    "probabilities": {"brier", "log_loss", "calibration_slope", "calibration_in_the_large"},
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_left_out_is_told_and_nothing_else_changes(part):
    whole, card = (classifier(table(), n_resamples=0, without=w) for w in ((), [part]))
    gone = {row["metric"] for row in whole.rows()} - {row["metric"] for row in card.rows()}
    assert gone >= PARTS[part]
    assert card.rows() == [row for row in whole.rows() if row["metric"] not in gone]
    assert card.differences == whole.differences
    (note,) = [n for n in card.notes if n.startswith("NF416")]
    assert f"{part} (" in note
    assert card.question["without"] == [part]
    assert not any(n.startswith("NF416") for n in whole.notes)
    assert card.sentences()


def test_candidates_need_not_be_compared():
    card = classifier(table(), n_resamples=0, without=["differences"])
    assert (card.best, card.differences, card.covariance, card.equality) == (None, (), (), None)
    assert not any("largest area" in said for said in card.sentences())
    assert card._repr_html_()


def test_no_threshold_is_spoken_of_where_decisions_are_left_out():
    card = classifier(table(), n_resamples=0, without=["decisions"])
    assert not any(note.startswith(("NF220", "NF221")) for note in card.notes)
    assert card.matrices == ()


@pytest.mark.parametrize(
    ("without", "asking"),
    [
        (["auc"], {}),
        ("decision", {}),
        (["decisions"], {"threshold": 0.5}),
        (["decisions"], {"costs": (1, 2)}),
        (["decisions", "average_precision"], {"prevalence": 0.1}),
    ],
)
def test_what_is_none_or_was_asked_for_cannot_be_left_out(without, asking):
    with pytest.raises(InputError) as caught:
        classifier(table(), without=without, **asking)
    assert caught.value.code == "NF417"


def test_curves_are_made_when_they_are_looked_at_and_kept_up_to_many_rows(monkeypatch):
    made = []
    real = classifier_curves.roc
    monkeypatch.setattr(classifier_curves, "roc", lambda *a, **k: made.append(1) or real(*a, **k))
    card = classifier(table(1), n_resamples=0)
    own = card.curves["0"]
    assert not made
    assert own.roc is own.roc
    assert len(made) == 1
    monkeypatch.setattr(classifier_curves, "_KEPT", N - 1)
    large = classifier(table(1), n_resamples=0).curves["0"]
    assert large.roc.tp.tolist() == large.roc.tp.tolist() == own.roc.tp.tolist()
    assert len(made) == 3
