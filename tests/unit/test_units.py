"""What is counted: draws of clusters, averaged runs, groups."""

import math

import numpy as np
import pytest

from nofluke import Scores, bands, certify, read
from nofluke.errors import InputError
from nofluke.kernels import concentration, evalues
from nofluke.scores import units
from nofluke.selection import splits


def clustered(K=3, G=12, m=5, seed=0, **how):
    """K candidates on the same m examples of each of G clusters."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=G)
    return read(
        [
            {
                "model": f"m{k}",
                "item": f"c{g}/{i}",
                "cluster": f"c{g}",
                "score": level[g] + rng.normal(),
            }
            for k in range(K)
            for g in range(G)
            for i in range(m)
        ],
        better="lower",
        **how,
    )


def clusters_of(table, k):
    return table.cluster.codes[table.starts[k] : table.starts[k + 1]].tolist()


def test_one_draw_of_each_cluster_the_same_for_all_who_share_it():
    table = units.counted(clustered(), missing="raise", unit="cluster", seed=1)

    assert table.complete
    assert table.n.tolist() == [12, 12, 12]
    for k in range(3):
        assert sorted(clusters_of(table, k)) == list(range(12))
    assert "NF120: one draw for each cluster, by chance: n is 12 instead of 60" in table.notes[-1]


def test_the_draw_is_a_matter_of_ids_and_seed_alone():
    scores = clustered()
    other = clustered(seed=9)  # other scores, the same ids
    draws = [
        units.one_per_cluster(s, seed).examples
        for s, seed in ((scores, 1), (other, 1), (scores, 2))
    ]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]
    text = certify(scores, "top:1", unit="cluster", seed=3).to_json()
    assert text == certify(scores, "top:1", unit="cluster", seed=3).to_json()


def test_the_draw_is_uniform_within_a_cluster():
    scores = clustered(K=1, G=1, m=4)
    seen = [units.one_per_cluster(scores, seed).examples[0] for seed in range(400)]
    counts = np.array([seen.count(e) for e in scores.examples])
    assert counts.sum() == 400
    assert (np.abs(counts - 100) < 45).all()  # five standard errors


def test_clusters_of_one_change_nothing():
    scores = clustered(G=50, m=1)
    row, cluster = (certify(scores, "top:1", unit=unit, seed=1) for unit in ("example", "cluster"))
    assert cluster.rows() == row.rows()
    assert cluster.n == row.n


def test_ids_that_start_anew_in_each_cluster_are_no_repeats():
    rows = [
        {"model": "m", "item": str(i), "cluster": f"c{g}", "score": float(g)}
        for g in range(5)
        for i in range(4)
    ]
    table = units.counted(read(rows, better="lower"), missing="raise", unit="cluster", seed=1)
    assert table.values.tolist() == [0, 1, 2, 3, 4]
    assert table.examples[0].startswith("c0 | ")


def own(sizes=((3, 4), (5, 2))):
    rows = [
        {"model": f"m{k}", "item": f"m{k}c{g}i{i}", "cluster": f"c{g}", "score": float(i + g)}
        for k, row in enumerate(sizes)
        for g, size in enumerate(row)
        for i in range(size)
    ]
    return read(rows, better="lower")


def test_clusters_with_examples_of_ones_own():
    table = units.counted(own(), missing="own", unit="cluster", seed=1)
    assert table.n.tolist() == [2, 2]
    assert len(table.examples) == 4
    assert not table.complete


def test_clusters_need_a_column_and_a_seed():
    with pytest.raises(InputError, match="needs a cluster column"):
        certify(Scores.from_arrays([[1, 2]], better="lower"), "top:1", unit="cluster", seed=1)
    with pytest.raises(InputError, match="seed= is needed"):
        certify(clustered(), "top:1", unit="cluster")
    with pytest.raises(InputError, match="unit='row' is not one of example, cluster"):
        certify(clustered(), "top:1", unit="row")


def test_filling_keeps_the_clusters_where_they_are_known():
    rows = [
        {"model": f"m{k}", "item": f"c{g}/{i}", "cluster": f"c{g}", "score": 1.0}
        for k in range(2)
        for g in range(3)
        for i in range(2)
    ]
    table = units.counted(read(rows[:-1], better="lower"), missing="worst", unit="cluster", seed=0)
    assert table.n.tolist() == [3, 3]


def test_a_split_keeps_clusters_whole():
    scores = own(sizes=((5,) * 10, (3,) * 10))
    one, other = splits.halves(scores, 0.5, np.random.default_rng(1), unit="cluster")
    assert not set(one.cluster.codes.tolist()) & set(other.cluster.codes.tolist())
    answer = certify(scores, "top:1", missing="own", unit="cluster", split=0.5, seed=1)
    assert answer.rows()[0]["n"] == 5


def test_a_split_of_examples_is_what_it_was():
    scores = Scores.from_arrays(np.random.default_rng(0).random((3, 40)), better="lower")
    one, other = splits.halves(scores, 0.25, np.random.default_rng(5))
    assert one.n.tolist() == [10] * 3
    assert (one.places(0) == one.places(2)).all()
    assert not set(one.places(0)) & set(other.places(0))


def with_runs(K=2, n=40, r=3, drop=()):
    rng = np.random.default_rng(3)
    rows = [
        {"model": f"m{k}", "item": f"{i:02d}", "run": j, "score": rng.normal() + k}
        for k in range(K)
        for i in range(n)
        for j in range(r)
    ]
    return read([row for i, row in enumerate(rows) if i not in drop], better="lower")


def test_averaged_runs_count_examples():
    answer = certify(with_runs(), "top:1", repeats="average", gamma=0.5)
    row, region = answer.rows()[0], answer.evaluated[0].region

    assert answer.band == "averaged"
    assert row["n"] == region.n == 40
    assert region.x.size == 120
    assert row["half_width"] == concentration.averaged_radius(40, row["alpha"])
    used = next(r for r in answer.rules if r["rule"] == answer.rule)
    assert used["half_width"] == row["half_width"]
    assert any(
        note.startswith("NF111: the distribution functions of 3 runs") for note in answer.notes
    )
    assert answer.winners()[0]["candidate"] == answer.selected[0]
    assert "the mean of sqrt" in answer.work()[0]
    assert certify(with_runs(), "top:1", gamma=0.5).rows()[0]["n"] == 40


def test_a_rule_that_promises_nothing_still_counts_examples_for_the_winner():
    answer = certify(with_runs(K=4), "top:1", repeats="average", rule="sizes:3", gamma=0.5)
    assert answer.rows()[0]["alpha"] == 0
    region = answer.evaluated[0].at_level(answer.winner_alpha).region
    assert region.half_width == concentration.averaged_radius(40, answer.winner_alpha)


@pytest.mark.parametrize("drop", [{0}, set(range(0, 120, 3)), {0, 1, 2}])
def test_incomplete_runs_are_not_averaged(drop):
    """One row, one run of a candidate, one example of a candidate."""
    with pytest.raises(InputError, match="every run on the same examples, once"):
        certify(with_runs(drop=drop), "top:1", repeats="average")


def test_averaging_needs_runs_and_its_own_band():
    with pytest.raises(InputError, match="needs a run column"):
        certify(clustered(), "top:1", repeats="average")
    with pytest.raises(InputError, match="has a band of its own"):
        certify(with_runs(), "top:1", repeats="average", band="dkw")
    with pytest.raises(InputError, match="needs repeats='average'"):
        certify(with_runs(), "top:1", band="averaged")


def test_clusters_of_averaged_runs():
    rows = [
        {"model": "m", "item": f"{g}/{i}", "cluster": str(g), "run": j, "score": float(i + j)}
        for g in range(20)
        for i in range(3)
        for j in range(2)
    ]
    answer = certify(
        read(rows, better="lower"), "top:1", repeats="average", unit="cluster", seed=1, gamma=0.5
    )
    assert answer.rows()[0]["n"] == 20
    assert answer.evaluated[0].region.x.size == 40


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.01, 1e-6])
def test_the_averaged_band_lies_between_one_run_and_averaged_evalues(alpha, side):
    x = np.random.default_rng(1).random(60)
    radius = bands.averaged(x, runs=3, alpha=alpha, side=side).half_width
    level = math.exp(evalues.log_level(math.log(alpha) - 1))

    assert radius > bands.half_width("dkw", 20, alpha, side=side)
    assert radius < bands.half_width("dkw", 20, level, side=side)


def test_the_averaged_radius_is_an_expected_shortfall():
    u = (np.arange(400_000) + 0.5) / 400_000 * 0.1
    assert concentration.averaged_radius(50, 0.1) == pytest.approx(
        np.sqrt(-np.log(u) / 100).mean(), rel=1e-6
    )
    n = bands.sample_size("averaged", 0.1, 0.05, side="lower")
    assert (
        concentration.averaged_radius(n, 0.05) <= 0.1 < concentration.averaged_radius(n - 1, 0.05)
    )


def test_averaged_bands_refuse_incomplete_runs():
    with pytest.raises(InputError, match="5 scores are not 2 complete runs"):
        bands.averaged([1, 2, 3, 4, 5], runs=2, alpha=0.1)
    band = bands.averaged(range(40), runs=2, alpha=0.1, side="lower")
    again = bands.at_level(band, 0.01)
    assert (
        again.half_width == bands.averaged(range(40), runs=2, alpha=0.01, side="lower").half_width
    )
    assert band.rank(0.5, better="lower") == math.ceil(40 * (0.5 + band.half_width))


def test_groups_become_candidates():
    scores = clustered(K=2, G=3, m=4)
    table = scores.by_group()

    assert table.candidates == tuple(f"m{k} | c{g}" for k in range(2) for g in range(3))
    assert table.n.tolist() == [4] * 6
    for k in range(2):
        for g in range(3):
            inside = np.array(clusters_of(scores, k)) == g
            assert (table.sample(3 * k + g) == scores.sample(k)[inside]).all()
            assert [table.examples[i].split("/")[0] for i in table.places(3 * k + g)] == [
                f"c{g}"
            ] * 4


def test_groups_are_paid_for_as_candidates():
    answer = certify(clustered(K=2, G=3, m=40).by_group(), "top:2", missing="own", gamma=0.5)
    assert answer.K == 6
    assert {row["alpha"] for row in answer.rows()} == {0.1 * 2 / 6}
    assert {row["n"] for row in answer.rows()} == {40}


def test_groups_without_examples_are_no_units():
    table = own(sizes=((3, 0), (2, 2))).by_group()
    assert table.candidates == ("m0 | c0", "m1 | c0", "m1 | c1")
    assert table.n.tolist() == [3, 2, 2]


def test_groups_by_run():
    assert with_runs(K=1, n=2, r=2).by_group("run").candidates == ("m0 | 0", "m0 | 1")


def test_groups_that_cannot_be():
    with pytest.raises(InputError, match="needs a run column"):
        clustered().by_group("run")
    with pytest.raises(InputError, match="column='metric' is not one of cluster, run"):
        clustered().by_group("metric")
    rows = [
        {"model": m, "item": "x" + m + c, "cluster": c, "score": 1.0}
        for m, c in (("a", "b | c"), ("a | b", "c"))
    ]
    with pytest.raises(InputError, match="'a | b | c' would have the same id") as e:
        read(rows, better="lower").by_group()
    assert e.value.code == "NF006"


def test_functionals_of_averaged_runs_count_examples_and_read_every_point():
    from nofluke import functionals

    x = np.repeat(np.arange(1.0, 41.0), 2)
    twice = bands.averaged(x, runs=2, alpha=0.1)
    once = bands.constant_width(x[::2], twice.half_width, 0.1, "both", method="dkw")
    for name in ("mean", "median", "q0.8", "cvar0.2"):
        a, b = (
            functionals.named(name)(band, bounds=(0, 50), better="lower") for band in (twice, once)
        )
        assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper))
    assert a.n == 40
