"""Public boards, and exact numbers: what a ranking says of them."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binomtest

from nofluke import rank, read


@pytest.fixture
def data(shared):
    return shared / "data"


@pytest.fixture
def alpaca(data):
    return read(data / "alpaca_eval2_weighted.parquet", bounds=(1, 2))


def rows(answer):
    return {row["candidate"]: row for row in answer.rows()}


class TestAlpaca:
    def test_all_58_at_once(self, alpaca):
        answer = rank(alpaca, missing="common")
        found = rows(answer)
        assert (answer.K, answer.n_units) == (58, 797)
        assert answer.guarantee == "finite-sample"
        # An adversarial candidate that answers everything with one text leads the board.
        top = answer.rows()[0]
        assert (top["candidate"], top["rank_low"], top["rank_high"]) == ("NullModel", 1, 2)
        assert top["estimate"] == pytest.approx(np.mean(_common(alpaca)["NullModel"]), abs=1e-12)
        assert answer.best_set == ("NullModel", "FuseChat-Gemma-2-9B-Instruct")
        reference = found["gpt4_1106_preview"]
        assert (reference["estimate"], reference["rank_low"]) == (1.5, 5)
        assert any(n.startswith("NF162") and "gpt4_1106_preview" in n for n in answer.notes)
        # Every mean order lies inside.
        for place, row in enumerate(answer.rows(), start=1):
            assert row["rank_low"] <= place <= row["rank_high"]

    def test_methods_agree_about_the_top(self, alpaca):
        edges = {}
        for method in ("holm", "bonferroni", "max_t"):
            answer = rank(alpaca, missing="common", method=method)
            edges[method] = {(e["better"], e["worse"]) for e in answer.edges}
            assert "NullModel" in answer.best_set
            assert "NullModel" in answer.mcs_set
        assert edges["bonferroni"] <= edges["holm"]
        shared = len(edges["holm"] & edges["max_t"])
        assert shared >= 0.97 * len(edges["holm"])


def _common(scores):
    sets = [set(scores.places(k).tolist()) for k in range(scores.K)]
    common = set.intersection(*sets)
    return {
        name: scores.sample(k)[[i in common for i in scores.places(k).tolist()]]
        for k, name in enumerate(scores.candidates)
    }


def test_swebench_pro_by_the_binomial_law(data):
    """Holm by hand on exact p-values from scipy."""
    scores = read(data / "swebench_pro.parquet", binary=True)
    answer = rank(scores, missing="common")
    x = _common(scores)
    p = {
        (i, j): _sign_p(int((x[i] > x[j]).sum()), int((x[i] < x[j]).sum()))
        for i, j in itertools.permutations(x, 2)
    }
    rejected, left = set(), len(p)
    for pair in sorted(p, key=p.get):
        if p[pair] > 0.05 / left:
            break
        rejected.add(pair)
        left -= 1
    assert {(e["better"], e["worse"]) for e in answer.edges} == rejected
    assert len(rejected) == 28
    assert answer.best_set == (
        "claude-45sonnet-10132025",
        "claude-4sonnet-10132025",
        "gpt-5-250-turns-10132025",
    )
    assert {row["n"] for row in answer.rows()} == {418}


def _sign_p(wins, losses):
    if wins + losses == 0:
        return 1.0
    return binomtest(wins, wins + losses, 0.5, alternative="greater").pvalue


def test_swebench_pro_pair_by_pair(data):
    answer = rank(read(data / "swebench_pro.parquet", binary=True), missing="pairwise")
    counts = {(row["first"], row["second"]): row["n"] for row in answer.common}
    assert counts["claude-45sonnet-10132025", "claude-4sonnet-10132025"] == 562
    assert len(counts) == 36
    assert rows(answer)["claude-45sonnet-10132025"]["n"] == 730
    assert len(answer.edges) >= 28


def test_five_talks_separate_nothing(data):
    scores = read(data / "wmt_ted_mqm_ende.parquet", better="higher", bounds=(-25, 0))
    answer = rank(scores, clusters=True, missing="common")
    assert (answer.n_units, answer.K, answer.edges) == (5, 14, ())
    assert {(r["rank_low"], r["rank_high"]) for r in answer.rows()} == {(1, 14)}
    gap = answer.rows()[0]["estimate"] - answer.rows()[-1]["estimate"]
    least = math.ceil(math.log(182 / 0.05) / math.log1p(gap / 25))
    assert any(f"fewer than the {least}" in n for n in answer.notes)
    assert any(n.startswith("NF145") for n in answer.notes)
