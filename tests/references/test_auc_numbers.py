"""Areas under ROC curves: numbers of other programs and of exact arithmetic.

The files of the shared folder hold exact fractions checked with R pROC 1.18 and scikit-learn; data
of GPL packages stay there. VanDyke's areas and covariances are those of the printed output of
the Iowa program OR-DBM (empirical area, jackknife of cases, so that covariances are near DeLong's
and not equal to them).
"""

import json
import math

import numpy as np
import pairs
import pandas as pd
import pytest
import scipy.special
import scipy.stats
from sklearn.metrics import roc_auc_score

from nofluke.classify import curves
from nofluke.errors import InputError
from nofluke.kernels import roc_areas

Z = 1.959963984540054


def known(shared, name):
    found = json.loads((shared / "reference" / "classify" / f"{name}.json").read_text())
    return found["inputs"], found["expected"], found["tolerance"]


def case(shared, name):
    found = json.loads((shared / "cases" / f"{name}.json").read_text("utf-8"))
    return found["input"], found["expected"]["values"]


def limits(interval):
    return interval.lower, interval.upper


def test_pairs_and_variance_with_ties(shared):
    given, expected, tolerance = known(shared, "auc_ties_small")
    found = curves.auc(given["y"], given["score"])

    assert (found.wins, found.ties, found.pairs) == (25, 5, 35)
    assert [found.wins, found.ties, found.pairs] == [expected[k] for k in ("wins", "ties", "pairs")]
    assert found.value == 11 / 14 == expected["auc"]
    strict, lenient = expected["auc_strict_greater"], expected["auc_greater_or_equal"]
    assert found.wins / found.pairs == pytest.approx(strict, abs=tolerance)
    assert (found.wins + found.ties) / found.pairs == pytest.approx(lenient, abs=tolerance)
    curve = curves.roc(given["y"], given["score"])
    points = np.column_stack([curve.fpr, curve.tpr])
    assert points == pytest.approx(np.array(expected["roc_points"]), abs=tolerance)
    interval = curves.auc_interval(given["y"], given["score"], method="delong")
    assert interval.se**2 == pytest.approx(expected["delong_var"], rel=tolerance)
    assert limits(interval) == pytest.approx(expected["delong_wald"], abs=tolerance)
    for method, name in (("logit", "delong_logit"), ("newcombe", "newcombe5")):
        interval = curves.auc_interval(given["y"], given["score"], method=method)
        assert limits(interval) == pytest.approx(expected[name], abs=tolerance)
    y = np.array(given["y"], bool)
    deviations = roc_areas.deviations(y, np.array([given["score"]], float)).of_rows[0]
    assert deviations[y] + 11 / 14 == pytest.approx(expected["placements_pos"], abs=tolerance)
    assert deviations[~y] + 11 / 14 == pytest.approx(expected["placements_neg"], abs=tolerance)


@pytest.mark.parametrize("which", ["ties_small", "synth60", "s100b"])
def test_intervals_their_degrees_of_freedom_and_the_test_of_one_half(shared, which):
    if which == "s100b":
        given, expected, tolerance = known(shared, "auc_interval_default_s100b")
    else:
        given, expected, tolerance = known(shared, "auc_interval_default_synth")
        given, expected = given[which], expected[which]
    y, s = given["y"], given["score"]

    for method, name in (
        ("newcombe", "newcombe5"),
        ("logit", "logit_z"),
        ("logit_t", "logit_t"),
        ("envelope", "envelope"),
        ("auto", "envelope"),
    ):
        found = curves.auc_interval(y, s, method=method)
        assert limits(found) == pytest.approx(expected[name], abs=tolerance)
    found = curves.auc_interval(y, s)
    assert found.df == pytest.approx(expected["df_satterthwaite"], rel=1e-9)
    assert found.estimate == pytest.approx(expected["auc"], rel=1e-13)
    t = -scipy.special.stdtrit(found.df, 0.025)
    assert t == pytest.approx(expected["t_quantile"], abs=tolerance)
    area = roc_areas.area(np.array(y, bool), np.array(s, float))
    assert area.parts == pytest.approx((expected["var_pos"], expected["var_neg"]), rel=1e-12)
    assert area.variance == pytest.approx(expected["delong_var"], rel=1e-12)
    ideal = expected["ideal_stratified_bootstrap_var"]
    assert roc_areas.bootstrap_variance(area) == pytest.approx(ideal, rel=1e-12)
    test = curves.auc_test(y, s, alternative="different")
    assert test.statistic == pytest.approx(expected["brunner_munzel_t"], rel=1e-9)
    assert test.pvalue == pytest.approx(expected["p_auc_half"], rel=1e-8)


def test_a_perfect_order_has_no_variance_to_speak_of(shared):
    given, expected, tolerance = known(shared, "auc_interval_default_synth")
    (y, s), expected = given["perfect"].values(), expected["perfect"]
    area = roc_areas.area(np.array(y, bool), np.array(s, float))

    assert (area.value, area.variance) == (expected["auc"], expected["delong_var"])
    assert area.parts == (expected["var_pos"], expected["var_neg"])
    assert roc_areas.bootstrap_variance(area) == expected["ideal_stratified_bootstrap_var"]
    hanley = roc_areas.hanley_mcneil_variance(1.0, area.m, area.n)
    assert hanley == known(shared, "auc_perfect")[1]["hanley_mcneil_var"]
    for method in ("auto", "envelope", "newcombe"):
        found = curves.auc_interval(y, s, method=method)
        assert found.df is expected["df_satterthwaite"]
        assert limits(found) == pytest.approx(expected["envelope"], abs=tolerance)
        assert limits(found) == pytest.approx(expected["newcombe5"], abs=tolerance)


def test_the_test_of_one_half_is_scipys():
    rng = np.random.default_rng(3)
    y, s = rng.random(60) < 0.3, rng.integers(0, 9, 60)
    for ours, theirs in (("better", "greater"), ("worse", "less"), ("different", "two-sided")):
        found = curves.auc_test(y, s, alternative=ours)
        # brunnermunzel(x, y) tests whether y tends to be larger, so negatives come first.
        scipys = scipy.stats.brunnermunzel(
            s[~y], s[y], alternative={"greater": "less", "less": "greater"}.get(theirs, theirs)
        )
        assert found.statistic == pytest.approx(scipys.statistic, rel=1e-10)
        assert found.pvalue == pytest.approx(scipys.pvalue, rel=1e-9)


def test_an_area_of_one_is_not_certainty(shared):
    given, expected, tolerance = known(shared, "auc_perfect")
    for method in (
        "auto",
        "delong",
        "logit",
        "logit_t",
        "newcombe",
        "envelope",
        "bootstrap",
    ):
        found = curves.auc_interval(given["y"], given["score"], method=method)
        assert limits(found) == pytest.approx(expected["newcombe5"], abs=tolerance)
        assert found.boundary
        assert (found.method, found.guarantee, found.se) == ("newcombe", "heuristic", None)
        mirrored = curves.auc_interval(given["y"], [-s for s in given["score"]], method=method)
        assert limits(mirrored) == pytest.approx(expected["mirror_newcombe5_auc0"], abs=tolerance)
    for m, n, lower in ((50, 950, 0.97956777), (20, 20, 0.89866814)):
        assert roc_areas.newcombe_lower(1.0, m, n, Z) == pytest.approx(lower, abs=5e-9)


def test_one_positive_leaves_the_variance_undefined(shared):
    given, expected, tolerance = known(shared, "auc_single_case")
    found = curves.auc_interval(given["y"], given["score"])

    assert (found.estimate, found.se, found.boundary) == (0.75, None, True)
    assert limits(found) == pytest.approx(expected["newcombe5"], abs=tolerance)
    assert curves.delong(given["y"], given["score"]).covariance is None
    chance = roc_areas.one_class_chance(5, 1) - (1 / 5) ** 5
    assert chance == pytest.approx(expected["unstratified_bootstrap_p_no_positive"], abs=1e-12)


def test_a_reported_area_of_fifty_and_nine_hundred_and_fifty(shared):
    given, expected, tolerance = known(shared, "auc_pairs_seed")
    m, n, value = given["n_pos"], given["n_neg"], given["auc_reported"]

    variance = roc_areas.hanley_mcneil_variance(value, m, n)
    assert variance == pytest.approx(expected["hanley_mcneil_var"], abs=tolerance)
    assert math.sqrt(variance) == pytest.approx(expected["hanley_mcneil_se"], abs=tolerance)
    lower = roc_areas.newcombe_lower(value, m, n, Z)
    upper = 1 - roc_areas.newcombe_lower(1 - value, m, n, Z)
    assert [lower, upper] == pytest.approx(expected["newcombe5"], abs=tolerance)
    # 39 425 wins of 47 500 pairs: 41 positives above all, one above 475, eight below all.
    scores = [2.0] * 41 + [1.0] + [0.0] * 8 + [0.5] * 475 + [1.5] * 475
    found = curves.auc_interval([1] * m + [0] * n, scores)
    assert found.estimate == value
    assert found.naive_se == pytest.approx(expected["naive_bernoulli_pair_se"], abs=tolerance)
    counted = curves.auc([1] * m + [0] * n, scores)
    assert counted.pairs == expected["pairs"]
    assert counted.wins + counted.ties / 2 == expected["win_units"]


@pytest.mark.parametrize("name", ["delong_asah_s100b", "delong_asah_wfns"])
def test_pROC_on_subarachnoid_haemorrhage(shared, name):  # noqa: N802
    given, expected, tolerance = known(shared, name)
    y, s = given["y"], given["score"]

    assert curves.auc(y, s).value == pytest.approx(expected["auc"], rel=1e-14)
    for method, level, key in (
        ("delong", 0.95, "delong_wald95"),
        ("delong", 0.90, "delong_wald90"),
        ("logit", 0.95, "delong_logit95"),
        ("newcombe", 0.95, "newcombe5_95"),
    ):
        found = curves.auc_interval(y, s, method=method, level=level)
        assert limits(found) == pytest.approx(expected[key], abs=tolerance)
    area = roc_areas.area(np.array(y, bool), np.array(s, float))
    assert area.variance == pytest.approx(expected["delong_var"], rel=1e-12)
    hanley = roc_areas.hanley_mcneil_variance(area.value, area.m, area.n)
    assert hanley == pytest.approx(expected["hanley_mcneil_var"], rel=1e-12)


def test_paired_markers(shared):
    given, expected, tolerance = known(shared, "delong_paired_s100b_wfns")
    y, a, b = given["y"], given["score_a"], given["score_b"]
    covariance = curves.delong(y, [a, b])

    assert covariance.areas == pytest.approx(expected["auc"], rel=1e-13)
    assert covariance.covariance == pytest.approx(np.array(expected["cov"]), rel=1e-12)
    # pROC takes the first minus the second.
    found = curves.compare_auc(y, b, a)
    assert found.estimate == pytest.approx(expected["diff"], rel=tolerance)
    assert found.se**2 == pytest.approx(expected["var_diff"], rel=1e-12)
    assert found.statistic == pytest.approx(expected["z"], rel=tolerance)
    assert found.pvalue == pytest.approx(expected["p_two_sided"], rel=1e-10)
    assert found.p_worse == pytest.approx(expected["p_less"], rel=1e-10)
    assert limits(found) == pytest.approx(expected["ci95"], abs=tolerance)
    back = curves.compare_auc(y, a, b)
    assert back.statistic == -found.statistic
    assert (back.p_better, back.p_worse) == (found.p_worse, found.p_better)


def test_paired_with_many_ties(shared):
    given, expected, _ = known(shared, "delong_paired_synth60")
    y, a, b = given["y"], given["score_a"], given["score_b"]
    found = curves.compare_auc(y, b, a)

    assert found.estimate == pytest.approx(expected["diff"], rel=1e-12)
    assert found.statistic == pytest.approx(expected["z"], rel=1e-12)
    assert found.pvalue == pytest.approx(expected["p_two_sided"], rel=1e-12)
    assert limits(found) == pytest.approx(expected["ci95_diff"], abs=1e-12)
    covariance = curves.delong(y, [a, b])
    assert covariance.areas == pytest.approx(expected["auc"], rel=1e-13)
    assert covariance.covariance == pytest.approx(np.array(expected["cov"]), rel=1e-12)
    same, identical = curves.compare_auc(y, a, a), expected["identical_models"]
    assert (same.estimate, same.pvalue) == (identical["diff"], identical["p"])
    one = curves.delong(y, [a, a]).covariance
    assert one[0, 0] + one[1, 1] - 2 * one[0, 1] == identical["var"]
    assert (same.estimate, same.pvalue, same.statistic, same.boundary) == (0, 1, 0, True)
    assert same.lower < 0 < same.upper


def test_three_markers(shared):
    given, expected, _ = known(shared, "delong_chi2_three")
    y, s = given["y"], list(given["scores"].values())
    found = curves.auc_equality(y, s)

    assert found.areas == pytest.approx(expected["auc"], rel=1e-13)
    assert found.statistic == pytest.approx(expected["chi2"], rel=1e-10)
    assert found.df == expected["df"]
    assert found.pvalue == pytest.approx(expected["p"], rel=1e-9)
    assert curves.delong(y, s).covariance == pytest.approx(np.array(expected["cov"]), rel=1e-12)
    # In any order, with copies, and with scores on other scales: the same three markers.
    for others in (s[::-1], [*s, s[1]], [s[2], np.exp(s[0]), s[1], np.array(s[0]) * 3 - 1]):
        again = curves.auc_equality(y, others)
        assert again.statistic == pytest.approx(expected["chi2"], rel=1e-9)
        assert again.df == 2
    # Two of them agree with the paired test, of which it is the square.
    two = curves.auc_equality(y, [s[1], s[2]])
    assert math.sqrt(two.statistic) == pytest.approx(2.79777591868904, rel=1e-12)


def test_clusters(shared):
    given, expected, tolerance = known(shared, "auc_clustered_obuchowski")
    y, a, b, c = given["y"], given["score_a"], given["score_b"], given["cluster"]
    found = curves.delong(y, [a, b], clusters=c)

    assert found.areas == pytest.approx(expected["auc"], rel=1e-13)
    assert found.covariance == pytest.approx(np.array(expected["cov_clustered"]), rel=1e-11)
    rows = curves.delong(y, [a, b]).covariance
    assert rows == pytest.approx(np.array(expected["cov_delong_ignoring_clusters"]), rel=1e-12)
    interval = curves.auc_interval(y, a, clusters=c)
    assert interval.method == "obuchowski"
    ratio = interval.se / curves.auc_interval(y, a).se
    assert ratio == pytest.approx(expected["se_ratio_a"], rel=1e-12)
    difference = curves.compare_auc(y, b, a, clusters=c)
    assert difference.estimate == pytest.approx(expected["diff"], rel=1e-12)
    assert difference.se**2 == pytest.approx(expected["var_diff"], rel=1e-11)
    assert difference.statistic == pytest.approx(expected["z"], abs=tolerance)
    # The p-value of the file is the normal one; with 12 clusters t has more in its tails.
    assert 2 * scipy.special.ndtr(-difference.statistic) == pytest.approx(
        expected["p"], abs=tolerance
    )
    assert difference.df <= 11
    assert difference.pvalue > expected["p"]
    assert found.n_clusters == expected["n_clusters"]


def test_every_resample_of_six_rows(shared):
    given, expected, tolerance = known(shared, "bootstrap_exact_stratified")
    y, s = np.array(given["y"], bool), np.array(given["score"])
    variance = roc_areas.bootstrap_variance(roc_areas.area(y, s))
    law = pairs.bootstrap_law(given["y"], given["score"])

    assert variance == pytest.approx(expected["variance"], rel=tolerance)
    assert variance == pytest.approx(expected["variance_closed_form"], rel=tolerance)
    area = roc_areas.area(y, s)
    assert area.value == pytest.approx(expected["auc"], abs=tolerance)
    assert area.variance == pytest.approx(expected["delong_var"], rel=tolerance)
    assert len(law) == expected["n_resamples"]
    mean = pairs.mean(law)
    assert mean == pairs.area(given["y"], given["score"])
    assert variance == pytest.approx(float(pairs.mean((a - mean) ** 2 for a in law)), rel=1e-13)
    assert float(mean) == pytest.approx(expected["mean"], abs=tolerance)
    drawn = roc_areas.bootstrap_areas(y, s, 20_000, np.random.default_rng(5))
    for share, value in expected["inverse_cdf"].items():
        seen = np.quantile(drawn, float(share), method="inverted_cdf")
        assert seen == pytest.approx(value, abs=tolerance)
    for value, share in expected["cdf"].items():
        seen = np.mean(drawn <= float(value) + 1e-9)
        assert abs(seen - share) <= 6 * math.sqrt(share * (1 - share) / 20_000)


def test_resamples_of_one_class(shared):
    _, expected, tolerance = known(shared, "bootstrap_degenerate")
    for name, chance in expected["p"].items():
        rows, positives = map(int, name.split("_"))
        found = roc_areas.one_class_chance(rows, positives)
        assert found == pytest.approx(chance, abs=tolerance)
    for rows, positives in ((1000, 5), (100, 1)):  # clusters of one row, both classes drawn from
        y = np.arange(rows) < positives
        drawn = np.random.default_rng(1).integers(0, rows, (4000, rows))
        lost = np.mean(~y[drawn].any(axis=1))
        chance = roc_areas.one_class_chance(rows, positives)
        assert abs(lost - chance) < 6 * math.sqrt(chance / 4000)


def test_ties_whatever_the_order(shared):
    given, expected = case(shared, "roc-01")
    for name, blocks in given.items():
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(len(blocks["y"]))
            y, s = np.array(blocks["y"])[order], np.array(blocks["score"])[order]
            assert curves.auc(y, s).value == pytest.approx(expected[name]["auc"], abs=1e-12)


def test_fourteen_cases_of_a_clinician(shared):
    given, expected = case(shared, "roc-02")
    y, a, b = given["y"], given["score_a"], given["score_b"]
    found = curves.compare_auc(y, b, a)  # the case takes a minus b
    cov = curves.delong(y, [a, b]).covariance

    assert (found.auc_b, found.auc_a) == (expected["auc_a"], pytest.approx(expected["auc_b"]))
    names = ["var_a", "cov", "cov", "var_b"]
    assert cov.ravel() == pytest.approx([expected[name] for name in names], abs=1e-12)
    assert found.estimate == pytest.approx(expected["difference"], abs=1e-12)
    assert found.se**2 == pytest.approx(expected["var_difference"], abs=1e-12)
    assert found.statistic == pytest.approx(expected["z"], abs=1e-10)
    assert found.pvalue == pytest.approx(expected["p_two_sided"], abs=1e-10)
    assert found.p_better == pytest.approx(expected["p_alternative_a_greater"], abs=1e-10)
    assert found.p_worse == pytest.approx(expected["p_alternative_a_less"], abs=1e-10)
    assert found.p_better + found.p_worse == pytest.approx(1, abs=1e-15)
    assert found.unpaired_se**2 == pytest.approx(expected["wrong_unpaired_var"], abs=1e-12)
    assert found.naive_se != found.se


def test_a_fold_without_positives_is_refused(shared):
    folds, expected = case(shared, "roc-03")
    for fold, value in zip(folds, expected["fold_auc"], strict=True):
        if value is None:
            with pytest.raises(InputError, match="0 of 5 labels are positive") as refused:
                curves.auc(fold["y"], fold["s"])
            assert refused.value.code == "NF053"
        else:
            assert curves.auc(fold["y"], fold["s"]).value == pytest.approx(value, abs=1e-12)


def test_hiv_pooled_and_by_folds(shared):
    table = pd.read_parquet(shared / "data" / "rocr_hiv_scores.parquet")
    wide = table.pivot_table(index="example", columns="candidate", values="score", sort=True)
    labels = table.drop_duplicates("example").set_index("example").sort_index()
    y, folds = labels["label"].to_numpy(), labels["cluster"].to_numpy()
    nn, svm = wide["hiv.nn"].to_numpy(), wide["hiv.svm"].to_numpy()

    for s, printed in ((svm, 0.9035), (nn, 0.8628)):
        found = curves.auc(y, s)
        assert round(found.value, 4) == printed
        assert found.value == pytest.approx(roc_auc_score(y, s), rel=1e-12)
    rows = curves.compare_auc(y, nn, svm)
    by_fold = curves.compare_auc(y, nn, svm, clusters=folds)
    assert rows.estimate == by_fold.estimate == pytest.approx(0.0407, abs=1e-4)
    assert by_fold.df <= 9
    assert by_fold.notes[-1].startswith("NF202: 10 clusters")


# Empirical areas of five readers under two modalities, from the program's printed output.
IOWA = {
    "treatment_1": [0.91964573, 0.85877617, 0.90386473, 0.97310789, 0.82979066],
    "treatment_2": [0.94782609, 0.90531401, 0.92173913, 0.99935588, 0.92995169],
}


def test_single_readers_of_vandyke(shared):
    table = pd.read_parquet(shared / "data" / "mrmc_vandyke.parquet")
    scores, names = [], []
    for (treatment, reader), rows in table.groupby(["candidate", "reader"]):
        ordered = rows.sort_values("example")
        scores.append(ordered["score"].to_numpy())
        names.append((treatment, int(reader[-1]) - 1))
        y = ordered["label"].to_numpy()
    found = curves.delong(y, scores)

    areas = [IOWA[treatment][reader] for treatment, reader in names]
    assert found.areas == pytest.approx(areas, abs=2e-8)
    assert found.areas[:5].mean() == pytest.approx(0.89704, abs=5e-6)
    assert found.areas[5:].mean() == pytest.approx(0.94084, abs=5e-6)
    cov = found.covariance
    different = ~np.eye(5, dtype=bool)
    error = cov.diagonal().mean()
    cov1 = np.mean([cov[r, 5 + r] for r in range(5)])
    cov2 = np.mean([cov[:5, :5][different].mean(), cov[5:, 5:][different].mean()])
    cov3 = cov[:5, 5:][different].mean()
    printed = [0.00080229, 0.00034661, 0.00034407, 0.00023903]
    assert [error, cov1, cov2, cov3] == pytest.approx(printed, rel=0.02)


@pytest.mark.parametrize("top", [0.05, 0.1, 0.3, 0.5, 1.0])
def test_partial_areas_on_mcclishs_scale_are_scikit_learns(top):
    rng = np.random.default_rng(8)
    y = rng.random(200) < 0.4
    s = np.round(rng.normal(size=200) + y, 1)
    found = curves.partial_auc(y, s, fpr=(0, top))

    theirs = roc_auc_score(y, s, max_fpr=top if top < 1 else None)
    assert found.standardized == pytest.approx(theirs, rel=1e-10)
