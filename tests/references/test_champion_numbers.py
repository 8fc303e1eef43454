"""The card of a champion against numbers found by other routes."""

import json

import pytest

from nofluke import champion


def known(shared, folder, name):
    return json.loads((shared / folder / f"{name}.json").read_text("utf-8"))


def test_planned_summary_and_maximum(shared):
    """Exact rationals."""
    case = known(shared, "reference/classify", "seed_summary")
    given, want = case["inputs"], case["expected"]
    card = champion(given["scores"], gate=given["gate"], better="higher")

    near = pytest.approx
    assert card.planned_value == near(want["mean"], abs=1e-12)
    assert card.sd == near(want["sd"], abs=1e-12)
    assert card.best_value == want["max"]
    assert card.best == str(want["argmax_1based"])
    assert card.gap == near(want["gap_max_minus_mean"], abs=1e-12)
    assert card.gate["planned_passes"] is want["passes_gate_mean"]
    assert card.gate["best_passes"] is want["passes_gate_max"]
    assert card.gate["count"] == want["n_at_or_above_gate"]
    assert card.m == card.tried == want["n"]


@pytest.mark.parametrize("how", ["name:10", 0.917])
def test_a_published_seed(shared, how):
    """The t prediction of one seed from the nine others; its rank."""
    case = known(shared, "cases", "seeds-02")
    want = case["expected"]["values"]
    card = champion(case["input"]["scores"], published=how, better="higher")

    one = card.published
    assert one["value"] == want["published"]
    assert one["others_mean"] == pytest.approx(want["mean_of_other_9"], abs=1e-12)
    assert one["others_sd"] == pytest.approx(want["sd_of_other_9"], abs=1e-12)
    assert (one["rank"], one["of"], one["df"]) == (want["rank_of_published"], 10, want["df"])
    assert one["pvalue_rank"] == want["exchangeability_p_one_sided"]
    assert one["t"] == pytest.approx(want["t_prediction"], abs=1e-9)
    assert one["pvalue_t"] == pytest.approx(want["p_normal_model"], rel=1e-6)
    assert card.mean == pytest.approx(want["mean_all_10"], abs=1e-12)
    ratio = card.gap_if_equal / card.sd
    assert ratio == pytest.approx(want["expected_max_of_10_in_sd"], abs=1e-9)
    assert not one["beyond"]
    assert any("0.1, whatever the distribution" in s for s in card.sentences())


def test_the_interval_of_the_mean_over_seeds(shared):
    """A t interval with two degrees of freedom (mpmath)."""
    case = known(shared, "cases", "seeds-01")
    given, want = case["input"], case["expected"]["values"]
    card = champion(given["scores"], level=given["confidence"], better="higher")

    row = card.row("mean")
    assert (row["lower"], row["upper"]) == pytest.approx(want["ci"], abs=1e-9)
    assert card.sd == pytest.approx(want["sd"], abs=1e-12)


def test_chance_of_one_pass(shared):
    """The share that passes is 0.2; the limits are those of Frechet and independence."""
    want = known(shared, "reference/classify", "prob_any_pass")["expected"]["p"]["0.2"]["0"]["10"]
    seeds = known(shared, "reference/classify", "seed_summary")["inputs"]["scores"]
    card = champion(seeds, gate=0.82, better="higher")

    assert (card.passing["p"], card.passing["lower"], card.passing["upper"]) == (0.2, 0.2, 1.0)
    assert card.passing["independent"] == pytest.approx(want, abs=1e-12)


def test_luck_at_the_implied_standard_error(shared):
    """Expected maxima and coverage of naive intervals by quadrature, se by Hanley and McNeil."""
    maxima = known(shared, "reference/classify", "emax_normal")["expected"]
    naive = known(shared, "reference/classify", "winner_naive_coverage")["expected"]["coverage"]
    seeds = known(shared, "reference/classify", "seed_summary")["inputs"]["scores"]
    card = champion(seeds, n_positive=50, n_negative=950)

    a, m, n = 0.797, 50, 950
    q1, q2 = a / (2 - a) - a * a, 2 * a * a / (1 + a) - a * a
    se = ((a * (1 - a) + (m - 1) * q1 + (n - 1) * q2) / (m * n)) ** 0.5
    for row in card.optimism:
        rho = f"{row['rho']:g}"
        assert row["se"] == pytest.approx(se, rel=1e-12)
        ratio = row["value"] / row["se"]
        assert ratio == pytest.approx(maxima["emax_equicorrelated"][rho]["10"], abs=1e-9)
        assert row["naive_coverage"] == pytest.approx(naive[rho]["10"], abs=1e-7)
