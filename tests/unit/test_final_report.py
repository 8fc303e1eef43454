"""The final report of a chosen classifier."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import nofluke
from nofluke import Predictions, champion, classifier, final_report
from nofluke.classify.confusion import confusion, metrics
from nofluke.classify.curves import auc_interval, compare_auc
from nofluke.classify.precision_recall import average_precision
from nofluke.errors import InputError
from nofluke.questions import final_report as final_report_question
from nofluke.questions.final_report_asked import CHANCES, SCOPE, Payment

N = 160
WORDS = {name: f"words on {name}" for name in SCOPE}
COUNTS = {
    "dropped_seeds": 1,
    "settings": 3,
    "preprocessing": 2,
    "thresholds": 4,
    "metrics": 2,
    "submissions": 0,
}


def scores(m=4, *, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(N) < 60
    alike = 1.1 * y + rng.normal(size=N)
    logits = {f"s{i}": alike + 0.5 * rng.normal(size=N) - 0.5 for i in range(m)}
    return y, {name: 1 / (1 + np.exp(-x)) for name, x in logits.items()}


def table(m=4, *, seed=0, **columns):
    return Predictions.from_arrays(*scores(m, seed=seed), **columns)


def ask(data=None, **how):
    return final_report(table() if data is None else data, **{"n_resamples": 0} | how)


def missing(report):
    return [part["part"] for part in report.missing()]


def limits(row):
    return row["lower"], row["upper"]


def exact(k, n, *, alpha):
    """The limits of Clopper and Pearson, as quantiles of beta distributions; 0 < k < n."""
    return stats.beta.ppf(alpha / 2, k, n - k + 1), stats.beta.isf(alpha / 2, k + 1, n - k)


def codes(report):
    return {note[:5] for note in report.notes}


def test_the_area_of_the_largest_is_that_of_the_champion():
    report, card = ask(), champion(table())
    row, winner = report.headline, card.row("winner")
    assert report.chosen == card.best
    assert report.choice.by == "largest area"
    assert limits(row) == limits(winner)
    assert row["estimate"] == winner["estimate"] < row["shown"] == card.best_value
    y, s = scores()
    plain = auc_interval(y, s[report.chosen], level=0.95)
    assert (row["nominal_lower"], row["nominal_upper"]) == (plain.lower, plain.upper)


def test_other_numbers_pay_for_all_that_were_tried():
    y, s = scores()
    report = ask(threshold=0.5, tried=12)
    cells = confusion(y, s[report.chosen], threshold=0.5)
    paid, plain = (metrics(*cells, level=1 - 0.05 / k, method="clopper_pearson") for k in (12, 1))
    for name in ("recall", "specificity", "precision", "npv", "accuracy", "f1"):
        row = report.row(name)
        assert limits(row) == pytest.approx((paid[name].lower, paid[name].upper), abs=1e-12)
        assert row["nominal_lower"] == pytest.approx(plain[name].lower, abs=1e-12)
        assert (row["level"], row["alone"]) == (0.95, pytest.approx(1 - 0.05 / 12))
        assert row["shown"] == plain[name].estimate


def test_thresholds_and_metrics_are_paid_for_by_what_they_concern():
    y, s = scores()
    report = ask(threshold=0.5, tried=5, chances={"thresholds": 7, "metrics": 3})
    cells = confusion(y, s[report.chosen], threshold=0.5)
    recall = exact(cells.tp, cells.tp + cells.fn, alpha=0.05 / (5 * 3 * 7))
    assert limits(report.row("recall")) == pytest.approx(recall, abs=1e-12)
    assert report.row("brier")["alone"] == pytest.approx(1 - 0.05 / 15)
    area = auc_interval(y, s[report.chosen], alpha=0.05 / 15)
    assert limits(report.headline) == pytest.approx((area.lower, area.upper), abs=1e-9)
    assert report.headline["alone"] == pytest.approx(1 - 0.05 / 15)


def test_a_candidate_picked_by_name_pays_by_bonferroni_even_if_it_is_the_best():
    y, s = scores()
    best = champion(table()).best
    for name in s:
        report = ask(chosen=name)
        area = auc_interval(y, s[name], alpha=(1 - 0.95) / 4)
        assert report.choice == (name, "picked by name")
        assert limits(report.headline) == pytest.approx((area.lower, area.upper), abs=1e-9)
        assert report.headline["method"].endswith("Bonferroni")
        assert report.headline["estimate"] is None
    assert best in s


def test_what_was_planned_and_chosen_pays_for_nothing():
    report = ask(chosen="s2", planned="name:s2", threshold=0.5, tried=40)
    named = champion(table(), planned="name:s2").row("named")
    assert report.payment == Payment(1, 1, 1)
    assert limits(report.headline) == limits(named)
    for row in report.rows():
        if row["against"] is None:
            assert limits(row) == (row["nominal_lower"], row["nominal_upper"])
    assert "Nothing is paid for a choice among candidates" in report.sentences()[0]
    assert "against planned" not in {row["part"] for row in report.rows()}
    assert "difference from what was planned" not in missing(report)


def test_the_plan_is_paid_for_if_the_best_is_taken_instead():
    best = champion(table()).best
    report = ask(planned=f"name:{best}")
    assert report.choice.by == "largest area"
    assert report.payment.candidates == 4


def test_differences_share_the_error_level_of_all_pairs_that_could_be_quoted():
    y, s = scores()
    best = champion(table()).best
    other = next(name for name in s if name != best)
    report = ask(planned=f"name:{other}", tried=6)
    planned = next(r for r in report.rows() if r["part"] == "against planned")
    want = compare_auc(y, s[other], s[best], alpha=0.05 / 5, method="delong_t")
    assert limits(planned) == pytest.approx((want.lower, want.upper))
    assert planned["pvalue"] == pytest.approx(min(1, 5 * want.pvalue))
    others = [r for r in report.rows() if r["part"] == "against others"]
    assert {r["against"] for r in others} == set(s) - {best}
    for row in others:
        want = compare_auc(y, s[row["against"]], s[best], alpha=0.05 / 15, method="delong_t")
        assert row["shown"] == pytest.approx(want.estimate)
        assert limits(row) == pytest.approx((want.lower, want.upper))
    assert [r["shown"] for r in others] == sorted(r["shown"] for r in others)


def test_groups_pay_for_groups_and_for_the_choice():
    kind = np.where(np.arange(N) % 2, "odd", "even")
    data = table(groups=kind)
    report = ask(data, threshold=0.5)
    y, s = scores()
    own = kind == "odd"
    area = auc_interval(y[own], s[report.chosen][own], alpha=0.05 / 8)
    assert limits(report.row("auc", group="odd")) == pytest.approx((area.lower, area.upper))
    cells = confusion(y[own], s[report.chosen][own], threshold=0.5)
    recall = exact(cells.tp, cells.tp + cells.fn, alpha=0.05 / 8)
    assert limits(report.row("recall", group="odd")) == pytest.approx(recall)
    assert "groups" not in missing(report)


def test_clusters_are_counted_where_there_is_a_column():
    data = table(cluster=np.arange(N) // 2)
    report = ask(data, threshold=0.5, costs=(1, 3))
    assert report.clusters == N // 2
    assert limits(report.headline) == limits(champion(data).row("winner"))
    assert "precision and recall" in missing(report)
    assert report.row("average_precision")["shown"] is not None
    parts = {part["part"]: part for part in report.missing()}
    assert parts["precision and recall"]["option"] == parts["calibration"]["option"]
    assert "--n-resamples" not in parts["calibration"]["option"]
    assert "clusters of the rows" not in missing(report)
    assert f"in {N // 2} clusters that are counted" in report.sentences()[0]


def test_a_p_value_is_multiplied_and_never_beyond_one():
    y, s = scores()
    report = final_report(table(), n_resamples=199)
    only = Predictions.from_arrays(y, {"a": s[report.chosen]})
    plain = classifier(only, n_resamples=199).calibration[0]["pvalue"]
    row = report.row("calibration_test")
    assert row["pvalue"] == min(1, 4 * plain)
    assert row["lower"] is None
    found = report.row("average_precision")
    want = average_precision(y, s[report.chosen], alpha=0.05 / 4, n_resamples=199, seed=0)
    assert limits(found) == pytest.approx((want.lower, want.upper))


def test_groups_have_average_precision_that_pays():
    kind = np.arange(N) % 2 == 0
    report = final_report(table(groups=np.where(kind, "even", "odd")), n_resamples=99)
    y, s = scores()
    want = average_precision(
        y[kind], s[report.chosen][kind], alpha=0.05 / 8, n_resamples=99, seed=0
    )
    found = report.row("average_precision", group="even")
    assert limits(found) == pytest.approx((want.lower, want.upper))
    assert found["lower"] < found["nominal_lower"]


def test_average_precision_belongs_to_the_share_of_positives_of_these_rows():
    report = final_report(table(), n_resamples=99)
    told = next(s for s in report.sentences() if "average precision" in s)
    assert "both where the share of positives is that of these rows, 0.375" in told
    assert any("taken as known" in assumed for assumed in report.assumes)
    bare = ask()
    told = next(s for s in bare.sentences() if "average precision" in s)
    assert told.endswith("The share of positives among these rows is 0.375.")
    assert not any("taken as known" in assumed for assumed in bare.assumes)


def test_too_few_resamples_are_told():
    told = " ".join(final_report(table(), n_resamples=99, tried=50).sentences())
    assert "too few resamples" in told


def test_everything_that_is_missing_is_named_and_nothing_is_when_all_is_there():
    bare = ask()
    assert len(bare.checklist) == 23
    assert set(missing(bare)) >= {
        "candidates tried", "rule of the choice", "when the rule was fixed",
        "threshold and decisions",
        "cost at the threshold", "groups", "population", "time", "deployment", "origin of the rows",
        *CHANCES.values(),
    }  # fmt: skip
    assert all(part["supply"] and part["option"] for part in bare.missing())
    assert {"NF287", "NF288"} <= codes(bare)
    full = final_report(
        table(groups=np.arange(N) % 2, cluster=np.arange(N)),
        planned="name:s1", threshold=0.4, costs=(1, 2), rule="r", fixed="f", scope=WORDS,
        tried=9, chances=COUNTS, n_resamples=99,
    )  # fmt: skip
    # Clusters take the test of calibration and the interval of average precision away.
    assert missing(full) == ["precision and recall", "calibration"]
    whole = final_report(
        table(groups=np.arange(N) % 2),
        planned="name:s1", threshold=0.4, costs=(1, 2), rule="r", fixed="f", scope=WORDS,
        tried=9, chances=COUNTS, n_resamples=99,
    )  # fmt: skip
    assert missing(whole) == ["clusters of the rows"]
    assert "NF288" not in codes(whole)
    for words in WORDS.values():
        assert any(words in sentence for sentence in whole.sentences())


def test_without_a_threshold_nothing_is_said_of_decisions():
    report = ask()
    assert report.row("recall") is None
    assert report.card.matrices == ()
    assert not {"NF207", "NF208", "NF209", "NF221"} & codes(report)
    assert "threshold and decisions" in missing(report)
    by_costs = ask(costs=(1, 4))
    assert by_costs.card.matrices[0]["threshold"] == pytest.approx(0.2)
    assert by_costs.row("cost")["lower"] is not None
    assert not {"threshold and decisions", "cost at the threshold"} & set(missing(by_costs))


def test_scores_that_are_no_probabilities_have_no_calibration():
    y, s = scores()
    data = Predictions.from_arrays(y, {name: 10 * x - 3 for name, x in s.items()})
    report = ask(data, costs=(1, 2))
    assert report.row("brier") is None
    parts = {part["part"]: part for part in report.missing()}
    assert "calibrated on other rows" in parts["calibration"]["supply"]
    assert parts["cost at the threshold"]["supply"] == "threshold="


def test_the_least_number_tried_comes_from_data_and_counts():
    assert ask().asked.tried == 4
    assert ask(chances={"dropped_seeds": 3}).asked.tried == 7
    assert ask(chances={"dropped_seeds": 3, "settings": 20}).asked.tried == 20
    report = ask(chances={"settings": 6, "preprocessing": 3})
    note = next(n for n in report.notes if n.startswith("NF288"))
    assert "would be 18 already" in note


def test_rows_that_answered_before_are_told():
    assert "NF289" in codes(ask(chances={"submissions": 2}))
    assert "NF289" not in codes(ask(chances={"submissions": 0}))


def test_ties_for_the_largest_area_are_told():
    y, s = scores(2)
    data = Predictions.from_arrays(y, {"one": s["s0"], "two": s["s0"]})
    assert "(as large as that of two)" in ask(data).sentences()[0]


def test_a_perfect_candidate_keeps_an_interval():
    y, s = scores(2)
    data = Predictions.from_arrays(y, {"perfect": 0.5 * y + 0.4 * s["s0"], "s0": s["s0"]})
    report = ask(data, threshold=0.5)
    assert report.headline["shown"] == 1
    assert report.headline["lower"] < 1
    assert report.headline["alone"] == pytest.approx(1 - 0.05 / 2)


def test_as_many_may_have_been_tried_as_a_random_search_tries():
    row = ask(tried=5000, threshold=0.5).rows()[1]
    y, s = scores()
    want = compare_auc(
        y, s[row["against"]], s[row["candidate"]], alpha=0.05 / 12_497_500, method="delong_t"
    )
    assert limits(row) == pytest.approx((want.lower, want.upper))
    with pytest.raises(InputError, match="fresh rows") as caught:
        ask(tried=10**6, chances={"thresholds": 1001})
    assert caught.value.code == "NF286"


def test_a_difference_of_areas_stays_between_its_extremes():
    rng = np.random.default_rng(0)
    y = np.arange(14) < 6
    data = Predictions.from_arrays(y, {k: y + rng.normal(size=14) for k in "ab"})
    for row in ask(data, tried=900).rows():
        if row["against"] is not None:
            assert -1 <= row["lower"] <= row["upper"] <= 1


def test_whether_a_decision_beats_a_trivial_one_pays_for_the_choice():
    y = np.arange(100) < 50
    s = np.where(y, 0.8, 0.2)
    s[:22] = 0.3  # right on 78, nobody flagged on 50: 28 against 0
    s[60:72] = 0.7
    data = Predictions.from_arrays(y, {"a": s, "b": np.linspace(0, 1, 100)})
    plain = stats.binomtest(28, 40, alternative="greater").pvalue
    assert 0.05 / 20 < plain < 0.05 / 2
    few, many = (ask(data, threshold=0.5, tried=2, chances={"thresholds": t}) for t in (1, 10))
    assert few.card.matrices[0]["beats_nobody"] == "yes"
    assert many.card.matrices[0]["beats_nobody"] == "not enough evidence"
    note = next(n for n in many.notes if n.startswith("NF208") and "always negative" in n)
    assert "at error level 0.05 / 20" in note
    assert not any("always negative" in note for note in few.notes)


def test_groups_without_an_interval_are_not_among_those_whose_areas_are_told():
    kind = np.where(np.arange(N) % 2, "odd", "even").astype(object)
    kind[[0, 100]] = "rare"
    told = " ".join(ask(table(groups=kind)).sentences())
    assert "Among the 2 groups with enough rows its area goes" in told
    assert "1 of the 3 groups: rare" in told


def test_training_variance_and_the_plan_are_always_told():
    for how in ({}, {"chosen": "s1"}, {"chosen": "s1", "planned": "name:s1"}, {"level": 0.999}):
        said = ask(**how).sentences()
        assert said[-1].startswith("Training-set variance is outside")
        assert any("planned was" in sentence for sentence in said)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_level_is_the_one_that_was_asked_for(level):
    report = ask(level=level, threshold=0.5)
    assert {row["level"] for row in report.rows()} == {level}


def test_json_holds_everything():
    report = final_report(table(groups=np.arange(N) % 2), threshold=0.5, n_resamples=99, tried=4)
    told = json.loads(report.to_json())
    assert told["kind"] == "final_report"
    assert told["evaluated"] == {
        "n": N, "n_positive": 60, "n_negative": N - 60, "clusters": None, "digest": report.digest
    }  # fmt: skip
    assert told["champion"]["kind"] == "champion"
    assert told["paid_for"] == {"candidates": 4, "metrics": 1, "thresholds": 1}
    assert sum(told["matrix"][cell] for cell in ("tp", "fp", "fn", "tn")) == N
    keys = [set(row) for row in told["rows"]]
    assert all(k == keys[0] for k in keys)
    again = final_report(table(groups=np.arange(N) % 2), threshold=0.5, n_resamples=99, tried=4)
    assert report.to_json() == again.to_json()


def test_every_row_with_limits_has_a_word_of_guarantee():
    report = final_report(table(), threshold=0.5, costs=(1, 1), n_resamples=99)
    for row in report.rows():
        if row["lower"] is not None:
            assert row["guarantee"] in ("heuristic", "asymptotic", "finite-sample")
            assert row["lower"] <= row["upper"]
            assert math.isfinite(row["shown"])


@pytest.mark.parametrize(
    ("data", "how", "code"),
    [
        (None, {"tried": 3}, "NF286"),
        (None, {"tried": 5, "chances": {"dropped_seeds": 2}}, "NF286"),
        (None, {"chosen": "nobody"}, "NF286"),
        (None, {"chances": {"threshold": 3}}, "NF286"),
        (None, {"chances": {"thresholds": 0}}, "NF286"),
        (None, {"chances": {"metrics": 1.5}}, "NF286"),
        (None, {"chances": [1]}, "NF286"),
        (None, {"scope": "hospital"}, "NF286"),
        (None, {"scope": {"place": "here"}}, "NF286"),
        (None, {"rule": "  "}, "NF286"),
        (None, {"planned": "maximum"}, "NF254"),
        (None, {"level": 1.5}, "NF008"),
        ("one", {}, "NF285"),
        ("gaps", {}, "NF285"),
        ("class", {}, "NF053"),
        ("path", {}, "NF063"),
    ],
)
def test_refusals(data, how, code):
    y, s = scores(2)
    gappy = {"a": s["s0"], "b": np.where(np.arange(N) < 3, np.nan, s["s1"])}
    given = {
        None: table,
        "one": lambda: Predictions.from_arrays(y, {"only": s["s0"]}),
        "gaps": lambda: Predictions.from_arrays(y, gappy, missing="own"),
        "class": lambda: Predictions.from_arrays(np.ones(N, int), s),
        "path": lambda: "file.csv",
    }[data]()
    with pytest.raises(InputError) as caught:
        ask(given, **how)
    assert caught.value.code == code


def test_the_front_door_has_it():
    assert nofluke.final_report is final_report


def test_one_candidate_is_taken_out_with_all_that_belongs_to_it():
    y, s = scores(3)
    columns = {
        "cluster": np.arange(N) // 4,
        "groups": np.where(np.arange(N) % 3, "x", "y"),
        "time": np.arange(N) % 7,
    }
    data = Predictions.from_arrays(y, s, **columns)
    for name in data.candidates:
        part = final_report_question._only(data, name)
        alone = Predictions.from_arrays(y, {name: s[name]}, **columns)
        assert (part.candidates, part.examples) == (alone.candidates, alone.examples)
        assert part.digest == data.digest
        for field in ("labels", "predictions", "starts", "where", "time"):
            assert np.array_equal(getattr(part, field), getattr(alone, field))
        for column in ("cluster", "group"):
            assert part.names(column).tolist() == alone.names(column).tolist()


def test_one_that_has_a_larger_area_is_one():
    report = ask()
    second = sorted(report.champion.scores, key=report.champion.scores.get)[-2]
    assert "and 1 of the 4 candidates at hand has a larger one" in ask(chosen=second).sentences()[0]


def test_numbers_told_together_are_as_sure_as_the_weakest():
    report = ask(threshold=0.5)
    assert "Among other cases like these, with 95 % confidence for each" in str(report)
    weaker = [
        row | {"guarantee": "asymptotic"} if row["metric"] == "specificity" else row
        for row in report.rows()
    ]
    said = " ".join(replace(report, numbers=tuple(weaker)).sentences())
    assert "Among other cases like these, with about 95 % confidence for each" in said


def test_no_confidence_is_called_certainty():
    said = " ".join(ask(level=0.9999, chances={"metrics": 1000}).sentences())
    assert "The 99.99999 % interval for what was planned" in said
    assert "100 %" not in said
