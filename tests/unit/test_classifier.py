"""The question `classifier`: what it composes, what it withholds, what it says."""

import json

import numpy as np
import pytest
from scipy.stats import binom

import nofluke
from nofluke import Predictions, classifier
from nofluke.classify import calibration, cost
from nofluke.classify.confusion import confusion, metrics
from nofluke.classify.curves import auc_interval, compare_auc, delong
from nofluke.classify.precision_recall import average_precision
from nofluke.classify.prevalence import npv_at, ppv_at
from nofluke.errors import InputError

FEW = {"n_resamples": 99}


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    y = rng.random(120) < 0.3
    logit = 1.5 * y - 0.8 + rng.normal(size=120)
    good, poor = 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(-(logit + 2 * rng.normal(size=120))))
    return y.astype(int), {"poor": poor, "good": good}


def table(rows, **how):
    return Predictions.from_arrays(*rows, **how)


def numbers(row):
    return row["estimate"], row["lower"], row["upper"]


def of(interval):
    return interval.estimate, interval.lower, interval.upper


def codes(card):
    return {note[:5] for note in card.notes}


def test_every_number_is_that_of_its_own_function(rows):
    y, by_name = rows
    p = by_name["good"]
    card = classifier(table(rows), threshold=0.4, costs=(1, 20), prevalence=0.01, level=0.9, **FEW)
    cells = confusion(y, p, threshold=0.4)
    rates = metrics(*cells, level=0.9)
    expected = {
        "auc": auc_interval(y, p, level=0.9),
        "average_precision": average_precision(y, p, level=0.9, n_resamples=99),
        "average_precision_elsewhere": average_precision(
            y, p, level=0.9, n_resamples=99, prevalence=0.01
        ),
        "recall": rates.recall,
        "f1": rates.f1,
        "mcc": rates.mcc,
        "precision_elsewhere": ppv_at(0.01, *cells, level=0.9),
        "npv_elsewhere": npv_at(0.01, *cells, level=0.9),
        "cost": cost.total(*cells, c_fp=1, c_fn=20, level=0.9).per_row,
        "brier": calibration.brier(y, p, level=0.9),
        "log_loss": calibration.log_loss(y, p, level=0.9),
        "calibration_slope": calibration.cox(y, p, level=0.9).slope,
    }
    for metric, interval in expected.items():
        assert numbers(card.row("good", metric)) == pytest.approx(of(interval), rel=1e-9), metric
    over = cost.total(*cells, c_fp=1, c_fn=20, level=0.9).against_nobody
    assert card.row("good", "cost_over_nobody")["lower"] == pytest.approx(over.lower / 120)


def test_the_best_is_paid_for_and_differences_hold_at_once(rows):
    y, by_name = rows
    third = {**by_name, "other": by_name["poor"][::-1]}
    card = classifier(table((y, third)), **FEW)
    S = np.array([third[name] for name in card.candidates])
    best = max(card.candidates, key=lambda name: card.row(name, "auc")["estimate"])
    assert card.best["candidate"] == best == "good"
    assert numbers(card.best) == pytest.approx(of(auc_interval(y, third[best], alpha=0.05 / 3)))
    assert card.best["lower"] < card.row(best, "auc")["lower"]
    for d in card.differences:
        pair = third[d["a"]], third[d["b"]]
        found = compare_auc(y, *pair, alpha=0.05 / 3, method="delong_t")
        assert numbers(d) == pytest.approx(of(found))
    areas = delong(y, S)
    variances = [c["covariance"] for c in card.covariance if c["a"] == c["b"]]
    assert variances == pytest.approx(areas.covariance.diagonal().tolist())
    assert "It was picked after looking, so its interval pays for all 3" in str(card)


def test_equality_is_withheld_where_it_would_take_an_area_of_1_to_be_known(rows):
    y, by_name = rows
    perfect = {**by_name, "perfect": 0.25 + 0.5 * y}

    assert classifier(table(rows), **FEW).equality is not None
    assert classifier(table((y, perfect)), **FEW).equality is None
    few = np.r_[np.flatnonzero(y)[:12], np.flatnonzero(1 - y)]
    assert (
        classifier(table((y[few], {k: p[few] for k, p in by_name.items()})), **FEW).equality is None
    )


def test_no_candidate_is_quoted_as_best_alone(rows):
    y, by_name = rows
    card = classifier(table((y, {"good": by_name["good"]})), **FEW)
    assert card.best is None
    assert "largest area" not in str(card)


def test_a_threshold_is_taken_only_where_it_means_something(rows):
    y, by_name = rows
    p = by_name["good"]
    both = {"logit": np.log(p / (1 - p)), "p": p}
    card = classifier(table((y, both)), **FEW)
    assert [(m["candidate"], m["threshold"], m["by"]) for m in card.matrices] == [
        ("p", 0.5, "one half")
    ]
    assert {"NF220", "NF221", "NF224"} <= codes(card)
    (note,) = (note for note in card.notes if note.startswith("NF220"))
    assert "in their units" in note
    assert "0.5" not in note  # which is a cut-off of probabilities
    priced = classifier(table((y, {"p": p})), costs=(1, 20), **FEW)
    assert priced.matrices[0]["threshold"] == 1 / 21
    assert priced.matrices[0]["by"] == "costs"
    told = classifier(table((y, both)), threshold={"logit": 0, "p": 0.5}, **FEW)
    assert [m["tp"] for m in told.matrices] == [confusion(y, p, threshold=0.5).tp] * 2
    assert {"NF220", "NF221"}.isdisjoint(codes(told))


def test_calibration_is_for_probabilities_only(rows):
    y, by_name = rows
    card = classifier(table((y, {"m": 100 * by_name["good"]})), **FEW)
    assert card.calibration == ()
    assert card.row("m", "brier") is None
    note = next(n for n in card.notes if n.startswith("NF224"))
    assert "divide them by 100" in note


def test_a_monotone_map_moves_calibration_and_no_area(rows):
    y, by_name = rows
    p = by_name["good"]
    card = classifier(table((y, {"p": p, "squared": p**2})), **FEW)
    for metric in ("auc", "average_precision"):
        first, second = (numbers(card.row(name, metric)) for name in card.candidates)
        assert first == second
    briers = [card.row(name, "brier")["estimate"] for name in card.candidates]
    assert briers[0] != pytest.approx(briers[1], rel=0.01)
    assert card.differences[0]["estimate"] == 0
    assert card.differences[0]["pvalue"] == 1


def test_groups_pay_for_their_number_and_small_ones_claim_nothing(rows):
    y, by_name = rows
    p = by_name["good"]
    kind = np.where(np.arange(120) < 55, "a", np.where(np.arange(120) < 110, "b", "tiny"))
    y = np.where(kind == "tiny", 0, y)
    y[-2:] = 1
    card = classifier(table((y, {"m": p}), groups=kind), groups=True, threshold=0.5, **FEW)
    rows_ = {(r["part"], r["metric"]): r for r in card.parts}
    a = kind == "a"
    assert numbers(rows_["a", "auc"]) == pytest.approx(of(auc_interval(y[a], p[a], alpha=0.05 / 3)))
    assert rows_["a", "auc"]["level"] == pytest.approx(1 - 0.05 / 3)
    tiny = rows_["tiny", "auc"]
    assert (tiny["estimate"], tiny["lower"], tiny["n_positive"]) == (None, None, 2)
    assert tiny["reason"] == "withheld: 2 positive rows, and it is told from 5 on"
    assert rows_["tiny", "specificity"]["lower"] is not None
    assert "NF225" in codes(card)
    assert "1 of the 3 groups: tiny" in str(card)


def test_groups_with_a_perfect_area_are_not_spoken_of_with_confidence():
    y = np.tile([0, 1], 40)
    s = np.where(np.arange(80) < 40, y, np.arange(80) % 7)  # perfect, then without knowledge
    group = np.repeat(["first", "second"], 40)
    card = classifier(
        Predictions.from_arrays(y, {"m": s}, groups=group), groups=True, threshold=0.5, **FEW
    )
    (told,) = (s for s in card.sentences() if s.startswith("Among the groups"))
    assert "to 1 (first); by a formula that aims at 95 % confidence and does not promise it" in told
    assert "with about" not in told
    assert told.endswith("do not meet: by that formula the two differ.")


def test_groups_may_be_a_mapping(rows):
    y, by_name = rows
    given = {str(i): "even" if i % 2 == 0 else "odd" for i in range(120)}
    column = [given[str(i)] for i in range(120)]
    by_mapping = classifier(table((y, by_name)), groups=given, **FEW)
    by_column = classifier(table((y, by_name), groups=column), groups=True, **FEW)
    assert by_mapping.parts == by_column.parts


def test_blocks_of_time_are_told_from_early_to_late(rows):
    card = classifier(table(rows, time=np.arange(120.0)), blocks=3, threshold=0.5, **FEW)
    assert list(dict.fromkeys(r["part"] for r in card.parts)) == [
        "[0, 40)",
        "[40, 80)",
        "[80, 119]",
    ]
    assert {r["by"] for r in card.parts} == {"time"}


def test_clusters_are_counted_where_asked_and_missed_where_not(rows):
    y, by_name = rows
    groups = np.arange(120) // 4
    card = classifier(
        table(rows, cluster=groups), clusters=True, threshold=0.5, costs=(1, 5), **FEW
    )
    row = card.row("good", "auc")
    found = auc_interval(y, by_name["good"], clusters=groups)
    assert numbers(row) == pytest.approx(of(found))
    assert (row["method"], row["n"], card.clusters) == ("obuchowski", 30, 30)
    assert card.row("good", "recall")["method"] == "linearised"
    assert card.row("good", "cost")["method"] == "linearised"
    for metric in ("average_precision", "calibration_slope"):
        held = card.row("good", metric)
        assert held["estimate"] is not None
        assert held["lower"] is None
        assert "clusters" in held["reason"]
    assert card.calibration[0]["pvalue"] is None
    assert card.matrices[0]["beats_nobody"] is None
    assert "NF229" in codes(card)
    assert "NF223" in codes(classifier(table(rows, cluster=groups), **FEW))


def test_clusters_are_counted_in_groups_and_blocks_too(rows):
    y, by_name = rows
    groups, kind = np.arange(120) // 4, np.where(np.arange(120) % 8 < 4, "a", "b")
    card = classifier(
        table(rows, cluster=groups, groups=kind, time=np.arange(120.0)),
        clusters=True,
        groups=True,
        blocks=2,
        threshold=0.5,
        **FEW,
    )
    a = kind == "a"
    found = auc_interval(y[a], by_name["good"][a], clusters=groups[a], alpha=0.025)
    row = next(
        r for r in card.parts if (r["candidate"], r["part"], r["metric"]) == ("good", "a", "auc")
    )
    assert numbers(row) == pytest.approx(of(found))
    assert row["n"] == 15
    assert [r["level"] for r in card.parts] == pytest.approx([0.975] * len(card.parts))
    assert {r["method"] for r in card.parts if r["metric"] == "recall"} == {"linearised"}


def test_clusters_of_one_row_are_rows_for_the_area(rows):
    y, by_name = rows
    card = classifier(table(rows), clusters={str(i): str(i) for i in range(120)}, **FEW)
    alone = auc_interval(y, by_name["good"], method="logit_t")
    row = card.row("good", "auc")
    assert row["estimate"] == alone.estimate
    assert row["lower"] == pytest.approx(alone.lower, abs=0.01)


def test_other_examples_are_not_compared(rows):
    y, by_name = rows
    p = by_name["good"].copy()
    p[:5] = np.nan
    card = classifier(table((y, {"a": p, "b": by_name["poor"]}), missing="own"), **FEW)
    assert (card.best, card.differences) == (None, ())
    assert "NF222" in codes(card)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_its_own_answer(label):
    card = classifier(table(([label] * 6, {"m": np.linspace(0.1, 0.9, 6)})), **FEW)
    row = card.row("m", "auc")
    assert row["estimate"] is None
    assert row["reason"].startswith("undefined: no row is")
    absent = "negative" if label else "positive"
    assert str(card).startswith(
        f"Whether m orders the two classes cannot be told: no row is {absent}"
    )
    assert "NF227" in codes(card)
    assert "NF226" not in codes(card)
    assert card.row("m", "brier")["lower"] is not None


def test_a_perfect_order_is_no_certainty():
    y = [0] * 10 + [1] * 10
    card = classifier(table((y, {"m": np.linspace(0, 1, 20)})), **FEW)
    row = card.row("m", "auc")
    assert (row["estimate"], row["upper"], row["guarantee"]) == (1, 1, "heuristic")
    assert row["lower"] < 0.85
    assert card.guarantee == "heuristic"
    assert "in all of the pairs" in str(card)


def test_constant_scores_and_one_positive():
    card = classifier(table(([0, 1] * 5, {"m": [0.3] * 10})), **FEW)
    assert card.row("m", "auc")["estimate"] == 0.5
    assert "NF226" in codes(card)
    card = classifier(table(([0] * 9 + [1], {"m": np.r_[np.arange(9), 5.5]})), threshold=4, **FEW)
    assert card.row("m", "auc")["guarantee"] == "heuristic"
    assert card.row("m", "recall")["n"] == 1


def test_an_area_below_one_half_is_a_finding():
    y = np.repeat([1, 0], 20)
    s = np.arange(40.0)
    s[[3, 30]] = s[[30, 3]]
    card = classifier(table((y, {"m": s})), **FEW)
    assert card.row("m", "auc")["estimate"] < 0.5
    assert "the wrong way round here" in str(card)
    assert "NF200" in codes(card)


def test_what_the_costs_call_for_is_said(rows):
    card = classifier(table(rows), threshold=0.5, costs=(1, 20), **FEW)
    assert "these costs call for a threshold of 0.04762" in str(card)
    card = classifier(table(rows), threshold=1 / 21, costs=(1, 20), **FEW)
    assert "call for" not in str(card)


def test_a_refuted_calibration_is_told_with_the_threshold_of_costs(rows):
    y, by_name = rows
    card = classifier(table((y, {"m": by_name["good"] ** 4})), costs=(1, 3), **FEW)
    note = next(n for n in card.notes if n.startswith("NF221"))
    assert "refutes calibration, at 0.05, for 'm'" in note
    assert "a test finds that its probabilities are not calibrated" in str(card)


def test_folds_are_pooled_with_a_word():
    y = [0, 1] * 10
    card = classifier(table((y, {"m": np.arange(20.0)}), folds=np.arange(20) // 5), **FEW)
    assert "NF228" in codes(card)


def test_everything_reaches_json(rows):
    card = classifier(table(rows), threshold=0.5, costs={"c_fp": 1, "c_fn": 4}, **FEW)
    found = json.loads(card.to_json())
    assert found["kind"] == "classifier"
    assert len(found["rows"]) == len(card.rows())
    assert found["best"]["rule"] == "bonferroni"
    assert found["question"]["costs_call_for"] == 0.2
    assert card.to_json() == classifier(table(rows), threshold=0.5, costs=(1, 4), **FEW).to_json()


def test_the_order_of_rows_matters_to_betting_only(rows):
    y, by_name = rows
    order = np.random.default_rng(0).permutation(120)
    turned = table((y[order], {name: p[order] for name, p in by_name.items()}))
    a, b = (classifier(t, threshold=0.5, n_resamples=0) for t in (table(rows), turned))
    for first, second in zip(a.rows(), b.rows(), strict=True):
        if first["method"] != "betting":
            assert numbers(first) == pytest.approx(numbers(second), nan_ok=True), first["metric"]


def test_no_resamples_leave_the_estimate(rows):
    card = classifier(table(rows), n_resamples=0)
    row = card.row("good", "average_precision")
    assert row["estimate"] is not None
    assert row["reason"] == "no resamples were asked for"
    assert card.calibration[0]["pvalue"] is None


def test_work_tells_the_terms(rows):
    told = "\n".join(classifier(table(rows), threshold=0.5, **FEW).work())
    assert "covariance of the areas of poor and good" in told
    assert "error level 0.05 / 2 = 0.025 (Bonferroni)" in told


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"costs": (1,)}, "NF064"),
        ({"costs": {"fp": 1}}, "NF064"),
        ({"costs": "1 2"}, "NF064"),
        ({"costs": (1, -2)}, "NF058"),
        ({"threshold": {"good": 0.5}}, "NF008"),
        ({"threshold": float("nan")}, "NF008"),
        ({"prevalence": 2}, "NF008"),
        ({"prevalence": (5, 3)}, "NF008"),
        ({"groups": True}, "NF063"),
        ({"clusters": True}, "NF063"),
        ({"groups": {"0": "a"}}, "NF007"),
        ({"blocks": 2}, "NF007"),
        ({"blocks": 0}, "NF008"),  # whether there are times or not
        ({"method": "exact"}, "NF008"),
        ({"level": 95}, "NF008"),
    ],
)
def test_what_cannot_be_asked_is_refused(rows, how, code):
    with pytest.raises(InputError) as refused:
        classifier(table(rows), **how)
    assert refused.value.code == code


def test_only_predictions_are_taken():
    with pytest.raises(InputError, match="read_predictions") as refused:
        classifier([[0, 1], [0.1, 0.9]])
    assert refused.value.code == "NF063"


def test_the_front_door():
    assert nofluke.classifier is classifier
    assert nofluke.classify.cost.bayes_threshold(c_fp=1, c_fn=20) == 1 / 21


@pytest.mark.parametrize(
    ("how", "interval"), [(FEW, True), ({"n_resamples": 0}, False), ({"clusters": True}, False)]
)
def test_the_caution_about_few_positives_says_which_area_and_what_helps(rows, how, interval):
    y, models = rows
    few = Predictions.from_arrays(y[:40], {"a": models["good"][:40]}, cluster=np.arange(40) // 2)
    (note,) = (note for note in classifier(few, threshold=0.5, **how).notes if "NF212" in note)

    assert "Average precision is then too high on average" in note
    assert ("its interval" in note) == interval
    assert "method=" not in note  # that of a card is of rates, and has no 'band'


def test_decisions_are_held_against_the_better_of_the_rules_that_look_at_nothing():
    p = np.r_[np.full(60, 0.7), np.full(20, 0.3), np.full(20, 0.6)]
    often = classifier(Predictions.from_arrays(np.r_[np.ones(80), np.zeros(20)], {"m": p}), **FEW)
    (told,) = (s for s in often.sentences() if "McNemar" in s)
    assert "m is right on 0.6 of the rows, and flagging everybody would be right on 0.8;" in told
    assert told.endswith(
        "at error level 0.1 (0.05 for each of the two rules, of which these rows picked the one), "
        "finds flagging everybody more often right."
    )

    seldom = classifier(Predictions.from_arrays(np.r_[np.zeros(80), np.ones(20)], {"m": p}), **FEW)
    (told,) = (s for s in seldom.sentences() if "McNemar" in s)
    assert "flagging nobody would be right on 0.8;" in told

    p = np.r_[np.full(60, 0.3), np.full(40, 0.7)]
    good = classifier(Predictions.from_arrays(np.r_[np.zeros(60), np.ones(40)], {"m": p}), **FEW)
    (told,) = (s for s in good.sentences() if "McNemar" in s)
    assert told.endswith("at error level 0.05 on each side, finds m more often right.")


@pytest.mark.parametrize(("flagged", "others"), [(30, 30), (8, 7), (7, 8), (40, 25), (60, 5)])
def test_the_pick_of_the_rule_by_the_rows_costs_nothing_for_yes_and_doubles_no(flagged, others):
    # The decision tosses coins at prevalence 1/2: as often right as either rule.
    sizes = (flagged, others)
    chances = [binom.pmf(np.arange(m + 1), m, 0.5) for m in sizes]
    sure = [binom.sf(np.arange(m + 1) - 1, m, 0.5) <= 0.05 for m in sizes]
    lead = [2 * np.arange(m + 1) - m for m in sizes]  # over nobody, over everybody
    chance = np.multiply.outer(*chances)
    everybody = np.greater.outer(*lead)
    yes = np.where(everybody, sure[1], sure[0][:, None])
    no = np.where(everybody, sure[1][::-1], sure[0][::-1][:, None])

    assert chance[yes].sum() <= 0.05
    assert chance[no].sum() <= 0.1
    assert (flagged, others) != (30, 30) or chance[no].sum() > 0.05


def test_a_calibration_line_that_is_off_is_not_called_right():
    rng = np.random.default_rng(1)
    logits = rng.normal(size=150)
    y = rng.random(150) < 1 / (1 + np.exp(-logits))
    timid = Predictions.from_arrays(y, {"timid": 1 / (1 + np.exp(-logits / 1.9))})
    card = classifier(timid, n_resamples=199)

    assert card.row("timid", "calibration_slope")["lower"] > 1
    assert card.calibration[0]["pvalue"] > 0.05
    (said,) = [s for s in card.sentences() if s.startswith("timid expects")]
    assert "do not show that its probabilities are off" not in said
    assert "the slope of its calibration line is with about 95 % confidence 1.07" in said
    assert "its probabilities are too moderate (150 rows" in said
