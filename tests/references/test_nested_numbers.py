"""A nested cross-validation with failed fits whose winners and means are exact fractions."""

import json
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from nofluke.selection import nested_cv
from nofluke.selection.nested import audit

SETTINGS = ("p1", "p2", "p3", "p4")


@pytest.fixture(scope="module")
def case(shared):
    path = shared / "cases" / "nested-01.json"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return json.loads(path.read_text())


def test_winners_estimate_and_optimism_of_the_known_case(case):
    inner, outer = case["input"]["inner"], case["input"]["outer_test_scores"]
    expected, tolerance = case["expected"]["values"], case["tolerance"]["abs"]

    found = audit(inner, outer)

    assert dict(found.chosen) == expected["selected"]
    assert found.estimate == pytest.approx(expected["nested_estimate"], abs=tolerance)
    assert found.inner_best == pytest.approx(expected["optimistic_inner_best_mean"], abs=tolerance)
    assert found.optimism == pytest.approx(expected["optimism"], abs=tolerance)
    assert found.excluded == {"outer1": ("p2", "p3"), "outer2": ("p3",), "outer3": ("p3",)}


def test_the_same_in_exact_fractions(case):
    inner, outer = case["input"]["inner"], case["input"]["outer_test_scores"]
    won, promised = {}, []
    for fold, by in inner.items():
        exact = {
            c: sum(Fraction(str(s)) for s in scores) / 3
            for c, scores in by.items()
            if None not in scores
        }
        won[fold] = max(exact, key=exact.get)
        promised.append(exact[won[fold]])
    reached = [Fraction(str(outer[fold][c])) for fold, c in won.items()]

    found = audit(inner, outer)

    assert found.chosen == won
    assert found.estimate == pytest.approx(float(sum(reached) / 3), abs=1e-15)
    assert found.optimism == pytest.approx(float(sum(promised) / 3 - sum(reached) / 3), abs=1e-15)


class Listed(BaseEstimator):
    """Knows which rows it is fitted to, and fails where the table has no score."""

    table = None

    def __init__(self, setting="p1"):
        self.setting = setting

    def fit(self, X, y):
        self.rows = frozenset(X[:, 0].astype(int).tolist())
        return self

    def predict(self, X):
        return np.zeros(len(X))


def test_the_whole_procedure_on_estimators_that_fail_where_the_table_does(case):
    # Nine blocks of one row each: outer fold k holds out three, and each inner fold two of the
    # other six, so that a metric can look up its cell of the table.
    X, y = np.arange(9.0)[:, None], np.zeros(9)
    inner, outer = case["input"]["inner"], case["input"]["outer_test_scores"]

    def looked_up(model, rows, y):
        held_out = sorted(rows[:, 0].astype(int).tolist())
        if len(held_out) == 3:
            return outer[f"outer{held_out[0] // 3 + 1}"][model.setting]
        k = next(
            k for k in range(3) if not {3 * k, 3 * k + 1, 3 * k + 2} & (model.rows | set(held_out))
        )
        others = [i for i in range(9) if i // 3 != k]
        score = inner[f"outer{k + 1}"][model.setting][others.index(held_out[0]) // 2]
        return float("nan") if score is None else score

    found = nested_cv(
        Listed(),
        {"setting": list(SETTINGS)},
        X,
        y,
        metric=looked_up,
        inner=KFold(3),
        outer=KFold(3),
        final=False,
    )

    expected, tolerance = case["expected"]["values"], case["tolerance"]["abs"]
    assert [f.params["setting"] for f in found.folds] == list(expected["selected"].values())
    assert found.estimate == pytest.approx(expected["nested_estimate"], abs=tolerance)
    assert found.inner_best == pytest.approx(expected["optimistic_inner_best_mean"], abs=tolerance)
    assert found.optimism == pytest.approx(expected["optimism"], abs=tolerance)
    assert [f.n_failed for f in found.folds] == [2, 1, 1]
    assert "0.69 as the mean of 3 outer folds" in str(found)
