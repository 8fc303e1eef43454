import numpy as np
import pytest

from nofluke.errors import InputError
from nofluke.selection.split_checks import fingerprint, validate


def kinds(found):
    return [(f.kind, f.count) for f in found.faults]


def test_a_clean_split_says_what_was_not_checked():
    found = validate([0, 1], [2, 3], group=["a", "a", "b", "b"])

    assert found.clean
    assert found.checked == ("row", "group")
    assert "time" in found.unchecked
    assert str(found).startswith("Nothing was found in row, group. Not checked: original, site")


def test_each_fault_is_found_alone():
    train, test = [0, 1], [2, 3]
    assert kinds(validate([0, 1, 2], test)) == [("row", 1)]
    for kind in ("group", "original", "site"):
        assert kinds(validate(train, test, **{kind: ["a", "b", "b", "c"]})) == [(kind, 1)]
    assert kinds(validate(train, test, time=[1, 2, 2, 3])) == [("time", 1)]
    assert kinds(validate(train, test, labels=[0, 1, 0, 0])) == [("class", 1)]
    assert kinds(validate(train, test, labels=[0, 0, 1, 0])) == [("class", 1)]


def test_rows_in_both_parts_are_named():
    (fault,) = validate([0, 1, 2], [2, 3, 1]).faults
    assert fault.pairs == ((1, 1), (2, 2))


@pytest.mark.parametrize(
    ("versions", "clean"),
    [([1, 1, 1, 1], True), ([1, 1, 2, 2], True), ([1, 2, 2, 2], False), ([1, 1, 1, 2], False)],
)
def test_versions_of_labels_may_differ_but_not_mix(versions, clean):
    assert validate([0, 1], [2, 3], label_version=versions).clean is clean


def test_the_gap_is_kept_only_where_a_test_row_is_later_by_more():
    assert validate([0], [1], time=[1.0, 4.0], gap=2).clean
    assert not validate([0], [1], time=[1.0, 4.0], gap=3).clean


def test_texts_that_are_equal_or_nearly():
    texts = [
        "What is the capital of France?",
        "Name the largest planet of our system.",
        "what is the  capital of FRANCE?",
        "Name the largest planet in our system.",
        "Who wrote Faust?",
    ]
    (fault,) = validate([0, 1], [2, 3, 4], texts=texts).faults

    assert (fault.kind, fault.count) == ("text", 2)
    assert fault.pairs == ((0, 2), (1, 3))
    assert validate([0, 1], [4], texts=texts).clean
    assert validate([0, 1], [3, 4], texts=texts, similarity=0.99).clean


def test_too_many_texts_are_compared_for_equality_only(monkeypatch):
    monkeypatch.setattr("nofluke.selection.duplicates._MOST_PAIRS", 1)
    found = validate([0, 1], [2, 3], texts=["abc", "x", "ABC", "abd"])

    assert kinds(found) == [("text", 1)]
    assert any(u.startswith("text (equal ones only") for u in found.unchecked)


def test_numeric_rows_that_are_equal_after_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1, 1000, 1e-6]
    X[50] = X[3]
    X[51] = X[4] * (1 + 1e-12)
    found = validate(np.arange(40), np.arange(40, 60), X=X)

    (fault,) = found.faults
    assert fault.count >= 2
    assert {(3, 50), (4, 51)} <= set(fault.pairs)


def test_too_many_near_rows_are_told_and_rows_drawn_alike_are_not():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    assert validate(np.arange(300), np.arange(300, 400), X=X).clean
    X[300:350] = X[:50] + rng.normal(size=(50, 4)) * 1e-3
    (fault,) = validate(np.arange(300), np.arange(300, 400), X=X).faults

    assert fault.kind == "X"
    assert 50 <= fault.count < 60
    assert "about 5 are expected" in fault.says


def test_few_training_rows_make_no_false_alarm():
    # The quantile of 30 distances is uncertain, which a binomial law for 400 rows would not know.
    rng = np.random.default_rng(2)
    alarms = sum(
        not validate(np.arange(30), np.arange(30, 430), X=rng.normal(size=(430, 2))).clean
        for _ in range(60)
    )
    assert alarms == 0


def test_where_distances_are_not_sought_that_is_told():
    X = np.random.default_rng(3).normal(size=(12, 2))
    found = validate(np.arange(6), np.arange(6, 12), X=X)
    assert "X (equal ones only: 6 training rows are too few for this quantile)" in found.unchecked


def test_constant_features_make_no_twins_of_their_own():
    X = np.column_stack([np.full(10, 0.1), np.arange(10.0)])
    assert validate(np.arange(5), np.arange(5, 10), X=X).clean


@pytest.mark.parametrize(
    "asked",
    [
        {"X": [[1.0], [np.nan], [2.0]]},
        {"X": [["a"], ["b"], ["c"]]},
        {"X": np.zeros((3, 0))},
        {"texts": ["a", None, "b"]},
        {"texts": ["a", "b"], "group": ["a", "b", "c"]},
        {"group": ["a", "b", "c"], "quantile": 2},
        {"group": ["a", "b"]},
        {"n": 2},
    ],
)
def test_what_cannot_be_used_is_refused(asked):
    with pytest.raises(InputError):
        validate([0, 1], [2], **asked)


def test_fingerprints():
    assert fingerprint("Café  x") == fingerprint("cafe\u0301 X ")
    assert fingerprint([0.0]) == fingerprint([-0.0])
    assert fingerprint([1.0]) != fingerprint([1.0 + 1e-15])
    assert fingerprint("1") != fingerprint([1])
    assert len(fingerprint("x")) == 32


def test_faults_as_rows():
    (row,) = validate([0, 1], [1, 2]).rows()
    assert row["kind"] == "row"
    assert row["count"] == 1


@pytest.mark.parametrize("similarity", [0.6, 0.7, 0.8, 0.9])
def test_a_similarity_of_exactly_the_limit_counts(similarity):
    # Two texts of ten characters share ten times the similarity of them.
    kept = round(10 * similarity)
    texts = ["a" * 10, "a" * kept + "b" * (10 - kept)]

    assert kinds(validate([0], [1], texts=texts, similarity=similarity)) == [("text", 1)]


def test_places_that_are_none_are_refused():
    with pytest.raises(InputError, match="train must be places"):
        validate(["a"], [1])
