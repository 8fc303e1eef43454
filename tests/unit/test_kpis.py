"""Several KPIs under one budget: levels, joint levels, and the false coverage rate over pairs."""

import math

import numpy as np
import pytest

from nofluke import Scores, certify, certify_kpis, selective
from nofluke.errors import InputError

RNG = np.random.default_rng(4)


def tables(K=12, n=60, names=("loss", "seconds", "usd")):
    return {k: Scores.from_arrays(RNG.random((K, n)), better="lower") for k in names}


def test_at_a_fixed_size_further_kpis_cost_nothing():
    kpis = tables()
    answers = certify_kpis(kpis, "top:3", by="loss", gamma=0.3)
    alone = certify(kpis["loss"], "top:3", gamma=0.3)

    assert list(answers) == ["loss", "seconds", "usd"]
    assert {frozenset(a.selected) for a in answers.values()} == {frozenset(alone.selected)}
    for answer in answers.values():
        assert answer.rows()[0]["alpha"] == pytest.approx(alone.rows()[0]["alpha"])
        assert answer.guarantee == "finite-sample"
    assert answers["loss"].rows()[0]["value"] == alone.rows()[0]["value"]


def test_jointly_the_level_is_divided():
    answers = certify_kpis(tables(), "top:3", by="usd", joint=True)
    assert answers["loss"].rows()[0]["alpha"] == pytest.approx(0.1 * 3 / 12 / 3)


@pytest.mark.parametrize("rule", ["auto", "benjamini_yekutieli", "bonferroni", "mixture"])
def test_a_random_size_is_paid_for_over_all_pairs(rule):
    answers = certify_kpis(tables(), "within:0.05", by="loss", rule=rule)
    m = len(answers["loss"].selected)
    name = "minimax" if rule == "auto" else rule
    pairs = selective.named(name, K=36, delta=0.1, side="lower").alpha(3 * m)
    for answer in answers.values():
        assert answer.rows()[0]["alpha"] == pytest.approx(pairs)
        assert answer.guarantee == "finite-sample"


def test_the_false_coverage_rate_over_pairs_is_kept():
    wrong = []
    for _ in range(250):
        base = RNG.random((10, 40))
        kpis = {
            "a": Scores.from_arrays(base, better="lower"),
            "b": Scores.from_arrays(1 - base, better="lower"),  # as dependent as can be
        }
        answers = certify_kpis(kpis, "top:3", by="a", gamma=0.4)
        wrong.append(
            np.mean(
                [
                    (e.region.lower(e.region.x) > e.region.x).any()
                    for answer in answers.values()
                    for e in answer.evaluated
                ]
            )
        )
    assert np.mean(wrong) <= 0.1 + 5 * math.sqrt(0.09 / 250)


def test_other_candidates_are_refused():
    kpis = tables()
    with pytest.raises(InputError, match="none of the KPIs"):
        certify_kpis(kpis, by="size")
    kpis["usd"] = Scores.from_arrays(RNG.random((11, 9)), better="lower")
    with pytest.raises(InputError, match="different candidates: '11'"):
        certify_kpis(kpis, by="loss")
