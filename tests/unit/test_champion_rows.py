"""The best of scored rows: clusters, the choice corrected, and the claim without a model."""

import math

import numpy as np
import pytest
from scipy import stats

import nofluke
from nofluke import Predictions, Scores, champion
from nofluke.errors import InputError
from nofluke.kernels import cluster_means, clusters, roc_areas
from nofluke.proportions import of_counts
from nofluke.selection.bbc import bbc_cv
from nofluke.selection.clustered_means import clustered_means, decompose_clustered
from nofluke.selection.optimism import hybrid_auc


def codes(card):
    return {note[:5] for note in card.notes}


@pytest.fixture(scope="module")
def scored():
    """Five candidates on 20 clusters of 4 rows."""
    rng = np.random.default_rng(3)
    shared = rng.normal(size=20).repeat(4)
    x = 0.3 * np.arange(5)[:, np.newaxis] + shared + rng.normal(size=(5, 80))
    return x, [f"c{i // 4}" for i in range(80)]


def test_clusters_of_one_size_give_the_usual_error(scored):
    x, names = scored
    found = clustered_means(x, names)
    codes = np.arange(80) // 4
    want = [clusters.cluster_se(row, codes) for row in x]
    assert np.sqrt(found.covariance.diagonal()) == pytest.approx(want)
    assert found.df == pytest.approx(19)
    assert not found.notes


def test_the_jackknife_over_clusters_is_what_it_says():
    """Each mean computed again without each cluster."""
    rng = np.random.default_rng(4)
    sizes = np.array([1, 2, 5, 9, 3])
    codes = np.arange(5).repeat(sizes)
    x = rng.normal(size=(3, codes.size))
    again = np.array([[row[codes != c].mean() for c in range(5)] for row in x])
    moves = again - x.mean(axis=1, keepdims=True)
    assert cluster_means.left_out(x, codes) == pytest.approx(-moves)
    assert cluster_means.covariance(-moves) == pytest.approx(0.8 * moves @ moves.T)


@pytest.mark.parametrize("sizes", [[4, 4, 4], [1, 2, 5, 9, 3], [60, 1, 1, 1], [1, 9]])
def test_degrees_of_freedom_are_those_of_the_quadratic_form(sizes):
    """From the matrix of the variance itself: 2 E(V)^2 / var(V) of normal rows."""
    sizes = np.array(sizes)
    codes = np.arange(sizes.size).repeat(sizes)
    moves = cluster_means.left_out(np.eye(codes.size), codes).T  # (clusters, rows)
    M = moves.T @ moves
    want = np.trace(M) ** 2 / (M**2).sum()
    assert cluster_means.degrees_of_freedom(sizes) == pytest.approx(want)


def test_clusters_of_scored_rows_are_counted(scored):
    x, names = scored
    card = champion(Scores.from_arrays(x, better="higher", cluster=names), planned="name:2")
    alone = champion(Scores.from_arrays(x, better="higher"))
    a, b = card.row("winner"), alone.row("winner")
    # Rows of a cluster go up and down together, so that 80 rows are worth about 20.
    assert a["upper"] - a["lower"] > 1.5 * (b["upper"] - b["lower"])
    own, se = card.row("named"), clustered_means(x, names).covariance[2, 2] ** 0.5
    assert own["upper"] - own["shown"] == pytest.approx(2.0930240544 * se)  # t, 19 df
    mean = decompose_clustered(clustered_means(x, names))
    assert (card.row("mean")["lower"], card.row("mean")["upper"]) == (mean.lower, mean.upper)
    assert card.decomposition["row_variance"] == mean.shared_variance
    assert card.optimism[0]["se"] > 1.5 * alone.optimism[0]["se"]
    assert card.row("winner (corrected)")["estimate"] is None
    assert "clusters" in card.row("winner (no model)")["reason"]


def test_few_clusters_are_told_and_one_is_refused():
    x = np.random.default_rng(5).normal(size=(3, 12))
    few = champion(Scores.from_arrays(x, better="higher", cluster=list("aaabbbcccddd")))
    assert "NF282" in codes(few)
    with pytest.raises(InputError) as refused:
        champion(Scores.from_arrays(x, better="higher", cluster=["a"] * 12))
    assert refused.value.code == "NF283"


def test_a_large_cluster_counts_for_little_more_than_one():
    x = np.random.default_rng(6).normal(size=(3, 40))
    even = [str(i % 8) for i in range(40)]
    lumped = ["0"] * 33 + [str(i) for i in range(1, 8)]
    narrow, wide = (
        champion(Scores.from_arrays(x, better="higher", cluster=names)) for names in (even, lumped)
    )
    note = next(n for n in wide.notes if n.startswith("NF282"))
    assert "a few large ones outweigh the others" in note
    a, b = narrow.row("winner"), wide.row("winner")
    assert b["upper"] - b["lower"] > 3 * (a["upper"] - a["lower"])


def test_candidates_must_agree_in_clusters(tmp_path):
    path = tmp_path / "scores.csv"
    lines = ["model,id,score,doc"]
    lines += [f"{m},{i},{0.1 * i},{d}" for m, d in (("a", "x"), ("b", "y")) for i in range(4)]
    path.write_text("\n".join(lines))
    table = nofluke.read(path, better="higher", columns={"cluster": "doc"})
    with pytest.raises(InputError) as refused:
        champion(table)
    assert refused.value.code == "NF283"


def test_the_correction_is_that_of_bbc(scored):
    x, _ = scored
    row = champion(Scores.from_arrays(x, better="lower"), seed=7).row("winner (corrected)")
    want = bbc_cv(x.T, better="lower", seed=7)
    assert (row["estimate"], row["lower"], row["guarantee"]) == (want.estimate, None, "heuristic")
    assert row["estimate"] >= row["shown"]
    hidden = champion(Scores.from_arrays(x, better="lower"), tried=9).row("winner (corrected)")
    assert hidden["estimate"] is None
    assert "not all that were tried" in hidden["reason"]


def test_the_correction_of_areas():
    rng = np.random.default_rng(8)
    y = np.arange(60) < 20
    s = rng.normal(size=(4, 60)) + 0.8 * y
    card = champion(Predictions.from_arrays(y, s))
    want = bbc_cv(s.T, better="higher", seed=0, labels=y)
    assert card.row("winner (corrected)")["estimate"] == want.estimate
    assert "an area is no mean" in card.row("winner (no model)")["reason"]
    assert any("There is no interval for the best without a model" in s for s in card.sentences())


def test_the_claim_without_a_model_is_that_of_certify():
    x = np.random.default_rng(9).beta(5, 2, size=(4, 150))
    table = Scores.from_arrays(x, better="higher", bounds=(0, 1))
    card = champion(table, level=0.9, tried=12)
    row = card.row("winner (no model)")
    found = nofluke.certify(
        table, f"names:{card.best}", delta=0.1, claim="winner", tried=12, side="both",
        functionals=["mean"],
    )  # fmt: skip
    (want,) = found.functionals()
    assert (row["lower"], row["upper"]) == pytest.approx((want["lower"], want["upper"]))
    assert (row["guarantee"], row["m"]) == ("finite-sample", 12)
    assert row["lower"] < row["shown"] < row["upper"]


def test_right_or_wrong_has_an_exact_rate():
    x = (np.random.default_rng(10).random((3, 90)) < 0.8).astype(float)
    card = champion(Scores.from_arrays(x, metric="accuracy"))
    best = x.sum(axis=1).max()
    want = of_counts(int(best), 90, alpha=(1 - 0.95) / 3)
    row = card.row("winner (no model)")
    assert (row["lower"], row["upper"]) == pytest.approx((want.lower, want.upper))


def test_without_bounds_the_card_says_what_would_give_it(scored):
    row = champion(Scores.from_arrays(scored[0], better="higher")).row("winner (no model)")
    assert row["lower"] is None
    assert "no lowest and highest possible score is declared" in row["reason"]


def test_areas_and_their_covariance_are_computed_once(monkeypatch):
    rng = np.random.default_rng(11)
    y = np.arange(80) < 30
    table = Predictions.from_arrays(y, rng.normal(size=(5, 80)) + y)
    calls = {"deviations": 0, "covariance": []}
    deviations, covariance = roc_areas.deviations, roc_areas.covariance

    def counted(*args):
        calls["deviations"] += 1
        return deviations(*args)

    def seen(labels, of_rows):
        calls["covariance"].append(of_rows.tobytes())
        return covariance(labels, of_rows)

    monkeypatch.setattr(roc_areas, "deviations", counted)
    monkeypatch.setattr(roc_areas, "covariance", seen)
    want = hybrid_auc(y, table.matrix().predictions)
    calls["deviations"], calls["covariance"] = 0, []
    row = champion(table).row("winner")
    assert (row["lower"], row["upper"]) == (want.lower, want.upper)
    assert calls["deviations"] == 1
    assert len(calls["covariance"]) == len(set(calls["covariance"]))


def test_one_file_for_each_run_is_one_number_each(tmp_path):
    for i, value in enumerate((0.81, 0.85, 0.83)):
        (tmp_path / f"run{i}.csv").write_text(f"seed,auc\n{i},{value}\n")
    card = champion(nofluke.read(tmp_path), published="0.917")
    assert card.scores == {"run0": 0.81, "run1": 0.85, "run2": 0.83}
    assert (card.source, card.published["rank"], card.published["of"]) == ("numbers", 1, 4)


def test_candidates_on_different_rows_are_told_apart():
    table = Scores.from_arrays({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]}, better="higher")
    with pytest.raises(InputError, match="not scored once each on the same"):
        champion(table)


def test_what_is_perfect_has_a_limit_and_no_luck_of_zero():
    card = champion(Scores.from_arrays(np.ones((3, 40)), metric="accuracy"), gate=0.95)
    want = of_counts(40, 40, alpha=(1 - 0.95) / 3)
    assert card.row("winner (no model)")["lower"] == pytest.approx(want.lower)
    assert card.row("mean")["lower"] is None
    assert (card.optimism, card.decomposition) == ((), None)
    said = " ".join((*card.sentences(), *card.notes))
    assert "standard error 0" not in said
    assert "NF257" not in said
    y = np.arange(40) < 10
    areas = champion(Predictions.from_arrays(y, {"a": y * 1.0, "b": y * 2.0}))
    assert 0.7 < areas.row("winner")["lower"] < 1
    sized = champion(["1.00", "1.00"], n_positive=10, n_negative=30)
    assert 0.7 < sized.row("winner")["lower"] < 1
    assert "standard error" not in " ".join(sized.sentences())


@pytest.mark.parametrize("tried", [10**12, 10**15, 10**17])
def test_limits_of_one_among_very_many_are_numbers(tried):
    x = np.random.default_rng(0).normal(size=(3, 30))
    row = champion(Scores.from_arrays(x, better="higher"), tried=tried).row("winner")
    se, shown = x.std(axis=1, ddof=1).max() / math.sqrt(30), x.mean(axis=1).max()
    t = stats.t.isf(0.05 / tried / 2, 29)  # so far out, no gap between candidates counts
    assert (row["lower"], row["upper"]) == pytest.approx((shown - t * se, shown + t * se), rel=1e-9)


def test_means_that_differ_alike_everywhere_are_not_called_equal():
    """One seed is better by the same amount on every row: nothing is tested, and that is said."""
    rng = np.random.default_rng(6)
    hard = rng.normal(size=12).repeat(5)
    clusters_of = np.arange(60) // 5

    found = decompose_clustered(clustered_means([hard, hard + 0.25], clusters_of))
    assert found.p_equal == 1
    assert any(note.startswith("NF275") for note in found.notes)

    alike = decompose_clustered(clustered_means([hard, hard], clusters_of))
    assert not any(note.startswith("NF275") for note in alike.notes)
